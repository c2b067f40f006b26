/* SPDX-License-Identifier: Apache-2.0 */
/* What rolls and slides, and on what: wheels, balls, blades, bowls, surfaces; springs. */
#include "scene/scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "pfaff/kernel.h"
#include "scene/picture.h"

enum { PER_CONTACT = 12, GRID = 25 };

/* ---------------------------------------------------------------- numbers */

static void ask(const PfMaker *m, const PfContact *c, PfExpr list[PER_CONTACT])
{
  PfExpr zero = pf_expr_int(m->ctx, 0);
  for (int i = 0; i < PER_CONTACT; i++) list[i] = zero;
  if (c->radius != PF_EXPR_NONE) list[0] = c->radius;
  if (c->axle.count > 0) pf_vector_express(m->model, c->axle, c->body, list + 1);
  if (c->roller != PF_EXPR_NONE) list[4] = c->roller;
  if (c->sphere != PF_EXPR_NONE) list[5] = c->sphere;
  if (c->u != PF_EXPR_NONE) list[6] = c->u, list[7] = c->w;
  pf_vector_express(m->model, c->center, 0, list + 8);
}

PfStatus pf_scene_contact_numbers(PfMaker *m)
{
  int count = m->model->contact_count;
  PfExpr *list = pf_arena_array(m->arena, PfExpr, count*PER_CONTACT);
  double *numbers = pf_arena_array(m->arena, double, count*PER_CONTACT);
  m->contacts = pf_arena_array(m->arena, PfContactNumbers, count);
  if (!list || !numbers || !m->contacts) return pf_no_room(m->ctx, "the scene");
  for (int i = 0; i < count; i++) ask(m, m->model->contacts + i, list + (size_t)i*PER_CONTACT);
  PF_TRY(pf_places_values(m->places, list, count*PER_CONTACT, numbers));
  for (int i = 0; i < count; i++) {
    const double *n = numbers + (size_t)i*PER_CONTACT;
    m->contacts[i] = (PfContactNumbers){n[0], {n[1], n[2], n[3]}, n[4], n[5], n[6], n[7], {0}, {n[8], n[9], n[10]}};
    m->size = fmax(m->size, 2*n[0]);
  }
  return PF_OK;
}

bool pf_scene_is_round(const PfMaker *m, int frame)
{
  for (int i = 0; i < m->model->contact_count; i++)
    if (m->model->contacts[i].body == frame && m->model->contacts[i].kind != PF_CONTACT_SKATE) return true;
  return false;
}

/* ---------------------------------------------------------------- what touches */

/* A frame with two contacts, as a wheel on two rails, is one wheel. */
static bool is_first(const PfMaker *m, int contact)
{
  for (int i = 0; i < contact; i++)
    if (m->model->contacts[i].body == m->model->contacts[contact].body) return false;
  return true;
}

static PfStatus add_wheel(PfMaker *m, const PfContact *c, const PfContactNumbers *n)
{
  PfShape wheel = pf_shape_on(c->body, PF_SHAPE_WHEEL, PF_ROLE_WHEEL, m->places->frames[c->body].name);
  bool rollers = c->kind == PF_CONTACT_OMNI || c->kind == PF_CONTACT_MECANUM;
  wheel.size[0] = n->radius;
  wheel.size[1] = (rollers ? 0.5 : 0.16)*n->radius;
  wheel.size[2] = rollers ? n->roller : 0;
  pf_turn_to(n->axle, wheel.turn);
  return pf_scene_add(m, wheel);
}

static PfStatus add_ball(PfMaker *m, const PfContact *c, const PfContactNumbers *n)
{
  PfShape ball = pf_shape_on(c->body, PF_SHAPE_SPHERE, PF_ROLE_BODY, m->places->frames[c->body].name);
  ball.size[0] = n->radius;
  return pf_scene_add(m, ball);
}

/* Along x, with its edge on the ground. */
static PfStatus add_blade(PfMaker *m, const PfContact *c)
{
  PfShape blade = pf_shape_on(c->body, PF_SHAPE_BOX, PF_ROLE_BLADE, c->name);
  blade.size[0] = 3.2*m->blade, blade.size[1] = 0.3*m->blade, blade.size[2] = m->blade;
  blade.at[2] = m->blade/2;
  return pf_scene_add(m, blade);
}

