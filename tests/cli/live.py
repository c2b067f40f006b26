# SPDX-License-Identifier: Apache-2.0
"""Curves while a run goes on, 'pfaff run --watch': live.py PFAFF SOURCE

The program runs on a terminal of a given size, and a small model of that terminal says what is on its screen in the end.
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
examples = source/"examples"
failures = []


def expect(what, holds, found=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what} {found}")


class Screen:
    """What a terminal shows: the few sequences that are used, anything else is a failure."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.lines = rows, columns, [""]*rows
        self.row, self.column, self.wraps, self.scrolled = 0, 0, True, 0

    def feed(self, text):
        for sequence, character in re.findall(r"\x1b\[([?0-9;]*[A-Za-z])|([\s\S])", text):
            if sequence:
                self.obey(sequence)
            else:
                self.put(character)

    def obey(self, sequence):
        line = self.lines[self.row]
        if sequence in ("?7l", "?7h"):
            self.wraps = sequence == "?7h"
        elif sequence == "K":
            self.lines[self.row] = line[:self.column]
        elif sequence == "J":
            self.lines[self.row:] = [line[:self.column]] + [""]*(self.rows - self.row - 1)
        elif re.fullmatch(r"\d+A", sequence):
            expect("the cursor stays on the screen", int(sequence[:-1]) <= self.row, (sequence, self.row))
            self.row = max(0, self.row - int(sequence[:-1]))
        elif sequence == "2J":
            self.lines = [""]*self.rows
        elif sequence == "H":
            self.row = self.column = 0
        elif not re.fullmatch(r"[\d;]*m", sequence):
            expect("only known sequences", False, repr(sequence))

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            if self.row == self.rows:
                self.row, self.scrolled = self.rows - 1, self.scrolled + 1
                self.lines = self.lines[1:] + [""]
        else:
            expect("nothing else steers the terminal", character >= " ", repr(character))
            if self.column == self.columns and self.wraps:
                self.put("\r"), self.put("\n")
            line = self.lines[self.row].ljust(self.column)
            at = min(self.column, self.columns - 1)
            self.lines[self.row] = line[:at] + character + line[at + 1:]
            self.column = min(self.column + 1, self.columns)


