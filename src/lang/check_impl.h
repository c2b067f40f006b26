/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the checker: scopes, values, and the model while it is being built. */
#ifndef PF_LANG_CHECK_IMPL_H
#define PF_LANG_CHECK_IMPL_H

#include "lang/ast.h"
#include "lang/units.h"
#include "model/model.h"

/* ---------------------------------------------------------------- values */

/* Dimension of a value; not known when a name without a unit is in it. A bare value is made of numbers only: it
 * fits where a unit is expected, and is in SI then. What is made of numbers and the time, as 2*sin(3*t), has no known
 * dimension but may take a unit like a number. */
typedef struct Dim {
  bool known, bare;
  PfDimension of;
  bool timed;    /* not known, of numbers and time only */
  bool presumed; /* not known, but `of` if the time is in s: what is shown of v0*t has a unit */
} Dim;

typedef enum ValueKind {
  V_NONE, /* an error was reported; absorbs */
  V_SCALAR,
  V_CONDITION,
  V_VECTOR,
  V_FRAME,
  V_POINT,
  V_MATRIX,
  V_WORD
} ValueKind;

typedef struct Value {
  ValueKind kind;
  Dim dim;
  PfExpr scalar;     /* scalar, condition */
  PfVector vector;   /* vector */
  int frame;         /* frame; frame of a point */
  PfExpr c[9];       /* point: 3 components; matrix: 9 */
  const char *word;
  bool plain;        /* vector written as (a, b, c): c holds the components as written */
} Value;

/* What kinds of symbols an expression contains. */
enum {
  HAS_COORDINATE = 1,
  HAS_VELOCITY = 2,
  HAS_ACCELERATION = 4,
  HAS_TIME = 8,
  HAS_INPUT = 16,
  HAS_SPEED = 32,
  HAS_MULTIPLIER = 64,
  HAS_PARAMETER = 128,
  HAS_EQUALITY = 256 /* a == b of the motion, which holds at single instants */
};
enum { HAS_MOTION =
      HAS_COORDINATE | HAS_VELOCITY | HAS_ACCELERATION | HAS_TIME | HAS_INPUT | HAS_SPEED | HAS_MULTIPLIER };

/* ---------------------------------------------------------------- names */

typedef struct Scope Scope;

typedef enum EntityKind {
  E_PARAM,
  E_COORD,
  E_INPUT,
  E_SPEED,
  E_LET,
  E_FUNCTION,
  E_FRAME,
  E_POINT,
  E_PART,
  E_CONSTRAINT,
  E_VALUE, /* loop variable, argument */
  E_ARRAY,
  E_SPACE  /* the inside of 'use … as name' */
} EntityKind;

typedef enum EntityState { NOT_RESOLVED, BEING_RESOLVED, RESOLVED, POISONED } EntityState;

typedef struct Entity {
  EntityKind kind;
  EntityState state;
  const char *name;     /* in full */
  const PfNode *node;   /* where it is declared */
  const PfNode *value;  /* the expression it stands for, or NULL */
  Scope *scope;         /* where that is to be read */
  int index;            /* in the model's list; element of an array: 1, 2, … in `element` */
  int element, size;
  Value result;
  Dim dim;
  PfUnit unit;
  bool has_unit;
  const char *unit_text;
  Scope *inside;        /* of E_SPACE, and of a frame with a joint */
  int ball;             /* of a frame with a quaternion: its number + 1 */
  int release;          /* of a body that will be detached: the same for the joint behind its own */
  bool listed;          /* its needs are looked for only once */
} Entity;

struct Scope {
  Scope *parent, *home; /* home: the scope that owns what is declared in a loop or a part */
  PfMap names;
  const char *prefix, *suffix; /* full name = home's prefix + name + suffix */
};

/* A statement with the scope in which it is to be read. */
typedef struct Work {
  const PfNode *node;
  Scope *scope;
} Work;

typedef struct MultiplierUse {
  const PfNode *node;
  const char *name, *word; /* word: lambda or violation */
} MultiplierUse;

