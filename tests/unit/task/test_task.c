/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks from C: requests with typed values, reports, observers. The model is a pendulum, whose equation, linear terms
 * and period are known. */
#include "support.h"

#include "pfaff/pfaff.h"

#include <math.h>
#include <string.h>

static const char pendulum[] = "model pendulum\n"
                               "param m = 2 [kg], l = 0.1 [m], g = 9.81 [m/s^2]\n"
                               "coord a [rad]\n"
                               "kinetic m*l^2*a'^2/2\n"
                               "potential -m*g*l*cos(a)\n"
                               "start a = 0\n";

typedef struct Call {
  PfContext *ctx;
  PfMachine *machine;
  PfRequest *request;
  PfReport *report;
} Call;

static Call begin(const char *task)
{
  Call f = {.ctx = pf_context_new(NULL)};
  PfContext *reader = pf_context_new(NULL);
  assert_non_null(f.ctx);
  assert_int_equal(pf_machine_read(reader, "pendulum.pf", pendulum, strlen(pendulum), &f.machine), PF_OK);
  assert_int_equal(pf_request_new(f.ctx, pf_task_find(task), &f.request), PF_OK);
  return f;
}

static void end(Call *f)
{
  pf_report_free(f->report);
  pf_request_free(f->request);
  pf_machine_release(f->machine);
  pf_context_free(f->ctx);
}

static PfStatus run(Call *f, const PfObserver *observer)
{
  return pf_task_run(f->machine, f->request, observer, &f->report);
}

static const PfValue *value(const Call *f, const char *key)
{
  return pf_value_member(pf_report_values(f->report), key);
}

static void check_counts_degrees_of_freedom(void **state)
{
  (void)state;
  Call f = begin("check");
  assert_int_equal(run(&f, NULL), PF_OK);
  assert_int_equal(pf_value_integer(value(&f, "degrees_of_freedom")), 1);
  assert_non_null(strstr(pf_report_text(f.report), "degrees of freedom  1"));
  end(&f);
}

static void check_of_a_wrong_text_has_its_place(void **state)
{
  (void)state;
  const char text[] = "coord x\nkinetic y'^2\n";
  Call f = begin("check");
  assert_int_equal(pf_request_set_input(f.request, "wrong.pf", text, strlen(text)), PF_OK);
  assert_int_equal(pf_task_run(NULL, f.request, NULL, &f.report), PF_ERR_NAME);
  const PfDiagnostic *d = pf_diagnostic(pf_report_context(f.report), 0);
  assert_int_equal(d->code, PF_ERR_NAME);
  assert_int_equal(d->place.line, 2);
  assert_string_equal(d->place.file, "wrong.pf");
  assert_string_equal(pf_report_text(f.report), "");
  end(&f);
}

static void derive_gives_latex_and_a_tree(void **state)
{
  (void)state;
  Call f = begin("derive");
  assert_int_equal(pf_request_set_flag(f.request, "latex", true), PF_OK);
  assert_int_equal(run(&f, NULL), PF_OK);
  assert_non_null(strstr(pf_report_text(f.report), "\\ddot{a}"));
  assert_int_equal(pf_value_count(value(&f, "equations")), 1);
  end(&f);
}

/* m l^2 a'' = -m g l a, so the eigenvalues are +-i sqrt(g/l). */
static void linearize_takes_parameters_as_numbers_and_texts(void **state)
{
  (void)state;
  Call f = begin("linearize");
  assert_int_equal(pf_request_set_value(f.request, "param", "l", 0.25), PF_OK);
  assert_int_equal(pf_request_set_value_text(f.request, "param", "g", "1600 [cm/s^2]"), PF_OK);
  assert_int_equal(run(&f, NULL), PF_OK);
  const PfValue *list = pf_value_member(pf_value_item(value(&f, "points"), 0), "eigenvalues");
  const PfValue *first = pf_value_item(list, 0);
  assert_int_equal(pf_value_count(list), 2);
  assert_true(fabs(pf_value_number(pf_value_member(first, "re"))) < 1e-12);
  assert_true(fabs(fabs(pf_value_number(pf_value_member(first, "im"))) - 8) < 1e-12);
  end(&f);
}

