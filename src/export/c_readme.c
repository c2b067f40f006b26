/* SPDX-License-Identifier: Apache-2.0 */
/* README.md and Makefile beside the exported C. */
#include "export/c_impl.h"

static const char makefile[] =
"# Made by pfaff.\n"
"# make test    compiles and runs the self-test\n"
"# make size    code size and stack use of each function on a microcontroller\n"
"CC = cc\n"
"CFLAGS = -std=c99 -O2 -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -pedantic\n"
"ARM = arm-none-eabi-\n";

static const char fast_rules[] =
"\n"
"fast: @_fast.o\n"
"\n"
"@_fast.o: @_fast.c @_fast.h @.h\n"
"\t$(CC) $(CFLAGS) -Wno-psabi -march=native -c @_fast.c -o $@\n";

static const char rules[] =
"\n"
"all: @.o\n"
"\n"
"@.o: @.c @.h\n"
"\t$(CC) $(CFLAGS) -c @.c -o $@\n"
"\n"
"@_test: @_test.c @.o\n"
"\t$(CC) $(CFLAGS) @_test.c @.o -lm -o $@\n"
"\n"
"test: @_test\n"
"\t./@_test\n"
"\n"
"size: @.c @.h\n"
"\t$(ARM)gcc $(ARMFLAGS) -std=c99 -Os -ffunction-sections -fstack-usage -c @.c -o @_arm.o\n"
"\t$(ARM)size @_arm.o\n"
"\t@sort -t '\t' -k 2 -n -r @_arm.su | cut -f 1,2\n"
"\n"
"clean:\n"
"\trm -f @.o @_fast.o @_test @_arm.o @_arm.su\n"
"\n"
".PHONY: all fast test size clean\n";

/* Here '@' before sort and behind '$' is make's own. */
static void put_rules(const PfCText *c, const char *text)
{
  for (const char *at = text; *at; at++) {
    bool own = *at == '@' && at > text && at[-1] != '$' && !(at[-1] == '\t' && at[1] == 's' && at[2] == 'o');
    if (own) pf_text_add(c->text, c->x->prefix);
    else pf_text_put(c->text, at, 1);
  }
}

void pf_c_put_makefile(const PfCText *c)
{
  pf_text_add(c->text, makefile);
  pf_text_add(c->text, c->real == PF_REAL_FLOAT
                           ? "ARMFLAGS = -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard\n"
                           : "ARMFLAGS = -mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard\n");
  put_rules(c, rules);
  if (pf_c_has_fast(c)) put_rules(c, fast_rules);
}

static const char files[] =
"| file | |\n|---|---|\n"
"| `@.h` | types and functions, each with its comment |\n"
"| `@.c` | all of the code; needs the C library's `<math.h>` and nothing else |\n"
"| `@_test.c` | `make test` compares with numbers that pfaff has computed at a few states |\n"
"| `Makefile` | `make`, `make test`, `make size` |\n";

static const char fast_files[] =
"| `@_fast.h`, `@_fast.c` | accelerations of one state or of eight at once, for gcc and clang on processors with "
"vectors: what depends on parameters alone is worked out by `@_prepare`; `make fast` |\n";

static const char use[] =
"\n"
"Nothing is allocated, there is no global state, no recursion, and every loop has a bound that is known when it is\n"
"compiled (those of iterations: 40 for projections, 30 for inputs, 60 for friction). Functions that can fail return a "
"status: 0 is "
"fine.\n"
"All numbers are in SI units, angles in radians. Compile without `-ffast-math`.\n\n"
"    @_params p;\n"
"    @_state x;\n"
"    @_input u;\n"
"    @_init(&p, &x, &u);                       /* parameters and a consistent start */\n"
"    if (@_step(&p, &x, &u, ~1e-3~1e-3~) != $_OK) …   /* one step of a millisecond */\n\n"
"| function | gives |\n|---|---|\n"
"| `@_init` | parameters, a start that satisfies the constraints, inputs that are zero |\n"
"| `@_accelerate` | accelerations and multipliers |\n"
"| `@_step`, `@_project` | one step of Runge and Kutta's method of order 4; the state back on the constraints |\n"
"| `@_matrices` | M, F, A, b |\n"
"| `@_energies`, `@_outputs` | energies; what the model plots |\n"
"| `@_derivatives`, `@_linear` | exact derivatives by state, inputs, parameters and time; the linear model of the "
"full state |\n"
"| `@_inverse` | inverse dynamics: the generalised forces for given accelerations |\n";

static void put_parts(const PfCText *c)
{
  const PfExport *x = c->x;
  if (x->m) pf_c_put(c, "| `@_violations` | what must vanish, of positions and of velocities |\n");
  if (x->inputs.count) pf_c_put(c, "| `@_actuate` | the inputs for given accelerations |\n");
  if (x->frames.count)
    pf_c_put(c, "| `@_poses`, `@_jacobian` | poses of bodies and frames; Jacobians of their points |\n");
  if (x->contacts.count) pf_c_put(c, "| `@_contacts` | points and forces of contacts |\n");
  if (x->surface_count) pf_c_put(c, "| `@_surfaces` | what changes its sign where forces switch |\n");
}

