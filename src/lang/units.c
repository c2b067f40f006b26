/* SPDX-License-Identifier: Apache-2.0 */
/* Units: a table, a small grammar, and exact factors to SI. */
#include "lang/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const double PI = 3.14159265358979323846;

/* Factors to SI: the international avoirdupois pound and foot are exact by definition (1959), so is the
 * standard acceleration 9.80665 m/s^2 in lbf and kgf. SI brochure, 9th edition, tables 2 to 8. */
typedef struct Entry {
  const char *name;
  enum { PLAIN, PREFIXED } prefix; /* may it have a prefix? */
  int8_t power[PF_BASE_COUNT];     /* kg m s A K mol cd rad */
  int64_t num, den;
  int pi_power;
} Entry;

static const Entry entries[] = {
  {"g", PREFIXED, {1}, 1, 1000, 0},
  {"m", PREFIXED, {0, 1}, 1, 1, 0},
  {"s", PREFIXED, {0, 0, 1}, 1, 1, 0},
  {"A", PREFIXED, {0, 0, 0, 1}, 1, 1, 0},
  {"K", PREFIXED, {0, 0, 0, 0, 1}, 1, 1, 0},
  {"mol", PREFIXED, {0, 0, 0, 0, 0, 1}, 1, 1, 0},
  {"cd", PREFIXED, {0, 0, 0, 0, 0, 0, 1}, 1, 1, 0},
  {"rad", PREFIXED, {0, 0, 0, 0, 0, 0, 0, 1}, 1, 1, 0},
  {"Hz", PREFIXED, {0, 0, -1}, 1, 1, 0},
  {"N", PREFIXED, {1, 1, -2}, 1, 1, 0},
  {"Pa", PREFIXED, {1, -1, -2}, 1, 1, 0},
  {"J", PREFIXED, {1, 2, -2}, 1, 1, 0},
  {"W", PREFIXED, {1, 2, -3}, 1, 1, 0},
  {"C", PREFIXED, {0, 0, 1, 1}, 1, 1, 0},
  {"V", PREFIXED, {1, 2, -3, -1}, 1, 1, 0},
  {"F", PREFIXED, {-1, -2, 4, 2}, 1, 1, 0},
  {"Ohm", PREFIXED, {1, 2, -3, -2}, 1, 1, 0},
  {"\u03A9", PREFIXED, {1, 2, -3, -2}, 1, 1, 0},
  {"T", PREFIXED, {1, 0, -2, -1}, 1, 1, 0},
  {"H", PREFIXED, {1, 2, -2, -2}, 1, 1, 0},
  {"L", PREFIXED, {0, 3}, 1, 1000, 0},
  {"bar", PREFIXED, {1, -1, -2}, 100000, 1, 0},
  {"t", PLAIN, {1}, 1000, 1, 0},
  {"min", PLAIN, {0, 0, 1}, 60, 1, 0},
  {"h", PLAIN, {0, 0, 1}, 3600, 1, 0},
  {"day", PLAIN, {0, 0, 1}, 86400, 1, 0},
  {"deg", PLAIN, {0, 0, 0, 0, 0, 0, 0, 1}, 1, 180, 1},
  {"\u00B0", PLAIN, {0, 0, 0, 0, 0, 0, 0, 1}, 1, 180, 1},
  {"rev", PLAIN, {0, 0, 0, 0, 0, 0, 0, 1}, 2, 1, 1},
  {"rpm", PLAIN, {0, 0, -1, 0, 0, 0, 0, 1}, 1, 30, 1},
  {"in", PLAIN, {0, 1}, 254, 10000, 0},
  {"ft", PLAIN, {0, 1}, 3048, 10000, 0},
  {"lb", PLAIN, {1}, 45359237, 100000000, 0},
  {"lbf", PLAIN, {1, 1, -2}, 44482216152605, 10000000000000, 0},
  {"kgf", PLAIN, {1, 1, -2}, 980665, 100000, 0},
  {"%", PLAIN, {0}, 1, 100, 0},
};
enum { ENTRY_COUNT = sizeof entries/sizeof *entries };

