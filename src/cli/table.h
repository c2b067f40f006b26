/* A table of numbers with named columns: a trajectory in memory, from a file or from a run. */
#ifndef PF_CLI_TABLE_H
#define PF_CLI_TABLE_H

#include "cli/cli.h"

typedef struct Table {
  int columns;
  const char **names, **units;
  PF_ARRAY(double) cells; /* row by row */
} Table;

int pf_table_rows(const Table *table);
int pf_table_find(const Table *table, const char *name); /* -1 when there is none */

/* Reads a CSV trajectory as 'pfaff run --out' writes it. */
PfStatus pf_table_read(PfContext *ctx, PfArena *arena, const char *path, Table *table);

/* Runs the model as 'pfaff run' would, with about `samples` rows. */
PfStatus pf_table_run(Session *session, const Options *options, int samples, Table *table);

void pf_table_free(const PfContext *ctx, Table *table);

#endif
