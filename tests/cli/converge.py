# SPDX-License-Identifier: Apache-2.0
"""What 'pfaff converge' shows, on the command line: converge.py PFAFF SOURCE"""
import json, math, os, re, shlex, subprocess, sys, tempfile

pfaff, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.chdir(source)
passed = failed = 0


def run(command, *arguments):
    return subprocess.run([pfaff, command, *arguments], capture_output=True, text=True)


def expect(what, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    print(("ok   " if condition else "FAIL ") + what + ("" if condition else f": {detail}"))


def studies(first, *rest):
    data = json.loads(run("converge", "--json", first, *rest).stdout)
    return {study["method"]: study["levels"] for study in data["methods"]}


def documented(what):
    """The command of docs/integrators.md that has these words, and the lines that follow it."""
    lines = open("docs/integrators.md").read().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"$ pfaff {what}"))
    end = lines.index("```", at)
    return shlex.split(lines[at])[2:], lines[at + 1:end]


def numbers_of(table):
    """method -> rows of numbers, of a table as printed."""
    methods, rows = {}, None
    for line in table:
        words = line.split()
        if line and words and words[0].endswith(":"): rows = methods.setdefault(words[0][:-1], [])
        elif rows is not None and words and re.match(r"[\d.]", words[0]): rows.append([float(w) for w in words if re.match(r"[\d.]+", w)])
    return methods


has_sundials = "needs the library" not in run("run", "--by", "ida", "--for", "0.01", "examples/skates/snakeboard.pf").stderr


def the_comparison_of_the_methods_runs_as_documented():
    arguments, shown = documented("converge")
    if not has_sundials: arguments = [a.replace(",ida,ida2", "") for a in arguments]
    result = run(*arguments)
    expect("the documented comparison runs", result.returncode == 0, result.stderr)
    got, want = numbers_of(result.stdout.splitlines()), numbers_of(shown)
    for method in ("generalized_alpha", "rattle"):
        expect(f"and shows the documented errors of {method}", all(
            abs(a - b) <= 0.02*b for x, y in zip(got[method], want[method], strict=True) for a, b in zip(x[:4], y[:4])), got[method])
        # tests/reference/alpha-convergence.csv, F = 20 N up to 0.8 s, h = 1e-2: q, v, lambda of the accelerations
        reference = {"generalized_alpha": (9.04e-3, 7.86e-2, 1.90), "rattle": (8.50e-3, 1.15e-1, 1.58)}[method]
        expect("which are those of the reference", all(abs(a - b) < 0.01*b for a, b in zip(got[method][0][1:4], reference)), got[method][0])


def violations_and_orders():
    arguments, _ = documented("converge")
    if not has_sundials: arguments = [a.replace(",ida,ida2", "") for a in arguments]
    levels = studies(*arguments[1:])
    for method in ("generalized_alpha", "rattle"):
        expect(f"{method} holds the constraints to rounding at every step", all(l["violation"] < 1e-13 for l in levels[method]))
        orders = [l[key] for l in levels[method][2:] for key in ("order", "order_v", "order_lambda")]
        expect(f"{method} is of second order in q, v and lambda", all(abs(o - 2) < 0.1 for o in orders), orders)
    for l in levels.get("ida", [])[:4]:
        expect(f"ida at {l['rtol']:.0e} drifts with its tolerance", 0.1 < l["violation"]/l["rtol"] < 100, l["violation"])


def the_printed_schemes_lose_an_order():
    sleigh = ("--step", "1e-2", "--by", "generalized_alpha,rattle", "examples/skates/sleigh_variable_mass.pf")
    for options, expected in ((("--printed",), 1), ((), 2)):
        for method, levels in studies(*options, *sleigh).items():
            orders = [l[key] for l in levels[2:] for key in ("order", "order_v", "order_lambda")]
            expect(f"{method} {' '.join(options)} is of order {expected}", all(abs(o - expected) < 0.1 for o in orders), orders)


def rounding_has_no_order():
    with tempfile.TemporaryDirectory() as place:
        model = os.path.join(place, "free.pf")  # x = t: every method is exact but for rounding
        with open(model, "w") as file: file.write("coord x\nkinetic x'^2/2\nstart x' = 1\nrun 2\n")
        text = run("converge", "--by", "rk4", model).stdout
        expect("errors that are rounding have no order", "nan" not in text and text.count("     -     -") == 5, text)
        levels = studies("--by", "rk4", model)["rk4"]
        expect("nor in JSON", all(l["order"] is None and l["order_v"] is None for l in levels), levels)


