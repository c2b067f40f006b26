/* SPDX-License-Identifier: Apache-2.0 */
/* What is taken of a member: the texts of --take made into quantities of the simulation. */
#include "sweep/sweep_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
  PfContext *ctx;
  PfArena *arena;
  PfSim *sim;
  PfTake *take;
  int room;
  const char *text; /* the item that is read */
  const char *unit; /* " [deg]" behind it, or "" */
  bool study;       /* what is taken comes from a study */
} Reader;

static PfStatus no_room(const Reader *r)
{
  return pf_no_room(r->ctx, "what is taken");
}

static PfStatus add(Reader *r, PfTaken item)
{
  PfTake *take = r->take;
  if (take->count == r->room) return pf_fail(r->ctx, PF_ERR_LIMIT, "--take: more than %d numbers", r->room);
  for (int i = 0; i < take->count; i++)
    if (!strcmp(take->items[i].name, item.name))
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take: '%s' is taken twice", item.name);
  take->items[take->count++] = item;
  return PF_OK;
}

/* ---------------------------------------------------------------- quantities */

static PfStatus find(const Reader *r, const char *quantity, int *handle)
{
  *handle = pf_sim_find(r->sim, quantity);
  if (*handle >= 0) {
    const int size = pf_sim_size(r->sim, *handle);
    if (size > r->take->widest) r->take->widest = size;
    return PF_OK;
  }
  const PfError *error = pf_sim_error(r->sim);
  pf_fail(r->ctx, error->status, "--take %s: %s", r->text, error->message);
  if (error->hint[0]) pf_hint(r->ctx, "%s", error->hint);
  return error->status;
}

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
  if (pf_quantities_read(ctx, r->arena, pf_sim_complete(r->sim), "--take", quantity, &plots, &count) == PF_OK &&
      count == 1 && plots->count == size)
    label = plots->labels[part];
  pf_diagnostics_cut(ctx, before);
  if (!strcmp(quantity, r->text) && label) return pf_arena_text(r->arena, label, strlen(label));
  snprintf(name, sizeof name, "%s[%d]", r->text, part + 1);
  return pf_arena_text(r->arena, name, strlen(name));
}

static const char *unit_of(const Reader *r, PfTakeKind kind, const char *unit)
{
  char text[80];
  if (kind == PF_TAKE_FIRST) return "s";
  if (kind != PF_TAKE_INTEGRAL || !*unit) return pf_arena_text(r->arena, unit, strlen(unit));
  snprintf(text, sizeof text, "%s s", unit);
  return pf_arena_text(r->arena, text, strlen(text));
}

static PfStatus take_quantity(Reader *r, PfTakeKind kind, const char *inner, double time)
{
  char quantity[1024];
  PfTaken item = {.kind = kind, .time = time};
  snprintf(quantity, sizeof quantity, "%s%s", inner, r->unit);
  PF_TRY(find(r, quantity, &item.handle));
  item.quantity = pf_arena_text(r->arena, quantity, strlen(quantity));
  if (!item.quantity) return no_room(r);
  const PfMeasure measure = pf_sim_measure(r->sim, item.handle);
  const int size = pf_sim_size(r->sim, item.handle);
  item.unit = unit_of(r, kind, measure.unit);
  item.scale = kind == PF_TAKE_FIRST ? 1 : measure.scale;
  for (item.part = 0; item.part < size; item.part++) {
    item.name = part_name(r, inner, item.part, size);
    if (!item.name || !item.unit) return no_room(r);
    PF_TRY(add(r, item));
  }
  r->take->along = r->take->along || kind != PF_TAKE_END;
  return PF_OK;
}

/* ---------------------------------------------------------------- what is done with them */

/* first(a > b): when a - b passes zero upwards. */
static PfStatus take_first(Reader *r, const char *inner)
{
  const char *sign = pf_piece_end(inner, "<>");
  char quantity[1024];
  if (!*sign) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take %s: 'first' needs a condition", r->text);
    pf_hint(r->ctx, "write first(a > b) or first(a < b)");
    return PF_ERR_ARGUMENT;
  }
  const char *right = sign + 1 + (sign[1] == '=');
  if (*sign == '>') snprintf(quantity, sizeof quantity, "(%.*s) - (%s)", (int)(sign - inner), inner, right);
  else snprintf(quantity, sizeof quantity, "(%s) - (%.*s)", right, (int)(sign - inner), inner);
  return take_quantity(r, PF_TAKE_FIRST, quantity, 0);
}

