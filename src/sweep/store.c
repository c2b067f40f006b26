/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as they come, and as they are read again. */
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

static void *allocate(const PfRowStore *store, size_t size)
{
  return store->allocator->resize(store->allocator->user, NULL, size);
}

static void release(const PfRowStore *store, void *block)
{
  store->allocator->resize(store->allocator->user, block, 0);
}

static void free_chunk(const PfRowStore *store, PfChunk *chunk)
{
  if (!chunk) return;
  release(store, chunk->columns);
  release(store, chunk->ends);
  release(store, chunk->reasons);
  release(store, chunk);
}

/* Beyond the last member there is nothing, as Zarr wants it: chunks are whole. */
static PfChunk *new_chunk(const PfRowStore *store, long long index)
{
  const size_t rows = (size_t)store->length, cells = rows*(size_t)store->sweep->columns;
  const long long rest = store->sweep->plan.count - index*store->length;
  PfChunk *chunk = allocate(store, sizeof *chunk);
  if (!chunk) return NULL;
  *chunk = (PfChunk){.columns = allocate(store, cells*sizeof(double)), .ends = allocate(store, rows)};
  if (!chunk->columns || !chunk->ends) return free_chunk(store, chunk), NULL;
  for (size_t i = 0; i < cells; i++) chunk->columns[i] = NAN;
  memset(chunk->ends, PF_MEMBER_MISSING, rows);
  atomic_init(&chunk->left, rest < store->length ? rest : store->length);
  return chunk;
}

/* The first who needs it makes it. */
static PfChunk *get_chunk(PfRowStore *store, long long index)
{
  PfChunk *chunk = atomic_load(store->chunks + index);
  if (chunk) return chunk;
  pthread_mutex_lock(&store->mutex);
  chunk = atomic_load(store->chunks + index);
  if (!chunk) {
    chunk = new_chunk(store, index);
    atomic_store(store->chunks + index, chunk);
  }
  pthread_mutex_unlock(&store->mutex);
  return chunk;
}

static bool make_reasons(PfRowStore *store, PfChunk *chunk)
{
  const size_t size = (size_t)store->length*PF_REASON;
  pthread_mutex_lock(&store->mutex);
  if (!chunk->reasons) {
    chunk->reasons = allocate(store, size);
    if (chunk->reasons) memset(chunk->reasons, 0, size);
  }
  const bool good = chunk->reasons;
  pthread_mutex_unlock(&store->mutex);
  return good;
}

/* All of its members are there. */
static bool complete_chunk(PfRowStore *store, long long index)
{
  PfChunk *chunk = atomic_load(store->chunks + index);
  if (!store->path || store->looking) return true;
  if (!pf_zarr_put_chunk(store, index, chunk)) return false;
  store->complete[index] = true;
  atomic_store(store->chunks + index, NULL);
  free_chunk(store, chunk);
  return true;
}

/* ---------------------------------------------------------------- rows */

bool pf_row_store_has(const PfRowStore *store, long long member)
{
  const long long at = member - store->first;
  if (store->stream) return false;
  return store->complete[member/store->length] || (store->present && store->present[at/8] >> at%8 & 1);
}

static void note_present(PfRowStore *store, long long member)
{
  const long long at = member - store->first;
  store->present[at/8] = (unsigned char)(store->present[at/8] | 1 << at%8);
  store->loaded++;
}

bool pf_row_store_put(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                      const char *reason)
{
  const long long index = member/store->length, at = member%store->length;
  if (store->stream) return pf_stream_put(store->stream, member, row, end, reason), true;
  if (!journal) note_present(store, member);
  if (journal && store->path && !pf_journal_add(store, journal, member, row, end, reason)) return false;
  if (store->parts) return true; /* rows of a part wait for the others in their journal */
  PfChunk *chunk = get_chunk(store, index);
  const bool failed = end >= PF_MEMBER_NO_START;
  if (!chunk || (failed && !make_reasons(store, chunk))) return pf_store_fail(store, "rows", ENOMEM);
  for (int i = 0; i < store->sweep->columns; i++) chunk->columns[i*store->length + at] = row[i];
  chunk->ends[at] = (unsigned char)end;
  if (failed) memcpy(chunk->reasons + at*PF_REASON, reason, PF_REASON);
  return atomic_fetch_sub(&chunk->left, 1) > 1 || complete_chunk(store, index);
}

/* ---------------------------------------------------------------- opening */

