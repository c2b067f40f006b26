#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dry friction, samples and events inside steps, phases in which nothing moves: as the commands show them, in closed form.
set -u
. "$(dirname "$0")/common.sh"
model=$place/model.pf
helpers='
def near(a, b, e=1e-9): return abs(a - b) <= e*max(1, abs(b))
def at(d, row, name): return d["rows"][row][[c.split(" [")[0] for c in d["columns"]].index(name)]
'

# A sample inside a step that the stop cuts short; the state at the stop is the last row, with --at and --every.
echo "coord y [m]; kinetic 1 [kg]/2*y'^2; force y = -10 [N]; start y = 5; run 3 until y < 0" >"$model"
for method in dopri5 dop853; do
  run 0 run --json --by $method --at 0.9 "$model"
  holds 'near(at(d, 0, "y"), 0.95) and len(d["rows"]) == 2 and near(at(d, 1, "t"), 1) and near(at(d, 1, "y"), 0) and \
    d["energy"]["drift"] < 1e-9 and d["end"] == "the stop condition became true"'
  run 0 run --json --by $method --every 0.4 "$model"
  holds '[round(r[0], 9) for r in d["rows"]] == [0, 0.4, 0.8, 1] and near(at(d, 2, "y"), 1.8)'
done
run 0 run --every 0.4 --json --for 0.9 "$model"
holds '[round(r[0], 9) for r in d["rows"]] == [0, 0.4, 0.8, 0.9]'
run 0 run --at 0.5,2,3 "$model"
says err "2 of the 3 times of --at lie beyond the end, t = 1"

