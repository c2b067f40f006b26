#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packages.sh COMMAND …: in page/, where the packages of npm are there; otherwise says so, with exit code 77.
cd "$(dirname "$0")/../../page" || exit 1
if [ ! -d node_modules/playwright-core ]; then
  echo "left out: page/node_modules is absent (cd page && npm ci)"
  exit 77
fi
exec "$@"
