/* SPDX-License-Identifier: Apache-2.0 */
#include "export/sleigh.h"
#include "export/template.h"

typedef struct Case {
  Model m;
  PfExport x;
  PfText text;
  PfWriter writer;
} Case;

static void begin(Case *c, const Fixture *f, const char *text, const char *form)
{
  *c = (Case){.m = {.ctx = f->ctx, .arena = f->arena}};
  assert_int_equal(open_model(&c->m, text), PF_OK);
  assert_int_equal(collect(&c->m, form, &c->x), PF_OK);
  pf_text_init(&c->text, pf_context_allocator(f->ctx));
  c->writer = (PfWriter){.x = &c->x, .text = &c->text};
}

static void end(Case *c)
{
  pf_text_free(&c->text);
  pf_export_free(&c->x);
  close_model(&c->m);
}

static int number(const Case *c, const char *name)
{
  int found = -1;
  assert_true(pf_template_number(&c->writer, name, &found));
  return found;
}

/* x, y, theta; a blade; m, J and a, because Ja is written out; push. */
static void numbers_count_what_the_model_has(void **state)
{
  Case c;
  begin(&c, *state, sleigh, NULL);
  assert_int_equal(number(&c, "n"), 3);
  assert_int_equal(number(&c, "coordinates"), 3);
  assert_int_equal(number(&c, "m"), 1);
  assert_int_equal(number(&c, "parameters"), 3);
  assert_int_equal(number(&c, "inputs"), 1);
  assert_int_equal(number(&c, "positions"), 0);
  assert_int_equal(number(&c, "velocities"), 1);
  assert_int_equal(number(&c, "by_u"), 6);
  assert_int_equal(number(&c, "by_p"), 7);
  assert_int_equal(number(&c, "by_t"), 10);
  assert_int_equal(number(&c, "columns"), 11);
  assert_int_equal(number(&c, "flow"), 1);
  assert_int_equal(number(&c, "fast"), 1);
  assert_int_equal(number(&c, "function violations"), 1);
  assert_int_equal(number(&c, "function friction"), 0);
  c.writer.real = PF_REAL_FLOAT;
  assert_int_equal(number(&c, "float"), 1);
  assert_int_equal(number(&c, "fast"), 0);
  int none;
  assert_false(pf_template_number(&c.writer, "wheels", &none));
  end(&c);
}

static void placeholders_become_identifiers_numbers_and_features(void **state)
{
  Case c;
  PfExportFiles files = {0};
  PfReference none = {0};
  begin(&c, *state, sleigh, "maggi");
  assert_int_equal(pf_export_c(&c.x, &none, PF_REAL_FLOAT, &files), PF_OK);
  const char *header = pf_text_get(&files.at[0].text), *source = pf_text_get(&files.at[1].text);
  assert_contains(header, "#ifndef PFAFF_EXPORT_SLEIGH_H\n");
  assert_contains(header, "typedef float sleigh_real;\n");
  assert_contains(header, "  SLEIGH_N = 3, /* coordinates */\n");
  assert_contains(header, "  SLEIGH_Q_x = 0,\n  SLEIGH_Q_y = 1,\n  SLEIGH_Q_theta = 2\n};\n");
  assert_null(strstr(header, "sleigh_jacobian")); /* there are no frames */
  assert_contains(source, "#define PF_SINGLE\n");
  assert_contains(source, "#define SLEIGH_HAS_FLOW 0\n#define SLEIGH_HAS_SOLVER 1\n");
  assert_contains(source, "static const int sleigh_position_row[] = {0};\n"
                          "static const int sleigh_velocity_row[] = {0};\n");
  assert_contains(pf_text_get(&files.at[2].text), "h = 1e-2f;");
  for (int i = 0; i < 5; i++) /* those of templates; shifts in files of the runtime are not placeholders */
    assert_null(strstr(pf_text_get(&files.at[i].text), "<<"));
  pf_export_files_free(&files);
  end(&c);
}

/* Without constraints and inputs: other branches of the templates. */
static void lines_of_other_models_are_left_out(void **state)
{
  static const char oscillator[] = "model oscillator\ncoord x\nkinetic x'^2/2\npotential x^2/2\nstart x = 1\n";
  Case c;
  PfExportFiles files = {0};
  PfReference none = {0};
  begin(&c, *state, oscillator, "multipliers");
  assert_int_equal(pf_export_c(&c.x, &none, PF_REAL_DOUBLE, &files), PF_OK);
  assert_null(strstr(pf_text_get(&files.at[0].text), "Rows of A"));
  assert_contains(pf_text_get(&files.at[0].text), "typedef struct sleigh_params {\n  char none;");
  pf_export_files_free(&files);
  assert_int_equal(pf_export_python(&c.x, &none, &files), PF_OK);
  assert_contains(pf_text_get(&files.at[0].text), "    return _Factors(M, A).solve(F, b)\n\n\n@_states\ndef project");
  assert_null(strstr(pf_text_get(&files.at[0].text), "def actuate"));
  pf_export_files_free(&files);
  assert_int_equal(pf_export_matlab(&c.x, &none, &files), PF_OK);
  assert_null(strstr(pf_text_get(&files.at[0].text), "= project(p"));
  pf_export_files_free(&files);
  end(&c);
}

static void unknown_placeholders_and_templates_are_errors(void **state)
{
  static const PfPlaceholder none[] = {{0}};
  Fixture *f = *state;
  Case c;
  begin(&c, f, sleigh, NULL);
  assert_int_equal(pf_template_put(&c.writer, "model.h.in", none), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "'places coordinates Q'");
  assert_int_equal(pf_template_put(&c.writer, "model.rs.in", none), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "'model.rs.in'");
  end(&c);
}

static void the_start_and_lists_are_found_by_name(void **state)
{
  Case c;
  begin(&c, *state, sleigh, NULL);
  assert_int_equal(pf_export_list(&c.x, "inputs")->count, 1);
  assert_string_equal(pf_export_list(&c.x, "constraints")->at[0].name, "blade");
  assert_null(pf_export_list(&c.x, "wheels"));
  const PfNumbers parameters = pf_export_start(&c.x, "parameters"), v = pf_export_start(&c.x, "v");
  assert_int_equal(parameters.count, 3);
  assert_near(parameters.values[0], 2, 0, 0);
  assert_int_equal(v.count, 3);
  assert_near(v.values[0], 1, 0, 0);
  assert_near(v.values[2], 0.5, 0, 0);
  assert_int_equal(pf_export_start(&c.x, "wheels").count, 0);
  end(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(numbers_count_what_the_model_has),
    with_fixture(placeholders_become_identifiers_numbers_and_features),
    with_fixture(lines_of_other_models_are_left_out),
    with_fixture(unknown_placeholders_and_templates_are_errors),
    with_fixture(the_start_and_lists_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
