#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff check: what it says to people, and the keys it promises to programs.
set -u
. "$(dirname "$0")/common.sh"
examples=$source/examples

run 0 check "$examples/skates/snakeboard.pf"
says out "coordinates         6: x [m], y [m], theta [rad]"
says out "rear              pfaffian"
says out "rank                2, nothing redundant"
says out "degrees of freedom  4"
says out "mass matrix         rank 6 of 6"
says out "start               consistent"

run 0 check "$examples/skates/snakeboard.pf" --json
says_nothing err
holds 'd["model"] == "snakeboard"'
holds 'd["coordinates"] == ["x", "y", "theta", "psi", "phi_b", "phi_f"]'
holds 'd["speeds"] == []'
holds '[(c["name"], c["kind"]) for c in d["constraints"]] == [("rear", "pfaffian"), ("front", "pfaffian")]'
holds 'd["rank"] == 2 and d["redundant"] == [] and d["degrees_of_freedom"] == 4'
holds 'd["mass_matrix"]["rank"] == 6 and d["mass_matrix"]["singular"] is False'
holds 'd["start"]["consistent"] is True and d["start"]["violation"] == 0'
holds 'd["diagnostics"] == []'
keys='{"model", "coordinates", "speeds", "constraints", "rank", "redundant", "degrees_of_freedom", "mass_matrix", "start", "diagnostics"}'
holds "$keys <= set(d)"
holds 'd["horizon"] == 10 and d["plots"][0]["against"] in (None, "x")'
holds '[v["name"] for v in d["values"] if v["kind"] == "parameter"] == d["parameters"]'

# numbers in the declared units; a parameter made of others is not given by a number
printf 'model m\nparam L = 50 [cm], r = L/2\ncoord a [deg], b [m]\nkinetic 1 [kg m^2]*a'"'"'^2 + 1 [kg]*b'"'"'^2\nstart a = 30 [deg], b'"'"' = 2*r/(1 [s])\nrun 3\nplot a against b\n' >"$place/numbers.pf"
run 0 check --json "$place/numbers.pf" -p L=20
holds '[(v["name"], v["kind"], round(v["value"], 12), v["unit"], v["given"]) for v in d["values"]] == [
  ("L", "parameter", 20, "cm", True), ("r", "parameter", 0.1, "m", False), ("a", "start", 30, "deg", True), ("a\u0027", "start", 0, "deg/s", False),
  ("b", "start", 0, "m", False), ("b\u0027", "start", 0.2, "m/s", True)]'
holds 'd["horizon"] == 3 and d["plots"] == [{"quantities": ["a"], "units": ["deg"], "against": "b"}]'
printf 'model m\nparam w = 600 [rpm], b = 30 [deg], c = 2*b [deg]\ncoord a [deg]\nkinetic 1 [kg m^2]*a'"'"'^2\ninput u = w*c*1 [kg m^2/s]\n' >"$place/numbers.pf"
run 0 check --json "$place/numbers.pf"
holds '[(round(v["value"], 12), v["given"]) for v in d["values"] if v["kind"] == "parameter"] == [(600, True), (30, True), (60, False)]'
run 0 check --json --state hub.w="(0.1, 0.2, 0.3)" "$source/examples/spacecraft/spacecraft.pf"
holds '[round(v["value"], 12) for v in d["values"] if v["name"] in ("hub.wx", "hub.wy", "hub.wz")] == [0.1, 0.2, 0.3]'
printf 'model m\ncoord x, y [m], a [deg]\nkinetic 1 [kg]*(x'"'"'^2 + y'"'"'^2) + 1 [kg m^2]*a'"'"'^2\nspeed u = x'"'"'*cos(a) + y'"'"'*sin(a)\nconstraint c: x'"'"'*sin(a) = y'"'"'*cos(a)\nstart u = 0.5, a = 30\n' >"$place/numbers.pf"
run 0 check --json "$place/numbers.pf"
holds '[(round(v["value"], 12), v["given"]) for v in d["values"] if v["name"] == "u"] == [(0.5, True)]'
printf 'model m\nparam k\ncoord a [m]\nkinetic k*a'"'"'^2\n' >"$place/numbers.pf"
run 0 check --json "$place/numbers.pf"
holds 'd["values"] is None and d["horizon"] is None and d["plots"] is None'

