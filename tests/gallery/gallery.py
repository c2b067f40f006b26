# SPDX-License-Identifier: Apache-2.0
"""What the tests of the examples share: run the program, compare, integrate by other means."""
import json
import math
import pathlib
import subprocess
import sys

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
EXACT = ["--by", "dop853", "--rtol", "1e-12"]
tests, failures = [], []


def model(name):
    """A decorator: the function tests this example. tests/gallery/every.py looks for it."""
    def register(function):
        tests.append((name, function))
        return function
    return register


def path(name):
    return next(SOURCE.glob(f"examples/*/{name}.pf"))


def expect(what, holds, found=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}: {found}")


def near(what, found, wanted, tolerance):
    expect(what, abs(found - wanted) <= tolerance, f"{found!r}, not {wanted!r}: off by {abs(found - wanted):.2g}, allowed {tolerance:.2g}")


def run(name, show, at, *options):
    """What --show names at the times: a list of rows, and all that the summary says."""
    words = [PROGRAM, "run", "--json", "--at", ",".join(repr(t) for t in at), "--show", show, *(options if "--by" in options else (*EXACT, *options)), str(path(name))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout) if done.returncode == 0 else {}
    expect(f"{name} runs without a warning", done.returncode == 0 and not done.stderr, done.stderr)
    return [row[1:] for row in told.get("rows", [])], told


def parameters(name):
    """Numbers of the model, in SI."""
    done = subprocess.run([PROGRAM, "check", "--json", str(path(name))], capture_output=True, text=True, check=True)
    return {v["name"]: v["value"]*(math.pi/180 if v["unit"] == "deg" else 1) for v in json.loads(done.stdout)["values"] if v["kind"] == "parameter"}


def integrate(rates, state, end, steps):
    """The classical method of order 4: simple, and not the program's."""
    h, y = end/steps, list(state)
    for i in range(steps):
        t = i*h
        a = rates(t, y)
        b = rates(t + h/2, [x + h/2*k for x, k in zip(y, a)])
        c = rates(t + h/2, [x + h/2*k for x, k in zip(y, b)])
        d = rates(t + h, [x + h*k for x, k in zip(y, c)])
        y = [x + h/6*(p + 2*q + 2*r + s) for x, p, q, r, s in zip(y, a, b, c, d)]
    return y


def dot(a, b):
    return sum(x*y for x, y in zip(a, b))


def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def solve(A, b):
    """Three equations by Cramer's rule."""
    columns = list(zip(*A))
    whole = dot(columns[0], cross(columns[1], columns[2]))
    return [dot(cross(columns[(i + 1) % 3], columns[(i + 2) % 3]), b)/whole for i in range(3)]


def finish():
    for name, test in tests:
        test(name)
    print(f"{len(tests)} tests of examples, {len(failures)} failures")
    sys.exit(1 if failures else 0)
