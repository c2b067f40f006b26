#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Coordinates without mass, as integrators of controllers: they follow from the constraints, at the start, where a constraint
# jumps in time and at events, and nothing that has mass moves for their sake. Numbers: by hand, as the comments say.
set -u
. "$(dirname "$0")/common.sh"
helpers='
def near(a, b): return abs(a - b) <= 1e-9*max(1, abs(b))
def row(d, k): return dict(zip(d["columns"], d["rows"][k]))
'
methods="dopri5 dop853 cvode_adams cvode_bdf ida ida2 generalized_alpha"

# A free mass is measured, from t = 1 on: it goes on with x' = 1, z = 9 (t - 1).
printf '%s\n' "coord x, z" "kinetic x'^2/2" "constraint integ: z' = if(t < 1, 0, 10 - x')" "start x' = 1" "run 2" >"$place/jump.pf"
for method in dopri5 dop853 cvode_adams cvode_bdf ida ida2; do
  run 0 run --json --at 0,2 --by $method "$place/jump.pf"
  holds 'near(row(d, -1)["x'"'"'"], 1) and near(row(d, -1)["x"], 2) and near(row(d, -1)["z"], 9) and
         near(row(d, -1)["z'"'"'"], 9)'
done

# The integrator of a motor that starts from rest, in units in which its inertia is next to nothing, and with a gain.
for inertia in 1e-12 1e-3 1e6; do
  printf '%s\n' "param J = $inertia" "coord w, z" "kinetic J*w'^2/2" "force w = J*(150 - w' + z)" \
    "constraint integ: z' = 1e6*(150 - w')" "run 1e-3" >"$place/motor.pf"
  run 0 run --json --at 0 "$place/motor.pf"
  holds 'row(d, 0)["w'"'"'"] == 0 and near(row(d, 0)["z'"'"'"], 150e6)'
done

# Two states of first order behind each other, and one of them twice (redundant).
printf '%s\n' "coord x, u, w" "kinetic x'^2/2" "constraint a: u' = x' - u" "constraint b: w' + u' = 3*x'" \
  "constraint c: 2*w' + 2*u' = 6*x'" "start x' = 1, u = 0.25" "run 1" >"$place/two.pf"
run 0 run --json --at 0 "$place/two.pf"
holds 'row(d, 0)["x'"'"'"] == 1 and near(row(d, 0)["u'"'"'"], 0.75) and near(row(d, 0)["w'"'"'"], 2.25)'

# Events: 1 kg at 1 m/s and 2 kg at 4 m/s become one at 3 m/s, whatever is measured beside.
printf '%s\n' "coord x [m], y [m], z [m]" "body B in ground at (x, 0, 0) { mass 1 [kg] }" "body C in B at (y, 0, 0) { mass 2 [kg] }" \
  "constraint integ: z' = 10 [m/s] - x'" "start x' = 1, y' = 3" "when x > 0.5 [m] { lock y }" "when t = 1 { unlock y }" "run 2" >"$place/lock.pf"
for method in $methods "rk4 --step 1e-2"; do
  # shellcheck disable=SC2086 # a method and its step
  run 0 run --json --at 0,2 --by $method "$place/lock.pf"
  holds 'near(row(d, 0)["x'"'"'"], 1) and near(row(d, 0)["z'"'"'"], 9) and abs(row(d, -1)["x'"'"'"] - 3) < 1e-6 and
         abs(row(d, -1)["z'"'"'"] - 7) < 1e-6 and abs(row(d, -1)["x"] - 5) < 1e-4 and abs(row(d, -1)["z"] - 15) < 1e-4'
done
finish
