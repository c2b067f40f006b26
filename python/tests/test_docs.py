# SPDX-License-Identifier: Apache-2.0
"""What the guide, README.md and the docstrings show is what happens."""
import doctest
import importlib
import os
import re

import numpy as np
import pytest

import pfaff
from conftest import ROOT

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run(test):
    failures = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_guides(name, monkeypatch):
    for module in ("scipy", "sympy", "control"):
        pytest.importorskip(module)
    monkeypatch.chdir(ROOT)
    text = (ROOT/name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.M | re.S)
    assert blocks
    run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0))


@pytest.mark.parametrize("name", ["pfaff", "pfaff._model", "pfaff._field", "pfaff._sim", "pfaff._results", "pfaff._draft"])
def test_docstrings(name):
    pytest.importorskip("scipy")
    module = importlib.import_module(name)
    tests = [t for t in doctest.DocTestFinder().find(module, globs={"pfaff": pfaff, "np": np}) if t.examples]
    assert tests
    for test in tests:
        run(test)


def test_what_is_public_has_words_and_types():
    for name in pfaff.__all__:
        thing = getattr(pfaff, name)
        assert thing.__doc__, name
        for member, value in vars(thing).items() if isinstance(thing, type) else ():
            if callable(value) and not member.startswith("_"):
                assert value.__annotations__.get("return") is not None, (name, member)
    assert os.path.exists(os.path.join(os.path.dirname(pfaff.__file__), "py.typed"))
