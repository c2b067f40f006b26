/* SPDX-License-Identifier: Apache-2.0 */
/* The checked model: what the user said, as plain data. Everything lives in the model's arena. */
#ifndef PFAFF_MODEL_H
#define PFAFF_MODEL_H

#include "pfaff/expr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- frames and vectors */

/* A frame: translated by `origin` (in the axes of the parent), then turned by `angle` about the constant
 * unit vector `axis`. Frame 0 is the ground. A placement with several turns makes a chain of frames. */
typedef struct PfFrame {
  const char *name; /* "" for the inner frames of a placement */
  int parent;
  PfExpr origin[3], axis[3], angle; /* angle PF_EXPR_NONE: not turned by an angle */
  PfExpr quaternion[4];             /* turned by it instead of an angle, scalar first; [0] PF_EXPR_NONE: not */
  PfExpr spin[3];                   /* angular velocity, in the frame's own axes */
  PfExpr rotation[9]; /* in a model in angular velocities: the matrix, own axes to the parent's, as symbols */
  PfExpr turning[3]; /* there: the angular velocity against the parent, in own axes or (round) the parent's */
  bool round;                       /* there: carries round bodies only, so that own axes do not matter */
} PfFrame;

/* A vector as a sum of parts, each by components in the axes of its own frame: formulas stay as short as
 * when a person chooses the convenient axes. */
typedef struct PfVectorPart {
  int frame;
  PfExpr c[3];
} PfVectorPart;

typedef struct PfVector {
  int count;
  PfVectorPart *part;
} PfVector;

/* ---------------------------------------------------------------- what is declared */

typedef struct PfParameter {
  const char *name, *unit; /* unit "" when none was given */
  double scale;            /* one of the unit in SI; 0 as 1 */
  PfExpr symbol, value;    /* value in terms of other parameters; PF_EXPR_NONE when none was given */
  bool derived;            /* a 'let' made of parameters: kept as one name in formulas */
  bool hidden;             /* set by an event, not by the user */
  PfPlace place;
} PfParameter;

/* The priority of an initial value. Where not all of them can hold, those of lower priority are changed first. */
typedef enum PfStartPriority {
  PF_START_OPEN,  /* not mentioned: solved for */
  PF_START_GIVEN, /* by the model */
  PF_START_SET,   /* by pf_model_set_start, in place of what the model says */
  PF_START_FIXED  /* marked with '!': never changed */
} PfStartPriority;

typedef struct PfCoordinate {
  const char *name, *unit;
  const char *rate_unit, *acceleration_unit; /* of x' and x'': "mm/s", "mm/s^2" */
  double scale;            /* one of the unit in SI; 0 as 1 */
  PfExpr q, v, a;          /* the symbols x, x', x'' */
  PfExpr start_q, start_v; /* in terms of parameters; 0 when not given */
  PfStartPriority priority_q, priority_v;
  PfExpr held;             /* the symbol that is 1 while an event holds it, else 0 */
  PfExpr rate;             /* x' by the pseudo-velocities, PF_EXPR_NONE without */
  bool contact;            /* made by a rolling contact, not by the user */
  bool released;           /* of a joint that an event makes free: held until then */
  bool quasi;              /* no coordinate: v is a component of an angular velocity, q occurs nowhere */
  PfPlace place;
} PfCoordinate;

/* What moves with a body without being a coordinate, in a model in angular velocities: a direction cosine, a component
 * of a quaternion. */
typedef struct PfAuxiliary {
  PfExpr symbol;
  PfExpr rate;  /* linear in the velocities, with auxiliary states of the same body before them */
  PfExpr value; /* by the quaternion */
} PfAuxiliary;

/* Three components of an angular velocity among the coordinates of such a model: what changes them has the commutators
 * of rotations, [w, h] = w x h in the axes of the body, -w x h in those of the parent. */
typedef struct PfSpinning {
  int first, sign;
  int auxiliary;   /* the first of nine direction cosines, by rows: the parent's axes in those of the body; then of the
                      four components of the quaternion */
  PfExpr value[3]; /* by the quaternion and its rates */
} PfSpinning;

/* A joint whose rotation is a quaternion: a ball joint, or a free one that also translates. The quaternion is made
 * of four coordinates of the model, which a constraint keeps at length one. Its quasi-velocities are what people
 * read: the angular velocity relative to what it is placed in, in the axes of the body, and the velocity in the axes
 * it is placed in. */
