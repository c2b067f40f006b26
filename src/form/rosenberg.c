/* SPDX-License-Identifier: Apache-2.0 */
/* Rosenberg's embedding and its decoupled extension (Zhao et al. 2023). With dependent coordinates q1,
 * independent q2, K = A1^-1 A2 and N = [-K; I]:
 *   N^T M q'' = N^T F                                                                   (16)
 *   q2'' = X^-1 (F2 - K^T F1 + (K^T M11 - M21) A1^-1 b),  X = N^T M N                   (34)
 *   q1'' = A1^-1 b - K q2''                                                             (33)
 *   lambda = A1^-T (M11 q1'' + M12 q2'' - F1)                        (36), as corrected in the reference
 * (16) alone determines the accelerations only where q1'' drops out of it: M21 = K^T M11. */
#include "form/partition.h"

#include <math.h>

typedef struct Data {
  PfPartition partition;
  PfReduced reduced;
  PfSpan span;
} Data;

/* The span gives multipliers where constraints are redundant. */
static PfStatus prepare(PfSolver *s)
{
  int n = s->system->n;
  Data *d = s->data = pf_solver_array(s, Data, 1);
  if (!d) return pf_solver_no_room(s);
  s->unknowns = n;
  s->unknowns_per_rank = -1;
  PF_TRY(pf_partition_make(s, &d->partition));
  PF_TRY(pf_reduced_make(s, &d->reduced));
  return pf_span_make(s, &d->span);
}

/* By the partition, at a cost that grows with the degrees of freedom and not with the constraints. */
static PfTrouble extended(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  PfPartition *p = &d->partition;
  if (!pf_partition_update(p, s->at.A, s->at.b)) return PF_TROUBLE_SINGULAR;
  PfTrouble trouble = pf_partition_move(s, p, &d->reduced, motion->acceleration, row);
  if (trouble != PF_TROUBLE_NONE) return trouble;
  if (p->rank == p->m) {
    pf_partition_multipliers(s, p, motion);
    return PF_TROUBLE_NONE;
  }
  pf_span_factor(s, &d->span);
  pf_span_multipliers(s, &d->span, motion->acceleration, motion->multiplier);
  return pf_check_constraints(s, motion->acceleration, row);
}

/* (16) alone: the rows N^T M, with q1'' in them only if M21 - K^T M11 does not vanish. `extended` has left M N at
 * dependent coordinates in the partition: its first columns are M11 K - M21^T. */
static PfTrouble embedded(PfSolver *s, PfMotion *motion, int *row)
{
  Data *d = s->data;
  PfTrouble trouble = extended(s, motion, row); /* where q1'' drops out, q2'' is the same */
  if (trouble != PF_TROUBLE_NONE) return trouble;
  const PfPartition *p = &d->partition;
  int free = p->n - p->rank;
  for (int i = 0; i < p->rank; i++)
    for (int j = 0; j < free; j++) { /* N^T M at a dependent coordinate, against the bound it has by Schwarz */
      int k = p->column[i];
      double bound = sqrt(s->at.M[k*p->n + k]*d->reduced.X[j*free + j]);
      if (fabs(p->T[i*(free + 1) + 1 + j]) <= 1e-10*bound) continue;
      *row = k;
      return PF_TROUBLE_UNDETERMINED;
    }
  return PF_TROUBLE_NONE;
}

const PfFormulation pf_form_rosenberg_extended = {
  .name = "rosenberg_extended", .source = "Zhao, Yu, Chen, Feng, Cao 2023, eq. (33)-(34)",
  .summary = "dependent coordinates eliminated; only as many unknowns as degrees of freedom",
  .prepare = prepare, .accelerate = extended};

const PfFormulation pf_form_rosenberg = {
  .name = "rosenberg", .source = "Zhao, Yu, Chen, Feng, Cao 2023, eq. (16), after Rosenberg",
  .summary = "the embedded model alone; determines the accelerations only where the dependent ones drop out of it",
  .prepare = prepare, .accelerate = embedded};
