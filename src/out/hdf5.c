/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 files by the library, which is loaded when the first one is written: a dataset per column, with its unit as an
 * attribute. */
#include "out/hdf5.h"
#include "base/base.h"

static const char other_tables[] =
  "a .zarr directory, .mat and .csv need no library; Debian has this one as libhdf5-103-1";

#ifdef PF_HAVE_HDF5
#include "base/library.h"
#include "out/file.h"

#include <hdf5.h>
#include <string.h>

/* Functions, and numbers of the library that stand for types. */
#define FUNCTIONS(USE)                                                                                      \
  USE(H5open) USE(H5Eset_auto2) USE(H5Fcreate) USE(H5Fclose) USE(H5Gcreate2) USE(H5Gclose)                  \
  USE(H5Screate) USE(H5Screate_simple) USE(H5Sselect_hyperslab) USE(H5Sclose)                               \
  USE(H5Dcreate2) USE(H5Dget_space) USE(H5Dwrite) USE(H5Dclose) USE(H5Acreate2) USE(H5Awrite) USE(H5Aclose) \
  USE(H5Tcopy) USE(H5Tset_size) USE(H5Tset_cset) USE(H5Tclose)                                              \
  USE(H5Pcreate) USE(H5Pset_chunk) USE(H5Pset_deflate) USE(H5Pset_obj_track_times) USE(H5Pclose)            \
  USE(H5T_NATIVE_DOUBLE_g) USE(H5T_NATIVE_UCHAR_g) USE(H5T_C_S1_g) USE(H5P_CLS_DATASET_CREATE_ID_g)

typedef struct Functions {
  FUNCTIONS(PF_LIBRARY_MEMBER)
} Functions;

struct PfHdf5 {
  PfContext *ctx;
  const Functions *f;
  PfArena *arena;
  PfOutFile out;
  const char *path;
  hid_t file, notes, *sets, *types;
  int count;
};

/* The functions of the library of this build, or of that of another system: from version 1.10 to 1.14 they are the
 * same, and only the name of the file differs. */
static PfStatus load(PfContext *ctx, const Functions **functions)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME)};
  static const char *const files[] = {PF_HDF5_FILE, "libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5.so.200",
                                      "libhdf5_serial.so.310", "libhdf5.so.310"};
  enum { COUNT = sizeof names/sizeof *names };
  enum { FILES = sizeof files/sizeof *files };
  const void *found = NULL;
  PfLibrary library = {PF_HDF5_FILE, names, COUNT, COUNT, NULL};
  PfStatus status = PF_ERR_MISSING;
  for (int i = 0; i < FILES && status != PF_OK; i++) {
    library.file = files[i];
    status = pf_library_open(ctx, &library, &found);
  }
  library.file = files[0]; /* of which the message has the reason */
  if (status != PF_OK) status = pf_library_require(ctx, &library, "HDF5 files are written by libhdf5", &found);
  if (status != PF_OK) {
    pf_hint(ctx, "%s", other_tables);
    return status;
  }
  const Functions *f = *functions = found;
  if (f->H5open() < 0) return pf_fail(ctx, PF_ERR_MISSING, "libhdf5 cannot be used");
  (void)f->H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it prints nothing: messages are ours */
  return PF_OK;
}

PfStatus pf_hdf5_check(PfContext *ctx)
{
  const Functions *functions;
  return load(ctx, &functions);
}

static PfStatus cannot_write(const PfHdf5 *h)
{
  return pf_fail(h->ctx, PF_ERR_FILE, "cannot write '%s': libhdf5 has failed, maybe since the disk is full", h->path);
}

/* ---------------------------------------------------------------- types and notes */

