#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pfaff export --to c: every example compiles without a warning for all compilers at hand, and its self-test passes.
exec python3 "$2/tests/cli/export_c.py" "$1" "$2"
