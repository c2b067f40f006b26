/* SPDX-License-Identifier: Apache-2.0 */
/* robot.h */
#include "export/c_impl.h"

#include <string.h>

/* ---------------------------------------------------------------- names */

/* What a name has besides its identifier. */
static void put_remark(const PfCText *c, const PfNamed *named)
{
  bool other = strcmp(named->name, named->id) != 0, unit = named->measure.unit[0] != 0;
  if (!other && !unit) return;
  pf_text_add(c->text, " /* ");
  if (other) pf_put_comment(c->text, named->name);
  if (other && unit) pf_text_add(c->text, ", ");
  if (unit) {
    pf_text_add(c->text, "[");
    pf_put_comment(c->text, named->measure.unit);
    pf_text_add(c->text, "]");
    if (named->measure.scale != 1) {
      pf_text_add(c->text, " in the model, here SI: one is ");
      pf_text_number(c->text, named->measure.scale);
    }
  }
  pf_text_add(c->text, " */");
}

static void put_struct(const PfCText *c, const char *kind, const char *about, const PfNamedList *list)
{
  pf_text_print(c->text, "/* %s */\n", about);
  pf_text_print(c->text, "typedef struct %s_%s {\n", c->x->prefix, kind);
  for (int i = 0; i < list->count; i++) {
    pf_text_print(c->text, "  %s_real %s;", c->x->prefix, list->at[i].id);
    put_remark(c, list->at + i);
    pf_text_add(c->text, "\n");
  }
  if (!list->count) pf_text_add(c->text, "  char none; /* C has no empty structs */\n");
  pf_text_print(c->text, "} %s_%s;\n\n", c->x->prefix, kind);
}

static void put_places(const PfCText *c, const char *kind, const char *about, const PfNamedList *list)
{
  if (!list->count) return;
  pf_text_print(c->text, "/* %s */\nenum {\n", about);
  for (int i = 0; i < list->count; i++) {
    pf_text_print(c->text, "  %s_%s_%s = %d%s", c->x->upper, kind, list->at[i].id, i, i + 1 < list->count ? "," : "");
    put_remark(c, list->at + i);
    pf_text_add(c->text, "\n");
  }
  pf_text_add(c->text, "};\n\n");
}

static void put_size(const PfCText *c, const char *name, int size, const char *about)
{
  pf_text_print(c->text, "  %s_%s = %d,", c->x->upper, name, size);
  if (about) pf_text_print(c->text, " /* %s */", about);
  pf_text_add(c->text, "\n");
}

static void put_sizes(const PfCText *c)
{
  const PfExport *x = c->x;
  int n = x->n, nu = x->inputs.count, np = x->parameters.count;
  pf_text_add(c->text, "/* Sizes. */\nenum {\n");
  put_size(c, "N", n, "coordinates");
  put_size(c, "M", x->m, "constraints");
  put_size(c, "PARAMS", np, "parameters");
  put_size(c, "INPUTS", nu, "inputs");
  put_size(c, "OUTPUTS", x->outputs.count, "outputs");
  put_size(c, "FRAMES", x->frames.count, "bodies, then other frames with a name");
  put_size(c, "CONTACTS", x->contacts.count, "rolling and sliding contacts");
  put_size(c, "SURFACES", x->surface_count, "of switching");
  put_size(c, "COLUMNS", pf_export_columns(x), "of derivatives: by q, v, u, p, t");
  put_size(c, "BY_Q", 0, "where each begins");
  put_size(c, "BY_V", n, NULL);
  put_size(c, "BY_U", 2*n, NULL);
  put_size(c, "BY_P", 2*n + nu, NULL);
  pf_text_print(c->text, "  %s_BY_T = %d\n};\n\n", x->upper, 2*n + nu + np);
}

/* ---------------------------------------------------------------- functions */

