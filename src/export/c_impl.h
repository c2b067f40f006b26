/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the writer of C. Its files are templates (template.h); each file of the writer has the functions of their
 * placeholders. */
#ifndef PF_EXPORT_C_IMPL_H
#define PF_EXPORT_C_IMPL_H

#include "export/template.h"

typedef PfWriter PfCText;

/* Text in which @ stands for the identifier of the model and $ for the same in capitals (c_text.c). */
void pf_c_put(const PfCText *c, const char *marked);
/* Such a text in the arena of the export; NULL without memory. */
const char *pf_c_marked(const PfCText *c, const char *marked);
/* A number as a constant of the type of numbers: in float, numbers out of its range become the nearest one in it. */
void pf_c_put_number(const PfCText *c, double value);
/* Time is double in any case: thousands of steps are added up. */
void pf_c_put_time(const PfCText *c, double value);

/* "const robot_params *p, … double *M": the parameters of a straight-line function; names alone where it is called. */
typedef enum PfCList { PF_C_DECLARED, PF_C_NAMED } PfCList;
void pf_c_put_arguments(const PfCText *c, const PfExportFunction *function, PfCList list);
/* robot_matrices, or robot_jacobian_of_3 */
void pf_c_put_function_name(const PfCText *c, const PfExportFunction *function);

/* A symbol of the export where p, x, u, a and lambda are at hand. */
void pf_c_put_symbol(PfText *text, const PfExport *export, int symbol);

/* The files, each from its template. The test needs a reference. */
PfStatus pf_c_put_header(const PfCText *c);
PfStatus pf_c_put_source(const PfCText *c);
PfStatus pf_c_put_test(const PfCText *c);
PfStatus pf_c_put_makefile(const PfCText *c);
PfStatus pf_c_put_readme(const PfCText *c);
/* robot_fast.h to `header` and robot_fast.c to the text of the writer, for models with the number "fast". The user of
 * the writer is its own afterwards. */
PfStatus pf_c_put_fast(PfCText *c, PfText *header);

#endif