/* Is anything with a unit in the lengths and in the angles by which a frame is placed, from the ground on? */
typedef struct Placed {
  bool length, angle;
} Placed;

/* A force, or a component of one, that contains multipliers. */
typedef struct MultiplierForce {
  const PfNode *node;
  PfExpr force;
} MultiplierForce;

/* What 'start' says about a joint with a quaternion; PF_EXPR_NONE: nothing. */
typedef struct BallStart {
  PfExpr q[4], turn[3], w[3];
  PfStartPriority priority_q, priority_w[3];
  const PfNode *node; /* where the quaternion is given */
} BallStart;

/* The lists that become those of the model: type of an item, name of the list in both, its length in the model. */
#define PF_MODEL_LISTS(LIST)                            \
  LIST(PfParameter, parameters, parameter_count)        \
  LIST(PfCoordinate, coordinates, coordinate_count)     \
  LIST(PfSpeed, speeds, speed_count)                    \
  LIST(PfInput, inputs, input_count)                    \
  LIST(PfConstraint, constraints, constraint_count)     \
  LIST(PfBody, bodies, body_count)                      \
  LIST(PfBall, balls, ball_count)                       \
  LIST(PfStartSpin, start_spins, start_spin_count)      \
  LIST(PfEvent, events, event_count)                    \
  LIST(PfLoad, loads, load_count)                       \
  LIST(PfPlot, plots, plot_count)                       \
  LIST(PfDraw, draws, draw_count)                       \
  LIST(PfContact, contacts, contact_count)              \
  LIST(PfSpring, springs, spring_count)

/* The lists that end with the checker; the forces and the order of the parameters are copied into the model too. */
#define PF_CHECKER_LISTS(LIST)                                                  \
  LIST(Scope *, scopes)                                                         \
  LIST(Work, work)                                                              \
  LIST(int, parameter_order)                                                    \
  LIST(Dim, coordinate_dims)                                                    \
  LIST(PfExpr, forces) /* per coordinate */                                     \
  LIST(PfExpr, nonideals)                                                       \
  LIST(Dim, multiplier_dims) /* per constraint */                               \
  LIST(BallStart, ball_starts)                                                  \
  LIST(MultiplierUse, multiplier_uses)                                          \
  LIST(MultiplierForce, multiplier_forces)                                      \
  LIST(const PfNode *, active_parts)                                            \
  LIST(Dim, contact_dims) /* of the points of contact */                        \
  LIST(Placed, placed)    /* per frame */                                       \
  LIST(uint16_t, classes) /* per expression handle: the kinds of symbols in it */

typedef struct Checker {
  PfContext *ctx;
  PfModel *model;
  PfSource *source;
  PfArena *arena; /* scopes and entities */
  const PfAllocator *allocator;
  Scope *global;
#define PF_MEMBER(type, list, ...) PF_ARRAY(type) list;
  PF_MODEL_LISTS(PF_MEMBER)
  PF_CHECKER_LISTS(PF_MEMBER)
#undef PF_MEMBER
  PF_ARRAY(const char *) releases; /* bodies that are detached; the complete model borrows the list of the first */
  const char *const *cuts;         /* frames with a free joint after their placement, for the forces in it */
  int cut_count;
  bool complete;                   /* the second check: with the joints and rows of events that detach and attach */
  bool needs_complete;
  bool showing;      /* in 'plot': energies, reactions and violations have names, too */
  bool asked;        /* quantities are read after the model */
  bool in_condition; /* of 'when' or 'until' */
  int frame_room;
  bool has_units;        /* anywhere in the text: without, 'free' says nothing about lengths */
  bool out_of_memory;
  long expressions_read; /* expressions read so far: parts and functions can multiply them */
  int depth;
  int turns, nesting;        /* of loops and parts */
  bool gave_up;              /* over a limit: nothing more is read */
  int errors_before;
  int kept_line;         /* the line that was last copied into the model, and the copy */
  const char *kept_text;
  bool gravity_given;
  bool may_hint; /* the latest error was recorded */
} Checker;

