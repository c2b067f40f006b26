/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of ten with 128 bits, for the conversion of doubles to decimals. */
#ifndef PF_BASE_POWER_OF_TEN_H
#define PF_BASE_POWER_OF_TEN_H

#include <stdint.h>

enum { PF_LEAST_POWER_OF_TEN = -292, PF_GREATEST_POWER_OF_TEN = 324 };

typedef struct PfPowerOfTen {
  uint64_t high, low;
} PfPowerOfTen;

/* The least whole number that is not below 10^k 2^e, with e such that it has 128 bits, the first of them set; k from
 * PF_LEAST_POWER_OF_TEN to PF_GREATEST_POWER_OF_TEN. Costs three products of 64 bits. */
PfPowerOfTen pf_power_of_ten(int k);

#endif
