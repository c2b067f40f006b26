# SPDX-License-Identifier: Apache-2.0
"""What 'pfaff sweep' shows, on the command line: sweep.py PFAFF SOURCE"""
import csv, filecmp, json, math, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time

pfaff, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(source, "tests", "reference"))
example = lambda name: str(next(pathlib.Path(source, "examples").rglob(name + ".pf")))
wheel = example("piano_wheel")
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
passed = failed = 0


def run(*arguments, **more):
    return subprocess.run([pfaff, "sweep", *map(str, arguments)], capture_output=True, text=True, **more)


def expect(what, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition: print(f"FAIL {what}: {detail}")


def refused(what, words, *arguments, code=2, **more):
    result = run(*arguments, **more)
    expect(what, result.returncode == code and words in result.stderr, (result.returncode, result.stdout, result.stderr))


def same(a, b):
    """Are two results the same, byte for byte, but for what is hidden?"""
    names = lambda root: sorted(str(p.relative_to(root)) for p in pathlib.Path(root).rglob("*") if p.is_file() and ".pfaff" not in p.parts)
    return names(a) == names(b) and all(filecmp.cmp(os.path.join(a, n), os.path.join(b, n), shallow=False) for n in names(a))


def rows(path):
    with open(path, newline="") as file:
        return [{k: v if k == "reason" else float(v) if v else math.nan for k, v in row.items()} for row in csv.DictReader(file)]


plan = ["-p", "F=0.5..2:4", "--random", "theta ~ normal(0, 0.1 [rad])", "-n", "300", "--take", "x, max(abs(theta)), t_end", "--for", "1"]


def results_do_not_depend_on_who_computes():
    for name, more in (("one", ["--threads", 1]), ("two", ["--threads", 2]), ("five", ["--threads", 5])):
        result = run(*plan, *more, "--out", name + ".zarr", wheel)
        expect("it runs", result.returncode == 0 and "300 of 300 members" in result.stdout, result.stderr)
    expect("two threads give the same bytes as one", same("one.zarr", "two.zarr"))
    expect("and so do five", same("one.zarr", "five.zarr"))
    order = list(range(1, 8))
    random.Random(1).shuffle(order)
    for k in order:
        result = run(*plan, "--part", f"{k}/7", "--out", "parts.zarr", wheel)
        expect("a part runs", result.returncode == 0, result.stderr)
        if k == order[3]:
            refused("what is not complete is not joined", "is not complete", "--join", "parts.zarr", code=1)
    result = run("--join", "parts.zarr")
    expect("parts in any order are joined", result.returncode == 0 and same("one.zarr", "parts.zarr"), result.stderr)
    expect("and leave nothing behind", [p for p in os.listdir("parts.zarr/.pfaff") if p.startswith("rows")] == [])


def members_on_simulations_do_not_depend_on_others():
    """Friction that sticks, events, chains: what does not go in lanes, on simulations that have moved other members before."""
    cases = {"sleigh_friction": ["--random", "m ~ uniform(0.5, 2)", "--take", "x, y, max(x')"], "capture": ["--random", "t ~ uniform(0, 0.001)", "--take", "t_end, kinetic"],
             "incline_friction": ["--random", "m ~ uniform(0.5, 2)", "--take", "t_end, kinetic"], "snakeboard": ["--random", "m ~ uniform(4, 8)", "--take", "x, max(theta)"]}
    for name, words in cases.items():
        for threads in (1, 3):
            result = run(*words, "-n", 30, "--for", 1, "--threads", threads, "--out", f"{name}{threads}.zarr", example(name))
            expect(f"{name} is swept", result.returncode == 0, result.stderr)
        expect(f"members of {name} do not depend on others", same(f"{name}1.zarr", f"{name}3.zarr"))


def processes_compute_together():
    """As mpirun starts them; one is killed, and the others do its work."""
    start = lambda rank, name: subprocess.Popen([pfaff, "sweep", *plan, "--out", name, wheel], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                                env={**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "3"})
    for victim in (None, 0, 1, 2):
        name = f"ranks{victim}.zarr"
        ranks = [start(k, name) for k in range(3)]
        if victim is not None:
            time.sleep(0.02)
            ranks[victim].kill()
        said = [rank.communicate() for rank in ranks]
        expect("all others end well", all(rank.returncode == 0 for k, rank in enumerate(ranks) if k != victim), said)
        expect("three processes give the same bytes as one", same("one.zarr", name), victim)
        expect("and one of them tells so", sum("300 of 300 members" in out for out, _ in said) <= 1 + (victim is not None), said)
    refused("processes without a common result", "need a common result", *plan, wheel, env={**os.environ, "PMI_RANK": "0", "PMI_SIZE": "2"})
    if shutil.which("mpirun") and not subprocess.run(["mpirun", "--version"], capture_output=True).returncode:
        words = ["--allow-run-as-root", "--oversubscribe"] if "Open" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout else []
        result = subprocess.run(["mpirun", *words, "-n", "3", pfaff, "sweep", *plan, "--out", "mpi.zarr", wheel], capture_output=True, text=True)
        expect("the same under mpirun", result.returncode == 0 and same("one.zarr", "mpi.zarr"), result.stderr)


def rows_are_those_of_runs():
    run("--convert", "one.zarr", "--out", "one.csv")
    table = rows("one.csv")
    expect("a table has all members", [r["member"] for r in table] == list(range(300)))
    for k in (0, 7, 299):
        words = ["-p", f"F={table[k]['F [N]']!r}", "-s", f"theta={table[k]['theta [rad]']!r}"]
        result = subprocess.run([pfaff, "run", *words, "--for", "1", "--json", wheel], capture_output=True, text=True)
        data = json.loads(result.stdout)
        end = dict(zip(data["columns"], data["rows"][-1]))
        expect("a row is what run gives", math.isclose(end["x"], table[k]["x [m]"], rel_tol=1e-12), (end["x"], table[k]))
    direct = run(*plan, "--out", "direct.csv", wheel)
    expect("a table can be written at once", direct.returncode == 0 and filecmp.cmp("one.csv", "direct.csv", shallow=False), direct.stderr)
    expect("and leaves no folder", not os.path.exists("direct.csv.part.zarr"), os.listdir("."))
    result = json.loads(run(*plan, "--json", wheel).stdout)
    x = [r["x [m]"] for r in table]
    column = next(c for c in result["columns"] if c["name"] == "x")
    expect("the mean is that of the rows", abs(column["mean"] - sum(x)/300) < 1e-12)
    expect("the extremes, too", column["least"] == min(x) and column["least_at"] == x.index(min(x)) and column["most"] == max(x))
    expect("and the median nearly", abs(column["quantiles"]["0.5"] - sorted(x)[150]) < 0.02*(max(x) - min(x)))


def killed_at_any_moment():
    """Nothing is lost but what is in flight: after kill -9 at random moments, again and again, the result is the same."""
    chance, kills, kept = random.Random(2), 0, 0
    while kills < 100:
        shutil.rmtree("killed.zarr", ignore_errors=True)
        arguments = [*plan, "--out", "killed.zarr", wheel]
        for attempt in range(6):
            process = subprocess.Popen([pfaff, "sweep", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.random()*0.12)
            process.send_signal(signal.SIGKILL)
            if process.wait() != -signal.SIGKILL: break
            kills += 1
            begun = os.path.exists("killed.zarr/zarr.json")
            if begun: arguments = ["--resume", "killed.zarr"]
        if os.path.exists("killed.zarr/zarr.json"):
            result = json.loads(run("--resume", "killed.zarr", "--json").stdout)
            kept += result["before"]
        else:
            run(*plan, "--out", "killed.zarr", wheel)
        expect("after kills the result is the same", same("one.zarr", "killed.zarr"))
    expect("and members were kept", kept > 0, kept)


def what_a_stop_leaves_is_gone_on_with():
    process = subprocess.Popen([pfaff, "sweep", *plan[:5], "9000000", *plan[6:], "--out", "stop.zarr", wheel], stdout=subprocess.PIPE, text=True)
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    out = process.communicate()[0]
    expect("a stop is told with how to go on", process.returncode == 1 and "pfaff sweep --resume stop.zarr" in out, out)


def failures_are_kept():
    pathlib.Path("fall.pf").write_text("param a = 1\ncoord x\nkinetic x'^2/2\nforce x = a/x^2\nstart x = 1, x' = 0\nrun 5\n")
    result = run("-p", "a=-1,0,1", "--take", "x,t_end", "--out", "fall.zarr", "--json", "fall.pf")
    data = json.loads(result.stdout)
    expect("others finish when one fails", result.returncode == 0 and data["failed"] == 1 and data["done"] == 3, result.stdout)
    expect("and its reason is told", data["failures"][0]["count"] == 1 and data["failures"][0]["first"] == 0 and data["failures"][0]["reason"])
    run("--convert", "fall.zarr", "--out", "fall.csv")
    table = rows("fall.csv")
    # x = -1/x^2 from rest at 1 falls to the centre in pi/(2 sqrt 2)
    expect("the time of the failure is known", abs(table[0]["t_end [s]"] - math.pi/math.sqrt(8)) < 1e-3 and math.isnan(table[0]["x"]), table)
    refused("when all fail that is an error", "all members have failed", "-p", "a=-1,-2", "--take", "x", "fall.pf", code=1)


def tables_and_lists():
    pathlib.Path("runs.csv").write_text("F [N],theta [deg]\n1,10\n2,20\n3,30\n")
    data = json.loads(run("--table", "runs.csv", "-p", "m=1,2", "--take", "theta", "--for", "0.1", "--json", "--dry-run", wheel).stdout)
    expect("a table is one direction of the grid", data["members"] == 6, data)
    result = run("--table", "runs.csv", "--take", "t_end", "--for", "0.1", "--out", "runs-out.csv", wheel)
    table = rows("runs-out.csv")
    expect("with its units", [round(r["theta [rad]"], 12) for r in table] == [round(math.radians(a), 12) for a in (10, 20, 30)], result.stderr)
    data = json.loads(run("-p", "F=1,2,3", "-p", "m=4..6:3", "-p", "D=0.1,0.2", "--zip", "F,m", "--take", "x", "--dry-run", "--json", wheel).stdout)
    expect("zipped lists go along", data["members"] == 6 and data["tried"] == 6, data)
    pathlib.Path("hole.csv").write_text("F,m\n1,2\n3,\n")
    refused("a hole in a table is told", "row 2 has no number under 'm'", "--table", "hole.csv", "--take", "x", wheel)


def formulas_of_what_is_taken():
    """A mass on a spring from rest at 1: x = cos(w t), w = sqrt(k), k = 1 and 4, over whole periods."""
    pathlib.Path("spring.pf").write_text("param k = 1 [N/m]\ncoord x [m]\nkinetic 0.5 [kg]*x'^2\npotential k*x^2/2\nstart x = 1\nrun 2*pi { rtol = 1e-11 }\n")
    take = ("max(x) - min(x), sqrt(mean(x^2)), integral(kinetic)/t_end, (max(x) - x) [mm], max(x, 2*x), max(x')/max(x), first(x < 0 [m])*2/pi, "
            "integral(x'), max(x*2) [cm], mean(x^2) [cm^2], integral(x^2) [cm^2 s], first(x < 0 [m]) [ms], t_end [min], at(x + 1 [m], 0) [mm]")
    result = run("-p", "k=1,4", "--take", take, "--out", "formulas.csv", "spring.pf")
    expect("formulas are taken", result.returncode == 0, result.stderr)
    for row in rows("formulas.csv"):
        w = math.sqrt(row["k [N/m]"])
        near = lambda name, wanted: expect(name, abs(row[name] - wanted) < 1e-8*max(1, abs(wanted)), (row[name], wanted))
        near("max(x) - min(x) [m]", 2)
        near("sqrt(mean(x^2)) [m]", math.sqrt(0.5))
        near(next(k for k in row if k.startswith("integral(kinetic)/t_end")), w*w/4)
        expect("a unit behind a formula", abs(row["(max(x) - x) [mm]"]) < 1e-6, row) # 1e-9 m
        near("max(x, 2*x) [m]", 2)
        near("max(x')/max(x) [1/s]", w)
        near("first(x < 0 [m])*2/pi [s]", 1/w)
        near("integral(x') [m]", 0)
        for name, wanted in (("max(x*2) [cm]", 200), ("mean(x^2) [cm^2]", 5000), ("integral(x^2) [cm^2 s]", 1e4*math.pi),
                             ("first(x < 0 [m]) [ms]", 500*math.pi/w), ("t_end [min]", math.pi/30), ("at(x + 1 [m], 0) [mm]", 2000)):
            near(name, wanted)  # a unit is that of the number, not of what is inside
    for text, words in (("max(x) + t_end", "cannot add m and s"), ("max(x) - nothing", "'nothing' is not defined"), ("max(pos(ground)) + 1", "vector"),
                        ("max(max(x))", "arguments"), ("first(x) + 1", "needs a condition"), ("std(x)", "of the motion there are max, min"),
                        ("t_end [kg]", "must be in kg, but this is in s"), ("integral(x) [m]", "must be in m, but this is in m s"), ("at(x) + 1", "at what time")):
        refused(f"the formula {text}", words, "-p", "k=1,4", "--take", text, "spring.pf")


def starts_as_given():
    """Off the constraints nothing is projected, as in a run."""
    result = run("-s", "x'=1,-3", "--for", "2", "--as-given", "--take", "x, chi'", "--out", "given.csv", wheel)
    expect("starts are taken as given", result.returncode == 0, result.stderr)
    for row in rows("given.csv"):
        own = json.loads(subprocess.run([pfaff, "run", "-s", f"x'={row['x' + chr(39) + ' [m/s]']}", "--for", "2", "--as-given", "--at", "2", "--show", "x, chi'", "--json", wheel],
                                        capture_output=True, text=True).stdout)
        there = dict(zip(own["columns"], own["rows"][-1]))
        expect("as by run", abs(row["x [m]"] - there["x"]) < 1e-12 and abs(row["chi' [rad/s]"] - there["chi'"]) < 1e-12, (row, there))


def vectors_as_starts():
    cart = example("tractor_trailers")
    result = run("-s", "phi=(0.1, 0.2, 0, 0, 0),(0, 10 [deg], 0, 0, 0)", "-s", "phi'=(0, 0, 0, 0, 0)", "--take", "at(phi[2], 0)", "--for", "0.01", "--out", "lists.csv", cart)
    expect("a list is a start", result.returncode == 0 and [round(r["at(phi[2], 0) [rad]"], 12) for r in rows("lists.csv")] == [0.2, round(math.radians(10), 12)], result.stderr)
    result = run("-s", "top.turn=(0.1, 0, 0),(0.2, 0, 0)", "-s", "top.w=(0, 0, 100)", "--take", "at(inclination, 0)", "--for", "0.001", "--out", "turns.csv", example("top"))
    expect("and so is a turn", result.returncode == 0 and [round(r["at(inclination, 0) [rad]"], 9) for r in rows("turns.csv")] == [0.1, 0.2], result.stderr)
    refused("a vector of another size", "5 numbers in brackets", "-s", "phi=(1, 2),(3, 4)", "--take", "x", cart)


def other_studies():
    """The start of a Hénon-Heiles motion, whose exponent 'study poincare' tells, and a carriage, whose steady motions are known."""
    refused("what a study does not give", "exponent (the largest)", "-s", "y=0.1,0.2", "--study", "lyapunov", "--take", "nothing", example("henon_heiles"))
    refused("a time for what does not move", "has no effect", "-s", "y=0.1,0.2", "--study", "linearize", "--for", "1", "--take", "growth", example("henon_heiles"))
    result = run("-s", "y=0.3,0.2", "--study", "lyapunov", "--for", "50", "--take", "exponent, exponent_half, y", "--out", "chaos.csv", example("henon_heiles"))
    wanted = json.loads(subprocess.run([pfaff, "study", "poincare", "--section", "x=0", "--show", "y,y'", "--for", "50", "--json", example("henon_heiles")],
                                       capture_output=True, text=True).stdout)
    row = rows("chaos.csv")[0]
    expect("the exponent is that of the study", result.returncode == 0 and math.isclose(row["exponent [1/s]"], wanted["lyapunov"], rel_tol=0.02),
           (row, wanted["lyapunov"], result.stderr))
    result = run("-p", "n2=5,11,13,20", "--study", "steady", "--take", "found, stable, theta'", "--out", "steady.csv", example("carriage_steady"))
    table = rows("steady.csv")
    expect("steady motions: the straight one loses its stability at n2 = 12 to two that turn", [r["stable"] for r in table] == [1, 1, 0, 0] and
           [r["found"] for r in table] == [1, 1, 3, 3] and all(abs(r["theta' [rad/s]"]) < 1e-9 for r in table), table)


def statistics_without_rows():
    more = ["--statistics-only", "--for", "0.3"]
    words = [*plan[:5], "5000", "--take", "x, theta"]
    for k in (1, 2, 5):
        result = run(*words, *more, "--threads", k, "--out", f"stats{k}.json", wheel)
        expect("statistics are made without rows", result.returncode == 0, result.stderr)
    expect("the same on any number of threads", all(filecmp.cmp("stats1.json", f"stats{k}.json", shallow=False) for k in (2, 5)))
    run(*words, "--for", "0.3", "--out", "stats.csv", wheel)
    x = [r["x [m]"] for r in rows("stats.csv")]
    column = next(c for c in json.loads(pathlib.Path("stats1.json").read_text())["columns"] if c["name"] == "x")
    mean = sum(x)/len(x)
    expect("mean and deviation are those of the rows", math.isclose(column["mean"], mean, rel_tol=1e-12) and
           math.isclose(column["deviation"], math.sqrt(sum((v - mean)**2 for v in x)/(len(x) - 1)), rel_tol=1e-9), column)
    expect("extremes, too", column["least"] == min(x) and column["most"] == max(x))
    expect("quantiles nearly", abs(column["quantiles"]["0.05"] - sorted(x)[250]) < 0.01*(max(x) - min(x)), (column["quantiles"], sorted(x)[250]))
    h = column["histogram"]
    counts = [0]*len(h["counts"])
    for v in x: counts[int((v - h["low"])/h["width"])] += 1
    off = sum(abs(a - b) for a, b in zip(counts, h["counts"]))  # a number on an edge may fall to either side
    expect("and a histogram counts them all", sum(h["counts"]) == 5000 and off <= 4, off)
    result = subprocess.run([pfaff, "plot", "stats1.json", "--show", "x", "--out", "stats.svg"], capture_output=True, text=True)
    expect("which can be drawn", result.returncode == 0 and "5000 members" in pathlib.Path("stats.svg").read_text(), result.stderr)
    result = subprocess.run([pfaff, "plot", "stats1.json", "--show", "F: x", "--out", "stats.svg"], capture_output=True, text=True)
    expect("and nothing else", result.returncode == 2 and "only histograms" in result.stderr, result.stderr)
    for design in ("saltelli", "morris"):
        both = ["--random", "D ~ normal(0.03, 0.003)", "--random", "m ~ normal(2, 0.2)", "--design", design, "-n", "40", "--take", "x", "--for", "0.3", "--json", wheel]
        told = [json.loads(run(*both, *way).stdout)["columns"][-1]["sensitivity"] for way in ([], ["--statistics-only"])]
        text = run(*["x, t_end" if word == "x" else word for word in both if word != "--json"]).stdout
        expect(f"what does not vary has no sensitivities by {design}", "nan" not in text and (design == "morris" or "of t_end [s]\n    it does not vary" in text), text)
        expect(f"sensitivities by {design} need no rows", told[0] == told[1] and set(told[0]) == {"D", "m"}, told)
    refused("rows that are not kept", "keeps no rows", *words, *more, "--out", "stats.zarr", wheel)
    refused("statistics of what keeps rows", "--statistics-only", *words, "--out", "stats.json", wheel)
    refused("to go on with what is not kept", "exclude each other", "--resume", "one.zarr", "--statistics-only")


def hdf5_files():
    run("--convert", "fall.zarr", "--out", "fall.h5")
    if not os.path.exists("fall.h5"):
        result = run("--convert", "fall.zarr", "--out", "fall.h5")
        expect("without the library that is said", "libhdf5" in result.stderr, result.stderr)
        return
    try:
        import h5py
    except ImportError:
        print("h5py is not installed: it is left out")
        return
    with h5py.File("fall.h5") as file:
        expect("an HDF5 file has the rows", [float(v) for v in file["t_end"]][1:] == [5, 5] and math.isnan(file["x"][0]) and list(file["a"]) == [-1, 0, 1])
        expect("units and reasons", file["t_end"].attrs["units"] in (b"s", "s") and b"t = 1.1107" in file["reason"][0] and not file["reason"][1])
        expect("and what it was made of", b"coord x" in file["pfaff/model"][()] and dict(json.loads(file["pfaff/words"][()]))["take"] == "x,t_end")
    run("-p", "a=-1,0,1", "--take", "x,t_end", "--out", "direct.h5", "fall.pf")
    expect("the same when it is written at once", filecmp.cmp("fall.h5", "direct.h5", shallow=False))


def mat_files():
    try:
        import scipy.io
    except ImportError:
        return
    run("--convert", "fall.zarr", "--out", "fall.mat")
    data = scipy.io.loadmat("fall.mat")
    expect("a MAT-file has the rows", [c.strip() for c in data["columns"]] == ["member", "a", "x", "t_end", "status"] and list(data["data"][1]) == [-1, 0, 1], data)


def trees_are_those_of_runs_bit_for_bit():
    cart = example("cart_pendulum")
    for more in (["--for", "0.5"], ["--for", "0.5", "--by", "rk4", "--step", "0.01"]):
        run("-p", "L[1]=0.7,0.8,0.9", "--take", "s, q[1]", *more, "--out", "bits.csv", cart)
        for row in rows("bits.csv"):
            data = json.loads(subprocess.run([pfaff, "run", "-p", f"L[1]={row['L[1] [m]']!r}", *more, "--json", cart], capture_output=True, text=True).stdout)
            end = dict(zip(data["columns"], data["rows"][-1]))
            expect("a member of a tree is its run, bit for bit", row["s [m]"] == end["s"] and row["q[1] [rad]"] == end["q[1]"], (row, end))


def what_makes_no_sense_is_refused():
    for words, text in ((("-p", "F=1..2:0"), "how many values"), (("-p", "F=1..2:2.5"), "how many values"), (("-p", "F=a..b:3"), "'a' is not defined"),
                        (("-p", "F=1,,2"), "a value is missing"), (("-p", "F=1 [kg],2"), "must be in N"), (("-p", "F=-1..1:3:log"), "on one side of zero"),
                        (("-p", "F=1,2", "-p", "F=3,4"), "varies already"), (("-p", "F=1,2,3", "-p", "m=1,2", "--zip", "F,m"), "as many values"),
                        (("--random", "F ~ normal(1, -1)", "-n", 3), "a deviation is positive"), (("--random", "F ~ uniform(2, 1)", "-n", 3), "the lower end"),
                        (("--random", "F ~ normal(1, 1)"), "how many members"), (("--random", "F ~ normal(1, 1)", "--correlate", "F,G=1", "-n", 3), "not random")):
        refused(f"the sample {words}", text, *words, "--take", "x", wheel)
    refused("what decides the structure", "cannot vary", "-p", "N=1,2", "--take", "x", example("tractor_trailers"))
    result = run("-p", "m=-1,1", "--take", "x", "--for", "0.1", wheel)
    expect("a value outside of its domain is a failure of its member", result.returncode == 0 and "mass matrix" in result.stdout, result.stdout)
    take = ["--take", "x"]
    refused("a quantity that does not exist", "--take nothing", "-p", "F=1,2", "--take", "nothing", wheel)
    refused("a name that does not exist", "'G'", "-p", "G=1,2", *take, wheel)
    refused("a range without a count", "not a range", "-p", "F=1..2", *take, wheel)
    refused("no law", "not a law of chance", "--random", "F = 1", "-n", 5, *take, wheel)
    refused("no method", "rk5", "-p", "F=1,2", "--by", "rk5", *take, wheel)
    refused("a tolerance for fixed steps", "has no effect", "-p", "F=1,2", "--by", "rk4", "--step", "0.1", "--rtol", "1e-3", *take, wheel)
    refused("no part", "not a part", "-p", "F=1,2", *take, "--part", "3/2", "--out", "p.zarr", wheel)
    refused("an ending", "the name must end in", "-p", "F=1,2", *take, "--out", "p.xyz", wheel)
    refused("a result that is there", "is there already", *plan, "--out", "one.zarr", wheel, code=1)
    refused("a result of other options", "was made with -n 300, not 301", *plan[:5], "301", *plan[6:], "--resume", "one.zarr", wheel)
    refused("options beside those of a result", "has no effect", "--rtol", "1e-3", "--resume", "one.zarr")
    pathlib.Path("other.pf").write_text(pathlib.Path(wheel).read_text() + "# other\n")
    refused("a result of another model", "another text of the model", *plan, "--resume", "one.zarr", "other.pf")
    refused("no result", "does not exist", "--resume", "nowhere.zarr", code=1)
    os.mkdir("full")
    pathlib.Path("full/mine").write_text("")
    shutil.move("full", "full.zarr")
    refused("a folder with something else in it", "something else in it", *plan, "--out", "full.zarr", wheel, code=1)
    refused("a folder that does not exist", "cannot write", *plan, "--out", "none/p.zarr", wheel, code=1)
    if os.getuid():
        os.mkdir("locked")
        os.chmod("locked", 0o500)
        refused("a folder that cannot be written", "cannot write", *plan, "--out", "locked/p.zarr", wheel, code=1)


def two_on_one_result():
    process = subprocess.Popen([pfaff, "sweep", *plan[:5], "9000000", *plan[6:], "--out", "both.zarr", wheel], stdout=subprocess.DEVNULL)
    for _ in range(200):
        if os.path.exists("both.zarr/zarr.json"): break
        time.sleep(0.02)
    refused("two sweeps on one result", "another sweep is writing", "--resume", "both.zarr", code=1)
    process.kill()
    process.wait()


def a_full_disk_is_told():
    """A file that may not grow is like a full disk; what was written before is kept."""
    import resource
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    result = run(*plan[:5], "1000", *plan[6:], "--out", "small.zarr", wheel, preexec_fn=limit)
    expect("a full disk", result.returncode == 1 and "cannot write" in result.stderr and "--resume small.zarr" in result.stderr, result.stderr)
    result = json.loads(run("--resume", "small.zarr", "--json").stdout)
    expect("loses nothing", result["before"] > 0 and result["done"] == 1000, result)


def png_of(path):
    """Width, height and rows of pixels of the picture in an SVG file."""
    import base64, re, struct, zlib
    data = base64.b64decode(re.search(r"data:image/png;base64,([^\"]*)", pathlib.Path(path).read_text())[1])
    expect("a map is a PNG", data[:8] == b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        expect("with sums that are right", zlib.crc32(data[at + 4:at + 8 + size]) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0])
        if kind == b"IDAT": packed += data[at + 8:at + 8 + size]
        at += 12 + size
    pixels = zlib.decompress(packed)
    return width, height, [pixels[r*(3*width + 1) + 1:(r + 1)*(3*width + 1)] for r in range(height)]


def pictures_show_the_numbers():
    plot = lambda *arguments: subprocess.run([pfaff, "plot", *arguments], capture_output=True, text=True)
    run("-p", "F=1,2,3", "-p", "m=1..4:4", "--take", "x, F*m", "--for", "0.1", "--out", "map.zarr", wheel)
    result = plot("map.zarr", "--show", "F, m: F*m", "--out", "map.svg")
    expect("a map is drawn", result.returncode == 0, result.stderr)
    width, height, rows = png_of("map.svg")
    cell = lambda i, j: rows[height - 1 - (2*j + 1)*height//8][3*((2*i + 1)*width//6):][:3]
    expect("with a cell for each pair", width % 3 == 0 and height % 4 == 0)
    expect("the least is dark, the most yellow", cell(0, 0) == bytes((68, 1, 84)) and cell(2, 3) == bytes((253, 231, 37)), (cell(0, 0), cell(2, 3)))
    expect("and equal numbers are equal", cell(1, 0) == cell(0, 1) and cell(2, 1) == cell(1, 2), "1*2 and 2*1, 3*2 and 2*3")
    for show in ("F: x, F*m", "x, F*m"):
        result = plot("map.zarr", "--show", show, "--out", "curve.svg")
        expect(f"{show} is drawn", result.returncode == 0 and "<path" in pathlib.Path("curve.svg").read_text(), result.stderr)
    for show, words in (("F, m: y", "has no 'y'"), ("F, m, x: x", "not a picture of a sweep")):
        result = plot("map.zarr", "--show", show, "--out", "curve.svg")
        expect(f"{show} is refused", result.returncode == 2 and words in result.stderr, result.stderr)


def growth_of_a_bicycle(v, c, w):
    """The largest real part by the equations of the benchmark."""
    import numpy as np
    from bicycle import matrices
    M, C1, K0, K2 = map(np.array, matrices(w, c))
    C, K = v*C1, 9.81*K0 + v**2*K2
    return max(np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])).real)


