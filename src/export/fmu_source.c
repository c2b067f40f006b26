/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of an FMU: the C of the model, what is the model's own in the interface, and the interface. */
#include "export/fmu_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- texts that are the same for every model */

static bool is_part(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* The texts are C of a model that is called 'model': its names get the identifier of this one. */
static void put_line(PfText *text, const PfExport *x, const char *line)
{
  for (const char *at = line; *at; at++) {
    bool begins = at == line || !is_part(at[-1]);
    if (begins && !strncmp(at, "model_", 6)) pf_text_print(text, "%s_", x->prefix), at += 5;
    else if (begins && !strncmp(at, "MODEL_", 6)) pf_text_print(text, "%s_", x->upper), at += 5;
    else pf_text_put(text, at, 1);
  }
}

static void add_text(PfFmu *f, const char *name, const char *const *lines)
{
  PfText *text = pf_export_add_file(f->x, &f->files, name, "");
  for (; *lines; lines++) put_line(text, f->x, *lines);
}

/* ---------------------------------------------------------------- straight-line functions */

typedef struct Straight {
  const PfFmu *f;
  const int *place;
} Straight;

static void put_input(PfText *text, const void *user, int input)
{
  const PfExport *x = ((const Straight *)user)->f->x;
  if (input < x->symbol_count) pf_c_put_symbol(text, x, input);
  else pf_text_print(text, "seed[%d]", input - x->symbol_count);
}

static void put_output(PfText *text, const void *user, int output)
{
  pf_text_print(text, "out[%d]", ((const Straight *)user)->place[output]);
}

static const char declared[] = "const @_params *p, const @_state *x, const @_input *u, const double *a, "
                               "const double *lambda, double *out";

static const char along[] = "const @_params *p, const @_state *x, const @_input *u, const double *a, "
                            "const double *lambda, const double *seed, double *out";
static const char with_rates[] = "const @_params *p, const @_state *x, const @_input *u, const double *a, double *out";

typedef struct Function {
  const char *name, *takes, *hands;
  const PfExpr *symbols;
  int symbol_count, size; /* elements of out */
} Function;

/* Elements that are not listed are zero. */
typedef struct List {
  PfExpr *roots;
  int *place, count;
} List;

static PfStatus write_program(const PfCText *c, const PfTape *tape, const PfCodeStyle *style)
{
  PfProgram program;
  PF_TRY(pf_tape_program(c->x->ctx, c->x->arena, tape, &program));
  PF_TRY(pf_code_write(c->x->ctx, &program, style, c->text));
  pf_text_add(c->text, "\n");
  return PF_OK;
}

static PfStatus put_code(const PfCText *c, const PfFmu *f, const Function *function, const List *list)
{
  PfText parameters, full;
  PfTape *tape;
  Straight straight = {f, list->place};
  pf_text_init(&parameters, pf_context_allocator(f->ctx));
  pf_text_init(&full, pf_context_allocator(f->ctx));
  pf_c_put(&(PfCText){c->x, c->real, &parameters}, function->takes);
  pf_text_print(&full, "%s_fmu_%s_code", c->x->prefix, function->name);
  PfCodeStyle style = {.dialect = PF_CODE_C, .real = "double", .name = pf_text_get(&full), .qualifiers = "static ",
                       .parameters = pf_text_get(&parameters), .arguments = function->hands,
                       .put_input = put_input, .put_output = put_output, .user = &straight};
  PfStatus status = parameters.failed || full.failed ? pf_no_room(f->ctx, "the FMU") : PF_OK;
  if (status == PF_OK)
    status = pf_tape_new(f->ctx, function->symbols, function->symbol_count, list->roots, list->count, &tape);
  if (status == PF_OK) {
    status = write_program(c, tape, &style);
    pf_tape_free(tape);
  }
  pf_text_free(&parameters);
  pf_text_free(&full);
  return status;
}

/* "p, x, u" are used where there is no code. */
static void put_unused(const PfCText *c, const char *hands)
{
  pf_text_add(c->text, "  ");
  for (const char *at = hands; *at; at += strspn(at, ", ")) {
    size_t length = strcspn(at, ",");
    pf_text_print(c->text, "(void)%.*s%s", (int)length, at, at[length] ? ", " : ";\n");
    at += length;
  }
}

/* void robot_fmu_shown(…) */
static PfStatus put_function(const PfCText *c, const PfFmu *f, const Function *function, const List *list)
{
  if (list->count) PF_TRY(put_code(c, f, function, list));
  pf_c_put(c, "void @_fmu_");
  pf_text_print(c->text, "%s(", function->name);
  pf_c_put(c, function->takes);
  pf_text_add(c->text, ")\n{\n");
  if (list->count < function->size)
    pf_text_print(c->text, "  int i;\n  for (i = 0; i < %d; i++) out[i] = 0;\n", function->size);
  if (!list->count) put_unused(c, function->hands);
  if (list->count)
    pf_c_put(c, "  @_fmu_"), pf_text_print(c->text, "%s_code(%s);\n", function->name, function->hands);
  pf_text_add(c->text, "}\n\n");
  return PF_OK;
}

/* Of the symbols of the export. */
static PfStatus put_plain(const PfCText *c, const PfFmu *f, const char *name, const char *takes, const List *list,
                          int size)
{
  const char *hands = takes == with_rates ? "p, x, u, a, out" : "p, x, u, a, lambda, out";
  return put_function(c, f, &(Function){name, takes, hands, f->x->symbols, f->x->symbol_count, size}, list);
}

/* ---------------------------------------------------------------- what the model has */

static PfStatus make_list(const PfFmu *f, int room, List *list)
{
  list->roots = pf_arena_array(f->arena, PfExpr, room + 1);
  list->place = pf_arena_array(f->arena, int, room + 1);
  list->count = 0;
  return list->roots && list->place ? PF_OK : pf_no_room(f->ctx, "the FMU");
}

static void add(const PfFmu *f, List *list, int place, PfExpr e)
{
  if (pf_expr_is_structural_zero(f->ctx, e)) return;
  list->roots[list->count] = e;
  list->place[list->count++] = place;
}

static PfStatus put_shown(const PfCText *c, const PfFmu *f)
{
  List list;
  PF_TRY(make_list(f, f->shown_count, &list));
  for (int i = 0; i < f->shown_count; i++) add(f, &list, i, f->variables[f->at_shown + i].value);
  return put_plain(c, f, "shown", declared, &list, f->shown_count);
}

/* Derivatives along a direction, whose components are further symbols: a sweep costs a few times what is derived,
 * however many directions there are. Sides, flags and what was captured stay as they are. */
static PfStatus make_seeds(const PfFmu *f, PfExpr **symbols, PfExpr **seeds)
{
  const PfExport *x = f->x;
  PfExpr *all = *symbols = pf_arena_array(f->arena, PfExpr, 2*x->symbol_count);
  PfExpr *seed = *seeds = pf_arena_array(f->arena, PfExpr, x->symbol_count);
  char name[40];
  if (!all || !seed) return pf_no_room(f->ctx, "the FMU");
  memcpy(all, x->symbols, (size_t)x->symbol_count*sizeof *all);
  for (int i = 0; i < x->symbol_count; i++) {
    bool stays = i >= x->at_inputs + f->input_count && i < x->at_q;
    snprintf(name, sizeof name, "seed of %d", i + 1); /* with a blank: nobody else has such a name */
    all[x->symbol_count + i] = pf_expr_symbol(f->ctx, name);
    seed[i] = stays ? pf_expr_int(f->ctx, 0) : all[x->symbol_count + i];
  }
  return pf_expr_check(f->ctx);
}

static PfStatus put_along(const PfCText *c, const PfFmu *f, const char *name, PfExpr *roots, int count)
{
  const PfExport *x = f->x;
  PfExpr *symbols, *seeds;
  List list;
  PF_TRY(make_seeds(f, &symbols, &seeds));
  PF_TRY(make_list(f, count, &list));
  PF_TRY(pf_expr_derive_along(f->ctx, roots, count, symbols, seeds, x->symbol_count, roots));
  for (int i = 0; i < count; i++) add(f, &list, i, roots[i]);
  return put_function(c, f, &(Function){name, along, "p, x, u, a, lambda, seed, out", symbols, 2*x->symbol_count,
                                        count},
                      &list);
}

static PfStatus put_derivatives(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  PfExpr *r = pf_arena_array(f->arena, PfExpr, x->n + x->m);
  PfExpr *shown = pf_arena_array(f->arena, PfExpr, f->shown_count + 1);
  if (!r || !shown) return pf_no_room(f->ctx, "the FMU");
  PF_TRY(pf_export_residuals(x, r));
  PF_TRY(put_along(c, f, "residuals_along", r, x->n + x->m));
  for (int i = 0; i < f->shown_count; i++) shown[i] = f->variables[f->at_shown + i].value;
  return put_along(c, f, "shown_along", shown, f->shown_count);
}

static PfStatus put_surfaces(const PfCText *c, const PfFmu *f)
{
  int count = f->surface_count;
  List g, rates, seconds, sizes;
  PF_TRY(make_list(f, count, &g));
  PF_TRY(make_list(f, count, &rates));
  PF_TRY(make_list(f, count, &seconds));
  PF_TRY(make_list(f, 2*count, &sizes));
  for (int i = 0; i < count; i++) {
    const PfFmuSurface *s = f->surfaces + i;
    add(f, &g, i, s->g);
    add(f, &rates, i, s->rate);
    add(f, &seconds, i, s->second);
    add(f, &sizes, i, s->size);
    add(f, &sizes, count + i, s->slope);
  }
  PF_TRY(put_plain(c, f, "surfaces", declared, &g, count));
  PF_TRY(put_plain(c, f, "rates", with_rates, &rates, count));
  PF_TRY(put_plain(c, f, "seconds", with_rates, &seconds, count));
  return put_plain(c, f, "sizes", declared, &sizes, 2*count);
}

static void put_truth(PfText *text, const void *user, int input)
{
  const PfFmu *f = user;
  pf_text_print(text, "truth[%d]", f->side_count + input);
}

static void put_holds(PfText *text, const void *user, int output)
{
  (void)user;
  pf_text_print(text, "out[%d]", output);
}

/* The conditions by the truth of their comparisons. */
static PfStatus put_conditions(const PfCText *c, const PfFmu *f)
{
  PfTape *tape;
  PfText name;
  pf_text_init(&name, pf_context_allocator(f->ctx));
  pf_text_print(&name, "%s_fmu_conditions_code", f->x->prefix);
  PfCodeStyle style = {.dialect = PF_CODE_C, .real = "double", .name = pf_text_get(&name), .qualifiers = "static ",
                       .parameters = "const double *truth, double *out", .arguments = "truth, out",
                       .put_input = put_truth, .put_output = put_holds, .user = f};
  PfStatus status = pf_tape_new(f->ctx, f->truths + f->side_count, f->surface_count - f->side_count, f->conditions,
                                f->event_count + 1, &tape);
  if (status == PF_OK) {
    status = write_program(c, tape, &style);
    pf_tape_free(tape);
  }
  pf_text_free(&name);
  pf_c_put(c, "void @_fmu_conditions(const double *truth, double *out)\n{\n  (void)truth;\n"
              "  @_fmu_conditions_code(truth, out);\n}\n");
  return status;
}

/* ---------------------------------------------------------------- fmu_model.h, fmu_model.c */

static int at_least_one(int count)
{
  return count > 0 ? count : 1;
}

static void put_sizes(const PfCText *c, const PfFmu *f)
{
  static const PfStructure none = {0};
  const PfExport *x = f->x;
  const PfStructure *s = f->options->inputs->structure ? f->options->inputs->structure : &none;
  const struct {
    const char *name;
    int size;
  } sizes[] = {{"INPUTS", f->input_count}, {"SIDES", f->side_count}, {"FLAGS", s->flag_count}, {"HELD", s->held_count},
               {"CAPTURED", s->captured_count}, {"CAPTURED1", at_least_one(s->captured_count)},
               {"GOALS", f->goal_count}, {"GOALS1", at_least_one(f->goal_count)},
               {"START_ROWS1", at_least_one(x->m + f->goal_count)}, {"EVENTS", f->event_count},
               {"EVENTS1", at_least_one(f->event_count)}, {"SURFACES", f->surface_count},
               {"SURFACES1", at_least_one(f->surface_count)}, {"INDICATORS", f->indicator_count},
               {"M1", at_least_one(x->m)}, {"ROWS", x->n + x->m}, {"SHOWN1", at_least_one(f->shown_count)},
               {"SEEDS", x->symbol_count}, {"SEED_T", x->at_time}, {"SEED_U", x->at_inputs},
               {"SEED_Q", x->at_q}, {"SEED_V", x->at_v}, {"SEED_A", x->at_a},
               {"RESULTS", x->n + x->m + f->shown_count}, {"VARIABLES", f->variable_count}, {"AT_PARAMETER", 1},
               {"AT_INPUT", f->at_input}, {"AT_Q", f->at_q}, {"AT_V", f->at_v}, {"AT_A", f->at_a},
               {"AT_LAMBDA", f->at_lambda}, {"AT_SHOWN", f->at_shown}, {"AT_INDICATOR", f->at_indicator}};
  enum { SIZES = sizeof sizes/sizeof *sizes };
  pf_text_add(c->text, "enum {\n");
  for (int i = 0; i < SIZES; i++)
    pf_text_print(c->text, "  %s_FMU_%s = %d%s\n", x->upper, sizes[i].name, sizes[i].size, i + 1 < SIZES ? "," : "");
  pf_text_add(c->text, "};\n\n");
}

static const char header_end[] =
"/* Where parameters, inputs and the sides of surfaces are in their structs. */\n"
"extern const size_t @_fmu_parameter_at[], @_fmu_input_at[];\n"
"/* Of surfaces, the sides first, then comparisons of conditions: their instant is known; 'equal' and 'or equal'. */\n"
"extern const int @_fmu_timed[], @_fmu_equal[], @_fmu_or_equal[];\n"
"/* 0: the state has no say in it; 1: its rate depends on accelerations; 2: its second derivative does. */\n"
"extern const int @_fmu_degree[];\n\n"
"/* Starts of q and v by parameters; 0: not given by the model but solved for, 1: given, 2: never changed. */\n"
"extern const int @_fmu_given[];\n"
"void @_fmu_starts(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                  double *out);\n"
"/* Angular velocities and speeds that the model gives for its start: what is to be zero, its derivatives by v. */\n"
"extern const int @_fmu_goal_given[];\n"
"void @_fmu_goals(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                 double *out);\n"
"void @_fmu_goal_slopes(const @_params *p, const @_state *x, const @_input *u, const double *a,\n"
"                       const double *lambda, double *out);\n"
"/* Outputs, energies, what is made of parameters. */\n"
"void @_fmu_shown(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                 double *out);\n"
"/* Derivatives along a direction of parameters, time, inputs, q, v, a, lambda: of M a - F - A^T lambda and A a - b;\n"
" * of what is shown. */\n"
"void @_fmu_residuals_along(const @_params *p, const @_state *x, const @_input *u, const double *a,\n"
"                           const double *lambda, const double *seed, double *out);\n"
"void @_fmu_shown_along(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                       const double *seed, double *out);\n"
"/* Surfaces; rates; second derivatives of those of degree 2; sums of |dg/dy y| and of |dg/dy| over the state y. */\n"
"void @_fmu_surfaces(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                    double *out);\n"
"void @_fmu_rates(const @_params *p, const @_state *x, const @_input *u, const double *a, double *out);\n"
"void @_fmu_seconds(const @_params *p, const @_state *x, const @_input *u, const double *a, double *out);\n"
"void @_fmu_sizes(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                 double *out);\n"
"/* At which the motion ends, then the conditions of the events: more than 1/2 where they hold. */\n"
"void @_fmu_conditions(const double *truth, double *out);\n"
"/* Events: the flag that holds each coordinate, -1: it is always free; what an event makes of each flag, -1: it\n"
" * stays; the event that captures each number; these numbers; impulses on the coordinates, event by event. */\n"
"extern const int @_fmu_flag_of[], @_fmu_effect[], @_fmu_captured_by[];\n"
"void @_fmu_captured(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                    double *out);\n"
"void @_fmu_impulses(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                    double *out);\n"
"void @_fmu_violations(const @_params *p, const @_state *x, const @_input *u, double *position, double *velocity);\n\n"
"#endif\n";

/* Where all constraints are independent, or a pivot tells. */
static const char no_choice[] =
"#define @_choose(p, x, u, rows) ((void)(rows), $_OK)\n"
"#define @_accelerate_by(p, x, u, rows, a, lambda) ((void)(rows), @_accelerate(p, x, u, a, lambda))\n\n";
static const char no_rows[] =
"typedef int @_rows;\n\n";

static void put_header(const PfCText *c, const PfFmu *f)
{
  pf_c_put(c, "/* Made by pfaff: the numbers of the model as an FMU. */\n#ifndef $_FMU_MODEL_H\n"
              "#define $_FMU_MODEL_H\n\n"
              "#include \"@.h\"\n\n#include <stddef.h>\n\n#define $_FMU_GUID ");
  pf_put_c_string(c->text, f->guid);
  pf_c_put(c, "\n/* The version of FMI. */\n#define $_FMI ");
  pf_text_print(c->text, "%d", f->options->version);
  pf_c_put(c, "\n/* Are derivatives by formulas? Otherwise by differences. */\n#define $_FMU_EXACT ");
  pf_text_add(c->text, f->by_differences ? "0\n\n" : "1\n\n");
  put_sizes(c, f);
  pf_c_put(c, pf_export_keeps_rows(f->x) ? "" : no_choice);
  pf_c_put(c, f->x->m ? "" : no_rows);
  pf_c_put(c, header_end);
}

static void put_offsets(const PfCText *c, const char *what, const char *type, const PfNamedList *list)
{
  pf_text_print(c->text, "const size_t %s_fmu_%s_at[] = {", c->x->prefix, what);
  for (int i = 0; i < list->count; i++)
    pf_text_print(c->text, "%s\n  offsetof(%s_%s, %s)", i ? "," : "", c->x->prefix, type, list->at[i].id);
  pf_text_add(c->text, list->count ? "};\n" : "0};\n");
}

static void put_flags(const PfCText *c, const PfFmu *f, const char *name, int which)
{
  pf_text_print(c->text, "const int %s_fmu_%s[] = {", c->x->prefix, name);
  for (int i = 0; i < f->surface_count; i++) {
    const PfFmuSurface *s = f->surfaces + i;
    const int flags[] = {s->timed, s->equal, s->or_equal, s->degree};
    pf_text_print(c->text, "%s%d", i ? ", " : "", flags[which]);
  }
  pf_text_add(c->text, f->surface_count ? "};\n" : "0};\n");
}

static void put_integers(const PfCText *c, const char *name, const int *at, int count)
{
  pf_text_print(c->text, "const int %s_fmu_%s[] = {", c->x->prefix, name);
  for (int i = 0; i < count; i++) pf_text_print(c->text, "%s%d", !i ? "" : i%30 ? ", " : ",\n  ", at[i]);
  pf_text_add(c->text, count ? "};\n" : "0};\n");
}

static PfStatus put_captured(const PfCText *c, const PfFmu *f, const PfStructure *s)
{
  List list;
  PF_TRY(make_list(f, s->captured_count, &list));
  for (int k = 0; k < s->captured_count; k++) add(f, &list, k, s->captured[k]);
  PF_TRY(pf_export_expand(f->x, list.roots, list.count));
  return put_plain(c, f, "captured", declared, &list, s->captured_count);
}

static PfStatus put_impulses(const PfCText *c, const PfFmu *f, const PfStructure *s)
{
  int n = f->x->n;
  PfExpr *impulse = pf_arena_array(f->arena, PfExpr, n);
  List list;
  if (!impulse) return pf_no_room(f->ctx, "the FMU");
  PF_TRY(make_list(f, f->event_count*n, &list));
  for (int e = 0; e < f->event_count; e++) {
    PF_TRY(pf_structure_impulse(f->ctx, s, e, impulse));
    for (int i = 0; i < n; i++) add(f, &list, e*n + i, impulse[i]);
  }
  PF_TRY(pf_export_expand(f->x, list.roots, list.count));
  return put_plain(c, f, "impulses", declared, &list, f->event_count*n);
}

static PfStatus put_events(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  static const PfStructure none = {0};
  const PfStructure *s = f->options->inputs->structure ? f->options->inputs->structure : &none;
  int *flag = pf_arena_array(f->arena, int, x->n);
  if (!flag) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < x->n; i++) flag[i] = s->coordinate ? s->coordinate[i] : -1;
  put_integers(c, "flag_of", flag, x->n);
  put_integers(c, "effect", s->effect, f->event_count*s->flag_count);
  put_integers(c, "captured_by", s->captured_by, s->captured_count);
  PF_TRY(put_captured(c, f, s));
  return put_impulses(c, f, s);
}

