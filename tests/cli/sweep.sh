#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What 'pfaff sweep' promises. With zarr and xarray in build/python-env results are opened by them, too.
python=$2/build/python-env/bin/python
[ -x "$python" ] || python=python3
exec "$python" "$2/tests/cli/sweep.py" "$1" "$2"
