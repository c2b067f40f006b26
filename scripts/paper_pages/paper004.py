# SPDX-License-Identifier: Apache-2.0
"""Zobova 2011: Tatarinov's laconic equations for a piano wheel, carriages on roller wheels and a differential drive."""
from math import cos, hypot, pi, sin, sqrt

from . import tools
from .tools import column, matmul, number, order, solve, transpose

TITLE = "Paper 004: laconic equations for mobile robots"
CITATION = ("A. A. Zobova: *Application of laconic forms of the equations of motion in the dynamics of nonholonomic mobile robots* (in "
"Russian). "
            "Rus. J. Nonlin. Dyn., 2011, vol. 7, no. 4 (Mobile Robots), pp. 771–783. Equation and figure numbers are those of the paper.")
SHORT = ("The equations and their derivations are right, but for misprints. A1 in (6.1), two formulas of the bifurcation "
         "diagram and the words about stability are not.")
PIANO = tools.example("piano_wheel")
MECANUM = tools.example("carriage_mecanum")
OMNI = tools.example("carriage_omni3")
INERTIA = tools.example("carriage_inertia")
STEADY = tools.example("carriage_steady")
TWO = tools.example("two_omni")
DRIVE = tools.example("differential_drive")
FLOATING = tools.example("free_floating")
EXACT = ("--by", "dop853", "--rtol", "1e-13")
HOPF = ("-p", "M=1", "-p", "R=1", "-p", "c1=1", "-p", "c2=1", "-p", "Lambda=1", "-p", "lambda2=0.01", "-p", "sigma=2", "-p", "rho=1", "-p",
"n1=0",
        "-p", "n2=150", "--within", "nu[1]=-100..100,nu[2]=-100..300,nu[3]=-10..10")
# Data of the carriage of section 5, as in the models: the paper has letters only.
MASS, RADIUS, LAMBDA, LAMBDA2, SIGMA, RHO, C2 = 4, 0.05, 2, 0.25, 1.5, 1.5, 0.02
A1, A2, A3 = 1 + LAMBDA2, 1 + 2 * LAMBDA2, 1 + (2 * SIGMA**2 + RHO**2) * LAMBDA2
KAPPA = RHO * LAMBDA2 / A3


def printed_carriage(delta, alpha, beta, gamma, shift, moment, moment_of_wheel, nu, scaled_torques):
    """(4.3), (4.4) and (4.6) as printed: the matrix Xi and nu'."""
    xi = [[cos(b + g) / sin(g), sin(b + g) / sin(g), (shift * cos(b + g) + d * sin(b + g - a)) / (moment * sin(g))]
          for d, a, b, g in zip(delta, alpha, beta, gamma)]
    square = matmul(transpose(xi), xi)
    a = [[(i == j) + moment_of_wheel * square[i][j] for j in range(3)] for i in range(3)]
    right = [nu[1] * nu[2] / moment, -nu[0] * nu[2] / moment, 0]
    push = matmul(transpose(xi), column(scaled_torques(matmul(xi, column(nu)))))
    return xi, [row[0] for row in solve(a, column([r + q[0] for r, q in zip(right, push)]))]


def claims(page):
    page.head("What the paper claims")
    page.say("""
- Tatarinov's equations of 2003, `d/dt dL*/domega + {P, L*} = {P, omega P} + Q`, come from simple steps (put the constraints in, differentiate, collect) and
  suit wheeled robots: no second derivatives of coordinates, no Lagrangian in all velocities. Section 2 proves them.
- A piano wheel that is pushed is a pendulum beside a driven wheel; it is stable when it trails the force.
- A carriage on N roller wheels of any geometry has three equations for three pseudo-velocities.
- Without motors the carriage on three omni wheels moves along ellipses, or tends to a straight line. With constant voltages straight motions
  and rotations form a line and a parabola that exchange their stability; rotations can lose it to unstable cycles.
- One constraint more turns the carriage on two omni wheels into a differential drive, by combining what is there.
""")
    page.head("Models")
    page.plain_table(("section", "file"), [(section, f"[{file}](../../{file})") for section, file in (
        ("3, piano wheel", PIANO), ("4, four mecanum wheels", MECANUM), ("5, three omni wheels, driven", OMNI), ("5, without motors", INERTIA),
        ("5, voltages by the straight motion that they allow", STEADY), ("6, two omni wheels", TWO), ("6, differential drive", DRIVE))])
    page.say("The paper has letters for all data. Numbers here belong to the values in the models; *paper* is its formula with them.")


