/* SPDX-License-Identifier: Apache-2.0 */
/* The derivation of the equations step by step, for a student to follow and an author to cite. */
#include "mech/mech_impl.h"

#include <stdio.h>
#include <string.h>

/* A section without lines is dropped when the next one begins. */
void pf_step_begin(PfDerivation *d, const char *title)
{
  if (d->step_section_count) {
    PfDerivationPart *last = d->step_sections + d->step_section_count - 1;
    if (last->count == 0) d->step_section_count--; /* nothing came of it */
  }
  if (d->step_section_count < PF_MOST_STEPS) d->step_sections[d->step_section_count++] = (PfDerivationPart){title, 0};
}

/* The quantity of a step in LaTeX, where that is not its text. */
static const char *notation_of(const char *what)
{
  static const char *const notations[][2] = {
    {"Gamma", "\\Gamma"}, {"gamma", "\\gamma"}, {"omega", "\\omega"}, {"beta", "\\beta"}, {"dS", "\\partial S"}};
  for (size_t i = 0; i < sizeof notations/sizeof *notations; i++)
    if (!strcmp(what, notations[i][0])) return notations[i][1];
  return what;
}

/* what, what_of or what_of_of; where the model has the same name, with the next number that is free, as p_x2. Both are
 * in the arena; `number` is "" or that number. */
static PfStatus compose_name(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                             const char *const of[2], const char **name, const char **number)
{
  PfExpr symbol;
  const char *stem = pf_arena_print(arena, "%s%s%s%s%s", what, of[0] ? "_" : "", of[0] ? of[0] : "", of[1] ? "_" : "",
                                    of[1] ? of[1] : "");
  if (!stem) return pf_no_room(ctx, "the steps");
  PF_TRY(pf_model_free_name(model, arena, stem, NULL, 0, name, &symbol));
  *number = pf_arena_text(arena, *name + strcspn(stem, "["), strlen(*name) - strlen(stem));
  return *number ? PF_OK : pf_no_room(ctx, "the steps");
}

/* A quantity of the steps as text and in LaTeX: P with the LaTeX form of its owner as its index, and the number of its
 * name; the LaTeX is "" where it is too long. In the arena. */
static PfStatus compose(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                        const char *const of[2], const char **name, const char **latex)
{
  char text[600];
  const char *star = strstr(what, "_star"), *number; /* v(omega) is put in */
  const char *quantity = star ? what : notation_of(what);
  PF_TRY(compose_name(ctx, arena, model, what, of, name, &number));
  size_t used = (size_t)snprintf(text, sizeof text, "%.*s%s", star ? (int)(star - what) : (int)strlen(quantity),
                                 quantity, star ? "^{*}" : "");
  const char *open = "_{";
  for (int i = 0; i < 3 && used < sizeof text; i++) {
    const char *index = i < 2 ? of[i] : number;
    if (!index || !*index) continue;
    if (i < 2 && !(index = pf_expr_print(ctx, arena, pf_expr_symbol(ctx, of[i]), PF_LATEX)))
      return pf_no_room(ctx, "the steps");
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", open, index);
    open = ",";
  }
  if (*open == ',' && used < sizeof text) used += (size_t)snprintf(text + used, sizeof text - used, "}");
  *latex = used < sizeof text ? pf_arena_text(arena, text, used) : "";
  return *latex ? PF_OK : pf_no_room(ctx, "the steps");
}

/* The line name = value, in the shortest form, at the end of the last section. Lines have symbols of their own for
 * their left sides, "step P_theta", since the model may have the same name. `latex`: the left side, "" for its name. */
