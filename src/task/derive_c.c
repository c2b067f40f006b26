/* SPDX-License-Identifier: Apache-2.0 */
/* Derived equations as statements of C: first a list of the given quantities, then definitions, each after those that
 * it uses. Equations that are not solved for one unknown become residuals, which vanish along the motion. */
#include "task/derive.h"

#include <stdlib.h>
#include <string.h>

/* symbol = value */
typedef struct Definition {
  PfExpr symbol, value;
  bool placed;
} Definition;

typedef struct Work {
  Session *s;
  const PfDerivation *d;
  Definition *list;
  int count;
  int *of; /* per handle: which definition, + 1 */
} Work;

static const char *words(Session *s, PfExpr e)
{
  const char *text = pf_expr_print(s->ctx, s->arena, e, PF_C);
  return text ? text : "NAN /* too long to print */";
}

static bool is_listed(const PfExpr *list, int count, PfExpr e)
{
  for (int i = 0; i < count; i++)
    if (list[i] == e) return true;
  return false;
}

/* Pseudo-velocities are given, not worked out. */
static bool is_definition(const Work *w, const PfEquation *e)
{
  bool symbol = pf_expr_op(w->s->ctx, e->left) == PF_OP_SYMBOL;
  return symbol && !(w->d->speeds && is_listed(w->d->speeds, w->d->unknown_count, e->left));
}

static bool is_used(const Work *w, PfExpr symbol)
{
  PfContext *ctx = w->s->ctx;
  for (int k = 0; k < w->d->equation_count; k++)
    if (pf_expr_depends(ctx, w->d->equations[k].left, &symbol, 1) ||
        pf_expr_depends(ctx, w->d->equations[k].right, &symbol, 1)) return true;
  for (int k = 0; k < w->d->part_count; k++)
    if (pf_expr_depends(ctx, w->d->part_values[k], &symbol, 1)) return true;
  return false;
}

/* ---------------------------------------------------------------- definitions */

static bool is_defined(const Work *w, PfExpr symbol)
{
  for (int i = 0; i < w->count; i++)
    if (w->list[i].symbol == symbol) return true;
  return false;
}

static void define(Work *w, PfExpr symbol, PfExpr value)
{
  if (!is_defined(w, symbol)) w->list[w->count++] = (Definition){symbol, value, false};
}

/* The first definition that this one uses and that is not placed yet; or -1. */
static PfStatus find_open(const Work *w, const Definition *own, int *open)
{
  PfExpr *nodes;
  int count;
  *open = -1;
  PF_TRY(pf_expr_reach(w->s->ctx, w->s->arena, &own->value, 1, &nodes, &count));
  for (int i = 0; i < count && *open < 0; i++) {
    int other = w->of[nodes[i]] - 1;
    if (other >= 0 && !w->list[other].placed && w->list + other != own) *open = other;
  }
  return PF_OK;
}

/* Depth first: every definition after those that it uses. */
static PfStatus sort(Work *w)
{
  w->of = pf_arena_array(w->s->arena, int, (size_t)pf_expr_table_size(w->s->ctx) + 1);
  if (!w->of) return pf_no_room(w->s->ctx, "the statements");
  for (int i = 0; i < w->count; i++) {
    w->of[w->list[i].symbol] = i + 1;
    w->list[i].placed = false;
  }
  Definition *order = pf_arena_array(w->s->arena, Definition, 2*(size_t)w->count + 1); /* room for their rates */
  int *stack = pf_arena_array(w->s->arena, int, w->count + 1), done = 0;
  if (!order || !stack) return pf_no_room(w->s->ctx, "the statements");
  for (int first = 0; first < w->count; first++) {
    int top = 0;
    if (!w->list[first].placed) stack[top++] = first;
    while (top > 0) {
      Definition *own = w->list + stack[top - 1];
      int open = -1;
      PfMark mark = pf_arena_mark(w->s->arena);
      if (!own->placed) PF_TRY(find_open(w, own, &open));
      pf_arena_release(w->s->arena, mark);
      if (open >= 0 && top < w->count) {
        stack[top++] = open;
        continue;
      }
      if (!own->placed) order[done++] = *own;
      own->placed = true;
      top--;
    }
  }
  w->list = order;
  return PF_OK;
}

/* ---------------------------------------------------------------- rates of definitions */

static PfExpr rate_symbol(const Work *w, PfExpr symbol)
{
  char name[320];
  snprintf(name, sizeof name, "%.310s'", pf_expr_symbol_name(w->s->ctx, symbol));
  return pf_expr_symbol(w->s->ctx, name);
}

/* Do equations, or rates that are defined already, contain it? */
static bool is_asked_for(const Work *w, PfExpr rate, int own)
{
  bool asked = is_used(w, rate);
  for (int i = own; i < w->count && !asked; i++) asked = pf_expr_depends(w->s->ctx, w->list[i].value, &rate, 1);
  return asked && !is_defined(w, rate) && !is_listed(w->d->unknowns, w->d->unknown_count, rate);
}

