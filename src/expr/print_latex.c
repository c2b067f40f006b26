/* SPDX-License-Identifier: Apache-2.0 */
/* The notation of LaTeX with amsmath: \frac{m \left(\dot{x}^{2} + \dot{y}^{2}\right)}{2}. */
#include "expr/print_impl.h"

#include <ctype.h>
#include <string.h>

static void put_wrapped(Printer *p, PfExpr e)
{
  pf_put_all(p, "\\left(", e, "\\right)");
}

/* ---------------------------------------------------------------- names */

static bool is_greek(const char *word, size_t length)
{
  static const char *const letters[] = {
      "alpha", "beta",    "gamma", "delta", "epsilon", "zeta",    "eta",   "theta", "iota",
      "kappa", "lambda",  "mu",    "nu",    "xi",      "pi",      "rho",   "sigma", "tau",
      "phi",   "upsilon", "chi",   "psi",   "omega",   "Gamma",   "Delta", "Theta", "Lambda",
      "Xi",    "Pi",      "Sigma", "Phi",   "Psi",     "Upsilon", "Omega"};
  for (size_t i = 0; i < sizeof letters/sizeof *letters; i++)
    if (strlen(letters[i]) == length && !memcmp(letters[i], word, length)) return true;
  return false;
}

static bool is_digits(const char *word, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (!isdigit((unsigned char)word[i])) return false;
  return true;
}

static bool is_upright(const char *word, size_t length)
{
  return length > 1 && !is_digits(word, length) && !is_greek(word, length);
}

/* A letter and a number as they are, a Greek letter by its command, a word upright. */
static void put_word(Printer *p, const char *word, size_t length)
{
  if (is_greek(word, length)) pf_put_format(p, "\\%.*s", (int)length, word);
  else if (is_upright(word, length)) pf_put_format(p, "\\mathrm{%.*s}", (int)length, word);
  else pf_put_format(p, "%.*s", (int)length, word);
}

/* Every run of letters and digits is an index: [2], _b, 1. Says how many there are now. */
static int put_indices(Printer *p, const char *at, const char *end, int before)
{
  while (at < end) {
    const char *start = at;
    while (at < end && isalnum((unsigned char)*at)) at++;
    if (at == start) {
      at++;
      continue;
    }
    pf_put(p, before++ ? "," : "_{");
    /* As a word; but a Greek letter with a number, psi1, is \psi_{1}. */
    size_t length = (size_t)(at - start), letters = 0;
    while (letters < length && isalpha((unsigned char)start[letters])) letters++;
    if (!is_greek(start, letters) || !is_digits(start + letters, length - letters)) letters = length;
    put_word(p, start, letters);
    if (letters < length) pf_put_format(p, "_{%.*s}", (int)(length - letters), start + letters);
  }
  return before;
}

static const char *dots(int count)
{
  static const char *const commands[] = {"", "\\dot{", "\\ddot{", "\\dddot{", "\\ddddot{"};
  return count < (int)(sizeof commands/sizeof *commands) ? commands[count] : NULL;
}

/* Where the last word begins: after the last dot that is not in brackets. */
static const char *last_word(const char *name)
{
  const char *word = name;
  int depth = 0;
  for (const char *c = name; *c; c++) {
    depth += (*c == '[') - (*c == ']');
    if (*c == '.' && depth <= 0) word = c + 1;
  }
  return word;
}

/* phi_dot is \dot{\phi}: where the words that mean dots begin, followed by indices and primes only; NULL without. */
static const char *dot_words(const char *own, int *dots)
{
  static const char *const words[] = {"_dot", "_ddot"};
  size_t length = strcspn(own, "['");
  for (int k = 0; k < 2; k++) {
    size_t size = strlen(words[k]);
    if (length <= size || memcmp(own + length - size, words[k], size)) continue;
    *dots += k + 1;
    return own + length - size;
  }
  return NULL;
}

/* leg[2].phi_b' is \dot{\phi}_{b,leg,2} and lambda[leg.tip] is \lambda_{leg,tip}: the last word with its dots, then all
 * that belongs to it. Only letters and digits of a name get here, so nothing in it can mean something to LaTeX. */
static void put_name(Printer *p, const char *name)
{
  const char *own = last_word(name), *end = own + strlen(own), *stem = own;
  while (isalpha((unsigned char)*stem)) stem++;
  /* Those after the name, not those inside of its brackets. */
  const char *behind = strrchr(own, ']');
  int primes = 0;
  for (const char *c = behind ? behind : own; *c; c++) primes += *c == '\'';
  const char *dotted = dot_words(own, &primes);
  if (dots(primes)) pf_put(p, dots(primes));
  else pf_put_format(p, "\\overset{(%d)}{", primes);
  if (stem > own) put_word(p, own, (size_t)(stem - own));
  else pf_put(p, "{}"); /* the base of the indices */
  if (primes) pf_put(p, "}");
  int indices = dotted ? put_indices(p, stem, dotted, 0) : 0;
  indices = put_indices(p, dotted ? dotted + strcspn(dotted, "['") : stem, end, indices);
  indices = put_indices(p, name, own, indices);
  if (indices) pf_put(p, "}");
}

