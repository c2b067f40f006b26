/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled code in the cache folder of the user: files named by a hash of source, compiler and version, checked for
 * owner and permissions, removed when the folder grows too large.
 *
 * A file is <64 hexadecimal digits of its key>.so: the library as the compiler made it, followed by a hash of key and
 * bytes. It is written under another name and renamed, so that processes that share the folder see whole files only.
 * The time of its last change is that of its last use, and the oldest files go when the folder exceeds its limit. */
#include "codegen/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
  NAME_LENGTH = 2*PF_SHA256_SIZE, /* then ".so", or "." and six letters while it is written */
  LARGEST_FILE = 32 << 20,
  LITTER_AGE = 3600, /* seconds after which a file that is being written was given up */
  TOUCH_AGE = 60     /* seconds after which a use is noted again */
};

/* ---------------------------------------------------------------- the folder */

/* Does it belong to the user, without permission for others to write? */
static bool is_private(const struct stat *status)
{
  return status->st_uid == geteuid() && !(status->st_mode & 022);
}

/* cache->folder is empty where there is no usable folder; then nothing is found and nothing kept, and that is not an
 * error. The folder is made for the user alone. */
void pf_cache_open(PfCache *cache)
{
  const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char parent[sizeof cache->folder];
  struct stat status;
  int length = -1;
  *cache = (PfCache){.limit = (uint64_t)64 << 20};
  if (given && given[0] == '/') length = snprintf(parent, sizeof parent, "%s", given);
  else if (home && home[0] == '/') length = snprintf(parent, sizeof parent, "%s/.cache", home);
  if (length < 0 || (size_t)length >= sizeof parent - 8) return;
  snprintf(cache->folder, sizeof cache->folder, "%.*s/pfaff", length, parent);
  if (mkdir(cache->folder, 0700) != 0 && errno == ENOENT) { /* a new user has no ~/.cache */
    (void)mkdir(parent, 0700);
    (void)mkdir(cache->folder, 0700);
  }
  if (lstat(cache->folder, &status) != 0 || !S_ISDIR(status.st_mode) || !is_private(&status)) cache->folder[0] = 0;
}

static void put_path(const PfCache *cache, const unsigned char *key, const char *end, char path[PF_CACHE_PATH])
{
  char name[NAME_LENGTH + 1];
  pf_sha256_text(key, name);
  snprintf(path, PF_CACHE_PATH, "%s/%s%s", cache->folder, name, end);
}

/* ---------------------------------------------------------------- reading */

/* Reads `count` bytes; false when there are fewer. */
static bool read_all(int file, void *to, size_t count)
{
  for (char *at = to; count;) {
    const ssize_t got = read(file, at, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= (size_t)got;
  }
  return true;
}

/* The last bytes are the hash of the key and of all bytes before them. */
static bool is_whole(int file, size_t size, const unsigned char *key)
{
  unsigned char bytes[16384], hash[PF_SHA256_SIZE], expected[PF_SHA256_SIZE];
  PfSha256 s;
  if (size <= PF_SHA256_SIZE) return false;
  pf_sha256_begin(&s);
  pf_sha256_add(&s, key, PF_SHA256_SIZE);
  for (size_t left = size - PF_SHA256_SIZE; left;) {
    const size_t part = left < sizeof bytes ? left : sizeof bytes;
    if (!read_all(file, bytes, part)) return false;
    pf_sha256_add(&s, bytes, part);
    left -= part;
  }
  pf_sha256_end(&s, hash);
  return read_all(file, expected, sizeof expected) && !memcmp(hash, expected, sizeof hash);
}

/* Is it a file of the user with the right checksum? Its use is noted in the time of its last change. */
static bool is_usable(int file, const unsigned char *key)
{
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || !is_private(&status)) return false;
  if (status.st_size > LARGEST_FILE) return false;
  if (!is_whole(file, (size_t)status.st_size, key)) return false;
  if (time(NULL) - status.st_mtime > TOUCH_AGE) (void)futimens(file, NULL);
  return true;
}

