/* SPDX-License-Identifier: Apache-2.0 */
/* The leader of several processes. Blocks go to whoever has room for one, larger ones first. When all are out, those
 * that take long are given out once more, to be computed from the other end: so a process that is slow or dead delays
 * the end, and nothing waits for it. A row that comes twice is the same twice. */
#include "sweep/crew.h"
#include "sweep/store.h"
#include "sweep/team_impl.h"

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

/* A block that somebody computes; rank -1: nobody does any more. */
typedef struct Out {
  PfBlock block;
  int rank;
  double since;
  bool twice;
} Out;

typedef struct Lead {
  PfTeam *team;
  PfContext *ctx;
  PfSweep *sweep;
  PfRowStore *store;
  const PfSweepHow *how;
  PfSweepResult *result;
  const PfAllocator *allocator;
  PfCrew *crew;            /* its own threads: those of rank 0 */
  PfJournal journal;
  Rank *ranks;
  PF_ARRAY(Out) outs;
  unsigned char *arrived;  /* a bit for each member */
  long long next, unsent;  /* the first that nobody was given, and how many of them there are */
  long long done, failed;
  int64_t blocks;
  int threads;
  PfText message, records;
  double *row;
  PfTeamClock clock;
  double ticked, reported;
  int unable, first_unable; /* how many cannot go on, and the first of them: */
  PfStatus complaint;
  char host[128];
} Lead;

/* ---------------------------------------------------------------- rows */

static bool is_there(const Lead *l, long long member)
{
  const long long at = member - l->store->first;
  return l->arrived[at/8] >> at%8 & 1 || pf_row_store_has(l->store, member);
}

static PfStatus take_row(Lead *l, const PfRecord *record, const char *rest)
{
  const long long member = record->number, at = member - l->store->first;
  const size_t numbers = (size_t)l->sweep->columns*sizeof(double);
  if (member < l->store->first || member >= l->store->end || is_there(l, member)) return PF_OK;
  memcpy(l->row, rest, numbers);
  if (!pf_row_store_put(l->store, &l->journal, member, l->row, record->end, rest + numbers))
    return pf_row_store_status(l->store);
  l->arrived[at/8] = (unsigned char)(l->arrived[at/8] | 1 << at%8);
  l->done++;
  l->failed += record->end >= PF_MEMBER_NO_START;
  return PF_OK;
}

static void end_block(Lead *l, int rank, int64_t number)
{
  for (size_t i = 0; i < l->outs.count; i++) {
    if (l->outs.at[i].block.number != number || l->outs.at[i].rank != rank) continue;
    l->outs.at[i] = l->outs.at[--l->outs.count];
    l->ranks[rank].out--;
    return;
  }
}

