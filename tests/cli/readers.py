# SPDX-License-Identifier: Apache-2.0
"""Readers of what 'pfaff run --out' writes, strict: anything that is not complete is an error. SciPy's opinion is asked too,
where it is installed."""
import csv
import json
import os
import struct

try:
    from scipy.io import loadmat
except ImportError:
    loadmat = None


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as stream:
        text = stream.read()
    if not text.endswith("\n"):
        raise ValueError("the last line is cut")
    names, *rows = list(csv.reader(text.splitlines()))
    return [name.split(" [")[0] for name in names], [[float(x) for x in row] for row in rows]


def read_json(path):
    with open(path, encoding="utf-8") as stream:
        data = json.load(stream)
    return data["columns"], data["rows"]


def variables(data):
    """The matrices of a MAT-file of level 4, as lists of columns."""
    at, found = 0, {}
    while at < len(data):
        kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data, at)
        name = data[at + 20:at + 20 + length].rstrip(b"\0").decode()
        at += 20 + length
        if kind > 1 or imaginary:
            raise ValueError("not a matrix of doubles")
        found[name] = [list(struct.unpack_from(f"<{rows}d", data, at + 8*rows*k)) for k in range(columns)]
        at += 8*rows*columns
    if at != len(data):
        raise ValueError("cut")
    return found


def read_mat(path):
    with open(path, "rb") as stream:
        found = variables(stream.read())
    letters = found["columns"]
    names = ["".join(chr(int(column[i])) for column in letters).rstrip() for i in range(len(letters[0]))]
    if loadmat and loadmat(path)["data"].shape[1] != len(found["data"]):
        raise ValueError("SciPy counts other rows")
    return names, found["data"]


def read(path):
    """Names and rows; every row has all columns."""
    names, rows = {".csv": read_csv, ".json": read_json, ".mat": read_mat}[os.path.splitext(path)[1]](path)
    if any(len(row) != len(names) for row in rows):
        raise ValueError("a row is cut")
    return names, rows
