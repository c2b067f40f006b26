/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by MPI (sweep/mpi_module.h). Compiled by mpicc as a library of its own: the program starts without it. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif

#include "sweep/mpi_module.h"

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(MPI_Request) <= sizeof(PfMpiRequest), "a request has room");

int pf_mpi_interface(void)
{
  return PF_MPI_INTERFACE;
}

/* Launchers may bind a process to some of the cores. */
static int count_cores(void)
{
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return 0;
}

static int count_neighbours(void)
{
  MPI_Comm here;
  int count = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) != MPI_SUCCESS) return 1;
  (void)MPI_Comm_size(here, &count);
  (void)MPI_Comm_free(&here);
  return count;
}

int pf_mpi_begin(PfMpiStart *start)
{
  char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
  int given, begun = 0, length = 0;
  memset(start, 0, sizeof *start);
  if (MPI_Initialized(&begun) != MPI_SUCCESS || begun) return 0; /* it belongs to somebody else */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) return 0;
  (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &start->rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &start->size);
  (void)MPI_Get_processor_name(host, &length);
  snprintf(start->host, sizeof start->host, "%s", host);
  start->here = start->size > 1 ? count_neighbours() : 1;
  start->cores = count_cores();
  return 1;
}

/* Where MPI survives the death of a process (ULFM), it wants to hear that we know of it before it goes on. */
static void note_deaths(int error)
{
#if defined(MPIX_ERR_PROC_FAILED) && defined(MPIX_ERR_PROC_FAILED_PENDING)
  int class = error;
  (void)MPI_Error_class(error, &class);
  if (class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_PROC_FAILED_PENDING)
    (void)MPIX_Comm_failure_ack(MPI_COMM_WORLD);
#else
  (void)error;
#endif
}

int pf_mpi_send(const void *bytes, int count, int to, int tag, PfMpiRequest *room)
{
  MPI_Request request;
  const int error = MPI_Isend(bytes, count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  if (error != MPI_SUCCESS) {
    note_deaths(error);
    return 0;
  }
  memcpy(room, &request, sizeof request);
  return 1;
}

int pf_mpi_is_sent(PfMpiRequest *room)
{
  MPI_Request request;
  int done = 0;
  memcpy(&request, room, sizeof request);
  const int error = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  memcpy(room, &request, sizeof request);
  if (error != MPI_SUCCESS) note_deaths(error);
  return error != MPI_SUCCESS ? -1 : done;
}

int pf_mpi_probe(int *from, int *tag, int *count)
{
  MPI_Status status;
  int there = 0;
  const int error = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (error != MPI_SUCCESS) note_deaths(error);
  if (error != MPI_SUCCESS || !there) return 0;
  *from = status.MPI_SOURCE;
  *tag = status.MPI_TAG;
  return MPI_Get_count(&status, MPI_BYTE, count) == MPI_SUCCESS;
}

int pf_mpi_receive(void *bytes, int count, int from, int tag)
{
  const int error = MPI_Recv(bytes, count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) note_deaths(error);
  return error == MPI_SUCCESS;
}

void pf_mpi_end(void)
{
  (void)MPI_Finalize();
}