typedef struct Rows {
  int count, columns;
  double last[8];
} Rows;

static bool take_row(void *user, const double *row, int count)
{
  Rows *rows = user;
  rows->count++;
  rows->columns = count;
  for (int i = 0; i < count && i < 8; i++) rows->last[i] = row[i];
  return true;
}

static void run_gives_rows_at_times(void **state)
{
  (void)state;
  const double at[] = {0.1, 0.2, 0.5};
  Rows rows = {0};
  Call f = begin("run");
  assert_int_equal(pf_request_set_number(f.request, "for", 1), PF_OK);
  assert_int_equal(pf_request_set_values(f.request, "at", NULL, at, 3), PF_OK);
  assert_int_equal(pf_request_set_text(f.request, "show", "a"), PF_OK);
  assert_int_equal(pf_request_set_value(f.request, "state", "a'", 1e-4), PF_OK);
  assert_int_equal(run(&f, &(PfObserver){.user = &rows, .row = take_row}), PF_OK);
  assert_int_equal(rows.count, 3);
  assert_int_equal(rows.columns, 2);
  assert_int_equal(rows.columns, pf_value_count(value(&f, "columns")));
  double omega = sqrt(98.1);
  assert_true(rows.last[0] == 0.5 && fabs(rows.last[1] - 1e-4/omega*sin(omega*0.5)) < 1e-11);
  end(&f);
}

/* Energy of a pendulum that swings from rest at a: m g l (1 - cos a). */
static void sweep_gives_rows_of_members(void **state)
{
  (void)state;
  Rows rows = {0};
  Call f = begin("sweep");
  assert_int_equal(pf_request_set_text(f.request, "state", "a=0.1..0.3:3"), PF_OK);
  assert_int_equal(pf_request_set_text(f.request, "take", "energy"), PF_OK);
  assert_int_equal(pf_request_set_number(f.request, "for", 0.1), PF_OK);
  assert_int_equal(pf_request_set_number(f.request, "threads", 1), PF_OK);
  assert_int_equal(run(&f, &(PfObserver){.user = &rows, .row = take_row}), PF_OK);
  assert_int_equal(rows.count, 3);
  assert_true(fabs(rows.last[1] + 2*9.81*0.1*cos(0.3)) < 1e-7);
  assert_int_equal(rows.columns, pf_value_count(value(&f, "columns")) + 1);
  assert_true(rows.last[2] == PF_MEMBER_DONE);
  end(&f);
}

static void fmt_takes_the_text_of_a_machine(void **state)
{
  (void)state;
  Call f = begin("fmt");
  assert_int_equal(run(&f, NULL), PF_OK);
  assert_string_equal(pf_value_string(value(&f, "text")), pendulum);
  end(&f);
}

static void a_machine_and_a_file_exclude_each_other(void **state)
{
  (void)state;
  Call f = begin("check");
  assert_int_equal(pf_request_add_file(f.request, "other.pf"), PF_OK);
  assert_int_equal(run(&f, NULL), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(pf_report_context(f.report)),
                      "the task 'check' takes a machine or the file 'other.pf', not both");
  end(&f);
}

/* The file that a task writes goes to the observer, byte for byte. */
static bool take_file(void *user, const char *path, const char *bytes, size_t count)
{
  *(bool *)user = !strcmp(path, "-") && count > 100 && !strncmp(bytes, "<svg", 4);
  return true;
}

static void files_go_to_the_observer(void **state)
{
  (void)state;
  bool good = false;
  Call f = begin("plot");
  assert_int_equal(pf_request_set_text(f.request, "out", "-"), PF_OK);
  assert_int_equal(pf_request_set_number(f.request, "for", 0.1), PF_OK);
  assert_int_equal(run(&f, &(PfObserver){.user = &good, .file = take_file}), PF_OK);
  assert_true(good);
  end(&f);
}

/* Files that an observer has taken, the last one with its text. */
typedef struct Taken {
  int files, rows;
  char path[32], text[4096];
} Taken;

