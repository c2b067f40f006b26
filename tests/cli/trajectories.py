# SPDX-License-Identifier: Apache-2.0
"""Runs every reference trajectory of tests/reference/index.json and compares.

trajectories.py PFAFF SOURCE METHOD[=RTOL] …   by methods that choose their step: to the tolerance of the index
trajectories.py PFAFF SOURCE METHOD:ORDER …    by methods with a fixed step: errors fall as the order says"""
import csv, glob, json, math, os, subprocess, sys

pfaff, source = sys.argv[1], sys.argv[2]
folder = os.path.join(source, "tests", "reference")
failed = passed = 0


def value(text):
    return repr(float(eval(text, {"__builtins__": {}}, vars(math))))


def read_reference(name):
    with open(os.path.join(folder, name)) as stream:
        lines = [line for line in stream if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    return [{key: float(cell) for key, cell in row.items()} for row in rows]


def run(entry, reference, method, *options):
    options = ["--by", method, *options, "--for", str(entry["until"])]
    options += ["--at", ",".join(repr(row["t"]) for row in reference), "--json"]
    for name, text in entry.get("parameters", {}).items():
        options += ["-p", f"{name}={value(text)}"]
    for name, text in entry.get("state", {}).items():
        options += ["--state", f"{name}={value(text)}"]
    model = glob.glob(os.path.join(source, "examples", "*", entry["model"] + ".pf"))[0]
    result = subprocess.run([pfaff, "run", *options, model], capture_output=True, text=True)
    if "needs the library" in result.stderr:
        print(f"{method} is left out: this build lacks its library")
        sys.exit(failed > 0)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr


def worst_difference(entry, reference, motion):
    if isinstance(motion, str): return math.inf
    worst = 0
    for row, expected in zip(motion["rows"], reference, strict=True):
        got = dict(zip(motion["columns"], row))
        for key, column in entry["columns"].items():
            sign = -1 if column.startswith("-") else 1
            want = expected[key]
            difference = abs(sign*got[column.lstrip("-")] - want)/max(1, abs(want))
            worst = max(worst, difference)
    return worst


def tell(good, entry, method, words):
    global failed, passed
    failed, passed = failed + (not good), passed + good
    print(f"{'ok  ' if good else 'FAIL'} {entry['file']:36} {method:18}", words)


def meets_tolerance(entry, reference, method, rtol):
    allowed = entry.get("tolerance_by", {}).get(method, entry["tolerance"])
    motion = run(entry, reference, method, "--rtol", rtol, "--atol", repr(float(rtol)/100))
    worst = worst_difference(entry, reference, motion)
    tell(worst <= allowed, entry, method, f"{worst:.2g} (allowed {allowed:.0g})" if math.isfinite(worst) else motion)


def has_order(entry, reference, method, order):
    """Halves the step until the errors fall as they should, or twice even faster."""
    until = entry.get("order_until", entry["until"])
    entry, reference = {**entry, "until": until}, [row for row in reference if row["t"] <= until + 1e-9]
    last, seen, fast = math.inf, [], 0
    for k in range(12):
        step = until/50/2**k
        motion = run(entry, reference, method, "--step", repr(step))
        if isinstance(motion, str) and "needs a regular mass matrix" in motion:
            return tell(True, entry, method, "says that it needs a regular mass matrix")
        error = worst_difference(entry, reference, motion)
        observed = math.log2(last/error) if 0 < error < math.inf and last < math.inf else math.nan
        seen.append(f"{error:.1e}")
        fast = fast + 1 if error < 0.02 and observed > order else 0
        if error < 0.01 and (abs(observed - order) < 0.15 or fast == 2):
            return tell(True, entry, method, f"order {observed:.2f} at step {step:.2g}, error {error:.1e}")
        last = error
    tell(False, entry, method, f"errors {' '.join(seen)} do not show order {order}")


for entry in json.load(open(os.path.join(folder, "index.json")))["trajectories"]:
    reference = [row for row in read_reference(entry["file"]) if row["t"] <= entry["until"] + 1e-9]
    for word in sys.argv[3:]:
        method, fixed, order = word.partition(":")
        if fixed:
            has_order(entry, reference, method, float(order))
        else:
            method, _, rtol = word.partition("=")
            meets_tolerance(entry, reference, method, rtol or "1e-12")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
