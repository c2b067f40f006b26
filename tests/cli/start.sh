#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The start: what is given holds, what is not mentioned is solved for; what was changed is told by name; every command uses the
# same one; --as-given starts from what is given. Numbers: the rolling disc, z = R cos(phi), x' = R (chi' + psi' sin(phi)).
set -u
. "$(dirname "$0")/common.sh"
helpers='
from math import cos, sin, pi, sqrt
def near(a, b): return abs(a - b) <= 1e-14*abs(b)
phi = pi/3
def first(d): return dict(zip(d["columns"], d["rows"][0]))
'
disc="$place/disc.pf"
printf '%s\n' "coord x, y, z [m], psi, phi, chi [rad]" "gravity (0, 0, -9.81)" \
  "body b in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass 2 [kg], inertia diag(0.08, 0.16, 0.08) }" \
  "roll w: disc b { radius 0.4 [m], axis b.y } on ground" "start phi = 60 [deg], chi' = 5, psi' = 0" "run 0.1" >"$disc"

run 0 run --json --at 0 "$disc"
says_nothing err
holds 'near(first(d)["phi"], phi) and near(first(d)["z"], 0.4*cos(phi)) and first(d)["chi'"'"'"] == 5 and
       near(first(d)["x'"'"'"], 2) and d["start_change"]["as_given"] is False and
       [(m["name"], m["unit"], m["given"], m["warning"]) for m in d["start_change"]["moved"]] ==
       [("z", "m", False, False), ("x'"'"'", "m/s", False, False)] and near(d["start_change"]["moved"][0]["to"], 0.4*cos(phi))'
run 0 run "$disc"
says out "start corrected     coordinates by up to 0.2, velocities by up to 2"
says out "    z [m] 0 to 0.2"
says out "    x' [m/s] 0 to 2"

# The same start everywhere.
run 0 eval --json "$disc"
holds 'near(d["q"][2], 0.4*cos(phi)) and near(d["v"][0], 2) and d["violation"]["position"] < 1e-15'
run 0 eval "$disc"
says out "    z [m] 0 to 0.2"
run 0 compare --json "$disc"
holds 'near(d["start_change"]["moved"][0]["to"], 0.4*cos(phi))'
run 0 check --json "$disc"
holds 'near(d["start_change"]["moved"][0]["to"], 0.4*cos(phi)) and d["start"]["consistent"] is False'
run 0 check "$disc"
says out "    z [m] 0 to 0.2"
run 0 plot --show z "$disc"

# --state holds before what the model gives; a mark stays.
run 0 run --json --at 0 --state z=0.3 "$disc"
says err "warning: the start cannot hold as given and is changed: phi [rad] from 1.047197551 to 0.7227342478"
holds 'first(d)["z"] == 0.3 and near(cos(first(d)["phi"]), 0.75) and d["start_change"]["moved"][0]["given"]'
run 0 run --json --at 0 --state "z=300 [mm]" --state "phi'=1" "$disc"
holds 'first(d)["z"] == 0.3 and first(d)["phi'"'"'"] == 1'

# A change of something not mentioned that is large is worth a warning, too.
printf '%s\n' "coord x, y [m]" "kinetic 1 [kg]*(x'^2 + y'^2)/2" "constraint c: x^2 + y^2 = 1 [m^2]" "start x = 0.8" "run 1" >"$place/circle.pf"
run 0 run --json --at 0 "$place/circle.pf"
says err "warning: the start is found far from where it was looked for: y [m] from 0 to "
holds 'first(d)["x"] == 0.8 and abs(abs(first(d)["y"]) - 0.6) < 1e-15 and d["start_change"]["moved"][0]["warning"]'

# A velocity that follows from the others leaves nothing to choose: no warning, however large it is; two that share do.
printf '%s\n' "coord phi, e [rad]" "kinetic 1/2*1 [kg*m^2]*phi'^2" "constraint c: e' = 104.7 [rad/s] - phi'" "run 1" \
  >"$place/follows.pf"
run 0 run "$place/follows.pf"
says_nothing err
says out "e' [rad/s] 0 to 104.7"
printf '%s\n' "coord x, y" "kinetic (x'^2 + y'^2)/2" "constraint c: x' + y' = 100" "run 1" >"$place/share.pf"
run 0 run "$place/share.pf"
says err "warning: the start is found far from where it was looked for: x' from 0 to 50, y' from 0 to 50"
run 0 run -s "x'=20" "$place/share.pf"
says_nothing err

# --as-given: nothing is changed, and an offset from the constraints stays.
run 0 run --json --at 0,1 --as-given --state y=0.5 --state "x'=1" "$place/circle.pf"
holds 'first(d)["x"] == 0.8 and first(d)["y"] == 0.5 and d["start_change"]["as_given"] is True and
       d["start_change"]["moved"] == [] and abs(d["violation"]["velocity"] - 1.6) < 1e-6'
run 0 run --as-given --state y=0.5 "$place/circle.pf"
says out "start as given      off the constraints: positions by 0.11, velocities by 0"
run 2 run --as-given --state y=0.5 --by rattle "$place/circle.pf"
says err "'rattle' solves them in every step"
run 0 run --as-given --state y=0.6 --by rattle "$place/circle.pf"
run 0 eval --json --as-given --state y=0.5 "$place/circle.pf"
holds 'd["q"] == [0.8, 0.5] and abs(d["violation"]["position"] - 0.11) < 1e-15'
run 0 compare --as-given --state y=0.5 "$place/circle.pf"
says out "start as given"
run 2 study linearize --as-given --state y=0.5 "$place/circle.pf"
says err "off the constraints (positions by 0.11, velocities by 0)"

# Angular velocities and marks survive the correction of the attitude.
printf '%s\n' "coord z" "body b in ground at (0, 0, z) ball {mass 1, inertia 1}" "constraint c: z = 0.2*b.x.z + 0.01" \
  "start b.wz = 1 !" "run 0.1" >"$place/ball.pf"
run 0 run --json --at 0 "$place/ball.pf"
holds 'near(first(d)["b.wz"], 1) and abs(first(d)["z"]) > 1e-3'
run 0 run --json --at 0 --state b.wx=0.5 --state z=0.05 "$place/ball.pf"
holds 'near(first(d)["b.wz"], 1) and near(first(d)["b.wx"], 0.5) and first(d)["z"] == 0.05'

# omega of a body that is placed by angles, in the axes of the ground.
printf '%s\n' "coord a, b, c" "body g in ground turn a about z turn b about x turn c about z { mass 1, inertia diag(1, 2, 3) }" \
  "start b = 0.5, a = 0.2, omega(g) = (0.1, 0.2, 3) !" "run 1" "plot dot(omega(g), ground.x), dot(omega(g), ground.y)" >"$place/gyro.pf"
run 0 eval --json "$place/gyro.pf"
holds 'near(d["v"][1]*cos(0.2) + d["v"][2]*sin(0.5)*sin(0.2), 0.1) and near(d["v"][0] + d["v"][2]*cos(0.5), 3)'
run 1 eval --state b=0 "$place/gyro.pf"
says err "no rates of the coordinates give omega(g).y at the start"

# Values that contradict each other under '!' are refused by every command, and the constraint is named.
printf '%s\n' "coord x, y" "kinetic (x'^2 + y'^2)/2" "constraint circle: x^2 + y^2 = 1" \
  "start x = 0.6 !, y = 0.8 !, x' = 1 !, y' = 0.5 !" "run 1" >"$place/over.pf"
for command in run eval compare check "study linearize"; do
  run 1 $command "$place/over.pf"
  says err "no velocity near the start satisfies the constraint 'circle'"
done
run 1 run --state y=0.7 --state "x'=0" --state "y'=0" "$place/over.pf"
# A start at a double root, where y = -1 leaves x = 0 only and no y': what rounding leaves of x gives no velocity.
printf '%s\n' "coord x, y [m]" "kinetic (x'^2 + y'^2)/2*1 [kg]" "constraint c: x^2 + y^2 = 1 [m^2]" "start x = 0.6, y = -1 !" \
  "run 1" >"$place/double.pf"
run 0 run --json --at 0,1 --state "y'=0.3" "$place/double.pf"
holds 'all(abs(first(d)[k]) < 1e-9 for k in ("x", "x'"'"'", "y'"'"'")) and first(d)["y"] == -1 and
       [m["name"] for m in d["start_change"]["moved"] if m["warning"]] == ["x", "y'"'"'"]'
printf '%s\n' "coord x, y [m]" "kinetic (x'^2 + y'^2)/2*1 [kg]" "constraint c: x^2 + y^2 = 1 [m^2]" "start x = 0.6, y' = 0.3" \
  "run 1" >"$place/double.pf"
run 0 eval --json --state y=-1 "$place/double.pf"
holds 'abs(d["q"][0]) < 1e-9 and d["q"][1] == -1 and max(map(abs, d["v"])) < 1e-9'
# All coordinates are set by the caller, and none of them holds: they yield, by the shortest way to the circle.
for state in "x=2 y=3" "x=0.1 y=-0.2"; do
  run 0 eval --json --state "${state% *}" --state "${state#* }" "$place/double.pf"
  holds "(lambda x, y: max(abs(d['q'][0] - x/sqrt(x*x + y*y)), abs(d['q'][1] - y/sqrt(x*x + y*y))) < 1e-6)(*[float(w[2:]) for w in '$state'.split()])"
  says err "the start cannot hold as given and is changed"
done
# Small coefficients are no double root: a wheel of 2 um turns at 1e6 rad/s.
printf '%s\n' "coord x [m], th [rad]" "param R = 2 [um], m = 1 [mg]" "kinetic m/2*x'^2 + m*R^2/4*th'^2" "constraint c: x' = R*th'" \
  "start x' = 2" "run 1e-6" >"$place/double.pf"
run 0 eval --json "$place/double.pf"
holds 'd["v"][0] == 2 and abs(d["v"][1]/1e6 - 1) < 1e-12'
finish
