#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/base/powers_of_ten.def: 10^k for k = -292 … 324 as 128 bits, the first of them set, rounded up. See src/base/digits.c."""
import pathlib


def power(k):
    """The least whole number that is not below 10^k 2^e, with e such that it has 128 bits."""
    numerator, denominator = (10**k, 1) if k >= 0 else (1, 10**-k)
    shift = 128 - (numerator.bit_length() - denominator.bit_length())
    for e in (shift - 1, shift, shift + 1):
        scaled = -(-(numerator << max(e, 0))//(denominator << max(-e, 0)))
        if scaled.bit_length() == 128:
            return scaled
    raise ValueError(k)


lines = ["/* SPDX-License-Identifier: Apache-2.0 */",
         "/* 10^k for k = -292 … 324, 128 bits each, rounded up; made by scripts/powers_of_ten.py. */"]
lines += [f"PF_POWER({power(k) >> 64:#018x}, {power(k) & (1 << 64) - 1:#018x}) /* {k} */" for k in range(-292, 325)]
path = pathlib.Path(__file__).resolve().parent.parent/"src/base/powers_of_ten.def"
path.write_text("\n".join(lines) + "\n", encoding="utf-8")
