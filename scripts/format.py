#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fixes indentation and blanks with clang-format, except where the style of Pfaff says more than it can, and adds the
line of the licence. Lines of C beyond 120 columns are listed: where to break them is for people to say.

    format.py [--check] [file ...]     all sources that git knows, unless named; --check only lists

The style writes m*n + 1: blanks around + and none around *, as in mathematics, and lines up comments, tables and
the parts of long expressions. clang-format would undo all of that. So of its corrections only those are taken that
  - keep the line breaks as they are,
  - are not beside *, / or %, and not before a comment,
  - do not line up or undo a line-up,
  - at the start of a line, concern the start of a statement and not its continuation.
"""
import argparse
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENCE = b"SPDX-License-Identifier: Apache-2.0"
LIMIT = 120
C = (".c", ".h")
PATTERNS = ("*.c", "*.h", "*.def", "*.cpp", "*.py", "*.sh", "*.cmake", "*CMakeLists.txt")


def sources():
    listed = subprocess.run(["git", "ls-files", *PATTERNS], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT/name for name in listed.stdout.split()]


def licensed(path, text):
    """With the line of the licence at the top, below #! where there is one."""
    if LICENCE in text[:200]:
        return text
    first, rest = (text.split(b"\n", 1)[0] + b"\n", text.split(b"\n", 1)[1]) if text.startswith(b"#!") else (b"", text)
    line = b"/* " + LICENCE + b" */\n" if path.suffix in (*C, ".def", ".cpp") else b"# " + LICENCE + b"\n"
    return first + line + rest


def long_lines(path, text):
    """(number, columns) of the lines of C that are too long."""
    if path.suffix not in C:
        return []
    columns = [len(line) for line in text.decode().splitlines()]
    return [(number + 1, count) for number, count in enumerate(columns) if count > LIMIT]


def corrections(path, text):
    """(offset, length, new text) of everything clang-format would do, in the order of the file."""
    answer = subprocess.run(["clang-format", "--style=file", "--output-replacements-xml",
                             f"--assume-filename={path}"], cwd=ROOT, input=text, check=True, capture_output=True)
    for item in xml.fromstring(answer.stdout).iter("replacement"):
        yield int(item.get("offset")), int(item.get("length")), (item.text or "").encode()


def starts_statement(before):
    """Whether a line that follows these bytes starts a statement or declaration, and no part of a table."""
    end = before.rstrip()
    return not end or end.endswith((b";", b"}", b":", b"*/", b") {", b")\n{", b"else {", b"do {"))


def is_wanted(text, offset, length, new):
    old, before, after = text[offset:offset + length], text[:offset], text[offset + length:]
    if old.count(b"\n") != new.count(b"\n") or old.strip() or new.strip():
        return False
    if b"\n" in old:
        return starts_statement(before)
    beside = before[-1:] + after[:1]
    return len(old) < 2 and len(new) < 2 and not any(mark in beside for mark in b"*/%\\")


def formatted(path):
    original = path.read_bytes()
    text = licensed(path, original)
    if path.suffix not in C:
        return original, text
    text = b"".join(line.rstrip() + b"\n" for line in text.splitlines())
    result, end = b"", 0
    for offset, length, new in corrections(path, text):
        if is_wanted(text, offset, length, new):
            result += text[end:offset] + new
            end = offset + length
    return original, result + text[end:]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true")
    options.add_argument("files", nargs="*", type=pathlib.Path)
    given = options.parse_args()
    changed = long = 0
    for path in [file.resolve() for file in given.files] or sources():
        old, new = formatted(path)
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        if old != new:
            changed += 1
            print(name)
            if not given.check:
                path.write_bytes(new)
        for number, columns in long_lines(path, new):
            long += 1
            print(f"{name}:{number}: {columns} columns")
    print(f"{changed} files {'need a fix' if given.check else 'fixed'}, {long} lines longer than {LIMIT} columns")
    sys.exit(1 if long or (given.check and changed) else 0)


main()
