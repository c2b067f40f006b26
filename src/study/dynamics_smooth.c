/* SPDX-License-Identifier: Apache-2.0 */
/* Points where a derivative does not exist: where one of the arguments that decide in abs, sign, min, max and
 * conditions is zero, and the equations or their derivatives there are others than close by on a side of it. x*abs(x)
 * has a derivative at 0, abs(x) has none. */
#include "study/dynamics.h"

#include <math.h>
#include <string.h>

/* What must not vanish for the node to be smooth, or PF_EXPR_NONE. */
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
  d->g = pf_arena_array(f->arena, PfExpr, count), d->size = pf_arena_array(f->arena, double, count);
  if (!d->g || !d->size) return pf_no_room(f->ctx, "the vector field");
  for (int i = 0; i < count; i++) {
    PfExpr g = decider(f->ctx, nodes[i]);
    bool known = g == PF_EXPR_NONE;
    for (int k = 0; k < d->count && !known; k++) known = d->g[k] == g;
    if (known) continue;
    d->size[d->count] = pf_dynamics_usual_size(f, g);
    d->g[d->count++] = g;
  }
  return pf_expr_check(f->ctx);
}

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

static PfStatus make_sides(PfDynamics *f, PfArena *arena, Sides *s)
{
  size_t count = (size_t)f->count, roots = (size_t)f->root_count;
  *s = (Sides){.full = pf_arena_array(arena, double, count), .normal = pf_arena_array(arena, double, count),
               .seed = pf_arena_array(arena, double, count), .here = pf_arena_array(arena, double, 2*roots),
               .near = pf_arena_array(arena, double, 2*roots)};
  if (!s->full || !s->normal || !s->seed || !s->here || !s->near) return pf_no_room(f->ctx, "the vector field");
  memcpy(s->full, f->full, count*sizeof *s->full);
  for (int i = 0; i < f->count; i++) s->seed[i] = moves(f, i) ? 1 + 0.5*sin(12.9898*(i + 1)) : 0;
  return PF_OK;
}

static PfStatus take_normal(PfDynamics *f, PfArena *arena, PfExpr g, double *normal, bool *any)
{
  PfExpr *slope = pf_arena_array(arena, PfExpr, f->count);
  if (!slope) return pf_no_room(f->ctx, "the vector field");
  PF_TRY(pf_expr_gradient(f->ctx, g, f->symbol, f->count, slope));
  PF_TRY(pf_expr_evaluate(f->ctx, slope, f->count, f->symbol, f->full, f->count, normal));
  for (int i = 0; i < f->count; i++)
    if (!moves(f, i) || !isfinite(normal[i])) normal[i] = 0;
  const double most = pf_largest(normal, f->count);
  for (int i = 0; i < f->count && most > 0; i++) normal[i] /= most;
  *any = most > 0;
  return PF_OK;
}

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
  Sides s;
  size_t width = 2*(size_t)f->root_count;
  double *full = pf_arena_array(arena, double, f->count), *far = pf_arena_array(arena, double, width);
  double *near = pf_arena_array(arena, double, width);
  bool any = false;
  if (!full || !far || !near) return pf_no_room(f->ctx, "the vector field");
  PF_TRY(make_sides(f, arena, &s));
  PF_TRY(take_normal(f, arena, g, s.normal, &any));
  if (!any) return PF_OK;
  PF_TRY(evaluate(f, s.full, s.seed, s.here));
  PF_TRY(differ(f, &s, step[0], full, far));
  PF_TRY(differ(f, &s, step[1], full, near));
  for (int i = 0; i < (int)width; i++)
    if (!isfinite(s.here[i]) || !isfinite(near[i]) || (near[i] > 1e-9*(1 + fabs(s.here[i])) && near[i] > 0.3*far[i]))
      bent[i%f->root_count] = true;
  return PF_OK;
}

/* ---------------------------------------------------------------- the check */

/* mark_bent for the k-th argument that decides, if it is zero here; `bent` (root_count) is cleared before. */
static PfStatus look_at(PfDynamics *f, PfArena *scratch, const PfDeciders *d, int k, bool *bent)
{
  bool on;
  memset(bent, 0, (size_t)f->root_count*sizeof *bent);
  PF_TRY(is_on(f, d, k, &on));
  if (!on) return PF_OK;
  PfMark mark = pf_arena_mark(scratch);
  PfStatus status = mark_bent(f, scratch, d->g[k], bent);
  pf_arena_release(scratch, mark);
  return status;
}

/* The first argument at which one of the equations bends. */
static PfStatus find_kink(PfDynamics *f, PfArena *scratch, bool *bent, PfExpr *kink)
{
  for (int k = 0; k < f->decides.count && *kink == PF_EXPR_NONE; k++) {
    PF_TRY(look_at(f, scratch, &f->decides, k, bent));
    for (int i = 0; i < f->at_out; i++)
      if (bent[i]) *kink = f->decides.g[k];
  }
  return PF_OK;
}

static PfStatus find_bent_outputs(PfDynamics *f, PfArena *scratch, bool *bent, bool *outputs)
{
  for (int k = 0; k < f->output_decides.count; k++) {
    PF_TRY(look_at(f, scratch, &f->output_decides, k, bent));
    for (int i = 0; i < f->no; i++) outputs[i] = outputs[i] || bent[f->at_out + i];
  }
  return PF_OK;
}

/* What is looked for: a kink of the equations, or (not NULL) the outputs that have one. */
typedef struct Sought {
  PfExpr kink;
  bool *outputs;
} Sought;

static PfStatus look(PfDynamics *f, Sought *sought)
{
  PfArena *scratch = pf_arena_new(pf_context_allocator(f->ctx));
  bool *bent = scratch ? pf_arena_array(scratch, bool, f->root_count) : NULL;
  PfStatus status = !bent             ? pf_no_room(f->ctx, "the vector field")
                    : sought->outputs ? find_bent_outputs(f, scratch, bent, sought->outputs)
                                      : find_kink(f, scratch, bent, &sought->kink);
  pf_arena_free(scratch);
  return status;
}

PfStatus pf_dynamics_kink(PfDynamics *f, PfArena *arena, const char **text)
{
  Sought sought = {PF_EXPR_NONE, NULL};
  *text = NULL;
  PF_TRY(pf_dynamics_deciders(f));
  if (f->decides.count) PF_TRY(look(f, &sought));
  if (sought.kink == PF_EXPR_NONE) return PF_OK;
  *text = pf_expr_print(f->ctx, arena, sought.kink, PF_TEXT);
  return *text ? PF_OK : pf_no_room(f->ctx, "the vector field");
}

PfStatus pf_dynamics_bent_outputs(PfDynamics *f, bool *bent)
{
  Sought sought = {PF_EXPR_NONE, bent};
  for (int i = 0; i < f->no; i++) bent[i] = false;
  PF_TRY(pf_dynamics_deciders(f));
  return f->output_decides.count ? look(f, &sought) : PF_OK;
}

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
