/* SPDX-License-Identifier: Apache-2.0 */
/* Second pass of the checker: each statement of the flat list adds an energy, a body, a force, a constraint … to the
 * model. Energies and bodies are read here, the other statements in files of their own. */
#include "lang/check_impl.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- properties in braces */

const PfNode *pf_property(const PfNode *block, const char *key)
{
  if (!block) return NULL;
  for (const PfNode *p = block->child; p; p = p->next)
    if (!strcmp(p->text, key)) return p->child;
  return NULL;
}

/* Are all properties of the block among the keys, each once? */
bool pf_check_properties(Checker *ck, const PfNode *block, const char *const *keys)
{
  if (!block) return true;
  for (const PfNode *p = block->child; p; p = p->next) {
    bool known = false;
    for (const char *const *key = keys; *key; key++) known = known || !strcmp(*key, p->text);
    bool twice = known && pf_property(block, p->text) != p->child;
    if (known && !twice) continue;
    const char *similar = NULL;
    int best = pf_allowed_edits(p->text) + 1;
    for (const char *const *key = keys; *key && !known; key++)
      if (pf_is_nearer(p->text, *key, &best)) similar = *key;
    if (twice) pf_check_fail(ck, PF_ERR_NAME, p, "'%s' is given twice", p->text);
    else if (!similar) pf_check_fail(ck, PF_ERR_NAME, p, "'%s' is not known here", p->text);
    else pf_check_fail(ck, PF_ERR_NAME, p, "'%s' is not known here (did you mean '%s'?)", p->text, similar);
    if (!twice && !similar) pf_check_hint(ck, "here one can say: %s%s%s%s%s%s%s", keys[0], keys[1] ? ", " : "",
                                    keys[1] ? keys[1] : "", keys[1] && keys[2] ? ", " : "",
                                    keys[1] && keys[2] ? keys[2] : "",
                                    keys[1] && keys[2] && keys[3] ? ", " : "",
                                    keys[1] && keys[2] && keys[3] ? keys[3] : "");
    return false;
  }
  return true;
}

/* ---------------------------------------------------------------- energies */

/* kinetic, potential, dissipation: adds to the energy after it was checked what it contains and which dimension it
 * has. */
static void check_energy(Checker *ck, Scope *scope, const PfNode *node)
{
  PfModel *model = ck->model;
  if (!strcmp(node->text, "gravity")) {
    if (ck->gravity_given) pf_check_fail(ck, PF_ERR_NAME, node, "'gravity' is given twice");
    ck->gravity_given = true;
    Value g = pf_vector_of(ck, scope, node->child, "gravity");
    if (g.kind == V_NONE || !pf_dim_expect(ck, node->child, g.dim, pf_dim_make(0, 1, -2), "gravity")) return;
    pf_vector_express(model, g.vector, 0, model->gravity);
    for (int k = 0; k < 3; k++)
      if (pf_contents(ck, model->gravity[k]) & ~(unsigned)(HAS_PARAMETER | HAS_TIME)) {
        pf_check_fail(ck, PF_ERR_MODEL, node->child, "gravity must not depend on the motion");
        return;
      }
    return;
  }
  Value e = pf_scalar_of(ck, scope, node->child, "an energy");
  if (e.kind == V_NONE) return;
  bool kinetic = !strcmp(node->text, "kinetic"), potential = !strcmp(node->text, "potential");
  Dim dim = kinetic || potential ? pf_dim_make(1, 2, -2) : pf_dim_make(1, 2, -3);
  const char *what = kinetic ? "the kinetic energy" : potential ? "the potential energy" : "the dissipation";
  if (!pf_dim_expect(ck, node->child, e.dim, dim, what)) return;
  if (!pf_check_no_equality(ck, node->child, pf_contents(ck, e.scalar), what)) return;
  unsigned forbidden = HAS_ACCELERATION | HAS_SPEED | HAS_MULTIPLIER | (potential ? HAS_VELOCITY : 0u);
  if (pf_contents(ck, e.scalar) & forbidden) {
    pf_check_fail(ck, PF_ERR_MODEL, node->child, "%s cannot depend on %s", what,
                  pf_contents(ck, e.scalar) & HAS_ACCELERATION ? "accelerations"
                  : pf_contents(ck, e.scalar) & HAS_VELOCITY && potential ? "velocities"
                                                                            : "speeds or multipliers");
    if (potential) pf_check_hint(ck, "velocity-dependent forces go into 'force' or 'dissipation'");
    return;
  }
  if (!kinetic && !potential && !(pf_contents(ck, e.scalar) & HAS_VELOCITY)) {
    pf_check_fail(ck, PF_ERR_MODEL, node->child, "the dissipation contains no velocity, so it brakes nothing");
    pf_check_hint(ck, "velocities are written with an apostrophe: x'");
    return;
  }
  PfExpr *sum = kinetic ? &model->kinetic : potential ? &model->potential : &model->dissipation;
  *sum = pf_expr_add(ck->ctx, *sum, e.scalar);
}

