/* What an expression of the text means: a number, a vector, a frame, … with its dimension. */
#include "lang/check_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* MOST_EFFORT counts the expressions that are read again and again, beyond those in the text. */
enum { MOST_EFFORT = 5*1000*1000, DEEPEST = 400 };

/* ---------------------------------------------------------------- making values */

Value pf_no_value(void)
{
  return (Value){.kind = V_NONE};
}

Value pf_scalar_value(PfExpr e, Dim dim)
{
  return (Value){.kind = V_SCALAR, .scalar = e, .dim = dim};
}

Value pf_vector_value(PfVector v, Dim dim)
{
  return (Value){.kind = V_VECTOR, .vector = v, .dim = dim};
}

const char *pf_kind_text(ValueKind kind)
{
  static const char *const words[] = {"nothing", "a number", "a condition", "a vector",
                                      "a body or frame", "a point", "a matrix", "a text"};
  return words[kind];
}

/* The text of a number as an exact rational when it fits: 0.016 is 2/125. */
static PfExpr read_number(Checker *ck, const PfNode *node)
{
  int64_t num = 0;
  int exponent = 0;
  bool fits = true, point = false;
  const char *at = node->text;
  for (; *at && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    if (num > (INT64_MAX - 9)/10) fits = false;
    else num = 10*num + (*at - '0');
    exponent -= point;
  }
  if (*at) {
    long given = strtol(at + 1, NULL, 10);
    if (given > 400 || given < -400) fits = false;
    else exponent += (int)given;
  }
  for (; num && exponent < 0 && num%10 == 0; exponent++) num /= 10;
  int64_t power = 1;
  for (int k = 0; fits && k < (exponent < 0 ? -exponent : exponent); k++) {
    if (power > INT64_MAX/10) fits = false;
    else power *= 10;
  }
  if (fits && exponent > 0 && num > INT64_MAX/power) fits = false;
  if (fits) return exponent < 0 ? pf_expr_rational(ck->ctx, num, power) : pf_expr_int(ck->ctx, num*power);
  return pf_expr_double(ck->ctx, strtod(node->text, NULL));
}

/* Is there a digit but zero before the exponent? */
static bool has_digits(const char *text)
{
  char first = text[strcspn(text, "123456789eE")];
  return first >= '1' && first <= '9';
}

static Value value_of_number(Checker *ck, const PfNode *node)
{
  PfExpr e = read_number(ck, node);
  if (pf_expr_is_structural_zero(ck->ctx, e) && has_digits(node->text)) {
    pf_check_fail(ck, PF_ERR_NUMBER, node, "the number %.40s is too small to be told apart from 0", node->text);
    return pf_no_value();
  }
  if (e != PF_EXPR_NONE) return pf_scalar_value(e, pf_dim_bare());
  int before = pf_diagnostic_count(ck->ctx);
  PfStatus status = pf_expr_check(ck->ctx);
  pf_diagnostics_cut(ck->ctx, before);
  if (status == PF_ERR_MEMORY) pf_check_no_memory(ck);
  else pf_check_fail(ck, PF_ERR_NUMBER, node, "the number %.40s is too large", node->text);
  return pf_no_value();
}

bool pf_unit_of(Checker *ck, const PfNode *node, PfUnit *unit)
{
  if (pf_check_stopped(ck) || pf_check_is_known(ck, PF_ERR_UNIT, node)) return false;
  return pf_unit_parse(ck->ctx, pf_node_place(ck->source, node), node->text, unit) == PF_OK;
}

/* Factor of a unit to SI as an exact expression. */
static PfExpr unit_factor(PfContext *ctx, const PfUnit *unit)
{
  PfExpr factor = unit->exact ? pf_expr_rational(ctx, unit->scale_num, unit->scale_den)
                              : pf_expr_double(ctx, unit->scale);
  if (!unit->exact || unit->pi_power == 0) return factor;
  return pf_expr_mul(ctx, factor, pf_expr_pow_int(ctx, pf_expr_pi(ctx), unit->pi_power));
}

Value pf_value_times_unit(Checker *ck, Value value, const PfUnit *unit)
{
  PfExpr factor = unit_factor(ck->ctx, unit);
  value.dim = (Dim){.known = true, .of = unit->dimension};
  if (value.kind == V_SCALAR) value.scalar = pf_expr_mul(ck->ctx, value.scalar, factor);
  if (value.kind == V_VECTOR) value.vector = pf_vector_scale(ck->model, value.vector, factor);
  for (int k = 0; value.plain && k < 3; k++) value.c[k] = pf_expr_mul(ck->ctx, value.c[k], factor);
  return value;
}

