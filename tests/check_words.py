#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of the library name settings by tokens, which front ends spell; front ends do not parse messages.

    check_words.py <source directory>     checks src/ and python/pfaff
    check_words.py --self-test            checks that wrong words are seen

Fails on a string literal with an option of the shell (--step) or a command ('pfaff run') in src outside src/cli, and on a regular
expression over messages in python/pfaff. docs/architecture.md and src/base/spelling.h tell how a message names a setting.
"""
import pathlib
import re
import sys
import tempfile

# texts that are files or commands of other programs, with the words that may stand in them
FOREIGN = {"export/fmu_build.c": ("-Wl,--gc-sections,--no-as-needed",),
           "task/new.c": ("'pfaff run -p m=0.5'",),
           "out/picture.c": ("rsvg-convert --format %s --output",)}
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z]|'pfaff [a-z]")
# modules of regular expressions for texts of users: formulas and names
GRAMMARS = {"_sympy.py", "expressions.py", "_labels.py"}


def check(root):
    """All complaints, as texts."""
    for path in sorted((root/"src").rglob("*.[ch]")):
        name = path.relative_to(root/"src").as_posix()
        if name.startswith("cli/"):
            continue
        text = COMMENT.sub(lambda match: "\n"*match[0].count("\n"), path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            for literal in STRING.findall(line):
                for words in FOREIGN.get(name, ()):
                    literal = literal.replace(words, "")
                if OPTION.search(literal):
                    yield f"src/{name}:{number}: an option of the shell in {literal}"
    for path in sorted((root/"python"/"pfaff").glob("*.py")):
        if path.name in GRAMMARS:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(r"\bimport re\b|\bre\.(sub|match|search|compile|findall|fullmatch|split)\(", line):
                yield f"python/pfaff/{path.name}:{number}: a regular expression"


CASES = [
    ("src/sim/a.c", 'pf_hint(ctx, "give one by --step");', True),
    ("src/sim/a.c", 'pf_hint(ctx, "give one by @step"); /* the shell writes "--step" */', False),
    ("src/sim/a.c", 'pf_hint(ctx, "\'pfaff run\' finds it");', True),
    ("src/sim/a.c", 'printf("-- a -- b");', False),
    ("src/cli/a.c", 'fputs("--step", stream);', False),
    ("python/pfaff/a.py", "import re\n", True),
    ("python/pfaff/a.py", "text = re.sub('a', 'b', message)\n", True),
    ("python/pfaff/expressions.py", "import re\n", False),
]


def self_test():
    for name, text, wrong in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)/name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            if bool(list(check(pathlib.Path(folder)))) != wrong:
                sys.exit(f"{name}: {text!r} should {'' if wrong else 'not '}be seen")


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
    else:
        complaints = list(check(pathlib.Path(sys.argv[1])))
        print("\n".join(complaints))
        sys.exit(bool(complaints))
