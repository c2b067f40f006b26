/* SPDX-License-Identifier: Apache-2.0 */
/* The window of a run that keeps no rows: threads deliver members in any order, and the front of the window is passed
 * on to the summary in order, so that the statistics do not depend on the threads. */
#include "sweep/stream.h"
#include "sweep/sweep_impl.h"

#include <math.h>
#include <string.h>

enum { LENGTH = 1024 }; /* members of a slot */

/* Members that belong together, until the summary has them. */
typedef struct Slot {
  int there;
  double *outputs;     /* LENGTH x taken */
  unsigned char *ends;
  char *reasons;       /* LENGTH x PF_REASON, of failures only */
} Slot;

struct PfRowStream {
  PfSweep *sweep;
  PfArena *arena;
  PfSummary *summary;
  long long next;      /* the slot that the summary waits for */
  int slot_count;      /* a ring */
  Slot *slots;
  bool stopped;
  pthread_mutex_t mutex;
  pthread_cond_t moved; /* the summary is one slot further */
};

/* The summary and the slots: each thread can fill one while another waits for the summary. */
static PfStatus make(PfRowStream *s, int threads)
{
  PfContext *ctx = s->sweep->ctx;
  PF_TRY(pf_summary_make(ctx, s->arena, s->sweep, &s->summary));
  s->slot_count = 2*threads + 2;
  s->slots = pf_arena_array(s->arena, Slot, s->slot_count);
  if (!s->slots) return pf_no_room(ctx, "the summary");
  for (int i = 0; i < s->slot_count; i++) {
    s->slots[i] = (Slot){.outputs = pf_arena_array(s->arena, double, LENGTH*(size_t)s->summary->outputs),
                         .ends = pf_arena_array(s->arena, unsigned char, LENGTH),
                         .reasons = pf_arena_array(s->arena, char, LENGTH*PF_REASON)};
    if (!s->slots[i].outputs || !s->slots[i].ends || !s->slots[i].reasons) return pf_no_room(ctx, "the summary");
  }
  return PF_OK;
}

PfStatus pf_stream_new(PfSweep *sweep, int threads, PfRowStream **stream)
{
  PfArena *arena = pf_arena_new(pf_context_allocator(sweep->ctx));
  PfRowStream *s = arena ? pf_arena_array(arena, PfRowStream, 1) : NULL;
  *stream = NULL;
  if (!s) {
    pf_arena_free(arena);
    return pf_no_room(sweep->ctx, "the summary");
  }
  s->sweep = sweep;
  s->arena = arena;
  pthread_mutex_init(&s->mutex, NULL);
  pthread_cond_init(&s->moved, NULL);
  PfStatus status = make(s, threads);
  if (status == PF_OK) *stream = s;
  else pf_stream_free(s);
  return status;
}

void pf_stream_free(PfRowStream *s)
{
  if (!s) return;
  pthread_cond_destroy(&s->moved);
  pthread_mutex_destroy(&s->mutex);
  pf_arena_free(s->arena);
}

/* ---------------------------------------------------------------- rows */

/* The members of a slot; 0 or fewer past the last one. */
static int slot_size(const PfRowStream *s, long long slot)
{
  const long long rest = s->sweep->plan.count - slot*LENGTH;
  return rest < LENGTH ? (int)rest : LENGTH;
}

/* Rows of different members are copied without the lock. The thread that brings the last row of the slot at the front
 * passes it to the summary, and the complete ones after it. */
void pf_stream_put(PfRowStream *s, long long member, const double *row, int end, const char *reason)
{
  const long long index = member/LENGTH;
  const int at = (int)(member%LENGTH), outputs = s->summary->outputs;
  Slot *slot = s->slots + index%s->slot_count;
  memcpy(slot->outputs + at*outputs, row + s->sweep->plan.variable_count, (size_t)outputs*sizeof *row);
  slot->ends[at] = (unsigned char)end;
  if (end >= PF_MEMBER_NO_START) memcpy(slot->reasons + at*PF_REASON, reason, PF_REASON);
  else memset(slot->reasons + at*PF_REASON, 0, 1);
  pthread_mutex_lock(&s->mutex);
  slot->there++;
  for (int size; (size = slot_size(s, s->next)) > 0; s->next++) {
    Slot *first = s->slots + s->next%s->slot_count;
    if (first->there < size) break;
    for (int k = 0; k < size; k++)
      pf_summary_add(s->summary, s->next*LENGTH + k, first->outputs + k*outputs, first->ends[k],
                     first->reasons + k*PF_REASON);
    first->there = 0;
    pthread_cond_broadcast(&s->moved);
  }
  pthread_mutex_unlock(&s->mutex);
}

static bool has_room(const PfRowStream *s, long long last)
{
  return last/LENGTH < s->next + s->slot_count;
}

bool pf_stream_has_room(PfRowStream *s, long long last)
{
  pthread_mutex_lock(&s->mutex);
  const bool room = has_room(s, last);
  pthread_mutex_unlock(&s->mutex);
  return room;
}

bool pf_stream_wait(PfRowStream *s, long long last)
{
  pthread_mutex_lock(&s->mutex);
  while (!s->stopped && !has_room(s, last)) (void)pthread_cond_wait(&s->moved, &s->mutex);
  const bool good = !s->stopped;
  pthread_mutex_unlock(&s->mutex);
  return good;
}

void pf_stream_stop(PfRowStream *s)
{
  pthread_mutex_lock(&s->mutex);
  s->stopped = true;
  pthread_cond_broadcast(&s->moved);
  pthread_mutex_unlock(&s->mutex);
}

void pf_stream_end(PfRowStream *s)
{
  pf_summary_end(s->summary);
  pf_stream_free(s->sweep->stream);
  s->sweep->stream = s;
}

/* ---------------------------------------------------------------- the summary of the latest run */

PfSummary *pf_sweep_summary(const PfSweep *sweep)
{
  return sweep->stream ? sweep->stream->summary : NULL;
}

/* The statistics of a column, NULL where there are none. */
static PfStatistics *statistics_of(const PfSweep *sweep, int column)
{
  PfSummary *summary = pf_sweep_summary(sweep);
  const int output = column - sweep->plan.variable_count;
  return summary && output >= 0 && output < summary->outputs ? summary->statistics + output : NULL;
}

bool pf_sweep_column(const PfSweep *sweep, int column, PfSweepColumn *result)
{
  const PfStatistics *s = statistics_of(sweep, column);
  if (!s) return false;
  *result = (PfSweepColumn){.count = s->count, .mean = s->count ? s->mean : NAN, .least = s->least, .most = s->most,
                            .deviation = pf_statistics_deviation(s)};
  return true;
}

double pf_sweep_quantile(const PfSweep *sweep, int column, double part)
{
  PfStatistics *s = statistics_of(sweep, column);
  return s ? pf_statistics_quantile(s, part) : NAN;
}