static bool take_text(void *user, const char *path, const char *bytes, size_t count)
{
  Taken *taken = user;
  assert_true(count < sizeof taken->text);
  snprintf(taken->path, sizeof taken->path, "%s", path);
  memcpy(taken->text, bytes, count);
  taken->text[count] = 0;
  taken->files++;
  taken->rows = 0;
  for (size_t i = 0; i < count; i++) taken->rows += bytes[i] == '\n';
  return true;
}

static void trajectories_go_to_the_observer(void **state)
{
  (void)state;
  const double at[] = {0, 0.1, 0.2};
  static const char *const paths[] = {"-", "nowhere.csv", "nowhere.json", "nowhere.mat"};
  for (size_t i = 0; i < sizeof paths/sizeof *paths; i++) {
    Taken taken = {0};
    Call f = begin("run");
    assert_int_equal(pf_request_set_text(f.request, "out", paths[i]), PF_OK);
    assert_int_equal(pf_request_set_number(f.request, "for", 0.2), PF_OK);
    assert_int_equal(pf_request_set_text(f.request, "show", "a"), PF_OK);
    assert_int_equal(pf_request_set_values(f.request, "at", NULL, at, 3), PF_OK);
    assert_int_equal(run(&f, &(PfObserver){.user = &taken, .file = take_text}), PF_OK);
    assert_int_equal(taken.files, 1);
    assert_string_equal(taken.path, paths[i]);
    if (i < 2) assert_string_equal(taken.text, "t [s],a [rad]\n0,0\n0.1,0\n0.2,0\n");
    if (i == 2) assert_contains(taken.text, "[0.2, 0]\n  ]\n}\n");
    assert_null(fopen(paths[i], "rb"));
    end(&f);
  }
}

/* A matrix of level 4 has its type, rows, columns, 0 and the length of its name before the name; here one row of it is
 * one sample, so it has two rows and three columns. */
static void a_matrix_in_memory_has_its_count(void **state)
{
  (void)state;
  const double at[] = {0, 0.1, 0.2};
  Taken taken = {0};
  Call f = begin("run");
  assert_int_equal(pf_request_set_text(f.request, "out", "nowhere.mat"), PF_OK);
  assert_int_equal(pf_request_set_number(f.request, "for", 0.2), PF_OK);
  assert_int_equal(pf_request_set_text(f.request, "show", "a"), PF_OK);
  assert_int_equal(pf_request_set_values(f.request, "at", NULL, at, 3), PF_OK);
  assert_int_equal(run(&f, &(PfObserver){.user = &taken, .file = take_text}), PF_OK);
  int32_t head[5] = {0};
  for (size_t i = 0; i + 25 < sizeof taken.text; i++)
    if (!memcmp(taken.text + i, "data", 5)) memcpy(head, taken.text + i - 20, sizeof head);
  assert_int_equal(head[1], 2);
  assert_int_equal(head[2], 3);
  end(&f);
}

static void tables_of_sweeps_go_to_the_observer(void **state)
{
  (void)state;
  static const char *const paths[] = {"-", "nowhere.csv", "nowhere.zarr"};
  for (size_t i = 0; i < sizeof paths/sizeof *paths; i++) {
    Taken taken = {0};
    Call f = begin("sweep");
    assert_int_equal(pf_request_set_text(f.request, "out", paths[i]), PF_OK);
    assert_int_equal(pf_request_set_text(f.request, "param", "l=0.1..0.3:3"), PF_OK);
    assert_int_equal(pf_request_set_text(f.request, "take", "a"), PF_OK);
    assert_int_equal(pf_request_set_number(f.request, "for", 0.1), PF_OK);
    PfStatus status = run(&f, &(PfObserver){.user = &taken, .file = take_text});
    assert_int_equal(status, i ? PF_ERR_ARGUMENT : PF_OK);
    assert_int_equal(taken.files, i ? 0 : 1);
    if (i) assert_contains(pf_context_message(pf_report_context(f.report)), "and the observer takes files");
    else assert_int_equal(taken.rows, 4);
    end(&f);
  }
}

