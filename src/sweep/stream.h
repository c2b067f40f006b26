/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are not kept: threads bring them in any order, the summary gets them in the order of the members. Between
 * the two is a window of some thousand members; a thread that is ahead of it waits for the slowest. */
#ifndef PF_SWEEP_STREAM_H
#define PF_SWEEP_STREAM_H

#include "sweep/summary.h"

#include <pthread.h>

typedef struct PfRowStream PfRowStream;

/* A window between so many threads and the accumulators of the summary. Owned by the sweep afterwards. */
PfStatus pf_stream_new(PfSweep *sweep, int threads, PfRowStream **stream);
/* Frees window and summary; NULL is allowed. */
void pf_stream_free(PfRowStream *stream);
/* Is there room for members up to `last`? A thread that has members under way does not wait for it, since others wait
 * for these. */
bool pf_stream_has_room(PfRowStream *stream, long long last);
/* Waits until there is room up to `last`, for a thread that has no members under way; false after a request to stop. */
bool pf_stream_wait(PfRowStream *stream, long long last);
/* Brings the row of a member, from any thread; rows that complete the front of the window go to the summary in
 * order. */
void pf_stream_put(PfRowStream *stream, long long member, const double *row, int end, const char *reason);
/* Ends all waiting. */
void pf_stream_stop(PfRowStream *stream);
/* After the last member, or a stop: the stream with its summary becomes the sweep's, in place of an earlier one. */
void pf_stream_end(PfRowStream *stream);

#endif
