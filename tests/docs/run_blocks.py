#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every block of a document, in order, in a folder of its own, and compares what it shows with what happens.

    run_blocks.py [--write|--draw] [--compiler CC --library LIB] PROGRAM SOURCE-DIRECTORY DOCUMENT…
    run_blocks.py --self-test PROGRAM SOURCE-DIRECTORY

    ```pf title="robot.pf"            a file; `title="robot.pf (added)"` adds lines to it. Likewise xml, python, modelica, …
    ```console                        `$ command` and what it prints; a line `…` stands for any lines, … in a line for any text
    ```sh                             commands that must succeed, whatever they print
    ```pycon                          as doctest; all of a document share their names
    ```c                              compiled and run, when it has a main; what it prints is in the block of text behind it, marked so:
    <!-- prints -->
    ```text                           no code
    <!-- not run: reason -->          before a block: it is not run
    <!-- vary: ns, run [ms] -->       before a console: columns of a table whose numbers may be others
    <!-- needs: sympy, mujoco -->     before a block: left out where one of these modules, or files of the source, is missing
    <!-- with: cart.pf -->            before statements of pf or c: they are no whole; put in place of the line … of this file, or else behind
                                      its lines, they pass `pfaff check` without a word, or the compiler

Blocks in comments of Markdown are run and not shown. A picture that a command makes and the document shows by the same file name
must agree with its line in tests/docs/pictures.txt: the same elements, coordinates off by a tenth of a point at most on average. Equations are short by FLINT: what derives any is not compared without it. Steps and times of a run
may be others. An indented block would not be run and is an error.

