/* The studies of pfaff study: each is a command of its own, called with the words after its kind. */
#ifndef PF_CLI_STUDY_H
#define PF_CLI_STUDY_H

#include "cli/cli.h"

/* Names begin with "study ", as messages say them. A new study: its Command here and in the list of study.c. */

#endif