/* ---------------------------------------------------------------- writing */

static bool is_residual(const Work *w, const PfEquation *e)
{
  return pf_expr_op(w->s->ctx, e->left) != PF_OP_SYMBOL;
}

/* Does a statement contain it? */
static bool is_needed(const Work *w, PfExpr symbol)
{
  PfContext *ctx = w->s->ctx;
  for (int i = 0; i < w->count; i++)
    if (pf_expr_depends(ctx, w->list[i].value, &symbol, 1)) return true;
  for (int i = 0; i < w->d->equation_count; i++) {
    const PfEquation *e = w->d->equations + i;
    if (is_residual(w, e) && (pf_expr_depends(ctx, e->left, &symbol, 1) || pf_expr_depends(ctx, e->right, &symbol, 1)))
      return true;
  }
  for (int k = 0; k < w->d->matrix_count; k++)
    for (int i = 0; i < w->d->matrices[k].rows*w->d->matrices[k].columns; i++)
      if (pf_expr_depends(ctx, w->d->matrices[k].entries[i], &symbol, 1)) return true;
  return false;
}

static void put_given_of(Work *w, const PfExpr *list, int count, PfText *text)
{
  for (int i = 0; i < count; i++)
    if (!w->of[list[i]] && is_needed(w, list[i])) pf_text_print(text, " %s", words(w->s, list[i]));
}

static void put_given(Work *w, PfText *text)
{
  const PfModel *model = w->d->model;
  const PfDerivation *d = w->d;
  for (int i = 0; i < model->parameter_count; i++)
    put_given_of(w, &model->parameters[i].symbol, 1, text);
  for (int i = 0; i < model->coordinate_count; i++) {
    const PfCoordinate *c = model->coordinates + i;
    put_given_of(w, &c->q, 1, text);
    bool speed = d->speeds && is_listed(d->speeds, d->unknown_count, c->v); /* these come last */
    bool unknown = is_listed(d->unknowns, d->unknown_count, c->v); /* likewise */
    if (!speed && !unknown) put_given_of(w, &c->v, 1, text);
  }
  for (int i = 0; i < model->auxiliary_count; i++)
    put_given_of(w, &model->auxiliaries[i].symbol, 1, text);
  for (int i = 0; i < model->input_count; i++)
    put_given_of(w, &model->inputs[i].symbol, 1, text);
  put_given_of(w, &model->time, 1, text);
  if (d->speeds) put_given_of(w, d->speeds, d->unknown_count, text);
  put_given_of(w, d->momenta, d->momentum_count, text);
  put_given_of(w, d->unknowns, d->unknown_count, text);
}

static PfStatus prepare(Work *w)
{
  size_t room = (size_t)w->d->part_count + (size_t)w->d->equation_count;
  w->list = pf_arena_array(w->s->arena, Definition, 2*room);
  if (!w->list) return pf_no_room(w->s->ctx, "the statements");
  /* Abbreviations, and all equations that say what a symbol is. */
  const PfDerivation *d = w->d;
  for (int i = 0; i < d->part_count; i++) define(w, d->part_names[i], d->part_values[i]);
  for (int i = 0; i < d->equation_count; i++)
    if (is_definition(w, d->equations + i)) define(w, d->equations[i].left, d->equations[i].right);
  PF_TRY(sort(w));
  /* Rates in equations, such as mu' or chi'', in terms of the rates of the quantities in their definitions,
   * recursively: from the last definition to the first, since each contains only earlier ones. */
  int own = w->count;
  /* The derivation with all definitions as abbreviations: it knows their rates. */
  PfDerivation all = *w->d;
  PF_TRY(pf_arrays(w->s->ctx, w->s->arena, "the statements", PF_ROOM(all.part_names, w->count),
                   PF_ROOM(all.part_values, w->count)));
  all.part_count = w->count;
  for (int i = 0; i < w->count; i++)
    all.part_names[i] = w->list[i].symbol, all.part_values[i] = w->list[i].value;
  for (int i = own; i-- > 0;) {
    PfExpr rate = rate_symbol(w, w->list[i].symbol), value;
    if (!is_asked_for(w, rate, own)) continue;
    PF_TRY(pf_derivation_rate(w->s->ctx, w->s->arena, &all, i, &value));
    define(w, rate, value);
  }
  return sort(w);
}

