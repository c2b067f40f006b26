/* SPDX-License-Identifier: Apache-2.0 */
/* robot.c: straight-line functions by the code generator, the rest from texts. */
#include "export/c_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- straight-line functions */

typedef struct Straight {
  const PfCText *c;
  const PfExportFunction *f;
} Straight;

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

static int count_listed(const PfExportFunction *f, int first, int size)
{
  int count = 0;
  for (int i = 0; i < f->count; i++) count += f->place[i] >= first && f->place[i] < first + size;
  return count;
}

/* What is zero at all times: arrays by a loop, members one by one. */
static void put_zeros(const PfCText *c, const PfExportFunction *f)
{
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
}

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

static PfStatus put_code(const PfCText *c, const PfExportFunction *f, const char *name, const char *qualifiers)
{
  PfText declared, named;
  pf_text_init(&declared, pf_context_allocator(c->x->ctx));
  pf_text_init(&named, pf_context_allocator(c->x->ctx));
  pf_c_put_arguments(&(PfCText){c->x, c->real, &declared}, f, PF_C_DECLARED);
  pf_c_put_arguments(&(PfCText){c->x, c->real, &named}, f, PF_C_NAMED);
  Straight straight = {c, f};
  PfCodeStyle style = {.dialect = PF_CODE_C, .real = c->real == PF_REAL_FLOAT ? "float" : "double", .name = name,
                       .qualifiers = qualifiers, .parameters = pf_text_get(&declared),
                       .arguments = pf_text_get(&named), .put_input = put_input, .put_output = put_output,
                       .user = &straight};
  PfProgram program;
  PfStatus status = pf_tape_program(c->x->ctx, c->x->arena, f->tape, &program);
  if (status == PF_OK) status = pf_code_write(c->x->ctx, &program, &style, c->text);
  pf_text_add(c->text, "\n");
  if (declared.failed || named.failed) status = pf_no_room(c->x->ctx, "the export");
  pf_text_free(&declared);
  pf_text_free(&named);
  return status;
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
  put_zeros(c, f);
  pf_text_print(c->text, "  %s(", inner);
  pf_c_put_arguments(c, f, PF_C_NAMED);
  pf_text_add(c->text, ");\n}\n\n");
}

static PfStatus put_straight(const PfCText *c, const PfExportFunction *f, const char *qualifiers)
{
  PfText name;
  pf_text_init(&name, pf_context_allocator(c->x->ctx));
  pf_c_put_function_name(&(PfCText){c->x, c->real, &name}, f);
  bool full = f->count == pf_export_size(f);
  if (!full) pf_text_add(&name, "_code");
  PfStatus status = name.failed ? pf_no_room(c->x->ctx, "the export")
                                : put_code(c, f, pf_text_get(&name), full ? qualifiers : "static ");
  if (status == PF_OK && !full) put_wrapper(c, f, qualifiers, pf_text_get(&name));
  pf_text_free(&name);
  return status;
}

static bool is_inner(int kind)
{
  return kind == PF_EXPORT_FLOW || kind == PF_EXPORT_FRICTION || kind == PF_EXPORT_SLOPES ||
         kind == PF_EXPORT_OUTPUT_SLOPES || kind == PF_EXPORT_INPUT_SLOPES || kind >= PF_EXPORT_JACOBIANS;
}

/* ---------------------------------------------------------------- the start */

static void put_values(const PfCText *c, const char *before, const PfNamedList *list, const double *values)
{
  for (int i = 0; i < list->count; i++) {
    pf_text_print(c->text, "  %s%s = ", before, list->at[i].id);
    pf_c_put_number(c, values[i]);
    pf_text_add(c->text, ";\n");
  }
}

static void put_array(const PfCText *c, const char *name, const double *values)
{
  for (int i = 0; i < c->x->n; i++) {
    pf_text_print(c->text, "  x->%s[%d] = ", name, i);
    pf_c_put_number(c, values[i]);
    pf_text_add(c->text, ";\n");
  }
}

static void put_init(const PfCText *c)
{
  const PfExport *x = c->x;
  pf_c_put(c, "void @_init(@_params *p, @_state *x, @_input *u)\n{\n");
  put_values(c, "p->", &x->parameters, x->start);
  if (!x->parameters.count) pf_text_add(c->text, "  p->none = 0;\n");
  pf_text_add(c->text, "  x->time = ");
  pf_c_put_time(c, x->start[x->at_time]);
  pf_text_add(c->text, ";\n");
  put_array(c, "q", x->start + x->at_q);
  put_array(c, "v", x->start + x->at_v);
  put_values(c, "u->", &x->inputs, x->start + x->at_inputs);
  if (!x->inputs.count) pf_text_add(c->text, "  u->none = 0;\n");
  pf_text_add(c->text, "}\n\n");
}

/* ---------------------------------------------------------------- the file */

static int at_least(int a, int b)
{
  return a > b ? a : b;
}

/* Arrays of C have one element at least. */
static void put_sizes(const PfCText *c)
{
  const PfExport *x = c->x;
  const struct {
    const char *name;
    int size;
  } sizes[] = {{"M1", at_least(x->m, 1)}, {"MOST", at_least(x->n, x->m)}, {"PAIRS", x->pairs},
               {"PAIRS1", at_least(x->pairs, 1)}, {"MASS_PAIRS", x->mass_pairs}, {"POSITIONS", x->position_count},
               {"VELOCITIES", x->velocity_count}, {"REDUNDANT", x->redundant},
               {"OUTPUTS1", at_least(x->outputs.count, 1)},
               {"OUTPUT_COLUMNS", 3*x->n + x->inputs.count + x->m}, {"ACTUATE", at_least(x->n, x->inputs.count)}};
  pf_text_add(c->text, "enum {\n");
  for (size_t i = 0; i < sizeof sizes/sizeof *sizes; i++)
    pf_text_print(c->text, "  %s_%s = %d%s\n", x->upper, sizes[i].name, sizes[i].size,
                  i + 1 < sizeof sizes/sizeof *sizes ? "," : "");
  pf_text_add(c->text, "};\n\n");
}

PfStatus pf_c_put_source(const PfCText *c)
{
  const PfExport *x = c->x;
  pf_c_put(c, "/* Made by pfaff; see @.h. Straight-line code is the model, in the order in which few values are "
              "alive;\n"
              " * the rest is the same for every model. Compile without -ffast-math. */\n"
              "#include \"@.h\"\n\n#include <math.h>\n#include <stddef.h>\n\n");
  put_sizes(c);
  put_init(c);
  for (int i = 0; i < x->function_count; i++) {
    if (!x->functions[i].tape) continue;
    PF_TRY(put_straight(c, x->functions + i, is_inner(i) ? "static " : ""));
  }
  pf_c_put_solver(c);
  pf_c_put_interface(c);
  if (c->text->count && pf_text_get(c->text)[c->text->count - 1] == '\n') c->text->at[--c->text->count] = 0;
  return PF_OK;
}
