# SPDX-License-Identifier: Apache-2.0
"""Pfaff: constrained mechanical systems, nonholonomic ones first, from a model to equations, motions and studies.

>>> import pfaff
>>> m = pfaff.Model("coord x; kinetic x'^2/2; potential x^2/2; start x = 1")
>>> r = m.run(1)
>>> round(float(r["x"][-1]), 6)
0.540302

See docs/python.md. Everything here is the work of the program and its C library; NumPy is imported when the first array is."""
from ._model import Model, command, example, examples, import_urdf, load, loads
from ._pfaff import ffi as _ffi, lib as _lib
from ._results import Equations, LinearModel, Page, Picture, Record, Run, Steady
from ._sim import Sim
from .expressions import FUNCTIONS as _FUNCTIONS, Expression, ground, multiplier, pi, time, unit
from .writing import at, attach, ball, detach, free, lock, shift, turn, unlock
from .errors import (ArgumentError, Error, FileError, MissingLibrary, ModelError, ModelWarning, NumericalError, OutOfMemory,
                     Stopped, UnknownName)

__version__: str = _ffi.string(_lib.pf_py_version()).decode()

globals().update(_FUNCTIONS)  # sin, cos, dot, vel … of expressions


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    """pfaff.gym is imported when it is first asked for: it needs Gymnasium."""
    if name == "gym":
        import importlib
        return importlib.import_module("pfaff.gym")
    raise AttributeError(f"pfaff has no '{name}'; help(pfaff) tells what there is")


# for `from pfaff import *`: without min, max, time and pi, which are others in Python; as pfaff.max they are there
__all__ = ["Model", "load", "loads", "example", "examples", "import_urdf", "command", "Sim", "Run", "Record", "Equations", "LinearModel", "Steady",
           "Picture", "Page", "Error", "ModelError", "ArgumentError", "UnknownName", "NumericalError", "MissingLibrary",
           "FileError", "OutOfMemory", "Stopped", "ModelWarning", "Expression", "unit", "ground", "multiplier", "at", "turn",
           "shift", "free", "ball", "lock", "unlock", "attach", "detach", *(name for name in _FUNCTIONS if name not in ("min", "max"))]
