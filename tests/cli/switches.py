#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with exact answers: switches, dry friction, events, singular passages, starts, units.

switches.py PFAFF CASES.json                     every case by dopri5 and dop853, at both settings
switches.py PFAFF CASES.json --methods           every case by the other methods, to what their order allows
switches.py PFAFF CASES.json F01 S02 [--by rk4] [--step 1e-3] [-v]
                                                 single cases by hand; -v: every comparison

A case of PENDING or PENDING_BY does not pass yet; when it does, this is an error until it is taken off the list."""
import argparse, concurrent.futures, csv, json, os, re, subprocess, sys, tempfile

LIMIT = 10       # seconds for each call
LIMIT_PENDING = 2

SETTINGS = ((0, []), (1, ["--rtol", "1e-10"]))  # which of the two tolerances, options

# What is allowed by the other methods, beside the first tolerance of the case, times max(1, |value|).
#   rk4                 1e-6: h^4 = 1e-12 times rates to the fifth power (3 to 15 rad/s) times the duration
#   generalized_alpha,  1e-3: h^2 = 1e-6, times rates to the third power over 12, times the duration
#   rattle
#   cvode_*, ida, ida2  1e-5, 1e-4: errors of single steps of rtol = 1e-8 add up, each restart at a switch begins with order 1
#                       and tiny steps; ida and ida2 control what BDF leaves, not what it did
METHODS = {"rk4": (["--step", "1e-3"], 1e-6), "generalized_alpha": (["--step", "1e-3"], 1e-3), "rattle": (["--step", "1e-3"], 1e-3),
           "cvode_adams": ([], 1e-5), "cvode_bdf": ([], 1e-4), "ida": ([], 1e-4), "ida2": ([], 1e-4)}
SHORTER_STEPS = {"U01": "1e-5"}  # 122 rad/s for 10 ms

# by no method
PENDING = """
""".split()

# by these in addition
PENDING_BY = {
    "dopri5": "",
    "dop853": "",
    "rk4": "",
    "generalized_alpha": "",
    "rattle": "",
    "cvode_adams": "",
    "cvode_bdf": "",
    "ida": "",
    "ida2": "",
}


def rows_of(path):
    """The rows of a CSV by their heads, and by the names without units."""
    if not os.path.exists(path): return []
    with open(path, newline="") as stream:
        table = list(csv.reader(stream))
    heads = table[0] if table else []
    both = [(i, head) for i, head in enumerate(heads)] + [(i, head.split(" [")[0]) for i, head in enumerate(heads)]
    return [{name: float(row[i]) for i, name in both if row[i] != ""} for row in table[1:]]


class Answer:
    """One call of the program."""

    def __init__(self, arguments, limit, place):
        self.file = os.path.join(place, "out.csv")
        if os.path.exists(self.file): os.remove(self.file)
        try:
            done = subprocess.run([*arguments, "--out", self.file], capture_output=True, text=True, timeout=limit)
            self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.code, self.out, self.err = None, "", f"no answer in {limit} s"
        try:
            self.json = json.loads(self.out)
        except ValueError:
            self.json = {}
        self.rows = rows_of(self.file)

    def sample(self, name, t):
        """The later one where an event makes two."""
        found = [row[name] for row in self.rows if name in row and abs(row["t"] - t) <= 1e-12*max(1, abs(t))]
        return found[-1] if found else None

    def rank(self):
        """The time of a loss of rank, from the message."""
        words = self.err + " " + str(self.json.get("end", ""))
        at = re.search(r"t = ([-+0-9.e]+[0-9])", words)
        return float(at.group(1)) if self.code and re.search("rank|singular", words) and at else None

    def event(self, index, field):
        events = self.json.get("events", [])
        value = events[index] if index < len(events) else None
        for name in field.split("/"):
            value = value.get(name) if value else None
        return value


def got(answer, expect):
    what = expect["what"]
    if what in ("sample", "csv"): return answer.sample(expect["column"], float(expect["t"]))
    if what == "last": return answer.rows[-1].get(expect["column"]) if answer.rows else None
    if what == "t_end": return answer.json.get("t_end")
    if what == "event": return answer.event(expect["index"], expect["field"])
    if what == "rank": return answer.rank()
    raise ValueError(what)


def label(expect):
    what = expect["what"]
    if what in ("sample", "csv"): return f"{expect['column']} at t = {expect['t']}"
    if what == "last": return f"{expect['column']} in the last row"
    if what == "event": return f"{expect['field']} of event {expect['index'] + 1}"
    return {"rank": "time of the loss of rank", "t_end": "time of the end"}.get(what, what)


def judge(answer, expect, setting, slack):
    """(is it right, words)"""
    what = expect["what"]
    if answer.code is None: return False, answer.err
    words = answer.err.strip().splitlines()[0] if answer.err.strip() else ""
    if what == "end": return answer.json.get("end") == expect["value"], f"end: {answer.json.get('end')} {words}"
    if what == "refused": return answer.code != 0, f"exit code {answer.code}"
    if what == "error":
        return answer.code != 0 and all(part in answer.err for part in expect["contains"]), f"exit code {answer.code}: {words}"
    value, exact = got(answer, expect), float(expect["value"])
    if value is None: return False, f"{label(expect)}: absent; {answer.json.get('end', '')} {words}"
    allowed = max(expect["tol"][setting], slack*max(1, abs(exact)))
    return abs(value - exact) <= allowed, f"{label(expect)}: {value!r}, exact {expect['value']}, error {abs(value - exact):.1e} (allowed {allowed:.0e})"


def without_method(options):
    place = options.index("--by") if "--by" in options else len(options)
    return options[:place] + options[place + 2:]


def try_case(program, case, method, settings, slack, limit, tell=None):
    """The first thing that is wrong, or None."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "case.pf")
        with open(path, "w") as stream:
            stream.write(case["model"])
        wrong = None
        for setting, more in settings:
            for call in case["calls"]:
                options = [*without_method(call["options"]), "--by", method, *more]
                answer = Answer([program, call["command"], *options, "--json", path], limit, place)
                if "needs a regular mass matrix" in answer.err: return "needs a regular mass matrix"
                for expect in call["expect"]:
                    good, words = judge(answer, expect, setting, slack)
                    if tell: tell(good, f"{case['id']} {' '.join(options)}: {words}")
                    if not good and wrong is None: wrong = f"{' '.join(more) or 'default'}: {words}"
                    if wrong and not tell: return wrong
        return wrong


