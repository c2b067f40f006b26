# SPDX-License-Identifier: Apache-2.0
"""Models written in Python: each call is one statement of the language (docs/language.md), ``to_pf`` is the text.

>>> m = Writing("pendulum", "A pendulum")
>>> mass, l = m.param("m", 0.3, "kg"), m.param("l", 0.5, "m")
>>> theta = m.coord("theta", unit="rad")
>>> m.kinetic(mass/2*(l*theta.d)**2)
>>> m.start(theta, 10*unit("deg"))
>>> print(m.to_pf(), end="")
model pendulum "A pendulum"
param m = 0.3 [kg]
param l = 0.5 [m]
coord theta [rad]
kinetic m/2*(l*theta')^2
start theta = 10 [deg]
"""
from __future__ import annotations

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Optional

from .expressions import (Expression, at_least, check_label, check_name, check_unit, expression, quoted, text_of, unit,
                          PRIMARY)

__all__ = ["Writing", "at", "turn", "shift", "free", "ball", "lock", "unlock", "attach", "detach", "unit"]


class Piece(str):
    """Part of a placement, or an action of an event."""


def at(*place: Any) -> Piece:
    """Moves by (a, b, c) in the axes reached so far."""
    return Piece("at " + text_of(place[0] if len(place) == 1 else place))


def turn(angle: Any, about: Any) -> Piece:
    """Turns about an axis: "x", "y", "z" or a direction."""
    return Piece(f"turn {text_of(angle)} about {text_of(about)}")


def shift(length: Any, along: Any) -> Piece:
    """Moves along an axis."""
    return Piece(f"shift {text_of(length)} along {text_of(along)}")


free = Piece("free")
ball = Piece("ball")


def lock(*joints: Any) -> Piece:
    """Holds joints or coordinates where they are."""
    return Piece("lock " + ", ".join(text_of(joint) for joint in joints))


def unlock(*joints: Any) -> Piece:
    """Lets them go again."""
    return Piece("unlock " + ", ".join(text_of(joint) for joint in joints))


def attach(first: Any, to: Any, at: Any = None, by: Optional[str] = None, about: Any = None) -> Piece:
    """Holds two bodies together; ``by`` is "weld", "ball" or "hinge" (then about an axis)."""
    if by not in (None, "weld", "ball", "hinge"):
        raise ValueError(f"attach: by={by!r} is not 'weld', 'ball' or 'hinge'")
    if (by == "hinge") != (about is not None):
        raise ValueError("attach: a hinge has an axis, and nothing else has")
    words = [f"attach {text_of(first)} to {text_of(to)}"]
    words += _given("at", at) + ([by] if by else []) + _given("about", about)
    return Piece(" ".join(words))


def detach(body: Any, off: Any = None, impulse: Any = None, torque: Any = None) -> Piece:
    """Lets go what was attached to ``off``; without it the body with its own joint, with an impulse and a torque."""
    if off is not None:
        if impulse is not None or torque is not None:
            raise ValueError("detach: impulse and torque are for a body that leaves its own joint")
        return Piece(f"detach {text_of(body)} from {text_of(off)}")
    pushes = [f"{name} {text_of(value)}" for name, value in (("impulse", impulse), ("torque", torque))
              if value is not None]
    return Piece(f"detach {text_of(body)}" + (" with " + ", ".join(pushes) if pushes else ""))


def _given(word: str, value: Any) -> list[str]:
    return [f"{word} {text_of(value)}"] if value is not None else []


def _unit(name: str) -> str:
    return f" [{check_unit(name)}]" if name else ""


def _block(**members: Any) -> str:
    given = [f"{name} {text_of(value)}" for name, value in members.items() if value is not None]
    return " { " + ", ".join(given) + " }" if given else ""


def _placement(pieces: Any) -> str:
    for piece in pieces:
        if not isinstance(piece, Piece):
            raise TypeError(f"{piece!r} is no part of a placement: pfaff.at, turn, shift, free and ball are")
    return "".join(" " + piece for piece in pieces)


