/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <math.h>

static void put_run(FILE *err, const PfProgress *now)
{
  enum { WIDTH = 40 };
  int filled = (int)(now->part*WIDTH);
  fprintf(err, "\r[%.*s%*s] %3.0f%%  t = %.6g ", filled, "########################################", WIDTH - filled, "",
          100*now->part, now->t);
}

static void put_members(FILE *err, const PfSweepProgress *p)
{
  const double rate = (double)(p->done - p->before)/fmax(p->seconds, 1e-9);
  char rest[32];
  pf_print_seconds(rest, sizeof rest, rate > 0 ? ceil((double)(p->count - p->done)/rate) : NAN);
  fprintf(err, "%3.0f %%  %lld of %lld members, %.3g per second", 100*(double)p->done/(double)p->count, p->done,
          p->count, rate);
  if (rate > 0) fprintf(err, ", ends in %s", rest);
  if (p->failed) fprintf(err, ", %lld failed", p->failed);
}

void pf_progress_show(Progress *x, const PfProgress *now)
{
  FILE *err = x->console->err;
  bool terminal = x->console->terminal;
  if (x->hidden || (!terminal && now->processes == 1)) return;
  const double clock = pf_clock(), since = clock - fmax(x->shown, x->began);
  if (!(x->began > 0)) x->began = clock;
  if (terminal && !now->members && clock - x->shown >= 0.1) {
    put_run(err, now);
  } else if (terminal && now->members && clock - x->began > 0.5 && clock - x->shown > 0.2) {
    fputs("\r", err);
    put_members(err, now->members);
    fputs("\033[K", err);
  } else if (!terminal && now->members && x->began < clock && since > 10) {
    put_members(err, now->members);
    fputs("\n", err);
  } else {
    return;
  }
  x->line = terminal;
  x->shown = clock;
  fflush(err);
}

void pf_progress_end(Progress *x)
{
  if (x->line) fputs("\r\033[K", x->console->err);
}
