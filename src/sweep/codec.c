/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/codec.h"

#include <string.h>

#ifdef PF_HAVE_ZSTD
#include "base/library.h"

#include <zstd.h>

#define FUNCTIONS(USE) \
  USE(ZSTD_compressBound) USE(ZSTD_createCCtx) USE(ZSTD_CCtx_setParameter) USE(ZSTD_compress2) USE(ZSTD_freeCCtx) \
  USE(ZSTD_decompress) USE(ZSTD_isError)

typedef struct Functions {
  FUNCTIONS(PF_LIBRARY_MEMBER)
} Functions;

PfCodec pf_codec_find(PfContext *ctx)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME)};
  enum { COUNT = sizeof names/sizeof *names };
  const PfLibrary library = {PF_ZSTD_FILE, names, COUNT, COUNT, NULL};
  const void *functions = NULL;
  return (PfCodec){pf_library_open(ctx, &library, &functions) == PF_OK ? functions : NULL};
}

/* With a sum of all bytes, so that one that changes on the disk is not read as a number. */
static size_t compress(const Functions *f, const void *bytes, size_t count, char *packed, size_t most)
{
  ZSTD_CCtx *work = f->ZSTD_createCCtx();
  if (!work) return (size_t)-1;
  (void)f->ZSTD_CCtx_setParameter(work, ZSTD_c_compressionLevel, PF_ZSTD_LEVEL);
  (void)f->ZSTD_CCtx_setParameter(work, ZSTD_c_checksumFlag, 1);
  const size_t size = f->ZSTD_compress2(work, packed, most, bytes, count);
  (void)f->ZSTD_freeCCtx(work);
  return size;
}

static bool pack(const Functions *f, const void *bytes, size_t count, PfText *packed)
{
  const size_t most = f->ZSTD_compressBound(count);
  if (!pf_reserve(packed->allocator, packed, packed->count + most + 1)) return false;
  const size_t size = compress(f, bytes, count, packed->at + packed->count, most);
  if (f->ZSTD_isError(size)) return false;
  packed->count += size;
  packed->at[packed->count] = 0;
  return true;
}

static bool unpack(const Functions *f, const char *packed, size_t size, void *bytes, size_t count)
{
  return f->ZSTD_decompress(bytes, count, packed, size) == count; /* an error is a huge number */
}
#else
typedef struct Functions {
  int none;
} Functions;

PfCodec pf_codec_find(PfContext *ctx)
{
  (void)ctx;
  return (PfCodec){NULL};
}

static bool pack(const Functions *f, const void *bytes, size_t count, PfText *packed)
{
  return f && bytes && count && packed && false;
}

static bool unpack(const Functions *f, const char *packed, size_t size, void *bytes, size_t count)
{
  return f && packed && size && bytes && count && false;
}
#endif

bool pf_codec_pack(const PfCodec *codec, const void *bytes, size_t count, PfText *packed)
{
  if (codec->functions) return pack(codec->functions, bytes, count, packed);
  pf_text_put(packed, bytes, count);
  return !packed->failed;
}

bool pf_codec_unpack(const PfCodec *codec, const char *packed, size_t size, void *bytes, size_t count)
{
  if (codec->functions) return unpack(codec->functions, packed, size, bytes, count);
  if (size == count) memcpy(bytes, packed, count);
  return size == count;
}
