/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all options, and how they are read. */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

/* ---------------------------------------------------------------- the table */

static const char *method_value(int index, const char **summary)
{
  const PfMethod *method = pf_method(index);
  if (!method) return NULL;
  *summary = pf_method_summary(method);
  return pf_method_name(method);
}

/* 'auto' first, then the list. */
static const char *formulation_value(int index, const char **summary)
{
  const PfFormulation *formulation = index ? pf_formulation(index - 1) : pf_formulation_find("auto");
  if (!formulation) return NULL;
  *summary = pf_formulation_summary(formulation);
  return pf_formulation_name(formulation);
}

const char *pf_view_value(int index, const char **summary)
{
  static const char *const views[][2] = {
    {"iso", "from above and aside"}, {"top", "from above"}, {"side", "along y, x to the right"}, {"front", "along x"}};
  if (index < 0 || index >= (int)(sizeof views/sizeof *views)) return NULL;
  *summary = views[index][1];
  return views[index][0];
}

const char *pf_native_value(int index, const char **summary)
{
  static const char *const modes[][2] = {
    {"off", "formulas are interpreted"},
    {"auto", "what runs long is compiled beside the run, and found again by the next one; without a compiler as 'off'"},
    {"on", "everything that runs more than three times is compiled, and waited for"}};
  if (index < 0 || index >= (int)(sizeof modes/sizeof *modes)) return NULL;
  *summary = modes[index][1];
  return modes[index][0];
}

const char *pf_design_value(int index, const char **summary)
{
  static const char *const designs[][2] = {
    {"random", "independent (the default)"},
    {"latin", "a Latin hypercube: each number evenly by itself"},
    {"sobol", "Sobol's sequence: evenly all together"},
    {"saltelli", "groups for Sobol indices: N times the count of random numbers + 2"},
    {"morris", "paths for elementary effects: N times the count of random numbers + 1"}};
  if (index < 0 || index >= (int)(sizeof designs/sizeof *designs)) return NULL;
  *summary = designs[index][1];
  return designs[index][0];
}

#define AT(field) offsetof(Options, field)

