#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Decisions about rank do not depend on units, and redundant constraints that agree are no contradiction.
set -u
. "$2/tests/cli/common.sh"
command -v python3 >/dev/null || exit 0
helpers="import math;"

# 1e8 rad per m: a', b' follow from x', which is kept as given
cat > "$place/far.pf" <<'END'
coord a, b, x
kinetic (a'^2 + b'^2 + x'^2)/2
constraint c: a' = 1e8*x' + 1
constraint d: b' = -1e8*x' + 2
start x' = 1
END
run 0 check --json "$place/far.pf"
holds 'd["rank"] == 2 and not d["redundant"]'
run 0 run --json --at 1 "$place/far.pf"
holds 'abs(d["rows"][-1][3] - 1) < 1e-12 and abs(d["rows"][-1][1]/100000001 - 1) < 1e-12 and abs(d["rows"][-1][2]/99999998 + 1) < 1e-12'
# rank 2 however small the coefficient is; a row of 1e-10 beside one of 1e5 is a row like any other
for s in 1e-3 1e-7 1e-8 1e-14 1e-20 1e-300; do
  printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 1, y = 2\nconstraint a: x' = 0\nconstraint b: x' + $s*y' = 0\n" > "$place/small.pf"
  run 0 check --json "$place/small.pf"
  holds 'd["rank"] == 2'
  for form in multipliers udwadia_kalaba udwadia_phohomsiri maggi cascade laconic; do
    run 0 eval --json --form "$form" "$place/small.pf"
    holds 'max(map(abs, d["acceleration"])) < 1e-12'
  done
  run 0 run --json --at 1 "$place/small.pf"
  holds 'abs(d["rows"][-1][2]) < 1e-12'
done
printf "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 1, y = 2\nconstraint a: 1e-10*x' = 0\nconstraint b: 1e5*y' = 0\n" > "$place/rows.pf"
for form in multipliers elimination udwadia_kalaba udwadia_phohomsiri maggi cascade laconic; do
  run 0 eval --json --form "$form" "$place/rows.pf"
  holds 'max(map(abs, d["acceleration"])) < 1e-12 and abs(d["multipliers"]["a"]/-1e10 - 1) < 1e-12 and abs(d["multipliers"]["b"]/-2e-5 - 1) < 1e-12'
done
run 0 run --json --at 1 "$place/rows.pf"
holds 'max(map(abs, d["rows"][-1][1:3])) < 1e-12'
# squares of the coefficients are beyond the range of numbers: a blade that turns at the rate 1 stays on its circle, a
# pendulum at its length; methods that need the squares say so
for s in 1e-307 1e-160 1e100 1e155 1e300; do
  printf "coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\nconstraint c: $s*(x'*sin(th) - y'*cos(th)) = 0\nstart x' = 1, th' = 1\n" > "$place/blade.pf"
  for by in dopri5 rk4 cvode_bdf; do
    run 0 run --json --at 1 --by $by --step 1e-3 "$place/blade.pf"
    holds 'abs(d["rows"][-1][1] - math.sin(1)) < 1e-6 and abs(d["rows"][-1][2] - 1 + math.cos(1)) < 1e-6'
  done
  printf "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint c: $s*(x^2 + y^2 - 1) = 0\nstart x = 0.6, y = -0.8\n" > "$place/swing.pf"
  run 0 run --json --at 1 "$place/swing.pf"
  holds 'abs(math.hypot(*d["rows"][-1][1:3]) - 1) < 1e-8'
  for by in ida ida2 rattle generalized_alpha; do
    case $s in
    1e100) run 0 run --json --at 1 --by $by "$place/swing.pf"; holds 'abs(math.hypot(*d["rows"][-1][1:3]) - 1) < 1e-6' ;;
    *) run 1 run --at 1 --by $by "$place/swing.pf"; says err "the constraint 'c' has numbers of about" ;;
    esac
  done
done
# a four-bar of any size, with a third row that squares the others: one rank, one start, that of two rows
bar() {
  printf "param L = $1\ncoord a, b, c\nkinetic L^2*(a'^2 + 2*b'^2 + 3*c'^2)/2\npotential L^2*sin(a)\n"
  printf "constraint x: L*cos(a) + 3*L*cos(b) - 2.5*L*cos(c) = 3*L\nconstraint y: L*sin(a) + 3*L*sin(b) - 2.5*L*sin(c) = 0\n"
  printf "start a = 0.7, b = 0.6, c = 2, a' = 1\n"
}
bar 1 > "$place/bar.pf"
run 0 eval --json "$place/bar.pf"
start=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["q"])' "$place/out")
for size in 1e-12 1e-7 1e-6 1 1e6 1e12; do
  bar $size > "$place/bar.pf"
  echo "constraint r: (L*cos(a) + 3*L*cos(b) - 3*L)^2 + (L*sin(a) + 3*L*sin(b))^2 = 6.25*L^2" >> "$place/bar.pf"
  run 0 check --json "$place/bar.pf"
  holds 'd["rank"] == 2 and len(d["redundant"]) == 1'
  run 0 eval --json "$place/bar.pf"
  holds "max(abs(x - y) for x, y in zip(d['q'], $start)) < 1e-9"
done
python3 "$2/tests/cli/scales.py" "$1" > "$place/out" 2> "$place/err" || fail "units decide"

