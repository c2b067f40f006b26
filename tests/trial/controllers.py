#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random drives with controllers and filters, whose states have no mass, against their ordinary differential equations.

controllers.py PFAFF [--count 100] [--seed 1] [--keep FOLDER]    models seed, seed + 1, …
controllers.py PFAFF --only SEED -v                              one model again, with its text and every comparison

A rotor, or two on a shaft, with a PI controller of speed, one to four filters of first order in a row, loads that jump, dry
friction, and events that lock and unlock the rotor. The states of controller and filters are coordinates with constraints of
velocities; here they are plain states. Runge-Kutta with short steps that end where loads jump, a rotor stops or slips:
nothing is shared with the program."""
import argparse, json, os, random, subprocess, sys

STEP, END = 2e-4, 2.0
METHODS = {"dopri5": ([], 1e-6), "dop853": ([], 1e-6), "cvode_bdf": ([], 1e-4), "ida": ([], 1e-4), "ida2": ([], 1e-4),
           "rk4": (["--step", "1e-3"], 1e-6), "generalized_alpha": (["--step", "1e-3"], 1e-4)}


class Reject(Exception):
    """Too close to another decision."""


class Failure(Exception):
    pass


class Drive:
    """y = x, v (of the rotor), [y, w (of the second)], z (integral), filters."""

    def __init__(self, rng):
        def number(low, high): return round(rng.uniform(low, high), 2)
        self.J, self.c, self.kp, self.ki, self.goal = (number(a, b) for a, b in ((0.3, 2), (0.05, 0.5), (0.5, 4), (0.5, 6), (-3, 3)))
        self.shaft = (number(0.3, 2), number(2, 20), number(0.05, 0.5)) if rng.random() < 0.4 else None  # inertia, stiffness, damping
        self.T = [number(0.05, 0.4) for _ in range(rng.randint(1, 4))]
        self.jumps = [(number(0.2, 1.8), number(-3, 3)) for _ in range(rng.randint(0, 3))]
        self.friction = number(0.2, 2) if rng.random() < 0.6 else 0
        lock = number(0.3, 1.2)
        self.lock = (lock, round(lock + rng.uniform(0.1, 0.6), 2)) if rng.random() < 0.3 else None
        self.first = 4 if self.shaft else 2
        self.start = [0.0, number(-2, 2), *([0.0, number(-2, 2)] if self.shaft else []), number(-0.5, 0.5), *(number(-1, 1) for _ in self.T)]
        self.order = list(range(len(self.T) + 1))
        rng.shuffle(self.order)

    def text(self):
        states = ["z", *(f"f{k}" for k in range(len(self.T)))]
        rows = [f"constraint integ: z' = {self.goal} - f{len(self.T) - 1}"]
        for k, T in enumerate(self.T):
            rows.append(f"constraint filter{k}: {T}*f{k}' = {'x' + chr(39) if k == 0 else f'f{k - 1}'} - f{k}")
        load = "".join(f" + if(t < {t}, 0, {f})" for t, f in self.jumps)
        friction = f" - {self.friction}*sign(x')" if self.friction else ""
        lines = [f"coord {', '.join([states[i] for i in self.order[::-1]] + ['x'] + (['y'] if self.shaft else []))}", f"kinetic {self.J}*x'^2/2"]
        lines += [rows[i] for i in self.order]
        lines.append(f"force x = {self.kp}*({self.goal} - f{len(self.T) - 1}) + {self.ki}*z - {self.c}*x'{friction}{load}")
        if self.shaft: lines += [f"kinetic {self.shaft[0]}*y'^2/2", f"spring y - x {{ stiffness {self.shaft[1]}, damping {self.shaft[2]} }}"]
        if self.lock: lines += [f"when t = {self.lock[0]} {{ lock x }}", f"when t = {self.lock[1]} {{ unlock x }}"]
        names = ["x", "x'", *(["y", "y'"] if self.shaft else []), *states]
        lines.append("start " + ", ".join(f"{n} = {v}" for n, v in zip(names, self.start)))
        self.names = names
        return "\n".join(lines) + f"\nrun {END}\n"

    # ---- the oracle
    def drive(self, t, y):
        """The torque on the rotor without friction; t is between jumps."""
        out = self.kp*(self.goal - y[-1]) + self.ki*y[self.first] - self.c*y[1] + sum(f for at, f in self.jumps if t > at)
        return out + self.shaft[1]*(y[2] - y[0]) + self.shaft[2]*(y[3] - y[1]) if self.shaft else out

    def slope(self, t, y, side):
        """side: the sign of the velocity, or 0 where the rotor is held."""
        a = (self.drive(t, y) - side*self.friction)/self.J if side else 0.0
        rest = [y[1], a]
        if self.shaft:
            m, k, c = self.shaft
            rest += [y[3], (k*(y[0] - y[2]) + c*(y[1] - y[3]))/m]
        chain = [y[1], *y[self.first + 1:]]
        return rest + [self.goal - y[-1]] + [(chain[i] - chain[i + 1])/T for i, T in enumerate(self.T)]

    def step(self, t, y, h, side, middle):
        def add(a, b): return [p + a*q for p, q in zip(y, b)]
        k1 = self.slope(middle, y, side)
        k2 = self.slope(middle, add(h/2, k1), side)
        k3 = self.slope(middle, add(h/2, k2), side)
        k4 = self.slope(middle, add(h, k3), side)
        return [p + h/6*(a + 2*b + 2*c + d) for p, a, b, c, d in zip(y, k1, k2, k3, k4)]

    def decide(self, t, y):
        """The side on which the rotor goes on from here."""
        if y[1] != 0: return 1 if y[1] > 0 else -1
        force = self.drive(t, y)
        if abs(abs(force) - self.friction) < 1e-4: raise Reject()
        return 0 if abs(force) < self.friction else (1 if force > 0 else -1)

    def motion(self, samples):
        marks = sorted({*samples, *(t for t, _ in self.jumps), *(self.lock or ())})
        t, y, rows = 0.0, list(self.start), {}
        locked, side = False, self.decide(1e-9, self.start)
        for mark in marks:
            while t < mark - 1e-13: t, y, side = self.advance(t, y, mark, side, locked)
            if self.lock and mark == self.lock[0]:
                locked, side, y[1] = True, 0, 0.0
            if self.lock and mark == self.lock[1]: locked = False
            if not locked and y[1] == 0: side = self.decide(mark + 1e-9, y)
            if mark in samples: rows[mark] = list(y)
        return rows

    def advance(self, t, y, mark, side, locked):
        """A step, shortened to where the rotor stops or slips."""
        h, middle = min(STEP, mark - t), (t + mark)/2
        new = self.step(t, y, h, side, middle)

        def over(y): return abs(self.drive(middle, y)) - self.friction if side == 0 else -side*y[1]
        if locked or not self.friction or over(new) <= 0: return t + h, new, self.decide(middle, new) if not self.friction and not locked and new[1] else side
        low, high = 0.0, h
        for _ in range(60):
            half = (low + high)/2
            if over(self.step(t, y, half, side, middle)) > 0: high = half
            else: low = half
        new = self.step(t, y, high, side, middle)
        if side == 0: return t + high, new, 1 if self.drive(middle, new) > 0 else -1
        new[1] = 0.0
        return t + high, new, self.decide(middle, new)


def compare(program, drive, path, by, tell):
    options, allowed = METHODS[by]
    samples = [END*k/4 for k in range(1, 5)]
    exact = drive.motion(samples)
    command = [program, "run", "--json", "--by", by, *options, "--at", ",".join(map(repr, samples)), "--show", ",".join(drive.names), path]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        raise Failure(f"{by}: no answer in 60 s")
    if "needs the library" in done.stderr: return
    if done.returncode: raise Failure(f"{by}: {done.stderr.strip()}")
    rows = {row[0]: row[1:] for row in json.loads(done.stdout)["rows"]}
    for t in samples:
        if t not in rows: raise Failure(f"{by}: no row at t = {t}")
        for name, found, right in zip(drive.names, rows[t], exact[t]):
            if tell: print(f"   {by}: {name} at {t}: {found!r}, {right!r}")
            if not abs(found - right) <= allowed*max(1, *map(abs, exact[t])):
                raise Failure(f"{by}: {name} at t = {t} is {found!r}, not {right!r}")


def draw(seed):
    for k in range(50):
        drive = Drive(random.Random(50*seed + k))
        try:
            drive.motion([END])
            return drive
        except Reject:
            continue
    raise Failure("no model")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", default="trial-failures")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    failures, methods = 0, list(METHODS)
    seeds = [options.only] if options.only is not None else range(options.seed, options.seed + options.count)
    for seed in seeds:
        path = os.path.join(options.keep, f"drive{seed}.pf")
        try:
            drive = draw(seed)
            with open(path, "w") as file: file.write(drive.text())
            if options.v: print(drive.text())
            for by in {"dopri5", methods[seed % len(methods)]}: compare(options.program, drive, path, by, options.v)
            os.remove(path)
        except Failure as failure:
            failures += 1
            print(f"seed {seed}: {failure}", flush=True)
    print(f"{len(seeds)} drives, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__": main()
