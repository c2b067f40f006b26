#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What 'pfaff plot' promises.
. "$2/tests/cli/common.sh"

run 0 plot "$source/examples/skates/snakeboard.pf"
says out "theta [rad]"
says out "t [s]"
run 0 plot --show "x,y;theta" "$source/examples/skates/snakeboard.pf"
says out "* theta [rad]"
run 2 plot --show "x,zeta" "$source/examples/skates/snakeboard.pf"
says err "'zeta' is not defined"
run 2 plot --log --show violation_position "$source/examples/skates/snakeboard.pf"
says err "all numbers of 'violation_position' are zero"
run 2 plot --out "$place/x.gif" "$source/examples/skates/snakeboard.pf"
says err "must end in .svg, .png or .pdf"

# draws <words>: the last picture is XML and contains the words
draws() {
  grep -qF -e "$1" "$place/x.svg" || fail "$last: '$1' is not in the picture"
  python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$place/x.svg" || fail "$last: not XML"
}

# Pictures: palette, labels with units, a logarithmic axis.
run 0 plot --show "x,y;theta" --out "$place/x.svg" "$source/examples/skates/snakeboard.pf"
says_nothing err
draws "#0072B2"
draws "<tspan font-style=\"italic\">θ</tspan> [rad]</text>"
draws "<tspan font-style=\"italic\">t</tspan> [s]</text>"
draws "Snakeboard with sprung wheels"
run 0 plot --out "$place/x.svg" --show y --against x "$source/examples/balls-and-discs/ball_in_bowl.pf"
draws "<tspan font-style=\"italic\">x</tspan> [m]</text>"
run 0 plot --out "$place/x.svg" --log --show "kinetic" "$source/examples/skates/snakeboard.pf"
draws "10<tspan dy="

# Nothing in a file or in a name is a command.
mkdir "$place/empty"
cd "$place/empty" || exit 1
printf 't [s],`touch P` [m]\n0,1\n1,2\n' >a.csv
run 0 plot --out "$place/x.svg" a.csv
draws '`touch P`'
printf 't [s],x [m" ; system("touch P") #]\n0,1\n1,2\n' >a.csv
run 0 plot --out "$place/x.svg" a.csv
run 0 plot --out '`touch P`.svg' "$source/examples/skates/snakeboard.pf"
[ -s '`touch P`.svg' ] || fail "$last: no picture"
[ ! -e P ] || fail "$last: a command in a name was executed"
cd "$source" || exit 1

# Extremes are those of the run: x = sin(t) over 3000 periods with rows left out; and
# a multiplier that changes fast, as the file of the run has it.
printf 'coord x\nkinetic x%s^2/2\npotential x^2/2\nstart x%s = 1\nrun 20000 by dop853\n' "'" "'" >"$place/fast.pf"
run 0 plot --show x "$place/fast.pf"
says out "         1 |"
says out "        -1 |"
run 0 run --show "lambda[rear]" --out "$place/x.csv" "$source/examples/skates/snakeboard.pf"
most=$(sed 1d "$place/x.csv" | awk -F, 'NR == 1 || $2 > most { most = $2 } END { printf "%.4g", most }')
run 0 plot --show "lambda[rear]" "$source/examples/skates/snakeboard.pf"
says out "$most |"

# Events as 'run' has them: x = t until it is locked at t = 1. In what else moves they are left out, which is said.
cat >"$place/locked.pf" <<'END'
coord x
kinetic x'^2/2
start x' = 1
when t = 1 { lock x }
run 2
END
run 0 plot --show "x,x'" "$place/locked.pf"
says_nothing err
run 0 run --every 0.01 --out "$place/locked.csv" "$place/locked.pf"
sed 1d "$place/locked.csv" | tr , ' ' |
  awk '{ miss = $2 - ($1 < 1 ? $1 : 1); if (miss*miss > 1e-16) bad++; last = $1 } END { exit bad > 0 || last != 2 }' ||
  fail "$last: x is not min(t, 1)"
left_out="events are left out: shown is the model as it is at the start"
for command in "converge --by rk4" "study linearize --at 1" "study invariants" "compare"; do
  # shellcheck disable=SC2086
  run 0 $command "$place/locked.pf"
  says err "$left_out"
done
run 0 converge --by rk4 "$source/examples/skates/snakeboard.pf"
says_nothing err

# A trajectory file, with its units.
run 0 run --every 0.1 --out "$place/x.csv" "$source/examples/skates/snakeboard.pf"
run 0 plot --show "lambda[rear],x'" "$place/x.csv"
says out "+ x' [m/s]"

