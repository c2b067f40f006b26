/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that change: lock, detach, re-root, dock, section 4 of docs/spatial.md. */
#include "num/num.h"
#include "tree/assembly.h"

/* The kinetic energy at a state; NaN where that is not finite. */
static double kinetic_energy(PfTreeWork *work, const double *q, const double *v)
{
  PfTreeTotals totals;
  if (pf_tree_kinematics(work, q, v) != PF_OK) return NAN;
  pf_tree_totals(work, q, &totals);
  return totals.kinetic;
}

/* Runs the impulsive recursion on the new tree and adds the jump to v. Jumps are prescribed where `mask` says so, in
 * `given`; `wrench` are external impulses. Each may be NULL. */
static PfStatus jump(PfTreeChange *change, PfTreeWork *work, const unsigned char *mask, const double *given,
                     const double *wrench)
{
  double *dv = work->rows;
  const PfTreeInput input = {.q = change->q, .prescribed = mask, .vdot = given, .wrench = wrench};
  change->kinetic_before = kinetic_energy(work, change->q, change->v);
  PF_TRY(pf_tree_impulse(work, &input, &(PfTreeOutput){dv, change->joint_impulse, change->jump,
      change->interface_impulse}));
  for (int i = 0; i < change->tree->nv; i++) change->v[i] += dv[i];
  change->kinetic_after = kinetic_energy(work, change->q, change->v);
  return PF_OK;
}

/* ---------------------------------------------------------------- lock */

static PfStatus check_dofs(PfContext *ctx, const PfTree *tree, const unsigned char *dofs)
{
  for (int i = 0; i < tree->nv; i++)
    if (dofs[i]) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "no degree of freedom is marked");
}

/* After a failure there is no new tree. */
static PfStatus finish(PfTreeChange *change, PfStatus status)
{
  if (status == PF_OK) return PF_OK;
  pf_tree_free(change->tree);
  change->tree = NULL;
  return status;
}

/* Newly locked dofs stop: jumps of -v, prescribed; those locked before have none. While the jump is computed the new
 * locks are off, since the jumps of locked dofs are not zero. */
PfStatus pf_tree_lock(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                      const unsigned char *dofs, PfTreeChange *change)
{
  Assembly a;
  PfTreeWork *work = NULL;
  *change = (PfTreeChange){0};
  PF_TRY(check_dofs(ctx, tree, dofs));
  PF_TRY(pf_assembly_take(ctx, arena, tree, q, v, &a));
  for (int k = 0; k < tree->count; k++)
    for (int i = 0; i < pf_joint_nv(tree->bodies[k].joint); i++)
      a.parts[k].locked[i] |= dofs[tree->bodies[k].v + i] != 0;
  PF_TRY(pf_assembly_put(&a, change));
  PfTree *next = change->tree;
  unsigned char *locked = next->locked;
  double *given = pf_arena_array(arena, double, next->nv);
  PfStatus status = given ? pf_tree_work_new(ctx, next, &work) : pf_no_room(ctx, "locked joints");
  for (int i = 0; i < next->nv && status == PF_OK; i++) given[i] = dofs[i] ? -change->v[i] : 0;
  next->locked = NULL;
  if (status == PF_OK) status = jump(change, work, locked, given, NULL);
  next->locked = locked;
  for (int i = 0; i < next->nv && status == PF_OK; i++)
    if (dofs[i]) change->v[i] = 0;
  pf_tree_work_free(work);
  return finish(change, status);
}

PfStatus pf_tree_unlock(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v,
                        const unsigned char *dofs, PfTreeChange *change)
{
  Assembly a;
  *change = (PfTreeChange){0};
  PF_TRY(check_dofs(ctx, tree, dofs));
  PF_TRY(pf_assembly_take(ctx, arena, tree, q, v, &a));
  for (int k = 0; k < tree->count; k++)
    for (int i = 0; i < pf_joint_nv(tree->bodies[k].joint); i++)
      if (dofs[tree->bodies[k].v + i]) a.parts[k].locked[i] = 0;
  return pf_assembly_put(&a, change);
}

int pf_tree_is_locked(const PfTree *tree, int dof)
{
  return tree->locked && tree->locked[dof];
}

/* ---------------------------------------------------------------- detach and re-root */

/* An old tree, taken apart, with its kinematics. */
typedef struct Old {
  PfContext *ctx;
  PfArena *arena;
  const PfTree *tree;
  PfTreeWork *work;
  Assembly parts;
  PfTreeChange *change;
} Old;