typedef struct PfBall {
  const char *name;  /* of the body or frame */
  int frame;         /* the one that the quaternion turns */
  int q;             /* its first coordinate: w, x, y, z */
  int p;             /* first of three coordinates of position, -1 without */
  int norm;          /* its constraint */
  PfExpr spin[3];    /* 2 q* q'/|q|^2 */
  const char *spin_name[3], *speed_name[3]; /* hub.wx, hub.vx */
  PfExpr start_w[3]; /* of the spin; start_v of the quaternion follows from it */
  PfStartPriority priority_w[3];
  PfPlace place;
} PfBall;

/* A pseudo-velocity. */
typedef struct PfSpeed {
  const char *name, *unit;
  double scale;
  PfExpr symbol, start; /* PF_EXPR_NONE: not mentioned */
  PfExpr value;         /* by velocities; PF_EXPR_NONE when the rates are given by the speeds */
  bool completes;       /* a velocity that was added, since those given and the constraints leave it open */
  PfStartPriority priority;
  PfPlace place;
} PfSpeed;

/* The angular velocity of a body at the start: start omega(b) = (0, 0, 1), in the axes of the ground. */
typedef struct PfStartSpin {
  const char *name[3]; /* omega(b).x … */
  PfExpr spin[3], start[3];
  PfStartPriority priority;
  PfPlace place;
} PfStartSpin;

typedef struct PfInput {
  const char *name, *unit;
  double scale;
  PfExpr symbol, value; /* a function of time and parameters, or PF_EXPR_NONE */
  PfPlace place;
  bool is_mode; /* not the user's: the mode of a switch, 1 or -1 away from its surface (pf_switches_find) */
} PfInput;

typedef struct PfBody {
  const char *name;
  int frame;
  PfExpr mass, com[3], inertia[9]; /* inertia about the centre of mass, in the axes of the frame */
  PfPlace place;
} PfBody;

/* A force with the velocity of its point of application, or a torque with its angular velocity: its power
 * is their scalar product. */
typedef struct PfLoad {
  PfVector force, velocity;
  bool nonideal;
} PfLoad;

#define PF_CONSTRAINT_KINDS(ENTRY)                                                  \
  ENTRY(PF_HOLONOMIC, "holonomic")       /* coordinates (and time) only */          \
  ENTRY(PF_PFAFFIAN, "pfaffian")         /* linear and homogeneous in the velocities */ \
  ENTRY(PF_AFFINE, "affine")             /* linear in the velocities with a free term */ \
  ENTRY(PF_NONLINEAR, "nonlinear")       /* nonlinear in the velocities */          \
  ENTRY(PF_ACCELERATION, "acceleration") /* linear in the accelerations */

typedef enum PfConstraintKind {
#define PF_KIND_ENTRY(kind, name) kind,
  PF_CONSTRAINT_KINDS(PF_KIND_ENTRY)
#undef PF_KIND_ENTRY
} PfConstraintKind;

/* "holonomic", … as reports write it. */
PF_API const char *pf_constraint_kind_name(PfConstraintKind kind);

typedef struct PfConstraint {
  const char *name;
  PfConstraintKind kind;
  bool rheonomic; /* time enters explicitly */
  bool surface;   /* of switching, on which the motion stays (pf_sliding_make) */
  bool norm;      /* of a quaternion: no constraint of the user's */
  bool prescribed; /* a given motion: the multiplier is the force of a drive */
  bool attached;   /* made active by an event */
  PfExpr active;   /* of what is attached: the symbol that is 1 while the row holds, else 0 */
  PfExpr residual, multiplier;
  const char *unit; /* of the multiplier, in SI; "" when it is not known */
  PfPlace place;
} PfConstraint;

/* What an event does. Coordinates, rows and parameters are those of the complete model. */
typedef enum PfActionKind {
  PF_LOCK,   /* holds coordinates where they are */
  PF_UNLOCK,
  PF_DETACH, /* holds those of the joint and lets those of a free joint go that stands behind it */
  PF_ATTACH, /* makes constraints active, after it has set their parameters from the pose at that instant */
  PF_RELEASE /* makes those inactive again that hold the two bodies together */
} PfActionKind;

