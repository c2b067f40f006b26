#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Studies do not depend on the sizes of lengths, masses and constraints: pendulums and wells of any size, by closed forms.
set -u
. "$2/tests/cli/common.sh"
command -v python3 >/dev/null || exit 0
helpers="import math; values = lambda p: sorted(abs(e[1]) + abs(e[0]) for e in p['eigenvalues']);"
helpers="$helpers near = lambda a, b: abs(a - b) <= 1e-7*abs(b);"

# a pendulum in x and y: hanging and standing, sqrt(g/l); the unit of the constraint is anybody's
for l in 1e-9 0.005 1e5 1e11; do
  for row in 1e-12 1e9; do
    cat > "$place/pendulum.pf" <<END_OF_MODEL
param m = 2e-3 [kg], l = $l [m], g = 9.81 [m/s^2]
coord x, y [mm]
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: $row*(x^2 + y^2) = $row*l^2
start y = -l
END_OF_MODEL
    run 0 study linearize --json "$place/pendulum.pf"
    holds "len(d['points'][0]['eigenvalues']) == 2 and near(d['points'][0]['eigenvalues'][0]['frequency'], math.sqrt(9.81/$l))"
    run 0 study equilibria --json "$place/pendulum.pf"
    holds "[p['stability'] for p in d['points']] == ['neutral', 'unstable']"
    holds "near(d['points'][0]['q'][1], -1e3*$l) and near(d['points'][1]['q'][1], 1e3*$l)"
    holds "all(len(values(p)) == 2 and near(values(p)[0], math.sqrt(9.81/$l)) for p in d['points'])"
    holds "near(d['points'][1]['distance'], 2*$l)"
  done
done

# in the unit in which it is declared, from where people put it
printf "param l = 5 [mm], m = 1 [kg], g = 9.81 [m/s^2]\ncoord x, y [mm]\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = l^2\nstart y = -5\n" > "$place/small.pf"
run 0 study equilibria "$place/small.pf"
says out "y [mm] = 5"
run 0 study equilibria --json --within "y=0..20" "$place/small.pf"
holds "len(d['points']) >= 1 and any(near(p['q'][1], 5) for p in d['points'])"

# two wells at 0 and +-a: the eigenvalues are +-1 and +-i sqrt(2)
for a in 1e-10 1e-3 1e-2 1e6; do
  printf "param a = $a\ncoord x\nkinetic x'^2/2\npotential -x^2/2 + x^4/(4*a^2)\nstart x = 0.3*$a\n" > "$place/wells.pf"
  run 0 study equilibria --json "$place/wells.pf"
  holds "len(d['points']) == 3 and near(max(p['q'][0] for p in d['points']), $a) and near(min(p['q'][0] for p in d['points']), -$a)"
  holds "all(near(values(p)[0], 1 if p['unstable'] else math.sqrt(2)) for p in d['points'])"
done

# an arm that turns, with a mass on a spring: r = k a/(k - m w^2) at the angular velocity w, which is free
for a in 1e-7 1e8; do
  printf "param a = $a\ncoord r, phi\nkinetic (r'^2 + (r^2 + a^2)*phi'^2)/2\npotential (r - a)^2/2\nstart r = 1.1*a, phi' = 0.3\n" > "$place/arm.pf"
  run 0 study steady --json "$place/arm.pf"
  holds "d['points'][0]['family'] == 1 and near(d['points'][0]['q'][0], $a/(1 - d['points'][0]['v'][1]**2))"
done

# dry friction holds what it holds at any size: the force at rest is 0, and beside it there is no linear model
for a in 1e-6 1e6; do
  printf "param a = $a\ncoord x\nkinetic x'^2/2\npotential a^2*(x/a)^4/4 - x*a\nforce x = -a*0.1*sign(x')\nstart x = 0.5*$a\n" > "$place/dry.pf"
  run 0 study equilibria --json "$place/dry.pf"
  holds "len(d['points']) == 1 and near(d['points'][0]['q'][0], $a) and d['points'][0]['kink']"
done

# A coordinate without mass tied to a velocity: m x'' = kp*(v0 - x') + z, z' = ki*(v0 - x') is s^2 + kp/m*s + ki/m = 0 beside the
# free position, for loops of any size and rows in any unit.
for m in 0.1 10 500 5000; do
  for row in 1 1e-3 1e4; do
    for ki in 4 400 20000; do
      printf "param m = $m, ki = $ki*m\ncoord x, z\nkinetic m/2*x'^2\nforce x = 8*m*(0.2 - x') + z\nconstraint integ: $row*z' = $row*ki*(0.2 - x')\nstart x' = 0.2\n" >"$place/loop.pf"
      run 0 study linearize --json "$place/loop.pf"
      holds "(lambda w: all(min(abs(complex(e['re'], e['im']) - x) for x in w) <= 1e-6*max(map(abs, w)) for e in d['points'][0]['eigenvalues']))([0, -4 + (16 - $ki + 0j)**0.5, -4 - (16 - $ki + 0j)**0.5])"
    done
  done
