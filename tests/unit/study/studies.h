/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the studies share: a system at a consistent state with its vector field. */
#ifndef PF_TESTS_STUDIES_H
#define PF_TESTS_STUDIES_H

#include "../time/motions.h"

#include "pfaff/sim_parts.h"
#include "study/dynamics.h"

typedef struct Studied {
  Moving x;
  PfDynamics *d;
  PfSim *sim; /* of studies that move */
  int size;
} Studied;

/* Corrects the start and chooses the state there. */
static inline void begin_study(Studied *s, const PfOutputs *outputs)
{
  PfContext *ctx = s->x.s.ctx;
  PfStart start;
  if (pf_start_correct(ctx, s->x.system, s->x.s.values, &start) != PF_OK ||
      pf_dynamics_new(ctx, s->x.system, s->x.s.given, outputs, &s->d) != PF_OK ||
      pf_dynamics_place(s->d, s->x.s.values) != PF_OK || pf_dynamics_chart(s->d, NULL) != PF_OK)
    fail_msg("no vector field: %s", pf_context_message(ctx));
  s->size = pf_dynamics_size(s->d);
}

static inline void study_text(Fixture *f, const char *text, Studied *s)
{
  *s = (Studied){0};
  open_text(f, text, &s->x);
  begin_study(s, NULL);
}

/* An example with other parameters: name, value, name, value, …, NULL. */
static inline void study_example(Fixture *f, const char *name, Studied *s, ...)
{
  va_list list;
  *s = (Studied){0};
  load_system(f, name, &s->x.s);
  va_start(list, s);
  for (const char *parameter; (parameter = va_arg(list, const char *)) != NULL;)
    set_parameter(&s->x.s, parameter, va_arg(list, double));
  va_end(list);
  open_moving(&s->x);
  begin_study(s, NULL);
}

static inline void end_study(Studied *s)
{
  pf_sim_close(s->sim);
  pf_dynamics_free(s->d);
  close_moving(&s->x);
}

/* The component of x of the name. */
static inline int component(const Studied *s, const char *name)
{
  for (int k = 0; k < pf_dynamics_size(s->d); k++)
    if (!strcmp(pf_dynamics_name(s->d, s->x.s.arena, k), name)) return k;
  fail_msg("no component '%s'", name);
  return -1;
}

static inline int parameter(const Studied *s, const char *name)
{
  int i = pf_model_find_parameter(s->x.s.model, name);
  if (i < 0) fail_msg("no parameter '%s'", name);
  return i;
}

/* Derivative of g at 0 by central differences, extrapolated (Richardson, Romberg's table): with steps h, h/2, h/4, …
 * the error falls by h^2 in every column, down to rounding. g gives `count` numbers. */
enum { ROMBERG_LEVELS = 6, ROMBERG_MOST = 256 };
typedef void (*CurveOf)(void *user, double e, double *out);

static inline void romberg(CurveOf g, void *user, int count, double h, double *out)
{
  static double table[ROMBERG_LEVELS][ROMBERG_MOST], plus[ROMBERG_MOST], minus[ROMBERG_MOST];
  assert_true(count <= ROMBERG_MOST);
  for (int level = 0; level < ROMBERG_LEVELS; level++, h /= 2) {
    g(user, h, plus);
    g(user, -h, minus);
    for (int i = 0; i < count; i++) {
      double below = (plus[i] - minus[i])/(2*h), factor = 4;
      for (int k = 0; k < level; k++, factor *= 4) { /* column k of the row above, then of this one */
        double above = table[k][i];
        table[k][i] = below;
        below += (below - above)/(factor - 1);
      }
      table[level][i] = below;
      out[i] = below;
    }
  }
}

#endif
