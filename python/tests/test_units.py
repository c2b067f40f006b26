# SPDX-License-Identifier: Apache-2.0
"""Units: what is asked for by name is in it, everything else as the guide says."""
import pickle

import numpy as np
import pytest

import pfaff

ARM = """model arm
coord th [deg], x [mm]
param m = 2 [kg], l = 200 [mm], g = 9.81 [m/s^2], k = 3 [N/mm]
input tl [N mm]
kinetic m*l^2*th'^2/2 + m*x'^2/2
potential m*g*l*cos(th) + k*x^2/2
force th = tl
start th = 3, x = 2, th' = 5
run 0.1
"""


@pytest.fixture
def arm():
    return pfaff.Model(ARM)


def test_a_unit_behind_a_name_holds(arm):
    sim = arm.simulate()
    assert sim["th"] == pytest.approx(np.radians(3), rel=1e-15) and sim["th [deg]"] == pytest.approx(3, rel=1e-15) and sim.unit("th [deg]") == "deg"
    assert sim["x [m]"] == 0.002 == sim["x"] and sim["th' [deg/s]"] == pytest.approx(5, rel=1e-15)
    np.testing.assert_allclose(sim["x [mm], th, th [deg]"], [2, np.radians(3), 3], rtol=1e-14)
    assert sim["x + 3 [mm]"] == 0.005  # a unit of the 3, not of the sum
    assert sim["(x + 3 [mm]) [mm]"] == pytest.approx(5, rel=1e-15)
    assert sim.clone()["th [deg]"] == sim["th [deg]"]
    copy = sim.clone()
    copy._handles = dict(sim._handles)
    assert copy["x [mm], th, th [deg]"][2] == sim["th [deg]"]
    with pytest.raises(pfaff.Error, match="must be in m, but this is in rad"):
        sim["th [m]"]


def test_also_in_arrays_and_tables(arm):
    run = arm.run(every=0.02, show=["th [deg]", "x [m]", "kinetic [mJ]"])
    table = arm.simulate().record(0.1, 0.02, ["th [deg]", "x [m]", "kinetic [mJ]"])
    np.testing.assert_allclose(table, run.data, rtol=1e-6)
    sim = arm.simulate()
    states = np.stack([sim.q, 2*sim.q])
    np.testing.assert_allclose(arm.evaluate("th [deg], x, x [mm]", states), [[3, 0.002, 2], [6, 0.004, 4]], rtol=1e-14)
    np.testing.assert_allclose(arm.evaluate("x [mm]", states), [2, 4], rtol=1e-14)
    with pytest.raises(pfaff.Error, match="must be in s"):
        arm.evaluate("x [s]", states)


def test_observations_have_units(arm):
    pytest.importorskip("gymnasium")
    from pfaff.gym import Environment
    env = Environment(arm, ["tl"], ["th [deg]", "x"], "th [deg]", dtype=np.float64)
    np.testing.assert_allclose(env.reset()[0], [3, 0.002], rtol=1e-14)
    observation, reward, *_ = env.step([0.0])
    assert reward == pytest.approx(observation[0], rel=1e-12)


def test_one_quantity_in_two_units(arm):
    run = arm.run(every=0.05, show=["th", "th [rad]", "x"])
    assert run.columns == ["t", "th", "th [rad]", "x"] == list(run) and len(run) == 4
    assert run.units == {"t": "s", "th": "deg", "th [rad]": "rad", "x": "mm"}
    np.testing.assert_allclose(run["th"], np.degrees(run["th [rad]"]), rtol=1e-14)
    np.testing.assert_array_equal(run["th [deg]"], run["th"])
    assert pickle.loads(pickle.dumps(run)) == run


def test_pandas_and_xarray_know_both(arm):
    run = arm.run(every=0.05, show=["th", "th [rad]"])
    frame = pytest.importorskip("pandas").DataFrame(run.to_pandas())
    assert list(frame.columns) == ["th", "th [rad]"] and run.to_pandas().attrs["units"]["th [rad]"] == "rad"
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert data["th"].attrs["units"] == "deg" and data["th [rad]"].attrs["units"] == "rad"
    np.testing.assert_allclose(data["th"], np.degrees(data["th [rad]"]), rtol=1e-14)


def test_linear_models_are_in_si(arm):
    linear = arm.linearize(near="equilibrium")
    assert (linear.units, linear.states, linear.inputs) == ("SI", ["th", "x", "th'", "x'"], ["tl"])
    assert linear.state_units == ["deg", "mm", "deg/s", "mm/s"] and linear.input_units == ["N mm"] and linear.output_units == ["deg", "mm"]
    m, l, g, k = 2, 0.2, 9.81, 3000
    np.testing.assert_allclose(linear.A, [[0, 0, 1, 0], [0, 0, 0, 1], [g/l, 0, 0, 0], [0, -k/m, 0, 0]], rtol=1e-12)
    np.testing.assert_allclose(linear.B, [[0], [0], [1/(m*l**2)], [0]], rtol=1e-12)
    np.testing.assert_allclose(linear.C, [[1, 0, 0, 0], [0, 1, 0, 0]], rtol=1e-12)
    at_start = arm.linearize()
    np.testing.assert_allclose(at_start.x, [np.radians(3), 0.002, np.radians(5), 0], rtol=1e-12)
    np.testing.assert_allclose(at_start["rate"][:2], at_start.x[2:], rtol=1e-12)
    for value, mode in zip(linear.eigenvalues, linear.modes.T):
        np.testing.assert_allclose(linear.A @ mode, value*mode, atol=1e-9*abs(mode).max()*max(1, abs(value)**2))
    assert "in SI" in repr(linear) and pickle.loads(pickle.dumps(linear)).B[2, 0] == linear.B[2, 0]
    with pytest.raises(AttributeError, match="state_units.*output_units"):
        linear.K


def test_or_in_the_units_of_the_model(arm):
    linear, declared = arm.linearize(near="equilibrium"), arm.linearize(near="equilibrium", units="declared")
    np.testing.assert_array_equal(declared.B, np.array(declared.raw["B"]))
    assert declared.B[2, 0] == pytest.approx(np.degrees(linear.B[2, 0])*1e-3, rel=1e-12)
    assert "in declared units" in repr(declared)
    np.testing.assert_allclose(declared.eigenvalues, linear.eigenvalues)
    with pytest.raises(pfaff.ArgumentError, match="'SI' or 'declared'"):
        arm.linearize(units="mm")
    control = pytest.importorskip("control")
    assert control.ss(linear.to_control()).B[2, 0] == linear.B[2, 0] and declared.to_control().B[2, 0] == declared.B[2, 0]


def test_a_gain_of_the_linear_model_stabilises(arm):
    """Poles at -5 by the numbers of SI, in a simulation, whose numbers are of SI."""
    linear = arm.linearize(near="equilibrium", state={"x": 0})
    stiff, damping, gain = linear.A[2, 0] + 25, 10.0, linear.B[2, 0]
    sim = arm.simulate()
    sim.control(1e-3, lambda s: s.input.update(tl=-(stiff*s["th"] + damping*s["th'"])/gain))
    assert sim.advance(4) and abs(sim["th [deg]"]) < 1e-4
