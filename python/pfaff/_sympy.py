# SPDX-License-Identifier: Apache-2.0
"""Equations of the program as SymPy expressions. Nothing is derived here: the texts are read."""
from __future__ import annotations

import re
from typing import Any, Mapping

import sympy

from . import errors

# a name with its dots, indices and primes; a number; anything else is one character
_TOKEN = re.compile(r"(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)"
                    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\[[^\]]*\])?'*)|(?P<other><=|>=|==|!=|\S)|\s+")

_FUNCTIONS = {"sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos,
              "atan": sympy.atan, "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": sympy.tanh,
              "exp": sympy.exp, "log": sympy.log, "ln": sympy.log, "sqrt": sympy.sqrt, "abs": sympy.Abs, "sign": sympy.sign,
              "min": sympy.Min, "max": sympy.Max, "asinh": sympy.asinh, "acosh": sympy.acosh, "atanh": sympy.atanh,
              "if": lambda condition, a, b: sympy.Piecewise((a, condition), (b, True))}


class Reader:
    """Texts to expressions; the same name is the same symbol."""

    def __init__(self) -> None:
        self.symbols: dict[str, sympy.Symbol] = {}

    def _symbol(self, name: str) -> sympy.Symbol:
        return self.symbols.setdefault(name, sympy.Symbol(name, real=True))

    def read(self, text: str) -> Any:
        """One formula."""
        code: list[str] = []
        names: dict[str, Any] = {}
        for token in _TOKEN.finditer(text):
            if token["number"]:
                exact = re.fullmatch(r"\d+", token["number"])
                code.append(f"{'Integer' if exact else 'Float'}('{token['number']}')")
            elif token["name"]:
                code.append(self._name(token["name"], text[token.end():].lstrip().startswith("("), names))
            elif token["other"]:
                code.append({"^": "**", "·": "*"}.get(token["other"], token["other"]))
        scope = {"__builtins__": {}, "Integer": sympy.Integer, "Float": sympy.Float, **names}
        try:
            return sympy.sympify(eval(" ".join(code), scope))  # names and operators only: see _TOKEN and _name
        except Exception as error:
            raise errors.Error(f"'{text}' could not be read as an expression of SymPy: {error}") from error

    def _name(self, name: str, called: bool, names: dict[str, Any]) -> str:
        place = f"_{len(names)}"
        if called and name not in _FUNCTIONS:
            raise errors.Error(f"SymPy has no function for '{name}'")
        names[place] = _FUNCTIONS[name] if called else sympy.pi if name == "pi" else self._symbol(name)
        return place


class SymPyEquations:
    """equations: a list of sympy.Eq with abbreviations written out; where: the abbreviations; symbols: all symbols by name;
    unknowns: accelerations and multipliers, in which the residuals() are linear: sympy.solve(e.residuals(), e.unknowns).
    All symbols are real: who makes one of the same name writes sympy.Symbol("m", real=True), or takes symbols["m"]."""

    def __init__(self, raw: Mapping[str, Any]):
        reader = Reader()
        self.where: dict[sympy.Symbol, Any] = {}
        moving = [(reader.read(c), reader.read(c + "'")) for c in raw["coordinates"]]
        moving += [(rate, reader.read(c + "''")) for c, (_, rate) in zip(raw["coordinates"], moving)]
        for entry in raw.get("where") or []:
            value = self._expand(reader.read(entry["value"]))
            self.where[reader.read(entry["name"])] = value
            # mu' is its rate
            self.where[reader.read(entry["name"] + "'")] = sum(value.diff(x)*rate for x, rate in moving)
        self.equations = [sympy.Eq(self._expand(reader.read(e["lhs"])), self._expand(reader.read(e["rhs"])), evaluate=False)
                          for e in raw["equations"]]
        self.unknowns = [reader.read(name) for name in raw["unknowns"]]
        self.symbols = reader.symbols

    def _expand(self, e: Any) -> Any:
        return e.subs(self.where) if self.where else e

    def residuals(self) -> list[Any]:
        """lhs - rhs of each."""
        return [e.lhs - e.rhs for e in self.equations]

    def __repr__(self) -> str:
        return "\n".join(str(e) for e in self.equations)
