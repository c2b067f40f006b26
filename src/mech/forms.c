/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of the equations that people choose from: Lagrange's, Rosenberg's embedding and its extension, Maggi's, and
 * the laconic one. */
#include "mech/eliminate.h"
#include "mech/mech_impl.h"

#include <string.h>

static PfStatus make_room(PfContext *ctx, PfArena *arena, int unknowns, int equations, PfDerivation *d)
{
  d->unknown_count = unknowns;
  d->equation_count = equations;
  d->unknowns = pf_arena_array(arena, PfExpr, unknowns);
  d->equations = pf_arena_array(arena, PfEquation, equations);
  bool good = d->unknowns && d->equations;
  return good ? PF_OK : pf_no_room(ctx, "the equations");
}

static void simplify(PfContext *ctx, PfExpr *list, int count)
{
  for (int i = 0; i < count; i++) list[i] = pf_expr_simplest(ctx, list[i]);
}

/* Equations without multipliers cannot have forces that depend on them. */
static PfStatus check_forces(PfContext *ctx, const PfEquations *eq)
{
  for (int k = 0; k < eq->m; k++)
    for (int i = 0; i < eq->n; i++) {
      if (!pf_expr_depends(ctx, eq->C[i], &eq->model->constraints[k].multiplier, 1)) continue;
      pf_fail(ctx, PF_ERR_MODEL,
              "the non-ideal force on '%s' depends on the multiplier of '%s', which this form does not have",
              eq->model->coordinates[i].name, eq->model->constraints[k].name);
      pf_hint(ctx, "Lagrange's equations keep the multipliers: --form multipliers");
      return PF_ERR_MODEL;
    }
  return PF_OK;
}

/* ---------------------------------------------------------------- Maggi and laconic */

typedef PfStatus Reduce(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                        PfReducedForm *form);

/* Is it a combination that the program has chosen, beside the user's speeds or without any? */
static bool is_found(PfContext *ctx, const PfEquations *eq, const PfKinematics *k, int a)
{
  if (!k->definition || pf_expr_op(ctx, k->definition[a]) == PF_OP_SYMBOL) return false;
  return k->combined || eq->model->speeds[a].completes;
}

/* Combinations that were found, then velocities that are not themselves pseudo-velocities. */
static int add_velocities(PfContext *ctx, const PfEquations *eq, const PfKinematics *k, PfEquation *out)
{
  int count = 0;
  for (int a = 0; a < k->count; a++)
    if (is_found(ctx, eq, k, a)) out[count++] = (PfEquation){k->names[a], k->omega[a], k->definition[a]};
  for (int i = 0; i < eq->n; i++) {
    const PfCoordinate *c = eq->model->coordinates + i;
    if (k->v[i] == c->v) continue;
    out[count++] = (PfEquation){c->name, c->v, pf_expr_simplest(ctx, k->v[i])};
  }
  return count;
}

static PfStatus reduced(PfContext *ctx, PfArena *arena, const PfEquations *eq, Reduce *reduce, PfDerivation *d)
{
  PfKinematics k;
  PfReducedForm form;
  PF_TRY(pf_kinematics_find(ctx, arena, eq, &k));
  PF_TRY(reduce(ctx, arena, eq, &k, &form));
  PF_TRY(make_room(ctx, arena, k.count, 2*k.count + eq->n, d));
  memcpy(d->unknowns, k.rate, (size_t)k.count*sizeof *k.rate);
  simplify(ctx, form.G, k.count*k.count);
  simplify(ctx, form.g, k.count);
  for (int a = 0; a < k.count; a++) {
    PfEquation *e = d->equations + a;
    e->name = k.names[a];
    e->left = pf_combination(ctx, form.G + (size_t)a*(size_t)k.count, 1, d->unknowns, k.count);
    e->right = form.g[a];
  }
  d->motion_count = k.count;
  d->equation_count = k.count + add_velocities(ctx, eq, &k, d->equations + k.count);
  d->others = "Velocities";
  return pf_conditions_find(ctx, arena, eq, k.divisors, k.divisor_count, d);
}

/* ---------------------------------------------------------------- Rosenberg */

/* What both Rosenberg forms are made of: q1'' = d - K q2'', N = [-K; I]. */
typedef struct Embedding {
  PfElimination e;
  int n, free;
  PfExpr *NM;    /* N^T M: free x n */
  PfExpr *force; /* N^T (F + C) */
} Embedding;

/* Column j of N at coordinate i. */
static PfExpr direction(PfContext *ctx, const Embedding *x, int i, int j)
{
  for (int k = 0; k < x->n; k++)
    if (x->e.column[k] == i)
      return k < x->e.rank ? pf_expr_neg(ctx, x->e.K[k*x->free + j]) : pf_expr_int(ctx, k - x->e.rank == j);
  return PF_EXPR_NONE;
}

