# SPDX-License-Identifier: Apache-2.0
"""Ma, Chen, Zhang 2008: generalized-alpha and alpha-RATTLE on a snakeboard, beside DASSL."""
from fractions import Fraction
from math import cos, log10, pi, sin, sqrt

from . import tools
from .tools import difference, largest, number, order

TITLE = "Paper 001: alpha methods for nonholonomic systems"
CITATION = ("Ma Xiuteng, Chen Liping, Zhang Yunqing: *Numerical Integration of Nonholonomic Constrained Mechanical Systems by α Methods* "
            "(in Chinese), received 23 March 2008, revised 21 April 2008. Figure numbers are those of the paper.")
SHORT = ("Generalized-alpha is right for constant mass matrices and of first order for others; a mended form is of "
         "second order for all. The violation of 1e-2 of alpha-RATTLE is no property of the method: it holds the "
         "constraints to rounding. With the data assumed here the load of the paper leads to a loss of rank after 1.25 s.")
BOARD = tools.example("snakeboard")
SLEIGH = tools.example("sleigh_variable_mass")
COORDINATES = ["x", "y", "theta", "psi", "phi_b", "phi_f"]
RATES = [name + "'" for name in COORDINATES]
PAPER = ("-p", "F=20")                                        # the load of the paper
ALPHA = ("--step", "1e-3", "--rho", "3/7")
DASSL = ("--by", "ida", "--no-projection", "--rtol", "1e-4")  # IDA is the successor of DASSL
EXACT = ("--by", "dop853", "--rtol", "1e-13")
LENGTH = 0.2


def settings(rho):
    """alpha_m, alpha_f, alpha, beta, gamma by the formulas of the paper."""
    alpha_m, alpha_f, alpha = (2 * rho - 1) / (1 + rho), rho / (1 + rho), (rho - 1) / (rho + 1)
    return alpha_m, alpha_f, alpha, (1 - alpha) ** 2 / 4, Fraction(1, 2) - alpha


def rows(q):
    """The constraint matrix Phi at the coordinates q."""
    _, _, theta, _, back, front = q
    return [[-sin(back + theta), cos(back + theta), -LENGTH * cos(back), 0, 0, 0],
            [-sin(front + theta), cos(front + theta), LENGTH * cos(front), 0, 0, 0]]


def slip(q, v):
    return [sum(a * b for a, b in zip(row, v)) for row in rows(q)]


def entry(known, scheme, h):
    """The row of alpha-convergence.csv for the snakeboard with F = 20."""
    rows_ = zip(known["case"], known["scheme"], known["h"])
    return next(i for i, row in enumerate(rows_) if row == ("snakeboard F=20 t<=0.8", scheme, h))


def claims(page):
    page.head("What the paper claims")
    page.say("""
- Generalized-alpha and alpha-RATTLE, made for structures and for holonomic constraints, solve nonholonomic systems directly as index-2
  equations, with constant mass matrices and with those that depend on the coordinates.
- On a snakeboard generalized-alpha stays close to DASSL (index 1, by dummy derivatives); alpha-RATTLE agrees at first and departs later.
- The first constraint is violated by 1e-15 (generalized-alpha), 1e-2 (alpha-RATTLE) and 1e-3 (DASSL).
- Its last sentence names the energy as a function of the alpha of the method as future work. It is the last figure here.
""")
    page.head("Models")
    page.plain_table(("what", "file"), [
        ("snakeboard with springs at rotor and wheels; the paper pushes with F = 20 N: `-p F=20`", f"[{BOARD}](../../{BOARD})"),
        ("a sleigh with a mass matrix that depends on its heading, to test the claim about these", f"[{SLEIGH}](../../{SLEIGH})")])
    page.say("""
The list of m, J, Jr, Jw and L is lost in the text that we have, and so are the step and the length of the runs. We use the values of the snakeboard
of Lewis, Ostrowski, Murray and Burdick (1994), h = 1 ms, and rest at the start. Curves need not be those of the paper; orders of magnitude should be.
""")


