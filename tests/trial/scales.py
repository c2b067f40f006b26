#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models in other units, by powers of ten: verdicts, motions and studies must be the same.

scales.py PFAFF [--count 100] [--studies 100] [--seed 1] [--most 12] [--off] [--also 3,7] [--keep FOLDER]

A model is written with units of length, mass, time, of each coordinate and of each constraint, and once more with all
of them 1; redundant rows are among the constraints. Compared: rank and redundancy of 'check', accelerations of 'eval'
by several formulations, the motion of 'run', unless its steps are too long for the plain model itself. With --off starts
miss the constraints, only these have units, and compared is where the start is moved to. Of --studies models, with units
of length, mass and constraints: eigenvalues of 'study linearize' at an equilibrium, states and eigenvalues of
'study equilibria' and 'study steady'."""
import argparse, json, math, os, random, subprocess, sys

FORMS = ["multipliers", "maggi", "udwadia_kalaba", "udwadia_phohomsiri", "cascade"]


class Failure(Exception):
    pass


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if done.returncode: raise Failure(f"{' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def power(k):
    return f"1e{k}"


class Units:
    """What is 1 in the plain model is 10^k in the other one."""
    def __init__(self, rng, most, n):
        pick = (lambda: 0) if most == 0 else (lambda: rng.choice([0, 0, rng.randint(-most, most)]))
        self.length, self.mass, self.time = pick(), pick(), pick()
        self.own = [pick() for _ in range(n)]      # of coordinates besides
        self.row = [pick() for _ in range(8)]      # of constraints

    def of_rows_alone(self):
        self.length = self.mass = self.time = 0
        self.own = [0]*len(self.own)
        return self

    def limit(self):
        """Energies stay well within doubles."""
        self.time = max(-6, min(6, self.time))
        return self


class Model:
    """Coordinates u_i = own_i x_i; what has the kind 'length' carries the unit of length as well."""
    def __init__(self, kinds):
        self.kinds, self.kinetic, self.potential, self.rows, self.start = kinds, [], [], [], []
        self.angles = False  # are coordinates declared as angles?

    def text(self, units):
        L, m, t = units.length, units.mass, units.time
        unit = [own + (L if kind == "length" else 0) for own, kind in zip(units.own, self.kinds)]
        x = {f"x{i}": f"({power(-k)}*u{i})" for i, k in enumerate(unit)}
        v = {f"v{i}": f"({power(t - k)}*u{i}')" for i, k in enumerate(unit)}
        lines = ["coord " + ", ".join(f"u{i}" for i in range(len(unit))) + (" [rad]" if self.angles else "")]
        if self.angles: lines += ["param inertia = 1 [kg*m^2], couple = 1 [N*m]"]
        I, T = ("inertia*", "couple*") if self.angles else ("", "")
        energy = power(m + 2*L - 2*t)
        lines += [f"kinetic {I}{energy}*({e.format(**x, **v)})" for e in self.kinetic]
        lines += [f"potential {T}{energy}*({e.format(**x, **v)})" for e in self.potential]
        for i, e in enumerate(self.rows):
            lines.append(f"constraint c{i}: {power(units.row[i])}*({e.format(**x, **v)}) = 0")
        lines += [f"start u{i} = {q!r}*{power(unit[i])}, u{i}' = {w!r}*{power(unit[i] - t)}" for i, q, w in self.start]
        lines.append(f"run {power(t)}")
        self.unit, self.time = unit, t
        return "\n".join(lines) + "\n"


def number(rng, low=0.3, high=2.0):
    return round(rng.uniform(low, high), 3)


def masses(rng, model):
    for i in range(len(model.kinds)):
        model.kinetic.append(f"{number(rng)}/2*{{v{i}}}^2")
        model.potential.append(f"{number(rng)}/2*({{x{i}}} - {number(rng, -0.5, 0.5)})^2")


def linear_rows(rng):
    """Knife edges and gears with coefficients of any sign, and rows that follow from them."""
    n = rng.randint(3, 5)
    model = Model([rng.choice(["length", "angle"]) for _ in range(n)])
    masses(rng, model)
    count = rng.randint(1, n - 2)
    rows = []
    for i in range(count):
        terms = [f"{number(rng)}*cos({{x{rng.randrange(n)}}} + {number(rng)})*{{v{j}}}" for j in rng.sample(range(n), 2)]
        rows.append(f"{{v{i}}} - " + " + ".join(terms))
    model.rows = list(rows)
    for _ in range(rng.randint(0, 2)):
        model.rows.append(" + ".join(f"{number(rng)}*({row})" for row in rng.sample(rows, rng.randint(1, count))))
    model.start = [(i, number(rng, -1, 1), number(rng, -1, 1)) for i in range(count, n)]
    return model


def loop(rng):
    """A four-bar in angles, from a start where it is closed; a third row squares the others."""
    a, b, c = number(rng, 0.8, 1.2), number(rng, 2.5, 3.2), number(rng, 2.2, 2.8)
    d = number(rng, 2.8, 3.2)
    model = Model(["angle"]*3)
    masses(rng, model)
    model.rows = [f"{a}*cos({{x0}}) + {b}*cos({{x1}}) - {c}*cos({{x2}}) - {d}",
                  f"{a}*sin({{x0}}) + {b}*sin({{x1}}) - {c}*sin({{x2}})"]
    if rng.random() < 0.7:
        model.rows.append(f"({a}*cos({{x0}}) + {b}*cos({{x1}}) - {d})^2 + ({a}*sin({{x0}}) + {b}*sin({{x1}}))^2 - {c}^2")
    crank = number(rng, 0.4, 1.0)
    x, y = d - a*math.cos(crank), -a*math.sin(crank)  # from the end of the crank to the bearing of the rocker
    reach = math.hypot(x, y)
    coupler = math.atan2(y, x) + math.acos((reach**2 + b**2 - c**2)/(2*reach*b))
    rocker = math.atan2(a*math.sin(crank) + b*math.sin(coupler), a*math.cos(crank) + b*math.cos(coupler) - d)
    model.start = [(0, crank, number(rng, 0.5, 1)), (1, coupler, 0), (2, rocker, 0)]
    return model


def points(rng):
    """A pendulum of two points in x and y; the last row is a sum of the others."""
    model = Model(["length"]*4)
    masses(rng, model)
    p, q = number(rng), number(rng)
    model.rows = ["{x0}^2 + {x1}^2 - %r^2" % p, "({x2} - {x0})^2 + ({x3} - {x1})^2 - %r^2" % q]
    if rng.random() < 0.6:
        model.rows.append(f"{{x0}}^2 + {{x1}}^2 + ({{x2}} - {{x0}})^2 + ({{x3}} - {{x1}})^2 - {p}^2 - {q}^2")
    model.start = [(0, 0.6*p, 0.1), (1, -0.8*p, 0), (2, 0.6*p + 0.28*q, 0), (3, -0.8*p - 0.96*q, 0)]
    return model


def wells(rng):
    """Oscillators with two wells each, coupled by springs."""
    n = rng.randint(1, 2)
    model = Model(["length"]*n)
    for i in range(n):
        model.kinetic.append(f"{number(rng)}/2*{{v{i}}}^2")
        model.potential.append(f"{number(rng)}/4*{{x{i}}}^4 - {number(rng)}/2*{{x{i}}}^2")
    if n == 2: model.potential.append(f"{number(rng, 0.05, 0.2)}/2*({{x0}} - {{x1}})^2")
    model.start = [(i, number(rng, -1, 1), 0.0) for i in range(n)]
    return model


def pendulum(rng):
    """A weight on a rod, in x and y, with a spring."""
    model = Model(["length"]*2)
    m, l = number(rng), number(rng)
    model.kinetic = [f"{m}/2*({{v0}}^2 + {{v1}}^2)"]
    model.potential = [f"{m}*{number(rng)}*{{x1}}", f"{number(rng, 0.1, 0.3)}/2*({{x0}} - {number(rng)})^2"]
    model.rows = [f"{{x0}}^2 + {{x1}}^2 - {l}^2"]
    angle = number(rng, -1, 1)
    model.start = [(0, l*math.sin(angle), 0.0), (1, -l*math.cos(angle), 0.0)]
    return model


def governor(rng):
    """A mass that slides along a turning arm, on a spring that stiffens: it goes on at any angular velocity."""
    model = Model(["length", "angle"])
    m = number(rng)
    model.kinetic = [f"{m}/2*({{v0}}^2 + {{x0}}^2*{{v1}}^2)", f"{number(rng)}/2*{{v1}}^2"]
    model.potential = [f"{number(rng)}/2*({{x0}} - {number(rng)})^2", f"{number(rng)}/4*{{x0}}^4"]
    model.start = [(0, number(rng), 0.0), (1, 0.0, number(rng, 0.1, 0.3))]
    return model


def four_bar(rng):
    """The loop with springs that know no turns: as many equilibria as a turn has."""
    model = loop(rng)
    model.potential = [f"-{number(rng)}*cos({{x{i}}} - {number(rng, -0.5, 0.5)})" for i in range(3)]
    return model


KINDS = [linear_rows, loop, points]
STUDIED = [four_bar, points, wells, pendulum, governor]


def close(program, model, path):
    """Starts meet the constraints: how far a start is moved from where it was given depends on the way there."""
    with open(path, "w", encoding="utf-8") as file: file.write(model.text(Units(None, 0, len(model.kinds))))
    found = ask(program, "eval", "--json", path)
    ask(program, "run", "--json", "--no-rows", path)
    model.start = [(i, q, v) for i, (q, v) in enumerate(zip(found["q"], found["v"]))]


def answers(program, model, units, path, resolved):
    with open(path, "w", encoding="utf-8") as file: file.write(model.text(units))
    n, t = len(model.kinds), model.time
    plain = lambda list, time: [x*10.0**(time*t - k) for x, k in zip(list, model.unit)]
    check = ask(program, "check", "--json", path)
    found = {"rank": check["rank"], "free": check["degrees_of_freedom"], "redundant": len(check["redundant"])}
    for form in FORMS:
        found[form] = plain(ask(program, "eval", "--json", "--form", form, path)["acceleration"], 2)
    if resolved: found["run"] = plain(end(program, n, t, f"2e{t - 3}", path), 0)
    return found


def end(program, n, t, step, path):
    """Where the coordinates are at the end."""
    run = ask(program, "run", "--json", "--at", power(t), "--by", "rk4", "--step", step, path)
    return run["rows"][-1][1:n + 1]


def is_resolved(program, model, path):
    """Does the plain model move the same with half the step? Where coefficients nearly vanish speeds are high, and errors
    of the steps decide how near to the singular state the motion gets."""
    n = len(model.kinds)
    with open(path, "w", encoding="utf-8") as file: file.write(model.text(Units(None, 0, n)))
    try: compare({"run": end(program, n, 0, "2e-3", path)}, {"run": end(program, n, 0, "1e-3", path)})
    except Failure: return False
    return True


def corrected(program, model, units, path):
    """The start as the program moves it onto the constraints."""
    with open(path, "w", encoding="utf-8") as file: file.write(model.text(units))
    found = ask(program, "eval", "--json", path)
    return {"q": found["q"], "v": found["v"]}


def start_off(program, model, rng, most, path):
    """Rows in other units do not change where a start that misses the constraints is moved to."""
    model.start = [(i, q + number(rng, -0.2, 0.2), v + number(rng, -0.2, 0.2)) for i, q, v in model.start]
    n = len(model.kinds)
    try: reference = corrected(program, model, Units(rng, 0, n), path)
    except Failure: return  # no configuration near it
    compare(reference, corrected(program, model, Units(rng, most, n).of_rows_alone(), path))


def compare(one, other):
    for key, value in one.items():
        if isinstance(value, int):
            if value != other[key]: raise Failure(f"{key}: {other[key]}, not {value}")
            continue
        size = max(1, max(map(abs, value)))
        far = max(abs(x - y) for x, y in zip(value, other[key]))
        if not far <= 1e-6*size: raise Failure(f"{key}: off by {far:.3g} of {size:.3g}")


def trial(program, seed, most, path, off):
    rng = random.Random(seed)
    model = rng.choice(KINDS)(rng)
    n = len(model.kinds)
    if off: return start_off(program, model, rng, most, path)
    try: close(program, model, path)
    except Failure: return  # singular on its way
    resolved = is_resolved(program, model, path)
    reference = answers(program, model, Units(rng, 0, n), path, resolved)
    if len(set(map(len, (reference[form] for form in FORMS)))) != 1: raise Failure("forms")
    for form in FORMS[1:]:
        compare({form: reference["multipliers"]}, reference)
    compare(reference, answers(program, model, Units(rng, most, n).limit(), path, resolved))
    return resolved


# ---------------------------------------------------------------- studies

def eigenvalues(list):
    return sorted((round(re, 7), round(abs(im), 7)) for re, im in list)


def alike(one, other, size):
    return len(one) == len(other) and all(abs(x - y) <= 1e-5*size for x, y in zip(one, other))


def findings(program, model, units, path):
    """States in plain units, with dimension of the family and eigenvalues."""
    with open(path, "w", encoding="utf-8") as file: file.write(model.text(units))
    found = {}
    for kind in model.studies:
        study = ask(program, "study", kind, "--starts", "300", "--json", path)
        found[kind] = [([x*10.0**-k for x, k in zip(point["q"], model.unit)], point["family"], point["eigenvalues"])
                       for point in study["points"]]
    near = ask(program, "study", "linearize", "--near", "equilibrium", "--json", path)
    found["linearize"] = [[value["re"], value["im"]] for value in near["points"][0]["eigenvalues"]]
    return found


def same_values(one, other):
    flat = lambda list: [x for pair in eigenvalues(list) for x in pair]
    size = max([1] + [abs(x) for x in flat(one)])
    return alike(flat(one), flat(other), size)


def is_listed(point, points):
    size = max(1, max(map(abs, point[0])))
    return any(alike(point[0], q, size) and point[1] == family and same_values(point[2], values)
               for q, family, values in points)


def compare_findings(model, one, other):
    for kind in model.studies:
        for there, here, what in ((one, other, "lost"), (other, one, "new")):
            for point in there[kind]:
                if point[1] == 0 and not is_listed(point, here[kind]):
                    raise Failure(f"{kind}: {what}: {point}\n  of {len(one[kind])} and {len(other[kind])}")
        families = [sorted(family for _, family, _ in list[kind]) for list in (one, other)]
        if families[0] != families[1]: raise Failure(f"{kind}: families {families[1]}, not {families[0]}")
    if not same_values(one["linearize"], other["linearize"]):
        raise Failure(f"linearize: {other['linearize']}, not {one['linearize']}")


def study_trial(program, seed, most, path, off):
    rng = random.Random(seed)
    kind = rng.choice(STUDIED)
    model = kind(rng)
    model.studies = ["equilibria"] if kind != governor else ["equilibria", "steady"]
    model.angles = kind == four_bar
    n = len(model.kinds)
    units = Units(rng, most, n)
    units.time, units.own = 0, [0]*n
    compare_findings(model, findings(program, model, Units(rng, 0, n), path), findings(program, model, units, path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--off", action="store_true")
    parser.add_argument("--also", default="", help="further seeds, with commas")
    parser.add_argument("--keep", default="trial-failures")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    failures = unresolved = 0
    seeds = [*range(options.seed, options.seed + options.count), *map(int, filter(None, options.also.split(",")))]
    studied = range(options.seed, options.seed + (0 if options.off else options.studies))
    for function, list, name in ((trial, seeds, "scales"), (study_trial, studied, "studies")):
        for seed in list:
            path = os.path.join(options.keep, f"{name}{seed}.pf")
            try:
                unresolved += function(options.program, seed, options.most, path, options.off) is False
                os.remove(path)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failures += 1
                print(f"{name}, seed {seed}: {failure}", flush=True)
    print(f"{len(seeds)} models and {len(studied)} studied ones, {failures} failures, "
          f"{unresolved} motions not compared: the steps are too long for them")
    sys.exit(1 if failures else 0)


if __name__ == "__main__": main()
