# SPDX-License-Identifier: Apache-2.0
"""Options of all commands: options.py PFAFF SOURCE

Help, the table of docs/commands.md and what the program takes must agree; the examples of the help must work; and with --json
every failure is one JSON object with diagnostics, with the exit code and the words for people as without.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
os.environ["PFAFF_SHARE"] = str(source/"tests"/"page")  # an empty page, which a build without npm lacks
failures = []
WIDEST = 100


def expect(what, holds, found=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what} {found}")


def call(*words, cwd=None):
    result = subprocess.run([program, *words], capture_output=True, cwd=cwd, check=False, stdin=subprocess.DEVNULL)
    return result.returncode, result.stdout.decode("utf-8"), result.stderr.decode("utf-8", "replace")


def commands():
    """The words of every command and every study, as the help lists them."""
    listed = re.findall(r"^  (\w+) ", call("--help")[1].split("Commands:")[1], re.M)
    kinds = re.findall(r"^  (\w+) ", call("study", "--help")[1].split("Kinds:")[1], re.M)
    return [[name] for name in listed if name != "study"] + [["study", kind] for kind in kinds]


def rows(text):
    """option -> (letter, argument, meaning, [commands]) of a table in Markdown"""
    found = {}
    for option, meaning, takers in re.findall(r"^\| `(-[^`]*)` \| (.*) \| (.*) \|$", text, re.M):
        name = re.search(r"--([\w-]+)", option)[1]
        expect(f"--{name} stands once in the table", name not in found)
        found[name] = (option, meaning, [t.strip().replace("study ", "") for t in takers.split(",")])
    return found


def options_in(help_text):
    return set(re.findall(r"^  (?:-\w, |    )--([\w-]+)", help_text, re.M))


def help_says_what_is_taken():
    table = rows(call("--options")[1])
    letters = [option[1] for option, _, _ in table.values() if option[1] != "-"]
    expect("no letter stands for two options", len(letters) == len(set(letters)), letters)
    for words in commands():
        name = " ".join(words)
        code, text, said = call(*words, "--help")
        expect(f"{name} --help works", code == 0 and not said)
        expect(f"help {name} says the same", call("help", *words)[1] == text)
        expect(f"{name} --help begins with the usage", text.startswith(f"usage: pfaff {name} [options] "))
        for line in text.splitlines():
            expect(f"{name} --help fits", len(line) <= WIDEST, line)
        wanted = {option for option, row in table.items()
                  if words[-1] in row[2] or (words[0] == "study" and "all studies" in row[2])}
        expect(f"{name} --help has what it takes", options_in(text) == wanted | {"help"}, options_in(text) ^ wanted)
        for option, row in table.items():
            valued = " " in row[0].split("--")[1]
            _, _, said = call(*words, f"--{option}", *(["1"] if valued else []))
            refused = f"'{name}' does not take --{option}" in said
            expect(f"{name} takes --{option} as the table says", refused != (option in wanted), said)


def documentation_has_the_table():
    text = (source/"docs"/"commands.md").read_text(encoding="utf-8")
    part = text.split("## Options\n")[1].split("\n## ")[0]
    wanted, found = call("--options")[1].strip(), part[part.index("| option"):].strip().split("\n\n")[0]
    expect("docs/commands.md has the table of 'pfaff --options'", wanted == found)


def documentation_has_the_endings():
    text = (source/"docs"/"commands.md").read_text(encoding="utf-8")
    part = text.split("## Files that are written\n")[1].split("\n## ")[0]
    wanted, found = call("--outputs")[1].strip(), part[part.index("| command"):].strip().split("\n\n")[0]
    expect("docs/commands.md has the table of 'pfaff --outputs'", wanted == found)
    for name, endings in re.findall(r"^\| `(.*)` \| (.*) \|$", wanted, re.M):
        said = " ".join(call(*name.split(), "--help")[1].split())
        expect(f"{name} --help names what is written", re.sub("(.*), ", r"\1 or ", endings) in said, said)


def examples_work():
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(source/"examples", pathlib.Path(place, "examples"))
        shutil.copy(source/"tests"/"models"/"arm.urdf", place)
        shutil.copy(source/"tests"/"models"/"rover.urdf", place)
        for words in commands():
            text = call(*words, "--help")[1]
            lines = re.findall(r"^  (pfaff .*)$", text.split("Examples:")[1], re.M)
            expect(f"{' '.join(words)} --help has an example", lines)
            for line in lines:
                code, out, said = call(*shlex.split(line)[1:], cwd=place)
                needs = "was built without" in said or "this build cannot" in said
                expect(line, needs or (code == 0 and "error" not in said), said)
                for path in re.findall(r"--out (\S+)", line):
                    expect(f"{line} writes {path}", needs or pathlib.Path(place, path).exists())


def words_of_the_past_and_short_forms():
    model = source/"examples"/"skates/snakeboard.pf"
    for words, said in (
        (["plot", "--columns", "x", model], "--columns is called --show now"),
        (["study", "continue", "--points", "9", "a=1..2", model], "--points is part of the range now: NAME=a..b:N"),
        (["run", "--rtolx", "1", model], "did you mean --rtol?"),
        (["run", "--r", "1", model], "--r may be one of --rtol, --rho, --real-time, --rate"),
        (["run", "--rtol"], "a value is missing after --rtol"),
        (["run", "--rtol", "tight", model], "--rtol: 'tight' is not a positive number"),
        (["run", "--for", "long", model], "--for: 'long' is not defined"),
        (["run", "--for", "5 [kg]", model], "--for: "),
        (["run", "--most-steps", "1.5", model], "--most-steps: '1.5' is not a positive whole number"),
        (["run", "--rho=2", model], "--rho: '2' is not a number between 0 and 1"),
        (["run", "--json=yes", model], "--json takes no value"),
        (["run", "-x", model], "unknown option -x"),
        (["check", "-o", "x", model], "'check' does not take -o"),
        (["check", "--rtol", "1e-3", model], "it is an option of 'run'"),
        (["run", "--rate", "100", model], "--rate goes with --real-time"),
        (["run", "--every", "1", "--at", "1", model], "--every and --at exclude each other"),
        (["converge", "--rtol", "1e-3", model], "'converge' does not take --rtol"),
        (["derive", "--as-given", model], "'derive' does not take --as-given"),
        (["derive", "--form", "recursive", model], "'eval', 'compare' and 'run' take it"),
        (["derive", "--latex", "--out", "x.txt", model], "the name must end in .tex"),
        (["eval", "--spatial", "--form", "maggi", model], "--spatial belongs to the formulation 'recursive'"),
        (["study", "linearize", "--by", "rk4", model], "--by goes with --at"),
        (["study", "linearize", "--at", "1", "--sweep", "m=1..2", model], "--at and --sweep exclude each other"),
        (["study", "invariants", "--rtol", "1e-3", model], "--rtol goes with --out"),
        (["study", "continue", "m=1..2", "--show", "x", model], "--show goes with --out"),
        (["study", "poincare", "--section", "x=0", "--show", "x,y", "--keep", "energy", model], "--keep goes with --starts"),
        (["plot", "--for", "1", source/"tests"/"reference"/"hand-hold.csv"], "--for has no effect: the file is a trajectory"),
        (["study", "nope", model], "there is no study 'nope'"),
        (["study", "stedy", model], "did you mean 'steady'?"),
    ):
        code, out, err = call(*words)
        expect(f"{words}: exit code 2", code == 2 and not out, code)
        expect(f"{words}: says {said}", said in err, err)
    expect("pfaff version is pfaff --version", call("version") == call("--version") and call("version")[0] == 0)
    for words in (["run", "--for=1", "--ev", "0.5", "-pm=7", "-s", "x=1"], ["run", "--for", "1", "--every=0.5", "-p", "m=7", "--state=x=1"]):
        code, out, err = call(*words, "--json", "--", model)
        expect(f"{words}", code == 0 and json.loads(out)["rows"][-1][0] == 1 and len(json.loads(out)["rows"]) == 3, err)
    for form in ("lagrange", "multipliers"):
        for command in ("eval", "run"):
            code, out, err = call(command, "--form", form, "--json", model)
            expect(f"{command} --form {form}", code == 0 and json.loads(out)["formulation"] == "multipliers", err)


def files_of_text():
    model, robot = source/"examples"/"skates/snakeboard.pf", source/"tests"/"models"/"arm.urdf"
    with tempfile.TemporaryDirectory() as place:
        for end, words in (("txt", []), ("tex", ["--latex"]), ("md", ["--markdown"]), ("json", ["--json"])):
            code, out, err = call("derive", *words, model)
            silent = call("derive", "-o", f"x.{end}", model, cwd=place)
            expect(f"derive -o x.{end} prints nothing", silent == (0, "", ""), silent)
            written, keep = pathlib.Path(place, f"x.{end}").read_text(encoding="utf-8"), re.compile(r'"seconds": .*')
            expect(f"derive -o x.{end} writes what is printed", keep.sub("", written).strip() == keep.sub("", out).strip())
        expect("derive -o - prints", call("derive", "-o", "-", model)[1] == call("derive", model)[1])
        expect("derive --latex -o - prints LaTeX", call("derive", "--latex", "-o", "-", model)[1] == call("derive", "--latex", model)[1])
        expect("derive -o x.pdf is refused", "must end in .txt, .tex, .md, .c or .json" in call("derive", "-o", "x.pdf", model, cwd=place)[2])
        code, out, err = call("import", robot)
        if "cannot read XML" in err:  # a build without expat
            return
        call("import", "-o", "arm.pf", robot, cwd=place)
        expect("import -o writes what is printed", pathlib.Path(place, "arm.pf").read_text(encoding="utf-8") == out)
        expect("import --json has it, too", json.loads(call("import", "--json", robot)[1])["text"] == out)


def failure(words, code_wanted):
    """With --json: one object with diagnostics, the first error among them; the rest as without."""
    plain, (code, out, err) = call(*words), call(*words, "--json")
    name = " ".join(map(str, words))
    expect(f"{name}: exit code {code_wanted}", code == plain[0] == code_wanted, (code, plain[0], plain[2]))
    expect(f"{name}: the same words for people", err == plain[2], err)
    try:
        data = json.loads(out)
    except ValueError:
        expect(f"{name} --json is JSON", False, out)
        return
    errors = [d for d in data["diagnostics"] if d["severity"] == "error"]
    expect(f"{name} --json has the error", errors and all(set(d) >= {"file", "line", "column", "message", "hint"} for d in errors), data)
    for d in errors:
        expect(f"{name}: '{d['message']}' is said", d["message"] in err, err)


def programs_get_every_failure():
    needed = {"continue": ["a=1..2"], "portrait": ["--show", "x,y"], "poincare": ["--section", "x=0", "--show", "x,y"], "sweep": ["--take", "x"]}
    with tempfile.TemporaryDirectory() as place:
        needed["export"] = ["--to", "c", "-o", os.path.join(place, "code")]

        def model(name, text):
            path = pathlib.Path(place, name)
            path.write_text(text, encoding="utf-8")
            return path
        wrong = model("wrong.pf", "coord x, y\nkinetic zz*x'^2\n")
        fine = "param a = 1\ncoord x, y\nkinetic a*(x'^2 + y'^2)/2\n"
        clash = model("clash.pf", fine + "constraint one: x = 1\nconstraint two: x = 2\n")
        good = model("good.pf", fine)
        urdf = model("bad.urdf", "<robot name='r'><link></robot>")
        for words in commands():
            if "json" not in options_in(call(*words, "--help")[1]) or words[0] in ("examples", "new"):  # those read no file
                continue
            first = words + needed.get(words[-1], [])
            failure([*first, pathlib.Path(place, "none.pf")], 1)
            failure([*first, place], 1)
            failure([*first, urdf if words == ["import"] else wrong], 1)
            failure(first, 2)
            failure([*first, "--nonsense", good], 2)
            failure([*first, good, good], 2)
            if words == ["import"]:
                continue
            failure([*first, "-p", "nope=1", good], 2)
            if words[0] not in ("derive",) and words[-1] not in ("integrability", "invariants"):
                failure([*first, clash], 1)
        failure(["nonsense"], 2)
        failure(["study", "nonsense", good], 2)
        stops = model("stops.pf", "coord x\nkinetic x'^2/2\npotential x^4\nstart x = 1\nrun 2\n")
        failure(["run", "--most-steps", "3", stops], 1)
        code, out, err = call("run", "--json", good)
        expect("a run that went well has an empty list", json.loads(out)["diagnostics"] == [], err)


help_says_what_is_taken()
documentation_has_the_table()
documentation_has_the_endings()
examples_work()
words_of_the_past_and_short_forms()
files_of_text()
programs_get_every_failure()
sys.exit(1 if failures else 0)
