/* SPDX-License-Identifier: Apache-2.0 */
/* Models with free and ball joints in angular velocities: for readers, since second derivatives of quaternions are
 * never written by hand.
 *
 * Three components of the angular velocity take the place of four components of the quaternion and of the constraint on
 * its length; nine direction cosines, symbols that are known to be a rotation, take the place of the images of axes
 * under the quaternion. Both have rates that are linear in the angular velocity, so they follow the motion
 * (PfAuxiliary):
 *
 *   q' = 1/2 q o w,   a' = a x w, b' = b x w, g' = g x w      a, b, g: the axes it is placed in, seen from the body
 *
 * Round bodies are described in the axes they are placed in, where nothing of the attitude is left. */
#include "mech/mech_impl.h"
#include "num/num.h"
#include "num/rotation.h"

#include <math.h>
#include <string.h>

/* The replacement of an expression of the quaternion. */
typedef struct Image {
  PfExpr from, to;
} Image;

enum { COSINES = 9, QUATERNION = 4, AUXILIARIES = COSINES + QUATERNION, IMAGES = COSINES + 3 + 1 };

typedef struct Work {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *from;
  PfQuasi *to;
  PfExpr zero;
  int *ball;      /* per coordinate of the original: the ball whose quaternion it belongs to, or -1 */
  Image *images;
  int image_count;
  PfExpr *q_rate, *q_rate_by_w; /* q' of all quaternions, and the same in terms of w */
  int rate_count;
  bool by_angles;               /* three turns take the place of each quaternion, and no auxiliary states are needed */
  const double *start;          /* then: the numbers of the original at the start, coordinates from start_q on */
  int start_q;
  PfExpr *q, *q_by_angles;      /* then: all components of quaternions, and the same in terms of angles */
} Work;

/* ---------------------------------------------------------------- round bodies */

/* Does the frame carry nothing but bodies of equal inertia about all axes, their centre at its origin, and does nothing
 * hang on it that carries others? */
static bool carries_round_bodies(const Work *w, int frame)
{
  const PfModel *model = w->from->model;
  bool round = true;
  for (int b = 0; b < model->body_count && round; b++) {
    const PfBody *body = model->bodies + b;
    const PfExpr *I = body->inertia;
    int f = body->frame;
    while (f && f != frame) f = model->frames[f].parent;
    if (f != frame) continue;
    round = body->frame == frame && I[0] == I[4] && I[0] == I[8];
    for (int i = 0; i < 9; i++) round = round && (i%4 == 0 || I[i] == w->zero);
    for (int i = 0; i < 3; i++) round = round && body->com[i] == w->zero;
  }
  return round;
}

/* ---------------------------------------------------------------- names */

/* The symbol owner.name with an ending; its text goes to `text` unless that is NULL. */
static PfExpr symbol(Work *w, const char *owner, const char *name, const char *ending, const char **text)
{
  const char *own = pf_arena_print(w->arena, "%s.%s%s", owner, name, ending);
  if (!own) return PF_EXPR_NONE;
  if (text) *text = own;
  return pf_expr_symbol(w->ctx, own);
}

/* How LaTeX writes it: \omega_x, with a name of the body where there are several, \dot for its rate. */
static bool set_notation(Work *w, PfExpr e, const char *letter, char axis, const char *owner, const char *dot)
{
  const char *open = *dot ? "{" : "", *close = *dot ? "}" : "";
  char name[64] = "", text[160];
  size_t length = 0;
  for (const char *c = owner; *c && length < sizeof name - 1; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    if (plain || *c != ']') name[length++] = plain ? *c : ',';
  }
  bool several = w->from->model->ball_count > 1;
  snprintf(text, sizeof text, "%s%s%s%s_{%c%s%s%s}", dot, open, letter, close, axis, several ? ",\\mathrm{" : "",
           several ? name : "", several ? "}" : "");
  return pf_expr_symbol_notation(w->ctx, e, text);
}

