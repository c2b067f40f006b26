# SPDX-License-Identifier: Apache-2.0
"""Expressions of the model language, written with Python's operators.

An expression is its text and how tightly its outermost operator binds, nothing more: what it means is for the library
to say. ``x.d`` is the velocity x', ``x.dd`` the acceleration; ``**`` is the power; comparisons give conditions, joined by
``&``, ``|`` and ``~``; a tuple of three is a vector.

>>> x = Expression("x"); l = Expression("l")
>>> (x + 1)*l**2/2 - -x.d
(x + 1)*l^2/2 - -x'
"""
from __future__ import annotations

import math
import numbers
import re
from fractions import Fraction

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn, Optional

# How tightly operators bind, from loose to tight (docs/language.md, section 2).
OR, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, PRIMARY = range(9)

NUMBER = re.compile(r"-?[0-9.]+(e[-+]?[0-9]+)?\Z")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# of NumPy, as here
OPERATORS = {"add": "__add__", "subtract": "__sub__", "multiply": "__mul__", "divide": "__truediv__", "true_divide": "__truediv__",
             "power": "__pow__", "less": "__lt__", "less_equal": "__le__", "greater": "__gt__", "greater_equal": "__ge__"}
LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])?\Z")


class Expression:
    """A piece of the language. Made by ``Model.coord``, ``Model.param`` and the like, and from each other."""

    __slots__ = ("text", "tightness", "shown")

    def __init__(self, text: str, tightness: int = PRIMARY, shown: str = "") -> None:
        self.text = text
        self.tightness = tightness
        self.shown = shown or text  # as what is plotted: there a unit stands behind anything

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> NoReturn:
        raise TypeError(f"'{self.text}' has no truth value here: join conditions by & and |, turn them round by ~, "
                        "and choose by pfaff.if_(condition, a, b)")

    def __float__(self) -> NoReturn:
        raise TypeError(f"'{self.text}' is no number before the model moves; its functions are those of pfaff, as pfaff.sin")

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Operators with NumPy's numbers on their left; its functions are not those of the language."""
        if function.__name__ not in OPERATORS or method != "__call__" or len(inputs) != 2:
            raise TypeError(f"numpy.{function.__name__} does not take '{self.text}'; functions of expressions are those of "
                            "pfaff, as pfaff.sin")
        return getattr(expression(inputs[0]), OPERATORS[function.__name__])(inputs[1])

    def __iter__(self) -> NoReturn:
        raise TypeError(f"'{self.text}' cannot be taken apart: .x, .y and .z are the components of a vector")

    def __add__(self, other: Any) -> Expression:
        return binary(self, "+", other, SUM)

    def __radd__(self, other: Any) -> Expression:
        return binary(other, "+", self, SUM)

    def __sub__(self, other: Any) -> Expression:
        return binary(self, "-", other, SUM)

    def __rsub__(self, other: Any) -> Expression:
        return binary(other, "-", self, SUM)

    def __mul__(self, other: Any) -> Expression:
        if isinstance(other, Unit):
            return other.__rmul__(self)
        return binary(self, "*", other, PRODUCT)

    def __rmul__(self, other: Any) -> Expression:
        return binary(other, "*", self, PRODUCT)

    def __truediv__(self, other: Any) -> Expression:
        return binary(self, "/", other, PRODUCT)

    def __rtruediv__(self, other: Any) -> Expression:
        return binary(other, "/", self, PRODUCT)

    def __pow__(self, other: Any) -> Expression:
        return power(self, other)

    def __rpow__(self, other: Any) -> Expression:
        return power(other, self)

    def __neg__(self) -> Expression:
        return Expression("-" + at_least(self, POWER), SIGN)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return call("abs", self)

    def __lt__(self, other: Any) -> Expression:
        return binary(self, "<", other, COMPARE)

    def __le__(self, other: Any) -> Expression:
        return binary(self, "<=", other, COMPARE)

    def __gt__(self, other: Any) -> Expression:
        return binary(self, ">", other, COMPARE)

    def __ge__(self, other: Any) -> Expression:
        return binary(self, ">=", other, COMPARE)

    def __and__(self, other: Any) -> Expression:
        return binary(self, "and", other, AND)

    def __or__(self, other: Any) -> Expression:
        return binary(self, "or", other, OR)

    def __invert__(self) -> Expression:
        return Expression("not " + at_least(self, COMPARE), NOT)

    @property
    def d(self) -> Expression:
        """The total derivative with respect to time."""
        return Expression(at_least(self, PRIMARY) + "'")

    @property
    def dd(self) -> Expression:
        """The second derivative with respect to time."""
        return self.d.d

    @property
    def x(self) -> Expression:
        """A component of a vector, or an axis of a frame."""
        return self.member("x")

    @property
    def y(self) -> Expression:
        """A component of a vector, or an axis of a frame."""
        return self.member("y")

    @property
    def z(self) -> Expression:
        """A component of a vector, or an axis of a frame."""
        return self.member("z")

    def member(self, name: str) -> Expression:
        """What stands behind a point: ``hub.member("wz")`` is ``hub.wz``, ``wheel.y`` an axis of a frame."""
        return Expression(f"{at_least(self, PRIMARY)}.{check_name(name)}")

    def __getitem__(self, index: Any) -> Expression:
        """An element of a list, counted from 1 as in the language."""
        if isinstance(index, numbers.Integral) and index < 1:
            raise IndexError(f"'{self.text}[{index}]': elements are counted from 1")
        return Expression(f"{at_least(self, PRIMARY)}[{text_of(index)}]")


