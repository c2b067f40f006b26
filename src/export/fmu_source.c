/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of an FMU: the C of the model, what is the model's own in the interface, and the interface.
 *
 * pf_fmu_sources lists the files in the order in which they are compiled as one text: the runtime, the C of the model,
 * fmu_model.h and fmu_model.c with the numbers, names and straight-line functions that the interface needs, and the
 * files of fmu/, which are the same for every model. All functions of fmu_model.c take the arguments of the exported C,
 * accelerations and multipliers, and write an array `out`. */
#include "export/fmu_impl.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- texts that are the same for every model */

static void add_text(PfFmu *f, const char *name, const char *const *lines)
{
  PfText *text = pf_export_add_file(f->x, &f->files, name, "");
  for (; *lines; lines++) pf_export_put_line(f->x, *lines, text);
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

/* Appends the code of a tape and a blank line. */
static PfStatus write_program(const PfCText *c, const PfTape *tape, const PfCodeStyle *style)
{
  PfProgram program;
  PF_TRY(pf_tape_program(c->x->ctx, c->x->arena, tape, &program));
  PF_TRY(pf_code_write(c->x->ctx, &program, style, c->text));
  pf_text_add(c->text, "\n");
  return PF_OK;
}

/* A straight-line function robot_fmu_<name>_code from a list of expressions: the tape is freed at once, the text
 * stays. */
static PfStatus put_code(const PfCText *c, const PfFmu *f, const Function *function, const List *list)
{
  PfText parameters, full;
  PfTape *tape;
  Straight straight = {f, list->place};
  pf_text_init(&parameters, pf_context_allocator(f->ctx));
  pf_text_init(&full, pf_context_allocator(f->ctx));
  pf_c_put(&(PfCText){.x = c->x, .text = &parameters}, function->takes);
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
  if (!list->count) {
    /* "p, x, u" are used where there is no code. */
    pf_text_add(c->text, "  ");
    for (const char *at = function->hands; *at; at += strspn(at, ", ")) {
      size_t length = strcspn(at, ",");
      pf_text_print(c->text, "(void)%.*s%s", (int)length, at, at[length] ? ", " : ";\n");
      at += length;
    }
  }
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

/* An empty list with room for `room` expressions, in the arena of the FMU. */
static PfStatus make_list(const PfFmu *f, int room, List *list)
{
  list->roots = pf_arena_array(f->arena, PfExpr, room + 1);
  list->place = pf_arena_array(f->arena, int, room + 1);
  list->count = 0;
  return list->roots && list->place ? PF_OK : pf_no_room(f->ctx, "the FMU");
}

/* Elements that are zero at all times are not listed. */
static void add(const PfFmu *f, List *list, int place, PfExpr e)
{
  if (pf_expr_is_structural_zero(f->ctx, e)) return;
  list->roots[list->count] = e;
  list->place[list->count++] = place;
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

/* The derivatives of `roots`, which are overwritten, along a direction `seed` of all symbols. */
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

/* Surfaces g, their rates dg/dt, second derivatives where the rate is a function of the state alone, and the sizes by
 * which crossings are recognised. */
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
  pf_text_print(text, "truth[%d]", f->mode_count + input);
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
  PfStatus status = pf_tape_new(f->ctx, f->truths + f->mode_count, f->surface_count - f->mode_count, f->conditions,
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

/* Sizes of arrays, and where the variables of each kind begin among the value references. Arrays of C are not empty:
 * names that end in 1 are at least 1. */
static void put_sizes(const PfCText *c, const PfFmu *f)
{
  static const PfStructure none = {0};
  const PfExport *x = f->x;
  const PfStructure *s = f->options->inputs->structure ? f->options->inputs->structure : &none;
  const struct {
    const char *name;
    int size;
  } sizes[] = {{"INPUTS", f->input_count}, {"MODES", f->mode_count}, {"FLAGS", s->flag_count}, {"HELD", s->held_count},
               {"CAPTURED", s->captured_count}, {"CAPTURED1", at_least_one(s->captured_count)},
               {"POSITIONS", x->position_count}, {"PLACES", f->place_count}, {"BALLS", x->model->ball_count},
               {"START_CONDITIONS", f->start_condition_count}, {"START_SPEEDS", f->start_speed_count},
               {"START_ROWS1", at_least_one(x->m + f->start_condition_count)}, {"EVENTS", f->event_count},
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
"/* They depend on accelerations or multipliers; on time alone; they have switches in them. */\n"
"extern const int @_fmu_by_forces[], @_fmu_by_time[], @_fmu_jumps[];\n"
"/* 0: the state has no say in it; 1: its rate depends on accelerations; 2: its second derivative does. */\n"
"extern const int @_fmu_degree[];\n\n"
"/* Starts of q and v by parameters, the priority of each (PfPriority), and of which velocities speeds decide. */\n"
"extern const int @_fmu_priority[], @_fmu_by_speed[];\n"
"void @_fmu_starts(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                  double *out);\n"
"/* The constraints at position level; entries of A that are not zero at all times, as 2*(row*$_N + column), and 1\n"
" * more for entries that are never rounding; the first coordinate of each quaternion. */\n"
"extern const int @_fmu_position[], @_fmu_place[], @_fmu_ball[];\n"
"/* Angular velocities and speeds that the model gives for its start: the priority of each, which speed it is or -1;\n"
" * values and targets of the others, the derivatives of the values by v; rates by speeds, their derivatives by the\n"
" * speeds, and the targets of all speeds. */\n"
"extern const int @_fmu_condition_priority[], @_fmu_condition_speed[];\n"
"void @_fmu_start_conditions(const @_params *p, const @_state *x, const @_input *u, const double *a,\n"
"                            const double *lambda, double *out);\n"
"void @_fmu_start_slopes(const @_params *p, const @_state *x, const @_input *u, const double *a,\n"
"                        const double *lambda, double *out);\n"
"void @_fmu_start_rates(const @_params *p, const @_state *x, const @_input *u, const double *a, const double *lambda,\n"
"                       const double *seed, double *out);\n"
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

/* Where each parameter or input is in its struct, in bytes: setters of FMI find it by its value reference. */
static void put_offsets(const PfCText *c, const char *what, const char *type, const PfNamedList *list)
{
  pf_text_print(c->text, "const size_t %s_fmu_%s_at[] = {", c->x->prefix, what);
  for (int i = 0; i < list->count; i++)
    pf_text_print(c->text, "%s\n  offsetof(%s_%s, %s)", i ? "," : "", c->x->prefix, type, list->at[i].id);
  pf_text_add(c->text, list->count ? "};\n" : "0};\n");
}

/* An array with a number for each surface: 0 timed, 1 equal, 2 or_equal, 3 degree, 4 by_forces, 5 by_time, 6 jumps. */
static void put_flags(const PfCText *c, const PfFmu *f, const char *name, int which)
{
  pf_text_print(c->text, "const int %s_fmu_%s[] = {", c->x->prefix, name);
  for (int i = 0; i < f->surface_count; i++) {
    const PfFmuSurface *s = f->surfaces + i;
    const int flags[] = {s->timed, s->equal, s->or_equal, s->degree, s->by_forces, s->by_time,
                         s->jumps};
    pf_text_print(c->text, "%s%d", i ? ", " : "", flags[which]);
  }
  pf_text_add(c->text, f->surface_count ? "};\n" : "0};\n");
}

/* An array of whole numbers, thirty in a line; 0 where it would be empty. */
static void put_integers(const PfCText *c, const char *name, const int *at, int count)
{
  pf_text_print(c->text, "const int %s_fmu_%s[] = {", c->x->prefix, name);
  for (int i = 0; i < count; i++) pf_text_print(c->text, "%s%d", !i ? "" : i%30 ? ", " : ",\n  ", at[i]);
  pf_text_add(c->text, count ? "};\n" : "0};\n");
}

/* Impulses on the coordinates, event by event: they are added to M v before the jump. */
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

/* The arrays and functions of events; empty for models without. */
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
  List list;
  PF_TRY(make_list(f, s->captured_count, &list));
  for (int k = 0; k < s->captured_count; k++) add(f, &list, k, s->captured[k]);
  PF_TRY(pf_export_expand(f->x, list.roots, list.count));
  PF_TRY(put_plain(c, f, "captured", declared, &list, s->captured_count));
  return put_impulses(c, f, s);
}

/* Starts and their priorities, coordinates first. Speeds of the start decide the velocities that are not given. */
static PfStatus put_starts(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  List list;
  int *priority = pf_arena_array(f->arena, int, 2*x->n), *by_speed = pf_arena_array(f->arena, int, x->n);
  if (!priority || !by_speed) return pf_no_room(f->ctx, "the FMU");
  PF_TRY(make_list(f, 2*x->n, &list));
  for (int i = 0; i < x->n; i++) {
    const PfCoordinate *q = x->model->coordinates + i;
    priority[i] = (int)q->priority_q;
    priority[x->n + i] = (int)q->priority_v;
    by_speed[i] = f->start_speed_count && q->priority_v == PF_START_OPEN && !q->contact;
    add(f, &list, i, q->start_q);
    add(f, &list, x->n + i, q->start_v);
  }
  put_integers(c, "priority", priority, 2*x->n);
  put_integers(c, "by_speed", by_speed, x->n);
  PF_TRY(pf_export_expand(x, list.roots, list.count));
  return put_plain(c, f, "starts", declared, &list, 2*x->n);
}

/* The structure of the constraints and of quaternions. */
static PfStatus put_structure(const PfCText *c, const PfFmu *f)
{
  const PfModel *model = f->x->model;
  int *ball = pf_arena_array(f->arena, int, model->ball_count);
  if (!ball) return pf_no_room(f->ctx, "the FMU");
  for (int i = 0; i < model->ball_count; i++) ball[i] = model->balls[i].q;
  put_integers(c, "position", f->x->position_row, f->x->position_count);
  put_integers(c, "place", f->places, f->place_count);
  put_integers(c, "ball", ball, model->ball_count);
  return PF_OK;
}

/* Rates by the speeds, which are further symbols, their derivatives, and the targets of the speeds: a speed that is not
 * mentioned has the value that the velocities give it, or none. */
static PfStatus put_start_rates(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  const PfModel *model = x->model;
  const int speeds = f->start_speed_count, at_target = x->n*(1 + speeds), known = x->symbol_count;
  PfExpr *symbols = pf_arena_array(f->arena, PfExpr, known + speeds), *slope = pf_arena_array(f->arena, PfExpr, speeds);
  List list;
  if (!symbols || !slope) return pf_no_room(f->ctx, "the FMU");
  PF_TRY(make_list(f, at_target + speeds, &list));
  memcpy(symbols, x->symbols, (size_t)known*sizeof *symbols);
  for (int i = 0; i < speeds; i++) symbols[known + i] = model->speeds[i].symbol;
  for (int j = 0; j < x->n && speeds; j++) {
    add(f, &list, j, x->equations->rate[j]);
    PF_TRY(pf_expr_gradient(f->ctx, x->equations->rate[j], symbols + known, speeds, slope));
    for (int i = 0; i < speeds; i++) add(f, &list, x->n + j*speeds + i, slope[i]);
  }
  for (int i = 0; i < speeds; i++) {
    const PfSpeed *speed = model->speeds + i;
    PfExpr target = speed->start != PF_EXPR_NONE ? speed->start : speed->value;
    if (target != PF_EXPR_NONE) add(f, &list, at_target + i, target);
  }
  PF_TRY(pf_export_expand(x, list.roots, list.count));
  return put_function(c, f, &(Function){"start_rates", along, "p, x, u, a, lambda, seed, out", symbols, known + speeds,
                                        speeds ? at_target + speeds : 0}, &list);
}

/* Functions of the velocities with their targets, the derivatives of the functions in the velocities; then speeds. */
static PfStatus put_start_conditions(const PfCText *c, const PfFmu *f)
{
  const PfExport *x = f->x;
  const int count = f->start_condition_count;
  List values, slopes;
  int *priority = pf_arena_array(f->arena, int, count), *speed = pf_arena_array(f->arena, int, count);
  PfExpr *slope = pf_arena_array(f->arena, PfExpr, x->n);
  if (!priority || !speed || !slope) return pf_no_room(f->ctx, "the FMU");
  PF_TRY(make_list(f, 2*count, &values));
  PF_TRY(make_list(f, count*x->n, &slopes));
  for (int i = 0; i < count; i++) {
    const PfFmuStartCondition *condition = f->start_conditions + i;
    priority[i] = (int)condition->priority;
    speed[i] = condition->speed;
    if (condition->speed >= 0) continue;
    add(f, &values, i, condition->value);
    add(f, &values, count + i, condition->target);
    PF_TRY(pf_expr_gradient(f->ctx, condition->value, x->symbols + x->at_v, x->n, slope));
    for (int j = 0; j < x->n; j++) add(f, &slopes, i*x->n + j, slope[j]);
  }
  put_integers(c, "condition_priority", priority, count);
  put_integers(c, "condition_speed", speed, count);
  PF_TRY(pf_export_expand(x, values.roots, values.count));
  PF_TRY(pf_export_expand(x, slopes.roots, slopes.count));
  PF_TRY(put_plain(c, f, "start_conditions", declared, &values, 2*count));
  PF_TRY(put_plain(c, f, "start_slopes", declared, &slopes, count*x->n));
  return put_start_rates(c, f);
}

/* fmu_model.c, in the order of its declarations. */
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
  put_flags(c, f, "by_forces", 4);
  put_flags(c, f, "by_time", 5);
  put_flags(c, f, "jumps", 6);
  PF_TRY(put_starts(c, f));
  PF_TRY(put_structure(c, f));
  PF_TRY(put_start_conditions(c, f));
  pf_c_put(c, "\nvoid @_fmu_violations(const @_params *p, const @_state *x, const @_input *u, double *position, "
              "double *velocity)\n{\n");
  pf_c_put(c, c->x->m ? "  @_violations(p, x, u, position, velocity);\n}\n\n"
                      : "  (void)p, (void)x, (void)u, (void)position, (void)velocity;\n}\n\n");
  /* Outputs, energies and parameters made of others, by value reference from at_shown on. */
  List list;
  PF_TRY(make_list(f, f->shown_count, &list));
  for (int i = 0; i < f->shown_count; i++) add(f, &list, i, f->variables[f->at_shown + i].value);
  PF_TRY(put_plain(c, f, "shown", declared, &list, f->shown_count));
  if (!f->by_differences) {
    /* Derivatives of the residuals M a - F - A^T lambda and A a - b, and of the shown quantities, along a
     * direction: directional and adjoint derivatives of FMI are made of them. */
    const PfExport *x = f->x;
    PfExpr *r, *shown;
    PF_TRY(pf_arrays(f->ctx, f->arena, "the FMU", PF_ROOM(r, x->n + x->m), PF_ROOM(shown, f->shown_count + 1)));
    PF_TRY(pf_export_residuals(x, r));
    PF_TRY(put_along(c, f, "residuals_along", r, x->n + x->m));
    for (int i = 0; i < f->shown_count; i++) shown[i] = f->variables[f->at_shown + i].value;
    PF_TRY(put_along(c, f, "shown_along", shown, f->shown_count));
  }
  PF_TRY(put_surfaces(c, f));
  PF_TRY(put_events(c, f));
  return put_conditions(c, f);
}

/* The files are added to f->files. Fails as the code generator does, or without memory. */
PfStatus pf_fmu_sources(PfFmu *f)
{
  const PfExport *x = f->x;
  pf_export_add_shipped(x, pf_runtime_texts, &f->files);
  pf_export_add_shipped(x, pf_event_texts, &f->files);
  PfCText c = {.x = x, .real = PF_REAL_DOUBLE, .text = pf_export_add_file(x, &f->files, x->prefix, ".h")};
  PF_TRY(pf_c_put_header(&c));
  c.text = pf_export_add_file(x, &f->files, "fmu_model", ".h");
  /* fmu_model.h: token, version, sizes and declarations. */
  pf_c_put(&c, "/* Made by pfaff: the numbers of the model as an FMU. */\n#ifndef $_FMU_MODEL_H\n"
              "#define $_FMU_MODEL_H\n\n"
              "#include \"@.h\"\n\n#include <stddef.h>\n\n#define $_FMU_GUID ");
  pf_put_c_string(c.text, f->guid);
  pf_c_put(&c, "\n/* The version of FMI. */\n#define $_FMI ");
  pf_text_print(c.text, "%d", f->options->version);
  pf_c_put(&c, "\n/* Are derivatives by formulas? Otherwise by differences. */\n#define $_FMU_EXACT ");
  pf_text_add(c.text, f->by_differences ? "0\n\n" : "1\n\n");
  put_sizes(&c, f);
  pf_c_put(&c, pf_export_keeps_rows(f->x) ? "" : no_choice);
  pf_c_put(&c, f->x->m ? "" : no_rows);
  pf_c_put(&c, header_end);
  c.text = pf_export_add_file(x, &f->files, x->prefix, ".c");
  PF_TRY(pf_c_put_source(&c));
  c.text = pf_export_add_file(x, &f->files, "fmu_model", ".c");
  PF_TRY(put_source(&c, f));
  for (const PfShippedText *text = pf_fmu_texts; text->name; text++)
    if (!text->version || text->version == f->options->version) add_text(f, text->name, text->lines);
  return pf_export_check_files(x, &f->files);
}
