# SPDX-License-Identifier: Apache-2.0
"""Motions of portraits and sections are those of a run: events, switches, methods, against closed forms and 'pfaff run'."""
import csv, json, math, os, subprocess, sys, tempfile

program, examples, place, failures = sys.argv[1], os.path.join(sys.argv[2], "examples"), tempfile.mkdtemp(), []
HENON = os.path.join(examples, "classics", "henon_heiles.pf")


def check(what, holds, seen=""):
    if not holds:
        failures.append(what)
        print("FAIL", what, seen)


def write(name, text):
    path = os.path.join(place, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def study(kind, *arguments):
    """The result, and what was said beside it."""
    done = subprocess.run([program, "study", kind, "--json", *arguments], capture_output=True, text=True)
    if done.returncode:
        check(f"study {kind} {' '.join(arguments)}", False, done.stderr)
        sys.exit(1)
    return json.loads(done.stdout), done.stderr


def most(list):
    return max(map(abs, list), default=0)


# A block on a spring with dry friction 0.1, from 1: it swings about 0.1 and -0.1 in turn, turns at -0.8, 0.6, -0.4, 0.2, and
# rests from t = 5 pi on.
dry = write("dry.pf", "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.1*sign(x')\nstart x = 1\n")


def swing(t):
    k = int(t/math.pi)
    if k >= 5: return 0
    center, begin = 0.1*(-1)**k, (1 - 0.2*k)*(-1)**k
    return center + (begin - center)*math.cos(t - k*math.pi)


for by, tolerance in (["dopri5"], 1e-7), (["dop853"], 1e-7), (["rk4", "--step", "0.01"], 1e-7), (["dopri5", "--form", "maggi"], 1e-7), \
        (["generalized_alpha", "--step", "0.001"], 1e-4):
    d, said = study("poincare", "--section", "t=5", "--show", "x,x'", "--for", "40", "--by", *by, dry)
    check(f"{by}: eight instants", d["t"] == list(range(5, 41, 5)), d["t"])
    check(f"{by}: the friction that switches", most(x - swing(t) for x, t in zip(d["a"], d["t"])) < tolerance, d["a"])
    check(f"{by}: it rests", most(d["b"][3:]) < 1e-12, d["b"])
    check(f"{by}: no exponent", d["lyapunov"] is None and "deviations jump where forces switch" in said, said)
d, said = study("portrait", "--show", "x,x'", "--starts", "4", "--for", "40", dry)
check("forwards only", "the curves go forwards in time only: the model has forces that switch" in said, said)
check("four curves", len(d["curves"]) == 4)
for c in d["curves"]:
    check("a curve to the end of its time", c["end"] == "end of the time" and len(c["a"]) == 601 and c["a"][0] == c["start"][0], c["end"])
    check("it sticks where the spring pulls less than friction", abs(c["a"][-1]) <= 0.1 + 1e-9 and most(c["b"][-50:]) < 1e-12, c["a"][-1])

# Where it rests, rounding passes nothing: it turns upwards at pi and 3 pi. What comes to rest from below passes where it leaves upwards:
# stopped by 1 + t/10 at t = 0.95, it is moved by a force that exceeds the friction of 1 from t = 10 on.
pulled = write("pulled.pf", "param F = 1\ncoord x\nkinetic x'^2/2\nforce x = t/10 - F*sign(x')\nstart x' = -1\n")
tried = subprocess.run([program, "run", "--by", "ida", pulled], capture_output=True, text=True)
for by in ["dopri5"], ["dop853"], ["rk4", "--step", "0.01"], ["generalized_alpha"], ["rattle"], ["cvode_bdf"], ["cvode_adams"], ["ida"], ["ida2"]:
    if by[0][:3] in ("cvo", "ida") and "needs the library" in tried.stderr: continue
    d, said = study("poincare", "--section", "x'=0", "--show", "x,x'", "--for", "40", "--by", *by, dry)
    check(f"{by}: two turns", len(d["t"]) == 2 and most([d["t"][0] - math.pi, d["t"][1] - 3*math.pi]) < 1e-4, d["t"])
    check(f"{by}: where it turns", most([d["a"][0] + 0.8, d["a"][1] + 0.4]) < 1e-4, d["a"])
    d, said = study("poincare", "--section", "x'=0", "--show", "x,x'", "--for", "12", "--by", *by, pulled)
    check(f"{by}: it leaves once", len(d["t"]) == 1 and abs(d["t"][0] - 10) < 1e-3, d["t"])

# On a belt of velocity 1 the block slips as x = 0.2 + sin(t), whose velocity reaches that of the belt once in a period: closed.
belt = write("belt.pf", "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x = -0.2*sign(x' - 1)\nstart x = 0.2, x' = 1\n")
d, said = study("portrait", "--show", "x,x'", "--starts", "1", "--for", "20", belt)
check("the cycle that touches the belt", abs(d["curves"][0]["period"] - 2*math.pi) < 1e-7, d["curves"][0]["end"])

# Events happen as in a run: y = t is locked at t = 4, and x = cos(t) passes 0 upwards at 3 pi/2 and later.
lock = write("lock.pf", "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2/2\nstart x = 1, y' = 1\nwhen t = 4 { lock y }\nrun 12\n")
for by in ["dopri5"], ["rk4", "--step", "0.01"], ["rattle", "--step", "0.001"]:
    tolerance = 1e-5 if by[0] == "rattle" else 1e-7
    d, said = study("poincare", "--section", "x=0", "--show", "y,x'", "--by", *by, lock)
    check(f"{by}: two passages", len(d["t"]) == 2 and most(t - (1.5 + 2*i)*math.pi for i, t in enumerate(d["t"])) < tolerance, d["t"])
    check(f"{by}: what is locked stays", most(y - 4 for y in d["a"]) < 1e-9 and most(v - 1 for v in d["b"]) < tolerance, d)
    check(f"{by}: no exponent", d["lyapunov"] is None and "deviations jump at events" in said, said)
    check(f"{by}: events are not left out", "left out" not in said, said)
d, said = study("portrait", "--show", "x,y", "--starts", "1", "--within", "x=-2..2,y=-2..6", lock)
check("forwards only with events", "the curves go forwards in time only: the model has events" in said, said)
check("a curve through an event", d["curves"][0]["end"] == "end of the time" and abs(d["curves"][0]["b"][-1] - 4) < 1e-9)
# A jump is no passage: at t = 1 the velocity falls from 1 to 0, through 0.5; downwards and upwards alike.
d, said = study("poincare", "--section", "y'=0.5", "--show", "x,y", lock)
check("a jump is no passage", d["t"] == [], d["t"])

# A section is a motion of 'pfaff run': the same numbers at the times where it was passed.
method = ["--for", "20", "--by", "dop853", "--rtol", "1e-10"]
for model in HENON, dry, lock:
    section = ["--section", "x'=0" if model == HENON else "x=0", "--show", "x,x'"]
    d, said = study("poincare", *section, *method, model)
    out = os.path.join(place, "run.csv")
    subprocess.run([program, "run", "--at", ",".join(map(repr, d["t"])), "--show", "x,x'", "--out", out, *method, model],
                   check=True, capture_output=True)
    head, *rows = csv.reader(open(out))
    rows = {row[0]: row for row in rows}
    check("points", len(d["t"]) > 1)
    for t, a, b in zip(d["t"], d["a"], d["b"]):
        row = min(rows.values(), key=lambda row: abs(float(row[0]) - t))
        check(f"{model}: as in a run at t = {t}", most([float(row[0]) - t, float(row[1]) - a, float(row[2]) - b]) < 1e-12, (row, a, b))

# A run that stops by its condition stops here too.
until = write("until.pf", "coord x\nkinetic x'^2/2\nstart x' = 1\nrun 9 until x > 2.5\n")
d, said = study("poincare", "--section", "t=1", "--show", "x,x'", until)
check("until", d["t"] == [1, 2] and "'until'" in d["ended_early"], d)
d, said = study("portrait", "--show", "x,x'", "--starts", "1", until)
check("until of a portrait", "'until'" in d["curves"][0]["end"] and d["curves"][0]["a"][-1] < 2.6, d["curves"][0]["end"])
# The energy, a name of the studies; and what the model plots, by the names of its columns.
d, said = study("poincare", "--section", "q=0", "--show", "energy,q'", "--for", "20", write("body.pf",
                "coord q\nkinetic q'^2/2\npotential -cos(q)\nstart q = 1\n"))
check("the energy is that of the start", len(d["a"]) == 3 and most(e + math.cos(1) for e in d["a"]) < 1e-8, d["a"])
arm = write("arm.pf", "coord q [rad]\nbody b in ground turn q about z at (1 [m], 0 [m], 0 [m]) { mass 1 [kg] }\nstart q' = 1\nplot pos(b), vel(b)\n")
d, said = study("poincare", "--section", "pos(b).y=0 [m]", "--show", "pos(b).x,vel(b).y", "--for", "20", arm)
check("components of vectors", len(d["a"]) == 3 and most(x - 1 for x in d["a"] + d["b"]) < 1e-8, d)
sys.exit(bool(failures))