# redundant on the constraints: of a = b, of four blades that steer alike (x = sin(0.3)/0.3 along a circle)
cat > "$place/equal.pf" <<'END'
coord a, b
kinetic (a'^2 + b'^2)/2
constraint c: sin(a) = sin(b)
constraint d: a = b
start a = 0.3, b = 0.3, a' = 1, b' = 1
END
cat > "$place/blades.pf" <<'END'
coord x, y, th, d1, d2, d3, d4
kinetic (x'^2 + y'^2 + th'^2 + d1'^2 + d2'^2 + d3'^2 + d4'^2)/2
constraint e2: d2 = d1
constraint e3: d3 = d1
constraint e4: d4 = d1
constraint b1: -(x' - 0.5*th')*sin(d1) + (y' + th')*cos(d1) = 0
constraint b2: -(x' + 0.5*th')*sin(d2) + (y' + th')*cos(d2) = 0
constraint b3: -(x' + 0.5*th')*sin(d3) + (y' - th')*cos(d3) = 0
constraint b4: -(x' - 0.5*th')*sin(d4) + (y' - th')*cos(d4) = 0
start x' = 1, d1' = 0.3
END
run 0 check --json "$place/equal.pf"
holds 'd["rank"] == 1'
run 0 derive "$place/equal.pf"
run 0 check --json "$place/blades.pf"
holds 'd["rank"] == 5'
run 0 derive "$place/blades.pf"
run 0 run --json --at 1 "$place/blades.pf"
holds 'abs(d["rows"][-1][1] - math.sin(0.3)/0.3) < 1e-7'

# what an event must not do is not a matter of units: a belt does not stop when it is locked, however slow it is or
# however small its row is written; and the same by two rows, of which one is left when c is held
contradicts() {
  run 1 run "$place/event.pf"
  says err "the event at t = 0.5 cannot be worked out: it contradicts the constraint"
}
for f in 1e-300 1e-20 1e-9 1 1e9 1e20; do
  printf "coord x, c\nkinetic (x'^2 + c'^2)/2\nconstraint b: $f*c' = $f*1\nrun 1\nwhen t = 0.5 { lock c }\n" > "$place/event.pf"
  contradicts
  printf "coord x, c\nkinetic (x'^2 + c'^2)/2\nconstraint b: $f*(c' + x') = $f*1\nconstraint d: x' = 0\nrun 1\nwhen t = 0.5 { lock c }\n" > "$place/event.pf"
  contradicts
done
for speed in 1e-8 1e-6 1e8; do
  printf "coord x, c\nkinetic (x'^2 + c'^2)/2\nconstraint b: c' = $speed\nstart x' = 1\nrun 1\nwhen t = 0.5 { lock c }\n" > "$place/event.pf"
  contradicts
done
# a drive that has come to rest can be locked; a and b, which go with it, are then at rest and can be locked too
for L in 1e-9 1 1e9; do
  printf "coord c, a, b\nkinetic (c'^2 + a'^2 + b'^2)/2\nconstraint d: c = $L*if(t < 1, 1 - t + sin(2*pi*t)/(2*pi), 0)\n" > "$place/event.pf"
  printf "constraint e: a + b = c\nconstraint f: 1e10*(a - b) = 0\nrun 1.5\nwhen t = 1 { lock c }\nwhen t = 1.2 { lock a }\n" >> "$place/event.pf"
  run 0 run --json "$place/event.pf"
  holds "max(map(abs, d['rows'][-1][4:7])) < 1e-9*$L"
done
# what it may do is no such matter either: an arm with a row of any size is attached, and rests: four rows hold three
# coordinates; detached without a jump; and z rests with c by rows that agree
arm() {
  cat <<'END'
coord a, b, x
gravity (0, -9.81, 0)
body p in ground turn a about z { mass 1, com (0, -0.5, 0), inertia 0.1 }
body q in p at (0, -1, 0) turn b about z { mass 1, com (0, -0.5, 0), inertia 0.1 }
body s in ground at (x, -2.2, 0) { mass 2, inertia 0.1 }
start a = 0.5
run 1
END
}
for f in 1e-15 1 1e7 1e10 1e15; do
  { arm; printf "constraint m: $f*b = $f*(0.5*a + x)\nwhen t = 0.3 { attach q to s }\nwhen t = 0.6 { lock a }\n"; } > "$place/event.pf"
  run 0 run --json "$place/event.pf"
  holds 'd["events"][0]["energy_loss"] > 1 and d["events"][1]["energy_loss"] < 1e-12 and max(map(abs, d["rows"][-1][4:7])) < 1e-6'
  { arm; printf "constraint m: $f*x = $f*0.5*a\nwhen t = 0.3 { detach q }\n"; } > "$place/event.pf"
  run 0 run --json "$place/event.pf"
  holds 'abs(d["events"][0]["energy_loss"]) < 1e-12'
done
for f in 1e-30 1 1e12 1e15 1e30; do
  printf "coord z, c\nkinetic z'^2/2 + 0.05*c'^2\nconstraint r1: $f*z' = $f*(2*c'*cos(z))\n" > "$place/event.pf"
  printf "constraint r2: $f*(z' + c') = $f*(2*c'*cos(z) + c')\nforce c = 0.3\nrun 1\nwhen t = 0.5 { lock c }\n" >> "$place/event.pf"
  run 0 run --json "$place/event.pf"
  holds 'max(map(abs, d["rows"][-1][3:5])) < 1e-12'
done
# c stops, and with it x and y by rows of any size: the lock takes the momentum of all three
for f in 1e-12 1 1e12; do
  printf "coord x, y, c\nkinetic (x'^2 + y'^2 + c'^2)/2\nconstraint d: x' = c'\nconstraint e: $f*y' = $f*c'\n" > "$place/event.pf"
  printf "start x' = 1, y' = 1, c' = 1\nrun 1\nwhen t = 0.5 { lock c }\n" >> "$place/event.pf"
  run 0 run --json "$place/event.pf"
  holds 'abs(d["events"][0]["impulse"]["c"] + 3) < 1e-12'
done
finish
