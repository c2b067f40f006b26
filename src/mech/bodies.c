/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies: the mass matrix by composite inertias and the bias forces by Newton and Euler, both as recursions over
 * the tree of frames, run on expressions. Every quantity is in the axes of its own frame and about its origin.
 * Gravity enters through the potential, which is shorter than carrying it through all the axes.
 *
 * A frame moves against its parent by up to six elementary rates: three translations along the axes of the parent
 * and one turn about its axis, or three about its own axes when a quaternion turns it. An elementary rate is usually
 * one velocity, but may be any function of coordinates and time: rate = W v + w. */
#include "mech/mech_impl.h"

#include <string.h>

enum { TURN = 3, RATES = 6 }; /* the first turn among the elementary rates, and their number */

/* A symmetric 3 x 3 matrix is kept in full: nine entries, which the table shares. */
typedef struct Link {
  bool used;                     /* carries a body, itself or further out */
  bool spins_freely;             /* its load is round about its axis: its angle does not matter */
  PfExpr rate[6], second[6];     /* elementary rates (x, y, z, turns) and their derivatives at q'' = 0 */
  PfExpr w[3], dw[3];            /* angular velocity and acceleration at q'' = 0 */
  PfExpr u[3], a[3];             /* velocity, and acceleration at q'' = 0, of the origin */
  PfExpr f[3], t[3];             /* force and moment about the origin that the motion at q'' = 0 needs */
  PfExpr mass, h[3], I[9];       /* composite inertia: mass, first moment, inertia about the origin */
  PfExpr up[3][3], height[3];    /* unit vectors of the ground, and how far along them the origin is */
} Link;

typedef struct Tree {
  PfContext *ctx;
  const PfModel *model;
  Link *link;
  PfExpr zero;
  PfExpr *accelerations, *zeros; /* the symbols q'', and as many zeros */
} Tree;

/* ---------------------------------------------------------------- small algebra */

/* out = s v */
static void scale3(const Tree *tree, PfExpr s, const PfExpr *v, PfExpr *out)
{
  for (int k = 0; k < 3; k++) out[k] = pf_expr_mul(tree->ctx, s, v[k]);
}

/* out = A v for a 3 x 3 matrix by rows; out may be v. */
static void matrix_times(const Tree *tree, const PfExpr *A, const PfExpr *v, PfExpr *out)
{
  PfExpr result[3];
  for (int i = 0; i < 3; i++) result[i] = pf_expr_dot3(tree->ctx, A + 3*i, v);
  memcpy(out, result, sizeof result);
}

/* Axes of a frame to those of its parent and back. A wheel is treated in axes that do not spin with it. */
static void to_parent(const Tree *tree, int i, const PfExpr *v, PfExpr *out)
{
  if (tree->link[i].spins_freely) memmove(out, v, 3*sizeof *out);
  else pf_frame_to_parent(tree->model, i, v, out);
}

/* The way back: axes of the parent to those of the frame. */
static void from_parent(const Tree *tree, int i, const PfExpr *v, PfExpr *out)
{
  if (tree->link[i].spins_freely) memmove(out, v, 3*sizeof *out);
  else pf_frame_from_parent(tree->model, i, v, out);
}

/* Adds (2 p.h + m p.p) 1 - p h^T - h p^T - m p p^T: the inertia about a point that is p further back. */
static void shift_inertia(const Tree *tree, PfExpr *I, PfExpr mass, const PfExpr *h, const PfExpr *p)
{
  PfContext *ctx = tree->ctx;
  PfExpr g[3]; /* h + m p/2 counts twice */
  for (int k = 0; k < 3; k++)
    g[k] = pf_expr_add(ctx, h[k], pf_expr_mul(ctx, pf_expr_rational(ctx, 1, 2), pf_expr_mul(ctx, mass, p[k])));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1)%3, b = (i + 2)%3;
      PfExpr terms[2] = {pf_expr_mul(ctx, p[a], g[a]), pf_expr_mul(ctx, p[b], g[b])};
      PfExpr entry = i == j ? pf_expr_mul(ctx, pf_expr_int(ctx, 2), pf_expr_sum(ctx, terms, 2))
                            : pf_expr_neg(ctx, pf_expr_add(ctx, pf_expr_mul(ctx, p[i], g[j]),
                                                           pf_expr_mul(ctx, p[j], g[i])));
      I[3*i + j] = pf_expr_add(ctx, I[3*i + j], entry);
    }
}

