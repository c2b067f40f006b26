#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random starts, as tests/cli/starts.py says.
command -v python3 >/dev/null || exit 0
exec python3 "$(dirname "$0")/starts.py" "$1"
