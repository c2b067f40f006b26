# SPDX-License-Identifier: Apache-2.0
"""The mathematical model of the oracle: Lagrange's equations, constraints, accelerations and multipliers.

Twice: in mpmath, with every derivative by a complex step of compiled values (`exact`), and in doubles by symbolic
derivatives (`Equations`), which is fast enough for motions. They are compared at every start."""
import mpmath

from expression import Compiled, Expression, add, cos, derive, derive_all, is_num, num, order_of, sin, symbol, wrap

DIGITS = 40
STEP = mpmath.mpf(10)**-25  # of complex steps: errors of 1e-50


# ---------------------------------------------------------------- vectors

def vector(*c): return [wrap(x) for x in c]
def plus(a, b): return [x + y for x, y in zip(a, b)]
def minus(a, b): return [x - y for x, y in zip(a, b)]
def scaled(s, a): return [s*x for x in a]
def dot(a, b): return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]
def cross(a, b): return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]
def apply(R, a): return [dot(row, a) for row in R]
def transposed(R): return [list(column) for column in zip(*R)]
def product(R, S): return [[dot(row, column) for column in zip(*S)] for row in R]


UNIT = [vector(1, 0, 0), vector(0, 1, 0), vector(0, 0, 1)]


def rotation(angle, axis):
    """By the angle about axis 0, 1 or 2."""
    c, s, R = cos(angle), sin(angle), [list(row) for row in UNIT]
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return R


def quaternion_rotation(w, x, y, z):
    n = w**2 + x**2 + y**2 + z**2
    return [[(w**2 + x**2 - y**2 - z**2)/n, 2*(x*y - w*z)/n, 2*(x*z + w*y)/n],
            [2*(x*y + w*z)/n, (w**2 - x**2 + y**2 - z**2)/n, 2*(y*z - w*x)/n],
            [2*(x*z - w*y)/n, 2*(y*z + w*x)/n, (w**2 - x**2 - y**2 + z**2)/n]]


class Frame:
    """Position and rotation in the ground, angular velocity in its own axes."""

    def __init__(self, p, R, w):
        self.p, self.R, self.w = p, R, w

    def axis(self, i): return [row[i] for row in self.R]


def ground(): return Frame(vector(0, 0, 0), UNIT, vector(0, 0, 0))


# ---------------------------------------------------------------- the model

class Constraint:
    """kind: position, velocity or acceleration; of the last: sum coefficient[i]*a_i + value = 0"""

    def __init__(self, name, kind, value, coefficient=None, implicit=False):
        self.name, self.kind, self.value, self.coefficient, self.implicit = name, kind, value, coefficient, implicit


class Friction:
    """Dry friction against the velocity s with the force f: -f sign(s) ds/dv. `mode` stands for the sign."""

    def __init__(self, mode, s, f):
        self.mode, self.s, self.f = mode, s, f