def numbers(page):
    p = page.program
    page.head("Numbers")
    table = page.compare()
    for name, theirs, ours in zip(("alpha_m", "alpha_f", "alpha", "beta", "gamma"), (-0.1, 0.3, -0.4, 0.49, 0.9), settings(Fraction(3, 7))):
        table.agrees(f"{name} for rho = 3/7", theirs, float(ours), 1e-15)
    for method, theirs, options in (("generalized_alpha", 1e-15, ALPHA), ("rattle", 1e-2, ALPHA), ("ida", 1e-3, DASSL[2:])):
        run = p.run(BOARD, *PAPER, "--for", "1.2", "--by", method, *options, "--show", "violation")
        ours = largest(run["violation[rear]"])
        verdict = {"generalized_alpha": "agrees in order", "rattle": "not reproduced: see the errata", "ida": "agrees in order; follows "
        "the tolerance"}[method]
        if not {"generalized_alpha": ours < 1e-14, "rattle": ours < 1e-14, "ida": 1e-4 < ours < 1e-2}[method]:
            raise tools.Failure(f"violation by {method}: {ours}")
        table.row(f"violation of the first constraint, {method}", order(theirs), order(ours), "", verdict)
    table.write()
    exact_motion(page)
    errors(page)
    orders(page)
    rank(page)


def exact_motion(page):
    p = page.program
    page.say("Against a calculation with 34 digits (`tests/reference`), of the snakeboard with F = 20 N:")
    table = page.compare(("quantity", "independent", "Pfaff", "difference", "verdict"))
    start, exact = p.evaluate(BOARD, *PAPER), tools.reference(p, "snakeboard-F20.csv")
    for name in COORDINATES:
        table.agrees(f"{name}'' at the start", exact[f"{name}_dd"][0], start["acceleration"][name], 1e-12)
    for name, short in (("rear", "b"), ("front", "f")):
        table.agrees(f"multiplier of the {name} wheels; the paper has the other sign", -exact[f"lambda_{short}"][0], start["multipliers"][name], 1e-12)
    for file, force in (("snakeboard-F20.csv", 20), ("snakeboard-F1.csv", 1)):
        exact = tools.reference(p, file)
        times = "--at=" + ",".join(f"{t:.17g}" for t in exact["t"])
        run = p.run(BOARD, "-p", f"F={force}", *EXACT, times, "--for", exact["t"][-1])
        for name in ("x", "y", "theta"):
            table.agrees(f"{name} at {exact['t'][-1]:g} s, F = {force} N", exact[name][-1], run[name][-1], 1e-9, 12)
    omega = sqrt(0.1 / 0.0013)
    run = p.run(BOARD, *PAPER, *EXACT, "--for", "1.2", "--every", "0.05")
    worst = largest(b - f + pi / 3 * cos(omega * t) for b, f, t in zip(run["phi_b"], run["phi_f"], run["t"]))
    if worst > 1e-11:
        raise tools.Failure("phi_b - phi_f")
    table.row("phi_b - phi_f + (pi/3) cos(sqrt(kw/Jw) t), which is zero for every F", "0", order(worst), "", "agrees")
    table.write()


def errors(page):
    p = page.program
    page.say("Largest errors with h = 1 ms, rho = 3/7 and F = 20 N over 0.8 s, beside those of another program:")
    known = tools.reference(p, "alpha-convergence.csv")
    table = page.compare(("quantity", "independent", "Pfaff", "difference", "verdict"))
    for method, short in (("generalized_alpha", "galpha start (1-alpha)F0+alpha F1"), ("rattle", "alpha-rattle start with f")):
        i = entry(known, short, 0.001)
        exact = tools.reference(p, "snakeboard-F20.csv")
        times = [t for t in exact["t"] if t < 0.81]
        exact = {name: values[:len(times)] for name, values in exact.items()}
        run = p.run(BOARD, *PAPER, "--for", "0.8", "--by", method, *ALPHA, "--at=" + ",".join(f"{t:.17g}" for t in times))
        renamed = {**{n: exact[n] for n in COORDINATES}, **{n + "'": exact[n + "_d"] for n in COORDINATES}}
        for what, names, theirs in (("coordinates", COORDINATES, known["err_q"][i]), ("velocities", RATES, known["err_qd"][i])):
            table.agrees(f"{method}, {what}", theirs, difference(run, renamed, names), 0.02 * theirs, 3)
    table.write()


