/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: from the syntax tree to the model. The first pass declares all names and unrolls loops and parts into a
 * flat list of statements with their scopes (declare.c); the second one works out what each statement adds
 * (statement.c). Then follow checks of the whole: unused coordinates, unknown multipliers, speeds without rates. At the
 * end the lists of the checker become those of the model. A model with events is read twice: as it is at the start, and
 * complete.
 *
 * Errors are collected: the check goes on after an error as long as its results cannot mislead, up to PF_MOST_ERRORS,
 * and the status is that of the first one. All that the model keeps lives in the arena of the model; scopes, entities
 * and the tree live in a second arena, which the model keeps as well (pf_model_names), since quantities may be read in
 * its names later. */
#include "lang/check_impl.h"
#include "pfaff/lang.h"

#include <string.h>

/* ---------------------------------------------------------------- errors */

/* Has the check ended early: too many errors, no memory, a limit or a cancellation? */
bool pf_check_stopped(const Checker *ck)
{
  return ck->out_of_memory || ck->gave_up || pf_error_count(ck->ctx) - ck->errors_before >= PF_MOST_ERRORS ||
         pf_context_is_cancelled(ck->ctx);
}

/* Reports the first failed allocation and notes it in out_of_memory, at which all loops of the checker stop. Returns
 * false, so that callers can return its result. */
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

/* Records the error, unless the check has ended or the place has one of the kind already. */
static void record(Checker *ck, PfStatus code, const PfNode *node, const char *format, va_list words)
{
  ck->may_hint = !pf_check_stopped(ck) && !pf_check_is_known(ck, code, node);
  if (ck->may_hint) pf_fail_list(ck->ctx, code, pf_node_place(ck->source, node), format, words);
}

/* Returns the value of kind V_NONE, so that functions which return values can return its result. Errors that are known
 * at the same place, and errors after a failed allocation, are left out (record). */
Value pf_check_fail(Checker *ck, PfStatus code, const PfNode *node, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  record(ck, code, node, format, words);
  va_end(words);
  return pf_no_value();
}

/* Records an error at the node as pf_check_fail does and returns false. */
bool pf_check_refuse(Checker *ck, PfStatus code, const PfNode *node, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  record(ck, code, node, format, words);
  va_end(words);
  return false;
}

/* Records that a limit is exceeded; afterwards pf_check_stopped is true and nothing more of the model is read. */
void pf_check_give_up(Checker *ck, const PfNode *node, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  record(ck, PF_ERR_LIMIT, node, format, words);
  va_end(words);
  ck->gave_up = true;
}

/* Adds a line of advice to the latest error, if that was recorded and not left out as a repetition. */
void pf_check_hint(Checker *ck, const char *format, ...)
{
  if (!ck->may_hint) return;
  va_list list;
  va_start(list, format);
  pf_hint_list(ck->ctx, format, list);
  va_end(list);
}

/* ---------------------------------------------------------------- begin */

/* Lets the lists of coordinates and inputs in the model point at the growing lists of the checker: vectors and frames
 * need them while the model is read. To be called after a coordinate was added. False when out of memory. */
bool pf_sync_coordinates(Checker *ck)
{
  ck->model->coordinates = ck->coordinates.at;
  ck->model->coordinate_count = (int)ck->coordinates.count;
  ck->model->inputs = ck->inputs.at;
  ck->model->input_count = (int)ck->inputs.count;
  return !ck->out_of_memory;
}

/* Prepares an empty model: the symbol t, energies and gravity of zero, the ground as frame 0, and the global scope.
 * Returns PF_ERR_MEMORY without memory. */
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

