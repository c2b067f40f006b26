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
says err "the run makes no headway"
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
finish