/* The type of texts of so many bytes in UTF-8, to be closed; negative without. */
static hid_t text_type(const Functions *f, size_t width)
{
  const hid_t type = f->H5Tcopy(*f->H5T_C_S1_g);
  if (type >= 0 && f->H5Tset_size(type, width ? width : 1) >= 0 && f->H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
    return type;
  if (type >= 0) (void)f->H5Tclose(type);
  return -1;
}

/* The same rows make the same bytes, whenever they are written. */
static hid_t timeless(const Functions *f)
{
  const hid_t list = f->H5Pcreate(*f->H5P_CLS_DATASET_CREATE_ID_g);
  if (list >= 0) (void)f->H5Pset_obj_track_times(list, false);
  return list;
}

/* Writes a text as an attribute of a dataset, or as a dataset in a group: attributes have at most 64 KB. */
static PfStatus put_text(const PfHdf5 *h, hid_t to, bool attribute, const char *name, const char *text)
{
  const Functions *f = h->f;
  const hid_t type = text_type(f, strlen(text) + 1), space = f->H5Screate(H5S_SCALAR);
  const hid_t list = attribute ? H5P_DEFAULT : timeless(f);
  hid_t at = -1;
  bool good = type >= 0 && space >= 0 && list >= 0 && to >= 0;
  if (good && attribute) at = f->H5Acreate2(to, name, type, space, list, H5P_DEFAULT);
  else if (good) at = f->H5Dcreate2(to, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (at >= 0 && attribute) good = f->H5Awrite(at, type, text) >= 0, (void)f->H5Aclose(at);
  else if (at >= 0) good = f->H5Dwrite(at, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0, (void)f->H5Dclose(at);
  if (!attribute && list >= 0) (void)f->H5Pclose(list);
  if (space >= 0) (void)f->H5Sclose(space);
  if (type >= 0) (void)f->H5Tclose(type);
  return good && at >= 0 ? PF_OK : cannot_write(h);
}

PfStatus pf_hdf5_note(PfHdf5 *h, const char *name, const char *text)
{
  return put_text(h, h->notes, false, name, text);
}

/* ---------------------------------------------------------------- columns */

/* Adds column i, an empty dataset of so many rows with its unit, in chunks that are compressed: reasons are mostly
 * zeros. A library without compression writes plain chunks. */
static PfStatus add_column(PfHdf5 *h, int i, const PfHdf5Column *column, long long rows)
{
  enum { CHUNK = 16384, LEVEL = 1 };
  const Functions *f = h->f;
  const hsize_t size = (hsize_t)rows, chunk = rows < CHUNK ? (hsize_t)rows : CHUNK;
  char *name = pf_arena_text(h->arena, column->name, strlen(column->name));
  if (!name) return pf_no_room(h->ctx, "the file");
  for (char *c = name; *c; c++)
    if (*c == '/') *c = '|';
  const hid_t space = f->H5Screate_simple(1, &size, NULL), list = timeless(f);
  if (list >= 0 && rows > 0 && f->H5Pset_chunk(list, 1, &chunk) >= 0) (void)f->H5Pset_deflate(list, LEVEL);
  h->types[i] = column->kind == PF_HDF5_TEXT ? text_type(f, (size_t)column->width)
              : f->H5Tcopy(column->kind == PF_HDF5_BYTE ? *f->H5T_NATIVE_UCHAR_g : *f->H5T_NATIVE_DOUBLE_g);
  if (space >= 0 && list >= 0 && h->types[i] >= 0)
    h->sets[i] = f->H5Dcreate2(h->file, name, h->types[i], space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (list >= 0) (void)f->H5Pclose(list);
  if (space >= 0) (void)f->H5Sclose(space);
  if (h->sets[i] < 0) return cannot_write(h);
  return *column->unit ? put_text(h, h->sets[i], true, "units", column->unit) : PF_OK;
}

/* Creates the file with the group of notes and all columns. */
static PfStatus begin(PfHdf5 *h, const PfHdf5Column *columns, long long rows)
{
  enum { TRUNCATE = 2 }; /* H5F_ACC_TRUNC, a macro that calls functions of a linked library */
  h->file = h->f->H5Fcreate(pf_text_get(&h->out.part), TRUNCATE, H5P_DEFAULT, H5P_DEFAULT);
  if (h->file < 0) return cannot_write(h);
  h->notes = h->f->H5Gcreate2(h->file, "pfaff", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (int i = 0; i < h->count; i++) PF_TRY(add_column(h, i, columns + i, rows));
  return PF_OK;
}

/* The object and its file, which is not an HDF5 file yet. */
static PfStatus make(PfContext *ctx, const Functions *f, const char *path, int count, PfHdf5 **file)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfHdf5 *h = arena ? pf_arena_array(arena, PfHdf5, 1) : NULL;
  if (h) *h = (PfHdf5){.ctx = ctx, .f = f, .arena = arena, .path = path, .file = -1, .notes = -1, .count = count,
                       .sets = pf_arena_array(arena, hid_t, count), .types = pf_arena_array(arena, hid_t, count)};
  if (!h || !h->sets || !h->types) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the file");
  }
  for (int i = 0; i < count; i++) h->sets[i] = h->types[i] = -1;
  PfStatus status = pf_out_open(&h->out, ctx, path);
  if (status == PF_OK) *file = h;
  else pf_arena_free(arena);
  return status;
}

PfStatus pf_hdf5_begin(PfContext *ctx, const char *path, const PfHdf5Column *columns, int count, long long rows,
                       PfHdf5 **file)
{
  const Functions *functions;
  *file = NULL;
  PF_TRY(load(ctx, &functions));
  if (!pf_out_is_regular(path))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "'%s' is no file in which bytes can be written again, as HDF5 needs it", path);
  PF_TRY(make(ctx, functions, path, count, file));
  PfStatus status = begin(*file, columns, rows);
  if (status == PF_OK) return status;
  pf_hdf5_drop(*file);
  *file = NULL;
  return status;
}

PfStatus pf_hdf5_put(PfHdf5 *h, int column, long long first, long long count, const void *rows)
{
  const Functions *f = h->f;
  const hsize_t start = (hsize_t)first, size = (hsize_t)count;
  if (!count) return PF_OK;
  const hid_t in = f->H5Screate_simple(1, &size, NULL), to = f->H5Dget_space(h->sets[column]);
  bool good = in >= 0 && to >= 0 && f->H5Sselect_hyperslab(to, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0;
  good = good && f->H5Dwrite(h->sets[column], h->types[column], in, to, H5P_DEFAULT, rows) >= 0;
  if (in >= 0) (void)f->H5Sclose(in);
  if (to >= 0) (void)f->H5Sclose(to);
  return good ? PF_OK : cannot_write(h);
}

/* ---------------------------------------------------------------- the end */

/* Closes all that is open in the file. Its bytes go to the disk here: that may fail. */
static bool end_file(PfHdf5 *h)
{
  bool good = true;
  for (int i = 0; i < h->count; i++) {
    if (h->sets[i] >= 0) good = h->f->H5Dclose(h->sets[i]) >= 0 && good;
    if (h->types[i] >= 0) (void)h->f->H5Tclose(h->types[i]);
  }
  if (h->notes >= 0) (void)h->f->H5Gclose(h->notes);
  return (h->file < 0 || h->f->H5Fclose(h->file) >= 0) && good;
}

PfStatus pf_hdf5_close(PfHdf5 *h)
{
  const bool good = end_file(h);
  PfStatus status = good ? pf_out_replace(&h->out) : cannot_write(h);
  if (!good) pf_out_remove(&h->out);
  pf_arena_free(h->arena);
  return status;
}

void pf_hdf5_drop(PfHdf5 *h)
{
  if (!h) return;
  (void)end_file(h);
  pf_out_remove(&h->out);
  pf_arena_free(h->arena);
}
#else

static PfStatus none(PfContext *ctx)
{
  static const char words[] = "HDF5 files are written by libhdf5, without which this program was built";
  PfStatus status = pf_fail(ctx, PF_ERR_MISSING, "%s", words);
  pf_hint(ctx, "%s", other_tables);
  return status;
}

PfStatus pf_hdf5_check(PfContext *ctx)
{
  return none(ctx);
}

PfStatus pf_hdf5_begin(PfContext *ctx, const char *path, const PfHdf5Column *columns, int count, long long rows,
                       PfHdf5 **file)
{
  (void)path, (void)columns, (void)count, (void)rows;
  *file = NULL;
  return none(ctx);
}

PfStatus pf_hdf5_note(PfHdf5 *file, const char *name, const char *text)
{
  return file && name && text ? PF_ERR_MISSING : PF_OK;
}

PfStatus pf_hdf5_put(PfHdf5 *file, int column, long long first, long long count, const void *rows)
{
  return file && column >= 0 && first >= 0 && count && rows ? PF_ERR_MISSING : PF_OK;
}

PfStatus pf_hdf5_close(PfHdf5 *file)
{
  return file ? PF_ERR_MISSING : PF_OK;
}

void pf_hdf5_drop(PfHdf5 *file)
{
  (void)file;
}
#endif