/* at(e, 1, 2 [s]): a number for each time, called e at 1. */
static PfStatus take_at(Reader *r, const char *inner)
{
  const char *comma = pf_piece_end(inner, ","), *whole = r->text;
  const char *quantity = pf_piece(r->arena, inner, comma);
  if (!quantity) return no_room(r);
  if (!*comma) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take %s: at what time?", whole);
    pf_hint(r->ctx, "write at(%s, 1.5)", quantity);
    return PF_ERR_ARGUMENT;
  }
  for (const char *end; *comma; comma = end) {
    double time;
    char name[1024];
    end = pf_piece_end(comma + 1, ",");
    const char *piece = pf_piece(r->arena, comma + 1, end);
    if (!piece) return no_room(r);
    PF_TRY(pf_constant_read_for(r->ctx, whole, piece, "s", &time));
    snprintf(name, sizeof name, "at(%s, %s)", quantity, piece);
    r->text = pf_arena_text(r->arena, name, strlen(name));
    if (!r->text) return no_room(r);
    PF_TRY(take_quantity(r, PF_TAKE_AT, quantity, time));
  }
  return PF_OK;
}

static PfStatus take_event(Reader *r, const char *inner)
{
  const int count = pf_sim_complete(r->sim)->event_count;
  char *stop;
  const long number = strtol(inner, &stop, 10);
  if (stop == inner || *stop || number < 1 || number > count) {
    pf_fail(r->ctx, PF_ERR_ARGUMENT, "--take %s: there is no such event", r->text);
    if (count) pf_hint(r->ctx, "event(1) to event(%d) are those of the model, in their order", count);
    else pf_hint(r->ctx, "the model has no 'when'");
    return PF_ERR_ARGUMENT;
  }
  return add(r, (PfTaken){.kind = PF_TAKE_EVENT, .name = r->text, .unit = "s", .scale = 1, .handle = -1,
                          .event = (int)number - 1});
}

/* Where the bracket that is open at `text` is closed. */
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

/* name(inner) with one bracket around all of it? A list in it is an ordinary call, as max(x, y). */
static const char *inside(const Reader *r, const char *name, bool list)
{
  const size_t length = strlen(name), all = strlen(r->text);
  if (strncmp(r->text, name, length) != 0 || r->text[length] != '(' || r->text[all - 1] != ')') return NULL;
  const char *close = closing(r->text + length);
  if (close != r->text + all - 1) return NULL;
  const char *inner = pf_piece(r->arena, r->text + length + 1, close);
  return inner && (list || !*pf_piece_end(inner, ",")) ? inner : NULL;
}

static PfStatus read_item(Reader *r)
{
  static const struct {
    const char *name;
    PfTakeKind kind;
  } over[] = {{"max", PF_TAKE_MAX}, {"min", PF_TAKE_MIN}, {"mean", PF_TAKE_MEAN}, {"integral", PF_TAKE_INTEGRAL},
              {"rms", PF_TAKE_RMS}};
  const char *inner;
  PfTaken item;
  if (r->study) {
    PF_TRY(pf_member_study_item(r->ctx, r->text, &item));
    return add(r, item);
  }
  if (!strcmp(r->text, "t_end"))
    return add(r, (PfTaken){.kind = PF_TAKE_T_END, .name = "t_end", .unit = "s", .scale = 1, .handle = -1});
  for (size_t i = 0; i < sizeof over/sizeof *over; i++)
    if ((inner = inside(r, over[i].name, false)) != NULL) return take_quantity(r, over[i].kind, inner, 0);
  if ((inner = inside(r, "first", false)) != NULL) return take_first(r, inner);
  if ((inner = inside(r, "at", true)) != NULL) return take_at(r, inner);
  if ((inner = inside(r, "event", false)) != NULL) return take_event(r, inner);
  return take_quantity(r, PF_TAKE_END, r->text, 0);
}

/* A unit behind a call belongs to what is inside: max(theta) [deg]. */
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

PfStatus pf_take_read(PfContext *ctx, PfArena *arena, PfSim *sim, const char *text, const char *study, PfTake *take)
{
  Reader r = {.ctx = ctx, .arena = arena, .sim = sim, .take = take, .room = 1000, .study = study};
  if (study && strcmp(study, "linearize") != 0) {
    pf_fail(ctx, PF_ERR_ARGUMENT, "--study %s: there is no such study of members", study);
    pf_hint(ctx, "there is: linearize");
    return PF_ERR_ARGUMENT;
  }
  *take = (PfTake){.items = pf_arena_array(arena, PfTaken, r.room), .widest = 1};
  if (!take->items) return no_room(&r);
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = pf_piece_end(text, ",");
    r.text = pf_piece(arena, text, end);
    if (!r.text) return no_room(&r);
    if (!*r.text) return pf_fail(ctx, PF_ERR_ARGUMENT, "--take: a name is missing between two commas");
    if (strlen(r.text) > 500) return pf_fail(ctx, PF_ERR_LIMIT, "--take: '%.40s…' is too long", r.text);
    PF_TRY(split_unit(&r));
    PF_TRY(read_item(&r));
  }
  return take->count ? PF_OK : pf_fail(ctx, PF_ERR_ARGUMENT, "--take: there is no name");
}
