/* SPDX-License-Identifier: Apache-2.0 */
/* The follower's part of a sweep by several processes, and the goodbye of all of them. leader.c has the leader. */
#include "sweep/communicator_impl.h"
#include "sweep/worker_pool.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SOME_ROWS = 65536 }; /* bytes that are sent at once without waiting for more */
static const double pause_time = 0.002, tick = 1, farewell = 3;

/* ---------------------------------------------------------------- time */

void pf_process_clock_start(PfProcessClock *clock)
{
  *clock = (PfProcessClock){.last = pf_clock()};
}

double pf_process_clock_now(PfProcessClock *clock)
{
  const double now = pf_clock(), passed = now - clock->last;
  clock->now += passed < 1 ? passed : 1;
  clock->last = now;
  return clock->now;
}

void pf_communicator_wait(void)
{
  const struct timespec some = {.tv_nsec = 1000000};
  (void)nanosleep(&some, NULL);
}

int pf_communicator_threads(const PfCommunicator *comm)
{
  const long all = sysconf(_SC_NPROCESSORS_ONLN), share = all/(comm->here > 0 ? comm->here : 1);
  const long count = comm->cores > 0 && comm->cores < share ? comm->cores : share;
  return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

/* ---------------------------------------------------------------- the first message to a follower */

/* The next text in a message, which ends with a zero; NULL where there is none. `*at` moves on. */
static const char *next_text(const char **at, const char *end)
{
  const char *text = *at, *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
  *at = zero ? zero + 1 : end;
  return zero ? text : NULL;
}

/* The settings of the first message: texts by twos, after the version; they stay where they are. */
static PfStatus read_settings(PfContext *ctx, PfArena *arena, const char *bytes, size_t count,
                              PfReceivedSettings *received)
{
  PfMessageHead head = {0};
  const char *at = bytes + sizeof head, *end = bytes + count;
  size_t texts = 0;
  if (count > sizeof head) memcpy(&head, bytes, sizeof head);
  if (head.order != PF_MESSAGE_ORDER || head.form != PF_MESSAGE_FORM)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "rank 0 runs another version of the program, or on another kind of machine");
  received->version = next_text(&at, end);
  for (const char *text = at; next_text(&text, end);) texts++;
  PfSweepSetting *settings = pf_arena_array(arena, PfSweepSetting, texts/2 + 1);
  if (!settings) return pf_no_room(ctx, "the sweep");
  for (int i = 0;; i++) {
    settings[i].key = next_text(&at, end);
    settings[i].value = next_text(&at, end);
    received->count = i;
    if (!settings[i].value) break;
  }
  received->settings = settings;
  return PF_OK;
}

PfStatus pf_follower_receive(PfCommunicator *comm, PfContext *ctx, PfArena *arena, PfReceivedSettings *received)
{
  PfText text;
  int from, tag = -1;
  *received = (PfReceivedSettings){0};
  pf_text_init(&text, pf_context_allocator(ctx));
  PfStatus status = PF_OK;
  while (!comm->over && tag != PF_TAG_SETTINGS && (status = pf_check_cancelled(ctx)) == PF_OK) {
    if (!comm->receive(comm, &from, &tag, &text)) pf_communicator_wait();
    else if (tag == PF_TAG_STOP) comm->over = true;
  }
  if (status == PF_OK && tag == PF_TAG_SETTINGS) {
    const char *bytes = pf_arena_text(arena, pf_text_get(&text), text.count);
    status = bytes ? read_settings(ctx, arena, bytes, text.count, received) : pf_no_room(ctx, "the sweep");
  }
  pf_text_free(&text);
  return status;
}

PfStatus pf_follower_check_version(const PfCommunicator *comm, PfContext *ctx, const PfReceivedSettings *received)
{
  if (received->version && !strcmp(received->version, pf_version())) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "rank %d, on %s, runs version %s of the program, rank 0 runs version %s",
                 comm->rank, comm->host, pf_version(), received->version ? received->version : "another");
}

