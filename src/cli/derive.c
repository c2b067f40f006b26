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
  bool failed;
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

/* ---------------------------------------------------------------- LaTeX */

static const char *latex_equation(Session *s, const PfEquation *e)
{
  const char *left = words(s, e->left, PF_LATEX), *right = words(s, e->right, PF_LATEX);
  size_t length = strlen(left) + strlen(right) + 8;
  char *text = pf_arena_alloc(s->arena, length, 1);
  if (text) snprintf(text, length, "%s = %s", left, right);
  return text ? text : "";
}

/* ---------------------------------------------------------------- JSON */

static void json_list(Session *s, PfJson *json, const char *key, const PfExpr *list, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_string(json, NULL, words(s, list[i], PF_TEXT));
  pf_json_close(json, ']');
}

static void json_matrix(Session *s, PfJson *json, const char *key, const PfExpr *matrix, int rows, int columns)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < rows; i++) json_list(s, json, NULL, matrix + (size_t)i*(size_t)columns, columns);
  pf_json_close(json, ']');
}

static void json_equations(Session *s, const PfDerivation *d, PfJson *json)
{
  pf_json_open(json, "equations", '[');
  for (int i = 0, section = -1, end = d->motion_count; i < d->equation_count; i++) {
    const PfEquation *e = d->equations + i;
    if (i == end) end += d->sections[++section].count;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "name", e->name);
    pf_json_string(json, "section", section < 0 ? "Equations of motion" : d->sections[section].title);
    pf_json_string(json, "lhs", words(s, e->left, PF_TEXT));
    pf_json_string(json, "rhs", words(s, e->right, PF_TEXT));
    pf_json_string(json, "latex", latex_equation(s, e));
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_open(json, "where", '[');
  for (int i = 0; i < d->part_count; i++) {
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "name", words(s, d->part_names[i], PF_TEXT));
    pf_json_string(json, "value", words(s, d->part_values[i], PF_TEXT));
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void json_steps(Session *s, const PfDerivation *d, PfJson *json)
{
  const PfEquation *e = d->steps;
  pf_json_open(json, "steps", '[');
  for (int k = 0; k < d->step_section_count; k++) {
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "title", d->step_sections[k].title);
    pf_json_open(json, "equations", '[');
    for (int i = 0; i < d->step_sections[k].count; i++, e++) {
      pf_json_open(json, NULL, '{');
      pf_json_string(json, "name", e->name);
      pf_json_string(json, "value", words(s, e->right, PF_TEXT));
      pf_json_string(json, "latex", latex_equation(s, e));
      pf_json_close(json, '}');
    }
    pf_json_close(json, ']');
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

static void json_lines(PfJson *json, const char *key, const PfLine *lines, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) {
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "text", lines[i].text);
    pf_json_string(json, "latex", lines[i].latex);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
}

/* Names to rows of formulas. */
static void json_named_matrices(Session *s, const PfDerivation *d, PfJson *json)
{
  json_lines(json, "matrix_equations", d->matrix_lines, d->matrix_line_count);
  pf_json_open(json, "matrices", '{');
  for (int i = 0; i < d->matrix_count; i++) {
    const PfNamedMatrix *m = d->matrices + i;
    const char *name = words(s, m->name, PF_TEXT);
    if (m->columns == 1) json_list(s, json, name, m->entries, m->rows);
    else json_matrix(s, json, name, m->entries, m->rows, m->columns);
  }
  pf_json_close(json, '}');
}

void pf_cli_json_derivation(Session *s, const PfDerivation *d, const PfCount *count, double seconds, PfJson *json)
{
  const PfEquations *eq = &d->simple;
  pf_json_string(json, "model", pf_cli_name(s->model));
  pf_json_string(json, "form", d->form);
  json_list(s, json, "unknowns", d->unknowns, d->unknown_count);
  json_equations(s, d, json);
  if (d->step_section_count) json_steps(s, d, json);
  if (d->line_count) json_lines(json, "vector_equations", d->lines, d->line_count);
  if (d->matrix_count) json_named_matrices(s, d, json);
  json_list(s, json, "holds_where_nonzero", d->divisors, d->divisor_count);
  if (!d->part_count && eq->M) {
    json_matrix(s, json, "mass_matrix", eq->M, eq->n, eq->n);
    json_list(s, json, "forces", eq->F, eq->n);
    json_matrix(s, json, "constraint_matrix", eq->A, eq->m, eq->n);
    json_list(s, json, "constraint_right_side", eq->b, eq->m);
  }
  pf_json_integer(json, "operations", (long long)count->additions + count->multiplications + count->divisions +
                                        count->functions);
  pf_json_open(json, "operation_counts", '{');
  pf_json_integer(json, "additions", count->additions);
  pf_json_integer(json, "multiplications", count->multiplications);
  pf_json_integer(json, "divisions", count->divisions);
  pf_json_integer(json, "functions", count->functions);
  pf_json_close(json, '}');
  pf_json_number(json, "seconds", seconds);
  pf_cli_json_diagnostics(s->ctx, json);
}

/* ---------------------------------------------------------------- the command */

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

/* The keys without their values, and why. */
static void json_failure(const Derived *x, PfJson *json)
{
  static const char *const lists[] = {"unknowns", "equations"};
  const PfModel *model = x->s.model;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", model && model->name[0] ? model->name : NULL);
  pf_json_string(json, "form", form_name(x->options));
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++) {
    pf_json_open(json, lists[i], '[');
    pf_json_close(json, ']');
  }
  pf_json_string(json, "operations", NULL);
  pf_json_string(json, "seconds", NULL);
  pf_cli_json_diagnostics(x->s.ctx, json);
  pf_json_close(json, '}');
}

