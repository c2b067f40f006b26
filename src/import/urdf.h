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
  int axle;           /* of a wheel: the joint about which it turns, its own or one above that holds it by welds */
  double axis[3];     /* of that joint, in the axes of the link */
  const char *body;   /* its name in the model */
  /* of a wheel: names of the contact, and of the frame at its centre (NULL: at the link itself) */
  const char *contact, *hub;
} UrdfLink;

typedef enum UrdfKind {
  URDF_FIXED,
  URDF_REVOLUTE, /* continuous too, which has no limits */
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
  bool turns_freely, has_limits;
  double lower, upper;
  double effort;           /* the largest force or torque of its actuator; 0: the file has none */
  const char *mimic_name;  /* of the joint that it follows, or NULL */
  double multiplier, offset;
  int parent, child;       /* links */
  int mimics;              /* the joint that it follows, or -1 */
  bool is_followed;
  bool is_welded;          /* by an option: it is then of the kind fixed, */
  double held;             /* at this value */
  bool moves_no_mass;      /* the bodies it carries have no inertia along its motion, wherever other joints are */
  const char *coupling;    /* the name of the constraint that makes it follow */
  const char *coordinate;  /* its name in the model, also the stem of several */
  bool is_actuated;
  const char *input;       /* the name of the force of its actuator */
} UrdfJoint;

typedef enum UrdfLoopKind {
  URDF_LOOP_FIXED,
  URDF_LOOP_REVOLUTE, /* the axes of both ends stay parallel, their points together */
  URDF_LOOP_PRISMATIC,
  URDF_LOOP_PLANAR,
  URDF_LOOP_UNIVERSAL, /* the axes stay normal to each other */
  URDF_LOOP_BALL
} UrdfLoopKind;

typedef struct UrdfLoopEnd {
  const char *link_name;
  int link;
  UrdfPose pose;
  double axis[3];    /* in the axes of the pose */
  const char *frame; /* its name in the model */
} UrdfLoopEnd;

/* <constraint>: a joint that closes a loop of the tree. */
typedef struct UrdfLoop {
  const char *name;
  PfPlace place;
  UrdfLoopKind kind;
  UrdfLoopEnd end[2]; /* on the parent, on the child */
  const char *constraint, *turn; /* names of the constraints of places and of directions */
} UrdfLoop;

typedef struct UrdfRobot {
  const char *name;
  int link_count, joint_count;
  UrdfLink *links;
  UrdfJoint *joints;
  int loop_count;
  UrdfLoop *loops;
  int *order; /* links, parents before children */
  int transmission_count;
  const char **transmissions; /* names of joints */
  int mesh_count;             /* shapes of <visual> that are in files of their own */
  PfPlace first_mesh;
  PfBase base;
  double lift;                /* of the root above the ground, so that wheels touch it */
  const char *base_names[3];  /* of a planar base */
} UrdfRobot;

/* ---------------------------------------------------------------- from text to a robot */

/* The elements of the XML text (urdf_read.c). `file` is its name for messages and must outlive the places in them;
 * names and lists of the robot are in the arena. Fails with PF_ERR_SYNTAX, PF_ERR_MODEL, and with PF_ERR_MISSING
 * without expat. */
PfStatus pf_urdf_read(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      UrdfRobot *robot);

/* Finds links, and joints that others mimic, by their names; checks that the links form one tree, and orders them
 * (urdf_tree.c). */
PfStatus pf_urdf_connect(PfContext *ctx, PfArena *arena, UrdfRobot *robot);

/* Reads, connects and welds: all steps that a model and a tree have in common. *options NULL becomes the defaults
 * (urdf_weld.c). */
PfStatus pf_urdf_load(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                      const PfUrdf **options, UrdfRobot *robot);

/* ---------------------------------------------------------------- numbers (urdf_numbers.c) */

/* R = Rz(yaw) Ry(pitch) Rx(roll), by rows. */
void pf_urdf_rotation(const double rpy[3], double R[9]);
/* Two directions that span the plane of a planar joint, normal to its axis. */
void pf_urdf_plane(const double axis[3], double u[3], double v[3]);
/* C = A B of rotation matrices; C is neither. */
void pf_urdf_product(const double A[9], const double B[9], double C[9]);
/* The inertia about the mass centre in the axes of the link, R I R^T: xx, yy, zz, xy, yz, xz. */
void pf_urdf_inertia(const UrdfLink *link, double out[6]);
/* The same as a matrix by rows. */
void pf_urdf_inertia_matrix(const UrdfLink *link, double full[9]);
/* Has the joint one coordinate, an angle or a length? */
bool pf_urdf_has_coordinate(const UrdfJoint *joint);
/* Is the dry friction of the joint a force on a coordinate of its own? */
bool pf_urdf_has_friction(const UrdfJoint *joint);
/* Warns of dry friction that is left out: where it has no single coordinate to act on, or everywhere (`none`). */
void pf_urdf_warn_friction(PfContext *ctx, const UrdfRobot *robot, bool none);
/* Warns of inertias that no body has, of joints that move no mass, of meshes that are left out, and of starts. */
void pf_urdf_warn(PfContext *ctx, const UrdfRobot *robot);

/* ---------------------------------------------------------------- actuators, wheels and names */

/* Marks the joints that get an actuator and the links that roll, and lifts the robot so that wheels touch the ground
 * (urdf_equip.c). */
PfStatus pf_urdf_equip(PfContext *ctx, PfArena *arena, UrdfRobot *robot, const PfUrdf *options);
/* The next name of a list with commas, without the blanks around it; NULL at the end. `*at` moves on. */
char *pf_urdf_next_name(PfContext *ctx, PfArena *arena, const char **at, PfStatus *status);
/* "name:0.1": the number goes to *value and the name ends before the colon. Names may have colons themselves. */
bool pf_urdf_split_number(char *name, double *value);
/* The joint of that name in the file, or NULL. */
UrdfJoint *pf_urdf_joint(const UrdfRobot *robot, const char *name);
/* A hint with the name that is nearest to one that does not exist. `names` is the first name, the others follow at
 * `stride`. */
void pf_urdf_suggest(PfContext *ctx, const char *const *names, size_t stride, int count, const char *name);

/* Chooses names of the language for links, joints, actuators, wheels and loops, all different (urdf_tree.c). */
PfStatus pf_urdf_name(PfContext *ctx, PfArena *arena, UrdfRobot *robot);

/* ---------------------------------------------------------------- joints that follow others (urdf_start.c) */

/* Where a joint starts that others follow, in its own unit; false when none does, or all are at 0 as without a
 * start. */
bool pf_urdf_start(const UrdfRobot *robot, int leader, double *start);
/* Where joint j starts: at 0, or where the limits of joints that move together put it. */
double pf_urdf_position(const UrdfRobot *robot, int j);
/* The joint at the end of those that joint j follows; itself when it follows none. */
int pf_urdf_leader(const UrdfRobot *robot, int j);
/* Warns of joints that follow others and start outside of their own limits. */
void pf_urdf_warn_starts(PfContext *ctx, const UrdfRobot *robot);

#endif
