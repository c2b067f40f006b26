#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pictures of every command that draws: SVG that is XML, with the title of the model, names and units; PNG and PDF where librsvg is.
. "$2/tests/cli/common.sh"
examples=$source/examples

# draws <words in the picture> <arguments of the program without --out>
draws() {
  words=$1
  shift
  run 0 "$@" --out "$place/x.svg"
  python3 - "$place/x.svg" "$words" <<'END' || fail "$last: not a picture with '$words'"
import sys, xml.etree.ElementTree as tree
def parts(text):  # a blank between tspans is a shift
    yield text.text or ""
    for e in text:
        yield e
        yield e.tail or ""
root = tree.parse(sys.argv[1]).getroot()
texts = ["".join((" " if e.get("dx") else "") + "".join(e.itertext()) if not isinstance(e, str) else e for e in parts(t)) for t in root.iter("{http://www.w3.org/2000/svg}text")]
numbers = [float(v) for e in root.iter() for k, v in e.attrib.items() if k in ("x", "y", "width", "height", "cx", "cy")]
allowed = {"svg", "style", "rect", "path", "text", "tspan", "circle", "clipPath", "g"}
good = sys.argv[2] in texts and all(-1e5 <= n <= 1e5 for n in numbers) and {e.tag.split("}")[1] for e in root.iter()} <= allowed
if not good: print(texts, file=sys.stderr)
sys.exit(0 if good else 1)
END
  run 0 "$@" --out "$place/y.svg"
  case $1 in
    compare) ;; # times differ
    *) cmp -s "$place/x.svg" "$place/y.svg" || fail "$last: the same command gives another picture" ;;
  esac
  for kind in png pdf; do
    if "$program" "$@" --out "$place/x.$kind" >"$place/out" 2>"$place/err"; then
      [ "$(head -c 4 "$place/x.$kind" | tail -c 3)" = "$(echo $kind | tr a-z A-Z)" ] || fail "$last: not a $kind file"
    else
      says err "librsvg"
    fi
  done
}

draws "θ [rad]" plot --show "x,y;theta" "$examples/skates/snakeboard.pf"
draws "φb′ [rad/s]" plot --show "phi_b'" "$examples/skates/snakeboard.pf"
draws "λrear" plot --show "lambda" "$examples/skates/snakeboard.pf"
draws "Snakeboard with sprung wheels: rk4 − dop853" plot --by rk4 --step 0.01 --for 1 --minus dop853 "$examples/skates/snakeboard.pf"
draws "time of one evaluation [ns]" compare "$examples/paper-003/x1.pf"
draws "does not apply" compare "$examples/wheels/piano_wheel.pf"
draws "evaluations" converge --by rk4,dopri5 --step 0.05 --for 1 "$examples/wheels/unicycle.pf"
draws "−0.05376 ± 0.1129i" study linearize "$examples/wheels/differential_drive.pf"
draws "0 (5 times)" study linearize "$examples/wheels/differential_drive.pf"
draws "real part of a pair" study linearize --sweep v=0..10:6 "$examples/wheels/bicycle.pf"
draws "2 neutral" study equilibria "$examples/classics/double_pendulum_bodies.pf"
draws "Henon and Heiles: x = 0, energy = 0.1242" study poincare --section x=0 --show "y,y'" --for 60 "$examples/classics/henon_heiles.pf"
draws "start 2" study poincare --section x=0 --show "y,y'" --for 60 --starts 2 "$examples/classics/henon_heiles.pf"
draws "real part [1/s]" study linearize "$examples/wheels/differential_drive.pf"
draws "v [m/s]" study linearize --sweep v=0..10:6 "$examples/wheels/bicycle.pf"
draws "real part of eigenvalues [1/s]" study equilibria "$examples/classics/double_pendulum_bodies.pf"
draws "imaginary part [1/s]" study steady "$examples/wheels/carriage_omni3.pf"
draws "ν3 [rad/s]" study continue n2=11..13 --show 'nu[3]' "$examples/wheels/carriage_steady.pf"
draws "ν2 [rad/s]" study portrait --show 'nu[3],nu[2]' --keep K --within 'nu[3]=0..2,nu[2]=-6..6' --starts 2 "$examples/wheels/carriage_inertia.pf"
draws "y′" study poincare --section x=0 --show "y,y'" --for 60 "$examples/classics/henon_heiles.pf"
draws "length of brackets" study integrability "$examples/wheels/car_trailer.pf"
draws "change relative to the start" study invariants "$examples/skates/chaplygin_sleigh.pf"

# The order of rk4 is seen: 4 within a tenth, from the definition of the method.
run 0 converge --by rk4 --step 0.01 --for 1 --out "$place/x.svg" "$examples/classics/double_pendulum_bodies.pf"
grep -qE 'rk4 .order (3\.[89]|4\.[0-2])' "$place/x.svg" || fail "$last: not of fourth order: $(grep -o 'order[^)]*' "$place/x.svg")"

# The pictures of the documentation are those that the commands quoted there make: byte for byte, or, where a processor rounds
# differently, but for numbers of the lines.
compare_with() {
  grep -qE -e "--out (docs/images/)?$1" "$source"/docs/*.md || fail "docs/images/$1: no command makes it"
  cmp -s "$place/$1" "$source/docs/images/$1" && return
  sed 's/<path d="[^"]*"/<path/; s/c[xy]="[^"]*"//g' "$place/$1" >"$place/made"
  sed 's/<path d="[^"]*"/<path/; s/c[xy]="[^"]*"//g' "$source/docs/images/$1" | cmp -s - "$place/made" ||
    fail "docs/images/$1 is not what its command makes"
}
run 0 plot --show "x,y;theta,phi_b,phi_f" --out "$place/snakeboard.svg" "$examples/skates/snakeboard.pf"
compare_with snakeboard.svg
run 0 study continue n2=8..18 --show 'nu[3]' --out "$place/branches.svg" "$examples/wheels/carriage_steady.pf"
compare_with branches.svg
run 0 draw --out "$place/bicycle.svg" "$examples/wheels/bicycle.pf"
compare_with bicycle.svg

# Text goes where it went; nothing is written for a kind that is not known.
run 0 compare --out - "$examples/paper-003/x1.pf"
says out "<svg"
says err "multipliers"
run 2 converge --out "$place/none.csv" "$examples/paper-003/x1.pf"
says err "must end in .svg, .png or .pdf"
[ ! -e "$place/none.csv" ] || fail "$last: a file was made"
finish
