#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Statements of C by derive --c compile and give the numbers of eval: see statements.py.
command -v python3 >/dev/null || { echo "no python3: nothing compared"; exit 0; }
exec python3 "$(dirname "$0")/statements.py" "$@"
