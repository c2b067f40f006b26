/* SPDX-License-Identifier: Apache-2.0 */
/* Constraints on top of the recursion, section 5 of docs/spatial.md. A row is a spatial covector on one or two
 * bodies, or coefficients of joint rates. With eps_j the inward sweep of row j, S_ij = sum of eps_i eps_j/D over the
 * dofs that both rows reach: an open chain that carries no constraint costs nothing. */
#include "num/num.h"
#include "tree/tree_impl.h"

typedef struct Row {
  int constraint;        /* which it belongs to */
  int body[2];           /* -1: none */
  double w[2][6];        /* covectors at O of these bodies */
  const PfTreeConstraint *rates; /* or coefficients */
  double rhs, gap;
} Row;

struct PfTreeRows {
  const PfTree *tree;
  PfArena *arena;
  int most, count;
  Row *rows;
  double *eps, *half;     /* most x nv, nv */
  double *uncancelled;    /* S_jj as if the two bodies of a row were two rows */
  unsigned char *touched; /* per node, clean between rows */
  unsigned char *reached; /* per node: by any row */
  int *dofs, dof_count;   /* those that rows reach */
  double *zeta, *t;
  double *S, *velocity, *rhs, *lambda;
  double *size;           /* of the terms that add up to rhs: the scale of rounding */
  double *wrench, *tau;   /* 6 per body, nv: the action of the constraints, and the input with it */
  PfLdl ldl;
};

/* Dependent rows keep this fraction of their diagonal element at most, which is rounding; section 5. */
static const double RANK_TOLERANCE = 1e-12;
static const double CONTRADICTION = 1e-6; /* of the terms of a redundant row */
static const double NOTHING = 1e-24; /* squares: 1e-12 of the terms */

/* All arrays of the rows, in their arena; arrays of numbers with one allocation. */
static PfStatus make_rows(PfContext *ctx, const PfTree *tree, int most, PfTreeRows *rows)
{
  const size_t m = (size_t)most, nv = (size_t)tree->nv, nodes = (size_t)tree->node_count, n = (size_t)tree->count;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&rows->eps, m*nv},     {&rows->half, nv}, {&rows->uncancelled, m}, {&rows->zeta, 6*nodes},
                {&rows->t, nv},         {&rows->S, m*m},   {&rows->velocity, m},    {&rows->rhs, m},
                {&rows->lambda, m},     {&rows->size, m},  {&rows->wrench, 6*n},    {&rows->tau, nv}};
  size_t total = 0;
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++) total += arrays[i].count;
  double *numbers = pf_arena_array(rows->arena, double, total);
  rows->tree = tree;
  rows->most = most;
  rows->rows = pf_arena_array(rows->arena, Row, m);
  rows->touched = pf_arena_array(rows->arena, unsigned char, nodes);
  rows->reached = pf_arena_array(rows->arena, unsigned char, nodes);
  rows->dofs = pf_arena_array(rows->arena, int, nv);
  PF_TRY(pf_ldl_make(ctx, rows->arena, most, &rows->ldl));
  if (!numbers || !rows->rows || !rows->touched || !rows->reached || !rows->dofs)
    return pf_fail(ctx, PF_ERR_MEMORY, "no room for %d constraint rows on %d bodies", most, tree->count);
  for (size_t i = 0; i < sizeof arrays/sizeof *arrays; i++) {
    *arrays[i].array = numbers;
    numbers += arrays[i].count;
  }
  return PF_OK;
}

PfStatus pf_tree_rows_new(PfContext *ctx, const PfTree *tree, int most, PfTreeRows **result)
{
  *result = NULL;
  if (most < 0) return pf_fail(ctx, PF_ERR_ARGUMENT, "room for %d constraint rows", most);
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  PfTreeRows *rows = arena ? pf_arena_array(arena, PfTreeRows, 1) : NULL;
  if (rows) rows->arena = arena;
  const PfStatus status = rows ? make_rows(ctx, tree, most, rows)
                               : pf_fail(ctx, PF_ERR_MEMORY, "no room for %d constraint rows", most);
  if (status == PF_OK) *result = rows;
  else pf_arena_free(arena);
  return status;
}

