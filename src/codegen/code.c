/* SPDX-License-Identifier: Apache-2.0 */
/* Values become statements: a value that is used once stands in the expression of its user, the others get names.
 * Statements are dealt out to pieces; values that a later piece needs are handed on in an array, whose places are used
 * again. */
#include "codegen/code.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- languages */

/* The differences between languages. In the text of an operation A, B, C are the operands, @ stands before the name of
 * a function, $ for a conversion to the type of numbers. */
typedef struct Language {
  const char *const *operation; /* by PfTapeOp */
  const char *before, *after;   /* of scripts: around a statement; NULL: C, with functions and types */
} Language;

#define TEXT(op, text) [PF_TAPE_##op] = text
#define FUNCTIONS \
    TEXT(SQRT, "@sqrt(A)"), TEXT(POW, "@pow(A, B)"), TEXT(SIN, "@sin(A)"), TEXT(COS, "@cos(A)"), \
    TEXT(TAN, "@tan(A)"), TEXT(ASIN, "@asin(A)"), TEXT(ACOS, "@acos(A)"), TEXT(ATAN, "@atan(A)"), \
    TEXT(SINH, "@sinh(A)"), TEXT(COSH, "@cosh(A)"), TEXT(TANH, "@tanh(A)"), TEXT(EXP, "@exp(A)"), \
    TEXT(LOG, "@log(A)"), TEXT(ABS, "@fabs(A)"), TEXT(ATAN2, "@atan2(A, B)"),

static const char *const c_operations[PF_TAPE_OP_COUNT] = {
#define PF_TAPE_ARITHMETIC(name, operands, value) [PF_TAPE_##name] = #value,
#define PF_TAPE_OP(name, operands, value)
#include "kernel/ops.def"
  FUNCTIONS
  TEXT(SIGN, "$((A > 0) - (A < 0))"), TEXT(MIN, "A < B ? A : B"), TEXT(MAX, "A < B ? B : A"),
  TEXT(LESS, "$(A < B)"), TEXT(LESS_EQUAL, "$(A <= B)"), TEXT(EQUAL, "$(A == B)"),
  TEXT(AND, "$(A != 0 && B != 0)"), TEXT(OR, "$(A != 0 || B != 0)"), TEXT(NOT, "$(A == 0)"),
  TEXT(IF, "A != 0 ? B : C")};

/* Every operation except arithmetic is a function of the style's. */
static const char *const function_operations[PF_TAPE_OP_COUNT] = {
#define PF_TAPE_ARITHMETIC(name, operands, value) [PF_TAPE_##name] = #value,
#define PF_TAPE_OP(name, operands, value)
#include "kernel/ops.def"
  FUNCTIONS
  TEXT(SIGN, "@sign(A)"), TEXT(MIN, "@min(A, B)"), TEXT(MAX, "@max(A, B)"), TEXT(LESS, "@less(A, B)"),
  TEXT(LESS_EQUAL, "@less_equal(A, B)"), TEXT(EQUAL, "@equal(A, B)"), TEXT(AND, "@and(A, B)"),
  TEXT(OR, "@or(A, B)"), TEXT(NOT, "@not(A)"), TEXT(IF, "@if(A, B, C)")};

static const Language languages[] = {
  [PF_CODE_C] = {c_operations, NULL, NULL},
  [PF_CODE_LANES] = {function_operations, NULL, NULL},
  [PF_CODE_PYTHON] = {function_operations, "    ", ""},
  [PF_CODE_MATLAB] = {function_operations, "  ", ";"},
};

/* ---------------------------------------------------------------- statements */

enum {
  MOST_NESTED = 12,       /* operations in one expression */
  PIECE_STATEMENTS = 400, /* in one function; twice as many cost compilers more than twice the time */
  NO_NUMBER = UINT32_MAX
};