/* ---------------------------------------------------------------- bodies */

/* Moments that no body has. Zeros are for plane models, where only one of them matters. */
static bool is_possible_inertia(Checker *ck, const PfNode *node, const PfBody *body)
{
  double I[3], largest = 0;
  bool known = true;
  for (int k = 0; k < 3; k++) {
    I[k] = 0;
    known = pf_expr_is_number(ck->ctx, body->inertia[4*k], I + k) && known;
    largest = fmax(largest, fabs(I[k]));
  }
  for (int k = 0; k < 3; k++)
    if (!(I[k] >= -1e-8*largest)) /* as rounding leaves it, in the tree of the recursion too */
      return pf_check_refuse(ck, PF_ERR_MODEL, node, "a moment of inertia cannot be negative");
  for (int k = 0; k < 3 && known; k++)
    if (I[k] > (I[(k + 1)%3] + I[(k + 2)%3])*(1 + 1e-8) && I[(k + 1)%3] > 0 && I[(k + 2)%3] > 0)
      pf_warn_at(ck->ctx, pf_node_place(ck->source, node), "no body has the moments of inertia %g, %g, %g: none may be "
                 "larger than the sum of the others", I[0], I[1], I[2]);
  return true;
}

/* Mass, inertia and centre of mass, in the axes of the body. The inertia, about the centre of mass, is one moment for
 * all axes, diag(a, b, c) or all six entries. */
static bool read_body(Checker *ck, Scope *scope, const PfNode *block, PfBody *body)
{
  static const char *const keys[] = {"mass", "inertia", "com", NULL};
  if (!pf_check_properties(ck, block, keys)) return false;
  const PfNode *node = pf_property(block, "mass");
  if (node) {
    Value mass = pf_scalar_of(ck, scope, node, "a mass");
    if (mass.kind == V_NONE || !pf_dim_expect(ck, node, mass.dim, pf_dim_make(1, 0, 0), "a mass")) return false;
    double value;
    if (pf_expr_is_number(ck->ctx, mass.scalar, &value) && value < 0)
      return pf_check_refuse(ck, PF_ERR_MODEL, node, "a mass cannot be negative");
    body->mass = mass.scalar;
  }
  if ((node = pf_property(block, "inertia")) != NULL) {
    Value value = pf_value_of(ck, scope, node);
    if (value.kind == V_NONE) return false;
    if (value.kind != V_SCALAR && value.kind != V_MATRIX)
      return pf_check_refuse(ck, PF_ERR_MODEL, node,
                             "an inertia is a number, diag(a, b, c) or inertia(xx, yy, zz, xy, yz, xz)");
    for (int k = 0; k < 3 && value.kind == V_SCALAR; k++) body->inertia[4*k] = value.scalar;
    if (value.kind == V_MATRIX) memcpy(body->inertia, value.c, sizeof body->inertia);
    if (!is_possible_inertia(ck, node, body)) return false;
    if (!pf_dim_expect(ck, node, value.dim, pf_dim_make(1, 2, 0), "an inertia")) return false;
  }
  if ((node = pf_property(block, "com")) != NULL) {
    Value com = pf_vector_of(ck, scope, node, "a centre of mass");
    if (com.kind == V_NONE || !pf_dim_expect(ck, node, com.dim, pf_dim_make(0, 1, 0), "a position")) return false;
    if (com.plain) memcpy(body->com, com.c, sizeof body->com);
    else pf_vector_express(ck->model, com.vector, body->frame, body->com);
  }
  unsigned contents = pf_contents(ck, body->mass);
  for (int k = 0; k < 9; k++) contents |= pf_contents(ck, body->inertia[k]);
  for (int k = 0; k < 3; k++) contents |= pf_contents(ck, body->com[k]);
  return !(contents & HAS_MOTION) ||
         pf_check_refuse(ck, PF_ERR_MODEL, block,
                         "mass, inertia and centre of mass of a body are constant in its frame");
}

