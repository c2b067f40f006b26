# SPDX-License-Identifier: Apache-2.0
"""examples/balls-and-discs against closed forms, conserved quantities and Euler's equations, integrated here: balls_and_discs.py PFAFF SOURCE"""
from math import asin, cos, exp, pi, sin, sqrt

from gallery import cross, dot, expect, finish, integrate, model, near, parameters, run, solve


def rolling(m, g, I, D, offset):
    """Rates of (u, w), the vertical and the angular velocity in the axes of a body that rolls on a plane by the ellipsoid
    x.D^-1.x = 1 round the point `offset` from its centre of mass; a sphere and a disc are such. Newton and Euler with
    the force of contact N: m (v' + w x v) = N - m g u, I w' + w x I w = r x N, v = -w x r."""
    def rates(_, y):
        u, w = y[:3], y[3:]
        s = sqrt(sum(d*x*x for d, x in zip(D, u)))
        u1 = cross(u, w)
        s1 = sum(d*x*x1 for d, x, x1 in zip(D, u, u1))/s
        r = [o - d*x/s for o, d, x in zip(offset, D, u)]
        r1 = [d*(x*s1/s - x1)/s for d, x, x1 in zip(D, u, u1)]
        v = [-x for x in cross(w, r)]
        rest = [m*(a - b + g*x) for a, b, x in zip(cross(w, v), cross(w, r1), u)]
        Iw = [dot(row, w) for row in I]
        right = [a - b for a, b in zip(cross(r, rest), cross(w, Iw))]
        A = [[I[i][k] + m*((dot(r, r) if i == k else 0) - r[i]*r[k]) for k in range(3)] for i in range(3)]
        return u1 + solve(A, right)
    return rates


def diagonal(a, b, c):
    return [[a, 0, 0], [0, b, 0], [0, 0, c]]


@model("rattleback")
def rattleback(name):
    p = parameters(name)
    I = [[p["A"], p["D"], 0], [p["D"], p["B"], 0], [0, 0, p["C"]]]
    rates = rolling(p["m"], p["g"], I, [p["a"]**2, p["b"]**2, p["c"]**2], [0, 0, p["h"]])
    show = "stone.x.z,stone.y.z,stone.z.z,stone.wx,stone.wy,stone.wz,energy"
    rows, _ = run(name, show, [0, 0.5, 8])
    for found, wanted in zip(rows[1], integrate(rates, rows[0][:6], 0.5, 10000)):
        near(f"{name} at 0.5 s", found, wanted, 1e-7)
    expect(f"{name} turns back", rows[0][5] == -5 and rows[2][5] > 4, rows[2])
    near(f"{name}: energy", rows[2][6], rows[0][6], 1e-10)
    rows, _ = run(name, show, [0, 4], "-p", "spin=5")
    expect(f"{name} goes on the other way", rows[1][5] > 4, rows[1])


@model("turntable")
def turntable(name):
    p = parameters(name)
    k, times = 2*p["Omega"]/7, [1, 3, 6]
    for t, (x, y) in zip(times, run(name, "pos(ball).x,pos(ball).y", times)[0]):
        near(f"{name}: x", x, p["x0"] + p["v"]*sin(k*t)/k, 1e-9)
        near(f"{name}: y", y, p["v"]*(1 - cos(k*t))/k, 1e-9)
    rows, _ = run(name, "pos(ball).x,pos(ball).y", [6], "-p", "v=0")
    near(f"{name}: a ball at rest stays", abs(rows[0][0] - p["x0"]) + abs(rows[0][1]), 0, 1e-10)


@model("chaplygin_sphere")
def chaplygin_sphere(name):
    p = parameters(name)
    rows, _ = run(name, "ball.x.z,ball.y.z,ball.z.z,ball.wx,ball.wy,ball.wz,Kx,Ky,Kz,energy", [0, 3, 20])
    rates = rolling(p["m"], 9.81, diagonal(p["A"], p["B"], p["C"]), [p["R"]**2]*3, [0, 0, 0])
    for found, wanted in zip(rows[1], integrate(rates, rows[0][:6], 3, 4000)):
        near(f"{name} at 3 s", found, wanted, 1e-8)
    for k in (6, 7, 8, 9):
        near(f"{name}: integral {k - 5}", rows[2][k], rows[0][k], 1e-11)