/* In the order in which help shows them. */
static const Option table[] = {
  {"to", 0, "TARGET", OPTION_TEXT, AT(to), NULL, OPTIONS_OF_COMMAND, "what the model is written as", pf_target_value},
  {"form", 0, "NAME", OPTION_TEXT, AT(form), NULL, OPTIONS_OF_COMMAND,
   "the formulation of the equations (default: auto for motions, otherwise multipliers, which is also called lagrange)",
   formulation_value},
  {"prove", 0, NULL, OPTION_FLAG, AT(prove), NULL, OPTIONS_OF_COMMAND,
   "shows by exact algebra that all formulations are the same functions of the state", NULL},
  {"spatial", 0, NULL, OPTION_FLAG, AT(spatial), NULL, OPTIONS_OF_COMMAND,
   "adds the operators of the recursion over the bodies, which is then the formulation: Phi, H, M, b, a, P, D, G, z, "
   "velocities, accelerations and wrenches of the joints", NULL},
  {"independent", 0, "LIST", OPTION_TEXT, AT(independent), NULL, OPTIONS_OF_COMMAND,
   "the coordinates whose accelerations are independent, with commas (default: chosen by the program)", NULL},
  {"steps", 0, NULL, OPTION_FLAG, AT(steps), NULL, OPTIONS_OF_COMMAND, "the way to the equations, step by step", NULL},
  {"matrices", 0, NULL, OPTION_FLAG, AT(matrices), NULL, OPTIONS_OF_COMMAND,
   "the equations between matrices too; with --form maggi or laconic", NULL},
  {"inverse", 0, "LIST", OPTION_TEXT, AT(inverse), NULL, OPTIONS_OF_COMMAND,
   "the forces of --actuators that make accelerations what is wanted: \"x''=1, y''=0\"; other coordinates move as they "
   "must", NULL},
  {"near", 0, "KIND", OPTION_TEXT, AT(near), NULL, OPTIONS_OF_COMMAND,
   "at the 'equilibrium' or the 'steady' motion next to the start, instead of the start itself", NULL},
  {"sweep", 0, "NAME=a..b:n", OPTION_TEXT, AT(sweep), NULL, OPTIONS_OF_COMMAND,
   "for n values of a parameter (101), with --near each time next to the start", NULL},
  {"inputs", 0, "LIST", OPTION_TEXT, AT(inputs), NULL, OPTIONS_OF_COMMAND,
   "other inputs than those of the model: names of inputs or parameters, with commas", NULL},
  {"equilibria", 0, NULL, OPTION_FLAG, AT(equilibria), NULL, OPTIONS_OF_COMMAND,
   "states of rest instead of steady motions", NULL},
  {"stay", 0, NULL, OPTION_FLAG, AT(stay), NULL, OPTIONS_OF_COMMAND, "does not go over to branches that cross", NULL},
  {"section", 0, "NAME=VALUE", OPTION_TEXT, AT(section), NULL, OPTIONS_OF_COMMAND,
   "where the quantity passes the value upwards; t=T: every T seconds (a stroboscope)", NULL},
  {"show", 0, "LIST", OPTION_TEXT, AT(show), NULL, OPTIONS_OF_COMMAND, "what is shown: names with commas", NULL},
  {"against", 0, "NAME", OPTION_TEXT, AT(against), NULL, OPTIONS_OF_COMMAND, "the horizontal axis (default: t)", NULL},
  {"view", 0, "NAME", OPTION_TEXT, AT(view), NULL, OPTIONS_OF_COMMAND,
   "where one looks from (default: iso, or the plane in which everything moves when gravity lies in it)",
   pf_view_value},
  {"log", 0, NULL, OPTION_FLAG, AT(log), NULL, OPTIONS_OF_COMMAND, "logarithmic vertical axis, for errors", NULL},
  {"minus", 0, "WHAT", OPTION_TEXT, AT(minus), NULL, OPTIONS_OF_COMMAND,
   "shows the difference to another trajectory: a file, or a method by which the model is run again", NULL},
  {"keep", 0, "LIST", OPTION_TEXT, AT(keep), NULL, OPTIONS_OF_COMMAND,
   "quantities, such as integrals, that have the value of the start for all motions: names with commas", NULL},
  {"within", 0, "NAME=a..b,…", OPTION_TEXT, AT(within), NULL, OPTIONS_OF_COMMAND,
   "where motions or searches begin (default: around the start)", NULL},
  {"starts", 0, "N", OPTION_COUNT, AT(starts), "1", OPTIONS_OF_COMMAND, "how many begin there", NULL},
  {"skip", 0, "T", OPTION_NUMBER, AT(skip), "s", OPTIONS_OF_COMMAND, "what comes earlier is not shown (0)", NULL},
  {"random", 0, "LAW", OPTION_LIST, AT(random), NULL, OPTIONS_OF_COMMAND,
   "what is random: \"theta ~ normal(0, 0.1 [rad])\", uniform(low, high), lognormal(median, sigma); may be repeated",
   NULL},
  {"correlate", 0, "A,B=R", OPTION_LIST, AT(correlate), NULL, OPTIONS_OF_COMMAND,
   "the correlation of two that are random, between -1 and 1; may be repeated", NULL},
  {"members", 'n', "N", OPTION_COUNT, AT(members), "1", OPTIONS_OF_COMMAND,
   "how many members, when something is random; the points of a grid take turns", NULL},
  {"design", 0, "NAME", OPTION_TEXT, AT(design), NULL, OPTIONS_OF_COMMAND,
   "how random numbers are spread", pf_design_value},
  {"seed", 0, "S", OPTION_COUNT, AT(seed), "1", OPTIONS_OF_COMMAND, "another seed of what is random (1)", NULL},
  {"zip", 0, "A,B,…", OPTION_LIST, AT(zip), NULL, OPTIONS_OF_COMMAND,
   "lists that go along together instead of being combined; may be repeated", NULL},
  {"table", 0, "FILE.csv", OPTION_TEXT, AT(table), NULL, OPTIONS_OF_COMMAND,
   "values of parameters, starts and inputs row by row, under their names; \"FILE.csv: A, B\" takes these columns",
   NULL},
  {"study", 0, "KIND", OPTION_TEXT, AT(study), NULL, OPTIONS_OF_COMMAND,
   "members are not moved, but studied where they start: 'linearize' (--take \"growth, stable, re[1], im[1]\"), "
   "'equilibria' and 'steady' (what is next to the start: the same, and any quantity), 'lyapunov' (exponent)", NULL},
  {"take", 0, "LIST", OPTION_TEXT, AT(take), NULL, OPTIONS_OF_COMMAND,
   "what is taken of each member: any quantity at the end; max(…), min(…), mean(…), integral(…), rms(…) over the "
   "motion; at(…, t); first(a > b), event(k), t_end: times; and formulas of these", NULL},
  {"threads", 0, "N", OPTION_COUNT, AT(threads), "1", OPTIONS_OF_COMMAND, "how many (default: one for each core)",
   NULL},
  {"statistics-only", 0, NULL, OPTION_FLAG, AT(statistics_only), NULL, OPTIONS_OF_COMMAND,
   "keeps no rows: mean, deviation, quantiles, histograms and sensitivities are made as members come, in memory that "
   "does not grow", NULL},
  {"dry-run", 0, NULL, OPTION_FLAG, AT(dry_run), NULL, OPTIONS_OF_COMMAND,
   "only tells how many members there are, about how long they take, and how large the result becomes", NULL},
  {"resume", 0, "RESULT", OPTION_TEXT, AT(resume), NULL, OPTIONS_OF_COMMAND,
   "goes on with a result that is not complete; without a model as it was begun", NULL},
  {"part", 0, "K/N", OPTION_TEXT, AT(part), NULL, OPTIONS_OF_COMMAND,
   "only the K-th of N parts, for jobs that run beside each other; --join puts them together", NULL},
  {"join", 0, "RESULT", OPTION_TEXT, AT(join), NULL, OPTIONS_OF_COMMAND, "puts the parts of a result together", NULL},
  {"convert", 0, "RESULT", OPTION_TEXT, AT(convert), NULL, OPTIONS_OF_COMMAND,
   "writes a result to the file of --out", NULL},
  {"show-member", 0, "K", OPTION_TEXT, AT(show_member), NULL, OPTIONS_OF_COMMAND,
   "what a result (FILE) has of the member K, and the command that runs it alone", NULL},
  {"base", 0, "KIND", OPTION_TEXT, AT(base), NULL, OPTIONS_OF_COMMAND,
   "how the root hangs on the ground: 'fixed' (the default), 'free', or 'planar': it moves in a plane", NULL},
  {"free", 0, NULL, OPTION_FLAG, AT(free), NULL, OPTIONS_OF_COMMAND, "the same as --base free", NULL},
  {"actuators", 0, "LIST", OPTION_TEXT, AT(actuators), NULL, OPTIONS_OF_COMMAND, "what pushes: names with commas",
   NULL},
  {"wheel", 0, "LINK[:R]", OPTION_LIST, AT(wheels), NULL, OPTIONS_OF_COMMAND,
   "a link that rolls on the plane z = 0 without slip, with its radius in m when no shape of the link tells it; may be "
   "repeated", NULL},
  {"weld", 0, "LIST", OPTION_TEXT, AT(weld), NULL, OPTIONS_OF_COMMAND, "joints that become welds", NULL},
  {"no-friction", 0, NULL, OPTION_FLAG, AT(no_friction), NULL, OPTIONS_OF_COMMAND,
   "leaves out the dry friction of joints", NULL},
  {"float", 0, NULL, OPTION_FLAG, AT(single), NULL, OPTIONS_OF_COMMAND,
   "numbers of type float, for processors that compute with no others fast", NULL},
  {"most", 0, "N", OPTION_COUNT, AT(most), "1", OPTIONS_OF_COMMAND,
   "the most operations that are written out (200000): compilers take long for more", NULL},
  {"fmi", 0, "VERSION", OPTION_COUNT, AT(fmi), "1", OPTIONS_OF_COMMAND, "the version of FMI: 2 or 3 (3)", NULL},
  {"from", 0, "EXAMPLE", OPTION_TEXT, AT(from), NULL, OPTIONS_OF_COMMAND,
   "the example that is copied; 'pfaff examples' lists them", NULL},
  {"write", 'w', NULL, OPTION_FLAG, AT(write), NULL, OPTIONS_OF_COMMAND, "replaces the file instead of printing", NULL},

  {"param", 'p', "NAME=VALUE", OPTION_LIST, AT(parameters), NULL, OPTIONS_OF_STATE,
   "another value for a parameter: 3, 2/3 or \"5 [g]\", a bare number in the declared unit; a list takes one for "
   "all or U=1,2,3; may be repeated", NULL},
  {"state", 's', "NAME=VALUE", OPTION_LIST, AT(state), NULL, OPTIONS_OF_STATE,
   "another start of a coordinate, a velocity (\"x'=2\") or a speed, \"hub.turn=(0, 0, 1)\" as well; may be repeated",
   NULL},
  {"input", 0, "NAME=VALUE", OPTION_LIST, AT(held), NULL, OPTIONS_OF_STATE,
   "the value of an input without a function of time, which holds throughout (0); may be repeated", NULL},
  {"time", 0, "T", OPTION_NUMBER, AT(time), "s", OPTIONS_OF_STATE, "another time to start at than 0", NULL},
  {"as-given", 0, NULL, OPTION_FLAG, AT(as_given), NULL, OPTIONS_OF_STATE,
   "takes the start as it is given, also where it does not satisfy the constraints", NULL},

  {"by", 0, "METHOD", OPTION_TEXT, AT(method), NULL, OPTIONS_OF_RUN,
   "the integrator (default: that of the model, or dopri5 and an implicit one where the motion is stiff)",
   method_value},
  {"for", 0, "T", OPTION_POSITIVE, AT(horizon), "s", OPTIONS_OF_RUN, "duration (default: that of the model, or 10 s)",
   NULL},
  {"step", 0, "H", OPTION_POSITIVE, AT(step), "s", OPTIONS_OF_RUN,
   "step of methods with a fixed step, first step of the others", NULL},
  {"rtol", 0, "R", OPTION_POSITIVE, AT(rtol), "1", OPTIONS_OF_RUN, "relative tolerance (1e-8)", NULL},
  {"atol", 0, "A", OPTION_POSITIVE, AT(atol), "1", OPTIONS_OF_RUN,
   "absolute tolerance (rtol/100, less for motions that are small all over)", NULL},
  {"adaptive", 0, NULL, OPTION_FLAG, AT(adaptive), NULL, OPTIONS_OF_RUN,
   "generalized_alpha, rattle: the tolerances choose the step, as they do without --step", NULL},
  {"rho", 0, "R", OPTION_FRACTION, AT(rho), "1", OPTIONS_OF_RUN,
   "generalized_alpha, rattle: what is left of very fast motions after a step, 0 to 1 (0.9)", NULL},
  {"printed", 0, NULL, OPTION_FLAG, AT(printed), NULL, OPTIONS_OF_RUN,
   "generalized_alpha, rattle: the schemes as they were published, for comparison", NULL},
  {"no-projection", 0, NULL, OPTION_FLAG, AT(drift), NULL, OPTIONS_OF_RUN,
   "lets the constraints drift where the method lets them", NULL},
  {"keep-going", 0, NULL, OPTION_FLAG, AT(keep_going), NULL, OPTIONS_OF_RUN, "goes on where the constraints lose rank",
   NULL},
  {"most-steps", 0, "N", OPTION_COUNT, AT(most_steps), "1", OPTIONS_OF_RUN,
   "ends with an error after so many steps (100 million)", NULL},
  {"native", 0, "MODE", OPTION_TEXT, AT(native), NULL, OPTIONS_OF_RUN,
   "machine code by the C compiler of the system; the results are the same bit by bit (default: auto, but off with "
   "--real-time)",
   pf_native_value},
  {"real-time", 0, NULL, OPTION_FLAG, AT(real_time), NULL, OPTIONS_OF_RUN, "steps keep pace with the clock", NULL},
  {"rate", 0, "N", OPTION_POSITIVE, AT(rate), "1", OPTIONS_OF_RUN, "with --real-time: steps per second (1000)", NULL},
  {"watch", 0, NULL, OPTION_FLAG, AT(watch), NULL, OPTIONS_OF_RUN,
   "curves in the terminal while it runs: of what --show names, or the model plots, or else of the coordinates", NULL},
  {"invariants", 0, NULL, OPTION_FLAG, AT(invariants), NULL, OPTIONS_OF_RUN,
   "looks for conserved quantities and tells how much each changes", NULL},
  {"every", 0, "DT", OPTION_POSITIVE, AT(every), "s", OPTIONS_OF_RUN,
   "samples at multiples of DT (default: at every step)", NULL},
  {"at", 0, "T1,T2,…", OPTION_TEXT, AT(at), NULL, OPTIONS_OF_RUN, "samples at these times", NULL},

  {"out", 'o', "FILE", OPTION_TEXT, AT(out), NULL, OPTIONS_OF_RESULT, "writes the result to a file", NULL},
  {"poses", 0, "FILE", OPTION_TEXT, AT(poses), NULL, OPTIONS_OF_RESULT,
   "writes where everything that 'draw' shows is at the samples: positions and rotation matrices, as .csv, .json or "
   ".mat", NULL},
  {"template", 0, "FILE", OPTION_TEXT, AT(page), NULL, OPTIONS_OF_RESULT,
   "another empty page than the one that 'make page' makes and the program finds by itself", NULL},
  {"latex", 0, NULL, OPTION_FLAG, AT(latex), NULL, OPTIONS_OF_RESULT, "LaTeX for a paper; needs amsmath", NULL},
  {"standalone", 0, NULL, OPTION_FLAG, AT(standalone), NULL, OPTIONS_OF_RESULT,
   "a LaTeX document of its own, for pdflatex", NULL},
  {"markdown", 0, NULL, OPTION_FLAG, AT(markdown), NULL, OPTIONS_OF_RESULT,
   "Markdown with mathematics, for GitHub and Jupyter", NULL},
  {"c", 0, NULL, OPTION_FLAG, AT(c), NULL, OPTIONS_OF_RESULT, "each formula as a statement of C", NULL},
  {"json", 0, NULL, OPTION_FLAG, AT(json), NULL, OPTIONS_OF_RESULT,
   "JSON for programs on standard output, with a list of diagnostics also after an error", NULL},
  {"no-rows", 0, NULL, OPTION_FLAG, AT(no_rows), NULL, OPTIONS_OF_RESULT,
   "leaves the rows of the trajectory out of --json", NULL},
  {"help", 'h', NULL, OPTION_FLAG, AT(help), NULL, OPTIONS_OF_RESULT, "this help", NULL},
};