def members_are_linearised():
    try:
        import numpy
    except ImportError:
        return
    result = run("-p", "v=2,4,5,6,8,10", "-p", "c=0.04,0.08,0.16", "-p", "w=0.8,1.02,1.2", "--study", "linearize", "--take", "growth, stable",
                 "--out", "bicycle.csv", example("bicycle"))
    expect("members are linearised", result.returncode == 0, result.stderr)
    for row in rows("bicycle.csv"):
        wanted = growth_of_a_bicycle(row["v [m/s]"], row["c [m]"], row["w [m]"])
        # where it stands and where it heads to belong to eigenvalues 0, four of them in a chain
        expect("the growth is that of the benchmark", abs(max(wanted, 0) - max(row["growth [1/s]"], 0)) < 1e-3, row)
        expect("and so is the stability", row["stable"] == (wanted < 0), row)
    refused("a study that there is not", "no such study", "-p", "F=1,2", "--study", "portrait", "--take", "growth", wheel)
    refused("a study is no motion", "exclude each other", "--study", "linearize", "--by", "rk4", "-p", "F=1,2", "--take", "growth", wheel)


def others_read_it():
    try:
        import xarray, zarr
    except ImportError:
        print("zarr and xarray are not installed: they are left out")
        return
    table = rows("one.csv")
    data = xarray.open_zarr("one.zarr")
    expect("xarray reads the numbers", [float(v) for v in data["x"]] == [r["x [m]"] for r in table])
    expect("and units", data["x"].attrs["units"] == "m" and data["F"].dims == ("member",))
    group = zarr.open_group("one.zarr", mode="r")
    expect("zarr reads what it was made of", dict(group.attrs["pfaff"]["words"])["take"] == plan[7])
    fall = zarr.open_group("fall.zarr", mode="r")
    expect("and reasons", bytes(fall["reason"][0]).rstrip(b"\0").decode() and not fall["reason"][1].any() and list(fall["status"][:])[1:] == [1, 1])


