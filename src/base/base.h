/* SPDX-License-Identifier: Apache-2.0 */
/* What base offers inside the library: growable text, growable arrays, a map from names, files. */
#ifndef PF_SRC_BASE_H
#define PF_SRC_BASE_H

#include "pfaff/base.h"

#include <stdbool.h>
#include <stdio.h>

/* The C library's allocation as a PfAllocator function. */
void *pf_standard_resize(void *user, void *block, size_t size);

/* Seconds from some instant in the past on, by a clock that nobody sets. */
double pf_clock(void);

/* ---------------------------------------------------------------- growable arrays */

/* Makes room for `need` items of the size in a block that has room for *room; the room at least doubles.
 * False (block unchanged) when there is no memory. */
bool pf_grow(const PfAllocator *allocator, void **block, size_t *room, size_t need, size_t size);

/* A typed growable array: PF_ARRAY(int) ids = {0}; pf_push(allocator, &ids, 3). */
#define PF_ARRAY(type)    \
  struct {                \
    type *at;             \
    size_t count, room;   \
  }
#define pf_reserve(allocator, array, need)                                       \
  ((need) <= (array)->room ||                                                    \
   pf_grow((allocator), (void **)(void *)&(array)->at, &(array)->room, (need), sizeof *(array)->at))
#define pf_push(allocator, array, ...)                                           \
  (pf_reserve((allocator), (array), (array)->count + 1)                          \
       ? ((array)->at[(array)->count++] = __VA_ARGS__, true)                     \
       : false)
#define pf_array_free(allocator, array)                                          \
  ((allocator)->resize((allocator)->user, (array)->at, 0), (array)->at = NULL,   \
   (array)->count = (array)->room = 0)

/* ---------------------------------------------------------------- growable text */

/* Text that grows; after a failed allocation it stays as it was and `failed` is set. Always terminated
 * by a zero once something was written; use pf_text_get to read it. */
typedef struct PfText {
  const PfAllocator *allocator;
  char *at;
  size_t count, room;
  bool failed;
} PfText;

void pf_text_init(PfText *text, const PfAllocator *allocator);
void pf_text_free(PfText *text);
void pf_text_put(PfText *text, const char *bytes, size_t count);
void pf_text_add(PfText *text, const char *string);
void pf_text_print(PfText *text, const char *format, ...) PF_PRINTF(2, 3);
void pf_text_print_list(PfText *text, const char *format, va_list words) PF_PRINTF(2, 0);
const char *pf_text_get(const PfText *text);

/* As strtod, with a point whatever locale the host has set (plain.c). */
double pf_read_double(const char *text, char **end);

/* x by the fewest digits that read back as the same double, laid out as %.17g does; where there is room for
 * PF_LONGEST_NUMBER bytes. Gives the length (digits.c). */
enum { PF_LONGEST_NUMBER = 32 };
size_t pf_put_shortest(char *to, double x);
void pf_text_number(PfText *text, double x);

/* ---------------------------------------------------------------- characters */

/* The first bytes are one character in valid UTF-8, of so many bytes; 0 when they are not. */
uint32_t pf_utf8_size(const char *bytes, size_t count);
/* Of a valid character: its number in Unicode. */
uint32_t pf_utf8_code(const char *bytes, uint32_t size);
/* Of a valid character: is it a control character, a mark that turns the direction of writing, or what XML excludes? */
bool pf_utf8_is_hidden(const char *bytes, uint32_t size);

/* Text from a file or from the command line, fit for a terminal: hidden characters and bytes that are no UTF-8 become
 * \x1b, except those in `kept`. The second adds one character and returns how many bytes that were. */
void pf_text_add_escaped(PfText *text, const char *bytes, size_t count, const char *kept);
size_t pf_text_add_escaped_character(PfText *text, const char *bytes, size_t count, const char *kept);

/* ---------------------------------------------------------------- state */

/* The places of memory that make up the state of something, so that it can be saved and put back: numbers, no
 * pointers. */
typedef struct PfKeptPart PfKeptPart;
typedef struct PfKept {
  PfKeptPart *first, *last;
  size_t size;
} PfKept;

/* False without memory. */
bool pf_keep(PfArena *arena, PfKept *kept, void *at, size_t size);
/* From one member of a struct to another, both included. */
#define pf_keep_members(arena, kept, s, from, to) \
  pf_keep((arena), (kept), &(s)->from, (size_t)((char *)(&(s)->to + 1) - (char *)&(s)->from))
