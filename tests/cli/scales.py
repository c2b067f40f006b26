# SPDX-License-Identifier: Apache-2.0
"""Coordinates and constraints in other units, by powers of ten: the rank and the motion must be the same.

Called with the program. The motion with all units 1 is the reference."""
import json
import os
import random
import subprocess
import sys
import tempfile

N = 5
MOST = 6  # powers of ten: units of two coordinates differ by up to 1e12


def text(k, massless):
    """x_i = u_i 10^-k_i, and the constraint b in units of 10^k_5."""
    x = [f"(1e{-k[i]}*u{i})" for i in range(N)]
    v = [f"(1e{-k[i]}*u{i}')" for i in range(N)]
    lines = ["coord " + ", ".join(f"u{i}" for i in range(N))]
    for i in range(N - 1 if massless else N):
        lines += [f"kinetic {i + 1}/2*{v[i]}^2", f"potential {i + 2}/2*{x[i]}^2"]
    lines += [f"constraint a: {v[0]} + 2*{v[1]} - cos({x[2]})*{v[3]} = 0",
              f"constraint b: 1e{k[N]}*({v[1]} - sin({x[0]} + 1)*{v[2]} + {v[4]} - 0.3) = 0",
              f"constraint c: {x[2]}^2 + {x[3]} + {x[0]} = 0.5",
              f"start u0 = 0.2e{k[0]}, u1 = 0.1e{k[1]}, u2 = 0.4e{k[2]}, u0' = 0.3e{k[0]}"]
    return "\n".join(lines) + "\n"


def ask(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise AssertionError(f"{' '.join(arguments)}: {done.stdout[-600:]} {done.stderr[-600:]}")
    return json.loads(done.stdout)


def verdict(program, path, k, massless):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text(k, massless))
    check = ask(program, "check", "--json", path)
    run = ask(program, "run", "--json", "--at", "1", "--rtol", "1e-10", "--atol", "1e-30", path)
    return check["rank"], [run["rows"][-1][i + 1]*10.0**-k[i] for i in range(N)]


def main():
    program, path = sys.argv[1], os.path.join(tempfile.mkdtemp(), "scaled.pf")
    draw = random.Random(7)
    for massless in (False, True):
        rank, motion = verdict(program, path, [0]*(N + 1), massless)
        for _ in range(5):
            k = [draw.randint(-MOST, MOST) for _ in range(N)] + [draw.randint(-MOST, 6)]
            other_rank, other = verdict(program, path, k, massless)
            far = max(abs(x - y) for x, y in zip(motion, other))
            if rank != other_rank or far > 1e-7:
                raise SystemExit(f"{k}: rank {other_rank}, not {rank}; off by {far:.3g}")
    print("rank and motion do not depend on units")


main()
