#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong usage: exit code 2, what is wrong, and what would be right.
set -u
. "$(dirname "$0")/common.sh"
model=$source/examples/skates/snakeboard.pf

run 2
says err "usage: pfaff COMMAND"
says_nothing out
run 0 --help
says out "usage: pfaff COMMAND"
says_nothing err
run 0 --version
says out "pfaff "
for command in examples new; do
  run 0 $command --help
  says out "usage: pfaff $command"
  run 2 $command --nonsense
  says err "unknown option --nonsense"
  run 2 $command -p m=1
  says err "does not take -p"
done
for command in check derive fmt; do
  run 0 $command --help
  says out "usage: pfaff $command"
  says_nothing err
  run 0 help $command --
  run 0 help $command
  says out "usage: pfaff $command"
  run 2 $command
  says err "a file is missing"
  run 2 $command "$model" "$model"
  says err "one file at a time"
  run 2 $command --nonsense "$model"
  says err "unknown option --nonsense"
  says_nothing out
done

run 2 chekc "$model"
says err "there is no command 'chekc'"
says err "did you mean 'check'?"
run 2 xyzzy
says err "there is no command 'xyzzy'"
run 2 simulate model.pf
says err "it is called 'pfaff run' here"
run 2 study stability model.pf
says err "'pfaff study linearize' tells it"
run 2 check --jsno "$model"
says err "did you mean --json?"
run 2 derive --latexx "$model"
says err "did you mean --latex?"
run 2 fmt --json "$model"
says err "does not take --json"
run 2 check --latex "$model"
says err "does not take --latex"
run 2 derive --form newton "$model"
says err "newton"
run 2 check "$model" -p
says err "a value is missing after -p"

# What has one value is given once; flags and what may be repeated are not counted.
run 2 run --for 1 --out "$place/a.csv" -o "$place/b.csv" "$model"
says err "--out was given twice"
says_nothing out
run 2 run --for 1 --for=1 "$model"
says err "--for was given twice"
run 0 run --json --json --for 0.1 -p m=7 -p J=2 "$model"
run 2 run --for 0.1 -p m=7 -p m=8 "$model"
says err "-p m=8: 'm' is given twice"
run 2 run --for 0.1 --state x=1 --state x=2 "$model"
says err "--state x=2: a second value"
echo "coord x; kinetic x'^2/2; run 1" >"$place/step.pf"
run 2 run --by rk4 "$place/step.pf"
says err "--step 1e-3"

# A name is one line of the summary, whatever is in it.
newline=$(printf 'a\nb')
run 0 run --for 0.1 --out "$place/$newline.csv" "$model"
says out "$place/a\x0ab.csv"

cp "$model" "$place/$newline.urdf"
run 1 import "$place/$newline.urdf"
says err "$place/a\x0ab.urdf"

# The name of a file stands for a model without a name, in one line.
sed '/^model/d' "$source/examples/wheels/cart.pf" >"$place/$newline.pf"
for command in check derive eval compare "run --for 1" "study linearize" "study integrability" "study invariants" \
  "study measure" "converge --for 1"; do
  run 0 $command "$place/$newline.pf"
  says out "$place/a\x0ab.pf"
done
run 0 plot --out "$place/title.svg" "$place/$newline.pf"
grep -qF "$place/a\x0ab.pf</text>" "$place/title.svg" || fail "the title of a picture is one line"

# Slips of the hand: what was meant.
run 2 run --for 5s "$model"
says err "write 5 [s] for the unit"
run 2 check -p m=5kg "$model"
says err "write 5 [kg] for the unit"
run 2 check -p m=2x "$model"
says err "write 2*x for the product"
for command in run derive eval plot converge; do
  run 2 $command --form lagrang "$model"
  says err "did you mean 'lagrange'?"
  run 2 $command --form elimnation "$model"
  [ $command = derive ] || says err "did you mean 'elimination'?"
done
run 2 eval --form nothing "$model"
says err "recursive, auto"
for option in --show --by --form --out --at; do
  run 2 run $option "" "$model"
  says err "a value is missing after $option"
  run 2 run $option=" " "$model"
  says err "a value is missing after $option"
done
run 2 run --r 1 "$model"
says err "--r may be one of --rtol, --rho, --real-time, --rate"
run 2 run --show "violation[conact]" "$source/examples/balls-and-discs/leaning_disc.pf"
says err "did you mean violation[contact]?"
run 2 run --show "lambda[conact]" "$source/examples/balls-and-discs/leaning_disc.pf"
says err "did you mean lambda[contact."
{ grep -v '^run' "$model"; echo 'run 1 { formulation lagrang }'; } >"$place/slip.pf"
run 1 run "$place/slip.pf"
says err "did you mean 'lagrange'?"

run 2 check -p m "$model"
says err "write name=value"
run 2 check -p mm=3 "$model"
says err "the model has no parameter 'mm'"
says err "did you mean 'm'?"
cat >"$place/lets.pf" <<'MODEL'
param m = 1 [kg], tau[3] = list(1, 2, 3)
let N = 3, c = m*2, twice = 2*c, fast = x'*2
coord x [m], y[N] [m]
kinetic m/2*x'^2 + sum(i in 1..N, m*y[i]'^2)/2
force x = tau[1] + 10*tau[2] + 100*tau[3]
run 1
MODEL
run 2 check -p N=4 "$place/lets.pf"
says err "'N' is a constant of the text, by 'let': change it there, or write 'param'"
run 2 check -p twice=4 "$place/lets.pf"
says err "'twice' is defined by 'let' and follows from m: set these, as -p m="
run 2 check -p fast=4 "$place/lets.pf"
says err "'fast' is defined by 'let' and follows from the motion alone"
run 2 check -p x=4 "$place/lets.pf"
says err "'x' is a coordinate: --state x="
run 2 check -p tau=4,5 "$place/lets.pf"
says err "'tau' is a list of 3, and these are 2 values"
# F = m x'': one value for all, then one for each
run 0 run --at 0 --show "x''" -p tau=2 "$place/lets.pf"
says out "222"
run 0 run --at 0 --show "x''" -p "tau=4,5,2*3" "$place/lets.pf"
says out "654"
run 2 check -p tau=1 -p "tau[2]=3" "$place/lets.pf"
says err "'tau[2]' is given twice"
run 2 check -p m=heavy "$model"
says err "'heavy' is not defined"
run 2 check -p m=1e999 "$model"
says err "the number 1e999 is too large"
run 2 check -p m= "$model"
says err "a value is missing"
run 0 check -p m=7 --param J=2 "$model"
run 1 check -p m=-7 "$model"
says err "the kinetic energy is negative"
finish
