/* SPDX-License-Identifier: Apache-2.0 */
/* Rosenberg's embedding, its decoupled extension, and the constraint forces of Udwadia and Kalaba in formulas
 * (Zhao, Yu, Chen, Feng, Cao 2023). */
#include "mech/eliminate.h"
#include "mech/solved.h"

#include <math.h>
#include <string.h>

/* The quantities that both Rosenberg forms share: q1'' = d - K q2'', N = [-K; I]. */
typedef struct Embedding {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  PfSamplePoint sample;
  PfElimination e;
  int n, free;
  bool definite; /* M is: nothing that decouples accelerations vanishes */
  PfExpr *NM;    /* N^T M: free x n */
  PfExpr *force; /* N^T (F + C) */
} Embedding;

/* Each expression of the list in its shortest form. */
static void simplify(PfContext *ctx, PfExpr *list, int count)
{
  for (int i = 0; i < count; i++) list[i] = pf_expr_simplest(ctx, list[i]);
}

/* F + C of coordinate i. */
static PfExpr load(const Embedding *x, int i)
{
  return pf_expr_add(x->ctx, x->eq->F[i], x->eq->C[i]);
}

/* ---------------------------------------------------------------- which are independent */

/* Names with commas between. */
PfStatus pf_independent_read(PfContext *ctx, const PfModel *model, const char *list, bool *kept, int *count)
{
  while (*list) {
    list += strspn(list, " ,");
    int length = (int)strcspn(list, ","), found = -1;
    while (length > 0 && list[length - 1] == ' ') length--;
    if (!length) break;
    for (int i = 0; i < model->coordinate_count; i++) {
      const char *name = model->coordinates[i].name;
      if (strlen(name) == (size_t)length && !strncmp(name, list, (size_t)length)) found = i;
    }
    if (found < 0) {
      char text[200];
      const char *similar = NULL;
      int best = 0;
      snprintf(text, sizeof text, "%.*s", length, list);
      pf_fail(ctx, PF_ERR_NAME, "@independent: the model has no coordinate '%s'", text);
      for (int i = 0; i < model->coordinate_count; i++)
        if (pf_name_is_nearer(text, model->coordinates[i].name, &best)) similar = model->coordinates[i].name;
      if (similar) pf_hint(ctx, "did you mean '%s'?", similar);
      return PF_ERR_ARGUMENT;
    }
    if (kept[found]) return pf_fail(ctx, PF_ERR_ARGUMENT, "@independent: '%s' stands there twice",
                                    model->coordinates[found].name);
    kept[found] = true;
    (*count)++;
    list += strcspn(list, ",");
  }
  return PF_OK;
}

/* Splits the velocities into dependent and independent ones by elimination of A q'' = b: by the requested names, else
 * by pivots. */
static PfStatus choose_partition(Embedding *x, const PfDeriveOptions *o)
{
  const PfEquations *eq = x->eq;
  bool *kept = pf_arena_array(x->arena, bool, eq->n);
  int asked = 0;
  if (!kept) return pf_no_room(x->ctx, "the equations");
  PF_TRY(pf_check_rank(x->ctx, x->arena, eq));
  PF_TRY(pf_equations_sample(x->ctx, x->arena, eq, &x->sample));
  PF_TRY(pf_eliminate(x->ctx, x->arena, &x->sample, eq->m, eq->n, eq->m, eq->A, eq->b, &x->e));
  if (!o->independent) return pf_eliminate_by_determinants(x->ctx, x->arena, &x->sample, eq->n, eq->A, eq->b, &x->e);
  int rank = x->e.rank;
  PF_TRY(pf_independent_read(x->ctx, eq->model, o->independent, kept, &asked));
  PfSamplePoint sample = x->sample;
  sample.kept = kept;
  PF_TRY(pf_eliminate(x->ctx, x->arena, &sample, eq->m, eq->n, eq->m, eq->A, eq->b, &x->e));
  /* The requested partition must exist, and be regular at the start. */
  const PfModel *model = x->eq->model;
  if (asked != x->n - rank)
    return pf_fail(x->ctx, PF_ERR_ARGUMENT, "@independent names %d coordinate%s, but %d accelerations are independent",
                   asked, asked == 1 ? "" : "s", x->n - rank);
  if (x->e.rank < rank) {
    const char *row = model->constraints[x->e.row[x->e.rank]].name;
    pf_fail(x->ctx, PF_ERR_MODEL, "the constraint '%s' cannot be solved for the accelerations that are left: with this "
            "choice of independent coordinates the others are not determined anywhere", row);
    return PF_ERR_MODEL;
  }
  double value;
  PF_TRY(pf_eliminate_by_determinants(x->ctx, x->arena, &sample, eq->n, eq->A, eq->b, &x->e));
  if (!sample.start || !x->e.divisor_count) return PF_OK;
  PF_TRY(pf_expr_evaluate(x->ctx, &x->e.determinant, 1, sample.symbols, sample.start, sample.count, &value));
  if (fabs(value) > 1e-9) return PF_OK;
  pf_warn_at(x->ctx, (PfPlace){.file = model->file}, "with this choice of independent coordinates the acceleration of "
             "'%s' is not determined at the start: the equations hold elsewhere",
             model->coordinates[x->e.column[x->e.rank - 1]].name);
  return PF_OK;
}

