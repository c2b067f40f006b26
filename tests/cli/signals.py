# SPDX-License-Identifier: Apache-2.0
"""Signals during long work: the time from the signal to the end, what is said, the exit code.

Usage: signals.py PROGRAM SOURCE_DIRECTORY
The work is large enough to take many seconds by itself: derivations and studies of chains of bodies.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
LONGEST = 0.5  # seconds from a signal to the end, as promised in docs/commands.md
failures = []


def chain(count):
    """A chain of bodies with axes in all directions."""
    lines = ["model chain", "gravity (0, 0, -9.81)"]
    for i in range(1, count + 1):
        parent = f"b{i - 1}" if i > 1 else "ground"
        lines += [f"coord q{i} [rad]",
                  f"body b{i} in {parent} at (0.1, 0.05, -0.2) turn q{i} about {'xyz'[i % 3]} "
                  "{ mass 1 [kg], inertia diag(0.1, 0.2, 0.3), com (0.01, 0, -0.1) }"]
    return "\n".join(lines + ["run 100"]) + "\n"


def snake(count):
    """A planar chain by its energy, with a skate: everything depends on everything."""
    lines = ["coord x, y [m]"] + [f"coord q{i} [rad]" for i in range(count)]
    along, across = "x'", "y'"
    for i in range(count):
        along += f" - 0.3 [m]*sin(q{i})*q{i}'"
        across += f" + 0.3 [m]*cos(q{i})*q{i}'"
        lines.append(f"kinetic 1/2*(1 [kg])*(({along})^2 + ({across})^2) + 1/2*(0.1 [kg m^2])*q{i}'^2")
    lines.append("constraint blade: -sin(q0)*x' + cos(q0)*y' = 0")
    lines += [f"start q{i} = {0.1*i}" for i in range(count)]
    return "\n".join(lines + ["run 100"]) + "\n"


def listen():
    """In the background of a script SIGINT would be ignored."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)


def stop(arguments, delay, by=signal.SIGINT, signals=1):
    """Seconds from the signal to the end, exit code, words; None when it was done before."""
    waiting, _ = os.pipe()  # standard input that never ends
    process = subprocess.Popen([PROGRAM, *arguments], stdin=waiting, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=listen)
    try:
        process.communicate(timeout=delay)
        return None
    except subprocess.TimeoutExpired:
        pass
    start = time.monotonic()
    for _ in range(signals):
        process.send_signal(by)
        time.sleep(0.001)
    out, err = process.communicate(timeout=60)
    return time.monotonic() - start, process.returncode, out, err


def expect(good, words):
    if not good:
        failures.append(words)
        print("FAILED:", words)


def stops_soon(arguments, delay, by=signal.SIGINT):
    """The shortest of three: other programs may be busy at that moment."""
    best = None
    for _ in range(3):
        result = stop(arguments, delay, by)
        if result is None:
            expect(False, f"{' '.join(arguments)}: done within {delay} s, which is no test")
            return
        best = min(best, result) if best else result
        if best[0] < LONGEST:
            break
    seconds, code, out, err = best
    what = f"{' '.join(arguments)} after {delay} s"
    expect(seconds < LONGEST, f"{what}: {seconds:.2f} s from the signal to the end")
    expect(code == 1, f"{what}: exit code {code}")
    expect(err == "pfaff: error: stopped on request\n", f"{what}: {err!r}")
    expect(out == "", f"{what}: prints {out[:60]!r}")


def waits_for_a_reader(fifo, model):
    """Nobody reads: stopped while it computes and while it waits. Somebody reads late: all arrives."""
    for arguments in (["run", "--out", fifo, model], ["run", "--for", "0.01", "--out", fifo, model],
                      ["run", "--for", "0.5", "--out", fifo, str(SOURCE/"examples/classics/cart_pendulum.pf")]):
        seconds, code, _, err = stop(arguments, 1, signal.SIGTERM)
        expect(seconds < 4*LONGEST and code == 1, f"{' '.join(arguments)}: {seconds:.2f} s, {code}")
        expect("stopped on request" in err, f"{' '.join(arguments)}: {err!r}")
    process = subprocess.Popen([PROGRAM, "run", "--for", "2", "--every", "1e-4", "--out", fifo, str(SOURCE/"examples/classics/cart_pendulum.pf")],
                               stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    with open(fifo, encoding="utf-8") as pipe:
        time.sleep(0.3)
        rows = sum(1 for _ in pipe) - 1
    expect(process.wait() == 0 and rows == 20001, f"a late reader: {rows} rows, {process.returncode}")


def main():
    with tempfile.TemporaryDirectory() as place:
        long, middle, short, snakes = (str(Path(place)/f"{name}.pf") for name in ("long", "middle", "short", "snake"))
        Path(long).write_text(chain(300))
        Path(middle).write_text(chain(300))
        Path(short).write_text(chain(20))
        Path(snakes).write_text(snake(100))
        henon, carriage = (str(next(SOURCE.glob(f"examples/*/{name}.pf"))) for name in ("henon_heiles", "carriage_steady"))
        for arguments in (["check", long], ["derive", middle], ["compare", "--prove", snakes],
                          ["study", "invariants", snakes], ["study", "steady", short],
                          ["study", "poincare", "--section", "x=0", "--show", "y,y'", "--for", "1e6", henon]):
            stops_soon(arguments, 0.4)
        stops_soon(["converge", short], 0.4, signal.SIGTERM)
        stops_soon(["plot", "--for", "1e4", short], 0.4, signal.SIGHUP)
        stops_soon(["study", "continue", "n2=8..18:100000", carriage], 0.3)
        stops_soon(["check", "-"], 0.4)  # waits for its input
        fifo = str(Path(place)/"fifo.csv")
        os.mkfifo(fifo)
        stops_soon(["check", fifo], 0.4)  # waits for who writes
        waits_for_a_reader(fifo, short)
        result = stop(["derive", middle], 0.4, signal.SIGTERM, signals=2)
        expect(result and result[1] in (-signal.SIGTERM, 1), f"a second signal: {result}")
        for by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            _, code, out, err = stop(["run", "--for", "1e6", short], 1, by)
            expect(code == 1 and "stopped on request" in out and err == "", f"run and {by}: {code} {out[:200]!r} {err!r}")
        _, code, out, err = stop(["run", "--json", "--for", "1e6", short], 1)
        told = json.loads(out)
        expect(code == 1 and told["end"] == "stopped on request" and told["rows"] and
               [d["message"] for d in told["diagnostics"]] == ["stopped on request"], f"run --json: {code} {told['diagnostics']} {err!r}")
    print("all stopped" if not failures else f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
