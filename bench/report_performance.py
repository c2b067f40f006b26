# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of docs/performance.md from the figures that bench/performance has collected.

    report_performance.py RESULTS                  prints them
    report_performance.py RESULTS --into FILE      puts them into FILE, between the lines BEGIN and END

What was not measured is said and left out; it is neither met nor missed.
"""
import json
import math
import sys
from pathlib import Path

BEGIN, END = "<!-- figures of bench/performance -->", "<!-- end of the figures -->"
MODELS = ("snakeboard", "bicycle", "spacecraft", "hand")
ROBOTS = ("free_floating", "omni_robot")
RACE = ("chain_2", "chain_7", "chain_30", "chain_100", "chain_1000", "tree_63", "humanoid", "ball_30")
GENERATED = {"arm7": "arm of seven joints", "chain_7": "seven joints at random", "humanoid": "humanoid at random",
             "humanoid_in_line": "humanoid, axes in line"}
DOUBLINGS, AGREEMENT = 4, 1e-9


def read(results, name):
    path = results/f"{name}.json"
    text = path.read_text() if path.exists() else ""
    return json.loads(text) if text.strip() else None


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(heads, rows):
    return [row(*heads), "|---" + "|---:"*(len(heads) - 1) + "|", *(row(*cells) for cells in rows), ""]


def at_most(what, value, limit, unit="", digits=3):
    return (what, f"{value:.{digits}g}{unit}", f"at most {limit:g}{unit}", value <= limit)


def at_least(what, value, limit, unit=""):
    return (what, f"{value:.3g}{unit}", f"at least {limit:g}{unit}", value >= limit)


# ---------------------------------------------------------------- growth


def exponent(cases, key):
    """The slope in logarithms, by least squares over the last doublings; None when one of them is missing."""
    sizes = [case for case in cases if case["doubling"]][-DOUBLINGS - 1:]
    if len(sizes) <= DOUBLINGS or any("error" in case for case in sizes):
        return None
    x = [math.log(case["bodies"]) for case in sizes]
    y = [math.log(case[key]) for case in sizes]
    mean_x, mean_y = sum(x)/len(x), sum(y)/len(y)
    return sum((a - mean_x)*(b - mean_y) for a, b in zip(x, y))/sum((a - mean_x)**2 for a in x)


def show_exponent(cases, key):
    slope = exponent(cases, key)
    return "-" if slope is None else f"{slope:.2f}"


def growth_rows(found):
    for kind, cases in found.items():
        for case in cases:
            size = f"{case['n']} x {case['n']}" if kind == "net" else case["n"]
            if "error" in case:
                yield kind, size, case["error"], "", "", "", ""
                continue
            yield (kind, size, case["formulation"], f"{case['ready']:.3g}", f"{case['memory']/2**20:.0f}",
                   f"{case['evaluate']*1e6:.3g}", f"{case['evaluate']*1e9/case['bodies']:.0f}")


def growth_tables(results):
    found = read(results, "growth")
    if not found:
        return
    yield from ("### Growth with size", "")
    yield from table(("model", "size", "formulation", "ready [s]", "memory [MB]", "evaluation [us]", "ns a body"),
                     growth_rows(found))
    yield from ("Exponents over the last four doublings of the number of bodies:", "")
    yield from table(("model", "ready", "memory", "evaluation"),
                     ((kind, *(show_exponent(cases, key) for key in ("ready", "memory", "evaluate")))
                      for kind, cases in found.items()))


def case_of(found, kind, n):
    return next((case for case in found[kind] if case["n"] == n and "error" not in case), None)


def runs(found, kind, n, what):
    case = next((case for case in found[kind] if case["n"] == n), {"error": "was not tried"})
    return (what, case.get("error", f"first step after {case.get('ready', 0):.3g} s"), "runs", "error" not in case)


def growth_goals(results):
    found = read(results, "growth")
    if not found:
        return
    for kind in ("chain", "free_chain"):
        for n, limit in ((1000, 0.5), (10000, 6)):
            case = case_of(found, kind, n)
            if case:
                yield at_most(f"{kind}, {n} bodies from text to the first step", case["ready"], limit, " s")
                yield at_most(f"{kind}, {n} bodies, a body and evaluation", case["evaluate"]*1e9/n, 100, " ns")
    for kind, limit in (("carts", 1.1), ("trailers", 1.3), ("four_bars", 1.2)):
        slope = exponent(found[kind], "evaluate")
        if slope is not None:
            yield at_most(f"{kind}, exponent of an evaluation", slope, limit)
    case = case_of(found, "four_bars", 100)
    if case:
        yield at_most("four_bars, 100 of them, an evaluation", case["evaluate"]*1e6, 100, " us")
    yield runs(found, "net", 50, "net of 50 x 50 masses")
    yield runs(found, "ring", 2000, "ring of 2000 links")


# ---------------------------------------------------------------- auto


def ratios(found):
    """(auto over the best, the best, case), the worst first."""
    for case in found:
        best = min(case["formulations"], key=case["formulations"].get)
        yield case["auto"]/case["formulations"][best], best, case


def auto_tables(results):
    found = read(results, "auto")
    if not found:
        return
    worst = sorted(ratios(found), key=lambda item: -item[0])
    shown = [item for item in worst if item[0] > 1.05]
    yield from ("### `auto` against the best formulation", "")
    yield from table(("example", "coordinates", "constraints", "chosen", "ns", "best", "ratio"),
                     ((case["model"], case["coordinates"], case["constraints"], case["chosen"],
                       f"{case['auto']*1e9:.0f}", best, f"{ratio:.2f}") for ratio, best, case in shown))
    yield from (f"On the other {len(worst) - len(shown)} of {len(worst)} examples the ratio is at most 1.05.", "")


def auto_goals(results):
    found = read(results, "auto")
    if found:
        ratio, _, case = max(ratios(found), key=lambda item: item[0])
        yield at_most(f"`auto` over the best formulation, worst example ({case['model']})", ratio, 1.2)


# ---------------------------------------------------------------- arm


def arm_tables(results):
    ours, mujoco, commands = (read(results, name) for name in ("arm", "arm_mujoco", "commands"))
    if not ours:
        return
    rows = [("`pf_sim`, from text", "whole", ours), ("`pf_sim`, the steps alone", "steps", ours)]
    if mujoco:
        rows += [(f"MuJoCo {mujoco['version']}, from URDF", "whole", mujoco),
                 ("MuJoCo, the steps alone", "steps", mujoco)]
    rows = [(name, f"{case['count']/case[key]/1e3:.0f}") for name, key, case in rows]
    if commands:
        rows.insert(1, ("`pfaff run`, the whole process",
                        f"{commands['arm']['count']/commands['arm']['processor']/1e3:.0f}"))
    yield from ("### Arm of seven joints, 10,000 steps by RK4", "")
    yield from table(("", "1000 steps/s"), rows)


def arm_goals(results):
    ours, mujoco, commands = (read(results, name) for name in ("arm", "arm_mujoco", "commands"))
    if ours and mujoco:
        yield at_least("arm of seven joints, RK4 by `pf_sim` from text, speed over MuJoCo's",
                       mujoco["whole"]/ours["whole"], 2)
        if commands:
            yield at_least("the same by `pfaff run`, the whole process",
                           mujoco["whole"]/commands["arm"]["processor"], 2)
        off = max(abs(a - b) for a, b in zip(ours["q"], mujoco["q"]))
        yield at_most("arm, difference of an angle from MuJoCo's after 10 s", off, AGREEMENT, " rad", 2)


# ---------------------------------------------------------------- sweeps


SWEEPS = {"wheel": "piano wheel, 3 s by dopri5", "step": "one step: a member by itself", "robot": "free-floating robot, 6000 steps of rk4",
          "arm": "arm of seven joints, 200 steps of rk4"}


def rollout_of(results):
    """Seconds of a step of MuJoCo's rollout, on one thread."""
    return ((read(results, "python-arm") or {}).get("MuJoCo") or {}).get("motion", {}).get("rollout")


