/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a robot, as text. */
#include "import/urdf.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers */

static void put_number(PfText *text, double x)
{
  pf_text_number(text, x == 0 ? 0 : x); /* no -0 */
}

/* Angles like 1.5707963267948966 are written as what was meant; a rounded 1.57 stays 1.57. */
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

static void put_vector(PfText *text, const double v[3])
{
  for (int i = 0; i < 3; i++) {
    pf_text_add(text, i ? ", " : "(");
    put_number(text, v[i]);
  }
  pf_text_add(text, ")");
}

static bool is_zero(const double *v, int count)
{
  for (int i = 0; i < count; i++)
    if (v[i] != 0) return false;
  return true;
}

/* ---------------------------------------------------------------- placements */

static void put_pose(PfText *text, const UrdfPose *pose)
{
  static const char axes[] = "xyz";
  if (!is_zero(pose->at, 3)) {
    pf_text_add(text, " at ");
    put_vector(text, pose->at);
  }
  for (int i = 2; i >= 0; i--) { /* yaw, pitch, roll: each about an axis that the ones before have turned */
    if (pose->rpy[i] == 0) continue;
    pf_text_add(text, " turn ");
    put_angle(text, pose->rpy[i]);
    pf_text_print(text, " about %c", axes[i]);
  }
}

static void put_axis(PfText *text, const double axis[3])
{
  for (int i = 0; i < 3; i++)
    if (axis[i] > 0 && axis[(i + 1)%3] == 0 && axis[(i + 2)%3] == 0) {
      pf_text_print(text, "%c", "xyz"[i]);
      return;
    }
  put_vector(text, axis);
}

static void put_planar(PfText *text, const UrdfJoint *joint)
{
  double u[3], v[3];
  pf_urdf_plane(joint->axis, u, v);
  pf_text_print(text, " shift %s_u along ", joint->coordinate);
  put_axis(text, u);
  pf_text_print(text, " shift %s_v along ", joint->coordinate);
  put_axis(text, v);
  pf_text_print(text, " turn %s about ", joint->coordinate);
  put_axis(text, joint->axis);
}

static void put_joint(PfText *text, const UrdfJoint *joint)
{
  put_pose(text, &joint->origin);
  switch (joint->kind) {
  case URDF_FIXED: break;
  case URDF_REVOLUTE:
  case URDF_PRISMATIC: {
    bool turns = joint->kind == URDF_REVOLUTE;
    pf_text_print(text, " %s %s %s ", turns ? "turn" : "shift", joint->coordinate, turns ? "about" : "along");
    put_axis(text, joint->axis);
    break;
  }
  case URDF_PLANAR: put_planar(text, joint); break;
  case URDF_FLOATING: pf_text_add(text, " free"); break;
  }
}

/* ---------------------------------------------------------------- inertia */

static void put_inertia(PfText *text, const UrdfLink *link)
{
  double I[6];
  pf_urdf_inertia(link, I);
  bool diagonal = is_zero(I + 3, 3);
  pf_text_add(text, diagonal ? ", inertia diag(" : ",\ninertia inertia(");
  for (int i = 0; i < (diagonal ? 3 : 6); i++) {
    if (i) pf_text_add(text, ", ");
    put_number(text, I[i]);
  }
  pf_text_add(text, ")");
}

static void put_block(PfText *text, const UrdfLink *link)
{
  if (link->mass == 0 && is_zero(link->inertia, 6)) return;
  pf_text_add(text, " {\nmass ");
  put_number(text, link->mass);
  if (!is_zero(link->center.at, 3)) {
    pf_text_add(text, ", com ");
    put_vector(text, link->center.at);
  }
  if (!is_zero(link->inertia, 6)) put_inertia(text, link);
  pf_text_add(text, "\n}");
}

/* ---------------------------------------------------------------- statements */

static void put_coordinate(PfText *text, const UrdfJoint *joint)
{
  const char *q = joint->coordinate;
  if (joint->is_welded) {
    pf_text_print(text, "# %s is welded at ", q);
    put_number(text, joint->held);
    pf_text_add(text, "\n");
    return;
  }
  switch (joint->kind) {
  case URDF_FIXED:
  case URDF_FLOATING: return;
  case URDF_PLANAR: pf_text_print(text, "coord %s_u, %s_v [m], %s [rad]", q, q, q); break;
  default: pf_text_print(text, "coord %s [%s]", q, joint->kind == URDF_REVOLUTE ? "rad" : "m");
  }
  if (joint->has_limits) {
    pf_text_add(text, "  # from ");
    put_number(text, joint->lower);
    pf_text_add(text, " to ");
    put_number(text, joint->upper);
  }
  pf_text_add(text, "\n");
}

static void put_root(PfText *text, const UrdfRobot *robot)
{
  const char *const *q = robot->base_names;
  if (robot->lift != 0) {
    pf_text_add(text, " at (0, 0, ");
    put_number(text, robot->lift);
    pf_text_add(text, ")");
  }
  if (robot->base == PF_BASE_FREE) pf_text_add(text, " free");
  if (robot->base == PF_BASE_PLANAR)
    pf_text_print(text, " shift %s along x shift %s along y turn %s about z", q[0], q[1], q[2]);
}

