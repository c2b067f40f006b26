/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks formulas at sums. It relies on the output of pf_expr_print: binary signs stand between blanks, groups are in
 * braces or between \left and \right. A line may end inside brackets; \right. then closes them and \left. opens them
 * again. */
#include "task/latex.h"

#include <ctype.h>
#include <string.h>

/* In widths of a digit: a page of 160 mm has about ninety of them at 10 pt. */
enum { WIDEST_LINE = 80, WIDEST_LEFT = 24, INDENT = 5, EQUALS = 3, DEEPEST = 40 };

/* ---------------------------------------------------------------- how wide it is */

static const char *group_end(const char *at, const char *end)
{
  int depth = 0;
  for (; at < end; at++) {
    if (*at == '\\' && at + 1 < end) at++;
    else if (*at == '{') depth++;
    else if (*at == '}' && --depth == 0) return at + 1;
  }
  return end;
}

static const char *command_end(const char *at, const char *end)
{
  const char *c = at + 1;
  while (c < end && isalpha((unsigned char)*c)) c++;
  return c > at + 1 ? c : at + 2 < end ? at + 2 : end;
}

static bool is(const char *at, const char *end, const char *command)
{
  size_t length = (size_t)(end - at);
  return strlen(command) == length && !memcmp(at, command, length);
}

/* Commands that only change the look of the group after them. */
static bool has_no_width(const char *at, const char *end)
{
  static const char *const list[] = {"\\mathrm", "\\dot", "\\ddot", "\\dddot", "\\ddddot", "\\left", "\\right",
                                     "\\operatorname", "\\text", "\\overset"};
  for (size_t i = 0; i < sizeof list/sizeof *list; i++)
    if (is(at, end, list[i])) return true;
  return false;
}

/* Letters of \sin; one of \theta. */
static double command_width(const char *at, const char *end)
{
  static const char *const words[] = {"\\sin", "\\cos", "\\tan", "\\ln", "\\min", "\\max", "\\sinh", "\\cosh", "\\tanh",
                                      "\\arcsin", "\\arccos", "\\arctan"};
  if (has_no_width(at, end)) return 0;
  for (size_t i = 0; i < sizeof words/sizeof *words; i++)
    if (is(at, end, words[i])) return (double)(end - at) - 1;
  return is(at, end, "\\,") ? 0.4 : is(at, end, "\\sqrt") ? 1.7 : 1.2;
}

static double sign_width(char c)
{
  return strchr("+-=<", c) ? 2.6 : c == '.' || c == ',' || c == '|' ? 0.6 : isalpha((unsigned char)c) ? 1.15 : 1;
}

static double width_of(const char *at, const char *end, int depth);

/* A fraction is as wide as the wider of its two parts. */
static const char *take_fraction(const char *at, const char *end, int depth, double *width)
{
  const char *below = group_end(at, end), *behind = group_end(below, end);
  double above_width = width_of(at, below, depth), below_width = width_of(below, behind, depth);
  *width += 0.5 + (above_width > below_width ? above_width : below_width);
  return behind;
}

static double width_of(const char *at, const char *end, int depth)
{
  double width = 0;
  if (depth > DEEPEST) return 0;
  while (at < end) {
    const char *behind = *at == '\\' ? command_end(at, end) : at + 1;
    if (is(at, behind, "\\frac")) {
      at = take_fraction(behind, end, depth + 1, &width);
      continue;
    }
    if ((*at == '_' || *at == '^') && behind < end && *behind == '{') {
      const char *script = group_end(behind, end);
      width += 0.7*width_of(behind + 1, script, depth + 1);
      at = script;
      continue;
    }
    if (*at == '\\') width += command_width(at, behind);
    else if (!strchr("{} ", *at)) width += sign_width(*at);
    at = behind;
  }
  return width;
}

/* ---------------------------------------------------------------- fractions wider than a page */

