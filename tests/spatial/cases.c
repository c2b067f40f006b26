/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <stdarg.h>
#include <string.h>

/* ---------------------------------------------------------------- comparing */

int trouble(Case *c, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  vsnprintf(c->trouble, sizeof c->trouble, format, words);
  va_end(words);
  return 0;
}

double *room(Case *c, int count)
{
  return pf_arena_array(c->arena, double, count + 1);
}

int read_numbers(const json_t *value, double *to, int most)
{
  if (!value) return 0;
  if (!json_is_array(value)) {
    if (most > 0)
      *to = json_is_null(value) ? NAN : json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    return 1;
  }
  int count = 0;
  for (size_t i = 0; i < json_array_size(value); i++) {
    const int used = count < most ? count : most;
    count += read_numbers(json_array_get(value, i), used ? to + used : to, most - used);
  }
  return count;
}

double *numbers(Case *c, const json_t *value, int *count)
{
  *count = read_numbers(value, NULL, 0);
  double *to = room(c, *count);
  read_numbers(value, to, *count);
  return to;
}

static void record(Case *c, const char *what, double error)
{
  c->checked++;
  if (c->verbose) printf("    %-48s %.2e\n", what, error);
  if (error <= c->worst) return;
  c->worst = error;
  snprintf(c->where, sizeof c->where, "%s", what);
}

void compare_numbers(Case *c, const char *what, const double *x, const double *expected, int count)
{
  compare_scaled(c, what, x, expected, count, 0);
}

void compare_scaled(Case *c, const char *what, const double *x, const double *expected, int count, double scale)
{
  double difference = 0, size = scale;
  for (int i = 0; i < count; i++) {
    const double d = fabs(x[i] - expected[i]);
    if (!(d <= difference)) difference = d; /* a NaN stays */
    size = fmax(size, fabs(expected[i]));
  }
  double error = size > 0 ? difference/size : difference;
  if (!(error >= 0)) error = INFINITY;
  record(c, what, error);
}

void compare(Case *c, const char *what, const double *x, int count, const json_t *expected)
{
  if (!expected) return;
  int expected_count;
  const double *reference = numbers(c, expected, &expected_count);
  if (expected_count != count) {
    trouble(c, "%s: %d numbers in the file, %d in the tree", what, expected_count, count);
    return;
  }
  compare_numbers(c, what, x, reference, count);
}

/* ---------------------------------------------------------------- models */

static int joint_kind(const char *name, PfJoint *joint)
{
  for (int k = PF_JOINT_WELD; k <= PF_JOINT_FREE; k++)
    if (!strcmp(name, pf_joint_name((PfJoint)k))) return *joint = (PfJoint)k, 1;
  return 0;
}

static void take(const json_t *from, double *to, int count)
{
  if (from) read_numbers(from, to, count);
}

static int read_body(Case *c, const json_t *from, PfTreeBody *body)
{
  const json_t *joint = json_object_get(from, "joint"), *place = json_object_get(from, "placement"),
               *type = json_object_get(joint, "type");
  PfJoint kind;
  double parent = -1;
  if (!json_is_string(type) || !joint_kind(json_string_value(type), &kind)) return trouble(c, "unknown joint");
  take(json_object_get(from, "parent"), &parent, 1);
  *body = pf_tree_body((int)parent, kind);
  body->name = json_string_value(json_object_get(from, "name"));
  take(json_object_get(joint, "axis"), body->axis, 3);
  take(json_object_get(joint, "axis2"), body->axis2, 3);
  take(json_object_get(joint, "pitch"), &body->pitch, 1);
  take(json_object_get(joint, "stiffness"), body->stiffness, 6);
  take(json_object_get(joint, "spring_ref"), body->spring_ref, 6);
  take(json_object_get(joint, "damping"), body->damping, 6);
  take(json_object_get(place, "quat"), body->quat, 4);
  take(json_object_get(place, "pos"), body->pos, 3);
  take(json_object_get(from, "mass"), &body->mass, 1);
  take(json_object_get(from, "com"), body->com, 3);
  take(json_object_get(from, "inertia_com"), body->inertia, 9);
  return 1;
}

static int build(Case *c, const json_t *model, PfTreeBuilder *builder, PfTree **tree)
{
  double gravity[3] = {0};
  take(json_object_get(model, "gravity"), gravity, 3);
  pf_tree_builder_gravity(builder, gravity);
  const json_t *bodies = json_object_get(model, "bodies");
  for (size_t i = 0; i < json_array_size(bodies); i++) {
    PfTreeBody body;
    if (!read_body(c, json_array_get(bodies, i), &body)) return 0;
    if (pf_tree_builder_add(builder, &body, NULL) != PF_OK) return trouble(c, "%s", pf_context_message(c->ctx));
  }
  if (pf_tree_builder_finish(builder, tree) != PF_OK) return trouble(c, "%s", pf_context_message(c->ctx));
  return 1;
}

static void apply_forces(Setup *s, const json_t *forces)
{
  for (size_t i = 0; i < json_array_size(forces); i++) {
    const json_t *f = json_array_get(forces, i);
    double body = 0, point[3] = {0}, force[3] = {0}, moment[3] = {0};
    take(json_object_get(f, "body"), &body, 1);
    take(json_object_get(f, "point"), point, 3);
    take(json_object_get(f, "force"), force, 3);
    take(json_object_get(f, "moment"), moment, 3);
    pf_tree_add_force(s->work, (int)body, point, force, moment, s->wrench + 6*(size_t)body);
  }
}

