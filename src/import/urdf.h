/* SPDX-License-Identifier: Apache-2.0 */
/* A robot as URDF describes it (https://wiki.ros.org/urdf/XML): links with inertia, joints between them. */
#ifndef PF_SRC_URDF_H
#define PF_SRC_URDF_H

#include "base/base.h"
#include "pfaff/import.h"

/* Position and roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). */
typedef struct UrdfPose {
  double at[3], rpy[3];
} UrdfPose;

typedef struct UrdfLink {
  const char *name;
  PfPlace place;
  double mass;
  double inertia[6]; /* xx, yy, zz, xy, yz, xz, about the mass centre, in the axes of `center` */
  UrdfPose center;
  double radius;      /* of its cylinder or sphere, <collision> before <visual>; 0: it has none */
  UrdfPose shape;     /* where that stands */
  bool shape_is_visual;
  int joint;          /* the joint whose child it is, or -1: a root */
  bool is_wheel;
  const char *body;   /* its name in the model */
  /* of a wheel: names of the contact, and of the frame at its centre (NULL: at the link itself) */
  const char *contact, *hub;
} UrdfLink;

typedef enum UrdfKind {
  URDF_FIXED,
  URDF_REVOLUTE, /* continuous too: limits are not dynamics */
  URDF_PRISMATIC,
  URDF_PLANAR,
  URDF_FLOATING
} UrdfKind;

typedef struct UrdfJoint {
  const char *name, *parent_name, *child_name;
  PfPlace place;
  UrdfKind kind;
  UrdfPose origin;
  double axis[3];
  double damping, friction;
  bool has_limits;
  double lower, upper;
  const char *mimic_name;  /* of the joint that it follows, or NULL */
  double multiplier, offset;
  int parent, child;       /* links */
  int mimics;              /* the joint that it follows, or -1 */
  bool is_followed;
  const char *coupling;    /* the name of the constraint that makes it follow */
  const char *coordinate;  /* its name in the model, also the stem of several */
  bool is_actuated;
  const char *input;       /* the name of the force of its actuator */
} UrdfJoint;

typedef struct UrdfRobot {
  const char *name;
  int link_count, joint_count;
  UrdfLink *links;
  UrdfJoint *joints;
  int *order; /* links, parents before children */
  int transmission_count;
  const char **transmissions; /* names of joints */
  PfBase base;
  double lift;                /* of the root above the ground, so that wheels touch it */
  const char *base_names[3];  /* of a planar base */
} UrdfRobot;

/* The elements of the XML text. */
PfStatus pf_urdf_read(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      UrdfRobot *robot);

/* Finds links by name, sees to it that they form trees, orders them. */
PfStatus pf_urdf_connect(PfContext *ctx, PfArena *arena, UrdfRobot *robot);

/* R = Rz(yaw) Ry(pitch) Rx(roll), by rows. */
void pf_urdf_rotation(const double rpy[3], double R[9]);
/* Two directions that span the plane of a planar joint, normal to its axis. */
void pf_urdf_plane(const double axis[3], double u[3], double v[3]);
/* The inertia about the mass centre in the axes of the link: xx, yy, zz, xy, yz, xz. */
void pf_urdf_inertia(const UrdfLink *link, double out[6]);
/* Warns of inertias that no body has, and of what changes the motion and is left out. */
void pf_urdf_warn(PfContext *ctx, const UrdfRobot *robot);

/* Marks what gets an actuator and what rolls. */
PfStatus pf_urdf_equip(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const PfUrdf *options);
/* A hint with the name that is nearest to the one nobody has. `names` is the first name, the others follow at
 * `stride`. */
void pf_urdf_suggest(PfContext *ctx, const char *const *names, size_t stride, int count, const char *name);

/* Names of the language for links, joints and what was marked. */
PfStatus pf_urdf_name(PfContext *ctx, PfArena *arena, UrdfRobot *robot);

/* Where a joint starts that others follow, in its own unit; false when nobody does, or all are at 0 as without a
 * start. */
bool pf_urdf_start(const UrdfRobot *robot, int leader, double *start);
void pf_urdf_warn_starts(PfContext *ctx, const UrdfRobot *robot);

#endif
