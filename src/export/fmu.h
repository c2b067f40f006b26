/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a Functional Mock-up Unit of FMI 2.0 or 3.0: Model Exchange and Co-Simulation in one file. */
#ifndef PF_EXPORT_FMU_H
#define PF_EXPORT_FMU_H

#include "export/export.h"

typedef struct PfFmuOptions {
  int version;             /* of FMI: 2 or 3 */
  double stop;             /* end of the default experiment */
  PfExpr until;            /* the condition at which the motion ends; PF_EXPR_NONE without */
  const PfSwitches *sides; /* whose equations were collected; the last inputs are the sides. NULL: nothing switches */
  const char *equations;   /* for the documentation: plain text */
  bool compile;            /* with binaries, where there is a compiler */
} PfFmuOptions;

/* What a made FMU has, for words. */
typedef struct PfFmuMade {
  int binary_count;
  const char *binaries[8]; /* platforms, as "x86_64-linux" */
  int variable_count, indicator_count;
  const char *trouble;     /* of the compiler; NULL: none */
} PfFmuMade;

/* The archive. The export is stripped of what an FMU does not need: poses, Jacobians, contacts, inverse dynamics. */
PfStatus pf_export_fmu(PfExport *export, const PfFmuOptions *options, PfText *archive, PfFmuMade *made);

/* Events that lock, attach or detach change the equations: they are refused, by name. */
PfStatus pf_fmu_check(PfContext *ctx, const PfModel *model);

#endif
