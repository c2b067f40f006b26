# SPDX-License-Identifier: Apache-2.0
# Part of the scripts here: runs the program and looks at what it says. Called with the program and the source directory.
program=$1
source=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
commands=0
failures=0
unset NO_COLOR

fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
  sed 's/^/  out: /' "$place/out" | head -n 5
  sed 's/^/  err: /' "$place/err" | head -n 10
}

# run <exit code> <argument>…: what the program writes goes to $place/out and $place/err.
run() {
  wanted=$1
  shift
  last="pfaff $*"
  code=0
  "$program" "$@" >"$place/out" 2>"$place/err" <"${input:-/dev/null}" || code=$?
  commands=$((commands + 1))
  [ "$code" = "$wanted" ] || fail "$last: exit code $code, not $wanted"
}

# example <name>: the path of examples/<family>/<name>.pf
example() { echo "$source"/examples/*/"$1".pf; }

# says <out or err> <words>, and says_nothing <out or err>
says() { grep -qF -e "$2" "$place/$1" || fail "$last: '$2' is not in std$1"; }
says_nothing() { [ ! -s "$place/$1" ] || fail "$last: std$1 is not empty"; }

# holds <Python expression of d, the JSON text of the last command>; $helpers are Python statements before it
holds() {
  command -v python3 >/dev/null || return 0
  python3 -c "${helpers:-}"'
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$place/out" "$1" 2>"$place/why" || fail "$last: $1 does not hold $(tail -n 1 "$place/why")"
}

finish() {
  [ "$failures" = 0 ] || exit 1
  echo "$commands commands as expected"
}
