/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of an FMU as shared libraries: by the compiler of the system for Linux, by zig, where there is one, for
 * the others. Everything is one text for the compiler, so that nothing but it has to be laid out.
 *
 * A library that cannot be built is left out of the FMU, which then has its sources only; the reason is reported with
 * the result. The compiler works in a folder of its own (codegen/compiler.h), is polled, and ends when the user
 * cancels. */
#include "codegen/compiler.h"
#include "export/fmu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SECONDS = 300, LARGEST = 1 << 26, LONG_SOURCE = 300000 /* then it is to be small rather than fast */ };

/* Does the name of the file end in this, with something before it? */
static bool ends_with(const PfExportFile *file, const char *ending)
{
  const size_t length = strlen(file->name), tail = strlen(ending);
  return length > tail && !strcmp(file->name + length - tail, ending);
}

/* The lines of a file without those that include another one of the export; a table of code (.def) stands in the place
 * of the line that includes it. Calls itself for tables, which include nothing.
 * NOLINTNEXTLINE(misc-no-recursion) */
static void add_lines(const PfExportFiles *files, const PfExportFile *file, PfText *text)
{
  static const char include[] = "#include \"";
  for (const char *at = pf_text_get(&file->text); *at;) {
    const char *end = strchr(at, '\n'), *name = at + sizeof include - 1;
    const size_t size = end ? (size_t)(end - at) + 1 : strlen(at);
    const bool includes = !strncmp(at, include, sizeof include - 1);
    if (!includes) pf_text_put(text, at, size);
    for (int i = 0; includes && i < files->count; i++)
      if (ends_with(files->at + i, ".def") && !strncmp(name, files->at[i].name, strcspn(name, "\"")))
        add_lines(files, files->at + i, text);
    at += size;
  }
}

typedef struct Target {
  const char *platform[2]; /* the folder in FMI 2 and 3 */
  const char *ending;
  const char *zig;         /* NULL: the compiler of the system */
  enum { ELF, PE, MACH_O } format;
} Target;

#if defined(__linux__) && defined(__x86_64__)
#define HERE {"linux64", "x86_64-linux"}
#elif defined(__linux__) && defined(__aarch64__)
#define HERE {"aarch64-linux", "aarch64-linux"}
#else
#define HERE {NULL, NULL}
#endif

static const Target targets[] = {
  {HERE, ".so", NULL, ELF},
  {{"win64", "x86_64-windows"}, ".dll", "x86_64-windows-gnu", PE},
  {{"darwin64", "x86_64-darwin"}, ".dylib", "x86_64-macos", MACH_O},
  {{"aarch64-darwin", "aarch64-darwin"}, ".dylib", "aarch64-macos", MACH_O}};

/* Only the last trouble is kept. */
static void note(PfFmuMade *made, const char *what, const char *why)
{
  snprintf(made->trouble, sizeof made->trouble, "%s%s%s", what, why[0] ? ": " : "", why);
}

