/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a Functional Mock-up Unit of FMI 2.0 or 3.0: Model Exchange and Co-Simulation in one file. */
#ifndef PF_EXPORT_FMU_H
#define PF_EXPORT_FMU_H

#include "export/export.h"
#include "export/structure.h"

/* The equations of an FMU: what changes at events is among their inputs, behind those of the model, so that they are
 * smooth between events and the same before and after. */
typedef struct PfFmuInputs {
  PfSwitches *switches;    /* the first */
  PfStructure *structure; /* behind them: what events hold and make active, and capture. NULL: no events */
  PfSystem *system;       /* to be freed */
  double *values;         /* its symbols at the start */
} PfFmuInputs;

/* `from` is the system of the complete model and `values` are its numbers at a consistent start; it must last as long
 * as the result, the rest of which lives in `arena`. */
PfStatus pf_fmu_prepare(PfContext *ctx, PfArena *arena, const PfSystem *from, const double *values,
                        PfFmuInputs *inputs);

/* How such a system is collected: fails with PF_ERR_ARGUMENT for a form that cannot follow events. */
PfStatus pf_fmu_choose(PfContext *ctx, const PfFmuInputs *inputs, PfExportOptions *how);

typedef struct PfFmuOptions {
  int version;             /* of FMI: 2 or 3 */
  double stop;             /* end of the default experiment */
  PfExpr until;            /* the condition at which the motion ends; PF_EXPR_NONE without */
  const PfFmuInputs *inputs;
  const char *equations;   /* for the documentation: plain text */
  bool compile;            /* with binaries, where there is a compiler */
} PfFmuOptions;

/* What a made FMU has, for words. */
typedef struct PfFmuMade {
  int binary_count;
  const char *binaries[8]; /* platforms, as "x86_64-linux" */
  int variable_count, indicator_count;
  char trouble[240];       /* of the compiler; "": none */
} PfFmuMade;

/* The archive. The export is stripped of what an FMU does not need: poses, Jacobians, contacts, inverse dynamics. */
PfStatus pf_export_fmu(PfExport *export, const PfFmuOptions *options, PfText *archive, PfFmuMade *made);

#endif
