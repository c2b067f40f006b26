# SPDX-License-Identifier: Apache-2.0
"""Zhao, Yu, Chen, Feng, Cao 2023: the extended Rosenberg method on a space robot and on an omni robot."""
from math import cos, pi, sin, sqrt

from . import tools
from .tools import column, difference, inverse, largest, matmul, number, order, plus, transpose

TITLE = "Paper 000: the Rosenberg method, extended"
CITATION = ("Zhao Ruiying, Yu Jin, Chen Y H, Feng Yanli, Cao Xuepeng: *Extending and Decoupling of the Rosenberg Embedding Method for "
"Mechanical "
            "System Dynamics: The Integration of the First-Order and the Second-Order Constraints*. Journal of Mechanical Engineering "
            "(in Chinese), published online 24 February 2023. Equation and figure numbers are those of the paper.")
SHORT = ("The method, (33) and (34), is right, although two steps of its proof are misprinted. The model of the space robot "
         "is not mechanics: a part of its inertial forces is missing, and a constraint force makes up for some of it. The "
         "factors 7.5 and 4.5 in speed are not reproduced.")
PUBLISHED = tools.example("free_floating_published")
CORRECTED = tools.example("free_floating")
FLOATING = tools.example("free_floating_cm")
OMNI = tools.example("omni_robot")
TOLERANCES = ("--by", "dopri5", "--rtol", "1e-3", "--atol", "1e-6")  # those that ode45 has when nothing is said
EXACT = ("--by", "dop853", "--rtol", "1e-13")
ASYMMETRIC = ("--as-given", "-s", "psi2=pi/4", "-s", "psi1'=-0.2", "-s", "psi2'=0.3")
PRINTED_START = ("--as-given", "-s", "x'=-6.667", "-s", "y'=-11.547", "-s", "theta'=-0.667")
METHODS = ("udwadia_kalaba", "rosenberg_extended")


def printed_robot(q, v):
    """Equations (42) to (49) of the paper as they stand: accelerations and constraint forces."""
    m2, inertia, r, length = 5, 260.42, 4, 8
    (_, p1, p2), (w, w1, w2) = q, v
    k, j = m2 * r * length, m2 * length**2
    a11 = 2 * j + 2 * m2 * r**2 + 2 * k * cos(p1) + 2 * k * cos(p2) + inertia
    a12, a13 = -k * cos(p1) - j, -k * cos(p2) - j
    f2, f3 = k * sin(p1) * (w1 * w - w * w), k * sin(p2) * (w2 * w - w * w)
    b = k * (2 * w1 * w * sin(p1) + 2 * w2 * w * sin(p2) - w1 * w1 * sin(p1) - w2 * w2 * sin(p2))
    y = a12**2 * j + a13**2 * j - a11 * j * j
    acceleration = {"theta": b / a11 + (a12 * j * f2 + a13 * j * f3) / y,
                    "psi1": (a13**2 * f2 - a11 * j * f2 - a12 * a13 * f3) / y,
                    "psi2": (-a12 * a13 * f2 + a12**2 * f3 - a11 * j * f3) / y}
    return acceleration, {"theta": b, "psi1": b * a12 / a11, "psi2": b * a13 / a11}


def omni_matrices(theta, vx, vy, w):
    """M, A, b and F of (50), (51) in kg, mm, s."""
    m1, m2, i1, i2, r, length, torque = 0.2, 2, 80, 2080, 20, 40, 0.25
    angles = [theta + pi / 3, theta + pi, theta - pi / 3]
    a = [[-r * (i == j) for j in range(3)] + [sin(angles[i]), -cos(angles[i]), -length] for i in range(3)]
    b = [-w * (vx * cos(x) + vy * sin(x)) for x in angles]
    mass = [i1] * 3 + [3 * m1 + m2] * 2 + [3 * m1 * length**2 + i2]
    return mass, a, b, [torque, 0, 0, 0, 0, 0]


