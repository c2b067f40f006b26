#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes JSON files of reference numbers with one record per line, every number with the digits it had.

    compact.py FILE…            rewrites the files
    compact.py --check FOLDER   fails when a JSON file below the folder has another layout

Objects of the two outer levels and objects with records inside have one key per line, arrays of objects one element per line; everything else
is written in one line.
"""
import json
import pathlib
import sys


class Number(str):
    """The text of a number: 0.10 stays 0.10."""


def text(value):
    """In one line."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {text(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def has_records(value):
    """Is there an array of objects in it?"""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], dict)
    return isinstance(value, dict) and any(map(has_records, value.values()))


def layout(value, level=0):
    """In as many lines as there are records."""
    inner = "\n" + " "*(level + 1)
    if isinstance(value, dict) and value and (level < 2 or has_records(value)):
        return "{" + ",".join(f"{inner}{json.dumps(key, ensure_ascii=False)}: {layout(part, level + 1)}" for key, part in value.items()) + "}"
    if isinstance(value, list) and has_records(value):
        return "[" + ",".join(inner + layout(part, level + 2) for part in value) + "]"
    return text(value)


def compact(content):
    return layout(json.loads(content, parse_float=Number, parse_int=Number)) + "\n"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        paths = sorted(pathlib.Path(sys.argv[2]).rglob("*.json"))
        wrong = [path for path in paths if (content := path.read_text(encoding="utf-8")) != compact(content)]
        for path in wrong:
            print(f"{path}: more than one line per record; tests/reference/compact.py {path} rewrites it")
        print(f"{len(paths)} files of references, {len(wrong)} with another layout")
        sys.exit(1 if wrong or not paths else 0)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")


main()
