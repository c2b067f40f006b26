#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Forces of what events lock, in conditions and in columns: lambda[x] of a locked coordinate, reaction(x), accelerations; against
# closed forms, by methods and formulations of every kind. FMUs: fmu/switch.py.
set -u
. "$(dirname "$0")/common.sh"
model=$place/model.pf
helpers='
from math import *
def near(a, b, e=1e-6): return abs(a - b) <= e*max(1, abs(b))
def column(d, name): return [c.split(" [")[0] for c in d["columns"]].index(name)
def at(d, t, name, last=True): return [r[column(d, name)] for r in d["rows"] if r[0] == t][-1 if last else 0]
'
methods="dopri5 dop853 rk4 cvode_adams cvode_bdf ida ida2 rattle generalized_alpha"
forms="multipliers elimination udwadia_kalaba udwadia_phohomsiri rosenberg_extended maggi laconic cascade"
by_every_method() { # times, what holds: rows are all there
  for method in $methods; do
    case $method in rk4 | rattle | generalized_alpha) step="--step 1e-3" ;; *) step= ;; esac
    run 0 run --json --by "$method" $step --at "$1" "$model"
    holds "{$1} <= {r[0] for r in d[\"rows\"]} and ($2)"
  done
}
by_every_form() {
  for form in $forms; do
    run 0 run --json --form "$form" --at "$1" "$model"
    holds "$2"
  done
}

