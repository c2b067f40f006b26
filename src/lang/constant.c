/* SPDX-License-Identifier: Apache-2.0 */
/* A single value as people write it beside a model, on a command line: 2/3, 5 [g], 2*pi/3.
 *
 * The text is parsed and checked with the code for models, in an empty model of its own that ends with the call; so
 * numbers, units, pi and functions mean the same as in a model. Values are returned as double numbers in the unit that
 * the caller expects, and errors name the setting that was wrong instead of a line of a file. */
#include "lang/constant.h"

#include "lang/check_impl.h"

#include <math.h>
#include <string.h>

/* A declared name with this unit, as pf_value_in_unit takes it: a bare number in that unit, anything else checked
 * against it. */
static Entity in_unit(const PfUnit *unit)
{
  return (Entity){.name = "value", .unit = *unit, .has_unit = true, .dim = {.known = true, .of = unit->dimension}};
}

/* The value in the expected unit, an empty text for any: units that are written must fit, a bare number takes it.
 * Without an expected unit a value with units is taken in SI. Returns no value after an error. */
static Value value_in(Checker *ck, const PfNode *node, const PfNode *units, const char *expected)
{
  PfUnit unit;
  PfPlace nowhere = {0};
  Value value = pf_scalar_of(ck, ck->global, node, "a value");
  if (value.kind != V_NONE && units) {
    if (!pf_unit_of(ck, units, &unit)) return pf_no_value();
    Entity own = in_unit(&unit);
    value = pf_value_in_unit(ck, node, value, &own);
  }
  if (value.kind == V_NONE || !expected[0]) return value;
  if (pf_unit_parse(ck->ctx, nowhere, expected, &unit) != PF_OK) return pf_no_value();
  Entity declared = in_unit(&unit);
  if (!pf_dim_expect(ck, node, value.dim, declared.dim, "the value")) return pf_no_value();
  if (pf_is_upside_down(ck, node, value.dim, declared.dim)) return pf_no_value();
  return pf_value_in_unit(ck, node, value, &declared);
}

/* The number of a parsed value in the expected unit. It must not contain names of a model, and must be finite. */
static PfStatus evaluate(Checker *ck, const PfNode *node, const PfNode *units, const char *unit, double *result)
{
  int before = pf_error_count(ck->ctx);
  Value value = value_in(ck, node, units, unit);
  if (value.kind == V_NONE || pf_error_count(ck->ctx) > before) return PF_ERR_ARGUMENT;
  if (pf_contents(ck, value.scalar)) return pf_fail(ck->ctx, PF_ERR_ARGUMENT, "a constant is needed here");
  PF_TRY(pf_expr_evaluate(ck->ctx, &value.scalar, 1, NULL, NULL, 0, result));
  return isfinite(*result) ? PF_OK : pf_fail(ck->ctx, PF_ERR_ARGUMENT, "this is not a finite number");
}

/* Parses and evaluates the text of a source in an empty model. The lists of the checker are released, the rest lives in
 * `work`. */
static PfStatus read_constant(PfContext *ctx, PfArena *work, PfSource *source, const char *unit, double *value)
{
  PfModel model = {.ctx = ctx, .arena = work, .file = ""};
  Checker ck = {.ctx = ctx, .model = &model, .source = source, .arena = work, .errors_before = pf_error_count(ctx)};
  PfNode *node = NULL, *units = NULL;
  ck.allocator = pf_context_allocator(ctx);
  PF_TRY(pf_parse_constant(source, &node, &units));
  PfStatus status = pf_check_begin(&ck);
  if (status == PF_OK) status = evaluate(&ck, node, units, unit, value);
  pf_check_release(&ck);
  return status;
}

/* What was found first, without a place: the text is one line that the caller shows. */
static PfStatus say_plainly(PfContext *ctx, int before, PfStatus status)
{
  char message[512], hint[256] = "";
  const PfDiagnostic *d = pf_diagnostic(ctx, before);
  if (pf_is_final(status) || !d) return status;
  snprintf(message, sizeof message, "%s", d->message);
  if (d->hint && strncmp(d->hint, "write: param", 12) != 0) /* nothing can be declared here */
    snprintf(hint, sizeof hint, "%s", d->hint);
  else if (d->code == PF_ERR_NAME || d->code == PF_ERR_SYNTAX)
    snprintf(hint, sizeof hint, "a value is written 0.5, 2/3, (2*pi/3) [rad] or 5 [g]");
  pf_diagnostics_truncate(ctx, before);
  pf_fail(ctx, PF_ERR_ARGUMENT, "%s", message);
  if (hint[0]) pf_hint(ctx, "%s", hint);
  return PF_ERR_ARGUMENT;
}

