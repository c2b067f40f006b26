#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff import: robots in URDF.
set -u
. "$(dirname "$0")/common.sh"

run_import() { # <exit code> <text of the file>
  printf '%s' "$2" >"$place/robot.urdf"
  run "$1" import "$place/robot.urdf"
}

robot() { printf '<robot name="r"><link name="a"/><link name="b"/>%s</robot>' "$1"; }
joint() { printf '<joint name="%s" type="revolute"><parent link="%s"/><child link="%s"/>%s</joint>' "$1" "$2" "$3" "${4:-}"; }

# a build without expat says so, and that is all it can do
if "$program" import "$source/tests/models/arm.urdf" 2>&1 | grep -q 'cannot read XML'; then
  echo "this build has no expat"
  exit 0
fi

# The accelerations of the articulated-body algorithm of Pinocchio 4.1 at the same state of the same file.
run 0 import "$source/tests/models/arm.urdf"
says_nothing err
says out 'coord elbow [rad]  # from -2.1 to 2.1'
says out 'body sin_2 in upper_arm at (0, 0.05, 0.3) turn 0.2 about z turn -0.3 about y turn 0.4 about x turn elbow about y'
says out 'turn pi/2 about z'
cp "$place/out" "$place/arm.pf"
run 0 eval "$place/arm.pf" --state shoulder=0.3 --state elbow=-0.7 --state draw_2=0.11 --state "shoulder'=0.9" \
  --state "elbow'=-1.3" --state "draw_2'=0.4" --json
holds 'max(abs(a - b) for a, b in zip(d["acceleration"], [17.35977389080969, -46.274318572960475, -3.879245138453205])) < 1e-12'
run 0 fmt "$place/arm.pf"
cmp -s "$place/out" "$place/arm.pf" || fail "the imported model is not in its canonical layout"
input=$source/tests/models/arm.urdf
run 0 import -
input=
cmp -s "$place/out" "$place/arm.pf" || fail "standard input gives another model"

run_import 0 '<robot name="cart"><link name="rail"/><link name="plate"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="p" type="planar"><parent link="rail"/><child link="plate"/><axis xyz="0 0 2"/></joint></robot>'
says out 'coord p_u, p_v [m], p [rad]'
cp "$place/out" "$place/cart.pf"
run 0 check "$place/cart.pf"
says out 'degrees of freedom  3'

run_import 0 "$(robot "$(joint j a b '<dynamics friction="0.2"/>')")"
says out "force j = -0.2 [N m]*sign(j')"
run_import 0 '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3"/></inertial></link></robot>'
says err "no body has the moments of inertia of the link 'a': 1, 1, 3"

run_import 1 '<robot name="r"><link name="a"></robot>'
says err 'robot.urdf:1:34: error: not well-formed XML: mismatched tag'
run_import 1 ''
says err 'not well-formed XML: no element found'
run_import 1 '<sdf/>'
says err 'this is no URDF: its element is <sdf>, not <robot>'
run_import 1 '<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>'
says err 'a document type is not read'
run_import 1 '<robot name="r"><xacro:include filename="f"/></robot>'
says err 'expand the file first'
run_import 1 '<robot name="r"/>'
says err "the robot 'r' has no links"
run_import 1 '<robot name="r"><link/></robot>'
says err "<link> has no attribute 'name'"
run_import 1 '<robot name="r"><link name="a"/><link name="a"/></robot>'
says err "there are two links 'a'"
run_import 1 '<robot name="r"><link name="a"><inertial><mass value="-1"/></inertial></link></robot>'
says err "the mass of the link 'a' is negative"
run_import 1 '<robot name="r"><link name="a"><inertial><mass value="heavy"/></inertial></link></robot>'
says err 'value="heavy" of <mass> should be 1 number'
run_import 1 '<robot name="r"><link name="a"><inertial><origin xyz="1 2 nan"/></inertial></link></robot>'
says err 'xyz="1 2 nan" of <origin> should be 3 numbers'
run_import 1 "$(robot '<joint name="j" type="hinge"/>')"
says err "the joint 'j' is of the unknown type 'hinge'"
run_import 1 "$(robot '<joint name="j" type="fixed"><child link="b"/></joint>')"
says err "the joint 'j' has no <parent>"
run_import 1 '<robot name="r"><link name="upper"/><link name="lower"/>'"$(joint j uper lower)"'</robot>'
says err "the parent of the joint 'j' is the link 'uper', which does not exist"
says err "did you mean 'upper'?"
run_import 1 "$(robot "$(joint j a b)$(joint k a b)")"
says err "the link 'b' hangs on two joints, 'j' and 'k'"
run_import 1 "$(robot "$(joint j a b)$(joint k b a)")"
says err "the link 'a' is its own ancestor"
run_import 1 "$(robot "$(joint j a b '<axis xyz="0 0 0"/>')")"
says err "the axis of the joint 'j' has no direction"
run_import 1 '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'"$(joint j a b)"'</robot>'
says err "the robot has two roots, the links 'a' and 'c'"
run_import 1 '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'"$(joint j a b)$(joint j a c)"'</robot>'
says err "there are two joints 'j'"

