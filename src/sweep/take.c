/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken of a member: the texts of --take made into quantities of the simulation. */
#include "sim/quantities.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PF_TAKE_CALLS "max, min, mean, rms, integral, at, first, event and t_end"

typedef struct Reader {
  PfContext *ctx;
  PfArena *arena;
  PfSim *sim;
  PfTake *take;
  int room;         /* for items and columns */
  const char *text; /* the column that is read */
  const char *unit; /* " [deg]" behind it, or "" */
  const char *study; /* what is taken comes from it; NULL: from the motion */
  int *parts, part_count; /* items that were added last */
  char prefix[40];  /* of the names that stand for items in formulas; the model has none that begins so */
  PfExpr *formulas; /* as many as the tape will have */
} Reader;

static PfStatus no_room(const Reader *r)
{
  return pf_no_room(r->ctx, "what is taken");
}

/* ---------------------------------------------------------------- items and columns */

static bool are_same(const PfTaken *a, const PfTaken *b)
{
  return a->kind == b->kind && a->handle == b->handle && a->part == b->part && a->time == b->time &&
         a->event == b->event;
}

/* What several columns need is followed once. */
static PfStatus add_item(Reader *r, PfTaken item, int *index)
{
  PfTake *take = r->take;
  for (*index = 0; *index < take->count; ++*index)
    if (are_same(take->items + *index, &item)) return PF_OK;
  if (take->count == r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "--take: more than %d numbers", r->room);
  take->items[take->count++] = item;
  take->along = take->along || pf_taken_is_along(&item);
  return PF_OK;
}

static PfStatus add_part(Reader *r, PfTaken item)
{
  return add_item(r, item, r->parts + r->part_count++);
}

static PfStatus taken_twice(const Reader *r, const char *name)
{
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take: '%s' is taken twice", name);
  pf_hint(r->ctx, "take it once: 'pfaff plot --show \"%s [unit]\"' shows it in any unit", name);
  return PF_ERR_ARGUMENT;
}

static PfStatus add_column(Reader *r, PfTakenColumn column)
{
  PfTake *take = r->take;
  if (!column.name || !column.unit) return no_room(r);
  if (take->columns == r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "--take: more than %d numbers", r->room);
  for (int i = 0; i < take->columns; i++)
    if (!strcmp(take->column[i].name, column.name)) return taken_twice(r, column.name);
  take->column[take->columns++] = column;
  return PF_OK;
}

/* ---------------------------------------------------------------- quantities */

static PfStatus refuse(const Reader *r, PfStatus status, const char *message, const char *hint)
{
  pf_fail(r->ctx, status, "--take %s: %s", r->text, message);
  if (hint && *hint) pf_hint(r->ctx, "%s", hint);
  return status;
}

static PfStatus find(const Reader *r, const char *quantity, int *handle)
{
  *handle = pf_sim_find(r->sim, quantity);
  if (*handle >= 0) {
    const int size = pf_sim_size(r->sim, *handle);
    if (size > r->take->widest) r->take->widest = size;
    return PF_OK;
  }
  const PfError *error = pf_sim_error(r->sim);
  const bool call = strstr(error->message, "there is no function") != NULL;
  const char *hint = call ? "of the motion there are " PF_TAKE_CALLS : error->hint;
  return refuse(r, error->status, error->message, r->study ? pf_member_study_gives(r->study) : hint);
}

/* All numbers of a quantity become parts. The unit is that of all of it: x*2 [cm] would be two centimetres. */
static PfStatus add_quantity(Reader *r, PfTakeKind kind, const char *inner, const char *unit, double time)
{
  char quantity[1024];
  PfTaken item = {.kind = kind, .time = time};
  const bool whole = *unit && kind != PF_TAKE_END && strpbrk(inner, "+-*/^");
  snprintf(quantity, sizeof quantity, whole ? "(%s)%s" : "%s%s", inner, unit);
  PF_TRY(find(r, quantity, &item.handle));
  item.quantity = pf_arena_text(r->arena, quantity, strlen(quantity));
  const PfMeasure measure = pf_sim_measure(r->sim, item.handle);
  const bool is_time = kind == PF_TAKE_FIRST;
  item.unit = is_time ? "s" : pf_arena_text(r->arena, measure.unit, strlen(measure.unit));
  item.scale = is_time ? 1 : measure.scale;
  if (!item.quantity || !item.unit) return no_room(r);
  const int size = pf_sim_size(r->sim, item.handle);
  if (size > r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "--take: more than %d numbers", r->room);
  for (item.part = 0; item.part < size; item.part++) PF_TRY(add_part(r, item));
  return PF_OK;
}

