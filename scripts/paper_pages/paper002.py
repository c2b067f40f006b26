# SPDX-License-Identifier: Apache-2.0
"""Meng, Han 2007: recursive dynamics of spacecraft by the spatial operator algebra."""
import json

from . import tools
from .tools import column, inverse, largest, matmul, number, order, plus, transpose

TITLE = "Paper 002: recursion for spacecraft"
CITATION = ("Meng Zhan-feng, Han Chao: *Recursive Multi-body Dynamical Algorithm for Real-time Simulation of Spacecraft Using Spatial "
"Operator Algebra* "
            "(in Chinese). Article 1000-6893(2007)增-0S49-08. Equation and figure numbers are those of the paper.")
SHORT = ("The recursion is right once a handful of its equations are mended, each of which spoils the accelerations; carried "
         "out as the paper says, with these, it gives the accelerations of the program to rounding. Mixed problems, changing "
         "topology and a cost proportional to the number of bodies are what it is good for.")
CRAFT = tools.example("spacecraft")
HYBRID = tools.example("hybrid_arm")
CAPTURE = tools.example("capture")
DUAL = tools.example("dual_arm")
ROBOT = "tests/reference/textbook/space_robot.pf"
JOINTS = [f"{side}[{i}]" for side in ("left", "right") for i in (1, 2, 3)] + ["fold"]
TORQUES = [0.9, -0.7, 0.45, -0.6, 0.8, -0.35]
DOCK = """model dock "Two balls dock"
body a in ground free { mass 2 [kg], inertia 1 }
body b in ground free { mass 1 [kg], inertia 0.5 }
start a.p = (-1, 0, 0), a.v = (1, 0, 0), b.p = (0, 1, 0)
when t = 1 { attach b to a }
run 2
"""


def chain(links):
    """An arm of many links on a free hub, as text."""
    lines = ["model chain", f"coord q[{links}] [rad]", "body hub in ground free { mass 100 [kg], inertia 40 }"]
    for i in range(1, links + 1):
        axis, parent = "xyz"[i % 3], "hub" if i == 1 else f"link{i - 1}"
        lines.append(f"body link{i} in {parent} at (0, 0.2, 0) turn q[{i}] about {axis} "
        f"{{ mass 1 [kg], com (0, 0.1, 0), inertia diag(0.01, 0.002, 0.01) }}")
    lines += [f"start q[{i}] = {0.1 * (i % 5 - 2)}, q[{i}]' = {0.05 * (-1) ** (i // 3)}" for i in range(1, links + 1)]
    return "\n".join(lines + ["run 0.1 by rk4 { step = 1e-3 }"]) + "\n"


def matrix(values):
    """A matrix of eval --spatial: one column is a plain list there."""
    return values if isinstance(values[0], list) else [[x] for x in values]


