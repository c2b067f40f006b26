/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of one process among several that compute a sweep: they take blocks of members from a queue, and the rows
 * of the members wait, as bytes, to be collected and sent. */
#ifndef PF_SWEEP_WORKER_POOL_H
#define PF_SWEEP_WORKER_POOL_H

#include "sweep/sweep_impl.h"

enum { PF_BLOCK = 1024 }; /* members of the largest block */

/* Some members, from the first on, or from the last one back. It is sent as its bytes. */
typedef struct PfBlock {
  int64_t number, first;
  int32_t span, backwards;
  unsigned char wanted[PF_BLOCK/8]; /* a bit for each of the span */
} PfBlock;

/* The records that come back, one after the other: a row (numbers follow and, of a failure, PF_REASON bytes), or the
 * end of a block. */
typedef enum PfRecordKind { PF_RECORD_ROW, PF_RECORD_ENDED } PfRecordKind;
typedef struct PfRecord {
  int64_t number; /* of the member, or of the block */
  int32_t kind, end;
} PfRecord;

/* How many bytes follow the head of a record. */
size_t pf_record_payload_size(const PfRecord *record, int columns);

typedef struct PfWorkerPool PfWorkerPool;

/* A thread pool: starts so many threads, each with a clone of the simulation of the sweep, which wait for blocks. Owned
 * by the caller, who frees it by pf_worker_pool_free before the sweep. */
PfStatus pf_worker_pool_start(PfSweep *sweep, int threads, PfWorkerPool **pool);
/* How many blocks it can hold, those that are under way among them. */
int pf_worker_pool_room(const PfWorkerPool *pool);
/* Puts a copy of the block into the queue, in which there must be room. */
void pf_worker_pool_give(PfWorkerPool *pool, const PfBlock *block);
/* Appends the records that are ready; where there are none, waits for the end of a block, and not longer than so many
 * seconds. Fails when a thread cannot go on. */
PfStatus pf_worker_pool_collect(PfWorkerPool *pool, double seconds, PfText *records);
/* Stops it, and waits for all threads; members that are under way are left, records can still be collected. */
void pf_worker_pool_join(PfWorkerPool *pool);
/* Joins the threads and frees all; NULL is allowed. */
void pf_worker_pool_free(PfWorkerPool *pool);

#endif
