# SPDX-License-Identifier: Apache-2.0
"""pfaff export: export.py PFAFF SOURCE

Places, options and errors; names and texts that mean something in the other language; Python, CasADi and MATLAB as far as they
are installed; motions and linear models against the program. Exported C itself is the subject of export_c.py."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
failures, commands = [], 0
WARNINGS = "-std=c99 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -pedantic -Werror".split()
compiler = shutil.which("cc")
numpy = importlib.util.find_spec("numpy")
if numpy: import numpy as np


def expect(what, holds, found=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what} {found}")


def call(*words, cwd=None, text=None):
    global commands
    commands += 1
    done = subprocess.run([program, *map(str, words)], capture_output=True, cwd=cwd, input=text, text=True, timeout=120)
    return done


def outside(*words, cwd):
    return subprocess.run(words, capture_output=True, cwd=cwd, text=True, timeout=300)


def example(name): return next(source.glob(f"examples/*/{name}.pf"))


# ---------------------------------------------------------------- places

def refused(what, code, words, *arguments, **more):
    done = call("export", *arguments, **more)
    expect(what, done.returncode == code and words in done.stderr, f"{done.returncode} {done.stderr}")


def places(place):
    board = example("snakeboard")
    refused("a target is asked for", 2, "--to is missing", "-o", place/"a", board)
    refused("unknown targets are named with the nearest", 2, "did you mean 'python'?", "--to", "pyhton", "-o", place/"a", board)
    refused("a place is asked for", 2, "--out is missing", "--to", "c", board)
    refused("several files need a folder", 2, "several files", "--to", "c", "-o", "-", board)
    refused("a file is no folder", 1, "Not a directory", "--to", "c", "-o", example("cart"), board)
    refused("the folder above must be there", 1, "No such file", "--to", "c", "-o", place/"none"/"there", board)
    refused("--json and standard output exclude each other", 2, "takes one of them", "--to", "python", "--json", "-o", "-", board)
    refused("forms that are not offered", 2, "'rosenberg' is not offered for export", "--to", "c", "--form", "rosenberg", "-o", place/"a", board)
    refused("forms that are none", 2, "no formulation 'nothing'", "--to", "c", "--form", "nothing", "-o", place/"a", board)
    refused("elimination that does not apply", 1, "at most 16 coordinates", "--to", "c", "--form", "elimination", "-o", place/"a", example("hand"))
    refused("too large a model", 1, "too large to be written out", "--to", "c", "--most", "100", "-o", place/"a", board)
    refused("float is for C", 2, "--float has no effect", "--to", "python", "--float", "-o", place/"a", board)
    refused("inputs that are none", 2, "has no input 'drve'", "--to", "c", "--inputs", "drve", "-o", place/"a", example("unicycle"))
    refused("a parameter without a value", 1, "has no value", "--to", "c", "-o", place/"a", "-", text="param m\ncoord x\nkinetic m/2*x'^2\n")
    refused("nothing that moves", 1, "no coordinates", "--to", "c", "-o", place/"a", "-", text="param m = 1\n")
    expect("nothing was written by what failed", not (place/"a").exists())
    if os.getuid() != 0:
        (place/"locked").mkdir(mode=0o500)
        refused("a folder that may not be written", 1, "Permission denied", "--to", "c", "-o", place/"locked", board)
    if pathlib.Path("/dev/full").exists():
        (place/"full.py").symlink_to("/dev/full")
        refused("a full disk", 1, "No space left", "--to", "python", "-o", place/"full.py", board)


def folders(place):
    folder = place/"kept"
    folder.mkdir()
    (folder/"mine.txt").write_text("mine")
    (folder/"Makefile").write_text("mine")
    refused("a Makefile of somebody else's", 1, "pfaff has not made it", "--to", "c", "-o", folder, example("snakeboard"))
    expect("it stays", sorted(f.name for f in folder.iterdir()) == ["Makefile", "mine.txt"])
    (folder/"Makefile").write_text("# Made by pfaff, some time ago")
    refused("a folder called as a file", 2, "does not write", "--to", "c", "-o", place/"robot.zip", example("snakeboard"))
    refused("a file of another kind", 2, "ends in .py", "--to", "python", "-o", place/"robot.m", example("snakeboard"))
    done = call("export", "--to", "matlab", "-o", place/"other.m", example("snakeboard"))
    expect("a function is called as its file", "function m = other()" in (place/"other.m").read_text(), done.stderr)
    done = call("export", "--to", "c", "--json", "-o", folder, example("snakeboard"))
    answer = json.loads(done.stdout)
    expect("the files are told", sorted(pathlib.Path(f).name for f in answer["files"] if not pathlib.Path(f).name.startswith("pf_")) ==
           ["Makefile", "README.md", "snakeboard.c", "snakeboard.h", "snakeboard_fast.c", "snakeboard_fast.h", "snakeboard_test.c"], answer)
    shipped = [file for file in (folder/name for name in os.listdir(folder)) if file.name.startswith("pf_")]
    expect("the runtime is shipped as it is", len(shipped) > 10 and
           all(file.read_bytes() == (source/"src/runtime"/file.name).read_bytes() for file in shipped), shipped)
    expect("others stay, ours are replaced", (folder/"mine.txt").read_text() == "mine" and "snakeboard" in (folder/"Makefile").read_text())
    done = call("export", "--to", "c", "-o", folder, example("snakeboard"))
    expect("the same again", done.returncode == 0 and (folder/"snakeboard_fast.h").exists(), done.stderr)
    before = {f.name: f.read_bytes() for f in folder.iterdir()}
    call("export", "--to", "c", "-o", folder, example("snakeboard"))
    expect("equal models, equal bytes", before == {f.name: f.read_bytes() for f in folder.iterdir()})
    done = call("export", "--to", "python", "-o", "-", example("snakeboard"))
    expect("one file goes to standard output", "import numpy" in done.stdout and done.returncode == 0, done.stderr)
    (place/"README.md").write_text("coord x\nkinetic x'^2\nmodel readme\n")
    refused("the model is spared", 2, "would overwrite what is read", "--to", "c", "-o", place, place/"README.md")
    done = call("export", "--to", "latex", "--form", "maggi", "-o", place/"board.tex", example("snakeboard"))
    expect("LaTeX is a document", "\\begin{document}" in (place/"board.tex").read_text(), done.stderr)
    done = call("export", "--to", "c", "-o", place/"events", example("capture"))
    expect("events are told", "events are left out" in done.stderr and "## Events" in (place/"events"/"README.md").read_text(), done.stderr)


# ---------------------------------------------------------------- names and texts

HOSTILE = r'''model int "*/ system(\"true\"); /* ??/ \\ // %{ #{ end"
param class = 2 [kg], is = 3 [N/m], NAN = 1 [m], end = 0.5 [kg], w[2] = 1 [kg], w_2 = 7 [kg], I = 2, None = 1
param def = 1, linux = 2, errno = 3, f_sin = 2, v1 = 3, p = 1, kept = 2, M = 3, a_very_long_name_that_goes_on_and_on_and_on_until_somebody_stops_it = 1
coord x [m], if_ [m], while_1 [m], q, v, u, x_dot, True
input for_1 [N], double
kinetic class/2*x'^2 + end/2*if_'^2 + w[1]/2*while_1'^2 + w[2]*q'^2 + w_2*(v'^2 + u'^2) + x_dot'^2 + True'^2
potential is/2*(x - NAN)^2
force if_ = for_1, while_1 = double*p*M*f_sin*v1*kept*linux*errno*def
constraint union: v' - u' = 0
plot x, x', x_dot, x/NAN + 1
start x = 0.3
'''


def names(place):
    (place/"hostile.pf").write_text(HOSTILE)
    for name in ("int", "math", "numpy", "con", "step", "random"):
        (place/"hostile.pf").write_text(HOSTILE.replace("model int", f"model {name}"))
        folder = place/f"hostile_{name}"
        done = call("export", "--to", "c", "--json", "-o", folder, place/"hostile.pf")
        expect(f"a model called {name} becomes C", done.returncode == 0, done.stderr)
        answer = json.loads(done.stdout)
        ids = list(answer["parameters"].values())
        expect("no two names become one", len(ids) == len(set(ids)) and {"class_", "NAN_", "w_2", "w_2_2"} <= set(ids), ids)
        compile_and_test(folder, answer["prefix"])
        run_others(place/"hostile.pf", folder, name)


TINY = "model tiny\ncoord x\nkinetic (1 + x^2)*x'^2\n"


def tiny(place):
    """One coordinate, one constraint, one input: loops that are entered once or never, which compilers look through."""
    for k, more in enumerate(("", "input u\nforce x = u*cos(x)\n", "constraint c: x' = 0\n", "input u\nforce x = u\nconstraint c: x' = 0\n")):
        folder = place/f"tiny_{k}"
        done = call("export", "--to", "c", "--form", "multipliers", "-o", folder, "-", text=TINY + more)
        expect(f"a tiny model, {k}", done.returncode == 0, done.stderr)
        for level in ("-O1", "-O2", "-Os") if compiler else ():
            done = outside(compiler, *WARNINGS, level, "-c", "tiny.c", cwd=folder)
            expect(f"a tiny model compiles with {level}, {k}", done.returncode == 0, done.stderr[:600])
        compile_and_test(folder, "tiny")


def compile_and_test(folder, name):
    if not compiler: return
    done = outside(compiler, *WARNINGS, f"{name}.c", f"{name}_test.c", "-lm", "-o", "test", cwd=folder)
    expect(f"{folder.name}: compiles", done.returncode == 0, done.stderr[:600])
    if done.returncode == 0:
        done = outside("./test", cwd=folder)
        expect(f"{folder.name}: self-test", done.returncode == 0, done.stdout)


def run_others(path, folder, what):
    for target, module in (("python", "numpy"), ("casadi", "casadi")):
        done = call("export", "--to", target, "-o", folder/target, path)
        expect(f"{what} becomes {target}", done.returncode == 0, done.stderr)
        if not importlib.util.find_spec(module): continue
        done = outside(sys.executable, next((folder/target).glob("*.py")).name, cwd=folder/target)
        expect(f"{what}: self-test of {target}", done.returncode == 0, (done.stdout + done.stderr)[-600:])
    done = call("export", "--to", "matlab", "-o", folder/"matlab", path)
    expect(f"{what} becomes MATLAB", done.returncode == 0, done.stderr)
    if shutil.which("octave-cli"):
        name = next((folder/"matlab").glob("*.m")).stem
        done = outside("octave-cli", "--quiet", "--eval", f"m = {name}(); printf('%.1e\\n', m.self_test())", cwd=folder/"matlab")
        expect(f"{what}: self-test of MATLAB", done.stdout.strip() and float(done.stdout) < 1e-9, done.stdout + done.stderr)


# ---------------------------------------------------------------- other languages

def languages(place):
    for name in ("snakeboard", "incline_friction", "rover_arm", "cart_pendulum", "bicycle", "unicycle"):
        (place/name).mkdir()
        run_others(example(name), place/name, name)


def load(place, name, *options):
    folder = place/f"module_{name}"
    done = call("export", "--to", "python", *options, "-o", folder, example(name))
    expect(f"{name} becomes a module", done.returncode == 0, done.stderr)
    spec = importlib.util.spec_from_file_location(name, folder/f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def moves(place):
    """The same steps as 'run --by rk4' makes, and the accelerations, energies and forces of 'eval'."""
    for name, horizon in (("snakeboard", 0.5), ("wheel_in_shell", 0.2), ("car_trailer", 0.5), ("sleigh_variable_mass", 0.3), ("rover_arm", 0.1)):
        m = load(place, name)
        answer = json.loads(call("eval", "--json", example(name)).stdout)
        p, u = m.Params(), m.Input()
        a, lam = m.accelerate(p, m.START_TIME, m.START_Q, m.START_V, u)
        size = max(1, np.abs(a).max())
        units = np.array([1.0 if unit in ("", "m", "rad") else np.nan for unit in answer["units"]])
        known = ~np.isnan(units)
        expect(f"{name}: accelerations of eval", np.abs(a - answer["acceleration"])[known].max() < 1e-12*size, a)
        force = list(answer["multipliers"].values())
        expect(f"{name}: multipliers of eval", np.abs(lam - force).max() < 1e-11*max(1, np.abs(force).max()), lam)
        expect(f"{name}: energies of eval", np.allclose(m.energies(p, 0.0, m.START_Q, m.START_V, u)[0], list(answer["energy"].values()), rtol=1e-13))
        done = call("run", "--by", "rk4", "--step", "1e-3", "--for", horizon, "--json", "--at", horizon, example(name))
        table = json.loads(done.stdout)
        state = m.START_TIME, m.START_Q, m.START_V
        for _ in range(round(horizon/1e-3)): state = m.step(p, *state, u, 1e-3)
        last = dict(zip(table["columns"], table["rows"][-1]))
        for i, coordinate in enumerate(m.COORDINATES):
            if known[i] and coordinate in last:
                expect(f"{name}: {coordinate} after {horizon} s as by 'run'", abs(state[1][i] - last[coordinate]) < 1e-9*max(1, abs(last[coordinate])),
                       f"{state[1][i]!r} {last[coordinate]!r}")


def linear_models(place):
    """Without constraints the full state is the least one: A and B are those of 'study linearize'."""
    m = load(place, "cart_pendulum")
    answer = json.loads(call("study", "linearize", "--json", example("cart_pendulum")).stdout)
    A, _, C, _ = m.linear(m.Params(), 0.0, m.START_Q, m.START_V, m.Input())
    wanted = answer["points"][0]
    for what, found in (("A", A), ("C", C)):
        expect(f"{what} as by 'study linearize'", np.abs(found - np.array(wanted[what])).max() < 1e-10*max(1, np.abs(found).max()))
    m = load(place, "bicycle")
    p, u = m.Params(), m.Input()
    a, lam = m.accelerate(p, 0.0, m.START_Q, m.START_V, u)
    found, missed = m.actuate(p, 0.0, m.START_Q, m.START_V, u, a)
    expect("the accelerations that there are need no inputs", np.abs(found).max() < 1e-9 and missed < 1e-9, f"{found} {missed}")
    m = load(place, "unicycle", "--inputs", "drive")
    expect("an input that is freed", m.INPUTS == ["drive"], m.INPUTS)


def jacobians(place):
    """Velocities by Jacobians against differences of poses."""
    m = load(place, "double_pendulum_bodies")
    p, u, h = m.Params(), m.Input(), 1e-6
    q, v = m.START_Q + 0.3, m.START_V + 0.7
    for frame, name in enumerate(m.FRAMES):
        def at(x):
            position, rotation = m.poses(p, 0.0, x, v, u)
            return position[frame] + rotation[frame].reshape(3, 3)@np.array((0.1, 0.2, 0.3))
        velocity = (at(q + h*v) - at(q - h*v))/(2*h)
        J = m.jacobian(p, 0.0, q, v, u, name, (0.1, 0.2, 0.3))
        expect(f"velocity of a point of {name}", np.abs(J[:3]@v - velocity).max() < 1e-8, f"{J[:3]@v} {velocity}")


def contact_forces(place):
    """Rolling and side force are along two directions that are perpendicular: the force is as large as both together."""
    m = load(place, "unicycle")
    p, u = m.Params(), m.Input()
    a, lam = m.accelerate(p, 0.3, m.START_Q, m.START_V, u)
    point, force = m.contacts(p, 0.3, m.START_Q, m.START_V, u, lam)
    expect("the contact is on the plane", abs(point[0][2]) < 1e-15, point)
    expect("the force of the contact", abs(np.linalg.norm(force[0]) - np.linalg.norm(lam)) < 1e-14, f"{force} {lam}")


ACTUATED = {  # friction by constraint forces, an input in a constraint, a force that is not linear in it: u = 4 makes these accelerations
    "slide": ("param m = 2, mu = 0.3, g = 9.81; coord s, z; input u; kinetic m/2*(s'^2 + z'^2); potential m*g*z; force s = u; "
              "constraint floor: z = 0; nonideal s = -mu*lambda[floor]*sign(s'); start s' = 1", (4/2 - 0.3*9.81, 0)),
    "servo": ("coord x, y; input u; kinetic x'^2 + y'^2; potential 3/2*(x - y)^2; constraint servo: x'' + 2*x' + x = u; "
              "start x = 0.3, y = 0.1", (3.7, 0.3)),
    "square": ("coord x; input u; kinetic x'^2; force x = u^2", (8,)),
}


def actuated(place):
    """The inputs for accelerations in closed form, in Python and C."""
    for name, (text, a) in ACTUATED.items():
        (place/f"{name}.pf").write_text(f"model {name}\n{text}\n")
        call("export", "--to", "python", "-o", place/f"{name}.py", place/f"{name}.pf")
        spec = importlib.util.spec_from_file_location(name, place/f"{name}.py")
        m = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(m)
        found, missed = m.actuate(m.Params(), 0.0, m.START_Q, m.START_V, m.Input.of([1]), a)
        expect(f"{name}: the input in Python", abs(found[0] - 4) < 1e-10 and missed < 1e-10, f"{found} {missed}")
        both = m.derivatives(m.Params(), 0.0, np.stack([m.START_Q]*2, 1), np.stack([m.START_V]*2, 1), m.Input())
        expect(f"{name}: further axes go along", both.shape == (m.N + m.M_COUNT, m.COLUMNS, 2), both.shape)
        if not compiler: continue
        call("export", "--to", "c", "-o", place/name, place/f"{name}.pf")
        (place/name/"main.c").write_text(f"""#include "{name}.h"
