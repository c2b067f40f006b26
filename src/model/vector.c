/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors as sums of parts in several frames, and the motion of frames and points.
 *
 * A part has components in the axes of its own frame and is turned only where a product or an output needs common
 * axes: p = x e_x + L e_r stays two short parts. Turning goes through the tree of frames, from one frame up to the
 * common ancestor and down to the other; turns about the same axis that follow one another are added first. A failed
 * allocation makes a vector with count -1, which all operations pass on; expressions fail as pf_expr_check says. */
#include "model/model.h"

#include <string.h>

/* a . b */
PfExpr pf_expr_dot3(PfContext *ctx, const PfExpr a[3], const PfExpr b[3])
{
  PfExpr terms[3];
  for (int i = 0; i < 3; i++) terms[i] = pf_expr_mul(ctx, a[i], b[i]);
  return pf_expr_sum(ctx, terms, 3);
}

/* A structural zero among the coefficients drops its term. */
PfExpr pf_combination(PfContext *ctx, const PfExpr *coefficients, size_t stride, const PfExpr *unknowns, int count)
{
  PfExpr sum = pf_expr_int(ctx, 0);
  for (int j = 0; j < count; j++)
    sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, coefficients[(size_t)j*stride], unknowns[j]));
  return sum;
}

/* out = a x b; `out` may be a or b. */
void pf_expr_cross3(PfContext *ctx, const PfExpr a[3], const PfExpr b[3], PfExpr out[3])
{
  PfExpr result[3];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1)%3, k = (i + 2)%3;
    result[i] = pf_expr_sub(ctx, pf_expr_mul(ctx, a[j], b[k]), pf_expr_mul(ctx, a[k], b[j]));
  }
  memcpy(out, result, sizeof result);
}

/* sum += v, component by component. */
void pf_expr_add3(PfContext *ctx, PfExpr sum[3], const PfExpr v[3])
{
  for (int k = 0; k < 3; k++) sum[k] = pf_expr_add(ctx, sum[k], v[k]);
}

/* sum += a x b */
void pf_expr_add_cross3(PfContext *ctx, PfExpr sum[3], const PfExpr a[3], const PfExpr b[3])
{
  PfExpr c[3];
  pf_expr_cross3(ctx, a, b, c);
  pf_expr_add3(ctx, sum, c);
}

/* ---------------------------------------------------------------- rotations */

/* The number i of a coordinate axis (0, 1, 2) and its sign, or -1 for another direction. */
static int coordinate_axis(PfContext *ctx, const PfExpr axis[3], int *sign)
{
  for (int i = 0; i < 3; i++) {
    bool alone = pf_expr_is_int(ctx, axis[(i + 1)%3], 0) && pf_expr_is_int(ctx, axis[(i + 2)%3], 0);
    if (!alone) continue;
    *sign = pf_expr_is_int(ctx, axis[i], 1) ? 1 : pf_expr_is_int(ctx, axis[i], -1) ? -1 : 0;
    return *sign ? i : -1;
  }
  return -1;
}

/* Turns v about the axis. About another than a coordinate axis by the matrix of Rodrigues, cos 1 + sin (n x) +
 * (1 - cos) n n^T: its entries are the same for all vectors, which is less work than n x v and n.v for each. */
