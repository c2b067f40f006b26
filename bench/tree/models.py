#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the mechanisms of the race as plain text, the same for every contender: models.py DIR [SOURCE_DIR]

First line: bodies, then gravity. One line per body, children after parents and subtrees together:
    parent kind | rotation (9, by rows, joint frame to parent axes) offset (3) | mass, mass centre (3),
    inertia about it (xx xy xz yy yz zz) | principal axes (9, columns) and moments (3) | q | v | tau | vdot
kind: revolute (about z), ball (quaternion w x y z; rates: angular velocity in body axes), free (quaternion, position;
rates: angular velocity in body axes, rates of the position). The joint is at the origin of the body.
humanoid_in_line has its axes in line. With SOURCE_DIR also arm7 from examples/robots/arm7.urdf, and reference_chain: the 1000 links of tests/reference/spatial with the accelerations that are known to
50 digits in the place of vdot.
"""
import json
import math
import random
import sys
from xml.etree import ElementTree

KINDS = {"revolute": (1, 1), "ball": (4, 3), "free": (7, 6)}


def quaternion(rng):
    while True:
        q = [rng.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x*x for x in q))
        if length > 0.1:
            return [x/length for x in q]


def rotation(q):
    w, x, y, z = q
    return [1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y),
            2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x),
            2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]


def inertia(axes, moments):
    """xx xy xz yy yz zz of axes diag(moments) axes^T"""
    return [sum(axes[3*i + k]*moments[k]*axes[3*j + k] for k in range(3)) for i in range(3) for j in range(i, 3)]


def random_body(rng, parent, kind):
    nq, nv = KINDS[kind]
    mass = rng.uniform(0.5, 3)
    com = [rng.uniform(-0.15, 0.15) for _ in range(3)]
    sizes = [rng.uniform(0.1, 0.4) for _ in range(3)]  # of a box: moments that a body can have
    moments = [mass/12*(sum(size**2 for size in sizes) - size**2) for size in sizes]
    axes = rotation(quaternion(rng))
    offset = [rng.uniform(-0.3, 0.3) for _ in range(3)]
    q = [rng.uniform(-math.pi, math.pi)] if nq == 1 else quaternion(rng) + [rng.uniform(-1, 1) for _ in range(nq - 4)]
    rates = [[rng.gauss(0, size) for _ in range(nv)] for size in (0.5, 2, 3)]
    body = [mass] + com + inertia(axes, moments) + axes + moments
    return [parent, kind] + rotation(quaternion(rng)) + offset + body + q + rates[0] + rates[1] + rates[2]


def depth_first(parents):
    """Numbers bodies so that every subtree is contiguous: some contenders want that."""
    children = [[] for _ in parents]
    for k, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(k)
    order, pending = [], [k for k, parent in enumerate(parents) if parent < 0]
    while pending:
        k = pending.pop()
        order.append(k)
        pending.extend(reversed(children[k]))
    number = {old: new for new, old in enumerate(order)}
    return [number.get(parents[k], -1) for k in order]


def write(path, bodies, gravity=(0.3, -0.2, -9.7)):
    with open(path, "w") as file:
        print(len(bodies), *map(repr, gravity), file=file)
        for body in bodies:
            print(*(x if isinstance(x, str) else repr(x) for x in body), file=file)


def mechanism(name, parents, kinds):
    rng = random.Random("pfaff " + name)
    return [random_body(rng, parent, kind) for parent, kind in zip(parents, kinds)]


def humanoid():
    """Pelvis, legs of 6, waist of 3 that carries arms of 7 and a head."""
    parents = [-1]

    def limb(at, joints):
        for _ in range(joints):
            parents.append(at)
            at = len(parents) - 1
        return at
    limb(0, 6)
    limb(0, 6)
    chest = limb(0, 3)
    limb(chest, 7)
    limb(chest, 7)
    limb(chest, 1)
    return parents


def in_line(name, parents, kinds):
    """The same tree as machines are built: each axis is along one of its parent's, as are the ways between joints and
    the principal axes; mass centres lie on an axis."""
    rng = random.Random("pfaff in line " + name)
    axes = ([1.0, 0, 0, 0, 1, 0, 0, 0, 1], [0.0, 0, 1, 1, 0, 0, 0, 1, 0], [0.0, 1, 0, 0, 0, 1, 1, 0, 0])
    bodies = []
    for parent, kind in zip(parents, kinds):
        body = random_body(rng, parent, kind)
        place, moments, at = rng.randrange(3), body[33:36], rng.randrange(3)
        body[2:11] = axes[rng.randrange(1, 3)] if kind == "revolute" else axes[0]
        body[11:14] = [x if i == place else 0.0 for i, x in enumerate(body[11:14])]
        body[15:18] = [x if i == at else 0.0 for i, x in enumerate(body[15:18])]
        body[18:24] = [moments[0], 0.0, 0.0, moments[1], 0.0, moments[2]]
        body[24:33] = axes[0]
        body[33:36] = moments
        bodies.append(body)
    return bodies


def arm(path):
    """A chain of revolute joints in URDF, at a random state; its axes become z by turning frames, which is exact for
    axes of coordinates."""
    rng = random.Random("pfaff arm")
    robot = ElementTree.parse(path).getroot()
    links = {link.get("name"): link for link in robot.findall("link")}
    numbers = lambda element, name, key: [float(x) for x in element.find(name).get(key).split()]
    bodies, before = [], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]  # columns: axes of the frame in those of the link
    for joint in robot.findall("joint"):
        if joint.get("type") != "revolute":
            continue
        z = [int(x) for x in numbers(joint, "axis", "xyz")]
        x = [0, 0, 1] if z[0] else [1, 0, 0]
        y = [z[1]*x[2] - z[2]*x[1], z[2]*x[0] - z[0]*x[2], z[0]*x[1] - z[1]*x[0]]
        frame = [x, y, z]
        to_frame = lambda v, axes: [sum(a*b for a, b in zip(axis, v)) for axis in axes]
        turn = [float(sum(a*b for a, b in zip(before[i], frame[j]))) for i in range(3) for j in range(3)]
        inertial = links[joint.find("child").get("link")].find("inertial")
        moments = [float(inertial.find("inertia").get(key)) for key in ("ixx", "iyy", "izz")]
        moments = [sum(axis[i]**2*moments[i] for i in range(3)) for axis in frame]
        row = [len(bodies) - 1, "revolute"] + turn + to_frame(numbers(joint, "origin", "xyz"), before)
        row += [float(inertial.find("mass").get("value"))] + to_frame(numbers(inertial, "origin", "xyz"), frame)
        row += [moments[0], 0.0, 0.0, moments[1], 0.0, moments[2], 1.0, 0, 0, 0, 1, 0, 0, 0, 1] + moments
        bodies.append(row + [rng.uniform(-math.pi, math.pi)] + [rng.gauss(0, size) for size in (0.5, 2, 3)])
        before = frame
    return bodies


def reference(path):
    with open(path) as file:
        case = json.load(file)
    flat = lambda groups: [x for group in groups for x in group]
    q, v, problem = flat(case["state"]["q"]), flat(case["state"]["v"]), case["problems"][0]
    tau, vdot = flat(problem["tau"]), flat(problem["expected"]["vdot"])
    bodies, principal = [], [1.0, 0, 0, 0, 1, 0, 0, 0, 1]
    turned = []  # the reference turns about x, y and z; here the axis is z: frames with permuted axes, exact
    cyclic = {(0, 0, 1): [0, 1, 2], (1, 0, 0): [1, 2, 0], (0, 1, 0): [2, 0, 1]}
    for k, body in enumerate(case["model"]["bodies"]):
        order = cyclic[tuple(int(x) for x in body["joint"]["axis"])]
        turned.append(order)
        if body["placement"]["quat"] != [1, 0, 0, 0]:
            raise ValueError("a turned placement")
        before = turned[body["parent"]] if body["parent"] >= 0 else [0, 1, 2]
        turn = [float(before[i] == order[j]) for i in range(3) for j in range(3)]
        I = body["inertia_com"]
        moments = [I[order[i]][order[i]] for i in range(3)]
        row = [body["parent"], "revolute"] + turn + [body["placement"]["pos"][i] for i in before] + [body["mass"]]
        row += [body["com"][i] for i in order] + [I[order[i]][order[j]] for i in range(3) for j in range(i, 3)]
        bodies.append(row + principal + moments + [q[k], v[k], tau[k], vdot[k]])
    return bodies, case["model"]["gravity"]


def main():
    folder = sys.argv[1]
    for n in (2, 7, 30, 100, 1000, 10000, 100000):
        write(f"{folder}/chain_{n}.txt", mechanism("chain", range(-1, n - 1), ["revolute"]*n))
    tree = depth_first([(k - 1)//2 if k else -1 for k in range(63)])
    write(f"{folder}/tree_63.txt", mechanism("tree", tree, ["free"] + ["revolute"]*62))
    write(f"{folder}/humanoid.txt", mechanism("humanoid", humanoid(), ["free"] + ["revolute"]*30))
    write(f"{folder}/humanoid_in_line.txt", in_line("humanoid", humanoid(), ["free"] + ["revolute"]*30), (0.0, 0.0, -9.81))
    write(f"{folder}/ball_30.txt", mechanism("ball", range(-1, 29), ["ball"]*30))
    if len(sys.argv) > 2:
        write(f"{folder}/arm7.txt", arm(f"{sys.argv[2]}/examples/robots/arm7.urdf"), (0.0, 0.0, -9.81))
        bodies, gravity = reference(f"{sys.argv[2]}/tests/reference/spatial/18_chain_1000.json")
        write(f"{folder}/reference_chain.txt", bodies, gravity)


main()
