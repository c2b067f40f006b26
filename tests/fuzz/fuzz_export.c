/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the way of a text to source for other programs. Beside the sanitizers it watches what must hold for every
 * text: nothing of a model leaves the comments and strings in which it stands, and brackets match. */
#include "export/export.h"
#include "pfaff/pfaff.h"

#include "expect.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 12, MOST_OPERATIONS = 20000 };

/* ---------------------------------------------------------------- looking at what was written */

typedef struct Rules {
  const char *line;   /* begins a comment up to the end of the line; NULL: none */
  bool blocks;        /* comments between slash and star */
  const char *quotes; /* of strings */
  bool escapes;       /* a backslash in a string keeps the next character */
  const char *allowed; /* besides letters, digits and blanks */
} Rules;

static const Rules c_rules = {NULL, true, "\"'", true, "_(){}[];,.*+-/=<>!&|?:%#\"'"};
static const Rules python_rules = {"#", false, "\"'", true, "_(){}[];,.*+-/=<>!&|?:%@\"'~"};
static const Rules matlab_rules = {"%", false, NULL, false, "_(){}[];,.*+-/=<>!&|?:@'~\\^%"};

static bool is_word(char c)
{
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || c == ' ' || c == '\n' || c == '\t';
}

static const char *skip_string(const Rules *rules, const char *at)
{
  char quote = *at++;
  for (; *at && *at != quote; at++) {
    expect(*at != '\n' || quote == '"', "a string has one line"); /* texts of Python between three quotes have more */
    if (rules->escapes && *at == '\\' && at[1]) at++;
  }
  expect(*at == quote, "a string ends");
  return at;
}

static const char *skip_block(const char *at)
{
  const char *end = strstr(at + 2, "*/");
  expect(end != NULL, "a comment ends");
  const char *inner = strstr(at + 2, "/*");
  expect(!inner || inner > end, "a comment holds none");
  return end + 1;
}

static void check_text(const Rules *rules, const char *text)
{
  int depth = 0;
  for (const char *at = text; *at; at++) {
    if (rules->blocks && at[0] == '/' && at[1] == '*') at = skip_block(at);
    else if (rules->line && *at == *rules->line) at += strcspn(at, "\n") - 1;
    else if (rules->quotes && strchr(rules->quotes, *at)) at = skip_string(rules, at);
    else {
      expect(is_word(*at) || strchr(rules->allowed, *at), "nothing but the language outside of texts");
      depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
      expect(depth >= 0, "brackets match");
    }
  }
  expect(depth == 0, "brackets match");
}

static bool ends_in(const char *name, const char *ending)
{
  size_t length = strlen(name), own = strlen(ending);
  return length > own && !strcmp(name + length - own, ending);
}

static void check_files(const PfExportFiles *files, PfWords words)
{
  for (int i = 0; i < files->count; i++) {
    const PfExportFile *file = files->at + i;
    expect(!strchr(file->name, '/') && strlen(file->name) < 80, "the name of a file");
    if (words == PF_WORDS_PYTHON) check_text(&python_rules, pf_text_get(&file->text));
    if (words == PF_WORDS_MATLAB) check_text(&matlab_rules, pf_text_get(&file->text));
    if (words == PF_WORDS_C && (ends_in(file->name, ".c") || ends_in(file->name, ".h")))
      check_text(&c_rules, pf_text_get(&file->text));
  }
}

/* ---------------------------------------------------------------- writing */

typedef PfStatus Write(const PfExport *export, const PfReference *reference, PfExportFiles *files);

static PfStatus write_double(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  return pf_export_c(x, r, PF_REAL_DOUBLE, files);
}

static PfStatus write_float(const PfExport *x, const PfReference *r, PfExportFiles *files)
{
  return pf_export_c(x, r, PF_REAL_FLOAT, files);
}

static void export_as(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values, PfWords words,
                      Write *write)
{
  const PfModel *model = pf_system_equations(system)->model;
  PfExportOptions options = {.words = words, .most = MOST_OPERATIONS};
  PfExport x;
  PfReference reference;
  PfExportFiles files = {0};
  const char *name = model->name[0] ? model->name : "fuzz";
  PfStatus status = pf_export_collect(ctx, arena, system, values, name, &options, &x);
  if (status == PF_OK) status = pf_export_reference(&x, values, &reference);
  if (status == PF_OK) status = write(&x, &reference, &files);
  if (status == PF_OK) check_files(&files, words);
  else expect(pf_error_count(ctx) > 0, "a failure is said");
  pf_export_files_free(&files);
  pf_export_free(&x);
  pf_diagnostics_clear(ctx);
}

static void exercise(PfContext *ctx, PfArena *arena, const PfModel *model)
{
  PfEquations eq;
  PfSystem *system = NULL;
  if (model->coordinate_count + model->constraint_count > MOST_ROWS || model->frame_count > MOST_ROWS) return;
  if (pf_equations_derive(ctx, arena, model, &eq) != PF_OK) return;
  if (pf_system_new(ctx, &eq, &system) == PF_OK) {
    double *values = pf_arena_array(arena, double, pf_system_symbols(system)->count);
    pf_diagnostics_clear(ctx);
    if (values && pf_equations_start(ctx, &eq, NULL, values) == PF_OK) {
      export_as(ctx, arena, system, values, PF_WORDS_C, write_double);
      export_as(ctx, arena, system, values, PF_WORDS_C, write_float);
      export_as(ctx, arena, system, values, PF_WORDS_PYTHON, pf_export_python);
      export_as(ctx, arena, system, values, PF_WORDS_PYTHON, pf_export_casadi);
      export_as(ctx, arena, system, values, PF_WORDS_MATLAB, pf_export_matlab);
    }
  }
  pf_system_free(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  PfModel *model = NULL;
  expect(ctx && arena, "there is memory");
  if (pf_model_read(ctx, "fuzz.pf", (const char *)data, size, &model) == PF_OK) exercise(ctx, arena, model);
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return 0;
}
