/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of scripts share: the statements of a straight-line function between what each language puts around
 * them. */
#ifndef PF_EXPORT_SCRIPT_H
#define PF_EXPORT_SCRIPT_H

#include "export/export_impl.h"

typedef struct PfScript {
  PfDialect dialect;
  const char *math;                /* before the names of functions */
  const char *parameter, *input;   /* before an identifier, as "p."; NULL: elements of p and u */
  const char *brackets;            /* of elements: "[]" */
  int first;                       /* number of the first element */
} PfScript;

/* The name of a group: lambda is no name in Python. */
const char *pf_script_group(const PfExportGroup *group);
/* The statements that compute the elements of a function which are not zero at all times. */
PfStatus pf_script_put(const PfExport *export, const PfScript *script, const PfExportFunction *function, PfText *text);
/* ["x", "y"], by `put` for one string. */
void pf_script_put_names(PfText *text, const PfNamedList *list, void (*put)(PfText *text, const char *string));
/* 1.5, -2, … */
void pf_script_put_numbers(PfText *text, const double *values, int count);
/* Sizes of the rows of A along the motion; zeros where no row follows from others. */
void pf_script_put_usual(const PfExport *export, PfText *text);

/* What a state is compared by: t, q, v, inputs, accelerations, multipliers, energies, outputs. */
typedef struct PfNumbers {
  const double *values;
  int count;
} PfNumbers;
enum { PF_SCRIPT_LISTS = 8 };
void pf_script_lists(const PfExport *export, const PfReference *reference, int state, PfNumbers *lists);

/* What a function gives, in a sentence; NULL for those that only others call. */
const char *pf_script_about(int kind);

/* Parts of modules of Python (python.c). */
void pf_python_put_title(const PfExport *export, PfText *text, const char *about);
void pf_python_put_lists(const PfExport *export, PfText *text);
void pf_python_put_expected(const PfExport *export, const PfReference *reference, PfText *text);
/* self_test with `body`, which finds the worst difference from _EXPECTED, and its call when the module is run. */
void pf_python_put_test(PfText *text, const char *body);

#endif
