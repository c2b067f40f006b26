# SPDX-License-Identifier: Apache-2.0
"""Accelerations and multipliers by CasADi's generated C, with the solve that ours has, and by our exported C.

    native_peers.py PFAFF RESULTS CC      writes RESULTS/native_peers.json

CasADi gets the model as `pfaff export --to casadi --form elimination` writes it, with numbers for the parameters: the
formulas and the elimination are ours, operations, order and code are its own. Our exported C looks at its pivots too.
Compiled by CC -O2, as native code is, and by -O3 -march=native. One evaluation waits for the one before, as in
bench_native. Seconds of the processor.
"""
import ctypes
import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import casadi as ca
import numpy as np

from tape_peers import time_of_call

MODELS = ("free_floating", "omni_robot", "snakeboard", "bicycle")
STEPS = 200
STEP = """
    for (int i = 0; i < %(n)d; i++) {
      y[i] += 1e-12*y[%(n)d + i];
      y[%(n)d + i] += 1e-12*a[i];
    }
  }
}
"""
CASADI = """
void call_often(double *y, long count)
{
  double a[%(n)d], lambda[%(m)d + 1], w[%(work)d];
  casadi_int iw[%(integers)d];
  for (long k = 0; k < count; k++) {
    const double *arg[] = {y, y + %(n)d};
    double *res[] = {a, lambda};
    flow(arg, res, iw, w, 0);""" + STEP
OURS = """
#include "%(model)s.h"
void call_often(double *y, long count)
{
  double a[%(n)d], lambda[%(m)d + 1];
  %(model)s_params p;
  %(model)s_state x;
  %(model)s_input u;
  %(model)s_init(&p, &x, &u);
  for (long k = 0; k < count; k++) {
    for (int i = 0; i < %(n)d; i++) x.q[i] = y[i], x.v[i] = y[%(n)d + i];
    %(model)s_accelerate(&p, &x, &u, a, lambda);""" + STEP


def export(program, source, model, language, folder):
    subprocess.run([program, "export", "--to", language, "--form", "elimination", "-o", folder,
                    next((source/"examples").glob(f"*/{model}.pf"))], check=True, capture_output=True)


def make_function(module):
    n = len(np.array(module.Q0).ravel())
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    roots = module.accelerate(module.P0, 0, q, v, np.zeros(module.accelerate.size1_in(4)))
    return n, roots[1].numel(), ca.Function("flow", [q, v], ca.cse(list(roots)))


def times(sources, state, compiler, folder):
    found = {}
    for name, flags in (("-O2", ["-O2"]), ("-O3 -march=native", ["-O3", "-march=native"])):
        library = folder/f"{sources[0]}{len(flags)}.so"
        subprocess.run([compiler, *flags, "-w", "-shared", "-fPIC", *sources, "-lm", "-o", library], check=True,
                       cwd=folder)
        y = state.copy()
        call, pointer = ctypes.CDLL(str(library)).call_often, y.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        found[name] = time_of_call(lambda: call(pointer, ctypes.c_long(STEPS)), STEPS)
    return found


def measure(program, source, model, compiler, folder):
    export(program, source, model, "casadi", folder)
    export(program, source, model, "c", folder)
    sys.path.insert(0, str(folder))
    module = importlib.import_module(f"{model}_casadi")
    n, m, function = make_function(module)
    sizes = {"n": n, "m": m, "work": function.sz_w() + 1, "integers": function.sz_iw() + 1, "model": model}
    code = Path(function.generate("flow.c", {"with_header": False}))
    (folder/"peer.c").write_text(code.read_text() + CASADI % sizes)
    code.unlink()
    (folder/"ours.c").write_text(OURS % sizes)
    state = np.concatenate([np.array(module.Q0).ravel(), np.array(module.V0).ravel()]).astype(float)
    return {"operations": function.n_instructions(), "CasADi C": times(["peer.c"], state, compiler, folder),
            "exported C": times(["ours.c", f"{model}.c"], state, compiler, folder)}


def main():
    program, results, compiler = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3]
    found = {}
    for model in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            found[model] = measure(program, Path(__file__).resolve().parent.parent, model, compiler, Path(folder))
    (results/"native_peers.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
