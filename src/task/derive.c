/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff derive: the equations of motion, readable. */
#include "task/derive.h"
#include "out/file.h"

#include <math.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "form", .help = "the form of the equations (default: multipliers, also called lagrange)",
   .values = pf_derived_form},
  {.name = "param",
   .help = "another value for a parameter; independent velocities are chosen at these values"},
  {.name = "state", .help = "another start, likewise"},
  {.name = "out", .help = "writes the equations to a file"},
  {0}};

static const SettingNeed needs[] = {
  {.names = "latex", .without = "json"}, {.names = "markdown", .without = "json latex standalone"},
  {.names = "c", .without = "json latex standalone markdown"},
  {.names = "standalone", .with = "latex out"},
  {0}};

const PfTask pf_derive_task = {
  .name = "derive", .summary = "the equations of motion, readable, as text, LaTeX or Markdown",
  .operands = "FILE",
  .about = "Prints the equations of motion in the shortest form found. Formulas keep the names of parameters.",
  .takes = "form independent solved steps matrices param state latex standalone markdown c out json ",
  .writes = {"txt", "tex", "md", "c", "json"},
  .own = own,
  .needs = needs,
  .examples = "@call{derive @form{laconic} examples/skates/snakeboard.pf}\n"
              "@call{derive @form{laconic} @steps examples/wheels/unicycle.pf}\n"
              "@call{derive @out{snakeboard.tex} examples/skates/snakeboard.pf}\n",
  .fields = pf_derivation_fields,
  .run = run};

static const char *form_name(const PfRequest *options)
{
  return options->form ? pf_form_name(options->form) : "multipliers";
}

/* A form of the equations, and what M, F, A and b cost. */
typedef struct Form {
  PfDerivation d;
  PfCount count;
} Form;

typedef struct Derived {
  Session s;
  const PfRequest *options;
  Form form;
} Derived;

static const char *words(Session *s, PfExpr e, PfNotation notation)
{
  const char *text = pf_expr_print(s->ctx, s->arena, e, notation);
  return text ? text : "(too long to print)";
}

/* ---------------------------------------------------------------- fields */

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
  .key = name, .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = table, .about = PF_ABOUT(meaning)
#define FORMULAS(name, meaning) .key = name, .type = PF_TYPE_STRINGS, .about = PF_ABOUT(meaning)

