#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Motions too stiff for dopri5: without --by an implicit method goes on from where it is, which is told; --by dopri5 stalls and names
# it. The wrist of the arm has a rate of decay of 1e9/s; independent: cvode_bdf from the start, and with a wrist without inertia.
set -u
. "$(dirname "$0")/common.sh"
helpers='
def last(d, name): return d["rows"][-1][d["columns"].index(name)]
'
arm() {
  printf '%s\n' "param J = $1" "coord a, b" "kinetic a'^2/2 + J*(a' + b')^2/2" "potential -9.81*cos(a) + 50*(b - sin(3*a))^2/2" \
    "dissipation 100*b'^2/2" "start a = 1" "run 5" "${2:-}"
}
arm 1e-7 >"$place/arm.pf"
run 0 run --json --at 5 --by cvode_bdf --rtol 1e-9 "$place/arm.pf"
a=$(sed -n '/"rows"/,$p' "$place/out" | grep -m 2 '[0-9]' | tail -n 1 | tr -d ' ,')
run 0 run --json --at 5 "$place/arm.pf"
holds 'd["stiff"]["method"] in ("cvode_bdf", "generalized_alpha") and 0 < d["stiff"]["from"] < 0.1 and d["end"] == "reached the end"'
holds "abs(last(d, 'a') - ($a)) < 1e-5"
run 0 run "$place/arm.pf"
says out "  stiff               by "
run 1 run --by dopri5 "$place/arm.pf"
says err "the run makes no progress"
says err "try --by cvode_bdf"
# Not stiff: nothing is told, however long it takes.
printf '%s\n' "coord x" "kinetic x'^2/2" "potential x^2/2" "start x = 1" "run 3000" >"$place/long.pf"
run 0 run --json --no-rows "$place/long.pf"
holds '"stiff" not in d'
# With an event, and in a sweep, whose members are runs.
arm 1e-7 "when t = 2 { lock b }" >"$place/event.pf"
run 0 run --json --no-rows "$place/event.pf"
holds 'd["stiff"]["from"] < 0.1 and len(d["events"]) == 1 and d["end"] == "reached the end"'
run 0 sweep -p J=1e-7,1e-3,1,2e-7,3e-7,4e-7,5e-7,2 --take a -o "$place/swept.csv" "$place/arm.pf"
run 0 run --json --at 5 "$place/arm.pf"
last=$(sed -n '/"rows"/,$p' "$place/out" | grep '[0-9]' | sed -n 2p | tr -d ' ,')
grep -qF -e ",$last," "$place/swept.csv" || fail "the member of the sweep is not the run: $last"
# A robot, which moves by the recursion without formulas: the implicit method has them written. Rates of decay up to 1e7/s and more.
chain() {
  parent=base
  echo '<robot name="chain"><link name="base"/>'
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    axis=$(echo "1 0 0,0 1 0,0 0 1" | cut -d , -f $((i%3 + 1)))
    echo "<link name=\"l$i\"><inertial><origin xyz=\"0 0 0.02\"/><mass value=\"0.001\"/>"
    echo "<inertia ixx=\"1e-7\" iyy=\"1e-7\" izz=\"1e-7\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    echo "<joint name=\"j$i\" type=\"continuous\"><parent link=\"$parent\"/><child link=\"l$i\"/><origin xyz=\"0 0 0.05\"/>"
    echo "<axis xyz=\"$axis\"/><dynamics damping=\"1\"/></joint>"
    parent=l$i
  done
  echo '</robot>'
}
chain >"$place/chain.urdf"
run 0 import "$place/chain.urdf"
{ cat "$place/out"; echo "start j1 = 0.3, j6 = -0.4, j12 = 0.7, j21 = 0.5"; } >"$place/chain.pf"
run 0 run --json --for 1 --at 1 --show j1,j12 --by cvode_bdf "$place/chain.pf"
row=$(sed -n '/"rows"/,$p' "$place/out" | grep '^ *[-0-9]' | tr -d '\n ')
run 0 run --json --for 1 --at 1 --show j1,j12 "$place/chain.pf"
holds 'd["stiff"]["from"] < 0.1 and d["end"] == "reached the end" and d["steps"] < 20000'
holds "max(abs(a - b) for a, b in zip(d['rows'][-1], [$row])) < 1e-6"
finish