/* ---------------------------------------------------------------- one joint */

/* Three pseudo-coordinates whose velocities are the angular velocity: in the axes of the body, or of the ground for a
 * round one. */
static PfStatus add_spin(Work *w, const PfBall *ball, bool round)
{
  static const char *const own[] = {"wx", "wy", "wz"}, *const fixed[] = {"omega_x", "omega_y", "omega_z"};
  PfModel *model = &w->to->model;
  PfSpinning *spinning = model->spinnings + model->spinning_count++;
  *spinning = (PfSpinning){model->coordinate_count, round ? -1 : 1, model->auxiliary_count, {0}};
  for (int k = 0; k < 3; k++) {
    const char *name = round ? fixed[k] : own[k];
    PfCoordinate *c = model->coordinates + model->coordinate_count++;
    *c = (PfCoordinate){.unit = "", .rate_unit = "rad/s", .acceleration_unit = "rad/s^2", .scale = 1, .quasi = true,
                        .place = ball->place};
    c->v = symbol(w, ball->name, name, "", &c->name);
    c->a = symbol(w, ball->name, name, "'", NULL);
    c->q = symbol(w, ball->name, name, " dt", NULL);
    c->start_q = c->start_v = w->zero;
    spinning->value[k] = ball->spin[k];
    const char *letter = round ? "\\Omega" : "\\omega";
    if (!set_notation(w, c->v, letter, "xyz"[k], ball -> name, "") ||
        !set_notation(w, c->a, letter, "xyz"[k], ball -> name, "\\dot"))
      return pf_no_room(w->ctx, "the attitude");
  }
  return pf_expr_check(w->ctx);
}

/* Auxiliary states of a free body: nine direction cosines R' = R [w] and the quaternion q' = q o w/2; for a round one,
 * with w in the axes it is placed in, R' = [w] R and q' = w o q/2. */
