# SPDX-License-Identifier: Apache-2.0
"""Words of the language at their places (places.txt), and what they are there: the same for every editor."""
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parent/"places.txt"

KINDS = (
    ("word", r"storage\.type|keyword\.(control|other|operator\.word)"),
    ("name", r"variable\.other"), ("entity", r"entity\.name"), ("property", r"variable\.parameter"),
    ("function", r"support\.(function|class)"), ("constant", r"constant\.language|support\.constant"),
    ("shown", r"support\.variable"), ("number", r"constant\.numeric"), ("unit", r"support\.type\.unit"),
    ("string", r"string"), ("comment", r"comment"),
)


def places():
    """(line, index of the word, word, scope); ^ marks the word in the line above, the scope follows."""
    line = ""
    for text in FILE.read_text(encoding="utf-8").splitlines():
        mark = re.fullmatch(r"( *)\^ ([\w.-]+)", text)
        if not mark:
            line = text
            continue
        at = len(mark[1])
        yield line, at, re.match(r"\d*\.?\d+e-\d+|\.\d+|\w+|'+|.", line[at:])[0], mark[2]


def kind(scope):
    """What every editor tells apart, or None for operators and brackets."""
    return next((name for name, pattern in KINDS if re.match(pattern, scope)), None)


def lines():
    """The lines of all places, once."""
    return list(dict.fromkeys(line for line, *_ in places()))
