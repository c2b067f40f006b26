# SPDX-License-Identifier: Apache-2.0
"""The program as users call it: start, derivation, run with and without a file, threads of the linear algebra.

    commands.py BUILD      writes BUILD/bench/results/commands.json and the model of the arm

Each command is a process; its time of the processor comes from the system, its time by the clock contains the starting
of a process from Python, for which `true` stands beside it. The least of many repetitions.
"""
import json
import os
import subprocess
import sys
import time
from pathlib import Path

REPETITIONS = 40
ARM_STEP, ARM_STEPS = 0.001, 10000
TRIVIAL = "model mass_on_a_rail\ncoord x [m]\nkinetic 0.5 [kg]*x'^2\n"


def measure_once(command, environment):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"bench: {' '.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime, clock


def measure(commands):
    """All commands in turn, so that a busy machine harms all alike."""
    found = {name: [] for name in commands}
    for _ in range(REPETITIONS):
        for name, (command, settings) in commands.items():
            environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
            found[name].append(measure_once(command, {**environment, **settings}))
    return {name: {"processor": min(processor for processor, _ in times), "clock": min(clock for _, clock in times),
                   "threads": max(processor/clock for processor, clock in times)}
            for name, times in found.items()}


def write_arm(program, path):
    """The arm as `pfaff import` writes it, with joint i at 0.3 + 0.1 i; arm_mujoco.c starts alike."""
    text = subprocess.run([program, "import", "examples/robots/arm7.urdf"], check=True, capture_output=True, text=True).stdout
    path.write_text(text + "".join(f"start joint{i} = {0.3 + 0.1*i:.1f}\n" for i in range(1, 8)))


def main():
    build = Path(sys.argv[1])
    program, folder = build/"pfaff", build/"bench/models"
    folder.mkdir(parents=True, exist_ok=True)
    (folder/"trivial.pf").write_text(TRIVIAL)
    write_arm(program, folder/"arm7.pf")
    table = folder/"snakeboard.csv"
    run = [program, "run", "examples/skates/snakeboard.pf"]
    branch = [program, "study", "continue", "n2=8..18", "examples/wheels/carriage_steady.pf"]
    arm = [program, "run", "--by", "rk4", "--step", str(ARM_STEP), "--for", str(ARM_STEP*ARM_STEPS), folder/"arm7.pf"]
    found = measure({
        "true": (["true"], {}),
        "check": ([program, "check", folder/"trivial.pf"], {}),
        "derive": ([program, "derive", "examples/wheels/bicycle.pf"], {}),
        "run": (run, {}),
        "run to csv": ([*run, "--out", table], {}),
        "arm": (arm, {}),
        "lapack": (branch, {}),
        "lapack, one thread": (branch, {"OPENBLAS_NUM_THREADS": "1"}),
    })
    found["arm"]["count"] = ARM_STEPS
    found["run to csv"]["bytes"] = table.stat().st_size
    (build/"bench/results/commands.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
