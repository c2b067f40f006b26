/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as a stream of text: for reports, and for results too large to be kept as a tree. */
#ifndef PF_REPORT_JSON_H
#define PF_REPORT_JSON_H

#include "base/base.h"

/* A JSON text being written. Keys are NULL inside lists. Numbers read back exactly; what is not finite becomes
 * null, since JSON has no other word for it. */
typedef struct PfJson {
  PfText text;
  int depth;
  bool comma; /* the next item needs a comma before it */
} PfJson;

void pf_json_begin(PfJson *json, const PfAllocator *allocator);
void pf_json_free(PfJson *json);
void pf_json_open(PfJson *json, const char *key, char bracket); /* '{' or '[' */
void pf_json_close(PfJson *json, char bracket);                 /* '}' or ']' */
void pf_json_string(PfJson *json, const char *key, const char *value); /* NULL becomes null */
void pf_json_number(PfJson *json, const char *key, double value);
void pf_json_integer(PfJson *json, const char *key, long long value);
/* A string between quotes that no character of it can leave; Python reads it as well. */
void pf_put_quoted(PfText *text, const char *string);
void pf_json_bool(PfJson *json, const char *key, bool value);
/* The letters of the bytes in base64; the same of numbers, the lowest byte first, with 8 bytes each or, rounded to
 * floats, with 4 (base64.c). Numbers that are not finite stay as they are. */
void pf_put_base64(PfText *text, const char *bytes, size_t count);
void pf_put_base64_numbers(PfText *text, const double *values, size_t count, int bytes);
/* What stands before a value that the caller puts into the text himself. */
void pf_json_item(PfJson *json, const char *key);

#endif