static Value value_with_unit(Checker *ck, Scope *scope, const PfNode *node)
{
  Value number = pf_scalar_of(ck, scope, node->child, "a number before a unit");
  PfUnit unit;
  if (number.kind == V_NONE) return number;
  if (!pf_unit_of(ck, node, &unit)) return pf_no_value();
  if (!pf_dim_is_loose(number.dim)) { /* (3 [m]) [kg]: it has a unit already, which must be of the same kind */
    Dim dim = {.known = true, .of = unit.dimension};
    return pf_dim_expect(ck, node->child, number.dim, dim, "this value") ? number : pf_no_value();
  }
  return pf_value_times_unit(ck, number, &unit);
}

/* Is there a unit in the expression that is no SI unit? pi/6 [rad] is the same number either way up. */
static bool is_scaled(Checker *ck, const PfNode *node)
{
  PfUnit unit;
  if (node->kind == PF_N_UNIT && pf_unit_of(ck, node, &unit) && unit.scale != 1) return true;
  for (const PfNode *child = node->child; child; child = child->next)
    if (is_scaled(ck, child)) return true;
  return false;
}

bool pf_is_upside_down(Checker *ck, const PfNode *node, Dim found, Dim expected)
{
  if (!found.known || found.bare || found.of.power[PF_BASE_RAD] >= 0 || expected.of.power[PF_BASE_RAD] < 0) return false;
  if (!is_scaled(ck, node)) return false;
  pf_check_fail(ck, PF_ERR_UNIT, node, "this divides by an angle");
  pf_check_hint(ck, "a unit belongs to the number before it: write (2*pi/3) [deg]");
  return true;
}

/* In a model N m/rad are taken for N m where the angle is a number: only a mere number over an angle is meant the other way up. */
static bool is_number_over_angle(Checker *ck, Value value)
{
  PfDimension of = value.dim.of;
  of.power[PF_BASE_RAD] = 0;
  return pf_dimension_is_none(of) && !pf_contents(ck, value.scalar);
}

Value pf_value_in_unit(Checker *ck, const PfNode *node, Value value, const Entity *entity)
{
  if (value.kind != V_SCALAR && value.kind != V_VECTOR) return value;
  if (pf_dim_is_loose(value.dim) && entity->has_unit) {
    value = pf_value_times_unit(ck, value, &entity->unit);
    value.dim = entity->dim; /* of x' with the unit of x: per second */
  }
  if (!pf_dim_expect(ck, node, value.dim, entity->dim, pf_print_text(ck, "'%s'", entity->name))) return pf_no_value();
  if (value.kind == V_SCALAR && is_number_over_angle(ck, value) && pf_is_upside_down(ck, node, value.dim, entity->dim)) return pf_no_value();
  return value;
}

/* ---------------------------------------------------------------- what an expression contains */

static uint8_t contents_of_operands(const Checker *ck, PfExpr e)
{
  uint8_t contents = 0;
  int count = e ? pf_expr_arg_count(ck->ctx, e) : 0;
  for (int i = 0; i < count; i++) contents |= ck->classes.at[pf_expr_arg(ck->ctx, e, i)];
  return contents;
}

void pf_set_contents(Checker *ck, PfExpr symbol, unsigned contents)
{
  if (symbol == PF_EXPR_NONE || pf_contents(ck, symbol) == contents || ck->out_of_memory) return;
  ck->classes.at[symbol] = (uint8_t)contents;
  for (PfExpr k = symbol + 1; k < ck->classes.count; k++) /* what was built of it is looked at again */
    if (pf_expr_op(ck->ctx, k) != PF_OP_SYMBOL) ck->classes.at[k] = contents_of_operands(ck, k);
}

unsigned pf_contents(Checker *ck, PfExpr e)
{
  for (PfExpr k = (PfExpr)ck->classes.count; k <= e; k++) {
    if (!pf_push(ck->allocator, &ck->classes, contents_of_operands(ck, k))) {
      pf_check_no_memory(ck);
      return 0;
    }
  }
  return ck->classes.at[e];
}

/* ---------------------------------------------------------------- entities */

static Value value_of_symbol(PfExpr symbol, Dim dim)
{
  return pf_scalar_value(symbol, dim);
}

/* A contact or a vector equation has several rows, each with its own multiplier. */
static Value constraint_is_no_value(Checker *ck, const Entity *entity, const PfNode *node)
{
  size_t length = strlen(entity->name);
  const char *row = NULL;
  for (size_t i = ck->constraints.count; i-- > 0;) {
    const char *name = ck->constraints.at[i].name;
    if (!strncmp(name, entity->name, length) && name[length] == '.') row = name;
  }
  pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a constraint, not a value", entity->name);
  if (row) pf_check_hint(ck, "it has several rows, and each its multiplier: lambda[%s], for example", row);
  else pf_check_hint(ck, "its multiplier is written lambda[%s]", entity->name);
  return pf_no_value();
}

