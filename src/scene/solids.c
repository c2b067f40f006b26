/* SPDX-License-Identifier: Apache-2.0 */
/* Which frames do not move against each other, and so are one solid, and by which joints the solids hang on each
 * other. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

/* The frame that moves and carries this one. */
static int carrier(const PfPlaces *p, int frame)
{
  while (frame && !p->moves[frame]) frame = p->frames[frame].parent;
  return frame;
}

/* Does it move only once an event has detached the body? Until then it is not a joint. */
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

/* Adds one piece of a joint, from below upwards: the point and axis of the lowest turn and slide stay. A frame slides
 * in as many directions as components of its origin move. */
static void add_piece(const PfPlaces *p, int frame, PfSolid *s)
{
  const PfFrame *f = p->frames + frame;
  const bool quaternion = f->quaternion[0] != PF_EXPR_NONE;
  double axis[3] = {0}, local[3], direction[3];
  int slides = 0;
  if (quaternion || (f->angle != PF_EXPR_NONE && p->moves[frame])) {
    if (f->angle != PF_EXPR_NONE && pf_places_values(p, f->axis, 3, axis) == PF_OK)
      pf_pose_direction(p->world + frame, axis, s->axis);
    memcpy(s->joint, p->world[frame].p, sizeof s->joint);
    s->ball = s->ball || quaternion;
    s->turns++;
  }
  for (int i = 0; i < 3; i++) {
    const bool moves = pf_places_moves(p, f->origin[i]);
    local[i] = moves;
    slides += moves;
  }
  if (!slides) return;
  pf_pose_direction(p->world + f->parent, local, direction);
  if (!s->turns) {
    memcpy(s->axis, direction, sizeof direction);
    memcpy(s->joint, p->world[frame].p, sizeof s->joint);
  }
  memcpy(s->foot, p->world[f->parent].p, sizeof s->foot);
  s->slides += slides;
}

/* Frames without a name stand in the middle of joints: a frame that moves is a solid when it, or one that is fixed on
 * it, has a name; the ground always is. */
PfStatus pf_solids_find(const PfPlaces *p, PfSolids *list)
{
  *list = (PfSolids){.solids = pf_arena_array(p->arena, PfSolid, p->frame_count + 1),
                     .of = pf_arena_array(p->arena, int, p->frame_count + 1)};
  if (!list->solids || !list->of) return pf_no_room(p->ctx, "the scene");
  for (int f = 0; f < p->frame_count; f++) list->of[f] = -1;
  for (int f = 0; f < p->frame_count; f++) {
    int base = carrier(p, f);
    if ((f && !p->frames[f].name[0]) || list->of[base] >= 0) continue;
    list->of[base] = list->count;
    list->solids[list->count++] = (PfSolid){.frame = base, .parent = -1, .name = base ? p->frames[f].name : "ground"};
  }
  for (int f = 0; f < p->frame_count; f++) list->of[f] = list->of[carrier(p, f)];
  for (int i = 0; i < list->count; i++) {
    PfSolid *s = list->solids + i;
    int frame = s->frame;
    if (!frame) continue;
    do {
      if (p->moves[frame] && !is_released(p, frame)) add_piece(p, frame, s);
      frame = p->frames[frame].parent;
    } while (list->of[frame] < 0);
    s->parent = list->of[frame];
  }
  return PF_OK;
}

bool pf_solid_floats(const PfSolid *s)
{
  if (s->frame && !s->turns && !s->slides) return true; /* fixed until an event lets it go */
  return s->slides > 1 || (s->slides == 1 && s->turns > 1);
}
