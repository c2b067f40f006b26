/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of the equations that people choose from, and those in pseudo-velocities: Maggi's and the laconic one. */
#include "mech/mech_impl.h"

#include <string.h>

/* Each expression of the list in its shortest form. */
static void simplify(PfContext *ctx, PfExpr *list, int count)
{
  for (int i = 0; i < count; i++) list[i] = pf_expr_simplest(ctx, list[i]);
}

/* ---------------------------------------------------------------- Maggi and laconic */

/* How G omega' = g is found, and the steps of it; and the pseudo-velocities, NULL: pf_kinematics_find. */
typedef struct Reduction {
  PfStatus (*reduce)(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfReducedForm *form);
  PfStatus (*steps)(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k, PfDerivation *d);
  PfStatus (*find)(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, PfKinematics *k);
} Reduction;

/* Combinations that the program has chosen, in addition to the user's speeds or without any; then velocities that are
 * not themselves pseudo-velocities, by these, and by one of the velocities before where that is shorter: psi' = w -
 * theta'. Returns how many. */
static int add_velocities(PfContext *ctx, const PfEquations *eq, const PfKinematics *k, PfEquation *out)
{
  const PfModel *model = eq->model;
  int count = 0;
  for (int a = 0; a < k->count; a++) {
    bool found = k->definition && pf_expr_op(ctx, k->definition[a]) != PF_OP_SYMBOL;
    for (int i = 0; i < model->speed_count; i++)
      if (model->speeds[i].symbol == k->omega[a]) found = found && model->speeds[i].completes;
    if (found) out[count++] = (PfEquation){k->names[a], k->omega[a], k->definition[a]};
  }
  for (int i = 0; i < eq->n; i++) {
    if (k->v[i] == model->coordinates[i].v) continue;
    PfExpr best = pf_expr_simplest(ctx, k->v[i]);
    for (int j = 0; j < i && !model->speed_count; j++) {
      PfExpr v = model->coordinates[j].v;
      if (k->v[j] == v || pf_expr_is_structural_zero(ctx, k->v[j])) continue;
      PfExpr plus = pf_expr_add(ctx, pf_expr_simplest(ctx, pf_expr_sub(ctx, k->v[i], k->v[j])), v);
      PfExpr minus = pf_expr_sub(ctx, pf_expr_simplest(ctx, pf_expr_add(ctx, k->v[i], k->v[j])), v);
      best = pf_shorter(ctx, pf_shorter(ctx, best, plus), minus);
    }
    out[count++] = (PfEquation){model->coordinates[i].name, model->coordinates[i].v, best};
  }
  return count;
}

/* Are the velocities linear in the pseudo-velocities? And with so many bodies and pseudo-velocities the equations are
 * not readable: they are printed as they were found. */
static bool can_be_short(PfContext *ctx, const PfEquations *eq, const PfKinematics *k)
{
  enum { MOST_ENTRIES = 60000 };
  for (int i = 0; i < eq->n*k->count; i++)
    if (pf_expr_depends(ctx, k->N[i], k->omega, k->count)) return false;
  return (double)k->count*k->count*eq->model->body_count <= MOST_ENTRIES;
}