# Several trajectories: by file, by method, and their difference. x = t and x = t + 1 differ by 1, at any times.
printf 't [s],x [m],y\n0,0,1\n1,1,2\n2,2,3\n3,3,4\n' >"$place/one.csv"
printf 't [s],x [m],z\n0,1,1\n0.7,1.7,2\n1.3,2.3,3\n2.5,3.5,4\n' >"$place/two.csv"
run 0 plot --show x "$place/one.csv" "$place/two.csv"
says out "* x [m] one.csv  + x [m] two.csv"
run 0 plot --show x,z --out "$place/x.svg" "$place/one.csv" "$place/two.csv"
draws ">one.csv</text>"
draws ">two.csv</text>"
run 0 plot --minus "$place/two.csv" "$place/one.csv"
says out "difference to two.csv, interpolated by cubics"
says out "* x [m]"
says out "-0.9 |"
says out "-1.1 |"
run 0 plot --minus "$place/two.csv" --out "$place/x.svg" "$place/one.csv"
draws "one.csv − two.csv (interpolated by cubics)"
run 2 plot --minus "$place/two.csv" --show y "$place/one.csv"
says err "no column 'y'"
printf 't [s],x [rad]\n0,1\n1,2\n' >"$place/other.csv"
run 1 plot --minus "$place/other.csv" "$place/one.csv"
says err "'x' is in 'm' and in 'rad'"
run 1 plot "$place/one.csv" "$place/other.csv"
says err "'x' is in 'm' in one.csv and in 'rad' in other.csv"
run 0 plot --show y "$place/one.csv" "$place/other.csv"
# Units of one dimension are made one: x = t, in mm over ms.
printf 't [ms],x [mm]\n0,0\n1000,1000\n2000,2000\n3000,3000\n' >"$place/small.csv"
run 0 plot --show x "$place/one.csv" "$place/small.csv"
says out "* x [m] one.csv  + x [m] small.csv"
says out "          3 |"
says out "t [s]"
run 0 plot --minus "$place/small.csv" --show x "$place/one.csv"
says out "          1 |" # all zero
run 0 plot --minus "$place/one.csv" --show x "$place/small.csv"
says out "* x [mm]"
says out "          1 |"
for unit in m mm; do
  printf "coord x [%s]\nkinetic 1/2*(1 [kg])*x'^2\nstart x' = 1 [m/s]\nrun 3\n" $unit >"$place/in_$unit.pf"
