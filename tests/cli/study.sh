#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff study: kinds, options, files, and bad input.
set -u
. "$(dirname "$0")/common.sh"
examples=$source/examples
carriage=$examples/wheels/carriage_steady.pf

run 2 study
says err "linearize"
run 0 study --help
for kind in equilibria steady continue linearize portrait poincare integrability invariants; do says out "$kind"; done
run 2 study linearise "$carriage"
says err "did you mean 'linearize'?"
run 2 study linearize
says err "a file is missing"
run 2 study linearize --stats 1 "$carriage"
says err "unknown option"
run 0 study linearize --help
says out "--sweep NAME=a..b:n"

# ---------------------------------------------------------------- linear models
run 0 study linearize --json "$examples/wheels/bicycle.pf"
says_nothing err
holds 'd["inputs"] == ["steer", "lean"] and len(d["states"]) == 10'
holds 'abs(min(e["re"] for e in d["points"][0]["eigenvalues"]) + 14.078389692798247) < 1e-9'
# upright and straight on: nothing sideways drives or brakes, so x, the spins and the speed are out of reach
holds 'd["points"][0]["controllable"] == 6 and d["points"][0]["observable"] == 8'
run 0 study linearize --near steady --json "$carriage"
holds 'max(map(abs, d["points"][0]["rate"][6:])) < 1e-9'
run 0 study linearize --at 0,1,2 --json "$examples/wheels/differential_drive.pf"
holds 'd["along"] == "t" and [p["at"] for p in d["points"]] == [0, 1, 2]'
run 0 study linearize --sweep v=1..5:3 --json "$examples/wheels/bicycle.pf"
holds 'd["along"] == "v" and [p["at"] for p in d["points"]] == [1, 3, 5]'
for end in csv json mat py svg; do
  run 0 study linearize --inputs "torque_at[1]" --out "$place/model.$end" "$examples/wheels/differential_drive.pf"
  [ -s "$place/model.$end" ] || fail "model.$end is empty"
done
if command -v python3 >/dev/null; then
  python3 - "$place" <<'PYTHON' || fail "files of linear models"
import csv, json, struct, sys, types
place = sys.argv[1]
rows = {}
for row in csv.DictReader(open(place + "/model.csv", encoding="utf-8")):
    rows[row["matrix"], row["row"], row["column"]] = float(row["value"])
point = json.load(open(place + "/model.json", encoding="utf-8"))
states = point["states"]
A = point["points"][0]["A"]
assert all(rows["A", a, b] == A[i][k] for i, a in enumerate(states) for k, b in enumerate(states))
numpy = types.ModuleType("numpy")  # enough of it to read the file
class Array(list):
    def reshape(self, *shape):
        assert shape[0] == len(self)
        return self
numpy.array = Array
sys.modules["numpy"] = numpy
space = {}
exec(open(place + "/model.py", encoding="utf-8").read(), space)
assert space["A"] == A and space["states"] == states and space["inputs"] == ["torque_at[1]"]
data, at, variables = open(place + "/model.mat", "rb").read(), 0, {}
while at < len(data):
    kind, m, n, _, length = struct.unpack_from("<5i", data, at)
    name = data[at + 20:at + 19 + length].decode()
    numbers = struct.unpack_from("<%dd" % (m*n), data, at + 20 + length)
    variables[name] = [[numbers[i + k*m] for k in range(n)] for i in range(m)]
    at += 20 + length + 8*m*n
assert variables["A"] == A
assert "".join(map(chr, map(int, variables["states"][2]))).strip() == states[2]
PYTHON
fi
run 2 study linearize --out model.txt "$carriage"
says err "must end in"
run 2 study linearize --inputs torque "$examples/wheels/differential_drive.pf"
says err "no parameter 'torque'"
run 1 study linearize --near equilibrium "$carriage"
says err "no equilibrium was found"
run 2 study linearize --near rest "$carriage"
says err "'equilibrium' or 'steady'"
run 2 study linearize --sweep v=3 "$examples/wheels/bicycle.pf"
says err "NAME=from..to"
run 2 study linearize --sweep speed=1..2 "$examples/wheels/bicycle.pf"
says err "no parameter 'speed'"
run 1 study linearize --out "$place/none/model.csv" "$carriage"
says err "cannot write"
printf 'coord x\nkinetic x'"'"'^2/2\nforce x = -abs(x)\n' >"$place/kink.pf"
run 1 study linearize "$place/kink.pf"
says err "kink"

