#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recursion with given joints, from text, against tests/reference/spatial (spatial.py).
set -u
. "$(dirname "$0")/common.sh"
if command -v python3 >/dev/null; then
  python3 "$(dirname "$0")/spatial.py" "$program" "$source" >"$place/out" 2>"$place/err" || fail "spatial.py: $(tail -n 5 "$place/out" "$place/err")"
fi
run 0 eval --spatial "$source/examples/spacecraft/hybrid_arm.pf"
says out "inside the recursion: swing, reach, hold"
says out "body 1  upper, revolute on body 0, given"
says out "body 4  tool, spherical on body 3, 1 of 3 rates given"
run 0 eval --spatial "$source/examples/spacecraft/dual_arm.pf"
says out "on top of the recursion: hold.x, hold.y, hold.z"
run 2 eval --spatial --axes ground "$source/examples/spacecraft/dual_arm.pf"
says err "there are no axes 'ground'"
run 2 eval --axes body "$source/examples/spacecraft/dual_arm.pf"
says err "--spatial"
finish
