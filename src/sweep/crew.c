/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/crew.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef struct Worker {
  PfCrew *crew;
  PfMember member;
  pthread_t thread;
  bool started;
  pthread_mutex_t mutex; /* of the records: its thread adds, who collects takes */
  PfText records;
} Worker;

struct PfCrew {
  PfSweep *sweep;
  const PfAllocator *allocator;
  int count;
  Worker *workers;
  PfBlock *queue;           /* a ring of `room` */
  int room, first, waiting; /* of the queue, those that nobody has begun */
  atomic_bool stop, failed;
  pthread_mutex_t mutex, original; /* of the queue; of the simulation that is cloned */
  pthread_cond_t work, ended;
  int endings;              /* blocks that ended since somebody has collected */
};

size_t pf_record_rest(const PfRecord *record, int columns)
{
  if (record->kind != PF_RECORD_ROW) return 0;
  return (size_t)columns*sizeof(double) + (record->end >= PF_MEMBER_NO_START ? PF_REASON : 0);
}

/* ---------------------------------------------------------------- a thread */

static bool is_stopped(void *user)
{
  const PfCrew *crew = user;
  return atomic_load_explicit(&crew->stop, memory_order_relaxed);
}

static bool note_failure(PfCrew *crew)
{
  atomic_store(&crew->failed, true);
  return false;
}

static bool add_record(Worker *w, const PfRecord *head, const double *row, const char *reason)
{
  PfText *records = &w->records;
  pthread_mutex_lock(&w->mutex);
  pf_text_put(records, (const char *)head, sizeof *head);
  if (row) pf_text_put(records, (const char *)row, (size_t)w->crew->sweep->columns*sizeof *row);
  if (reason) pf_text_put(records, reason, PF_REASON);
  const bool good = !records->failed;
  pthread_mutex_unlock(&w->mutex);
  return good || note_failure(w->crew);
}

static bool take_member(void *user, long long number, const double *row, int end, const char *reason)
{
  Worker *w = user;
  const PfRecord head = {.number = number, .kind = PF_RECORD_ROW, .end = end};
  return add_record(w, &head, row, end >= PF_MEMBER_NO_START ? reason : NULL) && !is_stopped(w->crew);
}

static int list_members(const PfBlock *block, long long *numbers)
{
  int count = 0;
  for (int i = 0; i < block->span; i++) {
    const int at = block->backwards ? block->span - 1 - i : i;
    if (block->wanted[at/8] >> at%8 & 1) numbers[count++] = block->first + at;
  }
  return count;
}

static bool run_block(Worker *w, const PfBlock *block)
{
  PfCrew *crew = w->crew;
  long long numbers[PF_BLOCK];
  const int count = list_members(block, numbers);
  if (pf_member_renew(&w->member, &crew->original, is_stopped, crew) != PF_OK) return note_failure(crew);
  if (!pf_members_run_list(&w->member, numbers, count, take_member, w)) return false;
  const PfRecord ended = {.number = block->number, .kind = PF_RECORD_ENDED};
  return add_record(w, &ended, NULL, NULL);
}

/* Waits for one; false when there will be none. */
static bool next_block(PfCrew *crew, PfBlock *block)
{
  pthread_mutex_lock(&crew->mutex);
  while (!crew->waiting && !is_stopped(crew)) pthread_cond_wait(&crew->work, &crew->mutex);
  const bool good = !is_stopped(crew);
  if (good) {
    *block = crew->queue[crew->first];
    crew->first = (crew->first + 1)%crew->room;
    crew->waiting--;
  }
  pthread_mutex_unlock(&crew->mutex);
  return good;
}

static void tell_end(PfCrew *crew)
{
  pthread_mutex_lock(&crew->mutex);
  crew->endings++;
  pthread_cond_signal(&crew->ended);
  pthread_mutex_unlock(&crew->mutex);
}

static void *work(void *user)
{
  Worker *w = user;
  PfBlock block;
  while (next_block(w->crew, &block)) {
    const bool good = run_block(w, &block);
    tell_end(w->crew);
    if (!good) break;
  }
  return NULL;
}

/* ---------------------------------------------------------------- beginning and end */

static PfStatus open_workers(PfContext *ctx, PfCrew *crew)
{
  for (int i = 0; i < crew->count; i++) {
    Worker *w = crew->workers + i;
    PF_TRY(pf_member_open(ctx, crew->sweep, &w->member));
    pf_context_set_cancel(pf_sim_context(w->member.sim), is_stopped, crew);
  }
  for (int i = 0; i < crew->count; i++) {
    Worker *w = crew->workers + i;
    w->started = pthread_create(&w->thread, NULL, work, w) == 0;
    if (w->started) continue;
    if (!i) return pf_fail(ctx, PF_ERR_LIMIT, "the system gives no thread");
    pf_warn_at(ctx, (PfPlace){0}, "the system gives %d threads, not %d", i, crew->count);
    break;
  }
  return PF_OK;
}

