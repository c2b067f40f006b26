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
from .expressions import (Expression, acos, asin, atan, atan2, cos, cosh, cross, diag, distance, dot, exp, ground, if_, inertia, log,
                          max as max, min as min, multiplier, norm, omega, pi as pi, point_in, pos, sign, sin, sinh, sqrt, tan, tanh,
                          time as time, unit, vel)
from .writing import at, attach, ball, detach, free, lock, shift, turn, unlock
from .errors import (ArgumentError, Error, FileError, MissingLibrary, ModelError, ModelWarning, NumericalError, OutOfMemory,
                     Stopped, UnknownName)

__version__: str = _ffi.string(_lib.pf_py_version()).decode()

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from . import gym as gym
else:  # a type checker would take it for an answer to every name
    def __getattr__(name):
        """pfaff.gym is imported when it is first asked for: it needs Gymnasium."""
        if name == "gym":
            import importlib
            return importlib.import_module("pfaff.gym")
        raise AttributeError(f"pfaff has no '{name}'; help(pfaff) tells what there is")


# for `from pfaff import *`: without min, max, time and pi, which are others in Python; as pfaff.max they are there
__all__ = ["Model", "load", "loads", "example", "examples", "import_urdf", "command", "Sim", "Run", "Record", "Equations", "LinearModel", "Steady",
           "Picture", "Page", "Error", "ModelError", "ArgumentError", "UnknownName", "NumericalError", "MissingLibrary",
           "FileError", "OutOfMemory", "Stopped", "ModelWarning", "Expression", "unit", "ground", "multiplier", "at", "turn",
           "shift", "free", "ball", "lock", "unlock", "attach", "detach", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
           "exp", "log", "sqrt", "sign", "norm", "atan2", "dot", "cross", "pos", "vel", "omega", "distance", "point_in", "diag", "inertia", "if_"]
