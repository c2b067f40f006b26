# SPDX-License-Identifier: Apache-2.0
"""Models written in Python: the same as their text, and the text the same as a person writes."""
import math
import operator
import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import pfaff
from pfaff.expressions import Expression

SLEIGH = """model sleigh "A sleigh on ice"
param m = 2 [kg]
param J = 0.1 [kg m^2]
coord x, y [m]
coord theta [rad]
input push [N]
body hull in ground at (x, y, 0) turn theta about z { mass m, inertia diag(0, 0, J) }
skate blade: hull
force push*hull.x at hull
spring theta { stiffness 0.2 [N m/rad], damping 0.1 [N m s/rad] }
start x' = 1
start theta = 10 [deg]
run 2 by dopri5 until x > 3 [m] { rtol = 1e-09 }
plot x, y
"""


def sleigh():
    m = pfaff.Model(name="sleigh", title="A sleigh on ice")
    mass, J = m.param("m", 2, "kg"), m.param("J", 0.1, "kg m^2")
    x, y = m.coord("x", "y", unit="m")
    theta = m.coord("theta", unit="rad")
    push = m.input("push", unit="N")
    hull = m.body("hull", pfaff.ground, pfaff.at(x, y, 0), pfaff.turn(theta, "z"), mass=mass, inertia=pfaff.diag(0, 0, J))
    m.skate("blade", hull)
    m.force(push*hull.x, at=hull)
    m.spring(theta, stiffness=0.2*pfaff.unit("N m/rad"), damping=0.1*pfaff.unit("N m s/rad"))
    m.start(x.d, 1)
    m.start(theta, 10*pfaff.unit("deg"))
    m.runs(2, by="dopri5", until=x > 3*pfaff.unit("m"), rtol=1e-9)
    m.plots(x, y)
    return m


def test_a_draft_is_its_text():
    m = sleigh()
    assert m.to_pf() == SLEIGH
    assert m.text == SLEIGH and m == pfaff.Model(SLEIGH)
    assert (m.name, m.coordinates) == ("sleigh", ("x", "y", "theta"))
    np.testing.assert_array_equal(m.run().data, pfaff.Model(SLEIGH).run().data)


def test_statements_after_reading_count():
    m = pfaff.Model()
    x = m.coord("x")
    m.kinetic(x.d**2/2)
    m.start(x, 1)
    assert m.run(1)["x"][-1] == 1
    m.potential(x**2/2)
    assert m.run(1)["x"][-1] == pytest.approx(np.cos(1), abs=1e-6)


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy])
def test_copies_go_on_by_themselves(copied):
    original = sleigh()
    m = copied(original)
    assert type(m) is type(original) and m == original and m.text == SLEIGH and m.coordinates == original.coordinates
    m.kinetic(m.coord("z").d**2/2)
    assert m.coordinates[-1] == "z" and original.to_pf() == SLEIGH and m != original
    assert copied(pfaff.Model()).to_pf() == ""


def test_what_is_not_yet_a_model_can_be_looked_at():
    m = pfaff.Model()
    assert repr(m) == "<Model to be written: 0 statements so far>" and m._repr_markdown_() is None
    m.statement("kinetic x'^2/2")
    assert repr(m) == "<Model to be written: 1 statement so far>" and m != pfaff.Model("coord x; kinetic x'^2/2")
    with pytest.raises(pfaff.ModelError, match="'x' is not defined"):
        m.check()
    m.coord("x")
    assert repr(m).startswith("<Model ") and "1 coordinate" in repr(m) and "ddot{x}" in m._repr_markdown_()


def test_events_and_constraints():
    m = pfaff.Model()
    a, b = m.coord("a", "b", unit="rad")
    m.body("rod", "ground", pfaff.turn(a, "y"), mass=1, com=(0, 0, -0.5), inertia=0.1)
    m.body("tip", "rod", pfaff.at(0, 0, -1), pfaff.turn(b, "y"), mass=0.5, com=(0, 0, -0.2), inertia=0.01)
    m.gravity(0, 0, -9.81)
    m.prescribe(b, 0.1*pfaff.sin(2*pfaff.time), "motor")
    m.when(0.5, pfaff.lock(a))
    m.start(a, 0.3)
    r = m.run(1, show=["a'", "lambda[motor]"])
    assert len(r.events) == 1 and abs(r["a'"][-1]) < 1e-12