typedef struct Writer {
  const PfProgram *program;
  const PfCodeStyle *style;
  const Language *language;
  PfText *text;
  bool single;          /* numbers are floats */
  uint32_t *uses;       /* of each value, outputs too */
  uint32_t *size;       /* operations of the expression in which it stands */
  uint32_t *name;       /* v<name>; NO_NUMBER: it stands in the expression of its user */
  uint32_t *piece;      /* where its statement is */
  uint32_t *last;       /* the last piece that needs it */
  uint32_t *kept;       /* its place in the array, for those that later pieces need */
  uint32_t *output;     /* the first output that it is, and so on by next_output; NO_NUMBER: none */
  uint32_t *next_output;
  uint32_t *group;      /* of sines and cosines: the first value of those that are worked out at once */
  uint32_t *statements; /* values that have one, in their order */
  uint32_t statement_count, piece_count, kept_count;
  uint32_t now;         /* the piece that is being written */
} Writer;

static bool is_leaf(const PfProgramValue *value)
{
  return value->op >= PF_TAPE_OP_COUNT;
}

static const char *operation_text(const Writer *w, const PfProgramValue *value)
{
  return w->language->operation[value->op];
}

/* Does its text hold an operand more than once? Then the operands need names. */
static bool repeats_operands(const Writer *w, const PfProgramValue *value)
{
  for (int k = 0; k < pf_op_operands(value->op); k++) {
    const char *first = strchr(operation_text(w, value), 'A' + k);
    if (first && strchr(first + 1, 'A' + k)) return true;
  }
  return false;
}

static bool is_pair(const Writer *w, uint32_t i)
{
  const PfProgramValue *sine = w->program->values + i;
  return w->style->sincos && i + 1 < w->program->count && sine->op == PF_TAPE_SIN &&
         sine[1].op == PF_TAPE_COS && sine[1].a == sine->a;
}

/* Expressions that grow too long are cut: the longest operand gets a name. */
static void limit_size(Writer *w, bool *named, uint32_t i)
{
  const PfProgramValue *value = w->program->values + i;
  for (;;) {
    uint32_t size = 1, longest = 0, longest_size = 0;
    for (int k = 0; k < pf_op_operands(value->op); k++) {
      const uint32_t operand = pf_value_operand(value, k);
      if (is_leaf(w->program->values + operand) || named[operand]) continue;
      size += w->size[operand];
      if (w->size[operand] > longest_size) longest = operand, longest_size = w->size[operand];
    }
    w->size[i] = size;
    if (size <= MOST_NESTED) return;
    named[longest] = true;
  }
}

/* The pairs of a group follow each other, and their angles come before all of them. */
static uint32_t group_size(const Writer *w, uint32_t first)
{
  const uint32_t most = w->style->group > 1 ? (uint32_t)w->style->group : 1;
  uint32_t count = 0;
  while (count < most && is_pair(w, first + 2*count) && w->program->values[first + 2*count].a < first) count++;
  return count;
}

/* Decides which values get a name and which stand in the expression of their user, and deals the statements out to
 * pieces. */
static void list_statements(Writer *w, bool *named)
{
  const PfProgram *p = w->program;
  /* Inputs and constants are read in place. The others: used several times, an operand that its user names twice, or a
   * half of a pair has a name. */
  for (uint32_t i = 0; i < p->count; i++) {
    const PfProgramValue *value = p->values + i;
    if (is_leaf(value)) continue;
    if (w->uses[i] > 1) named[i] = true;
    if (is_pair(w, i)) named[i] = named[i + 1] = true;
    for (int k = 0; repeats_operands(w, value) && k < pf_op_operands(value->op); k++)
      if (!is_leaf(p->values + pf_value_operand(value, k))) named[pf_value_operand(value, k)] = true;
  }
  for (uint32_t i = 0; i < w->program->count; i++) w->group[i] = NO_NUMBER;
  for (uint32_t i = 0; i < w->program->count; i++)
    if (w->group[i] == NO_NUMBER)
      for (uint32_t k = 2*group_size(w, i); k-- > 0;) w->group[i + k] = i;
  for (uint32_t i = 0; i < p->count; i++)
    if (!is_leaf(p->values + i)) limit_size(w, named, i);
  uint32_t names = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    w->name[i] = NO_NUMBER;
    if (is_leaf(p->values + i) || (!named[i] && w->output[i] == NO_NUMBER)) continue;
    if (named[i]) w->name[i] = names++;
    const bool stays = w->group[i] != NO_NUMBER && w->group[i] < i; /* a group of sines and cosines stays together */
    w->piece[i] = w->language->before ? 0 : stays ? w->piece[i - 1] : w->statement_count/PIECE_STATEMENTS;
    w->statements[w->statement_count++] = i;
    w->piece_count = w->piece[i] + 1;
  }
}

