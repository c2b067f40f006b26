/* SPDX-License-Identifier: Apache-2.0 */
/* Where frames and vectors are, in numbers. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

#include "num/rotation.h"

enum { PER_FRAME = 10 }; /* origin, axis, angle; or origin, quaternion */

/* ---------------------------------------------------------------- what moves */

static bool depends(const PfPlaces *p, PfExpr e)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  if (e == PF_EXPR_NONE) return false;
  return pf_expr_depends(p->ctx, e, in->symbol + in->q, p->model->coordinate_count) ||
         pf_expr_depends(p->ctx, e, &p->model->time, 1) ||
         (p->model->input_count && pf_expr_depends(p->ctx, e, in->symbol + in->inputs, p->model->input_count));
}

static bool moves(const PfPlaces *p, const PfFrame *f)
{
  if (f->quaternion[0] != PF_EXPR_NONE || depends(p, f->angle)) return true;
  return depends(p, f->origin[0]) || depends(p, f->origin[1]) || depends(p, f->origin[2]);
}

PfStatus pf_places_frames(PfPlaces *p, const PfFrame *extra)
{
  int count = p->model->frame_count;
  p->frame_count = count + (extra != NULL);
  p->frames = pf_arena_array(p->arena, PfFrame, p->frame_count);
  p->moves = pf_arena_array(p->arena, bool, p->frame_count);
  p->local = pf_arena_array(p->arena, PfPose, p->frame_count);
  p->world = pf_arena_array(p->arena, PfPose, p->frame_count);
  if (!p->frames || !p->moves || !p->local || !p->world) return pf_no_room(p->ctx, "the scene");
  if (count) memcpy(p->frames, p->model->frames, (size_t)count*sizeof *p->frames);
  if (extra) p->frames[count] = *extra;
  for (int i = 1; i < p->frame_count; i++) p->moves[i] = moves(p, p->frames + i);
  return PF_OK;
}

/* ---------------------------------------------------------------- reading */

/* What is asked of a frame; what it has not, is 0. */
static void list_frame(const PfPlaces *p, const PfFrame *f, PfExpr list[PER_FRAME])
{
  PfExpr zero = pf_expr_int(p->ctx, 0);
  bool quaternion = f->quaternion[0] != PF_EXPR_NONE, angle = f->angle != PF_EXPR_NONE;
  for (int i = 0; i < 3; i++) list[i] = f->origin[i] == PF_EXPR_NONE ? zero : f->origin[i];
  for (int i = 0; i < 4; i++) list[3 + i] = quaternion ? f->quaternion[i] : zero;
  for (int i = 0; i < 3 && angle; i++) list[3 + i] = f->axis[i];
  if (angle) list[6] = f->angle;
  for (int i = 7; i < PER_FRAME; i++) list[i] = zero;
}

static void place(const PfPlaces *p, int k, const double *n)
{
  const PfFrame *f = p->frames + k;
  PfPose *pose = p->local + k;
  *pose = pf_pose_identity();
  memcpy(pose->p, n, sizeof pose->p);
  if (f->quaternion[0] != PF_EXPR_NONE) pf_quat_rotation(n + 3, pose->R);
  else if (f->angle != PF_EXPR_NONE) pf_rotation_about(n + 3, n[6], pose->R);
}

/* Parents come before their children. */
static void put_together(PfPlaces *p)
{
  p->local[0] = p->world[0] = pf_pose_identity();
  for (int k = 1; k < p->frame_count; k++) {
    place(p, k, p->numbers + (size_t)k*PER_FRAME);
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
}

static int count_parts(const PfVector *vectors, int count)
{
  int parts = 0;
  for (int i = 0; i < count; i++) parts += vectors[i].count > 0 ? vectors[i].count : 0;
  return parts;
}

static PfStatus find_inputs(PfPlaces *p)
{
  const PfModel *model = p->model;
  p->inputs = pf_arena_array(p->arena, int, model->input_count);
  p->input = pf_arena_array(p->arena, double, model->input_count);
  if (!p->inputs || !p->input) return pf_no_room(p->ctx, "the scene");
  for (int i = 0; i < model->input_count; i++)
    p->inputs[i] = model->inputs[i].value == PF_EXPR_NONE ? pf_sim_find(p->sim, model->inputs[i].name) : -1;
  return PF_OK;
}

PfStatus pf_places_open(PfPlaces *p, const PfVector *vectors, int count)
{
  int parts = count_parts(vectors, count), total = p->frame_count*PER_FRAME + 3*parts, k = p->frame_count*PER_FRAME;
  const PfEquations *eq = pf_system_equations(pf_sim_complete_system(p->sim));
  PfExpr *list = pf_arena_array(p->arena, PfExpr, total);
  p->vector_count = count;
  p->vectors = pf_arena_array(p->arena, PfVector, count);
  p->vector = pf_arena_alloc(p->arena, (size_t)count, sizeof *p->vector);
  p->numbers = pf_arena_array(p->arena, double, total);
  p->zero = pf_arena_array(p->arena, double, eq->n + eq->m + 1);
  if (!list || !p->vectors || !p->vector || !p->numbers || !p->zero) return pf_no_room(p->ctx, "the scene");
  if (count) memcpy(p->vectors, vectors, (size_t)count*sizeof *vectors);
  for (int i = 0; i < p->frame_count; i++) list_frame(p, p->frames + i, list + (size_t)i*PER_FRAME);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < vectors[i].count; j++, k += 3) memcpy(list + k, vectors[i].part[j].c, 3*sizeof *list);
  PF_TRY(pf_expr_check(p->ctx));
  PF_TRY(find_inputs(p));
  return pf_readings_new(p->ctx, pf_sim_complete_system(p->sim), pf_sim_complete_values(p->sim), list, total,
                         &p->readings);
}

void pf_places_close(PfPlaces *p)
{
  pf_readings_free(p->readings);
  p->readings = NULL;
}

/* The state at the start as a sample: before it moves, there are no accelerations, and none are needed. */
static PfSample start_sample(const PfPlaces *p)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  const double *values = pf_sim_complete_values(p->sim);
  return (PfSample){.t = values[in->time], .q = values + in->q, .v = values + in->v, .a = p->zero,
                    .multiplier = p->zero};
}

/* Where everything is in the sample. */
static bool take(PfPlaces *p, const PfSample *sample)
{
  pf_readings_take(p->readings, sample, p->numbers);
  put_together(p);
  for (int k = 0; k < p->frame_count; k++)
    for (int i = 0; i < 3; i++)
      if (!isfinite(p->world[k].p[i])) return false;
  return true;
}

bool pf_places_read_at(PfPlaces *p, const PfSample *sample)
{
  return take(p, sample);
}

bool pf_places_read(PfPlaces *p)
{
  const PfSample *now = pf_sim_sample(p->sim);
  PfSample start;
  if (!now) {
    start = start_sample(p);
    if (pf_sim_time(p->sim) != start.t) return false;
    now = &start;
  }
  for (int i = 0; i < p->model->input_count; i++)
    p->input[i] = p->inputs[i] >= 0 ? pf_sim_get(p->sim, p->inputs[i]) : 0;
  if (now != &start && p->model->input_count) pf_readings_set_inputs(p->readings, p->input);
  return take(p, now);
}

PfStatus pf_places_values(const PfPlaces *p, const PfExpr *e, int count, double *out)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  PF_TRY(pf_expr_check(p->ctx));
  return count ? pf_expr_evaluate(p->ctx, e, count, in->symbol, pf_sim_complete_values(p->sim), in->count, out) : PF_OK;
}
