#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random starts. Models are made so that a consistent start exists that keeps all given values; then they must be kept, exactly, and
the constraints, evaluated here, must hold. How many independent copies of a mechanism there are must not matter, to the last bit, and
what no unmet constraint contains stays at zero."""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

program, failures = sys.argv[1], 0


def check(good, words):
    global failures
    if not good:
        failures += 1
        print("FAILED:", words)


def start(place, text):
    path = place / "model.pf"
    path.write_text(text)
    done = subprocess.run([program, "run", "--json", "--at", "0", path], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    d = json.loads(done.stdout)
    return dict(zip(d["columns"], d["rows"][0])), done.stderr


class Mechanism:
    """Coordinates with random masses, some of them none; random constraints through a known configuration and known velocities.
    The open values lie near zero, from where they are looked for, and the constraints determine them."""

    def __init__(self, rng):
        n = rng.randint(3, 6)
        m = rng.randint(1, n - 1)
        self.n, self.m = n, m
        opened = rng.sample(range(n), m)
        self.q = [rng.uniform(-0.3, 0.3) if j in opened else round(rng.uniform(-2, 2), 6) for j in range(n)]
        self.given = [j for j in range(n) if j not in opened]
        self.mass = [rng.choice([0, 1e-6, 1, 30]) if j in opened else 10**rng.uniform(-2, 2) for j in range(n)]
        self.rows = []
        for i in range(m):
            terms = [(j, rng.uniform(-1, 1), rng.choice(["sin", "square", "line"])) for j in range(n) if rng.random() < 0.6]
            terms.append((opened[i], rng.choice([-1, 1])*rng.uniform(4, 6), "line"))  # rows are dominated by their own value
            self.rows.append(terms)
        self.constants = [sum(self.value(t, self.q) for t in row) for row in self.rows]

    @staticmethod
    def value(term, q):
        j, factor, kind = term
        return factor*(math.sin(q[j]) if kind == "sin" else q[j]**2 if kind == "square" else q[j])

    def text(self, name):
        def word(term):
            j, factor, kind = term
            x = f"{name}_{j}"
            return f"({factor!r})*" + (f"sin({x})" if kind == "sin" else f"{x}^2" if kind == "square" else x)
        lines = ["coord " + ", ".join(f"{name}_{j}" for j in range(self.n))]
        lines += [f"kinetic {m!r}*{name}_{j}'^2/2" for j, m in enumerate(self.mass) if m]
        lines += [f"constraint {name}_c{i}: " + " + ".join(map(word, row)) + f" = {self.constants[i]!r}" for i, row in enumerate(self.rows)]
        lines += [f"start {name}_{j} = {self.q[j]!r}, {name}_{j}' = {(j + 1)/8!r}" for j in self.given]
        return "\n".join(lines) + "\n"

    def miss(self, row, name):
        q = [row[f"{name}_{j}"] for j in range(self.n)]
        return max(abs(sum(self.value(t, q) for t in terms) - c) for terms, c in zip(self.rows, self.constants))


def given_values_are_kept(rng, place):
    mechanism = Mechanism(rng)
    text = mechanism.text("a") + "run 1\n"
    row, said = start(place, text)
    check(row is not None, f"no start: {said}\n{text}")
    if row is None:
        return
    kept = all(row[f"a_{j}"] == mechanism.q[j] and row[f"a_{j}'"] == (j + 1)/8 for j in mechanism.given)
    check(kept and "cannot hold" not in said, f"given values are not kept: {row}\n{text}")
    check(mechanism.miss(row, "a") < 1e-10, f"constraints are missed by {mechanism.miss(row, 'a')}\n{text}")
    near = max(abs(row[f"a_{j}"] - mechanism.q[j]) for j in range(mechanism.n))
    check(near < 1e-9, f"another solution than the one nearby: {row}, not {mechanism.q}\n{text}")


def four_bar(name, crank, sides):
    a, b, c, d = sides
    return (f"coord {name}_a, {name}_b, {name}_c\nkinetic {name}_a'^2/2 + {name}_b'^2 + {name}_c'^2\n"
            f"constraint {name}_x: {a}*cos({name}_a) + {b}*cos({name}_b) - {c}*cos({name}_c) = {d}\n"
            f"constraint {name}_y: {a}*sin({name}_a) + {b}*sin({name}_b) - {c}*sin({name}_c) = 0\nstart {name}_a = {crank}\n")


def copies_do_not_matter(rng, place):
    crank = round(rng.uniform(0.2, 2.8), 3)
    sides = (1, round(rng.uniform(2.5, 3.5), 2), round(rng.uniform(1.8, 2.4), 2), round(rng.uniform(2.6, 3.2), 2))
    seen = []
    for count in (1, 10, 20, 40):
        row, said = start(place, "".join(four_bar(f"m{k}", crank, sides) for k in range(count)) + "run 1\n")
        check(row is not None, f"no start: {said}")
        if row is None:
            return
        for k in range(count):
            seen.append((row[f"m{k}_b"], row[f"m{k}_c"]))
            check(row[f"m{k}_a"] == crank, f"the crank is at {row[f'm{k}_a']}, not {crank}")
    check(len(set(seen)) == 1, f"copies of one mechanism start differently: {sorted(set(seen))}")


# A crane: the rope is prescribed; the trolley has no part in it. A robot on its wheel: put on the floor, not turned.
CRANE = """coord x, a, l
gravity (0, -9.81, 0)
body cart in ground at (x, 0, 0) { mass 10 }
body load in cart turn a about z at (0, -l, 0) { mass 5 }
prescribe l = 3 + 0.1*sin(t)
start a = 0.1
run 1
"""
ROBOT = """coord x, y, z, a, b, s, w
gravity (0, 0, -9.81)
body base in ground at (x, y, z) turn a about z turn b about y { mass 10, inertia diag(1, 1, 1) }
body arm in base at (s, 0, 0.4) turn w about y { mass 3, inertia diag(0.1, 0.1, 0.1) }
point foot in base at (0.8, 0, -1.5)
constraint floor: dot(pos(foot), (0, 0, 1)) = 0.2
run 1
"""


def only_what_is_named_moves(place):
    row, said = start(place, CRANE)
    check(row and row["x"] == 0 and row["x'"] == 0 and row["a"] == 0.1 and row["l"] == 3 and abs(row["l'"] - 0.1) < 1e-15,
          f"the crane starts at {row} {said}")
    row, said = start(place, ROBOT)
    check(row and abs(row["z"] - 1.7) < 1e-14 and all(row[k] == 0 for k in "xyabsw"), f"the robot starts at {row} {said}")


def main():
    rng = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        only_what_is_named_moves(place)
        for _ in range(60):
            given_values_are_kept(rng, place)
        for _ in range(8):
            copies_do_not_matter(rng, place)
    if failures:
        sys.exit(1)
    print("random starts as expected")


main()
