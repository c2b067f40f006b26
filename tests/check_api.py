#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists functions of public headers that nothing uses: no other function of src/, no test, no binding, no document.

    check_api.py <source directory>
    check_api.py --self-test

A name in a comment or in the definition itself is not a use.
"""
import pathlib
import re
import sys
import tempfile

USERS = ["src/**/*.[ch]", "fmu/*.[ch]", "wasm/*.[ch]", "mpi/*.c", "python/**/*.[ch]", "python/**/*.py", "tests/**/*.[ch]", "bench/**/*.[ch]", "examples/**/*.c",
         "include/pfaff/*.h", "docs/*.md", "README.md", "wasm/*.mjs", "page/src/**/*.ts"]
DECLARATION = re.compile(r"PF_API\s[^;{]*?\b(pf_\w+)\s*\(")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def unused(root):
    """The number of public functions, and {name: header} of those without a use."""
    declared = {}
    for header in sorted((root/"include/pfaff").glob("*.h")):
        for match in DECLARATION.finditer(without_comments(header.read_text(encoding="utf-8"))):
            declared[match[1]] = header.name
    used = set()
    for path in {path for pattern in USERS for path in root.glob(pattern)}:
        text = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix in (".c", ".h"):
            text = without_comments(text)
            text = DECLARATION.sub(" ", text)
            text = re.sub(r"^[A-Za-z][\w *]*?\bpf_\w+\([^;{}]*\)\s*\{", " ", text, flags=re.M)  # definitions
        used.update(re.findall(r"\bpf_\w+", text))
    return len(declared), {name: header for name, header in declared.items() if name not in used}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {"include/pfaff/a.h": "/* pf_a of pf_b */\nPF_API int pf_a(int x);\nPF_API const char *pf_b(void);\nPF_API void pf_c(\n  int x);\n",
                           "src/a/a.c": "int pf_a(int x)\n{\n  return x;\n}\nconst char *pf_b(void)\n{\n  return 0;\n}\nvoid pf_c(int x)\n{\n  pf_a(x);\n}\n",
                           "tests/unit/a.c": "/* pf_b */\nint main(void) { return !pf_a; }\n", "docs/a.md": "`pf_c` is a function.\n"}.items():
            (root/path).parent.mkdir(parents=True, exist_ok=True)
            (root/path).write_text(text, encoding="utf-8")
        found = unused(root)
    print(f"found {found}")
    return found != (3, {"pf_b": "a.h"})


def main():
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(1 if self_test() else 0)
    count, names = unused(pathlib.Path(sys.argv[1]))
    for name, header in names.items():
        print(f"include/pfaff/{header}: {name} has no use and no test; remove it or write one")
    print(f"{count} public functions, {len(names)} without a use")
    sys.exit(1 if names or not count else 0)


main()
