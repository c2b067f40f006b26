# SPDX-License-Identifier: Apache-2.0
"""Equations as SymPy expressions: they hold at a state of a motion, whose numbers come from the simulation."""
import cmath
import math
import operator

import numpy as np
import pytest

import pfaff
from conftest import EXAMPLES, example

sympy = pytest.importorskip("sympy")
FORMS = ("multipliers", "rosenberg", "rosenberg_extended", "udwadia_kalaba", "maggi", "laconic", "kane", "voronets")
LONG = ("bicycle", "capture", "dual_arm", "dual_arm_capture", "hand", "hand_hold", "hand_viscous", "spacecraft", "stewart")
NAMES = "sin cos tan asin acos atan sinh cosh tanh exp log".split()
REAL = {getattr(sympy, name): getattr(math, name) for name in [*NAMES, "atan2"]}
REAL |= {sympy.Abs: abs, sympy.sign: lambda x: (x > 0) - (x < 0), sympy.Min: min, sympy.Max: max,
         sympy.Add: lambda *terms: math.fsum(terms), sympy.Mul: lambda *factors: math.prod(factors), sympy.Pow: pow,
         sympy.StrictLessThan: operator.lt, sympy.LessThan: operator.le, sympy.StrictGreaterThan: operator.gt,
         sympy.GreaterThan: operator.ge, sympy.And: lambda *parts: all(parts), sympy.Or: lambda *parts: any(parts),
         sympy.Not: operator.not_}
COMPLEX = {**REAL, **{getattr(sympy, name): getattr(cmath, name) for name in NAMES}, sympy.Add: lambda *terms: sum(terms)}


class Numbers:
    """Values of expressions; what occurs several times is worked out once, since abbreviations that are written out
    make long trees."""

    def __init__(self, symbols, functions=REAL):
        self.symbols, self.functions = symbols, functions
        self.done = {}  # by identity: to compare long expressions takes long

    def __call__(self, e):
        if e.is_Symbol:
            return self.symbols[e.name]
        if id(e) not in self.done:
            self.done[id(e)] = (self._evaluate(e), e)
        return self.done[id(e)][0]

    def _evaluate(self, e):
        if isinstance(e, sympy.Piecewise):
            return next(self(value) for value, condition in e.args if condition == True or self(condition))  # noqa: E712
        return self.functions[type(e)](*map(self, e.args)) if e.args else float(e)

    def size(self, e):
        """How large its terms are: rounding is measured by that."""
        return max(abs(self(term)) for term in sympy.Add.make_args(e))


def slope(e, symbols, rates):
    """The derivative along the rates, exactly: by a complex step."""
    h = 1e-40
    return Numbers({name: value + 1j*h*rates.get(name, 0) for name, value in symbols.items()}, COMPLEX)(e).imag/h


def numbers_of(model, sim, told, equations):
    """The symbols by what the simulation says of them."""
    force = model.constraint_forces(sim.q, sim.v, sim.t)
    known = {}
    for i, name in enumerate(model.coordinates):
        known |= {name: float(sim.q[i]), name + "'": float(sim.v[i]), name + "''": float(sim.a[i]), f"Fc[{name}]": float(force[i])}
    redundant = any("one choice of many" in e.section for e in told.equations)
    for name, symbol in equations.symbols.items():
        if symbol in equations.where:
            continue  # written out
        bare = name.rstrip("'")
        body, _, axis = bare.partition(".omega_")
        if name in known or (redundant and name.startswith("lambda[")):
            continue
        shown = f"(omega({body}).{axis}){name[len(bare):]}" if axis else name
        for quantity, meant in ((shown, name), (f"({shown})'", name + "'")):
            try:
                known.setdefault(meant, float(sim[quantity]))
            except pfaff.Error:
                break  # names that only the form has
    return known


def rates_of(known):
    return {"t": 1.0, **{name: known[name + "'"] for name in known if name + "'" in known}}


def define(known, equations):
    """Pseudo-velocities and axes of bodies that only the form knows: by the equations that say what they are."""
    new = [e for e in equations.equations if e.lhs.is_Symbol and e.lhs.name not in known and not e.lhs.name.endswith("'")]
    while new:
        left = [e for e in new if not define_one(known, e.lhs.name, e.rhs)]
        if len(left) == len(new):
            return
        new = left


def define_one(known, name, value):
    try:
        known[name] = Numbers(known)(value)
    except KeyError:
        return False  # others first
    if not name.startswith(("Fc[", "lambda[")):
        known[name + "'"] = slope(value, known, rates_of(known))
    return True