# A block that sticks under a swinging pendulum does not creep, whatever the tolerance: friction holds up to 14.7 N, the
# pendulum pulls with 3 N.
cat >"$model" <<'END'
param m = 3 [kg], M = 2 [kg], g = 9.81 [m/s^2], mu = 0.3, l = 0.5 [m]
coord x [m], th [rad]
kinetic (M + m)/2*x'^2 + m*l*x'*th'*cos(th) + m*l^2/2*th'^2
potential -m*g*l*cos(th)
force x = -mu*(m + M)*g*sign(x')
start x' = 0, th = 0.1
run 10 until x' > 0 or x' < 0
END
for tolerance in 1e-8 1e-10 1e-12; do
  run 0 run --json --rtol $tolerance "$model"
  holds 'd["end"] == "reached the end" and d["t_end"] == 10'
done

# A block on a slope that friction holds, with a pendulum on it: inside the steps of SUNDIALS its velocity is zero within the
# tolerance only, which is no reason to stop.
cat >"$model" <<'END'
param m = 3 [kg], g = 9.81 [m/s^2], mu = 0.9, a = 0.5 [rad], l = 0.3 [m]
coord x, y [m], th [rad]
kinetic m/2*(x'^2 + y'^2) + m/2*((x' + l*th'*cos(th))^2 + (y' + l*th'*sin(th))^2)
potential m*g*(2*y - l*cos(th))
constraint slope: x*sin(a) - y*cos(a) = 0
nonideal x = -mu*2*m*g*cos(a)*sign(x'*cos(a) + y'*sin(a))*cos(a), y = -mu*2*m*g*cos(a)*sign(x'*cos(a) + y'*sin(a))*sin(a)
start x' = 0.4, th' = 3
run 3 until x' < 0 or y' < 0
END
for by in ida ida2 cvode_bdf cvode_adams dopri5; do
  for angle in 0.45 0.49 0.5; do
    run 0 run --json --by $by -p a=$angle "$model"
    holds 'd["end"] == "reached the end" and d["t_end"] == 3'
  done
  run 0 run --json --by $by -p a=0.6 "$model" # steeper: it sticks at t = 0.0226 and is pulled down by the pendulum later
  holds 'abs(d["t_end"] - 0.57974) < 1e-5'
done
# From a velocity of zero at a tight tolerance the first step is as long as time can be resolved.
cat >"$model" <<'END'
param m = 3 [kg], g = 9.81 [m/s^2], mu = 0.3
coord x, y, s [m]
kinetic m/2*x'^2 + m/2*y'^2 + m/2*s'^2
constraint rope: x*0.3 + y*0.7 - s*1.1 = 0
force x = -mu*m*g*sign(x') + 1 [N]*sin(3 [1/s]*t), y = 3000 [N]*cos(2 [1/s]*t)
start y' = 300
run 10 until x' > 0
END
for by in ida ida2; do
  run 0 run --json --by $by --rtol 1e-12 "$model"
  holds 'abs(d["t_end"] - 1.981166919) < 1e-8' # as dopri5, dop853 and cvode_bdf have it
done
# An instant inside a step that leads to nothing: x = cos 4t + 0.075 sin 4t goes on, and no time is lost.
echo "coord x; kinetic x'^2/2; potential 8*x^2; start x = 1, x' = 0.3; run 0.75 until t > 0.50001 and x > 5" >"$model"
for method in dopri5 dop853 "rk4 --step 0.001" "generalized_alpha --step 0.001" "rattle --step 0.001"; do
  run 0 run --json --at 0.75 --by $method "$model"
  holds 'near(at(d, 0, "x"), -0.979408, 1e-4) and near(at(d, 0, "x'"'"'"), -0.861478, 1e-4)'
done

# A belt that is switched on, to and fro: the block on it is dragged by 3 N, it does not jump with the belt.
cat >"$model" <<'END'
coord x
input push = if(t < 1, 0, if(t < 2, 10, if(t < 3, -10, 0)))
kinetic x'^2/2
force x = -3*sign(x' - push)
start x = 0
run 4
END
for by in dopri5 ida cvode_bdf "rk4 --step 0.001" "rattle --step 0.001"; do
  run 0 run --json --by $by --at 1.5,2,3,4 "$model"
  holds 'all(near(at(d, i, "x"), x, 1e-6) for i, x in enumerate((0.375, 1.5, 3, 3))) and abs(at(d, 3, "x'"'"'")) < 1e-9'
done

# Stops at t = 2 and stays.
echo "coord x; kinetic x'^2/2; force x = -0.5*sign(x'); start x' = 1; run 10" >"$model"
for method in dopri5 dop853 "rk4 --step 0.01" "generalized_alpha --step 0.01" "rattle --step 0.01"; do
  run 0 run --json --at 1,5,10 --by $method "$model"
  holds 'near(at(d, 0, "x"), 0.75, 1e-5) and near(at(d, 1, "x"), 1, 1e-4) and near(at(d, 2, "x"), 1, 1e-4) and \
    abs(at(d, 2, "x'"'"'")) < 1e-12 and at(d, 2, "x'"''"'") == 0 and d["switches"] == 1 and d["sticks"] == 1'
done
run 0 run "$model"
says out "  switches            1, stickings 1"
run 0 run --json -p a=0.1 -p T=0 --at 1 "$source/examples/classics/incline_friction.pf"
holds 'abs(at(d, 0, "x'"'"'")) < 1e-12 and near(at(d, 0, "x"), 0.25/2/(9.81*(0.3*0.9950041652780258 - 0.09983341664682815)))'

# Everything held; an attachment that is let go; a time before the start.
echo "coord p [m]; kinetic 1 [kg]/2*p'^2; start p' = 1; when t = 1 { lock p }; run 3" >"$model"
run 0 run --json --at 2 "$model"
holds 'd["end"] == "reached the end" and near(at(d, -1, "p"), 1) and d["events"][0]["t"] == 1'
echo "coord p [m]; kinetic 1 [kg]/2*p'^2; start p' = 1; when t = -1 { lock p }; run 3" >"$model"
run 0 run --json --at 2 "$model"
holds 'd["events"][0]["t"] == 0 and near(at(d, -1, "p"), 0)'
printf '%s\n' "coord x, y [m]" "body a in ground at (x, 0, 0) { mass 2, inertia 0.1 }" \
  "body b in ground at (y, 0, 0) { mass 1, inertia 0.1 }" "start y = -1, y' = 3" "when t = 1 { attach b to a }" \
  "when t = 2 { detach b from a }" "run 3" >"$model"
run 0 run --json --at 1.5,3 "$model"
holds 'near(d["events"][0]["energy_loss"], 3) and near(d["events"][1]["energy_loss"], 0) and near(at(d, -1, "y"), 4)'
says_nothing err

# r has no mass and follows p: both stop.
printf '%s\n' "coord p, r [m]" "kinetic 1 [kg]/2*p'^2" "constraint c: r' = p'" "start p' = 1" "when t = 1 { lock p }" "run 3" >"$model"
run 0 run --json --at 3 "$model"
holds 'near(at(d, -1, "p"), 1) and near(at(d, -1, "r"), 1) and at(d, -1, "r'"'"'") == 0'

# On a surface of switching formulas are no motion.
echo "coord x; kinetic x'^2/2; force x = 0.3 - 0.5*sign(x'); run 10" >"$model"
run 0 eval "$model"
says err "the state lies where a force switches, x' = 0"
run 0 eval --state "x'=1" "$model"
says_nothing err

# Where the motion rests on a surface by itself the formulas have their values there: x(2), force by force.
rests() { # <x at t = 2> <statements>
  echo "coord x, y; kinetic (x'^2 + y'^2)/2; $2; run 2" >"$model"
  run 0 run --json --at 2 "$model"
  holds "near(at(d, -1, 'x'), $1)"
}
rests 0 "force x = sign(y)"
rests 0 "force x = if(y > 1, 1, 0); start y = 1"
rests 2 "force x = if(y <= 0, 1, 0)"
rests 0 "force x = if(y > 0 or y < 0, 1, 0)"
rests 0 "force x = sign(y'); prescribe y = 0"
rests 0 "force x = if(x' > 0, 1, 0)"
rests 0 "force x = if(x < 0, -1, 0)"
rests 0.5 "force x = if(y > 0, 1, 0), y = if(t < 1, 0, 1)"
rests 1/6 "force x = t - sign(x')"
rests 0.18 "force x = if(x' < 0, 7, -7) + 5*t"

# A step of the reference and a saturation: 5 until x = 4, then about 9.
echo "coord x; input u = if(t < 0.5, 0, 9); kinetic x'^2/2; force x = min(5, u - x); run 3" >"$model"
run 0 run --json --rtol 1e-10 --at 3 "$model"
holds 'near(at(d, -1, "x"), 13.324317079, 1e-8)'

# Conditions that jump; several at one instant; releases at one instant.
echo "coord x; input u = if(t < 1, 0, 2); kinetic x'^2/2; force x = 1; when u > 1 { lock x }; run 3" >"$model"
run 0 run --json "$model"
holds 'd["events"][0]["t"] == 1'
echo "coord x, y; kinetic (x'^2 + y'^2)/2; force y = if(t < 1, -10, 10), x = 1; constraint c: y = 0; run 3 until lambda[c] < 0" >"$model"
run 0 run --json "$model"
holds 'near(d["t_end"], 1)'
echo "coord x; kinetic x'^2/2; force x = -0.5*sign(x'); start x' = 1; run 4 until x' <= 0" >"$model"
for method in dopri5 dop853 "rk4 --step 0.01" "generalized_alpha --step 0.01"; do
  run 0 run --json --by $method "$model"
  holds 'near(d["t_end"], 2, 1e-6) and d["end"] == "the stop condition became true"'
done
echo "coord x, y; kinetic (x'^2 + y'^2)/2; start x' = 1, y' = 1; when x > 1 { lock x }; when x > 1 { lock y }; run 4" >"$model"
run 0 run --json --at 4 "$model"
holds 'len(d["events"]) == 2 and near(at(d, -1, "x"), 1) and near(at(d, -1, "y"), 1)'
echo "coord x, y; kinetic (x'^2 + y'^2)/2; force x = 0.5*t - 0.5*sign(x'), y = -0.5*t - 0.5*sign(y'); run 3" >"$model"
for method in dopri5 dop853 "rk4 --step 0.01"; do
  run 0 run --json --at 3 --by $method "$model"
  holds 'near(at(d, -1, "x"), 2/3, 1e-8) and near(at(d, -1, "y"), -2/3, 1e-8)'
done

# What contradicts a constraint is no event; what cannot jump does not; steps of energy are told.
echo "coord x, y; kinetic (x'^2 + y'^2)/2; constraint c: x = t; when t = 1 { lock x }; run 3" >"$model"
run 1 run "$model"
says err "the event at t = 1 cannot be worked out: it contradicts the constraint 'c'"
grep -q "reached the end" "$place/out" && fail "$last: it has not reached the end"
echo "coord x, y; kinetic (x'^2 + y'^2)/2; prescribe x = if(t < 1, 0, 1); run 2" >"$model"
run 1 run "$model"
says err "'drive.x' jumps by 1 at t = 1, and coordinates cannot"
echo "coord x; kinetic x'^2/2; potential if(x < 0, 0, 0.03); start x = -1, x' = 1; run 4" >"$model"
run 0 run "$model"
says err "the potential energy jumps at t = 1: the impulse that belongs to it is left out"
echo "coord x; input L = if(t < 1, 0, 1); kinetic x'^2/2; spring x { stiffness 4, length L }; run 3" >"$model"
run 0 run --json --at 3 "$model"
holds 'd["energy"]["drift"] < 1e-6 and near(at(d, -1, "x"), 1.6536436208636119, 1e-6)'
says_nothing err
run 2 run --at -1,0.5 "$model"
says err "a sample is asked for at t = -1, before the start at t = 0"
printf '%s\n' "coord x, y; kinetic (x'^2 + y'^2)/2" "force x = -0.5*x'/sqrt(x'^2 + y'^2), y = -0.5*y'/sqrt(x'^2 + y'^2)" \
  "start x' = 0.6, y' = 0.8; run 4" >"$model"
run 1 run "$model"
says err "makes no progress"
printf '%s\n' "coord x, y; kinetic (x'^2 + y'^2)/2" "constraint a: x = y" "force x = t - sign(x'), y = -sign(y')" "run 4" >"$model"
run 0 run --json --at 4 "$model"
says err "how friction and constraints share the load is not determined"
holds 'near(at(d, -1, "x"), 8/12)'

# Multipliers in conditions; a limit of steps.
printf '%s\n' "coord x, y" "kinetic (x'^2 + y'^2)/2" "potential 10*y" "constraint ball: x^2 + y^2 = 1" \
  "start y = 1, x' = 0.5" "when lambda[ball] < 0 { lock x }" "run 2" >"$model"
run 0 run --json --rtol 1e-10 "$model"
holds 'near(d["events"][0]["kinetic_before"], 0.125 + 10*(1 - (2 + 0.025)/3), 1e-8)'
run 1 run --most-steps 3 "$model"
says err "more than 3 steps"
finish
