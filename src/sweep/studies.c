/* SPDX-License-Identifier: Apache-2.0 */
/* Members that are studied instead of moved: the linear model at the start of each, the steady motion next to it, or
 * how fast neighbours of its motion depart. */
#include "pfaff/study.h"
#include "sim/quantities.h"
#include "study/exponent.h"
#include "study/path.h"
#include "sweep/settings.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { LINEARIZE, EQUILIBRIA, STEADY, LYAPUNOV, KINDS } Kind;

static const struct {
  const char *name, *gives;
} studies[KINDS] = {
  [LINEARIZE] = {"linearize", "growth (the largest real part), stable (1 or 0), re[1], im[1], … (eigenvalues, the "
                 "rightmost first), and quantities where it was linearised"},
  [EQUILIBRIA] = {"equilibria", "found (how many, from 100 places), and of the one next to the start growth, stable, "
                  "re[1], im[1], … and any quantity"},
  [STEADY] = {"steady", "found (how many, from 100 places), and of the one next to the start growth, stable, re[1], "
              "im[1], … and any quantity"},
  [LYAPUNOV] = {"lyapunov", "exponent (the largest), exponent_half (after half the time), and quantities at the start"},
};

struct PfMemberStudy {
  Kind kind;
  PfArena *arena;        /* of the equations */
  PfEquations equations;
  PfSystem *system;      /* of them; NULL: that of the simulation does */
  PfDynamics *field;
  PfExpr *outputs;       /* quantities of the outputs: in the order of their items */
  int output_count;
  double *numbers;       /* of them */
  double *value;         /* of all items */
  double *values;        /* of the symbols of the system: a copy, to be changed */
};

/* ---------------------------------------------------------------- the outputs */

/* The study of that name, or KINDS. */
static Kind find_kind(const char *name)
{
  int kind = 0;
  while (kind < KINDS && strcmp(studies[kind].name, name) != 0) kind++;
  return (Kind)kind;
}

PfStatus pf_member_study_check(PfContext *ctx, const char *name)
{
  if (find_kind(name) != KINDS) return PF_OK;
  pf_fail(ctx, PF_ERR_ARGUMENT, "@study{%s}: there is no such study of members", name);
  pf_hint(ctx, "there are: linearize, equilibria, steady, lyapunov");
  return PF_ERR_ARGUMENT;
}

const char *pf_member_study_gives(const char *name)
{
  return studies[find_kind(name)].gives;
}

/* re[2]: the number in the brackets, from 1 on; 0 when it is not a number. */
static int index_of(const char *text, const char *name)
{
  const size_t length = strlen(name);
  char *stop;
  if (strncmp(text, name, length) != 0 || text[length] != '[') return 0;
  const long number = strtol(text + length + 1, &stop, 10);
  return number > 0 && number < 10000 && !strcmp(stop, "]") ? (int)number : 0;
}

bool pf_member_study_item(const char *name, const char *text, PfOutput *item)
{
  const Kind kind = find_kind(name);
  *item = (PfOutput){.unit = "1/s", .scale = 1, .handle = -1};
  const int re = index_of(text, "re"), im = index_of(text, "im");
  if (kind == LYAPUNOV) {
    item->kind = PF_OUTPUT_EXPONENT;
    item->part = !strcmp(text, "exponent_half");
    return item->part || !strcmp(text, "exponent");
  }
  if (!strcmp(text, "growth")) item->kind = PF_OUTPUT_GROWTH;
  else if (!strcmp(text, "stable")) item->kind = PF_OUTPUT_STABLE, item->unit = "";
  else if (re) item->kind = PF_OUTPUT_RE, item->part = re - 1;
  else if (im) item->kind = PF_OUTPUT_IM, item->part = im - 1, item->unit = "rad/s";
  else if (!strcmp(text, "found") && kind != LINEARIZE) item->kind = PF_OUTPUT_FOUND, item->unit = "";
  else return false;
  return true;
}

/* ---------------------------------------------------------------- making it */

/* Quantities become outputs of the vector field, in the order of their items. */
static PfStatus list_outputs(PfMember *m, struct PfMemberStudy *study)
{
  PfContext *ctx = pf_sim_context(m->sim);
  const PfOutputSet *output_set = &m->sweep->output_set;
  study->outputs = pf_arena_array(study->arena, PfExpr, output_set->count);
  study->numbers = pf_arena_array(study->arena, double, output_set->count);
  study->value = pf_arena_array(study->arena, double, output_set->count);
  if (!study->outputs || !study->numbers || !study->value) return PF_ERR_MEMORY;
  for (int i = 0; i < output_set->count; i++) {
    PfPlot *plots;
    int count;
    const PfOutput *item = output_set->items + i;
    if (item->handle < 0) continue;
    PF_TRY(pf_quantities_find(ctx, study->arena, pf_sim_model(m->sim), "take", item->quantity, &plots, &count));
    study->outputs[study->output_count++] = plots->values[item->part];
  }
  return pf_equations_express(ctx, study->arena, &study->equations, study->outputs, study->output_count);
}

