# SPDX-License-Identifier: Apache-2.0
"""The program itself: ``pfaff run model.pf`` and ``python -m pfaff run model.pf``, on the terminal, with its exit codes."""
from __future__ import annotations

import signal
import sys

from ._call import block_of
from ._pfaff import lib


def main() -> int:
    """Runs the command of sys.argv. Signals are the program's own: a reader that goes away ends it, Ctrl-C stops the work and
    what was computed is written."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.flush()
    sys.stderr.flush()
    return lib.pf_py_terminal(block_of(["pfaff", *sys.argv[1:]]), len(sys.argv))


if __name__ == "__main__":
    sys.exit(main())
