/* SPDX-License-Identifier: Apache-2.0 */
/* Names that 'derive' introduces, for quantities. They are formulas of velocities and coordinates, so that they have
 * rates, too. */
#include "sim/quantities.h"

#include "sim/sim_impl.h"

#include <string.h>

enum { MOST_COORDINATES = 100 }; /* for larger ones a wrong name would take long to be refused */

static bool is_in_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         (unsigned char)c >= 0x80;
}

static bool mentions(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
    if ((at == text || !is_in_name(at[-1])) && !is_in_name(at[length])) return true;
  return false;
}

typedef struct Search {
  PfContext *ctx;
  PfArena *room;
  const PfModel *model;
  const char *text;
  PfGivenName *given; /* with those of the caller first */
  int count;
} Search;

/* Pseudo-velocities that are no velocities of coordinates, and that the text mentions. */
static PfStatus add_derived(Search *s, const PfGivenName *given, int count)
{
  PfEquations eq;
  PfKinematics k;
  PF_TRY(pf_equations_derive(s->ctx, s->room, s->model, &eq));
  PF_TRY(pf_derived_kinematics(s->ctx, s->room, &eq, &k));
  s->given = pf_arena_array(s->room, PfGivenName, count + k.count);
  if (!s->given) return pf_no_room(s->ctx, "what is shown");
  if (count) memcpy(s->given, given, (size_t)count*sizeof *given);
  s->count = count;
  for (int a = 0; a < k.count && k.combined && k.definition; a++) {
    bool combination = k.independent[a] < 0 && k.definition[a] != PF_EXPR_NONE;
    if (combination && mentions(s->text, k.names[a]))
      s->given[s->count++] = (PfGivenName){.name = k.names[a], .unit = "", .value = k.definition[a]};
  }
  return PF_OK;
}

/* Events that attach and detach change which velocities there are. */
static bool has_derived(const PfModel *model)
{
  return !model->is_complete && model->speed_count == 0 && model->coordinate_count <= MOST_COORDINATES;
}

PfStatus pf_quantities_find_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfPlot **plots,
                                  int *count)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_quantities_read_given(ctx, arena, model, what, text, given, given_count, plots, count);
  if (status == PF_OK || pf_is_final(status) || !has_derived(model)) return status;
  int said = pf_diagnostic_count(ctx);
  Search s = {.ctx = ctx, .room = pf_arena_new(pf_context_allocator(ctx)), .model = model, .text = text};
  PfStatus found = s.room ? add_derived(&s, given, given_count) : PF_ERR_MEMORY;
  pf_diagnostics_cut(ctx, said);
  if (found == PF_OK && s.count > given_count) {
    pf_diagnostics_cut(ctx, before);
    status = pf_quantities_read_given(ctx, arena, model, what, text, s.given, s.count, plots, count);
  }
  pf_arena_free(s.room);
  return status;
}

PfStatus pf_quantities_find(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *text,
                            PfPlot **plots, int *count)
{
  return pf_quantities_find_given(ctx, arena, model, what, text, NULL, 0, plots, count);
}