def define_rates(known, equations):
    """Of speeds that 'rate' lines give: q'' = d/dt of the equation for q', in which they are linear."""
    speeds = [name[:-1] for name in equations.symbols if name.endswith("'") and name not in known and name[:-1] in known]
    lines = [e for e in equations.equations if e.lhs.is_Symbol and e.lhs.name + "'" in known]
    if not speeds:
        return
    rates = rates_of(known)
    columns = [[slope(e.rhs, known, {speed: 1}) for speed in speeds] for e in lines]
    rest = [known[e.lhs.name + "'"] - slope(e.rhs, known, rates) for e in lines]
    found = np.linalg.lstsq(np.array(columns), np.array(rest), rcond=None)[0]
    known.update({speed + "'": float(value) for speed, value in zip(speeds, found)})


def check(model, form, sim):
    try:
        told = model.derive(form)
    except pfaff.Error:
        return  # not linear in the velocities, or forces by multipliers: the program says so
    equations = told.to_sympy()
    known = numbers_of(model, sim, told, equations)
    define(known, equations)
    define_rates(known, equations)
    numbers, least = Numbers(known), 1e-3*max(1, abs(sim.a).max())
    for e in equations.equations:
        left, right = numbers(e.lhs), numbers(e.rhs)
        assert abs(left - right) <= 1e-9*max(numbers.size(e.lhs), numbers.size(e.rhs), least), (form, str(e)[:300])


@pytest.mark.filterwarnings("ignore::pfaff.ModelWarning")
@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*/*.pf")))
def test_equations_hold(name):
    model = example(name)
    # where fingertips stick their friction is a multiplier and not sign(slide): here they all slide
    sim = model.simulate(rtol=1e-12, params={"mu": 0.05} if name == "hand_sliding" else None)
    sim.advance(0.1)
    for form in FORMS if name not in LONG else ("multipliers", "laconic"):
        check(model, form, sim)


def test_rates_of_abbreviations():
    """They follow time, inputs, pseudo-velocities and other abbreviations."""
    from pfaff._sympy import SymPyEquations
    raw = {"unknowns": ["v'"], "coordinates": ["x"], "inputs": ["u"], "equations": [{"lhs": "m*b'", "rhs": "c"}],
           "where": [{"name": "a", "value": "v*sin(t) + u"}, {"name": "b", "value": "a*x"}, {"name": "c", "value": "a'/m"}]}
    found = SymPyEquations(raw)
    symbol = found.symbols
    m, x, dx, v, dv, u, du, t = (symbol[name] for name in ("m", "x", "x'", "v", "v'", "u", "u'", "t"))
    rate = dv*sympy.sin(t) + v*sympy.cos(t) + du
    assert sympy.expand(found.equations[0].lhs - m*(rate*x + (v*sympy.sin(t) + u)*dx)) == 0
    assert sympy.expand(found.equations[0].rhs - rate/m) == 0


@pytest.mark.parametrize("text, expected", [
    ("2^3^2", "512"), ("-x^2", "-x**2"), ("a - b - c", "a - b - c"), ("a/b/c", "a/(b*c)"), ("a - (b - c)", "a - b + c"), ("x^-2", "x**(-2)"),
    ("x^(3/2)", "x**(3/2)"), ("-2*x/3", "-2*x/3"), ("if(x < 1 and not y <= 2 or z == 3, a, b)", None), ("1e-3*x", "0.001*x"),
    ("lambda[wheel[1]]*w[1].chi'", "lambda[wheel[1]]*w[1].chi'"), ("f2.q1''*x[2]'^2", "f2.q1''*x[2]'**2"), ("pi/3", "pi/3"),
])
def test_formulas_are_read(text, expected):
    from pfaff._sympy import read
    found = read(text, lambda name: sympy.Symbol(name))
    if expected is None:
        x, y, z, a, b = sympy.symbols("x y z a b")
        assert found == sympy.Piecewise((a, ((x < 1) & (y > 2)) | sympy.Eq(z, 3)), (b, True))
    else:
        assert str(found) == expected or found == sympy.sympify(expected)


@pytest.mark.parametrize("text", ["", "a +", "(a", "a)", "f(a)", "a b", "sin(a, b, c)", "1 2", "a ! b"])
def test_what_is_no_formula_is_refused(text):
    from pfaff._sympy import read
    with pytest.raises(pfaff.Error, match="could not be read"):
        read(text, sympy.Symbol)
