/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the modules of mpi/, one for each implementation of MPI: they alone know mpi.h, and are loaded by
 * sweep/mpi.c when a launcher has started the program. They keep no memory and change no state but that of MPI. All
 * calls come from the thread that made the first. */
#ifndef PF_SWEEP_MPI_MODULE_H
#define PF_SWEEP_MPI_MODULE_H

#include "pfaff/base.h"

#define PF_MPI_INTERFACE 1

typedef struct PfMpiStart {
  int rank, size;
  int here;       /* processes on this machine */
  int cores;      /* that this process may use; 0: not known */
  char host[256];
} PfMpiStart;

/* Room for a request of MPI: a number or a pointer. */
typedef struct PfMpiRequest {
  void *room[2];
} PfMpiRequest;

/* PF_MPI_INTERFACE of the module, to be compared before anything else is called. */
PF_API int pf_mpi_interface(void);
/* Functions that can fail say 0 when they do. */
PF_API int pf_mpi_begin(PfMpiStart *start);
/* The bytes must stay until it is sent. */
PF_API int pf_mpi_send(const void *bytes, int count, int to, int tag, PfMpiRequest *request);
/* 1: it is sent; 0: not yet; -1: it cannot be. */
PF_API int pf_mpi_is_sent(PfMpiRequest *request);
/* 1: there is a message; 0: there is none. */
PF_API int pf_mpi_probe(int *from, int *tag, int *count);
/* Receives the message that pf_mpi_probe has reported. */
PF_API int pf_mpi_receive(void *bytes, int count, int from, int tag);
/* MPI_Finalize. */
PF_API void pf_mpi_end(void);

#endif