class Model:
    def __init__(self):
        self.names, self.q, self.v = [], [], []  # coordinates; the three of a ball joint are displacements from its attitude
        self.ball = {}                           # index of the first of the three: (name, quaternion symbols)
        self.t = symbol("t")
        self.T, self.V, self.R = num(0), num(0), num(0)
        self.force = {}
        self.nonideal = []                       # (coordinate, coefficient, constraint): coefficient*lambda
        self.constraints = []
        self.switches = []                       # (symbol of the sign, function)
        self.frictions = []
        self.start_q, self.start_v, self.start_ball = {}, {}, {}

    def coordinate(self, name):
        self.names.append(name)
        self.q.append(symbol(name))
        self.v.append(symbol(name + "'"))
        return self.q[-1]

    def ball_joint(self, name):
        first = len(self.q)
        for i in range(3):
            self.names.append(f"{name}.w{'xyz'[i]}")
            self.q.append(symbol(f"{name}.xi{i}"))
            self.v.append(symbol(f"{name}.w{'xyz'[i]}"))
        self.ball[first] = (name, [symbol(f"{name}.q{c}") for c in "wxyz"])
        return first

    @property
    def motion(self): return {**dict(zip(self.q, self.v)), self.t: num(1)}

    def rate(self, e): return derive(e, self.motion)
    def rates(self, vector): return derive_all(vector, self.motion)

    def add_force(self, i, e): self.force[i] = self.force.get(i, num(0)) + e

    # ---- kinematics
    def turned(self, frame, angle, axis):
        R = rotation(angle, axis)
        w = apply(transposed(R), frame.w)
        w[axis] = w[axis] + self.rate(angle)
        return Frame(frame.p, product(frame.R, R), w)

    def moved(self, frame, a): return Frame(plus(frame.p, apply(frame.R, a)), frame.R, frame.w)

    def on_ball(self, frame, first):
        _, Q = self.ball[first]
        a, b = [x/2 for x in self.q[first:first + 3]], [x/2 for x in self.v[first:first + 3]]
        R = product(quaternion_rotation(*Q), quaternion_rotation(num(1), *a))
        w = [2*x/(1 + dot(a, a)) for x in minus(b, cross(a, b))]
        return Frame(frame.p, product(frame.R, R), plus(apply(transposed(R), frame.w), w))

    def velocity(self, frame, arm=None):
        """Of a point fixed in the frame, in the axes of the ground."""
        return self.rates(self.moved(frame, arm).p if arm else frame.p)

    def body(self, frame, mass, inertia, com):
        """inertia: (xx, yy, zz, xy, yz, xz) about the centre of mass"""
        v, w = self.velocity(frame, com), frame.w
        xx, yy, zz, xy, yz, xz = inertia
        Iw = [xx*w[0] + xy*w[1] + xz*w[2], xy*w[0] + yy*w[1] + yz*w[2], xz*w[0] + yz*w[1] + zz*w[2]]
        self.T = self.T + mass*dot(v, v)/2 + dot(w, Iw)/2

    def weight(self, frame, mass, com, g):
        self.V = self.V - mass*dot(vector(*g), self.moved(frame, com).p)

    def point_force(self, force, velocity):
        """A force (axes of the ground) on a point with this velocity; also a torque with an angular velocity."""
        for i in range(len(self.q)):
            along = derive_all(velocity, {self.v[i]: 1})
            self.add_force(i, dot(force, along))

    # ---- evaluation
    def arguments(self):
        names = [s.args[0] for s in self.q + self.v] + ["t"]
        for _, Q in self.ball.values(): names += [s.args[0] for s in Q]
        names += [s.args[0] for s, _ in self.switches] + [f.mode.args[0] for f in self.frictions]
        return names

    def total_force(self):
        out = [self.force.get(i, num(0)) for i in range(len(self.q))]
        for friction in self.frictions:
            for i, v in enumerate(self.v):
                along = derive(friction.s, {v: 1})
                if not is_num(along, 0): out[i] = out[i] - friction.f*friction.mode*along
        return out


# ---------------------------------------------------------------- linear algebra

def solve(matrix, right, tiny=0):
    """Gauss with complete pivoting; rows without a pivot above `tiny` must agree and are left out."""
    n, rows = len(matrix[0]), [list(row) + [b] for row, b in zip(matrix, right)]
    place, largest = list(range(n)), max([abs(x) for row in matrix for x in row] or [0])
    for k in range(min(n, len(rows))):
        value, i, j = max(((abs(rows[i][j]), i, j) for i in range(k, len(rows)) for j in range(k, n)), key=lambda x: x[0])
        if value <= tiny*largest:
            rows = rows[:k]
            break
        rows[k], rows[i] = rows[i], rows[k]
        if j != k:
            place[j], place[k] = place[k], place[j]
            for row in rows: row[j], row[k] = row[k], row[j]
        pivot = rows[k]
        for row in rows[k + 1:]:
            if row[k]:
                f = row[k]/pivot[k]
                for l in range(k + 1, n + 1): row[l] -= f*pivot[l]
    rank = min(len(rows), n)
    x = [0*right[0] if right else 0]*n
    for k in reversed(range(rank)):
        x[k] = (rows[k][n] - sum(rows[k][l]*x[l] for l in range(k + 1, n)))/rows[k][k]
    out = [None]*n
    for k in range(n): out[place[k]] = x[k]
    return out, rank


def kkt(M, F, A, b, N, tiny=0):
    """M a = F + (A^T + N) lambda, A a = b; N[i][c]: what constraint c does beside its ideal force."""
    n, m = len(M), len(A)
    zero = 0*F[0] if n else 0
    rows = [list(M[i]) + [-A[c][i] - N[i][c] for c in range(m)] for i in range(n)]
    rows += [list(A[c]) + [zero]*m for c in range(m)]
    x, rank = solve(rows, list(F) + list(b), tiny)
    return x[:n], x[n:], rank == n + m


# ---------------------------------------------------------------- doubles, by symbols

