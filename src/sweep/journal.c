/* SPDX-License-Identifier: Apache-2.0 */
/* Members of chunks that are not complete: each is appended to a file of its thread when it is done, by one call of the
 * system, so that whatever ends the program leaves it there. A record is a head, the numbers of the row, of a failure
 * the PF_REASON bytes of its reason, and a hash of all that. */
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

/* ---------------------------------------------------------------- writing */

PfStatus pf_journal_open(PfRowStore *store, PfJournal *journal)
{
  PfStorePath path = {{0}};
  *journal = (PfJournal){.fd = -1};
  pf_text_init(&journal->record, store->allocator);
  if (!store->path) return PF_OK;
  for (int i = 0; i < 1000000 && journal->fd < 0; i++) {
    path = pf_store_path(store, ".pfaff/rows-%d-%d-%d", store->part, store->parts, i);
    journal->fd = open(path.at, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (journal->fd < 0 && errno != EEXIST) break;
  }
  if (journal->fd < 0) pf_store_fail(store, path.at, errno);
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

/* Reads the next record, head included, into the text. False at the end of the file, and at a record that was cut off
 * by a kill or a full disk or is damaged: what comes after it cannot be found. */
static bool read_record(FILE *file, PfText *text, Head *head, int columns)
{
  uint64_t sum;
  text->count = 0;
  if (fread(head, sizeof *head, 1, file) != 1 || head->columns != (uint32_t)columns) return false;
  const size_t reason = head->end >= PF_MEMBER_NO_START ? PF_REASON : 0;
  const size_t size = sizeof *head + head->columns*sizeof(double) + reason + sizeof sum;
  if (!pf_reserve(text->allocator, text, size)) return false;
  memcpy(text->at, head, sizeof *head);
  if (fread(text->at + sizeof *head, size - sizeof *head, 1, file) != 1) return false;
  memcpy(&sum, text->at + size - sizeof sum, sizeof sum);
  return sum == pf_hash_bytes(text->at, size - sizeof sum, 0);
}

/* Puts the members of one journal file into the store. `user` is room for a row. */
static void read_one(PfRowStore *store, const char *path, void *user)
{
  PfText text;
  FILE *file = fopen(path, "rb");
  if (!file) return;
  pf_text_init(&text, store->allocator);
  double *row = user;
  Head head;
  while (read_record(file, &text, &head, store->sweep->columns)) {
    const long long member = (long long)head.member;
    const size_t numbers = head.columns*sizeof *row;
    if (member < store->first || member >= store->end || pf_row_store_has(store, member)) continue;
    memcpy(row, text.at + sizeof head, numbers);
    store->loaded_failed += head.end >= PF_MEMBER_NO_START;
    pf_row_store_put(store, NULL, member, row, (int)head.end, text.at + sizeof head + numbers);
  }
  pf_text_free(&text);
  fclose(file);
}

static void remove_one(PfRowStore *store, const char *path, void *user)
{
  (void)store, (void)user;
  (void)unlink(path);
}

/* Calls `act` for each journal of this part, or of all parts where the store has all. `leftovers`: there also for locks
 * of parts and for remains of files after a kill, when no other process can be writing. */
static void each_journal(PfRowStore *store, bool leftovers,
                         void (*act)(PfRowStore *store, const char *path, void *user), void *user)
{
  char prefix[64] = "rows-";
  if (store->parts) snprintf(prefix, sizeof prefix, "rows-%d-%d-", store->part, store->parts);
  DIR *folder = opendir(pf_store_path(store, ".pfaff").at);
  for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    const char *name = entry->d_name;
    const bool left = leftovers && !store->parts && (!strncmp(name, "part-", 5) || !strncmp(name, "lock-", 5));
    if (left || !strncmp(name, prefix, strlen(prefix))) act(store, pf_store_path(store, ".pfaff/%s", name).at, user);
  }
  if (folder) closedir(folder);
}

PfStatus pf_journals_read(PfContext *ctx, PfRowStore *store)
{
  PfArena *scratch = pf_context_scratch(ctx);
  PfMark mark = pf_arena_mark(scratch);
  double *row = pf_arena_array(scratch, double, store->sweep->columns);
  if (row) each_journal(store, false, read_one, row);
  pf_arena_release(scratch, mark);
  return row ? pf_row_store_status(store) : pf_no_room(ctx, "the rows");
}

void pf_journals_remove(PfRowStore *store)
{
  each_journal(store, true, remove_one, NULL);
}
