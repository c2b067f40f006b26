#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff eval: accelerations and forces at a state, by a chosen formulation, and the keys it promises to programs. Numbers:
# closed forms of the piano wheel, J1 theta'' = D F sin(theta), (J3 + m R^2) chi'' = R F cos(theta).
set -u
. "$(dirname "$0")/common.sh"
model=$source/examples/wheels/piano_wheel.pf
helpers='
from math import cos, sin
keys = ["model", "formulation", "t", "coordinates", "units", "q", "v", "acceleration", "multipliers", "constraint_force",
        "contact_force", "energy", "violation", "start_change", "diagnostics"]
def near(a, b): return abs(a - b) <= 1e-13*abs(b)
'

run 0 eval "$model"
says out "constraint force"
says out "along_x"
says out "kinetic energy"
says_nothing err

for form in multipliers udwadia_kalaba udwadia_phohomsiri rosenberg_extended maggi laconic cascade; do
  run 0 eval --json --form $form --state theta=1 "$model"
  says_nothing err
  holds "list(d) == keys and set(d['energy']) == {'kinetic', 'potential'} and set(d['violation']) == {'position', 'velocity'} \
    and d['formulation'] == '$form' and d['coordinates'] == ['x', 'y', 'theta', 'chi'] and d['q'][2] == 1 and d['t'] == 0 \
    and near(d['acceleration'][2], 0.03*sin(1)/0.002) and near(d['acceleration'][3], 0.05*cos(1)/0.0075) \
    and near(d['multipliers']['along_x'], 2*d['acceleration'][0] - 1) \
    and near(d['multipliers']['along_x'], d['constraint_force'][0])"
done
run 0 eval --json --state "chi'=2" "$model"
holds "near(d['energy']['kinetic'], 0.0075/2*4) and d['violation']['velocity'] < 1e-16 and near(d['v'][0], 0.1*cos(0.01))"
run 0 eval --json --as-given --state "chi'=2" "$model"
holds "near(d['energy']['kinetic'], 0.0025/2*4) and near(d['violation']['velocity'], 0.1*cos(0.01))"
run 0 eval --json "$source/examples/hands/hand.pf"
holds 'd["contact_force"]["f1.slip"] == {"x": d["multipliers"]["f1.slip.x"], "y": d["multipliers"]["f1.slip.y"]}'

# What has no answer says why, and names the coordinate or the constraint.
run 1 eval --form rosenberg "$model"
says err "the dependent acceleration of 'x'"
run 1 eval --form udwadia_kalaba "$source/examples/paper-003/x2.pf"
says err "'q3' has no inertia of its own"
run 2 eval --form nothing "$model"
says err "rosenberg_extended"

printf '%s\n' "param c = 1" "coord x, y" "kinetic x'^2 + y'^2 + c*(1 + t)*x'*y'" >"$place/model.pf"
run 1 eval --time 5 "$place/model.pf"
says err "the eigenvalue -4 with the eigenvector x = 0.707, y = -0.707"
printf '%s\n' "coord x, y" "kinetic x'^2" >"$place/model.pf"
run 1 eval "$place/model.pf"
says err "'y'"
printf '%s\n' "param mu = 2" "coord x, y, theta" "kinetic x'^2 + y'^2 + theta'^2/10" "potential 20*y" \
  "constraint floor: y - sin(theta) = 0" "nonideal x = mu*max(lambda[floor], 0), theta = mu*sin(theta)*max(lambda[floor], 0)" \
  "start x' = -1, theta = 1, y = sin(1)" >"$place/model.pf"
run 1 eval "$place/model.pf"
says err "that of 'floor' does not settle"

# Forces for a wanted motion. Two wheels of radius R = 0.1 on one axle, half track b = 0.2, mass m = 10 in its middle with moment J = 0.3, the
# wheels without inertia: (tl + tr)/R = m u' and (tr - tl) b/R = J w'. An input may have a function of time, which does not count here.
cat >"$place/drive.pf" <<'END'
param m = 10 [kg], J = 0.3 [kg m^2], R = 0.1 [m], b = 0.2 [m]
coord x, y [m], theta, left, right [rad]
input tl = sin(t) [N m], tr [N mm]
kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2
force left = tl, right = tr
constraint side: y'*cos(theta) - x'*sin(theta) = 0
constraint l: x'*cos(theta) + y'*sin(theta) - b*theta' = R*left'
constraint r: x'*cos(theta) + y'*sin(theta) + b*theta' = R*right'
END
run 0 eval "$place/drive.pf" --inverse "x''=2, theta''=1" --json
holds 'abs(d["actuators"]["tl"] - (0.1*20 - 0.3*0.1/0.2)/2) < 1e-12 and abs(d["actuators"]["tr"] - 1000*(0.1*20 + 0.3*0.1/0.2)/2) < 1e-9'
holds 'd["undetermined"] == [] and all(x == 0 for x in d["missed"].values())'
run 0 eval "$place/drive.pf" --inverse "x''=2" --json # as little as possible: both the same, both open
holds 'abs(d["actuators"]["tl"] - 1) < 1e-12 and d["undetermined"] == ["tl", "tr"]'
run 0 eval "$place/drive.pf" --inverse "x''=2" --actuators tl,theta
says out 'not determined: the least of all that would do'
run 0 eval "$place/drive.pf" --inverse "y''=1"
says err "these actuators do not give y'' = 1: it is 0"
run 2 eval "$place/drive.pf" --inverse "x'=1"
says err '--inverse takes accelerations'
run 2 eval "$place/drive.pf" --inverse "thet''=1"
says err "there is no coordinate 'thet'"
says err "did you mean 'theta'?"
run 2 eval "$place/drive.pf" --inverse "x''=1" --actuators motor
says err "'motor' is neither"
run 2 eval "$place/drive.pf" --actuators tl
says err '--actuators goes with --inverse'
run 2 eval "$place/drive.pf" --inverse "x''=1" --form maggi

finish