# ---------------------------------------------------------------- outputs are no equations
# y'' = -2 (y - 1): rest at y = 1 and eigenvalues +-i sqrt(2), whatever is plotted
for output in "y'/abs(y')" "1/y'" "sqrt(y - 5)" "log(y - 7)" "sin(t)/y'"; do
  printf "coord y\nkinetic y'^2/2\npotential (y - 1)^2\nplot y, %s\n" "$output" >"$place/output.pf"
  run 0 study equilibria --json "$place/output.pf"
  holds 'len(d["points"]) == 1 and abs(d["points"][0]["q"][0] - 1) < 1e-12 and d["points"][0]["kink"] is None'
  run 0 study linearize --near equilibrium --json "$place/output.pf"
  holds 'd["points"][0]["C"] == [[1, 0], [None, None]] and d["points"][0]["observable"] == 2'
  holds 'all(abs(abs(e["im"]) - 2**0.5) < 1e-12 for e in d["points"][0]["eigenvalues"])'
  holds 'len(d["diagnostics"]) == 1 and "no row in C and D" in d["diagnostics"][0]["message"]'
done
printf "coord y\ninput u = 0\nkinetic y'^2/2\npotential y^2\nforce y = u\nplot log(y)\n" >"$place/output.pf"
run 0 study linearize "$place/output.pf"
says err "the output 'log(y)' has no finite value or no derivative here"
run 0 study linearize --json "$place/output.pf"
holds 'd["points"][0]["C"] == [[None, None]] and d["points"][0]["D"] == [[None]] and d["points"][0]["B"] == [[0], [1]]'

# ---------------------------------------------------------------- steady motions
run 0 study steady --json "$examples/wheels/carriage_omni3.pf"
says_nothing err
holds 'len(d["points"]) == 3 and len(d["cyclic"]) == 6'
holds 'any(abs(p["x"][8] - 2.3540859160995165) < 1e-9 and p["stability"] == "stable" for p in d["points"])'
run 1 study equilibria "$carriage"
says err "no equilibrium found"
says err "100 starts"
run 2 study steady --within nu=0..1 "$carriage"
says err "not a component of the state"
run 2 study steady --within theta=0..1 "$carriage"
says err "cyclic"
run 2 study steady --within 'nu[1]=1' "$carriage"
says err "NAME=low..high"
run 2 study steady --starts none "$carriage"
says err "not a positive whole number"
run 1 study steady "$examples/wheels/unicycle.pf"
says err "changes in time"
# A sleigh with its centre of mass at the blade runs in circles: x' and y' change, the velocity along the blade does not.
cat >"$place/sleigh.pf" <<'END'
param m = 2 [kg], J = 3 [kg m^2]
coord x, y [m], theta [rad]
kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2
constraint blade: y'*cos(theta) = x'*sin(theta)
start x' = 1, theta' = 0.3
END
run 0 study steady "$place/sleigh.pf"
says out "searched    motions with constant theta, x', theta'; with 'speed' lines"
run 0 study steady --json "$place/sleigh.pf"
holds 'd["may_be_widened"]'
echo "force theta = 1 [N m]" >>"$place/sleigh.pf"
run 1 study steady "$place/sleigh.pf"
says err "searched were motions with constant theta, x', theta'; with 'speed' lines"
echo "speed u = x'*cos(theta) + y'*sin(theta), w = theta'" >>"$place/sleigh.pf"
sed -i '/^force/d' "$place/sleigh.pf"
run 0 study steady --json "$place/sleigh.pf"
holds 'not d["may_be_widened"] and d["cyclic"] == ["x", "y", "theta"] and d["points"][0]["family"] == 2'
holds 'abs(d["points"][0]["x"][3] - 1) < 1e-9 and abs(d["points"][0]["x"][4] - 0.3) < 1e-9'
run 0 study steady "$place/sleigh.pf"
grep -q searched "$place/out" && fail "$last: nothing is left to be widened"

