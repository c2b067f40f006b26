/* SPDX-License-Identifier: Apache-2.0 */
/* All members, by threads that take them from a common counter. Each has a simulation and a journal of its own; what
 * they share is the counter, and rows of one chunk. */
#include "sweep/store.h"
#include "sweep/stream.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

typedef struct Pool {
  PfSweep *sweep;
  PfRowStore *store;
  int threads;
  atomic_llong next;    /* the first that nobody has taken */
  atomic_llong done, failed;
  atomic_bool stop;
  atomic_int running;
  pthread_mutex_t mutex;
  pthread_cond_t ended; /* a thread has */
} Pool;

typedef struct Worker {
  Pool *pool;
  PfMember member;
  PfJournal journal;
  long long at, end;      /* members that it has taken and not begun */
  long long done, failed; /* since the common counters were touched */
  pthread_t thread;
  bool started;
} Worker;

enum { MOST_THREADS = 1024 };

/* ---------------------------------------------------------------- a thread */

static bool is_stopped(void *user)
{
  const Pool *pool = user;
  return atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

/* Also those who wait for others. */
static void stop(Pool *pool)
{
  atomic_store(&pool->stop, true);
  if (pool->store->stream) pf_stream_stop(pool->store->stream);
}

static void tell(Worker *w)
{
  atomic_fetch_add(&w->pool->done, w->done);
  atomic_fetch_add(&w->pool->failed, w->failed);
  w->done = w->failed = 0;
}

static bool take_member(void *user, long long number, const double *row, int end, const char *reason)
{
  Worker *w = user;
  if (!pf_row_store_put(w->pool->store, &w->journal, number, row, end, reason)) return false;
  w->done++;
  w->failed += end >= PF_MEMBER_NO_START;
  if (w->done >= 16) tell(w);
  return !is_stopped(w->pool);
}

/* ---------------------------------------------------------------- members in their order */

/* Few at the end, so that all have something to do, and not so few that they meet at the counter. */
static long long block_size(const Pool *pool, long long left)
{
  enum { LEAST = 16, MOST = 1024 };
  const long long even = left/(8LL*pool->threads);
  const long long size = even < LEAST ? LEAST : even > MOST ? MOST : even;
  return size < left ? size : left;
}

/* The next ones that nobody has. `wait`: also for room in the stream, when nothing is under way here. */
static bool take_block(Worker *w, bool wait)
{
  Pool *pool = w->pool;
  PfRowStream *stream = pool->store->stream;
  long long first = atomic_load(&pool->next), size;
  do {
    size = block_size(pool, pool->store->end - first);
    if (size <= 0 || is_stopped(pool)) return false;
    if (stream && !(wait ? pf_stream_wait : pf_stream_has_room)(stream, first + size - 1)) return false;
  } while (!atomic_compare_exchange_weak(&pool->next, &first, first + size));
  w->at = first;
  w->end = first + size;
  return true;
}

/* Lanes that fall free are filled from the next block at once. */
static bool next_member(void *user, long long *number)
{
  Worker *w = user;
  if (pf_member_is_stale(&w->member)) return false;
  do {
    while (w->at < w->end) {
      *number = w->at++;
      if (!pf_row_store_has(w->pool->store, *number)) return true;
    }
  } while (take_block(w, false));
  return false;
}

static bool renew(Worker *w)
{
  Pool *pool = w->pool;
  if (pf_member_renew(&w->member, &pool->mutex, is_stopped, pool) == PF_OK) return true;
  return pf_store_fail(pool->store, "rows", ENOMEM);
}

static void run_blocks(Worker *w)
{
  const PfMemberFlow flow = {next_member, take_member, w};
  bool good = true;
  while (good && !is_stopped(w->pool) && (w->at < w->end || take_block(w, true))) {
    good = renew(w) && pf_members_run(&w->member, &flow);
    tell(w);
  }
  if (!good) stop(w->pool);
}

static void *run_worker(void *user)
{
  Worker *w = user;
  Pool *pool = w->pool;
  run_blocks(w);
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_sub(&pool->running, 1);
  pthread_cond_signal(&pool->ended);
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

/* ---------------------------------------------------------------- all of them */

static PfSweepProgress progress_of(const Pool *pool, double start)
{
  const PfRowStore *store = pool->store;
  return (PfSweepProgress){.done = store->loaded + atomic_load(&pool->done), .before = store->loaded,
                           .failed = store->loaded_failed + atomic_load(&pool->failed),
                           .count = store->end - store->first, .seconds = pf_clock() - start};
}

/* Waits for an end, a tenth of a second at most. */
static void wait_a_while(Pool *pool)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 100000000;
  until.tv_sec += until.tv_nsec/1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&pool->mutex);
  if (atomic_load(&pool->running)) (void)pthread_cond_timedwait(&pool->ended, &pool->mutex, &until);
  pthread_mutex_unlock(&pool->mutex);
}

static void watch(Pool *pool, const PfSweepHow *how, double start, PfSweepResult *result)
{
  while (atomic_load(&pool->running)) {
    wait_a_while(pool);
    const PfSweepProgress progress = progress_of(pool, start);
    if (how->report && !result->stopped && how->report(how->user, &progress)) {
      result->stopped = true;
      stop(pool);
    }
  }
}

