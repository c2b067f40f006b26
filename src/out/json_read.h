/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that is read: the metadata of results, and requests. */
#ifndef PF_SRC_OUT_JSON_READ_H
#define PF_SRC_OUT_JSON_READ_H

#include "out/out.h"

typedef enum PfJsonKind { PF_JSON_NULL, PF_JSON_BOOL, PF_JSON_NUMBER, PF_JSON_STRING, PF_JSON_LIST,
                          PF_JSON_OBJECT } PfJsonKind;

typedef struct PfJsonNode {
  PfJsonKind kind;
  const char *key;  /* in an object, else NULL */
  const char *text; /* of a string, which has no zero inside */
  double number;    /* of a number; 1 for true */
  struct PfJsonNode *child, *next;
} PfJsonNode;

/* The value that the bytes are, in the arena; `name` stands for the file in messages. Fails with PF_ERR_SYNTAX and says
 * in which line; *root then has the values until there, the last of them the one that is wrong. */
PfStatus pf_json_read(PfContext *ctx, PfArena *arena, const char *name, const char *bytes, size_t count,
                      PfJsonNode **root);
/* The member of an object; NULL when there is none, or it is not an object. */
const PfJsonNode *pf_json_member(const PfJsonNode *object, const char *key);
/* Its text, or NULL. */
const char *pf_json_text(const PfJsonNode *object, const char *key);

#endif
