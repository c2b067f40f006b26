#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exported code and FMUs of every example make the steps of `pfaff run`, bit for bit where nothing is said against it.
command -v python3 >/dev/null || { echo "no python3: skipped"; exit 0; }
exec python3 "$2/tests/cli/export_steps.py" "$1" "$2"
