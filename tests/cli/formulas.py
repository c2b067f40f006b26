# SPDX-License-Identifier: Apache-2.0
"""Printed formulas as functions of numbers, with derivatives by complex steps, which have no error of their own."""
import cmath
import math
import re

TOKEN = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[[\d, ]+\])*'*")
FUNCTIONS = {name: getattr(cmath, name) for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "asin", "acos", "atan", "sinh", "cosh", "tanh")}
FUNCTIONS["abs"] = lambda z: z if complex(z).real >= 0 else -z  # analytic, for the sake of derivatives
STEP = 1e-30


class Unknown(Exception):
    """A function that is not evaluated here."""


class Formula:
    def __init__(self, text):
        self.names = set()

        def replace(match):
            name = match.group(0)
            if text[match.end():].startswith("("):
                if name not in FUNCTIONS: raise Unknown(name)
                return f"F[{name!r}]"
            if name == "pi": return "PI"
            self.names.add(name)
            return f"V[{name!r}]"
        self.code = compile(re.sub(TOKEN, replace, text).replace("^", "**"), text, "eval")

    def at(self, values):
        return eval(self.code, {"F": FUNCTIONS, "V": values, "PI": math.pi})

    def slope(self, values, name):
        if name not in self.names: return 0.0
        return self.at({**values, name: values[name] + 1j*STEP}).imag/STEP


def solve(matrix, right):
    """Gauss with pivots, for complex numbers, too."""
    n = len(right)
    rows = [list(map(complex, matrix[i])) + [complex(right[i])] for i in range(n)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k]/rows[k][k]
                rows[i] = [x - factor*y for x, y in zip(rows[i], rows[k])]
    return [rows[i][n]/rows[i][i] for i in range(n)]