static PfStatus add_auxiliaries(Work *w, const PfBall *ball, const PfExpr q[4], bool round)
{
  static const char rows[] = "abg", columns[] = "xyz";
  static const char *const letters[] = {"\\alpha", "\\beta", "\\gamma", "q"};
  PfContext *ctx = w->ctx;
  PfModel *model = &w->to->model;
  PfAuxiliary *f = model->auxiliaries + model->auxiliary_count;
  PfExpr R[COSINES], spin[3], back[3], conjugate[4], rate[4];
  const PfCoordinate *c = model->coordinates + model->coordinate_count - 3;
  for (int k = 0; k < 3; k++) spin[k] = c[k].v;
  for (int k = 0; k < COSINES; k++) {
    char name[3] = {rows[k/3], columns[k%3], 0};
    R[k] = symbol(w, ball->name, name, "", NULL);
  }
  for (int k = 0; k < 4; k++) conjugate[k] = k ? pf_expr_neg(ctx, q[k]) : q[k];
  for (int k = 0; k < 3; k++) back[k] = pf_expr_neg(ctx, spin[k]);
  pf_quaternion_rate(ctx, round ? conjugate : q, round ? back : spin, rate); /* (w o q)* = q* o w*, and w* = -w */
  for (int k = 1; k < 4 && round; k++) rate[k] = pf_expr_neg(ctx, rate[k]);
  for (int k = 0; k < COSINES; k++) {
    const int i = k/3, j = k%3;
    PfExpr product[3], column[3] = {R[j], R[3 + j], R[6 + j]};
    if (round) pf_expr_cross3(ctx, spin, column, product);
    else pf_expr_cross3(ctx, R + 3*i, spin, product);
    f[k] = (PfAuxiliary){R[k], product[round ? i : j], pf_quaternion_entry(ctx, q, i, j)};
  }
  for (int k = 0; k < QUATERNION; k++) f[COSINES + k] = (PfAuxiliary){q[k], rate[k], q[k]};
  model->auxiliary_count += AUXILIARIES;
  for (int k = 0; k < AUXILIARIES; k++) {
    PfExpr rate_symbol = pf_rate_symbol(ctx, f[k].symbol);
    char axis = k < COSINES ? "xyz"[k%3] : "wxyz"[k - COSINES];
    const char *letter = letters[k < COSINES ? k/3 : 3];
    if (!set_notation(w, f[k].symbol, letter, axis, ball->name, "") ||
        !set_notation(w, rate_symbol, letter, axis, ball->name, "\\dot"))
      return pf_no_room(ctx, "the attitude");
  }
  if (!pf_expr_rotation(ctx, R)) return pf_no_room(ctx, "the attitude");
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- expressions */

/* Lists the replacement of an expression c*s/|q|^2 of the quaternion, as it is made: of s by stands_for/c. */
static void add_image(Work *w, PfExpr made, PfExpr square, PfExpr stands_for)
{
  PfContext *ctx = w->ctx;
  PfExpr number = pf_expr_int(ctx, 1);
  if (pf_expr_op(ctx, made) == PF_OP_SUM && pf_expr_arg_count(ctx, made) == 3) {
    number = pf_expr_arg(ctx, made, 1);
    made = pf_expr_arg(ctx, made, 2);
  }
  for (int k = 0; pf_expr_op(ctx, made) == PF_OP_PRODUCT && k < pf_expr_arg_count(ctx, made); k += 2) {
    PfExpr base = pf_expr_arg(ctx, made, k);
    if (base == square || !pf_expr_is_int(ctx, pf_expr_arg(ctx, made, k + 1), 1)) continue;
    w->images[w->image_count++] = (Image){base, pf_expr_div(ctx, stands_for, number)};
    return;
  }
}

/* Replacements of expressions of the quaternion: entries of R, components of the angular velocity in the axes of the
 * body (by the one that was chosen), |q|^2 = 1, rates. */
static void add_images(Work *w, const PfBall *ball, const PfExpr q[4])
{
  PfContext *ctx = w->ctx;
  const PfFrame *frame = w->to->model.frames + ball->frame;
  const PfExpr *R = frame->rotation;
  PfExpr squares[4], square;
  for (int k = 0; k < 4; k++) squares[k] = pf_expr_pow_int(ctx, q[k], 2);
  square = pf_expr_sum(ctx, squares, 4);
  for (int k = 0; k < COSINES; k++) add_image(w, pf_quaternion_entry(ctx, q, k/3, k%3), square, R[k]);
  for (int k = 0; k < 3; k++) {
    PfExpr column[3] = {R[k], R[3 + k], R[6 + k]};
    add_image(w, ball->spin[k], square, frame->round ? pf_expr_dot3(ctx, column, frame->turning) : frame->turning[k]);
  }
  w->images[w->image_count++] = (Image){square, pf_expr_int(ctx, 1)};
  for (int k = 0; k < QUATERNION; k++, w->rate_count++) {
    const PfAuxiliary *f = w->to->model.auxiliaries + w->to->model.auxiliary_count - QUATERNION + k;
    w->q_rate[w->rate_count] = w->from->model->coordinates[ball->q + k].v;
    if (!w->by_angles) w->q_rate_by_w[w->rate_count] = f->rate;
  }
}

/* PfExprMap: known expressions of a quaternion by what they stand for. */
static PfExpr image_of(void *user, PfExpr e)
{
  const Work *w = user;
  for (int i = 0; i < w->image_count; i++)
    if (w->images[i].from == e) return w->images[i].to;
  return e;
}

/* Rewrites known cosines and angular velocities first, then the remaining rates of quaternions. */
static PfStatus rewrite(Work *w, PfExpr *list, size_t count)
{
  PF_TRY(pf_expr_map(w->ctx, list, (int)count, image_of, w, list));
  PF_TRY(pf_expr_substitute(w->ctx, list, (int)count, w->q_rate, w->q_rate_by_w, w->rate_count, list));
  PfExpr *seconds, *by_w;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the attitude", PF_ROOM(seconds, w->rate_count), PF_ROOM(by_w, w->rate_count)));
  for (int b = 0, k = 0; b < w->from->model->ball_count; b++)
    for (int i = 0; i < QUATERNION; i++, k++)
      seconds[k] = w->from->model->coordinates[w->from->model->balls[b].q + i].a;
  PF_TRY(pf_model_time_derivative(&w->to->model, w->q_rate_by_w, w->rate_count, by_w));
  PF_TRY(pf_expr_substitute(w->ctx, list, (int)count, seconds, by_w, w->rate_count, list));
  return w->by_angles ? pf_expr_substitute(w->ctx, list, (int)count, w->q, w->q_by_angles, w->rate_count, list) : PF_OK;
}

/* The parts of a vector, in a copy. */
static PfStatus rewrite_vector(Work *w, PfVector *v)
{
  if (v->count <= 0) return PF_OK;
  PfVectorPart *part = pf_arena_array(w->arena, PfVectorPart, v->count);
  if (!part) return pf_no_room(w->ctx, "the attitude");
  memcpy(part, v->part, (size_t)v->count*sizeof *part);
  for (int i = 0; i < v->count; i++) PF_TRY(rewrite(w, part[i].c, 3));
  v->part = part;
  return PF_OK;
}

/* ---------------------------------------------------------------- angles instead */

/* Turns v by an angle about a coordinate axis, or back. */
static void turn_about(const Work *w, int axis, PfExpr angle, bool back, PfExpr v[3])
{
  PfContext *ctx = w->ctx;
  int j = (axis + 1)%3, k = (axis + 2)%3;
  PfExpr c = pf_expr_call1(ctx, PF_OP_COS, angle), s = pf_expr_call1(ctx, PF_OP_SIN, angle), y = v[j], z = v[k];
  if (back) s = pf_expr_neg(ctx, s);
  v[j] = pf_expr_sub(ctx, pf_expr_mul(ctx, c, y), pf_expr_mul(ctx, s, z));
  v[k] = pf_expr_add(ctx, pf_expr_mul(ctx, s, y), pf_expr_mul(ctx, c, z));
}

/* The axes of the three turns (about the vertical, about one across, and about the axis about which the body is round,
 * if it is) and their angles at the start: z x z, z y x or z x y. Where the middle turn makes the two others one, it is
 * moved away from there. */
static void angles_of_start(const Work *w, const PfBall *ball, int axis[3], double angle[3])
{
  const PfModel *model = w->from->model;
  double R[9], half_turn = acos(-1);
  int last = 2;
  for (int b = 0; b < model->body_count; b++) {
    const PfBody *body = model->bodies + b;
    for (int i = 0; i < 3 && body->frame == ball->frame; i++) {
      int j = (i + 1)%3, k = (i + 2)%3;
      bool along = body->com[j] == w->zero && body->com[k] == w->zero && body->inertia[4*j] == body->inertia[4*k];
      bool other = body->inertia[4*i] != body->inertia[4*j] || body->com[i] != w->zero;
      if (along && other) last = i;
    }
  }
  axis[0] = 2, axis[1] = last == 0 ? 1 : 0, axis[2] = last;
  pf_quat_rotation(w->start + w->start_q + ball->q, R);
  if (last == 2) {
    angle[1] = acos(fmax(-1, fmin(1, R[8])));
    angle[0] = atan2(R[2], -R[5]), angle[2] = atan2(R[6], R[7]);
    if (fabs(sin(angle[1])) < 0.05) angle[1] = angle[1] < 1 ? 0.3 : half_turn - 0.3;
    return;
  }
  bool zyx = last == 0;
  angle[1] = asin(fmax(-1, fmin(1, zyx ? -R[6] : R[7])));
  angle[0] = zyx ? atan2(R[3], R[0]) : atan2(-R[1], R[4]);
  angle[2] = zyx ? atan2(R[7], R[8]) : atan2(-R[6], R[8]);
  if (fabs(cos(angle[1])) < 0.05) angle[1] -= copysign(0.3, angle[1]);
}

/* The quaternion of the three turns. */
static void quaternion_by_angles(const Work *w, const int axis[3], const PfExpr angle[3], PfExpr q[4])
{
  PfContext *ctx = w->ctx;
  for (int i = 0; i < 4; i++) q[i] = pf_expr_int(ctx, i == 0);
  for (int k = 0; k < 3; k++) {
    PfExpr half = pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), angle[k]), unit[3], along[3], a[4];
    PfExpr c = pf_expr_call1(ctx, PF_OP_COS, half), s = pf_expr_call1(ctx, PF_OP_SIN, half);
    for (int i = 0; i < 3; i++) unit[i] = pf_expr_mul(ctx, s, pf_expr_int(ctx, i == axis[k]));
    pf_expr_cross3(ctx, q + 1, unit, along);
    a[0] = pf_expr_sub(ctx, pf_expr_mul(ctx, q[0], c), pf_expr_dot3(ctx, q + 1, unit));
    for (int i = 0; i < 3; i++) {
      PfExpr terms[3] = {pf_expr_mul(ctx, q[0], unit[i]), pf_expr_mul(ctx, c, q[i + 1]), along[i]};
      a[i + 1] = pf_expr_sum(ctx, terms, 3);
    }
    memcpy(q, a, sizeof a);
  }
}