Value pf_value_of_entity(Checker *ck, Entity *entity, const PfNode *node)
{
  if (!pf_resolve(ck, entity, node)) return pf_no_value();
  switch (entity->kind) {
  case E_PARAM: return value_of_symbol(ck->parameters.at[entity->index].symbol, entity->dim);
  case E_COORD: return value_of_symbol(ck->coordinates.at[entity->index].q, entity->dim);
  case E_INPUT: return value_of_symbol(ck->inputs.at[entity->index].symbol, entity->dim);
  case E_SPEED: return value_of_symbol(ck->speeds.at[entity->index].symbol, entity->dim);
  case E_LET:
  case E_VALUE:
  case E_FRAME:
  case E_POINT: return entity->result;
  case E_ARRAY:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a list: write %s[1] to %s[%d]", entity->name,
                         entity->name, entity->name, entity->size);
  case E_FUNCTION:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a function and needs arguments: %s(…)", entity->name,
                         entity->name);
  case E_PART:
  case E_SPACE:
    return pf_check_fail(ck, PF_ERR_NAME, node, "'%s' is a part, not a value", entity->name);
  case E_CONSTRAINT: return constraint_is_no_value(ck, entity, node);
  }
  return pf_no_value();
}

static bool is_axis_name(const char *name)
{
  return name[0] >= 'x' && name[0] <= 'z' && name[1] == 0;
}

static Value value_of_name(Checker *ck, Scope *scope, const PfNode *node)
{
  PfContext *ctx = ck->ctx;
  if (!strcmp(node->text, "pi")) return pf_scalar_value(pf_expr_pi(ctx), pf_dim_bare());
  if (!strcmp(node->text, "t")) return pf_scalar_value(ck->model->time, (Dim){.timed = true}); /* sin(t) */
  if (!strcmp(node->text, "ground")) return (Value){.kind = V_FRAME, .frame = 0};
  if (!strcmp(node->text, "lambda")) {
    pf_check_fail(ck, PF_ERR_NAME, node, "a multiplier is written with the name of its constraint: lambda[c]");
    return pf_no_value();
  }
  Value shown;
  if (pf_value_of_shown(ck, scope, node, &shown)) return shown;
  Entity *entity = pf_scope_lookup(ck, scope, node);
  return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
}

/* What a member of a dotted name stands for in full: a body after another one (A.B.x of 'attach A to B'), a coordinate after
 * drive. Everything else is as it is written. */
static const char *member_name(Scope *scope, const Entity *outer, const char *before, const char *spelt)
{
  const Entity *own = pf_scope_find(scope, spelt);
  bool body = outer && outer->kind == E_FRAME && own && own->kind == E_FRAME;
  bool driven = !outer && !strcmp(before, "drive") && own && own->kind == E_COORD;
  return body || driven ? own->name : spelt;
}

/* The full name of a constraint: rear, wheel[2].side, left.rear, drive.theta, probe.bus.x. Rows need not have an entity, and
 * those of attachments are not even made yet: whether it exists is looked at when all are known. */
static const char *constraint_name(Checker *ck, Scope *scope, const PfNode *node, const Entity **entity)
{
  *entity = NULL;
  if (node->kind == PF_N_MEMBER) {
    const Entity *outer;
    const char *before = constraint_name(ck, scope, node->child, &outer);
    const char *spelt = before ? pf_spell_member(ck, scope, node) : NULL;
    return spelt ? pf_print_text(ck, "%s.%s", before, member_name(scope, outer, before, spelt)) : NULL;
  }
  if (node->kind != PF_N_NAME && node->kind != PF_N_INDEX) {
    pf_check_fail(ck, PF_ERR_NAME, node, "the name of a constraint is expected here");
    return NULL;
  }
  const char *name = pf_spell_name(ck, scope, node);
  *entity = name ? pf_scope_find(scope, name) : NULL;
  return *entity ? (*entity)->name : name; /* c1, c2, drive.theta … have none */
}

const char *pf_spell_constraint(Checker *ck, Scope *scope, const PfNode *node)
{
  const Entity *entity;
  return constraint_name(ck, scope, node, &entity);
}

/* lambda[rear]: the multiplier of a constraint, which may be declared further down. */
static Value value_of_multiplier(Checker *ck, Scope *scope, const PfNode *node)
{
  const char *name = pf_spell_constraint(ck, scope, node->child);
  if (!name) return pf_no_value();
  name = pf_print_text(ck, "%s", name);
  PfExpr symbol = pf_expr_symbol(ck->ctx, pf_print_text(ck, "lambda[%s]", name));
  pf_set_contents(ck, symbol, HAS_MULTIPLIER);
  if (!pf_push(ck->allocator, &ck->multiplier_uses, (MultiplierUse){node, name, "lambda"})) pf_check_no_memory(ck);
  for (size_t i = 0; i < ck->constraints.count; i++)
    if (ck->constraints.at[i].multiplier == symbol) return pf_scalar_value(symbol, ck->multiplier_dims.at[i]);
  return pf_scalar_value(symbol, pf_dim_unknown()); /* declared further down */
}

