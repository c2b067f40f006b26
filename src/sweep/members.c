/* SPDX-License-Identifier: Apache-2.0 */
/* One member after the other on a simulation of its own. */
#include "sim/settings.h"
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

static PfStatus read_number(PfContext *ctx, const PfSweepWord *words, int count, const char *key, const char *unit,
                            double *value)
{
  const char *text = pf_word(words, count, key);
  char what[40];
  *value = NAN;
  if (!text) return PF_OK;
  snprintf(what, sizeof what, "--%s", key);
  PF_TRY(pf_constant_read_for(ctx, what, text, unit, value));
  const bool damping = !strcmp(key, "rho");
  if (damping ? *value >= 0 && *value <= 1 : *value > 0) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "--%s: '%s' is not %s", key, text, damping ? "between 0 and 1" : "positive");
}

PfStatus pf_run_words_read(PfContext *ctx, const PfSweepWord *words, int count, PfRunWords *run)
{
  *run = (PfRunWords){.method = pf_word(words, count, "by"), .formulation = pf_word(words, count, "form"),
                      .adaptive = pf_word(words, count, "adaptive"), .printed = pf_word(words, count, "printed"),
                      .drift = pf_word(words, count, "no-projection"),
                      .keep_going = pf_word(words, count, "keep-going")};
  PF_TRY(read_number(ctx, words, count, "for", "s", &run->horizon));
  PF_TRY(read_number(ctx, words, count, "step", "s", &run->step));
  PF_TRY(read_number(ctx, words, count, "rtol", "1", &run->rtol));
  PF_TRY(read_number(ctx, words, count, "atol", "1", &run->atol));
  PF_TRY(read_number(ctx, words, count, "rho", "1", &run->rho));
  return read_number(ctx, words, count, "most-steps", "1", &run->most_steps);
}

/* What the model says after 'run', which may depend on parameters that vary, and then the words. */
static PfStatus find_options(const PfMember *m, PfRunOptions *o)
{
  const PfRunWords *w = &m->sweep->run;
  const PfSystem *system = pf_sim_system(m->sim);
  const double *values = pf_sim_values(m->sim);
  PF_TRY(pf_run_settings(pf_sim_context(m->sim), pf_sim_model(m->sim), system, values, w->method, o));
  if (!isnan(w->horizon)) o->t_end = values[pf_system_symbols(system)->time] + w->horizon;
  if (!isnan(w->step)) o->step = w->step;
  if (!isnan(w->rtol)) o->rtol = w->rtol;
  if (!isnan(w->atol)) o->atol = w->atol;
  if (!isnan(w->rho)) o->rho = w->rho;
  if (!isnan(w->most_steps)) o->most_steps = w->most_steps > 1e18 ? (long)1e18 : (long)w->most_steps;
  if (w->formulation) o->formulation = w->formulation;
  o->adaptive = w->adaptive;
  o->printed = (o->printed && !w->adaptive) || w->printed;
  o->drift = w->drift;
  o->keep_going = w->keep_going;
  return PF_OK;
}

/* ---------------------------------------------------------------- opening */

static PfStatus make_room(PfContext *ctx, PfMember *m)
{
  m->arena = pf_arena_new(pf_context_allocator(ctx));
  m->values = m->arena ? pf_arena_array(m->arena, double, m->sweep->plan.variable_count) : NULL;
  m->row = m->arena ? pf_arena_array(m->arena, double, m->sweep->columns) : NULL;
  if (!m->values || !m->row) return pf_no_room(ctx, "a member");
  PF_TRY(pf_taking_make(ctx, m->arena, &m->sweep->take, m->sim, &m->taking));
  if (!pf_word(m->sweep->words, m->sweep->word_count, "study"))
    return pf_lanes_make(m, &m->lanes) == PF_OK ? PF_OK : pf_no_room(ctx, "a member");
  const PfStatus status = pf_member_study_make(m);
  return status == PF_OK ? PF_OK : pf_fail(ctx, status, "%s", pf_context_message(pf_sim_context(m->sim)));
}

