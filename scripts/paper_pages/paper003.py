# SPDX-License-Identifier: Apache-2.0
"""Zhao, Jiao, Wang 2015: a hand of three fingers, singular mass matrices, constraints in a cascade."""
from fractions import Fraction
from math import acos, cos, hypot, pi, sin, sqrt

from . import tools
from .tools import DEGREE, column, difference, inverse, largest, matmul, number, order, plus, solve, transpose

TITLE = "Paper 003: a hand of three fingers"
CITATION = ("Zhao Rui-ying, Jiao Sheng-jie, Wang Xin: *Dynamic modeling method of multi-fingered hand robot* (in Chinese). Article "
"1671-8879(2015)03-0151-08, "
            "received 20 November 2014. Equation and figure numbers are those of the paper.")
SHORT = ("The equation for singular mass matrices is right in (49), misprinted before. The cascade is right only when levels "
         "are orthogonal in the metric of M^-1. Mass matrix, forces and start of the hand are wrong; with what is right, the "
         "hand rolls and holds the disc.")
HAND = tools.example("hand")
X1, X2 = tools.example("x1"), tools.example("x2")
IDEAL = ("-p", "c=0")
NO_TORQUE = (*IDEAL, *(word for i in range(9) for word in ("-p", f"tau[{i + 1}]=0")))
CASES = (("no torques", "zero", NO_TORQUE), ("holding torques", "hold", IDEAL), ("holding torques, rolling resistance", "visc", ()))
EXACT = ("--by", "dop853", "--rtol", "1e-13")
NAMES = {f"{k}{i}{j}": f"f{i}.{k}{j}" for k in "q" for i in "123" for j in "123"}
NAMES.update({f"{k}{i}": f"f{i}.{k}" for k in "uv" for i in "123"})
NAMES.update({name: name for name in ("xo", "yo", "phi")})
ORDER = [f"{k}{i}{j}" if k == "q" else f"v{i}" for i in "123" for k, j in (("q", "1"), ("q", "2"), ("q", "3"), ("v", ""))] + ["xo", "yo",
"phi", "u1", "u2", "u3"]
PRINTED_Q = [pi / 6, pi / 3, pi / 3, pi / 3, -pi / 6, pi / 3, pi / 3, pi / 3, pi / 3, pi / 3, pi / 6, pi / 6, 0, 0, 0, pi / 5, 7 * pi / 10, 2 * pi / 5]
PRINTED_V = [0.1, 0.1, 0.1, 0.1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0.1, 0]
PRINTED_BASES = ((0.75, -0.29), (-1.5, -0.3), (0.75, -0.1))
LINK, TIP = 0.05, 0.01
FINGER = """model finger
param l = 0.05 [m], m = 0.15 [kg], I = 1.25e-4 [kg m^2], g = 9.8 [m/s^2]
coord q1, q2, q3 [rad]
input t1, t2, t3 [N m]
body link1 in ground turn q1 about z { mass m, inertia diag(0, 0, I), com (l/2, 0, 0) }
body link2 in link1 at (l, 0, 0) turn q2 about z { mass m, inertia diag(0, 0, I), com (l/2, 0, 0) }
body link3 in link2 at (l, 0, 0) turn q3 about z { mass m, inertia diag(0, 0, I), com (l/2, 0, 0) }
gravity (0, -g, 0)
force q1 = t1, q2 = t2, q3 = t3
start q1 = pi/6, q2 = pi/3, q3 = pi/3
"""


def finger_rows(q, i, radius):
    """The six rows of finger i by (45) to (47), position, rolling and normal, in the order of the paper."""
    a = q[4 * i:4 * i + 4]
    s1, s2, s3 = a[0], a[0] + a[1], a[0] + a[1] + a[2]
    contact, disc = s3 + a[3], q[14] + q[15 + i]
    reach = [[LINK * f(s1) + LINK * f(s2) + LINK * f(s3), LINK * f(s2) + LINK * f(s3), LINK * f(s3)] for f in (sin, cos)]
    rows = []
    for group in ("position", "rolling", "normal"):
        for f, sign, k in ((sin, 1, 0), (cos, -1, 1)):
            tip, rim = TIP * f(contact), radius * f(disc)
            row = [0.0] * 18
            if group == "normal":
                row[4 * i:4 * i + 4] = [sign * f(contact)] * 4
                row[14] = row[15 + i] = sign * f(disc)
            else:
                row[4 * i:4 * i + 3] = [sign * (x + tip) for x in reach[k]]
                row[4 * i + 3] = sign * tip if group == "position" else 0.0
                row[12 + k] = 1.0
                row[14] = -sign * rim
                row[15 + i] = -sign * rim if group == "position" else 0.0
            rows.append(row)
    return rows


