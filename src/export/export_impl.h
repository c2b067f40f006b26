/* SPDX-License-Identifier: Apache-2.0 */
/* Inside export: what its files share. */
#ifndef PF_EXPORT_IMPL_H
#define PF_EXPORT_IMPL_H

#include "codegen/code.h"
#include "export/export.h"

/* Expressions and names of the outputs (outputs.c). */
PfStatus pf_export_outputs(PfExport *export, PfNames *names);

/* M a - F - C - A^T lambda (n), then A a - b (m), in the symbols of the export. */
PfStatus pf_export_residuals(const PfExport *export, PfExpr *residuals);

/* The expressions in the symbols of the export alone. */
PfStatus pf_export_expand(const PfExport *export, PfExpr *list, int count);

/* Numbers of pf_system_symbols as those of the export; accelerations and multipliers stay. */
void pf_export_take_values(const PfExport *export, const double *values, double *symbols);

/* Texts that exports ship (made by cmake/PfaffFmu.cmake), each as lines, then NULL; headers first. The last one of a
 * list has no name. */
typedef struct PfShippedText {
  const char *name;
  int version; /* of FMI; 0: any */
  const char *const *lines;
} PfShippedText;
extern const PfShippedText pf_runtime_texts[]; /* src/runtime, as it is, */
extern const PfShippedText pf_event_texts[];   /* without the files of it that FMUs alone need: pf_events.h */
extern const PfShippedText pf_model_texts[];   /* src/export/c: the motion of a model called 'model' */
extern const PfShippedText pf_fmu_texts[];     /* fmu, likewise */
extern const PfShippedText pf_template_texts[]; /* src/export/text: see template.h */
/* Such texts as they are, line by line. */
void pf_export_add_shipped(const PfExport *export, const PfShippedText *shipped, PfExportFiles *files);
/* A line of such a text, with the identifier of the model in the place of 'model'. */
void pf_export_put_line(const PfExport *export, const char *line, PfText *text);

/* A further file; its text can be written to until the next one is added. */
PfText *pf_export_add_file(const PfExport *export, PfExportFiles *files, const char *stem, const char *ending);
/* The text in the arena of the export, and frees it; NULL where there was no memory. The second is what printf would
 * write. */
const char *pf_export_keep_text(const PfExport *export, PfText *text);
const char *pf_export_print(const PfExport *export, const char *format, ...) PF_PRINTF(2, 3);
/* Fails when there was no memory for one of them. */
PfStatus pf_export_check_files(const PfExport *export, const PfExportFiles *files);

#endif
