# SPDX-License-Identifier: Apache-2.0
"""What 'mpirun pfaff sweep' does: sweep_mpi.py PFAFF SOURCE

For each implementation of MPI whose module was built and whose launcher is installed."""
import filecmp, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time

pfaff, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
wheel = str(next(pathlib.Path(source, "examples").rglob("piano_wheel.pf")))
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
passed = failed = 0
# Open MPI waits for two seconds before it ends after a failure, unless told otherwise
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_odls_base_sigkill_timeout": "0"}
environment.pop("PFAFF_MPI", None)
plan = ["-p", "F=0.5..2:4", "--random", "theta ~ normal(0, 0.1 [rad])", "-n", "300", "--take", "x, max(abs(theta)), t_end", "--for", "1"]
long_plan = [*plan[:5], "12000", *plan[6:-1], "3"]


def expect(what, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition: print(f"FAIL {kind} {what}: {detail}")


def find_launcher(kind):
    for name in (f"mpirun.{kind}", "mpirun", "mpiexec"):
        if not shutil.which(name): continue
        said = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
        if ("Open" in said) == (kind == "openmpi"): return [name, *(["--oversubscribe"] if kind == "openmpi" else [])]
    return None


def module_of(kind):
    return os.path.join(os.path.dirname(pfaff), f"pfaff-mpi-{kind}.so")


def script(text=""):
    """What each rank runs: it tells its process, does what the text says with $rank, $program and the arguments, and becomes the program."""
    return ["sh", "-c", f'rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; echo $$ >"{place.name}/rank.$rank"; program={pfaff}; {text}\nexec "$program" sweep "$@"', "sh"]


def start(count, *arguments, text="", options=(), **more):
    return subprocess.Popen([*launcher, *options, "-n", str(count), *script(text), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**environment, **more})


def run(count, *arguments, **more):
    process = start(count, *arguments, **more)
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def alone(*arguments):
    return subprocess.run([pfaff, "sweep", *arguments], capture_output=True, text=True)


def same(a, b):
    """Are two results the same, byte for byte, but for what is hidden?"""
    names = lambda root: sorted(str(p.relative_to(root)) for p in pathlib.Path(root).rglob("*") if p.is_file() and ".pfaff" not in p.parts)
    return names(a) == names(b) and all(filecmp.cmp(os.path.join(a, n), os.path.join(b, n), shallow=False) for n in names(a))


def results_are_those_of_one_thread():
    for count, more in ((2, ["--threads", 2]), (3, [])):
        name = f"{kind}{count}.zarr"
        result = run(count, *plan, *more, "--out", name, wheel)
        expect(f"{count} ranks compute", result.returncode == 0 and result.stdout.count("300 of 300 members") == 1, (result.stdout, result.stderr))
        expect("by MPI", f"threads of {count} processes" in result.stdout and not result.stderr, (result.stdout, result.stderr))
        expect("the same bytes", same("one.zarr", name), name)
    result = run(2, *plan, "--out", kind + ".csv", "--json", wheel)
    expect("a table is written by one of them", result.returncode == 0 and json.loads(result.stdout)["processes"] == 2, (result.stdout, result.stderr))
    expect("with the same rows", filecmp.cmp("one.csv", kind + ".csv", shallow=False))


def only_the_first_needs_the_files():
    """Others have another folder, with nothing in it; a result is gone on with, and a model comes from standard input of the first."""
    os.makedirs("elsewhere", exist_ok=True)
    text = "[ $rank = 0 ] || cd elsewhere"
    for k in (1, 2): alone(*plan, "--part", f"{k}/3", "--out", f"{kind}part.zarr", wheel)
    result = run(3, "--resume", f"{kind}part.zarr", text=text)
    expect("parts are gone on with", result.returncode == 0 and "300 of 300 members, 100 of them now" in result.stdout, (result.stdout, result.stderr))
    expect("to the same bytes", same("one.zarr", f"{kind}part.zarr"))
    expect("and others have no files", os.listdir("elsewhere") == [], os.listdir("elsewhere"))


def refused(what, words, count, *arguments, code=2, **more):
    result = run(count, *arguments, **more)
    ours = [line for line in (result.stdout + result.stderr).splitlines() if line.startswith("pfaff: error:")]
    expect(what, result.returncode == code and sum(words in line for line in ours) == 1, (result.returncode, result.stdout, result.stderr))
    expect(what + ", and in few words", len(ours) <= 2, ours)


def what_is_wrong_is_told_once():
    out = ["--out", kind + "bad.zarr"]
    refused("a quantity that does not exist", "'nothing' is not defined", 3, "-p", "F=1,2", "--take", "nothing", *out, wheel)
    refused("an option that does not exist", "unknown option --tkae", 3, "-p", "F=1,2", "--tkae", "x", wheel)
    refused("one has no model", "cannot open 'none.pf'", 3, *plan, *out, "none.pf", text='[ $rank = 2 ] || ln -sf ' + wheel + ' none.pf; [ $rank = 2 ] && mkdir -p void && cd void', code=1)
    if kind != kinds[-1]: return # the rest has nothing to do with the launcher
    refused("one has other options", "was started with --rtol 1e-4, rank 0 with (nothing)", 3, *plan, *out, wheel, text='[ $rank = 1 ] && set -- --rtol 1e-4 "$@"')
    shutil.copy(wheel, "mine.pf")
    os.makedirs("other", exist_ok=True)
    pathlib.Path("other/mine.pf").write_text(pathlib.Path(wheel).read_text() + "# other\n")
    refused("one has another model", "has another text of the model", 3, *plan, *out, "mine.pf", text="[ $rank = 2 ] && cd other")
    expect("and nothing is left", not os.path.exists(kind + "bad.zarr"))
    refused("a result that is there", "'one.zarr' is there already", 2, *plan, "--out", "one.zarr", wheel, code=1)


def other_versions_are_refused():
    version = subprocess.run([pfaff, "--version"], capture_output=True, text=True).stdout.split()[1].encode()
    other = version[:-1] + (b"8" if version[-1:] != b"8" else b"7")
    os.makedirs("old", exist_ok=True)
    pathlib.Path("old/pfaff").write_bytes(pathlib.Path(pfaff).read_bytes().replace(version + b"\0", other + b"\0"))
    os.chmod("old/pfaff", 0o755)
    shutil.copy(module_of(kind), "old")
    refused("another version of the program", f"runs version {other.decode()} of the program, rank 0 runs version {version.decode()}", 2, *plan, wheel,
            text=f"[ $rank = 1 ] && program={place.name}/old/pfaff")


def rank_process(rank):
    return int(pathlib.Path(f"rank.{rank}").read_text())


def wait_for_rows(name):
    """Until some members are written."""
    for _ in range(1000):
        if any(p.stat().st_size > 10000 for p in pathlib.Path(name, ".pfaff").glob("rows-*")): return
        time.sleep(0.01)


def wait_for_end(process):
    """Of one that is no child of ours."""
    for _ in range(1000):
        try: os.kill(process, 0)
        except ProcessLookupError: return
        time.sleep(0.01)


def interruptions_lose_nothing():
    cases = [("Ctrl-C", signal.SIGINT, None), ("a killed rank", signal.SIGKILL, 1)]
    if kind == kinds[-1]: cases += [("a stopped rank", signal.SIGTERM, 1), ("a killed leader", signal.SIGKILL, 0)]
    for what, number, rank in cases:
        name = f"{kind}{number}{rank}.zarr"
        process = start(3, *long_plan, "--out", name, wheel)
        wait_for_rows(name)
        os.kill(process.pid if rank is None else rank_process(rank), number)
        out, err = process.communicate(timeout=60)
        for k in range(3): wait_for_end(rank_process(k))
        if number == signal.SIGTERM: expect("a stop is told with how to go on", process.returncode == 1 and f"pfaff sweep --resume {name}" in out, (out, err))
        result = run(2, "--resume", name, "--json")
        data = json.loads(result.stdout or "{}")
        expect(f"after {what} members are there", 0 < data.get("before", 0) <= 12000, (data, result.stderr))
        expect(f"after {what} the result is the same", same("long.zarr", name))


def a_launcher_that_survives():
    """Where the launcher lets the others go on, a dead rank costs only time."""
    if kind != "openmpi" or "--enable-recovery" not in subprocess.run([launcher[0], "--help", "full"], capture_output=True, text=True, env=environment).stdout: return
    process = start(3, *long_plan, "--out", "survived.zarr", wheel, options=["--enable-recovery"])
    wait_for_rows("survived.zarr")
    os.kill(rank_process(2), signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    expect("the others do the work of a dead one", "12000 of 12000 members" in out and same("long.zarr", "survived.zarr"), (process.returncode, out, err))


def another_mpi_is_told():
    others = [module_of(k) for k in ("openmpi", "mpich") if k != kind and os.path.exists(module_of(k))]
    for module in others:
        result = run(3, *plan, "--out", f"{kind}files.zarr", wheel, PFAFF_MPI=module)
        expect("another MPI than that of the launcher", result.returncode == 0 and result.stderr.count("share the work by files of the result") == 1, (result.stdout, result.stderr))
        expect("gives the same bytes", same("one.zarr", f"{kind}files.zarr"))
    result = run(2, *plan, "--out", f"{kind}off.zarr", wheel, PFAFF_MPI="off")
    expect("without MPI", result.returncode == 0 and not result.stderr and same("one.zarr", f"{kind}off.zarr"), (result.stdout, result.stderr))


kinds = [kind for kind in ("openmpi", "mpich") if os.path.exists(module_of(kind)) and find_launcher(kind)]
if not kinds:
    print("no MPI is installed (openmpi-bin and libopenmpi-dev on Debian), or the program was built without: its sweeps are left out")
    sys.exit(0)
kind = ""
alone(*plan, "--threads", "1", "--out", "one.zarr", wheel)
alone("--convert", "one.zarr", "--out", "one.csv")
alone(*long_plan, "--out", "long.zarr", wheel)
for kind in kinds:
    launcher = find_launcher(kind)
    for check in (results_are_those_of_one_thread, only_the_first_needs_the_files, what_is_wrong_is_told_once, other_versions_are_refused, interruptions_lose_nothing,
                  a_launcher_that_survives, another_mpi_is_told):
        begun = time.monotonic()
        check()
        if "-v" in sys.argv: print(f"{kind} {check.__name__}: {time.monotonic() - begun:.1f} s")
print(f"{passed} passed, {failed} failed, with {' and '.join(kinds)}")
sys.exit(1 if failed else 0)