static void turn_about(PfContext *ctx, const PfExpr axis[3], PfExpr angle, const PfExpr v[3], PfExpr out[3])
{
  int sign, number = coordinate_axis(ctx, axis, &sign);
  if (number >= 0 && sign < 0) angle = pf_expr_neg(ctx, angle);
  PfExpr c = pf_expr_call1(ctx, PF_OP_COS, angle), s = pf_expr_call1(ctx, PF_OP_SIN, angle), result[3];
  if (number >= 0) {
    int j = (number + 1)%3, k = (number + 2)%3;
    result[number] = v[number];
    result[j] = pf_expr_sub(ctx, pf_expr_mul(ctx, c, v[j]), pf_expr_mul(ctx, s, v[k]));
    result[k] = pf_expr_add(ctx, pf_expr_mul(ctx, s, v[j]), pf_expr_mul(ctx, c, v[k]));
  }
  for (int i = 0; i < 3 && number < 0; i++) {
    PfExpr row[3];
    for (int j = 0; j < 3; j++) {
      PfExpr share[3] = {axis[i], axis[j], pf_expr_sub(ctx, pf_expr_int(ctx, 1), c)};
      PfExpr along = pf_expr_product(ctx, share, 3);
      PfExpr across = i == j ? c : pf_expr_mul(ctx, s, axis[3 - i - j]);
      row[j] = i == j ? pf_expr_add(ctx, c, along)
               : j == (i + 2)%3 ? pf_expr_add(ctx, along, across) : pf_expr_sub(ctx, along, across);
    }
    result[i] = pf_expr_dot3(ctx, row, v);
  }
  memcpy(out, result, sizeof result);
}

/* ---------------------------------------------------------------- quaternions */

/* Everything below is divided by |q|^2, so that it is a rotation and its angular velocity for every q, not only where
 * the constraint |q| = 1 holds: then energies, derivatives and proofs agree everywhere. */
static PfExpr inverse_square(PfContext *ctx, const PfExpr q[4])
{
  PfExpr terms[4];
  for (int i = 0; i < 4; i++) terms[i] = pf_expr_pow_int(ctx, q[i], 2);
  return pf_expr_pow_int(ctx, pf_expr_sum(ctx, terms, 4), -1);
}

/* An entry of (w^2 - v.v) 1 + 2 v v^T + 2 w (v x). */
static PfExpr quaternion_entry(PfContext *ctx, const PfExpr q[4], int i, int j)
{
  PfExpr two = pf_expr_int(ctx, 2);
  if (i == j) {
    int a = (i + 1)%3 + 1, b = (i + 2)%3 + 1;
    PfExpr plus = pf_expr_add(ctx, pf_expr_pow_int(ctx, q[0], 2), pf_expr_pow_int(ctx, q[i + 1], 2));
    return pf_expr_sub(ctx, plus, pf_expr_add(ctx, pf_expr_pow_int(ctx, q[a], 2), pf_expr_pow_int(ctx, q[b], 2)));
  }
  PfExpr along = pf_expr_mul(ctx, q[i + 1], q[j + 1]), across = pf_expr_mul(ctx, q[0], q[4 - i - j]);
  return pf_expr_mul(ctx, two, j == (i + 2)%3 ? pf_expr_add(ctx, along, across) : pf_expr_sub(ctx, along, across));
}

/* R_ij = ((w^2 - v.v) 1 + 2 v v^T + 2 w (v x))_ij/|q|^2 with q = (w, v). */
PfExpr pf_quaternion_entry(PfContext *ctx, const PfExpr q[4], int i, int j)
{
  return pf_expr_mul(ctx, inverse_square(ctx, q), quaternion_entry(ctx, q, i, j));
}

/* omega = 2 (w v' - v w' - v x v')/|q|^2 with q = (w, v), in the axes of the body. */
void pf_quaternion_spin(PfContext *ctx, const PfExpr q[4], const PfExpr rate[4], PfExpr out[3])
{
  PfExpr scale = pf_expr_mul(ctx, pf_expr_int(ctx, 2), inverse_square(ctx, q));
  for (int i = 0; i < 3; i++) { /* w v' - v w' - v x v' */
    int j = (i + 1)%3 + 1, k = (i + 2)%3 + 1;
    PfExpr plus = pf_expr_add(ctx, pf_expr_mul(ctx, q[0], rate[i + 1]), pf_expr_mul(ctx, q[k], rate[j]));
    PfExpr minus = pf_expr_add(ctx, pf_expr_mul(ctx, q[i + 1], rate[0]), pf_expr_mul(ctx, q[j], rate[k]));
    out[i] = pf_expr_mul(ctx, scale, pf_expr_sub(ctx, plus, minus));
  }
}

