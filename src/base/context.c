/* SPDX-License-Identifier: Apache-2.0 */
/* The context and its diagnostics. The library never prints and never exits: it records. */
#include "base/spelling.h"

#include <stdatomic.h>
#include <string.h>

/* Of a context and its forks, which hold references. */
typedef struct WorkCounts {
  atomic_int references;
  atomic_long done[PF_WORK_KINDS];
} WorkCounts;

struct PfContext {
  PfAllocator allocator;
  PfArena *scratch; /* short-lived work of one function */
  PfArena *words;   /* texts of the diagnostics */
  PF_ARRAY(PfDiagnostic) diagnostics;
  PF_ARRAY(PfMark) marks; /* of each: where its texts begin among the words */
  bool lost; /* there was no memory for the latest one */
  const PfSpelling *spelling; /* of settings and tasks in messages */
  bool (*cancelled)(void *user);
  void *cancel_user;
  bool stopped; /* it has said so */
  PfExprTable *exprs;
  void (*release_exprs)(PfExprTable *table);
  PfLoaded *libraries;
  void (*release_libraries)(PfContext *ctx, PfLoaded *libraries);
  struct PfNativeService *service;
  void (*release_service)(struct PfNativeService *service);
  long tapes_made;
  WorkCounts *counts;
};

static const char *const status_text[] = {
#define ENTRY(code, text) text,
  PF_STATUS_LIST(ENTRY)
#undef ENTRY
};

const char *pf_status_text(PfStatus status)
{
  size_t i = (size_t)status;
  return i < sizeof status_text/sizeof *status_text ? status_text[i] : "unknown status";
}

const char *pf_version(void)
{
  return PF_VERSION;
}

static WorkCounts *new_counts(const PfAllocator *allocator)
{
  WorkCounts *counts = allocator->resize(allocator->user, NULL, sizeof *counts);
  if (!counts) return NULL;
  atomic_init(&counts->references, 1);
  for (int i = 0; i < PF_WORK_KINDS; i++) atomic_init(counts->done + i, 0);
  return counts;
}

static void release_counts(PfContext *ctx)
{
  if (ctx->counts && atomic_fetch_sub(&ctx->counts->references, 1) == 1)
    ctx->allocator.resize(ctx->allocator.user, ctx->counts, 0);
}

PfContext *pf_context_new(const PfAllocator *allocator)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  if (!allocator) allocator = &standard;
  PfContext *ctx = allocator->resize(allocator->user, NULL, sizeof *ctx);
  if (!ctx) return NULL;
  memset(ctx, 0, sizeof *ctx);
  ctx->allocator = *allocator;
  ctx->spelling = &pf_spelling_of_c;
  ctx->scratch = pf_arena_new(allocator);
  ctx->words = pf_arena_new(allocator);
  ctx->counts = new_counts(allocator);
  if (ctx->scratch && ctx->words && ctx->counts) return ctx;
  pf_context_free(ctx);
  return NULL;
}

void pf_context_free(PfContext *ctx)
{
  if (!ctx) return;
  PfAllocator allocator = ctx->allocator;
  if (ctx->exprs) ctx->release_exprs(ctx->exprs);
  if (ctx->service) ctx->release_service(ctx->service);
  if (ctx->libraries) ctx->release_libraries(ctx, ctx->libraries);
  pf_array_free(&allocator, &ctx->diagnostics);
  pf_array_free(&allocator, &ctx->marks);
  pf_arena_free(ctx->scratch);
  pf_arena_free(ctx->words);
  release_counts(ctx);
  allocator.resize(allocator.user, ctx, 0);
}

const PfAllocator *pf_context_allocator(const PfContext *ctx)
{
  return &ctx->allocator;
}

PfArena *pf_context_scratch(PfContext *ctx)
{
  return ctx->scratch;
}

void pf_context_set_cancel(PfContext *ctx, bool (*cancelled)(void *user), void *user)
{
  ctx->cancelled = cancelled;
  ctx->cancel_user = user;
  ctx->stopped = false;
}

bool pf_context_is_cancelled(PfContext *ctx)
{
  if (!ctx->stopped && ctx->cancelled) ctx->stopped = ctx->cancelled(ctx->cancel_user);
  return ctx->stopped;
}

