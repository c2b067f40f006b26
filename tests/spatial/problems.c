/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <string.h>

/* What the tree makes of a problem. */
typedef struct Solution {
  double *vdot, *tau, *acceleration, *wrench;
} Solution;

static const char *label(Case *c, const json_t *problem, const char *what)
{
  char text[160];
  const char *name = json_string_value(json_object_get(problem, "name"));
  const int length = snprintf(text, sizeof text, "%s, %s", name ? name : "?", what);
  return pf_arena_text(c->arena, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static void check(Case *c, const json_t *problem, const char *what, const double *x, int count, const char *key)
{
  compare(c, label(c, problem, what), x, count, json_object_get(json_object_get(problem, "expected"), key));
}

/* ---------------------------------------------------------------- rates of the whole */

/* Rate of momentum of one body, about the inertial origin, and of its kinetic energy: p = m (v + w x c), h = I w + x
 * x p. */
static void body_rates(const Setup *s, int k, const double *A, double p[3], double h[3], double *power)
{
  const PfTreeBody body = pf_tree_get(s->tree, k);
  const double *E = pf_tree_rotation(s->work, k), *V = pf_tree_velocity(s->work, k), *r = pf_tree_position(s->work, k);
  double c[3] = {0}, wb[3] = {0}, db[3] = {0}, Iw[3] = {0}, spin[3], vc[3], ac[3], x[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      c[i] += E[3*i + j]*body.com[j];
      wb[i] += E[3*j + i]*V[j];
      db[i] += E[3*j + i]*A[j];
    }
#define CROSS(a, b, i) ((a)[((i) + 1)%3]*(b)[((i) + 2)%3] - (a)[((i) + 2)%3]*(b)[((i) + 1)%3])
  for (int i = 0; i < 3; i++) vc[i] = V[3 + i] + CROSS(V, c, i);
  double swing[3];
  for (int i = 0; i < 3; i++) swing[i] = CROSS(V, c, i);
  for (int i = 0; i < 3; i++) ac[i] = A[3 + i] + CROSS(A, c, i) + CROSS(V, swing, i);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) Iw[i] += body.inertia[3*i + j]*wb[j];
  for (int i = 0; i < 3; i++) {
    spin[i] = CROSS(wb, Iw, i);
    for (int j = 0; j < 3; j++) spin[i] += body.inertia[3*i + j]*db[j];
    x[i] = r[i] + c[i];
    p[i] = body.mass*ac[i];
  }
  *power = 0;
  for (int i = 0; i < 3; i++) {
    h[i] = CROSS(x, p, i);
    for (int j = 0; j < 3; j++) h[i] += E[3*i + j]*spin[j];
    *power += vc[i]*p[i] + wb[i]*spin[i];
  }
#undef CROSS
}

/* The rates are small sums of large terms, or zero: the error is measured against the terms. */
static void check_rates(Case *c, const Setup *s, const json_t *problem, const Solution *x)
{
  const json_t *expected = json_object_get(problem, "expected"), *momentum = json_object_get(expected, "momentum_rate");
  const json_t *energy = json_object_get(expected, "kinetic_energy_rate");
  double sum[7] = {0}, size[7] = {0};
  for (int k = 0; k < pf_tree_count(s->tree); k++) {
    double one[7];
    body_rates(s, k, x->acceleration + 6*(size_t)k, one, one + 3, one + 6);
    for (int i = 0; i < 7; i++) sum[i] += one[i], size[i] += fabs(one[i]);
  }
  if (momentum) {
    double reference[6];
    read_numbers(json_object_get(momentum, "linear"), reference, 3);
    read_numbers(json_object_get(momentum, "angular_about_origin"), reference + 3, 3);
    for (int part = 0; part < 2; part++)
      compare_scaled(c, label(c, problem, part ? "angular momentum rate" : "linear momentum rate"), sum + 3*part,
                     reference + 3*part, 3,
                     fmax(size[3*part], fmax(size[3*part + 1], size[3*part + 2])));
  }
  const double rate = json_number_value(energy);
  if (energy) compare_scaled(c, label(c, problem, "kinetic energy rate"), sum + 6, &rate, 1, size[6]);
}

/* ---------------------------------------------------------------- one solution */

static void check_total_force(Case *c, const Setup *s, const json_t *problem, const double *tau)
{
  const int nv = pf_tree_nv(s->tree);
  double *total = room(c, nv);
  pf_tree_passive(s->tree, s->q, s->v, total); /* H^T f = actuators + springs and dampers */
  for (int i = 0; i < nv; i++) total[i] += tau[i];
  check(c, problem, "total joint forces", total, nv, "tau_total");
}

static void check_solution(Case *c, const Setup *s, const json_t *problem, const Solution *x)
{
  const int n = pf_tree_count(s->tree), nv = pf_tree_nv(s->tree);
  check(c, problem, "vdot", x->vdot, nv, "vdot");
  check(c, problem, "tau", x->tau, nv, "tau");
  check_total_force(c, s, problem, x->tau);
  check(c, problem, "body accelerations", x->acceleration, 6*n, "body_acceleration");
  check(c, problem, "joint wrenches", x->wrench, 6*n, "joint_wrench");
  check(c, problem, "tip acceleration", x->acceleration + 6*(size_t)(n - 1), 6, "tip_acceleration");
  check(c, problem, "root wrench", x->wrench, 6, "root_wrench");
  check_rates(c, s, problem, x);
}

/* The recursion in the paper's own form must say the same, operator by operator. */
static int check_operators(Case *c, Setup *s, const json_t *problem, const PfTreeInput *input)
{
  const json_t *expected = json_object_get(problem, "expected"), *state = json_object_get(c->root, "expected_state");
  const int n = pf_tree_count(s->tree);
  PfTreeOperators *all = pf_arena_array(c->arena, PfTreeOperators, n);
  double *a = room(c, 6*n), *b = room(c, 6*n), *A = room(c, 6*n), *f = room(c, 6*n);
  if (pf_tree_operators(s->work, input, all) != PF_OK) return trouble(c, "%s", pf_context_message(c->ctx));
  for (int k = 0; k < n; k++) {
    memcpy(a + 6*(size_t)k, all[k].a, sizeof all[k].a);
    memcpy(b + 6*(size_t)k, all[k].b, sizeof all[k].b);
    memcpy(A + 6*(size_t)k, all[k].Vdot, sizeof all[k].Vdot);
    memcpy(f + 6*(size_t)k, all[k].f, sizeof all[k].f);
  }
  check(c, problem, "articulated inertia of the root", all[0].P, 36, "articulated_inertia_root");
  if (!json_object_get(problem, "constraints")) {
    compare(c, label(c, problem, "operators: accelerations"), A, 6*n, json_object_get(expected, "body_acceleration"));
    compare(c, label(c, problem, "operators: wrenches"), f, 6*n, json_object_get(expected, "joint_wrench"));
  }
  if (json_object_get(c->root, "problems")) {
    compare(c, label(c, problem, "operators: a"), a, 6*n, json_object_get(state, "velocity_acceleration"));
    compare(c, label(c, problem, "operators: b"), b, 6*n, json_object_get(state, "gyroscopic_force"));
  }
  return 1;
}

/* ---------------------------------------------------------------- constraints */

enum { MOST_CONSTRAINTS = 64 };

static void take(const json_t *from, double *to, int count)
{
  if (from) read_numbers(from, to, count);
}

static int take_body(const json_t *from)
{
  return from ? (int)json_number_value(from) : -1;
}

static int read_terms(Case *c, const Setup *s, const json_t *terms, PfTreeConstraint *to)
{
  to->terms = (int)json_array_size(terms);
  int *dofs = pf_arena_array(c->arena, int, to->terms + 1);
  double *coefficients = room(c, to->terms);
  for (int i = 0; i < to->terms; i++) {
    double term[3] = {0};
    take(json_array_get(terms, (size_t)i), term, 3);
    dofs[i] = pf_tree_v_at(s->tree, (int)term[0]) + (int)term[1];
    coefficients[i] = term[2];
  }
  to->dofs = dofs;
  to->coefficients = coefficients;
  return 1;
}

static int read_constraint(Case *c, const Setup *s, const json_t *from, PfTreeConstraint *to)
{
  const char *type = json_string_value(json_object_get(from, "type"));
  *to = (PfTreeConstraint){.body_a = take_body(json_object_get(from, "body_a")),
                           .body_b = take_body(json_object_get(from, "body_b"))};
  take(json_object_get(from, "point_a"), to->point_a, 3);
  take(json_object_get(from, "point_b"), to->point_b, 3);
  take(json_object_get(from, "normal_a"), to->normal_a, 3);
  take(json_object_get(from, "rhs"), &to->rhs, 1);
  if (!strcmp(type, "point")) to->kind = PF_TREE_POINT;
  else if (!strcmp(type, "weld")) to->kind = PF_TREE_WELD;
  else if (!strcmp(type, "knife")) to->kind = PF_TREE_KNIFE;
  else if (!strcmp(type, "linear")) to->kind = PF_TREE_RATES;
  else return trouble(c, "unknown constraint '%s'", type);
  return to->kind != PF_TREE_RATES || read_terms(c, s, json_object_get(from, "terms"), to);
}

static void check_rows(Case *c, const json_t *problem, const PfTreeRows *rows)
{
  const double count = pf_tree_rows_count(rows), rank = pf_tree_rows_rank(rows);
  const int m = (int)count;
  check(c, problem, "rows", &count, 1, "constraint_rows");
  check(c, problem, "rank", &rank, 1, "constraint_rank");
  check(c, problem, "A M^-1 A^T", pf_tree_rows_compliance(rows), m*m, "A_Minv_AT");
  check(c, problem, "multipliers", pf_tree_rows_multipliers(rows), m, "multipliers");
  const json_t *velocity = json_object_get(json_object_get(problem, "expected"), "constraint_velocity");
  if (!velocity || read_numbers(velocity, NULL, 0) != m) return;
  int n;
  compare_scaled(c, label(c, problem, "A v"), pf_tree_rows_velocity(rows), numbers(c, velocity, &n), m, 1);
}

static int solve_constrained(Case *c, Setup *s, const json_t *problem, const PfTreeInput *input, Solution *x)
{
  PfTreeConstraint constraints[MOST_CONSTRAINTS];
  PfTreeRows *rows;
  int count = 0;
  const json_t *list = json_object_get(problem, "constraints");
  for (size_t i = 0; i < json_array_size(list); i++)
    if (count == MOST_CONSTRAINTS || !read_constraint(c, s, json_array_get(list, i), &constraints[count++])) return 0;
  if (pf_tree_rows_new(c->ctx, s->tree, 6*count, &rows) != PF_OK) return trouble(c, "%s", pf_context_message(c->ctx));
  const PfTreeOutput output = {x->vdot, x->tau, x->acceleration, x->wrench};
  const int good = pf_tree_constrained(s->work, rows, input, constraints, count, &output) == PF_OK;
  if (good) check_rows(c, problem, rows);
  else trouble(c, "%s", pf_context_message(c->ctx));
  pf_tree_rows_free(rows);
  return good;
}

static int solve(Case *c, Setup *s, const json_t *problem, const PfTreeInput *input, Solution *x)
{
  if (json_object_get(problem, "constraints")) return solve_constrained(c, s, problem, input, x);
  if (pf_tree_complete(s->work, input, &(PfTreeOutput){x->vdot, x->tau, x->acceleration, x->wrench}) != PF_OK)
    return trouble(c, "%s", pf_context_message(c->ctx));
  return 1;
}

/* The calls that are made for one kind of problem must give the same as the mixed one. */
static int check_special(Case *c, Setup *s, const json_t *problem, const PfTreeInput *input, const Solution *x)
{
  const int nv = pf_tree_nv(s->tree);
  const char *kind = json_string_value(json_object_get(problem, "kind"));
  double *y = room(c, nv);
  for (int k = 0; k < 6*pf_tree_count(s->tree); k++)
    if (s->wrench[k] != 0) return 1; /* the plain calls take no external wrenches */
  if (json_object_get(problem, "constraints")) return 1;
  if (!strcmp(kind, "forward")) {
    if (pf_tree_forward(s->work, s->q, s->v, input->tau, y) != PF_OK) return trouble(c, "%s",
                                                                                     pf_context_message(c->ctx));
    compare_numbers(c, label(c, problem, "plain forward"), y, x->vdot, nv);
  }
  if (!strcmp(kind, "inverse")) {
    if (pf_tree_inverse(s->work, s->q, s->v, input->vdot, y) != PF_OK) return trouble(c, "%s",
                                                                                      pf_context_message(c->ctx));
    compare_numbers(c, label(c, problem, "plain inverse"), y, x->tau, nv);
  }
  return 1;
}

int run_problem(Case *c, Setup *s, const json_t *problem)
{
  const int n = pf_tree_count(s->tree), nv = pf_tree_nv(s->tree);
  int count;
  unsigned char *mask = pf_arena_array(c->arena, unsigned char, nv + 1);
  const double *prescribed = numbers(c, json_object_get(problem, "prescribed"), &count);
  for (int i = 0; i < count && i < nv; i++) mask[i] = prescribed[i] != 0;
  PfTreeInput input = {.q = s->q, .v = s->v, .prescribed = mask, .wrench = s->wrench};
  double *tau = numbers(c, json_object_get(problem, "tau"), &count),
         *vdot = numbers(c, json_object_get(problem, "vdot"), &count);
  for (int i = 0; i < nv; i++) {
    if (mask[i]) tau[i] = 0;
    else vdot[i] = 0;
  }
  input.tau = tau;
  input.vdot = vdot;
  Solution x = {room(c, nv), room(c, nv), room(c, 6*n), room(c, 6*n)};
  if (!solve(c, s, problem, &input, &x)) return 0;
  check_solution(c, s, problem, &x);
  return check_special(c, s, problem, &input, &x) && check_operators(c, s, problem, &input);
}

