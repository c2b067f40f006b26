# SPDX-License-Identifier: Apache-2.0
"""Models as environments of Gymnasium, for reinforcement learning (pip install pfaff[gym])."""
from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

try:
    import gymnasium
except ImportError as error:
    raise ImportError('pfaff.gym needs Gymnasium: pip install gymnasium, or "pfaff[gym]"', name="gymnasium") from error

from . import errors
from ._call import number_text
from ._model import Model, load

TYPE_CHECKING = False  # typing is not imported for nothing
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Sequence, Union
    from ._sim import Sim
    Reward = Union[None, str, Callable[[Sim, np.ndarray], float]]
    Until = Union[None, str, Callable[[Sim], Any]]
    Names = Union[str, Sequence[str]]

__all__ = ["Environment"]


class Environment(gymnasium.Env):
    """A model that an agent drives by its inputs, at equal intervals of `step` seconds in which they are held.

    >>> import pfaff.gym
    >>> cart = pfaff.Model('''
    ... coord x [m], phi [rad]
    ... input F [N]
    ... gravity (0, 0, -9.81)
    ... body cart in ground at (x, 0, 0) { mass 1 [kg] }
    ... body pole in cart turn phi about y { mass 0.1 [kg], com (0, 0, 0.5) }
    ... force x = F
    ... run 10 until abs(phi) > 0.2 [rad]
    ... ''')
    >>> env = pfaff.gym.Environment(cart, {"F": (-10, 10)}, ["x", "x'", "phi", "phi'"], "1", step=0.02, horizon=10,
    ...                             start={"phi": (-0.05, 0.05)})
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> reward, terminated, truncated, info["t"]
    (1.0, False, False, 0.02)

    Numbers are in SI units and radians, as everywhere in a simulation; texts may name a unit, "30 [deg]".

    model         a Model, or the path of one
    actions       inputs with their limits, {"u": (-2, 2)} or {"u": 2} for both signs; a list of names has no limits.
                  An action beyond them is brought back to them
    observations  quantities, as `Sim.get` takes them: "phi", "phi [deg]", "sin(phi)", "pos(tool)"; coordinates and velocities
                  without
    reward        a quantity, which may contain the inputs, or a function reward(sim, action); read at the end of each step.
                  Without one a step is worth 1
    step          seconds from one action to the next
    horizon       seconds after which an episode is truncated; None: never
    until         a further condition that ends it beside that of the model's `run`: "abs(x) > 2", or a function of
                  the simulation
    start         numbers or ranges of the start: {"phi": (-0.1, 0.1), "x'": 1}; each reset draws from the ranges
    params        the same for parameters
    method        by, form, rtol, atol …, as Model.simulate takes them

    reset(options={"start": …, "params": …}) is for one episode and goes before those here. A motion that cannot go on
    (constraints that lose rank, a step that becomes too small) is terminated; info["error"] says why. `sim` is the
    simulation itself."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, model: Any, actions: Union[Names, Mapping[str, Any]] = (), observations: Names = (),
                 reward: Reward = None, *, step: float = 0.02, horizon: Optional[float] = None, until: Until = None,
                 start: Optional[Mapping[str, Any]] = None, params: Optional[Mapping[str, Any]] = None,
                 method: Optional[Mapping[str, Any]] = None, dtype: Any = np.float32, render_mode: Optional[str] = None,
                 view: Optional[str] = None):
        self.model = model if isinstance(model, Model) else load(model)
        self.step_time = _positive("step", step)
        self.steps = None if horizon is None else max(1, round(_positive("horizon", horizon)/self.step_time))
        self.metadata = {**self.metadata, "render_fps": max(1, round(1/self.step_time))}
        self._render_mode(render_mode)
        self._view = view
        self._method = dict(method or {})
        self._given = {"start": dict(start or {}), "params": dict(params or {})}
        self._reward, self._until = reward, _condition(until)
        self._inputs, self.action_space = self._actions(actions, dtype)
        self._quantities = _names(observations) or [name + prime for prime in ("", "'") for name in self.model.coordinates]
        self._warned = False  # of a start that the constraints change: once is enough
        self.count: Optional[int] = None
        self._open()
        self.observation_space = gymnasium.spaces.Box(-math.inf, math.inf, self._observe().shape, dtype)

    # ------------------------------------------------------------ what it is made of

    def _render_mode(self, mode: Optional[str]) -> None:
        if mode is not None and mode not in self.metadata["render_modes"]:
            raise errors.ArgumentError(f"render_mode={mode!r}: there is 'rgb_array'")
        self.render_mode = mode

    def _number(self, name: str, value: Any) -> float:
        """In SI; a text may name its unit, a bare one is in that of the name."""
        if isinstance(value, str):
            return self.model.constant(value, name)
        return float(number_text(value, name))

    def _actions(self, actions: Union[Names, Mapping[str, Any]], dtype: Any) -> tuple[list[str], gymnasium.spaces.Box]:
        limits = dict(actions) if isinstance(actions, Mapping) else {name: (-math.inf, math.inf) for name in _names(actions)}
        for name in limits:
            if name not in self.model.inputs:
                raise self.model._unknown("actions", name, self.model.inputs)
        low, high = np.array([self._limits(name, value) for name, value in limits.items()]).reshape(-1, 2).T
        return list(limits), gymnasium.spaces.Box(low.astype(dtype), high.astype(dtype), dtype=dtype)

    def _limits(self, name: str, value: Any) -> tuple[float, float]:
        low, high = _pair(name, value, symmetric=True)
        low, high = (one if isinstance(one, float) and math.isinf(one) else self._number(name, one) for one in (low, high))
        if not low < high:
            raise errors.ArgumentError(f"actions[{name!r}]: the limits {low:g} and {high:g} leave nothing between them")
        return low, high

    def _open(self) -> None:
        """A simulation in which nothing is set; handles of what is read from it."""
        self.sim: Sim = self.model.simulate(**{**self._method, "start": False})
        self._start()
        self._odd = False  # something was set for one episode
        self._params: dict[str, Any] = {}
        self._input_handles = [self.sim.find(name) for name in self._inputs]
        for name in (*self._quantities, *(f for f in (self._reward, self._until) if isinstance(f, str))):
            self.sim.find(name)

    def _start(self) -> None:
        self._warned = self.sim._start(0 if self._warned else 4) > 0 or self._warned

    # ------------------------------------------------------------ episodes

    def reset(self, *, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None
              ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins again, from a start that is drawn from the ranges."""
        super().reset(seed=seed)
        wanted = {key: dict(self._given[key]) for key in self._given}
        odd = False
        for key, values in (options or {}).items():
            if key not in wanted:
                raise errors.ArgumentError(f"options[{key!r}]: there are 'start' and 'params'")
            odd = odd or any(name not in wanted[key] for name in values)
            wanted[key].update(values)
        if self._odd:
            self._open()
        self._odd = odd
        self._params = {name: self._draw(name, value) for name, value in wanted["params"].items()}
        for name, value in self._params.items():
            self.sim.set(name, value)
        for name, value in wanted["start"].items():
            self.sim.set(name, self._draw(name, value))
        for name in self._inputs:
            self.sim.input[name] = 0.0
        self._start()
        self.count = 0
        return self._observe(), self._info()

    def _draw(self, name: str, value: Any) -> Union[float, str]:
        if isinstance(value, str):
            return value
        if np.ndim(value) == 0:
            return self._number(name, value)
        low, high = (self._number(name, one) for one in _pair(name, value))
        if low > high:
            raise errors.ArgumentError(f"{name}: a range from {low:g} to {high:g}")
        return float(self.np_random.uniform(low, high))

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Holds the action for one interval."""
        if self.count is None:
            raise errors.Error("the environment has not begun: reset() comes before the first step()")
        action = np.asarray(action, dtype=float)
        if action.shape != self.action_space.shape or not np.all(np.isfinite(action)):
            raise errors.ArgumentError(f"an action is {self.action_space.shape[0]} finite numbers: {', '.join(self._inputs)}")
        action = np.clip(action, self.action_space.low, self.action_space.high)
        for name, value in zip(self._inputs, action):
            self.sim.input[name] = value
        over, info = self._move()
        self.count += 1
        truncated = not over and self.steps is not None and self.count >= self.steps
        return self._observe(), self._value(action), over, truncated, info

    def _move(self) -> tuple[bool, dict[str, Any]]:
        try:
            over = not self.sim.step(self.step_time)
        except errors.NumericalError as error:
            return True, {**self._info(), "error": str(error)}
        return over or self._is_over(), self._info()

    def _is_over(self) -> bool:
        if callable(self._until):
            return bool(self._until(self.sim))
        return self._until is not None and self.sim[self._until] != 0

    def _value(self, action: np.ndarray) -> float:
        if callable(self._reward):
            return float(self._reward(self.sim, action))
        return 1.0 if self._reward is None else float(self.sim[self._reward])

    def _observe(self) -> np.ndarray:
        numbers = [self.sim[name] for name in self._quantities]
        space = getattr(self, "observation_space", None)
        return np.hstack(numbers).astype(np.float32 if space is None else space.dtype)

    def _info(self) -> dict[str, Any]:
        return {"t": self.sim.t}

    # ------------------------------------------------------------ copies

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: where it stands. Functions for reward and until must be ones that can be pickled."""
        return {**{name: value for name, value in self.__dict__.items() if name != "sim"}, "_saved": self.sim.save()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = state.pop("_saved")
        self.__dict__.update(state)
        odd, params = self._odd, self._params
        self._open()
        for name, value in params.items():
            self.sim.set(name, value)
        self._start()
        self.sim.restore(saved)
        self._odd, self._params = odd, params

    def __deepcopy__(self, memo: dict[int, Any]) -> "Environment":
        """With the simulation as it is, and its controller."""
        import copy
        other = memo[id(self)] = type(self).__new__(type(self))
        for name, value in self.__dict__.items():
            other.__dict__[name] = copy.deepcopy(value, memo)
        return other

    # ------------------------------------------------------------ pictures

    def render(self) -> Optional[np.ndarray]:
        """The machine as it is now, as an array of pixels. Each picture is drawn anew, in some tens of milliseconds."""
        if self.render_mode is None:
            return None
        scales = {entry["name"]: entry["scale"] for entry in self.model.info["parameters"]}
        params = {name: value if isinstance(value, str) else value/scales[name] for name, value in self._params.items()}
        return _pixels(self.model, _state(self.model, self.sim), params, self._view)


def _positive(name: str, value: Any) -> float:
    number = float(number_text(value, name))
    if not number > 0:
        raise errors.ArgumentError(f"{name} is {number:g}, but must be positive")
    return number


def _names(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _pair(name: str, value: Any, symmetric: bool = False) -> tuple[Any, Any]:
    if isinstance(value, (str, bytes)) or np.ndim(value) == 0:
        if not symmetric or isinstance(value, str):
            raise errors.ArgumentError(f"{name}: {value!r} is no range; it is written as (from, to)")
        return -value, value
    if len(value) != 2:
        raise errors.ArgumentError(f"{name}: {value!r} is no range; it is written as (from, to)")
    return value[0], value[1]


def _condition(until: Until) -> Until:
    """What is read is a number: 1 where the condition holds."""
    return f"if({until}, 1, 0)" if isinstance(until, str) else until


# ---------------------------------------------------------------- pictures

PIXELS = 480  # on a side


def _state(model: Model, sim: Sim) -> dict[str, Any]:
    """The coordinates as `draw` takes them: in the declared units, attitudes as a whole."""
    state: dict[str, Any] = {}
    scales = {entry["name"]: entry["scale"] for entry in model.info["coordinates"]}
    for name, value in zip(model.coordinates, sim.q):
        body, _, part = name.rpartition(".")
        if body and part in ("qw", "qx", "qy", "qz") and f"{body}.qw" in scales:
            state.setdefault(f"{body}.q", []).append(value)
        else:
            state[name] = value/scales[name]
    return state


def _pixels(model: Model, state: dict[str, Any], params: dict[str, Any], view: Optional[str]) -> np.ndarray:
    """The picture of `draw` on a white square."""
    import os
    import tempfile
    import matplotlib.image
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        model._words("draw", {"out": path, "state": state, "params": params, "view": view, "as_given": True})
        picture = matplotlib.image.imread(path)[..., :3]
    scale = max(picture.shape[:2])/PIXELS
    rows, columns = ((np.arange(int(size/scale))*scale).astype(int) for size in picture.shape[:2])
    canvas = np.full((PIXELS, PIXELS, 3), 255, np.uint8)
    top, left = (PIXELS - len(rows))//2, (PIXELS - len(columns))//2
    canvas[top:top + len(rows), left:left + len(columns)] = np.rint(255*picture[rows][:, columns])
    return canvas
