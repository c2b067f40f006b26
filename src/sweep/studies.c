/* SPDX-License-Identifier: Apache-2.0 */
/* Members that are studied instead of moved: the linear model at the start of each, by its eigenvalues. */
#include "pfaff/study.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct PfMemberStudy {
  PfArena *arena;        /* of the equations */
  PfEquations equations;
  PfSystem *system;      /* of them; NULL: that of the simulation does */
  PfDynamics *field;
};

/* ---------------------------------------------------------------- what is taken */

/* re[2]: the number in the brackets, from 1 on; 0 when it is none. */
static int index_of(const char *text, const char *name)
{
  const size_t length = strlen(name);
  char *stop;
  if (strncmp(text, name, length) != 0 || text[length] != '[') return 0;
  const long number = strtol(text + length + 1, &stop, 10);
  return number > 0 && number < 10000 && !strcmp(stop, "]") ? (int)number : 0;
}

PfStatus pf_member_study_item(PfContext *ctx, const char *text, PfTaken *item)
{
  *item = (PfTaken){.name = text, .unit = "1/s", .scale = 1, .handle = -1};
  const int re = index_of(text, "re"), im = index_of(text, "im");
  if (!strcmp(text, "growth")) item->kind = PF_TAKE_GROWTH;
  else if (!strcmp(text, "stable")) item->kind = PF_TAKE_STABLE, item->unit = "";
  else if (re) item->kind = PF_TAKE_RE, item->part = re - 1;
  else if (im) item->kind = PF_TAKE_IM, item->part = im - 1, item->unit = "rad/s";
  else {
    pf_fail(ctx, PF_ERR_ARGUMENT, "--take %s: the study 'linearize' does not give that", text);
    pf_hint(ctx, "it gives growth (the largest real part), stable (1 or 0), and re[1], im[1], … (eigenvalues, the "
                 "rightmost first)");
    return PF_ERR_ARGUMENT;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- one member */

static PfStatus make(PfMember *m, struct PfMemberStudy *study)
{
  PfContext *ctx = pf_sim_context(m->sim);
  const PfSystem *system = pf_sim_system(m->sim);
  study->arena = pf_arena_new(pf_context_allocator(ctx));
  if (!study->arena) return PF_ERR_MEMORY;
  if (pf_system_in_bodies(system)) {
    study->equations = *pf_system_equations(system);
    PF_TRY(pf_equations_write_out(ctx, study->arena, &study->equations));
    PF_TRY(pf_system_new(ctx, &study->equations, &study->system));
    system = study->system;
  }
  return pf_dynamics_new(ctx, system, NULL, NULL, &study->field);
}

PfStatus pf_member_study_make(PfMember *m)
{
  m->study = pf_arena_array(m->arena, struct PfMemberStudy, 1);
  return m->study ? make(m, m->study) : PF_ERR_MEMORY;
}

void pf_member_study_free(PfMember *m)
{
  if (!m->study) return;
  pf_dynamics_free(m->study->field);
  pf_system_free(m->study->system);
  pf_arena_free(m->study->arena);
}

/* Eigenvalues of what does not matter, as where a carriage stands, are zero up to rounding, and several of them up to
 * its root. */
static bool is_stable(const PfLinear *linear)
{
  double most = 1;
  for (int i = 0; i < linear->states; i++) most = fmax(most, hypot(linear->re[i], linear->im[i]));
  return !linear->states || linear->re[0] <= 1e-6*most;
}

static double value_of(const PfTaken *item, const PfLinear *linear)
{
  switch (item->kind) {
  case PF_TAKE_GROWTH: return linear->states ? linear->re[0] : NAN;
  case PF_TAKE_STABLE: return is_stable(linear);
  case PF_TAKE_RE: return item->part < linear->states ? linear->re[item->part] : NAN;
  case PF_TAKE_IM: return item->part < linear->states ? linear->im[item->part] : NAN;
  default: return NAN;
  }
}

static PfStatus study(PfMember *m, PfArena *arena, double *row)
{
  const PfTake *take = &m->sweep->take;
  PfDynamics *field = m->study->field;
  PfLinear linear;
  PF_TRY(pf_dynamics_place(field, pf_sim_values(m->sim)));
  PF_TRY(pf_dynamics_chart(field, NULL));
  PF_TRY(pf_linearize(pf_sim_context(m->sim), arena, field, NULL, 0, &linear));
  for (int i = 0; i < take->count; i++) row[i] = value_of(take->items + i, &linear);
  return PF_OK;
}

PfStatus pf_member_study_run(PfMember *m, double *row)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(pf_sim_context(m->sim)));
  PfStatus status = arena ? study(m, arena, row) : PF_ERR_MEMORY;
  pf_arena_free(arena);
  return status;
}
