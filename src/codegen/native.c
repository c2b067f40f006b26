/* SPDX-License-Identifier: Apache-2.0 */
/* When tapes become native code. A tape is first interpreted; after two milliseconds of that it looks into the
 * cache; when it has been interpreted about as long as a compiler would take, the compiler is started beside the run
 * (whoever stops then has lost at most as much as he spent, whoever goes on gains). Everything is decided by counted
 * instructions, and looked after by whoever runs a tape: there is no thread. */
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
  LOOK_AFTER = 2000000,         /* to find, check and load code takes 0.15 ms */
  COMPILE_AFTER = 50000000,     /* what a compiler takes for nothing at all, and for each instruction */
  COMPILE_AFTER_EACH = 250000,
  ASK_EVERY = 1000000,          /* while it works */
  OFTEN_ENOUGH = 2,             /* runs after the first, before PF_NATIVE_ON compiles */
  MOST_INSTRUCTIONS = 50000,
  MOST_OPTIMIZED = 4000         /* instructions; beyond it a quicker level of optimization does */
};
#define NEVER INT64_MAX

typedef enum Stage { FRESH, LOOK, COMPILE, WAIT, SETTLED } Stage;

typedef struct Native {
  PfTapeHelper helper;
  PfAllocator allocator;
  PfContext *ctx;           /* NULL once it is freed: tapes may live longer */
  _Atomic(PfNative) mode;
  atomic_flag busy;
  bool looked, has_compiler, broken; /* broken: it failed once, and is not asked again */
  PfCache cache;
  PfCompiler compiler;
  PfJob job;
  unsigned char job_key[PF_SHA256_SIZE];
  PfNativeReport report;
} Native;

