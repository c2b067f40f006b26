# SPDX-License-Identifier: Apache-2.0
"""examples/spacecraft against closed forms, conserved momenta and the motions of tests/reference: spacecraft.py PFAFF SOURCE"""
import csv
from math import cos, pi, sin

from gallery import SOURCE, dot, expect, finish, integrate, model, near, parameters, run


def compare(what, found, wanted, tolerance):
    for i, (a, b) in enumerate(zip(found, wanted)):
        near(f"{what}, {i + 1}", a, b, tolerance)


def samples(name, show, at):
    """Rows at these times without those of events, of which there are two each."""
    _, told = run(name, show, at)
    return [next(row[1:] for row in told["rows"] if row[0] == t) for t in at], told


def floating(what, told, tolerance):
    change = told["momentum"]["change"]
    near(f"{what}: linear momentum", change["linear"], 0, tolerance)
    near(f"{what}: angular momentum", change["angular"], 0, tolerance)


@model("free_floating_bodies")
def free_floating_bodies(name):
    with open(SOURCE/"tests"/"reference"/"freefloat_cm_asymic.csv", encoding="utf-8") as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in stream if not line.startswith("#"))]
    found, told = run(name, "theta,psi1,psi2,theta',psi1',psi2',kinetic", [row["t"] for row in rows])
    for row, wanted in zip(found, rows):
        compare(f"{name} at {wanted['t']}", row, [wanted[k] for k in ("theta", "psi1", "psi2", "dtheta", "dpsi1", "dpsi2", "T_kinetic")], 1e-9)
    near(f"{name}: energy", told["energy"]["end"], told["energy"]["start"], 1e-10)


@model("floating_turn")
def floating_turn(name):
    p = parameters(name)
    k, J, g = p["m2"]*p["r"]*p["L"], p["m2"]*p["L"]**2, p["m2"]**2*p["L"]**2/(p["m1"] + 2*p["m2"])

    def turn(lag):
        """Of the hull in one loop of the arms: zero angular momentum about the centre of mass, integrated over the phase."""
        def rate(s, _):
            a, b = p["bent"] + p["swing"]*sin(s), p["swing"]*sin(s - lag)
            a1, b1 = p["swing"]*cos(s), p["swing"]*cos(s - lag)
            less = g*(1 - cos(a - b))
            whole = 2*J + 2*p["m2"]*p["r"]**2 + p["I"] + 2*k*(cos(a) + cos(b)) - 2*less
            return [((J + k*cos(a) - less)*a1 + (J + k*cos(b) - less)*b1)/whole]
        return integrate(rate, [0], 2*pi, 2000)[0]

    expect(f"{name}: a loop turns the hull", abs(turn(pi/2)) > 0.05, turn(pi/2))
    for lag in (pi/2, 0, -pi/2):
        rows, _ = run(name, "theta,psi1,psi2,H", [p["T"]], "-p", f"lag={lag!r}")
        compare(f"{name}, lag {lag:.2f}", rows[0], [p["turns"]*turn(lag), p["bent"], -p["swing"]*sin(lag), 0], 1e-8)


@model("reaction_wheel")
def reaction_wheel(name):
    p = parameters(name)
    mu = p["m1"]*p["m2"]/(p["m1"] + p["m2"])
    for options in ([], ["-p", "kp=4", "-p", "kd=4"]):
        for theta, w, psi, s, spin in run(name, "theta,theta',psi,psi',chi'", [2, 4, 8, 14], *options)[0]:
            a = theta + psi
            d = [p["r"]*cos(theta) + p["l"]*cos(a), p["r"]*sin(theta) + p["l"]*sin(a)]
            d1 = [-p["r"]*sin(theta)*w - p["l"]*sin(a)*(w + s), p["r"]*cos(theta)*w + p["l"]*cos(a)*(w + s)]
            whole = mu*(d[0]*d1[1] - d[1]*d1[0]) + p["I"]*w + p["Ia"]*(w + s)
            near(f"{name}: the wheel takes what hull and arm give", p["Jw"]*(spin + w), -whole, 1e-9)