def all_rows(q, radius):
    return [row for i in range(3) for row in finger_rows(q, i, radius)]


def misses(q, radius, bases):
    """How far (38) and (42) are missed by each finger, with the right rotation: in m, and in degrees."""
    for i, base in enumerate(bases):
        s = [sum(q[4 * i:4 * i + n]) for n in (1, 2, 3, 4)]
        disc = q[14] + q[15 + i]
        gap = [q[12 + k] + radius * f(disc) - base[k] - LINK * sum(f(x) for x in s[:3]) - TIP * f(s[3]) for k, f in ((0, cos), (1, sin))]
        yield hypot(*gap), acos(max(-1, min(1, -cos(disc - s[3])))) / DEGREE


def pseudo_inverse(a):
    """Of a matrix with independent columns, or with independent rows."""
    if len(a) >= len(a[0]):
        return solve(matmul(transpose(a), a), transpose(a))
    return transpose(pseudo_inverse(transpose(a)))


def claims(page):
    page.head("What the paper claims")
    page.say("""
- Contact angles on fingertips and object have no inertia, so the mass matrix of a hand is singular; the equation of Udwadia and Phohomsiri, with
  a matrix that stacks the projected mass matrix on the constraints, still gives one acceleration.
- Subsystems can be joined level by level ("extended cascading"): each level takes the accelerations of the one before as free ones.
- For a planar hand of three fingers that rolls a disc the method gives joint torques and contact forces in closed form; the curves of a simulation are
  continuous and converge.
""")
    page.head("Models")
    page.plain_table(("what", "file"), [
        ("hand and disc, 12 independent rows, consistent start; holding torques, rolling resistance", f"[{HAND}](../../{HAND})"),
        ("two levels of constraints, regular mass matrix", f"[{X1}](../../{X1})"),
        ("the same with a coordinate without mass", f"[{X2}](../../{X2})")])
    page.say("""
The printed start satisfies no constraint (see the errata). The model keeps the links, masses and inertias, the fingertips, the angles of finger 1 and
most of the others; the disc has the radius 0.03 m, and the bases follow. The paper has no joint torques; with them the hand can hold the disc.
""")


def numbers(page):
    p = page.program
    page.head("Numbers")
    known = tools.reference(p, "hand-state.csv")
    states = {short: p.evaluate(HAND, *options) for _, short, options in CASES}
    checked = p.json("check", HAND)
    q = [states["zero"]["q"][NAMES[name]] for name in ORDER]
    table = page.compare()
    table.agrees("coordinates", 18, len(checked["coordinates"]), 0)
    table.agrees("rank of the mass matrix, (36): 18 less six coordinates without inertia", 12, checked["mass_matrix"]["rank"], 0)
    table.differs("independent constraints: 18 rows are printed", 18, tools.rank(all_rows(q, 0.03)), "rank 12 where the constraints hold: "
    "the others follow", 3)
    table.agrees("degrees of freedom, 18 - 12", 6, checked["degrees_of_freedom"], 0)
    table.write()
    page.say("The paper prints no results. At the start of the model, against a calculation with 50 digits, accelerations in rad/s^2 and "
    "m/s^2:")
    table = page.compare(("quantity", "independent", "Pfaff", "difference", "verdict"))
    for text, short, _ in CASES:
        for name in ("q11", "q22", "q33", "v1", "u3", "yo", "phi"):
            i = known["coordinate"].index(name)
            table.agrees(f"{text}: {NAMES[name]}''", known[f"qdd_{short}"][i], states[short]["acceleration"][NAMES[name]], 1e-9, 9)
    table.write()
    contacts(page, states)
    exact_answers(page)