/* ---------------------------------------------------------------- outward: motion */

/* The rates at which the frame moves against its parent (three of the origin, three of the turn, or that of its angle),
 * and their derivatives at q'' = 0. */
static PfStatus find_rates(const Tree *tree, int i)
{
  const PfModel *model = tree->model;
  const PfFrame *frame = model->frames + i;
  Link *link = tree->link + i;
  PF_TRY(pf_frame_rates(model, i, link->rate));
  if (frame->rotation[0]) {
    memcpy(link->rate + TURN, frame->turning, sizeof frame->turning);
  } else if (frame->quaternion[0]) {
    PfExpr rate[4];
    PF_TRY(pf_model_time_derivative(model, frame->quaternion, 4, rate));
    pf_quaternion_spin(tree->ctx, frame->quaternion, rate, link->rate + TURN);
  }
  PF_TRY(pf_model_time_derivative(model, link->rate, RATES, link->second));
  return pf_expr_substitute(tree->ctx, link->second, RATES, tree->accelerations, tree->zeros,
                            model->coordinate_count, link->second);
}

/* Elementary turns as a vector in the axes of the frame. */
static void turning(const Tree *tree, const PfFrame *frame, const PfExpr *rate, PfExpr *out)
{
  if (frame->quaternion[0]) memcpy(out, rate, 3*sizeof *out);
  else scale3(tree, rate[0], frame->axis, out);
}

/* Velocity, acceleration at q'' = 0 and height of a frame from those of its parent, with its origin at p there:
 *   u = u_p + w_p x p + p',  a = a_p + dw_p x p + w_p x (w_p x p) + 2 w_p x p' + p'',
 *   w = w_p + turn,  dw = dw_p + w_p x turn + turn'
 * The unit vectors for heights are turned outward, which all bodies share; to turn positions into the axes of the
 * ground would be work of its own for each body. */
static PfStatus outward(const Tree *tree, int i)
{
  PfContext *ctx = tree->ctx;
  const PfFrame *frame = tree->model->frames + i;
  const PfExpr *p = frame->origin;
  Link *link = tree->link + i, *parent = tree->link + frame->parent;
  PfExpr v[3], swing[3], twice[3], turn[3];
  PF_TRY(find_rates(tree, i));
  memcpy(v, parent->u, sizeof v);
  pf_expr_add_cross3(ctx, v, parent->w, p);
  pf_expr_add3(ctx, v, link->rate);
  from_parent(tree, i, v, link->u);
  memcpy(v, parent->a, sizeof v);
  pf_expr_add_cross3(ctx, v, parent->dw, p);
  pf_expr_cross3(ctx, parent->w, p, swing);
  pf_expr_add_cross3(ctx, v, parent->w, swing);
  scale3(tree, pf_expr_int(ctx, 2), link->rate, twice);
  pf_expr_add_cross3(ctx, v, parent->w, twice);
  pf_expr_add3(ctx, v, link->second);
  from_parent(tree, i, v, link->a);
  from_parent(tree, i, parent->w, link->w);
  from_parent(tree, i, parent->dw, link->dw);
  for (int k = 0; k < 3; k++) {
    if (tree->model->gravity[k] == tree->zero) continue;
    pf_frame_turn(tree->model, 0, i, tree->link[0].up[k], link->up[k]);
    link->height[k] = pf_expr_add(ctx, parent->height[k], pf_expr_dot3(ctx, parent->up[k], p));
  }
  if (!pf_frame_is_turned(frame)) return PF_OK;
  turning(tree, frame, link->rate + TURN, turn);
  pf_expr_add_cross3(ctx, link->dw, link->w, turn);
  pf_expr_add3(ctx, link->w, turn);
  turning(tree, frame, link->second + TURN, turn);
  pf_expr_add3(ctx, link->dw, turn);
  return PF_OK;
}

/* ---------------------------------------------------------------- a body on its frame */

/* Adds a body with its centre at c to its frame and to the energies: the force f = m (a + dw x c + w x (w x c)) and the
 * moment I dw + w x (I w) + c x f about the origin that the motion at q'' = 0 needs; mass, first moment and inertia; T
 * = m/2 |u + w x c|^2 + w.I w/2 and V = -m g.r. */
