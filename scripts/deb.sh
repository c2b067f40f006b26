#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian packages of what is committed (of all that is there, in a source archive) and, if it was made, of the page: dist/*.deb, looked at by
# lintian where it is installed.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
root=$PWD
copy=build/deb/pfaff
for tool in dpkg-buildpackage dh; do
  command -v $tool >/dev/null || { echo "making packages needs $tool: apt-get install dpkg-dev debhelper"; exit 1; }
done
rm -rf build/deb
mkdir -p "$copy" dist
if [ -e .git ]; then git archive HEAD; else tar -c --exclude='./build*' --exclude=./dist --exclude=node_modules .; fi | tar -x -C "$copy"
if [ -e page/dist/page.html ]; then
  mkdir -p "$copy/page/dist"
  cp page/dist/page.html page/dist/playground.html "$copy/page/dist/"
else
  echo "the packages will be without the empty page of 'pfaff page': 'make page' makes it"
fi
echo "== build the packages in build/deb/"
(cd "$copy" && DEB_BUILD_OPTIONS="parallel=$jobs nocheck noautodbgsym" dpkg-buildpackage -b -us -uc >../build.log 2>&1) || { tail -n 40 build/deb/build.log; exit 1; }
if command -v lintian >/dev/null; then
  echo "== lintian"
  # its words in binaries are taken from machine code as well, which now and then spells one wrong
  lintian --allow-root --display-info --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,spelling-error-in-binary build/deb/*.changes
fi
cp build/deb/*.deb "$root/dist/"
ls -l dist/*.deb
