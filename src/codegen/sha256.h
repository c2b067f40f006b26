/* SPDX-License-Identifier: Apache-2.0 */
/* The hash SHA-256 (FIPS 180-4): names of compiled code, so that two different pieces never share one, and sums that
 * tell whether a file is what was written. */
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

void pf_sha256_begin(PfSha256 *s);
void pf_sha256_add(PfSha256 *s, const void *bytes, size_t count);
void pf_sha256_end(PfSha256 *s, unsigned char hash[PF_SHA256_SIZE]);

#endif
