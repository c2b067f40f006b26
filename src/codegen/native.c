/* SPDX-License-Identifier: Apache-2.0 */
/* The service that replaces interpreted tapes by native code. A tape is interpreted at first. After about two
 * milliseconds of interpretation the cache is searched for its code. After about as long as a compiler would take, the
 * compiler is started as a child process, while the run goes on. A run that ends just then has cost at most twice the
 * necessary time; a longer one gains. All decisions depend on counted instructions, and each is made by the thread that
 * runs the tape: the service has no thread of its own. */
#include "codegen/native.h"
#include "base/library.h"
#include "codegen/compiler.h"

#include <float.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In instructions of the interpreter, of which one takes about a nanosecond. */
enum {
  SEARCH_AFTER = 2000000,       /* to find, check and load code takes 0.15 ms */
  COMPILE_AFTER = 50000000,     /* the time of a compiler for an empty file, and for each instruction */
  COMPILE_AFTER_EACH = 250000,
  POLL_EVERY = 1000000,         /* while the compiler works */
  OFTEN_ENOUGH = 2,             /* runs after the first, before PF_NATIVE_ON compiles */
  MOST_INSTRUCTIONS = 50000,
  MOST_OPTIMIZED = 4000         /* instructions; beyond it a quicker level of optimization does */
};
#define NEVER INT64_MAX

/* The next thing to do for a tape: start counting, search the cache, start the compiler, wait for it, nothing. */
typedef enum Stage { FRESH, SEARCH, COMPILE, WAIT, SETTLED } Stage;

typedef struct Native {
  PfNativeService service;
  PfAllocator allocator;
  PfContext *ctx;           /* NULL once it is freed: tapes may live longer */
  _Atomic(PfNative) mode;
  atomic_flag busy;         /* a lock of all members below */
  bool searched, has_compiler, broken; /* broken: it failed once, and is not started again */
  PfCache cache;
  PfCompiler compiler;
  PfJob job;
  unsigned char job_key[PF_SHA256_SIZE];
  PfNativeReport report;
} Native;

static Native *native_of(PfNativeService *service)
{
  return (Native *)service;
}

/* ---------------------------------------------------------------- keys */

/* Vectors may be as wide as the processor has them, but nothing is contracted or reordered, so the bits are the same.
 * The mathematics library is not linked: functions are the program's own. */
static const char *const common_flags[] = {
  "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared", "-nostdlib", "-fno-stack-protector",
  "-fno-asynchronous-unwind-tables", "-fno-tree-slp-vectorize", "-g0", "-w", NULL};

static const char *level_of(const PfTape *tape)
{
  return pf_tape_instruction_count(tape) > MOST_OPTIMIZED ? "-O1" : "-O2";
}

/* Part of the key: code is for one kind of processor. */
static const char *processor(void)
{
#if defined __x86_64__
  return "x86-64";
#elif defined __aarch64__
  return "aarch64";
#else
  return "other";
#endif
}

/* The widest vectors that the processor has. */
static const char *const *vector_flags(void)
{
  static const char *const none[] = {NULL}, *const avx2[] = {"-mavx2", NULL}, *const avx512[] = {"-mavx512f", NULL};
  return pf_lanes_best() == PF_LANES_AVX512 ? avx512 : pf_lanes_best() == PF_LANES_AVX2 ? avx2 : none;
}

static void add_text(PfSha256 *s, const char *text)
{
  pf_sha256_add(s, text, strlen(text) + 1);
}

static void add_bytes(void *user, const void *bytes, size_t count)
{
  pf_sha256_add(user, bytes, count);
}

/* The hash of everything that decides about the code. With 256 bits no two pieces of code share a key by chance, and
 * two that do cannot be constructed. */
static void find_key(const Native *n, const PfTape *tape, bool many, unsigned char *key)
{
  PfSha256 s;
  const uint32_t version = PF_NATIVE_VERSION;
  pf_sha256_begin(&s);
  add_text(&s, "pfaff native code");
  add_text(&s, pf_version());
  pf_sha256_add(&s, &version, sizeof version);
  add_text(&s, processor());
  add_text(&s, n->compiler.path);
  pf_sha256_add(&s, n->compiler.identity, sizeof n->compiler.identity);
  add_text(&s, level_of(tape));
  for (const char *const *flag = common_flags; *flag; flag++) add_text(&s, *flag);
  for (const char *const *flag = vector_flags(); *flag; flag++) add_text(&s, *flag);
  add_text(&s, many ? "many" : "one");
  pf_tape_describe(tape, add_bytes, &s);
  pf_sha256_end(&s, key);
}

