#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with hostile names, exported to everything: reserved words of C, Python and MATLAB, names of their libraries and of
the exported code itself, two names that become one, titles full of what ends a comment, a string or an attribute.
What is made must compile without a warning, be read by its language, and be well-formed XML.

export_names.py PFAFF [--count 20] [--seconds 0] [--seed 1]     models seed, seed + 1, …; with seconds until they are over"""
import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
import zipfile

WARNINGS = "-std=c99 -Wall -Wextra -Wconversion -Wshadow -pedantic -Werror -fsyntax-only".split()

C = """auto break case char const continue default do double else enum extern float for goto int long register return short signed
    sizeof static struct switch typedef union unsigned void volatile while inline restrict _Bool _Complex class namespace
    template new delete this NULL NAN INFINITY EOF I M_PI HUGE_VAL errno assert offsetof size_t bool true false complex
    sin cos tan exp log pow sqrt fabs floor y0 y1 yn j0 j1 jn gamma signbit isnan isfinite fmin fmax hypot erf main abs
    malloc free printf memcpy linux unix near far""".split()
PYTHON = """False None True and as assert async await def del elif except finally from global import in is lambda nonlocal not or
    pass raise try with yield print len range list dict type self np ca numpy casadi math sys os abs sum any int float object
    Params Input START_Q START_V __init__ __name__ match case""".split()
MATLAB = """end endfunction function elseif otherwise parfor persistent spmd global pi eps Inf NaN i j ans nargin nargout varargin
    disp zeros ones eye norm inv""".split()
OWN = """p x u a lambda lambda_ out q v M F b A C D R J seed kept start time params state input output status pivot factors
    v1 v2 v12 k1 w_1 w_1_2 w_2 x_dot x_ddot energies e y g model fmu fmu_core fmu_model fmi2 fmi3 model_fmu MODEL_N N OK
    accelerate step project linear contacts violations truth instance held active""".split()
HOSTILE = ["*/", "/*", "//", "\\\\", "\\\"", "'''", "%}", "%{", "]]>", "<script>", "&amp;", "&#0;", "-->", "<!--", "%s%n", "${x}",
           "$(x)", "`x`", "\\\\n", "\\\\u0041", "??/", "#if 0", "é", "θ", "\\\\\\\"", "../..", "<![CDATA[", "\"\"\"".replace('"', '\\"')]


class Names:
    def __init__(self, rng):
        self.rng, self.taken = rng, set()

    def draw(self):
        while True:
            name = self.rng.choice(self.rng.choice((C, PYTHON, MATLAB, OWN)))
            name += self.rng.choice(("", "", "", "_", "1"))
            if name not in self.taken:
                self.taken.add(name)
                return name


def text_of(rng):
    return "".join(rng.choice(HOSTILE) + rng.choice(("", " ", "a")) for _ in range(rng.randint(1, 6)))


def make(seed):
    """A model: coordinates of any name on springs, some of them indexed, with parameters, inputs, a constraint, an event."""
    rng = random.Random(seed)
    names = Names(rng)
    model = rng.choice(rng.choice((C, PYTHON, MATLAB, OWN)))
    coords = [names.draw() for _ in range(rng.randint(2, 4))]
    params = [names.draw() for _ in range(rng.randint(1, 4))]
    inputs = [names.draw() for _ in range(rng.randint(0, 2))]
    lines = [f'model {model} "{text_of(rng)}"', *(f"param {p} = {rng.randint(1, 5)}" for p in params)]
    lines += [f"input {name}" for name in inputs]
    lines.append("coord " + ", ".join(coords))
    if rng.random() < 0.4 and "w" not in names.taken:
        lines.append("coord w[2]")
        coords += ["w[1]", "w[2]"]
    lines.append("kinetic " + " + ".join(f"{rng.choice(params)}/2*{c}'^2" for c in coords))
    lines.append("potential " + " + ".join(f"{rng.choice(params)}*({c} - {i})^2" for i, c in enumerate(coords)))
    for name in inputs:
        lines.append(f"force {coords[0]} = {name}*{coords[1]}")
    if rng.random() < 0.5:
        lines.append(f"constraint {names.draw()}: {coords[0]}' = {coords[1]}*{coords[1]}'")
    lines.append(f"start {coords[1]} = 1")
    if rng.random() < 0.3:
        lines.append(f"when {coords[-1]} > 3 {{ lock {coords[0]} }}")
    if rng.random() < 0.4:
        lines.append(f"force {coords[-1]} = -sign({coords[-1]}')")
    if rng.random() < 0.4:
        lines.append(f"body {names.draw()} in ground at ({coords[0]}, {coords[1]}, 0) {{ mass 1 }}")
    lines.append("run 1")
    lines.append(f"plot {coords[0]} + {coords[1]}, {coords[0]} - {coords[-1]}, {coords[0]}''")
    return "\n".join(lines) + "\n"


def call(*command, cwd=None, env=None):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120, cwd=cwd,
                          env={**os.environ, **(env or {})})


def compile_c(folder):
    files = [f for f in sorted(os.listdir(folder)) if f.endswith(".c")]
    for compiler in "gcc", "clang", "g++":
        if not shutil.which(compiler): continue
        strict = WARNINGS if compiler != "g++" else ["-x", "c++", "-fsyntax-only", "-Werror"]
        those = files if compiler != "g++" else [f for f in os.listdir(folder) if f.endswith(".h")][:1]
        made = call(compiler, *strict, *those, cwd=folder)
        if made.returncode: return f"{compiler}: {made.stderr[:1500]}"
    return None


def look_at_c(folder):
    return compile_c(folder)


def look_at_fmu(folder):
    [name] = os.listdir(folder)
    with zipfile.ZipFile(os.path.join(folder, name)) as archive:
        if archive.testzip() or any(".." in n or n.startswith("/") or not n.isascii() for n in archive.namelist()):
            return f"archive: {archive.namelist()}"
        for entry in archive.namelist():
            if entry.endswith(".xml"): xml.fromstring(archive.read(entry))
        variables = [v.get("name") for v in xml.fromstring(archive.read("modelDescription.xml")).find("ModelVariables")]
        if len(set(variables)) != len(variables): return f"two variables of one name: {variables}"
        archive.extractall(os.path.join(folder, "x"))
    return compile_c(os.path.join(folder, "x", "sources"))


def look_at_python(folder):
    [name] = os.listdir(folder)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        ast.parse(file.read())
    try:
        import numpy  # noqa: F401
    except ImportError:
        return None
    done = call(sys.executable, name, cwd=folder)
    return None if "agree with pfaff" in done.stdout else (done.stdout + done.stderr)[-1500:]


def look_at_casadi(folder):
    [name] = os.listdir(folder)
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        ast.parse(file.read())
    return None


def look_at_matlab(folder):
    [name] = os.listdir(folder)
    if not shutil.which("octave"): return None
    done = call("octave", "--no-gui", "--norc", "--eval", f"m = {name[:-2]}(); m.self_test();", cwd=folder)
    return None if done.returncode == 0 else done.stderr[-1500:]


TARGETS = {"c": look_at_c, "fmu": look_at_fmu, "python": look_at_python, "casadi": look_at_casadi, "matlab": look_at_matlab}


def try_model(program, seed):
    """Words of a failure, None; or False when the text is no model."""
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "m.pf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(make(seed))
        if call(program, "check", path).returncode: return False
        for target, look in TARGETS.items():
            if target == "matlab" and seed%8: continue  # Octave is slow
            folder = os.path.join(place, target)
            done = call(program, "export", "--to", target, *(["--fmi", 2 + seed%2] if target == "fmu" else []), "-o", folder,
                        path, env={"PFAFF_CC": "/nowhere/cc"})
            if done.returncode: return f"{target}: {done.stderr}"
            try:
                words = look(folder)
            except (SyntaxError, ValueError, xml.ParseError) as error:
                words = repr(error)
            if words: return f"{target}: {words}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    passed = failed = no_model = 0
    end, seed = time.monotonic() + options.seconds, options.seed
    while time.monotonic() < end if options.seconds else seed < options.seed + options.count:
        words = try_model(os.path.abspath(options.program), seed)
        no_model += words is False
        passed += words is None
        failed += bool(words)
        if words: print(f"FAILED: seed {seed}\n{make(seed)}{words}", flush=True)
        seed += 1
    print(f"{no_model} texts were no models")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or not passed


sys.exit(main())
