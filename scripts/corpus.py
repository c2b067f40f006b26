#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The corpora of the fuzzers, one archive tests/fuzz/corpus/<fuzzer>.zip each: the same bytes for the same inputs.

    corpus.py FUZZER INPUT…       adds inputs, each under its own name, or the SHA-1 of its bytes if libFuzzer named it
    corpus.py --minimise FUZZER   drops inputs that reach nothing new; inputs with a name of their own stay (needs build-fuzz/, as `make fuzz` builds it)
"""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(archive):
    if not archive.exists():
        return {}
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def write(archive, inputs):
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in sorted(inputs.items()):
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def name_of(path, content):
    made = re.fullmatch(r"[0-9a-f]{40}|(?:crash|leak|oom|timeout|slow-unit)-.*", path.name)
    return hashlib.sha1(content).hexdigest() if made else path.name


def minimised(fuzzer, inputs):
    with tempfile.TemporaryDirectory() as folder:
        old, new = pathlib.Path(folder, "old"), pathlib.Path(folder, "new")
        old.mkdir()
        new.mkdir()
        for name, content in inputs.items():
            (old/name).write_bytes(content)
        environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:intercept_tls_get_addr=0"}
        subprocess.run([ROOT/"build-fuzz/fuzz"/f"fuzz_{fuzzer}", "-merge=1", "-timeout=120", new, old], check=True, capture_output=True, env=environment)
        kept = {path.read_bytes() for path in new.iterdir()}
    return {name: content for name, content in inputs.items() if content in kept or not re.fullmatch(r"[0-9a-f]{40}", name)}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    minimise = sys.argv[1] == "--minimise"
    fuzzer = sys.argv[2 if minimise else 1]
    archive = ROOT/"tests/fuzz/corpus"/f"{fuzzer}.zip"
    inputs = read(archive)
    before = len(inputs)
    if minimise:
        inputs = minimised(fuzzer, inputs)
    for path in () if minimise else map(pathlib.Path, sys.argv[2:]):
        content = path.read_bytes()
        inputs[name_of(path, content)] = content
    write(archive, inputs)
    print(f"{archive.relative_to(ROOT)}: {len(inputs)} inputs, {before} before")


main()
