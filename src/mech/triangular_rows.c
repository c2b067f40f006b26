/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints that can be solved one after another, each for a velocity that no earlier one contains: the blades of
 * trailers, a wheel that only follows. Such a row is set aside before the others are solved, outermost first, and put
 * back innermost first: by then the velocity of the link that carries the contact is a short formula, and so is what is
 * left of the constraint. The same rows written in coordinates have sums of all angles up to the ground in them, and
 * grow with the square of the length of the chain. */
#include "mech/links.h"
#include "mech/triangular_rows.h"

#include <string.h>

/* ---------------------------------------------------------------- cutting off */

/* Rates of wheels that only spin are good pseudo-velocities, as the bodies that they turn are round: they are solved
 * for last. */
PfStatus pf_triangular_rows_find(PfContext *ctx, PfArena *arena, const PfSamplePoint *sample, const PfEquations *eq,
                                 PfExpr *rows, PfExpr *free, PfTriangularRows *t)
{
  int n = eq->n;
  bool *spins = pf_arena_array(arena, bool, n), *cut = pf_arena_array(arena, bool, eq->m);
  *t = (PfTriangularRows){.row = pf_arena_array(arena, int, eq->m), .coordinate = pf_arena_array(arena, int, eq->m),
                          .left = pf_arena_array(arena, int, eq->m)};
  if (!spins || !cut || !t->row || !t->coordinate || !t->left) return pf_no_room(ctx, "the kinematics");
  /* Rates of wheels that only spin are good pseudo-velocities: the bodies they turn are round. */
  const PfModel *model = eq->model;
  bool *used, *round;
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(used, model->frame_count),
                   PF_ROOM(round, model->frame_count)));
  pf_frames_used(model, used);
  pf_frames_round(model, used, round);
  for (int f = 1; f < model->frame_count; f++)
    for (int j = 0; round[f] && j < model->coordinate_count; j++)
      spins[j] = spins[j] || pf_expr_depends(ctx, model->frames[f].angle, &model->coordinates[j].q, 1);
  /* Cuts off what can be: rows that are the only one left with some velocity, by a constant factor; spins of
   * wheels only where there are many rows. */
  enum { FEW_ROWS = 8 };
  for (bool any = true; any;) {
    any = false;
    for (int pass = 0; pass < 2 && !any; pass++)
      for (int j = eq->n - 1; j >= 0; j--) {
        int with = 0, row = -1;
        if (spins[j] && (pass == 0 || eq->m - t->count <= FEW_ROWS)) continue;
        for (int i = 0; i < eq->m && with < 2; i++)
          if (!cut[i] && !pf_expr_is_structural_zero(ctx, rows[i*eq->n + j])) row = i, with++;
        if (with != 1 || eq->model->constraints[row].kind != PF_PFAFFIAN) continue;
        if (!pf_sample_is_constant(ctx, sample, rows[row*eq->n + j])) continue;
        cut[row] = any = true;
        t->row[t->count] = row;
        t->coordinate[t->count++] = j;
      }
  }
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

/* The row as the velocity of the point of contact along a direction, d.(u + w x c), of a frame that moves on the
 * ground; PF_EXPR_NONE where it belongs to no such contact. The contact is the one whose force has the multiplier in
 * it, and d is the force of that multiplier. *axis: the axis of the frame along which the row holds its origin still:
 * d is that axis, and the contact is the origin; or -1. */
