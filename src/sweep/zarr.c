/* SPDX-License-Identifier: Apache-2.0 */
/* Zarr, version 3: metadata as JSON, arrays as chunk files. https://zarr-specs.readthedocs.io/en/latest/v3 */
#include "out/json_read.h"
#include "sweep/settings.h"
#include "sweep/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(double) == 8, "IEEE 754");

/* ---------------------------------------------------------------- arrays */

/* An array of the result: a column with a double for each member, or bytes. */
typedef struct Array {
  const char *name, *unit; /* unit NULL: bytes */
  int width;               /* bytes of each member; 0: one number */
  char folder[204];
} Array;

/* Numbers of the arrays that follow the columns: how members ended, and the reasons of failures. */
static int status_number(const PfRowStore *store)
{
  return store->sweep->columns;
}

static int reason_number(const PfRowStore *store)
{
  return store->sweep->columns + 1;
}

/* Array i of the result with its folder. A name of Zarr has no slash and nothing hidden, and is not too long for a
 * system: the hash keeps long names apart. */
static Array array_of(const PfRowStore *store, int i)
{
  const PfSweep *sweep = store->sweep;
  Array a = {.name = "status"};
  if (i < sweep->columns) a = (Array){.name = sweep->names[i], .unit = sweep->units[i]};
  if (i == reason_number(store)) a = (Array){.name = "reason", .width = PF_REASON};
  const size_t length = strlen(a.name);
  if (length <= 200) memcpy(a.folder, a.name, length + 1);
  else
    snprintf(a.folder, sizeof a.folder, "%.180s-%016llx", a.name,
             (unsigned long long)pf_hash_bytes(a.name, length, 0));
  for (char *c = a.folder; *c; c++)
    if (*c == '/') *c = '|';
  if (a.folder[0] == '.') a.folder[0] = '_';
  return a;
}

/* The file of a chunk of an array. Chunks of a matrix are in folders of rows. */
static PfStorePath chunk_path(const PfRowStore *store, const Array *a, long long index)
{
  return pf_store_path(store, a->width ? "%s/c/%lld/0" : "%s/c/%lld", a->folder, index);
}

/* ---------------------------------------------------------------- metadata */

/* {"name": …, "configuration": {…}}: how Zarr writes one of several ways to do a thing. */
static void open_choice(PfJson *json, const char *key, const char *name)
{
  pf_json_open(json, key, '{');
  pf_json_string(json, "name", name);
  pf_json_open(json, "configuration", '{');
}

static void close_choice(PfJson *json)
{
  pf_json_close(json, '}');
  pf_json_close(json, '}');
}

/* The shape of so many members of an array. */
static void json_shape(const Array *a, PfJson *json, const char *key, long long rows)
{
  pf_json_open(json, key, '[');
  pf_json_integer(json, NULL, rows);
  if (a->width) pf_json_integer(json, NULL, a->width);
  pf_json_close(json, ']');
}

static void json_strings(PfJson *json, const char *key, const char *const *strings, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, strings[i]);
  pf_json_close(json, ']');
}

/* The meanings of the numbers of the status, in the way of the conventions for climate data (CF): words without blanks
 * inside. */
static void json_flags(PfJson *json)
{
  PfText meanings;
  pf_text_init(&meanings, json->text.allocator);
  pf_json_open(json, "flag_values", '[');
  for (int i = 0; i < PF_MEMBER_ENDS; i++) pf_json_integer(json, NULL, i);
  pf_json_close(json, ']');
  for (int i = 0; i < PF_MEMBER_ENDS; i++) {
    if (i) pf_text_add(&meanings, " ");
    for (const char *c = pf_member_end_text(i); *c; c++) pf_text_put(&meanings, *c == ' ' ? "_" : c, 1);
  }
  pf_json_string(json, "flag_meanings", pf_text_get(&meanings));
  pf_text_free(&meanings);
}

