/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sweep while they are computed, in chunks: in memory, or written as a Zarr directory when a chunk is
 * complete. Opening compares the settings of a result that is there, takes the file locks and loads what earlier runs
 * have left; reading works from memory and from files. */
#include "sweep/store.h"
#include "sweep/stream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------- chunks */

static void free_chunk(const PfRowStore *store, PfChunk *chunk)
{
  if (!chunk) return;
  pf_release(store->allocator, chunk->columns);
  pf_release(store->allocator, chunk->ends);
  pf_release(store->allocator, chunk->reasons);
  pf_release(store->allocator, chunk);
}

/* An empty chunk, NULL without memory. Past the last member it has rows of NaN, as Zarr wants it: chunks are whole.
 * `reasons`: with room for the reasons of failures. */
static PfChunk *new_chunk(const PfRowStore *store, long long index, bool reasons)
{
  const PfAllocator *allocator = store->allocator;
  const size_t rows = (size_t)store->length, cells = rows*(size_t)store->sweep->columns;
  const long long rest = store->sweep->plan.count - index*store->length;
  PfChunk *chunk = pf_allocate(allocator, sizeof *chunk);
  if (!chunk) return NULL;
  *chunk = (PfChunk){.columns = pf_allocate(allocator, cells*sizeof(double)), .ends = pf_allocate(allocator, rows),
                     .reasons = reasons ? pf_allocate(allocator, rows*PF_REASON) : NULL};
  if (!chunk->columns || !chunk->ends || (reasons && !chunk->reasons)) return free_chunk(store, chunk), NULL;
  for (size_t i = 0; i < cells; i++) chunk->columns[i] = NAN;
  memset(chunk->ends, PF_MEMBER_MISSING, rows);
  atomic_init(&chunk->left, rest < store->length ? rest : store->length);
  return chunk;
}

/* The chunk with that index, with room for reasons where one is needed; the first thread that needs it makes it. NULL
 * without memory. */
static PfChunk *get_chunk(PfRowStore *store, long long index, bool reasons)
{
  PfChunk *chunk = atomic_load(store->chunks + index);
  if (chunk && !reasons) return chunk;
  pthread_mutex_lock(&store->mutex);
  chunk = atomic_load(store->chunks + index);
  if (!chunk) {
    chunk = new_chunk(store, index, false);
    atomic_store(store->chunks + index, chunk);
  }
  if (chunk && reasons && !chunk->reasons) {
    const size_t size = (size_t)store->length*PF_REASON;
    chunk->reasons = pf_allocate(store->allocator, size);
    if (chunk->reasons) memset(chunk->reasons, 0, size);
    else chunk = NULL;
  }
  pthread_mutex_unlock(&store->mutex);
  return chunk;
}

/* ---------------------------------------------------------------- rows */

bool pf_row_store_has(const PfRowStore *store, long long member)
{
  const long long at = member - store->first;
  if (store->stream) return false;
  return store->complete[member/store->length] || (store->present && store->present[at/8] >> at%8 & 1);
}

bool pf_row_store_put(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                      const char *reason)
{
  const long long index = member/store->length, at = member%store->length, bit = member - store->first;
  if (store->stream) return pf_stream_put(store->stream, member, row, end, reason), true;
  if (!journal) { /* from a journal of an earlier run */
    store->present[bit/8] = (unsigned char)(store->present[bit/8] | 1 << bit%8);
    store->loaded++;
  } else if (store->path && !pf_journal_add(store, journal, member, row, end, reason)) return false;
  if (store->parts) return true; /* rows of a part wait for the others in their journal */
  const bool failed = end >= PF_MEMBER_NO_START;
  PfChunk *chunk = get_chunk(store, index, failed);
  if (!chunk) return pf_store_fail(store, "rows", ENOMEM);
  for (int i = 0; i < store->sweep->columns; i++) chunk->columns[i*store->length + at] = row[i];
  chunk->ends[at] = (unsigned char)end;
  if (failed) memcpy(chunk->reasons + at*PF_REASON, reason, PF_REASON);
  if (atomic_fetch_sub(&chunk->left, 1) > 1 || !store->path || store->looking) return true;
  /* All members of the chunk are there. */
  if (!pf_zarr_put_chunk(store, index, chunk)) return false;
  store->complete[index] = true;
  atomic_store(store->chunks + index, NULL);
  free_chunk(store, chunk);
  return true;
}

