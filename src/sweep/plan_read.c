/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of a plan: axes of the grid ("m=5..7:50"), distributions of random variables ("theta ~ normal(0,
 * 0.1)"), correlations, the design, the number of members and the seed. */
#include "base/spelling.h"
#include "lang/parts.h"
#include "sweep/random.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 256 };
static const double most_members = 1e10; /* a bit for each is in memory, and a chunk of 4096 */

typedef struct Reader {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  PfPlan *plan;
  const char *what;  /* the text that is read, for messages */
  bool of_run;       /* names are settings of the run */
  double *correlation; /* random_count^2, or NULL */
} Reader;

static PfStatus no_room(const Reader *r)
{
  return pf_no_room(r->ctx, "the plan of the sweep");
}

/* The place of a word in a list of so many, or `count`. */
static int find_word(const char *const *words, int count, const char *word)
{
  int i = 0;
  while (i < count && strcmp(word, words[i]) != 0) i++;
  return i;
}

/* One more variable, by its name between `first` and `end`: "m" or "m [g]", the second for numbers without units of
 * their own. *measure is the unit of the numbers that follow. */
static PfStatus add_variable(Reader *r, const char *first, const char *end, PfMeasure *measure)
{
  PfPlan *plan = r->plan;
  const char *bracket = memchr(first, '[', (size_t)(end - first));
  const bool unit = bracket && bracket > first && bracket[-1] == ' ' && end[-1] == ']';
  const char *name = pf_piece(r->arena, first, unit ? bracket : end);
  if (!name) return no_room(r);
  if (!*name) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: a name is missing", r->what);
  for (int i = 0; i < plan->variable_count; i++)
    if (!strcmp(plan->variables[i].name, name))
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' varies already", r->what, name);
  if (plan->variable_count == MOST_VARIABLES)
    return pf_fail(r->ctx, PF_ERR_LIMIT, "@%s: more than %d names vary", r->what, MOST_VARIABLES);
  const PfVariedOption *option = r->of_run ? pf_varied_option_find(name) : NULL;
  if (r->of_run && !option) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "@vary: '%s' is not a setting of the run that can vary", name);
    pf_hint(r->ctx, "there are step, rho, rtol and atol; parameters vary by @p, starts by @s");
    return PF_ERR_ARGUMENT;
  }
  *measure = option ? pf_varied_option_measure(option) : pf_model_measure(r->model, name);
  plan->variables[plan->variable_count++] = (PfVariable){name, *measure, option};
  if (!unit) return PF_OK;
  const char *one = pf_piece(r->arena, bracket, end);
  char text[96];
  if (!one) return no_room(r);
  snprintf(text, sizeof text, "1 %s", one);
  double scale;
  PF_TRY(pf_constant_read_for(r->ctx, r->what, text, measure->unit, &scale));
  *measure = (PfMeasure){pf_arena_text(r->arena, one + 1, strlen(one) - 2), scale};
  return measure->unit ? PF_OK : no_room(r);
}

/* ---------------------------------------------------------------- the grid */

/* Fails for a range or list that cannot be read, with the reason by a format of printf. */
static PfStatus PF_PRINTF(2, 3) not_a_range(const Reader *r, const char *format, ...)
{
  char why[160];
  va_list list;
  va_start(list, format);
  vsnprintf(why, sizeof why, format, list);
  va_end(list);
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: not a range: %s", r->what, why);
  pf_hint(r->ctx, "write NAME=from..to:count, NAME=from..to:count:log, or a list as NAME=1,2,4");
  return PF_ERR_ARGUMENT;
}

/* "5..7:50", "5..7:50:log", "5..7:50 [g]", from `text` to `end` with the dots at `dots`: both ends, how many values,
 * whether they are even on a logarithmic scale, and a unit for all of it. */
