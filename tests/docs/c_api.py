#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs every C program of docs/c-api.md, and what README.md shows.

    c_api.py COMPILER SOURCE-DIRECTORY LIBRARY [FLAGS…]
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def programs(path):
    for match in re.finditer(r"^```c\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S):
        line = path.read_text(encoding="utf-8")[: match.start()].count("\n") + 1
        if "int main(" in match.group(1):
            yield line, match.group(1)


def main():
    compiler, source, library, flags = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:]
    passed = failed = 0
    for name in ("docs/c-api.md", "README.md"):
        for line, text in programs(source / name):
            with tempfile.TemporaryDirectory() as place:
                code, program = pathlib.Path(place) / "main.c", pathlib.Path(place) / "main"
                code.write_text(text, encoding="utf-8")
                made = subprocess.run([compiler, "-std=c11", "-pthread", "-Wall", "-Wextra", "-Werror", f"-I{source}/include", str(code), "-o", str(program),
                                       library, f"-Wl,-rpath,{pathlib.Path(library).parent}", "-lm", *flags], capture_output=True, text=True)
                ran = subprocess.run([str(program)], cwd=source, capture_output=True, text=True, timeout=120) if made.returncode == 0 else made
                if ran.returncode == 0:
                    passed += 1
                else:
                    failed += 1
                    print(f"{name}:{line}: exit {ran.returncode}\n{ran.stdout}{ran.stderr}")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