static void begin(PfCrew *crew)
{
  atomic_init(&crew->stop, false);
  atomic_init(&crew->failed, false);
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_mutex_init(&crew->original, NULL);
  pthread_cond_init(&crew->work, NULL);
  pthread_cond_init(&crew->ended, NULL);
  for (int i = 0; i < crew->count; i++) {
    Worker *w = crew->workers + i;
    *w = (Worker){.crew = crew};
    pthread_mutex_init(&w->mutex, NULL);
    pf_text_init(&w->records, crew->allocator);
  }
}

static void *allocate(const PfAllocator *allocator, size_t size)
{
  return allocator->resize(allocator->user, NULL, size);
}

static void release(const PfAllocator *allocator, void *block)
{
  allocator->resize(allocator->user, block, 0);
}

static PfCrew *new_crew(PfSweep *sweep, int threads)
{
  const PfAllocator *allocator = pf_context_allocator(sweep->ctx);
  PfCrew *crew = allocate(allocator, sizeof *crew);
  if (!crew) return NULL;
  /* one under way and one ahead for each */
  *crew = (PfCrew){.sweep = sweep, .allocator = allocator, .count = threads, .room = 2*threads};
  crew->workers = allocate(allocator, (size_t)threads*sizeof *crew->workers);
  crew->queue = allocate(allocator, (size_t)crew->room*sizeof *crew->queue);
  if (crew->workers && crew->queue) {
    begin(crew);
    return crew;
  }
  release(allocator, crew->workers);
  release(allocator, crew->queue);
  release(allocator, crew);
  return NULL;
}

PfStatus pf_crew_start(PfSweep *sweep, int threads, PfCrew **result)
{
  PfCrew *crew = new_crew(sweep, threads);
  *result = NULL;
  if (!crew) return pf_no_room(sweep->ctx, "the threads");
  const PfStatus status = open_workers(sweep->ctx, crew);
  if (status == PF_OK) *result = crew;
  else pf_crew_free(crew);
  return status;
}

void pf_crew_stop(PfCrew *crew)
{
  pthread_mutex_lock(&crew->mutex);
  atomic_store(&crew->stop, true);
  pthread_cond_broadcast(&crew->work);
  pthread_mutex_unlock(&crew->mutex);
}

void pf_crew_join(PfCrew *crew)
{
  pf_crew_stop(crew);
  for (int i = 0; i < crew->count; i++) {
    if (crew->workers[i].started) (void)pthread_join(crew->workers[i].thread, NULL);
    crew->workers[i].started = false;
  }
}

void pf_crew_free(PfCrew *crew)
{
  if (!crew) return;
  pf_crew_join(crew);
  for (int i = 0; i < crew->count; i++) {
    pf_member_close(&crew->workers[i].member);
    pf_text_free(&crew->workers[i].records);
    pthread_mutex_destroy(&crew->workers[i].mutex);
  }
  pthread_cond_destroy(&crew->ended);
  pthread_cond_destroy(&crew->work);
  pthread_mutex_destroy(&crew->original);
  pthread_mutex_destroy(&crew->mutex);
  release(crew->allocator, crew->workers);
  release(crew->allocator, crew->queue);
  release(crew->allocator, crew);
}

/* ---------------------------------------------------------------- what goes in and comes out */

int pf_crew_room(const PfCrew *crew)
{
  return crew->room;
}

void pf_crew_give(PfCrew *crew, const PfBlock *block)
{
  pthread_mutex_lock(&crew->mutex);
  if (crew->waiting < crew->room) crew->queue[(crew->first + crew->waiting++)%crew->room] = *block;
  pthread_cond_signal(&crew->work);
  pthread_mutex_unlock(&crew->mutex);
}

static void take_records(PfCrew *crew, PfText *records)
{
  for (int i = 0; i < crew->count; i++) {
    Worker *w = crew->workers + i;
    pthread_mutex_lock(&w->mutex);
    pf_text_put(records, pf_text_get(&w->records), w->records.count);
    w->records.count = 0;
    pthread_mutex_unlock(&w->mutex);
  }
}

static void wait_for_end(PfCrew *crew, double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(1e9*seconds);
  until.tv_sec += until.tv_nsec/1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&crew->mutex);
  int error = 0;
  while (!crew->endings && error != ETIMEDOUT) error = pthread_cond_timedwait(&crew->ended, &crew->mutex, &until);
  crew->endings = 0;
  pthread_mutex_unlock(&crew->mutex);
}

PfStatus pf_crew_collect(PfCrew *crew, double seconds, PfText *records)
{
  const size_t before = records->count;
  take_records(crew, records);
  if (records->count == before && seconds > 0) {
    wait_for_end(crew, seconds);
    take_records(crew, records);
  }
  if (!records->failed && !atomic_load(&crew->failed)) return PF_OK;
  return pf_no_room(crew->sweep->ctx, "the rows");
}