static PfStatus check_body(PfContext *ctx, const PfTree *tree, int body)
{
  if (body >= 0 && body < tree->count) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "there is no body %d: the tree has bodies 0 to %d", body, tree->count - 1);
}

/* Begins a change of the old tree at a state; close_old ends it, also after a failure here, and passes the status on.
 * */
static PfStatus open_old(Old *old, PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q,
                         const double *v, PfTreeChange *change)
{
  *old = (Old){.ctx = ctx, .arena = arena, .tree = tree, .change = change};
  *change = (PfTreeChange){0};
  PF_TRY(pf_tree_work_new(ctx, tree, &old->work));
  PF_TRY(pf_tree_kinematics(old->work, q, v));
  return pf_assembly_take(ctx, arena, tree, q, v, &old->parts);
}

static PfStatus close_old(Old *old, PfStatus status)
{
  pf_tree_work_free(old->work);
  return finish(old->change, status);
}

/* Makes the joint of the body free, and applies the impulse on it ([moment; force] at O_k, or NULL), the other way on
 * the old parent: -Phi^T of it there. */
static PfStatus detach(Old *old, int body, const double *impulse)
{
  const size_t k = (size_t)body;
  const int parent = old->tree->bodies[body].parent;
  double *wrench = pf_arena_array(old->arena, double, 6*(size_t)old->tree->count), turn[3];
  PfTreeWork *work;
  if (!wrench) return pf_no_room(old->ctx, "the detachment of a body");
  if (impulse) memcpy(wrench + 6*k, impulse, 6*sizeof *wrench);
  if (impulse && parent >= 0) {
    const double *r = old->work->r + 3*k, *rp = old->work->r + 3*(size_t)parent;
    const double l[3] = {r[0] - rp[0], r[1] - rp[1], r[2] - rp[2]};
    double *to = wrench + 6*(size_t)parent;
    cross3(l, impulse + 3, turn);
    add_scaled(to, -1, impulse, 6);
    add_scaled(to, -1, turn, 3);
  }
  pf_part_free(&old->parts.parts[body], old->work->E + 9*k, old->work->r + 3*k, old->work->V + 6*k);
  PF_TRY(pf_assembly_put(&old->parts, old->change));
  PF_TRY(pf_tree_work_new(old->ctx, old->change->tree, &work));
  const PfStatus status = jump(old->change, work, NULL, NULL, wrench);
  pf_tree_work_free(work);
  return status;
}

PfStatus pf_tree_detach(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v, int body,
                        const double impulse[6], PfTreeChange *change)
{
  Old old;
  PF_TRY(check_body(ctx, tree, body));
  PfStatus status = open_old(&old, ctx, arena, tree, q, v, change);
  if (status == PF_OK) status = detach(&old, body, impulse);
  return close_old(&old, status);
}

PfStatus pf_tree_reroot(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v, int body,
                        PfTreeChange *change)
{
  Old old;
  PF_TRY(check_body(ctx, tree, body));
  PfStatus status = open_old(&old, ctx, arena, tree, q, v, change);
  if (status == PF_OK) status = pf_assembly_reroot(&old.parts, old.work, body);
  if (status == PF_OK) status = pf_assembly_sort(&old.parts, body);
  if (status == PF_OK) status = pf_assembly_put(&old.parts, change);
  return close_old(&old, status);
}

/* ---------------------------------------------------------------- dock, 4.3 */

/* Body b, at its port, is joined to body a. */
typedef struct Dock {
  int a, b;
  double port[9], at[3]; /* in body b */
  const PfTreeBody *joint;
} Dock;

/* The directions a joint leaves at its rest position, H (6 x nv), and those it forbids. */
typedef struct Directions {
  int free, stopped;
  double H[36], forbidden[36]; /* forbidden: stopped rows of 6 */
  PfQr qr;                     /* of H */
} Directions;

