/* SPDX-License-Identifier: Apache-2.0 */
/* Rows to files. They gather in memory and go to the file at least twice a second, each time with the end of the
 * format, so that the file can be read at any moment. */
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

/* The end of a complete file, after the last row. */
static const char *tail(const PfRecord *r)
{
  return r->format == PF_FORMAT_JSON ? "\n  ]\n}\n" : "";
}

static PfStatus no_room(PfRecord *r)
{
  r->failed = true;
  return pf_no_room(r->ctx, "the trajectory");
}

/* Puts the head into the pending bytes. A row of the trajectory is a column of the matrix of a MAT-file: so it can be
 * written as it comes. */
static void put_head(PfRecord *r)
{
  const PfRecordHead *head = &r->head;
  if (r->format == PF_FORMAT_CSV) {
    for (int i = 0; i < head->count; i++) {
      if (i) pf_text_put(&r->pending, ",", 1);
      pf_csv_put(&r->pending, head->names[i], head->units[i]);
    }
    if (head->words) {
      pf_text_put(&r->pending, ",", 1);
      pf_csv_put(&r->pending, head->words, "");
    }
    pf_text_put(&r->pending, "\n", 1);
  } else if (r->format == PF_FORMAT_JSON) {
    PfJson json = {.text = r->pending};
    pf_json_open(&json, NULL, '{');
    for (int list = 0; list < 2; list++) {
      pf_json_open(&json, list ? "units" : "columns", '[');
      for (int i = 0; i < head->count; i++) pf_json_string(&json, NULL, (list ? head->units : head->names)[i]);
      pf_json_close(&json, ']');
    }
    r->pending = json.text;
    pf_text_add(&r->pending, ",\n  \"rows\": [");
  } else {
    pf_mat_texts(&r->pending, "columns", head->names, head->count);
    pf_mat_texts(&r->pending, "units", head->units, head->count);
    r->mat = (off_t)r->pending.count;
    pf_mat_open(&r->pending, "data", head->count);
  }
  r->head_count = r->pending.count;
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
  put_head(r);
  r->flushed = pf_clock();
  return r->pending.failed ? no_room(r) : PF_OK;
}

/* ---------------------------------------------------------------- to the file */

/* Writes the number of rows into the head of the matrix of a MAT-file. */
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

/* Writes the pending bytes to the file. Returns how many of them are there. */
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

/* The disk is full after `written` of the pending bytes: the file is cut after the last row that fits, and ended there.
 * */
static PfStatus rescue(PfRecord *r, size_t written)
{
  const size_t length = strlen(tail(r)), row = (size_t)r->head.count*sizeof(double);
  const char end = r->format == PF_FORMAT_JSON ? ']' : '\n';
  size_t whole = r->head_count; /* bytes of head and whole rows */
  bool some = r->kept || (written >= r->head_count + length);
  r->failed = true;
  r->open = false;
  if (some) {
    if (r->format == PF_FORMAT_MAT) {
      const size_t rows = (written - whole)/row;
      r->kept += (long)rows;
      whole += rows*row;
    } else
      for (size_t i = r->head_count; i + length < written; i++)
        if (r->pending.at[i] == end) whole = i + 1, r->kept++;
    r->end += (off_t)whole;
    (void)pf_out_put(&r->file, r->end, tail(r), length);
    pf_out_truncate(&r->file, r->end + (off_t)length);
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

/* Brings the pending rows to the file, with `ending` after them: regular files are ended each time and go on over that
 * end; others take the bytes as they come and are ended once. */
static PfStatus flush(PfRecord *r, const char *ending)
{
  if (r->stream) {
    pf_text_add(&r->pending, ending);
    const size_t count = r->pending.count;
    bool good = !r->pending.failed && fwrite(pf_text_get(&r->pending), 1, count, r->stream) == count;
    r->pending.count = r->head_count = 0;
    r->kept = r->rows;
    return good ? PF_OK : no_room(r);
  }
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
  if (r->take && !r->failed) return PF_OK;
  if (!r->ctx || r->failed || r->kept == r->rows) return r->failed ? PF_ERR_FILE : PF_OK;
  return r->pending.count > MOST_PENDING || pf_clock() - r->flushed > LONGEST_WAIT
         ? flush(r, r->regular ? tail(r) : "") : PF_OK;
}

/* ---------------------------------------------------------------- rows */

PfStatus pf_record_add(PfRecord *r, const double *row)
{
  enum { MOST = 100*1000*1000 }; /* level 4 has no room for more in one matrix */
  if (!r->ctx || r->failed) return r->failed ? PF_ERR_FILE : PF_OK;
  if (r->format == PF_FORMAT_MAT && r->rows >= MOST/r->head.count) {
    pf_fail(r->ctx, PF_ERR_LIMIT, "'%s' is full: a matrix of a MAT-file takes %d numbers", r->path, MOST);
    pf_hint(r->ctx, "write CSV, or fewer samples with @every");
    return PF_ERR_LIMIT;
  }
  r->rows++;
  if (r->format == PF_FORMAT_MAT) pf_mat_column(&r->pending, row, r->head.count);
  else {
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

/* Everything is still pending: it is handed over with the end of the format, and the number of rows in its place. */
static PfStatus hand_over(PfRecord *r)
{
  PfText count;
  pf_text_init(&count, pf_context_allocator(r->ctx));
  if (r->format == PF_FORMAT_MAT) pf_mat_count(&count, (uint32_t)r->rows);
  pf_text_add(&r->pending, tail(r));
  r->failed = r->pending.failed || count.failed;
  if (!r->failed && count.count) memcpy(r->pending.at + r->mat + PF_MAT_COLUMNS, count.at, count.count);
  pf_text_free(&count);
  if (r->failed) return no_room(r);
  return r->take(r->take_user, r->path, pf_text_get(&r->pending), r->pending.count)
             ? PF_OK : pf_fail(r->ctx, PF_ERR_FILE, "'%s' could not be written", r->path);
}

PfStatus pf_record_close(PfRecord *r)
{
  if (!r->ctx) return PF_OK;
  PfStatus status = r->failed ? PF_ERR_FILE : r->take ? hand_over(r) : flush(r, tail(r));
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
