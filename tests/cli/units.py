# SPDX-License-Identifier: Apache-2.0
"""Numbers under a unit are in that unit, wherever they are read or shown.

units.py PFAFF
One model is written twice, in degrees, millimetres, grams, rpm and in SI: every number that a command gives must be the same
after a conversion that is made here. Two small models have closed forms."""
import csv, json, math, os, re, struct, subprocess, sys, tempfile

pfaff = sys.argv[1]
place = tempfile.mkdtemp()
failed = passed = 0

# ---------------------------------------------------------------- units, independently of the program

SCALE = {"J": 1, "": 1, "mm": 1e-3, "cm": 1e-2, "m": 1, "s": 1, "ms": 1e-3, "deg": math.pi/180, "rad": 1, "g": 1e-3, "kg": 1, "N": 1,
         "rpm": math.pi/30, "1": 1}


def scale(unit):
    """'N mm/s^2' and the like."""
    above, *below = unit.split("/")
    result = 1
    for sign, part in [(1, above)] + [(-1, p) for p in below]:
        for factor in part.split():
            name, _, power = factor.partition("^")
            result *= SCALE[name]**(sign*int(power or 1))
    return result


def near(a, b, tol=1e-7):
    return a == b or (a is not None and b is not None and abs(a - b) <= tol*max(1, abs(a), abs(b)))


# ---------------------------------------------------------------- calling

def expect(what, good, why=""):
    global failed, passed
    failed, passed = failed + (not good), passed + bool(good)
    if not good: print("FAILED:", what, why)


def write(name, text):
    path = os.path.join(place, name)
    with open(path, "w") as stream: stream.write(text)
    return path


def call(*arguments):
    result = subprocess.run([pfaff, *arguments], capture_output=True, text=True)
    expect(" ".join(arguments), result.returncode == 0, result.stderr)
    return result.stdout


def read_csv(path):
    """{name: (unit, numbers)}"""
    with open(path) as stream: rows = list(csv.reader(stream))
    table = {}
    for i, head in enumerate(rows[0]):
        match = re.fullmatch(r"(.*?)(?: \[([^\[\]]*)\])?", head)
        name, unit = match[1], match[2] or ""
        if head.startswith("lambda["): name, unit = head, ""
        table[name] = (unit, [float(row[i]) for row in rows[1:]])
    return table


def read_mat(path):
    """Level 4: {name: matrix by columns}, texts as lists of lines."""
    data, at, found = open(path, "rb").read(), 0, {}
    while at < len(data):
        kind, rows, columns, _, length = struct.unpack_from("<5i", data, at)
        name = data[at + 20:at + 20 + length - 1].decode()
        at += 20 + length
        numbers = struct.unpack_from(f"<{rows*columns}d", data, at)
        at += 8*rows*columns
        if kind % 10 == 1:
            found[name] = ["".join(chr(int(numbers[j*rows + i])) for j in range(columns)).rstrip() for i in range(rows)]
        else:
            found[name] = [[numbers[j*rows + i] for j in range(columns)] for i in range(rows)]
    return found


# ---------------------------------------------------------------- closed forms

def close_to(what, table, name, unit, index, exact, tol):
    if name not in table: return expect(f"{what}: {name}", False, str(list(table)))
    expect(f"{what}: {name} [{unit}]", table[name][0] == unit and abs(table[name][1][index] - exact) <= tol,
           f"{table[name][0]} {table[name][1][index]!r} {exact!r}")


SPRING = """model spring_mm
param m = 200 [g], k = 3 [N/mm]
coord y [mm]
kinetic m/2*y'^2
potential k/2*y^2
start y = 5
run 10 [ms]
"""
ROTOR = """model rotor
param J = 40000 [g mm^2], M = 0.4 [N mm]
coord a [deg]
kinetic J/2*a'^2
force a = -M
start a = 15, a' = 300 [rpm]
run 2
"""


