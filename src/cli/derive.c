/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff derive: the equations of motion, readable. */
#include "cli/derive.h"
#include "out/file.h"

#include <math.h>
#include <string.h>

static int run(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "form", .help = "the form of the equations (default: multipliers, also called lagrange)",
   .values = pf_derived_form},
  {.name = "param",
   .help = "another value for a parameter; independent velocities are chosen at these values"},
  {.name = "state", .help = "another start, likewise"},
  {.name = "out", .help = "writes the equations to a file"},
  {0}};

static const OptionNeed needs[] = {
  {.names = "latex", .without = "json"}, {.names = "markdown", .without = "json latex standalone"},
  {.names = "c", .without = "json latex standalone markdown"},
  {.names = "standalone", .with = "latex out"},
  {0}};

const Command pf_command_derive = {
  .name = "derive", .summary = "the equations of motion, readable, as text, LaTeX or Markdown",
  .operands = "FILE",
  .about = "Prints the equations of motion in the shortest form found. Formulas keep the names of parameters.",
  .takes = "form independent steps matrices param state latex standalone markdown c out json ",
  .writes = {"txt", "tex", "md", "c", "json"},
  .own = own,
  .needs = needs,
  .examples = "pfaff derive --form laconic examples/skates/snakeboard.pf\n"
              "pfaff derive --form laconic --steps examples/wheels/unicycle.pf\npfaff derive --out snakeboard.tex "
              "examples/skates/snakeboard.pf\n",
  .run = run};

static const char *form_name(const Options *options)
{
  return options->form ? pf_form_name(options->form) : "multipliers";
}

typedef struct Derived {
  Session s;
  const Options *options;
  PfDerivation d;
  PfCount count;
} Derived;

static const char *words(Session *s, PfExpr e, PfNotation notation)
{
  const char *text = pf_expr_print(s->ctx, s->arena, e, notation);
  return text ? text : "(too long to print)";
}

/* ---------------------------------------------------------------- text */

static void text_list(Session *s, const PfEquations *eq, PfText *text, const char *title, const char *symbol,
                      const PfExpr *list)
{
  bool any = false;
  for (int i = 0; i < eq->n; i++) any = any || !pf_expr_is_structural_zero(s->ctx, list[i]);
  if (!any) return;
  pf_text_print(text, "\n%s\n", title);
  for (int i = 0; i < eq->n; i++)
    if (!pf_expr_is_structural_zero(s->ctx, list[i]))
      pf_text_print(text, "  %s[%s] = %s\n", symbol, eq->model->coordinates[i].name, words(s, list[i], PF_TEXT));
}

static void text_matrix(Session *s, const PfDerivation *d, PfText *text)
{
  const PfEquations *eq = &d->simple;
  pf_text_add(text, "\nMass matrix (symmetric; entries that are not zero)\n");
  for (int i = 0; i < eq->n; i++)
    for (int j = i; j < eq->n; j++) {
      PfExpr entry = eq->M[i*eq->n + j];
      if (pf_expr_is_structural_zero(s->ctx, entry)) continue;
      const char *row = eq->model->coordinates[i].name, *column = eq->model->coordinates[j].name;
      PfMark mark = pf_arena_mark(s->arena);
      pf_text_print(text, "  M[%s, %s] = %s\n", row, column, words(s, entry, PF_TEXT));
      pf_arena_release(s->arena, mark);
    }
}

static int widest_name(const PfDerivation *d)
{
  int widest = 0;
  for (int i = 0; i < d->equation_count; i++) {
    int length = (int)strlen(d->equations[i].name);
    if (length > widest) widest = length;
  }
  return widest;
}

static void text_steps(Session *s, const PfDerivation *d, PfText *text)
{
  const PfEquation *e = d->steps;
  for (int k = 0; k < d->step_section_count; k++) {
    if (d->step_sections[k].count) pf_text_print(text, "\n%d. %s\n", k + 1, d->step_sections[k].title);
    for (int i = 0; i < d->step_sections[k].count; i++, e++) {
      PfMark mark = pf_arena_mark(s->arena);
      pf_text_print(text, "  %s = %s\n", e->name, words(s, e->right, PF_TEXT));
      pf_arena_release(s->arena, mark);
    }
  }
  if (d->long_steps)
    pf_text_print(text, "\n%d formula%s of these steps %s left out: they are too long to read\n", d->long_steps,
                  d->long_steps == 1 ? "" : "s", d->long_steps == 1 ? "is" : "are");
}

