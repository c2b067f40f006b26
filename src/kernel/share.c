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
  uint8_t *sieve;    /* how often pairs of this hash were seen: what was seen once needs no place */
  size_t sieve_size;
  int32_t *by_count; /* for each count the first pair that may occur so often */
  int32_t *slots;    /* hash table of pairs, NONE = free */
  size_t slot_count;
  bool failed;
} Share;

/* ---------------------------------------------------------------- pairs */

/* The pair of two parts, and the coefficient with which it stands in the list. */
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

static size_t home(const Share *share, const Pair *pair)
{
  return hash_pair(pair) & (share->slot_count - 1);
}

static bool enlarge(Share *share)
{
  size_t count = share->slot_count ? 2*share->slot_count : 1024;
  int32_t *slots = share->allocator->resize(share->allocator->user, NULL, count*sizeof *slots);
  if (!slots) return false;
  share->allocator->resize(share->allocator->user, share->slots, 0);
  share->slots = slots;
  share->slot_count = count;
  for (size_t i = 0; i < count; i++) slots[i] = NONE;
  for (size_t i = 0; i < share->pairs.count; i++) {
    size_t slot = home(share, share->pairs.at + i);
    while (slots[slot] != NONE) slot = (slot + 1) & (count - 1);
    slots[slot] = (int32_t)i;
  }
  return true;
}

/* The number of the pair, known or new; NONE without memory. */
static int32_t find_pair(Share *share, Pair pair)
{
  if (2*(share->pairs.count + 1) > share->slot_count && !enlarge(share)) return NONE;
  size_t slot = home(share, &pair);
  for (; share->slots[slot] != NONE; slot = (slot + 1) & (share->slot_count - 1))
    if (same(share->pairs.at + share->slots[slot], &pair)) return share->slots[slot];
  if (!pf_push(share->allocator, &share->pairs, pair)) return NONE;
  return share->slots[slot] = (int32_t)share->pairs.count - 1;
}