/* w' = -1/2 v . omega, v' = 1/2 (w omega + v x omega): |q| stays constant. */
void pf_quaternion_rate(PfContext *ctx, const PfExpr q[4], const PfExpr w[3], PfExpr rate[4])
{
  PfExpr half = pf_expr_rational(ctx, 1, 2);
  rate[0] = pf_expr_mul(ctx, pf_expr_rational(ctx, -1, 2), pf_expr_dot3(ctx, q + 1, w));
  pf_expr_cross3(ctx, q + 1, w, rate + 1);
  for (int k = 0; k < 3; k++)
    rate[k + 1] = pf_expr_mul(ctx, half, pf_expr_add(ctx, rate[k + 1], pf_expr_mul(ctx, q[0], w[k])));
}

/* A frame without a turn has the axes of its parent: it only shifts the origin. */
bool pf_frame_is_turned(const PfFrame *frame)
{
  return frame->angle != PF_EXPR_NONE || frame->quaternion[0] != PF_EXPR_NONE;
}

/* ---------------------------------------------------------------- from frame to frame */

/* A rotation that is still to be applied: neighbours about the same axis are added up first, so that
 * turns in a plane give cos(a + b) and not cos(a)cos(b) - sin(a)sin(b). */
typedef struct Pending {
  PfContext *ctx;
  const PfExpr *axis;
  PfExpr angle;
  PfExpr v[3];
} Pending;

/* Turns the vector by what is pending; a turn by 0 changes nothing. */
static void flush(Pending *pending)
{
  if (pending->axis && !pf_expr_is_int(pending->ctx, pending->angle, 0))
    turn_about(pending->ctx, pending->axis, pending->angle, pending->v, pending->v);
  pending->axis = NULL;
}

/* Adds a turn about an axis: to the pending one about the same axis (compared by handles), or after that. */
static void turn(Pending *pending, const PfExpr *axis, PfExpr angle)
{
  if (pending->axis && !memcmp(pending->axis, axis, 3*sizeof *axis)) {
    pending->angle = pf_expr_add(pending->ctx, pending->angle, angle);
    return;
  }
  flush(pending);
  pending->axis = axis;
  pending->angle = angle;
}

/* The rotation of a frame against its parent, or back. */
static void apply(Pending *pending, const PfFrame *frame, bool inverse)
{
  if (frame->angle) turn(pending, frame->axis, inverse ? pf_expr_neg(pending->ctx, frame->angle) : frame->angle);
  if (!frame->quaternion[0]) return;
  flush(pending);
  /* R v, or R^T v when inverse. */
  PfExpr result[3];
  for (int i = 0; i < 3; i++) {
    PfExpr row[3];
    for (int j = 0; j < 3; j++) {
      int r = inverse ? j : i, c = inverse ? i : j;
      row[j] = frame->rotation[0] ? frame->rotation[3*r + c]
                                  : pf_quaternion_entry(pending->ctx, frame->quaternion, r, c);
    }
    result[i] = pf_expr_dot3(pending->ctx, row, pending->v);
  }
  memcpy(pending->v, result, sizeof result);
}

/* How many frames lie between the frame and the ground. */
static int depth_of(const PfModel *model, int frame)
{
  int depth = 0;
  for (; frame; frame = model->frames[frame].parent) depth++;
  return depth;
}

/* Into the axes of a frame from those of one above it. The way is known upward only: it is listed first. */
static void turn_down(const PfModel *model, int above, int to, Pending *pending)
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  int count = 0;
  for (int f = to; f != above; f = model->frames[f].parent) count++;
  int *way = pf_arena_array(scratch, int, count);
  for (int f = to, k = 0; way && f != above; f = model->frames[f].parent) way[k++] = f;
  for (int k = count; way && k-- > 0;) apply(pending, model->frames + way[k], true);
  pf_arena_release(scratch, mark);
  for (; !way && above != to;) { /* without memory: the long way */
    int next = to;
    while (model->frames[next].parent != above) next = model->frames[next].parent;
    above = next;
    apply(pending, model->frames + above, true);
  }
}

