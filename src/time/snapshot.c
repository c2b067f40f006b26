/* SPDX-License-Identifier: Apache-2.0 */
/* A motion saved and put back. */
#include "time/phase_driver.h"

#include <string.h>

static PfStatus keep_opening(PfDriver *s)
{
  PfOpening *o = &s->opened;
  size_t count = (size_t)s->symbols->count, modes = (size_t)s->switches.count;
  size_t n = s->whole ? 0 : (size_t)s->eq->n, m = s->whole ? 0 : (size_t)s->eq->m,
         events = s->whole ? 0 : (size_t)s->event_count;
  o->values = pf_arena_array(s->own, double, count);
  o->mode = pf_arena_array(s->own, double, modes);
  o->stuck = pf_arena_array(s->own, bool, modes);
  o->seen = pf_arena_array(s->own, double, modes ? count + n : 0);
  o->held = pf_arena_array(s->own, bool, n);
  o->active = pf_arena_array(s->own, bool, m);
  o->fired = pf_arena_array(s->own, bool, events);
  if (!o->values || !o->mode || !o->stuck || !o->seen || !o->held || !o->active || !o->fired)
    return pf_driver_no_room(s);
  bool good = pf_checkpoint_add(s->own, &o->checkpoint, o->values, count*sizeof *o->values) &&
              pf_checkpoint_members(s->own, &o->checkpoint, o, implicit, stiff_t) &&
              /* by which the tolerance was chosen */
              pf_checkpoint_add(s->own, &o->checkpoint, &s->size, sizeof s->size) &&
              pf_checkpoint_add(s->own, &o->checkpoint, &s->options.atol, sizeof s->options.atol) &&
              pf_checkpoint_add(s->own, &o->checkpoint, o->mode, modes*sizeof *o->mode) &&
              pf_checkpoint_add(s->own, &o->checkpoint, o->stuck, modes*sizeof *o->stuck) &&
              pf_checkpoint_add(s->own, &o->checkpoint, o->seen, (modes ? count + n : 0)*sizeof *o->seen) &&
              pf_checkpoint_add(s->own, &o->checkpoint, o->held, n*sizeof *o->held) &&
              pf_checkpoint_add(s->own, &o->checkpoint, o->active, m*sizeof *o->active) &&
              pf_checkpoint_add(s->own, &o->checkpoint, o->fired, events*sizeof *o->fired);
  return good ? PF_OK : pf_driver_no_room(s);
}

PfStatus pf_driver_register_state(PfDriver *s)
{
  PfCheckpoint *c = &s->checkpoint;
  bool good = pf_checkpoint_members(s->own, c, s, past, end) &&
              pf_checkpoint_members(s->own, c, &s->exchange, horizon, switched) &&
              pf_checkpoint_add(s->own, c, s->values, (size_t)s->symbols->count*sizeof *s->values);
  if (good && !s->whole) {
    size_t events = (size_t)s->event_count, n = (size_t)s->eq->n, m = (size_t)s->eq->m;
    good = pf_checkpoint_add(s->own, c, s->held, n*sizeof *s->held) &&
           pf_checkpoint_add(s->own, c, s->active, m*sizeof *s->active) &&
           pf_checkpoint_add(s->own, c, s->instant, events*sizeof *s->instant) &&
           pf_checkpoint_add(s->own, c, s->fired, events*sizeof *s->fired) &&
           pf_checkpoint_add(s->own, c, s->forced, events*sizeof *s->forced) &&
           pf_checkpoint_add(s->own, c, s->condition_holds, (events + 1)*sizeof *s->condition_holds) &&
           pf_checkpoint_add(s->own, c, &s->log->count, sizeof s->log->count);
    for (size_t e = 0; good && e < events; e++) {
      PfEventRecord *r = s->log->record + e;
      good = pf_checkpoint_members(s->own, c, r, event, momentum_after) &&
             pf_checkpoint_add(s->own, c, r->joint, n*sizeof *r->joint) &&
             pf_checkpoint_add(s->own, c, r->multiplier, m*sizeof *r->multiplier);
    }
  }
  return good ? keep_opening(s) : pf_driver_no_room(s);
}

void pf_driver_note_opening(PfDriver *s)
{
  PfOpening *o = &s->opened;
  size_t modes = (size_t)s->switches.count;
  memcpy(o->values, s->values, (size_t)s->symbols->count*sizeof *s->values);
  if (modes) {
    memcpy(o->mode, s->modes.core.mode, modes*sizeof *o->mode);
    memcpy(o->stuck, s->modes.core.sticks, modes*sizeof *o->stuck);
  }
  if (s->whole) return;
  memcpy(o->held, s->held, (size_t)s->eq->n*sizeof *o->held);
  memcpy(o->active, s->active, (size_t)s->eq->m*sizeof *o->active);
  memcpy(o->fired, s->fired, (size_t)s->event_count*sizeof *o->fired);
}

static size_t seen_size(const PfDriver *s)
{
  return (size_t)(s->modes.in->count + s->modes.core.n)*sizeof *s->opened.seen;
}

/* A phase has no more symbols than the complete model: held coordinates are parameters of it. */
void pf_driver_note_sliding(PfDriver *s)
{
  memcpy(s->opened.seen, s->modes.values, seen_size(s));
}

/* ---------------------------------------------------------------- saving */

