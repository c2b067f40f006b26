# SPDX-License-Identifier: Apache-2.0
"""Sweeps as people use them: units, tables, interruptions, parts, pictures, and what they are told: sweep_people.py PFAFF SOURCE"""
import csv, io, json, math, os, pathlib, re, shlex, signal, subprocess, sys, tempfile, time

pfaff, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
example = lambda name: str(next(pathlib.Path(source, "examples").rglob(name + ".pf")))
wheel, board = example("piano_wheel"), example("snakeboard_steered")
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
passed = failed = 0


def call(command, *arguments, **more):
    return subprocess.run([pfaff, command, *map(str, arguments)], capture_output=True, text=True, **more)


def run(*arguments, **more):
    return call("sweep", *arguments, **more)


def expect(what, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition: print(f"FAIL {what}: {detail}")


def says(what, result, *words, code=0, stream="stderr"):
    text = getattr(result, stream)
    expect(what, result.returncode == code and all(w in text for w in words), (result.returncode, result.stdout[-600:], result.stderr))


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def values(*arguments, column="D [m]"):
    result = run(*arguments, "--take", "t_end", "--for", "0.01", "--out", "-", wheel)
    return [round(float(row[column]), 12) for row in table(result.stdout)] or result.stderr


def units_hold_for_all():
    for words in ("D=1..5 [cm]:3", "D=1..5:3 [cm]", "D [cm]=1..5:3", "D=1,3,5 [cm]"):
        expect(words, values("-p", words) == [0.01, 0.03, 0.05], values("-p", words))
    says("a unit of the first end alone", run("-p", "D=1 [cm]..5:3", "--take", "x", wheel), "'1 [cm]' has a unit, and '5' has none", code=2)
    result = run("--random", "theta [deg] ~ uniform(89.9999, 90.0001)", "-n", 3, "--take", "t_end", "--for", "0.01", "--out", "-", wheel)
    expect("the unit of a law", all(abs(float(r["theta [rad]"]) - math.pi/2) < 1e-5 for r in table(result.stdout)), result.stdout)
    result = call("study", "linearize", "--sweep", "D=1..5:3 [cm]", "--json", wheel)
    expect("ranges of studies read the same", "0.03" in result.stdout, result.stdout[:300] + result.stderr)


def standard_output_has_a_table():
    result = run("-p", "F=1,2", "--take", "x", "--for", "1", "--out", "-", wheel)
    rows = table(result.stdout)
    expect("a table on standard output", [r["member"] for r in rows] == ["0", "1"] and list(rows[0]) == ["member", "F [N]", "x [m]", "status", "reason"], result.stdout)
    expect("and the summary beside it", "2 of 2 members" in result.stderr and not os.path.exists("-"))


def negative_masses_fail():
    words = "the kinetic energy is negative for some motion of 'x'"
    says("run refuses", call("run", "-p", "m=-0.5", wheel), words, code=1)
    result = run("-p", "m=-0.5,2", "--take", "x", "--for", "1", "--out", "-", wheel)
    rows = table(result.stdout)
    expect("a member fails with the reason of check", rows[0]["status"] == "3" and rows[0]["reason"].startswith(words) and rows[1]["status"] == "1" and not rows[1]["reason"], rows)
    # the longest reason ends behind a word
    pathlib.Path("long.pf").write_text("param m = 1\n" + "coord " + ", ".join(f"a_rather_long_name_of_a_coordinate_{k}" for k in range(4)) + "\nkinetic " +
                                       " + ".join(f"a_rather_long_name_of_a_coordinate_{k}'^2" for k in range(4)) +
                                       " + m*" + "*".join(f"a_rather_long_name_of_a_coordinate_{k}'" for k in range(2)) + "\nrun 1\n")
    rows = table(run("-p", "m=1,9", "--take", "t_end", "--out", "-", "long.pf").stdout)
    reason = rows[1]["reason"]
    expect("what is too long is cut behind a word", reason.endswith(" …") and len(reason.encode()) <= 160 and not reason.endswith("  …"), rows)


def what_is_given_twice_is_refused():
    for words in (["-p", "F=2,3"], ["--random", "F ~ normal(1, 0.1)", "-n", 5]):
        says("one value and several", run("-p", "F=1", *words, "--take", "x", wheel), "'F' varies already", code=2)
    pathlib.Path("F.csv").write_text("F\n1\n")
    says("also by a table", run("-p", "F=1", "--table", "F.csv", "--take", "x", wheel), "'F' varies already", code=2)


def names_belong_to_options():
    says("a start is no parameter", run("-p", "theta=1,2", "--take", "x", wheel), "-s \"theta=1,2\"", code=2)
    says("a parameter is no start", run("-s", "D=1,2", "--take", "x", wheel), "-p \"D=1,2\"", code=2)
    says("run says the same", call("run", "-p", "theta=1", wheel), "--state theta=…", code=2)
    says("of both", call("run", "-s", "D=1", wheel), "-p \"D=1\"", code=2)
    says("an input is no parameter", run("-p", "rotor=1,2", "--take", "x", board), "--input \"rotor=1,2\"", code=2)
    rows = table(run("--input", "rotor=1,2", "--take", "x", "--for", "1", "--out", "-", board).stdout)
    for row in rows:
        result = json.loads(call("run", "--input", f"rotor={row['rotor [N m]']}", "--for", "1", "--json", board).stdout)
        end = dict(zip(result["columns"], result["rows"][-1]))
        expect("inputs vary", math.isclose(end["x"], float(row["x [m]"]), rel_tol=1e-9), (end["x"], row))
    expect("two of them", len(rows) == 2)


def grids_and_counts_are_told():
    says("a grid that is not filled", run("-p", "F=1,2,3", "--random", "m ~ uniform(1, 2)", "-n", 4, "--take", "x", "--for", "0.1", wheel),
         "1 of the 3 points of the grid have one member more")
    says("too many members are told at once", run("-p", "D=1..2:1000000000", "-p", "m=1..2:1000000000", "--take", "x", "--dry-run", wheel, timeout=20),
         "1e+18 members are more than", code=1)
    says("and too many for memory", run("-p", "D=1..2:1000000000", "--take", "x", wheel, timeout=20), "GB of memory", "--out study.zarr", code=1)
    data = json.loads(run("-p", "F=1..2:50000", "--take", "x", "--for", "1", "--dry-run", "--json", "--threads", 2, wheel).stdout)
    expect("an estimate tries members as they run", data["tried"] > 100 and data["threads"] == 2 and 0 < data["seconds_each"] < 0.1, data)


def tables_are_read():
    pathlib.Path("one.csv").write_text("F,m\n1,2\n")
    expect("one row is a table", len(table(run("--table", "one.csv", "--take", "x", "--for", "1", "--out", "-", wheel).stdout)) == 1)
    for text, words in (("F,m\n1,two\n", "bad.csv:2: 'two' under 'm' is not a number"), ("# words\nF,G\n1,2\n", "bad.csv:2: the model has no parameter, start or input 'G'"),
                        ("F [kg]\n1\n", "bad.csv:1: the column 'F' is in [kg], and 'F' is in [N]"), ("F,m\n", "bad.csv: there are no rows")):
        pathlib.Path("bad.csv").write_text(text)
        says(words, run("--table", "bad.csv", "--take", "x", wheel), words, code=2)
    pathlib.Path("bad.csv").write_text("F,note\n1,two\n")
    expect("columns are chosen", len(table(run("--table", "bad.csv: F", "--take", "x", "--for", "1", "--out", "-", wheel).stdout)) == 1)
    says("and must be there", run("--table", "bad.csv: F, q", "--take", "x", wheel), "bad.csv:1: there is no column 'q'", code=2)
    run("-p", "F=1,2", "--take", "chi'", "--for", "1", "--out", "own.csv", wheel)
    result = run("--table", "own.csv", "--take", "x", "--for", "1", "--out", "-", wheel)
    says("our own tables are read again", result, "'member', 'status', 'reason' belong to the result")
    expect("with their starts", list(table(result.stdout)[0]) == ["member", "F [N]", "chi' [rad/s]", "x [m]", "status", "reason"], result.stdout)


def interrupt(*arguments, after=1.0):
    process = subprocess.Popen([pfaff, "sweep", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    return process.returncode, out, err


def what_is_done_can_be_seen():
    """After Ctrl-C, before a chunk is complete: in the summary, in tables, in pictures, and by others."""
    plan = ["-p", "F=1..2:16000", "--take", "x", "--for", "100"]
    code, out, err = interrupt(*plan, "--out", "stop.csv", wheel)
    done = int(re.search(r"(\d+) of 16000 members", out)[1])
    expect("a stop tells how to go on", code == 1 and "pfaff sweep --resume stop.csv" in out and "no numbers" not in out, out + err)
    expect("with some members done", 0 < done < 16000, done)
    folder = "stop.csv.part.zarr"
    result = run("--convert", folder, "--out", "some.csv")
    says("a table of them", result, f"{16000 - done} of 16000 members are missing")
    rows = table(pathlib.Path("some.csv").read_text())
    expect("has their rows", sum(r["status"] == "1" for r in rows) == done and sum(r["status"] == "0" for r in rows) == 16000 - done, done)
    says("a picture of them", call("plot", folder, "--show", "F: x", "--out", "some.svg"), f"{16000 - done} of 16000 members are missing")
    try:
        import xarray
        data = xarray.open_zarr(folder)
        expect("others see them", int((data["status"] == 1).sum()) == done and int(data["x"].notnull().sum()) == done)
    except ImportError:
        print("xarray is not installed: it is left out")
    return folder


def interrupted_tables_are_made():
    plan = ["-p", "F=1..2:3000", "--take", "x", "--for", "20"]
    run(*plan, "--out", "whole.csv", wheel)
    for name in ("again.csv", "again.csv.part.zarr"):
        code, out, err = interrupt(*plan, "--out", "again.csv", wheel, after=0.15)
        if code == 0: continue
        result = run("--resume", name)
        expect("a table is made when it is complete", pathlib.Path("again.csv").exists() and pathlib.Path("again.csv").read_bytes() == pathlib.Path("whole.csv").read_bytes(), result.stderr)
        expect("and its folder is gone", not os.path.exists("again.csv.part.zarr"))
        os.remove("again.csv")
    says("what is complete is told", run("--resume", "whole.csv"), "'whole.csv' is complete", code=1)


def parts_become_a_table():
    plan = ["-p", "F=1..2:50", "--take", "x", "--for", "1"]
    run(*plan, "--out", "direct.csv", wheel)
    for k in (2, 1, 3):
        says("a part", run(*plan, "--part", f"{k}/3", "--out", "parts.csv", wheel), "pfaff sweep --join parts.csv", stream="stdout")
    says("parts are joined", run("--join", "parts.csv"), "50 of 50 members", stream="stdout")
    expect("to the table", pathlib.Path("parts.csv").read_bytes() == pathlib.Path("direct.csv").read_bytes() and not os.path.exists("parts.csv.part.zarr"))
    says("not on standard output", run(*plan, "--part", "1/3", "--out", "-", wheel), "parts need a result", code=2)


def what_is_not_there_is_told():
    for words in (["--resume", "none.zarr"], ["--join", "none.zarr"], ["--convert", "none.zarr", "--out", "n.csv"], ["--resume", "none.zarr", "-p", "F=1,2", "--take", "x", wheel]):
        says(" ".join(words), run(*words), "'none.zarr' does not exist", code=1)
    expect("and nothing is begun", not os.path.exists("none.zarr"))
    says("plot", call("plot", "none.zarr", "--out", "n.svg"), "'none.zarr' does not exist", code=1)
    says("a result is no model", run("none.zarr"), "is a result of a sweep, not a model", "--resume", code=2)
    says("twice in other units", run("-p", "F=1,2", "--take", "theta, theta [deg]", wheel), "take it once", code=2)
    says("a method without a step", run("-p", "F=1,2", "--take", "x", "--by", "rk4", "--out", "rk4.zarr", wheel), "needs a step", "--step 1e-3", code=2)
    expect("leaves nothing", not os.path.exists("rk4.zarr"))
    says("times behind the end", run("-p", "F=1,2", "--take", "x, at(x, 20)", wheel), "the motion ends at t = 10, and is not there at t = 20")


def a_member_is_run_again():
    run("-p", "F=0.5..2:4", "--random", "theta ~ normal(0, 0.1 [rad])", "-n", 40, "--take", "x", "--for", "1", "--out", "m.zarr", wheel)
    data = json.loads(run("--show-member", 13, "--json", "m.zarr").stdout)
    command = shlex.split(data["command"])
    end = json.loads(subprocess.run([pfaff, *command[1:], "--json"], capture_output=True, text=True).stdout)
    end = dict(zip(end["columns"], end["rows"][-1]))
    expect("the command gives what the result has", math.isclose(end["x"], data["values"]["x"], rel_tol=1e-12) and data["status"] == 1, (end, data))
    says("in words", run("--show-member", 0, "m.zarr"), "member 0 of 40, done", "pfaff run -p", stream="stdout")
    says("others are told", run("--show-member", 40, "m.zarr"), "members are 0 to 39", code=2)


def picture(*arguments, file="p.svg"):
    result = call("plot", *arguments, "--out", file)
    return result, pathlib.Path(file).read_text() if result.returncode == 0 else ""


def pictures_say_what_they_show():
    run("-p", "F=1..3:30", "-p", "m=-1..2:4", "--take", "x, sign(x - 1 [m])", "--for", "3", "--out", "map.zarr", wheel)
    result, svg = picture("map.zarr", "--show", "F, m: x [cm]")
    expect("a map says model, failures and unit", "piano_wheel" in svg and "30 failed" in svg and ">failed<" in svg and "[cm]" in svg, result.stderr)
    result, svg = picture("map.zarr", "--show", "F, m: sign(x - 1 [m])")
    expect("two values, two colours", ">1<" in svg and ">-1<" in svg and "0.5<" not in svg.split("</clipPath>")[0].split("sign")[0][-200:], result.stderr)
    expect("logarithms of colours", picture("map.zarr", "--show", "F, m: x", "--log")[0].returncode == 0)
    says("another dimension is refused", picture("map.zarr", "--show", "F, m: x [s]")[0], "'x' is in [m], which is no [s]", code=2)
    run("-p", "D=0.01..0.05:5", "--random", "F ~ uniform(0.5, 2)", "-n", 200, "--take", "x", "--for", "1", "--out", "b.zarr", wheel)
    svg = picture("b.zarr", "--show", "D: x")[1]
    expect("means have a band", "fill-opacity" in svg and "mean of" in svg and "deviation" in svg)
    svg = picture("b.zarr", "--show", "F: x")[1]
    expect("random ones are points", svg.count("<circle") == 200 and "mean" not in svg, svg.count("<circle"))
    svg = picture("b.zarr", "--show", "D")[1]
    expect("few values have bars", "fill-opacity" in svg)
    run("-s", "x=0..1:5", "-s", "theta=0..3:4", "--take", "x", "--for", "1", "--out", "s.zarr", wheel)
    svg = picture("s.zarr", "--show", "x, theta: x")[1]
    expect("a start and where it led to are told apart", "x at the end" in svg)


units_hold_for_all()
standard_output_has_a_table()
negative_masses_fail()
what_is_given_twice_is_refused()
names_belong_to_options()
grids_and_counts_are_told()
tables_are_read()
what_is_done_can_be_seen()
interrupted_tables_are_made()
parts_become_a_table()
what_is_not_there_is_told()
a_member_is_run_again()
pictures_say_what_they_show()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
