/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compute one sweep, as threads: their messages go through queues in memory. Rows are compared with
 * those of one process. */
#include "support.h"

#include "sweep/communicator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static const char spring[] = "param w = 2 [1/s]\ncoord x [m]\nkinetic 0.5[kg]*x'^2\npotential 0.5[kg]*w^2*x^2\n"
                             "start x = 1\nrun 3\n";
static const PfSweepSetting settings[] = {{"model", spring}, {"random", "w ~ uniform(0.5, 4)"}, {"n", "2000"},
                                          {"take", "x, max(x)"}, {0}};
static const PfSweepSetting others[] = {{"model", spring}, {"random", "w ~ uniform(0.5, 4)"}, {"n", "2000"},
                                        {"take", "x, min(x)"}, {0}};
enum { RANKS = 3, MEMBERS = 2000, COLUMNS = 3, MOST = 4096 };

/* ---------------------------------------------------------------- messages */

typedef struct Message {
  int from, tag;
  PfText bytes;
} Message;

typedef struct Queue {
  Message at[MOST];
  int first, count;
} Queue;

typedef struct Net {
  pthread_mutex_t mutex;
  Queue queues[RANKS];
  atomic_bool dead[RANKS]; /* nothing reaches it any more */
} Net;

typedef struct Process {
  PfCommunicator comm; /* first */
  Net *net;
  const PfSweepSetting *settings;
  PfPresence presence[RANKS];
  char host[16];
  bool dies, asks;    /* after its first block; that all stop */
  int ended, whole;
  PfStatus status;
  pthread_t thread;
} Process;

static const PfAllocator standard = {pf_standard_resize, NULL};

static bool send(PfCommunicator *comm, int to, int tag, const void *bytes, size_t count)
{
  const Process *p = (Process *)comm;
  Net *net = p->net;
  if (atomic_load(&net->dead[to]) || atomic_load(&net->dead[comm->rank])) return false;
  pthread_mutex_lock(&net->mutex);
  Queue *queue = net->queues + to;
  assert_true(queue->count < MOST);
  Message *message = queue->at + (queue->first + queue->count++)%MOST;
  *message = (Message){.from = comm->rank, .tag = tag};
  pf_text_init(&message->bytes, &standard);
  pf_text_put(&message->bytes, bytes, count);
  pthread_mutex_unlock(&net->mutex);
  return true;
}

static bool receive(PfCommunicator *comm, int *from, int *tag, PfText *bytes)
{
  const Process *p = (Process *)comm;
  Net *net = p->net;
  pthread_mutex_lock(&net->mutex);
  Queue *queue = net->queues + comm->rank;
  const bool any = queue->count > 0;
  if (any) {
    Message *message = queue->at + queue->first;
    queue->first = (queue->first + 1)%MOST;
    queue->count--;
    *from = message->from;
    *tag = message->tag;
    bytes->count = 0;
    pf_text_put(bytes, pf_text_get(&message->bytes), message->bytes.count);
    pf_text_free(&message->bytes);
  }
  pthread_mutex_unlock(&net->mutex);
  /* a process that is killed while it computes: it holds a block, and is never heard of again */
  if (any && *tag == PF_TAG_BLOCK && p->dies) atomic_store(&net->dead[comm->rank], true);
  return any && !atomic_load(&net->dead[comm->rank]);
}

static void end(PfCommunicator *comm, bool whole)
{
  Process *p = (Process *)comm;
  p->ended++;
  p->whole = whole;
}

/* ---------------------------------------------------------------- processes */

static bool ask(void *user, const PfSweepProgress *progress)
{
  const Process *p = user;
  (void)progress;
  return p->asks || atomic_load(&p->net->dead[p->comm.rank]);
}

static PfStatus work(Process *p, PfContext *ctx, PfArena *arena, PfSweep **sweep)
{
  PfReceivedSettings received;
  const PfSweepRunOptions how = {.threads = 1, .report = ask, .user = p};
  if (p->settings) PF_TRY(pf_sweep_new(ctx, p->settings, 4, sweep));
  PF_TRY(pf_follower_receive(&p->comm, ctx, arena, &received));
  if (!received.settings) return PF_OK;
  if (*sweep) PF_TRY(pf_follower_compare(&p->comm, *sweep, &received));
  else PF_TRY(pf_sweep_new(ctx, received.settings, received.count, sweep));
  return pf_follower_run(&p->comm, *sweep, &how);
}

