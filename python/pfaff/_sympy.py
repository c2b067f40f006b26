# SPDX-License-Identifier: Apache-2.0
"""Equations of the program as SymPy expressions. Nothing is derived here: the texts are read."""
from __future__ import annotations

import operator
import re
from typing import Any, Callable, Mapping, Optional

import sympy

from . import errors

# a name with its dots, indices (which may have one of their own) and primes; a number; an operator
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
                    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*'*)|(?P<sign><=|>=|==|\S))")

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan,
    "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh, "exp": sympy.exp, "log": sympy.log,
    "sqrt": sympy.sqrt, "abs": sympy.Abs, "sign": sympy.sign, "min": sympy.Min, "max": sympy.Max,
    "if": lambda condition, a, b: sympy.Piecewise((a, condition), (b, True))}

_COMPARISONS: dict[str, Callable[..., Any]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
                                               "==": sympy.Eq}

# how tightly operators bind (docs/language.md, section 2)
_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _POWER = range(1, 8)
_TIGHTNESS = {"or": _OR, "and": _AND, **{sign: _COMPARE for sign in _COMPARISONS}, "+": _SUM, "-": _SUM, "*": _PRODUCT,
              "/": _PRODUCT, "^": _POWER}


class Reader:
    """One formula. Sums and products are made of all their parts at once: one by one SymPy orders them anew each time."""

    def __init__(self, text: str, name: Callable[[str], Any]):
        self.tokens = [(match.lastgroup, match[match.lastgroup or 0]) for match in _TOKEN.finditer(text.rstrip())]
        self.place = 0
        self.name = name

    def _peek(self) -> Optional[str]:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else None

    def _take(self, *signs: str) -> Optional[str]:
        """The next token, when it is one of these."""
        token = self._peek()
        if token not in signs:
            return None
        self.place += 1
        return token

    def read(self, least: int = _OR) -> Any:
        """What is joined by operators that bind at least so tightly."""
        value = self._operand()
        while (tightness := _TIGHTNESS.get(self._peek() or "", 0)) >= least:
            value = self._join(value, tightness)
        return value

    def _join(self, value: Any, tightness: int) -> Any:
        """The value and what follows by operators that bind as tightly."""
        if tightness == _POWER:
            self._take("^")
            return sympy.Pow(value, self.read(_POWER))
        if tightness == _COMPARE:
            return _COMPARISONS[self._take(*_COMPARISONS) or ""](value, self.read(_SUM))
        parts = [value]
        while (sign := self._take("+", "-") if tightness == _SUM else self._take("*", "/") if tightness == _PRODUCT else
               self._take("or") if tightness == _OR else self._take("and")):
            part = self.read(tightness + 1)
            parts.append(-part if sign == "-" else 1/part if sign == "/" else part)
        return {_SUM: sympy.Add, _PRODUCT: sympy.Mul, _OR: sympy.Or, _AND: sympy.And}[tightness](*parts)

    def _operand(self) -> Any:
        if self._take("-"):
            return -self.read(_POWER)
        if self._take("not"):
            return sympy.Not(self.read(_COMPARE))
        if self._take("("):
            return self._close([self.read()])[0]
        if self.place == len(self.tokens):
            raise ValueError("it ends too early")
        kind, token = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            return sympy.Integer(token) if token.isdigit() else sympy.Float(token)
        if kind != "name":
            raise ValueError(f"'{token}' is not expected")
        return self._call(token) if self._take("(") else sympy.pi if token == "pi" else self.name(token)

    def _call(self, name: str) -> Any:
        if name not in _FUNCTIONS:
            raise ValueError(f"SymPy has no function for '{name}'")
        arguments = [self.read()]
        while self._take(","):
            arguments.append(self.read())
        return _FUNCTIONS[name](*self._close(arguments))

    def _close(self, values: list[Any]) -> list[Any]:
        if not self._take(")"):
            raise ValueError("')' is missing")
        return values


def read(text: str, name: Callable[[str], Any]) -> Any:
    """A formula; `name` gives the value of a name."""
    reader = Reader(text, name)
    try:
        value = reader.read()
        if reader.place < len(reader.tokens):
            raise ValueError(f"'{reader._peek()}' is not expected")
        return value
    except (ValueError, TypeError, RecursionError) as error:
        raise errors.Error(f"'{text}' could not be read as an expression of SymPy: {error}") from error


class SymPyEquations:
    """equations: a list of sympy.Eq with abbreviations written out; where: the abbreviations, and of those that are there with a
    prime the rates; symbols: all symbols by name; unknowns: accelerations and multipliers, in which the residuals() are linear:
    sympy.solve(e.residuals(), e.unknowns). All symbols are real: who makes one of the same name writes
    sympy.Symbol("m", real=True), or takes symbols["m"]."""

    def __init__(self, raw: Mapping[str, Any]):
        self.symbols: dict[str, sympy.Symbol] = {}
        self.where: dict[sympy.Symbol, Any] = {}
        self.unknowns = [self._symbol(name) for name in raw["unknowns"]]
        rates = [*raw["unknowns"], *(e["lhs"] for e in raw["equations"])]  # of pseudo-velocities and axes of bodies too
        self._moving = {*raw["coordinates"], *(c + "'" for c in raw["coordinates"]), *raw.get("inputs", ()),
                        *(name[:-1] for name in rates if name.endswith("'"))}
        # abbreviations and their rates as they are written, in terms of others
        self._short = {entry["name"]: read(entry["value"], self._symbol) for entry in raw.get("where") or []}
        for name in list(self._short):
            self._value(name)
        self.equations = [sympy.Eq(self._read(e["lhs"]), self._read(e["rhs"]), evaluate=False) for e in raw["equations"]]

    def _symbol(self, name: str) -> sympy.Symbol:
        """The same for the same name."""
        if name not in self.symbols:
            self.symbols[name] = sympy.Symbol(name, real=True)
        return self.symbols[name]

    def _read(self, text: str) -> Any:
        """A formula with its abbreviations written out."""
        return read(text, self._value)

    def _value(self, name: str) -> Any:
        """A name written out."""
        symbol = self._symbol(name)
        if symbol not in self.where and self._is_short(name):
            short = self._short[name]
            self.where[symbol] = short.xreplace({other: self._value(other.name) for other in short.free_symbols})
        return self.where.get(symbol, symbol)

    def _is_short(self, name: str) -> bool:
        """An abbreviation, or the rate of one, which is found now."""
        if name not in self._short and name.endswith("'") and self._is_short(name[:-1]):
            self._short[name] = self._rate(self._short[name[:-1]])
        return name in self._short

    def _rate(self, short: Any) -> Any:
        """By the chain rule in terms of other names: derivatives of what is written out would be long work."""
        parts = []
        for symbol in sorted(short.free_symbols, key=str):
            if symbol.name == "t":
                parts.append(short.diff(symbol))
            elif symbol.name in self._moving or self._is_short(symbol.name):
                parts.append(short.diff(symbol)*self._symbol(symbol.name + "'"))
        return sympy.Add(*parts)

    def residuals(self) -> list[Any]:
        """lhs - rhs of each."""
        return [e.lhs - e.rhs for e in self.equations]

    def __repr__(self) -> str:
        return "\n".join(str(e) for e in self.equations)
