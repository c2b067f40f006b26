/* SPDX-License-Identifier: Apache-2.0 */
/* The leader of several processes. Blocks go to any process that has room for one, larger ones first. When all are out,
 * those that take long are given out once more, to be computed from the other end: so a process that is slow or dead
 * delays the end, and nothing waits for it. A row that comes twice is the same twice. */
#include "sweep/communicator_impl.h"
#include "sweep/store.h"
#include "sweep/worker_pool.h"

#include <stdio.h>
#include <string.h>

/* Seconds: until a block may be given out again; for all to say hello before the work begins; for the last rows after
 * a stop, when launchers soon kill. */
static const double patience = 1, greeting = 30, last_rows = 0.5;

typedef enum RankState {
  SILENT, /* not heard of yet */
  WORKING,
  UNABLE, /* it has said why */
  LOST
} RankState;

typedef struct Rank {
  RankState state;
  int threads, room, out; /* blocks that it can hold, and holds */
  double heard;
} Rank;

/* A block that a process computes; rank -1: none does any more. */
typedef struct Out {
  PfBlock block;
  int rank;
  double since;
  bool twice;
} Out;

typedef struct Leader {
  PfCommunicator *comm;
  PfContext *ctx;
  PfSweep *sweep;
  PfRowStore *store;
  const PfSweepRunOptions *how;
  PfSweepResult *result;
  const PfAllocator *allocator;
  PfWorkerPool *pool;      /* its own threads: those of rank 0 */
  PfJournal journal;
  Rank *ranks;
  PF_ARRAY(Out) outs;
  unsigned char *arrived;  /* a bit for each member */
  long long next, unsent;  /* the first member that was not handed out yet, and how many of them there are */
  long long done, failed;
  int64_t blocks;
  int threads;
  PfText message, records;
  double *row;
  PfProcessClock clock;
  double ticked, reported;
  int unable, first_unable; /* how many cannot go on, and the first of them: */
  PfStatus complaint;
  char host[128];
} Leader;

/* ---------------------------------------------------------------- rows */

static bool is_there(const Leader *l, long long member)
{
  const long long at = member - l->store->first;
  return l->arrived[at/8] >> at%8 & 1 || pf_row_store_has(l->store, member);
}

/* Takes the block off the list of those that the process computes, once it has ended. */
static void end_block(Leader *l, int rank, int64_t number)
{
  for (size_t i = 0; i < l->outs.count; i++) {
    if (l->outs.at[i].block.number != number || l->outs.at[i].rank != rank) continue;
    l->outs.at[i] = l->outs.at[--l->outs.count];
    l->ranks[rank].out--;
    return;
  }
}

/* Stores the rows among the records from a process, unless they are there already. A record that is cut off ends them;
 * members outside the sweep are ignored. */
