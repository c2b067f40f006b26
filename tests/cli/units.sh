#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Units: what is read and shown under a unit is in that unit (units.py), and what does not fit is said.
set -u
. "$(dirname "$0")/common.sh"
model=$place/model.pf
cat >"$model" <<'MODEL'
model units
param mass = 200 [g], k = 3 [N/mm], angle = 30 [deg], ratio = 2, q = 2*3 [N]
coord y [mm], theta [deg]
body b in ground at (0, 0, 1) ball { mass 1 [kg], inertia 1 [kg m^2] }
kinetic mass/2*y'^2 + ratio*mass*1 [m^2]*theta'^2
potential k/2*y^2
force y = q, theta = sin(angle)*1 [N m]
run 1
MODEL

# What is wrong is told with the words of the option, and how to mend it.
wrong() { # option value words [words]
  for command in check "compare" "eval" "run" "plot" "converge --by rk4" "derive" "study equilibria" "study linearize" \
    "study continue ratio=1..2 --equilibria" "study portrait --show y,theta" "study poincare --section y=0 --show y,theta" \
    "study integrability" "study invariants --out $place/x.svg"; do
    # shellcheck disable=SC2086 # commands of several words
    run 2 $command "$1" "$2" "$model"
    says err "$1 $2: $3"
    says err "${4:-$3}"
  done
}
wrong -p "mass=5 [s]" "the value must be in kg, but this is in s"
wrong -p "mass=5 [kq]" "unknown unit 'kq'"
wrong -p "mas=5" "the model has no parameter 'mas'" "did you mean 'mass'?"
wrong -p "mass=heavy" "'heavy' is not defined" "a value is written 0.5, 2/3"
wrong --state "y=5 [deg]" "the value must be in m, but this is"
wrong --state "thata=5" "the model has no coordinate, velocity or speed 'thata'" "did you mean 'theta'?"

say() { # option value words
  run 2 eval "$1" "$2" "$model"
  says err "$3"
}
say -p "mass=nan" "'nan' is not defined"
say -p "mass=1e999" "the number 1e999 is too large"
say -p "mass=exp(1000)" "this is not a finite number"
say -p "mass=1/0" "division by zero"
say -p "mass=0/0" "division by zero"
say -p "mass=sqrt(-1)" "this is not a finite number"
say -p "mass=" "a value is missing"
say -p "mass=1 2" "expected the end of the value, found the number 2"
say -p "mass=1; y=2" "expected the end of the value, found ';'"
say -p "mass=t" "a constant is needed here"
say -p "mass=(1, 2, 3)" "must be a number, this is a vector"
say -p "q=5 [kg]" "the value must be in N, but this is in kg"
say -p "angle=2*pi/3 [deg]" "this divides by an angle"
say -p "angle=5 [m]" "must be"
say --state "y'=5 [mm]" "the value must be in m/s, but this is in m"
say --state "b.wx=5 [m]" "the value must be in"
say --state "b.qx=5 [kg]" "must be"
say --state "b.turn=(0, 1)" "3 numbers in brackets are needed"
say --state "b.w=3" "3 numbers in brackets are needed"
say --state "b.q=(0, 0, 0, 0)" "a quaternion of zeros is no rotation"
say --state "b.v=(1, 2, 3)" "no coordinate, velocity or speed 'b.vx'"
say --state "y" "write name=value"
say --time "5 [m]" "--time: the value must be in s, but this is in m"
for option in --at --every --for --step; do
  run 2 run $option "5 [m]" "$model"
  says err "$option: the value must be in s, but this is in m"
done
run 2 study linearize --sweep "k=1 [N]..2 [N]:3" "$model"
says err "--sweep k=1 [N]..2 [N]:3: the value must be in N/m, but this is in N"
run 2 study equilibria --within "theta=0..5 [mm]" "$model"
says err "--within theta=0..5 [mm]: the value must be"
run 2 study poincare --section "y=1 [s]" --show y,theta "$model"
says err "--section y=1 [s]: the value must be in m, but this is in s"

