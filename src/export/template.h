/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an export by templates: src/export/text holds each file that is written, with placeholders in it:
 *
 *   model_, MODEL_        the identifier of the model with an underscore, also in capitals, where a word begins
 *   <<if a>> <<if not a>> <<else>> <<end>>
 *                         on lines of their own: lines for models in which the number `a` is not zero; may be nested
 *   <<a>>                 a number, a text, or the output of a function of the writer; alone on a line: whole lines
 *   <<a words>>           likewise: the function gets the words
 *   <<has a>> <<a or 1>>  0 or 1; a number, but 1 where it is 0, because arrays of C are not empty
 *   <<if function a>>     the export has a straight-line function of this name
 *   <<1e-9|1e-3>>         a constant of double, and of float, which gets its suffix
 *
 * Numbers and texts that every template may use are listed in template.c. */
#ifndef PF_EXPORT_TEMPLATE_H
#define PF_EXPORT_TEMPLATE_H

#include "export/export_impl.h"

/* A file while it is written. */
typedef struct PfWriter {
  const PfExport *x;
  PfReal real;
  PfText *text;
  const PfReference *reference; /* NULL: none, as in FMUs */
  const void *user;             /* of the functions of placeholders */
} PfWriter;

/* The function of a placeholder: one of the two. `words` are those after its name in the placeholder, "" without. */
typedef struct PfPlaceholder {
  const char *name;
  void (*put)(const PfWriter *writer, const char *words);
  PfStatus (*make)(const PfWriter *writer, const char *words); /* which can fail */
} PfPlaceholder;

/* Appends a template of src/export/text to the text of the writer, with functions for its placeholders; the last one
 * has no name. Fails with PF_ERR_ARGUMENT where a placeholder is not known, or as one of the functions does. */
PfStatus pf_template_put(const PfWriter *writer, const char *name, const PfPlaceholder *placeholders);

/* The number of a name in templates: counts of quantities, sizes, 0 or 1 for features. False: there is none. */
bool pf_template_number(const PfWriter *writer, const char *name, int *number);

/* A list of named quantities: "coordinates", "parameters", "inputs", "outputs", "constraints", "frames", "contacts".
 * NULL for another name. */
const PfNamedList *pf_export_list(const PfExport *export, const char *name);

/* Numbers at the start: "parameters", "time", "inputs", "q", "v". */
typedef struct PfNumbers {
  const double *values;
  int count;
} PfNumbers;
PfNumbers pf_export_start(const PfExport *export, const char *name);

/* The name of a straight-line function; those of frames have their number, which begins at `first`: jacobian_of_3. */
void pf_export_put_function_name(const PfExport *export, const PfExportFunction *function, int first, PfText *text);

/* Rows of constraints by number, counted from `first`: 0, 2, 3. `which` is "positions" or "velocities". */
void pf_export_put_rows(const PfExport *export, const char *which, int first, const char *separator, PfText *text);

#endif
