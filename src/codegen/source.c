/* SPDX-License-Identifier: Apache-2.0 */
/* The C text of a tape, for one state or for a group of states in vectors. Numbers of constants are handed over when it
 * runs, so that one piece of code serves all values of the parameters. Sine and cosine are written out, in vectors
 * where several angles are known at once; other functions are those of the tape, by pointers. It includes nothing and
 * needs no library. */
#include "codegen/code.h"
#include "codegen/native.h"
#include "runtime/pf_sincos.h"

/* ---------------------------------------------------------------- one state and many */

static const char functions[] =
  "struct functions {\n"
  "  void (*sincos)(double, double *, double *);\n"
  "  double (*sin)(double), (*cos)(double)"
#define USE(name) ", (*" #name ")(double)"
#define USE_TWO(name) ", (*" #name ")(double, double)"
  PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE_TWO)
#undef USE
#undef USE_TWO
  ";\n};\n";

static const char sincos[] =
#define PF_CODE(...) #__VA_ARGS__
#include "runtime/pf_sincos.def"
;

/* And pf_<name>_sincos: of all angles. */
static void put_vectors(PfText *text, const char *name, int size)
{
  /* A vector type pf_<name> of so many numbers, and pf_<name>_within: sine and cosine of small angles. */
  pf_text_print(text, "typedef double pf_%s __attribute__((vector_size(%d)));\n", name, 8*size);
  pf_text_print(text, "typedef unsigned long long pf_%s_bits __attribute__((vector_size(%d)));\n", name, 8*size);
  pf_text_print(text, "#define REAL pf_%s\n#define BITS pf_%s_bits\n", name, name);
  pf_text_print(text, "#define AS_BITS (pf_%s_bits)\n#define AS_REAL (pf_%s)\n", name, name);
  pf_text_print(text, "#define SINCOS __attribute__((always_inline)) pf_%s_within\n%s\n", name, sincos);
  pf_text_add(text, "#undef REAL\n#undef BITS\n#undef AS_BITS\n#undef AS_REAL\n#undef SINCOS\n");
  pf_text_print(text, "static inline __attribute__((always_inline))\n"
                "void pf_%s_sincos(pf_%s x, pf_%s *s, pf_%s *c, const struct functions *use)\n"
                "{\n  int large = 0;\n", name, name, name, name);
  pf_text_print(text, "  for (int i = 0; i < %d; i++) large |= !(__builtin_fabs(x[i]) <= %.1f);\n"
                "  if (!large) { pf_%s_within(&x, s, c); return; }\n", size, PF_LARGEST_ANGLE, name);
  pf_text_print(text, "  for (int i = 0; i < %d; i++) {\n"
                "    double sine, cosine;\n"
                "    use->sincos(x[i], &sine, &cosine);\n"
                "    (*s)[i] = sine, (*c)[i] = cosine;\n"
                "  }\n}\n", size);
}

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

/* ---------------------------------------------------------------- one state */

#define TEXT(word) #word
#define IN_TEXT(word) TEXT(word)

static const char single_head[] =
  "static inline __attribute__((always_inline))\n"
  "void pf_both(double x, double *s, double *c, const struct functions *use)\n"
  "{\n"
  "  pf_pair sine, cosine;\n"
  "  if (!(__builtin_fabs(x) <= " IN_TEXT(PF_LARGEST_ANGLE) ")) { use->sincos(x, s, c); return; }\n"
  "  const pf_pair both = {x, x};\n"
  "  pf_pair_within(&both, &sine, &cosine);\n"
  "  *s = sine[0], *c = cosine[0];\n"
  "}\n"
  "#define pf_sincos(x, s, c) pf_both(x, s, c, use)\n"
  "#define pf_sincos_group(x, s, c) pf_angles_sincos(x, s, c, use)\n"
#define USE(name) "#define pf_" #name " use->" #name "\n"
  USE(sin) USE(cos) PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE)
#undef USE
  "#define pf_sqrt __builtin_sqrt\n#define pf_fabs __builtin_fabs\n";

static void put_constant(PfText *text, const void *user, int constant)
{
  (void)user;
  pf_text_print(text, "c[%d]", constant);
}

/* `group` angles are worked out at once. */
void pf_native_put_single(PfText *text, int group)
{
  put_vectors(text, "angles", group);
  put_vectors(text, "pair", 2);
  pf_text_add(text, single_head);
}

/* ---------------------------------------------------------------- groups of states */

/* Masks are all bits or none, as comparisons of vectors make them. */
static const char many_head[] =
  "static inline pf_lanes pf_all(double a) { return (pf_lanes){a, a, a, a, a, a, a, a}; }\n"
  "static inline pf_lanes pf_choose(pf_lanes_bits mask, pf_lanes a, pf_lanes b)\n"
  "{ return (pf_lanes)(((pf_lanes_bits)a & mask) | ((pf_lanes_bits)b & ~mask)); }\n"
  "static inline pf_lanes pf_truth(pf_lanes_bits mask)\n"
  "{ return (pf_lanes)((pf_lanes_bits)pf_all(1) & mask); }\n"
  "static inline pf_lanes pf_each(pf_lanes a, double (*f)(double))\n"
  "{ for (int i = 0; i < 8; i++) a[i] = f(a[i]); return a; }\n"
  "static inline pf_lanes pf_each_two(pf_lanes a, pf_lanes b, double (*f)(double, double))\n"
  "{ for (int i = 0; i < 8; i++) a[i] = f(a[i], b[i]); return a; }\n"
  "static inline pf_lanes pf_root(pf_lanes a)\n"
  "{ for (int i = 0; i < 8; i++) a[i] = __builtin_sqrt(a[i]); return a; }\n"
  "static inline pf_lanes pf_one(pf_lanes a, int cosine, const struct functions *use)\n"
  "{ pf_lanes s, c; pf_lanes_sincos(a, &s, &c, use); return cosine ? c : s; }\n"
  "#define pf_sincos(x, s, c) pf_lanes_sincos(x, s, c, use)\n"
  "#define pf_sin(a) pf_one(a, 0, use)\n"
  "#define pf_cos(a) pf_one(a, 1, use)\n"
