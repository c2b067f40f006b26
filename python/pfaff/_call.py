# SPDX-License-Identifier: Apache-2.0
"""Commands of the program in this process, and how what works long is asked to stop."""
from __future__ import annotations

import math
import os
import threading
import warnings
from collections.abc import Mapping

from . import errors
from ._pfaff import ffi, lib

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Optional, Sequence
    Stop = Optional[Callable[[], Any]]

_main = threading.main_thread().ident
SOMEONE = ffi.cast("void *", 1)


class _Here(threading.local):
    """What belongs to the thread: the function that may end the work, and what was raised while C was at work."""
    stop: Stop = None
    raised: Optional[BaseException] = None


_here = _Here()


def keep(kind: Any, exception: BaseException, traceback: Any) -> None:
    """What a callback raises ends the work, and is raised again when that has ended."""
    if _here.raised is None:
        _here.raised = exception


def raise_kept() -> None:
    exception, _here.raised = _here.raised, None
    if exception is not None:
        raise exception


@ffi.def_extern(error=1, onerror=keep)
def pf_py_poll(who: Any) -> int:
    """Asked by C now and then; signals are looked at on the way here."""
    return 1 if _here.stop is not None and _here.stop() else 0


def in_main_interpreter() -> bool:
    """Callbacks of C find their way into the first interpreter of a process only."""
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters  # before Python 3.13
        except ImportError:
            return True
    return interpreters.get_current() == interpreters.get_main()


class Asking:
    """Work that may be ended by `stop`, and in the main thread by signals: who is to be asked. Calls may be nested, since a
    controller may run another model."""

    __slots__ = ("stop", "before")

    def __init__(self, stop: Stop = None):
        if stop is not None and not callable(stop):
            raise errors.ArgumentError(f"stop={stop!r}: it is a function without arguments that tells whether to stop",
                                       "as stop=event.is_set, of a threading.Event; duration= is how long a run lasts")
        if stop is not None and not in_main_interpreter():
            raise errors.Error("a subinterpreter cannot be called back: 'stop' is of no use there")
        self.stop = stop

    def __enter__(self) -> Any:
        self.before, _here.stop = _here.stop, self.stop
        return SOMEONE if self.stop is not None or threading.get_ident() == _main else ffi.NULL

    def __exit__(self, *_: Any) -> None:
        _here.stop = self.before


def bytes_of(text: str) -> bytes:
    if not isinstance(text, str):
        raise errors.ArgumentError(f"a text is needed, not {text!r}")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise errors.ArgumentError(f"{text[max(0, error.start - 20):error.end + 20]!r} has half a character in it (a lone "
                                   f"surrogate), at {error.start}: it cannot be written as UTF-8") from None


def file_name(path: Any) -> str:
    """A path as a text."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise errors.ArgumentError(f"the name of a file is a text or a path, not {type(path).__name__}") from None


def text_of(block: Any) -> str:
    return ffi.string(block).decode("utf-8", "replace") if block else ""


def command(words: Sequence[str], text: Optional[str] = None, stop: Stop = None) -> tuple[int, str, str]:
    """One command of the program, as words: command(["check", "-"], text). '-' among them is `text`. Nothing is printed: the exit
    code, what it would print, and what it says."""
    block = block_of(["pfaff", *words])
    given = bytes_of(text) if text is not None else None
    outcome = ffi.new("PfPyOutcome *")
    with Asking(stop) as who:
        good = lib.pf_py_command(block, len(words) + 1, given if given is not None else ffi.NULL, len(given or b""), who, outcome)
    out, err = text_of(outcome.out), text_of(outcome.err)
    lib.pf_py_free(outcome.out)
    lib.pf_py_free(outcome.err)
    raise_kept()
    if not good:
        raise errors.OutOfMemory("out of memory")
    return outcome.code, out, err


def block_of(words: Sequence[str]) -> bytes:
    """Words for C, one behind the other; the last zero byte is that of the bytes."""
    try:
        text = bytes_of("\0".join(words))
    except TypeError:
        raise errors.ArgumentError(f"words of a command are texts: {words!r}") from None
    if text.count(b"\0") != len(words) - 1:
        raise errors.ArgumentError(f"{next(word for word in words if chr(0) in word)!r} has a zero byte in it")
    return text


def _without_zeros(word: str) -> bytes:
    data = bytes_of(word)
    if b"\0" in data:
        raise errors.ArgumentError(f"{word!r} has a zero byte in it")
    return data


def _diagnostics(c: Any) -> list[dict[str, Any]]:
    """What a task said, in the order of the text; settings have the names of arguments."""
    found = []
    d = ffi.new("PfPyDiagnostic *")
    while lib.pf_py_task_diagnostic(c, len(found), d):
        texts = {name: text_of(getattr(d, name)) or None for name in ("severity", "code", "message", "hint", "setting", "file")}
        texts["setting"] = SHOWN.get(texts["setting"], texts["setting"])
        found.append({**texts, "line": d.line, "column": d.column, "length": d.length})
    return found


def _error(c: Any) -> errors.Error:
    return errors.of_diagnostics(_diagnostics(c), text_of(lib.pf_py_task_complaints(c)))


class Machine:
    """A model, read once for all that is done with it; `names` are its own, with their units. Raises what is wrong with it."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.name = name
        self._open()

    def _open(self) -> None:
        import json
        data = bytes_of(self.text)
        machine = ffi.new("PfMachine **")
        with Asking() as who:
            opened = lib.pf_py_machine_open(data, len(data), _without_zeros(self.name), who, machine)
        self._c = ffi.gc(machine[0], lib.pf_py_machine_release) if machine[0] else None
        self._pid = os.getpid()
        raise_kept()
        if not opened:
            raise errors.OutOfMemory("out of memory")
        opened = ffi.gc(opened, lib.pf_py_task_free)
        if lib.pf_py_task_status(opened):
            raise _error(opened)
        self.names = {**json.loads(text_of(lib.pf_py_task_json(opened))), "diagnostics": _diagnostics(opened)}

    @property
    def c(self) -> Any:
        """For calls of C. After a fork it is read again: a thread of the parent may have been at work in it."""
        if self._pid != os.getpid():
            self._open()
        return self._c


