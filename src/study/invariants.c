/* SPDX-License-Identifier: Apache-2.0 */
/* Conserved quantities: combinations of candidates whose rate is zero. Each random state gives one linear equation for
 * the constants; the momenta among them are those of Noether's theorem and of its nonholonomic form (Bloch,
 * Krishnaprasad, Marsden, Murray, Arch. Rational Mech. Anal. 136 (1996) 21-99) where the constraints allow the
 * symmetry. */
#include "study/invariants.h"

#include "model/model.h"

#include "base/base.h"
#include "study/integrability.h"
#include "study/relations.h"

#include <math.h>
#include <string.h>

enum { MOST_CANDIDATES = 240, MOST_QUADRATIC = 120, MOST_LIFTED = 520, MOST_SUPPORTS = 6, MOST_SUPPORT = 12 };

/* The functions of a combination that is constant for the given values of the parameters. */
typedef struct Support {
  PfInvariantKind kind;
  int count;
  PfExpr functions[MOST_SUPPORT];
} Support;

/* Everything that the parts of the search share; lists are in the arena of the result. */
typedef struct Search {
  PfContext *ctx;
  PfArena *arena;
  const PfEquations *eq;
  const double *parameters;
  PfFlow flow;
  PfInvariants *result;
  bool jumps;         /* an energy or a constraint does, and velocities with it */
  int count, room;
  PfInvariant *found; /* before dependent ones are left out */
  PfExpr potential;   /* less the work of forces that is a function of position */
  bool assumed;       /* parameters without a value have one for now: combinations by values are not shown */
  int first_lifted;   /* number of the first combination with constants by parameters */
  int support_count;
  Support supports[MOST_SUPPORTS];
} Search;

/* The text is static. */
const char *pf_invariant_kind_name(PfInvariantKind kind)
{
  static const char *const names[] = {"energy", "generalized energy", "momentum", "linear", "quadratic",
                                      "holonomic"};
  return names[kind];
}

/* ---------------------------------------------------------------- lists */

/* Appends a conserved quantity to the list, which grows in the arena. `name`: words for it, or NULL; `general`: it
 * holds for all values of the parameters that are not 0. */
static PfStatus add(Search *s, PfInvariantKind kind, PfExpr value, const char *name, bool general)
{
  if (s->count == s->room) {
    int room = 2*s->room + 8;
    PfInvariant *more = pf_arena_array(s->arena, PfInvariant, room);
    if (!more) return pf_no_room(s->ctx, "the search for conserved quantities");
    if (s->count) memcpy(more, s->found, (size_t)s->count*sizeof *more);
    s->found = more;
    s->room = room;
  }
  s->found[s->count++] = (PfInvariant){.kind = kind, .value = value, .name = name, .general = general};
  return PF_OK;
}

/* ---------------------------------------------------------------- energy */

/* Keeps the energy if it is constant. */
static PfStatus try_energy(Search *s, PfInvariantKind kind, PfExpr energy)
{
  PfStatus status;
  PfTruth constant = pf_flow_is_constant(&s->flow, energy, PF_FLOW_BY_VALUE, &status);
  PF_TRY(status);
  if (s->flow.trouble) s->result->why_not = s->flow.trouble;
  return constant == PF_TRUE ? add(s, kind, energy, NULL, false) : PF_OK;
}

/* The energy T + V, less the work of the applied forces where that is a function of the coordinates; or the generalized
 * energy sum p v - L less that work. */
static PfStatus find_energy(Search *s)
{
  PfContext *ctx = s->ctx;
  const PfEquations *eq = s->eq;
  const PfCoordinate *c = eq->model->coordinates;
  const int n = eq->n;
  PfExpr energy = pf_expr_add(ctx, eq->kinetic, eq->potential), work = pf_expr_int(ctx, 0), *q, *v, *form;
  PF_TRY(pf_arrays(ctx, s->arena, "the search for conserved quantities", PF_ROOM(q, n), PF_ROOM(v, n + 1),
                   PF_ROOM(form, n)));
  for (int i = 0; i < n; i++) q[i] = c[i].q, v[i] = c[i].v;
  v[n] = eq->model->time;
  memcpy(form, eq->applied, (size_t)n*sizeof *form);
  PF_TRY(pf_put_zeros(ctx, eq->model, s->parameters, form, n));
  bool may = true;
  for (int i = 0; i < n && may; i++) {
    const bool torque = c[i].quasi && !pf_expr_is_structural_zero(ctx, form[i]);
    may = !pf_expr_depends(ctx, form[i], v, n + 1) && !torque;
  }
  PfExpr found = PF_EXPR_NONE;
  if (may) PF_TRY(pf_potential_find(ctx, q, n, form, &found));
  if (found != PF_EXPR_NONE) work = found;
  s->potential = pf_expr_sub(ctx, eq->potential, work);
  PF_TRY(try_energy(s, PF_INVARIANT_ENERGY, pf_expr_sub(ctx, energy, work)));
  if (s->count || s->result->why_not) return PF_OK;
  PfExpr sum = pf_expr_sub(ctx, eq->potential, eq->kinetic);
  for (int i = 0; i < n; i++) sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, eq->momentum[i], c[i].v));
  return try_energy(s, PF_INVARIANT_JACOBI, pf_expr_sub(ctx, sum, work));
}