def printed_omni(theta, vx, vy, w):
    """(55) as printed, with the entries of R1 and R2 for the wheels."""
    m1, m2, i1, i2, r, length, torque = 0.2, 2, 80, 2080, 20, 40, 0.25
    b = omni_matrices(theta, vx, vy, w)[2]
    y1 = 3 * i1 + 6 * m1 * r**2 + 2 * m2 * r**2
    y2 = i2 * r**2 + 3 * m1 * length**2 * r**2 + 3 * i1 * length**2
    y3 = 3 * m1 * length**2 + 2 * m2 * length**2 - i2
    y5 = -3 * m1 * r * length**2 * y1 - 2 * r * i1 * y3 - r * i2 * y1
    y4 = -6 * m1 * r * y2 - 2 * m2 * r * y2 + r * i1 * y3
    diagonal = [y4, y4, y5]
    return [((2 * y2 + length**2 * y1 if i == 0 else r**2 * y3) * torque
             + sum((diagonal[i] if i == j else r * i1 * y3) * b[j] for j in range(3))) / (y1 * y2) for i in range(3)]


def multipliers_by(printed, theta, vx, vy, w):
    """lambda = A1^-T (Z - F1) with Z of (36), as printed or with what is right in its place."""
    mass, a, b, force = omni_matrices(theta, vx, vy, w)
    a1, a2 = [row[:3] for row in a], [row[3:] for row in a]
    m11 = [[mass[i] * (i == j) for j in range(3)] for i in range(3)]
    m22 = [[mass[3 + i] * (i == j) for j in range(3)] for i in range(3)]
    k = matmul(inverse(a1), a2)
    x = plus(matmul(transpose(k), matmul(m11, k)), m22)
    f1, f2 = column(force[:3]), column(force[3:])
    ab = matmul(inverse(a1), column(b))
    inner = matmul(transpose(k), matmul(m11, ab))           # -(M21 - K^T M11) A1^-1 b, M21 = 0
    kf = matmul(transpose(k), f1)
    last = kf if printed else plus(f2, kf, -1)              # -((M21 M11^-1 - K^T) F1), or -(K^T F1 - F2)
    z = plus(matmul(m11, ab), matmul(matmul(m11, k), matmul(inverse(x), plus(inner, last))), -1)
    return [row[0] for row in matmul(inverse(transpose(a1)), plus(z, f1, -1))]


def claims(page):
    page.head("What the paper claims")
    page.say("""
- Constraints of first order put into the virtual displacements (Rosenberg) leave n - l equations in which all accelerations still occur.
  Together with the constraints of second order they can be solved, in closed form, for the dependent and the independent accelerations: (33), (34).
- For a regular mass matrix and independent constraints these are the accelerations of Udwadia and Kalaba.
- A space robot with two arms and a robot on three omni wheels, 60 s by `ode45`: both methods give the same motion, to 1e-9 … 1e-7,
  and the new one is 7.5 and 4.5 times as fast.
""")
    page.head("Models")
    page.plain_table(("what", "file"), [
        ("space robot, equations as printed: (42) to (44)", f"[{PUBLISHED}](../../{PUBLISHED})"),
        ("space robot, Lagrange's equations complete", f"[{CORRECTED}](../../{CORRECTED})"),
        ("space robot whose body is not pinned at its centre", f"[{FLOATING}](../../{FLOATING})"),
        ("omni robot, exact start; the printed one by `--as-given -s …`", f"[{OMNI}](../../{OMNI})")])


