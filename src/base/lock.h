/* SPDX-License-Identifier: Apache-2.0 */
/* A lock between threads, which costs nothing where there are none. */
#ifndef PF_BASE_LOCK_H
#define PF_BASE_LOCK_H

#ifdef __wasi__
typedef int PfLock;
static inline void pf_lock_init(PfLock *lock) { *lock = 0; }
static inline void pf_lock_free(PfLock *lock) { (void)lock; }
static inline void pf_lock(PfLock *lock) { (void)lock; }
static inline void pf_unlock(PfLock *lock) { (void)lock; }
#else
#include <pthread.h>
typedef pthread_mutex_t PfLock;
static inline void pf_lock_init(PfLock *lock) { pthread_mutex_init(lock, NULL); }
static inline void pf_lock_free(PfLock *lock) { pthread_mutex_destroy(lock); }
static inline void pf_lock(PfLock *lock) { pthread_mutex_lock(lock); }
static inline void pf_unlock(PfLock *lock) { pthread_mutex_unlock(lock); }
#endif

#endif
