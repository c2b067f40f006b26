/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to files. They gather in memory and go to the file at least twice a second, each time with what ends the format,
 * so that the file can be read at any moment. */
#include "out/record.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST_WAIT 0.4        /* seconds */
enum { MOST_PENDING = 1 << 22, LONG_WRITE = 1 << 16 }; /* bytes */

static bool ends_in(const char *path, const char *end)
{
  size_t length = strlen(path), part = strlen(end);
  return length > part && !strcmp(path + length - part, end);
}

/* ---------------------------------------------------------------- heads */

static void put_csv_head(PfRecord *r)
{
  for (int i = 0; i < r->head.count; i++) {
    if (i) pf_text_put(&r->pending, ",", 1);
    pf_csv_put(&r->pending, r->head.names[i], r->head.units[i]);
  }
  if (r->head.words) {
    pf_text_put(&r->pending, ",", 1);
    pf_csv_put(&r->pending, r->head.words, "");
  }
  pf_text_put(&r->pending, "\n", 1);
}

/* A row of the trajectory is a column of the matrix: so it can be written as it comes. */
static void put_mat_head(PfRecord *r)
{
  pf_mat_texts(&r->pending, "columns", r->head.names, r->head.count);
  pf_mat_texts(&r->pending, "units", r->head.units, r->head.count);
  r->mat = (off_t)r->pending.count;
  pf_mat_open(&r->pending, "data", r->head.count);
}

static void put_json_list(PfJson *json, const char *key, const char *const *list, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, list[i]);
  pf_json_close(json, ']');
}

static void put_json_head(PfRecord *r)
{
  PfJson json = {.text = r->pending};
  pf_json_open(&json, NULL, '{');
  put_json_list(&json, "columns", r->head.names, r->head.count);
  put_json_list(&json, "units", r->head.units, r->head.count);
  r->pending = json.text;
  pf_text_add(&r->pending, ",\n  \"rows\": [");
}

/* What ends the file. */
static const char *tail(const PfRecord *r)
{
  return r->format == PF_FORMAT_JSON ? "\n  ]\n}\n" : "";
}

static PfStatus no_room(PfRecord *r)
{
  r->failed = true;
  return pf_no_room(r->ctx, "the trajectory");
}

PfStatus pf_record_begin(PfRecord *r, PfContext *ctx, const char *path, const PfRecordHead *head)
{
  PfFormat format = ends_in(path, ".json") ? PF_FORMAT_JSON : ends_in(path, ".mat") ? PF_FORMAT_MAT : PF_FORMAT_CSV;
  *r = (PfRecord){.head = *head, .path = path, .format = format};
  PF_TRY(pf_out_check(ctx, path));
  r->regular = pf_out_is_regular(path);
  if (format == PF_FORMAT_MAT && !r->regular)
    return pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': a MAT-file begins with the number of its rows, and a pipe has "
                                     "no way back", path);
  r->ctx = ctx;
  pf_text_init(&r->pending, pf_context_allocator(ctx));
  if (format == PF_FORMAT_CSV) put_csv_head(r);
  else if (format == PF_FORMAT_JSON) put_json_head(r);
  else put_mat_head(r);
  r->head_count = r->pending.count;
  r->flushed = pf_clock();
  return r->pending.failed ? no_room(r) : PF_OK;
}

/* ---------------------------------------------------------------- to the file */

static size_t row_bytes(const PfRecord *r)
{
  return (size_t)r->head.count*sizeof(double);
}

/* How much of the bytes that are written is head and whole rows, when the disk is full; counts the rows. */
static size_t whole_rows(PfRecord *r, size_t written)
{
  size_t whole = r->head_count;
  if (r->format == PF_FORMAT_MAT) {
    size_t rows = (written - whole)/row_bytes(r);
    r->kept += (long)rows;
    return whole + rows*row_bytes(r);
  }
  const char end = r->format == PF_FORMAT_JSON ? ']' : '\n';
  for (size_t i = r->head_count; i + strlen(tail(r)) < written; i++)
    if (r->pending.at[i] == end) whole = i + 1, r->kept++;
  return whole;
}

static bool put_mat_count(PfRecord *r, long rows)
{
  if (r->format != PF_FORMAT_MAT) return true;
  PfText bytes;
  pf_text_init(&bytes, pf_context_allocator(r->ctx));
  pf_mat_count(&bytes, (uint32_t)rows);
  bool good = !bytes.failed &&
              pf_out_put(&r->file, r->mat + PF_MAT_COLUMNS, pf_text_get(&bytes), bytes.count) == bytes.count;
  pf_text_free(&bytes);
  return good;
}

/* What is pending, to the file. Returns how many bytes of it are there. */
static size_t put_pending(PfRecord *r)
{
  size_t written = pf_out_put(&r->file, r->end, pf_text_get(&r->pending), r->pending.count);
  return written < r->pending.count || put_mat_count(r, r->rows) ? written : 0;
}

/* The same by a process of its own: a system cuts a long write short when it kills the writer, and half a row would be
 * left. The other process finishes what it has begun. */
static bool put_apart(PfRecord *r)
{
  pid_t other = fork();
  if (other == 0) {
    (void)setpgid(0, 0);
    _exit(put_pending(r) == r->pending.count ? 0 : 1);
  }
  int end = 0;
  while (other > 0 && waitpid(other, &end, 0) < 0)
    if (errno != EINTR) return false;
  return other > 0 && WIFEXITED(end) && WEXITSTATUS(end) == 0;
}

