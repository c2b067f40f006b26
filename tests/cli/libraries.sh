#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Libraries are loaded by what needs them, and whatever does not need one works without it.
set -u
. "$(dirname "$0")/common.sh"

if command -v ldd >/dev/null; then
  ldd "$program" >"$place/libraries" 2>&1 || true
  ! grep -q 'librsvg\|libcairo\|libflint\|libopenblas\|liblapack' "$place/libraries" ||
    fail "the program is linked to what only some commands need"
fi

# An empty file in front of each: found, and not to be loaded.
names=$(grep -ao 'lib[a-z_0-9]*\.so\.[0-9][0-9.]*' "$program" | grep 'flint\|openblas\|lapack\|sundials\|expat\|hdf5' | sort -u)
mkdir "$place/broken"
for name in $names; do : >"$place/broken/$name"; done
LD_LIBRARY_PATH="$place/broken${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
run 0 check "$source/examples/skates/snakeboard.pf"
run 0 derive "$source/examples/skates/snakeboard.pf"
says out "x'' "
run 0 study linearize "$source/examples/wheels/bicycle.pf"
says_nothing err
run 0 run --out "$place/run.csv" "$source/examples/skates/snakeboard.pf"
if echo "$names" | grep -q sundials; then
  run 1 run --by cvode_bdf --out "$place/none.csv" "$source/examples/skates/snakeboard.pf"
  says err "needs SUNDIALS (Debian: libsundials-cvode6, libsundials-ida6), which cannot be loaded: "
fi
if echo "$names" | grep -q expat; then
  run 1 import "$source/examples/robots/arm7.urdf"
  says err "URDF is read by expat (Debian: libexpat1), which cannot be loaded: "
fi
run 1 sweep -p m=1,2 --take x --for 0.1 --out "$place/none.h5" "$source/examples/wheels/piano_wheel.pf"
says err "HDF5 files are written by libhdf5, "
says err ".zarr directory, .mat and .csv need no library"
finish