/* The equations of motion, then combinations and velocities; room is left for some equations more. */
static PfStatus reduce_and_write(PfContext *ctx, PfArena *arena, const PfEquations *eq, const Reduction *reduction,
                                 int more, const PfDeriveOptions *o, PfDerivation *d)
{
  PfKinematics k;
  PfReducedForm form;
  PF_TRY(reduction->find ? reduction->find(ctx, arena, eq, o, &k) : pf_kinematics_find(ctx, arena, eq, &k));
  PF_TRY(reduction->reduce(ctx, arena, eq, &k, &form));
  d->unknown_count = k.count;
  d->equation_count = 2*k.count + eq->n + more;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(d->unknowns, k.count),
                   PF_ROOM(d->equations, d->equation_count)));
  memcpy(d->unknowns, k.rate, (size_t)k.count*sizeof *k.rate);
  d->speeds = k.omega;
  if (can_be_short(ctx, eq, &k)) {
    PfReducedRows authored;
    PF_TRY(pf_write_reduced(ctx, arena, eq, &k, &form, &authored));
    memcpy(d->equations, authored.equations, (size_t)k.count*sizeof *d->equations);
    d->part_count = authored.part_count;
    d->part_names = authored.part_names;
    d->part_values = authored.part_values;
  } else {
    simplify(ctx, form.G, k.count*k.count);
    simplify(ctx, form.g, k.count);
    for (int a = 0; a < k.count; a++) {
      PfExpr left = pf_combination(ctx, form.G + (size_t)a*(size_t)k.count, 1, k.rate, k.count);
      d->equations[a] = (PfEquation){k.names[a], left, form.g[a]};
    }
  }
  d->motion_count = k.count;
  int velocities = add_velocities(ctx, eq, &k, d->equations + k.count);
  d->equation_count = k.count + velocities;
  pf_derivation_section(d, "Velocities", velocities);
  PF_TRY(pf_name_products(ctx, arena, eq, &k, d));
  PF_TRY(pf_conditions_find(ctx, arena, eq, k.divisors, k.divisor_count, d));
  pf_expr_set_budget(ctx, PF_DERIVE_BUDGET);
  PF_TRY(pf_vector_motion(ctx, arena, eq, &k, &form, d));
  if (o->matrices && !k.count) {
    pf_fail(ctx, PF_ERR_MODEL, "@matrices with '%s' needs pseudo-velocities: the constraints leave none", d->form);
    pf_hint(ctx, "the matrices of all accelerations are those of @form{multipliers}");
    return PF_ERR_MODEL;
  }
  if (o->matrices) PF_TRY(pf_derive_matrices(ctx, arena, eq, &k, &form, d));
  return o->steps ? reduction->steps(ctx, arena, eq, &k, d) : PF_OK;
}

/* The equations without constraints that hold by themselves; the same when there are none. */
static PfStatus without_integrals(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfEquations **left)
{
  bool integrals;
  *left = eq;
  PF_TRY(pf_constraints_are_integrals(ctx, arena, eq, &integrals));
  if (!integrals) return PF_OK;
  PfModel *model;
  PfEquations *free;
  PF_TRY(pf_arrays(ctx, arena, "the equations", PF_ROOM(model, 1), PF_ROOM(free, 1)));
  *model = *eq->model, *free = *eq;
  model->constraint_count = free->m = 0;
  free->model = model;
  *left = free;
  return PF_OK;
}

/* The kinematics of the equations without such constraints. */
PfStatus pf_derived_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfKinematics *k)
{
  const PfEquations *left;
  PF_TRY(without_integrals(ctx, arena, eq, &left));
  return pf_kinematics_find(ctx, arena, left, k);
}

/* Constraints that hold by themselves are reported, and the equations are derived without them. */
static PfStatus reduced(PfContext *ctx, PfArena *arena, const PfEquations *eq, const Reduction *reduction,
                        const PfDeriveOptions *o, PfDerivation *d)
{
  const PfEquations *left;
  PF_TRY(without_integrals(ctx, arena, eq, &left));
  if (left == eq) return reduce_and_write(ctx, arena, eq, reduction, 0, o, d);
  PF_TRY(reduce_and_write(ctx, arena, left, reduction, eq->m, o, d));
  for (int i = 0; i < eq->m; i++)
    d->equations[d->equation_count++] =
        (PfEquation){eq->model->constraints[i].name, eq->velocity[i], pf_expr_int(ctx, 0)};
  pf_derivation_section(d, "Constraints that hold by themselves: their multipliers are zero", eq->m);
  return pf_expr_check(ctx);
}

/* ---------------------------------------------------------------- by name */

/* Lagrange's equations; their steps have a budget of their own. */
static PfStatus multipliers(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                            PfDerivation *d)
{
  PF_TRY(pf_derive_lagrange(ctx, arena, eq, d));
  pf_expr_set_budget(ctx, PF_DERIVE_BUDGET);
  return o->steps ? pf_steps_of_lagrange(ctx, arena, eq, d) : PF_OK;
}

/* Reduced equations by admissible directions. */
static PfStatus maggi(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, PfDerivation *d)
{
  return reduced(ctx, arena, eq, &(Reduction){pf_reduce_maggi, pf_steps_of_maggi, NULL}, o, d);
}

/* The same by Tatarinov's equations. */
static PfStatus laconic(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                        PfDerivation *d)
{
  return reduced(ctx, arena, eq, &(Reduction){pf_reduce_laconic, pf_steps_of_laconic, NULL}, o, d);
}

/* From the energy of accelerations. */
static PfStatus gibbs_appell(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                             PfDerivation *d)
{
  return reduced(ctx, arena, eq, &(Reduction){pf_reduce_gibbs_appell, pf_steps_of_gibbs_appell, NULL}, o, d);
}

/* By partial velocities. */
static PfStatus kane(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, PfDerivation *d)
{
  return reduced(ctx, arena, eq, &(Reduction){pf_reduce_kane, pf_steps_of_kane, NULL}, o, d);
}

