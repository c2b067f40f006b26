/* SPDX-License-Identifier: Apache-2.0 */
/* File operations of a result: paths, atomic replacement by renaming with fsync, and the first failure, which all
 * threads share. */
#include "sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

PfStorePath pf_store_path(const PfRowStore *store, const char *format, ...)
{
  PfStorePath path;
  va_list list;
  const int length = snprintf(path.at, sizeof path.at, "%s/", store->path);
  va_start(list, format);
  if (length >= 0 && (size_t)length < sizeof path.at)
    vsnprintf(path.at + length, sizeof path.at - (size_t)length, format, list);
  va_end(list);
  return path;
}

/* After a kill the remains of the file are in a place that is not read, and are removed when the result is complete.
 * Data reported as written are on the disk, since the machine may fail, too; and where a file was renamed to is only
 * known for good once its folder is on the disk. Some systems have no such thing for folders, and do without. */
int pf_store_write(const PfRowStore *store, const char *path, const char *bytes, size_t count)
{
  char part[4096], folder[4096];
  const char *slash = strrchr(path, '/');
  const int length = snprintf(part, sizeof part, "%s/.pfaff/part-%ld-%016llx", store->path, (long)getpid(),
                              (unsigned long long)pf_hash_bytes(path, strlen(path), 0));
  if (length < 0 || (size_t)length >= sizeof part) return ENAMETOOLONG;
  int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), error = 0;
  if (fd < 0) return errno;
  while (count && !error) {
    const ssize_t written = write(fd, bytes, count);
    if (written >= 0) bytes += written, count -= (size_t)written;
    else if (errno != EINTR) error = errno;
  }
  if (!error && fsync(fd) != 0) error = errno;
  if (close(fd) != 0 && !error) error = errno;
  if (!error && rename(part, path) != 0) error = errno;
  if (error) {
    (void)unlink(part);
    return error;
  }
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  if (fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP) error = errno;
  (void)close(fd);
  return error;
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
    pf_hint(ctx, "what is there is kept: once it can be written, @task{sweep @resume{%s}} goes on", store->path);
  return PF_ERR_FILE;
}