static const struct {
  PfExportKind kind;
  const char *about;
} straight[] = {
  {PF_EXPORT_MATRICES, "M (N x N), F (N), A (M x N), b (M) of M a = F + A^T lambda, A a = b."},
  {PF_EXPORT_CONSTRAINTS, "What must vanish, of positions and of velocities (M each); 0 where a constraint has no "
                          "such level."},
  {PF_EXPORT_ENERGY, "Kinetic and potential energy."},
  {PF_EXPORT_POSES, "Positions (FRAMES x 3) and rotation matrices (FRAMES x 9) of all frames, in the axes of the "
                    "ground."},
  {PF_EXPORT_CONTACTS, "Where contacts touch, and the forces there on the bodies (CONTACTS x 3 each), in the axes of "
                       "the\n * ground. Along a direction in which the placement leaves no motion (the height of an "
                       "upright wheel) there is no\n"
                       " * constraint, and the force is 0 there."},
  {PF_EXPORT_OUTPUTS, "What the model plots."},
  {PF_EXPORT_SURFACES, "What changes its sign where forces switch (SURFACES): sign, abs, min, max and comparisons."},
  {PF_EXPORT_RESIDUAL, "Inverse dynamics: tau (N) = M a - F - A^T lambda, the generalised forces besides those of "
                       "the model that\n"
   " * make the accelerations a; with lambda = 0 those that do so without the constraints."}};

static void put_straight(const PfCText *c, PfExportKind kind, const char *about)
{
  const PfExportFunction *f = pf_export_function(c->x, kind);
  if (!f) return;
  pf_text_print(c->text, "/* %s */\nvoid ", about);
  pf_c_put_function_name(c, f);
  pf_text_add(c->text, "(");
  pf_c_put_arguments(c, f, PF_C_DECLARED);
  pf_text_add(c->text, ");\n\n");
}

static const char beginning[] =
"/* Parameters, a consistent start, and inputs that are zero: those of the model. */\n"
"void @_init(@_params *p, @_state *x, @_input *u);\n\n"
"/* Accelerations a (N) and multipliers lambda (M). */\n"
"@_status @_accelerate(const @_params *p, const @_state *x, const @_input *u, @_real *a, @_real *lambda);\n\n"
"/* One step of the method of Runge and Kutta of order 4, with the inputs held, then @_project. On failure the\n"
" * state is not to be used. */\n"
"@_status @_step(const @_params *p, @_state *x, const @_input *u, @_real h);\n\n"
"/* Moves the state onto the constraints, by the smallest changes of q and then of v in the metric of M. */\n"
"@_status @_project(const @_params *p, @_state *x, const @_input *u);\n\n";

static const char rows[] =
"/* Rows of A: `count` independent ones, then those that follow from them; -1: not chosen yet. */\n"
"typedef struct @_rows {\n"
"  int count, row[$_M];\n"
"} @_rows;\n\n";

static const char by_rows[] =
"/* For integrators of your own, where constraints follow from others: they do so where all of them hold, and inside\n"
" * a step that is not quite so. Rows are chosen at a state on the constraints, and serve until the next one; those\n"
" * of before, if there are any, stay as long as they are good enough. */\n"
"@_status @_choose(const @_params *p, const @_state *x, const @_input *u, @_rows *rows);\n"
"@_status @_accelerate_by(const @_params *p, const @_state *x, const @_input *u, const @_rows *rows, @_real *a,\n"
"                         @_real *lambda);\n\n";

static const char derived[] =
"/* Exact derivatives of accelerations and multipliers, D ((N + M) x COLUMNS), by q, v, inputs, parameters and time; "
"a and\n"
" * lambda as @_accelerate gives them. Those by a parameter may not exist (x^n by n for x < 0): NaN in its column. */\n"
"@_status @_derivatives(const @_params *p, const @_state *x, const @_input *u, const @_real *a, const @_real *lambda,\n"
"                       @_real *D);\n\n";

static const char linear[] =
"/* The linear model z' = A z + B u, y = C z + E u of the full state z = (q, v), all as deviations: A (2N x 2N),\n"
" * B (2N x INPUTS), C (OUTPUTS x 2N), E (OUTPUTS x INPUTS), from D of @_derivatives. Motions off the constraints are\n"
" * among its modes. */\n"
"void @_linear(const @_params *p, const @_state *x, const @_input *u, const @_real *a, const @_real *lambda,\n"
"              const @_real *D, @_real *A, @_real *B, @_real *C, @_real *E);\n\n";