static PfStatus read_range(const Reader *r, const char *text, const char *dots, const char *end, PfMeasure measure,
                           PfGridValues *values, long long *count)
{
  const char *colon = pf_piece_end(dots + 2, ":;");
  char *stop;
  double ends[2];
  if (dots[2] == '.') return not_a_range(r, "there are three dots");
  if (colon >= end) return not_a_range(r, "how many values? ':count' is missing");
  const double wanted = pf_read_double(colon + 1, &stop);
  if (stop == colon + 1 || stop > end || !(wanted >= 1 && wanted == floor(wanted))) {
    const char *piece = pf_piece(r->arena, colon + 1, end);
    return piece ? not_a_range(r, "how many values? '%.40s' is no whole number from 1 on", piece) : no_room(r);
  }
  if (wanted > most_members) return pf_fail(r->ctx, PF_ERR_LIMIT, "@%s: more than %g values", r->what, most_members);
  *count = (long long)wanted;
  const char *rest = pf_piece(r->arena, stop, end);
  if (!rest) return no_room(r);
  values->log_scale = !strncmp(rest, ":log", 4);
  const char *unit = rest + (values->log_scale ? 4 + strspn(rest + 4, " ") : 0);
  if (*unit && !(*unit == '[' && rest[strlen(rest) - 1] == ']'))
    return not_a_range(r, "'%.40s' behind the count is neither ':log' nor a unit", rest);
  const char *low = pf_piece(r->arena, text, dots), *high = pf_piece(r->arena, dots + 2, colon);
  if (!low || !high) return no_room(r);
  PF_TRY(pf_constant_read_ends(r->ctx, r->what, (const char *[]){low, high, unit}, measure.unit, ends));
  if (values->log_scale && !(ends[0]*ends[1] > 0))
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: a logarithmic range has both ends on one side of zero", r->what);
  values->from = ends[0];
  values->to = *count > 1 ? ends[1] : ends[0];
  return PF_OK;
}

/* One value of a list; one without a unit is in the last one's, "[cm]", where that has one (`shared`). */
static PfStatus read_value(const Reader *r, const char *text, const char *end, const char *shared, PfMeasure measure,
                           double *value)
{
  char *plain;
  const double number = pf_read_double(text, &plain); /* most are numbers and nothing else: tables are long */
  if (!*shared && plain == end && plain > text && isfinite(number)) {
    *value = number*measure.scale;
    return PF_OK;
  }
  PfArena *scratch = pf_context_scratch(r->ctx);
  PfMark mark = pf_arena_mark(scratch);
  const char *piece = pf_piece(scratch, text, end);
  PfStatus status = piece ? pf_constant_read_in(r->ctx, r->what, piece, shared, measure.unit, value) : no_room(r);
  pf_arena_release(scratch, mark);
  return status;
}

/* "1,2,4 [cm]": the values and how many there are. */
static PfStatus read_list(const Reader *r, const char *text, const char *end, PfMeasure measure, PfGridValues *values,
                          long long *count)
{
  *count = 1;
  for (const char *c = text; c < end; c++) *count += *c == ',';
  double *list = pf_arena_array(r->arena, double, *count);
  const char *shared = list ? pf_constant_last_unit(r->arena, text, end) : NULL;
  if (!shared) return no_room(r);
  *count = 0;
  for (const char *stop; text < end; text = *stop == ',' ? stop + 1 : end) {
    stop = pf_piece_end(text, ",;");
    PF_TRY(read_value(r, text, stop, shared, measure, list + (*count)++));
  }
  values->list = list;
  return *count ? PF_OK : pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: there are no values", r->what);
}

/* "(a, b, c),(d, e, f)": values of a vector, each of its parts being a variable with a list of its own. The first one
 * determines the number of parts, *width. */
static PfStatus read_vectors(Reader *r, const char *name, const char *text, const char *end, PfGridValues *values,
                             int *width, long long *count)
{
  PfPart *parts = pf_arena_array(r->arena, PfPart, PF_MOST_PARTS);
  double *columns[PF_MOST_PARTS];
  if (!parts) return no_room(r);
  *width = 0;
  *count = 1;
  for (const char *c = pf_piece_end(text, ","); c < end; c = pf_piece_end(c + 1, ",")) ++*count;
  for (long long at = 0; at < *count; at++) {
    const char *stop = pf_piece_end(text, ",;"), *piece = pf_piece(r->arena, text, stop < end ? stop : end);
    int found;
    if (!piece) return no_room(r);
    PF_TRY(pf_parts_read(r->ctx, r->arena, r->model, r->what, name, piece, parts, &found));
    for (int k = 0; k < found && !*width; k++) {
      PfMeasure measure;
      PF_TRY(add_variable(r, parts[k].name, parts[k].name + strlen(parts[k].name), &measure));
      values[k].list = columns[k] = pf_arena_array(r->arena, double, *count);
      if (!columns[k]) return no_room(r);
    }
    *width = found;
    for (int k = 0; k < found; k++) columns[k][at] = parts[k].value;
    text = stop + 1;
  }
  return PF_OK;
}