def closed_forms():
    spring, rotor, out = write("spring.pf", SPRING), write("rotor.pf", ROTOR), os.path.join(place, "out.csv")
    for more, loose, tight in (([], 1e-5, 1e-12), (["--rtol", "1e-10"], 1e-7, 1e-12)):
        call("run", spring, "--at", "0,0.004", "--out", out, *more)
        table, w = read_csv(out), math.sqrt(15000)
        close_to("spring", table, "y", "mm", 0, 5, tight)
        close_to("spring", table, "y", "mm", 1, 5*math.cos(0.004*w), loose)
        close_to("spring", table, "y'", "mm/s", 1, -5*w*math.sin(0.004*w), 100*loose)
        close_to("spring", table, "y''", "mm/s^2", 1, -5*w*w*math.cos(0.004*w), 10000*loose)
        for mass in ("m=50 [g]", "m=0.05 [kg]", "m=50", "m=100/2", "m=sqrt(2500) [g]"):
            for state in ("y=2", "y=0.2 [cm]", "y=4/2", "y = (1/500) [m]"):
                call("run", spring, "--at", "4 [ms]", "-p", mass, "--state", state, "--out", out, *more)
                close_to(mass + " " + state, read_csv(out), "y", "mm", 0, 2*math.cos(0.004*math.sqrt(60000)), loose)
        call("run", rotor, "--at", "0,1.5", "--out", out, *more)
        table, degree = read_csv(out), 180/math.pi
        close_to("rotor", table, "a", "deg", 0, 15, 1e-10)
        close_to("rotor", table, "a'", "deg/s", 0, 1800, 1e-9)
        close_to("rotor", table, "a", "deg", 1, 15 + 1800*1.5 - 5*degree*1.5**2, loose)
        close_to("rotor", table, "a'", "deg/s", 1, 1800 - 15*degree, loose)
        close_to("rotor", table, "a''", "deg/s^2", 1, -10*degree, loose)
    rows = [line for line in call("eval", rotor, "--state", "a'=1 [rev/s]").splitlines() if line.startswith("  a [deg]")]
    expect("eval shows a in degrees", len(rows) == 1 and near([float(x) for x in rows[0].split()[2:5]][1], 360, 1e-12) and
           near(float(rows[0].split()[4]), -10*degree, 1e-12), str(rows))


# ---------------------------------------------------------------- one model, twice

FOURBAR = """model fourbar
param l1 = {100 mm}, l2 = {250 mm}, l3 = {200 mm}, d = {300 mm}, m = {150 g}, g = 9.81 [m/s^2], k = {3 N mm}, w = {60 rpm}
param J = {2000 g mm^2}, S = {40 N mm}
coord a, b, c [{deg}], s [{mm}]
input u [{N mm}] = {2/N mm}*sin(3*t)
let lift [{mm}] = l1*sin(a)
kinetic J/2*(a'^2 + b'^2 + c'^2) + m/2*s'^2
potential m*g*(l1*sin(a) + l3/2*sin(c)) + k/2*(b - c)^2 + S/(2*l1^2)*(s - l1*sin(a))^2
force a = u - {5 g mm^2/s}*a'
constraint across: l1*cos(a) + l2*cos(b) = d + l3*cos(c)
constraint up: l1*sin(a) + l2*sin(b) = l3*sin(c)
start a = {70/deg}, a' = {120/deg/s}, b = {30/deg}, c = {100/deg}, s = {20/mm}
run 0.5
plot lift, l1*sin(a), u, s
plot s against lift
"""


def in_units(text):
    text = re.sub(r"\{([\d.]+) ([^{}/]*(?:/[a-z^\d]+)?)\}", r"\1 [\2]", text)
    text = re.sub(r"\{([\d.]+)/[^{}]*\}", r"\1", text)
    return re.sub(r"\{([^{}]*)\}", r"\1", text)


def in_si(text):
    def base(unit): return unit.replace("mm", "m").replace("cm", "m").replace("deg", "rad").replace("rpm", "rad/s").replace("g", "kg")
    def quantity(match): return f"{float(match[1])*scale(match[2])!r} [{base(match[2])}]"
    text = re.sub(r"\{([\d.]+) ([^{}/]*(?:/[a-z^\d]+)?)\}", quantity, text)
    text = re.sub(r"\{([\d.]+)/([^{}]*)\}", lambda m: repr(float(m[1])*scale(m[2])), text)
    return re.sub(r"\{([^{}]*)\}", lambda m: base(m[1]), text)


