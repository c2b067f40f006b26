/* SPDX-License-Identifier: Apache-2.0 */
/* Derived equations as LaTeX, as a document of their own, and as Markdown. */
#include "task/derive.h"
#include "task/latex.h"

#include <string.h>

static const char *words(Session *s, PfExpr e)
{
  const char *text = pf_expr_print(s->ctx, s->arena, e, PF_LATEX);
  return text ? text : "\\text{(too long to print)}";
}

static void put_equations(Session *s, const PfEquation *list, int from, int to, LatexLines lines, PfText *text)
{
  /* The column of the equals signs: the widest left side. */
  double widest = 0;
  for (int i = from; i < to; i++) {
    PfMark mark = pf_arena_mark(s->arena);
    double width = pf_latex_left(words(s, list[i].left));
    if (width > widest) widest = width;
    pf_arena_release(s->arena, mark);
  }
  double column = widest;
  for (int i = from; i < to; i++) {
    PfMark mark = pf_arena_mark(s->arena);
    const char *left = words(s, list[i].left);
    pf_latex_equation(text, s->arena, left, words(s, list[i].right), column, lines, i + 1 == to);
    pf_arena_release(s->arena, mark);
  }
}

static void put_parts(Session *s, const PfDerivation *d, LatexLines lines, PfText *text)
{
  for (int i = 0; i < d->part_count; i++) {
    PfMark mark = pf_arena_mark(s->arena);
    const char *name = words(s, d->part_names[i]);
    double column = pf_latex_left("z_{100}");
    pf_latex_equation(text, s->arena, name, words(s, d->part_values[i]), column, lines, i + 1 == d->part_count);
    pf_arena_release(s->arena, mark);
  }
}

/* ---------------------------------------------------------------- vectors and matrices */

/* All rows, or the diagonal, side by side in a line of the page. */
static bool fits(Session *s, const PfNamedMatrix *m, bool diagonal)
{
  enum { BRACKETS = 3, BETWEEN = 1 };
  int columns = diagonal ? m->rows : m->columns, step = diagonal ? m->columns + 1 : 1;
  const char **row = pf_arena_array(s->arena, const char *, columns + BRACKETS);
  bool good = row != NULL;
  for (int first = 0; good && first < (diagonal ? 1 : m->rows*m->columns); first += m->columns) {
    PfMark mark = pf_arena_mark(s->arena);
    for (int k = 0; k < columns; k++) row[k] = words(s, m->entries[first + k*step]);
    for (int k = 0; k < BRACKETS; k++) row[columns + k] = words(s, m->name);
    good = pf_latex_fits(row, columns + BRACKETS, BETWEEN);
    pf_arena_release(s->arena, mark);
  }
  return good;
}

static void put_matrix(Session *s, const PfNamedMatrix *m, LatexLines lines, PfText *text)
{
  bool diagonal = pf_derived_is_diagonal(s, m);
  if (!fits(s, m, diagonal)) {
    /* Entry by entry, where rows are too wide: those that are not zero. */
    int last = m->rows*m->columns - 1;
    while (last > 0 && pf_expr_is_structural_zero(s->ctx, m->entries[last])) last--;
    for (int i = 0; i <= last; i++) {
      PfMark mark = pf_arena_mark(s->arena);
      char left[300];
      if (i < last && pf_expr_is_structural_zero(s->ctx, m->entries[i])) continue;
      if (m->columns == 1) snprintf(left, sizeof left, "{%.200s}_{%d}", words(s, m->name), i + 1);
      else snprintf(left, sizeof left, "{%.200s}_{%d,%d}", words(s, m->name), i/m->columns + 1, i%m->columns + 1);
      pf_latex_equation(text, s->arena, left, words(s, m->entries[i]), pf_latex_left("z_{100}"), lines, i == last);
      pf_arena_release(s->arena, mark);
    }
    return;
  }
  pf_text_print(text, "%s &= %s", words(s, m->name), diagonal ? "\\operatorname{diag}\\left(" : "\\begin{pmatrix} ");
  for (int i = 0; i < m->rows*m->columns; i += diagonal ? m->columns + 1 : 1) {
    PfMark mark = pf_arena_mark(s->arena);
    const char *between = diagonal ? ",\\, " : i%m->columns ? " & " : " \\\\ ";
    pf_text_print(text, "%s%s", i ? between : "", words(s, m->entries[i]));
    pf_arena_release(s->arena, mark);
  }
  pf_text_add(text, diagonal ? "\\right)\n" : " \\end{pmatrix}\n");
}

