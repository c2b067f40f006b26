/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the writer of C. */
#ifndef PF_EXPORT_C_IMPL_H
#define PF_EXPORT_C_IMPL_H

#include "export/export_impl.h"

typedef struct PfCText {
  const PfExport *x;
  PfReal real;
  PfText *text;
} PfCText;

/* Text with marks (c_solver.c). */
void pf_c_put(const PfCText *c, const char *marked);
/* A number as a constant of the type. */
void pf_c_put_number(const PfCText *c, double value);
/* Time is double in any case: thousands of steps are added up. */
void pf_c_put_time(const PfCText *c, double value);

/* "const robot_params *p, … double *M": what a straight-line function takes; names alone where it is called. */
typedef enum PfCList { PF_C_DECLARED, PF_C_NAMED } PfCList;
void pf_c_put_arguments(const PfCText *c, const PfExportFunction *function, PfCList list);
/* robot_matrices, or robot_jacobian_3 */
void pf_c_put_function_name(const PfCText *c, const PfExportFunction *function);

/* A symbol of the export where p, x, u, a and lambda are at hand. */
void pf_c_put_symbol(PfText *text, const PfExport *export, int symbol);

void pf_c_put_header(const PfCText *c);
void pf_c_put_solver(const PfCText *c);
void pf_c_put_friction_solver(const PfCText *c);
void pf_c_put_interface(const PfCText *c);
PfStatus pf_c_put_source(const PfCText *c);
void pf_c_put_test(const PfCText *c, const PfReference *reference);
/* robot_fast.h and robot_fast.c: where accelerations are straight-line, in double. */
bool pf_c_has_fast(const PfCText *c);
PfStatus pf_c_put_fast(const PfCText *header, const PfCText *source);
void pf_c_put_makefile(const PfCText *c);
void pf_c_put_readme(const PfCText *c);

#endif
