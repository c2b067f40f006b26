# SPDX-License-Identifier: Apache-2.0
"""Numbers at many states by one call: arrays in, arrays out, the loop in C without the lock of the interpreter."""
from __future__ import annotations

import contextlib
import math
import os
import threading
from collections.abc import Mapping

from . import errors
from ._call import Asking, Machine, _without_zeros, by_name, is_masked, number_text, raise_kept
from ._pfaff import ffi, lib

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Iterator, Optional, Sequence, Union
    import numpy as np
    from ._model import Model
    Numbers = Any  # whatever numpy.asarray takes
    Named = Optional[Mapping[str, Any]]

NATIVE = {"off": 0, "auto": 1, "on": 2}
BY = {"q": 1, "v": 2, "t": 4, "inputs": 8, "params": 16, "state": 3}
# from so many states on a tape that is compiled pays
MANY = 2000
# so many different quantities are kept ready; beyond that everything is made anew, so that memory stays bounded
MOST_KEPT = 400


def native_mode(native: Any) -> int:
    if not isinstance(native, str) or native not in NATIVE:
        raise errors.ArgumentError(f"native={native!r}: it is 'off', 'auto' or 'on'")
    return NATIVE[native]


def raise_error(error: Any, file: str, before: str = "") -> None:
    """A PfError of C as an exception."""
    text = {name: ffi.string(getattr(error, name)).decode("utf-8", "replace") for name in ("message", "hint", "file", "setting")}
    place = text["file"] if text["file"] != "<text>" else file
    raise errors.make(errors.CODES[error.status], before + text["message"], text["hint"],
                      line=error.line, setting=text["setting"] or None, file=place if error.line else None, column=error.column)


def _of_state(index: Sequence[int]) -> str:
    return f" of state {list(index)}" if len(index) else ""


def _word(number: float) -> str:
    return "NaN" if number != number else "infinite"


