#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A motion that ends because it grows without bound says so: what grows, and when.
. "$2/tests/cli/common.sh"

# x'' = 6 x^2 with x(0) = 1, x'(0) = 2 is x = 1/(1 - t)^2: infinite at t = 1
cat >"$place/pole.pf" <<'MODEL'
param k = 6 [N/m^2], m = 1 [kg]
coord x, y [m]
kinetic m/2*(x'^2 + y'^2)
force x = k*x^2
start x = 1, x' = 2, y' = 3
run 5
MODEL
for method in dopri5 dop853; do
  run 1 run --by $method "$place/pole.pf"
  says err "x' grows without bound: to "
  grep -qE ' m/s at t = (0\.99999|1\.00000|1,)' "$place/err" || fail "$last: not at t = 1"
  says err "from 2 at t = 0"
done

# stiff, but nothing grows: the words of the step stay away from it
{ grep -v '^run\|^force' "$place/pole.pf"; echo 'force x = -1e12 [N/m]*x'; echo 'run 1e-3'; } >"$place/stiff.pf"
run 0 run --rtol 1e-4 --atol 1e-4 "$place/stiff.pf"
finish
