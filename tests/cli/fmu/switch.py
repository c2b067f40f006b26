# SPDX-License-Identifier: Apache-2.0
"""FMUs whose sides, sticking and starts are changed by the importer or by time, in FMPy, against `pfaff run` of the same motion.

    switch.py <pfaff> <source directory>
"""
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

import fmpy
import numpy as np

PFAFF = os.path.abspath(sys.argv[1])
KINDS = "ModelExchange", "CoSimulation"
passed, failed = 0, 0


def check(what, holds):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print(f"FAILED: {what}", flush=True)


def run(place, text, names, horizon, settings=()):
    """First and last values by pfaff run."""
    (place/"run.pf").write_text(text)
    ran = subprocess.run([PFAFF, "run", place/"run.pf", "--by", "dop853", "--rtol", "1e-12", "--atol", "1e-13", "--for",
                          str(horizon), "--every", str(horizon), "--show", ",".join(names), "--out", "-", *settings],
                         capture_output=True, text=True)
    check(f"pfaff run: {ran.stderr}", ran.returncode == 0)
    if ran.returncode:
        return np.full(len(names), np.nan), np.full(len(names), np.nan)
    rows = [[float(value) for value in row] for row in list(csv.reader(io.StringIO(ran.stdout)))[1:]]
    return np.array(rows[0][1:]), np.array(rows[-1][1:])


def export(place, text, version):
    model, fmu = place/"fmu.pf", place/"fmu.fmu"
    model.write_text(text)
    subprocess.run([PFAFF, "export", "--to", "fmu", "--fmi", str(version), "-o", fmu, model], check=True,
                   stdout=subprocess.DEVNULL)
    return str(fmu)


def simulate(what, fmu, kind, names, wanted, horizon, tolerance=1e-7, **how):
    how = {"output_interval": horizon/20, "relative_tolerance": 1e-10, **how}
    result = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=horizon, output=names, **how)
    for k, at in (0, "start"), (-1, "end"):
        values = np.array([result[name][k] for name in names])
        check(f"{what} {kind}: {values} instead of {wanted[k]} at the {at}", np.max(abs(values - wanted[k])) < tolerance)


def compare(what, place, text, names, horizon, same=None, settings=None, kinds=KINDS, **how):
    """The FMU of `text` against a run of `same`, at the start and at the end."""
    settings = settings or {}
    options = [word for name, value in settings.items() for word in ("-p", f"{name}={value}")]
    wanted = run(place, same or text, names, horizon, options)
    for version in 2, 3:
        fmu = export(place, text, version)
        for kind in kinds:
            simulate(f"{what}, FMI {version}", fmu, kind, names, wanted, horizon, start_values=settings, **how)


def steps(*values):
    """An input `push` that has one value in each second."""
    rows = [(t + k, value) for t, value in enumerate(values) for k in (0, 1)]
    return np.array(rows, dtype=[("time", float), ("push", float)])


PUSH = "if(t < 1, 0, if(t < 2, 10, if(t < 3, -10, 0)))"


def look_at_inputs(place):
    """Inputs that jump: what sticks comes loose, and the other side holds from then on."""
    for name, force in (("friction", "-3*sign(x') + push"), ("comparison", "if(x < push, 2, -3)"),
                        ("limit", "1 - max(x - push, 0)"), ("sum", "-abs(x - push) + push/4")):
        text = f"coord x\ninput push\nkinetic x'^2/2\nforce x = {force}\nstart x = 0.1\nrun 4\n"
        same = text.replace("input push", f"input push = {PUSH}")
        compare(f"{name}, input", place, text, ["x", "x'"], 4, same, input=steps(0, 10, -10, 0))


def look_at_a_belt(place):
    """Its speed jumps to 10, -10, 0: the block gets 3 in either direction, and rests at x = 3."""
    fmu = export(place, "coord x\ninput push\nkinetic x'^2/2\nforce x = -3*sign(x' - push)\nrun 4\n", 3)
    for kind in KINDS:
        simulate("belt", fmu, kind, ["x", "x'"], np.array([[0, 0], [3, 0]]), 4, input=steps(0, 10, -10, 0))


def look_at_parameters(place):
    """Parameters that jump between steps: x'' = 2 where x < p, else -3."""
    text = "param p = -1\ncoord x\nkinetic x'^2/2\nforce x = if(x < p, 2, -3)\nrun 4\n"
    fmu = export(place, text, 2)
    description = fmpy.read_model_description(fmu)
    by = {v.name: v.valueReference for v in description.modelVariables}
    f = fmpy.instantiate_fmu(fmpy.extract(fmu, str(place/"jumps")), description, "CoSimulation")
    f.setupExperiment(startTime=0.0)
    f.enterInitializationMode()
    f.exitInitializationMode()
    for i, (p, wanted) in enumerate(((-1, -3), (10, 2), (-10, -3), (10, 2))):
        f.setReal([by["p"]], [p])
        f.doStep(0.1*i, 0.1)
        check(f"p = {p}: acceleration {f.getReal([by[chr(120) + 2*chr(39)]])}", f.getReal([by["x''"]]) == [wanted])
    f.terminate()
    f.freeInstance()