def numbers(page):
    p = page.program
    page.head("Numbers")
    table = page.compare()
    for theta in (0.01, pi - 0.1):
        ours = p.evaluate(PIANO, "-s", f"theta={theta!r}")["acceleration"]
        table.agrees(f"piano wheel, theta'' at theta = {number(theta, 4)}, (3.2)", 0.03 * sin(theta) / 0.002, ours["theta"], 1e-13)
        table.agrees(f"chi'' there, (3.3)", 0.05 * cos(theta) / (0.0025 + 2 * 0.05**2), ours["chi"], 1e-12)
    for theta, part, what in (("0", "re", "rate of growth at theta = 0, sqrt(D F/J1)"), ("pi", "im", "frequency at theta = pi, the same")):
        eigenvalues = p.json("study", "linearize", "-s", f"theta={theta}", PIANO)["points"][0]["eigenvalues"]
        table.agrees(f"piano wheel, {what}", sqrt(15), max(e[part] for e in eigenvalues), 1e-9)
    corner = hypot(2.5, 3)
    angles = [0.87605805059819342, 2.2655346029915998, -2.2655346029915998, -0.87605805059819342]
    xi, rates = printed_carriage([corner] * 4, angles, [0] * 4, [-pi / 4, pi / 4, -pi / 4, pi / 4], 0.4, 3, 0.1, (1, -2, 3),
                                 lambda chi: [(0.5 * u - 0.3 * c[0]) / 0.2 for u, c in zip((6, 2, 4, 5), chi)])
    ours = p.evaluate(MECANUM)["acceleration"]
    table.agrees("four mecanum wheels, theta'' from nu = (1, -2, 3), (4.6), (4.7)", rates[2] / 3, ours["theta"], 1e-11)
    for i in range(4):
        table.agrees(f"chi[{i + 1}]''", sum(x * r for x, r in zip(xi[i], rates)), ours[f"chi[{i + 1}]"], 1e-10)
    carriage(p, table)
    stationary(p, table)
    table.write()
    independent(page)


def carriage(p, table):
    """Integrals of section 5."""
    nu = (2, 6, 0.01)
    ours = p.run(INERTIA, *EXACT, "--for", "30", "--at", "0,30", *start(nu), "--show", "K, energy, nu[1], nu[2], nu[3], theta'")
    table.agrees("three omni wheels, K after 30 s from nu = (2, 6, 0.01)", A3 * (nu[2] - KAPPA * nu[0]), ours["K"][1], 1e-9)
    twice = A1 * nu[0]**2 + A2 * nu[1]**2 + A3 * nu[2]**2 - 2 * KAPPA * A3 * nu[0] * nu[2]
    table.agrees("energy after 30 s [J]", twice * MASS * RADIUS**2 / 2, ours["energy"][1], 1e-9)
    ellipse = (A1 / KAPPA**2 - A3) * (ours["nu[3]"][1] - ours["K"][1] / A3)**2 + A2 * ours["nu[2]"][1]**2
    table.agrees("ellipse, (A1/kappa^2 - A3)(nu3 - K/A3)^2 + A2 nu2^2 = 2h - K^2/A3", twice - ours["K"][0]**2 / A3, ellipse, 1e-9)


