/* SPDX-License-Identifier: Apache-2.0 */
/* Followers, and how all of them part. lead.c has the leader. */
#include "sweep/crew.h"
#include "sweep/team_impl.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SOME_ROWS = 65536 }; /* bytes that are sent at once without waiting for more */
static const double rest = 0.002, tick = 1, farewell = 3;

/* ---------------------------------------------------------------- time */

void pf_team_clock_start(PfTeamClock *clock)
{
  *clock = (PfTeamClock){.last = pf_clock()};
}

double pf_team_clock_now(PfTeamClock *clock)
{
  const double now = pf_clock(), passed = now - clock->last;
  clock->now += passed < 1 ? passed : 1;
  clock->last = now;
  return clock->now;
}

void pf_team_wait(void)
{
  const struct timespec some = {.tv_nsec = 1000000};
  (void)nanosleep(&some, NULL);
}

int pf_team_threads(const PfTeam *team)
{
  const long all = sysconf(_SC_NPROCESSORS_ONLN), share = all/(team->here > 0 ? team->here : 1);
  const long count = team->cores > 0 && team->cores < share ? team->cores : share;
  return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

/* ---------------------------------------------------------------- what a follower is told first */

static const char *next_text(const char **at, const char *end)
{
  const char *text = *at, *zero = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
  *at = zero ? zero + 1 : end;
  return zero ? text : NULL;
}

static size_t count_texts(const char *at, const char *end)
{
  size_t count = 0;
  while (next_text(&at, end)) count++;
  return count;
}

/* Texts by twos, behind the version; they stay where they are. */
static PfStatus read_words(PfContext *ctx, PfArena *arena, const char *bytes, size_t count, PfTeamWords *told)
{
  PfTeamHead head = {0};
  const char *at = bytes + sizeof head, *end = bytes + count;
  if (count > sizeof head) memcpy(&head, bytes, sizeof head);
  if (head.order != PF_TEAM_ORDER || head.form != PF_TEAM_FORM)
    return pf_fail(ctx, PF_ERR_ARGUMENT, "rank 0 runs another version of the program, or on another kind of machine");
  told->version = next_text(&at, end);
  PfSweepWord *words = pf_arena_array(arena, PfSweepWord, count_texts(at, end)/2 + 1);
  if (!words) return pf_no_room(ctx, "the sweep");
  for (int i = 0;; i++) {
    words[i].key = next_text(&at, end);
    words[i].value = next_text(&at, end);
    told->count = i;
    if (!words[i].value) break;
  }
  told->words = words;
  return PF_OK;
}

PfStatus pf_team_listen(PfTeam *team, PfContext *ctx, PfArena *arena, PfTeamWords *told)
{
  PfText text;
  int from, tag = -1;
  *told = (PfTeamWords){0};
  pf_text_init(&text, pf_context_allocator(ctx));
  PfStatus status = PF_OK;
  while (!team->over && tag != PF_TAG_WORDS && (status = pf_check_cancelled(ctx)) == PF_OK) {
    if (!team->receive(team, &from, &tag, &text)) pf_team_wait();
    else if (tag == PF_TAG_STOP) team->over = true;
  }
  if (status == PF_OK && tag == PF_TAG_WORDS) {
    const char *bytes = pf_arena_text(arena, pf_text_get(&text), text.count);
    status = bytes ? read_words(ctx, arena, bytes, text.count, told) : pf_no_room(ctx, "the sweep");
  }
  pf_text_free(&text);
  return status;
}

PfStatus pf_team_check_version(const PfTeam *team, PfContext *ctx, const PfTeamWords *told)
{
  if (told->version && !strcmp(told->version, pf_version())) return PF_OK;
  return pf_fail(ctx, PF_ERR_ARGUMENT, "rank %d, on %s, runs version %s of the program, rank 0 runs version %s",
                 team->rank, team->host, pf_version(), told->version ? told->version : "another");
}

PfStatus pf_team_compare(const PfTeam *team, const PfSweep *sweep, const PfTeamWords *told)
{
  PfContext *ctx = sweep->ctx;
  PfWordDifference d;
  char room[64];
  PF_TRY(pf_team_check_version(team, ctx, told));
  if (!pf_words_differ(told->words, told->count, sweep->words, sweep->word_count, &d)) return PF_OK;
  if (!strcmp(d.key, "model"))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "rank %d, on %s, has another text of the model than rank 0",
                   team->rank, team->host);
  return pf_fail(ctx, PF_ERR_ARGUMENT, "rank %d, on %s, was started with %s %.120s, rank 0 with %.120s",
                 team->rank, team->host, pf_word_spelling(d.key, room, sizeof room), d.here ? d.here : "(nothing)",
                 d.there ? d.there : "(nothing)");
}

