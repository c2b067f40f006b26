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
    (one of docs/commands.md, as "syntax"); diagnostics (all that was said, as dictionaries); and result, of a run that
    ended early."""

    code = "none"

    def __init__(self, message: str = "", hint: str = "", file: Optional[str] = None, line: int = 0, column: int = 0,
                 length: int = 0, code: str = "", diagnostics: Sequence[Mapping[str, Any]] = (), words: str = ""):
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
        self.result: Any = None

    def __str__(self) -> str:
        if self.words:
            return self.words
        return f"{self.message}\n  = {self.hint}" if self.hint else self.message

    def __reduce__(self) -> Any:
        return (type(self), (self.message, self.hint, self.file, self.line, self.column, self.length, self.code,
                             self.diagnostics, self.words), {"result": self.result})


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

# options whose names are others here
NAMES = {"for": "duration", "param": "params", "input": "inputs", "as-given": "as_given=True"}
# commands that are no methods of the same name
CALLS = {"examples": "pfaff.examples()", "continue": "m.continuation()", "help": "docs/commands.md", "import": "pfaff.import_urdf()"}
# what is said of C
PHRASES = {", or 'step' of the options in C": "", "pf_sim_find, which gives -1 when there is no such quantity": "find()"}
# what people write who come from elsewhere
ELSEWHERE = {"t_eval": "at", "t_span": "duration", "t_end": "duration", "tspan": "duration", "dt": "step or every", "method": "by",
             "x0": "state", "y0": "state", "q0": "state", "v0": "state", "max_step": "step", "parameters": "params"}


def option_name(word: str) -> str:
    """--as-given as it is written here."""
    name = word.lstrip("-")
    return NAMES.get(name, name.replace("-", "_"))


def in_python(words: str) -> str:
    """What the program says of its command line, for those who call it from Python."""
    import re
    lines = [line for line in words.splitlines() if not re.match(r"usage: pfaff |'pfaff .*--help' tells more", line)]
    text = re.sub(r"^pfaff: (error|warning): ", "", "\n".join(lines), flags=re.MULTILINE)
    for theirs, ours in PHRASES.items():
        text = text.replace(theirs, ours)
    text = re.sub(r"'pfaff (?:study )?([a-z]+)'", lambda match: CALLS.get(match[1], f"m.{match[1]}()"), text)
    text = re.sub(r"(?<![\w-])-p ", "params: ", text)
    text = re.sub(r"(?<![\w-])--(param|state|input) ", lambda match: f"{option_name(match[1])}: ", text)
    text = re.sub(r"(?<![\w-])unknown option (--[a-z][a-z-]*)", lambda m: f"there is no option '{option_name(m[1])}'", text)
    text = re.sub(r"(?<![\w-])did you mean (--[a-z][a-z-]*)", lambda m: f"did you mean '{option_name(m[1])}'", text)
    text = re.sub(r"(?<![\w-])(--[a-z][a-z-]*) ([\d.][\w.+-]*|[A-Z]+\b)", lambda m: f"{option_name(m[1])}={m[2]}", text)
    text = re.sub(r"(?<![\w-])--(by|form) ([a-z]\w+)", lambda match: f"{match[1]}={match[2]!r}", text)
    text = re.sub(r"(?<![\w-])--[a-z][a-z-]*", lambda match: option_name(match[0]), text)
    return re.sub(r"'pfaff sweep resume ([^']*)'", lambda match: f"pfaff.command('sweep', '--resume', {match[1]!r})", text)


def no_attribute(thing: Any, what: str, name: str) -> AttributeError:
    """It has no such method; what it has, nearest first."""
    import difflib
    known = sorted(one for one in {*dir(type(thing)), *vars(thing)} if not one.startswith("_"))
    near = difflib.get_close_matches(name, known, 1)
    words = f"did you mean '{near[0]}'?" if near and not name.startswith("_") else f"it has {', '.join(known)}"
    return AttributeError(f"{what} has no '{name}': {words}")


_UNKNOWN = ("has no ", "there is no ", "is not known", "unknown ")


def make(code: str, message: str, hint: str = "", line: int = 0, **more: Any) -> Error:
    """The error for a code of the program."""
    kind: type[Error] = CLASSES.get(code, Error)
    if not line and (code == "name" or (code == "argument" and any(word in message for word in _UNKNOWN))):
        kind = UnknownName
    return kind(message, hint, line=line, code=code, **more)


def of_diagnostics(diagnostics: Sequence[Mapping[str, Any]], words: str) -> Error:
    """The error for what a command said."""
    errors = [d for d in diagnostics if d["severity"] == "error"]
    if not errors:
        return Error(words.strip() or "the command failed without a word", diagnostics=diagnostics)
    d = errors[0]
    message, hint, words = in_python(d["message"]), in_python(d["hint"] or ""), in_python(words)
    for theirs, ours in ELSEWHERE.items():
        if message == f"there is no option '{theirs}'":
            hint = f"did you mean '{ours}'?"
            words = ""
    return make(d.get("code", "none"), message, hint, file=d["file"], line=d["line"], column=d["column"],
                length=d["length"], diagnostics=diagnostics, words=words)


def of_words(words: str, exit_code: int) -> Error:
    """The error for a command that has no JSON: its first line tells the place, if there is one, and what is wrong."""
    import re
    for line in words.splitlines():
        match = re.match(r"(?:(.*):(\d+):(\d+)|pfaff): error: (.*)", line)
        if match and match[2]:
            return ModelError(match[4], file=match[1], line=int(match[2]), column=int(match[3]), words=words.rstrip())
        if match:
            return make("argument" if exit_code == 2 else "none", in_python(match[4]), words=in_python(words))
    return Error(words.strip() or "the command failed without a word")
