/* SPDX-License-Identifier: Apache-2.0 */
/* robot_fast.h, robot_fast.c: accelerations for processors with vectors. What depends on parameters alone is worked out
 * once, by robot_prepare; sine and cosine are those of native code, so that eight states at once give the bits of
 * one. */
#include "export/c_impl.h"

#include "codegen/native.h"

enum { ANGLES = 4 };

typedef struct Fast {
  const PfCText *c;
  const PfExportFunction *f;
  PfProgram program; /* with the inputs from `given` on in the place of what is prepared */
  int given;
  bool many;
} Fast;

static const char header[] =
"/* Accelerations of @, fast. Made by pfaff; see @.h for states, inputs and parameters. For gcc and clang. */\n"
"#ifndef PFAFF_EXPORT_$_FAST_H\n#define PFAFF_EXPORT_$_FAST_H\n\n"
"#include \"@.h\"\n\n"
"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";

static const char declarations[] =
"/* What depends on the parameters alone: to be prepared again when they change. */\n"
"void @_prepare(const @_params *p, @_prepared *prepared);\n\n"
"/* As @_accelerate, with the parameters as they were when it was prepared. */\n"
"@_status @_accelerate_fast(const @_prepared *prepared, const @_state *x, const @_input *u, @_real *a,\n"
"                           @_real *lambda);\n\n"
"/* Of $_LANES states at once: a (N x LANES) and lambda (M x LANES); compiled without contraction each is bit by\n"
" * bit what the function above gives. The status is that of the worst of them. Fastest with\n"
" * -mavx512f or -mavx2; without them gcc says that vectors as arguments are not those of other compilers, which\n"
" * -Wno-psabi tells it to keep to itself. */\n"
"@_status @_accelerate_many(const @_prepared *prepared, const @_states *x, const @_inputs *u, @_real (*a)[$_LANES],\n"
"                           @_real (*lambda)[$_LANES]);\n\n"
"#ifdef __cplusplus\n}\n#endif\n#endif\n";

static const char beginning[] =
"/* Made by pfaff; see @_fast.h. */\n"
"#include \"@_fast.h\"\n\n#include <math.h>\n\n"
"#ifndef __GNUC__\n#error \"this file needs vectors as gcc and clang have them\"\n#endif\n"
"#pragma GCC diagnostic ignored \"-Wpsabi\"           /* vectors never leave this file */\n"
"#pragma GCC diagnostic ignored \"-Wunused-function\" /* not every model needs all */\n\n";

static const char library[] =
"\nstatic void fast_sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }\n"
"static const struct functions fast_functions = {fast_sincos, sin, cos"
#define USE(name) ", " #name
  PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE)
#undef USE
"};\n\n";

static const char single[] =
"@_status @_accelerate_fast(const @_prepared *prepared, const @_state *x, const @_input *u, @_real *a,\n"
"                           @_real *lambda)\n"
"{\n"
"  @_real pivot[2*FAST_PAIRS], sum = 0;\n"
"  int i;\n"
"  for (i = 0; i < $_M; i++) lambda[i] = 0;\n"
"  for (i = 0; i < 2*FAST_PAIRS; i++) pivot[i] = 0;\n"
"  fast_flow(prepared, x, u, a, lambda, pivot, &fast_functions);\n"
"  for (i = 0; i < $_N; i++) sum += 0*a[i];\n"
"  for (i = 0; i < $_M; i++) sum += 0*lambda[i];\n"
"  if (!(sum == 0)) return $_NOT_FINITE;\n"
"  for (i = 0; i < FAST_LISTED; i++)\n"
"    if (!(pivot[2*i] > (i < FAST_MASS_PAIRS ? 1e-12 : 1e-4)*pivot[2*i + 1])) return $_SINGULAR;\n"
"  return $_OK;\n"
"}\n\n";

static const char many[] =
"@_status @_accelerate_many(const @_prepared *prepared, const @_states *x, const @_inputs *u, @_real (*a)[$_LANES],\n"
"                           @_real (*lambda)[$_LANES])\n"
"{\n"
"  @_real pivot[2*FAST_PAIRS][$_LANES], sum = 0;\n"
"  int i, k, good = 1;\n"
"  for (i = 0; i < $_M; i++)\n"
"    for (k = 0; k < $_LANES; k++) lambda[i][k] = 0;\n"
"  for (i = 0; i < 2*FAST_PAIRS; i++)\n"
"    for (k = 0; k < $_LANES; k++) pivot[i][k] = 0;\n"
"  fast_flows(prepared, x, u, a, lambda, pivot, &fast_functions);\n"
"  for (i = 0; i < $_N; i++)\n"
"    for (k = 0; k < $_LANES; k++) sum += 0*a[i][k];\n"
"  for (i = 0; i < $_M; i++)\n"
"    for (k = 0; k < $_LANES; k++) sum += 0*lambda[i][k];\n"
"  if (!(sum == 0)) return $_NOT_FINITE;\n"
"  for (i = 0; i < FAST_LISTED; i++)\n"
"    for (k = 0; k < $_LANES; k++)\n"
"      good &= pivot[2*i][k] > (i < FAST_MASS_PAIRS ? 1e-12 : 1e-4)*pivot[2*i + 1][k];\n"
"  return good ? $_OK : $_SINGULAR;\n"
"}\n";

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
  pf_c_put_number(&(PfCText){fast->c->x, PF_REAL_DOUBLE, text}, fast->program.constants[constant]);
  pf_text_add(text, ")");
}

