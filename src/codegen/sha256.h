/* SPDX-License-Identifier: Apache-2.0 */
/* The hash SHA-256 (FIPS 180-4): names of compiled code, so that two different pieces never share one, and checksums of
 * files. */
#ifndef PF_CODEGEN_SHA256_H
#define PF_CODEGEN_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { PF_SHA256_SIZE = 32 };

typedef struct PfSha256 {
  uint32_t h[8];
  uint64_t size; /* bytes so far */
  unsigned char block[64];
} PfSha256;

/* Begins a hash. */
void pf_sha256_begin(PfSha256 *s);
/* Adds bytes to it. */
void pf_sha256_add(PfSha256 *s, const void *bytes, size_t count);
/* The hash of all bytes added; the state is used up. */
void pf_sha256_end(PfSha256 *s, unsigned char hash[PF_SHA256_SIZE]);
/* A hash in hexadecimal digits, with a 0 after them. */
void pf_sha256_text(const unsigned char hash[PF_SHA256_SIZE], char text[2*PF_SHA256_SIZE + 1]);

#endif
