# SPDX-License-Identifier: Apache-2.0
"""Simulations: moved, driven, saved, cloned."""
import copy
import gc
import pickle
import weakref

import warnings

import numpy as np
import pytest

import pfaff
from conftest import example


def test_a_simulation_goes_where_a_run_goes(pendulum):
    sim = pendulum.simulate(by="dop853", rtol=1e-11)
    assert sim.advance(1) and sim.t == 1
    run = pendulum.run(1, by="dop853", rtol=1e-11)
    assert sim["phi"] == pytest.approx(run["phi"][-1], abs=1e-9)
    assert np.allclose([sim.q, sim.v, sim.a], [[run[name][-1]] for name in ("phi", "phi'", "phi''")], atol=1e-7)


def test_inputs_hold_until_they_are_set_again():
    m = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u")
    sim = m.simulate()
    sim.input["u"] = 2
    sim.step(1)
    assert sim["x"] == pytest.approx(1, abs=1e-9) and sim.input["u"] == 2 and dict(sim.input) == {"u": 2}
    sim.input["u"] = 0
    sim.step(1)
    assert sim["x"] == pytest.approx(3, abs=1e-9)


def test_set_and_start_again(pendulum):
    sim = pendulum.simulate(params={"c": 0}, state={"phi": "90 [deg]"})
    assert sim["phi"] == pytest.approx(np.pi/2)
    sim.advance(0.5)
    sim.set("phi", 0.5)
    sim.set("l", "20 [cm]")
    sim.start()
    assert sim.t == 0 and sim["phi"] == 0.5 and sim.get("l") == pytest.approx(0.2)
    sim.start(phi=0.25)
    assert sim["phi"] == 0.25


def test_quantities(snakeboard):
    sim = snakeboard.simulate()
    M = sim["matrix M"].reshape(6, 6)
    assert np.allclose(M, snakeboard.mass_matrix(sim.q)) and np.allclose(M, M.T)
    assert sim["lambda[rear]"] == pytest.approx(snakeboard.multipliers(sim.q, sim.v)[0])
    assert sim["sqrt(x'^2 + y'^2)"] == 0 and sim.unit("x") == "m"


def test_a_controller_balances_a_pendulum():
    m = pfaff.Model("coord phi; param c = 0; input u; kinetic phi'^2/2; potential 10*cos(phi); force phi = u; start phi = 0.3")
    sim, calls = m.simulate(), []

    def balance(s):
        calls.append(s.t)
        s.input["u"] = -24*s["phi"] - 4*s["phi'"]
    sim.control(0.01, balance)
    assert sim.advance(3)
    assert abs(sim["phi"]) < 0.01 and len(calls) == 300 and calls[1] == 0.01
    sim.control(0.01, None)
    assert sim.step(0.1) and len(calls) == 300


def test_what_a_controller_raises_comes_out(pendulum):
    sim = pendulum.simulate()

    def fail(s):
        if s.t > 0.05:
            raise ZeroDivisionError("as planned")
    sim.control(0.01, fail)
    with pytest.raises(ZeroDivisionError, match="as planned"):
        sim.advance(1)
    assert 0.05 < sim.t < 0.08
    sim.control(0.01, None)
    assert sim.advance(1)  # it can go on


def test_a_controller_may_not_move_its_simulation(pendulum):
    sim, seen = pendulum.simulate(), []
    sim.control(0.1, lambda s: s.step(0.1))
    with pytest.raises(pfaff.Error, match="its controller wants to move it"):
        sim.advance(1)
    other = pendulum.simulate()
    other.control(0.1, lambda s: seen.append(pendulum.run(0.01)))  # another one it may
    assert other.advance(0.3)


