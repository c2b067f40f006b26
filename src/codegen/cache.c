/* SPDX-License-Identifier: Apache-2.0 */
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

static bool is_own_folder(const char *path)
{
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & 022);
}

/* The parent is made too: a new user has no ~/.cache. */
static bool make_folder(const char *parent, const char *path)
{
  if (mkdir(path, 0700) != 0 && errno == ENOENT) {
    (void)mkdir(parent, 0700);
    (void)mkdir(path, 0700);
  }
  return is_own_folder(path);
}

void pf_cache_open(PfCache *cache)
{
  const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char parent[sizeof cache->folder];
  int length = -1;
  *cache = (PfCache){.limit = (uint64_t)64 << 20};
  if (given && given[0] == '/') length = snprintf(parent, sizeof parent, "%s", given);
  else if (home && home[0] == '/') length = snprintf(parent, sizeof parent, "%s/.cache", home);
  if (length < 0 || (size_t)length >= sizeof parent - 8) return;
  snprintf(cache->folder, sizeof cache->folder, "%.*s/pfaff", length, parent);
  if (!make_folder(parent, cache->folder)) cache->folder[0] = 0;
}

static void put_path(const PfCache *cache, const unsigned char *key, const char *end, char path[PF_CACHE_PATH])
{
  char name[NAME_LENGTH + 1];
  for (int i = 0; i < PF_SHA256_SIZE; i++) snprintf(name + 2*i, 3, "%02x", key[i]);
  snprintf(path, PF_CACHE_PATH, "%s/%s%s", cache->folder, name, end);
}

/* ---------------------------------------------------------------- reading */

/* Reads all it is asked for; false when there is less. */
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

static bool is_own_file(const struct stat *status)
{
  return S_ISREG(status->st_mode) && status->st_uid == geteuid() && !(status->st_mode & 022);
}

static bool is_usable(int file, const unsigned char *key)
{
  struct stat status;
  if (fstat(file, &status) != 0 || !is_own_file(&status) || status.st_size > LARGEST_FILE) return false;
  if (!is_whole(file, (size_t)status.st_size, key)) return false;
  if (time(NULL) - status.st_mtime > TOUCH_AGE) (void)futimens(file, NULL);
  return true;
}

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

static bool is_ours(const char *name)
{
  return strspn(name, "0123456789abcdef") == NAME_LENGTH && name[NAME_LENGTH] == '.' && strlen(name) <= NAME_LENGTH + 7;
}

/* Counts all files and finds the one to remove first; what was never finished is removed at once. */
static bool look_through(const PfCache *cache, Oldest *oldest)
{
  DIR *folder = opendir(cache->folder);
  *oldest = (Oldest){.name = ""};
  if (!folder) return false;
  const time_t now = time(NULL);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat status;
    if (!is_ours(entry->d_name) || fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (strcmp(entry->d_name + NAME_LENGTH, ".so") != 0) {
      if (now - status.st_mtime > LITTER_AGE) (void)unlinkat(dirfd(folder), entry->d_name, 0);
      continue;
    }
    oldest->total += (uint64_t)status.st_size;
    if (oldest->name[0] && status.st_mtime >= oldest->used) continue;
    oldest->used = status.st_mtime;
    memcpy(oldest->name, entry->d_name, strlen(entry->d_name) + 1);
  }
  (void)closedir(folder);
  return oldest->name[0];
}

static void make_room(const PfCache *cache)
{
  Oldest oldest;
  char path[PF_CACHE_PATH];
  while (look_through(cache, &oldest) && oldest.total > cache->limit) {
    snprintf(path, sizeof path, "%s/%s", cache->folder, oldest.name);
    if (unlink(path) != 0 && errno != ENOENT) return;
  }
}

/* ---------------------------------------------------------------- writing */

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

bool pf_cache_put(const PfCache *cache, const unsigned char key[PF_SHA256_SIZE], const char *from,
                  char path[PF_CACHE_PATH])
{
  char beside[PF_CACHE_PATH];
  if (!cache->folder[0]) return false;
  put_path(cache, key, ".so", path);
  put_path(cache, key, ".XXXXXX", beside);
  const int source = open(from, O_RDONLY | O_CLOEXEC);
  const int target = source >= 0 ? mkstemp(beside) : -1;
  bool good = target >= 0 && copy(source, target, key);
  if (source >= 0) (void)close(source);
  if (target >= 0 && close(target) != 0) good = false;
  if (good && rename(beside, path) != 0) good = false;
  if (!good && target >= 0) (void)unlink(beside);
  if (good) make_room(cache);
  return good;
}

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
