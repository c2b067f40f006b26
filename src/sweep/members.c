/* SPDX-License-Identifier: Apache-2.0 */
/* Running members: the simulation of a thread is set to the values of a member, started, stepped to its end, and its
 * outputs are read. Members of one thread share all tapes and solvers; after many of them the clone is made anew, since
 * its table of expressions has grown. */
#include "sim/settings.h"
#include "sweep/settings.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const end_texts[] = {
#define TEXT(code, text) text,
  PF_MEMBER_LIST(TEXT)
#undef TEXT
};

const char *pf_member_end_text(int end)
{
  return end >= 0 && end < PF_MEMBER_ENDS ? end_texts[end] : "unknown";
}

/* ---------------------------------------------------------------- how it runs */

PfStatus pf_run_overrides_read(PfContext *ctx, const PfSweepSetting *settings, int count, PfRunOverrides *run)
{
  const struct {
    const char *key, *unit;
    double *value;
  } numbers[] = {{"for", "s", &run->horizon}, {"step", "s", &run->step}, {"rtol", "1", &run->rtol},
                 {"atol", "1", &run->atol},   {"rho", "1", &run->rho},   {"most-steps", "1", &run->most_steps}};
  *run = (PfRunOverrides){.method = pf_find_setting(settings, count, "by"),
                          .formulation = pf_find_setting(settings, count, "form"),
                          .adaptive = pf_find_setting(settings, count, "adaptive"),
                          .printed = pf_find_setting(settings, count, "printed"),
                          .drift = pf_find_setting(settings, count, "no-projection"),
                          .keep_going = pf_find_setting(settings, count, "keep-going")};
  for (size_t i = 0; i < sizeof numbers/sizeof *numbers; i++) {
    const char *key = numbers[i].key, *text = pf_find_setting(settings, count, key);
    const bool damping = !strcmp(key, "rho");
    double *value = numbers[i].value;
    *value = NAN;
    if (!text) continue;
    PF_TRY(pf_constant_read_for(ctx, key, text, numbers[i].unit, value));
    if (!(damping ? *value >= 0 && *value <= 1 : *value > 0))
      return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not %s", key, text,
                     damping ? "between 0 and 1" : "positive");
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- settings that vary */

struct PfVariedOption {
  const char *name, *unit;
  size_t place;   /* in PfRunOptions */
};

static const PfVariedOption varied_options[] = {{"step", "s", offsetof(PfRunOptions, step)},
                                                {"rho", "", offsetof(PfRunOptions, rho)},
                                                {"rtol", "", offsetof(PfRunOptions, rtol)},
                                                {"atol", "", offsetof(PfRunOptions, atol)}};

const PfVariedOption *pf_varied_option_find(const char *name)
{
  for (size_t i = 0; i < sizeof varied_options/sizeof *varied_options; i++)
    if (!strcmp(varied_options[i].name, name)) return varied_options + i;
  return NULL;
}

PfMeasure pf_varied_option_measure(const PfVariedOption *option)
{
  return (PfMeasure){option->unit, 1};
}

PfStatus pf_varied_option_check(PfContext *ctx, const PfVariedOption *option, const PfMethod *method, bool adaptive)
{
  const bool rho = !strcmp(option->name, "rho"), step = !strcmp(option->name, "step");
  const bool fixed = pf_method_has_fixed_step(method) && !(adaptive && pf_method_is_alpha(method));
  if (rho ? pf_method_has_damping(method) : step ? fixed : !pf_method_has_fixed_step(method) || !fixed) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, "@vary: '%s' has no effect: %s", option->name,
          rho ? "the method has no numerical damping"
          : step ? "the method chooses its steps" : "the method takes steps of one size");
  pf_hint(ctx, "the method is '%s'; @by takes another one", pf_method_name(method));
  return PF_ERR_ARGUMENT;
}

PfStatus pf_varied_option_allows(PfContext *ctx, const PfVariedOption *option, double value)
{
  const bool rho = !strcmp(option->name, "rho");
  if (rho ? value >= 0 && value <= 1 : value > 0 && isfinite(value)) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "@vary: '%s' is %g, which is not %s", option->name, value,
                 rho ? "between 0 and 1" : "positive");
}

static void set_option(const PfVariedOption *option, double value, PfRunOptions *options)
{
  memcpy((char *)options + option->place, &value, sizeof value);
}

/* ---------------------------------------------------------------- opening */

