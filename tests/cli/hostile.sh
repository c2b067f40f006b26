#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing in a file, in its name or in an argument steers the terminal, or leaves its quotes in another language.
set -u
. "$(dirname "$0")/common.sh"
escape=$(printf '\033')
c1=$(printf '\302\233')

# no control bytes but line ends and tabs, on either stream
is_clean() {
  for stream in out err; do
    if tr -d '\n\t\40-\176\200-\377' <"$place/$stream" | grep -q .; then fail "$last: control bytes on std$stream"; fi
    if grep -qF "$c1" "$place/$stream"; then fail "$last: a control character of C1 on std$stream"; fi
  done
}

# an unknown word is wrong usage, a file that is not there an error; neither steers the terminal
for bad in "$escape[2J" "$c1"31m "$(printf '\r\b\177')"; do
  run 2 "$bad"; is_clean
  run 2 study "$bad"; is_clean
  run 2 help "$bad"; is_clean
  run 2 help study "$bad"; is_clean
  run 2 check "--$bad" x.pf; is_clean
  run 2 check "-$bad" x.pf; is_clean
  run 1 check "$place/$bad.pf"; is_clean
  for value in "check -p $bad=1" "check -p m=$bad" "run --state $bad=1" "run --by $bad" "run --form $bad" "run --show $bad" \
    "run --at $bad" "run --out $bad.csv2" "plot --against $bad" "study continue $bad=1..2" "study linearize --sweep $bad=1..2" \
    "study linearize --inputs $bad" "study linearize --near $bad" "study portrait --show $bad,x" \
    "study portrait --show x,theta --within $bad=0..1" "study poincare --show x,theta --section $bad=0" \
    "study steady --within $bad=0..1"; do
    run 2 $value "$source/examples/skates/chaplygin_sleigh.pf"; is_clean # its words are words here
  done
done

# a line with tabs and control bytes, and the caret where it belongs
printf 'coord x\nkinetic\t1/2*x%s^2\n' "$escape[31m" >"$place/line.pf"
run 1 check "$place/line.pf"
is_clean
says err 'control character 0x1B in the text'
printf 'coord x # \303\251\n\tkinetic nope\n' >"$place/caret.pf"
run 1 check "$place/caret.pf"
says err "$(printf '       | \t        ^~~~')"

# names of files go into results: JSON stays JSON, and a comment of Python stays a comment
bad=$(printf 'a"\n\033import os; os.system("touch HERE")\n\377\363\240\200\201')
printf "coord x [m]\nkinetic 1/2*(1 [kg])*x'^2\npotential (1 [N/m])/2*x^2\ninput u [N] = 0\nforce x = u\n" >"$place/$bad.pf"
run 0 check --json "$place/$bad.pf"
is_clean
holds '"touch" in d["model"]'
run 0 check "$place/$bad.pf"
is_clean
if command -v python3 >/dev/null; then
  run 0 study linearize --out "$place/lin.py" "$place/$bad.pf"
  is_clean
  python3 - "$place/lin.py" <<'END' || fail "study linearize --out lin.py: Python sees more than it should"
import ast, sys
tree = ast.parse(open(sys.argv[1], encoding="utf-8").read())
assert all(isinstance(node, (ast.Import, ast.Assign)) for node in tree.body), [type(node) for node in tree.body]
assert [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names] == ["numpy"]
END
fi

# titles and comments are free text, which fmt prints as it is: what a terminal obeys is refused, what is only unseen is not shown
for text in "$c1" "$(printf '\342\200\256')" "$(printf '\342\201\246')"; do
  printf 'model m "a%sb"\ncoord x\nkinetic x'"'"'^2/2\n' "$text" >"$place/title.pf"
  printf 'model m # a%sb\ncoord x\nkinetic x'"'"'^2/2\n' "$text" >"$place/comment.pf"
  for file in title comment; do
    for command in check fmt; do
      run 1 $command "$place/$file.pf"
      is_clean
      says err 'control character U+'
    done
  done
done
printf 'model m "a\342\200\213b"\ncoord x\nkinetic x'"'"'^2/2\n' >"$place/title.pf"
run 0 check "$place/title.pf"
is_clean
says out 'a\xe2\x80\x8bb'
finish