class Equations:
    """Compiled M, F, A, b, N and what the motion looks at."""

    def __init__(self, model):
        m, n = model, len(model.q)
        self.model, self.n = m, n
        p = [derive(m.T, {v: 1}) for v in m.v]
        M = [[derive(p[i], {m.v[j]: 1}) for j in range(n)] for i in range(n)]
        force = m.total_force()
        drift = derive_all(p, m.motion)
        F = [derive(m.T, {m.q[i]: 1}) - derive(m.V, {m.q[i]: 1}) - drift[i] - derive(m.R, {m.v[i]: 1}) + force[i] for i in range(n)]
        A, b = [], []
        for c in m.constraints:
            if c.kind == "acceleration":
                A.append([wrap(x) for x in c.coefficient])
                b.append(-c.value)
            else:
                g = m.rate(c.value) if c.kind == "position" else c.value
                A.append([derive(g, {v: 1}) for v in m.v])
                b.append(-m.rate(g))
        self.m = len(A)
        N = [[num(0)]*self.m for _ in range(n)]
        for i, coefficient, c in m.nonideal: N[i][c] = N[i][c] + coefficient
        flat = [x for row in M for x in row] + F + [x for row in A for x in row] + b + [x for row in N for x in row]
        self.all = Compiled(flat, m.arguments())
        self.energy = Compiled([m.T, m.V], m.arguments())
        first = [m.rate(c.value) for c in m.constraints if c.kind == "position"]
        self.position = Compiled([c.value for c in m.constraints if c.kind == "position"], m.arguments())
        self.velocity = Compiled(first + [c.value for c in m.constraints if c.kind == "velocity"], m.arguments())
        speed_rows = first + [c.value for c in m.constraints if c.kind == "velocity"]
        self.position_rows = Compiled([derive(g, {v: 1}) for g in first for v in m.v], m.arguments())
        self.velocity_rows = Compiled([derive(g, {v: 1}) for g in speed_rows for v in m.v], m.arguments())
        self.position_count, self.velocity_count = len(first), len(speed_rows)
        self.switch = Compiled([s for _, s in m.switches] + [f.s for f in m.frictions], m.arguments())

    def parts(self, values, field="float"):
        n, m = self.n, self.m
        flat = iter(self.all(field, values))
        take = lambda rows, columns: [[next(flat) for _ in range(columns)] for _ in range(rows)]
        M = take(n, n)
        F = take(1, n)[0] if n else []
        A = take(m, n)
        b = [next(flat) for _ in range(m)]
        return M, F, A, b, take(n, m)


# ---------------------------------------------------------------- mpmath, by complex steps

class Exact:
    """Lagrange's equations from values of T, V, R and the constraints alone."""

    def __init__(self, model):
        self.model, n = model, len(model.q)
        m = self.model
        names = m.arguments()
        self.T, self.V, self.R = (Compiled([e], names) for e in (m.T, m.V, m.R))
        self.force = Compiled(m.total_force(), names)
        self.rows = []
        for c in m.constraints:
            if c.kind == "acceleration": self.rows.append((c.kind, Compiled([wrap(x) for x in c.coefficient] + [c.value], names)))
            else: self.rows.append((c.kind, Compiled([m.rate(c.value) if c.kind == "position" else c.value], names)))
        self.nonideal = Compiled([e for _, e, _ in m.nonideal], names)

    def at(self, values):
        """(accelerations, multipliers, constraint force M a - F, is the solution unique)"""
        n, h, ih = len(self.model.q), STEP, mpmath.mpc(0, STEP)
        V = slice(n, 2*n)

        def shifted(base, changes):
            out = list(base)
            for i, x in changes: out[i] = out[i] + x
            return out

        def value(f, x): return f("mp", x)[0]
        def partial(f, i, base=values): return mpmath.im(value(f, shifted(base, [(i, ih)])))/h
        path = shifted(values, [(i, ih*values[n + i]) for i in range(n)] + [(2*n, ih)])  # along the motion without acceleration
        momentum = lambda base, i: (value(self.T, shifted(base, [(n + i, 1)])) - value(self.T, shifted(base, [(n + i, -1)])))/2
        rest = list(values)
        rest[V] = [mpmath.mpf(0)]*n
        T0 = value(self.T, rest)
        T1 = [value(self.T, shifted(rest, [(n + i, 1)])) for i in range(n)]
        M = [[None]*n for _ in range(n)]
        for i in range(n):
            M[i][i] = T1[i] + value(self.T, shifted(rest, [(n + i, -1)])) - 2*T0
            for j in range(i): M[i][j] = M[j][i] = value(self.T, shifted(rest, [(n + i, 1), (n + j, 1)])) - T1[i] - T1[j] + T0
        force = self.force("mp", values)
        F = [partial(self.T, i) - partial(self.V, i) - mpmath.im(momentum(path, i))/h - partial(self.R, n + i) + force[i]
             for i in range(n)]
        A, b = [], []
        for kind, f in self.rows:
            if kind == "acceleration":
                *row, c = f("mp", values)
                A.append(row)
                b.append(-c)
            else:
                A.append([partial(f, n + i) for i in range(n)])
                b.append(-mpmath.im(value(f, path))/h)
        N = [[mpmath.mpf(0)]*len(A) for _ in range(n)]
        for (i, _, c), x in zip(self.model.nonideal, self.nonideal("mp", values)): N[i][c] += x
        a, multipliers, unique = kkt(M, F, A, b, N, mpmath.mpf(10)**-28)
        return a, multipliers, [sum(M[i][j]*a[j] for j in range(n)) - F[i] for i in range(n)], unique
