/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study continue: branches of steady motions against a parameter, and where they are born. */
#include "task/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "show", .argument = "NAME",
   .help = "what the picture shows: a component of the state (default: what changes most)"},
  {.name = "starts", .help = "the first ones are looked for from so many places (100)"},
  {.name = "within", .help = "where these are, by names of the state (default: around the start)"},
  {.name = "out", .help = "writes the branches to a file, or the bifurcation diagram"},
  {0}};

static const SettingNeed needs[] = {
  {.names = "show", .with = "out"},
  {0}};

const PfTask pf_continue_task = {
  .name = "continue", .command = "study continue",
  .summary = "branches of equilibria or steady motions against a parameter; folds, branch points, Hopf points",
  .operands = "NAME=a..b:n FILE",
  .about = "Follows the steady motions found at the present value of the parameter (or at a) through the range in both "
           "directions, and the branches that cross them. Steps are at most 1/n of the range (200).",
  .takes = TAKES_STATE "native equilibria stay starts within show out json ",
  .writes = {"csv", "json", WRITES_PICTURES},
  .own = own,
  .needs = needs,
  .examples = "@call{continue n2=8..18:100 @show{\"nu[3]\"} @out{n2.svg} examples/wheels/carriage_steady.pf}\n",
  .takes_range = true,
  .fields = pf_continue_fields,
  .run = run};

typedef struct Continue {
  Study st;
  PfSteadyKind kind;
  PfContinuation c;       /* in the units of the names */
  const char *parameter, *range;
  const char *word;       /* the parameter with a unit that is not SI, for lines of text; the same for the state */
  const char *const *words;
} Continue;

/* From SI, as it was found, to what is written. */
static void show(Continue *c)
{
  PfContinuation *x = &c->c;
  const Study *st = &c->st;
  c->word = pf_study_word(&c->st, c->parameter);
  c->words = pf_study_words(&c->st, x->names, x->size);
  pf_study_show_one(st, c->parameter, 1, &x->start);
  pf_study_show(st, x->names, x->size, x->found.low);
  pf_study_show(st, x->names, x->size, x->found.high);
  for (int i = 0; i < x->special_count; i++) {
    pf_study_show_one(st, c->parameter, 1, &x->specials[i].parameter);
    pf_study_show(st, x->names, x->size, x->specials[i].x);
  }
  for (int b = 0; b < x->branch_count; b++)
    for (int i = 0; i < x->branches[b].count; i++) {
      pf_study_show_one(st, c->parameter, 1, &x->branches[b].points[i].parameter);
      pf_study_show(st, x->names, x->size, x->branches[b].points[i].x);
    }
}

/* ---------------------------------------------------------------- the report */

static const PfField special_fields[] = {
  PF_FIELD("kind", STRING,
           "'fold' (the branch turns back), 'branch point' (branches cross) or 'Hopf' (periodic motions begin)"),
  PF_FIELD("parameter", NUMBER, "value of the parameter there, in its unit"),
  PF_STUDY_X_FIELD,
  PF_FIELD("branch", INTEGER, "index of the branch on which it was found"),
  PF_FIELD_OR_NULL("frequency", NUMBER, "Hopf: frequency of the periodic motion, in rad/s; else null"),
  PF_FIELD_OR_NULL("lyapunov", NUMBER,
                   "Hopf: first Lyapunov coefficient, negative when stable cycles are born; else null"),
  {0}};

static const PfField point_fields[] = {
  PF_FIELD("parameter", NUMBER, "value of the parameter, in its unit"),
  PF_STUDY_X_FIELD,
  PF_STUDY_UNSTABLE_FIELD,
  PF_STUDY_STABILITY_FIELD,
  {0}};

static const PfField branch_fields[] = {
  PF_FIELD("from", INTEGER, "index in 'special' of the branch point at which it was found; -1: found by the search"),
  PF_FIELD("ends", STRINGS, "why it ends at its first and at its last point"),
  PF_FIELD_RECORDS("points", point_fields, "the points in their order along the branch"),
  {0}};

