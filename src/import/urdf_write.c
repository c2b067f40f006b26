/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a robot, as text: coordinates, bodies in the order of the tree, then forces, constraints and inputs. */
#include "import/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers and vectors */

static bool is_zero(const double *v, int count)
{
  for (int i = 0; i < count; i++)
    if (v[i] != 0) return false;
  return true;
}

static void put_number(PfText *text, double x)
{
  pf_text_number(text, x == 0 ? 0 : x); /* no -0 */
}

static void put_vector(PfText *text, const double v[3])
{
  for (int i = 0; i < 3; i++) {
    pf_text_add(text, i ? ", " : "(");
    put_number(text, v[i]);
  }
  pf_text_add(text, ")");
}

/* Angles like 1.5707963267948966 are written as the multiples of pi that they were; a rounded 1.57 stays 1.57. */
static void put_angle(PfText *text, double angle)
{
  static const double pi = 3.14159265358979323846;
  static const int parts[] = {1, 2, 3, 4, 6};
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) {
    double times = round(angle*parts[i]/pi);
    if (times == 0 || fabs(times) > 12 || fabs(angle - times*pi/parts[i]) > 1e-14) continue;
    if (fabs(times) == 1) pf_text_add(text, times < 0 ? "-pi" : "pi");
    else pf_text_print(text, "%d*pi", (int)times);
    if (parts[i] > 1) pf_text_print(text, "/%d", parts[i]);
    return;
  }
  put_number(text, angle);
}

/* An axis of a joint: x, y or z, or any vector. */
static void put_axis(PfText *text, const double axis[3])
{
  for (int i = 0; i < 3; i++)
    if (axis[i] > 0 && axis[(i + 1)%3] == 0 && axis[(i + 2)%3] == 0) {
      pf_text_print(text, "%c", "xyz"[i]);
      return;
    }
  put_vector(text, axis);
}

/* A direction of length 1 in the axes of the frame, as 0.6*b.x + 0.8*b.z. */
static void put_direction(PfText *text, const char *frame, const double axis[3])
{
  double length = sqrt(axis[0]*axis[0] + axis[1]*axis[1] + axis[2]*axis[2]);
  const char *between = "";
  for (int i = 0; i < 3; i++) {
    if (axis[i] == 0) continue;
    pf_text_add(text, between);
    bool alone = fabs(axis[i]) == length;
    if (!alone) put_number(text, axis[i]/length);
    pf_text_print(text, "%s%s.%c", !alone ? "*" : axis[i] < 0 ? "-" : "", frame, "xyz"[i]);
    between = " + ";
  }
}

/* Appends a text in which %s stands for a word, %n for a number (double), %v for a vector in brackets, %x for an axis
 * (both const double *), and %d for a direction in the axes of a frame (its name, then const double *). */
static void put(PfText *text, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  for (const char *c = format; *c; c++) {
    const char *frame;
    const size_t plain = strcspn(c, "%");
    pf_text_put(text, c, plain);
    c += plain;
    if (!*c) break;
    switch (*++c) {
    case 's': pf_text_add(text, va_arg(list, const char *)); break;
    case 'n': put_number(text, va_arg(list, double)); break;
    case 'v': put_vector(text, va_arg(list, const double *)); break;
    case 'x': put_axis(text, va_arg(list, const double *)); break;
    default:
      frame = va_arg(list, const char *);
      put_direction(text, frame, va_arg(list, const double *));
    }
  }
  va_end(list);
}

/* ---------------------------------------------------------------- bodies */

/* A placement: yaw, pitch, roll, each about an axis that the ones before have turned. */
static void put_pose(PfText *text, const UrdfPose *pose)
{
  if (!is_zero(pose->at, 3)) put(text, " at %v", pose->at);
  for (int i = 2; i >= 0; i--) {
    if (pose->rpy[i] == 0) continue;
    pf_text_add(text, " turn ");
    put_angle(text, pose->rpy[i]);
    pf_text_print(text, " about %c", "xyz"[i]);
  }
}

/* The placement of a link on its parent, with the coordinates of its joint. */
static void put_joint(PfText *text, const UrdfJoint *joint)
{
  const char *q = joint->coordinate;
  double u[3], v[3];
  put_pose(text, &joint->origin);
  switch (joint->kind) {
  case URDF_FIXED: break;
  case URDF_REVOLUTE: put(text, " turn %s about %x", q, joint->axis); break;
  case URDF_PRISMATIC: put(text, " shift %s along %x", q, joint->axis); break;
  case URDF_PLANAR:
    pf_urdf_plane(joint->axis, u, v);
    put(text, " shift %s_u along %x shift %s_v along %x turn %s about %x", q, u, q, v, q, joint->axis);
    break;
  case URDF_FLOATING: pf_text_add(text, " free"); break;
  }
}

