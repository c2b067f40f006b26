/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff export: a model as source for other programs. */
#include "task/derive.h"
#include "task/motion.h"
#include "export/export.h"
#include "export/fmu.h"
#include "out/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "form", .help = "how accelerations are found (default: auto); with @to{latex} a form of 'derive'",
   .values = pf_export_form},
  {.name = "inputs", .help = "inputs that the model gives as functions of time and that are inputs of the code all the "
                             "same: names with commas"},
  {.name = "param", .help = "another default of a parameter"},
  {.name = "state", .help = "another start, which becomes that of the code"},
  {.name = "out", .argument = "PLACE", .help = "the folder to write to, made when it is missing; for one file also its "
                                               "name, or - for standard output"},
  {0}};

const PfTask pf_export_task = {
  .name = "export", .summary = "a model as C, Python, MATLAB, CasADi or LaTeX source, or as an FMU",
  .operands = "FILE",
  .about = "Writes functions for accelerations, multipliers, M, F, A, b, energies, poses, Jacobians, contact forces, "
           "derivatives, the linear model, inverse dynamics and steps. C needs nothing but the C library: no memory is "
           "allocated, no loop is without a bound. Files of an earlier export are replaced, others stay.",
  .takes = "to form float fmi inputs most param state time as-given out json ",
  .own = own,
  .examples = "@call{export @to{c} @o{robot} examples/wheels/bicycle.pf}\n"
              "@call{export @to{c} @float @o{robot} examples/skates/snakeboard.pf}\n"
              "@call{export @to{python} @o{.} examples/skates/snakeboard.pf}\n",
  .fields = pf_export_fields,
  .run = run};

typedef struct Target {
  const char *name, *summary;
  const char *ending; /* of its one file; NULL: there are several */
  PfWords words;
} Target;

static const Target targets[] = {
  {"c", "C99: a header, a source, a self-test, a Makefile, a README", NULL, PF_WORDS_C},
  {"fmu", "a Functional Mock-up Unit of FMI 3.0 or 2.0: Model Exchange and Co-Simulation, with its sources", ".fmu",
   PF_WORDS_C},
  {"python", "a module of Python that needs NumPy", ".py", PF_WORDS_PYTHON},
  {"matlab", "a function of MATLAB or Octave that gives a struct of functions", ".m", PF_WORDS_MATLAB},
  {"casadi", "a module of Python that builds functions of CasADi", ".py", PF_WORDS_PYTHON},
  {"latex", "a document with the equations, as 'derive @latex @standalone'", ".tex", PF_WORDS_C}};
enum { TARGETS = sizeof targets/sizeof *targets };

const char *pf_target_value(int index, const char **summary)
{
  if (index < 0 || index >= TARGETS) return NULL;
  *summary = targets[index].summary;
  return targets[index].name;
}

enum { MOST_OPERATIONS = 200000 }; /* compilers take about a minute for them */

typedef struct Exported {
  Session s;
  const PfRequest *options;
  const Target *target;
  PfSystem *system;
  PfSystem *plain;        /* FMU: before switches were taken out */
  PfExport export;
  PfExportFiles files;
  PfFmuInputs inputs;
  Motion motion;          /* of a model with events, at its start */
  PfFmuMade made;
  PfText folder; /* where they go; empty: --out is the name of the only one */
} Exported;

/* ---------------------------------------------------------------- options */

static PfStatus find_target(PfContext *ctx, const char *name, const Target **target)
{
  const char *nearest = NULL;
  int best = 0;
  for (int i = 0; i < TARGETS; i++) {
    if (name && !strcmp(targets[i].name, name)) {
      *target = targets + i;
      return PF_OK;
    }
    if (name && pf_name_is_nearer(name, targets[i].name, &best)) nearest = targets[i].name;
  }
  if (name) pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "to"}, "there is no target '%s'", name);
  else pf_fail(ctx, PF_ERR_ARGUMENT, "@to is missing: what is the model to be written as?");
  if (nearest) pf_hint(ctx, "did you mean '%s'?", nearest);
  else pf_hint(ctx, "there are: c, fmu, python, matlab, casadi, latex");
  return PF_ERR_ARGUMENT;
}