/* Matrices by rows; a matrix that is only a list of names is left to the reader. */
static void put_matrices(Work *w, PfText *text)
{
  for (int k = 0; k < w->d->matrix_count; k++) {
    const PfNamedMatrix *m = w->d->matrices + k;
    bool names = m->columns == 1;
    for (int i = 0; i < m->rows && names; i++) names = pf_expr_op(w->s->ctx, m->entries[i]) == PF_OP_SYMBOL;
    if (names || !m->rows || !m->columns) continue;
    pf_text_print(text, "const double %s[%d]", words(w->s, m->name), m->rows);
    if (m->columns > 1) pf_text_print(text, "[%d]", m->columns);
    for (int i = 0; i < m->rows*m->columns; i++) {
      PfMark mark = pf_arena_mark(w->s->arena);
      bool row = m->columns > 1 && i%m->columns == 0;
      pf_text_add(text, !i ? (row ? " = {{" : " = {") : row ? "}, {" : ", ");
      pf_text_add(text, words(w->s, m->entries[i]));
      pf_arena_release(w->s->arena, mark);
    }
    pf_text_add(text, m->columns > 1 ? "}};\n" : "};\n");
  }
}

/* ---------------------------------------------------------------- names that become one */

static int by_name(const void *a, const void *b)
{
  return strcmp(((const char *const *)a)[0], ((const char *const *)b)[0]);
}

/* x' is x_d, and so is a coordinate of that name: then the statements would be wrong. */
static PfStatus check_names(const Work *w)
{
  PfContext *ctx = w->s->ctx;
  int roots = 2*w->d->equation_count + w->count, count, symbols = 0;
  PfExpr *list = pf_arena_array(w->s->arena, PfExpr, roots), *nodes;
  if (!list) return pf_no_room(ctx, "the statements");
  for (int i = 0; i < w->d->equation_count; i++)
    list[2*i] = w->d->equations[i].left, list[2*i + 1] = w->d->equations[i].right;
  for (int i = 0; i < w->count; i++) list[2*w->d->equation_count + i] = w->list[i].value;
  PF_TRY(pf_expr_reach(ctx, w->s->arena, list, roots, &nodes, &count));
  const char *(*names)[2] = pf_arena_alloc(w->s->arena, (size_t)(count + w->d->equation_count) + 1, sizeof *names);
  if (!names) return pf_no_room(ctx, "the statements");
  for (int i = 0; i < count; i++)
    if (pf_expr_op(ctx, nodes[i]) == PF_OP_SYMBOL) {
      names[symbols][0] = words(w->s, nodes[i]);
      names[symbols++][1] = pf_expr_symbol_name(ctx, nodes[i]);
    }
  for (int i = 0; i < w->d->equation_count; i++) {
    const PfEquation *e = w->d->equations + i;
    if (!is_residual(w, e)) continue;
    names[symbols][0] = pf_arena_print(w->s->arena, "residual_%s", words(w->s, pf_expr_symbol(ctx, e->name)));
    names[symbols][1] = pf_arena_print(w->s->arena, "residual of %s", e->name);
    if (!names[symbols][0] || !names[symbols][1]) return pf_no_room(ctx, "the statements");
    symbols++;
  }
  qsort(names, (size_t)symbols, sizeof *names, by_name);
  for (int i = 1; i < symbols; i++)
    if (!strcmp(names[i - 1][0], names[i][0])) {
      pf_fail(ctx, PF_ERR_NAME, "'%s' and '%s' would both be '%s' in C", names[i - 1][1], names[i][1], names[i][0]);
      pf_hint(ctx, "give one of them another name");
      return PF_ERR_NAME;
    }
  return PF_OK;
}

PfStatus pf_derived_c(Session *s, const PfDerivation *d, PfText *text)
{
  Work w = {.s = s, .d = d};
  PF_TRY(prepare(&w));
  PF_TRY(check_names(&w));
  pf_text_add(text, "/* ");
  pf_text_add_escaped(text, pf_model_label(s->model), strlen(pf_model_label(s->model)), "");
  pf_text_print(text, ", equations of motion (%s). Needs <math.h>; x_d and x_dd are x' and x''. Given:\n  ", d->form);
  put_given(&w, text);
  pf_text_add(text, " */\n");
  for (int i = 0; i < w.count; i++) {
    PfMark mark = pf_arena_mark(w.s->arena);
    pf_text_print(text, "const double %s = ", words(w.s, w.list[i].symbol));
    pf_text_print(text, "%s;\n", words(w.s, w.list[i].value));
    pf_arena_release(w.s->arena, mark);
  }
  /* left - right of the equations that are not solved. */
  for (int i = 0; i < w.d->equation_count; i++) {
    const PfEquation *e = w.d->equations + i;
    PfMark mark = pf_arena_mark(w.s->arena);
    if (is_residual(&w, e)) {
      pf_text_print(text, "const double residual_%s = ", words(w.s, pf_expr_symbol(w.s->ctx, e->name)));
      pf_text_print(text, "%s;\n", words(w.s, pf_expr_sub(w.s->ctx, e->left, e->right)));
    }
    pf_arena_release(w.s->arena, mark);
  }
  put_matrices(&w, text);
  return pf_expr_check(s->ctx);
}
