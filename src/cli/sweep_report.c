/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep tells: progress, a summary, an estimate. */
#include "cli/sweep.h"
#include "sweep/words.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- progress */

/* "3 s", "4 min", "5.2 h" */
static void put_time(char *to, size_t size, double seconds)
{
  if (seconds < 120) snprintf(to, size, "%.3g s", seconds);
  else if (seconds < 7200) snprintf(to, size, "%.3g min", seconds/60);
  else if (seconds < 172800) snprintf(to, size, "%.3g h", seconds/3600);
  else snprintf(to, size, "%.3g days", seconds/86400);
}

static void put_progress(FILE *err, const PfSweepProgress *p)
{
  const double rate = (double)(p->done - p->before)/fmax(p->seconds, 1e-9);
  char rest[32];
  put_time(rest, sizeof rest, rate > 0 ? ceil((double)(p->count - p->done)/rate) : NAN);
  fprintf(err, "%3.0f %%  %lld of %lld members, %.3g per second", 100*(double)p->done/(double)p->count, p->done,
          p->count, rate);
  if (rate > 0) fprintf(err, ", ends in %s", rest);
  if (p->failed) fprintf(err, ", %lld failed", p->failed);
}

/* On a terminal one line that changes; launchers hide it, so behind them a line now and then. */
bool pf_sweep_progress(void *user, const PfSweepProgress *p)
{
  Sweep *sw = user;
  const Console *console = sw->options->console;
  const double now = pf_cli_clock(), since = now - fmax(sw->shown, sw->began);
  if (console->terminal && now - sw->began > 0.5 && now - sw->shown > 0.2) {
    fputs("\r", console->err);
    put_progress(console->err, p);
    fputs("\033[K", console->err);
    sw->has_shown = true;
  } else if (!console->terminal && sw->team && since > 10) {
    put_progress(console->err, p);
    fputs("\n", console->err);
  } else {
    return pf_cli_is_stopped(console);
  }
  fflush(console->err);
  sw->shown = now;
  return pf_cli_is_stopped(console);
}

void pf_sweep_progress_end(const Sweep *sw)
{
  if (sw->has_shown) fputs("\r\033[K", sw->options->console->err);
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
  pf_hint(ctx, "'pfaff sweep --resume %s' computes them", path);
  return missing == count ? PF_ERR_FILE : PF_OK;
}

/* ---------------------------------------------------------------- the summary */

static const char *title_of(const Sweep *sw)
{
  return sw->s.model ? pf_cli_name(sw->s.model) : pf_sweep_model(sw->sweep);
}

static void text_failures(const PfSummary *s, PfText *text)
{
  for (int i = PF_MEMBER_NO_START; i < PF_MEMBER_ENDS; i++) {
    if (!s->ends[i]) continue;
    pf_text_print(text, "  failed              %lld: %s\n", s->ends[i], pf_member_end_text(i));
    pf_text_print(text, "                      first member %lld: %s\n", s->first_of[i], s->reason[i]);
  }
}

static const char *head_of(const Sweep *sw, int column, char *room, size_t size)
{
  const char *unit = pf_sweep_unit(sw->sweep, column);
  snprintf(room, size, *unit ? "%s [%s]" : "%s", pf_sweep_name(sw->sweep, column), unit);
  return room;
}

/* Below the extremes, whose they are. */
static void text_members(PfText *text, int wide, const PfStatistics *s)
{
  char least[40], most[40];
  snprintf(least, sizeof least, "member %lld", s->least_at);
  snprintf(most, sizeof most, "member %lld", s->most_at);
  pf_text_print(text, "  %-*s %12s %12s %12s %12s\n", wide, "", least, "", "", most);
}