static const char *notation_of(const Printer *p, PfExpr symbol)
{
  size_t which = node_of(p->table, symbol)->first;
  return which < p->table->notations.count ? p->table->notations.at[which] : NULL;
}

/* ---------------------------------------------------------------- numbers */

/* 1.5e-07 is 1.5 \cdot 10^{-7}. */
static void put_decimal(Printer *p, const char *text)
{
  const char *exponent = strchr(text, 'e');
  if (!exponent) {
    pf_put_copy(p, text);
    return;
  }
  int length = (int)(exponent++ - text);
  bool negative = *exponent == '-';
  exponent += strspn(exponent, "+-0");
  pf_put_format(p, "%.*s \\cdot 10^{%s%s}", length, text, negative ? "-" : "", exponent);
}

/* ---------------------------------------------------------------- functions */

/* The LaTeX command of a function or operator; empty for those that are written otherwise. */
static const char *command_of(PfOp op)
{
  switch (op) {
  case PF_OP_SIN: return "\\sin";
  case PF_OP_COS: return "\\cos";
  case PF_OP_TAN: return "\\tan";
  case PF_OP_ASIN: return "\\arcsin";
  case PF_OP_ACOS: return "\\arccos";
  case PF_OP_ATAN: return "\\arctan";
  case PF_OP_SINH: return "\\sinh";
  case PF_OP_COSH: return "\\cosh";
  case PF_OP_TANH: return "\\tanh";
  case PF_OP_LOG: return "\\ln";
  case PF_OP_SIGN: return "\\operatorname{sgn}";
  case PF_OP_ATAN2: return "\\operatorname{atan2}";
  case PF_OP_MIN: return "\\min";
  case PF_OP_MAX: return "\\max";
  case PF_OP_LESS: return " < ";
  case PF_OP_LESS_EQUAL: return " \\le ";
  case PF_OP_EQUAL: return " = ";
  case PF_OP_AND: return " \\land ";
  case PF_OP_OR: return " \\lor ";
  default: return "";
  }
}

/* sin^2 x is customary for these only. */
static bool takes_exponent(PfOp op)
{
  return op == PF_OP_SIN || op == PF_OP_COS || op == PF_OP_TAN || op == PF_OP_SINH || op == PF_OP_COSH ||
         op == PF_OP_TANH;
}

/* Is it a function whose argument stands without brackets, so that a gap must follow? */
static bool is_open(const Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  if (op < PF_OP_SIN || op > PF_OP_SIGN || op == PF_OP_ABS || op == PF_OP_EXP) return false;
  PfOp argument = op_of(p->table, args_of(p->table, e)[0]);
  return argument == PF_OP_SYMBOL || argument == PF_OP_PI;
}

static void put_arguments(Printer *p, PfExpr e)
{
  if (is_open(p, e)) {
    pf_put_all(p, " ", args_of(p->table, e)[0], "");
    return;
  }
  for (uint32_t i = 0; i < node_of(p->table, e)->count; i++)
    pf_put_all(p, i ? ", " : "\\left(", args_of(p->table, e)[i], "");
  pf_put(p, "\\right)");
}

static void put_operand(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  if (is_infix(op) || op == PF_OP_IF) put_wrapped(p, e);
  else pf_put_expr(p, e);
}

/* A function with its arguments, an operator between its operands, cases for a choice. */
static void put_function(Printer *p, PfExpr e)
{
  PfOp op = op_of(p->table, e);
  const PfExpr *args = args_of(p->table, e);
  if (op == PF_OP_EXP) {
    pf_put_all(p, "e^{", args[0], "}");
  } else if (op == PF_OP_ABS) {
    pf_put_all(p, "\\left|", args[0], "\\right|");
  } else if (op == PF_OP_IF) {
    pf_put_all(p, "\\begin{cases} ", args[1], " & \\text{if } ");
    pf_put_all(p, "", args[0], " \\\\ ");
    pf_put_all(p, "", args[2], " & \\text{otherwise} \\end{cases}");
  } else if (op == PF_OP_NOT) {
    pf_put(p, "\\lnot ");
    put_operand(p, args[0]);
  } else if (is_infix(op)) {
    put_operand(p, args[0]);
    pf_put(p, command_of(op));
    put_operand(p, args[1]);
  } else {
    pf_put(p, command_of(op));
    put_arguments(p, e);
  }
}

/* ---------------------------------------------------------------- products */

