# SPDX-License-Identifier: Apache-2.0
"""The examples for tests that would take too long on all of them: tests/examples.txt."""
import pathlib


def examples(source):
    """Their paths, in the order of the list."""
    root = pathlib.Path(source)
    lines = (root/"tests"/"examples.txt").read_text(encoding="utf-8").splitlines()
    return [root/"examples"/f"{line.split()[0]}.pf" for line in lines if line and not line.startswith("#")]