static const struct {
  const char *text;
  int64_t num, den;
} prefixes[] = {
  {"p", 1, 1000000000000}, {"n", 1, 1000000000}, {"u", 1, 1000000}, {"\u00B5", 1, 1000000},
  {"\u03BC", 1, 1000000},  {"m", 1, 1000},       {"c", 1, 100},     {"d", 1, 10},
  {"h", 100, 1},           {"k", 1000, 1},       {"M", 1000000, 1}, {"G", 1000000000, 1},
};
enum { PREFIX_COUNT = sizeof prefixes/sizeof *prefixes };

/* Names that people write out. */
static const struct {
  const char *word, *unit;
} habits[] = {
  {"sec", "s"},       {"second", "s"},   {"seconds", "s"},   {"meter", "m"},     {"metre", "m"},
  {"meters", "m"},    {"gram", "g"},     {"kilo", "kg"},     {"kilogram", "kg"}, {"newton", "N"},
  {"joule", "J"},     {"watt", "W"},     {"volt", "V"},      {"ampere", "A"},    {"kelvin", "K"},
  {"hertz", "Hz"},    {"pascal", "Pa"},  {"degree", "deg"},  {"degrees", "deg"}, {"radian", "rad"},
  {"radians", "rad"}, {"minute", "min"}, {"minutes", "min"}, {"hour", "h"},      {"hours", "h"},
  {"hr", "h"},        {"d", "day"},      {"days", "day"},    {"inch", "in"},     {"foot", "ft"},
  {"feet", "ft"},     {"pound", "lb"},   {"lbs", "lb"},      {"rps", "rev/s"},   {"kmh", "km/h"},
  {"kph", "km/h"},    {"percent", "%"},  {"ohm", "Ohm"},     {"l", "L"},         {"liter", "L"},
  {"litre", "L"},     {"mps", "m/s"},    {"degC", "K"},      {"none", "1"},      {"Nm", "N m"},
  {"Nms", "N m s"},
};
enum { HABIT_COUNT = sizeof habits/sizeof *habits };

/* ---------------------------------------------------------------- dimensions */

static int16_t clamp(int power)
{
  return (int16_t)(power > INT16_MAX ? INT16_MAX : power < -INT16_MAX ? -INT16_MAX : power);
}

PfDimension pf_dimension_multiply(PfDimension a, PfDimension b)
{
  for (int i = 0; i < PF_BASE_COUNT; i++) a.power[i] = clamp(a.power[i] + b.power[i]);
  return a;
}

/* The dimension of a quotient. */
PfDimension pf_dimension_divide(PfDimension a, PfDimension b)
{
  for (int i = 0; i < PF_BASE_COUNT; i++) a.power[i] = clamp(a.power[i] - b.power[i]);
  return a;
}

bool pf_dimension_power(PfDimension a, int64_t num, int64_t den, PfDimension *result)
{
  const int64_t most = (int64_t)1 << 32;
  *result = (PfDimension){{0}};
  if (!den) return false;
  for (int i = 0; i < PF_BASE_COUNT; i++) {
    if (!a.power[i]) continue;
    if (num > most || num < -most) return false;
    int64_t twelfths = a.power[i]*num;
    bool label = i == PF_BASE_RAD; /* one that does not fit is dropped */
    bool fits = twelfths%den == 0 && twelfths/den <= INT16_MAX && twelfths/den >= -INT16_MAX;
    if (!fits && !label) return false;
    result->power[i] = (int16_t)(fits ? twelfths/den : 0);
  }
  return true;
}

bool pf_dimension_equal(PfDimension a, PfDimension b)
{
  for (int i = 0; i < PF_BASE_RAD; i++)
    if (a.power[i] != b.power[i]) return false;
  return true;
}

