# SPDX-License-Identifier: Apache-2.0
"""The equations as functions of CasADi have the numbers of the engine."""
import inspect
import signal
import sys
import warnings

import numpy as np
import pytest

casadi = pytest.importorskip("casadi")

import pfaff
from conftest import LISTED, PENDULUM, example

# a contact point that is found by curvature, stiff contact; masses of hands are partly zero
LOOSE = {"ball_on_surface": 1e-12}
HAND = 1e-10


@pytest.mark.parametrize("name", LISTED)
def test_accelerations_of_examples(name):
    rng = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # events are left out of code
        m = example(name)
        f = m.to_casadi()
    assert tuple(f.COORDINATES) == m.coordinates and tuple(f.CONSTRAINTS) == m.constraints
    sim = m.simulate()
    for _ in range(4):
        inputs = {one: rng.standard_normal() for one in m.inputs}
        scales = {entry["name"]: entry["scale"] for entry in m.info["inputs"]}
        ours = m.accelerations(sim.q, sim.v, sim.t, inputs=inputs)
        theirs = np.array(f.accelerate(f.P0, sim.t, sim.q, sim.v, [x*scales[one] for one, x in inputs.items()])[0]).ravel()
        assert abs(theirs - ours).max() <= (HAND if name.startswith("hand") else LOOSE.get(name, 1e-13))*max(1, abs(ours).max())
        sim.step(0.02)


def test_options_and_source():
    m = pfaff.Model(PENDULUM)
    f = m.to_casadi(params={"l": 0.25}, state={"phi": 0.5})
    assert np.array(f.P0).ravel().tolist() == [2, 0.25, 9.81, 0.1] and float(f.Q0) == 0.5
    J = f.rates.jacobian()(f.P0, 0, [0.3, 0.2], [0], 0)[2]  # by z
    assert np.array(J) == pytest.approx(np.vstack([[0, 1], m.jacobian([0.3], [0.2], params={"l": 0.25})[0]]), rel=1e-14)
    assert "def matrices" in inspect.getsource(f)
    driven = pfaff.Model("coord x; input u = sin(t); kinetic x'^2/2; force x = u")
    assert driven.to_casadi().INPUTS == [] and driven.to_casadi(inputs="u").INPUTS == ["u"]
    with pytest.raises(pfaff.Error, match="no input 'w'"):
        driven.to_casadi(inputs="w")


def test_what_goes_to_standard_output_is_kept(capfd):
    for words in (["export", "--to=casadi"], ["derive", "--latex"], ["draw"]):
        code, out, _ = pfaff.command(*words, "--out=-", "-", text=PENDULUM + "frame rod in ground turn phi about y\n")
        assert code == 0 and len(out) > 50
    assert capfd.readouterr().out == ""


def test_ctrl_c_waits_for_casadi():
    """What is raised within its calls is lost there."""
    from pfaff._casadi import make_module
    done = []
    sys.modules["done_of_test"] = done
    source = "import signal, sys\ntry:\n    signal.raise_signal(signal.SIGINT)\nexcept BaseException:\n    pass\nsys.modules['done_of_test'].append(1)\n"
    try:
        with pytest.raises(KeyboardInterrupt):
            make_module(source, "m")
    finally:
        del sys.modules["done_of_test"]
    assert done == [1] and signal.getsignal(signal.SIGINT) is signal.default_int_handler
