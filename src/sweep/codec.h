/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks in few bytes, by zstd where it can be loaded. */
#ifndef PF_SWEEP_CODEC_H
#define PF_SWEEP_CODEC_H

#include "base/base.h"

typedef struct PfCodec {
  const void *functions; /* NULL: bytes as they are */
} PfCodec;

enum { PF_ZSTD_LEVEL = 3 };

/* Whether it is there; no failure when it is not. */
PfCodec pf_codec_find(PfContext *ctx);
/* Threads may call these at the same time. Appends; false when there is no memory or the bytes are damaged. */
bool pf_codec_pack(const PfCodec *codec, const void *bytes, size_t count, PfText *packed);
bool pf_codec_unpack(const PfCodec *codec, const char *packed, size_t size, void *bytes, size_t count);

#endif
