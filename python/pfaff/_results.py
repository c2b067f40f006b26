# SPDX-License-Identifier: Apache-2.0
"""Results of tasks: values of a report with names for its members and NumPy arrays for its numbers."""
from __future__ import annotations

from collections.abc import Mapping

from . import errors

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, Optional, Sequence
    import numpy as np

__all__ = ["Record", "Run", "Equations", "LinearModel", "Steady", "Picture", "Page"]


def _is_numbers(value: Any) -> bool:
    """A list of numbers, or of equally long lists of them; null is NaN."""
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(one, list) for one in value):
        return len({len(one) for one in value}) == 1 and all(_is_numbers(one) for one in value)
    return all(one is None or (isinstance(one, (int, float)) and not isinstance(one, bool)) for one in value) and \
        not all(one is None for one in value)


def convert(value: Any) -> Any:
    """JSON as people use it in Python."""
    if isinstance(value, dict):
        return Record(value)
    if _is_numbers(value):
        import numpy as np
        return np.array(value, dtype=float)
    if isinstance(value, list):
        return [convert(one) for one in value]
    return value


def _table(title: str, rows: Sequence[tuple[str, str]]) -> str:
    """Names and values as HTML."""
    import html
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(value)}</td></tr>"
                    for name, value in rows)
    return f"<b>{html.escape(title)}</b><table>{cells}</table>"