/* A speed that is not mentioned has the value that the velocities give it, or none. */
static PfStatus start_of(const PfFmu *f, const PfSpeed *speed, PfExpr *start)
{
  const PfExport *x = f->x;
  *start = speed->start != PF_EXPR_NONE ? speed->start : speed->value != PF_EXPR_NONE ? speed->value
                                                                                     : pf_expr_int(f->ctx, 0);
  if (*start != speed->value) return PF_OK;
  for (int i = 0; i < x->n; i++) {
    const PfCoordinate *q = x->model->coordinates + i;
    PF_TRY(pf_expr_substitute(f->ctx, start, 1, &q->v, &q->start_v, 1, start));
  }
  return PF_OK;
}

/* Velocities by the speeds of the start; NULL: none is given. */
static PfStatus list_rates(const PfFmu *f, PfExpr **rates, bool *firm)
{
  const PfExport *x = f->x;
  int count = x->model->speed_count, given = 0;
  PfExpr *symbols = pf_arena_array(f->arena, PfExpr, count + 1), *values = pf_arena_array(f->arena, PfExpr, count + 1);
  *rates = NULL;
  *firm = true;
  if (!symbols || !values) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < count; i++) {
    const PfSpeed *speed = x->model->speeds + i;
    symbols[i] = speed->symbol;
    PF_TRY(start_of(f, speed, values + i));
    *firm = *firm && speed->value == PF_EXPR_NONE; /* others are goals */
    given += speed->start != PF_EXPR_NONE;
  }
  if (!given || !x->equations->rate) return PF_OK;
  *rates = pf_arena_array(f->arena, PfExpr, x->n);
  if (!*rates) return pf_no_room(f->ctx, "the FMU");
  return pf_expr_substitute(f->ctx, x->equations->rate, x->n, symbols, values, count, *rates);
}