static void put_exponent(Printer *p, const Power *power)
{
  NumberText text;
  pf_number_text(power->number, &text);
  pf_put(p, "^{");
  if (pf_number_is(power->number, 0)) pf_put_expr(p, power->exponent);
  else if (*text.below) pf_put_format(p, "%s/%s", text.above, text.below);
  else put_decimal(p, text.above);
  pf_put(p, "}");
}

/* The base and its exponent; square roots, and whole powers of functions as \\sin^2 x. */
static void put_power(Printer *p, const Power *power)
{
  Number number = power->number;
  PfOp op = op_of(p->table, power->base);
  bool negative = is_number(p->table, power->base) && pf_number_sign(number_of(p->table, power->base)) < 0;
  if (pf_number_is(number, 1)) {
    bool wide = op == PF_OP_SUM || op == PF_OP_PRODUCT || op == PF_OP_IF || is_infix(op) || negative;
    if (wide) put_wrapped(p, power->base);
    else pf_put_expr(p, power->base);
  } else if (is_half(number)) {
    pf_put_all(p, "\\sqrt{", power->base, "}");
  } else if (takes_exponent(op) && pf_number_is_integer(number) && number.num > 1) {
    pf_put(p, command_of(op));
    put_exponent(p, power);
    put_arguments(p, power->base);
  } else {
    const char *notation = op == PF_OP_SYMBOL ? notation_of(p, power->base) : NULL;
    bool plain = op == PF_OP_SYMBOL || op == PF_OP_PI || op == PF_OP_ABS ||
                 (is_integer(p->table, power->base) && !negative);
    if (notation && strchr(notation, '^')) plain = false;
    if (plain) pf_put_expr(p, power->base); /* it can carry an exponent as it stands */
    else put_wrapped(p, power->base);
    put_exponent(p, power);
  }
}

/* A name of several letters: two of them side by side, dL wL, would read as one. */
static bool is_word(const Printer *p, PfExpr e)
{
  if (op_of(p->table, e) != PF_OP_SYMBOL || notation_of(p, e)) return false;
  const char *own = last_word(p->table->names.at[node_of(p->table, e)->first]);
  size_t length = 0;
  while (isalpha((unsigned char)own[length])) length++;
  return is_upright(own, length);
}

static const char *gap_between(const Printer *p, const Power *left, const Power *right)
{
  bool root = is_half(right->number);
  if (is_number(p->table, right->base) && !root) return " \\cdot ";
  if (is_word(p, left->base) && is_word(p, right->base)) return " \\, ";
  bool plain = pf_number_is(left->number, 1) || takes_exponent(op_of(p->table, left->base));
  return plain && is_open(p, left->base) ? " \\, " : " ";
}

/* A number, unless it is 1 or empty, times powers. A factor that stands alone between the braces of a fraction needs no
 * brackets. */
static void put_product(Printer *p, const char *number, const Power *powers, uint32_t count, bool in_braces)
{
  bool has_number = count == 0 || (*number && strcmp(number, "1") != 0);
  if (has_number) put_decimal(p, number);
  if (in_braces && !has_number && count == 1 && pf_number_is(powers->number, 1)) {
    pf_put_expr(p, powers->base);
    return;
  }
  const Power leading = {p->one, p->one, pf_number_int(1)};
  for (uint32_t i = 0; i < count; i++) {
    if (i || has_number) pf_put(p, gap_between(p, i ? powers + i - 1 : &leading, powers + i));
    put_power(p, powers + i);
  }
}

static void put_fraction(Printer *p, const Fraction *fraction)
{
  NumberText size;
  pf_number_text(fraction->size, &size);
  if (!*size.below && !fraction->below_count) {
    put_product(p, size.above, fraction->above, fraction->above_count, false);
    return;
  }
  pf_put(p, "\\frac{");
  put_product(p, size.above, fraction->above, fraction->above_count, true);
  pf_put(p, "}{");
  put_product(p, size.below, fraction->below, fraction->below_count, true);
  pf_put(p, "}");
}

/* The pieces of a node in LaTeX. */
void pf_lay_out_latex(Printer *p, PfExpr e)
{
  const char *notation;
  NumberText number;
  switch (op_of(p->table, e)) {
  case PF_OP_RATIONAL:
  case PF_OP_DOUBLE:
    pf_number_text(number_of(p->table, e), &number);
    if (pf_number_sign(number_of(p->table, e)) < 0) pf_put(p, "-");
    if (*number.below) pf_put_format(p, "\\frac{%s}{%s}", number.above, number.below);
    else put_decimal(p, number.above);
    break;
  case PF_OP_PI: pf_put(p, "\\pi"); break;
  case PF_OP_SYMBOL:
    notation = notation_of(p, e);
    if (notation) pf_put_format(p, "%s", notation);
    else put_name(p, p->table->names.at[node_of(p->table, e)->first]);
    break;
  case PF_OP_SUM:
  case PF_OP_PRODUCT: pf_put_terms(p, e, put_fraction); break;
  default: put_function(p, e);
  }
}