class Sweeps:
    """The recursion of section 5 with the operators that eval --spatial gives, joints of one rate on a free root. slip: a misprint to obey."""

    def __init__(self, bodies, torques, slip=None):
        self.bodies, self.slip = bodies, slip
        self.phi = [self.reversed(b["Phi"]) if slip == "(73)" else b["Phi"] for b in bodies]
        self.h, self.a = [matrix(b["H"]) for b in bodies], [column(b["a"]) for b in bodies]
        if slip == "(27)":
            self.a = [[[0.0]] * 3 + x[3:] for x in self.a]
        self.p = [self.about_centre(b["M"]) if slip == "(76)" else b["M"] for b in bodies]
        self.z = [column(b["b"]) for b in bodies]
        self.torques = [None] + list(torques)

    @staticmethod
    def reversed(phi):
        return [row[:] if i < 3 else [-x for x in row[:3]] + row[3:] for i, row in enumerate(phi)]

    @staticmethod
    def about_centre(mass):
        """The inertia about the mass centre in the place of that about the joint: J + (m c^x)(m c^x)/m."""
        c = [row[3:] for row in mass[:3]]
        square = matmul(c, c)
        return [[x + square[i][j] / mass[3][3] if i < 3 and j < 3 else x for j, x in enumerate(row)] for i, row in enumerate(mass)]

    def forward(self):
        n, kept = len(self.bodies), {}
        for k in range(n - 1, 0, -1):
            h, p, z, parent = self.h[k], self.p[k], self.z[k], self.bodies[k]["parent"]
            u = matmul(p, h)
            d = matmul(transpose(h), u)[0][0]
            g = [[x[0] / d] for x in u]
            eps = self.torques[k] - matmul(transpose(h), z)[0][0]
            kept[k] = (d, g, eps)
            carried = plus(plus(matmul(p, self.a[k]), z), [[x[0] * eps] for x in g])
            carried = plus(carried, matmul(matmul(g, transpose(u)), self.a[k]), -1)
            back = inverse(self.phi[k]) if self.slip == "(83)" else transpose(self.phi[k])
            less = plus(p, matmul(g, transpose(u)), -1)
            self.p[parent] = plus(self.p[parent], matmul(matmul(transpose(self.phi[k]), less), self.phi[k]))
            self.z[parent] = plus(self.z[parent], matmul(back, carried))
        motion, rates = [matmul(inverse(self.p[0]), [[-x[0]] for x in self.z[0]])], []
        for k in range(1, n):
            d, g, eps = kept[k]
            if self.slip == "(46)":
                d = kept[min(k + 1, n - 1)][0]
            a = plus(matmul(self.phi[k], motion[self.bodies[k]["parent"]]), self.a[k])
            rates.append(eps / d - matmul(transpose(g), a)[0][0])
            motion.append(plus(a, [[x[0] * rates[-1]] for x in self.h[k]]))
        return [x[0] for x in motion[0]], rates

    def prescribed(self, rates):
        """Acceleration of the root when those of the joints are given, (90) and (91)."""
        for k in range(len(self.bodies) - 1, 0, -1):
            push = [[x[0] * rates[k - 1]] for x in self.h[k]]
            if self.slip != "(91)":
                push = plus(push, self.a[k])
            back, parent = transpose(self.phi[k]), self.bodies[k]["parent"]
            carried = plus(matmul(self.p[k], push), self.z[k])
            self.p[parent] = plus(self.p[parent], matmul(matmul(back, self.p[k]), self.phi[k]))
            self.z[parent] = plus(self.z[parent], matmul(back, carried))
        return [-x[0] for x in matmul(inverse(self.p[0]), self.z[0])]


def fast_state(program):
    """A state with larger rates, of the reference data: velocity terms count."""
    state = json.loads((program.source / "tests/reference/spatial/02_spacecraft_free_base.json").read_text(encoding="utf-8"))["state"]
    vector = lambda values: "(" + ", ".join(f"{x!r}" for x in values) + ")"
    words = ["-s", f"hub.q={vector(state['q'][0][:4])}", "-s", f"hub.p={vector(state['q'][0][4:])}",
             "-s", f"hub.w={vector(state['v'][0][:3])}", "-s", f"hub.v={vector(state['v'][0][3:])}"]
    for name, q, v in zip(JOINTS, state["q"][1:], state["v"][1:]):
        words += ["-s", f"{name}={q[0]!r}", "-s", f"{name}'={v[0]!r}"]
    return words


def solved(program):
    answer = program.evaluate(CRAFT, "--spatial", *fast_state(program))
    torques = TORQUES + [-40 * answer["q"]["fold"] - 1.5 * answer["v"]["fold"]]
    return answer, torques, answer["spatial"][0]["Vdot"], [answer["acceleration"][name] for name in JOINTS]


def relative(values, right):
    return largest(x - y for x, y in zip(values, right)) / largest(right)


def claims(page):
    page.head("What the paper claims")
    page.say("""
- With spatial vectors, tensors and arrays of vectors that do not depend on a frame, and rules for their projection, the recursion for trees of rigid
  bodies on a free base follows from the equations of Newton and Euler, by way of articulated bodies. In inertial axes it is easy to program.
- It serves forward and inverse problems, and mixtures of both: joints whose motion is given and joints whose torque is given.
- It suits topologies that change, and the simulation of spacecraft in real time.

The paper has no example and no number. What can be held against it are its equations.
""")
    page.head("Models")
    page.plain_table(("what", "file"), [(what, f"[{file}](../../{file})") for what, file in (
        ("hub, two arms, a sprung panel; an elbow locks at 5 s", CRAFT), ("given motions and given torques in one arm", HYBRID),
        ("an arm takes hold of a tumbling target", CAPTURE), ("two arms hold one payload: a closed loop", DUAL), ("planar robot on a free "
         "base, for the derivation", ROBOT))])
    page.say("The recursion itself, its conventions and what it costs: [spatial.md](../spatial.md). The forces in the joints, figure 3, are columns of a run: "
             "`wrench(left_fore)`, [wrenches of joints](../spatial.md#wrenches-of-joints).")


