/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compute one sweep by sending each other messages. The first one leads: it hands out blocks of members,
 * takes what becomes of them, and is the only one that writes. The others follow; they need neither the result nor,
 * where the words come from a result, the model.
 *
 *   leader    WORDS       BLOCK BLOCK …        STOP      LEAVE
 *   follower        HELLO       ROWS ROWS ROWS …    BYE
 *
 * Nobody waits for a certain message of another without looking at what else comes. Messages are carried by MPI
 * (mpi.c), in tests by queues between threads. */
#ifndef PF_SWEEP_TEAM_H
#define PF_SWEEP_TEAM_H

#include "base/base.h"
#include "pfaff/sweep.h"

typedef enum PfTag {
  PF_TAG_WORDS, /* leader: version and words of the sweep */
  PF_TAG_HELLO, /* follower: threads; or why it cannot go on, also later */
  PF_TAG_BLOCK, /* leader: members to compute */
  PF_TAG_ROWS,  /* follower: records (crew.h) */
  PF_TAG_ASK,   /* follower: it was asked to stop, and so should be all */
  PF_TAG_TICK,  /* both, every second: still there */
  PF_TAG_STOP,  /* leader: enough */
  PF_TAG_BYE,   /* follower: the last but for what follows LEAVE */
  PF_TAG_LEAVE  /* leader: everybody has said goodbye (one byte: 1), or somebody is lost (0) */
} PfTag;

typedef enum PfPresence {
  PF_PRESENT,
  PF_GONE, /* has said goodbye */
  PF_LOST  /* cannot be reached */
} PfPresence;

typedef struct PfTeam PfTeam;
struct PfTeam {
  int rank, size;   /* this one, and how many there are */
  int here, cores;  /* how many of them are on this machine, and how many cores of it this one may use */
  const char *host; /* the machine */
  /* Sends a copy of the bytes without waiting for anybody; false: it will not arrive. */
  bool (*send)(PfTeam *team, int to, int tag, const void *bytes, size_t count);
  /* The next message in place of what the text holds; false: there is none yet. */
  bool (*receive)(PfTeam *team, int *from, int *tag, PfText *bytes);
  /* The last call; `whole`: nobody is lost. */
  void (*end)(PfTeam *team, bool whole);

  bool over;        /* STOP was sent, or received */
  PfPresence *presence; /* of each */
  PfText complaints; /* of the leader: what others have said, each once */
  int threads, working; /* of the leader: of all together, and of how many processes */
};

/* How many threads this one takes unless somebody says otherwise. */
int pf_team_threads(const PfTeam *team);

/* The leader's pf_sweep_run. */
PfStatus pf_team_lead(PfTeam *team, PfSweep *sweep, const PfSweepHow *how, PfSweepResult *result);

/* What a follower is told first. Its texts are in the arena; words NULL: there is nothing to do. */
typedef struct PfTeamWords {
  const PfSweepWord *words;
  int count;
  const char *version;
} PfTeamWords;
PfStatus pf_team_listen(PfTeam *team, PfContext *ctx, PfArena *arena, PfTeamWords *told);
/* Are they those of this sweep, by this version of the program? The failure names the difference. */
PfStatus pf_team_compare(const PfTeam *team, const PfSweep *sweep, const PfTeamWords *told);
PfStatus pf_team_check_version(const PfTeam *team, PfContext *ctx, const PfTeamWords *told);
/* Computes what it is given, until the leader has enough. `how` says threads, native, and whom to ask whether to
 * stop. */
PfStatus pf_team_follow(PfTeam *team, PfSweep *sweep, const PfSweepHow *how);
/* Tells the leader why this one cannot go on, in words that are shown as they are. */
void pf_team_complain(PfTeam *team, PfStatus status, const char *words);

/* Everybody's last call. False when the leader does not answer. */
bool pf_team_part(PfTeam *team);

#endif
