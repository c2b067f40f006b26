/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rows of a sweep go: to a folder that it goes on with, and from there to a table. */
#include "task/sweep.h"
#include "out/file.h"
#include "out/hdf5.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char behind_table[] = ".part.zarr";

bool pf_sweep_ends_in(const char *path, const char *ending)
{
  const size_t length = strlen(path), own = strlen(ending);
  return length > own && !strcmp(path + length - own, ending);
}

static bool is_table(const char *path)
{
  static const char *const endings[] = {".csv", ".mat", ".h5"};
  for (size_t i = 0; i < sizeof endings/sizeof *endings; i++)
    if (pf_sweep_ends_in(path, endings[i])) return true;
  return false;
}

/* Before anything is computed: can it be written? */
static PfStatus check_table(const Sweep *sw)
{
  if (pf_sweep_ends_in(sw->table, ".h5")) PF_TRY(pf_hdf5_check(sw->s.ctx));
  return pf_out_check(sw->s.ctx, sw->table);
}

/* The folder next to a table. */
static PfStatus place_beside(Sweep *sw, const char *table)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(sw->s.ctx));
  pf_text_print(&text, "%s%s", table, behind_table);
  sw->table = table;
  sw->path = text.failed ? NULL : pf_arena_text(sw->s.arena, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return sw->path ? check_table(sw) : pf_no_room(sw->s.ctx, "the sweep");
}

/* Of --resume and --join: a folder, the folder beside a table, or that table, which is not there yet. */
static PfStatus place_of_result(Sweep *sw, const char *given)
{
  struct stat status;
  sw->path = given;
  if (is_table(given)) PF_TRY(place_beside(sw, given));
  else if (pf_sweep_ends_in(given, behind_table)) {
    const char *table = pf_arena_text(sw->s.arena, given, strlen(given) - strlen(behind_table));
    if (!table) return pf_no_room(sw->s.ctx, "the sweep");
    if (is_table(table)) sw->table = table;
    if (sw->table) PF_TRY(check_table(sw));
  }
  if (sw->table && stat(sw->path, &status) != 0 && stat(sw->table, &status) == 0)
    return pf_fail(sw->s.ctx, PF_ERR_FILE, "'%s' is complete: nothing is left to go on with", sw->table);
  return pf_sweep_find_result(sw->s.ctx, sw->path);
}

PfStatus pf_sweep_need_files(const Sweep *sw)
{
  const PfRequest *o = sw->options;
  if (!o->host->observer.file) return PF_OK;
  pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@out{%s}: a sweep writes this to the file system, and the observer takes files",
          o->out);
  pf_hint(sw->s.ctx, "@out{-} gives it the rows as CSV");
  return PF_ERR_ARGUMENT;
}

PfStatus pf_sweep_find_place(Sweep *sw)
{
  const PfRequest *o = sw->options;
  if (o->resume || o->join) return place_of_result(sw, o->resume ? o->resume : o->join);
  sw->path = o->show_member ? o->file : o->convert;
  if (sw->path) return pf_sweep_find_result(sw->s.ctx, sw->path);
  if (o->statistics_only || (o->out && pf_task_out_is(o, "json"))) {
    /* Statistics alone have no rows for a table. */
    if (!o->statistics_only) {
      pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@out{%s}: rows go to a Zarr directory or a table", o->out);
      pf_hint(sw->s.ctx, "@statistics_only writes statistics as JSON");
      return PF_ERR_ARGUMENT;
    }
    if (!o->out || pf_task_out_is(o, "json")) return pf_task_check_out(sw->s.ctx, o);
    pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@out{%s}: @statistics_only keeps no rows", o->out);
    pf_hint(sw->s.ctx, "statistics go to a file in JSON: @out{statistics.json}");
    return PF_ERR_ARGUMENT;
  }
  if (!o->out) return PF_OK;
  if (!pf_task_out_is(o, "zarr") || pf_sweep_ends_in(o->out, ".zarr")) PF_TRY(pf_sweep_need_files(sw));
  if (!pf_task_out_is(o, "zarr")) {
    PF_TRY(pf_task_check_out(sw->s.ctx, o));
    return place_beside(sw, o->out);
  }
  if (!pf_sweep_ends_in(o->out, ".zarr")) {
    /* '-' and whatever else is no file takes a table; there is nothing beside it, so that rows wait in memory. */
    if (o->part) {
      pf_fail(sw->s.ctx, PF_ERR_ARGUMENT, "@out{%s}: parts need a result that they have in common", o->out);
      pf_hint(sw->s.ctx, "write @out{study.zarr}");
      return PF_ERR_ARGUMENT;
    }
    sw->table = o->out;
    return pf_task_check_out(sw->s.ctx, o);
  }
  sw->path = o->out;
  return PF_OK;
}

PfStatus pf_sweep_check_memory(const Sweep *sw)
{
  const double most = 8e9, bytes = 8.0*(double)pf_sweep_count(sw->sweep)*(pf_sweep_columns(sw->sweep) + 1);
  if (sw->path || sw->options->statistics_only || bytes < most) return PF_OK;
  pf_fail(sw->s.ctx, PF_ERR_LIMIT, "%lld members with %d columns are %.3g GB of memory", pf_sweep_count(sw->sweep),
          pf_sweep_columns(sw->sweep), bytes/1e9);
  pf_hint(sw->s.ctx, "@out{study.zarr} keeps them on the disk; @statistics_only keeps none");
  return PF_ERR_LIMIT;
}
