/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: one pass writes values and text; JSON and C programs read them. */
#include "support.h"

#include "report/json.h"
#include "report/report.h"

static const PfField body_fields[] = {
  {.key = "name", .type = PF_TYPE_STRING},
  {.key = "mass", .type = PF_TYPE_NUMBER},
  {0}};

static const PfField mode_fields[] = {
  PF_FIELD("frequency", NUMBER, "of the mode, in rad/s"),
  PF_FIELD("shape", NUMBERS, "the eigenvector"),
  {0}};

static const PfField modal_fields[] = {
  PF_FIELD("states", STRINGS, "names of the state"),
  PF_FIELD_RECORD("slowest", mode_fields, "the mode with the lowest frequency"),
  PF_FIELD_RECORDS("modes", mode_fields, "all modes"),
  PF_FIELD("inputs", STRINGS, "names of the inputs"),
  {0}};

static const PfField of_contact[] = {{.type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER}};

static const PfField fields[] = {
  {.key = "model", .type = PF_TYPE_STRING},
  {.key = "rank", .type = PF_TYPE_INTEGER},
  {.key = "spatial", .type = PF_TYPE_LIST, .of = PF_TYPE_NUMBERS, .optional = true},
  {.key = "bodies", .type = PF_TYPE_LIST, .of = PF_TYPE_RECORD, .fields = body_fields},
  {.key = "multipliers", .type = PF_TYPE_MAP, .of = PF_TYPE_NUMBER},
  {.key = "M", .type = PF_TYPE_NUMBERS, .layout = PF_MATRIX},
  {.key = "rows", .type = PF_TYPE_NUMBERS, .layout = PF_MATRIX, .large = true},
  {.key = "contacts", .type = PF_TYPE_MAP, .of = PF_TYPE_MAP, .fields = of_contact},
  {.key = "stable", .type = PF_TYPE_BOOL},
  PF_FIELD_DIAGNOSTICS,
  {0}};

static const PfField list_fields[] = {
  {.key = "doubles", .type = PF_TYPE_NUMBERS, .base64 = 8},
  {.key = "floats", .type = PF_TYPE_NUMBERS, .base64 = 4},
  {.key = "more", .type = PF_TYPE_MAP, .of = PF_TYPE_INTEGER},
  {0}};

static void write_body(PfReport *r, const char *name, double mass)
{
  pf_report_open(r, NULL);
  pf_report_number(r, "mass", mass);
  pf_report_string(r, "name", name);
  pf_report_close(r);
  pf_report_print(r, "  %s %g\n", name, mass);
}

static void write_all(PfReport *r, const PfContext *ctx)
{
  const double M[] = {2, 0, 0, 0.5};
  pf_report_print(r, "cart: %d bodies\n", 2);
  pf_report_open(r, "bodies");
  write_body(r, "frame", 2);
  write_body(r, "wheel", 0.5);
  pf_report_close(r);
  pf_report_string(r, "model", "cart"); /* after the bodies, and yet before them in JSON */
  pf_report_open(r, "multipliers");
  pf_report_number(r, "rolls.x", -3);
  pf_report_number(r, "rolls.y", NAN);
  pf_report_close(r);
  pf_report_matrix(r, "M", M, 2, 2);
  pf_report_matrix(r, "rows", M, 1, 2);
  pf_report_open(r, "contacts");
  pf_report_open(r, "rolls");
  pf_report_number(r, "x", -3);
  pf_report_close(r);
  pf_report_close(r);
  pf_report_bool(r, "stable", true);
  pf_report_diagnostics(r, ctx);
}