done
run 0 plot --show x "$place/in_m.pf" "$place/in_mm.pf"
says out "+ x [m] in_mm.pf"
says out "          3 |"
run 0 plot --minus "$place/small.csv" --show x "$place/in_m.pf"
grep -qx "difference to small.csv" "$place/out" || fail "$last: not at the rows of the table"
grep -q -e "[0-9]e-1[5-9] |" "$place/out" || fail "$last: more than rounding"
# b is 0 before its jump and 5 after it, a is 0 and 4, at times between: no row of b beyond the jump is looked at.
printf 't [s],x [m]\n0,0\n0.5,0\n1,0\n1,5\n1.5,5\n2,5\n' >"$place/jump.csv"
printf 't [s],x [m]\n0,0\n0.75,0\n0.875,0\n1.125,4\n1.25,4\n2,4\n' >"$place/jumped.csv"
run 0 plot --minus "$place/jump.csv" "$place/jumped.csv"
says out "          0 |"
says out "         -1 |"
# Where only b jumps both its sides are subtracted: 0 - 0 and 0 - 5.
printf 't [s],x [m]\n0,0\n1,0\n' >"$place/until.csv"
run 0 plot --minus "$place/jump.csv" "$place/until.csv"
says out "         -5 |"
# A model is compared with its own table, through its event, at the rows of the table.
run 0 plot --minus "$place/locked.csv" --show "x,x'" "$place/locked.pf"
says out "difference to locked.csv"
says out "          1 |"
grep -q interpolated "$place/out" && fail "$last: interpolated"
# Steps of one length are compared where they end: of x'' = -x two steps of 0.5 by rk4 give
# (1 - h^2/2 + h^4/24)^2 - (h - h^3/6)^2, which is 2.861e-4 more than cos 1.
printf "coord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1\nrun 1\n" >"$place/step.pf"
run 0 plot --by rk4 --step 0.5 --minus dop853 --show x "$place/step.pf"
says out "  0.0002861 |"
[ "$(tr -cd '*' <"$place/out" | wc -c)" = 4 ] || fail "$last: not three points" # and the legend
run 0 plot --by dop853 --step 0.5 --minus rk4 --show x "$place/step.pf"
says out " -0.0002861 |"
[ "$(tr -cd '*' <"$place/out" | wc -c)" = 4 ] || fail "$last: not three points"
printf 't [s],x\n0,1\n0.2,1\n0.5,1\n' >"$place/step.csv"
run 0 plot --by rk4 --step 0.5 --minus "$place/step.csv" --show x "$place/step.pf"
says out "difference to step.csv, interpolated"
# Two methods find an event at times that differ by rounding: a velocity of 1 that ends there differs by rounding, too.
printf "coord x\nkinetic x'^2/2\nstart x' = 1\nwhen x > 0.3 { lock x }\nrun 1\n" >"$place/stop.pf"
run 0 plot --by rk4 --step 0.05 --minus dop853 --show "x'" "$place/stop.pf"
grep -q -e "[0-9]e-1[4-9] |" -e "^          1 |" "$place/out" || fail "$last: more than rounding"
grep -q "^         -1 |" "$place/out" || ! grep -q "^          1 |" "$place/out" || fail "$last: a jump"
run 1 plot --minus rk5 "$place/step.pf"
says err "did you mean the method 'rk4'?"
printf 't [s],velocity\n0,1\n1,2\n' >"$place/near.csv"
run 2 plot --show velocty "$place/near.csv"
says err "did you mean 'velocity'?"
run 2 plot --show a "$place/near.csv"
grep -q "did you mean" "$place/err" && fail "$last: a hint that helps nobody"
printf 't [s],x [m]\n10,1\n11,2\n' >"$place/other.csv"
run 2 plot --minus "$place/other.csv" "$place/one.csv"
says err "no times in common"
run 0 plot --by dopri5,rk4 --step 0.01 --show x --out "$place/x.svg" "$source/examples/wheels/unicycle.pf"
draws ">dopri5</text>"
draws ">rk4</text>"
run 0 plot --by dopri5 --minus dopri5 --show x "$source/examples/wheels/unicycle.pf"
says out "difference to dopri5"
run 2 plot --by dopri5,nope "$source/examples/wheels/unicycle.pf"
says err "nope"
for command in "plot" "converge --for 0.1"; do # one reader of lists
  for list in "," "rk4," ",rk4" "rk4,,dopri5"; do
    # shellcheck disable=SC2086
    run 2 $command --by "$list" "$source/examples/classics/cart_pendulum.pf"
    says err "--by: a method is missing in '$list'"
  done
  # shellcheck disable=SC2086
  run 2 $command --by rk4,dopry5 "$source/examples/classics/cart_pendulum.pf"
  says err "did you mean 'dopri5'?"
done
# A name without brackets stands for all that have it.
run 0 plot --show lambda "$source/examples/skates/snakeboard.pf"
says out "lambda[rear]"
says out "lambda[front]"
run 0 plot --log --no-projection --by dopri5 --show violation "$source/examples/balls-and-discs/ball_in_bowl.pf"
says out "violation"

# CSV as other programs write it: a mark at the beginning, CR LF, quotes, blanks, gaps, infinities, comments.
printf '\357\273\277# made by hand\r\n"t [s]" , "a ""b"", c [m]"\r\n0 , 1\r\n\r\n1,nan\r\n2,\r\n3,-inf\r\n"4","1.5"' >"$place/odd.csv"
run 0 plot "$place/odd.csv"
says out '* a "b", c [m]'
says out "1.5 |"
# What is not CSV is refused by line.
refuses() {
  printf "$1" >"$place/bad.csv"
  run 1 plot "$place/bad.csv"
  says err "$2"
}
refuses 't;x\n0;1\n1;2\n' "separated by semicolons"
refuses 't,x\n0,1\n1,2,3\n' "bad.csv:3: more columns"
refuses 't,x\n0,1\n1\n' "bad.csv:3: fewer columns"
refuses 't,x\n0,1\n1,two\n' "bad.csv:3: 'two' is not a number"
refuses 't,x\n0,1\n1,0x10\n' "bad.csv:3: '0x10' is not a decimal number"
refuses 't,x\n0,"1\n1,2\n' "bad.csv:2: a quoted field does not end"
refuses 't,x\n0,"1"2\n' "bad.csv:2: a comma is missing"
refuses 't,x\n0,1\n' "holds no trajectory"
refuses '' "holds no trajectory"
refuses 't,x\n0,1\0\n' "is not a text file"
# Control characters of a file do not reach the terminal.
printf 't [s],a\033[31mb [\033]0;x\007]\n0,1\n1,2\n' >"$place/escape.csv"
run 0 plot "$place/escape.csv"
[ "$(tr -d '[:print:]\n' <"$place/out" | LC_ALL=C tr -d '\200-\377' | wc -c)" = 0 ] || fail "$last: control characters"
run 0 plot --out "$place/x.svg" "$place/escape.csv"
draws "a�[31mb"