@pytest.mark.parametrize("wrong", [
    lambda m: m.coord("2x"), lambda m: m.coord("x; lock y"), lambda m: m.param("m", float("nan")), lambda m: m.param("m", 1, "kg]\n"),
    lambda m: m.roll("w", "cube", "b", radius=1, on="ground"), lambda m: m.kinetic("x y"), lambda m: m.gravity(1, 2),
    lambda m: m.when(1, "lock x"), lambda m: m.body("b", "ground", "at (1, 2, 3)"), lambda m: m.draws("b", "box", 1, color='a"b'),
    lambda m: bool(Expression("x") > 1), lambda m: list(Expression("x")), lambda m: Expression("x")[0], lambda m: m.start("x", True),
])
def test_what_is_no_model(wrong):
    m = pfaff.Model()
    with pytest.raises((ValueError, TypeError, IndexError)):
        wrong(m)
    assert m.to_pf() == ""


def test_errors_have_places():
    m = pfaff.Model()
    m.coord("x")
    m.kinetic("y")
    with pytest.raises(pfaff.Error) as caught:
        m.run(1)
    assert caught.value.line == 2


def test_short_forms():
    m = pfaff.Model()
    x, y = m.coord("x", "y")
    a, b = m.input("a", "b", unit="N m")
    m.kinetic(x.d**2 + y.d**2)
    m.force(x, a)
    m.force(y, b)
    m.runs(5)
    assert "input a, b [N m]" in m.to_pf() and m.to_pf().endswith("run 5\n") and m.inputs == ("a", "b")
    assert m.run().t_end == 5
    assert pfaff.attach("a", "b") == "attach a to b"
    assert pfaff.attach("a", "b", by="hinge", about="z", at=(0, 0, 1)) == "attach a to b at (0, 0, 1) hinge about z"


def test_a_draft_that_is_no_model_says_so():
    m = pfaff.Model()
    m.coord("x")
    for ask in (lambda: m.name, lambda: m.coordinates, lambda: m.inputs, lambda: m.parameters, lambda: m.run(1),
                lambda: m.accelerations([1.0]), lambda: m.text):
        for _ in range(2):
            with pytest.raises(pfaff.ModelError, match="inertia"):
                ask()
    assert not hasattr(m, "nothing")
    with pytest.raises(AttributeError, match="did you mean 'kinetic'"):
        m.kinetik(1)
    m.kinetic(Expression("x").d**2)
    assert m.name and not hasattr(m, "nothing")


def test_units_of_numbers_and_of_what_is_shown():
    u, x = pfaff.unit("N/m"), Expression("x")
    assert repr(3*u*x) == "3 [N/m]*x" and repr(-3*u*x) == "-3 [N/m]*x" and repr(x*-3*u) == "x*-3*(1 [N/m])"
    assert repr(Fraction(1, 2)*u) == "1/2*(1 [N/m])" and repr((-3*u)**2) == "(-3 [N/m])^2"
    assert repr(x/Fraction(-1, 2)) == "x/(-1/2)"
    m = pfaff.Model()
    m.plots((2*x)*pfaff.unit("deg"), x, against=x*pfaff.unit("deg"))
    assert m.to_pf() == "plot (2*x) [deg], x against x [deg]\n"


def test_functions_of_others_are_refused():
    x = Expression("x")
    for call in (lambda: np.sin(x), lambda: math.sin(x), lambda: float(x), lambda: np.add.reduce(x)):
        with pytest.raises(TypeError, match="pfaff.sin"):
            call()
    assert repr(np.float64(2)*x + np.int64(1)) == "2*x + 1" and repr(np.float64(0.5) < x) == "0.5 < x"
    assert repr(np.array([1, 2, 3])*x) == "(1, 2, 3)*x"
    with pytest.raises(TypeError, match="constraint.x, y."):
        pfaff.Model().constraint(x == 3)


# Expressions: what Python computes with numbers is what the language computes.
VALUES = {"a": Fraction("1.7"), "b": Fraction("-0.6"), "two": Fraction(2), "x": Fraction("2.3"), "x'": Fraction("-1.1")}


