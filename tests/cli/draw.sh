#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff draw: every example, at the start and in motion; views; bad options; hostile names.
. "$2/tests/cli/common.sh"
examples=$source/examples

# Are these files (x.svg unless named) pictures: XML with a known set of elements, all numbers of their paths on the page, more than $1 shapes?
is_picture() {
  least=$1
  shift
  [ $# -gt 0 ] || set -- "$place/x.svg"
  python3 - "$least" "$@" <<'END' 2>"$place/err" || fail "$last: not a picture: $(tail -n 1 "$place/err")"
import re, sys, xml.etree.ElementTree as tree
for name in sys.argv[2:]:
    root = tree.parse(name).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    tags = {e.tag.split("}")[1] for e in root.iter()}
    assert tags <= {"svg", "rect", "path", "text", "tspan", "g"}, (name, tags)
    paths = [e.get("d") for e in root.iter("{http://www.w3.org/2000/svg}path")]
    for d in paths:
        if "l" in d: continue  # arrows of the scale
        n = [float(x) for x in re.findall(r"-?[0-9.]+", d)]
        assert all(-2 <= x <= width + 2 for x in n[::2]) and all(-2 <= y <= height + 2 for y in n[1::2]), (name, d)
    assert len(paths) > int(sys.argv[1]), (name, len(paths))
END
}

mkdir "$place/every"
for model in "$examples"/*/*.pf; do
  case $(basename "$model" .pf) in
    x1 | x2) # numbers that have no place
      run 1 draw --out "$place/x.svg" "$model"
      says err "there is nothing to draw"
      says err "draw b as box"
      continue ;;
  esac
  run 0 draw --out "$place/every/$(basename "$model" .pf).svg" "$model"
  grep -q "/$(basename "$model" .pf) " "$source/tests/examples.txt" || continue # the others take long enough
  run 0 draw --json "$model"
  holds 'len(d["shapes"]) > 0 and len(d["motion"]) == 1 and len(d["motion"][0]) == 12*len(d["poses"]) + 3*len(d["points"]) and all(s.get("pose", 0) < len(d["poses"]) and all(p < len(d["points"]) for p in s.get("points", [])) for s in d["shapes"])'
  holds 'len(set(d["poses"] + d["points"])) == len(d["poses"]) + len(d["points"])'
done
is_picture 8 "$place"/every/*.svg

# In motion: paler copies, paths, the times below.
for model in bicycle snakeboard_bodies hand ball_in_bowl capture; do
  run 0 draw --at 0,0.1,0.2 --out "$place/x.svg" "$(example "$model")"
  is_picture 100
  grep -q '<g opacity="0.25">' "$place/x.svg" || fail "$last: no paler copy"
  grep -q 't = 0, 0.1, 0.2 s' "$place/x.svg" || fail "$last: the times are missing"
  cp "$place/x.svg" "$place/y.svg"
  run 0 draw --at 0,0.1,0.2 --out "$place/x.svg" "$(example "$model")"
  cmp -s "$place/x.svg" "$place/y.svg" || fail "$last: the same command gives another picture"
done
for view in iso top side front; do
  run 0 draw --view $view --out "$place/x.svg" "$examples/wheels/bicycle.pf"
  is_picture 50
done

# Poses are those of a run: the position of the board is (x, y).
run 0 draw --at 1,2 --json "$examples/skates/snakeboard_bodies.pf"
cp "$place/out" "$place/drawn.json"
run 0 run --at 1,2 --show "x,y,theta" --json "$examples/skates/snakeboard_bodies.pf"
helpers="import json, math; s = json.load(open('$place/drawn.json')); k = 12*s['poses'].index('board')
near = lambda a, b: abs(a - b) < 1e-9
"
holds 'len(s["times"]) == 2 and all(near(s["motion"][i][k], d["rows"][i][1]) and near(s["motion"][i][k + 1], d["rows"][i][2]) and near(s["motion"][i][k + 3], math.cos(d["rows"][i][3])) for i in range(2))'
helpers=

# What people must recognise.
counts='def kinds(k): return sum(s["kind"] == k for s in d["shapes"])
def roles(r): return sum(s["role"] == r for s in d["shapes"])
'
helpers=$counts
run 0 draw --json "$examples/wheels/carriage_mecanum.pf"
holds 'd["ground"] and kinds("wheel") == 4 and not d["flat"]'
run 0 draw --json "$examples/skates/snakeboard.pf"
holds 'd["ground"] and kinds("cylinder") >= 4 and kinds("trace") == 1'
run 0 draw --json "$examples/wheels/bicycle.pf"
holds 'd["ground"] and roles("wheel") == 2 and roles("contact") == 2 and roles("joint") == 3 and roles("link") >= 3'
run 0 draw --json "$examples/hands/hand.pf"
holds 'd["flat"] and d["up"] == [0, 1, 0] and roles("link") == 9 and roles("base") == 3 and not d["ground"]'
run 0 draw --json "$examples/spacecraft/spacecraft.pf"
holds 'not d["ground"] and roles("body") == 8 and roles("joint") == 7'
helpers=

# A surface reaches as far as the ball that rolls on it.
run 0 draw --at 0,3 --json "$examples/balls-and-discs/ball_on_surface.pf"
helpers='def surface(): return [s for s in d["shapes"] if s["kind"] == "surface"][0]
def ball(): return d["motion"][1][12*d["poses"].index("ball"):][:2]
'
holds 'all(abs(ball()[j] - surface()["at"][j]) < surface()["size"][j] for j in range(2)) and abs(ball()[0]) > 1'
helpers=

# PNG and PDF where librsvg is.
for kind in png pdf; do
  if "$program" draw --out "$place/x.$kind" "$examples/wheels/bicycle.pf" >"$place/out" 2>"$place/err"; then
    [ "$(head -c 4 "$place/x.$kind" | tail -c 3)" = "$(echo $kind | tr a-z A-Z)" ] || fail "not a $kind file"
  else
    says err "librsvg"
  fi
done

# What is wrong is said.
run 0 draw "$examples/wheels/bicycle.pf"
says out "wheel    wheel     wheel_f"
says_nothing err
run 2 draw --view above --out "$place/x.svg" "$examples/wheels/bicycle.pf"
says err "there is no view 'above'"
run 2 draw --by rk4 --out "$place/x.svg" "$examples/wheels/bicycle.pf"
says err "--by"
run 2 draw --at 2,1 --out "$place/x.svg" "$examples/wheels/bicycle.pf"
says err "ascending"
run 2 draw --at -1 --out "$place/x.svg" "$examples/wheels/bicycle.pf"
says err "before the start"
run 2 draw --out "$place/x.gif" "$examples/wheels/bicycle.pf"
says err "must end in"
cat >"$place/ends.pf" <<'END'
coord x, y
kinetic (x'^2 + y'^2)/2
start x' = 1
run 10 until x > 1
END
run 0 draw --at 0,0.5,9 --out "$place/x.svg" "$place/ends.pf"
says err "1 of the 3 times of --at lie beyond the end"
run 2 draw --at 5,9 --out "$place/x.svg" "$place/ends.pf"
says err "before all of these times"

# Times after several events, also when nothing can move any more.
cat >"$place/locked.pf" <<'END'
coord x, y
body a in ground shift x along x { mass 1 }
body b in ground shift y along y { mass 1 }
start x' = 1, y' = 1
when t = 0.5 { lock x }
when y > 0.75 { lock y }
when t = 1 { unlock x }
when t = 1.5 { lock x }
run 4
END
run 0 draw --json --at 3 "$place/locked.pf"
holds 'd["times"] == [3] and d["diagnostics"] == []'
run 0 draw --json --at 0,0.75,3,4 "$place/locked.pf"
holds 'd["times"] == [0, 0.75, 3, 4] and abs(d["motion"][3][12] - 0.5) < 1e-9'

# The weight of the disc is on the ground from the start on.
cat >"$place/disc.pf" <<'END'
coord x [m], z [m], th [deg]
gravity (0, 0, -9.81)
body b in ground at (x, 0, z) turn th about y { mass 2 [kg], inertia 0.04 }
roll k: disc b { radius 0.2 [m], axis b.y } on ground
start x' = 1
END
force='[d["motion"][0][12*len(d["poses"]) + 3*d["points"].index("k.force") + i] for i in (0, 1, 2)]'
for at in "" "--at 0"; do
  # shellcheck disable=SC2086
  run 0 draw --json $at "$place/disc.pf"
  holds "max(abs(a - b) for a, b in zip($force, (0, 0, 2*9.81))) < 1e-9"
done

cat >"$place/size.pf" <<'END'
param r = 1
coord x, y
body b in ground at (x, y, 0) { mass 1 }
draw b as sphere(r)
END
run 0 draw --out "$place/x.svg" "$place/size.pf"
run 1 draw -p r=-2 --out "$place/x.svg" "$place/size.pf"
says err "the size -2 is not a positive length"

# Nothing of a title, a name or a colour gets out of its place.
cat >"$place/hostile.pf" <<'END'
model h "</text><script>alert(1)</script> & \\LaTeX{} ' ]]>"
coord x, y, theta
body b in ground at (x, y, 0) turn theta about z { mass 1, inertia diag(0, 0, 1) }
draw b as box(1, 2, 3) { color "red\" onload=\"alert(1)" }
END
sed -i 's/ { color.*/ { color "red onload=alert(1)" }/' "$place/hostile.pf"
run 0 draw --at 0,1 --out "$place/x.svg" "$place/hostile.pf"
is_picture 5
! grep -q '<script\|onload' "$place/x.svg" || fail "$last: something got out"
run 0 draw --json "$place/hostile.pf"
holds 'd["title"].startswith("</text><script>")'

finish