/* What a model that was read keeps for quantities that are read later: the scopes with all names, each resolved, and
 * the source of places. It is constant: threads may read quantities with it at the same time. The complete model has
 * names of its own in the arena of the first. */
struct PfNames {
  Checker ck;
  PfArena *arena;   /* NULL: another one owns arena and source */
  PfSource *source;
};

/* ---------------------------------------------------------------- errors */

/* Records an error at the node. More than PF_MOST_ERRORS end the check. */
Value pf_check_fail(Checker *ck, PfStatus code, const PfNode *node, const char *format, ...) PF_PRINTF(4, 5);
/* The same for functions that return whether something is right: always false. */
bool pf_check_refuse(Checker *ck, PfStatus code, const PfNode *node, const char *format, ...) PF_PRINTF(4, 5);
/* Advice for the latest error, unless that was left out. */
void pf_check_hint(Checker *ck, const char *format, ...) PF_PRINTF(2, 3);
/* The same for a limit: ends the check. */
void pf_check_give_up(Checker *ck, const PfNode *node, const char *format, ...) PF_PRINTF(3, 4);
/* Has an error of this kind been recorded at the node? */
bool pf_check_is_known(const Checker *ck, PfStatus code, const PfNode *node);
bool pf_check_stopped(const Checker *ck);
/* The place of a node, to be kept in the model. */
PfPlace pf_model_place(Checker *ck, const PfNode *node);
/* The ground, the time and the outermost scope, before anything is read; and the end of all lists. */
PfStatus pf_check_begin(Checker *ck);
/* Do all constraints exist whose multipliers and violations are used? */
void pf_check_multipliers(Checker *ck);
void pf_check_release(Checker *ck);
/* Remembers a failed allocation; always false. */
bool pf_check_no_memory(Checker *ck);

/* ---------------------------------------------------------------- scopes (scope.c) */

Scope *pf_scope_new(Checker *ck, Scope *parent, Scope *home, const char *prefix, const char *suffix);
/* Adds a name; NULL after an error (duplicate, reserved word) that was reported. `outer` is the name outside of
 * the loop; pf_scope_declare finds it. */
Entity *pf_scope_declare(Checker *ck, Scope *scope, const PfNode *node, const char *name, EntityKind kind);
Entity *pf_scope_declare_as(Checker *ck, Scope *scope, const PfNode *node, const char *name, const char *outer,
                            EntityKind kind);
/* Gives a value to a loop variable or an argument. */
Entity *pf_scope_bind(Checker *ck, Scope *scope, const PfNode *node, const char *name, Value value);

/* A scope for the time of a call or a sum: gone, with all that was put in the checker's arena, after pf_scope_leave. */
typedef struct Visit {
  Scope *scope; /* NULL without memory */
  PfMark mark;
} Visit;
Visit pf_scope_enter(Checker *ck, Scope *parent);
void pf_scope_leave(Checker *ck, const Visit *visit);
/* For suggestions: how many letters may be wrong, and whether the candidate is closer than *best, which follows. */
int pf_allowed_edits(const char *name);
bool pf_is_nearer(const char *name, const char *candidate, int *best);
Entity *pf_scope_find(const Scope *scope, const char *name);
/* The entity that a NAME, INDEX or MEMBER node means; reports an unknown name with a suggestion. NULL then, or
 * (with `quiet`) when it is not a plain name. */
Entity *pf_scope_lookup(Checker *ck, Scope *scope, const PfNode *node);
/* The used part that the node names, or NULL (quietly) when it is something else. */
Entity *pf_scope_find_used(Checker *ck, Scope *scope, const PfNode *node);
/* "psi[2]": the name that a NAME or INDEX node spells, the index worked out. NULL after an error. */
const char *pf_spell_name(Checker *ck, Scope *scope, const PfNode *node);
/* "psi" or "psi[2]" of the MEMBER node w.psi or w.psi[2]. */
const char *pf_spell_member(Checker *ck, Scope *scope, const PfNode *node);
/* The declared name of a LABEL node. */
const char *pf_label_name(Checker *ck, Scope *scope, const PfNode *label);
const char *pf_print_text(Checker *ck, const char *format, ...) PF_PRINTF(2, 3);