PfStatus pf_member_open(PfContext *ctx, const PfSweep *sweep, PfMember *m)
{
  PfError error;
  *m = (PfMember){.sweep = sweep, .sim = pf_sim_clone(sweep->base, &error)};
  if (!m->sim) return pf_fail(ctx, error.status, "%s", error.message);
  m->arena = pf_arena_new(pf_context_allocator(ctx));
  m->values = m->arena ? pf_arena_array(m->arena, double, sweep->plan.variable_count) : NULL;
  m->row = m->arena ? pf_arena_array(m->arena, double, sweep->columns) : NULL;
  if (!m->values || !m->row) return pf_no_room(ctx, "a member");
  PF_TRY(pf_accumulator_make(ctx, m->arena, &sweep->output_set, m->sim, &m->accumulator));
  if (!pf_sweep_setting(sweep, "study"))
    return pf_lanes_make(m, &m->lanes) == PF_OK ? PF_OK : pf_no_room(ctx, "a member");
  const PfStatus status = pf_member_study_make(m);
  return status == PF_OK ? PF_OK : pf_fail(ctx, status, "%s", pf_context_message(pf_sim_context(m->sim)));
}

void pf_member_close(PfMember *m)
{
  pf_lanes_free(m->lanes);
  pf_member_study_free(m);
  pf_sim_close(m->sim);
  pf_arena_free(m->arena);
  *m = (PfMember){0};
}

bool pf_member_is_stale(const PfMember *m)
{
  enum { ALONE = 10000, IN_LANES = 100000 };
  return m->since >= (m->lanes ? IN_LANES : ALONE);
}

PfStatus pf_member_reopen(PfMember *m, pthread_mutex_t *mutex, bool (*cancelled)(void *user), void *user)
{
  PfMember fresh;
  if (!pf_member_is_stale(m)) return PF_OK;
  pthread_mutex_lock(mutex);
  const PfStatus status = pf_member_open(pf_sim_context(m->sweep->base), m->sweep, &fresh);
  pthread_mutex_unlock(mutex);
  if (status != PF_OK) {
    pf_member_close(&fresh);
    return status;
  }
  pf_member_close(m);
  *m = fresh;
  pf_context_set_cancel(pf_sim_context(fresh.sim), cancelled, user);
  return PF_OK;
}

/* ---------------------------------------------------------------- one member */

PfStatus pf_member_place(PfMember *m, long long number, PfRunOptions *options)
{
  const PfPlan *plan = &m->sweep->plan;
  pf_plan_member(plan, number, m->values);
  for (int i = 0; i < plan->variable_count; i++) {
    if (plan->variables[i].option) continue;
    if (!pf_sim_set(m->sim, plan->variables[i].name, m->values[i])) return pf_sim_error(m->sim)->status;
  }
  if (!pf_sim_place(m->sim) || !pf_sim_check_mass(m->sim)) return pf_sim_error(m->sim)->status;
  /* The options after 'run' in the model, which may depend on parameters that vary, and then the settings. */
  const PfRunOverrides *w = &m->sweep->run;
  const PfSystem *system = pf_sim_system(m->sim);
  const double *values = pf_sim_values(m->sim);
  PF_TRY(pf_run_settings(pf_sim_context(m->sim), pf_sim_model(m->sim), system, values, w->method, options));
  if (!isnan(w->horizon)) options->t_end = values[pf_system_symbols(system)->time] + w->horizon;
  if (!isnan(w->step)) options->step = w->step;
  if (!isnan(w->rtol)) options->rtol = w->rtol;
  if (!isnan(w->atol)) options->atol = w->atol;
  if (!isnan(w->rho)) options->rho = w->rho;
  if (!isnan(w->most_steps)) options->most_steps = w->most_steps > 1e18 ? (long)1e18 : (long)w->most_steps;
  if (w->formulation) options->formulation = w->formulation;
  options->adaptive = w->adaptive;
  options->printed = (options->printed && !w->adaptive) || w->printed;
  options->drift = w->drift;
  options->keep_going = w->keep_going;
  for (int i = 0; i < plan->variable_count; i++)
    if (plan->variables[i].option) set_option(plan->variables[i].option, m->values[i], options);
  return PF_OK;
}

/* Puts a text into the PF_REASON bytes of a reason, filled up with zeros. One that is too long is cut after a word. */
static void put_reason(char *reason, const char *text)
{
  static const char more[] = " …";
  const size_t length = strlen(text), most = PF_REASON - sizeof more;
  memset(reason, 0, PF_REASON);
  if (length < PF_REASON) {
    memcpy(reason, text, length);
    return;
  }
  size_t end = most;
  while (end && text[end] != ' ') end--;
  if (!end) end = most; /* one endless word: at least no character is cut in two */
  while (end && ((unsigned char)text[end] & 0xC0) == 0x80) end--;
  memcpy(reason, text, end);
  memcpy(reason + end, more, sizeof more - 1);
}

