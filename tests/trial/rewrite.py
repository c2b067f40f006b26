#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models written in two ways that mean the same: the program must answer the same.

rewrite.py PFAFF [--count 100] [--seed 1] [--keep FOLDER]

decimals: a value in the text, by -p, and by -p with a unit gives the same output, byte by byte.
branches: constraints that are redundant only on the branch of the start change neither rank nor motion."""
import argparse, json, os, random, subprocess, sys


class Failure(Exception):
    pass


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if done.returncode: raise Failure(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def write(path, text):
    with open(path, "w") as file: file.write(text)
    return path


def decimals(program, rng, path):
    """The length r is 35 mm, say."""
    mm, m = rng.randint(1, 9999), round(rng.uniform(0.1, 9), rng.randint(1, 15))
    text = (f"param r = %s [m], m = {m!r} [kg]\ncoord x [m], a [rad]\nkinetic m*x'^2/2 + m*r^2*a'^2/4\n"
            "potential m*9.81 [m/s^2]*x\nconstraint wheel: x' = r*a'\nstart a' = 1.3\n")
    length = repr(mm/1000)
    for command in (["derive"], ["check"], ["eval", "--json"], ["study", "invariants"]):
        write(path, text % length)
        answers = [ask(program, *command, *more, path) for more in
                   ([], ["-p", f"r={length}"], ["-p", f"r={mm} [mm]"], ["-p", f"m={m!r}"])]
        if len(set(answers)) != 1: raise Failure(f"{' '.join(command)}: r = {length} and m = {m!r} are not the same by -p")


# What is redundant beside b = k*a, where a = b/k at the start.
BRANCHES = ["sin(b) = sin(k*a)", "(b - k*a)*(b + k*a) = 0", "b^2 = k^2*a^2", "cos(b) = cos(k*a)", "tan(b/4) = tan(k*a/4)",
            "exp(b) - exp(k*a) = 0", "(b - k*a)*(c^2 + 1) = 0"]


def branches(program, rng, path):
    k, start, rate = (round(rng.uniform(0.3, 1.2), 3) for _ in range(3))
    text = (f"param k = {k}\ncoord a, b, c\nkinetic (a'^2 + 2*b'^2 + 3*c'^2)/2 + a'*c'*cos(a)/2\npotential a^2 + b*c + c^2\n"
            f"constraint keep: b = k*a\nconstraint knife: c' = sin(a)*b'\nstart a = {start}, b = {start}*{k}, a' = {rate}, b' = {rate}*{k}\n")
    more = "".join(f"constraint more{i}: {x}\n" for i, x in enumerate(rng.sample(BRANCHES, rng.randint(1, 3))))
    answers = []
    for extra in ("", more):
        write(path, text + extra)
        ask(program, "derive", path)
        check = json.loads(ask(program, "check", "--json", path))
        run = json.loads(ask(program, "run", "--json", "--at", "1", "--rtol", "1e-10", path))
        answers.append((check["rank"], check["degrees_of_freedom"], run["rows"][-1][1:4]))
    (rank, free, motion), (other_rank, other_free, other) = answers
    if (rank, free) != (other_rank, other_free): raise Failure(f"rank {other_rank}, not {rank}")
    far = max(abs(x - y) for x, y in zip(motion, other))
    if far > 1e-7: raise Failure(f"the motion is off by {far:.3g}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="trial-failures")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    failures = 0
    for seed in range(options.seed, options.seed + options.count):
        for part in (decimals, branches):
            path = os.path.join(options.keep, f"{part.__name__}{seed}.pf")
            try:
                part(options.program, random.Random(seed), path)
                os.remove(path)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failures += 1
                print(f"seed {seed}, {part.__name__}: {failure}", flush=True)
    print(f"{options.count} seeds, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__": main()
