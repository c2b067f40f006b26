/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are no compilers: what is started is looked after and ended. */
#include "support.h"

#include "base/base.h"
#include "codegen/compiler.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[200];

static int make_folder(void **state)
{
  (void)state;
  make_test_folder(folder);
  return setenv("TMPDIR", folder, 1);
}

static int remove_folder(void **state)
{
  (void)state;
  pf_folder_remove(folder);
  return 0;
}

/* A compiler that is this script. */
static PfCompiler script(const char *text)
{
  char path[300];
  PfCompiler compiler;
  snprintf(path, sizeof path, "%s/pfaff-script", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\n%s\n", text);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(path, 0700), 0);
  assert_int_equal(setenv("PFAFF_CC", path, 1), 0);
  assert_true(pf_compiler_find(&compiler));
  assert_int_equal(unsetenv("PFAFF_CC"), 0);
  return compiler;
}

static PfJobState wait_for(PfJob *job)
{
  for (;;) {
    const PfJobState now = pf_job_poll(job);
    if (now != PF_JOB_RUNS) return now;
    (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
}

static const char *const no_flags[] = {NULL};

static void one_that_hangs_is_ended_with_all_its_children(void **state)
{
  (void)state;
  PfJob job;
  const PfCompiler compiler = script("sleep 1000 & echo $! > ${TMPDIR}/../child; sleep 1000");
  assert_true(pf_job_start(&job, &compiler, no_flags, "text", 4, 0.3));
  const double start = pf_clock();
  assert_int_equal(wait_for(&job), PF_JOB_FAILED);
  assert_true(pf_clock() - start < 20);
  pf_job_end(&job);
  char path[300];
  long child = 0;
  snprintf(path, sizeof path, "%s/child", folder);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld", &child), 1);
  fclose(file);
  for (int i = 0; i < 2000 && kill((pid_t)child, 0) == 0; i++) /* until somebody has collected it */
    (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  assert_int_not_equal(kill((pid_t)child, 0), 0);
}

static void arguments_and_source_arrive_as_they_are(void **state)
{
  (void)state;
  static const char *const flags[] = {"a b", "$(false)", "'", NULL};
  PfJob job;
  char path[PF_CACHE_PATH], words[400] = "";
  const PfCompiler compiler = script("for word in \"$@\"; do echo \"<$word>\"; done; cat \"$6\"; env | cut -d= -f1");
  assert_true(setenv("PFAFF_SECRET", "1", 1) == 0);
  assert_true(pf_job_start(&job, &compiler, flags, "int x;\n", 7, 20));
  assert_int_equal(wait_for(&job), PF_JOB_DONE);
  pf_job_path(&job, "log", path);
  FILE *log = fopen(path, "r");
  assert_non_null(log);
  assert_true(fread(words, 1, sizeof words - 1, log) > 0);
  fclose(log);
  assert_contains(words, "<a b>\n<$(false)>\n<'>\n<-o>\n");
  assert_contains(words, "int x;\n");
  assert_null(strstr(words, "PFAFF_SECRET"));
  pf_job_end(&job);
  assert_int_not_equal(access(path, F_OK), 0);
}

static void one_that_cannot_be_run_is_no_job(void **state)
{
  (void)state;
  PfJob job;
  PfCompiler compiler = script("exit 3");
  assert_true(pf_job_start(&job, &compiler, no_flags, "", 0, 20));
  assert_int_equal(wait_for(&job), PF_JOB_FAILED);
  pf_job_end(&job);
  snprintf(compiler.path, sizeof compiler.path, "%s/nothing", folder);
  assert_false(pf_job_start(&job, &compiler, no_flags, "", 0, 20));
  assert_int_equal(setenv("TMPDIR", "/dev/null", 1), 0);
  assert_false(pf_job_start(&job, &compiler, no_flags, "", 0, 20));
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
}

static void only_absolute_folders_are_searched(void **state)
{
  (void)state;
  PfCompiler compiler;
  char *before = strdup(getenv("PATH")), path[400];
  (void)script("exit 0");
  assert_int_equal(setenv("PFAFF_CC", "pfaff-script", 1), 0);
  assert_false(pf_compiler_find(&compiler));
  snprintf(path, sizeof path, ".:relative::/nowhere:%s", folder);
  assert_int_equal(setenv("PATH", path, 1), 0);
  assert_true(pf_compiler_find(&compiler));
  assert_contains(compiler.path, folder);
  assert_int_equal(setenv("PATH", ".:relative:", 1), 0);
  assert_int_equal(chdir(folder), 0);
  assert_false(pf_compiler_find(&compiler));
  assert_int_equal(setenv("PATH", before, 1), 0);
  assert_int_equal(unsetenv("PFAFF_CC"), 0);
  free(before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_that_hangs_is_ended_with_all_its_children),
    cmocka_unit_test(arguments_and_source_arrive_as_they_are),
    cmocka_unit_test(one_that_cannot_be_run_is_no_job),
    cmocka_unit_test(only_absolute_folders_are_searched),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
