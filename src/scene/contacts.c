/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: wheels, balls and blades, the bowls and surfaces that they touch; springs. */
#include "scene/scene_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "pfaff/kernel.h"
#include "scene/picture.h"

enum { PER_CONTACT = 12, GRID = 25 };

/* ---------------------------------------------------------------- numbers */

PfStatus pf_scene_contact_numbers(PfMaker *m)
{
  int count = m->model->contact_count;
  PfExpr *list = pf_arena_array(m->arena, PfExpr, count*PER_CONTACT);
  double *numbers = pf_arena_array(m->arena, double, count*PER_CONTACT);
  m->contacts = pf_arena_array(m->arena, PfContactNumbers, count);
  if (!list || !numbers || !m->contacts) return pf_no_room(m->ctx, "the scene");
  for (int i = 0; i < count; i++) {
    const PfContact *c = m->model->contacts + i;
    PfExpr *e = list + (size_t)i*PER_CONTACT;
    for (int k = 0; k < PER_CONTACT; k++) e[k] = pf_expr_int(m->ctx, 0);
    if (c->radius != PF_EXPR_NONE) e[0] = c->radius;
    if (c->axle.count > 0) pf_vector_express(m->model, c->axle, c->body, e + 1);
    if (c->roller != PF_EXPR_NONE) e[4] = c->roller;
    if (c->sphere != PF_EXPR_NONE) e[5] = c->sphere;
    if (c->u != PF_EXPR_NONE) e[6] = c->u, e[7] = c->w;
    pf_vector_express(m->model, c->center, 0, e + 8);
  }
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

/* ---------------------------------------------------------------- wheels, balls, blades */

/* The shapes of a contact: its point, the arrow of its force, and a blade along x with its edge on the ground, a wheel
 * or a ball. A frame with two contacts, as a wheel on two rails, is one wheel. */
static PfStatus add_body(PfMaker *m, int i)
{
  const PfContact *c = m->model->contacts + i;
  PfShape point = pf_shape_at_points(PF_SHAPE_POINT, PF_ROLE_CONTACT, c->name);
  point.size[0] = 0.015*m->size;
  PF_TRY(pf_scene_point(m, c->point, c->name, point.point));
  PF_TRY(pf_scene_add(m, point));
  if (c->force.count) {
    PfShape force = pf_shape_at_points(PF_SHAPE_FORCE, PF_ROLE_FORCE, c->name);
    const size_t room = strlen(c->name) + sizeof ".force";
    char *name = pf_arena_alloc(m->arena, room, 1);
    if (!name) return pf_no_room(m->ctx, "the scene");
    snprintf(name, room, "%s.force", c->name);
    force.point[0] = point.point[0];
    PF_TRY(pf_scene_vector(m, c->force, name, "N", force.point + 1));
    PF_TRY(pf_scene_add(m, force));
  }
  if (c->kind == PF_CONTACT_SKATE) {
    PfShape blade = pf_shape_on(c->body, PF_SHAPE_BOX, PF_ROLE_BLADE, c->name);
    blade.size[0] = 3.2*m->blade, blade.size[1] = 0.3*m->blade, blade.size[2] = m->blade;
    blade.at[2] = m->blade/2;
    return pf_scene_add(m, blade);
  }
  bool done = m->drawn[c->body];
  for (int k = 0; k < i; k++) done = done || m->model->contacts[k].body == c->body;
  if (done) return PF_OK;
  const PfContactNumbers *n = m->contacts + i;
  const bool ball = c->kind == PF_CONTACT_BALL, rollers = c->kind == PF_CONTACT_OMNI || c->kind == PF_CONTACT_MECANUM;
  PfShape round = pf_shape_on(c->body, ball ? PF_SHAPE_SPHERE : PF_SHAPE_WHEEL, ball ? PF_ROLE_BODY : PF_ROLE_WHEEL,
                              m->places->frames[c->body].name);
  round.size[0] = n->radius;
  if (!ball) {
    round.size[1] = (rollers ? 0.5 : 0.16)*n->radius;
    round.size[2] = rollers ? n->roller : 0;
    pf_turn_to(n->axle, round.turn);
  }
  return pf_scene_add(m, round);
}

/* ---------------------------------------------------------------- supports */

/* The heights of a surface z(u, w) over the grid of the shape, GRID x GRID; parameters as at the start. */
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

/* Enlarges a surface over the path of a contact point, `count` times the numbers of the scene: it reaches a little
 * farther. */
static void cover_path(const PfScene *scene, PfShape *s, int point, const double *path, int count)
{
  double low[2], high[2], margin = 0.15*s->size[0];
  for (int j = 0; j < 2; j++) low[j] = s->at[j] - s->size[j], high[j] = s->at[j] + s->size[j];
  for (int i = 0; i < count; i++) {
    const double *numbers = path + (size_t)i*(size_t)pf_scene_size(scene);
    const PfPose support = pf_scene_pose(numbers, s->pose);
    double local[3];
    pf_pose_local(&support, pf_scene_point_at(scene, numbers, point), local);
    for (int j = 0; j < 2 && isfinite(local[0] + local[1]); j++) {
      low[j] = fmin(low[j], local[j] - margin);
      high[j] = fmax(high[j], local[j] + margin);
    }
  }
  for (int j = 0; j < 2; j++) s->at[j] = (low[j] + high[j])/2, s->size[j] = (high[j] - low[j])/2;
}

/* Makes a surface as large as the paths of the contacts with its name need, and finds its heights anew. */
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

/* Makes a rail as long as the path of its slider, and a little longer. */
static void lengthen(const PfScene *scene, PfShape *s, int slider, const double *path, int count)
{
  double low = -s->size[1]/2, high = s->size[1]/2, margin = 0.1*scene->size;
  const double axis[3] = {s->turn[2], s->turn[5], s->turn[8]};
  for (int i = 0; i < count; i++) {
    const double *numbers = path + (size_t)i*(size_t)pf_scene_size(scene);
    const PfPose carrier = pf_scene_pose(numbers, s->pose);
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
  struct PfSceneParts *parts = scene->parts;
  PfPlaces *places = &parts->places;
  PfMaker m = {.ctx = places->ctx, .arena = places->arena, .places = places, .model = places->model};
  for (const PfRail *r = parts->rails; r < parts->rails + parts->rail_count; r++)
    lengthen(scene, parts->shapes + r->shape, r->frame, path, count);
  for (PfShape *s = parts->shapes; s < parts->shapes + scene->shape_count; s++)
    if (s->kind == PF_SHAPE_SURFACE) PF_TRY(spread(&m, scene, s, path, count));
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

/* Has the solid of the frame shapes of its own, by 'draw' or as a body? */
static bool is_shown(const PfMaker *m, int frame)
{
  for (int f = 0; f < m->places->frame_count; f++)
    if (m->drawn[f] && m->solids.of[f] == m->solids.of[frame]) return true;
  for (int i = 0; i < m->model->body_count; i++)
    if (m->solids.of[m->model->bodies[i].frame] == m->solids.of[frame]) return true;
  return false;
}

/* The support of a contact, unless it is there already: a sphere, a surface z(x, y) around the origin, or around the
 * start where that is far off; or a plane other than the ground: a ramp, a second wall, a mere frame that moves. */
static PfStatus add_support(PfMaker *m, int i)
{
  const PfContact *c = m->model->contacts + i;
  const PfContactNumbers *n = m->contacts + i;
  const bool plane = c->on == PF_SUPPORT_PLANE;
  if (!is_new_support(m, i)) return PF_OK;
  if (plane && (m->solids.of[c->support] == 0 ? is_ground(m, c->support) : is_shown(m, c->support))) return PF_OK;
  if (!plane && c->on != PF_SUPPORT_SURFACE) {
    bool inside = c->on == PF_SUPPORT_INSIDE;
    PfShape sphere = pf_shape_on(c->support, inside ? PF_SHAPE_SHELL : PF_SHAPE_SPHERE, PF_ROLE_SUPPORT, c->name);
    sphere.size[0] = n->sphere;
    pf_pose_local(m->places->world + c->support, n->center, sphere.at);
    return pf_scene_add(m, sphere);
  }
  PfShape s = pf_shape_on(c->support, PF_SHAPE_SURFACE, PF_ROLE_SUPPORT, c->name);
  double local[3], *heights = pf_arena_array(m->arena, double, GRID*GRID);
  if (!heights) return pf_no_room(m->ctx, "the scene");
  s.columns = s.rows = GRID;
  s.heights = heights;
  if (plane) {
    pf_pose_local(m->places->world + c->support, m->places->world[c->body].p, local);
    s.at[0] = local[0], s.at[1] = local[1];
    s.size[0] = s.size[1] = m->size;
  } else {
    const double far = fmax(fabs(n->u), fabs(n->w));
    const bool around = far < 40*n->radius;
    s.at[0] = around ? 0 : n->u, s.at[1] = around ? 0 : n->w;
    s.size[0] = s.size[1] = around ? 1.3*far + 8*n->radius : 20*n->radius;
    PF_TRY(find_heights(m, c, &s, heights));
  }
  return pf_scene_add(m, s);
}

/* ---------------------------------------------------------------- all of them, and springs */

PfStatus pf_scene_contacts(PfMaker *m)
{
  for (int i = 0; i < m->model->contact_count; i++) {
    PF_TRY(add_support(m, i));
    PF_TRY(add_body(m, i));
  }
  for (int i = 0; i < m->model->spring_count; i++) {
    const PfSpring *spring = m->model->springs + i;
    PfShape s = pf_shape_at_points(spring->damper ? PF_SHAPE_DAMPER : PF_SHAPE_SPRING, PF_ROLE_SPRING, "");
    s.size[0] = 0.035*m->size;
    for (int k = 0; k < 2; k++) PF_TRY(pf_scene_point(m, spring->end[k], "", s.point + k));
    PF_TRY(pf_scene_add(m, s));
  }
  return PF_OK;
}
