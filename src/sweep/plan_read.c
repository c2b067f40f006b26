/* SPDX-License-Identifier: Apache-2.0 */
/* What varies, from texts: directions of the grid, laws of chance, correlations, the design. */
#include "lang/parts.h"
#include "sweep/random.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VARIABLES = 256 };
static const double most_members = 1e12;

typedef struct Reader {
  PfContext *ctx;
  PfArena *arena;
  const PfModel *model;
  PfPlan *plan;
  const char *what;  /* the text that is read, for messages */
  double *correlation; /* chance_count^2, or NULL */
} Reader;

static PfStatus no_room(const Reader *r)
{
  return pf_no_room(r->ctx, "the plan of the sweep");
}

static int find_variable(const PfPlan *plan, const char *name)
{
  for (int i = 0; i < plan->variable_count; i++)
    if (!strcmp(plan->variables[i].name, name)) return i;
  return -1;
}

/* "m" or "m [g]", the second for numbers without units of their own. */
static PfStatus add_variable(Reader *r, const char *first, const char *end, PfMeasure *measure)
{
  PfPlan *plan = r->plan;
  const char *bracket = memchr(first, '[', (size_t)(end - first));
  const bool unit = bracket && bracket > first && bracket[-1] == ' ' && end[-1] == ']';
  const char *name = pf_piece(r->arena, first, unit ? bracket : end);
  if (!name) return no_room(r);
  if (!*name) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: a name is missing", r->what);
  if (find_variable(plan, name) >= 0)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: '%s' varies already", r->what, name);
  if (plan->variable_count == MOST_VARIABLES)
    return pf_fail(r->ctx, PF_ERR_LIMIT, "%s: more than %d names vary", r->what, MOST_VARIABLES);
  *measure = pf_model_measure(r->model, name);
  plan->variables[plan->variable_count++] = (PfVariable){name, *measure};
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

static PfStatus not_a_range(const Reader *r)
{
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: not a range", r->what);
  pf_hint(r->ctx, "write NAME=from..to:count, NAME=from..to:count:log, or a list as NAME=1,2,4");
  return PF_ERR_ARGUMENT;
}

/* A range of evenly spaced numbers, or of numbers with even ratios. Its ends are met exactly. */
static void fill_range(double a, double b, bool log_scale, long long count, double *values)
{
  for (long long i = 0; i < count; i++) {
    const double part = count > 1 ? (double)i/(double)(count - 1) : 0;
    values[i] = log_scale ? a*pow(b/a, part) : a + (b - a)*part;
  }
  values[0] = a;
  if (count > 1) values[count - 1] = b;
}

static PfStatus read_range(const Reader *r, const char *text, const char *dots, const char *end, PfMeasure measure,
                           double **values, long long *count)
{
  const char *colon = pf_piece_end(dots + 2, ":");
  double ends[2];
  char *stop;
  if (colon >= end || dots[2] == '.') return not_a_range(r);
  const double wanted = pf_read_double(colon + 1, &stop);
  const char *rest = pf_piece(r->arena, stop, end);
  if (!rest) return no_room(r);
  const bool log_scale = !strcmp(rest, ":log");
  if (stop == colon + 1 || (*rest && !log_scale)) return not_a_range(r);
  if (!(wanted >= 1 && wanted == floor(wanted)))
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: how many values? A whole number from 1 on", r->what);
  if (wanted > 1e9) return pf_fail(r->ctx, PF_ERR_LIMIT, "%s: more than 1e9 values", r->what);
  *count = (long long)wanted;
  const char *pieces[2] = {pf_piece(r->arena, text, dots), pf_piece(r->arena, dots + 2, colon)};
  for (int i = 0; i < 2; i++) {
    if (!pieces[i]) return no_room(r);
    PF_TRY(pf_constant_read_for(r->ctx, r->what, pieces[i], measure.unit, ends + i));
  }
  if (log_scale && !(ends[0]*ends[1] > 0))
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: a logarithmic range has both ends on one side of zero", r->what);
  *values = pf_arena_array(r->arena, double, *count);
  if (!*values) return no_room(r);
  fill_range(ends[0], ends[1], log_scale, *count, *values);
  return PF_OK;
}

static PfStatus read_list(const Reader *r, const char *text, const char *end, PfMeasure measure, double **values,
                          long long *count)
{
  *count = 1;
  for (const char *c = text; c < end; c++) *count += *c == ',';
  *values = pf_arena_array(r->arena, double, *count);
  if (!*values) return no_room(r);
  *count = 0;
  for (const char *stop; text < end; text = *stop == ',' ? stop + 1 : end) {
    stop = pf_piece_end(text, ",;");
    char *plain;
    const double number = pf_read_double(text, &plain); /* most are numbers and nothing else: tables are long */
    if (plain == stop && plain > text && isfinite(number)) {
      (*values)[(*count)++] = number*measure.scale;
      continue;
    }
    PfMark mark = pf_arena_mark(pf_context_scratch(r->ctx));
    const char *piece = pf_piece(pf_context_scratch(r->ctx), text, stop);
    PfStatus status = !piece ? no_room(r)
                             : pf_constant_read_for(r->ctx, r->what, piece, measure.unit, *values + *count);
    ++*count;
    pf_arena_release(pf_context_scratch(r->ctx), mark);
    PF_TRY(status);
  }
  return *count ? PF_OK : pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: there are no values", r->what);
}

/* ---------------------------------------------------------------- vectors */

/* Values of a vector: those of all its parts, one after the other. */
typedef struct Vectors {
  const char *name;
  int width;
  long long count;
  double **columns;  /* width x count */
  PfPart parts[PF_MOST_PARTS];
} Vectors;

/* The first one tells how many parts there are. */
static PfStatus read_vector(Reader *r, const char *first, const char *end, long long at, long long count, Vectors *v)
{
  const char *piece = pf_piece(r->arena, first, end);
  int width;
  if (!piece) return no_room(r);
  PF_TRY(pf_parts_read(r->ctx, r->arena, r->model, r->what, v->name, piece, v->parts, &width));
  for (int k = 0; k < width && !v->width; k++) {
    PfMeasure measure;
    PF_TRY(add_variable(r, v->parts[k].name, v->parts[k].name + strlen(v->parts[k].name), &measure));
    v->columns[k] = pf_arena_array(r->arena, double, count);
    if (!v->columns[k]) return no_room(r);
  }
  v->width = width;
  for (int k = 0; k < width; k++) v->columns[k][at] = v->parts[k].value;
  return PF_OK;
}

static PfStatus read_vectors(Reader *r, const char *text, const char *end, Vectors *v)
{
  v->count = 1;
  for (const char *c = pf_piece_end(text, ","); c < end; c = pf_piece_end(c + 1, ",")) v->count++;
  for (long long k = 0; k < v->count; k++) {
    const char *stop = pf_piece_end(text, ",;");
    PF_TRY(read_vector(r, text, stop < end ? stop : end, k, v->count, v));
    text = stop + 1;
  }
  return PF_OK;
}

/* NAME=(a, b, c),(d, e, f): the width of what varies. */
static PfStatus read_vector_direction(Reader *r, const char *name, const char *text, const char *end, double **columns,
                                      int *width, long long *count)
{
  Vectors *v = pf_arena_array(r->arena, Vectors, 1);
  if (!v) return no_room(r);
  *v = (Vectors){.name = name, .columns = columns};
  PF_TRY(read_vectors(r, text, end, v));
  *width = v->width;
  *count = v->count;
  return PF_OK;
}

/* ---------------------------------------------------------------- directions */

/* NAME=…, up to the end or a semicolon. */
static PfStatus read_direction(Reader *r, const char *text, const char *end, double **values, int *width,
                               long long *count)
{
  const char *equals = memchr(text, '=', (size_t)(end - text)), *dots = NULL;
  PfMeasure measure;
  if (!equals) return not_a_range(r);
  const char *name = pf_piece(r->arena, text, equals);
  if (!name) return no_room(r);
  *width = 1;
  if (pf_parts_count(r->model, name)) return read_vector_direction(r, name, equals + 1, end, values, width, count);
  PF_TRY(add_variable(r, text, equals, &measure));
  for (const char *c = equals; c + 1 < end && !dots; c++)
    if (c[0] == '.' && c[1] == '.') dots = c;
  if (dots) return read_range(r, equals + 1, dots, end, measure, values, count);
  return read_list(r, equals + 1, end, measure, values, count);
}

static PfStatus read_axis(Reader *r, const char *text)
{
  PfGridAxis *axis = r->plan->axes + r->plan->axis_count++;
  double *columns[MOST_VARIABLES] = {NULL};
  axis->first = r->plan->variable_count;
  for (const char *end; *text; text = *end ? end + 1 : end) {
    long long count = 0;
    int width = 0;
    end = pf_piece_end(text, ";");
    PF_TRY(read_direction(r, text, end, columns + axis->width, &width, &count));
    if (axis->width && count != axis->count)
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: what goes along together has as many values each, not %lld and %lld",
                     r->what, axis->count, count);
    axis->count = count;
    axis->width += width;
  }
  if (!axis->width) return not_a_range(r);
  axis->values = columns[0];
  if (axis->width == 1) return PF_OK;
  axis->values = pf_arena_array(r->arena, double, (size_t)axis->width*(size_t)axis->count);
  if (!axis->values) return no_room(r);
  for (int j = 0; j < axis->width && columns[j]; j++)
    memcpy(axis->values + j*axis->count, columns[j], (size_t)axis->count*sizeof(double));
  return PF_OK;
}

