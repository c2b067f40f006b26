/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a sweep as a table. */
#include "task/sweep.h"
#include "out/hdf5.h"
#include "out/record.h"
#include "sweep/settings.h"

#include <string.h>

enum { BLOCK = 16384 };

/* What a row goes to: a file, or the console, which has no use for the number of the member. */
static PfStatus put_row(const Sweep *sw, PfRecord *record, const double *row, int count, char *reason)
{
  const PfObserver *observer = &sw->options->host->observer;
  for (char *c = reason; *c; c++) *c = (char)(*c == '\n' ? ' ' : *c); /* a row is a line */
  if (record) return pf_record_add_word(record, row, reason);
  return observer->row(observer->user, row + 1, count - 1) ? PF_OK : pf_no_room(sw->s.ctx, "the rows");
}

/* Room for a block of rows, and for one. */
typedef struct Block {
  double *columns, *row;
  unsigned char *ends;
  char *reasons;
} Block;

static PfStatus add_block(const Sweep *sw, PfRecord *record, long long first, long long rows, const Block *b)
{
  const int all = pf_sweep_columns(sw->sweep);
  double *columns = b->columns, *row = b->row;
  PF_TRY(pf_sweep_read(sw->sweep, sw->path, first, rows, columns, b->ends, b->reasons));
  for (long long k = 0; k < rows; k++) {
    row[0] = (double)(first + k);
    for (int i = 0; i < all; i++) row[i + 1] = columns[i*rows + k];
    row[all + 1] = b->ends[k];
    char reason[PF_REASON + 1] = "";
    memcpy(reason, b->reasons + k*PF_REASON, PF_REASON);
    PF_TRY(put_row(sw, record, row, all + 2, reason));
  }
  return PF_OK;
}

static PfStatus add_rows(const Sweep *sw, PfRecord *record)
{
  const int all = pf_sweep_columns(sw->sweep);
  const long long count = pf_sweep_count(sw->sweep);
  const Block b = {.columns = pf_arena_array(sw->s.arena, double, (size_t)BLOCK*(size_t)all),
                   .row = pf_arena_array(sw->s.arena, double, all + 2),
                   .ends = pf_arena_array(sw->s.arena, unsigned char, BLOCK),
                   .reasons = pf_arena_array(sw->s.arena, char, (size_t)BLOCK*PF_REASON)};
  if (!b.columns || !b.row || !b.ends || !b.reasons) return pf_no_room(sw->s.ctx, "the table");
  for (long long first = 0; first < count; first += BLOCK) {
    const long long rows = count - first < BLOCK ? count - first : BLOCK;
    PF_TRY(add_block(sw, record, first, rows, &b));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- HDF5 */

static PfStatus put_hdf5(const Sweep *sw, PfHdf5 *file)
{
  const int all = pf_sweep_columns(sw->sweep);
  const long long count = pf_sweep_count(sw->sweep);
  double *columns = pf_arena_array(sw->s.arena, double, (size_t)BLOCK*(size_t)all);
  unsigned char *ends = pf_arena_array(sw->s.arena, unsigned char, BLOCK);
  char *reasons = pf_arena_array(sw->s.arena, char, (size_t)BLOCK*PF_REASON);
  if (!columns || !ends || !reasons) return pf_no_room(sw->s.ctx, "the file");
  /* The settings of the sweep. */
  PfText text;
  PF_TRY(pf_hdf5_note(file, "version", pf_version()));
  PF_TRY(pf_hdf5_note(file, "model", pf_sweep_setting(sw->sweep, "model")));
  pf_text_init(&text, pf_context_allocator(sw->s.ctx));
  pf_sweep_settings_json(sw->sweep, &text);
  PfStatus status = text.failed ? pf_no_room(sw->s.ctx, "the file") : pf_hdf5_note(file, "words", pf_text_get(&text));
  pf_text_free(&text);
  PF_TRY(status);
  for (long long first = 0; first < count; first += BLOCK) {
    const long long rows = count - first < BLOCK ? count - first : BLOCK;
    PF_TRY(pf_sweep_read(sw->sweep, sw->path, first, rows, columns, ends, reasons));
    for (int i = 0; i < all; i++) PF_TRY(pf_hdf5_put(file, i, first, rows, columns + i*rows));
    PF_TRY(pf_hdf5_put(file, all, first, rows, ends));
    PF_TRY(pf_hdf5_put(file, all + 1, first, rows, reasons));
  }
  return PF_OK;
}

static PfStatus convert_to_hdf5(const Sweep *sw, const char *to)
{
  PfHdf5 *file;
  /* What varies, the outputs, how it ended and why. */
  PF_TRY(pf_sweep_need_files(sw));
  const int all = pf_sweep_columns(sw->sweep);
  PfHdf5Column *columns = pf_arena_array(sw->s.arena, PfHdf5Column, all + 2);
  if (!columns) return pf_no_room(sw->s.ctx, "the file");
  for (int i = 0; i < all; i++)
    columns[i] = (PfHdf5Column){.name = pf_sweep_name(sw->sweep, i), .unit = pf_sweep_unit(sw->sweep, i)};
  columns[all] = (PfHdf5Column){.name = "status", .unit = "", .kind = PF_HDF5_BYTE};
  columns[all + 1] = (PfHdf5Column){.name = "reason", .unit = "", .kind = PF_HDF5_TEXT, .width = PF_REASON};
  PF_TRY(pf_hdf5_begin(sw->s.ctx, to, columns, pf_sweep_columns(sw->sweep) + 2, pf_sweep_count(sw->sweep), &file));
  PfStatus status = put_hdf5(sw, file);
  if (status == PF_OK) return pf_hdf5_close(file);
  pf_hdf5_drop(file);
  return status;
}

/* ---------------------------------------------------------------- the file of --out */

PfStatus pf_sweep_convert(Sweep *sw, const char *to)
{
  if (pf_sweep_ends_in(to, ".h5")) return convert_to_hdf5(sw, to);
  PfRecord record = {0};
  /* The number of the member and how it ended come with the rest: a table has no folders. */
  const int all = pf_sweep_columns(sw->sweep);
  const char **names, **units;
  PF_TRY(pf_arrays(sw->s.ctx, sw->s.arena, "the table", PF_ROOM(names, all + 2), PF_ROOM(units, all + 2)));
  names[0] = "member", units[0] = "";
  for (int i = 0; i < all; i++) {
    names[i + 1] = pf_sweep_name(sw->sweep, i);
    units[i + 1] = pf_sweep_unit(sw->sweep, i);
  }
  names[all + 1] = "status", units[all + 1] = "";
  PfRecordHead head = {all + 2, names, units, "reason"};
  PF_TRY(pf_record_begin(&record, sw->s.ctx, to, &head));
  pf_task_lead(sw->options, &record);
  PfStatus status = add_rows(sw, &record);
  if (status == PF_OK) return pf_record_close(&record);
  pf_record_drop(&record);
  return status;
}

PfStatus pf_sweep_give(const Sweep *sw)
{
  return sw->options->host->observer.row ? add_rows(sw, NULL) : PF_OK;
}