static void count_progress(void *user, const PfProgress *progress)
{
  double *last = user;
  assert_true(progress->part >= last[0] && progress->part <= 1 + 1e-12);
  last[0] = progress->part;
  last[1] = progress->t;
}

static void progress_goes_to_the_end(void **state)
{
  (void)state;
  double last[2] = {0};
  Call f = begin("run");
  assert_int_equal(pf_request_set_text(f.request, "for", "500 [ms]"), PF_OK);
  assert_int_equal(run(&f, &(PfObserver){.user = last, .progress = count_progress}), PF_OK);
  assert_true(last[0] > 0.5 && last[1] > 0.25);
  end(&f);
}

static bool is_cancelled(void *user)
{
  (void)user;
  return true;
}

static void a_task_that_is_cancelled_says_so(void **state)
{
  (void)state;
  Call f = begin("run");
  assert_int_equal(run(&f, &(PfObserver){.cancelled = is_cancelled}), PF_ERR_CANCELLED);
  assert_int_equal(pf_diagnostic(pf_report_context(f.report), 0)->code, PF_ERR_CANCELLED);
  end(&f);
}

/* Without the options of the shell. */
static void hints_are_for_programs(void **state)
{
  (void)state;
  static const char *const expected[][3] = {
    {"export", "out is missing: where is the code to go?",
     "write out = FOLDER, out = NAME.fmu, or out = - for standard output"},
    {"continue", "the parameter and its range are missing", "add NAME=a..b:n to the files of the task 'continue'"},
    {"sweep", "take is missing: what is taken of each member?", NULL}};
  for (size_t i = 0; i < sizeof expected/sizeof *expected; i++) {
    Call f = begin(expected[i][0]);
    if (i == 0) assert_int_equal(pf_request_set_text(f.request, "to", "fmu"), PF_OK);
    if (i == 2) assert_int_equal(pf_request_set_text(f.request, "param", "l=0.1..0.3:3"), PF_OK);
    assert_int_equal(run(&f, NULL), PF_ERR_ARGUMENT);
    const PfDiagnostic *d = pf_diagnostic(pf_report_context(f.report), 0);
    assert_string_equal(d->message, expected[i][1]);
    if (expected[i][2]) assert_string_equal(d->hint, expected[i][2]);
    else assert_string_equal(d->setting, "take");
    end(&f);
  }
}

/* Help with names of other settings, as they are in C; no token is left in any help. */
static void help_is_in_words(void **state)
{
  (void)state;
  char text[1000], brief[8];
  const PfTask *task;
  PfSetting setting;
  PfContext *ctx = pf_context_new(NULL);
  for (int t = 0; (task = pf_task(t)); t++)
    for (int i = 0; pf_task_setting(task, i, &setting); i++) {
      const size_t count = pf_setting_help(ctx, &setting, text, sizeof text);
      assert_true(count > 0 && count < sizeof text);
      assert_int_equal(strlen(text), count);
      if (strchr(text, '@')) fail_msg("%s: %s", setting.name, text);
    }
  const size_t count = pf_setting_help(ctx, pf_setting_find("matrices"), text, sizeof text);
  assert_string_equal(text, "the equations between matrices too; with form = rosenberg, rosenberg_extended, "
                            "udwadia_kalaba, maggi or laconic");
  assert_int_equal(pf_setting_help(ctx, pf_setting_find("matrices"), brief, sizeof brief), count);
  assert_string_equal(brief, "the equ");
  pf_context_free(ctx);
}

static void help_allocates_nothing_that_stays(Counter *counter, void *user)
{
  char text[200];
  PfContext *ctx = pf_context_new(&counter->allocator);
  (void)user;
  if (ctx) {
    const size_t count = pf_setting_help(ctx, pf_setting_find("rate"), text, sizeof text);
    assert_int_equal(strlen(text), count);
    assert_true(count || counter->refused);
  }
  pf_context_free(ctx);
}

