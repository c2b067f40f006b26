# SPDX-License-Identifier: Apache-2.0
"""The notebooks run and their assertions hold: in Jupyter's kernel where there is one, else cell by cell."""
import csv
import importlib.util
import json
import re

import pytest

from conftest import ROOT
from run_notebook import run_notebook

FOLDER = ROOT/"python"/"notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))
NEEDS = {"2_wheeled_robot_lqr.ipynb": ["control"]}


def sources(name, kind):
    cells = json.loads((FOLDER/name).read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def execute(name, place):
    """In a folder where nothing else is."""
    if not all(importlib.util.find_spec(module) for module in ("nbclient", "ipykernel")):
        return run_notebook(FOLDER/name)
    import nbclient
    import nbformat
    notebook = nbformat.read(FOLDER/name, 4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(place)}}).execute()


@pytest.fixture(autouse=True)
def no_windows(monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.setenv("MPLBACKEND", "Agg")


@pytest.mark.parametrize("name", NAMES)
def test_all_cells_run(name, tmp_path):
    for module in NEEDS.get(name, []):
        pytest.importorskip(module)
    execute(name, tmp_path)


def test_numbers_are_those_of_the_references():
    """Each table of the papers is made of rows of its file."""
    names = {"numbers": {}}
    exec(next(text for text in sources("3_five_papers.ipynb", "code") if text.startswith("numbers[")), names)
    for name, text in names["numbers"].items():
        lines = (ROOT/"tests"/"reference"/f"{name}.csv").read_text(encoding="utf-8").splitlines()
        head, *rows = csv.reader(line for line in lines if not line.startswith("#"))
        columns, *ours = (line.split() for line in text.splitlines())
        theirs = {tuple(f"{float(row[head.index(c)]):.13g}" for c in columns) for row in rows}
        assert len(ours) >= 6 and {tuple(row) for row in ours} <= theirs, name


def test_the_first_runs_without_jupyter():
    names, shown = run_notebook(FOLDER/NAMES[0])
    assert names["about"].degrees_of_freedom == 2
    assert any(text and "\\ddot" in text for text in shown)  # typeset equations


def test_cells_of_a_broken_notebook_are_named(tmp_path):
    cells = [{"cell_type": "code", "source": ["x = 1\n", "x"]}, {"cell_type": "markdown", "source": ["no code"]},
             {"cell_type": "code", "source": ["x/0"]}]
    (tmp_path/"bad.ipynb").write_text(json.dumps({"cells": cells}))
    with pytest.raises(ZeroDivisionError) as caught:
        run_notebook(tmp_path/"bad.ipynb")
    assert caught.traceback[-1].path == "bad.ipynb, cell 3" or "cell 3" in str(caught.traceback[-1])


def test_there_are_five_and_they_are_clean():
    assert len(NAMES) == 5
    for name in NAMES:
        notebook = json.loads((FOLDER/name).read_text(encoding="utf-8"))
        assert notebook["nbformat"] == 4 and set(notebook["metadata"]) == {"kernelspec", "language_info"}
        for cell in notebook["cells"]:
            assert not cell.get("outputs") and not cell.get("execution_count") and cell["metadata"] == {}
        assert (FOLDER/name).stat().st_size < 40_000
        assert "assert " in sources(name, "code")[-1]  # each ends with a comparison


def test_links_lead_somewhere():
    for name in NAMES:
        for text in sources(name, "markdown"):
            for target in re.findall(r"\]\(([^)]+)\)", text):
                assert (FOLDER/target).exists(), (name, target)
    guide = (ROOT/"docs"/"python.md").read_text(encoding="utf-8")
    assert all(f"notebooks/{name})" in guide for name in NAMES)