/* Reads one value such as "2*pi/3" or "5 [g]" into *value, in the unit `unit` ("": SI as written). A sign '+' may stand
 * before it. On an error *value is unchanged, and the message speaks of the value without the place in a file. */
PfStatus pf_constant_read(PfContext *ctx, const char *text, const char *unit, double *value)
{
  int before = pf_diagnostic_count(ctx);
  PfArena *work = pf_arena_new(pf_context_allocator(ctx));
  if (!work) return pf_no_room(ctx, "a value");
  PfSource source;
  text += strspn(text, " ");
  text += *text == '+';
  PfStatus status = pf_source_init(&source, ctx, work, "", text, strlen(text));
  if (status == PF_OK && !*text) status = pf_fail(ctx, PF_ERR_ARGUMENT, "a value is missing");
  if (status == PF_OK) status = read_constant(ctx, work, &source, unit, value);
  /* Whatever fails after a request to stop fails because of it. */
  if (status != PF_OK && pf_check_cancelled(ctx) != PF_OK) status = PF_ERR_CANCELLED;
  if (status != PF_OK) status = say_plainly(ctx, before, status);
  pf_source_free(&source);
  pf_arena_free(work);
  return status;
}

/* The same with the name of the setting, `what`, before the message, as in "@step: …". Only errors of the argument are
 * reworded, not a lack of memory. */
PfStatus pf_constant_read_for(PfContext *ctx, const char *what, const char *text, const char *unit, double *value)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_constant_read(ctx, text, unit, value);
  const PfDiagnostic *d = pf_diagnostic(ctx, before);
  if (status != PF_ERR_ARGUMENT || !d) return status;
  const PfDiagnostic found = *d; /* its texts stay where they are */
  pf_diagnostics_truncate(ctx, before);
  pf_fail(ctx, PF_ERR_ARGUMENT, "@%s: %s", what, found.message);
  if (found.hint) pf_hint(ctx, "%s", found.hint);
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- units that several values share */

/* The unit in brackets that ends the text between `text` and `end`, brackets included, in the arena; "" when there is
 * none, NULL without memory. */
const char *pf_constant_last_unit(PfArena *arena, const char *text, const char *end)
{
  while (end > text && end[-1] == ' ') end--;
  const char *bracket = end;
  if (end == text || end[-1] != ']') return "";
  while (bracket > text && *bracket != '[') bracket--;
  return pf_arena_text(arena, bracket, (size_t)(end - bracket));
}

/* (-1) [rad]: the unit holds for all of it. */
PfStatus pf_constant_read_in(PfContext *ctx, const char *what, const char *text, const char *shared, const char *unit,
                             double *value)
{
  if (!*shared || !*text || strchr(text, '[')) return pf_constant_read_for(ctx, what, text, unit, value);
  PfText both;
  pf_text_init(&both, pf_context_allocator(ctx));
  pf_text_print(&both, "(%s) %s", text, shared);
  PfStatus status = both.failed ? pf_no_room(ctx, "a value")
                                : pf_constant_read_for(ctx, what, pf_text_get(&both), unit, value);
  pf_text_free(&both);
  return status;
}

/* The two ends of a range "a, b [unit]" as text[0] and text[1], and the unit after both in text[2] (""). A unit that
 * stands only after the second number holds for both; a unit only after the first one is ambiguous and refused. */
static PfStatus read_ends(PfContext *ctx, PfArena *arena, const char *what, const char *const text[3], const char *unit,
                          double ends[2])
{
  const char *behind = text[2], *shared = *behind ? behind : pf_constant_last_unit(arena, text[1], strchr(text[1], 0));
  if (!shared) return pf_no_room(ctx, "a value");
  if (strchr(text[0], '[') && !*shared && !strchr(text[1], '[')) {
    pf_fail(ctx, PF_ERR_ARGUMENT, "@%s: '%s' has a unit, and '%s' has none", what, text[0], text[1]);
    pf_hint(ctx, "a unit behind the last one holds for both: 1, 5 [cm]");
    return PF_ERR_ARGUMENT;
  }
  PF_TRY(pf_constant_read_in(ctx, what, text[0], shared, unit, ends));
  return pf_constant_read_in(ctx, what, text[1], shared, unit, ends + 1);
}

/* Reads the ends of a range into ends[0] and ends[1], in the unit `unit`; text as in read_ends. what: the setting, for
 * messages. Needs memory only during the call. */
PfStatus pf_constant_read_ends(PfContext *ctx, const char *what, const char *const text[3], const char *unit,
                               double ends[2])
{
  PfArena *work = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = work ? read_ends(ctx, work, what, text, unit, ends) : pf_no_room(ctx, "a value");
  pf_arena_free(work);
  return status;
}
