/* SPDX-License-Identifier: Apache-2.0 */
/* Reads every model of good/ and bad/ and compares with the expectations in its comments. Called with the source
 * directory.
 *
 * In bad/: every error that is reported, sorted by place, and no other; the hint belongs to the error before it.
 *   # expect error 3:7: 'x' is already a coordinate        the message begins so; 0:0 without a place
 *   # expect hint it was declared in line 1
 *
 * In good/: expressions are compared by the zero tests, so their form does not matter.
 *   # expect rank 2            # expect dof 4               # expect redundant rear front   (or none)
 *   # expect coordinates 6     # expect mass rank 6         # expect constraint rear pfaffian
 *   # expect start consistent  # expect start worst rear    # expect start violation 0.5
 *   # expect constraints 2     # expect parameter L 0.2     # expect note generic
 *   # expect M x, theta = m*l*cos(theta)                    # expect F x = -k*x
 *   # expect C x = -mu*lambda[c]                            # expect A rear, x = -sin(theta)
 *   # expect b rear = 0        # expect T = …               # expect V = …
 *   # expect residual rear = …                              # expect speed x = w*r          (the rate of x)
 *   # expect equal vel(tip).x = -l*sin(a)*a'               (any two expressions)
 *   # expect label x + y                                    (of the first plot) */
#include "support.h"

#include "pfaff/pfaff.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_EXPECTATIONS = 60 };

/* ---------------------------------------------------------------- expectations */

/* "# expect kind words": words up to the end of the line. */
typedef struct Expectation {
  char kind[32];
  char words[200];
} Expectation;

typedef struct Case {
  const char *path;
  char *text;
  size_t size;
  int count;
  Expectation list[MOST_EXPECTATIONS];
  PfContext *ctx;
  PfArena *arena;
} Case;

static char *read_file(const char *path, size_t *size)
{
  FILE *stream = fopen(path, "rb");
  if (!stream) fail_msg("cannot open %s", path);
  fseek(stream, 0, SEEK_END);
  *size = (size_t)ftell(stream);
  rewind(stream);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, stream), *size);
  text[*size] = 0;
  fclose(stream);
  return text;
}

/* The comments may hold any bytes, zeros too, so lines are not taken for strings. */
static void find_expectations(Case *c)
{
  static const char mark[] = "# expect ";
  const size_t length = sizeof mark - 1;
  for (size_t i = 0; i + length < c->size; i++) {
    if (memcmp(c->text + i, mark, length) != 0) continue;
    if (c->count == MOST_EXPECTATIONS) fail_msg("%s: too many expectations", c->path);
    Expectation *e = c->list + c->count++;
    size_t end = i + length;
    while (end < c->size && c->text[end] != '\n' && c->text[end] != '\r') end++;
    char line[240];
    snprintf(line, sizeof line, "%.*s", (int)(end - i - length), c->text + i + length);
    int words = 0;
    if (sscanf(line, "%31s %n", e->kind, &words) != 1) fail_msg("%s: an empty expectation", c->path);
    snprintf(e->words, sizeof e->words, "%s", line + words);
    i = end;
  }
}

static void open_case(Case *c, const char *path)
{
  *c = (Case){.path = path};
  c->text = read_file(path, &c->size);
  find_expectations(c);
  if (!c->count) fail_msg("%s: no expectation", path);
  c->ctx = pf_context_new(NULL);
  c->arena = pf_arena_new(NULL);
  assert_non_null(c->ctx);
  assert_non_null(c->arena);
}

static void close_case(Case *c)
{
  pf_arena_free(c->arena);
  pf_context_free(c->ctx);
  free(c->text);
}

/* ---------------------------------------------------------------- diagnostics */

static void print_diagnostics(const PfContext *ctx)
{
  for (int i = 0; i < pf_diagnostic_count(ctx); i++) {
    const PfDiagnostic *d = pf_diagnostic(ctx, i);
    print_error("  reported: error %d:%d: %s\n", d->place.line, d->place.column, d->message);
    if (d->hint) print_error("            hint %s\n", d->hint);
  }
}

static bool starts_with(const char *text, const char *start)
{
  return text && !strncmp(text, start, strlen(start));
}

static int by_place(const void *a, const void *b)
{
  const PfDiagnostic *x = *(const PfDiagnostic *const *)a, *y = *(const PfDiagnostic *const *)b;
  int order = (x->place.line > y->place.line) - (x->place.line < y->place.line);
  return order ? order : (x->place.column > y->place.column) - (x->place.column < y->place.column);
}

