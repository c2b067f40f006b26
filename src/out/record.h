/* Rows of numbers under named columns, written as they come: CSV, JSON or a MAT-file. */
#ifndef PF_SRC_OUT_RECORD_H
#define PF_SRC_OUT_RECORD_H

#include "out/out.h"

typedef enum PfFormat { PF_FORMAT_CSV, PF_FORMAT_JSON, PF_FORMAT_MAT } PfFormat;

typedef struct PfRecordHead {
  int count; /* columns */
  const char *const *names, *const *units;
} PfRecordHead;

typedef struct PfRecord {
  PfContext *ctx;
  PfRecordHead head;
  FILE *stream;            /* NULL: rows are not written */
  const char *path;
  PfFormat format;
  PfText bytes;            /* MAT: what is written next */
  long mat_head, mat_data; /* where head and numbers of the matrix begin */
  long rows;
  bool failed;
  int error;               /* errno of the failure */
} PfRecord;

/* Opens the file; the format follows from its name (.json, .mat, else CSV). Names and units must outlive the record. */
PfStatus pf_record_open(PfRecord *record, PfContext *ctx, const char *path, const PfRecordHead *head);

/* Writes one row. Fails with PF_ERR_FILE when the disk is full. Nothing happens to a record that was not opened. */
PfStatus pf_record_add(PfRecord *record, const double *row);

/* Ends the file so that it is valid, whatever happened before. */
PfStatus pf_record_close(PfRecord *record);
void pf_record_free(PfRecord *record);

#endif