/* ---------------------------------------------------------------- chance */

static PfStatus not_a_law(const Reader *r)
{
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: not a law of chance", r->what);
  pf_hint(r->ctx, "write NAME ~ normal(mean, deviation), uniform(low, high) or lognormal(median, sigma)");
  return PF_ERR_ARGUMENT;
}

static PfStatus check_law(const Reader *r, const PfChance *c)
{
  const char *wrong = NULL;
  if (c->law == PF_LAW_NORMAL && !(c->b > 0)) wrong = "a deviation is positive";
  if (c->law == PF_LAW_UNIFORM && !(c->a < c->b)) wrong = "the lower end comes first";
  if (c->law == PF_LAW_LOGNORMAL && !(c->a > 0 && c->b > 0)) wrong = "the median and sigma are positive";
  return wrong ? pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: %s", r->what, wrong) : PF_OK;
}

/* NAME ~ law(a, b); lognormal has the deviation of the logarithm, a pure number. */
static PfStatus read_chance(Reader *r, const char *text)
{
  static const char *const laws[] = {"normal", "uniform", "lognormal"};
  const char *tilde = strchr(text, '~'), *open = tilde ? strchr(tilde, '(') : NULL;
  const char *close = open ? strrchr(open, ')') : NULL, *comma = open ? pf_piece_end(open + 1, ",") : NULL;
  PfChance *c = r->plan->chances + r->plan->chance_count++;
  PfMeasure measure;
  if (!close || comma >= close || pf_piece_end(comma + 1, ",") < close || close[1 + strspn(close + 1, " ")])
    return not_a_law(r);
  const char *law = pf_piece(r->arena, tilde + 1, open);
  const char *a = pf_piece(r->arena, open + 1, comma), *b = pf_piece(r->arena, comma + 1, close);
  if (!law || !a || !b) return no_room(r);
  size_t which = 0;
  while (which < sizeof laws/sizeof *laws && strcmp(law, laws[which]) != 0) which++;
  if (which == sizeof laws/sizeof *laws) return not_a_law(r);
  c->variable = r->plan->variable_count;
  c->law = (PfLaw)which;
  PF_TRY(add_variable(r, text, tilde, &measure));
  PF_TRY(pf_constant_read_for(r->ctx, r->what, a, measure.unit, &c->a));
  PF_TRY(pf_constant_read_for(r->ctx, r->what, b, c->law == PF_LAW_LOGNORMAL ? "1" : measure.unit, &c->b));
  return check_law(r, c);
}