def test_snapshots_go_on_bit_for_bit(snakeboard):
    sim = snakeboard.simulate(by="dopri5")
    sim.advance(0.5)
    kept = sim.save()
    sim.advance(1)
    once = sim.q
    sim.restore(kept)
    assert sim.t == 0.5
    sim.advance(1)
    assert np.array_equal(sim.q, once)
    with pytest.raises(pfaff.ArgumentError, match="no snapshot"):
        sim.restore(b"nothing")
    with pytest.raises(pfaff.ArgumentError, match="no snapshot"):
        sim.restore(kept[:100])


def test_clones_go_their_own_way(pendulum):
    sim = pendulum.simulate()
    sim.advance(0.5)
    other = sim.clone()
    other.input["u"] = 5
    sim.advance(1), other.advance(1)
    assert other["phi"] != sim["phi"] and other.t == sim.t


def test_clones_have_controllers_of_their_own(pendulum):
    seen = []
    sim = pendulum.simulate()
    sim.control(0.1, lambda s: seen.append(s))
    other = sim.clone()
    sim.advance(0.05), other.advance(0.05)
    assert seen == [sim, other]


def test_steps_of_the_method(pendulum):
    sim = pendulum.simulate(by="rk4", step=0.01, duration=0.1)
    count = 0
    while sim.step():
        count += 1
    assert sim.t == pytest.approx(0.1) and count == 10


def test_a_condition_ends_it():
    m = pfaff.Model("coord x; kinetic x'^2/2; start x' = 1; run 9 until x > 2")
    sim = m.simulate()
    assert sim.advance(1) and not sim.advance(5) and sim.t == pytest.approx(2)
    assert sim.result["end"] == "the stop condition became true"
    assert not sim.step(1)


def test_recording(pendulum):
    sim = pendulum.simulate(rtol=1e-10)
    table = sim.record(1, 0.1, ["phi", "phi'", "kinetic"])
    run = pendulum.run(1, every=0.1, rtol=1e-10)
    assert table.shape == (11, 4) and np.allclose(table[:, 0], run.t)
    assert np.allclose(table[:, 1:], run[["phi", "phi'", "kinetic"]], atol=1e-7)


def test_rows_show_what_the_controller_has_set():
    sim = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u").simulate()
    sim.control(0.1, lambda s: s.input.update(u=round(10*s.t) + 1))
    table = sim.record(0.3, 0.05, ["u", "x''"])
    np.testing.assert_array_equal(table[:, 1], [1, 1, 2, 2, 3, 3, 4])  # held from its instant on, the last one too
    np.testing.assert_array_equal(table[:, 2], table[:, 1])
    went = table[-1, 0], sim["x"]
    calls = []
    sim.control(0.1, lambda s: calls.append(s.t))
    sim.record(0.2, 0.1)
    sim.step(0.05)
    np.testing.assert_allclose(calls, [0.3, 0.4, 0.5])  # once at each instant
    again = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u").simulate()
    again.control(0.1, lambda s: s.input.update(u=round(10*s.t) + 1))
    again.advance(0.3)
    assert (again.t, again["x"]) == pytest.approx(went, abs=1e-14)  # the motion is the same


def test_what_a_controller_raises_ends_a_recording(pendulum):
    sim = pendulum.simulate()
    sim.control(0.1, lambda s: 1/(0.25 - s.t > 0) and None)
    with pytest.raises(ZeroDivisionError):
        sim.record(1, 0.1)
    sim.control(0.1, None)
    assert sim.advance(1)


def test_controllers_that_are_none(pendulum):
    sim = pendulum.simulate()
    for period, controller in ((0, print), (-1, print), (float("nan"), print), (0.1, 3), (0.1, "u")):
        with pytest.raises(pfaff.ArgumentError):
            sim.control(period, controller)
    sim.control(0.1, lambda s: -s["phi"])
    with pytest.raises(pfaff.ArgumentError, match="sim.input..u.. = …"):
        sim.advance(1)