/* Is it a pure number? */
bool pf_dimension_is_none(PfDimension a)
{
  return pf_dimension_equal(a, (PfDimension){{0}});
}

/* The greatest common divisor. */
static int64_t divisor_of(int64_t a, int64_t b)
{
  while (b) {
    int64_t remainder = a%b;
    a = b;
    b = remainder;
  }
  return a;
}

/* ---------------------------------------------------------------- as text */

/* All factors with exponents of one sign, separated by blanks: m, m^2, m^(1/2). Returns how long the text is. */
static int print_factors(char *buffer, size_t size, const int *power, int sign)
{
  static const char *const names[PF_BASE_COUNT] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  static const int order[PF_BASE_COUNT] = {PF_BASE_RAD, PF_BASE_KG, PF_BASE_M,   PF_BASE_S,
                                           PF_BASE_A,   PF_BASE_K,  PF_BASE_MOL, PF_BASE_CD};
  int length = 0;
  for (int i = 0; i < PF_BASE_COUNT && (size_t)length < size; i++) {
    int exponent = power[order[i]]*sign; /* in twelfths */
    if (exponent <= 0) continue;
    int divisor = (int)divisor_of(exponent, PF_DIMENSION_GRAIN);
    int num = exponent/divisor, den = PF_DIMENSION_GRAIN/divisor;
    char *to = buffer + length;
    size_t room = size - (size_t)length;
    const char *before = length ? " " : "", *name = names[order[i]];
    if (den > 1) length += snprintf(to, room, "%s%s^(%d/%d)", before, name, num, den);
    else if (num > 1) length += snprintf(to, room, "%s%s^%d", before, name, num);
    else length += snprintf(to, room, "%s%s", before, name);
  }
  return length;
}

/* The dimension as a unit, into the buffer, which is returned. */
const char *pf_dimension_text(PfDimension dimension, char *buffer, size_t size)
{
  int power[PF_BASE_COUNT], below = 0;
  /* rad alone or with seconds: an angle, a rate of turn */
  bool label = dimension.power[PF_BASE_RAD] == PF_DIMENSION_GRAIN;
  for (int i = 0; i < PF_BASE_COUNT; i++) power[i] = dimension.power[i];
  for (int i = 0; i < PF_BASE_RAD; i++) label = label && (i == PF_BASE_S || !power[i]);
  if (!label) power[PF_BASE_RAD] = 0;
  for (int i = 0; i < PF_BASE_COUNT; i++) below += power[i] < 0;

  char above_text[PF_DIMENSION_TEXT] = "", below_text[PF_DIMENSION_TEXT] = "";
  if (!print_factors(above_text, sizeof above_text, power, 1)) snprintf(above_text, sizeof above_text, "1");
  print_factors(below_text, sizeof below_text, power, -1);
  if (below == 0) snprintf(buffer, size, "%s", above_text);
  else snprintf(buffer, size, below > 1 ? "%s/(%s)" : "%s/%s", above_text, below_text);
  return buffer;
}

/* ---------------------------------------------------------------- factors */

/* Positive numbers only; false when the product does not fit. */
static bool multiply(int64_t a, int64_t b, int64_t *product)
{
  assert(b > 0);
  if (a > INT64_MAX/b) return false;
  *product = a*b;
  return true;
}

/* The double nearest to the exact factor, when there is one. */
static void set_scale(PfUnit *unit)
{
  if (unit->exact) unit->scale = (double)unit->scale_num/(double)unit->scale_den*pow(PI, unit->pi_power);
}

/* Multiplies the factor by num/den, crosswise reduced so that it overflows as late as possible. */
static void multiply_scale(PfUnit *unit, int64_t num, int64_t den)
{
  unit->scale *= (double)num/(double)den;
  if (!unit->exact) return;
  int64_t a = divisor_of(unit->scale_num, den), b = divisor_of(num, unit->scale_den);
  unit->exact = multiply(unit->scale_num/a, num/b, &unit->scale_num) &&
                multiply(unit->scale_den/b, den/a, &unit->scale_den);
}

