/* SPDX-License-Identifier: Apache-2.0 */
/* The context and its diagnostics. The library never prints and never exits: it records. */
#include "base/base.h"

#include <string.h>

struct PfContext {
  PfAllocator allocator;
  PfArena *scratch; /* short-lived work of one function */
  PfArena *words;   /* texts of the diagnostics */
  PF_ARRAY(PfDiagnostic) diagnostics;
  PF_ARRAY(PfMark) marks; /* of each: where its texts begin among the words */
  bool lost; /* there was no memory for the latest one */
  bool (*cancelled)(void *user);
  void *cancel_user;
  bool stopped; /* it has said so */
  PfExprTable *exprs;
  void (*release_exprs)(PfExprTable *table);
  PfLoaded *libraries;
  void (*release_libraries)(PfContext *ctx, PfLoaded *libraries);
  struct PfTapeHelper *helper;
  void (*leave_helper)(struct PfTapeHelper *helper);
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

PfContext *pf_context_new(const PfAllocator *allocator)
{
  const PfAllocator standard = {pf_standard_resize, NULL};
  if (!allocator) allocator = &standard;
  PfContext *ctx = allocator->resize(allocator->user, NULL, sizeof *ctx);
  if (!ctx) return NULL;
  memset(ctx, 0, sizeof *ctx);
  ctx->allocator = *allocator;
  ctx->scratch = pf_arena_new(allocator);
  ctx->words = pf_arena_new(allocator);
  if (ctx->scratch && ctx->words) return ctx;
  pf_context_free(ctx);
  return NULL;
}

void pf_context_free(PfContext *ctx)
{
  if (!ctx) return;
  PfAllocator allocator = ctx->allocator;
  if (ctx->exprs) ctx->release_exprs(ctx->exprs);
  if (ctx->helper) ctx->leave_helper(ctx->helper);
  if (ctx->libraries) ctx->release_libraries(ctx, ctx->libraries);
  pf_array_free(&allocator, &ctx->diagnostics);
  pf_array_free(&allocator, &ctx->marks);
  pf_arena_free(ctx->scratch);
  pf_arena_free(ctx->words);
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

struct PfTapeHelper *pf_context_tape_helper(const PfContext *ctx)
{
  return ctx->helper;
}

void pf_context_set_tape_helper(PfContext *ctx, struct PfTapeHelper *helper,
                                void (*leave)(struct PfTapeHelper *helper))
{
  ctx->helper = helper;
  ctx->leave_helper = leave;
}

/* ---------------------------------------------------------------- diagnostics */

static const char *keep(PfContext *ctx, const char *text)
{
  return text ? pf_arena_text(ctx->words, text, strlen(text)) : NULL;
}

static const char *keep_formatted(PfContext *ctx, const char *format, va_list words)
{
  va_list again;
  va_copy(again, words);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length < 0 ? NULL : pf_arena_alloc(ctx->words, (size_t)length + 1, 1);
  if (!text) return NULL;
  vsnprintf(text, (size_t)length + 1, format, words);
  return text;
}

/* `words`: where its texts begin. */
static void record(PfContext *ctx, PfMark words, PfDiagnostic diagnostic)
{
  if (!diagnostic.message) diagnostic.message = status_text[PF_ERR_MEMORY];
  diagnostic.place.file = keep(ctx, diagnostic.place.file);
  diagnostic.place.text = keep(ctx, diagnostic.place.text);
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
         (PfDiagnostic){PF_ERR_CANCELLED, PF_ERROR, {0}, status_text[PF_ERR_CANCELLED], NULL});
  return PF_ERR_CANCELLED;
}

static PfStatus record_error(PfContext *ctx, PfStatus code, PfPlace place, const char *format, va_list words)
{
  if (ctx->stopped) return record_stop(ctx);
  PfMark mark = pf_arena_mark(ctx->words);
  record(ctx, mark, (PfDiagnostic){code, PF_ERROR, place, keep_formatted(ctx, format, words), NULL});
  return code;
}

PfStatus pf_fail(PfContext *ctx, PfStatus code, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  code = record_error(ctx, code, (PfPlace){0}, format, words);
  va_end(words);
  return code;
}

PfStatus pf_no_room(PfContext *ctx, const char *what)
{
  return pf_fail(ctx, PF_ERR_MEMORY, "no room for %s", what);
}

PfStatus pf_fail_at(PfContext *ctx, PfStatus code, PfPlace place, const char *format, ...)
{
  va_list words;
  va_start(words, format);
  code = record_error(ctx, code, place, format, words);
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
  PfMark mark = pf_arena_mark(ctx->words);
  va_start(words, format);
  if (!ctx->stopped)
    record(ctx, mark, (PfDiagnostic){PF_OK, PF_WARNING, place, keep_formatted(ctx, format, words), NULL});
  va_end(words);
}

void pf_hint(PfContext *ctx, const char *format, ...)
{
  if (!ctx->diagnostics.count || ctx->lost || ctx->stopped) return;
  va_list words;
  va_start(words, format);
  ctx->diagnostics.at[ctx->diagnostics.count - 1].hint = keep_formatted(ctx, format, words);
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

void pf_diagnostics_cut(PfContext *ctx, int count)
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
