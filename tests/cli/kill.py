#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed at random moments leave a file with every row that is older than a second.

    kill.py <program> <source directory> [--n 50] [--seed 1] [--signals TERM,HUP,KILL] [--fast]

Runs at the pace of the clock, so that the time in a row says when it was computed. With --fast they go as fast as they can and fill the
disk meanwhile: then the file must be readable and not older than a second.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from readers import read

TOGETHER = 5


class Job:
    """One run that will be killed `wait` seconds after its file appeared."""

    def __init__(self, folder, number, form, how, wait, fast):
        self.how, self.wait, self.seen, self.killed = how, wait, None, None
        self.target = os.path.join(folder, f"x{number}.{form}")
        self.part = os.path.join(folder, f"x{number}.part.{form}")
        pace = ["--by", "rk4", "--step", "1e-5", "--for", "1e5"] if fast else \
            ["--real-time", "--rate", "200", "--every", "0.005", "--for", "1000"]
        self.process = subprocess.Popen([options.program, "run", *pace, "--out", self.target,
                                         os.path.join(options.source, "examples", "wheels/piano_wheel.pf")],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def look(self):
        """False when it is over."""
        now = time.monotonic()
        if self.seen is None and os.path.exists(self.part):
            self.seen = now
        if self.process.poll() is not None:
            return False
        if self.seen is not None and now > self.seen + self.wait:
            self.killed = time.monotonic()
            self.process.send_signal(self.how)
            self.words = self.process.communicate(timeout=60)
            return False
        return True

    def complaint(self):
        """What is wrong, or None."""
        if self.killed is None:
            return f"ended by itself: {self.process.communicate()}"
        hard = self.how == signal.SIGKILL
        path = self.part if hard else self.target
        if os.path.exists(self.target) == hard or os.path.exists(self.part) != hard:
            return "the result is in the wrong place"
        if not hard and (self.process.returncode != 1 or "stopped on request" not in self.words[0]):
            return f"code {self.process.returncode}: {self.words}"
        try:
            names, rows = read(path)
        except Exception as error:
            return f"cannot be read: {error!r}"[:200]
        times = [row[names.index("t")] for row in rows]
        if times != sorted(times) or not times or times[0] != 0:
            return "rows are missing"
        if options.fast:
            age = time.time() - time.monotonic() + self.killed - os.stat(path).st_mtime
            return f"{age} s old" if age > 1 else None
        # the file appeared after the run had begun: a row with time t is older than its age on this clock
        due = self.killed - self.seen - (1 if hard else 0)
        return f"ends at {times[-1]}, {due} was due" if times[-1] < due else None


def kill(form, how, count):
    """How many of the runs were as they should be."""
    wrong = 0
    for first in range(0, count, TOGETHER):
        with tempfile.TemporaryDirectory() as folder:
            jobs = [Job(folder, k, form, how, moments.uniform(0, 2.5), options.fast) for k in range(min(TOGETHER, count - first))]
            left = list(jobs)
            while left:
                left = [job for job in left if job.look()]
                time.sleep(0.002)
            for job in jobs:
                if job.complaint():
                    wrong += 1
                    print(f"FAIL {form} {signal.Signals(how).name} after {job.wait:.3f} s: {job.complaint()}")
    print(f"{form:4} {signal.Signals(how).name}: {count - wrong} of {count} files are complete", flush=True)
    return wrong


parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("source")
parser.add_argument("--n", type=int, default=50)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--signals", default="TERM,HUP,KILL")
parser.add_argument("--fast", action="store_true")
options = parser.parse_args()
if options.fast:
    TOGETHER = 1
moments = random.Random(options.seed)
for name in "HUP", "INT", "TERM":
    signal.signal(signal.Signals[f"SIG{name}"], signal.SIG_DFL)  # what nohup ignores, its children ignore
sys.exit(1 if sum(kill(form, how, options.n) for form in ("csv", "json", "mat")
                  for how in (signal.Signals[f"SIG{name}"] for name in options.signals.split(","))) else 0)