/* ---------------------------------------------------------------- work */

static bool say_hello(PfTeam *team, PfStatus status, int threads, const char *words)
{
  const PfAllocator *allocator = team->complaints.allocator;
  const PfTeamHead head = {PF_TEAM_ORDER, PF_TEAM_FORM, (int32_t)status, threads};
  PfText text;
  pf_text_init(&text, allocator);
  pf_text_put(&text, (const char *)&head, sizeof head);
  pf_text_put(&text, team->host, strlen(team->host) + 1);
  pf_text_put(&text, words, strlen(words) + 1);
  const bool sent = team->send(team, 0, PF_TAG_HELLO, pf_text_get(&text), text.count);
  pf_text_free(&text);
  return sent;
}

void pf_team_complain(PfTeam *team, PfStatus status, const char *words)
{
  (void)say_hello(team, status, 0, words);
}

typedef struct Follower {
  PfTeam *team;
  PfContext *ctx;
  const PfSweepHow *how;
  PfCrew *crew;
  PfText message, records;
  PfTeamClock clock;
  double heard, sent, asked;
  bool has_asked;
} Follower;

static bool hear(Follower *f)
{
  int from, tag;
  bool heard = false;
  while (!f->team->over && f->team->receive(f->team, &from, &tag, &f->message)) {
    PfBlock block;
    heard = true;
    if (tag == PF_TAG_STOP) f->team->over = true;
    if (tag != PF_TAG_BLOCK || f->message.count != sizeof block) continue;
    memcpy(&block, pf_text_get(&f->message), sizeof block);
    if (block.span >= 0 && block.span <= PF_BLOCK) pf_crew_give(f->crew, &block);
  }
  return heard;
}

static bool send_rows(Follower *f)
{
  const bool sent = f->team->send(f->team, 0, PF_TAG_ROWS, pf_text_get(&f->records), f->records.count);
  f->records.count = 0;
  return sent;
}

/* Rows that come fast go together. */
static bool tell(Follower *f, double now)
{
  const size_t count = f->records.count;
  if (count >= SOME_ROWS || (count && now - f->sent > rest)) {
    f->sent = now;
    return send_rows(f);
  }
  if (now - f->sent < tick) return true;
  f->sent = now;
  return f->team->send(f->team, 0, PF_TAG_TICK, "", 0);
}

/* Whether this one was asked to stop: then all do. */
static void ask(Follower *f, double now)
{
  const PfSweepProgress none = {0};
  if (f->has_asked || !f->how->report || now - f->asked < 0.02) return;
  f->asked = now;
  f->has_asked = f->how->report(f->how->user, &none);
  if (f->has_asked) (void)f->team->send(f->team, 0, PF_TAG_ASK, "", 0);
}

static PfStatus miss_leader(PfTeam *team, PfContext *ctx)
{
  team->presence[0] = PF_LOST;
  return pf_fail(ctx, PF_ERR_CANCELLED, "rank 0 does not answer any more");
}