enum { OPTIONS = sizeof table/sizeof *table };
_Static_assert(sizeof table/sizeof *table <= sizeof((Options *)0)->given, "Options.given is too small");

/* Words of the past, and what to write now. */
static const struct {
  const char *name, *now;
} former[] = {
  {"columns", "--columns is called --show now"},
  {"method", "the method is given by --by, as in --by rk4"},
  {"integrator", "the method is given by --by, as in --by rk4"},
  {"solver", "the method is given by --by, as in --by rk4"},
  {"param", "a parameter is given by -p, as in -p m=2"},
  {"time", "how long is given by --for, as in --for 10"},
  {"duration", "how long is given by --for, as in --for 10"},
  {"output", "the file is given by --out, as in --out motion.csv"},
  {"points", "--points is part of the range now: NAME=a..b:N"},
};

const Option *pf_option(int index)
{
  return index >= 0 && index < OPTIONS ? table + index : NULL;
}

int pf_option_find(const char *name, size_t length)
{
  for (int i = 0; i < OPTIONS; i++)
    if (strlen(table[i].name) == length && !strncmp(table[i].name, name, length)) return i;
  return -1;
}

bool pf_cli_is_listed(const char *names, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = names; *at; at += strspn(at, " ")) {
    size_t own = strcspn(at, " ");
    if (own == length && !strncmp(at, name, own)) return true;
    at += own;
  }
  return false;
}