/* A binary sign outside of braces and brackets: as a factor it needs brackets. */
static bool is_sum(const char *at, const char *end)
{
  int brackets = 0;
  for (const char *c = at; c + 1 < end;) {
    const char *behind = *c == '\\' ? command_end(c, end) : *c == '{' ? group_end(c, end) : c + 1;
    brackets += is(c, behind, "\\left") - is(c, behind, "\\right");
    if ((*c == '+' || *c == '-') && brackets == 0 && c > at && c[-1] == ' ') return true;
    c = behind;
  }
  return false;
}

static char *copy(char *to, const char *from, const char *end)
{
  memcpy(to, from, (size_t)(end - from));
  return to + (end - from);
}

static char *copy_words(char *to, const char *from)
{
  return copy(to, from, from + strlen(from));
}

/* \frac{a}{b} as \frac{1}{b} a where it is too wide, so that a can be broken; as a (b)^{-1} where b is too wide too.
 * The closing bracket of a is written where a ends: `close` is the stack of these places. */
static const char *unfold(PfArena *scratch, const char *formula, double room)
{
  enum { MOST_OPEN = 8, LONGEST_ADDITION = 40 };
  const char *end = formula + strlen(formula), *close[MOST_OPEN];
  bool brackets[MOST_OPEN], wide[MOST_OPEN];
  int open = 0;
  size_t fractions = 0;
  for (const char *c = strstr(formula, "\\frac"); c; c = strstr(c + 1, "\\frac")) fractions++;
  char *result = pf_arena_alloc(scratch, strlen(formula) + fractions*LONGEST_ADDITION + 1, 1), *to = result;
  if (!result) return formula;
  for (const char *c = formula; c < end;) {
    const char *behind = *c == '\\' ? command_end(c, end) : *c == '{' ? group_end(c, end) : c + 1;
    if (open && c == close[open - 1]) { /* the brace after the numerator, then the denominator, which was written */
      const char *behind_both = group_end(c + 1, end);
      if (brackets[--open]) to = copy_words(to, "\\right)");
      if (wide[open]) to = copy_words(copy(copy_words(to, " \\left("), c + 2, behind_both - 1), "\\right)^{-1}");
      c = behind_both;
      continue;
    }
    const char *below = is(c, behind, "\\frac") ? group_end(behind, end) : end, *rest = group_end(below, end);
    if (below < end && open < MOST_OPEN && width_of(c, rest, 0) > room) {
      brackets[open] = is_sum(behind + 1, below - 1);
      wide[open] = width_of(below, rest, 0) >= 0.8*room;
      close[open] = below - 1;
      if (!wide[open]) to = copy(copy_words(to, "\\frac{1}"), below, rest);
      to = copy_words(to, brackets[open++] ? " \\left(" : " ");
      c = behind + 1;
      continue;
    }
    to = copy(to, c, behind);
    c = behind;
  }
  *to = 0;
  return result;
}

/* ---------------------------------------------------------------- where it may be broken */

typedef struct Break {
  const char *at;  /* the sign */
  int brackets;    /* that are open there */
  double before;   /* width from the beginning */
} Break;

typedef struct Breaks {
  Break *list;
  int count;
} Breaks;

/* Binary signs outside of braces. */
static bool find_breaks(PfArena *scratch, const char *text, Breaks *b)
{
  size_t most = 1;
  for (const char *c = text; *c; c++) most += (*c == '+' || *c == '-') && c > text && c[-1] == ' ' && c[1] == ' ';
  b->list = pf_arena_array(scratch, Break, most);
  b->count = 0;
  if (!b->list) return false;
  const char *end = text + strlen(text), *from = text;
  int braces = 0, brackets = 0;
  double width = 0;
  for (const char *c = text; c < end;) {
    const char *behind = *c == '\\' ? command_end(c, end) : c + 1;
    braces += (*c == '{') - (*c == '}') + is(c, behind, "\\begin") - is(c, behind, "\\end");
    brackets += is(c, behind, "\\left") - is(c, behind, "\\right");
    if ((*c == '+' || *c == '-') && c > text && c[-1] == ' ' && c[1] == ' ' && braces == 0) {
      width += width_of(from, c, 0);
      b->list[b->count++] = (Break){c, brackets, width};
      from = c;
    }
    c = behind;
  }
  b->list[b->count] = (Break){end, 0, width + width_of(from, end, 0)};
  return true;
}