/* Inward from `from` to the common ancestor, then outward to `to`. `out` may be `v`. */
void pf_frame_turn(const PfModel *model, int from, int to, const PfExpr v[3], PfExpr out[3])
{
  Pending pending = {.ctx = model->ctx};
  memcpy(pending.v, v, sizeof pending.v);
  /* The frame furthest out from which both a and b can be reached. */
  int a = from;
  int b = to;
  int da = depth_of(model, a), db = depth_of(model, b);
  for (; da > db; da--) a = model->frames[a].parent;
  for (; db > da; db--) b = model->frames[b].parent;
  while (a != b) {
    a = model->frames[a].parent;
    b = model->frames[b].parent;
  }
  int above = a;
  for (; from != above; from = model->frames[from].parent) apply(&pending, model->frames + from, false);
  turn_down(model, above, to, &pending);
  flush(&pending);
  memcpy(out, pending.v, sizeof pending.v);
}

/* By the total time derivative, that is with the symbols x' of the velocities. */
PfStatus pf_frame_rates(const PfModel *model, int frame, PfExpr rate[4])
{
  const PfFrame *f = model->frames + frame;
  memcpy(rate, f->origin, sizeof f->origin);
  rate[3] = f->angle ? f->angle : pf_expr_int(model->ctx, 0);
  return pf_model_time_derivative(model, rate, 4, rate);
}

/* One step of pf_frame_turn, without looking for the way. */
static void turn_once(const PfModel *model, int frame, bool inverse, const PfExpr v[3], PfExpr out[3])
{
  Pending pending = {.ctx = model->ctx};
  memcpy(pending.v, v, sizeof pending.v);
  apply(&pending, model->frames + frame, inverse);
  flush(&pending);
  memcpy(out, pending.v, sizeof pending.v);
}

/* out = R v: from the axes of the frame into those of the parent. */
void pf_frame_to_parent(const PfModel *model, int frame, const PfExpr v[3], PfExpr out[3])
{
  turn_once(model, frame, false, v, out);
}

/* out = R^T v: from the axes of the parent into those of the frame. */
void pf_frame_from_parent(const PfModel *model, int frame, const PfExpr v[3], PfExpr out[3])
{
  turn_once(model, frame, true, v, out);
}

/* ---------------------------------------------------------------- vectors */

/* The vector of a failed allocation. */
static PfVector poisoned(void)
{
  return (PfVector){-1, NULL};
}

/* The vector without parts. */
PfVector pf_vector_zero(void)
{
  return (PfVector){0, NULL};
}

/* Are all three components the number 0? */
static bool is_zero3(PfContext *ctx, const PfExpr c[3])
{
  for (int i = 0; i < 3; i++)
    if (!pf_expr_is_int(ctx, c[i], 0)) return false;
  return true;
}

/* A vector with these components in the axes of the frame. Along the axis of the frame's own rotation it is the same in
 * the axes of the parent, where it is simpler: the axle of a wheel does not turn with the wheel. */
PfVector pf_vector_make(const PfModel *model, int frame, const PfExpr c[3])
{
  if (is_zero3(model->ctx, c)) return pf_vector_zero();
  for (; frame; frame = model->frames[frame].parent) {
    const PfFrame *f = model->frames + frame;
    if (f->quaternion[0]) break;
    if (!f->angle) continue;
    int sign, i = coordinate_axis(model->ctx, f->axis, &sign);
    bool along = i >= 0 && pf_expr_is_int(model->ctx, c[(i + 1)%3], 0) &&
                 pf_expr_is_int(model->ctx, c[(i + 2)%3], 0);
    if (!along) break;
  }
  PfVectorPart *part = pf_arena_array(model->arena, PfVectorPart, 1);
  if (!part) return poisoned();
  part->frame = frame;
  memcpy(part->c, c, sizeof part->c);
  return (PfVector){1, part};
}