static Value axis_of_frame(Checker *ck, int frame, int i)
{
  PfExpr c[3];
  for (int k = 0; k < 3; k++) c[k] = pf_expr_int(ck->ctx, k == i);
  return pf_vector_value(pf_vector_make(ck->model, frame, c), pf_dim_bare()); /* 2*b.z may be a torque */
}

static Value value_of_member(Checker *ck, Scope *scope, const PfNode *node)
{
  if (pf_scope_find_used(ck, scope, node->child)) {
    Entity *entity = pf_scope_lookup(ck, scope, node);
    return entity ? pf_value_of_entity(ck, entity, node) : pf_no_value();
  }
  Entity *joint = pf_find_joint(ck, scope, node->child);
  if (joint && !is_axis_name(node->text)) return pf_value_of_joint(ck, scope, joint, node);
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  bool axis = is_axis_name(node->text) && !node->child->next;
  if (value.kind == V_FRAME && axis) return axis_of_frame(ck, value.frame, node->text[0] - 'x');
  if (value.kind == V_VECTOR && axis) {
    PfExpr c[3];
    pf_vector_express(ck->model, value.vector, 0, c);
    return pf_scalar_value(c[node->text[0] - 'x'], value.dim);
  }
  pf_check_fail(ck, PF_ERR_NAME, node, "%s has no part '%s'", pf_kind_text(value.kind), node->text);
  if (value.kind == V_FRAME) pf_check_hint(ck, "a frame has the axes .x, .y and .z");
  return pf_no_value();
}

/* ---------------------------------------------------------------- sums and products */

static bool is_zero(Checker *ck, Value value)
{
  return value.kind == V_SCALAR && pf_expr_is_int(ck->ctx, value.scalar, 0);
}

/* The dimension of a sum so far with one more term; reports a mismatch. */
static bool join_dims(Checker *ck, const PfNode *node, Dim *sum, Value term, bool first, const char *verb)
{
  if (is_zero(ck, term)) return true;
  bool plain = term.kind == V_VECTOR && (sum->bare || term.dim.bare); /* (0.1, 0, 0) fits everywhere, and is in SI */
  if (first || plain) {
    if (first || sum->bare) *sum = term.dim;
    return true;
  }
  if (!sum->known || !term.dim.known) { /* a number beside a name without a unit says nothing about the unit */
    Dim other = sum->known ? *sum : term.dim;
    *sum = other.known && !other.bare ? other : pf_dim_unknown_of(*sum, term.dim);
    return true;
  }
  if (pf_dimension_equal(sum->of, term.dim.of)) {
    sum->bare = sum->bare && term.dim.bare;
    return true;
  }
  pf_check_fail(ck, PF_ERR_UNIT, node, "cannot %s %s and %s", verb, pf_dim_text(ck, *sum),
                pf_dim_text(ck, term.dim));
  if (term.dim.bare)
    pf_check_hint(ck, "give the number its unit, as in 0.5 [%s]", pf_dim_text(ck, *sum));
  return false;
}

static int child_count(const PfNode *node)
{
  int count = 0;
  for (const PfNode *child = node->child; child; child = child->next) count++;
  return count;
}

/* Adds one term to the running sum of its kind; false after an error. */
typedef struct Adding {
  ValueKind kind;
  Dim dim;
  PfExpr *scalars;
  int count;
  PfVector vector;
  PfExpr matrix[9];
} Adding;

static bool add_term(Checker *ck, Adding *sum, const PfNode *node, Value term)
{
  PfContext *ctx = ck->ctx;
  bool first = sum->kind == V_NONE;
  if (!first && sum->kind != term.kind) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "cannot add %s and %s", pf_kind_text(sum->kind),
                  pf_kind_text(term.kind));
    return false;
  }
  if (!join_dims(ck, node, &sum->dim, term, first, "add")) return false;
  sum->kind = term.kind;
  PfExpr sign = pf_expr_int(ctx, node->flag ? -1 : 1);
  if (term.kind == V_SCALAR) {
    sum->scalars[sum->count++] = node->flag ? pf_expr_neg(ctx, term.scalar) : term.scalar;
  } else if (term.kind == V_VECTOR) {
    sum->vector = pf_vector_add(ck->model, sum->vector, pf_vector_scale(ck->model, term.vector, sign));
  } else if (term.kind == V_MATRIX) {
    for (int k = 0; k < 9; k++) {
      PfExpr entry = pf_expr_mul(ctx, sign, term.c[k]);
      sum->matrix[k] = first ? entry : pf_expr_add(ctx, sum->matrix[k], entry);
    }
  } else {
    pf_check_fail(ck, PF_ERR_MODEL, node, "%s cannot be added", pf_kind_text(term.kind));
    return false;
  }
  return true;
}