/* ---------------------------------------------------------------- values that are handed on */

/* A place is free again for the piece after the last that reads it. `freed` is a list of places for each piece, through
 * `next`. */
static bool place_kept(Writer *w, PfArena *scratch)
{
  uint32_t *freed = pf_arena_array(scratch, uint32_t, w->piece_count + 1); /* place + 1 */
  uint32_t *next = pf_arena_array(scratch, uint32_t, w->statement_count);
  uint32_t *room = pf_arena_array(scratch, uint32_t, w->statement_count);
  if (!freed || !next || !room) return false;
  uint32_t room_count = 0, now = 0;
  for (uint32_t s = 0; s < w->statement_count; s++) {
    const uint32_t i = w->statements[s];
    for (; now < w->piece[i]; now++)
      for (uint32_t place = freed[now]; place; place = next[place - 1]) room[room_count++] = place - 1;
    w->kept[i] = NO_NUMBER;
    if (w->name[i] == NO_NUMBER || w->last[i] == w->piece[i]) continue;
    const uint32_t place = room_count ? room[--room_count] : w->kept_count++;
    w->kept[i] = place;
    next[place] = freed[w->last[i]];
    freed[w->last[i]] = place + 1;
  }
  return true;
}

/* ---------------------------------------------------------------- numbers */

/* A constant as it is read back exactly; a number that is not finite as an expression. */
static void put_number(const Writer *w, double x)
{
  PfText *text = w->text;
  char digits[PF_LONGEST_NUMBER + 1];
  if (w->single && fabs(x) > FLT_MAX) x = x > 0 ? INFINITY : -INFINITY;
  if (w->single && fabs(x) < FLT_MIN) x = copysign(0, x);
  const bool negative = signbit(x) && !isnan(x);
  if (negative) pf_text_add(text, "(");
  if (!isfinite(x) && w->language->before)
    pf_text_print(text, "%s%s%s", negative ? "-" : "", w->style->math ? w->style->math : "", isnan(x) ? "nan" : "inf");
  else if (!isfinite(x))
    pf_text_print(text, "%s(%s)%s", negative ? "-" : "", w->style->real, isnan(x) ? "NAN" : "INFINITY");
  else {
    digits[pf_put_shortest(digits, x)] = 0;
    pf_text_add(text, digits);
    if (!strpbrk(digits, ".e")) pf_text_add(text, ".0");
    if (w->single) pf_text_add(text, "f");
  }
  if (negative) pf_text_add(text, ")");
}

/* ---------------------------------------------------------------- expressions */

static void put_expression(const Writer *w, uint32_t i);