/* a + b: parts in the same frame are added, others stay apart. */
PfVector pf_vector_add(const PfModel *model, PfVector a, PfVector b)
{
  if (a.count < 0 || b.count < 0) return poisoned();
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  PfVector sum = {0, pf_arena_array(model->arena, PfVectorPart, a.count + b.count)};
  if (!sum.part) return poisoned();
  for (int i = 0; i < a.count; i++) sum.part[sum.count++] = a.part[i];
  for (int i = 0; i < b.count; i++) {
    int k = 0;
    while (k < sum.count && sum.part[k].frame != b.part[i].frame) k++;
    if (k < sum.count) pf_expr_add3(model->ctx, sum.part[k].c, b.part[i].c);
    else sum.part[sum.count++] = b.part[i];
  }
  return sum;
}

/* factor*a */
PfVector pf_vector_scale(const PfModel *model, PfVector a, PfExpr factor)
{
  if (a.count <= 0) return a;
  PfVector scaled = {a.count, pf_arena_array(model->arena, PfVectorPart, a.count)};
  if (!scaled.part) return poisoned();
  for (int i = 0; i < a.count; i++) {
    scaled.part[i].frame = a.part[i].frame;
    for (int k = 0; k < 3; k++) scaled.part[i].c[k] = pf_expr_mul(model->ctx, factor, a.part[i].c[k]);
  }
  return scaled;
}

/* ---------------------------------------------------------------- vectors of many parts */

/* Parts are short and read well, but along a chain of n frames each pair of them has a way of its own: more than
 * PF_MOST_VECTOR_PARTS are put together in one frame, link by link. */

typedef struct Gather {
  const PfModel *model;
  PfExpr (*sum)[3]; /* per frame: the sum of the parts there, in its axes */
  bool *way;        /* per frame: it lies between the ground and the frame that is wanted */
} Gather;

/* Frames come after their parents: inward to the way, then along it. */
static void gather(const Gather *g, PfVector a, int to)
{
  const PfModel *model = g->model;
  PfExpr zero = pf_expr_int(model->ctx, 0), turned[3];
  for (int f = 0; f < model->frame_count; f++)
    for (int k = 0; k < 3; k++) g->sum[f][k] = zero;
  for (int f = to; f; f = model->frames[f].parent) g->way[f] = true;
  for (int i = 0; i < a.count; i++) pf_expr_add3(model->ctx, g->sum[a.part[i].frame], a.part[i].c);
  for (int f = model->frame_count - 1; f > 0; f--) {
    if (g->way[f] || is_zero3(model->ctx, g->sum[f])) continue;
    pf_frame_to_parent(model, f, g->sum[f], turned);
    pf_expr_add3(model->ctx, g->sum[model->frames[f].parent], turned);
  }
  for (int f = 1; f <= to; f++) {
    if (!g->way[f]) continue;
    pf_frame_from_parent(model, f, g->sum[model->frames[f].parent], turned);
    pf_expr_add3(model->ctx, g->sum[f], turned);
  }
}

/* The vector in the axes of one frame. */
static void gather_in(const PfModel *model, PfVector a, int to, PfExpr out[3])
{
  PfArena *scratch = pf_context_scratch(model->ctx);
  PfMark mark = pf_arena_mark(scratch);
  Gather g = {model, pf_arena_alloc(scratch, (size_t)model->frame_count, sizeof *g.sum),
              pf_arena_array(scratch, bool, model->frame_count)};
  bool room = g.sum && g.way;
  if (room) gather(&g, a, to);
  for (int k = 0; k < 3; k++) out[k] = room ? g.sum[to][k] : PF_EXPR_NONE;
  pf_arena_release(scratch, mark);
}

