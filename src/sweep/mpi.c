/* SPDX-License-Identifier: Apache-2.0 */
/* The communicator over MPI, by a module that is loaded when a launcher has started the program. Sends do not block:
 * buffers stay in a list until MPI reports them as sent. */
#include "sweep/mpi.h"
#include "base/library.h"
#include "sweep/mpi_module.h"
#include "sweep/communicator_impl.h"

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
  PfCommunicator comm; /* first: a pointer to it is one to this */
  const Functions *f;
  const PfAllocator *allocator;
  PfMpiStart start;
  PF_ARRAY(Sending) sending;
  bool *lost;  /* by rank: nothing reaches it any more */
} Mpi;

/* ---------------------------------------------------------------- messages */

/* Frees the messages that have been sent. */
static void look_after(Mpi *m)
{
  size_t count = 0;
  for (size_t i = 0; i < m->sending.count; i++) {
    Sending *s = m->sending.at + i;
    const int sent = m->f->pf_mpi_is_sent(&s->request);
    if (sent < 0) m->lost[s->to] = true;
    if (sent) pf_release(m->allocator, s->bytes);
    else m->sending.at[count++] = *s;
  }
  m->sending.count = count;
}

/* As PfCommunicator.send; a process that could not be reached once is lost. */
static bool send(PfCommunicator *comm, int to, int tag, const void *bytes, size_t count)
{
  Mpi *m = (Mpi *)comm;
  Sending s = {.to = to};
  if (m->lost[to] || count > INT_MAX || !pf_reserve(m->allocator, &m->sending, m->sending.count + 1)) return false;
  s.bytes = pf_allocate(m->allocator, count + 1);
  if (!s.bytes) return false;
  memcpy(s.bytes, bytes, count);
  if (m->f->pf_mpi_send(s.bytes, (int)count, to, tag, &s.request)) {
    m->sending.at[m->sending.count++] = s;
    look_after(m);
    return true;
  }
  pf_release(m->allocator, s.bytes);
  m->lost[to] = true;
  return false;
}

/* As PfCommunicator.receive; a message that MPI does not hand over is empty. */
static bool receive(PfCommunicator *comm, int *from, int *tag, PfText *text)
{
  Mpi *m = (Mpi *)comm;
  int count;
  look_after(m);
  if (!m->f->pf_mpi_probe(from, tag, &count) || count < 0 || *from < 0 || *from >= comm->size) return false;
  if (!pf_reserve(text->allocator, text, (size_t)count + 1)) return false;
  text->count = m->f->pf_mpi_receive(text->at, count, *from, *tag) ? (size_t)count : 0;
  text->at[text->count] = 0;
  return true;
}

/* ---------------------------------------------------------------- beginning and end */

static void free_communicator(Mpi *m)
{
  for (size_t i = 0; i < m->sending.count; i++) pf_release(m->allocator, m->sending.at[i].bytes);
  pf_array_free(m->allocator, &m->sending);
  pf_release(m->allocator, m->lost);
  pf_release(m->allocator, m->comm.presence);
  pf_release(m->allocator, m);
}

/* The last call: waits a second for messages that are under way, and frees the communicator. MPI_Finalize waits for all
 * processes: where one is lost (not `whole`) it is left out, as MPI does not define what happens then. */
static void end(PfCommunicator *comm, bool whole)
{
  Mpi *m = (Mpi *)comm;
  for (int i = 0; i < 1000 && m->sending.count; i++) {
    look_after(m);
    if (m->sending.count) pf_communicator_wait();
  }
  if (whole && !m->sending.count) m->f->pf_mpi_end();
  if (!m->sending.count) free_communicator(m); /* else MPI may still look at it */
}

/* The communicator of more than one process, freed by its `end`. */
static PfStatus make_communicator(PfContext *ctx, const Functions *f, const PfMpiStart *start, PfCommunicator **comm)
{
  const PfAllocator *allocator = pf_context_allocator(ctx);
  Mpi *m = pf_allocate(allocator, sizeof *m);
  if (!m) return pf_no_room(ctx, "the processes");
  *m = (Mpi){.f = f, .allocator = allocator, .start = *start};
  m->lost = pf_allocate(m->allocator, (size_t)start->size*sizeof *m->lost);
  m->comm = (PfCommunicator){.rank = start->rank, .size = start->size, .here = start->here, .cores = start->cores,
                             .host = m->start.host, .send = send, .receive = receive, .end = end};
  m->comm.presence = pf_allocate(m->allocator, (size_t)start->size*sizeof *m->comm.presence);
  pf_text_init(&m->comm.complaints, allocator);
  if (!m->lost || !m->comm.presence) {
    free_communicator(m);
    return pf_no_room(ctx, "the processes");
  }
  for (int i = 0; i < start->size; i++) m->lost[i] = false, m->comm.presence[i] = PF_PRESENT;
  *comm = &m->comm;
  return PF_OK;
}

PfStatus pf_mpi_open(PfContext *ctx, const char *module, PfCommunicator **comm)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME)};
  enum { COUNT = sizeof names/sizeof *names };
  const PfLibrary library = {module, names, COUNT, COUNT, NULL};
  const void *functions = NULL;
  PfMpiStart start;
  *comm = NULL;
  PF_TRY(pf_library_require(ctx, &library, "messages are sent by MPI", &functions));
  const Functions *f = functions;
  if (f->pf_mpi_interface() != PF_MPI_INTERFACE)
    return pf_fail(ctx, PF_ERR_MISSING, "'%s' is of another version of the program", module);
  if (!f->pf_mpi_begin(&start)) return pf_fail(ctx, PF_ERR_MISSING, "MPI does not begin");
  if (start.size > 1) return make_communicator(ctx, f, &start, comm);
  f->pf_mpi_end();
  return PF_OK;
}