static void help_fails_cleanly_without_memory(void **state)
{
  (void)state;
  fail_every_allocation(help_allocates_nothing_that_stays, NULL);
}

static void a_request_needs_a_task(void **state)
{
  (void)state;
  PfContext *ctx = pf_context_new(NULL);
  PfRequest *request = (PfRequest *)&ctx; /* anything but NULL */
  assert_int_equal(pf_request_new(ctx, pf_task_find("frobnicate"), &request), PF_ERR_ARGUMENT);
  assert_null(request);
  assert_string_equal(pf_context_message(ctx), "there is no such task");
  pf_context_free(ctx);
}

static void a_setter_that_fails_leaves_nothing(void **state)
{
  (void)state;
  const double nowhere[] = {0.1, NAN}, at[] = {0.1, 0.2};
  Rows rows = {0};
  Call f = begin("run");
  PfRequest *r = f.request;
  assert_int_equal(pf_request_set_text(r, "every", "abc"), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_text(r, "for", "abc"), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_text(r, "for", "-1"), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_number(r, "for", -1), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_text(r, "step", " "), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_values(r, "at", NULL, nowhere, 2), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_number(r, "for", 0.2), PF_OK);
  assert_int_equal(pf_request_set_text(r, "for", "abc"), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_values(r, "at", NULL, at, 2), PF_OK);
  assert_int_equal(run(&f, &(PfObserver){.user = &rows, .row = take_row}), PF_OK);
  assert_int_equal(rows.count, 2);
  assert_true(rows.last[0] == 0.2);
  end(&f);
}

static void one_time_is_a_list_of_times(void **state)
{
  (void)state;
  const double at = 0.5;
  Rows rows = {0};
  Call f = begin("run");
  PfRequest *r = f.request;
  assert_int_equal(pf_request_set_values(r, "at", "x", &at, 1), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "at has no values by name, as 'x'");
  assert_int_equal(pf_request_set_value(r, "by", "x", 1), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "by has no values by name, as 'x'");
  assert_int_equal(pf_request_set_number(r, "at", INFINITY), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_flag(r, "at", true), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "at is a list of times, not a flag");
  assert_int_equal(pf_request_set_number(r, "for", 1), PF_OK);
  assert_int_equal(pf_request_set_number(r, "at", at), PF_OK);
  assert_int_equal(pf_request_set_number(r, "at", at), PF_ERR_ARGUMENT);
  assert_int_equal(run(&f, &(PfObserver){.user = &rows, .row = take_row}), PF_OK);
  assert_int_equal(rows.count, 1);
  assert_true(rows.last[0] == 0.5);
  end(&f);
}

typedef struct Polls {
  int count, most;
} Polls;

static bool is_cancelled_late(void *user)
{
  Polls *polls = user;
  return polls->count++ >= polls->most;
}

/* Wherever the request to stop arrives: while the model is read, numbers are, or members are computed. The last one
 * arrives when everything is done. */
static void a_sweep_that_is_cancelled_anywhere_says_so_once(void **state)
{
  (void)state;
  PfStatus status = PF_ERR_CANCELLED;
  bool late = false;
  for (int most = 0; most < 300 && status != PF_OK; most++) {
    Polls polls = {.most = most};
    Call f = begin("sweep");
    assert_int_equal(pf_request_set_text(f.request, "param", "m=1..2:4000"), PF_OK);
    assert_int_equal(pf_request_set_text(f.request, "take", "max(a), max(a) - min(a)"), PF_OK);
    assert_int_equal(pf_request_set_number(f.request, "for", 5), PF_OK);
    status = run(&f, &(PfObserver){.user = &polls, .cancelled = is_cancelled_late});
    if (status != PF_OK) {
      if (status != PF_ERR_CANCELLED) fail_msg("after %d polls: %s", most, pf_status_text(status));
      assert_int_equal(pf_diagnostic_count(pf_report_context(f.report)), 1);
      assert_int_equal(pf_diagnostic(pf_report_context(f.report), 0)->code, PF_ERR_CANCELLED);
      late = late || pf_value_bool(value(&f, "stopped"));
    }
    end(&f);
  }
  assert_true(late || status == PF_OK);
}