static const char jacobian[] =
"/* J (6 x N) of a point that is fixed in a frame and given in its axes: its velocity is the first three rows times "
"v, the\n"
" * angular velocity of the frame the last three, but for motion by time alone; in the axes of the ground. */\n"
"@_status @_jacobian(const @_params *p, const @_state *x, const @_input *u, int frame, const @_real *point,\n"
"                    @_real *J);\n\n";

static const char actuate[] =
"/* Inverse dynamics by the inputs: from u on, by the shortest changes, those for which the accelerations are a, as "
"far as\n"
" * they can be made so; `missed` is the length of what is left of them. Where it matters for the accelerations only\n"
" * slowly, as for k*u^2 near u = 0, begin with another u. */\n"
"@_status @_actuate(const @_params *p, const @_state *x, const @_real *a, @_input *u, @_real *missed);\n\n";

static void put_functions(const PfCText *c)
{
  pf_text_add(c->text, "/* Matrices and lists of vectors are arrays, row by row. What a function writes must not "
                       "overlap what it\n"
                       " * reads. Nothing is allocated or kept: threads may call any of them at the same time. */\n\n");
  pf_c_put(c, beginning);
  pf_c_put(c, pf_export_keeps_rows(c->x) ? by_rows : "");
  for (size_t i = 0; i < sizeof straight/sizeof *straight; i++) put_straight(c, straight[i].kind, straight[i].about);
  if (pf_export_function(c->x, PF_EXPORT_SLOPES)) pf_c_put(c, derived);
  if (pf_export_function(c->x, PF_EXPORT_OUTPUT_SLOPES)) pf_c_put(c, linear);
  if (c->x->frames.count) pf_c_put(c, jacobian);
  if (pf_export_function(c->x, PF_EXPORT_INPUT_SLOPES)) pf_c_put(c, actuate);
}

/* ---------------------------------------------------------------- the file */

static void put_title(const PfCText *c)
{
  pf_text_add(c->text, "/* ");
  pf_put_comment(c->text, c->x->title);
  pf_text_print(c->text, ". Made by pfaff %s; accelerations by %s. All numbers are in SI units, angles in radians. "
                         "*/\n",
                pf_version(), c->x->form);
}

static const char state[] =
"typedef struct @_state {\n"
"  double time;\n"
"  @_real q[$_N], v[$_N]; /* coordinates and their rates */\n"
"} @_state;\n\n"
"typedef struct @_energy {\n"
"  @_real kinetic, potential;\n"
"} @_energy;\n\n"
"typedef enum @_status {\n"
"  $_OK = 0,\n"
"  $_SINGULAR,       /* constraints and inertia do not determine the accelerations here, or a pivot vanishes */\n"
"  $_NOT_FINITE,     /* a number is not finite */\n"
"  $_NO_CONVERGENCE, /* an iteration did not end: forces by multipliers, or a state far off the constraints */\n"
"  $_NO_SUCH_FRAME,\n"
"  $_CONTRADICTION   /* constraints that follow from others contradict them here */\n"
"} @_status;\n\n";

void pf_c_put_header(const PfCText *c)
{
  const PfExport *x = c->x;
  put_title(c);
  pf_c_put(c, "#ifndef PFAFF_EXPORT_$_H\n#define PFAFF_EXPORT_$_H\n\n"
              "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  pf_text_print(c->text, "typedef %s %s_real;\n\n", c->real == PF_REAL_FLOAT ? "float" : "double", x->prefix);
  put_sizes(c);
  put_places(c, "Q", "Places of coordinates in q, v and a.", &x->coordinates);
  put_places(c, "P", "Places of parameters among the columns behind BY_P.", &x->parameters);
  put_places(c, "U", "Places of inputs among the columns behind BY_U.", &x->inputs);
  put_places(c, "L", "Places of constraints in lambda.", &x->constraints);
  put_places(c, "FRAME", "Frames.", &x->frames);
  put_places(c, "CONTACT", "Contacts.", &x->contacts);
  put_struct(c, "params", "Parameters.", &x->parameters);
  put_struct(c, "input", "Inputs: those of the model that are no functions of time.", &x->inputs);
  put_struct(c, "output", "Outputs: what the model plots.", &x->outputs);
  pf_c_put(c, state);
  pf_c_put(c, x->m ? rows : "");
  put_functions(c);
  pf_text_add(c->text, "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
