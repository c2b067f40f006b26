#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models of two to seven coordinates: what `derive --solved` prints is read from its text, and gives the accelerations of `eval`.

solved.py PFAFF [--count 40] [--seed 1] [--keep FOLDER]    models seed, seed + 1, …
solved.py PFAFF --only SEED -v                             one model again, with its text
solved.py PFAFF --files a.pf b.pf                          these models, at their starts

The reader knows the text alone: lines `name: left = right` under a title, and those under `where`. No acceleration may stand on a right
side, nor in what a name stands for; every name is used after it is defined; constraint forces and multipliers are compared too. Some
models have coordinates without mass, constraints that move with time, or a partition of their own."""
import argparse, json, os, random, re, subprocess, sys

try:
    import mpmath
except ImportError:
    print("mpmath (python3-mpmath) is not installed: the trial is left out")
    sys.exit(0)

from equations import Failure, Source, ask

mpmath.mp.dps = 60
FORMS = ("rosenberg_extended", "udwadia_kalaba")
NEAR = 1e-9
LINE = re.compile(r"  (?:\S+: +)?(\S+) += (.*)$")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+|\[(?:[^][]|\[[^][]*\])*\])*'*")
TOKEN = re.compile(NAME.pattern + r"|\d+(?:\.\d*)?(?:e[-+]?\d+)?")
FUNCTIONS = ("sin", "cos", "tan", "sqrt", "exp", "log", "atan", "abs")


class Wide(Source):
    """Links in a row, each coupled to its neighbours, or all to one; constraints among any of them."""

    def __init__(self, rng):
        super().__init__(rng)
        self.q = [f"q{i + 1}" for i in range(rng.randint(2, 7))]
        self.digits = 2
        self.massless = None

    def kinetic(self):
        star = self.rng.random() < 0.5
        pairs = [(self.q[0] if star else a, b) for a, b in zip(self.q, self.q[1:])]
        if self.rng.random() < 0.3: pairs += [(a, b) for a in self.q for b in self.q if a < b and self.rng.random() < 0.2]
        squares = [f"{self.number(2, 5)}*{x}'^2" for x in self.q if x != self.massless]
        mixed = [f"{self.number(0.05, 0.3)}*{self.function() if self.rng.random() < 0.7 else self.number(0.2, 0.9)}*{a}'*{b}'"
                 for a, b in pairs if self.massless not in (a, b)]
        return " + ".join(squares + mixed)

    def text(self):
        rows = self.rng.randint(0, min(3, len(self.q) - 1))
        if rows and self.rng.random() < 0.15: self.massless = self.q[-1]
        lines = [f"coord {', '.join(self.q)}", f"kinetic {self.kinetic()}", f"potential {self.number()}*{self.q[0]}^2 + {self.number()}*{self.function()}"]
        if self.rng.random() < 0.7: lines.append(f"force {self.q[0]} = -{self.number()}*{self.q[0]}' + {self.number()}")
        lines += [f"constraint c{i + 1}: {self.constraint(self.q[-1 - i])}" for i in range(rows)]
        self.independent = None
        if rows and self.rng.random() < 0.3: self.independent = ",".join(self.rng.sample(self.q, len(self.q) - rows))
        start = [f"{x} = {self.number()}" for x in self.q] + [f"{x}' = {self.number()}" for x in self.q]
        return "\n".join(lines + [f"start {', '.join(start)}"]) + "\n"


def read(text):
    """The equations as (left, right), and the names with their values in order."""
    equations, names, place = [], [], None
    for line in text.splitlines():
        if line and not line.startswith(" "): place = names if line == "where" else equations if line.endswith(")") or place is equations else None
        if line.startswith(("Equations of motion", "Dependent accelerations", "Constraint forces", "Multipliers")): place = equations
        if line.startswith("In vectors"): return equations, names
        match = LINE.match(line)
        if place is not None and match: place.append((match.group(1), match.group(2)))
    return equations, names


def value(formula, values):
    """With 60 digits, every number in it as it stands."""
    names = {}

    def replace(match):
        word = match.group(0)
        if word in FUNCTIONS: return f"mpmath.{word.replace('abs', 'fabs')}"
        names[f"v{len(names)}"] = values[word] if NAME.fullmatch(word) else mpmath.mpf(word)
        return f"v{len(names) - 1}"

    return eval(TOKEN.sub(replace, formula).replace("^", "**"), {"mpmath": mpmath}, names)


def state(program, path):
    found = ask(program, "eval", "--json", path)
    values = {"t": mpmath.mpf(found["t"]), "pi": mpmath.pi}
    for known in ask(program, "check", "--json", path)["values"]:
        if known["kind"] == "parameter" and known["value"] is not None: values[known["name"]] = mpmath.mpf(known["value"])
    for i, name in enumerate(found["coordinates"]):
        for primes, list_name in (("", "q"), ("'", "v"), ("''", "acceleration")): values[name + primes] = mpmath.mpf(found[list_name][i])
    for name, x in found["multipliers"].items(): values[f"lambda[{name}]"] = mpmath.mpf(x)
    for name, x in zip(found["coordinates"], found["constraint_force"]): values[f"Fc[{name}]"] = mpmath.mpf(x)
    return values


def check(program, path, form, independent, tell):
    """How many quantities were compared."""
    words = [program, "derive", "--form", form, "--solved", path] + (["--independent", independent] if independent else [])
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if done.returncode:
        if independent and "independent" in done.stderr + done.stdout: return 0  # not every choice is one
        raise Failure(f"{form}: {done.stderr.strip()}")
    equations, names = read(done.stdout)
    values = state(program, path)
    wanted = {name: values.pop(name) for name in [*values] if name.endswith("''") or name.startswith(("lambda[", "Fc["))}
    if tell: print(done.stdout)
    for name, formula in names:
        if "''" in formula: raise Failure(f"{form}: an acceleration in a name: {name} = {formula[:200]}")
        values[name] = evaluate(form, formula, values)
    count, solved = 0, set()
    for left, right in equations:
        if "''" in right: raise Failure(f"{form}: an acceleration on a right side: {left} = {right[:200]}")
        if not NAME.fullmatch(left): raise Failure(f"{form}: not solved: {left} = …")
        solved.add(left)
        if left not in wanted: continue
        found, right_one = evaluate(form, right, values), wanted[left]
        if tell: print(f"   {form}: {left} = {mpmath.nstr(found, 15)}, {mpmath.nstr(right_one, 15)}")
        scale = max(1, *(abs(x) for x in wanted.values()))
        if not abs(found - right_one) <= NEAR*scale: raise Failure(f"{form}: {left} = {mpmath.nstr(found, 15)}, not {mpmath.nstr(right_one, 15)}: {right[:300]}")
        count += 1
    missing = [name for name in wanted if name.endswith("''") and name not in solved]
    if missing: raise Failure(f"{form}: no equation of {', '.join(missing)}")
    return count


def evaluate(form, formula, values):
    try:
        return value(formula, values)
    except KeyError as unknown:
        raise Failure(f"{form}: {unknown} is not known yet in {formula[:200]}")
    except ZeroDivisionError:
        raise Failure(f"{form}: divides by zero: {formula[:200]}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--files", nargs="*")
    parser.add_argument("--keep", default="trial-failures")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    seeds = [options.only] if options.only is not None else range(options.seed, options.seed + options.count)
    failures = compared = 0
    for trial in options.files or seeds:
        path, independent = trial, None
        if not options.files:
            source = Wide(random.Random(trial))
            path = os.path.join(options.keep, f"solved{trial}.pf")
            with open(path, "w") as file: file.write(source.text())
            independent = source.independent
            if options.v: print(open(path).read())
        good = True
        for form in FORMS:
            try:
                compared += check(options.program, path, form, independent, options.v)
            except Failure as failure:
                good = False
                print(f"{trial}: {failure}", flush=True)
        failures += not good
        if good and not options.files: os.remove(path)
    print(f"{compared} accelerations and multipliers, {failures} failures")
    sys.exit(failures > 0 or not compared)


if __name__ == "__main__": main()
