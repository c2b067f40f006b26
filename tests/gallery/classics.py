# SPDX-License-Identifier: Apache-2.0
"""examples/classics against closed forms and conserved quantities: classics.py PFAFF SOURCE"""
from math import acos, atan2, cos, pi, sin, sqrt

from gallery import finish, model, near, parameters, run


@model("top")
def top(name):
    p = parameters(name)
    A, C, n, theta = p["A"], p["C"], p["n"], p["theta"]
    weight = p["m"]*p["g"]*p["l"]
    rate = (C*n - sqrt((C*n)**2 - 4*A*weight*cos(theta)))/(2*A*cos(theta))
    rows, _ = run(name, "inclination,top.wz,vertical,energy,top.z.x,top.z.y", [0, 1, 5])
    for t, row in zip((0, 1, 5), rows):
        near(f"{name}: steady inclination", row[0], theta, 1e-8)
        near(f"{name}: spin", row[1], n, 1e-7)
        near(f"{name}: axis, x", row[4], sin(theta)*sin(rate*t), 1e-7)  # it begins towards -y
        near(f"{name}: axis, y", row[5], -sin(theta)*cos(rate*t), 1e-7)
    # nutation: what is conserved, and the axis never above where it was let go
    rows, _ = run(name, "inclination,top.wz,vertical,energy", [0, 0.1, 0.2, 0.3, 2], "-p", "slow=0")
    for row in rows:
        for k, size in ((1, n), (2, C*n), (3, rows[0][3])):
            near(f"{name}: integral {k}", row[k]/size, rows[0][k]/size, 1e-9)
        near(f"{name}: nutation", min(row[0] - theta, 0), 0, 1e-9)


@model("foucault_pendulum")
def foucault_pendulum(name):
    p = parameters(name)
    turn, w2 = p["Omega"]*sin(p["latitude"]), p["g"]/p["l"]
    for t, (x, y, vx, vy) in zip((600, 1200), run(name, "x,y,x',y'", [600, 1200], "-p", "a=0.3")[0]):
        # the long axis of the ellipse, in axes that turn with the plane
        vx, vy = vx - turn*y, vy + turn*x
        plane = atan2(2*(w2*x*y + vx*vy), w2*(x*x - y*y) + vx*vx - vy*vy)/2
        near(f"{name}: the plane at {t} s", plane, -turn*t, 2e-6)  # an ellipse of 0.3 m is not quite harmonic


@model("double_pendulum")
def double_pendulum(name):
    p = parameters(name)
    l, small = p["l"], 1e-3
    for sign in (-1, 1):
        w, ratio = sqrt(p["g"]/l*(2 + sign*sqrt(2))), -sign*sqrt(2)
        a, b = small, ratio*small
        start = {"x1": l*sin(a), "z1": -l*cos(a), "x2": l*(sin(a) + sin(b)), "z2": -l*(cos(a) + cos(b))}
        state = [word for key, value in start.items() for word in ("--state", f"{key}={value!r}")]
        times = [pi/w, 2*pi/w, 3*pi/w]
        for t, (x1, x2) in zip(times, run(name, "x1,x2", times, *state)[0]):
            near(f"{name}: x1 in a small swing", x1, l*a*cos(w*t), 1e-8)
            near(f"{name}: x2 in a small swing", x2, l*(a + b)*cos(w*t), 1e-8)
    rows, _ = run(name, "energy,x1^2 + z1^2", [0, 10])
    near(f"{name}: energy", rows[1][0], rows[0][0], 1e-8)
    near(f"{name}: length of a rod", rows[1][1], l*l, 1e-12)


@model("magnet_pendulum")
def magnet_pendulum(name):
    """It comes to rest on the line from the middle to a magnet, where string and magnets balance; by the symmetry of a third turn
    starts that are turned end turned."""
    p = parameters(name)

    def pull(r):  # outwards, at the distance r on the line to a magnet
        places = [(p["rho"]*cos(2*pi*i/3), p["rho"]*sin(2*pi*i/3)) for i in range(3)]
        return -p["k"]*r - sum(p["q"]*(r - x)/((r - x)**2 + y*y + p["h"]**2)**1.5 for x, y in places)

    low, high = 0.8*p["rho"], p["rho"]
    for _ in range(60):
        middle = (low + high)/2
        low, high = (middle, high) if pull(middle) > 0 else (low, middle)
    rest = None
    for turn in range(3):
        x, y = 0.5*cos(2*pi*turn/3) - 0.2*sin(2*pi*turn/3), 0.5*sin(2*pi*turn/3) + 0.2*cos(2*pi*turn/3)
        (x, y), = run(name, "x,y", [150], "--for", "150", "--state", f"x={x!r}", "--state", f"y={y!r}")[0]
        near(f"{name}: distance at rest", sqrt(x*x + y*y), low, 1e-6)
        angle = (atan2(y, x) - 2*pi*turn/3)%(2*pi)
        rest = angle if rest is None else rest
        near(f"{name}: turned starts end turned", sin(angle - rest), 0, 1e-5)
    rows, _ = run(name, "energy", [0, 30], "-p", "b=0")
    near(f"{name}: energy without friction", rows[1][0], rows[0][0], 1e-7)


@model("falling_cat")
def falling_cat(name):
    p = parameters(name)
    Ia, It, T = p["Ia"], p["It"], p["T"]
    gamma = acos((sqrt(Ia*Ia + It*(It - Ia)) - Ia)/(It - Ia))
    share = Ia*cos(gamma)/(It*sin(gamma)**2 + Ia*cos(gamma)**2)
    near(f"{name}: the bend for half a turn", share, 0.5, 1e-12)
    times = [0.1, 0.15, 0.25, 0.4]
    rows, _ = run(name, "s,rear.y.x,rear.y.y,rear.y.z", times)
    for t, (s, *axis) in zip(times, rows):
        near(f"{name}: the muscles", s, 2*pi*(t/T - sin(2*pi*t/T)/(2*pi)), 1e-12)
        # the waist goes round backwards, the halves turn in it: turn -share s about x, -gamma about y, s about x
        y, z = cos(s), sin(s)
        x, z = -sin(gamma)*z, cos(gamma)*z
        back = -share*s
        for found, wanted in zip(axis, (x, y*cos(back) - z*sin(back), y*sin(back) + z*cos(back))):
            near(f"{name}: attitude at {t} s", found, wanted, 1e-9)
    near(f"{name}: on its feet", rows[-1][2], -1, 1e-9)


finish()
