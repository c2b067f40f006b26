# SPDX-License-Identifier: Apache-2.0
"""Motions of the oracle: extrapolation (Gragg, Bulirsch, Stoer), own location of events and switches, dry friction that sticks."""
from expression import Compiled, derive
from mechanics import kkt

TINY = 1e-11
LEVELS = (2, 4, 6, 8, 10, 12, 14)


class GiveUp(Exception):
    """The oracle has no opinion on this motion (too fast, grazing, too many switches)."""


class Hold:
    """Rows that an event adds: velocities that stay zero."""

    def __init__(self, rows):
        self.rows = rows  # expressions linear in the velocities


class Motion:
    def __init__(self, model, equations):
        self.model, self.eq = model, equations
        self.n = equations.n
        self.balls = list(model.ball)
        self.scalars = [i for i in range(self.n) if not any(first <= i < first + 3 for first in self.balls)]
        self.signs = [1.0]*len(model.switches)
        self.modes = [1.0]*len(model.frictions)
        self.holds = {}
        self.compiled = {}
        self.evaluations = 0

    # ---- state: scalar and ball coordinates (the latter stay 0), quaternions, velocities
    def state(self, q, balls, v):
        return [float(x) for x in q] + [float(x) for first in self.balls for x in balls[first]] + [float(x) for x in v]

    def split(self, y):
        n, k = self.n, 4*len(self.balls)
        return y[:n], y[n:n + k], y[n + k:]

    def values(self, t, y):
        q, Q, v = self.split(y)
        return q + v + [t] + Q + self.signs + self.modes

    def hold_rows(self, values):
        """The rows of what is held, and of friction that sticks; (A, b)."""
        A, b = [], []
        for name, hold in self.holds.items():
            if name not in self.compiled:
                m = self.model
                flat = [derive(g, {v: 1}) for g in hold.rows for v in m.v] + [-m.rate(g) for g in hold.rows]
                self.compiled[name] = Compiled(flat, m.arguments())
            flat, k = self.compiled[name]("float", values), len(hold.rows)
            A += [flat[i*self.n:(i + 1)*self.n] for i in range(k)]
            b += flat[k*self.n:]
        return A, b

    def stuck(self): return [k for k, mode in enumerate(self.modes) if mode == 0]

    def accelerations(self, t, y):
        """(a, multipliers, forces of friction that sticks)"""
        self.evaluations += 1
        if self.evaluations > 60000: raise GiveUp("too much work")
        values = self.values(t, y)
        M, F, A, b, N = self.eq.parts(values)
        extra, c = self.hold_rows(values)
        m, h = len(A), len(extra)
        stuck = self.stuck()
        for k in stuck:
            row = self.friction_row(k, values)
            extra = extra + [row[:self.n]]
            c = c + [row[self.n]]
        N = [row + [0.0]*len(extra) for row in N]
        a, multipliers, unique = kkt(M, F, A + extra, b + c, N, 1e-13)
        if self.holds and not unique and not self.agrees(A + extra, b + c, a): raise GiveUp("what is held contradicts the constraints")
        return a, multipliers[:m], dict(zip(stuck, multipliers[m + h:]))

    def agrees(self, A, b, a):
        """Do dependent rows agree? Locks may not be dependent at all: motors would fight them."""
        if any(len(hold.rows) == 1 for hold in self.holds.values()): return False
        return all(abs(sum(x*y for x, y in zip(row, a)) - r) < 1e-8*(1 + abs(r)) for row, r in zip(A, b))

    def friction_row(self, k, values):
        key = ("friction", k)
        if key not in self.compiled:
            m, s = self.model, self.model.frictions[k].s
            self.compiled[key] = Compiled([derive(s, {v: 1}) for v in m.v] + [-m.rate(s), self.model.frictions[k].f], m.arguments())
        return self.compiled[key]("float", values)

    def slope(self, t, y):
        q, Q, v = self.split(y)
        a, _, _ = self.accelerations(t, y)
        dq = [0.0]*self.n
        for i in self.scalars: dq[i] = v[i]
        dQ = []
        for k, first in enumerate(self.balls):
            (w, x, yy, z), (p, r, s) = Q[4*k:4*k + 4], v[first:first + 3]
            dQ += [(-x*p - yy*r - z*s)/2, (w*p + yy*s - z*r)/2, (w*r - x*s + z*p)/2, (w*s + x*r - yy*p)/2]
        return dq + dQ + a

    # ---- extrapolation
    def midpoint(self, t, y, f0, H, k):
        h = H/k
        last, now = y, [a + h*b for a, b in zip(y, f0)]
        for i in range(1, k):
            f = self.slope(t + i*h, now)
            last, now = now, [a + 2*h*b for a, b in zip(last, f)]
        f = self.slope(t + H, now)
        return [(a + b + h*c)/2 for a, b, c in zip(last, now, f)]

    def step(self, t, y, f0, H):
        """(state after H, error in units of TINY)"""
        table = []
        for j, k in enumerate(LEVELS):
            row = [self.midpoint(t, y, f0, H, k)]
            for i in range(1, j + 1):
                factor = (k/LEVELS[j - i])**2 - 1
                row.append([a + (a - b)/factor for a, b in zip(row[i - 1], table[i - 1])])
            if j >= 3:
                error = max(abs(a - b)/(1 + abs(a)) for a, b in zip(row[-1], row[-2]))/TINY
                if error < 1: return row[-1], error
                if j >= 4 and error > 1e8: break
            table = row
        return row[-1], error

    def go(self, t, y, t_end, watch, largest):
        """Steps from t until t_end or until a watched function becomes negative: (t, y, its key or None)."""
        H = min(t_end - t, largest)
        self.fastest = max(getattr(self, "fastest", 0.0), *(abs(x) for x in y[-self.n:]))
        while t < t_end - 1e-14*max(1, abs(t_end)):
            H = min(H, t_end - t, largest)
            if t_end - t - H < 1e-9*H: H = t_end - t
            f0 = self.slope(t, y)
            new, error = self.step(t, y, f0, H)
            if not error < 1:
                H /= 2
                self.shortest = min(getattr(self, "shortest", H), H)
                if H < 1e-7: raise GiveUp("steps too small")
                continue
            after = watch(t + H, new)
            crossed = [i for i in after if after[i] < 0]
            if crossed:
                before = watch(t, y)
                step, state, i = min((self.root(t, y, f0, H, i, watch, before[i], after[i]) for i in crossed), key=lambda x: x[0])
                return t + step, state, i
            if after and H > 1e-3 and self.may_dip(t, y, f0, H, watch, after):
                H /= 2
                continue
            t, y = (t_end if H == t_end - t else t + H), new
            self.fastest = max(self.fastest, *(abs(x) for x in y[-self.n:]))
            if error < 1e-3: H *= 1.5
        return t, y, None

    def may_dip(self, t, y, f0, H, watch, after):
        """Could a watched function be negative inside the step? By the parabola through the beginning, the middle and the end."""
        before, middle = watch(t, y), watch(t + H/2, self.step(t, y, f0, H/2)[0])
        for i in after:
            a, m, b = before[i], middle[i], after[i]
            bend = a - 2*m + b
            if bend <= 0: continue
            x = (a - b)/(2*bend)  # of the vertex, from the middle in units of H; near the end it may still lie inside
            if abs(x) < 0.8 and m - (a - b)**2/(8*bend) < 0.05*max(a, b): return True
        return False

    def root(self, t, y, f0, H, i, watch, fa, fb):
        """The step that ends where function i becomes zero, by the Illinois method: (step, state, i)."""
        if fa <= 0: return 0.0, y, i
        a, b, side = 0.0, H, 0
        for _ in range(80):
            c = (a*fb - b*fa)/(fb - fa)
            state = self.step(t, y, f0, c)[0]
            fc = watch(t + c, state)[i]
            if abs(fc) < 1e-15 or abs(b - a) < 1e-13*max(1.0, H): break
            if fc < 0:
                b, fb = c, fc
                if side == -1: fa /= 2
                side = -1
            else:
                a, fa = c, fc
                if side == 1: fb /= 2
                side = 1
        return c, state, i

    # ---- jumps
    def project(self, t, y):
        """The velocities nearest in the metric of M that everything now allows: (state, loss of kinetic energy). Dry friction is a
        finite force and does nothing in an instant."""
        values = self.values(t, y)
        M, _, _, _, _ = self.eq.parts(values)
        n, q_Q = self.n, y[:-self.n]
        rows = self.eq.velocity_rows("float", values)
        rows = [rows[i*n:(i + 1)*n] for i in range(self.eq.velocity_count)]
        g = self.eq.velocity("float", values)
        extra, _ = self.hold_rows(values)
        v = self.split(y)[2]
        right = [sum(a*x for a, x in zip(row, v)) - r for row, r in zip(rows, g)] + [0.0]*len(extra)
        rows = rows + extra
        momentum = [sum(M[i][j]*v[j] for j in range(n)) for i in range(n)]
        new, _, _ = kkt(M, momentum, rows, right, [[0.0]*len(rows) for _ in range(n)], 1e-13)
        before = self.eq.energy("float", values)[0]
        state = q_Q + new
        return state, before - self.eq.energy("float", self.values(t, state))[0]

    # ---- dry friction
    def set_signs(self, t, y):
        """Signs of switches and frictions from the state."""
        found = self.eq.switch("float", self.values(t, y))
        k = len(self.signs)
        self.signs = [1.0 if s >= 0 else -1.0 for s in found[:k]]
        self.modes = [1.0 if s >= 0 else -1.0 for s in found[k:]]
        for i, s in enumerate(found[k:]):
            if s == 0: self.decide(i, t, y)

    def slip_rate(self, k, t, y, mode):
        kept, self.modes[k] = self.modes[k], mode
        a, _, _ = self.accelerations(t, y)
        self.modes[k] = kept
        row = self.friction_row(k, self.values(t, y))
        return sum(x*b for x, b in zip(row, a)) - row[self.n]

    def decide(self, k, t, y):
        """At s = 0: slide on, turn round or stick."""
        up, down = self.slip_rate(k, t, y, 1.0), self.slip_rate(k, t, y, -1.0)
        if abs(up) < 1e-7 or abs(down) < 1e-7: raise GiveUp("grazing")
        if up < 0 < down: self.modes[k] = 0.0
        elif up > 0 and down > 0: self.modes[k] = 1.0
        elif up < 0 and down < 0: self.modes[k] = -1.0
        else: raise GiveUp("not unique")

    def watch_switches(self, t, y):
        """{key: what is positive until it happens}; ('leave', k): how much friction has left."""
        values = self.values(t, y)
        found = self.eq.switch("float", values)
        k = len(self.signs)
        out = {("switch", i): s*self.signs[i] for i, s in enumerate(found[:k])}
        out.update({("slip", i): s*self.modes[i] for i, s in enumerate(found[k:]) if self.modes[i]})
        if self.stuck():
            _, _, force = self.accelerations(t, y)
            for i, x in force.items():
                f = self.friction_row(i, values)[self.n + 1]
                out["leave", i] = f - abs(x)
        return out

    def pass_switch(self, key, t, y):
        """The state after a switch of the kind of `watch_switches`."""
        kind, k = key
        if kind == "switch": self.signs[k] = -self.signs[k]
        elif kind == "slip":
            q_Q, v = y[:-self.n], y[-self.n:]
            row = self.friction_row(k, self.values(t, y))[:self.n]  # on the surface to the last digit
            off = self.eq.switch("float", self.values(t, y))[len(self.signs) + k]
            square = sum(x*x for x in row)
            y = q_Q + [x - off*r/square for x, r in zip(v, row)]
            self.decide(k, t, y)
        else:
            _, _, force = self.accelerations(t, y)
            self.modes[k] = -1.0 if force[k] > 0 else 1.0
        return y