/* The reason of a member that ended so, by the message of the simulation where there is one; none of a success. */
static void give_reason(const PfMember *m, int end, char *reason)
{
  const PfError *error = pf_sim_error(m->sim);
  if (end < PF_MEMBER_NO_START) memset(reason, 0, PF_REASON);
  else put_reason(reason, error->status != PF_OK ? error->message : pf_member_end_text(end));
}

/* Runs one member to its end and updates its accumulators after each step; returns how it ended. */
static int move(PfMember *m, long long number)
{
  PfRunOptions options;
  if (pf_member_place(m, number, &options) != PF_OK || !pf_sim_set_options(m->sim, &options) || !pf_sim_start(m->sim))
    return PF_MEMBER_NO_START;
  pf_accumulator_start(&m->accumulator);
  while (pf_sim_step(m->sim)) pf_accumulator_step(&m->accumulator);
  m->accumulator.t = pf_sim_time(m->sim);
  switch (pf_sim_result(m->sim).end) {
  case PF_RUN_DONE: return PF_MEMBER_DONE;
  case PF_RUN_UNTIL: return PF_MEMBER_UNTIL;
  case PF_RUN_RANK_LOSS: return PF_MEMBER_RANK_LOSS;
  case PF_RUN_TROUBLE: return PF_MEMBER_TROUBLE;
  case PF_RUN_STEP: return PF_MEMBER_STEP;
  case PF_RUN_LIMIT: return PF_MEMBER_LIMIT;
  case PF_RUN_STALL: return PF_MEMBER_STALL;
  case PF_RUN_CANCELLED: break;
  }
  return PF_MEMBER_OTHER;
}

/* The row of a member that ended so: varied inputs, then outputs. Of a failure only the time at which it happened is
 * known. */
static void take_row(PfMember *m, int end, double *row)
{
  const PfSweep *sweep = m->sweep;
  const int varied = sweep->plan.variable_count;
  for (int i = 0; i < varied; i++) row[i] = m->values[i]/sweep->scales[i];
  if (end < PF_MEMBER_NO_START) {
    pf_accumulator_end(&m->accumulator, row + varied);
    return;
  }
  for (int i = 0; i < sweep->output_set.columns; i++) {
    const int item = sweep->output_set.column[i].item;
    const bool time = item >= 0 && sweep->output_set.items[item].kind == PF_OUTPUT_T_END && end > PF_MEMBER_NO_START;
    row[varied + i] = time ? m->accumulator.t : NAN;
  }
}

/* The message of a failed study is in the context, that of a failed start in the simulation. */
bool pf_member_run(PfMember *m, long long number, double *row, int *end, char *reason)
{
  PfContext *ctx = pf_sim_context(m->sim);
  const int before = pf_diagnostic_count(ctx);
  PfRunOptions options;
  if (m->study) {
    *end = pf_member_place(m, number, &options) == PF_OK ? PF_MEMBER_DONE : PF_MEMBER_NO_START;
    take_row(m, PF_MEMBER_NO_START, row);
    if (*end == PF_MEMBER_DONE && pf_member_study_run(m, &options, row + m->sweep->plan.variable_count) != PF_OK)
      *end = PF_MEMBER_OTHER;
    give_reason(m, *end, reason);
    if (*end == PF_MEMBER_OTHER && pf_diagnostic_count(ctx) > before) put_reason(reason, pf_context_message(ctx));
  } else {
    *end = move(m, number);
    if (!pf_context_is_cancelled(ctx)) {
      take_row(m, *end, row);
      give_reason(m, *end, reason);
    }
  }
  pf_diagnostics_forget(ctx, before);
  return !pf_context_is_cancelled(ctx);
}

bool pf_members_run(PfMember *m, const PfMemberFlow *flow)
{
  char reason[PF_REASON];
  long long number;
  int end;
  if (m->lanes) return pf_lanes_run(m, flow);
  while (flow->next(flow->user, &number)) {
    m->since++;
    if (!pf_member_run(m, number, m->row, &end, reason)) return false;
    if (!flow->sink(flow->user, number, m->row, end, reason)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- a list of them */

typedef struct List {
  const long long *numbers;
  int count;
  PfMemberSink *sink;
  void *user;
} List;

static bool next_of_list(void *user, long long *number)
{
  List *list = user;
  if (!list->count) return false;
  *number = *list->numbers++;
  list->count--;
  return true;
}

static bool pass_to_list(void *user, long long number, const double *row, int end, const char *reason)
{
  const List *list = user;
  return list->sink(list->user, number, row, end, reason);
}

bool pf_members_run_list(PfMember *m, const long long *numbers, int count, PfMemberSink *sink, void *user)
{
  List list = {numbers, count, sink, user};
  const PfMemberFlow flow = {next_of_list, pass_to_list, &list};
  return pf_members_run(m, &flow);
}