static int firmness(PfFirmness firm)
{
  return firm == PF_START_OPEN ? 0 : firm == PF_START_FIXED ? 2 : 1;
}

static PfStatus put_starts(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  PfExpr *rates;
  bool by_rates;
  List list;
  PF_TRY(make_list(f, 2*x->n, &list));
  PF_TRY(list_rates(f, &rates, &by_rates));
  pf_text_print(c->text, "const int %s_fmu_given[] = {", x->prefix);
  for (int i = 0; i < 2*x->n; i++) {
    const PfCoordinate *q = x->model->coordinates + i%x->n;
    int firm = firmness(i < x->n ? q->firm_q : q->firm_v);
    bool by_speeds = !firm && i >= x->n && rates && !q->contact;
    pf_text_print(c->text, "%s%d", i ? ", " : "", by_speeds && by_rates ? 1 : firm);
    if (by_speeds) add(f, &list, i, rates[i - x->n]);
    else add(f, &list, i, i < x->n ? q->start_q : q->start_v);
  }
  pf_text_add(c->text, "};\n\n");
  PF_TRY(pf_export_expand(x, list.roots, list.count));
  return put_plain(c, f, "starts", declared, &list, 2*x->n);
}

/* The functions of velocities that shall be zero at the start, and their derivatives in the velocities. */
static PfStatus put_goals(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  PfJacobian slopes = {0};
  List goals, list;
  PF_TRY(make_list(f, f->goal_count, &goals));
  for (int i = 0; i < f->goal_count; i++) add(f, &goals, i, f->goals[i]);
  if (f->goal_count)
    PF_TRY(pf_expr_jacobian(f->ctx, f->arena, f->goals, f->goal_count, x->symbols + x->at_v, x->n, &slopes));
  PF_TRY(make_list(f, slopes.count, &list));
  for (int i = 0; i < slopes.count; i++) add(f, &list, slopes.row[i]*x->n + slopes.column[i], slopes.value[i]);
  pf_text_print(c->text, "const int %s_fmu_goal_given[] = {", x->prefix);
  for (int i = 0; i < f->goal_count; i++) pf_text_print(c->text, "%s%d", i ? ", " : "", firmness(f->goal_firm[i]));
  pf_text_add(c->text, f->goal_count ? "};\n\n" : "0};\n\n");
  PF_TRY(put_plain(c, f, "goals", declared, &goals, f->goal_count));
  return put_plain(c, f, "goal_slopes", declared, &list, f->goal_count*x->n);
}