/* ---------------------------------------------------------------- expressions (value.c, call.c and below) */

Value pf_value_of(Checker *ck, Scope *scope, const PfNode *node);
/* Of 'when' and 'until', which may contain accelerations and reactions. */
Value pf_value_of_condition(Checker *ck, Scope *scope, const PfNode *node);
/* Reports at the node what went wrong in the expression table since the last look; true when nothing did. */
bool pf_check_expressions(Checker *ck, const PfNode *node);
Value pf_value_of_call(Checker *ck, Scope *scope, const PfNode *node);
bool pf_is_builtin(const char *name);
Value pf_value_of_entity(Checker *ck, Entity *entity, const PfNode *node);
/* The same, and of that kind, or an error that says what was expected: "a number", "a vector", … */
Value pf_scalar_of(Checker *ck, Scope *scope, const PfNode *node, const char *what);
Value pf_vector_of(Checker *ck, Scope *scope, const PfNode *node, const char *what);
Value pf_frame_of(Checker *ck, Scope *scope, const PfNode *node, const char *what);
Value pf_point_of(Checker *ck, Scope *scope, const PfNode *node, const char *what);
/* A whole number between least and most. */
bool pf_integer_of(Checker *ck, Scope *scope, const PfNode *node, const char *what, int64_t least,
                   int64_t most, int64_t *value);