# joints that follow others: a chain of them, one of another kind, one that follows a fixed one
body() { printf '<link name="%s"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>' "$1"; }
slider() { printf '<joint name="%s" type="prismatic"><parent link="%s"/><child link="%s"/>%s</joint>' "$1" "$2" "$3" "${4:-}"; }
fixed() { printf '<joint name="%s" type="fixed"><parent link="%s"/><child link="%s"/>%s</joint>' "$1" "$2" "$3" "${4:-}"; }
run_import 0 "<robot name='hand'>$(body palm)$(body a)$(body b)$(body c)$(body d)$(body e)$(joint one palm a)$(joint two a b \
  '<mimic joint="one" multiplier="-2" offset="0.5"/>')$(slider three b c '<mimic joint="two" multiplier="0.1"/>')$(fixed four palm d \
  '<mimic joint="one"/>')$(joint five d e '<mimic joint="four" multiplier="3" offset="0.25"/>')</robot>"
says_nothing err
says out 'constraint two_mimic: two = -2*one + 0.5 [rad]'
says out 'constraint three_mimic: three = 0.1 [m/rad]*two'
says out 'constraint five_mimic: five = 0.25 [rad]'
says out 'start one = 0'
cp "$place/out" "$place/hand.pf"
run 0 check "$place/hand.pf" --json
holds 'd["degrees_of_freedom"] == 1 and d["rank"] == 3'
run 0 eval "$place/hand.pf" --json --state one=0.3 --state "one'=2"
holds 'dict(zip(d["coordinates"], [round(x, 12) for x in d["q"]])) == {"one": 0.3, "two": -0.1, "three": -0.01, "five": 0.25}'
holds 'dict(zip(d["coordinates"], [round(x, 12) for x in d["v"]])) == {"one": 2, "two": -4, "three": -0.4, "five": 0}'

# Their start keeps the limits of all: two = 0.5 - 2*one in 0 to 0.3 needs one between 0.1 and 0.25. Where none does, that is said.
limited() { printf '<joint name="%s" type="revolute"><parent link="%s"/><child link="%s"/><limit lower="%s" upper="%s"/>%s</joint>' "$@"; }
follower='<mimic joint="one" multiplier="-2" offset="0.5"/>'
run_import 0 "<robot name='r'>$(body p)$(body a)$(body b)$(limited one p a -1 1 '')$(limited two a b 0 0.3 "$follower")</robot>"
says_nothing err
cp "$place/out" "$place/limited.pf"
run 0 eval "$place/limited.pf" --json
holds 'dict(zip(d["coordinates"], [round(x, 12) for x in d["q"]])) == {"one": 0.1, "two": 0.3}'
run_import 0 "<robot name='r'>$(body p)$(body a)$(body b)$(limited one p a -1 0 '')$(limited two a b 0 0.3 "$follower")</robot>"
says err "the joint 'two' follows 'one' and starts at 0.5, outside of its limits"
run_import 1 "$(robot "$(joint j a b '<mimic joint="k"/>')")"
says err "the joint 'j' mimics 'k', which does not exist"
run_import 1 "$(robot "$(joint j a b '<mimic joint="j"/>')")"
says err "the joint 'j' mimics itself"
run_import 1 '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'"$(joint j a b '<mimic joint="k"/>')$(joint k b c '<mimic joint="j"/>')"'</robot>'
says err "mimics itself, by way of others"
run_import 1 '<robot name="r"><link name="a"/><link name="b"/><link name="c"/><joint name="f" type="floating"><parent link="a"/><child link="b"/></joint>'"$(joint k b c '<mimic joint="f"/>')"'</robot>'
says err "'f' has more than one coordinate"
run_import 1 "$(robot "$(joint j a b '<mimic multiplier="2"/>')")"
says err "<mimic> has no attribute 'joint'"

