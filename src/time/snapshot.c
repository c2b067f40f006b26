/* SPDX-License-Identifier: Apache-2.0 */
/* A motion saved and put back. */
#include "time/phases.h"

#include <string.h>

static PfStatus keep_opening(PfPhases *s)
{
  PfOpening *o = &s->opened;
  size_t count = (size_t)s->symbols->count, sides = (size_t)s->switches.count;
  size_t n = s->whole ? 0 : (size_t)s->eq->n, m = s->whole ? 0 : (size_t)s->eq->m,
         events = s->whole ? 0 : (size_t)s->event_count;
  o->values = pf_arena_array(s->own, double, count);
  o->side = pf_arena_array(s->own, double, sides);
  o->stuck = pf_arena_array(s->own, bool, sides);
  o->seen = pf_arena_array(s->own, double, sides ? count + n : 0);
  o->held = pf_arena_array(s->own, bool, n);
  o->active = pf_arena_array(s->own, bool, m);
  o->fired = pf_arena_array(s->own, bool, events);
  if (!o->values || !o->side || !o->stuck || !o->seen || !o->held || !o->active || !o->fired)
    return pf_phases_no_room(s);
  bool good = pf_keep(s->own, &o->kept, o->values, count*sizeof *o->values) &&
              pf_keep_members(s->own, &o->kept, o, implicit, stiff_t) &&
              pf_keep(s->own, &o->kept, &s->size, sizeof s->size) && /* by which the tolerance was chosen */
              pf_keep(s->own, &o->kept, &s->options.atol, sizeof s->options.atol) &&
              pf_keep(s->own, &o->kept, o->side, sides*sizeof *o->side) &&
              pf_keep(s->own, &o->kept, o->stuck, sides*sizeof *o->stuck) &&
              pf_keep(s->own, &o->kept, o->seen, (sides ? count + n : 0)*sizeof *o->seen) &&
              pf_keep(s->own, &o->kept, o->held, n*sizeof *o->held) &&
              pf_keep(s->own, &o->kept, o->active, m*sizeof *o->active) &&
              pf_keep(s->own, &o->kept, o->fired, events*sizeof *o->fired);
  return good ? PF_OK : pf_phases_no_room(s);
}

static bool keep_log(PfPhases *s)
{
  size_t n = (size_t)s->eq->n, m = (size_t)s->eq->m;
  bool good = pf_keep(s->own, &s->kept, &s->log->count, sizeof s->log->count);
  for (int e = 0; good && e < s->event_count; e++) {
    PfEventRecord *r = s->log->record + e;
    good = pf_keep_members(s->own, &s->kept, r, event, momentum_after) &&
           pf_keep(s->own, &s->kept, r->joint, n*sizeof *r->joint) &&
           pf_keep(s->own, &s->kept, r->multiplier, m*sizeof *r->multiplier);
  }
  return good;
}

static bool keep_events(PfPhases *s)
{
  size_t events = (size_t)s->event_count, n = (size_t)s->eq->n, m = (size_t)s->eq->m;
  return pf_keep(s->own, &s->kept, s->held, n*sizeof *s->held) &&
         pf_keep(s->own, &s->kept, s->active, m*sizeof *s->active) &&
         pf_keep(s->own, &s->kept, s->instant, events*sizeof *s->instant) &&
         pf_keep(s->own, &s->kept, s->fired, events*sizeof *s->fired) &&
         pf_keep(s->own, &s->kept, s->forced, events*sizeof *s->forced) &&
         pf_keep(s->own, &s->kept, s->condition_holds, (events + 1)*sizeof *s->condition_holds) && keep_log(s);
}

PfStatus pf_phases_keep(PfPhases *s)
{
  bool good = pf_keep_members(s->own, &s->kept, s, past, end) &&
              pf_keep_members(s->own, &s->kept, &s->told, horizon, switched) &&
              pf_keep(s->own, &s->kept, s->values, (size_t)s->symbols->count*sizeof *s->values) &&
              (s->whole || keep_events(s));
  return good ? keep_opening(s) : pf_phases_no_room(s);
}

void pf_phases_note_opening(PfPhases *s)
{
  PfOpening *o = &s->opened;
  size_t sides = (size_t)s->switches.count;
  memcpy(o->values, s->values, (size_t)s->symbols->count*sizeof *s->values);
  if (sides) {
    memcpy(o->side, s->sides.side, sides*sizeof *o->side);
    memcpy(o->stuck, s->sides.stuck, sides*sizeof *o->stuck);
  }
  if (s->whole) return;
  memcpy(o->held, s->held, (size_t)s->eq->n*sizeof *o->held);
  memcpy(o->active, s->active, (size_t)s->eq->m*sizeof *o->active);
  memcpy(o->fired, s->fired, (size_t)s->event_count*sizeof *o->fired);
}

static size_t seen_size(const PfPhases *s)
{
  return (size_t)(s->sides.in->count + s->sides.n)*sizeof *s->opened.seen;
}

/* A phase has no more symbols than the complete model: what is held is a parameter of it. */
void pf_phases_note_sticking(PfPhases *s)
{
  memcpy(s->opened.seen, s->sides.values, seen_size(s));
}

/* ---------------------------------------------------------------- saving */