static PfStatus row_by_link(const Work *w, const PfConstraint *constraint, PfExpr *row, int *frame, int *axis)
{
  PfContext *ctx = w->ctx;
  const PfModel *model = w->eq->model;
  const PfContact *contact = NULL;
  const PfExpr multiplier = constraint->multiplier;
  const PfLink *link;
  PfExpr c[3], d[3], v[3];
  *row = PF_EXPR_NONE;
  *axis = -1;
  for (int i = 0; i < model->contact_count && !contact; i++)
    for (int p = 0; p < model->contacts[i].force.count; p++)
      for (int k = 0; k < 3; k++)
        if (pf_expr_depends(ctx, model->contacts[i].force.part[p].c[k], &multiplier, 1)) contact = model->contacts + i;
  if (!contact || contact->support != 0) return PF_OK;
  PF_TRY(pf_links_reach(w->links, contact->body, &link));
  int axes = pf_links_axes(w->links, contact->body);
  PfVector origin = pf_frame_position(model, contact->body), direction = pf_vector_zero();
  PfVector arm = pf_vector_add(model, contact->point, pf_vector_scale(model, origin, pf_expr_int(ctx, -1)));
  pf_vector_express(model, arm, axes, c);
  for (int p = 0; p < contact->force.count; p++) {
    const PfVectorPart *part = contact->force.part + p;
    for (int k = 0; k < 3; k++) d[k] = pf_expr_diff(ctx, part->c[k], multiplier);
    direction = pf_vector_add(model, direction, pf_vector_make(model, part->frame, d));
  }
  pf_vector_express(model, direction, axes, d);
  pf_expr_cross3(ctx, link->w, c, v);
  for (int k = 0; k < 3; k++) v[k] = pf_expr_add(ctx, v[k], link->u[k]);
  *row = pf_expr_dot3(ctx, d, v);
  *frame = contact->body;
  int along = 0;
  bool still = axes == contact->body;
  for (int k = 0; k < 3; k++) {
    still = still && pf_expr_is_structural_zero(ctx, c[k]);
    if (pf_expr_is_structural_zero(ctx, d[k])) continue;
    still = still && !along++ && pf_expr_is_int(ctx, d[k], 1);
    *axis = k;
  }
  if (!still) *axis = -1;
  return pf_expr_check(ctx);
}

/* v_j = -(the rest of the row)/(its factor), factor by factor. The row i has all velocities put in that are known; it
 * is written by the link that carries the contact, if that is the same. */
static PfStatus solve(const Work *w, int i, int j)
{
  PfContext *ctx = w->ctx;
  const PfModel *model = w->eq->model;
  PfExpr row, by_link, sum = pf_expr_int(ctx, 0), *form;
  int own = 0, frame = 0, axis = -1;
  PF_TRY(pf_arrays(ctx, w->arena, "the kinematics", PF_ROOM(form, w->count + 1)));
  PF_TRY(pf_put_velocities(model, w->k->v, w->eq->velocity + i, 1, &row));
  PF_TRY(row_by_link(w, model->constraints + i, &by_link, &frame, &axis));
  if (by_link != PF_EXPR_NONE && pf_expr_is_probably_zero(ctx, pf_expr_sub(ctx, row, by_link), 1) == PF_TRUE) {
    row = by_link;
    if (axis >= 0) w->still[frame] |= (uint8_t)(1 << axis); /* from when the row is solved */
  }
  PF_TRY(pf_links_form(w->links, row, form));
  while (w->unknowns[own] != model->coordinates[j].v) own++;
  for (int a = 0; a <= w->count; a++) {
    if (a == own) continue;
    PfExpr factor = pf_expr_simplest(ctx, pf_expr_neg(ctx, pf_expr_div(ctx, form[a], form[own])));
    sum = pf_expr_add(ctx, sum, a < w->count ? pf_expr_mul(ctx, factor, w->unknowns[a]) : factor);
  }
  w->k->v[j] = pf_expr_simplest(ctx, sum);
  pf_links_forget(w->links, model->coordinates[j].v);
  return pf_expr_check(ctx);
}

/* The velocities that were cut off are no pseudo-velocities any more; each becomes a formula, the last one first. */
PfStatus pf_triangular_rows_solve(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfTriangularRows *t,
                                  PfKinematics *k)
{
  if (t->count == 0) return PF_OK;
  /* The velocities that were cut off are not pseudo-velocities. */
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
  Work w = {.ctx = ctx, .arena = arena, .eq = eq, .k = k, .count = k->count + t->count};
  PF_TRY(pf_arrays(ctx, arena, "the kinematics", PF_ROOM(w.unknowns, w.count),
                   PF_ROOM(w.still, eq->model->frame_count)));
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
