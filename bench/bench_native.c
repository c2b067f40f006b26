/* SPDX-License-Identifier: Apache-2.0 */
/* One step of Euler's method, that is one evaluation of the accelerations, by the tape, by native code, and as a person
 * writes it. In steps each evaluation waits for the one before, as in every integration:
 *
 *   bench_native [--form NAME] [FILE …]       the four examples of the goals unless named; 'auto' by default
 *
 * Seconds of the processor: all contenders in turn, the least mean of a batch counts. Ours gives accelerations,
 * multipliers, the power of forces and the pivots that tell whether they can be trusted; "tape" and "native" are the
 * same call of pf_solver_accelerate. */
#include "hand.h"
#include "pfaff/pfaff.h"
#include "timer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, MOST = 64 };
static const double STEP = 1e-12; /* seconds: millions of them lead nowhere */

typedef struct Ours {
  PfSim *sim;
  PfSolver *solver;
  double *values; /* of all symbols */
  double *q, *v;  /* in them */
  int n;
  PfMotion motion;
} Ours;

typedef struct Hand {
  void (*function)(const double *y, double *d, double push);
  double y[MOST], d[MOST];
  int count;
} Hand;

static const struct {
  const char *name;
  void (*function)(const double *y, double *d, double push);
} hands[] = {
  {"free_floating", hand_free_floating}, {"omni_robot", hand_omni_robot}, {"snakeboard", hand_snakeboard}};

static _Noreturn void stop(const char *where, const char *what)
{
  fprintf(stderr, "bench_native: %s: %s\n", where, what);
  exit(1);
}

static void *room(int count)
{
  void *block = calloc((size_t)count + 1, sizeof(double));
  if (!block) stop("memory", "there is none left");
  return block;
}

static void accelerate(void *user)
{
  Ours *o = user;
  int row;
  if (pf_solver_accelerate(o->solver, o->values, &o->motion, &row) != PF_TROUBLE_NONE) stop("state", "trouble");
  for (int i = 0; i < o->n; i++) {
    o->q[i] += STEP*o->v[i];
    o->v[i] += STEP*o->motion.acceleration[i];
  }
}

static void by_hand(void *user)
{
  Hand *h = user;
  h->function(h->y, h->d, 1);
  for (int i = 0; i < h->count; i++) h->y[i] += STEP*h->d[i];
}

static void open_ours(Ours *o, const char *file, const char *form, PfNative mode)
{
  PfError error;
  o->sim = pf_sim_open(file, &error);
  if (!o->sim) stop(file, error.message);
  if (!pf_sim_set_native(o->sim, mode) || !pf_sim_place(o->sim)) stop(file, pf_sim_error(o->sim)->message);
  PfContext *ctx = pf_sim_context(o->sim);
  const PfSystem *system = pf_sim_system(o->sim);
  const PfSymbols *in = pf_system_symbols(system);
  o->values = room(in->count);
  memcpy(o->values, pf_sim_values(o->sim), (size_t)in->count*sizeof(double));
  o->q = o->values + in->q;
  o->v = o->values + in->v;
  o->n = pf_system_equations(system)->n;
  if (pf_solver_new_at(ctx, system, pf_formulation_find(form), o->values, &o->solver)) stop(file, "no solver");
  o->motion.acceleration = room(pf_system_equations(system)->n);
  o->motion.multiplier = room(pf_system_equations(system)->m);
  for (int i = 0; i < 10; i++) accelerate(o);
}

static void close_ours(Ours *o)
{
  pf_solver_free(o->solver);
  free(o->values);
  free(o->motion.acceleration);
  free(o->motion.multiplier);
  pf_sim_close(o->sim);
}

static void take_state(const Ours *o, Hand *h)
{
  h->count = h->function == hand_omni_robot ? 9 : 2*o->n;
  for (int i = 0; i < o->n && 2*o->n < MOST; i++) h->y[i] = o->q[i], h->y[o->n + i] = o->v[i];
  for (int i = 0; i < 3 && h->count == 9; i++) h->y[6 + i] = o->v[3 + i]; /* the wheels follow */
}

static void race(const char *file, const char *form)
{
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  Ours tape = {0}, native = {0};
  Hand hand = {0};
  open_ours(&tape, file, form, PF_NATIVE_OFF);
  open_ours(&native, file, form, PF_NATIVE_ON);
  for (size_t i = 0; i < sizeof hands/sizeof *hands; i++)
    if (!strncmp(name, hands[i].name, strlen(hands[i].name)) && name[strlen(hands[i].name)] == '.')
      hand.function = hands[i].function;
  take_state(&tape, &hand);
  void *users[] = {&tape, &native, &hand};
  Work *works[] = {accelerate, accelerate, by_hand};
  double least[3] = {INFINITY, INFINITY, INFINITY};
  int size[3] = {0};
  for (int k = 0; k < 2 + (hand.function != NULL); k++) size[k] = find_batch_size(works[k], users[k]);
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < 3; k++)
      if (size[k]) least[k] = fmin(least[k], time_of_batch(works[k], users[k], size[k])/size[k]);
  printf("%-20s %-12s %9.1f %9.1f %7.2f", name, pf_formulation_name(pf_solver_formulation(tape.solver)), 1e9*least[0],
         1e9*least[1], least[0]/least[1]);
  if (size[2]) printf(" %9.1f %7.2f", 1e9*least[2], least[1]/least[2]);
  printf("\n");
  close_ours(&tape);
  close_ours(&native);
}

int main(int count, char **words)
{
  static const char *const usual[] = {"spacecraft/free_floating", "wheels/omni_robot", "skates/snakeboard",
                                      "wheels/bicycle"};
  const bool given = count > 2 && strcmp(words[1], "--form") == 0;
  const char *form = given ? words[2] : "auto";
  const int first = given ? 3 : 1;
  if (!pf_formulation_find(form)) stop(form, "no such formulation");
  demand_fine_clock();
  printf("%-20s %-12s %9s %9s %7s %9s %7s\n", "model", "formulation", "tape ns", "native ns", "times", "hand ns",
         "of it");
  for (int i = first; i < count; i++) race(words[i], form);
  for (size_t i = 0; count == first && i < sizeof usual/sizeof *usual; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/examples/%s.pf", PF_SOURCE_DIR, usual[i]);
    race(path, form);
  }
  return 0;
}
