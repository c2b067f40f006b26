# SPDX-License-Identifier: Apache-2.0
"""Exported C of every example: export_c.py PFAFF SOURCE

Compiled without a warning by gcc, clang and arm-none-eabi-gcc, as far as they are there, with double and float; the self-test
runs, under qemu on an ARM processor too where that is installed. Differences from the program: at most 1e-13 beside the
largest number of a list, with float 1e-5; ill-conditioned models are named with what they reach."""
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from representative import examples

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
WARNINGS = "-std=c99 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -pedantic -Werror".split()
HERE = [name for name in ("gcc", "clang") if shutil.which(name)]
BARE = "arm-none-eabi-gcc" if shutil.which("arm-none-eabi-gcc") else None
LINUX, QEMU = shutil.which("arm-linux-gnueabihf-gcc"), shutil.which("qemu-arm")
CORTEX = {"double": "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard", "float": "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard"}
# 'hand' has massless coordinates and a condition of 1e10: the program's formulations differ by 7e-12 (pfaff compare), and float has
# no digits for it.
ALLOWED = {"double": 1e-13, "float": 1e-5}
EMULATED = ("snakeboard", "incline_friction", "bicycle", "rolling_ball", "cart_pendulum")  # qemu takes its time
WORSE = {("hand", "double"): 2e-11, ("hand", "float"): 2e-2, ("spacecraft", "float"): 5e-5}


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def compile_all(folder, name, real):
    """gcc compiles and links, the others look: clang at the text, gcc for ARM at the code of what is not large."""
    small = (pathlib.Path(folder)/f"{name}.c").stat().st_size < 100000
    for compiler in HERE:
        look = compiler != HERE[0]
        done = run(compiler, *WARNINGS, *(["-fsyntax-only"] if look else ["-O1" if real == "double" else "-O0"]), f"{name}.c", f"{name}_test.c",
                   *([] if look else ["-lm", "-o", "test"]), cwd=folder)
        if done.returncode: return f"{compiler}: {done.stderr[:800]}"
        tiny = (pathlib.Path(folder)/f"{name}.c").stat().st_size < 30000
        for level in ("-Os", "-O2", "-O3") if tiny and real == "double" and not look else ():  # they see other things
            done = run(compiler, *WARNINGS, level, "-c", f"{name}.c", cwd=folder)
            if done.returncode: return f"{compiler} {level}: {done.stderr[:800]}"
    if BARE:
        done = run(BARE, *WARNINGS, *CORTEX[real].split(), *(["-Os"] if small else ["-fsyntax-only"]), "-c", f"{name}.c", cwd=folder)
        if done.returncode: return f"{BARE}: {done.stderr[:800]}"
    return None


def difference(words):
    found = re.search(r"agree with pfaff to (\S+)", words)
    return float(found[1]) if found else float("inf")


def self_test(folder, name, real):
    programs = [["./test"]]
    if LINUX and QEMU and name in EMULATED and run(LINUX, *WARNINGS, "-O1", "-static", f"{name}.c", f"{name}_test.c", "-lm", "-o", "arm", cwd=folder).returncode == 0:
        programs.append([QEMU, "./arm"])
    worst = 0
    for words in programs:
        done = run(*words, cwd=folder)
        worst = max(worst, difference(done.stdout))
        if worst > WORSE.get((name, real), ALLOWED[real]): return f"{real}, {words[-1]}: {done.stdout[-400:]}", worst
    return None, worst


def one(job):
    path, real = job
    with tempfile.TemporaryDirectory() as folder:
        done = run(program, "export", "--to", "c", *(["--float"] if real == "float" else []), "-o", folder, path, cwd=folder)
        if done.returncode: return path.stem, done.stderr, 0
        name = next(file.stem for file in pathlib.Path(folder).glob("*_test.c")).removesuffix("_test")
        words = compile_all(folder, name, real)
        if words: return path.stem, f"{real}, {words}", 0
        return (path.stem, *self_test(folder, name, real))


def main():
    if not HERE:
        print("no C compiler: left out")
        return 0
    jobs = [(path, real) for real in ("double", "float") for path in examples(source)]
    with multiprocessing.Pool(min(2, os.cpu_count() or 1)) as pool:
        results = pool.map(one, jobs, chunksize=1)
    failures = [f"FAILED: {name}: {words}" for name, words, _ in results if words]
    print("\n".join(failures))
    for what, there in (("arm-none-eabi-gcc", BARE), ("qemu-arm with arm-linux-gnueabihf-gcc", LINUX and QEMU), ("clang", "clang" in HERE)):
        if not there: print(f"{what} is not installed: left out")
    for real in ("double", "float"):
        found = sorted((worst, name) for (name, _, worst), (_, own) in zip(results, jobs) if own == real)
        print(f"{real}: largest differences " + ", ".join(f"{name} {worst:.1e}" for worst, name in found[-3:]))
    print(f"{len(jobs) - len(failures)} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__": sys.exit(main())
