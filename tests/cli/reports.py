# SPDX-License-Identifier: Apache-2.0
"""The tables of fields of the reports (pfaff --reports):

    reports.py PFAFF SOURCE            tests that what is made of them is as they are, and that reports are as they say
    reports.py --write PFAFF SOURCE    makes docs/reports.md and page/src/types.ts
    reports.py --python PFAFF FILE     makes the types of Python in a file (cmake/PfaffPython.cmake)
"""
import json
import keyword
import os
import pathlib
import re
import subprocess
import sys
import tempfile

write, stubs = sys.argv[1] == "--write", sys.argv[1] == "--python"
program, source = (pathlib.Path(word).absolute() for word in sys.argv[-2:])
os.environ["PFAFF_SHARE"] = str(source/"tests"/"page")  # an empty page, which a build without npm lacks
failures = []


def expect(what, holds, found=""):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what} {found}")


def call(*words, cwd=None):
    return subprocess.run([program, *words], capture_output=True, cwd=cwd, check=False, stdin=subprocess.DEVNULL, text=True)


said = json.loads(call("--reports").stdout)
tables, reports = [table["fields"] for table in said["tables"]], said["reports"]

# ------------------------------------------------------------------------------------------ names of types

# Reports of several tasks, and others than the usual one.
REPORT_NAMES = {("fmt", None): "Text", ("import", None): "Text", ("equilibria", None): "Steady", ("steady", None): "Steady",
                ("sweep", "dry-run"): "SweepEstimate", ("sweep", "show-member"): "SweepMember", (None, None): "PageData"}
# Keys whose singular is not the word for one of them.
SINGULAR = {"where": "Abbreviation", "moved": "StartCorrection", "special": "SpecialPoint", "bodies": "Body", "branches": "Branch",
            "vector_equations": "FormulaLine", "spatial": "SpatialBody", "operation_counts": "OperationCounts", "native": "NativeCode",
            "sensitivity": "Sensitivity", "plots": "Panel", "rows": "FormulationRow", "failures": "Failures"}


def words_of(key):
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_-]", key))


def singular(key):
    return SINGULAR.get(key) or words_of(key[:-1] if key.endswith("s") and not key.endswith("ss") else key)


def name_tables():
    """A name for each table: of a report by its task, of another by its key, with that of the table around it where two would be the same."""
    names, parents, order = {}, {}, []
    for report in reports:
        task, setting, table = report["task"], report["setting"], report["table"]
        if table not in names:
            names[table] = REPORT_NAMES.get((task, setting)) or words_of(task)
            order.append(table)
    roots = set(order)
    for table in order:  # it grows
        for field in tables[table]:
            inner = field["table"]
            if inner is not None and inner not in names:
                names[inner], parents[inner] = singular(field["key"]), table
                order.append(inner)
    bases = dict(names)
    for table in order:
        if table in parents and sum(name == bases[table] for name in bases.values()) > 1:
            names[table] = names[parents[table]].removesuffix("Report") + bases[table]
        elif table in roots and not names[table].startswith(("PageData", "Sweep")) or names[table] == "Sweep":
            names[table] += "Report"
    assert len(set(names.values())) == len(names), sorted(names.values())
    return names, order


def reached(starts, ends=()):
    """The tables from these on, without the ends and the settings of a run, in the order of their names."""
    found, waiting = set(), list(starts)
    while waiting:
        table = waiting.pop()
        if table not in found:
            found.add(table)
            waiting += [field["table"] for field in tables[table] if field["table"] is not None and field["table"] not in ends and field["key"] != "run"]
    return [table for table in order if table in found]


names, order = name_tables()
roots = list(dict.fromkeys(report["table"] for report in reports))
shared = [table for table in order if sum(table in reached([root], roots) for root in roots) > 1 and table not in roots]
NOT_IN_ENGINE = ("plot", "page", "converge", "sweep", "import", "export", "examples", "new")  # wasm/left_out.c
MADE = "made by tests/cli/reports.py of the tables of fields in src"

# ------------------------------------------------------------------------------------------ TypeScript


def lay_out(one, layout, vector, matrix):
    return {"vector": vector.format(one), "matrix": matrix.format(one), "either": f"{vector.format(one)} | {matrix.format(one)}", "base64": "string"}[layout]


def typescript(field):
    *outer, last = field["type"]
    if field["key"] == "run" and last == "record":
        return "Options"
    entry = {"numbers": "number", "strings": "string"}.get(last)
    if entry and field["nullable"] and field["layout"] != "base64":
        entry = f"({entry} | null)"
    kind = lay_out(entry, field["layout"], "{}[]", "{}[][]") if entry else \
        {"bool": "boolean", "integer": "number", "number": "number", "string": "string", "record": names.get(field["table"])}[last]
    for around in reversed(outer):
        kind = f"Record<string, {kind}>" if around == "map" else f"({kind})[]" if "|" in kind else f"{kind}[]"
    return kind + " | null" if field["nullable"] and not entry or field["layout"] == "base64" and field["nullable"] else kind


