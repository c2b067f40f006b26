# SPDX-License-Identifier: Apache-2.0
"""An FMU starts where `pfaff run` starts: export_starts.py PFAFF SOURCE [-v] [model …]

The sources of an FMU are compiled with a small program that sets parameters, coordinates and velocities by their value references and
prints the consistent start. `pfaff run` has the same by -p and -s. Of MODELS below, where given numbers contradict each other or leave a
choice, and of examples with every parameter and every coordinate changed in turn. The search is the same code in both, so the states
differ by rounding of the formulas only."""
import csv
import io
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from fmu_program import compiled

PFAFF, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
CC = "gcc -std=c99 -O1 -ffp-contract=off -w".split()
NEAR = 1e-9  # relative to 1 + the size of a number: a start is found to rounding, times the condition of the constraints

CRANE = """coord s, x, y [m]
param l = 2 [m]
gravity (0, -9.81, 0)
body trolley in ground at (s, 0, 0) { mass 10 }
body load in ground at (x, y, 0) { mass 5 }
constraint rope: (x - s)^2 + y^2 = l^2
"""

# Texts of models, and the values of each case.
MODELS = {
    # both coordinates of the load are given and contradict a rope of another length: the trolley, which is open, moves
    "crane": (CRANE + """start x = 0.5, y = -1.9
run 1
""", ["", "l=2.5", "l=1.8", "l=2.5 s=0.2", "x=0.3 y=-1", "l=1 y=-0.2 s=0", "x'=1", "x'=1 s'=0.5 y'=0.1"]),
    # everything is given: a compromise by the masses; with '!' the load alone
    "crane_given": (CRANE + """start s = 0.1, x = 0.5, y = -1.9, s' = 0.2, x' = 0.1, y' = 0.3
run 1
""", ["", "l=2.5", "l=1.7", "s=0.3", "l=2.5 x=0.6", "y=-2.5 x'=2"]),
    "crane_marked": (CRANE + """start s = 0.1!, x = 0.5, y = -1.9
run 1
""", ["", "l=2.5", "l=2.5 x=1", "s=0.4"]),
    # nonholonomic rows must not restrain coordinates; a coordinate on a circle whose gradient vanishes at the start
    "circle": ("""coord x, y, z [m], phi [rad]
param r = 1 [m]
kinetic 0.5 [kg]*(x'^2 + y'^2 + 3*z'^2) + 0.5 [kg m^2]*phi'^2 + 0.3 [kg]*x'*z'
constraint ring: x^2 + y^2 = r^2
constraint blade: z'*cos(phi) = x'*sin(phi)
start x = 0.6, z = 0.2, phi = 0.4, phi' = 1, z' = 0.3
run 1
""", ["", "r=2", "x=0", "x=1", "r=0.5", "phi=1 x'=0.2", "y=-0.3", "z'=1 x'=1"]),
    # angular velocities and quaternions of any length
    "ball": ("""param h = 0.3 [m]
gravity (0, 0, -9.81)
body hub in ground free { mass 2, inertia diag(0.1, 0.2, 0.3) }
point tip in hub at (0, 0, -h)
constraint foot: dot(pos(tip), (0, 0, 1)) = 0
start hub.w = (0.1, 0.2, 3), hub.q = (0.9, 0.1, 0.2, 0.1)
run 1
""", ["", "h=0.5", "hub.qw=2", "hub.qx=0.3 h=0.4", "hub.pz=0.1", "hub.px'=1 hub.pz'=2"]),
    # speeds: a velocity that the constraint forbids is in the way of one of them
    "sleigh": ("""coord x, y [m], theta [rad]
param c = 0.1
speed v = x'*cos(theta) + y'*sin(theta), w = theta'
kinetic 3 [kg]*(x'^2 + y'^2) + 0.008 [kg m^2]*theta'^2
constraint blade: y'*cos(theta) = x'*sin(theta) + c*x'
start v = 2, w = 0.5, theta = 0.3
run 1
""", ["", "c=0.4", "theta=1", "x'=1", "theta'=2 c=0.2"]),
    # rates by speeds, more speeds than the constraints leave
    "rates": ("""coord x, y [m], theta [rad]
param c = 0.1
speed nu1 [m/s], nu2 [rad/s]
kinetic 3 [kg]*(x'^2 + y'^2) + 0.008 [kg m^2]*theta'^2
constraint blade: y'*cos(theta) = x'*sin(theta) + c*x'
rate x' = nu1*cos(theta), y' = nu1*(sin(theta) + c), theta' = nu2
start nu1 = 2, theta = 0.3
run 1
""", ["", "c=0.4", "theta=1", "x'=1", "theta'=2 c=0.2"]),
}
EXAMPLES = """four_bar slider_crank bicycle snakeboard_bodies piano_wheel rattleback capture chaplygin_sphere rover_arm bennett
    differential_drive rolling_ball""".split()