/* ---------------------------------------------------------------- the embedding */

/* Column j of N at coordinate i. */
static PfExpr direction(const Embedding *x, int i, int j)
{
  for (int k = 0; k < x->n; k++)
    if (x->e.column[k] == i)
      return k < x->e.rank ? pf_expr_neg(x->ctx, x->e.K[k*x->free + j]) : pf_expr_int(x->ctx, k - x->e.rank == j);
  return PF_EXPR_NONE;
}

/* The projected equations N^T M q'' = N^T (F + C), N the admissible directions. */
static PfStatus embed(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, Embedding *x)
{
  *x = (Embedding){.ctx = ctx, .arena = arena, .eq = eq, .n = eq->n};
  PF_TRY(choose_partition(x, o));
  PF_TRY(pf_is_definite(ctx, arena, &x->sample, eq->M, eq->n, &x->definite));
  x->free = eq->n - x->e.rank;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM2(x->NM, x->free, x->n), PF_ROOM(x->force, x->free)));
  for (int a = 0; a < x->free; a++) {
    x->force[a] = pf_expr_int(ctx, 0);
    for (int j = 0; j < x->n; j++) x->NM[a*x->n + j] = pf_expr_int(ctx, 0);
    for (int i = 0; i < x->n; i++) {
      PfExpr N = direction(x, i, a);
      x->force[a] = pf_expr_add(ctx, x->force[a], pf_expr_mul(ctx, N, load(x, i)));
      for (int j = 0; j < x->n; j++) {
        PfExpr *entry = x->NM + a*x->n + j;
        *entry = pf_expr_add(ctx, *entry, pf_expr_mul(ctx, N, eq->M[i*x->n + j]));
      }
    }
  }
  simplify(ctx, x->NM, x->free*x->n);
  simplify(ctx, x->force, x->free);
  return pf_expr_check(ctx);
}

/* The way to the embedded equations: Lagrange's, dependent accelerations, forces along the admissible directions. */
static PfStatus write_steps(const Embedding *x, PfDerivation *d)
{
  const PfModel *model = x->eq->model;
  const PfElimination *e = &x->e;
  pf_expr_set_budget(x->ctx, PF_DERIVE_BUDGET);
  PF_TRY(pf_steps_of_lagrange(x->ctx, x->arena, x->eq, d));
  pf_step_begin(d, "Dependent accelerations q1'' = A1^-1 b - K q2''");
  for (int k = 0; k < e->rank; k++) {
    PfExpr sum = e->d[k];
    for (int b = 0; b < x->free; b++)
      sum = pf_expr_sub(x->ctx, sum,
                        pf_expr_mul(x->ctx, e->K[k*x->free + b], model->coordinates[e->column[e->rank + b]].a));
    PF_TRY(pf_step_add(x->ctx, x->arena, d, "a", model->coordinates[e->column[k]].name, sum));
  }
  pf_step_begin(d, "Forces along the admissible directions, N^T (F + C) with N = [-K; 1]");
  for (int a = 0; a < x->free; a++)
    PF_TRY(pf_step_add(x->ctx, x->arena, d, "N", model->coordinates[e->column[e->rank + a]].name, x->force[a]));
  return PF_OK;
}