def contacts(page, states):
    p = page.program
    page.say("""
Contact forces on the fingers in N, which are the multipliers of rolling with the other sign, and N = F n, which is compression where it is positive. Without
torques the contact would have to pull: the curves of the paper belong to contacts that are glued. With torques the disc is held until N of finger 1 vanishes:
""")
    table = page.compare(("quantity", "independent", "Pfaff", "difference", "verdict"))
    for text, file, options in (("no torques", "hand-zero-torque.csv", NO_TORQUE), ("holding torques", "hand-hold.csv", IDEAL), (
    "with rolling resistance", "hand-hold-viscous.csv", ())):
        exact = tools.reference(p, file)
        short = dict((row[0], row[1]) for row in CASES).get(text, "visc")
        for i in "123":
            for k in "xy":
                table.agrees(f"{text}: F{i}{k}", exact[f"F{i}{k}"][0], -states[short]["multipliers"][f"f{i}.slip.{k}"], 1e-9, 9)
        run = p.run(HAND, *options, *EXACT, "--at=" + ",".join(f"{t:.17g}" for t in exact["t"]))
        worst = difference({name: run[NAMES[name]] for name in ORDER}, exact, ORDER)
        if worst > 1e-6:
            raise tools.Failure(f"{file}: {worst}")
        table.row(f"{text}: all coordinates up to 0.5 s, largest difference", "0", order(worst), "", "agrees")
    opened = [normal_vanishes(p, options) for options in (IDEAL, ())]
    for text, theirs, ours in zip(("holding torques: finger 1 lets go at [s]", "with rolling resistance"), (0.41655, 0.44504), opened):
        table.agrees(text, theirs, ours, 2e-5, 5)
    table.write()


def exact_answers(page):
    p = page.program
    page.say("The two examples with exact answers, by `pfaff eval --form cascade`:")
    table = page.compare(("quantity", "exact", "Pfaff", "difference", "verdict"))
    one, two = p.evaluate(X1, "--form", "cascade"), p.evaluate(X2, "--form", "cascade")
    for name, exact in zip(("q1", "q2", "q3", "q4", "q5"), ("143/276", "487/1932", "1009/1932", "89/322", "485/1932")):
        table.agrees(f"X1, {name}'' = {exact}", float(Fraction(exact)), one["acceleration"][name], 1e-13)
    for name, exact in zip(("q1", "q2", "q3", "q4", "q5", "q6"), ("100783/132500", "-3941/26500", "-55741/66250", "-4877/132500",
    "39651/66250", "173933/132500")):
        table.agrees(f"X2, {name}'' = {exact}", float(Fraction(exact)), two["acceleration"][name], 1e-13)
    table.write()


def normal_vanishes(program, options):
    """When the compression of the first contact falls to zero, between samples of 0.2 ms by a straight line."""
    show = "lambda[f1.slip.x]*cos(phi + f1.u) + lambda[f1.slip.y]*sin(phi + f1.u)"
    run = program.run(HAND, *options, "--by", "dop853", "--rtol", "1e-11", "--every", "2e-4", "--show", show)
    times, values = run["t"], [-x for x in list(run.values())[1]]
    i = next(i for i in range(1, len(values)) if values[i] < 0)
    return times[i - 1] + (times[i] - times[i - 1]) * values[i - 1] / (values[i - 1] - values[i])