/* ---------------------------------------------------------------- what is done with them */

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
  return add_quantity(r, PF_TAKE_FIRST, quantity, "", 0);
}

/* at(e, 1.5): the time. */
static PfStatus read_time(const Reader *r, const char *first, const char *end, const char **piece, double *time)
{
  *piece = pf_piece(r->arena, first, end);
  return *piece ? pf_constant_read_for(r->ctx, r->text, *piece, "s", time) : no_room(r);
}

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
  return add_quantity(r, PF_TAKE_AT, quantity, unit, time);
}

static PfStatus add_event(Reader *r, const char *inner)
{
  const int count = pf_sim_complete(r->sim)->event_count;
  char *stop, hint[100] = "the model has no 'when'";
  const long number = strtol(inner, &stop, 10);
  if (count) snprintf(hint, sizeof hint, "event(1) to event(%d) are those of the model, in their order", count);
  if (stop == inner || *stop || number < 1 || number > count)
    return refuse(r, PF_ERR_ARGUMENT, "there is no such event", hint);
  return add_part(r, (PfTaken){.kind = PF_TAKE_EVENT, .unit = "s", .scale = 1, .handle = -1, .event = (int)number - 1});
}

static PfStatus add_t_end(Reader *r)
{
  return add_part(r, (PfTaken){.kind = PF_TAKE_T_END, .unit = "s", .scale = 1, .handle = -1});
}

/* ---------------------------------------------------------------- calls in a text */

typedef struct Call {
  PfTakeKind kind;
  const char *inner; /* between the brackets */
  const char *end;   /* past the whole */
} Call;

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* Where the bracket that is open at `text` is closed; its end when it is not. */
static const char *closing(const char *text)
{
  int depth = 0;
  for (; *text; text++) {
    depth += *text == '(';
    depth -= *text == ')';
    if (!depth) break;
  }
  return text;
}

/* Does one of ours begin here? max(x, y) is the function of the language. */
static bool read_call(const Reader *r, const char *at, Call *call)
{
  static const struct {
    const char *name;
    PfTakeKind kind;
  } ways[] = {{"max", PF_TAKE_MAX}, {"min", PF_TAKE_MIN}, {"mean", PF_TAKE_MEAN}, {"integral", PF_TAKE_INTEGRAL},
              {"rms", PF_TAKE_RMS}, {"first", PF_TAKE_FIRST}, {"at", PF_TAKE_AT}, {"event", PF_TAKE_EVENT},
              {"t_end", PF_TAKE_T_END}};
  size_t i = 0, length = 0;
  while (is_letter(at[length])) length++;
  for (; i < sizeof ways/sizeof *ways; i++)
    if (strlen(ways[i].name) == length && !strncmp(at, ways[i].name, length)) break;
  if (i == sizeof ways/sizeof *ways) return false;
  *call = (Call){.kind = ways[i].kind, .end = at + length};
  if (call->kind == PF_TAKE_T_END) return at[length] != '(';
  if (at[length] != '(') return false;
  const char *close = closing(at + length);
  if (!*close) return false;
  call->end = close + 1;
  call->inner = pf_piece(r->arena, at + length + 1, close);
  return call->inner && (call->kind == PF_TAKE_AT || !*pf_piece_end(call->inner, ","));
}

static PfStatus add_call(Reader *r, const Call *call, const char *unit)
{
  switch (call->kind) {
  case PF_TAKE_FIRST: return add_first(r, call->inner);
  case PF_TAKE_AT: return add_at(r, call->inner, unit);
  case PF_TAKE_EVENT: return add_event(r, call->inner);
  case PF_TAKE_T_END: return add_t_end(r);
  default: return add_quantity(r, call->kind, call->inner, unit, 0);
  }
}

