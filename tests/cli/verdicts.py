#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies agree with each other and with closed forms: every listed state is at rest or steady for 'study linearize' by
itself, with the same eigenvalues; no state or family is listed twice; every equilibrium is among the steady motions."""
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

program, source = sys.argv[1:3]
failures = []


def study(kind, model, *options, wanted=0):
    out = subprocess.run([program, "study", kind, "--json", *options, model], capture_output=True, text=True)
    if out.returncode != wanted:
        failures.append(f"study {kind} {os.path.basename(model)}: exit code {out.returncode}: {out.stderr[:200]}")
    return json.loads(out.stdout) if out.stdout.startswith("{") else {}


def check(holds, what):
    if not holds:
        failures.append(what)


def turned(d):
    return d - 2*math.pi*round(d/(2*math.pi))


def spectrum(point):
    """Eigenvalues as a sorted list of pairs, without zeros: those of cyclic coordinates are not listed everywhere."""
    size = max([math.hypot(*e) for e in point["eigenvalues"]], default=0)
    return sorted([e for e in point["eigenvalues"] if math.hypot(*e) > 1e-5*(1 + size)])


def compare(name, kind, model, listed):
    for i, point in enumerate(listed.get("points", [])):
        state = [f"--state={n}={q!r}" for n, q in zip(listed["coordinates"], point["q"])]
        state += [f"--state={n}'={v!r}" for n, v in zip(listed["coordinates"], point["v"])]
        linear = study("linearize", model, *state)
        one = (linear.get("points") or [{}])[0]
        what = f"{name} {kind} {i + 1}"
        allowed = ("rest",) if kind == "equilibria" else ("rest", "steady")
        check(one.get("motion") in allowed, f"{what}: linearize calls it {one.get('motion')}")
        a, b = spectrum(point), spectrum({"eigenvalues": [[e["re"], e["im"]] for e in one.get("eigenvalues", [])]})
        same = len(a) == len(b) and all(math.dist(x, y) < 1e-4*(1 + math.hypot(*x)) for x, y in zip(a, b))
        check(same, f"{what}: eigenvalues {a}, by linearize {b}")
        check((point["stability"] == "unstable") == any(e[0] > 1e-5*(1 + math.hypot(*e)) for e in b), f"{what}: stability")


def check_once(name, kind, listed):
    points = listed.get("points", [])
    for i, a in enumerate(points):
        for b in points[:i]:
            away = max([abs(turned(x - y)) for x, y in zip(a["q"], b["q"])] +
                       [abs(x - y) for x, y in zip(a["v"], b["v"])], default=1)
            parallel = a["family"] == b["family"] and a["free"] == b["free"]
            check(away > 1e-5 or not parallel, f"{name} {kind}: one state twice")


examples = ["double_pendulum_bodies", "four_bar", "magnet_pendulum", "henon_heiles", "knife_edge", "leaning_disc",
            "carriage_n", "carriage_steady", "cart_pendulum", "sleigh_friction", "rolling_ball", "chaplygin_sleigh"]
none = {("carriage_steady", "equilibria")}
for name in examples:
    model, = glob.glob(f"{source}/examples/*/{name}.pf")
    found = {}
    for kind in ("equilibria", "steady"):
        found[kind] = study(kind, model, wanted=1 if (name, kind) in none else 0)
        check_once(name, kind, found[kind])
        compare(name, kind, model, found[kind])
    rest = [p["q"] for p in found["equilibria"].get("points", []) if not p["family"]]
    steady = [p for p in found["steady"].get("points", [])]
    for q in rest:
        near = any(all(abs(turned(x - y)) < 1e-5 for x, y in zip(q, p["q"])) or p["family"] for p in steady)
        check(near, f"{name}: an equilibrium is no steady motion")

# rolling_ball: it turns about its upright axis, either way up, or is at rest in any attitude
counts = {"knife_edge": 2, "rolling_ball": 3, "cart_pendulum": 16, "carriage_n": 2, "chaplygin_sleigh": 1}
for name, count in counts.items():
    model, = glob.glob(f"{source}/examples/*/{name}.pf")
    points = study("steady", model).get("points", [])
    check(len(points) == count, f"{name}: {len(points)} steady motions, not {count}")

# Seven by the symmetry of three magnets; the search need not find all of them.
model, = glob.glob(f"{source}/examples/*/magnet_pendulum.pf")
check(5 <= len(study("steady", model).get("points", [])) <= 7, "magnet_pendulum: other steady motions")

# Driven for ever, with no steady motion: the independent velocities end where one was seen.
for name in ("snakeboard", "ball_between_plates"):
    model, = glob.glob(f"{source}/examples/*/{name}.pf")
    study("steady", model, wanted=1)

# The bicycle at 5 m/s: straight ahead, one family, stable; nothing listed twice.
model, = glob.glob(f"{source}/examples/*/bicycle.pf")
bicycle = study("steady", model)
check_once("bicycle", "steady", bicycle)
first = bicycle["points"][0]
check(first["family"] == 1 and first["free"] == ["spin_r'"] and first["stability"] == "stable", "bicycle: straight ahead")
check(len(bicycle["points"]) <= 18, "bicycle: too many families")

with tempfile.TemporaryDirectory() as place:
    def text(name, lines):
        with open(f"{place}/{name}.pf", "w", encoding="utf-8") as file:
            file.write(lines)
        return f"{place}/{name}.pf"

    # A bead on a hoop that turns: cos(a) = g/(r w^2) beside top and bottom where w^2 > g/r.
    hoop = text("hoop", "param w = 6, g = 9.81, r = 0.5\ncoord a\nkinetic r^2/2*(a'^2 + w^2*sin(a)^2)\n"
                "potential -g*r*cos(a)\n")
    for w in (3, 6, 12):
        points = study("equilibria", hoop, "-p", f"w={w}", "--within", "a=-3..3.2").get("points", [])
        wanted = 4 if w*w > 9.81/0.5 else 2
        angles = {round(abs(turned(p["q"][0])), 6) for p in points}
        places = {(round(math.cos(p["q"][0]), 6), round(math.sin(p["q"][0]) + 1e-9, 6)) for p in points}
        check(len(places) == wanted, f"hoop at {w}: {places}")
        if wanted == 4:
            check(round(math.acos(9.81/0.5/w/w), 6) in angles, f"hoop at {w}: {angles}")
    branches = study("continue", hoop, "w=2..8:50", "--equilibria", "--within", "a=-3..3.2")
    special = branches.get("special", [])
    check(special and all(s["kind"] == "branch point" and abs(s["parameter"] - math.sqrt(9.81/0.5)) < 1e-6
                          for s in special), f"hoop: {special}")
    check(not any(p["stability"] == "stable" for b in branches["branches"] for p in b["points"]),
          "hoop: stable without friction")

    # A constraint with a kink: x = 0, z' = 2 on the side of rest; eigenvalues those of x'' = -x.
    kink = text("kink", "coord x, z\nkinetic (x'^2 + 3*z'^2)/2\npotential x^2/2\nconstraint c: z' = max(x', 2)\n"
                "start x' = 3\n")
    points = study("steady", kink).get("points", [])
    check(len(points) == 1 and abs(points[0]["v"][1] - 2) < 1e-9 and abs(points[0]["eigenvalues"][0][1] - 1) < 1e-9,
          "z' = max(x', 2): other steady motions")

    # A drive with an integrator: e = phi' = want, however far that is from the start.
    drive = text("drive", "param want = 100\ncoord phi, e\nkinetic phi'^2/2\nconstraint i: e' = want - phi'\n"
                 "force phi = e - phi'\n")
    for want in (1, 50, 100, 1000):
        points = study("steady", drive, "-p", f"want={want}").get("points", [])
        check(len(points) == 1 and abs(points[0]["v"][0] - want) < 1e-6*want, f"a drive at {want}: {points}")

for line in failures:
    print("FAILED:", line)
sys.exit(1 if failures else 0)
