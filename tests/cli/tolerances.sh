#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The absolute tolerance follows the size of the motion: x'' = -x, ten periods, from 1 nm, must come back as from 1 m. One that is
# asked for holds.
set -u
. "$(dirname "$0")/common.sh"
helpers='
def last(d, name): return d["rows"][-1][d["columns"].index(name)]
'
for size in 1 1e-6 1e-9; do
  printf '%s\n' "coord x" "kinetic x'^2/2" "potential x^2/2" "start x = $size" "run 62.83185307179586" >"$place/size.pf"
  for method in dopri5 dop853 cvode_adams cvode_bdf ida ida2 generalized_alpha; do
    run 0 run --json --at 62.83185307179586 --by $method "$place/size.pf"
    holds "abs(last(d, 'x')/$size - 1) < 2e-5"
  done
  run 0 run --json --at 62.83185307179586 --by dopri5 "$place/size.pf"
  holds "abs(last(d, 'x')/$size - 1) < 5e-7"
done
# What is declared in nanometres needs no other hint, beside what is a metre large.
printf '%s\n' "coord x [nm], y [m]" "kinetic 1 [kg]*(x'^2 + y'^2)/2" "potential 1 [N/m]*(x^2/2 + 2*y^2)" "start x = 1, y = 1" \
  "run 62.83185307179586" >"$place/unit.pf"
run 0 run --json --at 62.83185307179586 "$place/unit.pf"
holds 'abs(last(d, "x") - 1) < 1e-6'
# Asked for: 1e-10 is a tenth of it all, so that the motion is lost, and few steps are made.
run 0 run --json --at 62.83185307179586 --atol 1e-10 "$place/size.pf"
holds 'abs(last(d, "x")/1e-9 - 1) > 1e-2 and d["steps"] < 100'
# Members of a sweep, which run in lanes, are runs bit by bit.
run 0 sweep --state x=1e-9,1e-5,0.5,2,1e-7,1e-4,1,3 --take x --for 20 -o "$place/swept.csv" "$place/size.pf"
for size in 1e-9 1e-5 0.5 2; do
  run 0 run --json --at 20 --for 20 --state x=$size "$place/size.pf"
  command -v python3 >/dev/null || continue
  python3 - "$place/swept.csv" "$place/out" $size <<'END' || fail "the member from x = $size is not the run"
import csv, json, sys
d = json.load(open(sys.argv[2]))
wanted = d["rows"][-1][d["columns"].index("x")]
rows = [r for r in csv.reader(open(sys.argv[1])) if r and not r[0].startswith("#")]
sys.exit(0 if any(float(sys.argv[3]) in map(number, r) and wanted in map(number, r) for number in [lambda w: float(w) if w[:1] in "-0123456789" and w else None] for r in rows[1:]) else 1)
END
done
finish