/* ---------------------------------------------------------------- loading */

/* Loads compiled code, which must have the key of the tape, and hands it to the tape. False when it cannot be used. */
static bool load(PfTapeState *state, const char *path)
{
  char expected[2*PF_SHA256_SIZE + 1];
  PfNativeCode *code;
  void *library = pf_code_open(path);
  if (!library) return false;
  const void *address = pf_code_symbol(library, "pf_run");
  const char *found = pf_code_symbol(library, "pf_key");
  pf_sha256_text(state->key, expected);
  if (!address || !found || strncmp(found, expected, sizeof expected) != 0) {
    pf_code_close(library);
    return false;
  }
  memcpy(&code, &address, sizeof code); /* ISO C has no conversion, POSIX has the same representation */
  state->library = library;
  atomic_store_explicit(&state->code, code, memory_order_release);
  return true;
}

/* Little-endian. */
static uint64_t number_at(const unsigned char *bytes, int count)
{
  uint64_t number = 0;
  for (int i = count; i-- > 0;) number = number << 8 | bytes[i];
  return number;
}

/* Loading a library that was cut off crashes where its pages end. Linkers write the table of sections last: it must
 * be there (System V ABI, Elf64_Ehdr: e_shoff, e_shentsize, e_shnum). Other formats are taken as they are. */
static bool is_complete(const char *path)
{
  unsigned char head[64];
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const bool read = fread(head, sizeof head, 1, file) == 1;
  const bool elf = read && !memcmp(head, "\177ELF\2\1", 6);
  const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  (void)fclose(file);
  if (!elf) return read;
  const uint64_t end = number_at(head + 40, 8) + number_at(head + 58, 2)*number_at(head + 60, 2);
  return size > 0 && end <= (uint64_t)size;
}

static bool load_from_cache(Native *n, PfTapeState *state)
{
  char path[PF_CACHE_PATH];
  return pf_cache_find(&n->cache, state->key, path) && load(state, path);
}

/* ---------------------------------------------------------------- compiling */

static void note(Native *n, const char *why)
{
  n->report.failed++;
  if (!n->report.trouble[0]) snprintf(n->report.trouble, sizeof n->report.trouble, "%s", why);
}

static void end_job(Native *n)
{
  n->report.seconds += pf_clock() - n->job.start;
  pf_job_end(&n->job);
}

/* Writes the source of a tape and starts the compiler on it. The context is a new one, since this may be another thread
 * than that of the tape's. */
static bool start(Native *n, const PfTape *tape, const PfTapeState *state)
{
  const char *flags[24] = {level_of(tape)};
  char key[2*PF_SHA256_SIZE + 1];
  PfText text;
  int count = 1;
  for (const char *const *flag = common_flags; *flag; flag++) flags[count++] = *flag;
  for (const char *const *flag = vector_flags(); *flag; flag++) flags[count++] = *flag;
  pf_sha256_text(state->key, key);
  pf_text_init(&text, &n->allocator);
  PfContext *ctx = pf_context_new(&n->allocator);
  bool good = ctx && pf_native_source(ctx, tape, state->many, key, &text) == PF_OK;
  const double limit = 20 + 0.002*pf_tape_instruction_count(tape); /* seconds */
  good = good && pf_job_start(&n->job, &n->compiler, flags, pf_text_get(&text), text.count, limit);
  if (good && atomic_load(&n->mode) == PF_NATIVE_AUTO) pf_job_yield(&n->job);
  pf_text_free(&text);
  pf_context_free(ctx);
  memcpy(n->job_key, state->key, sizeof n->job_key);
  if (good) return true;
  n->broken = true;
  note(n, "the compiler could not be started");
  return false;
}