static PfStatus take_records(Lead *l, int rank, const PfText *text)
{
  const char *bytes = pf_text_get(text);
  for (size_t at = 0; at + sizeof(PfRecord) <= text->count;) {
    PfRecord record;
    memcpy(&record, bytes + at, sizeof record);
    at += sizeof record;
    const size_t rest = pf_record_rest(&record, l->sweep->columns);
    if (rest > text->count - at) break;
    if (record.kind == PF_RECORD_ENDED) end_block(l, rank, record.number);
    else PF_TRY(take_row(l, &record, bytes + at));
    at += rest;
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- blocks */

/* Members of the span that are still missing. */
static int mark_missing(const Lead *l, PfBlock *block)
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

/* Smaller and smaller, so that all end at about the same time; whole groups of lanes as long as there are many. */
static int block_span(const Lead *l)
{
  enum { GROUP = 64 };
  const long long even = l->unsent/(4LL*l->threads), span = even < 1 ? 1 : even > PF_BLOCK ? PF_BLOCK : even;
  return (int)(span > GROUP ? span - span%GROUP : span);
}

static bool next_new(Lead *l, PfBlock *block)
{
  const long long end = l->store->end;
  while (l->next < end && is_there(l, l->next)) l->next++;
  if (l->next >= end) return false;
  const int span = block_span(l);
  *block = (PfBlock){.first = l->next, .span = end - l->next < span ? (int)(end - l->next) : span};
  l->unsent -= mark_missing(l, block);
  l->next += block->span;
  return true;
}

/* What nobody computes any more; and, for who has nothing else to do, what has taken longest. */
static bool next_again(Lead *l, int rank, PfBlock *block)
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

static void lose(Lead *l, int rank)
{
  if (l->ranks[rank].state == LOST) return;
  l->ranks[rank].state = LOST;
  l->ranks[rank].out = 0;
  for (size_t i = 0; i < l->outs.count; i++)
    if (l->outs.at[i].rank == rank) l->outs.at[i].rank = -1;
}

static void send(Lead *l, int rank, PfTag tag, const void *bytes, size_t count)
{
  if (!l->team->send(l->team, rank, (int)tag, bytes, count)) lose(l, rank);
}

static PfStatus give(Lead *l, int rank, PfBlock *block, bool again)
{
  block->number = l->blocks++;
  const Out out = {.block = *block, .rank = rank, .since = l->clock.now, .twice = again};
  if (!pf_push(l->allocator, &l->outs, out)) return pf_no_room(l->ctx, "the blocks");
  l->ranks[rank].out++;
  if (rank) send(l, rank, PF_TAG_BLOCK, block, sizeof *block);
  else pf_crew_give(l->crew, block);
  return PF_OK;
}

/* One for each in turn, as long as somebody takes one. */
static PfStatus hand_out(Lead *l)
{
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < l->team->size; i++) {
      const Rank *rank = l->ranks + i;
      PfBlock block;
      if (rank->state != WORKING || rank->out >= rank->room) continue;
      const bool fresh = next_new(l, &block);
      if (!fresh && !next_again(l, i, &block)) continue;
      PF_TRY(give(l, i, &block, !fresh));
      any = true;
    }
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- messages */

/* Of many who cannot go on the first one's words are shown. */
static void note_complaint(Lead *l, int from, PfStatus status, const char *host, const char *words)
{
  l->unable++;
  if (l->unable > 1 && from > l->first_unable) return;
  l->first_unable = from;
  l->complaint = status;
  snprintf(l->host, sizeof l->host, "%s", host);
  l->team->complaints.count = 0;
  pf_text_add(&l->team->complaints, words);
}

/* Also of one that had begun to work. */
static void hear_hello(Lead *l, int from)
{
  const PfText *text = &l->message;
  PfTeamHead head;
  Rank *rank = l->ranks + from;
  if (text->count < sizeof head + 2) return;
  memcpy(&head, text->at, sizeof head);
  const char *host = text->at + sizeof head, *words = host + strlen(host) + 1;
  if (head.status == PF_OK) {
    const int threads = head.threads < 1 ? 1 : head.threads > 1024 ? 1024 : head.threads;
    *rank = (Rank){.state = WORKING, .threads = threads, .room = 2*threads, .heard = l->clock.now};
    l->threads += threads;
    return;
  }
  lose(l, from);
  rank->state = UNABLE;
  note_complaint(l, from, (PfStatus)head.status, host, words < text->at + text->count ? words : "");
}

static PfStatus hear(Lead *l, bool *heard)
{
  PfTeam *team = l->team;
  int from, tag;
  while (team->receive(team, &from, &tag, &l->message)) {
    *heard = true;
    l->ranks[from].heard = l->clock.now;
    if (tag == PF_TAG_HELLO) hear_hello(l, from);
    else if (tag == PF_TAG_ROWS) PF_TRY(take_records(l, from, &l->message));
    else if (tag == PF_TAG_ASK) l->result->stopped = true;
    else if (tag == PF_TAG_BYE) team->presence[from] = PF_GONE;
  }
  return PF_OK;
}

static void send_words(Lead *l)
{
  const PfTeamHead head = {PF_TEAM_ORDER, PF_TEAM_FORM, PF_OK, 0};
  PfText text;
  pf_text_init(&text, l->allocator);
  pf_text_put(&text, (const char *)&head, sizeof head);
  pf_text_put(&text, pf_version(), strlen(pf_version()) + 1);
  for (int i = 0; i < l->sweep->word_count; i++) {
    const PfSweepWord *word = l->sweep->words + i;
    pf_text_put(&text, word->key, strlen(word->key) + 1);
    pf_text_put(&text, word->value, strlen(word->value) + 1);
  }
  for (int i = 1; i < l->team->size; i++) send(l, i, PF_TAG_WORDS, pf_text_get(&text), text.count);
  pf_text_free(&text);
}

static void send_stop(Lead *l)
{
  l->team->over = true;
  for (int i = 1; i < l->team->size; i++) (void)l->team->send(l->team, i, PF_TAG_STOP, "", 0);
}

/* ---------------------------------------------------------------- what goes on */

static void report(Lead *l)
{
  PfSweepProgress *p = &l->result->progress;
  const PfSweepHow *how = l->how;
  p->done = l->done;
  p->failed = l->failed;
  p->seconds = l->clock.now;
  if (l->clock.now - l->reported < 0.05) return;
  l->reported = l->clock.now;
  if (how->report && how->report(how->user, p)) l->result->stopped = true;
}

/* Who is silent for long is lost. */
static void look_around(Lead *l)
{
  const double now = pf_team_clock_now(&l->clock);
  report(l);
  if (now - l->ticked < 1) return;
  l->ticked = now;
  for (int i = 1; i < l->team->size; i++) {
    if (l->ranks[i].state == WORKING) send(l, i, PF_TAG_TICK, "", 0);
    if (l->ranks[i].state == WORKING && now - l->ranks[i].heard > PF_TEAM_SILENCE) lose(l, i);
  }
}

static PfStatus fail_with_others(const Lead *l)
{
  if (l->complaint == PF_ERR_CANCELLED) {
    l->result->stopped = true;
    return PF_OK;
  }
  if (l->unable == 1)
    return pf_fail(l->ctx, l->complaint, "rank %d, on %s, cannot go on, and so none of %d processes does",
                   l->first_unable, l->host, l->team->size);
  return pf_fail(l->ctx, l->complaint, "%d of %d processes cannot go on, and so none does; the first is rank %d, on "
                 "%s", l->unable, l->team->size, l->first_unable, l->host);
}

static bool is_everybody_here(const Lead *l)
{
  for (int i = 1; i < l->team->size; i++)
    if (l->ranks[i].state == SILENT) return false;
  return true;
}

/* Before there is a result. Who comes later joins then. */
static PfStatus greet(Lead *l)
{
  send_words(l);
  while (!is_everybody_here(l) && !l->result->stopped && l->clock.now < greeting) {
    bool heard = false;
    look_around(l);
    PF_TRY(hear(l, &heard));
    if (!heard) pf_team_wait();
  }
  return l->unable ? fail_with_others(l) : PF_OK;
}

static PfStatus take_own(Lead *l, double seconds)
{
  l->records.count = 0;
  PF_TRY(pf_crew_collect(l->crew, seconds, &l->records));
  return take_records(l, 0, &l->records);
}

static PfStatus work(Lead *l)
{
  while (l->done < l->result->progress.count && !l->result->stopped) {
    bool heard = false;
    look_around(l);
    PF_TRY(hand_out(l));
    PF_TRY(hear(l, &heard));
    if (l->unable) return fail_with_others(l);
    PF_TRY(take_own(l, heard ? 0 : 0.001));
  }
  return PF_OK;
}

static bool is_anybody_working(const Lead *l)
{
  for (int i = 1; i < l->team->size; i++)
    if (l->ranks[i].state == WORKING && l->team->presence[i] == PF_PRESENT) return true;
  return false;
}

/* What was computed when all were asked to stop. */
static PfStatus gather(Lead *l)
{
  const double until = pf_team_clock_now(&l->clock) + last_rows;
  send_stop(l);
  pf_crew_join(l->crew);
  PF_TRY(take_own(l, 0));
  while (is_anybody_working(l) && pf_team_clock_now(&l->clock) < until) {
    bool heard = false;
    PF_TRY(hear(l, &heard));
    if (!heard) pf_team_wait();
  }
  return PF_OK;
}

/* ---------------------------------------------------------------- all of it */

static PfStatus make_room(Lead *l)
{
  PfArena *arena = l->sweep->arena;
  l->ranks = pf_arena_array(arena, Rank, l->team->size);
  l->arrived = pf_arena_array(arena, unsigned char, l->sweep->plan.count/8 + 1);
  l->row = pf_arena_array(arena, double, l->sweep->columns);
  return l->ranks && l->arrived && l->row ? PF_OK : pf_no_room(l->ctx, "the processes");
}

static void count_hands(const Lead *l)
{
  l->team->threads = l->team->working = 0;
  for (int i = 0; l->ranks && i < l->team->size; i++) {
    l->team->threads += l->ranks[i].threads;
    l->team->working += l->ranks[i].threads > 0;
  }
}

static PfStatus lead(Lead *l)
{
  PF_TRY(pf_journal_open(l->store, &l->journal));
  PF_TRY(pf_crew_start(l->sweep, l->ranks[0].threads, &l->crew));
  l->ranks[0].state = WORKING;
  l->ranks[0].room = pf_crew_room(l->crew);
  PF_TRY(work(l));
  if (l->result->stopped) PF_TRY(gather(l));
  look_around(l);
  return pf_row_store_status(l->store);
}

static PfStatus run_store(void *user, PfSweep *sweep, PfRowStore *store, const PfSweepHow *how, PfSweepResult *result)
{
  Lead *l = user;
  (void)sweep, (void)how;
  result->progress = (PfSweepProgress){.count = store->end - store->first, .before = store->loaded};
  l->store = store;
  l->next = store->first;
  l->unsent = result->progress.count - store->loaded;
  l->done = store->loaded;
  l->failed = store->loaded_failed;
  const PfStatus status = lead(l);
  pf_crew_free(l->crew);
  pf_journal_close(&l->journal);
  return status;
}

static PfStatus greet_and_lead(Lead *l)
{
  PF_TRY(make_room(l));
  l->ranks[0].threads = l->threads;
  PF_TRY(greet(l));
  if (l->result->stopped) return pf_fail(l->ctx, PF_ERR_CANCELLED, "stopped before it began");
  return pf_sweep_run_by(l->sweep, l->how, run_store, l, l->result);
}

PfStatus pf_team_lead(PfTeam *team, PfSweep *sweep, const PfSweepHow *how, PfSweepResult *result)
{
  Lead l = {.team = team, .ctx = sweep->ctx, .sweep = sweep, .how = how, .result = result,
            .allocator = pf_context_allocator(sweep->ctx), .journal = {.fd = -1},
            .threads = how->threads > 0 ? how->threads : pf_team_threads(team)};
  *result = (PfSweepResult){.progress.count = sweep->plan.count};
  pf_text_init(&l.message, l.allocator);
  pf_text_init(&l.records, l.allocator);
  pf_team_clock_start(&l.clock);
  const PfStatus status = greet_and_lead(&l);
  send_stop(&l);
  count_hands(&l);
  pf_text_free(&l.message);
  pf_text_free(&l.records);
  pf_array_free(l.allocator, &l.outs);
  return status;
}
