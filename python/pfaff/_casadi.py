# SPDX-License-Identifier: Apache-2.0
"""The module of functions of CasADi that `export --to casadi` writes, made in memory."""
from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from types import ModuleType


def make_module(source: str, name: str) -> ModuleType:
    """Runs the source as a module. It can be looked at (inspect.getsource) although there is no file."""
    import linecache
    import types
    file = f"<casadi of {name} #{abs(hash(source)):x}>"
    module = types.ModuleType(f"{name}_casadi")
    module.__file__ = file
    exec(compile(source, file, "exec"), module.__dict__)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    return module
