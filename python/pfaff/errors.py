# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, with the words of the program: the place in the model, the line with a caret, a hint."""
from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Mapping, Optional, Sequence

__all__ = ["Error", "ModelError", "ArgumentError", "UnknownName", "NumericalError", "MissingLibrary", "FileError",
           "OutOfMemory", "Stopped", "ModelWarning"]


class Error(Exception):
    """The base of all of them.

    Attributes: message; hint (how to mend it, or ""); file, line, column, length (of the place; line 0: not known); code
    (one of docs/commands.md, as "syntax"); setting (the name of the argument that it is about, or None); diagnostics (all that
    was said, as dictionaries); and result, of a run that ended early."""

    code = "none"

    def __init__(self, message: str = "", hint: str = "", file: Optional[str] = None, line: int = 0, column: int = 0,
                 length: int = 0, code: str = "", diagnostics: Sequence[Mapping[str, Any]] = (), words: str = "",
                 setting: Optional[str] = None):
        super().__init__(message)
        self.message = message
        self.hint = hint or ""
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.code = code or type(self).code
        self.diagnostics = list(diagnostics)
        self.words = words
        self.setting = setting
        self.result: Any = None

    def __str__(self) -> str:
        if self.words:
            return self.words
        return f"{self.message}\n  = {self.hint}" if self.hint else self.message

    def __reduce__(self) -> Any:
        return (type(self), (self.message, self.hint, self.file, self.line, self.column, self.length, self.code,
                             self.diagnostics, self.words, self.setting), {"result": self.result})


class ModelError(Error, ValueError):
    """A text that is not a model, or makes no mechanical sense."""
    code = "model"

    def _render_traceback_(self) -> list[str]:
        """In a notebook: the place in the model instead of the way through this package."""
        return [f"{type(self).__module__.split('.')[0]}.{type(self).__name__}", *str(self).splitlines()]


class ArgumentError(Error, ValueError):
    """An option, a shape or a number that does not fit."""
    code = "argument"


class UnknownName(ArgumentError, KeyError):
    """A name that the model does not have; hint suggests another."""
    code = "name"


class NumericalError(Error, ArithmeticError):
    """A number that is not finite, a singular system, a limit that was reached."""
    code = "number"


class MissingLibrary(Error, RuntimeError):
    """Something that this build cannot do."""
    code = "missing"


class FileError(Error, OSError):
    """A file that cannot be read or written."""
    code = "file"


class OutOfMemory(Error, MemoryError):
    """No memory was left."""
    code = "memory"


class Stopped(Error):
    """The work was asked to stop."""
    code = "cancelled"


class ModelWarning(UserWarning):
    """What the program warns of: a start that was changed, a start that is hardly determined …"""


CLASSES = {"syntax": ModelError, "name": ModelError, "unit": ModelError, "model": ModelError, "argument": ArgumentError,
           "number": NumericalError, "limit": NumericalError, "missing": MissingLibrary, "file": FileError,
           "memory": OutOfMemory, "cancelled": Stopped}
# of PfStatus, in its order
CODES = ("none", "memory", "argument", "limit", "file", "syntax", "name", "unit", "model", "number", "missing", "cancelled")


def no_attribute(thing: Any, what: str, name: str) -> AttributeError:
    """It has no such method; what it has, nearest first."""
    import difflib
    known = sorted(one for one in {*dir(type(thing)), *vars(thing)} if not one.startswith("_"))
    near = difflib.get_close_matches(name, known, 1)
    words = f"did you mean '{near[0]}'?" if near and not name.startswith("_") else f"it has {', '.join(known)}"
    return AttributeError(f"{what} has no '{name}': {words}")


def make(code: str, message: str, hint: str = "", line: int = 0, setting: Optional[str] = None, **more: Any) -> Error:
    """The error for a code of the program. A name that is not in the model is one of its text, or of a setting."""
    kind: type[Error] = UnknownName if code == "name" and (setting or not line) else CLASSES.get(code, Error)
    return kind(message, hint, line=line, code=code, setting=setting, **more)


def of_diagnostics(diagnostics: Sequence[Mapping[str, Any]], words: str) -> Error:
    """The error for what a task said: as structs, and as words for people."""
    errors = [d for d in diagnostics if d["severity"] == "error"]
    if not errors:
        return Error(words.strip() or "the task failed without a word", diagnostics=diagnostics)
    d = errors[0]
    return make(d["code"], d["message"], d["hint"] or "", file=d["file"], line=d["line"], column=d["column"], length=d["length"],
                setting=d["setting"], diagnostics=diagnostics, words=words.rstrip())