const PfField pf_continue_fields[] = {
  PF_FIELD_MODEL,
  PF_STUDY_KIND_FIELD,
  PF_FIELD("parameter", STRING, "name of the parameter that changes"),
  PF_FIELD("parameter_unit", STRING, "its unit; empty: none is declared"),
  PF_STUDY_STATE_FIELDS,
  PF_FIELD("skipped", INTEGER, "solutions at the first value that were not followed: their coordinates are singular"),
  PF_FIELD_RECORDS("special", special_fields, "folds, branch points and Hopf points"),
  PF_FIELD_RECORDS("branches", branch_fields, "curves of solutions against the parameter"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* How far the search went for the component: rounding errors are measured by it. */
static double width_of(const Continue *c, int component)
{
  return c->c.found.high[component] - c->c.found.low[component];
}

static void report_special(PfReport *r, const Continue *c, const PfSpecial *s)
{
  pf_report_open(r, NULL);
  pf_report_string(r, "kind", pf_special_name(s->kind));
  pf_report_number(r, "parameter", s->parameter);
  pf_report_numbers(r, "x", s->x, c->c.size);
  pf_report_integer(r, "branch", s->branch);
  pf_report_number(r, "frequency", s->frequency);
  pf_report_number(r, "lyapunov", s->lyapunov);
  pf_report_close(r);
  pf_report_print(r, "  %-13s %s = %.12g ", pf_special_name(s->kind), c->word, s->parameter);
  for (int i = 0; i < c->c.size; i++)
    if (!c->c.cyclic[i]) pf_report_print(r, " %s = %.10g", c->words[i], pf_without_noise(s->x[i], 100*width_of(c, i)));
  pf_report_print(r, "\n");
  if (s->kind != PF_HOPF) return;
  pf_report_print(r, "  %13s frequency %.10g rad/s", "", s->frequency);
  if (isfinite(s->lyapunov))
    pf_report_print(r, ", first Lyapunov coefficient %.6g: %s", s->lyapunov,
                    s->lyapunov < 0   ? "supercritical, stable cycles are born"
                    : s->lyapunov > 0 ? "subcritical, the cycles are unstable"
                                      : "degenerate, the stability of cycles is not decided");
  pf_report_print(r, "\n");
}

/* Does the parameter turn round at the point, on the piece that began at `first`? */
static bool turns_back(const PfTrace *t, int first, int at)
{
  if (at == first || at + 1 == t->count) return false;
  double before = t->points[at].parameter - t->points[at - 1].parameter;
  return before*(t->points[at + 1].parameter - t->points[at].parameter) < 0;
}

static void report_branch(PfReport *r, const Continue *c, const PfTrace *t)
{
  pf_report_open(r, NULL);
  pf_report_integer(r, "from", t->from);
  pf_report_strings(r, "ends", t->ends, 2);
  pf_report_open(r, "points");
  for (int i = 0; i < t->count; i++) {
    pf_report_open(r, NULL);
    pf_report_number(r, "parameter", t->points[i].parameter);
    pf_report_numbers(r, "x", t->points[i].x, c->c.size);
    pf_report_integer(r, "unstable", t->points[i].unstable);
    pf_report_string(r, "stability", pf_stability_name(t->points[i].stability));
    pf_report_close(r);
  }
  pf_report_close(r);
  pf_report_close(r);
  /* Pieces of a branch: up to where the number of unstable eigenvalues changes, or the parameter turns round. */
  pf_report_print(r, "\n  branch %d: %d points", (int)(t - c->c.branches) + 1, t->count);
  if (t->from >= 0)
    pf_report_print(r, ", from the branch point at %s = %.6g", c->word, c->c.specials[t->from].parameter);
  pf_report_print(r, "; ends: %s, %s\n", t->ends[0], t->ends[1]);
  for (int i = 0, last; i < t->count; i = last + 1) {
    last = i;
    while (last + 1 < t->count && t->points[last + 1].unstable == t->points[i].unstable && !turns_back(t, i, last))
      last++;
    const PfTracePoint *a = t->points + i, *z = t->points + last;
    pf_report_print(r, "    %s %.6g to %.6g: ", c->word, a->parameter, z->parameter);
    if (a->unstable) pf_report_print(r, "%d unstable", a->unstable);
    else pf_report_print(r, "%s", pf_stability_name(t->points[(i + last)/2].stability)); /* ends may lie on the axis */
    for (int k = 0; k < c->c.size; k++)
      if (!c->c.cyclic[k] && fmax(fabs(a->x[k]), fabs(z->x[k])) > 1e-10*width_of(c, k))
        pf_report_print(r, "; %s %.5g to %.5g", c->words[k], pf_without_noise(a->x[k], 1e3*width_of(c, k)),
                        pf_without_noise(z->x[k], 1e3*width_of(c, k)));
    pf_report_print(r, "\n");
  }
}

static void write_report(void *user, PfReport *r)
{
  const Continue *c = user;
  const PfContinuation *x = &c->c;
  pf_study_report_state(&c->st, r, c->kind, x->names, x->cyclic, x->size);
  pf_report_string(r, "parameter", c->parameter);
  pf_report_string(r, "parameter_unit", pf_study_measure(&c->st, c->parameter).unit);
  pf_report_print(r, "%s: %s against %s, %d branch%s from %s = %.6g\n", pf_model_label(c->st.s.model),
                  c->kind == PF_EQUILIBRIA ? "equilibria" : "steady motions", c->parameter, x->branch_count,
                  x->branch_count == 1 ? "" : "es", c->word, x->start);
  pf_report_integer(r, "skipped", x->skipped);
  if (x->skipped)
    pf_report_print(r, "  not followed: %d of %d found there, where the independent coordinates of the start fail\n",
                    x->skipped, x->found.count);
  if (x->special_count) pf_report_print(r, "\n");
  pf_report_open(r, "special");
  for (int i = 0; i < x->special_count; i++) report_special(r, c, x->specials + i);
  pf_report_close(r);
  pf_report_open(r, "branches");
  for (int b = 0; b < x->branch_count; b++) report_branch(r, c, x->branches + b);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- files */

static PfStatus file_csv(void *user, PfText *text)
{
  Continue *c = user;
  pf_text_add(text, "branch");
  pf_study_csv_head(&c->st, text, c->parameter);
  for (int k = 0; k < c->c.size; k++)
    if (!c->c.cyclic[k]) pf_study_csv_head(&c->st, text, c->c.names[k]);
  pf_text_add(text, ",unstable,stability\n");
  for (int b = 0; b < c->c.branch_count; b++)
    for (int i = 0; i < c->c.branches[b].count; i++) {
      const PfTracePoint *p = c->c.branches[b].points + i;
      pf_text_print(text, "%d,%.17g", b + 1, p->parameter);
      for (int k = 0; k < c->c.size; k++)
        if (!c->c.cyclic[k]) pf_text_print(text, ",%.17g", p->x[k]);
      pf_text_print(text, ",%d,%s\n", p->unstable, pf_stability_name(p->stability));
    }
  return PF_OK;
}

/* The component that changes most, in parts of its own size, unless one is asked for. */
static PfStatus choose_component(Continue *c, const char *name, int *component)
{
  double best = -1;
  *component = -1;
  for (int k = 0; k < c->c.size; k++) {
    double low = INFINITY, high = -INFINITY;
    if (name && !strcmp(name, c->c.names[k])) *component = k;
    if (name || c->c.cyclic[k]) continue;
    for (int b = 0; b < c->c.branch_count; b++)
      for (int i = 0; i < c->c.branches[b].count; i++) {
        double x = c->c.branches[b].points[i].x[k];
        low = fmin(low, x), high = fmax(high, x);
      }
    double change = (high - low)/fmax(fmax(fabs(low), fabs(high)), 1e-300);
    if (change > best) best = change, *component = k;
  }
  if (*component >= 0) return PF_OK;
  PfText text;
  pf_text_init(&text, pf_context_allocator(c->st.s.ctx));
  for (int k = 0; k < c->c.size; k++) pf_text_print(&text, "%s%s", k ? ", " : "", c->c.names[k]);
  pf_fail(c->st.s.ctx, PF_ERR_NAME, "@show: '%s' is not a component of the state", name ? name : "");
  pf_hint(c->st.s.ctx, "these are: %s", pf_text_get(&text));
  pf_text_free(&text);
  return PF_ERR_ARGUMENT;
}

/* Stretches of equal stability, each a series; they overlap by one point, so that the line has no gaps. */
static int branch_series(Continue *c, const PfTrace *t, int component, PfSeries *list)
{
  PfArena *arena = c->st.s.arena;
  int count = 0;
  double *x = pf_arena_array(arena, double, t->count), *y = pf_arena_array(arena, double, t->count);
  if (!x || !y) return 0;
  for (int i = 0; i < t->count; i++) x[i] = t->points[i].parameter, y[i] = t->points[i].x[component];
  for (int i = 0; i < t->count;) {
    int last = i;
    bool stable = !t->points[i].unstable;
    while (last + 1 < t->count && !t->points[last + 1].unstable == stable) last++;
    int end = last + 1 < t->count ? last + 1 : last;
    const PfStability inside = t->points[(i + last)/2].stability;
    if (list)
      list[count] = (PfSeries){.count = end - i + 1, .x = x + i, .y = y + i,
                               .label = stable ? pf_stability_name(inside) : "unstable",
                               .color = !stable ? 1 : inside == PF_NEUTRAL ? 7 : 0,
                               .dash = stable ? PF_DASH_SOLID : PF_DASH_DASHED};
    count++;
    i = last + 1;
  }
  return count;
}

static PfStatus file_svg(void *user, PfText *text)
{
  Continue *c = user;
  static const PfMarkShape shapes[] = {PF_MARK_TRIANGLE, PF_MARK_SQUARE, PF_MARK_CIRCLE};
  PfArena *arena = c->st.s.arena;
  int component, most = c->c.special_count, count = 0;
  PF_TRY(choose_component(c, c->st.options->show, &component));
  for (int b = 0; b < c->c.branch_count; b++) most += branch_series(c, c->c.branches + b, component, NULL);
  PfSeries *list = pf_arena_array(arena, PfSeries, most);
  double *at = pf_arena_array(arena, double, 2*(size_t)c->c.special_count);
  if (!list || !at) return pf_no_room(c->st.s.ctx, "the study");
  for (int b = 0; b < c->c.branch_count; b++) count += branch_series(c, c->c.branches + b, component, list + count);
  for (int i = 0; i < c->c.special_count; i++) {
    const PfSpecial *s = c->c.specials + i;
    at[2*i] = s->parameter, at[2*i + 1] = s->x[component];
    list[count] = (PfSeries){.count = 1, .x = at + 2*i, .y = at + 2*i + 1, .label = pf_special_name(s->kind),
                             .color = s->kind == PF_HOPF ? 3 : s->kind == PF_FOLD ? 4 : 6, .mark = shapes[s->kind]};
    count++;
  }
  PfChart chart = {.title = pf_model_heading(c->st.s.model), .x_label = pf_study_head(&c->st, c->parameter),
                   .y_label = pf_study_head(&c->st, c->c.names[component]),
                   .count = count, .series = list};
  pf_svg_chart(text, &chart);
  return PF_OK;
}

/* ---------------------------------------------------------------- computing */

static PfStatus compute(Study *st)
{
  Continue *c = (Continue *)st;
  Range range = {.count = 200};
  PF_TRY(pf_study_prepare(st));
  if (!st->options->range) {
    pf_fail(st->s.ctx, PF_ERR_ARGUMENT, "the parameter and its range are missing");
    pf_hint(st->s.ctx, "add NAME=a..b:n to the files of @task{continue NAME=a..b:n %s}", st->options->file);
    return PF_ERR_ARGUMENT;
  }
  if (!st->options->out || pf_task_out_is(st->options, "csv") || pf_task_out_is(st->options, "json"))
    PF_TRY(pf_task_refuse(st->s.ctx, st->options, "show", "it chooses what a picture shows"));
  PF_TRY(pf_study_range(st, " continue", st->options->range, &range));
  c->kind = st->options->equilibria ? PF_EQUILIBRIA : PF_STEADY;
  c->parameter = st->s.model->parameters[range.parameter].name;
  PfContinueOptions options = {.steady = {.kind = c->kind}, .parameter = range.parameter, .from = range.from,
                               .to = range.to, .points = range.count, .stay = st->options->stay};
  PF_TRY(pf_task_warn_switching(&st->s, PF_SWITCHING_STATES));
  PF_TRY(pf_study_search(st, &options.steady));
  PF_TRY(pf_continue(st->s.ctx, st->s.arena, st->field, &options, &c->c));
  show(c);
  return PF_OK;
}

static PfStatus run(const PfRequest *options)
{
  static const StudyKind kind = {.compute = compute,
                                 .write = write_report, .files = {{"csv", file_csv}, {.write = file_svg}}};
  Continue c = {0};
  return pf_study_run(&kind, options, &c.st);
}
