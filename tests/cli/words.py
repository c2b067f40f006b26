#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every word of the language in the place of every name that a model can declare.

words.py PFAFF SOURCE

Each is refused at the name itself, with the reason and another spelling; words that mean something in one place only (names of
properties, shapes, joints) are names like any other. The words are read from the tables in src/lang."""
import os
import re
import subprocess
import sys
import tempfile

ALLOWED = "turn mass com axis radius disc ball inside outside surface sphere box cylinder color width step rtol then else".split()
BUILT_IN = "t pi ground lambda time".split()
PLACES = {  # one declaration in each, the name at {w}; what stands before it may be used by it
    "param": "param {w} = 1\n",
    "list": "param {w}[2] = list(1, 2)\n",
    "coord": "coord {w}\nkinetic {w}'^2/2\n",
    "second": "coord a, {w}\nkinetic a'^2/2 + {w}'^2/2\n",
    "speed": "coord a\nspeed {w}\nrate a' = {w}\nkinetic a'^2/2\n",
    "input": "input {w}\n",
    "let": "let {w} = 2\n",
    "function": "let {w}(a) = 2*a\n",
    "argument": "let f({w}) = 2*{w}\n",
    "body": "coord a\nbody {w} in ground at (a, 0, 0) {{ mass 1 }}\n",
    "frame": "coord a\nframe {w} in ground at (a, 0, 0)\n",
    "point": "point {w} in ground at (1, 0, 0)\n",
    "constraint": "coord a, b\nkinetic a'^2/2 + b'^2/2\nconstraint {w}: a = b\n",
    "skate": "coord a, b, c\nbody B in ground at (a, b, 0) turn c about z {{ mass 1, inertia diag(1, 1, 1) }}\nskate {w}: B\n",
    "roll": "coord a, b, c\nbody B in ground at (a, b, 1) turn c about z {{ mass 1, inertia diag(1, 1, 1) }}\n"
            "roll {w}: ball B {{ radius 1 }} on ground\n",
    "loop": "for {w} in 1..2 {{\n  param a = {w}\n}}\n",
    "part": "part {w}() {{\n  param a = 1\n}}\n",
    "part's argument": "part A({w}) {{\n  param a = {w}\n}}\n",
    "use": "part A() {{\n  param a = 1\n}}\nuse A() as {w}\n",
}


def words_of(source):
    """Words that begin statements, then those inside them and of logic."""
    def text(name):
        with open(os.path.join(source, "src/lang", name), encoding="utf-8") as f: return f.read()
    keywords = re.findall(r'ENTRY\("(\w+)"', text("lex.h"))
    clauses = re.search(r'clauses\[\] = "([^"]*)"', text("lex.c")).group(1).split()
    assert len(keywords) > 30 and len(clauses) > 8, "the tables of words are not where they were"
    return keywords + clauses + ["and", "or", "not"]


def check(program, path, text):
    with open(path, "w", encoding="utf-8") as f: f.write(text)
    done = subprocess.run([program, "check", path], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def main():
    program, source = sys.argv[1:3]
    failures = count = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "words.pf")
        for place, form in PLACES.items():
            names = "an_ordinary_name", *ALLOWED
            refused = *words_of(source), *BUILT_IN
            for word in (*names, *refused):
                text = form.format(w=word)
                _, err = check(program, path, text)
                line = form[:form.index("{w}")].count("\n") + 1
                first = err.splitlines()[0] if err else ""
                count += 1
                if word in names:
                    good = f"'{word}'" not in err or "cannot be" not in err
                else:
                    good = f":{line}:" in first and f"'{word}' is " in first and "cannot be" in first and f"for example {word}_1" in err
                if good: continue
                failures += 1
                print(f"{place}: {word}\n{text}{err}")
    print(f"{count} declarations, {failures} with other words than expected")
    sys.exit(failures > 0)


main()
