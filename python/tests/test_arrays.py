# SPDX-License-Identifier: Apache-2.0
"""Numbers at many states, against tables, the program and derivatives by differences."""
import collections
import concurrent.futures
import csv

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import pfaff
from conftest import PENDULUM, REFERENCE, example


def tables():
    with open(REFERENCE/"accelerations.csv") as file:
        cases = collections.defaultdict(list)
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            cases[row["case"]].append(row)
    return cases


CASES = tables()


# those with the parameters and units of the example
OWN = [name for name in CASES if not name.startswith(("omni_robot", "carriage_omni3 inertial"))]


@pytest.mark.parametrize("case", OWN)
def test_accelerations_of_the_reference(case):
    m = example(case.split()[0])
    rows = {row["name"]: row for row in CASES[case]}
    q, v, a = (np.array([float(rows[c][key]) for c in m.coordinates]) for key in ("q", "v", "acceleration"))
    assert np.abs(m.accelerations(q, v) - a).max() < 1e-12*np.abs(a).max()


@pytest.mark.parametrize("name", ["snakeboard", "bicycle", "carriage_mecanum", "hand", "rolling_ball"])
def test_a_state_is_that_of_eval(name):
    m = example(name)
    sim = m.simulate()
    told = m.eval(form="multipliers")
    scale = np.array([entry["scale"] for entry in m.info["coordinates"]])
    a = m.accelerations(sim.q, sim.v, form="multipliers")
    expected = told.acceleration*scale
    assert np.allclose(a, expected, rtol=1e-9, atol=1e-9*max(1, np.abs(expected).max()))
    assert np.allclose(m.constraint_forces(sim.q, sim.v, form="multipliers"), told.constraint_force, rtol=1e-8, atol=1e-8)
    assert m.kinetic_energy(sim.q, sim.v) == pytest.approx(told.energy.kinetic, abs=1e-12)
    assert m.potential_energy(sim.q) == pytest.approx(told.energy.potential, abs=1e-12)


@pytest.mark.parametrize("form", ["auto", "multipliers", "udwadia_kalaba", "maggi"])
def test_the_equations_hold(snakeboard, form):
    rng = np.random.default_rng(3)
    q, v = rng.uniform(-1, 1, (50, 6)), rng.uniform(-1, 1, (50, 6))
    M, F, A, b = (snakeboard.mass_matrix(q), snakeboard.forces(q, v), snakeboard.constraint_matrix(q, v),
                  snakeboard.constraint_right_side(q, v))
    assert M.shape == (50, 6, 6) and A.shape == (50, 2, 6)
    a, multiplier = snakeboard.accelerations(q, v, form=form), snakeboard.multipliers(q, v, form=form)
    left = np.einsum("kij,kj->ki", M, a) - F - np.einsum("kij,ki->kj", A, multiplier)
    assert np.abs(left).max() < 1e-10 and np.abs(np.einsum("kij,kj->ki", A, a) - b).max() < 1e-10
    force = snakeboard.constraint_forces(q, v, form=form)
    assert np.allclose(force, np.einsum("kij,ki->kj", A, multiplier), atol=1e-10)


