#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/equations.md print what stands there. Short forms need FLINT: without it nothing is compared.
command -v python3 >/dev/null || { echo "no python3: nothing compared"; exit 0; }
exec python3 "$(dirname "$0")/equations.py" "$@"
