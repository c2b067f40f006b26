# SPDX-License-Identifier: Apache-2.0
"""M, F, A and b by peers, on the expressions that bench_tape has written.

    tape_peers.py RESULTS CC      reads RESULTS/tape-MODEL.json, writes RESULTS/tape_peers-MODEL.json

The peers get the expressions node by node, so with the sharing that ours have; SymEngine looks for more by cse=True,
CasADi by its own cse. CasADi's virtual machine, its generated C by CC -O2, SymEngine's machine code by LLVM. Calls come
from Python, but for the generated C, and cost as much less as a call of an empty function. Seconds of the processor.
"""
import ctypes
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MODELS = ("snakeboard", "bicycle", "spacecraft", "hand")
SECONDS_TO_EVALUATE = 0.5


def time_of_call(call, count=1):
    """The least time of one call over many short batches; each call does it `count` times."""
    begin = time.process_time()
    call()
    size = max(1, int(2e-4/max(time.process_time() - begin, 1e-7)))
    least, begin = float("inf"), time.process_time()
    while time.process_time() - begin < SECONDS_TO_EVALUATE:
        start = time.process_time()
        for _ in range(size):
            call()
        least = min(least, (time.process_time() - start)/(size*count))
    return least


# ---------------------------------------------------------------- expressions


def build(case, inputs, algebra):
    """The roots in the numbers of a package; algebra has rational(a, b), double(a), pi and functions by name."""
    made = []
    for kind, *rest in case["nodes"]:
        if kind == "input":
            made.append(inputs[rest[0]])
        elif kind in ("rational", "double"):
            made.append(getattr(algebra, kind)(*rest))
        elif kind == "pi":
            made.append(algebra.pi)
        else:
            made.append(combine(kind, [made[i] for i in rest], algebra))
    return [made[i] for i in case["roots"]]


def combine(kind, parts, algebra):
    if kind == "sum":
        total = parts[0]
        for factor, term in zip(parts[1::2], parts[2::2]):
            total = total + factor*term
        return total
    if kind == "product":
        total = algebra.rational(1, 1)
        for base, exponent in zip(parts[::2], parts[1::2]):
            total = total*algebra.power(base, exponent)
        return total
    return getattr(algebra, kind)(*parts)


# ---------------------------------------------------------------- SymEngine


def measure_symengine(case, inputs, outputs):
    import symengine as se
    if not se.have_llvm:
        raise ImportError("SymEngine has no LLVM")

    class Algebra:
        rational, double, pi = staticmethod(se.Rational), staticmethod(se.RealDouble), se.pi
        power, sin, cos = staticmethod(lambda a, b: a**b), staticmethod(se.sin), staticmethod(se.cos)

    symbols = [se.Symbol(f"input{i}") for i in range(len(inputs))]  # x0, x1, ... are the names that its cse gives
    begin = time.process_time()
    function = se.Lambdify(symbols, build(case, symbols, Algebra), cse=True, backend="llvm", real=True)
    compiled = time.process_time() - begin
    call = time_of_call(lambda: function.unsafe_real(inputs, outputs))
    empty = se.Lambdify(symbols[:1], symbols[:1], backend="llvm")
    first, one = inputs[:1].copy(), np.zeros(1)
    return {"SymEngine LLVM": {"seconds": call - time_of_call(lambda: empty.unsafe_real(first, one)),
                               "compile": compiled, "outputs": outputs.copy()}}


# ---------------------------------------------------------------- CasADi


def casadi_function(case, size):
    import casadi as ca

    class Algebra:
        rational, double, pi = staticmethod(lambda a, b: ca.SX(a/b)), staticmethod(ca.SX), ca.SX(np.pi)
        power = staticmethod(lambda base, exponent: base**float(exponent))  # it knows squares, roots and reciprocals
        sin, cos = staticmethod(ca.sin), staticmethod(ca.cos)

    symbols = ca.SX.sym("x", size)
    roots = ca.cse(ca.vertcat(*build(case, [symbols[i] for i in range(size)], Algebra)))
    return ca.Function("equations", [symbols], [roots])


def measure_machine(function, inputs, outputs):
    import casadi as ca

    def call_of(f, given, result):
        buffer, call = f.buffer()
        buffer.set_arg(0, memoryview(given))
        buffer.set_res(0, memoryview(result))
        return buffer, call

    x = ca.SX.sym("x")
    buffer, call = call_of(function, inputs, outputs)
    empty_buffer, empty = call_of(ca.Function("empty", [x], [x]), inputs[:1].copy(), np.zeros(1))
    return {"seconds": time_of_call(call) - time_of_call(empty), "outputs": outputs.copy()}


def measure_generated(function, inputs, outputs, compiler):
    pointer = ctypes.POINTER(ctypes.c_double)
    with tempfile.TemporaryDirectory() as folder:
        function.generate("equations.c", {"with_header": False})
        Path("equations.c").rename(Path(folder)/"equations.c")
        loop = Path(__file__).parent/"tape_loop.c"
        begin = resource_of_children()
        subprocess.run([compiler, "-O2", "-w", "-shared", "-fPIC", "equations.c", loop.resolve(), "-lm", "-o",
                        "equations.so"], cwd=folder, check=True)
        compiled = resource_of_children() - begin
        library = ctypes.CDLL(str(Path(folder)/"equations.so"))
    integers, work = (ctypes.c_longlong*(function.sz_iw() + 1))(), (ctypes.c_double*(function.sz_w() + 1))()
    given, result = inputs.ctypes.data_as(pointer), outputs.ctypes.data_as(pointer)
    seconds = time_of_call(lambda: library.call_often(ctypes.c_long(200), given, result, integers, work), 200)
    return {"seconds": seconds, "compile": compiled, "outputs": outputs.copy()}


def resource_of_children():
    import resource
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure_casadi(case, inputs, outputs, compiler):
    function = casadi_function(case, len(inputs))
    return {"CasADi machine": measure_machine(function, inputs, outputs),
            "CasADi C": measure_generated(function, inputs, outputs, compiler)}


# ---------------------------------------------------------------- all


def difference(found, ours):
    """The largest, relative to the largest number of ours."""
    return float(np.abs(found - ours).max()/np.abs(ours).max())


def measure(case, compiler):
    inputs, ours = np.array(case["inputs"]), np.array(case["outputs"])
    found = {}
    for peer in (lambda y: measure_symengine(case, inputs, y), lambda y: measure_casadi(case, inputs, y, compiler)):
        try:
            found.update(peer(np.zeros(len(ours))))
        except ImportError as reason:
            print(f"bench: {reason}, going on without", file=sys.stderr)
    for result in found.values():
        result["difference"] = difference(result.pop("outputs"), ours)
    return found


def main():
    results, compiler = Path(sys.argv[1]), sys.argv[2]
    for model in MODELS:
        print(f"bench: tape, peers on {model}", file=sys.stderr)
        found = measure(json.loads((results/f"tape-{model}.json").read_text()), compiler)
        (results/f"tape_peers-{model}.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
