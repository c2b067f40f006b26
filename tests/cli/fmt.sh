#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff fmt: idempotent, keeps the meaning, replaces the file only when asked and only when it can.
set -u
. "$(dirname "$0")/common.sh"

for model in "$source"/examples/*/*.pf "$source"/tests/models/good/*.pf; do
  run 0 fmt "$model"
  says_nothing err
  cp "$place/out" "$place/once.pf"
  run 0 fmt "$place/once.pf"
  cmp -s "$place/out" "$place/once.pf" || fail "$model: the layout of its layout is another one"
  run 0 check --json "$model"
  sed "s|$model|once.pf|" "$place/out" >"$place/check"
  run 0 check --json "$place/once.pf"
  sed "s|$place/once.pf|once.pf|" "$place/out" | cmp -s - "$place/check" || fail "$model: its layout means something else"
done
for model in "$source"/examples/*/*.pf; do
  run 0 fmt "$model"
  cmp -s "$place/out" "$model" || fail "$model is not in its canonical layout"
done

printf "coord x   ,y\nkinetic   x'^2+ y' ^ 2 #two\n" >"$place/model.pf"
run 0 fmt "$place/model.pf"
printf "coord x, y\nkinetic x'^2 + y'^2  # two\n" | cmp -s - "$place/out" || fail "layout"
cp "$place/model.pf" "$place/before.pf"
cmp -s "$place/model.pf" "$place/before.pf" || fail "fmt changed the file without -w"
chmod 640 "$place/model.pf"
run 0 fmt -w "$place/model.pf"
says_nothing out
printf "coord x, y\nkinetic x'^2 + y'^2  # two\n" | cmp -s - "$place/model.pf" || fail "fmt -w"
[ "$(ls -l "$place/model.pf" | cut -c 1-10)" = -rw-r----- ] || fail "fmt -w changed the permissions"
[ "$(ls "$place" | grep -c new)" = 0 ] || fail "fmt -w leaves a file behind"
run 0 fmt --write "$place/model.pf"
run 0 check "$place/model.pf"

# What cannot be read stays as it is.
printf 'coord (x\nkinetic 3\n' >"$place/broken.pf"
cp "$place/broken.pf" "$place/before.pf"
run 1 fmt -w "$place/broken.pf"
says err "$place/broken.pf:1:7: error: expected a name"
cmp -s "$place/broken.pf" "$place/before.pf" || fail "fmt -w changed a file that it cannot read"
printf 'coord \377\n' >"$place/broken.pf"
run 1 fmt -w "$place/broken.pf"
says err "not UTF-8"

run 2 fmt -w -
says err "standard input has no file"

if [ "$(id -u)" != 0 ]; then
  mkdir "$place/locked"
  cp "$place/model.pf" "$place/locked/"
  chmod 500 "$place/locked"
  run 1 fmt -w "$place/locked/model.pf"
  says err "cannot write"
  chmod 700 "$place/locked"
fi
finish