static PfStatus add_touch(PfMaker *m, const PfContact *c)
{
  PfShape point = pf_shape_on(0, PF_SHAPE_POINT, PF_ROLE_CONTACT, c->name);
  point.pose = -1;
  point.size[0] = 0.015*m->size;
  PF_TRY(pf_scene_point(m, c->point, c->name, point.point));
  return pf_scene_add(m, point);
}

static PfStatus add_force(PfMaker *m, const PfContact *c, int touch)
{
  PfShape force = pf_shape_on(0, PF_SHAPE_FORCE, PF_ROLE_FORCE, c->name);
  size_t room = strlen(c->name) + sizeof ".force";
  char *name = pf_arena_alloc(m->arena, room, 1);
  if (!c->force.count) return PF_OK;
  if (!name) return pf_no_room(m->ctx, "the scene");
  snprintf(name, room, "%s.force", c->name);
  force.pose = -1;
  force.point[0] = touch;
  PF_TRY(pf_scene_vector(m, c->force, name, "N", force.point + 1));
  return pf_scene_add(m, force);
}

static PfStatus add_body(PfMaker *m, int i)
{
  const PfContact *c = m->model->contacts + i;
  PF_TRY(add_touch(m, c));
  PF_TRY(add_force(m, c, (int)m->vectors.count - 1));
  if (c->kind == PF_CONTACT_SKATE) return add_blade(m, c);
  if (!is_first(m, i) || m->drawn[c->body]) return PF_OK;
  return c->kind == PF_CONTACT_BALL ? add_ball(m, c, m->contacts + i) : add_wheel(m, c, m->contacts + i);
}

/* ---------------------------------------------------------------- what is rolled on */

static PfStatus add_sphere(PfMaker *m, const PfContact *c, const PfContactNumbers *n)
{
  bool inside = c->on == PF_SUPPORT_INSIDE;
  PfShape sphere = pf_shape_on(c->support, inside ? PF_SHAPE_SHELL : PF_SHAPE_SPHERE, PF_ROLE_SUPPORT, c->name);
  sphere.size[0] = n->sphere;
  pf_pose_local(m->places->world + c->support, n->center, sphere.at);
  return pf_scene_add(m, sphere);
}

/* Heights over a grid around the origin, or around the start where that is far off; parameters as at the start. */
static PfStatus find_heights(const PfMaker *m, const PfContact *c, const PfShape *s, double *heights)
{
  const PfSystem *system = pf_sim_complete_system(m->places->sim);
  const PfSymbols *in = pf_system_symbols(system);
  const double *values = pf_sim_complete_values(m->places->sim);
  PfTape *tape;
  double *inputs = pf_arena_array(m->arena, double, in->count), *work = NULL;
  if (!inputs) return pf_no_room(m->ctx, "the scene");
  memcpy(inputs, values, (size_t)in->count*sizeof *inputs);
  PF_TRY(pf_tape_new(m->ctx, in->symbol, in->count, &c->height, 1, &tape));
  work = pf_arena_array(m->arena, double, pf_tape_work_size(tape));
  int u = 0, w = 0;
  for (int i = 0; i < in->count; i++) {
    if (in->symbol[i] == c->u) u = i;
    if (in->symbol[i] == c->w) w = i;
  }
  for (int k = 0; k < GRID*GRID && work; k++) {
    int row = k/GRID, column = k%GRID;
    inputs[u] = s->at[0] + s->size[0]*(2.0*column/(GRID - 1) - 1);
    inputs[w] = s->at[1] + s->size[1]*(2.0*row/(GRID - 1) - 1);
    pf_tape_run(tape, inputs, heights + k, work);
  }
  pf_tape_free(tape);
  return work ? PF_OK : pf_no_room(m->ctx, "the scene");
}

static PfStatus add_surface(PfMaker *m, const PfContact *c, const PfContactNumbers *n)
{
  PfShape s = pf_shape_on(c->support, PF_SHAPE_SURFACE, PF_ROLE_SUPPORT, c->name);
  double *heights = pf_arena_array(m->arena, double, GRID*GRID), far = fmax(fabs(n->u), fabs(n->w));
  if (!heights) return pf_no_room(m->ctx, "the scene");
  bool around = far < 40*n->radius;
  s.at[0] = around ? 0 : n->u, s.at[1] = around ? 0 : n->w;
  s.size[0] = s.size[1] = around ? 1.3*far + 8*n->radius : 20*n->radius;
  s.columns = s.rows = GRID;
  s.heights = heights;
  PF_TRY(find_heights(m, c, &s, heights));
  return pf_scene_add(m, s);
}

