#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What derive --c writes compiles, and gives the accelerations of eval.

    statements.py <program> <source directory>

Every example in every form is compiled as C99. In forms without pseudo-velocities all that is defined is compared with eval at the
start, and residuals must vanish. The equations of hamel_wrong do not hold.
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from representative import examples

FORMS = ["multipliers", "rosenberg", "rosenberg_extended", "udwadia_kalaba", "maggi", "laconic", "gibbs_appell", "kane",
         "chaplygin", "voronets", "boltzmann_hamel", "hamilton", "hamel_wrong"]
SLOW = {"hand", "capture", "dual_arm", "hybrid_arm", "bicycle", "ball_on_surface", "spacecraft", "wheel_in_shell"}


def call(program, *arguments):
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    return result.returncode, result.stdout


def identifier(name):
    dots = len(name) - len(name.rstrip("'"))
    plain = re.sub(r"\W", "_", name.rstrip("'").replace("]", ""))
    return plain + ("_" + "d"*dots if dots else "")


def numbers(program, file):
    """Parameters, coordinates, velocities, accelerations and multipliers at the start of a model in SI; else None."""
    code, text = call(program, "eval", "--json", file)
    if code:
        return None
    found = json.loads(text)
    values = {"t": 0.0}
    for name, q, v, a in zip(found["coordinates"], found["q"], found["v"], found["acceleration"]):
        values |= {identifier(name): q, identifier(name + "'"): v, identifier(name + "''"): a}
    for name, value in found["multipliers"].items():
        values[identifier(f"lambda[{name}]")] = value
    known = json.loads(call(program, "check", "--json", file)[1])
    for one in known["values"]:
        if re.search(r"\b(mm|cm|deg|g|V|h|min)\b", one["unit"] or ""):
            return None  # numbers in these units are not those of the formulas
        if one["kind"] == "parameter":
            values[identifier(one["name"])] = one["value"]
    return values


def compile_statements(code, values, folder):
    """The values of all that is defined; None where only the compiler had its say."""
    given = re.search(r"Given:\n(.*?) \*/", code, re.S).group(1).split()
    defined = re.findall(r"^const double (\w+) =", code, re.M)
    known = values is not None and all(name in values for name in given)
    numbers_of = values if known else {}
    lines = [f"const double {name} = {numbers_of.get(name, 1.0)!r};" for name in given]
    prints = [f'printf("{name} %.17g\\n", {name});' for name in defined]
    source = folder/"t.c"
    source.write_text("\n".join(["#include <math.h>", "#include <stdio.h>", "int main(void)", "{", *lines, code, *prints,
                                 "return 0;", "}"]), encoding="utf-8")
    subprocess.run(["cc", "-std=c99", "-O0", "-Wall", "-Werror", "-pedantic", "-o", folder/"t", source, "-lm"], check=True)
    if not known:
        return None
    printed = subprocess.run([folder/"t"], capture_output=True, text=True, check=True).stdout
    return {line.split()[0]: float(line.split()[1]) for line in printed.splitlines()}


def differences(found, values):
    largest = max([1.0, *(abs(v) for v in values.values())])
    for name, value in found.items():
        if name.startswith("residual_"):
            yield name, abs(value)/largest
        elif name in values and not name.startswith("lambda_"):
            yield name, abs(value - values[name])/largest


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    compiled = compared = failures = 0
    with tempfile.TemporaryDirectory() as place:
        for file in examples(source):
            if file.stem in SLOW:
                continue
            values = numbers(program, file)
            for form in FORMS:
                code, text = call(program, "derive", "--form", form, "--c", file)
                if code or len(text) > 60000:
                    continue
                try:
                    found = compile_statements(text, values, pathlib.Path(place))
                except subprocess.CalledProcessError:
                    failures += 1
                    print(f"FAILED: {file.stem}, {form} does not compile")
                    continue
                compiled += 1
                if found is None or form == "hamel_wrong":
                    continue
                if form == "chaplygin" and not all(math.isfinite(v) for v in found.values()):
                    continue  # a warning of derive: the coordinates that it needs are singular at this start
                compared += 1
                worst = max(differences(found, values), key=lambda pair: pair[1], default=("", 0.0))
                if not worst[1] < 1e-10:
                    failures += 1
                    print(f"FAILED: {file.stem}, {form}: {worst[0]} is off by {worst[1]:.2g}")
    print(f"{compiled} compiled, {compared} of them compared with numbers")
    print(f"{compiled - failures} passed, {failures} failed")
    return failures > 0 or compiled < 100 or compared < 30


sys.exit(main())