class Answer(Mapping[str, "Any"]):
    """What all of them have: the values as they came in `raw`, its members by name, to_dict(), a table in notebooks. Each kind says which names it has; a type checker
    does not see that others are looked for in the JSON."""

    def __init__(self, raw: Mapping[str, Any]):
        self.raw = dict(raw)
        self._converted: dict[str, Any] = {}

    def __getitem__(self, key: str) -> Any:
        if key not in self._converted:
            self._converted[key] = convert(self.raw[key])
        return self._converted[key]

    if not TYPE_CHECKING:
        def __getattr__(self, name):
            if name.startswith("__") or name in ("raw", "_converted"):
                raise AttributeError(name)
            try:
                return self[name]
            except KeyError:
                raise AttributeError(f"{type(self).__name__} has no '{name}'; it has {', '.join(self._names())}") from None

    def _names(self) -> list[str]:
        """What can be asked for."""
        own = [name for name, value in vars(type(self)).items() if isinstance(value, property)]
        names = [*self.raw, *own, *vars(self)]
        return [name for name in dict.fromkeys(names) if not name.startswith("_") and name != "raw"]

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.raw]

    def __getstate__(self) -> dict[str, Any]:
        return {"raw": self.raw}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.raw = state["raw"]
        self._converted = {}

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Answer) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def _line(self, key: str) -> str:
        value = self.raw[key]
        if isinstance(value, list) and len(repr(value)) > 60:
            return f"{len(value)} items"
        text = repr(value)
        return text if len(text) <= 72 else text[:69] + "…"

    def __repr__(self) -> str:
        width = max((len(key) for key in self.raw), default=0)
        lines = [f"  {key:{width}}  {self._line(key)}" for key in self.raw if key != "diagnostics"]
        return "\n".join([type(self).__name__, *lines])

    def _repr_html_(self) -> Optional[str]:
        title = self.raw.get("model")
        return _table(title if isinstance(title, str) else type(self).__name__,
                      [(key, self._line(key)) for key in self.raw if key not in ("model", "diagnostics")])

    def to_dict(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, texts and numbers of Python, for json.dump and the like."""
        import copy
        return copy.deepcopy(self.raw)


class Record(Answer):
    """An object of the program's JSON (docs/commands.md): r.rank, r["rank"]. Numbers in lists are arrays; `raw` is the JSON as
    it came."""

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...  # the command decides which there are


if TYPE_CHECKING:
    from ._reports import DeriveReport, LinearizePoint, RunReport, SteadyPoint as SteadyPointReport, SteadyReport
else:
    DeriveReport = LinearizePoint = RunReport = SteadyReport = SteadyPointReport = Answer

# ---------------------------------------------------------------- runs

class Run(RunReport):
    """A motion: r.t, r["theta"], r.data. Numbers are in the units of `units`; columns are views of one table, which lives as
    long as one of them does. Everything else is as `pfaff run --json` tells it: end, t_end, steps, energy, violation, events …

    >>> import pfaff
    >>> r = pfaff.Model("coord x; kinetic x'^2/2; potential x^2/2; start x = 1").run(1, every=0.5)
    >>> r.t
    array([0. , 0.5, 1. ])
    >>> bool(abs(r["x"] - np.cos(r.t)).max() < 1e-7)
    True
    """

    def __init__(self, raw: str | Mapping[str, Any], data: "np.ndarray"):
        self._text = raw if isinstance(raw, str) else ""
        self._raw = None if isinstance(raw, str) else {key: raw[key] for key in raw if key != "rows"}
        self._converted = {}
        self.data = data

    @property
    def raw(self) -> dict[str, Any]:  # type: ignore[override]
        """The JSON as it came, without rows; read when it is first asked for."""
        if self._raw is None:
            import json
            self._raw = json.loads(self._text)
            self._raw.pop("rows", None)
            self._text = ""
        return self._raw

    @property
    def _place(self) -> dict[str, int]:
        """Where each column is; "theta [deg]" is a column theta in that unit."""
        if "_place" not in self._converted:
            place = {name: i for i, name in enumerate(self.columns)}
            for i, (name, unit) in enumerate(zip(self.raw["columns"], self.raw["units"])):
                place.setdefault(f"{name} [{unit}]", i)
            self._converted["_place"] = place
        return self._converted["_place"]

    @property
    def columns(self) -> list[str]:
        """Their names; of a quantity that is there twice, the second one has its unit behind it."""
        if "columns" not in self._converted:
            names: list[str] = []
            for name, unit in zip(self.raw["columns"], self.raw["units"]):
                labels = [name, f"{name} [{unit}]", *(f"{name} [{unit}] ({i})" for i in range(2, len(names) + 3))]
                names.append(next(label for label in labels if label not in names))
            self._converted["columns"] = names
        return list(self._converted["columns"])

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column."""
        return dict(zip(self.columns, self.raw["units"]))

    @property
    def t(self) -> "np.ndarray":
        return self.data[:, 0]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and key in self._place:
            return self.data[:, self._place[key]]
        if isinstance(key, str) and key in self.raw:
            return super().__getitem__(key)
        if isinstance(key, (list, tuple)):
            return self.data[:, [self._find(name) for name in key]]
        raise self._unknown(key)

    def _find(self, name: str) -> int:
        if name not in self._place:
            raise self._unknown(name)
        return self._place[name]

    def _unknown(self, name: Any) -> errors.UnknownName:
        import difflib
        near = difflib.get_close_matches(str(name), self.columns, 1)
        hint = f"did you mean '{near[0]}'?" if near else "run(show=…) has columns for any quantities"
        return errors.UnknownName(f"the run has no column '{name}'", hint)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, key: Any) -> bool:
        return key in self._place

    if not TYPE_CHECKING:
        def __getattr__(self, name):
            if name.startswith("__") or name in ("raw", "_raw", "_text", "_converted", "data", "_place"):
                raise AttributeError(name)
            if name in self.raw:
                return Answer.__getitem__(self, name)
            raise AttributeError(f"a run has no '{name}'; it has {', '.join(self.raw)}, and columns as r['{name}']")

    def __getstate__(self) -> dict[str, Any]:
        return {"raw": self.raw, "data": self.data}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Run.__init__(self, state["raw"], state["data"])

    def __eq__(self, other: Any) -> bool:
        import numpy as np
        return isinstance(other, Run) and self.raw == other.raw and np.array_equal(self.data, other.data, equal_nan=True)

    def __repr__(self) -> str:
        r = self.raw
        return (f"<Run of {r['model']} by {r['method']}, {r['formulation']}: {r['end']} at t = {r['t_end']:.10g}, "
                f"{len(self.data)} rows of {len(self.columns)} columns, {r['steps']} steps>")

    def _repr_html_(self) -> str:
        r = self.raw
        e, v = r["energy"], r["violation"]
        rows = [("end", f"{r['end']} at t = {r['t_end']:.10g}"), ("method", f"{r['method']}, {r['formulation']}"),
                ("steps", f"{r['steps']}, {r['rejected']} rejected"), ("energy", f"{e['start']:.10g} to {e['end']:.10g}, "
                 f"balance off by {e['drift']:.2g}"), ("violation", f"position {v['position']:.2g}, velocity {v['velocity']:.2g}"),
                ("events", ", ".join(f"t = {x['t']:.6g}: {'; '.join(x['actions'])}" for x in r.get("events") or []) or "none"),
                ("table", f"{len(self.data)} rows: {', '.join(self.columns[:12])}{' …' if len(self.columns) > 12 else ''}")]
        return _table(r["model"], rows)

    def to_dict(self) -> dict[str, Any]:
        """With the table as lists, "rows"."""
        return {**super().to_dict(), "rows": self.data.tolist()}

    def to_pandas(self) -> Any:
        """A DataFrame with t as its index; attrs["units"] has the units."""
        import pandas
        frame = pandas.DataFrame(self.data[:, 1:], columns=self.columns[1:], index=pandas.Index(self.t, name="t"))
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self) -> Any:
        """A Dataset over t, each variable with its unit."""
        import xarray
        names = {name: (("t",), self[name], {"units": unit}) for name, unit in self.units.items() if name != "t"}
        return xarray.Dataset(names, coords={"t": ("t", self.t, {"units": "s"})}, attrs={"model": self.raw["model"]})

    def plot(self, show: str | Sequence[str] | None = None, against: str = "t", axes: Any = None) -> Any:
        """Curves by Matplotlib, with our labels: "x, y; theta" has two panels. Without `show` coordinates, by their units.
        Returns the axes."""
        from ._labels import label
        panels = _panels(self, show)
        if axes is None:
            import matplotlib.pyplot as pyplot
            _, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, layout="constrained",
                                      figsize=(6.7, 1.2 + 2.1*len(panels)))
            axes = axes[:, 0]
        axes = list(axes) if hasattr(axes, "__len__") else [axes]
        if len(axes) < len(panels):
            raise errors.ArgumentError(f"{len(panels)} panels need {len(panels)} axes, not {len(axes)}")
        for ax, names in zip(axes, panels):
            for name in names:
                ax.plot(self[against], self[name], label=label(name))
            unit = self.units[names[0]]
            ax.set_ylabel(", ".join(label(n) for n in names[:4]) + (f"  [{unit}]" if unit else ""))
            if len(names) > 1:
                ax.legend(frameon=False)
        unit = self.units[against]
        axes[len(panels) - 1].set_xlabel(label(against) + (f"  [{unit}]" if unit else ""))
        return axes[0] if len(panels) == 1 else axes[:len(panels)]


