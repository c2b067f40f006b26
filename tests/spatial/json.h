/* A small strict reader of JSON: the whole text becomes a tree of values in an arena. */
#ifndef PF_TESTS_JSON_H
#define PF_TESTS_JSON_H

#include "pfaff/base.h"

typedef enum JsonKind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT } JsonKind;

typedef struct Json {
  JsonKind kind;
  double number;
  const char *text;   /* of JSON_TEXT */
  const char *key;    /* in an object, else NULL */
  struct Json *first; /* elements of a list or object */
  struct Json *next;
  int count;
} Json;

/* NULL when the text is not JSON; *error then says why, with line and column. */
const Json *json_read(PfArena *arena, const char *text, char *error, size_t room);

/* The member of an object, or NULL (also when object is NULL). */
const Json *json_get(const Json *object, const char *key);
const Json *json_at(const Json *list, int index);

/* All numbers inside, lists of lists included, in their order; null gives NAN. Returns how many there are, and
 * writes at most `room` of them. */
int json_numbers(const Json *value, double *to, int room);

#endif
