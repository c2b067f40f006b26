/* SPDX-License-Identifier: Apache-2.0 */
/* Multipliers along chains. Where the velocity of a body is a sum over all bodies before it, M and A are full, and
 * nothing is sparse about the saddle point system of the coordinates. With these sums as unknowns of their own
 * (mech/extended_velocities.c) there are more unknowns, but each equation holds a few: the system is eliminated along
 * the chain, every row as soon as its unknowns are gone, in a time that grows with the number of bodies.
 *
 * Sums need not have inertia of their own. Where they do not, the inertia of their terms is lent to them: k L^T L is
 * added to M for the links L z' = turning, and k L^T turning to the load, which changes nothing but the multipliers of
 * the links. */
#include "form/extended_form.h"

#include "form/choose.h"
#include "form/sparse.h"
#include "kernel/native.h"
#include "mech/extended_velocities.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Elements of M, F, A and b per equation from which on it is looked for sums. */
enum { LEAST_PER_EQUATION = 6 };
/* It must be so much cheaper than the matrices by the count. */
static const double PAYS = 0.9;
/* The last step of a refinement over the accelerations, and pivots below which there is one and below which the factors
 * are not trusted. */
static const double SETTLED = 1e-12, REFINED = 1e-4, LEAST_PIVOT = 1e-9;

/* Places among the numbers. The entries of the saddle point system come first: lent inertia, M, A, the links, ones for
 * the sums. */
typedef struct Places {
  int lent, mass, rows, links, ones, drift, offset, load, turning, b, nonideal, count;
} Places;

/* One half of the numbers: outputs of a tape. */
typedef struct Half {
  PfTape *tape;
  int *place; /* of each output */
} Half;

struct PfLifting {
  PfExtendedVelocities extended;
  PfArena *arena;
  Half geometry; /* from the symbols of the system: M, links, drift, offset */
  Half motion;   /* from those, sums and momenta: the rest */
  Places at;
  int *link_first;   /* count + 1: of the entries of links */
  double *constant;  /* the numbers, as far as they never change */
  int lent_count;    /* entries, when all links lend */
  bool momenta;      /* they are needed */
  bool *massless;    /* n + count: unknowns without inertia at any time */
};

/* Which links lend inertia. */
typedef enum Lending {
  NO_LINKS,
  SOME_LINKS, /* those with unknowns that have none of their own */
  ALL_LINKS
} Lending;

typedef struct PfExtendedForm {
  const PfLifting *of;
  PfSaddle saddle;
  double *inputs, *number, *work;
  double *z, *p;                    /* n + count: velocities and sums, momenta */
  double *right, *load, *lambda;    /* m + count, n + count, m + count */
  double *x, *residual_f, *residual_b, *more, *more_lambda;
  double *size, *lent;              /* n + count, count: inertia of an unknown, and inertia lent to a sum */
  double cost;
  int lent_count;
  bool *lends;                      /* count */
  bool answered;
  PfPowerTape power;
} Form;

/* ---------------------------------------------------------------- tapes */

typedef struct Outputs {
  PfExpr *root;
  int *place, count;
} Outputs;

/* Numbers are put down once; zeros are there. */
static void add_output(PfContext *ctx, double *constant, Outputs *o, PfExpr e, int place)
{
  double value;
  if (pf_expr_is_number(ctx, e, &value)) {
    constant[place] = value;
    return;
  }
  o->root[o->count] = e;
  o->place[o->count++] = place;
}

static void add_outputs(PfContext *ctx, double *constant, Outputs *o, const PfExpr *list, int count, int place)
{
  for (int k = 0; k < count; k++) add_output(ctx, constant, o, list[k], place + k);
}

static PfStatus make_outputs(PfContext *ctx, PfArena *arena, size_t count, Outputs *o)
{
  *o = (Outputs){.root = pf_arena_array(arena, PfExpr, count), .place = pf_arena_array(arena, int, count)};
  return o->root && o->place ? PF_OK : pf_no_room(ctx, "sums of velocities");
}

static PfStatus make_half(const PfSystem *system, const PfExpr *inputs, int input_count, const Outputs *o, Half *half)
{
  half->place = o->place;
  return pf_system_tape(system->ctx, system->eq->model, inputs, input_count, o->root, o->count, &half->tape);
}

