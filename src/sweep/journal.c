/* SPDX-License-Identifier: Apache-2.0 */
/* Members of chunks that are not complete: each is appended to a file of its thread when it is done, by one call of the
 * system, so that whatever ends the program leaves it there. */
#include "sweep/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Head {
  uint64_t member;
  uint32_t end, columns;
} Head;

/* Behind the head come the numbers, of failures the reason, and a sum over all of it. */
static size_t record_size(const Head *head)
{
  const size_t reason = head->end >= PF_MEMBER_NO_START ? PF_REASON : 0;
  return sizeof *head + head->columns*sizeof(double) + reason + sizeof(uint64_t);
}

/* ---------------------------------------------------------------- writing */

PfStatus pf_journal_open(PfRowStore *store, PfJournal *journal)
{
  PfText path;
  *journal = (PfJournal){.fd = -1};
  pf_text_init(&journal->record, store->allocator);
  if (!store->path) return PF_OK;
  pf_text_init(&path, store->allocator);
  for (int i = 0; i < 1000000 && journal->fd < 0; i++) {
    pf_store_path(&path, store, ".pfaff/rows-%d-%d-%d", store->part, store->parts, i);
    journal->fd = open(pf_text_get(&path), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (journal->fd < 0 && errno != EEXIST) break;
  }
  if (journal->fd < 0) pf_store_fail(store, pf_text_get(&path), errno);
  pf_text_free(&path);
  return pf_row_store_status(store);
}

void pf_journal_close(PfJournal *journal)
{
  if (journal->record.allocator) pf_text_free(&journal->record);
  if (journal->fd >= 0) (void)close(journal->fd);
  journal->fd = -1;
}

bool pf_journal_add(PfRowStore *store, PfJournal *journal, long long member, const double *row, int end,
                    const char *reason)
{
  const Head head = {(uint64_t)member, (uint32_t)end, (uint32_t)store->sweep->columns};
  PfText *text = &journal->record;
  text->count = 0;
  pf_text_put(text, (const char *)&head, sizeof head);
  pf_text_put(text, (const char *)row, head.columns*sizeof *row);
  if (end >= PF_MEMBER_NO_START) pf_text_put(text, reason, PF_REASON);
  const uint64_t sum = pf_hash_bytes(text->at, text->count, 0);
  pf_text_put(text, (const char *)&sum, sizeof sum);
  if (text->failed) return pf_store_fail(store, "rows", ENOMEM);
  ssize_t written;
  do written = write(journal->fd, text->at, text->count);
  while (written < 0 && errno == EINTR);
  if (written == (ssize_t)text->count) return true;
  return pf_store_fail(store, store->path, written < 0 ? errno : ENOSPC);
}

/* ---------------------------------------------------------------- reading */

/* Fills the rest of the buffer; false at the end of the file. */
static bool read_bytes(FILE *file, void *bytes, size_t count)
{
  return fread(bytes, 1, count, file) == count;
}

/* What a kill has cut off, or a full disk, ends the file; what follows a damaged record cannot be found. */
static bool read_record(FILE *file, PfText *text, Head *head, int columns)
{
  uint64_t sum;
  text->count = 0;
  if (!read_bytes(file, head, sizeof *head) || head->columns != (uint32_t)columns) return false;
  const size_t size = record_size(head);
  if (!pf_reserve(text->allocator, text, size)) return false;
  memcpy(text->at, head, sizeof *head);
  if (!read_bytes(file, text->at + sizeof *head, size - sizeof *head)) return false;
  memcpy(&sum, text->at + size - sizeof sum, sizeof sum);
  return sum == pf_hash_bytes(text->at, size - sizeof sum, 0);
}

static void read_journal(PfRowStore *store, FILE *file, PfText *text, double *row)
{
  Head head;
  while (read_record(file, text, &head, store->sweep->columns)) {
    const long long member = (long long)head.member;
    const size_t numbers = head.columns*sizeof *row;
    if (member < store->first || member >= store->end || pf_row_store_has(store, member)) continue;
    memcpy(row, text->at + sizeof head, numbers);
    store->loaded_failed += head.end >= PF_MEMBER_NO_START;
    pf_row_store_put(store, NULL, member, row, (int)head.end, text->at + sizeof head + numbers);
  }
}

/* Is it a journal that this part, or who has all of them, looks at? */
static bool is_ours(const PfRowStore *store, const char *name)
{
  char prefix[64];
  snprintf(prefix, sizeof prefix, "rows-%d-%d-", store->part, store->parts);
  return !strncmp(name, store->parts ? prefix : "rows-", store->parts ? strlen(prefix) : 5);
}

/* Or the lock of a part, or what a kill has left of another file, when nobody else can be writing? */
static bool is_left(const PfRowStore *store, const char *name)
{
  return is_ours(store, name) || (!store->parts && (!strncmp(name, "part-", 5) || !strncmp(name, "lock-", 5)));
}

typedef void EachJournal(PfRowStore *store, const char *path, void *user);

static void each_journal(PfRowStore *store, bool (*is_one)(const PfRowStore *store, const char *name), EachJournal *act,
                         void *user)
{
  PfText path;
  pf_text_init(&path, store->allocator);
  pf_store_path(&path, store, ".pfaff");
  DIR *folder = opendir(pf_text_get(&path));
  for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    if (!is_one(store, entry->d_name)) continue;
    pf_store_path(&path, store, ".pfaff/%s", entry->d_name);
    act(store, pf_text_get(&path), user);
  }
  if (folder) closedir(folder);
  pf_text_free(&path);
}

static void read_one(PfRowStore *store, const char *path, void *user)
{
  PfText text;
  FILE *file = fopen(path, "rb");
  if (!file) return;
  pf_text_init(&text, store->allocator);
  read_journal(store, file, &text, user);
  pf_text_free(&text);
  fclose(file);
}

PfStatus pf_journals_read(PfContext *ctx, PfRowStore *store)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  double *row = pf_arena_array(scratch, double, store->sweep->columns);
  if (row) each_journal(store, is_ours, read_one, row);
  pf_arena_release(scratch, mark);
  return row ? pf_row_store_status(store) : pf_no_room(ctx, "the rows");
}

static void remove_one(PfRowStore *store, const char *path, void *user)
{
  (void)store, (void)user;
  (void)unlink(path);
}

void pf_journals_remove(PfRowStore *store)
{
  each_journal(store, is_left, remove_one, NULL);
}
