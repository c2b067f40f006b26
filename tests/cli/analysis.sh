#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of docs/analysis.md print what stands there.
command -v python3 >/dev/null || { echo "no python3: nothing compared"; exit 0; }
exec python3 "$(dirname "$0")/analysis.py" "$@"
