# SPDX-License-Identifier: Apache-2.0
"""What the Python package costs beside C, and SciPy's solve_ivp on the same right-hand side.

    python.py BUILD      writes BUILD/bench/results/python-calls.json and python-scipy.json

Imports are of fresh processes, by the clock and by the processor, the best of several. The C calls are those of
bench_python: one after the other with the calls from Python, in rounds, so that a busy machine harms both alike.
Seconds of the processor, such that a quarter of many batches are shorter, as bench_python has it, and the median of the
rounds.
"""
import json
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import pfaff
from commands import write_arm
from tape_peers import time_of_call

EXAMPLES = Path(__file__).resolve().parent.parent/"examples"
IMPORTS, ROUNDS, SECONDS_EACH = 12, 5, 0.7
TRIVIAL = "model mass_on_a_rail\ncoord x [m]\nkinetic 0.5 [kg]*x'^2\nstart x' = 1\n"
STEP = 1e-3
RUNS = (("snakeboard", 0.1), ("snakeboard", 1), ("snakeboard", 10), ("bicycle", 0.1), ("bicycle", 1), ("bicycle", 5))
STARTS = {"skates/snakeboard.pf": "", "wheels/bicycle.pf": "start phi' = 0.5\n"}
MOTIONS = (("snakeboard", 10), ("bicycle", 5))
OURS = ("dop853", "dopri5", "cvode_bdf")
TOLERANCE, SAMPLES = 1e-8, 100

# ---------------------------------------------------------------- importing

IMPORT = """
import time
clock, processor = time.perf_counter(), time.process_time()
{}
print(time.perf_counter() - clock, time.process_time() - processor)
"""
PACKAGES = {"pfaff": "import pfaff", "pfaff and NumPy": "import pfaff, numpy", "numpy": "import numpy",
            "scipy.integrate": "import scipy.integrate", "sympy": "import sympy", "mujoco": "import mujoco"}


def import_once(statement):
    done = subprocess.run([sys.executable, "-c", IMPORT.format(statement)], capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()] if done.returncode == 0 else None


def measure_imports():
    """In turn; the first of each, which may write compiled modules, is not counted."""
    found = {}
    for name, statement in PACKAGES.items():
        if import_once(statement) is None:
            print(f"bench: no {name}, going on without", file=sys.stderr)
            continue
        found[name] = []
    for _ in range(IMPORTS):
        for name in found:
            found[name].append(import_once(PACKAGES[name]))
    return {name: {"clock": min(one[0] for one in times), "processor": min(one[1] for one in times)}
            for name, times in found.items()}


# ---------------------------------------------------------------- beside C