/* Both tapes: the geometry by the symbols of the system, the motion by those, sums and momenta. Outputs that are
 * numbers are not computed: they are put into g->constant. */
static PfStatus make_tapes(const PfSystem *system, PfLifting *g)
{
  const PfExtendedVelocities *x = &g->extended;
  const int symbols = system->symbols.count;
  PfExpr *inputs = pf_arena_array(g->arena, PfExpr, symbols + 2*x->count);
  Outputs o;
  if (!inputs) return pf_no_room(system->ctx, "sums of velocities");
  PF_TRY(make_outputs(system->ctx, g->arena, (size_t)g->at.count, &o));
  add_outputs(system->ctx, g->constant, &o, x->mass.value, x->mass.count, g->at.mass);
  for (int k = 0; k < x->links.count; k++)
    add_output(system->ctx, g->constant, &o, pf_expr_neg(system->ctx, x->links.value[k]), g->at.links + k);
  add_outputs(system->ctx, g->constant, &o, x->drift, x->n + x->count, g->at.drift);
  add_outputs(system->ctx, g->constant, &o, x->offset, x->count, g->at.offset);
  PF_TRY(make_half(system, system->symbols.symbol, symbols, &o, &g->geometry));
  memcpy(inputs, system->symbols.symbol, (size_t)symbols*sizeof *inputs);
  memcpy(inputs + symbols, x->sum, (size_t)x->count*sizeof *inputs);
  memcpy(inputs + symbols + x->count, x->momentum, (size_t)x->count*sizeof *inputs);
  PF_TRY(make_outputs(system->ctx, g->arena, (size_t)g->at.count, &o));
  add_outputs(system->ctx, g->constant, &o, x->rows.value, x->rows.count, g->at.rows);
  add_outputs(system->ctx, g->constant, &o, x->load, x->n + x->count, g->at.load);
  add_outputs(system->ctx, g->constant, &o, x->turning, x->count, g->at.turning);
  add_outputs(system->ctx, g->constant, &o, x->b, x->m, g->at.b);
  add_outputs(system->ctx, g->constant, &o, x->nonideal, x->n, g->at.nonideal);
  PF_TRY(pf_expr_contain(system->ctx, x->load, x->n + x->count, x->momentum, x->count, &g->momenta));
  return make_half(system, inputs, symbols + 2*x->count, &o, &g->motion);
}

/* Sizes and places of all numbers first, then the tapes that compute them. */
static PfStatus fill_lifting(const PfSystem *system, PfLifting *g)
{
  const PfExtendedVelocities *x = &g->extended;
  const int N = x->n + x->count;
  PF_TRY(pf_arrays(system->ctx, g->arena, "sums of velocities", PF_ROOM(g->link_first, (size_t)x->count + 1),
                   PF_ROOM(g->massless, N)));
  /* Where the entries of each link begin, and how many elements of the lower triangle L_l^T L_l has. */
  for (int k = 0; k < x->links.count; k++) g->link_first[x->links.row[k] + 1]++;
  for (int l = 0; l < x->count; l++) {
    const int count = g->link_first[l + 1] + 1;
    g->lent_count += count*(count + 1)/2;
    g->link_first[l + 1] += g->link_first[l];
  }
  const struct {
    int *place, count;
  } parts[] = {{&g->at.lent, g->lent_count}, {&g->at.mass, x->mass.count}, {&g->at.rows, x->rows.count},
               {&g->at.links, x->links.count}, {&g->at.ones, x->count}, {&g->at.drift, N}, {&g->at.offset, x->count},
               {&g->at.load, N}, {&g->at.turning, x->count}, {&g->at.b, x->m}, {&g->at.nonideal, x->n}};
  for (size_t k = 0; k < sizeof parts/sizeof *parts; k++) {
    *parts[k].place = g->at.count;
    g->at.count += parts[k].count;
  }
  g->constant = pf_arena_array(g->arena, double, g->at.count);
  if (!g->constant) return pf_no_room(system->ctx, "sums of velocities");
  for (int l = 0; l < x->count; l++) g->constant[g->at.ones + l] = 1;
  for (int i = 0; i < N; i++) g->massless[i] = true;
  for (int k = 0; k < x->mass.count; k++)
    if (x->mass.row[k] == x->mass.column[k]) g->massless[x->mass.row[k]] = false;
  return make_tapes(system, g);
}