static void keys_come_in_the_order_of_their_table(void **state)
{
  Fixture *f = *state;
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, fields, &r), PF_OK);
  write_all(r, f->ctx);
  assert_int_equal(pf_report_check(r), PF_OK);
  assert_string_equal(pf_report_text(r), "cart: 2 bodies\n  frame 2\n  wheel 0.5\n");
  assert_string_equal(pf_report_json(r),
                      "{\n  \"model\": \"cart\",\n  \"rank\": null,\n  \"bodies\": [\n"
                      "    {\n      \"name\": \"frame\",\n      \"mass\": 2\n    },\n"
                      "    {\n      \"name\": \"wheel\",\n      \"mass\": 0.5\n    }\n  ],\n"
                      "  \"multipliers\": {\n    \"rolls.x\": -3,\n    \"rolls.y\": null\n  },\n"
                      "  \"M\": [\n    [\n      2,\n      0\n    ],\n    [\n      0,\n      0.5\n    ]\n  ],\n"
                      "  \"rows\": [\n  [\n    2,\n    0\n  ]\n],\n"
                      "  \"contacts\": {\n    \"rolls\": {\n      \"x\": -3\n    }\n  },\n"
                      "  \"stable\": true,\n  \"diagnostics\": []\n}\n");
  pf_report_free(r);
}

static void tables_have_strings_and_lists_of_records(void **state)
{
  Fixture *f = *state;
  const char *const names[] = {"x", "x'"};
  const double shape[] = {1, 2};
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, modal_fields, &r), PF_OK);
  pf_report_strings(r, "states", names, 2);
  pf_report_strings(r, "inputs", NULL, 0);
  pf_report_open(r, "modes");
  pf_report_open(r, NULL);
  pf_report_numbers(r, "shape", shape, 2);
  pf_report_close(r);
  pf_report_close(r);
  const PfValue *all = pf_report_values(r), *mode = pf_value_first(pf_value_member(all, "modes"));
  int rows, columns;
  assert_string_equal(pf_value_strings(pf_value_member(all, "states"), &rows, &columns)[1], "x'");
  assert_int_equal(pf_value_type(pf_value_member(all, "inputs")), PF_TYPE_STRINGS);
  assert_int_equal(pf_value_count(pf_value_member(all, "inputs")), 0);
  assert_int_equal(pf_value_type(pf_value_member(all, "slowest")), PF_TYPE_NULL);
  assert_int_equal(pf_value_count(pf_value_member(mode, "shape")), 2);
  assert_int_equal(pf_value_type(pf_value_member(mode, "frequency")), PF_TYPE_NULL);
  pf_report_free(r);
}

static void complex_numbers_are_rows_of_two(void **state)
{
  Fixture *f = *state;
  const double re[] = {-1, -1, 0}, im[] = {2, -2, 0}, expected[] = {-1, 2, -1, -2, 0, 0};
  int rows, columns;
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, fields, &r), PF_OK);
  pf_report_complex(r, "M", re, im, 3);
  const double *pairs = pf_value_numbers(pf_value_member(pf_report_values(r), "M"), &rows, &columns);
  assert_int_equal(rows, 3);
  assert_int_equal(columns, 2);
  for (int i = 0; i < 6; i++) assert_near(pairs[i], expected[i], 0, 0);
  pf_report_free(r);
}

static void programs_read_values_by_key(void **state)
{
  Fixture *f = *state;
  PfReport *r;
  int rows, columns;
  assert_int_equal(pf_report_new(f->ctx, fields, &r), PF_OK);
  write_all(r, f->ctx);
  const PfValue *all = pf_report_values(r), *bodies = pf_value_member(all, "bodies");
  assert_string_equal(pf_value_string(pf_value_member(all, "model")), "cart");
  assert_int_equal(pf_value_type(pf_value_member(all, "rank")), PF_TYPE_NULL);
  assert_int_equal(pf_value_count(bodies), 2);
  assert_near(pf_value_number(pf_value_member(pf_value_item(bodies, 1), "mass")), 0.5, 0, 0);
  assert_near(pf_value_number(pf_value_first(pf_value_member(all, "multipliers"))), -3, 0, 0);
  const double *M = pf_value_numbers(pf_value_member(all, "M"), &rows, &columns);
  assert_int_equal(rows, 2);
  assert_int_equal(columns, 2);
  assert_near(M[3], 0.5, 0, 0);
  assert_true(pf_value_bool(pf_value_member(all, "stable")));
  assert_string_equal(pf_value_key(pf_value_member(all, "model")), "model");
  assert_null(pf_value_key(pf_value_item(bodies, 1)));
  assert_int_equal(pf_value_integer(pf_value_member(all, "stable")), 1);
  assert_int_equal(pf_value_integer(pf_value_member(all, "model")), 0);
  pf_report_free(r);
}