/* ---------------------------------------------------------------- formulas */

/* A formula in which names stand for items. */
static PfStatus read_formula(const Reader *r, const char *text, PfPlot *plot)
{
  PfContext *ctx = pf_sim_context(r->sim);
  const int count = r->take->count, before = pf_diagnostic_count(ctx);
  PfGivenName *given = pf_arena_array(r->arena, PfGivenName, count);
  PfPlot *plots;
  int found;
  if (!given) return no_room(r);
  for (int i = 0; i < count; i++) {
    char name[60];
    snprintf(name, sizeof name, "%s%d", r->prefix, i + 1);
    const PfTaken *item = r->take->items + i;
    given[i] = (PfGivenName){.name = pf_arena_text(r->arena, name, strlen(name)), .unit = item->unit,
                             .summed = item->kind == PF_TAKE_INTEGRAL};
    if (!given[i].name) return no_room(r);
  }
  PfStatus status = pf_quantities_find_given(ctx, r->arena, pf_sim_complete(r->sim), "--take", text, given, count,
                                             NULL, &plots, &found);
  const PfDiagnostic *d = pf_diagnostic(ctx, before);
  if (status != PF_OK) status = refuse(r, status, d ? d->message : pf_status_text(status), d ? d->hint : NULL);
  else if (found != 1 || plots->count != 1) status = refuse(r, PF_ERR_ARGUMENT, "this is not one number", NULL);
  else *plot = *plots;
  pf_diagnostics_cut(ctx, before);
  return status;
}

/* max(x) - min(x): the text with names in place of the calls. *any: there were some. */
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
    r->part_count = 0;
    PF_TRY(add_call(r, &call, ""));
    if (r->part_count != 1)
      return refuse(r, PF_ERR_ARGUMENT, "there is a vector in the formula", "write its parts, as max(pos(p).x)");
    pf_text_print(text, "%s%d", r->prefix, r->parts[0] + 1);
    *any = true;
    at = call.end;
  }
  return text->failed ? no_room(r) : PF_OK;
}

static PfStatus take_formula(Reader *r, const char *text)
{
  PfPlot plot;
  char all[2048];
  snprintf(all, sizeof all, "%s%s", text, r->unit);
  PF_TRY(read_formula(r, all, &plot));
  const PfMeasure measure = pf_plot_measure(&plot, 0);
  r->formulas[r->take->formula_count] = plot.values[0];
  return add_column(r, (PfTakenColumn){.name = r->text, .unit = pf_arena_text(r->arena, measure.unit,
                    strlen(measure.unit)), .scale = measure.scale, .item = -1, .formula = r->take->formula_count++});
}

/* ---------------------------------------------------------------- columns */

/* Parts of a vector are called as in a trajectory. */
static const char *part_name(const Reader *r, const char *quantity, int part, int size)
{
  PfPlot *plots;
  int count;
  char name[200];
  PfContext *ctx = pf_sim_context(r->sim);
  const int before = pf_diagnostic_count(ctx);
  const char *label = NULL;
  if (size == 1) return r->text;
  if (pf_quantities_find(ctx, r->arena, pf_sim_complete(r->sim), "--take", quantity, &plots, &count) == PF_OK &&
      count == 1 && plots->count == size)
    label = plots->labels[part];
  pf_diagnostics_cut(ctx, before);
  if (!strcmp(quantity, r->text) && label) return pf_arena_text(r->arena, label, strlen(label));
  snprintf(name, sizeof name, "%s[%d]", r->text, part + 1);
  return pf_arena_text(r->arena, name, strlen(name));
}

/* An integral is not in the unit of its quantity, and times are in none of the model's. */
static bool has_own_unit(PfTakeKind kind)
{
  return kind == PF_TAKE_INTEGRAL || kind == PF_TAKE_FIRST || kind == PF_TAKE_EVENT || kind == PF_TAKE_T_END;
}

