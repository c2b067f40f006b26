/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as ZIP: the same files, the same bytes. All files have one date; nothing of the system gets in. */
#ifndef PF_SRC_OUT_ZIP_H
#define PF_SRC_OUT_ZIP_H

#include "out/out.h"

/* Appends the bytes to `out` as deflated data (RFC 1951), in one block: O(count), with scratch memory of some 12 bytes
 * for each. Without memory `out` is marked as failed. */
void pf_deflate(PfContext *ctx, const unsigned char *bytes, size_t count, PfText *out);

/* The checksum of ZIP and PNG (polynomial 0xEDB88320). */
uint32_t pf_crc32(const unsigned char *bytes, size_t count);

typedef struct PfZip {
  PfContext *ctx;
  PfText *out;      /* the archive */
  PfText directory; /* its end */
  int count;
} PfZip;

/* An empty archive that grows at the end of `out`, which must outlive it. */
void pf_zip_begin(PfZip *zip, PfContext *ctx, PfText *out);
/* Adds a file. Names have folders before slashes; the caller sees to it that they are relative and plain. */
void pf_zip_add(PfZip *zip, const char *name, const char *bytes, size_t count);
/* Appends the directory, which ends the archive. Fails with PF_ERR_MEMORY, and with PF_ERR_LIMIT when the archive is
 * larger than the format allows. */
PfStatus pf_zip_end(PfZip *zip);

#endif