static void text_columns(const Sweep *sw, PfText *text)
{
  const int varied = pf_sweep_varied(sw->sweep), taken = pf_sweep_columns(sw->sweep) - varied;
  char head[256];
  int wide = 24;
  for (int i = 0; i < taken; i++) {
    const int length = (int)strlen(head_of(sw, varied + i, head, sizeof head));
    if (length > wide && length < 70) wide = length;
  }
  pf_text_print(text, "\n  %-*s %12s %12s %12s %12s %12s\n", wide, "", "least", "median", "mean", "most", "deviation");
  for (int i = 0; i < taken; i++) {
    PfStatistics *s = sw->summary->statistics + i;
    pf_text_print(text, "  %-*s", wide, head_of(sw, varied + i, head, sizeof head));
    if (!s->count) pf_text_add(text, " no numbers\n");
    else
      pf_text_print(text, " %12.6g %12.6g %12.6g %12.6g %12.4g\n", s->least, pf_statistics_quantile(s, 0.5), s->mean,
                    s->most, s->count > 1 ? pf_statistics_deviation(s) : 0);
    if (s->count)
      text_members(text, wide, s);
  }
}

/* A dash where there is none: the deviation of one path. */
static void text_number(PfText *text, double number)
{
  if (isfinite(number)) pf_text_print(text, " %12.4g", number);
  else pf_text_print(text, " %12s", "-");
}

static const char *why_no_parts(const PfStatistics *s)
{
  if (!s->count) return "no numbers";
  return s->most - s->least > 64*DBL_EPSILON*fabs(s->most) ? "a member of every group has failed" : "it does not vary";
}

static void text_chances(const Sweep *sw, PfText *text, int taken)
{
  const bool morris = pf_sweep_is_morris(sw->sweep);
  const PfSensitivity *s = sw->summary->sensitivity + taken*sw->summary->chances;
  if (!isfinite(s->first)) {
    pf_text_print(text, "    %s\n", why_no_parts(sw->summary->statistics + taken));
    return;
  }
  pf_text_print(text, "    %-22s %12s %12s", "", morris ? "mean" : "alone", morris ? "magnitude" : "with others");
  pf_text_print(text, morris ? " %12s\n" : "\n", "deviation");
  for (int i = 0; i < sw->summary->chances; i++, s++) {
    pf_text_print(text, "    %-22s", pf_sweep_chance(sw->sweep, i));
    text_number(text, s->first);
    text_number(text, s->total);
    if (morris) text_number(text, s->deviation);
    pf_text_add(text, "\n");
  }
}

static void text_sensitivity(const Sweep *sw, PfText *text)
{
  const bool morris = pf_sweep_is_morris(sw->sweep);
  const int varied = pf_sweep_varied(sw->sweep), taken = pf_sweep_columns(sw->sweep) - varied;
  for (int t = 0; t < taken; t++) {
    char head[256];
    pf_text_print(text, "\n  %s of %s\n", morris ? "elementary effects" : "parts of the variance",
                  head_of(sw, varied + t, head, sizeof head));
    text_chances(sw, text, t);
  }
}

static void text_count(const Sweep *sw, PfText *text)
{
  const PfSweepProgress *p = &sw->result.progress;
  const long long now = p->done - p->before;
  char time[32];
  put_time(time, sizeof time, p->seconds);
  pf_text_print(text, "%s: %lld of %lld members", title_of(sw), p->done, p->count);
  if (sw->parts) pf_text_print(text, " of part %d/%d", sw->part, sw->parts);
  if (p->before && now) pf_text_print(text, ", %lld of them now", now);
  if (now > 0)
    pf_text_print(text, ", in %s on %d thread%s", time, sw->threads, sw->threads > 1 ? "s" : "");
  if (now > 0 && sw->processes) pf_text_print(text, " of %d process%s", sw->processes, sw->processes > 1 ? "es" : "");
  if (now > 0) pf_text_print(text, ", %.4g per second", (double)now/fmax(p->seconds, 1e-9));
  pf_text_print(text, "%s\n", sw->result.stopped ? ": stopped on request" : "");
}

/* Where it is, and what is to be done with what is not complete. */
static void text_result(const Sweep *sw, PfText *text)
{
  const bool whole = !sw->parts && !sw->result.stopped;
  const char *name = sw->table ? sw->table : sw->path, *made = sw->options->convert ? sw->options->out : name;
  if (!made) return;
  pf_text_print(text, "  result              %s\n", whole ? made : sw->path ? sw->path : "none");
  if (!sw->path) return;
  if (sw->result.stopped)
    pf_text_print(text, "  to go on            pfaff sweep --resume %s%s%s\n", name, sw->parts ? " --part " : "",
                  sw->parts ? sw->options->part : "");
  else if (sw->parts)
    pf_text_print(text, "  with all parts      pfaff sweep --join %s\n", name);
}

