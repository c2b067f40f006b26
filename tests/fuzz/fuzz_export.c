/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the way of a text to source for other programs. Beside the sanitizers it watches what must hold for every
 * text: nothing of a model leaves the comments, strings and attributes in which it stands, brackets match, XML can be
 * read, archives are whole. What compilers say to hostile names is asked by tests/trial/export_names.py. */
#include "export/fmu_impl.h"
#include "pfaff/pfaff.h"

#include "expect.h"

#ifdef PF_HAVE_EXPAT
#include <expat.h>
#endif

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

static const Rules c_rules = {NULL, true, "\"'", true, "_(){}[];,.*+-/=<>!&|^?:%#\"'~\\"};
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

/* ---------------------------------------------------------------- FMUs */

static void check_xml(const PfText *text)
{
  expect_characters(pf_text_get(text), text->count, "\n");
#ifdef PF_HAVE_EXPAT
  XML_Parser parser = XML_ParserCreate("UTF-8");
  expect(parser != NULL, "there is memory");
  expect(XML_Parse(parser, pf_text_get(text), (int)text->count, 1) == XML_STATUS_OK, "XML can be read");
  XML_ParserFree(parser);
#endif
}

static void check_page(const PfText *text)
{
  expect_characters(pf_text_get(text), text->count, "\n");
  expect(!strstr(pf_text_get(text), "<script") && !strstr(pf_text_get(text), "<img"), "a page has its own tags only");
}

static uint32_t number_at(const unsigned char *at, int bytes)
{
  uint32_t value = 0;
  while (bytes-- > 0) value = value << 8 | at[bytes];
  return value;
}

/* Entries one behind the other, with plain names, up to the directory. */
static void check_archive(const PfText *archive)
{
  const unsigned char *at = (const unsigned char *)archive->at, *end = at + archive->count;
  expect(archive->count > 22 && number_at(end - 22, 4) == 0x06054b50, "an archive ends with its directory");
  const unsigned char *directory = at + number_at(end - 6, 4);
  int count = 0;
  for (; at < directory; count++) {
    expect(number_at(at, 4) == 0x04034b50, "an entry begins");
    uint32_t size = number_at(at + 18, 4), name = number_at(at + 26, 2), extra = number_at(at + 28, 2);
    for (uint32_t i = 0; i < name; i++)
      expect(is_word((char)at[30 + i]) || strchr("_./", (char)at[30 + i]), "the name of an entry is plain");
    expect(at[30] != '/' && at[30] != '.', "the name of an entry is relative");
    at += 30 + name + extra + size;
  }
  expect(at == directory && number_at(end - 12, 2) == (uint32_t)count, "the directory follows the entries");
}

static PfStatus write_parts(PfExport *x, const PfFmuOptions *options, PfText *text)
{
  PfFmu f = {.x = x, .ctx = x->ctx, .arena = x->arena, .options = options};
  PfStatus status = pf_fmu_collect(&f);
  if (status == PF_OK) status = pf_fmu_sources(&f);
  if (status == PF_OK) check_files(&f.files, PF_WORDS_C);
  if (status == PF_OK) status = pf_fmu_description(&f, text);
  if (status == PF_OK) check_xml(text);
  text->count = 0;
  if (status == PF_OK) pf_fmu_page(&f, text);
  if (status == PF_OK) check_page(text);
  pf_export_files_free(&f.files);
  return status;
}

static PfStatus write_fmu(PfExport *x, const PfFmuInputs *inputs, int version)
{
  PfFmuMade made;
  const PfModel *model = x->model;
  PfFmuOptions options = {.version = version, .stop = 1, .inputs = inputs, .equations = model->text,
                          .until = model->run.given ? model->run.until : PF_EXPR_NONE};
  PfText text;
  pf_text_init(&text, pf_context_allocator(x->ctx));
  PfStatus status = write_parts(x, &options, &text);
  text.count = 0;
  if (status == PF_OK) status = pf_export_fmu(x, &options, &text, &made);
  if (status == PF_OK) check_archive(&text);
  pf_text_free(&text);
  return status;
}

static void export_fmu(PfContext *ctx, PfArena *arena, const PfSystem *system, const double *values, int version)
{
  const PfModel *model = pf_system_equations(system)->model;
  PfExportOptions options = {.words = PF_WORDS_C, .most = MOST_OPERATIONS};
  PfFmuInputs inputs = {0};
  PfExport x = {0};
  PfStatus status = pf_fmu_prepare(ctx, arena, system, values, &inputs);
  if (status == PF_OK) status = pf_fmu_choose(ctx, &inputs, &options);
  const char *name = model->name[0] ? model->name : "fuzz";
  if (status == PF_OK) status = pf_export_collect(ctx, arena, inputs.system, inputs.values, name, &options, &x);
  if (status == PF_OK) status = write_fmu(&x, &inputs, version);
  expect(status == PF_OK || pf_error_count(ctx) > 0, "a failure is said");
  pf_export_free(&x);
  pf_system_free(inputs.system);
  pf_diagnostics_clear(ctx);
}

/* With the complete model of its events. */
static void exercise_fmu(PfContext *ctx, PfArena *arena, const PfModel *model)
{
  PfEquations eq;
  PfSystem *system = NULL;
  if (model->complete) model = model->complete;
  if (model->coordinate_count + model->constraint_count > MOST_ROWS + 8) return;
  if (pf_equations_derive(ctx, arena, model, &eq) == PF_OK && pf_system_new(ctx, &eq, &system) == PF_OK) {
    double *values = pf_arena_array(arena, double, pf_system_symbols(system)->count);
    pf_diagnostics_clear(ctx);
    if (values && pf_equations_start(ctx, &eq, NULL, values) == PF_OK)
      export_fmu(ctx, arena, system, values, 2 + (int)(model->text_size%2));
  }
  pf_system_free(system);
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
  if (pf_model_read(ctx, "fuzz.pf", (const char *)data, size, &model) == PF_OK) {
    exercise(ctx, arena, model);
    pf_diagnostics_clear(ctx);
    exercise_fmu(ctx, arena, model);
  }
  pf_model_free(model);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return 0;
}