static bool matches(const PfDiagnostic *d, const Expectation *e)
{
  int line, column, words = 0;
  if (!d || sscanf(e->words, "%d:%d: %n", &line, &column, &words) != 2 || !words) return false;
  return d->place.line == line && d->place.column == column && starts_with(d->message, e->words + words);
}

static void compare_errors(Case *c)
{
  const PfDiagnostic *sorted[32];
  int count = 0, next = 0;
  for (int i = 0; i < pf_diagnostic_count(c->ctx) && count < 32; i++)
    if (pf_diagnostic(c->ctx, i)->severity == PF_ERROR) sorted[count++] = pf_diagnostic(c->ctx, i);
  qsort(sorted, (size_t)count, sizeof *sorted, by_place);
  for (int i = 0; i < c->count; i++) {
    const Expectation *e = c->list + i;
    bool hint = !strcmp(e->kind, "hint");
    const PfDiagnostic *d = hint ? next > 0 ? sorted[next - 1] : NULL : next < count ? sorted[next++] : NULL;
    if (hint ? d && starts_with(d->hint, e->words) : matches(d, e)) continue;
    print_diagnostics(c->ctx);
    fail_msg("%s: expected %s %s", c->path, e->kind, e->words);
  }
  if (next == count) return;
  print_diagnostics(c->ctx);
  fail_msg("%s: %d errors, only %d are expected", c->path, count, next);
}

/* ---------------------------------------------------------------- bad models */

static void bad_model(void **state)
{
  Case c;
  open_case(&c, *state);
  PfModel *model = NULL;
  PfEquations eq;
  PfDiagnosis d;
  PfStatus status = pf_model_read(c.ctx, "model.pf", c.text, c.size, &model);
  if (status == PF_OK) status = pf_equations_derive(c.ctx, c.arena, model, &eq);
  if (status == PF_OK) status = pf_diagnose(c.ctx, c.arena, &eq, NULL, &d);
  compare_errors(&c);
  assert_int_not_equal(status, PF_OK);
  pf_model_free(model);
  close_case(&c);
}

/* ---------------------------------------------------------------- good models */

/* The model with all expected expressions added as sizes of what is drawn, two for each expectation: that is how they
 * become expressions of the model. */
typedef struct Good {
  Case *c;
  PfModel *model;
  PfEquations eq;
  PfDiagnosis d;
  int draw; /* the next expression */
} Good;

static bool is_formula(const Expectation *e)
{
  static const char *const kinds[] = {"M", "F", "C", "A", "b", "T", "V", "residual", "speed", "equal"};
  for (size_t i = 0; i < sizeof kinds/sizeof *kinds; i++)
    if (!strcmp(e->kind, kinds[i])) return true;
  return false;
}

static const char *right_side(const Expectation *e)
{
  const char *equals = strstr(e->words, "= ");
  return equals ? equals + 2 : "";
}

static char *with_formulas(const Case *c)
{
  size_t room = c->size + 2*MOST_EXPECTATIONS*sizeof(Expectation);
  char *text = malloc(room);
  assert_non_null(text);
  int used = snprintf(text, room, "%s\n", c->text);
  for (int i = 0; i < c->count; i++) {
    const Expectation *e = c->list + i;
    if (!is_formula(e)) continue;
    int left = e->kind[0] == 'e' ? (int)(strstr(e->words, "= ") - e->words) : 1;
    used += snprintf(text + used, room - (size_t)used, "draw ground as disc(%s)\ndraw ground as disc(%.*s)\n",
                     right_side(e), left, e->kind[0] == 'e' ? e->words : "0");
  }
  return text;
}

static int coordinate(const Good *g, const char *name)
{
  int i = pf_model_find_coordinate(g->model, name);
  if (i < 0) fail_msg("%s: no coordinate '%s'", g->c->path, name);
  return i;
}

static int constraint(const Good *g, const char *name)
{
  for (int i = 0; i < g->model->constraint_count; i++)
    if (!strcmp(g->model->constraints[i].name, name)) return i;
  for (int i = 0; i < g->model->constraint_count; i++) print_error("  constraint %s\n", g->model->constraints[i].name);
  fail_msg("%s: no constraint '%s'", g->c->path, name);
  return 0;
}

