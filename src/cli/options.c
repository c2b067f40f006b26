/* Options of the commands, and what every command does first and last. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void pf_cli_usage(const Command *command, FILE *stream)
{
  fprintf(stream, "usage: pfaff %s %s\n", command->name, command->usage);
}

static int complain(const Command *command, const char *what, const char *which)
{
  fprintf(stderr, "pfaff %s: %s%s%s\n", command->name, what, which ? " " : "", which ? which : "");
  pf_cli_usage(command, stderr);
  return PF_EXIT_USAGE;
}

enum { FIRST_STUDY_OPTION = 1000 }; /* no letter */

static const struct option long_options[] = {
  {"help", no_argument, NULL, 'h'},        {"json", no_argument, NULL, 'j'},
  {"latex", no_argument, NULL, 'l'},       {"param", required_argument, NULL, 'p'},
  {"form", required_argument, NULL, 'f'},  {"write", no_argument, NULL, 'w'},
  {"state", required_argument, NULL, 's'}, {"time", required_argument, NULL, 't'},
  {"by", required_argument, NULL, 'b'},    {"for", required_argument, NULL, 'T'},
  {"rtol", required_argument, NULL, 'r'},  {"atol", required_argument, NULL, 'a'},
  {"step", required_argument, NULL, 'H'},  {"every", required_argument, NULL, 'e'},
  {"at", required_argument, NULL, 'A'},    {"out", required_argument, NULL, 'o'},
  {"no-projection", no_argument, NULL, 'd'}, {"keep-going", no_argument, NULL, 'k'},
  {"prove", no_argument, NULL, 'P'},       {"columns", required_argument, NULL, 'c'},
  {"against", required_argument, NULL, 'x'}, {"log", no_argument, NULL, 'L'},
  {"free", no_argument, NULL, 'F'},
  {"real-time", no_argument, NULL, 'R'},   {"rate", required_argument, NULL, 'N'},
  {"rho", required_argument, NULL, 'Q'},   {"printed", no_argument, NULL, 'O'},
  {"adaptive", no_argument, NULL, 'D'},    {"invariants", no_argument, NULL, 'I'},
  {"spatial", no_argument, NULL, 'Z'},   {"as-given", no_argument, NULL, 'G'},
  {"most-steps", required_argument, NULL, 'M'},
#define PF_STUDY_ENTRY(name, word, argument) {word, argument, NULL, FIRST_STUDY_OPTION + STUDY_##name},
  PF_STUDY_OPTIONS(PF_STUDY_ENTRY)
#undef PF_STUDY_ENTRY
  {NULL, 0, NULL, 0},
};

static unsigned needs(int letter)
{
  if (letter >= FIRST_STUDY_OPTION) return pf_study_option(letter - FIRST_STUDY_OPTION);
  switch (letter) {
  case 'j': return OPTION_JSON;
  case 'l': return OPTION_LATEX;
  case 'p': return OPTION_PARAMETER;
  case 'f': return OPTION_FORM;
  case 'w': return OPTION_WRITE;
  case 's': case 'G': return OPTION_STATE;
  case 't': return OPTION_TIME;
  case 'b': case 'r': case 'a': case 'H': case 'e': case 'A': case 'd':
  case 'k': case 'Q': case 'O': case 'M':
  case 'D': return OPTION_RUN;
  case 'o': return OPTION_OUT;
  case 'T': return OPTION_FOR;
  case 'Z': return OPTION_SPATIAL;
  case 'P': return OPTION_PROVE;
  case 'F': return OPTION_FREE;
  case 'R': case 'I':
  case 'N': return OPTION_PACE;
  case 'c': case 'x':
  case 'L': return OPTION_PLOT;
  default: return 0;
  }
}

