/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of lanes. Each function is compiled for plain processors, AVX2 and AVX-512; none of them contracts or
 * reorders anything, so the numbers are the same. */
#include "sweep/lanes.h"
#include "num/tolerances.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

/* A function as three, and the choice among them. */
#if defined __x86_64__
#define FOR_PROCESSORS(name, parameters, arguments)                                                  \
  __attribute__((target("avx2"))) static void name##_avx2 parameters { name##_by arguments; }        \
  __attribute__((target("avx512f"))) static void name##_avx512 parameters { name##_by arguments; }   \
  static void name##_plain parameters { name##_by arguments; }                                       \
  void pf_##name parameters                                                                          \
  {                                                                                                  \
    switch (pf_lanes_best()) {                                                                       \
    case PF_LANES_AVX512: name##_avx512 arguments; break;                                            \
    case PF_LANES_AVX2: name##_avx2 arguments; break;                                                \
    case PF_LANES_PLAIN: name##_plain arguments; break;                                              \
    }                                                                                                \
  }
#else
#define FOR_PROCESSORS(name, parameters, arguments) \
  void pf_##name parameters                         \
  {                                                 \
    name##_by arguments;                            \
  }
#endif

/* The numbers of a group. Sums of vectors stay in registers, where those of arrays go through memory. */
typedef double Lanes __attribute__((vector_size(8*PF_LANES), may_alias));

#define EACH_LANE for (int l = 0; l < PF_LANES; l++)

/* The group at that place of an array. */
INLINE Lanes *lanes_in(double *numbers, int place)
{
  return (Lanes *)(void *)numbers + place;
}

#define RK_REAL Lanes
#define RK_EACH_LANE EACH_LANE
#define RK_LANE(x) (x)[l]
#define RK_FUNCTION INLINE
#define RK(name) lanes_##name
#include "runtime/pf_runge_kutta.def"

INLINE void lanes_combine_by(const PfLaneEngine *e, int groups, int stage)
{
  const PfTableau *tb = pf_dopri5_tableau();
  const int N = 2*e->n, stride = PF_LANE_GROUPS*N;
  const double part = e->adaptive ? tb->c[stage] : stage < 3 ? 0.5 : 1;
  PfRkTerms terms;
  terms.count = 0; /* of rk4 */
  if (e->adaptive) pf_rk_terms(tb->a + stage*tb->stages, stage, stride, &terms);
  for (int g = 0; g < groups; g++) {
    Lanes *rows = lanes_in(e->rows, g*e->width);
    const Lanes *h = lanes_in(e->tried, g), *y = lanes_in(e->y, g*N), *k = lanes_in(e->k, g*N);
    rows[e->time] = *lanes_in(e->now, g) + part**h;
    if (e->adaptive) lanes_rk_trial(&terms, N, h, y, k, rows + e->q);
    else lanes_rk4_trial(stage, N, h, y, k, stride, rows + e->q);
  }
}
FOR_PROCESSORS(lanes_combine, (const PfLaneEngine *e, int groups, int stage), (e, groups, stage))

INLINE void lanes_check_finite_by(const PfLaneEngine *e, int groups, int stage)
{
  const int N = 2*e->n;
  for (int g = 0; g < groups; g++) {
    const Lanes *k = lanes_in(e->k, (stage*PF_LANE_GROUPS + g)*N);
    Lanes mark = {0};
    for (int i = 0; i < N; i++) mark += 0*k[i];
    *lanes_in(e->error, g) = mark;
  }
}
FOR_PROCESSORS(lanes_check_finite, (const PfLaneEngine *e, int groups, int stage), (e, groups, stage))

/* 0 where all is well; NaN where a number is not finite, or a pivot has faded: then the formulas are not to be
 * trusted. */
INLINE void mark_by(const PfLaneEngine *e, const Lanes *out, Lanes *result)
{
  const PfLaneTapes *t = &e->tapes;
  Lanes mark = {0};
  for (int i = 0; i < e->n; i++) mark += 0*out[i]; /* 0 times what is not finite is NaN */
  for (int i = 0; i < t->pairs; i++) {
    const double limit = i < t->mass_pairs ? PF_MASS_TOLERANCE : PF_SCHUR_MARGIN;
    const Lanes *pivot = out + e->n + 2*i, *start = pivot + 1;
    EACH_LANE mark[l] = (*pivot)[l] > limit*(*start)[l] ? mark[l] : NAN;
  }
  *result = mark;
}

INLINE void lanes_derive_by(const PfLaneEngine *e, int groups, int stage)
{
  const int n = e->n;
  for (int g = 0; g < groups; g++) {
    const Lanes *out = lanes_in(e->out, g*e->tapes.outputs), *v = lanes_in(e->rows, g*e->width + e->q + n);
    Lanes *k = lanes_in(e->k, (stage*PF_LANE_GROUPS + g)*2*n), mark;
    mark_by(e, out, &mark);
    for (int i = 0; i < n; i++) {
      k[i] = v[i];
      k[n + i] = out[i] + mark;
    }
  }
}
FOR_PROCESSORS(lanes_derive, (const PfLaneEngine *e, int groups, int stage), (e, groups, stage))

INLINE void lanes_correct_by(const PfLaneEngine *e, int groups, int first)
{
  for (int g = 0; g < groups; g++)
    for (int i = 0; i < e->n; i++)
      *lanes_in(e->rows, g*e->width + e->q + first + i) += *lanes_in(e->out, g*e->n + i);
}
FOR_PROCESSORS(lanes_correct, (const PfLaneEngine *e, int groups, int first), (e, groups, first))

INLINE void lanes_errors_by(const PfLaneEngine *e, int groups)
{
  const int N = 2*e->n;
  PfRkTerms terms;
  pf_rk_terms(pf_dopri5_weights(), PF_DOPRI5_STAGES, PF_LANE_GROUPS*N, &terms);
  for (int g = 0; g < groups; g++)
    lanes_rk_error(&terms, N, lanes_in(e->tried, g), lanes_in(e->y, g*N), lanes_in(e->rows, g*e->width + e->q),
                   lanes_in(e->k, g*N), lanes_in(e->atol, g), lanes_in(e->rtol, g), lanes_in(e->error, g));
}
FOR_PROCESSORS(lanes_errors, (const PfLaneEngine *e, int groups), (e, groups))