def same_columns(what, ours, theirs):
    expect(what + ": columns", list(ours) == list(theirs), f"{list(ours)} {list(theirs)}")
    for name in ours:
        (unit, x), (si, y) = ours[name], theirs[name]
        expect(f"{what}: unit of {name}", near(scale(si), 1, 0), si)
        worst = max(abs(a*scale(unit) - b)/max(1, abs(b)) for a, b in zip(x, y, strict=True))
        expect(f"{what}: {name} [{unit}]", worst < 1e-7, f"{worst:.2g}")


def by_name(names, units, rows):
    return {n: (u, [row[i] for row in rows]) for i, (n, u) in enumerate(zip(names, units, strict=True))}


def from_json(text):
    d = json.loads(text)
    return by_name(d["columns"], d["units"], d["rows"])


def from_mat(path):
    m = read_mat(path)
    return {n: (u, m["data"][i]) for i, (n, u) in enumerate(zip(m["columns"], m["units"], strict=True))}


def from_terminal(text):
    """Of each panel the units by name, and the upper and lower end of its axis, to four digits."""
    panels = re.findall(r"^ ( .*\])\n +(\S+) \|(?:.*\n)+? +(\S+) \|.*\n +\+-", text, re.M)
    return [(dict(re.findall(r"(\S+) \[(.*?)\]", head)), float(top), float(bottom)) for head, top, bottom in panels]


CHANGES = [([], []),
           (["-p", "l2=260", "-p", "w=90", "--state", "a=80", "--state", "a'=60"],
            ["-p", "l2=0.26", "-p", "w=3*pi", "--state", "a=4*pi/9", "--state", "a'=pi/3"]),
           (["-p", "m=0.2 [kg]", "-p", "k=2", "--state", "s=3 [cm]", "--state", "a=1 [rad]"],
            ["-p", "m=200 [g]", "-p", "k=2 [N mm]", "--state", "s=0.03", "--state", "a=(180/pi) [deg]"])]


def motions(ours, theirs):
    for mine, other in CHANGES:
        options, files = ["--rtol", "1e-10", "--every", "50 [ms]"], []
        for end in ("csv", "json", "mat"):
            pair = [os.path.join(place, f"{k}.{end}") for k in "ab"]
            call("run", ours, *options, *mine, "--out", pair[0])
            call("run", theirs, *options, *other, "--out", pair[1])
            files.append(pair)
        same_columns("CSV", *[read_csv(p) for p in files[0]])
        same_columns("JSON", *[from_json(open(p).read()) for p in files[1]])
        same_columns("MAT", *[from_mat(p) for p in files[2]])
        same_columns("run --json", *[from_json(call("run", f, *options, *more, "--json"))
                                     for f, more in ((ours, mine), (theirs, other))])


SHOWN = "s,lift,a',b'',u,reaction(c),l1*sin(a)"


def shown(ours, theirs):
    """What plots show, before it is drawn: the same quantities as columns, and in a unit that is asked for."""
    tables = []
    for model, unit in ((ours, " [cm]"), (theirs, "")):
        path = os.path.join(place, "shown.csv")
        call("run", "--show", SHOWN + unit, "--rtol", "1e-10", "--every", "50 [ms]", "--out", path, model)
        tables.append(read_csv(path))
    expect("units of columns", [unit for unit, _ in tables[0].values()] == ["s", "mm", "mm", "deg/s", "deg/s^2", "N mm", "N m", "cm"],
           str({name: unit for name, (unit, _) in tables[0].items()}))
    same_columns("run --show", *tables)


def plots(ours, theirs):
    mine, other = [from_terminal(call("plot", "--show", "s,lift;a';u", "--rtol", "1e-10", f)) for f in (ours, theirs)]
    expect("labels of plots", [units for units, *_ in mine] == [{"s": "mm", "lift": "mm"}, {"a'": "deg/s"}, {"u": "N mm"}], str(mine))
    for (units, *ends), (_, *in_si) in zip(mine, other, strict=True):
        factor, size = scale(list(units.values())[0]), max(map(abs, in_si))
        expect(f"plot: {list(units)}", all(abs(x*factor - y) <= 2e-3*size for x, y in zip(ends, in_si)), f"{ends} {in_si}")