static void put_body(PfText *text, const UrdfRobot *robot, const UrdfLink *link)
{
  const UrdfJoint *joint = link->joint >= 0 ? robot->joints + link->joint : NULL;
  pf_text_print(text, "body %s in %s", link->body, joint ? robot->links[joint->parent].body : "ground");
  if (joint) put_joint(text, joint);
  else put_root(text, robot);
  put_block(text, link);
  pf_text_add(text, "\n");
}

static void put_damping(PfText *text, const UrdfJoint *joint)
{
  if (joint->damping == 0 || (joint->kind != URDF_REVOLUTE && joint->kind != URDF_PRISMATIC)) return;
  pf_text_print(text, "damper %s { damping ", joint->coordinate);
  put_number(text, joint->damping);
  pf_text_add(text, " }\n");
}

static const char *unit_of(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE ? "rad" : "m";
}

static const char *force_unit_of(const UrdfJoint *joint)
{
  return joint->kind == URDF_REVOLUTE ? "N m" : "N";
}

/* Dry friction as books have it: a run decides what sticks. */
static void put_friction(PfText *text, const UrdfJoint *joint)
{
  if (!pf_urdf_has_friction(joint)) return;
  pf_text_print(text, "force %s = -", joint->coordinate);
  put_number(text, joint->friction);
  pf_text_print(text, " [%s]*sign(%s')\n", force_unit_of(joint), joint->coordinate);
}

/* What mimics another joint follows it by a constraint; a fixed joint stays where it is, and so does who mimics it. */
static void put_mimic(PfText *text, const UrdfRobot *robot, const UrdfJoint *joint)
{
  if (joint->mimics < 0 || joint->kind == URDF_FIXED) return;
  const UrdfJoint *leader = robot->joints + joint->mimics;
  bool follows = leader->kind != URDF_FIXED && joint->multiplier != 0;
  pf_text_print(text, "constraint %s: %s = ", joint->coupling, joint->coordinate);
  if (follows && (joint->multiplier != 1 || joint->kind != leader->kind)) {
    put_number(text, joint->multiplier);
    if (joint->kind != leader->kind) pf_text_print(text, " [%s/%s]", unit_of(joint), unit_of(leader));
    pf_text_add(text, "*");
  }
  if (follows) pf_text_add(text, leader->coordinate);
  if (!follows || joint->offset != 0) {
    pf_text_add(text, follows ? " + " : "");
    put_number(text, joint->offset);
    pf_text_print(text, " [%s]", unit_of(joint));
  }
  pf_text_add(text, "\n");
}

/* Where a joint starts that others follow: they are where their constraints put them. */
static void put_start(PfText *text, const UrdfRobot *robot, int j)
{
  const UrdfJoint *joint = robot->joints + j;
  double start;
  if (joint->mimics >= 0 || joint->kind == URDF_FIXED || !pf_urdf_start(robot, j, &start)) return;
  pf_text_print(text, "start %s = ", joint->coordinate);
  put_number(text, start);
  pf_text_add(text, "\n");
}

static void put_actuator(PfText *text, const UrdfJoint *joint)
{
  if (!joint->is_actuated) return;
  pf_text_print(text, "input %s [%s]", joint->input, force_unit_of(joint));
  if (joint->effort > 0 && isfinite(joint->effort)) {
    pf_text_add(text, "  # up to ");
    put_number(text, joint->effort);
  }
  pf_text_print(text, "\nforce %s = %s\n", joint->coordinate, joint->input);
}

/* A direction of length 1 in the axes of the frame. */
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

static void put_wheel(PfText *text, const UrdfRobot *robot, const UrdfLink *wheel)
{
  if (!wheel->is_wheel || !robot->joints) return;
  if (wheel->hub) {
    pf_text_print(text, "frame %s in %s at ", wheel->hub, wheel->body);
    put_vector(text, wheel->shape.at);
    pf_text_add(text, "\n");
  }
  pf_text_print(text, "roll %s: disc %s { radius ", wheel->contact, wheel->hub ? wheel->hub : wheel->body);
  put_number(text, wheel->radius);
  pf_text_add(text, ", axis ");
  put_direction(text, wheel->body, wheel->axis);
  pf_text_add(text, " } on ground\n");
}

/* ---------------------------------------------------------------- loops */

/* dot(a in the axes of the first end, b in those of the second) */
static void put_cosine(PfText *text, const UrdfLoop *loop, const double a[3], const double b[3])
{
  pf_text_add(text, "dot(");
  put_direction(text, loop->end[0].frame, a);
  pf_text_add(text, ", ");
  put_direction(text, loop->end[1].frame, b);
  pf_text_add(text, ")");
}

/* How far the second end is from the first, along a direction of the first. */
static void put_distance(PfText *text, const UrdfLoop *loop, const double a[3])
{
  pf_text_print(text, "dot(pos(%s) - pos(%s), ", loop->end[1].frame, loop->end[0].frame);
  put_direction(text, loop->end[0].frame, a);
  pf_text_add(text, ")");
}

