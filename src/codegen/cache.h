/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled code from run to run: one file for each piece, in a folder of the user. The name of a file is the hash of
 * everything that decides its contents, and a hash of the contents stands at its end: a damaged file is not used. Files
 * are written under another name and renamed: runs at the same time do not disturb each other. */
#ifndef PF_CODEGEN_CACHE_H
#define PF_CODEGEN_CACHE_H

#include "codegen/sha256.h"

#include <stdbool.h>

enum { PF_CACHE_PATH = 4096 };

typedef struct PfCache {
  char folder[PF_CACHE_PATH - 128]; /* "": there is none, or it cannot be trusted */
  uint64_t limit; /* bytes of all files; beyond it the one that was not used for longest goes first */
} PfCache;

/* $XDG_CACHE_HOME/pfaff or ~/.cache/pfaff, made when it is not there. It must belong to the user, and other users must
 * not have permission to write to it. */
void pf_cache_open(PfCache *cache);

/* The path of the code with this key, after its checksum was verified; false: there is none. A damaged file is
 * removed. */
bool pf_cache_find(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], char path[PF_CACHE_PATH]);
/* Copies a file into the cache and writes its path there to `path`; then the files that were not used for longest are
 * removed as long as all together are larger than the limit. False when the cache cannot be written. */
bool pf_cache_put(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], const char *from,
                  char path[PF_CACHE_PATH]);

/* Removes a folder and the files in it. */
void pf_folder_remove(const char *folder);

#endif