/* Rates of the angles for the angular velocity of the start: turning = J rates. */
static PfStatus start_rates(Work *w, const PfBall *ball, const PfExpr *turning, const double angle[3], int first)
{
  PfContext *ctx = w->ctx;
  PfCoordinate *c = w->to->model.coordinates + first;
  PfExpr symbols[6], slopes[9];
  double values[6], J[9], rate[3];
  int order[3];
  PfSymbols old;
  for (int k = 0; k < 3; k++) {
    symbols[k] = c[k].q, symbols[3 + k] = c[k].v;
    values[k] = angle[k], values[3 + k] = 0;
  }
  for (int k = 0; k < 9; k++) PF_TRY(pf_expr_gradient(ctx, turning[k/3], &c[k%3].v, 1, slopes + k));
  PF_TRY(pf_equations_symbols(ctx, w->arena, w->from->model, &old));
  PF_TRY(pf_expr_evaluate(ctx, slopes, 9, symbols, values, 6, J));
  PF_TRY(pf_expr_evaluate(ctx, ball->spin, 3, old.symbol, w->start, old.count, rate));
  if (pf_lu_factor(J, 3, order)) pf_lu_solve(J, 3, order, rate);
  for (int k = 0; k < 3; k++) c[k].start_v = pf_expr_double(ctx, rate[k]), c[k].priority_v = PF_START_GIVEN;
  return pf_expr_check(ctx);
}