def call_c(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"bench: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def in_rounds(*measures):
    """The median of each over several rounds, all in turn."""
    return [statistics.median(times) for times in zip(*([measure() for measure in measures] for _ in range(ROUNDS)))]


def quartile_of_call(call):
    """Of batches of 0.1 ms or one call; so long as bench_python."""
    begin = time.process_time()
    call()
    size = max(1, int(1e-4/max(time.process_time() - begin, 1e-7)))
    times, begin = [], time.process_time()
    while len(times) < 9 or time.process_time() - begin < SECONDS_EACH:
        start = time.process_time()
        for _ in range(size):
            call()
        times.append((time.process_time() - start)/size)
    return sorted(times)[len(times)//4]


def measure_step(program, path):
    sim = pfaff.load(path).simulate(by="rk4", step=STEP)
    step = sim.step
    python, c = in_rounds(lambda: quartile_of_call(lambda: step(STEP)),
                          lambda: call_c(program, "step", path, STEP, "rk4")["seconds"])
    call = quartile_of_call(lambda: None)
    return {"python": python - call, "c": c, "overhead": python - call - c}


def measure_run(program, path, seconds):
    """m.run, the same command from C, and a program that reads the same quantities at the same steps by pfaff/sim.h."""
    model = pfaff.load(path)
    given = {"by": "dopri5", "rtol": TOLERANCE, "atol": TOLERANCE, "native": "off"}
    run = model.run(seconds, **given)
    options = [f"--{key}={value}" for key, value in {"for": seconds, **given}.items()]
    words = ["run", "--json", "--no-rows", *options, "-"]
    own = [seconds, "dopri5", TOLERANCE, TOLERANCE, *run.columns[1:]]
    python, command, c = in_rounds(lambda: quartile_of_call(lambda: model.run(seconds, **given)),
                                  lambda: check_rows(call_c(program, "command", path, *words), run),
                                  lambda: check_rows(call_c(program, "run", path, *own), run))
    return {"model": path.stem, "seconds": seconds, "rows": len(run.t), "python": python, "command": command, "c": c}


def measure_short(path):
    """A run of one millisecond, and the same motion by a simulation that is there."""
    model = pfaff.load(path)
    sim = model.simulate()
    run, again = in_rounds(lambda: quartile_of_call(lambda: model.run(STEP)),
                           lambda: quartile_of_call(lambda: sim.start().advance(STEP)))
    return {"model": path.stem, "run": run, "open": again}


def check_rows(found, run):
    if found["rows"] != len(run.t):
        sys.exit(f"bench: C has {found['rows']} rows, Python {len(run.t)}")
    return found["seconds"]


def write_models(build):
    """The examples with a start at which they move."""
    folder = build/"bench/models"
    folder.mkdir(parents=True, exist_ok=True)
    write_arm(build/"pfaff", folder/"arm7.pf")
    (folder/"rail.pf").write_text(TRIVIAL)
    for example, start in STARTS.items():
        (folder/Path(example).name).write_text((EXAMPLES/example).read_text() + start)
    return folder


def measure_calls(program, folder):
    found = {"import": measure_imports(), "step": {}, "run": []}
    for name, file in (("mass on a rail", "rail.pf"), ("arm of seven joints", "arm7.pf")):
        say(f"steps of the {name}")
        found["step"][name] = measure_step(program, folder/file)
    for name, seconds in RUNS:
        say(f"{seconds} s of the {name}")
        found["run"].append(measure_run(program, folder/f"{name}.pf", seconds))
    found["short"] = [measure_short(folder/f"{name}.pf") for name, _ in MOTIONS]
    return found


# ---------------------------------------------------------------- SciPy


def error_of(motion, exact):
    return float(np.abs(motion - exact).max())


def by_scipy(model, start, seconds, times, method):
    solution = solve_ivp(model.rhs, (0, seconds), start, method=method, rtol=TOLERANCE, atol=TOLERANCE, t_eval=times)
    return solution.y.T[:, :len(model.coordinates)], solution.nfev


def by_pfaff(model, seconds, method, tolerance=TOLERANCE):
    run = model.run(seconds, by=method, rtol=tolerance, atol=tolerance, every=seconds/SAMPLES, show=model.coordinates,
                    native="off")
    return run.data[:, 1:], run.raw["evaluations"]


def by_simulation(sim, seconds):
    """Of what is read and derived already, as the right-hand side of the others is."""
    sim.start()
    return sim.record(seconds, seconds/SAMPLES)[:, 1:], sim.result["evaluations"]


def measure_scipy(path, seconds):
    """All have the same tolerances; how far they are from the motion at a much smaller one is told beside the time."""
    model = pfaff.load(path)
    sim = model.simulate()
    start, times = np.concatenate([sim.q, sim.v]), np.linspace(0, seconds, SAMPLES + 1)
    exact, _ = by_pfaff(model, seconds, "dop853", 1e-13)
    calls = {f"solve_ivp, {method}": lambda method=method: by_scipy(model, start, seconds, times, method)
             for method in ("DOP853", "Radau")}
    sim.method("dop853", rtol=TOLERANCE, atol=TOLERANCE)
    calls["sim.record, dop853"] = lambda: by_simulation(sim, seconds)
    calls.update({f"m.run, {method}": lambda method=method: by_pfaff(model, seconds, method) for method in OURS})
    found = {}
    for name, call in calls.items():
        motion, evaluations = call()
        found[name] = {"seconds": time_of_call(call), "error": error_of(motion, exact), "evaluations": int(evaluations)}
    one = time_of_call(lambda: model.rhs(0.0, start))
    return {"seconds": seconds, "rhs": one, "ways": found}


# ---------------------------------------------------------------- all


def say(what):
    print(f"bench: Python, {what}", file=sys.stderr)


def main():
    build = Path(sys.argv[1])
    folder, results = write_models(build), build/"bench/results"
    found = measure_calls(build/"bench/bench_python", folder)
    (results/"python-calls.json").write_text(json.dumps(found, indent=1) + "\n")
    warnings.filterwarnings("ignore", module="scipy")  # Radau looks for derivatives where nothing changes
    motions = {}
    for name, seconds in MOTIONS:
        say(f"SciPy on the {name}")
        motions[name] = measure_scipy(folder/f"{name}.pf", seconds)
    (results/"python-scipy.json").write_text(json.dumps({"tolerance": TOLERANCE, "motions": motions}, indent=1) + "\n")


if __name__ == "__main__":
    main()