/* In velocities of coordinates, which the user may choose; constraints that hold by themselves are kept. */
static PfStatus chaplygin(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                          PfDerivation *d)
{
  const Reduction reduction = {pf_reduce_chaplygin, pf_steps_of_chaplygin, pf_kinematics_chaplygin};
  return reduce_and_write(ctx, arena, eq, &reduction, 0, o, d);
}

/* The same where dependent coordinates occur, or constraints depend on the time. */
static PfStatus voronets(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                         PfDerivation *d)
{
  const Reduction reduction = {pf_reduce_voronets, pf_steps_of_voronets, pf_kinematics_voronets};
  return reduce_and_write(ctx, arena, eq, &reduction, 0, o, d);
}

/* By a complete set of quasi-velocities. */
static PfStatus boltzmann_hamel(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                                PfDerivation *d)
{
  return reduced(ctx, arena, eq, &(Reduction){pf_reduce_boltzmann_hamel, pf_steps_of_boltzmann_hamel, NULL}, o, d);
}

/* Voronets' equations without the terms that constraints bring, and these terms. */
static PfStatus hamel_wrong(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                            PfDerivation *d)
{
  const Reduction reduction = {pf_reduce_hamel_wrong, pf_steps_of_hamel_wrong, pf_kinematics_voronets};
  PF_TRY(reduce_and_write(ctx, arena, eq, &reduction, eq->n, o, d));
  return pf_hamel_missing(ctx, arena, eq, o, d);
}

/* What a form has: multipliers as unknowns, a choice of independent coordinates, equations between matrices, right
 * sides by the state. */
enum { MULTIPLIERS = 1, INDEPENDENT = 2, MATRICES = 4, SOLVED = 8 };

static const struct {
  const char *name, *summary;
  PfStatus (*derive)(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, PfDerivation *d);
  int has;
} forms[] = {
  {"multipliers", "Lagrange's equations with multipliers, and the mass matrix", multipliers, MULTIPLIERS},
  {"rosenberg", "embedded: as many equations as degrees of freedom", pf_derive_rosenberg,
   INDEPENDENT | MATRICES},
  {"rosenberg_extended", "embedded and decoupled: independent accelerations solved for", pf_derive_rosenberg_extended,
   INDEPENDENT | MATRICES | SOLVED},
  {"udwadia_kalaba", "accelerations, constraint forces and multipliers, each solved for", pf_derive_udwadia_kalaba,
   INDEPENDENT | MATRICES | SOLVED},
  {"maggi", "in pseudo-velocities, by admissible directions", maggi, MATRICES},
  {"laconic", "in pseudo-velocities, by Tatarinov's equations", laconic, MATRICES},
  {"gibbs_appell", "in pseudo-velocities, from the energy of accelerations", gibbs_appell, 0},
  {"kane", "in pseudo-velocities, by partial velocities", kane, 0},
  {"chaplygin", "in independent velocities, where dependent coordinates occur nowhere", chaplygin,
   INDEPENDENT},
  {"voronets", "in independent velocities, the constraints put into the kinetic energy", voronets,
   INDEPENDENT},
  {"boltzmann_hamel", "in pseudo-velocities, by a complete set of quasi-velocities", boltzmann_hamel, 0},
  {"hamilton", "canonical, in coordinates and momenta, with the forces of constraints", pf_derive_hamilton,
   MULTIPLIERS},
  {"hamel_wrong", "a warning: constraints in the kinetic energy, and the missing terms", hamel_wrong,
   INDEPENDENT},
};

enum { FORMS = sizeof forms/sizeof *forms };

/* In the order of the table above, which is that of documents. */
const char *pf_derived_form(int index, const char **summary)
{
  if (index < 0 || index >= FORMS) return NULL;
  *summary = forms[index].summary;
  return forms[index].name;
}

/* There is one such name: Lagrange's. */
const char *pf_form_name(const char *name)
{
  return strcmp(name, "lagrange") ? name : "multipliers";
}

