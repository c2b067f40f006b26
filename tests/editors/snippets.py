#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every snippet, filled in by its defaults and by each of its choices, is good in a small model and in the usual layout:
snippets.py PROGRAM SOURCE_DIRECTORY"""
import itertools
import json
import pathlib
import re
import subprocess
import sys

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = ROOT/"editors/vscode"
BOARD = """model trial
param m = 1 [kg], g = 9.81 [m/s^2]
coord x, y [m], theta [rad]
body board in ground at (x, y, 0) turn theta about z { mass 1 [kg], inertia diag(0.1, 0.1, 0.1) }
start x = 0.3 [m], y = 0.4 [m]
"""
WHEEL = BOARD + """
coord X, Y, Z [m], lean, spin [rad]
let h(a, b) = 0.1 [1/m]*(a^2 + b^2)
body wheel in ground at (X, Y, Z) turn lean about x turn spin about y { mass 1 [kg], inertia diag(0.1, 0.2, 0.1) }
point anchor in ground at (1 [m], 1 [m], 0)
start Z = 0.4 [m], X = 1 [m]
"""
UPRIGHT = BOARD + """
coord spin [rad]
body wheel in board at (0.2 [m], 0, 0.3 [m]) turn spin about y { mass 1 [kg], inertia diag(0.1, 0.2, 0.1) }
"""
# Where a snippet stands that is not good just anywhere: a wheel with rollers stands upright, a coordinate has inertia.
PLACES = {"Coordinates": BOARD + "kinetic 1 [kg m^2]*q1'^2\n", "Pseudo-velocities": BOARD, "Omni wheel": UPRIGHT,
          "Mecanum wheel": UPRIGHT}
SHAPE = r"\$\{(\d+)\|((?:\\.|[^|\\])*)\|\}"
DEFAULT = r"\$\{(\d+):([^{}]*)\}"


def choices(body):
    """The body with every combination of its choices."""
    found = re.findall(SHAPE, body)
    options = [[option.replace("\\,", ",") for option in re.split(r"(?<!\\),", text)] for _, text in found]
    for chosen in itertools.product(*options):
        values = {number: value for (number, _), value in zip(found, chosen)}
        yield re.sub(SHAPE, lambda m: values[m[1]], body), values


def filled(body):
    """The texts that the snippet stands for when nothing is typed."""
    for text, values in choices(body):
        values |= dict(re.findall(DEFAULT, text))
        text = re.sub(DEFAULT, r"\2", text)
        yield re.sub(r"\$(\d+)", lambda m: values[m[1]], text).replace("\t", "  ")


def run(command, text):
    return subprocess.run([PROGRAM, *command], input=text, capture_output=True, text=True, check=False, encoding="utf-8")


def trouble(name, text):
    model = text if text.startswith("model ") else PLACES.get(name, WHEEL) + text + "\n"
    checked = run(["check", "-"], model)
    if checked.returncode or "error:" in checked.stderr:
        return checked.stderr
    if run(["fmt", "-"], text + "\n").stdout != text + "\n":
        return "it is not in the usual layout: " + run(["fmt", "-"], text + "\n").stdout
    return ""


def main():
    snippets = json.loads((FOLDER/"snippets/pfaff.json").read_text(encoding="utf-8"))
    statements = json.loads((ROOT/"editors/words.json").read_text(encoding="utf-8"))["statements"]
    failures, count, written = 0, 0, ""
    for name, snippet in snippets.items():
        body = snippet["body"] if isinstance(snippet["body"], str) else "\n".join(snippet["body"])
        for text in filled(body):
            count += 1
            written += text + "\n"
            problem = trouble(name, text)
            if problem or "$" in text:
                failures += 1
                print(f"{name}:\n{text}\n{problem}")
    missing = [word for word in statements if not re.search(rf"(?<![\w.]){word}\b", written)]
    absent = [word for word in missing if word not in ("nonideal", "unlock")]
    if absent:
        print(f"no snippet uses {absent}")
    prefixes = [snippet["prefix"] for snippet in snippets.values()]
    if len(set(prefixes)) < len(prefixes):
        print("two snippets have the same prefix")
        failures += 1
    print(f"{count} texts of {len(snippets)} snippets, {failures} failures")
    return 1 if failures or absent else 0


sys.exit(main())
