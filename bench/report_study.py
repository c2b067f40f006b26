# SPDX-License-Identifier: Apache-2.0
"""Prints the figures of the studies and their goals.

    report_study.py RESULTS      reads RESULTS/study-*.json
"""
import json
import sys
from pathlib import Path


def read(path):
    text = path.read_text() if path.exists() else ""
    return json.loads(text) if text.strip() else {}


def reference(v):
    """The eigenvalues of tests/reference at the speed v."""
    lines = (Path(__file__).parent.parent/"tests"/"reference"/"bicycle-eigenvalues.csv").read_text().splitlines()
    for line in lines[2:]:
        row = [float(word) for word in line.split(",")]
        if row[0] == v:
            return [complex(row[k], row[k + 1]) for k in range(1, 9, 2)]
    return []


def error(bicycle):
    ours = [complex(*pair) for pair in bicycle["eigenvalues"]]
    return max(min(abs(z - w) for w in ours) for z in reference(bicycle["v"]))


def main():
    results = Path(sys.argv[1])
    bicycle, carriage, sympy = (read(results/f"study-{name}.json") for name in ("bicycle", "carriage", "sympy"))
    print(f"\n{'studies':<64}{'seconds':>12}")
    print(f"{'bicycle: text to vector field, tapes of its derivatives':<64}{bicycle['ready']:>12.4f}")
    print(f"{'bicycle: text to linear models at 100 speeds':<64}{bicycle['seconds']:>12.4f}")
    if sympy:
        print(f"{'bicycle: SymPy ' + sympy['sympy'] + ', derivation, linear model, 6 speeds':<64}{sympy['seconds']:>12.1f}")
    print(f"{'carriage: text to continuation, ' + str(carriage['points']) + ' points':<64}{carriage['seconds']:>12.4f}\n")
    off, threshold = error(bicycle), abs(carriage["threshold"] - 12)
    goals = [(bicycle["seconds"] < 0.2, "linear models of the bicycle at 100 speeds from text under 0.2 s"),
             (carriage["seconds"]*1000/carriage["points"] < 1, "1,000 points of the carriage under 1 s"),
             (off < 1e-9, f"eigenvalues of the bicycle off by {off:.1e}, goal 1e-9"),
             (threshold < 1e-9, f"threshold of the carriage off by {threshold:.1e}, goal 1e-9")]
    for met, text in goals:
        print(("met     " if met else "MISSED  ") + text)


if __name__ == "__main__":
    main()