def figures(page):
    page.head("Figures")
    page.figure("003-hand.svg", "Figure 1: the hand and the disc", "draw", HAND)
    page.figure("003-motion.svg", "Figure 2: fingertips roll on the disc; the hand at 0 and 0.4 s with the torques of the model", "draw",
    "--at", "0,0.4", HAND)
    quiet = " ".join(NO_TORQUE)
    page.say(f"""
Figures 3 to 8 in the case of the paper, without torques at the joints (`{quiet}`). What it calls joint torques are the reactions of the contacts on
the joints, the components of Q^C; no motor exerts them.
""")
    for i, ordinal in (("1", "first"), ("2", "second"), ("3", "third")):
        page.figure(f"003-joints-{i}.svg", f"Figure {int(i) + 2}: joint torques of the {ordinal} finger", "plot", *NO_TORQUE, "--rtol",
        "1e-10",
                    "--show", ",".join(f"reaction(f{i}.q{j}) [N m]" for j in "123"), HAND, told=False)
    for i, ordinal in (("1", "first"), ("2", "second"), ("3", "third")):
        page.figure(f"003-contact-{i}.svg", f"Figure {int(i) + 5}: force of the {ordinal} finger on the disc", "plot", *NO_TORQUE, "--rtol",
        "1e-10",
                    "--show", f"lambda[f{i}.slip.x],lambda[f{i}.slip.y]", HAND, told=False)
    page.say("With the holding torques, until contact 1 is lost; overlaid: without and with rolling resistance.")
    files = []
    for name, options in (("ideal.csv", IDEAL), ("rolling resistance.csv", ())):
        files.append(page.program.place / name)
        if page.program.pictures:
            show = ",".join(f"reaction(f{i}.q{j}) [N m],lambda[f{i}.slip.x],lambda[f{i}.slip.y]" if j == "1" else f"reaction(f{i}.q{j}) "
            f"[N m]" for i in "123" for j in "123")
            page.program.call("run", *options, "--rtol", "1e-10", "--for", "0.4165", "--every", "0.002", "--show", show, "--out", files[-1], HAND)
    page.figure("003-hold-joints.svg", "Reactions on the joints of each finger", "plot", "--show", ";".join(",".join(f"reaction(f{i}.q{j})" for j in
    "123") for i in "123"), *files, told=False)
    page.figure("003-hold-contacts.svg", "Contact forces on the disc", "plot", "--show", ";".join(f"lambda[f{i}.slip.x],lambda[f{i}.slip.y]" for i in
    "123"), *files, told=False)
    page.figure("003-violations.svg", "Violation of each constraint of finger 1 without projection (rtol 1e-6)", "plot", "--no-projection",
    "--rtol", "1e-6", "--log",
                "--show", "violation[f1.slip.x],violation[f1.slip.y],violation[f1.arcs],violation[f1.normal]", HAND)


def derivation(page):
    page.head("Derivation")
    page.say("One finger: what (22) to (29) should be.")
    finger = page.program.model("finger.pf", FINGER)
    page.code(page.program.call("derive", "--form", "multipliers", finger))
    page.say("The cascade of X2, with the coordinate without mass, step by step:")
    page.show("derive", "--form", "multipliers", "--steps", X2)
    page.say("Which formulations apply to the hand, and what each says:")
    rows = page.program.json("compare", HAND)["rows"]
    if any(row["applicable"] and row["max_difference"] > 1e-6 for row in rows):
        raise tools.Failure("formulations of the hand")
    page.plain_table(("formulation", "unknowns", "accelerations differ by"),
                     [(row["formulation"], row["unknowns"] if row["applicable"] else "", order(row["max_difference"]) if row["applicable"] else row[
                     "why_not"]) for row in rows])


def cascade(levels, mass, force):
    """The recursion (13) to (18), signs mended: each level is the projection of the last acceleration on its own rows alone."""
    a = solve(mass, column(force))
    for rows, right in levels:
        back = solve(mass, transpose(rows))
        gap = plus(column(right), matmul(rows, a), -1)
        a = plus(a, matmul(back, solve(matmul(rows, back), gap)))
    return [x[0] for x in a]


def x1_data():
    f = Fraction
    mass = [[f(x) for x in row] for row in ([4, 1, 0, 0, 0], [1, 3, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 5, -1], [0, 0, 0, -1, 2])]
    force = [f(1), f(-2), f(3), f(1, 2), f(4)]
    first = ([[f(x) for x in (1, 2, -1, 0, 0)]], [f(1, 2)])
    second = ([[f(x) for x in row] for row in ((0, 1, 1, -1, 2), (1, 0, -2, 1, 0))], [f(1), f(-1, 4)])
    return mass, force, first, second


def stacked(sign):
    """(11) with (12): I + sign A^+ A before M, all rows of X1 at once."""
    mass, force, first, second = x1_data()
    rows, right = first[0] + second[0], first[1] + second[1]
    projector = [[int(i == j) + sign * x for j, x in enumerate(row)] for i, row in enumerate(matmul(pseudo_inverse(rows), rows))]
    return [x[0] for x in matmul(pseudo_inverse(matmul(projector, mass) + rows), column(force + right))]