static void put_form(const PfCText *c)
{
  const PfExport *x = c->x;
  pf_text_print(c->text, "\nAccelerations are found by **%s**: ", x->form);
  if (pf_export_function(x, PF_EXPORT_FLOW))
    pf_c_put(c, "straight-line code. Where a pivot becomes small beside what it was, `@_accelerate` says `$_SINGULAR`: "
                "export with `--form multipliers` when that is a state to be passed.\n");
  else if (x->by_null_space)
    pf_text_add(c->text, "along an orthonormal basis of the null space of A. Redundant constraints and masses that are "
                         "zero are fine as long as the accelerations are determined.\n");
  else if (x->m)
    pf_text_add(c->text, "the matrices by straight-line code, then A M^-1 A^T in loops. Where masses or constraints "
                         "are "
                         "singular the null space of A is used: redundant constraints and masses that are zero are "
                         "fine "
                         "as long as the accelerations are determined; multipliers are then the shortest.\n");
  else pf_text_add(c->text, "the mass matrix by straight-line code, then its factors in loops.\n");
}

static void put_event(const PfCText *c, const PfEvent *event)
{
  pf_text_add(c->text, "- when ");
  pf_put_markdown(c->text, event->text);
  pf_text_add(c->text, "{ ");
  for (int k = 0; k < event->action_count; k++) {
    pf_text_add(c->text, k ? "; " : "");
    pf_put_markdown(c->text, event->actions[k].text);
  }
  pf_text_add(c->text, " }\n");
}

/* What the model says and the export does not do. */
static void put_limits(const PfCText *c)
{
  const PfExport *x = c->x;
  const PfModel *model = x->model;
  if (model->event_count) {
    pf_text_add(c->text, "\n## Events\n\nEvents of the model are left to the caller; the code is the model as it is "
                         "at the "
                         "start:\n\n");
    for (int i = 0; i < model->event_count; i++) put_event(c, model->events + i);
  }
  if (model->run.until)
    pf_text_add(c->text, "\nThe condition that ends a run of the model is left to the caller.\n");
  if (x->surface_count)
    pf_c_put(c, "\n## Switching forces\n\nForces switch where `@_surfaces` changes its sign. Signs are taken from "
                "the state: "
                "a body that dry friction holds at rest trembles around rest by one step, it does not stick. "
                "Derivatives "
                "are those of the side on which the state is.\n");
  if (x->friction)
    pf_text_add(c->text, "\n## Friction\n\nForces that depend on constraint forces are found by Newton's method from "
                         "no "
                         "force on. Where Coulomb's law has several solutions one of them is taken.\n");
  if (x->left_out)
    pf_text_print(c->text, "\n%d quantit%s that the model plots belong%s to a run and %s left out: the largest "
                           "violations.\n",
                  x->left_out, x->left_out == 1 ? "y" : "ies", x->left_out == 1 ? "s" : "",
                  x->left_out == 1 ? "is" : "are");
}

static void put_names(const PfCText *c, const char *title, const PfNamedList *list)
{
  if (!list->count) return;
  pf_text_print(c->text, "\n## %s\n\n| in the model | here | unit in the model |\n|---|---|---|\n", title);
  for (int i = 0; i < list->count; i++) {
    pf_text_add(c->text, "| ");
    pf_put_markdown(c->text, list->at[i].name);
    pf_text_print(c->text, " | `%s` | ", list->at[i].id);
    pf_put_markdown(c->text, list->at[i].measure.unit);
    pf_text_add(c->text, " |\n");
  }
}

void pf_c_put_readme(const PfCText *c)
{
  const PfExport *x = c->x;
  pf_text_add(c->text, "# ");
  pf_put_markdown(c->text, x->title);
  pf_text_print(c->text, "\n\nC99 for a microcontroller or a simulator, made by pfaff %s: %d coordinates, %d "
                         "constraints, numbers "
                "are `%s`.\n\n", pf_version(), x->n, x->m, c->real == PF_REAL_FLOAT ? "float" : "double");
  pf_c_put(c, files);
  if (pf_c_has_fast(c)) pf_c_put(c, fast_files);
  pf_c_put(c, use);
  put_parts(c);
  put_form(c);
  put_limits(c);
  put_names(c, "Parameters", &x->parameters);
  put_names(c, "Coordinates", &x->coordinates);
  put_names(c, "Inputs", &x->inputs);
  put_names(c, "Outputs", &x->outputs);
  put_names(c, "Constraints", &x->constraints);
  put_names(c, "Bodies and frames", &x->frames);
  put_names(c, "Contacts", &x->contacts);
}
