/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of an expression of the text: a number, a vector, a frame, … with its dimension. */
#include "lang/check_impl.h"

#include <string.h>

/* MOST_EXPRESSIONS counts the expressions that are read again and again, beyond those in the text. */
enum { MOST_EXPRESSIONS = 5*1000*1000, DEEPEST = 400 };

/* ---------------------------------------------------------------- making values */

/* The substitute for a value after an error, which has been reported. */
Value pf_no_value(void)
{
  return (Value){.kind = V_NONE};
}

/* A number with its dimension. */
Value pf_scalar_value(PfExpr e, Dim dim)
{
  return (Value){.kind = V_SCALAR, .scalar = e, .dim = dim};
}

/* A vector with its dimension. */
Value pf_vector_value(PfVector v, Dim dim)
{
  return (Value){.kind = V_VECTOR, .vector = v, .dim = dim};
}

/* The name of the kind in messages: "a number", "a vector" … */
const char *pf_kind_text(ValueKind kind)
{
  static const char *const words[] = {"nothing", "a number", "a condition", "a vector",
                                      "a body or frame", "a point", "a matrix", "a text"};
  return words[kind];
}

/* ---------------------------------------------------------------- what an expression contains */

static uint16_t contents_of_operands(const Checker *ck, PfExpr e)
{
  uint16_t contents = 0;
  int count = e ? pf_expr_arg_count(ck->ctx, e) : 0;
  for (int i = 0; i < count; i++) contents |= ck->classes.at[pf_expr_arg(ck->ctx, e, i)];
  bool equality = count && pf_expr_op(ck->ctx, e) == PF_OP_EQUAL && (contents & (HAS_COORDINATE | HAS_VELOCITY));
  if (equality) contents |= HAS_EQUALITY;
  return contents;
}

/* Says what a symbol is: HAS_COORDINATE, HAS_VELOCITY … Expressions inherit it. */
void pf_set_contents(Checker *ck, PfExpr symbol, unsigned contents)
{
  if (symbol == PF_EXPR_NONE || pf_contents(ck, symbol) == contents || ck->out_of_memory) return;
  ck->classes.at[symbol] = (uint16_t)contents;
  for (PfExpr k = symbol + 1; k < ck->classes.count; k++) /* expressions built from it are looked at again */
    if (pf_expr_op(ck->ctx, k) != PF_OP_SYMBOL) ck->classes.at[k] = contents_of_operands(ck, k);
}

/* The kinds of symbols in an expression, as flags. Remembered for every node, so that a model costs one look at
 * each. */
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

bool pf_check_no_equality(Checker *ck, const PfNode *node, unsigned contents, const char *what)
{
  if (!(contents & HAS_EQUALITY)) return true;
  pf_check_fail(ck, PF_ERR_MODEL, node, "%s cannot depend on an equality of coordinates or velocities, which holds at "
                "single instants only", what);
  pf_check_hint(ck, "friction holds what rests by itself, up to its limit at speed zero; a larger limit at rest is "
                "written -if(abs(x') < 1e-6 [m/s], Fs, Fk)*sign(x')");
  return false;
}

/* ---------------------------------------------------------------- any expression */

