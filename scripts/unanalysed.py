#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the sources that clang-tidy has not passed as they are now: unanalysed.py BUILD-FOLDER DEPTH SOURCE…

A source is known by a hash of its preprocessed text, of the checks and of the depth. `--passed` before the arguments records the sources
instead, in BUILD-FOLDER/tidy-passed/. A source without a compile command is always printed."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def commands(build):
    """{source: (folder, arguments of the preprocessor)}"""
    found = {}
    for entry in json.loads((build/"compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        words = [word for word in words if not word.endswith("ccache")]
        end = words.index("-o")
        found[os.path.realpath(os.path.join(entry["directory"], entry["file"]))] = entry["directory"], [*words[:end], "-E", entry["file"]]
    return found


def key(command, common):
    folder, arguments = command
    done = subprocess.run(arguments, cwd=folder, capture_output=True, check=False)
    return hashlib.sha256(common + done.stdout).hexdigest() if done.returncode == 0 else None


def main():
    record = sys.argv[1] == "--passed"
    build, depth, *sources = sys.argv[2 if record else 1:]
    build = pathlib.Path(build)
    known, passed = commands(build), build/"tidy-passed"
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=False).stdout
    common = version + depth.encode() + (ROOT/".clang-tidy").read_bytes() + (ROOT/"scripts/analyser.h").read_bytes()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        keys = list(pool.map(lambda source: key(known[path], common) if (path := os.path.realpath(source)) in known else None, sources))
    passed.mkdir(exist_ok=True)
    for source, mark in zip(sources, keys):
        if record and mark:
            (passed/mark).touch()
        elif not record and not (mark and (passed/mark).exists()):
            print(source)


main()
