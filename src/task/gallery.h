/* SPDX-License-Identifier: Apache-2.0 */
/* The examples, which are part of the program. */
#ifndef PF_TASK_GALLERY_H
#define PF_TASK_GALLERY_H

#include "base/base.h"

typedef struct Example {
  const char *family, *name;
  const char *const *lines; /* each with its line end; NULL at the end */
} Example;

/* Made of examples/ when the program is built (cmake/PfaffExamples.cmake); ended by an empty one. */
extern const Example pf_examples[];

/* The example of this name, "snakeboard" or "skates/snakeboard"; case does not matter, '-' is as good as '_'. NULL:
 * none. */
const Example *pf_example_find(const char *name);
/* Fails with PF_ERR_ARGUMENT and the names that are like it. */
PfStatus pf_example_missing(PfContext *ctx, const char *name);

/* The model as it is in the file; the text between quotes in its line 'model'; the comments at its head or after that
 * line, without '# '. */
void pf_example_text(const Example *example, PfText *text);
void pf_example_title(const Example *example, PfText *text);
void pf_example_about(const Example *example, PfText *text);

/* The same letters, whatever their case; '-' and '_' are one. */
char pf_example_letter(char letter);

#endif