/* Room for the accelerations as unknowns, and for so many equations. */
static PfStatus make_room(const Embedding *x, int equations, PfDerivation *d)
{
  d->unknown_count = x->n;
  d->equation_count = equations;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the equations", PF_ROOM(d->unknowns, x->n), PF_ROOM(d->equations, equations)));
  for (int i = 0; i < x->n; i++) d->unknowns[i] = x->eq->model->coordinates[i].a;
  return PF_OK;
}

/* The matrices of the partition. */
static PfStatus add_matrices(const Embedding *x, PfPartitionMatrices which, PfDerivation *d)
{
  return pf_derive_partition_matrices(x->ctx, x->arena, x->eq, &x->sample, &x->e, which, d);
}

/* N^T M q'' = N^T (F + C), eq. (16), together with the constraints. */
PfStatus pf_derive_rosenberg(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                             PfDerivation *d)
{
  Embedding x;
  PF_TRY(embed(ctx, arena, eq, o, &x));
  PF_TRY(make_room(&x, x.free + eq->m, d));
  for (int a = 0; a < x.free; a++) {
    PfEquation *e = d->equations + a;
    e->name = eq->model->coordinates[x.e.column[x.e.rank + a]].name;
    e->left = pf_combination(ctx, x.NM + (size_t)a*(size_t)x.n, 1, d->unknowns, x.n);
    e->right = x.force[a];
  }
  for (int i = 0; i < eq->m; i++) {
    PfEquation *e = d->equations + x.free + i;
    PfExpr left = pf_combination(ctx, eq->A + (size_t)i*(size_t)eq->n, 1, d->unknowns, eq->n);
    *e = (PfEquation){eq->model->constraints[i].name, left, pf_expr_simplest(ctx, eq->b[i])};
  }
  d->motion_count = x.free;
  pf_derivation_section(d, "Constraints, differentiated", eq->m);
  PF_TRY(pf_conditions_find(ctx, arena, eq, x.e.divisors, x.e.divisor_count, d));
  if (o->matrices) PF_TRY(add_matrices(&x, PF_MATRICES_EMBEDDED, d));
  return o->steps ? write_steps(&x, d) : PF_OK;
}

/* ---------------------------------------------------------------- decoupled */

typedef struct Solved {
  PfExpr *X, *r, *a; /* a: q2'', or PF_EXPR_NONE where these are not determined */
  int divisor_count;
  PfExpr *divisors;  /* that could vanish: of q2'' where M is singular, of multipliers */
} Solved;

/* X q2'' = r, eq. (34) before it is solved, and q2'' from it; long quantities on the way get names in d, or with NULL
 * there is no solution. */
static PfStatus decouple(const Embedding *x, PfDerivation *d, Solved *s)
{
  PfContext *ctx = x->ctx;
  const PfElimination *e = &x->e;
  bool all;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM2(s->X, x->free, x->free), PF_ROOM(s->r, x->free),
                   PF_ROOM(s->a, x->free), PF_ROOM(s->divisors, x->free)));
  for (int a = 0; a < x->free; a++) {
    for (int b = 0; b <= a; b++) {
      PfExpr entry = pf_expr_int(ctx, 0);
      for (int i = 0; i < x->n; i++)
        entry = pf_expr_add(ctx, entry, pf_expr_mul(ctx, x->NM[a*x->n + i], direction(x, i, b)));
      s->X[a*x->free + b] = s->X[b*x->free + a] = pf_expr_simplest(ctx, entry);
    }
    s->r[a] = x->force[a];
    for (int k = 0; k < e->rank; k++)
      s->r[a] = pf_expr_sub(ctx, s->r[a], pf_expr_mul(ctx, x->NM[a*x->n + e->column[k]], e->d[k]));
    s->r[a] = pf_expr_simplest(ctx, s->r[a]);
  }
  PF_TRY(pf_expr_check(ctx));
  PfSymmetric q = {.ctx = ctx, .arena = x->arena, .sample = &x->sample, .X = s->X, .n = x->free, .named = d,
                   .divisors = x->definite ? NULL : s->divisors};
  PF_TRY(pf_solve_symmetric(&q, s->r, s->a, &all));
  s->divisor_count = q.divisor_count;
  return PF_OK;
}