/* A chunk is large enough that there are not too many files, and does not depend on who computes. */
static long long chunk_length(const PfPlan *plan)
{
  long long length = 16384;
  while (plan->count/length > 4096) length *= 2;
  return plan->count < length ? plan->count : length;
}

static PfStatus make_room(PfContext *ctx, PfRowStore *store)
{
  const size_t count = (size_t)store->chunk_count, bits = (size_t)(store->end - store->first)/8 + 1;
  store->chunks = allocate(store, count*sizeof *store->chunks);
  store->complete = allocate(store, count*sizeof *store->complete);
  store->present = allocate(store, bits);
  if (!store->chunks || !store->complete || !store->present) return pf_no_room(ctx, "the rows");
  for (size_t i = 0; i < count; i++) atomic_init(store->chunks + i, NULL);
  memset(store->complete, 0, count*sizeof *store->complete);
  memset(store->present, 0, bits);
  return PF_OK;
}

/* Waits for nobody: *fd is -1 when somebody else has it. */
static PfStatus take_lock(PfContext *ctx, PfRowStore *store, const char *name, int kind, int *fd)
{
  PfText path;
  PfStatus status = PF_OK;
  pf_text_init(&path, store->allocator);
  pf_store_path(&path, store, ".pfaff/%s", name);
  *fd = open(pf_text_get(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (*fd < 0) status = pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", store->path, strerror(errno));
  else if (flock(*fd, kind | LOCK_NB) != 0) {
    store->busy = true;
    status = pf_fail(ctx, PF_ERR_FILE, "another sweep is writing '%s'", store->path);
    pf_hint(ctx, "wait for it, stop it, or write elsewhere by --out");
  }
  pf_text_free(&path);
  return status;
}

/* Who computes all of it is alone; parts are many, each once. */
static PfStatus take_locks(PfContext *ctx, PfRowStore *store)
{
  char name[64];
  PF_TRY(take_lock(ctx, store, "lock", store->parts ? LOCK_SH : LOCK_EX, &store->lock));
  if (!store->parts) return PF_OK;
  snprintf(name, sizeof name, "lock-%d-%d", store->part, store->parts);
  return take_lock(ctx, store, name, LOCK_EX, &store->part_lock);
}

static PfStatus make_folders(PfContext *ctx, const PfRowStore *store)
{
  PfText path;
  int error = pf_store_make_folder(store->path);
  pf_text_init(&path, store->allocator);
  pf_store_path(&path, store, ".pfaff");
  if (!error) error = pf_store_make_folder(pf_text_get(&path));
  pf_text_free(&path);
  return error ? pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", store->path, strerror(error)) : PF_OK;
}

/* ---------------------------------------------------------------- what is there already */

static PfStatus differs(PfContext *ctx, const char *path, const char *what, const char *there, const char *here)
{
  char room[64];
  if (!strcmp(what, "model")) pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' is the result of another text of the model", path);
  else
    pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' was made with %s %.120s, not %.120s", path,
            pf_word_spelling(what, room, sizeof room), there ? there : "(nothing)", here ? here : "(nothing)");
  pf_hint(ctx, "'pfaff sweep --resume %s' alone goes on as it was begun; --out begins another", path);
  return PF_ERR_ARGUMENT;
}

static PfStatus compare(PfContext *ctx, const PfRowStore *store, const PfSweepWord *there, int count,
                        const char *version, const char *codec)
{
  const PfSweep *sweep = store->sweep;
  const char *own = store->codec.functions ? "zstd" : "none";
  PfWordDifference d;
  if (pf_words_differ(there, count, sweep->words, sweep->word_count, &d))
    return differs(ctx, store->path, d.key, d.there, d.here);
  if (!version || strcmp(version, pf_version()) != 0)
    return differs(ctx, store->path, "version", version, pf_version());
  return codec && !strcmp(codec, own) ? PF_OK : differs(ctx, store->path, "codec", codec, own);
}

static PfStatus look_at_result(PfContext *ctx, PfArena *arena, const PfRowStore *store, PfStoreMode mode, bool *there)
{
  PfSweepWord *words;
  const char *version = NULL, *codec = NULL;
  int count;
  PF_TRY(pf_zarr_words(ctx, arena, store->path, &words, &count, &version, &codec));
  *there = words;
  if (!words && mode == PF_STORE_JOIN)
    return pf_fail(ctx, PF_ERR_FILE, "'%s' has no parts of a sweep", store->path);
  if (!words) return PF_OK;
  if (mode == PF_STORE_NEW && !store->parts) {
    pf_fail(ctx, PF_ERR_FILE, "'%s' is there already", store->path);
    pf_hint(ctx, "'pfaff sweep --resume %s' goes on with it; or remove it, or write elsewhere by --out", store->path);
    return PF_ERR_FILE;
  }
  return compare(ctx, store, words, count, version, codec);
}

/* Looked at and not removed: another process may be about to write into it. */
static bool is_empty(const char *path)
{
  DIR *folder = opendir(path);
  bool empty = folder;
  for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
    empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || !strcmp(entry->d_name, ".pfaff"));
  if (folder) closedir(folder);
  return empty;
}