static bool ends_in(const char *path, const char *ending)
{
  size_t length = strlen(path), end = strlen(ending);
  return length > end && !strcmp(path + length - end, ending);
}

/* -o: a folder, or for one file its name. */
static PfStatus find_place(Exported *x)
{
  const char *out = x->options->out, *ending = x->target->ending;
  PfContext *ctx = x->s.ctx;
  if (!out) {
    pf_fail(ctx, PF_ERR_ARGUMENT, "@out is missing: where is the code to go?");
    if (ending) pf_hint(ctx, "write @o{FOLDER}, @o{NAME%s}, or @o{-} for standard output", ending);
    else pf_hint(ctx, "write @o{FOLDER}");
    return PF_ERR_ARGUMENT;
  }
  bool standard = pf_task_out_is_standard(x->options);
  if (standard && !ending)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@to{%s} writes several files: @o needs a folder", x->target->name);
  if (standard && x->options->json)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@json and @out{%s}: standard output takes one of them", out);
  if (standard || (ending && ends_in(out, ending))) return pf_out_check(ctx, out);
  /* A folder called as a file of another kind is a mistake. */
  static const char *const endings[] = {".c", ".h", ".fmu", ".py", ".m", ".tex", ".zip", ".so"};
  for (size_t i = 0; i < sizeof endings/sizeof *endings; i++) {
    if (!ends_in(out, endings[i])) continue;
    pf_fail(ctx, PF_ERR_ARGUMENT, "@to{%s} does not write '%s'", x->target->name, out);
    if (x->target->ending) pf_hint(ctx, "@o takes a folder, or a file that ends in %s", x->target->ending);
    else pf_hint(ctx, "it writes several files: @o takes a folder");
    return PF_ERR_ARGUMENT;
  }
  pf_text_add(&x->folder, out);
  return pf_out_check_folder(ctx, out);
}

static bool is_fmu(const Exported *x)
{
  return !strcmp(x->target->name, "fmu");
}

/* ---------------------------------------------------------------- the model */

static PfStatus free_input(Session *s, PfModel *model, const char *name, size_t length)
{
  const char *nearest = NULL;
  int best = 0;
  char asked[PF_LONGEST_NAME];
  snprintf(asked, sizeof asked, "%.*s", (int)length, name);
  for (int i = 0; i < model->input_count; i++) {
    if (!strcmp(model->inputs[i].name, asked)) {
      model->inputs[i].value = PF_EXPR_NONE;
      return PF_OK;
    }
    if (pf_name_is_nearer(asked, model->inputs[i].name, &best)) nearest = model->inputs[i].name;
  }
  pf_fail(s->ctx, PF_ERR_NAME, "@inputs: the model has no input '%s'", asked);
  if (nearest) pf_hint(s->ctx, "did you mean '%s'?", nearest);
  return PF_ERR_ARGUMENT;
}

/* Equations that were derived with a function of time are derived again without it. */
static PfStatus free_inputs(Session *s, const char *list)
{
  if (!list) return PF_OK;
  for (const char *at = list; *at; at += strspn(at, ", ")) {
    size_t length = strcspn(at, ", ");
    PF_TRY(free_input(s, s->model, at, length));
    if (s->model->complete && s->model->complete != s->model) PF_TRY(free_input(s, s->model->complete, at, length));
    at += length;
  }
  return pf_equations_derive(s->ctx, s->arena, s->model, &s->equations);
}

/* The name of a model without one is that of its file. */
static const char *name_of(const Session *s)
{
  if (s->model->name[0]) return s->model->name;
  const char *base = pf_task_base_name(s->model->file), *dot = strrchr(base, '.');
  size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  return strcmp(base, "-") && base[0] != '<' ? pf_arena_text(s->arena, base, length) : "model";
}

