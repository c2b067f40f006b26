# SPDX-License-Identifier: Apache-2.0
"""The types as users' checkers see them: a program that is right has no findings, and names that are not there are found."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import pfaff

RIGHT = """
from typing import Optional
import numpy as np
import pfaff

m = pfaff.Model("coord x; kinetic x'^2/2; potential x^2/2; start x = 1")
r = m.run(1, every=0.5)
x: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = r["x"]
print(r.t, r.units["x"], r.end, r.energy["start"], r.events, len(x))
d = pfaff.Model(name="oscillator")
q = d.coord("q", unit="m")
d.kinetic(2*pfaff.unit("kg")*q.d**2/2)
d.potential(1 - pfaff.cos(q))
e: pfaff.Expression = pfaff.max(q, 1) + pfaff.atan2(q, 1) + pfaff.if_(q > 0, pfaff.pi, pfaff.time)
s = m.simulate()
moving: bool = s.step(0.1)
t: float = s.t
table = s.record(1, 0.1, "x")
print(table.shape, m.check().degrees_of_freedom, pfaff.__version__, e, moving, t)
l = m.linearize()
print(l.A, l.eigenvalues, l.motion, m.derive().equations[0].lhs)
for p in m.equilibria().points:
    print(p.stability)
rank: int = m.check().rank
horizon: Optional[float] = m.check().horizon
kinds = [one.kind + (one.name or "") for one in m.invariants().invariants]
energy: float = m.eval().energy.kinetic + sum(m.eval().multipliers.values())
try:
    pfaff.load("no.pf")
except (OSError, pfaff.ModelError) as error:
    print(error)
"""
WRONG = """
import pfaff
m = pfaff.load("x.pf")
pfaff.cosine
pfaff.loadd("x")
m.runn(1)
m.simulate().stepp()
m.run(1).t_ende
m.derive().latexx
m.linearize().AA
m.check().degrees
m.invariants().invariants[0].vaule
m.run(1).energy.begin
pfaff.Model(name="a").coordd("x")
pfaff.cos(1).dx
"""


@pytest.fixture
def programs(tmp_path):
    (tmp_path/"right.py").write_text(RIGHT)
    (tmp_path/"wrong.py").write_text(WRONG)
    return tmp_path


def run(*words, folder):
    package = str(pathlib.Path(pfaff.__file__).absolute().parents[1])
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": package, "MYPYPATH": package})


def demand(findings):
    """Each line of WRONG that asks for what is not there, and nothing else."""
    wanted = {("wrong.py", number) for number, line in enumerate(WRONG.splitlines(), 1) if number > 3 and line}
    assert {(pathlib.Path(name).name, int(line)) for name, line, _ in findings} == wanted, findings


def test_the_right_program_runs(programs):
    done = run("right.py", folder=programs)
    assert done.returncode == 0, done.stderr


def test_pyright(programs):
    pytest.importorskip("pyright")
    try:
        done = run("-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "right.py", "wrong.py", folder=programs)
        told = json.loads(done.stdout)
    except ValueError:
        pytest.skip("pyright could not be fetched: it is a package of npm")
    demand([(d["file"], d["range"]["start"]["line"] + 1, d["message"]) for d in told["generalDiagnostics"]
            if d["severity"] == "error"])


def test_mypy(programs):
    pytest.importorskip("mypy")
    done = run("-m", "mypy", "--strict", "--cache-dir", os.devnull, "right.py", "wrong.py", folder=programs)
    demand(re.findall(r"^(\S+):(\d+): error: (.*)$", done.stdout, re.MULTILINE))
