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

# The same motion by speeds, with the switch of the constraint written in a speed: abs(u), the same as a case distinction,
# with a factor, and one that depends on a coordinate too.
constraint() {
  cat > "$place/speeds.pf" <<END
coord x, z
kinetic (x'^2 + 3*z'^2)/2
potential x^2
constraint c: z' = $1
speed u
rate $2
start x' = 3
END
}
for rate in "x' = u, z' = abs(u)" "x' = u, z' = if(u < 0, -u, u)" "x' = -2*u, z' = 2*max(u, -u)"; do
  constraint "abs(x')" "$rate"
  for form in multipliers maggi laconic; do
    run 0 run --json --at 10 --rtol 1e-10 --form $form "$place/speeds.pf"
    holds 'abs(d["rows"][-1][1] - 3*math.sqrt(2)*math.sin(10/math.sqrt(2))) < 1e-7'
    holds 'abs(d["rows"][-1][2] - 3*math.sqrt(2)*(4 + math.sin(10/math.sqrt(2)))) < 1e-7'
  done
done
constraint "abs(x' - x)" "x' = x + u, z' = abs(u)"
run 0 run --json --at 2 --rtol 1e-10 --form multipliers "$place/speeds.pf"
cp "$place/out" "$place/multipliers.json"
run 0 run --json --at 2 --rtol 1e-10 --form laconic "$place/speeds.pf"
holds 'all(abs(a - b) < 1e-7 for a, b in zip(d["rows"][-1], json.load(open("'"$place"'/multipliers.json"))["rows"][-1]))'
# x' = 3 to begin with, z' = 2: then x'' = -2 x until x' = 2 is reached from above, before that 4 x'' = -2 x
constraint "max(x', 2)" "x' = u, z' = max(u, 2)"
helpers="import math; w = 1/math.sqrt(2); T = math.acos(2/3)/w; X = 3*math.sin(w*T)/w; a = math.sqrt(2);"
for form in multipliers maggi laconic; do
  run 0 run --json --at 2.5 --rtol 1e-10 --form $form "$place/speeds.pf"
  holds 'abs(d["rows"][-1][1] - X*math.cos(a*(2.5 - T)) - 2/a*math.sin(a*(2.5 - T))) < 1e-7'
  holds 'abs(d["rows"][-1][2] - X - 2*(2.5 - T)) < 1e-7'
done
constraint "max(x', 2*x)" "x' = x + u, z' = max(x + u, 2*x)"
run 0 run --form multipliers "$place/speeds.pf" --for 1
run 0 study linearize --json "$place/given.pf"
holds 'd["points"][0]["A"][0][3] == 1 and d["points"][0]["A"][2][3] == 1 and abs(d["points"][0]["A"][3][0] + 0.5) < 1e-12'
finish