# a base that moves, actuators, wheels. By hand, with u along the body, w = yaw', b = 0.2 half the track, d = 0.05 to the mass centre:
# (m + 2 J/R^2) u' = m1 d w^2 + (tl + tr)/R and (I + m1 d^2 + 2 (m2 b^2 + I2 + J b^2/R^2)) w' = (tr - tl) b/R - m1 d u w
run 0 import "$source/tests/models/rover.urdf" --base planar --wheel left_wheel --wheel right_wheel:0.08 --actuators all
says_nothing err
says out 'body chassis in ground at (0, 0, 0.11) shift base_x along x shift base_y along y turn base_yaw about z'
says out 'roll left_wheel_contact: disc left_wheel { radius 0.08, axis left_wheel.z } on ground'
says out 'force right = right_torque'
sed 's/left_torque \[N m\]/left_torque = 0.3 [N m]/; s/right_torque \[N m\]/right_torque = 0.1 [N m]/' "$place/out" >"$place/rover.pf"
printf "start left' = 3, right' = 2\nrun 2\n" >>"$place/rover.pf"
run 0 check "$place/rover.pf" --json
holds 'd["degrees_of_freedom"] == 2'
run 0 eval "$place/rover.pf" --json
holds 'abs(dict(zip(d["coordinates"], d["acceleration"]))["base_x"] - (8*0.05*0.2**2 + 0.4/0.08)/(9 + 2*0.0015/0.08**2)) < 1e-11'
holds 'abs(dict(zip(d["coordinates"], d["acceleration"]))["base_yaw"] - (-0.2*0.2/0.08 + 8*0.05*0.2*0.2)/(0.12 + 8*0.05**2 + 2*(0.5*0.2**2 + 0.001 + 0.0015*0.2**2/0.08**2))) < 1e-10'
for form in recursive maggi udwadia_kalaba; do
  run 0 eval "$place/rover.pf" --json --form "$form"
  holds 'abs(dict(zip(d["coordinates"], d["acceleration"]))["base_x"] - 5.016/9.46875) < 1e-11'
done
run 0 run "$place/rover.pf" --by rk4 --step 0.01 --json
run 0 import "$source/tests/models/rover.urdf" --base free --wheel left_wheel,right_wheel --actuators right
says out 'chassis in ground at (0, 0, 0.11) free'
if grep -q left_torque "$place/out"; then fail "an actuator that nobody asked for"; fi
cp "$place/out" "$place/segway.pf"
run 0 check "$place/segway.pf" --json
holds 'd["degrees_of_freedom"] == 3' # it rolls, turns and pitches
run 0 import "$source/tests/models/rover.urdf" --base fixed
cp "$place/out" "$place/fixed.pf"
run 0 import "$source/tests/models/rover.urdf"
cmp -s "$place/out" "$place/fixed.pf" || fail "--base fixed is not the default"
run 0 import "$source/tests/models/rover.urdf" --base free
cp "$place/out" "$place/free.pf"
run 0 import "$source/tests/models/rover.urdf" --free
cmp -s "$place/out" "$place/free.pf" || fail "--free is not --base free"
run 2 import "$source/tests/models/rover.urdf" --base flying
says err "there is no base 'flying'"
says err 'there are: fixed, free, planar'
run 2 import "$source/tests/models/rover.urdf" --free --base planar
says err '--free contradicts --base planar'
run 2 import "$source/tests/models/rover.urdf" --wheel left_wheel
says err 'wheels cannot roll when the root of the robot is fixed'
run 1 import "$source/tests/models/rover.urdf" --base planar --wheel left_weel
says err "there is no link 'left_weel' that could be a wheel"
says err "did you mean 'left_wheel'?"
run 1 import "$source/tests/models/rover.urdf" --base planar --wheel castor:0.03
says err "the link 'castor' does not turn about an axle"
for radius in 0 -1 nan 1e999; do
  run 2 import "$source/tests/models/rover.urdf" --base planar --wheel left_wheel:$radius
  says err "the radius of the wheel 'left_wheel' must be positive, not"
