#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what the editors know about the language from the tables of the program.

    make.py [--check]     --check only says what is not up to date

words.json is the list of words, also of the page's editor; the grammar of VS Code is made as a whole, and in the files of
Vim and Emacs the lines between 'words: begin' and 'words: end'."""
import json
import pathlib
import re
import sys

import grammar
import words as language

HERE = pathlib.Path(__file__).resolve().parent
WIDTH = 110
PRIME = "'"


def as_json(value):
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def words_json(words):
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in words.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def wrapped(words, first, indent):
    """The words with blanks between them, in lines of at most WIDTH."""
    lines, line = [], first
    for word in words:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = indent
        line += " " + word
    return "\n".join([*lines, line])


def without(words, others):
    return [word for word in words if word not in others]


def vim_pattern(words):
    return r"\%(" + r"\|".join(sorted(words, key=lambda w: (-len(w), w))) + r"\)"


def vim_words(words):
    """Statements and clauses are keywords; the rest depends on where it stands."""
    plain = without(words["statements"], words["declaring"] + words["controlling"] + words["labelled"])
    then_name = "nextgroup=pfaffOrdinary skipwhite"
    groups = [("pfaffStatement", plain),
              ("pfaffStatement nextgroup=pfaffLabel skipwhite", without(words["labelled"], ["roll"])),
              (f"pfaffDeclare {then_name}", without(words["declaring"], ["point"])),
              (f"pfaffControl {then_name}", words["controlling"]),
              (f"pfaffClause {then_name}", without(words["clauses"], ["by", "on", "as"])),
              ("pfaffConnective", words["connectives"]), ("pfaffConstant", words["constants"]),
              ("pfaffShown", words["shown"])]
    keywords = [wrapped(list, f"syn keyword {group}", "  \\") for group, list in groups]
    context = without(words["context"], grammar.BEHIND)
    functions = rf"\.\@1<!\<{vim_pattern(words['functions'])}\ze\s*("
    properties = vim_pattern(words["properties"] + words["settings"])
    unit = rf"{vim_pattern(words['prefixes'])}\={vim_pattern(words['prefixed_units'])}\|{vim_pattern(words['units'])}"
    return "\n".join([
        *keywords,
        rf'syn match pfaffOrdinary contained "\<{vim_pattern(words["context"])}\>"',
        rf'syn match pfaffContext "\%([A-Za-z0-9_)\]}}{PRIME}]\s\+\)\@<=\<{vim_pattern(context)}\>[.(]\@!"',
        rf'syn match pfaffContext "^\s*\zs\<{vim_pattern(context)}\>\%(\s*[=.({PRIME}]\)\@!"',
        rf'syn match pfaffProperty contained "\%([{{,]\s*\|^\s*\)\@<=\<{properties}\>\ze\%(\s*=\|\s\)"',
        rf'syn match pfaffFunction "{functions}"',
        rf'syn match pfaffIntegrator contained "\<{vim_pattern(words["integrators"])}\>"',
        rf'syn match pfaffFormulation "\%(\<formulation\>\s*=\=\s*\)\@<=\<{vim_pattern(words["formulations"])}\>"',
        rf'syn match pfaffShape contained "\<{vim_pattern(words["shapes"])}\>\ze\s*("',
        rf'syn match pfaffUnitName contained "\a\@1<!\%({unit}\)\a\@!"',
    ]) + "\n"


def emacs_words(words):
    """One constant for each list."""
    def constant(key, list):
        items = wrapped([json.dumps(word, ensure_ascii=False) for word in list], "", "   ")
        return f"(defconst pfaff--{key.replace('_', '-')}\n  '({items.strip()}))"
    lists = {**words, "context": without(words["context"], grammar.BEHIND), "context_everywhere": words["context"],
             "context_behind": without(grammar.BEHIND, ["disc"])}
    return "\n".join(constant(key, lists[key]) for key in lists) + "\n"


def with_words(path, text):
    """The file with new lines between its two marks."""
    old = path.read_text(encoding="utf-8")
    parts = re.fullmatch(r"(.*words: begin[^\n]*\n).*?(\n?[^\n]*words: end.*)", old, re.S)
    if not parts:
        raise SystemExit(f"{path}: the marks 'words: begin' and 'words: end' are missing")
    return parts[1] + text + parts[2].lstrip("\n")


def outputs():
    """path: the text that belongs there"""
    words = language.words()
    vim, emacs = HERE/"vim/syntax/pfaff.vim", HERE/"emacs/pfaff-mode.el"
    return {HERE/"words.json": words_json(words),
            HERE/"vscode/syntaxes/pfaff.tmLanguage.json": as_json(grammar.grammar(words)),
            vim: with_words(vim, vim_words(words)), emacs: with_words(emacs, emacs_words(words))}


def main():
    stale = [(path, text) for path, text in outputs().items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path, _ in stale:
            print(f"{path.relative_to(HERE.parent)} is not up to date: run editors/make.py")
        return 1 if stale else 0
    for path, text in stale:
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(HERE.parent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