/* As the formulas of a derivation: vectors and matrices under names. */
static void strings_are_vectors_or_matrices(void **state)
{
  static const PfField named[] = {
    {.key = "unknowns", .type = PF_TYPE_STRINGS},
    {.key = "absent", .type = PF_TYPE_STRINGS, .optional = true},
    {.key = "matrices", .type = PF_TYPE_MAP, .of = PF_TYPE_STRINGS, .layout = PF_VECTOR_OR_MATRIX},
    {0}};
  const char *const entries[] = {"m", "0", NULL, "m*l^2"};
  Fixture *f = *state;
  PfReport *r;
  int rows, columns;
  assert_int_equal(pf_report_new(f->ctx, named, &r), PF_OK);
  pf_report_strings(r, "unknowns", NULL, 0);
  pf_report_open(r, "matrices");
  pf_report_strings(r, "F", entries, 2);
  pf_report_string_matrix(r, "M", entries, 2, 2);
  pf_report_close(r);
  assert_string_equal(pf_report_json(r),
                      "{\n  \"unknowns\": [],\n  \"matrices\": {\n    \"F\": [\n      \"m\",\n      \"0\"\n    ],\n"
                      "    \"M\": [\n      [\n        \"m\",\n        \"0\"\n      ],\n      [\n        null,\n"
                      "        \"m*l^2\"\n      ]\n    ]\n  }\n}\n");
  const PfValue *all = pf_report_values(r);
  const PfValue *M = pf_value_member(pf_value_member(all, "matrices"), "M");
  const char *const *strings = pf_value_strings(M, &rows, &columns);
  assert_int_equal(rows, 2);
  assert_int_equal(columns, 2);
  assert_string_equal(strings[3], "m*l^2");
  assert_null(strings[2]);
  assert_null(pf_value_strings(pf_value_member(all, "absent"), &rows, &columns));
  pf_report_free(r);
}

/* null says that something was looked for and is not there; left out is what was not looked for. */
static void an_optional_string_may_be_null(void **state)
{
  static const PfField parts[] = {
    {.key = "trouble", .type = PF_TYPE_STRING, .optional = true},
    {.key = "hint", .type = PF_TYPE_STRING, .optional = true},
    {0}};
  Fixture *f = *state;
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, parts, &r), PF_OK);
  pf_report_string(r, "trouble", NULL);
  assert_string_equal(pf_report_json(r), "{\n  \"trouble\": null\n}\n");
  pf_report_free(r);
}

static void words_of_the_text_may_be_values(void **state)
{
  static const PfField parts[] = {
    {.key = "file", .type = PF_TYPE_STRING},
    {.key = "about", .type = PF_TYPE_STRING},
    {0}};
  Fixture *f = *state;
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, parts, &r), PF_OK);
  pf_report_print(r, "written: ");
  size_t before = pf_report_page(r)->count;
  pf_report_print(r, "cart.%s", "pf");
  pf_report_shown(r, "file", before);
  before = pf_report_page(r)->count;
  pf_report_print(r, "two wheels");
  pf_report_moved(r, "about", before);
  assert_string_equal(pf_report_text(r), "written: cart.pf");
  assert_string_equal(pf_value_string(pf_value_member(pf_report_values(r), "file")), "cart.pf");
  assert_string_equal(pf_value_string(pf_value_member(pf_report_values(r), "about")), "two wheels");
  pf_report_free(r);
}

/* A report inside another JSON text leaves the same fields out as one that stands alone. */
static void optional_fields_without_values_are_left_out_of_parts(void **state)
{
  Fixture *f = *state;
  PfReport *r;
  PfJson json;
  assert_int_equal(pf_report_new(f->ctx, fields, &r), PF_OK);
  pf_json_begin(&json, pf_context_allocator(f->ctx));
  pf_json_value(&json, pf_value_member(pf_report_values(r), "spatial"));
  assert_string_equal(pf_text_get(&json.text), "");
  pf_json_free(&json);
  pf_report_free(r);
}