/* *lifting is NULL where the model has no sums of velocities. The lifting lives in `arena`, its tapes must be freed by
 * pf_lifting_free. */
PfStatus pf_lifting_make(const PfSystem *system, PfArena *arena, PfLifting **lifting)
{
  PfLifting *g = pf_arena_array(arena, PfLifting, 1);
  *lifting = NULL;
  if (!g) return pf_no_room(system->ctx, "sums of velocities");
  g->arena = arena;
  PF_TRY(pf_extended_velocities_make(system->ctx, arena, system->eq, &g->extended));
  if (!g->extended.count) return PF_OK;
  PfStatus status = fill_lifting(system, g);
  if (status == PF_OK) *lifting = g;
  else pf_lifting_free(g);
  return status;
}

/* Everything but the tapes is shared with `from`, which must outlive the view. */
PfStatus pf_lifting_view(PfContext *ctx, PfArena *arena, const PfLifting *from, PfLifting **lifting)
{
  PfLifting *g = pf_arena_array(arena, PfLifting, 1);
  *lifting = NULL;
  if (!g) return pf_no_room(ctx, "sums of velocities");
  *g = *from;
  g->motion.tape = NULL;
  PfStatus status = pf_tape_view(ctx, arena, from->geometry.tape, &g->geometry.tape);
  if (status == PF_OK) status = pf_tape_view(ctx, arena, from->motion.tape, &g->motion.tape);
  if (status == PF_OK) *lifting = g;
  else pf_lifting_free(g);
  return status;
}

/* The tapes; NULL is allowed. */
void pf_lifting_free(PfLifting *g)
{
  if (!g) return;
  pf_tape_free(g->geometry.tape);
  pf_tape_free(g->motion.tape);
}

/* ---------------------------------------------------------------- making it ready */

/* Unknowns of a link: those of its entries, then its own. */
static int link_unknown(const PfLifting *g, int l, int k)
{
  const int first = g->link_first[l], count = g->link_first[l + 1] - first;
  return k < count ? g->extended.links.column[first + k] : g->extended.n + l;
}

static int link_size(const PfLifting *g, int l)
{
  return g->link_first[l + 1] - g->link_first[l] + 1;
}

/* The coefficient of entry k of a link; its own unknown has 1. */
static double link_value(const PfLifting *g, const double *number, int l, int k)
{
  return k + 1 < link_size(g, l) ? number[g->at.links + g->link_first[l] + k] : 1;
}

static bool lends_to_massless(const PfLifting *g, int l)
{
  if (g->massless[g->extended.n + l]) return true;
  for (int k = 0; k < link_size(g, l); k++) {
    const int i = link_unknown(g, l, k);
    if (i < g->extended.n && g->massless[i]) return true;
  }
  return false;
}

/* Lent inertia stands right before M. */
static int first_entry(const Form *d)
{
  return d->of->at.mass - d->lent_count;
}

/* The rows and columns of all entries of the saddle point system, in the order of the numbers. */
static void list_entries(const Form *d, PfEntry *entry)
{
  const PfLifting *g = d->of;
  const PfExtendedVelocities *x = &g->extended;
  PfEntry *lent = entry + first_entry(d);
  for (int k = 0; k < x->mass.count; k++) entry[g->at.mass + k] = (PfEntry){x->mass.row[k], x->mass.column[k]};
  for (int l = 0; l < x->count; l++)
    for (int i = 0; d->lends[l] && i < link_size(g, l); i++)
      for (int j = 0; j <= i; j++) {
        const int a = link_unknown(g, l, i), b = link_unknown(g, l, j);
        *lent++ = a > b ? (PfEntry){a, b} : (PfEntry){b, a};
      }
  for (int k = 0; k < x->rows.count; k++) entry[g->at.rows + k] = (PfEntry){x->rows.row[k], x->rows.column[k]};
  for (int k = 0; k < x->links.count; k++)
    entry[g->at.links + k] = (PfEntry){x->m + x->links.row[k], x->links.column[k]};
  for (int l = 0; l < x->count; l++) entry[g->at.ones + l] = (PfEntry){x->m + l, x->n + l};
}