def robot_rate(found):
    """Operations of the accelerations in a second: four times in a step."""
    robot = found["robot"]
    return 4*found["operations"]*robot["steps"]*robot["members"]/robot["cpu"]


def sweep_tables(results):
    found = read(results, "sweep")
    if not found:
        return
    cases = {name: found[name] for name in SWEEPS if name in found}
    yield from ("### Members of sweeps", "")
    yield from table(("", "members", "us a member, one core", "1000 steps/s and core", "two threads over one"),
                     ((SWEEPS[name], case["members"], f"{1e6*case['cpu']/case['members']:.3g}",
                       f"{case['steps']*case['members']/case['cpu']/1e3:.0f}" if case["steps"] else "-",
                       f"{case['wall']/case['wall_two']:.2f}") for name, case in cases.items()))
    rollout = rollout_of(results)
    if rollout:
        yield from (f"The arm by MuJoCo's `rollout`, a thread: {1e-3/rollout:.0f} thousand steps/s.", "")
    yield from (f"The robot's accelerations take {found['operations']:.0f} operations, a sine with its cosine as 49: {robot_rate(found)/1e9:.3g} GFLOP/s. "
                f"The core does {found['peak']/1e9:.3g} at most without fused operations, in vectors as wide.", "")


def sweep_goals(results):
    found = read(results, "sweep")
    if not found:
        return
    rollout = rollout_of(results)
    if rollout and "arm" in found:
        arm = found["arm"]
        yield at_least("arm of seven joints, RK4 in a sweep, steps a second and core over MuJoCo's `rollout`",
                       rollout*arm["steps"]*arm["members"]/arm["cpu"], 10)
    yield at_least("free-floating robot in a sweep, part of the core's peak without FMA", 100*robot_rate(found)/found["peak"], 30, " %")
    yield at_least("sweeps, two threads over one, worst", min(found[name]["wall"]/found[name]["wall_two"] for name in SWEEPS if name in found), 1.9)
    yield at_most("a million piano wheels for 3 s on two cores", found["million"], 30, " s")
    yield at_most("what a member of a sweep costs by itself", 1e6*found["step"]["cpu"]/found["step"]["members"], 5, " us")