def test_inputs_by_texts_and_arrays():
    sim = pfaff.Model("coord x; input u [N mm]; kinetic x'^2/2; force x = u").simulate()
    for value, number in (("3 [N mm]", 3e-3), ("3", 3e-3), (np.array([2.0]), 2), (np.array([[2.5]]), 2.5), (np.float32(1.5), 1.5)):
        sim.input["u"] = value
        assert sim.input["u"] == pytest.approx(number, rel=1e-15)
    with pytest.raises(pfaff.ArgumentError, match="is no number"):
        sim.input["u"] = [1, 2]


LINKAGE = """coord x, y [m]
kinetic (1 [kg])*(x'^2 + y'^2)/2
constraint x^2 + y^2 = 1 [m^2]
start x = 1, y = 0
"""


def test_starts_that_are_changed_are_told():
    m = pfaff.Model(LINKAGE)
    with pytest.warns(pfaff.ModelWarning, match="the start cannot hold as given and is changed: x .m. from 2 to 1") as told:
        sim = m.simulate(state={"x": 2})
    assert told[0].filename == __file__ and sim["x"] == pytest.approx(1, abs=1e-9)
    with pytest.warns(pfaff.ModelWarning, match="y .m. from 3 to") as told:
        sim.start(y=3)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.simulate(state={"x": 0, "y": -1}).start()


def test_lists_are_set_by_one_name():
    m = pfaff.Model("param k[2] [N/m]; coord x[2]; kinetic (x[1]'^2 + x[2]'^2)/2; potential k[1]*x[1]^2/2 + k[2]*x[2]^2/2")
    sim = m.simulate(params={"k": [4, 9]}, state={"x": [1, 2]})
    assert sim.a.tolist() == pytest.approx([-4, -18])


def test_a_start_as_it_is_given():
    m = pfaff.Model("coord x, y; kinetic (x'^2 + y'^2)/2; constraint line: x = y; start x = 1; start y = 2")
    assert m.simulate(as_given=True).q.tolist() == [1, 2]
    with pytest.warns(pfaff.ModelWarning, match="y from 2"):
        sim = m.simulate(state={"x": 3})
    assert sim["x"] == pytest.approx(sim["y"])


def test_events():
    sim = example("spacecraft").simulate()
    sim.advance(6)
    assert [round(e["t"], 9) for e in sim.events] == [5] and sim.events[0]["kinetic_before"] > sim.events[0]["kinetic_after"]


def test_bad_words(pendulum):
    sim = pendulum.simulate()
    for call, words in [(lambda: sim["phy"], "did you mean"), (lambda: sim.set("mm", 1), "did you mean 'm'"),
                        (lambda: sim.advance(float("nan")), "not finite"), (lambda: sim.input.__setitem__("w", 1), "has no 'w'"),
                        (lambda: sim.input.__setitem__("u", float("inf")), "not finite"), (lambda: sim.set("m", "1 [s]"), "s"),
                        (lambda: sim.method("rk5"), "rk4"), (lambda: sim.control(-1, print), "period"),
                        (lambda: sim.record(1, 0), "positive"), (lambda: sim.record("a", 1), "not defined"),
                        (lambda: pendulum.simulate(rtol=-1), "not a positive number"), (lambda: pendulum.simulate(inputs=[1]), "by name"),
                        (lambda: pendulum.simulate(state={"u": 1}), "is an input"), (lambda: pendulum.simulate(inputs={"m": 1}), "'m'"), (lambda: pendulum.simulate(start=False).step(), "not been started")]:
        with pytest.raises(pfaff.Error) as caught:
            call()
        assert words in str(caught.value)
    sim.advance(1)
    with pytest.raises(pfaff.ArgumentError, match="cannot go to 0.5"):
        sim.advance(0.5)
    with pytest.raises(TypeError, match="its model can"):
        pickle.dumps(sim)
    assert sim.step(0.1)  # what was refused has changed nothing