/* Scratch that no later evaluation reads, so that snapshots need not keep it; constant numbers are there from the
 * beginning. */
static PfStatus make_room(PfSolver *s, Form *d)
{
  const PfLifting *g = d->of;
  const size_t count = (size_t)g->extended.count, N = (size_t)g->extended.n + count,
      rows = (size_t)g->extended.m + count;
  const size_t first = pf_tape_work_size(g->geometry.tape), second = pf_tape_work_size(g->motion.tape);
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&d->inputs, (size_t)s->system->symbols.count + 2*count}, {&d->number, (size_t)g->at.count},
                {&d->work, first > second ? first : second}, {&d->z, N}, {&d->p, N}, {&d->right, rows}, {&d->load, N},
                {&d->lambda, rows}, {&d->x, N}, {&d->residual_f, N}, {&d->residual_b, rows}, {&d->more, N},
                {&d->more_lambda, rows}, {&d->size, N}, {&d->lent, count}};
  for (size_t k = 0; k < sizeof arrays/sizeof *arrays; k++)
    if (!(*arrays[k].array = pf_solver_scratch(s, double, arrays[k].count))) return pf_solver_no_room(s);
  memcpy(d->number, g->constant, (size_t)g->at.count*sizeof *d->number);
  return PF_OK;
}

static bool evaluate(const PfSolver *s, Form *d, const double *values);
static PfSaddleMargin factor(Form *d);

static bool is_good(PfSaddleMargin margin)
{
  return margin.mass > LEAST_PIVOT && margin.rows > LEAST_PIVOT;
}

/* Arbitrary but the same in every run; positive and of size one, as most parameters are. */
static double arbitrary(int i)
{
  return 0.4 + 0.9*fmod(0.61803398875*(i + 1), 1);
}

/* Left sides of M q'' - F - C - A^T lambda and A q'' - b, and the sizes of their terms. */
typedef struct Check {
  double *motion, *motion_size, *row, *row_size;
} Check;

static void add_part(double *sum, double *size, double part)
{
  *sum += part;
  *size += fabs(part);
}

/* An output of the tape of the system: its place identifies it. `value` is the number of M, F, A, b or C at this
 * place. */
static void check_entry(const PfSystem *system, const Form *d, const Check *c, int64_t place, double value)
{
  const int64_t n = system->n, m = system->m;
  if (place < n*n) {
    add_part(c->motion + place/n, c->motion_size + place/n, value*d->x[place%n]);
  } else if ((place -= n*n) < n) {
    add_part(c->motion + place, c->motion_size + place, -value);
  } else if ((place -= n) < m*n) {
    const int64_t row = place/n, i = place%n;
    add_part(c->motion + i, c->motion_size + i, -value*d->lambda[row]);
    add_part(c->row + row, c->row_size + row, value*d->x[i]);
  } else if ((place -= m*n) < m) {
    add_part(c->row + place, c->row_size + place, -value);
  } else {
    add_part(c->motion + place - m, c->motion_size + place - m, -value);
  }
}

static bool are_small(const double *sum, const double *size, int count)
{
  const double enough = 1e-7;
  for (int i = 0; i < count; i++)
    if (!(fabs(sum[i]) <= enough*size[i])) return false;
  return true;
}

/* Does the solution satisfy the equations of the system, as they were derived without sums? They always should. */
static PfStatus check_solution(PfSolver *s, PfArena *scratch, Form *d, const double *values, bool *good)
{
  const PfSystem *system = s->system;
  const size_t n = (size_t)system->n, m = (size_t)system->m;
  double *out = pf_arena_array(scratch, double, system->output_count);
  double *sums = pf_arena_array(scratch, double, 2*(n + m));
  if (!out || !sums) return pf_solver_no_room(s);
  const Check c = {sums, sums + n, sums + 2*n, sums + 2*n + m};
  pf_saddle_solve(&d->saddle, d->load, d->right, d->x, d->lambda);
  pf_tape_run(system->tape, values, out, s->tape_work);
  for (int k = 0; k < system->output_count; k++) check_entry(system, d, &c, system->place[k], out[k]);
  *good = are_small(c.motion, c.motion_size, system->n) && are_small(c.row, c.row_size, system->m);
  return PF_OK;
}