--write puts the present output into the document, and the pictures next to it with their lines in pictures.txt, for inspection and commit.
--draw only writes the pictures next to the document; `make pictures` calls it. Few of them are in the repository.
"""
import argparse
import contextlib
import doctest
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r'^(?:<!-- (?P<mark>[^\n]*?) -->\n+)?```(?P<kind>\w*)(?: title="(?P<title>[^"]*)")?[^\n]*\n(?P<text>.*?)^```$', re.M | re.S)
PRINTS = re.compile(r"\n+<!-- prints -->\n```text\n(?P<text>.*?)^```$", re.M | re.S)
INDENTED = re.compile(r"(?<=\n\n)    [^\n]*")
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+")
EFFORT = re.compile(r"  (steps|rank margin) ")   # of the summary of a run: depends on rounding and on the machine
DERIVES = re.compile(r"pfaff (derive|study invariants|study measure)")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
EXTRAS = {"casadi": "casadi", "pfaff.gym": "gymnasium", "scipy": "scipy", "sympy": "sympy", "to_control": "control", "pfaff": "pfaff"}


def are_close(a, b):
    """Numbers are printed with up to ten digits; what is rounding is not the same everywhere."""
    return abs(a - b) <= max(1e-6*max(abs(a), abs(b)), 1e-8)


def without_columns(lines, names):
    """Numbers that end where one of these names ends in the head of a table are left out."""
    ends, result = set(), []
    for line in lines:
        heads = [re.search(rf"(?<!\S){re.escape(name)}(?!\S)", line) for name in names]
        if heads and all(heads):
            ends = {head.end() for head in heads}
        result.append(NUMBER.sub(lambda match: "" if match.end() in ends else match.group(0), line))
    return result


def is_same_line(shown, printed):
    if "…" in shown:
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in shown.split("…"))
        return re.fullmatch(pattern, " ".join(printed.split())) is not None
    texts = [" ".join(NUMBER.sub("#", line).split()) for line in (shown, printed)]
    numbers = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    return texts[0] == texts[1] and (EFFORT.match(shown) is not None or all(a == b or are_close(float(a), float(b)) for a, b in numbers))


def is_same(shown, printed):
    """Of lists of lines; a line … of what is shown stands for any number of them."""
    if not shown:
        return not printed
    if shown[0].strip() == "…":
        return any(is_same(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    return bool(printed) and is_same_line(shown[0], printed[0]) and is_same(shown[1:], printed[1:])


def features(picture):
    """A picture in one line: a hash of its text without numbers, how many numbers it has, their sum and their sum with weights 1 … 7
    in turn, so that a number at another place is noticed as well."""
    parts = re.split(rf"(#[0-9a-fA-F]{{6}}\b)|({NUMBER.pattern})", picture.read_text(encoding="utf-8").replace("-", " "))
    words = " ".join("".join("%" if part is None else part for i, part in enumerate(parts) if i%3 < 2).split())  # colours are words
    numbers = [float(number) for number in parts[2::3] if number]
    weighted = sum((1 + i%7)*number for i, number in enumerate(numbers))
    return [hashlib.sha1(words.encode()).hexdigest()[:12], str(len(numbers)), f"{sum(numbers):.2f}", f"{weighted:.2f}"]


def is_like(made, kept):
    """Of features: the same elements; coordinates may be off by a tenth of a point."""
    room = 0.1*int(made[1]) + 0.1
    return made[:2] == kept[:2] and abs(float(made[2]) - float(kept[2])) <= room and abs(float(made[3]) - float(kept[3])) <= 7*room


def read_pictures(source):
    """{name below docs/: features}"""
    lines = (source/"tests/docs/pictures.txt").read_text(encoding="utf-8").splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines if not line.startswith("#")}


def write_pictures(source, pictures):
    lines = ["# Pictures of documents by run_blocks.py: hash of the text without numbers, count of the numbers, their sum, their sum with weights"]
    lines += [" ".join([name, *pictures[name]]) for name in sorted(pictures)]
    (source/"tests/docs/pictures.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def without_empty_end(lines):
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def commands(text):
    """Of a console: (as it stands there, the command, the lines that it prints)."""
    for part in re.split(r"^(?=\$ )", text, flags=re.M)[1:]:
        first, *shown = part.splitlines()
        line = first[2:]
        while line.endswith("\\") and shown:
            first += "\n" + shown[0]
            line = line[:-1] + shown.pop(0)
        yield first, line, without_empty_end(shown)


@contextlib.contextmanager
def inside(place):
    before = os.getcwd()
    os.chdir(place)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def modules_of(place):
    sys.path.insert(0, str(place))
    try:
        yield
    finally:
        sys.path.remove(str(place))


class Document:
    def __init__(self, options, name, place):
        self.options, self.name, self.path, self.place = options, name, options.source/name, place
        self.text = self.path.read_text(encoding="utf-8")
        self.new_text, self.names = self.text, {}
        self.failures, self.ran, self.missing = [], 0, []
        for folder in ("examples", "tests"):
            os.symlink(options.source/folder, place/folder)
        self.environment = {**os.environ, "PATH": f"{options.program.parent}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def fail(self, where, words):
        self.failures.append(f"{self.name}:{self.text[:where].count(chr(10)) + 1}: {words}")

    def write_file(self, block):
        name, added = re.fullmatch(r"(.*?)( \(added\))?", block["title"]).groups()
        with open(self.place/name, "a" if added else "w", encoding="utf-8") as file:
            file.write(block["text"])

    def run_command(self, line):
        done = subprocess.run(["sh", "-c", line], cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
        return done.returncode, without_empty_end(done.stdout.splitlines())

    def run_console(self, block):
        mark, result = block["mark"] or "", []
        vary = [name.strip() for name in mark[5:].split(",")] if mark.startswith("vary:") else []
        for first, line, shown in commands(block["text"]):
            code, printed = self.run_command(line)
            good = is_same(without_columns(shown, vary), without_columns(printed, vary)) or not self.options.flint and DERIVES.search(line)
            wrong_code = code != any("error:" in text for text in printed)
            if wrong_code or not good and not self.options.write:
                self.fail(block.start(), f"'{line}' gives {code} and prints\n" + "\n".join(printed))
            kept = good or "…" in "".join(shown)
            result.append("\n".join([first, *(shown if kept else printed)]) + "\n")
        if not result or not block["text"].startswith("$ "):
            self.fail(block.start(), "a console begins with '$ '")
        old = block.group(0)
        self.new_text = self.new_text.replace(old, old.replace(block["text"], "\n".join(result)), 1)

    def is_there(self, name):
        return (self.options.source/name).exists() if "/" in name else importlib.util.find_spec(name) is not None

    def lacks(self, block):
        """What a block needs and is not there."""
        mark, text = block["mark"] or "", block["text"]
        needed = re.findall(r"[^\s,]+", mark[6:]) if mark.startswith("needs:") else []
        if block["kind"] == "pycon":
            needed += [module for word, module in EXTRAS.items() if word in text]
            needed += [name for name in ("pfaff",) if name in self.missing]   # its models have names that later blocks use
        return [name for name in needed if not self.is_there(name)]

    def run_pycon(self, block):
        text = block["text"]
        line = self.text[:block.start("text")].count("\n")
        test = doctest.DocTestParser().get_doctest(text, self.names, self.name, str(self.path), line)
        test.globs = self.names   # no copy: the next block goes on with them
        words = []
        with inside(self.place), modules_of(self.place):
            doctest.DocTestRunner(optionflags=FLAGS).run(test, out=words.append, clear_globs=False)
        if words:
            self.fail(block.start(), "".join(words))

    def run_sh(self, block):
        code, printed = self.run_command("set -e\n" + block["text"])
        if code:
            self.fail(block.start(), f"exit {code}\n" + "\n".join(printed))

    def whole(self, block):
        """Statements in the file that the mark names."""
        name = (block["mark"] or "").removeprefix("with: ")
        if not (self.place/name).is_file():
            self.fail(block.start(), f"{name} does not stand before it")
            return block["text"]
        before, _, after = (self.place/name).read_text(encoding="utf-8").partition("…\n")
        return before + re.sub(r"^ *…\n", "", block["text"], flags=re.M) + after

    def check_pf(self, block):
        (self.place/"whole.pf").write_text(self.whole(block), encoding="utf-8")
        done = subprocess.run([self.options.program, "check", "whole.pf"], cwd=self.place, env=self.environment, capture_output=True, text=True)
        if done.returncode or done.stderr:
            self.fail(block.start(), done.stderr)

    def compile(self, text, *more):
        code = self.place/"main.c"
        code.write_text(text, encoding="utf-8")
        return subprocess.run([self.options.compiler, "-std=c11", "-pthread", "-Wall", "-Wextra", "-Werror", f"-I{self.options.source}/include",
                               str(code), *more], cwd=self.place, capture_output=True, text=True)

    def check_c(self, block):
        if not self.options.compiler:
            return
        done = self.compile(self.whole(block), "-fsyntax-only")
        if done.returncode:
            self.fail(block.start(), done.stderr)

    def run_c(self, block):
        if "int main(" not in block["text"] or not self.options.compiler:
            return
        program, library = self.place/"main", self.options.library
        done = self.compile(block["text"], "-o", str(program), library, f"-Wl,-rpath,{pathlib.Path(library).parent}", "-lm")
        if done.returncode == 0:
            done = subprocess.run([str(program)], cwd=self.place, capture_output=True, text=True, timeout=120)
        if done.returncode:
            self.fail(block.start(), f"exit {done.returncode}\n{done.stdout}{done.stderr}")
            return
        self.compare_printed(block, done.stdout)

    def compare_printed(self, block, printed):
        """What a program prints, with the block of text behind it; a program that has one must print."""
        behind = PRINTS.match(self.text, block.end())
        shown = behind["text"] if behind else ""
        if is_same(shown.splitlines(), printed.splitlines()) and bool(behind) == bool(printed):
            return
        if not self.options.write:
            self.fail(block.start(), "what it prints is not what stands behind it:\n" + printed)
            return
        old = block.group(0) + (behind.group(0) if behind else "")
        self.new_text = self.new_text.replace(old, block.group(0) + (f"\n\n<!-- prints -->\n```text\n{printed}```" if printed else ""), 1)

    def run_block(self, block):
        kind = block["kind"]
        mark = block["mark"] or ""
        if mark.startswith("not run: ") or kind == "text":
            return
        missing = self.lacks(block)
        self.missing += missing
        if missing:
            return
        self.ran += 1
        if block["title"]:
            self.write_file(block)
        elif mark.startswith("with: ") and kind in ("pf", "c"):
            getattr(self, f"check_{kind}")(block)
        elif kind in ("console", "sh", "pycon", "c"):
            getattr(self, f"run_{kind}")(block)
        else:
            self.fail(block.start(), f"a block of '{kind}' needs a title, or '<!-- not run: reason -->' before it")

    def look_at_pictures(self):
        for name in re.findall(r"!\[[^\]]*\]\(([^)]*\.svg)\)", self.text):
            made, kept = self.place/pathlib.Path(name).name, self.path.parent/name
            recorded = read_pictures(self.options.source)
            if not made.exists():
                if not kept.exists():
                    self.fail(self.text.index(name), f"{name} is missing, and no command draws it")
                continue
            if self.options.write or self.options.draw:
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(made, kept)
            if self.options.write:
                write_pictures(self.options.source, {**recorded, name: features(made)})
            elif not self.options.draw and not is_like(features(made), recorded.get(name, ["", "0", "0", "0"])):
                self.fail(self.text.index(name), f"{name} differs from its line in tests/docs/pictures.txt; draw it with --write and look at it")

    def run(self):
        for match in INDENTED.finditer(BLOCK.sub("", self.text)):
            self.fail(self.text.index(match.group(0)), "an indented block is not run")
        for block in BLOCK.finditer(self.text):
            self.run_block(block)
        self.look_at_pictures()
        if self.options.write and self.new_text != self.text:
            self.path.write_text(self.new_text, encoding="utf-8")

    def tell(self):
        for words in self.failures:
            print(words)
        missing = f"; some left out, without {', '.join(sorted(set(self.missing)))}" if self.missing else ""
        print(f"{self.name}: {self.ran} blocks, {len(self.failures)} failed{missing}")
        return bool(self.failures)


GOOD = """
```pf title="a.pf"
model a; coord x
```