/* Nothing added up is the number 0. */
static Value total(Checker *ck, const Adding *sum)
{
  if (sum->kind == V_NONE) return pf_scalar_value(pf_expr_int(ck->ctx, 0), pf_dim_bare());
  if (sum->kind == V_SCALAR) return pf_scalar_value(pf_expr_sum(ck->ctx, sum->scalars, sum->count), sum->dim);
  if (sum->kind == V_VECTOR) return pf_vector_value(sum->vector, sum->dim);
  Value matrix = {.kind = V_MATRIX, .dim = sum->dim};
  memcpy(matrix.c, sum->matrix, sizeof sum->matrix);
  return matrix;
}

static Value add_terms(Checker *ck, Scope *scope, const PfNode *node)
{
  Adding sum = {.scalars = pf_arena_array(ck->arena, PfExpr, child_count(node))};
  if (!sum.scalars) {
    pf_check_no_memory(ck);
    return pf_no_value();
  }
  bool good = true; /* after an error the other terms are looked at as well */
  for (const PfNode *child = node->child; child; child = child->next) {
    Value term = pf_value_of(ck, scope, child->child);
    good = term.kind != V_NONE && good;
    good = good && add_term(ck, &sum, child, term);
  }
  return good ? total(ck, &sum) : pf_no_value();
}

static Value value_of_sum(Checker *ck, Scope *scope, const PfNode *node)
{
  PfMark mark = pf_arena_mark(ck->arena);
  Value sum = add_terms(ck, scope, node);
  pf_arena_release(ck->arena, mark);
  return sum;
}

/* product * factor, or product / factor. */
static Value multiply(Checker *ck, const PfNode *node, Value a, Value b)
{
  PfContext *ctx = ck->ctx;
  if (a.kind != V_SCALAR && b.kind == V_SCALAR) {
    Value swap = a;
    a = b;
    b = swap;
  }
  Dim dim = pf_dim_multiply(a.dim, b.dim);
  if (a.kind != V_SCALAR) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "%s and %s cannot be multiplied", pf_kind_text(a.kind),
                  pf_kind_text(b.kind));
    if (a.kind == V_VECTOR && b.kind == V_VECTOR) pf_check_hint(ck, "write dot(a, b) or cross(a, b)");
    return pf_no_value();
  }
  if (b.kind == V_SCALAR) return pf_scalar_value(pf_expr_mul(ctx, a.scalar, b.scalar), dim);
  if (b.kind == V_VECTOR) return pf_vector_value(pf_vector_scale(ck->model, b.vector, a.scalar), dim);
  if (b.kind != V_MATRIX)
    return pf_check_fail(ck, PF_ERR_MODEL, node, "%s cannot be multiplied", pf_kind_text(b.kind));
  for (int k = 0; k < 9; k++) b.c[k] = pf_expr_mul(ctx, a.scalar, b.c[k]);
  b.dim = dim;
  return b;
}

static Value divide(Checker *ck, const PfNode *node, Value a, Value b)
{
  if (b.kind != V_SCALAR) return pf_check_fail(ck, PF_ERR_MODEL, node, "cannot divide by %s", pf_kind_text(b.kind));
  if (is_zero(ck, b)) return pf_check_fail(ck, PF_ERR_NUMBER, node, "division by zero");
  b.scalar = pf_expr_pow_int(ck->ctx, b.scalar, -1);
  b.dim = pf_dim_divide(pf_dim_bare(), b.dim);
  return multiply(ck, node, a, b);
}

/* Scalars are gathered and multiplied at once: a product of a million factors stays linear. */
static Value multiply_factors(Checker *ck, Scope *scope, const PfNode *node)
{
  PfExpr *scalars = pf_arena_array(ck->arena, PfExpr, child_count(node) + 1);
  if (!scalars) {
    pf_check_no_memory(ck);
    return pf_no_value();
  }
  int count = 0;
  bool good = true; /* after an error the other factors are looked at as well */
  Dim dim = pf_dim_bare();
  Value one = pf_scalar_value(pf_expr_int(ck->ctx, 1), pf_dim_bare()), other = pf_no_value();
  for (const PfNode *child = node->child; child; child = child->next) {
    Value factor = pf_value_of(ck, scope, child->child);
    if (child->flag && factor.kind != V_NONE) factor = divide(ck, child, one, factor);
    good = factor.kind != V_NONE && good;
    if (!good) continue;
    if (factor.kind == V_SCALAR) {
      scalars[count++] = factor.scalar;
      dim = pf_dim_multiply(dim, factor.dim);
    } else {
      other = other.kind == V_NONE ? factor : multiply(ck, child, other, factor);
      good = other.kind != V_NONE;
    }
  }
  if (!good) return pf_no_value();
  Value scalar = pf_scalar_value(pf_expr_product(ck->ctx, scalars, count), dim);
  return other.kind == V_NONE ? scalar : multiply(ck, node, scalar, other);
}