run 0 check --json "$source/tests/models/good/skate.pf"
holds 'd["rank"] == 1 and d["redundant"] == ["b"] and d["degrees_of_freedom"] == 2'
run 0 check --json "$source/tests/models/good/speeds.pf"
holds 'd["speeds"] == ["v", "w"]'
run 0 check --json "$source/tests/models/good/pendulum_rod.pf"
holds 'd["start"]["consistent"] is False and abs(d["start"]["violation"] - 0.64) < 1e-12 and d["start"]["worst"] == "rod"'
run 0 check "$source/tests/models/good/pendulum_rod.pf"
says out "not consistent: 'rod' is missed by 0.64"
run 0 check --json "$source/tests/models/good/mass_singular.pf"
holds 'd["mass_matrix"] == {"rank": 1, "singular": True}'
run 0 check --json "$source/tests/models/good/start_undefined.pf"
holds 'd["start"]["violation"] is None and d["start"]["consistent"] is False'
run 0 check "$source/tests/models/good/start_undefined.pf"
says out "not consistent: 'a' is not defined there"

# The same keys after errors, and the errors with their places, in the order of the text.
run 1 check --json "$source/tests/models/bad/several_checked.pf"
holds "$keys <= set(d)"
holds 'd["model"] is None and d["rank"] is None'
holds '[x["line"] for x in d["diagnostics"]] == [3, 5, 5, 6, 7, 8]'
holds 'd["diagnostics"][0]["column"] == 11 and d["diagnostics"][0]["length"] == 7'
holds 'd["diagnostics"][0]["severity"] == "error" and d["diagnostics"][0]["hint"] == "did you mean [kg s]?"'
run 1 check --json "$source/tests/models/bad/constraint_contradiction_positions.pf"
holds "$keys <= set(d)"
holds 'len(d["coordinates"]) == 2 and d["rank"] is None and d["diagnostics"][0]["line"] == 5'
run 1 check --json "$place/missing.pf"
holds 'd["diagnostics"][0]["line"] == 0 and d["diagnostics"][0]["file"] is None'
run 1 check "$source/tests/models/bad/many.pf"
[ "$(grep -c ' error: ' "$place/err")" = 20 ] || fail "more or fewer than 20 errors"
says err "too many errors"

# Parameters from the command line; -p F=20 loses nothing at the start.
run 0 check --json -p L=0.3 "$examples/skates/snakeboard.pf"
holds 'd["rank"] == 2'

# A forgotten apostrophe is allowed, since it may be meant, but not without a word.
printf '%s\n' "coord x, y" "kinetic x'^2/2 + y^2/2" "force y = 1" >"$place/model.pf"
run 0 check "$place/model.pf"
says err "model.pf:1:10: warning: the kinetic energy contains 'y' but not its velocity: 'y' has no inertia"
says err "is an apostrophe missing? The velocity is written y'"

# What 'run' asks for must exist, also where nothing is run.
for settings in "by dopri6|there is no method 'dopri6'" "{ setp = 1 }|'run' does not know the setting 'setp'" \
  "{ step = 0 }|'step' must be positive, not 0" "{ rtol = 1 - 2 }|'rtol' must be positive, not -1" \
  "by rattle { rho = 2 }|'rho' must be between 0 and 1, not 2" "{ formulation = magi }|there is no formulation 'magi'" \
  "{ formulation = 3 }|'formulation' needs a name"; do
  printf '%s\n' "coord x" "kinetic x'^2/2" "run 1 ${settings%%|*}" >"$place/model.pf"
  for command in check run; do
    run 1 $command "$place/model.pf"
    says err "error: ${settings#*|}"
  done
done

# Every example is in order.
for model in "$examples"/*/*.pf; do
  run 0 check "$model"
  says_nothing err
done
finish
