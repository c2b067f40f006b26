#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff run --real-time: keeps pace, counts, refuses what has no fixed step. How late the machine is, is no test.
set -u
. "$(dirname "$0")/common.sh"
model=$source/examples/skates/snakeboard_bodies.pf

before=$(date +%s)
run 0 run "$model" --for 1.2 --real-time --rate 500
[ $(($(date +%s) - before)) -ge 1 ] || fail "1.2 s of motion took less than a second"
says out '500 steps per second'
says out 'deadlines missed'
says out 'jitter'
run 0 run "$model" --for 0.1 --real-time --json
holds 'd["real_time"]["rate"] == 1000 and d["real_time"]["steps"] == d["steps"] == 100'
holds '0 <= d["real_time"]["missed"] <= 100 and d["real_time"]["jitter"]["p50"] <= d["real_time"]["jitter"]["max"]'
run 0 run "$model" --for 0.1 --real-time --step 0.01 --by rk4 --json
holds 'd["real_time"]["rate"] == 100 and d["method"] == "rk4"'
run 0 run "$model" --for 0.1 --json
holds '"real_time" not in d'

run 2 run "$model" --for 0.1 --real-time --by dopri5
says err 'the steps of dopri5 have no fixed length'
run 2 run "$model" --rate 100
says err '--rate goes with --real-time'
for rate in 0 -5 nan fast; do
  run 2 run "$model" --real-time --rate "$rate"
  says err "--rate: '$rate' is not a positive number"
done
run 2 run "$model" --real-time --rate 1e9
says err "--rate: 1e+09 steps per second are too many"
run 1 run "$model" --for 1e9 --real-time
says err 'are too many'
# Steps go on where everything is locked: without them no row would come before the end.
cat >"$place/locked.pf" <<'END'
coord x
kinetic x'^2/2
start x' = 1
when t = 0.1 { lock x }
END
run 0 run --for 0.3 --real-time --rate 100 --json "$place/locked.pf"
holds 'd["real_time"]["steps"] >= 30 and sum(0.1 < row[0] <= 0.3 for row in d["rows"]) >= 19'

finish