/* A folder with something else in it stays as it is. */
static PfStatus refuse_others(PfContext *ctx, const PfRowStore *store)
{
  struct stat status;
  PfText path;
  if (stat(store->path, &status) != 0) return PF_OK;
  if (!S_ISDIR(status.st_mode)) return pf_fail(ctx, PF_ERR_FILE, "'%s' is no folder", store->path);
  pf_text_init(&path, store->allocator);
  pf_store_path(&path, store, ".pfaff");
  const bool ours = stat(pf_text_get(&path), &status) == 0 || is_empty(store->path);
  pf_text_free(&path);
  if (ours) return PF_OK;
  return pf_fail(ctx, PF_ERR_FILE, "'%s' is a folder with something else in it", store->path);
}

/* A chunk is complete when no member of it is missing. */
static PfStatus look_at_chunk(PfContext *ctx, PfRowStore *store, long long index, unsigned char *ends)
{
  const long long first = index*store->length, rest = store->sweep->plan.count - first;
  const long long rows = rest < store->length ? rest : store->length;
  long long loaded = 0, failed = 0;
  if (!pf_zarr_has_chunk(store, index)) return PF_OK;
  PF_TRY(pf_zarr_get_ends(ctx, store, index, ends));
  for (long long k = 0; k < rows; k++) {
    const bool ours = first + k >= store->first && first + k < store->end;
    if (ends[k] == PF_MEMBER_MISSING) return PF_OK;
    loaded += ours;
    failed += ours && ends[k] >= PF_MEMBER_NO_START;
  }
  store->complete[index] = true;
  store->loaded += loaded;
  store->loaded_failed += failed;
  return PF_OK;
}

static PfStatus load(PfContext *ctx, PfRowStore *store)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  unsigned char *ends = pf_arena_array(scratch, unsigned char, store->length);
  PfStatus status = ends ? PF_OK : pf_no_room(ctx, "the rows");
  for (long long i = 0; i < store->chunk_count && status == PF_OK; i++) status = look_at_chunk(ctx, store, i, ends);
  pf_arena_release(scratch, mark);
  PF_TRY(status);
  const long long before = store->loaded;
  PF_TRY(pf_journals_read(ctx, store));
  store->from_journals = store->loaded - before;
  return PF_OK;
}

static PfStatus open_folder(PfContext *ctx, PfArena *arena, PfRowStore *store, PfStoreMode mode)
{
  bool there;
  PF_TRY(look_at_result(ctx, arena, store, mode, &there));
  if (!there) PF_TRY(refuse_others(ctx, store));
  PF_TRY(make_folders(ctx, store));
  PF_TRY(take_locks(ctx, store));
  if (!there) PF_TRY(pf_zarr_create(ctx, store));
  return load(ctx, store);
}

static PfStatus open_store(PfContext *ctx, PfRowStore *store, PfStoreMode mode)
{
  if (mode == PF_STORE_STREAM) return PF_OK;
  PF_TRY(make_room(ctx, store));
  if (!store->path) return PF_OK;
  if (store->looking) return load(ctx, store);
  PfArena *arena = pf_arena_new(store->allocator);
  PfStatus status = arena ? open_folder(ctx, arena, store, mode) : pf_no_room(ctx, "the result");
  pf_arena_free(arena);
  return status;
}

static PfStatus copy_path(PfContext *ctx, PfRowStore *store, const char *path)
{
  if (!path) return PF_OK;
  store->path = allocate(store, strlen(path) + 1);
  if (!store->path) return pf_no_room(ctx, "the rows");
  memcpy(store->path, path, strlen(path) + 1);
  return PF_OK;
}