# A clutch: the torque that it transmits, J2/(J1 + J2) k t, reaches its limit of 6 N m at t = 2.5 s; from then on the second disc
# turns as fast as it does there, and the first one alone is driven.
cat >"$model" <<'END'
param J1 = 2 [kg m^2], J2 = 3 [kg m^2], k = 4 [N m/s], limit = 6 [N m]
coord th, r [rad]
kinetic J1/2*th'^2 + J2/2*(th' + r')^2
force th = k*t
start th' = 1 [rad/s], r' = 0.5 [rad/s]
when t = 0.5 [s] { lock r }
when lambda[r] > limit { unlock r }
run 4
plot lambda[r]
END
# th' of both together is 1.4 + 0.4 t^2 - 0.1 after the jump at 0.5 s (1.25 and 1.5 rad/s become 1.4), 3.8 rad/s at 2.5 s
clutch='near(at(d, 1, "lambda[r]"), 2.4, 1e-4) and at(d, 0.5, "lambda[r]", False) == 0 and near(at(d, 0.5, "lambda[r]"), 1.2, 1e-4) and
  abs([e["t"] for e in d["events"]][1] - 2.5) < 1e-5 and near(at(d, 4, "th'"'"'"), 3.8 + (16 - 6.25), 1e-4) and at(d, 4, "lambda[r]") == 0
  and near(at(d, 4, "th'"'"'") + at(d, 4, "r'"'"'"), 3.8, 1e-4)'
by_every_method 0,0.5,1,4 "$clutch"
by_every_form 0,0.5,1,4 "$clutch"
run 0 sweep -p limit=3..6:2 --take "event(2) [s], max(lambda[r]) [N m]" -o "$place/sweep.csv" "$model"
cut -d, -f2- "$place/sweep.csv" >"$place/out"
says out "3,1.25,3,"
says out "6,2.5,6,"
run 0 run --json -p limit=12 --at 4 "$model"
holds 'len(d["events"]) == 1'

# The lock beside a constraint: x = y holds both, the lock of x takes what acts on them, the constraint what acts on y. Then the
# same with a row that asks again: what x needs is the lock's, whatever the rows share.
for again in "" "constraint d: 2*x = 2*y"; do
  cat >"$model" <<END
coord x, y, z
kinetic x'^2/2 + y'^2/2 + z'^2/2
constraint c: x = y
$again
force x = -t, y = -2*t, z = -1
when t = 1 { lock x }
when lambda[x] > 6 { unlock x }
run 3
END
  by_every_method 0,1,1.5,3 'abs(d["events"][1]["t"] - 2) < 1e-5 and near(at(d, 3, "x"), at(d, 1.5, "x") - 1.5*(27 - 8)/6 + 1.5*2, 1e-4)'
done

# Friction that sticks acts on the lock: 2 t on a while x sticks (t < 1 s), until the lock lets go at 1 N.
cat >"$model" <<'END'
coord a, x
kinetic 5*a'^2/2 + x'^2/2
force a = -2*sign(x'), x = t - sign(x')
when t = 0 { lock a }
when lambda[a] > 1 { unlock a }
run 2
plot lambda[a], reaction(a)
END
by_every_method 0,0.25,0.5,2 'abs(d["events"][1]["t"] - 0.5) < 1e-5 and near(at(d, 0.25, "lambda[a]"), 0.5, 1e-5) and
  near(at(d, 0.25, "reaction(a)"), 0.5, 1e-5) and near(at(d, 2, "x"), 1/6, 1e-4) and near(at(d, 2, "a"), -0.4*(0.5**3/6 + 0.25/2 + 0.5), 0.2)'

# Everything is locked: a condition on time alone. Several at once, each with its own force, in parts and lists.
cat >"$model" <<'END'
part cart(F) {
  coord x [m]
  kinetic (1 [kg])/2*x'^2
  force x = F
}
use cart(1 [N/s]*t) as left
use cart(-2 [N/s]*t) as right
coord q[2]
kinetic q[1]'^2/2 + q[2]'^2/2
force q[1] = t, q[2] = -t
when t = 0 { lock left.x, right.x, q[1], q[2] }
when lambda[left.x] < -2 [N] { unlock left.x }
when lambda[right.x] > 3 [N] and lambda[q[1]] < -1 { unlock right.x }
when abs(lambda[q[2]]) >= 1 { unlock q[2] }
run 3
END
by_every_method 0,3 '[round(e["t"], 4) for e in d["events"]] == [0, 1, 1.5, 2] and near(at(d, 3, "left.x"), (27 - 8)/6 - 2, 1e-4)
  and near(at(d, 3, "q[2]"), -((27 - 1)/6 - 1), 1e-4)'

# A joint that is named by its body, a motor on a hinge against gravity.
cat >"$model" <<'END'
gravity (0, -10, 0)
coord th [rad]
body arm in ground turn th about z { mass 1 [kg], com (2, 0, 0), inertia 1 [kg m^2] }
torque 5 [N m/s]*t*ground.z on arm
when t = 0 { lock arm }
when lambda[th] < 5 [N m] { unlock arm }
run 3.5
plot lambda[th]
END
by_every_method 0,1 'abs(d["events"][1]["t"] - 3) < 1e-5 and near(at(d, 1, "lambda[th]"), 15, 1e-5)'

# Reactions, accelerations, rates of speeds in conditions.
cat >"$model" <<'END'
speed w = th'
coord th [rad]
kinetic (1 [kg m^2])/2*th'^2
force th = (1 [N m/s])*t
when th'' > 1.5 [rad/s^2] { lock th }
run 9 until reaction(th) < -4 [N m]
END
by_every_method 0 'abs(d["events"][0]["t"] - 1.5) < 1e-5 and abs(d["t_end"] - 4) < 1e-5'
sed "s/th'' > /w' > /" "$model" >"$place/speeds.pf"
run 0 run --json "$place/speeds.pf"
holds 'abs(d["events"][0]["t"] - 1.5) < 1e-5'
cat >"$model" <<'END'
coord x, y
kinetic x'^2/2 + y'^2/2
constraint c: x = 2*y
force x = t
run 9 until reaction(y) > 2 or x'' > 5
END
# x'' = 2 t/2.5 ... : M x'' = t + lambda, M y'' = -2 lambda, y'' = x''/2: x'' = 4 t/5, reaction(y) = y'' = 2 t/5
by_every_method 0 'abs(d["t_end"] - 5) < 1e-5'

# What is refused, in words.
refuse() { # statement, words
  printf '%s\n' "coord x, y" "kinetic x'^2/2 + y'^2/2" "constraint c: x = y" "$1" "run 1" >"$model"
  run 1 check "$model"
  says err "$2"
}
refuse "when lambda[x] > 1 { lock y }" "'x' is a coordinate that no event locks"
refuse "nonideal y = lambda[x]
when t = 1 { lock x }" "no force can depend on the multiplier of what an event locks"
refuse "force y = lambda[x]
when t = 1 { lock x }" "a force cannot depend on multipliers here"
refuse "force y = reaction(x)" "a reaction can only be shown"
finish