static void add_body(const Tree *tree, const PfBody *body, PfEquations *eq)
{
  PfContext *ctx = tree->ctx;
  Link *link = tree->link + body->frame;
  const PfExpr zero = tree->zero, *c = body->com;
  PfExpr f[3], t[3], h[3], u[3], swing[3], Iw[3], none[3] = {zero, zero, zero}, r[3] = {zero, zero, zero};
  memcpy(f, link->a, sizeof f);
  pf_expr_add_cross3(ctx, f, link->dw, c);
  pf_expr_cross3(ctx, link->w, c, swing);
  pf_expr_add_cross3(ctx, f, link->w, swing);
  scale3(tree, body->mass, f, f);
  matrix_times(tree, body->inertia, link->dw, t);
  matrix_times(tree, body->inertia, link->w, Iw);
  pf_expr_add_cross3(ctx, t, link->w, Iw);
  pf_expr_add_cross3(ctx, t, c, f);
  pf_expr_add3(ctx, link->f, f);
  pf_expr_add3(ctx, link->t, t);

  scale3(tree, body->mass, c, h);
  link->mass = pf_expr_add(ctx, link->mass, body->mass);
  pf_expr_add3(ctx, link->h, h);
  for (int k = 0; k < 9; k++) link->I[k] = pf_expr_add(ctx, link->I[k], body->inertia[k]);
  shift_inertia(tree, link->I, body->mass, none, c);

  memcpy(u, link->u, sizeof u);
  pf_expr_add_cross3(ctx, u, link->w, c);
  PfExpr half = pf_expr_rational(ctx, 1, 2);
  PfExpr twice = pf_expr_add(ctx, pf_expr_mul(ctx, body->mass, pf_expr_dot3(ctx, u, u)),
                             pf_expr_dot3(ctx, link->w, Iw));
  eq->kinetic = pf_expr_add(ctx, eq->kinetic, pf_expr_mul(ctx, half, twice));
  for (int k = 0; k < 3; k++)
    if (tree->model->gravity[k] != zero) r[k] = pf_expr_add(ctx, link->height[k], pf_expr_dot3(ctx, link->up[k], c));
  PfExpr fall = pf_expr_mul(ctx, body->mass, pf_expr_dot3(ctx, tree->model->gravity, r));
  eq->potential = pf_expr_sub(ctx, eq->potential, fall);
}

/* ---------------------------------------------------------------- inward: forces and inertias */

/* Adds mass, first moment, inertia and bias force of a frame to its parent: I_p += R I R^T + (shift), f_p += R f, m_p
 * += p x R f + R m. */
static void inward(const Tree *tree, int i)
{
  const PfFrame *frame = tree->model->frames + i;
  const Link *link = tree->link + i;
  Link *parent = tree->link + frame->parent;
  PfContext *ctx = tree->ctx;
  PfExpr f[3], t[3], h[3], I[9], mp[3];
  to_parent(tree, i, link->f, f);
  to_parent(tree, i, link->t, t);
  pf_expr_add_cross3(tree->ctx, t, frame->origin, f);
  pf_expr_add3(tree->ctx, parent->f, f);
  pf_expr_add3(tree->ctx, parent->t, t);

  to_parent(tree, i, link->h, h);
  /* R S R^T for a symmetric S: columns first, then rows. */
  PfExpr half[9];
  for (int k = 0; k < 3; k++) {
    PfExpr column[3] = {link->I[k], link->I[3 + k], link->I[6 + k]};
    to_parent(tree, i, column, column);
    for (int j = 0; j < 3; j++) half[3*j + k] = column[j];
  }
  for (int j = 0; j < 3; j++) to_parent(tree, i, half + 3*j, I + 3*j);
  for (int j = 0; j < 3; j++) /* the same to the letter on both sides of the diagonal */
    for (int k = 0; k < j; k++) I[3*j + k] = I[3*k + j];
  shift_inertia(tree, I, link->mass, h, frame->origin);
  scale3(tree, link->mass, frame->origin, mp);
  pf_expr_add3(tree->ctx, h, mp);
  parent->mass = pf_expr_add(ctx, parent->mass, link->mass);
  pf_expr_add3(tree->ctx, parent->h, h);
  for (int k = 0; k < 9; k++) parent->I[k] = pf_expr_add(ctx, parent->I[k], I[k]);
}

