/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a sweep: in memory, or as a Zarr directory (version 3) that loses nothing.
 *
 *   study.zarr/zarr.json            what it is: settings of the sweep, names, units, version
 *   study.zarr/m/zarr.json, m/c/0 … an array for each column, in chunks that are complete
 *   study.zarr/status, reason       how each member ended; the words of failures
 *   study.zarr/.pfaff/rows-…        members of chunks that are not complete yet, each written when it is done
 *   study.zarr/.pfaff/lock          held by the process that computes
 *
 * Files take their place by renaming. The status of a chunk is written last: where it is, all of the chunk is. A chunk
 * in which members are missing was left by a stop, and its members are in journals, too. */
#ifndef PF_SWEEP_STORE_H
#define PF_SWEEP_STORE_H

#include "sweep/codec.h"
#include "sweep/sweep_impl.h"

#include <pthread.h>
#include <stdatomic.h>

/* Rows of neighbouring members, column by column: each array has a file for them. */
typedef struct PfChunk {
  double *columns;     /* columns x length */
  unsigned char *ends; /* length */
  char *reasons;       /* length x PF_REASON, or NULL while nothing has failed */
  atomic_llong left;   /* members that are missing */
} PfChunk;

typedef enum PfStoreMode {
  PF_STORE_NEW,    /* a result must not exist yet */
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
  long long length;      /* of a chunk: members */
  long long chunk_count;
  _Atomic(PfChunk *) *chunks; /* NULL: complete, or not begun */
  bool *complete;        /* chunks that are in their files */
  unsigned char *present; /* a bit for each member from `first` on that was there at the beginning */
  long long loaded, loaded_failed; /* how many of them there are, and which have failed */
  long long from_journals; /* those that were not in chunks yet */
  int lock, part_lock;   /* descriptors, or -1 */
  bool busy;             /* another process has one of them */
  PfCodec codec;
  struct PfRowStream *stream; /* takes the rows; NULL: they are kept */
  pthread_mutex_t mutex;
  atomic_bool failed;    /* something could not be written: `trouble` says what */
  char trouble[512];
} PfRowStore;

/* The file to which a thread writes its members. */
typedef struct PfJournal {
  int fd;                /* -1: none */
  PfText record;
} PfJournal;

/* Opens the rows of a sweep: part number `part` (1, 2, …) of `parts`, or all of them where that is 0. The path (NULL:
 * rows stay in memory) is copied. Rows of a result at the path are loaded, and the result is locked; *busy (or NULL)
 * gets whether it failed since another process has it. Fails where the mode forbids it and where the result was made
 * with other settings. The caller frees the store by pf_row_store_free, also before the sweep is freed. */
PfStatus pf_row_store_open(PfSweep *sweep, const char *path, PfStoreMode mode, int part, int parts, PfRowStore **store,
                           bool *busy);
/* One that is only read, without locks: another process may be writing it. */
PfStatus pf_row_store_open_readonly(PfSweep *sweep, const char *path, PfRowStore **store);
/* Releases the locks and frees the store; rows in files stay. NULL is allowed. */
void pf_row_store_free(PfRowStore *store);
/* After all members of this part are there: removes the files that were needed only to resume. Fails where something
 * could not be written. */
PfStatus pf_row_store_finish(PfRowStore *store);
/* After a stop: chunks that are not complete are written as they are, for other programs that read the result. Their
 * members are in journals all the same. */
void pf_row_store_show(PfRowStore *store);
/* PF_OK, or the first failure to write, in words. */
PfStatus pf_row_store_status(const PfRowStore *store);

/* Was the member in the result when the store was opened? O(1). */
bool pf_row_store_has(const PfRowStore *store, long long member);
/* Keeps the row of a member (columns in their units), how it ended, and of a failure the PF_REASON bytes of its reason.
 * May be called from any thread, each with a journal of its own (NULL: the row was read from one). The thread that
 * brings the last row of a chunk writes it. False, with the failure noted in the store, when the row cannot be kept. */
