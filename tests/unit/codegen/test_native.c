/* SPDX-License-Identifier: Apache-2.0 */
/* Native code beside the tape, with a cache of the test's own. */
#include "random_tapes.h"

#include "pfaff/codegen.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>

static char folder[200];

static int make_folder(void **state)
{
  (void)state;
  make_test_folder(folder);
  return setenv("XDG_CACHE_HOME", folder, 1) || setenv("TMPDIR", folder, 1);
}

static int remove_folder(void **state)
{
  char command[600];
  (void)state;
  snprintf(command, sizeof command, "chmod -R u+w %s && rm -rf %s", folder, folder);
  return system(command); /* NOLINT(cert-env33-c) */
}

static int count_files(const char *path, const char *part)
{
  DIR *files = opendir(path);
  int count = 0;
  if (!files) return 0;
  for (const struct dirent *entry; (entry = readdir(files)) != NULL;) count += strstr(entry->d_name, part) != NULL;
  closedir(files);
  return count;
}

static const char *cache(void)
{
  static char path[300];
  snprintf(path, sizeof path, "%s/pfaff", folder);
  return path;
}

/* Nothing is left behind where compilers work. */
static void assert_tidy(void)
{
  assert_int_equal(count_files(folder, "pfaff-"), 0);
}

/* ---------------------------------------------------------------- both ways */

typedef struct Case {
  uint64_t seed;
  uint32_t size;
  int runs, outputs;
} Case;

/* The outputs of all runs, by the mode. */
static double *run_case(const Case *c, PfNative mode, PfNativeReport *report)
{
  PfContext *ctx = pf_context_new(NULL);
  int count;
  assert_non_null(ctx);
  assert_int_equal(pf_context_set_native(ctx, mode), PF_OK);
  PfTape *tape = random_tape(ctx, c->seed, c->size, &count);
  double *work = calloc(pf_tape_work_size(tape) + 1, sizeof *work), inputs[RANDOM_INPUTS];
  double *outputs = calloc((size_t)(c->runs*count), sizeof *outputs);
  uint64_t seed = c->seed;
  int *place = calloc((size_t)count, sizeof *place);
  assert_true(work && outputs && place);
  for (int i = 0; i < count; i++) place[i] = count - 1 - i;
  for (int k = 0; k < c->runs; k++) {
    for (int i = 0; i < RANDOM_INPUTS; i++) inputs[i] = random_number(&seed);
    if (k%2) pf_tape_run(tape, inputs, outputs + k*count, work);
    else (void)pf_tape_run_to_places(tape, inputs, place, outputs + k*count, work);
  }
  *report = pf_context_native_report(ctx);
  pf_context_free(ctx); /* tapes may live longer */
  pf_tape_run(tape, inputs, outputs + (c->runs - 1)*count, work);
  pf_tape_free(tape);
  free(place);
  free(work);
  return outputs;
}

/* Groups of 1 to 20 states. */
static double *run_many_case(const Case *c, PfNative mode, PfNativeReport *report)
{
  enum { MOST = 20 };
  PfContext *ctx = pf_context_new(NULL);
  int count;
  assert_non_null(ctx);
  assert_int_equal(pf_context_set_native(ctx, mode), PF_OK);
  PfTape *tape = random_tape(ctx, c->seed, c->size, &count);
  double *work = calloc(pf_tape_many_work_size(tape) + 1, sizeof *work), inputs[MOST*RANDOM_INPUTS];
  double *outputs = calloc((size_t)(MOST*MOST*count), sizeof *outputs);
  uint64_t seed = c->seed;
  assert_true(work && outputs);
  for (int k = 0; k < MOST; k++) {
    for (int i = 0; i < MOST*RANDOM_INPUTS; i++) inputs[i] = (i%7 == 3 ? 1e5 : 1)*random_number(&seed);
    (void)pf_tape_run_many(tape, k + 1, inputs, outputs + (long)k*MOST*count, work);
  }
  *report = pf_context_native_report(ctx);
  pf_tape_free(tape);
  pf_context_free(ctx);
  free(work);
  return outputs;
}