def stationary(p, table):
    """Stationary motions of section 5, differential drive of section 6."""
    eps = C2 / (MASS * RADIUS**2)
    study = p.json("study", "continue", "n2=8..18", STEADY)
    special = {s["kind"]: s for s in study["special"]}
    vertex = special["fold"]["x"][study["states"].index("nu[3]")] / LAMBDA
    table.differs("straight motion is stable up to nu2 =", 2 * LAMBDA * SIGMA**2 / RHO, special["branch point"]["parameter"],
    "printed without eps = c2/(M R^2) = 2: see the errata", 10)
    table.agrees("the same with eps", 2 * eps * LAMBDA * SIGMA**2 / RHO, special["branch point"]["parameter"], 1e-8, 10)
    table.differs("vertex of the parabola, nu2", 2 * LAMBDA * SIGMA**2 / RHO - RHO * 9 / (LAMBDA * (RHO**2 + 2 * SIGMA**2)), special["fold"][
    "parameter"], "printed wrongly: see the errata", 10)
    table.agrees("the same corrected", 2 * eps * LAMBDA * SIGMA**2 / RHO - RHO * 9 / (8 * eps * LAMBDA * (RHO**2 + 2 * SIGMA**2)), special[
    "fold"]["parameter"], 1e-8, 10)
    table.differs("vertex of the parabola, omega", -RHO * 3 / (2 * (RHO**2 + 2 * SIGMA**2)), vertex, "printed without 1/Lambda: it is nu3", 10, 0.1)
    table.agrees("the same corrected", -RHO * 3 / (2 * LAMBDA * (RHO**2 + 2 * SIGMA**2)), vertex, 1e-6, 8)
    drive = p.evaluate(DRIVE)["acceleration"]["theta"] * 2
    printed = (-0.5 * 1 * 0.8 / 4 + 0.04 / 0.1) / (0.25 / 4 * 1.05 + 1.1)
    table.differs("differential drive, nu3' from nu2 = 1, nu3 = 0.8", printed, drive, "A1 is 1, not 1 + lambda^2: see the errata", 10, 1e-4)
    table.agrees("the same with A1 = 1", (-0.5 * 1 * 0.8 / 4 + 0.04 / 0.1) / (0.25 / 4 + 1.1), drive, 1e-12)


def independent(page):
    p = page.program
    page.say("Against closed forms and a calculation with 34 digits, which the paper does not have:")
    table = page.compare(("quantity", "independent", "Pfaff", "difference", "verdict"))
    for theta, period in (("0.01", 6.9038783034501735), ("pi - 0.1", 1.6233259963451892)):
        times = p.json("study", "poincare", "--section", "theta'=0", "--show", "theta,theta'", "-s", f"theta={theta}", "--for", "15",
        "--rtol", "1e-12", PIANO)["t"]
        table.agrees(f"piano wheel, period from theta = {theta} [s]", period, times[1] - times[0], 1e-6, 9)
    curve = p.json("study", "portrait", "--show", "nu[3],nu[2]", "--starts", "1", INERTIA)["curves"][0]
    table.agrees("three omni wheels, period from nu = (1, 1, 1) [s]", 20.181346371326264, curve["period"], 1e-8, 11)
    for name, value in zip(("nu[1]", "nu[2]"), (1.9283333333333333, -6.0187031795032859)):
        run = p.run(INERTIA, *EXACT, "--for", "90", "--at", "90", *start((2, 6, 0.01)), "--show", name)
        table.agrees(f"three omni wheels from (2, 6, 0.01): {name} in the end", value, run[name][0], 1e-9, 11)
    study = p.json("study", "continue", "n2=100..250", *HOPF, STEADY)
    hopf, nu3 = [s for s in study["special"] if s["kind"] == "Hopf"], study["states"].index("nu[3]")
    table.agrees("light wheels: rotation at which a Hopf point lies, nu3", 6.7763785910536913, max(s["x"][nu3] for s in hopf), 1e-7, 10)
    if not all(s["lyapunov"] > 0 for s in hopf):
        raise tools.Failure("Hopf points")
    table.row("first Lyapunov coefficient there: cycles are", "unstable", "positive: unstable", "", "agrees with the paper")
    table.write()
    page.say("Trajectories of all models agree with `tests/reference` (`cli.trajectories` in the tests).")


