/* SPDX-License-Identifier: Apache-2.0 */
/* Context, status codes, diagnostics and arenas: what every other module stands on. */
#ifndef PFAFF_BASE_H
#define PFAFF_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PF_STATIC) || !defined(__GNUC__)
#define PF_API
#else
#define PF_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define PF_PRINTF(words, first) __attribute__((format(printf, words, first)))
#else
#define PF_PRINTF(words, first)
#endif

/* Every way in which a call can end, with the text that describes it. */
#define PF_STATUS_LIST(ENTRY)                                                       \
  ENTRY(PF_OK, "success")                                                           \
  ENTRY(PF_ERR_MEMORY, "out of memory")                                             \
  ENTRY(PF_ERR_ARGUMENT, "a wrong argument to a function of the library")           \
  ENTRY(PF_ERR_LIMIT, "a limit that protects the machine was reached")              \
  ENTRY(PF_ERR_FILE, "a file cannot be read or written")                            \
  ENTRY(PF_ERR_SYNTAX, "the text is not a model")                                   \
  ENTRY(PF_ERR_NAME, "an unknown, duplicate or cyclic name")                        \
  ENTRY(PF_ERR_UNIT, "units that do not fit together")                              \
  ENTRY(PF_ERR_MODEL, "a model that makes no mechanical sense")                     \
  ENTRY(PF_ERR_NUMBER, "a number that is not finite, or a singular system")         \
  ENTRY(PF_ERR_MISSING, "this build lacks an optional library")                     \
  ENTRY(PF_ERR_CANCELLED, "stopped on request")

typedef enum PfStatus {
#define PF_STATUS_ENTRY(code, text) code,
  PF_STATUS_LIST(PF_STATUS_ENTRY)
#undef PF_STATUS_ENTRY
} PfStatus;

/* Passes a failure on to the caller. Not for functions that hold a resource. */
#define PF_TRY(call)                                \
  do {                                              \
    PfStatus pf_try_status = (call);                \
    if (pf_try_status != PF_OK) return pf_try_status; \
  } while (0)

/* The text that belongs to a code; never NULL. */
PF_API const char *pf_status_text(PfStatus status);

/* The version of the library, as "major.minor.patch". */
PF_API const char *pf_version(void);

/* ---------------------------------------------------------------- allocation */

/* One function does all allocation, in the manner of realloc: size 0 frees and returns NULL. */
typedef struct PfAllocator {
  void *(*resize)(void *user, void *block, size_t size);
  void *user;
} PfAllocator;

/* Memory that is freed all at once. */
typedef struct PfArena PfArena;
typedef struct PfMark {
  void *block;
  size_t used;
} PfMark;

/* A new arena on the allocator, or NULL. `allocator` NULL means the C library's. */
PF_API PfArena *pf_arena_new(const PfAllocator *allocator);
/* Frees the arena with all that was allocated in it; NULL is allowed. */
PF_API void pf_arena_free(PfArena *arena);

/* Zeroed memory for count objects of the size, aligned for any of them. NULL when there is none left or
 * count*size overflows; a request for nothing gives a valid pointer. */
PF_API void *pf_arena_alloc(PfArena *arena, size_t count, size_t size);
#define pf_arena_array(arena, type, count) ((type *)pf_arena_alloc((arena), (size_t)(count), sizeof(type)))

/* A copy of length bytes with a terminating zero, or NULL. */
PF_API char *pf_arena_text(PfArena *arena, const char *text, size_t length);

/* Scratch use: everything allocated after the mark is given back by the release. */
PF_API PfMark pf_arena_mark(const PfArena *arena);
/* Gives back everything allocated since the mark. */
PF_API void pf_arena_release(PfArena *arena, PfMark mark);

/* ---------------------------------------------------------------- context */

/* Holds the expression table, the diagnostics and scratch memory. A context serves one thread at a time;
 * two contexts are independent. */
typedef struct PfContext PfContext;

/* A new context, or NULL without memory. `allocator` NULL means the C library's. */
PF_API PfContext *pf_context_new(const PfAllocator *allocator);
/* Frees it with its expressions and diagnostics; NULL is allowed. */
PF_API void pf_context_free(PfContext *ctx);
/* The allocator that it was made with. */
PF_API const PfAllocator *pf_context_allocator(const PfContext *ctx);
/* Memory for work that ends before a function returns: mark it, use it, release it. */
PF_API PfArena *pf_context_scratch(PfContext *ctx);

/* A function that long work asks many times a second, and from one thread only, whether to stop. Once it has said true,
 * everything on the context fails with PF_ERR_CANCELLED as soon as it can; giving a function again (or NULL) ends
 * that. */
PF_API void pf_context_set_cancel(PfContext *ctx, bool (*cancelled)(void *user), void *user);
/* Asks; true for ever once it was. What came of the context since is not to be used. */
PF_API bool pf_context_is_cancelled(PfContext *ctx);

/* ---------------------------------------------------------------- diagnostics */

typedef enum PfSeverity { PF_NOTE, PF_WARNING, PF_ERROR } PfSeverity;

/* A stretch of one line of a text. Lines and columns count from 1, columns in characters; line 0 means
 * that the place is not known. `text` is the line itself, without its end. `setting` is the name of the setting whose
 * value the text is, or NULL. */
typedef struct PfPlace {
  const char *file;
  const char *text;
  int line, column, length;
  const char *setting;
} PfPlace;

typedef struct PfDiagnostic {
  PfStatus code;
  PfSeverity severity;
  PfPlace place;
  const char *message;
  const char *hint;    /* how to fix it, or NULL */
  const char *setting; /* the name of the setting that it is about, or NULL */
} PfDiagnostic;

/* Records an error and returns its code, so that `return pf_fail(…)` both says and passes it on. Formats are those of
 * printf, and name settings and tasks by tokens which the front end spells: "@step", "@step{0.01}", "@task{run}". */
PF_API PfStatus pf_fail(PfContext *ctx, PfStatus code, const char *format, ...) PF_PRINTF(3, 4);

/* The same with a place in a text. The file and line texts are copied. */
PF_API PfStatus pf_fail_at(PfContext *ctx, PfStatus code, PfPlace place, const char *format, ...)
    PF_PRINTF(4, 5);
PF_API void pf_warn_at(PfContext *ctx, PfPlace place, const char *format, ...) PF_PRINTF(3, 4);

/* Adds advice to the latest diagnostic. */
PF_API void pf_hint(PfContext *ctx, const char *format, ...) PF_PRINTF(2, 3);

/* How many diagnostics there are, and how many of them are errors; number `index`, the oldest first. */
PF_API int pf_diagnostic_count(const PfContext *ctx);
PF_API int pf_error_count(const PfContext *ctx);
PF_API const PfDiagnostic *pf_diagnostic(const PfContext *ctx, int index);

/* Forgets all diagnostics. */
PF_API void pf_diagnostics_clear(PfContext *ctx);

/* The message of the latest error, "" when there is none. */
PF_API const char *pf_context_message(const PfContext *ctx);

#ifdef __cplusplus
}
#endif
#endif