PROGRAM = r"""
#include "fmu_core.h"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
  static model_fmu f;
  int i;
  model_fmu_begin(&f, 1);
  f.d.mode = MODEL_FMU_INITIALIZING;
  for (i = 1; i + 1 < count; i += 2)
    if (model_fmu_set(&f, (unsigned)atoi(words[i]), atof(words[i + 1])) != MODEL_FMU_OK) return 2;
  if (model_fmu_start(&f) != MODEL_FMU_OK) {
    fprintf(stderr, "%s\n", f.message);
    return 1;
  }
  for (i = 0; i < MODEL_N; i++) printf("%.17g,", f.d.x.q[i]);
  for (i = 0; i < MODEL_N; i++) printf("%.17g%s", f.d.x.v[i], i + 1 < MODEL_N ? "," : "\n");
  return 0;
}
"""


def cases_of(variables, states):
    """Each parameter and each coordinate changed in turn, at most five of a kind."""
    changed = [v for name, v in variables.items() if v.get("causality") == "parameter"][:5]
    yield {}
    for v in changed: yield {v.get("name"): float(v.get("start"))*1.05}
    for name in [state for state in states if not state.endswith("'")][:5]: yield {name: float(variables[name].get("start")) + 0.1}


def start_of_run(path, values, parameters, columns):
    options = [word for name, value in values.items() for word in ("-p" if name in parameters else "-s", f"{name}={value}")]
    done = subprocess.run([PFAFF, "run", "--form", "multipliers", "--for", "1e-9", "--at", "0", "--show", columns, "-o", "-", *options, path],
                          capture_output=True, text=True)
    rows = list(csv.reader(io.StringIO(done.stdout)))
    return [float(number) for number in rows[1][1:]] if len(rows) > 1 else None, done.stderr


def one(task):
    """The number of cases in which both start, and messages."""
    name, path, texts, verbose = task
    good, found = 0, []
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        if not path:
            path = place/f"{name}.pf"
            path.write_text(MODELS[name][0])
        try:
            program, variables = compiled(PFAFF, path, place, PROGRAM, CC, library=path.stem == "crane")
        except (subprocess.CalledProcessError, RuntimeError) as error:
            return name, 0, [f"{error}: {str(getattr(error, 'stderr', ''))[:500]}"]
        by_reference = {v.get("valueReference"): key for key, v in variables.items()}
        rates = [key for key, v in variables.items() if v.get("derivative") and key.endswith("'") and not key.endswith("''")]
        states = [by_reference[variables[key].get("derivative")] for key in rates] + rates
        parameters = {key for key, v in variables.items() if v.get("causality") == "parameter"}
        columns = ",".join(key + (f" [{variables[key].get('unit')}]" if variables[key].get("unit") else "") for key in states)
        units = {key: variables[key].get("unit") or "" for key in variables}
        cases = [dict((k, float(v)) for k, v in (word.split("=") for word in text.split())) for text in texts] if texts else \
            list(cases_of(variables, states))
        for values in cases:
            words = [word for key, value in values.items() for word in (variables[key].get("valueReference"), repr(value))]
            ours = subprocess.run([program, *words], capture_output=True, text=True)
            here = [float(number) for number in ours.stdout.split(",")] if ours.returncode == 0 else None
            with_units = {key: f"{value!r} [{units[key]}]" if units[key] else repr(value) for key, value in values.items()}
            there, said = start_of_run(path, with_units, parameters, columns)
            if here is None or there is None:
                if (here is None) != (there is None): found.append(f"{values}: FMU {here or ours.stderr}, run {there or said[:300]}")
                continue
            off = max(abs(a - b)/(1 + abs(b)) for a, b in zip(here, there))
            good += off <= NEAR
            if not off <= NEAR: found.append(f"{values}: off by {off:.2e}: " + ", ".join(
                f"{key} {a:.6g} {b:.6g}" for key, a, b in zip(states, here, there) if not abs(a - b) <= NEAR*(1 + abs(b))))
            if verbose: print(name, values, f"off by {off:.1e}", dict(zip(states, there)) if len(states) < 8 else "")
    return name, good, found


def main():
    if not shutil.which(CC[0]):
        print(f"no {CC[0]}: left out")
        return 0
    verbose, only = "-v" in sys.argv, [word for word in sys.argv[3:] if word != "-v"]
    paths = {path.stem: path for path in sorted(ROOT.glob("examples/**/*.pf"))}
    every = "all" in only
    names = [name for name in paths if (name in only or every) or (not only and name in EXAMPLES)]
    tasks = [(name, None, MODELS[name][1], verbose) for name in MODELS if not only or name in only]
    tasks += [(name, paths[name], None, verbose) for name in names]
    total, failed = 0, 0
    with multiprocessing.Pool(min(2, os.cpu_count() or 1)) as pool:
        for name, good, found in pool.imap(one, tasks, chunksize=1):
            if not good: found.append("no case starts")
            total += good
            failed += len(found)
            for text in found: print(f"FAILED: {name}: {text}")
    print(f"{total} starts of FMUs are those of runs, {failed} are not")
    return failed > 0 or not total


if __name__ == "__main__": sys.exit(main())