class Event:
    """at: a time, or `function`: happens when it becomes positive. act(motion): changes what is held."""

    def __init__(self, act, at=None, function=None, ends=False):
        self.act, self.at, self.function, self.ends = act, at, function, ends


class Course:
    """A motion with events, from a start to its end."""

    def __init__(self, model, equations, q, balls, v, events=()):
        self.motion = Motion(model, equations)
        self.t, self.y = 0.0, self.motion.state(q, balls, v)
        self.motion.set_signs(self.t, self.y)
        self.waiting, self.log, self.turns, self.over = list(events), [], 0, False
        self.compiled = {id(e): Compiled([e.function], model.arguments()) for e in events if e.function is not None}

    def condition(self, e, t, y): return self.compiled[id(e)]("float", self.motion.values(t, y))[0]

    def due(self, e):
        return e.at <= self.t + 1e-15 if e.at is not None else self.condition(e, self.t, self.y) > 0

    def happen(self, e):
        self.waiting.remove(e)
        if e.ends:
            self.over = True
            return
        motion = self.motion
        e.act(motion)
        self.y, loss = motion.project(self.t, self.y)
        self.log.append((e, self.t, loss))
        slips = motion.eq.switch("float", motion.values(self.t, self.y))[len(motion.signs):]
        for k, slip in enumerate(slips):
            if abs(slip) > 1e-9: motion.modes[k] = 1.0 if slip > 0 else -1.0
            elif motion.modes[k]: motion.decide(k, self.t, self.y)

    def happen_all(self):
        while not self.over:
            due = [e for e in self.waiting if self.due(e)]
            if not due: return
            self.happen(due[0])

    def watch(self, t, y):
        out = self.motion.watch_switches(t, y)
        for e in self.waiting:
            if e.function is not None: out["event", id(e)] = -self.condition(e, t, y)
        return out

    def advance(self, mark, largest):
        while self.t < mark and not self.over:
            self.t, self.y, key = self.motion.go(self.t, self.y, mark, self.watch, largest)
            if key is None: return
            self.turns += 1
            if self.turns > 60: raise GiveUp("too many switches")
            if key[0] == "event": self.happen(next(e for e in self.waiting if id(e) == key[1]))
            else: self.y = self.motion.pass_switch(key, self.t, self.y)
            self.happen_all()

    def row(self): return (self.t, self.y, *self.motion.accelerations(self.t, self.y)[:2])


class Reference(tuple):
    """What `run` gives, the largest velocity on the way and the shortest step that the motion needed."""

    def __new__(cls, parts, motion):
        self = super().__new__(cls, parts)
        self.fastest, self.shortest = motion.fastest, getattr(motion, "shortest", 1.0)
        return self


def run(model, equations, q, balls, v, t_end, samples, events=(), largest=None):
    """([(t, state, accelerations, multipliers)] at the samples, [(event, t, loss)], ended by a condition?, the last row)"""
    course = Course(model, equations, q, balls, v, events)
    rows = []
    course.happen_all()
    for mark in sorted({*samples, *[e.at for e in events if e.at is not None and 0 < e.at < t_end], t_end}):
        course.advance(mark, largest or t_end/8)
        if course.over: break
        course.happen_all()
        if mark in samples: rows.append(course.row())
    return Reference((rows, course.log, course.over, course.row()), course.motion)
