/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff eval: accelerations, multipliers and constraint forces at a state. */
#include "cli/inverse.h"
#include "cli/spatial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int run(const Console *console, int argc, char **argv);

static const OptionHelp own[] = {
  {.name = "actuators",
   .help = "with --inverse: inputs, and coordinates that forces act on: names with commas (default: all inputs)"},
  {0}};

static const OptionNeed needs[] = {
  {.names = "actuators", .with = "inverse"},
  {.names = "inverse", .without = "form spatial"},
  {0}};

const Command pf_command_eval = {
  .name = "eval", .summary = "accelerations, multipliers, constraint forces at a state",
  .operands = "FILE",
  .about = "Evaluates at the start of the model, changed by --state and --time and made consistent with the "
           "constraints.",
  .takes = TAKES_STATE "form spatial inverse actuators json ",
  .own = own,
  .needs = needs,
  .examples = "pfaff eval --state psi=0.3 --state \"theta'=2\" examples/skates/snakeboard.pf\n"
              "pfaff eval --inverse \"psi''=1, phi_f''=0\" --actuators psi,phi_f examples/skates/snakeboard.pf\n",
  .run = run};

typedef struct Result {
  Session *s;
  PfSystem *system;
  PfSolver *solver;
  double *values;
  const Options *options;
  PfStart start;
  PfMotion motion;
  double kinetic, potential, position, velocity;
  PfSpatial spatial; /* --spatial: count > 0 */
  Inverse inverse;   /* --inverse: solver is not NULL */
} Result;

/* ---------------------------------------------------------------- numbers */

static PfStatus find_energies(Session *s, Result *r)
{
  const PfSymbols *symbols = pf_system_symbols(r->system);
  const PfEquations *eq = &s->equations;
  double both[2], *miss = pf_arena_array(s->arena, double, eq->m);
  PfExpr e[2] = {eq->kinetic, eq->potential};
  if (!miss) return pf_no_room(s->ctx, "the values");
  PF_TRY(pf_expr_evaluate(s->ctx, e, 2, symbols->symbol, r->values, symbols->count, both));
  r->kinetic = both[0], r->potential = both[1];
  for (int level = 0; level < 2; level++) {
    const PfExpr *list = level ? eq->velocity : eq->position;
    double *largest = level ? &r->velocity : &r->position;
    PF_TRY(pf_expr_evaluate(s->ctx, list, eq->m, symbols->symbol, r->values, symbols->count, miss));
    for (int i = 0; i < eq->m; i++)
      if (list[i] != PF_EXPR_NONE) *largest = fmax(*largest, fabs(miss[i]));
  }
  return PF_OK;
}

static PfStatus find_formulation(Session *s, const char *name, const PfFormulation **formulation)
{
  *formulation = pf_formulation_find(name ? name : "multipliers");
  return *formulation ? PF_OK : pf_formulation_unknown(s->ctx, name);
}

/* The motion is that with the forces of the actuators. */
static PfStatus push(Session *s, const Options *options, Result *r)
{
  PF_TRY(pf_cli_inverse(s, options, r->system, r->values, &r->inverse));
  const PfActuation *answer = r->inverse.answer;
  r->motion = (PfMotion){answer->acceleration, answer->multiplier, answer->reaction};
  return PF_OK;
}

