/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of a sweep: progress, a summary, an estimate. */
#include "task/sweep.h"
#include "sweep/settings.h"

#include <float.h>
#include <math.h>
#include <string.h>

bool pf_sweep_progress(void *user, const PfSweepProgress *p)
{
  const Sweep *sw = user;
  const PfObserver *observer = &sw->options->host->observer;
  if (observer->progress)
    observer->progress(observer->user, &(PfProgress){.part = p->count ? (double)p->done/(double)p->count : 1,
                                                     .members = p, .processes = sw->comm ? sw->ranks : 1});
  return pf_task_is_stopped(sw->options);
}

/* ---------------------------------------------------------------- what the rows have in common */

PfStatus pf_sweep_summarise(Sweep *sw)
{
  if (sw->options->statistics_only) sw->summary = pf_sweep_summary(sw->sweep);
  return sw->summary ? PF_OK : pf_summary_of_rows(sw->sweep, sw->s.arena, sw->path, &sw->summary);
}

PfStatus pf_sweep_tell_missing(PfContext *ctx, const char *path, long long missing, long long count)
{
  if (!missing) return PF_OK;
  if (missing == count) pf_fail(ctx, PF_ERR_FILE, "'%s' has no members yet", path);
  else pf_warn_at(ctx, (PfPlace){0}, "%lld of %lld members are missing in '%s'", missing, count, path);
  pf_hint(ctx, "@task{sweep @resume{%s}} computes them", path);
  return missing == count ? PF_ERR_FILE : PF_OK;
}

/* ---------------------------------------------------------------- the columns of the result */

static const PfField sensitivity_fields[] = {
  PF_FIELD_OPTIONAL("mean", NUMBER, "mean elementary effect (Morris designs only)"),
  PF_FIELD_OPTIONAL("magnitude", NUMBER, "mean magnitude of the elementary effects"),
  PF_FIELD_OPTIONAL("deviation", NUMBER, "their standard deviation"),
  {.key = "first", .type = PF_TYPE_NUMBER, .optional = true, .nullable = true,
   .about = PF_ABOUT("part of the variance due to this number alone; null: there is no variance")},
  {.key = "total", .type = PF_TYPE_NUMBER, .optional = true, .nullable = true,
   .about = PF_ABOUT("part of the variance with interactions")},
  {0}};

static const PfField histogram_fields[] = {
  PF_FIELD("low", NUMBER, "lower end of the first bin"),
  PF_FIELD("width", NUMBER, "width of a bin"),
  PF_FIELD_LIST("counts", INTEGER, "members in each bin"),
  {0}};

static const PfField column_fields[] = {
  PF_FIELD("name", STRING, "a varied number, or an output of @take"),
  PF_FIELD("unit", STRING, "its unit; empty: SI"),
  PF_FIELD_OPTIONAL("count", INTEGER, "members with a number; this and the next for outputs only"),
  PF_FIELD_OPTIONAL("mean", NUMBER, "mean of the members"),
  PF_FIELD_OPTIONAL("deviation", NUMBER, "standard deviation"),
  PF_FIELD_OPTIONAL("least", NUMBER, "the smallest"),
  PF_FIELD_OPTIONAL("least_at", INTEGER, "the member that has it"),
  PF_FIELD_OPTIONAL("most", NUMBER, "the largest"),
  PF_FIELD_OPTIONAL("most_at", INTEGER, "the member that has it"),
  {.key = "quantiles", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER, .optional = true,
   .about = PF_ABOUT("quantiles by their probability: '0.05' is exceeded by 95 percent of the members")},
  {.key = "histogram", .type = PF_TYPE_RECORD, .fields = histogram_fields, .optional = true,
   .about = PF_ABOUT("with @statistics_only")},
  {.key = "sensitivity", .type = PF_TYPE_MAP, .of = PF_TYPE_RECORD, .fields = sensitivity_fields, .optional = true,
   .about = PF_ABOUT("influence of each random number, by its name, where the design allows to find it")},
  {0}};

#define FIELD_COLUMNS \
  {.key = "columns", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = column_fields, \
   .about = PF_ABOUT("the varied numbers, then the outputs")}

static const char *title_of(const Sweep *sw)
{
  return sw->s.model ? pf_model_label(sw->s.model) : pf_sweep_model(sw->sweep);
}