/* Directions that the new joint allows and forbids, from its H at rest. Its axes are checked when the tree is built. */
static PfStatus find_directions(Old *old, const PfTreeBody *joint, Directions *d)
{
  Body body = {.joint = joint->joint, .pitch = joint->joint == PF_JOINT_SCREW ? joint->pitch : 0};
  const double rest[7] = {joint->joint == PF_JOINT_SPHERICAL || joint->joint == PF_JOINT_FREE};
  const double length = pf_norm(joint->axis, 3), length2 = pf_norm(joint->axis2, 3);
  JointState state;
  double null[36];
  for (int i = 0; i < 3; i++) {
    body.axis[i] = length > 0 ? joint->axis[i]/length : 0;
    body.axis2[i] = length2 > 0 ? joint->axis2[i]/length2 : 0;
  }
  pf_joint_state(&body, rest, NULL, &state);
  *d = (Directions){.free = pf_joint_nv(joint->joint), .stopped = 6 - pf_joint_nv(joint->joint)};
  for (int i = 0; i < 6; i++) d->forbidden[7*i] = 1; /* of a weld */
  if (d->free == 0) return PF_OK;
  for (int i = 0; i < d->free; i++)
    for (int j = 0; j < 6; j++) d->H[j*d->free + i] = state.H[6*i + j];
  PF_TRY(pf_qr_make(old->ctx, old->arena, 6, d->free, &d->qr));
  if (pf_qr_factor(&d->qr, d->H, 0) != PF_OK || d->qr.rank < d->free)
    return pf_fail(old->ctx, PF_ERR_MODEL, "the axes of the %s joint at the port have no direction, or the same",
                   pf_joint_name(joint->joint));
  pf_qr_null_space_transposed(&d->qr, null); /* 6 x stopped */
  for (int i = 0; i < d->stopped; i++)
    for (int j = 0; j < 6; j++) d->forbidden[6*i + j] = null[j*d->stopped + i];
  return PF_OK;
}

/* Stops the forbidden rates of the port by impulses along them only; then the jump once more with the rates of the port
 * known, which gives the impulses in every joint. */
static PfStatus jump_at_port(Old *old, PfTreeWork *work, PfTreeChange *open, int port, const Directions *d)
{
  const size_t nv = (size_t)open->tree->nv;
  double *after = pf_arena_array(old->arena, double, nv), *given = pf_arena_array(old->arena, double, nv);
  unsigned char *mask = pf_arena_array(old->arena, unsigned char, nv);
  if (!after || !given || !mask) return pf_no_room(old->ctx, "the join of two trees");
  memcpy(after, open->v, nv*sizeof *after);
  PfTreeConstraint constraints[6];
  PfTreeRows *rows;
  int dofs[6];
  for (int i = 0; i < 6; i++) dofs[i] = port + i;
  for (int i = 0; i < d->stopped; i++)
    constraints[i] =
      (PfTreeConstraint){.kind = PF_TREE_RATES, .dofs = dofs, .coefficients = d->forbidden + 6*i, .terms = 6};
  PF_TRY(pf_tree_rows_new(old->ctx, work->tree, d->stopped, &rows));
  const PfStatus status = pf_tree_close(work, rows, open->q, after, NULL, constraints, d->stopped);
  pf_tree_rows_free(rows);
  PF_TRY(status);
  for (int i = port; i < port + 6; i++) {
    given[i] = after[i] - open->v[i];
    mask[i] = 1;
  }
  return jump(open, work, mask, given, NULL);
}

/* Stops the forbidden velocities at the port of the open tree, whose joint there (of body `at`) is free, and closes the
 * joint: the rates of the open tree stay, at the port those along the allowed directions. */
static PfStatus finish_dock(Old *old, const Dock *dock, PfTreeChange *open, int at)
{
  const PfTreeBody *joint = dock->joint;
  Directions d;
  PfTreeChange *change = old->change;
  PF_TRY(find_directions(old, joint, &d));
  PfTreeWork *work;
  PF_TRY(pf_tree_work_new(old->ctx, open->tree, &work));
  const PfStatus status = jump_at_port(old, work, open, open->tree->bodies[at].v, &d);
  pf_tree_work_free(work);
  PF_TRY(status);
  for (int k = 0; k < old->parts.count; k++) {
    Part *part = &old->parts.parts[k];
    memcpy(part->v, open->v + open->tree->bodies[k].v, (size_t)pf_joint_nv(part->body.joint)*sizeof *part->v);
  }
  Part *part = &old->parts.parts[at];
  double rates[6] = {0};
  if (d.free) pf_qr_solve(&d.qr, part->v, rates);
  memcpy(part->v, rates, sizeof rates);
  memset(part->q, 0, sizeof part->q);
  part->body.joint = joint->joint;
  part->body.joint_name = joint->joint_name;
  part->body.pitch = joint->pitch;
  memcpy(part->body.axis, joint->axis, sizeof part->body.axis);
  memcpy(part->body.axis2, joint->axis2, sizeof part->body.axis2);
  memcpy(part->body.stiffness, joint->stiffness, sizeof part->body.stiffness);
  memcpy(part->body.spring_ref, joint->spring_ref, sizeof part->body.spring_ref);
  memcpy(part->body.damping, joint->damping, sizeof part->body.damping);
  part->q[0] = part->body.joint == PF_JOINT_SPHERICAL || part->body.joint == PF_JOINT_FREE;
  PF_TRY(pf_assembly_put(&old->parts, change));
  change->jump = open->jump;
  change->interface_impulse = open->interface_impulse;
  change->joint_impulse = open->joint_impulse;
  change->kinetic_before = open->kinetic_before;
  change->kinetic_after = open->kinetic_after;
  return PF_OK;
}