/* The conditions: the factors of det A1, and those of det X where M is singular. */
static PfStatus list_conditions(const Embedding *x, const Solved *s, PfDerivation *d)
{
  const int own = x->e.divisor_count, all = own + s->divisor_count;
  PfExpr *divisors;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the equations", PF_ROOM(divisors, all)));
  for (int i = 0; i < all; i++) divisors[i] = i < own ? x->e.divisors[i] : s->divisors[i - own];
  return pf_conditions_find(x->ctx, x->arena, x->eq, divisors, all, d);
}

/* q1'' = d - K q2'' by the accelerations q2'', row k. */
static PfExpr dependent(const Embedding *x, int k, const PfExpr *unknowns)
{
  const PfElimination *e = &x->e;
  PfExpr right = e->d[k];
  for (int b = 0; b < x->free; b++)
    right = pf_expr_sub(x->ctx, right, pf_expr_mul(x->ctx, e->K[k*x->free + b], unknowns[e->column[e->rank + b]]));
  return right;
}

/* The equations of all accelerations: a = …, each independent one solved for, or the row of the reduced system where
 * that does not determine it; then the dependent ones by them. */
static void write_accelerations(const Embedding *x, const Solved *s, PfDerivation *d)
{
  const PfElimination *e = &x->e;
  const PfCoordinate *c = x->eq->model->coordinates;
  for (int a = 0; a < x->free; a++) {
    const int own = e->column[e->rank + a];
    PfEquation *to = d->equations + a;
    *to = (PfEquation){c[own].name, d->unknowns[own], s->a[a]};
    if (s->a[a] != PF_EXPR_NONE) continue;
    to->left = pf_expr_int(x->ctx, 0);
    for (int b = 0; b < x->free; b++)
      to->left = pf_expr_add(x->ctx, to->left,
                             pf_expr_mul(x->ctx, s->X[a*x->free + b], d->unknowns[e->column[e->rank + b]]));
    to->right = s->r[a];
  }
  for (int k = 0; k < e->rank; k++) {
    const int own = e->column[k];
    PfExpr right = pf_expr_simplest(x->ctx, dependent(x, k, d->unknowns));
    d->equations[x->free + k] = (PfEquation){c[own].name, d->unknowns[own], right};
  }
}

/* q2'' solved, eq. (34), (48), (49), and q1'' from them, (33). */
PfStatus pf_derive_rosenberg_extended(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                                      PfDerivation *d)
{
  Embedding x;
  Solved s;
  PF_TRY(embed(ctx, arena, eq, o, &x));
  PF_TRY(decouple(&x, d, &s));
  PF_TRY(make_room(&x, eq->n, d));
  write_accelerations(&x, &s, d);
  d->motion_count = x.free;
  pf_derivation_section(d, "Dependent accelerations", x.e.rank);
  PF_TRY(list_conditions(&x, &s, d));
  if (o->solved) PF_TRY(pf_solve_by_state(ctx, arena, d));
  if (o->matrices) PF_TRY(add_matrices(&x, PF_MATRICES_SOLVED, d));
  return o->steps ? write_steps(&x, d) : PF_OK;
}

/* ---------------------------------------------------------------- constraint forces */

/* Udwadia and Kalaba by the inverse of M: a = M^-1 (F + C), Y = M^-1 A^T, S = A Y, S lambda = b - A a, q'' = a + Y
 * lambda. */
typedef struct Correction {
  PfExpr *a, *Y, *S, *lambda, *acceleration; /* Y: m columns of n */
} Correction;

/* Udwadia and Kalaba: free accelerations a = M^-1 (F + C), Y = M^-1 A^T, S = A Y, lambda = S^-1 (b - A a), q'' = a + Y
 * lambda. `good`: everything was short enough. */