/* The thread of a dead one ends when it finds that it reaches nobody. */
static void *follow(void *user)
{
  Process *p = user;
  PfContext *ctx = pf_context_new(NULL);
  PfArena *arena = pf_arena_new(NULL);
  PfSweep *sweep = NULL;
  p->status = work(p, ctx, arena, &sweep);
  if (p->status != PF_OK) pf_follower_report_failure(&p->comm, p->status, pf_context_message(ctx));
  if (!atomic_load(&p->net->dead[p->comm.rank])) (void)pf_communicator_close(&p->comm);
  pf_sweep_free(sweep);
  pf_arena_free(arena);
  pf_context_free(ctx);
  return NULL;
}

typedef struct Job {
  Net net;
  Process processes[RANKS];
} Job;

static Job *new_job(void)
{
  Job *job = pf_standard_resize(NULL, NULL, sizeof *job);
  assert_non_null(job);
  memset(job, 0, sizeof *job);
  pthread_mutex_init(&job->net.mutex, NULL);
  for (int i = 0; i < RANKS; i++) {
    Process *p = job->processes + i;
    *p = (Process){.net = &job->net, .settings = settings};
    snprintf(p->host, sizeof p->host, "node%d", i);
    p->comm = (PfCommunicator){.rank = i, .size = RANKS, .here = RANKS, .cores = 1, .host = p->host, .send = send,
                               .receive = receive, .end = end, .presence = p->presence};
    pf_text_init(&p->comm.complaints, &standard);
  }
  return job;
}

static void start(Job *job)
{
  for (int i = 1; i < RANKS; i++)
    assert_int_equal(pthread_create(&job->processes[i].thread, NULL, follow, job->processes + i), 0);
}

static void part(Job *job)
{
  (void)pf_communicator_close(&job->processes[0].comm);
  for (int i = 1; i < RANKS; i++) pthread_join(job->processes[i].thread, NULL);
}

static void free_job(Job *job)
{
  for (int i = 0; i < RANKS; i++) {
    Queue *queue = job->net.queues + i;
    for (int k = 0; k < queue->count; k++) pf_text_free(&queue->at[(queue->first + k)%MOST].bytes);
    pf_text_free(&job->processes[i].comm.complaints);
  }
  pthread_mutex_destroy(&job->net.mutex);
  pf_standard_resize(NULL, job, 0);
}

/* ---------------------------------------------------------------- rows */

typedef struct Rows {
  double columns[COLUMNS*MEMBERS];
  unsigned char ends[MEMBERS];
} Rows;

static void read_rows(PfSweep *sweep, Rows *rows)
{
  assert_int_equal(pf_sweep_read(sweep, NULL, 0, MEMBERS, rows->columns, rows->ends, NULL), PF_OK);
}

static void assert_same_as_alone(Fixture *f, const Rows *rows)
{
  static Rows alone;
  PfSweep *sweep;
  PfSweepResult result;
  const PfSweepRunOptions how = {.threads = 1};
  assert_int_equal(pf_sweep_new(f->ctx, settings, 4, &sweep), PF_OK);
  assert_int_equal(pf_sweep_run(sweep, &how, &result), PF_OK);
  read_rows(sweep, &alone);
  pf_sweep_free(sweep);
  assert_memory_equal(alone.columns, rows->columns, sizeof alone.columns);
  assert_memory_equal(alone.ends, rows->ends, sizeof alone.ends);
}

/* Runs the job with a leader here; its rows and what it says. */
static PfStatus lead(Fixture *f, Job *job, const PfSweepRunOptions *how, PfSweepResult *result, Rows *rows)
{
  PfSweep *sweep;
  assert_int_equal(pf_sweep_new(f->ctx, settings, 4, &sweep), PF_OK);
  start(job);
  const PfStatus status = pf_leader_run(&job->processes[0].comm, sweep, how, result);
  if (status == PF_OK && rows) read_rows(sweep, rows);
  pf_sweep_free(sweep);
  return status;
}

