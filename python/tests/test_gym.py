# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium: by its own checker, against simulations, and with what is wrong."""
import copy
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import pfaff
from conftest import PENDULUM, example_path
from pfaff.gym import Environment

CART = """
coord x [m], phi [rad]
param M = 1 [kg], m = 0.1 [kg], l = 0.5 [m], g = 9.81 [m/s^2]
input F [N]
gravity (0, 0, -g)
body cart in ground at (x, 0, 0) { mass M }
body pole in cart turn phi about y { mass m, com (0, 0, l) }
force x = F
run 10 until abs(phi) > 0.2 [rad]
"""


def cart(**options):
    return Environment(pfaff.Model(CART), {"F": (-10, 10)}, ["x", "x'", "phi", "phi'"],
                       "1 - phi^2 - 0.001*(F/(1 [N]))^2",
                       **{"start": {"phi": (-0.05, 0.05), "x": (-0.1, 0.1)}, "horizon": 1, **options})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_checker_of_gymnasium_is_content(dtype):
    from gymnasium.utils.env_checker import check_env
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space (minimum|maximum) value is.*")
        warnings.filterwarnings("ignore", message=".*we recommend using a symmetric and normalized space.*")
        check_env(cart(dtype=dtype), skip_render_check=True)


def test_an_episode_is_the_motion_of_a_simulation():
    env = cart(dtype=np.float64)
    observation, info = env.reset(seed=3)
    sim = env.model.simulate(start=False)
    sim.start(x=observation[0], phi=observation[2])
    env.action_space.seed(3)
    for k in range(1, 51):
        action = env.action_space.sample()
        sim.input["F"] = action[0]
        goes = sim.step(0.02)
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation.tolist() == [sim[name] for name in ("x", "x'", "phi", "phi'")]
        assert reward == pytest.approx(1 - sim["phi"]**2 - 0.001*action[0]**2, abs=1e-14)
        assert info["t"] == sim.t and terminated == (not goes) and truncated == (goes and k == 50)
        if not goes:
            break


def test_the_condition_of_the_model_terminates_at_its_instant():
    env = cart()
    env.reset(seed=1, options={"start": {"phi": 0.1, "x": 0}})
    for _ in range(50):
        observation, reward, terminated, truncated, info = env.step([10])
        if terminated:
            break
    assert terminated and not truncated
    assert abs(observation[2]) == pytest.approx(0.2, abs=1e-6)
    assert 0 < info["t"] % 0.02 < 0.02  # inside a step


def test_the_horizon_truncates():
    env = Environment(pfaff.Model(PENDULUM), {"u": 1}, step=0.1, horizon=0.5)
    env.reset()
    ends = [env.step([0])[2:4] for _ in range(5)]
    assert ends == [(False, False)]*4 + [(False, True)]
    endless = Environment(pfaff.Model(PENDULUM), {"u": 1}, step=0.1)
    endless.reset()
    assert not any(endless.step([0])[3] for _ in range(30))


def test_seeds_repeat_starts_and_ranges_hold():
    env = cart()
    first = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(20))]
    again = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(20))]
    assert np.array_equal(first, again)
    phi = np.array(first)[:, 2]
    assert len(set(phi)) == 21 and abs(phi).max() <= 0.05 and phi.min() < 0 < phi.max()


def test_options_are_for_one_episode():
    env = cart(start={"phi": 0.01}, params={"l": (0.4, 0.6)})
    length = env.sim.find("l")
    env.reset(seed=1, options={"start": {"x": 2}, "params": {"l": 0.7, "M": 3}})
    assert (env.sim["x"], env.sim["phi"], env.sim.get(length), env.sim["M"]) == (2, 0.01, 0.7, 3)
    env.reset()
    assert (env.sim["x"], env.sim["phi"], env.sim["M"]) == (0, 0.01, 1) and 0.4 <= env.sim["l"] <= 0.6


def test_units_of_texts():
    env = Environment(pfaff.Model("coord x [mm]; input u [mN]; param k [N/mm] = 1; kinetic 1 [kg]*x'^2/2; force x = u"),
                      {"u": ("-2 [N]", "1500")}, start={"x": "3 [cm]"}, params={"k": ("1 [N/m]", "2 [N/m]")}, dtype=np.float64)
    assert env.action_space.low == [-2] and env.action_space.high == [1.5]
    assert env.reset(seed=1)[0].tolist() == [0.03, 0] and 1 <= env.sim["k"] <= 2


def test_actions_are_brought_to_their_limits():
    env = cart(dtype=np.float64)
    env.reset(seed=1)
    env.step([1e6])
    assert env.sim.input["F"] == 10


def test_rewards_and_conditions_may_be_functions():
    seen = []
    env = cart()
    env = Environment(env.model, {"F": 10}, ["x"], lambda sim, action: seen.append((sim.t, float(action[0]))) or -sim["x"]**2,
                      until=lambda sim: sim["x"] > 0.05, start={"phi": 0.01})
    env.reset()
    ends = 0
    while not ends:
        _, reward, ends, _, _ = env.step([10])
    assert env.sim["x"] > 0.05 and reward == -env.sim["x"]**2 and seen[0] == (0.02, 10.0)
    by_text = Environment(env.model, {"F": 10}, ["x"], until="x > 0.05 [m]", start={"phi": 0.01})
    by_text.reset()
    while not by_text.step([10])[2]:
        pass
    assert by_text.sim.t == env.sim.t


def test_a_motion_that_cannot_go_on_is_terminated():
    env = Environment(example_path("snakeboard"), step=0.05, params={"F": 20}, method={"by": "dopri5"})
    env.reset()
    for _ in range(40):
        observation, _, terminated, _, info = env.step([])
        if terminated:
            break
    assert terminated and "rank" in info["error"] and np.isfinite(observation).all()
    assert info["t"] == pytest.approx(1.2536883587532748, abs=0.01)  # tests/reference/README.md