/* The statement of a body: its parent, its placement, and mass, centre and inertia where it has some. The root has the
 * placement of the base. */
static void put_body(PfText *text, const UrdfRobot *robot, const UrdfLink *link)
{
  const UrdfJoint *joint = link->joint >= 0 ? robot->joints + link->joint : NULL;
  const char *const *q = robot->base_names;
  const bool inert = !is_zero(link->inertia, 6);
  double I[6];
  put(text, "body %s in %s", link->body, joint ? robot->links[joint->parent].body : "ground");
  if (joint) put_joint(text, joint);
  else {
    if (robot->lift != 0) put(text, " at (0, 0, %n)", robot->lift);
    if (robot->base == PF_BASE_FREE) pf_text_add(text, " free");
    if (robot->base == PF_BASE_PLANAR)
      put(text, " shift %s along x shift %s along y turn %s about z", q[0], q[1], q[2]);
  }
  if (link->mass != 0 || inert) {
    put(text, " {\nmass %n", link->mass);
    if (!is_zero(link->center.at, 3)) put(text, ", com %v", link->center.at);
    pf_urdf_inertia(link, I);
    if (inert && is_zero(I + 3, 3)) put(text, ", inertia diag(%n, %n, %n)", I[0], I[1], I[2]);
    else if (inert) put(text, ",\ninertia inertia(%n, %n, %n, %n, %n, %n)", I[0], I[1], I[2], I[3], I[4], I[5]);
    pf_text_add(text, "\n}");
  }
  pf_text_add(text, "\n");
}

/* ---------------------------------------------------------------- statements of joints */

static const char *unit_of(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE ? "rad" : "m";
}

static const char *force_unit_of(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE ? "N m" : "N";
}

/* The statement 'coord' of a joint, with its limits as a comment. */
static void put_coordinate(PfText *text, const UrdfJoint *joint)
{
  const char *q = joint->coordinate;
  if (joint->is_welded) {
    put(text, "# %s is welded at %n\n", q, joint->held);
    return;
  }
  if (joint->kind == URDF_FIXED || joint->kind == URDF_FLOATING) return;
  if (joint->kind == URDF_PLANAR) put(text, "coord %s_u, %s_v [m], %s [rad]", q, q, q);
  else put(text, "coord %s [%s]", q, unit_of(joint));
  if (joint->has_limits) put(text, "  # from %n to %n", joint->lower, joint->upper);
  pf_text_add(text, "\n");
}

/* A joint that mimics another one follows it by a constraint; a fixed joint stays where it is, and so do its
 * followers. */
static void put_mimic(PfText *text, const UrdfRobot *robot, const UrdfJoint *joint)
{
  if (joint->mimics < 0 || joint->kind == URDF_FIXED) return;
  const UrdfJoint *leader = robot->joints + joint->mimics;
  bool follows = leader->kind != URDF_FIXED && joint->multiplier != 0;
  put(text, "constraint %s: %s = ", joint->coupling, joint->coordinate);
  if (follows && (joint->multiplier != 1 || joint->kind != leader->kind)) {
    put_number(text, joint->multiplier);
    if (joint->kind != leader->kind) put(text, " [%s/%s]", unit_of(joint), unit_of(leader));
    pf_text_add(text, "*");
  }
  if (follows) pf_text_add(text, leader->coordinate);
  if (!follows || joint->offset != 0)
    put(text, "%s%n [%s]", follows ? " + " : "", joint->offset, unit_of(joint));
  pf_text_add(text, "\n");
}

/* Forces and constraints of the joints, kind by kind. Dry friction is Coulomb's law as books have it: a run decides
 * whether it sticks. Where a joint that others follow starts, they are where their constraints put them. */
static void put_laws(PfText *text, const UrdfRobot *robot, const PfUrdf *options)
{
  const UrdfJoint *joints = robot->joints, *end = joints + robot->joint_count;
  for (const UrdfJoint *j = joints; j < end; j++)
    if (j->damping != 0 && pf_urdf_has_coordinate(j))
      put(text, "damper %s { damping %n }\n", j->coordinate, j->damping);
  for (const UrdfJoint *j = joints; j < end && !options->no_friction; j++)
    if (pf_urdf_has_friction(j))
      put(text, "force %s = -%n [%s]*sign(%s')\n", j->coordinate, j->friction, force_unit_of(j), j->coordinate);
  for (const UrdfJoint *j = joints; j < end; j++) put_mimic(text, robot, j);
  for (const UrdfJoint *j = joints; j < end; j++) {
    double start;
    if (j->mimics < 0 && j->kind != URDF_FIXED && pf_urdf_start(robot, (int)(j - joints), &start))
      put(text, "start %s = %n\n", j->coordinate, start);
  }
  for (const UrdfJoint *j = joints; j < end; j++) {
    if (!j->is_actuated) continue;
    put(text, "input %s [%s]", j->input, force_unit_of(j));
    if (j->effort > 0 && isfinite(j->effort)) put(text, "  # up to %n", j->effort);
    put(text, "\nforce %s = %s\n", j->coordinate, j->input);
  }
}

