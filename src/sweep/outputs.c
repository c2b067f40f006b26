/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the outputs of a sweep: quantities at the end ("x"), accumulators over the motion (max, min, mean, integral,
 * rms, first), values at given times, times of events, and formulas of these, which become one tape.
 *
 * A number that is followed along the motion is an item; a column of the result is an item, or a formula of several.
 * Columns that need the same item share it. */
#include "base/spelling.h"
#include "sim/quantities.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PF_OUTPUT_CALLS "max, min, mean, rms, integral, at, first, event and t_end"

typedef struct Reader {
  PfContext *ctx;
  PfArena *arena;
  PfSim *sim;
  PfOutputSet *output_set;
  int room;         /* for items and columns */
  const char *text; /* the column that is read */
  const char *unit; /* " [deg]" after it, or "" */
  const char *study; /* the outputs come from it; NULL: from the motion */
  int *parts, part_count; /* items that were added last */
  char prefix[40];  /* of the names that stand for items in formulas; the model has none that begins so */
  PfExpr *formulas; /* as many as the tape will have */
} Reader;

static PfStatus no_room(const Reader *r)
{
  return pf_no_room(r->ctx, "outputs of members");
}

static const char *copy(const Reader *r, const char *text)
{
  return pf_arena_text(r->arena, text, strlen(text));
}

/* Fails for the column that is read, with a hint unless that is NULL or empty. */
static PfStatus refuse(const Reader *r, PfStatus status, const char *message, const char *hint)
{
  pf_fail(r->ctx, status, "@take{%s}: %s", r->text, message);
  if (hint && *hint) pf_hint(r->ctx, "%s", hint);
  return status;
}

/* ---------------------------------------------------------------- items and columns */

/* Adds an item, unless there is the same already, to the list of those that were added last. */
static PfStatus add_item(Reader *r, PfOutput item)
{
  PfOutputSet *set = r->output_set;
  int i = 0;
  for (; i < set->count; i++) {
    const PfOutput *other = set->items + i;
    if (other->kind == item.kind && other->handle == item.handle && other->part == item.part &&
        other->time == item.time && other->event == item.event)
      break;
  }
  r->parts[r->part_count++] = i;
  if (i < set->count) return PF_OK;
  if (set->count == r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "@take: more than %d numbers", r->room);
  set->items[set->count++] = item;
  set->followed = set->followed || pf_output_is_followed(&item);
  return PF_OK;
}

/* Adds a column; its texts must be in the arena. No two have one name. */
static PfStatus add_column(Reader *r, PfOutputColumn column)
{
  PfOutputSet *set = r->output_set;
  if (!column.name || !column.unit) return no_room(r);
  if (set->columns == r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "@take: more than %d numbers", r->room);
  for (int i = 0; i < set->columns; i++) {
    if (strcmp(set->column[i].name, column.name) != 0) continue;
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "@take: '%s' is taken twice", column.name);
    pf_hint(r->ctx, "take it once: @task{plot @show{\"%s [unit]\"}} shows it in any unit", column.name);
    return PF_ERR_ARGUMENT;
  }
  set->column[set->columns++] = column;
  return PF_OK;
}

/* All numbers of a quantity become items of that kind. The unit (" [cm]" or "") is that of all of it: x*2 [cm] would be
 * two centimetres. `time` is for items at a time. */
