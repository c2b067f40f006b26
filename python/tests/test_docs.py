# SPDX-License-Identifier: Apache-2.0
"""What the docstrings show is what happens; guides are run by tests/docs/run_blocks.py."""
import doctest
import importlib.util
import os

import numpy as np
import pytest

import pfaff

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def is_possible(text):
    """Extras may be missing."""
    return all(name not in text or importlib.util.find_spec(module) for name, module in
               (("casadi", "casadi"), ("pfaff.gym", "gymnasium")))


def run(test):
    failures = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append)
    assert not failures, "".join(failures)


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
