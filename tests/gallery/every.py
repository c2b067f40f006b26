# SPDX-License-Identifier: Apache-2.0
"""Every example that is not in tests/examples.txt: it has a reference among the tests of its family, the formulations agree, and
that is proved, or it is said here why it cannot be: every.py PFAFF SOURCE"""
import json
import re
import subprocess
import sys

from gallery import PROGRAM, SOURCE, expect, failures

UNPROVED = {
    "tippe_top": "depends on the constraint force",  # friction in proportion to the normal force
    "falling_cat": "not a rational function",        # the bend is an arc cosine of the masses
    "bennett": "only where the position constraints hold",  # closed loops that move although they have too many constraints
    "bricard": "only where the position constraints hold",
    "stewart": "is too large",                       # lengths of six legs
    "hand_cascade": "only where the position constraints hold",
    "hand_sliding": "depends on the constraint force",
    "magnet_pendulum": "no more points",             # a root for each magnet: few numbers have all three
}
MASSLESS = {"hand_hold", "hand_viscous", "hand_sliding", "hand_cascade"}  # five formulations do without M^-1
AGREEMENT = 1e-9


def tested():
    here = SOURCE/"tests"/"gallery"
    return {name for file in here.glob("*.py") for name in re.findall(r'^@model\("(\w+)"\)', file.read_text(encoding="utf-8"), re.M)}


def compare(name, file):
    done = subprocess.run([PROGRAM, "compare", "--prove", "--json", str(file)], capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    expect(f"{name} can be compared", "rows" in told, done.stderr)
    if "rows" not in told:
        return
    proved = told["proved"] if name not in UNPROVED else UNPROVED[name] in told["proof"]
    expect(f"{name} is proved, or not for the reason that is said", proved or "built without" in str(told["proof"]), told["proof"])
    differences = {row["formulation"]: row["max_difference"] for row in told["rows"] if row["applicable"]}
    expect(f"{name}: formulations apply", len(differences) >= (5 if name in MASSLESS else 6), differences)
    expect(f"{name}: formulations agree", all(d < AGREEMENT for d in differences.values()), differences)


def main():
    listed = (SOURCE/"tests"/"examples.txt").read_text(encoding="utf-8")
    others = [file for file in sorted(SOURCE.glob("examples/*/*.pf")) if f"{file.parent.name}/{file.stem} " not in listed]
    known = tested()
    for file in others:
        expect(f"{file.stem} has a reference in tests/gallery", file.stem in known)
        compare(file.stem, file)
    print(f"{len(others)} examples, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
