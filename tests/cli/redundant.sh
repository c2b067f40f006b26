#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Constraints that follow from the others only where all of them hold: inside a step they contradict each other a little.
# The balance of energy with the work done tells.
set -u
. "$2/tests/cli/common.sh"
bennett=$2/examples/linkages/bennett.pf
hand=$2/examples/hands/hand_cascade.pf
command -v python3 >/dev/null || exit 0

# drift METHOD STEP MODEL [options]: of the energy, over the whole run, when it has reached the end
drift()
{
  method=$1 step=$2 file=$3
  shift 3
  run 0 run --json --no-rows --by "$method" --step "$step" "$@" "$file"
  holds 'd["end"] == "reached the end" and d["violation"]["position"] < 1e-10 and d["violation"]["velocity"] < 1e-9'
  drift=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["energy"]["drift"])' "$place/out")
}

# order LEAST COARSE FINE: of two drifts, the second with half the step
order()
{
  python3 -c 'import math, sys; l, a, b = map(float, sys.argv[1:]); sys.exit(not math.log2(a/b) > l)' "$@" ||
    fail "$last: the drift goes from $2 to $3 with half the step"
}

# rk4: fourth order, by every formulation that takes the rows, also where single rows vanish (t = 0.102, 0.329, 0.441)
for form in auto multipliers elimination udwadia_kalaba udwadia_phohomsiri maggi cascade; do
  drift rk4 2e-3 "$bennett" --form $form
  coarse=$drift
  drift rk4 1e-3 "$bennett" --form $form
  holds 'd["energy"]["drift"] < 1e-8'
  order 3 "$coarse" "$drift"
done
drift rk4 1e-4 "$bennett"
holds 'd["energy"]["drift"] < 1e-11'
drift rk4 1e-3 "$bennett" -p alpha=30 -p beta=70 --form maggi
holds 'd["energy"]["drift"] < 1e-8'

# the alpha methods: second order; with steps of their own they arrive, too
for method in rattle generalized_alpha; do
  drift $method 1e-3 "$bennett"
  coarse=$drift
  drift $method 5e-4 "$bennett"
  order 1.8 "$coarse" "$drift"
  run 0 run --by $method "$bennett"
done

# six of 18 rows are redundant, some on velocities beside others on positions
drift generalized_alpha 1e-3 "$hand"
coarse=$drift
drift generalized_alpha 5e-4 "$hand"
order 1.8 "$coarse" "$drift"
run 0 run --by generalized_alpha "$hand"
finish
