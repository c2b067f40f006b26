/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints that can be solved one after another, each for a velocity that no earlier one contains: the blades of
 * trailers, a wheel that only follows. Such a tail is cut off before the others are solved, outermost first, and put
 * back innermost first: by then the velocity of the link that carries the contact is a short formula, and so is what is
 * left of the constraint. The same rows written in coordinates have sums of all angles up to the ground in them, and
 * grow with the square of the length of the chain. */
#include "mech/links.h"
#include "mech/tails.h"

#include <string.h>

/* ---------------------------------------------------------------- cutting off */

/* Rates of wheels that only spin are good pseudo-velocities: what they turn is round. */
static PfStatus list_spins(PfContext *ctx, PfArena *arena, const PfModel *model, bool *spins)
{
  bool *used = pf_arena_array(arena, bool, model->frame_count);
  bool *round = pf_arena_array(arena, bool, model->frame_count);
  if (!used || !round) return pf_no_room(ctx, "the kinematics");
  pf_frames_used(model, used);
  pf_frames_round(model, used, round);
  for (int f = 1; f < model->frame_count; f++)
    for (int j = 0; round[f] && j < model->coordinate_count; j++)
      spins[j] = spins[j] || pf_expr_depends(ctx, model->frames[f].angle, &model->coordinates[j].q, 1);
  return PF_OK;
}

/* The one row left that contains the velocity j, with a constant factor; or -1. */
static int only_row(PfContext *ctx, const PfGuide *guide, const PfEquations *eq, const PfExpr *rows, const bool *cut,
                    int j)
{
  int found = -1;
  for (int i = 0; i < eq->m; i++) {
    if (cut[i] || pf_expr_is_structural_zero(ctx, rows[i*eq->n + j])) continue;
    if (found >= 0) return -1;
    found = i;
  }
  bool good = found >= 0 && eq->model->constraints[found].kind == PF_PFAFFIAN &&
              pf_guide_is_constant(ctx, guide, rows[found*eq->n + j]);
  return good ? found : -1;
}

/* Cuts off what can be, spins of wheels only where there are many rows. */
static void cut_off(PfContext *ctx, const PfGuide *guide, const PfEquations *eq, const PfExpr *rows, const bool *spins,
                    bool *cut, PfTails *t)
{
  enum { FEW_ROWS = 8 };
  for (bool any = true; any;) {
    any = false;
    for (int pass = 0; pass < 2 && !any; pass++)
      for (int j = eq->n - 1; j >= 0; j--) {
        bool taken = spins[j] && (pass == 0 || eq->m - t->count <= FEW_ROWS);
        int i = taken ? -1 : only_row(ctx, guide, eq, rows, cut, j);
        if (i < 0) continue;
        cut[i] = any = true;
        t->row[t->count] = i;
        t->coordinate[t->count++] = j;
      }
  }
}