static PfStatus correct(const Embedding *x, Correction *c, bool *good)
{
  PfContext *ctx = x->ctx;
  const int n = x->n, m = x->eq->m;
  const PfExpr *A = x->eq->A;
  PfExpr *right;
  PfSymmetric M = {.ctx = ctx, .arena = x->arena, .sample = &x->sample, .X = x->eq->M, .n = n}, S = M;
  S.X = c->S, S.n = m;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM(right, n > m ? n : m)));
  for (int i = 0; i < n; i++) right[i] = load(x, i);
  PF_TRY(pf_solve_symmetric(&M, right, c->a, good));
  for (int k = 0; k < m && *good; k++) PF_TRY(pf_solve_symmetric(&M, A + k*n, c->Y + k*n, good));
  if (!*good) return PF_OK;
  for (int k = 0; k < m; k++) {
    right[k] = pf_expr_simplest(ctx, pf_expr_sub(ctx, x->eq->b[k], pf_combination(ctx, A + k*n, 1, c->a, n)));
    for (int l = 0; l < m; l++)
      c->S[k*m + l] = pf_expr_simplest(ctx, pf_combination(ctx, A + k*n, 1, c->Y + l*n, n));
  }
  PF_TRY(pf_solve_symmetric(&S, right, c->lambda, good));
  for (int i = 0; i < n && *good; i++) {
    PfExpr sum = pf_expr_add(ctx, c->a[i], pf_combination(ctx, c->Y + i, (size_t)n, c->lambda, m));
    c->acceleration[i] = pf_expr_simplest(ctx, sum);
  }
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- where M has no short inverse */

/* M q'' - F for coordinate i: the force that the constraints bring, C + A^T lambda. */
static PfExpr constraint_force(const Embedding *x, int i, const PfExpr *acceleration)
{
  PfExpr sum = pf_expr_neg(x->ctx, x->eq->F[i]);
  for (int j = 0; j < x->n; j++)
    sum = pf_expr_add(x->ctx, sum, pf_expr_mul(x->ctx, x->eq->M[i*x->n + j], acceleration[j]));
  return sum;
}

/* A1^T lambda = F^c at the dependent coordinates, which divides by the factors of det A1 once more; those multipliers
 * that redundant constraints leave open are zero. */
static PfStatus multipliers_of_dependent(const Embedding *x, const PfExpr *force, PfExpr *lambda)
{
  const int rank = x->e.rank;
  PfElimination e;
  PfExpr *A, *right;
  PF_TRY(pf_arrays(x->ctx, x->arena, "the equations", PF_ROOM2(A, rank, rank), PF_ROOM(right, rank)));
  for (int i = 0; i < rank; i++) {
    right[i] = force[x->e.column[i]];
    for (int k = 0; k < rank; k++) A[i*rank + k] = x->eq->A[x->e.row[k]*x->n + x->e.column[i]];
  }
  for (int k = 0; k < x->eq->m; k++) lambda[k] = pf_expr_int(x->ctx, 0);
  PF_TRY(pf_eliminate(x->ctx, x->arena, &x->sample, rank, rank, rank, A, right, &e));
  PF_TRY(pf_eliminate_by_determinants(x->ctx, x->arena, &x->sample, rank, A, right, &e));
  for (int k = 0; k < e.rank; k++) lambda[x->e.row[e.column[k]]] = pf_expr_simplest(x->ctx, e.d[k]);
  return pf_expr_check(x->ctx);
}

/* How long all multipliers are together. */
static double length_of(PfContext *ctx, const PfExpr *list, int count)
{
  double length = 0;
  for (int i = 0; i < count; i++) length += (double)pf_expr_length(ctx, list[i]);
  return length;
}

/* Rows of A^T lambda = F^c at any coordinates, if nothing that vanishes is divided by; else at the dependent ones, or
 * at any after all where that is shorter: then the divisors are listed. */
static PfStatus multipliers_of_forces(const Embedding *x, const PfExpr *force, PfExpr *lambda, Solved *s)
{
  PfContext *ctx = x->ctx;
  const int n = x->n, m = x->eq->m;
  PfElimination e;
  PfExpr *transposed, *other, *divisors;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM2(transposed, n, m), PF_ROOM(other, m)));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) transposed[i*m + k] = x->eq->A[k*n + i];
  for (int k = 0; k < m; k++) lambda[k] = pf_expr_int(ctx, 0);
  PF_TRY(pf_eliminate(ctx, x->arena, &x->sample, n, m, n, transposed, force, &e));
  for (int k = 0; k < e.rank; k++) lambda[e.column[k]] = pf_expr_simplest(ctx, e.d[k]);
  if (!e.divisor_count) return pf_expr_check(ctx);
  PF_TRY(multipliers_of_dependent(x, force, other));
  if (length_of(ctx, other, m) <= length_of(ctx, lambda, m)) {
    memcpy(lambda, other, (size_t)m*sizeof *lambda);
    return PF_OK;
  }
  const int own = s->divisor_count, all = own + e.divisor_count;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM(divisors, all)));
  for (int i = 0; i < all; i++) divisors[i] = i < own ? s->divisors[i] : e.divisors[i - own];
  s->divisors = divisors;
  s->divisor_count = all;
  return pf_expr_check(ctx);
}

