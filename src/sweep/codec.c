/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of chunks by zstd, which is loaded when it is there; without it bytes are stored as they are. */
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

/* Appends the compressed bytes, with a sum of all of them, so that one that changes on the disk is not read as a
 * number. False without memory. */
static bool compress(const Functions *f, const void *bytes, size_t count, PfText *packed)
{
  const size_t most = f->ZSTD_compressBound(count);
  if (!pf_reserve(packed->allocator, packed, packed->count + most + 1)) return false;
  ZSTD_CCtx *work = f->ZSTD_createCCtx();
  if (!work) return false;
  (void)f->ZSTD_CCtx_setParameter(work, ZSTD_c_compressionLevel, PF_ZSTD_LEVEL);
  (void)f->ZSTD_CCtx_setParameter(work, ZSTD_c_checksumFlag, 1);
  const size_t size = f->ZSTD_compress2(work, packed->at + packed->count, most, bytes, count);
  (void)f->ZSTD_freeCCtx(work);
  if (f->ZSTD_isError(size)) return false;
  packed->count += size;
  packed->at[packed->count] = 0;
  return true;
}
#else
PfCodec pf_codec_find(PfContext *ctx)
{
  (void)ctx;
  return (PfCodec){NULL};
}
#endif

bool pf_codec_pack(const PfCodec *codec, const void *bytes, size_t count, PfText *packed)
{
#ifdef PF_HAVE_ZSTD
  if (codec->functions) return compress(codec->functions, bytes, count, packed);
#endif
  (void)codec;
  pf_text_put(packed, bytes, count);
  return !packed->failed;
}

bool pf_codec_unpack(const PfCodec *codec, const char *packed, size_t size, void *bytes, size_t count)
{
#ifdef PF_HAVE_ZSTD
  const Functions *f = codec->functions;
  if (f) return f->ZSTD_decompress(bytes, count, packed, size) == count; /* an error is a huge number */
#endif
  (void)codec;
  if (size == count) memcpy(bytes, packed, count);
  return size == count;
}