static PfStatus evaluate(Session *s, const Options *options, Result *r)
{
  const PfFormulation *formulation;
  int row;
  PF_TRY(pf_cli_open(s, options));
  if (options->spatial && options->form && strcmp(options->form, "recursive"))
    return pf_fail(s->ctx, PF_ERR_ARGUMENT, "--spatial belongs to the formulation 'recursive', not to --form %s",
                   options->form);
  PF_TRY(find_formulation(s, options->spatial ? "recursive" : options->form, &formulation));
  PF_TRY(pf_system_new(s->ctx, &s->equations, &r->system));
  r->options = options;
  PF_TRY(pf_cli_start(s, options, r->system, &r->values, &r->start));
  PF_TRY(pf_cli_refuse_singular(s, r->system, r->values));
  PF_TRY(pf_solver_new_at(s->ctx, r->system, formulation, r->values, &r->solver));
  r->motion.acceleration = pf_arena_array(s->arena, double, s->equations.n);
  r->motion.multiplier = pf_arena_array(s->arena, double, s->equations.m);
  r->motion.force = pf_arena_array(s->arena, double, s->equations.n);
  if (!r->motion.acceleration || !r->motion.multiplier || !r->motion.force)
    return pf_no_room(s->ctx, "the values");
  PfTrouble trouble = pf_solver_accelerate(r->solver, r->values, &r->motion, &row);
  PF_TRY(pf_trouble_report_at(s->ctx, r->system, r->values, trouble, row));
  if (options->inverse) PF_TRY(push(s, options, r));
  if (options->spatial) PF_TRY(pf_solver_spatial(r->solver, s->arena, r->values, &r->spatial));
  PF_TRY(find_energies(s, r));
  PF_TRY(pf_cli_warn_surface(s, r->system, r->values));
  return pf_cli_warn_contradiction(s, options);
}

/* ---------------------------------------------------------------- text */

/* Where other units are declared every line has its own; velocities are per s, accelerations per s^2. */
static bool all_in_si(const PfModel *model)
{
  for (int i = 0; i < model->coordinate_count; i++)
    if (pf_model_measure(model, model->coordinates[i].name).scale != 1) return false;
  return true;
}

/* The largest velocity, acceleration, force and multiplier: beside them the others may be rounding. Accelerations may
 * all be (in a steady motion), then velocities are the measure. */
static void find_sizes(const Result *r, double *most)
{
  const PfSymbols *symbols = pf_system_symbols(r->system);
  int n = r->s->equations.n, m = r->s->equations.m;
  most[0] = pf_largest(r->values + symbols->v, n);
  most[1] = fmax(most[0], pf_largest(r->motion.acceleration, n));
  most[2] = pf_largest(r->motion.force, n);
  most[3] = pf_largest(r->motion.multiplier, m);
}

static void text_result(void *user, PfText *text)
{
  const Result *r = user;
  const Session *s = r->s;
  const PfModel *model = s->model;
  const PfSymbols *symbols = pf_system_symbols(r->system);
  bool other = !all_in_si(model);
  double most[4];
  find_sizes(r, most);
  pf_text_print(text, "%s at t = %.6g, by %s\n\n  %-14s %22s %22s %22s %22s\n",
                pf_cli_name(model), r->values[symbols->time],
                pf_formulation_name(pf_solver_formulation(r->solver)), "coordinate", "value", "velocity",
                "acceleration", other ? "constraint force, SI" : "constraint force");
  for (int i = 0; i < s->equations.n; i++) {
    char head[160];
    PfMeasure unit = pf_model_measure(model, model->coordinates[i].name);
    bool shown = other && unit.unit[0];
    snprintf(head, sizeof head, shown ? "%s [%s]" : "%s", model->coordinates[i].name, unit.unit);
    pf_text_print(text, "  %-14s %22.15g %22.15g %22.15g %22.15g\n", head,
                  pf_without_noise(r->values[symbols->q + i], 0)/unit.scale,
                  pf_without_noise(r->values[symbols->v + i], most[0])/unit.scale,
                  pf_without_noise(r->motion.acceleration[i], most[1])/unit.scale,
                  pf_without_noise(r->motion.force[i], most[2]));
  }
  if (s->equations.m) pf_text_print(text, "\n  %-14s %22s\n", "constraint", "multiplier");
  for (int k = 0; k < s->equations.m; k++)
    pf_text_print(text, "  %-14s %22.15g\n", model->constraints[k].name,
                  pf_without_noise(r->motion.multiplier[k], most[3]));
  pf_inverse_text(model, &r->inverse, text);
  pf_text_print(text, "\n  kinetic energy %.10g, potential energy %.10g\n", r->kinetic, r->potential);
  if (s->equations.m)
    pf_text_print(text, "  largest violation: position %.3g, velocity %.3g\n", pf_without_noise(r->position, 1),
                  pf_without_noise(r->velocity, 1));
  pf_start_text(model, r->options, &r->start, text);
  pf_spatial_text(&r->spatial, text);
}

/* ---------------------------------------------------------------- JSON */

