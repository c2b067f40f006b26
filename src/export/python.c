/* SPDX-License-Identifier: Apache-2.0 */
#include "export/export_impl.h"
PfStatus pf_export_python(const PfExport *x, const PfReference *r, PfExportFiles *files)
{ (void)r; (void)files; return pf_fail(x->ctx, PF_ERR_ARGUMENT, "not yet"); }
PfStatus pf_export_casadi(const PfExport *x, const PfReference *r, PfExportFiles *files)
{ (void)r; (void)files; return pf_fail(x->ctx, PF_ERR_ARGUMENT, "not yet"); }
PfStatus pf_export_matlab(const PfExport *x, const PfReference *r, PfExportFiles *files)
{ (void)r; (void)files; return pf_fail(x->ctx, PF_ERR_ARGUMENT, "not yet"); }