/* ---------------------------------------------------------------- combinations */

/* Equations sum_k row[k]*c[k] = 0 at fresh points until several say nothing new; `list` gives the functions that count
 * (NULL: all), `rates` chooses between their values and their rates. */
static PfStatus gather(Search *s, const int *list, int count, bool rates, PfRelations *relations, bool *good)
{
  enum { QUIET = 4 };
  PF_TRY(pf_relations_make(s->ctx, s->arena, count, relations));
  relations->field = pf_probe_field(s->flow.probe);
  uint64_t *row = pf_arena_array(s->arena, uint64_t, count);
  if (!row) return pf_no_room(s->ctx, "the search for conserved quantities");
  *good = false;
  for (int quiet = 0; quiet < QUIET;) {
    PF_TRY(pf_check_cancelled(s->ctx));
    if (!pf_flow_next(&s->flow)) return PF_OK;
    const uint64_t *from = rates ? s->flow.rate : s->flow.value;
    for (int k = 0; k < count; k++) row[k] = from[list ? list[k] : k];
    quiet = pf_relations_add(relations, row) ? 0 : quiet + 1;
  }
  *good = true;
  return PF_OK;
}

/* sum c_k f_k in the shortest form; PF_EXPR_NONE when a constant is not a fraction. *name: the words for it, when it is
 * one function with words; else NULL. */
static PfExpr combine(const Search *s, const PfCandidates *candidates, const int *list, int count, const uint64_t *c,
                      int *terms, const char **name)
{
  const PfField *f = pf_probe_field(s->flow.probe);
  PfExpr sum = pf_expr_int(s->ctx, 0);
  *terms = 0;
  for (int k = 0; k < count; k++) {
    int64_t num, den;
    if (!c[k]) continue;
    if (!pf_field_rational(f, c[k], &num, &den)) return PF_EXPR_NONE;
    PfExpr factor = pf_expr_rational(s->ctx, num, den);
    sum = pf_expr_add(s->ctx, sum, pf_expr_mul(s->ctx, factor, s->flow.functions[list[k]]));
    *name = *terms == 0 ? candidates->name[list[k]] : NULL;
    ++*terms;
  }
  return sum;
}

/* Remembers the functions of a combination that holds for these values: with others their constants may be others. */
static void add_support(Search *s, const int *list, int count, const uint64_t *c, PfInvariantKind kind)
{
  if (s->support_count == MOST_SUPPORTS) return;
  Support *one = s->supports + s->support_count;
  one->kind = kind;
  one->count = 0;
  for (int k = 0; k < count; k++) {
    if (!c[k]) continue;
    if (one->count == MOST_SUPPORT) return;
    one->functions[one->count++] = s->flow.functions[list[k]];
  }
  s->support_count += one->count > 1;
}

/* Lists the combinations of the functions that the solutions of the linear equations give. */
static PfStatus take_solutions(Search *s, const PfCandidates *candidates, const PfRelations *rates, const int *list,
                               PfInvariantKind kind, bool general)
{
  enum { MOST_TERMS = 40 };
  const int count = rates->unknowns, solutions = count - rates->rank;
  uint64_t *c;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM2(c, solutions, count)));
  pf_relations_solve(rates, c);
  for (int i = 0; i < solutions; i++, c += count) {
    int terms;
    const char *name = NULL;
    PfExpr value = combine(s, candidates, list, count, c, &terms, &name);
    if (value == PF_EXPR_NONE || terms > MOST_TERMS) continue;
    if (!general) add_support(s, list, count, c, kind);
    if (general || !s->assumed) PF_TRY(add(s, name ? PF_INVARIANT_MOMENTUM : kind, value, name, general));
  }
  return PF_OK;
}

