# SPDX-License-Identifier: Apache-2.0
"""Times SymPy on the Whipple bicycle: its own test, which derives the equations by Kane's method, linearizes them and checks
the result at six speeds against the published benchmark.

    study_peers.py RESULTS      writes RESULTS/study-sympy.json

Seconds of the processor, once; importing is not counted.
"""
import json
import sys
import time
from pathlib import Path

import sympy
from sympy.physics.mechanics.tests import test_kane3

start = time.process_time()
getattr(test_kane3.test_bicycle, "__wrapped__", test_kane3.test_bicycle)()
seconds = time.process_time() - start
Path(sys.argv[1], "study-sympy.json").write_text(json.dumps({"sympy": sympy.__version__, "seconds": seconds}))