/* The equals sign is where lines are aligned. */
static void put_line(const PfLine *line, PfText *text)
{
  const char *equals = strstr(line->latex, " = ");
  if (equals) pf_text_print(text, "%.*s &= %s\n", (int)(equals - line->latex), line->latex, equals + 3);
  else pf_text_print(text, "%s\n", line->latex);
}

/* Equations between vectors, equations between matrices, the matrices. */
static void put_vectors(Session *s, const PfDerivation *d, LatexLines lines, PfText *text)
{
  int count = d->line_count + d->matrix_line_count + d->matrix_count;
  for (int i = 0; i < count; i++) {
    int line = i - d->line_count, matrix = line - d->matrix_line_count;
    if (i) pf_text_add(text, "\\\\\n");
    if (matrix >= 0) put_matrix(s, d->matrices + matrix, lines, text);
    else put_line(line < 0 ? d->lines + i : d->matrix_lines + line, text);
  }
}

static bool has_vectors(const PfDerivation *d)
{
  return d->line_count + d->matrix_line_count > 0;
}

/* Conditions longer than a line are left to the JSON output. */
static void put_conditions(Session *s, const PfDerivation *d, const char *open, const char *close, PfText *text)
{
  enum { LONG_CONDITION = 200 };
  int long_ones = 0;
  if (!d->divisor_count) return;
  pf_text_add(text, "\nThis form holds where these do not vanish:");
  for (int i = 0, told = 0; i < d->divisor_count; i++) {
    const char *one = words(s, d->divisors[i]);
    bool short_enough = strlen(one) <= LONG_CONDITION;
    long_ones += !short_enough;
    if (short_enough) pf_text_print(text, "%s %s%s%s", told++ ? "," : "", open, one, close);
  }
  if (long_ones && long_ones < d->divisor_count) pf_text_add(text, ", and");
  if (long_ones) pf_text_print(text, " %d long expression%s", long_ones, long_ones == 1 ? "" : "s");
  pf_text_add(text, ".\n");
}

/* ---------------------------------------------------------------- LaTeX */

void pf_derived_latex(Session *s, const PfDerivation *d, PfText *text)
{
  /* Each step as a sentence, followed by its result. */
  for (int k = 0, from = 0; k < d->step_section_count; from += d->step_sections[k++].count) {
    if (!d->step_sections[k].count) continue;
    pf_latex_words(text, d->step_sections[k].title);
    pf_text_add(text, ":\n\\begin{align}\n");
    put_equations(s, d->steps, from, from + d->step_sections[k].count, LATEX_NUMBERED, text);
    pf_text_add(text, "\\end{align}\n");
  }
  if (d->step_section_count) pf_text_add(text, "Equations of motion:\n");
  pf_text_add(text, "\\begin{align}\n");
  put_equations(s, d->equations, 0, d->equation_count, LATEX_NUMBERED, text);
  pf_text_add(text, "\\end{align}\n");
  put_conditions(s, d, "\\(", "\\)", text);
  if (d->part_count) {
    pf_text_add(text, "where\n\\begin{align}\n");
    put_parts(s, d, LATEX_NUMBERED, text);
    pf_text_add(text, "\\end{align}\n");
  }
  if (!has_vectors(d)) return;
  pf_text_print(text, "In %s:\n\\begin{align}\n", d->matrix_count ? "matrices" : "vectors");
  put_vectors(s, d, LATEX_NUMBERED, text);
  pf_text_add(text, "\\end{align}\n");
}

static void put_align(Session *s, const PfEquation *list, const char *title, int from, int to, PfText *text)
{
  if (from == to) return;
  pf_text_add(text, "\n\\subsection*{");
  pf_latex_words(text, title);
  pf_text_add(text, "}\n\\begin{align}\n");
  put_equations(s, list, from, to, LATEX_NUMBERED, text);
  pf_text_add(text, "\\end{align}\n");
}