def numbers(page):
    p = page.program
    page.head("Numbers")
    answer, torques, root, rates = solved(p)
    ours_root, ours = Sweeps(answer["spatial"], torques).forward()
    page.say("""
*Paper* is the recursion of section 5 as it stands there, mended by the errata below, carried out by the script that makes this page, with Phi, H, M, b and a of
`pfaff eval --spatial`; *Pfaff* are the accelerations of its fast sweeps, in other axes. The state is that of case 02 of `tests/reference/spatial`.
""")
    table = page.compare()
    for i, name in enumerate(("x", "y", "z")):
        table.agrees(f"hub, angular acceleration, {name} (92)", ours_root[i], root[i], 1e-12)
    for i, name in enumerate(("x", "y", "z")):
        table.agrees(f"hub, acceleration, {name} (92)", ours_root[3 + i], root[3 + i], 1e-12)
    for name, theirs, mine in zip(JOINTS, ours, rates):
        table.agrees(f"{name}'' (94)", theirs, mine, 1e-11)
    for i, name in enumerate(("x", "y", "z")):
        value = Sweeps(answer["spatial"], torques).prescribed(rates)
        table.agrees(f"hub, angular acceleration, {name}, joints prescribed (90) to (92)", value[i], root[i], 1e-12)
    table.write()
    motion(page)
    docking(page)
    others(page)


def motion(page):
    p = page.program
    page.say("The motion of 10 s with the lock, against a calculation with 34 digits:")
    table = page.compare(("quantity", "independent", "Pfaff", "difference", "verdict"))
    exact = tools.reference(p, "spatial/trajectory_spacecraft.csv")
    last = {name: values[-1] for name, values in exact.items()}
    run = p.run(CRAFT, "--at", "10", "--rtol", "1e-13")
    names = dict(zip((f"q{i}" for i in range(1, 8)), JOINTS))
    for name in ("q1", "q2", "q3", "q6", "q7"):
        table.agrees(f"{names[name]} at 10 s", last[name], run[names[name]][-1], 1e-9)
    for name, ours_name in (("hub_qw", "hub.qw"), ("hub_x", "hub.px"), ("hub_y", "hub.py"), ("hub_z", "hub.pz")):
        table.agrees(f"{ours_name} at 10 s", last[name], run[ours_name][-1], 1e-9)
    event = run["summary"]["events"][0]
    table.agrees("impulse in the elbow that locks [N m s]", -1.3824815956800741, event["impulse"]["left[3]"], 1e-9)
    i = exact["phase"].index("before_lock")
    table.agrees("kinetic energy before the lock [J]", exact["kinetic_energy"][i], event["kinetic_before"], 1e-9)
    table.agrees("kinetic energy after the lock [J]", exact["kinetic_energy"][i + 1], event["kinetic_after"], 1e-9)
    change = run["summary"]["momentum"]["change"]
    if max(change.values()) > 1e-9:
        raise tools.Failure("momentum changes")
    table.row("change of linear and of angular momentum in 10 s", "0, 0", f"{order(change['linear'])}, {order(change['angular'])}", "",
    "constant through the lock")
    table.write()


