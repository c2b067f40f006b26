#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models exported to C, Python and, where FMPy is installed, FMUs: what is made compiles without a warning, and its numbers
are those of the program: by the self-tests, and the derivatives of an FMU's states at the start.

export.py PFAFF [--count 20] [--seed 1] [--jobs 2] [--targets c,float,python,fmu]     models seed, seed + 1, …

The program's own formulations differ where a model is ill-conditioned; so a difference counts against 1e-13 or against
how far these are from each other."""
import argparse, json, multiprocessing, os, re, shutil, subprocess, sys, tempfile

try:
    import mpmath
except ImportError:
    print("mpmath (python3-mpmath) is not installed: the trial is left out")
    sys.exit(0)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import UNITS, Maker, Reject, unit_factor
from mechanics import DIGITS
from motion import GiveUp

DRAWS = 50
WARNINGS = "-std=c99 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -pedantic -Werror".split()
CLOSE, CLOSE_FLOAT = 1e-13, 1e-5
TARGETS = ("c", "float", "many", "python", "fmu")
MANY = r"""
#include "trial_fast.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
  trial_params p;
  trial_state x;
  trial_input u;
  static trial_states states;
  static trial_inputs inputs;
  static trial_prepared prepared;
  static double a[TRIAL_N][TRIAL_LANES], lambda[TRIAL_M + 1][TRIAL_LANES], one[TRIAL_N], by[TRIAL_M + 1];
  double worst = 0, size = 1;
  int i, k;
  trial_init(&p, &x, &u);
  trial_prepare(&p, &prepared);
  for (k = 0; k < TRIAL_LANES; k++) {
    states.time[k] = x.time;
    for (i = 0; i < TRIAL_N; i++) states.q[i][k] = x.q[i], states.v[i][k] = x.v[i];
    for (i = 0; i < (int)(sizeof u/sizeof(double)); i++) ((double *)&inputs)[i*TRIAL_LANES + k] = ((double *)&u)[i];
  }
  trial_accelerate_many(&prepared, &states, &inputs, a, lambda);
  if (trial_accelerate(&p, &x, &u, one, by) != TRIAL_OK) return 1;
  for (i = 0; i < TRIAL_N; i++) size = fmax(size, fabs(one[i]));
  for (i = 0; i < TRIAL_N; i++)
    for (k = 0; k < TRIAL_LANES; k++) worst = fmax(worst, fabs(one[i] - a[i][k])/size);
  printf("agree with pfaff to %.2g\n", worst);
  return 0;
}
"""

try:
    import numpy
except ImportError:
    numpy = None
try:
    import fmpy, fmpy.fmi3
except ImportError:
    fmpy = None


def draw(seed):
    for k in range(DRAWS):
        maker = Maker(seed*DRAWS + k)
        try:
            maker.make()
            return maker
        except (Reject, GiveUp, OverflowError, ZeroDivisionError, ValueError):
            continue
    return None


def call(*command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=cwd)


def difference(text):
    found = re.search(r"agree with pfaff to (\S+)", text)
    return float(found[1]) if found else None


def fmu_derivatives(path):
    """{name: value} of the derivatives that an importer is given at the start."""
    folder = fmpy.extract(path)
    try:
        description = fmpy.read_model_description(folder)
        unit = fmpy.fmi3.FMU3Model(guid=description.guid, unzipDirectory=folder, instanceName="trial",
                                   modelIdentifier=description.modelExchange.modelIdentifier)
        unit.instantiate()
        unit.enterInitializationMode()
        unit.exitInitializationMode()
        listed = [derivative.variable for derivative in description.derivatives]
        values = unit.getFloat64([variable.valueReference for variable in listed])
        unit.terminate()
        unit.freeInstance()
        return {variable.name: value for variable, value in zip(listed, values)}
    finally:
        shutil.rmtree(folder)


def fmu(program, place, path):
    """The largest difference of an acceleration, which FMUs give in SI units, from that of `pfaff eval`, or words of a failure."""
    done = call(program, "export", "--to", "fmu", "-o", os.path.join(place, "trial.fmu"), path)
    if done.returncode: return f"fmu: {done.stderr.strip()}"
    found = fmu_derivatives(os.path.join(place, "trial.fmu"))
    state = json.loads(call(program, "eval", "--json", path).stdout)
    pairs = [(found[name + "''"], a*(float(unit_factor(unit)) if unit in UNITS else 1))
             for name, unit, a in zip(state["coordinates"], state["units"], state["acceleration"])]
    scale = max([1, *(abs(a) for _, a in pairs)])
    return max([0, *(abs(x - a)/scale for x, a in pairs)])


def many(folder):
    """How far several states at once are from one, at the start; no difference where the code is not straight-line. After "c"."""
    if not os.path.exists(os.path.join(folder, "trial_fast.c")): return None
    with open(os.path.join(folder, "many.c"), "w") as stream: stream.write(MANY)
    made = call(os.environ.get("CC", "cc"), *WARNINGS, "-O1", "many.c", "trial.c", "trial_fast.c", "-lm", "-o", "many", cwd=folder)
    if made.returncode: return f"many: {made.stderr.strip()}"
    done = call("./many", cwd=folder)
    return difference(done.stdout) if done.returncode == 0 else f"many: {(done.stdout + done.stderr).strip()[-600:]}"


def export(program, place, path, target):
    """The difference, or words of a failure."""
    if target == "fmu": return fmu(program, place, path)
    if target == "many": return many(os.path.join(place, "c"))
    folder = os.path.join(place, target)
    options = ["--to", "c"] + ["--float"]*(target == "float") if target != "python" else ["--to", "python"]
    done = call(program, "export", *options, "-o", folder, path)
    if done.returncode: return f"export: {done.stderr.strip()}"
    if target == "python":
        done = call(sys.executable, "trial.py", cwd=folder)
    else:
        made = call(os.environ.get("CC", "cc"), *WARNINGS, "-O0", "trial.c", "trial_test.c", "-lm", "-o", "test", cwd=folder)
        if made.returncode: return f"{target}: {made.stderr.strip()}"
        done = call("./test", cwd=folder)
    found = difference(done.stdout)
    return found if found is not None else f"{target}: {(done.stdout + done.stderr).strip()[-600:]}"


def spread(program, path):
    """How far the program's own formulations are from each other."""
    done = call(program, "compare", "--json", path)
    if done.returncode: return 0
    rows = [row for row in json.loads(done.stdout)["rows"] if row["applicable"]]
    return max([0, *(row.get("difference") or 0 for row in rows)])


