#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sweeps over processes by MPI, under the launchers that are installed.
exec python3 "$2/tests/cli/sweep_mpi.py" "$1" "$2"