def differences(f, x, h=1e-6):
    columns = [(f(x + h*e) - f(x - h*e))/(2*h) for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("name", ["snakeboard", "bicycle", "unicycle", "sleigh_friction"])
def test_derivatives_by_the_state(name):
    m = example(name)
    sim = m.simulate()
    n = len(m.coordinates)
    rng = np.random.default_rng(5)
    x = np.concatenate([sim.q, sim.v]) + 0.01*rng.uniform(-1, 1, 2*n)
    for of, call in (("accelerations", m.accelerations), ("multipliers", m.multipliers)):
        J = m.jacobian(x[:n], x[n:], by="state", of=of)
        D = differences(lambda y: call(y[:n], y[n:]), x)
        if of == "accelerations" or np.linalg.matrix_rank(m.constraint_matrix(x[:n], x[n:])) == len(m.constraints):
            assert np.allclose(J, D, rtol=1e-5, atol=1e-5*max(1, np.abs(D).max())), of


def test_derivatives_by_inputs_and_parameters(pendulum):
    q, v, u = np.array([0.4]), np.array([0.7]), 0.3
    m, l, g, c = 2, 0.5, 9.81, 0.1
    J = pendulum.jacobian(q, v, by="inputs", inputs={"u": u})
    assert J.shape == (1, 1) and J[0, 0] == pytest.approx(1/(m*l*l))
    J = pendulum.jacobian(q, v, by="params", inputs={"u": u})
    moment = u - c*v[0]
    exact = [-moment/(m*m*l*l), -2*moment/(m*l**3) + g*np.sin(q[0])/l**2, -np.sin(q[0])/l, -v[0]/(m*l*l)]
    assert np.allclose(J[0], exact)


def test_derived_parameters_follow():
    m = pfaff.Model("coord x; param a = 2; let b = a^2; kinetic x'^2/2; potential b*x^2/2")
    assert m.accelerations([1.0], params={"a": [1, 2, 3]}).tolist() == [[-1], [-4], [-9]]
    assert m.jacobian([1.0], by="params").tolist() == [[-4]]
    assert list(m.parameters) == ["a"]


FOLLOWING = """coord x
param a = 2, b = 3*a, c = a*b
let d = b^2
input u = a*t
kinetic x'^2/2
force x = -b*x + c*x^2 + d + u + a*t
"""


@pytest.mark.parametrize("given", [{}, {"a": 1.5}, {"b": 5}, {"c": 2}, {"a": [1, 2, 3], "c": 7}])
def test_parameters_that_are_formulas_follow(given):
    m = pfaff.Model(FOLLOWING)
    J = m.jacobian([2.0], t=0.7, by="params", params=given)
    numbers = {"a": 2.0, "b": 6.0, "c": 12.0}
    if "a" in given:
        numbers |= {"a": np.array(given["a"]), "b": 3*np.array(given["a"])}
    numbers |= {name: np.array(value) for name, value in given.items()}
    if "c" not in given:
        numbers["c"] = numbers["a"]*numbers["b"]
    for k, name in enumerate(m.parameters):
        h = 1e-5
        up, down = (m.accelerations([2.0], t=0.7, params={**given, name: numbers[name] + step}) for step in (h, -h))
        assert np.allclose(J[..., k], (up - down)/(2*h), rtol=1e-7, atol=1e-7), name


def test_multipliers_follow_as_well():
    m = pfaff.Model("coord x, y; param r = 2, k = 3/r, w = k*r^2; kinetic x'^2/2 + w*y'^2/2; potential k*(x - y)^2; "
                    "constraint c: w*x' + y' = t*k")
    q, v = np.array([0.3, -0.2]), np.array([0.1, 0.4])
    for of, call in (("accelerations", m.accelerations), ("multipliers", m.multipliers)):
        J = m.jacobian(q, v, 0.3, by="params", of=of)
        for k, (name, number) in enumerate({"r": 2.0, "k": 1.5, "w": 6.0}.items()):
            D = (call(q, v, 0.3, params={name: number + 1e-5}) - call(q, v, 0.3, params={name: number - 1e-5}))/2e-5
            assert np.allclose(J[:, k], D, rtol=1e-7, atol=1e-7), (of, name)


def test_lists_of_its_own_are_no_quantities(pendulum):
    pendulum.jacobian([1.0], by="q")
    for name in ("derivatives", "derivatives 1"):
        with pytest.raises(pfaff.ArgumentError):
            pendulum.evaluate(name, [1.0])


def test_many_quantities_are_not_kept_for_ever(pendulum, monkeypatch):
    monkeypatch.setattr("pfaff._field.MOST_KEPT", 7)
    for k in range(40):
        assert pendulum.evaluate(f"{k}*phi", [2.0]) == 2*k
        assert pendulum.evaluate("phi''", [0.0]) == 0
        assert pendulum.rhs(0, [0, 1]).tolist() == [1, -0.2]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: float(pendulum.evaluate(f"{k}*phi", [2.0])), range(200)))
    assert found == [2.0*k for k in range(200)]


def test_functions_of_time():
    m = pfaff.Model("coord x; input u = sin(t); input w; kinetic x'^2/2; force x = u + w")
    assert np.allclose(m.accelerations([0.0], t=[0, 1, 2], inputs={"w": 5})[:, 0], np.sin([0, 1, 2]) + 5)
    assert m.jacobian([0.0], t=0.5, by="t").tolist() == pytest.approx([np.cos(0.5)])
    with pytest.raises(pfaff.UnknownName, match="function of time"):
        m.accelerations([0.0], inputs={"u": 1})