/* The metadata of an array as an object of Zarr. */
static void json_array(const PfRowStore *store, const Array *a, PfJson *json, const char *key)
{
  pf_json_open(json, key, '{');
  pf_json_integer(json, "zarr_format", 3);
  pf_json_string(json, "node_type", "array");
  json_shape(a, json, "shape", store->sweep->plan.count);
  pf_json_string(json, "data_type", a->unit ? "float64" : "uint8");
  open_choice(json, "chunk_grid", "regular");
  json_shape(a, json, "chunk_shape", store->length);
  close_choice(json);
  open_choice(json, "chunk_key_encoding", "default");
  pf_json_string(json, "separator", "/");
  close_choice(json);
  if (a->unit) pf_json_string(json, "fill_value", "NaN");
  else pf_json_integer(json, "fill_value", 0);
  /* The codecs of an array: bytes in the order of this machine, as they are in memory; then zstd with a checksum
   * where the library is there. */
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  pf_json_open(json, "codecs", '[');
  open_choice(json, NULL, "bytes");
  pf_json_string(json, "endian", first ? "little" : "big");
  close_choice(json);
  if (store->codec.functions) {
    open_choice(json, NULL, "zstd");
    pf_json_integer(json, "level", PF_ZSTD_LEVEL);
    pf_json_bool(json, "checksum", true);
    close_choice(json);
  }
  pf_json_close(json, ']');
  pf_json_open(json, "attributes", '{');
  if (a->unit && *a->unit) pf_json_string(json, "units", a->unit);
  if (a->unit) pf_json_string(json, "long_name", a->name);
  else if (a->width) pf_json_string(json, "long_name", "why the member failed: UTF-8, zeros behind it");
  else json_flags(json);
  pf_json_close(json, '}');
  json_strings(json, "dimension_names", (const char *const[]){"member", "letter"}, a->width ? 2 : 1);
  json_strings(json, "storage_transformers", NULL, 0);
  pf_json_close(json, '}');
}

