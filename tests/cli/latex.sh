#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pdflatex compiles what derive --latex --standalone writes, for every example in every form, with steps for some. Without
# pdflatex there is nothing to test.
pfaff=$1
root=$2
command -v pdflatex >/dev/null || { echo "no pdflatex: skipped"; exit 0; }
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
failures=0
compiled=0

# compile NAME: $place/NAME.tex
compile() {
  (cd "$place" && pdflatex -interaction=nonstopmode -halt-on-error -no-shell-escape "$1.tex" >"$1.out" 2>&1 </dev/null) || {
    echo "FAILED: $1: $(grep -m 1 '^!' "$place/$1.out")"
    failures=$((failures + 1))
  }
  compiled=$((compiled + 1))
}

for file in "$root"/examples/*.pf "$root"/tests/reference/textbook/*.pf; do
  name=$(basename "$file" .pf)
  forms="multipliers rosenberg rosenberg_extended udwadia_kalaba maggi laconic"
  case $file in */textbook/*) forms=laconic ;; esac
  for form in $forms; do
    "$pfaff" derive --form $form --latex --standalone "$file" >"$place/$name-$form.tex" 2>"$place/err" || continue
    # equations of hundreds of pages are not for paper
    [ "$(wc -c <"$place/$name-$form.tex")" -lt 200000 ] && compile "$name-$form"
  done
done
for name in unicycle chaplygin_sleigh rolling_ball; do
  for form in multipliers rosenberg_extended udwadia_kalaba maggi laconic; do
    "$pfaff" derive --form $form --steps --latex --standalone "$root/examples/$name.pf" >"$place/steps-$name-$form.tex"
    compile "steps-$name-$form"
  done
done
echo "$((compiled - failures)) passed, $failures failed"
[ "$failures" = 0 ] && [ "$compiled" -gt 180 ]
