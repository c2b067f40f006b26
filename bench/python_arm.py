# SPDX-License-Identifier: Apache-2.0
"""The arm of seven joints from Python: accelerations at one state and at many, motions from many starts; Pfaff, MuJoCo, Drake.

    python_arm.py BUILD      writes BUILD/bench/results/python-arm.json

All read examples/robots/arm7.urdf, ours by `pfaff import`; contacts and limits of joints are off, as in arm_mujoco.c. First the
accelerations are compared, and the ends of the motions. States one by one are a loop in Python over all of them. One
thread each, seconds of the processor, the least of several. MuJoCo's rollout over many states takes one step by Euler of one second without implicit damping: the change of
the velocity is the acceleration.
"""
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

import pfaff
from commands import write_arm
from tape_peers import time_of_call

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
        self.model = pfaff.load(path)
        random = np.random.default_rng(1)
        self.q, self.v = random.uniform(-1, 1, (STATES, 7)), random.uniform(-1, 1, (STATES, 7))
        self.accelerations = self.model.accelerations(self.q, self.v)
        self.ends = None


# ---------------------------------------------------------------- Pfaff


def measure_pfaff(p):
    model, sim = p.model, p.model.simulate(by="rk4", step=STEP)
    states = np.concatenate([p.q, p.v], axis=1)
    names = list(model.coordinates)
    wanted = names + [f"{name}'" for name in names]

    def move(k):
        for name, number in zip(wanted, (*p.q[k], *p.v[k])):
            sim.set(name, number)
        return sim.start().record(STEPS*STEP, STEP, wanted)

    p.ends = np.array([move(k)[-1, 1:] for k in range(STARTS)])
    one = np.array([model.rhs(0.0, y)[7:] for y in states])
    return {
        "one": {"m.rhs": time_of_call(lambda: [model.rhs(0.0, y) for y in states], STATES),
                "m.accelerations": time_of_call(lambda: [model.accelerations(q, v) for q, v in zip(p.q, p.v)], STATES)},
        "many": {"m.accelerations": time_of_call(lambda: model.accelerations(p.q, p.v), STATES)},
        "motion": {"sim.record": time_of_call(lambda: [move(k) for k in range(STARTS)], STARTS*STEPS)},
        "difference": off(one, p.accelerations)}


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
    euler, euler_data = load_mujoco(mujoco, mujoco.mjtIntegrator.mjINT_EULER, 1.0, mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
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


def main():
    build = Path(sys.argv[1])
    problem, found = Problem(build), {}
    for name, measure in (("Pfaff", measure_pfaff), ("MuJoCo", measure_mujoco), ("Drake", measure_drake)):
        print(f"bench: Python, arm by {name}", file=sys.stderr)
        try:
            found[name] = measure(problem)
        except ImportError as reason:
            print(f"bench: {reason}, going on without", file=sys.stderr)
    (build/"bench/results/python-arm.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