/* The data that the program itself needs from a result, among the attributes of the group. */
static void json_own(const PfRowStore *store, PfJson *json)
{
  const PfSweep *sweep = store->sweep;
  const PfPlan *plan = &sweep->plan;
  const int varied = plan->variable_count;
  pf_json_open(json, "pfaff", '{');
  pf_json_string(json, "version", pf_version());
  pf_json_string(json, "codec", store->codec.functions ? "zstd" : "none");
  pf_json_integer(json, "members", plan->count);
  pf_json_integer(json, "seed", (long long)plan->seed);
  /* The grid, for programs that show it as one: how many values each direction has, and what varies along it. */
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
  json_strings(json, "varied", sweep->names, varied);
  json_strings(json, "taken", sweep->names + varied, sweep->columns - varied);
  pf_sweep_settings_put(sweep, json, "words");
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- making it */

static PfStatus fail(PfContext *ctx, const char *path, int error)
{
  return pf_fail(ctx, error == ENOMEM ? PF_ERR_MEMORY : PF_ERR_FILE, "cannot write '%s': %s", path, strerror(error));
}

/* Ends the JSON text and writes it to the path inside the result; frees it. */
static PfStatus put_json(PfContext *ctx, const PfRowStore *store, PfStorePath path, PfJson *json)
{
  pf_text_add(&json->text, "\n");
  const int error = json->text.failed ? ENOMEM : pf_store_write(store, path.at, json->text.at, json->text.count);
  pf_json_free(json);
  return error ? fail(ctx, path.at, error) : PF_OK;
}

/* Makes the folders of an array and writes its metadata. */
static PfStatus make_array(PfContext *ctx, const PfRowStore *store, const Array *a)
{
  PfJson json;
  for (int i = 0; i < 2; i++) {
    const PfStorePath folder = pf_store_path(store, i ? "%s/c" : "%s", a->folder);
    const int error = pf_store_make_folder(folder.at);
    if (error) return fail(ctx, folder.at, error);
  }
  pf_json_begin(&json, store->allocator);
  json_array(store, a, &json, NULL);
  return put_json(ctx, store, pf_store_path(store, "%s/zarr.json", a->folder), &json);
}

/* The group comes last: a folder without it is not a result. It repeats the metadata of all arrays. */
PfStatus pf_zarr_create(PfContext *ctx, const PfRowStore *store)
{
  PfJson json;
  for (int i = 0; i <= reason_number(store); i++) {
    const Array a = array_of(store, i);
    PF_TRY(make_array(ctx, store, &a));
  }
  pf_json_begin(&json, store->allocator);
  pf_json_open(&json, NULL, '{');
  pf_json_integer(&json, "zarr_format", 3);
  pf_json_string(&json, "node_type", "group");
  pf_json_open(&json, "attributes", '{');
  json_own(store, &json);
  pf_json_close(&json, '}');
  pf_json_open(&json, "consolidated_metadata", '{');
  pf_json_string(&json, "kind", "inline");
  pf_json_bool(&json, "must_understand", false);
  pf_json_open(&json, "metadata", '{');
  for (int i = 0; i <= reason_number(store); i++) {
    const Array a = array_of(store, i);
    json_array(store, &a, &json, a.folder);
  }
  pf_json_close(&json, '}');
  pf_json_close(&json, '}');
  pf_json_close(&json, '}');
  return put_json(ctx, store, pf_store_path(store, "zarr.json"), &json);
}

/* ---------------------------------------------------------------- settings */

PfStatus pf_zarr_settings(PfContext *ctx, PfArena *arena, const char *path, PfSweepSetting **settings, int *count,
                          const char **version, const char **codec)
{
  enum { LARGEST = 1 << 30 };
  struct stat status;
  char name[4096];
  const char *bytes;
  size_t size;
  PfJsonNode *root;
  *settings = NULL;
  *count = 0;
  snprintf(name, sizeof name, "%s/zarr.json", path);
  if (stat(name, &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) return PF_OK;
  PF_TRY(pf_file_read(ctx, arena, name, LARGEST, &bytes, &size));
  PF_TRY(pf_json_read(ctx, arena, name, bytes, size, &root));
  const PfJsonNode *own = pf_json_member(pf_json_member(root, "attributes"), "pfaff");
  if (version) *version = pf_json_text(own, "version");
  if (codec) *codec = pf_json_text(own, "codec");
  /* A list of pairs: key and text. */
  const PfJsonNode *list = pf_json_member(own, "words");
  for (const PfJsonNode *n = list ? list->child : NULL; n; n = n->next) ++*count;
  *settings = pf_arena_array(arena, PfSweepSetting, *count);
  if (!*settings) return pf_no_room(ctx, "the words of a result");
  bool good = *count > 0;
  int i = 0;
  for (const PfJsonNode *n = list ? list->child : NULL; n && good; n = n->next) {
    const PfJsonNode *key = n->kind == PF_JSON_LIST ? n->child : NULL, *value = key ? key->next : NULL;
    good = value && key->text && value->text;
    if (good) (*settings)[i++] = (PfSweepSetting){key->text, value->text};
  }
  return good ? PF_OK : pf_fail(ctx, PF_ERR_FILE, "'%s' was not made by @task{sweep}", path);
}

/* ---------------------------------------------------------------- chunks */

/* Packs the bytes of one chunk of array `number` and writes its file; false, with the failure noted, when it cannot. */
static bool put_chunk(PfRowStore *store, int number, long long index, const void *bytes, size_t count)
{
  const Array a = array_of(store, number);
  const PfStorePath path = chunk_path(store, &a, index);
  PfText packed;
  pf_text_init(&packed, store->allocator);
  int error = a.width ? pf_store_make_folder(pf_store_path(store, "%s/c/%lld", a.folder, index).at) : 0;
  if (!error && !pf_codec_pack(&store->codec, bytes, count, &packed)) error = ENOMEM;
  if (!error) error = pf_store_write(store, path.at, packed.at, packed.count);
  if (error) pf_store_fail(store, path.at, error);
  pf_text_free(&packed);
  return !error;
}

bool pf_zarr_put_chunk(PfRowStore *store, long long index, const PfChunk *chunk)
{
  const size_t rows = (size_t)store->length;
  for (int i = 0; i < store->sweep->columns; i++)
    if (!put_chunk(store, i, index, chunk->columns + (size_t)i*rows, rows*sizeof(double))) return false;
  if (chunk->reasons && !put_chunk(store, reason_number(store), index, chunk->reasons, rows*PF_REASON)) return false;
  return put_chunk(store, status_number(store), index, chunk->ends, rows);
}

bool pf_zarr_has_chunk(const PfRowStore *store, long long index)
{
  struct stat status;
  const Array a = array_of(store, status_number(store));
  return stat(chunk_path(store, &a, index).at, &status) == 0;
}

/* Reads one chunk of array `number` and unpacks it into exactly `count` bytes. */
static PfStatus get_chunk(PfContext *ctx, const PfRowStore *store, int number, long long index, void *bytes,
                          size_t count)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  const Array a = array_of(store, number);
  const PfStorePath path = chunk_path(store, &a, index);
  const char *packed;
  size_t size;
  PfStatus status = pf_file_read(ctx, scratch, path.at, count + (64 << 10) + count/2, &packed, &size);
  if (status == PF_OK && !pf_codec_unpack(&store->codec, packed, size, bytes, count))
    status = pf_fail(ctx, PF_ERR_FILE, "'%s' is damaged", path.at);
  pf_arena_release(scratch, mark);
  return status;
}

PfStatus pf_zarr_get_ends(PfContext *ctx, const PfRowStore *store, long long index, unsigned char *ends)
{
  return get_chunk(ctx, store, status_number(store), index, ends, (size_t)store->length);
}

/* Reasons have a file only where a member failed. */
PfStatus pf_zarr_get_chunk(PfContext *ctx, const PfRowStore *store, long long index, PfChunk *chunk)
{
  const size_t rows = (size_t)store->length;
  PF_TRY(pf_zarr_get_ends(ctx, store, index, chunk->ends));
  for (int i = 0; i < store->sweep->columns; i++)
    PF_TRY(get_chunk(ctx, store, i, index, chunk->columns + (size_t)i*rows, rows*sizeof(double)));
  memset(chunk->reasons, 0, rows*PF_REASON);
  for (size_t i = 0; i < rows; i++)
    if (chunk->ends[i] >= PF_MEMBER_NO_START)
      return get_chunk(ctx, store, reason_number(store), index, chunk->reasons, rows*PF_REASON);
  return PF_OK;
}

/* ---------------------------------------------------------------- removing it */

/* Locks of parts stay with the folder they are in. */
void pf_zarr_remove(const PfRowStore *store)
{
  (void)unlink(pf_store_path(store, "zarr.json").at);
  for (int i = 0; i <= reason_number(store); i++) {
    const Array a = array_of(store, i);
    for (long long k = 0; k < store->chunk_count; k++) {
      (void)unlink(chunk_path(store, &a, k).at);
      if (a.width) (void)rmdir(pf_store_path(store, "%s/c/%lld", a.folder, k).at);
    }
    (void)rmdir(pf_store_path(store, "%s/c", a.folder).at);
    (void)unlink(pf_store_path(store, "%s/zarr.json", a.folder).at);
    (void)rmdir(pf_store_path(store, "%s", a.folder).at);
  }
  (void)unlink(pf_store_path(store, ".pfaff/lock").at);
  (void)rmdir(pf_store_path(store, ".pfaff").at);
  (void)rmdir(store->path);
}
