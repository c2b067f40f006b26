/* SPDX-License-Identifier: Apache-2.0 */
/* A thread pool of one process among several. The main thread puts blocks of members into a queue and collects records;
 * worker threads, each with a simulation of its own, take blocks, run their members and append a record for each to a
 * buffer under a lock of their own. */
#include "sweep/worker_pool.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef struct Worker {
  PfWorkerPool *pool;
  PfMember member;
  pthread_t thread;
  bool started;
  pthread_mutex_t mutex; /* of the records: its thread adds, who collects takes */
  PfText records;
} Worker;

struct PfWorkerPool {
  PfSweep *sweep;
  const PfAllocator *allocator;
  int count;
  Worker *workers;
  PfBlock *queue;           /* a ring of `room` */
  int room, first, waiting; /* of the queue: its size, and the blocks that no thread has begun */
  atomic_bool stop, failed;
  pthread_mutex_t mutex, original; /* of the queue; of the simulation that is cloned */
  pthread_cond_t work, ended;
  int endings;              /* blocks that ended since the last pf_worker_pool_collect */
};

size_t pf_record_payload_size(const PfRecord *record, int columns)
{
  if (record->kind != PF_RECORD_ROW) return 0;
  return (size_t)columns*sizeof(double) + (record->end >= PF_MEMBER_NO_START ? PF_REASON : 0);
}

/* ---------------------------------------------------------------- a thread */

static bool is_stopped(void *user)
{
  const PfWorkerPool *pool = user;
  return atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

/* Appends a record to those of the thread, with a row and a reason (either may be NULL); false, and the pool has
 * failed, without memory. */
static bool add_record(Worker *w, const PfRecord *head, const double *row, const char *reason)
{
  PfText *records = &w->records;
  pthread_mutex_lock(&w->mutex);
  pf_text_put(records, (const char *)head, sizeof *head);
  if (row) pf_text_put(records, (const char *)row, (size_t)w->pool->sweep->columns*sizeof *row);
  if (reason) pf_text_put(records, reason, PF_REASON);
  const bool good = !records->failed;
  pthread_mutex_unlock(&w->mutex);
  if (!good) atomic_store(&w->pool->failed, true);
  return good;
}

/* The record of a member that is done. */
static bool take_member(void *user, long long number, const double *row, int end, const char *reason)
{
  Worker *w = user;
  const PfRecord head = {.number = number, .kind = PF_RECORD_ROW, .end = end};
  return add_record(w, &head, row, end >= PF_MEMBER_NO_START ? reason : NULL) && !is_stopped(w->pool);
}

/* Runs the members of a block in its order, and records its end. False after a request to stop and after a failure. */
static bool run_block(Worker *w, const PfBlock *block)
{
  PfWorkerPool *pool = w->pool;
  long long numbers[PF_BLOCK];
  int count = 0;
  for (int i = 0; i < block->span; i++) {
    const int at = block->backwards ? block->span - 1 - i : i;
    if (block->wanted[at/8] >> at%8 & 1) numbers[count++] = block->first + at;
  }
  if (pf_member_reopen(&w->member, &pool->original, is_stopped, pool) != PF_OK) {
    atomic_store(&pool->failed, true);
    return false;
  }
  if (!pf_members_run_list(&w->member, numbers, count, take_member, w)) return false;
  const PfRecord ended = {.number = block->number, .kind = PF_RECORD_ENDED};
  return add_record(w, &ended, NULL, NULL);
}

/* The life of a thread: waits for blocks and runs them, until a stop or a failure. */
static void *work(void *user)
{
  Worker *w = user;
  PfWorkerPool *pool = w->pool;
  PfBlock block;
  for (bool good = true; good;) {
    pthread_mutex_lock(&pool->mutex);
    while (!pool->waiting && !is_stopped(pool)) pthread_cond_wait(&pool->work, &pool->mutex);
    const bool stopped = is_stopped(pool);
    if (!stopped) {
      block = pool->queue[pool->first];
      pool->first = (pool->first + 1)%pool->room;
      pool->waiting--;
    }
    pthread_mutex_unlock(&pool->mutex);
    if (stopped) break;
    good = run_block(w, &block);
    pthread_mutex_lock(&pool->mutex);
    pool->endings++;
    pthread_cond_signal(&pool->ended);
    pthread_mutex_unlock(&pool->mutex);
  }
  return NULL;
}

/* ---------------------------------------------------------------- beginning and end */

/* Allocates pool, workers and queue, with room for one block under way and one ahead for each thread; NULL without
 * memory. */
static PfWorkerPool *new_pool(PfSweep *sweep, int threads)
{
  const PfAllocator *allocator = pf_context_allocator(sweep->ctx);
  PfWorkerPool *pool = pf_allocate(allocator, sizeof *pool);
  if (!pool) return NULL;
  *pool = (PfWorkerPool){.sweep = sweep, .allocator = allocator, .count = threads, .room = 2*threads};
  pool->workers = pf_allocate(allocator, (size_t)threads*sizeof *pool->workers);
  pool->queue = pf_allocate(allocator, (size_t)pool->room*sizeof *pool->queue);
  if (!pool->workers || !pool->queue) {
    pf_release(allocator, pool->workers);
    pf_release(allocator, pool->queue);
    pf_release(allocator, pool);
    return NULL;
  }
  atomic_init(&pool->stop, false);
  atomic_init(&pool->failed, false);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_mutex_init(&pool->original, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->ended, NULL);
  for (Worker *w = pool->workers; w < pool->workers + threads; w++) {
    *w = (Worker){.pool = pool};
    pthread_mutex_init(&w->mutex, NULL);
    pf_text_init(&w->records, allocator);
  }
  return pool;
}

PfStatus pf_worker_pool_start(PfSweep *sweep, int threads, PfWorkerPool **result)
{
  PfWorkerPool *pool = new_pool(sweep, threads);
  PfStatus status = PF_OK;
  *result = NULL;
  if (!pool) return pf_no_room(sweep->ctx, "the threads");
  for (int i = 0; i < threads && status == PF_OK; i++) {
    status = pf_member_open(sweep->ctx, sweep, &pool->workers[i].member);
    if (status == PF_OK) pf_context_set_cancel(pf_sim_context(pool->workers[i].member.sim), is_stopped, pool);
  }
  for (int i = 0; i < threads && status == PF_OK; i++) {
    Worker *w = pool->workers + i;
    status = pf_thread_start(sweep->ctx, work, w, i, threads, &w->thread, &w->started);
    if (!w->started) break;
  }
  if (status == PF_OK) *result = pool;
  else pf_worker_pool_free(pool);
  return status;
}

void pf_worker_pool_join(PfWorkerPool *pool)
{
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->stop, true);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
  for (Worker *w = pool->workers; w < pool->workers + pool->count; w++) {
    if (w->started) (void)pthread_join(w->thread, NULL);
    w->started = false;
  }
}

