# SPDX-License-Identifier: Apache-2.0
"""Prints the tables and the goals of the race of spatial recursions from the figures that bench/tree/run has collected.

    report_tree.py RESULTS      reads RESULTS/tree-*.json
"""
import json
import sys
from pathlib import Path

MODELS = ("chain_2", "chain_7", "chain_30", "chain_100", "chain_1000", "tree_63", "humanoid", "ball_30")
TASKS = {"forward": "Forward dynamics", "inverse": "Inverse dynamics", "inertia": "Joint-space inertia matrix"}
GOALS = {"forward": ("aba", 1.5), "inverse": ("rnea", 1.2), "inertia": ("crba", 1.0)}
AGREEMENT, ACCURACY, LINEAR, MOST_BYTES = 1e-7, 1e-12, 1.3, 2048


def read(path):
    text = path.read_text() if path.exists() else ""
    return json.loads(text) if text.strip() else {}


def family(name):
    """'Pinocchio local' and 'Pinocchio world' are ways of one peer to do it: the better one counts."""
    return name.split()[0]


def best(results):
    fastest = {}
    for name, result in results.items():
        peer = family(name)
        if peer not in fastest or result["ns"] < fastest[peer]["ns"]:
            fastest[peer] = result
    return fastest


def time(ns):
    return f"{ns/1e6:.3g} M" if ns >= 1e6 else f"{ns/1e3:.3g} k" if ns >= 1e4 else f"{ns:.0f}"


def cell(result, bodies, ours):
    return f"{time(result['ns'])} ({result['ns']/bodies:.0f}) {result['ns']/ours:.2f}" if result else "-"


def print_table(title, task, cases):
    peers = list(dict.fromkeys(peer for case in cases.values() for peer in best(case.get(task, {}))))
    rows = {peer: [cell(best(case[task]).get(peer), case["bodies"], case[task]["Pfaff"]["ns"])
                   for case in cases.values()] for peer in peers}
    widths = [max(len(text) for text in column) + 2 for column in zip(cases, *rows.values())]
    print(f"\n{title}: ns a call (ns a body) times ours")
    print(f"{'':<11}" + "".join(f"{name:>{width}}" for name, width in zip(cases, widths)))
    for peer, texts in rows.items():
        print(f"{peer:<11}" + "".join(f"{text:>{width}}" for text, width in zip(texts, widths)))


def speed_goals(cases):
    for task, (routine, goal) in GOALS.items():
        ratios = [(best(case[task])["Pinocchio"]["ns"]/case[task]["Pfaff"]["ns"], name) for name, case in cases.items()
                  if "Pinocchio" in best(case[task])]
        if ratios:
            ratio, name = min(ratios)
            yield ratio >= goal, (f"{TASKS[task].lower()}, every mechanism: at least {ratio:.2f} times as fast as "
                                  f"Pinocchio's {routine} ({name}), goal {goal:g}")
    ratios = [(result["ns"]/case["forward"]["Pfaff"]["ns"], name, peer) for name, case in cases.items()
              for peer, result in best(case["forward"]).items() if peer not in ("Pfaff", "Default", "Pinocchio")]
    if ratios:
        ratio, name, peer = min(ratios)
        yield ratio >= 1.5, (f"forward dynamics, all others: at least {ratio:.2f} times as fast ({peer}, {name}), "
                             "goal 1.5")


def agreement(cases):
    worst = max(((result["error"] if result["error"] == result["error"] else float("inf"), task, name, peer)
                 for name, case in cases.items() for task in TASKS for peer, result in case.get(task, {}).items()),
                default=None)
    if worst:
        yield worst[0] <= AGREEMENT, (f"results as the peers have them: largest relative difference {worst[0]:.1e} "
                                      f"({worst[1]}, {worst[2]}, {worst[3]}), goal {AGREEMENT:.0e}")


def size_goals(results, cases):
    large, thousand = read(results/"tree-chain_100000.json"), cases.get("chain_1000")
    if large and thousand:
        ratio = large["forward"]["Pfaff"]["ns"]/thousand["forward"]["Pfaff"]["ns"]/100
        yield ratio <= LINEAR, (f"100,000 bodies: {large['forward']['Pfaff']['ns']/1e5:.0f} ns a body, {ratio:.2f} "
                                f"times those of 1,000 bodies, goal {LINEAR:g}")
        size = large["bytes"]/large["bodies"]
        yield size <= MOST_BYTES, f"100,000 bodies: {size:.0f} bytes of workspace a body, goal {MOST_BYTES}"
    error = read(results/"tree-reference_chain.json").get("componentwise")
    if error is not None:
        yield error <= ACCURACY, (f"1000 links against 50 digits: largest error of an acceleration {error:.1e}, "
                                  f"goal {ACCURACY:.0e}")


def main():
    results = Path(sys.argv[1])
    cases = {name: read(results/f"tree-{name}.json") for name in MODELS}
    cases = {name: case for name, case in cases.items() if case}
    if not cases:
        return
    for task, title in TASKS.items():
        print_table(title, task, cases)
    print("\nAll by clang -O3 -march=native, but those that come as compiled libraries: MuJoCo, Bullet, Simbody, KDL, "
          "DART;\nDefault is Pfaff's library with the flags that users get.\n")
    for goals in (speed_goals(cases), size_goals(results, cases), agreement(cases)):
        for met, text in goals:
            print(("met     " if met else "MISSED  ") + text)


if __name__ == "__main__":
    main()
