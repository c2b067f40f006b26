#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The end of the demo: the page of a model, or its picture where the tools for pages cannot be had.
#   BUILD=build MODEL=examples/skates/snakeboard.pf demo_page.sh
set -u
pfaff=$BUILD/pfaff log=$BUILD/page.log

picture() {
  echo "no page: $1; the same machine as a picture:"
  echo "\$ $pfaff draw --out $BUILD/scene.svg $MODEL"
  "$pfaff" draw --out "$BUILD/scene.svg" "$MODEL"
  echo "$BUILD/scene.svg is written"
}

if [ ! -e page/dist/page.html ]; then
  echo "make page: the engine as WebAssembly, and what is in page/ (about a minute)"
  make --no-print-directory page >"$log" 2>&1
fi
if [ ! -e page/dist/page.html ]; then
  picture "$(tail -n 1 "$log") ($log)"
else
  echo "\$ $pfaff page --out $BUILD/demo.html $MODEL"
  "$pfaff" page --out "$BUILD/demo.html" "$MODEL" && echo "open $BUILD/demo.html in a browser; page/dist/playground.html has all examples"
fi
