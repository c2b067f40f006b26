#!/bin/sh
# What 'pfaff plot' promises. Pictures are made where gnuplot is installed.
. "$2/tests/cli/common.sh"

run 0 plot "$source/examples/snakeboard.pf"
says out "theta [rad]"
says out "t [s]"
run 0 plot --columns "x,y;theta" "$source/examples/snakeboard.pf"
says out "* theta [rad]"
run 2 plot --columns "x,zeta" "$source/examples/snakeboard.pf"
says err "no column 'zeta'"
run 2 plot --log --columns violation_position "$source/examples/snakeboard.pf"
says err "all numbers of 'violation_position' are zero"
run 2 plot --out "$place/x.gif" "$source/examples/snakeboard.pf"
says err ".svg, .png or .pdf"

# The script: palette, labels with units, panels, a path that keeps its shape, a logarithmic axis.
run 0 plot --script --columns "x,y;theta" "$source/examples/snakeboard.pf"
says out "#0072B2"
says out "set multiplot layout 2,1"
says out 'set ylabel "[m]"'
says out 'set ylabel "theta [rad]"'
says out 'set xlabel "t [s]"'
run 0 plot --script --columns y --against x "$source/examples/ball_in_bowl.pf"
says out "ratio -1"
says out 'set xlabel "x [m]"'
run 0 plot --script --log --columns "kinetic" "$source/examples/snakeboard.pf"
says out "set logscale y"

# Events as 'run' has them: x = t until it is locked at t = 1. In what else moves they are left out, which is said.
cat >"$place/locked.pf" <<'END'
coord x
kinetic x'^2/2
start x' = 1
when t = 1 { lock x }
run 2
END
run 0 plot --columns "x,x'" --script "$place/locked.pf"
says_nothing err
sed -n '/^\$data/,/^EOD/p' "$place/out" | grep '^[0-9]' |
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
run 0 plot --columns "lambda[rear],x'" "$place/x.csv"
says out "+ x' [m/s]"

if command -v gnuplot >/dev/null; then
  for picture in a.svg a.png a.pdf; do
    run 0 plot --columns "x,y;theta" --out "$place/$picture" "$place/x.csv"
    [ -s "$place/$picture" ] || fail "$last: no picture"
  done
  run 0 plot --log --columns kinetic --out "$place/log.png" "$place/x.csv"
  says_nothing err
  run 1 plot --out /no/such/folder/x.png "$place/x.csv"
  says err "did not make"
fi
finish
