/* SPDX-License-Identifier: Apache-2.0 */
/* Inside scene: poses, frames in numbers, solids, and the maker that collects shapes. */
#ifndef PF_SCENE_IMPL_H
#define PF_SCENE_IMPL_H

#include "base/base.h"
#include "pfaff/scene.h"
#include "pfaff/sim_parts.h"

/* ---------------------------------------------------------------- poses and vectors (pose.c) */

/* A position and a rotation matrix by rows: a point with the coordinates x in its axes is at p + R x. */
typedef struct PfPose {
  double p[3], R[9];
} PfPose;

/* The pose of the world itself. */
PfPose pf_pose_identity(void);
PfPose pf_pose_make(const double p[3], const double R[9]);
/* The pose in the world of a thing that has the pose b in the axes of a: p = a.p + a.R b.p, R = a.R b.R. */
PfPose pf_pose_times(const PfPose *a, const PfPose *b);
/* A point from the axes of the pose to the world: world = p + R local. */
void pf_pose_point(const PfPose *pose, const double local[3], double world[3]);
/* A direction: world = R local. */
void pf_pose_direction(const PfPose *pose, const double local[3], double world[3]);
/* A point from the world to the axes of the pose: local = R^T (world - p). */
void pf_pose_local(const PfPose *pose, const double world[3], double local[3]);
/* A direction: local = R^T world. */
void pf_pose_local_direction(const PfPose *pose, const double world[3], double local[3]);
/* A rotation R that turns z into the direction, which need not have length 1; of length 0 it is z. */
void pf_turn_to(const double direction[3], double R[9]);

/* |a - b| */
double pf_distance3(const double a[3], const double b[3]);
/* |a| */
double pf_length3(const double a[3]);
/* a . b */
double pf_dot3(const double a[3], const double b[3]);
/* out = a x b; out is neither. */
void pf_cross3(const double a[3], const double b[3], double out[3]);

/* ---------------------------------------------------------------- frames and vectors in numbers (places.c) */

/* Frames are read one by one, each against its parent, and put together in numbers: world poses as formulas would grow
 * with the square of the length of a chain. */
typedef struct PfPlaces {
  PfContext *ctx;
  PfArena *arena;
  PfSim *sim;
  const PfModel *model;
  int frame_count;
  PfFrame *frames;     /* those of the model, and one that stands for a model without any */
  bool *moves;         /* against its parent */
  PfPose *local;       /* at the latest reading */
  PfPose *world;
  int vector_count;
  PfVector *vectors;
  double (*vector)[3];
  int *inputs;         /* handles of inputs without a function, -1 for the others */
  double *input;
  PfReadings *readings;
  double *numbers, *zero;
} PfPlaces;

/* Takes over the frames of the model; `extra` (or NULL) is one more. Context, arena, simulation and model of `places`
 * are set by the caller; all lists are in that arena. */
PfStatus pf_places_frames(PfPlaces *places, const PfFrame *extra);
/* Makes the formulas of all frames and of `count` vectors ready to be read; to be closed also after a failure. */
PfStatus pf_places_open(PfPlaces *places, const PfVector *vectors, int count);
/* Frees the readings; all else is in the arena. */
void pf_places_close(PfPlaces *places);
/* Reads them at the state of the simulation, or at its start before it moves: local and world poses, vectors in the
 * axes of the world. False where a position is not finite. */
bool pf_places_read(PfPlaces *places);
/* The same in a state from elsewhere. */
bool pf_places_read_at(PfPlaces *places, const PfSample *sample);
/* Evaluates `count` expressions at the start. */
PfStatus pf_places_values(const PfPlaces *places, const PfExpr *e, int count, double *out);
/* Does the expression (or PF_EXPR_NONE) depend on coordinates? */
bool pf_places_moves(const PfPlaces *places, PfExpr e);

/* ---------------------------------------------------------------- bodies of equal inertia (inertia.c) */

/* A shape with the mass, the centre and the inertia of a body, as far as there is one. */
typedef enum PfSolidity {
  PF_SOLID_FULL,  /* a box, a cylinder or a sphere has this inertia */
  PF_SOLID_FLAT,  /* only the inertia about one axis is given, as in a plane: z of the shape */
  PF_SOLID_POINT, /* a mass without inertia */
  PF_SOLID_NONE   /* neither mass nor inertia give a size */
} PfSolidity;

typedef struct PfEqual {
  PfSolidity solidity;
  PfShapeKind kind; /* box, cylinder or sphere */
  double size[3];
  double turn[9];   /* its axes, in those of the body */
  double half[3];   /* half of its extent along its axes */
} PfEqual;

/* The shape of a mass and an inertia (3 x 3 by rows, about the centre of mass, in the axes of the body), in SI. */
void pf_equal_inertia(double mass, const double inertia[9], PfEqual *equal);

/* ---------------------------------------------------------------- solids (solids.c) */

