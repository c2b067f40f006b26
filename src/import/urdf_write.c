/* The model of a robot, as text. */
#include "import/urdf.h"
#include "pfaff/import.h"

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

/* Two directions that span the plane of the joint, normal to its axis. */
static void span(const double axis[3], double u[3], double v[3])
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) < fabs(axis[least])) least = i;
  double e[3] = {0};
  e[least] = 1;
  for (int i = 0; i < 3; i++) v[i] = axis[(i + 1)%3]*e[(i + 2)%3] - axis[(i + 2)%3]*e[(i + 1)%3];
  for (int i = 0; i < 3; i++) u[i] = v[(i + 1)%3]*axis[(i + 2)%3] - v[(i + 2)%3]*axis[(i + 1)%3];
}

static void put_planar(PfText *text, const UrdfJoint *joint)
{
  double u[3], v[3];
  span(joint->axis, u, v);
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

static void turn_about(const double rpy[3], double R[3][3])
{
  double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]), sy = sin(rpy[2]);
  double rows[3][3] = {{cy*cp, cy*sp*sr - sy*cr, cy*sp*cr + sy*sr},
                       {sy*cp, sy*sp*sr + cy*cr, sy*sp*cr - cy*sr},
                       {-sp, cp*sr, cp*cr}};
  memcpy(R, rows, sizeof rows);
}

/* From the axes of <inertial><origin> to those of the link: R I R^T, as xx, yy, zz, xy, yz, xz. */
static void turned_inertia(const UrdfLink *link, double out[6])
{
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *I = link->inertia;
  memcpy(out, I, 6*sizeof *out);
  if (is_zero(link->center.rpy, 3)) return;
  double R[3][3], full[3][3] = {{I[0], I[3], I[5]}, {I[3], I[1], I[4]}, {I[5], I[4], I[2]}};
  turn_about(link->center.rpy, R);
  for (int e = 0; e < 6; e++) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) sum += R[row[e]][i]*full[i][j]*R[column[e]][j];
    out[e] = fabs(sum) < 1e-15*(fabs(I[0]) + fabs(I[1]) + fabs(I[2])) ? 0 : sum; /* rounding of a quarter turn */
  }
}

/* No distribution of mass has a moment larger than the sum of the two others. */
static void check_inertia(PfContext *ctx, const UrdfLink *link)
{
  const double *I = link->inertia;
  for (int i = 0; i < 3; i++)
    if (I[i] < 0 || I[i] > (I[(i + 1)%3] + I[(i + 2)%3])*(1 + 1e-9)) {
      pf_warn_at(ctx, link->place, "no body has the moments of inertia of the link '%s': %g, %g, %g", link->name, I[0],
                 I[1], I[2]);
      pf_hint(ctx, "each must not be larger than the sum of the others");
      return;
    }
}

static void put_inertia(PfText *text, const UrdfLink *link)
{
  double I[6];
  turned_inertia(link, I);
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

static void put_body(PfText *text, const UrdfRobot *robot, const UrdfLink *link, bool floating)
{
  const UrdfJoint *joint = link->joint >= 0 ? robot->joints + link->joint : NULL;
  pf_text_print(text, "body %s in %s", link->body, joint ? robot->links[joint->parent].body : "ground");
  if (joint) put_joint(text, joint);
  else if (floating) pf_text_add(text, " free");
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

static void warn(PfContext *ctx, const UrdfRobot *robot)
{
  for (int i = 0; i < robot->link_count; i++) check_inertia(ctx, robot->links + i);
  for (int j = 0; j < robot->joint_count; j++) {
    const UrdfJoint *joint = robot->joints + j;
    if (joint->friction != 0)
      pf_warn_at(ctx, joint->place, "the dry friction of the joint '%s' is left out", joint->name);
  }
}

static void put_model(PfText *text, const UrdfRobot *robot, bool floating)
{
  pf_text_print(text, "model %s\n\ngravity (0, 0, -9.81)\n\n", robot->name);
  for (int j = 0; j < robot->joint_count; j++) put_coordinate(text, robot->joints + j);
  pf_text_add(text, "\n");
  for (int i = 0; i < robot->link_count; i++) put_body(text, robot, robot->links + robot->order[i], floating);
  pf_text_add(text, "\n");
  for (int j = 0; j < robot->joint_count; j++) put_damping(text, robot->joints + j);
  for (int j = 0; j < robot->joint_count; j++) put_mimic(text, robot, robot->joints + j);
}

PfStatus pf_import_urdf(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                        bool floating, const char **text)
{
  UrdfRobot robot = {0};
  PF_TRY(pf_urdf_read(ctx, arena, file, bytes, count, &robot));
  PF_TRY(pf_urdf_connect(ctx, arena, &robot));
  PF_TRY(pf_urdf_name(ctx, arena, &robot));
  warn(ctx, &robot);
  PfText model;
  pf_text_init(&model, pf_context_allocator(ctx));
  put_model(&model, &robot, floating);
  *text = model.failed ? NULL : pf_arena_text(arena, pf_text_get(&model), model.count);
  pf_text_free(&model);
  return *text ? PF_OK : pf_fail(ctx, PF_ERR_MEMORY, "no room for the text of the model");
}
