#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Decimals are exact wherever they were written, zeros are found behind their formulas, and 'compare' skips what takes long.
set -u
. "$2/tests/cli/common.sh"
command -v python3 >/dev/null || exit 0

# Routh's sphere: energy and an integral that is linear in the velocities, also when a is given again
cat > "$place/sphere.pf" <<'END'
param m = 0.1, r = 0.05, a = 0.03, A = 1.1e-4, C = 0.9e-4, g = 9.81
coord x, y, psi, th, phi
gravity (0, 0, -g)
frame axis in ground at (x, y, r) turn psi about z turn th about x
body ball in axis turn phi about z { mass m, com (0, 0, -a), inertia diag(A, A, C) }
roll contact: ball ball { radius r } on ground
start th = 0.4, psi' = 1, phi' = 2
END
run 0 study invariants "$place/sphere.pf"
cp "$place/out" "$place/plain"
says out linear
run 0 study invariants -p a=0.03 "$place/sphere.pf"
cmp -s "$place/out" "$place/plain" || fail "$last: other integrals than with the value in the file"

# cos(2 q) - 1 + 2 sin(q)^2 = 0: y'' = 0, and nothing is divided by it
cat > "$place/zero.pf" <<'END'
coord q, x, y
kinetic (q'^2 + x'^2 + y'^2)/2
potential x^2 + q*y
constraint c: (cos(2*q) - 1 + 2*sin(q)^2)*x' + y' = 0
constraint d: (cos(2*q) - 1 + 2*sin(q)^2)*y' + x' - sin(q)*q' = 0
start q = 0.3, q' = 1
END
run 0 derive --form udwadia_kalaba "$place/zero.pf"
says out "y'' = 0"

# 17 digits: the fraction fits 64 bits, numerator and denominator are no doubles, and it is rounded once
cat > "$place/long.pf" <<'END'
param p = 1
coord x, y
kinetic (x'^2 + y'^2)/2
force x = 1.9753520511093186
force y = p
END
run 0 eval --json -p p=1.9753520511093186 "$place/long.pf"
holds 'd["acceleration"] == [1.9753520511093186]*2'
run 0 eval --json -p 'p=0.10000000000000001' "$place/long.pf"
holds 'd["acceleration"][1] == 0.1'
run 0 derive --c "$place/long.pf"
grep -q '1.9753520511093186' "$place/out" || fail "a quotient of two numbers that are no doubles in C"
# products of decimals leave 64 bits and stay exact: 0.1234567^2*0.7654321*1.0000001, 123.4567^9, and literals of any length
cat > "$place/wide.pf" <<'END'
coord x, y, z
kinetic (3.14159265358979323846264338327950288*x'^2 + 0.1234567^2*0.7654321*1.0000001*y'^2 + 123.4567^9*z'^2)/2
potential 1.380649e-23*x + 1e30*y/7
END
run 0 derive --json "$place/wide.pf"
holds '"3.14159265358979323846264338327950288*x" in d["equations"][0]["lhs"]'
holds '__import__("fractions").Fraction(d["equations"][1]["lhs"].split("*")[0]) == __import__("fractions").Fraction(1234567**2*7654321*10000001, 10**28)'
holds '__import__("fractions").Fraction(d["equations"][2]["lhs"].split("*")[0]) == __import__("fractions").Fraction(1234567**9, 10**36)'
holds 'd["equations"][0]["rhs"] == "-1.380649e-23"'
holds 'd["equations"][1]["rhs"] == "-1000000000000000000000000000000/7"'
run 0 eval --json "$place/wide.pf"
holds 'd["acceleration"][1] == -1e30/7/(1234567**2*7654321*10000001/10**28)'

# the second row is the first one times a decimal: no digit is lost, so it is redundant, and nothing is divided by zero
cat > "$place/rows.pf" <<'END'
coord x, y, z
kinetic (1.2345*x'^2 + 0.98765*y'^2 + 2.71828*z'^2)/2
potential 9.80665*x + x*y
constraint c: 1.23456789012*x' + 0.00123456789*sin(z)*y' + 3.3333333333*z' = 0
constraint d: 9.87654321098*1.23456789012*x' + 9.87654321098*0.00123456789*sin(z)*y' + 9.87654321098*3.3333333333*z' = 0
start x = 0.3, y = 0.1, z = 0.7, y' = 1
END
run 0 check --json "$place/rows.pf"
holds 'd["rank"] == 1'
for form in multipliers rosenberg rosenberg_extended udwadia_kalaba maggi laconic; do
  run 0 derive --form $form "$place/rows.pf"
  grep -Eq '/0([^.0-9]|$)|[0-9]\.[0-9]{14,16}([^0-9]|$)' "$place/out" && fail "$last: a rounded number, or a division by zero"
done

finish
