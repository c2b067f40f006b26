#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff import: what files of real robots have, one small file for each (tests/models/urdf). The accelerations are worked
# out by hand; every simple pendulum is the same: I q'' = m g l with I = 0.05 + 2*0.3^2 about the axle.
set -u
. "$(dirname "$0")/common.sh"

if "$program" import "$source/tests/models/arm.urdf" 2>&1 | grep -q 'cannot read XML'; then
  echo "this build has no expat"
  exit 0
fi

# imports <name> <option>…: into $place/<name>.pf
imports() {
  name=$1
  shift
  run 0 import "$source/tests/models/urdf/$name.urdf" --out "$place/$name.pf" "$@"
}
# accelerates <name> <coordinate> <value> <option>…
accelerates() {
  file=$place/$1.pf quantity=$2 value=$3
  shift 3
  run 0 eval "$file" --json "$@"
  holds "abs(dict(zip(d['coordinates'], d['acceleration']))['$quantity'] - ($value)) < 1e-11"
}
refused() { # <words> <text of the file>
  printf '%s' "$2" >"$place/robot.urdf"
  run 1 import "$place/robot.urdf"
  says err "$1"
}

# an axis of zeros on a joint that has no axis
imports fixed_axis
says_nothing err
accelerates fixed_axis shoulder '9.81*(2*0.3 + 0.6)/(0.23 + 0.36)'
# blank lines before <?xml; a mark of the order of bytes, lines that end as those of DOS, letters of other alphabets
for name in blank_line marks world; do
  imports $name
  says_nothing err
  accelerates $name shoulder '9.81*0.6/0.23'
done
sed 's/0 1 0/0 0 0/' "$source/tests/models/urdf/blank_line.urdf" >"$place/robot.urdf"
run 1 import "$place/robot.urdf"
says err "robot.urdf:5:82: error: the axis of the joint 'shoulder' has no direction"
sed 's/<parent.*link=/<mother link=/' "$source/tests/models/urdf/marks.urdf" >"$place/robot.urdf"
run 1 import "$place/robot.urdf"
says err "robot.urdf:5:3: error: the joint 'shoulder' has no <parent>"
if grep -q 'x0d' "$place/err"; then fail "the end of a line is shown"; fi
# limits of a joint that turns freely mean nothing
run 0 import "$source/tests/models/urdf/world.urdf" --actuators all
grep -qx 'coord shoulder \[rad\]' "$place/out" || fail "limits of a continuous joint"
says out 'input shoulder_torque [N m]  # up to 1'
# principal moments of -5e-20 and -2.4e-35 are rounding, also for the recursion
imports rounding
says_nothing err
for form in multipliers recursive; do
  accelerates rounding shoulder '9.81*0.3894183423086505/0.5' --state shoulder=0.4 --form $form
done
# elements that stand twice
imports twice
says err 'a second <inertial> is ignored: the first one counts'
says err 'a second <axis> is ignored'
accelerates twice shoulder '9.81*0.6/0.23'

# Joints that move no mass are told all at once, and welded where they would start. Then the wheel does not turn, and the
# lump is at 0.7 m: 0.475 q'' = 9.81*0.95.
imports massless
says err "4 joints move no mass, so nothing determines their accelerations: 'grip', 'mirror', 'roll', 'wrist'"
says err '--weld massless makes welds of them'
run 1 eval "$place/massless.pf"
imports massless --weld massless
says_nothing err
accelerates massless shoulder 2*9.81
accelerates massless spin -2*9.81
holds 'd["coordinates"] == ["shoulder", "spin", "follow"]'
run 0 import "$source/tests/models/urdf/massless.urdf" --weld massless --actuators all
says out '# grip is welded at 0.01'
says out '# mirror is welded at -0.01'
if grep -q grip_force "$place/out"; then fail "an actuator on a weld"; fi
# by name, at a value: the arm hangs at 1.1 rad, and what follows the wheel is where the wheel is
imports massless --weld 'massless, shoulder:1.1, spin:0.25'
says_nothing err
run 0 import "$source/tests/models/urdf/massless.urdf" --weld massless,shoulder:1.1,spin:0.25
says out 'body arm in base turn 1.1 about y'
says out 'constraint follow_mimic: follow = 0.5 [rad]'
run 1 import "$source/tests/models/urdf/massless.urdf" --weld gripp
says err "there is no joint 'gripp' to weld"
says err "did you mean 'grip'?"
run 2 import "$source/tests/models/urdf/massless.urdf" --weld shoulder:inf
says err "the joint 'shoulder' cannot be welded at a value"