static const PfUnit one = {.scale_num = 1, .scale_den = 1, .scale = 1, .exact = true};

/* unit^(num/den), den > 0; false when the dimension does not allow it. */
static bool raise_unit(PfUnit *unit, int num, int den)
{
  PfUnit base = *unit;
  *unit = one;
  if (!pf_dimension_power(base.dimension, num, den, &unit->dimension)) return false;
  bool plain = base.exact && base.scale_num == base.scale_den && !base.pi_power;
  if (plain) return true;
  if (den > 1 || !base.exact) {
    unit->exact = false;
    unit->scale = pow(base.scale, (double)num/den);
    return true;
  }
  int64_t above = num < 0 ? base.scale_den : base.scale_num;
  int64_t below = num < 0 ? base.scale_num : base.scale_den;
  for (int i = 0; i < (num < 0 ? -num : num); i++) multiply_scale(unit, above, below);
  unit->pi_power = base.pi_power*num;
  unit->scale *= pow(PI, unit->pi_power);
  return true;
}

/* ---------------------------------------------------------------- looking up */

static const Entry *find_entry(const char *word, size_t size)
{
  for (int i = 0; i < ENTRY_COUNT; i++)
    if (strlen(entries[i].name) == size && !memcmp(entries[i].name, word, size)) return entries + i;
  return NULL;
}

static void set_unit(PfUnit *unit, const Entry *entry)
{
  int64_t divisor = divisor_of(entry->num, entry->den);
  *unit = (PfUnit){.pi_power = entry->pi_power, .exact = true};
  unit->scale_num = entry->num/divisor;
  unit->scale_den = entry->den/divisor;
  for (int i = 0; i < PF_BASE_COUNT; i++)
    unit->dimension.power[i] = (int16_t)(entry->power[i]*PF_DIMENSION_GRAIN);
  set_scale(unit);
}

/* A whole name comes before a prefix: cd is a candela, not a hundredth of a day. */
static bool find_unit(const char *word, size_t size, PfUnit *unit)
{
  const Entry *entry = find_entry(word, size);
  if (entry) {
    set_unit(unit, entry);
    return true;
  }
  for (int i = 0; i < PREFIX_COUNT; i++) {
    size_t length = strlen(prefixes[i].text);
    if (size <= length || memcmp(word, prefixes[i].text, length) != 0) continue;
    entry = find_entry(word + length, size - length);
    if (!entry || entry->prefix != PREFIXED) continue;
    set_unit(unit, entry);
    multiply_scale(unit, prefixes[i].num, prefixes[i].den);
    return true;
  }
  return false;
}

/* ---------------------------------------------------------------- suggestions */

/* Nm is N m, kgm2 is kg m^2. */
static bool find_pieces(const char *word, char *buffer, size_t size)
{
  size_t length = strlen(word), letters = length;
  PfUnit ignored;
  while (letters > 0 && word[letters - 1] >= '0' && word[letters - 1] <= '9') letters--;
  const char *power = letters < length ? "^" : "";
  if (letters < length && find_unit(word, letters, &ignored)) {
    snprintf(buffer, size, "%.*s^%s", (int)letters, word, word + letters);
    return true;
  }
  for (size_t cut = letters; cut-- > 1;) {
    if (!find_unit(word, cut, &ignored) || !find_unit(word + cut, letters - cut, &ignored)) continue;
    snprintf(buffer, size, "%.*s %.*s%s%s", (int)cut, word, (int)(letters - cut), word + cut, power,
             word + letters);
    return true;
  }
  return false;
}

/* What was likely meant by an unknown unit: a name that is written out, the wrong case (Kg, HZ, mpa), units without a
 * blank or '^', or a misprint. */
