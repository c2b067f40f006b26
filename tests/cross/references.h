/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of tests/reference and the states they belong to: what the cross tests of accelerations share. */
#ifndef PF_TESTS_REFERENCES_H
#define PF_TESTS_REFERENCES_H

#include "form/formulations.h"

/* ---------------------------------------------------------------- tables */

enum { MOST_LINES = 200, MOST_CELLS = 80 };

typedef struct Table {
  int lines, columns;
  char *cell[MOST_LINES][MOST_CELLS]; /* line 0 holds the names of the columns */
} Table;

static inline int split(char *line, char **cells)
{
  int count = 0;
  for (char *at = line; at; count++) {
    assert_true(count < MOST_CELLS);
    cells[count] = at;
    at = strchr(at, ',');
    if (at) *at++ = 0;
  }
  return count;
}

static inline Table *read_table(Fixture *f, const char *name)
{
  char path[1024];
  const char *bytes;
  size_t count;
  snprintf(path, sizeof path, PF_SOURCE_DIR "/tests/reference/%s", name);
  assert_int_equal(pf_file_read(f->ctx, f->arena, path, 1 << 20, &bytes, &count), PF_OK);
  Table *table = pf_arena_array(f->arena, Table, 1);
  char *text = pf_arena_text(f->arena, bytes, count);
  assert_true(table && text);
  for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
    if (*line == '#') continue;
    assert_true(table->lines < MOST_LINES);
    int cells = split(line, table->cell[table->lines]);
    if (!table->lines) table->columns = cells;
    assert_int_equal(cells, table->columns);
    table->lines++;
  }
  return table;
}

static inline double cell(const Table *table, int line, const char *column)
{
  for (int k = 0; k < table->columns; k++)
    if (!strcmp(table->cell[0][k], column)) return strtod(table->cell[line][k], NULL);
  fail_msg("no column '%s'", column);
  return NAN;
}

/* ---------------------------------------------------------------- the published systems */

typedef struct Case {
  const char *name, *model;
  const char *parameter[2]; /* set to these values first */
  double value[2];
  bool millimetres;         /* the table is in kg, mm, s */
  double cancels;           /* size of forces that cancel in the sum of the applied ones */
} Case;

static const Case cases[] = {
  {.name = "free_floating paper start", .model = "free_floating"},
  {.name = "free_floating asymmetric start", .model = "free_floating"},
  {.name = "free_floating_cm paper start", .model = "free_floating_cm"},
  {.name = "free_floating_cm asymmetric start", .model = "free_floating_cm"},
  {.name = "free_floating_published paper start", .model = "free_floating_published"},
  {.name = "free_floating_published asymmetric start", .model = "free_floating_published"},
  {.name = "omni_robot published start", .model = "omni_robot", .millimetres = true},
  {.name = "omni_robot exact start", .model = "omni_robot", .millimetres = true},
  {.name = "omni_robot exact start in N mm", .model = "omni_robot", .parameter = {"Q"}, .value = {250e-6},
   .millimetres = true},
  {.name = "piano_wheel at rest", .model = "piano_wheel"},
  {.name = "piano_wheel rolling", .model = "piano_wheel"},
  {.name = "carriage_mecanum at rest", .model = "carriage_mecanum"},
  {.name = "carriage_mecanum moving", .model = "carriage_mecanum"},
  {.name = "carriage_omni3 inertial periodic", .model = "carriage_omni3", .parameter = {"c1", "c2"}},
  {.name = "carriage_omni3 inertial asymptotic", .model = "carriage_omni3", .parameter = {"c1", "c2"}},
  {.name = "carriage_omni3 driven", .model = "carriage_omni3", .cancels = 0.32/0.05}, /* c1 U and c2 chi' at the rim */
    {.name = "two_omni", .model = "two_omni"},
  {.name = "differential_drive", .model = "differential_drive"},
};

static inline double unit_of(const Case *c, const char *coordinate)
{
  bool length = !strcmp(coordinate, "x") || !strcmp(coordinate, "y");
  return c->millimetres && length ? 1e-3 : 1;
}

static inline bool is_multiplier(const Table *table, int line)
{
  return !strncmp(table->cell[line][1], "lambda ", 7);
}

static inline int set_case_state(System *s, const Table *table, const Case *c)
{
  int found = 0;
  for (int i = 1; i < table->lines; i++) {
    if (strcmp(table->cell[i][0], c->name) != 0 || is_multiplier(table, i)) continue;
    const char *name = table->cell[i][1];
    double unit = unit_of(c, name);
    set_state(s, name, unit*cell(table, i, "q"), unit*cell(table, i, "v"));
    found++;
  }
  return found;
}

/* ---------------------------------------------------------------- motions with accelerations */

/* Numbers of one line: name, name_d, name_dd. */
static inline void set_line_state(System *s, const Table *table, int line, const char *column, const char *name)
{
  char rate[64];
  snprintf(rate, sizeof rate, "%s_d", column);
  set_state(s, name, cell(table, line, column), cell(table, line, rate));
}

static inline double line_acceleration(const Table *table, int line, const char *column)
{
  char name[64];
  snprintf(name, sizeof name, "%s_dd", column);
  return cell(table, line, name);
}

/* ---------------------------------------------------------------- the hand */

/* q11 -> f1.q1, u2 -> f2.u, xo -> xo */
static inline const char *hand_name(const char *column, char *name)
{
  size_t length = strlen(column);
  if (!strcmp(column, "xo") || !strcmp(column, "yo") || !strcmp(column, "phi")) return column;
  if (length == 3) snprintf(name, 8, "f%c.q%c", column[1], column[2]);
  else snprintf(name, 8, "f%c.%c", column[1], column[0]);
  return name;
}

typedef struct Load {
  const char *acceleration, *force, *motion;
  bool torques, resistance;
} Load;

static const Load loads[] = {
  {"qdd_zero", "Qc_zero", "hand-zero-torque.csv", false, false},
  {"qdd_hold", "Qc_hold", "hand-hold.csv", true, false},
  {"qdd_visc", "Qc_visc", "hand-hold-viscous.csv", true, true},
};

/* Parameters that are not zero have the value of the model. */
static inline void use_load(System *s, const Load *load)
{
  for (int i = 1; i <= 9; i++) {
    char name[8];
    snprintf(name, sizeof name, "tau[%d]", i);
    set_parameter(s, name, load->torques ? NAN : 0);
  }
  set_parameter(s, "c", load->resistance ? NAN : 0);
}

static inline void load_hand(Fixture *f, const Load *load, System *s)
{
  load_system(f, "hand", s);
  use_load(s, load);
}

/* Holding torques balance forces that would accelerate the links by hundreds of rad/s^2, the measure of
 * rounding. */
static const double hand_tolerance = 1e-11, hand_acceleration = 100;

#endif