/* The candidates with the shorter ones first, in a copy. */
static PfStatus shortest_first(const Search *s, PfCandidates *list)
{
  PfExpr *at;
  const char **name;
  size_t *length;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM(at, list->count),
                   PF_ROOM(name, list->count), PF_ROOM(length, list->count)));
  for (int i = 0; i < list->count; i++) {
    const size_t own = pf_expr_length(s->ctx, list->at[i]);
    int k = i;
    for (; k > 0 && length[k - 1] > own; k--) at[k] = at[k - 1], name[k] = name[k - 1], length[k] = length[k - 1];
    at[k] = list->at[i], name[k] = list->name[i], length[k] = own;
  }
  list->at = at, list->name = name;
  return PF_OK;
}

/* Linear combinations of the candidates whose time derivative vanishes: first a basis of the candidates, then the
 * kernel of their rates. */
static PfStatus search(Search *s, const PfCandidates *candidates, PfInvariantKind kind, PfFlowParameters parameters)
{
  PfRelations rates;
  int *list = pf_arena_array(s->arena, int, candidates->count), count = 0;
  bool good = false;
  if (!list) return pf_no_room(s->ctx, "the search for conserved quantities");
  PF_TRY(pf_flow_follow(&s->flow, candidates->at, candidates->count, parameters));
  if (s->flow.trouble) return PF_OK;
  /* The first functions that are linearly independent. */
  PfRelations values;
  PF_TRY(gather(s, NULL, s->flow.count, false, &values, &good));
  count = 0;
  for (int k = 0; good && k < values.unknowns; k++)
    if (values.taken[k]) list[count++] = k;
  if (!good || count == 0) return PF_OK;
  PF_TRY(gather(s, list, count, true, &rates, &good));
  return good ? take_solutions(s, candidates, &rates, list, kind, parameters == PF_FLOW_BY_NAME) : PF_OK;
}

/* ---------------------------------------------------------------- open parameters */

/* The constants of the combination of these functions with the present values of the parameters, as fractions; *one:
 * there is exactly one such combination. */
static PfStatus constants_of(Search *s, const Support *support, int64_t (*c)[2], bool *one)
{
  PfRelations rates;
  uint64_t *solution;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities",
                   PF_ROOM2(solution, support->count, support->count)));
  PF_TRY(pf_flow_follow(&s->flow, support->functions, support->count, PF_FLOW_BY_VALUE));
  *one = false;
  if (s->flow.trouble) return PF_OK;
  PF_TRY(gather(s, NULL, support->count, true, &rates, one));
  *one = *one && rates.unknowns - rates.rank == 1;
  if (!*one) return PF_OK;
  pf_relations_solve(&rates, solution);
  for (int k = 0; k < support->count && *one; k++)
    *one = pf_field_rational(rates.field, solution[k], &c[k][0], &c[k][1]);
  return PF_OK;
}

/* Gives values to parameters that have none, so that combinations by values can be found. */
static PfStatus assume_values(Search *s)
{
  const PfModel *model = s->eq->model;
  double *values;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM(values, model->parameter_count)));
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    values[i] = s->parameters ? s->parameters[i] : NAN;
    if (!isnan(values[i]) || p->value != PF_EXPR_NONE) continue;
    values[i] = 1.5 + 0.25*i;
    s->assumed = true;
  }
  if (s->assumed) s->parameters = s->flow.parameters = s->flow.states.parameters = values;
  return PF_OK;
}

/* Marks the parameters on which the constants of the combination depend, by another value for each. */
static PfStatus find_needed(Search *s, const Support *support, bool *needed)
{
  const PfModel *model = s->eq->model;
  const double *given = s->parameters;
  int64_t before[MOST_SUPPORT][2] = {{0}}, after[MOST_SUPPORT][2] = {{0}};
  double *changed;
  bool good;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM(changed, model->parameter_count)));
  PF_TRY(constants_of(s, support, before, &good));
  PfStatus status = PF_OK;
  for (int i = 0; i < model->parameter_count && good && status == PF_OK; i++) {
    if (model->parameters[i].derived) continue;
    for (int k = 0; k < model->parameter_count; k++) changed[k] = given ? given[k] : NAN;
    changed[i] = 1.75 + 0.25*i;
    s->flow.parameters = s->flow.states.parameters = changed;
    bool same = false;
    status = constants_of(s, support, after, &same);
    for (int k = 0; k < support->count && same; k++)
      same = before[k][0] == after[k][0] && before[k][1] == after[k][1];
    needed[i] = !same;
  }
  s->flow.parameters = s->flow.states.parameters = given;
  return status;
}