bool pf_command_takes(const Command *command, const Option *option)
{
  return !strcmp(option->name, "help") || pf_cli_is_listed(command->takes, option->name);
}

const char *pf_cli_given(const Options *options, const char *names)
{
  for (int i = 0; i < OPTIONS; i++)
    if (options->given[i] && pf_cli_is_listed(names, table[i].name)) return table[i].name;
  return NULL;
}

void pf_cli_forget(Options *options, const char *names)
{
  for (int i = 0; i < OPTIONS; i++)
    if (pf_cli_is_listed(names, table[i].name)) options->given[i] = false;
}

PfStatus pf_cli_refuse(PfContext *ctx, const Options *options, const char *names, const char *why)
{
  const char *name = pf_cli_given(options, names);
  return name ? pf_fail(ctx, PF_ERR_ARGUMENT, "--%s has no effect: %s", name, why) : PF_OK;
}

/* ---------------------------------------------------------------- reading: what is wrong */

typedef struct Reader {
  const Command *command;
  int argc, at; /* the next word */
  char **argv;
  Options *options;
  PfContext *ctx;
} Reader;

/* Names of all commands that take the option, in `list`. */
static void list_takers(const Option *option, char *list, size_t size)
{
  const Command *const *lists[] = {pf_commands, pf_studies};
  size_t used = 0;
  for (int k = 0; k < 2; k++)
    for (const Command *const *c = lists[k]; *c && used < size; c++)
      if (pf_command_takes(*c, option))
        used += (size_t)snprintf(list + used, size - used, "%s'%s'", used ? ", " : "", (*c)->name);
}