done

# Feedback through a lag: s^2 - s + 474 = 0 is unstable.
cat >"$place/lag.pf" <<'END_OF_MODEL'
param m = 500 [kg], c = 1500 [N s/m], k = 2000 [N/m], T = 0.5 [s], s = 120
coord x, p [m]
kinetic m/2*x'^2
force x = k*p + c*x'
constraint lag: p' = -p/T - s*x'
start p = 0.01
END_OF_MODEL
run 0 study steady --json "$place/lag.pf"
holds "d['points'][0]['stability'] == 'unstable' and any(near(e[0], 0.5) and near(e[1], 21.76580)  for e in [[round(x, 5) for x in e] for e in d['points'][0]['eigenvalues']])"

# An angle without a unit comes round as well: hanging and standing, each once; wound up by a spring it does not.
printf "coord a\nkinetic a'^2/2\npotential -9.81*cos(a)\n" >"$place/angle.pf"
run 0 study equilibria --json "$place/angle.pf"
holds "[round(p['q'][0], 6) for p in d['points']] == [0, 3.141593]"
printf "coord a\nkinetic a'^2/2\npotential -9.81*cos(a) + 0.05*a^2\n" >"$place/wound.pf"
run 0 study equilibria --json --within "a=-10..10" "$place/wound.pf"
holds "len(d['points']) >= 7 and near(d['points'][6]['distance'], 9.5219952) and all(abs(9.81*math.sin(p['q'][0]) + 0.1*p['q'][0]) < 1e-6 for p in d['points'])"

# A hydraulic cylinder between two orifices, in Pa: p1 + p2 = ps, since both let the same flow through, A*(p1 - p2) = FL + b*x'
# and K*sqrt(p2) = A*x'. With u = sqrt(p2): 2*A*u^2 + b*K/A*u + FL - A*ps = 0.
cat >"$place/valve.pf" <<'END_OF_MODEL'
param m = 500 [kg], A = 20 [cm^2], beta = 1.4 [GPa], V0 = 1 [L], b = 2000 [N s/m], FL = 10 [kN], ps = 160 [bar]
param K = 5e-8 [m^3/(s Pa^0.5)]
coord x [m], p1, p2 [Pa]
kinetic m/2*x'^2
force x = A*(p1 - p2) - b*x' - FL
constraint c1: p1' = beta/V0*(K*sqrt(ps - p1) - A*x')
constraint c2: p2' = beta/V0*(A*x' - K*sqrt(p2))
start p1 = 10e6, p2 = 5e6
END_OF_MODEL
run 0 study steady --json "$place/valve.pf"
holds "(lambda u: near(d['points'][0]['q'][2], u**2) and near(d['points'][0]['v'][0], 5e-8*u/2e-3))((-0.05 + math.sqrt(0.05**2 + 4*4e-3*22e3))/8e-3)"

# Offsets in a linear constraint: rest at x = 0, z = a, with x'' (1 + 1/9) = -5/9 x; the residual rounds like its terms.
for a in 1 2e5 1e6 1e8 1e10; do
  printf "coord x, z\nkinetic (x'^2 + z'^2)/2\npotential 5/2*(z - a)^2\nparam a = %s\nconstraint c: z = x/3 + a\n" $a \
    >"$place/offset.pf"
  run 0 study equilibria --json "$place/offset.pf"
  holds "len(d['points']) == 1 and abs(d['points'][0]['q'][0]) <= 1e-9*$a and near(d['points'][0]['q'][1], $a)"
  holds "near(d['points'][0]['eigenvalues'][0][1], 0.5**0.5)"
done

# A speed for one degree of freedom is free, however large the factors of the constraints are: p - q = 1 - 2 k x.
for k in 1 1e8 1e9 1e12; do
  printf "coord x, p, q\nkinetic x'^2/2\nforce x = p - q\nconstraint c1: p' = -%s*x'\nconstraint c2: q' = %s*x'\n" \
    $k $k >"$place/gears.pf"
  printf "speed v = x'\nstart p = 1\n" >>"$place/gears.pf"
  run 0 study linearize --json "$place/gears.pf"
  holds "near(max(e['im'] for e in d['points'][0]['eigenvalues']), (2*$k)**0.5)"
done
finish
