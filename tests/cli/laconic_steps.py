#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The steps of the laconic form, read as text and worked out again in numbers.

laconic_steps.py PFAFF SOURCE

At random values of all names, with derivatives by complex steps, which have no error of their own:
  - every bracket {P_a, P_b} = -f_p g_q + f_q g_p of the printed P_a(q, p), and zero where none is printed,
  - {P_a, L*} from the printed P_a and L*, and P_a* = dL*/domega_a,
  - Y = L* - p_i v_i from the printed v, and p_i v_i = P_a omega_a (+ P_0),
  - brackets with the printed momenta put in, and their sums B_a,
  - d/dt P_a* + {P_a, L*} = B_a + W_a* + Q_a, with omega' from the printed equations of motion.
The models are the examples without free and ball joints, whose steps contain direction cosines that depend on each other, one with
velocities that are affine in the speeds and depend on time, and one in which they are not linear."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from formulas import Formula, Unknown, solve

PFAFF, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
TOLERANCE = 1e-9  # of sums of many terms at random values; differences seen are below 1e-11
PAIR = re.compile(r"\{P_(.*), (?:P_(.*)|L_star|p_i v_i)\}(\*?)$")


def derive(model):
    done = subprocess.run([PFAFF, "derive", "--form", "laconic", "--steps", "--json", str(model)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def check(model):
    done = subprocess.run([PFAFF, "check", "--json", str(model)], capture_output=True, text=True)
    return json.loads(done.stdout)


class Model:
    def __init__(self, path, data):
        self.path, self.data, self.count = path, data, 0
        self.lines = {}
        for step in data["steps"]:
            for line in step["equations"]:
                formula = Formula(line["value"])
                put_in = line["name"].startswith("p_") and step["title"].startswith("Only now")
                self.lines[("put " if put_in else "") + line["name"]] = formula
        self.v = {name[2:]: f for name, f in self.lines.items() if name.startswith("v_")}
        self.rates = [e for e in data["unknowns"]]
        self.omega = [rate[:-1] for rate in self.rates]
        self.owner = [name[2:] for name in self.lines if name.startswith("P_") and not name.startswith(("P_star", "P_0"))]
        self.q = list(self.v)
        checked = check(path)
        self.plain = sorted(self.q) == sorted(checked["coordinates"])
        # Equations of motion may use positions on the constraints, and rates of abbreviations: such models are not moved.
        holonomic = any(c["kind"] == "holonomic" for c in checked["constraints"])
        rates = any(name.endswith("'") and name[:-1] in {w["name"] for w in data["where"]}
                    for e in data["equations"] for name in Formula(e["lhs"]).names)
        self.moves = self.plain and not holonomic and not rates

    def expect(self, what, got, wanted):
        self.count += 1
        if not abs(got - wanted) <= TOLERANCE*max(1, abs(got), abs(wanted)):
            sys.exit(f"{self.path.name}: {what}: {got} instead of {wanted}")

    def random_values(self, seed):
        rng = random.Random(seed)
        names = set().union(*(f.names for f in self.lines.values()))
        for e in self.data["equations"]: names |= Formula(e["lhs"]).names | Formula(e["rhs"]).names
        for w in self.data["where"]: names |= Formula(w["value"]).names
        names |= {f"p_{q}" for q in self.q} | set(self.q) | set(self.omega)
        return {name: rng.uniform(0.3, 1.3) for name in sorted(names)}

    def bracket(self, f, g, values):
        return sum(f.slope(values, q)*g.slope(values, f"p_{q}") - f.slope(values, f"p_{q}")*g.slope(values, q) for q in self.q)

    def check_brackets(self, values):
        P = {a: self.lines[f"P_{a}"] for a in self.owner}
        if "P_0" in self.lines: P["0"] = self.lines["P_0"]
        printed = {PAIR.match(name).groups()[:2]: f for name, f in self.lines.items() if PAIR.match(name) and PAIR.match(name).group(3) == ""}
        linear = not any("p_i v_i}" in name for name in self.lines)
        none = Formula("0")
        for i, a in enumerate(self.owner):
            change = self.lines.get(f"{{P_{a}, L_star}}", none)
            self.expect(f"{{P_{a}, L*}}", change.at(values), self.bracket(P[a], self.lines["L_star"], values))
            for b in list(P)[i + 1:] if linear else []:
                self.expect(f"{{P_{a}, P_{b}}}", printed.get((a, b), none).at(values), self.bracket(P[a], P[b], values))

    def check_sums(self, values):
        total = sum(values[f"p_{q}"]*self.v[q].at(values) for q in self.q)
        self.expect("Y", self.lines["Y"].at({**values, "L_star": 0}), -total)
        by_P = sum(self.lines[f"P_{a}"].at(values)*values[w] for a, w in zip(self.owner, self.omega))
        linear = not any(w in self.lines[f"P_{a}"].names for a in self.owner for w in self.omega)
        if linear: self.expect("P_a omega_a", by_P + (self.lines["P_0"].at(values) if "P_0" in self.lines else 0), total)
        for a, w in zip(self.owner, self.omega):
            self.expect(f"P_{a}*", self.lines[f"P_star_{a}"].at(values), self.lines["L_star"].slope(values, w))
        put = {**values, **{name[4:]: f.at(values) for name, f in self.lines.items() if name.startswith("put ")}}
        found = {a: 0 for a in self.owner}
        for name, f in self.lines.items():
            pair = PAIR.match(name)
            if not pair or pair.group(3) or "L_star" in name or name + "*" not in self.lines: continue
            a, b = pair.groups()[:2]
            star = self.lines[name + "*"].at(values)
            self.expect(name + "*", star, f.at(put))
            if a not in found: continue
            found[a] += star*(values[self.omega[self.owner.index(b)]] if b in found else 1)
            if b in found: found[b] -= star*values[self.omega[self.owner.index(a)]]
        for a in self.owner:
            if f"B_{a}" in self.lines: self.expect(f"B_{a}", self.lines[f"B_{a}"].at(values), found[a])

    def check_motion(self, values):
        names = dict(values)
        for q in self.q: names[f"{q}'"] = self.v[q].at(names)
        for _ in self.data["where"]:  # a name may contain others, in any order
            for w in self.data["where"]: names[w["name"]] = Formula(w["value"]).at(names)
        motion = [e for e in self.data["equations"] if e["section"] == "Equations of motion"][:len(self.omega)]
        left, right = [Formula(e["lhs"]) for e in motion], [Formula(e["rhs"]) for e in motion]
        G = [[f.slope(names, rate) for rate in self.rates] for f in left]
        still = {**names, **{rate: 0 for rate in self.rates}}
        rates = solve(G, [g.at(still) - f.at(still) for f, g in zip(left, right)])
        for a in self.owner:
            P = self.lines[f"P_star_{a}"]
            rate = sum(P.slope(values, q)*self.v[q].at(values) for q in self.q) + P.slope(values, "t")
            rate += sum(P.slope(values, w)*r for w, r in zip(self.omega, rates))
            change = self.lines.get(f"{{P_{a}, L_star}}")
            force = self.lines[f"Q_{a}"].at(names)
            for kind in ("B", "W_star"):
                if f"{kind}_{a}" in self.lines: force += self.lines[f"{kind}_{a}"].at({**values, **dict(zip(self.rates, rates))})
            self.expect(f"equation of {a}", rate + (change.at(values) if change else 0), force)


MORE = {
    # P_a of velocities that are not linear in the speeds, with speeds and time in them: (2.3) of the paper
    "nonlinear": """param m = 2
coord x, y, z
speed a, b
rate x' = a*cos(b), y' = a*sin(b), z' = a*(1 + x^2 + t*y)
kinetic m*(x'^2 + 3*y'^2 + z'^2)/2
constraint speeds: z'^2 = (x'^2 + y'^2)*(1 + x^2 + t*y)^2
start a = 1, b = 0.3
""",
    # a free term, and coefficients that change with time
    "affine": """param m = 2, c = 3
coord x, y, z
kinetic m*(x'^2 + y'^2 + z'^2)/2
constraint turning: z' = (sin(t) + x)*y' - c*y
potential m*x*z
"""}


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MORE.items(): pathlib.Path(folder, name + ".pf").write_text(text)
        check_all(sorted(ROOT.glob("examples/*/*.pf")) + sorted(pathlib.Path(folder).glob("*.pf")))


def check_all(paths):
    models, checks, moved = 0, 0, 0
    for path in paths:
        data = derive(path)
        if data is None or not data.get("steps"): continue
        try:
            model = Model(path, data)
            if not model.plain: continue
            for seed in range(20):  # roots must be real
                values = model.random_values(f"{path.stem} {seed}")
                if all(complex(f.at(values)).imag == 0 for f in model.lines.values()): break
            else: raise Unknown("roots")
            model.check_sums(values)
            model.check_brackets(values)
            if model.moves:
                model.check_motion(values)
                moved += 1
        except (Unknown, KeyError) as reason:
            print(f"{path.name}: not checked ({type(reason).__name__} {reason})")
            continue
        models, checks = models + 1, checks + model.count
    print(f"{models} models, {checks} numbers, {moved} with the equations of motion")
    if models < 55 or moved < 34: sys.exit("too few models could be read")


main()