static PfStatus put_prepare(const PfCText *c, const Fast *fast)
{
  PfText name, parameters;
  pf_text_init(&name, pf_context_allocator(c->x->ctx));
  pf_text_init(&parameters, pf_context_allocator(c->x->ctx));
  pf_text_print(&name, "%s_prepare", c->x->prefix);
  pf_text_print(&parameters, "const %s_params *p, %s_prepared *prepared", c->x->prefix, c->x->prefix);
  const PfCodeStyle style = {.dialect = PF_CODE_C, .real = "double", .name = pf_text_get(&name), .qualifiers = "",
                             .parameters = pf_text_get(&parameters), .arguments = "p, prepared",
                             .put_input = put_input, .put_output = put_prepared, .user = fast};
  PfStatus status = pf_code_write(c->x->ctx, &fast->program, &style, c->text);
  pf_text_add(c->text, "\n");
  pf_text_free(&name);
  pf_text_free(&parameters);
  return status;
}

static PfStatus put_flow(const PfCText *c, const Fast *fast)
{
  PfText parameters;
  pf_text_init(&parameters, pf_context_allocator(c->x->ctx));
  const PfCText to = {c->x, c->real, &parameters};
  pf_c_put(&to, "const @_prepared *restrict prepared, ");
  pf_c_put(&to, fast->many ? "const @_states *restrict x, const @_inputs *restrict u, double (*restrict a)[$_LANES], "
                             "double (*restrict lambda)[$_LANES], double (*restrict pivot)[$_LANES], "
                           : "const @_state *restrict x, const @_input *restrict u, double *restrict a, "
                             "double *restrict lambda, double *restrict pivot, ");
  pf_c_put(&to, "const struct functions *restrict use");
  const PfCodeStyle style = {
    .dialect = fast->many ? PF_CODE_LANES : PF_CODE_C, .real = fast->many ? "pf_lanes" : "double", .math = "pf_",
    .sincos = "pf_sincos", .group = fast->many ? 0 : ANGLES, .group_type = "pf_angles",
    .name = fast->many ? "fast_flows" : "fast_flow", .qualifiers = "static ", .parameters = pf_text_get(&parameters),
    .arguments = "prepared, x, u, a, lambda, pivot, use", .put_input = put_input, .put_output = put_output,
    .put_constant = fast->many ? put_constant : NULL, .user = fast};
  PfStatus status = pf_code_write(c->x->ctx, &fast->program, &style, c->text);
  pf_text_add(c->text, "\n");
  pf_text_free(&parameters);
  return status;
}

/* Structs of arrays of lanes; those of C have one member at least. */
static void put_fast_header(const PfCText *c, int prepared)
{
  const PfExport *x = c->x;
  pf_c_put(c, header);
  pf_c_put(c, "enum { $_LANES = 8 };\n\ntypedef struct @_prepared {\n");
  pf_text_print(c->text, "  %s_real k[%d];\n", x->prefix, prepared ? prepared : 1);
  pf_c_put(c, "} @_prepared;\n\n/* So many states. */\ntypedef struct @_states {\n"
              "  @_real time[$_LANES], q[$_N][$_LANES], v[$_N][$_LANES];\n} @_states;\n\ntypedef struct @_inputs {\n");
  for (int i = 0; i < x->inputs.count; i++)
    pf_text_print(c->text, "  %s_real %s[%s_LANES];\n", x->prefix, x->inputs.at[i].id, x->upper);
  if (!x->inputs.count) pf_c_put(c, "  @_real none[$_LANES];\n");
  pf_c_put(c, "} @_inputs;\n\n");
  pf_c_put(c, declarations);
}

static PfStatus put_fast_source(const PfCText *c, Fast *fast, const PfProgram *before, const PfProgram *after)
{
  const PfExport *x = c->x;
  pf_c_put(c, beginning);
  pf_text_print(c->text, "enum { FAST_PAIRS = %d, FAST_LISTED = %d, FAST_MASS_PAIRS = %d };\n\n",
                x->pairs ? x->pairs : 1, x->pairs, x->mass_pairs);
  fast->program = *before;
  PF_TRY(put_prepare(c, fast));
  pf_native_put_functions(c->text);
  pf_native_put_single(c->text, ANGLES);
  pf_text_add(c->text, library);
  PF_TRY(pf_program_angles_first(x->ctx, x->arena, after, &fast->program));
  PF_TRY(put_flow(c, fast));
  pf_native_put_end(c->text);
  pf_native_put_many(c->text);
  pf_text_add(c->text, "\ntypedef double fast_loose __attribute__((vector_size(64), aligned(8), may_alias));\n\n");
  fast->program = *after;
  fast->many = true;
  PF_TRY(put_flow(c, fast));
  pf_c_put(c, single);
  pf_c_put(c, many);
  return PF_OK;
}

bool pf_c_has_fast(const PfCText *c)
{
  return c->real == PF_REAL_DOUBLE && pf_export_function(c->x, PF_EXPORT_FLOW);
}

PfStatus pf_c_put_fast(const PfCText *h, const PfCText *c)
{
  const PfExport *x = c->x;
  PfProgram program, before, after;
  Fast fast = {.c = c, .f = pf_export_function(x, PF_EXPORT_FLOW)};
  PF_TRY(pf_tape_program(x->ctx, x->arena, fast.f->tape, &program));
  PF_TRY(pf_program_split(x->ctx, x->arena, &program, (uint32_t)x->at_time, &before, &after));
  fast.given = (int)program.input_count;
  put_fast_header(h, (int)before.output_count);
  return put_fast_source(c, &fast, &before, &after);
}
