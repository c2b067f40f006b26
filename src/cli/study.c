/* SPDX-License-Identifier: Apache-2.0 */
/* pfaff study: finds the kind of study asked for. One file per kind. */
#include "cli/cli.h"

#include <string.h>

const PfTask pf_study_task = {
  .name = "study", .summary = "steady motions, stability, bifurcations, linear models, integrability",
  .operands = "FILE", .about = "", .takes = ""};

const PfTask *const pf_studies[] = {
  &pf_equilibria_task,
  &pf_steady_task,
  &pf_continue_task,
  &pf_linearize_task,
  &pf_portrait_task,
  &pf_poincare_task,
  &pf_integrability_task,
  &pf_invariants_task,
  &pf_measure_task,
  NULL,
};

static const char *kind_of(const PfTask *study)
{
  return study->name;
}

static void usage(FILE *stream)
{
  fputs("usage: pfaff study KIND [options] FILE\n\nKinds:\n", stream);
  for (int i = 0; pf_studies[i]; i++) fprintf(stream, "  %-13s %s\n", kind_of(pf_studies[i]), pf_studies[i]->summary);
  fputs("\n'pfaff study KIND --help' tells more.\n", stream);
}

static const PfTask *find(const char *kind)
{
  for (int i = 0; pf_studies[i]; i++)
    if (!strcmp(kind_of(pf_studies[i]), kind)) return pf_studies[i];
  return NULL;
}

/* Other words for them. */
static const struct {
  const char *word, *ours;
} habits[] = {{"stability", "linearize"}, {"eigenvalues", "linearize"}, {"equilibrium", "equilibria"},
              {"fixed", "equilibria"},    {"bifurcation", "continue"},  {"bifurcations", "continue"},
              {"phase", "portrait"},      {"chaos", "poincare"},
              {"lyapunov", "poincare"},        {"section", "poincare"}};

static int unknown(const Console *console, int argc, char **argv)
{
  char hint[80] = "'pfaff study --help' lists them";
  int best = 0;
  for (size_t i = 0; i < sizeof habits/sizeof *habits; i++)
    if (!strcmp(habits[i].word, argv[1])) snprintf(hint, sizeof hint, "'pfaff study %s' tells it", habits[i].ours);
  for (int i = 0; pf_studies[i]; i++)
    if (pf_name_is_nearer(argv[1], kind_of(pf_studies[i]), &best))
      snprintf(hint, sizeof hint, "did you mean '%s'?", kind_of(pf_studies[i]));
  return pf_cli_wrong_usage(console, argc, argv, hint, "there is no study '%s'", argv[1]);
}

int pf_cli_study(const Console *console, int argc, char **argv)
{
  if (argc < 2) {
    usage(console->err);
    return PF_EXIT_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    usage(console->out);
    return PF_EXIT_OK;
  }
  const PfTask *study = find(argv[1]);
  return study ? pf_cli_do(study, console, argc - 1, argv + 1) : unknown(console, argc, argv);
}
