/* SPDX-License-Identifier: Apache-2.0 */
/* A lock between threads, and a condition to wait for; they cost nothing where there are no threads. */
#ifndef PF_BASE_LOCK_H
#define PF_BASE_LOCK_H

#ifdef __wasi__
typedef int PfLock;
static inline void pf_lock_init(PfLock *lock) { *lock = 0; }
static inline void pf_lock_free(PfLock *lock) { (void)lock; }
static inline void pf_lock(PfLock *lock) { (void)lock; }
static inline void pf_unlock(PfLock *lock) { (void)lock; }
typedef int PfCondition;
static inline void pf_condition_init(PfCondition *condition) { *condition = 0; }
static inline void pf_condition_free(PfCondition *condition) { (void)condition; }
static inline void pf_broadcast(PfCondition *condition) { (void)condition; }
static inline void pf_wait_briefly(PfCondition *condition, PfLock *lock) { (void)condition, (void)lock; }
#else
#include <pthread.h>
#include <time.h>
typedef pthread_mutex_t PfLock;
static inline void pf_lock_init(PfLock *lock) { pthread_mutex_init(lock, NULL); }
static inline void pf_lock_free(PfLock *lock) { pthread_mutex_destroy(lock); }
static inline void pf_lock(PfLock *lock) { pthread_mutex_lock(lock); }
static inline void pf_unlock(PfLock *lock) { pthread_mutex_unlock(lock); }
typedef pthread_cond_t PfCondition;
static inline void pf_condition_init(PfCondition *condition) { pthread_cond_init(condition, NULL); }
static inline void pf_condition_free(PfCondition *condition) { pthread_cond_destroy(condition); }
static inline void pf_broadcast(PfCondition *condition) { pthread_cond_broadcast(condition); }
/* The instant so many seconds from now, for pthread_cond_timedwait. */
static inline struct timespec pf_deadline(double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(1e9*seconds);
  until.tv_sec += until.tv_nsec/1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}
/* Until a broadcast, but not longer than 20 ms: the caller has something to poll meanwhile. The lock is held before
 * and after. */
static inline void pf_wait_briefly(PfCondition *condition, PfLock *lock)
{
  const struct timespec until = pf_deadline(0.02);
  (void)pthread_cond_timedwait(condition, lock, &until);
}
#endif

#endif
