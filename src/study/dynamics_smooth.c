/* SPDX-License-Identifier: Apache-2.0 */
/* Points where a derivative does not exist: where one of the arguments that decide in abs, sign, min, max and
 * conditions is zero, and the equations or their derivatives there are others than close by on a side of it. x*abs(x)
 * has a derivative at 0, abs(x) has none. */
#include "study/dynamics.h"

#include <math.h>
#include <string.h>

/* The expression that must not vanish for the node to be smooth, or PF_EXPR_NONE. */
static PfExpr decider(PfContext *ctx, PfExpr e)
{
  switch (pf_expr_op(ctx, e)) {
  case PF_OP_ABS:
  case PF_OP_SIGN: return pf_expr_arg(ctx, e, 0);
  case PF_OP_MIN:
  case PF_OP_MAX:
  case PF_OP_LESS:
  case PF_OP_LESS_EQUAL:
  case PF_OP_EQUAL: return pf_expr_sub(ctx, pf_expr_arg(ctx, e, 0), pf_expr_arg(ctx, e, 1));
  default: return PF_EXPR_NONE;
  }
}

/* Symbols that change along a motion: time, state, accelerations, multipliers. */
static bool moves(const PfDynamics *f, int symbol)
{
  const int first[] = {pf_system_symbols(f->system)->time, f->at_q, f->at_w, f->at_a, f->at_lambda};
  const int count[] = {1, f->n, f->nw, f->nw, f->m};
  for (int k = 0; k < 5; k++)
    if (symbol >= first[k] && symbol < first[k] + count[k]) return true;
  return false;
}

/* The deciders of these roots, each once. */
static PfStatus collect(PfDynamics *f, PfArena *scratch, const PfExpr *roots, int root_count, PfDeciders *d)
{
  PfExpr *nodes;
  int count;
  PF_TRY(pf_expr_reach(f->ctx, scratch, roots, root_count, &nodes, &count));
  PF_TRY(pf_arrays(f->ctx, f->arena, "the vector field", PF_ROOM(d->g, count), PF_ROOM(d->size, count)));
  for (int i = 0; i < count; i++) {
    PfExpr g = decider(f->ctx, nodes[i]);
    bool known = g == PF_EXPR_NONE;
    for (int k = 0; k < d->count && !known; k++) known = d->g[k] == g;
    if (known) continue;
    d->size[d->count] = pf_dynamics_typical_size(f, g);
    d->g[d->count++] = g;
  }
  return pf_expr_check(f->ctx);
}

/* All nodes of the equations and of the outputs are looked at once; the lists are in the arena of the field. */
PfStatus pf_dynamics_deciders(PfDynamics *f)
{
  if (f->decides.g) return PF_OK;
  PfArena *scratch = pf_arena_new(pf_context_allocator(f->ctx));
  if (!scratch) return pf_no_room(f->ctx, "the vector field");
  PfStatus status = collect(f, scratch, f->roots, f->at_out, &f->decides);
  if (status == PF_OK) status = collect(f, scratch, f->roots + f->at_out, f->no, &f->output_decides);
  pf_arena_free(scratch);
  return status;
}

/* Is the decider zero where the field is? */
static PfStatus is_on(PfDynamics *f, const PfDeciders *d, int k, bool *on)
{
  double value;
  PF_TRY(pf_expr_evaluate(f->ctx, d->g + k, 1, f->symbol, f->full, f->count, &value));
  *on = fabs(value) <= 1e-10*d->size[k];
  return PF_OK;
}

/* `deciding` has a mark for each of the symbols of the field. */
PfStatus pf_dynamics_deciding(PfDynamics *f, bool *deciding)
{
  memset(deciding, 0, (size_t)f->count*sizeof *deciding);
  PF_TRY(pf_dynamics_deciders(f));
  for (int k = 0; k < f->decides.count; k++) {
    bool on;
    PF_TRY(is_on(f, &f->decides, k, &on));
    for (int i = 0; i < f->count && on; i++)
      deciding[i] = deciding[i] || pf_expr_depends(f->ctx, f->decides.g[k], f->symbol + i, 1);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- both sides */

/* Values of the roots and of their derivative along a direction, here and near by. */
typedef struct Sides {
  double *full;            /* all numbers here */
  double *normal;          /* of the surface, the largest component 1 */
  double *seed;            /* an arbitrary direction */
  double *here, *near;     /* 2 roots each: values, derivatives */
} Sides;

/* Values and derivatives of the roots where the numbers are. */
static PfStatus evaluate(PfDynamics *f, const double *full, const double *seed, double *out)
{
  size_t count = (size_t)f->count;
  PF_TRY(pf_expr_evaluate(f->ctx, f->roots, f->root_count, f->symbol, full, f->count, out));
  memcpy(f->seeds, full, count*sizeof *full);
  memcpy(f->seeds + count, seed, count*sizeof *seed);
  pf_tape_run(f->first, f->seeds, out + f->root_count, f->work);
  return PF_OK;
}

/* How much each root and each derivative differs at this distance on both sides, in parts of its size. */
static PfStatus differ(PfDynamics *f, const Sides *s, double step, double *full, double *difference)
{
  memset(difference, 0, 2*(size_t)f->root_count*sizeof *difference);
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < f->count; i++) full[i] = s->full[i] + side*step*s->normal[i]*fmax(1, fabs(s->full[i]));
    PF_TRY(evaluate(f, full, s->seed, s->near));
    for (int i = 0; i < 2*f->root_count; i++) {
      const double d = fabs(s->near[i] - s->here[i]);
      difference[i] = isfinite(d) ? fmax(difference[i], d) : INFINITY;
    }
  }
  return PF_OK;
}