/* "name = …" or "name, name = …" */
static PfExpr formula(const Good *g, const Expectation *e)
{
  const PfEquations *eq = &g->eq;
  char first[100] = "", second[100] = "";
  (void)sscanf(e->words, "%99[^,= ] , %99[^= ]", first, second);
  switch (e->kind[0]) {
  case 'M': return eq->M[coordinate(g, first)*eq->n + coordinate(g, second)];
  case 'F': return eq->F[coordinate(g, first)];
  case 'C': return eq->C[coordinate(g, first)];
  case 'A': return eq->A[constraint(g, first)*eq->n + coordinate(g, second)];
  case 'b': return eq->b[constraint(g, first)];
  case 'T': return eq->kinetic;
  case 'V': return eq->potential;
  case 'r': return g->model->constraints[constraint(g, first)].residual;
  default: return eq->rate[coordinate(g, first)];
  }
}

static void compare_formula(Good *g, const Expectation *e)
{
  PfContext *ctx = g->c->ctx;
  const PfDraw *draws = g->model->draws + g->draw;
  PfExpr pair[2] = {e->kind[0] == 'e' ? draws[1].arguments[0] : formula(g, e), draws[0].arguments[0]};
  g->draw += 2;
  assert_int_equal(pf_model_expand(g->model, pair, 2, pair), PF_OK);
  PfExpr difference = pf_expr_sub(ctx, pair[0], pair[1]);
  if (pf_expr_is_zero(ctx, difference) == PF_TRUE || pf_expr_is_probably_zero(ctx, difference, 3) == PF_TRUE) return;
  print_error("found    %s\n", pf_expr_print(ctx, g->c->arena, pair[0], PF_TEXT));
  fail_msg("%s: expected %s %s", g->c->path, e->kind, e->words);
}

static bool is_redundant(const Good *g, const char *words)
{
  char names[200] = "";
  for (int i = 0; i < g->d.redundant_count; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i ? " " : "", g->model->constraints[g->d.redundant[i]].name);
  }
  if (!strcmp(words, *names ? names : "none")) return true;
  print_error("found redundant %s\n", *names ? names : "none");
  return false;
}

static bool is_start(const Good *g, const char *words)
{
  char what[32] = "", value[100] = "";
  (void)sscanf(words, "%31s %99s", what, value);
  if (!strcmp(what, "consistent")) return g->d.start_consistent;
  if (g->d.start_consistent) return false;
  if (!strcmp(what, "worst")) return g->d.start_worst == constraint(g, value);
  assert_string_equal(what, "violation");
  assert_near(g->d.start_violation, strtod(value, NULL), 1e-9, 0); /* printed with ten digits at most */
  return true;
}

static bool is_constraint(const Good *g, const char *words)
{
  char name[100] = "", kind[100] = "";
  (void)sscanf(words, "%99s %99s", name, kind);
  const char *found = pf_constraint_kind_name(g->model->constraints[constraint(g, name)].kind);
  if (strcmp(found, kind) != 0) print_error("found %s\n", found);
  return !strcmp(found, kind);
}

static bool is_parameter(const Good *g, const char *words)
{
  char name[100] = "", value[100] = "";
  (void)sscanf(words, "%99s %99s", name, value);
  int i = pf_model_find_parameter(g->model, name);
  double *values = pf_arena_array(g->c->arena, double, g->model->parameter_count);
  assert_true(i >= 0);
  assert_int_equal(pf_model_parameter_values(g->model, NULL, PF_MISSING_GENERIC, values), PF_OK);
  assert_near(values[i], strtod(value, NULL), 1e-14, 0); /* conversions of units are exact but for rounding */
  return true;
}

static bool is_count(const char *words, int found)
{
  if (atoi(words) != found) print_error("found %d\n", found);
  return atoi(words) == found;
}

static bool holds(Good *g, const Expectation *e)
{
  const char *kind = e->kind, *words = e->words;
  if (!strcmp(kind, "rank")) return is_count(words, g->d.rank);
  if (!strcmp(kind, "dof")) return is_count(words, g->d.degrees_of_freedom);
  if (!strcmp(kind, "coordinates")) return is_count(words, g->model->coordinate_count);
  if (!strcmp(kind, "constraints")) return is_count(words, g->model->constraint_count);
  if (!strcmp(kind, "mass")) return is_count(words + strlen("rank "), g->d.mass_rank);
  if (!strcmp(kind, "redundant")) return is_redundant(g, words);
  if (!strcmp(kind, "start")) return is_start(g, words);
  if (!strcmp(kind, "constraint")) return is_constraint(g, words);
  if (!strcmp(kind, "parameter")) return is_parameter(g, words);
  if (!strcmp(kind, "note")) return g->d.generic;
  if (!strcmp(kind, "label")) return !strcmp(g->model->plots[0].labels[0], words);
  if (!is_formula(e)) fail_msg("%s: what does 'expect %s' mean?", g->c->path, kind);
  compare_formula(g, e);
  return true;
}

