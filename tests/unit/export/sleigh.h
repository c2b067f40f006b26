/* SPDX-License-Identifier: Apache-2.0 */
/* Models as exports: a blade on a plane with an input, one nonholonomic constraint. */
#ifndef PF_TESTS_EXPORT_SLEIGH_H
#define PF_TESTS_EXPORT_SLEIGH_H

#include "export/export.h"
#include "pfaff/pfaff.h"
#include "support.h"

static const char sleigh[] =
    "model sleigh\nparam m = 2, J = 0.1, a = 0.2\nlet Ja = J + m*a^2\ncoord x, y, theta\ninput push\n"
    "kinetic m/2*(x'^2 + y'^2) + Ja/2*theta'^2 + m*a*theta'*(y'*cos(theta) - x'*sin(theta))\n"
    "force x = push*cos(theta), y = push*sin(theta)\n"
    "constraint blade: -sin(theta)*x' + cos(theta)*y' = 0\nstart x' = 1, theta' = 0.5\nplot x, theta'\n";

typedef struct Model {
  PfContext *ctx;
  PfArena *arena;
  PfModel *model;
  PfEquations eq;
  PfSystem *system;
  double *values; /* of the symbols of the system at the start */
} Model;

static inline PfStatus open_model(Model *m, const char *text)
{
  PF_TRY(pf_model_read(m->ctx, "test.pf", text, strlen(text), &m->model));
  PF_TRY(pf_equations_derive(m->ctx, m->arena, m->model, &m->eq));
  PF_TRY(pf_system_new(m->ctx, &m->eq, &m->system));
  m->values = pf_arena_array(m->arena, double, pf_system_symbols(m->system)->count);
  if (!m->values) return PF_ERR_MEMORY;
  return pf_equations_start(m->ctx, &m->eq, NULL, m->values);
}

static inline void close_model(Model *m)
{
  pf_system_free(m->system);
  pf_model_free(m->model);
}

static inline PfStatus collect(Model *m, const char *form, PfExport *x)
{
  PfExportOptions options = {.words = PF_WORDS_C, .form = form};
  return pf_export_collect(m->ctx, m->arena, m->system, m->values, "sleigh", &options, x);
}

#endif