def _panels(run: Run, show: str | Sequence[str] | None) -> list[list[str]]:
    if isinstance(show, str):
        lists = [[name.strip() for name in _split(panel, ",") if name.strip()] for panel in _split(show, ";")]
    elif show is not None:
        lists = [list(show)]
    else:
        lists = _by_unit(run)
    for name in (name for panel in lists for name in panel):
        run._find(name)
    return [panel for panel in lists if panel]


def _split(text: str, at: str) -> list[str]:
    """At separators outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == at and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def _by_unit(run: Run) -> list[list[str]]:
    names = [c for c in run.columns if f"{c}'" in run._place and f"{c}''" in run._place] or run.columns[1:7]
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(run.units[name], []).append(name)
    return list(groups.values())


# ---------------------------------------------------------------- equations

TYPESET = 20_000  # characters of LaTeX that a notebook shows


class Equations(DeriveReport):
    """Equations of motion in a form (docs/equations.md): text, latex and markdown as the program writes them, `equations` one by
    one, to_sympy() for algebra. A notebook typesets them."""

    if TYPE_CHECKING:
        coordinates: list[str]
        inputs: list[str]

    def __init__(self, raw: Mapping[str, Any], write: Callable[[str], str]):
        super().__init__(raw)
        self._write = write
        self._written: dict[str, str] = {}

    def _get(self, how: str) -> str:
        if how not in self._written:
            self._written[how] = self._write(how)
        return self._written[how]

    if not TYPE_CHECKING:
        def __getattr__(self, name):
            if name in ("_write", "_written"):
                raise AttributeError(name)
            return super().__getattr__(name)

    @property
    def text(self) -> str:
        return self._get("")

    @property
    def latex(self) -> str:
        return self._get("latex")

    @property
    def markdown(self) -> str:
        return self._get("markdown")

    @property
    def c(self) -> str:
        return self._get("c")

    def to_sympy(self) -> Any:
        """The same as SymPy expressions: a SymPyEquations with `equations` (a list of sympy.Eq, abbreviations written out),
        `symbols` (by our names) and `where`."""
        from ._sympy import SymPyEquations
        return SymPyEquations(self.raw)

    def _repr_html_(self) -> Optional[str]:
        """None: notebooks take _repr_markdown_, which they typeset."""

    def _repr_markdown_(self) -> str:
        """Typeset, unless a browser would take long for them."""
        if len(self.markdown) <= TYPESET:
            return self.markdown
        found = self.raw
        return (f"**{found['model']}**, {found['form']}: {len(found['equations'])} equations"
                + (f" with {len(found['where'])} abbreviations" if found.get("where") else "")
                + f", {found['operations']} operations. {len(self.markdown)/1000:.0f} kB of LaTeX are not shown here: "
                "`.text`, `.latex`, `.markdown` and `.c` have them, `.equations[0]` the first one.")

    def __repr__(self) -> str:
        return self.text

    def __getstate__(self) -> dict[str, Any]:
        return {"raw": self.raw, "written": {how: self._get(how) for how in ("", "latex", "markdown", "c")}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._written = state["written"]
        self._write = self._written.__getitem__


# ---------------------------------------------------------------- studies

class LinearModel(LinearizePoint):
    """x' = A x + B u, y = C x + D u at a point: A, B, C, D, x, rate, eigenvalues (complex) and modes (columns), with the names
    `states`, `inputs`, `outputs`. `inputs` are those that B is by, which are given to linearize() or all of the model.

    Numbers are in SI and radians, as those of simulations and arrays are; `units` says so, or "declared" for a model that was asked
    for in the units of the program, which are `state_units`, `input_units` and `output_units`. `raw` is always in those."""

    states: list[str]
    inputs: list[str]
    outputs: list[str]
    state_units: list[str]
    input_units: list[str]
    output_units: list[str]

    def __init__(self, raw: Mapping[str, Any], whole: Mapping[str, Any]):
        super().__init__(raw)
        self.units: str = whole["units"]
        for group in ("state", "input", "output"):
            setattr(self, group + "s", list(whole[group + "s"]))
            setattr(self, group + "_units", list(whole[group + "_units"]))
        self._whole = {key: value for key, value in whole.items() if key != "points"}

    def _sizes(self, group: str) -> "np.ndarray":
        """One of each unit in what the numbers are in."""
        import numpy as np
        return np.array([self._whole["sizes"][unit] for unit in self._whole[group + "_units"]], dtype=float)

    def _matrix(self, key: str, rows: str, columns: str) -> "np.ndarray":
        import numpy as np
        out, by = self._sizes(rows), self._sizes(columns)
        return np.array(self.raw[key], dtype=float).reshape(len(out), len(by))*(out[:, None]/by)

    @property
    def A(self) -> "np.ndarray":
        return self._matrix("A", "state", "state")

    @property
    def B(self) -> "np.ndarray":
        return self._matrix("B", "state", "input")

    @property
    def C(self) -> "np.ndarray":
        return self._matrix("C", "output", "state")

    @property
    def D(self) -> "np.ndarray":
        return self._matrix("D", "output", "input")

    @property
    def x(self) -> "np.ndarray":
        """The state at the point."""
        import numpy as np
        return np.array(self.raw["x"], dtype=float)*self._sizes("state")

    @property
    def rate(self) -> "np.ndarray":
        """x' there."""
        import numpy as np
        return np.array(self.raw["rate"], dtype=float)*self._sizes("state")

    @property
    def eigenvalues(self) -> "np.ndarray":
        import numpy as np
        return np.array([complex(e["re"], e["im"]) for e in self.raw["eigenvalues"]], dtype=complex)

    @property
    def modes(self) -> "np.ndarray":
        import numpy as np
        modes = np.array([np.array(e["mode_re"]) + 1j*np.array(e["mode_im"]) for e in self.raw["eigenvalues"]]).T
        return modes*self._sizes("state")[:, None]

    def to_control(self) -> Any:
        """A StateSpace of python-control, with our names; dots, which it forbids in them, become '_'."""
        import control
        states, inputs, outputs = (_without_dots(group) for group in (self.states, self.inputs, self.outputs))
        name = _without_dots([self._whole["model"]])[0]
        if len(outputs) != 1 or inputs:
            return control.ss(self.A, self.B, self.C, self.D, states=states, inputs=inputs, outputs=outputs, name=name)
        # it takes D with one row of nothing for one without rows: the output twice, and once taken away
        system = control.ss(self.A, self.B, self.C.repeat(2, 0), self.D.repeat(2, 0), states=states, inputs=inputs, name=name)
        system.C, system.D = self.C, self.D
        system.set_outputs(outputs)
        return system

    if not TYPE_CHECKING:
        def __getattr__(self, name):
            if name in ("states", "inputs", "outputs", "_whole"):
                raise AttributeError(name)
            return super().__getattr__(name)

    def __getitem__(self, key: str) -> Any:
        """The same as by a dot."""
        return getattr(self, key) if key in ("A", "B", "C", "D", "x", "rate", "eigenvalues") else super().__getitem__(key)

    def __getstate__(self) -> dict[str, Any]:
        return {"raw": self.raw, "whole": self._whole}

    def __setstate__(self, state: dict[str, Any]) -> None:
        LinearModel.__init__(self, state["raw"], state["whole"])

    def to_dict(self) -> dict[str, Any]:
        """Names and numbers, in `units`."""
        names = {group: getattr(self, group) for group in ("states", "inputs", "outputs", "state_units", "input_units", "output_units")}
        numbers = {key: self[key].tolist() for key in ("A", "B", "C", "D", "x", "rate")}
        given = super().to_dict()
        for entry, mode in zip(given["eigenvalues"], self.modes.T):
            entry.update(mode_re=mode.real.tolist(), mode_im=mode.imag.tolist())
        return {"model": self._whole["model"], "units": self.units, **names, **given, **numbers}

    def _repr_html_(self) -> Optional[str]:
        return _table(self._whole["model"], [("states", ", ".join(self.states)), ("inputs", ", ".join(self.inputs)),
                                             ("outputs", ", ".join(self.outputs)),
                                             ("eigenvalues", ", ".join(f"{e:.4g}" for e in self.eigenvalues)),
                                             ("units", self.units)])

    def __repr__(self) -> str:
        units = "SI" if self.units == "SI" else "declared units"
        return (f"<LinearModel of {self._whole['model']} in {units}: {len(self.states)} states ({', '.join(self.states)}), "
                f"{len(self.inputs)} inputs, {len(self.outputs)} outputs; eigenvalues "
                f"{', '.join(f'{e:.4g}' for e in self.eigenvalues)}>")