# The same number in other words.
for value in "angle=45" "angle=(pi/4) [rad]" "angle=90/2" "angle=45 [deg]" "angle=0.125 [rev]" "angle = +45"; do
  run 0 eval --json -p "$value" -p "mass=0.1 [kg]" "$model"
  holds "abs(d['acceleration'][1]/(180/3.141592653589793*0.5**0.5/0.4) - 1) < 1e-12"
done

# A unit behind the upper end of a range holds for both; in brackets a unit holds for all of a start.
printf '%s\n' "param w = 1 [1/s], U[2] = list(1, 2)" "coord th [deg]" "kinetic th'^2/2*1 [kg m^2]" \
  "potential -cos(th)*w^2*U[1]*1 [kg m^2]" "start th = (pi/3) [rad], th' = (pi/2) [rad/s]" "run 1" >"$place/angle.pf"
run 0 run --json --at 0 "$place/angle.pf"
holds "abs(d['rows'][0][1] - 60) < 1e-12 and abs(d['rows'][0][2] - 90) < 1e-12"
for range in "-4..4 [rad]" "-4 [rad]..4 [rad]" "-4..4[rad]" "-720/pi [deg]..(720/pi) [deg]" "-720/pi..720/pi"; do
  run 0 study equilibria --within "th=$range" "$place/angle.pf"
  says out "th [deg] from -229.2 to 229.2"
done
run 0 study equilibria --within "th=-4 [deg]..4 [rad]" "$place/angle.pf"
says out "th [deg] from -4 to 229.2"
run 2 eval -p U=5,6,7 "$place/angle.pf"
says err "'U' is a list of 2, and these are 3 values"
run 0 fmt "$place/angle.pf"
says out "start th = (pi/3) [rad], th' = (pi/2) [rad/s]"

# start hub.px = … of a free joint has its dimension checked too
printf '%s\n' "body b in ground free { mass 1 [kg], inertia 1 [kg m^2] }" "start b.px = 5 [kg]" >"$place/joint.pf"
run 1 check "$place/joint.pf"
says err "'b.px' must be in m, but this is in kg"