# A weld at a value is the joint held there: the same accelerations of the others as with a motion that is prescribed.
arm=$source/tests/models/arm.urdf
run 0 import "$arm" --out "$place/arm.pf"
sed '$aprescribe elbow = -0.7\nprescribe draw_2 = 0.11' "$place/arm.pf" >"$place/held.pf"
run 0 eval "$place/held.pf" --json --state shoulder=0.3 --state "shoulder'=0.9"
held=$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(repr(d["acceleration"][0]))' "$place/out")
run 0 import "$arm" --weld elbow:-0.7,draw:0.11 --out "$place/welded.pf"
accelerates welded shoulder "$held" --state shoulder=0.3 --state "shoulder'=0.9"
holds 'd["coordinates"] == ["shoulder"]'

# Dry friction: the slider stops after 3/1.5 = 2 s and 3 m; the pendulum stays where 9.81*0.5*sin(q) < 0.5 and else starts.
imports friction
says err "the dry friction of the joint 'plane' is left out"
says err 'the joint has more than one coordinate'
run 0 run "$place/friction.pf" --json --for 4 --at 1,2,4 --show slide,swing --state "slide'=3" --state swing=0.1
holds 'max(abs(a - b) for a, b in zip([r[1] for r in d["rows"]], [3 - 0.75, 3, 3])) < 1e-7'
holds 'max(abs(r[2] - 0.1) for r in d["rows"]) < 1e-9'
run 0 run "$place/friction.pf" --json --for 0.01 --show "swing''" --state swing=0.11
holds 'abs(d["rows"][0][1] - (-9.81*0.5*0.10977830083717481 + 0.5)/0.25) < 1e-9'
run 0 import "$source/tests/models/urdf/friction.urdf" --no-friction
says_nothing err
if grep -q sign "$place/out"; then fail "friction that nobody wanted"; fi
says out 'coord slide [m]  # from -5 to 5'
grep -qx 'coord swing \[rad\]' "$place/out" || fail "infinite limits"

# A chain whose joints are all held by friction, but for the first, moves as one body: as when they are welded.
{
  printf '<robot name="chain"><link name="l0"/>'
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf '<link name="l%d"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.001" iyy="0.002" izz="0.002"/></inertial></link>' $i
    printf '<joint name="j%d" type="continuous"><parent link="l%d"/><child link="l%d"/><origin xyz="0.2 0 0" rpy="0.1 0.2 0.3"/>' $i $((i - 1)) $i
    printf '<axis xyz="%d %d %d"/><dynamics friction="%d"/></joint>' $((i%3 == 2)) $((i%3 == 1)) $((i%3 == 0)) $((i > 1 ? 10000 : 0))
  done
  printf '</robot>'
} >"$place/chain.urdf"
run 0 import "$place/chain.urdf" --out "$place/chain.pf"
run 0 import "$place/chain.urdf" --weld j2,j3,j4,j5,j6,j7,j8,j9,j10,j11,j12 --out "$place/rigid.pf"
run 0 run "$place/rigid.pf" --json --for 1 --at 1 --show j1
rigid=$(python3 -c 'import json, sys; print(repr(json.load(open(sys.argv[1]))["rows"][0][1]))' "$place/out")
run 0 run "$place/chain.pf" --json --for 1 --at 1 --show j1
holds "abs(d['rows'][0][1] - $rigid) < 1e-7 and d['sticks'] == 11 and d['switches'] == 0"