done
# Wheels of two sizes on one axle: a level base cannot stand on both, one that leans can.
run 1 import "$source/tests/models/rover.urdf" --base planar --wheel left_wheel:0.08,right_wheel:0.1
says err "the wheels 'left_wheel' and 'right_wheel' touch the ground at heights of the base that differ by 0.02"
says err "or --base free: then it may lean"
run 0 import "$source/tests/models/rover.urdf" --base free --wheel left_wheel:0.08,right_wheel:0.1 --out "$place/leans.pf"
run 0 check "$place/leans.pf"
run 1 import "$source/tests/models/rover.urdf" --actuators lift
says err "there is no joint 'lift'"
run 1 import "$source/tests/models/rover.urdf" --actuators swivel
says err "the joint 'swivel' has no coordinate of its own for an actuator"

# a wheel whose shape stands beside its link has a hub there; its axle may be any direction
run_import 0 "$(robot "$(joint j a b)")" # as it is
printf '%s' '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><collision><origin xyz="0 0.1 0"/><geometry><sphere radius="0.2"/></geometry></collision></link>'"$(joint j a b '<axis xyz="0.6 0.8 0"/>')"'</robot>' >"$place/robot.urdf"
run 0 import "$place/robot.urdf" --base free --wheel b
says out 'frame b_hub in b at (0, 0.1, 0)'
says out 'disc b_hub { radius 0.2, axis 0.6*b.x + 0.8*b.y } on ground'
cp "$place/out" "$place/hub.pf"
run 0 check "$place/hub.pf"

# names of anything become names of the language, all different; a planar joint needs three
run_import 0 '<robot name="&quot;&#10;}"><link name="a b"/><link name="a&#9;b"/><link name="a_b"/><link name="sin"/><link name="&#10;mass"/><joint name="p" type="planar"><parent link="a b"/><child link="a_b"/></joint>'"$(joint p_u 'a b' 'a&#9;b')$(joint '`touch x`' a_b sin)$(joint '&lt;/script&gt;' sin '&#10;mass')"'</robot>'
says out 'body a_b in ground'
says out 'coord p_u_2 [rad]'
cp "$place/out" "$place/names.pf"
run 1 check "$place/names.pf" # no mass at all, and nothing else is wrong
if grep -q 'not declared\|twice\|already' "$place/err"; then fail "names of a hostile robot"; fi

# a robot in one line of half a megabyte needs no more than one in many: it took a gigabyte
if command -v python3 >/dev/null; then
  python3 - "$program" "$place/long.urdf" >"$place/out" 2>"$place/err" <<'END' || fail "import of 2000 links in one line"
import resource, subprocess, sys
links = "".join(f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>' for i in range(2000))
joints = "".join(f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/></joint>' for i in range(1, 2000))
open(sys.argv[2], "w").write(f'<robot name="r">{links}{joints}</robot>')
text = subprocess.run([sys.argv[1], "import", sys.argv[2]], capture_output=True, text=True, check=True).stdout
assert text.count("\nbody ") == 2000
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert kilobytes < 500000, kilobytes # 23 MB, more with sanitizers
END
fi
run 1 import "$place/absent.urdf"
says err 'absent.urdf'
run 2 import
finish