static const char *head_of(const Sweep *sw, int column, char *room, size_t size)
{
  const char *unit = pf_sweep_unit(sw->sweep, column);
  snprintf(room, size, *unit ? "%s [%s]" : "%s", pf_sweep_name(sw->sweep, column), unit);
  return room;
}

static void report_sensitivity(const Sweep *sw, int taken, PfReport *r)
{
  const bool morris = pf_sweep_is_morris(sw->sweep);
  pf_report_open(r, "sensitivity");
  for (int i = 0; i < sw->summary->randoms; i++) {
    const PfSensitivity *s = sw->summary->sensitivity + taken*sw->summary->randoms + i;
    pf_report_open(r, pf_sweep_random_variable(sw->sweep, i));
    pf_report_number(r, morris ? "mean" : "first", s->first);
    pf_report_number(r, morris ? "magnitude" : "total", s->total);
    if (morris) pf_report_number(r, "deviation", s->deviation);
    pf_report_close(r);
  }
  pf_report_close(r);
}

static void report_histogram(const PfHistogram *h, PfReport *r)
{
  int first, end;
  pf_histogram_span(h, &first, &end);
  pf_report_open(r, "histogram");
  pf_report_number(r, "low", h->low + first*h->width);
  pf_report_number(r, "width", h->width);
  pf_report_open(r, "counts");
  for (int i = first; i < end; i++) pf_report_integer(r, NULL, h->bins[i]);
  pf_report_close(r);
  pf_report_close(r);
}

static void report_statistics(PfStatistics *s, PfReport *r)
{
  static const double parts[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  pf_report_integer(r, "count", s->count);
  pf_report_number(r, "mean", s->count ? s->mean : NAN);
  pf_report_number(r, "deviation", pf_statistics_deviation(s));
  pf_report_number(r, "least", s->least);
  pf_report_integer(r, "least_at", s->least_at);
  pf_report_number(r, "most", s->most);
  pf_report_integer(r, "most_at", s->most_at);
  pf_report_open(r, "quantiles");
  for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) {
    char key[16];
    snprintf(key, sizeof key, "%g", parts[i]);
    pf_report_number(r, key, pf_statistics_quantile(s, parts[i]));
  }
  pf_report_close(r);
}

/* A line with the statistics; below the extremes, the members that have them. */
static void print_statistics(const char *head, int wide, PfStatistics *s, PfReport *r)
{
  char least[40], most[40];
  pf_report_print(r, "  %-*s", wide, head);
  if (!s->count) {
    pf_report_print(r, " no numbers\n");
    return;
  }
  pf_report_print(r, " %12.6g %12.6g %12.6g %12.6g %12.4g\n", s->least, pf_statistics_quantile(s, 0.5), s->mean,
                  s->most, s->count > 1 ? pf_statistics_deviation(s) : 0);
  snprintf(least, sizeof least, "member %lld", s->least_at);
  snprintf(most, sizeof most, "member %lld", s->most_at);
  pf_report_print(r, "  %-*s %12s %12s %12s %12s\n", wide, "", least, "", "", most);
}

static void report_column(const Sweep *sw, int column, int wide, PfReport *r)
{
  const int taken = column - pf_sweep_varied(sw->sweep);
  pf_report_open(r, NULL);
  pf_report_string(r, "name", pf_sweep_name(sw->sweep, column));
  pf_report_string(r, "unit", pf_sweep_unit(sw->sweep, column));
  if (taken >= 0 && sw->summary) {
    PfStatistics *s = sw->summary->statistics + taken;
    char head[256];
    report_statistics(s, r);
    print_statistics(head_of(sw, column, head, sizeof head), wide, s, r);
    if (sw->options->statistics_only) report_histogram(&s->histogram, r);
    if (sw->summary->randoms) report_sensitivity(sw, taken, r);
  }
  pf_report_close(r);
}