/* A combination that holds for these values by constants that are polynomials of the parameters holds for all: each of
 * its functions times monomials of the parameters, by name. */
static PfStatus open_parameters(Search *s)
{
  const int supports = s->support_count;
  s->first_lifted = s->count;
  for (int i = 0; i < supports; i++) {
    PfCandidates lifted;
    const Support *one = s->supports + i;
    bool *needed;
    PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities",
                     PF_ROOM(needed, s->eq->model->parameter_count)));
    PF_TRY(find_needed(s, one, needed));
    PF_TRY(pf_candidates_by_parameters(&s->flow, one->functions, one->count, needed, MOST_LIFTED, &lifted));
    PF_TRY(search(s, &lifted, one->kind, PF_FLOW_BY_NAME));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- which ones to show */

/* The order in which they are taken: the simplest to write first; a name makes up for some length. Constants that are
 * polynomials of parameters come after plain ones. Energies come after linear ones, because they may be functions of
 * these, and quadratic ones last. */
static PfStatus sort(const Search *s)
{
  static const double order[] = {3, 3, 1, 1, 4, 0}; /* by kind */
  double *rank;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM(rank, s->count)));
  for (int i = 0; i < s->count; i++) {
    const PfInvariant one = s->found[i];
    const double length = fmin((double)pf_expr_length(s->ctx, one.value), 9e7);
    const double later = !one.general ? 1e8 : i >= s->first_lifted ? 5e7 : 0;
    const double own = 1e9*order[one.kind] + later + (one.name ? length/3 : length);
    int k = i;
    for (; k > 0 && rank[k - 1] > own; k--) s->found[k] = s->found[k - 1], rank[k] = rank[k - 1];
    s->found[k] = one, rank[k] = own;
  }
  return PF_OK;
}

/* Functions are independent where their gradients are. */
static PfStatus independent_ones(Search *s, int *which, int *rank)
{
  int symbols = 0;
  PfExpr *list, *f = pf_arena_array(s->arena, PfExpr, s->count);
  /* Everything a state may be made of. */
  const PfModel *model = s->eq->model;
  const PfKinematics *k = &s->flow.states.kinematics;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM(list, 2*s->eq->n + k->count)));
  symbols = 0;
  for (int i = 0; i < s->eq->n; i++) list[symbols++] = model->coordinates[i].q;
  for (int i = 0; i < s->eq->n; i++) list[symbols++] = model->coordinates[i].v;
  for (int a = 0; a < k->count && !k->chosen; a++) list[symbols++] = k->omega[a];
  size_t size = (size_t)s->count*(size_t)symbols;
  PfExpr *slopes = pf_arena_array(s->arena, PfExpr, size);
  uint64_t *values = pf_arena_array(s->arena, uint64_t, size), *work = pf_arena_array(s->arena, uint64_t, size);
  uint64_t seed = 7;
  PfProbe *probe;
  if (!f || !slopes || !values || !work) return pf_no_room(s->ctx, "the search for conserved quantities");
  for (int i = 0; i < s->count; i++) f[i] = s->found[i].value;
  PF_TRY(pf_flow_write(&s->flow, f, s->count));
  for (int i = 0; i < s->count; i++) {
    PfExpr *row = slopes + (size_t)i*(size_t)symbols;
    PF_TRY(pf_expr_gradient(s->ctx, f[i], list, symbols, row));
    PF_TRY(pf_model_gradient(s->eq->model, f[i], row)); /* in the place of q: along rotations too */
  }
  PF_TRY(pf_probe_make(s->ctx, s->arena, slopes, (int)size, &probe));
  *rank = 0;
  if (!pf_probe_next_field(probe) || !pf_probe_somewhere(probe, (int)size, &seed, values)) return PF_OK;
  *rank = pf_exact_independent_rows(pf_probe_field(probe), values, s->count, symbols, work, which);
  return PF_OK;
}

