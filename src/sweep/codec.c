/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/codec.h"

#include <string.h>

#ifdef PF_HAVE_ZSTD
#include "base/library.h"

#include <zstd.h>

#define FUNCTIONS(USE) USE(ZSTD_compressBound) USE(ZSTD_compress) USE(ZSTD_decompress) USE(ZSTD_isError)

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

static bool pack(const Functions *f, const void *bytes, size_t count, PfText *packed)
{
  const size_t most = f->ZSTD_compressBound(count);
  if (!pf_reserve(packed->allocator, packed, packed->count + most + 1)) return false;
  const size_t size = f->ZSTD_compress(packed->at + packed->count, most, bytes, count, PF_ZSTD_LEVEL);
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
