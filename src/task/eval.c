/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff eval: accelerations, multipliers and constraint forces at a state. */
#include "task/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static PfStatus run(const PfRequest *options);

static const SettingHelp own[] = {
  {.name = "actuators",
   .help = "with @inverse: inputs, and coordinates that forces act on: names with commas (default: all inputs)"},
  {0}};

static const SettingNeed needs[] = {
  {.names = "actuators", .with = "inverse"},
  {.names = "inverse", .without = "form spatial"},
  {.names = "axes", .with = "spatial"},
  {0}};

const PfTask pf_eval_task = {
  .name = "eval", .summary = "accelerations, multipliers, constraint forces at a state",
  .operands = "FILE",
  .about = "Evaluates at the start of the model, changed by @state and @time and made consistent with the "
           "constraints.",
  .takes = TAKES_STATE "form spatial axes inverse actuators json ",
  .own = own,
  .needs = needs,
  .examples = "@call{eval @state{psi=0.3} @state{\"theta'=2\"} examples/skates/snakeboard.pf}\n"
              "@call{eval @inverse{\"psi''=1, phi_f''=0\"} @actuators{psi,phi_f} "
              "examples/skates/snakeboard.pf}\n",
  .fields = pf_eval_fields,
  .run = run};

typedef struct Result {
  Session *s;
  PfSystem *system;
  PfSolver *solver;
  double *values;
  const PfRequest *options;
  PfStart start;
  PfMotion motion;
  double kinetic, potential, position, velocity;
  PfSpatial spatial; /* --spatial: count > 0 */
  PfAxes axes;       /* of its operators */
  Inverse inverse;   /* --inverse: solver is not NULL */
  double *room;      /* a number for each coordinate */
} Result;

/* ---------------------------------------------------------------- numbers */

static PfStatus find_energies(Session *s, Result *r)
{
  const PfSymbols *symbols = pf_system_symbols(r->system);
  const PfEquations *eq = &s->equations;
  double both[2], *misfit = pf_arena_array(s->arena, double, eq->m);
  PfExpr e[2] = {eq->kinetic, eq->potential};
  if (!misfit) return pf_no_room(s->ctx, "the values");
  PF_TRY(pf_expr_evaluate(s->ctx, e, 2, symbols->symbol, r->values, symbols->count, both));
  r->kinetic = both[0], r->potential = both[1];
  for (int level = 0; level < 2; level++) {
    const PfExpr *list = level ? eq->velocity : eq->position;
    double *largest = level ? &r->velocity : &r->position;
    PF_TRY(pf_expr_evaluate(s->ctx, list, eq->m, symbols->symbol, r->values, symbols->count, misfit));
    for (int i = 0; i < eq->m; i++)
      if (list[i] != PF_EXPR_NONE) *largest = fmax(*largest, fabs(misfit[i]));
  }
  return PF_OK;
}

static PfStatus evaluate(Session *s, const PfRequest *options, Result *r)
{
  int row;
  PF_TRY(pf_task_open(s, options));
  if (options->spatial && options->form && strcmp(options->form, "recursive"))
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "@spatial belongs to the formulation 'recursive', not to @form{%s}",
                   options->form);
  PF_TRY(pf_spatial_axes(s->ctx, options, &r->axes));
  const char *name = options->spatial ? "recursive" : options->form;
  const PfFormulation *formulation = pf_formulation_find(name ? name : "multipliers");
  PF_TRY(formulation ? PF_OK : pf_formulation_unknown(s->ctx, name));
  PF_TRY(pf_system_new(s->ctx, &s->equations, &r->system));
  r->options = options;
  PF_TRY(pf_task_start(s, options, r->system, &r->values, &r->start));
  PF_TRY(pf_task_refuse_singular(s, r->system, r->values));
  PF_TRY(pf_solver_new_at(s->ctx, r->system, formulation, r->values, &r->solver));
  PF_TRY(pf_arrays(s->ctx, s->arena, "the values", PF_ROOM(r->motion.acceleration, s->equations.n),
                   PF_ROOM(r->motion.multiplier, s->equations.m), PF_ROOM(r->motion.force, s->equations.n),
                   PF_ROOM(r->room, s->equations.n)));
  PfTrouble trouble = pf_solver_accelerate(r->solver, r->values, &r->motion, &row);
  PF_TRY(pf_trouble_report_at(s->ctx, r->system, r->values, trouble, row));
  if (options->inverse) {
    /* The motion is that with the forces of the actuators. */
    PF_TRY(pf_task_inverse(s, options, r->system, r->values, &r->inverse));
    const PfActuation *answer = r->inverse.answer;
    r->motion = (PfMotion){answer->acceleration, answer->multiplier, answer->reaction};
  }
  if (options->spatial) PF_TRY(pf_solver_spatial(r->solver, s->arena, r->values, r->axes, &r->spatial));
  PF_TRY(find_energies(s, r));
  PF_TRY(pf_task_warn_surface(s, r->system, r->values));
  return pf_task_warn_contradiction(s, options);
}