def test_points_and_formulas():
    m = example("double_pendulum_bodies")
    q = np.random.default_rng(0).uniform(-1, 1, (7, len(m.coordinates)))
    assert m.position(m.bodies[0], q).shape == (7, 3)
    both = m.evaluate(f"{m.coordinates[0]}, 2*{m.coordinates[1]}", q)
    assert np.allclose(both, q*[1, 2])


def test_accelerations_in_formulas(snakeboard):
    q = np.random.default_rng(0).uniform(-1, 1, (100, 6))
    assert np.allclose(snakeboard.evaluate("2*theta''", q), 2*snakeboard.accelerations(q)[:, 2])
    assert np.allclose(snakeboard.evaluate("lambda[rear]", q), snakeboard.multipliers(q)[:, 0])


def test_scipy_integrates_the_right_hand_side(pendulum):
    integrate = pytest.importorskip("scipy.integrate")
    found = integrate.solve_ivp(pendulum.rhs, (0, 1), [1, 0], rtol=1e-10, atol=1e-12).y[:, -1]
    run = pendulum.run(1, rtol=1e-10)
    assert np.allclose(found, [run["phi"][-1], run["phi'"][-1]], atol=1e-7)
    assert pendulum.rhs(0, np.ones((2, 5))).shape == (2, 5)
    assert np.array_equal(pendulum.rhs(0, np.ones((2, 5)))[:, 0], pendulum.rhs(0, np.ones(2)))


@pytest.mark.parametrize("native", ["off", "auto"])
def test_many_states_are_the_same_numbers(snakeboard, native):
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-1, 1, (5000, 6)), rng.uniform(-1, 1, (5000, 6))
    many = snakeboard.accelerations(q, v, native=native)
    assert np.array_equal(many[4321], snakeboard.accelerations(q[4321], v[4321]))


BATCH = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@settings(max_examples=60, deadline=None)
@given(BATCH, BATCH, BATCH, BATCH)
def test_shapes_broadcast_as_those_of_numpy(a, b, c, d):
    m = pfaff.Model(PENDULUM)
    q, v, t, g = np.zeros(a + (1,)), np.zeros(b + (1,)), np.zeros(c), np.full(d, 9.81)
    try:
        shape = np.broadcast_shapes(a, b, c, d)
    except ValueError:
        with pytest.raises(pfaff.ArgumentError, match="do not fit together"):
            m.accelerations(q, v, t, params={"g": g})
        return
    assert m.accelerations(q, v, t, params={"g": g}).shape == shape + (1,)
    assert m.mass_matrix(q, t, params={"g": g}).shape == np.broadcast_shapes(a, c, d) + (1, 1)
    assert m.jacobian(q, v, t, params={"g": g}).shape == shape + (1, 2)


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=5), st.none(), st.complex_numbers(), st.lists(st.floats(), max_size=3), st.just({"x": 1}),
                 st.just(np.zeros((2, 7))), st.binary(max_size=4)))
def test_what_is_no_state_is_refused(thing):
    m = pfaff.Model(PENDULUM)
    try:
        found = m.accelerations(thing)
    except pfaff.Error as error:
        assert str(error)
    else:
        assert np.isfinite(found).all()


def test_other_types_and_layouts(pendulum):
    expected = pendulum.accelerations([[1.0], [2.0]])
    for q in (np.array([[1], [2]]), np.array([[1], [2]], dtype=np.float32), np.array([[1, 0], [2, 0]], dtype=float)[:, :1],
              np.asfortranarray([[1.0], [2.0]]), [[1], [2]], {"phi": [1, 2]}):
        assert np.array_equal(pendulum.accelerations(q), expected)


def test_the_first_bad_state_is_named(pendulum):
    q = np.zeros((3, 4, 1))
    q[1, 2] = np.nan
    with pytest.raises(pfaff.NumericalError, match=r"state \[1, 2\]"):
        pendulum.accelerations(q)
    with pytest.raises(pfaff.NumericalError, match=r"state \[1, 2\]"):
        pendulum.evaluate("sin(phi)", q)
    found = pendulum.accelerations(q, errors="nan")
    assert np.isnan(found[1, 2, 0]) and np.isfinite(found).sum() == 11
    assert np.isnan(pendulum.jacobian(q, errors="nan")[1, 2]).all()