@pytest.mark.parametrize("call, words", [
    (lambda s: s.record(1, 1e-320), "too short"),
    (lambda s: s.record(1, 1e-15), "no room for them"),
    (lambda s: s.record(1e300, 1e-5), "too short"),
    (lambda s: s.record(1, float("nan")), "every is nan"),
    (lambda s: s.record(1, float("inf")), "every is inf"),
    (lambda s: s.record(float("nan"), 1), "duration is nan"),
    (lambda s: s.record(1, None), "every: None"),
    (lambda s: s.record(1, 1j), "every: 1j"),
    (lambda s: s.get(None), "a quantity is a text"),
    (lambda s: s[None], "a quantity is a text"),
    (lambda s: s[[]], "a quantity is a text"),
    (lambda s: s.get(1.5), "a quantity is a text"),
    (lambda s: s.get(999), "999"),
    (lambda s: s.get(-1), "-1"),
    (lambda s: s.find(b"phi"), "a quantity is a text"),
    (lambda s: s.set("m", 1j), "m: 1j is no number"),
    (lambda s: s.set("m", None), "m: None is no number"),
    (lambda s: s.set("m", np.ma.masked), "is no number"),
    (lambda s: s.set(5, 1), "a text is needed, not 5"),
    (lambda s: s.step("long"), "'long' is not defined"),
    (lambda s: s.step(1j), "dt: 1j"),
    (lambda s: s.step([1]), "dt: [1]"),
    (lambda s: s.step(-1), "cannot go to"),
    (lambda s: s.advance(None), "t: None"),
    (lambda s: s.method(step="a"), "step: 'a' is no number"),
    (lambda s: s.method(rtol=float("nan")), "not a positive number"),
    (lambda s: s.method(5), "a text is needed"),
    (lambda s: s.control("a", print), "period: 'a' is no number"),
    (lambda s: s.control(0.1, 5), "a function of the simulation"),
    (lambda s: s.input.__setitem__("u", 1j), "the input 'u': 1j is no number"),
    (lambda s: s.input.__setitem__("u", None), "the input 'u': None is no number"),
    (lambda s: s.native("fast"), "'off', 'auto' or 'on'"),
    (lambda s: s.restore("text"), "bytes"),
    (lambda s: s.restore(b"text"), ""),
])
def test_odd_arguments(pendulum, call, words):
    sim = pendulum.simulate()
    with pytest.raises(pfaff.Error) as caught:
        call(sim)
    assert words in str(caught.value), str(caught.value)
    assert sim.t == 0 and sim.step(0.1)


def test_a_recording_moves_on_for_so_long(pendulum):
    sim, other = pendulum.simulate(), pendulum.simulate()
    table = sim.record(1, 0.3, "phi")
    assert table.shape == (4, 2) and sim.t == 1
    other.advance(1)
    assert sim["phi"] == pytest.approx(other["phi"], abs=1e-6)  # the tolerance of the method
    assert sim.record(1, 1e300).shape == (1, 2) and sim.t == 2
    assert sim.record("500 [ms]", "0.1 [s]").shape == (6, 2) and sim.t == 2.5
    assert sim.record(0, 1).shape == (1, 2) and sim.t == 2.5


def test_copies_are_clones(pendulum):
    sim = pendulum.simulate()
    sim.advance(0.5)
    for made in (copy.copy(sim), copy.deepcopy(sim)):
        made.step(0.5)
        assert made.t == 1 and sim.t == 0.5
    sim.step(0.5)
    assert sim["phi"] == made["phi"]


def test_native_code_is_switched_on_and_off(pendulum):
    sim, plain = pendulum.simulate(), pendulum.simulate()
    try:
        sim.native("on")
    except pfaff.MissingLibrary:
        pytest.skip("there is no compiler")
    for mode in ("on", "off", "auto", "off"):
        sim.native(mode)
        sim.step(0.25)
        plain.step(0.25)
        assert sim["phi"] == plain["phi"]  # bit for bit


def test_simulations_are_freed(pendulum):
    sim = pendulum.simulate()
    sim.control(0.1, lambda s: None)
    sim.advance(0.2)
    gone = weakref.ref(sim)
    del sim
    gc.collect()
    assert gone() is None


