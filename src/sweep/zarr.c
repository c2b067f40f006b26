/* SPDX-License-Identifier: Apache-2.0 */
/* Zarr, version 3: metadata as JSON, arrays as chunk files. https://zarr-specs.readthedocs.io/en/latest/v3 */
#include "out/json_read.h"
#include "sweep/store.h"
#include "sweep/words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers go to files as they are in memory: the lowest byte first. */
_Static_assert(sizeof(double) == 8, "IEEE 754");
static const char *endian(void)
{
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first ? "little" : "big";
}

/* The folder of a column. A name of Zarr has no slash, and nothing hidden. */
static void put_folder(PfText *text, const char *name)
{
  const uint64_t hash = pf_hash_bytes(name, strlen(name), 0);
  if (strlen(name) > 200) pf_text_print(text, "%.180s-%016llx", name, (unsigned long long)hash);
  else pf_text_add(text, name);
  for (char *c = text->at; c && *c; c++)
    if (*c == '/') *c = '|';
  if (text->at && text->at[0] == '.') text->at[0] = '_';
}

/* ---------------------------------------------------------------- metadata */

typedef struct Array {
  const char *name, *unit; /* unit NULL: bytes */
  int width;               /* 0: one number for each member */
} Array;

static Array column(const PfSweep *sweep, int i)
{
  return (Array){sweep->names[i], sweep->units[i], 0};
}

static const Array status_array = {"status", NULL, 0}, reason_array = {"reason", NULL, PF_REASON};

static void json_name(PfJson *json, const char *key, const char *name)
{
  pf_json_open(json, key, '{');
  pf_json_string(json, "name", name);
}

static void json_shape(const Array *a, PfJson *json, const char *key, long long rows)
{
  pf_json_open(json, key, '[');
  pf_json_integer(json, NULL, rows);
  if (a->width) pf_json_integer(json, NULL, a->width);
  pf_json_close(json, ']');
}

