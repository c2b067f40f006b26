/* SPDX-License-Identifier: Apache-2.0 */
/* Inside field.c and derive.c: a model made ready for numbers at many states. */
#ifndef PF_PYTHON_FIELD_H
#define PF_PYTHON_FIELD_H

#include "base/base.h"
#include "pfaff/lang.h"

#include "glue.h"

/* A solver by a formulation, made when it is first asked for. */
typedef struct Prepared {
  const PfFormulation *formulation;
  PfSolver *solver;
} Prepared;

/* Numbers that a tape works out of the symbols of the system and the accelerations. */
typedef struct List {
  char *name;
  int by;      /* of derivatives: by what; 0: quantities */
  int size;
  PfTape *tape;
  bool solved; /* accelerations or multipliers are needed first */
} List;

enum { MOST_PREPARED = 24, TOGETHER = 64 };

struct PfPyField {
  PfWorkspace work;
  PfContext *ctx; /* these three: of the workspace */
  PfArena *arena;
  PfModel *model;
  PfEquations matrix_free, written; /* for motions; with all formulas */
  bool is_written;
  PfSystem *system;
  const PfSymbols *symbols;
  PfExpr *in;          /* inputs of tapes: symbols, then accelerations */
  int in_count, prepared_count;
  Prepared prepared[MOST_PREPARED];
  PF_ARRAY(List) lists;
  double *values;      /* of `in`, for one state */
  double *given;       /* parameters as they are given now */
  bool is_given;       /* `values` has the parameters of `given` */
  Ask ask;
};

/* A loop over states: what is done at each, and where its numbers go. */
typedef struct Loop {
  PfPyField *f;
  const PfPyStates *states;
  PfSolver *solver;
  bool pass;       /* a state without an answer gets NaN */
  size_t state;    /* where it is */
  List list;
  PfMotion motion; /* of the state */
} Loop;

/* The solver, and parameters that are read anew; the outcome, with the words of an error since `before`. */
PfStatus pf_py_loop_begin(Loop *l, const char *formulation);
int pf_py_loop_end(const Loop *l, PfStatus status, int before, PfPyTrouble *trouble);
/* The inputs of the tape of the list at the state: with accelerations and multipliers when it asks for them. */
PfStatus pf_py_loop_prepare(Loop *l, bool *good);
void pf_py_put_nan(double *to, int count);

/* Writes out the equations, for whoever needs their formulas. */
PfStatus pf_py_write_out(PfPyField *f);
int pf_py_list_find(const PfPyField *f, const char *name, int by); /* -1: none */
/* The roots are changed: inputs become their functions of time. */
PfStatus pf_py_list_add(PfPyField *f, const char *name, int by, PfExpr *roots, int size);

#endif
