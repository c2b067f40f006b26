/* Studies: what can be said about a system beyond one motion. */
#ifndef PFAFF_STUDY_H
#define PFAFF_STUDY_H

#include "pfaff/time.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
