# SPDX-License-Identifier: Apache-2.0
"""Exported C for processors with vectors: export_fast.py PFAFF SOURCE

At random states and with other parameters than the model's, robot_fast.c gives the accelerations of robot.c, and eight
states at once the bits of one. Compiled without a warning."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
WARNINGS = "-std=c99 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -pedantic -Werror".split()
MODELS = {"snakeboard": "elimination", "tree": "recursive"}
TREE = """
param L = 0.7, m = 1.5, tilt = 0.3
gravity (0, 1, -9.81)
coord a, b, c, s
body base in ground at (1, 0, 0) free { mass 3, com (0.1, 0, 0), inertia diag(1, 2, 2.5) }
body left in base at (0, L, 0) turn tilt about x turn a about y { mass m, com (0, 0, 0.2), inertia diag(0.1, 0.2, 0.1) }
body hand in left at (0, 0, L) turn b about z { mass 0.3*m, com (0.1, 0, 0), inertia 0.05 }
body right in base at (0, -L, 0) turn c about (1, 1, 0) shift s along z { mass m, inertia diag(0.1, 0.1, 0.2) }
input u, w
force a = u, s = w - 3*s
spring c { stiffness 2, damping 0.1 }
"""
TEST = r"""
#include "NAME_fast.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double draw(void) { return 2.0*rand()/RAND_MAX - 1; }

int main(void)
{
  NAME_params p;
  NAME_state x[UPPER_LANES];
  NAME_input u[UPPER_LANES];
  NAME_states states;
  NAME_inputs inputs;
  NAME_prepared prepared;
  static double a[UPPER_N][UPPER_LANES], lambda[UPPER_M + 1][UPPER_LANES];
  double worst = 0, *number = (double *)&p;
  int i, k, round, other = 0;
  NAME_init(&p, x, u);
  for (i = 0; i < (int)(sizeof p/sizeof(double)); i++) number[i] *= 1.3;
  NAME_prepare(&p, &prepared);
  for (round = 0; round < 20; round++) {
    for (k = 0; k < UPPER_LANES; k++) {
      double *from = (double *)&u[k];
      NAME_init(&p, &x[k], &u[k]);
      for (i = 0; i < (int)(sizeof p/sizeof(double)); i++) number[i] *= 1.3;
      states.time[k] = x[k].time = draw();
      for (i = 0; i < UPPER_N; i++) {
        states.q[i][k] = x[k].q[i] = draw() + (round == 3 ? 1e5 : 0);
        states.v[i][k] = x[k].v[i] = draw();
      }
      for (i = 0; i < (int)(sizeof u[k]/sizeof(double)); i++)
        ((double *)&inputs)[i*UPPER_LANES + k] = from[i] = draw();
    }
    NAME_accelerate_many(&prepared, &states, &inputs, a, lambda);
    for (k = 0; k < UPPER_LANES; k++) {
      double one[UPPER_N], fast[UPPER_N], by[UPPER_M + 1], size = 1;
      const int status = (int)NAME_accelerate(&p, &x[k], &u[k], one, by);
      if (status != (int)NAME_accelerate_fast(&prepared, &x[k], &u[k], fast, by)) printf("another status\n"), other++;
      if (status != (int)UPPER_OK) continue;
      for (i = 0; i < UPPER_N; i++) size = fmax(size, fabs(one[i]));
      for (i = 0; i < UPPER_N; i++) {
        worst = fmax(worst, fabs(one[i] - fast[i])/size);
        if (memcmp(&fast[i], &a[i][k], sizeof(double)) != 0) printf("other bits\n"), other++;
      }
    }
  }
  printf("%.2g\n", worst);
  return other != 0 || !(worst < 1e-11);
}
"""


def run(model, form, compiler, flags, folder):
    path = folder/"tree.pf" if model == "tree" else next(source.glob(f"examples/*/{model}.pf"))
    (folder/"tree.pf").write_text(TREE)
    subprocess.run([program, "export", "--to", "c", "--form", form, "-o", folder, path], check=True, capture_output=True)
    (folder/"test.c").write_text(TEST.replace("NAME", model).replace("UPPER", model.upper()))
    subprocess.run([compiler, *WARNINGS, "-O2", "-ffp-contract=off", *flags, "-c", f"{model}_fast.c", f"{model}.c"],
                   cwd=folder, check=True)
    subprocess.run([compiler, "-std=c99", "-O1", "test.c", f"{model}_fast.o", f"{model}.o", "-lm", "-o", "test"],
                   cwd=folder, check=True)
    return subprocess.run([folder/"test"], capture_output=True, text=True)


def main():
    failures = 0
    for compiler in filter(shutil.which, ("gcc", "clang")):
        for model, form in MODELS.items():
            for flags in ([], ["-march=native"]) if model == "tree" else ([],):
                with tempfile.TemporaryDirectory() as folder:
                    found = run(model, form, compiler, flags, pathlib.Path(folder))
                words = " ".join(found.stdout.split()[-5:])
                failures += found.returncode != 0
                print(f"{'failed' if found.returncode else 'passed'}: {model} by {form}, {compiler} {flags}: {words}")
    print(f"{failures} failures")
    return failures != 0


sys.exit(main())