/* ---------------------------------------------------------------- the report */

static const PfField contact_fields[] = {{.type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER}};

static const PfField energy_fields[] = {
  PF_FIELD("kinetic", NUMBER, "kinetic energy, in J"),
  PF_FIELD("potential", NUMBER, "potential energy, in J"),
  {0}};

static const PfField violation_fields[] = {
  PF_FIELD("position", NUMBER, "the largest residual of a holonomic constraint"),
  PF_FIELD("velocity", NUMBER, "the largest residual of a constraint in the velocities"),
  {0}};

const PfField pf_eval_fields[] = {
  PF_FIELD_MODEL,
  PF_FIELD("formulation", STRING, "the formulation that gave the accelerations"),
  PF_FIELD("t", NUMBER, "the time, in s"),
  PF_FIELD_LIST("coordinates", STRING, "names of the coordinates"),
  PF_FIELD_LIST("units", STRING, "units of the coordinates"),
  PF_FIELD("q", NUMBERS, "coordinates, in their units"),
  PF_FIELD("v", NUMBERS, "velocities, in the units of the coordinates per s"),
  PF_FIELD("acceleration", NUMBERS, "in the units of the coordinates per s^2"),
  PF_FIELD_MAP("multipliers", NUMBER, "by the names of the constraints"),
  PF_FIELD("constraint_force", NUMBERS, "M q'' - F of each coordinate, in SI"),
  {.key = "contact_force", .type = PF_TYPE_MAP, .of = PF_TYPE_MAP, .fields = contact_fields,
   .about = PF_ABOUT("the multipliers of each contact and joint, by its name")},
  PF_FIELD_RECORD("energy", energy_fields, "at this state"),
  PF_FIELD_RECORD("violation", violation_fields, "of the constraints at this state"),
  PF_FIELD_START_CHANGE,
  PF_INVERSE_FIELDS,
  PF_SPATIAL_FIELDS,
  PF_FIELD_DIAGNOSTICS,
  {0}};

/* Where other units are declared every line has its own; velocities are per s, accelerations per s^2. */
static bool all_in_si(const PfModel *model)
{
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_model_measure(model, model->coordinates[i].name).scale != 1) return false;
  return true;
}

/* A line for each coordinate; values that are rounding errors relative to the largest are left out. */
static void print_coordinates(const Result *r, const double *most, PfReport *report)
{
  const PfModel *model = r->s->model;
  const PfSymbols *symbols = pf_system_symbols(r->system);
  bool other = !all_in_si(model);
  pf_report_print(report, "%s at t = %.6g, by %s\n\n  %-14s %22s %22s %22s %22s\n", pf_model_label(model),
                  r->values[symbols->time], pf_formulation_name(pf_solver_formulation(r->solver)), "coordinate",
                  "value", "velocity", "acceleration", other ? "constraint force, SI" : "constraint force");
  for (int i = 0; i < r->s->equations.n; i++) {
    char head[160];
    PfMeasure unit = pf_model_measure(model, model->coordinates[i].name);
    bool shown = other && unit.unit[0];
    snprintf(head, sizeof head, shown ? "%s [%s]" : "%s", model->coordinates[i].name, unit.unit);
    pf_report_print(report, "  %-14s %22.15g %22.15g %22.15g %22.15g\n", head,
                    pf_without_noise(r->values[symbols->q + i], 0)/unit.scale,
                    pf_without_noise(r->values[symbols->v + i], most[0])/unit.scale,
                    pf_without_noise(r->motion.acceleration[i], most[1])/unit.scale,
                    pf_without_noise(r->motion.force[i], most[2]));
  }
}

/* One number for each coordinate, in its unit (per s, per s^2). */
static void report_shown(PfReport *report, const char *key, const Result *r, const double *list)
{
  const PfModel *model = r->s->model;
  double *shown = r->room;
  for (int i = 0; i < model->coordinate_count; i++)
    shown[i] = list[i]/pf_model_measure(model, model->coordinates[i].name).scale;
  pf_report_numbers(report, key, shown, model->coordinate_count);
}

static void report_coordinates(const Result *r, PfReport *report)
{
  const PfModel *model = r->s->model;
  const PfSymbols *symbols = pf_system_symbols(r->system);
  pf_report_open(report, "coordinates");
  for (int i = 0; i < model->coordinate_count; i++) pf_report_string(report, NULL, model->coordinates[i].name);
  pf_report_close(report);
  pf_report_open(report, "units");
  for (int i = 0; i < model->coordinate_count; i++) pf_report_string(report, NULL, model->coordinates[i].unit);
  pf_report_close(report);
  report_shown(report, "q", r, r->values + symbols->q);
  report_shown(report, "v", r, r->values + symbols->v);
  report_shown(report, "acceleration", r, r->motion.acceleration);
  pf_report_numbers(report, "constraint_force", r->motion.force, r->s->equations.n);
}

