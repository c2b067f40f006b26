/* SPDX-License-Identifier: Apache-2.0 */
/* Growth vectors by Lie brackets: Chow, Math. Ann. 117 (1939) 98-105; the growth vector and the degree of nonholonomy:
 * Vershik, Gershkovich, Nonholonomic dynamical systems, in: Dynamical Systems VII, Springer 1994.
 *
 * At a generic point only brackets that raise the rank are kept: all others are combinations of these with functions as
 * coefficients, and brackets of such combinations lie in the span of the brackets that are found anyway. At a given
 * point such coefficients may be singular, so there all brackets are formed that are not zero everywhere. */
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

/* ---------------------------------------------------------------- growth */

/* Fields by levels; the fields of level l are at[first[l]] … */
typedef struct Flag {
  int levels, count, room;
  int first[MOST_LEVELS + 2];
  PfExpr *at; /* room x n */
} Flag;

/* The field i of the flag, n expressions. */
static PfExpr *field(const Study *s, const Flag *flag, int i)
{
  return flag->at + (size_t)i*(size_t)s->d.n;
}

/* The first level of the flag, the fields of the distribution, and the growth vector that begins with their number. */
static PfStatus begin_flag(const Study *s, const PfFields *fields, int room, Flag *flag, PfGrowth *growth)
{
  *flag = (Flag){.levels = 1, .count = fields->count, .room = fields->count + room};
  PF_TRY(pf_arrays(s->ctx, s->arena, "the study of integrability", PF_ROOM2(flag->at, flag->room, s->d.n),
                   PF_ROOM(growth->rank, MOST_LEVELS + 1)));
  memcpy(flag->at, fields->at, (size_t)fields->count*(size_t)s->d.n*sizeof *flag->at);
  flag->first[1] = fields->count;
  growth->rank[0] = fields->count;
  growth->length = 1;
  return PF_OK;
}

/* Brackets of the first level with the latest, after all others. *full when there is no room for all, or the
 * expressions are too many. */
static PfStatus bracket_all(const Study *s, Flag *flag, bool *full)
{
  int from = flag->first[flag->levels - 1], to = flag->first[flag->levels];
  for (int i = 0; i < flag->first[1]; i++)
    for (int k = flag->levels == 1 ? i + 1 : from; k < to; k++) {
      *full = flag->count == flag->room || pf_expr_table_size(s->ctx) - s->nodes > MOST_NODES;
      if (*full) return PF_OK;
      PfExpr *out = field(s, flag, flag->count);
      PF_TRY(pf_lie_bracket(&s->d, field(s, flag, i), field(s, flag, k), out));
      bool zero = true;
      for (int j = 0; j < s->d.n && zero; j++) zero = pf_expr_is_structural_zero(s->ctx, out[j]);
      flag->count += !zero;
    }
  return PF_OK;
}

/* Ranks of the distribution with its Lie brackets, level by level, at generic points: the growth vector. */
static PfStatus grow_generic(const Study *s, const PfFields *fields, PfGrowth *growth)
{
  Flag flag;
  PfAnchor anywhere = {0};
  const int n = s->d.n;
  int *which, rank;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the study of integrability", PF_ROOM(which, fields->count + MOST_BRACKETS)));
  PF_TRY(begin_flag(s, fields, MOST_BRACKETS, &flag, growth));
  growth->exact = true;
  while (flag.levels < MOST_LEVELS && growth->rank[growth->length - 1] < n) {
    bool full = false;
    PF_TRY(bracket_all(s, &flag, &full));
    if (full) return PF_OK;
    PF_TRY(pf_rank_at(&s->d, &anywhere, flag.at, flag.count, &rank, which));
    /* Keeps the fields of the open level that are independent of those before; `which` lists independent rows. */
    int kept = flag.first[flag.levels];
    for (int i = 0; i < rank; i++) {
      if (which[i] < flag.first[flag.levels]) continue;
      memmove(field(s, &flag, kept++), field(s, &flag, which[i]), (size_t)n*sizeof *flag.at);
    }
    flag.count = kept;
    if (rank == growth->rank[growth->length - 1]) break;
    growth->rank[growth->length++] = rank;
    flag.first[++flag.levels] = flag.count;
  }
  growth->complete = flag.levels < MOST_LEVELS;
  return PF_OK;
}

