# SPDX-License-Identifier: Apache-2.0
"""examples/wheels against closed forms and reduced equations, for several numbers of wheels and trailers: wheels.py PFAFF SOURCE"""
import csv
import json
import pathlib
import subprocess
import tempfile
from math import atan, cos, cosh, exp, pi, sin, sqrt, tan

from gallery import EXACT, PROGRAM, SOURCE, expect, finish, integrate, model, near, parameters, path, run


def command(name, text, *words):
    """A command on another text than that of the file: its JSON."""
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place)/f"{name}.pf"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([PROGRAM, *words, "--json", str(file)], capture_output=True, text=True, check=False)
    expect(f"{name}: {words[0]} without a warning", done.returncode == 0 and not done.stderr, done.stderr)
    return json.loads(done.stdout)


def motion(name, text, show, at, *options):
    at = ",".join(repr(t) for t in at)
    return [row[1:] for row in command(name, text, "run", "--at", at, "--show", show, *EXACT, *options)["rows"]]


def with_number(name, number):
    """The text of the example with another N."""
    lines = path(name).read_text(encoding="utf-8").splitlines()
    return "\n".join(f"let N = {number}" if line.startswith("let N = ") else line for line in lines) + "\n"


@model("segway")
def segway(name):
    p = parameters(name)
    m, l, g = p["m"], p["l"], p["g"]
    M, J = m + 2*p["mw"] + 2*p["Jw"]/p["R"]**2, p["Jy"] + m*l*l

    def straight(_, y):
        v, theta, rate = y
        u = p["kp"]*theta + p["kd"]*rate + p["kv"]*(v - p["v0"])
        push, tip, k = u/p["R"] + m*l*sin(theta)*rate**2, m*g*l*sin(theta) - u, m*l*cos(theta)
        whole = M*J - k*k
        return [(J*push - k*tip)/whole, rate, (M*tip - k*push)/whole]

    rows, _ = run(name, "v,theta,theta'", [2, 5], "-p", "w0=0")
    for t, row in zip((2, 5), rows):
        for i, wanted in enumerate(integrate(straight, [0, 0, 0], t, 4000)):
            near(f"{name}, straight on, quantity {i + 1} at {t}", row[i], wanted, 1e-9)
    # in the end what was asked for, upright: the slowest pole is near -1
    rows, _ = run(name, "v,psi',theta", [30], "--for", "30")
    for found, wanted in zip(rows[0], (p["v0"], p["w0"], 0)):
        near(f"{name}, in the end", found, wanted, 1e-8)
    # without motors it falls; what is left out is of third order
    s = sqrt(m*g*l*M/(M*J - (m*l)**2))
    rows, _ = run(name, "theta", [1], "-p", "kp=0", "-p", "kd=0", "-p", "kv=0", "-p", "kw=0", "--state", "theta=1e-6", "--atol", "1e-18")
    near(f"{name}, falling", rows[0][0]/(1e-6*cosh(s)), 1, 1e-7)


@model("tractor_trailers")
def tractor_trailers(name):
    p = parameters(name)
    for N in (1, 5, 20):
        text = with_number(name, N)
        told = command(name, text, "check")
        expect(f"{name}, N = {N}: two degrees of freedom", told["degrees_of_freedom"] == 2, told["degrees_of_freedom"])
        show = ",".join(["v", "theta'"] + [f"norm(vel(axle[{i + 1}])), cos(phi[{i}])" for i in range(1, N + 1)])
        for row in motion(name, text, show, [3, 8], "--for", "8"):
            speeds, cosines = [row[0]] + row[2::2], row[3::2]
            for i in range(N):
                near(f"{name}, N = {N}: speed of axle {i + 1}", speeds[i + 1], abs(speeds[i]*cosines[i]), 1e-9)
    # all on circles: radius^2 falls by d^2 from axle to axle
    row = run(name, "v,theta'," + ",".join(f"norm(vel(axle[{i}]))" for i in range(2, 7)), [120], "--for", "120")[0][0]
    for i in range(1, 6):
        near(f"{name}, radius of axle {i}", row[i + 1]/row[1], sqrt((row[0]/row[1])**2 - i*p["d"]**2), 1e-8)
    # the tractor goes straight: the first trailer follows on a tractrix, however the others pull
    for t, (x, phi) in zip((1, 3), run(name, "x,phi[1]", [1, 3], "-p", "w0=0", "--state", "phi[1]=1.2", "--state", "phi[3]=-0.7")[0]):
        near(f"{name}, tractrix at {t}", tan(phi/2), tan(0.6)*exp(-x/p["d"]), 1e-10)


