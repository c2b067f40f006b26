/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are there: a sweep made of what one has inside, parts put together, rows read again. */
#include "sweep/store.h"

#include <string.h>
#include <sys/stat.h>

/* The first member that no part has brought. */
static long long first_missing(const PfRowStore *store)
{
  for (long long k = store->first; k < store->end; k++)
    if (!pf_row_store_has(store, k)) return k;
  return store->end;
}

PfStatus pf_sweep_join(PfSweep *sweep, const char *path, PfSweepResult *result)
{
  PfRowStore *store;
  *result = (PfSweepResult){0};
  PF_TRY(pf_row_store_open(sweep, path, PF_STORE_JOIN, 0, 0, &store, &result->busy));
  result->progress = (PfSweepProgress){.done = store->loaded, .before = store->loaded, .count = sweep->plan.count,
                                       .failed = store->loaded_failed};
  result->joined = store->from_journals > 0;
  PfStatus status = pf_row_store_status(store);
  const long long missing = status == PF_OK ? first_missing(store) : 0;
  if (status == PF_OK && missing < store->end) {
    status = pf_fail(sweep->ctx, PF_ERR_FILE, "'%s' is not complete: %lld of %lld members are there, and member %lld "
                     "is not", path, store->loaded, sweep->plan.count, missing);
    pf_hint(sweep->ctx, "run the part again that has it, or 'pfaff sweep --resume %s' for all that are missing", path);
  }
  if (status == PF_OK) status = pf_row_store_finish(store);
  pf_row_store_free(store);
  return status;
}

static PfStatus find_words(PfContext *ctx, PfArena *arena, const char *path, PfSweepWord **words, int *count)
{
  struct stat status;
  PF_TRY(pf_zarr_words(ctx, arena, path, words, count, NULL, NULL));
  if (*words) return PF_OK;
  if (stat(path, &status) != 0) return pf_fail(ctx, PF_ERR_FILE, "'%s' does not exist", path);
  pf_fail(ctx, PF_ERR_FILE, "'%s' is no result of a sweep", path);
  pf_hint(ctx, "a result is the Zarr directory that 'pfaff sweep --out study.zarr' makes");
  return PF_ERR_FILE;
}

PfStatus pf_sweep_find_result(PfContext *ctx, const char *path)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSweepWord *words;
  int count;
  PfStatus status = arena ? find_words(ctx, arena, path, &words, &count) : pf_no_room(ctx, "the result");
  pf_arena_free(arena);
  return status;
}

PfStatus pf_sweep_of_result(PfContext *ctx, const char *path, PfSweep **sweep)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSweepWord *words = NULL;
  int count = 0;
  *sweep = NULL;
  PfStatus status = arena ? find_words(ctx, arena, path, &words, &count) : pf_no_room(ctx, "the result");
  if (status == PF_OK) status = pf_sweep_new(ctx, words, count, sweep);
  if (status == PF_OK) (*sweep)->own_words = arena;
  else pf_arena_free(arena);
  return status;
}

void pf_sweep_forget(PfSweep *sweep)
{
  pf_row_store_free(sweep->looked);
  sweep->looked = NULL;
}

/* What is read block by block is looked at once: who begins at the first member looks anew. */
static PfStatus look(PfSweep *sweep, const char *path, long long first)
{
  if (sweep->looked && first && !strcmp(sweep->looked->path, path)) return PF_OK;
  pf_sweep_forget(sweep);
  return pf_row_store_look(sweep, path, &sweep->looked);
}

/* Without the lock: who reads need not wait for who writes. */
PfStatus pf_sweep_read(PfSweep *sweep, const char *path, long long first, long long count, double *columns,
                       unsigned char *ends, char *reasons)
{
  if (first < 0 || count < 0 || first > sweep->plan.count - count)
    return pf_fail(sweep->ctx, PF_ERR_ARGUMENT, "there are no members %lld to %lld", first, first + count - 1);
  if (!path && !sweep->memory) return pf_fail(sweep->ctx, PF_ERR_ARGUMENT, "the sweep has not been run");
  if (!path) return pf_row_store_read(sweep->ctx, sweep->memory, first, count, columns, ends, reasons);
  PF_TRY(look(sweep, path, first));
  return pf_row_store_read(sweep->ctx, sweep->looked, first, count, columns, ends, reasons);
}

PfStatus pf_sweep_remove(PfSweep *sweep, const char *path)
{
  PfRowStore *store;
  pf_sweep_forget(sweep);
  PF_TRY(pf_row_store_look(sweep, path, &store));
  pf_zarr_remove(store);
  pf_row_store_free(store);
  return PF_OK;
}