# ---------------------------------------------------------------- motions, all included


WAYS = {"text": "from text", "equations": "from derived equations", "again": "again, nothing read anew",
        "arkode": "ARKODE, equations by hand"}


def motion_tables(results):
    found = {name: (read(results, f"run-{name}") or {}).get("whole") for name in ROBOTS}
    if not all(found.values()):
        return
    yield from ("### 60 s at 1e-6, everything included", "")
    yield from table(("", *(f"{name} [ms]" for name in ROBOTS)),
                     ((text, *(f"{found[name][way]*1e3:.3f}" if way in found[name] else "-" for name in ROBOTS))
                      for way, text in WAYS.items()))


def motion_goals(results):
    for name in ROBOTS:
        found = (read(results, f"run-{name}") or {}).get("whole", {})
        for way in ("text", "equations", "again"):
            if "arkode" in found:
                yield at_most(f"{name}, 60 s {WAYS[way]}, over ARKODE", found[way]/found["arkode"], 1)


# ---------------------------------------------------------------- tape


def agreeing(peers):
    """A peer whose numbers are others has computed something else: its time says nothing."""
    return {name: peer for name, peer in (peers or {}).items() if peer["difference"] <= AGREEMENT}


def tape_tables(results):
    cases = {model: read(results, f"tape-{model}") for model in MODELS}
    cases = {model: case for model, case in cases.items() if case}
    peers = {model: agreeing(read(results, f"tape_peers-{model}")) for model in cases}
    names = list(dict.fromkeys(name for found in peers.values() for name in found))
    if not cases:
        return
    yield from ("### M, F, A and b, ns for a state", "")
    yield from table(("model", "instructions", "tape", "tape, 64 states", *names),
                     ((model, case["instructions"], f"{case['one']*1e9:.0f}", f"{case['many']*1e9:.0f}",
                       *(f"{peers[model][name]['seconds']*1e9:.0f}" if name in peers[model] else "-" for name in names))
                      for model, case in cases.items()))


def tape_goals(results):
    off = [(peer["difference"], model, name) for model in MODELS
           for name, peer in (read(results, f"tape_peers-{model}") or {}).items()]
    if off:
        worst, model, name = max(off)
        yield at_most(f"M, F, A and b as the peers have them, worst ({model}, {name})", worst, AGREEMENT, "", 2)


