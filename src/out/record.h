/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of numbers under named columns, written as they come: CSV, JSON or a MAT-file. */
#ifndef PF_SRC_OUT_RECORD_H
#define PF_SRC_OUT_RECORD_H

#include "out/file.h"

typedef enum PfFormat { PF_FORMAT_CSV, PF_FORMAT_JSON, PF_FORMAT_MAT } PfFormat;

typedef struct PfRecordHead {
  int count; /* columns */
  const char *const *names, *const *units;
  const char *words; /* CSV: the name of a last column, which has words; NULL: there is none */
} PfRecordHead;

typedef struct PfRecord {
  PfContext *ctx;         /* NULL: rows are not written */
  PfRecordHead head;
  PfFormat format;
  const char *path;
  FILE *stream;           /* takes the bytes in place of a file; NULL: none */
  /* Takes the whole file from memory at the end, in place of both; false: it could not. NULL: there is no such
   * function. */
  bool (*take)(void *user, const char *path, const char *bytes, size_t count);
  void *take_user;
  PfOutFile file;
  PfText pending;         /* bytes that are not in the file yet */
  size_t head_count;      /* bytes of the head, when it is among that */
  off_t end;              /* where the next row goes: only the end of the format stands after it */
  off_t mat;              /* where the head of the matrix begins */
  const char *word;       /* of the row that is added */
  long rows, kept;        /* given, and safe in the file */
  double flushed;         /* when, on a clock of the system */
  bool regular, open, failed;
} PfRecord;

/* One field of a line of CSV (csv.c): a name with its unit, or any other word (unit ""). Quoted where it must be (RFC
 * 4180). */
void pf_csv_put(PfText *text, const char *name, const char *unit);

/* A record for that path, in the format that its ending says; without one, CSV. Nothing is written before there are
 * rows. Path, names and units must outlive the record. */
PfStatus pf_record_begin(PfRecord *record, PfContext *ctx, const char *path, const PfRecordHead *head);

/* One more row; looks after the waiting ones now and then, as pf_record_keep does. Fails with PF_ERR_FILE when the disk
 * is full: then what fits has been kept. Nothing happens to a record that was not begun. */
PfStatus pf_record_add(PfRecord *record, const double *row);

/* The same with its word, "" for none; formats other than CSV leave it out. */
PfStatus pf_record_add_word(PfRecord *record, const double *row, const char *word);

/* Brings rows to the file that have waited for long: to be called now and then, when none are added. After it the file
 * is complete and can be read, whatever happens to the program. */
PfStatus pf_record_keep(PfRecord *record);

/* The end: the file with all rows takes the place of the target; or it is dropped, and the target stays as it was. */
PfStatus pf_record_close(PfRecord *record);
/* Drops the record and its file. */
void pf_record_drop(PfRecord *record);

#endif
