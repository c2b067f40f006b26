#!/usr/bin/env python3
"""Mends indentation and blanks with clang-format, except where the style of Pfaff says more than it can.

    format.py [--check] [file ...]     all C files that git knows, unless named; --check only lists

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


def sources():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT/name for name in listed.stdout.split()]


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
    text = b"".join(line.rstrip() + b"\n" for line in original.splitlines())
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
    changed = 0
    for path in [file.resolve() for file in given.files] or sources():
        old, new = formatted(path)
        if old != new:
            changed += 1
            print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)
            if not given.check:
                path.write_bytes(new)
    print(f"{changed} files {'need mending' if given.check else 'mended'}")
    sys.exit(1 if given.check and changed else 0)


main()
