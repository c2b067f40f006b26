# SPDX-License-Identifier: Apache-2.0
"""Models, and everything the program does with them."""
from __future__ import annotations

import os
import warnings
from types import MappingProxyType

from . import _call, errors
from ._field import Arrays, Field, raise_error
from ._pfaff import ffi, lib
from ._results import Equations, LinearModel, Page, Picture, Record, Run, Steady
from ._sim import Sim

__all__ = ["Model", "load", "loads", "example", "examples", "import_urdf", "command"]

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Iterable, Mapping, Optional, Sequence, Union, overload
    from typing_extensions import Self
    from ._draft import Draft
    from ._call import Stop
    from ._field import Named
    from . import _reports as reports
    Path = Union[str, os.PathLike[str]]
    Names = Union[str, Sequence[str], None]

_nan = float("nan")


class Model(Arrays):
    """A model in the language of Pfaff (docs/language.md).

    >>> m = pfaff.Model('''
    ... model pendulum
    ... coord phi [rad]
    ... param m = 1 [kg], l = 1 [m], g = 9.81 [m/s^2]
    ... kinetic m*l^2*phi'^2/2
    ... potential -m*g*l*cos(phi)
    ... start phi = 0.1
    ... ''')
    >>> m
    <Model pendulum: 1 coordinate, 0 constraints, 3 parameters>
    >>> m.parameters["g"]
    9.81

    Numbers by name (params, state, inputs) are in the units that the model declares, or texts with a unit, "5 [g]"; arrays and
    simulations are in SI units and radians. A model is constant: what changes its numbers is given to each call. Threads may
    share it, and it can be pickled.

    Inputs without a function of time are 0, or what run(inputs={"u": 2}) and simulate(inputs={"u": 2}) say; in a simulation
    sim.input["u"] = 3 holds from then on.

    Model() without a text is one to be written, by a call for each statement (help(pfaff.writing.Writing)): param, coord, input,
    speed, rate, let; kinetic, potential, dissipation, gravity, force, torque, spring, damper; body, frame, point; constraint, prescribe,
    roll, skate, omni, mecanum; start, when, runs, plots, draws; statement for anything else, and to_pf() for the text.

    >>> m = pfaff.Model(name="oscillator")
    >>> x = m.coord("x", unit="m")
    >>> m.kinetic(2*pfaff.unit("kg")*x.d**2/2)
    >>> m.spring(x, stiffness=50*pfaff.unit("N/m"))
    >>> print(m.to_pf(), end="")
    model oscillator
    coord x [m]
    kinetic 2 [kg]*x'^2/2
    spring x { stiffness 50 [N/m] }
    """

    if TYPE_CHECKING:  # some type checkers look at one of them, some at the other
        @overload
        def __new__(cls, text: str, file: Path = "<text>") -> Self: ...
        @overload
        def __new__(cls, text: None = None, *, name: Optional[str] = None, title: Optional[str] = None) -> Draft: ...

    def __new__(cls, text: Optional[str] = None, *arguments: Any, **named: Any) -> Any:
        """Without a text a model to be written in Python (_draft.py)."""
        if cls is not Model or text is not None:
            return super().__new__(cls)
        from ._draft import Draft
        return super().__new__(Draft)

    if TYPE_CHECKING:
        @overload
        def __init__(self, text: str, file: Path = "<text>") -> None: ...
        @overload
        def __init__(self: Draft, text: None = None, *, name: Optional[str] = None, title: Optional[str] = None  # type: ignore[misc]
                     ) -> None: ...

    def __init__(self, text: Any, file: Path = "<text>"):  # type: ignore[misc]
        if not isinstance(text, str):
            raise errors.ArgumentError(f"the text of a model is needed, not {type(text).__name__}")
        if "\0" in text:
            raise errors.ModelError("the text of the model has a zero byte in it")
        if len(text.split()) == 1 and text.strip().endswith(".pf"):
            raise errors.ModelError(f"'{text.strip()}' is the name of a file, not the text of a model",
                                    f"pfaff.load({text.strip()!r}) reads it")
        self.text = text
        self.file = file = _call.file_name(file)
        self._machine = _call.Machine(text, file)
        self.info = self._machine.names
        _call.warn(self.info["diagnostics"])
        self.coordinates = tuple(entry["name"] for entry in self.info["coordinates"])
        self.constraints = tuple(entry["name"] for entry in self.info["constraints"])
        self._parameter_places = {entry["name"]: i for i, entry in enumerate(self.info["parameters"]) if not entry["derived"]}
        self._input_places = {entry["name"]: i for i, entry in enumerate(self.info["inputs"]) if not entry["given"]}
        self._field = Field(self._machine, file)
        self._plain_field = Field(self._machine, file)

    # ------------------------------------------------------------ what it is

    @property
    def name(self) -> str:
        return self.info["model"]

    @property
    def title(self) -> str:
        return self.info["title"] or ""

    @property
    def parameters(self) -> Mapping[str, Optional[float]]:
        """Their numbers in the declared units; None where the model gives none, or a formula. To be looked at: other numbers are
        given to each call, as run(params={"m": 2})."""
        return MappingProxyType({entry["name"]: None if entry["value"] is None else _tidy(entry["value"]/entry["scale"])
                                 for entry in self.info["parameters"] if not entry["derived"]})

    @property
    def inputs(self) -> tuple[str, ...]:
        """Those that are set from outside."""
        return tuple(self._input_places)

    @property
    def speeds(self) -> tuple[str, ...]:
        return tuple(self.info["speeds"])

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(self.info["bodies"])

    @property
    def units(self) -> dict[str, str]:
        """The declared units of coordinates, parameters and inputs; "" where there is none: SI."""
        return {entry["name"]: entry["unit"] for group in ("coordinates", "parameters", "inputs") for entry in self.info[group]}

    if not TYPE_CHECKING:  # a type checker would take it for an answer to every name
        def __getattr__(self, name):
            raise errors.no_attribute(self, "a model", name)

    def __repr__(self) -> str:
        counts = [(len(self.coordinates), "coordinate"), (len(self.constraints), "constraint"),
                  (len(self._parameter_places), "parameter")]
        if self.inputs:
            counts.append((len(self.inputs), "input"))
        return f"<Model {self.name}: {', '.join(_counted(n, what) for n, what in counts)}>"

    def _repr_markdown_(self) -> Optional[str]:
        """What it is and, folded, its equations, for notebooks; without those where it takes long to derive them."""
        about = self.check()
        kinds = [f"{c['name']} ({c['kind']})" for c in about.raw["constraints"]]
        lines = [f"**{self.name}**" + (f": {self.title}" if self.title else ""), "",
                 f"{_counted(len(self.coordinates), 'coordinate')}: {_few(self.coordinates)}  ",
                 f"{_counted(about.raw['degrees_of_freedom'], 'degree')} of freedom"
                 + (f", {_counted(len(kinds), 'constraint')}: {_few(kinds)}" if kinds else "")]
        from time import monotonic
        end = monotonic() + 1
        try:
            equations = self.derive(stop=lambda: monotonic() > end)
            lines += ["", f"<details><summary>Equations of motion, derive()</summary>\n\n{equations._repr_markdown_()}\n</details>"]
        except errors.Stopped:
            lines += ["", "`derive()` has its equations"]
        return "\n".join(lines)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Model) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> Any:
        return (type(self), (self.text, self.file))

    def _unknown(self, what: str, name: Any, known: Iterable[str]) -> errors.UnknownName:
        import difflib
        known = list(known)
        given = {entry["name"] for entry in self.info["inputs"] if entry["given"]}
        if what in ("input", "inputs") and name in given:
            return errors.UnknownName(f"the input '{name}' is a function of time in the model",
                                      "leave '= …' out of its declaration to set it from outside")
        if name in self.speeds and what in ("q", "v"):
            return errors.UnknownName(f"{what}: '{name}' is a speed; arrays of states have velocities",
                                      "simulate(state=…) and run(state=…) take speeds")
        near = difflib.get_close_matches(str(name), known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(known)}" if known else "there are none"
        return errors.UnknownName(f"{what}: the model has no '{name}'", hint)

    def constant(self, text: str, name: str = "") -> float:
        """A constant of the language in SI: "5 [g]", "pi/6"; a bare number is in the unit of `name`."""
        value, error = ffi.new("double *"), ffi.new("PfError *")
        unit = self.units.get(name, "")
        if name.endswith("'") and self.units.get(name[:-1]):
            unit = f"{self.units[name[:-1]]}/s"
        if lib.pf_py_constant(_call._without_zeros(text), unit.encode(), value, error) < 0:
            raise_error(error, self.file, f"{name} = {text}: " if name else "")
        return value[0]

    # ------------------------------------------------------------ commands

    def call(self, task: str, operands: Sequence[str] = (), *, stop: Stop = None, **settings: Any) -> Record:
        """Any task by its values: call("steady", starts=20). Settings are the options of the command line by their long names
        (docs/commands.md), '_' for '-'."""
        return self._report(task.removeprefix("study "), settings, operands, stop)

    def _values(self, task: str, settings: Mapping[str, Any], operands: Sequence[str] = (), stop: Stop = None,
                level: int = 5) -> dict[str, Any]:
        return self._run_task(task, settings, operands, stop).checked(level).json()

    def _report(self, task: str, settings: Mapping[str, Any], operands: Sequence[str] = (), stop: Stop = None) -> Any:
        return Record(self._values(task, settings, operands, stop, 6))

    def _run_task(self, task: str, settings: Mapping[str, Any], operands: Sequence[str] = (), stop: Stop = None,
                  words: bool = False) -> _call.Task:
        return _call.Task(task, settings, operands).run(self._machine, stop=stop, words=words)

    def _words(self, task: str, settings: Mapping[str, Any], stop: Stop = None) -> str:
        return self._run_task(task, settings, (), stop, words=True).words()

    def check(self, *, params: Named = None, state: Named = None, **options: Any) -> reports.CheckReport:
        """What the system is: rank, degrees of freedom, kinds of constraints, bodies and joints, the start."""
        return self._report("check", {"params": params, "state": state, **options})

    def derive(self, form: str = "multipliers", *, params: Named = None, state: Named = None, independent: Names = None,
               solved: bool = False, steps: bool = False, matrices: bool = False, stop: Stop = None, **options: Any) -> Equations:
        """The equations of motion in a form: multipliers, rosenberg, rosenberg_extended, udwadia_kalaba, maggi, laconic,
        gibbs_appell, kane, chaplygin, voronets, boltzmann_hamel, hamilton; hamel_wrong is a warning.

        >>> m = pfaff.Model("coord x [m]; param m = 1 [kg], k = 2 [N/m]; kinetic m*x'^2/2; potential k*x^2/2")
        >>> [(e.lhs, e.rhs) for e in m.derive().equations]
        [("m*x''", '-k*x')]
        """
        given = {"form": form, "params": params, "state": state, "independent": independent, "solved": solved,
                 "steps": steps, "matrices": matrices, **options}
        raw = self._values("derive", given, (), stop)
        moving = {"coordinates": list(self.coordinates), "inputs": [entry["name"] for entry in self.info["inputs"]]}
        return Equations({**raw, **moving}, lambda how: self._words("derive", {**given, how: True} if how else given))

    def eval(self, *, form: Optional[str] = None, state: Named = None, params: Named = None, time: Any = None,
             **options: Any) -> reports.EvalReport:
        """Accelerations, multipliers and constraint forces at the start or at another state, in the units of the program;
        inverse="x''=1" with actuators="u" is inverse dynamics."""
        return self._report("eval", {"form": form, "state": state, "params": params, "time": time, **options})

    def compare(self, *, prove: bool = False, stop: Stop = None, **options: Any) -> reports.CompareReport:
        """All formulations side by side, at the start and over the motion."""
        return self._report("compare", {"prove": prove, **options}, (), stop)

    def prove(self, *, stop: Stop = None, **options: Any) -> reports.CompareReport:
        """Shows by exact algebra that all formulations are the same: `proved`, `proof`."""
        return self.compare(prove=True, stop=stop, **options)

    def converge(self, by: Names = None, *, stop: Stop = None, **options: Any) -> reports.ConvergeReport:
        """Order and work of integrators on this model."""
        return self._report("converge", {"by": by, **options}, (), stop)

    def run(self, duration: Any = None, *, by: Optional[str] = None, params: Named = None, state: Named = None,
            inputs: Named = None, every: Any = None, at: Any = None, show: Names = None, form: Optional[str] = None, rtol: Optional[float] = None,
            atol: Optional[float] = None, step: Any = None, time: Any = None, native: Optional[str] = None,
            stop: Stop = None, **options: Any) -> Run:
        """The motion from the start, as `pfaff run`: for `duration` seconds, or as long as the model says. Samples at every step
        of the integrator `by`, or `every` so many seconds, or `at` given times; of the state, multipliers and energies, or of what
        `show` names. Inputs hold throughout (a simulation changes them). A run that fails raises an Error whose `result` has the rows so far; one that `stop` ends (a function
        that is asked some fifty times a second) is returned as it is then."""
        self._check_names("params", params, self._parameter_places)
        given = {"for": duration, "by": by, "params": params, "state": state, "input": self._held(inputs), "every": every, "at": at, "show": show,
                 "form": form, "rtol": rtol, "atol": atol, "step": step, "time": time, "native": native, **options}
        done = self._run_task("run", {"no_rows": True, **given}, (), stop)
        diagnostics = done.diagnostics()
        if not done.status and not diagnostics:
            return _make_run(done.json_text(), done)
        told = done.json()
        result = _make_run(told, done) if "columns" in told else None
        if done.status and not (done.stopped and result is not None):
            error = done.error()
            error.result = result
            raise error
        assert result is not None
        _call.warn(diagnostics)
        return result

    def sweep(self, take: Names, duration: Any = None, *, params: Named = None, state: Named = None, inputs: Named = None,
              random: Optional[Sequence[str]] = None, correlate: Optional[Sequence[str]] = None, n: Optional[int] = None,
              design: Optional[str] = None, seed: Optional[int] = None, zip: Optional[Sequence[str]] = None,
              vary: Named = None, study: Optional[str] = None, by: Optional[str] = None, out: Optional[Path] = None,
              threads: Optional[int] = None, stop: Stop = None, **options: Any) -> Any:
        """The model moved many times, as `pfaff sweep`: an xarray.Dataset over "member" with what varies, what is taken, and how each
        member ended ("status"; failures from 3 on). Lists and arrays among params, state and inputs are combined, texts are ranges
        ("5..7:50"), and so are settings of the run in `vary` (step, rho, rtol, atol); `random` is a list of laws ("m ~ normal(5, 0.1)"). With `out` the rows are in that Zarr directory. With
        statistics_only=True no rows are kept: a Record of mean, deviation, quantiles and histogram of each column. The designs "saltelli" and
        "morris" add how much each random number matters, as "sensitivity_first" and "sensitivity_total" (or "sensitivity_mean",
        "sensitivity_magnitude" and "sensitivity_deviation") over "sensitivity_of" (quantities) and "sensitivity_to" (random numbers).

        >>> m = pfaff.Model("param k = 4 [N/m]; coord x [m]; kinetic 0.5[kg]*x'^2; potential k*x^2/2; start x = 1; run 1")
        >>> m.sweep("max(x)", params={"k": [1, 4]}).sizes["member"]
        2
        """
        import xarray
        given = {"param": _sweep_values("params", params), "state": _sweep_values("state", state),
                 "input": _sweep_values("inputs", inputs), "take": take, "for": duration, "random": random, "correlate": correlate,
                 "n": n, "design": design, "seed": seed, "zip": [",".join(zip)] if zip else None, "study": study, "by": by, "out": out,
                 "vary": [f"{name}={_call.number_text(value, name)}" for name, value in (_sweep_values("vary", vary) or {}).items()],
                 "threads": threads, **options}
        done = self._run_task("sweep", given, (), stop)
        if done.status and not done.stopped:
            raise done.error()
        _call.warn(done.diagnostics())
        if done.stopped:
            warnings.warn("the sweep was stopped: members without a result have NaN and the status 0", errors.ModelWarning, stacklevel=2)
        told = done.json()
        if options.get("statistics_only"):
            return Record(told)
        rows = xarray.open_zarr(os.fspath(out)) if out is not None else _make_dataset(told, done)
        return rows.assign(_sensitivity(told))

    def _check_names(self, what: str, given: Named, known: Iterable[str]) -> None:
        if given is None:
            return
        kinds = {"params": (self._parameter_places, "a parameter"), "inputs": (self._input_places, "an input"),
                 "state": (self.coordinates, "a coordinate")}
        for name in _call.by_name(what, given, known):
            for other, (names, kind) in kinds.items():
                if other != what and name in names and name not in known:
                    raise errors.UnknownName(f"{what}: '{name}' is {kind}", f"{other}={{{name!r}: …}} sets it")

    def _held(self, inputs: Named) -> Named:
        for name in _call.by_name("inputs", inputs, self.inputs) if inputs is not None else ():
            if name not in self._input_places:
                raise self._unknown("inputs", name, self._input_places)
        return inputs

    def simulate(self, *, by: Optional[str] = None, form: Optional[str] = None, params: Named = None, state: Named = None,
                 inputs: Named = None, time: Optional[float] = None, step: Optional[float] = None,
                 rtol: Optional[float] = None, atol: Optional[float] = None, duration: Optional[float] = None,
                 most_steps: Optional[int] = None, native: str = "off", as_given: bool = False, start: bool = True) -> Sim:
        """A simulation, started unless start=False; `as_given`: from a start that is not made consistent. Numbers by name are in
        the declared units here, as everywhere in a Model; those of the simulation are in SI."""
        sim = Sim(self, by=by, form=form)
        self._check_names("params", params, self._parameter_places)
        self._check_names("state", state, self.coordinates)
        for group in (params, state, self._held(inputs)):
            for name, value in (group or {}).items():
                sim.set(name, [_call.number_text(one, name) for one in value] if _call.is_list(value) and len(value) != 1 else
                        _call.number_text(value, name))
        if time is not None:
            sim.set("t", time)
        sim.method(by, form, step=step, rtol=rtol, atol=atol, duration=duration, most_steps=most_steps)
        if native != "off":
            sim.native(native)
        lib.pf_py_sim_as_given(sim._c, as_given)
        if start:
            sim._start(3)
        return sim

    # ------------------------------------------------------------ studies

    def study(self, kind: str, operands: Sequence[str] = (), *, stop: Stop = None, **options: Any) -> Record:
        """A study by its JSON: equilibria, steady, continue, linearize, portrait, poincare, integrability, invariants, measure."""
        return self._report(kind, options, operands, stop)

    if TYPE_CHECKING:
        @overload
        def linearize(self, *, near: Optional[str] = None, at: None = None, sweep: None = None, inputs: Names = None,
                      params: Named = None, state: Named = None, units: str = "SI", stop: Stop = None, **options: Any
                      ) -> LinearModel: ...
        @overload
        def linearize(self, *, near: Optional[str] = None, at: Any, sweep: Any = None, inputs: Names = None,
                      params: Named = None, state: Named = None, units: str = "SI", stop: Stop = None, **options: Any
                      ) -> list[LinearModel]: ...
        @overload
        def linearize(self, *, near: Optional[str] = None, at: None = None, sweep: Any, inputs: Names = None,
                      params: Named = None, state: Named = None, units: str = "SI", stop: Stop = None, **options: Any
                      ) -> list[LinearModel]: ...

    def linearize(self, *, near: Optional[str] = None, at: Any = None, sweep: Any = None, inputs: Names = None,
                  params: Named = None, state: Named = None, units: str = "SI", stop: Stop = None, **options: Any
                  ) -> Union[LinearModel, list[LinearModel]]:
        """The linear model at the start, or near="equilibrium" or "steady"; a list of them `at` times of the motion or along a
        sweep={"k": (0, 1, 11)} of a parameter. Its numbers are in SI, as those of a simulation are; with units="declared" in the
        units of the model, as the program has them."""
        if units not in ("SI", "declared"):
            raise errors.ArgumentError(f"units={units!r}: it is 'SI' or 'declared'")
        told = self._values("linearize", {"near": near, "at": at, "sweep": sweep, "inputs": inputs, "params": params,
                                              "state": state, **options}, (), stop)
        sizes = {unit: self.constant(f"1 [{unit}]") if unit and units == "SI" else 1.0
                 for group in ("state_units", "input_units", "output_units") for unit in told[group]}
        points = [LinearModel(point, {**told, "units": units, "sizes": sizes}) for point in told["points"]]
        return points if at is not None or sweep is not None else points[0]

    def equilibria(self, *, starts: Optional[int] = None, within: Any = None, stop: Stop = None, **options: Any) -> Steady:
        """States of rest."""
        return Steady(self._values("equilibria", {"starts": starts, "within": within, **options}, (), stop))

    def steady(self, *, starts: Optional[int] = None, within: Any = None, stop: Stop = None, **options: Any) -> Steady:
        """Motions in which everything is constant but the cyclic coordinates."""
        return Steady(self._values("steady", {"starts": starts, "within": within, **options}, (), stop))

    def continuation(self, parameter: str, low: float, high: float, steps: Optional[int] = None, *, stop: Stop = None,
                     **options: Any) -> reports.ContinueReport:
        """Branches of steady motions (or equilibria=True) against a parameter, with folds, branch points and Hopf points."""
        span = f"{parameter}={_call.number_text(low, 'low')}..{_call.number_text(high, 'high')}"
        return self._report("continue", options, [span + (f":{int(steps)}" if steps else "")], stop)

    def portrait(self, show: Names, *, stop: Stop = None, **options: Any) -> reports.PortraitReport:
        """Motions as curves in the plane of two quantities."""
        return self._report("portrait", {"show": show, **options}, (), stop)

    def poincare(self, section: Any, show: Names, *, stop: Stop = None, **options: Any) -> reports.PoincareReport:
        """Points on a section, {"t": 1} or "x=0", and the largest Lyapunov exponent."""
        return self._report("poincare", {"section": section, "show": show, **options}, (), stop)

    def integrability(self, *, stop: Stop = None, **options: Any) -> reports.IntegrabilityReport:
        """Growth vector, controllability, and the combinations of constraints that are holonomic."""
        return self._report("integrability", options, (), stop)

    def invariants(self, *, stop: Stop = None, **options: Any) -> reports.InvariantsReport:
        """Conserved quantities, each proven."""
        return self._report("invariants", options, (), stop)

    def measure(self, *, stop: Stop = None, **options: Any) -> reports.MeasureReport:
        """A density of an invariant measure of the reduced equations, proven, or the functions that were tried."""
        return self._report("measure", options, (), stop)

    # ------------------------------------------------------------ pictures, pages, other programs

    def plot(self, show: Optional[str] = None, *, inputs: Named = None, stop: Stop = None, **options: Any) -> Picture:
        """Curves of its run as the program draws them (Run.plot() draws by Matplotlib)."""
        return Picture(self._words("plot", {"show": show, "input": self._held(inputs), **options, "out": "-"}, stop))

    def draw(self, *, at: Any = None, view: Optional[str] = None, stop: Stop = None, **options: Any) -> Picture:
        """The machine as a picture."""
        return Picture(self._words("draw", {"at": at, "view": view, **options, "out": "-"}, stop))

    def scene(self, *, at: Any = None, stop: Stop = None, **options: Any) -> reports.DrawReport:
        """Its shapes, and where they are."""
        return self._report("draw", {"at": at, **options}, (), stop)

    def page(self, path: Optional[Path] = None, *, template: Optional[Path] = None, stop: Stop = None, **options: Any) -> Page:
        """A page in which the machine moves, with the engine in it; written to `path` when one is given."""
        import tempfile
        own = os.path.join(os.path.dirname(__file__), "share", "page.html")
        if template is None and os.path.exists(own):
            template = own
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "page.html")
            try:
                self._values("page", {"template": template, "out": target, **options}, (), stop)
            except errors.MissingLibrary as error:
                if template is not None:
                    raise
                raise errors.MissingLibrary("pages are not part of this installation of pfaff",
                                            "a wheel of 'make wheel' has them; template= names a page.html") from error
            with open(target, encoding="utf-8") as file:
                page = Page(file.read())
        if path is not None:
            page.save(path)
        return page

    def export(self, to: str, out: Path, *, stop: Stop = None, **options: Any) -> reports.ExportReport:
        """The model as source for other programs: c, python, matlab, casadi, latex, fmu (docs/export.md)."""
        return self._report("export", {"to": to, "out": out, **options}, (), stop)

    def to_casadi(self, *, form: Optional[str] = None, inputs: Names = None, params: Named = None, state: Named = None,
                  stop: Stop = None, **options: Any) -> ModuleType:
        """The equations as functions of CasADi, for optimisation: accelerate(p, t, q, v, u), rates(p, t, z, u) and what else
        is in `functions`; P0, Q0, V0 are parameters and start, in SI (docs/export.md). `inputs` names inputs that the model gives
        as functions of time and that are arguments all the same.

        >>> m = pfaff.Model("coord x; param k = 2; input u; kinetic x'^2/2; potential k*x^2/2; force x = u")
        >>> f = m.to_casadi()
        >>> f.accelerate(f.P0, 0, [1], [0], [0.5])[0]
        DM(-1.5)
        """
        from ._casadi import make_module
        given = {"to": "casadi", "form": form, "inputs": inputs, "params": params, "state": state, **options}
        return make_module(self._words("export", {**given, "out": "-"}, stop), self.name)

    def format(self) -> str:
        """The text in its canonical layout."""
        return _call.Task("fmt", {}).run(text=self.text, file=self.file, words=True).words()

    def save(self, path: Path) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s'*(count != 1)}"


