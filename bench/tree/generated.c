/* SPDX-License-Identifier: Apache-2.0 */
/* Pfaff's recursion written out for the mechanism and compiled, in the race: pf_flow_tape with native code, for one
 * state and for many. The mechanism is handed over as a user would, as the text of a model, and the library is the one
 * that users get; it compiles with its own flags. */
#include "contender.h"
#include "pfaff/pfaff.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 64, MOST_BODIES = 100 };

typedef struct Generated {
  const Mechanism *m;
  PfSim *sim;
  PfTape *tape;
  int inputs, outputs, n;
  double *in, *out, *work; /* of STATES states, all the same */
} Generated;

static _Noreturn void stop(const char *message)
{
  fprintf(stderr, "race: generated: %s\n", message);
  exit(1);
}

static void *room(size_t count)
{
  void *block = NULL;
  if (posix_memalign(&block, 64, (count + 1)*sizeof(double))) stop("out of memory");
  memset(block, 0, (count + 1)*sizeof(double));
  return block;
}

/* ---------------------------------------------------------------- the model */

static void put(char **at, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  *at += vsprintf(*at, format, list);
  va_end(list);
}

static void put_vector(char **at, const double *v)
{
  put(at, "(%.17g, %.17g, %.17g)", v[0], v[1], v[2]);
}

/* A rotation as a turn about an axis. */
static void put_turn(char **at, const double R[9])
{
  const double v[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}, sine = sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]);
  const double cosine = R[0] + R[4] + R[8] - 1;
  if (sine < 1e-12) return; /* half turns do not occur */
  put(at, " turn %.17g about ", atan2(sine, cosine));
  put_vector(at, v);
}

static void put_body(char **at, const Mechanism *m, int k)
{
  const BodyData *b = m->bodies + k;
  const double *I = b->inertia;
  if (b->kind == KIND_REVOLUTE) put(at, "coord q%d\n", k);
  for (int i = 0; i < b->nv; i++) put(at, "input u%d_%d\n", k, i);
  put(at, "body b%d in ", k);
  put(at, b->parent < 0 ? "ground at " : "b%d at ", b->parent);
  put_vector(at, b->offset);
  put_turn(at, b->R);
  if (b->kind == KIND_REVOLUTE) put(at, " turn q%d about z", k);
  else put(at, b->kind == KIND_BALL ? " ball" : " free");
  put(at, " { mass %.17g, com ", b->mass);
  put_vector(at, b->com);
  put(at, ", inertia inertia(%.17g, %.17g, %.17g, %.17g, %.17g, %.17g) }\n", I[0], I[4], I[8], I[1], I[5], I[2]);
  if (b->kind == KIND_REVOLUTE) {
    put(at, "force q%d = u%d_0\n", k, k);
    return;
  }
  put(at, "torque u%d_0*b%d.x + u%d_1*b%d.y + u%d_2*b%d.z on b%d", k, k, k, k, k, k, k);
  if (b->parent >= 0) put(at, " from b%d", b->parent);
  put(at, "\n");
  if (b->kind == KIND_FREE)
    put(at, "force b%d.px = u%d_3, b%d.py = u%d_4, b%d.pz = u%d_5\n", k, k, k, k, k, k);
}

static char *write_model(const Mechanism *m)
{
  char *text = malloc(2000*(size_t)(m->count + 1)), *at = text;
  if (!text) stop("out of memory");
  put(&at, "model race\ngravity ");
  put_vector(&at, m->gravity);
  put(&at, "\n");
  for (int k = 0; k < m->count; k++) put_body(&at, m, k);
  return text;
}

/* ---------------------------------------------------------------- its state */

/* q' of a quaternion from the angular velocity in body axes: q (0, w)/2. */
static void quaternion_rate(const double *q, const double *w, double *out)
{
  out[0] = -0.5*(q[1]*w[0] + q[2]*w[1] + q[3]*w[2]);
  for (int i = 1; i < 4; i++) {
    const int j = i%3 + 1, l = (i + 1)%3 + 1;
    out[i] = 0.5*(q[0]*w[i - 1] + q[j]*w[l - 1] - q[l]*w[j - 1]);
  }
}

static int coordinate(const Generated *g, const char *format, int k)
{
  const PfModel *model = pf_system_equations(pf_sim_system(g->sim))->model;
  char name[32];
  snprintf(name, sizeof name, format, k);
  for (int i = 0; i < model->coordinate_count; i++)
    if (strcmp(model->coordinates[i].name, name) == 0) return i;
  stop("a coordinate is missing");
}