# ---------------------------------------------------------------- continuation
# a linear oscillator has no nonlinear terms: every amplitude is a cycle at c = 0
printf 'param c = 0.5\ncoord x\nkinetic x'"'"'^2/2\npotential x^2/2\nforce x = -c*x'"'"'\nstart x = 0.3\n' >"$place/linear.pf"
run 0 study continue c=-1..1 --equilibria "$place/linear.pf"
says out "coefficient 0: degenerate"
run 0 study continue n2=8..18 --json "$carriage"
says_nothing err
helpers='
def special(d, kind): return [s for s in d["special"] if s["kind"] == kind]
'
holds 'len(d["branches"]) == 2'
holds '[abs(s["parameter"] - 12) < 1e-9 for s in special(d, "branch point")] == [True]'
holds '[abs(s["parameter"] - 11.9375) < 1e-9 and abs(s["x"][8]/2 + 1/6) < 1e-9 for s in special(d, "fold")] == [True]'
helpers=
for end in csv json svg; do
  run 0 study continue --out "$place/branches.$end" "$carriage" n2=8..18
  [ -s "$place/branches.$end" ] || fail "branches.$end is empty"
done
if command -v python3 >/dev/null; then
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$place/branches.svg" || fail "not XML"
fi
run 2 study continue "$carriage"
says err "range"
run 2 study continue n3=1..2 "$carriage"
says err "no parameter 'n3'"
says err "did you mean"
run 2 study continue n2=5..5 "$carriage"
says err "not a range"
run 2 study continue n2=8..18 --show nu "$carriage" --out "$place/branches.svg"
says err "these are: x, y, theta"
run 1 study continue M=1..5 "$examples/wheels/carriage_inertia.pf"
says err "families"