static PfStatus add_line(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *name, const char *latex,
                         PfExpr value)
{
  enum { LONG_STEP = 4000 };
  int count = 0; /* of lines in all sections so far */
  for (int i = 0; i < d->step_section_count; i++) count += d->step_sections[i].count;
  value = pf_expr_simplest(ctx, value);
  if (pf_expr_length(ctx, value) > LONG_STEP) {
    d->long_steps++;
    return pf_expr_check(ctx);
  }
  bool full = (count & (count - 1)) == 0; /* room is a power of two */
  if (full) {
    PfEquation *longer = pf_arena_array(arena, PfEquation, count ? 2*count : 1);
    if (!longer) return pf_no_room(ctx, "the steps");
    if (count) memcpy(longer, d->steps, (size_t)count*sizeof *longer);
    d->steps = longer;
  }
  char own[700];
  int length = snprintf(own, sizeof own, "step %s", name);
  if (length < 0 || length >= (int)sizeof own) return pf_fail(ctx, PF_ERR_LIMIT, "a name is too long for the steps");
  PfExpr symbol = pf_expr_symbol(ctx, own);
  if (*latex && !pf_expr_symbol_notation(ctx, symbol, latex)) return pf_no_room(ctx, "the steps");
  d->steps[count] = (PfEquation){name, symbol, value};
  d->step_sections[d->step_section_count - 1].count++;
  return pf_expr_check(ctx);
}

/* The line what_of_of = value. */
static PfStatus add(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *what, const char *const of[2],
                    PfExpr value)
{
  const char *name, *latex;
  PF_TRY(compose(ctx, arena, d->model, what, of, &name, &latex));
  return add_line(ctx, arena, d, name, latex, value);
}

/* A symbol for what_of inside of formulas: it stands for a quantity that has a line of its own, or for none at all. */
PfStatus pf_step_symbol(PfContext *ctx, PfArena *arena, const PfDerivation *d, const char *what, const char *of,
                        PfExpr *symbol)
{
  const char *const owner[2] = {of, NULL}, *name, *latex;
  PF_TRY(compose(ctx, arena, d->model, what, owner, &name, &latex));
  *symbol = pf_expr_symbol(ctx, name);
  if (*latex && !pf_expr_symbol_notation(ctx, *symbol, latex)) return pf_no_room(ctx, "the steps");
  return pf_expr_check(ctx);
}

/* The line {P_of, second} = value, where `second` is P_other if `other` is given, else the words in `plain` and `tex`;
 * `star` is "" or "*", for brackets in which the momenta are put. */
PfStatus pf_step_bracket(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *of, const PfBracketEnd *second,
                         const char *star, PfExpr value)
{
  const char *const one[2] = {of, NULL}, *const two[2] = {second->of, NULL};
  const char *P, *P_latex, *with = second->plain, *with_latex = second->latex;
  PF_TRY(compose(ctx, arena, d->model, "P", one, &P, &P_latex));
  if (second->of) {
    PF_TRY(compose(ctx, arena, d->model, "P", two, &with, &with_latex));
  }
  char name[640], latex[640];
  int length = snprintf(name, sizeof name, "{%s, %s}%s", P, with, star);
  int latex_length = snprintf(latex, sizeof latex, "\\left\\{%s, %s\\right\\}%s", P_latex, with_latex,
                              *star ? "^{*}" : "");
  bool whole = length < (int)sizeof name && latex_length < (int)sizeof latex && *P_latex && *with_latex;
  const char *copy = pf_arena_text(arena, name, strlen(name));
  if (!copy) return pf_no_room(ctx, "the steps");
  return add_line(ctx, arena, d, copy, whole ? latex : "", value);
}

/* Adds the line what_of = value, in the shortest form. */
PfStatus pf_step_add(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *what, const char *of, PfExpr value)
{
  return add(ctx, arena, d, what, (const char *const[2]){of, NULL}, value);
}

/* With two indices: S_{row,column}. */
PfStatus pf_step_entry(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *what, const char *row,
                       const char *column, PfExpr value)
{
  if (pf_expr_is_structural_zero(ctx, value)) return PF_OK;
  return add(ctx, arena, d, what, (const char *const[2]){row, column}, value);
}

/* The same unless the value is zero. */
static PfStatus add_nonzero(PfContext *ctx, PfArena *arena, PfDerivation *d, const char *what, const char *of,
                            PfExpr value)
{
  if (pf_expr_is_structural_zero(ctx, value)) return PF_OK;
  return pf_step_add(ctx, arena, d, what, of, value);
}

/* ---------------------------------------------------------------- what all forms begin with */