void pf_sweep_text(void *user, PfText *text)
{
  const Sweep *sw = user;
  if (!sw->options->convert) text_count(sw, text);
  text_result(sw, text);
  if (sw->parts && sw->result.progress.failed)
    pf_text_print(text, "  failed              %lld\n", sw->result.progress.failed);
  if (!sw->summary) return;
  if (sw->options->statistics_only && sw->result.stopped)
    pf_text_print(text, "  statistics          of the first %lld members\n", sw->summary->members);
  text_failures(sw->summary, text);
  text_columns(sw, text);
  if (sw->summary->chances) text_sensitivity(sw, text);
}

static void json_sensitivity(const Sweep *sw, PfJson *json, int taken)
{
  const bool morris = pf_sweep_is_morris(sw->sweep);
  pf_json_open(json, "sensitivity", '{');
  for (int i = 0; i < sw->summary->chances; i++) {
    const PfSensitivity *s = sw->summary->sensitivity + taken*sw->summary->chances + i;
    pf_json_open(json, pf_sweep_chance(sw->sweep, i), '{');
    pf_json_number(json, morris ? "mean" : "first", s->first);
    pf_json_number(json, morris ? "magnitude" : "total", s->total);
    if (morris) pf_json_number(json, "deviation", s->deviation);
    pf_json_close(json, '}');
  }
  pf_json_close(json, '}');
}

static void json_histogram(const PfHistogram *h, PfJson *json)
{
  int first, end;
  pf_histogram_span(h, &first, &end);
  pf_json_open(json, "histogram", '{');
  pf_json_number(json, "low", h->low + first*h->width);
  pf_json_number(json, "width", h->width);
  pf_json_open(json, "counts", '[');
  for (int i = first; i < end; i++) pf_json_integer(json, NULL, h->bins[i]);
  pf_json_close(json, ']');
  pf_json_close(json, '}');
}

static void json_column(const Sweep *sw, PfJson *json, int column)
{
  const int varied = pf_sweep_varied(sw->sweep);
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "name", pf_sweep_name(sw->sweep, column));
  pf_json_string(json, "unit", pf_sweep_unit(sw->sweep, column));
  if (column >= varied && sw->summary) {
    PfStatistics *s = sw->summary->statistics + column - varied;
    static const double parts[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
    pf_json_integer(json, "count", s->count);
    pf_json_number(json, "mean", s->count ? s->mean : NAN);
    pf_json_number(json, "deviation", pf_statistics_deviation(s));
    pf_json_number(json, "least", s->least);
    pf_json_integer(json, "least_at", s->least_at);
    pf_json_number(json, "most", s->most);
    pf_json_integer(json, "most_at", s->most_at);
    pf_json_open(json, "quantiles", '{');
    for (size_t i = 0; i < sizeof parts/sizeof *parts; i++) {
      char key[16];
      snprintf(key, sizeof key, "%g", parts[i]);
      pf_json_number(json, key, pf_statistics_quantile(s, parts[i]));
    }
    pf_json_close(json, '}');
    if (sw->options->statistics_only) json_histogram(&s->histogram, json);
    if (sw->summary->chances) json_sensitivity(sw, json, column - varied);
  }
  pf_json_close(json, '}');
}