PfStatus pf_member_study_make(PfMember *m)
{
  m->study = pf_arena_array(m->arena, struct PfMemberStudy, 1);
  if (!m->study) return PF_ERR_MEMORY;
  struct PfMemberStudy *study = m->study;
  PfContext *ctx = pf_sim_context(m->sim);
  const PfSystem *system = pf_sim_system(m->sim);
  study->kind = find_kind(pf_sweep_setting(m->sweep, "study"));
  study->arena = pf_arena_new(pf_context_allocator(ctx));
  if (!study->arena) return PF_ERR_MEMORY;
  study->equations = *pf_system_equations(system);
  if (pf_system_in_bodies(system)) {
    PF_TRY(pf_equations_write_out(ctx, study->arena, &study->equations));
    PF_TRY(pf_system_new(ctx, &study->equations, &study->system));
    system = study->system;
  }
  study->values = pf_arena_array(study->arena, double, pf_system_symbols(system)->count);
  if (!study->values) return PF_ERR_MEMORY;
  PF_TRY(list_outputs(m, study));
  const PfOutputs outputs = {study->output_count, study->outputs};
  return pf_dynamics_new(ctx, system, NULL, &outputs, &study->field);
}

void pf_member_study_free(PfMember *m)
{
  if (!m->study) return;
  pf_dynamics_free(m->study->field);
  pf_system_free(m->study->system);
  pf_arena_free(m->study->arena);
}

/* ---------------------------------------------------------------- one member */

/* The results of the studies of a member. */
typedef struct Findings {
  int count;         /* eigenvalues */
  const double *re, *im;
  double stable;     /* 1, 0; NaN at a kink of the equations, where there is no linear model */
  int found;         /* steady motions */
  double exponent[2];
} Findings;

/* The steady motion next to the start, with its eigenvalues; the field is placed there. */
static PfStatus find_steady(PfMember *m, PfArena *arena, Findings *f)
{
  struct PfMemberStudy *study = m->study;
  PfSteady steady;
  PF_TRY(pf_steady_nearest(pf_sim_context(m->sim), arena, study->field,
                           study->kind == EQUILIBRIA ? PF_EQUILIBRIA : PF_STEADY, study->values, &steady));
  const PfSteadyPoint *p = steady.points;
  *f = (Findings){.count = p->count, .re = p->re, .im = p->im,
                  .stable = p->kink ? NAN : p->stability != PF_UNSTABLE, .found = steady.count};
  return PF_OK;
}

/* The largest Lyapunov exponent of the motion from the start to the end of the run, and the one after half of it. The
 * field goes along. */
static PfStatus find_exponents(PfMember *m, PfArena *arena, const PfRunOptions *o, Findings *f)
{
  PfDynamics *field = m->study->field;
  PfContext *ctx = pf_sim_context(m->sim);
  const double span = o->t_end - pf_sim_values(m->sim)[pf_system_symbols(pf_sim_system(m->sim))->time];
  bool jumps;
  PF_TRY(pf_dynamics_may_jump(field, &jumps));
  if (jumps || pf_sim_complete(m->sim)->event_count)
    return pf_fail(ctx, PF_ERR_MODEL, "there is no exponent: deviations jump with events and where forces do");
  *f = (Findings){0};
  PF_TRY(pf_lyapunov_exponent(arena, field, span, pf_run_rtol(o), f->exponent, f->exponent + 1));
  return isfinite(f->exponent[0]) ? PF_OK : pf_fail(ctx, PF_ERR_NUMBER, "the motion cannot be followed so far");
}

/* The number of an item that is not a quantity. */
static double value_of(const PfOutput *item, const Findings *f)
{
  switch (item->kind) {
  case PF_OUTPUT_GROWTH: return f->count ? f->re[0] : NAN;
  case PF_OUTPUT_STABLE: return f->stable;
  case PF_OUTPUT_RE: return f->re && item->part < f->count ? f->re[item->part] : NAN;
  case PF_OUTPUT_IM: return f->im && item->part < f->count ? f->im[item->part] : NAN;
  case PF_OUTPUT_FOUND: return f->found;
  case PF_OUTPUT_EXPONENT: return f->exponent[item->part];
  default: return NAN;
  }
}

/* Studies the member that is placed; the row gets its outputs. Quantities are read first: an exponent is found by going
 * elsewhere. */
static PfStatus study_member(PfMember *m, PfArena *arena, const PfRunOptions *options, double *row)
{
  struct PfMemberStudy *study = m->study;
  PfDynamics *field = study->field;
  const PfOutputSet *output_set = &m->sweep->output_set;
  const PfSymbols *in = pf_system_symbols(pf_sim_system(m->sim));
  Findings f = {0};
  int output = 0;
  memcpy(study->values, pf_sim_values(m->sim), (size_t)in->count*sizeof *study->values);
  PF_TRY(pf_dynamics_place(field, study->values));
  PF_TRY(pf_dynamics_chart(field, NULL));
  if (study->kind == EQUILIBRIA || study->kind == STEADY) PF_TRY(find_steady(m, arena, &f));
  if (study->output_count) PF_TRY(pf_dynamics_outputs(field, study->numbers));
  if (study->kind == LINEARIZE) {
    PfLinear linear;
    int unstable;
    PF_TRY(pf_linearize(pf_sim_context(m->sim), arena, field, NULL, 0, &linear));
    f = (Findings){.count = linear.states, .re = linear.re, .im = linear.im,
                   .stable = pf_stability_of(linear.re, linear.states, 0, &unstable) != PF_UNSTABLE};
  }
  if (study->kind == LYAPUNOV) PF_TRY(find_exponents(m, arena, options, &f));
  for (int i = 0; i < output_set->count; i++)
    study->value[i] = output_set->items[i].handle >= 0 ? study->numbers[output++] : value_of(output_set->items + i, &f);
  pf_output_set_row(output_set, study->value, NULL, row);
  return PF_OK;
}

PfStatus pf_member_study_run(PfMember *m, const PfRunOptions *options, double *row)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(pf_sim_context(m->sim)));
  PfStatus status = arena ? study_member(m, arena, options, row) : PF_ERR_MEMORY;
  pf_arena_free(arena);
  return status;
}