# ---------------------------------------------------------------- commands


def command_tables(results):
    found = read(results, "commands")
    if not found:
        return
    names = {"true": "`true`, for comparison", "check": "`pfaff check` of a trivial model",
             "derive": "`pfaff derive` of the bicycle", "run": "`pfaff run` of the snakeboard",
             "run to csv": f"the same to CSV, {found['run to csv']['bytes']/1e6:.1f} MB",
             "lapack": "`pfaff study continue` of the carriage, by LAPACK",
             "lapack, one thread": "the same with OPENBLAS_NUM_THREADS=1"}
    yield from ("### The program", "")
    yield from table(("command", "processor [ms]", "clock [ms]"),
                     ((text, f"{found[name]['processor']*1e3:.2f}", f"{found[name]['clock']*1e3:.2f}")
                      for name, text in names.items()))


def command_goals(results):
    found = read(results, "commands")
    if not found:
        return
    yield at_most("`pfaff check` of a trivial model, by the clock", found["check"]["clock"]*1e3, 2, " ms")
    yield at_most("`pfaff derive` of the bicycle", found["derive"]["processor"], 0.2, " s")
    yield at_most("`pfaff run` to CSV over without a file",
                  found["run to csv"]["processor"]/found["run"]["processor"], 1.3)
    yield at_most("processor over clock with LAPACK", found["lapack"]["threads"], 1.05)
    yield at_most("processor with LAPACK over that of one thread",
                  found["lapack"]["processor"]/found["lapack, one thread"]["processor"], 1.05)


# ---------------------------------------------------------------- inverse dynamics


def race(results):
    """By mechanism: (ours compiled for this processor, the default build or None, fastest peer, its name)."""
    for name in RACE:
        case = (read(results, f"tree-{name}") or {}).get("inverse", {})
        peers = {peer: result["ns"] for peer, result in case.items() if peer not in ("Pfaff", "Default")}
        if "Pfaff" in case and peers:
            fastest = min(peers, key=peers.get)
            yield name, case["Pfaff"]["ns"], case.get("Default", {}).get("ns"), peers[fastest], fastest


def race_tables(results):
    found = list(race(results))
    if not found:
        return
    yield from ("### Inverse dynamics", "")
    yield from table(("mechanism", "default build [ns]", "for this processor [ns]", "fastest peer [ns]", "its name",
                      "default over peer"),
                     ((name, f"{default:.0f}" if default else "-", f"{native:.0f}", f"{peer:.0f}", fastest,
                       f"{default/peer:.2f}" if default else "-") for name, native, default, peer, fastest in found))


def race_goals(results):
    for name, _, default, peer, fastest in race(results):
        if default:
            yield at_most(f"inverse dynamics, {name}, default build over {fastest}", default/peer, 0.8)


# ---------------------------------------------------------------- generated code


def generated(results):
    """By mechanism: (Pinocchio's aba, code for one state, for many a state, our recursion by loops), ns."""
    for name in GENERATED:
        case = (read(results, f"tree-{name}") or {}).get("forward", {})
        peers = [result["ns"] for peer, result in case.items() if peer.startswith("Pinocchio")]
        if peers and "Generated" in case and "Batch" in case:
            yield name, min(peers), case["Generated"]["ns"], case["Batch"]["ns"], case["Pfaff"]["ns"]


def generated_tables(results):
    found = list(generated(results))
    if found:
        yield from ("### Forward dynamics written out for one mechanism", "")
        yield from table(("mechanism", "Pinocchio's aba [ns]", "one state [ns]", "64 states, each [ns]",
                          "`pf_tree_forward` [ns]"),
                         ((GENERATED[name], *(f"{ns:.0f}" for ns in case)) for name, *case in found))
    native, peers = native_times(results), read(results, "native_peers")
    if not native or not peers:
        return
    yield from ("### Accelerations and multipliers by elimination, ns, each waiting for the one before", "")
    yield from table(("model", "native", "exported C, -O2", "exported C, -O3 -march=native", "CasADi's C, -O2",
                      "CasADi's C, -O3 -march=native"),
                     ((model, f"{native[model]:.0f}",
                       *(f"{case[code][flags]*1e9:.0f}" for code in ("exported C", "CasADi C") for flags in case[code]))
                      for model, case in peers.items() if model in native))


