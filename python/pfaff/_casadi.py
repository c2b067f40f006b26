# SPDX-License-Identifier: Apache-2.0
"""The module of functions of CasADi that `export --to casadi` writes, made in memory."""
from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any
    from types import ModuleType


class _SignalLater:
    """Ctrl-C waits until CasADi is done: what a handler raises in the midst of its calls is lost there."""

    def __enter__(self) -> None:
        import signal
        import threading
        self.frames: list[Any] = []
        self.before: Any = None
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.before = signal.signal(signal.SIGINT, lambda number, frame: self.frames.append(frame))

    def __exit__(self, *_: Any) -> None:
        if self.before is None:
            return
        import signal
        signal.signal(signal.SIGINT, self.before)
        if self.frames:
            self.before(signal.SIGINT, self.frames[0])


def make_module(source: str, name: str) -> ModuleType:
    """Runs the source as a module. It can be looked at (inspect.getsource) although there is no file."""
    import linecache
    import types
    file = f"<casadi of {name} #{abs(hash(source)):x}>"
    module = types.ModuleType(f"{name}_casadi")
    module.__file__ = file
    with _SignalLater():
        exec(compile(source, file, "exec"), module.__dict__)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    return module