/* NAME=…, up to `end`: a range, a list or vectors, as `*width` variables with `*count` values each. */
static PfStatus read_direction(Reader *r, const char *text, const char *end, PfGridValues *values, int *width,
                               long long *count)
{
  const char *equals = memchr(text, '=', (size_t)(end - text)), *dots = NULL;
  PfMeasure measure;
  if (!equals) return not_a_range(r, "a name and '=' are missing");
  const char *name = pf_piece(r->arena, text, equals);
  if (!name) return no_room(r);
  if (!r->of_run && pf_parts_count(r->model, name)) return read_vectors(r, name, equals + 1, end, values, width, count);
  *width = 1;
  PF_TRY(add_variable(r, text, equals, &measure));
  for (const char *c = equals; c + 1 < end && !dots; c++)
    if (c[0] == '.' && c[1] == '.') dots = c;
  PF_TRY(dots ? read_range(r, equals + 1, dots, end, measure, values, count)
              : read_list(r, equals + 1, end, measure, values, count));
  const PfVariedOption *option = r->plan->variables[r->plan->variable_count - 1].option;
  for (long long i = 0; option && i < (values->list ? *count : 2); i++)
    PF_TRY(pf_varied_option_allows(r->ctx, option, values->list ? values->list[i] : i ? values->to : values->from));
  return PF_OK;
}

/* One axis of the grid: some "NAME=values" that vary together, with semicolons between them. */
static PfStatus read_axis(Reader *r, const char *text)
{
  PfGridAxis *axis = r->plan->axes + r->plan->axis_count++;
  int names = 1;
  for (const char *c = text; *c; c++) names += *c == ';';
  axis->values = pf_arena_array(r->arena, PfGridValues, names*PF_MOST_PARTS);
  if (!axis->values) return no_room(r);
  axis->first = r->plan->variable_count;
  for (const char *end; *text; text = *end ? end + 1 : end) {
    long long count = 0;
    int width = 0;
    end = pf_piece_end(text, ";");
    PF_TRY(read_direction(r, text, end, axis->values + axis->width, &width, &count));
    if (axis->width && count != axis->count)
      return pf_fail(r->ctx, PF_ERR_ARGUMENT,
                     "@%s: what goes along together has as many values each, not %lld and %lld",
                     r->what, axis->count, count);
    axis->count = count;
    axis->width += width;
  }
  return axis->width ? PF_OK : not_a_range(r, "there is nothing");
}

/* ---------------------------------------------------------------- random variables */

static PfStatus not_a_law(const Reader *r)
{
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: not a law of chance", r->what);
  pf_hint(r->ctx, "write NAME ~ normal(mean, deviation), uniform(low, high) or lognormal(median, sigma)");
  return PF_ERR_ARGUMENT;
}

/* NAME ~ law(a, b); lognormal has the deviation of the logarithm, a pure number. */
static PfStatus read_random(Reader *r, const char *text)
{
  static const char *const laws[] = {"normal", "uniform", "lognormal"};
  enum { LAWS = sizeof laws/sizeof *laws };
  const char *tilde = strchr(text, '~'), *open = tilde ? strchr(tilde, '(') : NULL;
  const char *close = open ? strrchr(open, ')') : NULL, *comma = open ? pf_piece_end(open + 1, ",") : NULL;
  const char *wrong = NULL;
  PfMeasure measure;
  double ends[2];
  if (!close || comma >= close || pf_piece_end(comma + 1, ",") < close || close[1 + strspn(close + 1, " ")])
    return not_a_law(r);
  const char *law = pf_piece(r->arena, tilde + 1, open);
  const char *a = pf_piece(r->arena, open + 1, comma), *b = pf_piece(r->arena, comma + 1, close);
  if (!law || !a || !b) return no_room(r);
  const int which = find_word(laws, LAWS, law);
  if (which == LAWS) return not_a_law(r);
  PfRandomVariable *c = r->plan->randoms + r->plan->random_count++;
  *c = (PfRandomVariable){.variable = r->plan->variable_count, .law = (PfLaw)which};
  PF_TRY(add_variable(r, text, tilde, &measure));
  if (c->law == PF_LAW_LOGNORMAL) {
    PF_TRY(pf_constant_read_for(r->ctx, r->what, a, measure.unit, ends));
    PF_TRY(pf_constant_read_for(r->ctx, r->what, b, "1", ends + 1));
  } else PF_TRY(pf_constant_read_ends(r->ctx, r->what, (const char *[]){a, b, ""}, measure.unit, ends));
  c->a = ends[0];
  c->b = ends[1];
  if (c->law == PF_LAW_NORMAL && !(c->b > 0)) wrong = "a deviation is positive";
  if (c->law == PF_LAW_UNIFORM && !(c->a < c->b)) wrong = "the lower end comes first";
  if (c->law == PF_LAW_LOGNORMAL && !(c->a > 0 && c->b > 0)) wrong = "the median and sigma are positive";
  return wrong ? pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: %s", r->what, wrong) : PF_OK;
}