def native_times(results):
    """What bench_native has printed: the fourth column by model."""
    path = results/"native.txt"
    lines = path.read_text().splitlines()[1:] if path.exists() else []
    return {words[0].removesuffix(".pf"): float(words[3]) for words in (line.split() for line in lines)}


def generated_goals(results):
    for name, aba, one, many, _ in generated(results):
        yield at_least(f"{GENERATED[name]}, Pinocchio's aba over code for one state", aba/one, 3)
        yield at_least(f"{GENERATED[name]}, Pinocchio's aba over code for many states, each", aba/many, 10)
    native, peers = native_times(results), read(results, "native_peers") or {}
    for model, case in peers.items():
        if model in native:
            yield at_least(f"{model}, CasADi's C over native accelerations", case["CasADi C"]["-O2"]*1e9/native[model], 1)


# ---------------------------------------------------------------- Python


def microseconds(seconds):
    return f"{seconds*1e6:.3g}"


def call_tables(results):
    found = read(results, "python-calls")
    if not found:
        return
    yield from ("### Python: imports in a fresh process", "")
    yield from table(("", "clock [ms]", "processor [ms]"),
                     ((f"`import {name}`" if " " not in name else name, f"{time['clock']*1e3:.1f}",
                       f"{time['processor']*1e3:.1f}") for name, time in found["import"].items()))
    yield from ("### Python: calls beside C", "")
    yield from table(("", "rows", "Python [us]", "same call from C [us]", "by `pfaff/sim.h` [us]", "over the same call"),
                     (*((f"`sim.step`, {name}", "-", microseconds(case["python"]), microseconds(case["c"]), "-",
                         f"{microseconds(case['overhead'])} us more") for name, case in found["step"].items()),
                      *((f"`m.run`, {case['seconds']:g} s of the {case['model']}", case["rows"],
                         microseconds(case["python"]), microseconds(case["command"]), microseconds(case["c"]),
                         f"{case['python']/case['command']:.3f}") for case in found["run"])))


def call_goals(results):
    found = read(results, "python-calls")
    if not found:
        return
    yield at_most("`import pfaff`, by the clock", found["import"]["pfaff"]["clock"]*1e3, 100, " ms")
    for name, case in found["step"].items():
        yield at_most(f"`sim.step` over the C call, {name}", case["overhead"]*1e6, 2, " us")
    for case in found["run"]:
        yield at_most(f"`m.run` over the same call from C, {case['seconds']:g} s of the {case['model']}",
                      case["python"]/case["command"], 1.05)
    for case in found.get("short", ()):
        yield at_most(f"`m.run(0.001)` over a simulation that starts again, {case['model']}", case["run"]/case["open"],
                      1.5)


def pydy_tables(results):
    found = read(results, "python-pydy")
    cases = agreeing(found["cases"]) if found else {}
    if not cases:
        return
    versions = found["versions"]
    peers = f"SymPy {versions['SymPy']} and PyDy {versions['PyDy']}"
    yield from (f"### Python: from a system to its motion, against {peers}", "")
    parts = ("derive", "generate", "compile", "integrate", "whole")
    heads = ("system", "ours [s]", *(f"PyDy: {part} [s]" for part in parts), "times", "our error", "PyDy's error")
    yield from table(heads,
                     ((f"{name}, {case['seconds']:g} s", f"{case['ours']['whole']:.4f}",
                       *(f"{case['PyDy'][part]:.3f}" for part in parts),
                       f"{case['PyDy']['whole']/case['ours']['whole']:.0f}", f"{case['ours']['error']:.1e}",
                       f"{case['PyDy']['error']:.1e}") for name, case in cases.items()))


def pydy_goals(results):
    found = read(results, "python-pydy")
    cases = found["cases"] if found else {}
    if "bicycle" in agreeing(cases):
        yield at_least("bicycle from Python, SymPy and PyDy's compiled way over ours, end to end",
                       cases["bicycle"]["PyDy"]["whole"]/cases["bicycle"]["ours"]["whole"], 100)
    for name, case in cases.items():
        yield at_most(f"{name}, accelerations as SymPy and PyDy have them", case["difference"], AGREEMENT, "", 2)


