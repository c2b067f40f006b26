#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs commands under every kernel of OpenBLAS that this processor can execute, and compares the bytes they print.

    processors.py <program> <source directory>

LAPACK rounds differently with every kernel, so that whatever hangs on rounding shows: the order of eigenvalues, signs of
vectors, residues beside a scale. The commands are those of docs/analysis.md and one of each kind besides; with --json,
numbers are compared to nine digits of their scale, and everything else as it is. Times are masked. A locale with a decimal
comma is tried where there is one.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# kernel: what /proc/cpuinfo must list for it
KERNELS = {
    "Prescott": {"pni"},
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "Zen": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"},
}
COMMANDS = [
    "check examples/wheels/bicycle.pf",
    "derive --form laconic examples/skates/chaplygin_sleigh.pf",
    "eval examples/wheels/bicycle.pf",
    "compare examples/wheels/piano_wheel.pf",
    "run --for 1 examples/skates/snakeboard.pf",
    "run --for 0.5 --invariants examples/wheels/carriage_inertia.pf",
    "study steady examples/skates/chaplygin_sleigh.pf",
    "study steady --starts 30 examples/balls-and-discs/ball_in_bowl.pf",
    "study equilibria examples/classics/henon_heiles.pf",
    "study linearize examples/classics/cart_pendulum.pf",
    "study linearize examples/spacecraft/hybrid_arm.pf",
    "study linearize examples/hands/hand.pf",
    "study linearize --near equilibrium examples/balls-and-discs/ball_in_bowl.pf",
    "study integrability examples/classics/spherical_pendulum_servo.pf",
    "study linearize --json examples/classics/double_pendulum_bodies.pf",
    "study linearize --json examples/wheels/bicycle.pf",
    "study equilibria --json examples/classics/double_pendulum_bodies.pf",
    "study continue n2=8..18 --json examples/wheels/carriage_steady.pf",
]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
TIMES = [
    (re.compile(r"(evaluations, )[-+.\de]+ s"), r"\1? s"),
    (re.compile(r'("(?:wall_seconds|nanoseconds|run_seconds)": )[-+.\de]+'), r"\1?"),
]


def kernels():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    flags = set(re.search(r"^flags\s*:(.*)$", text, re.M).group(1).split()) if "flags" in text else set()
    return [name for name, needed in KERNELS.items() if needed <= flags]


def comma_locale():
    try:
        names = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    except OSError:
        return None
    return next((n for n in names if re.match(r"(de|fr|es|it|nl|pl|ru|cs|sv)_", n)), None)


def variants():
    found = {f"{k}, one thread": {"OPENBLAS_CORETYPE": k} for k in kernels()}
    found["two threads"] = {"OPENBLAS_NUM_THREADS": "2"}
    if comma_locale():
        found["decimal comma"] = {"LC_ALL": comma_locale()}
    return found


def documented(source, place):
    """The studies of docs/analysis.md; models that it prints itself are written to `place`."""
    text = (source/"docs"/"analysis.md").read_text(encoding="utf-8").replace("\\\n", " ")
    own = dict(re.findall(r'^```pf title="(.+?)"\n(.*?)^```', text, re.M | re.S))
    for name, model in own.items():
        (place/name).write_text(model, encoding="utf-8")
    commands = [line[8:] for line in text.split("\n") if line.startswith("$ pfaff study")]
    return [" ".join(str(place/word) if word in own else word for word in command.split(" ")) for command in commands]


def masked(command, text):
    for pattern, by in TIMES:
        text = pattern.sub(by, text)
    if command.startswith("compare"):  # columns: ns, ratio, run [ms]
        text = "\n".join(re.sub(r"^(  \w+ +\d+ +\S+) +\d+ +[\d.]+ +[\d.]+", r"\1 ? ? ?", line) for line in text.split("\n"))
    if "--json" in command:  # the last digits of eigenvalues are LAPACK's; what is not zero differs by them alone
        text = NUMBER.sub(lambda m: f"{round(float(m.group()), 9) + 0.0:.9g}", text)
    return text


def output(program, source, command, more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS") and k != "LC_ALL"}
    environment = {**clean, "OPENBLAS_NUM_THREADS": "1", **more}
    result = subprocess.run([program, *shlex.split(command)], capture_output=True, text=True, cwd=source, check=False,
                            env=environment)
    return masked(command, f"exit code {result.returncode}\n{result.stdout}{result.stderr}")


def compare(program, source, command, environments):
    wanted, good = output(program, source, command, {}), True
    if "-0 " in wanted or "-0\n" in wanted or not wanted.startswith("exit code 0"):
        print(f"FAILED: pfaff {command}: a zero with a sign, or a failure\n{wanted[:400]}")
        good = False
    for name, more in environments.items():
        text = output(program, source, command, more)
        if text == wanted:
            continue
        good = False
        print(f"FAILED: pfaff {command}: {name}")
        lines, other = wanted.split("\n"), text.split("\n")
        different = [(a, b) for a, b in zip(lines, other) if a != b]
        for a, b in different[:4] or [(f"{len(lines)} lines", f"{len(other)} lines")]:
            print(f"  usually: {a}\n  here:    {b}")
    return good


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    environments = variants()
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = documented(source, pathlib.Path(place)) + COMMANDS
        good = list(pool.map(lambda c: compare(program, source, c, environments), commands))
    print(f"{sum(good)} of {len(good)} commands the same under: {'; '.join(environments)}")
    return 0 if all(good) else 1


sys.exit(main())