static PfStatus embed(PfContext *ctx, PfArena *arena, const PfEquations *eq, Embedding *x)
{
  PF_TRY(pf_eliminate_rows(ctx, arena, eq, eq->A, eq->b, &x->e));
  x->n = eq->n;
  x->free = eq->n - x->e.rank;
  x->NM = pf_arena_array(arena, PfExpr, (size_t)x->free*(size_t)x->n);
  x->force = pf_arena_array(arena, PfExpr, x->free);
  if (!x->NM || !x->force) return pf_no_room(ctx, "the equations");
  for (int a = 0; a < x->free; a++) {
    x->force[a] = pf_expr_int(ctx, 0);
    for (int j = 0; j < x->n; j++) x->NM[a*x->n + j] = pf_expr_int(ctx, 0);
    for (int i = 0; i < x->n; i++) {
      PfExpr N = direction(ctx, x, i, a), F = pf_expr_add(ctx, eq->F[i], eq->C[i]);
      x->force[a] = pf_expr_add(ctx, x->force[a], pf_expr_mul(ctx, N, F));
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

static void list_accelerations(const PfEquations *eq, PfDerivation *d)
{
  for (int i = 0; i < eq->n; i++) d->unknowns[i] = eq->model->coordinates[i].a;
}

/* N^T M q'' = N^T (F + C), eq. (16), and the constraints beside it. */
static PfStatus rosenberg(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  Embedding x;
  PF_TRY(embed(ctx, arena, eq, &x));
  PF_TRY(make_room(ctx, arena, eq->n, x.free + eq->m, d));
  list_accelerations(eq, d);
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
  d->others = "Constraints, differentiated";
  return pf_conditions_find(ctx, arena, eq, x.e.divisors, x.e.divisor_count, d);
}

/* X q2'' = N^T (F + C - M (d, 0)), q1'' = d - K q2'': eq. (34) and (33). */
static PfStatus rosenberg_extended(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  Embedding x;
  PF_TRY(embed(ctx, arena, eq, &x));
  const PfElimination *e = &x.e;
  PF_TRY(make_room(ctx, arena, eq->n, eq->n, d));
  list_accelerations(eq, d);
  for (int a = 0; a < x.free; a++) {
    PfExpr left = pf_expr_int(ctx, 0), right = x.force[a];
    for (int b = 0; b < x.free; b++) {
      PfExpr entry = pf_expr_int(ctx, 0);
      for (int i = 0; i < x.n; i++)
        entry = pf_expr_add(ctx, entry, pf_expr_mul(ctx, x.NM[a*x.n + i], direction(ctx, &x, i, b)));
      PfExpr unknown = d->unknowns[e->column[e->rank + b]];
      left = pf_expr_add(ctx, left, pf_expr_mul(ctx, pf_expr_simplest(ctx, entry), unknown));
    }
    for (int k = 0; k < e->rank; k++)
      right = pf_expr_sub(ctx, right, pf_expr_mul(ctx, x.NM[a*x.n + e->column[k]], e->d[k]));
    const char *name = eq->model->coordinates[e->column[e->rank + a]].name;
    d->equations[a] = (PfEquation){name, left, pf_expr_simplest(ctx, right)};
  }
  for (int k = 0; k < e->rank; k++) {
    PfExpr right = e->d[k];
    for (int b = 0; b < x.free; b++)
      right = pf_expr_sub(ctx, right, pf_expr_mul(ctx, e->K[k*x.free + b], d->unknowns[e->column[e->rank + b]]));
    d->equations[x.free + k] = (PfEquation){eq->model->coordinates[e->column[k]].name, d->unknowns[e->column[k]],
                                            right};
  }
  d->motion_count = x.free;
  d->others = "Dependent accelerations";
  return pf_conditions_find(ctx, arena, eq, e->divisors, e->divisor_count, d);
}

/* ---------------------------------------------------------------- by name */

static PfStatus maggi(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  return reduced(ctx, arena, eq, pf_reduce_maggi, d);
}

static PfStatus laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  return reduced(ctx, arena, eq, pf_reduce_laconic, d);
}

static const struct {
  const char *name, *summary;
  PfStatus (*derive)(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d);
} forms[] = {
  {"multipliers", "Lagrange's equations with multipliers, and the mass matrix", pf_derive_lagrange},
  {"rosenberg", "embedded: as many equations as degrees of freedom", rosenberg},
  {"rosenberg_extended", "embedded and decoupled", rosenberg_extended},
  {"maggi", "in pseudo-velocities, by admissible directions", maggi},
  {"laconic", "in pseudo-velocities, by Tatarinov's equations", laconic},
};

enum { FORMS = sizeof forms/sizeof *forms };

const char *pf_derived_form(int index, const char **summary)
{
  if (index < 0 || index >= FORMS) return NULL;
  *summary = forms[index].summary;
  return forms[index].name;
}

const char *pf_form_name(const char *name)
{
  return strcmp(name, "lagrange") ? name : "multipliers";
}

static void hint_form(PfContext *ctx, const char *form)
{
  char list[256] = "";
  const char *similar = NULL;
  int best = 0;
  for (size_t i = 0, used = 0; i < FORMS && used < sizeof list; i++) {
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", forms[i].name);
    if (pf_name_is_nearer(form, forms[i].name, &best)) similar = forms[i].name;
  }
  if (pf_name_is_nearer(form, "lagrange", &best)) similar = "lagrange";
  if (similar) pf_hint(ctx, "did you mean '%s'?", similar);
  else pf_hint(ctx, "there are: %s", list);
}

PfStatus pf_derive_form(PfContext *ctx, PfArena *arena, const PfEquations *eq, const char *form, PfDerivation *d)
{
  form = pf_form_name(form);
  if (!strcmp(form, forms[0].name)) return pf_derive_lagrange(ctx, arena, eq, d);
  for (size_t i = 1; i < FORMS; i++) {
    if (strcmp(forms[i].name, form)) continue;
    *d = (PfDerivation){.form = forms[i].name};
    PF_TRY(check_forces(ctx, eq));
    PF_TRY(forms[i].derive(ctx, arena, eq, d));
    return pf_abbreviate(ctx, arena, d);
  }
  pf_fail(ctx, PF_ERR_ARGUMENT, "there is no form '%s'", form);
  hint_form(ctx, form);
  return PF_ERR_ARGUMENT;
}
