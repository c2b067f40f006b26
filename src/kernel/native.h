/* SPDX-License-Identifier: Apache-2.0 */
/* The place where native code takes over from the interpreter. A tape counts down the operations it executes; at zero
 * it calls the service of its context, which may supply code that computes the same bits, now or later, or let it count
 * on. The kernel does not depend on a compiler: codegen/native.c is the service. */
#ifndef PF_KERNEL_NATIVE_H
#define PF_KERNEL_NATIVE_H

#include "kernel/program.h"

#include <stdatomic.h>

/* The functions that tapes call: native code calls the same ones by these pointers, so that its results are theirs
 * whatever mathematics library a compiler would link. */
#define PF_NATIVE_FUNCTIONS(USE) \
  USE(tan) USE(asin) USE(acos) USE(atan) USE(sinh) USE(cosh) USE(tanh) USE(exp) USE(log)
#define PF_NATIVE_FUNCTIONS_OF_TWO(USE) USE(pow) USE(atan2)

typedef struct PfNativeFunctions {
  void (*sincos)(double angle, double *sine, double *cosine); /* these three: runtime/pf_sincos.h */
  double (*sin)(double);
  double (*cos)(double);
#define PF_NATIVE_MEMBER(name) double (*name)(double);
  PF_NATIVE_FUNCTIONS(PF_NATIVE_MEMBER)
#undef PF_NATIVE_MEMBER
#define PF_NATIVE_MEMBER(name) double (*name)(double, double);
  PF_NATIVE_FUNCTIONS_OF_TWO(PF_NATIVE_MEMBER)
#undef PF_NATIVE_MEMBER
} PfNativeFunctions;

typedef void PfNativeCode(const double *inputs, double *outputs, const double *constants, const PfNativeFunctions *use);

/* How many states go together (lanes.c), and the instructions of the processor that serve them; the results are the
 * same. */
enum { PF_LANES = 8 };
typedef enum PfLanes { PF_LANES_PLAIN, PF_LANES_AVX2, PF_LANES_AVX512 } PfLanes;
/* The best that this processor has; it has those before it too. */
PfLanes pf_lanes_best(void);

/* Runs a tape at groups of PF_LANES states, with their numbers side by side: inputs[(group*inputs + i)*PF_LANES
 * + lane], and outputs likewise. The numbers are those of pf_tape_run_many; nothing is put in another order on the way,
 * which for short tapes takes longer than they do. Arrays lie at multiples of 8*PF_LANES bytes, `work` as there. */
void pf_tape_run_groups(const PfTape *tape, int groups, const double *inputs, double *outputs, double *work);

/* The state of a tape that changes while it runs; threads share it. There is one for single states and one for groups
 * of PF_LANES, whose code takes PF_LANES numbers for each input and output, one for each state. */
typedef struct PfTapeState {
  bool many;
  _Atomic(PfNativeCode *) code;
  _Atomic int64_t patience; /* instructions to go until the service is called */
  void *library;            /* the code is in it; closed with the tape. This and the rest: the service's own */
  int stage;
  unsigned char *key;       /* its name in the cache, once it is known */
} PfTapeState;

/* Tapes get the service that their context has when they are made (base/base.h). */
typedef struct PfNativeService PfNativeService;
struct PfNativeService {
  /* May be called by several threads at once. Says how many instructions the tape shall count down to the next time. */
  int64_t (*attend)(PfNativeService *service, const PfTape *tape, PfTapeState *state);
  /* The tape goes. */
  void (*part)(PfNativeService *service, PfTapeState *state);
  void (*release)(PfNativeService *service); /* called when it has no more users */
  atomic_int users; /* the context and the tapes: the last one releases it */
};

/* Another tape with the instructions of `from`, which is not changed and must outlive it: the service is that of the
 * context, and native code is found anew. So one tape serves many workspaces, each with its own choice about native
 * code. Costs one small block in `arena`, which must outlive the new tape; that one is freed by pf_tape_free. */
PfStatus pf_tape_view(PfContext *ctx, PfArena *arena, const PfTape *from, PfTape **tape);

/* One user less. */
void pf_native_service_release(PfNativeService *service);

/* For the service: the data that identify a tape, values of constants excluded, handed over piece by piece. */
void pf_tape_describe(const PfTape *tape, void (*take)(void *user, const void *bytes, size_t count), void *user);

#endif
