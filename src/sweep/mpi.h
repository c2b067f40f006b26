/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator whose messages are carried by MPI. */
#ifndef PF_SWEEP_MPI_H
#define PF_SWEEP_MPI_H

#include "sweep/communicator.h"

/* By the module of that path (sweep/mpi_module.h), which must outlive the context. NULL in *team where MPI knows of no
 * other process: the launcher is another implementation's. MPI can be begun once in a process.
 *
 * Fails with PF_ERR_MISSING when the module cannot be loaded. The communicator is freed by its `end`. */
PfStatus pf_mpi_open(PfContext *ctx, const char *module, PfCommunicator **comm);

#endif
