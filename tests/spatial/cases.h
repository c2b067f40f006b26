/* SPDX-License-Identifier: Apache-2.0 */
/* One case file: its model and state as a tree, its quantities as comparisons. */
#ifndef PF_TESTS_CASES_H
#define PF_TESTS_CASES_H

#include "base/base.h"
#include "pfaff/tree.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

typedef struct Case {
  PfContext *ctx;
  PfArena *arena;
  json_t *root;
  const char *folder, *file;
  double limit;
  int verbose;
  double worst;       /* relative error */
  char where[160];    /* the quantity that has it */
  char trouble[400];  /* why the case could not be run, or "" */
  int checked;        /* quantities */
} Case;

/* A model with its state. */
typedef struct Setup {
  PfTree *tree;
  PfTreeWork *work;
  double *q, *v, *wrench;
} Setup;

/* 0 when it passes; prints its line. */
int run_case(const char *folder, const char *file, int verbose);

/* Compares count numbers with the reference in the file (which must have as many); no reference: nothing to do. */
void compare(Case *c, const char *what, const double *x, int count, const json_t *expected);
void compare_numbers(Case *c, const char *what, const double *x, const double *expected, int count);
/* Relative to the larger of max|expected| and scale. */
void compare_scaled(Case *c, const char *what, const double *x, const double *expected, int count, double scale);
/* Records why the case cannot go on; returns 0. */
int trouble(Case *c, const char *format, ...) PF_PRINTF(2, 3);
/* All numbers inside, those of lists in lists included, in their order; null gives NAN. Returns how many there are, and
 * writes at most `most` of them. */
int read_numbers(const json_t *value, double *to, int most);
/* The same in an array of their own. */
double *numbers(Case *c, const json_t *value, int *count);
double *room(Case *c, int count);

int make_setup(Case *c, const json_t *model, const json_t *state, const json_t *forces, Setup *setup);
void free_setup(Setup *setup);
int run_problem(Case *c, Setup *setup, const json_t *problem);

int run_event(Case *c, Setup *setup);
int run_trajectory(Case *c, Setup *setup);

#endif
