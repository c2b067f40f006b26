#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Models with hostile names, exported to everything and compiled; by hand for longer: tests/trial/export_names.py build/pfaff --seconds 600
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
exec python3 "$2/tests/trial/export_names.py" "$1" --count 10
