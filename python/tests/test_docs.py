# SPDX-License-Identifier: Apache-2.0
"""What the guide, README.md and the docstrings show is what happens."""
import doctest
import importlib.util
import os
import re

import numpy as np
import pytest

import pfaff
from conftest import ROOT

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def is_possible(text):
    """Extras may be missing."""
    return all(name not in text or importlib.util.find_spec(module) for name, module in
               (("casadi", "casadi"), ("pfaff.gym", "gymnasium")))


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
    blocks = [block for block in re.findall(r"^```pycon\n(.*?)^```", text, re.M | re.S) if is_possible(block)]
    assert blocks
    run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, name, 0))


@pytest.mark.parametrize("name", ["pfaff", "pfaff._model", "pfaff._field", "pfaff._sim", "pfaff._results", "pfaff._draft",
                                  "pfaff.gym"])
def test_docstrings(name):
    pytest.importorskip("scipy")
    if not is_possible(name):
        pytest.skip("an extra is missing")
    module = importlib.import_module(name)
    tests = [t for t in doctest.DocTestFinder().find(module, extraglobs={"pfaff": pfaff, "np": np})
             if t.examples and is_possible(t.docstring)]
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
