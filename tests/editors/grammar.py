#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grammar against the words of the program: grammar.py PROGRAM SOURCE_DIRECTORY"""
import itertools
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import places
from textmate import Grammar

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
EDITORS = ROOT/"editors"
WORDS = json.loads((EDITORS/"words.json").read_text(encoding="utf-8"))
GRAMMAR = Grammar(json.loads((EDITORS/"vscode/syntaxes/pfaff.tmLanguage.json").read_text(encoding="utf-8")))
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def scope_of(line, word, scope, at=None):
    found = dict(enumerate(next(GRAMMAR.scopes(line))[1]))
    start = line.index(word) if at is None else at
    names = {found[i] for i in range(start, start + len(word))}
    expect(names == {scope + ".pfaff"}, f"'{word}' in '{line}' is {sorted(names)}, not {scope}")


def test_up_to_date():
    made = subprocess.run([sys.executable, "-B", EDITORS/"make.py", "--check"], capture_output=True, text=True, check=False)
    expect(made.returncode == 0, made.stdout + made.stderr)


def test_marked_places():
    for line, at, word, scope in places.places():
        scope_of(line, word, scope, at)


def test_every_word():
    """Each word of the lists, where it belongs."""
    for word in WORDS["statements"]:
        scope = next(iter(GRAMMAR.scopes(f"{word} x")))[1][0]
        expect(re.match(r"storage\.type|keyword\.", scope), f"the statement '{word}' is '{scope}'")
        scope_of(f"a.{word} + 1", word, "variable.other.member")
        scope_of(f"{word}s + 1", f"{word}s", "variable.other")
    for word in WORDS["clauses"]:
        scope_of(f"a {word} b", word, "keyword.other.clause", 2)
    for word in WORDS["connectives"]:
        scope_of(f"a {word} b", word, "keyword.operator.word")
    for word in WORDS["functions"]:
        scope_of(f"let a = {word}(x)", word, "support.function", 8)
    for word in WORDS["constants"]:
        scope_of(f"2*{word}*x", word, "constant.language")
    for word in WORDS["shown"]:
        scope_of(f"plot {word}", word, "support.variable")
    for word in WORDS["properties"] + WORDS["settings"]:
        scope_of(f"{{ {word} 2, a 3 }}", word, "variable.parameter.property")
        scope_of(f"{{ x 1, {word} = 2 }}", word, "variable.parameter.property", 7)
        scope_of(f"let a = {word} + (1, {word}, 3)", word, "variable.other", 8)
    for word in WORDS["shapes"]:
        scope_of(f"draw a as {word}(1)", word, "support.class.shape", 10)
    for word in WORDS["integrators"]:
        scope_of(f"run 1 by {word}", word, "support.constant.integrator")
    for word in WORDS["formulations"]:
        scope_of(f"run 1 {{ formulation = {word} }}", word, "support.constant.formulation")


def test_context_words():
    """The words that are names elsewhere."""
    behind = {"disc": "roll ", "surface": "roll ball b { radius r } on ", "sphere": "roll ball b { radius r } inside ",
              "impulse": "detach b with "}
    for word in WORDS["context"]:
        start = behind.get(word, "body a in b ")
        scope_of(f"{start}{word} q", word, "keyword.other.context", len(start))
        scope_of(f"kinetic {word}*{word}'^2", word, "variable.other")


def test_units():
    for prefix, unit in itertools.product(["", *WORDS["prefixes"]], WORDS["prefixed_units"]):
        scope_of(f"x = 2 [{prefix}{unit}/x]", prefix + unit, "support.type.unit", 7)
    for unit in WORDS["units"]:
        scope_of(f"x = 2 [{unit}^2]", unit, "support.type.unit", 7)
    names = next(GRAMMAR.scopes("x = 2 [furlong]"))[1]
    expect(not any(names[7:14]), "a unit that is not known has a colour")


def program_accepts(line):
    model = f"model m\nparam r = 1\ncoord q\nkinetic q'^2/2\n{line}\n"
    run = subprocess.run([PROGRAM, "check", "-"], input=model, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stderr


def test_the_program_knows_them():
    """The lists are not longer than the program's: functions and units are known to it."""
    for word in WORDS["functions"]:
        good, answer = program_accepts(f"let a = {word}()")
        expect(good or "there is no function" not in answer, f"the program does not know {word}: {answer}")
    units = [prefix + unit for prefix, unit in itertools.product(["", *WORDS["prefixes"]], WORDS["prefixed_units"])]
    good, answer = program_accepts("\n".join(f"param p{i} = 1 [{unit}]" for i, unit in enumerate(units + WORDS["units"])))
    expect(good, f"units: {answer}")
    for word in WORDS["constants"] + WORDS["statements"] + WORDS["clauses"] + WORDS["connectives"]:
        expect(not program_accepts(f"param {word} = 1")[0], f"'{word}' can be a name")


def blanked(line):
    """Without comments, texts and units."""
    line = re.sub(r'"(?:\\["\\]|[^"])*"', lambda m: " "*len(m[0]), line)
    line = re.sub(r"#.*", lambda m: " "*len(m[0]), line)
    return re.sub(r"(?<!\w)\[[^\]]*\]|(?<=\b\d)\[[^\]]*\]", lambda m: " "*len(m[0]), line)


def test_examples():
    """No reserved word is left plain, nothing is called wrong, and nothing goes on at the end of a file."""
    known = set(WORDS["statements"] + WORDS["clauses"] + WORDS["connectives"])
    for path in sorted(ROOT.glob("examples/*/*.pf")):
        for number, (line, names) in enumerate(GRAMMAR.scopes(path.read_text(encoding="utf-8")), 1):
            place = f"{path.name}:{number}: {line}"
            expect(not any(name.startswith("invalid") for name in names), place)
            text = blanked(line)
            for word in re.finditer(r"(?<![\w.])[A-Za-z_]\w*|(?<=\.\.)[A-Za-z_]\w*", text):
                coloured = re.match(r"keyword|storage|support\.function|entity\.name", names[word.start()])
                expect(word[0] not in known or coloured, f"{place}: '{word[0]}' is '{names[word.start()]}'")
            for bracket in re.finditer(r"[()\[\]{}]", text):
                expect(names[bracket.start()].startswith("punctuation."), f"{place}: a bracket is plain")


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
for failure in failures[:40]:
    print(failure)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