#define USE(name) "#define pf_" #name "(a) pf_each(a, use->" #name ")\n"
  PF_NATIVE_FUNCTIONS(USE)
#undef USE
#define USE(name) "#define pf_" #name "(a, b) pf_each_two(a, b, use->" #name ")\n"
  PF_NATIVE_FUNCTIONS_OF_TWO(USE)
#undef USE
  "#define MASK (pf_lanes_bits)\n"
  "#define pf_sqrt pf_root\n"
  "#define pf_fabs(a) ((pf_lanes)((pf_lanes_bits)(a) & 0x7fffffffffffffffull))\n"
  "static inline pf_lanes pf_sign(pf_lanes a) { return pf_truth(MASK(a > 0)) - pf_truth(MASK(a < 0)); }\n"
  "static inline pf_lanes pf_min(pf_lanes a, pf_lanes b) { return pf_choose(MASK(a < b), a, b); }\n"
  "static inline pf_lanes pf_max(pf_lanes a, pf_lanes b) { return pf_choose(MASK(a < b), b, a); }\n"
  "#define pf_less(a, b) pf_truth(MASK((a) < (b)))\n"
  "#define pf_less_equal(a, b) pf_truth(MASK((a) <= (b)))\n"
  "#define pf_equal(a, b) pf_truth(MASK((a) == (b)))\n"
  "#define pf_and(a, b) pf_truth(MASK((a) != 0) & MASK((b) != 0))\n"
  "#define pf_or(a, b) pf_truth(MASK((a) != 0) | MASK((b) != 0))\n"
  "#define pf_not(a) pf_truth(MASK((a) == 0))\n"
  "#define pf_if(a, b, c) pf_choose(MASK((a) != 0), b, c)\n";
_Static_assert(PF_LANES == 8, "the text above has eight lanes");

static void put_constant_lanes(PfText *text, const void *user, int constant)
{
  (void)user;
  pf_text_print(text, "pf_all(c[%d])", constant);
}

/* Eight states in vectors. */
void pf_native_put_many(PfText *text)
{
  put_vectors(text, "lanes", PF_LANES);
  pf_text_add(text, many_head);
}

/* The struct of functions that code gets as an argument. */
void pf_native_put_functions(PfText *text)
{
  pf_text_add(text, functions);
}

/* Takes the names back that the two parts above define, so that one file can have both. */
void pf_native_put_end(PfText *text)
{
  static const char *const names[] = {"sincos", "sincos_group", "sin", "cos", "sqrt", "fabs",
#define USE(name) #name,
    PF_NATIVE_FUNCTIONS(USE) PF_NATIVE_FUNCTIONS_OF_TWO(USE)
#undef USE
  };
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) pf_text_print(text, "#undef pf_%s\n", names[i]);
}

/* `key` becomes a string of the library, by which it is recognised when it is loaded. */
PfStatus pf_native_source(PfContext *ctx, const PfTape *tape, bool many, const char *key, PfText *text)
{
  PfCodeStyle style = {
    .dialect = PF_CODE_C, .real = "double", .math = "pf_", .sincos = "pf_sincos", .name = "pf_run", .qualifiers = "",
    .group = pf_lanes_best() == PF_LANES_PLAIN ? 2 : 4, .group_type = "pf_angles",
    .parameters = "const double *restrict x, double *restrict y, const double *restrict c, "
                  "const struct functions *restrict use",
    .arguments = "x, y, c, use", .put_input = put_input, .put_output = put_output, .put_constant = put_constant};
  PfProgram program, sorted;
  PfArena *arena = pf_arena_new(pf_context_allocator(ctx));
  if (!arena) return pf_no_room(ctx, "code");
  pf_native_put_functions(text);
  pf_text_print(text, "extern const char pf_key[];\nconst char pf_key[] = \"%s\";\n", key);
  PfStatus status = pf_tape_program(ctx, arena, tape, &program);
  if (status == PF_OK && many) {
    style.dialect = PF_CODE_LANES;
    style.real = "pf_lanes";
    style.group = 0;
    style.group_type = NULL;
    style.parameters = "const pf_lanes *restrict x, pf_lanes *restrict y, const double *restrict c, "
                       "const struct functions *restrict use";
    style.put_constant = put_constant_lanes;
    pf_native_put_many(text);
    status = pf_code_write(ctx, &program, &style, text);
  } else if (status == PF_OK) {
    pf_native_put_single(text, style.group);
    status = pf_program_angles_first(ctx, arena, &program, &sorted);
    if (status == PF_OK) status = pf_code_write(ctx, &sorted, &style, text);
  }
  pf_arena_free(arena);
  return status;
}
