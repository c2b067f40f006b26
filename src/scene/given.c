/* SPDX-License-Identifier: Apache-2.0 */
/* 'draw': the shapes that a model says it has. */
#include "scene/scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

/* The setting of a statement with that key, or NULL. */
static const PfProperty *setting(const PfDraw *draw, const char *key)
{
  for (int i = 0; i < draw->setting_count; i++)
    if (!strcmp(draw->settings[i].key, key)) return draw->settings + i;
  return NULL;
}

/* The rotation of a round shape: z along the axis of the setting, of the wheel that the frame is, or of the frame. */
static void turn(const PfMaker *m, const PfDraw *draw, double R[9])
{
  const PfProperty *axis = setting(draw, "axis");
  double direction[3] = {0, 0, 1};
  for (int i = 0; !axis && i < m->model->contact_count; i++)
    if (m->model->contacts[i].body == draw->frame && pf_length3(m->contacts[i].axle) > 0)
      memcpy(direction, m->contacts[i].axle, sizeof direction);
  if (axis && axis->word)
    for (int i = 0; i < 3; i++) direction[i] = axis->word[0] == "xyz"[i];
  pf_turn_to(direction, R);
}

/* Does the frame turn about the axis of the shape, and is the shape flat? Then it is a wheel, whatever moves it. */
static bool is_wheel(const PfMaker *m, const PfDraw *draw, const PfShape *s)
{
  const PfSolid *solid = m->solids.solids + m->solids.of[draw->frame];
  double axis[3], own[3] = {s->turn[2], s->turn[5], s->turn[8]};
  if (pf_scene_is_round(m, draw->frame)) return true;
  if (solid->turns < 1 || solid->ball || s->size[1] > s->size[0]) return false;
  pf_pose_local_direction(m->places->world + draw->frame, solid->axis, axis);
  return fabs(pf_dot3(axis, own)) > 0.999*pf_length3(axis) && pf_length3(s->at) < 1e-9*s->size[0];
}

/* Along x of the frame: from a to b, or as an arrow of length a. */
static void set_line(const PfMaker *m, const double n[3], bool arrow, PfShape *s)
{
  double x[3] = {n[0] < 0 && arrow ? -1 : 1, 0, 0};
  pf_turn_to(x, s->turn);
  s->kind = arrow ? PF_SHAPE_ARROW : PF_SHAPE_CYLINDER;
  s->size[0] = arrow ? fabs(n[0]) : 0.012*m->size;
  if (arrow) return;
  s->role = PF_ROLE_LINK;
  s->size[1] = fabs(n[1] - n[0]);
  s->at[0] += (n[0] + n[1])/2;
}

/* Warns of a colour that is not known: the shape has the colour of its part then. */
static void check_color(const PfMaker *m, const PfDraw *draw, const char *color)
{
  char list[400] = "";
  if (pf_color_is_known(color)) return;
  for (int i = 0; pf_color_name(i); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", pf_color_name(i));
  }
  pf_warn_at(m->ctx, (PfPlace){0}, "draw %s: the colour '%s' is not known", m->places->frames[draw->frame].name, color);
  pf_hint(m->ctx, "there are %s, and any as '#e8b890'", list);
}

/* One statement 'draw' as a shape. Its arguments are up to three sizes; by parameters these may become anything. */
static PfStatus add(PfMaker *m, const PfDraw *draw)
{
  PfShape s = pf_shape_on(draw->frame, PF_SHAPE_BOX, PF_ROLE_BODY, m->places->frames[draw->frame].name);
  const PfProperty *color = setting(draw, "color");
  PfExpr zero = pf_expr_int(m->ctx, 0), list[6] = {zero, zero, zero, zero, zero, zero};
  double n[6];
  for (int i = 0; i < draw->argument_count && i < 3; i++) list[i] = draw->arguments[i];
  if (draw->point.count == 1) memcpy(list + 3, draw->point.part[0].c, 3*sizeof *list);
  PF_TRY(pf_places_values(m->places, list, 6, n));
  bool signed_size = !strcmp(draw->shape, "line") || !strcmp(draw->shape, "arrow");
  for (int i = 0; i < draw->argument_count && i < 3; i++)
    if (!isfinite(n[i]) || (!signed_size && !(n[i] > 0)))
      return pf_fail(m->ctx, PF_ERR_MODEL, "draw %s as %s(…): the size %.6g is not a positive length",
                     m->places->frames[draw->frame].name, draw->shape, n[i]);
  memcpy(s.at, n + 3, sizeof s.at);
  if (color && color->word) {
    s.color = color->word;
    check_color(m, draw, color->word);
  }
  s.body = m->solids.of[draw->frame];
  if (!strcmp(draw->shape, "trace")) {
    PfVector point = pf_vector_add(m->model, pf_frame_position(m->model, draw->frame), draw->point);
    s.kind = PF_SHAPE_TRACE, s.role = PF_ROLE_TRACE;
    s.pose = -1;
    PF_TRY(pf_scene_point(m, point, s.name, s.point));
    return pf_scene_add(m, s);
  }
  if (signed_size) set_line(m, n, draw->shape[0] == 'a', &s);
  else if (!strcmp(draw->shape, "cylinder") || !strcmp(draw->shape, "disc")) {
    s.size[0] = n[0];
    s.size[1] = strcmp(draw->shape, "disc") ? n[1] : 0.06*n[0];
    turn(m, draw, s.turn);
    bool wheel = is_wheel(m, draw, &s);
    s.kind = wheel ? PF_SHAPE_WHEEL : PF_SHAPE_CYLINDER;
    s.role = wheel && !m->flat ? PF_ROLE_WHEEL : PF_ROLE_BODY;
  } else if (!strcmp(draw->shape, "sphere")) s.kind = PF_SHAPE_SPHERE, s.size[0] = n[0];
  else memcpy(s.size, n, sizeof s.size);
  return pf_scene_add(m, s);
}

PfStatus pf_scene_given(PfMaker *m)
{
  for (int i = 0; i < m->model->draw_count; i++) PF_TRY(add(m, m->model->draws + i));
  return PF_OK;
}
