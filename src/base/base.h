/* SPDX-License-Identifier: Apache-2.0 */
/* What base offers inside the library: growable text, growable arrays, a map from names, files. */
#ifndef PF_SRC_BASE_H
#define PF_SRC_BASE_H

#include "pfaff/base.h"

#include <stdbool.h>
#include <stdio.h>

/* The C library's allocation as a PfAllocator function. */
void *pf_standard_resize(void *user, void *block, size_t size);

/* Seconds from some instant in the past on, by a clock that is never set. */
double pf_clock(void);

/* A block of the allocator, NULL without memory; pf_release gives it back, and NULL is allowed there. Never in
 * a step. */
static inline void *pf_allocate(const PfAllocator *allocator, size_t size)
{
  return allocator->resize(allocator->user, NULL, size);
}

static inline void pf_release(const PfAllocator *allocator, void *block)
{
  allocator->resize(allocator->user, block, 0);
}

/* A number in (-1, 1) for each i and salt, without any pattern that matters and the same in every run: for probes of
 * general properties. */
double pf_arbitrary(int i, int salt);

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

/* An empty text; it allocates nothing yet. */
void pf_text_init(PfText *text, const PfAllocator *allocator);
/* Frees the bytes; the text is empty then. */
void pf_text_free(PfText *text);
/* Appends bytes, a string, or what printf would write. */
void pf_text_put(PfText *text, const char *bytes, size_t count);
void pf_text_add(PfText *text, const char *string);
void pf_text_print(PfText *text, const char *format, ...) PF_PRINTF(2, 3);
void pf_text_print_list(PfText *text, const char *format, va_list words) PF_PRINTF(2, 0);
/* The bytes with a terminating zero; valid until the text changes. */
const char *pf_text_get(const PfText *text);

/* As strtod, with a point whatever locale the host has set (plain.c). */
double pf_read_double(const char *text, char **end);

/* x by the fewest digits that read back as the same double, laid out as %.17g does; where there is room for
 * PF_LONGEST_NUMBER bytes. Gives the length (digits.c). */
enum { PF_LONGEST_NUMBER = 32 };
size_t pf_put_shortest(char *to, double x);
/* Appends x by pf_put_shortest. */
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
typedef struct PfCheckpointPart PfCheckpointPart;
typedef struct PfCheckpoint {
  PfCheckpointPart *first, *last;
  size_t size;
} PfCheckpoint;

/* False without memory. */
bool pf_checkpoint_add(PfArena *arena, PfCheckpoint *checkpoint, void *at, size_t size);
/* From one member of a struct to another, both included. */
#define pf_checkpoint_members(arena, checkpoint, s, from, to) \
  pf_checkpoint_add((arena), (checkpoint), &(s)->from, (size_t)((char *)(&(s)->to + 1) - (char *)&(s)->from))
/* Everything that another list keeps. */
bool pf_checkpoint_add_all(PfArena *arena, PfCheckpoint *checkpoint, const PfCheckpoint *others);
/* All of it in `kept->size` bytes, and back; returns that size. */
size_t pf_checkpoint_save(const PfCheckpoint *checkpoint, void *bytes);
/* Back from those bytes. */
size_t pf_checkpoint_load(const PfCheckpoint *checkpoint, const void *bytes);
/* Is this type one of numbers? Then arrays of it are kept in every case. */
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

/* An empty map. */
void pf_map_init(PfMap *map, const PfAllocator *allocator);
/* Frees its table; keys and values belong to others. */
void pf_map_free(PfMap *map);
/* The value of a key, or NULL. */
void *pf_map_get(const PfMap *map, const char *key, size_t length);
/* Adds or replaces; false when there is no memory. */
bool pf_map_set(PfMap *map, const char *key, size_t length, void *value);

/* A 64-bit hash; hashes of pieces can be chained by the seed. */
uint64_t pf_hash_bytes(const void *bytes, size_t count, uint64_t seed);

/* Distance of two names in single-letter edits (swap of neighbours counts one), at most `limit` + 1. */
int pf_name_distance(const char *a, const char *b, int limit);
/* Is the candidate nearer to a misspelt name than all before? *best is 0 at first. */
bool pf_name_is_nearer(const char *name, const char *candidate, int *best);

