/* Rows to files, one by one, so that long runs do not grow in memory. */
#include "out/record.h"

#include <errno.h>
#include <math.h>
#include <string.h>


static PfStatus check(PfRecord *r)
{
  if (r->failed || ferror(r->stream)) {
    if (!r->failed) r->error = errno;
    r->failed = true;
    return pf_fail(r->ctx, PF_ERR_FILE, "cannot write '%s': %s", r->path, strerror(r->error));
  }
  return PF_OK;
}

/* A name with a comma or a quote in it is quoted, as CSV wants it. */
static void write_name(FILE *stream, const char *name, const char *unit)
{
  bool quote = strpbrk(name, ",\"") != NULL;
  if (quote) fputc('"', stream);
  for (const char *c = name; *c; c++) {
    if (*c == '"') fputc('"', stream);
    fputc(*c, stream);
  }
  if (unit[0]) fprintf(stream, " [%s]", unit);
  if (quote) fputc('"', stream);
}

static void write_csv_head(PfRecord *r)
{
  for (int i = 0; i < r->head.count; i++) {
    if (i) fputc(',', r->stream);
    write_name(r->stream, r->head.names[i], r->head.units[i]);
  }
  fputc('\n', r->stream);
}

static void write_bytes(PfRecord *r)
{
  (void)fwrite(pf_text_get(&r->bytes), 1, r->bytes.count, r->stream);
  r->bytes.count = 0;
}

/* A row of the trajectory is a column of the matrix: so it can be written as it comes. */
static void write_mat_head(PfRecord *r)
{
  pf_text_init(&r->bytes, pf_context_allocator(r->ctx));
  pf_mat_texts(&r->bytes, "columns", r->head.names, r->head.count);
  pf_mat_texts(&r->bytes, "units", r->head.units, r->head.count);
  r->mat_head = (long)r->bytes.count;
  pf_mat_open(&r->bytes, "data", r->head.count);
  r->mat_data = (long)r->bytes.count;
  write_bytes(r);
}

/* As many columns as have reached the file: the disk may have become full. Fails for pipes. */
static bool end_mat(PfRecord *r)
{
  long end = fseek(r->stream, 0, SEEK_END) == 0 ? ftell(r->stream) : -1;
  if (end < r->mat_data) return false;
  pf_mat_count(&r->bytes, (uint32_t)((end - r->mat_data)/(r->head.count*(long)sizeof(double))));
  if (fseek(r->stream, r->mat_head + PF_MAT_COLUMNS, SEEK_SET) != 0) return false;
  write_bytes(r);
  return true;
}

static void write_json_head(PfRecord *r)
{
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(r->ctx));
  pf_json_open(&json, NULL, '{');
  pf_json_open(&json, "columns", '[');
  for (int i = 0; i < r->head.count; i++) pf_json_string(&json, NULL, r->head.names[i]);
  pf_json_close(&json, ']');
  pf_json_open(&json, "units", '[');
  for (int i = 0; i < r->head.count; i++) pf_json_string(&json, NULL, r->head.units[i]);
  pf_json_close(&json, ']');
  fputs(pf_text_get(&json.text), r->stream);
  fputs(",\n  \"rows\": [", r->stream);
  pf_json_free(&json);
}

static bool ends_in(const char *path, const char *end)
{
  size_t length = strlen(path), part = strlen(end);
  return length > part && !strcmp(path + length - part, end);
}

PfStatus pf_record_open(PfRecord *r, PfContext *ctx, const char *path, const PfRecordHead *head)
{
  *r = (PfRecord){.ctx = ctx, .head = *head};
  r->path = path;
  r->format = ends_in(path, ".json") ? PF_FORMAT_JSON : ends_in(path, ".mat") ? PF_FORMAT_MAT : PF_FORMAT_CSV;
  r->stream = fopen(path, "wb");
  if (!r->stream) return pf_fail(r->ctx, PF_ERR_FILE, "cannot write '%s': %s", path, strerror(errno));
  if (r->format == PF_FORMAT_CSV) write_csv_head(r);
  else if (r->format == PF_FORMAT_JSON) write_json_head(r);
  else write_mat_head(r);
  return check(r);
}

static PfStatus add_to_mat(PfRecord *r, const double *row)
{
  enum { MOST = 100*1000*1000 }; /* level 4 has no room for more in one matrix */
  if (r->rows > MOST/r->head.count) {
    pf_fail(r->ctx, PF_ERR_LIMIT, "'%s' is full: a matrix of a MAT-file takes %d numbers", r->path, MOST);
    pf_hint(r->ctx, "write CSV, or fewer samples with --every");
    return PF_ERR_LIMIT;
  }
  pf_mat_column(&r->bytes, row, r->head.count);
  if (r->bytes.failed) return pf_fail(r->ctx, PF_ERR_MEMORY, "no memory for the trajectory");
  write_bytes(r);
  return check(r);
}

PfStatus pf_record_add(PfRecord *r, const double *row)
{
  if (!r->stream) return PF_OK;
  r->rows++;
  if (r->format == PF_FORMAT_MAT) return add_to_mat(r, row);
  bool json = r->format == PF_FORMAT_JSON;
  if (json) fputs(r->rows > 1 ? ",\n    [" : "\n    [", r->stream);
  for (int i = 0; i < r->head.count; i++) {
    if (i) fputs(json ? ", " : ",", r->stream);
    if (json && !isfinite(row[i])) fputs("null", r->stream);
    else fprintf(r->stream, "%.17g", row[i]);
  }
  fputs(json ? "]" : "\n", r->stream);
  return check(r);
}

PfStatus pf_record_close(PfRecord *r)
{
  if (!r->stream) return PF_OK;
  if (r->format == PF_FORMAT_JSON) fputs("\n  ]\n}\n", r->stream);
  bool bad = r->format == PF_FORMAT_MAT && !end_mat(r);
  bad = fflush(r->stream) != 0 || bad;
  if (bad && !r->failed) r->error = errno;
  bool told = r->failed;
  r->failed = r->failed || bad;
  if (fclose(r->stream) != 0 && !r->failed) r->failed = true, r->error = errno;
  r->stream = NULL;
  if (!r->failed || told) return told ? PF_ERR_FILE : PF_OK;
  return pf_fail(r->ctx, PF_ERR_FILE, "cannot write '%s': %s", r->path, strerror(r->error));
}

void pf_record_free(PfRecord *r)
{
  if (r->bytes.allocator) pf_text_free(&r->bytes);
}