class Unit:
    """A unit behind a number: ``5*pfaff.unit("mm")`` is ``5 [mm]``."""

    __slots__ = ("name",)
    __array_ufunc__ = None

    def __init__(self, name: str) -> None:
        self.name = check_unit(name)

    def __repr__(self) -> str:
        return f"[{self.name}]"

    def __rmul__(self, factor: Any) -> Expression:
        """In the language a unit belongs to the number before it: -3 [mm], but a*(1 [mm])."""
        piece = expression(factor)
        shown = f"{at_least(piece, PRIMARY)} [{self.name}]"
        if NUMBER.match(piece.text):
            return Expression(f"{piece.text} [{self.name}]", piece.tightness, shown)
        return Expression(f"{at_least(piece, PRODUCT)}*(1 [{self.name}])", PRODUCT, shown)


def unit(name: str) -> Unit:
    """A unit, to be put behind a number or an expression."""
    return Unit(name)


# ---------------------------------------------------------------- texts

def check_name(name: str, what: Any = "a name") -> str:
    if not isinstance(name, str) or not NAME.match(name):
        raise ValueError(f"{name!r} is not {what}: letters, digits and _, not a digit first")
    return name


def check_label(name: str) -> str:
    if not isinstance(name, str) or not LABEL.match(name):
        raise ValueError(f"{name!r} is not a name: letters, digits and _, not a digit first, perhaps an index as [2]")
    return name


def check_unit(name: str) -> str:
    if not isinstance(name, str) or not re.match(r"[A-Za-z0-9%/^*(). -]*\Z", name):
        raise ValueError(f"{name!r} is not a unit, as 'kg m^2' or 'N/mm'")
    return name


def quoted(text: str) -> str:
    if not isinstance(text, str) or '"' in text or not text.isprintable():
        raise ValueError(f"{text!r} cannot stand in quotes: it is one line without \"")
    return f'"{text}"'


def number_text(number: Any) -> str:
    """Exactly the number: whole numbers and fractions as such, others by the shortest digits that give them."""
    if isinstance(number, numbers.Integral):
        return str(int(number))
    if isinstance(number, Fraction):
        return str(number)
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot stand in a model")
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def number_tightness(text: str) -> int:
    """A fraction is a division, also with a sign before it."""
    return PRODUCT if "/" in text else SIGN if text.startswith("-") else PRIMARY