void pf_derived_document(Session *s, const PfDerivation *d, PfText *text)
{
  char title[100];
  /* The preamble and the title. */
  pf_text_add(text, "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n"
              "\\usepackage[a4paper,margin=25mm]{geometry}\n\\usepackage{amsmath}\n\\allowdisplaybreaks\n"
              "\\begin{document}\n\\section*{");
  pf_latex_words(text, pf_model_label(s->model));
  pf_text_add(text, "}\n");
  if (s->model->title[0]) {
    pf_latex_words(text, s->model->title);
    pf_text_add(text, "\n");
  }
  for (int k = 0, from = 0; k < d->step_section_count; from += d->step_sections[k++].count)
    put_align(s, d->steps, d->step_sections[k].title, from, from + d->step_sections[k].count, text);
  snprintf(title, sizeof title, "Equations of motion (%s)", strcmp(d->form, "rosenberg_extended") ? d->form
                                                                : "Rosenberg, extended");
  put_align(s, d->equations, title, 0, d->motion_count, text);
  for (int k = 0, from = d->motion_count; k < d->section_count; from += d->sections[k++].count)
    put_align(s, d->equations, d->sections[k].title, from, from + d->sections[k].count, text);
  put_conditions(s, d, "\\(", "\\)", text);
  if (d->part_count) {
    pf_text_add(text, "\n\\subsection*{Abbreviations}\n\\begin{align}\n");
    put_parts(s, d, LATEX_NUMBERED, text);
    pf_text_add(text, "\\end{align}\n");
  }
  if (has_vectors(d)) {
    pf_text_print(text, "\n\\subsection*{In %s}\n\\begin{align}\n", d->matrix_count ? "matrices" : "vectors");
    put_vectors(s, d, LATEX_NUMBERED, text);
    pf_text_add(text, "\\end{align}\n");
  }
  pf_text_add(text, "\\end{document}\n");
}

/* ---------------------------------------------------------------- Markdown */

/* Signs that Markdown or HTML would take for its own. */
static void put_markdown_words(PfText *text, const char *from)
{
  for (; *from; from++) pf_text_print(text, strchr("\\`*_{}[]()<>#+-.!|$~&", *from) ? "\\%c" : "%c", *from);
}

static void open_block(const char *title, PfText *text)
{
  pf_text_print(text, "\n## %s\n\n$$\n\\begin{aligned}\n", title);
}

static void close_block(PfText *text)
{
  pf_text_add(text, "\\end{aligned}\n$$\n");
}

static void put_block(Session *s, const PfEquation *list, const char *title, int from, int to, PfText *text)
{
  if (from == to) return;
  open_block(title, text);
  put_equations(s, list, from, to, LATEX_PLAIN, text);
  close_block(text);
}

void pf_derived_markdown(Session *s, const PfDerivation *d, PfText *text)
{
  char title[100];
  pf_text_add(text, "# ");
  put_markdown_words(text, pf_model_label(s->model));
  pf_text_add(text, "\n");
  if (s->model->title[0]) {
    pf_text_add(text, "\n");
    put_markdown_words(text, s->model->title);
    pf_text_add(text, "\n");
  }
  for (int k = 0, from = 0; k < d->step_section_count; from += d->step_sections[k++].count)
    put_block(s, d->steps, d->step_sections[k].title, from, from + d->step_sections[k].count, text);
  snprintf(title, sizeof title, "Equations of motion (`%s`)", d->form);
  put_block(s, d->equations, title, 0, d->motion_count, text);
  for (int k = 0, from = d->motion_count; k < d->section_count; from += d->sections[k++].count)
    put_block(s, d->equations, d->sections[k].title, from, from + d->sections[k].count, text);
  put_conditions(s, d, "$", "$", text);
  if (d->part_count) {
    open_block("Abbreviations", text);
    put_parts(s, d, LATEX_PLAIN, text);
    close_block(text);
  }
  if (!has_vectors(d)) return;
  open_block(d->matrix_count ? "In matrices" : "In vectors", text);
  put_vectors(s, d, LATEX_PLAIN, text);
  close_block(text);
}
