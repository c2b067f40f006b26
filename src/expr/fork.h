/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts that go on from a common one. */
#ifndef PF_EXPR_FORK_H
#define PF_EXPR_FORK_H

#include "base/base.h"

/* A context with the expressions and diagnostics of another one: every handle means the same in both, and expressions
 * built later in one are unknown to the other. The original must outlive the fork and may not change meanwhile; then
 * forks may be made and used by several threads. Two forks that build the same expressions in the same order get the
 * same handles. Costs one copy of the table, some 40 bytes for each expression. Function and user to be polled for
 * cancellation are not copied, nor are loaded libraries and the choice about native code. NULL without memory. */
PfContext *pf_context_fork(PfContext *from);

#endif