static PfStatus write_equations(Exported *x)
{
  Session *s = &x->s;
  PfDerivation d;
  const char *stem;
  PfDeriveOptions how = {.form = x->options->form ? pf_form_name(x->options->form) : "multipliers"};
  PF_TRY(pf_task_keep_parameters(s, x->options));
  PF_TRY(pf_derive(s->ctx, s->arena, &s->equations, &how, &d));
  PF_TRY(pf_names_of_model(s->ctx, s->arena, x->target->words, name_of(s), &stem));
  PfExportFile *file = x->files.at;
  x->files.count = 1;
  pf_text_init(&file->text, pf_context_allocator(s->ctx));
  PfText name;
  pf_text_init(&name, pf_context_allocator(s->ctx));
  pf_text_print(&name, "%s.tex", stem);
  file->name = pf_arena_text(s->arena, pf_text_get(&name), name.count);
  pf_text_free(&name);
  pf_derived_document(s, &d, &file->text);
  return file->name && !file->text.failed ? pf_expr_check(s->ctx) : pf_no_room(s->ctx, "the export");
}

/* ---------------------------------------------------------------- an FMU */

static PfStatus prepare_fmu(Exported *x, double **values, PfExportOptions *how)
{
  PfStart start;
  const PfSystem *from;
  if (x->s.model->event_count) {
    /* A model with events: the complete one, at its start. */
    PF_TRY(pf_task_place(&x->motion, &x->s, x->options));
    from = pf_sim_complete_system(x->motion.sim);
    *values = pf_arena_array(x->s.arena, double, pf_system_symbols(from)->count);
    if (!*values) return pf_no_room(x->s.ctx, "the export");
    memcpy(*values, pf_sim_complete_values(x->motion.sim), (size_t)pf_system_symbols(from)->count*sizeof **values);
  } else {
    PF_TRY(pf_system_new(x->s.ctx, &x->s.equations, &x->plain));
    PF_TRY(pf_task_start(&x->s, x->options, x->plain, values, &start));
    from = x->plain;
  }
  PF_TRY(pf_fmu_prepare(x->s.ctx, x->s.arena, from, *values, &x->inputs));
  x->system = x->inputs.system;
  *values = x->inputs.values;
  return pf_fmu_choose(x->s.ctx, &x->inputs, how);
}

/* Equations for people; those of a model that is too large for that are left out. */
static void put_equations(Session *s, PfText *text)
{
  PfDerivation d;
  PfDeriveOptions how = {.form = "multipliers"};
  int before = pf_diagnostic_count(s->ctx);
  if (pf_derive(s->ctx, s->arena, &s->equations, &how, &d) == PF_OK) pf_derived_text(s, &d, text);
  pf_diagnostics_truncate(s->ctx, before); /* a shorter form that was not searched does not matter here */
}

static double stop_time(const Exported *x, const double *values)
{
  const PfSymbols *in = pf_system_symbols(x->system);
  double horizon = 0;
  const PfModel *model = x->export.model;
  if (!model->run.given) return values[in->time] + 1;
  if (pf_expr_evaluate(x->s.ctx, &model->run.horizon, 1, in->symbol, values, in->count, &horizon) != PF_OK)
    return NAN;
  return values[in->time] + horizon;
}