def size(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def watch(*words, rows=40, columns=100, act=None, term="xterm", stdout=None):
    """Exit code, everything that was written, and the frames among it."""
    host, terminal = pty.openpty()
    size(host, rows, columns)
    with subprocess.Popen([program, "run", "--watch", *words], stdin=subprocess.DEVNULL, stdout=stdout or terminal, stderr=terminal, env={**os.environ, "TERM": term}) as job:
        os.close(terminal)
        text, begin, acted = b"", time.monotonic(), False
        while time.monotonic() - begin < 60:
            if select.select([host], [], [], 0.05)[0]:
                try:
                    piece = os.read(host, 65536)
                except OSError:  # the other end is closed
                    break
                if not piece:
                    break
                text += piece
            if act and not acted and text.count(b"\x1b[J") >= 3:
                acted = True
                act(job, host)
        code = job.wait(timeout=30)
    os.close(host)
    return code, text.decode("utf-8")


def frames(text):
    return text.count("\x1b[J")


def curves_stay_on_the_screen():
    for rows, columns in ((40, 100), (24, 80), (60, 200), (12, 50)):
        code, text = watch(examples/"skates/snakeboard.pf", rows=rows, columns=columns)
        name = f"{rows} x {columns}"
        expect(f"{name}: it runs", code == 0 and frames(text) >= 1, text[-300:])
        drawn, summary = text.rsplit("\x1b[J\x1b[?7h", 1)
        screen = Screen(rows, columns)
        screen.feed(drawn)
        expect(f"{name}: no line is lost", screen.scrolled == 0, screen.scrolled)
        shown = "\n".join(screen.lines)
        expect(f"{name}: the time", "snakeboard  t = 10 of 10 s, 100%" in screen.lines[0], screen.lines[0])
        expect(f"{name}: the curves", "* x [m]  + y [m]" in shown and shown.count("t [s]") == (1 if rows < 27 else 2), shown)
        expect(f"{name}: each column has a point", sum("*" in line for line in screen.lines) > 3)
        expect(f"{name}: then the summary", summary.startswith("snakeboard by generalized_alpha"), summary[:100])
    code, text = watch(examples/"skates/snakeboard.pf", rows=5, columns=30)
    screen = Screen(5, 30)
    screen.feed(text.rsplit("\x1b[J", 1)[0])
    expect("without room the time alone is shown", code == 0 and screen.scrolled == 0 and "t = 10" in screen.lines[0] and "* x" not in text, screen.lines)


def what_is_shown():
    code, text = watch("--show", "theta [deg], psi; x'", examples/"skates/snakeboard.pf", rows=60)
    expect("--show chooses", code == 0 and "* theta [deg]  + psi [rad]" in text and "* x' [m/s]" in text, text[:2000])
    code, text = watch(examples/"classics/henon_heiles.pf", rows=60)
    expect("or the model, or its coordinates", code == 0 and frames(text) >= 1, text[:500])
    code, text = watch("--for", "6", examples/"spacecraft/spacecraft.pf", rows=60)
    expect("with events", code == 0 and "event" in text, text[-500:])
    code, text = watch("--at", "1,2", "--json", examples/"skates/snakeboard.pf")
    expect("few samples, and JSON", code == 0 and '"columns"' in text, text[-500:])


def results_are_the_same(place):
    for words in ([], ["--every", "0.01"], ["--by", "dopri5"]):
        plain, seen = pathlib.Path(place, "plain.csv"), pathlib.Path(place, "seen.csv")
        subprocess.run([program, "run", *words, "--out", plain, examples/"skates/snakeboard.pf"], check=True, capture_output=True)
        code, text = watch(*words, "--out", seen, examples/"skates/snakeboard.pf")
        expect(f"{words}: the same rows", code == 0 and plain.read_bytes() == seen.read_bytes(), text[-300:])
    with open(pathlib.Path(place, "standard.csv"), "wb") as file:
        code, text = watch("--out", "-", "--every", "0.01", examples/"skates/snakeboard.pf", stdout=file)
    expect("rows to standard output", code == 0 and b"\x1b" not in pathlib.Path(place, "standard.csv").read_bytes() and "snakeboard by" in text)


def it_can_be_stopped_and_resized():
    code, text = watch("--real-time", "--for", "30", "--rate", "100", examples/"skates/snakeboard.pf", act=lambda job, host: job.send_signal(signal.SIGINT))
    expect("Ctrl-C stops it", code == 1 and "stopped on request" in text and frames(text) >= 3, text[-500:])
    expect("and the terminal is as it was", text.count("\x1b[?7l") == text.count("\x1b[?7h"))
    code, text = watch("--real-time", "--for", "1", "--rate", "100", examples/"skates/snakeboard.pf", act=lambda job, host: size(host, 30, 60))
    screen = Screen(30, 60)
    screen.feed(text[text.index("\x1b[2J"):].rsplit("\x1b[J", 1)[0] if "\x1b[2J" in text else "")
    expect("in another size it begins anew", code == 0 and screen.scrolled == 0 and "t = 1 of 1 s" in screen.lines[0], screen.lines)
    expect("ten times a second", 5 <= frames(text) <= 14, frames(text))
    expect("in real time", "100 steps per second" in text, text[-500:])


def only_on_a_terminal():
    for words in ([], ["--json"]):
        result = subprocess.run([program, "run", "--watch", *words, examples/"skates/snakeboard.pf"], capture_output=True, check=False)
        expect("without one it is refused", result.returncode == 2 and b"standard error is no terminal" in result.stderr, result.stderr)
    code, text = watch(examples/"skates/snakeboard.pf", term="dumb")
    expect("nor on one that cannot move its cursor", code == 2 and "cannot be drawn on (TERM is dumb)" in text, text)


with tempfile.TemporaryDirectory() as directory:
    curves_stay_on_the_screen()
    what_is_shown()
    results_are_the_same(directory)
    it_can_be_stopped_and_resized()
    only_on_a_terminal()
sys.exit(1 if failures else 0)