@model("tippe_top")
def tippe_top(name):
    rows, _ = run(name, "height,jellett,energy", [0, 2, 4, 5, 8], "--by", "dopri5", "--rtol", "1e-11")
    for row in rows:
        near(f"{name}: Jellett's integral", row[1]/rows[0][1], 1, 1e-8)
    expect(f"{name} turns over", rows[0][0] < -0.99 and rows[-1][0] > 0.999, rows)
    expect(f"{name}: friction takes energy", all(a[2] > b[2] for a, b in zip(rows, rows[1:])), rows)
    rows, _ = run(name, "height,jellett,energy", [0, 4], "-p", "mu=0")
    expect(f"{name} without friction stays", rows[1][0] < -0.9, rows)
    near(f"{name}: energy without friction", rows[1][2]/rows[0][2], 1, 1e-9)


@model("eulers_disc")
def eulers_disc(name):
    p = parameters(name)
    m, R, g, tilt = p["m"], p["R"], p["g"], p["tilt"]
    (alpha, rate, energy, x), = run(name, "alpha,psi',energy,x", [3], "-p", "k=0")[0]
    near(f"{name}: steady inclination", alpha, tilt, 1e-8)
    near(f"{name}: steady rate", rate, sqrt(4*g/(R*sin(tilt))), 1e-6)
    near(f"{name}: energy", energy, 1.5*m*g*R*sin(tilt), 1e-10)
    near(f"{name}: the centre rests", x, 0, 1e-8)
    # small inclinations: alpha falls exponentially; corrections are of the order of alpha^2
    for t, (alpha,) in zip((2, 5), run(name, "alpha", [2, 5], "-p", "tilt=1")[0]):
        near(f"{name}: decay to {t} s", alpha/asin(sin(pi/180)*exp(-8*p["k"]*t/(3*m*R*R))), 1, 1e-3)
    # off the steady motion: Euler's equations of a rolling disc
    rows, _ = run(name, "disc.x.z,disc.y.z,disc.z.z,dot(omega(disc), disc.x),dot(omega(disc), disc.y),dot(omega(disc), disc.z)", [0, 0.3], "-p", "k=0",
                  "--state", "phi'=1")
    rates = rolling(m, g, diagonal(m*R*R/4, m*R*R/2, m*R*R/4), [R*R, 0, R*R], [0, 0, 0])
    for found, wanted in zip(rows[1], integrate(rates, rows[0], 0.3, 6000)):
        near(f"{name} at 0.3 s", found, wanted, 1e-6)


@model("monocycle")
def monocycle(name):
    p = parameters(name)
    M = p["m1"] + p["J1"]/p["R"]**2 + p["m2"]
    rows, _ = run(name, "x',beta,beta',energy,phi", [0, 2.5, 10])
    momentum = [M*v + p["m2"]*p["l"]*cos(b)*b1 for v, b, b1, _, _ in rows]
    for i in (1, 2):
        near(f"{name}: momentum", momentum[i], momentum[0], 1e-7)
        near(f"{name}: energy", rows[i][3], rows[0][3], 1e-6)
        near(f"{name} stays upright", rows[i][4], 0, 1e-12)
    ml = p["m2"]*p["l"]
    w = sqrt(ml*p["g"]*M/(M*(p["J2"] + ml*p["l"]) - ml**2))
    for t, (beta,) in zip((pi/w, 2*pi/w), run(name, "beta", [pi/w, 2*pi/w], "-p", "swing=1e-3")[0]):
        near(f"{name}: small swings", beta, 1e-3*cos(w*t), 1e-9)


@model("ball_between_plates")
def ball_between_plates(name):
    p = parameters(name)
    growth = p["tau"]/(p["J"] + 3*7/20*p["m"]*p["r"]**2)
    for t, (gamma, x, y) in zip((2, 10), run(name, "gamma,pos(ball[3]).x,pos(ball[3]).y", [2, 10])[0]):
        wanted = 0.5*t + growth*t*t/2
        near(f"{name}: the plate", gamma, wanted, 1e-8)
        near(f"{name}: x of a ball", x, p["r"]*cos(wanted/2), 1e-8)
        near(f"{name}: y of a ball", y, p["r"]*sin(wanted/2), 1e-8)


finish()
