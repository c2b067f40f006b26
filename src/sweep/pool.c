/* SPDX-License-Identifier: Apache-2.0 */
/* All members, by threads that take blocks of them from a common counter. Each has a simulation and a journal of its
 * own; they share the counter, and rows of one chunk. */
#include "sweep/store.h"
#include "sweep/stream.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

typedef struct Pool {
  PfSweep *sweep;
  PfRowStore *store;
  int threads;
  atomic_llong next;    /* the first that no thread has taken */
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
  long long done, failed; /* since the common counters were changed */
  pthread_t thread;
  bool started;
} Worker;

enum { MOST_THREADS = 1024 };

/* ---------------------------------------------------------------- threads */

PfStatus pf_thread_start(PfContext *ctx, void *(*run)(void *user), void *user, int number, int wanted,
                         pthread_t *thread, bool *started)
{
  *started = pthread_create(thread, NULL, run, user) == 0;
  if (*started) return PF_OK;
  if (!number) return pf_fail(ctx, PF_ERR_LIMIT, "the system gives no thread");
  pf_warn_at(ctx, (PfPlace){0}, "the system gives %d threads, not %d", number, wanted);
  return PF_OK;
}

/* ---------------------------------------------------------------- a thread */

static bool is_stopped(void *user)
{
  const Pool *pool = user;
  return atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

/* Also stops threads that wait for others. */
static void stop(Pool *pool)
{
  atomic_store(&pool->stop, true);
  if (pool->store->stream) pf_stream_stop(pool->store->stream);
}

/* Adds the counts of a thread to the common ones. */
static void add_counts(Worker *w)
{
  atomic_fetch_add(&w->pool->done, w->done);
  atomic_fetch_add(&w->pool->failed, w->failed);
  w->done = w->failed = 0;
}

/* Stores the row of a member that is done; the counts are added now and then. */
static bool take_member(void *user, long long number, const double *row, int end, const char *reason)
{
  Worker *w = user;
  if (!pf_row_store_put(w->pool->store, &w->journal, number, row, end, reason)) return false;
  w->done++;
  w->failed += end >= PF_MEMBER_NO_START;
  if (w->done >= 16) add_counts(w);
  return !is_stopped(w->pool);
}

/* The next members that no thread has taken: few at the end, so that all threads have something to do, and not so few
 * that they meet at the counter. `wait`: also for room in the stream, when nothing is under way here. */
static bool take_block(Worker *w, bool wait)
{
  enum { LEAST = 16, MOST = 1024 };
  Pool *pool = w->pool;
  PfRowStream *stream = pool->store->stream;
  long long first = atomic_load(&pool->next), size;
  do {
    const long long left = pool->store->end - first, even = left/(8LL*pool->threads);
    size = even < LEAST ? LEAST : even > MOST ? MOST : even;
    if (size > left) size = left;
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

/* The life of a thread: blocks until there are none, or until a stop. */
static void *run_worker(void *user)
{
  Worker *w = user;
  Pool *pool = w->pool;
  const PfMemberFlow flow = {next_member, take_member, w};
  bool good = true;
  while (good && !is_stopped(pool) && (w->at < w->end || take_block(w, true))) {
    good = pf_member_reopen(&w->member, &pool->mutex, is_stopped, pool) == PF_OK
           ? pf_members_run(&w->member, &flow) : pf_store_fail(pool->store, "rows", ENOMEM);
    add_counts(w);
  }
  if (!good) stop(pool);
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

/* Opens and starts the threads one by one: the first ones are at work while the others are made ready; they share what
 * is copied. *opened is how many have to be closed, also after a failure. */
static PfStatus start_workers(Pool *pool, Worker *workers, int count, int *opened)
{
  PfSweep *sweep = pool->sweep;
  for (Worker *w = workers; *opened < count; w++) {
    *w = (Worker){.pool = pool, .journal = {.fd = -1}};
    pthread_mutex_lock(&pool->mutex);
    PfStatus status = pf_member_open(sweep->ctx, sweep, &w->member);
    if (status == PF_OK) {
      pf_context_set_cancel(pf_sim_context(w->member.sim), is_stopped, pool);
      status = pf_journal_open(pool->store, &w->journal);
    }
    pthread_mutex_unlock(&pool->mutex);
    ++*opened;
    PF_TRY(status);
    atomic_fetch_add(&pool->running, 1);
    status = pf_thread_start(sweep->ctx, run_worker, w, *opened - 1, count, &w->thread, &w->started);
    if (w->started) continue;
    atomic_fetch_sub(&pool->running, 1);
    return status;
  }
  return PF_OK;
}

/* Starts the threads, reports progress while they run, joins them and closes their simulations. */
static PfStatus run_workers(Pool *pool, Worker *workers, int count, const PfSweepRunOptions *how, double start,
                            PfSweepResult *result)
{
  int opened = 0;
  PfStatus status = start_workers(pool, workers, count, &opened);
  if (status != PF_OK) stop(pool);
  while (status == PF_OK && atomic_load(&pool->running)) {
    const struct timespec until = pf_deadline(0.1);
    pthread_mutex_lock(&pool->mutex);
    if (atomic_load(&pool->running)) (void)pthread_cond_timedwait(&pool->ended, &pool->mutex, &until);
    pthread_mutex_unlock(&pool->mutex);
    const PfSweepProgress progress = progress_of(pool, start);
    if (how->report && !result->stopped && how->report(how->user, &progress)) {
      result->stopped = true;
      stop(pool);
    }
  }
  for (Worker *w = workers; w < workers + opened; w++) {
    if (w->started) (void)pthread_join(w->thread, NULL);
    pf_journal_close(&w->journal);
    pf_member_close(&w->member);
  }
  return status == PF_OK ? pf_row_store_status(pool->store) : status;
}

/* Computes the missing rows of the store with a pool of threads. */
static PfStatus run_pool(void *user, PfSweep *sweep, PfRowStore *store, const PfSweepRunOptions *how,
                         PfSweepResult *result)
{
  (void)user;
  const long long left = store->end - store->first - store->loaded;
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long long count = how->threads > 0 ? how->threads : cores > 0 ? cores : 1;
  if (count > left) count = left;
  const int threads = count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (int)count;
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

PfStatus pf_sweep_run_by(PfSweep *sweep, const PfSweepRunOptions *how, PfRunStore *run, void *user,
                         PfSweepResult *result)
{
  PfRowStore *store;
  const bool streams = how->statistics_only;
  const PfStoreMode mode = streams ? PF_STORE_STREAM : how->resume ? PF_STORE_RESUME : PF_STORE_NEW;
  *result = (PfSweepResult){0};
  PF_TRY(pf_sweep_set_native(sweep, how->native));
  PF_TRY(pf_sweep_check(sweep));
  PF_TRY(pf_row_store_open(sweep, streams ? NULL : how->out, mode, streams ? 0 : how->part, streams ? 0 : how->parts,
                           &store, &result->busy));
  PfStatus status = run(user, sweep, store, how, result);
  if (status == PF_OK && result->progress.done == result->progress.count) status = pf_row_store_finish(store);
  if (status == PF_OK && result->stopped) pf_row_store_show(store);
  /* The summary, or rows in memory, stay with the sweep. */
  if (status == PF_OK && streams) {
    pf_stream_end(store->stream);
    store->stream = NULL;
  }
  if (status != PF_OK || how->out || streams) pf_row_store_free(store);
  else {
    pf_row_store_free(sweep->memory);
    sweep->memory = store;
  }
  return status;
}

PfStatus pf_sweep_run(PfSweep *sweep, const PfSweepRunOptions *how, PfSweepResult *result)
{
  return pf_sweep_run_by(sweep, how, run_pool, NULL, result);
}