static PfStatus not_taken(Reader *r, const Option *option, const char *word)
{
  char list[400] = "";
  list_takers(option, list, sizeof list);
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "'%s' does not take %s", r->command->name, word);
  pf_hint(r->ctx, "it is an option of %s", list);
  return PF_ERR_ARGUMENT;
}

static PfStatus unknown(Reader *r, const char *name, size_t length)
{
  char word[64];
  const char *similar = NULL;
  int best = 0;
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  for (size_t i = 0; i < sizeof former/sizeof *former; i++)
    if (!strcmp(former[i].name, word)) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s", former[i].now);
  for (int i = 0; i < OPTIONS; i++)
    if (pf_command_takes(r->command, table + i) && pf_name_is_nearer(word, table[i].name, &best))
      similar = table[i].name;
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "unknown option --%s", word);
  if (similar) pf_hint(r->ctx, "did you mean --%s?", similar);
  return PF_ERR_ARGUMENT;
}

/* ---------------------------------------------------------------- reading: one option */

static PfStatus read_number(Reader *r, const Option *option, const char *text, double *value)
{
  static const char *const kinds[] = {[OPTION_POSITIVE] = "positive number",
                                      [OPTION_FRACTION] = "number between 0 and 1",
                                      [OPTION_COUNT] = "positive whole number"};
  char what[64];
  int before = pf_diagnostic_count(r->ctx);
  snprintf(what, sizeof what, "--%s", option->name);
  PfStatus status = pf_constant_read_for(r->ctx, what, text, option->unit, value);
  bool pure = !strcmp(option->unit, "1");
  if (status != PF_OK && !(pure && status == PF_ERR_ARGUMENT)) return status;
  pf_diagnostics_cut(r->ctx, before); /* for a pure number there is a simpler word */
  double x = status == PF_OK ? *value : NAN;
  bool good = option->type == OPTION_NUMBER || (option->type == OPTION_POSITIVE && x > 0) ||
              (option->type == OPTION_FRACTION && x >= 0 && x <= 1) ||
              (option->type == OPTION_COUNT && x >= 1 && x <= 1e15 && x == floor(x));
  return good ? PF_OK : pf_fail(r->ctx, PF_ERR_ARGUMENT, "--%s: '%s' is not a "
                                "%s", option->name, text, kinds[option->type]);
}