class Writing:
    """Statements, in the order in which they were given."""

    def __init__(self, name: Optional[str] = None, title: Optional[str] = None) -> None:
        self._statements = []
        if name is not None:
            self.statement(f"model {check_name(name)}" + (f" {quoted(title)}" if title else ""))

    def statement(self, text: str) -> None:
        """One statement as the language has it, for whatever has no call of its own."""
        if not isinstance(text, str) or not text.strip():
            raise ValueError("a statement is a text")
        self._statements.append(text.strip())

    def to_pf(self) -> str:
        """The model as text."""
        return "".join(statement + "\n" for statement in self._statements)

    # ---- declarations

    def _declare(self, kind: str, names: Any, unit: Any, value: Any, symbol: Any, count: Any) -> Any:
        if not names:
            raise TypeError(f"{kind}: a name is missing")
        if len(names) > 1 and (value is not None or symbol is not None):
            raise TypeError(f"{kind}: a value or a symbol is for one name")
        size = f"[{int(count)}]" if count is not None else ""
        sign = f" {quoted(symbol)}" if symbol else ""
        if value is None:
            self.statement(f"{kind} {', '.join(check_name(name) + size for name in names)}{sign}{_unit(unit)}")
        else:
            listed = isinstance(value, (list, tuple)) and count is not None
            text = f"list({', '.join(map(text_of, value))})" if listed else at_least(value, PRIMARY if unit else 0)
            self.statement(f"{kind} {check_name(names[0])}{size}{sign} = {text}{_unit(unit)}")
        made = tuple(Expression(name) for name in names)
        return made if len(made) > 1 else made[0]

    def param(self, name: str, value: Any = None, unit: Optional[str] = None, *, symbol: Optional[str] = None,
              count: Optional[int] = None) -> Expression:
        """A constant; without a value it stays a name until it is given."""
        return self._declare("param", (name,), unit, value, symbol, count)

    def coord(self, *names: str, unit: Optional[str] = None, symbol: Optional[str] = None,
              count: Optional[int] = None) -> Any:
        """One coordinate or several; ``count`` makes a list of so many, theta[1] …"""
        return self._declare("coord", names, unit, None, symbol, count)

    def input(self, *names: str, unit: Optional[str] = None, value: Any = None, symbol: Optional[str] = None) -> Any:
        """One force or torque from outside or several; a function of time, or set while it moves."""
        return self._declare("input", names, unit, value, symbol, None)

    def speed(self, name: str, value: Any = None, unit: Optional[str] = None, *, symbol: Optional[str] = None) -> Expression:
        """A pseudo-velocity, as a combination of velocities; without a value see ``rate``."""
        return self._declare("speed", (name,), unit, value, symbol, None)

    def rate(self, velocity: Any, value: Any) -> None:
        """A velocity by the speeds."""
        self.statement(f"rate {text_of(velocity)} = {text_of(value)}")

    def let(self, name: str, value: Any) -> Expression:
        """A name for an expression."""
        self.statement(f"let {check_name(name)} = {text_of(value)}")
        return Expression(name)

    # ---- inertia, energy, forces

    def kinetic(self, energy: Any) -> None:
        """Adds to the kinetic energy."""
        self.statement(f"kinetic {text_of(energy)}")

    def potential(self, energy: Any) -> None:
        """Adds to the potential energy."""
        self.statement(f"potential {text_of(energy)}")

    def dissipation(self, function: Any) -> None:
        """Rayleigh's function."""
        self.statement(f"dissipation {text_of(function)}")

    def gravity(self, *acceleration: Any) -> None:
        """The acceleration of weight, on all bodies."""
        self.statement(f"gravity {text_of(acceleration[0] if len(acceleration) == 1 else acceleration)}")

    def force(self, what: Any, value: Any = None, *, at: Any = None, off: Any = None, nonideal: bool = False) -> None:
        """``force(x, F)`` on a coordinate, or ``force(vector, at=P, off=Q)`` at a point, with reaction at Q."""
        start = "nonideal " if nonideal else ""
        if (value is None) == (at is None):
            raise TypeError("force: a coordinate and a value, or a vector and at=")
        if at is None:
            if off is not None:
                raise TypeError("force: off= is for a vector at a point")
            self.statement(f"{start or 'force '}{text_of(what)} = {text_of(value)}")
        else:
            back = f" from {text_of(off)}" if off is not None else ""
            self.statement(f"{start}force {text_of(what)} at {text_of(at)}{back}")

    def torque(self, vector: Any, on: Any, *, off: Any = None, nonideal: bool = False) -> None:
        """A torque on a body, with reaction on another."""
        back = f" from {text_of(off)}" if off is not None else ""
        self.statement(f"{'nonideal ' if nonideal else ''}torque {text_of(vector)} on {text_of(on)}{back}")

    def spring(self, what: Any, *, to: Any = None, stiffness: Any = None, length: Any = None, damping: Any = None) -> None:
        """On a scalar, or along the line from a point to another."""
        end = f" to {text_of(to)}" if to is not None else ""
        self.statement(f"spring {text_of(what)}{end}" + _block(stiffness=stiffness, length=length, damping=damping))

    def damper(self, what: Any, *, to: Any, damping: Any) -> None:
        """Along the line from a point to another."""
        self.statement(f"damper {text_of(what)} to {text_of(to)}" + _block(damping=damping))

    # ---- bodies

    def body(self, name: str, within: Any, *placement: Any, mass: Any = None, com: Any = None,
             inertia: Any = None) -> Expression:
        """A rigid body, placed in another frame from left to right: ``body("b", ground, at(x, y, 0), turn(a, "z"))``."""
        self.statement(f"body {check_label(name)} in {text_of(within)}{_placement(placement)}"
                       + _block(mass=mass, com=com, inertia=inertia))
        return Expression(name)

    def frame(self, name: str, within: Any, *placement: Any) -> Expression:
        """Axes without inertia, placed as a body is."""
        self.statement(f"frame {check_label(name)} in {text_of(within)}{_placement(placement)}")
        return Expression(name)

    def point(self, name: str, within: Any, *place: Any) -> Expression:
        """A point fixed in a frame."""
        self.statement(f"point {check_label(name)} in {text_of(within)} {at(*place)}")
        return Expression(name)

    # ---- constraints

    def constraint(self, left: Any, right: Any = 0, name: Optional[str] = None) -> None:
        """``left = right``, of coordinates, velocities or accelerations."""
        label = f"{check_label(name)}: " if name else ""
        self.statement(f"constraint {label}{text_of(left)} = {text_of(right)}")

    def prescribe(self, motion: Any, law: Any, name: Optional[str] = None) -> None:
        """A motor that follows a law of time."""
        label = f"{check_label(name)}: " if name else ""
        self.statement(f"prescribe {label}{text_of(motion)} = {text_of(law)}")

    def roll(self, name: str, kind: str, body: Any, *, radius: Any, axis: Any = None, on: Any = None,
             surface: Any = None, within: Any = None, inside: Any = None, outside: Any = None, center: Any = None) -> Expression:
        """A disc or ball that rolls. One of these is needed: ``on`` a frame's plane (the ground's: ``on=ground``), a ``surface``
        (a function by name, ``within`` a frame), ``inside`` or ``outside`` a sphere of that radius around ``center``."""
        if kind not in ("disc", "ball"):
            raise ValueError(f"roll: {kind!r} is not 'disc' or 'ball'")
        if sum(support is not None for support in (on, surface, inside, outside)) != 1:
            raise TypeError("roll: one of on=, surface=, inside= and outside= is needed, as on=pfaff.ground")
        if on is not None:
            support = f"on {text_of(on)}"
        elif surface is not None:
            support = f"on surface {text_of(surface)}" + (f" in {text_of(within)}" if within is not None else "")
        else:
            word, size = ("inside", inside) if inside is not None else ("outside", outside)
            support = f"{word} sphere" + _block(radius=size, center=center)
        self.statement(f"roll {check_label(name)}: {kind} {text_of(body)}{_block(radius=radius, axis=axis)} {support}")
        return Expression(name)

    def skate(self, name: str, frame: Any, on: Any = None) -> Expression:
        """A blade along the x axis of a frame."""
        self.statement(f"skate {check_label(name)}: {text_of(frame)}" + (f" on {text_of(on)}" if on is not None else ""))
        return Expression(name)

    def omni(self, name: str, wheel: Any, *, radius: Any, axis: Any, on: Any = None) -> Expression:
        """A wheel with rollers across its axle."""
        self.statement(f"omni {check_label(name)}: {text_of(wheel)}{_block(radius=radius, axis=axis)}"
                       + (f" on {text_of(on)}" if on is not None else ""))
        return Expression(name)

    def mecanum(self, name: str, wheel: Any, *, radius: Any, axis: Any, roller: Any = None, on: Any = None) -> Expression:
        """A wheel with rollers at an angle."""
        self.statement(f"mecanum {check_label(name)}: {text_of(wheel)}{_block(radius=radius, axis=axis, roller=roller)}"
                       + (f" on {text_of(on)}" if on is not None else ""))
        return Expression(name)

    # ---- start, events, what is run and shown

    def start(self, what: Any, value: Any, *, fixed: bool = False) -> None:
        """Where it starts; ``fixed``: constraints may not change it."""
        self.statement(f"start {text_of(what)} = {text_of(value)}" + (" !" if fixed else ""))

    def when(self, condition: Any, *actions: Any) -> None:
        """An event: a condition, or a time as a number; ``lock``, ``unlock``, ``attach``, ``detach``."""
        for action in actions:
            if not isinstance(action, Piece):
                raise TypeError(f"{action!r} is no action: pfaff.lock, unlock, attach and detach are")
        if not actions:
            raise TypeError("when: an event does something")
        test = expression(condition)
        instant = "" if isinstance(condition, Expression) and any(c in test.text for c in "<>") else "t = "
        self.statement(f"when {instant}{test.text} {{ {'; '.join(actions)} }}")

    def runs(self, seconds: Any, *, by: Optional[str] = None, until: Any = None, **settings: Any) -> None:
        """What ``run`` does when nothing else is said."""
        words = [f"run {text_of(seconds)}"] + ([f"by {check_name(by)}"] if by else []) + _given("until", until)
        given = ", ".join(f"{check_name(name)} = {text_of(value)}" for name, value in settings.items())
        self.statement(" ".join(words) + (f" {{ {given} }}" if given else ""))

    def plots(self, *quantities: Any, against: Any = None) -> None:
        """What is shown."""
        if not quantities:
            raise TypeError("plots: a quantity is missing")
        shown = ", ".join(expression(quantity).shown for quantity in quantities)
        self.statement(f"plot {shown}" + (f" against {expression(against).shown}" if against is not None else ""))

    def draws(self, point: Any, shape: str, *sizes: Any, color: Optional[str] = None, axis: Any = None) -> None:
        """A shape at a point: "box", "sphere", "cylinder", "disc", "line", "arrow", "trace"."""
        members = ([f"color {quoted(color)}"] if color else []) + ([f"axis {text_of(axis)}"] if axis is not None else [])
        self.statement(f"draw {text_of(point)} as {check_name(shape)}({', '.join(map(text_of, sizes))})"
                       + (f" {{ {', '.join(members)} }}" if members else ""))