void pf_context_set_spelling(PfContext *ctx, const PfSpelling *spelling)
{
  ctx->spelling = spelling;
}

const PfSpelling *pf_context_spelling(const PfContext *ctx)
{
  return ctx->spelling;
}

void pf_context_note_tape(PfContext *ctx)
{
  ctx->tapes_made++;
}

long pf_context_tapes_made(const PfContext *ctx)
{
  return ctx->tapes_made;
}

void pf_context_note_work(PfContext *ctx, PfWork work)
{
  atomic_fetch_add(ctx->counts->done + work, 1);
}

long pf_context_work_done(const PfContext *ctx, PfWork work)
{
  return atomic_load(ctx->counts->done + work);
}

void pf_context_count_with(PfContext *ctx, const PfContext *other)
{
  atomic_fetch_add(&other->counts->references, 1);
  release_counts(ctx);
  ctx->counts = other->counts;
}

PfExprTable *pf_context_expr_table(PfContext *ctx)
{
  return ctx->exprs;
}

void pf_context_set_expr_table(PfContext *ctx, PfExprTable *table, void (*release)(PfExprTable *table))
{
  ctx->exprs = table;
  ctx->release_exprs = release;
}

PfLoaded *pf_context_libraries(const PfContext *ctx)
{
  return ctx->libraries;
}

void pf_context_set_libraries(PfContext *ctx, PfLoaded *libraries,
                              void (*release)(PfContext *ctx, PfLoaded *libraries))
{
  ctx->libraries = libraries;
  ctx->release_libraries = release;
}

struct PfNativeService *pf_context_native_service(const PfContext *ctx)
{
  return ctx->service;
}

void pf_context_set_native_service(PfContext *ctx, struct PfNativeService *service,
                                   void (*leave)(struct PfNativeService *service))
{
  ctx->service = service;
  ctx->release_service = leave;
}

/* ---------------------------------------------------------------- diagnostics */

static const char *keep(PfContext *ctx, const char *text)
{
  return text ? pf_arena_text(ctx->words, text, strlen(text)) : NULL;
}

/* The message in the words of the context; `setting` as of pf_text_spell_list. */
static const char *keep_formatted(PfContext *ctx, char *setting, const char *format, va_list words)
{
  PfText text;
  pf_text_init(&text, &ctx->allocator);
  pf_text_spell_list(&text, ctx->spelling, setting, format, words);
  const char *kept = text.failed ? NULL : pf_arena_text(ctx->words, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return kept;
}

/* `words`: where its texts begin. */
static void record(PfContext *ctx, PfMark words, PfDiagnostic diagnostic)
{
  if (!diagnostic.message) diagnostic.message = status_text[PF_ERR_MEMORY];
  diagnostic.place.file = keep(ctx, diagnostic.place.file);
  diagnostic.place.text = keep(ctx, diagnostic.place.text);
  diagnostic.setting = keep(ctx, diagnostic.setting ? diagnostic.setting : diagnostic.place.setting);
  diagnostic.place.setting = diagnostic.setting;
  ctx->marks.count = ctx->diagnostics.count;
  ctx->lost = !pf_push(&ctx->allocator, &ctx->marks, words) ||
              !pf_push(&ctx->allocator, &ctx->diagnostics, diagnostic);
}

/* After a request to stop whatever fails fails because of it, and that is said once. */
static PfStatus record_stop(PfContext *ctx)
{
  for (size_t i = 0; i < ctx->diagnostics.count; i++)
    if (ctx->diagnostics.at[i].code == PF_ERR_CANCELLED) return PF_ERR_CANCELLED;
  record(ctx, pf_arena_mark(ctx->words),
         (PfDiagnostic){.code = PF_ERR_CANCELLED, .severity = PF_ERROR, .message = status_text[PF_ERR_CANCELLED]});
  return PF_ERR_CANCELLED;
}

/* Records a message with its tokens spelled. It is about the first setting that it names, or that of the place. */
static void record_message(PfContext *ctx, PfDiagnostic d, const char *format, va_list words)
{
  char setting[PF_LONGEST_SETTING];
  PfMark mark = pf_arena_mark(ctx->words);
  d.message = keep_formatted(ctx, setting, format, words);
  if (*setting) d.setting = setting;
  record(ctx, mark, d);
}

PfStatus pf_fail_list(PfContext *ctx, PfStatus code, PfPlace place, const char *format, va_list words)
{
  if (ctx->stopped) return record_stop(ctx);
  record_message(ctx, (PfDiagnostic){.code = code, .severity = PF_ERROR, .place = place}, format, words);
  return code;
}

PfStatus pf_fail(PfContext *ctx, PfStatus code, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  code = pf_fail_list(ctx, code, (PfPlace){0}, format, words);
  va_end(words);
  return code;
}

PfStatus pf_no_room(PfContext *ctx, const char *what)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for %s", what);
}

