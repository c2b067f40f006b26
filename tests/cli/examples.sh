#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff examples and pfaff new: what is listed, found and copied, with files and names that are in the way.
set -u
. "$(dirname "$0")/common.sh"
case $program in /*) ;; *) program=$PWD/$program ;; esac
here=$(cd "$source" && pwd)
work=$place/work
mkdir "$work"
cd "$work" || exit 1

# All of them, with family, name and title; the texts are those of the files.
run 0 examples
says_nothing err
for model in "$here"/examples/*/*.pf; do
  name=$(basename "$model" .pf)
  grep -q "^  $name  *[A-Z]" "$place/out" || fail "$name is not in the list with a title"
done
run 0 examples --json
says_nothing err
count=$(ls "$here"/examples/*/*.pf | wc -l)
holds "len(d['examples']) == $count and d['diagnostics'] == []"
holds "all(set(e) == {'family', 'name', 'title', 'about'} for e in d['examples'])"
holds "[(e['family'], e['name']) for e in d['examples'] if len(e['about']) < 60 or e['title'] == e['name']] == []"
holds "[(e['family'], e['name']) for e in d['examples']] == sorted((e['family'], e['name']) for e in d['examples'])"
holds "len({e['name'] for e in d['examples']}) == $count"

# Words: all of them, in family, name and title, or else in the comments.
run 0 examples omni robot
says out "omni_robot"
run 0 examples --json Skates
holds "{e['family'] for e in d['examples']} == {'skates'}"
run 0 examples --json papadopoulos
holds "[e['name'] for e in d['examples']] == ['bicycle']"
run 0 examples "robot arm"
says out "omni_arm"
says out "In what is said about them:"
run 0 examples hand
says out "See also: hand_cascade"
run 0 new seg --from segway
! grep -q "examples/" seg.pf || fail "commands in a copy name the example"
run 2 examples xyzzy
says err "there is no example 'xyzzy'"
says err "'pfaff examples' lists them"
says_nothing out
run 2 examples snakebord
says err "did you mean 'snakeboard'?"
run 2 examples --json xyzzy
holds "d['diagnostics'][0]['severity'] == 'error'"

# One: '-' or '_', any case, with or without its family.
for name in snakeboard_steered snakeboard-steered Snakeboard-Steered skates/snakeboard-steered; do
  run 0 examples "$name"
  says out "skates/snakeboard_steered: Snakeboard with motors"
  says out "Parameters:"
  says out "pfaff new snakeboard_steered --from snakeboard_steered"
done
run 0 examples --json snakeboard
holds "d['examples'][0]['text'] == open('$here/examples/skates/snakeboard.pf', encoding='utf-8').read()"
holds "{p['name']: (p['value'], p['unit']) for p in d['examples'][0]['parameters']}['m'] == (6, 'kg')"
run 2 examples hands/snakeboard
run 2 examples ../skates/snakeboard

# Every example can be told about, and what is said to be tried works.
for model in "$here"/examples/*/*.pf; do
  run 0 examples "$(basename "$model" .pf)"
  says_nothing err
  says out "Try:"
done
run 0 examples cart_pendulum
sed -n 's/^  pfaff //p' "$place/out" >"$place/tries"
while read -r words; do
  case $words in page*) continue ;; esac
  # shellcheck disable=SC2086
  run 0 $words </dev/null
done <"$place/tries"
[ -f cart_pendulum.svg ] || fail "the picture that is to be tried"

# Copies: the text of the example, called by the new name.
for name in omni-robot wheels/omni_robot OMNI_ROBOT; do
  run 0 new "mine" --from $name
  says out "mine.pf: Robot on three omni wheels"
  says_nothing err
  sed 's/^model omni_robot /model mine /' "$here/examples/wheels/omni_robot.pf" | cmp -s - mine.pf || fail "the copy is another text"
  run 1 new mine --from $name
  says err "cannot write 'mine.pf': File exists"
  rm mine.pf
done
run 0 new --json my-board --from snakeboard
holds "d == {'file': 'my-board.pf', 'from': 'snakeboard', 'diagnostics': []}"
grep -q '^model my_board "Snakeboard' my-board.pf || fail "the name of the copy"
run 0 check my-board.pf

# Without an example: a model that runs, in its canonical layout.
run 0 new first.pf
says out "first.pf: A pendulum on a cart"
run 0 check first.pf
says_nothing err
run 0 run first.pf
says_nothing err
run 0 compare --prove first.pf
run 0 fmt first.pf
cmp -s "$place/out" first.pf || fail "the first model is not in its canonical layout"

# Names that are none, and files in the way: nothing is written, nothing is lost.
for name in ../up /tmp/up a/b . .. "" .hidden -x 1st "a b" "a;b" 'a"b' "$(printf 'a\nb')" ä con:x .pf a.pf.pf; do
  run 2 new --from snakeboard -- "$name"
done
run 2 new -- "../up"
says err "'../up' cannot be the name of a model"
says err "go to the other one first"
for name in param body start; do run 0 new $name; run 0 check $name.pf; done # any word can be the name of a model
[ "$(ls "$place" | grep -c up)" = 0 ] || fail "a file outside"
run 2 new
says err "a name is missing"
run 2 new a b
says err "one name at a time"
run 2 new a --from snakebord
says err "did you mean 'snakeboard'?"
run 2 new a --from omni
says err "there are: "
says err "carriage_omni3, omni_robot, two_omni"
run 2 new a --from ../../etc/passwd
run 2 new a --from ""
[ ! -e a.pf ] || fail "a file in spite of an error"
ln -s nowhere.pf link.pf
run 1 new link
[ -L link.pf ] && [ ! -e nowhere.pf ] || fail "a link was followed"
mkdir folder.pf
run 1 new folder
echo mine >kept.pf
run 1 new kept --from cart
[ "$(cat kept.pf)" = mine ] || fail "a file was replaced"
long=$(printf '%0300d' 0 | tr 0 a)
run 1 new "$long"
mkdir locked
if [ "$(id -u)" != 0 ]; then
  chmod 555 locked
  (cd locked && "$program" new a >"$place/out" 2>"$place/err") && fail "a file in a locked folder"
  says err "Permission denied"
  chmod 755 locked
fi
(cd locked && rmdir ../locked && "$program" new a >"$place/out" 2>"$place/err") && fail "a file in a folder that is gone"
says err "cannot write 'a.pf'"

# A full disk leaves nothing behind.
if (ulimit -f 0) 2>/dev/null; then
  (ulimit -f 0; "$program" new full >/dev/null 2>"$place/err") && fail "a file on a full disk"
  [ ! -e full.pf ] || fail "half a file is left"
fi
cd /
finish