ARM_WORK = {"one": "accelerations, a state at a time", "many": "accelerations, 10,000 states",
            "motion": "RK4, 100 motions of 1,000 steps, a step"}


def python_arm_tables(results):
    found = agreeing(read(results, "python-arm"))
    if not found:
        return
    yield from ("### Python: arm of seven joints", "")
    rows = ((text, f"{name} {case.get('version', '')}".strip() + f", `{call}`", microseconds(seconds))
            for work, text in ARM_WORK.items() for name, case in found.items()
            for call, seconds in case.get(work, {}).items())
    yield from table(("", "call", "us"), rows)
    yield from (f"Compiling the native code took {found['Pfaff']['compile']:.2g} s, once.", "")


def python_arm_goals(results):
    for name, case in (read(results, "python-arm") or {}).items():
        peer = {"Pfaff": "other calls of ours have"}.get(name, f"{name} has")
        yield at_most(f"arm from Python, accelerations as {peer} them", case["difference"], AGREEMENT, "", 2)
        if "ends" in case:
            yield at_most(f"arm from Python, ends of motions as {peer} them", case["ends"], AGREEMENT, "", 2)


def scipy_tables(results):
    found = read(results, "python-scipy")
    if not found:
        return
    yield from (f"### Python: SciPy's `solve_ivp` with `m.rhs`, and ours, both at {found['tolerance']:g}", "")
    for name, case in found["motions"].items():
        yield from table((f"{case['seconds']:g} s of the {name}", "ms", "evaluations", "largest error of a coordinate"),
                         ((f"`{way}`", f"{one['seconds']*1e3:.3g}", one["evaluations"], f"{one['error']:.1e}")
                          for way, one in case["ways"].items()))


# ---------------------------------------------------------------- all


TABLES = (growth_tables, auto_tables, arm_tables, sweep_tables, motion_tables, tape_tables, command_tables, race_tables,
          generated_tables, call_tables, pydy_tables, python_arm_tables, scipy_tables)
GOALS = (growth_goals, auto_goals, arm_goals, sweep_goals, motion_goals, tape_goals, command_goals, race_goals,
         generated_goals, call_goals, pydy_goals, python_arm_goals)
SOURCES = {"growth": "growth with size", "auto": "`auto`", "arm": "the arm", "arm_mujoco": "MuJoCo on the arm",
           "run-free_floating": "motions, everything included", "tape-snakeboard": "the tape",
           "tape_peers-snakeboard": "SymEngine and CasADi", "commands": "the program",
           "tree-chain_7": "inverse dynamics", "tree-arm7": "generated forward dynamics", "native_peers": "CasADi's C",
           "python-calls": "the Python package", "python-pydy": "SymPy and PyDy", "python-arm": "the arm from Python",
           "python-scipy": "SciPy"}


def report(results):
    machine = read(results, "machine") or {"processor": "unknown", "cores": "?", "load": "?"}
    goals = [goal for goals in GOALS for goal in goals(results)]
    yield (f"{machine['processor']}, {machine['cores']} cores, load {machine['load']} when it began; default build; "
           f"{sum(met for *_, met in goals)} of {len(goals)} goals met.")
    yield ""
    absent = [text for name, text in SOURCES.items() if not read(results, name)]
    if absent:
        yield from (f"Not measured here: {', '.join(absent)}.", "")
    yield from ("### Goals", "")
    yield from table(("goal", "measured", "wanted", "result"),
                     ((what, value, limit, "met" if met else "**missed**") for what, value, limit, met in goals))
    for tables in TABLES:
        yield from tables(results)


def main():
    lines = list(report(Path(sys.argv[1])))
    if len(sys.argv) < 4:
        print("\n".join(lines))
        return
    path = Path(sys.argv[3])
    before, rest = path.read_text().split(BEGIN + "\n")
    after = rest.split(END)[1]
    path.write_text(before + BEGIN + "\n" + "\n".join(lines) + END + after)


if __name__ == "__main__":
    main()
