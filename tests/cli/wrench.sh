#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrenches of joints as columns of a run: against tests/reference/spatial and by Newton's law (wrench.py); what cannot be had.
set -u
. "$(dirname "$0")/common.sh"
if command -v python3 >/dev/null; then
  python3 "$(dirname "$0")/wrench.py" "$program" "$source" >"$place/out" 2>"$place/err" || fail "wrench.py: $(tail -n 5 "$place/out" "$place/err")"
fi
run 0 run --for 0.1 --show "wrench(left_fore)" --out "$place/w.csv" "$source/examples/spacecraft/dual_arm.pf"
head -n 1 "$place/w.csv" >"$place/out"
says out 'wrench(left_fore).mx [N m]'
says out 'wrench(left_fore).fz [N]'
run 2 run --show "wrench(hub)" "$source/examples/skates/snakeboard.pf"
says err "'hub'"
run 2 run --show "wrench(x).fx" "$source/examples/spacecraft/dual_arm.pf"
run 2 run --show "wrench(hub).rx" "$source/examples/spacecraft/dual_arm.pf"
says err "a wrench has no part 'rx'"
run 2 run --show "2*wrench(hub)" "$source/examples/spacecraft/dual_arm.pf"
says err "a wrench is six numbers"
printf '%s\n' "coord q" "body b in ground turn q about z { mass 1, inertia 1 }" "kinetic q'^2/2" "plot wrench(b).mz" "run 1" >"$place/model.pf"
run 1 run "$place/model.pf"
says err "wrench(b): a part of the inertia is given by 'kinetic' and belongs to no body"
printf '%s\n' "coord q" "body b in ground turn q about z { mass 1, inertia 1 }" "force q = wrench(b).mz" >"$place/model.pf"
run 1 check "$place/model.pf"
says err "a wrench can only be shown"
# forces and moments have units of their own in sweeps too
printf '%s\n' "coord q" "body b in ground turn q about z { mass 1, inertia 1, com (1, 0, 0) }" "start q' = 1" "run 0.1" >"$place/model.pf"
run 0 sweep -s q=0,1 --take "wrench(b), max(wrench(b))" --out "$place/w.csv" "$place/model.pf"
head -n 1 "$place/w.csv" >"$place/out"
says out 'wrench(b).mz [N m],wrench(b).fx [N]'
says out 'max(wrench(b))[3] [N m],max(wrench(b))[4] [N]'
printf '%s\n' "coord q" "speed w = q'" "body b in ground turn q about z { mass 1, inertia 1 }" "run 0.1" >"$place/model.pf"
run 1 run --show "wrench(b)" "$place/model.pf"
says err "joints of models with 'speed' or 'rate' cannot be cut"
finish
