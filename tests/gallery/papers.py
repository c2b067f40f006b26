# SPDX-License-Identifier: Apache-2.0
"""examples/paper-004, equations as published, against tests/reference and the printed formulas: papers.py PFAFF SOURCE"""
import csv
import json
import subprocess

from gallery import PROGRAM, SOURCE, finish, model, near, path, run


def follow(name, file, columns):
    with open(SOURCE/"tests"/"reference"/file, encoding="utf-8") as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(line for line in stream if not line.startswith("#"))]
    found, _ = run(name, ",".join(columns.values()), [row["t"] for row in rows], "--for", repr(rows[-1]["t"]))
    for row, wanted in zip(found, rows):
        for value, column in zip(row, columns):
            near(f"{name}: {column} at {wanted['t']}", value, wanted[column], 1e-9*max(1, abs(wanted[column])))


def accelerations(name):
    done = subprocess.run([PROGRAM, "eval", "--json", str(path(name))], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    return dict(zip(told["coordinates"], told["acceleration"]))


# The printed formulas with M = 10, R = 0.1, Lambda = 2, lambda^2 = 0.05, Delta = 0.5, sigma = 1, torques 0.30 and -0.26
A1, A2, A3, DRIVE, TURN = 1.05, 1.1, 1.1, 0.56/0.1, 0.04/0.1


@model("two_omni_published")
def two_omni_published(name):
    columns = {"x": "x", "y": "y", "theta": "theta", "chi1": "chi[1]", "chi2": "chi[2]", "nu1": "nu[1]", "nu2": "nu[2]", "nu3": "nu[3]"}
    follow(name, "twoomni_published.csv", columns)
    found = accelerations(name)
    near(f"{name}: nu1'", found["chi[3]"], 1*0.8/2/A1, 1e-12)
    near(f"{name}: nu3'", 2*found["theta"], TURN/A3, 1e-12)
    near(f"{name}: nu2'", (found["chi[1]"] - found["chi[2]"])/2, (-0.5*0.8/2 + DRIVE)/A2, 1e-12)


@model("differential_drive_published")
def differential_drive_published(name):
    columns = {"x": "x", "y": "y", "theta": "theta", "chi1": "chi[1]", "chi2": "chi[2]", "nu2": "nu2", "nu3": "nu3"}
    follow(name, "diffdrive_published.csv", columns)
    found = accelerations(name)
    near(f"{name}: nu3'", 2*found["theta"], (-0.5*1*0.8/4 + TURN)/(0.25*A1/4 + A3), 1e-12)


finish()