/* NAME, NAME = r: an entry of the matrix of correlations, and the one across. */
static PfStatus read_correlation(Reader *r, const char *text)
{
  const PfPlan *plan = r->plan;
  const char *comma = strchr(text, ','), *equals = comma ? strchr(comma, '=') : NULL;
  const int n = plan->random_count;
  double value;
  if (!equals) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: not a correlation", r->what);
    pf_hint(r->ctx, "write NAME, NAME = 0.5");
    return PF_ERR_ARGUMENT;
  }
  const char *names[2] = {pf_piece(r->arena, text, comma), pf_piece(r->arena, comma + 1, equals)};
  int at[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (!names[i]) return no_room(r);
    while (at[i] < n && strcmp(plan->variables[plan->randoms[at[i]].variable].name, names[i]) != 0) at[i]++;
    if (at[i] == n) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not random", r->what, names[i]);
  }
  PF_TRY(pf_constant_read_for(r->ctx, r->what, equals + 1, "1", &value));
  if (at[0] == at[1] || !(fabs(value) < 1))
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: a correlation of two names lies between -1 and 1", r->what);
  r->correlation[at[0]*n + at[1]] = r->correlation[at[1]*n + at[0]] = value;
  return PF_OK;
}

/* Reads all settings with that key by the function, in their order. Messages begin with the text that is read, or its
 * beginning. */
static PfStatus read_all(Reader *r, const PfSweepSetting *settings, int count, const char *key,
                         PfStatus (*read)(Reader *r, const char *text))
{
  for (int i = 0; i < count; i++) {
    const char *text = settings[i].value;
    if (strcmp(settings[i].key, key) != 0) continue;
    r->what = pf_spell(r->ctx, r->arena, " %.70s%s", text, strlen(text) > 70 ? "…" : "");
    if (!r->what) return no_room(r);
    PF_TRY(read(r, text));
  }
  return PF_OK;
}

/* Reads the correlations and factors their matrix, C = L L^T by Cholesky, which must be positive definite. */
static PfStatus read_correlations(Reader *r, const PfSweepSetting *settings, int count)
{
  const int n = r->plan->random_count;
  if (!pf_find_setting(settings, count, "correlate")) return PF_OK;
  double *L = r->correlation = pf_arena_array(r->arena, double, (size_t)n*(size_t)n);
  if (!L) return no_room(r);
  for (int i = 0; i < n; i++) L[i*n + i] = 1;
  PF_TRY(read_all(r, settings, count, "correlate", read_correlation));
  if (pf_plan_group(r->plan) > 1)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "sensitivities are of independent numbers: leave the correlations out");
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = L[i*n + j];
      for (int k = 0; k < j; k++) sum -= L[i*n + k]*L[j*n + k];
      if (i == j && !(sum > 1e-14))
        return pf_fail(r->ctx, PF_ERR_ARGUMENT, "the correlations contradict each other at '%s'",
                       r->plan->variables[r->plan->randoms[i].variable].name);
      L[i*n + j] = i == j ? sqrt(sum) : sum/L[j*n + j];
    }
  r->plan->mixing = L;
  return PF_OK;
}

/* ---------------------------------------------------------------- the design */

/* The name of the design (NULL: independent numbers); it must have random variables, and not too many. */
static PfStatus read_design(Reader *r, const char *name)
{
  static const char *const designs[] = {"random", "latin", "sobol", "saltelli", "morris"};
  enum { DESIGNS = sizeof designs/sizeof *designs };
  int best = 0;
  const char *nearest = NULL;
  if (!name) return PF_OK;
  const int which = find_word(designs, DESIGNS, name);
  if (which == DESIGNS) {
    for (int i = 0; i < DESIGNS; i++)
      if (pf_name_is_nearer(name, designs[i], &best)) nearest = designs[i];
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "there is no design '%s'", name);
    if (nearest) pf_hint(r->ctx, "did you mean '%s'?", nearest);
    else pf_hint(r->ctx, "there are: random, latin, sobol, saltelli, morris");
    return PF_ERR_ARGUMENT;
  }
  r->plan->design = (PfDesign)which;
  if (!r->plan->random_count)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "the design '%s' has no effect: nothing is random", name);
  if (r->plan->design == PF_DESIGN_SOBOL && r->plan->random_count > PF_SOBOL_DIMENSIONS)
    return pf_fail(r->ctx, PF_ERR_LIMIT, "Sobol's sequence is there for up to %d numbers, not %d", PF_SOBOL_DIMENSIONS,
                   r->plan->random_count);
  return PF_OK;
}