def make_typescript():
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// The reports of the engine and the data of a page: {MADE}.",
             "// After an error a report has its diagnostics, and other keys may be absent.", "",
             "/** Settings by their names, and `param`, `state` and `input` by names of the model (pfaff/request.h). */",
             "export type Options = Record<string, string | number | boolean | null | undefined | number[] | string[] | Record<string, string | number>>;", ""]
    for table in reached(report["table"] for report in reports if report["task"] not in NOT_IN_ENGINE):
        lines += [f"export interface {names[table]} {{"]
        for field in tables[table]:
            lines.append(f"  /** {field['about']} */ {field['key']}{'?' if field['optional'] else ''}: {typescript(field)};")
        lines += ["}", ""]
    return "\n".join(lines)

# ------------------------------------------------------------------------------------------ Python


# Keys that a class of python/pfaff/_results.py has as properties.
PROPERTIES = {"RunReport": ("columns", "units", "rows"), "LinearizePoint": ("A", "B", "C", "D", "x", "rate", "eigenvalues"),
              "SteadyReport": ("points",), "SteadyPoint": ("eigenvalues",)}


def python(field):
    *outer, last = field["type"]
    if last in ("numbers", "number", "integer") and outer == ["list"] or last == "numbers":
        kind, outer = "np.ndarray", outer[:0] if last != "numbers" else outer
    elif last == "strings":
        kind = lay_out("str", field["layout"], "list[{}]", "list[list[{}]]")
    else:
        kind = {"bool": "bool", "integer": "int", "number": "float", "string": "str", "record": names.get(field["table"])}[last]
    for around in reversed(outer):
        kind = f"Map[{kind}]" if around == "map" else f"list[{kind}]"
    return f"Optional[{kind}]" if (field["nullable"] or field["optional"]) and last not in ("numbers", "strings") else kind


def make_python():
    lines = ["# SPDX-License-Identifier: Apache-2.0", f'"""The attributes of results, for type checkers: {MADE}."""',
             "from typing import Generic, Optional, TypeVar", "", "import numpy as np", "", "from ._results import Answer", "", 'T = TypeVar("T")', "",
             "class Map(Answer, Generic[T]):", "    def __getitem__(self, key: str) -> T: ...", "    def __getattr__(self, name: str) -> T: ..."]
    for table in reached(report["table"] for report in reports if report["task"] not in (None, "plot", "fmt", "import", "new")):
        keys = [field for field in tables[table] if not keyword.iskeyword(field["key"]) and field["key"] not in PROPERTIES.get(names[table], ())]
        lines += ["", f"class {names[table]}(Answer):", *(f"    {field['key']}: {python(field)}" for field in keys), ""]
    return "\n".join(lines)

# ------------------------------------------------------------------------------------------ the document

INTRODUCTION = """# Reports

The result of a task is a report: a tree of values with keys, and a text. With `--json` the [program](commands.md) prints the tree as JSON. In
[Python](python.md) the keys are attributes, in [C](c-api.md) `pf_value_member` finds them, in [JavaScript](../wasm/README.md) they are members of an object.

The keys come in the order of these lists. *Optional* ones are left out where they have no meaning. Numbers that are not finite, and values that do not
exist, are null in JSON; where that may happen after success the list says so. After an error `diagnostics` has its reason, and other keys may be absent.
A vector is a list of numbers, a matrix a list of its rows. `a[].b` is the key b of each item of the list a, `a{}.b` that of each member of the object a, whose keys are names.
"""


def english(field):
    *outer, last = field["type"]
    if last in ("numbers", "strings"):
        kind = lay_out("", field["layout"], "vector", "matrix").replace(" | ", " or ").replace("string", "text")
        kind = {"numbers": kind, "strings": {"vector": "texts", "matrix": "rows of texts"}.get(kind, "texts or rows of texts")}[last] if field["layout"] != "base64" else "base64"
        one = {"vector": "vectors", "matrix": "matrices"}.get(kind, kind)
    else:
        kind = {"bool": "true or false", "integer": "integer", "number": "number", "string": "text", "record": "object"}[last]
        one = {"bool": "true or false", "integer": "integers", "number": "numbers", "string": "texts", "record": "objects"}[last]
    for around in reversed(outer):
        kind = f"{one} by name" if around == "map" else f"list of {one}"
        one = f"lists of {one}" if around == "list" else f"{one} by name and"
    null = "" if not field["nullable"] else ", with nulls" if last in ("numbers", "strings") and field["layout"] != "base64" else " or null"
    return kind + null + (", optional" if field["optional"] else "")