/* Adds the expressions of all placements to the list: eight of each frame. Returns its new length. */
static int list_frames(const PfModel *model, PfExpr *list, int count)
{
  for (int f = 0; f < model->frame_count; f++) {
    const PfFrame *frame = model->frames + f;
    for (int j = 0; j < 3; j++) list[count++] = frame->origin[j];
    list[count++] = frame->angle;
    for (int j = 0; j < 4; j++) list[count++] = frame->quaternion[j];
  }
  return count;
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

/* A coordinate that no energy, force, body or constraint contains would make the mass matrix singular. Reports each
 * such coordinate by name. Collects the energies, forces, constraints, frame angles and origins and the velocities of
 * loads as roots and searches them together for q, q' and q'' of all coordinates. */
static void check_coordinates_used(Checker *ck)
{
  const PfModel *model = ck->model;
  size_t n = ck->coordinates.count, parts = 0;
  for (size_t i = 0; i < ck->loads.count; i++) parts += (size_t)ck->loads.at[i].velocity.count;
  size_t room = 3 + 2*n + ck->constraints.count + 8*(size_t)model->frame_count + 3*parts;
  PfExpr *roots = pf_arena_array(ck->arena, PfExpr, room);
  int k = 0;
  if (!roots) {
    pf_check_no_memory(ck);
    return;
  }
  roots[k++] = model->kinetic, roots[k++] = model->potential, roots[k++] = model->dissipation;
  for (size_t i = 0; i < n; i++) roots[k++] = ck->forces.at[i], roots[k++] = ck->nonideals.at[i];
  for (size_t i = 0; i < ck->constraints.count; i++) roots[k++] = ck->constraints.at[i].residual;
  k = list_frames(model, roots, k);
  for (size_t i = 0; i < ck->loads.count; i++)
    for (int p = 0; p < ck->loads.at[i].velocity.count; p++)
      for (int j = 0; j < 3; j++) roots[k++] = ck->loads.at[i].velocity.part[p].c[j];

  const uint8_t *seen = mark_reached(ck, roots, k);
  for (size_t i = 0; seen && i < n && !pf_check_stopped(ck); i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (seen[c->q] || seen[c->v] || seen[c->a] || !pf_expr_is_int(ck->ctx, ck->forces.at[i], 0)) continue;
    pf_fail_at(ck->ctx, PF_ERR_MODEL, c->place, "the coordinate '%s' appears nowhere in the model", c->name);
    pf_hint(ck->ctx, "no energy, body, force or constraint contains it: use it or remove it");
  }
}

/* m/2*y^2 where m/2*y'^2 was meant leaves y without inertia. That may be wanted, so it is a warning. */
static void check_velocities_written(Checker *ck)
{
  PfExpr *frames = pf_arena_array(ck->arena, PfExpr, 8*(size_t)ck->model->frame_count);
  if (!frames) return;
  int count = list_frames(ck->model, frames, 0);
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

/* Does an event lock the coordinate? Then lambda[…] is the force of the lock. */
static bool is_locked(const Checker *ck, int coordinate)
{
  for (size_t e = 0; coordinate >= 0 && e < ck->events.count; e++)
    for (int a = 0; a < ck->events.at[e].action_count; a++) {
      const PfAction *action = ck->events.at[e].actions + a;
      for (int k = 0; k < action->coordinate_count && action->kind == PF_LOCK; k++)
        if (action->coordinates[k] == coordinate) return true;
    }
  return false;
}

/* A contact or a vector equation has several rows, each with its own multiplier. Reports the use lambda[name] or
 * violation[name] of a constraint that does not exist, with the rows of that name as advice (name.x, name.y …) or else
 * the most similar name. */
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

/* Rows of attachments are made in the complete model only, which is checked after this one when there are any. Reports
 * each use of a multiplier or violation whose constraint does not exist. The names are looked up in a hash map, so that
 * the cost is linear in constraints and uses. */
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

/* With speeds declared, all coordinates need a rate, or all speeds a definition by velocities. Speeds are given in one
 * of two forms: 'rate x' = f(u)' for every coordinate, or 'speed u = …' by velocities for every speed and as many as
 * are needed. Free and ball joints have their own quasi-velocities, so that both together are refused. */
static void check_speeds(Checker *ck)
{
  if (!ck->speeds.count) return;
  if (ck->cut_count) {
    pf_fail(ck->ctx, PF_ERR_MODEL, "wrench(%s): joints of models with 'speed' or 'rate' cannot be cut", ck->cuts[0]);
    pf_hint(ck->ctx, "leave out 'speed' and 'rate': velocities of coordinates do as well");
    return;
  }
  if (ck->balls.count) {
    pf_fail_at(ck->ctx, PF_ERR_MODEL, ck->balls.at[0].place, "speeds cannot be declared together with a free or ball "
               "joint: '%s' has quasi-velocities of its own", ck->balls.at[0].name);
    pf_hint(ck->ctx, "leave out 'speed' and 'rate', or place the body by angles");
    return;
  }
  const PfSpeed *defined = NULL, *undefined = NULL; /* the first ones */
  for (size_t i = ck->speeds.count; i-- > 0;)
    *(ck->speeds.at[i].value == PF_EXPR_NONE ? &undefined : &defined) = ck->speeds.at + i;
  if (defined && undefined) {
    pf_fail_at(ck->ctx, PF_ERR_MODEL, undefined->place, "'%s' is not said to be a combination of velocities, as other "
               "speeds are", undefined->name);
    pf_hint(ck->ctx, "write 'speed %s = …', or leave it out: what is missing is added", undefined->name);
    return;
  }
  for (size_t i = 0; i < ck->coordinates.count && !pf_check_stopped(ck); i++) {
    const PfCoordinate *c = ck->coordinates.at + i;
    if (defined && c->rate != PF_EXPR_NONE) {
      pf_fail_at(ck->ctx, PF_ERR_MODEL, c->place, "the rate of '%s' follows from the speeds, which are combinations of "
                 "velocities, and cannot be given too", c->name);
      pf_hint(ck->ctx, "leave out 'rate', or what stands behind '=' in 'speed'");
      return;
    }
    if (!defined && c->rate == PF_EXPR_NONE && !c->contact) {
      pf_fail_at(ck->ctx, PF_ERR_MODEL, c->place, "with speeds declared, the rate of every coordinate is needed; "
                 "that of '%s' is missing", c->name);
      pf_hint(ck->ctx, "add 'rate %s' = …' in terms of the speeds", c->name);
      return;
    }
  }
}

/* A copy of `count` items in the arena of the model, which then owns it. NULL without memory, which is noted. */
static void *copy(Checker *ck, const void *items, size_t count, size_t size)
{
  void *result = pf_arena_alloc(ck->model->arena, count, size);
  if (!result) pf_check_no_memory(ck);
  else if (count) memcpy(result, items, count*size);
  return result;
}

/* Hands the lists of the checker over to the model, then solves for the rates of the coordinates where speeds are given
 * by velocities. */
static PfStatus finish(Checker *ck)
{
  PfModel *model = ck->model;
#define COPY(list) copy(ck, (list).at, (list).count, sizeof *(list).at)
#define ADOPT(type, list, length) model->list = COPY(ck->list), model->length = (int)ck->list.count;
  PF_MODEL_LISTS(ADOPT)
  model->parameter_order = COPY(ck->parameter_order);
  model->force = COPY(ck->forces);
  model->nonideal = COPY(ck->nonideals);
#undef ADOPT
#undef COPY
  if (ck->out_of_memory) return PF_ERR_MEMORY;
  PF_TRY(pf_model_solve_rates(model));
  return pf_settle_shown(model, ck->arena);
}

/* ---------------------------------------------------------------- the passes */

/* Second pass: every statement of the flat list. Declarations come first; then the start, which contacts look at; then
 * the rest, where energies and forces find all frames; and last 'plot'. */
static void check_statements(Checker *ck)
{
  enum { DECLARE, START, REST, PLOT, PASSES };
  for (int pass = 0; pass < PASSES; pass++) {
    for (size_t i = 0; i < ck->work.count && !pf_check_stopped(ck); i++) {
      Work work = ck->work.at[i];
      PfNodeKind kind = work.node->kind;
      bool start = kind == PF_N_ASSIGNS && !strcmp(work.node->text, "start");
      if (pass != (kind == PF_N_DECLARE ? DECLARE : kind == PF_N_PLOT ? PLOT : start ? START : REST)) continue;
      PfMark mark = pf_arena_mark(ck->arena);
      int before = pf_diagnostic_count(ck->ctx);
      pf_check_statement(ck, work.scope, work.node);
      /* What goes wrong further down, where places are not known, belongs to the statement. */
      (void)pf_check_expressions(ck, work.node);
      const PfDiagnostic *d = pf_diagnostic(ck->ctx, before);
      if (d && !d->place.line && !ck->out_of_memory) {
        PfStatus code = d->code;
        const char *words = pf_print_text(ck, "%s", d->message);
        pf_diagnostics_truncate(ck->ctx, before);
        pf_check_fail(ck, code, work.node, "%s", words);
      }
      pf_arena_release(ck->arena, mark);
    }
    if (pass == START) pf_settle_joint_starts(ck);
  }
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

/* Is a unit written anywhere in the tree? The answer decides for the whole model whether lengths without a unit are
 * reported. */
static bool has_units(const PfNode *node)
{
  if (node->kind == PF_N_UNIT || node->kind == PF_N_UNITS) return true;
  for (const PfNode *child = node->child; child; child = child->next)
    if (has_units(child)) return true;
  return false;
}

/* Everything, from the tree to the lists of the model. Returns the code of the first error. The later checks run only
 * if the statements had no error, since each would report a consequence of it again. Lists that grew in the checker are
 * copied into the arena of the model at the end. */
static PfStatus check_tree(Checker *ck, const PfNode *tree)
{
  PF_TRY(pf_check_begin(ck));
  ck->has_units = has_units(tree);
  pf_declare_statements(ck, ck->global, tree);
  (void)pf_sync_coordinates(ck);
  check_statements(ck);
  bool good = pf_error_count(ck->ctx) == ck->errors_before && !ck->out_of_memory;
  if (good) {
    /* Reports a model that cannot move: without coordinates, without inertia, or with a kinetic energy without
     * velocities. */
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
  if (good) check_coordinates_used(ck);
  if (good && pf_error_count(ck->ctx) == ck->errors_before) check_velocities_written(ck);
  if (good) pf_check_multipliers(ck);
  if (good) check_speeds(ck);
  if (good) pf_check_events(ck);
  if (pf_error_count(ck->ctx) - ck->errors_before >= PF_MOST_ERRORS)
    pf_warn_at(ck->ctx, (PfPlace){.file = ck->model->file}, "too many errors: the rest of the model was not checked");
  if (pf_error_count(ck->ctx) != ck->errors_before) {
    for (int i = 0; i < pf_diagnostic_count(ck->ctx); i++)
      if (pf_diagnostic(ck->ctx, i)->severity == PF_ERROR) return pf_diagnostic(ck->ctx, i)->code;
    return PF_OK;
  }
  PF_TRY(pf_expr_check(ck->ctx));
  return finish(ck);
}

/* Frees the lists of the checker; those that the model has adopted are in its arena. */
void pf_check_release(Checker *ck)
{
  for (size_t i = 0; i < ck->scopes.count; i++) pf_map_free(&ck->scopes.at[i]->names);
#define FREE(type, list, ...) pf_array_free(ck->allocator, &ck->list);
  PF_MODEL_LISTS(FREE)
  PF_CHECKER_LISTS(FREE)
#undef FREE
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

/* Releases the checker with its lists, the source, and at last the arena in which the names themselves live. */
static void free_names(struct PfNames *names)
{
  pf_check_release(&names->ck);
  if (!names->arena) return;
  pf_array_free(names->ck.allocator, &names->ck.releases);
  pf_source_free(names->source);
  pf_arena_free(names->arena); /* the names themselves live in it */
}

static PfStatus cut(PfContext *ctx, const PfModel *model, const char *const *frames, int count, PfModel **made);

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
  model->cut = cut;
  return PF_OK;
}

/* The model with everything that events let go and attach. What is wrong with it was said about the model itself.
 * Checks the tree a second time with the coordinates of detached bodies and the rows of attached ones, and hands the
 * result to the first model as `complete`. Its errors and warnings are dropped unless the first check had none, since
 * they repeat. */
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
  PfStatus status = check_tree(ck, tree);
  if (status == PF_OK) status = keep_names(names, made);
  if (status == PF_OK) {
    pf_diagnostics_truncate(ctx, before); /* the same warnings again */
    first->model->complete = made;
  } else {
    pf_check_release(ck);
    pf_arena_free(arena);
  }
  return status;
}

/* The model once more, with free joints after the frames whose joints are cut (PfModel.cut). It has the joints and rows
 * of events that the model itself has. */
static PfStatus read_cut(PfContext *ctx, PfArena *work, const PfModel *model, const char *const *frames, int count,
                         PfModel *made)
{
  PfSource *source = pf_arena_array(work, PfSource, 1);
  struct PfNames *names = source ? new_names(ctx, work, source, made) : NULL;
  if (!names) return pf_no_room(ctx, "the model");
  Checker *ck = &names->ck;
  ck->cuts = frames, ck->cut_count = count;
  ck->complete = model->is_complete;
  const Checker *first = &model->names->ck;
  if (ck->complete) ck->releases.at = first->releases.at, ck->releases.count = first->releases.count;
  PfNode *tree = NULL;
  PfStatus status = pf_source_init(source, ctx, work, model->file, model->text, model->text_size);
  if (status == PF_OK) status = pf_parse(source, &tree);
  if (status == PF_OK) status = check_tree(ck, tree);
  if (!ck->complete) pf_array_free(ck->allocator, &ck->releases);
  memset(&ck->releases, 0, sizeof ck->releases); /* borrowed, or freed */
  ck->cuts = NULL, ck->cut_count = 0;
  if (status == PF_OK) status = keep_names(names, made);
  names->source = source;
  names->arena = status == PF_OK ? work : NULL;
  if (status == PF_OK) return PF_OK;
  pf_check_release(ck);
  pf_source_free(source);
  return status;
}

static PfStatus cut(PfContext *ctx, const PfModel *model, const char *const *frames, int count, PfModel **made)
{
  *made = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx)), *work = pf_arena_new(pf_context_allocator(ctx));
  PfModel *result = arena ? pf_arena_array(arena, PfModel, 1) : NULL;
  const int before = pf_diagnostic_count(ctx);
  PfStatus status = PF_ERR_MEMORY;
  if (result && work) {
    *result = (PfModel){.ctx = ctx, .arena = arena, .file = model->file, .text = model->text,
                        .text_size = model->text_size, .is_complete = model->is_complete};
    status = read_cut(ctx, work, model, frames, count, result);
  } else {
    pf_fail(ctx, status, "no room for the model");
  }
  if (status == PF_OK) {
    pf_diagnostics_truncate(ctx, before); /* the same warnings again */
    *made = result;
    return PF_OK;
  }
  pf_arena_free(work);
  pf_arena_free(arena);
  return status;
}

/* Reads a text into the model. On success the model owns `work`, where the names stay for quantities that are read
 * later. */
static PfStatus read_model(PfContext *ctx, PfArena *work, const char *file, const char *bytes, size_t count,
                           PfModel *model)
{
  PfSource *source = pf_arena_array(work, PfSource, 1);
  struct PfNames *names = source ? new_names(ctx, work, source, model) : NULL;
  model->file = pf_arena_text(model->arena, file, strlen(file));
  model->text = pf_arena_text(model->arena, bytes, count);
  model->text_size = count;
  if (!names || !model->file || !model->text) return pf_no_room(ctx, "the model");
  PfNode *tree = NULL;
  PfStatus status = pf_source_init(source, ctx, work, model->file, bytes, count);
  if (status == PF_OK) status = pf_parse(source, &tree);
  if (status == PF_OK) status = check_tree(&names->ck, tree);
  if (status == PF_OK && names->ck.needs_complete) status = check_complete(&names->ck, tree);
  else if (status == PF_OK && model->event_count) model->complete = model;
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

/* Reads a model from `count` bytes of text and gives it to the caller, who releases it by pf_model_free. file: the name
 * for messages. On an error *model is NULL, the status is that of the first error and all errors are in the diagnostics
 * of the context. */
PfStatus pf_model_read(PfContext *ctx, const char *file, const char *bytes, size_t count, PfModel **model)
{
  *model = NULL;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx)), *work = pf_arena_new(pf_context_allocator(ctx));
  PfModel *made = arena ? pf_arena_array(arena, PfModel, 1) : NULL;
  PfStatus status = PF_ERR_MEMORY;
  pf_context_note_work(ctx, PF_WORK_READING);
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

/* Reads a model from a file, or from standard input for "-". Otherwise as pf_model_read; a file that is larger than a
 * model can be gets advice. */
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

