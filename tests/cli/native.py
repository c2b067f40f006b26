# SPDX-License-Identifier: Apache-2.0
"""Results of native code and of the tape, byte by byte, and what happens without a compiler that works.

    native.py PROGRAM SOURCE_DIRECTORY [COUNT [SEED]]      so many random models (6)
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from representative import examples

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 6
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
failures = []


def fail(words):
    failures.append(words)
    print("FAILED:", words)


def call(arguments, environment=None, limit=300):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=limit,
                          env={**os.environ, **(environment or {})}, check=False)


# ---------------------------------------------------------------- the same bytes

def compare_runs(folder, model, name, *options):
    """The trajectory by both; the summary says that something was compiled, or found."""
    files = {}
    for mode in "off", "on":
        files[mode] = folder/f"{mode}.csv"
        result = call(["run", model, "--native", mode, "-o", files[mode], *options])
        if not files[mode].exists():
            return result.returncode if mode == "off" else fail(f"{name}: {mode}: {result.stderr}")
    if files["off"].read_bytes() != files["on"].read_bytes(): fail(f"{name}: the trajectory differs")
    if "native code" not in result.stdout: fail(f"{name}: nothing was compiled:\n{result.stdout}{result.stderr}")
    if " not: " in result.stdout: fail(f"{name}: {result.stdout}")
    for file in files.values(): file.unlink()
    return 0


def change_parameters(folder):
    """Other numbers use the same code; a zero leaves terms out and gives other code. A run with -p evaluates its start
    once more than a run without, so both runs have it."""
    model = SOURCE/"examples/skates/snakeboard.pf"
    compare_runs(folder, model, "before", "--for", "0.3", "-p", "m=6.5")
    again = call(["run", model, "--native", "on", "--for", "0.3", "-p", "m=7", "-p", "kr=1.5"]).stdout
    if "compiled" in again or "from earlier runs" not in again: fail(f"other parameters: {again}")
    compare_runs(folder, model, "without springs", "--for", "0.3", "-p", "kr=0", "-p", "F=0")


def compare_examples(folder):
    for model in examples(SOURCE): compare_runs(folder, model, model.name, "--for", "0.3")
    for method in "rk4", "dop853", "generalized_alpha", "rattle":
        compare_runs(folder, SOURCE/"examples/skates/snakeboard.pf", method, "--by", method, "--step", "1e-3", "--for", "0.1")


STUDIES = [["linearize", "--json", "examples/wheels/bicycle.pf"], ["steady", "--json", "examples/skates/chaplygin_sleigh.pf"],
           ["continue", "n2=8..18", "--json", "examples/wheels/carriage_steady.pf"],
           ["poincare", "--section", "x=0", "--for", "50", "--starts", "2", "--json", "examples/classics/henon_heiles.pf"]]


def compare_studies():
    for words in STUDIES:
        texts = [call(["study", *words[:-1], SOURCE/words[-1], "--native", mode]) for mode in ("off", "on")]
        outputs = [re.sub(r'("\w*seconds": )[-+.\de]+', r"\1", one.stdout) for one in texts]
        if outputs[0] != outputs[1] or len(outputs[0]) < 50:
            fail(f"study {' '.join(words)}: the results differ, or there are none: {texts[0].stderr}")


def random_models():
    """Texts of tests/trial; none without mpmath."""
    sys.path.insert(0, str(SOURCE/"tests/trial"))
    try:
        from generate import Maker, Reject
        from motion import GiveUp
    except ImportError:
        return
    seed, made = SEED, 0
    while made < COUNT:
        maker = Maker(50*seed)
        seed += 1
        try:
            maker.make()
        except (Reject, GiveUp, OverflowError, ZeroDivisionError, ValueError):
            continue
        made += 1
        yield seed - 1, maker.text()


def compare_random_models(folder):
    count = 0
    for seed, text in random_models():
        model = folder/"model.pf"
        model.write_text(text, encoding="utf-8")
        count += compare_runs(folder, model, f"random model {seed}", "--for", "0.2", "--most-steps", "20000") == 0
    return count


# ---------------------------------------------------------------- compilers that are no help

def script(folder, name, text):
    path = folder/name
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(0o700)
    return str(path)


def look_at_words(folder):
    model = SOURCE/"examples/skates/snakeboard.pf"
    wrong = call(["run", model, "--native", "maybe"])
    if wrong.returncode != 2 or "'off', 'auto' or 'on'" not in wrong.stderr: fail(f"--native maybe: {wrong.stderr}")
    none = {"PFAFF_CC": "/nowhere/cc"}
    insists = call(["run", model, "--native", "on"], none)
    if insists.returncode != 1 or "needs a C compiler" not in insists.stderr: fail(f"no compiler: {insists.stderr}")
    quiet = call(["run", model, "--for", "100", "--by", "dopri5"], none)
    if quiet.returncode or quiet.stderr or "native" in quiet.stdout: fail(f"no compiler, auto: {quiet.stdout}{quiet.stderr}")
    broken = {"PFAFF_CC": script(folder, "broken", "echo it is broken >&2\nexit 1\n")}
    told = call(["run", model, "--for", "1", "--native", "on"], broken)
    if told.returncode or "it is broken" not in told.stdout: fail(f"broken compiler: {told.stdout}{told.stderr}")
    cut = {"PFAFF_CC": script(folder, "cut", 'cc "$@" || exit 1\nwhile [ "$1" != -o ]; do shift; done\nhead -c 9000 "$2" >"$2.x" && mv "$2.x" "$2"\n'),
           "XDG_CACHE_HOME": str(folder/"cut_cache")}
    for mode in "on", "auto":  # neither loaded nor kept
        told = call(["run", model, "--for", "1", "--native", mode], cut)
        if told.returncode: fail(f"a library that is cut off: {told.returncode} {told.stdout}{told.stderr}")
    quiet = call(["run", model, "--for", "300", "--by", "dopri5"], broken)
    if quiet.returncode or quiet.stderr or "native" in quiet.stdout: fail(f"broken compiler, auto: {quiet.stdout}{quiet.stderr}")


def is_alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


def interrupt(folder):
    """A run that waits for a compiler: Ctrl-C ends both, and nothing is left."""
    work = folder/"work"
    work.mkdir()
    noted = folder/"pid"
    slow = {**os.environ, "PFAFF_CC": script(folder, "slow", f"echo $$ > {noted}\nsleep 100\n"), "TMPDIR": str(work)}
    process = subprocess.Popen([PROGRAM, "run", SOURCE/"examples/skates/snakeboard.pf", "--native", "on"], env=slow, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for _ in range(2000):
        if noted.exists() and noted.read_text().strip(): break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    if is_alive(int(noted.read_text())): fail("a compiler outlives the run")
    if list(work.iterdir()): fail(f"left behind: {list(work.iterdir())}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder)  # earlier runs of this machine decide nothing
        look_at_words(folder)
        interrupt(folder)
        change_parameters(folder)
        compare_examples(folder)
        compare_studies()
        count = compare_random_models(folder)
    print(f"examples, {len(STUDIES)} studies and {count} random models compared, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
