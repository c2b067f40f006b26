#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Robots in URDF against Pinocchio, run by hand where it is installed (pip install pin).

compare.py PFAFF FOLDER… [--base fixed,free,planar] [--states 2] [--seed 1] [--limit 30] [-v]

Every *.urdf below a FOLDER is imported and evaluated at random states: accelerations, the forces of given accelerations of the
joints (`eval --inverse`; a free base moves as it must) and those that hold the robot against its weight. Joints that mimic
others are tied in Pinocchio's matrices, damping is read from the file by Python, dry friction is left out by both. Errors are
relative to max(1e-6, largest value). Each FOLDER gets a row in a table, and what is refused or differs a line."""
import argparse, collections, glob, json, os, random, re, subprocess, sys, tempfile
import xml.etree.ElementTree as xml

import numpy
import pinocchio

GOOD = 1e-9
DIGITS = 1e-15  # of accelerations, times the condition of the mass matrix: point masses near their axles make 1e9
FORMS = ("multipliers", "recursive")


class Refused(Exception):
    """The program does not take the file."""


class Left(Exception):
    """Nothing can be compared."""


def ask(program, limit, *words):
    try:
        done = subprocess.run([program, *words], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Left(f"no answer in {limit} s")
    return done.returncode, done.stdout, done.stderr


def first_error(text):
    return next((line.partition("error: ")[2] for line in text.splitlines() if "error: " in line), text.strip()[:100])


# ---------------------------------------------------------------- the robot for Pinocchio

class Joint:
    def __init__(self, element):
        self.name, self.kind = element.get("name"), element.get("type")
        dynamics, mimic = element.find("dynamics"), element.find("mimic")
        self.damping = float(dynamics.get("damping") or 0) if dynamics is not None else 0
        self.leader = mimic.get("joint") if mimic is not None else None
        self.multiplier = float(mimic.get("multiplier") or 1) if mimic is not None else 1
        self.offset = float(mimic.get("offset") or 0) if mimic is not None else 0


class Robot:
    """Pinocchio's model with the joints that the program has: `names` in the program for those that move by themselves."""

    def __init__(self, path, text, base):
        with open(path, "rb") as file: document = file.read().lstrip(b"\xef\xbb\xbf \t\r\n")
        plain = re.sub(rb"([<\s]/?)([\w.-]+):([\w.-]+)(?=[\s=/>])", rb"\1\2_\3", document)  # prefixes that nobody declares
        joints = [Joint(e) for e in xml.fromstring(plain).findall("joint")]
        if any(j.kind in ("planar", "floating") for j in joints): raise Left("planar or floating joints inside")
        moving = [j for j in joints if j.kind != "fixed"]
        shown = re.findall(r"^(?:coord (\S+) \[(?:rad|m)\]|# (\S+) is welded at (\S+))", text, re.M)
        if len(shown) != len(moving): raise Left(f"{len(moving)} joints move, {len(shown)} are in the model")
        self.joints = {j.name: j for j in moving}
        welded = {}
        for joint, (name, weld, value) in zip(moving, shown):
            joint.coordinate = name
            if weld: welded[joint.name] = float(value)
        self.base, self.model = base, self.read(document, base, welded)
        self.data = self.model.createData()
        root = re.search(r"^body (\S+) in ground(?: at \(.*?\))? free", text, re.M)
        self.root = root and root.group(1)
        self.planar = re.search(r"^body \S+ in ground(?: at \(.*?\))? shift (\S+) along x shift (\S+) along y turn (\S+) about z", text, re.M)
        self.tie({j.name: j for j in moving if j.name not in welded}, {j.name: 0 for j in joints if j.kind == "fixed"} | welded)

    @staticmethod
    def read(document, base, welded):
        root = {"free": pinocchio.JointModelFreeFlyer, "planar": pinocchio.JointModelPlanar}.get(base)
        try:
            words = document.decode()
            words = re.sub(r"<\?xml.*?\?>", "", words)
            model = pinocchio.buildModelFromXML(words, root()) if root else pinocchio.buildModelFromXML(words)
        except Exception as error:
            raise Left(f"Pinocchio: {str(error).splitlines()[0][:80]}")
        if not welded: return model
        q = pinocchio.neutral(model)
        for name, value in welded.items(): Robot.put(model, model.getJointId(name), value, q)
        return pinocchio.buildReducedModel(model, [model.getJointId(name) for name in welded], q)

    @staticmethod
    def put(model, j, value, q):
        at, count = model.joints[j].idx_q, model.joints[j].nq
        q[at:at + count] = [value] if count == 1 else [numpy.cos(value), numpy.sin(value)]

    def tie(self, moving, held):
        """q = S u + o for joints that mimic others; the base comes first in u."""
        self.base_count = {"fixed": 0, "planar": 3, "free": 6}[self.base]

        def follow(joint):
            if not joint.leader: return joint.name, 1, 0
            if joint.leader in held: return None, 0, joint.multiplier*held[joint.leader] + joint.offset
            name, factor, offset = follow(moving[joint.leader])
            return name, joint.multiplier*factor, joint.multiplier*offset + joint.offset
        self.free = [j for j in moving.values() if follow(j)[0] == j.name]
        index = {j.name: self.base_count + i for i, j in enumerate(self.free)}
        nv = self.model.nv
        self.S, self.offset, self.damping = numpy.zeros((nv, self.base_count + len(self.free))), numpy.zeros(nv), numpy.zeros(nv)
        for i in range(self.base_count): self.S[i, i] = 1
        for joint in moving.values():
            joint.index = self.model.joints[self.model.getJointId(joint.name)].idx_v
            name, factor, offset = follow(joint)
            if name: self.S[joint.index, index[name]] = factor
            self.offset[joint.index], self.damping[joint.index] = offset, joint.damping
        self.moving = list(moving.values())

    # ---- a state
    def draw(self, rng, moves):
        self.u = numpy.array([rng.uniform(-0.6, 0.6) for _ in range(self.S.shape[1])])
        self.u_rate = numpy.array([rng.uniform(-1, 1)*moves for _ in range(self.S.shape[1])])
        self.wanted = numpy.array([rng.uniform(-2, 2)*moves for _ in self.free])
        self.value, self.v = self.S @ self.u + self.offset, self.S @ self.u_rate
        self.q = pinocchio.neutral(self.model)
        for joint in self.moving: self.put(self.model, self.model.getJointId(joint.name), self.value[joint.index], self.q)
        if self.base == "free":
            self.Q = numpy.array([rng.gauss(0, 1) for _ in range(4)])  # w, x, y, z
            self.Q /= numpy.linalg.norm(self.Q)
            self.q[:7] = [*self.u[:3], *self.Q[1:], self.Q[0]]
            self.R = pinocchio.Quaternion(self.Q[0], *self.Q[1:]).matrix()
        if self.base == "planar":
            c, s = numpy.cos(self.u[2]), numpy.sin(self.u[2])
            self.q[:4] = [self.u[0], self.u[1], c, s]
            self.R = numpy.array([[c, -s], [s, c]])

    def state(self):
        """The same for the program, whose base has velocities in the axes of the ground."""
        out = []
        for joint in self.moving: out += [f"{joint.coordinate}={self.value[joint.index]!r}", f"{joint.coordinate}'={self.v[joint.index]!r}"]
        if self.base == "free":
            p = self.R @ self.v[:3]
            out += [f"{self.root}.q=({', '.join(map(repr, map(float, self.Q)))})", f"{self.root}.w=({', '.join(map(repr, map(float, self.v[3:6])))})"]
            for i, c in enumerate("xyz"): out += [f"{self.root}.p{c}={self.u[i]!r}", f"{self.root}.p{c}'={p[i]!r}"]
        if self.base == "planar":
            p = [*(self.R @ self.v[:2]), self.v[2]]
            for i in range(3): out += [f"{self.planar[i + 1]}={self.u[i]!r}", f"{self.planar[i + 1]}'={p[i]!r}"]
        return [word for text in out for word in ("-s", re.sub(r"np\.float64\((.*?)\)", r"\1", text))]

    # ---- what Pinocchio says
    def prepare(self):
        m = self.model
        M = pinocchio.crba(m, self.data, self.q)
        M = numpy.triu(M) + numpy.triu(M, 1).T
        h = pinocchio.nonLinearEffects(m, self.data, self.q, self.v) + self.damping*self.v
        self.M, self.h = self.S.T @ M @ self.S, self.S.T @ h
        scale = numpy.sqrt(numpy.maximum(numpy.diag(self.M), 1e-300))
        self.condition = numpy.linalg.cond(self.M/numpy.outer(scale, scale)) if len(self.M) else numpy.inf

    def accelerations(self):
        return self.shown(numpy.linalg.solve(self.M, -self.h))

    def shown(self, u):
        """Accelerations as the program has them: the point of the base in the axes of the ground, then its turning."""
        a = self.S @ u
        if self.base == "free": a[:3] = self.R @ (a[:3] + numpy.cross(self.v[3:6], self.v[:3]))
        if self.base == "planar": a[:2] = self.R @ (a[:2] + self.v[2]*numpy.array([-self.v[1], self.v[0]]))
        return a

    def forces(self):
        b = self.base_count
        a = numpy.zeros(len(self.h))
        a[b:] = self.wanted
        if b: a[:b] = numpy.linalg.solve(self.M[:b, :b], -self.h[:b] - self.M[:b, b:] @ self.wanted)
        return (self.M @ a + self.h)[b:]

    # ---- what the program says
    def found(self, answer):
        a = dict(zip(answer["coordinates"], answer["acceleration"]))
        out = numpy.zeros(self.model.nv)
        for joint in self.moving: out[joint.index] = a[joint.coordinate]
        if self.base == "free":
            w, x, y, z = self.Q
            W, X, Y, Z = (a[f"{self.root}.q{c}"] for c in "wxyz")
            out[3:6] = 2*numpy.array([w*X - x*W - y*Z + z*Y, w*Y - y*W - z*X + x*Z, w*Z - z*W - x*Y + y*X])
            out[:3] = [a[f"{self.root}.p{c}"] for c in "xyz"]
        if self.base == "planar": out[:3] = [a[self.planar[i + 1]] for i in range(3)]
        return out


