/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the way of a text through the library: canonical layout, model, equations, diagnosis, printed equations.
 * Beside the sanitizers it watches what must hold for every text: an error is said and has a place in it, the layout
 * of a layout is itself and means the same, mass matrices are symmetric, ranks fit. */
#include "pfaff/pfaff.h"

#include "expect.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Equations beyond these are right to take their time. */
enum { MOST_ROWS = 40, LONGEST = 8000 };

/* ---------------------------------------------------------------- reading */

static void check_diagnostics(const PfContext *ctx, const char *text, size_t size)
{
  int lines = 1;
  for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
  expect(pf_error_count(ctx) <= 21, "at most 20 errors, and one that ends the work");
  for (int i = 0; i < pf_diagnostic_count(ctx); i++) {
    const PfDiagnostic *d = pf_diagnostic(ctx, i);
    expect(d->message && *d->message, "a diagnostic has words");
    expect(d->place.line >= 0 && d->place.line <= lines, "a diagnostic is in the text");
    expect(!d->place.line || (d->place.column >= 1 && d->place.length >= 1), "a diagnostic has a column");
  }
}

static PfModel *read_text(PfContext *ctx, const char *text, size_t size)
{
  PfModel *model = NULL;
  PfStatus status = pf_model_read(ctx, "fuzz.pf", text, size, &model);
  expect((status == PF_OK) == (model != NULL), "a model or an error");
  expect(status == PF_OK || pf_error_count(ctx) > 0, "a failure is said");
  expect(status != PF_OK || pf_error_count(ctx) == 0, "a model has no errors");
  check_diagnostics(ctx, text, size);
  return model;
}

/* ---------------------------------------------------------------- layout */

static const char *lay_out(PfContext *ctx, PfArena *arena, const char *text, size_t size)
{
  const char *formatted = NULL;
  return pf_model_format(ctx, arena, "fuzz.pf", text, size, &formatted) == PF_OK ? formatted : NULL;
}

/* The text in canonical layout is read as the text itself. */
static void check_layout(const char *text, size_t size, int is_model, int coordinates, int constraints)
{
  PfContext *ctx = pf_context_new(NULL), *other = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  expect(ctx && other && arena, "there is memory");
  const char *once = lay_out(ctx, arena, text, size);
  expect(once || !is_model, "every model has a layout");
  if (once) {
    const char *twice = lay_out(ctx, arena, once, strlen(once));
    expect(twice && !strcmp(once, twice), "the layout of a layout is itself");
    PfModel *model = read_text(other, once, strlen(once));
    expect(is_model == (model != NULL), "the layout of a model is a model");
    expect(!model || (model->coordinate_count == coordinates && model->constraint_count == constraints),
           "the layout of a model means the same");
    pf_model_free(model);
  }
  pf_arena_free(arena);
  pf_context_free(other);
  pf_context_free(ctx);
}

/* ---------------------------------------------------------------- equations */

static void check_equations(const PfEquations *eq)
{
  for (int i = 0; i < eq->n; i++)
    for (int j = 0; j < i; j++)
      expect(eq->M[i*eq->n + j] == eq->M[j*eq->n + i], "the mass matrix is symmetric to the letter");
}

static void check_diagnosis(const PfEquations *eq, const PfDiagnosis *d)
{
  expect(d->rank >= 0 && d->rank <= eq->m && d->rank <= eq->n, "the rank fits the matrix");
  expect(d->rank + d->redundant_count == eq->m, "rows are independent or redundant");
  expect(d->degrees_of_freedom == eq->n - d->rank, "degrees of freedom");
  expect(d->mass_rank >= 0 && d->mass_rank <= eq->n, "the rank of the mass matrix");
  expect(d->start_consistent || d->start_worst >= 0, "a start that misses names what it misses");
}

static size_t length_of(PfContext *ctx, const PfExpr *list, int count)
{
  size_t length = 0;
  for (int i = 0; i < count && length <= LONGEST; i++) {
    size_t more = pf_expr_length(ctx, list[i]);
    length = more > LONGEST ? LONGEST + 1 : length + more;
  }
  return length;
}

static void print_all(PfContext *ctx, PfArena *arena, const PfDerivation *d)
{
  for (int i = 0; i < d->equation_count; i++)
    for (int notation = PF_TEXT; notation <= PF_C; notation++) {
      const char *left = pf_expr_print(ctx, arena, d->equations[i].left, (PfNotation)notation);
      const char *right = pf_expr_print(ctx, arena, d->equations[i].right, (PfNotation)notation);
      expect((left && right) || notation == PF_C, "an equation prints"); /* C writes the argument of a sign twice */
    }
}

static void present(PfContext *ctx, PfArena *arena, const PfEquations *eq)
{
  PfDerivation d;
  size_t length = length_of(ctx, eq->M, eq->n*eq->n) + length_of(ctx, eq->F, eq->n) +
                  length_of(ctx, eq->A, eq->m*eq->n) + length_of(ctx, eq->b, eq->m);
  if (length > LONGEST) return;
  if (pf_derive_lagrange(ctx, arena, eq, &d) == PF_OK) print_all(ctx, arena, &d);
}

static void exercise(PfContext *ctx, PfArena *arena, const PfModel *model)
{
  PfEquations eq;
  PfDiagnosis d;
  if (model->coordinate_count + model->constraint_count > MOST_ROWS) return;
  if (pf_equations_derive(ctx, arena, model, &eq) != PF_OK) {
    expect(pf_error_count(ctx) > 0, "a failed derivation is said");
    return;
  }
  check_equations(&eq);
  if (pf_diagnose(ctx, arena, &eq, NULL, &d) == PF_OK) check_diagnosis(&eq, &d);
  else expect(pf_error_count(ctx) > 0, "a failed diagnosis is said");
  pf_diagnostics_clear(ctx);
  present(ctx, arena, &eq);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *text = (const char *)data;
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  expect(ctx && arena, "there is memory");
  PfModel *model = read_text(ctx, text, size);
  check_layout(text, size, model != NULL, model ? model->coordinate_count : 0, model ? model->constraint_count : 0);
  if (model) exercise(ctx, arena, model);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return 0;
}
