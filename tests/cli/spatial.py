#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Mixed problems of tests/reference/spatial (50 digits) as text: joints whose motion 'prescribe' gives are given inside the recursion. All operators
# satisfy the equations of the paper (docs/spatial.md), in inertial and in body axes, on every example with bodies.
#   spatial.py PROGRAM SOURCE
import glob
import json
import os
import subprocess
import sys
import tempfile

program, source = sys.argv[1], sys.argv[2]
JOINTS = [f"{side}[{i}]" for side in ("left", "right") for i in (1, 2, 3)] + ["fold"]


def evaluate(path, *words):
    done = subprocess.run([program, "eval", "--spatial", "--json", *words, path], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def matrix(values, columns=None):
    """Matrices have rows; a list is a column, or rows without elements."""
    if columns == 0 or not values:
        return [[] for _ in range(6)]
    return values if isinstance(values[0], list) else [[x] for x in values]


def times(a, b):
    return [[sum(x*y for x, y in zip(row, column)) for column in zip(*b)] for row in a] if b and b[0] else [[] for _ in a]


def turned(a):
    return [list(x) for x in zip(*a)]


def plus(a, b, factor=1):
    return [[x + factor*y for x, y in zip(r, s)] for r, s in zip(a, b)]


def near(what, got, expected, tolerance):
    got, expected = ([x for row in matrix(m) for x in row] for m in (got, expected))
    size = max([1e-9, *map(abs, expected)])
    assert len(got) == len(expected), what
    worst = max([0, *(abs(x - y) for x, y in zip(got, expected))])
    assert worst <= tolerance*size, f"{what}: {worst/size:.3g}"


def craft(case, problem, place):
    """The spacecraft of the examples at the state of a case, with its forces and given accelerations."""
    with open(f"{source}/examples/spacecraft/spacecraft.pf", encoding="utf-8") as file:
        lines = [line for line in file if line.split(" ")[0] not in ("force", "start", "when", "run")]
    vector = lambda values: "(" + ", ".join(repr(x) for x in values) + ")"
    q, v = case["state"]["q"], case["state"]["v"]
    lines.append(f"start hub.q = {vector(q[0][:4])}, hub.p = {vector(q[0][4:])}, hub.w = {vector(v[0][:3])}, hub.v = {vector(v[0][3:])}\n")
    for k, name in enumerate(JOINTS, 1):
        lines.append(f"start {name} = {q[k][0]!r}, {name}' = {v[k][0]!r}\n")
        if problem["prescribed"][k][0]:
            lines.append(f"prescribe given{k}: {name}'' = {problem['vdot'][k][0]!r} [rad/s^2]\n")
        else:
            lines.append(f"force {name} = {problem['tau'][k][0]!r} [N m]\n")
    path = os.path.join(place, "craft.pf")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    return path


def check_cases(place):
    for name in ("02_spacecraft_free_base", "03_spacecraft_free_no_external"):
        with open(f"{source}/tests/reference/spatial/{name}.json", encoding="utf-8") as file:
            case = json.load(file)
        for problem in case["problems"]:
            if any(problem["prescribed"][0]):
                continue # the motion of a quaternion is not prescribed by its accelerations in text
            answer = evaluate(craft(case, problem, place))
            bodies, expected = answer["spatial"], problem["expected"]
            label = f"{name} {problem['name']}"
            near(label + " P", bodies[0]["P"], expected["articulated_inertia_root"], 1e-11)
            for k, body in enumerate(bodies):
                near(f"{label} V {k}", body["V"], case["expected_state"]["body_velocity"][k], 1e-11)
                assert body["given"] == ([0] if k and problem["prescribed"][k][0] else []), label
            if case["external_forces"]:
                continue # in text these are forces on all coordinates, not on bodies
            assert answer["inside"] == [f"given{k}" for k in range(1, 8) if problem["prescribed"][k][0]] and not answer["on_top"], label
            for k, body in enumerate(bodies):
                near(f"{label} Vdot {k}", body["Vdot"], expected["body_acceleration"][k], 1e-11)
                near(f"{label} a {k}", body["a"], case["expected_state"]["velocity_acceleration"][k], 1e-11)
                near(f"{label} b {k}", body["b"], case["expected_state"]["gyroscopic_force"][k], 1e-11)
                if k:
                    near(f"{label} f {k}", body["f"], expected["joint_wrench"][k], 1e-11)
                    near(f"{label} T {k}", body["T"], expected["tau_total"][k], 1e-11)
                    near(f"{label} betadot {k}", body["betadot"], expected["vdot"][k], 1e-11)


def check_equations(bodies, label):
    """(80) to (97) between the operators of one report; in body axes what leads from body to body carries the turn."""
    sums = [b["M"] for b in bodies]
    for k in range(len(bodies) - 1, -1, -1):
        b = bodies[k]
        free = [i for i in range(len(b["beta"])) if i not in b["given"]]
        h, nv = matrix(b["H"], len(b["beta"])), len(b["beta"])
        hf, p = [[row[i] for i in free] for row in h], b["P"]
        near(f"{label} {k}: P", p, sums[k], 1e-9)
        one = [[float(i == j) for j in range(6)] for i in range(6)]
        tau = one
        # f = P Vdot + z and T = H^T f are differences of these, also where nothing moves
        fastest = max([0, *(abs(x) for other in bodies for x in other["betadot"] + other["a"])])
        cancelling = max(abs(x) for row in p for x in row)*fastest
        if free:
            near(f"{label} {k}: D", b["D"], times(turned(hf), times(p, hf)), 1e-10)
            near(f"{label} {k}: G D", times(matrix(b["G"]), matrix(b["D"])), times(p, hf), 1e-9)
            tau = plus(one, times(matrix(b["G"]), turned(hf)), -1)
            eps = [t - x[0] for t, x in zip([b["T"][i] for i in free], times(turned(hf), matrix(b["z"])))]
            scale = max([1e-9, *map(abs, b["z"]), *map(abs, b["T"])]) + cancelling
            assert max(abs(x - y) for x, y in zip(eps, b["eps"])) < 1e-9*scale, f"{label} {k}: eps"
            near(f"{label} {k}: D nu", times(matrix(b["D"]), matrix(b["nu"])), matrix(b["eps"]), 1e-8)
            near(f"{label} {k}: K", matrix(b["K"]), times(turned(b["Phi"]), matrix(b["G"])), 1e-11)
        size = max(abs(x) for row in tau for x in row) + 1
        assert max(abs(x - y) for r, s in zip(tau, b["tau_bar"]) for x, y in zip(r, s)) < 1e-11*size, f"{label} {k}: tau_bar"
        left, scale = times(tau, p), max(abs(x) for row in p for x in row) + 1e-30
        assert max(abs(x - y) for r, s in zip(left, b["P_plus"]) for x, y in zip(r, s)) < 1e-10*size*scale, f"{label} {k}: P_plus"
        near(f"{label} {k}: Psi", plus(b["Psi"], b["Phi"]), plus(times(turned(b["Phi"]), tau), b["Phi"]), 1e-10)
        if b["parent"] >= 0:
            sums[b["parent"]] = plus(sums[b["parent"]], times(times(turned(b["Phi"]), b["P_plus"]), b["Phi"]))
        # (95), (33), (97)
        motion = matrix(b["a"])
        if nv:
            motion = plus(motion, times(h, matrix(b["betadot"])))
        if b["parent"] >= 0:
            motion = plus(motion, times(b["Phi"], matrix(bodies[b["parent"]]["Vdot"])))
        scale = max([1e-9, *map(abs, b["Vdot"]), *map(abs, b["a"]), *map(abs, b["betadot"])])
        if b["parent"] >= 0:
            scale += max(map(abs, bodies[b["parent"]]["Vdot"]))
        assert max(abs(x[0] - y) for x, y in zip(motion, b["Vdot"])) < 1e-9*scale, f"{label} {k}: Vdot"
        force = plus(times(p, matrix(b["Vdot"])), matrix(b["z"]))
        scale = max([1e-9, *map(abs, b["z"])]) + cancelling
        assert max(abs(x[0] - y) for x, y in zip(force, b["f"])) < 1e-9*scale, f"{label} {k}: f"


def check_axes(ground, body, label):
    """Table 1: vectors are turned once, tensors twice; what has no axes stays."""
    for k, (one, other) in enumerate(zip(ground, body)):
        c = one["C"]
        r = [[*row, 0, 0, 0] for row in c] + [[0, 0, 0, *row] for row in c]
        for name in ("b", "a", "z", "V", "Vdot", "f"):
            near(f"{label} {k} {name}", matrix(other[name]), times(r, matrix(one[name])), 1e-10)
        for name in ("M", "P"):
            near(f"{label} {k} {name}", other[name], times(times(r, one[name]), turned(r)), 1e-10)
        for name in ("D", "B", "eps", "nu", "beta", "betadot", "T"):
            assert one[name] == other[name], f"{label} {k}: {name}"
        if one["beta"]:
            near(f"{label} {k} H", matrix(other["H"]), times(r, matrix(one["H"])), 1e-10)


with tempfile.TemporaryDirectory() as folder:
    check_cases(folder)
count = 0
for model in sorted(glob.glob(f"{source}/examples/*/*.pf")):
    ground = evaluate(model)
    if not ground:
        continue
    count += 1
    body = evaluate(model, "--axes", "body")
    assert (ground["axes"], body["axes"]) == ("inertial", "body")
    check_equations(ground["spatial"], model)
    check_equations(body["spatial"], model + " in body axes")
    check_axes(ground["spatial"], body["spatial"], model)
print(f"{count} examples")
assert count >= 20