class Task:
    """A task of the library with its settings, and then its result; `rows` of a run are memory that frees itself."""

    __slots__ = ("_c", "_kept", "status", "stopped", "rows", "shape")

    def __init__(self, name: str, settings: Mapping[str, Any], operands: Iterable[str] = ()):
        self._c = ffi.gc(lib.pf_py_task_new(_without_zeros(name)), lib.pf_py_task_free)
        self._kept: Any = None
        if not self._c:
            raise errors.OutOfMemory("out of memory")
        for word in operands:
            lib.pf_py_task_operand(self._c, _without_zeros(word))
        for key, value in settings.items():
            if value is not None:
                _set(self._c, key, value)

    def run(self, machine: Optional[Machine] = None, text: Optional[str] = None, file: str = "<text>", stop: Stop = None,
            words: bool = False) -> "Task":
        """Does it with a model, or with a text; `words`: the text of its report is wanted, not its values."""
        if text is not None:
            self._kept = bytes_of(text)
            lib.pf_py_task_input(self._c, _without_zeros(file), self._kept, len(self._kept))
        with Asking(stop) as who:
            self.status = lib.pf_py_task_run(self._c, machine.c if machine else ffi.NULL, words, who)
        self.stopped = bool(lib.pf_py_task_stopped(self._c))
        raise_kept()
        shape = ffi.new("size_t[2]")
        rows = lib.pf_py_task_rows(self._c, shape)
        self.shape = (shape[0], shape[1])
        size = 8*shape[0]*shape[1]
        self.rows = ffi.buffer(ffi.gc(rows, lib.pf_py_free, size), size) if rows else None
        return self

    def checked(self, level: int = 4) -> "Task":
        """Raises what went wrong, and warns of what there is to warn of."""
        if self.status:
            raise self.error()
        warn(self.diagnostics(), level + 1)
        return self

    def error(self) -> errors.Error:
        return _error(self._c)

    def diagnostics(self) -> list[dict[str, Any]]:
        return _diagnostics(self._c)

    def json_text(self) -> str:
        """The values of the report, which may be read later."""
        return text_of(lib.pf_py_task_json(self._c))

    def json(self) -> dict[str, Any]:
        import json
        text = self.json_text()
        return json.loads(text) if text else {}

    def words(self) -> str:
        """The text of the report, or the file that went to '-'. Raises what went wrong."""
        if self.status:
            raise self.error()
        size = ffi.new("size_t *")
        file = lib.pf_py_task_file(self._c, size)
        return ffi.unpack(file, size[0]).decode("utf-8", "replace") if file else text_of(lib.pf_py_task_words(self._c))


def warn(diagnostics: Iterable[Mapping[str, Any]], level: int = 4) -> None:
    """Warnings of the library as warnings of Python."""
    for d in diagnostics:
        if d["severity"] == "warning":
            place = f"{d['file']}:{d['line']}:{d['column']}: " if d["line"] else ""
            hint = f" ({d['hint']})" if d["hint"] else ""
            warnings.warn(f"{place}{d['message']}{hint}", errors.ModelWarning, stacklevel=level)


# ---------------------------------------------------------------- settings

# given once for each
REPEATED = ("random", "correlate", "zip", "vary", "wheel")
# by names of the model
NAMED = ("param", "state", "input")
# other names for them here
NAMES = {"params": "param", "duration": "for", "inputs_": "inputs", "n": "members"}
# what people write who come from elsewhere
ELSEWHERE = {"t_eval": "at", "t_span": "duration", "t_end": "duration", "tspan": "duration", "dt": "step or every", "method": "by",
             "x0": "state", "y0": "state", "q0": "state", "v0": "state", "max_step": "step", "parameters": "params"}


