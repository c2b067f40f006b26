/* SPDX-License-Identifier: Apache-2.0 */
/* An FMU put together: descriptions, sources, libraries, documentation, in an archive.
 *
 * The same model and the same options give the same bytes: the token is a hash of description and sources, and the
 * archive has no times. */
#include "export/fmu_impl.h"
#include "codegen/sha256.h"
#include "out/zip.h"

#include <stdio.h>
#include <string.h>

enum { TARGETS = 4 };

/* ---------------------------------------------------------------- the token */

/* Has a text that is the same in every FMU this name, apart from its ending? */
static bool is_shipped(const char *name)
{
  const PfShippedText *const lists[] = {pf_fmu_texts, pf_runtime_texts, pf_event_texts};
  const size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof lists/sizeof *lists; i++)
    for (const PfShippedText *text = lists[i]; text->name; text++)
      if (strcspn(text->name, ".") == length && !strncmp(name, text->name, length)) return true;
  return false;
}

/* The sources, once; exact derivatives are most of those of a large model, and are left out where an FMU would become
 * larger than importers like. Sets f->by_differences where the sources without exact derivatives are the smaller
 * evil. */
static PfStatus try_sources(PfFmu *f)
{
  enum { MOST = 176000 }; /* characters of the files that the model has of its own: an FMU of about 200 kB */
  size_t size = 0;
  PF_TRY(pf_fmu_sources(f));
  for (int i = 0; i < f->files.count; i++) size += is_shipped(f->files.at[i].name) ? 0 : f->files.at[i].text.count;
  if (size <= MOST) return PF_OK;
  f->by_differences = true;
  pf_export_files_free(&f->files);
  return pf_fmu_sources(f);
}

/* ---------------------------------------------------------------- the archive */

/* Adds a file whose text is made by `put`. */
static PfStatus add_made(PfZip *zip, const PfFmu *f, const char *name, PfStatus (*put)(const PfFmu *, PfText *))
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  PfStatus status = put(f, &text);
  if (text.failed) zip->out->failed = true;
  pf_zip_add(zip, name, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return status;
}

/* The archive: the description, the documentation, the sources, and the libraries that were compiled. */
static PfStatus pack(PfFmu *f, const PfText *bytes, PfText *archive)
{
  PfZip zip;
  char name[PF_LONGEST_IDENTIFIER + 64];
  const char *platform, *ending;
  pf_zip_begin(&zip, f->ctx, archive);
  PfStatus status = add_made(&zip, f, "modelDescription.xml", pf_fmu_description);
  if (status == PF_OK) status = add_made(&zip, f, "documentation/index.html", pf_fmu_page);
  for (int i = 0; i < f->files.count; i++) {
    snprintf(name, sizeof name, "sources/%s", f->files.at[i].name);
    pf_zip_add(&zip, name, pf_text_get(&f->files.at[i].text), f->files.at[i].text.count);
  }
  if (f->options->version == 3 && status == PF_OK)
    status = add_made(&zip, f, "sources/buildDescription.xml", pf_fmu_build_description);
  for (int i = 0; i < TARGETS && (platform = pf_fmu_library(f, i, &ending)); i++) {
    if (!bytes[i].count) continue;
    snprintf(name, sizeof name, "binaries/%s/%s%s", platform, f->x->prefix, ending);
    pf_zip_add(&zip, name, bytes[i].at, bytes[i].count);
  }
  PfStatus packed = pf_zip_end(&zip);
  return status == PF_OK ? packed : status;
}

/* Variables and surfaces, the token, the sources with the token, binaries where a compiler is wanted, and the
 * archive. */
static PfStatus make(PfFmu *f, PfText *bytes, PfText *archive, PfFmuMade *made)
{
  PF_TRY(pf_fmu_collect(f));
  /* The same model, the same token: a hash of the description and of all sources, made without it. */
  unsigned char h[PF_SHA256_SIZE];
  PfSha256 sum;
  PfText text;
  PF_TRY(try_sources(f));
  pf_text_init(&text, pf_context_allocator(f->ctx));
  PfStatus status = pf_fmu_description(f, &text);
  pf_sha256_begin(&sum);
  pf_sha256_add(&sum, pf_text_get(&text), text.count);
  for (int i = 0; i < f->files.count; i++)
    pf_sha256_add(&sum, pf_text_get(&f->files.at[i].text), f->files.at[i].text.count);
  pf_sha256_end(&sum, h);
  pf_text_free(&text);
  pf_export_files_free(&f->files);
  snprintf(f->guid, sizeof f->guid, "{%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x}", h[0],
           h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8], h[9], h[10], h[11], h[12], h[13], h[14], h[15]);
  PF_TRY(status);
  PF_TRY(pf_fmu_sources(f));
  if (f->options->compile) PF_TRY(pf_fmu_build(f, made, bytes));
  made->variable_count = f->options->version == 2 ? f->at_indicator : f->variable_count;
  made->indicator_count = f->indicator_count;
  return pack(f, bytes, archive);
}

/* The files of an FMU next to those of the model. */
static bool is_taken(const char *prefix)
{
  return is_shipped(prefix) || !strcmp(prefix, "fmu_model") || !strcmp(prefix, "model") || !strcmp(prefix, "fmu");
}

/* The files of the FMU as an archive. An identifier that a file of every FMU has gets "_of" at its end. */
PfStatus pf_export_fmu(PfExport *x, const PfFmuOptions *options, PfText *archive, PfFmuMade *made)
{
  PfFmu f = {.x = x, .ctx = x->ctx, .arena = x->arena, .options = options};
  PfText bytes[TARGETS];
  *made = (PfFmuMade){0};
  if (is_taken(x->prefix)) {
    x->prefix = pf_export_print(x, "%s_of", x->prefix);
    x->upper = x->prefix ? pf_names_upper(x->arena, x->prefix) : NULL;
    if (!x->upper) return pf_no_room(x->ctx, "the FMU");
  }
  /* Drops the functions that importers cannot call: all but those of the motion. */
  for (int i = PF_EXPORT_ENERGY; i < x->function_count; i++) {
    pf_tape_free(x->functions[i].tape);
    x->functions[i].tape = NULL;
  }
  x->frames.count = x->contacts.count = x->surface_count = 0;
  for (int i = 0; i < TARGETS; i++) pf_text_init(bytes + i, pf_context_allocator(x->ctx));
  PfStatus status = make(&f, bytes, archive, made);
  for (int i = 0; i < TARGETS; i++) pf_text_free(bytes + i);
  pf_export_files_free(&f.files);
  return status;
}
