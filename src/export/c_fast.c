/* SPDX-License-Identifier: Apache-2.0 */
/* robot_fast.h, robot_fast.c (text/model_fast.h.in, text/model_fast.c.in): accelerations for processors with vectors.
 * Parts that depend on parameters alone are worked out once, by robot_prepare; sine and cosine are those of native
 * code, so that eight states at once give the bits of one. */
#include "export/c_impl.h"

#include "codegen/native.h"

enum { ANGLES = 4 }; /* of one state, together */

/* The program of accelerations in two: up to the prepared numbers, and from them on. */
typedef struct Fast {
  const PfCText *c;
  const PfExportFunction *f;
  PfProgram before, after; /* inputs of `after` from `given` on are the outputs of `before` */
  int given;
  bool many;               /* eight states at once, not one */
} Fast;

static void put_input(PfText *text, const void *user, int input)
{
  const Fast *fast = user;
  if (fast->many) pf_text_add(text, input >= fast->given ? "pf_all(" : "*(const fast_loose *)");
  if (input >= fast->given) pf_text_print(text, "prepared->k[%d]", input - fast->given);
  else pf_c_put_symbol(text, fast->c->x, input);
  if (fast->many && input >= fast->given) pf_text_add(text, ")");
}

static void put_output(PfText *text, const void *user, int output)
{
  const Fast *fast = user;
  int index;
  const PfExportGroup *group = pf_export_group(fast->f, fast->f->place[output], &index);
  pf_text_print(text, fast->many ? "*(fast_loose *)%s[%d]" : "%s[%d]", group->name, index);
}

static void put_prepared(PfText *text, const void *user, int output)
{
  (void)user;
  pf_text_print(text, "prepared->k[%d]", output);
}

static void put_constant(PfText *text, const void *user, int constant)
{
  const Fast *fast = user;
  pf_text_add(text, "pf_all(");
  pf_c_put_number(&(PfCText){.x = fast->c->x, .real = PF_REAL_DOUBLE, .text = text}, fast->after.constants[constant]);
  pf_text_add(text, ")");
}

/* Writes a program as a function, and a blank line. */
static PfStatus put_program(const PfCText *c, const PfProgram *program, const PfCodeStyle *style)
{
  if (!style->name || !style->parameters) return pf_no_room(c->x->ctx, "the export");
  PF_TRY(pf_code_write(c->x->ctx, program, style, c->text));
  pf_text_add(c->text, "\n");
  return PF_OK;
}

/* robot_prepare(p, prepared): the first half of the program, which depends on parameters alone. */
static PfStatus put_prepare(const PfCText *c, const char *words)
{
  const Fast *fast = c->user;
  (void)words;
  return put_program(c, &fast->before, &(PfCodeStyle){
    .dialect = PF_CODE_C, .real = "double", .name = pf_c_marked(c, "@_prepare"), .qualifiers = "",
    .parameters = pf_c_marked(c, "const @_params *p, @_prepared *prepared"), .arguments = "p, prepared",
    .put_input = put_input, .put_output = put_prepared, .user = fast});
}

/* <<flow one>>, <<flow many>>: the second half for one state, with its angles first, or for eight. The parameters of
 * both functions differ in the types of states and results only. */
static PfStatus put_flow(const PfCText *c, const char *words)
{
  Fast fast = *(const Fast *)c->user;
  PfProgram program = fast.after;
  fast.many = words[0] == 'm';
  if (!fast.many) PF_TRY(pf_program_angles_first(c->x->ctx, c->x->arena, &fast.after, &program));
  const char *parameters =
    fast.many ? "const @_prepared *restrict prepared, const @_states *restrict x, const @_inputs *restrict u, "
                "double (*restrict a)[$_LANES], double (*restrict lambda)[$_LANES], double (*restrict pivot)[$_LANES], "
                "const struct functions *restrict use"
              : "const @_prepared *restrict prepared, const @_state *restrict x, const @_input *restrict u, "
                "double *restrict a, double *restrict lambda, double *restrict pivot, "
                "const struct functions *restrict use";
  return put_program(c, &program, &(PfCodeStyle){
    .dialect = fast.many ? PF_CODE_LANES : PF_CODE_C, .real = fast.many ? "pf_lanes" : "double", .math = "pf_",
    .sincos = "pf_sincos", .group = fast.many ? 0 : ANGLES, .group_type = "pf_angles",
    .name = fast.many ? "fast_flows" : "fast_flow", .qualifiers = "static ", .parameters = pf_c_marked(c, parameters),
    .arguments = "prepared, x, u, a, lambda, pivot, use", .put_input = put_input, .put_output = put_output,
    .put_constant = fast.many ? put_constant : NULL, .user = &fast});
}

/* <<native functions>>, <<native single>>, <<native names>>, <<native end>>, <<native many>>: the parts of sources of
 * native code (codegen/native.h), so that an export and the program compile the same text. `names` lists the functions
 * of the mathematics library as initialisers. */
static void put_native(const PfCText *c, const char *part)
{
  static const char names[] =
#define USE(name) ", " #name
    PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE)
#undef USE
    ;
  switch (part[0]) {
  case 'f': pf_native_put_functions(c->text); break;
  case 's': pf_native_put_single(c->text, ANGLES); break;
  case 'n': pf_text_add(c->text, names); break;
  case 'e': pf_native_put_end(c->text); break;
  default: pf_native_put_many(c->text);
  }
}

/* The length of the array of prepared numbers; arrays of C are not empty. */
static void put_prepared_count(const PfCText *c, const char *words)
{
  const uint32_t count = ((const Fast *)c->user)->before.output_count;
  (void)words;
  pf_text_print(c->text, "%d", count ? (int)count : 1);
}

/* Members of the struct of inputs: one array of lanes each. */
static void put_input_lanes(const PfCText *c, const char *words)
{
  const PfExport *x = c->x;
  (void)words;
  for (int i = 0; i < x->inputs.count; i++)
    pf_text_print(c->text, "  %s_real %s[%s_LANES];\n", x->prefix, x->inputs.at[i].id, x->upper);
  if (!x->inputs.count) pf_text_print(c->text, "  %s_real none[%s_LANES];\n", x->prefix, x->upper);
}

/* Splits the program of accelerations at the time: all before it depends on parameters alone. The two halves are
 * written by the placeholders of both templates, with `fast` as the user of the writer. */
PfStatus pf_c_put_fast(PfCText *c, PfText *header)
{
  static const PfPlaceholder own[] = {{"prepare", .make = put_prepare}, {"flow", .make = put_flow},
                                      {"native", .put = put_native}, {"prepared", .put = put_prepared_count},
                                      {"input_lanes", .put = put_input_lanes}, {0}};
  const PfExport *x = c->x;
  PfText *source = c->text;
  PfProgram program;
  Fast *fast = pf_arena_array(x->arena, Fast, 1);
  if (!fast) return pf_no_room(x->ctx, "the code");
  *fast = (Fast){.c = c, .f = pf_export_function(x, PF_EXPORT_FLOW)};
  PF_TRY(pf_tape_program(x->ctx, x->arena, fast->f->tape, &program));
  PF_TRY(pf_program_split(x->ctx, x->arena, &program, (uint32_t)x->at_time, &fast->before, &fast->after));
  fast->given = (int)program.input_count;
  c->user = fast;
  c->text = header;
  PF_TRY(pf_template_put(c, "model_fast.h.in", own));
  c->text = source;
  return pf_template_put(c, "model_fast.c.in", own);
}
