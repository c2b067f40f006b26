/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "pfaff/lang.h"

static const double PI = 3.14159265358979323846;

static void check(const PfModel *model, const char *name, const char *unit, double scale)
{
  PfMeasure found = pf_model_measure(model, name);
  if (strcmp(found.unit, unit) != 0) fail_msg("%s is in [%s], not in [%s]", name, found.unit, unit);
  assert_near(found.scale, scale, 1e-15, 0);
}

static void every_name_has_its_unit(void **state)
{
  Fixture *f = *state;
  static const char text[] =
    "param m = 2 [g], k [N/mm], a = 2*3 [cm], b = 7, U[2] = list(1, 2) [cm], r = 5 [-]\n"
    "coord y [mm], th[2] [deg], p [-], z\n"
    "input u [N mm]\n"
    "let d [mm] = y, e = 2*y\n"
    "body hub in ground free { mass 1 [kg], inertia 1 [kg m^2] }\n"
    "kinetic m*(y'^2 + 1 [m^2]*(th[1]'^2 + th[2]'^2 + p'^2) + z'^2)\n"
    "plot d, e, u, hub.vx, th[2]'\n";
  PfModel *model;
  if (pf_model_read(f->ctx, "model.pf", text, sizeof text - 1, &model) != PF_OK)
    fail_msg("%s", pf_context_message(f->ctx));
  check(model, "m", "g", 1e-3), check(model, "k", "N/mm", 1e3), check(model, "a", "m", 1), check(model, "b", "", 1);
  check(model, "U[2]", "cm", 0.01);
  check(model, "y", "mm", 1e-3), check(model, "y'", "mm/s", 1e-3), check(model, "y''", "mm/s^2", 1e-3);
  check(model, "th[2]", "deg", PI/180), check(model, "th[2]''", "deg/s^2", PI/180);
  check(model, "p'", "1/s", 1), check(model, "z'", "", 1), check(model, "u", "N mm", 1e-3), check(model, "t", "s", 1);
  check(model, "hub.px", "m", 1), check(model, "hub.wx", "rad/s", 1), check(model, "hub.vz", "m/s", 1),
      check(model, "hub.qw", "", 1);
  check(model, "nothing", "", 1), check(model, "y'''", "", 1);
  static const char *const units[] = {"mm", "m", "N mm", "m/s", "deg/s"};
  for (int k = 0; k < 5; k++) assert_string_equal(pf_plot_measure(model->plots, k).unit, units[k]);
  pf_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {with_fixture(every_name_has_its_unit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
