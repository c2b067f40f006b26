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
#define lanes_at(numbers) (*(Lanes *)(void *)(numbers))

#define EACH_LANE for (int l = 0; l < PF_LANES; l++)

static inline size_t stage_size(const PfLaneEngine *e)
{
  return (size_t)PF_LANE_COUNT*2*(size_t)e->n;
}

/* sum_s a[s] k_s over the terms that are not zero, of so many: known to the compiler where it matters. */
INLINE void combine_group(const PfLaneEngine *e, int g, const double *const *k, const double *a, int terms,
                          double divisor)
{
  const int N = 2*e->n;
  const size_t first = (size_t)(g*N)*PF_LANES;
  const Lanes h = lanes_at(e->tried + g*PF_LANES)/divisor;
  const double *y = e->y + first;
  double *rows = e->rows + (size_t)(g*e->width + e->q)*PF_LANES;
  for (int i = 0; i < N; i++) {
    const size_t at = (size_t)i*PF_LANES;
    Lanes sum = a[0]*lanes_at(k[0] + first + at);
    for (int s = 1; s < terms; s++) sum += a[s]*lanes_at(k[s] + first + at);
    lanes_at(rows + at) = lanes_at(y + at) + h*sum;
  }
}

INLINE void lanes_combine_by(const PfLaneEngine *e, int groups, const PfLaneStage *stage)
{
  const double *k[PF_LANE_STAGES] = {NULL};
  double a[PF_LANE_STAGES];
  int terms = 0;
  for (int s = 0; s < stage->count; s++) {
    if (stage->a[s] == 0) continue;
    k[terms] = e->k + (size_t)s*stage_size(e);
    a[terms++] = stage->a[s];
  }
  for (int g = 0; g < groups; g++) {
    lanes_at(e->rows + (size_t)(g*e->width + e->time)*PF_LANES) =
      lanes_at(e->now + g*PF_LANES) + stage->part*lanes_at(e->tried + g*PF_LANES);
    switch (terms) {
    case 1: combine_group(e, g, k, a, 1, stage->divisor); break;
    case 4: combine_group(e, g, k, a, 4, stage->divisor); break;
    default: if (terms > 0) combine_group(e, g, k, a, terms, stage->divisor);
    }
  }
}
FOR_PROCESSORS(lanes_combine, (const PfLaneEngine *e, int groups, const PfLaneStage *stage), (e, groups, stage))

INLINE void lanes_look_by(const PfLaneEngine *e, int groups, int stage)
{
  const int N = 2*e->n;
  for (int g = 0; g < groups; g++) {
    const double *k = e->k + (size_t)stage*stage_size(e) + (size_t)(g*N)*PF_LANES;
    Lanes mark = {0};
    for (int i = 0; i < N; i++) mark += 0*lanes_at(k + i*PF_LANES);
    lanes_at(e->error + g*PF_LANES) = mark;
  }
}
FOR_PROCESSORS(lanes_look, (const PfLaneEngine *e, int groups, int stage), (e, groups, stage))

/* 0 where all is well; NaN where a number is not finite, or a pivot has faded: then the formulas are not to be
 * trusted. */
INLINE void mark_by(const PfLaneEngine *e, const double *out, Lanes *result)
{
  const PfLaneTapes *t = &e->tapes;
  Lanes mark = {0};
  for (int i = 0; i < e->n; i++) mark += 0*lanes_at(out + i*PF_LANES); /* 0 times what is not finite is NaN */
  for (int i = 0; i < t->pairs; i++) {
    const double limit = i < t->mass_pairs ? PF_MASS_TOLERANCE : PF_SCHUR_MARGIN;
    const double *pivot = out + (e->n + 2*i)*PF_LANES, *start = pivot + PF_LANES;
    EACH_LANE mark[l] = pivot[l] > limit*start[l] ? mark[l] : NAN;
  }
  *result = mark;
}

INLINE void lanes_derive_by(const PfLaneEngine *e, int groups, int stage)
{
  const int n = e->n;
  for (int g = 0; g < groups; g++) {
    const double *out = e->out + (size_t)g*(size_t)e->tapes.outputs*PF_LANES;
    const double *v = e->rows + (size_t)(g*e->width + e->q + n)*PF_LANES;
    double *k = e->k + (size_t)stage*stage_size(e) + (size_t)g*2*(size_t)n*PF_LANES;
    Lanes mark;
    mark_by(e, out, &mark);
    for (int i = 0; i < n; i++) {
      lanes_at(k + i*PF_LANES) = lanes_at(v + i*PF_LANES);
      lanes_at(k + (n + i)*PF_LANES) = lanes_at(out + i*PF_LANES) + mark;
    }
  }
}
FOR_PROCESSORS(lanes_derive, (const PfLaneEngine *e, int groups, int stage), (e, groups, stage))

INLINE void lanes_correct_by(const PfLaneEngine *e, int groups, int first)
{
  for (int g = 0; g < groups; g++)
    for (int i = 0; i < e->n; i++)
      lanes_at(e->rows + (size_t)(g*e->width + e->q + first + i)*PF_LANES) +=
        lanes_at(e->out + (size_t)(g*e->n + i)*PF_LANES);
}
FOR_PROCESSORS(lanes_correct, (const PfLaneEngine *e, int groups, int first), (e, groups, first))

INLINE double larger(double a, double b)
{
  const double x = fabs(a), z = fabs(b);
  return x > z ? x : z;
}

INLINE void lanes_errors_by(const PfLaneEngine *e, int groups, const double *weights)
{
  const int N = 2*e->n;
  const size_t stride = stage_size(e);
  for (int g = 0; g < groups; g++) {
    const Lanes h = lanes_at(e->tried + g*PF_LANES), rtol = lanes_at(e->rtol + g*PF_LANES);
    const Lanes atol = lanes_at(e->atol + g*PF_LANES);
    Lanes sum = {0};
    for (int i = 0; i < N; i++) {
      const size_t at = (size_t)(g*N + i)*PF_LANES;
      const double *y = e->y + at, *y_new = e->rows + (size_t)(g*e->width + e->q + i)*PF_LANES;
      Lanes miss = weights[0]*lanes_at(e->k + at), size = {0};
      for (int s = 1; s < PF_LANE_STAGES; s++)
        if (weights[s] != 0) miss += weights[s]*lanes_at(e->k + (size_t)s*stride + at);
      EACH_LANE size[l] = larger(y[l], y_new[l]);
      miss *= h/(atol + rtol*size);
      sum += miss*miss;
    }
    EACH_LANE e->error[g*PF_LANES + l] = sqrt(sum[l]/N);
  }
}
FOR_PROCESSORS(lanes_errors, (const PfLaneEngine *e, int groups, const double *weights), (e, groups, weights))
