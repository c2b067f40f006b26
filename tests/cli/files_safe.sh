#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that are written: nothing is lost when something fails.
PYTHONDONTWRITEBYTECODE=1 exec python3 "$2/tests/cli/files_safe.py" "$1" "$2"
