/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4). */
#include "codegen/sha256.h"

#include <stdio.h>
#include <string.h>

/* Fractions of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
static const uint32_t k[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int by)
{
  return x >> by | x << (32 - by);
}

/* The compression function on one block of 64 bytes (6.2.2). */
static void take_block(PfSha256 *s, const unsigned char *block)
{
  uint32_t w[64], x[8]; /* x: a to h */
  /* The message schedule (6.2.2, step 1). */
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4*i] << 24 | (uint32_t)block[4*i + 1] << 16 | (uint32_t)block[4*i + 2] << 8 | block[4*i + 3];
  for (int i = 16; i < 64; i++) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
  memcpy(x, s->h, sizeof x);
  for (int i = 0; i < 64; i++) {
    const uint32_t choice = (x[4] & x[5]) ^ (~x[4] & x[6]), most = (x[0] & x[1]) ^ (x[0] & x[2]) ^ (x[1] & x[2]);
    const uint32_t t1 = x[7] + (turned(x[4], 6) ^ turned(x[4], 11) ^ turned(x[4], 25)) + choice + k[i] + w[i];
    const uint32_t t2 = (turned(x[0], 2) ^ turned(x[0], 13) ^ turned(x[0], 22)) + most;
    memmove(x + 1, x, 7*sizeof *x);
    x[4] += t1;
    x[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) s->h[i] += x[i];
}

/* The initial hash value (5.3.3). */
void pf_sha256_begin(PfSha256 *s)
{
  *s = (PfSha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                        0x5be0cd19}};
}

/* Any number of bytes at a time. */
void pf_sha256_add(PfSha256 *s, const void *bytes, size_t count)
{
  const unsigned char *at = bytes;
  while (count) {
    const size_t used = s->size%64, part = count < 64 - used ? count : 64 - used;
    memcpy(s->block + used, at, part);
    s->size += part;
    at += part;
    count -= part;
    if (s->size%64 == 0) take_block(s, s->block);
  }
}

/* Padding and length (5.1.1); the state may not be used afterwards. */
void pf_sha256_end(PfSha256 *s, unsigned char hash[PF_SHA256_SIZE])
{
  const uint64_t bits = 8*s->size;
  static const unsigned char padding[64] = {0x80};
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8*i));
  pf_sha256_add(s, padding, 1 + (119 - s->size%64)%64);
  pf_sha256_add(s, length, sizeof length);
  for (int i = 0; i < PF_SHA256_SIZE; i++) hash[i] = (unsigned char)(s->h[i/4] >> (24 - 8*(i%4)));
}

/* Hexadecimal digits with a terminating zero. */
void pf_sha256_text(const unsigned char hash[PF_SHA256_SIZE], char text[2*PF_SHA256_SIZE + 1])
{
  for (int i = 0; i < PF_SHA256_SIZE; i++) snprintf(text + 2*i, 3, "%02x", hash[i]);
}
