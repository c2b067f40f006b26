# SPDX-License-Identifier: Apache-2.0
"""Simulations: a model that is moved step by step, looked at and driven from outside."""
from __future__ import annotations

import math
import warnings
import weakref
from collections.abc import MutableMapping

from . import errors
from ._call import SOMEONE, _without_zeros, is_list, in_main_interpreter, keep, number_text, raise_kept, real
from ._field import MOST_KEPT, native_mode, raise_error
from ._pfaff import ffi, lib

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator, Optional, Sequence, Union
    import numpy as np
    from ._model import Model

_nan = float("nan")
_get, _put, _step, _forward = lib.pf_py_sim_get, lib.pf_py_sim_put, lib.pf_py_sim_step, lib.pf_py_sim_forward


@ffi.def_extern(error=1, onerror=keep)
def pf_py_control(who: Any) -> int:
    sim = ffi.from_handle(who)()
    answer = sim._controller(sim)
    if answer is not None:
        raise errors.ArgumentError(f"the controller returned {answer!r}, and nobody looks at that",
                                   f"it sets inputs, as sim.input[{next(iter(sim.input), 'u')!r}] = …, and returns nothing")
    return 0


def fail(c: Any, model: "Model", outcome: int) -> None:
    """Raises what an outcome tells, with the words of the simulation."""
    if outcome == lib.PF_PY_STOPPED:
        raise_kept()
        raise errors.Stopped("the simulation was stopped")
    if outcome == lib.PF_PY_BUSY:
        raise errors.Error("the simulation is moving: another thread uses it, or its controller wants to move it",
                           "clone(), before it moves, makes another one")
    raise_error(lib.pf_py_sim_error(c), model.file)


def _copied_by_controller() -> errors.Error:
    return errors.Error("a controller, in the midst of a move, cannot clone or save the simulation",
                        "do so between moves, or let sim.model.simulate(state=…, time=sim.t) make another one")


class Inputs(MutableMapping[str, float]):
    """The inputs of a simulation by name, in SI: sim.input["u"] = 0.3 holds from then on. A text may name a unit, "3 [N mm]"."""

    __slots__ = ("_c", "_model", "_handles")  # not the simulation itself: what goes round is freed late

    def __init__(self, c: Any, model: "Model"):
        self._c = c
        self._model = model
        self._handles: dict[str, int] = {}

    def _find(self, name: str) -> int:
        if name not in self._model._input_places:
            raise self._model._unknown("input", name, self._model._input_places)
        handle = lib.pf_py_sim_find(self._c, _without_zeros(name))
        if handle < 0:
            fail(self._c, self._model, handle)
        self._handles[name] = handle
        return handle

    def __getitem__(self, name: str) -> float:
        handle = self._handles.get(name)
        if handle is None:
            handle = self._find(name)
        number = _get(self._c, handle)
        if number != number:  # another thread moves it, or it is NaN
            outcome = lib.pf_py_sim_read(self._c, handle, ffi.new("double *"))
            if outcome < 0:
                fail(self._c, self._model, outcome)
        return number

    def __setitem__(self, name: str, value: float) -> None:
        handle = self._handles.get(name)
        if handle is None:
            handle = self._find(name)
        try:
            outcome = _put(self._c, handle, value)
        except TypeError:
            outcome = _put(self._c, handle, self._number(name, value))
        if outcome != 1:
            fail(self._c, self._model, outcome)

    def _number(self, name: str, value: Any) -> float:
        """Of what is not simply a number: a text, an array that has one."""
        if isinstance(value, str):
            return self._model.constant(value, name)
        if getattr(value, "size", 0) == 1:
            value = value.reshape(())[()]
        return real(value, f"the input '{name}'")

    def __delitem__(self, name: str) -> None:
        raise TypeError("inputs cannot be taken away")

    def __iter__(self) -> Iterator[str]:
        return iter(self._model.inputs)

    def __len__(self) -> int:
        return len(self._model.inputs)

    def __repr__(self) -> str:
        return repr(dict(self))