def states(ours, theirs):
    for mine, other in CHANGES:
        d, e = [json.loads(call("eval", "--json", *more, f)) for f, more in ((ours, mine), (theirs, other))]
        expect("units of eval", d["units"] == ["deg", "deg", "deg", "mm"], str(d["units"]))
        for key in ("q", "v", "acceleration"):
            for x, unit, y in zip(d[key], d["units"], e[key], strict=True):
                expect(f"eval: {key}", near(x*scale(unit), y, 1e-9), f"{x} {y}")
        for key in ("multipliers", "energy", "violation"):
            for name in d[key]: expect(f"eval: {key} {name}", near(d[key][name], e[key][name], 1e-9), f"{d[key]} {e[key]}")
        for x, y in zip(d["constraint_force"], e["constraint_force"], strict=True):
            expect("eval: constraint force is SI", near(x, y, 1e-9), f"{x} {y}")
        d, e = [json.loads(call("check", "--json", *more, f)) for f, more in ((ours, mine), (theirs, other))]
        expect("check: violation of the start", near(d["start"]["violation"], e["start"]["violation"], 1e-9), f"{d} {e}")
        for command in (["compare"], ["derive", "--form", "rosenberg"], ["converge", "--by", "dopri5"],
                        ["study", "integrability"]):
            call(*command, "--json", *mine, ours)


PENDULUM = """model pendulum
param m = {200 g}, l = {250 mm}, g = 9.81 [m/s^2], w = {60 rpm}
coord a [{deg}], x [{cm}]
input u [{N mm}] = 0
kinetic m*l^2/2*a'^2 + m/2*x'^2
potential -m*g*l*cos(a) - m*l^2*w^2/2*sin(a)^2 + {0.02 N/mm}/2*x^2
force a = u - {700 g mm^2/s}*a', x = u/l - {400 g/s}*x'
start a = {20/deg}, a' = {5/deg/s}, x = {2/cm}
run 2
plot l*sin(a), a', x
"""


def numbers(what, x, units, y, tol=1e-6):
    for a, unit, b in zip(x, units, y, strict=True): expect(what, near(a*scale(unit), b, tol), f"{x} {units} {y}")


def linear(ours, theirs):
    for more, other in (([], []), (["--sweep", "w=30..50:3"], ["--sweep", "w=pi..5*pi/3:3"]), (["--at", "0,200 [ms]"], ["--at", "0,0.2"])):
        d, e = [json.loads(call("study", "linearize", "--json", *o, f)) for f, o in ((ours, more), (theirs, other))]
        x, u, y = d["state_units"], d["input_units"], d["output_units"]
        expect("units of a linear model", x == ["deg", "cm", "deg/s", "cm/s"] and u == ["N mm"] and y == ["m", "deg/s", "cm"], f"{x} {u} {y}")
        for p, q in zip(d["points"], e["points"], strict=True):
            expect("at", near(p["at"]*scale(d["along_unit"]), q["at"]), f"{p['at']} {q['at']}")
            numbers("x", p["x"], x, q["x"])
            numbers("rate", p["rate"], x, q["rate"])
            for name, rows, columns in (("A", x, x), ("B", x, u), ("C", y, x), ("D", y, u)):
                for i, row in enumerate(p[name]):
                    for j, value in enumerate(row):
                        expect(f"linearize: {name}", near(value*scale(rows[i])/scale(columns[j]), q[name][i][j]), f"{p[name]} {q[name]}")
            for one, two in zip(p["eigenvalues"], q["eigenvalues"], strict=True):
                expect("eigenvalues have no unit but 1/s", near(one["re"], two["re"]) and near(one["im"], two["im"]))
                first = max(range(4), key=lambda i: abs(two["mode_re"][i]))
                for i in range(4):
                    got, want = [v["mode_re"][i]/v["mode_re"][first] for v in (one, two)]
                    expect("modes", near(got*scale(x[i])/scale(x[first]), want), f"{one} {two}")


