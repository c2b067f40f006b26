/* SPDX-License-Identifier: Apache-2.0 */
/* ZIP archives (PKWARE's APPNOTE, what everybody reads of it): a record before each file, the directory at the end. */
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

/* Little-endian. */
static void put_number(PfText *text, uint32_t value, int size)
{
  for (int i = 0; i < size; i++) {
    char byte = (char)(unsigned char)(value >> 8*i & 255);
    pf_text_put(text, &byte, 1);
  }
}

void pf_zip_begin(PfZip *zip, PfContext *ctx, PfText *out)
{
  *zip = (PfZip){.ctx = ctx, .out = out};
  pf_text_init(&zip->directory, pf_context_allocator(ctx));
}

typedef struct Entry {
  const char *name;
  uint32_t crc, packed, size, offset;
} Entry;

/* What the record and the directory have in common. */
static void put_entry(PfText *text, const Entry *e)
{
  put_number(text, LATEST, 2);
  put_number(text, 0, 2);
  put_number(text, DEFLATED, 2);
  put_number(text, 0, 2);
  put_number(text, DATE, 2);
  put_number(text, e->crc, 4);
  put_number(text, e->packed, 4);
  put_number(text, e->size, 4);
  put_number(text, (uint32_t)strlen(e->name), 2);
  put_number(text, 0, 2);
}

static void put_directory_entry(PfText *text, const Entry *e)
{
  put_number(text, 0x02014b50, 4);
  put_number(text, LATEST | FROM_UNIX, 2);
  put_entry(text, e);
  put_number(text, 0, 2);
  put_number(text, 0, 2);
  put_number(text, 0, 2);
  put_number(text, 0100644u << 16, 4);
  put_number(text, e->offset, 4);
  pf_text_add(text, e->name);
}

void pf_zip_add(PfZip *zip, const char *name, const char *bytes, size_t count)
{
  PfText packed;
  pf_text_init(&packed, pf_context_allocator(zip->ctx));
  pf_deflate(zip->ctx, (const unsigned char *)bytes, count, &packed);
  Entry e = {.name = name, .crc = pf_crc32((const unsigned char *)bytes, count), .packed = (uint32_t)packed.count,
             .size = (uint32_t)count, .offset = (uint32_t)zip->out->count};
  put_number(zip->out, 0x04034b50, 4);
  put_entry(zip->out, &e);
  pf_text_add(zip->out, name);
  pf_text_put(zip->out, packed.at, packed.count);
  put_directory_entry(&zip->directory, &e);
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
  put_number(zip->out, 0x06054b50, 4);
  put_number(zip->out, 0, 2);
  put_number(zip->out, 0, 2);
  put_number(zip->out, (uint32_t)zip->count, 2);
  put_number(zip->out, (uint32_t)zip->count, 2);
  put_number(zip->out, (uint32_t)size, 4);
  put_number(zip->out, (uint32_t)start, 4);
  put_number(zip->out, 0, 2);
  pf_text_free(&zip->directory);
  if (!fits) return pf_fail(zip->ctx, PF_ERR_LIMIT, "the archive is too large");
  return zip->out->failed ? pf_no_room(zip->ctx, "the archive") : PF_OK;
}