def test_clone_keeps_the_instants_of_the_controller():
    m = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u; start x = 1")
    s = m.simulate()
    s.control(0.1, lambda s: s.input.__setitem__("u", -4*s["x"] - s["x'"]))
    s.advance(0.25)
    clone = s.clone()
    s.advance(1)
    clone.advance(1)
    assert s["x"] == clone["x"]


def test_a_controller_that_raises_is_called_again_at_its_instant():
    m = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u; start x = 1")
    ends = []
    for fails in (None, 3):
        calls = []

        def law(s):
            calls.append(s.t)
            if len(calls) == fails: raise ValueError("once")
            s.input["u"] = -4*s["x"] - s["x'"]

        s = m.simulate()
        s.control(0.1, law)
        if fails:
            with pytest.raises(ValueError): s.advance(1)
            assert s.t == pytest.approx(0.2, abs=1e-15)
        s.advance(1)
        ends.append(s["x"])
    assert ends[0] == ends[1]


def test_a_changed_snapshot_is_refused():
    s = pfaff.example("snakeboard").simulate()
    s.advance(0.2)
    kept = s.save()
    for place in range(24, len(kept), 97):
        changed = bytearray(kept)
        changed[place] ^= 0x40
        with pytest.raises(pfaff.Error, match="snapshot"): s.restore(bytes(changed))
    s.restore(kept)
    s.step(1e-3)


@pytest.mark.parametrize("call", [lambda s: s.clone(), lambda s: s.save()])
def test_no_copies_by_a_controller(pendulum, call):
    sim = pendulum.simulate()

    def controller(sim):
        call(sim)
    sim.control(0.1, controller)
    with pytest.raises(pfaff.Error, match="controller") as caught:
        sim.step(0.5)
    assert "thread" not in str(caught.value) and "between moves" in caught.value.hint


def test_vectors_of_free_bodies():
    m = pfaff.Model("body b in ground free { mass 1, inertia diag(1, 1, 1) }")
    place, attitude = (1, 2, 3), np.array([0.8, 0, 0.6, 0])
    sim = m.simulate(state={"b.p": place, "b.q": attitude})
    run = m.run(1, state={"b.p": place, "b.q": attitude}, every=1)
    assert [sim[name] for name in m.coordinates] == [run[name][0] for name in m.coordinates]
    sim.set("b.p", ("4 [mm]", 5, 6))
    assert [sim.start()[name] for name in ("b.px", "b.py", "b.pz", "b.qw")] == [0.004, 5, 6, 0.8]
    for name, value in (("b.p", (1, 2)), ("b.px", (1, 2, 3)), ("b.q", (1, 2, 3))):
        with pytest.raises(pfaff.ArgumentError, match=name):
            sim.set(name, value)


def test_rows_of_a_record_that_fails_are_kept():
    sim = pfaff.Model("coord x; kinetic x'^2/2; force x = 2 + 1e-300*sqrt(1 - t)").simulate()  # x = t^2, until t = 1
    with pytest.raises(pfaff.Error) as raised:
        sim.record(2, 0.25, "x")
    rows = raised.value.result
    assert rows is sim.recorded and 4 <= len(rows) <= 5
    assert np.allclose(rows[:, 1], rows[:, 0]**2) and np.allclose(rows[:, 0], 0.25*np.arange(len(rows)))


def test_rows_are_kept_whatever_a_controller_raises():
    sim = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u").simulate()

    def controller(sim):
        if sim.t > 0.55:
            raise RuntimeError("the battery is empty")
        sim.input["u"] = 2

    sim.control(0.1, controller)
    with pytest.raises(RuntimeError, match="battery"):
        sim.record(1, 0.1, "x")
    assert len(sim.recorded) == 6 and np.allclose(sim.recorded[:, 1], sim.recorded[:, 0]**2)
    assert pfaff.Model("coord x; kinetic x'^2/2").simulate().recorded is None
