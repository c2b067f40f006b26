#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is printed is the same on every processor: every kernel of OpenBLAS that this one can execute, one thread and two.
command -v python3 >/dev/null || { echo "no python3: nothing compared"; exit 0; }
exec python3 "$(dirname "$0")/processors.py" "$@"