/* Three angles in the place of a quaternion, about axes that keep clear of the singular attitude at the start. */
static PfStatus add_angles(Work *w, const PfBall *ball)
{
  static const char *const names[] = {"psi", "theta", "phi"};
  PfContext *ctx = w->ctx;
  PfModel *model = &w->to->model;
  PfFrame *frame = model->frames + ball->frame;
  int axis[3], first = model->coordinate_count;
  PfExpr angle[3], rate[3];
  double start[3];
  angles_of_start(w, ball, axis, start);
  for (int k = 0; k < 3; k++) {
    PfCoordinate *c = model->coordinates + model->coordinate_count++;
    *c = (PfCoordinate){.unit = "rad", .rate_unit = "rad/s", .acceleration_unit = "rad/s^2", .scale = 1,
                        .priority_q = PF_START_GIVEN, .place = ball->place};
    angle[k] = c->q = symbol(w, ball->name, names[k], "", &c->name);
    rate[k] = c->v = symbol(w, ball->name, names[k], "'", NULL);
    c->a = symbol(w, ball->name, names[k], "''", NULL);
    c->start_q = pf_expr_double(ctx, start[k]);
    c->start_v = w->zero;
  }
  /* R of the three turns, and the angular velocity in the axes of the body. */
  PfExpr *spin = frame->turning;
  for (int j = 0; j < 3; j++) {
    PfExpr v[3];
    for (int i = 0; i < 3; i++) v[i] = pf_expr_int(w->ctx, i == j);
    for (int k = 3; k-- > 0;) turn_about(w, axis[k], angle[k], false, v);
    for (int i = 0; i < 3; i++) frame->rotation[3*i + j] = v[i];
  }
  for (int i = 0; i < 3; i++) spin[i] = w->zero;
  for (int k = 0; k < 3; k++) {
    if (k) turn_about(w, axis[k], angle[k], true, spin);
    spin[axis[k]] = pf_expr_add(w->ctx, spin[axis[k]], rate[k]);
  }
  quaternion_by_angles(w, axis, angle, w->q_by_angles + w->rate_count);
  for (int k = 0; k < QUATERNION; k++) w->q[w->rate_count + k] = w->from->model->coordinates[ball->q + k].q;
  PF_TRY(pf_model_time_derivative(model, w->q_by_angles + w->rate_count, QUATERNION, w->q_rate_by_w + w->rate_count));
  return start_rates(w, ball, frame->turning, start, first);
}