def chosen_steps():
    for method, levels in studies("--adaptive", "--by", "generalized_alpha,rattle", "examples/skates/sleigh_variable_mass.pf").items():
        ratio = levels[2]["error_q"]/levels[4]["error_q"]
        expect(f"{method} by tolerance: errors follow it to the power of 2/3", 0.7 < ratio/1e4**(2/3) < 1.4, ratio)
        expect("at rounding level of the constraints", all(l["violation"] < 1e-13 for l in levels))


def options_of_the_alpha_methods():
    slow, fast = (json.loads(run("run", "--json", "--by", "generalized_alpha", "--step", "1e-2", "--rho", rho, "--for", "0.5",
                                 "examples/skates/snakeboard.pf").stdout)["rows"][-1] for rho in ("1", "0"))
    expect("--rho changes the motion", max(abs(a - b) for a, b in zip(slow, fast)) > 1e-4)
    for arguments, words in ((("--rho", "2"), "between 0 and 1"), (("--by", "dopri5", "--rho", "0.5"), "dopri5"),
                             (("--by", "dopri5", "--printed"), "dopri5"), (("--by", "rk4", "--adaptive"), "rk4"),
                             (("--printed", "--adaptive"), "one size")):
        result = run("run", *arguments, "examples/skates/snakeboard.pf")
        expect(f"{' '.join(arguments)} is wrong usage", result.returncode == 2 and words in result.stderr, result.stderr)
    expect("another method forgets the rho of the model", run("run", "--by", "dopri5", "--for", "0.1", "examples/skates/snakeboard.pf").returncode == 0)
    text = "model m\ncoord x\nkinetic x'^2/2\nstart x' = 1\nrun 1 by %s\n"
    for run_of, words in (("dopri5 { rho = 0.5 }", "rho"), ("rattle { step = 0.1, scheme = new }", "printed"),
                          ("rattle { stop = 3 }", "scheme")):
        result = subprocess.run([pfaff, "run", "-"], input=text % run_of, capture_output=True, text=True)
        expect(f"'{run_of}' in a model is refused", result.returncode == 1 and words in result.stderr, result.stderr)
    for run_of in ("rattle { step = 0.1, scheme = printed }", "rattle { rtol = 1e-4, rho = 0 }"):
        result = subprocess.run([pfaff, "run", "-"], input=text % run_of, capture_output=True, text=True)
        expect(f"'{run_of}' is obeyed", result.returncode == 0, result.stderr)


def methods_that_keep_the_energy():
    board = "examples/skates/snakeboard.pf"
    for by, rho in (("discrete_gradient", "1"), ("discrete_gradient", "0.4"), ("hht_alpha", "0.7"), ("wbz_alpha", "0.4"), ("newmark", "1")):
        levels = studies("--by", by, "--rho", rho, "-p", "F=20", "--for", "0.5", "--step", "5e-3", board)[by]
        expect(f"{by} with rho = {rho} is of second order", all(abs(levels[-1][k] - 2) < 0.05 for k in ("order", "order_v", "order_lambda")), levels)
        expect("with its constraints to rounding", all(l["violation"] < 1e-14 for l in levels), levels)
    data = json.loads(run("run", "--json", "--no-rows", "-p", "F=0", "--by", "discrete_gradient", "--step", "1e-2", "--for", "20", board).stdout)
    expect("the rho that the model gives for generalized_alpha is not its own: the energy stays", data["energy"]["drift"] < 1e-15, data["energy"])
    for words, reason in ((("--adaptive",), "--adaptive"), (("--printed",), "--printed"), (("--rho", "2"), "between 0 and 1"),
                          (("--rtol", "1e-3"), "--rtol has no effect")):
        result = run("run", "--by", "discrete_gradient", "--step", "1e-2", "--for", "0.1", *words, board)
        expect(f"discrete_gradient refuses {words}", result.returncode == 2 and reason in result.stderr, result.stderr)
    result = run("run", "--by", "hht_alpha", "--rho", "0.3", "--for", "0.1", board)
    expect("hht_alpha has no rho below one half", result.returncode == 2 and "between 0.5 and 1" in result.stderr, (result.returncode, result.stderr))


def runs_that_are_not_to_be_trusted_say_so():
    rough = run("run", "-p", "F=20", "--by", "rk4", "--step", "4e-2", "--for", "2", "examples/skates/snakeboard.pf")
    expect("steps that are too long are told", "do not trust" in rough.stdout, rough.stdout)
    fine = run("run", "examples/skates/snakeboard.pf")
    expect("others are not", fine.returncode == 0 and "caution" not in fine.stdout, fine.stdout)


for test in list(globals().values()):
    if callable(test) and getattr(test, "__module__", None) == "__main__" and test.__code__.co_argcount == 0:
        test()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