def expression(value: Any) -> Expression:
    """What Python calls a number, a vector or a name, as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool):
        raise TypeError("True and False are no expressions: == compares here and now, two sides are separated by a comma, "
                        "as in constraint(x, y)")
    if isinstance(value, numbers.Number) and not isinstance(value, complex):
        text = number_text(value)
        return Expression(text, number_tightness(text))
    if isinstance(value, (tuple, list)):
        if len(value) != 3:
            raise ValueError(f"a vector has three components, not {len(value)}")
        return Expression("(" + ", ".join(text_of(component) for component in value) + ")")
    if isinstance(value, str):
        return Expression(check_name(value))
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return expression(value.item())
    if hasattr(value, "tolist"):
        return expression(tuple(value.tolist()))
    raise TypeError(f"{value!r} is no expression")


def text_of(value: Any) -> str:
    return expression(value).text


def at_least(value: Any, tightness: int) -> str:
    """The text, in brackets when it binds less tightly."""
    piece = expression(value)
    return piece.text if piece.tightness >= tightness else f"({piece.text})"


def binary(left: Any, operator: str, right: Any, tightness: int) -> Any:
    try:
        left, right = expression(left), expression(right)
    except TypeError:
        return NotImplemented
    # to the left of equals: a - (b - c), a/(b*c); comparisons do not chain
    before = at_least(left, tightness + (tightness == COMPARE))
    after = at_least(right, tightness + 1)
    joined = f"{before}{operator}{after}" if tightness == PRODUCT else f"{before} {operator} {after}"
    return Expression(joined, tightness)


def power(base: Any, exponent: Any) -> Expression:
    return Expression(f"{at_least(base, PRIMARY)}^{at_least(exponent, PRIMARY)}", POWER)


# ---------------------------------------------------------------- functions

def call(name: str, *arguments: Any) -> Expression:
    return Expression(f"{name}({', '.join(text_of(argument) for argument in arguments)})")


def _function(name: str, count: Optional[tuple[int, ...]], summary: str) -> Callable[..., Expression]:
    def function(*arguments: Any) -> Expression:
        if count is not None and len(arguments) not in count:
            raise TypeError(f"{name} takes {' or '.join(map(str, count))} arguments, not {len(arguments)}")
        return call(name, *arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary
    return function


def _of_one(name: str) -> Callable[[Any], Expression]:
    return _function(name, (1,), f"``{name}(a)`` of the language.")


# each by its own name, which type checkers and editors read
sin = _of_one("sin")
cos = _of_one("cos")
tan = _of_one("tan")
asin = _of_one("asin")
acos = _of_one("acos")
atan = _of_one("atan")
sinh = _of_one("sinh")
cosh = _of_one("cosh")
tanh = _of_one("tanh")
exp = _of_one("exp")
log = _of_one("log")
sqrt = _of_one("sqrt")
sign = _of_one("sign")
norm = _of_one("norm")
atan2 = _function("atan2", (2,), "The angle of the point (x, y): ``atan2(y, x)``.")
min = _function("min", None, "The least of several.")
max = _function("max", None, "The largest of several.")
dot = _function("dot", (2,), "The scalar product of two vectors.")
cross = _function("cross", (2,), "The vector product.")
pos = _function("pos", (1, 2), "The position of a point; ``pos(p, q)``: from q to p.")
vel = _function("vel", (1, 2), "The velocity of a point; ``vel(p, frame)``: relative to the frame.")
omega = _function("omega", (1, 2), "The angular velocity of a frame; ``omega(f, g)``: relative to g.")
distance = _function("distance", (2,), "The distance of two points.")
point_in = _function("point", (2,), "A point fixed in a frame, by its coordinates there.")
diag = _function("diag", (3,), "A matrix of inertia by its diagonal.")
inertia = _function("inertia", (6,), "A matrix of inertia: xx, yy, zz, xy, yz, xz.")
if_ = _function("if", (3,), "a where the condition holds, else b: ``if_(condition, a, b)``.")


def multiplier(name: str) -> Expression:
    """The multiplier of a constraint, ``lambda[name]``: for friction (``nonideal``), events and what is shown."""
    return Expression(f"lambda[{text_of(name)}]")


time = Expression("t")
pi = Expression("pi")
ground = Expression("ground")
