#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command reads the text of its model once, whatever it does with it. callgrind counts the calls; where it cannot run the program,
# as with sanitizers, the test is skipped (exit code 77): machine.machine counts within one machine without it.
set -u
. "$(dirname "$0")/common.sh"

if ! command -v valgrind >/dev/null || ! command -v python3 >/dev/null ||
   ! valgrind --tool=none -q "$program" --version >/dev/null 2>&1; then
  echo "valgrind or python3 is missing, or cannot run this program"
  exit 77
fi

count() { python3 - "$1" <<'EOF'
import re, sys
names, calls, callee = {}, 0, ""
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    match = re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line)
    if match and match[3]:
        names[match[2]] = match[3].strip()
    if match and match[1]:
        callee = names[match[2]]
    if line.startswith("calls=") and callee.split("'")[0] == "pf_model_read":
        calls += int(line[6:].split()[0])
print(calls)
EOF
}

# reads_once <argument>…
reads_once() {
  commands=$((commands + 1))
  last="pfaff $*"
  valgrind --tool=callgrind -q --callgrind-out-file="$place/calls" "$program" "$@" >"$place/out" 2>"$place/err" ||
    fail "$last: exit code $?"
  read=$(count "$place/calls")
  [ "$read" = 1 ] || fail "$last: the model was read $read times"
}

model=$(example chaplygin_sleigh)
printf '<!doctype html><title>Pfaff</title><script type="application/json" id="pfaff-data">{}</script>' >"$place/template.html"
reads_once run --for 0.05 --show "x, theta [deg]" "$model"
reads_once sweep --for 0.05 -p m=5..7:4 --threads 2 --take "x, max(abs(theta))" "$model"
reads_once plot --for 0.05 --show x --out "$place/x.svg" "$model"
reads_once page --template "$place/template.html" --out "$place/x.html" "$model"
reads_once run --for 0.1 "$(example docking)"

echo "$commands commands, $failures failures"
[ "$failures" = 0 ]