class Exact:
    """A number, and how large what it is made of may be: rounding is measured by that."""

    def __init__(self, value, size=None):
        self.value, self.size = value, abs(value) if size is None else size

    def __add__(self, other):
        return Exact(self.value + other.value, self.size + other.size)

    def __sub__(self, other):
        return Exact(self.value - other.value, self.size + other.size)

    def __neg__(self):
        return Exact(-self.value, self.size)

    def __mul__(self, other):
        return Exact(self.value*other.value, self.size*other.size)

    def __truediv__(self, other):
        return Exact(self.value/other.value, self.size*other.size/other.value**2)

    def __pow__(self, exponent):
        if exponent.value == Fraction(1, 2):
            root = Fraction(math.sqrt(self.value))
            return Exact(root, self.size/root)
        result = Exact(Fraction(1))
        for _ in range(abs(int(exponent.value))):
            result = result*self if exponent.value > 0 else result/self
        return result


NUMBERS = (st.integers(-5, 5) | st.integers(-10**20, 10**20) | st.fractions(-5, 5, max_denominator=9)
           | st.sampled_from([0.5, -1.25, 1e-5, -2e-7, 1e16, -3e20, 2.0, -4.0]) | st.floats(-9, 9, width=32))
NAMES = st.sampled_from([Expression(name) for name in VALUES])
EXPONENTS = st.sampled_from([2, 3, -1, -2, 2.0, -1.0, Fraction(2), Fraction(-1), Expression("two"), -Expression("two")])
TREES = st.recursive(NAMES | NUMBERS, lambda t: st.tuples(st.sampled_from("+-*/"), t, t) | st.tuples(st.sampled_from("nu"), t) |
                     st.tuples(st.just("^"), t, EXPONENTS) | st.tuples(st.just("s"), t, st.sampled_from([0.5, Fraction(1, 2)])),
                     max_leaves=8)


def build(tree, leaf, millimetres):
    """The tree with what `leaf` makes of its ends; `millimetres` of a number are so many metres."""
    if not isinstance(tree, tuple):
        return leaf(tree)
    op, *parts = tree[0], *(build(part, leaf, millimetres) for part in tree[1:])
    return {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "n": operator.neg, "^": operator.pow,
            "u": millimetres, "s": lambda base, half: (base*base + leaf(1))**half}[op](*parts)


def exactly(leaf):
    if isinstance(leaf, Expression):
        return Exact(VALUES[leaf.text]) if leaf.text in VALUES else Exact(-VALUES[leaf.text[1:]])
    return Exact(Fraction(repr(leaf)) if isinstance(leaf, float) else Fraction(leaf))


def oscillator(force):
    m = pfaff.Model()
    for name in ("a", "b", "two"):
        m.param(name, VALUES[name])
    x = m.coord("x")
    m.kinetic(x.d**2/2)
    m.force(x, force)
    return m


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_operators_mean_the_same(tree):
    try:
        expected = build(tree, exactly, lambda e: e/Exact(Fraction(1000)))
        written = build(tree, lambda leaf: leaf, lambda e: e*pfaff.unit("mm")/(1*pfaff.unit("m")))
    except (ZeroDivisionError, OverflowError):
        assume(False)
    assume(expected.size < 1e60)
    state = [float(VALUES["x"])], [float(VALUES["x'"])]
    try:
        found = pfaff.loads(oscillator(written).to_pf()).accelerations(*state)[0]
    except pfaff.Error as error:
        assert "zero" in str(error) or "finite" in str(error), str(error)
        assume(False)
    assert abs(found - float(expected.value)) <= 1e-11*float(expected.size)


@pytest.mark.parametrize("number, text", [
    (Fraction(-2, 3), "x/(-2/3)"), (Fraction(2, 3), "x/(2/3)"), (Fraction(-4, 2), "x/-2"), (-2, "x/-2"), (-0.5, "x/-0.5"),
    (np.int64(-3), "x/-3"), (np.float64(0.25), "x/0.25")])
def test_numbers_have_their_brackets(number, text):
    x = Expression("x")
    assert (x/number).text == text
    assert (x - number).text == "x - " + text[2:].strip("()")
    assert (x**number).text == "x^" + (text[2:] if text[2] in "(02" else f"({text[2:]})")


def test_negative_numbers_with_units():
    m = pfaff.Model()
    x = m.coord("x", unit="m")
    m.kinetic(0.5*pfaff.unit("kg")*x.d**2)
    m.start(x.d, -1)
    m.runs(5, by="dopri5", until=x < Fraction(-7, 2)*pfaff.unit("m"))
    assert m.run().t[-1] == pytest.approx(3.5)