/* Times whatever number makes it shortest: 1, -1, or 1 over the number before its first term. */
static PfExpr shortest(PfContext *ctx, PfExpr e)
{
  PfExpr best = pf_expr_simplest(ctx, e), unit = pf_expr_int(ctx, 1);
  if (pf_expr_op(ctx, best) == PF_OP_SUM) unit = pf_expr_arg(ctx, best, 1);
  PfExpr scaled = pf_expr_div(ctx, best, unit);
  PfExpr others[] = {pf_expr_neg(ctx, best), scaled, pf_expr_neg(ctx, scaled)};
  for (size_t i = 0; i < sizeof others/sizeof *others; i++) {
    PfExpr other = pf_expr_simplest(ctx, others[i]);
    if (pf_expr_length(ctx, other) < pf_expr_length(ctx, best)) best = other;
  }
  return best;
}

/* Tests a candidate on its own, exactly, and keeps it in its shortest form with the result of a proof. */
static PfStatus take(Search *s, PfInvariant one)
{
  PfStatus status;
  bool constant = pf_flow_is_constant(&s->flow, one.value, PF_FLOW_BY_VALUE, &status) == PF_TRUE;
  PF_TRY(status);
  if (!constant) return PF_OK; /* a fraction was recovered wrongly */
  one.general = pf_flow_is_constant(&s->flow, one.value, PF_FLOW_BY_NAME, &status) == PF_TRUE;
  PF_TRY(status);
  PF_TRY(pf_may_jump(s->ctx, s->arena, s->eq->model, &one.value, 1, &one.between));
  one.between = one.between || s->jumps;
  /* Numbers in it hold for the values of the parameters only, so these are put in, too. */
  bool energy = one.kind <= PF_INVARIANT_JACOBI;
  if (!energy && !one.general) PF_TRY(pf_put_parameters(s->ctx, s->eq->model, s->parameters, &one.value, 1));
  one.value = energy ? pf_expr_simplest(s->ctx, one.value) : shortest(s->ctx, one.value);
  PF_TRY(pf_expr_check(s->ctx));
  PF_TRY(pf_invariant_prove(&s->flow, s->parameters, &one, &one.proof));
  s->result->at[s->result->count++] = one;
  return PF_OK;
}

/* ---------------------------------------------------------------- all */

/* Holonomic constraints, so that their products with other invariants do not count as new. Those the user wrote are
 * not shown: they are watched anyway. */
static PfStatus find_holonomic(Search *s)
{
  PfIntegrability found;
  int said = pf_diagnostic_count(s->ctx);
  const PfEquations *eq = s->eq->by_quaternions ? s->eq->by_quaternions : s->eq;
  PfStatus status = pf_integrability(s->ctx, s->arena, eq, s->parameters, NULL, &found);
  if (status == PF_ERR_MODEL || status == PF_ERR_NUMBER) pf_diagnostics_truncate(s->ctx, said);
  else PF_TRY(status);
  for (int i = 0; status == PF_OK && i < found.integral_count; i++)
    if (!found.integrals[i].declared)
      PF_TRY(add(s, PF_INVARIANT_HOLONOMIC, found.integrals[i].integral, NULL, !found.integrals[i].for_values));
  return PF_OK;
}

