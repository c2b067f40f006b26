# SPDX-License-Identifier: Apache-2.0
"""Times the peers on the cart with a pendulum of n links and compares their numbers with ours.

    peers.py RESULTS      reads RESULTS/ours-cart-N.json, writes RESULTS/peers.json

SymPy: LagrangesMethod from particles, KanesMethod as in its own models.n_link_pendulum_on_cart; both once, its cache
emptied before. SymEngine: the mass matrix and the forcing by differentiating the kinetic energy; the least of several
repetitions. "compile" is lambdify or Lambdify with cse=True. Seconds of the processor.
"""
import json
import sys
import time
from pathlib import Path

import numpy as np
import symengine as se
import sympy as sp
from sympy.core.cache import clear_cache
from sympy.physics import mechanics as me
from sympy.physics.mechanics.models import n_link_pendulum_on_cart

SYMPY_SIZES = (2, 4, 6, 8)
SYMENGINE_SIZES = (2, 4, 6, 8, 12, 16, 24, 32)
LLVM_SIZES = (2, 4, 8, 16)
SECONDS_TO_EVALUATE = 0.5


def timed(work):
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def time_of_call(call):
    """The least time of one call over many short batches."""
    _, once = timed(call)
    size = max(1, int(3e-4/max(once, 1e-7)))
    least, begin = float("inf"), time.process_time()
    while time.process_time() - begin < SECONDS_TO_EVALUATE:
        start = time.process_time()
        for _ in range(size):
            call()
        least = min(least, (time.process_time() - start)/size)
    return least


def names_of_state(n):
    """The inputs of the peers' functions, by the names that our model uses."""
    links = range(1, n + 1)
    coordinates = ["x"] + [f"q[{i}]" for i in links]
    return (["g", "m0"] + [f"m[{i}]" for i in links] + [f"l[{i}]" for i in links] + coordinates
            + [name + "'" for name in coordinates])


def largest_difference(ours, outputs):
    """Of M and of F, relative to the largest entry of each."""
    M, F = np.array(ours["M"]), np.array(ours["F"])
    outputs = np.array(outputs, dtype=float)
    return max(np.abs(outputs[:M.size] - M).max()/np.abs(M).max(),
               np.abs(outputs[M.size:] - F).max()/np.abs(F).max())


# ---------------------------------------------------------------- SymPy