/* One kind of node each: numbers and units (number.c), names (name.c), sums and the like (arithmetic.c). */
Value pf_value_of_number(Checker *ck, const PfNode *node);
Value pf_value_with_unit(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_name(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_multiplier(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_member(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_sum(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_product(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_power(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_negation(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_sum_over(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_compare(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_logic(Checker *ck, Scope *scope, const PfNode *node);
Value pf_value_of_vector(Checker *ck, Scope *scope, const PfNode *node);

Value pf_scalar_value(PfExpr e, Dim dim);
Value pf_vector_value(PfVector v, Dim dim);
Value pf_no_value(void);
const char *pf_kind_text(ValueKind kind);
/* Adopts the value for something declared with a unit: a bare number takes the unit, anything else must fit. */
Value pf_value_in_unit(Checker *ck, const PfNode *node, Value value, const Entity *entity);
/* The number or vector times the unit. */
Value pf_value_times_unit(Checker *ck, Value value, const PfUnit *unit);
/* A unit belongs to the number before it: 2*pi/3 [deg] divides by degrees, and the label rad would hide it. */
bool pf_is_upside_down(Checker *ck, const PfNode *node, Dim found, Dim expected);
/* The unit that the text of a UNIT or UNITS node means; false after an error. */
bool pf_unit_of(Checker *ck, const PfNode *node, PfUnit *unit);
unsigned pf_contents(Checker *ck, PfExpr e);
/* What acts at all times cannot hang on something that holds at single instants: false, with an error, when it does. */
bool pf_check_no_equality(Checker *ck, const PfNode *node, unsigned contents, const char *what);
void pf_set_contents(Checker *ck, PfExpr symbol, unsigned contents);
PfVector pf_value_position(Checker *ck, Value point);
PfVector pf_value_velocity(Checker *ck, Value point);

/* ---------------------------------------------------------------- dimensions (dimension.c) */

Dim pf_dim_unknown(void);
/* Not known, and timed when both are made of numbers and time; of what is added, the presumed one when they agree. */
Dim pf_dim_unknown_of(Dim a, Dim b);
bool pf_dim_is_loose(Dim dim); /* bare or timed */
Dim pf_dim_none(void);
Dim pf_dim_bare(void);
Dim pf_dim_make(int kg, int m, int s);
Dim pf_dim_multiply(Dim a, Dim b);
Dim pf_dim_divide(Dim a, Dim b);
const char *pf_dim_text(Checker *ck, Dim dim);
/* As a unit behind a name: "" when it is not known or none. */
const char *pf_dim_unit(Checker *ck, Dim dim);
/* Reports a dimension other than the expected one. */
bool pf_dim_expect(Checker *ck, const PfNode *node, Dim found, Dim expected, const char *what);
/* After an error about units: what 1/2 [kg]*x means, if the formula, or a term of it, begins so. */
void pf_dim_hint_at_fraction(Checker *ck, const PfNode *node);
/* Of two things that are added and known to fit: that of the one which has a unit. */
Dim pf_dim_either(Dim a, Dim b);
Dim pf_dim_rate(Dim dim); /* per second */
/* An energy over what is measured in that dimension: of a generalized force, of a multiplier. */
Dim pf_dim_force(Dim of);
/* rad/s, whatever it belongs to. */
Dim pf_dim_turning(void);
/* A length, and an angular velocity, when the placement has units. */
Dim pf_dim_position(const Checker *ck, Value point);
Dim pf_dim_spin(const Checker *ck, int frame);
Placed pf_placed(const Checker *ck, int frame);
void pf_placed_add(Placed *placed, Dim length, Dim angle);
bool pf_placed_keep(Checker *ck, int frame, Placed placed);

/* Resolve what a name stands for. */
bool pf_resolve(Checker *ck, Entity *entity, const PfNode *user);
/* A constant unit vector: x, y, z, or three numbers, made of length 1. */
bool pf_axis_of(Checker *ck, Scope *scope, const PfNode *node, PfExpr axis[3]);
/* Resolves what the entity is made of, without recursion (needs.c). */
void pf_resolve_needs(Checker *ck, Entity *entity);

/* ---------------------------------------------------------------- statements */

void pf_declare_statements(Checker *ck, Scope *scope, const PfNode *block); /* declare.c: first pass */
void pf_check_statement(Checker *ck, Scope *scope, const PfNode *node);     /* statement.c: second pass */
void pf_check_constraint(Checker *ck, Scope *scope, const PfNode *node);    /* constraint.c */
/* How the name is written in LaTeX, when its item says so (notation.c). */
void pf_check_notation(Checker *ck, const PfNode *item, EntityKind kind, const Entity *entity);
/* Is e linear in the velocities (HAS_VELOCITY) or accelerations? */
bool pf_is_linear(Checker *ck, PfExpr e, unsigned in, bool *homogeneous);
/* By its label, or else c1, c2, …; NULL when the label is a duplicate. */
const char *pf_constraint_name(Checker *ck, Scope *scope, const PfNode *node);
void pf_add_constraint(Checker *ck, const PfNode *node, const char *name, PfExpr residual, Dim dim);
void pf_check_roll(Checker *ck, Scope *scope, const PfNode *node);          /* contact.c */
void pf_check_skate(Checker *ck, Scope *scope, const PfNode *node);
void pf_check_spring(Checker *ck, Scope *scope, const PfNode *node);        /* force.c */
void pf_check_force(Checker *ck, Scope *scope, const PfNode *node);
void pf_check_assignments(Checker *ck, Scope *scope, const PfNode *node);
void pf_check_run(Checker *ck, Scope *scope, const PfNode *node);           /* output.c */
void pf_check_draw(Checker *ck, Scope *scope, const PfNode *node);

/* ---------------------------------------------------------------- what is shown (shown.c) */

void pf_check_plot(Checker *ck, Scope *scope, const PfNode *node);
/* Inside 'plot': does the node have this name, and no declared one? */
bool pf_is_shown_name(const Checker *ck, const Scope *scope, const PfNode *node, const char *name);
/* kinetic, potential, energy …; false when the name is something else. */
bool pf_value_of_shown(Checker *ck, Scope *scope, const PfNode *node, Value *value);
bool pf_value_of_given(Checker *ck, const PfNode *node, Value *value);      /* w_q[2] of 'derive', contact.u */
Value pf_value_of_violation(Checker *ck, Scope *scope, const PfNode *node); /* violation[rear] */
Value pf_value_of_reaction(Checker *ck, Scope *scope, const PfNode *node);  /* reaction(x) */
Value pf_value_of_wrench(Checker *ck, Scope *scope, const PfNode *node);    /* wrench(b), an error */
/* wrench(b).fx: is the node a component of a wrench, and its value. */
bool pf_is_wrench(const Scope *scope, const PfNode *node);
Value pf_value_of_wrench_part(Checker *ck, Scope *scope, const PfNode *node);
/* The contact that the node names; -1 when it names something else. */
int pf_contact_of(Checker *ck, Scope *scope, const PfNode *node);
/* The coordinate of that name, among those that were declared; -1: none. */
int pf_checked_coordinate(const Checker *ck, const char *name);
/* The full name of a constraint as it is written: rear, wheel[2].side. NULL after an error. */
const char *pf_spell_constraint(Checker *ck, Scope *scope, const PfNode *node);
/* When the model is whole: units, and speeds by velocities, in what is shown and in conditions. */
PfStatus pf_settle_shown(PfModel *model, PfArena *arena);
PfStatus pf_settle_plots(const PfModel *model, PfArena *arena, PfPlot *plots, int count);

/* ---------------------------------------------------------------- free and ball (joint.c) */

/* Declares the coordinates and quasi-velocities of a frame whose placement has 'free' or 'ball'. */
void pf_declare_joint(Checker *ck, Scope *scope, Entity *frame, const PfNode *node);
/* A free joint behind the body's own, for a body that will be detached: arm.free.qw … */
void pf_declare_release(Checker *ck, Scope *scope, Entity *frame, const PfNode *node);
/* The frame that the node names, if it has such a joint; else NULL, and nothing is said. */
Entity *pf_find_joint(Checker *ck, Scope *scope, const PfNode *node);
/* hub.qw, hub.wx, hub.w … */
Value pf_value_of_joint(Checker *ck, Scope *scope, Entity *joint, const PfNode *node);
/* |q| = 1, after the frame was placed. */
void pf_add_norm(Checker *ck, int ball, const PfNode *node);
/* start hub.w = …; false when the target is nothing of a joint. */
bool pf_assign_joint_start(Checker *ck, Scope *scope, const PfNode *assign);
/* After all starts were read. */
void pf_settle_joint_starts(Checker *ck);
/* start omega(b) = (0, 0, 1); false when the target is something else. */
bool pf_assign_spin_start(Checker *ck, Scope *scope, const PfNode *assign);
/* Numbers and parameters only? Says so when not. */
bool pf_is_start_value(Checker *ck, const PfNode *node, Value value);
/* Of what one assignment of 'start' says. */
PfStartPriority pf_start_priority(const PfNode *assign);
/* Half the square of the rotation vector: the potential of a ball joint's spring for stiffness 1. */
bool pf_is_joint_turn(Checker *ck, Scope *scope, const PfNode *node, PfExpr *potential, PfExpr *dissipation);

/* ---------------------------------------------------------------- events (event.c) */

void pf_check_when(Checker *ck, Scope *scope, const PfNode *node);
/* After all statements: what may not be locked. */
void pf_check_events(Checker *ck);
/* In the complete model: is the body detached by an event? */
bool pf_is_released(const Checker *ck, const char *name);

/* The property of a block, or NULL; a key that is not in `keys` (NULL-terminated) is an error. */
const PfNode *pf_property(const PfNode *block, const char *key);
bool pf_check_properties(Checker *ck, const PfNode *block, const char *const *keys);
const PfNode *pf_child_of_kind(const PfNode *node, PfNodeKind kind);
int pf_child_count(const PfNode *node);
int pf_add_coordinate(Checker *ck, const PfNode *node, const char *name, const char *unit, bool contact);
bool pf_sync_coordinates(Checker *ck); /* the model's list follows the checker's while it grows */

#endif
