#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/analysis.md and compares what they print with what stands there.

    analysis.py <program> <source directory>

A command is an indented block that begins with "pfaff"; the indented block after it is its output. Numbers may differ in
their last digits, since eigenvalues come from LAPACK; everything else must be the same. Formulas of the studies that need FLINT
to be short are compared only when the program has it.
"""
import pathlib
import re
import shlex
import subprocess
import sys

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
ALGEBRA = ("integrability", "invariants")


def blocks(text):
    """Indented blocks, with blank lines inside when the next line is indented, too."""
    lines = text.split("\n")
    block, found = [], []
    for i, line in enumerate(lines + [""]):
        inside = line.startswith("    ")
        if inside and block and block[0].startswith("    pfaff") and not lines[i - 1].startswith("    "):
            found.append(block)
            block = []
        if inside or (block and not line and any(n.startswith("    ") for n in lines[i + 1:i + 2])):
            block.append(line)
        elif block:
            found.append(block)
            block = []
    return [[line[4:] for line in block] for block in found]


def examples(text):
    found = blocks(text)
    for command, output in zip(found, found[1:]):
        if command[0].startswith("pfaff ") and not output[0].startswith("pfaff "):
            yield " ".join(line.rstrip("\\").strip() for line in command), [line for line in output if line.strip()]


def near(a, b):
    a, b = float(a), float(b)
    return abs(a - b) <= 1e-9 + 2e-5*max(abs(a), abs(b))


def same(wanted, line):
    if NUMBER.sub("#", wanted).split() != NUMBER.sub("#", line).split():
        return False
    return all(near(a, b) for a, b in zip(NUMBER.findall(wanted), NUMBER.findall(line)))


def run(program, source, command, wanted):
    words = shlex.split(command)
    result = subprocess.run([program, *words[1:]], capture_output=True, text=True, cwd=source, check=False)
    lines = [line.rstrip() for line in result.stdout.split("\n") if line.strip()]
    if result.returncode == 0 and len(lines) == len(wanted) and all(map(same, wanted, lines)):
        return True
    print(f"FAILED: {command}: exit code {result.returncode}\n{result.stderr}")
    for k in range(max(len(lines), len(wanted))):
        a, b = (part[k] if k < len(part) else "(nothing)" for part in (wanted, lines))
        if a == "(nothing)" or b == "(nothing)" or not same(a, b):
            print(f"  documented: {a}\n  printed:    {b}")
    return False


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    text = (source/"docs"/"analysis.md").read_text(encoding="utf-8")
    probe = subprocess.run([program, "study", "invariants", "examples/skates/chaplygin_sleigh.pf"], capture_output=True, text=True,
                           cwd=source, check=False)
    algebra = "normal form" in probe.stdout
    found = [e for e in examples(text) if algebra or shlex.split(e[0])[2] not in ALGEBRA]
    good = [run(program, source, command, output) for command, output in found]
    print(f"{sum(good)} of {len(good)} examples as documented")
    return 0 if all(good) and len(good) >= 7 else 1


sys.exit(main())