def sympy_lagrange(n):
    t, g, m0 = sp.symbols("t g m0")
    m, l = sp.symbols(f"m1:{n + 1}"), sp.symbols(f"l1:{n + 1}")
    q = me.dynamicsymbols(f"q0:{n + 1}")
    frame, origin = me.ReferenceFrame("I"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P0", q[0]*frame.x)
    point.set_vel(frame, q[0].diff(t)*frame.x)
    particles, height = [me.Particle("A0", point, m0)], 0
    for i in range(n):
        link = frame.orientnew(f"B{i}", "Axis", [q[i + 1], frame.z])
        link.set_ang_vel(frame, q[i + 1].diff(t)*frame.z)
        tip = point.locatenew(f"P{i + 1}", l[i]*link.x)
        tip.v2pt_theory(point, frame, link)
        height += l[i]*sp.sin(q[i + 1])
        particle = me.Particle(f"A{i + 1}", tip, m[i])
        particle.potential_energy = m[i]*g*height
        particles.append(particle)
        point = tip
    method = me.LagrangesMethod(me.Lagrangian(frame, *particles), q)
    method.form_lagranges_equations()
    return method.mass_matrix, method.forcing, [g, m0, *m, *l, *q, *[c.diff(t) for c in q]]


def sympy_kane(n):
    """Its angles begin a right angle later than ours."""
    method = n_link_pendulum_on_cart(n, cart_force=False, joint_torques=False)
    masses, lengths = sp.symbols(f"m0:{n + 1}"), sp.symbols(f"l0:{n}")
    inputs = [sp.Symbol("g"), *masses, *lengths, *method.q, *method.u]
    return method.mass_matrix, method.forcing, inputs


def measure_sympy(derive, n, ours, first_angle):
    clear_cache()
    (M, F, inputs), derive_time = timed(lambda: derive(n))
    function, compile_time = timed(lambda: sp.lambdify(inputs, list(M) + list(F), modules="math", cse=True))
    angles = [f"q[{i}]" for i in range(1, n + 1)]
    values = [ours["state"][name] - (first_angle if name in angles else 0) for name in names_of_state(n)]
    return {"derive": derive_time, "compile": compile_time, "evaluate": time_of_call(lambda: function(*values)),
            "difference": largest_difference(ours, function(*values))}


# ---------------------------------------------------------------- SymEngine


def symengine_derive(n):
    symbols = [se.Symbol(name) for name in names_of_state(n)]
    g, m0, m, l = symbols[0], symbols[1], symbols[2:2 + n], symbols[2 + n:2 + 2*n]
    q, v = symbols[2 + 2*n:3 + 3*n], symbols[3 + 3*n:]
    T, V = m0*v[0]**2/2, se.Integer(0)
    vx, vy, y = v[0], se.Integer(0), se.Integer(0)
    for i in range(n):
        vx = vx - l[i]*se.sin(q[i + 1])*v[i + 1]
        vy = vy + l[i]*se.cos(q[i + 1])*v[i + 1]
        y = y + l[i]*se.sin(q[i + 1])
        T = T + m[i]*(vx**2 + vy**2)/2
        V = V + m[i]*g*y
    p = [T.diff(rate) for rate in v]
    M = [[p[max(i, j)].diff(v[min(i, j)]) if j <= i else None for j in range(n + 1)] for i in range(n + 1)]
    F = [(T - V).diff(q[i]) - sum((p[i].diff(q[j])*v[j] for j in range(n + 1)), se.Integer(0))
         for i in range(n + 1)]
    return [M[max(i, j)][min(i, j)] for i in range(n + 1) for j in range(n + 1)] + F, symbols


def time_of_symengine_call(function, inputs, outputs):
    """Without what it costs to get there from Python."""
    call = time_of_call(lambda: function.unsafe_real(inputs, outputs))
    trivial = se.Lambdify([se.Symbol("a")], [se.Symbol("a")])
    first, one = inputs[:1], np.zeros(1)
    return call - time_of_call(lambda: trivial.unsafe_real(first, one))


def measure_symengine(n, ours, backend):
    best = None
    for _ in range(5 if n <= 8 else 3 if n <= 16 else 1):
        (exprs, symbols), derive_time = timed(lambda: symengine_derive(n))
        function, compile_time = timed(lambda: se.Lambdify(symbols, exprs, cse=True, backend=backend))
        if best is None or derive_time + compile_time < best["derive"] + best["compile"]:
            best = {"derive": derive_time, "compile": compile_time}
    inputs = np.array([ours["state"][name] for name in names_of_state(n)])
    outputs = np.zeros((n + 1)*(n + 2))
    best["evaluate"] = time_of_symengine_call(function, inputs, outputs)
    return {**best, "difference": largest_difference(ours, outputs)}


# ---------------------------------------------------------------- all


def main():
    results = Path(sys.argv[1])
    ours = {n: json.loads((results/f"ours-cart-{n}.json").read_text()) for n in SYMENGINE_SIZES}
    methods = {
        "symengine": (SYMENGINE_SIZES, lambda n: measure_symengine(n, ours[n], "lambda")),
        "kane": (SYMPY_SIZES, lambda n: measure_sympy(sympy_kane, n, ours[n], np.pi/2)),
        "lagrange": (SYMPY_SIZES, lambda n: measure_sympy(sympy_lagrange, n, ours[n], 0)),
    }
    if getattr(se, "have_llvm", False):
        methods["llvm"] = (LLVM_SIZES, lambda n: measure_symengine(n, ours[n], "llvm"))
    found = {"versions": {"SymPy": sp.__version__, "SymEngine": se.__version__}}
    for name, (sizes, measure) in methods.items():
        found[name] = {}
        for n in sizes:
            print(f"bench: {name}, n = {n}", file=sys.stderr)
            found[name][n] = measure(n)
    (results/"peers.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