/* Is the word of `length` bytes one of those in a list with a blank between them? */
bool pf_word_is_in(const char *list, const char *word, size_t length);

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

/* The text that printf would write, in the arena; NULL without memory. */
char *pf_arena_print(PfArena *arena, const char *format, ...) PF_PRINTF(2, 3);

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
struct PfNativeService;
struct PfNativeService *pf_context_native_service(const PfContext *ctx);
void pf_context_set_native_service(PfContext *ctx, struct PfNativeService *service,
                                   void (*leave)(struct PfNativeService *service));

/* pf_fail_at and pf_hint for functions that have such arguments themselves. */
PfStatus pf_fail_list(PfContext *ctx, PfStatus code, PfPlace place, const char *format, va_list words) PF_PRINTF(4, 0);
void pf_hint_list(PfContext *ctx, const char *format, va_list words) PF_PRINTF(2, 0);
/* One tape more was made in the context, and how many: tests show by it that nothing is made twice. */
void pf_context_note_tape(PfContext *ctx);
long pf_context_tapes_made(const PfContext *ctx);
/* The same of work that is counted for a context and all its forks together, in any thread. */
typedef enum PfWork {
  PF_WORK_READING,    /* of the text of a model (pf_model_read) */
  PF_WORK_DERIVATION, /* of equations: matrix-free, as formulas, written out, in a form to read */
  PF_WORK_KINDS
} PfWork;
void pf_context_note_work(PfContext *ctx, PfWork work);
long pf_context_work_done(const PfContext *ctx, PfWork work);
/* From now on the context counts together with the other one, of which it is a fork. */
void pf_context_count_with(PfContext *ctx, const PfContext *other);

/* The words for an allocation that failed: "no room for the start". */
PfStatus pf_no_room(PfContext *ctx, const char *what);

/* An array that is to be allocated: the place of its pointer, how many items, and the size of one. */
typedef struct PfAllocation {
  void *pointer;
  size_t count, size;
} PfAllocation;
#define PF_ROOM(pointer, count) {&(pointer), (size_t)(count), sizeof *(pointer)}
/* The same for a matrix. */
#define PF_ROOM2(pointer, rows, columns) {&(pointer), (size_t)(rows)*(size_t)(columns), sizeof *(pointer)}

/* Allocates several arrays, all zeros: pf_arrays(ctx, arena, "the start", PF_ROOM(x, n), PF_ROOM2(J, m, n)) sets x
 * and J to room for n and m*n items in the arena, which owns them. Without memory it fails as pf_no_room does; then
 * some of the pointers may be NULL. */
PfStatus pf_arrays_make(PfContext *ctx, PfArena *arena, const char *what, const PfAllocation *rooms, size_t count);
#define pf_arrays(ctx, arena, what, ...)                                      \
  pf_arrays_make((ctx), (arena), (what), (const PfAllocation[]){__VA_ARGS__}, \
                 sizeof((const PfAllocation[]){__VA_ARGS__})/sizeof(PfAllocation))

/* Forgets the diagnostics after the first `count`: for attempts that are allowed to fail. */
void pf_diagnostics_truncate(PfContext *ctx, int count);
/* The same, and gives back the room of their texts: for those that were copied. */
void pf_diagnostics_forget(PfContext *ctx, int count);

/* Adds the diagnostics of another context; false without memory. */
bool pf_diagnostics_copy(PfContext *to, const PfContext *from);

/* After these no attempt is followed by another one. */
static inline bool pf_is_final(PfStatus status)
{
  return status == PF_ERR_MEMORY || status == PF_ERR_CANCELLED;
}
/* For an attempt that began with `before` diagnostics and may fail: returns a final status; any other one is dropped
 * together with the diagnostics of the attempt, and PF_OK is returned. */
PfStatus pf_end_attempt(PfContext *ctx, int before, PfStatus status);

/* PF_ERR_CANCELLED, and the words for it, when the host has asked to stop: for loops that may take long. */
PfStatus pf_check_cancelled(PfContext *ctx);

#endif