# Tyres that are welded to hubs: (m + 2 J/R^2) u' = (tl + tr)/R. Their heights differ by 1.7e-7 m.
imports tyre --base planar --wheel left_tyre,right_tyre --actuators all
says err '2 meshes of <visual> are left out'
says err "the wheel 'right_tyre' has the radius 0.10000017 instead of 0.1: so it touches the ground together with 'left_tyre'"
grep -q 'disc left_tyre { radius 0.1, axis left_tyre.z } on ground' "$place/tyre.pf" || fail "the axle of a tyre"
run 0 run "$place/tyre.pf" --json --for 0.1 --input left_torque=0.2 --input right_torque=0.2 --show "base_x''"
holds 'abs(d["rows"][0][1] - 4/(7 + 1.2)) < 1e-5'
run 1 import "$source/tests/models/urdf/tyre.urdf" --base planar --wheel left_tyre,right_tyre:0.11
says err 'touch the ground at heights of the base that differ by 0.00999983'

# A loop that a <constraint> closes: (2/3 + 2/3 + 2) q'' = 2*9.81*(1/2 + 1/2 + 1) cos(30 degrees). A hinge and a ball are
# the same in a plane, and in it the others have nothing or too much to hold.
loop=$source/tests/models/urdf/loop.urdf
for type in revolute continuous spherical ball; do
  sed "s/type=\"revolute\"/type=\"$type\"/" "$loop" >"$place/loop.urdf"
  run 0 import "$place/loop.urdf" --out "$place/loop.pf"
  says_nothing err
  accelerates loop a '0.3*39.24*0.8660254037844387'
  accelerates loop c '0.3*39.24*0.8660254037844387'
done
# Three directions of rods that swing in all of space: what each type of joint leaves of twelve degrees of freedom.
ball='<joint name="%s" type="floating"><parent link="rail"/><child link="%s"/></joint>'
body() { printf '<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>' "$1"; }
for pair in fixed:6 revolute:7 prismatic:7 universal:8 planar:9 spherical:9; do
  # shellcheck disable=SC2059 # the format is ours
  { printf '<robot name="r"><link name="rail"/>%s%s' "$(body one)" "$(body two)"
    printf "$ball$ball" a one b two
    printf '<constraint name="close" type="%s"><parent link="one"/><parent_axis xyz="0 0 1"/><parent_origin xyz="0 0 0.1"/>' "${pair%:*}"
    printf '<child link="two"/><child_axis xyz="%s"/><child_origin xyz="0 0 0.1"/></constraint></robot>' \
      "$([ "${pair%:*}" = universal ] && echo 1 0 0 || echo 0 0 1)"; } >"$place/pair.urdf"
  run 0 import "$place/pair.urdf" --out "$place/pair.pf"
  run 0 check "$place/pair.pf" --json
  holds "d['degrees_of_freedom'] == ${pair#*:}"
done
sed 's/type="revolute"/type="gear"/' "$loop" >"$place/robot.urdf"
run 1 import "$place/robot.urdf"
says err "the constraint 'close' is of the unknown type 'gear'"
sed 's/child link="rocker"\/> <child_o/child link="roker"\/> <child_o/' "$loop" >"$place/robot.urdf"
run 1 import "$place/robot.urdf"
says err "the child of the constraint 'close' is the link 'roker', which does not exist"

# macros that were not expanded
refused '<xacro:box> is a macro' '<robot name="r"><link name="a"><inertial><xacro:box m="1"/></inertial></link></robot>'
says err 'expand the file first'
refused 'should be 1 number' '<robot name="r"><link name="a"><inertial><mass value="${m}"/></inertial></link></robot>'
says err 'expand the file first'
finish