def settings_of_the_run_vary():
    """step, rho and tolerances: each member is the run with that setting, by adaptive methods and by those with fixed steps."""
    board = example("snakeboard")

    def by_run(member, *words):
        words = [f"--{name}={member[column]!r}" for name, column in (("step", "step [s]"), ("rho", "rho"), ("rtol", "rtol")) if column in member] + list(words)
        result = subprocess.run([pfaff, "run", "-p", "F=1", "--for", "0.4", "--json", *words, board], capture_output=True, text=True)
        data = json.loads(result.stdout)
        return dict(zip(data["columns"], data["rows"][-1]))["x"]

    for by, vary in (("discrete_gradient", ("rho=0..1:3", "step=1e-2,5e-3")), ("rattle", ("rho=0.3,1", "step=1e-2")), ("dopri5", ("rtol=1e-3..1e-9:3:log",)),):
        words = [word for one in vary for word in ("--vary", one)]
        result = run("-p", "F=1", "--for", "0.4", "--by", by, *words, "--take", "x", "--out", f"settings_{by}.csv", board)
        expect(f"settings of {by} vary", result.returncode == 0, result.stderr)
        table = rows(f"settings_{by}.csv")
        expect("as many members as there are points", len(table) == {"discrete_gradient": 6, "rattle": 2, "dopri5": 3}[by], table)
        for member in table:
            expect("a member is the run with that setting", math.isclose(by_run(member, "--by", by), member["x [m]"], rel_tol=1e-13), member)
        expect("and they differ", len({member["x [m]"] for member in table}) == len(table), table)
    run("--vary", "rho=0,1", "-p", "F=0", "--by", "rattle", "--step", "1e-2", "--for", "0.4", "--take", "x", "--out", "settings.zarr", board)
    told = run("--show-member", 1, "settings.zarr").stdout
    expect("the command of a member has the setting", "--rho 1 " in told.replace('"', "") and "-p rho" not in told.replace('"', ""), told)
    pathlib.Path("free.pf").write_text("coord x\nkinetic x'^2/2\npotential x^4\nstart x = 1\nrun 3\n")
    run("--by", "generalized_alpha", "--vary", "rtol=1e-3,1e-5", "--take", "x", "--out", "free.csv", "free.pf")
    expect("alpha methods without a step have tolerances", len({member["x"] for member in rows("free.csv")}) == 2)
    refused("a step in the model", "steps of one size", "--vary", "rtol=1e-3", "--by", "generalized_alpha", "--take", "x", "--out", "-", board)
    for words, reason in ((("--vary", "rho=0,1", "--by", "dopri5"), "no numerical damping"), (("--vary", "step=1e-2", "--by", "dopri5"), "chooses its steps"),
                          (("--vary", "step=1e-2", "--by", "rattle", "--adaptive"), "chooses its steps"), (("--vary", "rtol=1e-3", "--by", "rk4"), "steps of one size"),
                          (("--vary", "rho=0,2"), "between 0 and 1"), (("--vary", "step=0..1:3"), "not positive"), (("--vary", "m=1,2"), "not a setting"),
                          (("--vary", "rho=0,1", "--rho", "0.5"), "give it once"), (("--vary", "rho=0,1", "--study", "linearize"), "exclude")):
        refused(" ".join(words), reason, *words, "--take", "x", "--out", "-", board)


results_do_not_depend_on_who_computes()
settings_of_the_run_vary()
members_on_simulations_do_not_depend_on_others()
processes_compute_together()
rows_are_those_of_runs()
failures_are_kept()
tables_and_lists()
formulas_of_what_is_taken()
vectors_as_starts()
starts_as_given()
other_studies()
statistics_without_rows()
hdf5_files()
mat_files()
trees_are_those_of_runs_bit_for_bit()
what_makes_no_sense_is_refused()
two_on_one_result()
what_a_stop_leaves_is_gone_on_with()
a_full_disk_is_told()
pictures_show_the_numbers()
members_are_linearised()
others_read_it()
killed_at_any_moment()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