/* ---------------------------------------------------------------- the parts of the model */

/* One free or ball joint: pseudo-coordinates, auxiliary states, the frame that uses them, and its notation. */
static PfStatus add_joint(Work *w, int number)
{
  const PfModel *old = w->from->model;
  const PfBall *ball = old->balls + number;
  bool round = carries_round_bodies(w, ball->frame);
  PfExpr q[QUATERNION];
  for (int k = 0; k < QUATERNION; k++) q[k] = old->coordinates[ball->q + k].q;
  if (w->by_angles) {
    PF_TRY(add_angles(w, ball));
    add_images(w, ball, q);
    return pf_expr_check(w->ctx);
  }
  PF_TRY(add_spin(w, ball, round));
  PF_TRY(add_auxiliaries(w, ball, q, round));
  PfModel *model = &w->to->model;
  PfFrame *frame = model->frames + ball->frame;
  const PfAuxiliary *f = model->auxiliaries + model->auxiliary_count - AUXILIARIES;
  for (int k = 0; k < COSINES; k++) frame->rotation[k] = f[k].symbol;
  for (int k = 0; k < 3; k++) frame->turning[k] = model->coordinates[model->coordinate_count - 3 + k].v;
  frame->round = round;
  add_images(w, ball, q);
  static const char *const dots[] = {"", "\\dot", "\\ddot"};
  bool good = true;
  for (int k = 0; k < 3 && ball->p >= 0; k++) {
    const PfCoordinate *c = w->from->model->coordinates + ball->p + k;
    PfExpr symbols[] = {c->q, c->v, c->a};
    for (int i = 0; i < 3; i++) good = good && set_notation(w, symbols[i], "p", "xyz"[k], ball -> name, dots[i]);
  }
  if (!good) return pf_no_room(w->ctx, "the attitude");
  PfSpinning *spinning = w->to->model.spinnings + number;
  for (int k = 0; k < 3 && round; k++) { /* for numbers: R w */
    PfExpr row[3];
    for (int j = 0; j < 3; j++) row[j] = pf_quaternion_entry(w->ctx, q, k, j);
    spinning->value[k] = pf_expr_dot3(w->ctx, row, ball->spin);
  }
  return pf_expr_check(w->ctx);
}

