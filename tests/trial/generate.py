# SPDX-License-Identifier: Apache-2.0
"""Random models: a text for the program and, built beside it, the mathematical model of the oracle."""
import random
from fractions import Fraction

import mpmath

import expression as ex
from expression import PI, cos, named, num, sin, sqrt, symbol, text, wrap
from mechanics import (Constraint, Equations, Exact, Friction, Model, UNIT, apply, cross, dot, ground, kkt, minus, plus, scaled, solve)
from motion import Event, Hold, run

# SI value of a unit: the number, and whether it is multiplied by pi.
UNITS = {"m": (1, 0), "mm": (Fraction(1, 1000), 0), "cm": (Fraction(1, 100), 0), "km": (1000, 0), "kg": (1, 0), "g": (Fraction(1, 1000), 0),
         "s": (1, 0), "ms": (Fraction(1, 1000), 0), "rad": (1, 0), "deg": (Fraction(1, 180), 1), "rpm": (Fraction(1, 30), 1), "N": (1, 0),
         "kN": (1000, 0), "J": (1, 0), "rev": (2, 1), "min": (60, 0), "Hz": (1, 0), "W": (1, 0), "Pa": (1, 0)}


def unit_factor(unit):
    """SI value of a unit as the program writes it: 'kg mm/s^2', 'N/(m s)'."""
    top, _, bottom = unit.replace("(", "").replace(")", "").partition("/")
    out = mpmath.mpf(1)
    for part, sign in ((top, 1), (bottom, -1)):
        for word in part.split():
            name, _, exponent = word.partition("^")
            if name == "1": continue
            number, pis = UNITS[name]
            out *= (mpmath.mpf(number.numerator)/number.denominator*mpmath.pi**pis)**(sign*int(exponent or 1))
    return out


class Reject(Exception):
    """This draw makes no sound model: the next one is tried."""