def start(nu):
    return [word for i, x in enumerate(nu) for word in ("-s", f"nu[{i + 1}]={x}")]


def arrows(curve_x, curve_y, at, size_x, size_y):
    """A head at the point 'at' of a curve, as two strokes; sizes of the picture in units of each axis."""
    dx, dy = (curve_x[at + 1] - curve_x[at - 1]) / size_x, (curve_y[at + 1] - curve_y[at - 1]) / size_y
    length = hypot(dx, dy)
    dx, dy = dx / length, dy / length
    x, y, head = curve_x[at], curve_y[at], 0.018
    for side in (1, -1):
        yield x - size_x * head * (dx - side * 0.55 * dy), y - size_y * head * (dy + side * 0.55 * dx)
        yield x, y
    yield None, None


def along(xs, ys, share, size_x, size_y):
    """The point of a curve at a share of its length in the picture."""
    lengths = [0.0]
    for i in range(1, len(xs)):
        lengths.append(lengths[-1] + hypot((xs[i] - xs[i - 1]) / size_x, (ys[i] - ys[i - 1]) / size_y))
    at = next(i for i, length in enumerate(lengths) if length >= share * lengths[-1])
    return min(max(at, 1), len(xs) - 2)


def portrait(page):
    """Figure 4: ellipses, arcs that end on the singular line, directions."""
    p = page.program
    columns = {name: [] for name in ("nu3 [rad/s]", "closed", "asymptotic", "direction", "singular")}
    x_name = "nu3 [rad/s]"

    def add(name, points):
        for x, y in points:
            for other in columns:
                columns[other].append(x if other == x_name else None)
            columns[name][-1] = y
            if x is None:
                columns[x_name][-1] = columns[x_name][-2]

    size = (2.3, 20)
    for nu3, nu2 in ((0.86, 0.9), (0.86, 2.4), (0.86, 3.8), (0.86, 5.2), (1.9, 0.01), (2.2, 0.01), (-0.3, 0.01), (-0.7, 0.01), (-1.2, 0.01)):
        nu1 = (nu3 - 2.3125 / A3) / KAPPA
        curve = p.json("study", "portrait", "--show", "nu[3],nu[2]", "--starts", "1", "--for", "60", *start((nu1, nu2, nu3)), "--within",
        "nu[3]=-2..2.5,nu[2]=-9..9", INERTIA)["curves"][0]
        points = [(x, y) for x, y in zip(curve["a"], curve["b"]) if abs(y) <= 9]
        add("closed" if curve["period"] else "asymptotic", points + [(None, None)])
        xs, ys = [x for x, _ in points], [y for _, y in points]
        for share in (0.3, 0.7):
            add("direction", arrows(xs, ys, along(xs, ys, share, *size), *size))
        if not xs[0] * xs[-1] >= -1e-9:
            raise tools.Failure("a motion crosses the singular line")
    add("singular", ((0, -9), (0, 9), (None, None)))
    page.figure("004-portrait.svg", "Figure 4: motions by inertia with K = 2.3125 in the plane of nu3 and nu2: clockwise where nu3 > 0, "
    "anticlockwise where nu3 < 0; the singular "
                "line nu3 = 0 consists of straight motions, stable where nu2 < 0",
                "plot", "--show", "closed,asymptotic,direction,singular", "--against", "nu3", p.table("portrait.csv", columns), told=False,
                words=(("portrait.csv", "Carriage on three omni wheels, by inertia"), ("closed, asymptotic, direction, singular",
                "ν₂ [rad/s]")))
    page.say("The same by one command, with the line as dots: `pfaff study portrait --show \"nu[3],nu[2]\" --keep K --starts 14 --out "
    "portrait.svg " + INERTIA + "`.")