/* Forces on the components of a quaternion turn: Q_w = Q_q dq'/dw. */
static PfExpr turned_force(const Work *w, const PfExpr *force, int first, PfExpr spin)
{
  PfExpr sum = w->zero;
  for (int k = 0; k < QUATERNION; k++) {
    PfExpr along = pf_expr_diff(w->ctx, w->q_rate_by_w[first + k], spin);
    sum = pf_expr_add(w->ctx, sum, pf_expr_mul(w->ctx, force[k], along));
  }
  return sum;
}

/* All coordinates in order; quaternions are replaced by angular velocities or angles, with their generalised forces. */
static PfStatus add_coordinates(Work *w)
{
  const PfModel *old = w->from->model;
  PfModel *model = &w->to->model;
  for (int i = 0; i < old->coordinate_count; i++) {
    const int b = w->ball[i], first = model->coordinate_count;
    if (b < 0) {
      model->force[first] = old->force[i];
      model->nonideal[first] = old->nonideal[i];
      model->coordinates[model->coordinate_count++] = old->coordinates[i];
      continue;
    }
    if (old->balls[b].q != i) continue;
    PF_TRY(add_joint(w, b));
    for (int k = 0; k < 3; k++) {
      PfExpr spin = model->coordinates[first + k].v;
      model->force[first + k] = turned_force(w, old->force + i, w->rate_count - QUATERNION, spin);
      model->nonideal[first + k] = turned_force(w, old->nonideal + i, w->rate_count - QUATERNION, spin);
    }
  }
  return pf_expr_check(w->ctx);
}

/* Frames, loads, energies and forces, rewritten. */
static PfStatus rewrite_rest(Work *w)
{
  PfModel *model = &w->to->model;
  for (int f = 0; f < model->frame_count; f++) {
    PF_TRY(rewrite(w, model->frames[f].origin, 3));
    PF_TRY(rewrite(w, model->frames[f].spin, 3));
    if (model->frames[f].angle) PF_TRY(rewrite(w, &model->frames[f].angle, 1));
  }
  for (int i = 0; i < model->load_count; i++) {
    PF_TRY(rewrite_vector(w, &model->loads[i].force));
    PF_TRY(rewrite_vector(w, &model->loads[i].velocity));
  }
  PF_TRY(rewrite(w, &model->kinetic, 1));
  PF_TRY(rewrite(w, &model->potential, 1));
  PF_TRY(rewrite(w, &model->dissipation, 1));
  PF_TRY(rewrite(w, model->force, (size_t)model->coordinate_count));
  return rewrite(w, model->nonideal, (size_t)model->coordinate_count);
}

