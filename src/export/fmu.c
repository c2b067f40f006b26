/* SPDX-License-Identifier: Apache-2.0 */
/* An FMU put together: descriptions, sources, libraries, documentation, in an archive. */
#include "export/fmu_impl.h"
#include "codegen/sha256.h"
#include "out/zip.h"

#include <stdio.h>
#include <string.h>

enum { TARGETS = 4 };

/* ---------------------------------------------------------------- the token */

/* The sources, once; exact derivatives are most of those of a large model, and are left out where an FMU would become
 * larger than importers like. */
static PfStatus try_sources(PfFmu *f)
{
  enum { MOST = 375000 }; /* characters: an FMU of about 200 kB */
  size_t size = 0;
  PF_TRY(pf_fmu_sources(f));
  for (int i = 0; i < f->files.count; i++) size += f->files.at[i].text.count;
  if (size <= MOST) return PF_OK;
  f->by_differences = true;
  pf_export_files_free(&f->files);
  return pf_fmu_sources(f);
}

/* The same model, the same token: a hash of the description and of all sources, made without it. */
static PfStatus make_guid(PfFmu *f)
{
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
  return status;
}

/* ---------------------------------------------------------------- the archive */

static void add_made(PfZip *zip, const PfFmu *f, const char *name, void (*put)(const PfFmu *, PfText *))
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  put(f, &text);
  if (text.failed) zip->out->failed = true;
  pf_zip_add(zip, name, pf_text_get(&text), text.count);
  pf_text_free(&text);
}

static void add_sources(PfZip *zip, const PfFmu *f)
{
  char name[PF_LONGEST_IDENTIFIER + 64];
  for (int i = 0; i < f->files.count; i++) {
    snprintf(name, sizeof name, "sources/%s", f->files.at[i].name);
    pf_zip_add(zip, name, pf_text_get(&f->files.at[i].text), f->files.at[i].text.count);
  }
  if (f->options->version == 3) add_made(zip, f, "sources/buildDescription.xml", pf_fmu_build_description);
}

static void add_libraries(PfZip *zip, const PfFmu *f, const PfText *bytes)
{
  char name[PF_LONGEST_IDENTIFIER + 64];
  const char *platform, *ending;
  for (int i = 0; i < TARGETS && (platform = pf_fmu_library(f, i, &ending)); i++) {
    if (!bytes[i].count) continue;
    snprintf(name, sizeof name, "binaries/%s/%s%s", platform, f->x->prefix, ending);
    pf_zip_add(zip, name, bytes[i].at, bytes[i].count);
  }
}

static PfStatus pack(PfFmu *f, const PfText *bytes, PfText *archive)
{
  PfZip zip;
  PfText description;
  pf_text_init(&description, pf_context_allocator(f->ctx));
  PfStatus status = pf_fmu_description(f, &description);
  pf_zip_begin(&zip, f->ctx, archive);
  pf_zip_add(&zip, "modelDescription.xml", pf_text_get(&description), description.count);
  add_made(&zip, f, "documentation/index.html", pf_fmu_page);
  add_sources(&zip, f);
  add_libraries(&zip, f, bytes);
  pf_text_free(&description);
  PfStatus packed = pf_zip_end(&zip);
  return status == PF_OK ? packed : status;
}

/* Functions that no importer can ask for. */
static void strip(PfExport *x)
{
  static const PfExportKind unused[] = {PF_EXPORT_POSES, PF_EXPORT_CONTACTS, PF_EXPORT_SURFACES, PF_EXPORT_RESIDUAL,
                                        PF_EXPORT_ENERGY, PF_EXPORT_OUTPUTS, PF_EXPORT_OUTPUT_SLOPES,
                                        PF_EXPORT_INPUT_SLOPES, PF_EXPORT_SLOPES};
  for (size_t i = 0; i < sizeof unused/sizeof *unused; i++) {
    pf_tape_free(x->functions[unused[i]].tape);
    x->functions[unused[i]].tape = NULL;
  }
  for (int i = PF_EXPORT_JACOBIANS; i < x->function_count; i++) {
    pf_tape_free(x->functions[i].tape);
    x->functions[i].tape = NULL;
  }
  x->frames.count = x->contacts.count = x->surface_count = 0;
}

static PfStatus make(PfFmu *f, PfText *bytes, PfText *archive, PfFmuMade *made)
{
  PF_TRY(pf_fmu_collect(f));
  PF_TRY(make_guid(f));
  PF_TRY(pf_fmu_sources(f));
  if (f->options->compile) PF_TRY(pf_fmu_build(f, made, bytes));
  made->variable_count = f->options->version == 2 ? f->at_indicator : f->variable_count;
  made->indicator_count = f->indicator_count;
  return pack(f, bytes, archive);
}

/* The files of an FMU beside those of the model. */
static bool is_taken(const char *prefix)
{
  size_t length = strlen(prefix);
  for (const PfFmuText *text = pf_fmu_texts; text->name; text++)
    if (strcspn(text->name, ".") == length && !strncmp(prefix, text->name, length)) return true;
  return !strcmp(prefix, "fmu_model") || !strcmp(prefix, "model") || !strcmp(prefix, "fmu");
}

PfStatus pf_export_fmu(PfExport *x, const PfFmuOptions *options, PfText *archive, PfFmuMade *made)
{
  PfFmu f = {.x = x, .ctx = x->ctx, .arena = x->arena, .options = options};
  PfText bytes[TARGETS];
  *made = (PfFmuMade){0};
  if (is_taken(x->prefix)) {
    char name[PF_LONGEST_IDENTIFIER + 8];
    int length = snprintf(name, sizeof name, "%s_of", x->prefix);
    x->prefix = pf_arena_text(x->arena, name, (size_t)length);
    x->upper = x->prefix ? pf_names_upper(x->arena, x->prefix) : NULL;
    if (!x->upper) return pf_no_room(x->ctx, "the FMU");
  }
  strip(x);
  for (int i = 0; i < TARGETS; i++) pf_text_init(bytes + i, pf_context_allocator(x->ctx));
  PfStatus status = make(&f, bytes, archive, made);
  for (int i = 0; i < TARGETS; i++) pf_text_free(bytes + i);
  pf_export_files_free(&f.files);
  return status;
}