# ---------------------------------------------------------------- one file

def away(found, exact, terms=()):
    return float(max(abs(found - exact), default=0)/max([1e-6, *abs(exact), *terms]))


def take(options, path, place, base):
    """The text of the model; joints that move no mass are welded where they leave accelerations undetermined."""
    out = os.path.join(place, "robot.pf")
    for more in ([], ["--weld", "massless"]):
        code, _, words = ask(options.program, options.limit, "import", path, "--no-friction", "--base", base, "--out", out, *more)
        if code: raise Refused(first_error(words))
        if "move no mass" not in words and "moves no mass" not in words: break
    with open(out) as file: return out, file.read()


def evaluate(options, model, *words):
    code, text, errors = ask(options.program, options.limit, "eval", "--json", model, *words)
    if code: raise Refused(first_error(errors))
    return json.loads(text)


def told(options, model, words):
    try:
        evaluate(options, model, *words)
        return "the program finds accelerations"
    except Refused as refusal:
        return str(refusal)


def compare(options, path, base, worst):
    with tempfile.TemporaryDirectory() as place:
        model, text = take(options, path, place, base)
        robot = Robot(path, text, base)
        if robot.S.shape[1] == 0: raise Left("no joints")
        rng = random.Random(options.seed)
        for k in range(options.states):
            for moves in (1, 0):
                robot.draw(rng, moves)
                robot.prepare()
                words = robot.state()
                if robot.condition > 1e12: raise Left("singular mass matrix: " + told(options, model, words))
                if moves:
                    answer = evaluate(options, model, *words, "--form", FORMS[k % len(FORMS)])
                    keep(worst, "acceleration", away(robot.found(answer), robot.accelerations()))
                    keep(worst, "allowed", max(GOOD, DIGITS*robot.condition))
                if not robot.free: continue
                names = [j.coordinate for j in robot.free]
                inverse = ", ".join(f"{name}''={float(a)!r}" for name, a in zip(names, robot.wanted))
                answer = evaluate(options, model, *words, "--inverse", inverse, "--actuators", ",".join(names))
                found = numpy.array([answer["actuators"][name] for name in names])
                keep(worst, "inverse" if moves else "weight", away(found, robot.forces(), abs(robot.h)))  # a robot that falls needs none