def docking(page):
    p = page.program
    dock = p.run(p.model("dock.pf", DOCK), "--at", "1.5", "--show", "omega(a), vel(a), vel(b)")
    event = dock["summary"]["events"][0]
    page.say("Docking, by hand: a ball (2 kg, 1 kg m^2) moves with 1 m/s past another (1 kg, 0.5 kg m^2) that rests 1 m beside its path, "
    "and they dock rigidly.")
    table = page.compare(("quantity", "by hand", "Pfaff", "difference", "verdict"))
    for what, theirs, mine in (("angular velocity, 4/13", 4 / 13, dock["omega(a).z"][1]), ("velocity of the first, 10/13", 10 / 13, dock[
    "vel(a).x"][1]),
                               ("velocity of the second, 6/13", 6 / 13, dock["vel(b).x"][1]), ("impulse on the second, 6/13", 6 / 13, event[
                                "impulse"]["b.a.x"]),
                               ("its moment, 2/13", 2 / 13, event["impulse"]["b.a.turn_z"]), ("kinetic energy that is lost, 3/13", 3 / 13, event[
                                "energy_loss"])):
        table.agrees(what, theirs, mine, 1e-12)
    table.write()


def others(page):
    p = page.program
    capture = p.run(CAPTURE, "--at", "30")["summary"]
    hybrid = p.run(HYBRID, "--at", "12")["summary"]
    dual = p.run(DUAL, "--at", "10")["summary"]
    event = capture["events"][0]
    page.say("Mixed problems, changing topology and a loop:")
    rows = [(f"`{HYBRID}`: momentum at the end of 12 s, from rest", order(max(map(abs, hybrid["momentum"]["end"]["linear"] + hybrid[
    "momentum"]["end"]["angular"])))),
            (f"`{CAPTURE}`: capture at [s]", number(event["t"], 8)),
            ("kinetic energy before and after [J]", f"{number(event['kinetic_before'], 8)}, {number(event['kinetic_after'], 8)}"),
            ("change of linear and angular momentum through it", f"{order(capture['momentum']['change']['linear'])}, "
             f"{order(capture['momentum']['change']['angular'])}"),
            (f"`{DUAL}`: violation of the loop in 10 s", order(dual["violation"]["position"])),
            ("change of angular momentum", order(dual["momentum"]["change"]["angular"]))]
    if max(hybrid["momentum"]["change"].values()) > 1e-9 or max(capture["momentum"]["change"].values()) > 1e-8 or dual["violation"][
    "position"] > 1e-12:
        raise tools.Failure("momentum or loop")
    page.plain_table(("quantity", "Pfaff"), rows)


def costs(page):
    """Time of one evaluation over the number of links."""
    p, columns = page.program, {"links": [], "recursive [us]": [], "multipliers [us]": []}
    for links in (4, 8, 16, 32, 64, 128, 256):
        file = p.model(f"chain{links}.pf", chain(links))
        columns["links"].append(links)
        for form in ("recursive", "multipliers"):
            if form == "multipliers" and links > 16:
                columns[f"{form} [us]"].append(None)
                continue
            runs = [p.json("run", "--form", form, "--native", "off", "--no-rows", file) for _ in range(5)]
            columns[f"{form} [us]"].append(min(1e6 * run["wall_seconds"] / run["evaluations"] for run in runs))
    times = columns["recursive [us]"]
    page.figure("002-cost.svg", "Time of one evaluation in a run, over the number of links of an arm on a free hub", "plot", "--show",
    "recursive,multipliers", "--against", "links",
                p.table("cost.csv", columns), told=False, words=(("cost.csv", "Arms of 4 to 256 links"),))
    page.say(f"From 64 to 256 links the recursion takes {times[-1] / times[-3]:.1f} times the time: proportional to the number of bodies. "
    f"A matrix that is factored would take 64 times.")
    page.say("`pfaff run --real-time --rate 1000` keeps pace with the clock and reports misses: [real-time.md](../real-time.md).")


def figures(page):
    page.head("Figures")
    page.say("The paper has three sketches: a body with forces, two bodies with a joint, and the forces between them. Here the machine "
    "they are about, and what the text says of it.")
    page.figure("002-craft.svg", "Figures 1 to 3: bodies, joints and a free base", "draw", CRAFT)
    page.figure("002-angles.svg", "Joint angles; at 5 s the elbow left[3] locks", "plot", "--show", "left[1],left[2],left[3];right[1],right[2],right[3];fold", CRAFT)
    page.figure("002-hub.svg", "The hub is pushed back: its angular velocity", "plot", "--show", "hub.wx,hub.wy,hub.wz", CRAFT)
    page.figure("002-hybrid.svg", "A mixed problem: torques of the joints whose motion is given, and the hub that swings", "plot", HYBRID)
    page.figure("002-capture.svg", "Topology that changes: distance of hand and target, angular velocity of the hub; they meet and hold",
    "plot", CAPTURE)
    page.figure("002-dual.svg", "A closed loop: forces in the grip", "plot", "--show", "lambda[hold.x],lambda[hold.y],lambda[hold.z]", DUAL)
    page.timed(lambda: costs(page))