def figures(page):
    page.head("Figures")
    page.figure("004-piano.svg", "Figure 1: the piano wheel, pushed at the pin behind it", "draw", PIANO)
    page.figure("004-geometry.svg", "Figure 2: a carriage on roller wheels, from above", "draw", "--view", "top", MECANUM)
    page.figure("004-carriage.svg", "Figure 3: the carriage on three omni wheels", "draw", OMNI)
    portrait(page)
    page.figure("004-branches.svg", "Figure 5: stationary motions over the straight motion n2 that the voltages allow; omega = "
    "nu3/Lambda. Full lines are stable, dashed ones are not",
                "study", "continue", "n2=8..18", "--show", "nu[3]", STEADY)
    page.say("What the text describes without a figure:")
    page.figure("004-petals.svg", "Path of the centre of mass of a periodic motion: a curve with many petals", "plot", "--for", "800",
    "--rtol", "1e-10", *start((0, 3.8, 0.86)),
                "--show", "y", "--against", "x", INERTIA)
    page.figure("004-straight.svg", "Path of an asymptotic motion, from nu = (2, 6, 0.01): it ends in a straight line", "plot", "--for",
    "40", *start((2, 6, 0.01)), "--show", "y", "--against", "x", INERTIA)
    page.figure("004-hopf.svg", "Light wheels: rotations lose stability in a Hopf point, the cycles are unstable", "study", "continue",
    "n2=100..250", *HOPF, "--show", "nu[3]", STEADY)
    page.figure("004-pendulum.svg", "The piano wheel from theta = 0.01: it turns round and swings about theta = pi", "plot", "--show",
    "theta;x,y", PIANO)


def derivation(page):
    page.head("Derivation")
    page.say("The steps follow section 2: the line Y is (2.1), the lines P_a are the functions P_alpha(q, p) above (2.4), and the brackets are "
             "worked out with formal momenta before (2.4) is put together. A star marks what v(omega) and the momenta are put into. Where the "
             "velocities have a free term, or are not linear in omega, brackets with P_0 or with p_i v_i and the rates d^omega P_a/dt of (2.2) "
             "are added: that is (2.3).")
    page.say("Section 3 with the pseudo-velocities that the program chooses; (3.2), (3.3) come out:")
    page.show("derive", "--form", "laconic", "--steps", PIANO)
    page.say("Section 4 for three wheels; step 8 has the brackets above (4.5) as functions of p, step 11 the same with p put in, and step 12 "
             "the right sides of (4.5):")
    page.show("derive", "--form", "laconic", "--steps", OMNI)
    page.say("Section 5 without motors, with A1, A2, A3 and kappa written out:")
    page.show("derive", "--form", "laconic", INERTIA)
    page.say("Its invariant measure, d nu/|nu3|, for all values of the parameters:")
    page.show("study", "measure", INERTIA)
    page.say("Section 6: the carriage on two omni wheels, and with one constraint more the differential drive:")
    page.show("derive", "--form", "laconic", TWO)
    page.say("P_nu2 of the differential drive is that of the carriage on two omni wheels, P_nu3 is P_3 - Delta P_1/Lambda, and their bracket is "
             "the one that the paper finds by linearity:")
    page.show("derive", "--form", "laconic", "--steps", DRIVE)


def largest_rate(page, model, *options):
    points = page.program.json("study", "linearize", *options, model)["points"]
    rates = [e["re"] for e in points[0]["eigenvalues"] if hypot(e["re"], e["im"]) > 1e-9]
    return max(rates)


