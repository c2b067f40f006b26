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
/* Is there room for members up to `last`? Who has members under way does not wait for it, since others wait for these;
 * who has none may wait, and gets false when everything was told to stop. */
bool pf_stream_has_room(PfRowStream *stream, long long last);
bool pf_stream_wait(PfRowStream *stream, long long last);
void pf_stream_put(PfRowStream *stream, long long member, const double *row, int end, const char *reason);
/* Nobody waits any longer. */
void pf_stream_stop(PfRowStream *stream);
/* After the last member, or a stop: the summary is the sweep's. */
void pf_stream_end(PfRowStream *stream);

#endif
