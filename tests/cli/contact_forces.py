#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The forces of contact that scenes have: on a body that nothing else touches, Newton's second law gives m (a - g).
#   contact_forces.py PROGRAM
import csv
import subprocess
import sys
import tempfile

program, place = sys.argv[1], tempfile.mkdtemp()
M, G = 0.3, 9.81

HEAD = f"""model contact
param m = {M} [kg], R = 0.1 [m], S = 1 [m], g = {G} [m/s^2], I = 0.001 [kg m^2]
coord x, y, z [m], a, b, c [rad]
gravity (0, 0, -g)
body w in ground at (x, y, z) turn a about z turn b about x turn c about y {{ mass m, inertia diag(I, 2*I, 1.3*I) }}
let h(u, w) = 0.1*u^2 + 0.2*u*w + 0.05*w^2
run 0.6
"""
BALL, DISC = "ball w { radius R }", "disc w { radius R, axis w.y }"
START = "start x' = 0.4, a' = 1, c' = 3"
CASES = {
    "ball on ground": f"roll k: {BALL} on ground\n{START}, b = 0.2",
    "disc on ground": f"roll k: {DISC} on ground\n{START}, b = 0.3",
    "ball on surface": f"roll k: {BALL} on surface h\n{START}, b = 0.2, x = 0.1",
    "disc on surface": f"roll k: {DISC} on surface h\nstart a' = 1, c' = 3, b = 0.3, x = 0.1, z = 0.1",
    "ball inside sphere": f"roll k: {BALL} inside sphere {{ radius S }}\n{START}, x = 0.3, z = -0.85",
    "ball outside sphere": f"roll k: {BALL} outside sphere {{ radius S }}\n{START}, x = 0.3, z = 1.05",
    "disc inside sphere": f"roll k: {DISC} inside sphere {{ radius S }}\nstart a' = 1, c' = 3, x = 0.3, b = 0.2, z = -0.85",
    "skate": "skate k: w\nstart x' = 0.4, a' = 1",
    "omni": "omni k: w { radius R, axis w.y }\nstart z = 0.1!, x' = 0.4, a' = 1",
}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check(name, text):
    model, samples, poses = f"{place}/contact.pf", f"{place}/contact.csv", f"{place}/poses.csv"
    with open(model, "w") as file:
        head = HEAD.replace("a, b, c", "a, c").replace(" turn b about x", "") if name == "omni" else HEAD  # its axle is level
        file.write(head + text + "\n")
    done = subprocess.run([program, "run", "--every", "0.1", "--out", samples, "--poses", poses, model], capture_output=True, text=True)
    if done.returncode:
        return [f"{name}: {done.stderr}"]
    faults = []
    for sample, pose in zip(rows(samples), rows(poses), strict=True):
        for axis, gravity in zip("xyz", (0, 0, G)):
            force = float(pose[f"k.force.{axis} [N]"])
            wanted = M*(float(sample[f"{axis}'' [m/s^2]"]) + gravity)
            if name in ("skate", "omni") and axis == "z":  # these hold nothing up
                continue
            if abs(force - wanted) > 1e-8*(1 + abs(wanted)):
                faults.append(f"{name}: force along {axis} is {force}, not {wanted}, at t = {sample['t [s]']}")
    return faults


faults = [fault for name, text in CASES.items() for fault in check(name, text)]
print("\n".join(faults[:20]) or f"{len(CASES)} contacts")
sys.exit(bool(faults))
