/* SPDX-License-Identifier: Apache-2.0 */
/* Growth vectors by Lie brackets: Chow, Math. Ann. 117 (1939) 98-105; the growth vector and the degree of nonholonomy:
 * Vershik, Gershkovich, Nonholonomic dynamical systems, in: Dynamical Systems VII, Springer 1994.
 *
 * At a generic point only brackets that raise the rank are kept: all others are combinations of these with functions
 * as coefficients, and brackets of such combinations lie in the span of what is found anyway. At a given point such
 * coefficients may be singular, so there all brackets are formed that are not zero everywhere. */
#include "study/integrability.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 16, MOST_BRACKETS = 150, MOST_NODES = 400000 };

typedef struct Study {
  PfContext *ctx;
  PfArena *arena;
  PfDistribution d;
  PfIntegrability *result;
  uint32_t nodes; /* in the table when it began */
} Study;

static bool is_too_large(const Study *s)
{
  return pf_expr_table_size(s->ctx) - s->nodes > MOST_NODES;
}

/* ---------------------------------------------------------------- growth */

/* Fields by levels; the fields of level l are at[first[l]] … */
typedef struct Flag {
  int levels, count, room;
  int first[MOST_LEVELS + 2];
  PfExpr *at; /* room x n */
} Flag;

static PfExpr *field(const Study *s, const Flag *flag, int i)
{
  return flag->at + (size_t)i*(size_t)s->d.n;
}

static PfStatus begin_flag(const Study *s, const PfFields *fields, int room, Flag *flag)
{
  *flag = (Flag){.levels = 1, .count = fields->count, .room = fields->count + room};
  flag->at = pf_arena_array(s->arena, PfExpr, (size_t)flag->room*(size_t)s->d.n);
  if (!flag->at) return pf_no_room(s->ctx, "the study of integrability");
  memcpy(flag->at, fields->at, (size_t)fields->count*(size_t)s->d.n*sizeof *flag->at);
  flag->first[1] = fields->count;
  return PF_OK;
}

/* Brackets of the first level with the latest, behind all others. *full when there is no room for all. */
static PfStatus bracket_all(const Study *s, Flag *flag, bool *full)
{
  int from = flag->first[flag->levels - 1], to = flag->first[flag->levels];
  for (int i = 0; i < flag->first[1]; i++)
    for (int k = flag->levels == 1 ? i + 1 : from; k < to; k++) {
      *full = flag->count == flag->room || is_too_large(s);
      if (*full) return PF_OK;
      PfExpr *out = field(s, flag, flag->count);
      PF_TRY(pf_lie_bracket(&s->d, field(s, flag, i), field(s, flag, k), out));
      bool zero = true;
      for (int j = 0; j < s->d.n && zero; j++) zero = pf_expr_is_structural_zero(s->ctx, out[j]);
      flag->count += !zero;
    }
  return PF_OK;
}

static void close_level(Flag *flag)
{
  flag->first[++flag->levels] = flag->count;
}

/* Keeps the fields of the open level that are independent of those before; `which` lists independent rows. */
static void keep(const Study *s, Flag *flag, const int *which, int rank)
{
  int kept = flag->first[flag->levels];
  for (int i = 0; i < rank; i++) {
    if (which[i] < flag->first[flag->levels]) continue;
    memmove(field(s, flag, kept++), field(s, flag, which[i]), (size_t)s->d.n*sizeof *flag->at);
  }
  flag->count = kept;
}

static PfStatus begin_growth(const Study *s, PfGrowth *growth, int rank)
{
  growth->rank = pf_arena_array(s->arena, int, MOST_LEVELS + 1);
  if (!growth->rank) return pf_no_room(s->ctx, "the study of integrability");
  growth->rank[0] = rank;
  growth->length = 1;
  return PF_OK;
}

static PfStatus grow_generic(const Study *s, const PfFields *fields, PfGrowth *growth)
{
  Flag flag;
  PfAnchor anywhere = {0};
  int n = s->d.n;
  int *which = pf_arena_array(s->arena, int, fields->count + MOST_BRACKETS);
  if (!which) return pf_no_room(s->ctx, "the study of integrability");
  PF_TRY(begin_flag(s, fields, MOST_BRACKETS, &flag));
  PF_TRY(begin_growth(s, growth, fields->count));
  growth->exact = true;
  while (flag.levels < MOST_LEVELS && growth->rank[growth->length - 1] < n) {
    bool full = false;
    int rank;
    PF_TRY(bracket_all(s, &flag, &full));
    if (full) return PF_OK;
    PF_TRY(pf_rank_at(&s->d, &anywhere, flag.at, flag.count, &rank, which));
    keep(s, &flag, which, rank);
    if (rank == growth->rank[growth->length - 1]) break;
    growth->rank[growth->length++] = rank;
    close_level(&flag);
  }
  growth->complete = flag.levels < MOST_LEVELS;
  return PF_OK;
}

