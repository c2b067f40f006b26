#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# wrench(b) of runs: the joint wrenches of cases of tests/reference/spatial (50 digits), which are written as text here, with forces at points, loops and
# blades; and by Newton's law through events, friction that sticks, and rolling contact.
#   wrench.py PROGRAM SOURCE
import json
import math
import os
import subprocess
import sys
import tempfile

program, source = sys.argv[1], sys.argv[2]
PARTS = ("mx", "my", "mz", "fx", "fy", "fz")


def show(text, place, what, at="0", horizon="1e-6", words=()):
    """Rows of a run, by column."""
    path = os.path.join(place, "model.pf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([program, "run", "--for", horizon, "--at", at, "--json", "--show", what, *words, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + text
    answer = json.loads(done.stdout)
    return [dict(zip(answer["columns"], row)) for row in answer["rows"]]


def vector(values):
    return "(" + ", ".join(repr(x) for x in values) + ")"


def placement(quaternion):
    """Turns about the y axis are all that the cases have."""
    w, x, y, z = quaternion
    assert x == z == 0
    return f" turn {2*math.atan2(y, w)!r} about y" if y else ""


def joint_text(body, k):
    """Coordinates, the placement of the joint, and the names of its rates."""
    kind, axis = body["joint"]["type"], body["joint"].get("axis")
    if kind in ("free", "spherical"):
        return "", " free" if kind == "free" else " ball", []
    if kind == "planar":
        return f"coord x{k}, y{k}, a{k}\n", f" at (x{k}, y{k}, 0) turn a{k} about z", [f"x{k}", f"y{k}", f"a{k}"]
    name = "xyz"[[abs(x) for x in axis].index(1)]
    return f"coord q{k}\n", f" turn {'-' if min(axis) < 0 else ''}q{k} about {name}", [f"q{k}"]


def model_text(case, problem):
    bodies, q, v = case["model"]["bodies"], case["state"]["q"], case["state"]["v"]
    text = f"gravity {vector(case['model']['gravity'])}\n"
    for k, body in enumerate(bodies):
        coordinates, joint, names = joint_text(body, k)
        parent, inertia = bodies[body["parent"]]["name"] if body["parent"] >= 0 else "ground", body["inertia_com"]
        inertia = [x for row in inertia for x in row] if isinstance(inertia[0], list) else inertia
        six = [inertia[i] for i in (0, 4, 8, 1, 5, 2)]
        text += coordinates + (f"body {body['name']} in {parent} at {vector(body['placement']['pos'])}{placement(body['placement']['quat'])}{joint} "
                               f"{{ mass {body['mass']!r}, com {vector(body['com'])}, inertia inertia({', '.join(map(repr, six))}) }}\n")
        tau = problem["tau"][k]
        if not names:
            name = body["name"]
            text += f"start {name}.q = {vector(q[k][:4])}, {name}.w = {vector(v[k][:3])}\n"
            if len(q[k]) == 7:
                text += f"start {name}.p = {vector(q[k][4:])}, {name}.v = {vector(v[k][3:])}\n"
            if any(tau):
                text += f"torque {' + '.join(f'({x!r})*{name}.{axis}' for x, axis in zip(tau, 'xyz'))} on {name} from {parent}\n"
        stiffness, damping = (body["joint"].get(key, [0]*6) for key in ("stiffness", "damping"))
        for i, name in enumerate(names):
            text += f"start {name} = {q[k][i]!r}, {name}' = {v[k][i]!r}\n"
            if problem["prescribed"][k][i]:
                text += f"prescribe given_{name}: {name}'' = {problem['vdot'][k][i]!r}\n"
            else:
                text += f"force {name} = {tau[i]!r} - {stiffness[i]!r}*{name} - {damping[i]!r}*{name}'\n"
    for force in case["external_forces"]:
        name = bodies[force["body"]]["name"]
        text += f"point tip_{name} in {name} at {vector(force['point'])}\nforce {vector(force['force'])} at tip_{name}\ntorque {vector(force['moment'])} on {name}\n"
    for i, row in enumerate(problem.get("constraints") or []):
        if row["type"] == "linear":
            text += "constraint row%d: " % i + " + ".join(f"{c!r}*q{body}'" for body, _, c in row["terms"]) + f" = 0\n"
            continue
        a = bodies[row["body_a"]]["name"]
        text += f"point pa{i} in {a} at {vector(row['point_a'])}\n"
        if row["type"] == "knife":
            text += f"constraint row{i}: dot(vel(pa{i}), {a}.y) = 0\n"
        else:
            text += f"point pb{i} in {bodies[row['body_b']]['name']} at {vector(row['point_b'])}\nconstraint row{i}: pos(pa{i}) = pos(pb{i})\n"
    return text


def check_cases(place):
    count = 0
    for name in ("01_arm7_fixed_base", "02_spacecraft_free_base", "03_spacecraft_free_no_external", "15_constrained_dual_arm", "16_constrained_four_bar",
                 "17_constrained_pfaffian"):
        with open(f"{source}/tests/reference/spatial/{name}.json", encoding="utf-8") as file:
            case = json.load(file)
        bodies = case["model"]["bodies"]
        for problem in case["problems"]:
            if any(problem["prescribed"][0]) and bodies[0]["joint"]["type"] == "free":
                continue # the motion of a quaternion is not prescribed by its accelerations in text
            row = show(model_text(case, problem), place, ", ".join(f"wrench({b['name']})" for b in bodies))[0]
            size = max(abs(x) for w in problem["expected"]["joint_wrench"] for x in w)
            for k, body in enumerate(bodies):
                E, w = case["expected_state"]["body_rotation"][k], problem["expected"]["joint_wrench"][k]
                expected = [sum(E[3*i + j]*w[half + i] for i in range(3)) for half in (0, 3) for j in range(3)]
                got = [row[f"wrench({body['name']}).{part}"] for part in PARTS]
                if body["joint"]["type"] == "spherical": # its drive is a torque on both bodies in text
                    got = [x + (problem["tau"][k][i] if i < 3 else 0) for i, x in enumerate(got)]
                worst = max(abs(x - y) for x, y in zip(got, expected))
                assert worst < 1e-11*size, f"{name} {problem['name']} {body['name']}: {worst/size:.3g}"
                count += 1
    return count


def near(what, got, expected, tolerance=1e-9):
    assert abs(got - expected) <= tolerance*max(1, abs(expected)), f"{what}: {got!r}, not {expected!r}"


def check_laws(place):
    """A joint carries a body on which a rough floor acts: its wrench is m (a - g) less the force of the floor."""
    drag = """coord x, y [m]
param m = 2 [kg], g = 9.81 [m/s^2], mu = 0.3
gravity (0, -g, 0)
body cart in ground at (x, 0, 0) { mass 1 [kg] }
body block in cart at (0, y, 0) { mass m, inertia 0.1 }
constraint floor: y = 0
force x = 4 [N]*sin(5*t)
"""
    for row in show(drag + "force -mu*m*g*sign(x')*ground.x at block\nrun 2\n", place, "x', x'', y'', wrench(block), wrench(cart)", "0,0.3,0.7,1.1,2", "2"):
        push = row["wrench(block).fx"] - 2*row["x''"] # friction of the floor: at most mu m g, and opposite to the motion
        assert abs(push) <= 0.3*2*9.81*(1 + 1e-9), push
        if abs(row["x'"]) > 1e-6:
            near("friction", push, math.copysign(0.3*2*9.81, row["x'"]))
        near("cart", row["wrench(cart).fx"], 4*math.sin(5*row["t"]))
        near("weight", row["wrench(block).fy"], 2*9.81)
    roll = """coord x, y [m], a [rad]
gravity (1.5, 0, -9.81)
body car in ground at (x, y, 0.1) { mass 3 [kg], inertia 1 }
body wheel in car turn a about y { mass 2 [kg], inertia 0.01 }
roll k: disc wheel { radius 0.1, axis wheel.y } on ground
constraint straight: y = 0
run 1
"""
    for row in show(roll, place, "x'', a, lambda, wrench(wheel), wrench(car)", "0,0.5,1", "1"):
        c, s = math.cos(row["a"]), math.sin(row["a"])
        x, z = c*row["wrench(wheel).fx"] + s*row["wrench(wheel).fz"], -s*row["wrench(wheel).fx"] + c*row["wrench(wheel).fz"]
        # the car moves by its weight and by the wheel; nothing else holds it along x
        near("car on wheel", -x, 3*(row["x''"] - 1.5))
        near("wheel", row["wrench(wheel).my"], 0)
    event = """coord q, p [rad]
gravity (0, -9.81, 0)
body a in ground turn q about z { mass 1 [kg], com (0.5, 0, 0), inertia 0.1 }
body b in a at (1, 0, 0) turn p about z { mass 2 [kg], com (0.5, 0, 0), inertia 0.2 }
when t = 0.5 { lock b }
when t = 1 { detach b }
run 1.5
"""
    for row in show(event, place, "q, p, q', p', q'', p'', b.free.px, wrench(a), wrench(b)", "0.25,0.75,1.25", "1.5"):
        if row["t"] == 0.5 or row["t"] == 1:
            continue # twice: before and after the event
        if row["t"] > 1:
            assert max(abs(row[f"wrench(b).{part}"]) for part in PARTS) < 1e-9
            continue
        # m (a_C - g) in the axes of b
        angle, rate, turn = row["q"] + row["p"], row["q'"] + row["p'"], row["q''"] + row["p''"]
        ax = -math.cos(row["q"])*row["q'"]**2 - math.sin(row["q"])*row["q''"] - 0.5*(math.cos(angle)*rate**2 + math.sin(angle)*turn)
        ay = -math.sin(row["q"])*row["q'"]**2 + math.cos(row["q"])*row["q''"] - 0.5*(math.sin(angle)*rate**2 - math.cos(angle)*turn) + 9.81
        fx, fy = 2*(math.cos(angle)*ax + math.sin(angle)*ay), 2*(-math.sin(angle)*ax + math.cos(angle)*ay)
        near("fx", row["wrench(b).fx"], fx)
        near("fy", row["wrench(b).fy"], fy)
        near("mz", row["wrench(b).mz"], 0.2*turn + 0.5*fy)


with tempfile.TemporaryDirectory() as folder:
    print(check_cases(folder), "wrenches of cases")
    check_laws(folder)