/* ---------------------------------------------------------------- projection on the coordinates */

/* Coefficients of the rates in the velocities: the entries of W that are not zero. */
typedef struct Freedom {
  int frame, axis; /* axis 0..2: translation in the parent's axes; 3: turn, 3..5: about the own axes */
  int count, *coordinate;
  PfExpr *coefficient;
} Freedom;

/* A rate as a linear form in the velocities; usually it is one velocity. */
static PfStatus find_freedom(const Tree *tree, PfArena *scratch, int frame, int axis, Freedom *freedom)
{
  const PfModel *model = tree->model;
  PfExpr rate = tree->link[frame].rate[axis];
  *freedom = (Freedom){.frame = frame, .axis = axis};
  int n = model->coordinate_count, found = -1;
  for (int i = 0; i < n && found < 0; i++)
    if (model->coordinates[i].v == rate) found = i;
  PF_TRY(pf_arrays(tree->ctx, scratch, "the bodies", PF_ROOM(freedom->coordinate, found < 0 ? n : 1),
                   PF_ROOM(freedom->coefficient, found < 0 ? n : 1)));
  if (found >= 0) {
    freedom->count = 1;
    freedom->coordinate[0] = found;
    freedom->coefficient[0] = pf_expr_int(tree->ctx, 1);
    return PF_OK;
  }
  for (int i = 0; i < n; i++) {
    PfExpr c = pf_expr_diff(tree->ctx, rate, model->coordinates[i].v);
    if (c == PF_EXPR_NONE) return pf_expr_check(tree->ctx);
    if (c == tree->zero) continue;
    freedom->coordinate[freedom->count] = i;
    freedom->coefficient[freedom->count++] = c;
  }
  return PF_OK;
}

/* The axis of a turn, in the axes of its frame. */
static void axis_of(const Tree *tree, const Freedom *freedom, PfExpr *axis)
{
  const PfFrame *frame = tree->model->frames + freedom->frame;
  for (int k = 0; k < 3; k++)
    axis[k] = frame->quaternion[0] ? pf_expr_int(tree->ctx, k == freedom->axis - TURN) : frame->axis[k];
}

/* F -= W^T (force or moment along the freedom), of the motion at q'' = 0. */
static void subtract_bias(const Tree *tree, const Freedom *freedom, PfEquations *eq)
{
  const Link *link = tree->link + freedom->frame;
  PfExpr f[3], axis[3];
  to_parent(tree, freedom->frame, link->f, f);
  axis_of(tree, freedom, axis);
  PfExpr bias = freedom->axis < TURN ? f[freedom->axis] : pf_expr_dot3(tree->ctx, axis, link->t);
  for (int k = 0; k < freedom->count; k++) {
    PfExpr *F = eq->F + freedom->coordinate[k];
    *F = pf_expr_sub(tree->ctx, *F, pf_expr_mul(tree->ctx, freedom->coefficient[k], bias));
  }
}

/* Adds an entry of the mass matrix between two freedoms to the entries of the coordinates in them. */
static void add_mass(const Tree *tree, const Freedom *a, const Freedom *b, PfExpr entry, PfEquations *eq)
{
  PfContext *ctx = tree->ctx;
  int n = eq->n;
  for (int i = 0; i < a->count; i++)
    for (int j = 0; j < b->count; j++) {
      PfExpr factors[3] = {entry, a->coefficient[i], b->coefficient[j]};
      PfExpr product = pf_expr_product(ctx, factors, 3);
      int r = a->coordinate[i], c = b->coordinate[j];
      eq->M[r*n + c] = pf_expr_add(ctx, eq->M[r*n + c], product);
      if (a != b) eq->M[c*n + r] = pf_expr_add(ctx, eq->M[c*n + r], product);
    }
}

/* The projection of (p, l), in the axes of the frame, on its turns up to `which`; then into the axes of the parent. */
static void pass_turns(const Tree *tree, const Freedom *all, const int *first, int frame, int which, PfExpr *p,
                       PfExpr *l, PfEquations *eq)
{
  for (int k = first[frame]; k < first[frame + 1] && k <= which; k++) {
    if (all[k].axis < TURN) continue;
    PfExpr axis[3];
    axis_of(tree, all + k, axis);
    add_mass(tree, all + k, all + which, pf_expr_dot3(tree->ctx, axis, l), eq);
  }
  to_parent(tree, frame, p, p);
  to_parent(tree, frame, l, l);
}