typedef struct PfAction {
  PfActionKind kind;
  const char *text; /* "lock elbow" */
  int coordinate_count;
  int *coordinates;
  int bodies[2];    /* attach, release: the frames that are held together */
  int ball;         /* detach: the joint that becomes free; else -1 */
  PfExpr power;     /* detach: its derivatives in the velocities are the impulses; PF_EXPR_NONE without */
  int row, row_count;
  int parameter_count;
  int *parameters;
  PfExpr *captured; /* values of the parameters at the event */
  PfPlace place;
} PfAction;

/* Do both hold the same two bodies together, or let them go? */
static inline bool pf_actions_join_same(const PfAction *a, const PfAction *b)
{
  return (a->bodies[0] == b->bodies[0] && a->bodies[1] == b->bodies[1]) ||
         (a->bodies[0] == b->bodies[1] && a->bodies[1] == b->bodies[0]);
}

/* Happens once: at an instant, or as soon as a condition holds. */
typedef struct PfEvent {
  const char *text;
  PfExpr time, condition; /* one of them PF_EXPR_NONE */
  int action_count;
  PfAction *actions;
  PfPlace place;
} PfEvent;

/* What rolls or slides, as it was said: the equations are made of its constraints, pictures of this. */
typedef enum PfContactKind {
  PF_CONTACT_DISC,
  PF_CONTACT_BALL,
  PF_CONTACT_SKATE,
  PF_CONTACT_OMNI,
  PF_CONTACT_MECANUM
} PfContactKind;

typedef enum PfSupportKind {
  PF_SUPPORT_PLANE,
  PF_SUPPORT_SURFACE,
  PF_SUPPORT_INSIDE,
  PF_SUPPORT_OUTSIDE
} PfSupportKind;

typedef struct PfContact {
  const char *name;
  PfContactKind kind;
  int body, support;    /* frames */
  PfExpr radius;        /* PF_EXPR_NONE of a skate */
  PfVector axle;        /* unit vector, fixed in the body; of discs and wheels */
  PfExpr roller;        /* of omni and mecanum wheels: from the axle of the wheel to that of its rollers */
  PfVector point;       /* where it touches */
  PfVector force;       /* on the body there, by the multipliers of its rows */
  PfSupportKind on;
  PfVector center;      /* of a sphere, with its radius */
  PfExpr sphere;
  PfExpr u, w, height;  /* of a surface: its height over u and w, in the axes of the support */
} PfContact;

/* A spring or damper between two points. */
typedef struct PfSpring {
  PfVector end[2];
  bool damper;
} PfSpring;

/* A property of a block of `run` or `draw`: a word with a number or a word. */
typedef struct PfProperty {
  const char *key, *word; /* word NULL: value counts */
  PfExpr value;
  PfPlace place;
} PfProperty;

typedef struct PfRun {
  bool given;
  PfExpr horizon, until; /* until PF_EXPR_NONE without */
  const char *method;    /* NULL without */
  PfPlace method_place;
  int setting_count;
  PfProperty *settings;
} PfRun;

/* What is shown of a run. The values contain symbols of the model and accelerations, and besides what the equations
 * have an expression for (pf_equations_express). */
typedef struct PfPlot {
  int count; /* the lists have one more at their end when there is `against` */
  const char **labels;
  const char **units;
  double *scales; /* one of the unit in SI */
  PfExpr *values;
  PfExpr against; /* PF_EXPR_NONE: time */
  const char *against_label;
} PfPlot;

typedef struct PfDraw {
  const char *shape;
  int frame;
  PfVector point; /* origin of the shape */
  int argument_count, setting_count;
  PfExpr *arguments;
  PfProperty *settings;
} PfDraw;

typedef struct PfModel PfModel;
struct PfModel {
  PfContext *ctx;
  PfArena *arena;
  const char *name, *title, *file;
  const char *text; /* as it was read, for quantities that are asked for later; of the complete model: the same */
  size_t text_size;
  PfExpr time;

  int parameter_count, coordinate_count, speed_count, input_count, constraint_count;
  PfParameter *parameters;
  int *parameter_order; /* values in this order need only earlier ones */
  PfCoordinate *coordinates;
  PfSpeed *speeds;
  PfExpr speed_divisor;      /* where it vanishes speeds given by velocities do not determine these; or PF_EXPR_NONE */
  double speed_divisor_size; /* in a generic configuration */
  PfInput *inputs;
  PfConstraint *constraints;

