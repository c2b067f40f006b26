/* SPDX-License-Identifier: Apache-2.0 */
/* robot.c (text/model.c.in): the start, straight-line functions by the code generator, numbers that the motion of a
 * model needs, and this motion (src/export/c). */
#include "export/c_impl.h"

/* ---------------------------------------------------------------- straight-line functions */

typedef struct Straight {
  const PfCText *c;
  const PfExportFunction *f;
} Straight;

/* An input of a tape as an expression of C: a member or an element of the arguments. Time is a double also where
 * numbers are floats. */
static void put_input(PfText *text, const void *user, int input)
{
  const PfCText *c = ((const Straight *)user)->c;
  bool narrow = c->real == PF_REAL_FLOAT && input == c->x->at_time; /* time is double in any case */
  if (narrow) pf_text_add(text, "((float)");
  pf_c_put_symbol(text, c->x, input);
  if (narrow) pf_text_add(text, ")");
}

static void put_element(PfText *text, const PfExportGroup *group, int index)
{
  if (group->members) pf_text_print(text, "%s->%s", group->name, group->members->at[index].id);
  else pf_text_print(text, "%s[%d]", group->name, index);
}

/* An output of a tape as the place to which it is assigned. */
static void put_output(PfText *text, const void *user, int output)
{
  const PfExportFunction *f = ((const Straight *)user)->f;
  int index;
  const PfExportGroup *group = pf_export_group(f, f->place[output], &index);
  put_element(text, group, index);
}

static bool is_listed(const PfExportFunction *f, int place)
{
  for (int i = 0; i < f->count; i++)
    if (f->place[i] == place) return true;
  return false;
}

/* How many of `size` elements from `first` on are listed, which are those that are not zero at all times. */
static int count_listed(const PfExportFunction *f, int first, int size)
{
  int count = 0;
  for (int i = 0; i < f->count; i++) count += f->place[i] >= first && f->place[i] < first + size;
  return count;
}

/* Is there an array with elements that are zero at all times? Then the wrapper has a loop, and needs a counter. */
static bool has_zero_arrays(const PfExportFunction *f)
{
  int first = 0;
  for (int k = 0; k < f->group_count; k++) {
    int size = f->groups[k].rows*f->groups[k].columns;
    if (!f->groups[k].members && count_listed(f, first, size) < size) return true;
    first += size;
  }
  return false;
}

/* The arguments of a function as text in the arena of the export; NULL without memory. */
static const char *list_arguments(const PfCText *c, const PfExportFunction *f, PfCList list)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(c->x->ctx));
  pf_c_put_arguments(&(PfCText){.x = c->x, .text = &text}, f, list);
  return pf_export_keep_text(c->x, &text);
}

/* Fills arrays with zeros, then calls the straight-line code. */
static void put_wrapper(const PfCText *c, const PfExportFunction *f, const char *qualifiers, const char *inner)
{
  pf_text_print(c->text, "%svoid ", qualifiers);
  pf_c_put_function_name(c, f);
  pf_text_add(c->text, "(");
  pf_c_put_arguments(c, f, PF_C_DECLARED);
  pf_text_add(c->text, ")\n{\n");
  if (has_zero_arrays(f)) pf_text_add(c->text, "  int i;\n");
  /* What is zero at all times: arrays by a loop, members one by one. */
  int first = 0;
  for (int k = 0; k < f->group_count; k++) {
    const PfExportGroup *g = f->groups + k;
    int size = g->rows*g->columns;
    if (count_listed(f, first, size) < size && !g->members)
      pf_text_print(c->text, "  for (i = 0; i < %d; i++) %s[i] = 0;\n", size, g->name);
    for (int i = 0; g->members && i < size; i++) {
      if (is_listed(f, first + i)) continue;
      pf_text_add(c->text, "  ");
      put_element(c->text, g, i);
      pf_text_add(c->text, " = 0;\n");
    }
    first += size;
  }
  pf_text_print(c->text, "  %s(", inner);
  pf_c_put_arguments(c, f, PF_C_NAMED);
  pf_text_add(c->text, ");\n}\n\n");
}

/* A function: its code, under another name where elements are zero at all times and a wrapper sets them. Cost: a
 * program of the tape in the arena of the export, and text of about 40 characters for each operation. */
static PfStatus put_straight(const PfCText *c, const PfExportFunction *f, const char *qualifiers)
{
  const bool full = f->count == pf_export_size(f);
  PfText text;
  pf_text_init(&text, pf_context_allocator(c->x->ctx));
  pf_c_put_function_name(&(PfCText){.x = c->x, .text = &text}, f);
  if (!full) pf_text_add(&text, "_code");
  const char *name = pf_export_keep_text(c->x, &text);
  /* The straight-line code of a function under a name. `qualifiers` is "static " or "". Numbers are those of the
   * writer; double precision calls pf_sincos of the runtime for angles of which both functions are needed. */
  const PfExport *x = c->x;
  const bool single = c->real == PF_REAL_FLOAT;
  Straight straight = {c, f};
  PfCodeStyle style = {.dialect = PF_CODE_C, .real = single ? "float" : "double", .name = name,
                       .sincos = single ? NULL : "pf_sincos", .sine = single ? NULL : "pf_",
                       .qualifiers = full ? qualifiers : "static ", .parameters = list_arguments(c, f, PF_C_DECLARED),
                       .arguments = list_arguments(c, f, PF_C_NAMED), .put_input = put_input,
                       .put_output = put_output, .user = &straight};
  PfProgram program;
  if (!name || !style.parameters || !style.arguments) return pf_no_room(x->ctx, "the export");
  PF_TRY(pf_tape_program(x->ctx, x->arena, f->tape, &program));
  PF_TRY(pf_code_write(x->ctx, &program, &style, c->text));
  pf_text_add(c->text, "\n");
  if (!full) put_wrapper(c, f, qualifiers, name);
  return PF_OK;
}