static PfStatus open_worker(Pool *pool, Worker *w)
{
  PfSweep *sweep = pool->sweep;
  *w = (Worker){.pool = pool, .journal = {.fd = -1}};
  PF_TRY(pf_member_open(sweep->ctx, sweep, &w->member));
  pf_context_set_cancel(pf_sim_context(w->member.sim), is_stopped, pool);
  return pf_journal_open(pool->store, &w->journal);
}

static void close_worker(Worker *w)
{
  pf_journal_close(&w->journal);
  pf_member_close(&w->member);
}

static PfStatus start_worker(Pool *pool, Worker *w)
{
  atomic_fetch_add(&pool->running, 1);
  w->started = pthread_create(&w->thread, NULL, run_worker, w) == 0;
  if (w->started) return PF_OK;
  atomic_fetch_sub(&pool->running, 1);
  return PF_ERR_LIMIT;
}

/* The first ones are at work while the others are made ready; they share what is copied. */
static PfStatus start_workers(Pool *pool, Worker *workers, int count, int *opened)
{
  PfContext *ctx = pool->sweep->ctx;
  for (int i = 0; i < count; i++) {
    pthread_mutex_lock(&pool->mutex);
    PfStatus status = open_worker(pool, workers + i);
    pthread_mutex_unlock(&pool->mutex);
    ++*opened;
    PF_TRY(status);
    if (start_worker(pool, workers + i) == PF_OK) continue;
    if (!i) return pf_fail(ctx, PF_ERR_LIMIT, "the system gives no thread");
    pf_warn_at(ctx, (PfPlace){0}, "the system gives %d threads, not %d", i, count);
    break;
  }
  return PF_OK;
}

static PfStatus run_workers(Pool *pool, Worker *workers, int count, const PfSweepHow *how, double start,
                            PfSweepResult *result)
{
  int opened = 0;
  PfStatus status = start_workers(pool, workers, count, &opened);
  if (status == PF_OK) watch(pool, how, start, result);
  else stop(pool);
  for (int i = 0; i < opened; i++) {
    if (workers[i].started) (void)pthread_join(workers[i].thread, NULL);
    close_worker(workers + i);
  }
  return status == PF_OK ? pf_row_store_status(pool->store) : status;
}

static int thread_count(const PfSweepHow *how, long long left)
{
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long long count = how->threads > 0 ? how->threads : cores > 0 ? cores : 1;
  if (count > left) count = left;
  return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (int)count;
}

static PfStatus run_pool(void *user, PfSweep *sweep, PfRowStore *store, const PfSweepHow *how, PfSweepResult *result)
{
  (void)user;
  const long long left = store->end - store->first - store->loaded;
  const int threads = thread_count(how, left);
  const double start = pf_clock();
  Pool pool = {.sweep = sweep, .store = store, .threads = threads};
  PfArena *scratch = pf_context_scratch(sweep->ctx);
  PfMark mark = pf_arena_mark(scratch);
  Worker *workers = pf_arena_array(scratch, Worker, threads);
  atomic_init(&pool.next, store->first);
  pthread_mutex_init(&pool.mutex, NULL);
  pthread_cond_init(&pool.ended, NULL);
  PfStatus status = workers ? PF_OK : pf_no_room(sweep->ctx, "the threads");
  if (status == PF_OK && how->statistics_only) status = pf_stream_new(sweep, threads, &store->stream);
  if (status == PF_OK && left > 0) status = run_workers(&pool, workers, threads, how, start, result);
  result->progress = progress_of(&pool, start);
  pthread_cond_destroy(&pool.ended);
  pthread_mutex_destroy(&pool.mutex);
  pf_arena_release(scratch, mark);
  return status;
}

static PfStatus open_store(PfSweep *sweep, const PfSweepHow *how, PfRowStore **store, bool *busy)
{
  if (how->statistics_only) return pf_row_store_open(sweep, NULL, PF_STORE_STREAM, 0, 0, store, busy);
  return pf_row_store_open(sweep, how->out, how->resume ? PF_STORE_RESUME : PF_STORE_NEW, how->part, how->parts, store,
                           busy);
}

/* Rows in memory, or the summary, stay with the sweep. */
static void keep(PfSweep *sweep, PfRowStore *store, const PfSweepHow *how, bool good)
{
  if (good && how->statistics_only) {
    pf_stream_end(store->stream);
    store->stream = NULL;
  }
  if (!good || how->out || how->statistics_only) {
    pf_row_store_free(store);
    return;
  }
  pf_row_store_free(sweep->memory);
  sweep->memory = store;
}

PfStatus pf_sweep_run_by(PfSweep *sweep, const PfSweepHow *how, PfRunStore *run, void *user, PfSweepResult *result)
{
  PfRowStore *store;
  *result = (PfSweepResult){0};
  if (!pf_sim_set_native(sweep->base, how->native))
    return pf_fail(sweep->ctx, pf_sim_error(sweep->base)->status, "%s", pf_sim_error(sweep->base)->message);
  PF_TRY(pf_sweep_check(sweep));
  PF_TRY(open_store(sweep, how, &store, &result->busy));
  PfStatus status = run(user, sweep, store, how, result);
  if (status == PF_OK && result->progress.done == result->progress.count) status = pf_row_store_finish(store);
  if (status == PF_OK && result->stopped) pf_row_store_show(store);
  keep(sweep, store, how, status == PF_OK);
  return status;
}

PfStatus pf_sweep_run(PfSweep *sweep, const PfSweepHow *how, PfSweepResult *result)
{
  return pf_sweep_run_by(sweep, how, run_pool, NULL, result);
}