static void report_columns(const Sweep *sw, PfReport *r)
{
  char head[256];
  int wide = 24;
  for (int i = pf_sweep_varied(sw->sweep); i < pf_sweep_columns(sw->sweep); i++) {
    const int length = (int)strlen(head_of(sw, i, head, sizeof head));
    if (length > wide && length < 70) wide = length;
  }
  if (sw->summary)
    pf_report_print(r, "\n  %-*s %12s %12s %12s %12s %12s\n", wide, "", "least", "median", "mean", "most",
                    "deviation");
  pf_report_open(r, "columns");
  for (int i = 0; i < pf_sweep_columns(sw->sweep); i++) report_column(sw, i, wide, r);
  pf_report_close(r);
}

/* ---------------------------------------------------------------- sensitivities for people */

/* A dash where there is none: the deviation of one path. */
static void print_number(double number, PfReport *r)
{
  if (isfinite(number)) pf_report_print(r, " %12.4g", number);
  else pf_report_print(r, " %12s", "-");
}

static const char *why_no_parts(const PfStatistics *s)
{
  if (!s->count) return "no numbers";
  return s->most - s->least > 64*DBL_EPSILON*fabs(s->most) ? "a member of every group has failed" : "it does not vary";
}

static void print_randoms(const Sweep *sw, int taken, PfReport *r)
{
  const bool morris = pf_sweep_is_morris(sw->sweep);
  const PfSensitivity *s = sw->summary->sensitivity + taken*sw->summary->randoms;
  if (!isfinite(s->first)) {
    pf_report_print(r, "    %s\n", why_no_parts(sw->summary->statistics + taken));
    return;
  }
  pf_report_print(r, "    %-22s %12s %12s", "", morris ? "mean" : "alone", morris ? "magnitude" : "with others");
  pf_report_print(r, morris ? " %12s\n" : "\n", "deviation");
  for (int i = 0; i < sw->summary->randoms; i++, s++) {
    pf_report_print(r, "    %-22s", pf_sweep_random_variable(sw->sweep, i));
    print_number(s->first, r);
    print_number(s->total, r);
    if (morris) print_number(s->deviation, r);
    pf_report_print(r, "\n");
  }
}

static void print_sensitivity(const Sweep *sw, PfReport *r)
{
  const bool morris = pf_sweep_is_morris(sw->sweep);
  const int varied = pf_sweep_varied(sw->sweep), taken = pf_sweep_columns(sw->sweep) - varied;
  for (int t = 0; t < taken; t++) {
    char head[256];
    pf_report_print(r, "\n  %s of %s\n", morris ? "elementary effects" : "parts of the variance",
                    head_of(sw, varied + t, head, sizeof head));
    print_randoms(sw, t, r);
  }
}

/* ---------------------------------------------------------------- the summary */

static const PfField failure_fields[] = {
  PF_FIELD("end", STRING, "how these members failed"),
  PF_FIELD("count", INTEGER, "how many did"),
  PF_FIELD("first", INTEGER, "the first of them"),
  PF_FIELD("reason", STRING, "the error of the first"),
  {0}};

