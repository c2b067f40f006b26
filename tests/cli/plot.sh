#!/bin/sh
# What 'pfaff plot' promises.
. "$2/tests/cli/common.sh"

run 0 plot "$source/examples/snakeboard.pf"
says out "theta [rad]"
says out "t [s]"
run 0 plot --show "x,y;theta" "$source/examples/snakeboard.pf"
says out "* theta [rad]"
run 2 plot --show "x,zeta" "$source/examples/snakeboard.pf"
says err "no column 'zeta'"
run 2 plot --log --show violation_position "$source/examples/snakeboard.pf"
says err "all numbers of 'violation_position' are zero"
run 2 plot --out "$place/x.gif" "$source/examples/snakeboard.pf"
says err "must end in .svg, .png or .pdf"

# draws <words>: the last picture is XML and contains the words
draws() {
  grep -qF -e "$1" "$place/x.svg" || fail "$last: '$1' is not in the picture"
  python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' "$place/x.svg" || fail "$last: not XML"
}

# Pictures: palette, labels with units, a logarithmic axis.
run 0 plot --show "x,y;theta" --out "$place/x.svg" "$source/examples/snakeboard.pf"
says_nothing err
draws "#0072B2"
draws "<tspan font-style=\"italic\">θ</tspan> [rad]</text>"
draws "<tspan font-style=\"italic\">t</tspan> [s]</text>"
draws "Snakeboard with sprung wheels"
run 0 plot --out "$place/x.svg" --show y --against x "$source/examples/ball_in_bowl.pf"
draws "<tspan font-style=\"italic\">x</tspan> [m]</text>"
run 0 plot --out "$place/x.svg" --log --show "kinetic" "$source/examples/snakeboard.pf"
draws "10<tspan dy="

# Nothing in a file or in a name is a command.
mkdir "$place/empty"
cd "$place/empty" || exit 1
printf 't [s],`touch P` [m]\n0,1\n1,2\n' >a.csv
run 0 plot --out "$place/x.svg" a.csv
draws '`touch P`'
printf 't [s],x [m" ; system("touch P") #]\n0,1\n1,2\n' >a.csv
run 0 plot --out "$place/x.svg" a.csv
run 0 plot --out '`touch P`.svg' "$source/examples/snakeboard.pf"
[ -s '`touch P`.svg' ] || fail "$last: no picture"
[ ! -e P ] || fail "$last: a command in a name was executed"
cd "$source" || exit 1

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
for command in "converge --by rk4" "study portrait --show x,x' --starts 2" "study poincare --section t=1 --show x,x'" \
               "study linearize --at 1" "study invariants" "compare"; do
  # shellcheck disable=SC2086
  run 0 $command "$place/locked.pf"
  says err "$left_out"
done
run 0 converge --by rk4 "$source/examples/snakeboard.pf"
says_nothing err

# A trajectory file, with its units.
run 0 run --every 0.1 --out "$place/x.csv" "$source/examples/snakeboard.pf"
run 0 plot --show "lambda[rear],x'" "$place/x.csv"
says out "+ x' [m/s]"

# As PNG and PDF where librsvg is there; else it is said how to get them.
for kind in png pdf; do
  if "$program" plot --out "$place/x.$kind" "$place/x.csv" 2>"$place/err"; then
    case $kind-$(head -c 4 "$place/x.$kind" | tail -c 3) in
      png-PNG | pdf-PDF) ;;
      *) fail "plot --out x.$kind: not a $kind file" ;;
    esac
  else
    says err "librsvg was not found when it was built"
    says err "x.svg and convert it"
  fi
done
run 1 plot --out /no/such/folder/x.svg "$place/x.csv"
says err "cannot write"
finish