void pf_tree_rows_free(PfTreeRows *rows)
{
  if (rows) pf_arena_free(rows->arena);
}

int pf_tree_rows_count(const PfTreeRows *rows)
{
  return rows->count;
}

int pf_tree_rows_rank(const PfTreeRows *rows)
{
  return rows->ldl.rank;
}

const double *pf_tree_rows_multipliers(const PfTreeRows *rows)
{
  return rows->lambda;
}

const double *pf_tree_rows_velocity(const PfTreeRows *rows)
{
  return rows->velocity;
}

const double *pf_tree_rows_compliance(const PfTreeRows *rows)
{
  return rows->S;
}

/* ---------------------------------------------------------------- rows at a state */

/* A point of a body, or of the inertial frame: from O to it, where it is, its centripetal acceleration. */
typedef struct Point {
  double arm[3], x[3], whirl[3];
} Point;

/* The point `at` of a body (body axes), or of the inertial frame (body -1). */
static void find_point(const PfTreeWork *work, int body, const double at[3], Point *point)
{
  memset(point, 0, sizeof *point);
  if (body < 0) {
    memcpy(point->x, at, sizeof point->x);
    return;
  }
  turn3(work->E + 9*(size_t)body, at, point->arm);
  memcpy(point->x, point->arm, sizeof point->x);
  add3(point->x, work->r + 3*(size_t)body);
  centripetal(work->V + 6*(size_t)body, point->arm, point->whirl);
}

/* [arm x n; n]: the wrench of a unit force along n at the point. */
static void point_covector(const double arm[3], const double n[3], double sign, double w[6])
{
  cross3(arm, n, w);
  memcpy(w + 3, n, 3*sizeof *w);
  for (int i = 0; i < 6; i++) w[i] *= sign;
}

/* Three rows: two points stay together. */
static void point_rows(const PfTreeWork *work, const PfTreeConstraint *c, Row *rows)
{
  Point a, b;
  find_point(work, c->body_a, c->point_a, &a);
  find_point(work, c->body_b, c->point_b, &b);
  for (int i = 0; i < 3; i++) {
    double e[3] = {0};
    e[i] = 1;
    point_covector(a.arm, e, 1, rows[i].w[0]);
    point_covector(b.arm, e, -1, rows[i].w[1]);
    rows[i].rhs = b.whirl[i] - a.whirl[i];
    rows[i].gap = a.x[i] - b.x[i];
  }
}

/* Three rows: two bodies do not turn against each other. The gap is the vector part of the rotation from b to a: small
 * when it is used at all. */
static void turn_rows(const PfTreeWork *work, const PfTreeConstraint *c, Row *rows)
{
  double A[9], B[9], back[9], K[9];
  identity33(A);
  identity33(B);
  if (c->body_a >= 0) memcpy(A, work->E + 9*(size_t)c->body_a, sizeof A);
  if (c->body_b >= 0) memcpy(B, work->E + 9*(size_t)c->body_b, sizeof B);
  transpose33(B, back);
  mul33(A, back, K);
  const double gap[3] = {0.5*(K[7] - K[5]), 0.5*(K[2] - K[6]), 0.5*(K[3] - K[1])};
  for (int i = 0; i < 3; i++) {
    rows[i].w[0][i] = 1;
    rows[i].w[1][i] = -1;
    rows[i].gap = gap[i];
  }
}

/* One row: a point of a body has no velocity along n, which is fixed in the body; n.(vdot) = -n.(w x (w x arm)) - (w x
 * n).v */
static void knife_row(const PfTreeWork *work, const PfTreeConstraint *c, Row *row)
{
  Point a;
  double n[3], v[3], turned[3];
  const double *V = work->V + 6*(size_t)c->body_a;
  find_point(work, c->body_a, c->point_a, &a);
  turn3(work->E + 9*(size_t)c->body_a, c->normal_a, n);
  point_covector(a.arm, n, 1, row->w[0]);
  cross3(V, a.arm, v);
  add3(v, V + 3);
  cross3(V, n, turned);
  row->rhs = -dot3(n, a.whirl) - dot3(turned, v);
}