static PfPose pose_of(const double *numbers, int pose)
{
  PfPose out;
  memcpy(out.p, numbers + 12*(size_t)pose, sizeof out.p);
  memcpy(out.R, numbers + 12*(size_t)pose + 3, sizeof out.R);
  return out;
}

/* Where the contact touches, in the axes of what it rolls on: the surface reaches a little farther. */
static void cover_path(const PfScene *scene, PfShape *s, int point, const double *path, int count)
{
  double low[2], high[2], margin = 0.15*s->size[0];
  for (int j = 0; j < 2; j++) low[j] = s->at[j] - s->size[j], high[j] = s->at[j] + s->size[j];
  for (int i = 0; i < count; i++) {
    const double *numbers = path + (size_t)i*(size_t)pf_scene_size(scene);
    PfPose support = pose_of(numbers, s->pose);
    double local[3];
    pf_pose_local(&support, numbers + 12*(size_t)scene->pose_count + 3*(size_t)point, local);
    for (int j = 0; j < 2 && isfinite(local[0] + local[1]); j++) {
      low[j] = fmin(low[j], local[j] - margin);
      high[j] = fmax(high[j], local[j] + margin);
    }
  }
  for (int j = 0; j < 2; j++) s->at[j] = (low[j] + high[j])/2, s->size[j] = (high[j] - low[j])/2;
}

static PfStatus spread(const PfMaker *m, const PfScene *scene, PfShape *s, const double *path, int count)
{
  double *heights = pf_arena_array(m->arena, double, GRID*GRID);
  if (!heights) return pf_no_room(m->ctx, "the scene");
  for (int i = 0; i < scene->shape_count; i++) {
    const PfShape *touch = scene->shapes + i;
    bool own = touch->kind == PF_SHAPE_POINT && touch->role == PF_ROLE_CONTACT && !strcmp(touch->name, s->name);
    if (own) cover_path(scene, s, touch->point[0], path, count);
  }
  s->heights = heights;
  for (int i = 0; i < m->model->contact_count; i++) {
    const PfContact *c = m->model->contacts + i;
    if (c->on == PF_SUPPORT_SURFACE && !strcmp(c->name, s->name)) PF_TRY(find_heights(m, c, s, heights));
  }
  return PF_OK;
}

/* A rail reaches as far as what slides along it, and a little farther. */
static void lengthen(const PfScene *scene, PfShape *s, int slider, const double *path, int count)
{
  double low = -s->size[1]/2, high = s->size[1]/2, margin = 0.1*scene->size;
  const double axis[3] = {s->turn[2], s->turn[5], s->turn[8]};
  for (int i = 0; i < count; i++) {
    const double *numbers = path + (size_t)i*(size_t)pf_scene_size(scene);
    PfPose carrier = pose_of(numbers, s->pose);
    double local[3];
    pf_pose_local(&carrier, numbers + 12*(size_t)slider, local);
    for (int j = 0; j < 3; j++) local[j] -= s->at[j];
    double along = pf_dot3(local, axis);
    if (isfinite(along)) low = fmin(low, along - margin), high = fmax(high, along + margin);
  }
  for (int j = 0; j < 3; j++) s->at[j] += axis[j]*(low + high)/2;
  s->size[1] = high - low;
}

PfStatus pf_scene_spread(PfScene *scene, const double *path, int count)
{
  PfShape *shapes;
  int rail_count;
  PfPlaces *places = pf_scene_places(scene, &shapes);
  const PfRail *rails = pf_scene_rails(scene, &rail_count);
  PfMaker m = {.ctx = places->ctx, .arena = places->arena, .places = places, .model = places->model};
  for (int i = 0; i < rail_count; i++) lengthen(scene, shapes + rails[i].shape, rails[i].frame, path, count);
  for (int i = 0; i < scene->shape_count; i++)
    if (shapes[i].kind == PF_SHAPE_SURFACE) PF_TRY(spread(&m, scene, shapes + i, path, count));
  return PF_OK;
}