static PfStatus write_fmu(Exported *x, const double *values)
{
  Session *s = &x->s;
  PfText equations;
  PfExportFile *file = x->files.at;
  PfFmuOptions how = {.version = isnan(x->options->fmi) ? 3 : (int)x->options->fmi, .stop = stop_time(x, values),
                      .until = x->export.model->run.given ? x->export.model->run.until : PF_EXPR_NONE,
                      .inputs = &x->inputs, .compile = true};
  pf_text_init(&equations, pf_context_allocator(s->ctx));
  put_equations(s, &equations);
  how.equations = pf_text_get(&equations);
  x->files.count = 1;
  pf_text_init(&file->text, pf_context_allocator(s->ctx));
  PfStatus status = pf_export_fmu(&x->export, &how, &file->text, &x->made);
  pf_text_free(&equations);
  PF_TRY(status);
  PfText name;
  pf_text_init(&name, pf_context_allocator(s->ctx));
  pf_text_print(&name, "%s.fmu", x->export.prefix);
  file->name = pf_arena_text(s->arena, pf_text_get(&name), name.count);
  pf_text_free(&name);
  return file->name ? PF_OK : pf_no_room(s->ctx, "the export");
}

/* ---------------------------------------------------------------- code */

static PfStatus write_source(Exported *x, const double *values)
{
  PfReference reference;
  const PfRequest *o = x->options;
  PF_TRY(pf_export_reference(&x->export, values, &reference));
  if (!reference.count)
    pf_warn_at(x->s.ctx, (PfPlace){0}, "the self-test is empty: there are no accelerations at the start, nor near it");
  if (!strcmp(x->target->name, "c"))
    return pf_export_c(&x->export, &reference, o->single ? PF_REAL_FLOAT : PF_REAL_DOUBLE, &x->files);
  if (!strcmp(x->target->name, "python")) return pf_export_python(&x->export, &reference, &x->files);
  if (!strcmp(x->target->name, "casadi")) return pf_export_casadi(&x->export, &reference, &x->files);
  return pf_export_matlab(&x->export, &reference, &x->files);
}

static PfStatus prepare_source(Exported *x, double **values)
{
  PfStart start;
  PF_TRY(pf_system_new(x->s.ctx, &x->s.equations, &x->system));
  return pf_task_start(&x->s, x->options, x->system, values, &start);
}

static PfStatus write_code(Exported *x)
{
  Session *s = &x->s;
  double *values;
  const PfRequest *o = x->options;
  PfExportOptions how = {.words = x->target->words, .form = o->form,
                         .most = isnan(o->most) ? MOST_OPERATIONS : o->most};
  PF_TRY(free_inputs(s, o->inputs));
  PF_TRY(is_fmu(x) ? prepare_fmu(x, &values, &how) : prepare_source(x, &values));
  /* MATLAB looks for a function by the name of its file. */
  const char *out = pf_task_base_name(x->options->out);
  bool by_file = !strcmp(x->target->name, "matlab") && !x->folder.count && !pf_task_out_is_standard(x->options);
  const char *name = by_file ? pf_arena_text(x->s.arena, out, strlen(out) - strlen(x->target->ending)) : name_of(&x->s);
  if (!name) return pf_no_room(s->ctx, "the export");
  PF_TRY(pf_export_collect(s->ctx, s->arena, x->system, values, name, &how, &x->export));
  return is_fmu(x) ? write_fmu(x, values) : write_source(x, values);
}

/* ---------------------------------------------------------------- files */

static void put_path(const Exported *x, int i, PfText *path)
{
  if (x->folder.count) pf_text_print(path, "%s/%s", pf_text_get(&x->folder), x->files.at[i].name);
  else pf_text_add(path, x->options->out);
}

static PfStatus write_file(Exported *x, int i, const char *path)
{
  return pf_out_text(x->s.ctx, path, &x->files.at[i].text);
}

static PfStatus spare_file(Exported *x, int i, const char *path)
{
  (void)i;
  PF_TRY(pf_task_spare_files(x->s.ctx, x->options, "out", path));
  /* A Makefile or README from another source is kept: those of Pfaff name it at their beginning. */
  enum { BEGINNING = 2048 };
  char bytes[BEGINNING + 1];
  FILE *stream = fopen(path, "rb");
  if (!stream) return PF_OK;
  bytes[fread(bytes, 1, BEGINNING, stream)] = 0;
  fclose(stream);
  if (x->target->ending || !bytes[0] || strstr(bytes, "pfaff")) return PF_OK;
  pf_fail(x->s.ctx, PF_ERR_FILE, "'%s' is there, and pfaff has not made it", path);
  pf_hint(x->s.ctx, "choose another folder, or remove it");
  return PF_ERR_FILE;
}