/* Are there the bodies or rates of constraint number `number`? */
static PfStatus check(PfContext *ctx, const PfTree *tree, const PfTreeConstraint *c, int number)
{
  if (c->kind == PF_TREE_RATES) {
    for (int i = 0; i < c->terms; i++)
      if (c->dofs[i] < 0 || c->dofs[i] >= tree->nv)
        return pf_fail(ctx, PF_ERR_ARGUMENT, "constraint %d: the tree has rates 0 to %d, not %d", number, tree->nv - 1,
                       c->dofs[i]);
    return PF_OK;
  }
  const int least = c->kind == PF_TREE_KNIFE ? 0 : -1;
  if (c->body_a < least || c->body_a >= tree->count)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "constraint %d: there is no body %d", number, c->body_a);
  if (c->kind != PF_TREE_KNIFE && (c->body_b < -1 || c->body_b >= tree->count))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "constraint %d: there is no body %d", number, c->body_b);
  return PF_OK;
}

/* A row times rates and body vectors (velocities, accelerations); *size gets the sum of the magnitudes. */
static double apply(const Row *row, const double *rates, const double *bodies, double *size)
{
  double sum = 0;
  *size = fabs(row->rhs);
  for (int side = 0; side < 2; side++)
    if (row->body[side] >= 0) {
      const double *V = bodies + 6*(size_t)row->body[side], *w = row->w[side];
      for (int i = 0; i < 6; i++) {
        sum += w[i]*V[i];
        *size += fabs(w[i]*V[i]);
      }
    }
  for (int i = 0; row->rates && i < row->rates->terms; i++) {
    const double term = row->rates->coefficients[i]*rates[row->rates->dofs[i]];
    sum += term;
    *size += fabs(term);
  }
  return sum;
}

/* ---------------------------------------------------------------- S = A M^-1 A^T */

/* The node with that rate. */
static int node_of_dof(const PfTree *tree, int dof)
{
  int low = 0, high = tree->count - 1; /* the last body whose rates begin at or before it, and that has any */
  while (low < high) {
    const int middle = (low + high + 1)/2;
    if (tree->bodies[middle].v <= dof) low = middle;
    else high = middle - 1;
  }
  return tree->node_of[low];
}

/* Marks the node of a row, and as reached it and its ancestors; *last is the last node of the row. */
static void touch(PfTreeRows *rows, int node, int *last)
{
  rows->touched[node] = 1;
  if (node > *last) *last = node;
  for (int k = node; k >= 0 && !rows->reached[k]; k = rows->tree->nodes[k].parent) rows->reached[k] = 1;
}

/* One side of a row on bodies: adds to eps, and to the size of S_jj. */
static void sweep_side(PfTreeWork *work, PfTreeRows *rows, int j, int side)
{
  const PfTree *tree = rows->tree;
  const Row *row = &rows->rows[j];
  const int node = row->body[side] < 0 ? -1 : tree->node_of[row->body[side]];
  double down[6], *eps = rows->eps + (size_t)j*(size_t)tree->nv;
  int last = -1;
  if (node < 0) return;
  for (int i = 0; i < 6; i++) down[i] = -row->w[side][i];
  pf_wrench_to_node(work, row->body[side], down, rows->zeta + 6*(size_t)node);
  touch(rows, node, &last);
  pf_tree_respond_row(work, rows->t, rows->touched, last, rows->zeta, rows->half);
  for (int k = node; k >= 0; k = tree->nodes[k].parent)
    for (int i = 0; i < pf_joint_nv(tree->bodies[tree->nodes[k].body].joint); i++) {
      const int at = tree->nodes[k].v + i;
      eps[at] += rows->half[at];
      rows->uncancelled[j] += rows->half[at]*rows->half[at]*work->dofs[at].d;
    }
}

