/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations for Python. The lock of the interpreter is not held while they move, so two threads can come to one of
 * them: the second is refused. A controller is called by the thread that moves it, and may read and set. */
#include "glue.h"

#include "cli/cli.h"
#include "pfaff/sim_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct PfPySim {
  PfSim *sim;
  Ask ask;
  atomic_uintptr_t owner; /* the thread that is in it; 0: none */
  bool moving;
  void *controller;       /* who is called every period; NULL: nobody */
  double period;
  bool failed;            /* the controller */
  double step, rtol, atol, t_end, most_steps; /* in place of what the model says, or NaN */
  double **scale;         /* of each handle whose numbers are not in SI; NULL for the others */
  int scale_room;
};

static const double not_given = NAN;

/* ---------------------------------------------------------------- one thread at a time */

/* PF_PY_GOOD: it is ours, and `leave` must follow; PF_PY_OVER: it was ours before (in a controller). */
static int enter(PfPySim *s)
{
  uintptr_t me = (uintptr_t)pthread_self(), nobody = 0;
  if (atomic_compare_exchange_strong(&s->owner, &nobody, me)) return PF_PY_GOOD;
  return nobody == me ? PF_PY_OVER : PF_PY_BUSY;
}

static void leave(PfPySim *s, int entered)
{
  if (entered == PF_PY_GOOD) atomic_store(&s->owner, 0);
}

/* For what must not be done by a controller: it would move the ground under the motion. */
static int enter_to_move(PfPySim *s)
{
  int entered = enter(s);
  if (entered != PF_PY_GOOD) return PF_PY_BUSY;
  s->moving = true;
  return entered;
}

/* What was asked once is not asked for ever. */
static bool was_stopped(PfPySim *s)
{
  if (!s->ask.stopped && !s->failed) return false;
  s->ask.stopped = s->failed = false;
  pf_context_set_cancel(pf_sim_context(s->sim), pf_py_ask, &s->ask);
  return true;
}

static int end_move(PfPySim *s, int outcome)
{
  if (was_stopped(s)) outcome = PF_PY_STOPPED;
  s->moving = false;
  leave(s, PF_PY_GOOD);
  return outcome;
}

/* ---------------------------------------------------------------- units */

static bool keep_scale(PfPySim *s, int handle, double *scale)
{
  if (handle >= s->scale_room) {
    int room = 2*handle + 8;
    double **more = realloc(s->scale, (size_t)room*sizeof *more);
    if (!more) return false;
    for (int i = s->scale_room; i < room; i++) more[i] = NULL;
    s->scale = more, s->scale_room = room;
  }
  free(s->scale[handle]);
  s->scale[handle] = scale;
  return true;
}

static const double *scale_of(const PfPySim *s, int handle)
{
  return handle >= 0 && handle < s->scale_room ? s->scale[handle] : NULL;
}

/* A handle whose name has units in it gets their sizes. */
static int find_scale(PfPySim *s, int handle, const char *quantity)
{
  int count = pf_sim_size(s->sim, handle);
  if (handle < 0 || count < 1 || !strstr(quantity, " [")) return handle;
  double *scale = calloc((size_t)count, sizeof *scale);
  bool good = scale && pf_py_scales(pf_sim_context(s->sim), pf_sim_complete(s->sim), quantity, scale, count) == PF_OK &&
              keep_scale(s, handle, scale);
  if (!good) free(scale);
  return good ? handle : PF_PY_FAILED;
}

static bool copy_scales(PfPySim *to, const PfPySim *from)
{
  for (int i = 0; i < from->scale_room; i++) {
    if (!from->scale[i]) continue;
    size_t size = (size_t)pf_sim_size(from->sim, i)*sizeof(double);
    double *scale = malloc(size);
    if (!scale || !keep_scale(to, i, scale)) {
      free(scale);
      return false;
    }
    memcpy(scale, from->scale[i], size);
  }
  return true;
}

static bool read_numbers(PfPySim *s, int handle, double *numbers)
{
  const double *scale = scale_of(s, handle);
  bool good = pf_sim_read(s->sim, handle, numbers);
  for (int i = 0; scale && i < pf_sim_size(s->sim, handle); i++) numbers[i] /= scale[i];
  return good;
}

/* ---------------------------------------------------------------- opening */

