/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled code from run to run: one file for each piece, in a folder of the user. Its name is the hash of all that
 * decides its contents, and at its end stands a hash of these, so that a file is what was written or is not used. Files
 * are written beside their place and renamed: runs at the same time do not disturb each other. */
#ifndef PF_CODEGEN_CACHE_H
#define PF_CODEGEN_CACHE_H

#include "codegen/sha256.h"

#include <stdbool.h>

enum { PF_CACHE_PATH = 4096 };

typedef struct PfCache {
  char folder[PF_CACHE_PATH - 128]; /* "": there is none, or it cannot be trusted */
  uint64_t limit; /* bytes of all files; beyond it the one that was not used for longest goes first */
} PfCache;

/* $XDG_CACHE_HOME/pfaff or ~/.cache/pfaff, made when it is not there. It must belong to the user and be writable by
 * nobody else. */
void pf_cache_open(PfCache *cache);

/* The path of the code with this key, once it is known to be whole; false: there is none. What is damaged is
 * removed. */
bool pf_cache_find(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], char path[PF_CACHE_PATH]);
/* Copies a file into the cache; gives its path there. */
bool pf_cache_put(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], const char *from,
                  char path[PF_CACHE_PATH]);

/* Removes a folder and the files in it. */
void pf_folder_remove(const char *folder);

#endif