```pf title="a.pf (added)"
kinetic x'^2
```

```console
$ pfaff check a.pf
a
…
  degrees of freedom  1
…
```

```sh
pfaff check a.pf   # as before
```

<!--
```pf title="rest.pf"
model rest; coord y
```
-->

<!-- with: rest.pf -->
```pf
kinetic y'^2
```

```pycon
>>> 1 + 1
2

```
""" + """
```c
#include <stdio.h>
int main(void) { return printf("seven %d\\n", 7) < 0; }
```

<!-- prints -->
```text
seven 7
```
"""
WRONG = (("freedom  1", "freedom  2"), ("degrees", "degree"), ("1\n…", "1"), ("kinetic", "kinetc"), ("a\n…", "b\n…"), ("\n2\n", "\n3\n"), ("check a.pf   #", "check b.pf #"),
         ("kinetic y", "kinetic z"), ("kinetic y", "kinetic -y"), ("with: rest.pf", "with: best.pf"),
         ("seven 7", "seven 8"), ("<!-- prints -->", ""), ('printf("seven %d\\n", 7) < 0', "0"),
         ("```console", "```sh"), ("```pycon", "    pfaff check a.pf\n\n```pycon"), (' title="a.pf"', ""))


def finds_mistakes(options, text):
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as source:
        (pathlib.Path(source)/"x.md").write_text(text, encoding="utf-8")
        document = Document(argparse.Namespace(**{**vars(options), "source": pathlib.Path(source)}), "x.md", pathlib.Path(place))
        document.run()
    return bool(document.failures)


def self_test(options):
    """A good document passes; a wrong number, word, line, sum, or a block that is not run, is found."""
    failures = [] if not finds_mistakes(options, GOOD) else ["the good document"]
    failures += [f"'{new}' for '{old}'" for old, new in WRONG if not finds_mistakes(options, GOOD.replace(old, new, 1))]
    columns = [without_columns(["name   ns  ratio", f"a     {number}    2.1"], ["ns"]) for number in (315, 412)]
    if columns[0] != columns[1] or is_same_line("x 1.000001", "x 1.00001") or not is_same_line("x  1e-17", "x 0"):
        failures.append("numbers")
    print(f"self-test: {len(WRONG) + 2 - len(failures)} passed, {len(failures)} failed {'; '.join(failures)}")
    return bool(failures)


def has_flint(options):
    done = subprocess.run([options.program, "study", "invariants", options.source/"examples/skates/chaplygin_sleigh.pf"], capture_output=True, text=True)
    return "normal form" in done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("source", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("documents", nargs="*")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--compiler")
    parser.add_argument("--library")
    options = parser.parse_args()
    options.flint = has_flint(options)
    failed = options.self_test and self_test(options)
    for name in options.documents:
        with tempfile.TemporaryDirectory() as place:
            document = Document(options, name, pathlib.Path(place))
            document.run()
        failed |= document.tell()
    return failed


sys.exit(main())