static void groups_of_states_are_compiled_too(void **state)
{
  PfNativeReport off, on;
  (void)state;
  if (!has_compiler()) skip();
  for (uint64_t seed = 400; seed < 404; seed++) {
    const Case c = {.seed = seed, .size = (uint32_t)(seed - 399)*60};
    double *expected = run_many_case(&c, PF_NATIVE_OFF, &off), *got = run_many_case(&c, PF_NATIVE_ON, &on);
    const int count = 400*(int)(c.size/4 + 1);
    for (int i = 0; i < count; i++)
      if (memcmp(expected + i, got + i, sizeof *got) != 0 && !(isnan(expected[i]) && isnan(got[i])))
        fail_msg("number %d: %.17g and %.17g", i, expected[i], got[i]);
    free(expected);
    free(got);
    assert_int_equal(on.compiled, 2); /* what is left of a group runs singly */
  }
}

static PfNativeReport compare(Case c)
{
  PfNativeReport off, on;
  double *expected = run_case(&c, PF_NATIVE_OFF, &off), *got = run_case(&c, PF_NATIVE_ON, &on);
  const int count = c.runs*(int)(c.size/4 + 1);
  for (int i = 0; i < count; i++)
    if (memcmp(expected + i, got + i, sizeof *got) != 0 && !(isnan(expected[i]) && isnan(got[i])))
      fail_msg("number %d: %.17g and %.17g", i, expected[i], got[i]);
  free(expected);
  free(got);
  assert_int_equal(off.compiled + off.cached + off.failed, 0);
  assert_tidy();
  return on;
}

static void native_code_computes_the_bits_of_the_tape(void **state)
{
  (void)state;
  if (!has_compiler()) skip();
  for (uint64_t seed = 100; seed < 106; seed++) {
    const Case c = {.seed = seed, .size = (uint32_t)(seed - 99)*60, .runs = 20};
    PfNativeReport first = compare(c), again = compare(c);
    assert_int_equal(first.compiled, 1);
    assert_int_equal(first.failed, 0);
    assert_int_equal(again.cached, 1);
    assert_int_equal(again.compiled, 0);
  }
  const Case large = {.seed = 7, .size = 3000, .runs = 4};
  assert_int_equal(compare(large).compiled, 1);
}

/* The last bits of the name of a cached file do not matter: all of them are changed. */
static void spoil_cache(const char *command)
{
  char line[800];
  snprintf(line, sizeof line, "for f in %s/*.so; do %s; done", cache(), command);
  assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c) */
}

static void damaged_and_foreign_files_are_replaced(void **state)
{
  static const char *const spoilers[] = {
    "truncate -s 3000 $f", "truncate -s 0 $f", "printf x | dd of=$f bs=1 seek=2000 conv=notrunc status=none",
    "chmod 666 $f", "cp $f $f.2; rm $f; ln -s $f.2 $f", "echo '#!/bin/sh' > $f"};
  const Case c = {.seed = 200, .size = 30, .runs = 6};
  (void)state;
  if (!has_compiler()) skip();
  assert_int_equal(compare(c).compiled, 1);
  for (size_t i = 0; i < sizeof spoilers/sizeof *spoilers; i++) {
    spoil_cache(spoilers[i]);
    assert_int_equal(compare(c).compiled, 1);
    assert_int_equal(compare(c).cached, 1);
  }
}

static void a_folder_that_others_may_write_is_not_used(void **state)
{
  const Case c = {.seed = 210, .size = 30, .runs = 6};
  (void)state;
  if (!has_compiler()) skip();
  assert_int_equal(chmod(cache(), 0777), 0);
  assert_int_equal(compare(c).compiled, 1); /* loaded from where it was made */
  assert_int_equal(compare(c).compiled, 1);
  assert_int_equal(chmod(cache(), 0700), 0);
}

static void without_a_cache_code_is_compiled_each_time(void **state)
{
  const Case c = {.seed = 220, .size = 30, .runs = 6};
  (void)state;
  if (!has_compiler()) skip();
  assert_int_equal(setenv("XDG_CACHE_HOME", "/dev/null/nothing", 1), 0);
  assert_int_equal(compare(c).compiled, 1);
  assert_int_equal(compare(c).compiled, 1);
  assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
}