#include <stdio.h>
int main(void)
{{
  const double a[] = {{{", ".join(map(repr, map(float, a)))}}};
  double missed;
  {name}_params p; {name}_state x; {name}_input u;
  {name}_init(&p, &x, &u);
  u.u = 1;
  if ({name}_actuate(&p, &x, a, &u, &missed)) return 1;
  printf("%.12g %.1e\\n", u.u, missed);
  return 0;
}}
""")
        done = outside("sh", "-c", f"{compiler} main.c {name}.c -lm -o main && ./main", cwd=place/name)
        said = done.stdout.split()
        expect(f"{name}: the input in C", len(said) == 2 and abs(float(said[0]) - 4) < 1e-10 and float(said[1]) < 1e-10, done.stdout + done.stderr)


def projections(place):
    """Newton's method goes on after a step too far, and what has no solution is told."""
    (place/"rod.pf").write_text("model rod\ncoord x, y; kinetic (x'^2 + y'^2)/2; constraint x^2 + y^2 = 1; start x = 1\n")
    call("export", "--to", "python", "-o", place/"rod.py", place/"rod.pf")
    spec = importlib.util.spec_from_file_location("rod", place/"rod.py")
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    q, _ = m.project(m.Params(), 0.0, [0.2, 0.0], [0.0, 0.0], m.Input())
    expect("a projection from afar", abs(q[0] - 1) < 1e-14 and q[1] == 0, q)
    try: expect("a projection from the centre is refused", not m.project(m.Params(), 0.0, [0.0, 0.0], [0.0, 0.0], m.Input()))
    except m.Singular: pass


with tempfile.TemporaryDirectory() as folder:
    place = pathlib.Path(folder)
    places(place)
    folders(place)
    names(place)
    tiny(place)
    languages(place)
    if numpy:
        moves(place)
        linear_models(place)
        jacobians(place)
        contact_forces(place)
        actuated(place)
        projections(place)
    else: print("NumPy is not installed: its modules are not run")
for what, there in (("casadi", importlib.util.find_spec("casadi")), ("octave-cli", shutil.which("octave-cli")), ("a C compiler", compiler)):
    if not there: print(f"{what} is not installed: left out")
print(f"{commands} commands, {len(failures)} failures")
sys.exit(bool(failures))