def errata(page):
    p = page.program
    page.head("Errata")
    nu1 = p.evaluate(TWO)
    theta = nu1["q"]["theta"]
    lateral = (nu1["acceleration"]["x"] * cos(theta) + nu1["acceleration"]["y"] * sin(theta)) / 0.1 + 1 * 0.4
    at = [largest_rate(page, STEADY, "-p", f"n2={n}", "-s", "nu[1]=3", "-s", f"nu[2]={n}", "-s", "nu[3]=0") for n in (6.1, 11.9, 12.1)]
    off = ("-p", "c1=0", "-p", "c2=0", "-s", "nu[1]=0", "-s", "nu[2]=-6", "-s", "nu[3]=0")
    ahead, behind = (largest_rate(page, OMNI, *off, "-p", f"Delta={shift}", "-p", f"delta[3]={arm}") for shift, arm in ((1, 4), (-1, 2)))
    if not (abs(lateral - 0.4) < 1e-12 and at[0] < 0 and at[1] < 0 < at[2] and ahead < 0 and abs(ahead - behind) < 1e-12):
        raise tools.Failure("errata of paper 004")
    rest = p.evaluate(FLOATING, "-s", "psi1'=0", "-s", "psi2'=0")
    work = rest["v"]["theta"] * 253.18043876330611
    laconic = max(row["max_difference"] for row in p.json("compare", FLOATING)["rows"] if row["formulation"] == "laconic")
    page.plain_table(("where", "what is wrong", "what is right", "shown by"), [
        ("(6.1)", "A1 = 1 + lambda^2", "A1 = 1: the first column of Xi^0 is zero", f"`eval {TWO}` at nu = (0.5, 1, 0.8): nu1' = "
         f"{number(lateral, 10)} = nu2 nu3/Lambda, not divided by 1.05"),
        ("section 5, threshold", "2 Lambda sigma^2/rho", "2 eps Lambda sigma^2/rho, eps = c2/(M R^2); without eps only where velocities "
         "are measured in eps", f"largest eigenvalue of the straight motion: {number(at[0], 4)} at nu2 = 6.1 (printed: unstable from 6 "
         f"on), {number(at[1], 4)} at 11.9, {number(at[2], 4)} at 12.1"),
        ("section 5, vertex", "omega_0 without 1/Lambda, second term of nu2 eight times too large", "omega_0 = -rho nu1/(2 Lambda (rho^2 "
         "+ 2 sigma^2)), nu2 = 2 eps Lambda sigma^2/rho - rho nu1^2/(8 eps Lambda (rho^2 + 2 sigma^2))", "the fold that `study continue` "
         "finds, in the table above"),
        ("section 5, stability", "straight motion is stable if and only if the centre of mass is behind the axis of the parallel wheels",
         "if and only if the third wheel trails the centre of mass, rho nu2 < 0",
         f"nu2 = -6: eigenvalue {number(ahead, 6)} with Delta = 1, delta3 = 4, and {number(behind, 6)} with Delta = -1, delta3 = 2, where "
         f"the centre of mass is on the other side of the axis"),
        ("(4.2), (4.7)", "torque M_i n_i with the work M_i d chi_i", "chi_i counts about -n_i", "wheel with n = e_x that rolls along e_y: "
         "the spin s e_x moves its lowest point by s e_x x (-R e_z) = s R e_y, so s = -v/R"),
        ("(2.4)", "for all linear constraints", "for linear homogeneous ones; else (2.3)", f"space robot of paper 000 with both arm rates "
         f"0: P_a omega_a = 0, but p_i v_i = C theta' = {number(work, 8)}. Pfaff takes (2.3): accelerations off by {order(laconic)}"),
        ("brackets of section 3", "-(p_x R sin + p_y R cos)", "-(-p_x R sin + p_y R cos)", "steps 8 and 11 above: the bracket of the "
         "formal momenta, and zero with the momenta put in, as the paper says"),
        ("P_alpha of section 4", "indices of sigma exchanged", "sigma_(i alpha), row i of Xi", "step 4 above")])


def write(program):
    page = tools.Page(program, TITLE, CITATION, SHORT)
    for part in (claims, numbers, figures, derivation, errata):
        part(page)
    return page.text()