  int auxiliary_count, spinning_count; /* only of a model in angular velocities */
  PfAuxiliary *auxiliaries;
  PfSpinning *spinnings;

  int frame_count, body_count, ball_count, load_count, start_spin_count;
  PfFrame *frames;
  PfBody *bodies;
  PfBall *balls;
  PfLoad *loads;
  PfStartSpin *start_spins;
  PfExpr gravity[3];

  PfExpr kinetic, potential, dissipation; /* without the bodies' part; 0 when not given */
  PfExpr *force, *nonideal;               /* per coordinate */

  PfRun run;
  int plot_count, draw_count, contact_count, spring_count;
  PfPlot *plots;
  PfDraw *draws;
  PfContact *contacts;
  PfSpring *springs;

  /* Events. The complete model has everything that is ever free or constrained: coordinates of joints that will be
   * detached, rows that will be attached. It is the model itself when nothing is; NULL without events. */
  int event_count;
  PfEvent *events;
  PfModel *complete;
  bool is_complete; /* it was made to follow events that attach and detach */

  const struct PfNames *names; /* scopes and definitions, for quantities that are read later; NULL without */
  void (*free_names)(struct PfNames *names); /* NULL: they are those of another model */
  /* Reads the text again with a free joint after the placement of each of these frames (names in full), with
   * coordinates NAME.free.qw … and NAME.free.px …, for the forces in the cut through their joints. The result is
   * released by pf_model_free; warnings are not repeated. NULL: the model was not read from a text. */
  PfStatus (*cut)(PfContext *ctx, const PfModel *model, const char *const *frames, int count, PfModel **made);
};

/* Frees the model, the complete model that belongs to it, and all names; expressions stay in the context. */
PF_API void pf_model_free(PfModel *model);

/* Index of the name, or -1. */
PF_API int pf_model_find_parameter(const PfModel *model, const char *name);
PF_API int pf_model_find_coordinate(const PfModel *model, const char *name);

/* Another start, in SI units, as if the model said so: of a coordinate (x), a velocity (x'), a quasi-velocity (hub.wz,
 * hub.vx) or a speed. A mark '!' of the model stays. False when there is no such name, or no memory. */
PF_API bool pf_model_set_start(PfModel *model, const char *name, double value);

/* What people read and write the numbers of a quantity in. All numbers of this library are in SI units: a number shown
 * is the one inside divided by `scale`. */
typedef struct PfMeasure {
  const char *unit; /* "" when none was given: SI */
  double scale;     /* one of the unit in SI */
} PfMeasure;

/* Of a parameter, a coordinate x, x' or x'', a speed, an input, a quasi-velocity (hub.wx, hub.vx) or t, by name; {"",
 * 1} for any other name. */
PF_API PfMeasure pf_model_measure(const PfModel *model, const char *name);
/* Of a coordinate, of its velocity (1 prime) or acceleration (2). */
PF_API PfMeasure pf_coordinate_measure(const PfCoordinate *coordinate, int primes);
/* Of the k-th quantity of a plot. */
PF_API PfMeasure pf_plot_measure(const PfPlot *plot, int k);

/* Total time derivative of each expression: x -> x', x' -> x'', inputs by their time functions. `out` may
 * be `e`. Fails with PF_ERR_MODEL for an input without a function. */
PF_API PfStatus pf_model_time_derivative(const PfModel *model, const PfExpr *e, int count, PfExpr *out);

/* The speeds by velocities, coordinates and time (as many as the model has). Fails with PF_ERR_MODEL when a rate is not
 * linear in the speeds. `arena` is for scratch. */
PF_API PfStatus pf_model_speeds(const PfModel *model, PfArena *arena, PfExpr *speeds);

/* Writes out the derived parameters, so that only what the user gave by value is left. */
PF_API PfStatus pf_model_expand(const PfModel *model, const PfExpr *e, int count, PfExpr *out);

/* The numbers of all parameters, in the order of `parameters`. `given` overrides values where it is not NaN
 * (NULL: none). Fails with PF_ERR_MODEL naming a parameter without a value, unless `generic` asks for
 * arbitrary values in their place. */
typedef enum PfMissing { PF_MISSING_FAILS, PF_MISSING_GENERIC } PfMissing;
PF_API PfStatus pf_model_parameter_values(const PfModel *model, const double *given, PfMissing missing,
                                          double *values);

#ifdef __cplusplus
}
#endif
#endif