/* ---------------------------------------------------------------- the given configuration */

/* The growth vector at one configuration, exact or in doubles, until the rank of generic points is reached, which is
 * the most there can be. */
static PfStatus study_at(Study *s, const PfAnchor *anchor)
{
  PfIntegrability *r = s->result;
  PfGrowth *growth = &r->given;
  PfFields fields;
  Flag flag;
  PF_TRY(pf_distribution_span(&s->d, anchor, &fields));
  r->given_rank = s->d.n - fields.count;
  *growth = (PfGrowth){.exact = anchor->numbers == NULL};
  if (r->given_rank < r->rank) {
    growth->why_not = "the constraints lose rank there";
    return PF_OK;
  }
  int most = r->generic.rank[r->generic.length - 1];
  PF_TRY(begin_flag(s, &fields, MOST_BRACKETS, &flag, growth));
  while (flag.levels < MOST_LEVELS && growth->rank[growth->length - 1] < most) {
    bool full = false;
    PF_TRY(bracket_all(s, &flag, &full));
    if (full) return PF_OK;
    if (flag.count == flag.first[flag.levels]) break; /* all are zero */
    PF_TRY(pf_rank_at(&s->d, anchor, flag.at, flag.count, growth->rank + growth->length, NULL));
    growth->length++;
    flag.first[++flag.levels] = flag.count;
  }
  growth->complete = flag.levels < MOST_LEVELS;
  return PF_OK;
}

/* Exactly if the configuration is known so; where exact numbers grow too large, or divide by zero, by doubles. */
static PfStatus study_given(Study *s, const double *values)
{
  PfIntegrability *r = s->result;
  PfSymbols symbols;
  double *numbers;
  PF_TRY(pf_equations_symbols(s->ctx, s->arena, s->d.eq->model, &symbols));
  PF_TRY(pf_arrays(s->ctx, s->arena, "the study of integrability", PF_ROOM(numbers, s->d.n), PF_ROOM(r->at, s->d.n)));
  r->at_exact = true;
  for (int j = 0; j < s->d.n; j++) {
    numbers[j] = values[j < s->d.eq->n ? symbols.q + j : symbols.time];
    if (pf_exact_number(s->ctx, numbers[j], r->at + j)) continue;
    r->at[j] = pf_expr_shortest(s->ctx, numbers[j]);
    r->at_exact = false;
  }
  PF_TRY(pf_expr_check(s->ctx));
  r->has_given = true;
  if (r->at_exact) {
    int said = pf_diagnostic_count(s->ctx);
    PfStatus status = study_at(s, &(PfAnchor){.at = r->at});
    if (status == PF_OK || pf_is_final(status)) return status;
    pf_diagnostics_truncate(s->ctx, said);
  }
  return study_at(s, &(PfAnchor){.numbers = numbers});
}

/* ---------------------------------------------------------------- all */

/* Rank and growth vector at generic points, at the values when they are given, and then as many exact combinations of
 * the forms as the growth vector promises: n - its last number. */
PfStatus pf_integrability(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                          const double *values, PfIntegrability *r)
{
  *r = (PfIntegrability){0};
  Study s = {.ctx = ctx, .arena = arena, .result = r, .nodes = pf_expr_table_size(ctx)};
  PF_TRY(pf_distribution_make(ctx, arena, equations, parameters, &s.d));
  PfFields fields;
  PfProbe *probe;
  const int count = s.d.m*s.d.n;
  r->space = s.d.n;
  r->timed = s.d.timed;
  r->coordinate = s.d.x;
  PF_TRY(pf_probe_make(ctx, arena, s.d.valued, count, &probe));
  for (int i = 0; i < count && !r->assumed; i++) r->assumed = pf_probe_outside(probe, i);
  PF_TRY(pf_distribution_span(&s.d, &(PfAnchor){0}, &fields));
  r->rank = s.d.n - fields.count;
  r->field_count = fields.count;
  r->fields = fields.at;
  PF_TRY(grow_generic(&s, &fields, &r->generic));
  if (values) PF_TRY(study_given(&s, values));
  if (!r->generic.complete) return PF_OK;
  r->holonomic = s.d.n - r->generic.rank[r->generic.length - 1];
  return pf_closed_forms_find(&s.d, r->holonomic, &r->integrals, &r->integral_count);
}