def derivation(page):
    page.head("Derivation")
    page.say("The recursion is numbers, not formulas: `pfaff eval --spatial` prints its operators body by body, all that the paper names. "
    "Of the mixed arm, the forearm, whose motion is given, (90) and (91), and the hand, whose torque is given, (80) to (89):")
    lines = page.program.call("eval", "--spatial", HYBRID).splitlines()
    begin = next(i for i, line in enumerate(lines) if line.strip().startswith("body") and " fore," in line)
    end = next((i for i in range(begin + 1, len(lines)) if lines[i].strip().startswith("body") and " tool," in lines[i]), len(lines))
    page.code("\n".join([f"$ pfaff eval --spatial {HYBRID}", "…", *(line.replace(" -0 ", "  0 ") for line in lines[begin:end])]))
    page.say("With `--axes body` they are in the axes of each body, by the rules of projection of table 1, (66) and (67): [spatial.md](../spatial.md#the-operators).")
    page.say("For a robot in the plane the same equations can be written out:")
    page.show("derive", "--form", "laconic", "--steps", ROBOT)


def errata(page):
    p = page.program
    page.head("Errata")
    answer, torques, root, rates = solved(p)
    off = {}
    for slip in ("(83)", "(46)", "(73)", "(27)"):
        got_root, got = Sweeps(answer["spatial"], torques, slip).forward()
        off[slip] = max(relative(got_root, root), relative(got, rates))
    wrong = Sweeps(answer["spatial"], torques, "(76)")
    about = relative(wrong.forward()[1], rates)
    missing = relative(Sweeps(answer["spatial"], torques, "(91)").prescribed(rates), root)
    if min(*off.values(), about, missing) < 1e-3:
        raise tools.Failure(f"errata of paper 002: {off}, {about}, {missing}")
    body = answer["spatial"][1]
    page.say("The same sweeps with one misprint each: largest error of the accelerations over the largest acceleration, at the state above.")
    page.plain_table(("where", "what is wrong", "what is right", "error"), [
        ("(83), (85)", "Phi_(lambda,k), by (21) the inverse of Phi_(k,lambda)", "its transpose: K = Phi^T G, Psi = Phi^T tau, as in (56), "
         "(58)", number(off["(83)"], 3)),
        ("(91)", "P a is missing; it stands in (50), (52)", "z += Phi^T (P (H beta' + a) + z)", f"{number(missing, 3)} of the hub, joints "
         f"prescribed"),
        ("(93)", "eps = D^-1 z", "nu = D^-1 eps", f"D of a joint is {len(body['D'])} x {len(body['D'])}, z has {len(body['z'])} numbers"),
        ("(46)", "D of the next body", "D of this body", number(off["(46)"], 3)),
        ("(27), (75)", "a is only cited", "[w x dw; w x (w x l) + 2 w x dv] + H' beta; here without w x dw", number(off["(27)"], 3)),
        ("(73)", "-l^T", "-l^x; read as +l^x", number(off["(73)"], 3)),
        ("(7), (76)", "the point of J is not said", "about O_k; here about the mass centre", number(about, 3)),
        ("(76) to (79)", "k = 1 … n", "k = 0 … n: the hub has mass", "by reading"),
        ("(54)", "D is positive definite", "unless a joint can move without moving mass", "Pfaff names the joint"),
        ("(68), (14)", "frames on the parent have its index", "one for each child", f"the hub has {sum(b['parent'] == 0 for b in answer['spatial'])} children, at different places")])
    page.say("Misprints without effect on numbers are listed in [spatial.md](../spatial.md) where they occur.")


def write(program):
    page = tools.Page(program, TITLE, CITATION, SHORT)
    for part in (claims, numbers, figures, derivation, errata):
        part(page)
    return page.text()