PfStatus pf_arrays_make(PfContext *ctx, PfArena *arena, const char *what, const PfAllocation *rooms, size_t count)
{
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    void *block = pf_arena_alloc(arena, rooms[i].count, rooms[i].size);
    memcpy(rooms[i].pointer, &block, sizeof block); /* the pointer there has a type of its own */
    good = good && block;
  }
  return good ? PF_OK : pf_no_room(ctx, what);
}

PfStatus pf_fail_at(PfContext *ctx, PfStatus code, PfPlace place, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  code = pf_fail_list(ctx, code, place, format, words);
  va_end(words);
  return code;
}

PfStatus pf_check_cancelled(PfContext *ctx)
{
  return pf_context_is_cancelled(ctx) ? record_stop(ctx) : PF_OK;
}

void pf_warn_at(PfContext *ctx, PfPlace place, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  if (!ctx->stopped)
    record_message(ctx, (PfDiagnostic){.code = PF_OK, .severity = PF_WARNING, .place = place}, format, words);
  va_end(words);
}

void pf_hint_list(PfContext *ctx, const char *format, va_list words)
{
  if (!ctx->diagnostics.count || ctx->lost || ctx->stopped) return;
  ctx->diagnostics.at[ctx->diagnostics.count - 1].hint = keep_formatted(ctx, NULL, format, words);
}

void pf_hint(PfContext *ctx, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  pf_hint_list(ctx, format, words);
  va_end(words);
}

int pf_diagnostic_count(const PfContext *ctx)
{
  return (int)ctx->diagnostics.count;
}

int pf_error_count(const PfContext *ctx)
{
  int count = 0;
  for (size_t i = 0; i < ctx->diagnostics.count; i++)
    count += ctx->diagnostics.at[i].severity == PF_ERROR;
  return count;
}

const PfDiagnostic *pf_diagnostic(const PfContext *ctx, int index)
{
  return index >= 0 && (size_t)index < ctx->diagnostics.count ? ctx->diagnostics.at + index : NULL;
}

PfStatus pf_end_attempt(PfContext *ctx, int before, PfStatus status)
{
  if (pf_is_final(status)) return status;
  pf_diagnostics_truncate(ctx, before);
  return PF_OK;
}

void pf_diagnostics_truncate(PfContext *ctx, int count)
{
  if (count >= 0 && (size_t)count < ctx->diagnostics.count) ctx->diagnostics.count = (size_t)count;
}

void pf_diagnostics_forget(PfContext *ctx, int count)
{
  if (count < 0 || (size_t)count >= ctx->diagnostics.count) return;
  pf_arena_release(ctx->words, ctx->marks.at[count]);
  ctx->diagnostics.count = (size_t)count;
}

bool pf_diagnostics_copy(PfContext *to, const PfContext *from)
{
  for (size_t i = 0; i < from->diagnostics.count; i++) {
    PfDiagnostic d = from->diagnostics.at[i];
    PfMark mark = pf_arena_mark(to->words);
    d.message = keep(to, d.message);
    d.hint = keep(to, d.hint);
    record(to, mark, d);
    if (to->lost) return false;
  }
  return true;
}

void pf_diagnostics_clear(PfContext *ctx)
{
  ctx->diagnostics.count = 0;
  pf_arena_release(ctx->words, (PfMark){0});
}

const char *pf_context_message(const PfContext *ctx)
{
  for (size_t i = ctx->diagnostics.count; i-- > 0;)
    if (ctx->diagnostics.at[i].severity == PF_ERROR) return ctx->diagnostics.at[i].message;
  return "";
}