/* Are the pivots good at a state near that of the plan, or at an arbitrary one without a plan? Squares of velocities
 * may hold more unknowns than there are squares: then links must lend inertia, or the constraints are dependent at the
 * start. */
static PfStatus serves(PfSolver *s, PfArena *scratch, Form *d, bool *good)
{
  const PfSymbols *in = &s->system->symbols;
  const double *start = s->plan->values;
  double *values = pf_arena_array(scratch, double, in->count);
  if (!values) return pf_solver_no_room(s);
  for (int i = 0; i < in->count; i++) values[i] = start ? start[i] : arbitrary(i);
  for (int i = in->q; i < in->lambda; i++) values[i] += 0.2*(arbitrary(i) - 0.85);
  *good = evaluate(s, d, values);
  PfSaddleMargin margin = *good ? factor(d) : (PfSaddleMargin){0, 0, -1};
  *good = margin.mass > LEAST_PIVOT;
  if (margin.rows > REFINED && *good) PF_TRY(check_solution(s, scratch, d, values, good));
  if (start && *good) *good = evaluate(s, d, start) && is_good(factor(d));
  return PF_OK;
}

/* *form stays NULL where the count says that matrices are cheaper, or where the factors at the test state are not
 * good. */
static PfStatus try_one(PfSolver *s, PfArena *scratch, const PfLifting *g, Lending lending, double limit,
                        Form **form)
{
  const PfExtendedVelocities *x = &g->extended;
  Form *d = pf_solver_array(s, Form, 1);
  PfEntry *entry = pf_arena_array(scratch, PfEntry, g->at.drift);
  *form = NULL;
  if (!d || !entry) return pf_solver_no_room(s);
  d->of = g;
  d->lends = pf_solver_array(s, bool, x->count);
  if (!d->lends) return pf_solver_no_room(s);
  for (int l = 0; l < x->count; l++) {
    const int size = link_size(g, l);
    d->lends[l] = lending == ALL_LINKS || (lending == SOME_LINKS && lends_to_massless(g, l));
    d->lent_count += d->lends[l] ? size*(size + 1)/2 : 0;
  }
  list_entries(d, entry);
  const int first = first_entry(d), rows = g->at.rows;
  PF_TRY(pf_saddle_make(s->ctx, s->arena, entry + first, rows - first, entry + rows, g->at.drift - rows,
                        x->n + x->count, x->m + x->count, PF_ROWS_SOON, &d->saddle));
  const int instructions = pf_tape_instruction_count(g->geometry.tape) + pf_tape_instruction_count(g->motion.tape);
  d->cost = pf_cost_of_structure(instructions, d->saddle.n + d->saddle.m, pf_sparse_cost(&d->saddle.ldl));
  if (!(d->cost < PAYS*limit)) return PF_OK;
  PF_TRY(make_room(s, d));
  bool good = false;
  PF_TRY(serves(s, scratch, d, &good));
  if (good) *form = d;
  return PF_OK;
}

/* Lends no inertia first where every unknown has some, since that has the fewest entries; each further attempt lends
 * more. */
static PfStatus make(PfSolver *s, PfArena *scratch, double limit)
{
  PfLifting *g;
  Form *d = NULL;
  PF_TRY(pf_shared_lifting(s->system->shared, &g));
  if (!g) return PF_OK;
  bool massless = false;
  for (int i = 0; i < g->extended.n + g->extended.count; i++) massless = massless || g->massless[i];
  for (Lending lending = massless ? SOME_LINKS : NO_LINKS; !d && lending <= ALL_LINKS; lending++)
    PF_TRY(try_one(s, scratch, g, lending, limit, &d));
  s->extended_form = d;
  return d ? pf_power_make(s, &d->power) : PF_OK;
}

/* Sets s->extended_form, or leaves it NULL where the system is small, has friction by multipliers, or has too few
 * elements for sums to pay. */
