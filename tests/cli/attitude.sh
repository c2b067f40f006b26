#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Free and ball joints for people: conserved quantities in angular velocities, steady motions as by angles.
set -u
. "$(dirname "$0")/common.sh"

books="$source/tests/reference/textbook"
run 0 study invariants "$books/top.pf"
says out "C*top.wz"
if grep -q "normal form" "$place/out"; then
  says out "A*top.gx*top.wx + A*top.gy*top.wy + C*top.gz*top.wz"
  run 0 study invariants "$books/chaplygin_sphere.pf"
  says out "A*ball.gx*ball.wx + B*ball.gy*ball.wy + C*ball.gz*ball.wz"
fi

# A constant torque does work, but has no potential: nothing that is no function of the state is listed.
printf '%s\n' "body a in ground ball { mass 1, inertia 0.5 }" "torque (0, 3, 0) on a" "run 1" >"$place/torque.pf"
run 0 study invariants "$place/torque.pf"
if grep -q "dt" "$place/out"; then fail "$last: a symbol that is no quantity"; fi
run 0 run --invariants "$place/torque.pf"

# The steady precessions of a top: as many by a ball joint as by angles, and the same one next to the start.
cat >"$place/angles.pf" <<'END'
model top
param m = 1 [kg], g = 9.81 [m/s^2], l = 0.2 [m], A = 0.05 [kg m^2], C = 0.02 [kg m^2]
coord psi, theta, phi [rad]
gravity (0, 0, -g)
body top in ground turn psi about z turn theta about x turn phi about z { mass m, com (0, 0, l), inertia diag(A - m*l^2, A - m*l^2, C) }
start theta = 0.5, phi' = 20
END
steady() { grep -E "cyclic|state|steady" "$place/out" | head -n 3 | sed 's/top\.//g; s/\(\.[0-9]\{6\}\)[0-9]*/\1/g'; }
run 0 study steady "$place/angles.pf"
steady >"$place/by_angles"
run 0 study steady "$books/top.pf"
steady | cmp -s - "$place/by_angles" || fail "$last: not what it is by angles"
# precessions are a surface over theta and psi', in two pieces: psi' > 0 and psi' < 0
says out "top: 2 steady motions"

# Each satisfies the equation of steady precession, and the first one is the nearest: 4.4062379704 from the start (theta = 0.5,
# psi' = 0, phi' = 20), found by minimising the distance on that surface from 156 starts.
helpers='from math import cos
def precession(p):
    theta, psi, phi = p["q"][1], p["v"][0], p["v"][2]
    return 0.05*cos(theta)*psi**2 - 0.02*(phi + psi*cos(theta))*psi + 1*9.81*0.2
'
for model in "$place/angles.pf" "$books/top.pf"; do
  run 0 study steady --json "$model"
  holds 'all(abs(precession(p)) < 1e-8 for p in d["points"])'
  holds 'abs(d["points"][0]["distance"] - 4.4062379704) < 1e-6 and all(p["family"] == 2 for p in d["points"])'
done
finish