static void json_numbers(PfJson *json, const char *key, const double *list, int count)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < count; i++) pf_json_number(json, NULL, list[i]);
  pf_json_close(json, ']');
}

/* One number for each coordinate, in its unit (per second, per second squared). */
static void json_shown(PfJson *json, const char *key, const PfModel *model, const double *list)
{
  pf_json_open(json, key, '[');
  for (int i = 0; i < model->coordinate_count; i++)
    pf_json_number(json, NULL, list[i]/pf_model_measure(model, model->coordinates[i].name).scale);
  pf_json_close(json, ']');
}

/* Multipliers of what belongs together: {"w": {"roll": …, "side": …}} for w.roll and w.side. */
static void json_contacts(const Session *s, const Result *r, PfJson *json)
{
  const PfModel *model = s->model;
  pf_json_open(json, "contact_force", '{');
  for (int k = 0; k < s->equations.m; k++) {
    const char *name = model->constraints[k].name, *dot = strrchr(name, '.');
    bool first = dot != NULL;
    for (int i = 0; i < k && first; i++) {
      const char *other = model->constraints[i].name, *other_dot = strrchr(other, '.');
      if (other_dot && other_dot - other == dot - name && !strncmp(name, other, (size_t)(dot - name))) first = false;
    }
    if (!first) continue;
    char group[256];
    snprintf(group, sizeof group, "%.*s", (int)(dot - name), name);
    pf_json_open(json, group, '{');
    for (int i = k; i < s->equations.m; i++) {
      const char *other = model->constraints[i].name, *other_dot = strrchr(other, '.');
      if (other_dot && other_dot - other == dot - name && !strncmp(name, other, (size_t)(dot - name)))
        pf_json_number(json, other_dot + 1, r->motion.multiplier[i]);
    }
    pf_json_close(json, '}');
  }
  pf_json_close(json, '}');
}

static void json_result(void *user, PfJson *json)
{
  const Result *r = user;
  const Session *s = r->s;
  const PfModel *model = s->model;
  const PfSymbols *symbols = pf_system_symbols(r->system);
  int n = s->equations.n;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(model));
  pf_json_string(json, "formulation", pf_formulation_name(pf_solver_formulation(r->solver)));
  pf_json_number(json, "t", r->values[symbols->time]);
  pf_json_open(json, "coordinates", '[');
  for (int i = 0; i < n; i++) pf_json_string(json, NULL, model->coordinates[i].name);
  pf_json_close(json, ']');
  pf_json_open(json, "units", '[');
  for (int i = 0; i < n; i++) pf_json_string(json, NULL, model->coordinates[i].unit);
  pf_json_close(json, ']');
  json_shown(json, "q", model, r->values + symbols->q);
  json_shown(json, "v", model, r->values + symbols->v);
  json_shown(json, "acceleration", model, r->motion.acceleration);
  pf_json_open(json, "multipliers", '{');
  for (int k = 0; k < s->equations.m; k++) pf_json_number(json, model->constraints[k].name, r->motion.multiplier[k]);
  pf_json_close(json, '}');
  json_numbers(json, "constraint_force", r->motion.force, n);
  json_contacts(s, r, json);
  pf_json_open(json, "energy", '{');
  pf_json_number(json, "kinetic", r->kinetic);
  pf_json_number(json, "potential", r->potential);
  pf_json_close(json, '}');
  pf_json_open(json, "violation", '{');
  pf_json_number(json, "position", r->position);
  pf_json_number(json, "velocity", r->velocity);
  pf_json_close(json, '}');
  pf_start_json(model, r->options, &r->start, json);
  pf_inverse_json(model, &r->inverse, json);
  if (r->spatial.count) pf_spatial_json(&r->spatial, json);
  pf_cli_json_diagnostics(s->ctx, json);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- the command */

static int run(const Console *console, int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_command_eval, console, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Session s = {0};
  Result r = {.s = &s};
  PfStatus status = evaluate(&s, &options, &r);
  code = pf_cli_finish(s.ctx, status, &options, &r, json_result, text_result);
  pf_inverse_free(r.inverse.solver);
  pf_solver_free(r.solver);
  pf_system_free(r.system);
  pf_cli_close(&s);
  return code;
}