/* Waits for the compiler; `why` it failed, "": it has said so; NULL: it has not. */
static PfStatus compile(const PfFmu *f, const PfCompiler *compiler, const char *const *flags, const PfText *source,
                        PfJob *job, const char **why)
{
  PfJobState state = PF_JOB_RUNS;
  *why = NULL;
  if (!pf_job_start(job, compiler, flags, pf_text_get(source), source->count, MOST_SECONDS)) {
    *why = "it cannot be started";
    return PF_OK;
  }
  const double start = pf_clock();
  while ((state = pf_job_poll(job)) == PF_JOB_RUNS) {
    PF_TRY(pf_check_cancelled(f->ctx));
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  if (state != PF_JOB_DONE) *why = pf_clock() - start > MOST_SECONDS ? "it took too long" : "";
  return PF_OK;
}

/* False for a file that is missing, too large, or not of the format of the target. */
static bool read_library(const PfJob *job, const Target *target, PfText *bytes)
{
  static const char magic[][5] = {"\177ELF", "MZ", "\xcf\xfa\xed\xfe"};
  char path[PF_CACHE_PATH], block[4096];
  size_t count;
  pf_job_path(job, "code.so", path);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  while ((count = fread(block, 1, sizeof block, file)) > 0 && bytes->count < LARGEST) pf_text_put(bytes, block, count);
  fclose(file);
  size_t length = strlen(magic[target->format]);
  return !bytes->failed && bytes->count > length && !memcmp(bytes->at, magic[target->format], length);
}

/* One that cannot be built stays empty, and why is noted. Optimizes for size where the source is long. `bytes` gets the
 * library. */
static PfStatus build_one(const PfFmu *f, const PfCompiler *compiler, const Target *target, const PfText *source,
                          PfFmuMade *made, PfText *bytes)
{
  const char *why;
  char line[160];
  const char *flags[16];
  int count = 0;
  PfJob job = {0};
  if (target->zig) flags[count++] = "cc", flags[count++] = "-target", flags[count++] = target->zig;
  flags[count++] = source->count > LONG_SOURCE ? "-Os" : "-O2";
  static const char *const all[] = {"-std=c99", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off",
                                    "-ffunction-sections", "-fno-asynchronous-unwind-tables", "-s"};
  for (size_t i = 0; i < sizeof all/sizeof *all; i++) flags[count++] = all[i];
  if (target->format == ELF) flags[count++] = "-Wl,--gc-sections,--no-as-needed";
  /* not the place it was made at */
  if (target->format == MACH_O) flags[count++] = "-Wl,-install_name,@rpath/model.dylib";
  flags[count++] = "-lm";
  flags[count] = NULL;
  PfStatus status = compile(f, compiler, flags, source, &job, &why);
  bool good = status == PF_OK && !why && read_library(&job, target, bytes);
  if (status == PF_OK && !good) {
    if (!why || !why[0]) pf_job_first_line(&job, line, sizeof line), why = line;
    note(made, target->zig ? "zig failed for one of its targets" : "the C compiler failed", why);
    pf_text_free(bytes);
    pf_text_init(bytes, pf_context_allocator(f->ctx));
  }
  if (good) made->binaries[made->binary_count++] = target->platform[f->options->version - 2];
  pf_job_end(&job);
  return status;
}

/* zig is asked for by $PFAFF_ZIG: its path. Only an absolute path is accepted: nothing is searched for. */
static bool find_zig(PfCompiler *zig)
{
  const char *path = getenv("PFAFF_ZIG");
  *zig = (PfCompiler){.path = ""};
  if (!path || path[0] != '/' || strlen(path) >= sizeof zig->path) return false;
  snprintf(zig->path, sizeof zig->path, "%s", path);
  return true;
}

/* `bytes` has room for one library for each target; those that are not there stay empty. */
PfStatus pf_fmu_build(const PfFmu *f, PfFmuMade *made, PfText *bytes)
{
  PfCompiler compiler, zig;
  bool has_compiler = pf_compiler_find(&compiler), has_zig = find_zig(&zig);
  PfText source;
  pf_text_init(&source, pf_context_allocator(f->ctx));
  /* All files as one text, headers first, in their order. */
  const PfExportFiles *files = &f->files;
  for (int i = 0; i < files->count; i++)
    if (ends_with(files->at + i, ".h")) add_lines(files, files->at + i, &source);
  for (int i = 0; i < files->count; i++)
    if (ends_with(files->at + i, ".c")) add_lines(files, files->at + i, &source);
  if (!has_compiler) note(made, "there is no C compiler", "");
  PfStatus status = source.failed ? pf_no_room(f->ctx, "the FMU") : PF_OK;
  for (size_t i = 0; i < sizeof targets/sizeof *targets && status == PF_OK; i++) {
    const Target *t = targets + i;
    if (!t->platform[0] || !(t->zig ? has_zig : has_compiler)) continue;
    status = build_one(f, t->zig ? &zig : &compiler, t, &source, made, bytes + i);
  }
  pf_text_free(&source);
  return status;
}

/* The name of the platform is that of the version of FMI; "" where the program does not build for it. */
const char *pf_fmu_library(const PfFmu *f, int target, const char **ending)
{
  if (target >= (int)(sizeof targets/sizeof *targets)) return NULL;
  *ending = targets[target].ending;
  const char *platform = targets[target].platform[f->options->version - 2];
  return platform ? platform : "";
}