static int find_chance(const PfPlan *plan, const char *name)
{
  for (int i = 0; i < plan->chance_count; i++)
    if (!strcmp(plan->variables[plan->chances[i].variable].name, name)) return i;
  return -1;
}

/* NAME, NAME = r */
static PfStatus read_correlation(Reader *r, const char *text)
{
  const char *comma = strchr(text, ','), *equals = comma ? strchr(comma, '=') : NULL;
  const int n = r->plan->chance_count;
  double value;
  if (!equals) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: not a correlation", r->what);
    pf_hint(r->ctx, "write NAME, NAME = 0.5");
    return PF_ERR_ARGUMENT;
  }
  const char *names[2] = {pf_piece(r->arena, text, comma), pf_piece(r->arena, comma + 1, equals)};
  int at[2];
  for (int i = 0; i < 2; i++) {
    if (!names[i]) return no_room(r);
    at[i] = find_chance(r->plan, names[i]);
    if (at[i] < 0) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: '%s' is not random", r->what, names[i]);
  }
  PF_TRY(pf_constant_read_for(r->ctx, r->what, equals + 1, "1", &value));
  if (at[0] == at[1] || !(fabs(value) < 1))
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: a correlation of two names lies between -1 and 1", r->what);
  r->correlation[at[0]*n + at[1]] = r->correlation[at[1]*n + at[0]] = value;
  return PF_OK;
}