/* ---------------------------------------------------------------- opening */

/* Locks a file of the result without waiting, by flock with `kind`: shared or exclusive. The descriptor is *fd; where
 * another process has the lock the store is busy. */
static PfStatus take_lock(PfContext *ctx, PfRowStore *store, const char *name, int kind, int *fd)
{
  *fd = open(pf_store_path(store, ".pfaff/%s", name).at, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (*fd < 0) return pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", store->path, strerror(errno));
  if (flock(*fd, kind | LOCK_NB) == 0) return PF_OK;
  store->busy = true;
  pf_fail(ctx, PF_ERR_FILE, "another sweep is writing '%s'", store->path);
  pf_hint(ctx, "wait for it, stop it, or write elsewhere by @out");
  return PF_ERR_FILE;
}

/* The result was made with the value `there` of a setting, and the sweep has `here` (NULL: nothing). */
static PfStatus differs(PfContext *ctx, const char *path, const char *what, const char *there, const char *here)
{
  if (!strcmp(what, "model")) pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' is the result of another text of the model", path);
  else
    pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' was made with @%s %.120s, not %.120s", path,
            pf_word_subject(what), there ? there : "(nothing)", here ? here : "(nothing)");
  pf_hint(ctx, "@task{sweep @resume{%s}} alone goes on as it was begun; @out begins another", path);
  return PF_ERR_ARGUMENT;
}

/* Whether there is a result at the path, *there. Fails where the mode does not allow that, and where the result was
 * made with other settings, by another version, or with another compression. */
static PfStatus look_at_result(PfContext *ctx, PfArena *arena, const PfRowStore *store, PfStoreMode mode, bool *there)
{
  PfSweepSetting *settings;
  const char *version = NULL, *codec = NULL;
  int count;
  PF_TRY(pf_zarr_settings(ctx, arena, store->path, &settings, &count, &version, &codec));
  *there = settings;
  if (!settings && mode == PF_STORE_JOIN)
    return pf_fail(ctx, PF_ERR_FILE, "'%s' has no parts of a sweep", store->path);
  if (!settings) return PF_OK;
  if (mode == PF_STORE_NEW && !store->parts) {
    pf_fail(ctx, PF_ERR_FILE, "'%s' is there already", store->path);
    pf_hint(ctx, "@task{sweep @resume{%s}} goes on with it; or remove it, or write elsewhere by @out", store->path);
    return PF_ERR_FILE;
  }
  const PfSweep *sweep = store->sweep;
  const char *own = store->codec.functions ? "zstd" : "none";
  PfSettingDifference d;
  if (pf_settings_differ(settings, count, sweep->settings, sweep->setting_count, &d))
    return differs(ctx, store->path, d.key, d.there, d.here);
  if (!version || strcmp(version, pf_version()) != 0)
    return differs(ctx, store->path, "version", version, pf_version());
  return codec && !strcmp(codec, own) ? PF_OK : differs(ctx, store->path, "codec", codec, own);
}

/* A folder with something else in it stays as it is: fails unless the path is free, or a folder that is empty but for
 * ours. It is only looked at and not removed: another process may be about to write into it. */
static PfStatus refuse_others(PfContext *ctx, const PfRowStore *store)
{
  struct stat status;
  if (stat(store->path, &status) != 0) return PF_OK;
  if (!S_ISDIR(status.st_mode)) return pf_fail(ctx, PF_ERR_FILE, "'%s' is no folder", store->path);
  if (stat(pf_store_path(store, ".pfaff").at, &status) == 0) return PF_OK;
  DIR *folder = opendir(store->path);
  bool empty = folder;
  for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
    empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || !strcmp(entry->d_name, ".pfaff"));
  if (folder) closedir(folder);
  return empty ? PF_OK : pf_fail(ctx, PF_ERR_FILE, "'%s' is a folder with something else in it", store->path);
}

/* Notes which members the result has: those of chunks in which none is missing, by their ends, and those of journals,
 * whose rows are read. Reads one byte per member of complete chunks. */