def _few(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _tidy(value: float) -> float:
    """Without what a change of units does to the last digit."""
    return float(f"{value:.15g}")


def _make_run(told: Union[str, dict[str, Any]], done: _call.Task) -> Run:
    """`told`: the JSON, or its text."""
    import numpy as np
    if done.rows is not None:
        return Run(told, np.frombuffer(done.rows, dtype=np.float64).reshape(done.shape))
    run = Run(told, np.empty((0, 0)))
    run.data = np.empty((0, len(run.columns)))
    return run


def _sweep_values(what: str, named: Named) -> Named:
    """Numbers by name, of which lists and arrays vary."""
    if named is None:
        return None
    return {name: ",".join(_call.number_text(one, f"{what}[{name!r}]") for one in value) if _call.is_list(value) else value
            for name, value in _call.by_name(what, named, ("name",)).items()}


def _sensitivity(told: dict[str, Any]) -> dict[str, Any]:
    """Of a design for them: how much each random number matters for each quantity that is taken, as variables over both names."""
    import xarray
    found = {column["name"]: column["sensitivity"] for column in told["columns"] if "sensitivity" in column}
    if not found:
        return {}
    tables = next(iter(found.values()))
    names = {"sensitivity_of": list(found), "sensitivity_to": list(tables)}
    return {f"sensitivity_{kind}": xarray.DataArray(
        [[_nan if of[name][kind] is None else of[name][kind] for name in tables] for of in found.values()], names, list(names))
        for kind in next(iter(tables.values()))}


def _make_dataset(told: dict[str, Any], done: _call.Task) -> Any:
    import numpy as np
    import xarray
    names = [column["name"] for column in told["columns"]]
    rows = np.frombuffer(done.rows, dtype=np.float64) if done.rows is not None else np.empty(0)
    rows = rows.reshape(-1, len(names) + 1)
    data: dict[str, Any] = {column["name"]: ("member", rows[:, i], {"units": column["unit"]} if column["unit"] else {})
                            for i, column in enumerate(told["columns"])}
    data["status"] = ("member", rows[:, -1].astype(np.uint8))
    return xarray.Dataset(data, attrs={"failures": told["failures"]})


def load(path: Path) -> Model:
    """Reads a model file. What is wrong with it is a ModelError with the line and a caret."""
    name = _call.file_name(path)
    with open(name, encoding="utf-8", errors="surrogateescape") as file:  # the program says where bytes are no UTF-8
        return Model(file.read(), name)


def loads(text: str, file: Path = "<text>") -> Model:
    """The same from text, as Model(text)."""
    return Model(text, file)


def examples(*words: str) -> list[Record]:
    """The models that come with the program: family, name, title, about; those that have all of the words in them.

    >>> [one.name for one in pfaff.examples("snakeboard", "steered")]
    ['snakeboard_steered']
    """
    told = _call.Task("examples", {}, words).run().checked().json()
    return [Record(one) for one in told["examples"]]


def example(name: str) -> Model:
    """One of them.

    >>> pfaff.example("snakeboard")
    <Model snakeboard: 6 coordinates, 2 constraints, 8 parameters>
    """
    found = examples(name)
    if len(found) != 1 or "text" not in found[0].raw:
        names = ", ".join(one.name for one in found)
        raise errors.UnknownName(f"'{name}' is not the name of one example", f"there are {names}" if names else "")
    return Model(found[0].text, f"{found[0].name}.pf")


def import_urdf(path: Path, **options: Any) -> Model:
    """A robot in URDF as a model: import_urdf("arm.urdf", base="free", wheel=["left", "right"], actuators="all"). What begins with <
    is the text itself."""
    name = _call.file_name(path)
    if name.lstrip().startswith("<"):
        name, text = "<urdf>", name
    else:
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    told = _call.Task("import", options).run(text=text, file=name).checked(3).json()
    return Model(told["text"], name + " as a model")


def command(*words: str, text: Optional[str] = None, stop: Stop = None) -> tuple[int, str, str]:
    """Any command as words: exit code, what it prints, and what it says; '-' reads `text`.

    >>> pfaff.command("version")[1].startswith("pfaff ")
    True
    """
    return _call.command(words, text, stop)