/* The same sphere, surface or plane under several contacts is one. */
static bool is_new_support(const PfMaker *m, int contact)
{
  const PfContact *c = m->model->contacts + contact;
  for (int i = 0; i < contact; i++) {
    const PfContact *other = m->model->contacts + i;
    if (other->on != c->on || other->support != c->support) continue;
    if (c->on == PF_SUPPORT_SURFACE || c->on == PF_SUPPORT_PLANE) return false;
    if (pf_distance3(m->contacts[i].center, m->contacts[contact].center) <= 1e-9*m->size) return false;
  }
  return true;
}

void pf_scene_find_ground(PfMaker *m)
{
  for (int i = 0; i < m->model->contact_count && !m->ground; i++) {
    const PfContact *c = m->model->contacts + i;
    if (c->on != PF_SUPPORT_PLANE || m->solids.of[c->support] != 0) continue;
    m->ground = true;
    m->plane = m->places->world[c->support];
  }
}

/* Is the plane of a frame that of the ground? */
static bool is_ground(const PfMaker *m, int frame)
{
  const PfPose *a = &m->plane, *b = m->places->world + frame;
  double n[3] = {a->R[2], a->R[5], a->R[8]}, other[3] = {b->R[2], b->R[5], b->R[8]}, off[3];
  for (int i = 0; i < 3; i++) off[i] = b->p[i] - a->p[i];
  return fabs(fabs(pf_dot3(n, other)) - 1) < 1e-9 && fabs(pf_dot3(n, off)) < 1e-9*m->size;
}

/* Do 'draw' or a body say what a frame looks like? */
static bool is_shown(const PfMaker *m, int frame)
{
  for (int f = 0; f < m->places->frame_count; f++)
    if (m->drawn[f] && m->solids.of[f] == m->solids.of[frame]) return true;
  for (int i = 0; i < m->model->body_count; i++)
    if (m->solids.of[m->model->bodies[i].frame] == m->solids.of[frame]) return true;
  return false;
}

/* A plane beside the ground: a ramp, a second wall, something that moves and is a mere frame. */
static PfStatus add_plane(PfMaker *m, const PfContact *c)
{
  bool stands = m->solids.of[c->support] == 0;
  if (stands ? is_ground(m, c->support) : is_shown(m, c->support)) return PF_OK;
  PfShape s = pf_shape_on(c->support, PF_SHAPE_SURFACE, PF_ROLE_SUPPORT, c->name);
  double local[3], *heights = pf_arena_array(m->arena, double, GRID*GRID);
  if (!heights) return pf_no_room(m->ctx, "the scene");
  pf_pose_local(m->places->world + c->support, m->places->world[c->body].p, local);
  s.at[0] = local[0], s.at[1] = local[1];
  s.size[0] = s.size[1] = m->size;
  s.columns = s.rows = GRID;
  s.heights = heights;
  return pf_scene_add(m, s);
}

static PfStatus add_support(PfMaker *m, int i)
{
  const PfContact *c = m->model->contacts + i;
  if (!is_new_support(m, i)) return PF_OK;
  if (c->on == PF_SUPPORT_PLANE) return add_plane(m, c);
  return c->on == PF_SUPPORT_SURFACE ? add_surface(m, c, m->contacts + i) : add_sphere(m, c, m->contacts + i);
}

/* ---------------------------------------------------------------- springs */

static PfStatus add_spring(PfMaker *m, const PfSpring *spring)
{
  PfShape s = pf_shape_on(0, spring->damper ? PF_SHAPE_DAMPER : PF_SHAPE_SPRING, PF_ROLE_SPRING, "");
  s.pose = -1;
  s.size[0] = 0.035*m->size;
  for (int k = 0; k < 2; k++) PF_TRY(pf_scene_point(m, spring->end[k], "", s.point + k));
  return pf_scene_add(m, s);
}

PfStatus pf_scene_contacts(PfMaker *m)
{
  for (int i = 0; i < m->model->contact_count; i++) {
    PF_TRY(add_support(m, i));
    PF_TRY(add_body(m, i));
  }
  for (int i = 0; i < m->model->spring_count; i++) PF_TRY(add_spring(m, m->model->springs + i));
  return PF_OK;
}
