/* SPDX-License-Identifier: Apache-2.0 */
/* Files in memory, and those of C.
 *
 * Texts are in memory of the context until the task has written them (task/export.c); names are in the arena of the
 * export. */
#include "export/c_impl.h"

#include <stdarg.h>

/* The name is `stem` followed by `ending`. There is room for PF_EXPORT_FILES files; without memory the text is marked
 * as failed, which pf_export_check_files reports. */
PfText *pf_export_add_file(const PfExport *x, PfExportFiles *files, const char *stem, const char *ending)
{
  PfExportFile *file = files->at + files->count++;
  file->name = pf_export_print(x, "%s%s", stem, ending);
  pf_text_init(&file->text, pf_context_allocator(x->ctx));
  if (!file->name) file->text.failed = true;
  return &file->text;
}

/* A text that has failed gives NULL. */
const char *pf_export_keep_text(const PfExport *x, PfText *text)
{
  const char *kept = text->failed ? NULL : pf_arena_text(x->arena, pf_text_get(text), text->count);
  pf_text_free(text);
  return kept;
}

/* Formats into a text of its own first, so that the length does not matter. */
const char *pf_export_print(const PfExport *x, const char *format, ...)
{
  va_list words;
  PfText text;
  pf_text_init(&text, pf_context_allocator(x->ctx));
  va_start(words, format);
  pf_text_print_list(&text, format, words);
  va_end(words);
  return pf_export_keep_text(x, &text);
}

void pf_export_add_shipped(const PfExport *x, const PfShippedText *shipped, PfExportFiles *files)
{
  for (; shipped->name; shipped++) {
    PfText *text = pf_export_add_file(x, files, shipped->name, "");
    for (const char *const *line = shipped->lines; *line; line++) pf_text_add(text, *line);
  }
}

/* PF_ERR_MEMORY, or PF_OK. */
PfStatus pf_export_check_files(const PfExport *x, const PfExportFiles *files)
{
  for (int i = 0; i < files->count; i++)
    if (files->at[i].text.failed || !files->at[i].name) return pf_no_room(x->ctx, "the export");
  return PF_OK;
}

/* Frees the texts; the names are in the arena of the export. */
void pf_export_files_free(PfExportFiles *files)
{
  for (int i = 0; i < files->count; i++) pf_text_free(&files->at[i].text);
  files->count = 0;
}

/* Header, source, self-test, the fast variant for doubles with a straight-line form, Makefile, README and the runtime,
 * in this order. */
PfStatus pf_export_c(const PfExport *x, const PfReference *reference, PfReal real, PfExportFiles *files)
{
  PfCText c = {.x = x, .real = real, .text = pf_export_add_file(x, files, x->prefix, ".h"), .reference = reference};
  int fast;
  PF_TRY(pf_c_put_header(&c));
  c.text = pf_export_add_file(x, files, x->prefix, ".c");
  PF_TRY(pf_c_put_source(&c));
  c.text = pf_export_add_file(x, files, x->prefix, "_test.c");
  PF_TRY(pf_c_put_test(&c));
  if (pf_template_number(&c, "fast", &fast) && fast) {
    PfText *header = pf_export_add_file(x, files, x->prefix, "_fast.h");
    c.text = pf_export_add_file(x, files, x->prefix, "_fast.c");
    PF_TRY(pf_c_put_fast(&c, header));
  }
  c.text = pf_export_add_file(x, files, "Makefile", "");
  PF_TRY(pf_c_put_makefile(&c));
  c.text = pf_export_add_file(x, files, "README", ".md");
  PF_TRY(pf_c_put_readme(&c));
  pf_export_add_shipped(x, pf_runtime_texts, files);
  return pf_export_check_files(x, files);
}
