# SPDX-License-Identifier: Apache-2.0
"""Exported code moves by the steps of `pfaff run`, bit for bit: export_steps.py PFAFF SOURCE [example …]

Of every example the sources of an FMU, which hold its exported C, are compiled with a small program that makes fixed steps by
`<model>_step` and one long communication step of Co-Simulation. `pfaff run` makes the same with the same formulation: rk4 with the same
step, dopri5 with the same tolerance. All numbers of the states must be the same; examples in DIFFERENT say why they are not, and how far
they may be off. (Every digit counts, so this holds for one compiler that does not contract products and sums.)"""
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
STEP, STEPS, TOLERANCE = 1/128, 12, 1e-9  # multiples of the step are exact
CC = "gcc -std=c99 -O0 -ffp-contract=off -w".split()

# Why the bits of an example may differ, and by how much then: largest differences of fixed steps and of Co-Simulation, relative to
# 1 + the size of the number; None: fixed steps are not compared. docs/fmu.md has the same list.
FACTORS = "run finds accelerations by other factors: along chains of sums, by sparse or by orthogonal ones of redundant rows and singular masses"
LENGTHS = "the projection measures rows by the lengths that they have had along the run; exported code has their present ones"
FRICTION = "forces that depend on multipliers are found by another iteration in exported code"
STICKING = "steps of exported code take signs from the state: a fingertip that sticks trembles there; Co-Simulation holds it"
FLAGS = "events that change the structure are flags in exported code, which has the equations of the complete model"
DIFFERENT = {
    **dict.fromkeys("""ball_between_plates ball_in_bowl ball_on_surface tippe_top falling_cat stewart x2 mobile_manipulator omni_arm rover_arm
        free_floating_cm carriage_n carriage_steady castor_trolley segway""".split(), (FACTORS, 1e-14, 2e-13)),
    **dict.fromkeys("hand hand_cascade hand_hold hand_rolling hand_viscous".split(), (FACTORS, 1e-11, 1e-11)),  # condition 1e10
    **dict.fromkeys("bennett bricard".split(), (FACTORS, 1e-7, 1e-8)),  # redundant where the constraints hold only
    **dict.fromkeys("""rattleback wheel_in_shell free_floating free_floating_published snakeboard_park snakeboard_rotate
        tractor_trailers""".split(), (LENGTHS, 1e-14, 1e-13)),
    "sleigh_friction": (FRICTION, 0, 1e-14),
    "hand_sliding": (STICKING, None, 1e-8),
    **dict.fromkeys("capture dual_arm_capture hybrid_arm release spacecraft".split(), (FLAGS, 1e-14, 1e-8)),
}

PROGRAM = r"""
#include "fmu_core.h"
#include <stdio.h>

static void put(const model_state *x)
{
  int i;
  printf("%.17g", x->time);
  for (i = 0; i < MODEL_N; i++) printf(",%.17g", x->q[i]);
  for (i = 0; i < MODEL_N; i++) printf(",%.17g", x->v[i]);
  printf("\n");
}

int main(void)
{
  static model_fmu f;
  model_params p;
  model_state x;
  model_input u;
  int k, status = 0;
  model_init(&p, &x, &u);
  put(&x);
  for (k = 0; k < STEPS && !status; k++) {
    status = (int)model_step(&p, &x, &u, STEP);
    put(&x);
  }
  model_fmu_begin(&f, 1);
  f.d.tolerance = TOLERANCE;
  f.d.step = STEP/8;
  if (model_fmu_start(&f) != MODEL_FMU_OK || model_fmu_advance(&f, STEPS*STEP) != MODEL_FMU_OK) return 1;
  put(&f.d.x);
  return 0;
}
"""


def numbers(line):
    return [float(number) for number in line.split(",")]


def output(command, options):
    return subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout


def off(ours, theirs):
    """0: the same, bit for bit but for the sign of zero."""
    if len(ours) != len(theirs): return float("inf")
    return max(abs(a - b)/(1 + abs(b)) if a == a and b == b else float("inf") for a, b in zip(ours, theirs))


def one(path):
    """The largest differences of fixed steps and of Co-Simulation, or a message."""
    command = [PFAFF, "run", "--form", "multipliers", "--for", str(STEPS*STEP), "-o", "-", path]
    fixed = ["--by", "rk4", "--step", str(STEP)]
    adaptive = ["--by", "dopri5", "--step", str(STEP/8), "--rtol", str(TOLERANCE), "--atol", str(TOLERANCE)]
    with tempfile.TemporaryDirectory() as place:
        try:
            program, variables = compiled(PFAFF, path, pathlib.Path(place), PROGRAM, [*CC, f"-DSTEPS={STEPS}", f"-DSTEP={STEP}", f"-DTOLERANCE={TOLERANCE}"])
            units = {name: v.get("unit") for name, v in variables.items()}
            ours = [numbers(line) for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()]
            heads = next(csv.reader(io.StringIO(output(command, fixed))))[1:len(ours[0])]
            names = [head.split(" [")[0] for head in heads]
            shown = ["--show", ",".join(name + (f" [{units[name]}]" if units.get(name) else "") for name in names)]
            by_steps, by_tolerance = ([numbers(line) for line in output(command, by + shown).splitlines()[1:]] for by in (fixed, adaptive))
        except subprocess.CalledProcessError as error:
            return path.stem, f"{error}: {str(error.stderr)[:500]}"
    if len(by_steps) != len(ours) - 1: return path.stem, f"{len(ours) - 1} samples, {len(by_steps)} of the run"
    return path.stem, (max(map(off, ours, by_steps)), off(ours[-1], by_tolerance[-1]))


def main():
    if not shutil.which(CC[0]):
        print(f"no {CC[0]}: left out")
        return 0
    only = sys.argv[3:]
    paths = sorted(path for path in ROOT.glob("examples/**/*.pf") if not only or path.stem in only)
    equal, failed = 0, 0
    with multiprocessing.Pool(min(2, os.cpu_count() or 1)) as pool:
        for name, result in pool.imap(one, paths, chunksize=1):
            reason, *allowed = DIFFERENT.get(name, ("", 0, 0))
            good = isinstance(result, tuple) and all(most is None or found <= most for found, most in zip(result, allowed))
            equal += result == (0, 0)
            failed += not good
            if not good: print(f"FAILED: {name}: {result}")
            elif result != (0, 0): print(f"{name}: off by {result[0]:.1e} with fixed steps, {result[1]:.1e} in Co-Simulation: {reason}")
    print(f"{equal} of {len(paths)} bit for bit; {len(paths) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__": sys.exit(main())