/* Re-roots the tree of body b, hangs it on body a by a free joint at the port, and closes the joint. */
static PfStatus dock(Old *old, const Dock *d)
{
  PfTreeChange open = {0};
  int at = 0;
  PF_TRY(pf_assembly_reroot(&old->parts, old->work, d->b));
  /* The port as a free joint on body a, at rest position, with the rates it has; both poses and velocities are
   * old ones. */
  const double *Ea = old->work->E + 9*(size_t)d->a, *ra = old->work->r + 3*(size_t)d->a,
      *Va = old->work->V + 6*(size_t)d->a;
  const double *Eb = old->work->E + 9*(size_t)d->b, *rb = old->work->r + 3*(size_t)d->b,
      *Vb = old->work->V + 6*(size_t)d->b;
  Part *part = &old->parts.parts[d->b];
  double E[9], arm[3], r[3], l[3], R[9], s[3], swing[3], carried[3], V[6];
  mul33(Eb, d->port, E);
  turn3(Eb, d->at, arm);
  cross3(Vb, arm, swing);
  for (int i = 0; i < 3; i++) r[i] = rb[i] + arm[i], l[i] = r[i] - ra[i];
  cross3(Va, l, carried);
  for (int i = 0; i < 3; i++) {
    V[i] = Vb[i] - Va[i];
    V[3 + i] = Vb[3 + i] + swing[i] - Va[3 + i] - carried[i];
  }
  mul33_back(Ea, E, R);
  turn3_back(Ea, l, s);
  pf_part_move_frame(&old->parts, d->b, d->port, d->at);
  const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[6] = {0};
  pf_part_free(part, unit, zero, zero);
  part->body.parent = d->a;
  pf_part_place(part, R, s);
  turn3_back(E, V, part->v);
  turn3_back(E, V + 3, part->v + 3);
  memcpy(old->change->relative, part->v, sizeof part->v);
  PF_TRY(pf_assembly_sort(&old->parts, d->b));
  while (old->parts.parts[at].from != d->b) at++;
  PF_TRY(pf_assembly_put(&old->parts, &open));
  const PfStatus status = finish_dock(old, d, &open, at);
  pf_tree_free(open.tree);
  return status;
}

PfStatus pf_tree_dock(PfContext *ctx, PfArena *arena, const PfTree *tree, const double *q, const double *v, int body_a,
                      int body_b, const double port_quat[4], const double port_pos[3], const PfTreeBody *joint,
                      PfTreeChange *change)
{
  Dock d = {.a = body_a, .b = body_b, .joint = joint};
  Old old;
  PF_TRY(check_body(ctx, tree, body_a));
  PF_TRY(check_body(ctx, tree, body_b));
  int root_a = body_a, root_b = body_b;
  while (tree->bodies[root_a].parent >= 0) root_a = tree->bodies[root_a].parent;
  while (tree->bodies[root_b].parent >= 0) root_b = tree->bodies[root_b].parent;
  if (root_a == root_b) {
    pf_fail(ctx, PF_ERR_MODEL, "%s and %s belong to the same tree: joining them closes a loop",
            pf_body_name(tree, body_b).text, pf_body_name(tree, body_a).text);
    pf_hint(ctx, "a loop is a constraint on the tree: pf_tree_close for the jump, pf_tree_constrained for the motion");
    return PF_ERR_MODEL;
  }
  if (!(pf_norm(port_quat, 4) > 0) || pf_first_not_finite(port_quat, 4) >= 0 || pf_first_not_finite(port_pos, 3) >= 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "the frame of the port is not a frame");
  pf_quat_rotation(port_quat, d.port);
  memcpy(d.at, port_pos, sizeof d.at);
  PfStatus status = open_old(&old, ctx, arena, tree, q, v, change);
  if (status == PF_OK) status = dock(&old, &d);
  return close_old(&old, status);
}