def test_vectors_of_environments():
    make = [lambda k=k: cart(start={"phi": 0.01*k}) for k in range(4)]
    for envs in (gymnasium.vector.SyncVectorEnv(make), gymnasium.vector.AsyncVectorEnv(make)):
        try:
            first, _ = envs.reset(seed=1)
            assert first[:, 2] == pytest.approx([0, 0.01, 0.02, 0.03])
            next_, rewards, terminated, truncated, _ = envs.step(np.zeros((4, 1), np.float32))
            assert next_.shape == (4, 4) and rewards.shape == (4,) and not terminated.any()
            assert (abs(next_[1:, 2]) > abs(first[1:, 2])).all()  # they fall
        finally:
            envs.close()


def test_attitudes_and_vectors_are_observed():
    env = Environment(example_path("spacecraft"), observations=["pos(hub)", "hub.w", "energy"], step=0.1)
    observation, _ = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape == (7,)
    assert observation[:6] == pytest.approx([0.5, -1, 2, *env.sim["omega(hub)"]], abs=10) and env.action_space.shape == (0,)


def test_pictures():
    pytest.importorskip("matplotlib")
    env = cart(render_mode="rgb_array", params={"l": (0.4, 0.6)})
    env.reset(seed=1)
    try:
        first = env.render()
    except pfaff.MissingLibrary:
        pytest.skip("no librsvg")
    env.reset(options={"start": {"phi": 0.19}})
    second = env.render()
    assert first.shape == second.shape == (480, 480, 3) and first.dtype == np.uint8
    assert (first < 200).any() and (first == 255).mean() > 0.3 and (first != second).any()
    assert cart().render() is None


@pytest.mark.parametrize("options, word", [
    ({"actions": ["G"]}, "no 'G'"), ({"actions": {"F": (1, 1)}}, "nothing between"), ({"actions": {"F": (1, 2, 3)}}, "range"),
    ({"actions": {"F": "2"}}, "range"), ({"step": 0}, "positive"), ({"horizon": -1}, "positive"), ({"step": math.nan}, "finite"),
    ({"observations": ["z"]}, "z"), ({"reward": "phi +"}, "expression|end"), ({"until": "phi"}, "condition"), ({"render_mode": "human"}, "rgb_array"),
])
def test_what_does_not_fit_is_refused(options, word):
    with pytest.raises(pfaff.Error, match=word):
        Environment(pfaff.Model(CART), **options)


def test_bad_calls_are_refused():
    env = cart()
    with pytest.raises(pfaff.ArgumentError, match="start"):
        env.reset(options={"state": {"x": 1}})
    with pytest.raises(pfaff.Error):
        env.reset(options={"start": {"z": 1}})
    with pytest.raises(pfaff.ArgumentError, match="from 2 to 1"):
        env.reset(options={"start": {"x": (2, 1)}})
    env.reset()
    for action in ([1, 2], [math.nan], 1.0):
        with pytest.raises(pfaff.ArgumentError, match="1 finite number"):
            env.step(action)


def test_a_step_needs_a_beginning():
    with pytest.raises(pfaff.Error, match="reset"):
        cart().step([0.0])


def test_a_start_that_is_changed_is_told_once():
    model = pfaff.Model("coord x, y [m]; kinetic (1 [kg])*(x'^2 + y'^2)/2; constraint x^2 + y^2 = 1 [m^2]; start x = 1, y = 0")
    env = Environment(model, start={"x": (2, 3)})
    with pytest.warns(pfaff.ModelWarning, match="is changed: x") as told:
        env.reset(seed=1)
        env.reset()
    assert len(told) == 1


def test_copies_go_on_alike():
    env = cart(dtype=np.float64)
    env.reset(seed=5)
    env.step([3.0])
    other = copy.deepcopy(env)
    assert other.sim is not env.sim
    for force in (1.0, -2.0, 4.0):
        ours, theirs = env.step([force]), other.step([force])
        assert ours[0].tolist() == theirs[0].tolist() and ours[1:] == theirs[1:]
    other.step([0.0])
    assert other.sim.t > env.sim.t
    assert env.reset()[0].tolist() == other.reset()[0].tolist()  # the same numbers are drawn


def test_it_is_there_without_an_import_of_its_own():
    code = "import pfaff, sys; assert 'gymnasium' not in sys.modules; pfaff.gym.Environment"
    subprocess.run([sys.executable, "-c", code], check=True)
    missing = "import sys; sys.modules['gymnasium'] = None\nimport pfaff\ntry: pfaff.gym\nexcept ImportError as e: print(e)"
    told = subprocess.run([sys.executable, "-c", missing], check=True, capture_output=True, text=True).stdout
    assert "pfaff.gym needs Gymnasium" in told


@pytest.mark.parametrize("options", [None, {"start": {"x'": 0.3}, "params": {"l": "40 [cm]"}}])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike(options, again):
    env = cart(params={"m": (0.05, 0.2)})
    fresh = again(env)
    assert np.array_equal(fresh.reset(seed=7)[0], env.reset(seed=7)[0])
    env.reset(seed=1, options=options)
    env.step([3.0])
    other = again(env)
    for action in (1.0, -2.0, 0.5):
        ours, theirs = env.step([action]), other.step([action])
        assert np.array_equal(ours[0], theirs[0]) and ours[1:] == theirs[1:]
    assert np.array_equal(env.reset()[0], other.reset()[0])
    assert np.array_equal(env.step([1.0])[0], other.step([1.0])[0])
