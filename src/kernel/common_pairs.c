/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs that several lists have in common become items of their own: x*y in x*y*z and w*x*y is multiplied
 * once, and so is the sum a - 2 b computed once. The pair that occurs most often goes first, and its item
 * can be part of the next pair (Paar's greedy algorithm). The lists are cut into segments of bounded
 * length, and only items that occur in more than one list are paired, so that the work stays in
 * proportion to the input. */
#include "kernel/kernel_impl.h"

#include <math.h>

enum {
  LONGEST_SEGMENT = 32,
  SHORTEST_SEGMENT = 4,
  MOST_PLACES = 1 << 17, /* pairs in segments that are looked at: about 20 ms */
  LARGEST_SIEVE = 1 << 18,
  NONE = -1
};

/* A stretch of the parts of one list. */
typedef struct Segment {
  uint32_t first, count;
} Segment;

typedef PF_ARRAY(Segment) SegmentList;

/* p*x + q*y or x^p y^q */
typedef struct Pair {
  uint32_t x, y;
  double p, q;
  uint32_t count; /* segments that have it, at most: some may have lost it to another pair */
  int32_t place;  /* the list of these segments */
  int32_t next;   /* pair of the same count */
} Pair;

typedef struct Place {
  uint32_t segment;
  int32_t next;
} Place;

typedef struct Share {
  PfItems *items;
  const PfAllocator *allocator;
  PfItemKind kind;
  SegmentList segments;
  PF_ARRAY(Pair) pairs;
  PF_ARRAY(Place) places;
  uint8_t *sieve;    /* how often pairs of this hash were seen: pairs seen once need no place */
  size_t sieve_size;
  int32_t *by_count; /* for each count the first pair that may occur so often */
  PfIndex index;     /* of pairs */
  bool failed;
} Share;

/* ---------------------------------------------------------------- pairs */

/* The pair of two parts, and the coefficient with which it stands in the list. The coefficients of the pair are
 * relative to the one that is returned, so that x + 2 y and 3 x + 6 y are the same pair. */
static Pair pair_of(PfPart a, PfPart b, double *coefficient)
{
  if (a.item > b.item) {
    PfPart t = a;
    a = b;
    b = t;
  }
  double size = fabs(a.coefficient);
  *coefficient = a.coefficient;
  if (size != fabs(b.coefficient)) *coefficient = a.coefficient < 0 ? -1 : 1;
  return (Pair){a.item, b.item, a.coefficient/(*coefficient), b.coefficient/(*coefficient), 0, NONE, NONE};
}

static bool same(const Pair *a, const Pair *b)
{
  return a->x == b->x && a->y == b->y && a->p == b->p && a->q == b->q;
}

static uint64_t hash_pair(const Pair *pair)
{
  uint64_t p = bits_of(pair->p), q = bits_of(pair->q);
  uint64_t hash = mix(((uint64_t)pair->x << 32) | pair->y, p ^ (q << 7) ^ (q >> 57));
  return hash ^ (hash >> 32);
}

static uint64_t hash_member(const void *share, uint32_t i)
{
  return hash_pair(((const Share *)share)->pairs.at + i);
}

static uint8_t *sieve_of(const Share *share, PfPart a, PfPart b)
{
  double coefficient;
  Pair pair = pair_of(a, b, &coefficient);
  return share->sieve + (hash_pair(&pair) & (share->sieve_size - 1));
}

static void sift(Share *share, uint32_t segment, PfPart a, PfPart b)
{
  (void)segment;
  uint8_t *seen = sieve_of(share, a, b);
  if (*seen < UINT8_MAX) ++*seen;
}

static void forget(Share *share, uint32_t segment, PfPart a, PfPart b)
{
  (void)segment;
  *sieve_of(share, a, b) = 0;
}

/* Notes that the segment has the pair of these two parts. A factor of the numerator and one of the denominator of a
 * product do not make a pair. Memory is limited by MOST_PLACES: pairs beyond it are not seen. */
static void note(Share *share, uint32_t segment, PfPart a, PfPart b)
{
  double coefficient;
  if (share->places.count >= MOST_PLACES || share->failed) return;
  if (share->kind != PF_ITEM_SUM && (a.coefficient < 0) != (b.coefficient < 0)) return;
  if (*sieve_of(share, a, b) < 2) return;
  PfIndex *index = &share->index;
  share->failed = !pf_index_reserve(share->allocator, index, share->pairs.count, hash_member, share);
  if (share->failed) return;
  Pair pair = pair_of(a, b, &coefficient);
  size_t slot = hash_pair(&pair) & (index->count - 1);
  while (index->slots[slot] && !same(share->pairs.at + index->slots[slot] - 1, &pair))
    slot = (slot + 1) & (index->count - 1);
  if (!index->slots[slot]) {
    if (pf_push(share->allocator, &share->pairs, pair)) index->slots[slot] = (uint32_t)share->pairs.count;
    else share->failed = true;
  }
  if (share->failed) return;
  Pair *known = share->pairs.at + index->slots[slot] - 1;
  if (pf_push(share->allocator, &share->places, (Place){segment, known->place})) {
    known->place = (int32_t)share->places.count - 1;
    known->count++;
  } else share->failed = true;
}

/* ---------------------------------------------------------------- segments */

static uint64_t count_pairs(const Share *share, uint64_t length)
{
  uint64_t pairs = 0;
  for (size_t i = 0; i < share->segments.count; i++) {
    uint64_t count = share->segments.at[i].count, rest = count%length;
    pairs += count/length*(length*(length - 1)/2) + (rest ? rest*(rest - 1)/2 : 0);
  }
  return pairs;
}

/* Cuts long segments into pieces, as long as they can be without too many pairs. A segment of length l has l (l - 1)/2
 * pairs; shorter segments miss some pairs and cost less. */
static void cut_segments(Share *share)
{
  uint32_t length = LONGEST_SEGMENT;
  while (length > SHORTEST_SEGMENT && count_pairs(share, length) > 2*MOST_PLACES) length /= 2;
  SegmentList pieces = {0};
  for (size_t i = 0; i < share->segments.count; i++) {
    Segment whole = share->segments.at[i];
    for (uint32_t at = 0; at < whole.count; at += length) {
      Segment piece = {whole.first + at, whole.count - at < length ? whole.count - at : length};
      if (!pf_push(share->allocator, &pieces, piece)) share->failed = true;
    }
  }
  pf_array_free(share->allocator, &share->segments);
  share->segments = pieces;
}

typedef void (*Visit)(Share *share, uint32_t segment, PfPart a, PfPart b);

/* Calls `visit` for all pairs of parts of a segment, segment by segment. */
static void visit_pairs(Share *share, Visit visit)
{
  for (uint32_t s = 0; s < share->segments.count && pf_items_go_on(share->items); s++) {
    const Segment segment = share->segments.at[s];
    const PfPart *parts = share->items->parts.at + segment.first;
    for (uint32_t i = 0; i < segment.count; i++)
      for (uint32_t k = i + 1; k < segment.count; k++) visit(share, s, parts[i], parts[k]);
  }
}

/* ---------------------------------------------------------------- greedy choice */

/* Pairs wait in a list for each count, so that the next most frequent one is found at once. */
static void file_pair(Share *share, int32_t i)
{
  Pair *pair = share->pairs.at + i;
  if (pair->count < 2) return;
  pair->next = share->by_count[pair->count];
  share->by_count[pair->count] = i;
}

/* Where the segment has the pair; false when it has lost it. */
static bool find_in(const Share *share, uint32_t s, const Pair *pair, uint32_t *x, uint32_t *y)
{
  const Segment *segment = share->segments.at + s;
  const PfPart *parts = share->items->parts.at + segment->first;
  *x = *y = UINT32_MAX;
  for (uint32_t i = 0; i < segment->count; i++) {
    if (parts[i].item == pair->x) *x = i;
    if (parts[i].item == pair->y) *y = i;
  }
  if (*x == UINT32_MAX || *y == UINT32_MAX) return false;
  double coefficient;
  Pair now = pair_of(parts[*x], parts[*y], &coefficient);
  return same(&now, pair);
}

/* Counts again, and forgets the segments that have lost the pair. */
static uint32_t recount(Share *share, Pair *pair)
{
  uint32_t x, y;
  pair->count = 0;
  for (int32_t *link = &pair->place; *link != NONE;) {
    Place *place = share->places.at + *link;
    if (find_in(share, place->segment, pair, &x, &y)) {
      pair->count++;
      link = &place->next;
    } else {
      *link = place->next;
    }
  }
  return pair->count;
}

/* Visits the pairs of the last part, which is the new one, with the others. */
static void visit_new(Share *share, int32_t place, Visit visit)
{
  for (; place != NONE; place = share->places.at[place].next) {
    const uint32_t s = share->places.at[place].segment;
    const Segment segment = share->segments.at[s];
    const PfPart *parts = share->items->parts.at + segment.first;
    for (uint32_t i = 0; i + 1 < segment.count; i++) visit(share, s, parts[i], parts[segment.count - 1]);
  }
}

/* Makes an item of the pair and puts it in the place of the pair in all segments that have it. */
static void extract(Share *share, int32_t i)
{
  const Pair pair = share->pairs.at[i]; /* a copy: the list grows */
  const PfPart two[] = {{pair.x, pair.p}, {pair.y, pair.q}};
  const size_t known = share->pairs.count;
  uint32_t item = pf_item_add(share->items, share->kind, 0, two, 2);
  if (share->items->failed) return;
  for (int32_t place = pair.place; place != NONE; place = share->places.at[place].next) {
    const uint32_t s = share->places.at[place].segment;
    uint32_t x, y, kept = 0;
    if (!find_in(share, s, &pair, &x, &y)) continue;
    Segment *segment = share->segments.at + s;
    PfPart *parts = share->items->parts.at + segment->first, made = {item, 1};
    pair_of(parts[x], parts[y], &made.coefficient);
    for (uint32_t k = 0; k < segment->count; k++)
      if (k != x && k != y) parts[kept++] = parts[k];
    parts[kept] = made;
    segment->count = kept + 1;
  }
  visit_new(share, pair.place, sift);
  visit_new(share, pair.place, note);
  visit_new(share, pair.place, forget);
  for (size_t k = share->pairs.count; k-- > known;) file_pair(share, (int32_t)k);
}

/* ---------------------------------------------------------------- the whole */

/* Closes the gaps that the segments left in the lists. */
static void close_gaps(Share *share)
{
  PfItems *items = share->items;
  size_t s = 0;
  for (size_t i = 0; i < items->items.count && s < share->segments.count; i++) {
    PfItem *item = items->items.at + i;
    uint32_t end = item->first + item->count, to = share->segments.at[s].first;
    if (item->kind != share->kind || to < item->first || to >= end) continue;
    for (; s < share->segments.count && share->segments.at[s].first < end; s++) {
      const Segment segment = share->segments.at[s];
      for (uint32_t k = 0; k < segment.count; k++)
        items->parts.at[to++] = items->parts.at[segment.first + k];
    }
    item->count = to - item->first;
  }
}

/* Segments of the lists, cut to a length that keeps the number of pairs bounded, and the tables for pairs. */
static bool prepare(Share *share, PfArena *scratch)
{
  const PfItems *items = share->items;
  uint32_t *lists = pf_arena_array(scratch, uint32_t, items->items.count);
  PfPart *room = pf_arena_array(scratch, PfPart, items->parts.count);
  if (!lists || !room) return false;
  for (size_t i = 0; i < items->items.count; i++) {
    const PfItem *item = items->items.at + i;
    for (uint32_t k = 0; item->kind == share->kind && k < item->count; k++)
      lists[items->parts.at[item->first + k].item]++;
  }
  /* One segment for the end of each list, where the parts are put that occur in several lists. */
  for (size_t i = 0; i < items->items.count; i++) {
    const PfItem *item = items->items.at + i;
    if (item->kind != share->kind || item->count < 2) continue;
    PfPart *parts = items->parts.at + item->first;
    uint32_t alone = 0, shared = 0;
    for (uint32_t k = 0; k < item->count; k++) {
      if (lists[parts[k].item] > 1) room[shared++] = parts[k];
      else parts[alone++] = parts[k];
    }
    memcpy(parts + alone, room, shared*sizeof *parts);
    Segment segment = {item->first + alone, shared};
    if (segment.count > 1 && !pf_push(share->allocator, &share->segments, segment)) share->failed = true;
  }
  cut_segments(share);

  uint64_t pairs = count_pairs(share, LONGEST_SEGMENT);
  share->sieve_size = 64;
  while (share->sieve_size < 2*pairs && share->sieve_size < LARGEST_SIEVE) share->sieve_size *= 2;
  share->sieve = pf_arena_array(scratch, uint8_t, share->sieve_size);
  share->by_count = pf_arena_array(scratch, int32_t, share->segments.count + 1);
  for (size_t i = 0; share->by_count && i <= share->segments.count; i++) share->by_count[i] = NONE;
  return share->sieve && share->by_count && !share->failed;
}

/* The lists of one kind are changed in place; new items are added. Cost: about the number of pairs in segments, at most
 * MOST_PLACES of them, so that large tapes take as long as middle-sized ones. */
void pf_items_share(PfItems *items, PfItemKind kind, PfArena *scratch)
{
  PfMark mark = pf_arena_mark(scratch);
  Share share = {.items = items, .allocator = items->allocator, .kind = kind};
  if (prepare(&share, scratch)) {
    visit_pairs(&share, sift);
    visit_pairs(&share, note);
    memset(share.sieve, 0, share.sieve_size);
    for (size_t i = share.pairs.count; i-- > 0;) file_pair(&share, (int32_t)i);
    for (size_t count = share.segments.count; count >= 2; count--) {
      while (share.by_count[count] != NONE && !share.failed && pf_items_go_on(share.items)) {
        int32_t i = share.by_count[count];
        share.by_count[count] = share.pairs.at[i].next;
        if (recount(&share, share.pairs.at + i) < count) file_pair(&share, i);
        else extract(&share, i);
      }
    }
    close_gaps(&share);
  }
  pf_array_free(share.allocator, &share.segments);
  pf_array_free(share.allocator, &share.pairs);
  pf_array_free(share.allocator, &share.places);
  share.allocator->resize(share.allocator->user, share.index.slots, 0);
  pf_arena_release(scratch, mark);
}
