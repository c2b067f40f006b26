# SPDX-License-Identifier: Apache-2.0
"""pdflatex compiles what derive --latex --standalone writes, for the examples of tests/examples.txt in every form, with steps for some.

Documents with the same preamble are compiled together; where that fails, one by one, to say which. Without pdflatex
there is nothing to test."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from representative import examples

PFAFF, ROOT = sys.argv[1], Path(sys.argv[2])
FORMS = ["multipliers", "rosenberg", "rosenberg_extended", "udwadia_kalaba", "maggi", "laconic", "gibbs_appell", "kane",
         "chaplygin", "voronets", "boltzmann_hamel", "hamilton", "hamel_wrong"]
TOGETHER = 25
LONGEST = 200_000  # equations of hundreds of pages are not for paper
BEGIN, END = "\\begin{document}\n", "\\end{document}\n"


def derive(form, file, *more):
    done = subprocess.run([PFAFF, "derive", "--form", form, "--latex", "--standalone", *more, file],
                          capture_output=True, text=True)
    return done.stdout if done.returncode == 0 and len(done.stdout) < LONGEST else None


def documents():
    for file in examples(ROOT):
        for form in FORMS:
            yield f"{file.stem}, {form}", derive(form, file)
    for file in sorted(ROOT.glob("tests/reference/textbook/*.pf")):
        yield f"{file.stem}, laconic", derive("laconic", file)
    for name in ("unicycle", "chaplygin_sleigh", "rolling_ball"):
        for form in FORMS[:1] + FORMS[2:]:
            yield f"{name}, {form}, steps", derive(form, next(ROOT.glob(f"examples/*/{name}.pf")), "--steps")


def compiles(place, preamble, bodies):
    """The first error, or None."""
    (place/"x.tex").write_text(preamble + BEGIN + "\\clearpage\n".join(bodies) + END)
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "x.tex"], cwd=place,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return None if done.returncode == 0 else next((s for s in done.stdout.splitlines() if s.startswith("!")), "no word")


def main():
    if not shutil.which("pdflatex"):
        print("no pdflatex: skipped")
        return 0
    groups, failures, count = {}, 0, 0
    for name, text in documents():
        if text is None:
            continue
        preamble, body = text.split(BEGIN)
        assert body.endswith(END), name
        groups.setdefault(preamble, []).append((name, body[:-len(END)]))
        count += 1
    with tempfile.TemporaryDirectory() as folder:
        for preamble, pages in groups.items():
            for k in range(0, len(pages), TOGETHER):
                some = pages[k:k + TOGETHER]
                together = compiles(Path(folder), preamble, [body for _, body in some])
                if together is None:
                    continue
                alone = [(name, compiles(Path(folder), preamble, [body])) for name, body in some]
                wrong = [(name, error) for name, error in alone if error] or [(f"{some[0][0]} and those after it", together)]
                for name, error in wrong:
                    print(f"FAILED: {name}: {error}")
                failures += len(wrong)
    print(f"{count - failures} passed, {failures} failed")
    return 0 if failures == 0 and count > 180 else 1


if __name__ == "__main__":
    sys.exit(main())