int make_setup(Case *c, const json_t *model, const json_t *state, const json_t *forces, Setup *s)
{
  *s = (Setup){0};
  PfTreeBuilder *builder;
  if (pf_tree_builder_new(c->ctx, &builder) != PF_OK) return trouble(c, "%s", pf_context_message(c->ctx));
  const int built = build(c, model, builder, &s->tree);
  pf_tree_builder_free(builder);
  if (!built || pf_tree_work_new(c->ctx, s->tree, &s->work) != PF_OK) return 0;
  int nq, nv;
  s->q = numbers(c, json_object_get(state, "q"), &nq);
  s->v = numbers(c, json_object_get(state, "v"), &nv);
  if (nq != pf_tree_nq(s->tree) || nv != pf_tree_nv(s->tree)) return trouble(c, "the state does not fit the model");
  s->wrench = room(c, 6*pf_tree_count(s->tree));
  if (pf_tree_kinematics(s->work, s->q, s->v) != PF_OK) return trouble(c, "%s", pf_context_message(c->ctx));
  apply_forces(s, forces);
  return 1;
}

void free_setup(Setup *s)
{
  pf_tree_work_free(s->work);
  pf_tree_free(s->tree);
  *s = (Setup){0};
}

/* ---------------------------------------------------------------- the state */

static void gather(Case *c, const Setup *s, const char *what, const double *(*get)(const PfTreeWork *, int), int size,
                   const json_t *expected)
{
  if (!expected) return;
  const int n = pf_tree_count(s->tree);
  double *all = room(c, size*n);
  for (int k = 0; k < n; k++) memcpy(all + size*k, get(s->work, k), (size_t)size*sizeof *all);
  compare(c, what, all, size*n, expected);
}

static void check_state(Case *c, Setup *s)
{
  const json_t *expected = json_object_get(c->root, "expected_state");
  if (!expected) return;
  PfTreeTotals t;
  double *qdot = room(c, pf_tree_nq(s->tree));
  pf_tree_kinematics(s->work, s->q, s->v);
  pf_tree_totals(s->work, s->q, &t);
  pf_tree_qdot(s->tree, s->q, s->v, qdot);
  compare(c, "total mass", &t.mass, 1, json_object_get(expected, "total_mass"));
  compare(c, "mass centre", t.com, 3, json_object_get(expected, "com"));
  compare(c, "linear momentum", t.linear, 3, json_object_get(json_object_get(expected, "momentum"), "linear"));
  compare(c, "angular momentum", t.angular, 3,
          json_object_get(json_object_get(expected, "momentum"), "angular_about_origin"));
  compare(c, "kinetic energy", &t.kinetic, 1, json_object_get(expected, "kinetic_energy"));
  compare(c, "qdot", qdot, pf_tree_nq(s->tree), json_object_get(expected, "qdot"));
  gather(c, s, "body positions", pf_tree_position, 3, json_object_get(expected, "body_position"));
  gather(c, s, "body rotations", pf_tree_rotation, 9, json_object_get(expected, "body_rotation"));
  gather(c, s, "body velocities", pf_tree_velocity, 6, json_object_get(expected, "body_velocity"));
}

/* ---------------------------------------------------------------- a case */

static int run(Case *c)
{
  Setup s;
  const json_t *root = c->root;
  int good = make_setup(c, json_object_get(root, "model"), json_object_get(root, "state"),
                        json_object_get(root, "external_forces"), &s);
  if (good) check_state(c, &s);
  const json_t *problems = json_object_get(root, "problems");
  for (size_t i = 0; good && i < json_array_size(problems); i++)
    good = run_problem(c, &s, json_array_get(problems, i));
  const json_t *event = json_object_get(root, "event");
  if (good && event) good = json_object_get(event, "time") ? run_trajectory(c, &s) : run_event(c, &s);
  free_setup(&s);
  return good;
}

static int load(Case *c)
{
  char path[1024];
  json_error_t error;
  const char *text;
  size_t count;
  snprintf(path, sizeof path, "%s/%s", c->folder, c->file);
  if (pf_file_read(c->ctx, c->arena, path, (size_t)1 << 28, &text, &count) != PF_OK)
    return trouble(c, "%s", pf_context_message(c->ctx));
  c->root = json_loadb(text, count, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  if (!c->root) return trouble(c, "%d:%d: %s", error.line, error.column, error.text);
  const char *schema = json_string_value(json_object_get(c->root, "schema"));
  if (!schema || strncmp(schema, "spatial-recursion/1", 19) != 0)
    return trouble(c, "not a file of the schema spatial-recursion/1");
  return 1;
}

int run_case(const char *folder, const char *file, int verbose)
{
  Case c = {.folder = folder, .file = file, .verbose = verbose, .limit = 1e-11};
  if (strstr(file, "chain_1000") || strstr(file, "trajectory")) c.limit = 1e-9;
  c.ctx = pf_context_new(NULL);
  c.arena = pf_arena_new(NULL);
  if (verbose) printf("%s\n", file);
  const int good = load(&c) && run(&c) && !c.trouble[0] && c.worst <= c.limit && c.checked > 0;
  printf("%-4s %-38s %3d quantities, worst %.1e (%s)\n", good ? "ok" : "BAD", file, c.checked, c.worst, c.where);
  if (c.trouble[0]) printf("     %s\n", c.trouble);
  json_decref(c.root);
  pf_arena_free(c.arena);
  pf_context_free(c.ctx);
  return !good;
}
