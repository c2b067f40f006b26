/* SPDX-License-Identifier: Apache-2.0 */
#include "export/script.h"
#include "export/sleigh.h"

static void numbers_are_doubles_in_every_language(void **state)
{
  Fixture *f = *state;
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_script_put_numbers(&text, (const double[]){1.5, -2, 1e-7, 0}, 4);
  assert_string_equal(pf_text_get(&text), "1.5, -2.0, 1e-07, 0.0");
  pf_text_free(&text);
}

/* Rows, names and places of one model in Python and in MATLAB, which counts from 1. */
static void each_language_has_its_lists_and_remarks(void **state)
{
  static const struct {
    const char *file, *parts[6];
  } cases[] = {
    {".py", {"VELOCITY_ROWS = [0]\n", "COORDINATES = [\"x\", \"y\", \"theta\"]\n", "        (\"m\", 2.0),\n",
             "def violations(p, t, q, v, u):\n    \"\"\"What must vanish, of positions and of velocities.\"\"\"\n",
             "    return (position, velocity,)\n", "OUTPUTS = [\"x\", \"theta'\"]\n"}},
    {".m", {"rows = {[], [1]};\n", "  m.names.coordinates = {'x', 'y', 'theta'};\n", "  m.params.m = 2.0;\n",
            "% What must vanish, of positions and of velocities.\n"
            "function [position, velocity] = violations(p, t, q, v, u)\n",
            "  position = zeros(1, 1);\n", "  m.names.outputs = {'x', 'theta'''};\n"}},
    {"_casadi.py", {"ROWS = [0]  # constraints", "COORDINATES = [\"x\", \"y\", \"theta\"]\n",
                    "P0 = ca.DM([2.0, 0.1, 0.2])\n",
                    "functions[\"violations\"] = ca.Function(\"violations\", [p, t, q, v, u], "
                    "list(violations(p, t, q, v, u)))\n",
                    "    return (position, velocity, )\n", "Q0 = ca.DM([0.0, 0.0, 0.0])\n"}}};
  typedef PfStatus Writer(const PfExport *, const PfReference *, PfExportFiles *);
  static Writer *const writers[] = {pf_export_python, pf_export_matlab, pf_export_casadi};
  Fixture *f = *state;
  Model m = {.ctx = f->ctx, .arena = f->arena};
  PfExport x;
  PfReference none = {0};
  assert_int_equal(open_model(&m, sleigh), PF_OK);
  assert_int_equal(collect(&m, NULL, &x), PF_OK);
  for (int i = 0; i < 3; i++) {
    PfExportFiles files = {0};
    char name[32];
    assert_int_equal(writers[i](&x, &none, &files), PF_OK);
    snprintf(name, sizeof name, "sleigh%s", cases[i].file);
    assert_string_equal(files.at[0].name, name);
    for (int k = 0; k < 6; k++) assert_contains(pf_text_get(&files.at[0].text), cases[i].parts[k]);
    assert_null(strstr(pf_text_get(&files.at[0].text), "<<"));
    pf_export_files_free(&files);
  }
  pf_export_free(&x);
  close_model(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(numbers_are_doubles_in_every_language),
    with_fixture(each_language_has_its_lists_and_remarks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