# A constant is a flat line, also 1e-17 and the rounding beside numbers of the size of 1; zeros have no logarithm.
printf 't [s],x [m],y [m]\n0,1e-17,1\n1,-3e-17,2\n2,2e-17,3\n' >"$place/flat.csv"
run 0 plot --show x "$place/flat.csv"
says out "         1 |"
says out "        -1 |"
[ "$(grep -c '\*' "$place/out")" = 2 ] || fail "$last: not flat" # the legend and one line

# A name that is too long is cut, its unit is not; numbers of many digits are fewer.
long=$(printf 'a%.0s' $(seq 120))
printf 't [s],%s [m/s^2]\n1000.001,1\n1000.0042,2\n' "$long" >"$place/long.csv"
run 0 plot --out "$place/x.svg" "$place/long.csv"
grep -q 'aaa… \[m/s<tspan' "$place/x.svg" || fail "$last: the unit is cut"
python3 - "$place/x.svg" <<'END' || fail "$last: numbers touch each other"
import re, sys
at = [(float(x), len(t)) for x, t in re.findall(r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">([^<]*)<', open(sys.argv[1]).read())]
sys.exit(not (len(at) > 1 and all(b[0] - a[0] > 8*b[1] + 8 for a, b in zip(at, at[1:]))))
END

# What has no point is left out, which is said: not that it is zero.
printf 't [s],x,y,z,w\n0,nan,inf,1,0\n1,nan,-inf,2,0\n2,,inf,3,0\n' >"$place/gaps.csv"
for log in "" --log; do
  # shellcheck disable=SC2086
  run 0 plot $log --show x,y,z "$place/gaps.csv"
  says err "warning: 'x' over 't' is left out: there is no point with two finite numbers"
  says err "warning: 'y' over 't' is left out"
  [ "$(wc -l <"$place/err")" = 2 ] || fail "$last: more than two warnings"
  run 0 plot $log --show x --out "$place/x.svg" "$place/gaps.csv"
  says err "'x' over 't' is left out"
done
run 0 plot --log --show z,w "$place/gaps.csv"
says err "'w' over 't' is left out: all its numbers are zero"

# As PNG and PDF where librsvg is there; else it is said how to get them.
for kind in png pdf; do
  if "$program" plot --out "$place/x.$kind" "$place/x.csv" 2>"$place/err"; then
    case $kind-$(head -c 4 "$place/x.$kind" | tail -c 3) in
      png-PNG | pdf-PDF) ;;
      *) fail "plot --out x.$kind: not a $kind file" ;;
    esac
  else
    says err "librsvg"
    says err "x.svg and convert it"
  fi
done
run 1 plot --out /no/such/folder/x.svg "$place/x.csv"
says err "cannot write"
# A unit that a column of a file does not have, and columns that are left out.
printf 't [s],x [m]\n0,1\n1,2\n' >"$place/unit.csv"
run 2 plot --show "x [mm]" "$place/unit.csv"
says err "the column 'x' has the unit m"
run 0 plot --show "x [m]" "$place/unit.csv"
run 0 run --for 0.01 --out "$place/many.csv" "$source/examples/spacecraft/spacecraft.pf"
run 0 plot "$place/many.csv"
says err "only 12 of"

# Several models have one title each; a file that is given again, and files of one name, are told apart.
examples=$source/examples
run 0 plot --for 1 --out "$place/x.svg" "$examples/wheels/unicycle.pf" "$examples/skates/chaplygin_sleigh.pf"
draws "Upright rolling wheel, driven and steered; Chaplygin sleigh</text>"
run 0 plot --for 1 --out "$place/x.svg" "$examples/wheels/unicycle.pf" "$examples/wheels/unicycle.pf"
draws ">unicycle.pf (2)</text>"
run 0 run --for 1 --out "$place/a.csv" "$examples/wheels/unicycle.pf"
mkdir "$place/other"
cp "$place/a.csv" "$place/other/a.csv"
run 0 plot --show x "$place/a.csv" "$place/other/a.csv" "$place/a.csv"
says out "x [m] $place/other/a.csv"
says out "x [m] $place/a.csv (2)"
run 0 plot --by rk4,dopri5 --step 0.05 --for 1 "$examples/wheels/unicycle.pf" "$examples/wheels/unicycle.pf"
says out "x [m] dopri5, unicycle.pf (2)"