/* What is above and what is below in a product makes no pair. */
static bool can_pair(const Share *share, PfPart a, PfPart b)
{
  return share->kind == PF_ITEM_SUM || (a.coefficient < 0) == (b.coefficient < 0);
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

/* Notes that the segment has the pair of these two parts. */
static void note(Share *share, uint32_t segment, PfPart a, PfPart b)
{
  double coefficient;
  if (share->places.count >= MOST_PLACES || share->failed) return;
  if (!can_pair(share, a, b) || *sieve_of(share, a, b) < 2) return;
  int32_t i = find_pair(share, pair_of(a, b, &coefficient));
  Place place = {segment, NONE};
  if (i != NONE) place.next = share->pairs.at[i].place;
  if (i == NONE || !pf_push(share->allocator, &share->places, place)) {
    share->failed = true;
    return;
  }
  share->pairs.at[i].place = (int32_t)share->places.count - 1;
  share->pairs.at[i].count++;
}

/* ---------------------------------------------------------------- segments */

/* Puts the parts that occur in several lists at the end of their list; gives the place where these begin.
 * `room` has place for the list. */
static uint32_t put_apart(Share *share, const PfItem *item, const uint32_t *lists, PfPart *room)
{
  PfPart *parts = share->items->parts.at + item->first;
  uint32_t alone = 0, shared = 0;
  for (uint32_t i = 0; i < item->count; i++) {
    if (lists[parts[i].item] > 1) room[shared++] = parts[i];
    else parts[alone++] = parts[i];
  }
  memcpy(parts + alone, room, shared*sizeof *parts);
  return alone;
}

static void count_lists(const Share *share, uint32_t *lists)
{
  const PfItems *items = share->items;
  for (size_t i = 0; i < items->items.count; i++) {
    const PfItem *item = items->items.at + i;
    for (uint32_t k = 0; item->kind == share->kind && k < item->count; k++)
      lists[items->parts.at[item->first + k].item]++;
  }
}

/* One segment for the end of each list. */
static void find_segments(Share *share, const uint32_t *lists, PfPart *room)
{
  for (size_t i = 0; i < share->items->items.count; i++) {
    const PfItem *item = share->items->items.at + i;
    if (item->kind != share->kind || item->count < 2) continue;
    uint32_t alone = put_apart(share, item, lists, room);
    Segment segment = {item->first + alone, item->count - alone};
    if (segment.count > 1 && !pf_push(share->allocator, &share->segments, segment)) share->failed = true;
  }
}

static uint64_t count_pairs(const Share *share, uint64_t length)
{
  uint64_t pairs = 0;
  for (size_t i = 0; i < share->segments.count; i++) {
    uint64_t count = share->segments.at[i].count, rest = count%length;
    pairs += count/length*(length*(length - 1)/2) + (rest ? rest*(rest - 1)/2 : 0);
  }
  return pairs;
}

/* Cuts long segments into pieces, as long as they can be without too many pairs. */
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

/* Replaces the pair in one segment by the item. */
static void replace(Share *share, uint32_t s, const Pair *pair, uint32_t item)
{
  uint32_t x, y, kept = 0;
  if (!find_in(share, s, pair, &x, &y)) return;
  Segment *segment = share->segments.at + s;
  PfPart *parts = share->items->parts.at + segment->first, made = {item, 1};
  pair_of(parts[x], parts[y], &made.coefficient);
  for (uint32_t i = 0; i < segment->count; i++)
    if (i != x && i != y) parts[kept++] = parts[i];
  parts[kept] = made;
  segment->count = kept + 1;
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

static void extract(Share *share, int32_t i)
{
  const Pair pair = share->pairs.at[i]; /* a copy: the list grows */
  const PfPart parts[] = {{pair.x, pair.p}, {pair.y, pair.q}};
  const size_t known = share->pairs.count;
  uint32_t item = pf_item_add(share->items, share->kind, 0, parts, 2);
  if (share->items->failed) return;
  for (int32_t place = pair.place; place != NONE; place = share->places.at[place].next)
    replace(share, share->places.at[place].segment, &pair, item);
  visit_new(share, pair.place, sift);
  visit_new(share, pair.place, note);
  visit_new(share, pair.place, forget);
  for (size_t k = share->pairs.count; k-- > known;) file_pair(share, (int32_t)k);
}

static void choose(Share *share)
{
  for (size_t count = share->segments.count; count >= 2; count--) {
    while (share->by_count[count] != NONE && !share->failed && pf_items_go_on(share->items)) {
      int32_t i = share->by_count[count];
      share->by_count[count] = share->pairs.at[i].next;
      if (recount(share, share->pairs.at + i) < count) file_pair(share, i);
      else extract(share, i);
    }
  }
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

static bool prepare(Share *share, PfArena *scratch)
{
  const PfItems *items = share->items;
  uint32_t *lists = pf_arena_array(scratch, uint32_t, items->items.count);
  PfPart *room = pf_arena_array(scratch, PfPart, items->parts.count);
  if (!lists || !room) return false;
  count_lists(share, lists);
  find_segments(share, lists, room);
  cut_segments(share);

  uint64_t pairs = count_pairs(share, LONGEST_SEGMENT);
  share->sieve_size = 64;
  while (share->sieve_size < 2*pairs && share->sieve_size < LARGEST_SIEVE) share->sieve_size *= 2;
  share->sieve = pf_arena_array(scratch, uint8_t, share->sieve_size);
  share->by_count = pf_arena_array(scratch, int32_t, share->segments.count + 1);
  for (size_t i = 0; share->by_count && i <= share->segments.count; i++) share->by_count[i] = NONE;
  return share->sieve && share->by_count && !share->failed;
}

void pf_items_share(PfItems *items, PfItemKind kind, PfArena *scratch)
{
  PfMark mark = pf_arena_mark(scratch);
  Share share = {.items = items, .allocator = items->allocator, .kind = kind};
  if (prepare(&share, scratch)) {
    visit_pairs(&share, sift);
    visit_pairs(&share, note);
    memset(share.sieve, 0, share.sieve_size);
    for (size_t i = share.pairs.count; i-- > 0;) file_pair(&share, (int32_t)i);
    choose(&share);
    close_gaps(&share);
  }
  pf_array_free(share.allocator, &share.segments);
  pf_array_free(share.allocator, &share.pairs);
  pf_array_free(share.allocator, &share.places);
  share.allocator->resize(share.allocator->user, share.slots, 0);
  pf_arena_release(scratch, mark);
}