# ---------------------------------------------------------------- forces that jump
# A block on a spring with dry friction c rests anywhere in |x| <= c; of these only x = 0 is a zero of the equations as they stand,
# x = -c and x = c with x'' = -x - c*sign(x') are zeros of one side.
cat >"$place/dry.pf" <<'END'
param c = 0.1
coord x
kinetic x'^2/2
potential x^2/2
force x = -c*sign(x')
start x = 1
END
switching="states on a surface of switching, at rest with dry friction, are not found by this study"
for kind in steady equilibria; do
  run 0 study $kind --json "$place/dry.pf"
  says err "$switching"
  holds '[(p["q"], p["v"]) for p in d["points"]] == [([0], [0])]'
done
run 0 study continue c=0.05..0.2 --json "$place/dry.pf"
says err "$switching"
holds 'd["branches"] and all(p["x"] == [0, 0] for b in d["branches"] for p in b["points"])'
# On a belt that goes faster than the block there is one state of rest, x = 0.3; air that resists by abs does not jump at all.
printf "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.3*sign(x' - 1) - x'/20\nstart x = 1\n" >"$place/belt.pf"
run 0 study steady --json "$place/belt.pf"
holds 'len(d["points"]) == 1 and abs(d["points"][0]["q"][0] - 0.3) < 1e-12'
printf "coord x\nkinetic x'^2/2\nforce x = 4 - x'*abs(x')\n" >"$place/air.pf"
run 0 study steady --json "$place/air.pf"
says_nothing err
holds 'len(d["points"]) == 1 and abs(d["points"][0]["v"][0] - 2) < 1e-12'

# ---------------------------------------------------------------- linear models along a range, next to the start
# A bead on a hoop that turns at w, th'' = sin(th)*(w^2*cos(th) - g/R) - c/(m*R^2)*th'. At th = 0 the eigenvalues are
# -0.2 +- i*sqrt(g/R - w^2 - 0.04) for w below sqrt(g/R), 94.6 rpm; above, at cos(th) = g/(R*w^2), -0.2 +- i*sqrt(w^2*sin(th)^2 - 0.04).
cat >"$place/hoop.pf" <<'END'
param R = 100 [mm], w = 120 [rpm], g = 9.81 [m/s^2], m = 50 [g], c = 0.2 [N mm s]
coord th [deg]
kinetic m/2*(R^2*th'^2 + R^2*sin(th)^2*w^2)
potential -m*g*R*cos(th)
dissipation c/2*th'^2
start th = 50
END
for kind in equilibrium steady; do
  run 0 study linearize --near $kind --sweep "w=90..150 [rpm]:3" --json "$place/hoop.pf"
  helpers='
from math import pi, sqrt
def frequency(rpm):
    w, pull = rpm*pi/30, 9.81/0.1
    return sqrt((pull - w*w if w*w < pull else w*w - pull*pull/w/w) - 0.04)
'
  holds '[p["at"] for p in d["points"]] == [90, 120, 150]'
  holds 'all(abs(e["re"] + 0.2) < 1e-9 and abs(abs(e["im"]) - frequency(p["at"])) < 1e-9 for p in d["points"] for e in p["eigenvalues"])'
  helpers=
done
run 2 study linearize --near here --sweep "w=90..150 [rpm]:3" "$place/hoop.pf"
says err "write 'equilibrium' or 'steady'"

# ---------------------------------------------------------------- portraits and sections
run 0 study portrait --show "nu[3],nu[2]" --keep K --starts 3 --json "$examples/wheels/carriage_inertia.pf"
holds 'abs(d["curves"][0]["period"] - 20.181346371326264) < 1e-9*20'
for end in csv json svg; do
  run 0 study portrait --show "x,x'" --starts 2 --for 2 --out "$place/portrait.$end" "$examples/classics/henon_heiles.pf"
  [ -s "$place/portrait.$end" ] || fail "portrait.$end is empty"
  run 0 study poincare --section x=0 --show "y,y'" --for 20 --out "$place/section.$end" "$examples/classics/henon_heiles.pf"
  [ -s "$place/section.$end" ] || fail "section.$end is empty"
done
# Heads of columns are quoted where their names have a comma, and only there.
run 0 study portrait --show "max(x, 0 [m]),x'" --starts 1 --for 1 --out "$place/portrait.csv" "$examples/classics/henon_heiles.pf"
[ "$(head -n 1 "$place/portrait.csv" | cut -d, -f 1,2)" = 'curve,"max(x' ] || fail "$last: $(head -n 1 "$place/portrait.csv")"
grep -q "^branch,n2" "$place/branches.csv" || fail "branches.csv: $(head -n 1 "$place/branches.csv")"
# Motions that switch and stick: study_motions.py.
run 0 study poincare --section t=5 --show "x,x'" --for 40 "$place/dry.pf"
says out "  no Lyapunov exponent"
# A curve that is not closed goes to both ends of its time: x = t from -2 to 2.
printf "coord x\nkinetic x'^2/2\nstart x' = 1\n" >"$place/straight.pf"
run 0 study portrait --show "x,x'" --within "x=0..1,x'=0..2" --starts 1 --for 2 --json "$place/straight.pf"
holds '[round(d["curves"][0]["a"][i], 9) for i in (0, -1)] == [-2, 2]'
run 0 study poincare --section t=1 --show "x,x'" --for 5 --out "$place/p.csv" "$place/straight.pf"
[ "$(head -n 1 "$place/p.csv")" = "motion,t [s],x,x'" ] || fail "$last: $(head -n 1 "$place/p.csv")"
run 2 study portrait "$carriage"
says err "--show is missing"
run 2 study portrait --show "a,b" "$carriage"
says err "'a' is not defined"
run 2 study portrait --show "x" "$carriage"
says err "two names"
for range in n2=8-18 n2=8:18 n2=8...18 n2=8…18 "n2=8 to 18"; do
  run 2 study continue "$range" "$carriage"
  says err "write n2=8..18"
done
run 2 study continue n2=8-18:100 "$carriage"
says err "write n2=8..18:100"
run 2 study linearize --sweep n2=8-18 "$carriage"
says err "write n2=8..18"
run 2 study steady --within 'nu[1]=0-1' "$carriage"
says err "write nu[1]=0..1"

# Families of many dimensions: the search ends by its budget of evaluations, and says so.
run 0 study equilibria --starts 4 --json "$examples/hands/hand.pf"
holds 'd["spent"] and d["evaluations"] < 40000 and d["starts"] <= 4'
run 0 study equilibria --starts 4 "$examples/hands/hand.pf"
says out "there may be more"
run 0 study equilibria --json "$examples/classics/double_pendulum.pf"
holds 'not d["spent"] and d["starts"] == 100 and d["evaluations"] > 100'

# A constraint with max: (1 + 1) u' = 3 - u above its corner, u' = 3 - u below, where z' is 2 whatever u is.
cat >"$place/max.pf" <<'END'
model corner
coord x, z [m]
kinetic (x'^2 + z'^2)*0.5 [kg]
force x = 3 [N] - 1 [N s/m]*x'
constraint c: z' = max(x', 2 [m/s])
END
{ cat "$place/max.pf"; echo "start x' = 3"; } >"$place/above.pf"
run 0 study linearize --json "$place/above.pf"
holds 'abs(min(e["re"] for e in d["points"][0]["eigenvalues"]) + 0.5) < 1e-12 and max(map(abs, d["points"][0]["rate"][2:])) < 1e-12'
{ cat "$place/max.pf"; echo "start x' = 1"; } >"$place/below.pf"
run 0 study linearize --json "$place/below.pf"
holds 'abs(min(e["re"] for e in d["points"][0]["eigenvalues"]) + 1) < 1e-12 and abs(max(d["points"][0]["rate"]) - 2) < 1e-12'
run 0 study linearize "$place/below.pf"
says out "at rest  no"
{ cat "$place/max.pf"; echo "speed u [m/s]"; echo "rate x' = u, z' = max(u, 2 [m/s])"; echo "start u = 3"; } >"$place/speed.pf"
run 0 study linearize --json "$place/speed.pf"
holds 'abs(min(e["re"] for e in d["points"][0]["eigenvalues"]) + 0.5) < 1e-12'
# two speeds for one degree of freedom are no state: z' = 3 would be as steady as z' = 2
{ cat "$place/max.pf"; echo "speed u = x', v = z'"; echo "start x' = 1"; } >"$place/speeds.pf"
run 1 study linearize "$place/speeds.pf"
says err "'c' binds the speed 'v'"
run 1 study steady "$place/speeds.pf"
says err "'c' binds the speed 'v'"

# On a circle x is a function of y except at y = -+l, where the equilibria are: they are found, but not followed.
cat >"$place/circle.pf" <<'END'
model circle
param g = 9.81, l = 0.5, k = 1
coord x, y
kinetic (x'^2 + y'^2)/2
potential g*y + k/2*x^2
constraint rod: x^2 + y^2 = l^2
start x = 0.49, y = -0.0995
END
run 1 study continue --equilibria k=1..2 "$place/circle.pf"
says err "fail at all 2 isolated equilibria"
sed 's/^start.*/start x = 0.3, y = -0.4/' "$place/circle.pf" >"$place/lower.pf"
run 0 study continue --equilibria k=1..2 --json "$place/lower.pf"
holds 'd["skipped"] == 0 and len(d["branches"]) == 2'

# Nearest first by the distances that are shown, also where lengths of a model are far apart: rest at (0, -+s) x (0, -+r).
cat >"$place/near.pf" <<'END'
model near
coord x, u [m]
param s = 1e-3 [m], r = 1e3 [m]
kinetic 1 [kg]/2*(x'^2 + u'^2)
potential 2 [N/m]*(x^2 - s^2)^2/s^2 + 3 [N/m]*(u^2 - r^2)^2/r^2
start x = 0.3*s, u = 0.2*r
END
run 0 study equilibria --json "$place/near.pf"
holds 'len(d["points"]) == 9 and [p["distance"] for p in d["points"]] == sorted(p["distance"] for p in d["points"])'
holds 'all(abs(p["distance"] - ((p["q"][0] - 3e-4)**2 + (p["q"][1] - 200)**2)**0.5) < 1e-8 for p in d["points"])'
holds 'all(abs(p["q"][0] - x) < 1e-12 for p, x in zip(d["points"], [0, 1e-3, -1e-3]))'
run 0 study linearize --near equilibrium --json "$place/near.pf"
holds 'd["points"][0]["x"][:2] == [0, 0]'

# Dry friction with a constraint: sign(0) = 0, so y = 1 is the only zero, though 1 -+ 0.125 are zeros of its sides.
cat >"$place/rubs.pf" <<'END'
coord y, z
kinetic (y'^2 + z'^2)/2
potential (y - 1)^2 + (z - 1)^2
constraint c: z = y
force y = -0.5*sign(y')
END
for study in steady equilibria; do
  run 0 study $study --json "$place/rubs.pf"
  holds 'len(d["points"]) == 1 and all(abs(q - 1) < 1e-9 for q in d["points"][0]["q"])'
done

# What is looked for has its own name.
run 1 study equilibria "$source/examples/wheels/cart.pf"
says err "so there are no equilibria"
run 1 study steady "$source/examples/wheels/cart.pf"
says err "so there are no steady motions"
run 1 study continue --equilibria m=1..2 "$source/examples/wheels/cart.pf"
says err "so there are no equilibria"
run 2 study portrait --show "x,y" --within z=0..1 "$carriage"
says err "not one of the two"
run 2 study poincare --show "x,y" "$carriage"
says err "--section is missing"
run 2 study poincare --show "x,y" --section t=0 "$carriage"
says err "positive time"
finish
