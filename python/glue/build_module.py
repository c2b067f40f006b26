# SPDX-License-Identifier: Apache-2.0
"""Writes the C source of the module pfaff._pfaff, made by cffi of the declarations in api.h.

    build_module.py OUTPUT.c
"""
import pathlib
import sys

import cffi

ERROR = """
typedef struct PfError { int status; char message[...]; char hint[...]; char file[...]; int line, column; char setting[...]; ...; } PfError;
"""
CALLBACKS = """
extern "Python+C" int pf_py_poll(void *who);
extern "Python+C" int pf_py_control(void *who);
"""


def declarations():
    """What stands between the marks, without the callbacks, which Python defines."""
    text = (pathlib.Path(__file__).parent/"api.h").read_text(encoding="utf-8")
    body = text.split("/* ---- for cffi ---- */")[1].split("/* ---- end ---- */")[0]
    return "\n".join(line for line in body.splitlines()
                     if not line.startswith(("int pf_py_poll", "int pf_py_control(void")))


def main(output):
    ffi = cffi.FFI()
    ffi.cdef(ERROR + declarations() + CALLBACKS)
    ffi.set_source("pfaff._pfaff", '#include "api.h"\n', py_limited_api=True)
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main(sys.argv[1])