/* ---------------------------------------------------------------- compilers that are no help */

static void without_a_compiler_only_who_insists_is_told(void **state)
{
  (void)state;
  PfContext *ctx = pf_context_new(NULL);
  assert_non_null(ctx);
  assert_int_equal(setenv("PFAFF_CC", "/nowhere/cc", 1), 0);
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_AUTO), PF_OK);
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_ON), PF_ERR_MISSING);
  assert_contains(pf_context_message(ctx), "needs a C compiler");
  assert_int_equal(pf_context_native(ctx), PF_NATIVE_AUTO);
  assert_int_equal(unsetenv("PFAFF_CC"), 0);
  pf_context_free(ctx);
}

static void a_compiler_that_fails_leaves_the_tape(void **state)
{
  (void)state;
  assert_int_equal(setenv("PFAFF_CC", "false", 1), 0);
  PfNativeReport report = compare((Case){.seed = 230, .size = 30, .runs = 6});
  assert_int_equal(report.failed, 1);
  assert_int_equal(report.compiled, 0);
  assert_contains(report.trouble, "compiler");
  assert_int_equal(setenv("PFAFF_CC", "true", 1), 0); /* makes nothing */
  report = compare((Case){.seed = 230, .size = 30, .runs = 6});
  assert_int_equal(report.failed, 1);
  assert_contains(report.trouble, "cannot be loaded");
  assert_int_equal(unsetenv("PFAFF_CC"), 0);
}

/* ---------------------------------------------------------------- without being asked */

/* A tape runs until its code is there: seconds at most. */
static void what_runs_long_is_compiled_beside_the_run(void **state)
{
  (void)state;
  if (!has_compiler()) skip();
  PfContext *ctx = pf_context_new(NULL);
  int count;
  assert_non_null(ctx);
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_AUTO), PF_OK);
  PfTape *tape = random_tape(ctx, 300, 100, &count);
  double *work = calloc(pf_tape_work_size(tape) + 1, sizeof *work), *outputs = calloc((size_t)count, sizeof *outputs);
  double *first = calloc((size_t)count, sizeof *first);
  const double inputs[RANDOM_INPUTS] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8};
  assert_true(work && outputs && first);
  pf_tape_run(tape, inputs, first, work);
  for (long k = 0; k < 100000000 && !pf_context_native_report(ctx).compiled; k++) {
    pf_tape_run(tape, inputs, outputs, work);
    assert_memory_equal(outputs, first, (size_t)count*sizeof *first);
  }
  assert_int_equal(pf_context_native_report(ctx).compiled, 1);
  free(first);
  free(outputs);
  free(work);
  pf_tape_free(tape);
  pf_context_free(ctx);
  assert_tidy();
}

/* Several threads on one tape; its code comes in between. */
typedef struct Runner {
  const PfTape *tape;
  const double *inputs, *expected;
  int count;
  bool same;
} Runner;

static void *run_often(void *user)
{
  Runner *r = user;
  double *work = calloc(pf_tape_work_size(r->tape) + 1, sizeof *work);
  double *outputs = calloc((size_t)r->count, sizeof *outputs);
  r->same = work && outputs;
  for (int k = 0; k < 20000 && r->same; k++) {
    pf_tape_run(r->tape, r->inputs, outputs, work);
    r->same = !memcmp(outputs, r->expected, (size_t)r->count*sizeof *outputs);
  }
  free(outputs);
  free(work);
  return NULL;
}

static void threads_share_a_tape_and_its_code(void **state)
{
  enum { THREADS = 4 };
  (void)state;
  if (!has_compiler()) skip();
  PfContext *ctx = pf_context_new(NULL);
  Runner runners[THREADS];
  pthread_t threads[THREADS];
  int count;
  const double inputs[RANDOM_INPUTS] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8};
  assert_non_null(ctx);
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_OFF), PF_OK);
  PfTape *tape = random_tape(ctx, 320, 50, &count);
  double *work = calloc(pf_tape_work_size(tape) + 1, sizeof *work), *expected = calloc((size_t)count, sizeof *expected);
  pf_tape_run(tape, inputs, expected, work);
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_ON), PF_OK);
  for (int i = 0; i < THREADS; i++) {
    runners[i] = (Runner){tape, inputs, expected, count, false};
    assert_int_equal(pthread_create(threads + i, NULL, run_often, runners + i), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(runners[i].same);
  }
  free(expected);
  free(work);
  pf_tape_free(tape);
  pf_context_free(ctx);
}

