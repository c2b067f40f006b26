# SPDX-License-Identifier: Apache-2.0
"""Runs the code of notebooks cell by cell, where there is no Jupyter, each in an empty folder:

    run_notebook.py FILE.ipynb …

What a cell ends with is shown as a notebook would show it, to nobody."""
import ast
import json
import os
import pathlib
import sys
import tempfile

SHOWN_BY = ("_repr_markdown_", "_repr_html_", "_repr_svg_", "__repr__")


def show(value):
    """The text of a value in the way that notebooks prefer."""
    return next(getattr(value, name)() for name in SHOWN_BY if hasattr(value, name))


def run_cell(source, name, names):
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        return None if value is None or isinstance(value, type) else show(value)
    return None


def run_notebook(path):
    """The names that are left, and what was shown."""
    path = pathlib.Path(path).resolve()
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names, shown, before = {"__name__": "__main__"}, [], os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            for number, cell in enumerate(cells):
                if cell["cell_type"] == "code":
                    shown.append(run_cell("".join(cell["source"]), f"{path.name}, cell {number + 1}", names))
        finally:
            os.chdir(before)
    return names, shown


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    for argument in sys.argv[1:]:
        run_notebook(argument)
        print(f"{os.path.basename(argument)}: all cells ran")