static void settings_that_are_wrong_are_named(void **state)
{
  (void)state;
  Call f = begin("run");
  PfRequest *r = f.request;
  assert_int_equal(pf_request_set_number(r, "rtoll", 1), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "there is no setting 'rtoll'");
  assert_string_equal(pf_diagnostic(f.ctx, 0)->hint, "did you mean 'rtol'?");
  assert_int_equal(pf_request_set_text(r, "near", "equilibrium"), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "the task 'run' does not take near");
  assert_int_equal(pf_request_set_number(r, "by", 4), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "by is a text, not a number");
  assert_int_equal(pf_request_set_number(r, "rtol", -1), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "rtol: '-1' is not a positive number");
  assert_string_equal(pf_diagnostic(f.ctx, pf_diagnostic_count(f.ctx) - 1)->setting, "rtol");
  assert_int_equal(pf_request_set_flag(r, "json", true), PF_ERR_ARGUMENT);
  assert_int_equal(pf_request_set_number(r, "step", 0.01), PF_OK);
  assert_int_equal(pf_request_set_text(r, "step", "1 [ms]"), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(f.ctx), "step was given twice");
  end(&f);
}

static void settings_that_need_others_are_refused(void **state)
{
  (void)state;
  Call f = begin("run");
  assert_int_equal(pf_request_set_number(f.request, "rate", 100), PF_OK);
  assert_int_equal(run(&f, NULL), PF_ERR_ARGUMENT);
  assert_string_equal(pf_context_message(pf_report_context(f.report)),
                      "rate goes with real_time and has no effect without");
  end(&f);
}

static void every_setting_of_every_task_is_in_the_table(void **state)
{
  (void)state;
  const PfTask *task;
  PfSetting setting;
  int tasks = 0, settings = 0;
  for (; (task = pf_task(tasks)); tasks++) {
    assert_ptr_equal(pf_task_find(pf_task_name(task)), task);
    assert_true(pf_task_summary(task)[0] != 0);
    for (int i = 0; pf_task_setting(task, i, &setting); i++, settings++) {
      assert_non_null(pf_setting_find(setting.name));
      assert_non_null(setting.help);
      assert_true((setting.type == PF_SETTING_FLAG) == (setting.argument == NULL));
    }
  }
  assert_true(tasks > 20 && settings > 200);
  assert_null(pf_task_find("nothing"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_counts_degrees_of_freedom),
    cmocka_unit_test(check_of_a_wrong_text_has_its_place),
    cmocka_unit_test(derive_gives_latex_and_a_tree),
    cmocka_unit_test(linearize_takes_parameters_as_numbers_and_texts),
    cmocka_unit_test(run_gives_rows_at_times),
    cmocka_unit_test(sweep_gives_rows_of_members),
    cmocka_unit_test(fmt_takes_the_text_of_a_machine),
    cmocka_unit_test(a_machine_and_a_file_exclude_each_other),
    cmocka_unit_test(files_go_to_the_observer),
    cmocka_unit_test(trajectories_go_to_the_observer),
    cmocka_unit_test(a_matrix_in_memory_has_its_count),
    cmocka_unit_test(tables_of_sweeps_go_to_the_observer),
    cmocka_unit_test(progress_goes_to_the_end),
    cmocka_unit_test(a_task_that_is_cancelled_says_so),
    cmocka_unit_test(a_sweep_that_is_cancelled_anywhere_says_so_once),
    cmocka_unit_test(help_is_in_words),
    cmocka_unit_test(help_fails_cleanly_without_memory),
    cmocka_unit_test(a_request_needs_a_task),
    cmocka_unit_test(hints_are_for_programs),
    cmocka_unit_test(a_setter_that_fails_leaves_nothing),
    cmocka_unit_test(one_time_is_a_list_of_times),
    cmocka_unit_test(settings_that_are_wrong_are_named),
    cmocka_unit_test(settings_that_need_others_are_refused),
    cmocka_unit_test(every_setting_of_every_task_is_in_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
