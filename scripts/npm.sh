#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages of npm for the page, in page/node_modules/, unless they are there.
set -eu
cd "$(dirname "$0")/../page"
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund --loglevel=error || { rm -rf node_modules; exit 1; }