const PfField pf_derivation_fields[] = {
  PF_FIELD("model", STRING, "name of the model, or of its file"),
  PF_FIELD("form", STRING, "the form of the equations"),
  {FORMULAS("unknowns", "the accelerations, rates and multipliers that the equations determine")},
  {RECORDS("equations", equation_fields, "the equations of motion, then those of other sections, in order")},
  {RECORDS("where", abbreviation_fields, "abbreviations in the equations, each after those it uses"), .optional = true},
  {RECORDS("steps", step_fields, "the derivation step by step, when requested"), .optional = true},
  {RECORDS("vector_equations", line_fields, "the same equations in vectors, where they exist"), .optional = true},
  {RECORDS("matrix_equations", line_fields, "the same equations in matrices, when requested"), .optional = true},
  {.key = "matrices", .type = PF_TYPE_MAP, .of = PF_TYPE_STRINGS, .layout = PF_VECTOR_OR_MATRIX, .optional = true,
   .about = PF_ABOUT("the matrices of these by name: rows of formulas, or a list for a vector")},
  {FORMULAS("holds_where_nonzero", "divisors of the equations: the form holds where none vanishes"), .optional = true},
  {FORMULAS("mass_matrix", "M by rows; left out when the equations have abbreviations"), .layout = PF_MATRIX,
   .optional = true},
  {FORMULAS("forces", "F of M q'' = F + A' lambda, one for each coordinate"), .optional = true},
  {FORMULAS("constraint_matrix", "A of the constraints A q'' = b, by rows"), .layout = PF_MATRIX, .optional = true},
  {FORMULAS("constraint_right_side", "b of the constraints, one for each"), .optional = true},
  PF_FIELD("operations", INTEGER, "operations that evaluate M, F, A and b"),
  {.key = "operation_counts", .type = PF_TYPE_RECORD, .fields = count_fields, .optional = true,
   .about = PF_ABOUT("the same by kind")},
  PF_FIELD_OR_NULL("seconds", NUMBER, "time from the text of the model to M, F, A and b; null in a page"),
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* ---------------------------------------------------------------- writing */

/* A derivation on its way into a text and a tree; either may be NULL. Each formula is printed once for both. */
typedef struct Writer {
  Session *s;
  const PfDerivation *d;
  PfText *text;
  PfReport *tree;
} Writer;

/* left = right */
static const char *latex_equation(Session *s, const PfEquation *e)
{
  const char *left = words(s, e->left, PF_LATEX), *right = words(s, e->right, PF_LATEX);
  size_t length = strlen(left) + strlen(right) + 8;
  char *text = pf_arena_alloc(s->arena, length, 1);
  if (text) snprintf(text, length, "%s = %s", left, right);
  return text ? text : "";
}

/* Formulas in the tree, as a matrix by rows; -1 columns: a vector. */
static void write_formulas(const Writer *w, const char *key, const PfExpr *list, int rows, int columns)
{
  Session *s = w->s;
  PfMark mark = pf_arena_mark(s->arena);
  size_t count = (size_t)rows*(size_t)(columns < 0 ? 1 : columns);
  const char **text = pf_arena_array(s->arena, const char *, count);
  if (!text) (void)pf_no_room(s->ctx, "the formulas");
  for (size_t i = 0; text && i < count; i++) text[i] = words(s, list[i], PF_TEXT);
  if (text && columns < 0) pf_report_strings(w->tree, key, text, rows);
  else if (text) pf_report_string_matrix(w->tree, key, text, rows, columns);
  pf_arena_release(s->arena, mark);
}

/* The way to the equations, section by section. */
static void write_steps(const Writer *w)
{
  const PfDerivation *d = w->d;
  const PfEquation *e = d->steps;
  if (w->tree && d->step_section_count) pf_report_open(w->tree, "steps");
  for (int k = 0; k < d->step_section_count; k++) {
    const PfDerivationPart *section = d->step_sections + k;
    if (w->text && section->count) pf_text_print(w->text, "\n%d. %s\n", k + 1, section->title);
    if (w->tree) {
      pf_report_open(w->tree, NULL);
      pf_report_string(w->tree, "title", section->title);
      pf_report_open(w->tree, "equations");
    }
    for (int i = 0; i < section->count; i++, e++) {
      PfMark mark = pf_arena_mark(w->s->arena);
      const char *value = words(w->s, e->right, PF_TEXT);
      if (w->text) pf_text_print(w->text, "  %s = %s\n", e->name, value);
      if (w->tree) {
        pf_report_open(w->tree, NULL);
        pf_report_string(w->tree, "name", e->name);
        pf_report_string(w->tree, "value", value);
        pf_report_string(w->tree, "latex", latex_equation(w->s, e));
        pf_report_close(w->tree);
      }
      pf_arena_release(w->s->arena, mark);
    }
    if (w->tree) pf_report_close(w->tree), pf_report_close(w->tree);
  }
  if (w->tree && d->step_section_count) pf_report_close(w->tree);
  if (w->text && d->long_steps)
    pf_text_print(w->text, "\n%d formula%s of these steps %s left out: they are too long to read\n", d->long_steps,
                  d->long_steps == 1 ? "" : "s", d->long_steps == 1 ? "is" : "are");
}

/* The equations of motion and those of other sections, where they hold, and their abbreviations. */
static void write_equations(const Writer *w)
{
  const PfDerivation *d = w->d;
  Session *s = w->s;
  int widest = 0;
  for (int i = 0; i < d->equation_count; i++) {
    int length = (int)strlen(d->equations[i].name);
    if (length > widest) widest = length;
  }
  if (w->text) pf_text_print(w->text, "\nEquations of motion (%s)\n", d->form);
  if (w->tree) pf_report_open(w->tree, "equations");
  for (int i = 0, section = -1, end = d->motion_count; i < d->equation_count; i++) {
    const PfEquation *e = d->equations + i;
    if (i == end) {
      end += d->sections[++section].count;
      if (w->text) pf_text_print(w->text, "\n%s\n", d->sections[section].title);
    }
    PfMark mark = pf_arena_mark(s->arena);
    const char *left = words(s, e->left, PF_TEXT), *right = words(s, e->right, PF_TEXT);
    if (w->text)
      pf_text_print(w->text, "  %s:%*s%s = %s\n", e->name, widest + 1 - (int)strlen(e->name), "", left, right);
    if (w->tree) {
      pf_report_open(w->tree, NULL);
      pf_report_string(w->tree, "name", e->name);
      pf_report_string(w->tree, "section", section < 0 ? "Equations of motion" : d->sections[section].title);
      pf_report_string(w->tree, "lhs", left);
      pf_report_string(w->tree, "rhs", right);
      pf_report_string(w->tree, "latex", latex_equation(s, e));
      pf_report_close(w->tree);
    }
    pf_arena_release(s->arena, mark);
  }
  if (w->tree) pf_report_close(w->tree);
  if (w->tree) write_formulas(w, "holds_where_nonzero", d->divisors, d->divisor_count, -1);
  for (int i = 0; w->text && i < d->divisor_count; i++)
    pf_text_print(w->text, "%s%s%s", i ? ", " : "\nThis form holds where these do not vanish: ",
                  words(s, d->divisors[i], PF_TEXT), i + 1 == d->divisor_count ? "\n" : "");
  if (w->text && d->part_count) pf_text_add(w->text, "\nwhere\n");
  if (w->tree) pf_report_open(w->tree, "where");
  for (int i = 0; i < d->part_count; i++) {
    PfMark mark = pf_arena_mark(s->arena);
    const char *name = words(s, d->part_names[i], PF_TEXT), *value = words(s, d->part_values[i], PF_TEXT);
    if (w->text) pf_text_print(w->text, "  %-6s = %s\n", name, value);
    if (w->tree) {
      pf_report_open(w->tree, NULL);
      pf_report_string(w->tree, "name", name);
      pf_report_string(w->tree, "value", value);
      pf_report_close(w->tree);
    }
    pf_arena_release(s->arena, mark);
  }
  if (w->tree) pf_report_close(w->tree);
}

void pf_derived_text(Session *session, const PfDerivation *derivation, PfText *text)
{
  const Writer w = {.s = session, .d = derivation, .text = text};
  write_steps(&w);
  write_equations(&w);
}

/* The same equations in another notation. */
static void write_lines(const Writer *w, const char *key, const char *title, const PfLine *lines, int count)
{
  if (!count) return;
  if (w->text) pf_text_print(w->text, "\n%s\n", title);
  if (w->tree) pf_report_open(w->tree, key);
  for (int i = 0; i < count; i++) {
    if (w->text) pf_text_print(w->text, "  %s\n", lines[i].text);
    if (!w->tree) continue;
    pf_report_open(w->tree, NULL);
    pf_report_string(w->tree, "text", lines[i].text);
    pf_report_string(w->tree, "latex", lines[i].latex);
    pf_report_close(w->tree);
  }
  if (w->tree) pf_report_close(w->tree);
}

bool pf_derived_is_diagonal(Session *s, const PfNamedMatrix *m)
{
  for (int i = 0; i < m->rows*m->columns; i++)
    if (i/m->columns != i%m->columns && !pf_expr_is_structural_zero(s->ctx, m->entries[i])) return false;
  return m->rows == m->columns && m->rows > 1;
}

/* As text: a vector on a line, as the diagonal of a diagonal matrix; another matrix row by row. */
static void print_matrix(Session *s, const PfNamedMatrix *m, PfText *text)
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

/* M, F, A and b: all entries in the tree, those of M and of the forces that are not zero in the text. */
static void write_system(const Writer *w)
{
  const PfEquations *eq = &w->d->simple;
  const struct {
    const char *title, *symbol;
    const PfExpr *list;
  } forces[] = {{"Forces", "F", eq->F}, {"Non-ideal forces", "C", eq->C}};
  if (w->tree) {
    write_formulas(w, "mass_matrix", eq->M, eq->n, eq->n);
    write_formulas(w, "forces", eq->F, eq->n, -1);
    write_formulas(w, "constraint_matrix", eq->A, eq->m, eq->n);
    write_formulas(w, "constraint_right_side", eq->b, eq->m, -1);
  }
  if (!w->text) return;
  const PfCoordinate *q = eq->model->coordinates;
  pf_text_add(w->text, "\nMass matrix (symmetric; entries that are not zero)\n");
  for (int i = 0; i < eq->n; i++)
    for (int j = i; j < eq->n; j++) {
      PfExpr entry = eq->M[i*eq->n + j];
      if (pf_expr_is_structural_zero(w->s->ctx, entry)) continue;
      PfMark mark = pf_arena_mark(w->s->arena);
      pf_text_print(w->text, "  M[%s, %s] = %s\n", q[i].name, q[j].name, words(w->s, entry, PF_TEXT));
      pf_arena_release(w->s->arena, mark);
    }
  for (int k = 0; k < 2; k++) {
    bool any = false;
    for (int i = 0; i < eq->n; i++) {
      PfExpr entry = forces[k].list[i];
      if (pf_expr_is_structural_zero(w->s->ctx, entry)) continue;
      if (!any) pf_text_print(w->text, "\n%s\n", forces[k].title);
      any = true;
      pf_text_print(w->text, "  %s[%s] = %s\n", forces[k].symbol, q[i].name, words(w->s, entry, PF_TEXT));
    }
  }
}

void pf_derivation_report(Session *s, const PfDerivation *d, const PfCount *count, double seconds, PfText *text,
                          PfReport *tree)
{
  const Writer w = {s, d, text, tree};
  const PfModel *model = s->model;
  if (tree) {
    pf_report_string(tree, "model", pf_model_label(model));
    pf_report_string(tree, "form", d->form);
    write_formulas(&w, "unknowns", d->unknowns, d->unknown_count, -1);
    pf_report_integer(tree, "operations", (long long)count->additions + count->multiplications + count->divisions +
                                            count->functions);
    pf_report_open(tree, "operation_counts");
    pf_report_integer(tree, "additions", count->additions);
    pf_report_integer(tree, "multiplications", count->multiplications);
    pf_report_integer(tree, "divisions", count->divisions);
    pf_report_integer(tree, "functions", count->functions);
    pf_report_close(tree);
    pf_report_number(tree, "seconds", seconds);
  }
  if (text)
    pf_text_print(text, "%s: %d coordinate%s, %d constraint%s\n", pf_model_label(model), model->coordinate_count,
                  model->coordinate_count == 1 ? "" : "s", model->constraint_count,
                  model->constraint_count == 1 ? "" : "s");
  write_steps(&w);
  if (!d->part_count && d->simple.M) write_system(&w); /* shared parts are named only in the equations */
  write_equations(&w);
  write_lines(&w, "vector_equations", "In vectors (x: cross product, . dot product, o product of quaternions)",
              d->lines, d->line_count);
  write_lines(&w, "matrix_equations", "In matrices", d->matrix_lines, d->matrix_line_count);
  if (tree && d->matrix_count) pf_report_open(tree, "matrices");
  for (int i = 0; i < d->matrix_count; i++) {
    const PfNamedMatrix *m = d->matrices + i;
    if (text) print_matrix(s, m, text);
    if (tree) write_formulas(&w, words(s, m->name, PF_TEXT), m->entries, m->rows, m->columns == 1 ? -1 : m->columns);
  }
  if (tree && d->matrix_count) pf_report_close(tree);
  if (!text) return;
  pf_text_print(text, "\n%d additions, %d multiplications, %d divisions and %d functions evaluate M, F, A and b.\n",
                count->additions, count->multiplications, count->divisions, count->functions);
  if (!pf_expr_has_normal_forms(s->ctx))
    pf_text_add(text, "Without FLINT, which was not found, these equations may be longer than they need be.\n");
}

/* ---------------------------------------------------------------- the computation */

/* Formulas keep the names; the numbers matter where a form chooses velocities at the start. */
PfStatus pf_task_keep_parameters(Session *s, const PfRequest *options)
{
  const double *given = pf_task_parameters(s->ctx, s->arena, s->model, options);
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

static PfStatus compute(Session *s, const PfDeriveOptions *how, Form *form)
{
  PfDiagnosis diagnosis;
  PF_TRY(pf_task_count(s, &form->count));
  PF_TRY(pf_diagnose(s->ctx, s->arena, &s->equations, NULL, &diagnosis)); /* constraints that contradict */
  return pf_derive(s->ctx, s->arena, &s->equations, how, &form->d);
}

/* A form as the model says, which the machine keeps. One that fails does so in the session, in the words of its
 * context. */
static PfStatus make_form(PfWorkspace *w, const void *details, void **result)
{
  const int before = pf_diagnostic_count(w->ctx);
  Form *form = pf_arena_array(w->arena, Form, 1);
  if (!form) return pf_no_room(w->ctx, "the equations");
  PfStatus status = compute(w, details, form);
  if (status != PF_OK) return pf_end_attempt(w->ctx, before, status);
  *result = form;
  return PF_OK;
}

/* It lies in the arena of its workspace. */
static void leave_form(void *result)
{
  (void)result;
}

static const PfPreparation form_preparation = {PF_FORMULAS, make_form, leave_form};

/* With steps and matrices, other starts or parameters the form is that of this request alone. */
static PfStatus derive(Derived *x)
{
  const PfRequest *o = x->options;
  const char *form = form_name(o);
  const PfDeriveOptions how = {.form = form, .independent = o->independent, .steps = o->steps, .matrices = o->matrices,
                               .solved = o->solved};
  const bool plain = !o->independent && !o->steps && !o->matrices && !o->solved && !o->parameters.count &&
                     !o->state.count;
  if (plain && is_printed(form)) PF_TRY(pf_task_open_prepared(&x->s, o, &form_preparation, form, &how));
  else PF_TRY(pf_task_open(&x->s, o));
  const Form *known = pf_workspace_prepared(&x->s, &form_preparation);
  if (known) { /* expressions that are made from it belong to the session: its context, not that of the preparation */
    PfModel *model = pf_arena_array(x->s.arena, PfModel, 1);
    if (!model) return pf_no_room(x->s.ctx, "the equations");
    *model = *known->d.model;
    model->ctx = x->s.ctx;
    x->form = *known;
    x->form.d.model = x->form.d.simple.model = model;
    return PF_OK;
  }
  PF_TRY(pf_task_keep_parameters(&x->s, o));
  PfStatus status = compute(&x->s, &how, &x->form);
  if (status == PF_ERR_ARGUMENT && !is_printed(form) && pf_formulation_find(form))
    pf_hint(x->s.ctx, "'%s' is a way to compute, without equations to print: 'eval', 'compare' and 'run' take it",
            form);
  return status;
}

/* ---------------------------------------------------------------- the result */

/* The kind of file that the name of --out stands for, or the one that --latex, --markdown or --c selects where there is
 * no file and no ending, as for '-'. */
static const char *kind_of(const PfRequest *o)
{
  if (o->out && !pf_task_out_is_standard(o)) return pf_task_out_kind(o);
  return o->latex ? "tex" : o->markdown ? "md" : o->c ? "c" : "txt";
}

/* The text of a kind (NULL: none) and the tree, if it is wanted. */
static PfStatus write_result(Derived *x, const char *kind, bool tree, PfReport *r)
{
  PfText *text = pf_report_page(r);
  PfStatus status = PF_OK;
  bool plain = kind && !strcmp(kind, "txt");
  if (plain || tree)
    pf_derivation_report(&x->s, &x->form.d, &x->form.count, x->s.seconds, plain ? text : NULL, tree ? r : NULL);
  if (kind && !strcmp(kind, "tex")) {
    if (x->options->standalone) pf_derived_document(&x->s, &x->form.d, text);
    else pf_derived_latex(&x->s, &x->form.d, text);
  }
  if (kind && !strcmp(kind, "md")) pf_derived_markdown(&x->s, &x->form.d, text);
  if (kind && !strcmp(kind, "c")) status = pf_derived_c(&x->s, &x->form.d, text);
  pf_report_diagnostics(r, x->s.ctx);
  return status;
}

/* ---------------------------------------------------------------- the command */

static PfStatus fill_file(Derived *x, PfReport *r)
{
  const char *kind = kind_of(x->options);
  bool json = !strcmp(kind, "json");
  PF_TRY(write_result(x, kind, json, r));
  const char *result = json ? pf_report_json(r) : pf_report_text(r);
  if (!result) return pf_no_room(x->s.ctx, "the equations");
  PfText text = {.at = (char *)(uintptr_t)result, .count = strlen(result) - json, /* without the end of the line */
                 .failed = pf_report_check(r) != PF_OK};
  return pf_task_put(x->s.ctx, x->options, &text);
}

static PfStatus write_file(Derived *x)
{
  PfReport *report;
  /* Options that choose a kind must agree with the name of the file. */
  PfContext *ctx = x->s.ctx;
  const PfRequest *o = x->options;
  const char *kind = kind_of(o), *option = o->latex ? "latex" : "standalone";
  if ((o->latex || o->standalone) && strcmp(kind, "tex") != 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s and @out{%s}: the name must end in .tex", option, o->out);
  if (o->markdown && strcmp(kind, "md") != 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@markdown and @out{%s}: the name must end in .md", o->out);
  if (o->c && strcmp(kind, "c") != 0)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@c and @out{%s}: the name must end in .c", o->out);
  PF_TRY(pf_report_new(x->s.ctx, pf_derivation_fields, &report));
  PfStatus status = fill_file(x, report);
  pf_report_free(report);
  return status;
}

/* Without a file: the tree and the text that are wanted, with or without a result. */
static PfStatus give_report(Derived *x, PfStatus status)
{
  const PfRequest *o = x->options;
  PfReport *report;
  if (pf_report_new(x->s.ctx, pf_derivation_fields, &report) != PF_OK) return PF_ERR_MEMORY;
  if (status != PF_OK) {
    /* After an error programs get the keys without their values, and why. */
    const PfModel *model = x->s.model;
    pf_report_string(report, "model", model && model->name[0] ? model->name : NULL);
    pf_report_string(report, "form", form_name(x->options));
    pf_report_strings(report, "unknowns", NULL, 0);
    pf_report_open(report, "equations");
    pf_report_close(report);
    pf_report_diagnostics(report, x->s.ctx);
  }
  if (status == PF_OK && !o->out) status = write_result(x, o->text ? kind_of(o) : NULL, o->tree, report);
  if (pf_report_check(report) == PF_OK) return pf_task_give(x->s.ctx, status, o, report);
  pf_report_free(report);
  return pf_task_give(x->s.ctx, PF_ERR_MEMORY, o, NULL);
}

static PfStatus run(const PfRequest *options)
{
  Derived x = {.options = options};
  PfStatus status = derive(&x);
  if (status == PF_OK && options->out) status = write_file(&x);
  if (x.s.ctx) status = give_report(&x, status);
  if (status == PF_OK && pf_error_count(x.s.ctx)) status = PF_ERR_LIMIT; /* something was too long to print */
  pf_task_close(&x.s);
  return status;
}
