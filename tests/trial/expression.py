# SPDX-License-Identifier: Apache-2.0
"""Expressions of the oracle: built with operators, printed in the language of the program, differentiated, compiled to Python.

Nothing here comes from the program. An expression is a node of a graph without duplicates (a Space holds them); compiled
functions work on floats, on complex numbers (for derivatives by a complex step) and on the numbers of mpmath."""
import cmath, math
from fractions import Fraction

import mpmath

FUNCTIONS = {"sin", "cos", "tan", "exp", "tanh", "atan", "sqrt", "sinh", "cosh", "log"}


class Expression:
    __slots__ = ("op", "args", "number", "display")

    def __init__(self, op, args, display=None):
        self.op, self.args, self.display = op, args, display

    def __add__(self, other): return add(self, wrap(other))
    def __radd__(self, other): return add(wrap(other), self)
    def __sub__(self, other): return add(self, negate(wrap(other)))
    def __rsub__(self, other): return add(wrap(other), negate(self))
    def __mul__(self, other): return multiply(self, wrap(other))
    def __rmul__(self, other): return multiply(wrap(other), self)
    def __truediv__(self, other): return divide(self, wrap(other))
    def __rtruediv__(self, other): return divide(wrap(other), self)
    def __neg__(self): return negate(self)
    def __pow__(self, exponent): return power(self, exponent)
    def __str__(self): return text(self)


_table = {}


def forget():
    """A new model begins: no node of the last one is needed."""
    _table.clear()


def node(op, *args, display=None):
    key = (op, display, *[id(a) if isinstance(a, Expression) else a for a in args])
    found = _table.get(key)
    if found is None:
        found = _table[key] = Expression(op, args, display)
        found.number = len(_table)
    return found


def num(value): return node("num", Fraction(value))
def symbol(name): return node("symbol", name)
def wrap(x): return x if isinstance(x, Expression) else num(x)


def named(display, inner):
    """Printed by its name, calculated by its meaning."""
    return node("named", inner, display=display)


PI = node("pi")


def is_num(e, value=None): return e.op == "num" and (value is None or e.args[0] == value)


def add(a, b):
    if is_num(a, 0): return b
    if is_num(b, 0): return a
    if is_num(a) and is_num(b): return num(a.args[0] + b.args[0])
    return node("+", a, b)


def multiply(a, b):
    if is_num(a, 0) or is_num(b, 1): return a
    if is_num(b, 0) or is_num(a, 1): return b
    if is_num(a) and is_num(b): return num(a.args[0]*b.args[0])
    return node("*", a, b)


def negate(a):
    if is_num(a): return num(-a.args[0])
    if a.op == "neg": return a.args[0]
    return node("neg", a)


def divide(a, b):
    if is_num(a, 0) or is_num(b, 1): return a
    return node("/", a, b)


def power(a, exponent):
    if exponent == 0: return num(1)
    return a if exponent == 1 else node("^", a, int(exponent))


def call(name, a): return num({"sin": 0, "cos": 1}[name]) if is_num(a, 0) and name in ("sin", "cos") else node(name, a)


def sin(a): return call("sin", wrap(a))
def cos(a): return call("cos", wrap(a))
def sqrt(a): return call("sqrt", wrap(a))


# ---------------------------------------------------------------- printing

LEVEL = {"+": 1, "neg": 2, "*": 3, "/": 3, "^": 5}


