#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything of a version into dist/: source, Debian packages, wheel, sums of them. From what is committed.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(pfaff VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# one version everywhere
demand() { # <file> <what must stand in it>
  grep -q "$2" "$1" || { echo "$1 does not name version $version"; exit 1; }
}
demand CITATION.cff "^version: $version$"
demand CHANGELOG.md "^## $version"
demand debian/changelog "^pfaff ($version)"
[ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed"; exit 1; }

mkdir -p dist
echo "== source"
git archive --prefix="pfaff-$version/" HEAD | gzip -9n >"dist/pfaff-$version.tar.gz"
echo "== Debian packages"
scripts/deb.sh
echo "== wheel"
scripts/wheel.sh
cp build/wheel/*.whl dist/
(cd dist && sha256sum *.tar.gz *.deb *.whl >SHA256SUMS)
ls -l dist