bool pf_row_store_put(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                      const char *reason);
/* Reads `count` rows from `first` on, from memory or files, within one chunk or over several: columns one after the
 * other (columns x count, or NULL), ends, reasons (count x PF_REASON, or NULL). Missing members are NaN and
 * PF_MEMBER_MISSING, without a reason. */
PfStatus pf_row_store_read(PfContext *ctx, PfRowStore *store, long long first, long long count, double *columns,
                           unsigned char *ends, char *reasons);

/* Computes the missing rows of a store; pf_sweep_run_by opens the store and closes it. */
typedef PfStatus PfRunStore(void *user, PfSweep *sweep, PfRowStore *store, const PfSweepRunOptions *how,
                            PfSweepResult *result);
/* pf_sweep_run with `run` in the place of the thread pool: checks the sweep, opens the store, lets `run` compute the
 * members that it lacks, and completes or closes the result. */
PfStatus pf_sweep_run_by(PfSweep *sweep, const PfSweepRunOptions *how, PfRunStore *run, void *user,
                         PfSweepResult *result);

/* ---------------------------------------------------------------- journals (journal.c) */

/* Opens the journal of a thread: a checkpoint file with its members that no complete chunk holds yet. Without a folder
 * there is none, and the calls below do nothing. The caller closes it, also after a failure. */
PfStatus pf_journal_open(PfRowStore *store, PfJournal *journal);
/* Closes the file, which stays. */
void pf_journal_close(PfJournal *journal);
/* Appends one member with a checksum; false (and the failure noted in the store) when it cannot be written. */
bool pf_journal_add(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                    const char *reason);
/* Puts all rows of journals into the store. */
PfStatus pf_journals_read(PfContext *ctx, PfRowStore *store);
/* Removes the journals of this part; with all parts, also locks of parts and the remains of other files after a kill.
 * */
void pf_journals_remove(PfRowStore *store);

/* ---------------------------------------------------------------- metadata and chunks (zarr.c) */

/* Writes the metadata of the group and of all arrays; there are no chunks yet. */
PfStatus pf_zarr_create(PfContext *ctx, const PfRowStore *store);
/* The settings in the result at `path`, with its version and codec (either may be NULL); all in the arena. *settings is
 * NULL where there is no result, which is not a failure. */
PfStatus pf_zarr_settings(PfContext *ctx, PfArena *arena, const char *path, PfSweepSetting **settings, int *count,
                          const char **version, const char **codec);
/* Writes the files of one chunk, the status last. False, with the failure noted in the store, when one cannot be
 * written. */
bool pf_zarr_put_chunk(PfRowStore *store, long long index, const PfChunk *chunk);
/* Removes a result: first the metadata, without which the remains do not count as one, then the chunks; locks of parts
 * stay, and so does a folder that is not empty afterwards. */
void pf_zarr_remove(const PfRowStore *store);
/* Is the status of the chunk in its file, and with it all of the chunk? */
bool pf_zarr_has_chunk(const PfRowStore *store, long long index);
/* Reads only how the members of a chunk ended: `length` bytes. */
PfStatus pf_zarr_get_ends(PfContext *ctx, const PfRowStore *store, long long index, unsigned char *ends);
/* Reads all columns, the status and the reasons of a chunk into the arrays of `chunk`, reasons among them. */
PfStatus pf_zarr_get_chunk(PfContext *ctx, const PfRowStore *store, long long index, PfChunk *chunk);

/* ---------------------------------------------------------------- files (files.c) */

/* A path inside a result. A longer one is cut, and is then still too long for the system. */
typedef struct PfStorePath {
  char at[4400];
} PfStorePath;
/* study.zarr/rest, where the rest is a format of printf. */
PfStorePath pf_store_path(const PfRowStore *store, const char *format, ...) PF_PRINTF(2, 3);
/* A whole file, renamed into place; 0 or an error number. */
int pf_store_write(const PfRowStore *store, const char *path, const char *bytes, size_t count);
/* Makes the folder where it is missing; 0 or an error number. */
int pf_store_make_folder(const char *path);
/* Notes the first failure of all threads, with its path and error number; false. */
bool pf_store_fail(PfRowStore *store, const char *path, int error);

#endif
