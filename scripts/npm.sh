#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages of npm for the page, in page/node_modules/, unless they are there. A link belongs to another tree, whose
# packages npm would remove.
set -eu
cd "$(dirname "$0")/../page"
[ ! -L node_modules ] || exit 0
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error || { rm -rf node_modules; exit 1; }
