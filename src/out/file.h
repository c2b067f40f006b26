/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written next to their target until they are complete, so that nothing is lost when something fails. */
#ifndef PF_SRC_OUT_FILE_H
#define PF_SRC_OUT_FILE_H

#include "out/out.h"

#include <sys/types.h>

typedef struct PfOutFile {
  PfContext *ctx;
  const char *path; /* as the user wrote it; "-" is standard output */
  PfText target;    /* where links lead to */
  PfText part;      /* the file next to it; empty: not a regular file, bytes go out as they come */
  int fd;           /* -1: not open */
  bool replaces;    /* there is something at the target already */
  int error;        /* errno of the first failure */
} PfOutFile;

/* Whether the path can be written, as far as that is known without touching it. Fails with PF_ERR_FILE. */
PfStatus pf_out_check(PfContext *ctx, const char *path);

/* Whether it is, or will be, a regular file: only there bytes can be written again. */
bool pf_out_is_regular(const char *path);

/* Makes the file x.part.csv next to x.csv (x.part2.csv when there is one, with a warning: it may be all that is left of
 * another run). The path must outlive the file. After a failure there is nothing to close. */
PfStatus pf_out_open(PfOutFile *file, PfContext *ctx, const char *path);

/* Writes at the offset, or just on where offsets have no meaning. Returns how many bytes were written; fewer than
 * `count` when it fails, and then file->error is set. */
size_t pf_out_put(PfOutFile *file, off_t offset, const char *bytes, size_t count);
/* Cuts the file there, when it can be. */
void pf_out_truncate(PfOutFile *file, off_t size);

/* The end: the file takes the place of its target, whose owner and permissions it takes over, or goes away. */
PfStatus pf_out_replace(PfOutFile *file);
/* Closes the file and removes it; the target stays as it was. */
void pf_out_remove(PfOutFile *file);
/* The end after a failure, of a file that is still worth something: at its target when that is free, else next to it.
 * Says what failed and where the file is: `what`, as in "100 rows". */
PfStatus pf_out_rescue(PfOutFile *file, const char *what);

/* Whether files can be made in the folder, or the folder itself. Fails with PF_ERR_FILE. */
PfStatus pf_out_check_folder(PfContext *ctx, const char *path);
/* Makes it when it is missing. */
PfStatus pf_out_make_folder(PfContext *ctx, const char *path);

/* All of it at once: a whole text. */
PfStatus pf_out_text(PfContext *ctx, const char *path, const PfText *text);
/* The same where there must not be anything yet: a file that is there, also a link that leads nowhere, stays as it is.
 * */
PfStatus pf_out_new_text(PfContext *ctx, const char *path, const PfText *text);

#endif