def is_masked(value: Any) -> bool:
    """A masked array of NumPy in which something is not there."""
    return type(value).__module__.startswith("numpy.ma") and bool(value.mask.any())


def real(value: Any, what: str, words: str = "is no number") -> float:
    """A number that is one; NumPy would leave out imaginary parts and make NaN of what is masked."""
    try:
        if isinstance(value, str) or getattr(getattr(value, "dtype", None), "kind", "") == "c" or is_masked(value):
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise errors.ArgumentError(f"{what}: {value!r} {words}") from None


def finite(value: Any, what: str) -> float:
    """The same when it is finite."""
    number = value if type(value) is float else real(value, what, "is no number and no text")
    if not math.isfinite(number):
        raise errors.ArgumentError(f"{what} is {number}, which is not a finite number")
    return number


def number_text(value: Any, what: str) -> str:
    """A number or a text as the program reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(int(value))
    if type(value) is not float and isinstance(value, os.PathLike):
        return os.fspath(value)
    number = finite(value, what)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def is_list(value: Any) -> bool:
    return not isinstance(value, (str, bytes, os.PathLike)) and hasattr(value, "__iter__") and \
        getattr(value, "ndim", 1) > 0


def by_name(what: str, value: Any, names: Iterable[str]) -> Mapping[str, Any]:
    """A dictionary, for what has names."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise errors.ArgumentError(f"{what} is a dictionary by name, not {type(value).__name__}",
                                   f"as {what}={{{', '.join(f'{name!r}: …' for name in list(names)[:4])}}}")
    for key in value:
        if not isinstance(key, str):
            raise errors.ArgumentError(f"{what}: {key!r} is no name")
    return value


def _set(c: Any, key: str, value: Any) -> None:
    """One setting by its type: numbers stay numbers. False leaves it out, True is a flag."""
    if key in ELSEWHERE:
        raise errors.ArgumentError(f"there is no setting '{key}'", f"did you mean '{ELSEWHERE[key]}'?", setting=key)
    name = NAMES.get(key, key).rstrip("_")
    shown = SHOWN.get(name, key)
    setting = _without_zeros(name)
    kind = type(value)
    if kind is str:
        lib.pf_py_task_text(c, setting, _without_zeros(value))
    elif kind.__name__ in ("bool", "bool_"):  # NumPy's as well
        if value:
            lib.pf_py_task_flag(c, setting)
    elif isinstance(value, Mapping):
        _set_mapping(c, name, shown, value)
    elif isinstance(value, os.PathLike):
        lib.pf_py_task_text(c, setting, _without_zeros(os.fspath(value)))
    elif not is_list(value):
        lib.pf_py_task_number(c, setting, finite(value, shown))
    elif name in (*REPEATED, *NAMED):
        for one in value:
            lib.pf_py_task_text(c, setting, _without_zeros(number_text(one, shown)))
    elif name == "at" and not any(isinstance(one, str) for one in value):
        lib.pf_py_task_values(c, setting, ffi.NULL, [finite(one, shown) for one in value], len(value))
    else:
        lib.pf_py_task_text(c, setting, _without_zeros(",".join(number_text(one, shown) for one in value)))


SHOWN = {"for": "duration", "param": "params", "input": "inputs"}


def _set_mapping(c: Any, name: str, shown: str, value: Mapping[str, Any]) -> None:
    """Values by names of the model; other dictionaries are names with values or ranges, as {"k": (0, 1, 11)}."""
    setting = _without_zeros(name)
    for key, one in value.items() if name in NAMED else ():
        what, word = f"{shown}[{key!r}]", _without_zeros(str(key))
        if isinstance(one, str):
            lib.pf_py_task_value_text(c, setting, word, _without_zeros(one))
        elif not is_list(one):
            lib.pf_py_task_value(c, setting, word, finite(one, what))
        elif any(isinstance(part, str) for part in one):
            parts = ", ".join(number_text(part, what) for part in one)
            lib.pf_py_task_value_text(c, setting, word, _without_zeros(parts if name == "param" else f"({parts})"))
        else:
            lib.pf_py_task_values(c, setting, word, [finite(part, what) for part in one], len(one))
    pairs = [] if name in NAMED else [_range(f"{shown}[{key!r}]", str(key), one) for key, one in value.items()]
    for word in pairs if name in REPEATED else [",".join(pairs)] if pairs else []:
        lib.pf_py_task_text(c, setting, _without_zeros(word))


def _range(what: str, key: str, value: Any) -> str:
    """key=value, key=a..b or key=a..b:n."""
    if not is_list(value):
        return f"{key}={number_text(value, what)}"
    parts = [number_text(one, what) for one in value]
    if len(parts) not in (2, 3):
        raise errors.ArgumentError(f"{what}: a range is (from, to) or (from, to, number), not {len(parts)} values",
                                   f"as ({parts[0]}, {parts[-1]}, {len(parts)}) for equal steps" if parts else "")
    return f"{key}={parts[0]}..{parts[1]}" + (f":{parts[2]}" if len(parts) == 3 else "")