static PfPySim *new_sim(void *who, PfError *error)
{
  PfPySim *s = calloc(1, sizeof *s);
  *error = (PfError){.status = PF_ERR_MEMORY, .message = "out of memory"};
  if (!s) return NULL;
  s->step = s->rtol = s->atol = s->t_end = s->most_steps = not_given;
  pf_py_ask_begin(&s->ask, who);
  return s;
}

static PfPySim *if_open(PfPySim *s)
{
  if (s->sim) return s;
  free(s);
  return NULL;
}

PfPySim *pf_py_sim_open(PfMachine *machine, const char *method, const char *formulation, void *who, PfError *error)
{
  PfPySim *s = new_sim(who, error);
  if (!s) return NULL;
  s->sim = pf_sim_of_machine_by(machine, method, formulation, pf_py_ask, &s->ask, error);
  return if_open(s);
}

static void call_controller(void *user, PfSim *sim)
{
  PfPySim *s = user;
  (void)sim;
  if (!s->failed && pf_py_control(s->controller)) s->failed = s->ask.stopped = true;
}

static PfPySim *make_copy(PfPySim *s, PfError *error)
{
  PfPySim *copy = new_sim(s->ask.who, error);
  if (!copy) return NULL;
  copy->sim = pf_sim_clone_asking(s->sim, pf_py_ask, &copy->ask, error);
  copy->step = s->step, copy->rtol = s->rtol, copy->atol = s->atol, copy->t_end = s->t_end;
  copy->most_steps = s->most_steps;
  if (!copy->sim) return if_open(copy);
  pf_sim_control(copy->sim, 0, NULL, NULL); /* that of the original knows the original */
  if (copy_scales(copy, s)) return copy;
  pf_py_sim_close(copy);
  return NULL;
}

PfPySim *pf_py_sim_clone(PfPySim *s, PfError *error)
{
  int entered = enter(s);
  *error = (PfError){.status = PF_ERR_ARGUMENT, .message = "the simulation is in use by another thread"};
  if (entered == PF_PY_OVER) error->status = PF_OK; /* its controller: Python has the words */
  if (entered != PF_PY_GOOD) return NULL;
  PfPySim *copy = make_copy(s, error);
  leave(s, entered);
  return copy;
}

void pf_py_sim_close(PfPySim *s)
{
  if (!s) return;
  for (int i = 0; i < s->scale_room; i++) free(s->scale[i]);
  free(s->scale);
  pf_sim_close(s->sim);
  free(s);
}

void pf_py_sim_ask(PfPySim *s, void *who)
{
  if (!s->moving && s->ask.who != who) pf_py_ask_begin(&s->ask, who);
}

const PfError *pf_py_sim_error(PfPySim *s)
{
  return pf_sim_error(s->sim);
}

/* ---------------------------------------------------------------- before the start */

static int outcome_of(bool good)
{
  return good ? PF_PY_GOOD : PF_PY_FAILED;
}

int pf_py_sim_set(PfPySim *s, const char *name, double value)
{
  int entered = enter(s);
  if (entered < 0) return entered;
  bool good = pf_sim_set(s->sim, name, value);
  leave(s, entered);
  return outcome_of(good);
}

int pf_py_sim_set_text(PfPySim *s, const char *name, const char *value)
{
  int entered = enter(s);
  if (entered < 0) return entered;
  bool good = pf_sim_set_text(s->sim, name, value);
  leave(s, entered);
  return outcome_of(good);
}

int pf_py_sim_method(PfPySim *s, const char *method, const char *formulation, double step, double rtol, double atol,
                     double t_end, double most_steps)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  bool good = pf_sim_set_method(s->sim, method, formulation);
  if (!isnan(step)) s->step = step;
  if (!isnan(rtol)) s->rtol = rtol;
  if (!isnan(atol)) s->atol = atol;
  if (!isnan(t_end)) s->t_end = t_end;
  if (!isnan(most_steps)) s->most_steps = most_steps;
  return end_move(s, outcome_of(good));
}

int pf_py_sim_native(PfPySim *s, int mode)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  return end_move(s, outcome_of(pf_sim_set_native(s->sim, (PfNative)mode)));
}

void pf_py_sim_as_given(PfPySim *s, int as_given)
{
  pf_sim_set_as_given(s->sim, as_given != 0);
}