static bool take(Options *options, int letter, const char *argument)
{
  const int most = (int)(sizeof options->parameters/sizeof *options->parameters);
  if (letter >= FIRST_STUDY_OPTION) {
    options->study[letter - FIRST_STUDY_OPTION] = argument ? argument : "";
    return true;
  }
  switch (letter) {
  case 'h': options->help = true; break;
  case 'j': options->json = true; break;
  case 'l': options->latex = true; break;
  case 'f': options->form = argument; break;
  case 'w': options->write = true; break;
  case 't': options->time = argument; break;
  case 'b': options->method = argument; break;
  case 'T': options->horizon = argument; break;
  case 'r': options->rtol = argument; break;
  case 'a': options->atol = argument; break;
  case 'H': options->step = argument; break;
  case 'e': options->every = argument; break;
  case 'A': options->at = argument; break;
  case 'o': options->out = argument; break;
  case 'd': options->drift = true; break;
  case 'k': options->keep_going = true; break;
  case 'P': options->prove = true; break;
  case 'c': options->columns = argument; break;
  case 'x': options->against = argument; break;
  case 'L': options->log = true; break;
  case 'F': options->free = true; break;
  case 'R': options->real_time = true; break;
  case 'N': options->rate = argument; break;
  case 'Q': options->rho = argument; break;
  case 'O': options->printed = true; break;
  case 'D': options->adaptive = true; break;
  case 'M': options->most_steps = argument; break;
  case 'I': options->invariants = true; break;
  case 'Z': options->spatial = true; break;
  case 'G': options->as_given = true; break;
  case 's':
    if (options->state_count == (int)(sizeof options->state/sizeof *options->state)) return false;
    options->state[options->state_count++] = argument;
    break;
  case 'p':
    if (options->parameter_count == most) return false;
    options->parameters[options->parameter_count++] = argument;
    break;
  default: break;
  }
  return true;
}

static int unknown_option(const Command *command, unsigned allowed, const char *option)
{
  const char *similar = NULL;
  for (const struct option *o = long_options; o->name && !strncmp(option, "--", 2); o++)
    if (!(needs(o->val) & ~allowed) && pf_name_distance(option + 2, o->name, 2) <= 2) similar = o->name;
  fprintf(stderr, "pfaff %s: unknown option %s", command->name, option);
  if (similar) fprintf(stderr, " (did you mean --%s?)", similar);
  fputc('\n', stderr);
  pf_cli_usage(command, stderr);
  return PF_EXIT_USAGE;
}