/* Inside brackets or after a comma (`alone`) an expression needs no brackets of its own. */
static void put_operand(const Writer *w, uint32_t i, bool alone)
{
  const PfProgramValue *value = w->program->values + i;
  if (value->op == PF_VALUE_CONSTANT) {
    if (w->style->put_constant) w->style->put_constant(w->text, w->style->user, (int)value->a);
    else put_number(w, w->program->constants[value->a]);
  } else if (value->op == PF_VALUE_INPUT) w->style->put_input(w->text, w->style->user, (int)value->a);
  else if (w->name[i] == NO_NUMBER) {
    /* A function call needs no brackets, nor does an operand that has them already. */
    const bool bare = alone || operation_text(w, w->program->values + i)[0] == '@';
    if (!bare) pf_text_add(w->text, "(");
    put_expression(w, i);
    if (!bare) pf_text_add(w->text, ")");
  } else if (w->piece[i] == w->now) pf_text_print(w->text, "v%u", w->name[i]);
  else pf_text_print(w->text, "kept[%u]", w->kept[i]);
}

/* Calls itself for operands without a name, of which there are at most MOST_NESTED.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void put_expression(const Writer *w, uint32_t i)
{
  const PfProgramValue *value = w->program->values + i;
  const char *text = operation_text(w, value);
  for (const char *at = text; *at; at++) {
    if (*at == '@') { /* the name of a function */
      const size_t length = strcspn(at + 1, "(");
      const bool own = w->style->sine && (!strncmp(at + 1, "sin(", 4) || !strncmp(at + 1, "cos(", 4));
      const char *before = own ? w->style->sine : w->style->math;
      if (before) pf_text_add(w->text, before);
      pf_text_put(w->text, at + 1, length);
      if (w->single) pf_text_add(w->text, "f");
      at += length;
    } else if (*at == '$') {
      pf_text_print(w->text, "(%s)", w->style->real);
    } else if (*at >= 'A' && *at <= 'C') {
      /* between a bracket or a comma and another one it needs no brackets */
      const bool opened = at > text && (at[-1] == '(' || (at > text + 1 && at[-1] == ' ' && at[-2] == ','));
      put_operand(w, pf_value_operand(value, *at - 'A'), opened && (at[1] == ')' || at[1] == ','));
    } else {
      pf_text_put(w->text, at, 1);
    }
  }
}

/* ---------------------------------------------------------------- statements as text */

static void put_end(const Writer *w)
{
  pf_text_print(w->text, "%s\n", w->language->before ? w->language->after : ";");
}

/* A statement for each output that this value is. */
static void put_outputs(const Writer *w, uint32_t i)
{
  for (uint32_t k = w->output[i]; k != NO_NUMBER; k = w->next_output[k]) {
    pf_text_add(w->text, w->language->before ? w->language->before : "  ");
    w->style->put_output(w->text, w->style->user, (int)k);
    pf_text_add(w->text, " = ");
    if (w->name[i] == NO_NUMBER && !is_leaf(w->program->values + i)) put_expression(w, i);
    else put_operand(w, i, true);
    put_end(w);
  }
}

/* The statement of a value: a group of sines and cosines, a pair, or an assignment; then outputs and values for later
 * pieces. */
static void put_statement(const Writer *w, uint32_t i)
{
  const bool in_group = w->group[i] != NO_NUMBER;
  const uint32_t size = w->group[i] == i ? group_size(w, i) : 0;
  if (size > 1) {
    /* Lanes that are not used have the last angle. */
    const PfCodeStyle *style = w->style;
    const uint32_t name = w->name[i];
    pf_text_print(w->text, "  const %s angles%u = {", style->group_type, name);
    for (uint32_t k = 0; k < (uint32_t)style->group; k++) {
      if (k) pf_text_add(w->text, ", ");
      put_operand(w, w->program->values[i + 2*(k < size ? k : size - 1)].a, true);
    }
    pf_text_print(w->text, "};\n  %s sines%u, cosines%u;\n  %s_group(angles%u, &sines%u, &cosines%u);\n",
                  style->group_type, name, name, style->sincos, name, name, name);
    for (uint32_t k = 0; k < size; k++)
      pf_text_print(w->text, "  const %s v%u = sines%u[%u], v%u = cosines%u[%u];\n", style->real,
                    w->name[i + 2*k], name, k, w->name[i + 2*k + 1], name, k);
  } else if (size == 1) {
    pf_text_print(w->text, "  %s v%u, v%u;\n  %s(", w->style->real, w->name[i], w->name[i + 1], w->style->sincos);
    put_operand(w, w->program->values[i].a, true);
    pf_text_print(w->text, ", &v%u, &v%u);\n", w->name[i], w->name[i + 1]);
  } else if (w->name[i] != NO_NUMBER && !in_group) {
    if (w->language->before) pf_text_print(w->text, "%sv%u = ", w->language->before, w->name[i]);
    else pf_text_print(w->text, "  const %s v%u = ", w->style->real, w->name[i]);
    put_expression(w, i);
    put_end(w);
  }
  put_outputs(w, i);
  if (w->name[i] != NO_NUMBER && w->kept[i] != NO_NUMBER)
    pf_text_print(w->text, "  kept[%u] = v%u;\n", w->kept[i], w->name[i]);
}

