/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of 'eval', each in a file of its own. */
#ifndef PF_TASK_EVAL_H
#define PF_TASK_EVAL_H

#include "task/task.h"

/* ---------------------------------------------------------------- inverse.c */
/* Forces of actuators for wanted accelerations: the setting 'inverse' of the task eval. */

typedef struct Inverse {
  PfInverse *solver;          /* NULL: not requested */
  int count, wanted_count;
  const char **names;         /* of the actuators */
  int *wanted;                /* coordinates */
  double *target;
  const PfActuation *answer;
} Inverse;

/* Solves the request of 'inverse' and 'actuators' at the values of a state, and warns of accelerations that are not
 * reached. */
PfStatus pf_task_inverse(Session *s, const PfRequest *options, const PfSystem *system, const double *values,
                        Inverse *inverse);

/* Writes nothing when there is no answer. */
void pf_inverse_report(const PfModel *model, const Inverse *inverse, PfReport *report);
#define PF_INVERSE_FIELDS                                                                                        \
  {.key = "actuators", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER, .optional = true,                              \
   .about = PF_ABOUT("forces of the actuators: inputs in their units, forces on coordinates in SI")},            \
  {.key = "undetermined", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING, .optional = true,                          \
   .about = PF_ABOUT("actuators whose force is the least of several that would do")},                            \
  {.key = "missed", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER, .optional = true,                                 \
   .about = PF_ABOUT("the difference between the wanted acceleration and the one that is reached")}

/* ---------------------------------------------------------------- spatial.c */
/* The operators of the recursion: the setting 'spatial' of the task eval. */

/* The axes that the setting 'axes' names. */
PfStatus pf_spatial_axes(PfContext *ctx, const PfRequest *options, PfAxes *axes);

/* Writes nothing when there are no operators. */
void pf_spatial_report(const PfModel *model, const PfSpatial *spatial, PfAxes axes, PfReport *report);
extern const PfField pf_spatial_fields[];
#define PF_SPATIAL_FIELDS                                                                               \
  {.key = "axes", .type = PF_TYPE_STRING, .optional = true,                                             \
   .about = PF_ABOUT("of the operators: inertial or body")},                                            \
  {.key = "inside", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING, .optional = true,                       \
   .about = PF_ABOUT("constraints that give motions of joints: they are obeyed inside the recursion")}, \
  {.key = "on_top", .type = PF_TYPE_LIST, .of = PF_TYPE_STRING, .optional = true,                       \
   .about = PF_ABOUT("the other constraints, whose forces are among the forces of the joints")},        \
  {.key = "spatial", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = pf_spatial_fields,           \
   .about = PF_ABOUT("operators of the recursion, body by body"), .optional = true}

#endif
