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
finish