static void text_equations(Session *s, const PfDerivation *d, PfText *text)
{
  int width = widest_name(d) + 1;
  pf_text_print(text, "\nEquations of motion (%s)\n", d->form);
  for (int i = 0, section = 0, end = d->motion_count; i < d->equation_count; i++) {
    if (i == end) {
      pf_text_print(text, "\n%s\n", d->sections[section].title);
      end += d->sections[section++].count;
    }
    const PfEquation *e = d->equations + i;
    pf_text_print(text, "  %s:%*s", e->name, width - (int)strlen(e->name), "");
    pf_text_print(text, "%s = ", words(s, e->left, PF_TEXT));
    pf_text_print(text, "%s\n", words(s, e->right, PF_TEXT));
  }
  for (int i = 0; i < d->divisor_count; i++)
    pf_text_print(text, "%s%s", i ? ", " : "\nThis form holds where these do not vanish: ",
                  words(s, d->divisors[i], PF_TEXT));
  if (d->divisor_count) pf_text_add(text, "\n");
  if (d->part_count) pf_text_add(text, "\nwhere\n");
  for (int i = 0; i < d->part_count; i++)
    pf_text_print(text, "  %-6s = %s\n", words(s, d->part_names[i], PF_TEXT), words(s, d->part_values[i], PF_TEXT));
}

static void text_lines(const PfLine *lines, int count, const char *title, PfText *text)
{
  if (count) pf_text_print(text, "\n%s\n", title);
  for (int i = 0; i < count; i++) pf_text_print(text, "  %s\n", lines[i].text);
}

bool pf_derived_is_diagonal(Session *s, const PfNamedMatrix *m)
{
  for (int i = 0; i < m->rows*m->columns; i++)
    if (i/m->columns != i%m->columns && !pf_expr_is_structural_zero(s->ctx, m->entries[i])) return false;
  return m->rows == m->columns && m->rows > 1;
}

/* A vector on a line, as the diagonal of a diagonal matrix; another matrix row by row. */
static void text_named_matrix(Session *s, const PfNamedMatrix *m, PfText *text)
{
  const char *name = words(s, m->name, PF_TEXT);
  bool diagonal = pf_derived_is_diagonal(s, m), one_line = diagonal || m->columns == 1;
  int indent = (int)strlen(name) + 6;
  pf_text_print(text, "  %s = %s", name, diagonal ? "diag(" : one_line ? "(" : "[");
  for (int i = 0; i < m->rows*m->columns; i += diagonal ? m->columns + 1 : 1) {
    PfMark mark = pf_arena_mark(s->arena);
    bool new_row = i && !one_line && i%m->columns == 0;
    if (new_row) pf_text_print(text, ";\n%*s", indent, "");
    pf_text_print(text, "%s%s", i && !new_row ? ", " : "", words(s, m->entries[i], PF_TEXT));
    pf_arena_release(s->arena, mark);
  }
  pf_text_print(text, "%s\n", one_line ? ")" : "]");
}

/* Shared parts are named only in the equations; matrices that would be very long are left to --json. */
static void text_all(Session *s, const PfDerivation *d, const PfCount *count, PfText *text)
{
  const PfModel *model = s->model;
  pf_text_print(text, "%s: %d coordinate%s, %d constraint%s\n", pf_cli_name(model),
                model->coordinate_count, model->coordinate_count == 1 ? "" : "s", model->constraint_count,
                model->constraint_count == 1 ? "" : "s");
  text_steps(s, d, text);
  if (!d->part_count && d->simple.M) {
    text_matrix(s, d, text);
    text_list(s, &d->simple, text, "Forces", "F", d->simple.F);
    text_list(s, &d->simple, text, "Non-ideal forces", "C", d->simple.C);
  }
  text_equations(s, d, text);
  text_lines(d->lines, d->line_count, "In vectors (x: cross product, . dot product, o product of quaternions)", text);
  text_lines(d->matrix_lines, d->matrix_line_count, "In matrices", text);
  for (int i = 0; i < d->matrix_count; i++) text_named_matrix(s, d->matrices + i, text);
  pf_text_print(text, "\n%d additions, %d multiplications, %d divisions and %d functions evaluate M, F, A and b.\n",
                count->additions, count->multiplications, count->divisions, count->functions);
  if (!pf_expr_has_normal_forms(s->ctx))
    pf_text_add(text, "Without FLINT, which was not found, these equations may be longer than they need be.\n");
}

