#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Invariant measures of 'pfaff study measure', against equations that are not those of the study.

measure.py PFAFF SOURCE

  - div(density*rate) = 0 at random states, with the rates of the printed equations of 'derive --form laconic' and derivatives by
    complex steps, for every example in which both can be read,
  - Chaplygin's sphere, Suslov's problem and the carriages by equations that are written here,
  - Chaplygin's sleigh, the piano wheel, the disc, the stone: what is known."""
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from formulas import STEP, Formula, Unknown, solve

PFAFF, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
TOLERANCE = 1e-8  # of the largest term; differences seen are below 1e-10


def call(*words):
    done = subprocess.run([PFAFF, *map(str, words)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else sys.exit(f"{words}: {done.stderr}")


def study(name, *options):
    return call("study", "measure", "--json", *options, ROOT/"examples"/name)


def expect(what, good, found=""):
    if not good: sys.exit(f"{what}: {found}")


def divergence(rates, density, names, values):
    """div(density*rates) and the sum of the sizes of its terms."""
    total, size = 0.0, 0.0
    for i, name in enumerate(names):
        at = {**values, name: values[name] + 1j*STEP}
        term = (density(at)*rates(at)[i]).imag/STEP
        total, size = total + term, size + abs(term) + abs(density(values)*rates(values)[i])
    return total, size


def check(what, rates, density, names, sample, tries=3):
    for _ in range(tries):
        values = sample()
        while any(complex(z).imag for z in [density(values), *rates(values)]): values = sample()  # roots of negative numbers
        total, size = divergence(rates, density, names, values)
        expect(f"{what}: div(density*rate)", abs(total) <= TOLERANCE*size, total)


# ---------------------------------------------------------------- by the printed equations

def printed_rates(data, names):
    """The rates of coordinates and pseudo-velocities as functions of the values of all names."""
    equations = [e for e in data["equations"] if e["section"] == "Equations of motion"][:len(data["unknowns"])]
    left, right = [Formula(e["lhs"]) for e in equations], [Formula(e["rhs"]) for e in equations]
    where = [(w["name"], Formula(w["value"])) for w in data["where"]]
    velocities = {e["lhs"][:-1]: Formula(e["rhs"]) for e in data["equations"] if e["section"] == "Velocities" and e["lhs"].endswith("'")}
    short = {name for name, _ in where}
    if any(n.endswith("'") and n[:-1] in short for f in left + right for n in f.names): raise Unknown("a rate of an abbreviation")

    def complete(values):
        full = dict(values)
        for _ in range(1 + len(velocities)):
            for name, f in velocities.items(): full[name + "'"] = f.at(full)
        for _ in where:
            for name, f in where: full[name] = f.at(full)
        return full

    def rates(values):
        full = complete(values)
        still = {**full, **{rate: 0 for rate in data["unknowns"]}}
        base = [g.at(still) - f.at(still) for f, g in zip(left, right)]
        G = [[f.at({**still, rate: 1}) - f.at(still) for rate in data["unknowns"]] for f in left]
        found = dict(zip([rate[:-1] for rate in data["unknowns"]], solve(G, base)))
        return [found[n] if n in found else full[n + "'"] for n in names]

    formulas = left + right + [f for _, f in where] + list(velocities.values())
    return rates, set().union(*(f.names for f in formulas)) | {n + "'" for n in velocities}


def by_printed_equations():
    count = 0
    for path in sorted(ROOT.glob("examples/*/*.pf")):
        found = subprocess.run([PFAFF, "study", "measure", "--json", path], capture_output=True, text=True)
        found = json.loads(found.stdout) if found.returncode == 0 else {}
        if not found.get("found") or not found["for_all_parameters"] or found["attitudes"]: continue
        checked = call("check", "--json", path)
        if any(c["kind"] == "holonomic" for c in checked["constraints"]): continue
        data = call("derive", "--form", "laconic", "--json", path)
        if any(e["section"].startswith("Constraints that hold") for e in data["equations"]): continue
        try:
            density = Formula(found["density"])
            rates, names = printed_rates(data, found["volume"])
        except Unknown:
            continue
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        rng = random.Random(path.stem)

        def sample():
            values = {n: rng.uniform(0.3, 1.3) for n in sorted(names | density.names | set(found["volume"]))}
            for n in values:  # a parameter that is 0 leaves something out of the model
                if re.search(rf"\b{re.escape(n.split('[')[0])}(\[\d+\])?\s*=\s*0\s*(\[|,|$)", text, re.M): values[n] = 0.0
            return values
        try:
            check(path.stem, rates, density.at, found["volume"], sample)
        except (KeyError, OverflowError) as reason:
            print(f"{path.name}: not checked ({type(reason).__name__} {reason})")
            continue
        count += 1
    print(f"{count} examples by their printed equations")
    expect("enough examples were read", count >= 15, count)


# ---------------------------------------------------------------- by equations that are written here

def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def chaplygin_sphere():
    """K' = K x w, gamma' = gamma x w with K = (J + D) w - D (gamma.w) gamma, D = m R^2, in w and gamma."""
    found = study("balls-and-discs/chaplygin_sphere.pf")
    expect("Chaplygin's sphere", found["smooth"] and found["for_all_parameters"] and found["attitudes"], found)
    density = Formula(found["density"])
    rng = random.Random(3)
    names = ["ball.wx", "ball.wy", "ball.wz", "ball.gx", "ball.gy", "ball.gz"]

    def rates(v):
        J, D = [v["A"], v["B"], v["C"]], v["m"]*v["R"]**2
        w, g = [v[n] for n in names[:3]], [v[n] for n in names[3:]]
        along = sum(a*b for a, b in zip(g, w))
        K = [(J[i] + D)*w[i] - D*along*g[i] for i in range(3)]
        g_rate = cross(g, w)
        turning = sum(a*b for a, b in zip(g_rate, w))  # gamma'.w
        right = [x + D*turning*g[i] + D*along*g_rate[i] for i, x in enumerate(cross(K, w))]
        matrix = [[(J[i] + D if i == k else 0) - D*g[i]*g[k] for k in range(3)] for i in range(3)]
        return solve(matrix, right) + g_rate

    def sample():
        z = [rng.gauss(0, 1) for _ in range(3)]
        length = math.sqrt(sum(a*a for a in z))
        return {**{n: rng.uniform(0.3, 1.3) for n in names[:3] + ["A", "B", "C", "m", "R"]},
                **dict(zip(names[3:], [a/length for a in z]))}
    # The density may use |gamma| = 1, which the motion keeps: off the sphere gamma is made a unit vector.
    def extended(v):
        length = sum(v[n]**2 for n in names[3:])**0.5
        return density.at({**v, **{n: v[n]/length for n in names[3:]}})
    check("Chaplygin's sphere", rates, extended, names, sample, 5)


def suslov():
    """I w' = I w x w + lambda e_z with w_z = 0: A w1' = -L w2, B w2' = L w1, L = I13 w1 + I23 w2."""
    spin = ["(cos(c)*b' + sin(b)*sin(c)*a')", "(-sin(c)*b' + sin(b)*cos(c)*a')", "(cos(b)*a' + c')"]
    lines = ["param A = 2, B = 3, E = 0.3, F = 0.7", "coord a, b, c", f"speed w1 = {spin[0]}, w2 = {spin[1]}",
             "kinetic A*{0}^2/2 + B*{1}^2/2 + 2*{2}^2 + E*{0}*{2} + F*{1}*{2}".format(*spin), f"constraint suslov: {spin[2]} = 0",
             "start b = 1, b' = 1"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "suslov.pf")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        found = call("study", "measure", "--json", path)
    expect("Suslov's problem", found["found"] and not found["smooth"] and found["volume"] == ["w1", "w2"], found)
    density = Formula(found["density"])
    rng = random.Random(5)

    def rates(v):
        L = v["E"]*v["w1"] + v["F"]*v["w2"]
        return [-L*v["w2"]/v["A"], L*v["w1"]/v["B"]]
    check("Suslov's problem", rates, density.at, ["w1", "w2"], lambda: {n: rng.uniform(0.3, 1.3) for n in ("w1", "w2", "A", "B", "E", "F")})


def carriages():
    """A nu' = (nu2 nu3, -nu1 nu3, 0)/Lambda of Zobova 2011, (5.1), for three omni wheels; with motors volume shrinks."""
    found = study("wheels/carriage_inertia.pf")
    expect("the carriage by inertia", found["density"] == "1/abs(nu[3])" and not found["smooth"] and found["for_all_parameters"], found)
    rng = random.Random(7)

    def rates(v):
        Xi = [[0, 1, v["sigma"]], [0, -1, v["sigma"]], [-1, 0, v["rho"]]]
        A = [[(i == k) + v["lambda2"]*sum(Xi[w][i]*Xi[w][k] for w in range(3)) for k in range(3)] for i in range(3)]
        nu = [v[f"nu[{i}]"] for i in (1, 2, 3)]
        return solve(A, [nu[1]*nu[2]/v["Lambda"], -nu[0]*nu[2]/v["Lambda"], 0])
    names = [f"nu[{i}]" for i in (1, 2, 3)]
    check("the carriage by inertia", rates, Formula(found["density"]).at, names,
          lambda: {n: rng.uniform(0.3, 1.3) for n in names + ["sigma", "rho", "lambda2", "Lambda"]})
    driven = study("wheels/carriage_omni3.pf")
    expect("the driven carriage", not driven["found"] and driven["obstacle"]["rate"] < 0 and len(driven["tried"]) > 5, driven)


def known():
    sleigh = study("skates/chaplygin_sleigh.pf")
    expect("the sleigh", sleigh["density"] == "1/abs(theta')" and not sleigh["smooth"], sleigh)
    # Straight motion at the speed u: one eigenvalue is not zero, m a u/(I + m a^2) but for the sign.
    values = {m[1]: float(m[2]) for m in re.finditer(r"\b(m|I|a)\s*=\s*([\d.]+)", (ROOT/"examples/skates/chaplygin_sleigh.pf").read_text())}
    obstacle = sleigh["obstacle"]
    speed = math.hypot(*obstacle["v"][:2])
    rate = values["m"]*values["a"]*speed/(values["I"] + values["m"]*values["a"]**2)
    expect("the rate of volume at the straight motion of the sleigh", abs(abs(obstacle["rate"]) - rate) < 1e-9*rate, (obstacle, rate))
    balanced = study("skates/chaplygin_sleigh.pf", "-p", "a=0")
    expect("the balanced sleigh", balanced["density"] == "1" and balanced["smooth"] and balanced["obstacle"] is None, balanced)
    piano = study("wheels/piano_wheel.pf")
    expect("the piano wheel", piano["density"] == "1" and piano["smooth"] and piano["for_all_parameters"], piano)
    disc = study("balls-and-discs/leaning_disc.pf")
    expect("the disc", disc["smooth"] and disc["for_all_parameters"], disc)
    stone = study("balls-and-discs/rattleback.pf")
    expect("the rattleback", not stone["found"] and len(stone["tried"]) > 10, stone)
    friction = study("classics/incline_friction.pf")
    expect("dry friction", "friction" in friction["why_not"] and not friction["found"], friction)
    # Chaplygin's multiplier of the nonholonomic particle z' = x y': N = 1/sqrt(1 + x^2), all masses 1.
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "particle.pf")
        path.write_text("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint particle: z' = x*y'\nstart x = 1, y' = 1\n")
        particle = call("study", "measure", "--json", path)
        expect("the nonholonomic particle", particle["smooth"] and particle["multiplier"], particle)
        for x in (0.3, 1.7):
            ratio = Formula(particle["multiplier"]).at({"x": x})*math.sqrt(1 + x*x)
            expect("its multiplier", abs(ratio - Formula(particle["multiplier"]).at({"x": 0.0})) < 1e-12, ratio)
        # x'' = -x'^2 - x: exp(2 x); decay at a constant rate: nothing.
        path.write_text("coord x\nkinetic x'^2/2\nforce x = -x'^2 - x\nstart x' = 1\n")
        drag = call("study", "measure", "--json", path)
        expect("quadratic drag", drag["density"] == "exp(2*x)" and drag["smooth"], drag)
        path.write_text("coord x, y\nkinetic x'^2/2 + y'^2/2\nforce x = -x' - x\nforce y = -2*y' - y\nstart x' = 1\n")
        decay = call("study", "measure", "--json", path)
        expect("decay", not decay["found"] and abs(decay["obstacle"]["rate"] + 3) < 1e-9, decay)


known()
carriages()
suslov()
chaplygin_sphere()
by_printed_equations()
