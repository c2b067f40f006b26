/* SPDX-License-Identifier: Apache-2.0 */
/* A model as functions for other programs: what there is to compute, by which names, and with which numbers it starts.
 * It is collected once (collect.c); the writers turn it into files of a language. */
#ifndef PF_EXPORT_EXPORT_H
#define PF_EXPORT_EXPORT_H

#include "export/names.h"
#include "kernel/program.h"
#include "pfaff/form.h"

/* A quantity: its name in the model, its identifier in the language, and its unit there. Numbers are in SI units. */
typedef struct PfNamed {
  const char *name, *id;
  PfMeasure measure;
} PfNamed;

typedef struct PfNamedList {
  int count;
  PfNamed *at;
} PfNamedList;

/* One array among the results of a function, row-major; members: a struct with one member for each element instead. */
typedef struct PfExportGroup {
  const char *name;
  int rows, columns;
  bool vector; /* a list, with one column */
  const PfNamedList *members;
} PfExportGroup;

/* What a function needs besides parameters, state and inputs. */
enum { PF_TAKES_ACCELERATIONS = 1, PF_TAKES_MULTIPLIERS = 2 };

/* Straight-line: a list of expressions, each with its place among the elements of the groups, one group behind the
 * other. Elements that are not listed are zero at all times. */
enum { PF_EXPORT_GROUPS = 4 };
typedef struct PfExportFunction {
  const char *name;
  int takes; /* flags */
  int group_count;
  PfExportGroup groups[PF_EXPORT_GROUPS];
  int count, room;
  PfExpr *roots;
  int *place;
  PfTape *tape; /* of the symbols of the export */
} PfExportFunction;

typedef enum PfExportKind {
  PF_EXPORT_FLOW,          /* accelerations and multipliers by elimination; not there when it does not apply */
  PF_EXPORT_MATRICES,      /* M, F (with C, unless that is friction), A, b */
  PF_EXPORT_FRICTION,      /* C and dC/dlambda, where C depends on multipliers */
  PF_EXPORT_CONSTRAINTS,   /* what vanishes: of positions, of velocities */
  PF_EXPORT_ENERGY,
  PF_EXPORT_POSES,         /* of all frames: position, rotation */
  PF_EXPORT_CONTACTS,      /* point and force of each */
  PF_EXPORT_OUTPUTS,
  PF_EXPORT_SURFACES,      /* at which sign, abs, min, max and comparisons switch */
  PF_EXPORT_RESIDUAL,      /* M a - F - A^T lambda: inverse dynamics */
  PF_EXPORT_SLOPES,        /* of the residuals of motion and constraints, by q, v, u, p, t */
  PF_EXPORT_OUTPUT_SLOPES, /* of the outputs, by q, v, u, a, lambda */
  PF_EXPORT_INPUT_SLOPES,  /* of the residuals, by the inputs */
  PF_EXPORT_JACOBIANS      /* and on: one for each frame */
} PfExportKind;

typedef struct PfExport {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  const PfEquations *equations;
  const PfEquations *plain;   /* the same without flags of phases (structure.h): of them names of quantities speak */
  const PfSystem *system;
  PfWords words;
  const char *prefix, *upper; /* the identifier of the model, and in capitals */
  const char *title;
  const char *form;           /* elimination, multipliers or maggi */
  int n, m;
  PfNamedList parameters, coordinates, inputs, outputs, constraints, frames, contacts;
  int *frame;                 /* numbers in the model; those of bodies are the first */
  int *parameter, *input;     /* likewise */
  bool by_null_space;         /* maggi */
  bool friction;              /* forces depend on multipliers */
  int position_count;         /* constraints that have a position level; */
  int *position_row;          /* which, then those with a velocity level */
  int velocity_count;
  int *velocity_row;
  int mass_pairs, pairs;      /* of the elimination */
  bool redundant;             /* constraints follow from others at the start */
  double *typical;            /* m: sizes of the rows of A along the motion */
  int surface_count;
  PfExpr *output;             /* the expressions of the outputs */
  int left_out;               /* outputs that only a run knows */

  /* the symbols of the tapes, and where each kind begins: parameters, t, u, q, v, a, lambda */
  int symbol_count, at_time, at_inputs, at_q, at_v, at_a, at_lambda;
  PfExpr *symbols;
  double *start;              /* numbers of the symbols at the start */

  int function_count;
  PfExportFunction *functions;
} PfExport;