static void suggest(PfContext *ctx, const char *word)
{
  char buffer[80];
  bool found = false;
  for (int i = 0; i < HABIT_COUNT; i++) {
    if (strcasecmp(word, habits[i].word)) continue;
    pf_hint(ctx, "write: [%s]", habits[i].unit);
    return;
  }
  if (strlen(word) > 32) return;
  if (strstr(word, "\u00B2") || strstr(word, "\u00B3")) {
    pf_hint(ctx, "powers are written with ^: [m^2]");
    return;
  }
  for (int i = 0; i < ENTRY_COUNT && !found; i++) {
    snprintf(buffer, sizeof buffer, "%s", entries[i].name);
    found = !strcasecmp(word, buffer);
    for (int j = 0; j < PREFIX_COUNT && entries[i].prefix == PREFIXED && !found; j++) {
      snprintf(buffer, sizeof buffer, "%s%s", prefixes[j].text, entries[i].name);
      found = !strcasecmp(word, buffer);
    }
  }
  found = found || find_pieces(word, buffer, sizeof buffer);
  for (int i = 0; i < ENTRY_COUNT && strlen(word) > 2 && !found; i++) {
    found = strlen(entries[i].name) >= 2 && pf_name_distance(word, entries[i].name, 1) <= 1;
    if (found) snprintf(buffer, sizeof buffer, "%s", entries[i].name);
  }
  if (found) pf_hint(ctx, "did you mean [%s]?", buffer);
}

/* ---------------------------------------------------------------- grammar */

typedef struct Reader {
  PfContext *ctx;
  PfPlace place;
  const char *text, *at;
  int depth;
} Reader;

enum { DEEPEST = 8, MOST_POWER = 99 };

static PfStatus product(Reader *r, PfUnit *unit);

static PfStatus wrong(Reader *r, const char *what, const char *hint)
{
  const char *shown = strlen(r->text) > 80 ? "…" : r->text;
  pf_fail_at(r->ctx, PF_ERR_UNIT, r->place, "in the unit [%s]: %s", shown, what);
  if (hint) pf_hint(r->ctx, "%s", hint);
  return PF_ERR_UNIT;
}

