#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Constraints that follow from the others only where all of them hold: inside a step they contradict each other a little.
# The balance of energy with the work done tells.
set -u
. "$2/tests/cli/common.sh"
bennett=$2/examples/linkages/bennett.pf
hand=$2/examples/hands/hand_cascade.pf
command -v python3 >/dev/null || exit 0

# drift METHOD STEP MODEL [options]: of the energy, over the whole run, when it has reached the end
drift()
{
  method=$1 step=$2 file=$3
  shift 3
  run 0 run --json --no-rows --by "$method" --step "$step" "$@" "$file"
  holds 'd["end"] == "reached the end" and d["violation"]["position"] < 1e-10 and d["violation"]["velocity"] < 1e-9'
  drift=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["energy"]["drift"])' "$place/out")
}

# order LEAST COARSE FINE: of two drifts, the second with half the step
order()
{
  python3 -c 'import math, sys; l, a, b = map(float, sys.argv[1:]); sys.exit(not math.log2(a/b) > l)' "$@" ||
    fail "$last: the drift goes from $2 to $3 with half the step"
}

# rk4: fourth order, by every formulation that takes the rows, also where single rows vanish (t = 0.102, 0.329, 0.441)
for form in auto multipliers elimination udwadia_kalaba udwadia_phohomsiri maggi cascade; do
  drift rk4 2e-3 "$bennett" --form $form
  coarse=$drift
  drift rk4 1e-3 "$bennett" --form $form
  holds 'd["energy"]["drift"] < 1e-8'
  order 3 "$coarse" "$drift"
done
drift rk4 1e-4 "$bennett"
holds 'd["energy"]["drift"] < 1e-11'
drift rk4 1e-3 "$bennett" -p alpha=30 -p beta=70 --form maggi
holds 'd["energy"]["drift"] < 1e-8'

# the alpha methods: second order; with steps of their own they arrive, too
for method in rattle generalized_alpha; do
  drift $method 1e-3 "$bennett"
  coarse=$drift
  drift $method 5e-4 "$bennett"
  order 1.8 "$coarse" "$drift"
  run 0 run --by $method "$bennett"
done

# six of 18 rows are redundant, some on velocities beside others on positions
drift generalized_alpha 1e-3 "$hand"
coarse=$drift
drift generalized_alpha 5e-4 "$hand"
order 1.8 "$coarse" "$drift"
run 0 run --by generalized_alpha "$hand"
# a parallelogram with three equal cranks that begins upright, where cos(90 deg) is rounding, no unit of a coordinate:
# the rank is that of all its configurations, and it turns as one pendulum of the moment of inertia 0.12 kg m^2. Laid
# flat it may also fold: that start is refused.
{
  printf 'model cranks\nparam a = 0.2 [m], L = 0.5 [m], m1 = 1 [kg], m2 = 2 [kg], g = 9.81 [m/s^2], w = 90 [deg]\n'
  printf 'coord p, c, r, s [rad]\ngravity (0, -g, 0)\n'
  printf 'body crank in ground turn p about z { mass m1, com (a/2, 0, 0), inertia diag(0, 0, m1*a^2/12) }\n'
  printf 'body coupler in crank at (a, 0, 0) turn c - p about z '
  printf '{ mass m2, com (L/2, 0, 0), inertia diag(0, 0, m2*L^2/12) }\n'
  printf 'body rocker in ground at (L, 0, 0) turn r about z '
  printf '{ mass m1, com (a/2, 0, 0), inertia diag(0, 0, m1*a^2/12) }\n'
  printf 'body mid in ground at (L/2, 0, 0) turn s about z '
  printf '{ mass m1, com (a/2, 0, 0), inertia diag(0, 0, m1*a^2/12) }\n'
  printf 'point e1 in coupler at (L, 0, 0)\npoint e2 in coupler at (L/2, 0, 0)\npoint r1 in rocker at (a, 0, 0)\n'
  printf 'point s1 in mid at (a, 0, 0)\nconstraint pin: pos(e1) = pos(r1)\nconstraint middle: pos(e2) = pos(s1)\n'
  printf "start p = w, r = w, s = w, p' = 2, r' = 2, s' = 2\nrun 0.3\n"
} >"$place/cranks.pf"
{
  printf 'model pendulum\ncoord p [rad]\nkinetic 0.06 [kg*m^2]*p'"'"'^2\npotential 6.867 [J]*sin(p)\n'
  printf "start p = 90 [deg], p' = 2\nrun 0.3\n"
} >"$place/pendulum.pf"
run 0 check --json "$place/cranks.pf"
holds 'd["rank"] == 3 and d["start"]["singular"] is None'
run 0 run --json --rtol 1e-10 --every 0.3 --show p "$place/pendulum.pf"
upright=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["rows"][-1][-1])' "$place/out")
for form in auto multipliers udwadia_kalaba cascade; do
  run 0 run --json --rtol 1e-10 --every 0.3 --show p --form $form "$place/cranks.pf"
  holds "abs(d['rows'][-1][-1] - $upright) < 1e-7 and d['energy']['drift'] < 1e-8"
done
run 1 run --json -p w=0 "$place/cranks.pf"
holds 'all(abs(d["energy"][k] - 0.24) < 1e-12 for k in ("start", "end"))'
says err "the constraints lose rank at t = 0"
# the rank is that of the branch on which it moves, near the flat configuration as well and from it on
for w in 0 6; do
  run 0 check --json -p "w=$w [deg]" "$place/cranks.pf"
  holds "d['rank'] == 3 and d['degrees_of_freedom'] == 1 and (d['start']['singular'] is None) == ($w > 0)"
done
run 0 run --json --for 0.01 -p "w=6 [deg]" "$place/cranks.pf"

# Equilibria of the cranks are those of the pendulum, (6.867/0.12)^(1/2) 1/s upright and hanging; rows that vanish there
# are rounding. The same of x = y, written by cosines and sines: x'' = sin x.
helpers='
def rates(d): return sorted(sorted((round(re, 5) + 0.0, round(im, 5) + 0.0) for re, im in p["eigenvalues"]) for p in d["points"])
def pairs(w): return [[(-w, 0), (w, 0)], [(0, -w), (0, w)]]
'
for w in '90 [deg]' '60 [deg]' '-1 [rad]'; do
  run 0 study equilibria --json -p "w=$w" "$place/cranks.pf"
  holds 'rates(d) == pairs(round((6.867/0.12)**0.5, 5))'
done
{
  printf 'coord x, y [rad]\nkinetic 1 [kg m^2]*(x'"'"'^2 + y'"'"'^2)/2\npotential 1 [N m]*(cos(x) + cos(y))\n'
  printf 'constraint a: cos(x) = cos(y)\nconstraint b: sin(x) = sin(y)\nstart x = 1, y = 1\n'
} >"$place/tied.pf"
for x in 1 0.5 2.5; do
  run 0 study equilibria --json --state x=$x --state y=$x "$place/tied.pf"
  holds 'rates(d) == pairs(1)'
  run 0 study linearize --json --near equilibrium --state x=$x --state y=$x "$place/tied.pf"
done
helpers=
finish
