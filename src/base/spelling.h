/* SPDX-License-Identifier: Apache-2.0 */
/* How messages name settings and tasks. The format of a message has tokens, and each front end spells them: the shell
 * '--step 0.01', Python 'step=0.01', C 'step = 0.01'.
 *
 *   @step                     a setting; the name is a word of a-z and '_'
 *   @step{0.01}               a setting with a value
 *   @%s                       a setting whose name is an argument: "step", or with a value behind a blank, "step 0.01".
 *                             What begins with a blank is not a setting, and stands there as it is.
 *   @%s{%g}, @%.*s            as one would expect
 *   @task{run}                a task
 *   @task{run @out{x.csv} MODEL}   a task with settings; plain words are shown by the shell alone
 *   @call{run …}              the same without quotation marks
 *   @@                        the character itself
 *
 * Tokens count in the format only, never in the text of arguments. */
#ifndef PF_SRC_SPELLING_H
#define PF_SRC_SPELLING_H

#include "base/base.h"

/* How one front end writes them. Constant, and longer-lived than the contexts that have it. */
typedef struct PfSpelling {
  /* Adds the setting to the text; `value` is NULL without one. */
  void (*setting)(PfText *text, const char *name, const char *value);
  /* Adds the task, with quotation marks or not where that is several words; `words` are all that follow its name, as
   * " --out x.csv MODEL", and `settings` those of them that are settings, with commas between them. */
  void (*task)(PfText *text, const char *name, const char *words, const char *settings, bool quoted);
} PfSpelling;

/* Letters are short names of settings, which the shell writes as they are: @p is "-p" and names 'param'. This gives the
 * whole name, or the name itself. */
const char *pf_setting_name(const char *name);

/* That of C programs, which new contexts have. */
extern const PfSpelling pf_spelling_of_c;

/* The spelling of all messages that the context records from now on. Forks and workspaces inherit it. */
void pf_context_set_spelling(PfContext *ctx, const PfSpelling *spelling);
const PfSpelling *pf_context_spelling(const PfContext *ctx);

/* Adds to the text as pf_text_print does, with the tokens of the format spelled. `setting` (or NULL) gets the name of
 * the first setting, when the format has one and its name is shorter than PF_LONGEST_SETTING. */
enum { PF_LONGEST_SETTING = 40 };
void pf_text_spell(PfText *text, const PfSpelling *spelling, const char *format, ...) PF_PRINTF(3, 4);
void pf_text_spell_list(PfText *text, const PfSpelling *spelling, char *setting, const char *format, va_list words)
    PF_PRINTF(4, 0);

/* Adds a text that is not a format of printf, with its tokens spelled: for texts of help. */
void pf_text_spell_words(PfText *text, const PfSpelling *spelling, const char *words);

/* The same as a text in the arena; NULL without memory. */
const char *pf_spell(PfContext *ctx, PfArena *arena, const char *format, ...) PF_PRINTF(3, 4);

#endif