def rows_of(table, parts, before=""):
    for field in tables[table]:
        key = before + field["key"]
        link = parts.get(field["table"])
        about = field["about"].replace("|", "\\|") + (f"; see [{link}](#{link.replace(' ', '-')})" if link else "")
        yield f"| `{key}` | {english(field)} | {about} |"
        if field["table"] is not None and not link and field["key"] != "run":
            marks = "".join("[]" if around == "list" else "{}" for around in field["type"][:-1])
            yield from rows_of(field["table"], parts, f"{key}{marks}.")


def make_document():
    keys = {field["table"]: field["key"] for owner in reversed(order) for field in reversed(tables[owner])}
    parts = {table: keys[table] for table in shared if not any(table in reached([other]) for other in shared if other != table)}
    parts.update({table: "derive" for table in roots if names[table] == "DeriveReport"})
    lines = [INTRODUCTION, f"<!-- {MADE} -->"]
    head = ["", "| key | value | meaning |", "|---|---|---|"]

    def section(title, table, own, words=""):
        others = {other: name for other, name in parts.items() if other != own}
        lines.extend(["", f"## {title}", *(["", words] if words else []), *head, *rows_of(table, others)])
    titles = {}
    for report in reports:
        title = "the data of a page" if not report["task"] else report["task"] + (f" with {report['setting']}" if report["setting"] else "")
        titles.setdefault(report["table"], []).append(title)
    for table, title in titles.items():
        section(" and ".join(title), table, table)
    for table in order:
        if table in parts and table not in roots:
            section(parts[table], table, table)
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------------ are reports as the tables say?

seen = set()


def wrong(value, types, field, path):
    """The first difference between the value and its field, as a text; or None."""
    kind = types[0]
    if value is None:
        return None if field["nullable"] else f"{path} is null"
    if kind == "record":
        return wrong_record(value, field["table"], path)
    if kind in ("list", "map"):
        if not isinstance(value, list if kind == "list" else dict):
            return f"{path} is not a {kind}"
        return next((found for one in (value if kind == "list" else value.values()) if (found := wrong(one, types[1:], field, path + "[]"))), None)
    if kind in ("numbers", "strings"):
        entries = value if isinstance(value, list) else [value]
        if field["layout"] == "base64":
            return None if isinstance(value, str) else f"{path} is not base64"
        deep = [isinstance(one, list) for one in entries]
        if field["layout"] != "either" and entries and (all(deep) if field["layout"] == "vector" else not all(deep)):
            return f"{path} is not a {field['layout']}"
        flat = [one for row in entries for one in (row if isinstance(row, list) else [row])]
        good = str if kind == "strings" else (int, float)
        return next((f"{path} has {one!r}" for one in flat if not (isinstance(one, good) or one is None and field["nullable"])), None)
    good = {"bool": bool, "integer": int, "number": (int, float), "string": str}[kind]
    return None if isinstance(value, good) and (kind == "bool" or not isinstance(value, bool)) else f"{path} is {value!r}, not {kind}"


def wrong_record(record, table, path):
    keys = [field["key"] for field in tables[table]]
    if list(record) != [key for key in keys if key in record]:
        return f"{path} has the keys {list(record)}"
    for field in tables[table]:
        if field["key"] not in record:
            if not field["optional"]:
                return f"{path}.{field['key']} is absent"
            continue
        seen.add((table, field["key"]))
        found = wrong(record[field["key"]], field["type"], field, f"{path}.{field['key']}")
        if found:
            return found
    return None


OSCILLATOR = "param m = 2, k = 8\ncoord x [m]\ninput u\nkinetic m*x'^2/2\npotential k*x^2/2\nforce x = u\nstart x = 1\nplot x\nrun 1\n"
PENDULUM = "param w = 3, g = 9.81\ncoord a\nkinetic (a'^2 + w^2*sin(a)^2)/2\npotential -g*cos(a)\nstart a = 0.5\nrun 2\n"
OPEN = "param m, k\ncoord x\nkinetic m*x'^2/2\npotential k*x^2/2\n"


