# SPDX-License-Identifier: Apache-2.0
"""examples/robots against closed forms, and against numbers that are read from the URDF file here: robots.py PFAFF SOURCE"""
import json
import pathlib
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from math import cos, sin

from gallery import EXACT, PROGRAM, expect, finish, integrate, model, near, parameters, path, run

ANGLES = {"swivel": 0, "shoulder": 0.4, "elbow": 1.2, "grip": 0.04}


def imported(name):
    """What 'pfaff import' prints of the file beside the model, in its canonical layout; None in a build without expat."""
    words = [PROGRAM, "import", "--base", "planar", "--wheel", "left_wheel,right_wheel", "--actuators", "all", str(path(name).with_suffix(".urdf"))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "expat" in done.stderr:
        return None
    expect(f"{name}: import without a warning", done.returncode == 0 and not done.stderr, done.stderr)
    return subprocess.run([PROGRAM, "fmt", "-"], input=done.stdout, capture_output=True, text=True, check=True).stdout


def numbers(value):
    return [float(word) for word in value.split()]


def whole(name):
    """Mass, distance of the centre of mass ahead of the axle, inertia about the axle's middle; the arm lies in the plane of x and z."""
    robot = xml.parse(path(name).with_suffix(".urdf")).getroot()
    places = {"base": (0, 0, 0, 0)}  # x, y, z, turned about y
    joints = list(robot.iter("joint"))
    while joints:
        joint = joints.pop(0)
        if joint.find("parent") is None:  # of a transmission
            continue
        parent = places.get(joint.find("parent").get("link"))
        if parent is None:
            joints.append(joint)
            continue
        x, y, z, a = parent
        dx, dy, dz = numbers(joint.find("origin").get("xyz"))
        turn = ANGLES[joint.get("name")] if joint.get("name") in ("shoulder", "elbow") else 0
        slide = {"grip": 1, "grip_mirror": -1}.get(joint.get("name"), 0)*ANGLES["grip"]
        places[joint.find("child").get("link")] = (x + cos(a)*dx + sin(a)*dz, y + dy + slide, z - sin(a)*dx + cos(a)*dz, a + turn)
    mass = ahead = inertia = 0
    for link in robot.iter("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        x, y, _, a = places[link.get("name")]
        m, J = float(inertial.find("mass").get("value")), inertial.find("inertia")
        dx, dy, dz = numbers(inertial.find("origin").get("xyz")) if inertial.find("origin") is not None else (0, 0, 0)
        x, y = x + cos(a)*dx + sin(a)*dz, y + dy
        mass, ahead = mass + m, ahead + m*x
        inertia += float(J.get("ixx"))*sin(a)**2 + float(J.get("izz"))*cos(a)**2 + m*(x*x + y*y)
    return mass, ahead/mass, inertia


def driven(name, text, left, right):
    """The arm held, given torques: speed, rate of turn, and place after 2 s."""
    for wheel, torque in (("left", left), ("right", right)):
        text = text.replace(f"input {wheel}_torque [N m]", f"input {wheel}_torque = {torque} [N m]")
    text = "".join(f"{line} = 0\n" if line.startswith("input") and "=" not in line else f"{line}\n" for line in text.splitlines())
    text += "".join(f"prescribe {joint} = {angle}\n" for joint, angle in ANGLES.items())
    text += "start swivel = 0, shoulder = 0.4, elbow = 1.2, grip = 0.04, grip_mirror = 0.04\n"
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place)/"driven.pf"
        file.write_text(text, encoding="utf-8")
        show = "dot(vel(base), base.x), base_yaw', base_x, base_y, base_yaw"
        done = subprocess.run([PROGRAM, "run", "--json", "--for", "2", "--at", "2", "--show", show, *EXACT, str(file)], capture_output=True, text=True, check=False)
    expect(f"{name}: driven without a warning", done.returncode == 0 and not done.stderr, done.stderr)
    return json.loads(done.stdout)["rows"][-1][1:]


@model("mobile_manipulator")
def mobile_manipulator(name):
    _, told = run(name, "base_x", [6])
    near(f"{name}: energy and work", told["energy"]["drift"], 0, 1e-8)
    text = imported(name)
    if text is None:
        return
    kept = path(name).read_text(encoding="utf-8").splitlines()
    missing = [line for line in text.splitlines() if line not in kept and not line.startswith(("model ", "input "))]
    expect(f"{name}: the model has all that its URDF file has", not missing, missing)
    mass, ahead, inertia = whole(name)
    R, b, J, c = 0.1, 0.19, 0.005, 0.02  # radius, half the track, inertia and damping of a wheel
    for left, right in ((0.8, 0.8), (0.7, 0.5), (-0.4, 0.4)):
        def rates(_, y, left=left, right=right):
            v, w, _, _, yaw = y
            pull, push = left - c*(v - b*w)/R, right - c*(v + b*w)/R
            return [((pull + push)/R + mass*ahead*w*w)/(mass + 2*J/R**2),
                    ((push - pull)*b/R - mass*ahead*v*w)/(inertia + 2*J*b*b/R**2), v*cos(yaw), v*sin(yaw), w]
        for found, wanted in zip(driven(name, text, left, right), integrate(rates, [0]*5, 2, 2000)):
            near(f"{name}: driven by {left}, {right}", found, wanted, 1e-9)


@model("omni_arm")
def omni_arm(name):
    p = parameters(name)
    R, L = p["R"], p["L"]
    free = ["-p", "k=0", "-p", "c=0"]
    rows, _ = run(name, "theta',pan',x,y", [1], *free, "--state", "lift=0", "--state", "bend=0", "--state", "pan'=0")
    rate = -3*L/R*p["T"]/(p["Jb"] + 3*(p["mw"]*L*L + p["Jd"]) + 3*p["Jw"]*(L/R)**2)
    for found, wanted in zip(rows[0], (rate, -rate, 0, 0)):
        near(f"{name}: under an arm that stands still", found, wanted, 1e-9)
    _, told = run(name, "x", [5], *free, "-p", "T=0", "--state", "lift'=1")
    near(f"{name}: energy", told["energy"]["end"], told["energy"]["start"], 1e-8)
    near(f"{name}: energy without work", told["energy"]["drift"], 0, 1e-8)


finish()
