/* SPDX-License-Identifier: Apache-2.0 */
/* Cascade: constraints imposed level by level through nested null spaces, exact for any M >= 0 (hand-cascade
 * reference, section 6, recursion (b)):
 *   N_0 = I, a_0 = 0;  B = A_l N,  a <- a + N B^+ (b_l - A_l a),  N <- N null(B)
 *   q'' = a + N (N^T M N)^-1 N^T (F + C - M a)
 * The recursion printed in Zhao, Jiao, Wang 2015, eq. (13)-(18), is right only for groups that are
 * orthogonal in the metric of M. A level holds the constraints of one used part, one contact or one list:
 * names that agree up to the first dot or bracket. */
#include "form/form_impl.h"

#include <math.h>
#include <string.h>

typedef struct Data {
  int levels, *rows, *first; /* level l has the constraints rows[first[l]] … rows[first[l + 1] - 1] */
  PfQr qr;
  PfReduced reduced;
  PfSpan span;
  double *next, *B, *Z, *r, *step;
} Data;

/* `levels` is at most m; each level has at most all n directions that are left. */
static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n, m = s->system->m;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  d->rows = pf_solver_array(s, int, m);
  d->first = pf_solver_array(s, int, m + 1);
  if (!d->rows || !d->first) return pf_solver_no_room(s);
  PF_TRY(pf_solver_rooms(s, (PfRoom[]){{&d->next, n, n}, {&d->Z, n, n}, {&d->B, m, n}, {&d->r, m, 1}, {&d->step, n, 1},
                                       {0}}));
  d->levels = pf_cascade_levels(s->system->eq->model, d->rows, d->first);
  s->unknowns = n;
  s->unknowns_per_rank = -1;
  PF_TRY(pf_qr_make(s->ctx, s->arena, n, m, &d->qr));
  PF_TRY(pf_reduced_make(s, &d->reduced));
  return pf_span_make(s, &d->span);
}

/* Narrows N (n x *free) and moves a so that the constraints of the level hold. Cost: about n f (f - rank) products for
 * f directions on entry. B^+ gives the shortest step in the directions that are left. */
static void impose(PfSolver *s, Data *d, int level, int *free)
{
  int n = s->system->n, begin = d->first[level], count = d->first[level + 1] - begin, f = *free;
  double *N = d->reduced.N, *a = d->reduced.a;
  for (int i = 0; i < count; i++) {
    const double *A = s->at.unit_A + (size_t)d->rows[begin + i]*(size_t)n;
    pf_transposed_times(N, n, f, A, d->B + (size_t)i*(size_t)f);
    d->r[i] = s->at.unit_b[d->rows[begin + i]] - pf_dot(A, a, n);
  }
  d->qr.m = f; /* of B^T, of which B is the columns */
  d->qr.n = count;
  /* What earlier levels leave of these rows; rounding, when they say it all. */
  double left = pf_norm(d->B, count*f);
  if (!(left > s->rank_tolerance)) return;
  (void)pf_qr_factor_columns(&d->qr, d->B, s->rank_tolerance/fmin(left, 1));
  pf_qr_solve_transposed(&d->qr, d->r, d->step);
  for (int k = 0; k < n; k++) a[k] += pf_dot(N + (size_t)k*(size_t)f, d->step, f);
  pf_qr_null_space_transposed(&d->qr, d->Z); /* f x (f - rank) */
  *free = f - d->qr.rank;
  pf_product(N, d->Z, n, f, *free, d->next);
  memcpy(N, d->next, (size_t)n*(size_t)*free*sizeof *N);
}

/* One level alone is the null space of A, whose factorisation is there already. Constraints that follow from others are
 * checked before or after, as in rows.c. */
static PfTrouble accelerate(PfSolver *s, PfMotion *motion, int *row)
{
  int n = s->system->n, m = s->system->m, free;
  Data *d = s->data;
  int rank = pf_span_factor(s, &d->span);
  if (d->levels == 1) { /* the rows of the level are those of A */
    pf_span_solve(s, &d->span, d->reduced.a);
    pf_qr_null_space_transposed(&d->span.qr, d->reduced.N);
    free = n - rank;
  } else { /* from N = 1 and a = 0 to those that all levels leave */
    free = n;
    for (int i = 0; i < n; i++) {
      d->reduced.a[i] = 0;
      for (int j = 0; j < n; j++) d->reduced.N[i*n + j] = i == j;
    }
    for (int l = 0; l < d->levels; l++) impose(s, d, l, &free);
  }
  PfTrouble trouble = n - free < m ? pf_check_before(s, d->reduced.a, row) : PF_TROUBLE_NONE;
  if (trouble == PF_TROUBLE_NONE)
    trouble = pf_reduced_solve(s, &d->reduced, free, motion->acceleration, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
  return n - free < m ? pf_check_after(s, motion->acceleration, row) : PF_TROUBLE_NONE;
}

const PfFormulation pf_form_cascade = {
  .name = "cascade", .source = "Zhao, Jiao, Wang 2015, section 2, with the recursion corrected to nested null spaces",
  .summary = "constraints imposed part by part; takes singular masses and redundant constraints",
  .prepare = prepare, .accelerate = accelerate};