/* --out x.pf in place of --out x.csv must not cost the model. */
static bool is_same_file(const char *a, const char *b)
{
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

int pf_cli_options(const Command *command, unsigned allowed, int argc, char **argv, Options *options)
{
  *options = (Options){.command = command};
  opterr = 0;
  optind = 1;
  int letter;
  while ((letter = getopt_long(argc, argv, ":hp:w", long_options, NULL)) != -1) {
    if (letter == '?') return unknown_option(command, allowed, argv[optind - 1]);
    if (letter == ':') return complain(command, "a value is missing after", argv[optind - 1]);
    if (needs(letter) & ~allowed) return complain(command, "this command does not take", argv[optind - 1]);
    if (!take(options, letter, optarg)) return complain(command, "too many parameters", NULL);
  }
  if (options->help) {
    pf_cli_usage(command, stdout);
    return PF_EXIT_OK;
  }
  if (optind == argc) return complain(command, "a model file is missing", NULL);
  if (optind + 1 < argc) return complain(command, "one file at a time, not also", argv[optind + 1]);
  options->file = argv[optind];
  if (options->out && is_same_file(options->out, options->file))
    return complain(command, "--out would overwrite what is read:", options->out);
  return PF_EXIT_OK;
}

/* ---------------------------------------------------------------- parameters */

static PfStatus set_parameter(PfContext *ctx, const PfModel *model, const char *text, double *values)
{
  char name[PF_LONGEST_NAME];
  const char *value;
  if (!pf_cli_split(text, name, &value)) return pf_fail(ctx, PF_ERR_ARGUMENT, "-p %s: write name=value", text);
  int i = pf_model_find_parameter(model, name);
  if (i < 0 || model->parameters[i].derived) {
    pf_fail(ctx, PF_ERR_NAME, "-p %s: the model has no parameter '%s'", text, name);
    pf_cli_hint_parameter(ctx, model, name);
    return PF_ERR_NAME;
  }
  char what[256];
  snprintf(what, sizeof what, "-p %s", text);
  return pf_cli_value(ctx, what, value, pf_model_measure(model, name).unit, values + i);
}

double *pf_cli_parameters(PfContext *ctx, PfArena *arena, const PfModel *model, const Options *options)
{
  double *values = pf_arena_array(arena, double, model->parameter_count);
  if (!values) {
    pf_fail(ctx, PF_ERR_MEMORY, "no room for parameters");
    return NULL;
  }
  for (int i = 0; i < model->parameter_count; i++) values[i] = NAN;
  for (int i = 0; i < options->parameter_count; i++)
    if (set_parameter(ctx, model, options->parameters[i], values) != PF_OK) return NULL;
  return values;
}

/* ---------------------------------------------------------------- session */

double pf_cli_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

PfStatus pf_cli_open(Session *session, const Options *options)
{
  *session = (Session){.ctx = pf_context_new(NULL)};
  if (!session->ctx) return PF_ERR_MEMORY;
  session->arena = pf_arena_new(pf_context_allocator(session->ctx));
  if (!session->arena) return pf_fail(session->ctx, PF_ERR_MEMORY, "no memory");
  PF_TRY(pf_cli_check_out(session->ctx, options));
  double start = pf_cli_clock();
  PF_TRY(pf_model_load(session->ctx, options->file, &session->model));
  PF_TRY(pf_equations_derive(session->ctx, session->arena, session->model, &session->equations));
  session->seconds = pf_cli_clock() - start;
  return pf_cli_give_state(session, options);
}

/* M, F, A, b after sharing: what an evaluation costs. */
PfStatus pf_cli_count(Session *s, PfCount *count)
{
  const PfEquations *eq = &s->equations;
  size_t n = (size_t)eq->n, m = (size_t)eq->m;
  PfExpr *roots = pf_arena_array(s->arena, PfExpr, n*n + n + m*n + m);
  if (!roots) return pf_fail(s->ctx, PF_ERR_MEMORY, "no memory");
  memcpy(roots, eq->M, n*n*sizeof *roots);
  memcpy(roots + n*n, eq->F, n*sizeof *roots);
  if (m) memcpy(roots + n*n + n, eq->A, m*n*sizeof *roots);
  if (m) memcpy(roots + n*n + n + m*n, eq->b, m*sizeof *roots);
  return pf_expr_operations(s->ctx, roots, (int)(n*n + n + m*n + m), count);
}

void pf_cli_close(Session *session)
{
  pf_model_free(session->model);
  pf_arena_free(session->arena);
  pf_context_free(session->ctx);
}

int pf_cli_print(const PfText *text)
{
  bool good = !text->failed;
  good = good && fwrite(pf_text_get(text), 1, text->count, stdout) == text->count;
  good = fflush(stdout) == 0 && good;
  if (good) return PF_EXIT_OK;
  fprintf(stderr, "pfaff: error: cannot write the result: %s\n", text->failed ? "no memory" : strerror(errno));
  return PF_EXIT_FAILED;
}

static PfStatus turn_text(PfContext *ctx, PfArena *arena, const Options *options, size_t largest, TurnText turn)
{
  const char *bytes, *result = NULL, *name = strcmp(options->file, "-") ? options->file : "<stdin>";
  size_t count;
  PF_TRY(pf_file_read(ctx, arena, options->file, largest, &bytes, &count));
  PF_TRY(turn(ctx, arena, name, bytes, count, options, &result));
  if (!result) return PF_OK;
  PfText text = {.at = (char *)(uintptr_t)result, .count = strlen(result)};
  return pf_cli_print(&text) == PF_EXIT_OK ? PF_OK : PF_ERR_FILE;
}

int pf_cli_turn_text(const Options *options, size_t largest, TurnText turn)
{
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = ctx ? pf_arena_new(pf_context_allocator(ctx)) : NULL;
  PfStatus status = arena ? turn_text(ctx, arena, options, largest, turn) : PF_ERR_MEMORY;
  pf_cli_diagnostics(ctx);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return status == PF_OK ? PF_EXIT_OK : PF_EXIT_FAILED;
}

int pf_cli_output(const PfContext *ctx, bool json, void *user, WriteJson write_json, WriteText write_text)
{
  PfJson out; /* its text serves both */
  pf_json_begin(&out, pf_context_allocator(ctx));
  if (json) {
    write_json(user, &out);
    pf_text_add(&out.text, "\n");
  } else {
    write_text(user, &out.text);
  }
  int code = pf_cli_print(&out.text);
  pf_json_free(&out);
  return code;
}

const char *pf_cli_name(const PfModel *model)
{
  return model->name[0] ? model->name : model->file;
}
