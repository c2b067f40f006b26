/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the alpha methods. A step to t_{n+1} is a nonlinear system for x = (w, lambda, mu):
 *
 *   M w - f - A^T lambda = load     n   motion; without A^T lambda for rattle; load: the printed schemes only
 *   psi(q, v, t)/h = 0              m   constraints at velocity level (A w - b = 0 for those on accelerations)
 *   phi(q, t)/h^2 = 0               p   constraints that have a position level
 *
 *   a_n = first + share w,  a_{n+1} = rest + ka w
 *   v = v_n + h ((1 - gamma) a_n + gamma a_{n+1}) + h R                                    = vc + h (kv w + R)
 *   q = q_n + h v_n + h^2/2 ((1 - 2 beta) a_n + 2 beta a_{n+1}) + h^2/2 (R + D mu)  = qc + h^2 (kq w + (R + D mu)/2)
 *
 * R: the push of the constraints over the step, rattle only. D = M^-1 A^T is fixed during a step. Divided as above all
 * equations are of one size, whatever h is. */
#ifndef PF_TIME_ALPHA_COMMON_H
#define PF_TIME_ALPHA_COMMON_H

#include "num/newton.h"
#include "time/manifold.h"
#include "time/time_impl.h"

/* How a_0, which stands for the acceleration at t_0 + alpha h, is found from the accelerations w_0 and w_1. */
typedef enum PfAlphaStart {
  PF_ALPHA_SHIFTED, /* (1 - alpha) w_0 + alpha w_1: second order from the first step on */
  PF_ALPHA_PLAIN    /* w_0: multipliers of the first steps are of first order */
} PfAlphaStart;

typedef struct PfAlpha {
  int n, m, p, size;       /* size = n + m + p */
  const PfSymbols *in;
  const PfManifold *manifold; /* the projection of the run */
  int *position_row;       /* p: the constraint of each */
  bool *on_velocity;       /* m: false for constraints on accelerations */
  bool redundant;          /* constraints follow from others */
  bool *dropped;           /* m: which ones are left out on velocities; their lambda is zero */
  bool *unplaced;          /* m: on positions; their mu is zero */
  bool rattle, printed;
  bool friction;           /* rattle: the push depends on lambda in other ways than linearly */
  PfAlphaStart start;
  double alpha_m, alpha_f, alpha, beta, gamma;

  /* the equations as tapes; inputs: the symbols of the system, then w */
  const PfTape *equations, *slopes, *impulse;
  double *values, *equations_work, *slopes_work;
  double *impulse_values, *impulse_work; /* where the push is taken */
  double *left_side;       /* size: left sides */
  int entries;             /* Jacobian by (q, v, w, lambda): entries that are not zero */
  int *entry_row, *entry_column;
  double *slope;
  double *M, *A, *C, *C_lambda; /* outputs of the tape push: n x n, m x n, and with friction n, n x m */
  PfLdl mass;

  double *a, *w;           /* n each: of the method at t_n */
  double *load;            /* n: memory of the printed schemes, in place of these */
  double *x, *x_old;       /* size: unknowns of this step and of the one before */
  double *guess;           /* size: straight on from the two steps before */
  double *qc, *vc, *ac;    /* n each: the step as a map from x to the state; ac: the rest above */
  double *R, *D, *D_lambda; /* n; m x n: rows M^-1 A_k^T; the same with the Jacobian of friction */
  double *end;             /* 2n: derivatives at the end of the step that is tried */
  double *before;          /* n: accelerations at t_{n-1} */

  /* Newton */
  double *matrix, *scale, *change, *right; /* by columns; size each */
  double *origin;          /* size: x where the latest change began */
  double *size_A;          /* m x n: |A| at the last factorisation */
  PfQr qr;

  /* the state of the method, from here on (pf_checkpoint_add) */
  bool started;
  double t_start, h;
  long count;              /* steps done */
  int alike;               /* steps since the start or the last rejected step: for extrapolation */
  double ratio;            /* of this step to the one before */
  double t, share, kq, kv, ka;
  bool factored;
  int bad_row;             /* an equation that is not finite, or -1 */
  bool stuck;              /* the iteration did not converge */
  double most;             /* forces so far, in the metric of the mass matrix */
  double h_before;         /* t_n - t_{n-1}; 0: not known */
} PfAlpha;

/* Fails where the method has no such rho as that of the run. */
PfStatus pf_alpha_check_rho(const PfMotionRun *run);

/* Makes run->stepper.data, for the alpha method of the run, and frees its tapes; the rest belongs to the run. */
PfStatus pf_alpha_make(PfMotionRun *run);

/* False at the start, and where the state is not the end of the last step: then pf_alpha_start comes next. */
bool pf_alpha_has_started(PfMotionRun *run);
/* The start: w_0 is given, lambda_0 is that of the last evaluation. */
void pf_alpha_start(PfMotionRun *run, const double *w);
/* Lays out a step of size h: chooses the redundant rows that are left out, and sets t, ka, kv, kq, ac, vc, qc. */
void pf_alpha_begin(PfMotionRun *run, double h);
/* Moves run->state.t and run->state.y to the new state; their derivatives are left to the method. */
void pf_alpha_accept(PfMotionRun *run);

/* f + A^T lambda (rattle: f) at a state and the multipliers in x. */
void pf_alpha_forces(PfAlpha *alpha, double t, const double *y, double *forces);
/* Copies time, coordinates and velocities to the inputs of a tape. */
void pf_alpha_set_state(const PfAlpha *alpha, double *values, double t, const double *q, const double *v);

/* ---------------------------------------------------------------- alpha_newton.c */

/* M, A and the part of the impulse that depends on lambda, at a state; the mass matrix is factored, and has to be
 * regular for alpha-RATTLE. On failure run->flow gives the reason. */
bool pf_alpha_impulse_at(PfMotionRun *run, double t, const double *q, const double *v);
/* D = M^-1 A^T for a row A (n) of the constraints; by the diagonal of M only, where M is singular. `mass`: its
 * factors. */
void pf_alpha_direction(const PfLdl *mass, const double *M, const double *A, double *D);
/* Solves for x. On failure run->flow.trouble says why, or stuck is set. */
bool pf_alpha_solve(PfMotionRun *run);
/* Rounding of a residual of a constraint: of the numbers x (n) in it with the coefficients `row`, in its unit hardly
 * ever more than 5e-14. */
double pf_alpha_row_rounding(const PfManifold *manifold, int constraint, const double *row, const double *x, int n);
/* The factors are kept as long as they reduce the residual well each time; else it gives up when it rises. */
extern const PfNewtonPolicy pf_alpha_swift;
/* New factors at each iteration, and steps that do not help are halved: near a loss of rank the equations have other
 * solutions, which are not to be jumped to. */
extern const PfNewtonPolicy pf_alpha_careful;
/* Says that the iteration is stuck in a step of size h. */
void pf_alpha_report_stuck(PfMotionRun *run, double h);
/* After a failure that is final: says that the iteration is stuck, if it is that. */
PfStepEnd pf_alpha_explain(PfMotionRun *run);

#endif