static void good_model(void **state)
{
  Case c;
  Good g = {.c = &c};
  open_case(&c, *state);
  char *text = with_formulas(&c);
  PfStatus status = pf_model_read(c.ctx, "model.pf", text, strlen(text), &g.model);
  if (status == PF_OK) status = pf_equations_derive(c.ctx, c.arena, g.model, &g.eq);
  if (status == PF_OK) status = pf_diagnose(c.ctx, c.arena, &g.eq, NULL, &g.d);
  if (status != PF_OK) print_diagnostics(c.ctx);
  if (status != PF_OK) fail_msg("%s is not good", c.path);
  int formulas = 0;
  for (int i = 0; i < c.count; i++) formulas += 2*is_formula(c.list + i);
  g.draw = g.model->draw_count - formulas;
  for (int i = 0; i < c.count; i++)
    if (!holds(&g, c.list + i)) fail_msg("%s: expected %s %s", c.path, c.list[i].kind, c.list[i].words);
  free(text);
  pf_model_free(g.model);
  close_case(&c);
}

/* ---------------------------------------------------------------- no memory */

typedef struct Attempt {
  const char *text;
  size_t size;
} Attempt;

/* With a request for memory refused there is a model without errors, or an error that says so. */
static void read_with(Counter *counter, void *user)
{
  const Attempt *attempt = user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  PfArena *arena = pf_arena_new(&counter->allocator);
  PfModel *model = NULL;
  PfEquations eq;
  PfDiagnosis d;
  PfStatus status = PF_ERR_MEMORY;
  if (ctx && arena) status = pf_model_read(ctx, "model.pf", attempt->text, attempt->size, &model);
  if (status == PF_OK) status = pf_equations_derive(ctx, arena, model, &eq);
  if (status == PF_OK) status = pf_diagnose(ctx, arena, &eq, NULL, &d);
  if (status != PF_ERR_MEMORY) assert_int_equal(status, PF_OK);
  if (status != PF_OK) assert_true(counter->refused > 0);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
}

static void every_refused_request_for_memory_is_survived(void **state)
{
  (void)state;
  static const char *const names[] = {"parts_named", "functions", "springs"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    char path[4200];
    snprintf(path, sizeof path, "%s/tests/models/good/%s.pf", PF_SOURCE_DIR, names[i]);
    Attempt attempt = {0};
    char *text = read_file(path, &attempt.size);
    attempt.text = text;
    fail_every_allocation(read_with, &attempt);
    free(text);
  }
}

/* ---------------------------------------------------------------- all of them */

static int is_model(const struct dirent *entry)
{
  const char *dot = strrchr(entry->d_name, '.');
  return dot && !strcmp(dot, ".pf");
}

/* Adds one test per file; names and paths stay for the life of the program. */
static size_t add_models(struct CMUnitTest *tests, size_t count, size_t room, const char *folder,
                         CMUnitTestFunction run)
{
  struct dirent **entries;
  int found = scandir(folder, &entries, is_model, alphasort);
  if (found < 0) {
    fprintf(stderr, "cannot read the folder %s\n", folder);
    exit(2);
  }
  for (int i = 0; i < found && count < room; i++) {
    size_t length = strlen(folder) + strlen(entries[i]->d_name) + 2;
    char *path = malloc(length);
    if (!path) exit(2);
    snprintf(path, length, "%s/%s", folder, entries[i]->d_name);
    tests[count++] = (struct CMUnitTest){path + strlen(folder) + 1, run, NULL, NULL, path};
    free(entries[i]);
  }
  free(entries);
  return count;
}

int main(int argc, char **argv)
{
  enum { ROOM = 1000 };
  static const struct CMUnitTest others[] = {
    cmocka_unit_test(every_refused_request_for_memory_is_survived),
  };
  static struct CMUnitTest tests[ROOM];
  static char good[4096], bad[4096];
  const char *source = argc > 1 ? argv[1] : PF_SOURCE_DIR;
  snprintf(good, sizeof good, "%s/tests/models/good", source);
  snprintf(bad, sizeof bad, "%s/tests/models/bad", source);
  size_t count = add_models(tests, 0, ROOM, good, good_model);
  count = add_models(tests, count, ROOM, bad, bad_model);
  int failed = _cmocka_run_group_tests("models", tests, count, NULL, NULL);
  return failed + cmocka_run_group_tests_name("memory", others, NULL, NULL);
}