static PfStatus load(PfContext *ctx, PfRowStore *store)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  unsigned char *ends = pf_arena_array(scratch, unsigned char, store->length);
  PfStatus status = ends ? PF_OK : pf_no_room(ctx, "the rows");
  for (long long i = 0; i < store->chunk_count && status == PF_OK; i++) {
    const long long first = i*store->length, rest = store->sweep->plan.count - first;
    const long long rows = rest < store->length ? rest : store->length;
    if (!pf_zarr_has_chunk(store, i)) continue;
    status = pf_zarr_get_ends(ctx, store, i, ends);
    if (status != PF_OK || memchr(ends, PF_MEMBER_MISSING, (size_t)rows)) continue;
    store->complete[i] = true;
    for (long long k = 0; k < rows; k++) {
      const bool ours = first + k >= store->first && first + k < store->end;
      store->loaded += ours;
      store->loaded_failed += ours && ends[k] >= PF_MEMBER_NO_START;
    }
  }
  pf_arena_release(scratch, mark);
  PF_TRY(status);
  const long long before = store->loaded;
  PF_TRY(pf_journals_read(ctx, store));
  store->from_journals = store->loaded - before;
  return PF_OK;
}

/* Creates or opens the Zarr directory, locks it, and loads the members that are there. */
static PfStatus open_folder(PfContext *ctx, PfArena *arena, PfRowStore *store, PfStoreMode mode)
{
  bool there;
  PF_TRY(look_at_result(ctx, arena, store, mode, &there));
  if (!there) PF_TRY(refuse_others(ctx, store));
  int error = pf_store_make_folder(store->path);
  if (!error) error = pf_store_make_folder(pf_store_path(store, ".pfaff").at);
  if (error) return pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", store->path, strerror(error));
  /* A process that computes all of it is alone; of parts there are many, each locked once. */
  char name[64];
  PF_TRY(take_lock(ctx, store, "lock", store->parts ? LOCK_SH : LOCK_EX, &store->lock));
  if (store->parts) {
    snprintf(name, sizeof name, "lock-%d-%d", store->part, store->parts);
    PF_TRY(take_lock(ctx, store, name, LOCK_EX, &store->part_lock));
  }
  if (!there) PF_TRY(pf_zarr_create(ctx, store));
  return load(ctx, store);
}

/* Room for chunks and flags, and the folder unless rows stay in memory. */
static PfStatus open_store(PfContext *ctx, PfRowStore *store, PfStoreMode mode, const char *path)
{
  const PfAllocator *allocator = store->allocator;
  if (path) {
    store->path = pf_allocate(allocator, strlen(path) + 1);
    if (!store->path) return pf_no_room(ctx, "the rows");
    memcpy(store->path, path, strlen(path) + 1);
  }
  if (mode == PF_STORE_STREAM) return PF_OK;
  const size_t count = (size_t)store->chunk_count, bits = (size_t)(store->end - store->first)/8 + 1;
  store->chunks = pf_allocate(allocator, count*sizeof *store->chunks);
  store->complete = pf_allocate(allocator, count*sizeof *store->complete);
  store->present = pf_allocate(allocator, bits);
  if (!store->chunks || !store->complete || !store->present) return pf_no_room(ctx, "the rows");
  for (size_t i = 0; i < count; i++) atomic_init(store->chunks + i, NULL);
  memset(store->complete, 0, count*sizeof *store->complete);
  memset(store->present, 0, bits);
  if (!store->path) return PF_OK;
  if (store->looking) return load(ctx, store);
  PfArena *arena = pf_arena_new(allocator);
  PfStatus status = arena ? open_folder(ctx, arena, store, mode) : pf_no_room(ctx, "the result");
  pf_arena_free(arena);
  return status;
}