/* A row on rates: its eps. */
static void sweep_rates(PfTreeWork *work, PfTreeRows *rows, int j)
{
  const PfTree *tree = rows->tree;
  const PfTreeConstraint *c = rows->rows[j].rates;
  int last = -1;
  for (int i = 0; i < c->terms; i++) {
    rows->t[c->dofs[i]] += c->coefficients[i];
    touch(rows, node_of_dof(tree, c->dofs[i]), &last);
  }
  pf_tree_respond_row(work, rows->t, rows->touched, last, rows->zeta, rows->eps + (size_t)j*(size_t)tree->nv);
  for (int i = 0; i < c->terms; i++) rows->t[c->dofs[i]] = 0;
}

/* S = A M^-1 A^T: each row is passed inward once (eps), then S_ij = sum over dofs of eps_i eps_j/D. A row that no joint
 * can break is rounding, which must not look like a tiny pivot. */
static void set_compliance(PfTreeWork *work, PfTreeRows *rows)
{
  const PfTree *tree = rows->tree;
  const size_t m = (size_t)rows->count, nv = (size_t)tree->nv;
  memset(rows->reached, 0, (size_t)tree->node_count);
  for (int j = 0; j < rows->count; j++) {
    memset(rows->eps + (size_t)j*nv, 0, nv*sizeof *rows->eps);
    rows->uncancelled[j] = 0;
    if (rows->rows[j].rates) sweep_rates(work, rows, j);
    for (int side = 0; side < 2; side++) sweep_side(work, rows, j, side);
  }
  rows->dof_count = 0;
  for (int k = 0; k < tree->node_count; k++)
    for (int i = 0; rows->reached[k] && i < pf_joint_nv(tree->bodies[tree->nodes[k].body].joint); i++)
      rows->dofs[rows->dof_count++] = tree->nodes[k].v + i;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (int d = 0; d < rows->dof_count; d++) {
        const size_t at = (size_t)rows->dofs[d];
        sum += rows->eps[i*nv + at]*work->dofs[at].d*rows->eps[j*nv + at];
      }
      rows->S[i*m + j] = rows->S[j*m + i] = sum;
    }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; rows->S[i*m + i] <= NOTHING*rows->uncancelled[i] && j < m; j++)
      if (j != i) rows->S[i*m + j] = rows->S[j*m + i] = 0;
  for (size_t i = 0; i < m; i++)
    if (rows->S[i*m + i] <= NOTHING*rows->uncancelled[i]) rows->S[i*m + i] = 0;
}

/* Has a redundant row a residual beyond rounding of its terms? */
static int contradicts(const PfTreeRows *rows, int row)
{
  double sum = rows->rhs[row], size = rows->size[row];
  for (int j = 0; j < rows->count; j++) {
    const double term = rows->S[row*rows->count + j]*rows->lambda[j];
    sum -= term;
    size += fabs(term);
  }
  return !(fabs(sum) <= CONTRADICTION*size);
}

