#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same by every other method, to what its order allows.
exec python3 "$2/tests/cli/switches.py" "$1" "$2/tests/reference/switches.json" --methods