static void put_statements(Writer *w, uint32_t piece)
{
  const uint32_t past = (piece + 1)*PIECE_STATEMENTS + 2*(uint32_t)(w->style->group + 1); /* a group goes on */
  w->now = piece;
  for (uint32_t s = piece*PIECE_STATEMENTS; s < w->statement_count && s < past; s++)
    if (w->piece[w->statements[s]] == piece) put_statement(w, w->statements[s]);
}

/* Inputs and constants that are outputs. */
static void put_leaves(const Writer *w)
{
  for (uint32_t i = 0; i < w->program->count && is_leaf(w->program->values + i); i++) put_outputs(w, i);
}

/* ---------------------------------------------------------------- functions */

static bool is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Members of the same name, as in p->b and p.b, are others. */
static bool mentions(const char *text, const char *word, size_t length)
{
  for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
    const char before = at == text ? ' ' : at[-1];
    if (!is_word(before) && before != '.' && before != '>' && !is_word(at[length])) return true;
  }
  return false;
}

/* The head of a function, then its body, which was written into `body`. Parameters that the body does not mention are
 * used in name, or compilers warn. */
static void put_function_around(Writer *w, PfText *text, const PfText *body, const char *head)
{
  char word[64];
  pf_text_print(text, "%s)\n{\n", head);
  for (const char *at = w->style->arguments; *at;) {
    size_t length = 0;
    for (; is_word(at[length]) && length + 1 < sizeof word; length++) word[length] = at[length];
    word[length] = 0;
    if (length && !mentions(pf_text_get(body), word, length)) pf_text_print(text, "  (void)%s;\n", word);
    at += length ? length : 1;
  }
  pf_text_add(text, pf_text_get(body));
  pf_text_add(text, "}\n");
}

static void clear(PfText *text)
{
  text->count = 0;
  pf_text_add(text, "");
}

/* Functions for the pieces, and the function that calls them. */
static void put_all(Writer *w, PfText *text, PfText *body, PfText *head)
{
  const PfCodeStyle *style = w->style;
  const bool cut = w->piece_count > 1;
  for (uint32_t k = 0; cut && k < w->piece_count; k++) {
    clear(body);
    clear(head);
    w->text = body;
    put_statements(w, k);
    pf_text_print(head, "static void %s_%u(%s%s%s *kept", style->name, k + 1, style->parameters,
                  style->parameters[0] ? ", " : "", style->real);
    if (!strstr(pf_text_get(body), "kept[")) pf_text_add(body, "  (void)kept;\n");
    put_function_around(w, text, body, pf_text_get(head));
    pf_text_add(text, "\n");
  }
  clear(body);
  clear(head);
  w->text = body;
  put_leaves(w);
  if (cut) {
    pf_text_print(w->text, "  %s kept[%u];\n", style->real, w->kept_count ? w->kept_count : 1);
    for (uint32_t k = 0; k < w->piece_count; k++)
      pf_text_print(w->text, "  %s_%u(%s%skept);\n", style->name, k + 1, style->arguments,
                    style->arguments[0] ? ", " : "");
  } else put_statements(w, 0);
  pf_text_print(head, "%svoid %s(%s", style->qualifiers, style->name,
                style->parameters[0] ? style->parameters : "void");
  put_function_around(w, text, body, pf_text_get(head));
}

