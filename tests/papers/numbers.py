#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/papers/: every number on them is what the program computes now, and a wrong one would be seen.

    numbers.py PROGRAM SOURCE-DIRECTORY
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def check(program, source, *options):
    return subprocess.run([sys.executable, source / "scripts/papers.py", program, "--check", *options], capture_output=True, text=True, timeout=800)


def misprint(text):
    """The page with another digit in the column of the program in the first row of a table that agrees."""
    row = re.search(r"^\|(?:[^|\n]*\|){2} (-?\d[\d.]*\d) \|[^|\n]*\| agrees", text, re.M)
    digit = row.end(1) - 2
    return text[:digit] + ("1" if text[digit] != "1" else "7") + text[digit + 1:]


def missing_pictures(source):
    folder = source / "docs/papers"
    for page in sorted(folder.glob("*.md")):
        for name in re.findall(r"\]\((images/[^)]*)\)", page.read_text(encoding="utf-8")):
            if not (folder / name).is_file():
                yield f"{page.name}: {name} is missing"


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    done = check(program, source)
    bad = list(missing_pictures(source))
    if done.returncode != 0:
        bad.append(done.stdout + done.stderr)
    with tempfile.TemporaryDirectory() as place:
        for page in (source / "docs/papers").glob("00?.md"):
            (pathlib.Path(place) / page.name).write_text(misprint(page.read_text(encoding="utf-8")), encoding="utf-8")
            wrong = check(program, source, "--only", page.stem, "--pages", place)
            if wrong.returncode == 0 or " 1 lines are off" not in wrong.stdout:
                bad.append(f"a misprint in {page.name} is not seen: {wrong.stdout}{wrong.stderr}")
    print("\n".join(bad) or done.stdout.strip())
    return len(bad) > 0


sys.exit(main())
