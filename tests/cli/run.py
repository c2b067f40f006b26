# SPDX-License-Identifier: Apache-2.0
"""What 'pfaff run' promises, on the command line: run.py PFAFF SOURCE"""
import csv, glob, json, os, shutil, signal, struct, subprocess, sys, tempfile, time
from math import cos, sin

pfaff, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
folder = tempfile.TemporaryDirectory()
passed = failed = 0


def example(name):
    return glob.glob(os.path.join(source, "examples", "*", name + ".pf"))[0]


def model(text):
    path = os.path.join(folder.name, "model.pf")
    with open(path, "w") as stream:
        stream.write(text)
    return path


def run(*arguments):
    return subprocess.run([pfaff, "run", *arguments], capture_output=True, text=True)


def expect(what, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    print(("ok   " if condition else "FAIL ") + what + ("" if condition else f": {detail}"))


def columns_carry_units_and_numbers_read_back():
    path = os.path.join(folder.name, "x.csv")
    result = run("--by", "dopri5", "--every", "0.5", "--out", path, example("piano_wheel"))
    rows = list(csv.reader(open(path)))
    expect("a CSV has one row per sample", result.returncode == 0 and len(rows) == 22, len(rows))
    expect("its head names columns with units", rows[0][:3] == ["t [s]", "x [m]", "y [m]"], rows[0][:3])
    expect("all rows have all columns", {len(row) for row in rows} == {len(rows[0])})
    path = os.path.join(folder.name, "x.json")
    run("--by", "dopri5", "--every", "0.5", "--out", path, example("piano_wheel"))
    data = json.load(open(path))
    expect("JSON holds the same numbers", data["rows"][3][1] == float(rows[4][1]))


def poses_come_in_a_file_of_their_own():
    """The board lies in the plane at (x, y), turned by theta; what a pendulum hangs on stays."""
    out, poses = os.path.join(folder.name, "x.csv"), os.path.join(folder.name, "b.csv")
    result = run("--every", "0.5", "--out", out, "--poses", poses, "--json", "--no-rows", example("snakeboard_bodies"))
    expect("--no-rows leaves the rows out", result.returncode == 0 and json.loads(result.stdout)["rows"] is None, result.stderr)
    states, places = list(csv.DictReader(open(out))), list(csv.DictReader(open(poses)))
    expect("there is a pose for each sample", len(states) == len(places) == 21, len(places))
    names = next(csv.reader(open(poses)))
    expect("no column is there twice", len(set(names)) == len(names) and "board.trace.x [m]" in names, names)
    for state, place in zip(states, places):
        x, y, theta = (float(state[name]) for name in ("x [m]", "y [m]", "theta [rad]"))
        wanted = [float(state["t [s]"]), x, y, 0, cos(theta), -sin(theta), 0, sin(theta), cos(theta), 0, 0, 0, 1]
        found = [float(place["t [s]"])] + [float(number) for name, number in place.items() if name.startswith("board.")][:12]
        expect("the pose of the board follows its state", max(abs(a - b) for a, b in zip(found, wanted)) < 1e-12, found)
    for path, words in (("b.txt", "must end in .csv, .json or .mat"), ("-", "taken by the summary"), (out, "both would write")):
        result = run("--out", out, "--poses", path, example("snakeboard_bodies"))
        expect(f"--poses {path} is refused", result.returncode == 2 and words in result.stderr, result.stderr)
    path = model("coord x\nkinetic x'^2/2\nrun 1\n")
    result = run("--poses", path, path)
    expect("poses do not overwrite their model", result.returncode == 2 and "overwrite" in result.stderr, result.stderr)
    result = run("--poses", poses, model("coord c\nkinetic c'^2/2\nrun 1\n"))
    expect("a model without anything to draw says so", result.returncode == 0 and "could be drawn" in result.stderr, result.stderr)
    result = run("--no-rows", path)
    expect("--no-rows belongs to --json", result.returncode == 2, result.stderr)


def nonsense_is_refused_at_once():
    path = model("coord x\nkinetic x'^2/2\nrun 1\n")
    before = open(path).read()
    result = run("--out", os.path.join(folder.name, ".", "model.pf"), path)
    expect("a trajectory does not overwrite its model", result.returncode == 2 and open(path).read() == before and
           "--out would overwrite what is read" in result.stderr, result.stderr)
    result = run("--by", "rk4", "--step", "1e-300", path)
    expect("a step that does not move the time is refused", result.returncode == 2 and "no longer moves the time" in
           result.stderr, result.stderr)
    result = run("--every", "1e-300", path)
    expect("so are samples without number", result.returncode == 2 and "too close" in result.stderr, result.stderr)
    for name, hint in (("dopi", "did you mean 'dopri5'?"), ("foo", "there are: dopri5, dop853, rk4")):
        result = run("--by", name, path)
        expect(f"'{name}' is no method", result.returncode == 2 and hint in result.stderr, result.stderr)


def tolerances_are_obeyed_or_refused():
    result = run("--rtol", "1e-9", "--for", "0.1", example("snakeboard"))
    expect("a tolerance for steps of one size is refused", result.returncode == 2 and "--rtol has no effect" in result.stderr
           and "--adaptive" in result.stderr, result.stderr)
    result = run("--rtol", "1e-9", "--for", "0.1", "--adaptive", example("snakeboard"))
    expect("and not for steps that are chosen", result.returncode == 0, result.stderr)


def read_mat(path):
    """MAT-file of level 4: name -> list of columns."""
    data, at, found = open(path, "rb").read(), 0, {}
    while at < len(data):
        kind, rows, columns, _, length = struct.unpack_from("=5i", data, at)
        name = data[at + 20:at + 19 + length].decode()
        at += 20 + length
        size, letter = (1, "B") if kind % 100 == 51 else (8, "d")
        numbers = struct.unpack_from(f"={rows*columns}{letter}", data, at)
        found[name] = [numbers[rows*k:rows*(k + 1)] for k in range(columns)]
        at += size*rows*columns
    return found


def a_mat_file_holds_the_same():
    path, other = os.path.join(folder.name, "x.mat"), os.path.join(folder.name, "x.json")
    for out in (path, other): run("--by", "dopri5", "--every", "0.5", "--out", out, example("piano_wheel"))
    mat, data = read_mat(path), json.load(open(other))
    names = ["".join(chr(int(c)) for c in line).rstrip() for line in zip(*mat["columns"])]
    expect("a MAT-file has the names", names == data["columns"], names)
    expect("and the numbers", [list(row) for row in mat["data"]] == data["rows"])
    if shutil.which("octave-cli"):
        words = f"load('{path}'); n = cellstr(columns); printf('%d %d %.17g', rows(data), columns_of(data), data(strcmp(n, 'x'), 4));"
        words = words.replace("columns_of(data)", "size(data, 2)")
        result = subprocess.run(["octave-cli", "--norc", "--eval", words], capture_output=True, text=True)
        expect("which Octave reads", result.stdout == f"{len(names)} 21 {data['rows'][3][1]:.17g}", result.stdout + result.stderr)


def the_summary_has_the_documented_keys():
    data = json.loads(run("--by", "dopri5", "--every", "1", "--json", example("piano_wheel")).stdout)
    keys = {"model", "method", "formulation", "t_end", "steps", "rejected", "evaluations", "wall_seconds", "violation",
            "energy", "columns", "rows"}
    expect("--json has its keys", keys <= set(data), keys - set(data))
    expect("sampling does not change the steps",
           data["steps"] == json.loads(run("--by", "dopri5", "--every", "0.01", "--json", example("piano_wheel")).stdout)["steps"])


def the_formulation_that_ran_is_told():
    for name, form in (("snakeboard", "elimination"), ("spacecraft", "recursive"), ("dual_arm", "multipliers")):
        expect(f"auto takes {form} for {name}", json.loads(run("--for", "0.1", "--json", example(name)).stdout)["formulation"] == form)
        expect("the summary names it", f" by dopri5, {form}, t = 0 " in run("--for", "0.1", "--by", "dopri5", example(name)).stdout)
    for form in ("auto", "elimination", "multipliers", "maggi"):
        told = json.loads(run("--for", "0.1", "--form", form, "--json", example("snakeboard")).stdout)["formulation"]
        expect(f"--form {form} is obeyed", told == ("elimination" if form == "auto" else form), told)
    sticks = model("model rub\ncoord x\nkinetic x'^2/2\nforce x = -0.3*sign(x')\nstart x' = 0.2\nrun 2\n")
    told = json.loads(run("--form", "elimination", "--json", sticks).stdout)
    expect("phases that stick tell it too", told["sticks"] == 1 and told["formulation"].startswith("elimination"), told["formulation"])


def the_constraints_are_held_to_rounding():
    for method in ("dopri5", "dop853"):
        data = json.loads(run("--by", method, "--rtol", "1e-6", "--every", "5", "--json", example("snakeboard")).stdout)
        expect(f"{method} holds the constraints", data["violation"]["velocity"] < 1e-12, data["violation"])
    data = json.loads(run("--by", "dopri5", "--rtol", "1e-6", "--no-projection", "--every", "5", "--json", example("snakeboard")).stdout)
    expect("without projection they drift", data["violation"]["velocity"] > 1e-9, data["violation"])


def energy_is_kept_for_a_thousand_seconds():
    path = model("model sleigh\nparam m = 2, I = 0.3, a = 0.2\ncoord x, y, th\n"
                 "kinetic m/2*(x'^2 + y'^2) + m*a*th'*(y'*cos(th) - x'*sin(th)) + (I + m*a^2)/2*th'^2\n"
                 "constraint blade: cos(th)*y' - sin(th)*x' = 0\nstart x' = 1, th' = 0.7\n")
    data = json.loads(run("--by", "dop853", "--rtol", "1e-12", "--for", "1000", "--every", "1000", "--json", path).stdout)
    expect("energy drifts by less than 1e-10 in 1,000 s", data["energy"]["drift"] < 1e-10, data["energy"])
    expect("and the blade does not slip", data["violation"]["velocity"] < 1e-13, data["violation"])


def a_quaternion_stays_normalized():
    """A rigid body that turns freely; its mass matrix for the four numbers has rank 3. The total angular momentum in space and
    the energy are conserved, the numbers wind about the unit sphere."""
    path = model("model quaternion\nparam J1 = 1, J2 = 2, J3 = 3\ncoord a, b, c, d\n"
                 "let w1 = 2*(a*b' - b*a' + d*c' - c*d'), w2 = 2*(a*c' - c*a' + b*d' - d*b'), w3 = 2*(a*d' - d*a' + c*b' - b*c')\n"
                 "kinetic J1/2*w1^2 + J2/2*w2^2 + J3/2*w3^2\nconstraint unit: a^2 + b^2 + c^2 + d^2 = 1\n"
                 "start a = 1, b' = 0.1, c' = 1, d' = 0.15\n")
    data = json.loads(run("--by", "dop853", "--rtol", "1e-12", "--for", "1000", "--every", "0.97", "--json", path).stdout)
    norms = [abs(sum(x*x for x in row[1:5]) - 1) for row in data["rows"]]
    expect("a quaternion stays normalized for 1,000 s", len(norms) > 1000 and max(norms) < 1e-13, max(norms))
    expect("at every step", data["violation"]["position"] < 1e-13, data["violation"])
    expect("with its energy", data["energy"]["drift"] < 1e-10*data["energy"]["start"], data["energy"])
    for method, step in (("generalized_alpha", "1e-2"), ("rk4", "1e-2")):
        data = json.loads(run("--by", method, "--step", step, "--for", "100", "--every", "1", "--json", path).stdout)
        norms = [abs(sum(x*x for x in row[1:5]) - 1) for row in data["rows"]]
        expect(f"and by {method}", len(norms) == 101 and max(norms) < 1e-13, max(norms))


def ideal_systems_keep_their_energy():
    """Nonholonomic ones without driving forces, all for 1,000 s."""
    snakeboard = ("-p", "F=0", example("snakeboard"))
    for name, arguments in (("snakeboard", snakeboard), ("omni carriage", ("-p", "c1=0", "-p", "c2=0", example("carriage_omni3")))):
        data = json.loads(run("--by", "dop853", "--rtol", "1e-12", "--for", "1000", "--every", "500", "--json", *arguments).stdout)
        expect(f"the {name} keeps its energy to 1e-10", data["energy"]["drift"] < 1e-10*max(1, data["energy"]["start"]), data["energy"])
        expect("and its constraints to rounding", data["violation"]["velocity"] < 1e-13, data["violation"])


def a_start_is_corrected_or_refused():
    path = model("model p\nparam m = 1, g = 9.81, l = 1\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                 "constraint rod: x^2 + y^2 = l^2\nstart x = 0.6, y = -0.9, x' = 1\nrun 1\n")
    data = json.loads(run("--json", "--every", "0.5", path).stdout)
    row = dict(zip(data["columns"], data["rows"][0]))
    expect("an inconsistent start is put on the constraints", abs(row["x"]**2 + row["y"]**2 - 1) < 1e-13 and
           abs(row["x"]*row["x'"] + row["y"]*row["y'"]) < 1e-13, row)
    expect("and the change is told", 0.01 < data["start_change"]["position"] < 0.2, data["start_change"])
    path = model("model p\nparam m = 1\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                 "constraint rod: x^2 + y^2 = 1\nstart x = 0.6 !, y = -0.9\nrun 1\n")
    data = json.loads(run("--json", "--every", "0.5", path).stdout)
    expect("what is marked is kept", abs(data["rows"][0][1] - 0.6) < 1e-15 and abs(data["rows"][0][2] + 0.8) < 1e-13, data["rows"][0])
    path = model("model p\nparam m = 1\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                 "constraint rod: x^2 + y^2 = 1\nstart x = 2 !, y = 0 !\nrun 1\n")
    result = run(path)
    expect("an impossible one is refused by name", result.returncode == 1 and "'rod'" in result.stderr, result.stderr)


def a_stop_condition_is_met_exactly():
    path = model("model fall\nparam m = 1, g = 9.81\ncoord z\nkinetic m/2*z'^2\npotential m*g*z\nstart z = 2\nrun 10 until z < 0\n")
    data = json.loads(run("--json", path).stdout)
    expect("'until' stops at the root", abs(data["t_end"] - (2*2/9.81)**0.5) < 1e-10, data["t_end"])


def troubles_keep_what_was_computed():
    out = os.path.join(folder.name, "t.csv")
    path = model("model w\nparam m = 1\ncoord x\nkinetic m/2*x'^2\nforce x = sqrt(1 - t)\nrun 3\n")
    result = run("--out", out, "--every", "0.1", path)
    rows = list(csv.reader(open(out)))
    expect("a force that is not a number ends the run with a message", result.returncode == 1 and "'x'" in result.stderr, result.stderr)
    expect("and keeps the trajectory so far", len(rows) > 8, len(rows))
    path = model("model b\nparam m = 1\ncoord x\nkinetic m/2*x'^2\nforce x = 2*x^3\nstart x = 1, x' = 1\nrun 3\n")
    result = run("--out", out, path)
    expect("a motion that leaves in finite time is reported", result.returncode == 1 and "t = 0.99" in result.stderr + result.stdout,
           result.stderr)
    result = run("-p", "F=20", "--by", "dopri5", "--for", "2", example("snakeboard"))
    expect("a rank loss is reported with time and constraint", result.returncode == 1 and "1.2536" in result.stderr and
           ("'front'" in result.stderr or "'rear'" in result.stderr), result.stderr)


def long_runs_do_not_grow():
    """Rows go to the file: memory is the same for ten thousand as for three hundred thousand (40 MB), but for 4 MB in which rows
    wait; a sanitizer keeps the smaller buffers before it, too."""
    most = []
    for duration in ("0.1", "3"):
        for name in ("long.csv", "long.json", "long.mat"):
            out = os.path.join(folder.name, name)
            process = subprocess.Popen([pfaff, "run", "--by", "rk4", "--step", "1e-5", "--for", duration, "--out", out,
                                        model("model o\ncoord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1\n")], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            expect(f"{name} of {duration} s is written", process.returncode == 0)
            most.append(usage.ru_maxrss)
    expect("a long run takes no more memory than a short one", max(most[3:]) < 1.1*max(most[:3]) + 16384, most)


def a_singular_start_is_told():
    result = run("--by", "dopri5", "--state", "phi_b=1.5707963267948966", "--state", "phi_f=1.5707963267948966", "--state", "theta'=1",
                 example("snakeboard"))
    expect("a singular start is reported with its constraint", result.returncode == 1 and "'front'" in result.stderr and
           "begin nearby" in result.stderr, result.stderr)


def inputs_hold():
    path = model("model cart\ncoord x [m]\nparam m = 2 [kg]\ninput u [mN], w = sin(t/(1 [s]))\nkinetic m*x'^2/2\nforce x = u + 0*w\nrun 1\n")
    rows = json.loads(run("--json", "--input", "u=4000", "--every=0.5", "--show=x,u", path).stdout)["rows"]
    expect("an input holds in its unit", all(abs(x - t**2) < 1e-9 and u == 4000 for t, x, u in rows), rows)
    for wrong, words in (("w=1", "no input 'w'"), ("v=1", "it has u"), ("u", "name=value"), ("u=3 [kg]", "must be in N")):
        result = run("--input", wrong, path)
        expect(f"--input {wrong} is refused", result.returncode != 0 and words in result.stderr, result.stderr)


CROSSING = ("model crossing\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*y\nconstraint lines: x^2 - y^2 = 0\n"
            "start x = -0.8, y = -0.8, x' = 2, y' = 2\nrun 1.8\n")


def one_judgement_for_all_commands():
    path = model(CROSSING)
    for command in ("run", "eval", "compare", "plot"):
        arguments = [pfaff, command, "--state", "x=0", "--state", "y=0", path]
        if command == "plot":
            arguments += ["--show", "x"]
        result = subprocess.run(arguments, capture_output=True, text=True)
        expect(f"{command} refuses a singular state with its constraint", result.returncode == 1 and "'lines'" in result.stderr,
               (result.returncode, result.stderr))
    result = subprocess.run([pfaff, "check", "--json", "--state", "x=0", "--state", "y=0", path], capture_output=True, text=True)
    expect("check tells it", json.loads(result.stdout)["start"]["singular"] == "lines" and "the start is singular" in result.stdout)
    for size, rank in ((1e-300, 2), (1e-14, 2), (1e-10, 2), (1e-8, 2), (1e-7, 2), (5e-7, 2), (1e-5, 2)):
        path = model(f"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y = 1\nconstraint a: x' = 0\nconstraint b: x' + {size}*y' = 0\nrun 1\n")
        said = [subprocess.run([pfaff, command, "--json", path], capture_output=True, text=True) for command in ("check", "eval", "run")]
        found = [json.loads(answer.stdout) if answer.returncode == 0 else {} for answer in said]
        free = [found[0].get("degrees_of_freedom"), round(found[1].get("acceleration", [9, 9])[1], 6) + 0.0,
                2*round(found[2]["rows"][-1][2], 6) if found[2] else None]
        expect(f"rows that differ by {size} are the same to check, eval and run", free == [2 - rank]*3,
               (free, [answer.stderr for answer in said]))


def rows_that_say_nothing_are_left_out():
    path = model("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 1\nconstraint c: 0 = 0\nconstraint d: x*cos(y)^2 + x*sin(y)^2 = x\n"
                 "constraint e: x = y\nrun 1\n")
    result = run("--json", path)
    expect("a row that says nothing is left out with a note", result.returncode == 0 and
           abs(json.loads(result.stdout)["rows"][-1][1] - 0.25) < 1e-12 and all(f"the constraint '{name}' always holds: it is left out" in result.stderr for name in "cd"), result.stderr)


def constraints_on_accelerations_hold_beside_others():
    path = model("model acc\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c1: x' + y' = 0\n"
                 "constraint c2: x'' + 0.5*z'' + x = 0\nnonideal z = 0.1*tanh(z')*lambda[c2]\nstart x = 1, z' = 0.3\nrun 1\n")
    for form in ("multipliers", "udwadia_kalaba", "udwadia_phohomsiri", "rosenberg_extended", "maggi", "cascade"):
        result = run("--form", form, "--json", "--at", "0,0.5,1", path)
        rows = [dict(zip(json.loads(result.stdout)["columns"], row)) for row in json.loads(result.stdout)["rows"]]
        worst = max([abs(row["x''"] + 0.5*row["z''"] + row["x"]) for row in rows] + [1]*(3 - len(rows)))
        expect(f"a constraint on accelerations beside one on velocities holds by {form}", worst < 1e-12, (worst, result.stderr))


def files_that_cannot_be_written():
    result = run("--out", "/no/such/folder/x.csv", example("piano_wheel"))
    expect("an unwritable file is refused at once", result.returncode == 1 and "/no/such/folder" in result.stderr)
    if os.path.exists("/dev/full"):
        result = run("--out", "/dev/full", example("piano_wheel"))
        expect("a full disk is reported", result.returncode == 1 and "/dev/full" in result.stderr, result.stderr)
        full = os.path.join(folder.name, "full.mat")
        os.symlink("/dev/full", full)
        result = run("--out", full, example("piano_wheel"))
        expect("by a MAT-file as well", result.returncode == 1 and full in result.stderr, result.stderr)


def an_interrupt_leaves_a_valid_file():
    for name in ("i.json", "i.mat"): interrupt(os.path.join(folder.name, name))


def interrupt(out):
    process = subprocess.Popen([pfaff, "run", "--by", "rk4", "--step", "1e-5", "--for", "1e6", "--out", out, "--every", "0.01",
                                example("piano_wheel")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    try:
        output, _ = process.communicate(timeout=10)
        rows = json.load(open(out))["rows"] if out.endswith("json") else read_mat(out)["data"]
        expect("Ctrl-C ends with a valid file", len(rows) > 2 and "stopped" in output, output)
    except (subprocess.TimeoutExpired, ValueError) as problem:
        process.kill()
        expect("Ctrl-C ends with a valid file", False, problem)


def wrong_usage():
    for arguments in (["--by", "euler"], ["--rtol", "-1"], ["--at", "1,0"], ["--form", "newton"], ["--by", "rk4"]):
        result = run(*arguments, example("piano_wheel"))
        expect(f"{' '.join(arguments)} is wrong usage", result.returncode == 2 and result.stderr, result.stderr)


for test in list(globals().values()):
    if callable(test) and getattr(test, "__module__", None) == "__main__" and test.__code__.co_argcount == 0:
        test()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