static size_t sides_size(const PfPhases *s)
{
  return (size_t)s->switches.count*(sizeof(double) + sizeof(bool));
}

size_t pf_phases_kept_size(const PfPhases *s)
{
  size_t motion = s->motion ? pf_motion_kept_size(s->motion) : 0;
  return sizeof motion + s->opened.kept.size + s->kept.size + sides_size(s) + motion;
}

void pf_phases_save(PfPhases *s, void *bytes)
{
  size_t motion = s->motion ? pf_motion_kept_size(s->motion) : 0, sides = (size_t)s->switches.count;
  char *to = bytes;
  memcpy(to, &motion, sizeof motion), to += sizeof motion;
  to += pf_kept_save(&s->opened.kept, to);
  to += pf_kept_save(&s->kept, to);
  if (sides) {
    memcpy(to, s->sides.side, sides*sizeof(double)), to += sides*sizeof(double);
    memcpy(to, s->sides.stuck, sides*sizeof(bool)), to += sides*sizeof(bool);
  }
  if (s->motion) pf_motion_save(s->motion, to);
}

/* ---------------------------------------------------------------- putting back */

static void set_sides(PfPhases *s, const double *side, const bool *stuck)
{
  size_t sides = (size_t)s->switches.count;
  if (!sides) return;
  memcpy(s->sides.side, side, sides*sizeof *side);
  memcpy(s->sides.stuck, stuck, sides*sizeof *stuck);
}

/* Opens the motion anew as it was opened then. */
static PfStatus open_again(PfPhases *s)
{
  const PfOpening *o = &s->opened;
  memcpy(s->values, o->values, (size_t)s->symbols->count*sizeof *s->values);
  if (s->whole) {
    pf_phases_end_motion(s);
    return pf_phases_open_motion(s, s->options.t_end);
  }
  memcpy(s->held, o->held, (size_t)s->eq->n*sizeof *o->held);
  memcpy(s->active, o->active, (size_t)s->eq->m*sizeof *o->active);
  memcpy(s->fired, o->fired, (size_t)s->event_count*sizeof *o->fired);
  PF_TRY(pf_phases_begin(s));
  set_sides(s, o->side, o->stuck);
  if (s->switches.count) memcpy(s->sides.values, o->seen, seen_size(s));
  s->decided = true;
  PF_TRY(pf_phases_begin_stuck(s));
  return pf_phases_open_motion(s, s->options.t_end);
}

static PfStatus foreign(const PfPhases *s)
{
  return pf_fail(s->ctx, PF_ERR_ARGUMENT, "the snapshot belongs to another model, method or formulation");
}

static PfStatus restore(PfPhases *s, const char *opened, const char *state)
{
  PfArena *scratch = pf_context_scratch(s->ctx);
  PfMark mark = pf_arena_mark(scratch);
  char *now = pf_arena_array(scratch, char, s->opened.kept.size);
  if (!now) return pf_phases_no_room(s);
  (void)pf_kept_save(&s->opened.kept, now);
  bool same = s->motion && memcmp(now, opened, s->opened.kept.size) == 0;
  pf_arena_release(scratch, mark);
  int before = pf_diagnostic_count(s->ctx);
  (void)pf_kept_load(&s->kept, state); /* warnings are not repeated */
  (void)pf_kept_load(&s->opened.kept, opened);
  if (!same) PF_TRY(open_again(s));
  pf_diagnostics_cut(s->ctx, before);
  (void)pf_kept_load(&s->kept, state);
  return PF_OK;
}

/* The sizes fit, up to that of the motion of the phase, which is told once it is open. */
static PfStatus load(PfPhases *s, const char *from)
{
  size_t motion, sides = (size_t)s->switches.count;
  memcpy(&motion, from, sizeof motion), from += sizeof motion;
  const char *opened = from, *state = opened + s->opened.kept.size;
  from = state + s->kept.size;
  PF_TRY(restore(s, opened, state));
  if (sides) {
    memcpy(s->sides.side, from, sides*sizeof(double)), from += sides*sizeof(double);
    memcpy(s->sides.stuck, from, sides*sizeof(bool)), from += sides*sizeof(bool);
  }
  if (motion == 0) {
    pf_phases_end_motion(s);
    return PF_OK;
  }
  if (!s->motion || pf_motion_kept_size(s->motion) != motion) return foreign(s);
  pf_motion_load(s->motion, from);
  return PF_OK;
}

PfStatus pf_phases_load(PfPhases *s, const void *bytes, size_t size)
{
  size_t motion, rest = s->opened.kept.size + s->kept.size + sides_size(s);
  if (size < sizeof motion + rest) return foreign(s);
  memcpy(&motion, bytes, sizeof motion);
  if (size - sizeof motion - rest != motion) return foreign(s);
  PfArena *scratch = pf_context_scratch(s->ctx);
  PfMark mark = pf_arena_mark(scratch);
  char *before = pf_arena_array(scratch, char, pf_phases_kept_size(s));
  if (!before) return pf_phases_no_room(s);
  pf_phases_save(s, before);
  PfStatus status = load(s, bytes);
  if (status != PF_OK && load(s, before) != PF_OK) s->stage = PF_STAGE_OVER, s->end = PF_RUN_TROUBLE;
  pf_arena_release(scratch, mark);
  return status;
}
