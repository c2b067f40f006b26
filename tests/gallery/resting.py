#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every equilibrium that 'study equilibria' lists is one: at its state, by 'eval', nothing moves and nothing begins to.

resting.py PFAFF ROOT"""
import json, os, subprocess, sys


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout) if done.returncode == 0 else None


def models(root):
    for folder, _, files in sorted(os.walk(os.path.join(root, "examples"))):
        yield from (os.path.join(folder, name) for name in sorted(files) if name.endswith(".pf"))


def accelerations(program, path, names, q):
    state = [f"--state={name}={value!r}" for name, value in zip(names, q)] + [f"--state={name}'=0" for name in names]
    return ask(program, "eval", "--json", "--as-given", *state, path)


def largest(list):
    return max(map(abs, list), default=0)


def main():
    program, root = sys.argv[1:]
    points = failures = 0
    for path in models(root):
        found = ask(program, "study", "equilibria", "--starts", "20", "--json", path)
        if not found: continue
        usual = ask(program, "eval", "--json", path)
        size = max(1, largest(usual["acceleration"])) if usual else 1
        for point in found["points"]:
            there = accelerations(program, path, found["coordinates"], point["q"])
            if not there: continue
            points += 1
            if largest(there["acceleration"]) <= 1e-6*size and largest(point["v"]) <= 1e-6: continue
            failures += 1
            print(f"{path}: at {point['q']} accelerations are {there['acceleration']}, velocities {point['v']}")
    print(f"{points} equilibria, {failures} failures")
    sys.exit(1 if failures or points < 50 else 0)


if __name__ == "__main__": main()