static PfStatus no_value(Reader *r, const Option *option, const char *word)
{
  pf_fail(r->ctx, PF_ERR_ARGUMENT, "a value is missing after %s", word);
  pf_hint(r->ctx, "write %s %s", word, option->argument);
  return PF_ERR_ARGUMENT;
}

static bool is_blank(const char *text)
{
  return !text[strspn(text, " \t\r\n")];
}

static PfStatus take(Reader *r, const Option *option, const char *text)
{
  char *field = (char *)r->options + option->offset;
  bool again = r->options->given[option - table];
  if (again && option->type != OPTION_FLAG && option->type != OPTION_LIST)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--%s was given twice", option->name);
  r->options->given[option - table] = true;
  if (option->type == OPTION_FLAG) *(bool *)(void *)field = true;
  else if (option->type != OPTION_LIST) r->options->word[option - table] = text;
  if (option->type == OPTION_FLAG) return PF_OK;
  if (option->type == OPTION_TEXT) *(const char **)(void *)field = text;
  else if (option->type != OPTION_LIST) return read_number(r, option, text, (double *)(void *)field);
  else {
    Texts *list = (Texts *)(void *)field;
    if (list->count == MOST_TEXTS) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--%s is given too often", option->name);
    list->at[list->count++] = text;
  }
  return PF_OK;
}