static Value value_of_product(Checker *ck, Scope *scope, const PfNode *node)
{
  PfMark mark = pf_arena_mark(ck->arena);
  Value product = multiply_factors(ck, scope, node);
  pf_arena_release(ck->arena, mark);
  return product;
}

static Value value_of_power(Checker *ck, Scope *scope, const PfNode *node)
{
  Value base = pf_scalar_of(ck, scope, node->child, "the base of a power");
  Value exponent = pf_scalar_of(ck, scope, node->child->next, "an exponent");
  if (base.kind == V_NONE || exponent.kind == V_NONE) return pf_no_value();
  if (!pf_dim_expect(ck, node->child->next, exponent.dim, pf_dim_none(), "an exponent")) return pf_no_value();
  int64_t num, den;
  Dim dim = base.dim;
  bool rational = pf_expr_is_rational(ck->ctx, exponent.scalar, &num, &den);
  if (is_zero(ck, base) && rational && num < 0) return pf_check_fail(ck, PF_ERR_NUMBER, node, "division by zero");
  if (dim.known && rational) {
    if (!pf_dimension_power(dim.of, num, den, &dim.of)) dim = pf_dim_unknown();
  } else if (dim.known && !pf_dimension_is_none(dim.of)) {
    return pf_check_fail(ck, PF_ERR_UNIT, node, "%s cannot be raised to a power that is not a number",
                         pf_dim_text(ck, dim));
  }
  return pf_scalar_value(pf_expr_pow(ck->ctx, base.scalar, exponent.scalar), dim);
}

/* ---------------------------------------------------------------- the rest */

static Value value_of_prime(Checker *ck, Scope *scope, const PfNode *node)
{
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  if (value.kind != V_SCALAR) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "%s has no derivative here", pf_kind_text(value.kind));
    if (value.kind == V_POINT || value.kind == V_FRAME) pf_check_hint(ck, "write vel(…) or omega(…)");
    return pf_no_value();
  }
  for (int k = 0; k < node->flag; k++) {
    unsigned contents = pf_contents(ck, value.scalar);
    if (contents & (HAS_ACCELERATION | HAS_SPEED | HAS_MULTIPLIER)) {
      pf_check_fail(ck, PF_ERR_MODEL, node, "a derivative that this version does not have: only coordinates "
                    "and what is made of them can be differentiated, at most twice");
      return pf_no_value();
    }
    if (!pf_sync_coordinates(ck) ||
        pf_model_time_derivative(ck->model, &value.scalar, 1, &value.scalar) != PF_OK) return pf_no_value();
    value.dim = pf_dim_rate(value.dim);
  }
  return value;
}

static Value value_of_vector(Checker *ck, Scope *scope, const PfNode *node)
{
  Value result = {.kind = V_VECTOR, .plain = true};
  int i = 0;
  if (node->child->next->next->next) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "a vector has three components, this one has 4");
    pf_check_hint(ck, "only the start of a quaternion has four: start hub.q = (1, 0, 0, 0)");
    return pf_no_value();
  }
  bool first = true; /* bare numbers beside others are in SI, as in (0.2, 0, R) */
  result.dim = pf_dim_bare();
  for (const PfNode *child = node->child; child && i < 3; child = child->next, i++) {
    Value c = pf_scalar_of(ck, scope, child, "a component of a vector");
    if (c.kind == V_NONE) return c;
    if (!c.dim.bare && !join_dims(ck, child, &result.dim, c, first, "put into one vector")) return pf_no_value();
    first = first && c.dim.bare;
    result.c[i] = c.scalar;
  }
  result.vector = pf_vector_make(ck->model, 0, result.c);
  return result;
}

static Value value_of_compare(Checker *ck, Scope *scope, const PfNode *node)
{
  Value left = pf_scalar_of(ck, scope, node->child, "the left side of a comparison");
  Value right = pf_scalar_of(ck, scope, node->child->next, "the right side of a comparison");
  if (left.kind == V_NONE || right.kind == V_NONE) return pf_no_value();
  Dim dim = left.dim;
  if (!is_zero(ck, left) && !join_dims(ck, node, &dim, right, false, "compare")) return pf_no_value();
  bool swap = node->text[0] == '>';
  PfOp op = !strcmp(node->text, "==") ? PF_OP_EQUAL : node->text[1] == '=' ? PF_OP_LESS_EQUAL : PF_OP_LESS;
  PfExpr e = pf_expr_call2(ck->ctx, op, swap ? right.scalar : left.scalar, swap ? left.scalar : right.scalar);
  return (Value){.kind = V_CONDITION, .scalar = e};
}