def equilibria(ours, theirs):
    d, e = [json.loads(call("study", "equilibria", "--json", "--within", w, f))
            for f, w in ((ours, "a=-60..60,x=-5..5"), (theirs, "a=-60 [deg]..60 [deg],x=-5 [cm]..5 [cm]"))]
    expect("units of a state", d["units"] == ["deg", "cm", "deg/s", "cm/s"], str(d["units"]))
    key = lambda p: (round(p["q"][0], 4), p["q"][1])
    expect("as many equilibria", len(d["points"]) == len(e["points"]) >= 2, f"{len(d['points'])} {len(e['points'])}")
    for p, q in zip(sorted(d["points"], key=key), sorted(e["points"], key=key)):
        numbers("equilibria: x", p["x"], d["units"], q["x"])
        numbers("equilibria: q", p["q"], d["coordinate_units"], q["q"])
    text = call("study", "equilibria", "--within", "a=-60..60,x=-5..5", ours)
    expect("the box of the search in degrees", "a [deg] from -60 to 60, x [cm] from -5 to 5" in text, text)


def branches(ours, theirs):
    d, e = [json.loads(call("study", "continue", w, "--equilibria", "--stay", "--json", f))
            for f, w in ((ours, "w=20..55"), (theirs, "w=20 [rpm]..(55*pi/30) [rad/s]"))]
    expect("unit of the parameter", d["parameter_unit"] == "rpm" and e["parameter_unit"] == "rad/s", d["parameter_unit"])
    ends = [sorted(round(p["parameter"]*scale(x["parameter_unit"]), 6) for b in x["branches"] for p in b["points"]) for x in (d, e)]
    expect("range of the parameter", near(ends[0][0], ends[1][0]) and near(ends[0][-1], ends[1][-1]) and
           near(ends[0][-1], 55*math.pi/30, 1e-6), f"{ends[0][0]} {ends[0][-1]} {ends[1][0]} {ends[1][-1]}")


def planes(ours, theirs):
    d, e = [json.loads(call("study", "portrait", "--show", "a,a'", "--within", w, "--starts", "3", "--for", "0.2", "--json", f))
            for f, w in ((ours, "a=-50..50,a'=0..1 [rad/s]"), (theirs, "a=-50 [deg]..50 [deg],a'=0..1"))]
    expect("units of the plane", d["units"] == ["deg", "deg/s"], str(d["units"]))
    for p, q in zip(d["curves"], e["curves"], strict=True):
        numbers("portrait: start", p["start"], d["units"], q["start"])
        for k, unit in zip("ab", d["units"]): numbers("portrait: curve", p[k][::20], [unit]*len(p[k][::20]), q[k][::20], 1e-5)
    # Bare numbers of --within are in the units that are shown, whatever the model declares; spaces around names do not count.
    want = json.loads(call("study", "portrait", "--show", "a,x", "--within", "a=-0.8..0.8,x=0.01..0.03", "--starts", "3", "--for", "0.2",
                           "--json", theirs))
    for f in (ours, theirs):
        for show, within in (("a [rad],x [mm]", "a=-0.8..0.8,x=10..30"), ("a [rad], x [mm]", "x [mm] = 10..30, a = -0.8..0.8"),
                             ("a [deg],x [m]", "a [deg]=-0.8..0.8 [rad],x=1..3 [cm]"), ("a,x", "a=-0.8..0.8 [rad],x=1 [cm]..30 [mm]")):
            d = json.loads(call("study", "portrait", "--show", show, "--within", within, "--starts", "3", "--for", "0.2", "--json", f))
            for p, q in zip(d["curves"], want["curves"], strict=True):
                numbers("portrait in other units: start", p["start"], d["units"], q["start"])
    d, e = [json.loads(call("study", "poincare", "--section", w, "--show", "x,l*sin(a)", "--for", "6 [s]", "--skip", "10 [ms]", "--json", f))
            for f, w in ((ours, "a=5"), (theirs, "a=5 [deg]"))]
    expect("units of a section", d["units"] == ["cm", "m"] and len(d["t"]) >= 1, str(d))
    for k, unit in (("t", "s"), ("a", "cm"), ("b", "m")): numbers("poincare", d[k], [unit]*len(d[k]), e[k], 1e-5)
    expect("on the section l sin(a) is 250 mm sin(5 deg)", near(d["b"][0], 0.25*math.sin(math.pi/36), 1e-9), str(d["b"]))
    for kind, words in (("csv", "x [cm]"), ("svg", "x [cm]")):
        path = os.path.join(place, "p." + kind)
        call("study", "poincare", "--section", "a=5", "--show", "x,a", "--for", "6", "--out", path, ours)
        text = re.sub("<[^>]*>", "", open(path).read())  # labels are typeset: x in italics, the unit upright
        expect(f"heads and axes of a {kind}", words in text, text[-600:])