/* ---------------------------------------------------------------- loops */

/* A joint that closes a loop: frames at both ends, and constraints between their places and directions. A ball, a
 * hinge, a universal joint and a weld hold the points together; a slide lets them apart along its axis, a plane holds
 * the distance from it. Directions of both ends stay normal to each other. Rows that hold always (0 = 0) are not
 * constraints. */
static void put_loop(PfText *text, const UrdfRobot *robot, const UrdfLoop *loop)
{
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const UrdfLoopEnd *end = loop->end;
  const char *a = end[0].frame, *b = end[1].frame;
  const bool turns = loop->kind == URDF_LOOP_REVOLUTE || loop->kind == URDF_LOOP_PLANAR;
  double u[3], v[3];
  for (int i = 0; i < 2; i++) {
    put(text, "frame %s in %s", end[i].frame, robot->links[end[i].link].body);
    put_pose(text, &end[i].pose);
    pf_text_add(text, "\n");
  }
  pf_urdf_plane(end->axis, u, v);
  put(text, "constraint %s: ", loop->constraint);
  if (loop->kind == URDF_LOOP_PLANAR) put(text, "dot(pos(%s) - pos(%s), %d) = 0\n", b, a, a, end->axis);
  else if (loop->kind == URDF_LOOP_PRISMATIC)
    put(text, "(dot(pos(%s) - pos(%s), %d), dot(pos(%s) - pos(%s), %d), 0) = (0, 0, 0)\n", b, a, a, u, b, a, a, v);
  else put(text, "pos(%s) = pos(%s)\n", b, a);
  if (loop->kind == URDF_LOOP_BALL) return;
  put(text, "constraint %s: ", loop->turn);
  if (loop->kind == URDF_LOOP_UNIVERSAL) put(text, "dot(%d, %d) = 0\n", a, end[0].axis, b, end[1].axis);
  else if (turns)
    put(text, "(dot(%d, %d), dot(%d, %d), 0) = (0, 0, 0)\n", a, u, b, end[1].axis, a, v, b, end[1].axis);
  else
    put(text, "(dot(%d, %d), dot(%d, %d), dot(%d, %d)) = (0, 0, 0)\n", a, axes[0], b, axes[1], a, axes[1], b, axes[2],
        a, axes[2], b, axes[0]);
}

/* ---------------------------------------------------------------- all */

PfStatus pf_import_urdf(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                        const PfUrdf *options, const char **text)
{
  UrdfRobot robot;
  PfText model;
  PF_TRY(pf_urdf_load(ctx, arena, file, bytes, count, &options, &robot));
  PF_TRY(pf_urdf_equip(ctx, arena, &robot, options));
  PF_TRY(pf_urdf_name(ctx, arena, &robot));
  if (!options->no_friction) pf_urdf_warn_friction(ctx, &robot, false);
  pf_urdf_warn(ctx, &robot);
  pf_text_init(&model, pf_context_allocator(ctx));
  /* All statements of the model in order. A wheel rolls on the ground, about a frame at its centre where the link
   * itself is not there. */
  const char *const *base = robot.base_names;
  put(&model, "model %s\n\ngravity (0, 0, -9.81)\n\n", robot.name);
  if (robot.base == PF_BASE_PLANAR) put(&model, "coord %s, %s [m], %s [rad]\n", base[0], base[1], base[2]);
  for (int j = 0; j < robot.joint_count; j++) put_coordinate(&model, robot.joints + j);
  pf_text_add(&model, "\n");
  for (int i = 0; i < robot.link_count; i++) put_body(&model, &robot, robot.links + robot.order[i]);
  pf_text_add(&model, "\n");
  put_laws(&model, &robot, options);
  for (const UrdfLink *wheel = robot.links; wheel < robot.links + robot.link_count; wheel++) {
    if (!wheel->is_wheel) continue;
    if (wheel->hub) put(&model, "frame %s in %s at %v\n", wheel->hub, wheel->body, wheel->shape.at);
    put(&model, "roll %s: disc %s { radius %n, axis %d } on ground\n", wheel->contact,
        wheel->hub ? wheel->hub : wheel->body, wheel->radius, wheel->body, wheel->axis);
  }
  for (int i = 0; i < robot.loop_count; i++) put_loop(&model, &robot, robot.loops + i);
  *text = model.failed ? NULL : pf_arena_text(arena, pf_text_get(&model), model.count);
  pf_text_free(&model);
  return *text ? PF_OK : pf_no_room(ctx, "the text of the model");
}