static Native *native_of(PfTapeHelper *helper)
{
  return (Native *)helper;
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

/* Everything that decides about the code. 256 bits: no two pieces of code will ever share a key by chance, and nobody
 * can make two that do. */
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

static void write_key(const unsigned char *key, char text[2*PF_SHA256_SIZE + 1])
{
  for (int i = 0; i < PF_SHA256_SIZE; i++) snprintf(text + 2*i, 3, "%02x", key[i]);
}

/* ---------------------------------------------------------------- loading */

static bool has_key(void *library, const unsigned char *key)
{
  char expected[2*PF_SHA256_SIZE + 1];
  const char *found = pf_code_symbol(library, "pf_key");
  write_key(key, expected);
  return found && !strncmp(found, expected, sizeof expected);
}

static bool load(PfTapeState *state, const char *path)
{
  void *library = pf_code_open(path);
  if (!library) return false;
  const void *address = pf_code_symbol(library, "pf_run");
  PfNativeCode *code;
  if (!address || !has_key(library, state->key)) {
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

static void note_log(Native *n)
{
  char line[160];
  pf_job_first_line(&n->job, line, sizeof line);
  note(n, line[0] ? line : "the compiler failed or took too long");
}

static void end_job(Native *n)
{
  n->report.seconds += pf_clock() - n->job.start;
  pf_job_end(&n->job);
}

static bool start(Native *n, const PfTape *tape, const PfTapeState *state, PfContext *ctx)
{
  const char *flags[24] = {level_of(tape)};
  char key[2*PF_SHA256_SIZE + 1];
  PfText text;
  int count = 1;
  for (const char *const *flag = common_flags; *flag; flag++) flags[count++] = *flag;
  for (const char *const *flag = vector_flags(); *flag; flag++) flags[count++] = *flag;
  write_key(state->key, key);
  pf_text_init(&text, &n->allocator);
  bool good = pf_native_source(ctx, tape, state->many, key, &text) == PF_OK;
  const double limit = 20 + 0.002*pf_tape_instruction_count(tape); /* seconds */
  good = good && pf_job_start(&n->job, &n->compiler, flags, pf_text_get(&text), text.count, limit);
  if (good && atomic_load(&n->mode) == PF_NATIVE_AUTO) pf_job_yield(&n->job);
  pf_text_free(&text);
  memcpy(n->job_key, state->key, sizeof n->job_key);
  return good;
}

/* With a context of its own: this may be another thread than that of the tape's. */
static bool start_job(Native *n, const PfTape *tape, const PfTapeState *state)
{
  PfContext *ctx = pf_context_new(&n->allocator);
  const bool good = ctx && start(n, tape, state, ctx);
  pf_context_free(ctx);
  if (good) return true;
  n->broken = true;
  note(n, "the compiler could not be started");
  return false;
}

static bool job_is_for(const Native *n, const PfTapeState *state)
{
  return n->job.folder[0] && !memcmp(n->job_key, state->key, sizeof n->job_key);
}

/* Into the cache, or straight from where it was made when the cache cannot be written. `state`: the tape that asks,
 * which may be another one. */
static void collect(Native *n, PfTapeState *state)
{
  char made[PF_CACHE_PATH], kept[PF_CACHE_PATH];
  pf_job_path(&n->job, "code.so", made);
  const bool ours = job_is_for(n, state), complete = is_complete(made);
  const bool is_kept = complete && pf_cache_put(&n->cache, n->job_key, made, kept);
  if (ours && ((is_kept && load(state, kept)) || (complete && load(state, made)))) n->report.compiled++;
  else if (ours) note(n, "compiled code cannot be loaded");
  end_job(n);
}

static PfJobState look_after_job(Native *n, PfTapeState *state)
{
  const PfJobState now = pf_job_poll(&n->job);
  if (now == PF_JOB_DONE) collect(n, state);
  if (now == PF_JOB_FAILED) {
    n->broken = true;
    note_log(n);
    end_job(n);
  }
  return now;
}

/* ---------------------------------------------------------------- stages */

static int64_t settle(PfTapeState *state)
{
  state->stage = SETTLED;
  return NEVER;
}

static void look_around(Native *n)
{
  if (n->looked) return;
  n->looked = true;
  n->has_compiler = FLT_EVAL_METHOD == 0 && pf_compiler_find(&n->compiler);
  pf_cache_open(&n->cache);
}

static bool make_key(Native *n, const PfTape *tape, PfTapeState *state)
{
  if (state->key) return true;
  state->key = n->allocator.resize(n->allocator.user, NULL, PF_SHA256_SIZE);
  if (state->key) find_key(n, tape, state->many, state->key);
  return state->key;
}

static int64_t look(Native *n, const PfTape *tape, PfTapeState *state)
{
  look_around(n);
  if (!n->has_compiler || !make_key(n, tape, state)) return settle(state);
  if (load_from_cache(n, state)) {
    n->report.cached++;
    return settle(state);
  }
  if (pf_tape_instruction_count(tape) > MOST_INSTRUCTIONS) {
    note(n, "a tape is too long to be compiled");
    return settle(state);
  }
  state->stage = COMPILE;
  return COMPILE_AFTER + (int64_t)COMPILE_AFTER_EACH*pf_tape_instruction_count(tape);
}

/* One compiler at a time. */
static int64_t compile(Native *n, const PfTape *tape, PfTapeState *state)
{
  if (n->job.folder[0]) (void)look_after_job(n, state);
  if (n->broken) return settle(state);
  if (n->job.folder[0]) return ASK_EVERY;
  if (load_from_cache(n, state)) { /* another run, or the same tape made twice */
    n->report.cached++;
    return settle(state);
  }
  if (!start_job(n, tape, state)) return settle(state);
  state->stage = WAIT;
  return ASK_EVERY;
}

static int64_t wait_for(Native *n, PfTapeState *state)
{
  if (job_is_for(n, state)) return look_after_job(n, state) == PF_JOB_RUNS ? ASK_EVERY : settle(state);
  if (load_from_cache(n, state)) n->report.compiled++; /* another tape has collected it */
  return settle(state);
}

static int64_t advance(Native *n, const PfTape *tape, PfTapeState *state)
{
  switch ((Stage)state->stage) {
  case FRESH: state->stage = LOOK; return LOOK_AFTER;
  case LOOK: return look(n, tape, state);
  case COMPILE: return compile(n, tape, state);
  case WAIT: return wait_for(n, state);
  case SETTLED: break;
  }
  return NEVER;
}

/* Until the code is there, or will not be. */
static int64_t advance_now(Native *n, const PfTape *tape, PfTapeState *state)
{
  if (state->stage == FRESH) {
    state->stage = LOOK;
    return OFTEN_ENOUGH*((int64_t)pf_tape_instruction_count(tape) + 3);
  }
  while (state->stage != SETTLED) {
    const struct timespec moment = {.tv_nsec = 1000000};
    if (n->ctx && pf_context_is_cancelled(n->ctx)) return ASK_EVERY;
    if (state->stage == WAIT) (void)nanosleep(&moment, NULL);
    (void)advance(n, tape, state);
  }
  return NEVER;
}

static int64_t attend(PfTapeHelper *helper, const PfTape *tape, PfTapeState *state)
{
  Native *n = native_of(helper);
  const PfNative mode = atomic_load(&n->mode);
  if (mode == PF_NATIVE_OFF) return LOOK_AFTER; /* it may be set later */
  if (atomic_flag_test_and_set(&n->busy)) return ASK_EVERY;
  const int64_t patience = mode == PF_NATIVE_ON ? advance_now(n, tape, state) : advance(n, tape, state);
  atomic_flag_clear(&n->busy);
  return patience;
}

/* ---------------------------------------------------------------- life */

static void part(PfTapeHelper *helper, PfTapeState *state)
{
  Native *n = native_of(helper);
  pf_code_close(state->library);
  n->allocator.resize(n->allocator.user, state->key, 0);
}

static void release(PfTapeHelper *helper)
{
  Native *n = native_of(helper);
  const PfAllocator allocator = n->allocator;
  pf_job_end(&n->job);
  allocator.resize(allocator.user, n, 0);
}

/* Other threads may run tapes: they do not hold it for long. */
static void take_turn(Native *n)
{
  while (atomic_flag_test_and_set(&n->busy)) (void)sched_yield();
}

/* The context goes: nothing is compiled any more, and no process is left behind. */
static void leave(PfTapeHelper *helper)
{
  Native *n = native_of(helper);
  take_turn(n);
  atomic_store(&n->mode, PF_NATIVE_OFF);
  n->ctx = NULL;
  pf_job_end(&n->job);
  atomic_flag_clear(&n->busy);
  pf_tape_helper_leave(helper);
}

static Native *make(PfContext *ctx)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  Native *n = allocator->resize(allocator->user, NULL, sizeof *n);
  if (!n) return NULL;
  memset(n, 0, sizeof *n);
  n->helper = (PfTapeHelper){.attend = attend, .part = part, .release = release};
  atomic_init(&n->helper.users, 1);
  n->allocator = *allocator;
  n->ctx = ctx;
  atomic_init(&n->mode, PF_NATIVE_OFF);
  atomic_flag_clear(&n->busy);
  pf_context_set_tape_helper(ctx, &n->helper, leave);
  return n;
}

PfStatus pf_context_set_native(PfContext *ctx, PfNative mode)
{
  PfTapeHelper *helper = pf_context_tape_helper(ctx);
  Native *n = helper ? native_of(helper) : make(ctx);
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

PfNative pf_context_native(const PfContext *ctx)
{
  PfTapeHelper *helper = pf_context_tape_helper(ctx);
  return helper ? atomic_load(&native_of(helper)->mode) : PF_NATIVE_OFF;
}

PfNativeReport pf_context_native_report(const PfContext *ctx)
{
  PfTapeHelper *helper = pf_context_tape_helper(ctx);
  if (!helper) return (PfNativeReport){0};
  Native *n = native_of(helper);
  take_turn(n);
  const PfNativeReport report = n->report;
  atomic_flag_clear(&n->busy);
  return report;
}
