/* SPDX-License-Identifier: Apache-2.0 */
/* ZIP archives (PKWARE's APPNOTE, the part of it that all programs read): a record before each file, the directory at
 * the end. */
#include "out/zip.h"

#include <string.h>

enum { DATE = 1 << 5 | 1, LATEST = 20, FROM_UNIX = 3 << 8, DEFLATED = 8 }; /* 1 January 1980; version 2.0 */

uint32_t pf_crc32(const unsigned char *bytes, size_t count)
{
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < count; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

void pf_put_little_endian(PfText *text, uint64_t value, int size)
{
  char bytes[8];
  for (int i = 0; i < size; i++) bytes[i] = (char)(unsigned char)(value >> 8*i & 255);
  pf_text_put(text, bytes, (size_t)size);
}

/* A number of a record, with its size in bytes. */
typedef struct Field {
  uint32_t value;
  int size;
} Field;

static void put_fields(PfText *text, const Field *fields, size_t count)
{
  for (size_t i = 0; i < count; i++) pf_put_little_endian(text, fields[i].value, fields[i].size);
}

void pf_zip_begin(PfZip *zip, PfContext *ctx, PfText *out)
{
  *zip = (PfZip){.ctx = ctx, .out = out};
  pf_text_init(&zip->directory, pf_context_allocator(ctx));
}

void pf_zip_add(PfZip *zip, const char *name, const char *bytes, size_t count)
{
  PfText packed, *text = &zip->directory;
  const uint32_t offset = (uint32_t)zip->out->count;
  pf_text_init(&packed, pf_context_allocator(zip->ctx));
  pf_deflate(zip->ctx, (const unsigned char *)bytes, count, &packed);
  /* Version, flags, method, time, date, sum, sizes, lengths: the record and the directory have them in common. */
  const Field entry[] = {{LATEST, 2}, {0, 2}, {DEFLATED, 2}, {0, 2}, {DATE, 2},
                         {pf_crc32((const unsigned char *)bytes, count), 4}, {(uint32_t)packed.count, 4},
                         {(uint32_t)count, 4}, {(uint32_t)strlen(name), 2}, {0, 2}};
  const Field more[] = {{0, 2}, {0, 2}, {0, 2}, {0100644u << 16, 4}, {offset, 4}};
  pf_put_little_endian(zip->out, 0x04034b50, 4);
  put_fields(zip->out, entry, sizeof entry/sizeof *entry);
  pf_text_add(zip->out, name);
  pf_text_put(zip->out, packed.at, packed.count);
  pf_put_little_endian(text, 0x02014b50, 4);
  pf_put_little_endian(text, LATEST | FROM_UNIX, 2);
  put_fields(text, entry, sizeof entry/sizeof *entry);
  put_fields(text, more, sizeof more/sizeof *more);
  pf_text_add(text, name);
  zip->count++;
  if (packed.failed) zip->out->failed = true;
  pf_text_free(&packed);
}

PfStatus pf_zip_end(PfZip *zip)
{
  size_t start = zip->out->count, size = zip->directory.count;
  bool fits = start + size < INT32_MAX && zip->count < UINT16_MAX;
  if (zip->directory.failed) zip->out->failed = true;
  pf_text_put(zip->out, zip->directory.at, size);
  const uint32_t files = (uint32_t)zip->count;
  const Field end[] = {{0x06054b50, 4}, {0, 2}, {0, 2}, {files, 2}, {files, 2}, {(uint32_t)size, 4},
                       {(uint32_t)start, 4}, {0, 2}};
  put_fields(zip->out, end, sizeof end/sizeof *end);
  pf_text_free(&zip->directory);
  if (!fits) return pf_fail(zip->ctx, PF_ERR_LIMIT, "the archive is too large");
  return zip->out->failed ? pf_no_room(zip->ctx, "the archive") : PF_OK;
}
