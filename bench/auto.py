# SPDX-License-Identifier: Apache-2.0
"""'auto' and all formulations on every example, by bench_auto.

    auto.py BUILD      writes BUILD/bench/results/auto.json

Several processes for each example, in rounds over all of them. Of every contender the least time counts, of 'auto' as
of the others: where memory happens to lie then matters to none.
"""
import json
import subprocess
import sys
from pathlib import Path

PROCESSES = 5


def measure(program, example):
    return json.loads(subprocess.run([program, example], check=True, capture_output=True, text=True).stdout)


def least(cases):
    """Of the processes of one example. A formulation that is missing in one is missing."""
    first = cases[0]
    names = [name for name in first["formulations"] if all(name in case["formulations"] for case in cases)]
    return {**first, "auto": min(case["auto"] for case in cases),
            "formulations": {name: min(case["formulations"][name] for case in cases) for name in names}}


def main():
    build = Path(sys.argv[1])
    listed = Path("tests/examples.txt").read_text(encoding="utf-8").splitlines()
    examples = [Path("examples", f"{line.split()[0]}.pf") for line in listed if line and not line.startswith("#")]
    rounds = [[measure(build/"bench/bench_auto", example) for example in examples] for _ in range(PROCESSES)]
    found = [least(cases) for cases in zip(*rounds)]
    (build/"bench/results/auto.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
