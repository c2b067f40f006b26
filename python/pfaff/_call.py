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


def text_of(block: Any, size: int) -> str:
    return ffi.unpack(block, size).decode("utf-8", "replace") if size else ""


class Outcome:
    """What a command said: exit code, words, and the rows of a run as memory that frees itself."""

    __slots__ = ("code", "out", "err", "rows", "shape", "stopped")

    def __init__(self, c: Any):
        self.code: int = c.code
        self.out = text_of(c.out, c.out_size)
        self.err = text_of(c.err, c.err_size)
        self.shape = (c.row_count, c.columns)
        self.stopped = bool(c.stopped)
        lib.pf_py_free(c.out)
        lib.pf_py_free(c.err)
        self.rows = None
        if c.rows:
            size = 8*self.shape[0]*self.shape[1]
            self.rows = ffi.buffer(ffi.gc(c.rows, lib.pf_py_free, size), size)

    def json(self) -> dict[str, Any]:
        import json
        try:
            return json.loads(self.out)
        except ValueError:
            return {"diagnostics": []}

    def is_plain(self) -> bool:
        """It went well, and there is nothing to warn of: the JSON can be read later."""
        return self.code == 0 and '"diagnostics": []' in self.out


def command(words: Sequence[str], text: Optional[str] = None, name: str = "<text>", stop: Stop = None,
            machine: Optional[Machine] = None) -> Outcome:
    """One command of the program, as words: command(["check", "--json", "-"], text). '-' among them is `text`, or `machine`, the
    same as it was read. Nothing is printed, and nothing is raised but what a signal raises."""
    block = block_of(["pfaff", *words])
    given = bytes_of(text) if text is not None else None
    outcome = ffi.new("PfPyOutcome *")
    with Asking(stop) as who:
        good = lib.pf_py_command(block, len(words) + 1, machine.c if machine else ffi.NULL, given if given is not None else ffi.NULL, len(given or b""),
                                 _without_zeros(name), who, outcome)
    result = Outcome(outcome)
    raise_kept()
    if not good:
        raise errors.OutOfMemory("out of memory")
    return result


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


class Machine:
    """A model, read once for all that is done with it; `names` are its own, with their units. Raises what is wrong with it."""

    def __init__(self, text: str, name: str):
        self.text = text
        self.name = name
        self._open()

    def _open(self) -> None:
        data = bytes_of(self.text)
        outcome, machine = ffi.new("PfPyOutcome *"), ffi.new("PfMachine **")
        with Asking() as who:
            good = lib.pf_py_machine_open(data, len(data), _without_zeros(self.name), who, outcome, machine)
        self._c = ffi.gc(machine[0], lib.pf_py_machine_release) if machine[0] else None
        self._pid = os.getpid()
        result = Outcome(outcome)
        raise_kept()
        if not good:
            raise errors.OutOfMemory("out of memory")
        self.names = result.json()
        if result.code:
            raise errors.of_diagnostics(self.names["diagnostics"], result.err)

    @property
    def c(self) -> Any:
        """For calls of C. After a fork it is read again: a thread of the parent may have been at work in it."""
        if self._pid != os.getpid():
            self._open()
        return self._c


def warn(diagnostics: Iterable[Mapping[str, Any]], level: int = 4) -> None:
    """Warnings of the program as warnings of Python."""
    for d in diagnostics:
        if d["severity"] == "warning":
            place = f"{d['file']}:{d['line']}:{d['column']}: " if d["line"] else ""
            hint = f" ({d['hint']})" if d["hint"] else ""
            warnings.warn(errors.in_python(f"{place}{d['message']}{hint}"), errors.ModelWarning, stacklevel=level)


# ---------------------------------------------------------------- options

# given once for each
REPEATED = ("param", "state", "input", "wheel", "random", "correlate", "zip")
# other names for them here
NAMES = {"params": "param", "duration": "for", "inputs_": "inputs", "n": "members"}


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


def number_text(value: Any, what: str) -> str:
    """A number or a text as the program reads it."""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(int(value))
    if type(value) is not float and isinstance(value, os.PathLike):
        return os.fspath(value)
    number = value if type(value) is float else real(value, what, "is no number and no text")
    if not math.isfinite(number):
        raise errors.ArgumentError(f"{what} is {number}, which is not a finite number")
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


def _named(name: str, key: str, value: Any) -> str:
    """key=value, key=a..b or key=a..b:n; a vector of a state is (1, 2, 3)."""
    what = f"{_shown(name)}[{key!r}]"
    if not is_list(value):
        return f"{key}={number_text(value, what)}"
    parts = [number_text(one, what) for one in value]
    if name in ("param", "state", "input"):
        return f"{key}=({', '.join(parts)})"
    if len(parts) not in (2, 3):
        raise errors.ArgumentError(f"{what}: a range is (from, to) or (from, to, number), not {len(parts)} values",
                                   f"as ({parts[0]}, {parts[-1]}, {len(parts)}) for equal steps" if parts else "")
    return f"{key}={parts[0]}..{parts[1]}" + (f":{parts[2]}" if len(parts) == 3 else "")


VALUED = frozenset("for by every at show form rtol atol step time native params state input inputs near sweep n seed take".split())


def option_of(key: str) -> str:
    """The option of the program for a name here."""
    name = NAMES.get(key, key)
    return name.rstrip("_").replace("_", "-") if "_" in name else name


def _shown(key: str) -> str:
    """An option as it is called here."""
    return errors.NAMES.get(key, key)


def words_of(options: Mapping[str, Any]) -> list[str]:
    """Options by their long names, with '_' for '-': None and False are left out, True is a flag, lists are joined by commas,
    dictionaries are names with values or ranges."""
    words: list[str] = []
    for key, value in options.items():
        if value is None:
            continue
        kind = type(value)
        if kind is str or kind is float or kind is int:  # as most are, and looked at fastest
            words.append(f"--{option_of(key)}={value if kind is str else number_text(value, _shown(key))}")
            continue
        if kind.__name__ == "bool_" or kind.__name__ == "bool":  # NumPy's as well
            value = bool(value)
            if key == "help" or value and key in VALUED:
                raise errors.ArgumentError(f"{_shown(key)}={value}: this is no flag")
        if value is False:
            continue
        name = option_of(key)
        if isinstance(value, Mapping):
            pairs = [_named(name, str(k), v) for k, v in value.items()]
            words += [w for pair in pairs for w in (f"--{name}", pair)] if name in REPEATED else \
                [f"--{name}={','.join(pairs)}"] if pairs else []
        elif value is True:
            words.append(f"--{name}")
        elif is_list(value):
            parts = [number_text(one, _shown(key)) for one in value]
            words += [f"--{name}={part}" for part in parts] if name in REPEATED else [f"--{name}={','.join(parts)}"]
        else:
            words.append(f"--{name}={number_text(value, _shown(key))}")
    return words