static PfStatus serve(Follower *f)
{
  pf_team_clock_start(&f->clock);
  while (!f->team->over) {
    const double now = pf_team_clock_now(&f->clock);
    if (hear(f)) f->heard = now;
    PF_TRY(pf_crew_collect(f->crew, 0.001, &f->records));
    ask(f, now);
    if (!tell(f, now) || now - f->heard > PF_TEAM_SILENCE) return miss_leader(f->team, f->ctx);
  }
  return PF_OK;
}

PfStatus pf_team_follow(PfTeam *team, PfSweep *sweep, const PfSweepHow *how)
{
  const int threads = how->threads > 0 ? how->threads : pf_team_threads(team);
  Follower f = {.team = team, .ctx = sweep->ctx, .how = how};
  if (!pf_sim_set_native(sweep->base, how->native))
    return pf_fail(sweep->ctx, pf_sim_error(sweep->base)->status, "%s", pf_sim_error(sweep->base)->message);
  PF_TRY(pf_crew_start(sweep, threads, &f.crew));
  pf_text_init(&f.message, pf_context_allocator(sweep->ctx));
  pf_text_init(&f.records, pf_context_allocator(sweep->ctx));
  PfStatus status = say_hello(team, PF_OK, threads, "") ? serve(&f) : miss_leader(team, f.ctx);
  pf_crew_join(f.crew);
  if (status == PF_OK && pf_crew_collect(f.crew, 0, &f.records) == PF_OK && f.records.count) (void)send_rows(&f);
  pf_crew_free(f.crew);
  pf_text_free(&f.records);
  pf_text_free(&f.message);
  return status;
}

/* ---------------------------------------------------------------- the end */

static bool is_any(const PfTeam *team, PfPresence presence)
{
  for (int i = 1; i < team->size; i++)
    if (team->presence[i] == presence) return true;
  return false;
}

/* Who does not answer is lost; the others must not wait for it. */
static void dismiss(PfTeam *team, PfText *text)
{
  PfTeamClock clock;
  int from, tag;
  pf_team_clock_start(&clock);
  for (int i = 1; i < team->size; i++)
    if (team->presence[i] == PF_PRESENT && !team->send(team, i, PF_TAG_STOP, "", 0)) team->presence[i] = PF_LOST;
  while (is_any(team, PF_PRESENT) && pf_team_clock_now(&clock) < farewell) {
    if (!team->receive(team, &from, &tag, text)) pf_team_wait();
    else if (tag == PF_TAG_BYE) team->presence[from] = PF_GONE;
  }
  const char whole = !is_any(team, PF_PRESENT) && !is_any(team, PF_LOST);
  for (int i = 1; i < team->size; i++) (void)team->send(team, i, PF_TAG_LEAVE, &whole, 1);
  team->end(team, whole);
}

static bool go(PfTeam *team, PfText *text)
{
  PfTeamClock clock;
  int from, tag = -1;
  double heard = 0;
  bool said = false;
  pf_team_clock_start(&clock);
  while (tag != PF_TAG_LEAVE && team->presence[0] == PF_PRESENT &&
         pf_team_clock_now(&clock) - heard < PF_TEAM_SILENCE) {
    if (team->over && !said) said = true, (void)team->send(team, 0, PF_TAG_BYE, "", 0);
    if (!team->receive(team, &from, &tag, text)) {
      tag = -1;
      pf_team_wait();
      continue;
    }
    heard = pf_team_clock_now(&clock);
    team->over = team->over || tag == PF_TAG_STOP;
  }
  const bool told = tag == PF_TAG_LEAVE;
  team->end(team, told && text->count && text->at[0]);
  return told;
}

bool pf_team_part(PfTeam *team)
{
  PfText text;
  bool good = true;
  pf_text_init(&text, team->complaints.allocator);
  pf_text_free(&team->complaints);
  if (team->rank) good = go(team, &text);
  else dismiss(team, &text);
  pf_text_free(&text);
  return good;
}
