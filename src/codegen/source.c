/* SPDX-License-Identifier: Apache-2.0 */
/* The C text of a tape. Numbers of constants are handed over when it runs, so that one piece of code serves all values
 * of the parameters; functions are those of the tape, by pointers. It includes nothing and needs no library. */
#include "codegen/code.h"
#include "codegen/native.h"


static void put_input(PfText *text, const void *user, int input)
{
  (void)user;
  pf_text_print(text, "x[%d]", input);
}
static void put_output(PfText *text, const void *user, int output)
{
  (void)user;
  pf_text_print(text, "y[%d]", output);
}
static void put_constant(PfText *text, const void *user, int constant)
{
  (void)user;
  pf_text_print(text, "c[%d]", constant);
}

static void put_head(PfText *text, const char *key)
{
  pf_text_add(text, "struct functions {\n  void (*sincos)(double, double *, double *);\n  double\n");
#define USE(name) "    (*" #name ")(double),\n"
#define USE_TWO(name) "    (*" #name ")(double, double),\n"
  pf_text_add(text, PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE_TWO));
#undef USE
#undef USE_TWO
  pf_text_add(text, "    (*end)(double);\n};\n");
#define USE(name) "#define pf_" #name " use->" #name "\n"
  pf_text_add(text, PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE));
#undef USE
  pf_text_add(text, "#define pf_sqrt __builtin_sqrt\n#define pf_fabs __builtin_fabs\n");
  pf_text_print(text, "extern const char pf_key[];\nconst char pf_key[] = \"%s\";\n", key);
}

PfStatus pf_native_source(PfContext *ctx, const PfTape *tape, const char *key, PfText *text)
{
  static const PfCodeStyle style = {
    .dialect = PF_CODE_C, .real = "double", .math = "pf_", .sincos = "use->sincos", .name = "pf_run", .qualifiers = "",
    .parameters = "const double *restrict x, double *restrict y, const double *restrict c, "
                  "const struct functions *restrict use",
    .arguments = "x, y, c, use", .put_input = put_input, .put_output = put_output, .put_constant = put_constant};
  PfProgram program;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  if (!arena) return pf_no_room(ctx, "code");
  put_head(text, key);
  PfStatus status = pf_tape_program(ctx, arena, tape, &program);
  if (status == PF_OK) status = pf_code_write(ctx, &program, &style, text);
  pf_arena_free(arena);
  return status;
}
