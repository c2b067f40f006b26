/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes runs: models x events x methods x samples. The first bytes are settings, the rest is a model: a text as it is,
 * or a list of bytes from which a text is put together piece by piece (most of these are models). Beside the sanitizers
 * it watches what must hold for every run: samples come in order and inside the run, an end that is no success has
 * words, and the same run gives the same numbers. Steps are few, so that an input takes milliseconds. */
#include "pfaff/pfaff.h"

#include "expect.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS = 8, MOST_ROWS = 16, MOST_STEPS = 200, MOST_CALLS = 3000, LONGEST = 4096, MOST_TIMES = 4 };

/* ---------------------------------------------------------------- texts from bytes */

static const char *const openings[] = {
  "coord x, y, a\nkinetic (x'^2 + 2*y'^2 + a'^2)/2 + 0.3*cos(a)*x'*y'\n",
  "coord x, y, a\nkinetic (1 + x^2)*x'^2 + y'^2 + a'^2\npotential x*y + a^2\n",
  "coord x, y, a\ngravity (0, -9.81, 0)\nbody b in ground at (x, y, 0) turn a about z { mass 1, inertia 0.2 }\n",
  "coord x, y, a\nbody b in ground shift x along x { mass 1, inertia 0.2 }\n"
  "body c in b at (0.5, y, 0) turn a about z { mass 2, inertia 0.1, com (0.3, 0, 0) }\n",
  "coord x, y, a\nbody b in ground free { mass 1, inertia diag(1, 2, 2.5) }\n"
  "body c in ground at (x, y, 0) turn a about z { mass 2, inertia 0.1 }\n",
};

/* # stands for a number, made of the byte that follows. */
static const char *const pieces[] = {
  "force x = #*sign(x')\n", "force y = #*sign(x' - y')\n", "force a = #*abs(a) + #*min(x, #)\n",
  "force x = if(x < #, #, #)\n",
  "input u = if(t < #, #, #)\nforce y = u\n", "input w = if(sin(#*t) > 0, #, #)\nforce a = w\n",
  "potential #*x^2 + #*abs(y)\n",
  "constraint k: x^2 + y^2 = #\n", "constraint k: x^2 - y^2 = #\n", "constraint l: sin(a)*x' = cos(a)*y'\n",
  "constraint l: x' + #*a' = #*t\n",
  "constraint m: x'^2 + y'^2 = #\n", "constraint m: a'' + #*a' = #\n", "prescribe n: a = #*t\n",
  "prescribe n: y' = #*sin(t)\n",
  "dissipation #*x'^2\n", "nonideal y = #*lambda[k]*sign(y')\n", "nonideal a = #*abs(lambda[l])\n",
  "when t = # { lock x }\n", "when t = # { lock y, a }\n", "when x > # { unlock x\nlock y }\n",
  "when t = # { unlock x }\n",
  "when y < # { unlock y, a }\n", "when t = # { attach c to b }\n", "when distance(b, c) < # { attach c to b ball }\n",
  "when t = # { detach c }\n", "when t = # { detach b }\n", "when t = # { detach c from b }\n",
  "when lambda[k] < # { unlock x }\n",
  "start x = #, y = #\n", "start a = # !, x' = #\n", "start x' = #, y' = #, a' = #\n", "run # until x > #\n",
  "run # until lambda[k] < #\n",
  "run #\n", "skate s: b\n", "spring x { stiffness #, damping # }\n", "force x = #*x^3 + 1/(x - #)\n",
};

static size_t append(char *text, size_t length, const char *piece, const uint8_t **data, const uint8_t *end)
{
  for (; *piece && length < LONGEST - 32; piece++) {
    if (*piece != '#') text[length++] = *piece;
    else length += (size_t)snprintf(text + length, 16, "%.4g", *data < end ? (*(*data)++ - 96)/32.0 : 1.0);
  }
  return length;
}

static size_t put_together(char *text, const uint8_t *data, const uint8_t *end)
{
  size_t length = 0;
  if (data < end) length = append(text, length, openings[*data++ % (sizeof openings/sizeof *openings)], &data, end);
  for (int i = 0; i < 12 && data < end; i++)
    length = append(text, length, pieces[*data++ % (sizeof pieces/sizeof *pieces)], &data, end);
  return length;
}

/* ---------------------------------------------------------------- the run */

typedef struct Record {
  double first, last, end; /* times */
  int samples, calls;
  double sum;              /* over everything that was sampled */
  int n, m;
  int cancelled;
} Record;

static PfStatus take(void *user, const PfSample *s)
{
  Record *r = user;
  expect(isfinite(s->t) && s->t >= r->last, "samples come in order");
  expect(s->t <= r->end*(1 + 1e-12) + 1e-12, "no sample lies beyond the end");
  r->last = s->t;
  r->samples++;
  for (int i = 0; i < r->n; i++) r->sum += s->q[i] + s->v[i] + s->a[i];
  for (int i = 0; i < r->m; i++) r->sum += s->multiplier[i];
  return PF_OK;
}

static bool is_enough(void *user)
{
  Record *r = user;
  return (r->cancelled = ++r->calls > MOST_CALLS);
}