/* One part in the frame furthest out, where it has too many. */
static PfVector limit_parts(const PfModel *model, PfVector a)
{
  if (a.count <= PF_MOST_VECTOR_PARTS) return a;
  PfVectorPart *part = pf_arena_array(model->arena, PfVectorPart, 1);
  if (!part) return poisoned();
  part->frame = 0;
  for (int i = 0; i < a.count; i++)
    if (a.part[i].frame > part->frame) part->frame = a.part[i].frame;
  gather_in(model, a, part->frame, part->c);
  return (PfVector){1, part};
}

/* ---------------------------------------------------------------- products */

/* a . b: each part of b is turned into the axes of each part of a. */
PfExpr pf_vector_dot(const PfModel *model, PfVector a, PfVector b)
{
  a = limit_parts(model, a);
  b = limit_parts(model, b);
  if (a.count < 0 || b.count < 0) return PF_EXPR_NONE;
  PfExpr sum = pf_expr_int(model->ctx, 0);
  for (int i = 0; i < a.count; i++)
    for (int j = 0; j < b.count; j++) {
      PfExpr turned[3];
      pf_frame_turn(model, b.part[j].frame, a.part[i].frame, b.part[j].c, turned);
      sum = pf_expr_add(model->ctx, sum, pf_expr_dot3(model->ctx, a.part[i].c, turned));
    }
  return sum;
}

/* Each pair is crossed in the axes of the first one. */
PfVector pf_vector_cross(const PfModel *model, PfVector a, PfVector b)
{
  a = limit_parts(model, a);
  b = limit_parts(model, b);
  if (a.count < 0 || b.count < 0) return poisoned();
  PfVector sum = pf_vector_zero();
  for (int i = 0; i < a.count; i++)
    for (int j = 0; j < b.count; j++) {
      PfExpr c[3];
      pf_frame_turn(model, b.part[j].frame, a.part[i].frame, b.part[j].c, c);
      pf_expr_cross3(model->ctx, a.part[i].c, c, c);
      sum = pf_vector_add(model, sum, pf_vector_make(model, a.part[i].frame, c));
    }
  return sum;
}

/* The components of a in the axes of the frame. */
void pf_vector_express(const PfModel *model, PfVector a, int frame, PfExpr out[3])
{
  if (a.count > PF_MOST_VECTOR_PARTS) {
    gather_in(model, a, frame, out);
    return;
  }
  for (int k = 0; k < 3; k++) out[k] = a.count < 0 ? PF_EXPR_NONE : pf_expr_int(model->ctx, 0);
  for (int i = 0; i < a.count; i++) {
    PfExpr turned[3];
    pf_frame_turn(model, a.part[i].frame, frame, a.part[i].c, turned);
    pf_expr_add3(model->ctx, out, turned);
  }
}

/* ---------------------------------------------------------------- motion */

/* Sums the origins on the way to the ground, each in the axes of its parent, outermost last. */
PfVector pf_frame_position(const PfModel *model, int frame)
{
  PfVector sum = pf_vector_zero();
  for (; frame; frame = model->frames[frame].parent) {
    const PfFrame *f = model->frames + frame;
    sum = pf_vector_add(model, pf_vector_make(model, f->parent, f->origin), sum);
  }
  return sum;
}

/* Velocity of a point c of the frame relative to the frame's origin: c' + spin x c, in its axes. */
static PfVector relative_velocity(const PfModel *model, int frame, const PfExpr c[3])
{
  PfExpr rate[3];
  if (pf_model_time_derivative(model, c, 3, rate) != PF_OK) return poisoned();
  pf_expr_add_cross3(model->ctx, rate, model->frames[frame].spin, c);
  return pf_vector_make(model, frame, rate);
}

/* The velocity of the origin of the frame against the ground. */
PfVector pf_frame_velocity(const PfModel *model, int frame)
{
  PfVector sum = pf_vector_zero();
  for (; frame; frame = model->frames[frame].parent) {
    const PfFrame *f = model->frames + frame;
    sum = pf_vector_add(model, relative_velocity(model, f->parent, f->origin), sum);
  }
  return sum;
}

