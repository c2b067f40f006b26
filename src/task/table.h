/* SPDX-License-Identifier: Apache-2.0 */
/* A table of numbers with named columns: a trajectory in memory, from a file or from a run. */
#ifndef PF_TASK_TABLE_H
#define PF_TASK_TABLE_H

#include "task/task.h"

typedef struct Table {
  int columns;
  const char **names, **units;
  PF_ARRAY(double) cells; /* row by row */
  int list_count;         /* of a run: the columns of each list of 'show', or of what the model plots */
  struct TableList *lists;
  int curves;             /* of a study: so many columns after the first are drawn over it; 0: a trajectory */
  int head_line;          /* of a file: the line with the names */
  struct TableWord *words; /* of a list: the first text in each column that is no number; NULL: none are read */
  bool points;            /* nothing lies between the rows */
  bool steps;             /* of a run: its rows are the ends of steps of one length */
  bool between;           /* of a run: rows lie between such steps, where the method interpolates */
} Table;

typedef struct TableWord {
  int line;
  const char *text; /* NULL: there is none */
} TableWord;

typedef struct TableList {
  int count, *column, against; /* against: -1 when nothing is said */
} TableList;

int pf_table_rows(const Table *table);
double pf_table_at(const Table *table, int row, int column);
/* -1 when there is none. A unit may stand behind the name, to tell two columns apart. */
int pf_table_find(const Table *table, const char *name);
/* What it is called in full: "x [m]". */
const char *pf_table_head(PfArena *arena, const Table *table, int column);

/* By the ending of the name: a trajectory in CSV; something else that programs write, and that is no model: it is
 * refused by `command`, with words (table_csv.c). */
bool pf_table_is_file(const char *path);
bool pf_table_is_other(const char *path);
PfStatus pf_table_refuse(PfContext *ctx, const char *command, const char *path);

/* Reads a CSV trajectory as the task run writes it (table_csv.c). Empty fields are NaN. */
PfStatus pf_table_read(PfContext *ctx, PfArena *arena, const char *path, Table *table);
/* Reads a list of things under names: one row is enough, and words are NaN. */
PfStatus pf_table_read_list(PfContext *ctx, PfArena *arena, const char *path, Table *table);
/* Of a study, which counts its curves in the first column: they follow each other with a row of NaN between them, over
 * the quantity that is first now (table_study.c). */
PfStatus pf_table_curves(PfContext *ctx, PfArena *arena, Table *table);
/* The same of a text in memory, which ends with a zero and is cut up into names and numbers; names stay in it. */
PfStatus pf_table_parse(PfContext *ctx, PfArena *arena, const char *path, char *bytes, size_t count, Table *table);

/* Runs the model as 'pfaff run' would, with what 'show' and 'against' say as further columns. `times` says where the
 * rows are. */
typedef enum TableTimes {
  TABLE_STEPS,  /* at equal parts of the time and at the ends of steps and inside them, so that nothing is missed */
  TABLE_COMMON, /* to be compared: at the ends of steps of one length; of other methods as `like`, or at equal parts */
  TABLE_LIKE    /* at the times of `like`, as far as they are those of the run */
} TableTimes;
PfStatus pf_table_run(Session *session, const PfRequest *options, TableTimes times, const Table *like, Table *table);

/* What bounds the rows of a run (table_thin.c): when there are too many, of each of equal stretches of time only its
 * first and last row remain, and those where a column that is shown has its extremes. */
typedef struct TableThinning {
  double from, to; /* the time of the run */
  int count, *column;
  size_t most;     /* rows */
  size_t even;     /* about so many remain besides, at equal distances */
  bool path;       /* something is shown against another quantity than the time */
  bool thinned;
} TableThinning;
PfStatus pf_table_thinning(const Session *session, const Table *table, TableThinning *thinning);
PfStatus pf_table_thin(PfContext *ctx, Table *table, TableThinning *thinning);

/* A table that is filled as a motion goes on, from thinning->from to thinning->to: the columns of the trajectory, and
 * its row at the latest sample. */
struct Trajectory;
PfStatus pf_table_begin(Table *table, TableThinning *thinning, const struct Trajectory *trajectory);
PfStatus pf_table_add(Table *table, TableThinning *thinning, const struct Trajectory *trajectory);

/* Columns that `to` has under the same name, and the first one, which is the time, are written in its units, where the
 * dimension is the same (table_units.c). */
void pf_table_convert(PfContext *ctx, const Table *to, Table *table);
/* How many of `to` one of the unit `from` is; 0: another dimension, or no unit. */
double pf_unit_factor(PfContext *ctx, const char *from, const char *to);
/* 100 ms are 0.1 s to the last digit: by a division, since 0.001 has no exact number. */
double pf_unit_convert(double x, double factor);

/* a - b in the columns that both have, at the times of a within those of b (table_minus.c). Where b has no row at such
 * a time it is interpolated by cubics through four rows, none of them beyond a jump, and *interpolated is set. Where b
 * jumps both its sides are subtracted. Fails when units differ or no times are common. */
PfStatus pf_table_minus(PfContext *ctx, PfArena *arena, const Table *a, const Table *b, Table *difference,
                        bool *interpolated);

void pf_table_free(const PfContext *ctx, Table *table);

#endif
