/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic loading of libraries, once per context. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* Also of a library that could not be loaded, so that it is looked for once. */
struct PfLoaded {
  PfLoaded *next;
  PfLibrary library;
  void *handle;
  char *trouble;     /* NULL when all is well */
  void *functions[]; /* `count` of them */
};

static void release(PfContext *ctx, PfLoaded *loaded)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  while (loaded) {
    PfLoaded *next = loaded->next;
    if (loaded->handle) dlclose(loaded->handle);
    allocator->resize(allocator->user, loaded->trouble, 0);
    allocator->resize(allocator->user, loaded, 0);
    loaded = next;
  }
}

static PfLoaded *find(const PfContext *ctx, const PfLibrary *library)
{
  PfLoaded *loaded = pf_context_libraries(ctx);
  while (loaded && (loaded->library.names != library->names || strcmp(loaded->library.file, library->file) != 0))
    loaded = loaded->next;
  return loaded;
}

static bool keep_trouble(PfContext *ctx, PfLoaded *loaded)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  const char *why = dlerror();
  if (!why) why = "no reason given";
  size_t size = strlen(why) + 1;
  loaded->trouble = allocator->resize(allocator->user, NULL, size);
  if (loaded->trouble) memcpy(loaded->trouble, why, size);
  return loaded->trouble;
}

/* A search in a library goes on in those that it needs. Some cannot be taken out of memory again, as glib, so all stay
 * there when they are closed. False without memory. */
static bool load(PfContext *ctx, PfLoaded *loaded)
{
  const PfLibrary *library = &loaded->library;
  const int mode = RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE;
  void *before = dlopen(library->file, mode | RTLD_NOLOAD);
  loaded->handle = before ? before : dlopen(library->file, mode);
  if (!loaded->handle) return keep_trouble(ctx, loaded);
  for (size_t i = 0; i < library->count; i++) {
    loaded->functions[i] = dlsym(loaded->handle, library->names[i]);
    if (!loaded->functions[i] && i < library->needed) return keep_trouble(ctx, loaded);
  }
  if (library->begin && !before) library->begin(loaded->functions);
  return true;
}

static PfLoaded *add(PfContext *ctx, const PfLibrary *library)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  size_t size = sizeof(PfLoaded) + library->count*sizeof(void *);
  PfLoaded *loaded = allocator->resize(allocator->user, NULL, size);
  if (!loaded) return NULL;
  memset(loaded, 0, size);
  loaded->library = *library;
  if (!load(ctx, loaded)) {
    release(ctx, loaded);
    return NULL;
  }
  loaded->next = pf_context_libraries(ctx);
  pf_context_set_libraries(ctx, loaded, release);
  return loaded;
}

PfStatus pf_library_open(PfContext *ctx, const PfLibrary *library, const void **functions)
{
  const PfLoaded *loaded = find(ctx, library);
  *functions = NULL;
  if (!loaded) loaded = add(ctx, library);
  if (!loaded) return PF_ERR_MEMORY;
  if (loaded->trouble) return PF_ERR_MISSING;
  *functions = loaded->functions;
  return PF_OK;
}

PfStatus pf_library_require(PfContext *ctx, const PfLibrary *library, const char *need, const void **functions)
{
  PfStatus status = pf_library_open(ctx, library, functions);
  if (status == PF_ERR_MEMORY) return pf_fail(ctx, status, "no room for the functions of %s", library->file);
  if (status != PF_ERR_MISSING) return status;
  return pf_fail(ctx, status, "%s, which cannot be loaded: %s", need, find(ctx, library)->trouble);
}

/* ---------------------------------------------------------------- our own code */

void *pf_code_open(const char *path)
{
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

const void *pf_code_symbol(void *code, const char *name)
{
  return dlsym(code, name);
}

void pf_code_close(void *code)
{
  if (code) (void)dlclose(code);
}
