/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <stdlib.h>
#include <string.h>

static void compare_totals(Case *c, Setup *s, const double *q, const double *v, const char *what,
                           const json_t *expected)
{
  if (!expected) return;
  PfTreeTotals t;
  char text[80];
  pf_tree_kinematics(s->work, q, v);
  pf_tree_totals(s->work, q, &t);
  snprintf(text, sizeof text, "%s: linear momentum", what);
  compare(c, text, t.linear, 3, json_object_get(expected, "linear"));
  snprintf(text, sizeof text, "%s: angular momentum", what);
  compare(c, text, t.angular, 3, json_object_get(expected, "angular_about_origin"));
  snprintf(text, sizeof text, "%s: kinetic energy", what);
  compare(c, text, &t.kinetic, 1, json_object_get(expected, "kinetic_energy"));
}

/* What all events have in common: momenta and energies, jumps, impulses. */
static void check_change(Case *c, Setup *before, Setup *after, const PfTreeChange *change)
{
  const json_t *expected = json_object_get(c->root, "expected_event");
  const int n = pf_tree_count(change->tree);
  const double loss = change->kinetic_before - change->kinetic_after, gain = -loss;
  compare_totals(c, before, before->q, before->v, "before", json_object_get(expected, "before"));
  compare_totals(c, after, change->q, change->v, "after", json_object_get(expected, "after"));
  compare(c, "kinetic energy loss", &loss, 1, json_object_get(expected, "kinetic_energy_loss"));
  compare(c, "kinetic energy gain", &gain, 1, json_object_get(expected, "kinetic_energy_gain"));
  compare(c, "velocity jumps", change->jump, 6*n, json_object_get(expected, "delta_body_velocity"));
  compare(c, "interface impulses", change->interface_impulse, 6*n, json_object_get(expected, "interface_impulse"));
}

/* ---------------------------------------------------------------- the events */

static unsigned char *read_dofs(Case *c, const Setup *s, const json_t *event)
{
  unsigned char *mask = pf_arena_array(c->arena, unsigned char, pf_tree_nv(s->tree) + 1);
  const json_t *pairs = json_object_get(event, "dofs");
  for (size_t i = 0; i < json_array_size(pairs); i++) {
    double at[2] = {0};
    read_numbers(json_array_get(pairs, i), at, 2);
    mask[pf_tree_v_at(s->tree, (int)at[0]) + (int)at[1]] = 1;
  }
  return mask;
}

static PfStatus lock(Case *c, Setup *s, const json_t *event, PfTreeChange *change)
{
  const PfStatus status = pf_tree_lock(c->ctx, c->arena, s->tree, s->q, s->v, read_dofs(c, s, event), change);
  const json_t *expected = json_object_get(c->root, "expected_event");
  if (status != PF_OK || !expected) return status;
  compare(c, "v after", change->v, pf_tree_nv(s->tree), json_object_get(expected, "v_plus"));
  compare(c, "joint impulses", change->joint_impulse, pf_tree_nv(s->tree), json_object_get(expected, "joint_impulse"));
  return status;
}

static PfStatus dock(Case *c, Setup *s, const json_t *event, PfTreeChange *change)
{
  const json_t *port = json_object_get(event, "port_b"), *after = json_object_get(event, "joint_after");
  double quat[4], pos[3];
  PfTreeBody joint = pf_tree_body(-1, PF_JOINT_WELD);
  read_numbers(json_object_get(port, "quat"), quat, 4);
  read_numbers(json_object_get(port, "pos"), pos, 3);
  if (json_object_get(after, "axis")) read_numbers(json_object_get(after, "axis"), joint.axis, 3);
  for (int k = 0; k <= PF_JOINT_FREE; k++)
    if (!strcmp(json_string_value(json_object_get(after, "type")), pf_joint_name((PfJoint)k))) joint.joint = (PfJoint)k;
  const PfStatus status =
      pf_tree_dock(c->ctx, c->arena, s->tree, s->q, s->v, (int)json_number_value(json_object_get(event, "body_a")),
                   (int)json_number_value(json_object_get(event, "body_b")), quat, pos, &joint, change);
  if (status != PF_OK) return status;
  const json_t *expected = json_object_get(c->root, "expected_event");
  double *from = room(c, pf_tree_count(change->tree));
  for (int k = 0; k < pf_tree_count(change->tree); k++) from[k] = change->from[k];
  compare(c, "relative velocity before", change->relative, 6, json_object_get(expected, "relative_velocity_before"));
  compare(c, "numbers of the bodies", from, pf_tree_count(change->tree),
          json_object_get(expected, "post_body_from_pre_body"));
  return status;
}

