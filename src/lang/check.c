/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax tree becomes a model. */
#include "lang/check_impl.h"
#include "lang/fmt.h"
#include "pfaff/lang.h"

#include <string.h>

/* ---------------------------------------------------------------- errors */

bool pf_check_stopped(const Checker *ck)
{
  return ck->out_of_memory || ck->gave_up || pf_error_count(ck->ctx) - ck->errors_before >= PF_MOST_ERRORS ||
         pf_context_is_cancelled(ck->ctx);
}

bool pf_check_no_memory(Checker *ck)
{
  if (!ck->out_of_memory) pf_no_room(ck->ctx, "the model");
  ck->out_of_memory = true;
  return false;
}

/* A loop or a part says the same again on every turn, maybe with another index in it. */
bool pf_check_is_known(const Checker *ck, PfStatus code, const PfNode *node)
{
  for (int i = ck->errors_before; i < pf_diagnostic_count(ck->ctx); i++) {
    const PfDiagnostic *d = pf_diagnostic(ck->ctx, i);
    bool same_place = d->place.line == (int)node->line && d->place.column == (int)node->column;
    if (same_place && d->code == code) return true;
  }
  return false;
}

Value pf_check_fail(Checker *ck, PfStatus code, const PfNode *node, const char *format, ...)
{
  ck->may_hint = !pf_check_stopped(ck) && !pf_check_is_known(ck, code, node);
  if (!ck->may_hint) return pf_no_value();
  char words[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  pf_fail_at(ck->ctx, code, pf_node_place(ck->source, node), "%s", words);
  return pf_no_value();
}

void pf_check_give_up(Checker *ck, const PfNode *node, const char *format, ...)
{
  char words[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  pf_check_fail(ck, PF_ERR_LIMIT, node, "%s", words);
  ck->gave_up = true;
}

void pf_check_hint(Checker *ck, const char *format, ...)
{
  if (!ck->may_hint) return;
  char words[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(words, sizeof words, format, list);
  va_end(list);
  pf_hint(ck->ctx, "%s", words);
}

/* ---------------------------------------------------------------- begin */

bool pf_sync_coordinates(Checker *ck)
{
  ck->model->coordinates = ck->coordinates.at;
  ck->model->coordinate_count = (int)ck->coordinates.count;
  ck->model->inputs = ck->inputs.at;
  ck->model->input_count = (int)ck->inputs.count;
  return !ck->out_of_memory;
}

PfStatus pf_check_begin(Checker *ck)
{
  PfContext *ctx = ck->ctx;
  PfModel *model = ck->model;
  PfFrame ground = {.name = "ground", .angle = PF_EXPR_NONE};
  int index;
  model->name = model->title = "";
  model->time = pf_expr_symbol(ctx, "t");
  model->kinetic = model->potential = model->dissipation = pf_expr_int(ctx, 0);
  for (int k = 0; k < 3; k++) model->gravity[k] = ground.origin[k] = pf_expr_int(ctx, 0);
  for (int k = 0; k < 3; k++) ground.axis[k] = pf_expr_int(ctx, k == 2);
  pf_set_contents(ck, model->time, HAS_TIME);
  ck->global = pf_scope_new(ck, NULL, NULL, "", "");
  PF_TRY(pf_frame_add(model, &ck->frame_room, ground, &index));
  return ck->global && !ck->out_of_memory ? PF_OK : PF_ERR_MEMORY;
}

/* ---------------------------------------------------------------- end */

/* Every root expression of the model, for the question which coordinates are used at all. */
static bool list_roots(Checker *ck, PfArena *arena, PfExpr **roots, int *count)
{
  const PfModel *model = ck->model;
  size_t n = ck->coordinates.count, parts = 0;
  for (size_t i = 0; i < ck->loads.count; i++) parts += (size_t)ck->loads.at[i].velocity.count;
  size_t room = 3 + 2*n + ck->constraints.count + 8*(size_t)model->frame_count + 3*parts;
  PfExpr *list = pf_arena_array(arena, PfExpr, room);
  int k = 0;
  if (!list) return pf_check_no_memory(ck);
  list[k++] = model->kinetic, list[k++] = model->potential, list[k++] = model->dissipation;
  for (size_t i = 0; i < n; i++) list[k++] = ck->forces.at[i], list[k++] = ck->nonideals.at[i];
  for (size_t i = 0; i < ck->constraints.count; i++) list[k++] = ck->constraints.at[i].residual;
  for (int f = 0; f < model->frame_count; f++) {
    for (int j = 0; j < 3; j++) list[k++] = model->frames[f].origin[j];
    list[k++] = model->frames[f].angle;
    for (int j = 0; j < 4; j++) list[k++] = model->frames[f].quaternion[j];
  }
  for (size_t i = 0; i < ck->loads.count; i++)
    for (int p = 0; p < ck->loads.at[i].velocity.count; p++)
      for (int j = 0; j < 3; j++) list[k++] = ck->loads.at[i].velocity.part[p].c[j];
  *roots = list;
  *count = k;
  return true;
}

/* For every expression whether the roots contain it; NULL without memory. */
static const uint8_t *mark_reached(Checker *ck, const PfExpr *roots, int root_count)
{
  PfExpr *nodes;
  int node_count;
  if (pf_expr_reach(ck->ctx, ck->arena, roots, root_count, &nodes, &node_count) != PF_OK) return NULL;
  uint8_t *seen = pf_arena_array(ck->arena, uint8_t, (size_t)pf_expr_table_size(ck->ctx) + 1);
  for (int i = 0; seen && i < node_count; i++) seen[nodes[i]] = 1;
  return seen;
}

static void check_coordinates_used(Checker *ck)
{
  PfExpr *roots = NULL;
  int root_count = 0;
  if (!list_roots(ck, ck->arena, &roots, &root_count)) return;
  const uint8_t *seen = mark_reached(ck, roots, root_count);
  for (size_t i = 0; seen && i < ck->coordinates.count && !pf_check_stopped(ck); i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (seen[c->q] || seen[c->v] || seen[c->a]) continue;
    if (pf_expr_is_int(ck->ctx, ck->forces.at[i], 0)) {
      pf_fail_at(ck->ctx, PF_ERR_MODEL, c->place, "the coordinate '%s' appears nowhere in the model", c->name);
      pf_hint(ck->ctx, "no energy, body, force or constraint contains it: use it or remove it");
    }
  }
}

/* m/2*y^2 where m/2*y'^2 was meant leaves y without inertia. That may be wanted, so it is a warning. */
static void check_velocities_written(Checker *ck)
{
  PfExpr *frames = pf_arena_array(ck->arena, PfExpr, 8*(size_t)ck->model->frame_count);
  int count = 0;
  if (!frames) return;
  for (int f = 0; f < ck->model->frame_count; f++) {
    const PfFrame *frame = ck->model->frames + f;
    for (int j = 0; j < 3; j++) frames[count++] = frame->origin[j];
    frames[count++] = frame->angle;
    for (int j = 0; j < 4; j++) frames[count++] = frame->quaternion[j];
  }
  const uint8_t *in_energy = mark_reached(ck, &ck->model->kinetic, 1), *in_frames = mark_reached(ck, frames, count);
  for (size_t i = 0; in_energy && in_frames && i < ck->coordinates.count; i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (!in_energy[c->q] || in_energy[c->v] || in_frames[c->q]) continue;
    pf_warn_at(ck->ctx, c->place, "the kinetic energy contains '%s' but not its velocity: '%s' has no inertia", c->name,
               c->name);
    pf_hint(ck->ctx, "is an apostrophe missing? The velocity is written %s'", c->name);
  }
}

int pf_checked_coordinate(const Checker *ck, const char *name)
{
  for (size_t i = 0; i < ck->coordinates.count; i++)
    if (!strcmp(ck->coordinates.at[i].name, name)) return (int)i;
  return -1;
}

static bool acts_on(const PfAction *action, int coordinate)
{
  for (int k = 0; k < action->coordinate_count; k++)
    if (action->coordinates[k] == coordinate) return true;
  return false;
}

/* Does an event lock the coordinate? Then lambda[…] is the force of the lock. */
static bool is_locked(const Checker *ck, int coordinate)
{
  for (size_t e = 0; coordinate >= 0 && e < ck->events.count; e++)
    for (int a = 0; a < ck->events.at[e].action_count; a++) {
      const PfAction *action = ck->events.at[e].actions + a;
      if (action->kind == PF_LOCK && acts_on(action, coordinate)) return true;
    }
  return false;
}

/* A contact or a vector equation has several rows, each with its own multiplier. */
static void unknown_multiplier(Checker *ck, const MultiplierUse *use)
{
  size_t length = strlen(use->name);
  int best = pf_allowed_edits(use->name) + 1;
  const char *row = NULL, *similar = NULL;
  for (size_t k = ck->constraints.count; k-- > 0;) {
    const char *name = ck->constraints.at[k].name, *all = pf_print_text(ck, "%.*s", (int)strcspn(name, "."), name);
    if (!strncmp(name, use->name, length) && name[length] == '.') row = name;
    if (pf_is_nearer(use->name, all, &best)) similar = strcmp(use->word, "violation") ? name : all;
    if (pf_is_nearer(use->name, name, &best)) similar = name;
  }
  pf_check_fail(ck, PF_ERR_NAME, use->node, "there is no constraint '%s'", use->name);
  if (row) pf_check_hint(ck, "'%s' has several rows: write %s[%s], for example", use->name, use->word, row);
  else if (ck->events.count && pf_checked_coordinate(ck, use->name) >= 0)
    pf_check_hint(ck, "'%s' is a coordinate that no event locks; the force of all constraints on it is reaction(%s)",
                  use->name, use->name);
  else if (similar) pf_check_hint(ck, "did you mean %s[%s]?", use->word, similar);
  else pf_check_hint(ck, "%s[name] belongs to 'constraint name: …'", use->word);
}

/* The model before the event has no such row: a condition is not asked for it there, a force would be. */
static void check_acting(Checker *ck, const char *name, const char *action)
{
  PfExpr multiplier = pf_expr_symbol(ck->ctx, pf_print_text(ck, "lambda[%s]", name));
  for (size_t i = 0; i < ck->multiplier_forces.count; i++) {
    if (!pf_expr_depends(ck->ctx, ck->multiplier_forces.at[i].force, &multiplier, 1)) continue;
    pf_check_fail(ck, PF_ERR_MODEL, ck->multiplier_forces.at[i].node,
                  "no force can depend on the multiplier of what an event %s", action);
    pf_check_hint(ck, "lambda[%s] may stand in 'when', 'until' and 'plot'", name);
    return;
  }
}

/* Rows of attachments are made in the complete model only, which is checked after this one when there are any. */
void pf_check_multipliers(Checker *ck)
{
  PfMap known;
  if (ck->needs_complete) return;
  pf_map_init(&known, ck->allocator);
  for (size_t k = 0; k < ck->constraints.count; k++) {
    const char *name = ck->constraints.at[k].name;
    if (!pf_map_set(&known, name, strlen(name), ck)) pf_check_no_memory(ck);
    if (ck->constraints.at[k].attached) check_acting(ck, name, "attaches");
  }
  for (size_t i = 0; i < ck->multiplier_uses.count && !pf_check_stopped(ck); i++) {
    const MultiplierUse *use = ck->multiplier_uses.at + i;
    if (pf_map_get(&known, use->name, strlen(use->name))) continue;
    bool lock = !strcmp(use->word, "lambda") && is_locked(ck, pf_checked_coordinate(ck, use->name));
    if (lock) check_acting(ck, use->name, "locks");
    else unknown_multiplier(ck, use);
  }
  pf_map_free(&known);
}

/* Speeds by velocities, all of them; the rates then follow. */
static void check_definitions(Checker *ck)
{
  for (size_t i = 0; i < ck->speeds.count; i++) {
    const PfSpeed *speed = ck->speeds.at + i;
    if (speed->value != PF_EXPR_NONE) continue;
    pf_fail_at(ck->ctx, PF_ERR_MODEL, speed->place, "'%s' is not said to be a combination of velocities, as other "
               "speeds are", speed->name);
    pf_hint(ck->ctx, "write 'speed %s = …', or leave it out: what is missing is added", speed->name);
    return;
  }
  for (size_t i = 0; i < ck->coordinates.count; i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (c->rate == PF_EXPR_NONE) continue;
    pf_fail_at(ck->ctx, PF_ERR_MODEL, c->place, "the rate of '%s' follows from the speeds, which are combinations of "
               "velocities, and cannot be given too", c->name);
    pf_hint(ck->ctx, "leave out 'rate', or what stands behind '=' in 'speed'");
    return;
  }
}

static bool has_definitions(const Checker *ck)
{
  for (size_t i = 0; i < ck->speeds.count; i++)
    if (ck->speeds.at[i].value != PF_EXPR_NONE) return true;
  return false;
}

static void check_speeds(Checker *ck)
{
  if (!ck->speeds.count) return;
  if (ck->balls.count) {
    pf_fail_at(ck->ctx, PF_ERR_MODEL, ck->balls.at[0].place, "speeds cannot be declared together with a free or ball "
               "joint: '%s' has quasi-velocities of its own", ck->balls.at[0].name);
    pf_hint(ck->ctx, "leave out 'speed' and 'rate', or place the body by angles");
    return;
  }
  if (has_definitions(ck)) {
    check_definitions(ck);
    return;
  }
  for (size_t i = 0; i < ck->coordinates.count && !pf_check_stopped(ck); i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (c->rate != PF_EXPR_NONE || c->contact) continue;
    pf_fail_at(ck->ctx, PF_ERR_MODEL, c->place, "with speeds declared, the rate of every coordinate is needed; "
               "that of '%s' is missing", c->name);
    pf_hint(ck->ctx, "add 'rate %s' = …' in terms of the speeds", c->name);
    return;
  }
}

static void check_substance(Checker *ck)
{
  PfModel *model = ck->model;
  if (!ck->coordinates.count) {
    pf_fail(ck->ctx, PF_ERR_MODEL, "%s: the model has no coordinates", model->file);
    pf_hint(ck->ctx, "declare them with 'coord x, theta'");
  } else if (!ck->bodies.count && pf_expr_is_int(ck->ctx, model->kinetic, 0)) {
    pf_fail(ck->ctx, PF_ERR_MODEL, "%s: nothing in the model has inertia", model->file);
    pf_hint(ck->ctx, "give it a 'kinetic' energy, or a 'body' with a mass");
  } else if (!ck->bodies.count && !(pf_contents(ck, model->kinetic) & HAS_VELOCITY)) {
    pf_fail(ck->ctx, PF_ERR_MODEL, "%s: nothing in the model has inertia: the kinetic energy contains no velocity",
            model->file);
    pf_hint(ck->ctx, "velocities are written with an apostrophe: %s'", ck->coordinates.at[0].name);
  }
}

static void *copy(Checker *ck, const void *items, size_t count, size_t size)
{
  void *result = pf_arena_alloc(ck->model->arena, count, size);
  if (!result) pf_check_no_memory(ck);
  else if (count) memcpy(result, items, count*size);
  return result;
}

#define ADOPT(field, list) (ck->model->field = copy(ck, (list).at, (list).count, sizeof *(list).at))

static PfStatus finish(Checker *ck)
{
  PfModel *model = ck->model;
  ADOPT(parameters, ck->parameters);
  ADOPT(parameter_order, ck->parameter_order);
  ADOPT(coordinates, ck->coordinates);
  ADOPT(speeds, ck->speeds);
  ADOPT(inputs, ck->inputs);
  ADOPT(constraints, ck->constraints);
  ADOPT(bodies, ck->bodies);
  ADOPT(balls, ck->balls);
  ADOPT(start_spins, ck->start_spins);
  ADOPT(events, ck->events);
  ADOPT(loads, ck->loads);
  ADOPT(plots, ck->plots);
  ADOPT(draws, ck->draws);
  ADOPT(contacts, ck->contacts);
  ADOPT(springs, ck->springs);
  ADOPT(force, ck->forces);
  ADOPT(nonideal, ck->nonideals);
  model->parameter_count = (int)ck->parameters.count;
  model->coordinate_count = (int)ck->coordinates.count;
  model->speed_count = (int)ck->speeds.count;
  model->input_count = (int)ck->inputs.count;
  model->constraint_count = (int)ck->constraints.count;
  model->body_count = (int)ck->bodies.count;
  model->ball_count = (int)ck->balls.count;
  model->start_spin_count = (int)ck->start_spins.count;
  model->event_count = (int)ck->events.count;
  model->load_count = (int)ck->loads.count;
  model->plot_count = (int)ck->plots.count;
  model->draw_count = (int)ck->draws.count;
  model->contact_count = (int)ck->contacts.count;
  model->spring_count = (int)ck->springs.count;
  if (ck->out_of_memory) return PF_ERR_MEMORY;
  PF_TRY(pf_model_solve_rates(model));
  return pf_settle_shown(model, ck->arena);
}

/* ---------------------------------------------------------------- the passes */

/* Declarations first; then the start, which contacts look at; then the rest, and last what is shown of it. */
enum { PASSES = 4 };
static int pass_of(const PfNode *node)
{
  if (node->kind == PF_N_DECLARE) return 0;
  if (node->kind == PF_N_PLOT) return 3;
  return node->kind == PF_N_ASSIGNS && !strcmp(node->text, "start") ? 1 : 2;
}

/* What goes wrong further down, where places are not known, belongs to the statement. */
static void place_errors(Checker *ck, const PfNode *node, int before)
{
  (void)pf_check_expressions(ck, node);
  const PfDiagnostic *d = pf_diagnostic(ck->ctx, before);
  if (!d || d->place.line || ck->out_of_memory) return;
  PfStatus code = d->code;
  const char *words = pf_print_text(ck, "%s", d->message);
  pf_diagnostics_cut(ck->ctx, before);
  pf_check_fail(ck, code, node, "%s", words);
}

static void check_one(Checker *ck, Work work)
{
  PfMark mark = pf_arena_mark(ck->arena);
  int before = pf_diagnostic_count(ck->ctx);
  pf_check_statement(ck, work.scope, work.node);
  place_errors(ck, work.node, before);
  pf_arena_release(ck->arena, mark);
}

static void check_statements(Checker *ck)
{
  for (int pass = 0; pass < PASSES; pass++) {
    for (size_t i = 0; i < ck->work.count && !pf_check_stopped(ck); i++) {
      Work work = ck->work.at[i];
      if (pass_of(work.node) != pass) continue;
      check_one(ck, work);
    }
    if (pass == 1) pf_settle_joint_starts(ck);
  }
}

static PfStatus first_error(const Checker *ck)
{
  for (int i = 0; i < pf_diagnostic_count(ck->ctx); i++)
    if (pf_diagnostic(ck->ctx, i)->severity == PF_ERROR) return pf_diagnostic(ck->ctx, i)->code;
  return PF_OK;
}

/* The line is kept in the model: the source goes away. */
PfPlace pf_model_place(Checker *ck, const PfNode *node)
{
  PfPlace place = pf_node_place(ck->source, node);
  place.file = ck->model->file;
  if (place.text && place.line != ck->kept_line) { /* many names stand in one line */
    ck->kept_text = pf_print_text(ck, "%s", place.text);
    ck->kept_line = place.line;
  }
  if (place.text) place.text = ck->kept_text;
  return place;
}

static bool has_units(const PfNode *node)
{
  if (node->kind == PF_N_UNIT || node->kind == PF_N_UNITS) return true;
  for (const PfNode *child = node->child; child; child = child->next)
    if (has_units(child)) return true;
  return false;
}

PfStatus pf_check_tree(Checker *ck, const PfNode *tree)
{
  PF_TRY(pf_check_begin(ck));
  ck->has_units = has_units(tree);
  pf_declare_statements(ck, ck->global, tree);
  (void)pf_sync_coordinates(ck);
  check_statements(ck);
  bool good = pf_error_count(ck->ctx) == ck->errors_before && !ck->out_of_memory;
  if (good) check_substance(ck);
  if (good) check_coordinates_used(ck);
  if (good && pf_error_count(ck->ctx) == ck->errors_before) check_velocities_written(ck);
  if (good) pf_check_multipliers(ck);
  if (good) check_speeds(ck);
  if (good) pf_check_events(ck);
  if (pf_error_count(ck->ctx) - ck->errors_before >= PF_MOST_ERRORS)
    pf_warn_at(ck->ctx, (PfPlace){.file = ck->model->file}, "too many errors: the rest of the model was not checked");
  if (pf_error_count(ck->ctx) != ck->errors_before) return first_error(ck);
  PF_TRY(pf_expr_check(ck->ctx));
  return finish(ck);
}

void pf_check_release(Checker *ck)
{
  for (size_t i = 0; i < ck->scopes.count; i++) pf_map_free(&ck->scopes.at[i]->names);
  pf_array_free(ck->allocator, &ck->scopes);
  pf_array_free(ck->allocator, &ck->work);
  pf_array_free(ck->allocator, &ck->parameters);
  pf_array_free(ck->allocator, &ck->parameter_order);
  pf_array_free(ck->allocator, &ck->coordinates);
  pf_array_free(ck->allocator, &ck->coordinate_dims);
  pf_array_free(ck->allocator, &ck->speeds);
  pf_array_free(ck->allocator, &ck->inputs);
  pf_array_free(ck->allocator, &ck->constraints);
  pf_array_free(ck->allocator, &ck->bodies);
  pf_array_free(ck->allocator, &ck->balls);
  pf_array_free(ck->allocator, &ck->ball_starts);
  pf_array_free(ck->allocator, &ck->start_spins);
  pf_array_free(ck->allocator, &ck->events);
  pf_array_free(ck->allocator, &ck->loads);
  pf_array_free(ck->allocator, &ck->plots);
  pf_array_free(ck->allocator, &ck->placed);
  pf_array_free(ck->allocator, &ck->multiplier_dims);
  pf_array_free(ck->allocator, &ck->draws);
  pf_array_free(ck->allocator, &ck->forces);
  pf_array_free(ck->allocator, &ck->nonideals);
  pf_array_free(ck->allocator, &ck->multiplier_uses);
  pf_array_free(ck->allocator, &ck->multiplier_forces);
  pf_array_free(ck->allocator, &ck->active_parts);
  pf_array_free(ck->allocator, &ck->contacts);
  pf_array_free(ck->allocator, &ck->contact_dims);
  pf_array_free(ck->allocator, &ck->springs);
  pf_array_free(ck->allocator, &ck->classes);
}

/* ---------------------------------------------------------------- names that stay */

/* Those in an arena of their own, with a source; NULL without memory. */
static struct PfNames *new_names(PfContext *ctx, PfArena *arena, PfSource *source, PfModel *model)
{
  struct PfNames *names = pf_arena_array(arena, struct PfNames, 1);
  if (!names) return NULL;
  names->ck = (Checker){.ctx = ctx, .model = model, .source = source, .arena = arena,
                        .allocator = pf_context_allocator(ctx), .errors_before = pf_error_count(ctx)};
  return names;
}

static void free_names(struct PfNames *names)
{
  pf_check_release(&names->ck);
  if (!names->arena) return;
  pf_array_free(names->ck.allocator, &names->ck.releases);
  pf_source_free(names->source);
  pf_arena_free(names->arena); /* the names themselves live in it */
}

/* Keeps the names with the model; nothing of them changes later. Names whose resolution adds to the model were resolved
 * by their statements, unless memory was lacking; the others are marked as resolved now. */
static PfStatus keep_names(struct PfNames *names, PfModel *model)
{
  Checker *ck = &names->ck;
  for (size_t i = 0; i < ck->scopes.count; i++)
    for (size_t k = 0; k < ck->scopes.at[i]->names.entries.count; k++) {
      Entity *entity = ck->scopes.at[i]->names.entries.at[k].value;
      bool adds = entity->kind == E_LET || entity->kind == E_PARAM || entity->kind == E_FRAME;
      if (adds && entity->state != RESOLVED) return pf_no_room(ck->ctx, "the model");
      (void)pf_resolve(ck, entity, entity->node);
    }
  model->names = names;
  model->free_names = free_names;
  return PF_OK;
}

/* The model with everything that events let go and attach. What is wrong with it was said about the model itself. */
static PfStatus check_complete(Checker *first, const PfNode *tree)
{
  PfContext *ctx = first->ctx;
  PfArena *arena = pf_arena_new(first->allocator);
  PfModel *made = arena ? pf_arena_array(arena, PfModel, 1) : NULL;
  struct PfNames *names = made ? new_names(ctx, first->arena, first->source, made) : NULL;
  if (!names) {
    pf_arena_free(arena);
    return pf_no_room(ctx, "the model");
  }
  *made = (PfModel){.ctx = ctx, .arena = arena, .file = first->model->file, .text = first->model->text,
                    .text_size = first->model->text_size, .is_complete = true};
  Checker *ck = &names->ck;
  ck->complete = true;
  ck->releases.at = first->releases.at, ck->releases.count = first->releases.count;
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_check_tree(ck, tree);
  if (status == PF_OK) status = keep_names(names, made);
  if (status == PF_OK) {
    pf_diagnostics_cut(ctx, before); /* the same warnings again */
    first->model->complete = made;
  } else {
    pf_check_release(ck);
    pf_arena_free(arena);
  }
  return status;
}

static PfStatus parse_and_check(Checker *ck)
{
  PfNode *tree = NULL;
  PF_TRY(pf_parse(ck->source, &tree));
  PF_TRY(pf_check_tree(ck, tree));
  if (ck->needs_complete) return check_complete(ck, tree);
  if (ck->model->event_count) ck->model->complete = ck->model;
  return PF_OK;
}

static PfStatus read_model(PfContext *ctx, PfArena *work, const char *file, const char *bytes, size_t count,
                           PfModel *model)
{
  PfSource *source = pf_arena_array(work, PfSource, 1);
  struct PfNames *names = source ? new_names(ctx, work, source, model) : NULL;
  model->file = pf_arena_text(model->arena, file, strlen(file));
  model->text = pf_arena_text(model->arena, bytes, count);
  model->text_size = count;
  if (!names || !model->file || !model->text) return pf_no_room(ctx, "the model");
  PfStatus status = pf_source_init(source, ctx, work, model->file, bytes, count);
  if (status == PF_OK) status = parse_and_check(&names->ck);
  if (status == PF_OK) status = keep_names(names, model);
  names->source = source;
  names->arena = status == PF_OK ? work : NULL;
  if (status == PF_OK) return PF_OK;
  if (model->complete && model->complete != model) pf_model_free(model->complete);
  pf_check_release(&names->ck);
  pf_array_free(names->ck.allocator, &names->ck.releases);
  pf_source_free(source);
  return status;
}

PfStatus pf_model_read(PfContext *ctx, const char *file, const char *bytes, size_t count, PfModel **model)
{
  *model = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx)), *work = pf_arena_new(pf_context_allocator(ctx));
  PfModel *made = arena ? pf_arena_array(arena, PfModel, 1) : NULL;
  PfStatus status = PF_ERR_MEMORY;
  if (made && work && pf_expr_table_size(ctx) < UINT32_MAX) {
    made->ctx = ctx;
    made->arena = arena;
    status = read_model(ctx, work, file, bytes, count, made);
  } else {
    pf_fail(ctx, status, "no room for the model");
  }
  if (status == PF_OK) {
    *model = made;
    return PF_OK;
  }
  pf_arena_free(work);
  pf_arena_free(arena);
  return status;
}

PfStatus pf_model_load(PfContext *ctx, const char *path, PfModel **model)
{
  *model = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  if (!arena) return pf_no_room(ctx, "the model");
  const char *bytes;
  size_t count;
  PfStatus status = pf_file_read(ctx, arena, path, PF_LONGEST_SOURCE, &bytes, &count);
  const char *name = strcmp(path, "-") ? path : "<stdin>";
  if (status == PF_ERR_LIMIT)
    pf_hint(ctx, "is it really a model? Repetition is written with 'for', not by copying lines");
  if (status == PF_OK) status = pf_model_read(ctx, name, bytes, count, model);
  pf_arena_free(arena);
  return status;
}

PfStatus pf_model_format(PfContext *ctx, PfArena *arena, const char *file, const char *bytes, size_t count,
                         const char **formatted)
{
  return pf_format(ctx, arena, file, bytes, count, formatted);
}