/* Marks the roots with a difference between both sides of g that does not become small with the distance: in their
 * values or in their derivatives. */
static PfStatus mark_bent(PfDynamics *f, PfArena *arena, PfExpr g, bool *bent)
{
  static const double step[2] = {1e-5, 1e-7};
  const int count = f->count, width = 2*f->root_count;
  Sides s;
  double *full, *far, *near;
  PfExpr *slope;
  PF_TRY(pf_arrays(f->ctx, arena, "the vector field", PF_ROOM(full, count), PF_ROOM(far, width), PF_ROOM(near, width),
                   PF_ROOM(s.full, count), PF_ROOM(s.normal, count), PF_ROOM(s.seed, count), PF_ROOM(s.here, width),
                   PF_ROOM(s.near, width), PF_ROOM(slope, count)));
  memcpy(s.full, f->full, (size_t)count*sizeof *s.full);
  for (int i = 0; i < count; i++) s.seed[i] = moves(f, i) ? 1 + 0.5*sin(12.9898*(i + 1)) : 0;
  PF_TRY(pf_expr_gradient(f->ctx, g, f->symbol, count, slope));
  PF_TRY(pf_expr_evaluate(f->ctx, slope, count, f->symbol, f->full, count, s.normal));
  for (int i = 0; i < count; i++)
    if (!moves(f, i) || !isfinite(s.normal[i])) s.normal[i] = 0;
  const double most = pf_largest(s.normal, count);
  if (!(most > 0)) return PF_OK;
  for (int i = 0; i < count; i++) s.normal[i] /= most;
  PF_TRY(evaluate(f, s.full, s.seed, s.here));
  PF_TRY(differ(f, &s, step[0], full, far));
  PF_TRY(differ(f, &s, step[1], full, near));
  for (int i = 0; i < width; i++)
    if (!isfinite(s.here[i]) || !isfinite(near[i]) || (near[i] > 1e-9*(1 + fabs(s.here[i])) && near[i] > 0.3*far[i]))
      bent[i%f->root_count] = true;
  return PF_OK;
}

/* Which of `count` roots, from `first` on, bend at one of the arguments that decide, where it is zero here? They are
 * marked in `marks`, unless that is NULL. *which: the first such argument, or -1; without marks none is looked at after
 * it. */
static PfStatus find_bent(PfDynamics *f, const PfDeciders *d, int first, int count, bool *marks, int *which)
{
  PfArena *scratch = pf_arena_new(pf_context_allocator(f->ctx));
  bool *bent = scratch ? pf_arena_array(scratch, bool, f->root_count) : NULL, on = false;
  PfStatus status = bent ? PF_OK : pf_no_room(f->ctx, "the vector field");
  *which = -1;
  for (int k = 0; k < d->count && status == PF_OK && (marks || *which < 0); k++) {
    PfMark mark = pf_arena_mark(scratch);
    memset(bent, 0, (size_t)f->root_count*sizeof *bent);
    status = is_on(f, d, k, &on);
    if (status == PF_OK && on) status = mark_bent(f, scratch, d->g[k], bent);
    pf_arena_release(scratch, mark);
    for (int i = 0; i < count && status == PF_OK; i++) {
      if (!bent[first + i]) continue;
      if (*which < 0) *which = k;
      if (marks) marks[i] = true;
    }
  }
  pf_arena_free(scratch);
  return status;
}

/* ---------------------------------------------------------------- the check */

/* The first of them, in the order of the expressions. */
PfStatus pf_dynamics_kink(PfDynamics *f, PfArena *arena, const char **text)
{
  int which = -1;
  *text = NULL;
  PF_TRY(pf_dynamics_deciders(f));
  if (f->decides.count) PF_TRY(find_bent(f, &f->decides, 0, f->at_out, NULL, &which));
  if (which < 0) return PF_OK;
  *text = pf_expr_print(f->ctx, arena, f->decides.g[which], PF_TEXT);
  return *text ? PF_OK : pf_no_room(f->ctx, "the vector field");
}

/* The rows of these outputs in a linear model have no values. */
PfStatus pf_dynamics_bent_outputs(PfDynamics *f, bool *bent)
{
  int which;
  for (int i = 0; i < f->no; i++) bent[i] = false;
  PF_TRY(pf_dynamics_deciders(f));
  return f->output_decides.count ? find_bent(f, &f->output_decides, f->at_out, f->no, bent, &which) : PF_OK;
}

/* With the expression in the message, and a hint. */
PfStatus pf_dynamics_check_smooth(PfDynamics *f)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(f->ctx));
  const char *text;
  if (!arena) return pf_no_room(f->ctx, "the vector field");
  PfStatus status = pf_dynamics_kink(f, arena, &text);
  if (status == PF_OK && text) {
    status = pf_fail(f->ctx, PF_ERR_NUMBER, "the equations have a kink here: %s = 0", text);
    pf_hint(f->ctx, "a linear model exists on either side of it only: give a state beside it, or smooth the model");
  }
  pf_arena_free(arena);
  return status;
}