PfStatus pf_extended_form_make(PfSolver *s)
{
  const PfSystem *system = s->system;
  const int equations = system->n + system->m;
  if (system->friction || system->in_bodies || !system->m || !pf_saddle_is_large(system->n, system->m)) return PF_OK;
  if (system->output_count < LEAST_PER_EQUATION*equations) return PF_OK;
  PfArena *scratch = pf_arena_new(pf_context_allocator(s->ctx));
  PfStatus status = scratch ? make(s, scratch, pf_cost_of_matrices(s)) : pf_solver_no_room(s);
  pf_arena_free(scratch);
  return status;
}

/* In the measure of choose.h; -1 without a form. */
double pf_extended_form_cost(const PfSolver *s)
{
  return s->extended_form ? s->extended_form->cost : -1;
}

/* ---------------------------------------------------------------- numbers */

/* y (n + count) of all unknowns, carried from the sums to their terms. A sum z_l = offset - sum of link*z is replaced
 * by its terms, from the last link to the first. */
static void carry_back(const Form *d, double *y)
{
  const PfLifting *g = d->of;
  const double *link = d->number + g->at.links;
  for (int l = g->extended.count; l-- > 0;)
    for (int k = g->link_first[l]; k < g->link_first[l + 1]; k++)
      y[g->extended.links.column[k]] -= link[k]*y[g->extended.n + l];
}

/* Runs both tapes at `values`: geometry, then the sums one after the other, the momenta where loads depend on them, and
 * the motion. False when something is not finite. */
static bool evaluate(const PfSolver *s, Form *d, const double *values)
{
  const PfLifting *g = d->of;
  const PfExtendedVelocities *x = &g->extended;
  const PfJacobian *M = &x->mass;
  const int symbols = s->system->symbols.count;
  const size_t n = (size_t)x->n, count = (size_t)x->count;
  const double *link = d->number + g->at.links, *mass = d->number + g->at.mass;
  if (!pf_tape_run_to_places(g->geometry.tape, values, g->geometry.place, d->number, d->work)) return false;
  memcpy(d->z, values + s->system->symbols.v, n*sizeof *d->z);
  for (int l = 0; l < x->count; l++) {
    double sum = d->number[g->at.offset + l];
    for (int k = g->link_first[l]; k < g->link_first[l + 1]; k++) sum -= link[k]*d->z[x->links.column[k]];
    d->z[x->n + l] = sum;
  }
  memcpy(d->inputs, values, (size_t)symbols*sizeof *values);
  memcpy(d->inputs + symbols, d->z + n, count*sizeof *d->z);
  if (g->momenta) {
    memcpy(d->p, d->number + g->at.drift, (n + count)*sizeof *d->p);
    for (int k = 0; k < M->count; k++) {
      d->p[M->row[k]] += mass[k]*d->z[M->column[k]];
      if (M->row[k] != M->column[k]) d->p[M->column[k]] += mass[k]*d->z[M->row[k]];
    }
    carry_back(d, d->p);
    memcpy(d->inputs + symbols + count, d->p + n, count*sizeof *d->p);
  }
  return pf_tape_run_to_places(g->motion.tape, d->inputs, g->motion.place, d->number, d->work);
}

/* ---------------------------------------------------------------- inertia that is lent */

/* Lends inertia to the terms of the links. The inertia of an unknown is its own, or that of the sums it is part of; a
 * sum that only constraints use has the inertia of its terms. */
static void lend(Form *d)
{
  const PfLifting *g = d->of;
  const PfJacobian *M = &g->extended.mass;
  const int n = g->extended.n, count = g->extended.count;
  double *lent = d->number + first_entry(d);
  memset(d->size, 0, (size_t)(n + count)*sizeof *d->size);
  for (int k = 0; k < M->count; k++)
    if (M->row[k] == M->column[k]) d->size[M->row[k]] += d->number[g->at.mass + k];
  for (int l = count; l-- > 0;)
    for (int k = 0; k + 1 < link_size(g, l); k++) {
      const double b = link_value(g, d->number, l, k);
      double *at = d->size + link_unknown(g, l, k);
      if (!(*at > 0)) *at += b*b*d->size[n + l];
    }
  for (int l = 0; l < count; l++) {
    double *size = d->size + n + l, square = 1, most = 0;
    for (int k = 0; k + 1 < link_size(g, l); k++) {
      const double b = link_value(g, d->number, l, k);
      square += b*b;
      most = fmax(most, d->size[link_unknown(g, l, k)]);
    }
    if (!(*size > 0)) *size = most/square;
    d->lent[l] = *size;
  }
  for (int l = 0; l < count; l++) {
    const double more = d->lent[l]*d->number[g->at.turning + l];
    for (int i = 0; d->lends[l] && i < link_size(g, l); i++) {
      const double at = link_value(g, d->number, l, i);
      d->load[link_unknown(g, l, i)] += more*at;
      for (int j = 0; j <= i; j++) *lent++ = d->lent[l]*at*link_value(g, d->number, l, j);
    }
  }
}

