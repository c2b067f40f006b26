"""Runs every reference trajectory of tests/reference/index.json and compares: trajectories.py PFAFF SOURCE [METHOD …]"""
import csv, json, math, os, subprocess, sys

pfaff, source = sys.argv[1], sys.argv[2]
methods = sys.argv[3:] or ["dopri5", "dop853"]
folder = os.path.join(source, "tests", "reference")


def value(text):
    return repr(float(eval(text, {"__builtins__": {}}, vars(math))))


def read_reference(name):
    with open(os.path.join(folder, name)) as stream:
        lines = [line for line in stream if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    return [{key: float(cell) for key, cell in row.items()} for row in rows]


def run(entry, reference, method):
    options = ["--by", method, "--rtol", "1e-12", "--atol", "1e-14", "--for", str(entry["until"])]
    options += ["--at", ",".join(repr(row["t"]) for row in reference), "--json"]
    for name, text in entry.get("parameters", {}).items():
        options += ["-p", f"{name}={value(text)}"]
    for name, text in entry.get("state", {}).items():
        options += ["--state", f"{name}={value(text)}"]
    model = os.path.join(source, "examples", entry["model"] + ".pf")
    result = subprocess.run([pfaff, "run", *options, model], capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{entry['file']} by {method}: {result.stderr}")
    return json.loads(result.stdout)


def worst_difference(entry, reference, motion):
    worst = 0
    for row, expected in zip(motion["rows"], reference, strict=True):
        got = dict(zip(motion["columns"], row))
        for key, column in entry["columns"].items():
            sign = -1 if column.startswith("-") else 1
            want = expected[key]*entry.get("scale", {}).get(key, 1)
            difference = abs(sign*got[column.lstrip("-")] - want)/max(1, abs(want))
            worst = max(worst, difference)
    return worst


failed = passed = 0
for entry in json.load(open(os.path.join(folder, "index.json")))["trajectories"]:
    reference = [row for row in read_reference(entry["file"]) if row["t"] <= entry["until"] + 1e-9]
    for method in methods:
        worst = worst_difference(entry, reference, run(entry, reference, method))
        good = worst <= entry["tolerance"]
        failed, passed = failed + (not good), passed + good
        print(f"{'ok  ' if good else 'FAIL'} {entry['file']:36} {method:8} {worst:.2g} (allowed {entry['tolerance']:.0g})")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
