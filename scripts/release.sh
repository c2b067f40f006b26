#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything of a version into dist/: source, Debian packages, wheel, sums of them. From what is committed.
set -eu
cd "$(dirname "$0")/.."
version=$(scripts/check_version.sh)
[ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed"; exit 1; }

if grep -q "^## $version.*not released" CHANGELOG.md; then
  echo "note: CHANGELOG.md says that $version is not released yet; put the date there before this is published"
fi

rm -rf dist
mkdir dist
echo "== source"
# with the page ready-made, for who builds without npm and without a network
git archive --prefix="pfaff-$version/page/dist/" --add-file=page/dist/page.html --add-file=page/dist/playground.html \
  --prefix="pfaff-$version/" HEAD | gzip -9n >"dist/pfaff-$version.tar.gz"
echo "== Debian packages"
scripts/deb.sh
echo "== wheel"
PAGE_AS_IT_IS=1 scripts/wheel.sh
cp build/wheel/*.whl dist/
(cd dist && sha256sum *.tar.gz *.deb *.whl >SHA256SUMS)
ls -l dist
