/* SPDX-License-Identifier: Apache-2.0 */
/* Inside scene. */
#ifndef PF_SCENE_IMPL_H
#define PF_SCENE_IMPL_H

#include "base/base.h"
#include "pfaff/scene.h"
#include "pfaff/sim_parts.h"

/* A position and a rotation matrix by rows. */
typedef struct PfPose {
  double p[3], R[9];
} PfPose;

PfPose pf_pose_identity(void);
/* First b, then a: where b stands that is given in a. */
PfPose pf_pose_times(const PfPose *a, const PfPose *b);
void pf_pose_point(const PfPose *pose, const double local[3], double world[3]);
void pf_pose_direction(const PfPose *pose, const double local[3], double world[3]);
/* And back. */
void pf_pose_local(const PfPose *pose, const double world[3], double local[3]);
void pf_pose_local_direction(const PfPose *pose, const double world[3], double local[3]);
/* A rotation that turns z into the direction, which need not have length 1. */
void pf_turn_to(const double direction[3], double R[9]);

double pf_distance3(const double a[3], const double b[3]);
double pf_length3(const double a[3]);
double pf_dot3(const double a[3], const double b[3]);

/* ---------------------------------------------------------------- frames and vectors in numbers (places.c) */

/* Frames are read one by one, each against its parent, and put together in numbers: world poses as formulas would grow
 * with the square of the length of a chain. */
typedef struct PfPlaces {
  PfContext *ctx;
  PfArena *arena;
  PfSim *sim;
  const PfModel *model;
  int frame_count;
  PfFrame *frames;     /* those of the model, and what stands for a model without any */
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

/* Takes over the frames of the model; `extra` (or NULL) is one more. */
PfStatus pf_places_frames(PfPlaces *places, const PfFrame *extra);
/* Gets ready to read them together with the vectors. */
PfStatus pf_places_open(PfPlaces *places, const PfVector *vectors, int count);
void pf_places_close(PfPlaces *places);
/* Where the simulation stands, or at its start. */
bool pf_places_read(PfPlaces *places);
/* In a state from elsewhere. */
bool pf_places_read_at(PfPlaces *places, const PfSample *sample);
/* Numbers of expressions at the start. */
PfStatus pf_places_values(const PfPlaces *places, const PfExpr *e, int count, double *out);

/* ---------------------------------------------------------------- bodies of equal inertia (inertia.c) */

/* A shape with the mass, the centre and the inertia of a body, as far as there is one. */
typedef enum PfSolidity {
  PF_SOLID_FULL,  /* a box, a cylinder or a sphere has this inertia */
  PF_SOLID_FLAT,  /* only the inertia about one axis is given, as in a plane: z of the shape */
  PF_SOLID_POINT, /* a mass without inertia */
  PF_SOLID_NONE   /* neither mass nor inertia tell a size */
} PfSolidity;

typedef struct PfEqual {
  PfSolidity solidity;
  PfShapeKind kind; /* box, cylinder or sphere */
  double size[3];
  double turn[9];   /* its axes, in those of the body */
  double half[3];   /* half of its extent along its axes */
} PfEqual;

/* Of a mass and an inertia (3 x 3) about the centre of mass. */
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

PfStatus pf_solids_find(const PfPlaces *places, PfSolids *solids);
/* Does it move freely: in a plane, or in space? Then its joint is no point of a machine. */
bool pf_solid_floats(const PfSolid *solid);

/* ---------------------------------------------------------------- making a scene */

/* A rail, and what slides along it. */
typedef struct PfRail {
  int shape;    /* a cylinder */
  int frame;    /* of what slides; in a scene its pose */
} PfRail;

typedef struct PfMaker {
  PfContext *ctx;
  PfArena *arena;
  PfPlaces *places;
  const PfModel *model;
  PfSolids solids;
  double size;
  double blade;          /* height of blades; what is flat stands on them */
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

/* A shape on a frame; the rest is filled in by the caller before it is added. */
PfShape pf_shape_on(int frame, PfShapeKind kind, PfRole role, const char *name);
PfStatus pf_scene_add(PfMaker *maker, PfShape shape);
/* A moving point; its number in *index. */
PfStatus pf_scene_point(PfMaker *maker, PfVector vector, const char *name, int *index);
/* Any vector that changes, in the same list. */
PfStatus pf_scene_vector(PfMaker *maker, PfVector vector, const char *name, const char *unit, int *index);
/* A cylinder between two points of the world at the start, on a frame. */
PfStatus pf_scene_rod(PfMaker *maker, int frame, PfRole role, const char *name, int body, const double a[3],
                      const double b[3],
                      double radius);

PfStatus pf_scene_given(PfMaker *maker);     /* given.c: 'draw' */
PfStatus pf_scene_contacts(PfMaker *maker);  /* contacts.c: wheels, balls, blades, supports, springs */
PfStatus pf_scene_contact_numbers(PfMaker *maker);
void pf_scene_find_ground(PfMaker *maker);   /* the first plane that stands still and is rolled on */
bool pf_scene_is_round(const PfMaker *maker, int frame); /* does a wheel or a ball stand for it? */
PfStatus pf_scene_bodies(PfMaker *maker);    /* automatic.c */
PfStatus pf_scene_body_numbers(PfMaker *maker);
/* What the scene is read by, and its shapes while they are changed. */
PfPlaces *pf_scene_places(PfScene *scene, PfShape **shapes);
/* Its rails, with poses in the place of frames. */
const PfRail *pf_scene_rails(const PfScene *scene, int *count);
/* Does what has this pose stand still? */
bool pf_scene_stands(const PfScene *scene, int pose);
/* The text that pf_scene_json fills, and its context. */
PfText *pf_scene_text(PfScene *scene, PfContext **ctx);
void pf_scene_measure(PfMaker *maker);       /* the size of the machine, by its joints and bodies */

/* Is it '#rrggbb' or a name of a colour? The names, NULL past the last (colors.c). */
bool pf_color_is_known(const char *text);
const char *pf_color_name(int index);

#endif