/* By the partition of Rosenberg: accelerations, forces and multipliers by them. */
static PfStatus correct_by_partition(const Embedding *x, Correction *c, PfDerivation *d)
{
  PfContext *ctx = x->ctx;
  Solved s;
  PfExpr *force;
  PF_TRY(decouple(x, d, &s));
  write_accelerations(x, &s, d);
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM(force, x->n)));
  for (int i = 0; i < x->n; i++) {
    PfExpr ideal = pf_expr_sub(ctx, constraint_force(x, i, d->unknowns), x->eq->C[i]);
    force[i] = pf_expr_simplest(ctx, ideal);
  }
  PF_TRY(multipliers_of_forces(x, force, c->lambda, &s));
  return list_conditions(x, &s, d);
}

/* ---------------------------------------------------------------- the form */

/* A coordinate on which constraint k alone acts, by a constant, gives its multiplier at once: `lambda`, or that where
 * it is shorter. `force`: of the constraints, per coordinate. */
static PfExpr shortest_multiplier(const Embedding *x, int k, const PfExpr *force, PfExpr lambda)
{
  PfContext *ctx = x->ctx;
  const PfSamplePoint *g = &x->sample;
  for (int i = 0; i < x->n; i++) {
    PfExpr entry = x->eq->A[k*x->n + i];
    double value = 0; /* at the parameters of the model it must not vanish: a - b */
    bool alone = pf_sample_is_constant(ctx, g, entry) &&
                 pf_expr_evaluate(ctx, &entry, 1, g->symbols, g->generic, g->count, &value) == PF_OK &&
                 fabs(value) > 1e-12;
    for (int l = 0; l < x->eq->m; l++)
      alone = alone && (l == k || pf_expr_is_structural_zero(ctx, x->eq->A[l*x->n + i]));
    if (!alone) continue;
    PfExpr ideal = pf_expr_sub(ctx, force[i], x->eq->C[i]);
    lambda = pf_shorter(ctx, lambda, pf_expr_simplest(ctx, pf_expr_div(ctx, ideal, entry)));
  }
  return lambda;
}

/* Each by the state, or by accelerations where that is shorter: M q'' - F, (46), and A^T lambda = F^c, (53). */
static PfStatus write_forces(const Embedding *x, const Correction *c, PfDerivation *d)
{
  PfContext *ctx = x->ctx;
  const PfModel *model = x->eq->model;
  const int n = x->n, m = x->eq->m;
  PfExpr *force;
  PF_TRY(pf_arrays(ctx, x->arena, "the equations", PF_ROOM(force, n)));
  for (int i = 0; i < n; i++) {
    const char *name = model->coordinates[i].name, *own = pf_arena_print(x->arena, "Fc[%s]", name);
    PfExpr ideal = pf_combination(ctx, x->eq->A + i, (size_t)n, c->lambda, m);
    PfExpr by_multipliers = pf_expr_simplest(ctx, pf_expr_add(ctx, ideal, x->eq->C[i]));
    bool bound = false;
    for (int k = 0; k < m; k++) bound = bound || !pf_expr_is_structural_zero(ctx, x->eq->A[k*n + i]);
    force[i] = x->eq->C[i];
    if (bound) force[i] = pf_shorter(ctx, by_multipliers, pf_expr_simplest(ctx, constraint_force(x, i, d->unknowns)));
    d->equations[n + i] = (PfEquation){name, pf_expr_symbol(ctx, own ? own : "Fc"), force[i]};
  }
  for (int k = 0; k < m; k++) {
    PfExpr lambda = x->e.rank == m ? shortest_multiplier(x, k, force, c->lambda[k]) : c->lambda[k];
    d->equations[2*n + k] = (PfEquation){model->constraints[k].name, model->constraints[k].multiplier, lambda};
  }
  return pf_expr_check(ctx);
}

