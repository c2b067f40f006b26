#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff page: pages of examples, trajectories in them, bad files and names; nothing breaks out (page.py).
. "$2/tests/cli/common.sh"
examples=$source/examples
PFAFF_SHARE=$source/tests/page
export PFAFF_SHARE

# Where the empty page is, and what is no such page.
(unset PFAFF_SHARE; cd "$place" && "$program" page -o x.html "$examples/wheels/cart.pf" >"$place/out" 2>"$place/err") && [ ! -f "$place/x.html" ] && fail "no page"
run 0 page --template "$source/tests/page/page.html" --out "$place/x.html" "$examples/wheels/cart.pf"
says out "x.html: "
says out "kB, opens in any browser"
run 1 page --template "$examples/wheels/cart.pf" --out "$place/y.html" "$examples/wheels/cart.pf"
says err "is no page of Pfaff: it has no <script"
[ ! -e "$place/y.html" ] || fail "$last: a page was written"
cat "$source/tests/page/page.html" "$source/tests/page/page.html" >"$place/twice.html"
run 1 page --template "$place/twice.html" --out "$place/y.html" "$examples/wheels/cart.pf"
says err "more than one <script"
run 1 page --template "$place/x.html" --out "$place/y.html" "$examples/wheels/cart.pf"
says err "is no page of Pfaff"
run 1 page --template "$place/none.html" --out "$place/y.html" "$examples/wheels/cart.pf"
says err "cannot open"
truncate -s 65M "$place/large.html"
run 1 page --template "$place/large.html" --out "$place/y.html" "$examples/wheels/cart.pf"
says err "large.html' is longer than 64 MB"
rm "$place/large.html"
cp "$source/tests/page/page.html" "$place/page.html"
run 2 page --template "$place/page.html" --out "$place/page.html" "$examples/wheels/cart.pf"
says err "--out would overwrite what is read"
PFAFF_SHARE=$place run 2 page --out "$place/page.html" "$examples/wheels/cart.pf"
says err "--out would overwrite what is read"
cmp -s "$source/tests/page/page.html" "$place/page.html" || fail "$last: the empty page was overwritten"
PFAFF_SHARE=$place/none run 1 page --out "$place/y.html" "$examples/wheels/cart.pf"
says err "cannot open"

# What the page is called, and what is never overwritten.
cp "$examples/wheels/cart.pf" "$place/cart.pf"
(cd "$place" && "$program" page cart.pf >out 2>err) || fail "page cart.pf"
[ -s "$place/cart.html" ] || fail "page cart.pf: there is no cart.html"
cp "$examples/wheels/cart.pf" "$place/model"
(cd "$place" && "$program" page model >out 2>err) || fail "page model"
[ -s "$place/model.html" ] || fail "page model: there is no model.html"
run 2 page "$place/x.html"
says err "page reads models and trajectories in CSV, no .html files"
run 2 page --out "$place/cart.pf" "$place/cart.pf"
cmp -s "$examples/wheels/cart.pf" "$place/cart.pf" || fail "$last: the model was overwritten"
input=$examples/wheels/cart.pf run 2 page -
says err "--out FILE.html is needed"
input=$examples/wheels/cart.pf run 0 page --out - -
says out '"file": "model.pf"'
says err "opens in any browser"
run 2 page --out "$place/x.svg" "$examples/wheels/cart.pf"
says err "the name must end in .html"
run 2 page --out - --json "$examples/wheels/cart.pf"
run 0 page --json --out "$place/x.html" "$examples/wheels/cart.pf"
holds 'd["page"].endswith("x.html") and d["bytes"] > 1000 and d["forms"] == 13 and d["tracks"] == [] and d["diagnostics"] == []'

# How it is run is checked here.
for method in cvode_adams cvode_bdf ida ida2; do
  run 2 page --by $method --out "$place/y.html" "$examples/wheels/cart.pf"
  says err "the page computes the motion itself, without SUNDIALS: it cannot move by $method"
  says err "dopri5, generalized_alpha or another"
done
run 2 page --by rk5 --out "$place/y.html" "$examples/wheels/cart.pf"
run 2 page -p none=1 --out "$place/y.html" "$examples/wheels/cart.pf"
run 2 page --show x --out "$place/y.html" "$examples/wheels/cart.pf"
run 1 page --out "$place/y.html" "$place/nothing.pf"
echo "coord x [m]" >"$place/bad.pf"
echo "kinetic zz*x'^2" >>"$place/bad.pf"
run 1 page --out "$place/y.html" "$place/bad.pf"
says err "bad.pf:2:9: error"
[ ! -e "$place/y.html" ] || fail "$last: a page was written"

# Files that are no trajectories of the model.
run 0 run --for 1 --every 0.1 --out "$place/a.csv" "$examples/skates/snakeboard_bodies.pf"
run 2 page "$place/a.csv"
says err "a model is missing beside the trajectory"
run 2 page "$examples/wheels/cart.pf" "$examples/wheels/unicycle.pf"
says err "one model at a time"
run 2 page "$place/a.mat" "$examples/wheels/cart.pf"
says err "'pfaff run --out $place/a.csv MODEL' writes what it reads"
run 1 page --out "$place/y.html" "$place/a.csv" "$examples/hands/hand.pf"
says err "is no trajectory of this model: it has no column"
refuse() { # the file's text, and words
  printf "$1" >"$place/b.csv"
  run 1 page --out "$place/y.html" "$place/b.csv" "$examples/skates/snakeboard_bodies.pf"
  says err "$2"
}
refuse "" "holds no trajectory"
refuse "t,x\n" "holds no trajectory"
refuse "t,x\n0,\n1,nan\n" "there is no number beside the times"
refuse "time,x\n0,1\n1,2\n" "its first column is not the time, t"
refuse "t,x\n0,1\nnan,2\n" "t is no number in row 2"
refuse "t,x\n1,1\n0,2\n" "t goes back in row 2"
refuse "t,x [kg]\n0,1\n1,2\n" "'x' is in 'kg', and in 'm' in the model"
refuse "t [m],x\n0,1\n1,2\n" "'t' is in 'm', and in 's' in the model"
[ ! -e "$place/y.html" ] || fail "$last: a page was written"
printf "t,x,y\n0,1,2\n1,2,3\n" >"$place/b.csv"
run 0 page --out "$place/y.html" "$place/b.csv" "$examples/skates/snakeboard_bodies.pf"
says out "only its curves are shown, since it has no column theta, psi, phi_b, phi_f"

if command -v python3 >/dev/null; then
  python3 "$source/tests/cli/page.py" "$program" "$source" >"$place/out" 2>"$place/err" || fail "page.py"
fi
finish
