/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks in few bytes, by zstd where it can be loaded. */
#ifndef PF_SWEEP_CODEC_H
#define PF_SWEEP_CODEC_H

#include "base/base.h"

typedef struct PfCodec {
  const void *functions; /* of the library; NULL: bytes as they are */
} PfCodec;

enum { PF_ZSTD_LEVEL = 3 };

/* The codec of this machine: loads the library, which belongs to the context. That it is missing is not a failure. */
PfCodec pf_codec_find(PfContext *ctx);
/* Appends the packed bytes to the text; false without memory. Threads may call this and the next at the same time. */
bool pf_codec_pack(const PfCodec *codec, const void *bytes, size_t count, PfText *packed);
/* Unpacks into exactly `count` bytes; false when the data are damaged. */
bool pf_codec_unpack(const PfCodec *codec, const char *packed, size_t size, void *bytes, size_t count);

#endif
