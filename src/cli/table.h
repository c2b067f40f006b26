/* SPDX-License-Identifier: Apache-2.0 */
/* A table of numbers with named columns: a trajectory in memory, from a file or from a run. */
#ifndef PF_CLI_TABLE_H
#define PF_CLI_TABLE_H

#include "cli/cli.h"

typedef struct Table {
  int columns;
  const char **names, **units;
  PF_ARRAY(double) cells; /* row by row */
  int list_count;         /* of a run: the columns of each list of --show, or of what the model plots */
  struct TableList *lists;
  int curves;             /* of a study: so many columns after the first are drawn over it; 0: a trajectory */
  bool points;            /* nothing lies between the rows */
} Table;

typedef struct TableList {
  int count, *column, against; /* against: -1 when nothing is said */
} TableList;

int pf_table_rows(const Table *table);
double pf_table_at(const Table *table, int row, int column);
/* -1 when there is none. A unit may stand behind the name, to tell two columns apart. */
int pf_table_find(const Table *table, const char *name);
/* What it is called in full: "x [m]". */
const char *pf_table_head(PfArena *arena, const Table *table, int column);

/* Reads a CSV trajectory as 'pfaff run --out' writes it (table_csv.c). Empty fields are NaN. */
PfStatus pf_table_read(PfContext *ctx, PfArena *arena, const char *path, Table *table);
/* Of a study, which counts its curves in the first column: they follow each other with a row of NaN between them, over
 * the quantity that is first now (table_study.c). */
PfStatus pf_table_curves(PfContext *ctx, PfArena *arena, Table *table);
/* The same of a text in memory, which ends with a zero and is cut up into names and numbers; names stay in it. */
PfStatus pf_table_parse(PfContext *ctx, PfArena *arena, const char *path, char *bytes, size_t count, Table *table);

/* Runs the model as 'pfaff run' would, with what --show and --against say as further columns. Rows are at so many equal
 * parts of the time and, unless it is to be compared with another run, at the ends of steps and inside them, so that
 * nothing is missed. */
typedef enum TableTimes { TABLE_STEPS, TABLE_COMMON } TableTimes;
PfStatus pf_table_run(Session *session, const Options *options, TableTimes times, Table *table);

/* What bounds the rows of a run (table_thin.c): when there are too many, of each of equal stretches of time only its
 * first and last row remain, and those where a column that is shown has its extremes. */
typedef struct TableThinning {
  double from, to; /* the time of the run */
  int count, *column;
  size_t most;     /* rows */
  bool path;       /* something is shown against another quantity than the time */
  bool thinned;
} TableThinning;
PfStatus pf_table_thinning(const Session *session, const Table *table, TableThinning *thinning);
PfStatus pf_table_thin(PfContext *ctx, Table *table, TableThinning *thinning);

/* a - b in the columns that both have, at the times of a within those of b (table_minus.c). Where b has no row at such
 * a time it is interpolated by cubics through four rows, and *interpolated is set. Fails when units differ or no times
 * are common. */
PfStatus pf_table_minus(PfContext *ctx, PfArena *arena, const Table *a, const Table *b, Table *difference,
                        bool *interpolated);

void pf_table_free(const PfContext *ctx, Table *table);

#endif
