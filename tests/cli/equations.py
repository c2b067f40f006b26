#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/equations.md and compares what they print with what stands there.

    equations.py <program> <source directory>

A command is an indented line that begins with "$ pfaff"; the indented lines behind it are its output.
"""
import pathlib
import shlex
import subprocess
import sys


def examples(text):
    command, output = None, []
    for line in text.split("\n") + ["end"]:
        if line.startswith("    $ pfaff "):
            command, output = line[6:], []
        elif command and (line.startswith("    ") or not line):
            output.append(line[4:])
        elif command:
            yield command, "\n".join(output).rstrip()
            command = None


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    proof = subprocess.run([program, "study", "invariants", source/"examples/skates/chaplygin_sleigh.pf"], capture_output=True,
                           text=True, check=True).stdout
    if "normal form" not in proof:
        print("no FLINT: nothing compared")
        return 0
    failures = count = 0
    for command, wanted in examples((source/"docs/equations.md").read_text(encoding="utf-8")):
        result = subprocess.run([program, *shlex.split(command)[1:]], capture_output=True, text=True, cwd=source, check=False)
        count += 1
        found = "\n".join(line.rstrip() for line in result.stdout.rstrip().split("\n"))
        if result.returncode or found != wanted:
            failures += 1
            print(f"FAILED: {command}\n{result.stdout}{result.stderr}")
    print(f"{count - failures} passed, {failures} failed")
    return failures > 0 or count < 8


sys.exit(main())