/* Cholesky's factor of the correlations. */
static PfStatus mix(Reader *r)
{
  const int n = r->plan->chance_count;
  double *L = r->correlation;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = L[i*n + j];
      for (int k = 0; k < j; k++) sum -= L[i*n + k]*L[j*n + k];
      if (i == j && !(sum > 1e-14))
        return pf_fail(r->ctx, PF_ERR_ARGUMENT, "the correlations contradict each other at '%s'",
                       r->plan->variables[r->plan->chances[i].variable].name);
      L[i*n + j] = i == j ? sqrt(sum) : sum/L[j*n + j];
    }
  r->plan->mixing = L;
  return PF_OK;
}

static PfStatus read_correlations(Reader *r, const PfSweepWord *words, int count)
{
  const int n = r->plan->chance_count;
  if (!pf_word(words, count, "correlate")) return PF_OK;
  r->correlation = pf_arena_array(r->arena, double, (size_t)n*(size_t)n);
  if (!r->correlation) return no_room(r);
  for (int i = 0; i < n; i++) r->correlation[i*n + i] = 1;
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i].key, "correlate") != 0) continue;
    r->what = words[i].value;
    PF_TRY(read_correlation(r, words[i].value));
  }
  if (pf_plan_group(r->plan) > 1)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "sensitivities are of independent numbers: leave the correlations out");
  return mix(r);
}

/* ---------------------------------------------------------------- the design */