static PfStatus add_quantity(Reader *r, PfOutputKind kind, const char *inner, const char *unit, double time)
{
  char quantity[1024];
  const bool whole = *unit && kind != PF_OUTPUT_END && strpbrk(inner, "+-*/^");
  snprintf(quantity, sizeof quantity, whole ? "(%s)%s" : "%s%s", inner, unit);
  PfOutput item = {.kind = kind, .time = time, .handle = pf_sim_find(r->sim, quantity)};
  if (item.handle < 0) {
    const PfError *error = pf_sim_error(r->sim);
    const bool call = strstr(error->message, "there is no function") != NULL;
    const char *hint = call ? "of the motion there are " PF_OUTPUT_CALLS : error->hint;
    return refuse(r, error->status, error->message, r->study ? pf_member_study_gives(r->study) : hint);
  }
  const int size = pf_sim_size(r->sim, item.handle);
  if (size > r->output_set->widest) r->output_set->widest = size;
  const bool is_time = kind == PF_OUTPUT_FIRST;
  item.quantity = copy(r, quantity);
  if (!item.quantity) return no_room(r);
  if (size > r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "@take: more than %d numbers", r->room);
  for (item.part = 0; item.part < size; item.part++) {
    const PfMeasure measure = pf_sim_part_measure(r->sim, item.handle, item.part);
    item.unit = is_time ? "s" : copy(r, measure.unit);
    item.scale = is_time ? 1 : measure.scale;
    if (!item.unit) return no_room(r);
    PF_TRY(add_item(r, item));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- calls in a text */

/* max(x), at(e, 1.5), t_end: one of the accumulators of this file, not a function of the language. */
typedef struct Call {
  PfOutputKind kind;
  const char *inner; /* between the brackets */
  const char *end;   /* past the whole */
} Call;

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Whether a call begins at that place, and which. max(x, y) is the function of the language. */
static bool read_call(const Reader *r, const char *at, Call *call)
{
  static const struct {
    const char *name;
    PfOutputKind kind;
  } ways[] = {{"max", PF_OUTPUT_MAX}, {"min", PF_OUTPUT_MIN}, {"mean", PF_OUTPUT_MEAN},
              {"integral", PF_OUTPUT_INTEGRAL},
              {"rms", PF_OUTPUT_RMS}, {"first", PF_OUTPUT_FIRST}, {"at", PF_OUTPUT_AT}, {"event", PF_OUTPUT_EVENT},
              {"t_end", PF_OUTPUT_T_END}};
  size_t i = 0, length = 0;
  while (is_letter(at[length])) length++;
  for (; i < sizeof ways/sizeof *ways; i++)
    if (strlen(ways[i].name) == length && !strncmp(at, ways[i].name, length)) break;
  if (i == sizeof ways/sizeof *ways) return false;
  *call = (Call){.kind = ways[i].kind, .end = at + length};
  if (call->kind == PF_OUTPUT_T_END) return at[length] != '(';
  if (at[length] != '(') return false;
  const char *close = at + length;
  for (int depth = 0; *close; close++) {
    depth += (*close == '(') - (*close == ')');
    if (!depth) break;
  }
  if (!*close) return false;
  call->end = close + 1;
  call->inner = pf_piece(r->arena, at + length + 1, close);
  return call->inner && (call->kind == PF_OUTPUT_AT || !*pf_piece_end(call->inner, ","));
}

/* The time of at(e, 1.5), between `first` and `end`: as a number in s, and its text without blanks in *piece. */
static PfStatus read_time(const Reader *r, const char *first, const char *end, const char **piece, double *time)
{
  *piece = pf_piece(r->arena, first, end);
  const char *what = pf_spell(r->ctx, r->arena, " %s", r->text);
  return *piece && what ? pf_constant_read_for(r->ctx, what, *piece, "s", time) : no_room(r);
}

/* first(a > b): when a - b passes zero upwards. */
static PfStatus add_first(Reader *r, const char *inner)
{
  const char *sign = pf_piece_end(inner, "<>");
  char quantity[1024];
  if (!*sign)
    return refuse(r, PF_ERR_ARGUMENT, "'first' needs a condition", "write first(a > b) or first(a < b)");
  const char *right = sign + 1 + (sign[1] == '=');
  if (*sign == '>') snprintf(quantity, sizeof quantity, "(%.*s) - (%s)", (int)(sign - inner), inner, right);
  else snprintf(quantity, sizeof quantity, "(%s) - (%.*s)", right, (int)(sign - inner), inner);
  return add_quantity(r, PF_OUTPUT_FIRST, quantity, "", 0);
}

/* at(e, 1.5): a quantity at one time. */
static PfStatus add_at(Reader *r, const char *inner, const char *unit)
{
  const char *comma = pf_piece_end(inner, ","), *quantity = pf_piece(r->arena, inner, comma), *piece;
  double time;
  char hint[600];
  if (!quantity) return no_room(r);
  snprintf(hint, sizeof hint, "write at(%s, 1.5)", quantity);
  if (!*comma) return refuse(r, PF_ERR_ARGUMENT, "at what time?", hint);
  if (*pf_piece_end(comma + 1, ",")) return refuse(r, PF_ERR_ARGUMENT, "one time is needed here", hint);
  PF_TRY(read_time(r, comma + 1, comma + strlen(comma), &piece, &time));
  return add_quantity(r, PF_OUTPUT_AT, quantity, unit, time);
}

/* The items of a call; the unit is for its quantity. */
static PfStatus add_call(Reader *r, const Call *call, const char *unit)
{
  PfOutput item = {.kind = call->kind, .unit = "s", .scale = 1, .handle = -1};
  const int count = pf_sim_complete(r->sim)->event_count;
  char *stop, hint[100] = "the model has no 'when'";
  long number;
  r->part_count = 0;
  switch (call->kind) {
  case PF_OUTPUT_FIRST: return add_first(r, call->inner);
  case PF_OUTPUT_AT: return add_at(r, call->inner, unit);
  case PF_OUTPUT_T_END: return add_item(r, item);
  case PF_OUTPUT_EVENT:
    number = strtol(call->inner, &stop, 10);
    if (count) snprintf(hint, sizeof hint, "event(1) to event(%d) are those of the model, in their order", count);
    if (stop == call->inner || *stop || number < 1 || number > count)
      return refuse(r, PF_ERR_ARGUMENT, "there is no such event", hint);
    item.event = (int)number - 1;
    return add_item(r, item);
  default: return add_quantity(r, call->kind, call->inner, unit, 0);
  }
}

/* ---------------------------------------------------------------- formulas */

/* A formula in which names (r->prefix and a number) stand for items; it must be one number. */
static PfStatus read_formula(const Reader *r, const char *text, PfPlot *plot)
{
  PfContext *ctx = pf_sim_context(r->sim);
  const int count = r->output_set->count, before = pf_diagnostic_count(ctx);
  PfGivenName *given = pf_arena_array(r->arena, PfGivenName, count);
  PfPlot *plots;
  int found;
  if (!given) return no_room(r);
  for (int i = 0; i < count; i++) {
    char name[60];
    snprintf(name, sizeof name, "%s%d", r->prefix, i + 1);
    const PfOutput *item = r->output_set->items + i;
    given[i] = (PfGivenName){.name = copy(r, name), .unit = item->unit, .summed = item->kind == PF_OUTPUT_INTEGRAL};
    if (!given[i].name) return no_room(r);
  }
  PfStatus status = pf_quantities_find_given(ctx, r->arena, pf_sim_complete(r->sim), "take", text, given, count,
                                             NULL, &plots, &found);
  const PfDiagnostic *d = pf_diagnostic(ctx, before);
  if (status != PF_OK) status = refuse(r, status, d ? d->message : pf_status_text(status), d ? d->hint : NULL);
  else if (found != 1 || plots->count != 1) status = refuse(r, PF_ERR_ARGUMENT, "this is not one number", NULL);
  else *plot = *plots;
  pf_diagnostics_truncate(ctx, before);
  return status;
}

/* max(x) - min(x): appends the text of the column with names in place of the calls. *any: there were some. */
static PfStatus name_calls(Reader *r, PfText *text, bool *any)
{
  *any = false;
  for (const char *at = r->text; *at;) {
    const bool begins = is_letter(*at) && (at == r->text || (!is_letter(at[-1]) && at[-1] != '.'));
    Call call;
    if (!begins || !read_call(r, at, &call)) {
      pf_text_put(text, at++, 1);
      continue;
    }
    PF_TRY(add_call(r, &call, ""));
    if (r->part_count != 1)
      return refuse(r, PF_ERR_ARGUMENT, "there is a vector in the formula", "write its parts, as max(pos(p).x)");
    pf_text_print(text, "%s%d", r->prefix, r->parts[0] + 1);
    *any = true;
    at = call.end;
  }
  return text->failed ? no_room(r) : PF_OK;
}

/* ---------------------------------------------------------------- columns */

/* The name of a column: the text itself, or for a part of a vector its name in a trajectory. */
static const char *part_name(const Reader *r, const char *quantity, int part, int size)
{
  PfPlot *plots;
  int count;
  char name[200];
  PfContext *ctx = pf_sim_context(r->sim);
  const int before = pf_diagnostic_count(ctx);
  const char *label = NULL;
  if (size == 1) return r->text;
  if (pf_quantities_find(ctx, r->arena, pf_sim_complete(r->sim), "take", quantity, &plots, &count) == PF_OK &&
      count == 1 && plots->count == size)
    label = plots->labels[part];
  pf_diagnostics_truncate(ctx, before);
  if (!strcmp(quantity, r->text) && label) return copy(r, label);
  snprintf(name, sizeof name, "%s[%d]", r->text, part + 1);
  return copy(r, name);
}

/* An integral is not in the unit of its quantity, and times are in none of the model's. */
static bool has_own_unit(PfOutputKind kind)
{
  return kind == PF_OUTPUT_INTEGRAL || kind == PF_OUTPUT_FIRST || kind == PF_OUTPUT_EVENT || kind == PF_OUTPUT_T_END;
}

/* A column for each item that was added last, from the quantity `inner` (NULL: of none). One with a unit of its own
 * is in the requested unit, an integral else in base units. */
static PfStatus add_columns(Reader *r, const char *inner)
{
  for (int i = 0; i < r->part_count; i++) {
    const int index = r->parts[i];
    const PfOutput *item = r->output_set->items + index;
    PfMeasure measure = {item->unit, item->scale};
    if ((has_own_unit(item->kind) && *r->unit) || (item->kind == PF_OUTPUT_INTEGRAL && *item->unit)) {
      char text[400];
      PfPlot plot;
      snprintf(text, sizeof text, "%s%s%d%s", *r->unit ? "" : "1*", r->prefix, index + 1, r->unit);
      PF_TRY(read_formula(r, text, &plot));
      measure = pf_plot_measure(&plot, 0);
      measure.unit = copy(r, measure.unit);
    }
    PF_TRY(add_column(r, (PfOutputColumn){.name = inner ? part_name(r, inner, i, r->part_count) : r->text,
                      .unit = measure.unit, .scale = measure.scale, .item = index}));
  }
  return PF_OK;
}

/* at(e, 1, 2 [s]): a column for each time, called at(e, 1). */
static PfStatus add_times(Reader *r, const char *inner)
{
  const char *comma = pf_piece_end(inner, ","), *piece;
  const char *quantity = pf_piece(r->arena, inner, comma);
  if (!quantity) return no_room(r);
  for (const char *end; *comma; comma = end) {
    double time;
    char name[1024];
    end = pf_piece_end(comma + 1, ",");
    PF_TRY(read_time(r, comma + 1, end, &piece, &time));
    snprintf(name, sizeof name, "at(%s, %s)", quantity, piece);
    r->text = copy(r, name);
    if (!r->text) return no_room(r);
    r->part_count = 0;
    PF_TRY(add_quantity(r, PF_OUTPUT_AT, quantity, r->unit, time));
    PF_TRY(add_columns(r, quantity));
  }
  return PF_OK;
}

/* The columns of the text at hand: a call around all of it, a formula with some inside, or a quantity at the end. */
static PfStatus read_column(Reader *r)
{
  PfOutput item;
  Call call;
  PfText text;
  PfPlot plot;
  bool formula = false;
  r->part_count = 0;
  if (r->study && pf_member_study_item(r->study, r->text, &item)) {
    PF_TRY(add_item(r, item));
    return add_columns(r, NULL);
  }
  if (!r->study && read_call(r, r->text, &call) && !*call.end) {
    if (call.kind == PF_OUTPUT_AT && *pf_piece_end(call.inner, ",")) return add_times(r, call.inner);
    PF_TRY(add_call(r, &call, has_own_unit(call.kind) ? "" : r->unit));
    return add_columns(r, call.inner);
  }
  pf_text_init(&text, pf_context_allocator(r->ctx));
  PfStatus status = r->study ? PF_OK : name_calls(r, &text, &formula);
  if (status == PF_OK && formula) {
    pf_text_add(&text, r->unit);
    status = text.failed ? no_room(r) : read_formula(r, pf_text_get(&text), &plot);
  }
  pf_text_free(&text);
  PF_TRY(status);
  if (formula) {
    const PfMeasure measure = pf_plot_measure(&plot, 0);
    r->formulas[r->output_set->formula_count] = plot.values[0];
    return add_column(r, (PfOutputColumn){.name = r->text, .unit = copy(r, measure.unit), .scale = measure.scale,
                                          .item = -1, .formula = r->output_set->formula_count++});
  }
  r->part_count = 0;
  PF_TRY(add_quantity(r, PF_OUTPUT_END, r->text, r->unit, 0));
  return add_columns(r, r->text);
}

/* ---------------------------------------------------------------- the tape of the formulas */

/* The item that a symbol in a formula stands for, as the only one that was added last: by its name, or a quantity of
 * the model at the end. That is written in other ways: kinetic() is kinetic, violation(c) is violation[c]. */
static PfStatus add_symbol(Reader *r, const char *name)
{
  char text[600];
  const size_t length = strlen(name), prefix = strlen(r->prefix);
  if (!strncmp(name, r->prefix, prefix)) {
    r->parts[0] = (int)strtol(name + prefix, NULL, 10) - 1;
    return PF_OK;
  }
  if (length > 2 && !strcmp(name + length - 2, "()")) snprintf(text, sizeof text, "%.*s", (int)length - 2, name);
  else if (!strncmp(name, "violation(", 10))
    snprintf(text, sizeof text, "violation[%.*s]", (int)length - 11, name + 10);
  else snprintf(text, sizeof text, "%s", name);
  r->part_count = 0;
  return add_quantity(r, PF_OUTPUT_END, text, "", 0);
}

/* The tape of all formulas; its inputs are their symbols, each an item. */
static PfStatus make_tape(Reader *r)
{
  PfContext *ctx = pf_sim_context(r->sim);
  PfOutputSet *set = r->output_set;
  PfExpr *nodes;
  int count, inputs = 0;
  if (!set->formula_count) return PF_OK;
  PF_TRY(pf_expr_reach(ctx, r->arena, r->formulas, set->formula_count, &nodes, &count));
  set->input = pf_arena_array(r->arena, int, count);
  if (!set->input) return no_room(r);
  for (int i = 0; i < count; i++) {
    if (pf_expr_op(ctx, nodes[i]) != PF_OP_SYMBOL) continue;
    PF_TRY(add_symbol(r, pf_expr_symbol_name(ctx, nodes[i])));
    set->input[inputs] = r->parts[0];
    nodes[inputs++] = nodes[i];
  }
  set->input_count = inputs;
  const int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_tape_new(ctx, nodes, inputs, r->formulas, set->formula_count, &set->formulas);
  if (status != PF_OK) status = pf_fail(r->ctx, status, "@take: %s", pf_context_message(ctx));
  pf_diagnostics_truncate(ctx, before);
  return status;
}

size_t pf_output_set_room(const PfOutputSet *set)
{
  if (!set->formulas) return 0;
  return (size_t)set->input_count + (size_t)set->formula_count + pf_tape_work_size(set->formulas);
}

void pf_output_set_row(const PfOutputSet *set, const double *value, double *room, double *row)
{
  double *out = room ? room + set->input_count : NULL;
  for (int i = 0; room && i < set->input_count; i++) room[i] = value[set->input[i]];
  if (out && set->formulas) pf_tape_run(set->formulas, room, out, out + set->formula_count);
  for (int i = 0; i < set->columns; i++) {
    const PfOutputColumn *c = set->column + i;
    row[i] = (c->item >= 0 ? value[c->item] : out ? out[c->formula] : NAN)/c->scale;
  }
}

void pf_output_set_free(PfOutputSet *set)
{
  pf_tape_free(set->formulas);
  set->formulas = NULL;
}

/* ---------------------------------------------------------------- all of it */

/* Columns between commas. A unit after a call is that of its number: max(theta) [deg]. */
static PfStatus read_columns(Reader *r, const char *text)
{
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = pf_piece_end(text, ",");
    r->text = pf_piece(r->arena, text, end);
    if (!r->text) return no_room(r);
    const size_t length = strlen(r->text);
    if (!length) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "@take: a name is missing between two commas");
    if (length > 500) return pf_fail(r->ctx, PF_ERR_LIMIT, "@take: '%.40s…' is too long", r->text);
    const char *bracket = r->text[length - 1] == ']' ? strrchr(r->text, '[') : NULL;
    r->unit = "";
    if (bracket && bracket > r->text && bracket[-1] == ' ') {
      r->unit = copy(r, bracket - 1);
      r->text = pf_piece(r->arena, r->text, bracket);
      if (!r->unit || !r->text) return no_room(r);
    }
    PF_TRY(read_column(r));
  }
  return r->output_set->columns ? PF_OK : pf_fail(r->ctx, PF_ERR_ARGUMENT, "@take: there is no name");
}

PfStatus pf_output_set_read(PfContext *ctx, PfArena *arena, PfSim *sim, const char *text, const char *study,
                            PfOutputSet *set)
{
  enum { ROOM = 1000 };
  Reader r = {.ctx = ctx, .arena = arena, .sim = sim, .output_set = set, .room = ROOM, .study = study,
              .parts = pf_arena_array(arena, int, ROOM), .formulas = pf_arena_array(arena, PfExpr, ROOM)};
  *set = (PfOutputSet){.items = pf_arena_array(arena, PfOutput, ROOM),
                       .column = pf_arena_array(arena, PfOutputColumn, ROOM), .widest = 1};
  if (!set->items || !set->column || !r.parts || !r.formulas) return no_room(&r);
  snprintf(r.prefix, sizeof r.prefix, "taken");
  for (int i = 2; strstr(pf_sim_model(sim)->text, r.prefix); i++) snprintf(r.prefix, sizeof r.prefix, "taken_%d_", i);
  if (study) PF_TRY(pf_member_study_check(ctx, study));
  PF_TRY(read_columns(&r, text));
  return make_tape(&r);
}