PfStatus pf_tails_find(PfContext *ctx, PfArena *arena, const PfGuide *guide, const PfEquations *eq, PfExpr *rows,
                       PfExpr *free, PfTails *t)
{
  int n = eq->n;
  bool *spins = pf_arena_array(arena, bool, n), *cut = pf_arena_array(arena, bool, eq->m);
  *t = (PfTails){.row = pf_arena_array(arena, int, eq->m), .coordinate = pf_arena_array(arena, int, eq->m),
                 .left = pf_arena_array(arena, int, eq->m)};
  if (!spins || !cut || !t->row || !t->coordinate || !t->left) return pf_no_room(ctx, "the kinematics");
  PF_TRY(list_spins(ctx, arena, eq->model, spins));
  cut_off(ctx, guide, eq, rows, spins, cut, t);
  for (int i = 0; i < eq->m; i++) {
    if (cut[i]) continue;
    memmove(rows + t->left_count*n, rows + i*n, (size_t)n*sizeof *rows);
    free[t->left_count] = free[i];
    t->left[t->left_count++] = i;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- putting back */

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  PfKinematics *k;
  int count;        /* of the unknowns: pseudo-velocities, then velocities that were cut off */
  PfExpr *unknowns;
  PfLinks *links;
  uint8_t *still;   /* see PfKinematics */
} Work;

/* The velocities that were cut off are no pseudo-velocities. */
static void drop_independent(const PfTails *t, PfKinematics *k)
{
  int kept = 0;
  for (int a = 0; a < k->count; a++) {
    bool dropped = false;
    for (int i = 0; i < t->count; i++) dropped = dropped || k->independent[a] == t->coordinate[i];
    if (dropped) continue;
    k->independent[kept] = k->independent[a];
    k->names[kept] = k->names[a];
    k->omega[kept] = k->omega[a];
    k->rate[kept] = k->rate[a];
    if (k->definition) k->definition[kept] = k->definition[a];
    kept++;
  }
  k->count = kept;
}

/* The contact that the constraint belongs to: its force has the multiplier in it. NULL: none. */
static const PfContact *contact_of(const Work *w, PfExpr multiplier)
{
  for (int i = 0; i < w->eq->model->contact_count; i++) {
    const PfContact *c = w->eq->model->contacts + i;
    for (int p = 0; p < c->force.count; p++)
      if (pf_expr_depends(w->ctx, c->force.part[p].c[0], &multiplier, 1) ||
          pf_expr_depends(w->ctx, c->force.part[p].c[1], &multiplier, 1) ||
          pf_expr_depends(w->ctx, c->force.part[p].c[2], &multiplier, 1)) return c;
  }
  return NULL;
}

/* The direction in which the row measures: the force of its multiplier. */
static PfVector direction_of(const Work *w, const PfContact *contact, PfExpr multiplier)
{
  PfVector sum = pf_vector_zero();
  for (int p = 0; p < contact->force.count; p++) {
    PfExpr c[3];
    for (int k = 0; k < 3; k++) c[k] = pf_expr_diff(w->ctx, contact->force.part[p].c[k], multiplier);
    sum = pf_vector_add(w->eq->model, sum, pf_vector_make(w->eq->model, contact->force.part[p].frame, c));
  }
  return sum;
}

/* The axis of a frame whose origin the row holds still along it: d is that axis, and the contact is the origin. */
static int still_axis(const Work *w, const PfExpr d[3], const PfExpr c[3])
{
  int axis = -1;
  for (int k = 0; k < 3; k++) {
    if (!pf_expr_is_structural_zero(w->ctx, c[k])) return -1;
    if (pf_expr_is_structural_zero(w->ctx, d[k])) continue;
    if (axis >= 0 || !pf_expr_is_int(w->ctx, d[k], 1)) return -1;
    axis = k;
  }
  return axis;
}

/* The row as the velocity of the point of contact along a direction, d.(u + w x c): of what moves on the ground. */
static PfStatus row_by_link(const Work *w, const PfConstraint *constraint, PfExpr *row, int *frame, int *axis)
{
  const PfModel *model = w->eq->model;
  const PfContact *contact = contact_of(w, constraint->multiplier);
  const PfLink *link;
  PfExpr c[3], d[3], v[3];
  *row = PF_EXPR_NONE;
  *axis = -1;
  if (!contact || contact->support != 0) return PF_OK;
  PF_TRY(pf_links_reach(w->links, contact->body, &link));
  int axes = pf_links_axes(w->links, contact->body);
  PfVector origin = pf_frame_position(model, contact->body);
  PfVector arm = pf_vector_add(model, contact->point, pf_vector_scale(model, origin, pf_expr_int(w->ctx, -1)));
  pf_vector_express(model, arm, axes, c);
  pf_vector_express(model, direction_of(w, contact, constraint->multiplier), axes, d);
  pf_expr_cross3(w->ctx, link->w, c, v);
  for (int k = 0; k < 3; k++) v[k] = pf_expr_add(w->ctx, v[k], link->u[k]);
  *row = pf_expr_dot3(w->ctx, d, v);
  *frame = contact->body;
  if (axes == contact->body) *axis = still_axis(w, d, c);
  return pf_expr_check(w->ctx);
}

/* The row i with all velocities put in that are known: by the link that carries the contact, if that is the same. */
static PfStatus find_row(const Work *w, int i, PfExpr *row)
{
  int frame = 0, axis = -1;
  PfExpr by_link, *v = pf_arena_array(w->arena, PfExpr, w->eq->n);
  if (!v) return pf_no_room(w->ctx, "the kinematics");
  for (int j = 0; j < w->eq->n; j++) v[j] = w->eq->model->coordinates[j].v;
  PF_TRY(pf_expr_substitute(w->ctx, w->eq->velocity + i, 1, v, w->k->v, w->eq->n, row));
  PF_TRY(row_by_link(w, w->eq->model->constraints + i, &by_link, &frame, &axis));
  if (by_link == PF_EXPR_NONE) return PF_OK;
  if (pf_expr_is_probably_zero(w->ctx, pf_expr_sub(w->ctx, *row, by_link), 1) != PF_TRUE) return PF_OK;
  *row = by_link;
  if (axis >= 0) w->still[frame] |= (uint8_t)(1 << axis); /* from when the row is solved */
  return PF_OK;
}

/* v_j = -(the rest of the row)/(its factor), factor by factor. */
static PfStatus solve(const Work *w, int i, int j)
{
  PfContext *ctx = w->ctx;
  PfExpr row, sum = pf_expr_int(ctx, 0), *form = pf_arena_array(w->arena, PfExpr, w->count + 1);
  int own = 0;
  if (!form) return pf_no_room(ctx, "the kinematics");
  PF_TRY(find_row(w, i, &row));
  PF_TRY(pf_links_form(w->links, row, form));
  while (w->unknowns[own] != w->eq->model->coordinates[j].v) own++;
  for (int a = 0; a <= w->count; a++) {
    if (a == own) continue;
    PfExpr factor = pf_expr_simplest(ctx, pf_expr_neg(ctx, pf_expr_div(ctx, form[a], form[own])));
    sum = pf_expr_add(ctx, sum, a < w->count ? pf_expr_mul(ctx, factor, w->unknowns[a]) : factor);
  }
  w->k->v[j] = pf_expr_simplest(ctx, sum);
  pf_links_forget(w->links, w->eq->model->coordinates[j].v);
  return pf_expr_check(ctx);
}

PfStatus pf_tails_solve(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfTails *t, PfKinematics *k)
{
  if (t->count == 0) return PF_OK;
  drop_independent(t, k);
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .count = k->count + t->count};
  w.unknowns = pf_arena_array(arena, PfExpr, w.count);
  w.still = pf_arena_array(arena, uint8_t, eq->model->frame_count);
  if (!w.unknowns || !w.still) return pf_no_room(ctx, "the kinematics");
  memcpy(w.unknowns, k->omega, (size_t)k->count*sizeof *w.unknowns);
  for (int i = 0; i < t->count; i++) {
    PfExpr v = eq->model->coordinates[t->coordinate[i]].v;
    w.unknowns[k->count + i] = k->v[t->coordinate[i]] = v;
  }
  PF_TRY(pf_links_make(ctx, arena, eq->model, k->v, w.unknowns, w.count, w.still, &w.links));
  k->still = w.still;
  for (int i = t->count - 1; i >= 0; i--) PF_TRY(solve(&w, t->row[i], t->coordinate[i]));
  return PF_OK;
}