/* The value stands behind the option in the same word, or is the next word. */
static PfStatus take_value(Reader *r, const Option *option, const char *word, const char *value)
{
  if (option->type == OPTION_FLAG) return take(r, option, NULL);
  if (!value && r->at < r->argc) value = r->argv[r->at++];
  return value && !is_blank(value) ? take(r, option, value) : no_value(r, option, word);
}

static PfStatus ambiguous(Reader *r, const char *name, size_t length)
{
  char list[400] = "";
  size_t used = 0;
  for (int i = 0; i < OPTIONS && used < sizeof list; i++)
    if (!strncmp(table[i].name, name, length) && pf_command_takes(r->command, table + i))
      used += (size_t)snprintf(list + used, sizeof list - used, "%s--%s", used ? ", " : "", table[i].name);
  return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--%.*s may be one of %s", (int)length, name, list);
}

/* --name, --name=value; the name may be cut short where one option of the command alone begins so. */
static PfStatus read_long(Reader *r, const char *word)
{
  const char *name = word + 2, *equals = strchr(name, '=');
  size_t length = equals ? (size_t)(equals - name) : strlen(name);
  int exact = pf_option_find(name, length), found = exact, count = exact >= 0;
  for (int i = 0; exact < 0 && length && i < OPTIONS; i++)
    if (!strncmp(table[i].name, name, length) && pf_command_takes(r->command, table + i)) {
      if (count++) return ambiguous(r, name, length);
      found = i;
    }
  if (!count) return unknown(r, name, length);
  const Option *option = table + found;
  char full[64];
  snprintf(full, sizeof full, "--%s", option->name);
  if (!pf_command_takes(r->command, option)) return not_taken(r, option, full);
  if (equals && option->type == OPTION_FLAG) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "%s takes no value", full);
  return take_value(r, option, full, equals ? equals + 1 : NULL);
}

/* -w, -p value, -pvalue, -wh */
static PfStatus read_short(Reader *r, const char *letters)
{
  for (; *letters; letters++) {
    char word[3] = {'-', *letters, 0};
    int i = 0;
    while (i < OPTIONS && table[i].letter != *letters) i++;
    if (i == OPTIONS)
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "unknown option -%c", isprint((unsigned char)*letters) ? *letters : '?');
    if (!pf_command_takes(r->command, table + i)) return not_taken(r, table + i, word);
    if (table[i].type != OPTION_FLAG) return take_value(r, table + i, word, letters[1] ? letters + 1 : NULL);
    PF_TRY(take(r, table + i, NULL));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- reading: all */

/* NAME=a..b, or what was meant as it: the study says how it is written. */
static bool is_range(const char *word)
{
  struct stat status;
  return strchr(word, '=') && (strstr(word, "..") || stat(word, &status) != 0);
}

static const char *operand_of(const Reader *r)
{
  return r->command->operand ? r->command->operand : "file";
}

static PfStatus read_operand(Reader *r, const char *word)
{
  Options *o = r->options;
  int most = r->command->most_files ? r->command->most_files : 1;
  if (r->command->takes_range && !o->range && is_range(word)) {
    o->range = word;
    return PF_OK;
  }
  if (o->file_count == most && most == 1)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "one %s at a time, not also '%s'", operand_of(r), word);
  if (o->file_count == most)
    return pf_fail(r->ctx, PF_ERR_ARGUMENT, "at most %d %ss at a time", most, operand_of(r));
  o->files[o->file_count++] = word;
  return PF_OK;
}

