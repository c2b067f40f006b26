#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps as people use them. With zarr and xarray in build/python-env results are opened by them, too.
python=$2/build/python-env/bin/python
[ -x "$python" ] || python=python3
exec "$python" "$2/tests/cli/sweep_people.py" "$1" "$2"