PfStatus pf_member_open(PfContext *ctx, const PfSweep *sweep, PfMember *m)
{
  PfError error;
  *m = (PfMember){.sweep = sweep, .sim = pf_sim_clone(sweep->base, &error)};
  if (!m->sim) return pf_fail(ctx, error.status, "%s", error.message);
  return make_room(ctx, m);
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

PfStatus pf_member_renew(PfMember *m, pthread_mutex_t *mutex, bool (*cancelled)(void *user), void *user)
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

static int end_of(PfRunEnd end)
{
  switch (end) {
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

PfStatus pf_member_place(PfMember *m, long long number, PfRunOptions *options)
{
  const PfPlan *plan = &m->sweep->plan;
  pf_plan_member(plan, number, m->values);
  for (int i = 0; i < plan->variable_count; i++)
    if (!pf_sim_set(m->sim, plan->variables[i].name, m->values[i])) return pf_sim_error(m->sim)->status;
  if (!pf_sim_place(m->sim) || !pf_sim_check_mass(m->sim)) return pf_sim_error(m->sim)->status;
  return find_options(m, options);
}

static PfStatus start(PfMember *m, long long number)
{
  PfRunOptions options;
  PF_TRY(pf_member_place(m, number, &options));
  if (!pf_sim_set_options(m->sim, &options)) return pf_sim_error(m->sim)->status;
  return pf_sim_start(m->sim) ? PF_OK : pf_sim_error(m->sim)->status;
}

/* What is too long is cut behind a word. */
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

static void say_reason(const PfMember *m, int end, char *reason)
{
  const PfError *error = pf_sim_error(m->sim);
  memset(reason, 0, PF_REASON);
  if (end < PF_MEMBER_NO_START) return;
  put_reason(reason, error->status != PF_OK ? error->message : pf_member_end_text(end));
}

static int move(PfMember *m, long long number)
{
  if (start(m, number) != PF_OK) return PF_MEMBER_NO_START;
  pf_taking_start(&m->taking);
  while (pf_sim_step(m->sim)) pf_taking_step(&m->taking);
  m->taking.t = pf_sim_time(m->sim);
  return end_of(pf_sim_result(m->sim).end);
}

/* Of a failure what is known is when it happened. */
static void take_row(PfMember *m, int end, double *row)
{
  const PfSweep *sweep = m->sweep;
  const int varied = sweep->plan.variable_count;
  for (int i = 0; i < varied; i++) row[i] = m->values[i]/sweep->scales[i];
  if (end < PF_MEMBER_NO_START) {
    pf_taking_end(&m->taking, row + varied);
    return;
  }
  for (int i = 0; i < sweep->take.columns; i++) {
    const int item = sweep->take.column[i].item;
    const bool time = item >= 0 && sweep->take.items[item].kind == PF_TAKE_T_END && end > PF_MEMBER_NO_START;
    row[varied + i] = time ? m->taking.t : NAN;
  }
}

/* The words of a study are in the context, those of a start in the simulation. */
static void study_member(PfMember *m, long long number, double *row, int *end, char *reason)
{
  PfContext *ctx = pf_sim_context(m->sim);
  const int varied = m->sweep->plan.variable_count, before = pf_diagnostic_count(ctx);
  PfRunOptions options;
  *end = pf_member_place(m, number, &options) == PF_OK ? PF_MEMBER_DONE : PF_MEMBER_NO_START;
  take_row(m, PF_MEMBER_NO_START, row);
  say_reason(m, *end, reason);
  if (*end == PF_MEMBER_DONE && pf_member_study_run(m, &options, row + varied) != PF_OK) {
    *end = PF_MEMBER_OTHER;
    say_reason(m, *end, reason);
    if (pf_diagnostic_count(ctx) > before) put_reason(reason, pf_context_message(ctx));
  }
  pf_diagnostics_forget(ctx, before);
}

bool pf_member_run(PfMember *m, long long number, double *row, int *end, char *reason)
{
  PfContext *ctx = pf_sim_context(m->sim);
  const int before = pf_diagnostic_count(ctx);
  if (m->study) {
    study_member(m, number, row, end, reason);
    return !pf_context_is_cancelled(ctx);
  }
  *end = move(m, number);
  if (pf_context_is_cancelled(ctx)) return false;
  take_row(m, *end, row);
  say_reason(m, *end, reason);
  pf_diagnostics_forget(ctx, before);
  return true;
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
    if (!flow->take(flow->user, number, m->row, end, reason)) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- a list of them */

typedef struct List {
  const long long *numbers;
  int count;
  PfTakeMember *take;
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

static bool take_of_list(void *user, long long number, const double *row, int end, const char *reason)
{
  const List *list = user;
  return list->take(list->user, number, row, end, reason);
}

bool pf_members_run_list(PfMember *m, const long long *numbers, int count, PfTakeMember *take, void *user)
{
  List list = {numbers, count, take, user};
  const PfMemberFlow flow = {next_of_list, take_of_list, &list};
  return pf_members_run(m, &flow);
}
