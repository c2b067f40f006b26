# SPDX-License-Identifier: Apache-2.0
"""What can be a column of a run, against closed forms."""
import csv, json, math, os, subprocess, sys, tempfile

program, place, failures, passed = sys.argv[1], tempfile.mkdtemp(), [], 0


def check(what, holds, seen=""):
    global passed
    passed += bool(holds)
    if not holds:
        failures.append(what)
        print("FAIL", what, seen)


def near(a, b, tolerance=1e-7):
    return abs(a - b) <= tolerance*max(1, abs(b))


def call(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def write(name, text):
    path = os.path.join(place, name + ".pf")
    with open(path, "w") as file:
        file.write(text)
    return path


def columns(*arguments):
    """Column -> (unit, numbers) of a run, from the file that it writes."""
    out = os.path.join(place, "x.csv")
    done = call("run", "--out", out, *arguments)
    if done.returncode:
        check("run " + " ".join(arguments), False, done.stderr)
        return {}
    with open(out) as file:
        rows = list(csv.reader(file))
    result = {}
    for k, head in enumerate(rows[0]):
        cut = head.rindex(" [") if head.endswith("]") and " [" in head else len(head)
        result.setdefault(head[:cut], (head[cut + 2:-1], [float(row[k]) for row in rows[1:]]))
    return result


# A blade on a plane inclined by alpha: with w = theta' the speed is nu1 = k/(m w) sin(w t), k = m g sin(alpha), and the force
# across the blade -2 k sin(theta) (Neimark and Fufaev, section 2.3).
KNIFE = """model knife
param m = 2 [kg], J = 0.5 [kg m^2], g = 9.81 [m/s^2], alpha = 30 [deg]
let k = m*g*sin(alpha)
let pace [km/h] = sqrt(x'^2 + y'^2)
let twice = 2*nu1
coord x, y [mm], theta [deg]
speed nu1 [m/s], nu2 [rad/s]
rate x' = nu1*cos(theta), y' = nu1*sin(theta), theta' = nu2
kinetic m/2*(x'^2 + y'^2) + J/2*theta'^2
potential -k*x
constraint blade: x'*sin(theta) - y'*cos(theta) = 0
start nu2 = 1
"""
PLOTS = "plot nu1, nu2, k, pace, twice, 2*x'', reaction(x), reaction(theta), violation, energy, theta [rad], (2*theta) [rad]\n"
knife = write("knife", KNIFE + "run 2 by dop853 { rtol = 1e-11 }\n" + PLOTS)


def check_knife(c, where):
    k = 9.81
    for i, t in enumerate(c["t"][1]):
        speed, across = k/2*math.sin(t), -2*k*math.sin(t)
        expected = {"nu1": speed, "nu2": 1, "k": k, "pace": 3.6*abs(speed), "twice": 2*speed, "2*x''": k*math.cos(2*t),
                    "reaction(x)": across*math.sin(t), "reaction(theta)": 0, "violation[blade]": 0, "energy": 0.25,
                    "2*theta": 2*t}
        for name, value in expected.items():
            check(f"{where}: {name} at t = {t}", name in c and near(c[name][1][i], value), c.get(name))


c = columns(knife, "--every", "0.25")
check_knife(c, "plotted")
units = {"nu1": "m/s", "nu2": "rad/s", "k": "N", "pace": "km/h", "2*x''": "m/s^2", "reaction(x)": "N", "reaction(theta)": "N m",
         "theta": "deg", "2*theta": "rad", "x": "mm", "violation[blade]": "", "energy": "J"}
for name, unit in units.items():
    check(f"the unit of {name} is '{unit}'", c[name][0] == unit, c[name][0])
quantities = PLOTS[5:-1]
c = columns(knife, "--every", "0.5", "--show", quantities)
check_knife(c, "shown")
check("only what is shown, t first", list(c)[:2] == ["t", "nu1"] and "x" not in c and "lambda[blade]" not in c, list(c))
check("theta in another unit", near(c["theta"][1][-1], 2) and c["theta"][0] == "rad", c["theta"])
for form in "multipliers udwadia_kalaba maggi reduced".split():
    done = call("run", knife, "--every", "0.5", "--form", form, "--show", quantities, "--json")
    if done.returncode:
        check("a formulation that does not apply says so", "formulation" in done.stderr or "form" in done.stderr, done.stderr)
        continue
    d = json.loads(done.stdout)
    check_knife({n: (u, [row[k] for row in d["rows"]]) for k, (n, u) in reversed(list(enumerate(zip(d["columns"], d["units"]))))}, form)
for method in "dopri5 rk4 generalized_alpha rattle".split():
    c = columns(knife, "--every", "1", "--by", method, "--step", "0.0005", "--show", "nu1, reaction(x)")
    check("by " + method, near(c["nu1"][1][-1], 9.81/2*math.sin(2), 1e-5) and
          near(c["reaction(x)"][1][-1], -2*9.81*math.sin(2)**2, 1e-4), c)

# Speeds in conditions: nu1 = 2 when sin(t) = 4/9.81.
stop = math.asin(4/9.81)
c = columns(write("until", KNIFE + "run 2 until nu1 > 2 [m/s]\n"), "--rtol", "1e-11")
check("a run until a speed", near(c["t"][1][-1], stop), c["t"][1][-1])
c = columns(write("when", KNIFE + "run 1\nwhen nu1 > 2 [m/s] { lock theta }\n"), "--rtol", "1e-11", "--show", "theta'")
check("an event at a speed", [t for t, w in zip(c["t"][1], c["theta'"][1]) if w == 0][0] - stop < 1e-7, c)

# A pendulum of a rod without mass: the rod pulls with T = m (v^2/l - g y/l).
rod = write("rod", """param m = 0.7 [kg], l = 2 [m], g = 9.81 [m/s^2]
coord x, y [m]
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: (x^2 + y^2 - l^2)/2 = 0
start x = 2, y = 0
run 2 { rtol = 1e-11 }
""")
c = columns(rod, "--every", "0.2", "--show", "x, y, reaction(x), reaction(y), m*(x'^2 + y'^2)/l - m*g*y/l, violation[rod]")
c["T"] = c["m*(x'^2 + y'^2)/l - m*g*y/l"]
for i in range(len(c["t"][1])):
    T, x, y = c["T"][1][i], c["x"][1][i], c["y"][1][i]
    check("the rod pulls along itself", near(c["reaction(x)"][1][i], -T*x/2) and near(c["reaction(y)"][1][i], -T*y/2), i)
    check("T by the energy", near(T, -3*0.7*9.81*y/2, 1e-6), T)  # v^2 = -2 g y
    check("violation at position level", near(c["violation[rod]"][1][i], (x*x + y*y - 4)/2, 1e-12), i)

# Contacts: a ball touches below its centre, a disc that leans at its lowest point, in the plane.
ball = write("ball", """param R = 0.1 [m]
body b in ground free { mass 1 [kg], inertia 0.004 [kg m^2] }
roll w: ball b { radius R } on ground
start b.p = (1, 2, 0.1), b.v = (0.3, 0.1, 0)
run 1 { rtol = 1e-10 }
plot pos(w), b.w, pos(w, b).z [mm]
""")
c = columns(ball, "--every", "0.5")
check("a ball touches below its centre", near(c["pos(w).x"][1][-1], 1.3) and near(c["pos(w).y"][1][-1], 2.1) and
      abs(c["pos(w).z"][1][-1]) < 1e-12 and near(c["pos(w, b).z"][1][-1], -100) and c["pos(w, b).z"][0] == "mm", c)
check("the vector of a joint", near(math.hypot(c["b.w.x"][1][-1], c["b.w.y"][1][-1], c["b.w.z"][1][-1]), math.hypot(.3, .1)/.1), c)
disc = write("disc", """param R = 0.5 [m], m = 2 [kg]
coord x, y, z [m], psi, phi, chi [rad]
body d in ground at (x, y, z) turn psi about z turn phi about x turn chi about y { mass m, inertia diag(0.125, 0.25, 0.125) }
gravity (0, 0, -9.81)
roll w: disc d { radius R, axis d.y } on ground
start phi = 0.3, psi' = 1, chi' = 8
run 1 { rtol = 1e-10 }
""")
c = columns(disc, "--every", "0.1", "--show", "pos(w), norm(pos(w, d)), x, y, psi, phi, violation[w], violation[w.roll]")
for i in range(len(c["t"][1])):
    x, y, psi, phi = (c[n][1][i] for n in ("x", "y", "psi", "phi"))
    low = 0.5*math.sin(phi)  # the lowest point of the rim, beside the centre
    check("a leaning disc touches the ground", abs(c["pos(w).z"][1][i]) < 1e-9 and near(c["norm(pos(w, d))"][1][i], 0.5), i)
    check("and where", near(c["pos(w).x"][1][i], x - low*math.sin(psi)) and near(c["pos(w).y"][1][i], y + low*math.cos(psi)), i)
check("all rows of a contact", [n for n in c if n.startswith("violation")] ==
      ["violation[w.height]", "violation[w.roll]", "violation[w.side]"], list(c))

# Events: what is locked is held by a force, and so is what sticks; rows that do not hold are not violated.
lock = write("lock", """param m = 2 [kg], k = 50 [N/m]
coord x [m]
kinetic m/2*x'^2
potential k/2*x^2
start x = 0.1
when t = 0.1 [s] { lock x }
run 0.2 { rtol = 1e-11 }
plot reaction(x)
""")
c = columns(lock, "--at", "0.05,0.15")
check("a lock holds the spring", c["reaction(x)"][1][0] == 0 and near(c["reaction(x)"][1][-1], 50*0.1*math.cos(0.5)), c)
stick = write("stick", """param m = 2 [kg], F = 3 [N], mu = 0.3, g = 10 [m/s^2]
coord x, y [m]
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint plane: y = 0
FRICTION
start x' = 1
run 3
""")
for friction, sliding, at_rest in ("force x = -F*sign(x') + 1 [N]", 0, 0), ("nonideal x = -mu*lambda[plane]*sign(x')\nforce x = 1 [N]", -6, -1):
    with open(stick) as file:
        model = write("stuck", file.read().replace("FRICTION", friction))
    c = columns(model, "--at", "0.2,2.9", "--show", "reaction(x), reaction(y), x'")
    check("friction is a reaction where it is one of a constraint", near(c["reaction(x)"][1][0], sliding) and
          near(c["reaction(x)"][1][1], at_rest) and abs(c["x'"][1][1]) < 1e-12, c)
    check("and the plane carries", near(c["reaction(y)"][1][0], 20) and near(c["reaction(y)"][1][1], 20), c)
weld = write("weld", """coord s [m]
body a in ground shift s along x { mass 1 [kg], inertia 1 [kg m^2] }
body b in ground free { mass 1 [kg], inertia 1 [kg m^2] }
start s' = 1, b.p = (2, 0, 0)
when t = 1 [s] { attach a to b at (0, 0, 0) ball }
run 2 { rtol = 1e-10 }
plot violation, pos(b, a)
""")
c = columns(weld, "--at", "0.5,1.5")
rows = [n for n in c if n.startswith("violation[")]
check("rows that events attach", len(rows) == 3 and all(c[n][1][0] == 0 and abs(c[n][1][1]) < 1e-8 for n in rows), c)
check("are attached where they were", near(c["pos(b, a).x"][1][1], 1, 1e-8), c["pos(b, a).x"])
check("and plotted", call("plot", weld).returncode == 0)

# Names in parts and loops stand in full, and different quantities do not share a column.
parts = write("parts", """part leg(k) {
  coord q [rad]
  kinetic k*q'^2*1 [kg m^2]
  start q = k*1 [rad]
  plot q, 2*q
}
use leg(1) as left
use leg(2) as right
coord z[2] [m]
for i in 1..2 { plot z[i]^2 }
kinetic (z[1]'^2 + z[2]'^2)*1 [kg]
start z[1] = 3, z[2] = 4
run 0.1
""")
c = columns(parts, "--at", "0")
check("names in full", "left.q" in c and c["right.q"][1] == [2] and list(c).count("q") == 0, list(c))
check("one column for each", sorted(v[0] for n, (u, v) in c.items() if "^2" in n) == [9, 16], c)
check("and for expressions in parts", sorted(v[0] for n, (u, v) in c.items() if "2*" in n) == [2, 4], c)

text = "coord x\nkinetic x'^2\nplot kinetic + potential, x [mm] against t [ms]\n"
check("fmt knows energies in plot", call("fmt", write("energies", text)).stdout == text)

# Formats agree.
for ending in "json", "mat":
    done = call("run", knife, "--every", "1", "--show", "nu1, pos(ground)", "--out", os.path.join(place, "x." + ending))
    check("--show in ." + ending, done.returncode == 0, done.stderr)
d = json.load(open(os.path.join(place, "x.json")))
check("columns in JSON", d["columns"] == ["t", "nu1", "pos(ground).x", "pos(ground).y", "pos(ground).z"] and
      near(d["rows"][1][1], 9.81/2*math.sin(1)), d["columns"])

# Pictures take the same quantities, in the terminal and as SVG, of one model or several methods.
done = call("plot", knife, "--show", "nu1, nu2; (2*theta) [rad], theta [deg]; violation; pos(ground)", "--against", "x [m]")
for words in "* nu1 [m/s]  + nu2 [rad/s]", "* 2*theta [rad]  + theta [deg]", "* violation[blade]", "+ pos(ground).y", " x [m]\n":
    check(f"plot --show: {words}", done.returncode == 0 and words in done.stdout, done.stdout + done.stderr)
check("what the model plots", "* nu1 [m/s]" in call("plot", knife).stdout)
done = call("plot", knife, "--show", "reaction(x); theta [rad]", "--by", "dopri5,rk4", "--step", "0.1", "--minus", "dop853")
check("differences of quantities", "* reaction(x) [N] dopri5" in done.stdout and "* theta [rad] dopri5" in done.stdout, done.stderr)
done = call("plot", write("list", "coord q[3]\nkinetic q[1]'^2 + q[2]'^2 + q[3]'^2\nrun 1\n"), "--show", "q")
check("all of a list", "* q[1]  + q[2]  o q[3]" in done.stdout, done.stdout + done.stderr)
done = call("plot", knife, "--show", "x, thata")
check("what plot does not know", done.returncode == 2 and "did you mean 'theta'?" in done.stderr, done.stderr)

# Studies take them as well: a pendulum that begins at 60 degrees passes its lowest point with l theta' = sqrt(g l).
pendulum = write("pendulum", """param m = 1 [kg], l = 2 [m], g = 9.81 [m/s^2]
coord theta [rad]
kinetic m*l^2/2*theta'^2
potential -m*g*l*cos(theta)
start theta = 60 [deg]
run 5
""")
done = call("study", "poincare", "--section", "sin(theta)=0", "--show", "theta [deg],l*theta'", "--json", pendulum)
passed_with = json.loads(done.stdout)["b"] if done.returncode == 0 else []
check("a section of an expression", len(passed_with) > 0 and near(abs(passed_with[0]), math.sqrt(9.81*2), 1e-6), done.stdout + done.stderr)
done = call("study", "portrait", "--show", "theta [deg],kinetic", "--keep", "m*g*l", "--starts", "1", pendulum)
check("a plane of expressions", done.returncode == 0 and "              60              0" in done.stdout, done.stdout + done.stderr)
for text in "theta,thata", "theta,pos(ground)":
    done = call("study", "portrait", "--show", text, pendulum)
    check("a study says what is wrong with " + text, done.returncode == 2 and "--show" in done.stderr, done.stderr)

# --at without a file is a table in the summary.
lines = call("run", knife, "--at", "0.5,1", "--show", "nu1, theta [rad]").stdout.splitlines()
check("a table at the times", lines[-3].split("  ")[-1] == "theta [rad]" and near(float(lines[-1].split()[1]), 9.81/2*math.sin(1), 1e-9), lines)
check("of what is plotted", "nu1 [m/s]" in call("run", knife, "--at", "1").stdout)
check("or of the coordinates", call("run", rod, "--at", "0").stdout.split()[-7:] == ["x", "[m]", "y", "[m]", "0", "2", "0"],
      call("run", rod, "--at", "0").stdout)
check("not with --out", "nu1" not in call("run", knife, "--at", "1", "--out", os.path.join(place, "x.csv")).stdout)

# Derivatives as people spell them.
for text, meant in {"x_dot": "x'", "xdot": "x'", "dx": "x'", "x_d": "x'", "theta_dot": "theta'", "theta_ddot": "theta''", "dtheta": "theta'",
                    "ddx": "x''"}.items():
    done = call("run", knife, "--show", text)
    check(f"{text} gets the hint {meant}", f"with an apostrophe: {meant}\n" in done.stderr, done.stderr)
    done = call("check", write("spelt", KNIFE + f"force x = {text}*1 [kg/s]\n"))
    check(f"{text} in a model", f"with an apostrophe: {meant}\n" in done.stderr, done.stderr)
    if meant.count("'") == 1:
        done = call("run", knife, "--state", text + "=1")
        check(f"{text} in --state", f"--state \"{meant}=" in done.stderr, done.stderr)
done = call("check", write("spelt", "coord w[2]\nkinetic w_dot[2]^2\n"))
check("with an index", "with an apostrophe: w[2]'" in done.stderr, done.stderr)

# What is wrong is said, with the place in the list.
for text, words in {
        "x, thata": "'thata' is not defined (did you mean 'theta'?)", "x,": "expected", "x y": "expected ',', ';' or the end",
        "lambda[blad]": "there is no constraint 'blad'", "violation[blad]": "did you mean violation[blade]?",
        "reaction(x + y)": "the name of one coordinate", "reaction(1)": "the name of one coordinate", "x [s]": "must be in s",
        "x + theta": "cannot add", "ground": "must be a number", "pos(blad)": "'blad' is not defined",
        "energy'": "a derivative that this version does not have"}.items():
    done = call("run", knife, "--show", text)
    check(f"--show '{text}'", done.returncode == 2 and words in done.stderr and "--show:1" in done.stderr, done.stderr)
done = call("check", write("outside", KNIFE + "force x = reaction(y)\nconstraint c: energy = 3\n"))
check("not in equations", done.returncode == 1 and "a reaction can only be shown" in done.stderr and
      "'energy' is not defined" in done.stderr, done.stderr)

print(f"{passed} passed, {len(failures)} failed")
sys.exit(bool(failures))