/* A file that is damaged or not the user's is removed. `path` is set where there is a folder. */
bool pf_cache_find(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], char path[PF_CACHE_PATH])
{
  if (!cache->folder[0]) return false;
  put_path(cache, key, ".so", path);
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  const bool there = file >= 0 || errno == ELOOP, usable = file >= 0 && is_usable(file, key);
  if (file >= 0) (void)close(file);
  if (there && !usable) (void)unlink(path);
  return usable;
}

/* ---------------------------------------------------------------- room */

typedef struct Oldest {
  char name[NAME_LENGTH + 8];
  time_t used;
  uint64_t total; /* bytes of all files */
} Oldest;

/* Counts the bytes of all files and finds the one to remove first; files that were never finished are removed at once.
 * False when there are no files. */
static bool look_through(const PfCache *cache, Oldest *oldest)
{
  DIR *folder = opendir(cache->folder);
  *oldest = (Oldest){.name = ""};
  if (!folder) return false;
  const time_t now = time(NULL);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat status;
    const size_t length = strlen(entry->d_name);
    if (strspn(entry->d_name, "0123456789abcdef") != NAME_LENGTH || entry->d_name[NAME_LENGTH] != '.') continue;
    if (length > NAME_LENGTH + 7) continue;
    if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (strcmp(entry->d_name + NAME_LENGTH, ".so") != 0) {
      if (now - status.st_mtime > LITTER_AGE) (void)unlinkat(dirfd(folder), entry->d_name, 0);
      continue;
    }
    oldest->total += (uint64_t)status.st_size;
    if (oldest->name[0] && status.st_mtime >= oldest->used) continue;
    oldest->used = status.st_mtime;
    memcpy(oldest->name, entry->d_name, length + 1);
  }
  (void)closedir(folder);
  return oldest->name[0];
}

/* ---------------------------------------------------------------- writing */

/* False when the disk is full, or for another failure. */
static bool write_all(int file, const void *from, size_t count)
{
  for (const char *at = from; count;) {
    const ssize_t put = write(file, at, count);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    count -= (size_t)put;
  }
  return true;
}

/* Copies a file and adds the hash of the key and of its bytes. */
static bool copy(int from, int to, const unsigned char *key)
{
  unsigned char bytes[16384], hash[PF_SHA256_SIZE];
  PfSha256 s;
  pf_sha256_begin(&s);
  pf_sha256_add(&s, key, PF_SHA256_SIZE);
  for (;;) {
    const ssize_t got = read(from, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    pf_sha256_add(&s, bytes, (size_t)got);
    if (!write_all(to, bytes, (size_t)got)) return false;
  }
  pf_sha256_end(&s, hash);
  return write_all(to, hash, sizeof hash);
}

/* `from` stays. False where the file could not be kept; an earlier file of the same key is replaced. */
bool pf_cache_put(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], const char *from,
                  char path[PF_CACHE_PATH])
{
  char temporary[PF_CACHE_PATH];
  if (!cache->folder[0]) return false;
  put_path(cache, key, ".so", path);
  put_path(cache, key, ".XXXXXX", temporary);
  const int source = open(from, O_RDONLY | O_CLOEXEC);
  const int target = source >= 0 ? mkstemp(temporary) : -1;
  bool good = target >= 0 && copy(source, target, key);
  if (source >= 0) (void)close(source);
  if (target >= 0 && close(target) != 0) good = false;
  if (good && rename(temporary, path) != 0) good = false;
  if (!good && target >= 0) (void)unlink(temporary);
  Oldest oldest;
  while (good && look_through(cache, &oldest) && oldest.total > cache->limit) {
    snprintf(temporary, sizeof temporary, "%s/%s", cache->folder, oldest.name);
    if (unlink(temporary) != 0 && errno != ENOENT) break;
  }
  return good;
}

/* Files directly in it only; for folders that pf_job_start has made. */
void pf_folder_remove(const char *folder)
{
  DIR *files = opendir(folder);
  if (files) {
    for (const struct dirent *entry; (entry = readdir(files)) != NULL;)
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        (void)unlinkat(dirfd(files), entry->d_name, 0);
    (void)closedir(files);
  }
  (void)rmdir(folder);
}
