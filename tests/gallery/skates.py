# SPDX-License-Identifier: Apache-2.0
"""examples/skates against closed forms and against reduced equations, derived by hand and integrated here: skates.py PFAFF SOURCE"""
from math import cos, cosh, pi, sin, sqrt, tanh

from gallery import finish, integrate, model, near, parameters, run


def compare(name, row, wanted, tolerance):
    for i, (found, value) in enumerate(zip(row, wanted)):
        near(f"{name}, quantity {i + 1}", found, value, tolerance)


def racer(p, phi):
    """Rates of (v, theta, x, y) of a car whose front axle is steered by phi(t), given with two derivatives. D'Alembert along the
    one motion that the wheels allow, delta theta = A delta s, with theta' = A v + B phi'."""
    m, b, I1, I2, d1, d2 = p["m"], p.get("b", 0), p["I1"], p["I2"], p["d1"], p["d2"]
    J = I1 + m*b*b + I2

    def rates(t, y):
        v, theta = y[0], y[1]
        a, a1, a2 = phi(t)
        L = d1*cos(a) + d2
        A, B, slope = sin(a)/L, -d2/L, d1*sin(a)/L**2
        turn = A*v + B*a1
        known = (cos(a)/L + sin(a)*slope)*a1*v + B*a2 - d2*slope*a1*a1  # of theta'' beside A v'
        push = m*b*turn**2 - A*(J*known + m*b*v*turn + I2*a2)
        return [push/(m + J*A*A), turn, v*cos(theta), v*sin(theta)]
    return rates


def swung(p):
    return lambda t: (p["swing"]*sin(p["w"]*t), p["swing"]*p["w"]*cos(p["w"]*t), -p["swing"]*p["w"]**2*sin(p["w"]*t))


@model("roller_racer")
def roller_racer(name):
    p = parameters(name)
    rows, _ = run(name, "v,theta,x,y", [2, 5])
    for t, row in zip((2, 5), rows):
        compare(name, row, integrate(racer(p, swung(p)), [0, 0, 0, 0], t, 4000), 1e-8)
    # handle held: a circle round (0, radius), at constant speed
    held = 0.5
    radius = (p["d1"]*cos(held) + p["d2"])/sin(held)
    rows, _ = run(name, "v,x,y", [3], "-p", "swing=0", "-p", f"middle={held}", "--state", f"phi={held}", "--state", "theta=0",
                  "--state", "x'=0.7", "--state", f"theta'={0.7/radius}")
    compare(f"{name}, handle held", rows[0], [0.7, radius*sin(2.1/radius), radius*(1 - cos(2.1/radius))], 1e-9)


@model("twistcar")
def twistcar(name):
    p = parameters(name)
    rows, _ = run(name, "v,theta,x,y", [2, 4])
    for t, row in zip((2, 4), rows):
        compare(name, row, integrate(racer(p, swung(p)), [0, 0, 0, 0], t, 8000), 1e-7)
    # small swings from rest, over whole periods; what is left out is of the order of swing^2
    L, swing, end = p["d1"] + p["d2"], 0.01, 5*2*pi/p["w"]
    for I2 in (p["I2"], 0.2):
        J = p["I1"] + p["m"]*p["b"]**2 + I2
        mean = swing**2*p["w"]**2/(2*p["m"]*L**2)*(p["m"]*p["b"]*p["d2"]**2 + L*I2 - J*p["d2"])
        rows, _ = run(name, "v", [end], "-p", f"swing={swing}", "-p", f"I2={I2}")
        near(f"{name}, mean push with I2 = {I2}", rows[0][0]/end/mean, 1, 1e-3)


@model("knife_edge")
def knife_edge(name):
    p = parameters(name)
    c, w = p["g"]*sin(p["a"])/(2*p["spin"]**2), p["spin"]
    times = [0.5, 2, 6]
    for t, row in zip(times, run(name, "x,y,theta", times)[0]):
        compare(name, row, [c*sin(w*t)**2, c*(w*t - sin(2*w*t)/2), w*t], 1e-9)


@model("suslov")
def suslov(name):
    p = parameters(name)
    s = p["I13"]*p["W"]/sqrt(p["I11"]*p["I22"])
    times = [0.5, 2, 10]
    for t, row in zip(times, run(name, "stone.wx,stone.wy,stone.wz", times)[0]):
        compare(name, row, [p["W"]/cosh(s*t), p["W"]*sqrt(p["I11"]/p["I22"])*tanh(s*t), 0], 1e-9)


def snakeboard(name, steer, swing):
    """m L^2 u' = -Jr sin(phi) psi'', v = L cos(phi) u, theta' = sin(phi) u; frequencies in units of w. Gives the motion of a period."""
    p = parameters(name)
    m, L, w = p["m"], p["L"], p["w"]

    def rates(t, y):
        phi, push = p["a_phi"]*sin(steer*w*t), -p["a_psi"]*(swing*w)**2*sin(swing*w*t)
        u, theta, v = y[0], y[1], L*cos(phi)*y[0]
        return [-p["Jr"]/(m*L*L)*sin(phi)*push, sin(phi)*u, v*cos(theta), v*sin(theta)]
    period = 2*pi/w
    rows, _ = run(name, "theta,x,y", [1, period])
    for t, row in zip((1, period), rows):
        compare(name, row, integrate(rates, [0, 0, 0, 0], t, 4000)[1:], 1e-9)
    return rows[1]


@model("snakeboard_drive")
def drive(name):
    theta, x, y = snakeboard(name, 1, 1)
    near(f"{name}: forwards", min(abs(x)/max(abs(y), 1e-9), 10), 10, 0)
    near(f"{name}: no turn", theta, 0, 0.15)


@model("snakeboard_rotate")
def rotate(name):
    theta, x, y = snakeboard(name, 1, 2)
    near(f"{name}: more than 80 degrees a period", min(theta, 1.4), 1.4, 0)
    near(f"{name}: the middle stays near", max(abs(x), abs(y), 0.15), 0.15, 0)


@model("snakeboard_park")
def park(name):
    theta, x, y = snakeboard(name, 2, 3)
    near(f"{name}: no turn", theta, 0, 1e-9)
    near(f"{name}: no way forwards", x, 0, 1e-9)
    near(f"{name}: to the side, as the model says", y, 0.6, 0.005)


finish()