static bool job_is_for(const Native *n, const PfTapeState *state)
{
  return n->job.folder[0] && !memcmp(n->job_key, state->key, sizeof n->job_key);
}

/* Polls the compiler. A finished file goes to the cache, and is loaded if it is for the tape with this state: the
 * compiler may work for another one. It is loaded from where it was made when the cache cannot be written. */
static PfJobState poll_job(Native *n, PfTapeState *state)
{
  const PfJobState now = pf_job_poll(&n->job);
  if (now == PF_JOB_DONE) {
    char made[PF_CACHE_PATH], kept[PF_CACHE_PATH];
    pf_job_path(&n->job, "code.so", made);
    const bool ours = job_is_for(n, state), complete = is_complete(made);
    const bool is_kept = complete && pf_cache_put(&n->cache, n->job_key, made, kept);
    if (ours && ((is_kept && load(state, kept)) || (complete && load(state, made)))) n->report.compiled++;
    else if (ours) note(n, "compiled code cannot be loaded");
    end_job(n);
  }
  if (now == PF_JOB_FAILED) {
    n->broken = true;
    char line[160];
    pf_job_first_line(&n->job, line, sizeof line);
    note(n, line[0] ? line : "the compiler failed or took too long");
    end_job(n);
  }
  return now;
}

/* ---------------------------------------------------------------- stages */

/* Nothing more is done for the tape, with or without code. */
static int64_t settle(PfTapeState *state)
{
  state->stage = SETTLED;
  return NEVER;
}

/* Looks for a compiler and for the folder of the cache, once. */
static void look_around(Native *n)
{
  if (n->searched) return;
  n->searched = true;
  n->has_compiler = FLT_EVAL_METHOD == 0 && pf_compiler_find(&n->compiler);
  pf_cache_open(&n->cache);
}

/* Does the next thing for a tape. Returns the number of instructions after which to call it again. */
static int64_t advance(Native *n, const PfTape *tape, PfTapeState *state)
{
  const int instructions = pf_tape_instruction_count(tape);
  switch ((Stage)state->stage) {
  case FRESH: state->stage = SEARCH; return SEARCH_AFTER;
  case SEARCH:
    look_around(n);
    if (!n->has_compiler) return settle(state);
    if (!state->key) {
      state->key = n->allocator.resize(n->allocator.user, NULL, PF_SHA256_SIZE);
      if (!state->key) return settle(state);
      find_key(n, tape, state->many, state->key);
    }
    if (load_from_cache(n, state)) {
      n->report.cached++;
      return settle(state);
    }
    if (instructions > MOST_INSTRUCTIONS) {
      note(n, "a tape is too long to be compiled");
      return settle(state);
    }
    state->stage = COMPILE;
    return COMPILE_AFTER + (int64_t)COMPILE_AFTER_EACH*instructions;
  case COMPILE: /* one compiler at a time */
    if (n->job.folder[0]) (void)poll_job(n, state);
    if (n->broken) return settle(state);
    if (n->job.folder[0]) return POLL_EVERY;
    if (load_from_cache(n, state)) { /* another run, or the same tape made twice */
      n->report.cached++;
      return settle(state);
    }
    if (!start(n, tape, state)) return settle(state);
    state->stage = WAIT;
    return POLL_EVERY;
  case WAIT:
    if (job_is_for(n, state)) return poll_job(n, state) == PF_JOB_RUNS ? POLL_EVERY : settle(state);
    if (load_from_cache(n, state)) n->report.compiled++; /* it was finished when another tape polled */
    return settle(state);
  case SETTLED: break;
  }
  return NEVER;
}

/* PF_NATIVE_ON: advances until the code is there, or cannot be had; it waits for the compiler. */
static int64_t advance_now(Native *n, const PfTape *tape, PfTapeState *state)
{
  if (state->stage == FRESH) {
    state->stage = SEARCH;
    return OFTEN_ENOUGH*((int64_t)pf_tape_instruction_count(tape) + 3);
  }
  while (state->stage != SETTLED) {
    const struct timespec moment = {.tv_nsec = 1000000};
    if (n->ctx && pf_context_is_cancelled(n->ctx)) return POLL_EVERY;
    if (state->stage == WAIT) (void)nanosleep(&moment, NULL);
    (void)advance(n, tape, state);
  }
  return NEVER;
}