/* Solves S lambda = rhs; fails where redundant rows contradict the others. */
static PfStatus solve(PfTreeWork *work, PfTreeRows *rows)
{
  PfLdl *ldl = &rows->ldl;
  ldl->n = rows->count;
  if (pf_ldl_factor(ldl, rows->S, RANK_TOLERANCE) != PF_OK)
    return pf_fail(work->ctx, PF_ERR_NUMBER, "constraint %d: its row is not finite",
                   ldl->fault_row >= 0 ? rows->rows[ldl->fault_row].constraint : 0);
  pf_ldl_solve(ldl, rows->rhs, rows->lambda);
  for (int i = ldl->rank; i < rows->count; i++) {
    if (!contradicts(rows, ldl->order[i])) continue;
    pf_fail(work->ctx, PF_ERR_NUMBER, "constraint %d contradicts the others or the prescribed motions",
            rows->rows[ldl->order[i]].constraint);
    pf_hint(work->ctx, "a loop whose joints are all prescribed cannot be closed by forces");
    return PF_ERR_NUMBER;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the calls */

/* Rows at the state of the workspace, their velocities A v, and S. Needs poses and velocities unless all rows are on
 * rates, and the factors of a solution. */
static PfStatus prepare(PfTreeWork *work, PfTreeRows *rows, const double *v, const PfTreeConstraint *constraints,
                        int count)
{
  /* Turns constraints into rows: at most two bodies with a force and a moment each, or a sum of rates. */
  rows->count = 0;
  for (int k = 0; k < count; k++) {
    const PfTreeConstraint *c = &constraints[k];
    const int n = c->kind == PF_TREE_POINT ? 3 : c->kind == PF_TREE_WELD ? 6 : 1;
    const int one_body = c->kind == PF_TREE_KNIFE, no_body = c->kind == PF_TREE_RATES;
    PF_TRY(check(work->ctx, work->tree, c, k));
    if (rows->count + n > rows->most)
      return pf_fail(work->ctx, PF_ERR_ARGUMENT, "there is room for %d constraint rows, and constraint %d needs more",
                     rows->most, k);
    Row *to = rows->rows + rows->count;
    for (int i = 0; i < n; i++)
      to[i] = (Row){.constraint = k, .body = {no_body ? -1 : c->body_a, no_body || one_body ? -1 : c->body_b},
                    .rates = no_body ? c : NULL, .rhs = no_body ? c->rhs : 0};
    if (c->kind == PF_TREE_POINT) point_rows(work, c, to);
    if (c->kind == PF_TREE_WELD) turn_rows(work, c, to), point_rows(work, c, to + 3);
    if (c->kind == PF_TREE_KNIFE) knife_row(work, c, to);
    rows->count += n;
  }
  for (int j = 0; j < rows->count; j++) rows->velocity[j] = apply(&rows->rows[j], v, work->V, &rows->size[j]);
  set_compliance(work, rows);
  return PF_OK;
}

/* tau += A^T lambda of the rows on rates. */
static void add_rates(const PfTreeRows *rows, double *tau)
{
  for (int j = 0; j < rows->count; j++) {
    const PfTreeConstraint *rates = rows->rows[j].rates;
    for (int i = 0; rates && i < rates->terms; i++) tau[rates->dofs[i]] += rows->lambda[j]*rates->coefficients[i];
  }
}

/* A^T lambda as wrenches and joint forces, on top of the given ones. */
static void add_forces(PfTreeRows *rows, const PfTreeInput *input)
{
  const PfTree *tree = rows->tree;
  const size_t n = 6*(size_t)tree->count*sizeof(double), nv = (size_t)tree->nv*sizeof(double);
  if (input->wrench) memcpy(rows->wrench, input->wrench, n);
  else memset(rows->wrench, 0, n);
  if (input->tau) memcpy(rows->tau, input->tau, nv);
  else memset(rows->tau, 0, nv);
  for (int j = 0; j < rows->count; j++)
    for (int side = 0; side < 2; side++) {
      const Row *row = &rows->rows[j];
      if (row->body[side] >= 0) add_scaled(rows->wrench + 6*(size_t)row->body[side], rows->lambda[j], row->w[side], 6);
    }
  add_rates(rows, rows->tau);
}

/* Is the motion of the dof given, by a lock or by the caller? */
static int is_held(const PfTree *tree, const PfTreeInput *input, int dof)
{
  return (tree->locked && tree->locked[dof]) || (input->prescribed && input->prescribed[dof]);
}

/* The actuator forces: the force of the joint less that of the rows. */
static void take_off_forces(const PfTreeRows *rows, const PfTreeInput *input, double *tau)
{
  const PfTree *tree = rows->tree;
  for (int i = 0; i < tree->nv; i++)
    if (!is_held(tree, input, i)) tau[i] = input->tau ? input->tau[i] : 0;
  for (int j = 0; j < rows->count; j++) {
    const PfTreeConstraint *rates = rows->rows[j].rates;
    for (int i = 0; rates && i < rates->terms; i++)
      if (is_held(tree, input, rates->dofs[i])) tau[rates->dofs[i]] -= rows->lambda[j]*rates->coefficients[i];
  }
}

/* Are all rows about rates, and are only rates wanted? Then poses of bodies are not needed, and the effect of the rows
 * is added to the motion without them. */
static int is_about_rates(const PfTreeInput *input, const PfTreeConstraint *constraints, int count,
                          const PfTreeOutput *output)
{
  for (int k = 0; k < count; k++)
    if (constraints[k].kind != PF_TREE_RATES || constraints[k].alpha != 0) return 0;
  return !input->wrench && output->vdot && !output->tau && !output->acceleration && !output->joint_wrench;
}

/* The motion without constraints, then the multipliers, then the motion with A^T lambda among the forces. Only the
 * bodies of the rows get accelerations in between. */
PfStatus pf_tree_constrained(PfTreeWork *work, PfTreeRows *rows, const PfTreeInput *input,
                             const PfTreeConstraint *constraints, int count, const PfTreeOutput *output)
{
  const PfTree *tree = work->tree;
  double *vdot = work->rows; /* nv: the motion without constraints */
  if (is_about_rates(input, constraints, count, output)) {
    /* The shorter way when all constraints are sums of rates and only accelerations are requested: the motion
     * without them, and vdot += M^-1 A^T lambda. */
    PF_TRY(pf_tree_hybrid(work, input, output->vdot, NULL));
    PF_TRY(prepare(work, rows, input->v, constraints, count));
    for (int j = 0; j < rows->count; j++)
      rows->rhs[j] = rows->rows[j].rhs - apply(&rows->rows[j], output->vdot, work->body6, &rows->size[j]);
    PF_TRY(solve(work, rows));
    const int nv = rows->tree->nv;
    double *x = rows->wrench; /* at least as long */
    memset(rows->tau, 0, (size_t)nv*sizeof *rows->tau);
    add_rates(rows, rows->tau);
    PF_TRY(pf_tree_respond(work, rows->tau, NULL, x));
    for (int i = 0; i < nv; i++) output->vdot[i] += x[i];
    return PF_OK;
  }
  PF_TRY(pf_tree_hybrid(work, input, vdot, NULL));
  PF_TRY(pf_tree_kinematics(work, input->q, input->v));
  PF_TRY(prepare(work, rows, input->v, constraints, count));
  for (int j = 0; j < rows->count; j++) {
    const Row *row = &rows->rows[j];
    const double alpha = constraints[row->constraint].alpha;
    for (int side = 0; side < 2; side++)
      if (row->body[side] >= 0)
        pf_acceleration_from_node(work, row->body[side], tree->gravity, work->body6 + 6*(size_t)row->body[side]);
    rows->rhs[j] = row->rhs - apply(row, vdot, work->body6,
                                    &rows->size[j]) - 2*alpha*rows->velocity[j] - alpha*alpha*row->gap;
  }
  PF_TRY(solve(work, rows));
  add_forces(rows, input);
  PfTreeInput with = *input;
  with.tau = rows->tau;
  with.wrench = rows->wrench;
  PF_TRY(pf_tree_complete(work, &with, output));
  if (output->tau) take_off_forces(rows, input, output->tau);
  return PF_OK;
}

/* An impulsive solution without impulses makes the factors. */
PfStatus pf_tree_close(PfTreeWork *work, PfTreeRows *rows, const double *q, double *v, const unsigned char *prescribed,
                       const PfTreeConstraint *constraints, int count)
{
  double *jump = work->rows;
  const PfTreeInput still = {.q = q, .prescribed = prescribed};
  PF_TRY(pf_tree_impulse(work, &still, &(PfTreeOutput){.vdot = jump}));
  PF_TRY(pf_tree_kinematics(work, q, v));
  PF_TRY(prepare(work, rows, v, constraints, count));
  for (int j = 0; j < rows->count; j++) rows->rhs[j] = -rows->velocity[j];
  PF_TRY(solve(work, rows));
  add_forces(rows, &still);
  PfTreeInput push = still;
  push.tau = rows->tau;
  push.wrench = rows->wrench;
  PF_TRY(pf_tree_impulse(work, &push, &(PfTreeOutput){.vdot = jump}));
  for (int i = 0; i < work->tree->nv; i++) v[i] += jump[i];
  return PF_OK;
}