static void skip_blanks(Reader *r)
{
  while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool accept(Reader *r, char c)
{
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* A whole number of at most MOST_POWER. */
static bool whole(Reader *r, int *number)
{
  if (!is_digit(*r->at)) return false;
  *number = 0;
  for (; is_digit(*r->at); r->at++)
    if (*number <= MOST_POWER) *number = 10*(*number) + (*r->at - '0');
  return *number <= MOST_POWER;
}

/* ^2, ^-1, ^1.5, ^(3/2) */
static PfStatus exponent(Reader *r, PfUnit *unit)
{
  const char *hint = "for example: m^2, s^-1, m^1.5, m^(1/2)";
  int num = 1, den = 1;
  if (!accept(r, '^')) return PF_OK;
  bool bracket = accept(r, '('), minus = accept(r, '-'), good = whole(r, &num);
  if (good && accept(r, '.')) { /* the digits after the point, as a fraction */
    good = is_digit(*r->at);
    for (; is_digit(*r->at) && good; r->at++) {
      good = den < 1000;
      num = 10*num + (*r->at - '0');
      den *= 10;
    }
    int divisor = (int)divisor_of(num, den);
    num /= divisor, den /= divisor;
  }
  if (!good) return wrong(r, "the exponent after '^' is not a small number", hint);
  if (bracket && den == 1 && accept(r, '/') && (!whole(r, &den) || den == 0))
    return wrong(r, "the exponent after '^' is not a fraction of small numbers", hint);
  if (bracket && !accept(r, ')')) return wrong(r, "the ')' of the exponent is missing", hint);
  bool exists = raise_unit(unit, minus ? -num : num, den);
  return exists ? PF_OK : wrong(r, "no such root can be taken of this unit", NULL);
}

static bool is_word(char c)
{
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
  return letter || is_digit(c) || c == '%' || c == '_';
}

/* Is the middle dot, a sign of multiplication, next? */
static bool at_dot(const char *at)
{
  return at[0] == '\xC2' && at[1] == '\xB7';
}

static PfStatus name(Reader *r, PfUnit *unit)
{
  const char *start = r->at;
  while (is_word(*r->at) && !at_dot(r->at)) r->at++;
  size_t size = (size_t)(r->at - start);
  if (find_unit(start, size, unit)) return PF_OK;
  char word[64];
  snprintf(word, sizeof word, "%.*s", size < sizeof word ? (int)size : 0, start);
  pf_fail_at(r->ctx, PF_ERR_UNIT, r->place, "unknown unit '%s'", *word ? word : "…");
  suggest(r->ctx, word);
  return PF_ERR_UNIT;
}

/* A unit with its exponent, a group, or 1. */
static PfStatus factor(Reader *r, PfUnit *unit)
{
  skip_blanks(r);
  *unit = one;
  if (accept(r, '(')) {
    if (++r->depth > DEEPEST) return wrong(r, "too many brackets", NULL);
    PF_TRY(product(r, unit));
    r->depth--;
    if (!accept(r, ')')) return wrong(r, "a ')' is missing", NULL);
  } else if (is_digit(*r->at) || *r->at == '.') {
    if (*r->at != '1' || is_word(r->at[1]) || r->at[1] == '.')
      return wrong(r, "a number other than 1",
                   "the number comes before the brackets, and a power needs ^: 5 [m^2]");
    r->at++;
  } else if (is_word(*r->at) && !at_dot(r->at)) {
    PF_TRY(name(r, unit));
  } else {
    if (*r->at)
      return wrong(r, "a sign that does not belong there", "for example: [kg m^2], [N m/rad], [1/s]");
    return wrong(r, "a unit is missing", "for example: [kg m^2], [N m/rad], [1/s]; a plain number is [1]");
  }
  return exponent(r, unit);
}

/* factor, factor factor, factor/factor …: multiplies the units from left to right. */
static PfStatus product(Reader *r, PfUnit *unit)
{
  PfUnit next;
  PF_TRY(factor(r, unit));
  for (bool below = false;;) { /* the factor before was after a '/' */
    skip_blanks(r);
    bool over = accept(r, '/'), blank = !over && !accept(r, '*');
    if (blank && at_dot(r->at)) {
      r->at += 2;
      blank = false;
    }
    if (blank && (*r->at == 0 || *r->at == ')')) return PF_OK;
    if (blank && below) /* J/kg K has two readings */
      return wrong(r, "it is not clear what is below the line", "write J/(kg K) or J K/kg");
    PF_TRY(factor(r, &next));
    if (over) raise_unit(&next, -1, 1);
    unit->dimension = pf_dimension_multiply(unit->dimension, next.dimension);
    if (next.exact) {
      unit->pi_power += next.pi_power;
      unit->scale *= pow(PI, next.pi_power);
      multiply_scale(unit, next.scale_num, next.scale_den);
    } else {
      unit->exact = false;
      unit->scale *= next.scale;
    }
    below = over;
  }
}

PfStatus pf_unit_parse(PfContext *ctx, PfPlace place, const char *text, PfUnit *unit)
{
  Reader reader = {.ctx = ctx, .place = place, .text = text, .at = text};
  *unit = one;
  skip_blanks(&reader);
  if (*reader.at == '-') { /* no unit at all, as in tables */
    reader.at++;
    skip_blanks(&reader);
    return *reader.at ? wrong(&reader, "something after '-'", NULL) : PF_OK;
  }
  PfUnit read;
  PF_TRY(product(&reader, &read));
  if (*reader.at) return wrong(&reader, "a ')' without a '('", NULL);
  *unit = read;
  set_scale(unit);
  if (!unit->exact) unit->scale_num = unit->scale_den = 1, unit->pi_power = 0;
  return PF_OK;
}