/* A ball, a hinge, a universal joint and a weld hold the points together; a slide lets them apart along its axis, a
 * plane holds the distance from it. Rows that hold always (0 = 0) are no constraints. */
static void put_loop_places(PfText *text, const UrdfLoop *loop)
{
  double u[3], v[3];
  const UrdfLoopEnd *end = loop->end;
  pf_urdf_plane(end->axis, u, v);
  pf_text_print(text, "constraint %s: ", loop->constraint);
  if (loop->kind == URDF_LOOP_PLANAR) {
    put_distance(text, loop, end->axis);
    pf_text_add(text, " = 0\n");
  } else if (loop->kind == URDF_LOOP_PRISMATIC) {
    pf_text_add(text, "(");
    put_distance(text, loop, u);
    pf_text_add(text, ", ");
    put_distance(text, loop, v);
    pf_text_add(text, ", 0) = (0, 0, 0)\n");
  } else {
    pf_text_print(text, "pos(%s) = pos(%s)\n", end[1].frame, end[0].frame);
  }
}

static void put_loop_directions(PfText *text, const UrdfLoop *loop)
{
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double u[3], v[3];
  if (loop->kind == URDF_LOOP_BALL) return;
  pf_text_print(text, "constraint %s: ", loop->turn);
  if (loop->kind == URDF_LOOP_UNIVERSAL) {
    put_cosine(text, loop, loop->end[0].axis, loop->end[1].axis);
    pf_text_add(text, " = 0\n");
    return;
  }
  bool turns = loop->kind == URDF_LOOP_REVOLUTE || loop->kind == URDF_LOOP_PLANAR;
  pf_urdf_plane(loop->end[0].axis, u, v);
  pf_text_add(text, "(");
  put_cosine(text, loop, turns ? u : axes[0], turns ? loop->end[1].axis : axes[1]);
  pf_text_add(text, ", ");
  put_cosine(text, loop, turns ? v : axes[1], turns ? loop->end[1].axis : axes[2]);
  pf_text_add(text, ", ");
  if (turns) pf_text_add(text, "0");
  else put_cosine(text, loop, axes[2], axes[0]);
  pf_text_add(text, ") = (0, 0, 0)\n");
}

static void put_loop(PfText *text, const UrdfRobot *robot, const UrdfLoop *loop)
{
  for (int i = 0; i < 2; i++) {
    pf_text_print(text, "frame %s in %s", loop->end[i].frame, robot->links[loop->end[i].link].body);
    put_pose(text, &loop->end[i].pose);
    pf_text_add(text, "\n");
  }
  put_loop_places(text, loop);
  put_loop_directions(text, loop);
}

/* ---------------------------------------------------------------- all */

static void put_model(PfText *text, const UrdfRobot *robot, const PfUrdf *options)
{
  const char *const *base = robot->base_names;
  pf_text_print(text, "model %s\n\ngravity (0, 0, -9.81)\n\n", robot->name);
  if (robot->base == PF_BASE_PLANAR) pf_text_print(text, "coord %s, %s [m], %s [rad]\n", base[0], base[1], base[2]);
  for (int j = 0; j < robot->joint_count; j++) put_coordinate(text, robot->joints + j);
  pf_text_add(text, "\n");
  for (int i = 0; i < robot->link_count; i++) put_body(text, robot, robot->links + robot->order[i]);
  pf_text_add(text, "\n");
  for (int j = 0; j < robot->joint_count; j++) put_damping(text, robot->joints + j);
  for (int j = 0; j < robot->joint_count && !options->no_friction; j++) put_friction(text, robot->joints + j);
  for (int j = 0; j < robot->joint_count; j++) put_mimic(text, robot, robot->joints + j);
  for (int j = 0; j < robot->joint_count; j++) put_start(text, robot, j);
  for (int j = 0; j < robot->joint_count; j++) put_actuator(text, robot->joints + j);
  for (int i = 0; i < robot->link_count; i++) put_wheel(text, robot, robot->links + i);
  for (int i = 0; i < robot->loop_count; i++) put_loop(text, robot, robot->loops + i);
}

PfStatus pf_import_urdf(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                        const PfUrdf *options, const char **text)
{
  static const PfUrdf plain = {0};
  UrdfRobot robot = {0};
  PF_TRY(pf_urdf_read(ctx, arena, file, bytes, count, &robot));
  PF_TRY(pf_urdf_connect(ctx, arena, &robot));
  if (!options) options = &plain;
  PF_TRY(pf_urdf_weld(ctx, arena, &robot, options->weld));
  PF_TRY(pf_urdf_equip(ctx, arena, &robot, options));
  PF_TRY(pf_urdf_name(ctx, arena, &robot));
  if (!options->no_friction) pf_urdf_warn_friction(ctx, &robot, false);
  pf_urdf_warn(ctx, &robot);
  PfText model;
  pf_text_init(&model, pf_context_allocator(ctx));
  put_model(&model, &robot, options);
  *text = model.failed ? NULL : pf_arena_text(arena, pf_text_get(&model), model.count);
  pf_text_free(&model);
  return *text ? PF_OK : pf_no_room(ctx, "the text of the model");
}
