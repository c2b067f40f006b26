#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models with decimals as numbers in the text: the equations that `derive` prints hold for the accelerations that `eval` finds.

equations.py PFAFF [--count 100] [--seed 1] [--keep FOLDER]

All forms, evaluated with 80 digits: nothing is divided by zero, and no number was rounded on the way. A decimal of 16 or 17 digits
would be a rounded one: decimals of up to 3 digits make no numbers of more than 64 digits in these models, which are printed rounded
(those of 4 digits do in one model of 60)."""
import argparse, json, os, random, re, subprocess, sys

try:
    import mpmath
except ImportError:
    print("mpmath (python3-mpmath) is not installed: the trial is left out")
    sys.exit(0)

FORMS = ("multipliers", "rosenberg", "rosenberg_extended", "udwadia_kalaba", "maggi", "laconic", "gibbs_appell", "kane", "voronets",
         "boltzmann_hamel")
EXACT = 3      # digits behind the point up to which all numbers of the equations are written out
NEAR = 1e-8    # of the larger side: eval has doubles and conditions up to 1e4
ROUNDED = re.compile(r"(?<![\w.])(?=[\d.]*\.)(?:0\.0*)?([1-9][\d.]{15,17})(?:e[-+]\d+)?(?![\w.])")


class Failure(Exception):
    pass


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=120)
    if done.returncode: raise Failure(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Source:
    """A model of two to four coordinates with one or two constraints; all numbers are decimals."""

    def __init__(self, rng):
        self.rng, n = rng, rng.randint(2, 4)
        self.q = [f"q{i + 1}" for i in range(n)]
        self.digits = rng.choice((2, 3, 4, 6))

    def number(self, low=0.1, high=3): return f"{self.rng.uniform(low, high):.{self.digits}f}"

    def angle(self):
        a, b = self.rng.choice(self.q), self.rng.choice(self.q)
        return self.rng.choice((a, a, f"2*{a}", a if a == b else f"{a} - {b}", f"{a} + {self.number()}"))

    def function(self):
        return self.rng.choice((f"cos({self.angle()})", f"sin({self.angle()})", f"({self.number()} + {self.number()}*cos({self.angle()}))",
                                f"({self.number()}*{self.rng.choice(self.q)} + {self.number()})", self.number()))

    def kinetic(self):
        squares = [f"{self.number(2, 5)}*{x}'^2" for x in self.q]
        mixed = [f"{self.number(0.01, 0.2)}*{self.function()}*{a}'*{b}'" for a in self.q for b in self.q if a < b and self.rng.random() < 0.5]
        return " + ".join(squares + mixed)

    def constraint(self, free):
        terms = [f"{self.number(1, 2)}*{free}'"]
        terms += [f"{self.number()}*{self.function()}*{x}'" for x in self.q if x != free and self.rng.random() < 0.8]
        return " + ".join(terms) + " = " + self.rng.choice(("0", "0", self.number(), f"{self.number()}*sin({self.number()}*t)"))

    def text(self):
        lines = [f"coord {', '.join(self.q)}", f"kinetic {self.kinetic()}", f"potential {self.number()}*{self.q[0]}^2 + {self.number()}*{self.function()}"]
        if self.rng.random() < 0.5: lines.append(f"force {self.q[-1]} = -{self.number()}*{self.q[-1]}' + {self.number()}")
        for i in range(self.rng.randint(0, min(2, len(self.q) - 1))):
            lines.append(f"constraint c{i + 1}: {self.constraint(self.q[-1 - i])}")
        start = [f"{x} = {self.number()}" for x in self.q] + [f"{x}' = {self.number()}" for x in self.q]
        return "\n".join(lines + [f"start {', '.join(start)}"]) + "\n"


def value(formula, values):
    """With 80 digits, every number in it as it stands."""
    names = {}

    def replace(match):
        word = match.group(0)
        if word in ("sin", "cos", "tan", "sqrt", "exp"): return f"mpmath.{word}"
        names[f"v{len(names)}"] = values[word]
        return f"v{len(names) - 1}"

    shown = re.sub(r"[A-Za-z_]\w*(?:\[\w+\])?'*|(?<![\w.])[\d.]+(?:e[-+]?\d+)?", lambda m: replace(m) if m.group(0)[0].isalpha()
                   else f"mpmath.mpf('{m.group(0)}')", formula).replace("^", "**")
    return eval(shown, {"mpmath": mpmath}, names)


def state(program, path):
    found = ask(program, "eval", "--json", path)
    values = {"t": mpmath.mpf(found["t"]), "pi": mpmath.pi}
    for i, name in enumerate(found["coordinates"]):
        for primes, list_name in (("", "q"), ("'", "v"), ("''", "acceleration")): values[name + primes] = mpmath.mpf(found[list_name][i])
    for name, x in found["multipliers"].items(): values[f"lambda[{name}]"] = mpmath.mpf(x)
    return values


def find_rounded(text): return [m.group(0) for m in ROUNDED.finditer(text) if len(m.group(1).replace(".", "")) in (16, 17)]


def check(program, path, form, exact):
    """How many equations were evaluated."""
    derived = ask(program, "derive", "--form", form, "--json", path)
    values = state(program, path)
    for part in derived["where"]: values[part["name"]] = value(part["value"], values)
    count = 0
    for equation in derived["equations"]:
        text = f"{equation['lhs']} = {equation['rhs']}"
        if exact and find_rounded(text): raise Failure(f"{form}: rounded: {find_rounded(text)} in {text}")
        try:
            left, right = value(equation["lhs"], values), value(equation["rhs"], values)
        except KeyError:  # a symbol of that form, as its pseudo-velocities
            continue
        except ZeroDivisionError:
            raise Failure(f"{form}: divides by zero: {text}")
        scale = max(1, abs(left), abs(right))
        if not abs(left - right) <= NEAR*scale: raise Failure(f"{form}: off by {float(abs(left - right)):.3g} of {float(scale):.3g}: {text[:400]}")
        count += 1
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="trial-failures")
    options = parser.parse_args()
    mpmath.mp.dps = 80
    os.makedirs(options.keep, exist_ok=True)
    failures = equations = 0
    for seed in range(options.seed, options.seed + options.count):
        path = os.path.join(options.keep, f"equations{seed}.pf")
        source = Source(random.Random(seed))
        with open(path, "w") as file: file.write(source.text())
        try:
            equations += sum(check(options.program, path, form, source.digits <= EXACT) for form in FORMS)
            os.remove(path)
        except (Failure, subprocess.TimeoutExpired) as failure:
            failures += 1
            print(f"seed {seed}: {failure}", flush=True)
    print(f"{options.count} models, {equations} equations, {failures} failures")
    sys.exit(1 if failures or not equations else 0)


if __name__ == "__main__": main()
