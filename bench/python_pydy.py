# SPDX-License-Identifier: Apache-2.0
"""From a mechanical system to a table of its motion: by Pfaff from text, by SymPy and PyDy through C.

    python_pydy.py BUILD      writes BUILD/bench/results/python-pydy.json

SymPy derives (Kane's method), PyDy writes C, has it compiled and integrates with SciPy's odeint, as its System does;
SymPy's cache is emptied before. Ours reads, derives and integrates; native code is off, which would be found compiled
by an earlier run. The least of as many repetitions each. Both get the same tolerances and sample times. First the
accelerations are compared at states of the motion, then the motions with one at a much smaller tolerance. Seconds of
the processor, those of the compiler included; importing is not counted.
"""
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import sympy as sp
from pydy.system import System
from sympy.core.cache import clear_cache
from sympy.physics import mechanics as me

import pfaff
import pydy
import python_models as models
from tape_peers import resource_of_children

EXAMPLES = Path(__file__).resolve().parent.parent/"examples"
TOLERANCE, SAMPLES, REPETITIONS = 1e-8, 1000, 3
CASES = {  # the system for SymPy, our text, seconds, what is given of the start
    "snakeboard": (models.snakeboard, lambda: (EXAMPLES/"skates/snakeboard.pf").read_text(), 10, {}),
    "pendulum, 5 links": (lambda: models.pendulum(5), lambda: models.pendulum_text(5), 10, {}),
    "pendulum, 10 links": (lambda: models.pendulum(10), lambda: models.pendulum_text(10), 10, {}),
    "bicycle": (models.bicycle, lambda: (EXAMPLES/"wheels/bicycle.pf").read_text(), 5, {"phi'": 0.5}),
}


def processor():
    """Of this process, and of those that it has started and seen the end of."""
    return np.array([time.process_time(), resource_of_children()])


# ---------------------------------------------------------------- ours


def run_ours(text, seconds, state, by="dopri5", tolerance=TOLERANCE):
    begin = processor()
    model = pfaff.Model(text)
    ready = processor()
    run = model.run(seconds, by=by, state=state, rtol=tolerance, atol=tolerance, every=seconds/SAMPLES, native="off")
    return {"model": model, "run": run, "times": {"read": sum(ready - begin), "run": sum(processor() - ready)}}


def fastest(found):
    return min(found, key=lambda one: sum(one["times"].values()))


# ---------------------------------------------------------------- SymPy and PyDy


class Meaning:
    """What the peer's coordinates and speeds are in our numbers."""

    def __init__(self, case, model):
        t = me.dynamicsymbols._t
        q = list(case.coordinates)
        v, a = [c.diff(t) for c in q], [c.diff(t, 2) for c in q]
        plain = [sp.Symbol(f"{kind}{i}") for kind in "avq" for i in range(len(q))]
        known = list(zip(a + v + q, plain))
        speeds = [sp.sympify(one) for one in case.speeds.values()]
        numbers = {symbol: constant(model, name) for symbol, name in case.constants.items()}

        def compile(formulas):
            return sp.lambdify(plain, [f.subs(numbers).subs(known) for f in formulas])

        self.speeds, self.rates = compile(speeds), compile([one.diff(t) for one in speeds])
        self.names = [name for name, _ in case.coordinates.values()]
        self.places = [model.coordinates.index(name) for name in self.names]
        self.shifts = np.array([float(shift) for _, shift in case.coordinates.values()])
        self.order = q + list(case.speeds)

    def state(self, q, v, a):
        """(coordinates, speeds) and their rates, in the order of `order`."""
        q, v, a = q[self.places] - self.shifts, v[self.places], a[self.places]
        numbers = [*a, *v, *q]
        return np.array([*q, *self.speeds(*numbers)]), np.array([*v, *self.rates(*numbers)])


def constant(model, name):
    """In SI; the model's declared units are SI here but for constants that are formulas, as pi/10."""
    entry = next(entry for entry in model.info["parameters"] if entry["name"] == name)
    if entry["value"] is not None:
        return entry["value"]
    return model.evaluate(name, np.zeros(len(model.coordinates))).item()


def states_of(model, run, count):
    rows = np.linspace(0, len(run.t) - 1, count).astype(int)
    q, v = (np.stack([run[f"{name}{mark}"][rows] for name in model.coordinates], axis=-1) for mark in ("", "'"))
    return q, v, model.accelerations(q, v)


def largest_difference(system, meaning, model, run):
    """Of q' and u' over states of the motion, relative to the largest of them."""
    order = [meaning.order.index(symbol) for symbol in system.states]
    worst = []
    for q, v, a in zip(*states_of(model, run, 11)):
        state, wanted = (numbers[order] for numbers in meaning.state(q, v, a))
        found = system.evaluate_ode_function(state, 0.0, system.constants)
        worst.append(np.abs(found - wanted).max()/max(1, np.abs(wanted).max()))
    return float(np.max(worst))  # NaN if there is one


def measure_pydy(derive, model, run, seconds):
    clear_cache()
    marks = [processor()]
    case = derive()
    marks.append(processor())
    meaning = Meaning(case, model)
    state, _ = meaning.state(*(numbers[0] for numbers in states_of(model, run, 1)))
    constants = {symbol: constant(model, name) for symbol, name in case.constants.items()}
    with tempfile.TemporaryDirectory() as folder:
        marks.append(processor())
        system = System(case.kane, constants=constants, initial_conditions=dict(zip(meaning.order, state)),
                        times=np.linspace(0, seconds, SAMPLES + 1))
        system.generate_ode_function(generator="cython", tmp_dir=folder)
        marks.append(processor())
        motion = system.integrate(rtol=TOLERANCE, atol=TOLERANCE)
        marks.append(processor())
        difference = largest_difference(system, meaning, model, run)
    derived, _, generated, integrated = np.diff(marks, axis=0)
    columns = {name: motion[:, list(system.states).index(symbol)] + float(shift)
               for symbol, (name, shift) in case.coordinates.items()}
    times = {"derive": sum(derived), "generate": generated[0], "compile": generated[1], "integrate": sum(integrated)}
    return {"columns": columns, "times": times, "difference": difference}


# ---------------------------------------------------------------- all


def error_of(columns, exact):
    return float(np.max([np.abs(numbers - exact[name]).max() for name, numbers in columns.items()]))


def measure(derive, text, seconds, state):
    text = text()
    ours = fastest([run_ours(text, seconds, state) for _ in range(REPETITIONS)])
    peer = fastest([measure_pydy(derive, ours["model"], ours["run"], seconds) for _ in range(REPETITIONS)])
    exact = run_ours(text, seconds, state, "dop853", 1e-13)["run"]
    columns = {name: ours["run"][name] for name in peer["columns"]}
    return {"seconds": seconds, "difference": peer["difference"],
            "ours": tell(ours["times"], columns, exact), "PyDy": tell(peer["times"], peer["columns"], exact)}


def tell(times, columns, exact):
    return {**times, "whole": sum(times.values()), "error": error_of(columns, exact)}


def main():
    found = {"versions": {"SymPy": sp.__version__, "PyDy": pydy.__version__}, "tolerance": TOLERANCE, "cases": {}}
    for name, case in CASES.items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        print(f"bench: Python, {name} by SymPy and PyDy", file=sys.stderr)
        found["cases"][name] = measure(*case)
    Path(sys.argv[1], "bench/results/python-pydy.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
