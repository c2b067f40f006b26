#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Native code: the same bytes as the tape on every example and on random models; compilers that are absent, fail or hang.
command -v python3 >/dev/null || { echo "no python3: nothing compared"; exit 0; }
command -v cc >/dev/null || { echo "no compiler: nothing compared"; exit 0; }
exec python3 "$(dirname "$0")/native.py" "$@"
