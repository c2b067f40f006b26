/* SPDX-License-Identifier: Apache-2.0 */
/* Each task by a request, with a value of its report that is known by hand. */
#include "support.h"

#include "pfaff/pfaff.h"

#include <math.h>
#include <stdlib.h>

#define PENDULUM \
  "\"text\": \"model pendulum; param m = 2 [kg], l = 0.1 [m], g = 9.81 [m/s^2]; coord a [rad]; " \
  "kinetic m*l^2*a'^2/2; potential -m*g*l*cos(a); start a = 0.5; start a' = 0\""
#define OSCILLATOR \
  "\"text\": \"model oscillator; coord x, y [m]; kinetic 1 [kg]*(x'^2 + y'^2)/2; " \
  "potential 2 [N/m]*x^2 + 2 [N/m]*y^2; start x = 1; start y' = 1\""
#define EDGE \
  "\"text\": \"model edge; param m = 1 [kg], J = 1 [kg m^2]; coord x, y [m], theta [rad]; " \
  "kinetic m*(x'^2 + y'^2)/2 + J*theta'^2/2; constraint blade: sin(theta)*x' - cos(theta)*y' = 0; start x' = 1\""
#define ROBOT \
  "\"name\": \"arm.urdf\", \"text\": \"<robot name='arm'><link name='base'/><link name='upper'><inertial>" \
  "<mass value='3'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>" \
  "<joint name='elbow' type='continuous'><parent link='base'/><child link='upper'/><axis xyz='1 0 0'/></joint>" \
  "</robot>\""

/* The value at a path of keys and indices, as points/0/stability; #k is for entry k of a matrix. */
static const PfValue *value_at(const PfReport *report, const char *path)
{
  const PfValue *value = pf_report_values(report);
  while (value && *path && *path != '#') {
    char key[80];
    size_t length = strcspn(path, "/#");
    assert_true(length < sizeof key);
    memcpy(key, path, length);
    key[length] = 0;
    value = *key >= '0' && *key <= '9' ? pf_value_item(value, atoi(key)) : pf_value_member(value, key);
    path += length + (path[length] == '/');
  }
  return value;
}

typedef struct Case {
  const char *json;    /* the request */
  const char *path;    /* of the value; NULL: the task writes a file */
  double number;       /* that it has; a count for lists; the least size of the file */
  double tolerance;
  const char *text;    /* in place of the number */
} Case;

static const Case cases[] = {
  {"{\"task\": \"check\", " EDGE "}", "degrees_of_freedom", 2, 0, NULL},
  /* a'' = -g/l sin(a) */
    {"{\"task\": \"eval\", " PENDULUM "}", "acceleration", -98.1*0.479425538604203, 1e-13, NULL},
  {"{\"task\": \"eval\", \"state\": {\"a\": \"90 [deg]\", \"a'\": 3}, " PENDULUM "}", "energy/kinetic", 0.09, 1e-15,
   NULL},
  {"{\"task\": \"compare\", " EDGE "}", "rows/0/unknowns", 4, 0, NULL},
  {"{\"task\": \"compare\", " EDGE "}", "rows/2/max_difference", 0, 1e-14, NULL},
  /* rk4 has order 4, by two successive halves of the step */
    {"{\"task\": \"converge\", \"settings\": {\"by\": \"rk4\", \"for\": 1}, " OSCILLATOR "}",
   "methods/0/levels/1/order", 4, 0.1, NULL},
  {"{\"task\": \"equilibria\", " PENDULUM "}", "points", 2, 0, NULL},
  {"{\"task\": \"equilibria\", " PENDULUM "}", "points/0/eigenvalues#1", 9.904544411531506, 1e-12, NULL},
  {"{\"task\": \"steady\", " EDGE "}", "points/0/family", 2, 0, NULL},
  /* the pendulum upright and hanging, at all values of gravity */
    {"{\"task\": \"continue\", \"files\": [\"g=5..10\"], " PENDULUM "}", "branches", 2, 0, NULL},
  /* 4 sqrt(l/g) K(sin(0.25)), K by the arithmetic-geometric mean of 1 and cos(0.25) */
    {"{\"task\": \"portrait\", \"settings\": {\"show\": \"a,a'\", \"for\": 1, \"starts\": 1}, " PENDULUM "}",
   "curves/0/period", 0.6444304182, 1e-7, NULL},
  /* x = cos 2t, y = sin(2t)/2: x' passes 0 upwards at t = pi/2 and so on, where x = -1 */
    {"{\"task\": \"poincare\", \"settings\": {\"section\": \"x'=0\", \"show\": \"x,y\", \"for\": 10}, " OSCILLATOR "}",
     "a", -1, 1e-7, NULL},
  {"{\"task\": \"integrability\", " EDGE "}", "generic/growth_vector/1", 3, 0, NULL},
  {"{\"task\": \"integrability\", " EDGE "}", "holonomic", 0, 0, NULL},
  {"{\"task\": \"invariants\", " EDGE "}", "invariants/1/value", 0, 0, "J*theta'"},
  {"{\"task\": \"import\", " ROBOT "}", "text", 0, 0, "turn elbow about x"},
  {"{\"task\": \"export\", \"settings\": {\"to\": \"python\", \"out\": \"-\"}, " PENDULUM "}", NULL, 1000, 0, NULL},
  {"{\"task\": \"draw\", \"settings\": {\"out\": \"-\"}, " EDGE "}", NULL, 1000, 0, NULL},
};

static bool take_file(void *user, const char *path, const char *bytes, size_t count)
{
  *(size_t *)user += count;
  return path && bytes;
}

static double number_of(const PfValue *value, const char *path)
{
  int entry = strchr(path, '#') ? atoi(strchr(path, '#') + 1) : 0;
  int rows, columns;
  const double *numbers;
  switch (pf_value_type(value)) {
  case PF_TYPE_NUMBERS:
    numbers = pf_value_numbers(value, &rows, &columns);
    return entry < rows*abs(columns) ? numbers[entry] : NAN;
  case PF_TYPE_NUMBER: return pf_value_number(value);
  case PF_TYPE_INTEGER: return (double)pf_value_integer(value);
  default: return pf_value_count(value);
  }
}

static void reports_have_known_values(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    const Case *c = cases + i;
    PfContext *ctx = pf_context_new(NULL);
    PfRequest *request;
    PfReport *report;
    size_t bytes = 0;
    if (pf_request_read(ctx, c->json, strlen(c->json), &request) != PF_OK)
      fail_msg("%s: %s", c->json, pf_context_message(ctx));
    PfStatus status = pf_task_run(NULL, request, &(PfObserver){.user = &bytes, .file = take_file}, &report);
    if (status != PF_OK) fail_msg("%s: %s", c->json, pf_context_message(pf_report_context(report)));
    if (!c->path && (double)bytes < c->number) fail_msg("%s: a file of %zu bytes", c->json, bytes);
    const PfValue *value = value_at(report, c->path ? c->path : "");
    if (!value && c->path) fail_msg("%s: no %s in %s", c->json, c->path, pf_report_json(report));
    if (c->text && !strstr(pf_value_string(value), c->text))
      fail_msg("%s: %s is %s, not %s", c->json, c->path, pf_value_string(value), c->text);
    if (c->path && !c->text && !(fabs(number_of(value, c->path) - c->number) <= c->tolerance))
      fail_msg("%s: %s is %.17g, not %.17g", c->json, c->path, number_of(value, c->path), c->number);
    pf_report_free(report);
    pf_request_free(request);
    pf_context_free(ctx);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(reports_have_known_values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