def _method_names(by: Optional[str], form: Optional[str]) -> list[Any]:
    return [_without_zeros(name) if name is not None else ffi.NULL for name in (by, form)]


class Sim:
    """A simulation of a model. Numbers are in SI units and radians, whatever the model declares.

    >>> import pfaff
    >>> m = pfaff.Model("coord x; input u; kinetic x'^2/2; force x = u")
    >>> sim = m.simulate()
    >>> sim.input["u"] = 2.0
    >>> sim.step(0.5)
    True
    >>> round(sim["x"], 9), sim.t
    (0.25, 0.5)

    A quantity with a unit behind it is in that unit: sim["theta [deg]"].

    One thread at a time may use it (another one gets an Error); clone() makes another for another thread."""

    def __init__(self, model: "Model", c: Any = None, by: Optional[str] = None, form: Optional[str] = None):
        self.model = model
        self._controller: Optional[Callable[["Sim"], Any]] = None
        self._handle = ffi.NULL
        self._handles: dict[str, int] = {}
        self._numbers: dict[str, Any] = {}
        self.recorded: Optional["np.ndarray"] = None  # the rows of the last record()
        if c is None:
            error = ffi.new("PfError *")
            c = lib.pf_py_sim_open(model._machine.c, *_method_names(by, form), SOMEONE, error)
            if not c:
                raise_kept()
                raise_error(error, model.file)
        self._c = ffi.gc(c, lib.pf_py_sim_close)
        self.input = Inputs(self._c, model)
        lib.pf_py_sim_ask(self._c, SOMEONE)

    def __reduce__(self) -> Any:
        raise TypeError("a simulation cannot be pickled; its model can, and bytes of save() can")

    if not TYPE_CHECKING:  # a type checker would take it for an answer to every name
        def __getattr__(self, name):
            raise errors.no_attribute(self, "a simulation", name)

    # ------------------------------------------------------------ errors

    def _fail(self, outcome: int) -> None:
        fail(self._c, self.model, outcome)

    def _check(self, outcome: int) -> None:
        if outcome < 0:
            self._fail(outcome)

    # ------------------------------------------------------------ before the start

    def set(self, name: str, value: Union[float, str, Sequence[Union[float, str]]]) -> None:
        """A parameter, the start of a coordinate (x), a velocity (x'), a speed, the time (t), or an input; in SI, or a text with
        its unit, "5 [g]". Place and attitude of a free body are vectors: set("hub.p", (1, 2, 3)), set("hub.q", (1, 0, 0, 0)). Takes
        effect at start(); inputs at once."""
        if is_list(value) and getattr(value, "size", 0) != 1:
            for part, one in self._parts(name, value):
                self.set(part, one)
            return
        if isinstance(value, str):
            self._check(lib.pf_py_sim_set_text(self._c, _without_zeros(name), _without_zeros(value)))
        else:
            self._check(lib.pf_py_sim_set(self._c, _without_zeros(name), real(value, name)))

    def _parts(self, name: str, value: Any) -> list[tuple[str, Any]]:
        """The coordinates that a vector has values for, or the elements of a list."""
        values, model = list(value), self.model
        parts = [part for part in (f"{name}{letter}" for letter in "wxyz") if part in model.coordinates]
        if len(parts) == len(values) >= 3:
            return list(zip(parts, values))
        elements = [f"{name}[{i + 1}]" for i in range(len(values))]
        if elements and all(one in model._parameter_places or one in model.coordinates or one in model._input_places for one in elements):
            return list(zip(elements, values))
        raise errors.ArgumentError(f"{name}: {value!r} is no number", f"it has {', '.join(parts)}" if parts else "")

    def method(self, by: Optional[str] = None, form: Optional[str] = None, *, step: Optional[float] = None,
               rtol: Optional[float] = None, atol: Optional[float] = None, duration: Optional[float] = None,
               most_steps: Optional[int] = None) -> None:
        """Integrator and formulation by name, at once; step, tolerances, the most steps and the end of step() without a length at the next
        start()."""
        for name, value in (("step", step), ("rtol", rtol), ("atol", atol), ("most_steps", most_steps)):
            if value is not None and not real(value, name) > 0:
                raise errors.ArgumentError(f"{name}: {value!r} is not a positive number")
        numbers = [_nan if x is None else real(x, what) for x, what in
                   ((step, "step"), (rtol, "rtol"), (atol, "atol"), (duration, "duration"), (most_steps, "most_steps"))]
        self._check(lib.pf_py_sim_method(self._c, *_method_names(by, form), *numbers))

    def native(self, mode: str) -> None:
        """Whether what runs long is compiled: "off", "auto" or "on" (docs/native.md). "off" ends compiling; what is compiled by then
        stays so, and the numbers are the same either way."""
        self._check(lib.pf_py_sim_native(self._c, native_mode(mode)))

    def start(self, **values: Any) -> "Sim":
        """Makes the start consistent with the constraints, from where the model and set() say; also to begin again."""
        for name, value in values.items():
            self.set(name, value)
        self._start(3)
        return self

    def _start(self, level: int) -> int:
        """Warns of what the constraints have changed, the caller `level` calls away; how often."""
        self._check(lib.pf_py_sim_start(self._c))
        warning, count = ffi.new("PfError *"), 0
        while lib.pf_py_sim_warning(self._c, count, warning):
            count += 1
            place = f"{self.model.file}:{warning.line}:{warning.column}: " if warning.line else ""
            if level:
                warnings.warn(place + ffi.string(warning.message).decode("utf-8", "replace"), errors.ModelWarning, stacklevel=level)
        return count

    # ------------------------------------------------------------ moving

    def step(self, dt: Optional[float] = None) -> bool:
        """Goes on by dt seconds, or by one step of the method. False when the motion is over: by the condition of the model, or
        (without dt) at the end of its run."""
        try:
            outcome = _step(self._c) if dt is None else _forward(self._c, dt)
        except TypeError:
            outcome = _forward(self._c, self._seconds("dt", dt))
        if outcome < 0:
            self._fail(outcome)
        return outcome == 1

    def advance(self, t: float) -> bool:
        """To the time t, exactly. False when the motion ends earlier by the condition of the model."""
        try:
            outcome = lib.pf_py_sim_advance(self._c, t)
        except TypeError:
            outcome = lib.pf_py_sim_advance(self._c, self._seconds("t", t))
        if outcome < 0:
            self._fail(outcome)
        return outcome == 1

    def control(self, period: float, controller: Optional[Callable[["Sim"], Any]]) -> None:
        """Calls controller(sim) at the start and every `period` seconds; it reads and sets inputs, which hold until it is called
        again, and returns nothing. Where a move ends at its instant it is called when the motion goes on. What it raises ends
        the move and is raised there. None takes it away."""
        if controller is not None and not callable(controller):
            raise errors.ArgumentError(f"a controller is a function of the simulation, not {controller!r}")
        period = real(period, "period")
        if controller is not None and not period > 0:
            raise errors.ArgumentError(f"a controller needs a period in seconds that is positive, not {period!r}")
        if controller is not None and not in_main_interpreter():
            raise errors.Error("a subinterpreter cannot be called back: simulations have no controllers there",
                               "set inputs between steps, or use processes")
        before, self._controller = self._controller, controller
        if not self._handle:
            self._handle = ffi.new_handle(weakref.ref(self))
        try:
            self._check(lib.pf_py_sim_control(self._c, period if controller else 0.0, self._handle))
        except errors.Error:
            self._controller = before
            raise

    def record(self, duration: float, every: float, show: Union[str, Sequence[str]] = ()) -> "np.ndarray":
        """Moves on for so long and reads quantities at multiples of `every`: a table with t in its first column, then the
        quantities (the coordinates, if none are named), in SI or in the units behind them. A controller whose instant has come is
        called first: rows show the inputs and accelerations that hold from then on. Shorter when the motion ends early; otherwise the
        simulation stands at the end of the duration afterwards, also where that is no multiple. `recorded` keeps the rows, also of one
        that failed or was ended by Ctrl-C or by what a controller raised; an Error has them in `result`."""
        import numpy as np
        names = [show] if isinstance(show, str) else list(show) or list(self.model.coordinates)
        handles = [self.find(name) for name in names]
        duration, every = self._seconds("duration", duration), self._seconds("every", every)
        if not every > 0 or not duration >= 0:
            raise errors.ArgumentError("record() needs a duration and a positive 'every'")
        table = self._table(duration, every, 1 + sum(lib.pf_py_sim_size(self._c, h) for h in handles), np)
        count = ffi.new("size_t *")
        block, end = ffi.from_buffer("double[]", table), self.t + duration
        try:
            outcome = lib.pf_py_sim_record(self._c, handles, len(handles), every, len(table), block, count)
            rows = self.recorded = table[:count[0]]
            self._check(outcome)
            if count[0] == len(table) and (len(table) - 1)*every < duration*(1 - 1e-12):
                self.advance(end)  # the rest, which has no row
        except errors.Error as error:
            error.result = self.recorded
            raise
        return rows

    def _table(self, duration: float, every: float, columns: int, np: Any) -> "np.ndarray":
        """Room for the rows."""
        wanted, end = duration/every*(1 + 1e-12), self.t + duration
        if end + every == end:
            raise errors.ArgumentError(f"every = {every:g} s is too short: times near t = {end:g} s are {math.ulp(end):.2g} s apart")
        try:
            return np.empty((int(wanted) + 1, columns))
        except (MemoryError, ValueError, OverflowError):
            raise errors.ArgumentError(f"every = {every:g} s makes {wanted:.3g} rows of {columns} numbers in {duration:g} s, and there is "
                                       "no room for them", "take a longer 'every', or record in pieces") from None

    def _seconds(self, name: str, value: Any) -> float:
        return self.model.constant(value) if isinstance(value, str) else float(number_text(value, name))

    # ------------------------------------------------------------ reading

    def find(self, quantity: str) -> int:
        """A handle for get() by number; names are looked up once."""
        if not isinstance(quantity, str):
            raise errors.ArgumentError(f"a quantity is a text, as \"x'\" or \"kinetic\", not {quantity!r}")
        handle = self._handles.get(quantity)
        if handle is None:
            handle = lib.pf_py_sim_find(self._c, _without_zeros(quantity))
            if handle < 0:
                self._fail(handle)
            self._handles[quantity] = handle
        return handle

    def get(self, quantity: Union[str, int]) -> Any:
        """A number, or an array of several: anything that 'plot' takes, as "theta", "x''", "lambda[rear]", "kinetic", "pos(wheel)";
        "matrix M", F, A, b; "pose BODY" (position, then the rotation matrix by rows). In SI, or in the unit behind it:
        "theta [deg]"."""
        if isinstance(quantity, str) and len(self._handles) >= MOST_KEPT and quantity not in self._handles:
            return self._glance(quantity)
        handle = quantity if isinstance(quantity, int) else self.find(quantity)
        if lib.pf_py_sim_size(self._c, handle) != 1:
            return self._read(handle)
        number = _get(self._c, handle)
        if number != number:
            self._read(handle)  # says why, if it is not just NaN
        return number

    def _glance(self, quantity: str) -> Any:
        """Of a quantity that is not kept."""
        handle = self.find(quantity)
        try:
            return self.get(handle)
        finally:
            if self._handles.pop(quantity, None) is not None:
                lib.pf_py_sim_drop(self._c, handle)

    def _read(self, handle: int) -> "np.ndarray":
        import numpy as np
        numbers = np.empty(max(1, lib.pf_py_sim_size(self._c, handle)))
        outcome = lib.pf_py_sim_read(self._c, handle, ffi.from_buffer("double[]", numbers))
        if outcome < 0:
            self._fail(outcome)
        return numbers

    def __getitem__(self, quantity: str) -> Any:
        handle = self._handles.get(quantity) if isinstance(quantity, str) else None
        return self.get(quantity if handle is None else handle)

    def unit(self, quantity: str) -> str:
        """The declared unit of a quantity (its numbers are in SI nevertheless), or the one that stands behind it."""
        return ffi.string(lib.pf_py_sim_unit(self._c, self.find(quantity))).decode()

    @property
    def t(self) -> float:
        return lib.pf_py_sim_time(self._c)

    def _state(self, which: int) -> "np.ndarray":
        import numpy as np
        names = self.model.coordinates
        primes = "'"*which
        if not self.model.info["events"]:
            arrays = [np.empty(len(names)) for _ in range(3)]
            blocks = [ffi.from_buffer("double[]", a) for a in arrays]
            if lib.pf_py_sim_state(self._c, *blocks) == 1:
                return arrays[which]
        return np.array([self.get(name + primes) for name in names])

    @property
    def q(self) -> "np.ndarray":
        """All coordinates."""
        return self._state(0)

    @property
    def v(self) -> "np.ndarray":
        return self._state(1)

    @property
    def a(self) -> "np.ndarray":
        return self._state(2)

    @property
    def result(self) -> dict[str, Any]:
        """end, t, method, formulation, steps …, violations, energy and its balance so far; stiff_t: since when an implicit
        method goes on, because none was asked for and dopri5 made no progress, or None."""
        r = ffi.new("PfPyResult *")
        lib.pf_py_sim_result(self._c, r)
        texts = {name: ffi.string(getattr(r, name)).decode() for name in ("end", "method", "formulation")}
        counts = {name: getattr(r, name) for name in ("t", "steps", "rejected", "evaluations", "switches", "sticks")}
        return {**texts, "stiff_t": None if r.stiff_t != r.stiff_t else r.stiff_t, **counts, "violation": {"position": r.position, "velocity": r.velocity},
                "energy": {"start": r.energy_start, "end": r.energy_end, "drift": r.drift}}

    @property
    def events(self) -> list[dict[str, Any]]:
        """Those that have happened."""
        numbers = ffi.new("double[3]")
        found: list[dict[str, Any]] = []
        while (text := lib.pf_py_sim_event(self._c, len(found), numbers)) != ffi.NULL:
            found.append({"event": ffi.string(text).decode(), "t": numbers[0], "kinetic_before": numbers[1],
                          "kinetic_after": numbers[2]})
        return found

    # ------------------------------------------------------------ snapshots

    def save(self) -> bytes:
        """All that the motion remembers: what goes on from it goes on bit for bit. The methods of SUNDIALS begin again with small
        steps then, this simulation too: its further steps are others than without save()."""
        size = lib.pf_py_sim_snapshot_size(self._c)
        block = ffi.new("char[]", max(size, 1))
        outcome = lib.pf_py_sim_save(self._c, block, size)
        if outcome == lib.PF_PY_OVER:
            raise _copied_by_controller()
        self._check(outcome)
        return bytes(ffi.buffer(block, size))

    def restore(self, snapshot: bytes) -> None:
        """Goes back to what save() gave, of the same model, method and formulation."""
        if not isinstance(snapshot, (bytes, bytearray, memoryview)):
            raise errors.ArgumentError(f"a snapshot is what save() gave, bytes, not {type(snapshot).__name__}")
        data = bytes(snapshot)
        self._check(lib.pf_py_sim_restore(self._c, data, len(data)))

    def clone(self) -> "Sim":
        """Another simulation in the same state, for another thread or another future; with the same controller. With the methods of
        SUNDIALS both begin again with small steps, as after save()."""
        error = ffi.new("PfError *")
        c = lib.pf_py_sim_clone(self._c, error)
        if not c:
            raise_kept()
            if not error.status:
                raise _copied_by_controller()
            raise_error(error, self.model.file)
        copy = Sim(self.model, c)
        copy._handles = dict(self._handles)
        if self._controller is not None:
            copy.control(self._period(), self._controller)
            if lib.pf_py_sim_snapshot_size(self._c):
                copy.restore(self.save())  # the instants of the controller, too
        return copy

    def __copy__(self) -> "Sim":
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Sim":
        return self.clone()

    def _period(self) -> float:
        return lib.pf_py_sim_period(self._c)

    def __repr__(self) -> str:
        r = self.result
        return f"<Sim of {self.model.name} by {r['method']} at t = {self.t:.10g}, {r['steps']} steps>"
