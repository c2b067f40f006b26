#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Constraints that are linear in the velocities on each side of a surface, and no more: z' = |x'| and z' = max(x', 2).
set -u
. "$2/tests/cli/common.sh"
command -v python3 >/dev/null || exit 0
helpers="import math;"
cat > "$place/size.pf" <<'END'
coord x, y, z
kinetic (x'^2 + 2*y'^2 + 3*z'^2)/2
potential x^2
constraint c: z' = abs(x')
start x' = 3
END
sed "s/abs(x')/max(x', 2)/" "$place/size.pf" > "$place/largest.pf"
(cat "$place/size.pf"; echo "speed u = x', w = y'") > "$place/open.pf"
(cat "$place/size.pf"; echo "speed u, w"; echo "rate x' = u, y' = w, z' = abs(u)") > "$place/given.pf"

for form in laconic maggi; do
  run 1 derive --form $form "$place/largest.pf"
  grep -q "'c' is not linear in the velocities" "$place/err" || fail "$last: other words"
  run 0 derive --form $form "$place/given.pf"
  grep -q "z' = abs(u)" "$place/out" || fail "$last: no rate of z"
done
run 1 study linearize "$place/open.pf"
run 1 study integrability "$place/largest.pf"

# 4 x'' = -2 x: x = 3 sqrt(2) sin(t/sqrt(2)), and z is the length of its way
for form in auto multipliers elimination udwadia_kalaba udwadia_phohomsiri rosenberg_extended maggi cascade; do
  run 0 run --json --at 10 --rtol 1e-10 --form $form "$place/size.pf"
  holds 'abs(d["rows"][-1][1] - 3*math.sqrt(2)*math.sin(10/math.sqrt(2))) < 1e-7'
  holds 'abs(d["rows"][-1][3] - 3*math.sqrt(2)*(4 + math.sin(10/math.sqrt(2)))) < 1e-7'
done
for method in dop853 rk4 cvode_bdf ida ida2 rattle generalized_alpha; do
  run 0 run --json --at 4 --step 2e-3 --by $method "$place/size.pf"
  holds 'abs(d["rows"][-1][3] - 3*math.sqrt(2)*(2 - math.sin(4/math.sqrt(2)))) < 1e-4'
done
run 0 study linearize --json "$place/given.pf"
holds 'd["points"][0]["A"][0][3] == 1 and d["points"][0]["A"][2][3] == 1 and abs(d["points"][0]["A"][3][0] + 0.5) < 1e-12'
finish
