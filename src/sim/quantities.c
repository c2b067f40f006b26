/* SPDX-License-Identifier: Apache-2.0 */
/* Names that 'derive' introduces, for quantities. They are formulas of velocities and coordinates, so that they have
 * rates, too. */
#include "sim/quantities.h"

#include "sim/sim_impl.h"

#include <string.h>

/* With more coordinates deriving would take too long, only to refuse a wrong name. */
enum { MOST_COORDINATES = 100 };

/* Can the character be inside a name? Bytes of UTF-8 beyond ASCII can: θ. */
static bool is_in_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         (unsigned char)c >= 0x80;
}

/* Does the text contain the name as a whole word? Then it may need the definition. */
static bool mentions(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
    if ((at == text || !is_in_name(at[-1])) && !is_in_name(at[length])) return true;
  return false;
}

/* Pseudo-velocities that are not velocities of coordinates, copied out of the room in which they are derived. */
static PfStatus derive_names(PfContext *ctx, PfArena *room, const PfModel *model, PfDerivedNames *names)
{
  PfEquations eq;
  PfKinematics k;
  PF_TRY(pf_equations_derive(ctx, room, model, &eq));
  PF_TRY(pf_derived_kinematics(ctx, room, &eq, &k));
  PF_TRY(pf_arrays(ctx, names->arena, "quantities", PF_ROOM(names->name, k.count)));
  for (int a = 0; a < k.count && k.combined && k.definition; a++) {
    if (k.independent[a] >= 0 || k.definition[a] == PF_EXPR_NONE) continue;
    const char *name = pf_arena_text(names->arena, k.names[a], strlen(k.names[a]));
    if (!name) return pf_no_room(ctx, "quantities");
    names->name[names->count++] = (PfGivenName){.name = name, .unit = "", .value = k.definition[a]};
  }
  return PF_OK;
}

/* Derives the names unless that was done before. A model that cannot be derived has none. */
static PfStatus find_names(PfContext *ctx, const PfModel *model, PfDerivedNames *names)
{
  if (names->arena) return PF_OK;
  int before = pf_diagnostic_count(ctx);
  PfArena *room = pf_arena_new(pf_context_allocator(ctx));
  names->arena = pf_arena_new(pf_context_allocator(ctx));
  PfStatus status = room && names->arena ? derive_names(ctx, room, model, names) : pf_no_room(ctx, "quantities");
  pf_arena_free(room);
  if (pf_is_final(status)) { /* out of memory, or cancelled: the next search tries again */
    pf_derived_names_free(names);
    return status;
  }
  pf_diagnostics_truncate(ctx, before);
  return PF_OK;
}

/* The names can be derived anew after that. */
void pf_derived_names_free(PfDerivedNames *names)
{
  pf_arena_free(names->arena);
  *names = (PfDerivedNames){0};
}

/* Reads the text with the names of the caller; only where that fails the names of 'derive' are looked for, which takes
 * time, and the text is read once more with those that it mentions. When that fails, too, the diagnostics are those of
 * the second reading. */
PfStatus pf_quantities_find_given(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what,
                                  const char *text, const PfGivenName *given, int given_count, PfDerivedNames *derived,
                                  PfPlot **plots, int *count)
{
  int before = pf_diagnostic_count(ctx);
  PfStatus status = pf_quantities_read_given(ctx, arena, model, what, text, given, given_count, plots, count);
  if (status == PF_OK || pf_is_final(status)) return status;
  /* events that attach and detach change which velocities there are: then none have names */
  if (model->is_complete || model->speed_count || model->coordinate_count > MOST_COORDINATES) return status;
  PfDerivedNames own = {0}, *names = derived ? derived : &own;
  PF_TRY(find_names(ctx, model, names));
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  int all_count = given_count; /* the names of the caller, then the derived ones that the text mentions */
  PfGivenName *all = pf_arena_array(scratch, PfGivenName, given_count + names->count);
  if (all && given_count) memcpy(all, given, (size_t)given_count*sizeof *all);
  for (int i = 0; all && i < names->count; i++)
    if (mentions(text, names->name[i].name)) all[all_count++] = names->name[i];
  if (!all) {
    status = pf_no_room(ctx, "quantities");
  } else if (all_count > given_count) {
    pf_diagnostics_truncate(ctx, before);
    status = pf_quantities_read_given(ctx, arena, model, what, text, all, all_count, plots, count);
  }
  pf_arena_release(scratch, mark);
  pf_derived_names_free(&own);
  return status;
}

/* Without names of the caller; names that were derived are not kept. */
PfStatus pf_quantities_find(PfContext *ctx, PfArena *arena, const PfModel *model, const char *what, const char *text,
                            PfPlot **plots, int *count)
{
  return pf_quantities_find_given(ctx, arena, model, what, text, NULL, 0, NULL, plots, count);
}