const PfField pf_sweep_fields[] = {
  {.key = "kind", .type = PF_TYPE_STRING, .optional = true,
   .about = PF_ABOUT("'") PF_STATISTICS_KIND "' with @statistics_only: 'plot' takes such a file"},
  PF_FIELD_OR_NULL("model", STRING, "name of the model, or of its file; null: it was not read"),
  PF_FIELD_OR_NULL("result", STRING, "path of the Zarr directory; null: rows were kept in memory"),
  PF_FIELD("members", INTEGER, "members of the whole sweep"),
  PF_FIELD("done", INTEGER, "members that are computed"),
  PF_FIELD("failed", INTEGER, "those of them that failed"),
  PF_FIELD("before", INTEGER, "those that an earlier run had computed"),
  PF_FIELD("stopped", BOOL, "the sweep was stopped before its end"),
  PF_FIELD_OPTIONAL("seconds", NUMBER, "computing time on the clock"),
  PF_FIELD_OPTIONAL("threads", INTEGER, "threads that computed"),
  PF_FIELD_OPTIONAL("processes", INTEGER, "processes that computed"),
  PF_FIELD_RECORDS("failures", failure_fields, "kinds of failure; empty for a part of a sweep"),
  FIELD_COLUMNS,
  PF_FIELD_OPTIONAL("version", STRING, "version of Pfaff; this and the next in files of statistics only"),
  {.key = "words", .type = PF_TYPE_STRINGS, .layout = PF_MATRIX, .optional = true,
   .about = PF_ABOUT("options of the sweep, pairs of name and value")},
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* Where it is, and what is to be done with what is not complete. */
static void print_place(const Sweep *sw, PfReport *r)
{
  const bool whole = !sw->parts && !sw->result.stopped;
  const char *name = sw->table ? sw->table : sw->path, *made = sw->options->convert ? sw->options->out : name;
  if (!made) return;
  pf_report_print(r, "  result              %s\n", whole ? made : sw->path ? sw->path : "none");
  if (!sw->path) return;
  if (sw->result.stopped && sw->parts)
    pf_report_print(r, "  to go on            @call{sweep @resume{%s} @part{%s}}\n", name, sw->options->part);
  else if (sw->result.stopped)
    pf_report_print(r, "  to go on            @call{sweep @resume{%s}}\n", name);
  else if (sw->parts)
    pf_report_print(r, "  with all parts      @call{sweep @join{%s}}\n", name);
}

static void report_progress(const Sweep *sw, PfReport *r)
{
  const PfSweepProgress *p = &sw->result.progress;
  if (sw->options->statistics_only) pf_report_string(r, "kind", PF_STATISTICS_KIND);
  pf_report_string(r, "model", sw->s.model ? pf_model_label(sw->s.model) : NULL);
  pf_report_string(r, "result", sw->path);
  pf_report_integer(r, "members", pf_sweep_count(sw->sweep));
  pf_report_integer(r, "done", p->done);
  pf_report_integer(r, "failed", p->failed);
  pf_report_integer(r, "before", p->before);
  pf_report_bool(r, "stopped", sw->result.stopped);
  if (!sw->options->convert) {
    /* How many members, in which time, by how many threads. */
    const long long now = p->done - p->before;
    char time[32];
    pf_print_seconds(time, sizeof time, p->seconds);
    pf_report_print(r, "%s: %lld of %lld members", title_of(sw), p->done, p->count);
    if (sw->parts) pf_report_print(r, " of part %d/%d", sw->part, sw->parts);
    if (p->before && now) pf_report_print(r, ", %lld of them now", now);
    if (now > 0)
      pf_report_print(r, ", in %s on %d thread%s", time, sw->threads, sw->threads > 1 ? "s" : "");
    if (now > 0 && sw->processes) pf_report_print(r, " of %d process%s", sw->processes, sw->processes > 1 ? "es" : "");
    if (now > 0) pf_report_print(r, ", %.4g per second", (double)now/fmax(p->seconds, 1e-9));
    pf_report_print(r, "%s\n", sw->result.stopped ? ": stopped on request" : "");
  }
  print_place(sw, r);
  if (sw->parts && p->failed) pf_report_print(r, "  failed              %lld\n", p->failed);
  if (sw->summary && sw->options->statistics_only && sw->result.stopped)
    pf_report_print(r, "  statistics          of the first %lld members\n", sw->summary->members);
}

/* Results that are the same for any number of threads and processes. */
static void report_members(const Sweep *sw, PfReport *r)
{
  report_progress(sw, r);
  /* How many members failed, and why. */
  const PfSummary *s = sw->summary;
  pf_report_open(r, "failures");
  for (int i = PF_MEMBER_NO_START; s && i < PF_MEMBER_ENDS; i++) {
    if (!s->ends[i]) continue;
    pf_report_open(r, NULL);
    pf_report_string(r, "end", pf_member_end_text(i));
    pf_report_integer(r, "count", s->ends[i]);
    pf_report_integer(r, "first", s->first_of[i]);
    pf_report_string(r, "reason", s->reason[i]);
    pf_report_close(r);
    pf_report_print(r, "  failed              %lld: %s\n", s->ends[i], pf_member_end_text(i));
    pf_report_print(r, "                      first member %lld: %s\n", s->first_of[i], s->reason[i]);
  }
  pf_report_close(r);
  report_columns(sw, r);
  if (sw->summary && sw->summary->randoms) print_sensitivity(sw, r);
}

void pf_sweep_report(void *user, PfReport *r)
{
  const Sweep *sw = user;
  report_members(sw, r);
  pf_report_number(r, "seconds", sw->result.progress.seconds);
  pf_report_integer(r, "threads", sw->threads);
  pf_report_integer(r, "processes", sw->processes ? sw->processes : 1);
}

static PfStatus fill_statistics(const Sweep *sw, PfReport *r)
{
  report_members(sw, r);
  /* What it was made of, for those who find the file later. */
  int count;
  const PfSweepSetting *settings = pf_sweep_settings(sw->sweep, &count);
  const char **pairs = pf_arena_array(sw->s.arena, const char *, 2*(size_t)count);
  if (!pairs) return pf_no_room(sw->s.ctx, "the statistics");
  for (int i = 0; i < count; i++) pairs[2*i] = settings[i].key, pairs[2*i + 1] = settings[i].value;
  pf_report_string(r, "version", pf_version());
  pf_report_string_matrix(r, "words", pairs, count, 2);
  pf_report_diagnostics(r, sw->s.ctx);
  PF_TRY(pf_report_check(r));
  const char *json = pf_report_json(r);
  if (!json) return pf_no_room(sw->s.ctx, "the statistics");
  PfText text = {.at = (char *)(uintptr_t)json, .count = strlen(json)};
  return pf_task_put(sw->s.ctx, sw->options, &text);
}

PfStatus pf_sweep_write_statistics(const Sweep *sw)
{
  PfReport *report;
  PF_TRY(pf_report_new(sw->s.ctx, pf_sweep_fields, &report));
  PfStatus status = fill_statistics(sw, report);
  pf_report_free(report);
  return status;
}

/* ---------------------------------------------------------------- the estimate */

const PfField pf_sweep_dry_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("members", INTEGER, "members of the sweep"),
  PF_FIELD("seconds_each", NUMBER, "mean computing time of the members that were tried"),
  PF_FIELD("tried", INTEGER, "members that were tried"),
  PF_FIELD("tried_failed", INTEGER, "those of them that failed"),
  PF_FIELD("threads", INTEGER, "threads that the sweep would use"),
  PF_FIELD("bytes", NUMBER, "size of the result without compression"),
  FIELD_COLUMNS,
  PF_FIELD_DIAGNOSTICS,
  {0}};