/* ---------------------------------------------------------------- lines */

static void put_times(PfText *text, const char *what, int count)
{
  for (int i = 0; i < count; i++) pf_text_add(text, what);
}

static const char *line_end(LatexLines lines)
{
  return lines == LATEX_NUMBERED ? " \\notag \\\\\n" : " \\\\\n";
}

/* The formula in lines of this width; the first line is shorter by the width of an equals sign. */
static void put_broken(PfText *text, PfArena *scratch, const char *formula, double room, LatexLines lines)
{
  Breaks b;
  PfMark mark = pf_arena_mark(scratch);
  formula = unfold(scratch, formula, room - INDENT);
  if (!find_breaks(scratch, formula, &b)) {
    pf_text_add(text, formula);
    return;
  }
  const char *from = formula;
  double begin = -EQUALS, whole = b.list[b.count].before;
  for (int next = 0; next < b.count && whole - begin > room;) {
    /* The last place that fits, or one that breaks fewer brackets in the second half of the line. */
    int best = next;
    for (int i = next; i < b.count && b.list[i].before - begin <= room; i++)
      if (b.list[i].brackets <= b.list[best].brackets || b.list[best].before - begin < room/2) best = i;
    int k = best;
    const char *to = b.list[k].at;
    while (to > from && to[-1] == ' ') to--;
    pf_text_print(text, "%.*s", (int)(to - from), from);
    put_times(text, " \\right.", b.list[k].brackets);
    pf_text_print(text, "%s    &\\qquad ", line_end(lines));
    put_times(text, "\\left. ", b.list[k].brackets);
    from = b.list[k].at;
    begin = b.list[k].before - INDENT;
    next = k + 1;
  }
  pf_text_add(text, from);
  pf_arena_release(scratch, mark);
}

bool pf_latex_fits(const char *const *formulas, int count, double between)
{
  double width = 0;
  for (int i = 0; i < count; i++) width += width_of(formulas[i], formulas[i] + strlen(formulas[i]), 0) + between;
  return width < WIDEST_LINE;
}

double pf_latex_left(const char *left)
{
  double width = width_of(left, left + strlen(left), 0);
  return width > WIDEST_LEFT ? 0 : width;
}

void pf_latex_equation(PfText *text, PfArena *scratch, const char *left, const char *right, double column,
                       LatexLines lines, bool last)
{
  double room = WIDEST_LINE - column;
  if (pf_latex_left(left) > 0) {
    pf_text_print(text, "  %s &= ", left);
  } else {
    pf_text_add(text, "  & ");
    put_broken(text, scratch, left, room, lines);
    pf_text_print(text, "%s    &= ", line_end(lines));
  }
  put_broken(text, scratch, right, room, lines);
  pf_text_add(text, last ? "\n" : " \\\\\n");
}

/* ---------------------------------------------------------------- words */

static void put_sign(PfText *text, char c)
{
  static const char signs[] = "\\{}$&#^_%~<>|\"";
  static const char *const words[] = {"\\textbackslash{}", "\\{", "\\}", "\\$", "\\&", "\\#",
                                      "\\textasciicircum{}", "\\_", "\\%", "\\textasciitilde{}", "\\textless{}",
                                      "\\textgreater{}", "\\textbar{}", "\\textquotedbl{}"};
  const char *found = c ? strchr(signs, c) : NULL;
  if (found) pf_text_add(text, words[found - signs]);
  else if ((unsigned char)c >= ' ' && c != 127) pf_text_print(text, "%c", c);
  else pf_text_add(text, " ");
}

void pf_latex_words(PfText *text, const char *words)
{
  for (const char *c = words; *c; c++) {
    unsigned char first = (unsigned char)*c;
    if (first < 0x80) {
      put_sign(text, *c);
    } else if (first == 0xc3 && c[1]) { /* the letters of Latin-1: those that every LaTeX knows */
      pf_text_print(text, "%.2s", c);
      c++;
    } else if (first >= 0xc0) {
      pf_text_add(text, "?");
    }
  }
}
