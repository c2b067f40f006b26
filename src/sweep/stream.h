/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are not kept: threads bring them in any order, the summary gets them in theirs. Between the two is a window
 * of some thousand members; who is ahead of it waits for the slowest. */
#ifndef PF_SWEEP_STREAM_H
#define PF_SWEEP_STREAM_H

#include "sweep/summary.h"

#include <pthread.h>

typedef struct PfRowStream PfRowStream;

PfStatus pf_stream_new(PfSweep *sweep, int threads, PfRowStream **stream);
void pf_stream_free(PfRowStream *stream);
/* Waits until there is room for members up to `last`; false when it was told to stop. Whoever has taken members waits
 * before he begins with them, and takes them in their order: then the first ones that are missing are always at work. */
bool pf_stream_wait(PfRowStream *stream, long long last);
void pf_stream_put(PfRowStream *stream, long long member, const double *row, int end, const char *reason);
/* Nobody waits any longer. */
void pf_stream_stop(PfRowStream *stream);
/* After the last member, or a stop: the summary is the sweep's. */
void pf_stream_end(PfRowStream *stream);

#endif
