# SPDX-License-Identifier: Apache-2.0
"""Models of any size for bench/growth.py.

    models.py KIND N      prints the model; KIND is a name of KINDS
"""
import math
import sys

LINK = "mass 1.5 [kg], com (0.05, 0.1, 0.1), inertia diag(0.02, 0.03, 0.025)"
BAR = "mass 1 [kg], com (0.5, 0, 0), inertia diag(0.01, 0.08, 0.08)"


def links(n, base):
    """Hinges in space, each on the link before, about x, y and z in turn."""
    before = base
    for i in range(1, n + 1):
        yield f"body link{i} in {before} at (0.1, 0.2, 0.3) turn q[{i}] about {'xyz'[i % 3]} {{ {LINK} }}"
        before = f"link{i}"
    for i in range(1, n + 1):
        yield f"start q[{i}] = {0.3*math.sin(i):.2f}"
    yield "start q[1]' = 0.5"


def chain(n):
    yield f"coord q[{n}] [rad]"
    yield "gravity (0, 0, -9.81)"
    yield from links(n, "ground")


def free_chain(n):
    yield f"coord q[{n}] [rad]"
    yield "body hub in ground free { mass 3 [kg], inertia diag(0.3, 0.2, 0.4) }"
    yield from links(n, "hub")


def carts(n):
    yield f"coord x[{n}] [m]"
    for i in range(1, n + 1):
        yield f"kinetic 0.5 [kg]*x[{i}]'^2"
    for i in range(1, n):
        yield f"potential 50 [N/m]*(x[{i + 1}] - x[{i}])^2"
    yield "start x[1] = 0.1"


def trailers(n):
    """A tractor with n trailers of one axle each, hitched on the axle before; no wheel slips sideways."""
    yield f"coord x, y [m], theta[{n + 1}] [rad]"
    yield "body tractor in ground at (x, y, 0) turn theta[1] about z { mass 10 [kg], inertia diag(1, 1, 1) }"
    yield "constraint -sin(theta[1])*x' + cos(theta[1])*y' = 0"
    before = ("x", "y")
    for i in range(2, n + 2):
        yield f"let X{i} = {before[0]} - 1 [m]*cos(theta[{i}]), Y{i} = {before[1]} - 1 [m]*sin(theta[{i}])"
        yield f"body trailer{i} in ground at (X{i}, Y{i}, 0) turn theta[{i}] about z {{"
        yield "  mass 5 [kg], inertia diag(1, 1, 0.5)"
        yield "}"
        yield f"constraint -sin(theta[{i}])*X{i}' + cos(theta[{i}])*Y{i}' = 0"
        before = (f"X{i}", f"Y{i}")
    yield "force x = 3 [N]"
    for i in range(1, n + 2):
        yield f"start theta[{i}] = {0.3*math.sin(i):.3f}"
    yield "start x' = 1"


def four_bars(n):
    """n machines side by side: crank and coupler on one pivot, rocker on the other, closed by two constraints."""
    yield f"coord a[{n}], b[{n}], c[{n}] [rad]"
    yield "gravity (0, -9.81, 0)"
    for i in range(1, n + 1):
        yield f"body crank{i} in ground at ({5*i}, 0, 0) turn a[{i}] about z {{ {BAR} }}"
        yield f"body coupler{i} in crank{i} at (1, 0, 0) turn b[{i}] about z {{"
        yield "  mass 2 [kg], com (1, 0, 0), inertia diag(0.01, 0.3, 0.3)"
        yield "}"
        yield f"body rocker{i} in ground at ({5*i + 2}, 0, 0) turn c[{i}] about z {{"
        yield "  mass 1.5 [kg], com (0.75, 0, 0), inertia diag(0.01, 0.2, 0.2)"
        yield "}"
        yield f"constraint cos(a[{i}]) + 2*cos(a[{i}] + b[{i}]) = 2 + 1.5*cos(c[{i}])"
        yield f"constraint sin(a[{i}]) + 2*sin(a[{i}] + b[{i}]) = 1.5*sin(c[{i}])"
        yield f"start a[{i}] = 1.2, b[{i}] = -0.8, c[{i}] = 1.1"
        yield f"start a[{i}]' = {1 + 0.1*(i % 7):g}"


def net(n):
    """n x n point masses in a plane, rigid links to the right and below."""
    points = [(i, j) for i in range(n) for j in range(n)]
    yield "coord " + ", ".join(f"x{i}_{j}, y{i}_{j}" for i, j in points) + " [m]"
    for i, j in points:
        yield f"kinetic 0.5 [kg]*(x{i}_{j}'^2 + y{i}_{j}'^2)"
        yield f"potential 9.81 [N]*y{i}_{j}"
        for k, l in ((i, j + 1), (i + 1, j)):
            if k < n and l < n:
                yield f"constraint ((x{i}_{j} - x{k}_{l})^2 + (y{i}_{j} - y{k}_{l})^2)/2 = 0.5 [m^2]"
        yield f"start x{i}_{j} = {j} [m], y{i}_{j} = {-i} [m]"
    yield "start x0_0' = 0.1 [m/s]"


def ring(n):
    """A planar chain of n links whose end is held at its beginning."""
    yield f"coord q[{n}] [rad]"
    yield "gravity (0, -9.81, 0)"
    before = "ground"
    for i in range(1, n + 1):
        yield f"body bar{i} in {before} at ({0 if i == 1 else 1}, 0, 0) turn q[{i}] about z {{ {BAR} }}"
        before = f"bar{i}"
    yield f"frame end in bar{n} at (1, 0, 0)"
    yield "constraint dot(pos(end), ground.x) = 0 [m]"
    yield "constraint dot(pos(end), ground.y) = 0 [m]"
    for i in range(2, n + 1):
        yield f"start q[{i}] = {2*math.pi/n:.17g}"


KINDS = {function.__name__: function for function in (chain, free_chain, carts, trailers, four_bars, net, ring)}


def text(kind, n):
    lines = [f"model {kind}", *KINDS[kind](n), "run 0.01 by rk4 { step = 0.001 }"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text(sys.argv[1], int(sys.argv[2])))
