/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a result. */
#include "sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void pf_store_path(PfText *text, const PfRowStore *store, const char *format, ...)
{
  char rest[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(rest, sizeof rest, format, list);
  va_end(list);
  text->count = 0;
  pf_text_add(text, store->path);
  pf_text_add(text, "/");
  pf_text_add(text, rest);
}

static int put_all(int fd, const char *bytes, size_t count)
{
  while (count) {
    const ssize_t written = write(fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    count -= (size_t)written;
  }
  return 0;
}

/* Where a file was renamed to is only known for good once its folder is on the disk. Some systems have no such thing
 * for folders, and do without. */
static int sync_folder(const char *path)
{
  char folder[4096];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
  (void)close(fd);
  return error;
}

/* What a kill leaves of it lies where nobody looks, and is removed when the result is complete. What is told to be
 * written is on the disk: the machine may fail, too. */
int pf_store_write(const PfRowStore *store, const char *path, const char *bytes, size_t count)
{
  char part[4096];
  const int length = snprintf(part, sizeof part, "%s/.pfaff/part-%ld-%016llx", store->path, (long)getpid(),
                              (unsigned long long)pf_hash_bytes(path, strlen(path), 0));
  if (length < 0 || (size_t)length >= sizeof part) return ENAMETOOLONG;
  const int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  int error = put_all(fd, bytes, count);
  if (!error && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && !error) error = errno;
  if (!error && rename(part, path) != 0) error = errno;
  if (error) (void)unlink(part);
  return error ? error : sync_folder(path);
}

int pf_store_make_folder(const char *path)
{
  return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
}

bool pf_store_fail(PfRowStore *store, const char *path, int error)
{
  pthread_mutex_lock(&store->mutex);
  if (!atomic_load(&store->failed))
    snprintf(store->trouble, sizeof store->trouble, "cannot write '%.300s': %s", path, strerror(error));
  atomic_store(&store->failed, true);
  pthread_mutex_unlock(&store->mutex);
  return false;
}

PfStatus pf_row_store_status(const PfRowStore *store)
{
  PfContext *ctx = store->sweep->ctx;
  if (!atomic_load(&store->failed)) return PF_OK;
  pf_fail(ctx, PF_ERR_FILE, "%s", store->trouble);
  if (store->path)
    pf_hint(ctx, "what is there is kept: once it can be written, 'pfaff sweep --resume %s' goes on", store->path);
  return PF_ERR_FILE;
}
