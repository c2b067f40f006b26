/* SPDX-License-Identifier: Apache-2.0 */
/* A scene: collects shapes, poses and points of a model, guesses its size, and evaluates them along a simulation. A
 * maker has growing lists of shapes, which name frames; a finished scene has the frames that carry shapes as poses. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "scene/picture.h"

const char *pf_shape_kind_name(PfShapeKind kind)
{
#define ENTRY(kind, name) name,
  static const char *const names[] = {PF_SHAPE_KINDS(ENTRY)};
  return names[kind];
}

const char *pf_role_name(PfRole role)
{
  static const char *const names[] = {PF_ROLES(ENTRY)};
#undef ENTRY
  return names[role];
}

/* ---------------------------------------------------------------- adding */

PfShape pf_shape_on(int frame, PfShapeKind kind, PfRole role, const char *name)
{
  return (PfShape){.kind = kind, .role = role, .name = name, .body = -1, .pose = frame, .point = {-1, -1},
                   .turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

PfShape pf_shape_at_points(PfShapeKind kind, PfRole role, const char *name)
{
  return pf_shape_on(-1, kind, role, name);
}

PfStatus pf_scene_add(PfMaker *m, PfShape shape)
{
  for (int i = 0; i < 3; i++)
    if (!isfinite(shape.size[i]) || !isfinite(shape.at[i])) return PF_OK; /* it is not seen */
  return pf_push(pf_context_allocator(m->ctx), &m->shapes, shape) ? PF_OK : pf_no_room(m->ctx, "the scene");
}

PfStatus pf_scene_vector(PfMaker *m, PfVector vector, const char *name, const char *unit, int *index)
{
  const PfAllocator *allocator = pf_context_allocator(m->ctx);
  *index = (int)m->vectors.count;
  bool good = pf_push(allocator, &m->vectors, vector) && pf_push(allocator, &m->vector_names, name) &&
              pf_push(allocator, &m->vector_units, unit);
  return good ? PF_OK : pf_no_room(m->ctx, "the scene");
}

PfStatus pf_scene_point(PfMaker *m, PfVector vector, const char *name, int *index)
{
  return pf_scene_vector(m, vector, name, "m", index);
}

PfStatus pf_scene_trace(PfMaker *m, PfVector point, const char *name, int body)
{
  PfShape trace = pf_shape_at_points(PF_SHAPE_TRACE, PF_ROLE_TRACE, name);
  trace.body = body;
  PF_TRY(pf_scene_point(m, point, name, trace.point));
  return pf_scene_add(m, trace);
}

PfStatus pf_scene_rod(PfMaker *m, int frame, PfRole role, const char *name, int body, const double a[3],
                      const double b[3], double radius)
{
  PfShape rod = pf_shape_on(frame, PF_SHAPE_CYLINDER, role, name);
  double middle[3], along[3], local[3];
  for (int i = 0; i < 3; i++) middle[i] = (a[i] + b[i])/2, along[i] = b[i] - a[i];
  rod.body = body;
  rod.size[0] = radius, rod.size[1] = pf_length3(along);
  pf_pose_local(m->places->world + frame, middle, rod.at);
  pf_pose_local_direction(m->places->world + frame, along, local);
  pf_turn_to(local, rod.turn);
  return pf_scene_add(m, rod);
}

/* ---------------------------------------------------------------- models without frames */

/* The first coordinate of the model with one of the names (a blank between them), or PF_EXPR_NONE. */
static PfExpr find_coordinate(const PfModel *model, const char *names)
{
  char name[16];
  for (size_t length; *names; names += length + (names[length] == ' ')) {
    length = strcspn(names, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    const int i = pf_model_find_coordinate(model, name);
    if (i >= 0) return model->coordinates[i].q;
  }
  return PF_EXPR_NONE;
}

/* A frame by the usual names of coordinates: a point (x, y, z), in the plane with a heading. False when there is none.
 * */
static bool guess_frame(PfContext *ctx, const PfModel *model, PfFrame *frame)
{
  PfExpr zero = pf_expr_int(ctx, 0);
  const PfExpr origin[3] = {find_coordinate(model, "x X"), find_coordinate(model, "y Y"), find_coordinate(model, "z")};
  const char *name = model->name && model->name[0] ? model->name : "model";
  *frame = (PfFrame){.name = name, .axis = {zero, zero, pf_expr_int(ctx, 1)}};
  if (origin[0] == PF_EXPR_NONE && origin[1] == PF_EXPR_NONE) return false;
  for (int i = 0; i < 3; i++) frame->origin[i] = origin[i] == PF_EXPR_NONE ? zero : origin[i];
  frame->angle = origin[2] == PF_EXPR_NONE ? find_coordinate(model, "theta psi phi") : PF_EXPR_NONE;
  return true;
}

/* The shapes of a model without bodies: a box with a nose or a point, and its trace. */
static PfStatus add_marker(PfMaker *m, int frame)
{
  const PfFrame *f = m->places->frames + frame;
  bool heads = f->angle != PF_EXPR_NONE;
  PfShape body = pf_shape_on(frame, heads ? PF_SHAPE_BOX : PF_SHAPE_SPHERE, PF_ROLE_BODY, f->name);
  body.body = 0;
  body.size[0] = (heads ? 0.8 : 0.06)*m->size, body.size[1] = 0.45*m->size, body.size[2] = 0.12*m->size;
  body.at[2] = heads ? 0.06*m->size : 0;
  PF_TRY(pf_scene_add(m, body));
  PfShape nose = pf_shape_on(frame, PF_SHAPE_ARROW, PF_ROLE_CONTACT, f->name);
  nose.size[0] = 0.8*m->size;
  nose.at[2] = 0.14*m->size;
  pf_turn_to((const double[]){1, 0, 0}, nose.turn);
  if (heads) PF_TRY(pf_scene_add(m, nose));
  m->ground = heads;
  return pf_scene_trace(m, pf_vector_make(m->model, 0, f->origin), f->name, 0);
}

static PfStatus unknown(PfContext *ctx)
{
  pf_fail(ctx, PF_ERR_MODEL, "there is nothing to draw: the model has no bodies, no frames and no coordinates x and y");
  pf_hint(ctx, "say what moves where, without any inertia: frame b in ground at (x, y, 0) turn theta about z; "
               "draw b as box(0.4, 0.2, 0.1)");
  return PF_ERR_MODEL;
}

/* ---------------------------------------------------------------- the whole */

/* Does every turn happen about z, and nothing move along it? */
static bool is_flat(const PfMaker *m)
{
  const PfPlaces *p = m->places;
  for (int i = 1; i < m->solids.count; i++) {
    const PfSolid *s = m->solids.solids + i;
    double length = pf_length3(s->axis);
    if (s->ball || s->turns > 1 || s->slides > 2) return false;
    if (s->turns == 1 && fabs(s->axis[2]) < 0.999*length) return false;
  }
  for (int f = 1; f < p->frame_count; f++)
    if (pf_places_moves(p, p->frames[f].origin[2])) return false;
  return true;
}

/* Finds the size of the machine, and adds all shapes: given ones, contacts, bodies. 'draw' decides on the shape of a
 * frame when it gives it one with an extent. */
static PfStatus make(PfMaker *m, bool guessed)
{
  PF_TRY(pf_scene_body_numbers(m));
  PF_TRY(pf_scene_contact_numbers(m));
  m->drawn = pf_arena_array(m->arena, bool, m->places->frame_count);
  if (!m->drawn) return pf_no_room(m->ctx, "the scene");
  for (int i = 0; i < m->model->draw_count; i++) {
    const PfDraw *d = m->model->draws + i;
    double n[3] = {0};
    if (!strcmp(d->shape, "trace") || !strcmp(d->shape, "arrow") || !strcmp(d->shape, "line")) continue;
    m->drawn[d->frame] = true;
    PF_TRY(pf_places_values(m->places, d->arguments, d->argument_count < 3 ? d->argument_count : 3, n));
    for (int k = 0; k < 3; k++)
      if (isfinite(n[k])) m->size = fmax(m->size, n[k]);
  }
  pf_scene_measure(m);
  if (!(m->size > 0) || !isfinite(m->size)) {
    /* Twice the smallest length among the parameters, as the size of a model that is only known by its coordinates. */
    const PfSymbols *in = pf_system_symbols(pf_sim_complete_system(m->places->sim));
    const double *values = pf_sim_complete_values(m->places->sim);
    double size = 0;
    for (int i = 0; i < m->model->parameter_count; i++) {
      const PfParameter *p = m->model->parameters + i;
      double value = values[in->parameters + i];
      if (strcmp(p->unit, "m") != 0 && strcmp(p->unit, "mm") != 0 && strcmp(p->unit, "cm") != 0) continue;
      if (value > 0 && !(size > 0 && value >= size)) size = value;
    }
    m->size = size > 0 ? 2*size : 1;
  }
  m->blade = 0.08*m->size;
  m->flat = is_flat(m);
  pf_scene_find_ground(m);
  if (guessed) return add_marker(m, m->places->frame_count - 1);
  PF_TRY(pf_scene_given(m));
  PF_TRY(pf_scene_contacts(m));
  PF_TRY(pf_scene_bodies(m));
  return m->shapes.count ? PF_OK : unknown(m->ctx);
}

/* Poses are those of the frames that carry a shape, and of sliders; the ground is the first. Shapes and rails name
 * poses afterwards, not frames. */
static PfStatus number_poses(PfMaker *m, PfScene *scene)
{
  int count = m->places->frame_count, *number = pf_arena_array(m->arena, int, count);
  const char **names = pf_arena_array(m->arena, const char *, count);
  struct PfSceneParts *parts = scene->parts;
  parts->frames = pf_arena_array(m->arena, int, count);
  parts->stands = pf_arena_array(m->arena, bool, count);
  if (!number || !names || !parts->frames || !parts->stands) return pf_no_room(m->ctx, "the scene");
  number[0] = 1;
  for (size_t i = 0; i < m->shapes.count; i++)
    if (m->shapes.at[i].pose >= 0) number[m->shapes.at[i].pose] = 1;
  for (size_t i = 0; i < m->rails.count; i++) number[m->rails.at[i].frame] = 1;
  for (int f = 0; f < count; f++) {
    if (!number[f]) continue;
    names[scene->pose_count] = f ? m->places->frames[f].name : "ground";
    parts->frames[scene->pose_count] = f;
    parts->stands[scene->pose_count] = m->solids.of[f] == 0;
    number[f] = scene->pose_count++;
  }
  for (size_t i = 0; i < m->shapes.count; i++)
    if (m->shapes.at[i].pose >= 0) m->shapes.at[i].pose = number[m->shapes.at[i].pose];
  for (size_t i = 0; i < m->rails.count; i++) m->rails.at[i].frame = number[m->rails.at[i].frame];
  scene->poses = names;
  return PF_OK;
}

/* A copy of a list in the arena, or NULL. */
static void *keep(const PfMaker *m, const void *items, size_t count, size_t size)
{
  void *copy = pf_arena_alloc(m->arena, count, size);
  if (copy && count) memcpy(copy, items, count*size);
  return copy;
}

/* Poses and points are columns of one table, so all names differ: a point that is called as something before it has the
 * kind of its shape after the name, "board.trace". */
static PfStatus name_points(PfMaker *m, PfScene *scene)
{
  const char **names = keep(m, m->vector_names.at, m->vector_names.count, sizeof *m->vector_names.at);
  scene->points = names;
  if (!names) return pf_no_room(m->ctx, "the scene");
  for (int i = 0; i < scene->point_count; i++) {
    const char *kind = "point", *own = names[i];
    for (int k = scene->shape_count - 1; k >= 0; k--) {
      const PfShape *s = scene->shapes + k;
      if (s->pose < 0 && (s->point[0] == i || s->point[1] == i)) kind = pf_shape_kind_name(s->kind);
    }
    const size_t room = strlen(own) + strlen(kind) + 14;
    for (int times = 1;; times++) {
      bool taken = false;
      for (int k = 0; k < scene->pose_count && !taken; k++) taken = !strcmp(scene->poses[k], names[i]);
      for (int k = 0; k < i && !taken; k++) taken = !strcmp(names[k], names[i]);
      if (!taken) break;
      char *name = pf_arena_alloc(m->arena, room, 1);
      if (!name) return pf_no_room(m->ctx, "the scene");
      if (times == 1) snprintf(name, room, "%s.%s", own, kind);
      else snprintf(name, room, "%s.%s%d", own, kind, times);
      names[i] = name;
    }
  }
  return PF_OK;
}

/* The frames as they are at the start, then everything that is fixed on them. */
static PfStatus build(PfMaker *m, PfScene *scene)
{
  PfPlaces *p = m->places;
  PfFrame extra;
  bool guessed = m->model->frame_count <= 1 && guess_frame(m->ctx, m->model, &extra);
  if (m->model->frame_count <= 1 && !guessed && !m->model->draw_count) return unknown(m->ctx);
  PF_TRY(pf_places_frames(p, guessed ? &extra : NULL));
  PF_TRY(pf_places_open(p, NULL, 0));
  if (!pf_places_read(p)) return pf_fail(m->ctx, PF_ERR_NUMBER, "a position is not finite at the start");
  PF_TRY(pf_solids_find(p, &m->solids));
  PF_TRY(make(m, guessed));
  /* Copies the lists into the scene, names its points and opens the readings. Up is against gravity. */
  double g[3] = {0}, length = 0;
  PF_TRY(number_poses(m, scene));
  scene->up[2] = 1;
  if (m->model->gravity[0] != PF_EXPR_NONE && pf_places_values(m->places, m->model->gravity, 3, g) == PF_OK)
    length = pf_length3(g);
  for (int i = 0; i < 3 && length > 0 && isfinite(length); i++) scene->up[i] = -g[i]/length;
  scene->title = m->model->title && m->model->title[0] ? m->model->title : m->model->name;
  scene->size = m->size;
  scene->flat = m->flat;
  scene->ground = m->ground;
  for (int i = 1; i < m->solids.count && fabs(scene->up[2]) > 0.9; i++) { /* vehicles move in the plane of x and y */
    const PfSolid *s = m->solids.solids + i;
    scene->ground = scene->ground || (s->parent == 0 && s->slides == 2 && s->turns == 1 && !s->ball &&
                                      fabs(s->axis[2]) > 0.999*pf_length3(s->axis));
  }
  memcpy(scene->ground_at, m->plane.p, sizeof scene->ground_at);
  memcpy(scene->ground_turn, m->plane.R, sizeof scene->ground_turn);
  scene->shape_count = (int)m->shapes.count;
  scene->point_count = (int)m->vectors.count;
  scene->shapes = scene->parts->shapes = keep(m, m->shapes.at, m->shapes.count, sizeof *m->shapes.at);
  scene->point_units = keep(m, m->vector_units.at, m->vector_units.count, sizeof *m->vector_units.at);
  scene->parts->rails = keep(m, m->rails.at, m->rails.count, sizeof *m->rails.at);
  scene->parts->rail_count = (int)m->rails.count;
  if (!scene->shapes || !scene->point_units || !scene->parts->rails) return pf_no_room(m->ctx, "the scene");
  PF_TRY(name_points(m, scene));
  pf_places_close(m->places);
  return pf_places_open(m->places, m->vectors.at, (int)m->vectors.count);
}

PfStatus pf_scene_new(PfSim *sim, PfScene **out)
{
  PfContext *ctx = pf_sim_context(sim);
  const PfAllocator *allocator = pf_context_allocator(ctx);
  const PfModel *model = pf_sim_complete(sim);
  PfArena *arena = pf_arena_new(allocator);
  PfScene *scene = arena ? pf_arena_array(arena, PfScene, 1) : NULL;
  struct PfSceneParts *parts = scene ? pf_arena_array(arena, struct PfSceneParts, 1) : NULL;
  *out = NULL;
  if (!parts) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the scene");
  }
  scene->parts = parts;
  parts->arena = arena;
  parts->places = (PfPlaces){.ctx = ctx, .arena = arena, .sim = sim, .model = model};
  pf_text_init(&parts->json, allocator);
  PfMaker m = {.ctx = ctx, .arena = arena, .places = &parts->places, .model = model, .plane = pf_pose_identity()};
  PfStatus status = build(&m, scene);
  pf_array_free(allocator, &m.shapes);
  pf_array_free(allocator, &m.rails);
  pf_array_free(allocator, &m.vectors);
  pf_array_free(allocator, &m.vector_names);
  pf_array_free(allocator, &m.vector_units);
  if (status == PF_OK) *out = scene;
  else pf_scene_free(scene);
  return status;
}

void pf_scene_free(PfScene *scene)
{
  if (!scene) return;
  pf_places_close(&scene->parts->places);
  pf_text_free(&scene->parts->json);
  pf_arena_free(scene->parts->arena);
}

/* ---------------------------------------------------------------- reading */

int pf_scene_size(const PfScene *scene)
{
  return 12*scene->pose_count + 3*scene->point_count;
}

PfPose pf_scene_pose(const double *numbers, int pose)
{
  const double *n = numbers + 12*(size_t)pose;
  return pf_pose_make(n, n + 3);
}

const double *pf_scene_point_at(const PfScene *scene, const double *numbers, int point)
{
  return numbers + 12*(size_t)scene->pose_count + 3*(size_t)point;
}

/* Copies the latest reading into the order of pf_scene_read. */
static void give(const PfScene *scene, double *numbers)
{
  const PfPlaces *p = &scene->parts->places;
  for (int i = 0; i < scene->pose_count; i++) {
    const PfPose *pose = p->world + scene->parts->frames[i];
    memcpy(numbers + 12*(size_t)i, pose->p, sizeof pose->p);
    memcpy(numbers + 12*(size_t)i + 3, pose->R, sizeof pose->R);
  }
  for (int i = 0; i < scene->point_count; i++)
    memcpy(numbers + 12*(size_t)scene->pose_count + 3*(size_t)i, p->vector[i], sizeof p->vector[i]);
}

bool pf_scene_read(PfScene *scene, double *numbers)
{
  bool good = pf_places_read(&scene->parts->places);
  give(scene, numbers);
  return good;
}

bool pf_scene_read_at(PfScene *scene, const PfSample *sample, double *numbers)
{
  bool good = pf_places_read_at(&scene->parts->places, sample);
  give(scene, numbers);
  return good;
}