def orders(page):
    p, table = page.program, []
    page.say("Orders of the methods from h = 10 ms to 0.3 ms (`pfaff converge`; lambda is re-evaluated at the ends of steps):")
    for what, model, options in (("snakeboard, constant mass matrix", BOARD, (*PAPER, "--for", "0.8")),
                                 ("sleigh, mass matrix M(q), schemes as printed", SLEIGH, ("--printed",)),
                                 ("sleigh, mass matrix M(q), corrected", SLEIGH, ())):
        for row in p.json("converge", *options, "--by", "generalized_alpha,rattle", "--step", "0.01", "--rho", "3/7", model)["methods"]:
            last = row["levels"][-1]
            expected = 1 if "--printed" in options else 2
            if abs(last["order"] - expected) > 0.05 or abs(last["order_v"] - expected) > 0.05:
                raise tools.Failure(f"{what}: order {last['order']}")
            table.append((what, row["method"], *(f"{last[key]:.1f}" for key in ("order", "order_v", "order_lambda"))))
    page.plain_table(("system", "method", "coordinates", "velocities", "multipliers"), table)


def rank(page):
    p = page.program
    star = 7 * pi / (2 * sqrt(0.1 / 0.0013))
    message = p.call("run", *PAPER, *EXACT, BOARD, code=1)
    found = float(message.split("lose rank at t = ")[1].split(":")[0])
    page.say(f"""
With the load of the paper the board cannot be followed for long. phi_b - phi_f vanishes at (k + 1/2) pi/sqrt(kw/Jw), whatever acts; then either the board does
not turn or both wheel sets stand across, and the constraints lose rank. Here this happens at the fourth of these instants:
""")
    table = page.compare(("quantity", "closed form", "Pfaff", "difference", "verdict"))
    table.agrees("loss of rank [s], 7 pi/(2 sqrt(kw/Jw))", star, found, 1e-8, 10)
    table.write()
    page.code("$ pfaff run -p F=20 --by dop853 --rtol 1e-13 examples/skates/snakeboard.pf\n" + message.splitlines()[0].replace(f"{found!r}",
    f"{found:.9f}…"))
    turn = {}
    for method in ("generalized_alpha", "rattle", "dop853"):
        options = EXACT if method == "dop853" else ("--by", method, *ALPHA)
        turn[method] = p.run(BOARD, *PAPER, *options, "--for", "2", "--keep-going", "--at", "2", "--show", "theta")["theta"][0]
    page.say(f"""
A method with a fixed step that does not look steps over it and goes on, with a violation of 1e-15, and what comes after depends on the step and on
the method: an independent program got theta between -3.86 and -5.25 rad after 2 s with steps of 5, 1 and 0.5 ms. That alpha-RATTLE departs from the
others in the paper is what such an instant looks like. Pfaff stops there; with `--keep-going` it goes on along the branch on which the motion came, and the
methods still agree to their order: theta after 2 s is {number(turn['generalized_alpha'], 4)} rad by `generalized_alpha`, {number(turn['rattle'], 4)} by `rattle`, {number(turn['dop853'], 5)} by `dop853`.
""")


def energies(page):
    """What is lost of the energy in 10 s without a force, over the alpha of the method."""
    p, columns = page.program, {"alpha": [], "generalized_alpha": [], "rattle": []}
    for i in range(21):
        rho = i / 20
        columns["alpha"].append((rho - 1) / (rho + 1))
        for method in ("generalized_alpha", "rattle"):
            energy = p.json("run", "-p", "F=0", "--for", "10", "--by", method, "--step", "5e-3", "--rho", rho, "--no-rows", BOARD)["energy"]
            columns[method].append(1e3 * (energy["end"] - energy["start"]) / energy["start"])
    ends = [[columns[m][i] for m in ("generalized_alpha", "rattle")] for i in (0, 12, 20)]
    page.figure("001-energy.svg", "Energy that is gained in 10 s without a force, in thousandths, over the alpha of the method; h = 5 ms",
                "plot", "--show", "generalized_alpha,rattle", "--against", "alpha", p.table("energy.csv", columns), told=False,
                words=(("energy.csv", "Snakeboard without a force"),))
    page.plain_table(("alpha (rho)", "generalized_alpha", "rattle"),
                     [(text, *(number(x, 3) for x in row)) for text, row in zip(("-1 (0)", "-0.25 (0.6)", "0 (1)"), ends)])
    if not ends[0][0] < ends[1][0] < ends[2][0]:
        raise tools.Failure("energy over alpha")
    page.say("The nearer alpha is to -1, the more energy is lost. The energy of these methods also swings about its value, by about "
             "0.05 thousandths here; where the damping is weaker than that, the number at the end may be a gain, as that of rattle at "
             "alpha = -0.25 is. With alpha = 0 nothing is damped. `--by discrete_gradient` keeps the energy to rounding, see "
             "[integrators.md](../integrators.md#discrete_gradient).")