/* Of such a one: the unit that was asked for, or that of an integral in base units. */
static PfStatus measure_own(const Reader *r, int index, PfMeasure *measure)
{
  char text[400];
  PfPlot plot;
  const PfTaken *item = r->take->items + index;
  *measure = (PfMeasure){item->unit, item->scale};
  if (!*r->unit && (item->kind != PF_TAKE_INTEGRAL || !*item->unit)) return PF_OK;
  snprintf(text, sizeof text, "%s%s%d%s", *r->unit ? "" : "1*", r->prefix, index + 1, r->unit);
  PF_TRY(read_formula(r, text, &plot));
  *measure = pf_plot_measure(&plot, 0);
  measure->unit = pf_arena_text(r->arena, measure->unit, strlen(measure->unit));
  return measure->unit ? PF_OK : no_room(r);
}

static PfStatus take_parts(Reader *r, const char *inner)
{
  for (int i = 0; i < r->part_count; i++) {
    const PfTaken *item = r->take->items + r->parts[i];
    PfMeasure measure = {item->unit, item->scale};
    if (has_own_unit(item->kind)) PF_TRY(measure_own(r, r->parts[i], &measure));
    PF_TRY(add_column(r, (PfTakenColumn){.name = inner ? part_name(r, inner, i, r->part_count) : r->text,
                      .unit = measure.unit, .scale = measure.scale, .item = r->parts[i]}));
  }
  return PF_OK;
}

/* at(e, 1, 2 [s]): a number for each time, called at(e, 1). */
static PfStatus take_times(Reader *r, const char *inner)
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
    r->text = pf_arena_text(r->arena, name, strlen(name));
    if (!r->text) return no_room(r);
    r->part_count = 0;
    PF_TRY(add_quantity(r, PF_TAKE_AT, quantity, r->unit, time));
    PF_TRY(take_parts(r, quantity));
  }
  return PF_OK;
}

static PfStatus take_study(Reader *r, bool *known)
{
  PfTaken item;
  *known = false;
  if (!r->study || !pf_member_study_item(r->study, r->text, &item)) return PF_OK;
  *known = true;
  r->part_count = 0;
  PF_TRY(add_part(r, item));
  return take_parts(r, NULL);
}

static PfStatus take_text(Reader *r, const char *text, bool formula)
{
  if (formula) return take_formula(r, text);
  r->part_count = 0;
  PF_TRY(add_quantity(r, PF_TAKE_END, r->text, r->unit, 0));
  return take_parts(r, r->text);
}

/* One of our calls around all of it, a formula with some inside, or a quantity at the end. */
static PfStatus read_column(Reader *r)
{
  Call call;
  bool known, formula = false;
  PF_TRY(take_study(r, &known));
  if (known) return PF_OK;
  if (!r->study && read_call(r, r->text, &call) && !*call.end) {
    if (call.kind == PF_TAKE_AT && *pf_piece_end(call.inner, ",")) return take_times(r, call.inner);
    r->part_count = 0;
    PF_TRY(add_call(r, &call, has_own_unit(call.kind) ? "" : r->unit));
    return take_parts(r, call.inner);
  }
  PfText text;
  pf_text_init(&text, pf_context_allocator(r->ctx));
  PfStatus status = r->study ? PF_OK : name_calls(r, &text, &formula);
  if (status == PF_OK) status = take_text(r, pf_text_get(&text), formula);
  pf_text_free(&text);
  return status;
}

/* A unit behind a call is that of its number: max(theta) [deg]. */
static PfStatus split_unit(Reader *r)
{
  const size_t length = strlen(r->text);
  const char *bracket = length && r->text[length - 1] == ']' ? strrchr(r->text, '[') : NULL;
  r->unit = "";
  if (!bracket || bracket == r->text || bracket[-1] != ' ') return PF_OK;
  r->unit = pf_arena_text(r->arena, bracket - 1, strlen(bracket - 1));
  r->text = pf_piece(r->arena, r->text, bracket);
  return r->unit && r->text ? PF_OK : no_room(r);
}

/* ---------------------------------------------------------------- the tape of the formulas */

