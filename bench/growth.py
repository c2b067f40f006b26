# SPDX-License-Identifier: Apache-2.0
"""How cost grows with size: runs bench_growth on models of bench/models.py.

    growth.py BUILD      writes BUILD/bench/results/growth.json

Sizes double (of the net the number of masses, so its side grows by the root of 2); sizes after the doublings are those
that goals ask for. A case that takes too long or too much memory is kept with the reason.
"""
import json
import resource
import subprocess
import sys
from pathlib import Path

import models

MOST_SECONDS, MOST_BYTES = 60, 8 << 30
CASES = {  # the doublings, then what goals ask for besides
    "chain": ((250, 500, 1000, 2000, 4000, 8000), (10000,)),
    "free_chain": ((250, 500, 1000, 2000, 4000, 8000), (10000,)),
    "carts": ((125, 250, 500, 1000, 2000), ()),
    "trailers": ((8, 16, 32, 64, 128), ()),
    "four_bars": ((16, 32, 64, 128, 256), (100,)),
    "net": ((6, 8, 11, 16, 23), (50,)),
    "ring": ((125, 250, 500, 1000, 2000), ()),
}


def limit():
    """Of memory only: under a limit of processor time Linux counts that time in ticks of milliseconds, and short
    batches would seem to take none."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def measure(program, path):
    try:
        done = subprocess.run([program, path], capture_output=True, text=True, preexec_fn=limit, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {MOST_SECONDS} s"}
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip() or "it broke down"}


def measure_kind(program, folder, kind, doublings, others):
    cases = []
    for n in (*doublings, *others):
        print(f"bench: growth, {kind} {n}", file=sys.stderr)
        path = folder/f"{kind}_{n}.pf"
        path.write_text(models.text(kind, n))
        case = {"n": n, "bodies": n*n if kind == "net" else n, "doubling": n in doublings, **measure(program, path)}
        cases.append(case)
        if "error" in case:
            print(f"bench: {case['error']}", file=sys.stderr)
    return cases


def main():
    build = Path(sys.argv[1])
    folder = build/"bench/models"
    folder.mkdir(parents=True, exist_ok=True)
    program = build/"bench/bench_growth"
    found = {kind: measure_kind(program, folder, kind, *sizes) for kind, sizes in CASES.items()}
    (build/"bench/results/growth.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
