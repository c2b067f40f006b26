#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the #include lines of the library and compares them with the graph of folders below.

    check_includes.py <source directory>            checks src/, include/, and the graph in docs/architecture.md
    check_includes.py --write <source directory>    draws the graph in docs/architecture.md
    check_includes.py --self-test                   checks that wrong includes are found

The rules:
  - a folder includes itself and the folders that USES lists for it, and each of these at least once;
  - <module>_impl.h is for the module itself;
  - public headers include public headers and the C standard library, nothing else: no header of src/, no
    header of a dependency;
  - quoted includes give the folder ("expr/expr.h") unless the file is in the same folder.
"""
import pathlib
import re
import sys
import tempfile

# Each folder with those whose headers it includes itself; only folders above it in this list.
USES = {
    "runtime": "",
    "base": "",
    "report": "base",
    "num": "runtime base",
    "expr": "base",
    "tree": "runtime base num",
    "model": "base num expr",
    "lang": "base expr model",
    "mech": "base num expr model",
    "machine": "base expr model lang mech",
    "kernel": "runtime base expr",
    "codegen": "runtime base kernel",
    "form": "runtime base num expr tree model mech kernel",
    "time": "runtime base num form",
    "sim": "base model lang machine codegen form time",
    "study": "runtime base num expr model mech form sim",
    "out": "base report",
    "scene": "base report num model kernel sim out",
    "sweep": "runtime base num lang kernel form sim study out",
    "export": "base num model lang mech kernel codegen form time out",
    "import": "base num expr tree lang",
    "task": "base report num lang machine sim study out scene sweep export import",
    "cli": "base report task",
}
# Public headers that are not named after a folder.
OWNER = {"request": "task", "functions": "expr", "sim_parts": "sim", "integrals": "study"}
ORDER = {module: number for number, module in enumerate(USES)}

STANDARD = {name + ".h" for name in
            "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign "
            "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar "
            "wchar wctype".split()}

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def includes(path):
    """(line number, quote, name) of each #include line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def public_module(name):
    """The folder of a public header; None for pfaff.h, which includes all of them."""
    stem = pathlib.PurePath(name).stem
    return stem if stem in USES else OWNER.get(stem)


def may_include(user, used):
    return used in (user, *USES[user].split()) if used else user in ("task", "cli")


def check_source(root, path, module, seen):
    """Complaints about one file; adds the edges (user, used) that it has to `seen`."""
    for number, quote, name in includes(path):
        folder, _, file = name.partition("/")
        if folder == "pfaff":
            used = public_module(name)
        elif folder in USES and file and (root/"src"/name).is_file():
            used = folder
        elif quote == '"' and (path.parent/name).is_file():
            continue
        elif quote == '"':
            yield number, f'"{name}" is neither in src/, nor in include/, nor in the folder of this file'
            continue
        else:
            continue
        if file.endswith("_impl.h") and used != module:
            yield number, f"{name} is private to {used}"
        elif not may_include(module, used):
            yield number, f"{module} must not include {name}: USES in tests/check_includes.py lists no {used or 'pfaff.h'} for it"
        else:
            seen.add((module, used))


def check_public(path, seen):
    module = public_module(path.name)
    for number, _, name in includes(path):
        if name.startswith("pfaff/"):
            used = public_module(name)
            seen.add((module, used))
            if module and not may_include(module, used):
                yield number, f"the header of {module} must not include {name}, which belongs to {used}"
        elif name not in STANDARD:
            yield number, f"a public header may include pfaff/… and standard C only, not {name}"


def check(root):
    """All complaints, as texts, and the number of files."""
    complaints, seen = [], set()
    count = 0
    for path in sorted((root/"src").rglob("*.[chd]*")):
        module = path.relative_to(root/"src").parts[0]
        if path.suffix == ".in":
            continue  # a template of a file outside of src
        count += 1
        if module not in USES:
            complaints.append(f"{path.relative_to(root)}: '{module}' is not in USES of tests/check_includes.py")
            continue
        complaints += [f"{path.relative_to(root)}:{line}: {text}" for line, text in
                       check_source(root, path, module, seen)]
    for path in sorted((root/"include").rglob("*.[hd]*")):
        count += 1
        complaints += [f"{path.relative_to(root)}:{line}: {text}" for line, text in check_public(path, seen)]
    if (root/"docs/architecture.md").exists():
        complaints += [*check_table(seen), *check_drawing(root), *check_guide(root)]
    return complaints, count


def check_table(seen):
    """Folders use only those above them, and nothing is allowed that no file does. A folder that may use everything below need not."""
    for module, used in ((module, used) for module, names in USES.items() for used in names.split()):
        if ORDER[used] >= ORDER[module]:
            yield f"USES: {module} comes before {used}, which it uses"
        elif (module, used) not in seen and not {module, used} & {"cli"}:
            yield f"USES: {module} does not include anything of {used}; remove it there"


def drawing():
    """The graph as a matrix: a row for each folder, with a mark below the number of each that it uses."""
    head = " "*14 + "".join(f"{number:3}" for number in range(1, len(USES)))
    rows = []
    for module, number in ORDER.items():
        marks = "".join("  x" if other in USES[module].split() else "  ." for other in list(USES)[:number])
        rows.append(f"{number + 1:3} {module:10}{marks}".rstrip())
    return "\n".join(["```text", head, *rows, "```"])