class States:
    """Arrays of a call, brought to one shape. Rows that are the same for all states are given once."""

    def __init__(self, model: "Model", q: Numbers, v: Numbers, t: Numbers, params: Named, inputs: Named, on_error: str = "raise"):
        import numpy as np
        self.c = ffi.new("PfPyStates *")
        self._passes = on_error == "nan"
        self._bad: list[Any] = []  # where numbers by name are not finite
        n = len(model.coordinates)
        groups = {"q": self._rows(model, "q", q, n, np), "v": self._rows(model, "v", v, n, np),
                  "t": self._array("t", t, np)[..., None]}
        params = by_name("params", params, model._parameter_places)
        inputs = by_name("inputs", inputs, model._input_places)
        if params:
            groups["parameters"] = self._named(model, "params", params, model._parameter_places, len(model.info["parameters"]), np)
        if inputs:
            groups["inputs"] = self._named(model, "inputs", inputs, model._input_places, len(model.info["inputs"]), np)
        try:
            self.shape = np.broadcast_shapes(*(rows.shape[:-1] for rows in groups.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {rows.shape[:-1]}" for name, rows in groups.items())
            raise errors.ArgumentError(f"the shapes of the states do not fit together: {shapes}") from None
        self.c.count = int(np.prod(self.shape, dtype=np.int64))
        self.kept: list[Any] = []
        for name, rows in groups.items():
            self._give(name, rows, np)
        if on_error == "raise":
            for name in ("q", "v", "t"):
                self._check_finite(name, groups[name], model.coordinates, np)

    def spoil(self, numbers: "np.ndarray") -> None:
        """NaN for states whose parameters or inputs are not finite."""
        for bad in self._bad:
            numbers[self._spread(bad)] = float("nan")

    def _spread(self, bad: "np.ndarray") -> "np.ndarray":
        import numpy as np
        return np.broadcast_to(bad, self.shape)

    def _check_finite(self, name: str, rows: "np.ndarray", names: Sequence[str], np: Any) -> None:
        """Names the first number that is none."""
        good = np.isfinite(rows)
        if good.all():
            return
        *state, column = (int(i) for i in np.argwhere(~good)[0])
        what = "t" if name == "t" else f"{name}[{names[column]!r}]"
        raise errors.NumericalError(f"{what}{_of_state(state)} is {_word(rows[(*state, column)])}")

    def _give(self, name: str, rows: "np.ndarray", np: Any) -> None:
        width = rows.shape[-1]
        if rows.size == width:  # one for all
            rows, step = np.ascontiguousarray(rows.reshape(width)), 0
        else:
            rows, step = np.ascontiguousarray(np.broadcast_to(rows, self.shape + (width,))), width
        block = ffi.from_buffer("double[]", rows)
        self.kept.append(block)
        setattr(self.c, name, block)
        setattr(self.c, {"parameters": "parameter_step", "inputs": "input_step"}.get(name, f"{name}_step"), step)

    @staticmethod
    def _array(name: str, value: Any, np: Any) -> "np.ndarray":
        try:
            array = np.asarray(value)
        except ValueError as error:  # rows of different lengths
            raise errors.ArgumentError(f"{name} is no array: {error}") from None
        if array.dtype.kind not in "biuf":
            hint = "its real part is .real" if array.dtype.kind == "c" else ""
            raise errors.ArgumentError(f"{name} has the type {array.dtype}: real numbers are needed", hint)
        if is_masked(value):
            raise errors.ArgumentError(f"{name} is a masked array, and some of its numbers are not there",
                                       "fill them, as with .filled(0), or leave those states out")
        return array.astype(np.float64, copy=False)

    def _rows(self, model: "Model", name: str, value: Any, n: int, np: Any) -> "np.ndarray":
        if value is None:
            return np.zeros(n)
        if isinstance(value, Mapping):
            return self._by_name(model, name, value, n, np)
        rows = self._array(name, value, np)
        if rows.ndim == 0 and n == 1:
            rows = rows.reshape(1)
        if rows.ndim == 0 or rows.shape[-1] != n:
            raise errors.ArgumentError(f"{name} has the shape {rows.shape}, but its last axis must have the length {n}",
                                       f"the coordinates are {', '.join(model.coordinates)}")
        return rows

    def _by_name(self, model: "Model", name: str, value: Mapping[str, Any], n: int, np: Any) -> "np.ndarray":
        """{"x": 1, "theta": array}; what is not named is 0."""
        places = {c: i for i, c in enumerate(model.coordinates)}
        if name == "v":
            places.update({f"{c}'": i for i, c in enumerate(model.coordinates)})
        return self._fill(model, name, value, places, n, 0.0, np)

    def _fill(self, model: "Model", name: str, value: Mapping[str, Any], places: Mapping[str, int], n: int, rest: float,
              np: Any) -> "np.ndarray":
        arrays = {}
        for key, one in value.items():
            if key not in places:
                raise model._unknown(name, key, places)
            if places[key] in arrays:
                raise errors.ArgumentError(f"{name}: '{key}' is given twice, with and without a prime")
            arrays[places[key]] = self._array(f"{name}[{key!r}]", one, np)
        try:
            shape = np.broadcast_shapes(*(one.shape for one in arrays.values()))
        except ValueError:
            raise errors.ArgumentError(f"the shapes of {name} do not fit together") from None
        rows = np.full(shape + (n,), rest)
        for i, one in arrays.items():
            rows[..., i] = one
        return rows

    def _named(self, model: "Model", name: str, value: Mapping[str, Any], places: Mapping[str, int], n: int,
               np: Any) -> "np.ndarray":
        """Parameters or inputs in their declared units, or as texts with one."""
        in_si = {}
        scales = {entry["name"]: entry["scale"] for entry in model.info["parameters" if name == "params" else "inputs"]}
        for key, one in value.items():
            if key not in places:
                raise model._unknown(name, key, places)
            in_si[key] = model.constant(one, key) if isinstance(one, str) else \
                self._array(f"{name}[{key!r}]", one, np)*scales[key]
            good = np.isfinite(in_si[key])
            if self._passes and not np.all(good):  # C takes NaN for a parameter that is not given
                self._bad.append(~good)
                in_si[key] = np.where(good, in_si[key], 1.0)
            elif not np.all(good):
                place = tuple(int(i) for i in np.argwhere(~good)[0])
                raise errors.ArgumentError(f"{name}[{key!r}]{_of_state(place)} is {_word(np.asarray(in_si[key])[place])}")
        return self._fill(model, name, in_si, places, n, np.nan if name == "params" else 0.0, np)


class Field:
    """The equations of a model, made ready for numbers when they are first asked for. Serves one thread at a time; others
    wait. A call may come in the midst of another one of the same thread, by its `stop` or by the handler of a signal: it gets a
    field of its own, since parameters and room of the one under way are not to be touched."""

    def __init__(self, machine: Machine, file: str):
        self.machine = machine
        self.file = file
        self.pid = 0
        self._begin()

    def _begin(self) -> None:
        """After a fork what the parent was doing here is not to be touched."""
        if self.pid != os.getpid():
            self.lock = threading.RLock()
            self.under_way = False
            self.inner: Optional[Field] = None  # for calls in the midst of another
            self.c: Any = None
            self.one: Any = None  # room for one state
            self.native = self.refused = 0
            self.pid = os.getpid()

    def _another(self) -> "Field":
        if self.inner is None:
            self.inner = Field(self.machine, self.file)
        return self.inner

    @contextlib.contextmanager
    def used(self) -> Iterator["Field"]:
        """The field for a call, with its lock: handles of find() are good until it is let go. A handler of a signal may come between
        any two statements here; it has ended when the next one begins, so that what is under way need not be counted."""
        self._begin()
        with self.lock:
            if self.under_way:
                with self._another().used() as field:
                    yield field
                return
            try:
                self.under_way = True
                yield self
            finally:
                self.under_way = False

    def _open(self, who: Any) -> Any:
        if self.c is None:
            error = ffi.new("PfError *")
            c = lib.pf_py_field_open(self.machine.c, who, error)
            if not c:
                raise_kept()
                raise_error(error, self.file)
            self.c = ffi.gc(c, lib.pf_py_field_close)
        return self.c

    def _set_native(self, mode: int) -> None:
        if mode != self.native:
            error = ffi.new("PfError *")
            if lib.pf_py_field_native(self.c, mode, error) < 0:
                raise_error(error, self.file)
            self.native = mode

    def call(self, states: States, native: str, stop: Any, work: Any) -> None:
        """work(field, trouble) -> outcome, with the lock of the model and Python to ask."""
        with self.used() as field:
            field.work(states, native, stop, work)

    def work(self, states: States, native: str, stop: Any, work: Any) -> None:
        """The same for who has the lock."""
        mode = native_mode(native)
        trouble = ffi.new("PfPyTrouble *")
        with Asking(stop) as who:
            c = self._open(who)
            self._set_native(mode if mode != 1 or states.c.count >= MANY else 0)
            lib.pf_py_field_ask(c, who)
            outcome = work(c, trouble)
            lib.pf_py_field_ask(c, ffi.NULL)
        raise_kept()
        if outcome != lib.PF_PY_GOOD:
            self._fail(states, trouble)

    def rate(self, t: float, y: "np.ndarray", result: "np.ndarray", n: int) -> "np.ndarray":
        """(v, a) at y = (q, v): one state, as fast as can be."""
        self._begin()
        with self.lock:
            if self.under_way:
                return self._another().rate(t, y, result, n)
            try:
                self.under_way = True
                return self._rate(t, y, result, n)
            finally:
                self.under_way = False

    def _rate(self, t: float, y: "np.ndarray", result: "np.ndarray", n: int) -> "np.ndarray":
        if self.one is None:
            self._prepare()
            self.one = (ffi.new("PfPyStates *", {"count": 1}), ffi.new("double *"), ffi.new("PfPyTrouble *"))
        c, time, trouble = self.one
        block, out = ffi.from_buffer("double[]", y), ffi.from_buffer("double[]", result)
        if not math.isfinite(t):
            raise errors.NumericalError(f"t is {_word(t)}")
        time[0] = t
        c.q, c.v, c.t = block, block + n, time
        result[:n] = y[n:]
        if lib.pf_py_field_accelerate(self.c, b"auto", c, 0, out + n, ffi.NULL, ffi.NULL, trouble) != 1:
            raise_error(trouble.error, self.file, f"t = {t}: ")
        return result

    def _prepare(self) -> None:
        """The solver for no state at all: it takes long where models are large, and can be stopped."""
        none, trouble = ffi.new("PfPyStates *"), ffi.new("PfPyTrouble *")
        with Asking() as who:
            c = self._open(who)
            lib.pf_py_field_ask(c, who)
            outcome = lib.pf_py_field_accelerate(c, b"auto", none, 0, ffi.NULL, ffi.NULL, ffi.NULL, trouble)
            lib.pf_py_field_ask(c, ffi.NULL)
        raise_kept()
        if outcome != lib.PF_PY_GOOD:
            raise_error(trouble.error, self.file)

    def _fail(self, states: States, trouble: Any) -> None:
        place = ""
        if states.shape and trouble.error.status == errors.CODES.index("number"):
            import numpy as np
            index = tuple(int(i) for i in np.unravel_index(trouble.state, states.shape))
            place = f"state {list(index)}: "
        raise_error(trouble.error, self.file, place)

    def find(self, quantity: str, stop: Any = None) -> tuple[int, int]:
        """A handle, and how many numbers it has."""
        if not isinstance(quantity, str):
            raise errors.ArgumentError(f"a quantity is a text, as \"x'\" or \"kinetic\", not {type(quantity).__name__}")
        name = _without_zeros(quantity)
        handle = self._find(name, stop)
        if handle >= MOST_KEPT:
            self._forget()
            handle = self._find(name, stop)
        return handle, lib.pf_py_field_size(self.c, handle)

    def _forget(self) -> None:
        self.c, self.one, self.native, self.refused = None, None, 0, 0

    def _find(self, name: bytes, stop: Any) -> int:
        error = ffi.new("PfError *")
        with Asking(stop) as who:
            c = self._open(who)
            lib.pf_py_field_ask(c, who)
            handle = lib.pf_py_field_find(c, name, error)
            lib.pf_py_field_ask(c, ffi.NULL)
        raise_kept()
        if handle < 0:
            self._count_refused()
            raise_error(error, self.file)
        return handle

    def _count_refused(self) -> None:
        """What was read of a quantity before it was refused stays in memory."""
        self.refused += 1
        if self.refused >= MOST_KEPT:
            self._forget()


def pass_of(on_error: str) -> int:
    if on_error not in ("raise", "nan"):
        raise errors.ArgumentError(f"errors={on_error!r}: it is 'raise' or 'nan'")
    return on_error == "nan"


def form_of(form: str) -> bytes:
    return _without_zeros(number_text(form, "form"))


def _instants(t: Numbers, columns: tuple[int, ...], np: Any) -> Any:
    """One time for all columns of states, or one for each."""
    array = States._array("t", t, np)
    if array.shape not in ((), columns):
        raise errors.ArgumentError(f"t has the shape {array.shape}: it is one number"
                                   + (f", or one for each column of y: {columns}" if columns else ""))
    return array.T if array.ndim else float(array)


def where(array: "np.ndarray") -> Any:
    return ffi.from_buffer("double[]", array, require_writable=True)


class Arrays:
    """The methods of a Model for arrays of states. q and v have the coordinates along their last axis, or are dictionaries by
    name; t, parameters and inputs have shapes that broadcast with the others. States and results are in SI units and radians,
    `params` and `inputs` (dictionaries by name) in the declared units."""

    _field: Field
    _plain_field: Field
    coordinates: tuple[str, ...]
    constraints: tuple[str, ...]

    def _field_for(self, native: str) -> Field:
        """What was compiled once stays so: without native code there is another one."""
        return self._plain_field if native == "off" else self._field

    def _solve(self, q: Numbers, v: Numbers, t: Numbers, params: Named, inputs: Named, form: str, on_error: str, native: str,
               stop: Any, wanted: Sequence[bool]) -> list["np.ndarray"]:
        import numpy as np
        states = States(self, q, v, t, params, inputs, on_error)  # type: ignore[arg-type]
        sizes = [len(self.coordinates), len(self.constraints), len(self.coordinates)]
        arrays = [np.empty(states.shape + (size,)) if want else None for want, size in zip(wanted, sizes)]
        blocks = [where(a) if a is not None and a.size else ffi.NULL for a in arrays]
        name, skip = form_of(form), pass_of(on_error)
        self._field_for(native).call(states, native, stop, lambda c, trouble: lib.pf_py_field_accelerate(
            c, name, states.c, skip, *blocks, trouble))
        found = [a for a in arrays if a is not None]
        for array in found:
            states.spoil(array)
        return found

    def accelerations(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None, inputs: Named = None,
                      form: str = "auto", errors: str = "raise", native: str = "auto", stop: Any = None) -> "np.ndarray":
        """q'' at each state, by a formulation (docs/formulations.md). With errors="nan" a state without accelerations gets NaN.

        >>> import pfaff
        >>> m = pfaff.Model("coord x; param k = 2; kinetic x'^2/2; potential k*x^2/2")
        >>> m.accelerations([[1.0], [2.0]], params={"k": [3, 4]})
        array([[-3.],
               [-8.]])
        """
        return self._solve(q, v, t, params, inputs, form, errors, native, stop, (True, False, False))[0]

    def multipliers(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None, inputs: Named = None,
                    form: str = "auto", errors: str = "raise", native: str = "auto", stop: Any = None) -> "np.ndarray":
        """The multipliers, in the order of `constraints`."""
        return self._solve(q, v, t, params, inputs, form, errors, native, stop, (False, True, False))[0]

    def constraint_forces(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None,
                          inputs: Named = None, form: str = "auto", errors: str = "raise", native: str = "auto",
                          stop: Any = None) -> "np.ndarray":
        """M q'' - F: what the constraints do to each coordinate."""
        return self._solve(q, v, t, params, inputs, form, errors, native, stop, (False, False, True))[0]

    def evaluate(self, quantity: str, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None,
                 inputs: Named = None, form: str = "auto", errors: str = "raise", native: str = "auto",
                 stop: Any = None) -> "np.ndarray":
        """Any quantity, as 'plot' takes them: "kinetic", "pos(wheel)", "x''", "lambda[rear]", "L*theta'^2", "x, y". One number
        has no axis of its own. Numbers are in SI, or in the unit that stands behind a quantity: "theta [deg]"."""
        import numpy as np
        states = States(self, q, v, t, params, inputs, errors)  # type: ignore[arg-type]
        name, skip = form_of(form), pass_of(errors)
        with self._field_for(native).used() as field:
            handle, size = field.find(quantity, stop)
            array = np.empty(states.shape + (size,))
            field.work(states, native, stop, lambda c, trouble: lib.pf_py_field_read(
                c, handle, name, states.c, skip, where(array), trouble))
        states.spoil(array)
        return array[..., 0] if size == 1 and not quantity.startswith("matrix ") else array

    def _matrix(self, name: str, shape: tuple[int, ...], *state: Any, **options: Any) -> "np.ndarray":
        array = self.evaluate(f"matrix {name}", *state, **options)
        return array.reshape(array.shape[:-1] + shape)

    def mass_matrix(self, q: Numbers, t: Numbers = 0.0, *, params: Named = None, **options: Any) -> "np.ndarray":
        """M of M q'' = F + C + A^T lambda."""
        n = len(self.coordinates)
        return self._matrix("M", (n, n), q, None, t, params=params, **options)

    def forces(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None, inputs: Named = None,
               **options: Any) -> "np.ndarray":
        """F: all forces but those of constraints, with those of inertia that velocities bring."""
        return self._matrix("F", (len(self.coordinates),), q, v, t, params=params, inputs=inputs, **options)

    def constraint_matrix(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None,
                          **options: Any) -> "np.ndarray":
        """A of A q'' = b."""
        return self._matrix("A", (len(self.constraints), len(self.coordinates)), q, v, t, params=params, **options)

    def constraint_right_side(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, params: Named = None,
                              **options: Any) -> "np.ndarray":
        """b of A q'' = b."""
        return self._matrix("b", (len(self.constraints),), q, v, t, params=params, **options)

    def kinetic_energy(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, **options: Any) -> "np.ndarray":
        """Kinetic energy [J]."""
        return self.evaluate("kinetic", q, v, t, **options)

    def potential_energy(self, q: Numbers, t: Numbers = 0.0, **options: Any) -> "np.ndarray":
        """Potential energy [J]."""
        return self.evaluate("potential", q, None, t, **options)

    def position(self, what: str, q: Numbers, t: Numbers = 0.0, **options: Any) -> "np.ndarray":
        """Where a body, frame or point is: x, y, z in the axes of the ground [m]."""
        return self.evaluate(f"pos({what})", q, None, t, **options)

    def jacobian(self, q: Numbers, v: Numbers = None, t: Numbers = 0.0, *, by: str = "state", of: str = "accelerations",
                 params: Named = None, inputs: Named = None, form: str = "auto", errors: str = "raise",
                 native: str = "auto", stop: Any = None) -> "np.ndarray":
        """Derivatives of accelerations or multipliers by "q", "v", "state" (q, then v), "t", "inputs" or "params" (the last
        axis, in the order of `coordinates`, `inputs`, `parameters`), exact, in SI. Coordinates count as independent of each other;
        linearize() respects the constraints. A parameter whose value is a formula of others follows them, unless `params` gives it.
        Where constraints are redundant, see docs/python.md."""
        import numpy as np
        from .errors import ArgumentError
        if not isinstance(by, str) or by not in BY or of not in ("accelerations", "multipliers"):
            raise ArgumentError(f"jacobian(by={by!r}, of={of!r}): by is one of {', '.join(BY)}; of is accelerations or multipliers")
        states = States(self, q, v, t, params, inputs, errors)  # type: ignore[arg-type]
        n, m = len(self.coordinates), len(self.constraints)
        info = self.info  # type: ignore[attr-defined]
        columns = {"q": n, "v": n, "state": 2*n, "t": 1, "inputs": len(info["inputs"]), "params": len(info["parameters"])}[by]
        array = np.empty(states.shape + (n + m, columns))
        name, skip = form_of(form), pass_of(errors)
        if array.size:
            self._field_for(native).call(states, native, stop, lambda c, trouble: lib.pf_py_field_derive(
                c, BY[by], name, states.c, skip, where(array), trouble))
        states.spoil(array)
        rows = array[..., :n, :] if of == "accelerations" else array[..., n:, :]
        if by in ("inputs", "params"):
            kept = [i for i, entry in enumerate(info["inputs" if by == "inputs" else "parameters"])
                    if not entry["given" if by == "inputs" else "derived"]]
            rows = rows[..., kept]
        return rows[..., 0] if by == "t" else rows

    def rhs(self, t: float, y: Numbers, params: Named = None, inputs: Named = None) -> "np.ndarray":
        """y' = (q', q'') at y = (q, q'), as SciPy's solve_ivp and odeint's tfirst take it; several columns are several states.

        >>> import pfaff, scipy.integrate
        >>> m = pfaff.Model("coord x; kinetic x'^2/2; potential x^2/2")
        >>> y = scipy.integrate.solve_ivp(m.rhs, (0, np.pi), [1, 0], rtol=1e-9).y[:, -1]
        >>> bool(abs(y - [-1, 0]).max() < 1e-6)
        True
        """
        import numpy as np
        n = len(self.coordinates)
        if type(y) is not np.ndarray or y.dtype != float:
            y = States._array("y", y, np)
        if not isinstance(t, float):
            t = _instants(t, y.shape[1:], np)
        if y.shape == (2*n,) and y.flags.c_contiguous and not params and not inputs:
            try:
                return self._field.rate(t, y, np.empty(2*n), n)
            except errors.NumericalError:
                if np.isfinite(y).all():
                    raise  # otherwise the name of what is not is told below
        if not y.ndim or y.shape[0] != 2*n:
            from .errors import ArgumentError
            raise ArgumentError(f"y has the shape {y.shape}, but its first axis must have the length {2*n}: q and v")
        rows = y.T
        result = np.empty_like(rows)
        result[..., :n] = rows[..., n:]
        result[..., n:] = self.accelerations(rows[..., :n], rows[..., n:], t, params=params, inputs=inputs)
        return result.T