/* Until the rank of generic points is reached, which is the most there can be. */
static PfStatus grow_given(const Study *s, const PfAnchor *anchor, const PfFields *fields, int most, PfGrowth *growth)
{
  Flag flag;
  PF_TRY(begin_flag(s, fields, MOST_BRACKETS, &flag));
  PF_TRY(begin_growth(s, growth, fields->count));
  growth->exact = anchor->numbers == NULL;
  while (flag.levels < MOST_LEVELS && growth->rank[growth->length - 1] < most) {
    bool full = false;
    PF_TRY(bracket_all(s, &flag, &full));
    if (full) return PF_OK;
    if (flag.count == flag.first[flag.levels]) break; /* all are zero */
    PF_TRY(pf_rank_at(&s->d, anchor, flag.at, flag.count, growth->rank + growth->length, NULL));
    growth->length++;
    close_level(&flag);
  }
  growth->complete = flag.levels < MOST_LEVELS;
  return PF_OK;
}

/* ---------------------------------------------------------------- the given configuration */

static PfStatus read_configuration(Study *s, const double *values, double *numbers)
{
  PfSymbols symbols;
  PfIntegrability *r = s->result;
  PF_TRY(pf_equations_symbols(s->ctx, s->arena, s->d.eq->model, &symbols));
  r->at = pf_arena_array(s->arena, PfExpr, s->d.n);
  if (!r->at) return pf_no_room(s->ctx, "the study of integrability");
  r->at_exact = true;
  for (int j = 0; j < s->d.n; j++) {
    numbers[j] = values[j < s->d.eq->n ? symbols.q + j : symbols.time];
    if (pf_exact_number(s->ctx, numbers[j], r->at + j)) continue;
    r->at[j] = pf_expr_shortest(s->ctx, numbers[j]);
    r->at_exact = false;
  }
  return pf_expr_check(s->ctx);
}

static PfStatus study_at(Study *s, const PfAnchor *anchor)
{
  PfIntegrability *r = s->result;
  PfFields fields;
  PF_TRY(pf_distribution_span(&s->d, anchor, &fields));
  r->given_rank = s->d.n - fields.count;
  r->given = (PfGrowth){0};
  if (r->given_rank < r->rank) {
    r->given.exact = anchor->numbers == NULL;
    r->given.why_not = "the constraints lose rank there";
    return PF_OK;
  }
  return grow_given(s, anchor, &fields, r->generic.rank[r->generic.length - 1], &r->given);
}

/* Exactly if the configuration is known so; where exact numbers grow too large, or divide by zero, by doubles. */
static PfStatus study_given(Study *s, const double *values)
{
  double *numbers = pf_arena_array(s->arena, double, s->d.n);
  if (!numbers) return pf_no_room(s->ctx, "the study of integrability");
  PF_TRY(read_configuration(s, values, numbers));
  s->result->has_given = true;
  if (s->result->at_exact) {
    int said = pf_diagnostic_count(s->ctx);
    PfStatus status = study_at(s, &(PfAnchor){.at = s->result->at});
    if (status == PF_OK || pf_is_final(status)) return status;
    pf_diagnostics_cut(s->ctx, said);
  }
  return study_at(s, &(PfAnchor){.numbers = numbers});
}

/* ---------------------------------------------------------------- all */

static PfStatus find_assumption(Study *s)
{
  PfProbe *probe;
  int count = s->d.m*s->d.n;
  PF_TRY(pf_probe_make(s->ctx, s->arena, s->d.valued, count, &probe));
  for (int i = 0; i < count && !s->result->assumed; i++) s->result->assumed = pf_probe_outside(probe, i);
  return PF_OK;
}

static PfStatus study(Study *s, const double *values)
{
  PfIntegrability *r = s->result;
  PfFields fields;
  r->space = s->d.n;
  r->timed = s->d.timed;
  r->coordinate = s->d.x;
  PF_TRY(find_assumption(s));
  PF_TRY(pf_distribution_span(&s->d, &(PfAnchor){0}, &fields));
  r->rank = s->d.n - fields.count;
  r->field_count = fields.count;
  r->fields = fields.at;
  PF_TRY(grow_generic(s, &fields, &r->generic));
  if (values) PF_TRY(study_given(s, values));
  if (!r->generic.complete) return PF_OK;
  r->holonomic = s->d.n - r->generic.rank[r->generic.length - 1];
  return pf_closed_forms_find(&s->d, r->holonomic, &r->integrals, &r->integral_count);
}

PfStatus pf_integrability(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                          const double *values, PfIntegrability *result)
{
  *result = (PfIntegrability){0};
  Study s = {.ctx = ctx, .arena = arena, .result = result, .nodes = pf_expr_table_size(ctx)};
  PF_TRY(pf_distribution_make(ctx, arena, equations, parameters, &s.d));
  return study(&s, values);
}
