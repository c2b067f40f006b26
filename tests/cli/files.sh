#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that cannot be read or written, standard input, and what goes to which stream.
set -u
. "$(dirname "$0")/common.sh"
model=$source/examples/skates/snakeboard.pf
bad=$source/tests/models/bad/several_checked.pf

for command in check derive fmt; do
  run 1 $command "$place/missing.pf"
  says err "cannot open '$place/missing.pf': No such file or directory"
  says_nothing out
  run 1 $command "$place"
  says err "Is a directory"
  run 0 $command "$model"
  says_nothing err
  input=$model
  run 0 $command -
  says_nothing err
  unset input
done

# The name of the file is in every message; standard input has one too.
run 1 check "$bad"
says err "$bad:3:11: error: unknown unit 'kgs'"
says err "     3 | param m = 6 [kgs], L = 0.2"
says err "       |           ^~~~~~~"
says err "       = did you mean [kg s]?"
says_nothing out
input=$bad
run 1 check -
says err "<stdin>:3:11: error: unknown unit 'kgs'"
unset input

# An empty file, one without its last line end, and one in the manner of other systems.
: >"$place/empty.pf"
run 1 check "$place/empty.pf"
says err "the model has no coordinates"
printf "coord x\nkinetic x'^2" >"$place/open.pf"
run 0 check "$place/open.pf"
printf "\357\273\277coord x\r\nkinetic x'^2\r\n" >"$place/other.pf"
run 0 check "$place/other.pf"
printf 'coord \303\251\n' >"$place/letter.pf"
run 1 check "$place/letter.pf"
says err "$place/letter.pf:1:7: error: 'é' has no meaning here"
printf 'coord x\nkinetic \t\tfoo\n' >"$place/tab.pf"
run 1 check "$place/tab.pf"
says err "       |         		^~~"

if [ "$(id -u)" != 0 ]; then
  cp "$model" "$place/secret.pf"
  chmod 000 "$place/secret.pf"
  run 1 check "$place/secret.pf"
  says err "Permission denied"
fi

# 50 MB: no waiting, no crash.
head -c 50000000 /dev/zero | tr '\0' 'x' >"$place/big.pf"
for command in check derive fmt; do
  run 1 $command "$place/big.pf"
  says err "is longer than 16 MB"
  [ $command = fmt ] || says err "is it really a model?"
done
head -c 50000000 /dev/zero >"$place/big.pf"
run 1 check "$place/big.pf"
{ printf 'kinetic '; head -c 12000000 /dev/zero | tr '\0' '('; } >"$place/brackets.pf"
run 1 check "$place/brackets.pf"
says err "nested deeper than 200 levels"

# A full disk.
if [ -c /dev/full ]; then
  for command in check derive fmt "check --json" "derive --json" "derive --latex" "--help" "check --help"; do
    code=0
    case $command in
      *help) "$program" $command >/dev/full 2>"$place/err" || code=$? ;;
      *) "$program" $command "$model" >/dev/full 2>"$place/err" || code=$? ;;
    esac
    commands=$((commands + 1))
    last="pfaff $command >/dev/full"
    [ $code = 1 ] || fail "$last: exit code $code"
    says err "cannot write the result"
  done
fi

# Somebody who reads one line only.
last="pfaff derive | head -n 1"
first=$("$program" derive "$model" 2>"$place/err" | head -n 1)
commands=$((commands + 1))
[ "$first" = "snakeboard: 6 coordinates, 2 constraints" ] || fail "$last: $first"
says_nothing err

# Colour on terminals only, and not where it is unwanted.
escape=$(printf '\033')
run 1 check "$bad"
! grep -qF "$escape" "$place/err" || fail "colour in a file"
if command -v python3 >/dev/null; then
  on_terminal() {
    python3 -c 'import os, pty, subprocess, sys
master, slave = pty.openpty()
subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
text = b""
while True:
    try:
        more = os.read(master, 4096)
    except OSError:
        break
    if not more:
        break
    text += more
sys.stdout.buffer.write(text)' "$program" check "$bad"
  }
  on_terminal >"$place/err"
  grep -qF "$escape" "$place/err" || fail "no colour on a terminal"
  NO_COLOR=1 on_terminal >"$place/err"
  ! grep -qF "$escape" "$place/err" || fail "colour in spite of NO_COLOR"
fi
finish
