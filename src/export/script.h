/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of Python, CasADi and MATLAB: common parts of their writers. A module is a template (template.h); a language
 * is a PfScript, which is the user of the functions of placeholders. */
#ifndef PF_EXPORT_SCRIPT_H
#define PF_EXPORT_SCRIPT_H

#include "export/template.h"

/* How a language writes straight-line code and lists. */
typedef struct PfScript {
  PfDialect dialect;
  const char *math;                /* before the names of functions */
  const char *parameter, *input;   /* before an identifier, as "p."; NULL: elements of p and u */
  const char *brackets;            /* of elements: "[]" */
  int first;                       /* number of the first element */
  const char *separator;           /* of the numbers of rows */
  const char *comment;             /* before a comment that follows code */
  void (*put_string)(PfText *text, const char *string);
  PfStatus (*put_function)(const PfWriter *writer, const PfExportFunction *function);
  bool derives;                    /* derivatives are made by the language and are not among the functions */
} PfScript;

/* Functions of the placeholders that all scripts have: <<names coordinates>> is "x", "y"; <<start q>> the numbers 1.5,
 * -2.0; <<rows positions>> rows of constraints; <<typical>> the sizes of the rows of A along the motion, zeros where no
 * row follows from others; <<functions>> all straight-line functions that the module has. */
void pf_script_names(const PfWriter *writer, const char *list);
void pf_script_start(const PfWriter *writer, const char *array);
void pf_script_rows(const PfWriter *writer, const char *which);
void pf_script_typical(const PfWriter *writer, const char *words);
PfStatus pf_script_functions(const PfWriter *writer, const char *words);
#define PF_SCRIPT_PLACEHOLDERS                                                                    \
  {"names", .put = pf_script_names}, {"start", .put = pf_script_start},                           \
  {"rows", .put = pf_script_rows}, {"typical", .put = pf_script_typical},                             \
  {"functions", .make = pf_script_functions}

/* Writes the file with the identifier of the model and this ending by a template. */
PfStatus pf_script_export(const PfExport *export, const PfReference *reference, const PfScript *script,
                          const char *ending, const char *template, const PfPlaceholder *placeholders,
                          PfExportFiles *files);

/* Numbers that stay doubles in each of the languages: 1.5, -2.0, … */
void pf_script_put_numbers(PfText *text, const double *values, int count);
/* A comment after the code of a line: the name in the model where it differs from the identifier, and the unit. */
void pf_script_put_remark(const PfWriter *writer, const PfNamed *named);

/* The name of a group of results: lambda is not a name in Python. */
const char *pf_script_group(const PfExportGroup *group);
/* "p, t, q, v, u" and, where the function takes them, ", a" and ", lam". */
void pf_script_put_arguments(PfText *text, const PfExportFunction *function);
/* The statements that compute the elements of a function which are not zero at all times. */
PfStatus pf_script_put_code(const PfWriter *writer, const PfExportFunction *function);
/* Has the module the function of this PfExportKind? */
bool pf_script_has(const PfWriter *writer, int kind);
/* A sentence about a function; NULL for those that only others call. */
const char *pf_script_about(const PfExport *export, const PfExportFunction *function);

/* The numbers by which a state is compared: t, q, v, inputs, accelerations, multipliers, energies, outputs. */
enum { PF_SCRIPT_LISTS = 8 };
void pf_script_lists(const PfWriter *writer, int state, PfNumbers *lists);
/* "def energies(p, t, q, v, u):" and a docstring. */
void pf_python_put_head(const PfWriter *writer, const PfExportFunction *function);
/* <<expected>> in Python: the lists of each state as a tuple, the instant as a number. */
void pf_python_expected(const PfWriter *writer, const char *words);

#endif
