# SPDX-License-Identifier: Apache-2.0
"""Prints the table and the goals from the figures that bench/run has collected.

    report.py RESULTS      reads RESULTS/ours-*.json and, when there, RESULTS/peers.json
"""
import json
import sys
from pathlib import Path

AGREEMENT = 1e-9  # largest relative difference of M and F from a peer's

COLUMNS = (("", "<14"), ("ours", ">9"), ("SymEngine", ">11"), ("times", ">6"), ("Kane", ">7"), ("times", ">6"),
           ("Lagrange", ">10"), ("times", ">6"), ("|", ">3"), ("ours", ">6"), ("SymEngine", ">11"), ("times", ">6"),
           ("LLVM", ">7"), ("times", ">6"), ("|", ">3"), ("operations", ">11"), ("tape", ">7"), ("MB", ">4"))
HEADINGS = (("", 14), ("  from text to equations that can be called, milliseconds", 55),
            ("  |  one evaluation, microseconds", 39), ("  |  size", 0))


def read(path):
    return json.loads(path.read_text()) if path.exists() else {}


def figure(value):
    """Three digits or so."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def row(cells):
    return "".join(f"{cell:{width}}" for cell, (_, width) in zip(cells, COLUMNS)).rstrip()


class Figures:
    def __init__(self, results):
        self.ours = [read(path) for path in sorted(results.glob("ours-*.json"))]
        self.ours.sort(key=lambda case: (("snakeboard", "cart", "chain").index(case["case"]), case["n"]))
        self.peers = read(results/"peers.json")

    def case(self, name, n=None):
        return next(case for case in self.ours if case["case"] == name and n in (None, case["n"]))

    def peer(self, name, n):
        return self.peers.get(name, {}).get(str(n), {})

    def peer_total(self, name, n):
        """From nothing to a function that can be called."""
        peer = self.peer(name, n)
        return peer["derive"] + peer["compile"] if peer else None

    def sizes(self, name):
        return [int(n) for n in self.peers.get(name, {})]


def against(ours, peer, unit):
    """A peer's time, and how many times faster we are."""
    return [figure(peer and peer*unit), figure(peer and peer/ours)]


def print_table(figures):
    print("".join(f"{text:<{width}}" for text, width in HEADINGS))
    print(row([title for title, _ in COLUMNS]))
    for case in figures.ours:
        name, n = case["case"], case["n"]
        peers = n if name == "cart" else None
        cells = [name if name == "snakeboard" else f"{name}, n = {n}", figure(case["all"]*1e3)]
        for peer in ("symengine", "kane", "lagrange"):
            cells += against(case["all"], figures.peer_total(peer, peers), 1e3)
        cells += ["|", figure(case["evaluate"]*1e6)]
        for peer in ("symengine", "llvm"):
            cells += against(case["evaluate"], figures.peer(peer, peers).get("evaluate"), 1e6)
        print(row(cells + ["|", str(case["operations"]), str(case["instructions"]), f"{case['memory']/1e6:.0f}"]))


def own_goals(figures):
    limits = (("snakeboard", None, 5), ("cart", 8, 5), ("cart", 16, 30), ("cart", 32, 300), ("chain", 30, 2000))
    for name, n, limit in limits:
        time = figures.case(name, n)["all"]*1e3
        yield time < limit, f"{name}{f', n = {n}' if n else ''}: {figure(time)} ms, goal under {limit} ms"
    memory = figures.case("chain", 30)["memory"]/1e6
    yield memory < 300, f"chain, n = 30: {memory:.0f} MB, goal under 300 MB"


def peer_goals(figures):
    ours = figures.case("cart", 8)
    if figures.sizes("kane"):  # derivation alone against all of our way: the harder comparison
        ratio = min(figures.peer(name, 8)["derive"] for name in ("kane", "lagrange"))/ours["all"]
        yield ratio >= 300, f"cart, n = 8: {figure(ratio)} times the faster SymPy method, goal 300"
    if figures.sizes("symengine"):
        ratio, n = min((figures.peer_total("symengine", n)/figures.case("cart", n)["all"], n)
                       for n in figures.sizes("symengine"))
        yield ratio >= 3, f"cart, every n: at least {figure(ratio)} times SymEngine (at n = {n}), goal 3"
        ratio = figures.peer("symengine", 8)["evaluate"]/ours["evaluate"]
        yield ratio >= 5, f"cart, n = 8, one evaluation: {figure(ratio)} times SymEngine, goal 5"


def agreement(figures):
    worst = max(((case["difference"], name, n) for name, cases in figures.peers.items() if name != "versions"
                 for n, case in cases.items()), default=None)
    if worst:
        yield worst[0] <= AGREEMENT, (f"M and F as the peers have them: largest relative difference {worst[0]:.1e} "
                                      f"({worst[1]}, n = {worst[2]}), goal {AGREEMENT:.0e}")


def main():
    figures = Figures(Path(sys.argv[1]))
    print()
    print_table(figures)
    print()
    if figures.peers:
        print("SymEngine {SymEngine}: derivation and Lambdify with cse; Kane, Lagrange: SymPy {SymPy}, derivation and "
              "lambdify with cse.".format(**figures.peers["versions"]))
        print("LLVM: SymEngine's other backend, machine code that takes longer to make. times: how many times faster we "
              "are.")
    else:
        print("SymPy and SymEngine are not installed: no comparison.")
    print()
    for goals in (own_goals, peer_goals, agreement):
        for met, text in goals(figures):
            print(("met     " if met else "MISSED  ") + text)


if __name__ == "__main__":
    main()
