# SPDX-License-Identifier: Apache-2.0
"""Prints the table and the goals of the motions from the figures that bench/run has collected.

    report_run.py RESULTS      reads RESULTS/run-*.json and, when there, RESULTS/ode45.json
"""
import csv
import json
import sys
from pathlib import Path

OURS = ("dopri5", "dop853", "cvode_adams")  # drift-free methods of Pfaff
NAMES = {"arkode": "ARKODE, by hand", "IDA": "IDA, by hand", "CVODE": "CVODE Adams, by hand", "ode45": "Octave's ode45, by hand"}
ROBOTS = {"free_floating": "freefloat_corrected_paperic.csv", "omni_robot": "omni3_corrected.csv"}


def read(path):
    text = path.read_text() if path.exists() else ""
    return json.loads(text) if text.strip() else {}


def last_theta(robot):
    lines = (Path(__file__).parent.parent/"tests"/"reference"/ROBOTS[robot]).read_text().splitlines()
    return float([row for row in csv.DictReader(line for line in lines if not line.startswith("#"))][-1]["theta"])


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def print_motion(title, motion, least):
    error = f"{motion['error']:.1e}" if "error" in motion else "-"
    print(f"{title:<34}{NAMES.get(motion['name'], motion['name']):<26}{motion['seconds']*1e3:>12.3f}{motion['seconds']/least:>9.1f}"
          f"{error:>10}{motion['steps']:>9}{motion.get('evaluations', '-'):>10}")


def print_motions(title, motions):
    least = min(motion["seconds"] for motion in motions if motion["name"] in OURS)
    for i, motion in enumerate(motions):
        print_motion("" if i else title, motion, least)


def seconds(motions, *names):
    return min((motion["seconds"] for motion in motions if motion["name"] in names), default=None)


def compare(motions, peer, goal, text):
    """`goal` times faster than the peer."""
    time = seconds(motions, peer)
    if time is not None:
        ratio = time/seconds(motions, *OURS)
        yield ratio >= goal, f"{text}: {figure(ratio)} times as fast as {NAMES[peer]}, goal {goal:.3g}"


def robots(results):
    octave = read(results/"ode45.json")
    for robot in ROBOTS:
        case = read(results/f"run-{robot}.json")
        if not case:
            continue
        if robot in octave:
            error = abs(octave[robot]["theta"] - last_theta(robot))
            case["motions"].append({"name": "ode45", "error": error, **octave[robot]})
        text = f"{robot}, 60 s, rtol 1e-6"
        print_motions(text, case["motions"])
        yield from compare(case["motions"], "arkode", 1, text)
        yield from compare(case["motions"], "ode45", 200, text)


def snakeboards(results):
    for name in ("run-snakeboard-20.json", "run-snakeboard-1.json"):
        case = read(results/name)
        for level in case.get("errors", ()):
            text = f"snakeboard, F = {case['push']:g}, error {level['error']:.0e}"
            print_motions(text, level["motions"])
            yield from compare(level["motions"], "IDA", 2, text)
            yield from compare(level["motions"], "CVODE", 1/1.5, text)


def main():
    results = Path(sys.argv[1])
    print(f"\n{'motions':<34}{'':<26}{'milliseconds':>12}{'times':>9}{'error':>10}{'steps':>9}{'evaluated':>10}")
    goals = [*robots(results), *snakeboards(results)]
    print("\ntimes: of the fastest method here. Errors: largest of a coordinate at the instants of tests/reference.")
    print("by hand: closed forms written and compiled for this robot (run_peers.c); Pfaff runs its tape.\n")
    for met, text in goals:
        print(("met     " if met else "MISSED  ") + text)


if __name__ == "__main__":
    main()