void pf_derived_text(Session *session, const PfDerivation *derivation, PfText *text)
{
  text_steps(session, derivation, text);
  text_equations(session, derivation, text);
}

/* ---------------------------------------------------------------- the tree of the report */

static const PfField equation_fields[] = {
  PF_FIELD("name", STRING, "the coordinate, speed or constraint that the equation belongs to"),
  PF_FIELD("section", STRING, "the title under which the equation is printed"),
  PF_FIELD("lhs", STRING, "left side, in the language of models"),
  PF_FIELD("rhs", STRING, "right side"),
  PF_FIELD("latex", STRING, "the whole equation in LaTeX"),
  {0}};

static const PfField abbreviation_fields[] = {
  PF_FIELD("name", STRING, "the symbol that the equations use"),
  PF_FIELD("value", STRING, "the formula it stands for"),
  {0}};

static const PfField step_equation_fields[] = {
  PF_FIELD("name", STRING, "the left side"),
  PF_FIELD("value", STRING, "the right side, in the language of models"),
  PF_FIELD("latex", STRING, "the whole equation in LaTeX"),
  {0}};

static const PfField step_fields[] = {
  PF_FIELD("title", STRING, "the purpose of the step"),
  PF_FIELD_RECORDS("equations", step_equation_fields, "the formulas found in this step; very long ones are left out"),
  {0}};

static const PfField line_fields[] = {
  PF_FIELD("text", STRING, "the equation as plain text"),
  PF_FIELD("latex", STRING, "the equation in LaTeX"),
  {0}};

static const PfField count_fields[] = {
  PF_FIELD("additions", INTEGER, "additions and subtractions"),
  PF_FIELD("multiplications", INTEGER, "multiplications"),
  PF_FIELD("divisions", INTEGER, "divisions"),
  PF_FIELD("functions", INTEGER, "calls of functions, as sin and sqrt"),
  {0}};

#define RECORDS(name, table, meaning) \
  .key = name, .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = table, .about = meaning
#define FORMULAS(name, meaning) .key = name, .type = PF_TYPE_STRINGS, .about = meaning