/* A column of the mass matrix: the momentum p, and l about the origin of the frame, that unit rate of a freedom gives
 * to all that hangs on its frame is carried inward and projected on every freedom on the way. Freedoms are listed from
 * the ground outward, translations of a frame before its turns. Of a turn it is p = axis x h, l = I axis, in the axes
 * of the frame; of a translation by e p = m e, l = h x e, in the axes of the parent: the own axes are only passed
 * through where a turn needs them, so that a translation gives m and not m cos^2 + m sin^2. */
static void add_column(const Tree *tree, const Freedom *all, const int *first, int which, PfEquations *eq)
{
  PfContext *ctx = tree->ctx;
  int frame = all[which].frame;
  const Link *link = tree->link + frame;
  PfExpr p[3], l[3], axis[3], h[3];
  if (all[which].axis >= TURN) {
    axis_of(tree, all + which, axis);
    pf_expr_cross3(ctx, axis, link->h, p);
    matrix_times(tree, link->I, axis, l);
    pass_turns(tree, all, first, frame, which, p, l, eq);
  } else {
    for (int k = 0; k < 3; k++) axis[k] = pf_expr_int(ctx, k == all[which].axis);
    to_parent(tree, frame, link->h, h);
    scale3(tree, link->mass, axis, p);
    pf_expr_cross3(ctx, h, axis, l);
  }
  for (;;) { /* (p, l) in the axes of the parent, l about the origin of the frame */
    for (int k = first[frame]; k < first[frame + 1] && k <= which && all[k].axis < TURN; k++)
      add_mass(tree, all + k, all + which, p[all[k].axis], eq);
    pf_expr_add_cross3(ctx, l, tree->model->frames[frame].origin, p);
    frame = tree->model->frames[frame].parent;
    if (!frame) return;
    pass_turns(tree, all, first, frame, which, p, l, eq);
  }
}

/* ---------------------------------------------------------------- quaternions */

/* Four coordinates turn a body in three ways only: without more, M is singular along q. The kinetic energy
 * mu/2 (q.q')^2 vanishes where |q| = 1 and changes nothing there, but gives every formulation a regular M:
 * M += mu q q^T, F -= mu (q'.q') q. mu is of the size of the body's own inertia, so that M is well scaled. */
static void add_norm_energy(const Tree *tree, const PfBall *ball, PfEquations *eq)
{
  PfContext *ctx = tree->ctx;
  PfExpr mu = PF_EXPR_NONE, qv = tree->zero, vv = tree->zero;
  for (int i = 0; i < tree->model->body_count && mu == PF_EXPR_NONE; i++) {
    const PfBody *body = tree->model->bodies + i;
    if (strcmp(body->name, ball->name)) continue;
    PfExpr diagonal[3] = {body->inertia[0], body->inertia[4], body->inertia[8]};
    PfExpr trace = pf_expr_sum(ctx, diagonal, 3);
    if (trace != tree->zero) mu = pf_expr_mul(ctx, pf_expr_rational(ctx, 4, 3), trace);
  }
  if (mu == PF_EXPR_NONE) mu = pf_expr_int(ctx, 1);
  const PfCoordinate *c = tree->model->coordinates + ball->q;
  for (int i = 0; i < 4; i++) {
    qv = pf_expr_add(ctx, qv, pf_expr_mul(ctx, c[i].q, c[i].v));
    vv = pf_expr_add(ctx, vv, pf_expr_pow_int(ctx, c[i].v, 2));
    for (int j = 0; j < 4; j++) {
      PfExpr factors[3] = {mu, c[i].q, c[j].q};
      PfExpr *entry = eq->M + (ball->q + i)*eq->n + ball->q + j;
      *entry = pf_expr_add(ctx, *entry, pf_expr_product(ctx, factors, 3));
    }
  }
  for (int i = 0; i < 4; i++) {
    PfExpr factors[3] = {mu, vv, c[i].q};
    eq->F[ball->q + i] = pf_expr_sub(ctx, eq->F[ball->q + i], pf_expr_product(ctx, factors, 3));
  }
  PfExpr factors[3] = {pf_expr_rational(ctx, 1, 2), mu, pf_expr_pow_int(ctx, qv, 2)};
  eq->kinetic = pf_expr_add(ctx, eq->kinetic, pf_expr_product(ctx, factors, 3));
}