def keep(worst, what, value):
    worst[what] = max(worst.get(what, 0), value if value == value else numpy.inf)


# ---------------------------------------------------------------- all

def try_folder(options, folder, base):
    count, most = collections.Counter(), {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.urdf"), recursive=True)):
        count["files"] += 1
        worst, words = {}, None
        try:
            compare(options, path, base, worst)
            allowed = worst.pop("allowed", GOOD)
            bad = {k: v for k, v in worst.items() if v > (allowed if k == "acceleration" else GOOD)}
            count["differ" if bad else "agree"] += 1
            if bad: words = "differs: " + ", ".join(f"{k} {v:.2g}" for k, v in bad.items())
            for k, v in worst.items(): keep(most, k, v)
        except Refused as refusal:
            count["refused"] += 1
            words = f"refused: {refusal}"
        except (Left, xml.ParseError) as reason:
            count["no joints" if str(reason) == "no joints" else "not compared"] += 1
            words = None if str(reason) == "no joints" else f"not compared: {reason}"
        if words or options.v: print(f"  {base} {os.path.relpath(path, folder)}: {words or worst}", flush=True)
    return count, most


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--base", default="fixed,free,planar")
    parser.add_argument("--states", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=30)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    rows, differ = [], 0
    for folder in options.folders:
        for base in options.base.split(","):
            count, most = try_folder(options, folder, base)
            differ += count["differ"]
            rows.append([os.path.basename(os.path.normpath(folder)), base,
                         *(str(count[k]) for k in ("files", "refused", "no joints", "not compared", "agree", "differ")),
                         *(f"{most[k]:.0e}" if k in most else "" for k in ("acceleration", "inverse", "weight"))])
    print("| folder | base | files | refused | no joints | not compared | agree | differ | acceleration | inverse | weight |")
    print("|---"*11 + "|")
    for row in rows: print("| " + " | ".join(row) + " |")
    sys.exit(differ > 0)


if __name__ == "__main__": main()