# What nobody asked to be in one frame has an axis with one unit.
run 0 plot --out "$place/x.svg" "$examples/spacecraft/spacecraft.pf"
says_nothing err
[ "$(grep -c 'rotate(-90' "$place/x.svg")" = 3 ] || fail "$last: not one panel per unit"
run 0 plot --for 1 --show "x,theta" --out "$place/x.svg" "$examples/skates/snakeboard.pf"
[ "$(grep -c 'rotate(-90' "$place/x.svg")" = 0 ] || fail "$last: an axis of two units has a name"

# Differences: their names, each run with its own model, by its own method.
run 0 plot --by rk4,dopri5 --for 1 --minus dop853 --out "$place/x.svg" "$examples/skates/snakeboard.pf"
draws "Snakeboard with sprung wheels: difference to dop853</text>"
draws ">Δ<tspan font-style=\"italic\">θ</tspan> [rad]</text>"
run 0 plot --by rk4,dopri5 --step 0.05 --for 1 --minus "$examples/skates/snakeboard_bodies.pf" --out "$place/x.svg" "$examples/skates/snakeboard.pf"
draws "difference to snakeboard_bodies.pf</text>"
run 0 plot --by dop853 --for 1 --minus dop853 --show x "$examples/wheels/unicycle.pf" "$examples/skates/chaplygin_sleigh.pf"
says out "          1 |"
says out "         -1 |"
run 2 plot --minus dop853 "$place/a.csv"
says err "is a trajectory, and there is no model to be run by dop853"
run 2 plot --by rk4,dopri5 --for 1 --minus "$examples/wheels/unicycle.pf" "$place/a.csv"
says err "name one method"

# What it does not read is said in words.
for kind in json mat; do
  run 0 run --for 1 --out "$place/a.$kind" "$examples/wheels/unicycle.pf"
  run 2 plot "$place/a.$kind"
  says err "plot reads models and trajectories in CSV, no .$kind files"
  run 2 plot --minus "$place/a.$kind" "$place/a.csv"
  says err "plot reads models and trajectories in CSV, no .$kind files"
done

# Curves of studies are drawn over the first of their quantities, not over their number.
printf 'curve,x [m],y [m]\n1,0,0\n1,1,1\n2,5,5\n2,6,6\n' >"$place/curves.csv"
run 0 plot --out "$place/x.svg" "$place/curves.csv"
draws "<tspan font-style=\"italic\">x</tspan> [m]</text>"
[ "$(grep -o '<path d="M[^"]*" fill="none" stroke="#0072B2"' "$place/x.svg" | grep -o M | grep -c .)" = 2 ] || fail "$last: not two lines"
run 0 study poincare --section x=0 --show "y,y'" --for 60 --out "$place/p.csv" "$examples/classics/henon_heiles.pf"
run 0 plot --out "$place/x.svg" "$place/p.csv"
draws "<circle"
draws "<tspan font-style=\"italic\">y</tspan>′</text>"
run 0 study continue n2=11..13 --out "$place/c.csv" "$examples/wheels/carriage_steady.pf"
run 0 plot "$place/c.csv"
says out "nu[3] [rad/s]"
says out "n2 [rad/s]"
run 2 plot --minus "$place/p.csv" "$place/a.csv"
says err "curves of a study have no common time"
run 0 study steady --out "$place/s.csv" "$examples/wheels/carriage_omni3.pf"
run 1 plot "$place/s.csv"
says err "is not a number"
says err "columns of numbers"
# Of several methods each takes the options that are its own; what none of them knows is refused.
run 0 plot --by rattle,dop853 --rho 0.8 --rtol 1e-6 --step 0.01 --for 0.1 --out "$place/own.svg" "$source/examples/skates/snakeboard.pf"
run 0 plot --by rattle --minus dop853 --rho 0.8 --step 0.01 --for 0.1 --out "$place/own.svg" "$source/examples/skates/snakeboard.pf"
run 2 plot --by dopri5,dop853 --rho 0.8 --for 0.1 --out "$place/own.svg" "$source/examples/skates/snakeboard.pf"
says err "--rho belongs to the alpha methods"

run 0 plot --show "x + 2 [m]" --against "3*y + 1 [m]" --for 0.1 --out "$place/own.svg" "$source/examples/skates/snakeboard.pf"

finish