PfStatus pf_row_store_open(PfSweep *sweep, const char *path, PfStoreMode mode, int part, int parts, PfRowStore **result,
                           bool *busy)
{
  enum { LENGTH = 16384, MOST_CHUNKS = 4096 };
  PfContext *ctx = sweep->ctx;
  const PfAllocator *allocator = pf_context_allocator(ctx);
  const long long count = sweep->plan.count;
  PfRowStore *store = pf_allocate(allocator, sizeof *store);
  *result = NULL;
  if (!store) return pf_no_room(ctx, "the rows");
  *store = (PfRowStore){.sweep = sweep, .allocator = allocator, .looking = mode == PF_STORE_LOOK,
                        .part = part, .parts = parts, .end = count, .length = LENGTH, .lock = -1, .part_lock = -1};
  if (parts) { /* count*part would overflow for very many */
    store->first = count/parts*(part - 1) + count%parts*(part - 1)/parts;
    store->end = count/parts*part + count%parts*part/parts;
  }
  /* A chunk is so large that there are not too many files; it depends on the members only. */
  while (count/store->length > MOST_CHUNKS) store->length *= 2;
  if (count < store->length) store->length = count;
  store->chunk_count = (count + store->length - 1)/store->length;
  store->codec = pf_codec_find(ctx);
  if (!store->looking) pf_sweep_forget(sweep);
  pthread_mutex_init(&store->mutex, NULL);
  PfStatus status = open_store(ctx, store, mode, path);
  if (busy) *busy = store->busy;
  if (status == PF_OK) *result = store;
  else pf_row_store_free(store);
  return status;
}

PfStatus pf_row_store_open_readonly(PfSweep *sweep, const char *path, PfRowStore **store)
{
  return pf_row_store_open(sweep, path, PF_STORE_LOOK, 0, 0, store, NULL);
}

void pf_row_store_free(PfRowStore *store)
{
  if (!store) return;
  pf_stream_free(store->stream);
  for (long long i = 0; store->chunks && i < store->chunk_count; i++) free_chunk(store, atomic_load(store->chunks + i));
  const PfAllocator *allocator = store->allocator;
  pf_release(allocator, store->chunks);
  pf_release(allocator, store->complete);
  pf_release(allocator, store->present);
  pf_release(allocator, store->path);
  if (store->part_lock >= 0) (void)close(store->part_lock);
  if (store->lock >= 0) (void)close(store->lock);
  pthread_mutex_destroy(&store->mutex);
  pf_release(allocator, store);
}

PfStatus pf_row_store_finish(PfRowStore *store)
{
  PF_TRY(pf_row_store_status(store));
  if (store->path && !store->parts) pf_journals_remove(store);
  return PF_OK;
}

void pf_row_store_show(PfRowStore *store)
{
  for (long long i = 0; store->path && !store->parts && i < store->chunk_count; i++) {
    const PfChunk *chunk = atomic_load(store->chunks + i);
    if (chunk && !pf_zarr_put_chunk(store, i, chunk)) return;
  }
}

/* ---------------------------------------------------------------- reading */

/* Copies rows from chunks in memory or, read one by one into `room`, in files; members that are in none stay as they
 * are. */
static PfStatus read_chunks(PfContext *ctx, PfRowStore *store, PfChunk *room, long long first, long long count,
                            double *columns, unsigned char *ends, char *reasons)
{
  const long long length = store->length;
  for (long long at = first, some; at < first + count; at += some) {
    const long long index = at/length, from = at%length, last = first + count - at, to = at - first;
    const PfChunk *chunk = atomic_load(store->chunks + index);
    some = last < length - from ? last : length - from;
    if (store->path && !chunk && pf_zarr_has_chunk(store, index)) {
      PF_TRY(pf_zarr_get_chunk(ctx, store, index, room));
      chunk = room;
    }
    if (!chunk) continue;
    for (int i = 0; columns && i < store->sweep->columns; i++)
      memcpy(columns + i*count + to, chunk->columns + i*length + from, (size_t)some*sizeof(double));
    memcpy(ends + to, chunk->ends + from, (size_t)some);
    if (reasons && chunk->reasons)
      memcpy(reasons + to*PF_REASON, chunk->reasons + from*PF_REASON, (size_t)some*PF_REASON);
  }
  return PF_OK;
}

PfStatus pf_row_store_read(PfContext *ctx, PfRowStore *store, long long first, long long count, double *columns,
                           unsigned char *ends, char *reasons)
{
  PfChunk *room = new_chunk(store, 0, true);
  if (!room) return pf_no_room(ctx, "the rows");
  for (long long i = 0; columns && i < count*store->sweep->columns; i++) columns[i] = NAN;
  memset(ends, PF_MEMBER_MISSING, (size_t)count);
  if (reasons) memset(reasons, 0, (size_t)count*PF_REASON);
  PfStatus status = read_chunks(ctx, store, room, first, count, columns, ends, reasons);
  free_chunk(store, room);
  return status;
}