/* Called by the thread that runs the tape, when its patience is used up; another thread that comes meanwhile is sent
 * away for a while. */
static int64_t attend(PfNativeService *service, const PfTape *tape, PfTapeState *state)
{
  Native *n = native_of(service);
  const PfNative mode = atomic_load(&n->mode);
  if (mode == PF_NATIVE_OFF) return SEARCH_AFTER; /* it may be set later */
  if (atomic_flag_test_and_set(&n->busy)) return POLL_EVERY;
  const int64_t patience = mode == PF_NATIVE_ON ? advance_now(n, tape, state) : advance(n, tape, state);
  atomic_flag_clear(&n->busy);
  return patience;
}

/* ---------------------------------------------------------------- life */

static void part(PfNativeService *service, PfTapeState *state)
{
  Native *n = native_of(service);
  pf_code_close(state->library);
  n->allocator.resize(n->allocator.user, state->key, 0);
}

static void release(PfNativeService *service)
{
  Native *n = native_of(service);
  const PfAllocator allocator = n->allocator;
  pf_job_end(&n->job);
  allocator.resize(allocator.user, n, 0);
}

/* Other threads may run tapes: they do not hold it for long. */
static void take_turn(Native *n)
{
  while (atomic_flag_test_and_set(&n->busy)) (void)sched_yield();
}

/* The context is freed: nothing is compiled any more, and a running compiler is ended. */
static void leave(PfNativeService *service)
{
  Native *n = native_of(service);
  take_turn(n);
  atomic_store(&n->mode, PF_NATIVE_OFF);
  n->ctx = NULL;
  pf_job_end(&n->job);
  atomic_flag_clear(&n->busy);
  pf_native_service_release(service);
}

/* The service of a context, with one user: the context. NULL without memory. */
static Native *make(PfContext *ctx)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  Native *n = allocator->resize(allocator->user, NULL, sizeof *n);
  if (!n) return NULL;
  memset(n, 0, sizeof *n);
  n->service = (PfNativeService){.attend = attend, .part = part, .release = release};
  atomic_init(&n->service.users, 1);
  n->allocator = *allocator;
  n->ctx = ctx;
  atomic_init(&n->mode, PF_NATIVE_OFF);
  atomic_flag_clear(&n->busy);
  pf_context_set_native_service(ctx, &n->service, leave);
  return n;
}

/* PF_NATIVE_ON fails with PF_ERR_MISSING where there is no compiler; PF_NATIVE_AUTO never fails for that. */
PfStatus pf_context_set_native(PfContext *ctx, PfNative mode)
{
  PfNativeService *service = pf_context_native_service(ctx);
  Native *n = service ? native_of(service) : make(ctx);
  if (!n) return pf_no_room(ctx, "native code");
  if (mode == PF_NATIVE_ON) {
    look_around(n);
    if (!n->has_compiler) {
      const char *given = getenv("PFAFF_CC");
      if (given && *given)
        pf_fail(ctx, PF_ERR_MISSING, "native code needs a C compiler, and PFAFF_CC names none: '%s'", given);
      else pf_fail(ctx, PF_ERR_MISSING, "native code needs a C compiler, and there is no cc, gcc or clang");
      pf_hint(ctx, "install one, or name it in the variable PFAFF_CC; without native code results are the same");
      return PF_ERR_MISSING;
    }
  }
  atomic_store(&n->mode, mode);
  return PF_OK;
}

/* PF_NATIVE_OFF until it is set. */
PfNative pf_context_native(const PfContext *ctx)
{
  PfNativeService *service = pf_context_native_service(ctx);
  return service ? atomic_load(&native_of(service)->mode) : PF_NATIVE_OFF;
}

/* A copy: threads may go on meanwhile. */
PfNativeReport pf_context_native_report(const PfContext *ctx)
{
  PfNativeService *service = pf_context_native_service(ctx);
  if (!service) return (PfNativeReport){0};
  Native *n = native_of(service);
  take_turn(n);
  const PfNativeReport report = n->report;
  atomic_flag_clear(&n->busy);
  return report;
}