PfStatus pf_row_store_open(PfSweep *sweep, const char *path, PfStoreMode mode, int part, int parts, PfRowStore **result,
                           bool *busy)
{
  PfContext *ctx = sweep->ctx;
  const PfAllocator *allocator = pf_context_allocator(ctx);
  const long long count = sweep->plan.count;
  PfRowStore *store = allocator->resize(allocator->user, NULL, sizeof *store);
  *result = NULL;
  if (!store) return pf_no_room(ctx, "the rows");
  *store = (PfRowStore){.sweep = sweep, .allocator = allocator, .looking = mode == PF_STORE_LOOK,
                        .part = part, .parts = parts, .end = count, .length = chunk_length(&sweep->plan),
                        .lock = -1, .part_lock = -1};
  if (parts) { /* count*part would overflow for very many */
    store->first = count/parts*(part - 1) + count%parts*(part - 1)/parts;
    store->end = count/parts*part + count%parts*part/parts;
  }
  store->chunk_count = (count + store->length - 1)/store->length;
  store->codec = pf_codec_find(ctx);
  if (!store->looking) pf_sweep_forget(sweep);
  pthread_mutex_init(&store->mutex, NULL);
  PfStatus status = copy_path(ctx, store, path);
  if (status == PF_OK) status = open_store(ctx, store, mode);
  if (busy) *busy = store->busy;
  if (status == PF_OK) *result = store;
  else pf_row_store_free(store);
  return status;
}

PfStatus pf_row_store_look(PfSweep *sweep, const char *path, PfRowStore **store)
{
  return pf_row_store_open(sweep, path, PF_STORE_LOOK, 0, 0, store, NULL);
}

void pf_row_store_free(PfRowStore *store)
{
  if (!store) return;
  pf_stream_free(store->stream);
  for (long long i = 0; store->chunks && i < store->chunk_count; i++) free_chunk(store, atomic_load(store->chunks + i));
  release(store, store->chunks);
  release(store, store->complete);
  release(store, store->present);
  release(store, store->path);
  if (store->part_lock >= 0) (void)close(store->part_lock);
  if (store->lock >= 0) (void)close(store->lock);
  pthread_mutex_destroy(&store->mutex);
  release(store, store);
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

static PfChunk *whole_chunk(const PfRowStore *store)
{
  PfChunk *chunk = new_chunk(store, 0);
  if (!chunk) return NULL;
  chunk->reasons = allocate(store, (size_t)store->length*PF_REASON);
  if (chunk->reasons) return chunk;
  free_chunk(store, chunk);
  return NULL;
}

static void copy_rows(const PfRowStore *store, const PfChunk *chunk, long long from, long long count, long long to,
                      long long all, double *columns, unsigned char *ends, char *reasons)
{
  for (int i = 0; columns && i < store->sweep->columns; i++)
    memcpy(columns + i*all + to, chunk->columns + i*store->length + from, (size_t)count*sizeof(double));
  memcpy(ends + to, chunk->ends + from, (size_t)count);
  if (reasons && chunk->reasons)
    memcpy(reasons + to*PF_REASON, chunk->reasons + from*PF_REASON, (size_t)count*PF_REASON);
}

static PfStatus read_chunks(PfContext *ctx, PfRowStore *store, PfChunk *room, long long first, long long count,
                            double *columns, unsigned char *ends, char *reasons)
{
  const long long length = store->length;
  for (long long at = first; at < first + count;) {
    const long long index = at/length, from = at%length, last = first + count - at;
    const long long some = last < length - from ? last : length - from;
    const PfChunk *chunk = atomic_load(store->chunks + index);
    if (store->path && !chunk && pf_zarr_has_chunk(store, index)) {
      PF_TRY(pf_zarr_get_chunk(ctx, store, index, room));
      chunk = room;
    }
    if (chunk) copy_rows(store, chunk, from, some, at - first, count, columns, ends, reasons);
    at += some;
  }
  return PF_OK;
}

/* What is missing stays NaN, PF_MEMBER_MISSING and without a reason. */
PfStatus pf_row_store_read(PfContext *ctx, PfRowStore *store, long long first, long long count, double *columns,
                           unsigned char *ends, char *reasons)
{
  PfChunk *room = whole_chunk(store);
  if (!room) return pf_no_room(ctx, "the rows");
  for (long long i = 0; columns && i < count*store->sweep->columns; i++) columns[i] = NAN;
  memset(ends, PF_MEMBER_MISSING, (size_t)count);
  if (reasons) memset(reasons, 0, (size_t)count*PF_REASON);
  PfStatus status = read_chunks(ctx, store, room, first, count, columns, ends, reasons);
  free_chunk(store, room);
  return status;
}