static PfStatus take_records(Leader *l, int rank, const PfText *text)
{
  const char *bytes = pf_text_get(text);
  const size_t numbers = (size_t)l->sweep->columns*sizeof(double);
  for (size_t at = 0, size; at + sizeof(PfRecord) <= text->count; at += size) {
    PfRecord record;
    memcpy(&record, bytes + at, sizeof record);
    at += sizeof record;
    size = pf_record_payload_size(&record, l->sweep->columns);
    if (size > text->count - at) break;
    if (record.kind == PF_RECORD_ENDED) {
      end_block(l, rank, record.number);
      continue;
    }
    const long long member = record.number, bit = member - l->store->first;
    if (member < l->store->first || member >= l->store->end || is_there(l, member)) continue;
    memcpy(l->row, bytes + at, numbers);
    if (!pf_row_store_put(l->store, &l->journal, member, l->row, record.end, bytes + at + numbers))
      return pf_row_store_status(l->store);
    l->arrived[bit/8] = (unsigned char)(l->arrived[bit/8] | 1 << bit%8);
    l->done++;
    l->failed += record.end >= PF_MEMBER_NO_START;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- blocks */

/* Marks the members of the span that are still missing; how many there are. */
static int mark_missing(const Leader *l, PfBlock *block)
{
  int count = 0;
  memset(block->wanted, 0, sizeof block->wanted);
  for (int i = 0; i < block->span; i++) {
    if (is_there(l, block->first + i)) continue;
    block->wanted[i/8] = (unsigned char)(block->wanted[i/8] | 1 << i%8);
    count++;
  }
  return count;
}

/* The next members that no process has had. Blocks are smaller and smaller, so that all end at about the same time;
 * whole groups of lanes as long as there are many. False where there are none. */
static bool next_new(Leader *l, PfBlock *block)
{
  enum { GROUP = 64 };
  const long long end = l->store->end, even = l->unsent/(4LL*l->threads);
  long long span = even < 1 ? 1 : even > PF_BLOCK ? PF_BLOCK : even;
  if (span > GROUP) span -= span%GROUP;
  while (l->next < end && is_there(l, l->next)) l->next++;
  if (l->next >= end) return false;
  *block = (PfBlock){.first = l->next, .span = (int)(end - l->next < span ? end - l->next : span)};
  l->unsent -= mark_missing(l, block);
  l->next += block->span;
  return true;
}

/* A block that no process computes any more; and, for a process without other work, the one that has taken longest. */
static bool next_again(Leader *l, int rank, PfBlock *block)
{
  Out *oldest = NULL;
  for (size_t i = 0; i < l->outs.count; i++) {
    Out *out = l->outs.at + i;
    const bool left = out->rank < 0;
    const bool slow = !l->ranks[rank].out && !out->twice && l->clock.now - out->since > patience;
    if (!left && (!slow || out->rank == rank)) continue;
    if (!oldest || (left && oldest->rank >= 0) || ((oldest->rank < 0) == left && out->since < oldest->since))
      oldest = out;
  }
  if (!oldest) return false;
  *block = oldest->block;
  block->backwards = !oldest->block.backwards;
  oldest->twice = true;
  if (oldest->rank < 0) *oldest = l->outs.at[--l->outs.count];
  return mark_missing(l, block) > 0;
}

/* The process cannot be reached: its blocks are free to be given out again. */
static void lose(Leader *l, int rank)
{
  if (l->ranks[rank].state == LOST) return;
  l->ranks[rank].state = LOST;
  l->ranks[rank].out = 0;
  for (size_t i = 0; i < l->outs.count; i++)
    if (l->outs.at[i].rank == rank) l->outs.at[i].rank = -1;
}

static void send(Leader *l, int rank, PfTag tag, const void *bytes, size_t count)
{
  if (!l->comm->send(l->comm, rank, (int)tag, bytes, count)) lose(l, rank);
}

/* ---------------------------------------------------------------- messages */

/* The first message of a process: how many threads it has; or, also later, why it cannot go on. Of several that cannot,
 * the message of the lowest rank is shown. */
static void hear_hello(Leader *l, int from)
{
  const PfText *text = &l->message;
  PfMessageHead head;
  Rank *rank = l->ranks + from;
  if (text->count < sizeof head + 2) return;
  memcpy(&head, text->at, sizeof head);
  const char *host = text->at + sizeof head, *message = host + strlen(host) + 1;
  if (head.status == PF_OK) {
    const int threads = head.threads < 1 ? 1 : head.threads > 1024 ? 1024 : head.threads;
    *rank = (Rank){.state = WORKING, .threads = threads, .room = 2*threads, .heard = l->clock.now};
    l->threads += threads;
    return;
  }
  lose(l, from);
  rank->state = UNABLE;
  l->unable++;
  if (l->unable > 1 && from > l->first_unable) return;
  l->first_unable = from;
  l->complaint = (PfStatus)head.status;
  snprintf(l->host, sizeof l->host, "%s", host);
  l->comm->complaints.count = 0;
  pf_text_add(&l->comm->complaints, message < text->at + text->count ? message : "");
}

/* Handles all messages that have arrived; *heard where there were some. */
static PfStatus hear(Leader *l, bool *heard)
{
  PfCommunicator *comm = l->comm;
  int from, tag;
  while (comm->receive(comm, &from, &tag, &l->message)) {
    *heard = true;
    l->ranks[from].heard = l->clock.now;
    if (tag == PF_TAG_HELLO) hear_hello(l, from);
    else if (tag == PF_TAG_ROWS) PF_TRY(take_records(l, from, &l->message));
    else if (tag == PF_TAG_ASK) l->result->stopped = true;
    else if (tag == PF_TAG_BYE) comm->presence[from] = PF_GONE;
  }
  return PF_OK;
}

/* Enough, to all processes. */
static void send_stop(Leader *l)
{
  l->comm->over = true;
  for (int i = 1; i < l->comm->size; i++) (void)l->comm->send(l->comm, i, PF_TAG_STOP, "", 0);
}

/* ---------------------------------------------------------------- what goes on */

/* Duties that recur: progress is reported, at most every 0.05 s; every second a sign of life goes to all
 * processes, and one that has been silent for long is lost. */
static void look_around(Leader *l)
{
  PfSweepProgress *p = &l->result->progress;
  const PfSweepRunOptions *how = l->how;
  const double now = pf_process_clock_now(&l->clock);
  p->done = l->done;
  p->failed = l->failed;
  p->seconds = now;
  if (now - l->reported >= 0.05) {
    l->reported = now;
    if (how->report && how->report(how->user, p)) l->result->stopped = true;
  }
  if (now - l->ticked < 1) return;
  l->ticked = now;
  for (int i = 1; i < l->comm->size; i++) {
    if (l->ranks[i].state == WORKING) send(l, i, PF_TAG_TICK, "", 0);
    if (l->ranks[i].state == WORKING && now - l->ranks[i].heard > PF_MESSAGE_TIMEOUT) lose(l, i);
  }
}

/* Where a process cannot go on none does; a request to stop is not a failure. */
static PfStatus fail_with_others(const Leader *l)
{
  if (l->complaint == PF_ERR_CANCELLED) {
    l->result->stopped = true;
    return PF_OK;
  }
  if (l->unable == 1)
    return pf_fail(l->ctx, l->complaint, "rank %d, on %s, cannot go on, and so none of %d processes does",
                   l->first_unable, l->host, l->comm->size);
  return pf_fail(l->ctx, l->complaint, "%d of %d processes cannot go on, and so none does; the first is rank %d, on "
                 "%s", l->unable, l->comm->size, l->first_unable, l->host);
}

/* Whether one of the other processes is in that state; `present`: and has not said goodbye. */
static bool is_any(const Leader *l, RankState state, bool present)
{
  for (int i = 1; i < l->comm->size; i++)
    if (l->ranks[i].state == state && (!present || l->comm->presence[i] == PF_PRESENT)) return true;
  return false;
}

/* Takes the rows of the own threads; waits for some so many seconds. */
static PfStatus take_own(Leader *l, double seconds)
{
  l->records.count = 0;
  PF_TRY(pf_worker_pool_collect(l->pool, seconds, &l->records));
  return take_records(l, 0, &l->records);
}

/* The main loop of the leader: hands out blocks, receives messages, takes the rows of its own threads. */
static PfStatus work(Leader *l)
{
  while (l->done < l->result->progress.count && !l->result->stopped) {
    bool heard = false;
    look_around(l);
    /* One block for each process in turn, as long as one of them has room. */
    for (bool any = true; any;) {
      any = false;
      for (int i = 0; i < l->comm->size; i++) {
        const Rank *rank = l->ranks + i;
        PfBlock block;
        if (rank->state != WORKING || rank->out >= rank->room) continue;
        const bool fresh = next_new(l, &block);
        if (!fresh && !next_again(l, i, &block)) continue;
        block.number = l->blocks++;
        const Out out = {.block = block, .rank = i, .since = l->clock.now, .twice = !fresh};
        if (!pf_push(l->allocator, &l->outs, out)) return pf_no_room(l->ctx, "the blocks");
        l->ranks[i].out++;
        if (i) send(l, i, PF_TAG_BLOCK, &block, sizeof block);
        else pf_worker_pool_give(l->pool, &block);
        any = true;
      }
    }
    PF_TRY(hear(l, &heard));
    if (l->unable) return fail_with_others(l);
    PF_TRY(take_own(l, heard ? 0 : 0.001));
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all of it */

/* Runs a store: starts the own thread pool, works until all members are there or a stop is requested, then gathers the
 * last rows. */
static PfStatus lead(Leader *l)
{
  PF_TRY(pf_journal_open(l->store, &l->journal));
  PF_TRY(pf_worker_pool_start(l->sweep, l->ranks[0].threads, &l->pool));
  l->ranks[0].state = WORKING;
  l->ranks[0].room = pf_worker_pool_room(l->pool);
  PF_TRY(work(l));
  if (l->result->stopped) {
    /* Gathers the rows that were computed before the stop. */
    const double until = pf_process_clock_now(&l->clock) + last_rows;
    send_stop(l);
    pf_worker_pool_join(l->pool);
    PF_TRY(take_own(l, 0));
    while (is_any(l, WORKING, true) && pf_process_clock_now(&l->clock) < until) {
      bool heard = false;
      PF_TRY(hear(l, &heard));
      if (!heard) pf_communicator_wait();
    }
  }
  look_around(l);
  return pf_row_store_status(l->store);
}

/* As PfRunStore, with the leader as user. */
static PfStatus run_store(void *user, PfSweep *sweep, PfRowStore *store, const PfSweepRunOptions *how,
                          PfSweepResult *result)
{
  Leader *l = user;
  (void)sweep, (void)how;
  result->progress = (PfSweepProgress){.count = store->end - store->first, .before = store->loaded};
  l->store = store;
  l->next = store->first;
  l->unsent = result->progress.count - store->loaded;
  l->done = store->loaded;
  l->failed = store->loaded_failed;
  const PfStatus status = lead(l);
  pf_worker_pool_free(l->pool);
  pf_journal_close(&l->journal);
  return status;
}

/* Sends the settings to all followers, waits for their answers for some seconds, and runs the sweep. */
static PfStatus connect_and_lead(Leader *l)
{
  PfArena *arena = l->sweep->arena;
  l->ranks = pf_arena_array(arena, Rank, l->comm->size);
  l->arrived = pf_arena_array(arena, unsigned char, l->sweep->plan.count/8 + 1);
  l->row = pf_arena_array(arena, double, l->sweep->columns);
  if (!(l->ranks && l->arrived && l->row)) return pf_no_room(l->ctx, "the processes");
  l->ranks[0].threads = l->threads;
  /* The settings go out before there is a result. A process that answers later joins then. */
  const PfMessageHead head = {PF_MESSAGE_ORDER, PF_MESSAGE_FORM, PF_OK, 0};
  PfText text;
  pf_text_init(&text, l->allocator);
  pf_text_put(&text, (const char *)&head, sizeof head);
  pf_text_put(&text, pf_version(), strlen(pf_version()) + 1);
  for (int i = 0; i < l->sweep->setting_count; i++) {
    const PfSweepSetting *setting = l->sweep->settings + i;
    pf_text_put(&text, setting->key, strlen(setting->key) + 1);
    pf_text_put(&text, setting->value, strlen(setting->value) + 1);
  }
  for (int i = 1; i < l->comm->size; i++) send(l, i, PF_TAG_SETTINGS, pf_text_get(&text), text.count);
  pf_text_free(&text);
  while (is_any(l, SILENT, false) && !l->result->stopped && l->clock.now < greeting) {
    bool heard = false;
    look_around(l);
    PF_TRY(hear(l, &heard));
    if (!heard) pf_communicator_wait();
  }
  if (l->unable) PF_TRY(fail_with_others(l));
  if (l->result->stopped) return pf_fail(l->ctx, PF_ERR_CANCELLED, "stopped before it began");
  return pf_sweep_run_by(l->sweep, l->how, run_store, l, l->result);
}

PfStatus pf_leader_run(PfCommunicator *comm, PfSweep *sweep, const PfSweepRunOptions *how, PfSweepResult *result)
{
  Leader l = {.comm = comm, .ctx = sweep->ctx, .sweep = sweep, .how = how, .result = result,
              .allocator = pf_context_allocator(sweep->ctx), .journal = {.fd = -1},
              .threads = how->threads > 0 ? how->threads : pf_communicator_threads(comm)};
  *result = (PfSweepResult){.progress.count = sweep->plan.count};
  pf_text_init(&l.message, l.allocator);
  pf_text_init(&l.records, l.allocator);
  pf_process_clock_start(&l.clock);
  const PfStatus status = connect_and_lead(&l);
  send_stop(&l);
  l.comm->threads = l.comm->working = 0;
  for (int i = 0; l.ranks && i < l.comm->size; i++) {
    l.comm->threads += l.ranks[i].threads;
    l.comm->working += l.ranks[i].threads > 0;
  }
  pf_text_free(&l.message);
  pf_text_free(&l.records);
  pf_array_free(l.allocator, &l.outs);
  return status;
}