static void json_codecs(const PfRowStore *store, PfJson *json)
{
  pf_json_open(json, "codecs", '[');
  json_name(json, NULL, "bytes");
  pf_json_open(json, "configuration", '{');
  pf_json_string(json, "endian", endian());
  pf_json_close(json, '}');
  pf_json_close(json, '}');
  if (store->codec.functions) {
    json_name(json, NULL, "zstd");
    pf_json_open(json, "configuration", '{');
    pf_json_integer(json, "level", PF_ZSTD_LEVEL);
    pf_json_bool(json, "checksum", true);
    pf_json_close(json, '}');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

/* The conventions for climate data have a way to say what numbers mean. */
static void json_flags(PfJson *json)
{
  PfText words;
  pf_text_init(&words, json->text.allocator);
  pf_json_open(json, "flag_values", '[');
  for (int i = 0; i < PF_MEMBER_ENDS; i++) pf_json_integer(json, NULL, i);
  pf_json_close(json, ']');
  for (int i = 0; i < PF_MEMBER_ENDS; i++) pf_text_print(&words, "%s%s", i ? " " : "", pf_member_end_text(i));
  for (size_t i = 0, end = 0; i < words.count; i++) {
    const char *text = pf_member_end_text((int)end); /* blanks inside of a meaning become underlines */
    const size_t length = strlen(text);
    for (size_t k = 0; k < length; k++)
      if (words.at[i + k] == ' ') words.at[i + k] = '_';
    i += length;
    end++;
  }
  pf_json_string(json, "flag_meanings", pf_text_get(&words));
  pf_text_free(&words);
}

static void json_attributes(const Array *a, PfJson *json)
{
  pf_json_open(json, "attributes", '{');
  if (a->unit && *a->unit) pf_json_string(json, "units", a->unit);
  if (a->unit) pf_json_string(json, "long_name", a->name);
  if (!strcmp(a->name, "status") && !a->unit) json_flags(json);
  if (a->width) pf_json_string(json, "long_name", "why the member failed: UTF-8, zeros behind it");
  pf_json_close(json, '}');
}

static void json_array(const PfRowStore *store, const Array *a, PfJson *json, const char *key)
{
  pf_json_open(json, key, '{');
  pf_json_integer(json, "zarr_format", 3);
  pf_json_string(json, "node_type", "array");
  json_shape(a, json, "shape", store->sweep->plan.count);
  pf_json_string(json, "data_type", a->unit ? "float64" : "uint8");
  json_name(json, "chunk_grid", "regular");
  pf_json_open(json, "configuration", '{');
  json_shape(a, json, "chunk_shape", store->length);
  pf_json_close(json, '}');
  pf_json_close(json, '}');
  json_name(json, "chunk_key_encoding", "default");
  pf_json_open(json, "configuration", '{');
  pf_json_string(json, "separator", "/");
  pf_json_close(json, '}');
  pf_json_close(json, '}');
  if (a->unit) pf_json_string(json, "fill_value", "NaN");
  else pf_json_integer(json, "fill_value", 0);
  json_codecs(store, json);
  json_attributes(a, json);
  pf_json_open(json, "dimension_names", '[');
  pf_json_string(json, NULL, "member");
  if (a->width) pf_json_string(json, NULL, "letter");
  pf_json_close(json, ']');
  pf_json_open(json, "storage_transformers", '[');
  pf_json_close(json, ']');
  pf_json_close(json, '}');
}

/* The grid, for who wants to see it as one: how many values each direction has, and what varies along it. */
static void json_grid(const PfSweep *sweep, PfJson *json)
{
  const PfPlan *plan = &sweep->plan;
  pf_json_open(json, "grid", '[');
  for (int i = 0; i < plan->axis_count; i++) {
    pf_json_open(json, NULL, '{');
    pf_json_integer(json, "count", plan->axes[i].count);
    pf_json_open(json, "names", '[');
    for (int k = 0; k < plan->axes[i].width; k++)
      pf_json_string(json, NULL, plan->variables[plan->axes[i].first + k].name);
    pf_json_close(json, ']');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void json_words(const PfRowStore *store, PfJson *json)
{
  const PfSweep *sweep = store->sweep;
  pf_json_open(json, "pfaff", '{');
  pf_json_string(json, "version", pf_version());
  pf_json_string(json, "codec", store->codec.functions ? "zstd" : "none");
  pf_json_integer(json, "members", sweep->plan.count);
  pf_json_integer(json, "seed", (long long)sweep->plan.seed);
  json_grid(sweep, json);
  pf_json_open(json, "varied", '[');
  for (int i = 0; i < sweep->plan.variable_count; i++) pf_json_string(json, NULL, sweep->names[i]);
  pf_json_close(json, ']');
  pf_json_open(json, "taken", '[');
  for (int i = sweep->plan.variable_count; i < sweep->columns; i++) pf_json_string(json, NULL, sweep->names[i]);
  pf_json_close(json, ']');
  pf_sweep_words_put(sweep, json, "words");
  pf_json_close(json, '}');
}

static void json_folder(const PfRowStore *store, const Array *a, PfJson *json)
{
  PfText folder;
  pf_text_init(&folder, store->allocator);
  put_folder(&folder, a->name);
  json_array(store, a, json, pf_text_get(&folder));
  pf_text_free(&folder);
}

static void json_group(const PfRowStore *store, PfJson *json)
{
  const PfSweep *sweep = store->sweep;
  pf_json_open(json, NULL, '{');
  pf_json_integer(json, "zarr_format", 3);
  pf_json_string(json, "node_type", "group");
  pf_json_open(json, "attributes", '{');
  json_words(store, json);
  pf_json_close(json, '}');
  pf_json_open(json, "consolidated_metadata", '{');
  pf_json_string(json, "kind", "inline");
  pf_json_bool(json, "must_understand", false);
  pf_json_open(json, "metadata", '{');
  for (int i = 0; i < sweep->columns; i++) {
    const Array a = column(sweep, i);
    json_folder(store, &a, json);
  }
  json_folder(store, &status_array, json);
  json_folder(store, &reason_array, json);
  pf_json_close(json, '}');
  pf_json_close(json, '}');
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- making it */

static PfStatus fail(PfContext *ctx, const char *path, int error)
{
  return pf_fail(ctx, error == ENOMEM ? PF_ERR_MEMORY : PF_ERR_FILE, "cannot write '%s': %s", path, strerror(error));
}

static PfStatus put_json(PfContext *ctx, const PfRowStore *store, const char *path, PfJson *json)
{
  pf_text_add(&json->text, "\n");
  const int error = json->text.failed ? ENOMEM : pf_store_write(store, path, json->text.at, json->text.count);
  return error ? fail(ctx, path, error) : PF_OK;
}

static PfStatus make_folder(PfContext *ctx, const char *path)
{
  const int error = pf_store_make_folder(path);
  return error ? fail(ctx, path, error) : PF_OK;
}

static PfStatus make_array(PfContext *ctx, const PfRowStore *store, const Array *a, PfText *path, PfJson *json)
{
  PfText folder;
  pf_text_init(&folder, store->allocator);
  put_folder(&folder, a->name);
  pf_store_path(path, store, "%s", pf_text_get(&folder));
  PfStatus status = make_folder(ctx, pf_text_get(path));
  pf_store_path(path, store, "%s/c", pf_text_get(&folder));
  if (status == PF_OK) status = make_folder(ctx, pf_text_get(path));
  pf_store_path(path, store, "%s/zarr.json", pf_text_get(&folder));
  json_array(store, a, json, NULL);
  if (status == PF_OK) status = put_json(ctx, store, pf_text_get(path), json);
  pf_text_free(&folder);
  return status;
}

static PfStatus make_arrays(PfContext *ctx, const PfRowStore *store, PfText *path)
{
  PfStatus status = PF_OK;
  for (int i = 0; i < store->sweep->columns + 2 && status == PF_OK; i++) {
    const int last = i - store->sweep->columns;
    const Array a = last < 0 ? column(store->sweep, i) : last ? reason_array : status_array;
    PfJson json;
    pf_json_begin(&json, store->allocator);
    status = make_array(ctx, store, &a, path, &json);
    pf_json_free(&json);
  }
  return status;
}

/* The group comes last: a folder without it is no result. */
PfStatus pf_zarr_create(PfContext *ctx, const PfRowStore *store)
{
  PfText path;
  PfJson json;
  pf_text_init(&path, store->allocator);
  pf_json_begin(&json, store->allocator);
  PfStatus status = make_arrays(ctx, store, &path);
  json_group(store, &json);
  pf_store_path(&path, store, "zarr.json");
  if (status == PF_OK) status = put_json(ctx, store, pf_text_get(&path), &json);
  pf_json_free(&json);
  pf_text_free(&path);
  return status;
}

/* ---------------------------------------------------------------- words */

static PfStatus take_words(PfContext *ctx, PfArena *arena, const char *path, const PfJsonNode *list,
                           PfSweepWord **words, int *count)
{
  *count = 0;
  for (const PfJsonNode *n = list ? list->child : NULL; n; n = n->next) ++*count;
  *words = pf_arena_array(arena, PfSweepWord, *count);
  if (!*words) return pf_no_room(ctx, "the words of a result");
  int i = 0;
  for (const PfJsonNode *n = list ? list->child : NULL; n; n = n->next, i++) {
    const PfJsonNode *key = n->kind == PF_JSON_LIST ? n->child : NULL, *value = key ? key->next : NULL;
    if (!value || !key->text || !value->text)
      return pf_fail(ctx, PF_ERR_FILE, "'%s' was not made by 'pfaff sweep'", path);
    (*words)[i] = (PfSweepWord){key->text, value->text};
  }
  return *count ? PF_OK : pf_fail(ctx, PF_ERR_FILE, "'%s' was not made by 'pfaff sweep'", path);
}

PfStatus pf_zarr_words(PfContext *ctx, PfArena *arena, const char *path, PfSweepWord **words, int *count,
                       const char **version, const char **codec)
{
  enum { LARGEST = 1 << 30 };
  struct stat status;
  char name[4096];
  const char *bytes;
  size_t size;
  PfJsonNode *root;
  *words = NULL;
  *count = 0;
  snprintf(name, sizeof name, "%s/zarr.json", path);
  if (stat(name, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) return PF_OK;
  PF_TRY(pf_file_read(ctx, arena, name, LARGEST, &bytes, &size));
  PF_TRY(pf_json_read(ctx, arena, name, bytes, size, &root));
  const PfJsonNode *own = pf_json_member(pf_json_member(root, "attributes"), "pfaff");
  if (version) *version = pf_json_text(own, "version");
  if (codec) *codec = pf_json_text(own, "codec");
  return take_words(ctx, arena, path, pf_json_member(own, "words"), words, count);
}

/* ---------------------------------------------------------------- chunks */

static void name_chunk(PfText *path, const PfRowStore *store, const Array *a, long long index)
{
  PfText folder;
  pf_text_init(&folder, store->allocator);
  put_folder(&folder, a->name);
  pf_store_path(path, store, a->width ? "%s/c/%lld/0" : "%s/c/%lld", pf_text_get(&folder), index);
  pf_text_free(&folder);
}

static bool put_chunk(PfRowStore *store, const Array *a, long long index, const void *bytes, size_t count)
{
  PfText path, packed;
  pf_text_init(&path, store->allocator);
  pf_text_init(&packed, store->allocator);
  pf_store_path(&path, store, "%s/c/%lld", a->name, index);
  int error = a->width ? pf_store_make_folder(pf_text_get(&path)) : 0; /* chunks of a matrix are in folders of rows */
  name_chunk(&path, store, a, index);
  if (!error) error = pf_codec_pack(&store->codec, bytes, count, &packed) ? 0 : ENOMEM;
  if (!error) error = pf_store_write(store, pf_text_get(&path), packed.at, packed.count);
  if (error) pf_store_fail(store, pf_text_get(&path), error);
  pf_text_free(&packed);
  pf_text_free(&path);
  return !error;
}

bool pf_zarr_put_chunk(PfRowStore *store, long long index, const PfChunk *chunk)
{
  const size_t rows = (size_t)store->length;
  for (int i = 0; i < store->sweep->columns; i++) {
    const Array a = column(store->sweep, i);
    if (!put_chunk(store, &a, index, chunk->columns + (size_t)i*rows, rows*sizeof(double))) return false;
  }
  if (chunk->reasons && !put_chunk(store, &reason_array, index, chunk->reasons, rows*PF_REASON)) return false;
  return put_chunk(store, &status_array, index, chunk->ends, rows);
}

bool pf_zarr_has_chunk(const PfRowStore *store, long long index)
{
  struct stat status;
  PfText path;
  pf_text_init(&path, store->allocator);
  name_chunk(&path, store, &status_array, index);
  const bool there = stat(pf_text_get(&path), &status) == 0;
  pf_text_free(&path);
  return there;
}

static PfStatus get_chunk(PfContext *ctx, const PfRowStore *store, const Array *a, long long index, void *bytes,
                          size_t count)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  PfText path;
  const char *packed;
  size_t size;
  pf_text_init(&path, store->allocator);
  name_chunk(&path, store, a, index);
  PfStatus status = pf_file_read(ctx, scratch, pf_text_get(&path), count + (64 << 10) + count/2, &packed, &size);
  if (status == PF_OK && !pf_codec_unpack(&store->codec, packed, size, bytes, count))
    status = pf_fail(ctx, PF_ERR_FILE, "'%s' is damaged", pf_text_get(&path));
  pf_text_free(&path);
  pf_arena_release(scratch, mark);
  return status;
}

PfStatus pf_zarr_get_ends(PfContext *ctx, const PfRowStore *store, long long index, unsigned char *ends)
{
  return get_chunk(ctx, store, &status_array, index, ends, (size_t)store->length);
}

static bool has_reasons(const PfChunk *chunk, size_t rows)
{
  for (size_t i = 0; i < rows; i++)
    if (chunk->ends[i] >= PF_MEMBER_NO_START) return true;
  return false;
}

/* Into the room that the chunk has. */
PfStatus pf_zarr_get_chunk(PfContext *ctx, const PfRowStore *store, long long index, PfChunk *chunk)
{
  const size_t rows = (size_t)store->length;
  PF_TRY(pf_zarr_get_ends(ctx, store, index, chunk->ends));
  for (int i = 0; i < store->sweep->columns; i++) {
    const Array a = column(store->sweep, i);
    PF_TRY(get_chunk(ctx, store, &a, index, chunk->columns + (size_t)i*rows, rows*sizeof(double)));
  }
  memset(chunk->reasons, 0, rows*PF_REASON);
  if (!has_reasons(chunk, rows)) return PF_OK;
  return get_chunk(ctx, store, &reason_array, index, chunk->reasons, rows*PF_REASON);
}

/* ---------------------------------------------------------------- removing it */

static void remove_chunks(const PfRowStore *store, const Array *a, PfText *path)
{
  PfText folder;
  pf_text_init(&folder, store->allocator);
  put_folder(&folder, a->name);
  for (long long i = 0; i < store->chunk_count; i++) {
    name_chunk(path, store, a, i);
    (void)unlink(pf_text_get(path));
    pf_store_path(path, store, "%s/c/%lld", pf_text_get(&folder), i);
    if (a->width) (void)rmdir(pf_text_get(path));
  }
  pf_store_path(path, store, "%s/c", pf_text_get(&folder));
  (void)rmdir(pf_text_get(path));
  pf_store_path(path, store, "%s/zarr.json", pf_text_get(&folder));
  (void)unlink(pf_text_get(path));
  pf_store_path(path, store, "%s", pf_text_get(&folder));
  (void)rmdir(pf_text_get(path));
  pf_text_free(&folder);
}

/* The group goes first: what is left of it is no result any more. Locks of parts stay with the folder they are in. */
void pf_zarr_remove(const PfRowStore *store)
{
  PfText path;
  pf_text_init(&path, store->allocator);
  pf_store_path(&path, store, "zarr.json");
  (void)unlink(pf_text_get(&path));
  for (int i = 0; i < store->sweep->columns; i++) {
    const Array a = column(store->sweep, i);
    remove_chunks(store, &a, &path);
  }
  remove_chunks(store, &status_array, &path);
  remove_chunks(store, &reason_array, &path);
  pf_store_path(&path, store, ".pfaff/lock");
  (void)unlink(pf_text_get(&path));
  pf_store_path(&path, store, ".pfaff");
  (void)rmdir(pf_text_get(&path));
  (void)rmdir(store->path);
  pf_text_free(&path);
}