/* As a quantity is written: kinetic() is kinetic, violation(c) is violation[c]. */
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
  return add_quantity(r, PF_TAKE_END, text, "", 0);
}

/* Every symbol in the formulas is an item: what stands for one, or what the model has, at the end. */
static PfStatus make_tape(Reader *r)
{
  PfContext *ctx = pf_sim_context(r->sim);
  PfTake *take = r->take;
  PfExpr *nodes;
  int count, inputs = 0;
  if (!take->formula_count) return PF_OK;
  PF_TRY(pf_expr_reach(ctx, r->arena, r->formulas, take->formula_count, &nodes, &count));
  take->input = pf_arena_array(r->arena, int, count);
  if (!take->input) return no_room(r);
  for (int i = 0; i < count; i++) {
    if (pf_expr_op(ctx, nodes[i]) != PF_OP_SYMBOL) continue;
    PF_TRY(add_symbol(r, pf_expr_symbol_name(ctx, nodes[i])));
    take->input[inputs] = r->parts[0];
    nodes[inputs++] = nodes[i];
  }
  take->input_count = inputs;
  const int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_tape_new(ctx, nodes, inputs, r->formulas, take->formula_count, &take->formulas);
  if (status != PF_OK) status = pf_fail(r->ctx, status, "--take: %s", pf_context_message(ctx));
  pf_diagnostics_cut(ctx, before);
  return status;
}

size_t pf_take_room(const PfTake *take)
{
  return take->formulas ? (size_t)take->input_count + (size_t)take->formula_count + pf_tape_work_size(take->formulas)
                        : 0;
}

/* `room` may be NULL where there are no formulas. */
void pf_take_row(const PfTake *take, const double *value, double *room, double *row)
{
  double *out = room ? room + take->input_count : NULL;
  for (int i = 0; room && i < take->input_count; i++) room[i] = value[take->input[i]];
  if (out && take->formulas) pf_tape_run(take->formulas, room, out, out + take->formula_count);
  for (int i = 0; i < take->columns; i++) {
    const PfTakenColumn *c = take->column + i;
    row[i] = (c->item >= 0 ? value[c->item] : out ? out[c->formula] : NAN)/c->scale;
  }
}

void pf_take_free(PfTake *take)
{
  pf_tape_free(take->formulas);
  take->formulas = NULL;
}

/* ---------------------------------------------------------------- all of it */

static PfStatus make_room(Reader *r)
{
  const size_t room = (size_t)r->room;
  *r->take = (PfTake){.items = pf_arena_array(r->arena, PfTaken, room),
                      .column = pf_arena_array(r->arena, PfTakenColumn, room), .widest = 1};
  r->parts = pf_arena_array(r->arena, int, room);
  r->formulas = pf_arena_array(r->arena, PfExpr, room);
  snprintf(r->prefix, sizeof r->prefix, "taken");
  const char *text = pf_sim_model(r->sim)->text;
  for (int i = 2; strstr(text, r->prefix); i++) snprintf(r->prefix, sizeof r->prefix, "taken_%d_", i);
  return r->take->items && r->take->column && r->parts && r->formulas ? PF_OK : no_room(r);
}

static PfStatus read_columns(Reader *r, const char *text)
{
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = pf_piece_end(text, ",");
    r->text = pf_piece(r->arena, text, end);
    if (!r->text) return no_room(r);
    if (!*r->text) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take: a name is missing between two commas");
    if (strlen(r->text) > 500) return pf_fail(r->ctx, PF_ERR_LIMIT, "--take: '%.40s…' is too long", r->text);
    PF_TRY(split_unit(r));
    PF_TRY(read_column(r));
  }
  return r->take->columns ? PF_OK : pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take: there is no name");
}

PfStatus pf_take_read(PfContext *ctx, PfArena *arena, PfSim *sim, const char *text, const char *study, PfTake *take)
{
  Reader r = {.ctx = ctx, .arena = arena, .sim = sim, .take = take, .room = 1000, .study = study};
  PF_TRY(make_room(&r));
  if (study) PF_TRY(pf_member_study_check(ctx, study));
  PF_TRY(read_columns(&r, text));
  return make_tape(&r);
}