/* A whole number from 0 to `most` from the text of a setting; the value stays where there is none (NULL). */
static PfStatus read_whole(const Reader *r, const char *key, const char *text, double most, long long *value)
{
  char *stop;
  const double number = text ? pf_read_double(text, &stop) : 0;
  if (!text) return PF_OK;
  if (stop == text || *stop || !(number >= 0) || number != floor(number) || number > most)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@%s: '%s' is not a whole number up to %.0f", key, text, most);
  *value = (long long)number;
  return PF_OK;
}

/* The points of a grid take turns: with too few members some never have one. */
static void warn_of_grid(const Reader *r, double members, double points)
{
  if (points < 2 || fmod(members, points) == 0) return;
  if (members < points)
    pf_warn_at(r->ctx, (PfPlace){0}, "@n{%.0f}: %.0f of the %.0f points of the grid have no member", members,
               points - members, points);
  else
    pf_warn_at(r->ctx, (PfPlace){0}, "@n{%.0f}: %.0f of the %.0f points of the grid have one member more than the "
               "others", members, fmod(members, points), points);
  pf_hint(r->ctx, "a multiple of %.0f gives each of them as many", points);
}

/* How many members there are: grid points times draws, or the requested number (`given`, or NULL), rounded to whole
 * groups. */
static PfStatus count_members(Reader *r, const char *given)
{
  PfPlan *plan = r->plan;
  long long n = 0;
  double points = 1;
  for (int i = 0; i < plan->axis_count; i++) points *= (double)plan->axes[i].count;
  PF_TRY(read_whole(r, "n", given, most_members, &n));
  if (!plan->random_count && given)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@n{%s} has no effect: nothing is random, and the grid has %.0f points",
                   given, points);
  if (plan->random_count && n < 1) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "how many members? something is random");
    pf_hint(r->ctx, "@n{1000} makes a thousand");
    return PF_ERR_ARGUMENT;
  }
  const bool grouped = pf_plan_group(plan) > 1;
  const double each = (double)n*(double)pf_plan_group(plan);
  const double count = !plan->random_count ? points : grouped ? points*each : (double)n;
  if (count > most_members)
    return pf_fail(r->ctx, PF_ERR_LIMIT, "%.3g members are more than %.3g", count, most_members);
  if (plan->random_count && !grouped) warn_of_grid(r, (double)n, points);
  plan->points = (long long)points;
  plan->count = (long long)count;
  plan->groups = grouped ? n : (plan->count + plan->points - 1)/plan->points;
  return PF_OK;
}

PfStatus pf_plan_read(PfContext *ctx, PfArena *arena, const PfModel *model, const PfSweepSetting *settings, int count,
                      PfPlan *plan)
{
  Reader r = {.ctx = ctx, .arena = arena, .model = model, .plan = plan};
  long long seed = 1;
  *plan = (PfPlan){.variables = pf_arena_array(arena, PfVariable, MOST_VARIABLES),
                   .axes = pf_arena_array(arena, PfGridAxis, count),
                   .randoms = pf_arena_array(arena, PfRandomVariable, count)};
  if (!plan->variables || !plan->axes || !plan->randoms) return no_room(&r);
  PF_TRY(read_all(&r, settings, count, "axis", read_axis));
  r.of_run = true;
  PF_TRY(read_all(&r, settings, count, "vary", read_axis));
  r.of_run = false;
  PF_TRY(read_all(&r, settings, count, "random", read_random));
  PF_TRY(read_design(&r, pf_find_setting(settings, count, "design")));
  PF_TRY(read_correlations(&r, settings, count));
  PF_TRY(read_whole(&r, "seed", pf_find_setting(settings, count, "seed"), 0x1p53, &seed));
  plan->seed = (uint64_t)seed;
  return count_members(&r, pf_find_setting(settings, count, "n"));
}