@pytest.mark.parametrize("call, words", [
    (lambda m: m.accelerations([1, 2]), "the coordinates are phi"),
    (lambda m: m.accelerations([1.0], params={"gg": 1}), "did you mean 'g'"),
    (lambda m: m.accelerations([1.0], params={"g": np.inf}), "params['g'] is infinite"),
    (lambda m: m.accelerations([[1.0], [1.0]], params={"g": [9.8, np.nan]}), "params['g'] of state [1] is NaN"),
    (lambda m: m.accelerations([[1.0], [2.0], [np.nan]]), "q['phi'] of state [2] is NaN"),
    (lambda m: m.accelerations([1.0], {"phi": -np.inf}), "v['phi'] is infinite"),
    (lambda m: m.forces([[1.0]], [[0.0]], [np.nan]), "t of state [0] is NaN"),
    (lambda m: m.accelerations([1.0], inputs=np.array([1.0, 2.0])), "inputs={'u': …}"),
    (lambda m: m.accelerations([1.0], params=[1.0]), "a dictionary by name, not list"),
    (lambda m: pfaff.Model("coord x; speed w = x'; kinetic x'^2/2").accelerations([1.0], {"w": 1}), "'w' is a speed"),
    (lambda m: m.accelerations([1.0], params={"g": "3 [kg]"}), "kg"),
    (lambda m: m.accelerations([1.0], inputs={"w": 1}), "has no 'w'"),
    (lambda m: m.accelerations([1.0], form="magi"), "maggi"),
    (lambda m: m.accelerations([1.0], errors="never"), "'raise' or 'nan'"),
    (lambda m: m.accelerations([1.0], native="never"), "'off', 'auto' or 'on'"),
    (lambda m: m.jacobian([1.0], by="x"), "by is one of"),
    (lambda m: m.evaluate("phii", [1.0]), "did you mean"),
    (lambda m: m.rhs(0, [1, 2, 3]), "length 2"),
])
def test_words_for_what_is_wrong(pendulum, call, words):
    with pytest.raises(pfaff.Error) as caught:
        call(pendulum)
    assert words in str(caught.value)


def test_without_native_code_after_it(pendulum):
    q = np.linspace(-1, 1, 5000)[:, None]
    compiled = pendulum.evaluate("sin(phi)", q, native="auto")
    plain = pendulum.evaluate("sin(phi)", q, native="off")
    np.testing.assert_array_equal(compiled, plain)
    assert pendulum._field_for("off") is not pendulum._field_for("on") and pendulum._field_for("off").native == 0


def test_a_state_that_is_none_may_pass(pendulum):
    a = pendulum.accelerations([[1.0], [np.nan]], errors="nan")
    assert np.isfinite(a[0]).all() and np.isnan(a[1]).all()


def test_only_states_with_bad_parameters_are_nan(pendulum):
    good, bad = np.ones((3, 1)), {"m": [2, np.nan, 3], "g": [9.81, 9.81, 9.81]}
    for found, expected in (
            (pendulum.accelerations(good, params=bad, errors="nan"), pendulum.accelerations(good)),
            (pendulum.constraint_forces(good, params=bad, errors="nan"), pendulum.constraint_forces(good)),
            (pendulum.jacobian(good, params=bad, errors="nan"), pendulum.jacobian(good)),
            (pendulum.evaluate("phi", good, params=bad, errors="nan"), np.ones(3)),
            (pendulum.mass_matrix(good, params=bad, errors="nan"), pendulum.mass_matrix(good))):
        assert found.shape == expected.shape and np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()
        np.testing.assert_array_equal(found[0], expected[0])
    torque = pendulum.accelerations(good, inputs={"u": [0, 1, np.inf]}, errors="nan")
    assert np.isfinite(torque[:2]).all() and np.isnan(torque[2]).all()
    whole = pendulum.accelerations(good, params={"m": np.nan}, errors="nan")
    assert np.isnan(whole).all()
    grid = pendulum.accelerations(good[:2], params={"m": [[1.0], [np.nan], [2.0]]}, errors="nan")
    assert grid.shape == (3, 2, 1) and np.isnan(grid[1]).all() and np.isfinite(grid[[0, 2]]).all()