/* The disk is full: the file is cut behind the last row that fits, and ended there. */
static PfStatus rescue(PfRecord *r, size_t written)
{
  size_t length = strlen(tail(r));
  bool some = r->kept || (written >= r->head_count + length);
  r->failed = true;
  r->open = false;
  if (some) {
    r->end += (off_t)whole_rows(r, written);
    (void)pf_out_put(&r->file, r->end, tail(r), length);
    pf_out_cut(&r->file, r->end + (off_t)length);
    (void)put_mat_count(r, r->kept);
  }
  if (some && r->kept) {
    char what[64];
    snprintf(what, sizeof what, "the first %ld rows", r->kept);
    return pf_out_rescue(&r->file, what);
  }
  pf_fail(r->ctx, PF_ERR_FILE, "cannot write '%s': %s", r->path, strerror(r->file.error));
  pf_out_remove(&r->file);
  return PF_ERR_FILE;
}

static PfStatus put_to_stream(PfRecord *r, const char *ending)
{
  pf_text_add(&r->pending, ending);
  const size_t count = r->pending.count;
  bool good = !r->pending.failed && fwrite(pf_text_get(&r->pending), 1, count, r->stream) == count;
  r->pending.count = r->head_count = 0;
  r->kept = r->rows;
  return good ? PF_OK : no_room(r);
}

/* Regular files are ended each time and go on over that end; others take what comes and are ended once. */
static PfStatus flush(PfRecord *r, const char *ending)
{
  if (r->stream) return put_to_stream(r, ending);
  if (!r->open && pf_out_open(&r->file, r->ctx, r->path) != PF_OK) {
    r->failed = true;
    return PF_ERR_FILE;
  }
  r->open = true;
  size_t rows = r->pending.count;
  pf_text_add(&r->pending, ending);
  if (r->pending.failed) return no_room(r);
  bool apart = r->regular && r->pending.count > LONG_WRITE && put_apart(r);
  size_t written = apart ? r->pending.count : put_pending(r);
  if (written < r->pending.count) return rescue(r, written);
  r->end += (off_t)rows;
  r->kept = r->rows;
  r->pending.count = r->head_count = 0;
  r->flushed = pf_clock();
  return PF_OK;
}

PfStatus pf_record_keep(PfRecord *r)
{
  if (!r->ctx || r->failed || r->kept == r->rows) return r->failed ? PF_ERR_FILE : PF_OK;
  return r->pending.count > MOST_PENDING || pf_clock() - r->flushed > LONGEST_WAIT
         ? flush(r, r->regular ? tail(r) : "") : PF_OK;
}

/* ---------------------------------------------------------------- rows */

static void put_row(PfRecord *r, const double *row)
{
  bool json = r->format == PF_FORMAT_JSON;
  if (json) pf_text_add(&r->pending, r->rows > 1 ? ",\n    [" : "\n    [");
  for (int i = 0; i < r->head.count; i++) {
    if (i) pf_text_add(&r->pending, json ? ", " : ",");
    if (json && !isfinite(row[i])) pf_text_add(&r->pending, "null");
    else pf_text_number(&r->pending, row[i]);
  }
  if (!json && r->head.words) {
    pf_text_add(&r->pending, ",");
    if (r->word) pf_csv_put(&r->pending, r->word, "");
  }
  pf_text_add(&r->pending, json ? "]" : "\n");
}

static PfStatus check_room(const PfRecord *r)
{
  enum { MOST = 100*1000*1000 }; /* level 4 has no room for more in one matrix */
  if (r->format != PF_FORMAT_MAT || r->rows < MOST/r->head.count) return PF_OK;
  pf_fail(r->ctx, PF_ERR_LIMIT, "'%s' is full: a matrix of a MAT-file takes %d numbers", r->path, MOST);
  pf_hint(r->ctx, "write CSV, or fewer samples with --every");
  return PF_ERR_LIMIT;
}

PfStatus pf_record_add(PfRecord *r, const double *row)
{
  if (!r->ctx || r->failed) return r->failed ? PF_ERR_FILE : PF_OK;
  PF_TRY(check_room(r));
  r->rows++;
  if (r->format == PF_FORMAT_MAT) pf_mat_column(&r->pending, row, r->head.count);
  else put_row(r, row);
  if (r->pending.failed) return no_room(r);
  bool look = r->rows%16 == 0 || r->pending.count > MOST_PENDING; /* looking at the clock costs more than some rows */
  return look ? pf_record_keep(r) : PF_OK;
}

PfStatus pf_record_add_word(PfRecord *r, const double *row, const char *word)
{
  r->word = word;
  PfStatus status = pf_record_add(r, row);
  r->word = NULL;
  return status;
}

/* ---------------------------------------------------------------- the end */

PfStatus pf_record_close(PfRecord *r)
{
  if (!r->ctx) return PF_OK;
  PfStatus status = r->failed ? PF_ERR_FILE : flush(r, tail(r));
  if (r->open && r->failed && !r->kept) pf_out_remove(&r->file);
  else if (r->open && pf_out_replace(&r->file) != PF_OK) status = PF_ERR_FILE; /* without memory too: rows are in it */
  pf_text_free(&r->pending);
  r->ctx = NULL;
  return status;
}

void pf_record_drop(PfRecord *r)
{
  if (!r->ctx) return;
  if (r->open) pf_out_remove(&r->file);
  pf_text_free(&r->pending);
  r->ctx = NULL;
}