/* Settings that the form cannot honour are refused. */
static PfStatus check_options(PfContext *ctx, const PfDeriveOptions *o, size_t form)
{
  if (o->matrices && !form)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@matrices goes with the other forms: '%s' has M, F, A and b already",
                   forms[form].name);
  if (o->matrices && !(forms[form].has & MATRICES))
    return pf_fail(ctx, PF_ERR_ARGUMENT,
                   "@matrices goes with @form{rosenberg}, rosenberg_extended, udwadia_kalaba, maggi or laconic; "
                   "'%s' has no equations between matrices",
                   forms[form].name);
  if (o->solved && !(forms[form].has & SOLVED))
    return pf_fail(ctx, PF_ERR_ARGUMENT,
                   "@solved goes with @form{rosenberg_extended} or udwadia_kalaba: '%s' does not solve for "
                   "accelerations",
                   forms[form].name);
  if (!o->independent || forms[form].has & INDEPENDENT) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT,
                 "@independent goes with @form{rosenberg}, rosenberg_extended, udwadia_kalaba, chaplygin or voronets; "
                 "'%s' has no independent accelerations to choose",
                 forms[form].name);
}

/* Derives the form with this name, after the options and the forces were checked. */
static PfStatus derive_named(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                             PfDerivation *d)
{
  const char *form = pf_form_name(o->form);
  for (size_t i = 0; i < FORMS; i++) {
    if (strcmp(forms[i].name, form)) continue;
    *d = (PfDerivation){.form = forms[i].name, .model = eq->model};
    PF_TRY(check_options(ctx, o, i));
    if (!(forms[i].has & MULTIPLIERS)) {
      /* Equations without multipliers cannot have forces that depend on them. */
      for (int k = 0; k < eq->m; k++)
        for (int j = 0; j < eq->n; j++) {
          if (!pf_expr_depends(ctx, eq->C[j], &eq->model->constraints[k].multiplier, 1)) continue;
          pf_fail(ctx, PF_ERR_MODEL,
                  "the non-ideal force on '%s' depends on the multiplier of '%s', which this form does not have",
                  eq->model->coordinates[j].name, eq->model->constraints[k].name);
          pf_hint(ctx, "Lagrange's equations keep the multipliers: @form{multipliers}");
          return PF_ERR_MODEL;
        }
    }
    PF_TRY(forms[i].derive(ctx, arena, eq, o, d));
    PF_TRY(pf_conditions_complete(ctx, arena, eq, d));
    return i ? pf_abbreviate(ctx, arena, d) : PF_OK;
  }
  pf_fail_at(ctx, PF_ERR_ARGUMENT, (PfPlace){.setting = "form"}, "there is no form '%s'", form);
  char list[256] = "";
  const char *similar = NULL;
  int best = 0;
  for (size_t i = 0, used = 0; i < FORMS && used < sizeof list; i++) {
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", forms[i].name);
    if (pf_name_is_nearer(form, forms[i].name, &best)) similar = forms[i].name;
  }
  if (pf_name_is_nearer(form, "lagrange", &best)) similar = "lagrange";
  if (similar) pf_hint(ctx, "did you mean '%s'?", similar);
  else pf_hint(ctx, "there are: %s", list);
  return PF_ERR_ARGUMENT;
}

/* The form for the model in angular velocities, and how the attitude follows from these. */
static PfStatus derive_quasi(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o,
                             PfDerivation *d)
{
  PfQuasi *quasi = pf_arena_array(arena, PfQuasi, 1);
  if (!quasi) return pf_no_room(ctx, "the equations");
  PF_TRY(pf_quasi_make(ctx, arena, eq, quasi));
  PF_TRY(derive_named(ctx, arena, &quasi->equations, o, d));
  PF_TRY(pf_vector_attitude(ctx, arena, &quasi->model, d));
  return pf_attitude_add(ctx, arena, &quasi->model, d);
}

/* The search for short forms has a limited budget, the same on every machine; a derivation that needs more is complete
 * all the same, and a warning says that some formulas are longer than they could be. */
PfStatus pf_derive(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfDeriveOptions *o, PfDerivation *d)
{
  bool limited = pf_expr_limit(ctx, PF_DERIVE_BUDGET);
  pf_context_note_work(ctx, PF_WORK_DERIVATION);
  PfStatus status = eq->model->ball_count ? derive_quasi(ctx, arena, eq, o, d) : derive_named(ctx, arena, eq, o, d);
  bool given_up = limited && pf_expr_unlimit(ctx);
  if (status == PF_OK && given_up)
    pf_warn_at(ctx, (PfPlace){.file = eq->model->file},
               "the search for short forms ended at its limit: some formulas are longer than they could be");
  return status;
}

/* With the defaults of all other options. */
PfStatus pf_derive_form(PfContext *ctx, PfArena *arena, const PfEquations *eq, const char *form, PfDerivation *d)
{
  return pf_derive(ctx, arena, eq, &(PfDeriveOptions){.form = form}, d);
}