static size_t modes_size(const PfDriver *s)
{
  return (size_t)s->switches.count*(sizeof(double) + sizeof(bool));
}

size_t pf_driver_checkpoint_size(const PfDriver *s)
{
  size_t motion = s->motion ? pf_motion_checkpoint_size(s->motion) : 0;
  return sizeof motion + s->opened.checkpoint.size + s->checkpoint.size + modes_size(s) + motion;
}

void pf_driver_save(PfDriver *s, void *bytes)
{
  size_t motion = s->motion ? pf_motion_checkpoint_size(s->motion) : 0, modes = (size_t)s->switches.count;
  char *to = bytes;
  memcpy(to, &motion, sizeof motion), to += sizeof motion;
  to += pf_checkpoint_save(&s->opened.checkpoint, to);
  to += pf_checkpoint_save(&s->checkpoint, to);
  if (modes) {
    memcpy(to, s->modes.core.mode, modes*sizeof(double)), to += modes*sizeof(double);
    memcpy(to, s->modes.core.sticks, modes*sizeof(bool)), to += modes*sizeof(bool);
  }
  if (s->motion) pf_motion_save(s->motion, to);
}

/* ---------------------------------------------------------------- putting back */

/* Opens the motion anew as it was opened then. */
static PfStatus open_again(PfDriver *s)
{
  const PfOpening *o = &s->opened;
  memcpy(s->values, o->values, (size_t)s->symbols->count*sizeof *s->values);
  if (s->whole) {
    pf_driver_end_motion(s);
    return pf_driver_open_motion(s, s->options.t_end);
  }
  memcpy(s->held, o->held, (size_t)s->eq->n*sizeof *o->held);
  memcpy(s->active, o->active, (size_t)s->eq->m*sizeof *o->active);
  memcpy(s->fired, o->fired, (size_t)s->event_count*sizeof *o->fired);
  PF_TRY(pf_driver_begin_phase(s));
  const size_t modes = (size_t)s->switches.count;
  if (modes) {
    memcpy(s->modes.core.mode, o->mode, modes*sizeof *o->mode);
    memcpy(s->modes.core.sticks, o->stuck, modes*sizeof *o->stuck);
    memcpy(s->modes.values, o->seen, seen_size(s));
  }
  s->decided = true;
  PF_TRY(pf_driver_begin_sliding(s));
  return pf_driver_open_motion(s, s->options.t_end);
}

static PfStatus foreign(const PfDriver *s)
{
  return pf_fail(s->ctx, PF_ERR_ARGUMENT, "the snapshot belongs to another model, method or formulation");
}

static PfStatus restore(PfDriver *s, const char *opened, const char *state)
{
  PfArena *scratch = pf_context_scratch(s->ctx);
  PfMark mark = pf_arena_mark(scratch);
  char *now = pf_arena_array(scratch, char, s->opened.checkpoint.size);
  if (!now) return pf_driver_no_room(s);
  (void)pf_checkpoint_save(&s->opened.checkpoint, now);
  bool same = s->motion && memcmp(now, opened, s->opened.checkpoint.size) == 0;
  pf_arena_release(scratch, mark);
  int before = pf_diagnostic_count(s->ctx);
  (void)pf_checkpoint_load(&s->checkpoint, state); /* warnings are not repeated */
  (void)pf_checkpoint_load(&s->opened.checkpoint, opened);
  if (!same) PF_TRY(open_again(s));
  pf_diagnostics_truncate(s->ctx, before);
  (void)pf_checkpoint_load(&s->checkpoint, state);
  return PF_OK;
}

/* The sizes fit, up to that of the motion of the phase, which is known once it is open. */
static PfStatus load(PfDriver *s, const char *from)
{
  size_t motion, modes = (size_t)s->switches.count;
  memcpy(&motion, from, sizeof motion), from += sizeof motion;
  const char *opened = from, *state = opened + s->opened.checkpoint.size;
  from = state + s->checkpoint.size;
  PF_TRY(restore(s, opened, state));
  if (modes) {
    memcpy(s->modes.core.mode, from, modes*sizeof(double)), from += modes*sizeof(double);
    memcpy(s->modes.core.sticks, from, modes*sizeof(bool)), from += modes*sizeof(bool);
  }
  if (motion == 0) {
    pf_driver_end_motion(s);
    return PF_OK;
  }
  if (!s->motion || pf_motion_checkpoint_size(s->motion) != motion) return foreign(s);
  pf_motion_load(s->motion, from);
  return PF_OK;
}

PfStatus pf_driver_load(PfDriver *s, const void *bytes, size_t size)
{
  size_t motion, rest = s->opened.checkpoint.size + s->checkpoint.size + modes_size(s);
  if (size < sizeof motion + rest) return foreign(s);
  memcpy(&motion, bytes, sizeof motion);
  if (size - sizeof motion - rest != motion) return foreign(s);
  PfArena *scratch = pf_context_scratch(s->ctx);
  PfMark mark = pf_arena_mark(scratch);
  char *before = pf_arena_array(scratch, char, pf_driver_checkpoint_size(s));
  if (!before) return pf_driver_no_room(s);
  pf_driver_save(s, before);
  PfStatus status = load(s, bytes);
  if (status != PF_OK && load(s, before) != PF_OK) s->stage = PF_STAGE_OVER, s->end = PF_RUN_TROUBLE;
  pf_arena_release(scratch, mark);
  return status;
}
