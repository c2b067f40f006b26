# SPDX-License-Identifier: Apache-2.0
"""What `pfaff export --to fmu` writes, without an importer: the archive, its names, XML that can be read, the same bytes every
time, sources that compile without a warning, and answers to calls in any order.

    archive.py <pfaff> <source directory>
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
import zipfile

PFAFF, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
passed, failed = 0, 0

FRICTION = """model stick "Block on a spring with dry friction"
param m = 1 [kg], k = 10 [N/m], mu = 0.3, g = 9.81 [m/s^2], A = 4 [N]
let weight = m*g
coord x [mm]
input push [N]
kinetic m/2*x'^2
potential k/2*x^2
force x = -mu*weight*sign(x') + A*sin(2*t) + push + if(t < 2, 1 [N], 0 [N])
start x = 1000
run 6 until x < -700 [mm] and t > 1
plot x, abs(x), kinetic
"""

DETACHED = """model detached "A tail comes off, and the cart is stopped"
coord x, q
body c in ground at (x, 0, 0) { mass 2, inertia 3 }
body tail in c turn q about z { mass 2, inertia 3, com (1, 0, 0) }
constraint k: q' = x'
start x' = 1
when t = 0.5 { detach tail with impulse (0, 0.1, 0) }
when x > 1 { lock x }
run 1.5
"""

# names that mean something in C, XML, HTML, zip and file systems
HOSTILE = """model fmi3 "</title><script>alert(1)</script> ]]> \\"&amp; */ #include <x> ../../x %s %n"
param int = 1 [kg], double = 2 [N/m], NULL = 1, size_t = 3, model_fmu = 1
coord while, time_, p, u, x, out, a, lambda_, main
kinetic int/2*(while'^2 + time_'^2 + p'^2 + u'^2 + x'^2 + out'^2 + a'^2 + lambda_'^2 + main'^2)
potential double/2*(while^2 + model_fmu*time_^2 + size_t*x^2)
start while = 1
run 1
plot while - time_, if(while < 3, 2, 1)*while
"""


def check(what, holds):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print(f"FAILED: {what}")


def pfaff(*arguments, env=None):
    return subprocess.run([PFAFF, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **(env or {})})


def export(model, fmu, version, env=None):
    run = pfaff("export", "--to", "fmu", "--fmi", version, "-o", fmu, model, env=env)
    check(f"{model} as FMI {version}: {run.stderr}", run.returncode == 0)
    return run


def look(fmu, version):
    """The names in the archive and the root of its description."""
    with zipfile.ZipFile(fmu) as archive:
        names = archive.namelist()
        check(f"{fmu}: {archive.testzip()} is damaged", archive.testzip() is None)
        check(f"{fmu}: names {names}", all(name == name.strip("/") and ".." not in name and "\\" not in name and
                                           name.isascii() and len(name) < 100 for name in names))
        check(f"{fmu}: one date", {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)})
        check(f"{fmu}: no two of one name", len(set(map(str.lower, names))) == len(names))
        root = xml.fromstring(archive.read("modelDescription.xml"))
        page = archive.read("documentation/index.html").decode()
        check(f"{fmu}: no script in the page", "<script" not in page and page.endswith("</html>\n"))
        if version == 3:
            xml.fromstring(archive.read("sources/buildDescription.xml"))
    check(f"{fmu}: version", root.get("fmiVersion") == f"{version}.0")
    return names, root


def sources(fmu, place):
    shutil.rmtree(place, ignore_errors=True)
    with zipfile.ZipFile(fmu) as archive:
        archive.extractall(place)
    return sorted(str(path) for path in (place/"sources").glob("*.c") if not path.name.startswith("pf_"))  # these are included


def compile_strictly(fmu, place, compiler):
    files = sources(fmu, place)
    if shutil.which(compiler):
        run = subprocess.run([compiler, "-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic",
                              "-Werror", "-fPIC", "-shared", "-o", place/"library.so", *files, "-lm"],
                             capture_output=True, text=True)
        check(f"{fmu} by {compiler}: {run.stderr[:2000]}", run.returncode == 0)


def call(fmu, root, version, place):
    """Calls in any order, under sanitizers where there are some."""
    files = sources(fmu, place)
    compiler = "clang" if shutil.which("clang") else "cc"
    build = [compiler, "-g", "-O1", "-o", place/"calls", *files, ROOT/f"tests/cli/fmu/calls{version}.c", "-lm"]
    safe = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    if subprocess.run(build[:1] + safe + build[1:], capture_output=True).returncode:
        subprocess.run(build, check=True)
    if version == 3:
        states = len(root.findall("ModelStructure/ContinuousStateDerivative"))
        indicators = len(root.findall("ModelStructure/EventIndicator"))
        token, variables = root.get("instantiationToken"), len(root.find("ModelVariables"))
    else:
        states, indicators = len(root.find("ModelStructure/Derivatives")), int(root.get("numberOfEventIndicators"))
        token, variables = root.get("guid"), len(root.find("ModelVariables"))
    run = subprocess.run([place/"calls", token, str(states), str(variables), str(indicators), "5000"],
                         capture_output=True, text=True, timeout=300)
    check(f"{fmu}: calls in any order: {run.stdout}{run.stderr[:3000]}", run.returncode == 0)


def look_at_models(place):
    (place/"stick.pf").write_text(FRICTION)
    (place/"hostile.pf").write_text(HOSTILE)
    (place/"detached.pf").write_text(DETACHED)
    examples = [next(ROOT.glob(f"examples/*/{name}.pf")) for name in ("snakeboard_steered", "rolling_ball", "sleigh_friction")]
    for model in [place/"stick.pf", place/"hostile.pf", place/"detached.pf", *examples]:
        for version in 2, 3:
            fmu = place/f"{model.stem}{version}.fmu"
            export(model, fmu, version)
            if not fmu.exists():
                continue
            names, root = look(fmu, version)
            if version == 3:
                export(model, place/"again.fmu", version)
                check(f"{fmu}: the same bytes", fmu.read_bytes() == (place/"again.fmu").read_bytes())
            check(f"{fmu}: {fmu.stat().st_size} bytes", fmu.stat().st_size <= 200000)
            compile_strictly(fmu, place/"strict", "gcc" if version == 2 else "clang")  # most of the code is in both
            call(fmu, root, version, place/"calls")


def look_at_variables(place):
    _, root = look(place/"stick3.fmu", 3)
    variables = {v.get("name"): v for v in root.find("ModelVariables")}
    x = variables["x"]
    check("x in m, displayed in mm", (x.get("unit"), x.get("displayUnit"), x.get("start")) == ("m", "mm", "1"))
    check("a parameter", variables["k"].get("causality") == "parameter" and variables["k"].get("start") == "10")
    check("made of parameters", variables["weight"].get("causality") == "calculatedParameter")
    check("energies once", "kinetic" in variables and "kinetic (2)" not in variables)
    check("an input", variables["push"].get("causality") == "input")
    check("velocities", variables["x'"].get("derivative") == x.get("valueReference"))
    units = {u.get("name"): u for u in root.find("UnitDefinitions")}
    check("N", units["N"].find("BaseUnit").attrib == {"kg": "1", "m": "1", "s": "-2"})
    check("mm", units["m"].find("DisplayUnit").attrib == {"name": "mm", "factor": "1000"})
    check("the end", root.find("DefaultExperiment").get("stopTime") == "6")
    # 'sign' and one comparison of 'until' are state events; t < 2 and t > 1 events by time
    check("event indicators", len(root.findall("ModelStructure/EventIndicator")) == 2)


def look_at_refusals(place):
    run = pfaff("export", "--to", "fmu", "--form", "elimination", "-o", place/"x.fmu", ROOT/"examples/spacecraft/spacecraft.pf")
    check("events by elimination", run.returncode and "cannot follow events" in run.stderr)
    run = pfaff("export", "--to", "fmu", "--fmi", "1", "-o", place/"x.fmu", ROOT/"examples/wheels/unicycle.pf")
    check("FMI 1", run.returncode and "there are 2 and 3" in run.stderr)
    run = pfaff("export", "--to", "c", "--fmi", "2", "-o", place/"x", ROOT/"examples/wheels/unicycle.pf")
    check("--fmi of C", run.returncode and "--fmi" in run.stderr)
    run = export(ROOT/"examples/wheels/unicycle.pf", place/"sources.fmu", 3, {"PFAFF_CC": "/nowhere/cc"})
    check("without a compiler", "sources only" in run.stdout)
    names, _ = look(place/"sources.fmu", 3)
    check("no libraries", not any(name.startswith("binaries") for name in names))


def look_at_compilers(place):
    """What one says is shown; one that hangs can be stopped."""
    for name, text in ("refuses", "echo 'cc: no licence today' >&2; exit 1"), ("hangs", "exec sleep 100"):
        (place/name).write_text(f"#!/bin/sh\n{text}\n")
        (place/name).chmod(0o755)
    run = export(ROOT/"examples/wheels/unicycle.pf", place/"refused.fmu", 3, {"PFAFF_CC": str(place/"refuses")})
    check(f"what the compiler says: {run.stdout}", "the C compiler failed: cc: no licence today" in run.stdout)
    for stop in signal.SIGINT, signal.SIGTERM:
        process = subprocess.Popen([PFAFF, "export", "--to", "fmu", "-o", place/"hung.fmu", ROOT/"examples/wheels/unicycle.pf"],
                                   env={**os.environ, "PFAFF_CC": str(place/"hangs")}, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(stop)
        try:
            words = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            words = process.communicate()[1]
        check(f"{stop.name}: {words}", "stopped on request" in words and not (place/"hung.fmu").exists())


def zig():
    """$PFAFF_ZIG, or that of the package ziglang where this Python has it."""
    try:
        import ziglang
        found = os.path.join(os.path.dirname(ziglang.__file__), "zig")
    except ImportError:
        found = None
    return os.environ.get("PFAFF_ZIG", found)


def look_at_other_systems(place):
    """Libraries for Windows and macOS export what that for Linux exports."""
    if not zig():
        print("no zig: libraries for Windows and macOS are left out")
        return
    (place/"small.pf").write_text("model small\ncoord x\nkinetic x'^2/2\npotential x^2/2\nrun 1\n")
    export(place/"small.pf", place/"all.fmu", 3, {"PFAFF_ZIG": zig()})
    with zipfile.ZipFile(place/"all.fmu") as archive:
        libraries = {name.split("/")[1]: archive.read(name) for name in archive.namelist() if name.startswith("binaries/")}
        door = archive.read("sources/fmi3.c") + archive.read("sources/fmu_door.c")
    check(f"libraries {list(libraries)}", set(libraries) >= {"x86_64-windows", "x86_64-darwin", "aarch64-darwin"})
    names = [b"fmi3" + name for name in re.findall(rb"FMI\((\w+)\)\(", door) if name != b"name"]
    check(f"{len(names)} functions", len(names) > 25)
    for system, library in libraries.items():
        before = b"_" if "darwin" in system else b""
        missing = [name for name in names if before + name + b"\0" not in library and before + name not in library]
        check(f"{system} has not {missing}", not missing)


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        look_at_models(place)
        look_at_variables(place)
        look_at_refusals(place)
        look_at_compilers(place)
        look_at_other_systems(place)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
