#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random laws of dry friction against exact piecewise solutions.

friction.py PFAFF [--count 200] [--seed 1] [--jobs 2] [--keep FOLDER]    models seed, seed + 1, …
friction.py PFAFF --only SEED -v                                         one model again, with its text and every comparison
friction.py PFAFF --through fmu,c,python                                 the same models, exported: FMUs in FMPy, C and Python by rk4

One to three blocks under loads that are piecewise linear in time, with Coulomb friction on the ground, on belts and on each
other, unequal to both sides, each law in one of the SPELLINGS; in coordinates of the blocks or rotated ones, with constraints
that tie blocks and locks. Between two switches every velocity is a quadratic polynomial, so instants of stopping are roots of
quadratics and those of slipping of linear equations. What sticks follows from all cases of the complementarity problem. Plain
Python: nothing is shared with the program."""
import argparse, csv, importlib.util, io, itertools, math, multiprocessing, os, random, shutil, subprocess, sys
try:
    import fmpy
except ImportError:
    fmpy = None

LIMIT = 20  # seconds for each call
# Motions are polynomials of degree 3: the methods that choose their steps err by the location of switches and their tolerance,
# the alpha methods by h^2.
METHODS = {"dopri5": ([], 1e-6), "dop853": ([], 1e-6), "rk4": (["--step", "0.01"], 1e-6), "cvode_adams": ([], 1e-4), "cvode_bdf": ([], 1e-4),
           "ida": ([], 1e-4), "ida2": ([], 1e-4), "generalized_alpha": (["--step", "2e-3"], 1e-4), "rattle": (["--step", "2e-3"], 1e-4)}
# FMUs in FMPy: by relative tolerance (CVode's for Model Exchange, of which its errors are a hundred times), in turn.
TOLERANCES = {1e-8: 1e-5, 1e-10: 1e-6, 1e-11: 1e-6}
GRID = 0.05  # of the samples of exported models
TREMBLE = {"c": 1e-4, "python": 1e-3}  # steps of exported C and Python, where what sticks trembles by a step
CLOSE = 2e-3  # nearer to a change of the decision than this a model is drawn again

# The force along w with F against w > 0 and G against w < 0; where it needs F = G, or G <= F.
SPELLINGS = {
    "sign": ("-F*sign(w)", "same"), "product": ("-if(w > 0, F, G)*sign(w)", ""), "cases": ("if(w > 0, -F, if(w < 0, G, 0))", ""),
    "fraction": ("-F*w/abs(w)", "same"), "twice": ("-F*sign(2*w)", "same"), "turned": ("F*sign(-w)", "same"),
    "sum of cases": ("-F*if(0 < w, 1, 0) + G*if(w < 0, 1, 0)", ""), "clamped": ("-max(F*sign(w), -G)", "less"),
    "clamped twice": ("min(max(-F*sign(w), -F - 1), G)", "less"), "by a parameter": ("F*sign(c*w)", "same"),
    "sum": ("-F/3*sign(w) - 2*F/3*if(w >= 0, 1, -1)", "same"), "mean": ("-(F - G)/2 - (F + G)/2*sign(w)", ""),
    "steps": ("-(F + G)*if(w > 0, 1, 0) + G*if(w == 0, 1, 1)", ""), "inverse": ("-F*abs(w)/w", "same")}


class Reject(Exception):
    """Too close to another decision, or no decision at all."""


class Failure(Exception):
    pass


# ---------------------------------------------------------------- small dense algebra

def solve(A, b):
    n = len(b)
    A = [list(row) + [b[i]] for i, row in enumerate(A)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        if abs(A[p][k]) < 1e-9: return None
        A[k], A[p] = A[p], A[k]
        for i in range(n):
            if i != k:
                f = A[i][k]/A[k][k]
                A[i] = [x - f*y for x, y in zip(A[i], A[k])]
    return [A[i][n]/A[i][i] for i in range(n)]


def dot(a, b):
    return sum(x*y for x, y in zip(a, b))


# ---------------------------------------------------------------- the exact motion

class Surface:
    """g = w.v - belt, with a force from -above (g > 0) to below (g < 0) along w."""
    def __init__(self, w, belt, above, below):
        self.w, self.belt, self.above, self.below = w, belt, above, below


class Motion:
    """Of masses m (diagonal) with coordinates u = E z; the load on u is a polynomial of degree one between its jumps."""
    def __init__(self, model):
        self.model = model
        self.held = set()
        self.t, self.q, self.v = 0.0, list(model.q0), list(model.v0)
        self.pieces = []
        self.run()

    def free(self):
        """Columns E of the velocities that are left."""
        n = self.model.n
        if self.model.tied: return [[1.0]*2 + [0.0]*(n - 2)] + [[float(i == j) for i in range(n)] for j in range(2, n)]
        return [[float(i == j) for i in range(n)] for j in range(n) if j not in self.held]

    def reduce(self):
        """Mass matrix and surfaces of what is free; surfaces with the same zeros are one."""
        E = self.free()
        self.E = E
        self.M = [[sum(m*a*b for m, a, b in zip(self.model.m, x, y)) for y in E] for x in E]
        self.surfaces = []
        for s in self.model.surfaces:
            w = [dot(s.w, e) for e in E]
            size = max((abs(x) for x in w), default=0)
            if size < 1e-12: continue
            for other in self.surfaces:
                c = dot(w, other.w)/dot(other.w, other.w)
                if all(abs(a - c*b) < 1e-9 for a, b in zip(w, other.w)):
                    if abs(s.belt - c*other.belt) > 1e-9: continue
                    up, down = (s.above, s.below) if c > 0 else (s.below, s.above)
                    other.above += abs(c)*up
                    other.below += abs(c)*down
                    break
            else:
                self.surfaces.append(Surface(w, s.belt, s.above, s.below))

    def load(self, t, after):
        """Value and slope on the free velocities."""
        both = [load.at(t, after) for load in self.model.loads]
        return [dot(e, [b[0] for b in both]) for e in self.E], [dot(e, [b[1] for b in both]) for e in self.E]

    def accelerate(self, states, L):
        """Accelerations and forces of the surfaces; None: not determined. states: 1, -1 or 0, sticking."""
        n, stuck = len(self.E), [k for k, s in enumerate(states) if s == 0]
        force = [0.0 if s == 0 else (-f.above if s > 0 else f.below) for s, f in zip(states, self.surfaces)]
        right = [L[i] + sum(force[k]*f.w[i] for k, f in enumerate(self.surfaces)) for i in range(n)]
        A = [list(self.M[i]) + [-self.surfaces[k].w[i] for k in stuck] for i in range(n)]
        A += [list(self.surfaces[k].w) + [0.0]*len(stuck) for k in stuck]
        x = solve(A, right + [0.0]*len(stuck))
        if x is None: return None
        for j, k in enumerate(stuck): force[k] = x[n + j]
        return x[:n], force

    def decide(self, g):
        """The states after this instant: all combinations for the surfaces with g = 0."""
        L, slope = self.load(self.t, True)
        later = [a + 1e-6*b for a, b in zip(L, slope)]
        found = []
        for states in itertools.product(*[(0, 1, -1) if x == 0 else (1 if x > 0 else -1,) for x in g]):
            result = self.accelerate(states, later)
            if result is None: continue
            a, force = result
            margin = math.inf
            for k, f in enumerate(self.surfaces):
                if g[k] != 0: continue
                margin = min(margin, min(f.above + force[k], f.below - force[k]) if states[k] == 0 else states[k]*dot(f.w, a))
            found.append((margin, states))
        found = [x for x in found if x[0] > 0]
        if len(found) != 1: raise Reject
        margin, states = found[0]
        at_limit = self.released and margin < 1e-4  # it begins to slip by the growth of the load
        if margin < CLOSE and not at_limit: raise Reject
        return states

    def next_change(self, states, end):
        """Until when these states hold, and the surfaces that end them: (t, {surface: released or stopped})."""
        L, slope = self.load(self.t, True)
        now, rate = self.accelerate(states, L), self.accelerate(states, slope and [x for x in slope])
        zero = self.accelerate(states, [0.0]*len(L))
        a0, f0 = now
        a1 = [x - y for x, y in zip(rate[0], zero[0])]
        f1 = [x - y for x, y in zip(rate[1], zero[1])]
        changes = []
        z = self.z()
        for k, f in enumerate(self.surfaces):
            if states[k] == 0:
                for limit in (-f.above, f.below):
                    if f1[k] == 0: continue
                    h = (limit - f0[k])/f1[k]
                    if h > 1e-9: changes.append((h, k, True))
            else:
                g, r, c = self.g[k], dot(f.w, a0), 0.5*dot(f.w, a1)
                for h in roots(g, r, c):
                    if h > 1e-9: changes.append((h, k, False))
        h = min([x[0] for x in changes] + [end - self.t])
        if any(x[0] != h and x[0] - h < CLOSE for x in changes) or 1e-12 < end - self.t - h < CLOSE: raise Reject
        which = [x for x in changes if x[0] == h]
        if len(which) > 1: raise Reject
        self.pieces.append((self.t, list(self.q), list(self.v), self.full(a0), self.full(a1), self.total(states, f0), self.total(states, f1)))
        self.q = [q + h*v + h*h/2*a + h**3/6*b for q, v, a, b in zip(self.q, self.v, self.full(a0), self.full(a1))]
        self.v = [v + h*a + h*h/2*b for v, a, b in zip(self.v, self.full(a0), self.full(a1))]
        self.t = self.t + h if which else end
        return which[0] if which else None

    def total(self, states, force):
        return force if len(self.surfaces) == len(self.model.surfaces) else None

    def full(self, z):
        return [sum(e[i]*x for e, x in zip(self.E, z)) for i in range(self.model.n)]

    def z(self):
        return [dot(e, self.v)/dot(e, e) for e in self.E]

    def measure(self):
        """g of all surfaces, 0 where the motion is on one; so the start of each state is exact."""
        z = self.z()
        g = [dot(f.w, z) - f.belt for f in self.surfaces]
        if any(1e-9 < abs(x) < CLOSE for x in g): raise Reject
        self.g = [0 if abs(x) <= 1e-9 else x for x in g]

    def run(self):
        model = self.model
        stops = sorted({0.0, *model.jumps(), *([model.lock[0]] if model.lock else []), model.end})
        for begin, end in zip(stops, stops[1:]):
            if model.lock and begin == model.lock[0]:
                self.held.add(model.lock[1])
                self.v[model.lock[1]] = 0.0
            self.reduce()
            self.released = False
            for _ in range(40):
                self.measure()
                change = self.next_change(self.decide(self.g), end)
                if change is None: break
                self.released = change[2]
                if not change[2]: self.stop(change[1])
            else: raise Reject
        self.pieces.append((model.end, None, None, None, None, None, None))

    def stop(self, k):
        """Exactly on the surface k."""
        f, z = self.surfaces[k], self.z()
        miss = (dot(f.w, z) - f.belt)/dot(f.w, f.w)
        self.v = self.full([x - miss*w for x, w in zip(z, f.w)])

    def at(self, t):
        for piece, after in zip(self.pieces, self.pieces[1:]):
            if t < after[0]:
                if t - piece[0] < CLOSE and piece[0] > 0 or after[0] - t < CLOSE: raise Reject
                h, (_, q, v, a, b, f0, f1) = t - piece[0], piece
                force = None if f0 is None else [x + h*y for x, y in zip(f0, f1)]
                return ([x + h*y + h*h/2*c + h**3/6*d for x, y, c, d in zip(q, v, a, b)],
                        [y + h*c + h*h/2*d for y, c, d in zip(v, a, b)], force)
        raise Reject


def roots(g, r, c):
    """Of g + r h + c h^2; from g = 0 the other one."""
    if g == 0: return [] if c == 0 else [-r/c]
    if c == 0: return [] if r == 0 else [-g/r]
    D = r*r - 4*c*g
    if D < 0: return []
    if D < 1e-4: raise Reject  # touched
    s = -(r + math.copysign(math.sqrt(D), r))/2
    return [s/c] + ([g/s] if s != 0 else [])


class Load:
    """a + b t before the jump, c + d t after it."""
    def __init__(self, rng, end):
        number = lambda most: round(rng.uniform(-most, most), 2)
        self.before, self.after = (number(2), number(1)), (number(3), number(1.5))
        self.jump = round(rng.uniform(0.2, 0.9)*end, 2) if rng.random() < 0.5 else None

    def at(self, t, after):
        a, b = self.after if self.jump is not None and (t > self.jump or t == self.jump and after) else self.before
        return a + b*t, b

    def text(self):
        line = lambda c: f"{c[0]!r} + {c[1]!r}*t"
        return line(self.before) if self.jump is None else f"if(t < {self.jump!r}, {line(self.before)}, {line(self.after)})"


# ---------------------------------------------------------------- models

class Model:
    def __init__(self, seed, grid=None):
        self.rng = rng = random.Random(seed)
        number = lambda low, high: round(rng.uniform(low, high), 2)
        self.n = n = rng.randint(1, 3)
        self.end = float(rng.randint(3, 6))
        self.m = [number(0.5, 3) for _ in range(n)]
        self.loads = [Load(rng, self.end) for _ in range(n)]
        self.tied = n > 1 and rng.random() < 0.2
        self.rotated = n > 1 and not self.tied and rng.random() < 0.5
        self.lock = None
        if n > 1 and not self.tied and not self.rotated and rng.random() < 0.3:
            self.lock = (round(rng.uniform(0.1, 0.9)*self.end, 2), rng.randrange(n))
        self.B = [[float(i == j) for j in range(n)] for i in range(n)]
        if self.rotated:  # u = B x
            self.B = [[number(-1, 1) + 2*(i == j) for j in range(n)] for i in range(n)]
        self.surfaces, self.laws = [], []
        for i in range(n): self.add_surface(i, number)
        self.v0 = [0.0 if rng.random() < 0.3 else number(-1.5, 1.5) for _ in range(n)]
        if self.tied: self.v0[1] = self.v0[0]
        self.q0 = [0.0]*n
        self.samples = sorted({round(rng.uniform(0.05, 0.98)*self.end, 3) for _ in range(6)})
        if grid: self.samples = sorted({round(round(t/grid)*grid, 9) for t in self.samples})

    def add_surface(self, i, number):
        """Of block i on the ground or a belt, or on a block before it."""
        rng = self.rng
        on = rng.randrange(i) if i > 0 and rng.random() < 0.4 else None
        w = [float(j == i) - float(j == on) for j in range(self.n)]
        name = rng.choice(sorted(SPELLINGS))
        text, rule = SPELLINGS[name]
        F = number(0.3, 2.5)
        G = F if rule == "same" else round(F*rng.uniform(0.2, 1), 2) if rule == "less" else number(0.3, 2.5)
        belt = number(-0.8, 0.8) if on is None and not self.tied and rng.random() < 0.3 else 0.0
        self.surfaces.append(Surface(w, belt, F, G))
        self.laws.append((name, text))

    def can_tremble(self):
        """C and Python leave events out, and 0/0 at rest is an error there."""
        return not self.lock and not {name for name, _ in self.laws} & {"fraction", "inverse"}

    def trembles(self):
        """Velocities are off by what the forces make in a step, of signs that are a step late, and positions by that times the time."""
        most = sum(f.above + f.below for f in self.surfaces) + sum(max(abs(x) for x in load.before + load.after) for load in self.loads)
        least = min(m/max(dot(row, row) for row in self.B) for m in self.m)
        return 2*most/least*self.end

    def jumps(self):
        return [x.jump for x in self.loads if x.jump is not None]

    def text(self):
        n, q = self.n, "xyz"[:self.n]
        product = lambda c, words: " + ".join(f"({x!r})*{w}" for x, w in zip(c, words) if x != 0)
        lines = ["param c = -1.7", "coord " + ", ".join(q)]
        lines += [f"let w{k} = {product([dot(f.w, column) for column in zip(*self.B)], [x + chr(39) for x in q])} - ({f.belt!r})"
                  for k, f in enumerate(self.surfaces)]
        for k, (f, (_, law)) in enumerate(zip(self.surfaces, self.laws)):
            lines += [f"param F{k} = {f.above!r}, G{k} = {f.below!r}"]
            words = {"F": f"F{k}", "G": f"G{k}", "w": f"w{k}"}
            lines += [f"let f{k} = " + "".join(words.get(x, x) for x in tokens(law))]
        lines += ["kinetic " + " + ".join(f"{m!r}/2*({product(row, [x + chr(39) for x in q])})^2" for m, row in zip(self.m, self.B))]
        lines += [f"input l{i} = {x.text()}" for i, x in enumerate(self.loads)]
        names = [f"l{i}" for i in range(n)] + [f"f{k}" for k in range(len(self.surfaces))]
        for j in range(n):
            column = [row[j] for row in self.B] + [dot(f.w, [row[j] for row in self.B]) for f in self.surfaces]
            lines += [f"force {q[j]} = {product(column, names)}"]
        start = solve(self.B, self.v0)
        lines += ["start " + ", ".join(f"{x}' = {v!r}" for x, v in zip(q, start))]
        if self.tied: lines += ["constraint tie: x = y"]
        if self.lock: lines += [f"when t = {self.lock[0]!r} {{ lock {q[self.lock[1]]} }}"]
        lines += [f"run {self.end!r}", "plot " + ", ".join([*q] + [f"f{k}" for k in range(len(self.surfaces))])]
        return "\n".join(lines) + "\n"


def tokens(text):
    word = ""
    for c in text + " ":
        if c.isalnum(): word += c
        else:
            if word: yield word
            word = ""
            yield c


def draw(seed, grid=None):
    for k in range(300):
        model = Model(seed*1000 + k, grid)
        try:
            motion = Motion(model)
            return model, [motion.at(t) for t in model.samples]
        except Reject:
            continue
    return None


# ---------------------------------------------------------------- the program

def rows_of(program, model, path, method, options):
    shown = ",".join([x + y for x in "xyz"[:model.n] for y in ("", "'")] + [f"f{k}" for k in range(len(model.surfaces))])
    words = [program, "run", "--by", method, *options, "--at", ",".join(repr(t) for t in model.samples), "--show", shown, "-o", "-", path]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{method}: no answer in {LIMIT} s")
    if done.returncode: raise Failure(f"{method}: {done.stderr.strip()}")
    table = list(csv.reader(io.StringIO(done.stdout)))
    heads = [x.split(" [")[0] for x in table[0]]
    return {float(row[0]): dict(zip(heads, map(float, row))) for row in table[1:]}


# ---------------------------------------------------------------- what is exported

def export(program, path, target, *options):
    done = subprocess.run([program, "export", "--to", target, *options, path], capture_output=True, text=True, timeout=10*LIMIT)
    if done.returncode: raise Failure(f"export to {target}: {done.stderr.strip()}")


def rows_of_fmu(model, fmu, kind, tolerance):
    names = [x + y for x in "xyz"[:model.n] for y in ("", "'")] + [f"f{k}" for k in range(len(model.surfaces))]
    try:
        result = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=model.end, output_interval=GRID, relative_tolerance=tolerance, output=names,
                                   timeout=LIMIT)
    except Exception as error:
        raise Failure(f"{kind}, tolerance {tolerance}: {error}")
    rows = {round(float(row["time"]), 9): {name: float(row[name]) for name in names} for row in result}
    return {t: rows[t] for t in model.samples if t in rows}


def through_fmu(program, seed, model, expected, path, tell):
    fmu = path[:-3] + ".fmu"
    export(program, path, "fmu", "--fmi", str(2 + seed//3 % 2), "-o", fmu)
    tolerance = sorted(TOLERANCES)[seed % 3]
    for kind in "CoSimulation", "ModelExchange":
        compare(f"{kind}, tolerance {tolerance}", rows_of_fmu(model, fmu, kind, tolerance), model, expected, TOLERANCES[tolerance], tell)
    os.remove(fmu)


DRIVER = """#include "block.h"
#include <stdio.h>
int main(void)
{
  block_params p;
  block_state x;
  block_input u;
  int i, j, status = 0;
  block_init(&p, &x, &u);
  for (i = 1; i <= %d && !status; i++) {
    status = block_step(&p, &x, &u, %r);
    for (j = 0; i %% %d == 0 && j < BLOCK_N; j++) printf("%%.17g %%.17g%%s", x.q[j], x.v[j], j + 1 < BLOCK_N ? " " : "\\n");
  }
  return status;
}
"""


def rows_by_steps(model, lines):
    """Of lines with the state at the multiples of GRID."""
    rows = {}
    for k, line in enumerate(lines):
        numbers = dict(zip([x + y for x in "xyz"[:model.n] for y in ("", "'")], line))
        rows[round((k + 1)*GRID, 9)] = numbers
    return rows


def through_c(program, seed, model, expected, path, tell):
    if not model.can_tremble(): return
    folder, step = path[:-3] + "_c", TREMBLE["c"]
    os.makedirs(folder, exist_ok=True)
    shutil.copy(path, os.path.join(folder, "block.pf"))
    export(program, os.path.join(folder, "block.pf"), "c", "-o", folder)
    with open(os.path.join(folder, "drive.c"), "w") as file: file.write(DRIVER % (round(model.end/step), step, round(GRID/step)))
    done = subprocess.run(["cc", "-std=c99", "-O1", "block.c", "drive.c", "-lm", "-o", "drive"], cwd=folder, capture_output=True, text=True)
    if done.returncode: raise Failure(f"C: {done.stderr}")
    done = subprocess.run(["./drive"], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode: raise Failure(f"C: status {done.returncode}")
    lines = [[float(x) for x in line.split()] for line in done.stdout.splitlines()]
    compare("C", rows_by_steps(model, lines), model, expected, model.trembles()*step, tell)
    shutil.rmtree(folder)


def through_python(program, seed, model, expected, path, tell):
    if not model.can_tremble(): return
    folder, step = path[:-3] + "_python", TREMBLE["python"]
    export(program, path, "python", "-o", folder)
    name = os.path.basename(path)[:-3]
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    p, u, t, q, v, lines = module.Params(), module.Input(), module.START_TIME, module.START_Q, module.START_V, []
    for k in range(round(model.end/step)):
        t, q, v = module.step(p, t, q, v, u, step)
        if (k + 1) % round(GRID/step) == 0: lines.append([float(x) for both in zip(q, v) for x in both])
    compare("Python", rows_by_steps(model, lines), model, expected, model.trembles()*step, tell)
    shutil.rmtree(folder)


THROUGH = {"fmu": through_fmu, "c": through_c, "python": through_python}


def compare(method, rows, model, expected, allowed, tell):
    for t, (u, v, force) in zip(model.samples, expected):
        if t not in rows: raise Failure(f"{method}: the row at t = {t} is lost")
        exact = {}
        for x, q, rate in zip("xyz", solve(model.B, u), solve(model.B, v)): exact.update({x: q, x + "'": rate})
        if force is not None: exact.update({f"f{k}": f for k, f in enumerate(force)})
        for name, number in exact.items():
            if name not in rows[t]: continue  # C and Python have no forces of what sticks
            error, size = abs(rows[t][name] - number), allowed*max(1, abs(number))
            words = f"{method}: {name} at t = {t}: {rows[t][name]!r}, exact {number!r}"
            if not error <= size: raise Failure(words)
            if tell: print("  ", words)


def trial(job):
    program, seed, folder, tell, through = job
    drawn = draw(seed, GRID if through else None)
    if drawn is None: return seed, "nothing", None, None
    model, expected = drawn
    path = os.path.join(folder, f"friction{seed}.pf")
    with open(path, "w") as file: file.write(model.text())
    if tell: print(model.text())
    methods = ["dopri5"] + random.Random(seed).sample(sorted(set(METHODS) - {"dopri5"}), 2)
    try:
        for target in through: THROUGH[target](program, seed, model, expected, path, tell)
        for method in [] if through else METHODS if tell else methods:
            options, allowed = METHODS[method]
            compare(method, rows_of(program, model, path, method, options), model, expected, allowed, tell)
    except Failure as failure:
        return seed, "failed", str(failure), model.text()
    os.remove(path)
    return seed, "good", [x[0] for x in model.laws], None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--through", default="")
    parser.add_argument("--keep", default="trial-failures")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    seeds = [options.only] if options.only is not None else range(options.seed, options.seed + options.count)
    through = [x for x in options.through.split(",") if x]
    if "fmu" in through and fmpy is None:
        through.remove("fmu")
        print("no fmpy: FMUs are left out")
    jobs = [(options.program, seed, options.keep, options.v, through) for seed in seeds]
    count, spelled, failures = {"good": 0, "nothing": 0, "failed": 0}, {}, []
    with multiprocessing.Pool(options.jobs) as pool:
        for seed, end, told, text in pool.imap(trial, jobs):
            count[end] += 1
            if end == "failed":
                failures.append(seed)
                print(f"seed {seed}: {told}\n{text}", flush=True)
            for name in told if end == "good" else []: spelled[name] = spelled.get(name, 0) + 1
    print(f"{count['good']} models of friction agree, {count['failed']} do not, {count['nothing']} seeds without a model; "
          + ", ".join(f"{k} {v}" for k, v in sorted(spelled.items())))
    if failures: print("failed:", *failures)
    sys.exit(1 if failures or not count["good"] else 0)


if __name__ == "__main__": main()