static void report_multipliers(const Result *r, double most, PfReport *report)
{
  pf_report_open(report, "multipliers");
  if (r->s->equations.m) pf_report_print(report, "\n  %-14s %22s\n", "constraint", "multiplier");
  for (int k = 0; k < r->s->equations.m; k++) {
    const char *name = r->s->model->constraints[k].name;
    pf_report_number(report, name, r->motion.multiplier[k]);
    pf_report_print(report, "  %-14s %22.15g\n", name, pf_without_noise(r->motion.multiplier[k], most));
  }
  pf_report_close(report);
}

/* Length of the name of the contact or joint that a constraint belongs to: 1 for w.side; 0: to none. */
static int group_length(const PfModel *model, int constraint)
{
  const char *name = model->constraints[constraint].name, *dot = strrchr(name, '.');
  return dot ? (int)(dot - name) : 0;
}

static bool same_group(const PfModel *model, int a, int b)
{
  int length = group_length(model, a);
  return length == group_length(model, b) &&
         !strncmp(model->constraints[a].name, model->constraints[b].name, (size_t)length);
}

/* {"w": {"roll": …, "side": …}} for w.roll and w.side. */
static void report_contacts(const Result *r, PfReport *report)
{
  const PfModel *model = r->s->model;
  int m = r->s->equations.m;
  pf_report_open(report, "contact_force");
  for (int k = 0; k < m; k++) {
    bool first = group_length(model, k) > 0;
    for (int i = 0; i < k && first; i++) first = !same_group(model, i, k);
    if (!first) continue;
    char group[256];
    snprintf(group, sizeof group, "%.*s", group_length(model, k), model->constraints[k].name);
    pf_report_open(report, group);
    for (int i = k; i < m; i++)
      if (same_group(model, i, k))
        pf_report_number(report, strrchr(model->constraints[i].name, '.') + 1, r->motion.multiplier[i]);
    pf_report_close(report);
  }
  pf_report_close(report);
}

static void report_energy(const Result *r, PfReport *report)
{
  pf_report_open(report, "energy");
  pf_report_number(report, "kinetic", r->kinetic);
  pf_report_number(report, "potential", r->potential);
  pf_report_close(report);
  pf_report_print(report, "\n  kinetic energy %.10g, potential energy %.10g\n", r->kinetic, r->potential);
  pf_report_open(report, "violation");
  pf_report_number(report, "position", r->position);
  pf_report_number(report, "velocity", r->velocity);
  pf_report_close(report);
  if (r->s->equations.m)
    pf_report_print(report, "  largest violation: position %.3g, velocity %.3g\n", pf_without_noise(r->position, 1),
                    pf_without_noise(r->velocity, 1));
}

static void write_report(void *user, PfReport *report)
{
  const Result *r = user;
  const PfModel *model = r->s->model;
  double most[4];
  /* The largest velocity, acceleration, force and multiplier: compared with them the others may be rounding.
   * Accelerations may all be (in a steady motion), then velocities are the measure. */
  const PfSymbols *symbols = pf_system_symbols(r->system);
  int n = r->s->equations.n, m = r->s->equations.m;
  most[0] = pf_largest(r->values + symbols->v, n);
  most[1] = fmax(most[0], pf_largest(r->motion.acceleration, n));
  most[2] = pf_largest(r->motion.force, n);
  most[3] = pf_largest(r->motion.multiplier, m);
  pf_report_string(report, "model", pf_model_label(model));
  pf_report_string(report, "formulation", pf_formulation_name(pf_solver_formulation(r->solver)));
  pf_report_number(report, "t", r->values[pf_system_symbols(r->system)->time]);
  print_coordinates(r, most, report);
  report_coordinates(r, report);
  report_multipliers(r, most[3], report);
  report_contacts(r, report);
  pf_inverse_report(model, &r->inverse, report);
  report_energy(r, report);
  pf_start_report(model, r->options, &r->start, report);
  pf_spatial_report(model, &r->spatial, r->axes, report);
}

/* ---------------------------------------------------------------- the command */

static PfStatus run(const PfRequest *options)
{
  Session s = {0};
  Result r = {.s = &s};
  PfStatus status = evaluate(&s, options, &r);
  status = pf_task_report(s.ctx, status, options, &r, write_report);
  pf_inverse_free(r.inverse.solver);
  pf_solver_free(r.solver);
  pf_system_free(r.system);
  pf_task_close(&s);
  return status;
}
