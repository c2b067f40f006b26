# SPDX-License-Identifier: Apache-2.0
"""examples/linkages against their closed forms, and against energy and torque worked out from these: linkages.py PFAFF SOURCE"""
import cmath
from math import acos, atan2, cos, hypot, pi, sin, sqrt, tan

from gallery import finish, model, near, parameters, run


def slope(f, x):
    """Derivative of an analytic function, exact to rounding: a step into the complex plane."""
    return f(complex(x, 1e-30)).imag/1e-30


@model("four_bar")
def four_bar(name):
    p = parameters(name)
    a, b, c, d, rho, g = (p[k] for k in ("a", "b", "c", "d", "rho", "g"))

    def angles(alpha):
        """Of coupler and rocker, by the triangle between the pins; this branch has the pin above the line."""
        x, y = d - a*cos(alpha), -a*sin(alpha)
        e, to = hypot(x, y), atan2(y, x)
        return to + acos((e*e + b*b - c*c)/(2*e*b)), to + pi - acos((e*e + c*c - b*b)/(2*e*c))

    def energy(alpha, rate):
        beta, gamma = angles(alpha)
        w2 = a*rate*sin(gamma - alpha)/(b*sin(beta - gamma))
        w3 = a*rate*sin(beta - alpha)/(c*sin(beta - gamma))
        kinetic = (rho*a**3/3 + p["J"])*rate**2 + rho*c**3/3*w3**2 + rho*b**3/12*w2**2
        kinetic += rho*b*(a*a*rate**2 + b*b/4*w2**2 + a*b*cos(beta - alpha)*rate*w2)
        return kinetic/2 + rho*g*(a*a/2*sin(alpha) + b*(a*sin(alpha) + b/2*sin(beta)) + c*c/2*sin(gamma))

    for motor in (0, 0.05):
        rows, _ = run(name, "alpha,gamma,alpha'", [0, 0.7, 2, 5], "-p", f"motor={motor}")
        begin = energy(*rows[0][::2])
        for alpha, gamma, rate in rows:
            left = d/a*cos(gamma) - d/c*cos(alpha) + (a*a - b*b + c*c + d*d)/(2*a*c)
            near(f"{name}: Freudenstein's equation", left, cos(alpha - gamma), 1e-10)
            near(f"{name}: energy", energy(alpha, rate), begin + motor*(alpha - rows[0][0]), 1e-9)


@model("slider_crank")
def slider_crank(name):
    p = parameters(name)
    r, l, w = p["r"], p["l"], p["w"]

    def piston(a):
        return r*cmath.cos(a) + cmath.sqrt(l*l - (r*cmath.sin(a))**2)

    def rates(a):
        """By angle: of piston, rod, and the middle of the rod."""
        root = cmath.sqrt(l*l - (r*cmath.sin(a))**2)
        turn = -r*cmath.cos(a)/root
        s = -r*cmath.sin(a) - r*r*cmath.sin(a)*cmath.cos(a)/root
        return s, turn, ((s - r*cmath.sin(a))/2, r*cmath.cos(a)/2)

    def kinetic(a):
        s, turn, (x, y) = rates(a)
        return w*w/2*(p["J"] + p["mp"]*s*s + p["mr"]*(x*x + y*y) + p["mr"]*l*l/12*turn*turn)

    times = [0.1, 0.37, 0.8]
    for t, (s, torque) in zip(times, run(name, "s,lambda[motor]", times)[0]):
        near(f"{name}: piston at {t}", s, piston(w*t).real, 1e-11)
        speed = rates(w*t)[0].real*w
        near(f"{name}: torque at {t}", torque, slope(kinetic, w*t) + p["load"]*speed**2/w, 1e-8)


@model("bennett")
def bennett(name):
    p = parameters(name)
    alpha, beta = p["alpha"], p["beta"]
    ratio = sin((beta + alpha)/2)/sin((beta - alpha)/2)
    # at t = 0.3293 it is folded into a line, and rows that are redundant anyway vanish
    for form in "multipliers", "maggi", "cascade", "auto":
        rows, told = run(name, "theta[1],theta[2],theta[3]", [0.1, 0.5, 1.7, 5], "--form", form)
        for one, two, three in rows:
            # tan(one/2) tan(two/2) = ratio, without its poles; opposite angles add up to a turn
            near(f"{name}: neighbours, {form}", sin(one/2)*sin(two/2) - ratio*cos(one/2)*cos(two/2), 0, 1e-9)
            near(f"{name}: opposite angles, {form}", tan((one + three)/4 - pi/2), 0, 1e-9)
        near(f"{name}: energy, {form}", told["energy"]["end"], told["energy"]["start"], 2e-9)


@model("bricard")
def bricard(name):
    rows, told = run(name, ",".join(f"theta[{i}]" for i in range(1, 6)), [0.1, 0.5, 2, 8])
    for row in rows:
        for i in range(4):
            c, d = cos(row[i]), cos(row[i + 1])
            near(f"{name}: neighbours", c + d + c*d, 0, 1e-9)
        near(f"{name}: threefold", max(abs(row[0] - row[2]), abs(row[0] - row[4]), abs(row[1] - row[3])), 0, 1e-9)
    near(f"{name}: energy", told["energy"]["end"], told["energy"]["start"], 1e-10)


@model("stewart")
def stewart(name):
    p = parameters(name)
    times = [0.3, 1.1, 3.9]
    show = "platform.px,platform.py,platform.pz," + ",".join(f"platform.{axis}.{k}" for axis in "xz" for k in "xyz")
    for t, row in zip(times, run(name, show, times)[0]):
        up = sin(p["w"]*t)**2
        a, b = p["roll_by"]*up, p["roll_by"]*sin(2*p["w"]*t)**2
        wanted = [p["sway"]*up, 0, p["h"] + p["heave"]*up, cos(b), cos(a)*sin(b), sin(a)*sin(b), 0, -sin(a), cos(a)]
        for found, value in zip(row, wanted):
            near(f"{name}: goes where it is wanted at {t}", found, value, 1e-9)
    # at rest, by virtual work: V(z) of platform and legs, and the length of a leg
    angle, h, g = pi/3 - 2*p["spread"], p["h"], p["g"]
    square = p["rb"]**2 + p["rp"]**2 - 2*p["rb"]*p["rp"]*cos(angle)

    def potential(z):
        L = cmath.sqrt(z*z + square)
        return g*z*(p["mp"]/6 + p["m1"]*p["c1"]/L + p["m2"]*(1 - p["c2"]/L))

    force = slope(potential, h)*sqrt(h*h + square)/h
    forces = ",".join(f"lambda[leg[{i}].drive]" for i in range(1, 7))
    rows, _ = run(name, forces, [1], "-p", "heave=0", "-p", "sway=0", "-p", "roll_by=0")
    for found in rows[0]:
        near(f"{name}: force of a leg at rest", found, force, 1e-8)


finish()