static PfRunOptions options_of(const uint8_t *b, const double *times)
{
  PfRunOptions o = pf_run_options();
  int methods = 0, forms = 0;
  while (pf_method(methods)) methods++;
  while (pf_formulation(forms)) forms++;
  const PfMethod *method = pf_method(b[1]%methods);
  o.method = pf_method_name(method);
  o.formulation = b[2]%4 ? NULL : pf_formulation_name(pf_formulation(b[2]/4%forms));
  o.rtol = pow(10, -2 - b[3]%10);
  o.step = pf_method_has_fixed_step(method) || b[4]%8 == 1 ? 0.3/(1 + b[4]%16) : 0;
  o.keep_going = b[5] & 1;
  o.drift = (b[5] & 2) != 0;
  o.every = b[6]%4 == 1 ? (1 + b[6]/4)/50.0 : 0;
  if (b[6]%4 == 2) o.at = times, o.at_count = MOST_TIMES;
  o.t_end = 0.1 + b[7]/64.0;
  o.most_steps = MOST_STEPS;
  o.sample = take;
  return o;
}

static int is_failure(PfRunEnd end)
{
  return end == PF_RUN_RANK_LOSS || end == PF_RUN_TROUBLE || end == PF_RUN_STEP || end == PF_RUN_LIMIT;
}

/* Parameters and coordinates of the same name; what only the complete model has keeps its start. */
static void copy_start(const PfModel *from, const PfSystem *in, const double *values, const PfModel *to,
                       const PfSystem *out, double *start)
{
  const PfSymbols *a = pf_system_symbols(in), *b = pf_system_symbols(out);
  for (int i = 0; i < from->coordinate_count; i++) {
    int k = pf_model_find_coordinate(to, from->coordinates[i].name);
    if (k < 0) continue;
    start[b->q + k] = values[a->q + i];
    start[b->v + k] = values[a->v + i];
  }
}

static double *start_of(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfSystem *system)
{
  double *values = pf_arena_array(arena, double, pf_system_symbols(system)->count);
  expect(values != NULL, "there is memory");
  return pf_equations_start(ctx, eq, NULL, values) == PF_OK ? values : NULL;
}

static PfStatus go(PfContext *ctx, PfArena *arena, const PfModel *model, const PfSystem *system, const double *values,
                   PfRunOptions *o, Record *record, PfRunResult *result)
{
  const PfModel *complete = model->complete;
  PfEventLog log = {0};
  PfEquations eq;
  PfSystem *own = NULL;
  PfStatus status;
  record->n = model->coordinate_count, record->m = model->constraint_count;
  if (!complete) return pf_run(ctx, system, values, o, result);
  if (complete == model) return pf_run_events(ctx, arena, system, values, o, &log, result);
  status = pf_equations_derive(ctx, arena, complete, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &own);
  double *start = status == PF_OK ? start_of(ctx, arena, &eq, own) : NULL;
  if (start) {
    copy_start(model, system, values, complete, own, start);
    record->n = complete->coordinate_count, record->m = complete->constraint_count;
    status = pf_run_events(ctx, arena, own, start, o, &log, result);
  } else if (status == PF_OK) status = PF_ERR_MODEL;
  pf_system_free(own);
  return status;
}

/* The sum over all samples, NaN when there was no run. */
static double run_once(const char *text, size_t size, const uint8_t *settings)
{
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  expect(ctx && arena, "there is memory");
  PfModel *model = NULL;
  PfSystem *system = NULL;
  PfEquations eq;
  PfStart start;
  PfRunResult result;
  static const double times[MOST_TIMES] = {0, 0.1, 0.5, 0.75};
  Record record = {.last = -INFINITY};
  double *values = NULL;
  PfStatus status = pf_model_read(ctx, "fuzz.pf", text, size, &model);
  const PfModel *large = status == PF_OK && model->complete ? model->complete : model;
  if (status == PF_OK && large->coordinate_count + large->constraint_count > MOST_ROWS) status = PF_ERR_LIMIT;
  else if (status == PF_OK) status = pf_equations_derive(ctx, arena, model, &eq);
  if (status == PF_OK) status = pf_system_new(ctx, &eq, &system);
  if (status == PF_OK) values = start_of(ctx, arena, &eq, system);
  if (values && pf_start_correct(ctx, system, values, &start) != PF_OK) {
    expect(pf_error_count(ctx) > 0, "a start that is refused is said");
    values = NULL;
  }
  if (values) {
    PfRunOptions o = options_of(settings, times);
    o.user = &record;
    o.until = model->run.until;
    record.end = o.t_end;
    pf_diagnostics_clear(ctx);
    pf_context_set_cancel(ctx, is_enough, &record);
    status = go(ctx, arena, model, system, values, &o, &record, &result);
    expect(status == PF_OK || pf_error_count(ctx) > 0, "a run that fails says why");
    if (status == PF_OK) {
      expect(isfinite(result.t) && result.t <= o.t_end, "a run ends inside its time");
      expect(record.samples == 0 || record.last <= result.t, "no sample comes after the end");
      expect(!is_failure(result.end) || pf_error_count(ctx) > 0 || pf_diagnostic_count(ctx) > 0,
             "an early end has words");
    }
  }
  pf_system_free(system);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return values ? record.sum + record.samples : NAN;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char text[LONGEST];
  if (size <= SETTINGS) return 0;
  const uint8_t *rest = data + SETTINGS;
  const char *model = (const char *)rest;
  size_t length = size - SETTINGS;
  if (data[0]%2 == 0) {
    length = put_together(text, rest, data + size);
    model = text;
  }
  double once = run_once(model, length, data);
  if (data[0]%16 < 2 && !isnan(once)) {
    double again = run_once(model, length, data);
    expect(!memcmp(&once, &again, sizeof once), "the same run gives the same numbers");
  }
  return 0;
}