static void set_state(const Generated *g, double *values)
{
  const PfSymbols *in = pf_system_symbols(pf_sim_system(g->sim));
  int input = in->inputs;
  for (int k = 0; k < g->m->count; k++) {
    const BodyData *b = g->m->bodies + k;
    const double *q = g->m->q + b->q, *v = g->m->v + b->v;
    for (int i = 0; i < b->nv; i++) values[input++] = g->m->tau[b->v + i];
    if (b->kind == KIND_REVOLUTE) {
      const int at = coordinate(g, "q%d", k);
      values[in->q + at] = q[0], values[in->v + at] = v[0];
      continue;
    }
    const int at = coordinate(g, "b%d.qw", k);
    memcpy(values + in->q + at, q, 4*sizeof *q);
    quaternion_rate(q, v, values + in->v + at);
    if (b->kind != KIND_FREE) continue;
    const int place = coordinate(g, "b%d.px", k);
    memcpy(values + in->q + place, q + 4, 3*sizeof *q);
    memcpy(values + in->v + place, v + 3, 3*sizeof *v);
  }
}

static void accelerations(void *handle, double *vdot)
{
  const Generated *g = handle;
  for (int k = 0; k < g->m->count; k++) {
    const BodyData *b = g->m->bodies + k;
    double *to = vdot + b->v;
    if (b->kind == KIND_REVOLUTE) {
      to[0] = g->out[coordinate(g, "q%d", k)];
      continue;
    }
    const double *q = g->m->q + b->q, *a = g->out + coordinate(g, "b%d.qw", k); /* 2 q* q'' */
    for (int i = 1; i < 4; i++) {
      const int j = i%3 + 1, l = (i + 1)%3 + 1;
      to[i - 1] = 2*(q[0]*a[i] + q[l]*a[j] - q[i]*a[0] - q[j]*a[l]);
    }
    if (b->kind == KIND_FREE) memcpy(to + 3, g->out + coordinate(g, "b%d.px", k), 3*sizeof *to);
  }
}

/* ---------------------------------------------------------------- the contender */

static void forward(void *handle)
{
  Generated *g = handle;
  pf_tape_run(g->tape, g->in, g->out, g->work);
}

static void forward_many(void *handle)
{
  Generated *g = handle;
  if (!pf_tape_run_many(g->tape, STATES, g->in, g->out, g->work)) stop("a number is not finite");
}

static void *open_generated(const Mechanism *m)
{
  PfError error;
  Generated *g = calloc(1, sizeof *g);
  if (!g) stop("out of memory");
  char *text = write_model(m);
  g->m = m;
  g->sim = pf_sim_open_text(text, &error);
  if (!g->sim) stop(error.message);
  free(text);
  if (!pf_sim_set_native(g->sim, PF_NATIVE_ON) || !pf_sim_place(g->sim)) stop(pf_sim_error(g->sim)->message);
  const PfSystem *system = pf_sim_system(g->sim);
  const PfSymbols *in = pf_system_symbols(system);
  double *values = room((size_t)in->count);
  memcpy(values, pf_sim_values(g->sim), (size_t)in->count*sizeof(double));
  set_state(g, values);
  if (pf_flow_tape(system, values, &g->tape)) stop(pf_context_message(pf_sim_context(g->sim)));
  g->n = pf_system_equations(system)->n;
  g->inputs = in->lambda - in->time;
  g->outputs = g->n + 4; /* and what tells of the pivots */
  g->in = room((size_t)(STATES*g->inputs));
  g->out = room((size_t)(STATES*g->outputs));
  g->work = room(pf_tape_work_size(g->tape) + pf_tape_many_work_size(g->tape));
  for (int i = 0; i < STATES; i++)
    memcpy(g->in + (size_t)(i*g->inputs), values + in->time, (size_t)g->inputs*sizeof(double));
  for (int i = 0; i < 10; i++) forward(g), forward_many(g); /* compiles */
  const PfNativeReport report = pf_context_native_report(pf_sim_context(g->sim));
  fprintf(stderr, "race: generated: %d instructions, %d functions compiled in %.1f s, %d from the cache%s%s\n",
          pf_tape_instruction_count(g->tape), report.compiled, report.seconds, report.cached,
          report.failed ? ", failed: " : "", report.trouble);
  free(values);
  return g;
}

static void close_generated(void *handle)
{
  Generated *g = handle;
  pf_tape_free(g->tape);
  pf_sim_close(g->sim);
  free(g->in), free(g->out), free(g->work);
  free(g);
}

const Contender contenders[] = {
    {"Generated", MOST_BODIES, open_generated, close_generated, forward, NULL, NULL, accelerations, NULL, NULL, NULL,
     1},
    {"Batch", MOST_BODIES, open_generated, close_generated, forward_many, NULL, NULL, accelerations,
     NULL, NULL, NULL, STATES},
    {0}};