static void rows_are_those_of_one_process(void **state)
{
  static Rows rows;
  Fixture *f = *state;
  Job *job = new_job();
  PfSweepResult result;
  job->processes[2].settings = NULL; /* takes what the leader says */
  assert_int_equal(lead(f, job, &(PfSweepRunOptions){.threads = 2}, &result, &rows), PF_OK);
  part(job);
  assert_int_equal(result.progress.done, MEMBERS);
  assert_int_equal(job->processes[0].comm.working, RANKS);
  assert_int_equal(job->processes[0].comm.threads, 4);
  for (int i = 0; i < RANKS; i++) {
    assert_int_equal(job->processes[i].ended, 1);
    assert_true(job->processes[i].whole);
  }
  free_job(job);
  assert_same_as_alone(f, &rows);
}

static void a_dead_one_costs_time_only(void **state)
{
  static Rows rows;
  Fixture *f = *state;
  Job *job = new_job();
  PfSweepResult result;
  job->processes[1].dies = true;
  assert_int_equal(lead(f, job, &(PfSweepRunOptions){.threads = 1}, &result, &rows), PF_OK);
  part(job);
  assert_int_equal(result.progress.done, MEMBERS);
  assert_int_equal(job->processes[0].comm.presence[1], PF_LOST);
  assert_false(job->processes[2].whole); /* it is told not to wait for the dead one */
  free_job(job);
  assert_same_as_alone(f, &rows);
}

static void other_words_are_refused_with_the_difference(void **state)
{
  Fixture *f = *state;
  Job *job = new_job();
  PfSweepResult result;
  job->processes[1].settings = job->processes[2].settings = others;
  assert_int_equal(lead(f, job, &(PfSweepRunOptions){.threads = 1}, &result, NULL), PF_ERR_ARGUMENT);
  assert_string_equal(pf_text_get(&job->processes[0].comm.complaints),
                      "rank 1, on node1, was started with take x, min(x), rank 0 with x, max(x)");
  assert_contains(pf_context_message(f->ctx), "2 of 3 processes cannot go on");
  part(job);
  assert_true(job->processes[0].whole);
  free_job(job);
}

static void other_versions_are_refused(void **state)
{
  Fixture *f = *state;
  const PfCommunicator comm = {.rank = 4, .size = 9, .host = "node4"};
  const PfReceivedSettings received = {.settings = settings, .count = 4, .version = "0.0.7"};
  assert_int_equal(pf_follower_check_version(&comm, f->ctx, &received), PF_ERR_ARGUMENT);
  assert_contains(pf_context_message(f->ctx), "rank 4, on node4, runs version " PF_VERSION);
  assert_contains(pf_context_message(f->ctx), "rank 0 runs version 0.0.7");
}

static bool stop_soon(void *user, const PfSweepProgress *progress)
{
  (void)user;
  return progress->done > 0;
}

static void who_is_asked_to_stop_stops_all(void **state)
{
  Fixture *f = *state;
  for (int rank = 0; rank < 2; rank++) {
    static Rows rows;
    Job *job = new_job();
    PfSweepResult result;
    const PfSweepRunOptions how = {.threads = 1, .report = rank ? NULL : stop_soon};
    job->processes[1].asks = rank == 1;
    const PfStatus status = lead(f, job, &how, &result, &rows);
    part(job);
    assert_true(status == PF_OK || (rank && status == PF_ERR_CANCELLED)); /* before it began */
    assert_true(result.stopped || result.progress.done == MEMBERS);       /* on a fast machine all was done before */
    assert_true(job->processes[0].whole);
    free_job(job);
  }
}

static void threads_are_the_share_of_the_machine(void **state)
{
  (void)state;
  PfCommunicator comm = {.here = 1, .cores = 1};
  assert_int_equal(pf_communicator_threads(&comm), 1); /* bound to one core */
  comm = (PfCommunicator){.here = 1000000};
  assert_int_equal(pf_communicator_threads(&comm), 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(rows_are_those_of_one_process),
    with_fixture(a_dead_one_costs_time_only),
    with_fixture(other_words_are_refused_with_the_difference),
    with_fixture(other_versions_are_refused),
    with_fixture(who_is_asked_to_stop_stops_all),
    with_fixture(threads_are_the_share_of_the_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
