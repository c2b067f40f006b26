/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of bodies for which the model gives none: boxes, cylinders and spheres of equal inertia, rods from joint to
 * joint, plates, rotors, and marks for joints. */
#include "scene/scene_impl.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

enum { PER_BODY = 13, MOST_POINTS = 24 };

/* Parts of the size of the machine. */
static const double rod_part = 0.02, joint_part = 0.024, bob_part = 0.05, plate_part = 0.03;

/* ---------------------------------------------------------------- numbers */

/* Mass, centre and inertia are evaluated for all bodies at once. */
PfStatus pf_scene_body_numbers(PfMaker *m)
{
  int count = m->model->body_count;
  PfExpr *list = pf_arena_array(m->arena, PfExpr, count*PER_BODY);
  double *numbers = pf_arena_array(m->arena, double, count*PER_BODY);
  m->bodies = pf_arena_array(m->arena, PfBodyNumbers, count);
  if (!list || !numbers || !m->bodies) return pf_no_room(m->ctx, "the scene");
  for (int i = 0; i < count; i++) {
    const PfBody *b = m->model->bodies + i;
    PfExpr *at = list + (size_t)i*PER_BODY;
    at[0] = b->mass;
    memcpy(at + 1, b->com, sizeof b->com);
    memcpy(at + 4, b->inertia, sizeof b->inertia);
  }
  PF_TRY(pf_places_values(m->places, list, count*PER_BODY, numbers));
  for (int i = 0; i < count; i++) {
    const double *n = numbers + (size_t)i*PER_BODY;
    PfBodyNumbers *b = m->bodies + i;
    b->mass = n[0];
    memcpy(b->com, n + 1, sizeof b->com);
    memcpy(b->inertia, n + 4, sizeof b->inertia);
    pf_equal_inertia(b->mass, b->inertia, &b->equal);
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the skeleton of a solid */

/* Points of the world at the start that belong to it. */
typedef struct Skeleton {
  int solid, frame;  /* frame that carries its shapes */
  int body;          /* the heaviest, or -1 */
  double com[3];     /* of that body, else the middle of the points */
  bool has_joint;    /* the first point is its own joint */
  int count;
  double point[MOST_POINTS][3];
  bool round, drawn; /* a wheel or ball stands for it, or 'draw' */
} Skeleton;

/* Adds a point, unless there is one at the same place. */
static void add_point(const PfMaker *m, Skeleton *k, const double point[3])
{
  for (int i = 0; i < k->count; i++)
    if (pf_distance3(k->point[i], point) <= 1e-6*m->size) return;
  if (k->count < MOST_POINTS) memcpy(k->point[k->count++], point, sizeof k->point[0]);
}

/* The heaviest body of the solid, and its centre of mass in the world. */
static void find_body(const PfMaker *m, Skeleton *k)
{
  k->body = -1;
  for (int i = 0; i < m->model->body_count; i++) {
    if (m->solids.of[m->model->bodies[i].frame] != k->solid) continue;
    if (k->body < 0 || m->bodies[i].mass > m->bodies[k->body].mass) k->body = i;
  }
  if (k->body >= 0) pf_pose_point(m->places->world + m->model->bodies[k->body].frame, m->bodies[k->body].com, k->com);
}

/* Where a joint is drawn: at its origin, or farther along its axis where the body is that it carries. */
static void find_joint_point(const PfMaker *m, int solid, double point[3])
{
  const PfSolid *s = m->solids.solids + solid;
  Skeleton k = {.solid = solid};
  memcpy(point, s->joint, sizeof s->joint);
  find_body(m, &k);
  if (k.body < 0 || s->turns != 1 || s->ball) return;
  double to[3], along, length = pf_length3(s->axis);
  for (int i = 0; i < 3; i++) to[i] = k.com[i] - s->joint[i];
  along = length > 0 ? pf_dot3(to, s->axis)/length : 0;
  double across2 = pf_dot3(to, to) - along*along;
  if (along*along < 4*across2) return;
  for (int i = 0; i < 3; i++) point[i] += along*s->axis[i]/length;
}

/* The points of a solid: its own joint, those of the solids that hang on it, and frames of its own that touch
 * something. */
static void find_skeleton(const PfMaker *m, int solid, Skeleton *k)
{
  const PfSolid *s = m->solids.solids + solid;
  double point[3];
  *k = (Skeleton){.solid = solid, .frame = s->frame};
  find_body(m, k);
  k->has_joint = s->frame && !pf_solid_floats(s);
  if (k->has_joint) {
    find_joint_point(m, solid, point);
    add_point(m, k, point);
  }
  for (int i = 0; i < m->solids.count; i++) {
    const PfSolid *child = m->solids.solids + i;
    if (!child->frame || child->parent != solid) continue;
    if (k->has_joint && !child->turns && !child->slides) add_point(m, k, m->places->world[child->frame].p); /* held */
    if (pf_solid_floats(child)) continue;
    find_joint_point(m, i, point);
    add_point(m, k, child->slides ? child->foot : point);
  }
  for (int f = 0; f < m->places->frame_count; f++) {
    if (m->solids.of[f] != solid) continue;
    k->drawn = k->drawn || m->drawn[f];
    k->round = k->round || pf_scene_is_round(m, f);
  }
  for (int i = 0; i < m->model->contact_count; i++)
    if (m->solids.of[m->model->contacts[i].body] == solid)
      add_point(m, k, m->places->world[m->model->contacts[i].body].p);
  if (k->body >= 0 && !k->has_joint && m->bodies[k->body].equal.solidity == PF_SOLID_FLAT)
    add_point(m, k, m->places->world[m->model->bodies[k->body].frame].p); /* where it was placed: a hitch, an axle */
  if (k->body < 0) {
    for (int j = 0; j < 3; j++) {
      k->com[j] = 0;
      for (int i = 0; i < k->count; i++) k->com[j] += k->point[i][j]/k->count;
    }
  }
}

/* ---------------------------------------------------------------- rods */

/* How far flat machines on blades stand above the ground. */
static double lift_of(const PfMaker *m)
{
  return m->flat && m->ground ? 1.2*m->blade : 0;
}

/* A rod of the solid between two points of the world, unless they are at about the same place. */
static PfStatus rod(PfMaker *m, const Skeleton *k, const double a[3], const double b[3])
{
  double lift = lift_of(m), from[3] = {a[0], a[1], a[2] + lift}, to[3] = {b[0], b[1], b[2] + lift};
  if (pf_distance3(a, b) < 0.01*m->size) return PF_OK;
  return pf_scene_rod(m, k->frame, PF_ROLE_LINK, m->solids.solids[k->solid].name, k->solid, from, to, rod_part*m->size);
}

/* Rods from one point to all points of the skeleton. */
static PfStatus rods_from(PfMaker *m, const Skeleton *k, const double from[3])
{
  for (int i = 0; i < k->count; i++) PF_TRY(rod(m, k, from, k->point[i]));
  return PF_OK;
}

/* ---------------------------------------------------------------- bodies */

/* A shape at the centre of mass of a body, along its principal axes. */
static PfShape body_shape(const PfMaker *m, int body, PfShapeKind kind)
{
  const PfBody *b = m->model->bodies + body;
  PfShape s = pf_shape_on(b->frame, kind, PF_ROLE_BODY, b->name);
  s.body = m->solids.of[b->frame];
  memcpy(s.at, m->bodies[body].com, sizeof s.at);
  memcpy(s.turn, m->bodies[body].equal.turn, sizeof s.turn);
  return s;
}

/* The shape of equal inertia, with rods to the joints that lie outside of it. A very thin one gets some thickness. */
static PfStatus add_full(PfMaker *m, const Skeleton *k, int body)
{
  const PfBodyNumbers *b = m->bodies + body;
  PfShape s = body_shape(m, body, b->equal.kind);
  memcpy(s.size, b->equal.size, sizeof s.size);
  for (int i = 0; i < 3 && s.kind == PF_SHAPE_BOX; i++) s.size[i] = fmax(s.size[i], 0.01*m->size);
  if (s.kind == PF_SHAPE_CYLINDER) s.size[0] = fmax(s.size[0], 0.01*m->size), s.size[1] = fmax(s.size[1], 0.01*m->size);
  PF_TRY(pf_scene_add(m, s));
  if (body != k->body) return PF_OK;
  for (int i = 0; i < k->count; i++) {
    bool inside = true;
    double local[3];
    pf_pose_local(m->places->world + m->model->bodies[body].frame, k->point[i], local);
    for (int axis = 0; axis < 3; axis++) {
      double along = 0;
      for (int j = 0; j < 3; j++) along += b->equal.turn[3*j + axis]*(local[j] - b->com[j]);
      inside = inside && !(fabs(along) > 1.02*b->equal.half[axis]);
    }
    if (!inside) PF_TRY(rod(m, k, k->com, k->point[i]));
  }
  return PF_OK;
}

/* A plate that reaches all its points; without any, one with the right inertia that is longer than wide. */
static PfStatus add_plate(PfMaker *m, const Skeleton *k, int body)
{
  const PfBodyNumbers *b = m->bodies + body;
  PfShape s = body_shape(m, body, PF_SHAPE_BOX);
  double low[2], high[2], moment = fmax(b->inertia[0], fmax(b->inertia[4], b->inertia[8]));
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(s.turn, identity, sizeof identity);
  /* How far its points reach along an axis of the body, from its centre. */
  double local[3];
  pf_pose_local(m->places->world + m->model->bodies[body].frame, k->com, local);
  for (int j = 0; j < 2; j++) low[j] = high[j] = local[j];
  for (int i = 0; i < k->count; i++) {
    pf_pose_local(m->places->world + m->model->bodies[body].frame, k->point[i], local);
    for (int j = 0; j < 2; j++) low[j] = fmin(low[j], local[j]), high[j] = fmax(high[j], local[j]);
  }
  for (int j = 0; j < 2; j++) s.size[j] = high[j] - low[j], s.at[j] = (high[j] + low[j])/2;
  double length = fmax(s.size[0], s.size[1]), own = b->mass > 0 ? sqrt(12*moment/b->mass) : 0.3*m->size;
  if (length < 0.05*m->size) s.size[0] = own*5/sqrt(34), s.size[1] = own*3/sqrt(34);
  else
    for (int j = 0; j < 2; j++) s.size[j] = fmax(1.12*s.size[j], 0.25*length);
  s.size[2] = plate_part*m->size;
  s.at[2] += lift_of(m) + (lift_of(m) > 0 ? s.size[2]/2 : 0);
  PF_TRY(pf_scene_add(m, s));
  /* Blades below a plate are seen on top of it. */
  double thickness = s.size[2];
  for (int i = 0; i < m->model->contact_count; i++) {
    const PfContact *c = m->model->contacts + i;
    if (c->kind != PF_CONTACT_SKATE || m->solids.of[c->body] != k->solid || !(lift_of(m) > 0)) continue;
    PfShape fin = pf_shape_on(c->body, PF_SHAPE_BOX, PF_ROLE_BLADE, c->name);
    fin.size[0] = 3.2*m->blade, fin.size[1] = 0.3*m->blade, fin.size[2] = 0.3*m->blade;
    fin.at[2] = lift_of(m) + thickness + 0.15*m->blade;
    PF_TRY(pf_scene_add(m, fin));
  }
  return PF_OK;
}

/* A body that turns about its own centre and carries nothing: a rotor. */
static PfStatus add_rotor(PfMaker *m, int body)
{
  const PfBodyNumbers *b = m->bodies + body;
  PfShape s = body_shape(m, body, PF_SHAPE_WHEEL);
  double moment = fmax(b->inertia[0], fmax(b->inertia[4], b->inertia[8])), lift = lift_of(m);
  s.size[0] = b->mass > 0 ? sqrt(2*moment/b->mass) : 0.17*m->size;
  s.size[1] = plate_part*m->size;
  s.at[2] += lift > 0 ? lift + 2*s.size[1] : 0;
  return pf_scene_add(m, s);
}

/* The shapes of one body, number `body`, of the solid; rods of the solid come with its heaviest. */
static PfStatus add_body(PfMaker *m, const Skeleton *k, int body)
{
  PfShape bob = body_shape(m, body, PF_SHAPE_SPHERE);
  bool blade = false;
  switch (m->bodies[body].equal.solidity) {
  case PF_SOLID_FULL: return add_full(m, k, body);
  case PF_SOLID_POINT:
    bob.size[0] = bob_part*m->size;
    PF_TRY(pf_scene_add(m, bob));
    return body == k->body ? rods_from(m, k, k->com) : PF_OK;
  case PF_SOLID_FLAT:
    for (int i = 0; i < m->model->contact_count; i++)
      blade = blade || m->solids.of[m->model->contacts[i].body] == k->solid;
    if (body != k->body || (m->bodies[body].mass <= 0 && blade && k->count < 2)) return PF_OK;
    /* A body with one moment of inertia: a plate, rods between its joints, a rotor, or a rod whose middle is the
     * centre of mass. */
    const PfBodyNumbers *b = m->bodies + body;
    if (!k->has_joint) return add_plate(m, k, body);
    double arm = pf_distance3(k->point[0], k->com);
    if (k->count > 1) return rods_from(m, k, k->point[0]);
    if (arm < 0.02*m->size) return add_rotor(m, body);
    double tip[3];
    for (int j = 0; j < 3; j++) tip[j] = 2*k->com[j] - k->point[0][j];
    PF_TRY(rod(m, k, k->point[0], tip));
    return b->mass > 0 ? PF_OK : add_rotor(m, body);
  case PF_SOLID_NONE: break;
  }
  return rods_from(m, k, k->com);
}

/* ---------------------------------------------------------------- joints */

/* The rail of a solid that slides: on both sides of where it begins, or on the one where it stands. */
static PfStatus add_rail(PfMaker *m, const PfSolid *s)
{
  int frame = m->solids.solids[s->parent].frame;
  double a[3], b[3], length = pf_length3(s->axis), off[3], way = 0;
  if (!(length > 0)) return PF_OK;
  for (int i = 0; i < 3; i++) off[i] = s->joint[i] - s->foot[i];
  way = pf_dot3(off, s->axis)/length;
  double reach = fmax(1.1*fabs(way), 0.44*m->size), low = way > 0.1*m->size ? -0.05*m->size : -reach,
         high = way < -0.1*m->size ? 0.05*m->size : reach;
  if (low > -reach || high < reach) low *= 1.3, high *= 1.3; /* some way beyond where it stands */
  for (int i = 0; i < 3; i++) {
    a[i] = s->foot[i] + low*s->axis[i]/length;
    b[i] = s->foot[i] + high*s->axis[i]/length;
  }
  PfRail rail = {(int)m->shapes.count, s->frame};
  if (!pf_push(pf_context_allocator(m->ctx), &m->rails, rail)) return pf_no_room(m->ctx, "the scene");
  return pf_scene_rod(m, frame, PF_ROLE_BASE, s->name, -1, a, b, 0.5*rod_part*m->size);
}

/* A mark for the joint of a solid, its rail, and a base when it stands on the ground. */
static PfStatus add_joint(PfMaker *m, int solid)
{
  const PfSolid *s = m->solids.solids + solid;
  double point[3], local[3];
  if (!s->frame || pf_solid_floats(s)) return PF_OK;
  if (s->slides == 1) PF_TRY(add_rail(m, s));
  if (!s->turns) return PF_OK;
  find_joint_point(m, solid, point);
  point[2] += lift_of(m);
  bool hinge = s->turns == 1 && !s->ball;
  PfShape joint = pf_shape_on(s->frame, hinge ? PF_SHAPE_CYLINDER : PF_SHAPE_SPHERE, PF_ROLE_JOINT, s->name);
  joint.size[0] = joint_part*m->size*(hinge ? 1 : 1.2), joint.size[1] = 2.4*joint_part*m->size;
  pf_pose_local(m->places->world + s->frame, point, joint.at);
  pf_pose_local_direction(m->places->world + s->frame, s->axis, local);
  if (hinge) pf_turn_to(local, joint.turn);
  PF_TRY(pf_scene_add(m, joint));
  if (s->parent != 0 || s->slides) return PF_OK;
  PfShape base = pf_shape_on(0, PF_SHAPE_BOX, PF_ROLE_BASE, "ground");
  for (int i = 0; i < 3; i++) base.size[i] = 3.2*joint_part*m->size, base.at[i] = point[i];
  if (!s->ball && s->turns == 1) pf_turn_to(s->axis, base.turn);
  base.size[2] = 1.6*joint_part*m->size;
  return pf_scene_add(m, base);
}

/* ---------------------------------------------------------------- size, traces, all */

/* The path of a solid that floats, or is at the end of an arm that does not. */
static PfStatus add_trace(PfMaker *m, const Skeleton *k)
{
  const PfSolid *s = m->solids.solids + k->solid;
  bool last = true;
  if (!s->frame || (k->body < 0 && !pf_solid_floats(s))) return PF_OK;
  for (int i = 0; i < m->solids.count; i++) last = last && m->solids.solids[i].parent != k->solid;
  if (!pf_solid_floats(s) && (!last || k->round || s->slides)) return PF_OK;
  for (int i = s->parent; i > 0 && !pf_solid_floats(s); i = m->solids.solids[i].parent)
    if (pf_solid_floats(m->solids.solids + i)) return PF_OK;
  const PfBody *b = k->body < 0 ? NULL : m->model->bodies + k->body;
  PfVector point = b ? pf_point_position(m->model, b->frame, b->com) : pf_frame_position(m->model, s->frame);
  return pf_scene_trace(m, point, s->name, k->solid);
}

/* All shapes of one solid. One with shapes by 'draw' hangs on its joint by rods all the same. */
static PfStatus add_solid(PfMaker *m, int solid)
{
  Skeleton k;
  find_skeleton(m, solid, &k);
  PF_TRY(add_joint(m, solid));
  PF_TRY(add_trace(m, &k));
  if (solid && k.drawn && k.has_joint && !k.round) {
    double tip[3];
    bool whole = k.body >= 0 && k.count == 1 && m->bodies[k.body].equal.solidity == PF_SOLID_FLAT;
    for (int j = 0; j < 3; j++) tip[j] = whole ? 2*k.com[j] - k.point[0][j] : k.com[j];
    PF_TRY(rods_from(m, &k, k.point[0]));
    return rod(m, &k, k.point[0], tip);
  }
  if (!solid || k.drawn) return PF_OK;
  bool any = false;
  for (int b = 0; b < m->model->body_count; b++) {
    if (m->solids.of[m->model->bodies[b].frame] != solid) continue;
    any = true;
    if (!pf_scene_is_round(m, m->model->bodies[b].frame)) PF_TRY(add_body(m, &k, b));
  }
  return any || k.round || k.count < 2 ? PF_OK : rods_from(m, &k, k.com);
}

PfStatus pf_scene_bodies(PfMaker *m)
{
  for (int i = 0; i < m->solids.count; i++) PF_TRY(add_solid(m, i));
  return PF_OK;
}

void pf_scene_measure(PfMaker *m)
{
  Skeleton k;
  for (int solid = 1; solid < m->solids.count; solid++) {
    find_skeleton(m, solid, &k);
    for (int i = 0; i < k.count; i++) {
      m->size = fmax(m->size, pf_distance3(k.point[i], k.com));
      for (int j = 0; j < i; j++) m->size = fmax(m->size, pf_distance3(k.point[i], k.point[j]));
    }
    for (int b = 0; b < m->model->body_count; b++)
      for (int i = 0; i < 3 && m->solids.of[m->model->bodies[b].frame] == solid; i++)
        m->size = fmax(m->size, 2*m->bodies[b].equal.half[i]);
  }
}