def numbers(page):
    p = page.program
    page.head("Numbers")
    page.say("""
The paper prints formulas, data and orders of magnitude. Where it prints a formula, the column *paper* is that formula, evaluated as it
stands at the printed start; *Pfaff* has only the kinetic energy, the forces and the constraints.
""")
    table = page.compare()
    ours = p.evaluate(PUBLISHED)
    theirs, forces = printed_robot(list(ours["q"].values()), list(ours["v"].values()))
    for name, text in (("theta", "(48)"), ("psi1", "(49)"), ("psi2", "(49)")):
        table.agrees(f"space robot, {name}'' at the start, {text}", theirs[name], ours["acceleration"][name], 1e-14)
    for name in forces:
        table.agrees(f"constraint force on {name}, (46)", forces[name], ours["constraint_force"][name], 1e-11)
    omni = p.evaluate(OMNI, *PRINTED_START)
    for i, value in enumerate(printed_omni(pi / 6, -6.667, -11.547, -0.667)):
        table.agrees(f"omni robot, psi[{i + 1}]'' at the printed start, (55)", value, omni["acceleration"][f"psi[{i + 1}]"], 1e-12)
    for what, model, names, bound in (
            ("space robot, angles, difference of the methods", PUBLISHED, ["theta", "psi1", "psi2"], 1e-9),
            ("space robot, rates", PUBLISHED, ["theta'", "psi1'", "psi2'"], 1e-10),
            ("omni robot, x', y' [mm/s]", OMNI, ["x'", "y'"], 1e-8),
            ("omni robot, theta'", OMNI, ["theta'"], 1e-9),
            ("omni robot, x, y [mm]", OMNI, ["x", "y"], 1e-7)):
        runs = [p.run(model, *TOLERANCES, "--form", form) for form in METHODS]
        table.at_most(what, bound, difference(*runs, names))
    table.write()
    errors(page)
    complete(page)
    closed_form(page)


def errors(page):
    """How far the motions themselves are off."""
    p = page.program
    page.say("""
The differences are those of two roads to the same accelerations, with the tolerances of `ode45` (1e-3, 1e-6) and the same steps. They say nothing about
the error of the motion, which is larger by many powers of ten:
""")
    rows = []
    for what, model, names, file in (("space robot, as printed", PUBLISHED, ["theta", "psi1", "psi2"], "freefloat_published_paperic.csv"),
                                     ("space robot, corrected", CORRECTED, ["theta", "psi1", "psi2"], "freefloat_corrected_paperic.csv"),
                                     ("omni robot, exact start", OMNI, ["x", "y", "theta"], "omni3_corrected.csv")):
        exact = tools.reference(p, file)
        times = "--at=" + ",".join(f"{t:g}" for t in exact["t"])
        rough, fine = (p.run(model, *options, times) for options in (TOLERANCES, EXACT))
        if difference(fine, exact, names) > 1e-9:
            raise tools.Failure(f"{file}: {difference(fine, exact, names)}")
        rows.append((what, *(f"{order(difference(run, exact, names))}" for run in (rough, fine))))
    page.plain_table(("largest error of the coordinates in 60 s, against 17 digits", "rtol 1e-3, atol 1e-6", "`dop853`, rtol 1e-13"), rows)


def complete(page):
    """The printed equations beside Lagrange's."""
    p = page.program
    table = page.compare(("quantity", "as printed", "complete", "difference", "verdict"))
    runs = [p.run(model, *EXACT, "--at", "0,60") for model in (PUBLISHED, CORRECTED)]
    for name in ("theta", "psi1"):
        table.differs(f"{name} after 60 s", runs[0][name][-1], runs[1][name][-1], "another motion: see (43) below", 12)
    table.differs("kinetic energy after 60 s [J]", runs[0]["kinetic"][-1], runs[1]["kinetic"][-1], "changes although nothing acts; "
    "complete: constant", 10)
    start = [p.evaluate(model)["multipliers"]["momentum"] for model in (PUBLISHED, CORRECTED)]
    table.row("multiplier at the start", number(start[0], 10), order(start[1]), "", "the momentum needs no constraint: see (46) below")
    table.write()