/* Everything that another list keeps. */
bool pf_keep_all(PfArena *arena, PfKept *kept, const PfKept *others);
/* All of it in `kept->size` bytes, and back; returns that size. */
size_t pf_kept_save(const PfKept *kept, void *bytes);
size_t pf_kept_load(const PfKept *kept, const void *bytes);
/* Is this type one of numbers? Then arrays of it are kept without asking. */
#define PF_IS_NUMBER(type) _Generic((type *)0, double *: true, int *: true, bool *: true, default: false)

/* ---------------------------------------------------------------- names */

/* A map from texts to pointers that remembers the order of insertion. Keys are not copied. */
typedef struct PfMapEntry {
  const char *key;
  size_t length;
  uint64_t hash;
  void *value;
} PfMapEntry;

typedef struct PfMap {
  const PfAllocator *allocator;
  uint32_t *slots; /* index of the entry + 1, 0 = free */
  size_t slot_count;
  PF_ARRAY(PfMapEntry) entries;
} PfMap;

void pf_map_init(PfMap *map, const PfAllocator *allocator);
void pf_map_free(PfMap *map);
void *pf_map_get(const PfMap *map, const char *key, size_t length);
/* Adds or replaces; false when there is no memory. */
bool pf_map_set(PfMap *map, const char *key, size_t length, void *value);

uint64_t pf_hash_bytes(const void *bytes, size_t count, uint64_t seed);

/* Distance of two names in single-letter edits (swap of neighbours counts one), at most `limit` + 1. */
int pf_name_distance(const char *a, const char *b, int limit);
/* Is the candidate nearer to a misspelt name than all before? *best is 0 at first. */
bool pf_name_is_nearer(const char *name, const char *candidate, int *best);

/* The pieces of a list between separators, not counting those in brackets: where the first piece ends (names.c). */
const char *pf_piece_end(const char *text, const char *separators);

/* A name by which people mean the derivative of another one, as x_dot, xdot, dx or x_ddot: the k-th way (0, 1, …) to
 * read it so, as the other name and the order of the derivative. False when there are no more. An index stays: w_dot[2]
 * is that of w[2]. */
bool pf_rate_spelling(const char *name, int k, char *other, size_t room, int *order);

/* ---------------------------------------------------------------- files */

/* The whole file in the arena, with a terminating zero; "-" is standard input. Fails with PF_ERR_FILE,
 * or PF_ERR_LIMIT when it is longer than `limit` bytes. */
PfStatus pf_file_read(PfContext *ctx, PfArena *arena, const char *path, size_t limit, const char **bytes,
                      size_t *count);

/* Attached to the context by the expression module, and freed with it. */
typedef struct PfExprTable PfExprTable;
PfExprTable *pf_context_expr_table(PfContext *ctx);
void pf_context_set_expr_table(PfContext *ctx, PfExprTable *table, void (*release)(PfExprTable *table));

/* The libraries that were loaded for the context (library.h), freed with it. */
typedef struct PfLoaded PfLoaded;
PfLoaded *pf_context_libraries(const PfContext *ctx);
void pf_context_set_libraries(PfContext *ctx, PfLoaded *libraries,
                              void (*release)(PfContext *ctx, PfLoaded *libraries));

/* Who makes native code for the tapes of the context (kernel/native.h); the context leaves it when it is freed. */
struct PfTapeHelper;
struct PfTapeHelper *pf_context_tape_helper(const PfContext *ctx);
void pf_context_set_tape_helper(PfContext *ctx, struct PfTapeHelper *helper,
                                void (*leave)(struct PfTapeHelper *helper));

/* The words for an allocation that failed: "no room for the start". */
PfStatus pf_no_room(PfContext *ctx, const char *what);

/* Forgets the diagnostics after the first `count`: for attempts whose failure is no error. */
void pf_diagnostics_cut(PfContext *ctx, int count);
/* The same, and gives back the room of their texts: for those that were copied. */
void pf_diagnostics_forget(PfContext *ctx, int count);

/* Adds the diagnostics of another context; false without memory. */
bool pf_diagnostics_copy(PfContext *to, const PfContext *from);

/* After these no attempt is followed by another one. */
static inline bool pf_is_final(PfStatus status)
{
  return status == PF_ERR_MEMORY || status == PF_ERR_CANCELLED;
}

/* PF_ERR_CANCELLED, and the words for it, when the host has asked to stop: for loops that may take long. */
PfStatus pf_check_cancelled(PfContext *ctx);

#endif
