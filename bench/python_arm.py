# SPDX-License-Identifier: Apache-2.0
"""The arm of seven joints from Python: accelerations at one state and at many, motions from many starts.

    python_arm.py BUILD      writes BUILD/bench/results/python-arm.json

Pfaff, MuJoCo and Drake. All read examples/robots/arm7.urdf, ours by `pfaff import`; contacts and limits of joints are
off, as in arm_mujoco.c. First the accelerations are compared, and the ends of the motions. States one by one are a loop
in Python over all of them. One thread each, seconds of the processor, the least of several; native code is compiled
before, which is told by itself. MuJoCo's rollout over many states takes one step by Euler of one second without
implicit damping: the change of the velocity is the acceleration.
"""
import json
import os
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

import pfaff
from commands import write_arm
from tape_peers import resource_of_children, time_of_call

URDF = Path(__file__).resolve().parent.parent/"examples/robots/arm7.urdf"
STATES, STARTS, STEPS, STEP = 10000, 100, 1000, 1e-3


def off(found, wanted):
    """Relative to the largest number; NaN if there is one."""
    return float(np.abs(found - wanted).max()/np.abs(wanted).max())


class Problem:
    def __init__(self, build):
        path = build/"bench/models/arm7.pf"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arm(build/"pfaff", path)
        self.model, self.native = pfaff.load(path), pfaff.load(path)  # what is compiled once stays so
        random = np.random.default_rng(1)
        self.q, self.v = random.uniform(-1, 1, (STATES, 7)), random.uniform(-1, 1, (STATES, 7))
        self.names = [*self.model.coordinates, *(f"{name}'" for name in self.model.coordinates)]
        self.accelerations = self.model.accelerations(self.q, self.v, native="off")
        self.ends = None


# ---------------------------------------------------------------- Pfaff


def record(p, sim, k):
    """A motion with the state at each step, as rollout gives it."""
    for name, number in zip(p.names, (*p.q[k], *p.v[k])):
        sim.set(name, number)
    return sim.start().record(STEPS*STEP, STEP, p.names)


def compile_native(p):
    """Native code is found again by later calls and runs, so the first is for the compiler."""
    begin = time.process_time() + resource_of_children()
    p.native.accelerations(p.q, p.v, native="on")
    return time.process_time() + resource_of_children() - begin


def measure_pfaff(p):
    model, compiled = p.model, compile_native(p)
    ways = {"interpreted": (model, "off"), "native": (p.native, "on")}
    sims = {name: one.simulate(by="rk4", step=STEP, native=mode) for name, (one, mode) in ways.items()}
    ends = {name: np.array([record(p, sim, k)[-1, 1:] for k in range(STARTS)]) for name, sim in sims.items()}
    p.ends = ends["interpreted"]
    states = np.concatenate([p.q, p.v], axis=1)
    others = [np.array([model.rhs(0.0, y)[7:] for y in states]), p.native.accelerations(p.q, p.v, native="on")]
    return {
        "compile": compiled,
        "one": {"m.rhs": time_of_call(lambda: [model.rhs(0.0, y) for y in states], STATES),
                "m.accelerations": time_of_call(lambda: [model.accelerations(q, v) for q, v in zip(p.q, p.v)], STATES)},
        "many": {f"m.accelerations, {name}": time_of_call(lambda: one.accelerations(p.q, p.v, native=mode), STATES)
                 for name, (one, mode) in ways.items()},
        "motion": {f"sim.record, {name}": time_of_call(lambda: [record(p, sim, k) for k in range(STARTS)], STARTS*STEPS)
                   for name, sim in sims.items()},
        "difference": float(np.max([off(one, p.accelerations) for one in others])),
        "ends": off(ends["native"], p.ends)}


# ---------------------------------------------------------------- MuJoCo


def load_mujoco(mujoco, integrator, step, flags=0):
    model = mujoco.MjModel.from_xml_path(str(URDF))
    model.opt.integrator, model.opt.timestep = integrator, step
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | flags
    return model, mujoco.MjData(model)


def measure_mujoco(p):
    import mujoco
    from mujoco import rollout
    model, data = load_mujoco(mujoco, mujoco.mjtIntegrator.mjINT_RK4, STEP)
    euler, euler_data = load_mujoco(mujoco, mujoco.mjtIntegrator.mjINT_EULER, 1.0,
                                    mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
    states = np.concatenate([np.zeros((STATES, 1)), p.q, p.v], axis=1)

    def forward(q, v):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        return data.qacc

    def step_often(k):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = p.q[k], p.v[k]
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
        return np.concatenate([data.qpos, data.qvel])

    def roll():
        return rollout.rollout(model, data, states[:STARTS], nstep=STEPS)[0]

    def roll_once():
        return rollout.rollout(euler, euler_data, states, nstep=1)[0][:, 0, 8:15] - p.v

    difference = np.max([off(np.array([forward(q, v).copy() for q, v in zip(p.q, p.v)]), p.accelerations),
                         off(roll_once(), p.accelerations)])
    ends = np.max([off(roll()[:, -1, 1:15], p.ends), off(step_often(0), p.ends[0])])
    return {
        "version": mujoco.__version__,
        "one": {"mj_forward": time_of_call(lambda: [forward(q, v) for q, v in zip(p.q, p.v)], STATES)},
        "many": {"rollout, a step each": time_of_call(roll_once, STATES)},
        "motion": {"rollout": time_of_call(roll, STARTS*STEPS),
                   "mj_step": time_of_call(lambda: [step_often(k) for k in range(STARTS)], STARTS*STEPS)},
        "difference": float(difference), "ends": float(ends)}


# ---------------------------------------------------------------- Drake


def measure_drake(p):
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(URDF))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    states = np.concatenate([p.q, p.v], axis=1)

    def forward(state):
        plant.SetPositionsAndVelocities(context, state)
        return plant.EvalTimeDerivatives(context).CopyToVector()[7:]

    return {"version": version("drake"),
            "one": {"EvalTimeDerivatives": time_of_call(lambda: [forward(state) for state in states], STATES)},
            "difference": off(np.array([forward(state) for state in states]), p.accelerations)}


# ---------------------------------------------------------------- all


def measure(problem):
    found = {}
    for name, one in (("Pfaff", measure_pfaff), ("MuJoCo", measure_mujoco), ("Drake", measure_drake)):
        print(f"bench: Python, arm by {name}", file=sys.stderr)
        try:
            found[name] = one(problem)
        except ImportError as reason:
            print(f"bench: {reason}, going on without", file=sys.stderr)
    return found


def main():
    build = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # where no native code is yet
        found = measure(Problem(build))
    (build/"bench/results/python-arm.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