/* Momentum and energy of the part with the body, and of the rest, from the velocities of the bodies. */
static void check_parts(Case *c, const Setup *after, const PfTreeChange *change, int detached)
{
  const json_t *expected = json_object_get(c->root, "expected_event");
  const char *names[] = {"remaining_after", "detached_after"};
  for (int part = 0; part < 2; part++) {
    PfTreeTotals all;
    double *v = room(c, pf_tree_nv(change->tree));
    for (int k = 0; k < pf_tree_count(change->tree); k++) { /* the part alone moves: the trees share nothing */
      int root = k;
      while (pf_tree_get(change->tree, root).parent >= 0) root = pf_tree_get(change->tree, root).parent;
      const int at = pf_tree_v_at(change->tree, k), nv = pf_joint_nv(pf_tree_get(change->tree, k).joint);
      if ((root == detached) == part) memcpy(v + at, change->v + at, (size_t)nv*sizeof *v);
    }
    pf_tree_kinematics(after->work, change->q, v);
    pf_tree_totals(after->work, change->q, &all);
    const json_t *reference = json_object_get(expected, names[part]);
    compare(c, names[part], all.linear, 3, json_object_get(reference, "linear"));
    compare(c, names[part], all.angular, 3, json_object_get(reference, "angular_about_origin"));
    compare(c, names[part], &all.kinetic, 1, json_object_get(reference, "kinetic_energy"));
  }
}

static PfStatus detach(Case *c, Setup *s, const json_t *event, PfTreeChange *change)
{
  const int body = (int)json_number_value(json_object_get(event, "body"));
  double impulse[6];
  PfTreeChange quiet;
  read_numbers(json_object_get(event, "impulse_on_detached"), impulse, 6);
  PfStatus status = pf_tree_detach(c->ctx, c->arena, s->tree, s->q, s->v, body, NULL, &quiet);
  if (status != PF_OK) return status;
  compare(c, "v before the impulse", quiet.v, pf_tree_nv(quiet.tree),
          json_object_get(json_object_get(c->root, "expected_event"), "v_before_impulse"));
  pf_tree_free(quiet.tree);
  return pf_tree_detach(c->ctx, c->arena, s->tree, s->q, s->v, body, impulse, change);
}

/* ---------------------------------------------------------------- after the event */

/* The tree the event made against the model and state in the file, body by body. */
static void compare_models(Case *c, Setup *ours, const PfTreeChange *change, Setup *theirs)
{
  const int n = pf_tree_count(change->tree);
  if (pf_tree_count(theirs->tree) != n || pf_tree_nv(theirs->tree) != pf_tree_nv(change->tree)) return;
  pf_tree_kinematics(ours->work, change->q, change->v);
  pf_tree_kinematics(theirs->work, theirs->q, theirs->v);
  double *x[2] = {room(c, 18*n), room(c, 18*n)};
  const PfTreeWork *works[] = {ours->work, theirs->work};
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < n; k++) {
      memcpy(x[side] + 9*k, pf_tree_rotation(works[side], k), 9*sizeof(double));
      memcpy(x[side] + 9*n + 3*k, pf_tree_position(works[side], k), 3*sizeof(double));
      memcpy(x[side] + 12*n + 6*k, pf_tree_velocity(works[side], k), 6*sizeof(double));
    }
  compare_numbers(c, "after the event: poses", x[0], x[1], 12*n);
  compare_numbers(c, "after the event: velocities", x[0] + 12*n, x[1] + 12*n, 6*n);
  compare_numbers(c, "after the event: v", change->v, theirs->v, pf_tree_nv(change->tree));
}