def figures(page):
    page.head("Figures")
    page.figure("001-board.svg", "Figure 1: the snakeboard", "draw", BOARD)
    page.say("Overlaid curves: `generalized_alpha`, `rattle` (h = 1 ms and rho = 3/7 stand in the model) and `ida` in the role of DASSL, "
    "F = 20 N, up to 1.2 s.")
    run = ("plot", *PAPER, "--for", "1.2", "--by", "generalized_alpha,rattle,ida")
    for name, show in (("2", "x"), ("3", "y"), ("4", "theta")):
        page.figure(f"001-{show}.svg", f"Figure {name}: {show} by three methods", *run, "--show", show, BOARD)
    for name, method, what in (("5", "generalized_alpha", "1e-15"), ("6", "rattle", "1e-2")):
        page.figure(f"001-violation-{method}.svg", f"Figure {name}: violation of the first constraint, {method} (paper: {what})",
                    "plot", *PAPER, "--for", "1.2", "--by", method, "--show", "violation[rear]", BOARD)
    page.figure("001-violation-ida.svg", "Figure 7: violation of the first constraint, IDA on the index-1 equations (paper: 1e-3)",
                "plot", *PAPER, "--for", "1.2", *DASSL, "--show", "violation[rear]", BOARD)
    page.say("Beyond the paper: violations of both constraints by IDA, what comes after the loss of rank, the errors over the work, and "
    "the energy.")
    page.figure("001-violations.svg", "Violation of each constraint by IDA", "plot", *PAPER, "--for", "1.2", *DASSL, "--log", "--show",
    "violation", BOARD)
    page.figure("001-after.svg", "Across the loss of rank at 1.2537 s, along the branch on which the motion came", "plot", *PAPER, "--for",
    "2", "--keep-going", "--by", "generalized_alpha,rattle,dop853",
                "--show", "theta", BOARD)
    page.figure("001-errors.svg", "Error over evaluations, F = 20 N, 0.8 s", "converge", *PAPER, "--for", "0.8", "--by",
    "generalized_alpha,rattle,ida", "--step", "0.01", "--rho", "3/7", BOARD)
    energies(page)


def derivation(page):
    page.head("Derivation")
    page.say("The equations of section 4, from energy, forces and constraints; the multipliers have the other sign:")
    page.show("derive", "--form", "multipliers", "--steps", BOARD)
    page.say("The same in pseudo-velocities, without multipliers:")
    page.show("derive", "--form", "laconic", BOARD)


def middle(page, h):
    """|Phi(q_n + h/2 v_n) v_{n+1}| of a run by rattle: the constraint looked at in the wrong place."""
    run = page.program.run(BOARD, *PAPER, "--for", "0.8", "--by", "rattle", "--step", h, "--rho", "3/7")
    q, v = list(zip(*(run[n] for n in COORDINATES))), list(zip(*(run[n] for n in RATES)))
    wrong = max(largest(slip([a + h / 2 * b for a, b in zip(q[n], v[n])], v[n + 1])) for n in range(len(q) - 1))
    return wrong, max(largest(slip(a, b)) for a, b in zip(q, v))


def newton_entry(page, h=0.01):
    """d/da_theta of the first row of Phi v/h, by a quotient of differences, as printed, and right."""
    beta, gamma = 0.49, 0.9
    run = page.program.run(BOARD, *PAPER, *EXACT, "--for", "0.5", "--at", "0.5")
    q, v = [run[n][0] for n in COORDINATES], [run[n][0] for n in RATES]

    def residual(a):
        return slip([x + beta * h * h * a * (i == 2) for i, x in enumerate(q)], [x + gamma * h * a * (i == 2) for i, x in enumerate(v)])[0] / h

    back = q[2] + q[4]
    by_theta = -cos(back) * v[0] - sin(back) * v[1]
    right = by_theta * beta * h + rows(q)[0][2] * gamma
    printed = by_theta * beta + rows(q)[0][2] * gamma
    quotient = (residual(1e-3) - residual(-1e-3)) / 2e-3
    if abs(quotient - right) > 1e-6 or abs(quotient - printed) < 1e-2:
        raise tools.Failure("Newton matrix")
    return quotient, right, printed


