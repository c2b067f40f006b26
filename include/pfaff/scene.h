/* SPDX-License-Identifier: Apache-2.0 */
/* The scene of a model: what it looks like, as shapes at poses, for pictures and pages.
 *
 *   PfScene *scene;
 *   if (pf_scene_new(sim, &scene) != PF_OK) …      the simulation is placed or started
 *   pf_scene_read(scene, numbers);                 pf_scene_size(scene) numbers: where everything is now
 *   … scene->shapes[i] at the pose numbers + 12*scene->shapes[i].pose …
 *   pf_scene_free(scene);
 *
 * Shapes are those of 'draw'; a frame of which nothing is said gets shapes by what is known of it: a body of equal
 * inertia, rods between its joints, wheels, blades, springs, and what they roll on. Lengths are in m. */
#ifndef PFAFF_SCENE_H
#define PFAFF_SCENE_H

#include "pfaff/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Name, and what the sizes are. All are centred at their origin; what has an axis has it along z. */
#define PF_SHAPE_KINDS(ENTRY)                                                                    \
  ENTRY(PF_SHAPE_BOX, "box")           /* lengths along x, y, z */                               \
  ENTRY(PF_SHAPE_SPHERE, "sphere")     /* radius */                                              \
  ENTRY(PF_SHAPE_CYLINDER, "cylinder") /* radius, height */                                      \
  ENTRY(PF_SHAPE_WHEEL, "wheel")       /* radius, width, angle from axle to rollers (0: none); has spokes */ \
  ENTRY(PF_SHAPE_ARROW, "arrow")       /* length, from the origin along z */                     \
  ENTRY(PF_SHAPE_SHELL, "shell")       /* radius: a sphere one looks into */                     \
  ENTRY(PF_SHAPE_SURFACE, "surface")   /* z over a grid: half lengths of its sides along x and y */ \
  ENTRY(PF_SHAPE_SPRING, "spring")     /* radius of its turns; between two points */             \
  ENTRY(PF_SHAPE_DAMPER, "damper")     /* radius; between two points */                          \
  ENTRY(PF_SHAPE_POINT, "point")       /* radius; at a point */                                  \
  ENTRY(PF_SHAPE_TRACE, "trace")       /* the path of a point */                                 \
  ENTRY(PF_SHAPE_FORCE, "force")       /* of a contact on its body: at the first point, the second is the force in N */

typedef enum PfShapeKind {
#define PF_SHAPE_ENTRY(kind, name) kind,
  PF_SHAPE_KINDS(PF_SHAPE_ENTRY)
#undef PF_SHAPE_ENTRY
} PfShapeKind;

/* What it is a picture of: for colours, and for what can be switched off. */
#define PF_ROLES(ENTRY)             \
  ENTRY(PF_ROLE_BODY, "body")       \
  ENTRY(PF_ROLE_LINK, "link")       /* from joint to joint */ \
  ENTRY(PF_ROLE_JOINT, "joint")     \
  ENTRY(PF_ROLE_BASE, "base")       /* what stands still */ \
  ENTRY(PF_ROLE_WHEEL, "wheel")     \
  ENTRY(PF_ROLE_BLADE, "blade")     \
  ENTRY(PF_ROLE_CONTACT, "contact") \
  ENTRY(PF_ROLE_SPRING, "spring")   \
  ENTRY(PF_ROLE_SUPPORT, "support") /* what is rolled on */ \
  ENTRY(PF_ROLE_TRACE, "trace")     \
  ENTRY(PF_ROLE_FORCE, "force")

typedef enum PfRole {
#define PF_ROLE_ENTRY(role, name) role,
  PF_ROLES(PF_ROLE_ENTRY)
#undef PF_ROLE_ENTRY
} PfRole;

/* The word for a kind of shape in JSON: "box". */
PF_API const char *pf_shape_kind_name(PfShapeKind kind);
/* The word for a role: "wheel". */
PF_API const char *pf_role_name(PfRole role);

typedef struct PfShape {
  PfShapeKind kind;
  PfRole role;
  const char *name;           /* of the body, the contact, …; as the model writes it */
  const char *color;          /* as the model says, or NULL; not to be trusted */
  int body;                   /* number that bodies of one colour share: shapes of one body, from 0; -1: of none */
  int pose;                   /* which pose carries it; with points: -1 */
  int point[2];               /* of springs, points and traces */
  double size[3];
  double at[3], turn[9];      /* in that pose: origin, and rotation matrix by rows */
  int columns, rows;          /* of a surface: its grid, */
  const double *heights;      /* row by row along y */
} PfShape;

typedef struct PfScene {
  const char *title;
  int shape_count, pose_count, point_count;
  const PfShape *shapes;
  const char *const *poses;   /* names of what has the pose; 0 is the ground */
  const char *const *points;  /* no name is twice among poses and points */
  const char *const *point_units; /* "m"; "N": no point but a force */
  double size;                /* of the machine: its greatest length, about */
  double up[3];               /* against gravity; z without */
  bool flat;                  /* it moves in the plane z = const */
  bool ground;                /* a plane that stands still belongs to it: */
  double ground_at[3], ground_turn[9]; /* z = 0 of this place, rotation matrix by rows */
  struct PfSceneParts *parts;
} PfScene;

/* Of a simulation that is placed, with the numbers of its start. Fails with PF_ERR_MODEL when nothing is known that
 * could be drawn; the words are in the context of the simulation, which must outlive the scene. */
PF_API PfStatus pf_scene_new(PfSim *sim, PfScene **scene);
PF_API void pf_scene_free(PfScene *scene); /* NULL is allowed */

/* How many numbers say where everything is: 12 per pose (position, then rotation matrix by rows), then 3 per point. */
PF_API int pf_scene_size(const PfScene *scene);
/* These numbers where the simulation stands (at its start, before it moves). */
PF_API bool pf_scene_read(PfScene *scene, double *numbers);
/* The same in a state from elsewhere, in the order of pf_sim_complete (pfaff/sim_parts.h), which need not satisfy the
 * constraints: t, q, v, a and multipliers. What is NaN is not known, and neither is what depends on it: forces on
 * multipliers. */
PF_API bool pf_scene_read_at(PfScene *scene, const PfSample *sample, double *numbers);

/* Shapes, and where they are at `count` times (numbers of pf_scene_read one after another), as a JSON text that lives
 * as long as the scene. */
PF_API PfStatus pf_scene_json(PfScene *scene, const double *times, const double *numbers, int count, const char **text);

#ifdef __cplusplus
}
#endif
#endif
