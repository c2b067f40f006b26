#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verdicts of studies against each other: see verdicts.py.
command -v python3 >/dev/null || exit 0
exec python3 "$2/tests/cli/verdicts.py" "$1" "$2"
