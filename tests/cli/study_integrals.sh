#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff study integrability and invariants, and pfaff run --invariants: the examples of docs/analysis.md.
set -u
. "$(dirname "$0")/common.sh"
examples=$source/examples

# Without FLINT formulas are not in their shortest form.
run 0 study invariants "$examples/skates/chaplygin_sleigh.pf"
grep -q "normal form" "$place/out" && short=yes || short=no
says_short() { [ "$short" = no ] || says "$@"; }

run 0 study integrability "$examples/wheels/omni_robot.pf"
says out "growth vector         (3, 5)"
says out "degree of nonholonomy 2"
says out "holonomic             1 of 3 independent constraints"
says_short out "3*L*theta + r*(psi[1] + psi[2] + psi[3]) = const"
says out "from wheel[1] + wheel[2] + wheel[3]"
says out "motions stay on surfaces of dimension 5"

run 0 study integrability "$examples/wheels/carriage_mecanum.pf"
says out "chi[1] + chi[2] - chi[3] - chi[4] = const"
says out "from wheel[1] + wheel[2] - wheel[3] - wheel[4]"
says out "for these values of the parameters"

run 0 study integrability --json "$examples/wheels/car_trailer.pf"
says_nothing err
holds 'd["generic"] == {"growth_vector": [2, 3, 4, 5], "complete": True, "exact": True, "why_not": None}'
holds 'd["given"]["growth_vector"] == [2, 3, 4, 5] and d["given"]["exact"]'
holds 'd["fills_space"] is True and d["holonomic"] == 0 and d["integrals"] == []'
holds 'len(d["fields"]) == 2 and all(len(f) == len(d["space"]) == 5 for f in d["fields"])'

run 0 study integrability --json --state psi=0.123456789012 "$examples/wheels/car_trailer.pf"
holds 'd["given"]["growth_vector"] == [2, 3, 4, 5] and not d["given"]["exact"]'

run 0 study integrability "$examples/wheels/car.pf"
says_short out "x' = cos(theta), y' = sin(theta), theta' = 5*tan(phi)/13"
says out "growth vector         (2, 3, 4)"
says out "fill the space (Chow)"

run 1 study integrability "$examples/classics/appell_hamel.pf"
says err "not linear in the velocities"

run 0 study invariants -p c1=0 -p c2=0 "$examples/wheels/carriage_omni3.pf"
says out "momentum along nu[3]"
says out "constant for all values of the parameters"
says_short out "chi[1] + chi[2] - theta*(delta[1] + delta[2])"
says out "with 0 for          c1, c2"

run 0 study invariants --json "$examples/wheels/omni_robot.pf"
says_nothing err
holds '[i["kind"] for i in d["invariants"]] == ["energy", "quadratic", "holonomic"]'
[ "$short" = no ] || holds 'd["invariants"][2]["value"] == "3*L*theta + r*(psi[1] + psi[2] + psi[3])"'
holds 'all(i["for_all_parameters"] for i in d["invariants"][::2]) and d["why_not"] is None'

printf "coord x\\nkinetic x'^2/2\\nforce x = -x - x'\\n" >"$place/damped.pf"
run 0 study invariants "$place/damped.pf"
says out "no conserved quantity"

# With a constant torque a rotation has its own energy. Decimals by -p are the same as in the text.
run 0 study invariants "$examples/wheels/cart.pf"
says_short out "T*theta - J*theta'^2/2"
run 0 study invariants --json "$examples/wheels/piano_wheel.pf"
mv "$place/out" "$place/as_written"
run 0 study invariants --json -p D=0.03 -p J1=0.002 -p "R=5 [cm]" "$examples/wheels/piano_wheel.pf"
cmp -s "$place/out" "$place/as_written" || fail "decimals by -p change the result"
run 0 study invariants "$examples/classics/incline_friction.pf"
says out "nothing was looked for"

run 0 study invariants --out "$place/drift.svg" "$examples/skates/chaplygin_sleigh.pf"
grep -q "change relative to the start" "$place/drift.svg" || fail "no picture"
run 2 study invariants --out "$place/drift.gif" "$examples/skates/chaplygin_sleigh.pf"
says err "must end in .svg"
run 0 study integrability --out "$place/growth.svg" "$examples/wheels/car.pf"
grep -q "length of brackets" "$place/growth.svg" || fail "no picture"
run 2 study integrability --out "$place/growth.gif" "$examples/wheels/car.pf"
says err "must end in .svg"
run 1 study invariants --out "$place/none.svg" "$place/damped.pf"
says err "no conserved quantity to draw"