static Value value_of_logic(Checker *ck, Scope *scope, const PfNode *node)
{
  PfExpr args[2] = {PF_EXPR_NONE};
  int i = 0;
  for (const PfNode *child = node->child; child && i < 2; child = child->next, i++) {
    Value value = pf_value_of(ck, scope, child);
    if (value.kind == V_NONE) return value;
    if (value.kind != V_CONDITION)
      return pf_check_fail(ck, PF_ERR_MODEL, child, "a condition is expected here, this is %s",
                           pf_kind_text(value.kind));
    args[i] = value.scalar;
  }
  PfOp op = node->kind == PF_N_AND ? PF_OP_AND : node->kind == PF_N_OR ? PF_OP_OR : PF_OP_NOT;
  return (Value){.kind = V_CONDITION, .scalar = pf_expr_call(ck->ctx, op, args)};
}

static Value value_of_negation(Checker *ck, Scope *scope, const PfNode *node)
{
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  Value minus = pf_scalar_value(pf_expr_int(ck->ctx, -1), pf_dim_bare());
  return multiply(ck, node, minus, value);
}

static Value add_up(Checker *ck, Scope *scope, const PfNode *node, int64_t first, int64_t last)
{
  size_t count = last < first ? 0 : (size_t)(last - first + 1);
  PfNode term_node = *node->child->next; /* its flag has another meaning */
  term_node.flag = 0;
  Adding sum = {.scalars = pf_arena_array(ck->arena, PfExpr, count)};
  Entity *variable = pf_scope_bind(ck, scope, node, node->text, pf_no_value());
  if (!sum.scalars) pf_check_no_memory(ck);
  if (!variable || !sum.scalars) return pf_no_value();
  for (int64_t i = first; i <= last; i++) {
    variable->result = pf_scalar_value(pf_expr_int(ck->ctx, i), pf_dim_bare());
    Value term = pf_value_of(ck, scope, node->child->next);
    if (term.kind == V_NONE || !add_term(ck, &sum, &term_node, term)) return pf_no_value();
  }
  return total(ck, &sum);
}

/* sum(i in 1..3, expr) */
static Value value_of_sum_over(Checker *ck, Scope *scope, const PfNode *node)
{
  enum { MOST = 100000 };
  const PfNode *range = node->child;
  int64_t first, last;
  if (!pf_integer_of(ck, scope, range->child, "the first number of a range", -MOST, MOST, &first) ||
      !pf_integer_of(ck, scope, range->child->next, "the last number of a range", -MOST, MOST, &last))
    return pf_no_value();
  Visit visit = pf_scope_enter(ck, scope);
  Value sum = visit.scope ? add_up(ck, visit.scope, node, first, last) : pf_no_value();
  pf_scope_leave(ck, &visit);
  return sum;
}

static Value dispatch(Checker *ck, Scope *scope, const PfNode *node)
{
  switch (node->kind) {
  case PF_N_NUMBER: return value_of_number(ck, node);
  case PF_N_STRING: return (Value){.kind = V_WORD, .word = node->text};
  case PF_N_NAME: return value_of_name(ck, scope, node);
  case PF_N_INDEX:
    if (!strcmp(node->text, "lambda")) return value_of_multiplier(ck, scope, node);
    if (pf_is_shown_name(ck, scope, node, "violation")) return pf_value_of_violation(ck, scope, node);
    return value_of_name(ck, scope, node);
  case PF_N_CALL: return pf_value_of_call(ck, scope, node);
  case PF_N_SUMOVER: return value_of_sum_over(ck, scope, node);
  case PF_N_PRIME: return value_of_prime(ck, scope, node);
  case PF_N_MEMBER: return value_of_member(ck, scope, node);
  case PF_N_UNIT: return value_with_unit(ck, scope, node);
  case PF_N_NEGATE: return value_of_negation(ck, scope, node);
  case PF_N_SUM: return value_of_sum(ck, scope, node);
  case PF_N_PRODUCT: return value_of_product(ck, scope, node);
  case PF_N_POWER: return value_of_power(ck, scope, node);
  case PF_N_COMPARE: return value_of_compare(ck, scope, node);
  case PF_N_AND:
  case PF_N_OR:
  case PF_N_NOT: return value_of_logic(ck, scope, node);
  case PF_N_VECTOR: return value_of_vector(ck, scope, node);
  default: return pf_check_fail(ck, PF_ERR_SYNTAX, node, "an expression is expected here");
  }
}

/* A failure inside the expression table (memory, division by zero that came out of cancellation) is said
 * here, where the place is known. */