static void write_json(void *user, PfJson *json)
{
  Derived *x = user;
  if (x->failed) {
    json_failure(x, json);
    return;
  }
  pf_json_open(json, NULL, '{');
  pf_cli_json_derivation(&x->s, &x->d, &x->count, x->s.seconds, json);
  pf_json_close(json, '}');
}

static void write_latex(Derived *x, PfText *text)
{
  if (x->options->standalone) pf_derived_document(&x->s, &x->d, text);
  else pf_derived_latex(&x->s, &x->d, text);
}

static void write_text(void *user, PfText *text)
{
  Derived *x = user;
  if (x->options->latex) write_latex(x, text);
  else if (x->options->markdown) pf_derived_markdown(&x->s, &x->d, text);
  else if (x->options->c) (void)pf_derived_c(&x->s, &x->d, text); /* what failed is told in the end */
  else text_all(&x->s, &x->d, &x->count, text);
}

/* LaTeX for what ends in .tex, Markdown for .md; --latex and --markdown decide where there is no ending, as for '-'. */
static PfStatus write_file(Derived *x)
{
  const Options *o = x->options;
  PfContext *ctx = x->s.ctx;
  bool standard = pf_cli_out_is_standard(o), json = pf_cli_out_is(o, "json");
  bool latex = pf_cli_out_is(o, "tex") || (o->latex && standard);
  bool markdown = pf_cli_out_is(o, "md") || (o->markdown && standard);
  bool c = pf_cli_out_is(o, "c") || (o->c && standard);
  PfStatus made = PF_OK;
  if ((o->latex || o->standalone) && !latex)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--%s and --out %s: the name must end in .tex",
                   o->latex ? "latex" : "standalone", o->out);
  if (o->markdown && !markdown)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "--markdown and --out %s: the name must end in .md", o->out);
  if (o->c && !c) return pf_fail(ctx, PF_ERR_ARGUMENT, "--c and --out %s: the name must end in .c", o->out);
  PfJson out; /* its text serves all */
  pf_json_begin(&out, pf_context_allocator(ctx));
  if (json) write_json(x, &out);
  else if (latex) write_latex(x, &out.text);
  else if (markdown) pf_derived_markdown(&x->s, &x->d, &out.text);
  else if (c) made = pf_derived_c(&x->s, &x->d, &out.text);
  else text_all(&x->s, &x->d, &x->count, &out.text);
  PfStatus status = made == PF_OK ? pf_cli_put(ctx, o, &out.text) : made;
  pf_json_free(&out);
  return status;
}

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_derive, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Derived x = {.options = &options};
  PfStatus status = derive(&x);
  if (status == PF_OK && options.out) status = write_file(&x);
  x.failed = status != PF_OK;
  if ((status == PF_OK && !options.out) || (options.json && x.s.ctx))
    code = pf_cli_output(x.s.ctx, &options, &x, write_json, write_text);
  if (status == PF_OK && pf_error_count(x.s.ctx)) code = PF_EXIT_FAILED; /* something was too long to print */
  pf_cli_diagnostics(x.s.ctx, options.console);
  pf_cli_close(&x.s);
  return status == PF_OK ? code : pf_cli_exit_code(status);
}