static void absent_values_are_null(void **state)
{
  Fixture *f = *state;
  PfReport *r;
  int rows, columns;
  assert_int_equal(pf_report_new(f->ctx, fields, &r), PF_OK);
  const PfValue *none = pf_value_member(pf_report_values(r), "velocity");
  assert_null(none);
  assert_int_equal(pf_value_type(none), PF_TYPE_NULL);
  assert_null(pf_value_item(none, 0));
  assert_null(pf_value_string(none));
  assert_true(isnan(pf_value_number(none)));
  assert_null(pf_value_numbers(none, &rows, &columns));
  assert_int_equal(pf_value_count(none), 0);
  pf_report_free(r);
}

static void write_with(Counter *counter, void *user)
{
  (void)user;
  PfContext *ctx = pf_context_new(&counter->allocator);
  if (!ctx) return;
  PfReport *r = NULL;
  bool written = pf_report_new(ctx, fields, &r) == PF_OK;
  if (written) {
    write_all(r, ctx);
    written = pf_report_check(r) == PF_OK && pf_report_json(r);
  }
  assert_true(written || counter->refused);
  pf_report_free(r);
  pf_context_free(ctx);
}

static void without_memory_a_report_fails_as_a_whole(void **state)
{
  (void)state;
  fail_every_allocation(write_with, NULL);
}

/* By 'base64' of coreutils, and the table of IEEE 754 for the bytes. */
static void numbers_are_bytes_in_base64(void **state)
{
  Fixture *f = *state;
  const double values[] = {1, -2, NAN, INFINITY};
  static const struct {
    int from, count, bytes;
    const char *letters;
  } cases[] = {{0, 1, 8, "AAAAAAAA8D8="}, {0, 2, 4, "AACAPwAAAMA="}, {3, 1, 4, "AACAfw=="}, {0, 0, 8, ""}};
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    PfText text;
    pf_text_init(&text, pf_context_allocator(f->ctx));
    pf_put_base64_numbers(&text, values + cases[i].from, (size_t)cases[i].count, cases[i].bytes);
    assert_string_equal(pf_text_get(&text), cases[i].letters);
    pf_text_free(&text);
  }
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, list_fields, &r), PF_OK);
  pf_report_numbers(r, "doubles", values, 1);
  pf_report_numbers(r, "floats", values, 2);
  assert_string_equal(pf_report_json(r),
                      "{\n  \"doubles\": \"AAAAAAAA8D8=\",\n  \"floats\": \"AACAPwAAAMA=\",\n  \"more\": null\n}\n");
  pf_report_free(r);
}

static void the_last_item_may_be_removed(void **state)
{
  Fixture *f = *state;
  PfReport *r;
  assert_int_equal(pf_report_new(f->ctx, list_fields, &r), PF_OK);
  pf_report_open(r, "more");
  pf_report_remove_last(r); /* there is none */
  assert_null(pf_report_last(r));
  pf_report_integer(r, "a", 1);
  pf_report_integer(r, "b", 2);
  pf_report_integer(r, "c", 3);
  assert_int_equal(pf_value_integer(pf_report_last(r)), 3);
  pf_report_remove_last(r);
  pf_report_remove_last(r);
  assert_int_equal(pf_value_integer(pf_report_last(r)), 1);
  pf_report_integer(r, "d", 4);
  pf_report_close(r);
  const PfValue *more = pf_value_member(pf_report_values(r), "more");
  assert_int_equal(pf_value_count(more), 2);
  assert_string_equal(pf_value_key(pf_value_next(pf_value_first(more))), "d");
  pf_report_open(r, "more");
  pf_report_remove_last(r);
  pf_report_remove_last(r);
  pf_report_close(r);
  assert_int_equal(pf_value_count(more), 0);
  pf_report_free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(keys_come_in_the_order_of_their_table),
    with_fixture(tables_have_strings_and_lists_of_records),
    with_fixture(complex_numbers_are_rows_of_two),
    with_fixture(programs_read_values_by_key),
    with_fixture(strings_are_vectors_or_matrices),
    with_fixture(an_optional_string_may_be_null),
    with_fixture(words_of_the_text_may_be_values),
    with_fixture(optional_fields_without_values_are_left_out_of_parts),
    with_fixture(absent_values_are_null),
    with_fixture(numbers_are_bytes_in_base64),
    with_fixture(the_last_item_may_be_removed),
    cmocka_unit_test(without_memory_a_report_fails_as_a_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