@model("docking")
def docking(name):
    p = parameters(name)
    mA, mB, v, d, T, hold = (p[k] for k in ("mA", "mB", "v", "d", "T", "hold"))
    mu = mA*mB/(mA + mB)
    w = mu*d*v/(p["IA"] + p["IB"] + mu*d*d)
    middle, part = mA*v/(mA + mB), mB/(mA + mB)
    near(f"{name}: the numbers in its head", w, 4/13, 1e-15)
    rows, told = samples(name, "pos(A).x,pos(A).y,pos(B).x,pos(B).y,A.wz,B.wz", [1, T + 3, 12])
    compare(f"{name}, before", rows[0], [v*(1 - T), 0, 0, d, 0, 0], 1e-10)

    def turned(t):
        """While they hold each other: the vector from A to B, and the centre of mass."""
        return [-d*sin(w*t), d*cos(w*t)], [middle*t, part*d]

    arm, centre = turned(3)
    held = [centre[0] - part*arm[0], centre[1] - part*arm[1], centre[0] + (1 - part)*arm[0], centre[1] + (1 - part)*arm[1], w, w]
    compare(f"{name}, together", rows[1], held, 1e-9)
    arm, centre = turned(hold)
    rate, rest = [-w*arm[1], w*arm[0]], 12 - T - hold  # then each on a straight line
    arm = [a + rest*b for a, b in zip(arm, rate)]
    centre[0] += middle*rest
    apart = [centre[0] - part*arm[0], centre[1] - part*arm[1], centre[0] + (1 - part)*arm[0], centre[1] + (1 - part)*arm[1], w, w]
    compare(f"{name}, apart", rows[2], apart, 1e-9)
    event = told["events"][0]
    near(f"{name}: energy", event["kinetic_after"], 10/13, 1e-12)
    compare(f"{name}: impulses", [event["impulse"]["B.A.x"], event["impulse"]["B.A.turn_z"]], [6/13, 2/13], 1e-12)
    floating(name, told, 1e-10)


@model("release")
def release(name):
    p = parameters(name)
    M, m, a, w0, T = (p[k] for k in ("M", "m", "a", "w0", "T"))
    show = ",".join(f"{q}.{k}" for q in ("pos(carrier)", "pos(satellite)", "omega(carrier)", "omega(satellite)", "satellite.x") for k in "xyz")
    rows, told = samples(name, show, [20, 40])
    e, n = [cos(w0*T), sin(w0*T), 0], [-sin(w0*T), cos(w0*T), 0]
    c = m*a/(M + m)
    place, speed = [c, c*w0*T, 0], [0, c*w0, 0]  # of the common centre of mass
    for t, row in zip((20, 40), rows):
        for i, (off, mass) in enumerate(((-c, -M), (a - c, m))):
            wanted = [place[k] + off*e[k] + (t - T)*(speed[k] + off*w0*n[k] + p["push"]/mass*e[k]) for k in range(3)]
            compare(f"{name}: straight on, {('carrier', 'satellite')[i]}", row[3*i:], wanted, 1e-9)
        compare(f"{name}: spin of the carrier", row[6:9], [-p["tumble"]/p["J"]*e[0], -p["tumble"]/p["J"]*e[1], w0], 1e-10)
        # a free symmetric body keeps its angular momentum
        spin, axis = row[9:12], row[12:15]
        momentum = [p["It"]*s + (p["Is"] - p["It"])*dot(spin, axis)*x for s, x in zip(spin, axis)]
        compare(f"{name}: angular momentum of the satellite", momentum, [p["tumble"]*e[0], p["tumble"]*e[1], p["It"]*w0], 1e-9)
    floating(name, told, 1e-9)


@model("dual_arm_capture")
def dual_arm_capture(name):
    rows, told = samples(name, "distance(left.hand, left.grip),distance(right.hand, right.grip),energy", [4, 11, 20])
    floating(name, told, 1e-9)
    caught = told["events"][0]
    near(f"{name}: caught at the distance asked for", rows[0][0], parameters(name)["reach"], 1e-9)
    near(f"{name}: the left hand holds for ever", rows[2][0], rows[0][0], 1e-9)
    near(f"{name}: the right one until it lets go", rows[1][1], rows[0][1], 1e-9)
    near(f"{name}: letting go loses nothing", told["events"][1]["energy_loss"], 0, 1e-12)
    near(f"{name}: impact", caught["kinetic_before"] - caught["kinetic_after"], caught["energy_loss"], 1e-12)
    energies = [caught["kinetic_before"], caught["kinetic_after"]] + [row[2] for row in rows]
    expect(f"{name}: energy falls", all(a > b for a, b in zip(energies, energies[1:])), energies)
    # in the end all turns as one: what is left is what a rigid body with these momenta must have, at least that of its centre of mass
    linear = told["momentum"]["start"]["linear"]
    expect(f"{name}: not below the energy of the centre of mass", energies[-1] > dot(linear, linear)/(2*(150 + 40 + 2*14)), energies[-1])


finish()