def right_sides(q, v, radius):
    """b of the position rows of finger 1: as printed, and by differences of A along v."""
    s2, s3 = q[0] + q[1], q[0] + q[1] + q[2]
    w1, w2, w3 = v[0], v[0] + v[1], v[0] + v[1] + v[2]
    disc, contact = q[14] + q[15], s3 + q[3]
    printed = (radius * cos(disc) * (v[14] + v[15])**2 - LINK * cos(s2) * w1**2 - LINK * cos(s2) * w2**2 - LINK * cos(s3) * w3**2 - TIP * cos(contact) * (w3 + v[3])**2)
    rolling = (radius * cos(disc) * (v[14] + v[15])**2 - LINK * cos(s2) * w1**2 - LINK * cos(s2) * w2**2 - LINK * cos(s3) * w3 - TIP * cos(contact) * (w3 + v[3]) * w3)
    h = 1e-5
    ahead, back = (finger_rows([x + k * h * y for x, y in zip(q, v)], 0, radius) for k in (1, -1))
    quotient = [-sum((x - y) / (2 * h) * z for x, y, z in zip(ahead[k], back[k], v)) for k in (0, 2)]
    return printed, rolling, *quotient


def errata(page):
    p = page.program
    page.head("Errata")
    finger = p.model("finger.pf", FINGER)
    columns = []
    for i in "123":
        wanted = ", ".join(f"q{j}''={int(i == j)}" for j in "123")
        force = p.json("eval", "-p", "g=0", "--inverse", wanted, "--actuators", "t1,t2,t3", finger)["actuators"]
        columns.append([force[f"t{j}"] for j in "123"])
    right_mass = [[1e3 * x for x in row] for row in transpose(columns)]
    gravity = p.json("eval", "--inverse", "q1''=0, q2''=0, q3''=0", "--actuators", "t1,t2,t3", finger)["actuators"]
    m, inertia, g, c2 = 0.15, 1.25e-4, 9.8, cos(pi / 3)
    printed_mass = [[inertia + 0.5 * LINK**2 * m + m * LINK**2 + m * (2 * LINK**2 + 2 * LINK**2 * c2), m * LINK**2 + m * LINK**2 * c2, 0],
                    [m * LINK**2 + m * LINK**2 * c2, inertia + m * LINK**2, 0], [0, 0, inertia]]
    printed_gravity = -(0.5 * m * LINK * g + m * LINK * g) * c2 - 0.5 * m * LINK * g * cos(5 * pi / 6)
    misfit = list(misses(PRINTED_Q, 1.0, PRINTED_BASES))
    printed_rank = tools.rank(all_rows(PRINTED_Q, 1.0), 1e-9)
    moving = largest(sum(a * b for a, b in zip(row, PRINTED_V)) for row in all_rows(PRINTED_Q, 1.0))
    exact = [float(Fraction(x)) for x in ("143/276", "487/1932", "1009/1932", "89/322", "485/1932")]
    minus, added = ([float(x) for x in stacked(sign)] for sign in (-1, 1))
    mass, force, first, second = x1_data()
    level = cascade((first, second), mass, force)
    lost = sum(a * b for a, b in zip(first[0][0], level)) - first[1][0]
    if lost != Fraction(-11531, 10742) or largest(x - y for x, y in zip(minus, exact)) > 1e-12:
        raise tools.Failure("cascade")
    zero = p.evaluate(HAND, *NO_TORQUE)
    q, reaction = ([zero[key][NAMES[name]] for name in ORDER] for key in ("q", "constraint_force"))
    relative = finger_rows(q, 0, 0.03)[2:4]
    alone = [[x if k < 3 else 0.0 for k, x in enumerate(row)] for row in relative]
    by_55 = [[row[0] for row in solve(matmul(j, transpose(j)), matmul(j, column(reaction)))] for j in (alone, relative)]
    force1 = [zero["multipliers"][f"f1.slip.{k}"] for k in "xy"]
    if largest(a - b for a, b in zip(by_55[0], force1)) > 1e-10:
        raise tools.Failure("(55)")
    state = p.evaluate(HAND)
    v = [3 * state["v"][NAMES[name]] for name in ORDER]
    b1, b3, right1, right3 = right_sides(q, v, 0.03)
    s = (pi / 6, pi / 2, 5 * pi / 6)
    speed = sum(LINK * w * cos(x) for w, x in zip((0.1, 0.2, 0.3), s)), -sum(LINK * w * sin(x) for w, x in zip((0.1, 0.2, 0.3), s))
    show = lambda values, digits=6: ", ".join(number(x, digits) for x in values)
    matrix = lambda a: "; ".join(show(row, 6) for row in a)
    page.plain_table(("where", "what is wrong", "what is right", "shown by"), [
        ("(11), (16)", "Mbar without ^+; Mbar^+ M", "Mbar^+ [Q + C; b] + (1 - Mbar^+ Mbar) eta", "Mbar has 36 rows and 18 columns: it "
         "cannot multiply a vector of 36"),
        ("(12), (17)", "1 + A^+ A; M is missing in (17)", "(1 - A^+ A) M", f"X1, all rows at once: with the minus off by "
         f"{order(largest(x - y for x, y in zip(minus, exact)))}, with the plus by "
         f"{number(largest(x - y for x, y in zip(added, exact)), 4)}"),
        ("(13) to (18)", "each level is imposed alone", "all rows so far, or nested null spaces: `--form cascade`; exact as printed only "
         "if levels are orthogonal in M^-1",
         f"X1 in fractions: after level two, level one is missed by {lost}"),
        ("(22) to (26)", "M of a finger", "the Hessian of its kinetic energy", f"finger 1, in 1e-3 kg m^2, by `eval --inverse`: "
         f"{matrix(right_mass)}; printed: {matrix([[1e3 * x for x in row] for row in printed_mass])}"),
        ("(27) to (29)", "weight of link 1 and factors g missing, cos for sin, velocity terms without velocities", "Lagrange's equations, "
         "derived above", f"force on q1 of finger 1 at rest: {number(-gravity['t1'], 8)} N m, printed {number(printed_gravity, 4)}"),
        ("(27) to (29)", "no joint torques", "they are added; figures 3 to 5 show reactions", f"`no torques` above: contact 1 pulls with "
         f"{number(abs(normal(zero, '1')), 3)} N at the start"),
        ("(38), (39)", "dR/dphi for R, and R for its derivative", "position with R, velocity with R'", "(46), (47) are built with R"),
        ("(40), (41)", "x' with cos, y' with sin", "x' = -sum l s' sin s, y' = sum l s' cos s", f"finger 1, rates 0.1: x' = "
         f"{number(speed[1], 5)} m/s, printed {number(speed[0], 5)}"),
        ("b1, b3", "l1 c12 for l1 c1; (phi' + u')^2 for phi' (phi' + u'); a square missing", "derivatives of the rows",
         f"finger 1, three times the velocities of the model: by differences {number(right1, 5)}, {number(right3, 5)}; printed "
         f"{number(b1, 5)}, {number(b3, 5)}"),
        ("(55)", "J_i with 2 x 18 elements", "columns of the finger only", f"force of finger 1 without torques: {show(by_55[0])} N, as "
         f"the multipliers {show(force1)}; with the columns of the disc {show(by_55[1], 4)}"),
        ("table 1", "I = 1.25e-4 kg m^2 about the centre of mass; r = 1000 mm", "m l^2/3 is about the end of a rod; the disc with Io is "
         "smaller", f"m l^2/3 = {number(m * LINK**2 / 3, 5)}; sqrt(2 Io/mo) = {number(sqrt(2e-4 / 0.2), 4)} m"),
        ("start", "satisfies no constraint", "see the model", f"positions are missed by {show((x for x, _ in misfit), 3)} m, normals by "
         f"{show((x for _, x in misfit), 3)} degrees, velocities by {number(moving, 2)}; the rows have rank {printed_rank} there"),
        ("(50)", "q_f2 twice", "q_f3", "18 coordinates")])


def normal(state, i):
    """Compression of contact i."""
    angle = state["q"]["phi"] + state["q"][f"f{i}.u"]
    return -(state["multipliers"][f"f{i}.slip.x"] * cos(angle) + state["multipliers"][f"f{i}.slip.y"] * sin(angle))


def write(program):
    page = tools.Page(program, TITLE, CITATION, SHORT)
    for part in (claims, numbers, figures, derivation, errata):
        part(page)
    return page.text()