GRAPH = re.compile(r"(?<=<!-- graph of tests/check_includes.py -->\n)```text\n.*?\n```", re.S)


def check_drawing(root):
    drawn = GRAPH.search((root/"docs/architecture.md").read_text(encoding="utf-8"))
    if not drawn or drawn[0] != drawing():
        yield "docs/architecture.md: the graph of the folders is another one; `tests/check_includes.py --write .` draws it"


def write(root):
    path = root/"docs/architecture.md"
    text = GRAPH.sub(lambda _: drawing(), path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8")


def check_guide(root):
    """docs/architecture.md has a row for each folder, and CONTRIBUTING.md names files that exist."""
    rows = re.findall(r"^\| `src/(\w+)` \|", (root/"docs/architecture.md").read_text(encoding="utf-8"), re.M)
    for module in sorted({path.name for path in (root/"src").iterdir() if path.is_dir()} - set(rows)):
        yield f"docs/architecture.md: no row for src/{module}"
    text = (root/"CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:tests|scripts|cmake|docs|examples)/[\w./-]*)`", text):
        if not (root/name).exists():
            yield f"CONTRIBUTING.md: there is no {name}"


# file, its text, what must be said about it ("" = nothing)
CASES = [
    ("src/base/a.c", '#include "base/base.h"\n#include <stdio.h>', ""),
    ("src/base/a.c", '#include "expr/expr.h"', "base must not include expr/expr.h"),
    ("src/base/a.c", '  #  include <expr/expr.h>', "base must not include expr/expr.h"),
    ("src/base/a.c", '#include "pfaff/expr.h"', "base must not include pfaff/expr.h"),
    ("src/base/a.c", '#include "pfaff/functions.def"', "base must not include pfaff/functions.def"),
    ("src/import/a.c", '#include "pfaff/functions.def"', ""),
    ("src/model/a.c", '#include "pfaff/pfaff.h"', "model must not include pfaff/pfaff.h"),
    ("src/cli/a.c", '#include "pfaff/pfaff.h"\n#include "base/base.h"', ""),
    ("src/lang/a.c", '#include "mech/mech.h"', "lang must not include mech/mech.h"),
    ("src/mech/a.c", '#include "lang/lang.h"', "mech must not include lang/lang.h"),
    ("src/mech/a.c", '#include "expr/expr_impl.h"', "expr/expr_impl.h is private to expr"),
    ("src/expr/a.c", '#include "expr/expr_impl.h"\n#include "expr_impl.h"', ""),
    ("src/expr/a.c", '#include "nothing.h"', '"nothing.h" is neither'),
    ("src/form/a.c", '#include "pfaff/tree.h"', ""),
    ("src/out/a.c", '#include "expr/expr.h"', "out must not include expr/expr.h"),
    ("src/sim/a.c", '#include "pfaff/sim_parts.h"', ""),
    ("src/runtime/a.c", '#include "base/base.h"', "runtime must not include base/base.h"),
    ("src/tree/a.c", '#include "pfaff/form.h"', "tree must not include pfaff/form.h"),
    ("src/tree/a.c", '#include "expr/expr.h"', "tree must not include expr/expr.h"),
    ("src/odd/a.c", "", "'odd' is not in USES"),
    ("include/pfaff/model.h", '#include "pfaff/expr.h"\n#include <stddef.h>', ""),
    ("include/pfaff/base.h", '#include "pfaff/expr.h"', "the header of base must not include pfaff/expr.h"),
    ("include/pfaff/expr.h", "#include <flint/flint.h>", "standard C only, not flint/flint.h"),
    ("include/pfaff/expr.h", '#include "expr/expr.h"', "standard C only, not expr/expr.h"),
]


def plant(root, path, text):
    (root/path).parent.mkdir(parents=True, exist_ok=True)
    (root/path).write_text(text, encoding="utf-8")


def self_test():
    wrong = 0
    for path, text, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for header in "base/base.h", "expr/expr.h", "expr/expr_impl.h", "lang/lang.h", "mech/mech.h":
                plant(root, "src/" + header, "")
            for header in "base.h", "expr.h", "form.h", "tree.h", "sim_parts.h", "functions.def":
                plant(root, "include/pfaff/" + header, "")
            plant(root, "include/pfaff/pfaff.h", '#include "pfaff/base.h"\n#include "pfaff/expr.h"\n'
                                                 '#include "pfaff/out.h"\n')
            plant(root, path, text)
            said = "\n".join(check(root)[0])
            if (expected not in said) if expected else said:
                wrong += 1
                print(f"{path} with {text!r}:\n  expected {expected!r}\n  got      {said!r}")
    print(f"{len(CASES) - wrong} of {len(CASES)} cases are judged rightly")
    return wrong


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        sys.exit(write(pathlib.Path(sys.argv[2])))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    complaints, count = check(pathlib.Path(sys.argv[1]))
    for complaint in complaints:
        print(complaint)
    print(f"{count} files, {len(complaints)} wrong includes")
    sys.exit(1 if complaints or not count else 0)


main()