/* Applied forces of all coordinates on which some act. */
static PfStatus applied_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  const PfModel *model = eq->model;
  pf_step_begin(d, "Applied forces, those of non-ideal constraints among them");
  for (int i = 0; i < eq->n; i++)
    PF_TRY(add_nonzero(ctx, arena, d, "Q", model->coordinates[i].name, pf_expr_add(ctx, eq->applied[i], eq->C[i])));
  return PF_OK;
}

/* Energies and applied forces. */
PfStatus pf_steps_of_energies(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  pf_step_begin(d, "Kinetic and potential energy");
  PF_TRY(pf_step_add(ctx, arena, d, "T", NULL, eq->kinetic));
  PF_TRY(add_nonzero(ctx, arena, d, "V", NULL, eq->potential));
  return applied_forces(ctx, arena, eq, d);
}

/* For equations that need no kinetic energy. */
PfStatus pf_steps_of_forces(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  pf_step_begin(d, "Potential energy");
  PF_TRY(add_nonzero(ctx, arena, d, "V", NULL, eq->potential));
  return applied_forces(ctx, arena, eq, d);
}

/* The constraints at the level of velocities. */
PfStatus pf_steps_of_constraints(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  pf_step_begin(d, "Constraints on the velocities: each of these is zero");
  for (int i = 0; i < eq->m; i++)
    if (eq->velocity[i] != PF_EXPR_NONE)
      PF_TRY(pf_step_add(ctx, arena, d, "f", eq->model->constraints[i].name, eq->velocity[i]));
  return PF_OK;
}

/* Energies, momenta, constraints and Lagrange's expressions R = (dT/dq')' - dT/dq + dV/dq - Q. */
PfStatus pf_steps_of_lagrange(PfContext *ctx, PfArena *arena, const PfEquations *eq, PfDerivation *d)
{
  const PfModel *model = eq->model;
  PF_TRY(pf_steps_of_energies(ctx, arena, eq, d));
  pf_step_begin(d, model->spinning_count ? "Momenta: the derivatives of T by the velocities"
                                         : "Momenta p = dT/dq'");
  for (int i = 0; i < eq->n; i++) PF_TRY(pf_step_add(ctx, arena, d, "p", model->coordinates[i].name, eq->momentum[i]));
  PF_TRY(pf_steps_of_constraints(ctx, arena, eq, d));
  pf_step_begin(d, model->spinning_count ? "Newton's and Euler's expressions R = M q'' - F - C, in angular velocities"
                                         : "Lagrange's expressions R = (dT/dq')' - dT/dq + dV/dq - Q");
  for (int i = 0; i < eq->n; i++) {
    PfExpr sum = pf_expr_neg(ctx, pf_expr_add(ctx, eq->F[i], eq->C[i]));
    for (int j = 0; j < eq->n; j++)
      sum = pf_expr_add(ctx, sum, pf_expr_mul(ctx, eq->M[i*eq->n + j], model->coordinates[j].a));
    PF_TRY(pf_step_add(ctx, arena, d, "R", model->coordinates[i].name, sum));
  }
  return PF_OK;
}

/* The velocities expressed by pseudo-velocities. */
PfStatus pf_steps_of_kinematics(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                                PfDerivation *d)
{
  pf_step_begin(d, "Velocities by pseudo-velocities, v(omega)");
  for (int i = 0; i < eq->n; i++) PF_TRY(pf_step_add(ctx, arena, d, "v", eq->model->coordinates[i].name, k->v[i]));
  return PF_OK;
}

/* Lagrange's expressions, then the admissible directions N along which they are summed up. */
PfStatus pf_steps_of_maggi(PfContext *ctx, PfArena *arena, const PfEquations *eq, const PfKinematics *k,
                           PfDerivation *d)
{
  PF_TRY(pf_steps_of_lagrange(ctx, arena, eq, d));
  PF_TRY(pf_steps_of_kinematics(ctx, arena, eq, k, d));
  pf_step_begin(d, "Admissible directions N = dv/domega: the equations are sum_i N_ia R_i = 0 with v(omega) put in");
  for (int a = 0; a < k->count; a++)
    for (int i = 0; i < eq->n; i++) {
      PfExpr entry = k->N[i*k->count + a];
      PF_TRY(pf_step_entry(ctx, arena, d, "N", eq->model->coordinates[i].name, k->names[a], entry));
    }
  return PF_OK;
}