def look_at_the_start_time(place):
    """What time decides just at the start."""
    for T in 0, 0.5:
        for force in "if(t < T, 2, 3)", "if(t <= T, 2, 3)", "3 - max(t - T, 0)", "3 - max(T - t, 0)", "sign(t - T)":
            compare(f"{force}, T = {T}", place, f"param T = {T}\ncoord x\nkinetic x'^2/2\nforce x = {force}\nrun 2\n",
                    ["x", "x'"], 2)
    compare("lock at 0", place, "coord x, y\nkinetic x'^2/2 + y'^2\nstart x' = 1, y' = 2\nwhen t = 0 { lock y }\nrun 2\n",
            ["x", "y"], 2)
    compare("lock at x < 0, leaves 0", place, "coord x\nkinetic x'^2/2\nstart x' = 1\nwhen x < 0 { lock x }\nrun 2\n",
            ["x", "x'"], 2)
    compare("falls from a surface", place, "coord x\nkinetic x'^2/2\nforce x = if(x < 0, -2, -1)\nrun 2\n", ["x", "x'"], 2)


LOOSE = """param m = 2 [kg], k = 40 [N/m], mu = 0.3, g = 9.81 [m/s^2], V = 0.2 [m/s], M2 = 1 [kg], l = 0.3 [m]
coord s [m], z [m], q
body blk in ground at (s, 0, z) { mass m }
body pend in blk turn q about y { mass M2, com (0, 0, -l) }
gravity (0, 0, -g)
constraint floor: z = 0
nonideal s = -mu*lambda[floor]*sign(s')
force s = k*(V*t - s)
start q = 0.7
run 5
"""


def look_at_sticking(place):
    """It comes loose with whatever steps the importer takes."""
    for interval in 0.05, 0.1, 0.02, 0.5:
        compare(f"comes loose, steps of {interval}", place, LOOSE, ["s", "s'", "q"], 5, output_interval=interval,
                tolerance=1e-4, relative_tolerance=1e-8)


def look_at_locks(place):
    """Conditions on the forces of locks and constraints: an importer's root lies a little before them."""
    compare("a clutch that lets go", place, """param limit = 6
coord th, r
kinetic th'^2 + 3/2*(th' + r')^2
force th = 4*t
start th' = 1, r' = 0.5
when t = 0.5 { lock r }
when lambda[r] > limit { unlock r }
run 4
plot lambda[r]
""", ["th", "r", "th'", "r'"], 4)
    compare("a lock under friction", place, """coord a, x
kinetic 5*a'^2/2 + x'^2/2
force a = -2*sign(x'), x = t - sign(x')
when t = 0 { lock a }
when lambda[a] > 1 { unlock a }
run 2
""", ["a", "x"], 2)
    compare("a force of a constraint, an acceleration", place, """coord x, y, z
kinetic x'^2/2 + y'^2/2 + z'^2/2
constraint c: x = y
force x = t
start z' = 1
when lambda[c] < -1 { lock z }
run 4 until x'' > 1.7
""", ["x", "z"], 3)


def look_at_laws(place):
    """Loads that equal the limit, and a law of two levels, in closed form."""
    text = """coord y, z
let fb = -2*sign(y' - z'), fc = -2*sign(z')
kinetic y'^2 + z'^2/2
force y = fb, z = if(t < 1, 5, -5) - fb + fc
run 3
plot fb, fc
"""
    # y'' = z'' = (5 - 2)/3 until t = 1, which takes all of fb; then y'' = -1, and z'' = -5 until t = 1.2, z = 0.6, from then on -1
    for version in 2, 3:
        fmu = export(place, text, version)
        for kind in KINDS:
            simulate("at the limit", fmu, kind, ["y", "z", "y'", "z'", "fb", "fc"],
                     np.array([[0, 0, 0, 0, 2, -2], [0.5, -1.02, -1, -1.8, -2, 2]]), 3)
    # what holds is more than what slides: never at v = -1e-6, where the law changes; at rest from t = 2.5 to 5
    text = """coord x
let f = -if(abs(x') < 1e-6, 0.6, 0.4)*sign(x')
kinetic x'^2/2
force x = f + if(t < 4, 0, 0.5)
start x' = -1
run 6
plot f
"""
    fmu = export(place, text, 3)
    for kind in KINDS:
        simulate("two levels", fmu, kind, ["x", "x'", "f"], np.array([[0, -1, 0.4], [-1.25, 0, -0.5]]), 6, tolerance=1e-5)