/* Places the frame and, for a body, reads mass, inertia and centre of mass. */
static void check_frame(Checker *ck, Scope *scope, const PfNode *node)
{
  const PfNode *label = node->child;
  const char *name = pf_label_name(ck, scope, label);
  Entity *entity = name ? pf_scope_find(scope, name) : NULL;
  if (!entity || entity->value != node || !pf_resolve(ck, entity, label)) return;
  if (entity->ball) pf_add_norm(ck, entity->ball - 1, label);
  if (entity->release) pf_add_norm(ck, entity->release - 1, label);
  const PfNode *block = pf_child_of_kind(node, PF_N_BLOCK);
  if (strcmp(node->text, "body") || !block) return;
  PfBody body = {.name = entity->name, .frame = entity->result.frame, .mass = pf_expr_int(ck->ctx, 0)};
  body.place = pf_model_place(ck, label);
  for (int k = 0; k < 9; k++) body.inertia[k] = pf_expr_int(ck->ctx, 0);
  for (int k = 0; k < 3; k++) body.com[k] = pf_expr_int(ck->ctx, 0);
  if (read_body(ck, scope, block, &body) && !pf_push(ck->allocator, &ck->bodies, body)) pf_check_no_memory(ck);
}

/* ---------------------------------------------------------------- names and the rest */

static void check_model(Checker *ck, const PfNode *node)
{
  const PfNode *title = pf_child_of_kind(node, PF_N_STRING);
  if (ck->model->name[0]) {
    pf_check_fail(ck, PF_ERR_NAME, node, "the model already has the name '%s'", ck->model->name);
    return;
  }
  ck->model->name = pf_print_text(ck, "%s", node->child->text);
  if (title) ck->model->title = pf_print_text(ck, "%s", title->text);
}

static void check_declaration(Checker *ck, Scope *scope, const PfNode *node)
{
  for (const PfNode *item = node->child; item; item = item->next) {
    Entity *entity = pf_scope_find(scope, item->text);
    if (!entity || entity->node != item) continue; /* a duplicate: already reported */
    for (int i = 1; entity->kind == E_ARRAY && i <= entity->size; i++) {
      Entity *element = pf_scope_find(scope, pf_print_text(ck, "%s[%d]", item->text, i));
      if (element) (void)pf_resolve(ck, element, item);
    }
    if (entity->kind != E_ARRAY) (void)pf_resolve(ck, entity, item);
  }
}

void pf_check_statement(Checker *ck, Scope *scope, const PfNode *node)
{
  switch (node->kind) {
  case PF_N_MODEL: check_model(ck, node); break;
  case PF_N_DECLARE: check_declaration(ck, scope, node); break;
  case PF_N_ENERGY: check_energy(ck, scope, node); break;
  case PF_N_FRAME:
  case PF_N_POINT: check_frame(ck, scope, node); break;
  case PF_N_ASSIGNS: pf_check_assignments(ck, scope, node); break;
  case PF_N_FORCE: pf_check_force(ck, scope, node); break;
  case PF_N_SPRING: pf_check_spring(ck, scope, node); break;
  case PF_N_CONSTRAINT: pf_check_constraint(ck, scope, node); break;
  case PF_N_ROLL: pf_check_roll(ck, scope, node); break;
  case PF_N_SKATE: pf_check_skate(ck, scope, node); break;
  case PF_N_WHEN: pf_check_when(ck, scope, node); break;
  case PF_N_ACTION:
    pf_check_fail(ck, PF_ERR_MODEL, node, "'%s' belongs inside an event", node->text);
    pf_check_hint(ck, "for example: when t = 5 { lock elbow }");
    break;
  case PF_N_RUN: pf_check_run(ck, scope, node); break;
  case PF_N_PLOT: pf_check_plot(ck, scope, node); break;
  case PF_N_DRAW: pf_check_draw(ck, scope, node); break;
  default: break;
  }
}