/* ---------------------------------------------------------------- memory */

/* Arrays, counts of uses, names, pieces and last uses of all values. */
static bool prepare(Writer *w, PfArena *scratch)
{
  const size_t count = w->program->count;
  bool *named = pf_arena_array(scratch, bool, count);
  w->uses = pf_arena_array(scratch, uint32_t, count);
  w->size = pf_arena_array(scratch, uint32_t, count);
  w->name = pf_arena_array(scratch, uint32_t, count);
  w->piece = pf_arena_array(scratch, uint32_t, count);
  w->last = pf_arena_array(scratch, uint32_t, count);
  w->kept = pf_arena_array(scratch, uint32_t, count);
  w->output = pf_arena_array(scratch, uint32_t, count);
  w->group = pf_arena_array(scratch, uint32_t, count);
  w->statements = pf_arena_array(scratch, uint32_t, count);
  w->next_output = pf_arena_array(scratch, uint32_t, w->program->output_count);
  if (!named || !w->uses || !w->size || !w->name || !w->piece || !w->last || !w->kept || !w->output || !w->group ||
      !w->statements || !w->next_output) return false;
  const PfProgram *p = w->program;
  for (uint32_t i = 0; i < p->count; i++) w->output[i] = NO_NUMBER;
  for (uint32_t k = p->output_count; k-- > 0;) {
    const uint32_t i = p->outputs[k];
    w->next_output[k] = w->output[i];
    w->output[i] = k;
    w->uses[i]++;
  }
  for (uint32_t i = 0; i < p->count; i++)
    for (int k = 0; k < pf_op_operands(p->values[i].op); k++) w->uses[pf_value_operand(p->values + i, k)]++;
  list_statements(w, named);
  /* Values in an expression stand where its statement does; from the last to the first all users are known. */
  for (uint32_t i = p->count; i-- > 0;) {
    const PfProgramValue *value = p->values + i;
    if (is_leaf(value)) continue;
    const bool has_statement = w->name[i] != NO_NUMBER || w->output[i] != NO_NUMBER;
    const uint32_t here = has_statement ? w->piece[i] : w->last[i];
    for (int k = 0; k < pf_op_operands(value->op); k++) {
      const uint32_t operand = pf_value_operand(value, k);
      if (w->last[operand] < here) w->last[operand] = here;
    }
    if (w->last[i] < here) w->last[i] = here;
  }
  return place_kept(w, scratch);
}

/* Numbers are written with all their digits, so that the code has the bits of the tape, as long as it is compiled
 * without contraction. Scratch memory of the context is used. */
PfStatus pf_code_write(PfContext *ctx, const PfProgram *program, const PfCodeStyle *style, PfText *text)
{
  if ((size_t)style->dialect >= sizeof languages/sizeof *languages)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "code in a language that is not written");
  Writer w = {.program = program, .style = style, .language = languages + style->dialect, .text = text,
              .single = style->real && !strcmp(style->real, "float")};
  PfText body, head;
  pf_text_init(&body, pf_context_allocator(ctx));
  pf_text_init(&head, pf_context_allocator(ctx));
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  bool good = prepare(&w, scratch);
  if (good && w.language->before) {
    put_leaves(&w);
    for (uint32_t s = 0; s < w.statement_count; s++) put_statement(&w, w.statements[s]);
  } else if (good) put_all(&w, text, &body, &head);
  good = good && !text->failed && !body.failed && !head.failed;
  pf_text_free(&body);
  pf_text_free(&head);
  pf_arena_release(scratch, mark);
  return good ? PF_OK : pf_no_room(ctx, "code");
}