def test_only_states_whose_parameters_make_no_sense_are_nan():
    m = pfaff.Model("coord x; param a = 1, k = 2/a, M = 1; let c = 1/(a - 3); kinetic M*x'^2/2; potential (k + c)*x^2/2")
    params = {"a": [1.0, 0.0, 2.0, 3.0], "M": [1.0, 1.0, 0.0, 1.0]}  # k is not finite, no mass, c is not finite
    for found in (m.accelerations([1.0], params=params, errors="nan"), m.evaluate("x''", [1.0], params=params, errors="nan"),
                  m.jacobian([1.0], params=params, errors="nan")):
        assert np.isfinite(found[0]).all() and np.isnan(found[1:]).all()
    with pytest.raises(pfaff.NumericalError, match="'k' is not a finite number"):
        m.accelerations([1.0], params=params)
    assert m.accelerations([1.0]).tolist() == [-1.5]  # k = 2, c = -1/2


@pytest.mark.parametrize("call, words", [
    (lambda m: m.accelerations([1j]), "q has the type complex128: real numbers are needed"),
    (lambda m: m.accelerations([1.0], np.array([1 + 0j])), "v has the type complex128"),
    (lambda m: m.accelerations([1.0], 0j), "v has the type"),
    (lambda m: m.accelerations([1.0], t=1j), "t has the type"),
    (lambda m: m.accelerations([1.0], params={"m": 1j}), "params['m'] has the type complex128"),
    (lambda m: m.accelerations([1.0], inputs={"u": [1j]}), "inputs['u'] has the type complex128"),
    (lambda m: m.accelerations(np.ma.array([[1.0], [2.0]], mask=[[False], [True]])), "q is a masked array"),
    (lambda m: m.accelerations([1.0], params={"m": np.ma.array([1.0, 2.0], mask=[True, False])}), "params['m'] is a masked array"),
    (lambda m: m.accelerations([1.0], params={"m": np.ma.masked}, errors="nan"), "params['m'] is a masked array"),
    (lambda m: m.rhs(0.0, [1j, 0]), "y has the type complex128"),
    (lambda m: m.rhs(0.0, np.ma.array([1.0, 2.0], mask=[True, False])), "y is a masked array"),
    (lambda m: m.rhs(0.0, "ab"), "y has the type <U2"),
    (lambda m: m.rhs(0.0, None), "y has the type object"),
    (lambda m: m.rhs(0.0, [1.0]), "must have the length 2"),
    (lambda m: m.rhs("0", [1.0, 0.0]), "t has the type <U1: real numbers are needed"),
    (lambda m: m.rhs(None, [1.0, 0.0]), "t has the type object"),
    (lambda m: m.rhs(1j, [1.0, 0.0]), "t has the type complex128"),
    (lambda m: m.rhs([0.0], [1.0, 0.0]), "t has the shape (1,): it is one number"),
    (lambda m: m.rhs(np.zeros(3), np.ones((2, 2))), "or one for each column of y: (2,)"),
    (lambda m: m.rhs(float("nan"), [1.0, 0.0]), "t is NaN"),
    (lambda m: m.rhs(0.0, [1.0, 0.0], params={"m": 1j}), "complex128"),
    (lambda m: m.run(1, params={"m": 1j}), "is no number"),
    (lambda m: m.run(1, params={"m": np.complex128(1)}), "is no number"),
    (lambda m: m.run(1, params={"m": np.ma.masked}), "is no number"),
    (lambda m: m.run(1, stop=5), "stop=5: it is a function"),
    (lambda m: m.accelerations([1.0], stop=5), "stop=5: it is a function"),
])
def test_numbers_that_are_not_real(pendulum, call, words):
    with pytest.raises(pfaff.Error) as caught:
        call(pendulum)
    assert words in str(caught.value), str(caught.value)


def test_times_of_a_right_hand_side():
    m = pfaff.Model("coord x; kinetic x'^2/2; force x = t")
    for t in (2, 2.0, np.float64(2), np.float32(2), np.int64(2), np.array(2.0)):
        assert m.rhs(t, [0.0, 1.0]).tolist() == [1, 2]
    assert m.rhs(np.array([1.0, 2.0]), np.ones((2, 2))).tolist() == [[1, 1], [1, 2]]
    assert m.rhs(3, np.ma.array([0.0, 1.0])).tolist() == [1, 3]  # nothing is masked
    assert m.rhs(3, [0, 1]).tolist() == [1, 3] and m.rhs(3, np.array([0, 1], np.float32)).tolist() == [1, 3]


# ---------------------------------------------------------------- calls in the midst of others

