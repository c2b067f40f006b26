/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of ten with 128 bits, from one in 28 of them with 192 bits and the powers of five between: 10^k = 10^K 10^j
 * with K a multiple of 28 and 0 <= j < 28. The 64 bits more than the result has make the product exact after rounding
 * for every k of a double; a test compares all of them with whole numbers of any length. */
#include "base/power_of_ten.h"

#include "base/wide.h"

#include <assert.h>

enum { STEP = 28, FIRST = -308 };

/* 10^K 2^e for K = -308, -280 … 308, rounded up, with e such that the first bit is set. */
static const uint64_t coarse[][3] = {
  {0xe61acf033d1a45df, 0x6fb92487298e33bd, 0xadd7728c20b99bd2}, /* -308 */
    {0xe858ad248f5c22c9, 0xd1b3400f8f9cff68, 0xf910f9f648232f15}, /* -280 */
    {0xea9c227723ee8bcb, 0x465e15a979c1cadc, 0x0a0ce827eac11f2e}, /* -252 */
    {0xece53cec4a314ebd, 0xa4f8bf5635246428, 0x4609ac5c7899ca37}, /* -224 */
    {0xef340a98172aace4, 0x86fb897116c87c34, 0x9c39c1da4c49278e}, /* -196 */
    {0xf18899b1bc3f8ca1, 0xdc44e6c3cb279ac1, 0xf80f36174730ca35}, /* -168 */
    {0xf3e2f893dec3f126, 0x5a89dba3c3efccfa, 0xd8ecb58659be9c91}, /* -140 */
    {0xf64335bcf065d37d, 0x4d4617b5ff4a16d5, 0xaa09501d5954a55a}, /* -112 */
    {0xf8a95fcf88747d94, 0x75a44c6397ce912a, 0x33cca6c06b07b74e}, /* -84 */
    {0xfb158592be068d2e, 0xeed6e2f0f0d56712, 0xac2e4f162cfad40b}, /* -56 */
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc, 0x76dcb60081ce0fa6}, /* -28 */
    {0x8000000000000000, 0x0000000000000000, 0x0000000000000000}, /* 0 */
    {0x813f3978f8940984, 0x4000000000000000, 0x0000000000000000}, /* 28 */
    {0x82818f1281ed449f, 0xbff8f10e7a8921a4, 0x2000000000000000}, /* 56 */
    {0x83c7088e1aab65db, 0x792667c6da79e0fa, 0x0861d3ee22d1cc54}, /* 84 */
    {0x850fadc09923329e, 0x03e2cf6bc604ddb0, 0x74a7ef0198791098}, /* 112 */
    {0x865b86925b9bc5c2, 0x0b8a2392ba45a9b2, 0x5c6658d409fb8bf8}, /* 140 */
    {0x87aa9aff79042286, 0x90fb44d2f05d0842, 0xfb118fc9c217a1d3}, /* 168 */
    {0x88fcf317f22241e2, 0x441fece3bdf81f03, 0x12f274928400100e}, /* 196 */
    {0x8a5296ffe33cc92f, 0x82bd6b70d99aaa6f, 0xbc10c5c5cda97c8e}, /* 224 */
    {0x8bab8eefb6409c1a, 0x1ad089b6c2f7548e, 0x25c7b885ba466e38}, /* 252 */
    {0x8d07e33455637eb2, 0xdb0b487b6423e1e8, 0x7ec63730f500b407}, /* 280 */
    {0x8e679c2f5e44ff8f, 0x570f09eaa7ea7648, 0x5961db50c6d2b887}, /* 308 */
};

/* 5^j 2^e for j = 0 … 27, exact, with e such that the first bit is set. */
static const uint64_t fives[STEP] = {
  0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000,
  0x9c40000000000000, 0xc350000000000000, 0xf424000000000000, 0x9896800000000000,
  0xbebc200000000000, 0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000,
  0xe8d4a51000000000, 0x9184e72a00000000, 0xb5e620f480000000, 0xe35fa931a0000000,
  0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000, 0x8ac7230489e80000,
  0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
  0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a,
};

/* The product of 192 and 64 bits, whose first bit is set in both, has 255 or 256 bits: at most one shift brings its
 * first bit to the front, and the result is rounded up if anything but zeros follows its 128 bits. */
PfPowerOfTen pf_power_of_ten(int k)
{
  assert(k >= PF_LEAST_POWER_OF_TEN && k <= PF_GREATEST_POWER_OF_TEN);
  const uint64_t *a = coarse[(k - FIRST)/STEP], b = fives[(k - FIRST)%STEP];
  uint64_t word[4], low;
  word[2] = pf_multiply_wide(a[2], b, &word[3]);
  word[1] = pf_multiply_wide(a[1], b, &low);
  word[2] += low;
  word[1] += word[2] < low;
  word[0] = pf_multiply_wide(a[0], b, &low);
  word[1] += low;
  word[0] += word[1] < low;
  if (!(word[0] >> 63)) {
    word[0] = word[0] << 1 | word[1] >> 63;
    word[1] = word[1] << 1 | word[2] >> 63;
    word[2] = word[2] << 1;
  }
  PfPowerOfTen power = {word[0], word[1] + ((word[2] | word[3]) != 0)};
  power.high += power.low < word[1];
  return power;
}
