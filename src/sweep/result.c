/* SPDX-License-Identifier: Apache-2.0 */
/* Existing results: a sweep made from the settings that a result contains, parts joined to one result, rows read
 * again. */
#include "sweep/store.h"

#include <string.h>
#include <sys/stat.h>

PfStatus pf_sweep_join(PfSweep *sweep, const char *path, PfSweepResult *result)
{
  PfRowStore *store;
  *result = (PfSweepResult){0};
  PF_TRY(pf_row_store_open(sweep, path, PF_STORE_JOIN, 0, 0, &store, &result->busy));
  result->progress = (PfSweepProgress){.done = store->loaded, .before = store->loaded, .count = sweep->plan.count,
                                       .failed = store->loaded_failed};
  result->joined = store->from_journals > 0;
  PfStatus status = pf_row_store_status(store);
  long long missing = store->first; /* the first member that no part has brought */
  while (status == PF_OK && missing < store->end && pf_row_store_has(store, missing)) missing++;
  if (status == PF_OK && missing < store->end) {
    status = pf_fail(sweep->ctx, PF_ERR_FILE, "'%s' is not complete: %lld of %lld members are there, and member %lld "
                     "is not", path, store->loaded, sweep->plan.count, missing);
    pf_hint(sweep->ctx, "run the part again that has it, or @task{sweep @resume{%s}} for all that are missing", path);
  }
  if (status == PF_OK) status = pf_row_store_finish(store);
  pf_row_store_free(store);
  return status;
}

/* The settings that the result at the path contains, in the arena; fails where there is no result. */
static PfStatus find_settings(PfContext *ctx, PfArena *arena, const char *path, PfSweepSetting **settings, int *count)
{
  struct stat status;
  PF_TRY(pf_zarr_settings(ctx, arena, path, settings, count, NULL, NULL));
  if (*settings) return PF_OK;
  if (stat(path, &status) != 0) return pf_fail(ctx, PF_ERR_FILE, "'%s' does not exist", path);
  pf_fail(ctx, PF_ERR_FILE, "'%s' is no result of a sweep", path);
  pf_hint(ctx, "a result is the Zarr directory that @task{sweep @out{study.zarr}} makes");
  return PF_ERR_FILE;
}

PfStatus pf_sweep_find_result(PfContext *ctx, const char *path)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSweepSetting *settings;
  int count;
  PfStatus status = arena ? find_settings(ctx, arena, path, &settings, &count) : pf_no_room(ctx, "the result");
  pf_arena_free(arena);
  return status;
}

PfStatus pf_sweep_of_result(PfContext *ctx, const char *path, PfSweep **sweep)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfSweepSetting *settings = NULL;
  int count = 0;
  *sweep = NULL;
  PfStatus status = arena ? find_settings(ctx, arena, path, &settings, &count) : pf_no_room(ctx, "the result");
  if (status == PF_OK) status = pf_sweep_new(ctx, settings, count, sweep);
  if (status == PF_OK) (*sweep)->settings_arena = arena;
  else pf_arena_free(arena);
  return status;
}

void pf_sweep_forget(PfSweep *sweep)
{
  pf_row_store_free(sweep->opened);
  sweep->opened = NULL;
}

/* Without the lock: readers need not wait for a writer. */
PfStatus pf_sweep_read(PfSweep *sweep, const char *path, long long first, long long count, double *columns,
                       unsigned char *ends, char *reasons)
{
  if (first < 0 || count < 0 || first > sweep->plan.count - count)
    return pf_fail(sweep->ctx, PF_ERR_ARGUMENT, "there are no members %lld to %lld", first, first + count - 1);
  if (!path && !sweep->memory) return pf_fail(sweep->ctx, PF_ERR_ARGUMENT, "the sweep has not been run");
  if (!path) return pf_row_store_read(sweep->ctx, sweep->memory, first, count, columns, ends, reasons);
  /* A result that is read block by block is opened once: reading from the first member opens it anew. */
  if (!(sweep->opened && first && !strcmp(sweep->opened->path, path))) {
    pf_sweep_forget(sweep);
    PF_TRY(pf_row_store_open_readonly(sweep, path, &sweep->opened));
  }
  return pf_row_store_read(sweep->ctx, sweep->opened, first, count, columns, ends, reasons);
}

PfStatus pf_sweep_remove(PfSweep *sweep, const char *path)
{
  PfRowStore *store;
  pf_sweep_forget(sweep);
  PF_TRY(pf_row_store_open_readonly(sweep, path, &store));
  pf_zarr_remove(store);
  pf_row_store_free(store);
  return PF_OK;
}
