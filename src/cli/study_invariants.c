/* pfaff study invariants: what stays constant along the motion. */
#include "cli/study.h"

#include <math.h>
#include <string.h>

static int run(int argc, char **argv);

const Command pf_study_invariants = {
  "study invariants", "conserved quantities: energy, momenta, others linear or quadratic in the velocities",
  "[-p NAME=VALUE] [--json] FILE\n\n"
  "Looks for functions of the state that are constant along every motion: energy, momenta of coordinates, and\n"
  "combinations of momenta and velocities with sines, cosines and coordinates as coefficients. Those shown are\n"
  "independent of each other, and proven: their rate is zero at random states in exact arithmetic, and by the normal\n"
  "form where that is possible. 'pfaff run --invariants' watches them.\n\n"
  "  -p, --param NAME=VALUE     another value for a parameter\n"
  "      --json                 for programs, on standard output",
  run};

typedef struct Result {
  Session s;
  double *given; /* parameters from the command line, else NaN */
  PfInvariants found;
} Result;

static const char *print(const Result *r, PfExpr e)
{
  const char *text = pf_expr_print(r->s.ctx, r->s.arena, e, PF_TEXT);
  return text ? text : "?";
}

/* The formula, unless it is so long that nobody would read it. */
static const char *show(const Result *r, const PfInvariant *one)
{
  enum { LONG_FORMULA = 400 };
  size_t length = pf_expr_length(r->s.ctx, one->value);
  char text[100];
  if (length < LONG_FORMULA) return print(r, one->value);
  snprintf(text, sizeof text, "a formula of %zu words and signs; --json has it", length);
  const char *copy = pf_arena_text(r->s.arena, text, strlen(text));
  return copy ? copy : "?";
}

static const char *proof_words(const PfInvariant *one)
{
  return one->proof == PF_TRUE ? "normal form and prime fields" : "prime fields";
}

/* ---------------------------------------------------------------- writing */

/* Parameters that are 0 leave something out of the model: what is said holds without it. */
static void text_zeros(const Result *r, PfText *text)
{
  const PfModel *model = r->s.model;
  int count = 0;
  for (int i = 0; i < model->parameter_count; i++) {
    const PfParameter *p = model->parameters + i;
    bool given = !isnan(r->given[i]);
    bool zero = given ? r->given[i] == 0 : p->value != PF_EXPR_NONE && pf_expr_is_structural_zero(r->s.ctx, p->value);
    if (zero) pf_text_print(text, "%s%s", count++ ? ", " : "  with 0 for          ", p->name);
  }
  if (count) pf_text_add(text, ", whatever the other parameters are where all values are meant\n");
}

static void write_text(void *user, PfText *text)
{
  const Result *r = user;
  const PfModel *model = r->s.model;
  pf_text_print(text, "%s%s%s\n", pf_cli_name(model), model->title[0] ? ": " : "", model->title);
  if (r->found.why_not) pf_text_print(text, "  nothing was looked for: %s\n", r->found.why_not);
  else if (!r->found.count) pf_text_print(text, "  no conserved quantity among combinations of %d functions\n", r->found.tried);
  for (int i = 0; i < r->found.count; i++) {
    const PfInvariant *one = r->found.at + i;
    const char *kind = pf_invariant_kind_name(one->kind);
    if (one->name) pf_text_print(text, "  %-20s%s\n", kind, one->name);
    pf_text_print(text, "  %-20s%s\n", one->name ? "" : kind, show(r, one));
    pf_text_print(text, "  %-20sconstant for %s of the parameters, by %s%s\n", "", one->general ? "all values" : "these values",
                  proof_words(one), one->dependent ? "; follows from the others" : "");
  }
  if (r->found.count) text_zeros(r, text);
}

static void write_json(void *user, PfJson *json)
{
  const Result *r = user;
  pf_json_open(json, NULL, '{');
  pf_json_string(json, "model", pf_cli_name(r->s.model));
  pf_json_open(json, "invariants", '[');
  for (int i = 0; i < r->found.count; i++) {
    const PfInvariant *one = r->found.at + i;
    pf_json_open(json, NULL, '{');
    pf_json_string(json, "kind", pf_invariant_kind_name(one->kind));
    pf_json_string(json, "name", one->name);
    pf_json_string(json, "value", print(r, one->value));
    pf_json_bool(json, "for_all_parameters", one->general);
    pf_json_bool(json, "dependent", one->dependent);
    pf_json_bool(json, "normal_form", one->proof == PF_TRUE);
    pf_json_close(json, '}');
  }
  pf_json_close(json, ']');
  pf_json_integer(json, "tried", r->found.tried);
  pf_json_string(json, "why_not", r->found.why_not);
  pf_json_close(json, '}');
}

/* ---------------------------------------------------------------- the command */

static PfStatus study(Result *r, const Options *options)
{
  PF_TRY(pf_cli_open(&r->s, options->file));
  r->given = pf_cli_parameters(r->s.ctx, r->s.arena, r->s.model, options);
  if (!r->given) return PF_ERR_ARGUMENT;
  return pf_invariants_find(r->s.ctx, r->s.arena, &r->s.equations, r->given, &r->found);
}

static int run(int argc, char **argv)
{
  Options options;
  int code = pf_cli_options(&pf_study_invariants, OPTION_JSON | OPTION_PARAMETER, argc, argv, &options);
  if (code != PF_EXIT_OK || options.help) return code;
  Result r = {0};
  PfStatus status = study(&r, &options);
  if (status == PF_OK) code = pf_cli_output(r.s.ctx, options.json, &r, write_json, write_text);
  pf_cli_diagnostics(r.s.ctx);
  pf_cli_close(&r.s);
  return status == PF_OK ? code : status == PF_ERR_ARGUMENT ? PF_EXIT_USAGE : PF_EXIT_FAILED;
}
