#!/bin/sh
# pfaff derive: text, LaTeX, and the keys it promises to programs.
set -u
. "$(dirname "$0")/common.sh"
model=$source/examples/snakeboard.pf

run 0 derive "$model"
says out "Mass matrix"
says out "Equations of motion"
says out "Constraints, differentiated"
says_nothing err

run 0 derive "$model" --json
says_nothing err
holds '{"form", "unknowns", "equations", "operations", "seconds"} <= set(d)'
holds 'd["form"] == "lagrange"'
holds "d['unknowns'][:2] == [\"x''\", \"y''\"] and len(d['unknowns']) == 8"
holds 'len(d["equations"]) == 8'
holds 'all({"lhs", "rhs", "latex"} <= set(e) and all(isinstance(v, str) and v for v in e.values()) for e in d["equations"])'
holds 'isinstance(d["operations"], int) and d["operations"] > 0'
holds 'd["operations"] == sum(d["operation_counts"].values())'
holds '0 < d["seconds"] < 60'

run 0 derive "$model" --latex
says out '\begin{align}'
says out '\end{align}'
says out '\ddot{'

# The same input, the same output, byte for byte.
run 0 derive "$model"
cp "$place/out" "$place/first"
run 0 derive "$model"
cmp -s "$place/out" "$place/first" || fail "two runs differ"

run 1 derive --json "$source/tests/models/bad/several_checked.pf"
holds '{"form", "unknowns", "equations", "operations", "seconds", "diagnostics"} <= set(d)'
holds 'd["equations"] == [] and len(d["diagnostics"]) == 6'
run 1 derive "$source/tests/models/bad/number_zero.pf"
says err "division by zero"
says_nothing out

printf "coord a, aa, x'\n" >"$place/none.pf"
run 1 derive "$place/none.pf"
finish