def check_reports(place):
    """A run of every task, on models with events, contacts, bodies and open parameters."""
    for name, text in {"o.pf": OSCILLATOR, "p.pf": PENDULUM, "open.pf": OPEN}.items():
        pathlib.Path(place, name).write_text(text, encoding="utf-8")
    example = {path.stem: str(path) for path in (source/"examples").rglob("*.pf")}
    board, craft, disc = example["snakeboard_bodies"], example["spacecraft"], example["leaning_disc"]
    varied = ["--take", "max(x)", "--random", "k ~ normal(8, 0.1)", "--random", "m ~ normal(2, 0.1)"]
    cases = [
        ("check", None, [[board], [craft], ["open.pf"], ["o.pf"], [example["ball_in_bowl"]]]),
        ("derive", None, [["--form", form, "--steps", board] for form in ("multipliers", "rosenberg", "udwadia_kalaba")] + [["--form", "maggi", "--matrices", board], [craft], ["o.pf"]]),
        ("eval", None, [[board], ["--spatial", board], ["--inverse", "x''=1", "--actuators", "u", "o.pf"]]),
        ("compare", None, [["o.pf"], ["--prove", disc]]),
        ("run", None, [["--for", "1", "o.pf"], ["--no-rows", "p.pf"], [craft], ["--invariants", "o.pf"], ["--for", "0.02", "--real-time", "o.pf"],
                       ["--for", "0.1", "--by", "rk4", "--step", "0.01", example["hand"]]]),
        ("draw", None, [[board], ["--at", "0,0.1", example["ball_on_surface"]]]),
        ("page", None, [["--out", "x.html", "o.pf"]]),
        ("converge", None, [["--by", "rk4,dopri5", "--for", "0.5", "o.pf"]]),
        ("sweep", None, [["--take", "max(x)", "-p", "k=1..3:3", "o.pf"], [*varied, "-n", "32", "--statistics-only", "o.pf"],
                         [*varied, "-n", "8", "--design", "saltelli", "o.pf"], [*varied, "-n", "8", "--design", "morris", "--out", "r.zarr", "o.pf"]]),
        ("sweep", "dry-run", [["--take", "x", "-p", "k=1..3:3", "--dry-run", "o.pf"]]),
        ("sweep", "show-member", [["--show-member", "1", "r.zarr"]]),
        ("import", None, [[str(next((source/"examples/robots").glob("*.urdf")))]]),
        ("export", None, [["--to", "c", "--out", "c", "o.pf"], ["--to", "fmu", "--out", "o.fmu", "o.pf"]]),
        ("examples", None, [[], ["snakeboard_steered"]]),
        ("new", None, [["mine"], ["--from", "snakeboard", "board"]]),
        ("equilibria", None, [["p.pf"]]), ("steady", None, [["p.pf"]]),
        ("continue", None, [["--equilibria", "w=1..6:20", "p.pf"]]),
        ("linearize", None, [["o.pf"], ["--at", "0,1", "p.pf"], [board]]),
        ("portrait", None, [["--show", "a,a'", "--for", "2", "p.pf"]]),
        ("poincare", None, [["--section", "a=0", "--show", "a,a'", "--for", "5", "p.pf"]]),
        ("integrability", None, [[disc], ["--state", "x=0", board]]),
        ("invariants", None, [["p.pf"], [disc]]),
        ("measure", None, [["p.pf"], [disc], [board]]),
    ]
    for task, setting, lists in cases:
        report = next(one for one in reports if (one["task"], one["setting"]) == (task, setting))
        for words in lists:
            done = call(*report["command"].split(), "--json", *words, cwd=place)
            if done.returncode and any(library in done.stderr for library in ("URDF", "FLINT", "SUNDIALS", "compiler")):
                continue
            expect(f"{task} {words} goes well", done.returncode == 0, done.stderr)
            found = wrong_record(json.loads(done.stdout), report["table"], task) if done.returncode == 0 else None
            expect(f"the report of {task} {words} is as its table says", not found, found)
    page = pathlib.Path(place, "x.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="pfaff-data">([^<]*)<', page)[1])
    found = wrong_record(data, next(one["table"] for one in reports if not one["task"]), "page")
    expect("the data of a page is as its table says", not found, found)
    known = {(table, field["key"]) for table in order for field in tables[table]}
    print(f"{len(seen)} of {len(known)} keys were in a report")


if stubs:
    source.unlink(missing_ok=True)  # a link to sources, as others in that folder are
    source.write_text(make_python(), encoding="utf-8")
    sys.exit()
made = {"docs/reports.md": make_document(), "page/src/types.ts": make_typescript()}
for name, text in made.items():
    if write:
        (source/name).write_text(text, encoding="utf-8")
    else:
        expect(f"{name} is as 'tests/cli/reports.py --write PFAFF SOURCE' makes it", (source/name).read_text(encoding="utf-8") == text)
for fields in tables:
    for one in fields:
        expect(f"'{one['key']}' has a meaning", one["about"])
if not write:
    with tempfile.TemporaryDirectory() as folder:
        check_reports(folder)
sys.exit(1 if failures else 0)