static void json_failures(const PfSummary *s, PfJson *json)
{
  pf_json_open(json, "failures", '[');
  for (int i = PF_MEMBER_NO_START; s && i < PF_MEMBER_ENDS; i++) {
    if (!s->ends[i]) continue;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "end", pf_member_end_text(i));
    pf_json_integer(json, "count", s->ends[i]);
    pf_json_integer(json, "first", s->first_of[i]);
    pf_json_string(json, "reason", s->reason[i]);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

void pf_sweep_json(void *user, PfJson *json)
{
  const Sweep *sw = user;
  const PfSweepProgress *p = &sw->result.progress;
  pf_json_open(json, NULL, '{');
  if (sw->options->statistics_only) pf_json_string(json, "kind", PF_STATISTICS_KIND);
  pf_json_string(json, "model", sw->s.model ? pf_cli_name(sw->s.model) : NULL);
  pf_json_string(json, "result", sw->path);
  pf_json_integer(json, "members", pf_sweep_count(sw->sweep));
  pf_json_integer(json, "done", p->done);
  pf_json_integer(json, "failed", p->failed);
  pf_json_integer(json, "before", p->before);
  pf_json_bool(json, "stopped", sw->result.stopped);
  if (!sw->in_file) pf_json_number(json, "seconds", p->seconds);
  if (!sw->in_file) pf_json_integer(json, "threads", sw->threads);
  if (!sw->in_file) pf_json_integer(json, "processes", sw->processes ? sw->processes : 1);
  json_failures(sw->summary, json);
  pf_json_open(json, "columns", '[');
  for (int i = 0; i < pf_sweep_columns(sw->sweep); i++) json_column(sw, json, i);
  pf_json_close(json, ']');
  if (sw->in_file) { /* what it was made of, for those who find it later */
    pf_json_string(json, "version", pf_version());
    pf_sweep_words_put(sw->sweep, json, "words");
  }
  pf_cli_json_diagnostics(sw->s.ctx, json);
  pf_json_close(json, '}');
}

PfStatus pf_sweep_write_statistics(Sweep *sw)
{
  PfJson json;
  pf_json_begin(&json, pf_context_allocator(sw->s.ctx));
  sw->in_file = true;
  pf_sweep_json(sw, &json);
  sw->in_file = false;
  pf_text_add(&json.text, "\n");
  PfStatus status = json.text.failed ? pf_no_room(sw->s.ctx, "the statistics")
                                     : pf_cli_put(sw->s.ctx, sw->options, &json.text);
  pf_json_free(&json);
  return status;
}

/* ---------------------------------------------------------------- the estimate */

static double estimated_bytes(const Sweep *sw)
{
  return (double)pf_sweep_count(sw->sweep)*(8*pf_sweep_columns(sw->sweep) + 1);
}

static int used_threads(const Sweep *sw)
{
  const int threads = pf_sweep_thread_count(sw->options);
  return pf_sweep_count(sw->sweep) < threads ? (int)pf_sweep_count(sw->sweep) : threads;
}

void pf_sweep_dry_text(void *user, PfText *text)
{
  const Sweep *sw = user;
  const PfSweepEstimate *e = &sw->estimate;
  const int threads = used_threads(sw);
  const double all = e->seconds_each*(double)pf_sweep_count(sw->sweep), bytes = estimated_bytes(sw);
  char time[32], each[32];
  put_time(time, sizeof time, all/threads);
  put_time(each, sizeof each, e->seconds_each);
  pf_text_print(text, "%s: %lld members\n", title_of(sw), pf_sweep_count(sw->sweep));
  pf_text_print(text, "  each takes          %s, of %d that were tried", each, e->tried);
  if (e->failed) pf_text_print(text, "; %d of them failed", e->failed);
  pf_text_print(text, "\n  all take            about %s on %d thread%s\n", time, threads, threads > 1 ? "s" : "");
  pf_text_print(text, "  result              up to %.3g %s\n", bytes < 1e9 ? bytes/1e6 : bytes/1e9,
                bytes < 1e9 ? "MB" : "GB");
  pf_text_add(text, "  columns            ");
  char head[256];
  for (int i = 0; i < pf_sweep_columns(sw->sweep); i++)
    pf_text_print(text, "%s %s", i ? "," : "", head_of(sw, i, head, sizeof head));
  pf_text_add(text, "\n");
}

void pf_sweep_dry_json(void *user, PfJson *json)
{
  const Sweep *sw = user;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", sw->s.model ? pf_cli_name(sw->s.model) : NULL);
  pf_json_integer(json, "members", pf_sweep_count(sw->sweep));
  pf_json_number(json, "seconds_each", sw->estimate.seconds_each);
  pf_json_integer(json, "tried", sw->estimate.tried);
  pf_json_integer(json, "tried_failed", sw->estimate.failed);
  pf_json_integer(json, "threads", used_threads(sw));
  pf_json_number(json, "bytes", estimated_bytes(sw));
  pf_json_open(json, "columns", '[');
  for (int i = 0; i < pf_sweep_columns(sw->sweep); i++) json_column(sw, json, i);
  pf_json_close(json, ']');
  pf_cli_json_diagnostics(sw->s.ctx, json);
  pf_json_close(json, '}');
}
