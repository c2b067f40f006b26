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

/* A further file; its text can be written to until the next one is added. */
PfText *pf_export_add_file(const PfExport *export, PfExportFiles *files, const char *stem, const char *ending);
/* Fails when there was no memory for one of them. */
PfStatus pf_export_check_files(const PfExport *export, const PfExportFiles *files);

#endif
