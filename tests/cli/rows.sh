#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rows that are asked for are there, by every method: at events, where something sticks, and, with nan for what depends on them, at
# instants without accelerations between good steps.
set -u
. "$(dirname "$0")/common.sh"
model=$place/model.pf
methods="dopri5 dop853 rk4 cvode_adams cvode_bdf ida ida2 rattle generalized_alpha"
every_row() { # times, what else holds
  for method in $methods; do
    case $method in rk4 | rattle | generalized_alpha) step="--step 1e-3" ;; *) step= ;; esac
    run 0 run --json --by "$method" $step --at "$1" "$model"
    holds "{$1} == {r[0] for r in d[\"rows\"]} and ($2)"
    run 0 run --json --by "$method" $step --every 0.25 --for 2 "$model"
    holds "[0.25*k for k in range(9)] == sorted({r[0] for r in d[\"rows\"]})"
  done
}
printf '%s\n' "coord x, y" "kinetic x'^2/2 + y'^2/2 + x'*y'/4" "potential x^2 + y^2" "start x' = 1, y' = 0.5" "when t = 0.5 { lock x }" \
  "when t = 1 { unlock x }" "run 2" >"$model"
every_row 0,0.25,0.5,1,2 'sum(r[0] == 0.5 for r in d["rows"]) == 2'
printf '%s\n' "coord x" "kinetic x'^2/2" "force x = 2*sin(3*t) - sign(x')" "run 3" >"$model"
every_row 0,0.1,0.5,1,1.5,2,3 True

# The force is infinite at 0.5 s, where no stage of these steps is: x and x' have values there, x'' and lambda have none.
printf '%s\n' "coord x, y" "kinetic x'^2/2 + y'^2/2" "constraint c: x = 2*y" "force x = 0.01/(t - 0.5)" "run 1.2" >"$model"
for method in rk4 rattle generalized_alpha; do
  for when in "--at 0,0.4,0.5,1" "--every 0.1 --for 1"; do
    run 0 run --json --by $method --step 0.3 $when "$model"
    holds 'sum(r[0] == 0.5 for r in d["rows"]) == 1 and all((c in ("x'"''"'", "y'"''"'", "lambda[c]")) == (v is None)
      for r in d["rows"] if r[0] == 0.5 for c, v in zip(d["columns"], r)) and [r[0] for r in d["rows"]].count(1) == 1'
    says out "no accelerations were found at t = 0.5: what depends on them is nan there"
  done
  run 0 run -o - --by $method --step 0.3 --at 0.5 --show "x'', x" "$model"
  says out "0.5,nan,-0.0"
done
run 0 sweep -s "x'=0,1" --by rk4 --step 0.3 --take "at(x, 0.5), at(x'', 0.5)" -o "$place/rows.csv" "$model"
[ "$(grep -c nan "$place/rows.csv")" = 2 ] || fail "a sweep at an instant without accelerations"
finish
