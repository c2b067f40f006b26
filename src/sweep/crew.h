/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of one process among several that compute a sweep: they take blocks of members from a queue, and what
 * becomes of the members waits, as bytes, to be collected and sent. */
#ifndef PF_SWEEP_CREW_H
#define PF_SWEEP_CREW_H

#include "sweep/sweep_impl.h"

enum { PF_BLOCK = 1024 }; /* members of the largest block */

/* Some members, from the first on, or from the last one back. */
typedef struct PfBlock {
  int64_t number, first;
  int32_t span, backwards;
  unsigned char wanted[PF_BLOCK/8]; /* a bit for each of the span */
} PfBlock;

/* What comes back, one behind the other: a row (numbers follow and, of a failure, PF_REASON bytes), or that a block has
 * ended. */
typedef enum PfRecordKind { PF_RECORD_ROW, PF_RECORD_ENDED } PfRecordKind;
typedef struct PfRecord {
  int64_t number; /* of the member, or of the block */
  int32_t kind, end;
} PfRecord;

/* How many bytes follow the head of a record. */
size_t pf_record_rest(const PfRecord *record, int columns);

typedef struct PfCrew PfCrew;

PfStatus pf_crew_start(PfSweep *sweep, int threads, PfCrew **crew);
/* How many blocks it can hold, those that are under way among them. */
int pf_crew_room(const PfCrew *crew);
/* Not more than there is room for. */
void pf_crew_give(PfCrew *crew, const PfBlock *block);
/* Appends the records that are ready; where there are none, waits for the end of a block, and not longer than so many
 * seconds. Fails when a thread cannot go on. */
PfStatus pf_crew_collect(PfCrew *crew, double seconds, PfText *records);
/* Members that are under way are left. */
void pf_crew_stop(PfCrew *crew);
/* Stops it, and waits for all threads; records can still be collected. */
void pf_crew_join(PfCrew *crew);
void pf_crew_free(PfCrew *crew); /* NULL is allowed */

#endif