def _without_dots(names: Sequence[str]) -> list[str]:
    """The same names with '_' for '.', each still another."""
    found: list[str] = []
    for name in names:
        plain = name.replace(".", "_")
        while plain in found or plain != name and plain in names:
            plain += "_"
        found.append(plain)
    return found


class Steady(SteadyReport):
    """Equilibria or steady motions: `points`, each with x, q, v, eigenvalues (complex), stability."""

    @property
    def points(self) -> list["SteadyPoint"]:
        return [SteadyPoint(point) for point in self.raw["points"]]


class SteadyPoint(SteadyPointReport):
    """One of them."""

    @property
    def eigenvalues(self) -> "np.ndarray":
        import numpy as np
        return np.array([complex(*e) for e in self.raw["eigenvalues"]], dtype=complex)


# ---------------------------------------------------------------- pictures

class Picture:
    """A picture as SVG text; notebooks show it."""

    def __init__(self, svg: str):
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Any) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg)} characters of SVG>"


class Page:
    """A page with the engine in it (docs/commands.md); notebooks show it in a frame."""

    def __init__(self, html_text: str, height: int = 640):
        self.html = html_text
        self.height = height

    def _repr_html_(self) -> str:
        import html
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:{self.height}px;border:0" '
                'sandbox="allow-scripts allow-downloads"></iframe>')

    def save(self, path: Any) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<Page, {len(self.html)/1e6:.1f} MB>"