MANY_STATES = np.random.default_rng(1).random((400_000, 6))


@pytest.mark.parametrize("inner", [
    lambda m: m.accelerations(MANY_STATES[:5], params={"F": 50, "m": 99}),
    lambda m: m.accelerations(MANY_STATES[:5], form="multipliers", native="on"),
    lambda m: m.jacobian(MANY_STATES[:5], by="params", params={"m": 9}),
    lambda m: [m.evaluate(f"x*{i}", MANY_STATES[0]) for i in range(450)],
    lambda m: m.rhs(0.0, np.ones(12))])
def test_a_call_within_a_call(inner):
    m, calls = example("snakeboard"), []

    def stop():
        calls.append(inner(m))
    for outer in (lambda **o: m.accelerations(MANY_STATES, **o), lambda **o: m.evaluate("kinetic*x", MANY_STATES, MANY_STATES, **o),
                  lambda **o: m.jacobian(MANY_STATES[:100_000], **o)):
        expected = outer()
        calls.clear()
        while not calls:
            assert np.array_equal(outer(stop=stop), expected)


def test_a_call_within_a_call_leaves_its_question():
    m, calls = example("snakeboard"), []

    def stop():
        calls.append(m.accelerations(MANY_STATES[0]))
        return len(calls) == 3
    with pytest.raises(pfaff.Stopped):
        while True:
            m.accelerations(MANY_STATES, stop=stop)
    assert len(calls) == 3


def test_a_handler_of_a_signal_may_call():
    signal = pytest.importorskip("signal")
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs timers")
    m, calls = example("snakeboard"), []
    expected, rate = m.accelerations(MANY_STATES), m.rhs(0.0, np.ones(12))

    def handle(*_):
        calls.append(m.rhs(0.0, np.full(12, 2.0)) is m.accelerations(MANY_STATES[0], params={"F": 50}))
        signal.setitimer(signal.ITIMER_REAL, 0.001)  # the next one after this one, however slow the machine
    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        while len(calls) < 20:
            assert np.array_equal(m.accelerations(MANY_STATES), expected)
        while len(calls) < 100:
            assert np.array_equal(m.rhs(0.0, np.ones(12)), rate)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---------------------------------------------------------------- states that are none

def test_a_state_that_is_not_finite_has_no_numbers():
    m = pfaff.Model("coord x, th; kinetic x'^2/2 + th'^2/2; potential x^2/2")
    bad = [[1, np.nan], [1, 0], [np.inf, 0]]
    assert np.isnan(m.accelerations(bad, errors="nan")).all(axis=1).tolist() == [True, False, True]
    assert np.isnan(m.accelerations([1, 0], bad, errors="nan")).all(axis=1).tolist() == [True, False, True]
    assert np.isnan(m.accelerations([1, 0], t=[np.nan, 0], errors="nan")).all(axis=1).tolist() == [True, False]
    assert np.isnan(m.jacobian(bad, errors="nan")).all(axis=(1, 2)).tolist() == [True, False, True]
    assert np.isnan(m.evaluate("x", bad, errors="nan")).tolist() == [True, False, True]
    assert np.isnan(m.accelerations([1, np.nan], errors="nan")).all()
    for y in ([1, np.nan, 0, 0], [1, 0, 0, -np.inf]):
        for columns in (np.array(y, dtype=float), np.array([y, y], dtype=float).T):
            with pytest.raises(pfaff.NumericalError, match="th"):
                m.rhs(0.0, columns)
    assert m.rhs(0.0, np.array([1e200, 0, 0, 0])).tolist() == [0, 0, -1e200, 0]


def test_the_state_without_accelerations_is_named():
    m = pfaff.Model("coord x, y; kinetic x'^2/2; constraint c: x' + y' = 0")
    n = pfaff.Model("coord x; param k = 1; kinetic k*x'^2/2; potential x^2/2")
    with pytest.raises(pfaff.NumericalError, match=r"state \[2\]: "):
        n.accelerations(np.ones((4, 1)), params={"k": [1, 1, 0, 1]})
    assert m.accelerations([0, 0]).shape == (2,)


def test_a_velocity_given_twice():
    m = pfaff.Model("coord x; kinetic x'^2/2")
    with pytest.raises(pfaff.ArgumentError, match="twice"):
        m.accelerations({"x": 1}, {"x": 1, "x'": 2})
