/* pfaff study: finds the kind of study asked for. One file per kind. */
#include "cli/study.h"

#include <string.h>

static int run(int argc, char **argv);

const Command pf_command_study = {
  .name = "study", .summary = "steady motions, stability, bifurcations, linear models, integrability",
  .operands = "FILE", .about = "", .takes = "", .run = run};

const Command *const pf_studies[] = {
  &pf_study_equilibria,
  &pf_study_steady,
  &pf_study_continue,
  &pf_study_linearize,
  &pf_study_portrait,
  &pf_study_poincare,
  &pf_study_integrability,
  &pf_study_invariants,
  NULL,
};

static const char *kind_of(const Command *study)
{
  return study->name + strlen("study ");
}

static void usage(FILE *stream)
{
  fputs("usage: pfaff study KIND [options] FILE\n\nKinds:\n", stream);
  for (int i = 0; pf_studies[i]; i++) fprintf(stream, "  %-13s %s\n", kind_of(pf_studies[i]), pf_studies[i]->summary);
  fputs("\n'pfaff study KIND --help' tells more.\n", stream);
}

static const Command *find(const char *kind)
{
  for (int i = 0; pf_studies[i]; i++)
    if (!strcmp(kind_of(pf_studies[i]), kind)) return pf_studies[i];
  return NULL;
}

static int unknown(const char *kind)
{
  enum { NEAR = 3 };
  const char *similar = NULL;
  int nearest = NEAR + 1;
  for (int i = 0; pf_studies[i]; i++) {
    int distance = pf_name_distance(kind, kind_of(pf_studies[i]), NEAR);
    if (distance < nearest) nearest = distance, similar = kind_of(pf_studies[i]);
  }
  fprintf(stderr, "pfaff study: there is no study '%s'", kind);
  if (similar) fprintf(stderr, " (did you mean '%s'?)", similar);
  fputs("\n'pfaff study --help' lists them\n", stderr);
  return PF_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
  if (argc < 2) {
    usage(stderr);
    return PF_EXIT_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    usage(stdout);
    return PF_EXIT_OK;
  }
  const Command *study = find(argv[1]);
  return study ? study->run(argc - 1, argv + 1) : unknown(argv[1]);
}
