/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that compute one sweep by sending each other messages. The first one leads: it hands out blocks of members,
 * receives their rows, and is the only one that writes. The others follow; they need neither the result nor, where the
 * settings come from a result, the model.
 *
 *   leader    SETTINGS      BLOCK BLOCK …        STOP      LEAVE
 *   follower         HELLO       ROWS ROWS ROWS …    BYE
 *
 * A process that waits for a certain message handles all others that arrive. Messages are carried by MPI (mpi.c), in
 * tests by queues between threads. */
#ifndef PF_SWEEP_COMMUNICATOR_H
#define PF_SWEEP_COMMUNICATOR_H

#include "base/base.h"
#include "pfaff/sweep.h"

typedef enum PfTag {
  PF_TAG_SETTINGS, /* leader: version and settings of the sweep */
  PF_TAG_HELLO,    /* follower: threads; or why it cannot go on, also later */
  PF_TAG_BLOCK,    /* leader: members to compute */
  PF_TAG_ROWS,     /* follower: records (worker_pool.h) */
  PF_TAG_ASK,      /* follower: it received a request to stop, which concerns all */
  PF_TAG_TICK,     /* both, every second: still there */
  PF_TAG_STOP,     /* leader: enough */
  PF_TAG_BYE,      /* follower: its last message, except for replies to LEAVE */
  PF_TAG_LEAVE     /* leader: all have said goodbye (one byte: 1), or a process is lost (0) */
} PfTag;

typedef enum PfPresence {
  PF_PRESENT,
  PF_GONE, /* has said goodbye */
  PF_LOST  /* cannot be reached */
} PfPresence;

typedef struct PfCommunicator PfCommunicator;
struct PfCommunicator {
  int rank, size;   /* this one, and how many there are */
  int here, cores;  /* how many of them are on this machine, and how many cores of it this one may use */
  const char *host; /* the machine */
  /* Sends a copy of the bytes without blocking; false: it will not arrive. */
  bool (*send)(PfCommunicator *comm, int to, int tag, const void *bytes, size_t count);
  /* The next message in place of the contents of the text; false: there is none yet. */
  bool (*receive)(PfCommunicator *comm, int *from, int *tag, PfText *bytes);
  /* The last call; `whole`: no process is lost. */
  void (*end)(PfCommunicator *comm, bool whole);

  bool over;        /* STOP was sent, or received */
  PfPresence *presence; /* of each */
  PfText complaints; /* of the leader: messages of the others, each once */
  int threads, working; /* of the leader: of all together, and of how many processes */
};

/* The default number of threads of this process. */
int pf_communicator_threads(const PfCommunicator *comm);

/* The leader's pf_sweep_run. */
PfStatus pf_leader_run(PfCommunicator *comm, PfSweep *sweep, const PfSweepRunOptions *how, PfSweepResult *result);

/* The first message to a follower. Its texts are in the arena; settings NULL: there is nothing to do. */
typedef struct PfReceivedSettings {
  const PfSweepSetting *settings;
  int count;
  const char *version;
} PfReceivedSettings;
/* Waits for the settings that the leader sends first. Fails with PF_ERR_CANCELLED when none will come. */
PfStatus pf_follower_receive(PfCommunicator *comm, PfContext *ctx, PfArena *arena, PfReceivedSettings *received);
/* Are they those of this sweep, by this version of the program? The failure names the difference. */
PfStatus pf_follower_compare(const PfCommunicator *comm, const PfSweep *sweep, const PfReceivedSettings *received);
/* Is it the same version of the program? For followers that have no sweep yet. */
PfStatus pf_follower_check_version(const PfCommunicator *comm, PfContext *ctx, const PfReceivedSettings *received);
/* Computes the blocks that it receives, until the leader has enough. `how` gives threads, native code, and the function
 * that is polled for a stop. */
PfStatus pf_follower_run(PfCommunicator *comm, PfSweep *sweep, const PfSweepRunOptions *how);
/* Sends the leader the reason why this process cannot go on, as a message that is shown unchanged. */
void pf_follower_report_failure(PfCommunicator *comm, PfStatus status, const char *message);

/* The last call of every process. False when the leader does not answer. */
bool pf_communicator_close(PfCommunicator *comm);

#endif
