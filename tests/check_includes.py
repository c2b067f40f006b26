#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the #include lines of the library and fails on an arrow the wrong way.

    check_includes.py <source directory>     checks src/ and include/
    check_includes.py --self-test            checks that wrong arrows are seen

The rules:
  - a module includes itself and modules to its left, see LAYERS; modules of one layer are strangers;
  - <module>_impl.h is for the module itself;
  - public headers include public headers and the C standard library, nothing else: no header of src/, no
    header of a dependency;
  - quoted includes give the folder ("expr/expr.h") unless the file stands beside.
"""
import pathlib
import re
import sys
import tempfile

LAYERS = [["base"], ["report"], ["num"], ["expr", "tree"], ["model"], ["lang", "mech"], ["machine"], ["kernel"], ["codegen"], ["form"], ["time"],
          ["sim"], ["study"], ["out"], ["scene", "sweep"], ["export", "import"], ["cli"]]
LAYER = {module: number for number, layer in enumerate(LAYERS) for module in layer}

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


def public_module(root, name, seen=()):
    """The module of a public header: its name if that is a module; all of them for pfaff.h; otherwise the
    rightmost module among the headers it includes."""
    stem = pathlib.PurePath(name).stem
    if stem in LAYER:
        return stem
    path = root/"include"/name
    if name in seen or not path.is_file():
        return "base"
    below = [public_module(root, inner, (*seen, name)) for _, _, inner in includes(path)
             if inner.startswith("pfaff/")]
    return max(below, key=LAYER.get, default="base")


def may_include(user, used):
    return user == used or LAYER[used] < LAYER[user]


def check_source(root, path, module):
    for number, quote, name in includes(path):
        folder, _, file = name.partition("/")
        if folder == "pfaff":
            used = public_module(root, name)
        elif folder in LAYER and file and (root/"src"/name).is_file():
            used = folder
        elif quote == '"' and (path.parent/name).is_file():
            continue
        elif quote == '"':
            yield number, f'"{name}" is neither in src/, nor in include/, nor beside this file'
            continue
        else:
            continue
        if file.endswith("_impl.h") and used != module:
            yield number, f"{name} is private to {used}"
        elif not may_include(module, used):
            yield number, f"{module} must not include {name}: the arrow goes from {used} to {module} only"


def check_public(root, path):
    module = path.stem if path.stem in LAYER else None
    for number, _, name in includes(path):
        if name.startswith("pfaff/"):
            used = public_module(root, name)
            if module and not may_include(module, used):
                yield number, f"the header of {module} must not include {name}, which belongs to {used}"
        elif name not in STANDARD:
            yield number, f"a public header may include pfaff/… and standard C only, not {name}"


def check(root):
    """All complaints, as texts."""
    complaints = []
    count = 0
    for path in sorted((root/"src").rglob("*.[chd]*")):
        module = path.relative_to(root/"src").parts[0]
        count += 1
        if module not in LAYER:
            complaints.append(f"{path.relative_to(root)}: '{module}' is not a module; see LAYERS in the test")
            continue
        complaints += [f"{path.relative_to(root)}:{line}: {text}" for line, text in
                       check_source(root, path, module)]
    for path in sorted((root/"include").rglob("*.[hd]*")):
        count += 1
        complaints += [f"{path.relative_to(root)}:{line}: {text}" for line, text in check_public(root, path)]
    return complaints + list(check_guide(root)), count


def check_guide(root):
    """CONTRIBUTING.md names the folders that there are, and the arrows of this test."""
    guide = root/"CONTRIBUTING.md"
    if not guide.exists():
        return
    text = guide.read_text(encoding="utf-8")
    named = re.search(r"src/<module>/ +(.*)", text)[1].split()
    if sorted(named) != sorted(path.name for path in (root/"src").iterdir() if path.is_dir()):
        yield f"CONTRIBUTING.md: the folders of src are others than {' '.join(named)}"
    arrows = " <- ".join(layer[0] if len(layer) == 1 else "{" + ", ".join(layer) + "}" for layer in LAYERS)
    if arrows not in text:
        yield f"CONTRIBUTING.md: the arrows are {arrows}"
    for name in re.findall(r"`((?:tests|scripts|cmake|docs|examples)/[\w./-]*)`", text):
        if not (root/name).exists():
            yield f"CONTRIBUTING.md: there is no {name}"


# file, its text, what must be said about it ("" = nothing)
CASES = [
    ("src/base/a.c", '#include "base/base.h"\n#include <stdio.h>', ""),
    ("src/base/a.c", '#include "expr/expr.h"', "base must not include expr/expr.h"),
    ("src/base/a.c", '  #  include <expr/expr.h>', "base must not include expr/expr.h"),
    ("src/base/a.c", '#include "pfaff/expr.h"', "base must not include pfaff/expr.h"),
    ("src/base/a.c", '#include "pfaff/functions.def"', ""),
    ("src/model/a.c", '#include "pfaff/pfaff.h"', "model must not include pfaff/pfaff.h"),
    ("src/cli/a.c", '#include "pfaff/pfaff.h"\n#include "lang/lang.h"', ""),
    ("src/lang/a.c", '#include "mech/mech.h"', "lang must not include mech/mech.h"),
    ("src/mech/a.c", '#include "lang/lang.h"', "mech must not include lang/lang.h"),
    ("src/mech/a.c", '#include "expr/expr_impl.h"', "expr/expr_impl.h is private to expr"),
    ("src/expr/a.c", '#include "expr/expr_impl.h"\n#include "expr_impl.h"', ""),
    ("src/expr/a.c", '#include "nothing.h"', '"nothing.h" is neither'),
    ("src/form/a.c", '#include "pfaff/tree.h"', ""),
    ("src/tree/a.c", '#include "pfaff/form.h"', "tree must not include pfaff/form.h"),
    ("src/tree/a.c", '#include "expr/expr.h"', "tree must not include expr/expr.h"),
    ("src/odd/a.c", "", "'odd' is not a module"),
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
            for header in "base.h", "expr.h", "form.h", "tree.h", "functions.def":
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
