/* SPDX-License-Identifier: Apache-2.0 */
/* Poses of all frames and values of vectors along a motion. Each frame is evaluated relative to its parent, and poses
 * are multiplied in numbers: as formulas they would grow with the square of the length of a chain. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

#include "num/rotation.h"

enum { PER_FRAME = 10 }; /* origin, axis, angle; or origin, quaternion */

/* ---------------------------------------------------------------- what moves */

bool pf_places_moves(const PfPlaces *p, PfExpr e)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  return e != PF_EXPR_NONE && pf_expr_depends(p->ctx, e, in->symbol + in->q, p->model->coordinate_count);
}

/* Does the expression depend on anything that changes: coordinates, time, inputs? */
static bool changes(const PfPlaces *p, PfExpr e)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  if (e == PF_EXPR_NONE) return false;
  return pf_places_moves(p, e) || pf_expr_depends(p->ctx, e, &p->model->time, 1) ||
         (p->model->input_count && pf_expr_depends(p->ctx, e, in->symbol + in->inputs, p->model->input_count));
}

PfStatus pf_places_frames(PfPlaces *p, const PfFrame *extra)
{
  int count = p->model->frame_count;
  p->frame_count = count + (extra != NULL);
  PF_TRY(pf_arrays(p->ctx, p->arena, "the scene", PF_ROOM(p->frames, p->frame_count), PF_ROOM(p->moves, p->frame_count),
                   PF_ROOM(p->local, p->frame_count), PF_ROOM(p->world, p->frame_count)));
  if (count) memcpy(p->frames, p->model->frames, (size_t)count*sizeof *p->frames);
  if (extra) p->frames[count] = *extra;
  for (int i = 1; i < p->frame_count; i++) {
    const PfFrame *f = p->frames + i;
    p->moves[i] = f->quaternion[0] != PF_EXPR_NONE || changes(p, f->angle) || changes(p, f->origin[0]) ||
                  changes(p, f->origin[1]) || changes(p, f->origin[2]);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- reading */

PfStatus pf_places_open(PfPlaces *p, const PfVector *vectors, int count)
{
  int k = p->frame_count*PER_FRAME, total = k;
  for (int i = 0; i < count; i++) total += vectors[i].count > 0 ? 3*vectors[i].count : 0;
  const PfModel *model = p->model;
  const PfExpr zero = pf_expr_int(p->ctx, 0);
  const PfEquations *eq = pf_system_equations(pf_sim_complete_system(p->sim));
  PfExpr *list = pf_arena_array(p->arena, PfExpr, total);
  p->vector_count = count;
  p->vectors = pf_arena_array(p->arena, PfVector, count);
  p->vector = pf_arena_alloc(p->arena, (size_t)count, sizeof *p->vector);
  p->numbers = pf_arena_array(p->arena, double, total);
  p->zero = pf_arena_array(p->arena, double, eq->n + eq->m + 1);
  p->inputs = pf_arena_array(p->arena, int, model->input_count);
  p->input = pf_arena_array(p->arena, double, model->input_count);
  if (!list || !p->vectors || !p->vector || !p->numbers || !p->zero || !p->inputs || !p->input)
    return pf_no_room(p->ctx, "the scene");
  if (count) memcpy(p->vectors, vectors, (size_t)count*sizeof *vectors);
  for (int i = 0; i < p->frame_count; i++) {
    const PfFrame *f = p->frames + i;
    const bool quaternion = f->quaternion[0] != PF_EXPR_NONE, angle = f->angle != PF_EXPR_NONE;
    PfExpr *e = list + (size_t)i*PER_FRAME;
    for (int j = 0; j < PER_FRAME; j++) e[j] = zero; /* also origins that are none */
    for (int j = 0; j < 3; j++)
      if (f->origin[j] != PF_EXPR_NONE) e[j] = f->origin[j];
    if (quaternion) memcpy(e + 3, f->quaternion, sizeof f->quaternion);
    if (angle) memcpy(e + 3, f->axis, sizeof f->axis);
    if (angle) e[6] = f->angle;
  }
  for (int i = 0; i < count; i++)
    for (int j = 0; j < vectors[i].count; j++, k += 3) memcpy(list + k, vectors[i].part[j].c, 3*sizeof *list);
  PF_TRY(pf_expr_check(p->ctx));
  for (int i = 0; i < model->input_count; i++)
    p->inputs[i] = model->inputs[i].value == PF_EXPR_NONE ? pf_sim_find(p->sim, model->inputs[i].name) : -1;
  return pf_readings_new(p->ctx, pf_sim_complete_system(p->sim), pf_sim_complete_values(p->sim), list, total,
                         &p->readings);
}

void pf_places_close(PfPlaces *p)
{
  pf_readings_free(p->readings);
  p->readings = NULL;
}

/* Parents come before their children, so that one pass gives all world poses. */
bool pf_places_read_at(PfPlaces *p, const PfSample *sample)
{
  pf_readings_evaluate(p->readings, sample, p->numbers);
  p->local[0] = p->world[0] = pf_pose_identity();
  for (int k = 1; k < p->frame_count; k++) {
    const double *n = p->numbers + (size_t)k*PER_FRAME;
    const PfFrame *f = p->frames + k;
    PfPose *pose = p->local + k;
    *pose = pf_pose_identity();
    memcpy(pose->p, n, sizeof pose->p);
    if (f->quaternion[0] != PF_EXPR_NONE) pf_quat_rotation(n + 3, pose->R);
    else if (f->angle != PF_EXPR_NONE) pf_rotation_about(n + 3, n[6], pose->R);
    p->world[k] = pf_pose_times(p->world + p->frames[k].parent, p->local + k);
  }
  const double *c = p->numbers + (size_t)p->frame_count*PER_FRAME;
  for (int i = 0; i < p->vector_count; i++) {
    const PfVector *v = p->vectors + i;
    memset(p->vector[i], 0, sizeof p->vector[i]);
    for (int k = 0; k < v->count; k++, c += 3) {
      double part[3];
      pf_pose_direction(p->world + v->part[k].frame, c, part);
      for (int j = 0; j < 3; j++) p->vector[i][j] += part[j];
    }
  }
  for (int k = 0; k < p->frame_count; k++)
    for (int i = 0; i < 3; i++)
      if (!isfinite(p->world[k].p[i])) return false;
  return true;
}

/* Before the simulation moves, its start is the sample: there are no accelerations then, and none are needed. */
bool pf_places_read(PfPlaces *p)
{
  const PfSample *now = pf_sim_sample(p->sim);
  PfSample start;
  if (!now) {
    const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
    const double *values = pf_sim_complete_values(p->sim);
    start = (PfSample){.t = values[in->time], .q = values + in->q, .v = values + in->v, .a = p->zero,
                      .multiplier = p->zero};
    if (pf_sim_time(p->sim) != start.t) return false;
    now = &start;
  }
  for (int i = 0; i < p->model->input_count; i++)
    p->input[i] = p->inputs[i] >= 0 ? pf_sim_get(p->sim, p->inputs[i]) : 0;
  if (now != &start && p->model->input_count) pf_readings_set_inputs(p->readings, p->input);
  return pf_places_read_at(p, now);
}

PfStatus pf_places_values(const PfPlaces *p, const PfExpr *e, int count, double *out)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  PF_TRY(pf_expr_check(p->ctx));
  return count ? pf_expr_evaluate(p->ctx, e, count, in->symbol, pf_sim_complete_values(p->sim), in->count, out) : PF_OK;
}
