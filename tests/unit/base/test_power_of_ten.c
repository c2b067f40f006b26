/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of ten with 128 bits against whole numbers of any length. */
#include "support.h"

#include "base/power_of_ten.h"

enum { WORDS = 48 }; /* of 32 bits, the lowest first */

typedef struct Whole {
  uint32_t word[WORDS];
} Whole;

static void multiply_by_ten(Whole *x)
{
  uint64_t carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (uint64_t)x->word[i]*10;
    x->word[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

/* The quotient; floor(floor(x/10)/10) = floor(x/100). */
static void divide_by_ten(Whole *x)
{
  uint64_t rest = 0;
  for (int i = WORDS; i-- > 0;) {
    rest = rest << 32 | x->word[i];
    x->word[i] = (uint32_t)(rest/10);
    rest %= 10;
  }
}

static bool bit(const Whole *x, int i)
{
  return i >= 0 && (x->word[i/32] >> i%32 & 1);
}

/* The first 128 bits; one more in the last place when anything follows them. */
static PfPowerOfTen first_bits(const Whole *x, bool cut_off)
{
  int top = 32*WORDS - 1;
  while (!bit(x, top)) top--;
  PfPowerOfTen power = {0, 0};
  for (int i = 0; i < 64; i++) power.high = power.high << 1 | bit(x, top - i);
  for (int i = 64; i < 128; i++) power.low = power.low << 1 | bit(x, top - i);
  for (int i = 128; i <= top; i++) cut_off |= bit(x, top - i);
  if (cut_off && !++power.low) power.high++;
  return power;
}

static void every_power_is_rounded_up(void **state)
{
  (void)state;
  Whole x = {{1}};
  for (int k = 0; k <= PF_GREATEST_POWER_OF_TEN; k++, multiply_by_ten(&x)) {
    PfPowerOfTen exact = first_bits(&x, false), power = pf_power_of_ten(k);
    assert_true(power.high == exact.high && power.low == exact.low);
  }
  x = (Whole){.word[WORDS - 1] = 1}; /* 2^1504 */
  for (int k = -1; k >= PF_LEAST_POWER_OF_TEN; k--) {
    divide_by_ten(&x);
    PfPowerOfTen exact = first_bits(&x, true), power = pf_power_of_ten(k);
    assert_true(power.high == exact.high && power.low == exact.low);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_power_is_rounded_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