def look_between(place):
    """Crossings that lie within one communication step, and come in pairs (in Model Exchange the importer looks for them)."""
    for force in "3 + if(sin(6*t) > 0, 1, -1)", "if(sin(25*t + 0.3) > 0.98, 5, -1)", "if(abs(t - 1.1) < 0.01, 100, 0)":
        compare(force, place, f"coord x\nkinetic x'^2/2\nforce x = {force}\nrun 2\n", ["x", "x'"], 2, output_interval=2,
                kinds=["CoSimulation"])
    compare("grazes", place, """coord x, y
kinetic x'^2/2 + y'^2/2
force x = -1, y = if(x > 0.49, 3, 0)
start x' = 1
run 3
""", ["x", "y", "y'"], 3, output_interval=3, kinds=["CoSimulation"])


STARTS = {
    "speeds": ("""param m = 1, J = 0.2, V0 = 2, T0 = 0.3
coord x, y, theta
kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2
constraint c: x'*sin(theta) = y'*cos(theta)
speed v = x'*cos(theta) + y'*sin(theta), w = theta'
start v = V0, w = 1, theta = T0
run 2
""", ["x'", "y'", "theta'", "x", "y"], ({"V0": 5}, {"T0": 1}, {"J": 1})),
    "rates": ("""param m = 1, J = 0.2, V0 = 2, T0 = 0.3
coord x, y, theta
kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2
constraint c: x'*sin(theta) = y'*cos(theta)
speed v, w
rate x' = v*cos(theta), y' = v*sin(theta), theta' = w
start v = V0, w = 1, theta = T0
run 2
""", ["x'", "y'", "theta'", "x", "y"], ({"V0": 5}, {"T0": 1})),
    "free body": ("""param W = 1, A = 0.3
body hub in ground free { mass 4, inertia diag(2, 3, 5) }
start hub.turn = (A, 0.2, 0.1), hub.w = (0.1, W, -0.3), hub.v = (W, 0, 0)
run 2
plot hub.w
""", ["hub.qw'", "hub.qx'", "hub.qy'", "hub.px'", "hub.qw"], ({"W": 2}, {"A": 0.8})),
    "angular velocity": ("""param W = 1
coord a, b
body r in ground turn a about z turn b about x { mass 4, inertia diag(2, 3, 5) }
start b = 0.4, omega(r) = (0, 0, W)
run 2
""", ["a'", "b'", "a"], ({"W": 3},)),
    "least change": ("""param c = 0.5, V = 1, m = 1
coord x, y, z
kinetic m*x'^2/2 + y'^2 + 2*z'^2 + x'*y'/2 + y'*z'/3
constraint k: x' + c*y' - z' = 0
start x' = V
run 2
""", ["x'", "y'", "z'", "x"], ({"V": 3}, {"c": 2}, {"m": 5})),
    "marked": ("""param l = 1, g = 9.81
coord x, y
kinetic (x'^2 + y'^2)/2
potential g*y
constraint rod: x^2 + y^2 = l^2
start x = 0.6*l !, y = -0.8
run 2
""", ["x", "y", "x'"], ({"l": 2},))}


def look_at_starts(place):
    """Starts of the model by other parameters."""
    for name, (text, shown, settings) in STARTS.items():
        for setting in settings:
            compare(f"{name}, {setting}", place, text, shown, 2, settings=setting)


def look_at_parts(place):
    """Two four-bars: what the second cannot hold changes nothing of the first."""
    text = "param L = 1\ncoord a, b, c, d, e, f\nkinetic (a'^2 + b'^2 + c'^2 + d'^2 + e'^2 + f'^2)/2\n"
    for k, (p, q, r) in enumerate(("abc", "def")):
        text += f"constraint x{k}: L*cos({p}) + 2*cos({q}) = 2 + 1.5*cos({r})\nconstraint y{k}: L*sin({p}) + 2*sin({q}) = 1.5*sin({r})\n"
    fmu = export(place, text + "start a = 1, b = 0.3, c = 1.2, d = 1, e = 0.5, f = 1.2\nrun 1\n", 3)
    result = fmpy.simulate_fmu(fmu, fmi_type="CoSimulation", stop_time=0.1, output_interval=0.1, start_values={"L": 1.2, "a": 1, "d": 1, "e": 0.5},
                               output=list("abcdef"))
    check(f"parts: a = {result['a'][0]!r}", result["a"][0] == 1 and abs(result["e"][0] - 0.5) > 1e-3)


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        look_at_inputs(place)
        look_at_a_belt(place)
        look_at_parameters(place)
        look_at_the_start_time(place)
        look_at_sticking(place)
        look_at_locks(place)


        look_at_laws(place)
        look_between(place)
        look_at_starts(place)
        look_at_parts(place)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
