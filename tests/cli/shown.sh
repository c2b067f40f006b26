#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names that 'derive' prints can be shown: where axes stand in a body, its angular velocity in the axes of the ground, rates of speeds.
set -u
. "$(dirname "$0")/common.sh"
helpers='
def near(a, b): return abs(a - b) <= 1e-9*max(1, abs(b))
def row(d, k): return dict(zip(d["columns"], d["rows"][k]))
'
sphere=$2/examples/balls-and-discs/chaplygin_sphere.pf

# at the start the axes of the ball are those of the ground; later axes are of length 1, and omega is the same vector in both axes
run 0 run --json --at 0,1 --show "ball.ax, ball.bx, ball.gx, ball.omega_x, ball.omega_y, ball.omega_z, ball.wx, ball.wy, ball.wz, omega(ball).z" "$sphere"
holds 'near(row(d, 0)["ball.ax"], 1) and near(row(d, 0)["ball.gx"], 0)'
holds 'near(sum(row(d, -1)["ball." + axis + "x"]**2 for axis in "abg"), 1)'
holds 'near(sum(row(d, -1)["ball.omega_" + k]**2 for k in "xyz"), sum(row(d, -1)["ball.w" + k]**2 for k in "xyz"))'
holds 'near(row(d, -1)["ball.omega_z"], row(d, -1)["omega(ball).z"])'
run 0 plot -o "$place/plot.svg" --show "ball.gz" "$sphere"

# a sleigh on a circle: v' = 0, w' = 0; pushed by F: v' = F/m
printf '%s\n' "param m = 2, F = 3" "coord x, y, th" "speed v = cos(th)*x' + sin(th)*y', w = th'" "kinetic m/2*(x'^2 + y'^2) + th'^2" \
  "constraint c: -sin(th)*x' + cos(th)*y' = 0" "force x = F*cos(th), y = F*sin(th)" "start v = 1, w = 0.5" "run 1" >"$place/sleigh.pf"
run 0 run --json --at 1 --show "v', v'/2 + w, v" "$place/sleigh.pf"
holds 'near(row(d, 0)["v'"'"'"], 1.5) and near(row(d, 0)["v'"'"'/2 + w"], 1.25) and near(row(d, 0)["v"], 2.5)'
finish