/* ---------------------------------------------------------------- all together */

/* Makes the links of all frames: which ones carry bodies, and which are wheels whose own turn does not matter.
 * Everything that is summed up begins with zero. */
static PfStatus begin(Tree *tree, PfArena *scratch, int n)
{
  const PfModel *model = tree->model;
  const int frames = model->frame_count;
  bool *used, *wheel;
  PF_TRY(pf_arrays(tree->ctx, scratch, "the bodies", PF_ROOM(tree->link, frames), PF_ROOM(tree->accelerations, n),
                   PF_ROOM(tree->zeros, n), PF_ROOM(used, frames), PF_ROOM(wheel, frames)));
  for (int i = 0; i < n; i++) {
    tree->accelerations[i] = model->coordinates[i].a;
    tree->zeros[i] = tree->zero;
  }
  pf_frames_used(model, used);
  pf_frames_round(model, used, wheel);
  for (int f = 0; f < frames; f++) {
    Link *link = tree->link + f;
    PfExpr *lists[] = {link->rate, link->second, link->w, link->dw, link->u, link->a,
                       link->f, link->t, link->h, link->I};
    const int counts[] = {RATES, RATES, 3, 3, 3, 3, 3, 3, 3, 9};
    *link = (Link){.used = used[f], .spins_freely = wheel[f], .mass = tree->zero};
    for (size_t i = 0; i < sizeof counts/sizeof *counts; i++)
      for (int k = 0; k < counts[i]; k++) lists[i][k] = tree->zero;
    for (int k = 0; k < 3; k++) {
      link->height[k] = tree->zero;
      for (int j = 0; j < 3; j++) link->up[k][j] = pf_expr_int(tree->ctx, j == k);
    }
  }
  return PF_OK;
}

/* Adds the bodies to M, F, kinetic and potential energy: composite inertias give M, Newton and Euler the bias, both by
 * recursion over the tree of frames, outward over all of them, then bodies, then inward; F -= dV/dq with V = -m g.r of
 * all bodies. Costs a few operations for each pair of a freedom and a freedom that carries it. */
PfStatus pf_derive_bodies(PfContext *ctx, PfArena *scratch, const PfModel *model, PfEquations *eq)
{
  if (!model->body_count && !model->ball_count) return PF_OK;
  const int frames = model->frame_count;
  int count = 0, *first;
  Tree tree = {.ctx = ctx, .model = model, .zero = pf_expr_int(ctx, 0)};
  Freedom *all;
  PfExpr *slope;
  PF_TRY(begin(&tree, scratch, eq->n));
  PF_TRY(pf_arrays(ctx, scratch, "the bodies", PF_ROOM2(all, RATES, frames), PF_ROOM(first, (size_t)frames + 1),
                   PF_ROOM(slope, eq->n)));
  for (int i = 1; i < frames; i++)
    if (tree.link[i].used) PF_TRY(outward(&tree, i));
  for (int i = 0; i < model->body_count; i++) add_body(&tree, model->bodies + i, eq);
  for (int i = frames; i-- > 1;)
    if (tree.link[i].used) inward(&tree, i);
  PF_TRY(pf_model_gradient(model, pf_expr_sub(ctx, eq->potential, model->potential), slope));
  for (int i = 0; i < eq->n; i++) eq->F[i] = pf_expr_sub(ctx, eq->F[i], slope[i]);
  for (int i = 1; i < frames; i++) {
    first[i] = count;
    for (int axis = 0; axis < RATES && tree.link[i].used; axis++) {
      if (tree.link[i].rate[axis] == tree.zero) continue;
      PF_TRY(find_freedom(&tree, scratch, i, axis, all + count));
      count += all[count].count > 0;
    }
    first[i + 1] = count;
  }
  for (int k = 0; k < first[frames]; k++) {
    subtract_bias(&tree, all + k, eq);
    add_column(&tree, all, first, k, eq);
  }
  for (int k = 0; k < model->ball_count; k++) add_norm_energy(&tree, model->balls + k, eq);
  return pf_expr_check(ctx);
}