/* All straight-line functions; those that the motion alone calls are static. */
static PfStatus put_functions(const PfCText *c, const char *words)
{
  const PfExport *x = c->x;
  (void)words;
  for (int i = 0; i < x->function_count; i++) {
    const bool inner = i == PF_EXPORT_FLOW || i == PF_EXPORT_FRICTION || i == PF_EXPORT_SLOPES ||
                       i == PF_EXPORT_OUTPUT_SLOPES || i == PF_EXPORT_INPUT_SLOPES || i >= PF_EXPORT_JACOBIANS;
    if (x->functions[i].tape) PF_TRY(put_straight(c, x->functions + i, inner ? "static " : ""));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- the start */

/* A statement for each named quantity: `before` is "p->" or "u->", which stand before its identifier. */
static void put_values(const PfCText *c, const char *before, const PfNamedList *list, const double *values)
{
  for (int i = 0; i < list->count; i++) {
    pf_text_print(c->text, "  %s%s = ", before, list->at[i].id);
    pf_c_put_number(c, values[i]);
    pf_text_add(c->text, ";\n");
  }
  if (!list->count) pf_text_print(c->text, "  %snone = 0;\n", before);
}

/* A statement for each element of q or v of the state. */
static void put_array(const PfCText *c, const char *name)
{
  const PfNumbers start = pf_export_start(c->x, name);
  for (int i = 0; i < start.count; i++) {
    pf_text_print(c->text, "  x->%s[%d] = ", name, i);
    pf_c_put_number(c, start.values[i]);
    pf_text_add(c->text, ";\n");
  }
}

/* The body of robot_init: parameters, time, coordinates, velocities and inputs of the start. */
static void put_start(const PfCText *c, const char *words)
{
  const PfExport *x = c->x;
  (void)words;
  put_values(c, "p->", &x->parameters, x->start);
  pf_text_add(c->text, "  x->time = ");
  pf_c_put_time(c, x->start[x->at_time]);
  pf_text_add(c->text, ";\n");
  put_array(c, "q");
  put_array(c, "v");
  put_values(c, "u->", &x->inputs, x->start + x->at_inputs);
}

/* ---------------------------------------------------------------- numbers of the motion */

/* Arrays of C are not empty. */
static void put_rows(const PfCText *c, const char *which)
{
  int count = 0;
  pf_export_put_rows(c->x, which, 0, ", ", c->text);
  if (pf_template_number(c, which, &count) && !count) pf_text_add(c->text, "0");
}

/* Where rows are redundant: their sizes along the motion. */
static void put_typical(const PfCText *c, const char *words)
{
  (void)words;
  for (int i = 0; i < c->x->m; i++) {
    pf_text_add(c->text, i ? ", " : "");
    pf_c_put_number(c, c->x->typical[i]);
  }
}

/* A case for each frame, by its number. */
static void put_jacobian_cases(const PfCText *c, const char *words)
{
  (void)words;
  for (int i = 0; i < c->x->frames.count; i++)
    pf_text_print(c->text, "  case %d: %s_jacobian_of_%d(p, x, u, J, R); return 1;\n", i, c->x->prefix, i);
}

/* u += factor*du for each input, whose struct has members and no elements. */
static void put_added_inputs(const PfCText *c, const char *words)
{
  (void)words;
  for (int i = 0; i < c->x->inputs.count; i++)
    pf_text_print(c->text, "  u->%s += factor*du[%d];\n", c->x->inputs.at[i].id, i);
}

/* The motion of a model called 'model' (src/export/c/model_motion.c) with the identifier of this one. */
static void put_motion(const PfCText *c, const char *words)
{
  (void)words;
  for (const PfShippedText *shipped = pf_model_texts; shipped->name; shipped++)
    for (const char *const *line = shipped->lines + 1; *line; line++) /* without the licence */
      pf_export_put_line(c->x, *line, c->text);
}

/* robot.c from its template. */
PfStatus pf_c_put_source(const PfCText *c)
{
  static const PfPlaceholder own[] = {{"start", .put = put_start}, {"functions", .make = put_functions},
                                      {"rows", .put = put_rows}, {"typical", .put = put_typical},
                                      {"jacobian_cases", .put = put_jacobian_cases},
                                      {"added_inputs", .put = put_added_inputs}, {"motion", .put = put_motion}, {0}};
  return pf_template_put(c, "model.c.in", own);
}