static Value settle(Checker *ck, const PfNode *node, Value value)
{
  bool bad = (value.kind == V_SCALAR || value.kind == V_CONDITION) && value.scalar == PF_EXPR_NONE;
  bool lost = value.kind == V_VECTOR && value.vector.count < 0; /* a vector fails without memory only */
  if (!bad && !lost) return value;
  if (lost) pf_check_no_memory(ck);
  else if (pf_check_expressions(ck, node)) pf_check_fail(ck, PF_ERR_MODEL, node, "this expression cannot be built");
  return pf_no_value();
}

bool pf_check_expressions(Checker *ck, const PfNode *node)
{
  int before = pf_diagnostic_count(ck->ctx);
  PfStatus status = pf_expr_check(ck->ctx);
  if (status == PF_OK) return true;
  const char *cause = pf_print_text(ck, "%s", pf_context_message(ck->ctx));
  pf_diagnostics_cut(ck->ctx, before);
  pf_check_fail(ck, status, node, "%s", cause);
  return false;
}

Value pf_value_of(Checker *ck, Scope *scope, const PfNode *node)
{
  if (pf_check_stopped(ck)) return pf_no_value();
  if (++ck->effort > MOST_EFFORT + (long)ck->source->count) {
    pf_check_give_up(ck, node, "the parts, sums and functions of this model multiply to more than %d million "
                     "expressions", MOST_EFFORT/1000000);
    return pf_no_value();
  }
  if (ck->depth >= DEEPEST) {
    pf_check_fail(ck, PF_ERR_LIMIT, node, "definitions refer to each other more than %d deep", DEEPEST);
    pf_check_hint(ck, "write them in the order in which they build on each other");
    return pf_no_value();
  }
  ck->depth++;
  Value value = settle(ck, node, dispatch(ck, scope, node));
  ck->depth--;
  return value;
}

/* ---------------------------------------------------------------- expected kinds */

static Value expect(Checker *ck, const PfNode *node, Value value, ValueKind kind, const char *what)
{
  if (value.kind == V_NONE || value.kind == kind) return value;
  pf_check_fail(ck, PF_ERR_MODEL, node, "%s must be %s, this is %s", what, pf_kind_text(kind),
                pf_kind_text(value.kind));
  if (kind == V_VECTOR && value.kind == V_SCALAR) pf_check_hint(ck, "a vector is written (a, b, c), or F*body.x");
  return pf_no_value();
}

Value pf_scalar_of(Checker *ck, Scope *scope, const PfNode *node, const char *what)
{
  return expect(ck, node, pf_value_of(ck, scope, node), V_SCALAR, what);
}

Value pf_vector_of(Checker *ck, Scope *scope, const PfNode *node, const char *what)
{
  return expect(ck, node, pf_value_of(ck, scope, node), V_VECTOR, what);
}

Value pf_frame_of(Checker *ck, Scope *scope, const PfNode *node, const char *what)
{
  return expect(ck, node, pf_value_of(ck, scope, node), V_FRAME, what);
}

/* A frame stands for its origin, (a, b, c) for a point of the ground. */
Value pf_point_of(Checker *ck, Scope *scope, const PfNode *node, const char *what)
{
  Value value = pf_value_of(ck, scope, node);
  if (value.kind == V_FRAME) {
    value.kind = V_POINT;
    for (int k = 0; k < 3; k++) value.c[k] = pf_expr_int(ck->ctx, 0);
  }
  if (value.kind == V_VECTOR && value.plain) {
    if (!pf_dim_expect(ck, node, value.dim, pf_dim_make(0, 1, 0), "a position")) return pf_no_value();
    value.kind = V_POINT;
    value.frame = 0;
  }
  return expect(ck, node, value, V_POINT, what);
}

PfVector pf_value_position(Checker *ck, Value point)
{
  return pf_point_position(ck->model, point.frame, point.c);
}

PfVector pf_value_velocity(Checker *ck, Value point)
{
  return pf_point_velocity(ck->model, point.frame, point.c);
}

bool pf_integer_of(Checker *ck, Scope *scope, const PfNode *node, const char *what, int64_t least,
                   int64_t most, int64_t *result)
{
  Value value = pf_scalar_of(ck, scope, node, what);
  if (value.kind == V_NONE) return false;
  PfExpr e = value.scalar;
  int64_t num, den;
  if (!pf_expr_is_rational(ck->ctx, e, &num, &den) || den != 1) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "%s must be a whole number that is known when the model is read", what);
    pf_check_hint(ck, "use a number, a loop variable, or a name defined by 'let N = 4'");
    return false;
  }
  if (num < least || num > most) {
    pf_check_fail(ck, PF_ERR_LIMIT, node, "%s must lie between %lld and %lld, this is %lld", what,
                  (long long)least, (long long)most, (long long)num);
    return false;
  }
  *result = num;
  return true;
}
