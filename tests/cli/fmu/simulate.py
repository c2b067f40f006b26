# SPDX-License-Identifier: Apache-2.0
"""FMUs by an importer, FMPy: valid by the standard's schema, the motion of `pfaff run` by Model Exchange and Co-Simulation, events,
exact derivatives, starts that are set, saved states.

    simulate.py <pfaff> <source directory>
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
from fmpy.validation import validate_fmu

PFAFF, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
passed, failed = 0, 0

# by formulation and constraints of every kind; others are larger or unstable beyond what the tolerances of CVode give
EXAMPLES = """appell_hamel ball_on_surface car_trailer carriage_mecanum chaplygin_sleigh differential_drive free_floating
    henon_heiles incline_friction omni_robot rolling_ball sleigh_friction spherical_pendulum_servo unicycle
    wheel_in_shell spacecraft capture""".split()
HORIZON = {"capture": 12, "spacecraft": 6}  # behind their events

MODELS = {
    "stick": """model stick "Block on a spring with dry friction"
param m = 1 [kg], k = 10 [N/m], mu = 0.3, g = 9.81 [m/s^2], A = 4 [N]
coord x [m]
kinetic m/2*x'^2
potential k/2*x^2
force x = -mu*m*g*sign(x') + A*sin(2*t)
start x = 1
run 6
""",
    "two_stick": """model two_stick "Two blocks, one on the other"
param m = 1 [kg], M = 2 [kg], k = 30 [N/m], f = 2 [N], h = 3 [N]
coord x, y [m]
kinetic M/2*x'^2 + m/2*y'^2
potential k/2*(x - 0.5*sin(1.5*t))^2
force x = -h*sign(x') + f*sign(y' - x'), y = -f*sign(y' - x')
run 6
""",
    "timed": """model timed "A push at times, and a stop"
param T = 1.3 [s], m = 1 [kg], k = 4 [N/m], F = 2 [N], lim = 0.5 [m]
coord x [m]
kinetic m/2*x'^2
potential k/2*x^2
force x = if(t < T, F, -F/2) - 5*k*max(x - lim, 0)
run 4
plot abs(x)
""",
    "falls": """model falls "Falls until it is there"
param m = 2 [kg], g = 9.81 [m/s^2]
coord z [m]
kinetic m/2*z'^2
potential m*g*z
start z = 10, z' = 1
run 6 until z < 3 [m] and t > 0.5
""",
    "structure": """model structure "Everything that events do"
param T = 0.7 [s]
coord a, b
body hub in ground free { mass 5, inertia 1 }
body arm in hub at (1, 0, 0) turn a about z { mass 1, inertia 1 }
body hand in arm at (1, 0, 0) turn b about y { mass 1, inertia 0.4 }
body probe in ground free { mass 1, inertia diag(1, 2, 1.5) }
spring a { stiffness 3, damping 0.1 }
start probe.p = (4, 0, 0), a' = 0.3, b' = 0.5, probe.v = (-0.4, 0, 0), probe.w = (0.1, 0.3, 0)
when t = T { lock arm, b }
when t = 2*T {
  unlock arm
  detach hand with impulse (1, 0, 0.1), torque 0.2*hand.x
}
when distance(hand, probe) < 1 [m] { attach hand to probe ball at (0.1, 0, 0) }
when t = 3.2 { detach hand from probe }
run 4
plot reaction(b), distance(hand, probe), energy
""",
    "detached": """model detached "A tail comes off"
coord x, q
body c in ground at (x, 0, 0) { mass 2, inertia 3 }
body tl in c turn q about z { mass 2, inertia 3, com (1, 0, 0) }
constraint k: q' = x'
start x' = 1
when t = 0.5 { detach tl }
run 1.5
""",
    "brake": """model brake "A block with dry friction hits a stop that lets it go again"
param m = 1 [kg], M = 2 [kg], k = 30 [N/m], mu = 0.2, g = 9.81 [m/s^2]
coord x, y [m]
kinetic m/2*x'^2 + M/2*y'^2 + 0.4 [kg]*x'*y'
potential k/2*(x - y)^2
force x = -mu*m*g*sign(x'), y = 3 [N]*sin(2*t)
start x = -0.5, y = 0.2
when x > 0.1 [m] { lock x }
when y < -0.05 [m] and t > 0.6 { unlock x }
run 4 until y > 5 [m]
""",
    "now": """model now "Due at the start"
coord x, y
kinetic x'^2/2 + y'^2 + x'*y'/2
potential x^2/2 + (y - x)^2
start x' = 1, y' = 2
when x < 1 { lock y }
when y' < 0.1 and x' < 0.1 { unlock y }
run 3
"""}


def check(what, holds):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print(f"FAILED: {what}", flush=True)


def export(model, place, version):
    fmu = str(place/f"{model.stem}{version}.fmu")
    subprocess.run([PFAFF, "export", "--to", "fmu", "--fmi", str(version), "-o", fmu, model], check=True,
                   stdout=subprocess.DEVNULL)
    wrong = validate_fmu(fmu)
    check(f"{fmu} is valid: {wrong}", not wrong)
    return fmu


def run(model, horizon, samples):
    text = subprocess.run([PFAFF, "run", model, "--by", "dop853", "--rtol", "1e-12", "--atol", "1e-13", "--for",
                           str(horizon), "--every", str(horizon/samples), "--out", "-"], check=True, capture_output=True,
                          text=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], np.array([[float(value) for value in row] for row in rows[1:]])


def states_of(description):
    return [unknown.variable.derivative.name for unknown in description.derivatives]


def scale_of(description, name):
    """One of the unit that `run` shows it in, in SI."""
    variable = next(v for v in description.modelVariables if v.name == name)
    factors = [d.factor for u in description.unitDefinitions if u.name == variable.unit for d in u.displayUnits
               if d.name == variable.displayUnit]
    return 1/float(factors[0]) if factors else 1


def compare(model, fmu, kind):
    """The largest difference of states and plotted quantities from those of pfaff run."""
    description = fmpy.read_model_description(fmu)
    horizon, samples = min(float(description.defaultExperiment.stopTime), HORIZON.get(model.stem, 4)), 20
    names, wanted = run(model, horizon, samples)
    wanted = wanted[[np.sum(abs(wanted[:, 0] - t) < 1e-6) == 1 for t in wanted[:, 0]]]  # not before and after an event
    heads = [head.split(" [")[0] for head in names]
    shown = states_of(description) + [v.name for v in description.modelVariables if v.causality == "output" and
                                      v.name in heads and v.name not in states_of(description)]
    result = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=horizon, output_interval=horizon/(10*samples),
                               relative_tolerance=1e-12, output=shown)
    at = [int(np.argmin(abs(result["time"] - t))) for t in wanted[:, 0]]
    good = [i for i, k in enumerate(at) if abs(result["time"][k] - wanted[i, 0]) < 1e-9]
    worst = 0 if len(good) > 3 else np.inf
    for name in shown:
        w = wanted[good, heads.index(name)]*scale_of(description, name)
        worst = max(worst, np.max(abs(result[name][[at[i] for i in good]] - w)/(1 + abs(w))))
    return worst


def simulate(place):
    """Small models in both versions by both kinds; every other example in the one version by the one, in the other by the other."""
    kinds = "ModelExchange", "CoSimulation"
    for name, text in MODELS.items():
        (place/f"{name}.pf").write_text(text)
        for version in 2, 3:
            simulate_one(place/f"{name}.pf", place, version, kinds)
    for k, name in enumerate(EXAMPLES):
        model = next(ROOT.glob(f"examples/*/{name}.pf"))
        for version in 2, 3:
            simulate_one(model, place, version, [kinds[(k + version) % 2]])


def simulate_one(model, place, version, kinds):
    fmu = export(model, place, version)
    for kind in kinds:
        worst = compare(model, fmu, kind)
        check(f"{model.stem} FMI {version} {kind}: off by {worst:.2g}", worst < 1e-8)


def look_at_the_end(place):
    """z = 3 is reached at t = (1 + sqrt(1 + 2 g 7))/g."""
    end = (1 + np.sqrt(1 + 2*9.81*7))/9.81
    for version, kind in (2, "ModelExchange"), (3, "ModelExchange"), (2, "CoSimulation"):
        result = fmpy.simulate_fmu(str(place/f"falls{version}.fmu"), fmi_type=kind, stop_time=6, output_interval=0.1,
                                   relative_tolerance=1e-10, output=["z"])
        check(f"FMI {version} {kind} ends at {result['time'][-1]}", abs(result["time"][-1] - end) < 1e-8)
    result = fmpy.simulate_fmu(str(place/"falls3.fmu"), fmi_type="CoSimulation", stop_time=6, output_interval=0.1,
                               relative_tolerance=1e-10, output=["z"], early_return_allowed=True)
    check(f"FMI 3 CoSimulation returns early, at {result['time'][-1]}", abs(result["time"][-1] - end) < 1e-8)


def instance_of(fmu, folder, kind="ModelExchange"):
    description = fmpy.read_model_description(fmu)
    fmpy.extract(fmu, folder)
    instance = fmpy.instantiate_fmu(folder, description, kind)
    return description, instance


def look_at_derivatives(place):
    """Directional derivatives against differences of the rates, with the state off the start."""
    for name in "sleigh_friction", "wheel_in_shell", "car_trailer":
        description, f = instance_of(str(place/f"{name}3.fmu"), str(place/f"{name}-derivatives"))
        f.enterInitializationMode()
        f.exitInitializationMode()
        f.enterContinuousTimeMode()
        by = {v.name: v.valueReference for v in description.modelVariables}
        states = states_of(description)
        rates = [u.variable.valueReference for u in description.derivatives]
        shown = [by[n] for n in ("kinetic", "potential")]
        count = len(states)
        x = np.zeros(count)
        f.getContinuousStates((fmpy.fmi3.c_double*count).from_buffer(x), count)
        worst = 0
        for i, state in enumerate(states):
            values = []
            for sign in 1, -1:
                y = x.copy()
                y[i] += sign*1e-6
                f.setContinuousStates((fmpy.fmi3.c_double*count).from_buffer(y), count)
                values.append(np.array(f.getFloat64(rates + shown)))
            f.setContinuousStates((fmpy.fmi3.c_double*count).from_buffer(x.copy()), count)
            exact = np.array(f.getDirectionalDerivative(rates + shown, [by[state]], [1.0]))
            worst = max(worst, np.max(abs((values[0] - values[1])/2e-6 - exact)/(1 + abs(exact))))
        check(f"derivatives of {name}: off by {worst:.2g}", worst < 1e-6)
        f.terminate()
        f.freeInstance()


def look_at_starts(place):
    """Another length: the start is moved onto the constraints, and stays there."""
    model = place/"pendulum.pf"
    model.write_text("""model pendulum "A bead on a ring"
param m = 1 [kg], g = 9.81 [m/s^2], L = 1 [m]
coord x, y [m]
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint ring: x^2 + y^2 = L^2
start x = 0.6, y = -0.8
run 3
""")
    for version in 2, 3:
        fmu = export(model, place, version)
        for kind in "ModelExchange", "CoSimulation":
            result = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=3, output_interval=0.05, relative_tolerance=1e-9,
                                       start_values={"L": 2}, output=["x", "y", "energy"])
            off = np.max(abs(result["x"]**2 + result["y"]**2 - 4))
            check(f"FMI {version} {kind}: off the ring by {off:.2g}", off < 1e-7)
            drift = np.ptp(result["energy"])
            check(f"FMI {version} {kind}: energy drifts by {drift:.2g}", drift < 1e-6)


def look_at_saved_states(place):
    """A motion that goes on from a serialized state is the same bit for bit."""
    description, f = instance_of(str(place/"two_stick3.fmu"), str(place/"saved"), "CoSimulation")
    f.enterInitializationMode()
    f.exitInitializationMode()
    references = [v.valueReference for v in description.modelVariables if v.causality == "output"]
    for i in range(150):
        f.doStep(currentCommunicationPoint=i*0.01, communicationStepSize=0.01)
    state = f.getFMUState()
    saved = f.serializeFMUState(state)
    ends = []
    for _ in range(2):
        for i in range(150, 300):
            f.doStep(currentCommunicationPoint=i*0.01, communicationStepSize=0.01)
        ends.append(list(f.getFloat64(references)))
        copy = f.deserializeFMUState(saved)
        f.setFMUState(copy)
        f.freeFMUState(copy)
    check("from a saved state the same motion", ends[0] == ends[1])
    f.freeFMUState(state)
    f.freeInstance()


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        simulate(place)
        look_at_the_end(place)
        look_at_derivatives(place)
        look_at_starts(place)
        look_at_saved_states(place)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