def reference(name):
    with open(SOURCE/"tests"/"reference"/name, encoding="utf-8") as stream:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in stream if not line.startswith("#"))]


def mecanum(name):
    """The carriage of carriage_mecanum.pf, made of four wheels by 'use'; chi counts the other way round there."""
    text = path(name).read_text(encoding="utf-8")
    head, tail = text.split("for i in 1..N {")
    use = "\n".join(f"use wheel(carriage, {a}*R, {b - 0.4}*R, -pi/2, {g}*pi/4, {-0.5*U} [N m]) as w[{i}]" for i, (a, b, g, U) in
                    enumerate([(2.5, 3, -1, 6), (-2.5, 3, 1, 2), (-2.5, -3, -1, 4), (2.5, -3, 1, 5)], 1))
    text = head + use + "\n" + tail[tail.index("}") + 1:]
    M, R = 20, 0.1
    numbers = {"mp": M, "Jp": 9*M*R**2, "mw": 0, "Jd": 0, "Jw": 0.1*M*R**2, "R": R, "drag": 0.3, "L": 0.25}
    options = [word for k, v in numbers.items() for word in ("-p", f"{k}={v!r}")]
    rows = reference("mecanum4_moving.csv")
    start = rows[0]
    c, s = cos(start["theta"]), sin(start["theta"])
    state = {"theta": start["theta"], "theta'": start["nu3"]/3, "x'": R*(start["nu1"]*c - start["nu2"]*s), "y'": R*(start["nu1"]*s + start["nu2"]*c)}
    options += [word for k, v in state.items() for word in ("--state", f"{k}={v!r}")]
    found = motion(name, text, "x,y,theta," + ",".join(f"w[{i}].chi" for i in (1, 2, 3, 4)), [r["t"] for r in rows], "--for", repr(rows[-1]["t"]), *options)
    for row, wanted in zip(found, rows):
        wanted = [wanted[k] for k in ("x", "y", "theta")] + [-wanted[f"chi{i}"] for i in (1, 2, 3, 4)]
        for a, b in zip(row, wanted):
            near(f"{name}, four mecanum wheels", a, b, 1e-9*max(1, abs(b)))


@model("carriage_n")
def carriage_n(name):
    p = parameters(name)
    v, w, R, L = 0.5, 2, p["R"], p["L"]
    for N in (3, 6, 50):
        m = p["mp"] + N*p["mw"]
        turn = (1 - m/(m + N*p["Jw"]/(2*R*R)))*w
        for t, row in zip((5, 30), motion(name, with_number(name, N), "x,y,theta'", [5, 30])):
            near(f"{name}, N = {N}, x at {t}", row[0], v/turn*sin(turn*t), 1e-9)
            near(f"{name}, N = {N}, y at {t}", row[1], v/turn*(1 - cos(turn*t)), 1e-9)
            near(f"{name}, N = {N}, rate at {t}", row[2], w, 1e-11)
        # equal motors turn it about its middle
        J = p["Jp"] + N*(p["mw"]*L*L + p["Jd"]) + N*p["Jw"]*L*L/(R*R)
        row = motion(name, with_number(name, N), "theta'", [2], "-p", "drive=0.2")[0]
        near(f"{name}, N = {N}, driven", row[0], w - 2*N*0.2*L/R/J, 1e-9)
    for N in (1, 2):  # nothing is lost, whatever is free to slide
        told = command(name, with_number(name, N), "run", *EXACT)
        expect(f"{name}, N = {N}: energy", abs(told["energy"]["end"] - told["energy"]["start"]) < 1e-9, told["energy"])
    mecanum(name)


@model("castor_trolley")
def castor_trolley(name):
    p = parameters(name)
    rolled = p["Jw"]/p["R"]**2
    fixed = p["mt"] + 2*(p["mw"] + rolled)
    show = "x,x',left.phi [rad],right.phi [rad],y"
    for t, (x, v, left, right, y) in zip((0.3, 0.8, 2), run(name, show, [0.3, 0.8, 2])[0]):
        phi = 2*atan(tan(175*pi/360)*exp(-x/p["d"]))
        mass = fixed + 2*((p["mw"] + rolled)*cos(phi)**2 + (p["Jf"] + p["Jd"])*sin(phi)**2/p["d"]**2)
        near(f"{name}, left castor at {t}", left, phi, 1e-9)
        near(f"{name}, right castor at {t}", right, -phi, 1e-9)
        near(f"{name}, speed at {t}", v, sqrt(2*p["F"]*x/mass), 1e-9)
        near(f"{name}, straight on at {t}", y, 0, 1e-12)


finish()