def is_pending(case, method):
    return case["id"] in PENDING or case["id"] in PENDING_BY[method].split()


def tasks_of(cases, arguments):
    """(case, method, settings, slack)"""
    if arguments.methods:
        for method, (options, slack) in METHODS.items():
            for case in cases:
                step = SHORTER_STEPS.get(case["id"])
                more = ["--step", step] if step and "--step" in options else options
                yield case, method, ((0, more),), slack
        return
    settings = ((0, ["--step", arguments.step]),) if arguments.step else SETTINGS
    for case in cases:
        for method in arguments.by or ("dopri5", "dop853"):
            yield case, method, settings, METHODS.get(method, ([], 0))[1]


def lacks_library(program, case):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "case.pf")
        with open(path, "w") as stream:
            stream.write(case["model"])
        done = subprocess.run([program, "run", "--by", "ida", "--for", "1e-3", path], capture_output=True, text=True)
        return "needs the library" in done.stderr


def report(results, by_hand):
    passed = failed = pending = 0
    for name, (future, expected_to_fail) in results.items():
        wrong = future.result()
        if wrong and wrong.startswith("needs"):  # rattle says so and is right
            wrong = expected_to_fail = None
        if wrong and expected_to_fail:
            pending += 1
            print(f"pending {name}: {wrong}")
            continue
        good = not wrong and not expected_to_fail
        passed, failed = passed + good, failed + (not good)
        if not good or by_hand:
            why = f": {wrong}" if wrong else ": passes; take it off the list of what is pending"
            print(f"{'ok  ' if good else 'FAIL'} {name}" + ("" if good else why))
    if pending: print(f"{pending} pending")
    print(f"{passed} passed, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--by", action="append")
    parser.add_argument("--step")
    parser.add_argument("--methods", action="store_true")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with open(arguments.file) as stream:
        cases = json.load(stream)["cases"]
    by_hand = bool(arguments.cases or arguments.by or arguments.step)
    unknown = set(arguments.cases) - {case["id"] for case in cases}
    if unknown: sys.exit(f"no case {', '.join(sorted(unknown))}")
    cases = [case for case in cases if not arguments.cases or case["id"] in arguments.cases]
    if arguments.methods and lacks_library(program, cases[0]):
        print("cvode_adams, cvode_bdf, ida and ida2 are left out: this build lacks their library")
        for method in ("cvode_adams", "cvode_bdf", "ida", "ida2"): del METHODS[method]

    tell = (lambda good, words: print("ok  " if good else "FAIL", words)) if arguments.v else None
    results = {}
    with concurrent.futures.ThreadPoolExecutor(1 if arguments.v else arguments.jobs) as pool:
        for case, method, settings, slack in tasks_of(cases, arguments):
            pending = not by_hand and is_pending(case, method)
            future = pool.submit(try_case, program, case, method, settings, slack, LIMIT_PENDING if pending else LIMIT, tell)
            results[f"{case['id']} {method}"] = (future, pending)
    sys.exit(report(results, by_hand) > 0)


main()
