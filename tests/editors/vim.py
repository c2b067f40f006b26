#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vim's files: colours at the marked places, :make, :PfaffFormat: vim.py PROGRAM SOURCE_DIRECTORY"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import places

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
WORD = {"pfaffStatement", "pfaffDeclare", "pfaffControl", "pfaffClause", "pfaffContext", "pfaffRolling", "pfaffSurface",
        "pfaffConnective"}
GROUPS = {"word": WORD, "name": {"", "pfaffOrdinary", "pfaffMember"}, "entity": {"", "pfaffOrdinary", "pfaffLabel"},
          "property": {"pfaffProperty"}, "function": {"pfaffFunction", "pfaffShape"},
          "constant": {"pfaffConstant", "pfaffIntegrator", "pfaffFormulation"}, "shown": {"pfaffShown"},
          "number": {"pfaffNumber"}, "unit": {"pfaffUnitName"}, "string": {"pfaffString"}, "comment": {"pfaffComment"}}
BAD = "model a \"é😀\"; coord x [m]; kinetic 1 [kg]*(x'^2 + wrong)\n"
GOOD = "model a\ncoord x [m]\nkinetic 1 [kg]*x'^2\n"
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def vim(folder, file, commands):
    """Vim on a file, with our folder among its own; gives what the commands leave in g:out."""
    out, script = folder/"out.json", folder/"script.vim"
    script.write_text("\n".join([*commands, f"call writefile([json_encode(g:out)], '{out}')", "qall!"]) + "\n", encoding="utf-8")
    start = ["--cmd", f"set rtp^={ROOT}/editors/vim", "--cmd", "set encoding=utf-8 nocompatible",
             "--cmd", f"let g:pfaff_program = '{PROGRAM}'", "--cmd", "filetype plugin on", "--cmd", "syntax on"]
    run = subprocess.run(["vim", "-u", "NONE", "-i", "NONE", "-n", "-es", *start, file, "-S", script], capture_output=True,
                         text=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
    if not out.exists():
        raise SystemExit(f"vim: {run.stdout}{run.stderr}")
    return json.loads(out.read_text(encoding="utf-8"))


def groups(folder, file):
    """The group of each character of each line."""
    return vim(folder, file, [
        "let g:out = []", "for l in range(1, line('$'))",
        "call add(g:out, map(range(1, len(getline(l))), 'synIDattr(synID(l, v:val, 1), \"name\")'))", "endfor"])


def test_colours(folder):
    file, lines = folder/"places.pf", places.lines()
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = groups(folder, file)
    for line, at, word, scope in places.places():
        kind = places.kind(scope)
        if kind:
            names = set(found[lines.index(line)][at:at + len(word)])
            expect(names <= GROUPS[kind], f"'{word}' at {at + 1} of '{line}' is {names}, not {kind}")


def test_statements(folder):
    words = json.loads((ROOT/"editors/words.json").read_text(encoding="utf-8"))
    lists = [("statements", "{} x", 0, "word"), ("clauses", "a {} b", 2, "word"), ("connectives", "a {} b", 2, "word"),
             ("functions", "x*{}(1)", 2, "function"), ("constants", "x*{}*y", 2, "constant"), ("units", "2 [{}]", 3, "unit"),
             ("prefixed_units", "2 [k{}]", 3, "unit"), ("properties", "{{ {} 1 }}", 2, "property"),
             ("settings", "{{ {} = 1 }}", 2, "property"), ("integrators", "run 1 by {}", 9, "constant")]
    cases = [(word, form.format(word), at, kind) for key, form, at, kind in lists for word in words[key]]
    file = folder/"words.pf"
    file.write_text("\n".join(line for _, line, _, _ in cases) + "\n", encoding="utf-8")
    for (word, line, at, kind), names in zip(cases, groups(folder, file)):
        expect(names[at] in GROUPS[kind], f"'{word}' in '{line}' is '{names[at]}', not {kind}")


def test_make(folder):
    """:make jumps to the character, whatever bytes stand before it."""
    file = folder/"a b's.pf"
    file.write_text(BAD, encoding="utf-8")
    found = vim(folder, file, ["silent make!", "let g:out = getqflist()", "silent cc 1", "call add(g:out, expand('<cword>'))"])
    expect(len(found) == 2 and found[0]["type"] == "e" and found[0]["valid"] == 1 and found[-1] == "wrong", f":make: {found}")


def test_format(folder):
    for text, wanted in (("model a\ncoord   x [m]\n\n\n\nkinetic 1 [kg] * x'^2\n", None), ("body (\n", "body (\n"), (GOOD, GOOD)):
        file = folder/"format.pf"
        file.write_text(text, encoding="utf-8")
        found = vim(folder, file, ["silent! PfaffFormat", "let g:out = getline(1, '$')"])
        wanted = wanted or subprocess.run([PROGRAM, "fmt", file], capture_output=True, text=True, check=True).stdout
        expect("\n".join(found) + "\n" == wanted, f":PfaffFormat makes {found} of {text!r}")


def test_options(folder):
    file = folder/"o.pf"
    file.write_text(GOOD, encoding="utf-8")
    found = vim(folder, file, ["let g:out = [&filetype, &commentstring, &shiftwidth]"])
    expect(found == ["pfaff", "# %s", 2], f"options: {found}")


def main():
    if not shutil.which("vim"):
        print("skipped: vim is not here")
        return 77
    with tempfile.TemporaryDirectory() as name:
        for test in (test_colours, test_statements, test_make, test_format, test_options):
            test(pathlib.Path(name))
            (pathlib.Path(name)/"out.json").unlink(missing_ok=True)
    print("\n".join(failures[:30]))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
