#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Equations of chains and carriages grow by as much with every trailer and every wheel.

    growth.py <program>

Words are counted as in tests/reference: names with their primes, numbers, functions and operators. The trailers are also
compared with the closed form for any number of them, by numbers (see closed_form).
"""
import math
import re
import subprocess
import sys
import tempfile

WORD = re.compile(r"[A-Za-z_][\w.\[\]]*'*|\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+*/^]")


def tractor(n):
    text = ("model tractor\nparam m = 5 [kg], J = 1 [kg m^2], b = 0.2 [m], L = 1 [m], Jf = 0.01 [kg m^2], F = 1 [N], turn = 0.1 [N m]\n"
            f"param M[{n}] = 2 [kg], K[{n}] = 0.5 [kg m^2], d[{n}] = 0.8 [m]\n"
            f"coord x, y [m], theta, phi, psi[{n}] [rad]\n"
            "body tractor in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, J), com (b, 0, 0) }\n"
            "body fork in tractor at (L, 0, 0) turn phi about z { inertia diag(0, 0, Jf) }\n"
            "force phi = turn, x = F*cos(theta), y = F*sin(theta)\nskate rear: tractor\nskate front: fork\n")
    for i in range(1, n + 1):
        carrier = "tractor" if i == 1 else f"trailer{i - 1}"
        text += (f"body trailer{i} in {carrier} turn psi[{i}] about z at (-d[{i}], 0, 0) {{ mass M[{i}], inertia diag(0, 0, K[{i}]) }}\n"
                 f"skate trail{i}: trailer{i}\n")
    return text


def carriage(n):
    text = ("model carriage\nparam m = 5 [kg], J = 1 [kg m^2], R = 0.1 [m], Jw = 0.01 [kg m^2], drive = 0.1 [N m]\n"
            f"param a[{n}] = 0.3 [m], b[{n}] = 0.2 [m], beta[{n}] = 0.4 [rad]\ncoord x, y [m], theta, chi[{n}] [rad]\n"
            "body plate in ground at (x, y, R) turn theta about z { mass m, inertia diag(0, 0, J) }\n")
    for i in range(1, n + 1):
        text += (f"frame mount{i} in plate at (a[{i}], b[{i}], 0) turn beta[{i}] about z\n"
                 f"body wheel{i} in mount{i} turn chi[{i}] about x {{ inertia diag(Jw, 0, 0) }}\n"
                 f"omni c{i}: wheel{i} {{ radius R, axis wheel{i}.x }}\nforce chi[{i}] = drive\n")
    return text


def derive(program, text, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".pf") as file:
        file.write(text)
        file.flush()
        return subprocess.run([program, "derive", *options, file.name], capture_output=True, text=True, check=True).stdout


def words(printed):
    lines = [line for line in printed.split("\n") if " = " in line]
    return sum(len(WORD.findall(line.split(": ", 1)[-1])) for line in lines)


def closed_form(n, phi, psi):
    """mu of n equal trailers: what moves with u = 1, and psi' of each."""
    v, w = math.cos(phi), math.sin(phi)/1.0
    mu = 5*(v*v + (0.2*w)**2) + 1*w*w
    rates = []
    for angle in psi:
        own = -v*math.sin(angle)/0.8
        v, rate = v*math.cos(angle), own - w
        w = own
        mu += 2*v*v + 0.5*w*w
        rates.append(rate)
    return mu, rates


def by_c(program, n, folder):
    """mu and psi' of the derivation, by the statements of --c."""
    code = derive(program, tractor(n), "--form", "laconic", "--c")
    angles = [0.3 + 0.05*i for i in range(n)]
    names = re.search(r"Given:\n(.*?) \*/", code, re.S).group(1).split()
    values = {"m": 5, "J": 1, "b": 0.2, "L": 1, "Jf": 0.01, "F": 1, "turn": 0.1, "u": 1, "phi": 0.4}
    for i in range(n):
        values |= {f"M_{i + 1}": 2, f"K_{i + 1}": 0.5, f"d_{i + 1}": 0.8, f"psi_{i + 1}": angles[i]}
    given = "".join(f"double {name} = {values.get(name, 0.1)};\n" for name in names)
    outputs = ["mu"] + [f"psi_{i + 1}_d" for i in range(n)]
    prints = "".join(f'printf("%.17g\\n", {name});\n' for name in outputs)
    source = f"{folder}/t.c"
    with open(source, "w", encoding="utf-8") as file:
        file.write(f"#include <math.h>\n#include <stdio.h>\nint main(void)\n{{\n{given}{code}{prints}return 0;\n}}\n")
    subprocess.run(["cc", "-std=c99", "-o", f"{folder}/t", source, "-lm"], check=True)
    found = [float(x) for x in subprocess.run([f"{folder}/t"], capture_output=True, text=True, check=True).stdout.split()]
    mu, rates = closed_form(n, 0.4, angles)
    return max(abs(a - b)/max(1, abs(b)) for a, b in zip(found, [mu, *rates]))


def check(name, counts):
    """The words per further part are no more at the end of the list than at its beginning, but for a quarter."""
    sizes = sorted(counts)
    first = (counts[sizes[1]] - counts[sizes[0]])/(sizes[1] - sizes[0])
    last = (counts[sizes[-1]] - counts[sizes[-2]])/(sizes[-1] - sizes[-2])
    print(f"{name}: " + ", ".join(f"{n}: {counts[n]} words" for n in sizes) + f"; {first:.1f} each, then {last:.1f}")
    return last <= 1.25*first


def main():
    program = sys.argv[1]
    if "mu " not in derive(program, tractor(1), "--form", "laconic"):
        print("no FLINT: nothing compared")
        return 0
    good = [check("trailers", {n: words(derive(program, tractor(n), "--form", "laconic")) for n in (1, 2, 5, 10, 15, 20)}),
            check("wheels", {n: words(derive(program, carriage(n), "--form", "laconic")) for n in (2, 3, 5, 10, 20, 40)})]
    with tempfile.TemporaryDirectory() as folder:
        for n in (1, 3, 6, 12, 20):
            off = by_c(program, n, folder)
            print(f"{n} trailers: {off:.1g} from the closed form")
            good.append(off < 1e-13)
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return not all(good)


sys.exit(main())