class Maker:
    def __init__(self, seed):
        ex.forget()
        self.rng, self.model, self.lines, self.params = random.Random(seed), Model(), [], []
        self.units = {}         # coordinate: unit it was declared with
        self.with_units = False
        self.bodies = []        # (name, frame, mass)
        self.features = set()
        self.events, self.until = [], None
        self.speeds = self.redundant = self.driven = False
        self.sure = set()       # coordinates that may be locked
        self.smooth_projection = True  # may velocities jump? not where constraints are nonlinear in them

    # ---- numbers and names
    def number(self, low, high, digits=2):
        value = Fraction(self.rng.randint(round(low*10**digits), round(high*10**digits)), 10**digits)
        return value if value else Fraction(1, 10**digits)

    def signed(self, low, high): return self.number(low, high)*self.rng.choice((1, -1))

    def param(self, value, unit=None):
        """A parameter, printed by its name; `value` in the unit."""
        name = f"p{len(self.params) + 1}"
        shown = ex.decimal(Fraction(value)) + (f" [{unit}]" if unit else "")
        self.params.append(f"{name} = {shown}")
        number, pis = UNITS[unit] if unit else (1, 0)
        inner = num(Fraction(value)*number)
        return named(name, inner*PI if pis else inner)

    def coefficient(self, low, high):
        """A bare number, or a parameter without unit where coordinates have units."""
        value = self.signed(low, high)
        return self.param(value) if self.with_units or self.rng.random() < 0.3 else num(value)

    def positive(self, low, high):
        value = self.number(low, high)
        return self.param(value) if self.with_units or self.rng.random() < 0.3 else num(value)

    def coord(self, name, kind="m"):
        q = self.model.coordinate(name)
        if self.with_units:
            self.units[name] = self.rng.choice({"m": ["m", "mm", "cm"], "rad": ["rad", "deg"]}[kind])
        self.sure.add(name)
        return q

    # ---- random functions
    def linear(self, variables):
        chosen = self.rng.sample(variables, min(len(variables), self.rng.randint(1, 2)))
        out = None
        for x in chosen:
            term = self.coefficient(0.3, 1.2)*x
            out = term if out is None else out + term
        return out

    def smooth(self, variables):
        c, a = self.coefficient(0.2, 0.9), self.linear(variables)
        return self.rng.choice((lambda: c*sin(a), lambda: c*cos(a), lambda: a, lambda: c*a**2, lambda: c*ex.call("tanh", a),
                                lambda: c/sqrt(1 + a**2), lambda: c*ex.call("exp", -(a**2)), lambda: c*ex.call("atan", a),
                                lambda: c*sin(a)*cos(self.linear(variables))))()

    def law(self):
        """A smooth function of time."""
        w = self.coefficient(0.5, 2)
        return self.coefficient(0.2, 0.8)*self.rng.choice((sin, cos))(w*self.model.t)

    def sign_of(self, s):
        """A symbol for the sign of s, which only motions change."""
        sign = symbol(f"sign {len(self.model.switches)}")
        self.model.switches.append((sign, s))
        return sign

    def kinked(self, x):
        """A force or energy with a kink or a jump where a function of the position changes its sign."""
        c, at = self.coefficient(0.3, 1.5), self.coefficient(0.05, 0.6)
        kind = self.rng.randrange(4)
        if kind == 0: return named(f"({text(c)})*abs({text(x - at)})", c*self.sign_of(x - at)*(x - at))
        if kind == 1:
            a, b = self.coefficient(0.3, 2), self.coefficient(0.3, 2)
            return named(f"if({text(x)} < {text(at)}, {text(a)}, {text(b)})", (a + b)/2 + self.sign_of(x - at)*(b - a)/2)
        word, k = ("max", 1) if kind == 2 else ("min", -1)
        y = c*x
        return named(f"{word}({text(y)}, {text(at)})", (y + at)/2 + k*self.sign_of(y - at)*(y - at)/2)

    def input(self):
        """A function of time with a jump."""
        at = self.number(0.05, 0.9, 3)
        a, b = num(self.signed(0.3, 3)), num(self.signed(0.3, 3))
        s = self.sign_of(self.model.t - num(at))
        name = f"u{len([l for l in self.lines if l.startswith('input')]) + 1}"
        if self.rng.random() < 0.5: self.lines.append(f"input {name} = if(t < {text(num(at))}, {text(a)}, {text(b)})")
        else: self.lines.append(f"input {name} = if(t > {text(num(at))}, {text(b)}, {text(a)})")
        return named(name, (a + b)/2 + s*(b - a)/2)

    # ---- models by energies
    def energies(self):
        m, rng = self.model, self.rng
        self.with_units = rng.random() < 0.3
        n = rng.randint(1, 5)
        for i in range(n): self.coord(f"x{i + 1}", rng.choice(("m", "rad")))
        terms = []
        for i in range(n):
            form = m.v[i]
            for j in range(i):
                if rng.random() < 0.5:
                    f = self.smooth(m.q)
                    form = form + f*m.v[j]
            if rng.random() < 0.1: form = form + self.law()
            terms.append(self.positive(0.5, 3)*form**2/2)
        for term in terms: self.kinetic(term)
        for i in range(n):
            if rng.random() < 0.6: self.potential(self.positive(0.5, 5)*m.q[i]**2/2)
        if rng.random() < 0.6: self.potential(self.smooth(m.q))
        if rng.random() < 0.3: self.potential(self.smooth(m.q)*self.law())
        self.common_forces()

    def kinetic(self, e):
        self.model.T = self.model.T + e
        self.lines.append(f"kinetic {text(e)}")

    def potential(self, e):
        self.model.V = self.model.V + e
        self.lines.append(f"potential {text(e)}")

    def force(self, i, e, word="force"):
        self.model.add_force(i, e)
        self.lines.append(f"{word} {self.model.names[i]} = {text(e)}")

    def scalars(self): return [i for i in range(len(self.model.q)) if not any(f <= i < f + 3 for f in self.model.ball)]

    def common_forces(self):
        m, rng = self.model, self.rng
        scalars = self.scalars()
        if not scalars: return
        q, v = [m.q[i] for i in scalars], [m.v[i] for i in scalars]
        if rng.random() < 0.5: self.force(rng.choice(scalars), self.smooth(q + v + [m.t]))
        if rng.random() < 0.3:
            e = self.positive(0.05, 0.5)*rng.choice(v)**2/2
            m.R = m.R + e
            self.lines.append(f"dissipation {text(e)}")
        if rng.random() < 0.2: self.scalar_spring(q)
        if rng.random() < 0.25: self.force(rng.choice(scalars), self.input())
        if rng.random() < 0.25: self.force(rng.choice(scalars), self.kinked(m.q[rng.choice(scalars)]))

    def scalar_spring(self, q):
        m, e, k, l, c = self.model, self.smooth(q), self.positive(0.5, 6), self.coefficient(0.1, 0.5), self.positive(0.05, 0.4)
        m.V, m.R = m.V + k*(e - l)**2/2, m.R + c*m.rate(e)**2/2
        self.lines.append(f"spring {text(e)} {{ stiffness {text(k)}, length {text(l)}, damping {text(c)} }}")

    def dry_friction(self):
        m, rng, scalars = self.model, self.rng, self.scalars()
        self.features.add("friction")
        i, f = rng.choice(scalars), self.bare(self.number(0.2, 2))
        s = m.v[i]
        mode = symbol(f"mode {len(m.frictions)}")
        if len(scalars) > 1 and rng.random() < 0.3 and not self.has_units():
            j = rng.choice([k for k in scalars if k != i])
            s = m.v[i] - m.v[j]
            self.lines.append(f"force {m.names[j]} = {text(f)}*sign({text(s)})")
        m.frictions.append(Friction(mode, s, f))
        self.lines.append(f"force {m.names[i]} = -{text(f, 4)}*sign({text(s)})")

    # ---- constraints on scalars
    def add(self, kind, value, shown, word="constraint", coefficient=None):
        name = f"c{len(self.model.constraints) + 1}"
        self.model.constraints.append(Constraint(name, kind, value, coefficient))
        self.lines.append(f"{word} {name}: {shown}")
        return len(self.model.constraints) - 1

    def random_constraint(self):
        m, rng, scalars = self.model, self.rng, self.scalars()
        q, v = [m.q[i] for i in scalars], [m.v[i] for i in scalars]
        kind = rng.choice(("position", "position", "moving", "pfaffian", "pfaffian", "affine", "nonlinear", "acceleration", "prescribe"))
        if kind in ("position", "moving"):
            g = self.coefficient(0.6, 1.2)*rng.choice(q) + self.smooth(q) + self.smooth(q)
            self.driven = self.driven or kind == "moving"
            right = self.law() if kind == "moving" else self.coefficient(0.1, 0.5)
            return self.add("position", g - right, f"{text(g)} = {text(right)}")
        if kind == "prescribe": return self.prescribe(rng.choice(scalars))
        if kind in ("pfaffian", "affine"):
            chosen = rng.sample(range(len(v)), min(len(v), rng.randint(2, 3)))
            g = self.coefficient(0.5, 1.5)*v[chosen[0]]
            for i in chosen[1:]: g = g + (self.coefficient(0.3, 1) + self.smooth(q))*v[i]
            right = self.law() + self.smooth(q) if kind == "affine" else num(0)
            return self.add("velocity", g - right, f"{text(g)} = {text(right)}")
        if kind == "nonlinear":
            i, j = rng.choice(v), rng.choice(v)
            g = self.positive(0.5, 1.5)*i**2 + (self.positive(1, 2) + self.smooth(q)/4)*j**2 + self.coefficient(0.3, 1)*rng.choice(v)
            right = self.positive(0.8, 2)
            self.smooth_projection = False
            return self.add("velocity", g - right, f"{text(g)} = {text(right)}")
        i = rng.choice(scalars)
        self.smooth_projection = False
        coefficient = [num(0)]*len(m.q)
        coefficient[i] = num(1)
        shown = f"{m.names[i]}''"
        if len(scalars) > 1 and rng.random() < 0.5:
            j = rng.choice([k for k in scalars if k != i])
            coefficient[j] = self.smooth(q)
            shown = f"{shown} + ({text(coefficient[j])})*{m.names[j]}''"
        if self.with_units:
            c = self.positive(0.5, 1.5)
            coefficient = [c*x for x in coefficient]
            shown = f"{text(c)}*({shown})" if "+" not in shown else None
            if shown is None: raise Reject("units of accelerations")
        rest = self.positive(0.1, 1)*m.v[i] + self.positive(0.3, 2)*m.q[i]
        right = self.law()
        return self.add("acceleration", rest - right, f"{shown} + {text(rest)} = {text(right)}", coefficient=coefficient)

    def integrator(self):
        """A state without mass that a constraint determines: the integral of a controller, a filter of first order."""
        m, rng, others = self.model, self.rng, self.scalars()
        q, v = [m.q[i] for i in others], [m.v[i] for i in others]
        m.coordinate(f"z{len(m.q) + 1}")  # nobody may lock it: it has no inertia
        z, rate = m.q[-1], m.v[-1]
        for c in m.constraints:
            if c.coefficient is not None: c.coefficient.append(num(0))
        right = self.smooth(q) + self.linear(v)
        if rng.random() < 0.5: right = right - self.positive(0.3, 2)*z
        if rng.random() < 0.3: right = right + self.law()
        self.add("velocity", rate - right, f"{text(rate)} = {text(right)}")
        if rng.random() < 0.7: self.force(rng.choice(others), self.coefficient(0.2, 1)*z)
        self.features.add("massless")

    def prescribe(self, i):
        m, law, level = self.model, self.law(), self.rng.randrange(3)
        self.driven = True
        if level == 2: self.smooth_projection = False
        name, coefficient = m.names[i] + "'"*level, [num(int(k == i)) for k in range(len(m.q))]
        kind, value = (("position", m.q[i] - law), ("velocity", m.v[i] - law), ("acceleration", -law))[level]
        self.sure.discard(m.names[i])
        return self.add(kind, value, f"{name} = {text(law)}", "prescribe", coefficient)

    def nonideal(self, c):
        """A force that grows with the multiplier."""
        m, rng = self.model, self.rng
        i = rng.choice(self.scalars())
        mu = self.coefficient(0.02, 0.15)*ex.call("tanh", self.coefficient(0.5, 1)*m.v[i])
        m.nonideal.append((i, mu, c))
        self.lines.append(f"nonideal {m.names[i]} = {text(mu)}*lambda[{m.constraints[c].name}]")

    def speeds_and_rates(self):
        """Solved constraints x_d' = f x_j' and pseudo-velocities that satisfy them."""
        m, scalars = self.model, self.scalars()
        n = len(scalars)
        dependents = self.rng.randint(0, min(2, n - 2))
        free, tied = scalars[:n - dependents], scalars[n - dependents:]
        q = [m.q[i] for i in scalars]
        speeds = [f"nu{k + 1}" for k in range(len(free))]
        self.lines.append("speed " + ", ".join(speeds))
        rates = []
        for k, i in enumerate(free):
            shown = speeds[k] + (f" + ({text(self.smooth(q))})*{speeds[k - 1]}" if k and self.rng.random() < 0.5 else "")
            rates.append(shown)
            self.lines.append(f"rate {m.names[i]}' = {shown}")
        for d in tied:
            j = self.rng.randrange(len(free))
            f = self.coefficient(0.3, 1) + self.smooth(q)
            self.add("velocity", m.v[d] - f*m.v[free[j]], f"{m.names[d]}' = ({text(f)})*{m.names[free[j]]}'")
            self.lines.append(f"rate {m.names[d]}' = ({text(f)})*({rates[j]})")
        self.speeds = True

    # ---- bodies
    def mass(self):
        value = self.number(0.3, 3)
        if self.rng.random() < 0.2: return self.param(value*1000, "g")
        return self.param(value, "kg") if self.rng.random() < 0.4 else num(value)

    def length(self, low=0.1, high=0.7, sign=False):
        value = self.signed(low, high) if sign else self.number(low, high)
        if self.rng.random() < 0.15: return self.param(value*1000, "mm")
        return num(value)

    def body(self, name, parent, placement, frame, planar=False, com=None):
        rng = self.rng
        mass = self.mass()
        com = com or ([self.length(sign=True), self.length(sign=True) if rng.random() < 0.4 else num(0),
                       num(0) if planar or rng.random() < 0.5 else self.length(0.05, 0.3, True)] if rng.random() < 0.6 else [num(0)]*3)
        a, b = self.number(0.05, 0.4), self.number(0.05, 0.4)
        c = self.number(max(abs(a - b), Fraction(1, 20)) + Fraction(1, 100), a + b - Fraction(1, 100))
        if rng.random() < 0.2:
            inertia, shown = [num(a)]*3 + [num(0)]*3, text(num(a))
        elif rng.random() < 0.25:
            off = [num(self.signed(0.01, 0.02)) for _ in range(3)]
            inertia = [num(a + Fraction(1, 10)), num(b + Fraction(1, 10)), num(c + Fraction(1, 10))] + off
            shown = "inertia(" + ", ".join(text(x) for x in inertia) + ")"
        else:
            inertia, shown = [num(a), num(b), num(c)] + [num(0)]*3, f"diag({text(num(a))}, {text(num(b))}, {text(num(c))})"
        self.model.body(frame, mass, inertia, com)
        if self.gravity: self.model.weight(frame, mass, com, self.gravity)
        where = f", com ({', '.join(text(x) for x in com)})" if any(not ex.is_num(x, 0) for x in com) else ""
        self.lines.append(f"body {name} in {parent}{placement} {{ mass {text(mass)}, inertia {shown}{where} }}")
        self.bodies.append((name, frame, mass))

    def begin_bodies(self, direction):
        self.gravity = None
        if self.rng.random() < 0.7:
            self.gravity = tuple(Fraction(-981, 100)*x for x in direction)
            self.lines.append(f"gravity ({', '.join(text(num(x)) for x in self.gravity)})")

    def plane(self):
        m, rng = self.model, self.rng
        self.with_units = False
        self.begin_bodies((0, 1, 0))
        units = rng.random() < 0.3
        for k in range(rng.randint(1, 3)):
            parent, base = ("ground", ground()) if not self.bodies or rng.random() < 0.25 else self.bodies[-1][:2]
            name, frame, shown = f"b{k + 1}", base, ""
            if parent == "ground" and rng.random() < 0.6:
                x, y = self.named_coord(f"x{k + 1}", "m", units), self.named_coord(f"y{k + 1}", "m", units)
                frame, shown = m.moved(frame, [x, y, num(0)]), f" at ({text(x)}, {text(y)}, 0)"
            elif rng.random() < 0.3:
                s = self.named_coord(f"s{k + 1}", "m", units)
                frame, shown = m.moved(frame, [s, num(0), num(0)]), f" shift {text(s)} along x"
            else:
                l = self.length(0.2, 0.8)
                frame, shown = m.moved(frame, [l, num(0), num(0)]), f" at ({text(l)}, 0, 0)"
            if "shift" not in shown or rng.random() < 0.5:
                a = self.named_coord(f"a{k + 1}", "rad", units)
                frame, shown = m.turned(frame, a, 2), shown + f" turn {text(a)} about z"
            self.body(name, parent, shown, frame, planar=True)
        self.body_forces(planar=True)

    def named_coord(self, name, kind, units):
        self.with_units = units
        q = self.coord(name, kind)
        self.with_units = False
        return q

    def space(self):
        m, rng = self.model, self.rng
        self.begin_bodies((0, 0, 1))
        units = rng.random() < 0.3
        for k in range(rng.randint(1, 2)):
            parent, base = ("ground", ground()) if not self.bodies else self.bodies[-1][:2]
            name, frame, shown = f"b{k + 1}", base, ""
            kind = rng.choice(("turns", "turns", "ball", "free", "shift"))
            if len(m.q) > 3 and kind in ("free", "ball"): kind = "turns"
            if parent != "ground":
                l = [self.length(0.1, 0.6, True) for _ in range(3)]
                frame, shown = m.moved(frame, l), f" at ({', '.join(text(x) for x in l)})"
            if kind == "free":
                p = [self.named_coord(f"{name}.p{c}", "m", False) for c in "xyz"]
                frame, shown = m.on_ball(m.moved(frame, p), m.ball_joint(name)), shown + " free"
            elif kind == "ball":
                frame, shown = m.on_ball(frame, m.ball_joint(name)), shown + " ball"
            else:
                if kind == "shift":
                    s, axis = self.named_coord(f"s{k + 1}", "m", units), rng.randrange(3)
                    frame, shown = m.moved(frame, scaled(s, UNIT[axis])), shown + f" shift {text(s)} along {'xyz'[axis]}"
                for i in range(rng.randint(1, 3 if kind == "turns" else 2)):
                    a, axis = self.named_coord(f"a{k + 1}{i + 1}", "rad", units), rng.randrange(3)
                    frame, shown = m.turned(frame, a, axis), shown + f" turn {text(a)} about {'xyz'[axis]}"
            self.body(name, parent, shown, frame)
        self.body_forces(planar=False)

    def point(self, body, planar):
        """(text, position, velocity) of a point fixed in a body"""
        name, frame, _ = body
        arm = [num(self.signed(0.1, 0.5)), num(self.signed(0.1, 0.5)), num(0) if planar else num(self.signed(0.1, 0.5))]
        where = self.model.moved(frame, arm).p
        return f"point({name}, ({', '.join(text(x) for x in arm)}))", where, self.model.rates(where)

    def body_forces(self, planar):
        m, rng = self.model, self.rng
        body = rng.choice(self.bodies)
        if rng.random() < 0.4:
            p, where, velocity = self.point(body, planar)
            F = [num(self.signed(0.2, 2)), self.law(), num(0) if planar else num(self.signed(0.2, 2))]
            m.point_force(F, velocity)
            self.lines.append(f"force ({', '.join(text(x) for x in F)}) at {p}")
        if rng.random() < 0.3:
            name, frame, _ = body
            W = [num(0), num(0), self.law()] if planar else [num(self.signed(0.1, 1)), self.law(), num(self.signed(0.1, 1))]
            m.point_force(W, apply(frame.R, frame.w))
            self.lines.append(f"torque ({', '.join(text(x) for x in W)}) on {name}")
        if rng.random() < 0.4: self.point_spring(body, planar)
        self.common_forces_of_bodies()

    def point_spring(self, body, planar):
        m, rng = self.model, self.rng
        p, a, _ = self.point(body, planar)
        anchor = [num(self.signed(1.5, 3)), num(self.signed(1.5, 3)), num(0) if planar else num(self.signed(1.5, 3))]
        gap = minus(a, anchor)
        d = sqrt(dot(gap, gap))
        k, l, c = num(self.number(1, 8)), num(self.number(0.2, 1)), num(self.number(0.05, 0.4))
        m.V, m.R = m.V + k*(d - l)**2/2, m.R + c*m.rate(d)**2/2
        self.lines.append(f"spring {p} to point(ground, ({', '.join(text(x) for x in anchor)})) "
                          f"{{ stiffness {text(k)}, length {text(l)}, damping {text(c)} }}")

    def bare(self, value):
        """A number that fits every dimension: a parameter without unit where names have units."""
        return self.param(value) if self.has_units() else num(value)

    def has_units(self): return bool(self.units) or any(".p" in name for name in self.model.names)

    def common_forces_of_bodies(self):
        m, rng, scalars = self.model, self.rng, self.scalars()
        if not scalars: return
        i = rng.choice(scalars)
        if rng.random() < 0.4: self.force(i, -self.bare(self.number(0.05, 0.5))*m.v[i])
        if rng.random() < 0.25 and not self.has_units(): self.force(rng.choice(scalars), self.input())
        if rng.random() < 0.2 and not self.has_units(): self.force(rng.choice(scalars), self.kinked(m.q[rng.choice(scalars)]))

    def body_constraint(self, planar):
        """On points of bodies."""
        m, rng = self.model, self.rng
        body = rng.choice(self.bodies)
        name, frame, _ = body
        p, where, velocity = self.point(body, planar)
        kind = rng.choice(("distance", "line", "skate", "blade", "turn"))
        if kind == "distance":
            anchor = [num(self.signed(1, 2)), num(self.signed(1, 2)), num(0) if planar else num(self.signed(1, 2))]
            gap, l = minus(where, anchor), num(self.number(1, 2))
            return self.add("position", dot(gap, gap) - l**2,
                            f"distance({p}, point(ground, ({', '.join(text(x) for x in anchor)})))^2 = {text(l)}^2")
        if kind == "line":
            c = num(self.signed(0.1, 0.5))
            return self.add("position", where[1] - c*where[0], f"pos({p}).y = {text(c, 4)}*pos({p}).x")
        if kind == "turn" and not planar:
            w = apply(frame.R, frame.w)
            g = w[2] + num(Fraction(1, 2))*w[0]
            law = self.law()
            return self.add("velocity", g - law, f"dot(omega({name}), (0.5, 0, 1)) = {text(law)}")
        if kind == "skate":
            name_c = f"c{len(m.constraints) + 1}"
            m.constraints.append(Constraint(name_c, "velocity", dot(m.velocity(frame), frame.axis(1))))
            self.lines.append(f"skate {name_c}: {name}")
            return len(m.constraints) - 1
        along = [num(self.signed(0.3, 1)), num(self.signed(0.3, 1)), num(0)]
        u = apply(frame.R, along)
        shown = f"{text(along[0], 4)}*{name}.x + {text(along[1], 4)}*{name}.y"
        return self.add("velocity", dot(velocity, u), f"dot(vel({p}), {shown}) = 0")

    # ---- rolling
    def rolling(self):
        self.begin_bodies((0, 0, 1))
        self.rng.choice((self.leaning_disc, self.rolling_ball, self.roller_car, self.two_wheels, self.ball_in_sphere))()
        scalars = self.scalars()
        if scalars and self.rng.random() < 0.5:
            i = self.rng.choice(scalars)
            if self.has_units(): self.force(i, -self.bare(self.number(0.05, 0.5))*self.model.v[i])
            else: self.force(i, self.rng.choice((self.law, lambda: -num(self.number(0.05, 0.5))*self.model.v[i], self.input))())

    def contact(self, name, part, kind, value):
        self.model.constraints.append(Constraint(f"{name}.{part}" if part else name, kind, value))

    def slip(self, frame, arm):
        return plus(self.model.velocity(frame), cross(apply(frame.R, frame.w), arm))

    def leaning_disc(self):
        m, rng = self.model, self.rng
        x, y, z = (self.named_coord(c, "m", False) for c in "xyz")
        psi, phi, chi = (self.named_coord(c, "rad", False) for c in ("psi", "phi", "chi"))
        frame = m.turned(m.turned(m.turned(m.moved(ground(), [x, y, z]), psi, 2), phi, 0), chi, 1)
        r = self.length(0.3, 0.6)
        self.body("b", "ground", " at (x, y, z) turn psi about z turn phi about x turn chi about y", frame, com=[num(0)]*3)
        self.lines.append(f"roll w: disc b {{ radius {text(r)}, axis b.y }} on ground")
        a, n = frame.axis(1), UNIT[2]
        s = dot(a, n)
        root = sqrt(1 - s**2)
        arm = scaled(-r/root, minus(n, scaled(s, a)))
        track = scaled(1/root, cross(a, n))
        v = self.slip(frame, arm)
        self.contact("w", "height", "position", z - r*root)
        self.contact("w", "roll", "velocity", dot(v, track))
        self.contact("w", "side", "velocity", dot(v, cross(n, track)))
        self.sure = set()

    def rolling_ball(self):
        m = self.model
        if self.rng.random() < 0.5:
            p = [self.named_coord(f"b.p{c}", "m", False) for c in "xyz"]
            frame = m.on_ball(m.moved(ground(), p), m.ball_joint("b"))
            shown = " free"
        else:
            p = [self.named_coord(c, "m", False) for c in "xyz"]
            frame, shown = m.on_ball(m.moved(ground(), p), m.ball_joint("b")), " at (x, y, z) ball"
        r = self.length(0.2, 0.6)
        self.body("b", "ground", shown, frame)
        self.lines.append(f"roll w: ball b {{ radius {text(r)} }} on ground")
        v = self.slip(frame, [num(0), num(0), -r])
        self.contact("w", "height", "position", p[2] - r)
        self.contact("w", "x", "velocity", v[0])
        self.contact("w", "y", "velocity", v[1])
        self.sure = set()

    def ball_in_sphere(self):
        m = self.model
        p = [self.named_coord(c, "m", False) for c in "xyz"]
        frame = m.on_ball(m.moved(ground(), p), m.ball_joint("b"))
        r, S = num(self.number(0.1, 0.3)), num(self.number(0.9, 1.5))
        self.body("b", "ground", " at (x, y, z) ball", frame, com=[num(0)]*3)
        self.lines.append(f"roll w: ball b {{ radius {text(r)} }} inside sphere {{ radius {text(S)} }}")
        v = self.slip(frame, scaled(r/(S - r), p))
        self.contact("w", "shell", "position", dot(p, p) - (S - r)**2)
        for i in range(3): self.contact("w", "xyz"[i], "velocity", v[i])
        self.redundant = True  # one of the four follows from the others
        self.near = {"x": 0.3, "y": 0.3, "z": -0.8}
        self.sure = set()

    def roller_car(self):
        m, rng = self.model, self.rng
        x, y, th = self.named_coord("x", "m", False), self.named_coord("y", "m", False), self.named_coord("th", "rad", False)
        r = num(self.number(0.1, 0.3))
        board = m.turned(m.moved(ground(), [x, y, r]), th, 2)
        self.body("board", "ground", f" at (x, y, {text(r)}) turn th about z", board)
        word = rng.choice(("omni", "mecanum"))
        for k in range(rng.randint(1, 3)):
            at = [num(self.signed(0.2, 0.6)), num(self.signed(0.2, 0.6)), num(0)]
            chi = self.named_coord(f"chi{k + 1}", "rad", False)
            turn = num(self.number(0.1, 3)) if rng.random() < 0.6 else num(0)
            frame = m.turned(m.turned(m.moved(board, at), turn, 2), chi, 1)
            place = f" at ({text(at[0])}, {text(at[1])}, 0)" + (f" turn {text(turn)} about z" if not ex.is_num(turn, 0) else "")
            self.body(f"w{k + 1}", "board", place + f" turn chi{k + 1} about y", frame, com=[num(0)]*3)
            roller = num(self.number(0.5, 1.1))
            given = word == "mecanum" and rng.random() < 0.6
            angle = roller if given else PI/(4 if word == "mecanum" else 2)
            self.lines.append(f"{word} k{k + 1}: w{k + 1} {{ radius {text(r)}, axis w{k + 1}.y{f', roller {text(roller)}' if given else ''} }}")
            a, n = frame.axis(1), UNIT[2]
            axle = plus(scaled(cos(angle), a), scaled(sin(angle), cross(n, a)))
            self.contact(f"k{k + 1}", "", "velocity", dot(self.slip(frame, [num(0), num(0), -r]), axle))

    def two_wheels(self):
        m = self.model
        x, y, th = self.named_coord("x", "m", False), self.named_coord("y", "m", False), self.named_coord("th", "rad", False)
        r, b = num(self.number(0.1, 0.3)), num(self.number(0.2, 0.5))
        board = m.turned(m.moved(ground(), [x, y, r]), th, 2)
        self.body("board", "ground", f" at (x, y, {text(r)}) turn th about z", board)
        for k, side in ((1, 1), (2, -1)):
            chi = self.named_coord(f"chi{k}", "rad", False)
            frame = m.turned(m.moved(board, [num(0), side*b, num(0)]), chi, 1)
            self.body(f"w{k}", "board", f" at (0, {text(side*b)}, 0) turn chi{k} about y", frame, com=[num(0)]*3)
            n, a = UNIT[2], frame.axis(1)
            v, track = self.slip(frame, [num(0), num(0), -r]), cross(a, n)
            if k == 1:
                self.lines.append(f"roll k{k}: disc w{k} {{ radius {text(r)}, axis w{k}.y }} on ground")
                self.contact(f"k{k}", "roll", "velocity", dot(v, track))
                self.contact(f"k{k}", "side", "velocity", dot(v, cross(n, track)))
            else:
                self.lines.append(f"constraint k{k}: dot(vel(w{k}) + cross(omega(w{k}), (0, 0, -{text(r)})), board.x) = 0")
                self.contact(f"k{k}", "", "velocity", dot(v, board.axis(0)))

    # ---- the start
    def find_start(self, equations):
        """Near random values, on the constraints, with many digits."""
        m, rng, n = self.model, self.rng, len(self.model.q)
        near = getattr(self, "near", {})
        q = [mpmath.mpf(near.get(m.names[i], rng.uniform(-0.6, 0.6))) for i in range(n)]
        v = [mpmath.mpf(rng.uniform(-1.2, 1.2)) for _ in range(n)]
        balls = {}
        for first in m.ball:
            for i in range(3): q[first + i] = mpmath.mpf(0)
            Q = [mpmath.mpf(rng.gauss(0, 1)) for _ in range(4)]
            size = mpmath.sqrt(sum(x*x for x in Q))
            balls[first] = [x/size for x in Q]
        signs = [1.0]*(len(m.switches) + len(m.frictions))

        def values(): return q + v + [mpmath.mpf(0)] + [x for first in m.ball for x in balls[first]] + signs

        def correct(g, rows, unknown, change):
            for _ in range(60):
                r = g("mp", values())
                if max([abs(x) for x in r] or [0]) < mpmath.mpf(10)**-30: return
                A = rows("mp", values())
                A = [A[i*n:(i + 1)*n] for i in range(len(r))]
                w, _ = solve([[sum(x*y for x, y in zip(a, b)) for b in A] for a in A], [-x for x in r], mpmath.mpf(10)**-20)
                change([sum(A[c][i]*w[c] for c in range(len(r))) for i in range(n)])
            raise Reject("no consistent start")

        def move(d):
            if max(abs(x) for x in d) > 3: raise Reject("no consistent start")
            for i in self.scalars(): q[i] += d[i]
            for first in m.ball: balls[first] = turned_quaternion(balls[first], d[first:first + 3])

        def push(d):
            for i in range(n): v[i] += d[i]

        correct(equations.position, equations.position_rows, q, move)
        correct(equations.velocity, equations.velocity_rows, v, push)
        if max(abs(x) for x in q + v) > 6: raise Reject("a wild start")
        self.q, self.v, self.balls = q, v, balls

    def write_start(self):
        m = self.model
        out = []
        for i in self.scalars():
            name, factor = m.names[i], unit_factor(self.units.get(m.names[i], "m"))
            q, v = self.q[i]/factor, self.v[i]/factor
            out.append(f"{name} = {digits(q)}")
            out.append(f"{name}' = {digits(v)}" if not self.units.get(name) else f"{name}' = {digits(v)} [{self.units[name]}/s]")
        for first, (name, _) in m.ball.items():
            out.append(f"{name}.q = ({', '.join(digits(x) for x in self.balls[first])})")
            out.append(f"{name}.w = ({', '.join(digits(x) for x in self.v[first:first + 3])})")
        self.rng.shuffle(out)
        self.lines.append("start " + ",\n  ".join(out))

    # ---- all of it
    def make(self):
        rng, m = self.rng, self.model
        family = rng.choice(("energies", "energies", "plane", "plane", "space", "rolling"))
        getattr(self, family)()
        self.family = family
        scalars = self.scalars()
        n = len(m.q)
        if family == "energies":
            if n >= 2 and rng.random() < 0.15: self.speeds_and_rates()
            else:
                for _ in range(rng.randint(0, min(2, n - 1))):
                    c = self.random_constraint()
                    if rng.random() < 0.2: self.nonideal(c)
                if not self.with_units and rng.random() < 0.7:
                    for _ in range(rng.randint(1, 2)): self.integrator()
        elif family in ("plane", "space"):
            for _ in range(rng.randint(0, min(2, n - 1))):
                if rng.random() < 0.7: c = self.body_constraint(family == "plane")
                elif scalars and not self.has_units(): c = self.prescribe(rng.choice(scalars))
        if scalars and rng.random() < 0.2 and family != "rolling": self.dry_friction()
        self.equations = Equations(m)
        self.find_start(self.equations)
        self.t_end = float(self.number(0.4, 1.2))
        self.samples = [self.t_end*k/4 for k in range(5)]
        self.accelerations, self.multipliers, self.constraint_force, unique = Exact(m).at(self.exact_values())
        if not unique and not self.redundant: raise Reject("accelerations are not determined")
        if max(abs(x) for x in self.accelerations) > 500: raise Reject("violent")
        self.check_oracle()
        if rng.random() < 0.35 and self.smooth_projection: self.add_events()
        if rng.random() < 0.15: self.add_until()
        self.write_start()
        self.lines.append(f"run {self.t_end}" + (f" until {self.until[0]}" if self.until else ""))

    def check_oracle(self):
        """Complex steps in mpmath against symbolic derivatives in doubles."""
        M, F, A, b, N = self.equations.parts([float(x) for x in self.exact_values()])
        a, _, _ = kkt(M, F, A, b, N, 1e-13)
        scale = max(1, max(abs(x) for x in a))
        if max(abs(x - y) for x, y in zip(a, self.accelerations)) > 1e-9*scale: raise Reject("ill-conditioned")

    def motion(self, samples, events=()):
        return run(self.model, self.equations, self.q, self.balls, self.v, self.t_end, samples, events)

    # ---- events
    def threshold(self, rows):
        """A coordinate that rises or falls through a value: (text, function that becomes positive)"""
        rng, m = self.rng, self.model
        i, k = rng.choice(self.scalars()), rng.randint(4, 16)
        values = [row[1][i] for row in rows]
        at = Fraction(round(values[k]*1000), 1000)
        up = values[k] > values[0]
        before = [x for x in values[:k]]
        if any((x - values[k])*(1 if up else -1) > -0.02 for x in before[:-1]) or abs(values[k] - values[k - 1]) < 0.005:
            raise Reject("no threshold")
        at = at if at else Fraction(1, 1000)
        shown = self.bare(at)
        return f"{m.names[i]} {'>' if up else '<'} {text(shown)}", (m.q[i] - shown)*(1 if up else -1)

    def add_events(self):
        rng, m = self.rng, self.model
        if not self.scalars(): return
        rows, _, _, _ = self.motion([self.t_end*k/20 for k in range(21)])
        used = set()
        for _ in range(rng.randint(1, 2)):
            actions = self.actions(used)
            if not actions: return
            shown, act = actions
            if rng.random() < 0.6:
                at = self.number(0.1, 0.9*self.t_end, 3)
                self.lines.append(f"when t = {text(num(at))} {{ {shown} }}")
                self.events.append(Event(act, at=float(at)))
            else:
                condition, function = self.threshold(rows)
                self.features.add("condition")
                self.lines.append(f"when {condition} {{ {shown} }}")
                self.events.append(Event(act, function=function))

    def actions(self, used):
        """(text, what it does to a motion)"""
        rng, m = self.rng, self.model
        free = [i for i in self.scalars() if m.names[i] in self.sure and i not in used]
        if len(self.bodies) > 1 and not self.driven and self.family == "plane" and rng.random() < 0.5 and "weld" not in used:
            (a, A, _), (b, B, _) = rng.sample(self.bodies, 2)
            used.add("weld")
            gap = minus(A.p, B.p)
            wa, wb = apply(A.R, A.w), apply(B.R, B.w)
            rows = minus(m.velocity(A), plus(m.velocity(B), cross(wb, gap)))
            how = rng.choice(("", " weld", " ball"))
            if how != " ball": rows = rows + minus(wa, wb)
            return f"attach {a} to {b}{how}", lambda motion: motion.holds.__setitem__("weld", Hold([r for r in rows if not ex.is_num(r, 0)]))
        if used and rng.random() < 0.4:
            held = [i for i in used if i != "weld"]
            if held:
                i = held[0]
                return f"unlock {m.names[i]}", lambda motion: motion.holds.pop(i, None)
        if not free or len(m.q) < 2: return None
        i = rng.choice(free)
        used.add(i)
        return f"lock {m.names[i]}", lambda motion: motion.holds.__setitem__(i, Hold([m.v[i]]))

    def add_until(self):
        if not self.scalars(): return
        rows, _, _, _ = self.motion([self.t_end*k/20 for k in range(21)], self.events)
        if len(rows) < 21: return
        condition, function = self.threshold(rows)
        self.until = (condition, function)
        self.features.add("until")
        self.events = [Event(None, function=function, ends=True)] + self.events  # the stop comes before events at the same instant

    def text(self):
        head = ["model trial"]
        if self.params: head.append("param " + ",\n  ".join(self.params))
        coordinates = [self.model.names[i] for i in self.scalars() if ".p" not in self.model.names[i]]
        if coordinates: head.append("coord " + ", ".join(c + (f" [{self.units[c]}]" if c in self.units else "") for c in coordinates))
        return "\n".join(head + self.lines) + "\n"

    def exact_values(self):
        """Values of all arguments at the start, with the signs of switches."""
        m = self.model
        base = list(self.q) + list(self.v) + [mpmath.mpf(0)] + [x for first in m.ball for x in self.balls[first]]
        count = len(m.switches) + len(m.frictions)
        found = self.equations.switch("mp", base + [mpmath.mpf(1)]*count)
        if any(abs(s) < 1e-6 for s in found): raise Reject("a start on a switch")
        return base + [mpmath.mpf(1 if s > 0 else -1) for s in found]


def digits(x): return mpmath.nstr(x, 25, strip_zeros=True, min_fixed=-1000, max_fixed=1000)


def turned_quaternion(Q, d):
    """Q times the small rotation d."""
    w, x, y, z = Q
    p, r, s = (c/2 for c in d)
    out = [w - x*p - y*r - z*s, x + w*p + y*s - z*r, y + w*r - x*s + z*p, z + w*s + x*r - y*p]
    size = mpmath.sqrt(sum(c*c for c in out))
    return [c/size for c in out]