/* The settings of the model are known once it is placed: some are made of its parameters. */
static bool set_options(PfPySim *s)
{
  if (isnan(s->step) && isnan(s->rtol) && isnan(s->atol) && isnan(s->t_end) && isnan(s->most_steps)) return true;
  if (!pf_sim_place(s->sim)) return false;
  PfRunOptions o = pf_sim_options(s->sim);
  if (!isnan(s->step)) o.step = s->step;
  if (!isnan(s->rtol)) o.rtol = s->rtol;
  if (!isnan(s->atol)) o.atol = s->atol;
  if (!isnan(s->t_end)) o.t_end = s->t_end;
  if (!isnan(s->most_steps)) o.most_steps = (long)s->most_steps;
  return pf_sim_set_options(s->sim, &o);
}

int pf_py_sim_start(PfPySim *s)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  return end_move(s, outcome_of(set_options(s) && pf_sim_start(s->sim)));
}

/* The words go through the context, and are not left there. */
int pf_py_sim_warning(PfPySim *s, int index, PfError *warning)
{
  int entered = enter(s);
  if (entered < 0) return false;
  PfContext *ctx = pf_sim_context(s->sim);
  const int before = pf_diagnostic_count(ctx);
  pf_start_warn(ctx, pf_sim_model(s->sim), pf_sim_changes(s->sim));
  const bool is_there = before + index < pf_diagnostic_count(ctx);
  *warning = (PfError){0};
  if (is_there) {
    const PfDiagnostic *d = pf_diagnostic(ctx, before + index);
    warning->line = (int)d->place.line, warning->column = (int)d->place.column;
    snprintf(warning->message, sizeof warning->message, "%s", d->message);
  }
  pf_diagnostics_forget(ctx, before);
  leave(s, entered);
  return is_there;
}

/* ---------------------------------------------------------------- moving */

static int outcome_of_advance(const PfPySim *s, bool goes)
{
  if (goes) return PF_PY_GOOD;
  return pf_sim_result(s->sim).end == PF_RUN_UNTIL ? PF_PY_OVER : PF_PY_FAILED;
}

/* A step also ends where the run of the model does. */
static int outcome_of_step(const PfPySim *s, bool goes)
{
  bool arrived = pf_sim_time(s->sim) >= pf_sim_options(s->sim).t_end && pf_sim_result(s->sim).end == PF_RUN_DONE;
  return !goes && arrived ? PF_PY_OVER : outcome_of_advance(s, goes);
}

int pf_py_sim_step(PfPySim *s)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  return end_move(s, outcome_of_step(s, pf_sim_step(s->sim)));
}

int pf_py_sim_advance(PfPySim *s, double t)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  return end_move(s, outcome_of_advance(s, pf_sim_advance(s->sim, t)));
}

int pf_py_sim_forward(PfPySim *s, double dt)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  return end_move(s, outcome_of_advance(s, pf_sim_advance(s->sim, pf_sim_time(s->sim) + dt)));
}

int pf_py_sim_control(PfPySim *s, double period, void *who)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  bool good = pf_sim_control(s->sim, period, period > 0 ? call_controller : NULL, s);
  if (good) s->controller = who, s->period = period;
  return end_move(s, outcome_of(good));
}

double pf_py_sim_period(PfPySim *s)
{
  return s->period;
}

double pf_py_sim_time(PfPySim *s)
{
  return pf_sim_time(s->sim);
}

/* ---------------------------------------------------------------- reading */

int pf_py_sim_find(PfPySim *s, const char *quantity)
{
  int entered = enter(s);
  if (entered < 0) return entered;
  int handle = find_scale(s, pf_sim_find(s->sim, quantity), quantity);
  if (!s->moving && was_stopped(s)) handle = PF_PY_STOPPED;
  leave(s, entered);
  return handle;
}

void pf_py_sim_drop(PfPySim *s, int handle)
{
  int entered = enter(s);
  if (entered < 0) return;
  if (scale_of(s, handle)) (void)keep_scale(s, handle, NULL);
  pf_sim_drop(s->sim, handle);
  leave(s, entered);
}

int pf_py_sim_size(PfPySim *s, int handle)
{
  return pf_sim_size(s->sim, handle);
}

const char *pf_py_sim_unit(PfPySim *s, int handle)
{
  return pf_sim_measure(s->sim, handle).unit;
}

double pf_py_sim_get(PfPySim *s, int handle)
{
  int entered = enter(s);
  if (entered < 0) return not_given;
  const double *scale = scale_of(s, handle);
  double number = pf_sim_get(s->sim, handle);
  if (scale) number /= *scale;
  leave(s, entered);
  return number;
}