static int used_threads(const Sweep *sw)
{
  const int threads = pf_sweep_thread_count(sw->options);
  return pf_sweep_count(sw->sweep) < threads ? (int)pf_sweep_count(sw->sweep) : threads;
}

void pf_sweep_dry_report(void *user, PfReport *r)
{
  const Sweep *sw = user;
  const int threads = used_threads(sw);
  const double bytes = (double)pf_sweep_count(sw->sweep)*(8*pf_sweep_columns(sw->sweep) + 1);
  pf_report_string(r, "model", sw->s.model ? pf_model_label(sw->s.model) : NULL);
  pf_report_integer(r, "members", pf_sweep_count(sw->sweep));
  pf_report_number(r, "seconds_each", sw->estimate.seconds_each);
  pf_report_integer(r, "tried", sw->estimate.tried);
  pf_report_integer(r, "tried_failed", sw->estimate.failed);
  pf_report_integer(r, "threads", threads);
  pf_report_number(r, "bytes", bytes);
  report_columns(sw, r);
  const PfSweepEstimate *e = &sw->estimate;
  char time[32], each[32], head[256];
  pf_print_seconds(time, sizeof time, e->seconds_each*(double)pf_sweep_count(sw->sweep)/threads);
  pf_print_seconds(each, sizeof each, e->seconds_each);
  pf_report_print(r, "%s: %lld members\n", title_of(sw), pf_sweep_count(sw->sweep));
  pf_report_print(r, "  each takes          %s, of %d that were tried", each, e->tried);
  if (e->failed) pf_report_print(r, "; %d of them failed", e->failed);
  pf_report_print(r, "\n  all take            about %s on %d thread%s\n", time, threads, threads > 1 ? "s" : "");
  pf_report_print(r, "  result              up to %.3g %s\n", bytes < 1e9 ? bytes/1e6 : bytes/1e9,
                  bytes < 1e9 ? "MB" : "GB");
  pf_report_print(r, "  columns            ");
  for (int i = 0; i < pf_sweep_columns(sw->sweep); i++)
    pf_report_print(r, "%s %s", i ? "," : "", head_of(sw, i, head, sizeof head));
  pf_report_print(r, "\n");
}
