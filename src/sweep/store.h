/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a sweep: in memory, or as a Zarr directory (version 3) that loses nothing.
 *
 *   study.zarr/zarr.json            what it is: words of the sweep, names, units, version
 *   study.zarr/m/zarr.json, m/c/0 … an array for each column, in chunks that are complete
 *   study.zarr/status, reason       how each member ended; the words of failures
 *   study.zarr/.pfaff/rows-…        members of chunks that are not complete yet, each written when it is done
 *   study.zarr/.pfaff/lock          held by who computes
 *
 * Files take their place by renaming. The status of a chunk is written last: where it is, all of the chunk is. A chunk
 * in which members are missing was left by a stop, and its members are in journals, too. */
#ifndef PF_SWEEP_STORE_H
#define PF_SWEEP_STORE_H

#include "sweep/codec.h"
#include "sweep/sweep_impl.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct PfChunk {
  double *columns;     /* columns x length */
  unsigned char *ends; /* length */
  char *reasons;       /* length x PF_REASON, or NULL while nothing has failed */
  atomic_llong left;   /* members that are missing */
} PfChunk;

typedef enum PfStoreMode {
  PF_STORE_NEW,    /* there must be no result yet */
  PF_STORE_RESUME, /* goes on, or begins */
  PF_STORE_JOIN,   /* puts parts together */
  PF_STORE_LOOK,   /* only reads: chunks, and rows that are in none yet */
  PF_STORE_STREAM  /* rows are not kept */
} PfStoreMode;

typedef struct PfRowStore {
  const PfSweep *sweep;
  const PfAllocator *allocator;
  char *path;            /* NULL: in memory */
  bool looking;          /* nothing is written */
  int part, parts;       /* 0: all */
  long long first, end;  /* members of this part */
  long long length;      /* rows of a chunk */
  long long chunk_count;
  _Atomic(PfChunk *) *chunks; /* NULL: complete, or not begun */
  bool *complete;        /* chunks that are in their files */
  unsigned char *present; /* a bit for each member from `first` on that was there at the beginning */
  long long loaded, loaded_failed; /* how many of them there are, and which have failed */
  long long from_journals; /* those that were not in chunks yet */
  int lock, part_lock;   /* descriptors, or -1 */
  bool busy;             /* somebody else has one of them */
  PfCodec codec;
  struct PfRowStream *stream; /* takes the rows; NULL: they are kept */
  pthread_mutex_t mutex;
  atomic_bool failed;    /* something could not be written: `trouble` says what */
  char trouble[512];
} PfRowStore;

/* What a thread writes its members to. */
typedef struct PfJournal {
  int fd;                /* -1: none */
  PfText record;
} PfJournal;

/* *busy (or NULL): it failed since somebody else has it. */
PfStatus pf_row_store_open(PfSweep *sweep, const char *path, PfStoreMode mode, int part, int parts, PfRowStore **store,
                           bool *busy);
/* One that is only read. */
PfStatus pf_row_store_look(PfSweep *sweep, const char *path, PfRowStore **store);
void pf_row_store_free(PfRowStore *store);
/* After all members of this part are there: what was only for going on is removed. */
PfStatus pf_row_store_finish(PfRowStore *store);
/* After a stop: chunks that are not complete are written as they are, for others who read the result. Their members
 * are in journals all the same. */
void pf_row_store_show(PfRowStore *store);
/* The failure in words. */
PfStatus pf_row_store_status(const PfRowStore *store);

bool pf_row_store_has(const PfRowStore *store, long long member);
/* From any thread, each with a journal of its own (NULL: the row was read from one). False when it cannot be kept. */
bool pf_row_store_put(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                      const char *reason);
/* Of memory or of files. Reads within one chunk or over several. */
PfStatus pf_row_store_read(PfContext *ctx, PfRowStore *store, long long first, long long count, double *columns,
                           unsigned char *ends, char *reasons);

/* Computes what a store lacks; pf_sweep_run_by opens the store and closes it. */
typedef PfStatus PfRunStore(void *user, PfSweep *sweep, PfRowStore *store, const PfSweepHow *how,
                            PfSweepResult *result);
PfStatus pf_sweep_run_by(PfSweep *sweep, const PfSweepHow *how, PfRunStore *run, void *user, PfSweepResult *result);

/* ---------------------------------------------------------------- parts of it */

/* journal.c */
PfStatus pf_journal_open(PfRowStore *store, PfJournal *journal);
void pf_journal_close(PfJournal *journal);
bool pf_journal_add(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                    const char *reason);
/* Puts all rows of journals into the store; removes the journals. */
PfStatus pf_journals_read(PfContext *ctx, PfRowStore *store);
void pf_journals_remove(PfRowStore *store);

/* zarr.c: metadata and chunks */
PfStatus pf_zarr_create(PfContext *ctx, const PfRowStore *store);
/* The words that are in a result; *words NULL when there is none. `version` and `codec` may be NULL. */
PfStatus pf_zarr_words(PfContext *ctx, PfArena *arena, const char *path, PfSweepWord **words, int *count,
                       const char **version, const char **codec);
bool pf_zarr_put_chunk(PfRowStore *store, long long index, const PfChunk *chunk);
void pf_zarr_remove(const PfRowStore *store);
bool pf_zarr_has_chunk(const PfRowStore *store, long long index);
/* How its members ended, alone. */
PfStatus pf_zarr_get_ends(PfContext *ctx, const PfRowStore *store, long long index, unsigned char *ends);
PfStatus pf_zarr_get_chunk(PfContext *ctx, const PfRowStore *store, long long index, PfChunk *chunk);

/* files.c */
/* study.zarr/rest, for those who print it with numbers. */
void pf_store_path(PfText *text, const PfRowStore *store, const char *format, ...) PF_PRINTF(3, 4);
/* A whole file, renamed into place; 0 or an error number. */
int pf_store_write(const PfRowStore *store, const char *path, const char *bytes, size_t count);
int pf_store_make_folder(const char *path);
/* Notes the first failure; false. */
bool pf_store_fail(PfRowStore *store, const char *path, int error);

#endif