int pf_py_sim_read(PfPySim *s, int handle, double *numbers)
{
  int entered = enter(s);
  if (entered < 0) return entered;
  bool good = read_numbers(s, handle, numbers);
  leave(s, entered);
  return outcome_of(good);
}

int pf_py_sim_put(PfPySim *s, int handle, double value)
{
  int entered = enter(s);
  if (entered < 0) return entered;
  bool good = pf_sim_put(s->sim, handle, value);
  leave(s, entered);
  return outcome_of(good);
}

static void copy(double *to, const double *from, size_t count)
{
  if (to && count) memcpy(to, from, count*sizeof *to);
}

int pf_py_sim_state(PfPySim *s, double *q, double *v, double *a)
{
  int entered = enter(s);
  if (entered < 0) return entered;
  const PfSample *sample = pf_sim_sample(s->sim);
  size_t n = (size_t)pf_sim_complete(s->sim)->coordinate_count;
  if (sample) copy(q, sample->q, n), copy(v, sample->v, n), copy(a, sample->a, n);
  leave(s, entered);
  return sample ? PF_PY_GOOD : PF_PY_OVER;
}

static int read_row(PfPySim *s, const int *handles, int count, double *row)
{
  *row++ = pf_sim_time(s->sim);
  for (int i = 0; i < count; i++) {
    if (!read_numbers(s, handles[i], row)) return PF_PY_FAILED;
    row += pf_sim_size(s->sim, handles[i]);
  }
  return PF_PY_GOOD;
}

int pf_py_sim_record(PfPySim *s, const int *handles, int count, double every, size_t wanted, double *table,
                     size_t *rows)
{
  int outcome = enter_to_move(s);
  size_t width = 1;
  *rows = 0;
  if (outcome < 0) return outcome;
  for (int i = 0; i < count; i++) width += (size_t)pf_sim_size(s->sim, handles[i]);
  const double start = pf_sim_time(s->sim);
  while (outcome == PF_PY_GOOD && *rows < wanted && !pf_py_ask(&s->ask)) {
    if (*rows) outcome = outcome_of_advance(s, pf_sim_advance(s->sim, start + (double)*rows*every));
    if (outcome == PF_PY_GOOD && s->period > 0) outcome = outcome_of_advance(s, pf_sim_control_now(s->sim));
    if (outcome == PF_PY_GOOD) outcome = read_row(s, handles, count, table + *rows*width);
    if (outcome == PF_PY_GOOD) ++*rows;
  }
  return end_move(s, outcome);
}

void pf_py_sim_result(PfPySim *s, PfPyResult *result)
{
  PfRunResult r = pf_sim_result(s->sim);
  *result = (PfPyResult){.end = pf_run_end_text(r.end), .t = r.t, .method = r.method,
                         .stiff_t = r.stiff ? r.stiff_t : NAN,
                         .formulation = r.formulation, .steps = r.steps, .rejected = r.rejected,
                         .evaluations = r.evaluations, .switches = r.switches, .sticks = r.sticks,
                         .position = r.position, .velocity = r.velocity, .energy_start = r.energy_start,
                         .energy_end = r.energy_end, .drift = r.drift};
}

const char *pf_py_sim_event(PfPySim *s, int index, double *numbers)
{
  const PfEventRecord *e = pf_sim_event(s->sim, index);
  if (!e) return NULL;
  numbers[0] = e->t, numbers[1] = e->kinetic_before, numbers[2] = e->kinetic_after;
  return pf_sim_complete(s->sim)->events[e->event].text;
}

/* ---------------------------------------------------------------- snapshots */

size_t pf_py_sim_snapshot_size(PfPySim *s)
{
  return pf_sim_snapshot_size(s->sim);
}

int pf_py_sim_save(PfPySim *s, char *bytes, size_t size)
{
  int entered = enter(s);
  if (entered != PF_PY_GOOD) return entered;
  bool good = pf_sim_save(s->sim, bytes, size);
  leave(s, entered);
  return outcome_of(good);
}

int pf_py_sim_restore(PfPySim *s, const char *bytes, size_t size)
{
  int entered = enter_to_move(s);
  if (entered < 0) return entered;
  return end_move(s, outcome_of(pf_sim_restore(s->sim, bytes, size)));
}