/* The way to the correction: accelerations without constraints, what they miss, and the matrix S. */
static PfStatus write_correction_steps(const Embedding *x, const Correction *c, PfDerivation *d)
{
  const PfModel *model = x->eq->model;
  int n = x->n, m = x->eq->m;
  pf_expr_set_budget(x->ctx, PF_DERIVE_BUDGET);
  PF_TRY(pf_steps_of_lagrange(x->ctx, x->arena, x->eq, d));
  pf_step_begin(d, "Accelerations without constraints, a = M^-1 (F + C)");
  for (int i = 0; i < n; i++) PF_TRY(pf_step_add(x->ctx, x->arena, d, "a", model->coordinates[i].name, c->a[i]));
  pf_step_begin(d, "What they miss, e = b - A a");
  for (int k = 0; k < m; k++) {
    PfExpr misfit = pf_expr_sub(x->ctx, x->eq->b[k], pf_combination(x->ctx, x->eq->A + k*n, 1, c->a, n));
    PF_TRY(pf_step_add(x->ctx, x->arena, d, "e", model->constraints[k].name, misfit));
  }
  pf_step_begin(d, "The constraints ask for S lambda = e with the symmetric matrix S = A M^-1 A^T");
  for (int k = 0; k < m; k++)
    for (int l = k; l < m; l++)
      PF_TRY(pf_step_entry(x->ctx, x->arena, d, "S", model->constraints[k].name, model->constraints[l].name,
                           pf_expr_simplest(x->ctx, c->S[k*m + l])));
  return PF_OK;
}

/* The partition gives the same accelerations, often shorter; where it divides by nothing that vanishes they may serve.
 */
static PfStatus shorten_by_partition(const Embedding *x, PfDerivation *d)
{
  Solved s;
  const PfElimination *e = &x->e;
  if (e->divisor_count && !pf_sample_is_constant(x->ctx, &x->sample, e->determinant)) return PF_OK;
  PF_TRY(decouple(x, NULL, &s));
  for (int a = 0; a < x->free; a++) {
    PfEquation *own = d->equations + e->column[e->rank + a];
    if (s.a[a] != PF_EXPR_NONE) own->right = pf_shorter(x->ctx, own->right, s.a[a]);
  }
  for (int k = 0; k < e->rank; k++) {
    PfEquation *own = d->equations + e->column[k];
    own->right = pf_shorter(x->ctx, own->right, pf_expr_simplest(x->ctx, dependent(x, k, d->unknowns)));
  }
  return pf_expr_check(x->ctx);
}

/* Accelerations with the correction of least size, eq. (19), and the forces that make it. */
PfStatus pf_derive_udwadia_kalaba(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                                  PfDerivation *d)
{
  Embedding x;
  Correction c;
  int n = eq->n, m = eq->m;
  bool good = false;
  PF_TRY(embed(ctx, arena, eq, o, &x));
  PF_TRY(make_room(&x, 2*n + m, d));
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(c.a, n), PF_ROOM2(c.Y, n, m), PF_ROOM2(c.S, m, m),
                   PF_ROOM(c.lambda, m), PF_ROOM(c.acceleration, n)));
  if (x.e.rank == m && !o->independent) PF_TRY(correct(&x, &c, &good));
  for (int i = 0; i < n && good; i++)
    d->equations[i] = (PfEquation){eq->model->coordinates[i].name, d->unknowns[i], c.acceleration[i]};
  PF_TRY(good ? shorten_by_partition(&x, d) : correct_by_partition(&x, &c, d));
  PF_TRY(write_forces(&x, &c, d));
  d->motion_count = n;
  pf_derivation_section(d, "Constraint forces Fc = M q'' - F = C + A^T lambda", n);
  pf_derivation_section(d, x.e.rank == m ? "Multipliers"
                                         : "Multipliers: one choice of many, since constraints are redundant", m);
  if (o->solved) PF_TRY(pf_solve_by_state(ctx, arena, d));
  if (o->matrices) PF_TRY(add_matrices(&x, PF_MATRICES_OF_FORCES, d));
  if (!o->steps) return PF_OK;
  return good ? write_correction_steps(&x, &c, d) : write_steps(&x, d);
}
