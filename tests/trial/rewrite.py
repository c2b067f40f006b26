#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random models written in two ways that mean the same: the program must answer the same.

rewrite.py PFAFF [--count 100] [--seed 1] [--keep FOLDER]

decimals: a value in the text, by -p, and by -p with a unit gives the same output, byte by byte.
branches: constraints that are redundant only on the branch of the start change neither rank nor motion.
permuted: the order of coordinates, constraints and terms changes nothing.
parallelogram, blades: beams on two to five cranks and plates on two to five steered blades move as one pendulum and one wheel do.
states: starts and parameters in the text, by --state and by -p are the same numbers."""
import argparse, json, math, os, random, subprocess, sys


class Failure(Exception):
    pass


def ask(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if done.returncode: raise Failure(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def write(path, text):
    with open(path, "w") as file: file.write(text)
    return path


def decimals(program, rng, path):
    """The length r is 35 mm, say."""
    mm, m = rng.randint(1, 9999), round(rng.uniform(0.1, 9), rng.randint(1, 15))
    text = (f"param r = %s [m], m = {m!r} [kg]\ncoord x [m], a [rad]\nkinetic m*x'^2/2 + m*r^2*a'^2/4\n"
            "potential m*9.81 [m/s^2]*x\nconstraint wheel: x' = r*a'\nstart a' = 1.3\n")
    length = repr(mm/1000)
    for command in (["derive"], ["check"], ["eval", "--json"], ["study", "invariants"]):
        write(path, text % length)
        answers = [ask(program, *command, *more, path) for more in
                   ([], ["-p", f"r={length}"], ["-p", f"r={mm} [mm]"], ["-p", f"m={m!r}"])]
        if len(set(answers)) != 1: raise Failure(f"{' '.join(command)}: r = {length} and m = {m!r} are not the same by -p")


# What is redundant beside b = k*a, where a = b/k at the start.
BRANCHES = ["sin(b) = sin(k*a)", "(b - k*a)*(b + k*a) = 0", "b^2 = k^2*a^2", "cos(b) = cos(k*a)", "tan(b/4) = tan(k*a/4)",
            "exp(b) - exp(k*a) = 0", "(b - k*a)*(c^2 + 1) = 0", "sin(b - k*a) = 0", "(b - k*a)^2 = 0", "b^3 = (k*a)^3", "b' = k*a'",
            "(b' - k*a')*exp(c) = 0", "b*b' = k^2*a*a'", "(c' - sin(a)*b')*(2 + cos(c)) = 0", "c'*cos(a)/2 = sin(2*a)*b'/4", "abs(b) = abs(k*a)"]


def branches(program, rng, path):
    k, start, rate = (round(rng.uniform(0.3, 1.2), 3) for _ in range(3))
    text = (f"param k = {k}\ncoord a, b, c\nkinetic (a'^2 + 2*b'^2 + 3*c'^2)/2 + a'*c'*cos(a)/2\npotential a^2 + b*c + c^2\n"
            f"constraint keep: b = k*a\nconstraint knife: c' = sin(a)*b'\nstart a = {start}, b = {start}*{k}, a' = {rate}, b' = {rate}*{k}\n")
    more = "".join(f"constraint more{i}: {x}\n" for i, x in enumerate(rng.sample(BRANCHES, rng.randint(1, 3))))
    answers = []
    for extra in ("", more):
        write(path, text + extra)
        ask(program, "derive", path)
        check = json.loads(ask(program, "check", "--json", path))
        run = json.loads(ask(program, "run", "--json", "--at", "1", "--rtol", "1e-10", path))
        answers.append((check["rank"], check["degrees_of_freedom"], run["rows"][-1][1:4]))
    (rank, free, motion), (other_rank, other_free, other) = answers
    if (rank, free) != (other_rank, other_free): raise Failure(f"rank {other_rank}, not {rank}")
    far = max(abs(x - y) for x, y in zip(motion, other))
    if far > 1e-7: raise Failure(f"the motion is off by {far:.3g}")


# ---------------------------------------------------------------- what means the same and must give the same

def answers(program, path, text, *options):
    """(rank, degrees of freedom, {coordinate: acceleration}, {column: value at t = 1}); 'derive' must take it too."""
    write(path, text)
    ask(program, "derive", *options[:2], path)
    check = json.loads(ask(program, "check", "--json", path))
    found = json.loads(ask(program, "eval", "--json", *options, path))
    run = json.loads(ask(program, "run", "--json", "--at", "1", "--rtol", "1e-10", *options, path))
    return (check["rank"], check["degrees_of_freedom"], dict(zip(found["coordinates"], found["acceleration"])),
            dict(zip(run["columns"], run["rows"][-1])))


def same(what, found, exact, allowed):
    """For the names that both have."""
    scale = max(1, *(abs(x) for x in exact.values()))
    for name in found.keys() & exact.keys():
        if not abs(found[name] - exact[name]) <= allowed*scale: raise Failure(f"{what}: {name} is {found[name]!r}, not {exact[name]!r}")


def ranks(found, rank, free):
    if found[:2] != (rank, free): raise Failure(f"rank {found[0]} and {found[1]} degrees of freedom, not {rank} and {free}")


def permuted(program, rng, path):
    """The order of coordinates, constraints and terms."""
    k, start, rate = (round(rng.uniform(0.3, 1.2), 3) for _ in range(3))
    names = ["a", "b", "c", "d"]
    rows = [f"keep: b = {k}*a", "knife: c' = sin(a)*b' + 0.3*d'", f"again: 2*b - {2*k!r}*a = 0", "turned: sin(b) = sin(%r*a)" % k]
    rows = rows[:2] + rng.sample(rows[2:], rng.randint(0, 2))
    terms = ["(a'^2 + 2*b'^2 + 3*c'^2 + d'^2)/2", "a'*c'*cos(a)/2", "b'*d'*sin(c)/4"]
    given = [f"a = {start}", f"b = {start}*{k}", f"a' = {rate}", f"b' = {rate}*{k}", "d = 0.2", "d' = -0.4"]
    answer = None
    for _ in range(3):
        text = (f"coord {', '.join(names)}\n" + "".join(f"constraint {row}\n" for row in rows) + f"kinetic {' + '.join(terms)}\n"
                f"potential a^2 + b*c + c^2 + cos(d)\nstart {', '.join(given)}\n")
        found = answers(program, path, text)
        ranks(found, 2, 2)
        if answer:
            same("acceleration", found[2], answer[2], 1e-11)
            same("motion", {x: found[3][x] for x in names}, {x: answer[3][x] for x in names}, 1e-7)
        answer = found
        for order in (names, rows, terms, given): rng.shuffle(order)


def rk4(slope, y, steps=4000):
    h = 1/steps
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope([a + h/2*b for a, b in zip(y, k1)])
        k3 = slope([a + h/2*b for a, b in zip(y, k2)])
        k4 = slope([a + h*b for a, b in zip(y, k3)])
        y = [a + h/6*(p + 2*q + 2*r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
    return y


def parallelogram(program, rng, path):
    """A beam on two to five equal cranks is a pendulum, however many there are: from the third crank on each has a redundant row."""
    count, l, m = rng.randint(2, 5), round(rng.uniform(0.2, 1.5), 2), round(rng.uniform(0.3, 3), 2)
    start, rate = round(rng.uniform(-2.2, -0.9), 3), round(rng.uniform(-1, 1), 3)  # it hangs: lying flat it would lose its rank
    at = sorted(rng.sample(range(20), count))
    inertia = [round(rng.uniform(0.02, 0.3), 3) for _ in at]
    cranks = list(range(count))
    rng.shuffle(cranks)
    names = [f"q{i}" for i in range(count)] + ["x", "y", "a"]
    rng.shuffle(names)
    bodies = rng.random() < 0.5
    text = f"param l = {l}\ncoord {', '.join(names)}\n"
    if bodies: text += (f"gravity (0, -9.81, 0)\nbody beam in ground at (x, y, 0) turn a about z {{ mass {m}, inertia 0.1 }}\n" +
                        "".join(f"body c{i} in ground at ({at[i]/10}, 0, 0) turn q{i} about z {{ mass 0, inertia {inertia[i]} }}\n" for i in cranks) +
                        "".join(f"constraint k{i}: pos(point(beam, ({at[i]/10}, 0, 0))) = pos(point(c{i}, (l, 0, 0)))\n" for i in cranks))
    else: text += (f"kinetic {m}*(x'^2 + y'^2)/2 + 0.1*a'^2/2" + "".join(f" + {inertia[i]}*q{i}'^2/2" for i in cranks) + f"\npotential {m}*9.81*y\n" +
                   "".join(f"constraint k{i}: x + {at[i]/10}*cos(a) = {at[i]/10} + l*cos(q{i})\nconstraint h{i}: y + {at[i]/10}*sin(a) = l*sin(q{i})\n" for i in cranks))
    text += "start a = 0, a' = 0, " + ", ".join(f"q{i} = {start}, q{i}' = {rate}" for i in cranks)
    text += f", x = {l}*cos({start}), y = {l}*sin({start}), x' = -{l}*sin({start})*({rate}), y' = {l}*cos({start})*({rate})\n"
    found = answers(program, path, text)
    ranks(found, count + 2, 1)

    def slope(y): return [y[1], -m*9.81*l*math.cos(y[0])/(sum(inertia) + m*l*l)]
    same("acceleration", found[2], {f"q{i}": slope([start, rate])[1] for i in cranks} | {"a": 0}, 1e-9)
    q, v = rk4(slope, [start, rate])
    same("motion", found[3], {f"q{i}": q for i in cranks} | {"a": 0, "x": l*math.cos(q), "y": l*math.sin(q)}, 1e-6)


def blades(program, rng, path):
    """A plate on two to five blades, all steered about one point, turns about it: rank 2, however many there are."""
    count, R = rng.randint(2, 5), round(rng.uniform(0.8, 3), 2)
    m, inertia, torque, rate = (round(rng.uniform(0.3, 2), 2) for _ in range(4))
    at = [(round(rng.choice((-1, 1))*rng.uniform(0.2, 0.6), 2), round(rng.choice((-1, 1))*rng.uniform(0.1, 0.4), 2)) for _ in range(count)]
    words = rng.random() < 0.5
    names = ["x", "y", "th"]
    rng.shuffle(names)
    text = f"param R = {R}\ncoord {', '.join(names)}\n"
    if words: text += (f"body plate in ground at (x, y, 0) turn th about z {{ mass {m}, inertia {inertia} }}\nforce th = {torque}\n" +
                       "".join(f"frame f{i} in plate at ({p}, {q}, 0) turn atan({p}/(R - ({q}))) about z\nskate s{i}: f{i}\n" for i, (p, q) in enumerate(at)))
    else: text += (f"kinetic {m}*(x'^2 + y'^2)/2 + {inertia}*th'^2/2\nforce th = {torque}\n" +
                   "".join(f"constraint s{i}: -sin(th + atan({p}/(R - ({q}))))*(x' - th'*({p}*sin(th) + ({q})*cos(th)))"
                           f" + cos(th + atan({p}/(R - ({q}))))*(y' + th'*({p}*cos(th) - ({q})*sin(th))) = 0\n" for i, (p, q) in enumerate(at)))
    text += f"start th' = {rate}, x' = {R}*{rate}, y' = 0\n"
    found = answers(program, path, text)
    ranks(found, 2, 1)
    spin = torque/(inertia + m*R*R)
    th = rate + spin/2
    same("acceleration", found[2], {"th": spin, "x": R*spin, "y": R*rate**2}, 1e-9)
    same("motion", found[3], {"th": th, "x": R*math.sin(th), "y": R*(1 - math.cos(th))}, 1e-6)


def states(program, rng, path):
    """Starts and parameters in the text, by --state and by -p: the same output, byte by byte."""
    q, v, k = (repr(round(rng.uniform(0.1, 2), rng.randint(1, 15))) for _ in range(3))
    head = "coord a, b\nkinetic (a'^2 + 2*b'^2)/2 + a'*b'*cos(a)/3\npotential k*a^2 + sin(b)\nconstraint knife: b' = k*sin(a)*a'\n"
    ways = [(f"param k = {k}\n", f"start a = {q}, a' = {v}\n", []),
            (f"param k = {k}\n", "", ["-s", f"a={q}", "-s", f"a'={v}"]),
            ("param k = 1\n", f"start a = {q}\n", ["-p", f"k={k}", "-s", f"a'={v}"]),
            (f"param k = {k}\n", "start a = 7, a' = -3\n", ["-s", f"a={q}", "-s", f"a'={v}"])]
    for command in (["eval", "--json"], ["run", "--json", "--at", "0.5,1"], ["run", "--json", "--by", "rk4", "--step", "0.01", "--at", "1"]):
        found = []
        for first, last, more in ways:
            write(path, first + head + last)
            answer = json.loads(ask(program, *command, *more, path))
            found.append([answer.get(key) for key in ("q", "v", "acceleration", "multipliers", "rows")])
        if any(f != found[0] for f in found): raise Failure(f"{' '.join(command)}: a start in the text and by --state are not the same")


PARTS = (decimals, branches, permuted, parallelogram, blades, states)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="trial-failures")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    failures = 0
    for seed in range(options.seed, options.seed + options.count):
        for part in PARTS:
            path = os.path.join(options.keep, f"{part.__name__}{seed}.pf")
            try:
                part(options.program, random.Random(seed), path)
                os.remove(path)
            except (Failure, subprocess.TimeoutExpired) as failure:
                failures += 1
                print(f"seed {seed}, {part.__name__}: {failure}", flush=True)
    print(f"{options.count} seeds, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__": main()