# ---------------------------------------------------------------- joints, speeds

BODY = """body b in ground free {{ mass 2 [kg], inertia diag(0.1, 0.2, 0.3) }}
start {0}
run 1
"""
CART = """param R = 50 [mm]
coord x, y [mm], th [deg]
speed v [mm/s], om [rpm]
rate x' = v*cos(th), y' = v*sin(th), th' = om
kinetic x'^2/2*1 [kg] + y'^2/2*1 [kg] + th'^2/2*1 [g m^2]
constraint blade: cos(th)*y' - sin(th)*x' = 0
start v = 100, om = 6
run 1
"""


def first_row(path, *options):
    out = os.path.join(place, "row.csv")
    call("run", path, "--at", "0", "--out", out, *options)
    return {name: x[0] for name, (_, x) in read_csv(out).items()}


def joints():
    plain = write("plain.pf", BODY.format("b.wx = 0"))
    for words, options in (("b.vx = 3, b.wz = 2, b.wx = -1", ["b.vx=3", "b.wz=2", "b.wx=-1"]),
                           ("b.turn = (0, 0.3, 30 [deg])", ["b.turn=(0, 0.3, 30 [deg])"]),
                           ("b.q = (0.8, 0, 0.6, 0), b.w = (0.1, 0.2, 5 [rpm])", ["b.q=(0.8, 0, 0.6, 0)", "b.w=(0.1,0.2,5 [rpm])"]),
                           ("b.p = (1, 2, 0.003), b.v = (4, 0.05, 6)", ["b.p=(1, 2, 3 [mm])", "b.v=(4, 5 [cm/s], 6)"])):
        said, given = first_row(write("said.pf", BODY.format(words))), first_row(plain, *[x for o in options for x in ("--state", o)])
        expect(f"--state is start: {words}", all(near(said[k], given[k], 1e-14) for k in said), f"{said} {given}")
    cart = write("cart.pf", CART)
    row = first_row(cart)
    expect("speeds in their units", near(row["x'"], 100, 1e-12) and near(row["th'"], 36, 1e-12), str(row))
    row = first_row(cart, "--state", "v=20 [cm/s]", "--state", "om=12", "--state", "th=90")
    expect("--state of speeds", near(row["y'"], 200, 1e-12) and near(row["th'"], 72, 1e-12) and near(row["x'"], 0, 1e-9), str(row))


def inputs():
    """A function of numbers and time is in the declared unit, as a number is."""
    for text in ("2*sin(3*t) + 1", "if(t < 5, 1, t)", "1 [N mm]", "1", "max(1, t)", "2 [N mm/s]*t + 1 [N mm]"):
        path = write("input.pf", f"param J = 1 [g m^2]\ncoord a [rad]\ninput u [N mm] = {text}\nkinetic J/2*a'^2\nforce a = u\nrun 1\nplot u\n")
        expect(f"input u [N mm] = {text}", near(json.loads(call("eval", "--json", path))["acceleration"][0], 1, 1e-12))
        expect("its column", near(first_row(path)["u"], 1, 1e-12))


closed_forms()
ours, theirs = write("fourbar.pf", in_units(FOURBAR)), write("fourbar_si.pf", in_si(FOURBAR))
motions(ours, theirs)
shown(ours, theirs)
plots(ours, theirs)
states(ours, theirs)
ours, theirs = write("pendulum.pf", in_units(PENDULUM)), write("pendulum_si.pf", in_si(PENDULUM))
linear(ours, theirs)
equilibria(ours, theirs)
branches(ours, theirs)
planes(ours, theirs)
joints()
inputs()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
