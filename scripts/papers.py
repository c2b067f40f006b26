#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/papers/000.md … 004.md: what each paper claims, its numbers beside those of the program, its figures, its errata.

    papers.py PROGRAM [--only 000,003]      pages and pictures; a number that is not what the page says of it is an error
    papers.py PROGRAM --pictures [--only …] pictures alone, in docs/papers/images/ (not in the repository)
    papers.py PROGRAM --check [--only …]    makes the numbers again, without pictures, and compares them with the pages
"""
import argparse
import importlib
import pathlib
import re
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "scripts"))
from paper_pages import tools  # noqa: E402

PAPERS = ["000", "001", "002", "003", "004"]
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w])")


def make(name, program):
    return importlib.import_module(f"paper_pages.paper{name}").write(program)


def without_measured(text):
    return re.sub(r"<!-- measured -->.*?<!-- end of measured -->", "", text, flags=re.S)


def unit_of_last_digit(text):
    mantissa, _, exponent = text.partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits)


def is_order(text):
    """One digit and an exponent: a difference or a violation, of which only the size means something."""
    return re.fullmatch(r"[-+]?\de-\d+", text) is not None


def same(a, b):
    """Two numbers as they are printed: within two units of the last digit, or of the same order where that is all they tell."""
    x, y = float(a), float(b)
    if (is_order(a) or x == 0) and (is_order(b) or y == 0):
        if max(abs(x), abs(y)) <= 1e-11:
            return True  # rounding
        if is_order(a) and is_order(b):
            factor = 30 if max(abs(x), abs(y)) < 1e-8 else 5
            return 1 / factor <= abs(x / y) <= factor
    return abs(x - y) <= 2.001 * max(unit_of_last_digit(a), unit_of_last_digit(b))


def differences(written, made):
    """Lines of a page that are not what is computed now: (line number, line of the page, line now)."""
    a, b = written.splitlines(), made.splitlines()
    for i in range(max(len(a), len(b))):
        old, new = (lines[i] if i < len(lines) else "" for lines in (a, b))
        if old == new:
            continue
        same_words = NUMBER.sub("#", old) == NUMBER.sub("#", new)
        if not same_words or not all(same(x, y) for x, y in zip(NUMBER.findall(old), NUMBER.findall(new))):
            yield i + 1, old, new


def check(program, names, folder):
    bad = 0
    for name in names:
        written = without_measured((folder / f"{name}.md").read_text(encoding="utf-8"))
        for line, old, new in differences(written, without_measured(make(name, program))):
            bad += 1
            print(f"docs/papers/{name}.md, line {line} without what is measured:\n  page: {old}\n  now:  {new}")
    print(f"{len(names)} pages, {bad} lines are off")
    return bad


def contents():
    lines = [tools.MADE, "# Five papers, computed again", "",
             "Pfaff began with five papers. Each page says what the paper claims and puts its numbers beside those of the program, draws "
             "its figures",
             "in the same layout, derives its equations, and lists its errata, each with a computation that shows it. `make papers` makes "
             "them, the test",
             "`papers.numbers` computes every number on them again, and `make pictures` draws their figures, which are not in the repository.", "", "| page | paper | in short |", "|---|---|---|"]
    for name in PAPERS:
        module = importlib.import_module(f"paper_pages.paper{name}")
        lines.append(f"| [{module.TITLE}]({name}.md) | "
        f"{module.CITATION.replace(' Equation and figure numbers are those of the paper.', '').replace(' Figure numbers are those of the paper.', '')} | {module.SHORT} |")
    return "\n".join(lines) + "\n"


def write(program, names, folder):
    for name in names:
        begin = time.monotonic()
        (folder / f"{name}.md").write_text(make(name, program), encoding="utf-8")
        print(f"docs/papers/{name}.md: {time.monotonic() - begin:.1f} s")
    (folder / "README.md").write_text(contents(), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--only", default=",".join(PAPERS))
    parser.add_argument("--pages", type=pathlib.Path, default=SOURCE / "docs/papers")
    options = parser.parse_args()
    names = options.only.split(",")
    with tempfile.TemporaryDirectory() as place:
        if options.check:
            return check(tools.Program(options.program, SOURCE, place, times=False), names, options.pages) > 0
        (options.pages / "images").mkdir(parents=True, exist_ok=True)
        program = tools.Program(options.program, SOURCE, place, options.pages / "images", times=not options.pictures)
        if options.pictures:
            for name in names:
                make(name, program)
            return 0
        write(program, names, options.pages)
        return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except tools.Failure as failure:
        sys.exit(f"papers.py: {failure}")
