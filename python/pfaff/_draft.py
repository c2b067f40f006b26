# SPDX-License-Identifier: Apache-2.0
"""Models that are written in Python: statements as calls, until something is asked of the model."""
from __future__ import annotations

import threading

from . import errors
from ._model import Model
from .writing import Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


# what Model.__init__ makes of a text
KEPT = ("text", "file", "_machine", "info", "coordinates", "constraints", "_parameter_places", "_input_places", "_field", "_plain_field")


class Draft(Writing, Model):
    """``pfaff.Model()``: each call adds a statement of the language (docs/language.md), ``to_pf()`` is the text.

    >>> m = pfaff.Model(name="pendulum")
    >>> l, g = m.param("l", 1), m.param("g", 9.81)
    >>> phi = m.coord("phi", unit="rad")
    >>> m.kinetic(l**2*phi.d**2/2)
    >>> m.potential(-g*l*pfaff.cos(phi))
    >>> m.start(phi, 0.1)
    >>> print(m.to_pf(), end="")
    model pendulum
    param l = 1
    param g = 9.81
    coord phi [rad]
    kinetic l^2*phi'^2/2
    potential -g*l*cos(phi)
    start phi = 0.1
    >>> [(e.lhs, e.rhs) for e in m.derive().equations]
    [("l^2*phi''", '-g*l*sin(phi)')]

    It is read when something is asked of it, and again after another statement."""

    def __init__(self, text: None = None, *, name: Optional[str] = None, title: Optional[str] = None):
        self._lock = threading.RLock()
        Writing.__init__(self, name, title)

    def statement(self, text: str) -> None:
        Writing.statement(self, text)
        self._forget()

    def _forget(self) -> None:
        for name in KEPT:
            self.__dict__.pop(name, None)

    if not TYPE_CHECKING:
        def __getattr__(self, name):
            """What Model keeps of a text: there is none before somebody asks."""
            if name not in KEPT or "_statements" not in self.__dict__:
                return Model.__getattr__(self, name)
            with self._lock:  # threads may ask at the same time
                if name not in self.__dict__:
                    try:
                        Model.__init__(self, self.to_pf(), "<model>")
                    except Exception:
                        self._forget()
                        raise
                return self.__dict__[name]

    def _is_whole(self) -> bool:
        """Can it be read as it stands?"""
        try:
            return self.info is not None
        except errors.ModelError:
            return False

    def __repr__(self) -> str:
        if self._is_whole():
            return Model.__repr__(self)
        count = len(self._statements)
        return f"<Model to be written: {count} statement{'s'*(count != 1)} so far>"

    def _repr_markdown_(self) -> Optional[str]:
        return Model._repr_markdown_(self) if self._is_whole() else None

    def __eq__(self, other: Any) -> bool:
        """As texts, whole or not."""
        return isinstance(other, Model) and self.to_pf() == (other.to_pf() if isinstance(other, Draft) else other.text)

    def __hash__(self) -> int:
        return hash(self.to_pf())

    def __reduce__(self) -> Any:  # copies, too, are drafts
        return (_make, (type(self), list(self._statements)))


def _make(kind: type[Draft], statements: list[str]) -> Draft:
    """One with these statements, which can go on."""
    draft = kind()
    draft._statements = list(statements)
    return draft