/* Energies first, then integrals of the constraints, then linear and quadratic functions of the velocities. */
static PfStatus find_all(Search *s)
{
  PF_TRY(pf_flow_make(s->ctx, s->arena, s->eq, s->parameters, &s->flow));
  s->result->why_not = s->flow.trouble;
  if (s->flow.trouble) return PF_OK;
  PfCandidates linear, quadratic, mixed;
  /* Derivatives leave jumps out: an apparent constant need not be one when the motion passes a jump. */
  const PfEquations *eq = s->eq;
  const PfExpr energies[] = {eq->kinetic, eq->potential};
  PF_TRY(pf_may_jump(s->ctx, s->arena, eq->model, energies, 2, &s->jumps));
  if (!s->jumps) PF_TRY(pf_may_jump(s->ctx, s->arena, eq->model, eq->position, eq->m, &s->jumps));
  if (!s->jumps) PF_TRY(pf_may_jump(s->ctx, s->arena, eq->model, eq->velocity, eq->m, &s->jumps));
  PF_TRY(find_energy(s));
  if (s->result->why_not) return PF_OK;
  PF_TRY(find_holonomic(s));
  PF_TRY(pf_candidates_linear(&s->flow, MOST_CANDIDATES, &linear));
  PF_TRY(pf_candidates_quadratic(&s->flow, s->potential, MOST_QUADRATIC, &quadratic));
  PF_TRY(pf_candidates_mixed(&s->flow, MOST_CANDIDATES, &mixed));
  s->result->tried = linear.count + quadratic.count + mixed.count;
  PF_TRY(search(s, &linear, PF_INVARIANT_LINEAR, PF_FLOW_BY_NAME));
  PF_TRY(shortest_first(s, &quadratic)); /* the functions that a combination consists of are simple ones then */
  PF_TRY(search(s, &quadratic, PF_INVARIANT_QUADRATIC, PF_FLOW_BY_NAME));
  bool parameters = false;
  for (int i = 0; i < eq->model->parameter_count; i++) parameters = parameters || !eq->model->parameters[i].derived;
  PF_TRY(shortest_first(s, &linear));
  PF_TRY(shortest_first(s, &mixed));
  const double *given = s->parameters;
  PF_TRY(assume_values(s));
  if (parameters) PF_TRY(search(s, &linear, PF_INVARIANT_LINEAR, PF_FLOW_BY_VALUE));
  if (parameters) PF_TRY(search(s, &quadratic, PF_INVARIANT_QUADRATIC, PF_FLOW_BY_VALUE));
  PF_TRY(search(s, &mixed, PF_INVARIANT_QUADRATIC, parameters ? PF_FLOW_BY_VALUE : PF_FLOW_BY_NAME));
  PF_TRY(open_parameters(s));
  s->parameters = s->flow.parameters = s->flow.states.parameters = given;
  /* Energies first, then the others as they come, and holonomic ones last. */
  int *which, rank = 0;
  PF_TRY(pf_arrays(s->ctx, s->arena, "the search for conserved quantities", PF_ROOM(which, s->count + 1),
                   PF_ROOM(s->result->at, s->count)));
  PF_TRY(sort(s));
  if (s->count) PF_TRY(independent_ones(s, which, &rank));
  for (int pass = 0; pass < 3; pass++)
    for (int i = 0; i < s->count; i++) {
      PfInvariant one = s->found[i];
      int group = one.kind <= PF_INVARIANT_JACOBI ? 0 : one.kind == PF_INVARIANT_HOLONOMIC ? 2 : 1;
      one.dependent = true;
      for (int k = 0; k < rank; k++) one.dependent = one.dependent && which[k] != i;
      if (group == pass && (group == 0 || !one.dependent)) PF_TRY(take(s, one));
    }
  return pf_expr_check(s->ctx);
}

/* Conserved quantities in angular velocities and direction cosines, by quaternions: for numbers. */
static PfStatus write_by_coordinates(PfContext *ctx, const PfModel *quasi, PfInvariants *found)
{
  for (int i = 0; i < found->count; i++) {
    PfInvariant *one = found->at + i;
    one->by_coordinates = one->value;
    for (int k = 0; k < quasi->spinning_count; k++)
      for (int c = 0; c < 3; c++)
        PF_TRY(pf_expr_substitute(ctx, &one->by_coordinates, 1, &quasi->coordinates[quasi->spinnings[k].first + c].v,
                                  quasi->spinnings[k].value + c, 1, &one->by_coordinates));
    for (int k = 0; k < quasi->auxiliary_count; k++)
      PF_TRY(pf_expr_substitute(ctx, &one->by_coordinates, 1, &quasi->auxiliaries[k].symbol,
                                &quasi->auxiliaries[k].value, 1, &one->by_coordinates));
  }
  return PF_OK;
}

/* With free and ball joints the search is in angular velocities, where what is conserved is short. */
PfStatus pf_invariants_find(PfContext *ctx, PfArena *arena, const PfEquations *equations, const double *parameters,
                            PfInvariants *invariants)
{
  *invariants = (PfInvariants){0};
  Search s = {.ctx = ctx, .arena = arena, .eq = equations, .parameters = parameters, .result = invariants};
  if (!equations->model->ball_count) {
    PF_TRY(find_all(&s));
    for (int i = 0; i < invariants->count; i++) invariants->at[i].by_coordinates = invariants->at[i].value;
    return PF_OK;
  }
  PfQuasi *quasi = pf_arena_array(arena, PfQuasi, 1);
  if (!quasi) return pf_no_room(ctx, "the search for conserved quantities");
  PF_TRY(pf_quasi_make(ctx, arena, equations, quasi));
  s.eq = &quasi->equations;
  PF_TRY(find_all(&s));
  return write_by_coordinates(ctx, &quasi->model, invariants);
}
