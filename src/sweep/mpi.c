/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep/mpi.h"
#include "base/library.h"
#include "sweep/mpi_module.h"
#include "sweep/team_impl.h"

#include <limits.h>
#include <string.h>

#define FUNCTIONS(USE)                                                                                    \
  USE(pf_mpi_interface) USE(pf_mpi_begin) USE(pf_mpi_send) USE(pf_mpi_is_sent) USE(pf_mpi_probe)          \
  USE(pf_mpi_receive) USE(pf_mpi_end)

typedef struct Functions {
  FUNCTIONS(PF_LIBRARY_MEMBER)
} Functions;

/* A message that MPI has not taken yet. */
typedef struct Sending {
  PfMpiRequest request;
  int to;
  char *bytes;
} Sending;

typedef struct Mpi {
  PfTeam team; /* first: one is the other */
  const Functions *f;
  const PfAllocator *allocator;
  PfMpiStart start;
  PF_ARRAY(Sending) sending;
  bool *lost;  /* whom nothing reaches any more */
} Mpi;

static void *allocate(const Mpi *m, size_t size)
{
  return m->allocator->resize(m->allocator->user, NULL, size);
}

static void release(const Mpi *m, void *block)
{
  m->allocator->resize(m->allocator->user, block, 0);
}

/* ---------------------------------------------------------------- messages */

/* Frees what has gone out. */
static void look_after(Mpi *m)
{
  size_t count = 0;
  for (size_t i = 0; i < m->sending.count; i++) {
    Sending *s = m->sending.at + i;
    const int sent = m->f->pf_mpi_is_sent(&s->request);
    if (sent < 0) m->lost[s->to] = true;
    if (sent) release(m, s->bytes);
    else m->sending.at[count++] = *s;
  }
  m->sending.count = count;
}

static bool send(PfTeam *team, int to, int tag, const void *bytes, size_t count)
{
  Mpi *m = (Mpi *)team;
  Sending s = {.to = to};
  if (m->lost[to] || count > INT_MAX || !pf_reserve(m->allocator, &m->sending, m->sending.count + 1)) return false;
  s.bytes = allocate(m, count + 1);
  if (!s.bytes) return false;
  memcpy(s.bytes, bytes, count);
  if (m->f->pf_mpi_send(s.bytes, (int)count, to, tag, &s.request)) {
    m->sending.at[m->sending.count++] = s;
    look_after(m);
    return true;
  }
  release(m, s.bytes);
  m->lost[to] = true;
  return false;
}

static bool receive(PfTeam *team, int *from, int *tag, PfText *text)
{
  Mpi *m = (Mpi *)team;
  int count;
  look_after(m);
  if (!m->f->pf_mpi_probe(from, tag, &count) || count < 0 || *from < 0 || *from >= team->size) return false;
  if (!pf_reserve(text->allocator, text, (size_t)count + 1)) return false;
  text->count = m->f->pf_mpi_receive(text->at, count, *from, *tag) ? (size_t)count : 0;
  text->at[text->count] = 0;
  return true;
}

/* ---------------------------------------------------------------- beginning and end */

static void free_team(Mpi *m)
{
  for (size_t i = 0; i < m->sending.count; i++) release(m, m->sending.at[i].bytes);
  pf_array_free(m->allocator, &m->sending);
  release(m, m->lost);
  release(m, m->team.presence);
  release(m, m);
}

/* MPI_Finalize waits for everybody: where somebody is lost it is left out, as MPI then leaves it open what happens. */
static void end(PfTeam *team, bool whole)
{
  Mpi *m = (Mpi *)team;
  for (int i = 0; i < 1000 && m->sending.count; i++) {
    look_after(m);
    if (m->sending.count) pf_team_wait();
  }
  if (whole && !m->sending.count) m->f->pf_mpi_end();
  if (!m->sending.count) free_team(m); /* else MPI may still look at it */
}

static PfStatus make_team(PfContext *ctx, const Functions *f, const PfMpiStart *start, PfTeam **team)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  Mpi *m = allocator->resize(allocator->user, NULL, sizeof *m);
  if (!m) return pf_no_room(ctx, "the processes");
  *m = (Mpi){.f = f, .allocator = allocator, .start = *start};
  m->lost = allocate(m, (size_t)start->size*sizeof *m->lost);
  m->team = (PfTeam){.rank = start->rank, .size = start->size, .here = start->here, .cores = start->cores,
                     .host = m->start.host, .send = send, .receive = receive, .end = end};
  m->team.presence = allocate(m, (size_t)start->size*sizeof *m->team.presence);
  pf_text_init(&m->team.complaints, allocator);
  if (!m->lost || !m->team.presence) {
    free_team(m);
    return pf_no_room(ctx, "the processes");
  }
  for (int i = 0; i < start->size; i++) m->lost[i] = false, m->team.presence[i] = PF_PRESENT;
  *team = &m->team;
  return PF_OK;
}

PfStatus pf_mpi_open(PfContext *ctx, const char *module, PfTeam **team)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME)};
  enum { COUNT = sizeof names/sizeof *names };
  const PfLibrary library = {module, names, COUNT, COUNT, NULL};
  const void *functions = NULL;
  PfMpiStart start;
  *team = NULL;
  PF_TRY(pf_library_require(ctx, &library, "messages are sent by MPI", &functions));
  const Functions *f = functions;
  if (f->pf_mpi_interface() != PF_MPI_INTERFACE)
    return pf_fail(ctx, PF_ERR_MISSING, "'%s' is of another version of the program", module);
  if (!f->pf_mpi_begin(&start)) return pf_fail(ctx, PF_ERR_MISSING, "MPI does not begin");
  if (start.size > 1) return make_team(ctx, f, &start, team);
  f->pf_mpi_end();
  return PF_OK;
}