static PfStatus for_each_file(Exported *x, PfStatus (*act)(Exported *x, int i, const char *path))
{
  for (int i = 0; i < x->files.count; i++) {
    PfText path;
    pf_text_init(&path, pf_context_allocator(x->s.ctx));
    put_path(x, i, &path);
    PfStatus status = path.failed ? pf_no_room(x->s.ctx, "the export") : act(x, i, pf_text_get(&path));
    pf_text_free(&path);
    PF_TRY(status);
  }
  return PF_OK;
}

static PfStatus export(Exported *x)
{
  static const PfAllocator standard = {pf_standard_resize, NULL}; /* the session gets another context with its model */
  PF_TRY(pf_task_begin_session(&x->s, x->options));
  pf_text_init(&x->folder, &standard);
  /* Settings that only some targets have. */
  const PfRequest *o = x->options;
  PF_TRY(find_target(x->s.ctx, o->to, &x->target));
  if (strcmp(x->target->name, "c") != 0 && pf_task_given(o, "float"))
    return pf_fail(x->s.ctx, PF_ERR_ARGUMENT, "@float has no effect: it is for @to{c}");
  if (!is_fmu(x) && pf_task_given(o, "fmi"))
    return pf_fail(x->s.ctx, PF_ERR_ARGUMENT, "@fmi has no effect: it is for @to{fmu}");
  else if (!isnan(o->fmi) && o->fmi != 2 && o->fmi != 3)
    return pf_fail(x->s.ctx, PF_ERR_ARGUMENT, "@fmi{%.15g}: there are 2 and 3", o->fmi);
  if (!strcmp(x->target->name, "latex"))
    PF_TRY(pf_task_refuse(x->s.ctx, o, "inputs most time as-given", "the equations are those of every state"));
  PF_TRY(find_place(x));
  PF_TRY(pf_task_load(&x->s, x->options));
  if (!is_fmu(x)) pf_task_warn_events(&x->s);
  PF_TRY(!strcmp(x->target->name, "latex") ? write_equations(x) : write_code(x));
  if (!x->folder.count) return pf_task_put(x->s.ctx, x->options, &x->files.at[0].text);
  PF_TRY(pf_out_make_folder(x->s.ctx, pf_text_get(&x->folder)));
  PF_TRY(for_each_file(x, spare_file));
  return for_each_file(x, write_file);
}

/* ---------------------------------------------------------------- the result */

const PfField pf_export_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("to", STRING, "the target, as @to takes it"),
  PF_FIELD_LIST("files", STRING, "paths of the files that were written"),
  PF_FIELD_OPTIONAL("fmi", INTEGER, "version of FMI; this and the next for FMUs only"),
  PF_FIELD_OPTIONAL("variables", INTEGER, "variables of the FMU"),
  PF_FIELD_OPTIONAL("event_indicators", INTEGER, "event indicators of the FMU"),
  PF_FIELD_OPTIONAL("libraries", STRINGS, "platforms for which the FMU has a compiled library, as 'x86_64-linux'"),
  {.key = "trouble", .type = PF_TYPE_STRING, .optional = true, .nullable = true,
   .about = PF_ABOUT("why no library could be compiled; null: there was no trouble")},
  PF_FIELD_OPTIONAL("formulation", STRING, "how accelerations are found; this and the next for code only"),
  PF_FIELD_OPTIONAL("prefix", STRING, "beginning of all names in the code"),
  {.key = "parameters", .type = PF_TYPE_MAP, .of = PF_TYPE_STRING, .optional = true,
   .about = PF_ABOUT("names of parameters, and their identifiers in the code")},
  {.key = "coordinates", .type = PF_TYPE_MAP, .of = PF_TYPE_STRING, .optional = true,
   .about = PF_ABOUT("those of coordinates")},
  {.key = "inputs", .type = PF_TYPE_MAP, .of = PF_TYPE_STRING, .optional = true,
   .about = PF_ABOUT("those of inputs")},
  {.key = "outputs", .type = PF_TYPE_MAP, .of = PF_TYPE_STRING, .optional = true,
   .about = PF_ABOUT("those of outputs")},
  PF_FIELD_DIAGNOSTICS,
  {0}};