def errata(page):
    p = page.program
    page.head("Errata")
    known = tools.reference(p, "alpha-convergence.csv")
    rattle = [entry(known, "alpha-rattle start with f", h) for h in (0.01, 0.001)]
    at_end, at_middle = (log10(known[key][rattle[0]] / known[key][rattle[1]]) for key in ("err_lam_end", "err_lam_mid"))
    alpha_m, alpha_f, alpha, beta, gamma = map(float, settings(Fraction(3, 7)))
    factor = 1 - (1 - alpha_m) / (gamma * (1 - alpha_f))
    wrong = [middle(page, h) for h in (1e-2, 1e-3)]
    s = (1 - gamma) - gamma * alpha_m / (1 - alpha_m)
    share = (1 - (1 - alpha) * s) / (1 + alpha * s)
    quotient, right, printed = newton_entry(page)
    ida = [largest(p.run(BOARD, *PAPER, "--for", "0.8", "--by", "ida", "--no-projection", "--rtol", r, "--show", "violation")[
    "violation[rear]"]) for r in ("1e-3", "1e-5", "1e-7")]
    if wrong[1][1] > 1e-13 or not ida[0] > 10 * ida[1] > 100 * ida[2]:
        raise tools.Failure("violations")
    page.plain_table(("printed", "finding", "shown by"), [
        ("both schemes serve mass matrices that depend on q", "they run, but are of first order then: the recursion shifts the product M "
         "a, not a", "table of orders above; `pfaff converge --printed " + SLEIGH + "`"),
        ("alpha-RATTLE is solved exactly as generalized-alpha, with the same Jacobian", "the push R is missing in it: it converges by a "
         "constant factor only", f"1 - 1/(gamma c1) = {number(factor, 4)} per iteration for rho = 3/7"),
        ("alpha-RATTLE violates the constraint by 1e-2", "the constraint at the end of the step is one of the equations solved",
         f"Phi v at the ends of steps: {order(wrong[1][1])}; looked at in the middle, with Phi(q_n + h/2 v_n): {number(wrong[0][0], 2)} "
         f"for h = 10 ms, {number(wrong[1][0], 2)} for 1 ms. Iterations that stop early leave as much: twenty with the factor above "
         f"{number(abs(factor)**20, 1)} of the residual"),
        ("alpha-RATTLE starts with F_0 and F_1 too", "with f, without multipliers: a is the acceleration without constraints",
         f"else the first multipliers are {number(share, 4)} of what they should be: (1 - (1 - alpha) s)/(1 + alpha s) with s = 1 - gamma "
         f"- gamma alpha_m/(1 - alpha_m)"),
        ("lambda_(n+1) of alpha-RATTLE", "it belongs to t_n + h/2", f"observed order at t_(n+1): {at_end:.1f}, at t_n + h/2: "
         f"{at_middle:.1f} (`tests/reference/alpha-convergence.csv`)"),
        ("lower left block of J': (Phi q')_q beta + Phi gamma", "(Phi q')_q beta h + Phi gamma", f"derivative by theta'' at 0.5 s, h = 10 "
         f"ms: quotient {number(quotient, 6)}, right {number(right, 6)}, printed {number(printed, 6)}"),
        ("F_q beta h^2 + F_q gamma h", "the second one is the derivative by the velocities", "q' changes by gamma h with a, q by beta h^2"),
        ("DASSL violates by 1e-3", "it follows the tolerance, and says nothing of the method", f"IDA, 0.8 s, rtol 1e-3, 1e-5, 1e-7: "
         f"{', '.join(number(x, 1) for x in ida)}")])


def write(program):
    page = tools.Page(program, TITLE, CITATION, SHORT)
    for part in (claims, numbers, figures, derivation, errata):
        part(page)
    return page.text()
