#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version stands in CMakeLists.txt; whatever else names it must agree. Prints it.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(pfaff VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
wrong=0
demand() { # <file> <what must stand in it>
  grep -q "$2" "$1" || { echo "$1 does not name version $version" >&2; wrong=1; }
}
demand CITATION.cff "^version: $version$"
demand CHANGELOG.md "^## $version"
demand debian/changelog "^pfaff ($version)"
demand editors/vscode/package.json "\"version\": \"$version\""
demand editors/vscode/README.md "pfaff-$version.vsix"
demand editors/emacs/pfaff-mode.el "^;; Version: $version$"
echo "$version"
exit $wrong