def decimal(value):
    """Exactly, as a decimal where that is short."""
    if value.denominator == 1: return str(value.numerator)
    n, d = value.numerator, value.denominator
    while d % 10 == 0: d //= 10
    scale = next((k for k in range(1, 41) if (10**k) % value.denominator == 0), None)
    if scale is None: return f"{n}/{value.denominator}"
    digits = str(abs(n)*10**scale//value.denominator).rjust(scale + 1, "0")
    return ("-" if n < 0 else "") + digits[:-scale] + "." + digits[-scale:]


def text(e, level=0):
    out, own = _text(e)
    return f"({out})" if own < level else out


def _text(e):
    op, args = e.op, e.args
    if e.display is not None: return e.display, 9
    if op == "num":
        out = decimal(args[0])
        return out, 9 if out[0] != "-" and "/" not in out else 1
    if op == "pi": return "pi", 9
    if op == "symbol": return args[0], 9
    if op == "+":
        right = text(args[1], 1)
        if args[1].op == "neg": return f"{text(args[0], 1)} - {text(args[1].args[0], 3)}", 1
        return f"{text(args[0], 1)} + {right if right[0] != '-' else '(' + right + ')'}", 1
    if op == "neg": return f"-{text(args[0], 3)}", 1
    if op == "*": return f"{text(args[0], 3)}*{text(args[1], 4)}", 3
    if op == "/": return f"{text(args[0], 3)}/{text(args[1], 4)}", 3
    if op == "^": return f"{text(args[0], 6)}^{args[1] if args[1] > 0 else '(' + str(args[1]) + ')'}", 5
    return f"{op}({text(args[0])})", 9


# ---------------------------------------------------------------- derivatives

def order_of(roots):
    """Every node below the roots, operands first."""
    seen, out, stack = set(), [], [(r, False) for r in roots]
    while stack:
        e, done = stack.pop()
        if done:
            out.append(e)
            continue
        if id(e) in seen: continue
        seen.add(id(e))
        stack.append((e, True))
        stack.extend((a, False) for a in e.args if isinstance(a, Expression))
    return out


OUTER = {"sin": lambda a: cos(a), "cos": lambda a: -sin(a), "tan": lambda a: 1 + call("tan", a)**2, "exp": lambda a: call("exp", a),
         "tanh": lambda a: 1 - call("tanh", a)**2, "atan": lambda a: 1/(1 + a**2), "sqrt": lambda a: 1/(2*sqrt(a)),
         "sinh": lambda a: call("cosh", a), "cosh": lambda a: call("sinh", a), "log": lambda a: 1/a}


def derive(e, direction):
    """Derivative along {symbol: rate}."""
    return derive_all([e], direction)[0]


def derive_all(roots, direction):
    rate, zero = {}, num(0)
    seeds = {id(s): wrap(r) for s, r in direction.items()}
    for e in order_of(roots):
        a = e.args
        d = [rate[id(x)] if isinstance(x, Expression) else None for x in a]
        if e.op == "symbol": r = seeds.get(id(e), zero)
        elif e.op in ("num", "pi"): r = zero
        elif e.op == "named": r = d[0]
        elif e.op == "+": r = d[0] + d[1]
        elif e.op == "neg": r = -d[0]
        elif e.op == "*": r = d[0]*a[1] + a[0]*d[1]
        elif e.op == "/": r = (d[0] - e*d[1])/a[1] if not is_num(d[0], 0) or not is_num(d[1], 0) else zero
        elif e.op == "^": r = a[1]*(a[0]**(a[1] - 1))*d[0]
        else: r = OUTER[e.op](a[0])*d[0] if not is_num(d[0], 0) else zero
        rate[id(e)] = r
    return [rate[id(e)] for e in roots]


# ---------------------------------------------------------------- compiling

def _mp_number(value): return mpmath.mpf(value.numerator)/value.denominator


FIELDS = {
    "float": ({name: getattr(math, name) for name in FUNCTIONS}, lambda f: f.numerator/f.denominator, math.pi),
    "complex": ({name: getattr(cmath, name) for name in FUNCTIONS}, lambda f: f.numerator/f.denominator, math.pi),
    "mp": ({name: getattr(mpmath, name) for name in FUNCTIONS}, _mp_number, None),
}


class Compiled:
    """roots as functions of the symbols in `arguments` (names)."""

    def __init__(self, roots, arguments):
        self.roots, self.arguments, self.made = roots, arguments, {}

    def __call__(self, field, values):
        if field not in self.made: self.made[field] = self._make(field)
        return self.made[field](*values)

    def _make(self, field):
        functions, number, pi = FIELDS[field]
        space = {"f_" + name: f for name, f in functions.items()}
        known = {name: f"a{i}" for i, name in enumerate(self.arguments)}
        name_of, lines = {}, []
        for e in order_of(self.roots):
            args = [name_of[id(a)] if isinstance(a, Expression) else a for a in e.args]
            if e.op == "symbol":
                name_of[id(e)] = known[args[0]]
                continue
            if e.op == "named":
                name_of[id(e)] = args[0]
                continue
            name = f"z{len(lines)}"
            if e.op == "num":
                space["k" + name] = number(args[0])
                code = "k" + name
            elif e.op == "pi":
                space["k" + name] = mpmath.mp.pi*1 if pi is None else pi
                code = "k" + name
            elif e.op == "neg": code = f"-{args[0]}"
            elif e.op == "^": code = f"{args[0]}**{args[1]}"
            elif e.op in "+*/": code = f"{args[0]}{e.op}{args[1]}"
            else: code = f"f_{e.op}({args[0]})"
            lines.append(f"  {name} = {code}\n")
            name_of[id(e)] = name
        returned = ", ".join(name_of[id(e)] for e in self.roots)
        source = f"def f({', '.join('a%d' % i for i in range(len(self.arguments)))}):\n{''.join(lines)}  return [{returned}]\n"
        exec(compile(source, "<model>", "exec"), space)
        return space["f"]
