/* A robot as URDF describes it (https://wiki.ros.org/urdf/XML): links with inertia, joints between them. */
#ifndef PF_SRC_URDF_H
#define PF_SRC_URDF_H

#include "base/base.h"

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
  int joint;          /* the joint whose child it is, or -1: a root */
  const char *body;   /* its name in the model */
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
  const char *coupling;    /* the name of the constraint that makes it follow */
  const char *coordinate;  /* its name in the model, also the stem of several */
} UrdfJoint;

typedef struct UrdfRobot {
  const char *name;
  int link_count, joint_count;
  UrdfLink *links;
  UrdfJoint *joints;
  int *order; /* links, parents before children */
} UrdfRobot;

/* The elements of the XML text. */
PfStatus pf_urdf_read(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      UrdfRobot *robot);

/* Finds links by name, sees to it that they form trees, orders them. */
PfStatus pf_urdf_connect(PfContext *ctx, PfArena *arena, UrdfRobot *robot);

/* Names of the language for links and joints. */
PfStatus pf_urdf_name(PfContext *ctx, PfArena *arena, UrdfRobot *robot);

#endif
