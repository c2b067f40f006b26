/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the writer of FMUs. */
#ifndef PF_EXPORT_FMU_IMPL_H
#define PF_EXPORT_FMU_IMPL_H

#include "export/c_impl.h"
#include "export/fmu.h"

typedef enum PfFmuCausality {
  PF_FMU_INDEPENDENT,
  PF_FMU_PARAMETER,
  PF_FMU_CALCULATED, /* a parameter made of others */
  PF_FMU_INPUT,
  PF_FMU_OUTPUT,
  PF_FMU_LOCAL
} PfFmuCausality;

/* Its place in the list is its value reference. */
typedef struct PfFmuVariable {
  const char *name, *about;
  PfMeasure measure;
  PfFmuCausality causality;
  bool is_state;
  double start;
  int derivative_of; /* a value reference; -1: none */
  PfExpr value;      /* of what is shown; else PF_EXPR_NONE */
} PfFmuVariable;

/* At which the motion changes: the modes of switches, then comparisons of conditions. */
typedef struct PfFmuSurface {
  PfExpr g, rate, second;
  PfExpr size, slope; /* of rounding, and by how much g changes with the state: see pf_surface_sizes */
  bool is_mode;
  bool timed;         /* by time alone, linearly: its instant is known */
  bool equal, or_equal;
  bool by_time;       /* depends on time alone */
  bool by_forces;     /* depends on multipliers or accelerations */
  bool jumps;         /* g itself has switches in it */
  int degree;         /* 0: not by the state; 1: its rate depends on accelerations; 2: its second derivative does */
} PfFmuSurface;

/* A value of the start other than coordinates and velocities, as in time/start_conditions.h. */
typedef struct PfFmuStartCondition {
  PfExpr value, target; /* of functions */
  int speed;            /* of speeds: which; -1: a function */
  PfStartPriority priority;
} PfFmuStartCondition;

typedef struct PfFmu {
  const PfExport *x;
  PfContext *ctx;
  PfArena *arena;
  const PfFmuOptions *options;
  char guid[40];
  int input_count, mode_count;
  int variable_count;
  PfFmuVariable *variables;
  int at_input, at_q, at_v, at_a, at_lambda, at_shown, at_indicator; /* value references */
  int shown_count;
  int surface_count, surface_room, indicator_count;
  PfFmuSurface *surfaces;
  PfExpr *truths;     /* symbols of the comparisons */
  int event_count;
  PfExpr *conditions;        /* made of them: at which the motion ends, then those of the events */
  int start_condition_count; /* of the start: angular velocities, functions of the velocities with a target; speeds */
  PfFmuStartCondition *start_conditions;
  /* entries of A that are not zero at all times: 2*(row*n + column), and 1 more for those that are never rounding */
  int place_count, *places;
  int start_speed_count;     /* speeds of the model, when the start gives any */
  bool by_differences; /* derivatives: the formulas would be too long */
  PfExportFiles files; /* sources */
} PfFmu;

/* Variables, surfaces (fmu_collect.c). */
PfStatus pf_fmu_collect(PfFmu *fmu);
/* fmu_model.h and fmu_model.c (fmu_source.c). */
PfStatus pf_fmu_sources(PfFmu *fmu);
/* modelDescription.xml, buildDescription.xml (fmu_xml.c). */
PfStatus pf_fmu_description(const PfFmu *fmu, PfText *text);
PfStatus pf_fmu_build_description(const PfFmu *fmu, PfText *text);
/* documentation/index.html (fmu_page.c) */
PfStatus pf_fmu_page(const PfFmu *fmu, PfText *text);
/* Libraries of the sources (fmu_build.c). */
PfStatus pf_fmu_build(const PfFmu *fmu, PfFmuMade *made, PfText *bytes);
/* The folder and the ending of one; NULL past the last. */
const char *pf_fmu_library(const PfFmu *fmu, int target, const char **ending);

#endif