def closed_form(page):
    p = page.program
    page.say("In the omni robot, theta'' is constant, -L r Q/(r^2 (3 m1 L^2 + I2) + 3 I1 L^2), and 3 L theta + r (psi1 + psi2 + psi3) too:")
    table = page.compare(("quantity", "closed form", "Pfaff", "difference", "verdict"))
    table.agrees("theta'' [rad/s^2]", -40 * 20 * 0.25 / 1.6e6, p.evaluate(OMNI)["acceleration"]["theta"], 1e-16)
    run = p.run(OMNI, *EXACT, "--at", "60", "--show", "3*L*theta + r*(psi[1] + psi[2] + psi[3]) [mm]")
    table.agrees("3 L theta + r (psi1 + psi2 + psi3) after 60 s [mm]", 20 * pi + 60, list(run.values())[1][-1], 1e-9)
    run = p.run(OMNI, *EXACT, *PRINTED_START, "--at", "60", "--show", "3*L*theta + r*(psi[1] + psi[2] + psi[3]) [mm]")
    table.agrees("the same from the printed start, which slides by 0.04 mm/s", 20 * pi + 60 - 0.04 * 60, list(run.values())[1][-1], 1e-8)
    table.write()


def overlay(page, model, stem):
    """Trajectories by both methods as CSV files."""
    place = page.program.place / stem
    place.mkdir(exist_ok=True)
    files = [place / f"{form}.csv" for form in METHODS]
    if page.program.pictures:
        for form, file in zip(METHODS, files):
            page.program.call("run", *TOLERANCES, "--form", form, "--every", "0.25", "--out", file, model)
    return files


def momenta(page):
    """Figure 4: momentum of the arms over that of the body, for starts of different speed."""
    p, columns = page.program, {"body [kg m^2/s]": []}
    arms = "(2*J + 2*m2*r^2 + 2*k*(cos(psi1) + cos(psi2)))*theta' - (k*cos(psi1) + J)*psi1' - (k*cos(psi2) + J)*psi2'"
    worst = 0
    for speed in (0.05, 0.1, 0.15, 0.2):
        run = p.run(PUBLISHED, "-p", f"w0={speed}", "--rtol", "1e-10", "--every", "0.5", "--show", f"I*theta', {arms}")
        body, arm = list(run.values())[1:3]
        name = f"w{round(100 * speed)} [kg m^2/s]"
        for other in columns:
            columns[other] += body if other.startswith("body") else [None] * len(body)
        columns[name] = [None] * (len(columns["body [kg m^2/s]"]) - len(body)) + arm
        worst = max(worst, largest(x + y - body[0] - arm[0] for x, y in zip(body, arm)))
    if worst > 1e-8:
        raise tools.Failure(f"momentum changes by {worst}")
    file = p.table("momenta.csv", columns)
    names = ",".join(n.split()[0] for n in columns if not n.startswith("body"))
    page.figure("000-momentum.svg", "Figure 4: momentum of the two arms over that of the body, for starts with theta' = 0.05, 0.1, 0.15 "
    "and 0.2 rad/s "
                f"(w5 … w20). Lines of slope -1, in the paper sections of one slanted plane: the sum is constant to {order(worst)}.",
                "plot", "--show", names, "--against", "body", file, told=False, words=(("momenta.csv", "Free-floating robot: momenta of "
                "body and arms"),))