static void put_violations(const PfCText *c)
{
  pf_c_put(c, "\nvoid @_fmu_violations(const @_params *p, const @_state *x, const @_input *u, double *position, "
              "double *velocity)\n{\n");
  pf_c_put(c, c->x->m ? "  @_violations(p, x, u, position, velocity);\n}\n\n"
                      : "  (void)p, (void)x, (void)u, (void)position, (void)velocity;\n}\n\n");
}

static PfStatus put_source(const PfCText *c, const PfFmu *f)
{
  pf_text_add(c->text, "/* Made by pfaff: what the model adds to its C as an FMU. */\n#include \"fmu_model.h\"\n\n"
                       "#include <math.h>\n\n");
  put_offsets(c, "parameter", "params", &f->x->parameters);
  put_offsets(c, "input", "input", &f->x->inputs);
  put_flags(c, f, "timed", 0);
  put_flags(c, f, "equal", 1);
  put_flags(c, f, "or_equal", 2);
  put_flags(c, f, "degree", 3);
  PF_TRY(put_starts(c, f));
  PF_TRY(put_goals(c, f));
  put_violations(c);
  PF_TRY(put_shown(c, f));
  if (!f->by_differences) PF_TRY(put_derivatives(c, f));
  PF_TRY(put_surfaces(c, f));
  PF_TRY(put_events(c, f));
  return put_conditions(c, f);
}

PfStatus pf_fmu_sources(PfFmu *f)
{
  const PfExport *x = f->x;
  PfCText c = {x, PF_REAL_DOUBLE, pf_export_add_file(x, &f->files, x->prefix, ".h")};
  pf_c_put_header(&c);
  c.text = pf_export_add_file(x, &f->files, "fmu_model", ".h");
  put_header(&c, f);
  c.text = pf_export_add_file(x, &f->files, x->prefix, ".c");
  PF_TRY(pf_c_put_source(&c));
  c.text = pf_export_add_file(x, &f->files, "fmu_model", ".c");
  PF_TRY(put_source(&c, f));
  for (const PfFmuText *text = pf_fmu_texts; text->name; text++)
    if (!text->version || text->version == f->options->version) add_text(f, text->name, text->lines);
  return pf_export_check_files(x, &f->files);
}