static int run_after(Case *c, Setup *ours, const PfTreeChange *change)
{
  const json_t *problems = json_object_get(c->root, "post_problems"), *model = json_object_get(c->root, "post_model");
  Setup theirs = {0};
  int good = 1;
  if (model) {
    good = make_setup(c, model, json_object_get(c->root, "post_state"), NULL, &theirs);
    if (good) compare_models(c, ours, change, &theirs);
  }
  ours->q = change->q;
  ours->v = change->v;
  ours->wrench = room(c, 6*pf_tree_count(change->tree));
  for (size_t i = 0; good && i < json_array_size(problems); i++) {
    const json_t *p = json_array_get(problems, i);
    good = run_problem(c, ours, p) && (!theirs.tree || run_problem(c, &theirs, p));
  }
  free_setup(&theirs);
  return good;
}

int run_event(Case *c, Setup *s)
{
  const json_t *event = json_object_get(c->root, "event");
  const char *type = json_string_value(json_object_get(event, "type"));
  PfTreeChange change = {0};
  PfStatus status = PF_ERR_ARGUMENT;
  if (!strcmp(type, "lock")) status = lock(c, s, event, &change);
  if (!strcmp(type, "dock")) status = dock(c, s, event, &change);
  if (!strcmp(type, "detach")) status = detach(c, s, event, &change);
  if (status != PF_OK) return trouble(c, "%s: %s", type, pf_context_message(c->ctx));
  Setup after = {.tree = change.tree};
  int good = pf_tree_work_new(c->ctx, change.tree, &after.work) == PF_OK;
  if (good) check_change(c, s, &after, &change);
  if (good && !strcmp(type, "detach"))
    check_parts(c, &after, &change, (int)json_number_value(json_object_get(event, "body")));
  if (good) good = run_after(c, &after, &change);
  free_setup(&after);
  return good;
}

/* ---------------------------------------------------------------- the trajectory */

typedef struct Motion {
  Case *c;
  PfTree *tree;
  PfTreeWork *work;
  const double *tau;
  double *q, *v, *k[4], *qs, *vs;
} Motion;

static int rates(Motion *m, const double *q, const double *v, double *to)
{
  const int nq = pf_tree_nq(m->tree);
  pf_tree_qdot(m->tree, q, v, to);
  return pf_tree_forward(m->work, q, v, m->tau, to + nq) == PF_OK;
}

/* One classical Runge-Kutta step of length h; the step is so small that nothing better is needed. */
static int step(Motion *m, double h)
{
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  const int nq = pf_tree_nq(m->tree), nv = pf_tree_nv(m->tree);
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < nq; i++) m->qs[i] = m->q[i] + (s ? at[s]*h*m->k[s - 1][i] : 0);
    for (int i = 0; i < nv; i++) m->vs[i] = m->v[i] + (s ? at[s]*h*m->k[s - 1][nq + i] : 0);
    if (!rates(m, m->qs, m->vs, m->k[s])) return 0;
  }
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < nq; i++) m->q[i] += h/6*weight[s]*m->k[s][i];
    for (int i = 0; i < nv; i++) m->v[i] += h/6*weight[s]*m->k[s][nq + i];
  }
  pf_tree_normalise(m->tree, m->q);
  return 1;
}

static int advance(Motion *m, double from, double to)
{
  enum { STEPS_PER_SECOND = 2000 };
  const int n = (int)lrint((to - from)*STEPS_PER_SECOND);
  for (int i = 0; i < n; i++)
    if (!step(m, (to - from)/n)) return trouble(m->c, "%s", pf_context_message(m->c->ctx));
  return 1;
}