def figures(page):
    page.head("Figures")
    page.say("""
In the layout of the paper, of the model as it is printed. Figure 1 is the flow chart of the method: see the derivation below. Overlaid curves are
`pfaff run --form udwadia_kalaba` and `--form rosenberg_extended` with `--by dopri5 --rtol 1e-3 --atol 1e-6 --every 0.25`; differences are those
of the two, by `pfaff plot --minus`.
""")
    page.figure("000-robot.svg", "Figure 2: the space robot", "draw", CORRECTED)
    page.figure("000-accelerations.svg", "Figure 3: angular accelerations of the arms and of the body",
                "plot", "--show", "theta'',psi1'',psi2''", PUBLISHED)
    momenta(page)
    files = overlay(page, PUBLISHED, "robot")
    page.figure("000-angles.svg", "Figure 5a: angles by both methods", "plot", "--show", "theta,psi1,psi2", *files, told=False)
    page.figure("000-angles-error.svg", "Figure 5b: their difference (paper: 1e-9)", "plot", "--show", "theta,psi1,psi2", "--minus", files[0], files[1], told=False)
    page.figure("000-rates.svg", "Figure 6a: rates by both methods", "plot", "--show", "theta',psi1',psi2'", *files, told=False)
    page.figure("000-rates-error.svg", "Figure 6b: their difference (paper: 1e-10)", "plot", "--show", "theta',psi1',psi2'", "--minus", files[0], files[1], told=False)
    page.timed(lambda: times(page, "7", CORRECTED, "000-times-robot.svg", "1.721 s against 12.899 s, a ratio of 7.5"))
    page.figure("000-omni.svg", "Figure 8: the omni robot", "draw", OMNI)
    page.figure("000-wheels.svg", "Figure 9: angular accelerations of the wheels", "plot", "--show", "psi[1]'',psi[2]'',psi[3]''", OMNI)
    page.figure("000-omni-xy.svg", "Figure 10: acceleration of the robot along x and y", "plot", "--show", "x'',y''", OMNI)
    page.figure("000-omni-turn.svg", "Figure 11: its angular acceleration, a constant", "plot", "--show", "theta''", OMNI)
    files = overlay(page, OMNI, "omni")
    for number_, show, what, bound in (("12", "x',y'", "velocity", "1e-8 mm/s"), ("13", "theta'", "turning rate", "1e-9 rad/s")):
        stem = f"000-omni-{what.split()[0]}"
        page.figure(f"{stem}.svg", f"Figure {number_}a: {what} by both methods", "plot", "--show", show, *files, told=False)
        page.figure(f"{stem}-error.svg", f"Figure {number_}b: their difference (paper: {bound})", "plot", "--show", show, "--minus", files[0], files[1], told=False)
    page.figure("000-omni-path.svg", "Figure 14a: path by both methods", "plot", "--show", "y", "--against", "x", *files, told=False)
    page.figure("000-omni-path-error.svg", "Figure 14b: difference of x and y (paper: 1e-7 mm)", "plot", "--show", "x,y", "--minus", files[0], files[1], told=False)
    page.timed(lambda: times(page, "15", OMNI, "000-times-omni.svg", "10.037 s against 45.111 s, a ratio of 4.5"))
    page.say("Beyond the paper: the motion of its equations and of the complete ones.")
    page.figure("000-complete.svg", "The equations as printed, and Lagrange's", "plot", "--show", "theta;psi1;kinetic", PUBLISHED, CORRECTED)


def times(page, name, model, file, theirs):
    page.figure(file, f"Figure {name}: the times as bars, here of one evaluation of the accelerations (paper, 60 s by `ode45`: {theirs})",
    "compare", model)
    rows = {row["formulation"]: row for row in page.program.json("compare", model)["rows"]}
    ratio = rows["udwadia_kalaba"]["nanoseconds"] / rows["rosenberg_extended"]["nanoseconds"]
    page.say(f"""
`udwadia_kalaba` takes {ratio:.1f} times the time of `rosenberg_extended` here. Both take the same steps, so a run cannot differ by more. How the seconds of
the paper came about it does not say. With a matrix square root and a pseudo-inverse, as the formula is written, Udwadia-Kalaba is about three times
slower than (33), (34) with matrices ([formulations.md](../formulations.md#cost)).
""")


def derivation(page):
    page.head("Derivation")
    page.say("Rosenberg's equations of the omni robot contain all six accelerations, (52); with the differentiated constraints they are "
    "solved for.")
    page.show("derive", "--form", "rosenberg", "--steps", OMNI)
    page.show("derive", "--form", "rosenberg_extended", OMNI)
    page.say("The space robot, complete:")
    page.show("derive", "--form", "rosenberg_extended", "--steps", CORRECTED)
    page.say("Theorem 2, that both methods give the same accelerations, is proved for a model by exact algebra:")
    for model in (CORRECTED, OMNI):
        page.say(f"- `{model}`: " + page.program.json("compare", "--prove", model)["proof"].splitlines()[0])


