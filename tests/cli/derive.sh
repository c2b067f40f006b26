#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff derive: text, LaTeX, and the keys it promises to programs.
set -u
. "$(dirname "$0")/common.sh"
model=$source/examples/skates/snakeboard.pf

run 0 derive "$model"
says out "Mass matrix"
says out "Equations of motion"
says out "Constraints, differentiated"
says_nothing err

run 0 derive "$model" --json
says_nothing err
holds '{"form", "unknowns", "equations", "operations", "seconds"} <= set(d)'
holds 'd["form"] == "multipliers"'
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

# Without FLINT formulas are not in their shortest form.
run 0 study invariants "$source/examples/skates/chaplygin_sleigh.pf"
grep -q "normal form" "$place/out" && short=yes || short=no
says_short() { [ "$short" = no ] || says "$@"; }

# The forms of the piano wheel, the carriage and the differential drive, as people read them.
run 0 derive --form laconic "$source/examples/wheels/piano_wheel.pf"
says out "theta: J1*theta'' = D*F*sin(theta)"
says_short out "chi:   (J3 + m*R^2)*chi'' = F*R*cos(theta)"
run 0 derive --form laconic "$source/examples/wheels/differential_drive.pf"
says_short out "k*(2*lambda2 + 1)*nu2' = torque_at[1] - torque_at[2] + k*Delta*nu3^2/Lambda^2"
for form in multipliers rosenberg rosenberg_extended maggi laconic gibbs_appell kane chaplygin voronets boltzmann_hamel hamilton; do
  run 0 derive --form $form --json --steps "$source/examples/wheels/carriage_omni3.pf"
  holds "d['form'] == '$form' and len(d['equations']) >= 3"
done
run 0 derive --form lagrange --json "$source/examples/wheels/carriage_omni3.pf"
holds "d['form'] == 'multipliers'"

# Forms that do not exist for a model say why; numbers have other names for the same equations.
run 1 derive --form chaplygin "$source/examples/spacecraft/free_floating.pf"
says err "Chaplygin's equations need constraints that are homogeneous in the velocities"
says err "--form voronets holds for them too"
run 2 derive --form kane --independent theta "$model"
says err "'kane' has no independent accelerations to choose"
run 2 eval --form kane "$model"
says err "'kane' is a form of printed equations, pfaff derive --form kane, not a formulation"
says err "maggi and laconic are formulations with the same equations"
# Hamel's warning: the unicycle is right by theta and chi, and wrong by x and theta.
run 0 derive --form hamel_wrong --independent theta,chi --json "$source/examples/wheels/unicycle.pf"
holds 'd["diagnostics"] == [] and [e["rhs"] for e in d["equations"][-2:]] == ["0", "0"]'
run 0 derive --form hamel_wrong --independent x,theta --json "$source/examples/wheels/unicycle.pf"
holds 'len(d["diagnostics"]) == 1 and "wrong" in d["diagnostics"][0]["message"] and "0" not in [e["rhs"] for e in d["equations"][-2:]]'

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
# multipliers of named contacts are a letter with indices, whatever the names are made of
run 0 derive --latex "$source/examples/balls-and-discs/leaning_disc.pf"
says out '\lambda_{\mathrm{contact},\mathrm{roll}}'
if command -v python3 >/dev/null; then
  for model in leaning_disc wheel_in_shell capture snakeboard_bodies x2 incline_friction rover_arm hybrid_arm; do
    run 0 derive --latex "$(example "$model")"
    python3 "$source/tests/cli/latex_grammar.py" "$place/out" >"$place/why" || fail "$last: $(head -n 1 "$place/why")"
  done
fi

# conditions that are always met are not conditions, and factors that cannot vanish are left out
run 0 derive --form maggi "$source/examples/balls-and-discs/rolling_ball.pf"
if [ $short = yes ] && grep -q "not vanish" "$place/out"; then fail "$last: says that something must not vanish"; fi
run 0 derive --form rosenberg "$source/examples/balls-and-discs/leaning_disc.pf"
says out "where these do not vanish: cos(phi)"
run 0 derive --form rosenberg "$source/examples/classics/appell_hamel.pf"
says out "where these do not vanish: x'"

# quantities of the steps never take a name of the model, and have one name in all of them
printf '%s\n' "param p_x = 2" "coord x, y" "kinetic p_x*x'^2/2 + y'^2" "constraint c: y' = y*x'" >"$place/names.pf"
run 0 derive --form hamilton --steps "$place/names.pf"
says out "p_x2 = p_x*x'"
says out "x' = p_x2/p_x"
run 0 derive --form laconic --steps --latex "$place/names.pf"
says out '\left(p_{x,2} + p_{y} y\right)'
printf '%s\n' "coord x, y" "kinetic x'^2 + y'^2" "constraint one: x' = 1" "constraint two: y' = x" >"$place/names.pf"
run 1 derive --form maggi --matrices "$place/names.pf"
says err "the constraints leave none"
printf '%s\n' "param pow = 2, residual_x = 3" "coord x" "kinetic residual_x*x'^2/2" "potential pow*sin(x)^3" >"$place/names.pf"
run 1 derive --c "$place/names.pf"
says err "'residual_x' in C"
printf '%s\n' "param pow = 2" "coord x" "kinetic x'^2/2" "potential pow*sin(x)^3" >"$place/names.pf"
run 0 derive --c "$place/names.pf"
says out "pow_*pow(sin(x), 2)"

finish
