/* SPDX-License-Identifier: Apache-2.0 */
/* Programs (kernel/program.h) as functions in a language: straight-line code, the same arithmetic as the tape's,
 * operation by operation. The same program and style give the same bytes. */
#ifndef PF_CODEGEN_CODE_H
#define PF_CODEGEN_CODE_H

#include "kernel/program.h"

/* In PF_CODE_LANES numbers are vectors of the compiler. There, in Python and in MATLAB every operation except
 * arithmetic is a function of the style's; in the last two there are also <math>nan and <math>inf, and the statements
 * come without a function around them. */
typedef enum PfDialect { PF_CODE_C, PF_CODE_PYTHON, PF_CODE_MATLAB, PF_CODE_LANES } PfDialect;

/* How a function is written. Texts are used as they are: names from a model must be made into identifiers first. Names
 * that begin with v and a digit and the name `kept` are the generator's own. */
typedef struct PfCodeStyle {
  PfDialect dialect;
  const char *real;       /* C: "double", "float" or the name of a type that holds doubles */
  const char *math;       /* before the names of functions, as "np." in Python; NULL: nothing */
  const char *sincos;     /* C: a function (angle, &sine, &cosine) for pairs; NULL: a sine and a cosine, one by one */
  const char *sine;       /* C: before sin and cos that are not in a pair; NULL: as before other functions */
  int group;              /* C: so many pairs at once, if more than 1: <sincos>_group(angles, &sines, &cosines), with */
  const char *group_type; /* vectors of this type */
  const char *name;       /* of the function */
  const char *qualifiers; /* C: "static ", "" */
  const char *parameters; /* as declared, "const robot_params *p, const double *q, double *out" */
  const char *arguments;  /* as handed on to the pieces of a long function, "p, q, out" */
  void (*put_input)(PfText *text, const void *user, int input);   /* the name of an input, "q[3]" */
  void (*put_output)(PfText *text, const void *user, int output); /* the target of an assignment, "out[2]" */
  void (*put_constant)(PfText *text, const void *user, int constant); /* the name of a constant; NULL: its digits */
  const void *user;
} PfCodeStyle;

/* Adds a function that computes the outputs. Outputs are assigned as soon as they are known: they must not lie where
 * inputs are read. Functions of more than a few hundred statements are cut into pieces, functions <name>_1, <name>_2, …
 * before it, so that the time of compilers grows with the length only. Fails with PF_ERR_MEMORY, and with
 * PF_ERR_ARGUMENT for a dialect that is not there. */
PfStatus pf_code_write(PfContext *ctx, const PfProgram *program, const PfCodeStyle *style, PfText *text);

#endif