/* The model in other coordinates, part by part, and its equations. */
static PfStatus make(Work *w)
{
  const PfModel *old = w->from->model;
  PfModel *model = &w->to->model;
  const size_t n = (size_t)old->coordinate_count, balls = (size_t)old->ball_count;
  const size_t frames = (size_t)old->frame_count, loads = (size_t)old->load_count, rows = (size_t)old->constraint_count;
  *model = *old;
  model->coordinate_count = model->auxiliary_count = model->spinning_count = model->ball_count = 0;
  PF_TRY(pf_arrays(w->ctx, w->arena, "the attitude", PF_ROOM(model->coordinates, n), PF_ROOM(model->force, n),
                   PF_ROOM(model->nonideal, n), PF_ROOM(model->auxiliaries, AUXILIARIES*balls),
                   PF_ROOM(model->spinnings, balls), PF_ROOM(model->frames, frames),
                   PF_ROOM(model->constraints, rows), PF_ROOM(model->loads, loads), PF_ROOM(w->ball, n),
                   PF_ROOM(w->images, IMAGES*balls), PF_ROOM(w->q_rate, QUATERNION*balls),
                   PF_ROOM(w->q_rate_by_w, QUATERNION*balls), PF_ROOM(w->q, QUATERNION*balls),
                   PF_ROOM(w->q_by_angles, QUATERNION*balls), PF_ROOM(w->to->constraint, rows)));
  memcpy(model->frames, old->frames, frames*sizeof *model->frames);
  if (loads) memcpy(model->loads, old->loads, loads*sizeof *model->loads);
  for (size_t i = 0; i < n; i++) w->ball[i] = -1;
  for (int b = 0; b < old->ball_count; b++)
    for (int k = 0; k < QUATERNION; k++) w->ball[old->balls[b].q + k] = b;
  PF_TRY(add_coordinates(w));
  /* All constraints but |q| = 1, rewritten. */
  model->constraint_count = 0;
  for (int i = 0; i < old->constraint_count; i++) {
    bool norm = false;
    for (int b = 0; b < old->ball_count; b++) norm = norm || old->balls[b].norm == i;
    if (norm) continue;
    PfConstraint *c = model->constraints + model->constraint_count;
    *c = old->constraints[i];
    PF_TRY(rewrite(w, &c->residual, 1));
    c->residual = pf_expr_simplest(w->ctx, c->residual);
    w->to->constraint[model->constraint_count++] = i;
  }
  PF_TRY(rewrite_rest(w));
  return pf_equations_derive(w->ctx, w->arena, model, &w->to->equations);
}

/* The equations are derived from the model in angular velocities as from any other. */
PfStatus pf_quasi_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfQuasi *quasi)
{
  enum { LONG = 3000 };
  *quasi = (PfQuasi){0};
  Work w = {.ctx = ctx, .arena = arena, .from = equations, .to = quasi, .zero = pf_expr_int(ctx, 0)};
  PF_TRY(make(&w));
  PfEquations *eq = &quasi->equations;
  if (pf_expr_length(ctx, eq->kinetic) <= LONG) {
    /* The energy of a body whose velocity was turned into its own axes and squared there: rotations drop out. */
    eq->kinetic = pf_expr_simplest(ctx, eq->kinetic);
    PF_TRY(pf_velocity_gradient(eq->model, eq->kinetic, eq->momentum));
  }
  eq->by_quaternions = equations;
  eq->constraint = quasi->constraint;
  return PF_OK;
}

/* This model moves, so its plots are rewritten, too. */
PfStatus pf_angles_make(PfContext *ctx, PfArena *arena, const PfEquations *equations, PfQuasi *angles)
{
  PfSymbols old;
  PF_TRY(pf_equations_symbols(ctx, arena, equations->model, &old));
  double *start = pf_arena_array(arena, double, old.count);
  if (!start) return pf_no_room(ctx, "the attitude");
  PF_TRY(pf_equations_start(ctx, equations, NULL, start));
  *angles = (PfQuasi){0};
  Work w = {.ctx = ctx, .arena = arena, .from = equations, .to = angles, .zero = pf_expr_int(ctx, 0), .by_angles = true,
            .start = start, .start_q = old.q};
  PF_TRY(make(&w));
  /* Plots are rewritten too, since this model moves. */
  PfModel *model = &w.to->model;
  PfPlot *plots = pf_arena_array(w.arena, PfPlot, model->plot_count);
  if (!plots) return pf_no_room(w.ctx, "the attitude");
  for (int i = 0; i < model->plot_count; i++) {
    plots[i] = model->plots[i];
    int count = plots[i].count + (plots[i].against != PF_EXPR_NONE);
    PF_TRY(pf_arrays(w.ctx, w.arena, "the attitude", PF_ROOM(plots[i].values, count)));
    for (int k = 0; k < count; k++) plots[i].values[k] = model->plots[i].values[k];
    PF_TRY(rewrite(&w, plots[i].values, (size_t)count));
    if (plots[i].against != PF_EXPR_NONE) PF_TRY(rewrite(&w, &plots[i].against, 1));
  }
  model->plots = plots;
  return PF_OK;
}