static void report_fmu(const Exported *x, PfReport *r)
{
  const PfFmuMade *m = &x->made;
  int version = isnan(x->options->fmi) ? 3 : (int)x->options->fmi;
  pf_report_integer(r, "fmi", version);
  pf_report_integer(r, "variables", m->variable_count);
  pf_report_integer(r, "event_indicators", m->indicator_count);
  pf_report_strings(r, "libraries", m->binaries, m->binary_count);
  pf_report_string(r, "trouble", m->trouble[0] ? m->trouble : NULL);
  pf_report_print(r, "FMI %d.0, %d variables, %d event indicators, %.0f kB; ", version, m->variable_count,
                  m->indicator_count, (double)x->files.at[0].text.count/1000);
  if (!m->binary_count) pf_report_print(r, "sources only");
  for (int i = 0; i < m->binary_count; i++) pf_report_print(r, "%s%s", i ? ", " : "libraries for ", m->binaries[i]);
  if (m->trouble[0]) pf_report_print(r, " (%s)", m->trouble);
  pf_report_print(r, "\n");
}

static void report_names(const char *key, const PfNamedList *list, PfReport *r)
{
  pf_report_open(r, key);
  for (int i = 0; i < list->count; i++) pf_report_string(r, list->at[i].name, list->at[i].id);
  pf_report_close(r);
}

static void write_report(void *user, PfReport *r)
{
  const Exported *x = user;
  const char *form = x->export.form;
  if (pf_task_out_is_standard(x->options)) return; /* the file is all that is said */
  pf_report_string(r, "model", pf_model_label(x->s.model));
  pf_report_string(r, "to", x->target->name);
  pf_report_print(r, form ? "%s, accelerations by %s:" : "%s:", pf_model_label(x->s.model), form);
  pf_report_open(r, "files");
  int listed = 0, runtime = 0;
  for (int i = 0; i < x->files.count; i++) {
    PfText path;
    pf_text_init(&path, pf_context_allocator(x->s.ctx));
    put_path(x, i, &path);
    pf_report_string(r, NULL, pf_text_get(&path));
    if (!strncmp(x->files.at[i].name, "pf_", 3)) runtime++;
    else pf_report_print(r, "%s%s", listed++ ? ", " : " ", pf_text_get(&path));
    pf_text_free(&path);
  }
  pf_report_close(r);
  if (runtime) pf_report_print(r, " and %d files pf_*, the runtime", runtime);
  pf_report_print(r, "\n");
  if (is_fmu(x)) report_fmu(x, r);
  if (form) {
    const PfExport *e = &x->export;
    pf_report_string(r, "formulation", e->form);
    pf_report_string(r, "prefix", e->prefix);
    report_names("parameters", &e->parameters, r);
    report_names("coordinates", &e->coordinates, r);
    report_names("inputs", &e->inputs, r);
    report_names("outputs", &e->outputs, r);
  }
}

static PfStatus run(const PfRequest *options)
{
  Exported x = {.options = options};
  PfStatus status = export(&x);
  status = pf_task_report(x.s.ctx, status, options, &x, write_report);
  pf_export_files_free(&x.files);
  pf_export_free(&x.export);
  pf_system_free(x.system);
  pf_system_free(x.plain);
  pf_task_end(&x.motion);
  if (x.s.ctx) pf_text_free(&x.folder);
  pf_task_close(&x.s);
  return status;
}