static PfStatus read_design(Reader *r, const char *name)
{
  static const char *const designs[] = {"random", "latin", "sobol", "saltelli", "morris"};
  const int count = (int)(sizeof designs/sizeof *designs);
  int which = 0, best = 0;
  const char *nearest = NULL;
  if (!name) return PF_OK;
  for (int i = 0; i < count; i++)
    if (pf_name_is_nearer(name, designs[i], &best)) nearest = designs[i];
  while (which < count && strcmp(name, designs[which]) != 0) which++;
  if (which == count) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "there is no design '%s'", name);
    if (nearest) pf_hint(r->ctx, "did you mean '%s'?", nearest);
    else pf_hint(r->ctx, "there are: random, latin, sobol, saltelli, morris");
    return PF_ERR_ARGUMENT;
  }
  r->plan->design = (PfDesign)which;
  if (!r->plan->chance_count)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "the design '%s' has no effect: nothing is random", name);
  if (r->plan->design == PF_DESIGN_SOBOL && r->plan->chance_count > PF_SOBOL_DIMENSIONS)
    return pf_fail(r->ctx, PF_ERR_LIMIT, "Sobol's sequence is there for up to %d numbers, not %d", PF_SOBOL_DIMENSIONS,
                   r->plan->chance_count);
  return PF_OK;
}

static PfStatus read_whole(const Reader *r, const char *key, const char *text, double most, long long *value)
{
  char *stop;
  const double number = text ? pf_read_double(text, &stop) : 0;
  if (!text) return PF_OK;
  if (stop == text || *stop || !(number >= 0) || number != floor(number) || number > most)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s: '%s' is not a whole number up to %.0f", key, text, most);
  *value = (long long)number;
  return PF_OK;
}

static PfStatus count_members(Reader *r, const char *given)
{
  PfPlan *plan = r->plan;
  long long n = 0;
  double points = 1;
  for (int i = 0; i < plan->axis_count; i++) points *= (double)plan->axes[i].count;
  PF_TRY(read_whole(r, "-n", given, most_members, &n));
  if (!plan->chance_count && given)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "-n %s has no effect: nothing is random, and the grid has %.0f points",
                   given, points);
  if (plan->chance_count && n < 1) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "how many members? something is random");
    pf_hint(r->ctx, "-n 1000 makes a thousand");
    return PF_ERR_ARGUMENT;
  }
  const bool grouped = pf_plan_group(plan) > 1;
  const double each = (double)n*(double)pf_plan_group(plan);
  const double count = !plan->chance_count ? points : grouped ? points*each : (double)n;
  if (count > most_members)
    return pf_fail(r->ctx, PF_ERR_LIMIT, "%.3g members are more than %.3g", count, most_members);
  plan->points = (long long)points;
  plan->count = (long long)count;
  plan->groups = grouped ? n : (plan->count + plan->points - 1)/plan->points;
  return PF_OK;
}

static PfStatus read_all(Reader *r, const PfSweepWord *words, int count, const char *key,
                         PfStatus (*read)(Reader *r, const char *text))
{
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i].key, key) != 0) continue;
    char shown[80];
    snprintf(shown, sizeof shown, "%.70s%s", words[i].value, strlen(words[i].value) > 70 ? "…" : "");
    r->what = pf_arena_text(r->arena, shown, strlen(shown));
    if (!r->what) return no_room(r);
    PF_TRY(read(r, words[i].value));
  }
  return PF_OK;
}

PfStatus pf_plan_read(PfContext *ctx, PfArena *arena, const PfModel *model, const PfSweepWord *words, int count,
                      PfPlan *plan)
{
  Reader r = {.ctx = ctx, .arena = arena, .model = model, .plan = plan};
  long long seed = 1;
  *plan = (PfPlan){.variables = pf_arena_array(arena, PfVariable, MOST_VARIABLES),
                   .axes = pf_arena_array(arena, PfGridAxis, count),
                   .chances = pf_arena_array(arena, PfChance, count)};
  if (!plan->variables || !plan->axes || !plan->chances) return no_room(&r);
  PF_TRY(read_all(&r, words, count, "axis", read_axis));
  PF_TRY(read_all(&r, words, count, "random", read_chance));
  PF_TRY(read_design(&r, pf_word(words, count, "design")));
  PF_TRY(read_correlations(&r, words, count));
  PF_TRY(read_whole(&r, "--seed", pf_word(words, count, "seed"), 0x1p53, &seed));
  plan->seed = (uint64_t)seed;
  return count_members(&r, pf_word(words, count, "n"));
}