const PfField pf_derivation_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("form", STRING, "the form of the equations"),
  {FORMULAS("unknowns", "the accelerations, rates and multipliers that the equations determine")},
  {RECORDS("equations", equation_fields, "the equations of motion, then those of other sections, in order")},
  {RECORDS("where", abbreviation_fields, "abbreviations in the equations, each after those it uses"), .optional = true},
  {RECORDS("steps", step_fields, "the derivation step by step, when requested"), .optional = true},
  {RECORDS("vector_equations", line_fields, "the same equations in vectors, where they exist"), .optional = true},
  {RECORDS("matrix_equations", line_fields, "the same equations in matrices, when requested"), .optional = true},
  {.key = "matrices", .type = PF_TYPE_MAP, .of = PF_TYPE_STRINGS, .optional = true,
   .about = "the matrices of these by name: rows of formulas, or a list for a vector"},
  {FORMULAS("holds_where_nonzero", "divisors of the equations: the form holds where none vanishes"), .optional = true},
  {FORMULAS("mass_matrix", "M by rows; left out when the equations have abbreviations"), .optional = true},
  {FORMULAS("forces", "F of M q'' = F + A' lambda, one for each coordinate"), .optional = true},
  {FORMULAS("constraint_matrix", "A of the constraints A q'' = b, by rows"), .optional = true},
  {FORMULAS("constraint_right_side", "b of the constraints, one for each"), .optional = true},
  PF_FIELD("operations", INTEGER, "operations that evaluate M, F, A and b"),
  {.key = "operation_counts", .type = PF_TYPE_RECORD, .fields = count_fields, .optional = true,
   .about = "the same by kind"},
  PF_FIELD("seconds", NUMBER, "time from the text of the model to M, F, A and b"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* left = right */
static const char *latex_equation(Session *s, const PfEquation *e)
{
  const char *left = words(s, e->left, PF_LATEX), *right = words(s, e->right, PF_LATEX);
  size_t length = strlen(left) + strlen(right) + 8;
  char *text = pf_arena_alloc(s->arena, length, 1);
  if (text) snprintf(text, length, "%s = %s", left, right);
  return text ? text : "";
}

/* Formulas as a matrix by rows; -1 columns: a vector. */
static void report_formulas(Session *s, const char *key, const PfExpr *list, int rows, int columns, PfReport *r)
{
  PfMark mark = pf_arena_mark(s->arena);
  size_t count = (size_t)rows*(size_t)(columns < 0 ? 1 : columns);
  const char **text = pf_arena_array(s->arena, const char *, count);
  if (!text) (void)pf_no_room(s->ctx, "the formulas");
  for (size_t i = 0; text && i < count; i++) text[i] = words(s, list[i], PF_TEXT);
  if (text && columns < 0) pf_report_strings(r, key, text, rows);
  else if (text) pf_report_string_matrix(r, key, text, rows, columns);
  pf_arena_release(s->arena, mark);
}

static void report_equations(Session *s, const PfDerivation *d, PfReport *r)
{
  pf_report_open(r, "equations");
  for (int i = 0, section = -1, end = d->motion_count; i < d->equation_count; i++) {
    const PfEquation *e = d->equations + i;
    if (i == end) end += d->sections[++section].count;
    PfMark mark = pf_arena_mark(s->arena);
    pf_report_open(r, NULL);
    pf_report_string(r, "name", e->name);
    pf_report_string(r, "section", section < 0 ? "Equations of motion" : d->sections[section].title);
    pf_report_string(r, "lhs", words(s, e->left, PF_TEXT));
    pf_report_string(r, "rhs", words(s, e->right, PF_TEXT));
    pf_report_string(r, "latex", latex_equation(s, e));
    pf_report_close(r);
    pf_arena_release(s->arena, mark);
  }
  pf_report_close(r);
  pf_report_open(r, "where");
  for (int i = 0; i < d->part_count; i++) {
    PfMark mark = pf_arena_mark(s->arena);
    pf_report_open(r, NULL);
    pf_report_string(r, "name", words(s, d->part_names[i], PF_TEXT));
    pf_report_string(r, "value", words(s, d->part_values[i], PF_TEXT));
    pf_report_close(r);
    pf_arena_release(s->arena, mark);
  }
  pf_report_close(r);
}

static void report_steps(Session *s, const PfDerivation *d, PfReport *r)
{
  const PfEquation *e = d->steps;
  pf_report_open(r, "steps");
  for (int k = 0; k < d->step_section_count; k++) {
    pf_report_open(r, NULL);
    pf_report_string(r, "title", d->step_sections[k].title);
    pf_report_open(r, "equations");
    for (int i = 0; i < d->step_sections[k].count; i++, e++) {
      PfMark mark = pf_arena_mark(s->arena);
      pf_report_open(r, NULL);
      pf_report_string(r, "name", e->name);
      pf_report_string(r, "value", words(s, e->right, PF_TEXT));
      pf_report_string(r, "latex", latex_equation(s, e));
      pf_report_close(r);
      pf_arena_release(s->arena, mark);
    }
    pf_report_close(r);
    pf_report_close(r);
  }
  pf_report_close(r);
}

static void report_lines(const char *key, const PfLine *lines, int count, PfReport *r)
{
  pf_report_open(r, key);
  for (int i = 0; i < count; i++) {
    pf_report_open(r, NULL);
    pf_report_string(r, "text", lines[i].text);
    pf_report_string(r, "latex", lines[i].latex);
    pf_report_close(r);
  }
  pf_report_close(r);
}

static void report_matrices(Session *s, const PfDerivation *d, PfReport *r)
{
  report_lines("matrix_equations", d->matrix_lines, d->matrix_line_count, r);
  pf_report_open(r, "matrices");
  for (int i = 0; i < d->matrix_count; i++) {
    const PfNamedMatrix *m = d->matrices + i;
    report_formulas(s, words(s, m->name, PF_TEXT), m->entries, m->rows, m->columns == 1 ? -1 : m->columns, r);
  }
  pf_report_close(r);
}

static void report_count(const PfCount *count, PfReport *r)
{
  pf_report_integer(r, "operations", (long long)count->additions + count->multiplications + count->divisions +
                                       count->functions);
  pf_report_open(r, "operation_counts");
  pf_report_integer(r, "additions", count->additions);
  pf_report_integer(r, "multiplications", count->multiplications);
  pf_report_integer(r, "divisions", count->divisions);
  pf_report_integer(r, "functions", count->functions);
  pf_report_close(r);
}

void pf_derivation_report(Session *s, const PfDerivation *d, const PfCount *count, double seconds, PfReport *r)
{
  const PfEquations *eq = &d->simple;
  pf_report_string(r, "model", pf_cli_name(s->model));
  pf_report_string(r, "form", d->form);
  report_formulas(s, "unknowns", d->unknowns, d->unknown_count, -1, r);
  report_equations(s, d, r);
  if (d->step_section_count) report_steps(s, d, r);
  if (d->line_count) report_lines("vector_equations", d->lines, d->line_count, r);
  if (d->matrix_count) report_matrices(s, d, r);
  report_formulas(s, "holds_where_nonzero", d->divisors, d->divisor_count, -1, r);
  if (!d->part_count && eq->M) {
    report_formulas(s, "mass_matrix", eq->M, eq->n, eq->n, r);
    report_formulas(s, "forces", eq->F, eq->n, -1, r);
    report_formulas(s, "constraint_matrix", eq->A, eq->m, eq->n, r);
    report_formulas(s, "constraint_right_side", eq->b, eq->m, -1, r);
  }
  report_count(count, r);
  pf_report_number(r, "seconds", seconds);
}

/* ---------------------------------------------------------------- the computation */

/* Formulas keep the names; the numbers matter where a form chooses velocities at the start. */
PfStatus pf_cli_keep_parameters(Session *s, const Options *options)
{
  const double *given = pf_cli_parameters(s->ctx, s->arena, s->model, options);
  if (!given) return PF_ERR_ARGUMENT;
  for (int i = 0; i < s->model->parameter_count; i++)
    if (!isnan(given[i])) s->model->parameters[i].value = pf_expr_shortest(s->ctx, given[i]);
  return PF_OK;
}

static bool is_printed(const char *form)
{
  const char *name, *summary;
  for (int i = 0; (name = pf_derived_form(i, &summary)); i++)
    if (!strcmp(name, form)) return true;
  return false;
}

static PfStatus derive(Derived *x)
{
  const char *form = form_name(x->options);
  PF_TRY(pf_cli_open(&x->s, x->options));
  PF_TRY(pf_cli_keep_parameters(&x->s, x->options));
  PF_TRY(pf_cli_count(&x->s, &x->count));
  PfDiagnosis diagnosis;
  PF_TRY(pf_diagnose(x->s.ctx, x->s.arena, &x->s.equations, NULL, &diagnosis)); /* constraints that contradict */
  PfDeriveOptions how = {.form = form, .independent = x->options->independent, .steps = x->options->steps,
                         .matrices = x->options->matrices};
  PfStatus status = pf_derive(x->s.ctx, x->s.arena, &x->s.equations, &how, &x->d);
  if (status == PF_ERR_ARGUMENT && !is_printed(form) && pf_formulation_find(form))
    pf_hint(x->s.ctx, "'%s' is a way to compute, without equations to print: 'eval', 'compare' and 'run' take it",
            form);
  return status;
}

/* ---------------------------------------------------------------- the result */

static void write_latex(Derived *x, PfText *text)
{
  if (x->options->standalone) pf_derived_document(&x->s, &x->d, text);
  else pf_derived_latex(&x->s, &x->d, text);
}

/* The kind of file that the name of --out asks for, or that --latex, --markdown or --c ask for where there is no file
 * and no ending, as for '-'. */
static const char *kind_of(const Options *o)
{
  if (o->out && !pf_cli_out_is_standard(o)) return pf_cli_out_kind(o);
  return o->latex ? "tex" : o->markdown ? "md" : o->c ? "c" : o->json ? "json" : "txt";
}

/* The tree, or the text of the kind that was asked for: formulas may be long, each is printed for one of them only. */
static PfStatus write_result(Derived *x, const char *kind, PfReport *r)
{
  PfText *text = pf_report_page(r);
  PfStatus status = PF_OK;
  if (!strcmp(kind, "tex")) write_latex(x, text);
  else if (!strcmp(kind, "md")) pf_derived_markdown(&x->s, &x->d, text);
  else if (!strcmp(kind, "c")) status = pf_derived_c(&x->s, &x->d, text);
  else if (!strcmp(kind, "json")) pf_derivation_report(&x->s, &x->d, &x->count, x->s.seconds, r);
  else text_all(&x->s, &x->d, &x->count, text);
  pf_report_diagnostics(r, x->s.ctx);
  return status;
}

/* After an error programs get the keys without their values, and why. */
static void write_failure(const Derived *x, PfReport *r)
{
  const PfModel *model = x->s.model;
  pf_report_string(r, "model", model && model->name[0] ? model->name : NULL);
  pf_report_string(r, "form", form_name(x->options));
  pf_report_strings(r, "unknowns", NULL, 0);
  pf_report_open(r, "equations");
  pf_report_close(r);
  pf_report_diagnostics(r, x->s.ctx);
}

/* ---------------------------------------------------------------- the command */

/* Options that choose a kind must agree with the name of the file. */
static PfStatus check_kind(PfContext *ctx, const Options *o)
{
  const char *kind = kind_of(o), *option = o->latex ? "latex" : "standalone";
  if ((o->latex || o->standalone) && strcmp(kind, "tex") != 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--%s and --out %s: the name must end in .tex", option, o->out);
  if (o->markdown && strcmp(kind, "md") != 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--markdown and --out %s: the name must end in .md", o->out);
  if (o->c && strcmp(kind, "c") != 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--c and --out %s: the name must end in .c", o->out);
  return PF_OK;
}

static PfStatus fill_file(Derived *x, PfReport *r)
{
  const char *kind = kind_of(x->options);
  PF_TRY(write_result(x, kind, r));
  bool json = !strcmp(kind, "json");
  const char *result = json ? pf_report_json(r) : pf_report_text(r);
  if (!result) return pf_no_room(x->s.ctx, "the equations");
  PfText text = {.at = (char *)(uintptr_t)result, .count = strlen(result) - json, /* without the end of the line */
                 .failed = pf_report_check(r) != PF_OK};
  return pf_cli_put(x->s.ctx, x->options, &text);
}

static PfStatus write_file(Derived *x)
{
  PfReport *report;
  PF_TRY(check_kind(x->s.ctx, x->options));
  PF_TRY(pf_report_new(x->s.ctx, pf_derivation_fields, &report));
  PfStatus status = fill_file(x, report);
  pf_report_free(report);
  return status;
}

/* To standard output: for programs, with or without a result. */
static int print_report(Derived *x, PfStatus status)
{
  PfReport *report;
  if (pf_report_new(x->s.ctx, pf_derivation_fields, &report) != PF_OK) return PF_EXIT_FAILED;
  if (status != PF_OK) write_failure(x, report);
  else (void)write_result(x, x->options->json ? "json" : kind_of(x->options), report); /* diagnostics tell failures */
  int code = pf_cli_put_report(x->s.ctx, x->options, report);
  pf_report_free(report);
  return code;
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_derive, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Derived x = {.options = &options};
  PfStatus status = derive(&x);
  if (status == PF_OK && options.out) status = write_file(&x);
  if ((status == PF_OK && !options.out) || (options.json && x.s.ctx)) code = print_report(&x, status);
  if (status == PF_OK && pf_error_count(x.s.ctx)) code = PF_EXIT_FAILED; /* something was too long to print */
  pf_cli_diagnostics(x.s.ctx, options.console);
  pf_cli_close(&x.s);
  return status == PF_OK ? code : pf_cli_exit_code(status);
}