# The drifts of a run are small, at the scale of its tolerance.
run 0 run --invariants --rtol 1e-10 --json --every 5 -p Q=0 "$examples/wheels/omni_robot.pf"
holds 'len(d["invariants"]) == 6 and all(i["drift"] < 1e-9*max(1, abs(i["start"])) for i in d["invariants"])'
run 0 run --invariants -p c1=0 -p c2=0 "$examples/wheels/carriage_omni3.pf"
says out "momentum along nu[3] -0.01098125, changed by up to"

# Where something jumps, derivatives say nothing about the jump. An input that goes from 3 to 0 at t = 1: y = 3/4 there, so that
# the energy less its work, m*y'^2/2 - u*y, goes from 0 to 9/4.
cat >"$place/push.pf" <<'END'
param m = 2 [kg]
coord y [m]
input u [N] = if(t < 1, 3, 0)
kinetic m*y'^2/2
force y = u
run 2
END
run 0 study invariants "$place/push.pf"
says out "constant between switches, not across them, for all"
run 0 study invariants --json "$place/push.pf"
holds 'len(d["invariants"]) > 0 and all(i["between_switches"] for i in d["invariants"])'
run 0 run --invariants "$place/push.pf"
says out "changed by up to 2.2; constant between switches only"

# A potential that jumps takes the momentum with it, one that bends only does not: its energy stays, z' too.
energy_of() {
  printf "param k = 3, a = 1\ncoord x, z\nkinetic (x'^2 + z'^2)/2\npotential %s\nstart x = -1, x' = 2\nrun 3\n" "$1" >"$place/jumps.pf"
  run 0 study invariants --json "$place/jumps.pf"
}
for potential in "if(x < 0, 0, 1)" "sign(x - a)" "if(x < a, 0, k*x^2/2)" "if(t < 1, x^2, x^2 + 1)"; do
  energy_of "$potential"
  holds 'all(i["between_switches"] for i in d["invariants"])'
done
for potential in "if(x < a, 0, k*(x - a)^2/2)" "abs(x) + max(x, 1)" "sign(x)*x^2" "if(x < -1, (x + 1)^2, if(x > 1, (x - 1)^2, 0))" \
                 "if(k > 2, x^2, x)"; do
  energy_of "$potential"
  holds 'd["invariants"][0]["kind"] == "energy" and not any(i["between_switches"] for i in d["invariants"])'
done
# A force that jumps leaves velocities as they are.
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x = -0.1*sign(x')\nstart x' = 1, y' = 1\n" >"$place/dry.pf"
run 0 study invariants --json "$place/dry.pf"
holds '[(i["value"], i["between_switches"]) for i in d["invariants"]] == [("y'"'"'", False)]'

# A formula that doubles with each of 24 definitions, 2^24 letters and more: the text counts it and does not write it out;
# in JSON it is too long, and that is said.
{
  printf "coord x, y\nlet a0 = x + y\n"
  for i in $(seq 1 24); do printf 'let a%d = sin(a%d) + y*cos(a%d)\n' "$i" $((i - 1)) $((i - 1)); done
  printf "kinetic (x'^2 + y'^2)/2\npotential a24\n"
} >"$place/large.pf"
run 0 study invariants "$place/large.pf"
says out "words and signs; --json has it"
says_nothing err
run 0 study invariants --json "$place/large.pf"
holds 'd["invariants"][0]["value"] == "?" and d["diagnostics"][0]["code"] == "limit"'
# a constraint on one point of a free body: a candidate without an integral is left out
printf '%s\n' "body hub in ground free { mass 5, inertia diag(1, 2, 3), com (1, 0, 0) }" "point e in hub at (1, 0, 0.3)" "constraint b: vel(e).x = 0" >"$place/hub.pf"
run 0 study invariants "$place/hub.pf"
says out "momentum of hub.py"
run 0 study integrability "$place/hub.pf"

finish