/* Frames that do not move against each other. */
typedef struct PfSolid {
  int frame;            /* the first of them, which moves against its parent; 0: the ground */
  int parent;           /* solid that it hangs on */
  const char *name;
  /* the joint: turns about one point, slides along one line; or neither: it floats */
  int turns, slides;
  bool ball;
  double joint[3], axis[3]; /* in the world at the start; axis of a single turn, or of a single slide */
  double foot[3];       /* of a slide: where it begins */
} PfSolid;

typedef struct PfSolids {
  int count;
  PfSolid *solids;
  int *of;              /* per frame: its solid, -1 in the middle of a joint */
} PfSolids;

/* Groups the frames of the model into solids, with the joint between each and its parent. Lists are in the arena. */
PfStatus pf_solids_find(const PfPlaces *places, PfSolids *solids);
/* Does it move freely: in a plane, or in space? Then its joint is not a point of a machine. */
bool pf_solid_floats(const PfSolid *solid);

/* ---------------------------------------------------------------- making a scene */

/* A rail, and the solid that slides along it. */
typedef struct PfRail {
  int shape;    /* a cylinder */
  int frame;    /* of the solid; in a finished scene its pose */
} PfRail;

/* A scene besides the part that is public. */
struct PfSceneParts {
  PfArena *arena;
  PfPlaces places;
  int *frames;     /* per pose */
  bool *stands;    /* per pose: it does not move */
  PfShape *shapes; /* those of the scene, while they are changed */
  PfRail *rails;
  int rail_count;
  PfText json;     /* of pf_scene_json */
};

/* Among the numbers of pf_scene_read: 12 of a pose, 3 of a point. */
PfPose pf_scene_pose(const double *numbers, int pose);
const double *pf_scene_point_at(const PfScene *scene, const double *numbers, int point);

typedef struct PfMaker {
  PfContext *ctx;
  PfArena *arena;
  PfPlaces *places;
  const PfModel *model;
  PfSolids solids;
  double size;
  double blade;          /* height of blades; flat machines stand on them */
  bool flat, ground;
  PfPose plane;          /* the ground is z = 0 of it */
  bool *drawn;           /* per frame: 'draw' says what it is */
  struct PfContactNumbers *contacts;
  struct PfBodyNumbers *bodies;
  PF_ARRAY(PfShape) shapes;
  PF_ARRAY(PfRail) rails;
  PF_ARRAY(PfVector) vectors;
  PF_ARRAY(const char *) vector_names, vector_units;
} PfMaker;

/* Numbers of a body at the start. */
typedef struct PfBodyNumbers {
  double mass, com[3], inertia[9];
  PfEqual equal;
} PfBodyNumbers;

typedef struct PfContactNumbers {
  double radius, axle[3], roller, sphere, u, w; /* axle in the axes of the body */
  double point[3], center[3];                   /* in the world */
} PfContactNumbers;

/* A shape on a frame, turned as the frame is; size and place are filled in by the caller before it is added. */
PfShape pf_shape_on(int frame, PfShapeKind kind, PfRole role, const char *name);
/* A shape that is given by points, not by a pose. */
PfShape pf_shape_at_points(PfShapeKind kind, PfRole role, const char *name);
/* Appends a shape, unless its size or place is not finite; fails without memory only. */
PfStatus pf_scene_add(PfMaker *maker, PfShape shape);
/* A point that moves; its number in *index. */
PfStatus pf_scene_point(PfMaker *maker, PfVector vector, const char *name, int *index);
/* Any vector that changes, in the same list. */
PfStatus pf_scene_vector(PfMaker *maker, PfVector vector, const char *name, const char *unit, int *index);
/* A cylinder between two points of the world at the start, on a frame. */
PfStatus pf_scene_rod(PfMaker *maker, int frame, PfRole role, const char *name, int body, const double a[3],
                      const double b[3], double radius);
/* The path of a point, by that name; `body` is for its colour. */
PfStatus pf_scene_trace(PfMaker *maker, PfVector point, const char *name, int body);

/* given.c: the shapes of 'draw'. */
PfStatus pf_scene_given(PfMaker *maker);
/* contacts.c: wheels, balls and blades, the surfaces that they touch, springs. */
PfStatus pf_scene_contacts(PfMaker *maker);
/* Evaluates radius, axle, … of all contacts at the start. */
PfStatus pf_scene_contact_numbers(PfMaker *maker);
/* Finds the first plane that stands still and is rolled on. */
void pf_scene_find_ground(PfMaker *maker);
/* Does a wheel or a ball stand for the frame? */
bool pf_scene_is_round(const PfMaker *maker, int frame);
/* automatic.c: shapes of bodies and joints for which the model gives none. */
PfStatus pf_scene_bodies(PfMaker *maker);
/* Evaluates masses and inertias of all bodies at the start. */
PfStatus pf_scene_body_numbers(PfMaker *maker);
/* The size of the machine, by its joints and bodies. */
void pf_scene_measure(PfMaker *maker);

/* Is it '#rrggbb' or a name of a colour (colors.c)? */
bool pf_color_is_known(const char *text);
/* The name of the colour with this number; NULL past the last. */
const char *pf_color_name(int index);

#endif