/* ---------------------------------------------------------------- the answer */

/* Loads the numbers of the latest evaluation into the right side and factors; the smallest relative pivots decide
 * whether it is trusted. */
static PfSaddleMargin factor(Form *d)
{
  const PfLifting *g = d->of;
  const size_t N = (size_t)d->saddle.n, m = (size_t)g->extended.m, count = (size_t)g->extended.count;
  memcpy(d->load, d->number + g->at.load, N*sizeof *d->load);
  if (m) memcpy(d->right, d->number + g->at.b, m*sizeof *d->right);
  memcpy(d->right + m, d->number + g->at.turning, count*sizeof *d->right);
  if (d->lent_count) lend(d);
  return pf_saddle_factor(&d->saddle, d->number + first_entry(d), NULL);
}

/* The part of a solution that belongs to the coordinates shows whether it has settled. */
static bool refine(Form *d)
{
  enum { MOST_STEPS = 4 };
  const PfSaddleNumbers at = {d->number + first_entry(d), d->load, d->right};
  for (int k = 0; k < MOST_STEPS; k++) {
    pf_saddle_residual(&d->saddle, &at, d->x, d->lambda, d->residual_f, d->residual_b);
    pf_saddle_solve(&d->saddle, d->residual_f, d->residual_b, d->more, d->more_lambda);
    (void)pf_add_step(d->lambda, d->more_lambda, d->saddle.m);
    if (pf_add_step(d->x, d->more, d->saddle.n) < SETTLED) return true;
  }
  return false;
}

/* Solves [M -A^T; A 0] for coordinates and sums, with a refinement where a pivot is below REFINED. False leaves the
 * state to the matrices. */
bool pf_extended_form_answer(PfSolver *s, PfMotion *motion)
{
  Form *d = s->extended_form;
  const size_t n = (size_t)s->system->n, m = (size_t)s->system->m;
  if (!d) return false;
  d->answered = false;
  if (s->skipped || s->extra_force || !evaluate(s, d, s->values)) return false;
  PfSaddleMargin margin = factor(d);
  if (!is_good(margin)) return false;
  pf_saddle_solve(&d->saddle, d->load, d->right, d->x, d->lambda);
  if (!(margin.mass > REFINED && margin.rows > REFINED) && !refine(d)) return false;
  if (pf_first_not_finite(d->x, n) >= 0 || pf_first_not_finite(d->lambda, m) >= 0) return false;
  memcpy(motion->acceleration, d->x, n*sizeof *d->x);
  if (m) memcpy(motion->multiplier, d->lambda, m*sizeof *d->lambda);
  s->byproducts = (PfByproducts){.known = true, .power = pf_power_at(s, &d->power, motion->multiplier), .margin = NAN};
  return d->answered = true;
}

/* Forces of constraints then come from here as well. */
bool pf_extended_form_has_answered(const PfSolver *s)
{
  return s->extended_form && s->extended_form->answered;
}

/* C + A^T lambda, the second part carried back from the sums. motion->force gets n forces in the units of the model. */
void pf_extended_form_force(const PfSolver *s, PfMotion *motion)
{
  Form *d = s->extended_form;
  const PfLifting *g = d->of;
  const PfJacobian *A = &g->extended.rows;
  memset(d->p, 0, (size_t)d->saddle.n*sizeof *d->p);
  for (int k = 0; k < A->count; k++)
    d->p[A->column[k]] += d->number[g->at.rows + k]*motion->multiplier[A->row[k]];
  carry_back(d, d->p);
  for (int i = 0; i < g->extended.n; i++) motion->force[i] = d->p[i] + d->number[g->at.nonideal + i];
}
