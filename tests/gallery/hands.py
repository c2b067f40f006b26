# SPDX-License-Identifier: Apache-2.0
"""examples/hands against the motions of tests/reference, and with sliding contacts against Newton's laws of the disc: hands.py PFAFF SOURCE"""
import csv
import json
import subprocess
from math import cos, sin

from gallery import PROGRAM, SOURCE, expect, finish, model, near, parameters, path, run


def reference(name):
    with open(SOURCE/"tests"/"reference"/name, encoding="utf-8") as stream:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in stream if not line.startswith("#"))]


def names():
    """What the model calls it, and the reference."""
    pairs = [(name, name) for name in ("xo", "yo", "phi")]
    for i in (1, 2, 3):
        pairs += [(f"f{i}.q{j}", f"q{i}{j}") for j in (1, 2, 3)] + [(f"f{i}.v", f"v{i}"), (f"f{i}.u", f"u{i}")]
    return pairs


def follow(name, file, *options):
    """Every coordinate at all samples; they leave an unstable equilibrium, and errors grow by 1e4 in half a second."""
    rows = reference(file)
    found, told = run(name, ",".join(a for a, _ in names()), [row["t"] for row in rows], *options)
    for row, wanted in zip(found, rows):
        for value, (_, column) in zip(row, names()):
            near(f"{name} as {file}: {column} at {wanted['t']}", value, wanted[column], 1e-8)
    return rows, told


@model("hand_hold")
def hand_hold(name):
    rows, _ = follow(name, "hand-hold.csv")
    zero = [word for i in range(1, 10) for word in ("-p", f"tau[{i}]=0")]
    follow(name, "hand-zero-torque.csv", *zero)
    show = ",".join(f"f{i}.squeeze,lambda[f{i}.slip.x],lambda[f{i}.slip.y]" for i in (1, 2, 3))
    for row, wanted in zip(run(name, show, [r["t"] for r in rows[:11]])[0], rows):
        for i in (0, 1, 2):
            for value, column in zip(row[3*i:], (wanted[f"N{i + 1}"], -wanted[f"F{i + 1}x"], -wanted[f"F{i + 1}y"])):
                near(f"{name}: forces of finger {i + 1}", value, column, 1e-7)
    # stiff joints keep what torques alone let go
    row = run(name, "xo,yo,phi", [5], "-p", "k=2", "-p", "c=0.01", "--for", "5", "--by", "dopri5")[0][0]
    expect(f"{name}: stiff joints hold", max(map(abs, row)) < 1e-4, row)


@model("hand_rolling")
def hand_rolling(name):
    rows = reference("hand-hold.csv")
    pairs = [pair for pair in names() if pair[0][-1] not in "uv"]
    show = ",".join(a for a, _ in pairs) + ",f1.squeeze,f2.squeeze,f3.squeeze"
    for row, wanted in zip(run(name, show, [r["t"] for r in rows[:17]])[0], rows):
        for value, column in zip(row, [column for _, column in pairs] + ["N1", "N2", "N3"]):
            near(f"{name}: {column} at {wanted['t']}", value, wanted[column], 1e-8 if column[0] != "N" else 1e-6)
    done = subprocess.run([PROGRAM, "check", "--json", str(path(name))], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    found = (len(told["coordinates"]), told["mass_matrix"]["rank"] if "mass_matrix" in told else None, told["rank"], told["degrees_of_freedom"])
    expect(f"{name}: regular, 6 of 9 rows", found[0] == 12 and found[2:] == (6, 6), found)


@model("hand_viscous")
def hand_viscous(name):
    rows, told = follow(name, "hand-hold-viscous.csv")
    near(f"{name}: energy in the end", told["energy"]["end"], rows[-1]["E_mech"], 1e-7)


@model("hand_cascade")
def hand_cascade(name):
    follow(name, "hand-hold.csv")
    done = subprocess.run([PROGRAM, "check", "--json", str(path(name))], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    expect(f"{name}: rank", (told["rank"], len(told["constraints"]), told["degrees_of_freedom"]) == (12, 18, 6), told["rank"])


@model("hand_sliding")
def hand_sliding(name):
    p = parameters(name)
    show = "xo'',yo'',phi'',phi," + ",".join(f"lambda[f{i}.touch.x],lambda[f{i}.touch.y],f{i}.slide,f{i}.u" for i in (1, 2, 3))
    for mu in (0.2, 0):
        for row in run(name, show, [0.001, 0.02, 0.06], "-p", f"mu={mu}", "--rtol", "1e-10", "--by", "dopri5")[0]:
            x, y, turn = 0, -p["mo"]*p["g"], 0
            for i in (0, 1, 2):
                fx, fy, slide, u = row[4 + 4*i:8 + 4*i]
                nx, ny = cos(row[3] + u), sin(row[3] + u)
                press = -(fx*nx + fy*ny)
                near(f"{name}: the contact {i + 1} only presses", fx*ny - fy*nx, 0, 1e-8)
                friction = -mu*press*(slide > 0) + mu*press*(slide < 0)
                if abs(slide) < 1e-9: # it sticks: the friction is as large as the turning of the disc needs, or less than mu N
                    sticking, friction = (nx, ny, press), 0
                x, y, turn = x - press*nx - friction*ny, y - press*ny + friction*nx, turn + p["r"]*friction
            if mu:
                nx, ny, press = sticking
                friction = (p["Io"]*row[2] - turn)/p["r"]
                expect(f"{name}: the third contact sticks within the cone", abs(friction) < mu*press, friction/press)
                x, y, turn = x - friction*ny, y + friction*nx, turn + p["r"]*friction
            for found, force, inertia in zip(row, (x, y, turn), (p["mo"], p["mo"], p["Io"])):
                near(f"{name}: Newton's laws of the disc, mu = {mu}", inertia*found, force, 1e-8)
    # two fingertips slide at mu = 0.2, none at mu = 0.6, which then is rolling
    slides = "f1.slide,f2.slide,f3.slide"
    slow = [abs(x) < 1e-9 for x in run(name, slides, [0.03])[0][0]]
    expect(f"{name}: two slide, one sticks", slow == [False, False, True], slow)
    state = "xo,yo,phi," + ",".join(f"f{i}.{q}" for i in (1, 2, 3) for q in ("q1", "q2", "q3", "u", "v"))
    exact = ("--rtol", "1e-12", "--atol", "1e-14", "--by", "dop853")
    rest = [word for q in state.split(",") for word in ("-s", f"{q}'=0")]
    sticking, rolling = run(name, state, [0.1], "-p", "mu=0.6", *exact)[0][0], run("hand_hold", state, [0.1], *rest, *exact)[0][0]
    for value, wanted in zip(sticking, rolling):
        near(f"{name}: mu = 0.6 is rolling", value, wanted, 1e-12)
    _, told = run(name, "xo", [0.05], "-p", "mu=0", "--rtol", "1e-10", "--by", "dopri5")
    near(f"{name}: only the torques do work", told["energy"]["drift"], 0, 1e-8)


finish()
