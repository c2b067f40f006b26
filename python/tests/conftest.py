# SPDX-License-Identifier: Apache-2.0
"""The program to compare with is $PFAFF_PROGRAM; without it, what needs it is left out."""
import json
import os
import pathlib
import subprocess

import pytest

import pfaff

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT/"examples"
# those on which tests run that take long
LISTED = [line.split()[0].split("/")[1] for line in (EXAMPLES.parent/"tests/examples.txt").read_text().splitlines()
          if line and not line.startswith("#")]
REFERENCE = ROOT/"tests"/"reference"


@pytest.fixture
def program():
    """program("check", "--json", path) -> its JSON."""
    path = os.environ.get("PFAFF_PROGRAM") or str(ROOT/"build"/"pfaff")
    if not os.path.exists(path):
        pytest.skip("PFAFF_PROGRAM names no program")
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer's is for Python

    def call(*words):
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True, timeout=100, env=environment)
        return json.loads(done.stdout)
    return call


def example_path(name):
    return next(EXAMPLES.glob(f"*/{name}.pf"))


def example(name):
    return pfaff.load(example_path(name))


@pytest.fixture
def snakeboard():
    return example("snakeboard")


# a pendulum with a motor; SI units, so that SI and declared ones are the same
PENDULUM = """model pendulum
coord phi [rad]
param m = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2], c = 0.1 [N m s]
input u [N m]
kinetic m*l^2/2*phi'^2
potential -m*g*l*cos(phi)
force phi = u - c*phi'
start phi = 1
run 2
"""


@pytest.fixture
def pendulum():
    return pfaff.Model(PENDULUM)