/* A line of the table: t, phase, then numbers. */
static int read_line(char *line, double *t, char phase[20], double *x, int most)
{
  char *at = line;
  int count = 0;
  *t = strtod(at, &at);
  const size_t length = strcspn(++at, ",");
  snprintf(phase, 20, "%.*s", (int)length, at);
  at += length;
  while (*at == ',' && count < most) x[count++] = strtod(at + 1, &at);
  return count;
}

static void check_line(Motion *m, double t, const double *x)
{
  const int nq = pf_tree_nq(m->tree), nv = pf_tree_nv(m->tree);
  PfTreeTotals totals;
  char text[80];
  pf_tree_kinematics(m->work, m->q, m->v);
  pf_tree_totals(m->work, m->q, &totals);
  snprintf(text, sizeof text, "t = %g: q", t);
  compare_scaled(m->c, text, m->q, x, nq, 1); /* the limit is an absolute one */
  snprintf(text, sizeof text, "t = %g: v", t);
  compare_scaled(m->c, text, m->v, x + nq, nv, 1);
  snprintf(text, sizeof text, "t = %g: momentum", t);
  compare_numbers(m->c, text, totals.angular, x + nq + nv, 3);
  compare_numbers(m->c, text, totals.linear, x + nq + nv + 3, 3);
  compare_numbers(m->c, text, &totals.kinetic, x + nq + nv + 6, 1);
}

static int lock_now(Motion *m, const unsigned char *dofs)
{
  PfTreeChange change;
  if (pf_tree_lock(m->c->ctx, m->c->arena, m->tree, m->q, m->v, dofs, &change) != PF_OK)
    return trouble(m->c, "%s", pf_context_message(m->c->ctx));
  double impulse = 0;
  for (int i = 0; i < pf_tree_nv(m->tree); i++)
    if (dofs[i]) impulse = change.joint_impulse[i];
  const double expected = json_number_value(json_object_get(m->c->root, "locked_joint_impulse"));
  compare_scaled(m->c, "impulse of the lock", &impulse, &expected, 1, 0);
  pf_tree_work_free(m->work);
  pf_tree_free(m->tree);
  m->tree = change.tree;
  memcpy(m->v, change.v, (size_t)pf_tree_nv(m->tree)*sizeof *m->v);
  return pf_tree_work_new(m->c->ctx, m->tree, &m->work) == PF_OK;
}

static int follow(Motion *m, char *text, const unsigned char *dofs)
{
  enum { MOST = 64 };
  double t = 0, last = 0, x[MOST];
  char phase[20];
  for (char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
    if (read_line(line + 1, &t, phase, x, MOST) < pf_tree_nq(m->tree) + pf_tree_nv(m->tree) + 7)
      return trouble(m->c, "a line of the table is too short");
    if (!advance(m, last, t)) return 0;
    if (!strcmp(phase, "after_lock") && !lock_now(m, dofs)) return 0;
    check_line(m, t, x);
    last = t;
  }
  return 1;
}

int run_trajectory(Case *c, Setup *s)
{
  char path[1024];
  const char *text;
  size_t length;
  int count;
  snprintf(path, sizeof path, "%s/%.*s.csv", c->folder, (int)strlen(c->file) - 5, c->file);
  if (pf_file_read(c->ctx, c->arena, path, (size_t)1 << 24, &text, &length) != PF_OK)
    return trouble(c, "%s", pf_context_message(c->ctx));
  const int size = pf_tree_nq(s->tree) + pf_tree_nv(s->tree);
  const unsigned char *dofs = read_dofs(c, s, json_object_get(c->root, "event"));
  Motion m = {c, s->tree, s->work, numbers(c, json_object_get(c->root, "tau"), &count), s->q, s->v, {0}, room(c, size),
              room(c, size)};
  for (int i = 0; i < 4; i++) m.k[i] = room(c, size);
  const int good = follow(&m, pf_arena_text(c->arena, text, length), dofs);
  s->tree = m.tree;
  s->work = m.work;
  return good;
}
