/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as an HDF5 file: a dataset for each, with its unit. The library is loaded when the first one is written. */
#ifndef PF_SRC_OUT_HDF5_H
#define PF_SRC_OUT_HDF5_H

#include "out/out.h"

typedef struct PfHdf5 PfHdf5;

typedef enum PfHdf5Kind {
  PF_HDF5_DOUBLE,
  PF_HDF5_BYTE,
  PF_HDF5_TEXT /* of `width` bytes, filled up with zeros */
} PfHdf5Kind;

typedef struct PfHdf5Column {
  const char *name, *unit; /* unit "": none. A slash in a name, which HDF5 takes for a folder, becomes '|' */
  PfHdf5Kind kind;
  int width;
} PfHdf5Column;

/* Whether there is the library. Fails with PF_ERR_MISSING and says so. */
PfStatus pf_hdf5_check(PfContext *ctx);
/* Begins a file with all its columns, of `rows` rows each; it takes the place of its target when it is closed. The path
 * must outlive it. */
PfStatus pf_hdf5_begin(PfContext *ctx, const char *path, const PfHdf5Column *columns, int count, long long rows,
                       PfHdf5 **file);
/* A text that belongs to all of it, in the group "pfaff". */
PfStatus pf_hdf5_note(PfHdf5 *file, const char *name, const char *text);
/* Rows of a column: doubles, bytes, or texts of its width. */
PfStatus pf_hdf5_put(PfHdf5 *file, int column, long long first, long long count, const void *rows);
/* Completes the file, which takes the place of its target, and frees it, also after a failure. */
PfStatus pf_hdf5_close(PfHdf5 *file);
void pf_hdf5_drop(PfHdf5 *file); /* NULL is allowed; the target stays as it was */

#endif