/* x': the total time derivative, as often as there are primes. */
static Value value_of_prime(Checker *ck, Scope *scope, const PfNode *node)
{
  Value value = pf_value_of(ck, scope, node->child);
  if (value.kind == V_NONE) return value;
  if (value.kind != V_SCALAR) {
    pf_check_fail(ck, PF_ERR_MODEL, node, "%s has no derivative here", pf_kind_text(value.kind));
    if (value.kind == V_POINT || value.kind == V_FRAME) pf_check_hint(ck, "write vel(…) or omega(…)");
    return pf_no_value();
  }
  /* Speeds that are given by velocities, as functions of these: a plot or a condition may contain their rate. */
  if (ck->showing || ck->in_condition) {
    for (size_t i = 0; i < ck->speeds.count; i++) {
      const PfSpeed *speed = ck->speeds.at + i;
      if (speed->value == PF_EXPR_NONE) continue;
      (void)pf_expr_substitute(ck->ctx, &value.scalar, 1, &speed->symbol, &speed->value, 1, &value.scalar);
    }
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

/* The value of a node by its kind. */
static Value dispatch(Checker *ck, Scope *scope, const PfNode *node)
{
  Value given;
  if ((node->kind == PF_N_INDEX || node->kind == PF_N_MEMBER) && pf_value_of_given(ck, node, &given)) return given;
  switch (node->kind) {
  case PF_N_NUMBER: return pf_value_of_number(ck, node);
  case PF_N_STRING: return (Value){.kind = V_WORD, .word = node->text};
  case PF_N_NAME: return pf_value_of_name(ck, scope, node);
  case PF_N_INDEX:
    if (!strcmp(node->text, "lambda")) return pf_value_of_multiplier(ck, scope, node);
    if (pf_is_shown_name(ck, scope, node, "violation")) return pf_value_of_violation(ck, scope, node);
    return pf_value_of_name(ck, scope, node);
  case PF_N_CALL: return pf_value_of_call(ck, scope, node);
  case PF_N_SUMOVER: return pf_value_of_sum_over(ck, scope, node);
  case PF_N_PRIME: return value_of_prime(ck, scope, node);
  case PF_N_MEMBER: return pf_value_of_member(ck, scope, node);
  case PF_N_UNIT: return pf_value_with_unit(ck, scope, node);
  case PF_N_NEGATE: return pf_value_of_negation(ck, scope, node);
  case PF_N_SUM: return pf_value_of_sum(ck, scope, node);
  case PF_N_PRODUCT: return pf_value_of_product(ck, scope, node);
  case PF_N_POWER: return pf_value_of_power(ck, scope, node);
  case PF_N_COMPARE: return pf_value_of_compare(ck, scope, node);
  case PF_N_AND:
  case PF_N_OR:
  case PF_N_NOT: return pf_value_of_logic(ck, scope, node);
  case PF_N_VECTOR: return pf_value_of_vector(ck, scope, node);
  default: return pf_check_fail(ck, PF_ERR_SYNTAX, node, "an expression is expected here");
  }
}

bool pf_check_expressions(Checker *ck, const PfNode *node)
{
  int before = pf_diagnostic_count(ck->ctx);
  PfStatus status = pf_expr_check(ck->ctx);
  if (status == PF_OK) return true;
  const char *cause = pf_print_text(ck, "%s", pf_context_message(ck->ctx));
  pf_diagnostics_truncate(ck->ctx, before);
  return pf_check_refuse(ck, status, node, "%s", cause);
}

/* The value of an expression with its dimension; V_NONE after an error, which was reported. The budget of all
 * expressions together is limited. */
Value pf_value_of(Checker *ck, Scope *scope, const PfNode *node)
{
  if (pf_check_stopped(ck)) return pf_no_value();
  if (++ck->expressions_read > MOST_EXPRESSIONS + (long)ck->source->count) {
    pf_check_give_up(ck, node, "the parts, sums and functions of this model multiply to more than %d million "
                     "expressions", MOST_EXPRESSIONS/1000000);
    return pf_no_value();
  }
  if (ck->depth >= DEEPEST) {
    pf_check_fail(ck, PF_ERR_LIMIT, node, "definitions refer to each other more than %d deep", DEEPEST);
    pf_check_hint(ck, "write them in the order in which they build on each other");
    return pf_no_value();
  }
  ck->depth++;
  Value value = dispatch(ck, scope, node);
  ck->depth--;
  /* A failure inside the expression table (memory, division by zero that came out of cancellation) is reported here,
   * where the place is known. */
  bool bad = (value.kind == V_SCALAR || value.kind == V_CONDITION) && value.scalar == PF_EXPR_NONE;
  bool lost = value.kind == V_VECTOR && value.vector.count < 0; /* a vector fails without memory only */
  if (lost) pf_check_no_memory(ck);
  else if (bad && pf_check_expressions(ck, node))
    pf_check_fail(ck, PF_ERR_MODEL, node, "this expression cannot be built");
  return bad || lost ? pf_no_value() : value;
}

Value pf_value_of_condition(Checker *ck, Scope *scope, const PfNode *node)
{
  ck->in_condition = true;
  Value value = pf_value_of(ck, scope, node);
  ck->in_condition = false;
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

/* The value, which must be a vector; `what` names it in messages. */
Value pf_vector_of(Checker *ck, Scope *scope, const PfNode *node, const char *what)
{
  return expect(ck, node, pf_value_of(ck, scope, node), V_VECTOR, what);
}

/* The value, which must be a frame. */
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

/* The position of a point or of the origin of a frame, from the origin of the ground. */
PfVector pf_value_position(Checker *ck, Value point)
{
  return pf_point_position(ck->model, point.frame, point.c);
}

/* Its velocity against the ground. */
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
  if (num < least || num > most)
    return pf_check_refuse(ck, PF_ERR_LIMIT, node, "%s must lie between %lld and %lld, this is %lld", what,
                           (long long)least, (long long)most, (long long)num);
  *result = num;
  return true;
}
