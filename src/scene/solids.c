/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames belong together, and by which joints the solids hang on each other. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

/* A frame that the user named, or that does not move against such a one. The rest stands in the middle of joints. */
static bool is_named(const PfPlaces *p, int frame)
{
  return frame == 0 || p->frames[frame].name[0];
}

/* The frame that moves and carries this one. */
static int carrier(const PfPlaces *p, int frame)
{
  while (frame && !p->moves[frame]) frame = p->frames[frame].parent;
  return frame;
}

static bool origin_moves(const PfPlaces *p, int frame)
{
  const PfFrame *f = p->frames + frame;
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  int count = p->model->coordinate_count;
  for (int i = 0; i < 3; i++)
    if (f->origin[i] != PF_EXPR_NONE && pf_expr_depends(p->ctx, f->origin[i], in->symbol + in->q, count)) return true;
  return false;
}

/* How many directions of motion the origin has: by which of its components move. */
static int count_slides(const PfPlaces *p, int frame, double direction[3])
{
  const PfFrame *f = p->frames + frame;
  const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(p->sim));
  int slides = 0;
  double local[3] = {0};
  for (int i = 0; i < 3; i++) {
    bool moving = f->origin[i] != PF_EXPR_NONE &&
                  pf_expr_depends(p->ctx, f->origin[i], in->symbol + in->q, p->model->coordinate_count);
    local[i] = moving;
    slides += moving;
  }
  pf_pose_direction(p->world + f->parent, local, direction);
  return slides;
}

/* Does it move only once an event has detached the body? Until then it is no joint. */
static bool is_released(const PfPlaces *p, int frame)
{
  const PfFrame *f = p->frames + frame;
  for (int i = 0; i < p->model->coordinate_count; i++) {
    const PfCoordinate *c = p->model->coordinates + i;
    if (!c->released) continue;
    if (f->quaternion[0] != PF_EXPR_NONE && pf_expr_depends(p->ctx, f->quaternion[0], &c->q, 1)) return true;
    if (f->origin[0] != PF_EXPR_NONE && pf_expr_depends(p->ctx, f->origin[0], &c->q, 1)) return true;
  }
  return false;
}

/* One piece of a joint, from below upwards: the point and axis of the lowest turn and slide stay. */
static void add_piece(const PfPlaces *p, int frame, PfSolid *s)
{
  const PfFrame *f = p->frames + frame;
  double direction[3];
  bool slides = origin_moves(p, frame);
  bool turns = f->quaternion[0] != PF_EXPR_NONE || (f->angle != PF_EXPR_NONE && p->moves[frame]);
  if (turns) {
    double axis[3];
    for (int i = 0; i < 3; i++) axis[i] = 0;
    if (f->angle != PF_EXPR_NONE && pf_places_values(p, f->axis, 3, axis) == PF_OK)
      pf_pose_direction(p->world + frame, axis, s->axis);
    memcpy(s->joint, p->world[frame].p, sizeof s->joint);
    s->ball = s->ball || f->quaternion[0] != PF_EXPR_NONE;
    s->turns++;
  }
  if (!slides) return;
  int count = count_slides(p, frame, direction);
  if (!s->turns) {
    memcpy(s->axis, direction, sizeof direction);
    memcpy(s->joint, p->world[frame].p, sizeof s->joint);
  }
  memcpy(s->foot, p->world[f->parent].p, sizeof s->foot);
  s->slides += count;
}

static void find_joint(const PfPlaces *p, const PfSolids *list, PfSolid *s)
{
  int frame = s->frame;
  do {
    if (p->moves[frame] && !is_released(p, frame)) add_piece(p, frame, s);
    frame = p->frames[frame].parent;
  } while (list->of[frame] < 0);
  s->parent = list->of[frame];
}

/* Numbers of solids: a frame that moves is one when it, or what is fixed on it, has a name. */
static void number(const PfPlaces *p, PfSolids *list)
{
  for (int f = 0; f < p->frame_count; f++) list->of[f] = -1;
  for (int f = 0; f < p->frame_count; f++) {
    int base = carrier(p, f);
    if (!is_named(p, f) || list->of[base] >= 0) continue;
    list->of[base] = list->count;
    list->solids[list->count++] = (PfSolid){.frame = base, .parent = -1, .name = base ? p->frames[f].name : "ground"};
  }
  for (int f = 0; f < p->frame_count; f++) list->of[f] = list->of[carrier(p, f)];
}

PfStatus pf_solids_find(const PfPlaces *p, PfSolids *list)
{
  *list = (PfSolids){.solids = pf_arena_array(p->arena, PfSolid, p->frame_count + 1),
                     .of = pf_arena_array(p->arena, int, p->frame_count + 1)};
  if (!list->solids || !list->of) return pf_no_room(p->ctx, "the scene");
  number(p, list);
  for (int i = 0; i < list->count; i++)
    if (list->solids[i].frame) find_joint(p, list, list->solids + i);
  return PF_OK;
}

bool pf_solid_floats(const PfSolid *s)
{
  if (s->frame && !s->turns && !s->slides) return true; /* fixed until an event lets it go */
  return s->slides > 1 || (s->slides == 1 && s->turns > 1);
}