def try_model(job):
    """(seed, words of a failure or None, {target: difference})"""
    program, seed, targets = job
    mpmath.mp.dps = DIGITS
    maker = draw(seed)
    if maker is None: return seed, None, {}
    place = tempfile.mkdtemp()
    try:
        path = os.path.join(place, "model.pf")
        with open(path, "w") as stream: stream.write(maker.text())
        if call(program, "eval", path).returncode: return seed, None, {}
        found = {}
        for target in targets:
            result = export(program, place, path, target)
            if result is None: continue
            if isinstance(result, str): return seed, result + "\n" + maker.text(), found
            found[target] = result
            allowed = CLOSE_FLOAT if target == "float" else CLOSE
            if result > allowed and target != "float" and result > 10*spread(program, path):
                return seed, f"{target}: differs by {result:.1e}, formulations by {spread(program, path):.1e}\n" + maker.text(), found
        return seed, None, found
    finally:
        shutil.rmtree(place)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--targets", default=",".join(TARGETS))
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    passed = failed = empty = 0
    missing = ["python"]*(numpy is None) + ["fmu"]*(fmpy is None)
    targets = [target for target in arguments.targets.split(",") if target in TARGETS and target not in missing]
    worst = {target: [] for target in targets}
    with multiprocessing.Pool(arguments.jobs) as pool:
        jobs = ((program, seed, targets) for seed in range(arguments.seed, arguments.seed + arguments.count))
        for seed, words, found in pool.imap(try_model, jobs, chunksize=1):
            for target, result in found.items(): worst[target].append((result, seed))
            if words: print(f"FAIL seed {seed}: {words}", flush=True)
            failed += bool(words)
            empty += not words and not found
            passed += not words and bool(found)
    for target, list in worst.items():
        if not list: continue
        limit = CLOSE_FLOAT if target == "float" else CLOSE
        print(f"{target}: {sum(r <= limit for r, _ in list)} of {len(list)} within {limit:.0e}, largest " +
              ", ".join(f"{r:.1e} (seed {s})" for r, s in sorted(list)[-3:]))
    if empty: print(f"{empty} seeds gave no sound model")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__": main()
