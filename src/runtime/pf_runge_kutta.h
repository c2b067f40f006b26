/* SPDX-License-Identifier: Apache-2.0 */
/* Part of the runtime of pfaff, which exports ship as it is (pf_real.h). */
/* Explicit Runge-Kutta methods: steps, error, step control, dense output. Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, chapter II. States have N numbers; k has the derivatives of the stages one after the
 * other. The arithmetic is in pf_runge_kutta.def, for numbers and for vectors of them. */
#ifndef PF_RUNTIME_RUNGE_KUTTA_H
#define PF_RUNTIME_RUNGE_KUTTA_H

#include "pf_real.h"

/* ---------------------------------------------------------------- fixed steps */

/* dy = f(t, y); 0, or what is wrong. Time is double in any case: thousands of steps are added up. */
typedef int (*PfDerivative)(void *user, double t, const pf_real *y, pf_real *dy);

/* One step of the classical method of order 4: y (N numbers) from t to t + h. k has 4 N numbers, of which the first N
 * hold f(t, y); trial has N. Returns what `rate` returns; unless that is 0, y is unchanged. */
PF_RUNTIME int pf_rk4_step(PfDerivative rate, void *user, int N, double t, pf_real h, pf_real *y, pf_real *k,
                           pf_real *trial);

#ifndef PF_SINGLE

/* ---------------------------------------------------------------- steps with an error estimate */

enum { PF_MOST_STAGES = 16 };

typedef struct PfTableau {
  int stages;      /* the last one is the derivative at the end of the step */
  int order;       /* of the error estimate + 1: exponent of the step control */
  const double *c; /* stages */
  const double *a; /* stages x stages, row by row; the last row holds the weights of the solution */
} PfTableau;

/* Terms of sum_j a_j k_j over so many stages, `stride` numbers apart, that are not zero; at least one. */
typedef struct PfRkTerms {
  int count, at[PF_MOST_STAGES];
  double factor[PF_MOST_STAGES];
} PfRkTerms;
static inline void pf_rk_terms(const double *a, int count, int stride, PfRkTerms *terms)
{
  terms->count = 0;
  for (int j = 0; j < count; j++) {
    if (a[j] == 0 && (terms->count || j < count - 1)) continue;
    terms->at[terms->count] = j*stride;
    terms->factor[terms->count++] = a[j];
  }
}
/* trial = y + h sum_j a_j k_j of them. */
PF_RUNTIME void pf_rk_combine(const double *a, int count, int N, double h, const double *y, const double *k, int stride,
                              double *trial);

/* The derivative of a stage at (t, y), of which the last one may move y, as onto constraints; 0, or what is wrong. */
typedef int (*PfStageRate)(void *user, int stage, double t, double *y, double *dy);
/* All stages of a step of size h from (t, y); the first N numbers of k hold f(t, y). The end of the step is in trial.
 * Returns what `rate` returns. */
PF_RUNTIME int pf_rk_stages(const PfTableau *tableau, PfStageRate rate, void *user, int N, double t, double h,
                            const double *y, double *k, double *trial);

/* What an error may be of a number that is a before the step and b after it. */
static inline double pf_rk_allowed(double atol, double rtol, double a, double b)
{
  const double x = fabs(a), z = fabs(b);
  return atol + rtol*(x > z ? x : z);
}

/* The state at the part x of a step of size h by cubic Hermite interpolation. */
PF_RUNTIME void pf_rk_hermite(double x, double h, int N, const double *y_old, const double *dy_old, const double *y,
                              const double *dy, double *inside);

/* ---------------------------------------------------------------- step control */

/* Kept from step to step. */
typedef struct PfStepControl {
  double last_error; /* of the step before, in units of the tolerance; 1 at first */
  bool rejected;     /* the step before was tried in vain */
} PfStepControl;

/* A first step that changes y by a hundredth of what the tolerance sees. Numbers of the state are `stride` apart. */
PF_RUNTIME double pf_rk_first_step(const double *y, const double *dy, int N, int stride, double atol, double rtol);
/* A fixed step h, or all that is left where that is not longer but for rounding. */
static inline double pf_rk_fixed_step(double h, double left)
{
  return left - h < 1e-9*h ? left : h;
}
/* The step h, not longer than `longest` (0: any), so that none much shorter than it is left before the end. */
PF_RUNTIME double pf_rk_limit_step(double h, double left, double longest);
/* The next step after one of size h with this error; it is accepted when the error is at most 1. A predictive
 * controller, which also uses the change of the error (Gustafsson 1991): fewer rejected steps. An error that is not
 * finite says that the step could not be made. */
PF_RUNTIME double pf_rk_next_step(PfStepControl *control, int order, double h, double error);
/* t + h, or t_end where that is the same but for rounding. */
PF_RUNTIME double pf_rk_end(double t, double h, double t_end);
/* Steps below this at the time t are rounding of t. */
#define PF_SHORTEST_STEP(t) (16*DBL_EPSILON*fmax(fabs(t), 1e-3))

/* ---------------------------------------------------------------- Dormand and Prince, order 5(4) */

enum { PF_DOPRI5_STAGES = 7, PF_DOPRI5_DENSE = 5 };

PF_RUNTIME const PfTableau *pf_dopri5_tableau(void);
/* Weights of the error, fifth order minus fourth order. */
PF_RUNTIME const double *pf_dopri5_weights(void);
/* The error of a step in units of the tolerance: the root of the mean square. */
PF_RUNTIME double pf_dopri5_error(int N, const double *k, int stride, double h, const double *y, const double *y_new,
                                  double atol, double rtol);
/* Interpolation of order 4 without further evaluations, of one number: coefficients from its derivatives, `stride`
 * apart and the first at k, and its value at the part x of the step. */
PF_RUNTIME void pf_dopri5_dense(const double *k, size_t stride, double h, double y_old, double y_new, double *r);
PF_RUNTIME double pf_dopri5_at(const double *r, double x);

#endif

#endif