typedef struct PfExportOptions {
  PfWords words;
  const char *form;   /* NULL or auto: the first of elimination and multipliers that applies */
  double most;        /* operations of all functions together; 0: as many as there are */
  const PfEquations *plain; /* NULL: those of the system */
} PfExportOptions;

/* Collects everything. `values` are the numbers of pf_system_symbols at a consistent start. The result lives in `arena`
 * and must be freed by pf_export_free. Fails with PF_ERR_ARGUMENT for a form that is not offered, with PF_ERR_LIMIT for
 * a model that is too large, with PF_ERR_MODEL where a form does not apply. */
PfStatus pf_export_collect(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values,
                           const char *name, const PfExportOptions *options, PfExport *export);
void pf_export_free(PfExport *export);

/* Are accelerations found by rows of A that can be chosen (runtime/pf_kkt.h)? */
bool pf_export_keeps_rows(const PfExport *export);

/* NULL when the model has nothing of the kind. */
const PfExportFunction *pf_export_function(const PfExport *export, PfExportKind kind);
/* Elements of all groups. */
int pf_export_size(const PfExportFunction *function);
/* The group and the index in it of an element; true when it is a member of a struct. */
const PfExportGroup *pf_export_group(const PfExportFunction *function, int place, int *index);
/* Columns of the slopes: by q, v, u, p, t. */
int pf_export_columns(const PfExport *export);
/* Values of all elements (pf_export_size) at the numbers of the symbols. */
PfStatus pf_export_evaluate(const PfExport *export, const PfExportFunction *function, const double *symbols,
                            double *elements);

/* The forms of an export with their summaries; NULL past the last. */
const char *pf_export_form(int index, const char **summary);

/* ---------------------------------------------------------------- numbers to compare with (reference.c) */

enum { PF_REFERENCE_STATES = 3 };

/* The model at a few states, by the program itself. */
typedef struct PfReference {
  int count;
  double spread; /* largest difference of accelerations by two formulations, beside the largest of them, or 1 */
  double *symbols[PF_REFERENCE_STATES]; /* of the export, with accelerations and multipliers */
  double *energy[PF_REFERENCE_STATES], *outputs[PF_REFERENCE_STATES];
} PfReference;
PfStatus pf_export_reference(const PfExport *export, const double *values, PfReference *reference);

/* ---------------------------------------------------------------- writers */

/* A file in memory. */
typedef struct PfExportFile {
  const char *name;
  PfText text;
} PfExportFile;

enum { PF_EXPORT_FILES = 60 };
typedef struct PfExportFiles {
  int count;
  PfExportFile at[PF_EXPORT_FILES];
} PfExportFiles;

typedef enum PfReal { PF_REAL_DOUBLE, PF_REAL_FLOAT } PfReal;

/* robot.h, robot.c, robot_test.c, Makefile, README.md. */
PfStatus pf_export_c(const PfExport *export, const PfReference *reference, PfReal real, PfExportFiles *files);
/* One file each. */
PfStatus pf_export_python(const PfExport *export, const PfReference *reference, PfExportFiles *files);
PfStatus pf_export_casadi(const PfExport *export, const PfReference *reference, PfExportFiles *files);
PfStatus pf_export_matlab(const PfExport *export, const PfReference *reference, PfExportFiles *files);
void pf_export_files_free(PfExportFiles *files);

#endif