# Vectors, energies and multipliers have units in the heads, and columns have the names that were asked for.
disc=$source/examples/balls-and-discs/leaning_disc.pf
printf '%s\n' "coord x, y" "body c in ground at (x, y, 0) { mass 1 }" "constraint e: x' = y" "run 1" >"$place/bare.pf"
head_of() { # quantities head [model]
  run 0 run --for 0.001 --at 0 --out "$place/head.csv" --show "$1" "${3:-$disc}"
  [ "$(head -n 1 "$place/head.csv" | tr -d '"')" = "t [s],$2" ] || fail "$last: $(head -n 1 "$place/head.csv")"
}
head_of "pos(disc).x, vel(disc).x" "pos(disc).x [m],vel(disc).x [m/s]"
head_of "x, x', chi''" "x [m],x' [m/s],chi'' [rad/s^2]"
head_of "pos(disc)" "pos(disc).x [m],pos(disc).y [m],pos(disc).z [m]"
head_of "pos(disc) + (1, 0, 0)" "(pos(disc) + (1, 0, 0)).x [m],(pos(disc) + (1, 0, 0)).y [m],(pos(disc) + (1, 0, 0)).z [m]"
head_of "omega(disc).z, norm(omega(disc))" "omega(disc).z [rad/s],norm(omega(disc)) [rad/s]"
head_of "distance(disc, ground), norm(vel(disc))" "distance(disc, ground) [m],norm(vel(disc)) [m/s]"
head_of "dot(vel(disc), pos(contact)), cross(omega(disc), pos(disc)).x" "dot(vel(disc), pos(contact)) [m^2/s],cross(omega(disc), pos(disc)).x [m/s]"
head_of "kinetic, potential, energy [mJ], 2*energy" "kinetic [J],potential [J],energy [mJ],2*energy [J]"
head_of "lambda" "lambda[contact.roll] [N],lambda[contact.side] [N]"
head_of "lambda[contact.side]*vel(disc).x, reaction(phi), reaction(x) [mN]" "lambda[contact.side]*vel(disc).x [W],reaction(phi) [N m],reaction(x) [mN]"
head_of "x   +  1 [m],pos(disc).x [mm]" "(x + 1 [m]) [m],pos(disc).x [mm]"
head_of "bus.wx, bus.w, 2*bus.vx" "bus.wx [rad/s],bus.w.x [rad/s],bus.w.y [rad/s],bus.w.z [rad/s],2*bus.vx [m/s]" "$source/examples/spacecraft/capture.pf"
head_of "pos(c).x, energy, lambda" "pos(c).x,energy [J],lambda[e]" "$place/bare.pf"
# an angle of axes is one: "[deg]" converts it
run 0 run --at 0 --show "acos(disc.y.z), acos(disc.y.z) [deg], atan2(disc.z.x, disc.z.z) [deg], phi [deg]" -s phi=20 --out "$place/angle.csv" "$disc"
awk -F, 'NR == 1 { if ($3 !~ /\[deg\]/) exit 1 } NR == 2 { if (($3 - $2*57.29577951308232)^2 > 1e-20) exit 1 }' "$place/angle.csv" ||
  fail "$last: $(cat "$place/angle.csv")"
misfit() { # quantity words
  run 2 run --show "$1" "$disc"
  says err "$2"
}
misfit "pos(disc).x [kg]" "what is shown must be in kg, but this is in m"
misfit "vel(disc) [m]" "what is shown must be in m, but this is in m/s"
misfit "vel(disc).x + x" "cannot add m/s and m"
misfit "energy [N]" "what is shown must be in N, but this is in N m"
misfit "lambda[contact.roll] [N m]" "what is shown must be in N m, but this is in N"
misfit "reaction(contact)" "it has several rows, and each its multiplier: lambda[contact.roll], for example"
run 0 run --for 0.001 --out "$place/head.csv" "$disc"
head -n 1 "$place/head.csv" | grep -qF "lambda[contact.side] [N],kinetic [J],potential [J],violation_position," || fail "$last: $(head -n 1 "$place/head.csv")"
says out "rank margin         of the constraints 1 at t = 0"

# Time is in s where it meets a quantity with a unit; numbers and time alone may be anything.
cat >"$place/time.pf" <<'MODEL'
param v0 = 2 [m/s], w = 3 [rad/s], A = 0.1 [m], u = 3
coord x, y [m]
kinetic (x'^2 + y'^2)*1 [kg]
start x' = 1
run 1
plot y against x
MODEL
run 0 run --at 0.5 --show "v0*t/2, x'*t^2, A*sin(w*t), A*sin(2*t), x/t, 2*t, u*t, w*t" "$place/time.pf"
for head in "v0*t/2 [m] " "x'*t^2 [m s] " "A*sin(w*t) [m] " "A*sin(2*t) [m] " "x/t [m/s] " " 2*t  " " u*t  " "w*t [rad]"; do says out "$head"; done
run 0 run --at 0.5 "$place/time.pf"
says out "t [s]              x [m]              y [m]"

# units of electricity have names
cat >"$place/circuit.pf" <<'MODEL'
param R = 2 [Ohm], L = 1 [H], U0 = 3 [V]
coord q [C]
kinetic 1/2*L*q'^2
force q = U0 - R*q'
run 1
MODEL
run 0 run --at 0.5 --show "R*q', L*q', q/U0, R*q'^2, U0/q', L/R*q', L*q'/1 [m^2], L*1" "$place/circuit.pf"
for head in "R*q' [V] " "L*q' [V s] " "q/U0 [F] " "R*q'^2 [W] " "U0/q' [Ohm] " "L/R*q' [C] " "[T] " "L*1 [H]"; do says out "$head"; done

if command -v python3 >/dev/null; then
  python3 "$(dirname "$0")/units.py" "$program" >"$place/out" 2>"$place/err" || fail "units.py: $(tail -n 5 "$place/out")"
fi
finish
