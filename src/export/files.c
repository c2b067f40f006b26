/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory, and those of C. */
#include "export/c_impl.h"

#include <stdio.h>
#include <string.h>

PfText *pf_export_add_file(const PfExport *x, PfExportFiles *files, const char *stem, const char *ending)
{
  char name[2*PF_LONGEST_IDENTIFIER];
  int length = snprintf(name, sizeof name, "%s%s", stem, ending);
  PfExportFile *file = files->at + files->count++;
  file->name = pf_arena_text(x->arena, name, (size_t)length);
  pf_text_init(&file->text, pf_context_allocator(x->ctx));
  if (!file->name) file->text.failed = true;
  return &file->text;
}

PfStatus pf_export_check_files(const PfExport *x, const PfExportFiles *files)
{
  for (int i = 0; i < files->count; i++)
    if (files->at[i].text.failed || !files->at[i].name) return pf_no_room(x->ctx, "the export");
  return PF_OK;
}

void pf_export_files_free(PfExportFiles *files)
{
  for (int i = 0; i < files->count; i++) pf_text_free(&files->at[i].text);
  files->count = 0;
}

PfStatus pf_export_c(const PfExport *x, const PfReference *reference, PfReal real, PfExportFiles *files)
{
  PfCText c = {x, real, pf_export_add_file(x, files, x->prefix, ".h")};
  pf_c_put_header(&c);
  c.text = pf_export_add_file(x, files, x->prefix, ".c");
  PF_TRY(pf_c_put_source(&c));
  c.text = pf_export_add_file(x, files, x->prefix, "_test.c");
  pf_c_put_test(&c, reference);
  if (pf_c_has_fast(&c)) {
    PfCText header = {x, real, pf_export_add_file(x, files, x->prefix, "_fast.h")};
    c.text = pf_export_add_file(x, files, x->prefix, "_fast.c");
    PF_TRY(pf_c_put_fast(&header, &c));
  }
  c.text = pf_export_add_file(x, files, "Makefile", "");
  pf_c_put_makefile(&c);
  c.text = pf_export_add_file(x, files, "README", ".md");
  pf_c_put_readme(&c);
  return pf_export_check_files(x, files);
}