static void what_is_too_long_stays_a_tape(void **state)
{
  (void)state;
  if (!has_compiler()) skip();
  PfContext *ctx = pf_context_new(NULL);
  enum { LONG = 60000 };
  const PfExpr x = pf_expr_symbol(ctx, "x");
  PfExpr *roots = calloc(LONG, sizeof *roots);
  double *outputs = calloc(LONG, sizeof *outputs), *work;
  PfTape *tape = NULL;
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_ON), PF_OK);
  for (int i = 0; i < LONG; i++) roots[i] = pf_expr_add(ctx, x, pf_expr_int(ctx, i + 1));
  assert_int_equal(pf_tape_new(ctx, &x, 1, roots, LONG, &tape), PF_OK);
  work = calloc(pf_tape_work_size(tape), sizeof *work);
  for (int k = 0; k < 4; k++) pf_tape_run(tape, &(double){0.5}, outputs, work);
  assert_near(outputs[41], 42.5, 0, 0);
  const PfNativeReport report = pf_context_native_report(ctx);
  assert_int_equal(report.failed, 1);
  assert_contains(report.trouble, "too long");
  free(work);
  free(outputs);
  free(roots);
  pf_tape_free(tape);
  pf_context_free(ctx);
}

static void nothing_is_left_when_the_compiler_still_works(void **state)
{
  (void)state;
  char script[300];
  snprintf(script, sizeof script, "%s/slow", folder);
  FILE *file = fopen(script, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\necho $$ > %s/pid\nsleep 60\n", folder);
  fclose(file);
  assert_int_equal(chmod(script, 0700), 0);
  assert_int_equal(setenv("PFAFF_CC", script, 1), 0);
  PfContext *ctx = pf_context_new(NULL);
  int count;
  assert_int_equal(pf_context_set_native(ctx, PF_NATIVE_AUTO), PF_OK);
  PfTape *tape = random_tape(ctx, 310, 20, &count);
  double *work = calloc(pf_tape_work_size(tape) + 1, sizeof *work), *outputs = calloc((size_t)count, sizeof *outputs);
  const double inputs[RANDOM_INPUTS] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8};
  for (long k = 0; k < 100000000 && !count_files(folder, "pid"); k++)
    for (int j = 0; j < 1000; j++) pf_tape_run(tape, inputs, outputs, work);
  assert_int_equal(count_files(folder, "pfaff-"), 1);
  pf_context_free(ctx);
  pf_tape_free(tape);
  free(outputs);
  free(work);
  assert_tidy();
  snprintf(script, sizeof script, "! kill -0 $(cat %s/pid) 2> /dev/null", folder);
  assert_int_equal(system(script), 0); /* NOLINT(cert-env33-c) */
  assert_int_equal(unsetenv("PFAFF_CC"), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(native_code_computes_the_bits_of_the_tape),
    cmocka_unit_test(groups_of_states_are_compiled_too),
    cmocka_unit_test(damaged_and_foreign_files_are_replaced),
    cmocka_unit_test(a_folder_that_others_may_write_is_not_used),
    cmocka_unit_test(without_a_cache_code_is_compiled_each_time),
    cmocka_unit_test(without_a_compiler_only_who_insists_is_told),
    cmocka_unit_test(a_compiler_that_fails_leaves_the_tape),
    cmocka_unit_test(what_runs_long_is_compiled_beside_the_run),
    cmocka_unit_test(threads_share_a_tape_and_its_code),
    cmocka_unit_test(what_is_too_long_stays_a_tape),
    cmocka_unit_test(nothing_is_left_when_the_compiler_still_works),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
