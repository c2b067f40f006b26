/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a robot, as text. */
#include "import/urdf.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- numbers */

/* The shortest text that reads back as the same number. */
static void put_number(PfText *text, double x)
{
  char digits[40];
  for (int precision = 1; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, x);
    double back;
    if (sscanf(digits, "%lf", &back) == 1 && back == x) break;
  }
  pf_text_add(text, digits);
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
  pf_text_print(text, "input %s [%s]\nforce %s = %s\n", joint->input, joint->kind == URDF_REVOLUTE ? "N m" : "N",
                joint->coordinate, joint->input);
}

/* The axle as a direction of length 1 in the axes of the wheel. */
static void put_axle(PfText *text, const UrdfLink *wheel, const double axis[3])
{
  double length = sqrt(axis[0]*axis[0] + axis[1]*axis[1] + axis[2]*axis[2]);
  const char *between = "";
  for (int i = 0; i < 3; i++) {
    if (axis[i] == 0) continue;
    pf_text_add(text, between);
    if (fabs(axis[i]) != length) put_number(text, axis[i]/length);
    pf_text_print(text, "%s%s.%c", fabs(axis[i]) != length ? "*" : "", wheel->body, "xyz"[i]);
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
  put_axle(text, wheel, robot->joints[wheel->joint].axis);
  pf_text_add(text, " } on ground\n");
}

static void put_model(PfText *text, const UrdfRobot *robot)
{
  const char *const *base = robot->base_names;
  pf_text_print(text, "model %s\n\ngravity (0, 0, -9.81)\n\n", robot->name);
  if (robot->base == PF_BASE_PLANAR) pf_text_print(text, "coord %s, %s [m], %s [rad]\n", base[0], base[1], base[2]);
  for (int j = 0; j < robot->joint_count; j++) put_coordinate(text, robot->joints + j);
  pf_text_add(text, "\n");
  for (int i = 0; i < robot->link_count; i++) put_body(text, robot, robot->links + robot->order[i]);
  pf_text_add(text, "\n");
  for (int j = 0; j < robot->joint_count; j++) put_damping(text, robot->joints + j);
  for (int j = 0; j < robot->joint_count; j++) put_mimic(text, robot, robot->joints + j);
  for (int j = 0; j < robot->joint_count; j++) put_start(text, robot, j);
  for (int j = 0; j < robot->joint_count; j++) put_actuator(text, robot->joints + j);
  for (int i = 0; i < robot->link_count; i++) put_wheel(text, robot, robot->links + i);
}

PfStatus pf_import_urdf(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                        const PfUrdf *options, const char **text)
{
  static const PfUrdf plain = {0};
  UrdfRobot robot = {0};
  PF_TRY(pf_urdf_read(ctx, arena, file, bytes, count, &robot));
  PF_TRY(pf_urdf_connect(ctx, arena, &robot));
  PF_TRY(pf_urdf_equip(ctx, arena, &robot, options ? options : &plain));
  PF_TRY(pf_urdf_name(ctx, arena, &robot));
  pf_urdf_warn(ctx, &robot);
  PfText model;
  pf_text_init(&model, pf_context_allocator(ctx));
  put_model(&model, &robot);
  *text = model.failed ? NULL : pf_arena_text(arena, pf_text_get(&model), model.count);
  pf_text_free(&model);
  return *text ? PF_OK : pf_no_room(ctx, "the text of the model");
}