void pf_worker_pool_free(PfWorkerPool *pool)
{
  if (!pool) return;
  const PfAllocator *allocator = pool->allocator;
  pf_worker_pool_join(pool);
  for (Worker *w = pool->workers; w < pool->workers + pool->count; w++) {
    pf_member_close(&w->member);
    pf_text_free(&w->records);
    pthread_mutex_destroy(&w->mutex);
  }
  pthread_cond_destroy(&pool->ended);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->original);
  pthread_mutex_destroy(&pool->mutex);
  pf_release(allocator, pool->workers);
  pf_release(allocator, pool->queue);
  pf_release(allocator, pool);
}

/* ---------------------------------------------------------------- what goes in and comes out */

int pf_worker_pool_room(const PfWorkerPool *pool)
{
  return pool->room;
}

void pf_worker_pool_give(PfWorkerPool *pool, const PfBlock *block)
{
  pthread_mutex_lock(&pool->mutex);
  if (pool->waiting < pool->room) pool->queue[(pool->first + pool->waiting++)%pool->room] = *block;
  pthread_cond_signal(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
}

/* Moves the records of all threads to the end of the text. */
static void take_records(PfWorkerPool *pool, PfText *records)
{
  for (Worker *w = pool->workers; w < pool->workers + pool->count; w++) {
    pthread_mutex_lock(&w->mutex);
    pf_text_put(records, pf_text_get(&w->records), w->records.count);
    w->records.count = 0;
    pthread_mutex_unlock(&w->mutex);
  }
}

PfStatus pf_worker_pool_collect(PfWorkerPool *pool, double seconds, PfText *records)
{
  const size_t before = records->count;
  take_records(pool, records);
  if (records->count == before && seconds > 0) {
    const struct timespec until = pf_deadline(seconds);
    int error = 0;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->endings && error != ETIMEDOUT) error = pthread_cond_timedwait(&pool->ended, &pool->mutex, &until);
    pool->endings = 0;
    pthread_mutex_unlock(&pool->mutex);
    take_records(pool, records);
  }
  if (!records->failed && !atomic_load(&pool->failed)) return PF_OK;
  return pf_no_room(pool->sweep->ctx, "the rows");
}