PfStatus pf_follower_compare(const PfCommunicator *comm, const PfSweep *sweep, const PfReceivedSettings *received)
{
  PfContext *ctx = sweep->ctx;
  PfSettingDifference d;
  PF_TRY(pf_follower_check_version(comm, ctx, received));
  if (!pf_settings_differ(received->settings, received->count, sweep->settings, sweep->setting_count, &d)) return PF_OK;
  if (!strcmp(d.key, "model"))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "rank %d, on %s, has another text of the model than rank 0",
                   comm->rank, comm->host);
  return pf_fail(ctx, PF_ERR_ARGUMENT, "rank %d, on %s, was started with @%s %.120s, rank 0 with %.120s",
                 comm->rank, comm->host, pf_word_subject(d.key), d.here ? d.here : "(nothing)",
                 d.there ? d.there : "(nothing)");
}

/* ---------------------------------------------------------------- work */

/* Sends the leader how many threads there are, or the status and message of a failure; false when it cannot. */
static bool say_hello(PfCommunicator *comm, PfStatus status, int threads, const char *message)
{
  const PfAllocator *allocator = comm->complaints.allocator;
  const PfMessageHead head = {PF_MESSAGE_ORDER, PF_MESSAGE_FORM, (int32_t)status, threads};
  PfText text;
  pf_text_init(&text, allocator);
  pf_text_put(&text, (const char *)&head, sizeof head);
  pf_text_put(&text, comm->host, strlen(comm->host) + 1);
  pf_text_put(&text, message, strlen(message) + 1);
  const bool sent = comm->send(comm, 0, PF_TAG_HELLO, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return sent;
}

void pf_follower_report_failure(PfCommunicator *comm, PfStatus status, const char *message)
{
  (void)say_hello(comm, status, 0, message);
}

typedef struct Follower {
  PfCommunicator *comm;
  PfContext *ctx;
  const PfSweepRunOptions *how;
  PfWorkerPool *pool;
  PfText message, records;
  PfProcessClock clock;
  double heard, sent, asked;
  bool has_asked;
} Follower;

/* Handles all messages that have arrived: blocks go to the threads. True where there were some. */
static bool hear(Follower *f)
{
  int from, tag;
  bool heard = false;
  while (!f->comm->over && f->comm->receive(f->comm, &from, &tag, &f->message)) {
    PfBlock block;
    heard = true;
    if (tag == PF_TAG_STOP) f->comm->over = true;
    if (tag != PF_TAG_BLOCK || f->message.count != sizeof block) continue;
    memcpy(&block, pf_text_get(&f->message), sizeof block);
    if (block.span >= 0 && block.span <= PF_BLOCK) pf_worker_pool_give(f->pool, &block);
  }
  return heard;
}

/* Sends the records that were collected; false when they cannot arrive. */
static bool send_rows(Follower *f)
{
  const bool sent = f->comm->send(f->comm, 0, PF_TAG_ROWS, pf_text_get(&f->records), f->records.count);
  f->records.count = 0;
  return sent;
}

static PfStatus lose_leader(PfCommunicator *comm, PfContext *ctx)
{
  comm->presence[0] = PF_LOST;
  return pf_fail(ctx, PF_ERR_CANCELLED, "rank 0 does not answer any more");
}

/* The main loop of a follower: receives blocks, collects the rows of its threads and sends them, rows that come fast
 * together; without rows, a sign of life. A request to stop here is passed on to the leader, so that all stop. */
static PfStatus serve(Follower *f)
{
  PfCommunicator *comm = f->comm;
  const PfSweepProgress none = {0};
  pf_process_clock_start(&f->clock);
  while (!comm->over) {
    const double now = pf_process_clock_now(&f->clock);
    bool sent = true;
    if (hear(f)) f->heard = now;
    PF_TRY(pf_worker_pool_collect(f->pool, 0.001, &f->records));
    if (!f->has_asked && f->how->report && now - f->asked >= 0.02) {
      f->asked = now;
      f->has_asked = f->how->report(f->how->user, &none);
      if (f->has_asked) (void)comm->send(comm, 0, PF_TAG_ASK, "", 0);
    }
    const size_t count = f->records.count;
    const bool rows = count >= SOME_ROWS || (count && now - f->sent > pause_time);
    if (rows || now - f->sent >= tick) {
      f->sent = now;
      sent = rows ? send_rows(f) : comm->send(comm, 0, PF_TAG_TICK, "", 0);
    }
    if (!sent || now - f->heard > PF_MESSAGE_TIMEOUT) return lose_leader(comm, f->ctx);
  }
  return PF_OK;
}

PfStatus pf_follower_run(PfCommunicator *comm, PfSweep *sweep, const PfSweepRunOptions *how)
{
  const int threads = how->threads > 0 ? how->threads : pf_communicator_threads(comm);
  Follower f = {.comm = comm, .ctx = sweep->ctx, .how = how};
  PF_TRY(pf_sweep_set_native(sweep, how->native));
  PF_TRY(pf_worker_pool_start(sweep, threads, &f.pool));
  pf_text_init(&f.message, pf_context_allocator(sweep->ctx));
  pf_text_init(&f.records, pf_context_allocator(sweep->ctx));
  PfStatus status = say_hello(comm, PF_OK, threads, "") ? serve(&f) : lose_leader(comm, f.ctx);
  pf_worker_pool_join(f.pool);
  if (status == PF_OK && pf_worker_pool_collect(f.pool, 0, &f.records) == PF_OK && f.records.count) (void)send_rows(&f);
  pf_worker_pool_free(f.pool);
  pf_text_free(&f.records);
  pf_text_free(&f.message);
  return status;
}

/* ---------------------------------------------------------------- the end */

static bool is_any(const PfCommunicator *comm, PfPresence presence)
{
  for (int i = 1; i < comm->size; i++)
    if (comm->presence[i] == presence) return true;
  return false;
}

/* The leader lets all others go: stops them, waits for their goodbyes for some seconds, and ends. A process that does
 * not answer is lost; the others must not wait for it. */
static void dismiss(PfCommunicator *comm, PfText *text)
{
  PfProcessClock clock;
  int from, tag;
  pf_process_clock_start(&clock);
  for (int i = 1; i < comm->size; i++)
    if (comm->presence[i] == PF_PRESENT && !comm->send(comm, i, PF_TAG_STOP, "", 0)) comm->presence[i] = PF_LOST;
  while (is_any(comm, PF_PRESENT) && pf_process_clock_now(&clock) < farewell) {
    if (!comm->receive(comm, &from, &tag, text)) pf_communicator_wait();
    else if (tag == PF_TAG_BYE) comm->presence[from] = PF_GONE;
  }
  const char whole = !is_any(comm, PF_PRESENT) && !is_any(comm, PF_LOST);
  for (int i = 1; i < comm->size; i++) (void)comm->send(comm, i, PF_TAG_LEAVE, &whole, 1);
  comm->end(comm, whole);
}

/* A follower leaves: says goodbye and waits until the leader lets it go. False when the leader is silent. */
static bool go(PfCommunicator *comm, PfText *text)
{
  PfProcessClock clock;
  int from, tag = -1;
  double heard = 0;
  bool said = false;
  pf_process_clock_start(&clock);
  while (tag != PF_TAG_LEAVE && comm->presence[0] == PF_PRESENT &&
         pf_process_clock_now(&clock) - heard < PF_MESSAGE_TIMEOUT) {
    if (comm->over && !said) said = true, (void)comm->send(comm, 0, PF_TAG_BYE, "", 0);
    if (!comm->receive(comm, &from, &tag, text)) {
      tag = -1;
      pf_communicator_wait();
      continue;
    }
    heard = pf_process_clock_now(&clock);
    comm->over = comm->over || tag == PF_TAG_STOP;
  }
  const bool answered = tag == PF_TAG_LEAVE;
  comm->end(comm, answered && text->count && text->at[0]);
  return answered;
}

bool pf_communicator_close(PfCommunicator *comm)
{
  PfText text;
  bool good = true;
  pf_text_init(&text, comm->complaints.allocator);
  pf_text_free(&comm->complaints);
  if (comm->rank) good = go(comm, &text);
  else dismiss(comm, &text);
  pf_text_free(&text);
  return good;
}