/* --out x.pf in place of --out x.csv must not cost the model. */
static bool is_same_file(const char *a, const char *b)
{
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

PfStatus pf_cli_spare_files(PfContext *ctx, const Options *o, const char *option, const char *path)
{
  for (int i = 0; path && i <= o->file_count; i++) {
    const char *read = i < o->file_count ? o->files[i] : o->page;
    if (read && is_same_file(path, read))
      return pf_fail(ctx, PF_ERR_ARGUMENT, "--%s would overwrite what is read: %s", option, path);
  }
  return PF_OK;
}

static PfStatus check_files(Reader *r)
{
  Options *o = r->options;
  const char *instead = r->command->instead;
  bool spared = r->command->needs_none || (instead && pf_cli_given(o, instead));
  if (!o->file_count && !spared) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "a %s is missing", operand_of(r));
  PF_TRY(pf_cli_spare_files(r->ctx, o, "out", o->out));
  PF_TRY(pf_cli_spare_files(r->ctx, o, "poses", o->poses));
  o->file = o->files[0];
  return PF_OK;
}

/* "rtol" of "rtol atol " */
static int first_word(const char *names)
{
  return (int)strcspn(names, " ");
}

static PfStatus check_needs(Reader *r)
{
  for (const OptionNeed *need = r->command->needs; need && need->names; need++) {
    const char *given = pf_cli_given(r->options, need->names);
    if (!given) continue;
    if (need->with && !pf_cli_given(r->options, need->with))
      return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--%s goes with --%.*s and has no effect without", given,
                     first_word(need->with), need->with);
    const char *other = need->without ? pf_cli_given(r->options, need->without) : NULL;
    if (other) return pf_fail(r->ctx, PF_ERR_ARGUMENT, "--%s and --%s exclude each other", given, other);
  }
  return PF_OK;
}

static PfStatus read_all(Reader *r)
{
  bool ended = false;
  while (r->at < r->argc) {
    const char *word = r->argv[r->at++];
    if (!ended && !strcmp(word, "--")) ended = true;
    else if (!ended && !strncmp(word, "--", 2)) PF_TRY(read_long(r, word));
    else if (!ended && word[0] == '-' && word[1]) PF_TRY(read_short(r, word + 1));
    else PF_TRY(read_operand(r, word));
  }
  if (r->options->help) return PF_OK;
  PF_TRY(check_needs(r));
  return check_files(r);
}

static Options no_options(void)
{
  Options options = {0};
  for (int i = 0; i < OPTIONS; i++)
    if (table[i].type >= OPTION_NUMBER) *(double *)(void *)((char *)&options + table[i].offset) = NAN;
  return options;
}

/* Programs that ask for JSON get it also when the rest is wrong, wherever --json stands. */
static bool asks_for_json(const Reader *r)
{
  for (int i = 1; i < r->argc && pf_cli_is_listed(r->command->takes, "json"); i++)
    if (!strcmp(r->argv[i], "--json")) return true;
  return false;
}

int pf_cli_options(const Command *command, const Console *console, int argc, char **argv, Options *options)
{
  *options = no_options();
  options->console = console;
  options->command = command;
  Reader r = {.command = command, .argc = argc, .at = 1, .argv = argv, .options = options, .ctx = pf_context_new(NULL)};
  PfStatus status = r.ctx ? read_all(&r) : PF_ERR_MEMORY;
  if (status == PF_OK && options->help) pf_cli_help(command, console->out);
  if (status != PF_OK) {
    options->json = asks_for_json(&r);
    (void)pf_cli_fail(r.ctx, status, options);
    pf_cli_usage(command, console->err);
    fprintf(console->err, "'pfaff %s --help' tells more\n", command->name);
  }
  pf_context_free(r.ctx);
  return pf_cli_exit_code(status);
}
