/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers have a point, whatever the locale of the host; looked at where one with a comma is installed, or can be made
 * by localedef. */
#include "support.h"

#include "base/base.h"
#include "pfaff/pfaff.h"

#include <locale.h>
#include <stdlib.h>

static bool set_comma(void)
{
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "de_DE", "fr_FR", "comma"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++)
    if (setlocale(LC_ALL, names[i])) return true;
  return false;
}

/* A locale of our own, in a folder that goes with the test. */
static int make_comma(void **state)
{
  static char folder[200], command[600];
  if (set_comma()) return 0;
  make_test_folder(folder);
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
  if (system(command) == 0) (void)setenv("LOCPATH", folder, 1);
  *state = folder;
  return 0;
}

static int remove_comma(void **state)
{
  char command[300];
  setlocale(LC_ALL, "C");
  if (!*state) return 0;
  snprintf(command, sizeof command, "rm -r '%s'", (const char *)*state);
  return system(command);
}

static void numbers_have_a_point(void **state)
{
  Fixture *f = *state;
  if (!set_comma()) skip();
  char *end;
  PfText text;
  assert_true(pf_read_double("2.5", &end) == 2.5);
  assert_int_equal(*end, 0);
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_text_print(&text, "%g %.3f", 0.5, 1.25);
  assert_string_equal(pf_text_get(&text), "0.5 1.250");
  pf_text_free(&text);
  setlocale(LC_ALL, "C");
}

static void long_literals_keep_their_fraction(void **state)
{
  (void)state;
  PfError error;
  if (!set_comma()) skip();
  PfSim *sim = pf_sim_open_text("param p = 3.14159265358979323846\ncoord x\nkinetic p*x'^2\nstart x = 1\n", &error);
  assert_non_null(sim);
  assert_true(pf_sim_start(sim));
  assert_true(pf_sim_get(sim, pf_sim_find(sim, "p")) == 3.141592653589793);
  pf_sim_close(sim);
  setlocale(LC_ALL, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(numbers_have_a_point),
    with_fixture(long_literals_keep_their_fraction),
  };
  return cmocka_run_group_tests(tests, make_comma, remove_comma);
}