/* Of a frame that a quaternion turns, against its parent, in its own axes. */
static PfStatus relative_spin(const PfModel *model, const PfFrame *f, PfExpr spin[3])
{
  PfExpr rate[4];
  PF_TRY(pf_model_time_derivative(model, f->quaternion, 4, rate));
  pf_quaternion_spin(model->ctx, f->quaternion, rate, spin);
  return PF_OK;
}

/* In the axes before the last turn: the turn itself does not change its own axis. */
PfVector pf_frame_spin(const PfModel *model, int frame)
{
  while (frame && !pf_frame_is_turned(model->frames + frame)) frame = model->frames[frame].parent;
  const PfFrame *f = model->frames + frame;
  if (!frame) return pf_vector_zero();
  PfExpr rate, spin[3];
  if (f->rotation[0]) {
    PfVector parent = pf_vector_make(model, f->parent, model->frames[f->parent].spin);
    return pf_vector_add(model, parent, pf_vector_make(model, f->round ? f->parent : frame, f->turning));
  }
  if (f->quaternion[0]) {
    if (relative_spin(model, f, spin) != PF_OK) return poisoned();
    PfVector parent = pf_vector_make(model, f->parent, model->frames[f->parent].spin);
    return pf_vector_add(model, parent, pf_vector_make(model, frame, spin));
  }
  if (pf_model_time_derivative(model, &f->angle, 1, &rate) != PF_OK) return poisoned();
  for (int k = 0; k < 3; k++)
    spin[k] = pf_expr_add(model->ctx, model->frames[f->parent].spin[k],
                          pf_expr_mul(model->ctx, rate, f->axis[k]));
  return pf_vector_make(model, f->parent, spin);
}

/* r = r_O + c with the origin O of the frame. */
PfVector pf_point_position(const PfModel *model, int frame, const PfExpr c[3])
{
  return pf_vector_add(model, pf_frame_position(model, frame), pf_vector_make(model, frame, c));
}

/* The velocity of the point that is fixed at c in the frame. */
PfVector pf_point_velocity(const PfModel *model, int frame, const PfExpr c[3])
{
  return pf_vector_add(model, pf_frame_velocity(model, frame), relative_velocity(model, frame, c));
}

/* ---------------------------------------------------------------- frames */

/* Fills the spin of the frame by that of its parent. The new frame is the last: parents come before their children. */
PfStatus pf_frame_add(PfModel *model, int *room, PfFrame frame, int *index)
{
  if (model->frame_count == *room) {
    int more = *room ? 2*(*room) : 16;
    PfFrame *frames = pf_arena_array(model->arena, PfFrame, more);
    if (!frames) return pf_no_room(model->ctx, "more frames");
    if (model->frame_count) memcpy(frames, model->frames, (size_t)model->frame_count*sizeof *frames);
    model->frames = frames;
    *room = more;
  }
  *index = model->frame_count++;
  PfFrame *f = model->frames + *index;
  *f = frame;
  for (int k = 0; k < 3; k++) f->spin[k] = pf_expr_int(model->ctx, 0);
  if (*index == 0) return PF_OK;
  /* spin = the parent's spin turned into own axes + the spin of the quaternion + axis*angle' */
  PfExpr rate, own[3];
  pf_frame_from_parent(model, *index, model->frames[f->parent].spin, f->spin);
  if (f->quaternion[0]) {
    PF_TRY(relative_spin(model, f, own));
    pf_expr_add3(model->ctx, f->spin, own);
  }
  if (!f->angle) return PF_OK;
  PF_TRY(pf_model_time_derivative(model, &f->angle, 1, &rate));
  for (int k = 0; k < 3; k++)
    f->spin[k] = pf_expr_add(model->ctx, f->spin[k], pf_expr_mul(model->ctx, rate, f->axis[k]));
  return PF_OK;
}