def errata(page):
    p = page.program
    page.head("Errata")
    page.say("Each with a computation that shows it.")
    state = p.evaluate(CORRECTED, *ASYMMETRIC)
    printed = p.evaluate(PUBLISHED, *ASYMMETRIC)
    energy = p.run(PUBLISHED, *EXACT, "--every", "0.5")["kinetic"]
    constant = p.run(CORRECTED, *EXACT, "--every", "0.5")["kinetic"]
    light, heavy = (p.evaluate(FLOATING, "-p", f"m1={mass}")["acceleration"]["theta"] for mass in (25, 250))
    pinned = state["acceleration"]["theta"]
    ours = list(p.evaluate(OMNI, *PRINTED_START)["multipliers"].values())
    wrong, right = ([1e-3 * x for x in multipliers_by(kind, pi / 6, -6.667, -11.547, -0.667)] for kind in (True, False))
    if largest(x - y for x, y in zip(right, ours)) > 1e-15 or largest(x - y for x, y in zip(wrong, ours)) < 1e-6:
        raise tools.Failure("(36)")
    left = p.run(OMNI, *PRINTED_START, "--at", "0", "--show", "violation")
    left = [1e3 * left[f"violation[wheel[{i}]]"][0] for i in (1, 2, 3)]
    turn = p.evaluate(OMNI, "-p", "Q=0.25 [N m]")["acceleration"]["theta"]
    fields = p.json("study", "integrability", OMNI)
    holonomic = next(x for x in p.json("study", "invariants", OMNI)["invariants"] if x["kind"] == "holonomic")["value"]
    spread = lambda values: max(values) - min(values)
    if spread(constant) > 1e-9 or abs(state["multipliers"]["momentum"]) > 1e-15:
        raise tools.Failure("the complete model does not conserve energy")
    page.plain_table(("where", "what is wrong", "what is right", "shown by"), [
        ("(4), (43)", "F is dT/dq alone", "F = dT/dq - M' q'", f"kinetic energy of the printed equations varies by "
         f"{number(spread(energy), 4)} J in 60 s, of the complete ones by {order(spread(constant))} J"),
        ("(46)", "F^c = b A^T/a11", "F^c = 0: the momentum is an integral", f"from psi2 = pi/4, psi1' = -0.2, psi2' = 0.3: multiplier "
         f"{number(printed['multipliers']['momentum'], 10)} as printed, {order(state['multipliers']['momentum'])} complete"),
        ("(42)", "the mass m1 of the body occurs nowhere: the body is pinned", "the motion of its centre belongs to it",
         f"theta'' there: pinned {number(pinned, 8)}, floating {number(light, 8)} with m1 = 25 kg, {number(heavy, 8)} with 250 kg"),
        ("(31), (36)", "F2 is missing, the sign of F1 is wrong", "Z = M11 A1^-1 b - (M12 - M11 K) X^-1 ((M21 - K^T M11) A1^-1 b + K^T F1 "
         "- F2)",
         f"multipliers of the omni robot [mN] with the printed Z: {', '.join(number(1e3 * x, 6) for x in wrong)}; with the right one, and "
         f"by Pfaff: {', '.join(number(1e3 * x, 6) for x in ours)}"),
        ("after (7), (8)", "the first l coordinates are called independent; (7) lacks a minus", "they are the dependent ones, delta q1 = "
         "-K delta q2",
         f"admissible velocities of the omni robot by `study integrability`: {fields['rank']} constraints, fields with x' = 1, y' = 1, "
         f"theta' = 1"),
        ("4.2, start", "rounded", "x' = -20/3, y' = -20/sqrt(3) mm/s, theta' = -2/3 rad/s", f"(51) is missed by {', '.join(number(x, 4) for x in left)} mm/s"),
        ("4.2, data", "x = y = 1 rad/s; Q without a unit", "mm; kg mm^2/s^2", f"0.25 N m would turn the robot with {number(turn, 6)} "
         f"rad/s^2"),
        ("4.2", "three nonholonomic constraints", "one combination is holonomic", f"`study invariants`: {holonomic}")])


def write(program):
    page = tools.Page(program, TITLE, CITATION, SHORT)
    for part in (claims, numbers, figures, derivation, errata):
        part(page)
    return page.text()
