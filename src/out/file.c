/* SPDX-License-Identifier: Apache-2.0 */
/* Result files: written next to their target and renamed. */
#include "out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static PfStatus fail(PfContext *ctx, const char *path, int error)
{
  return pf_fail(ctx, PF_ERR_FILE, "cannot write '%s': %s", path, strerror(error));
}

/* ---------------------------------------------------------------- where */

static bool is_standard_output(const char *path)
{
  return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

bool pf_out_is_regular(const char *path)
{
  struct stat status;
  if (is_standard_output(path) || !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6)) return false;
  return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* Where the name of the file begins. */
static size_t folder_length(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The file that links lead to: the links stay. It may not exist yet. */
static PfStatus find_target(PfContext *ctx, const char *path, PfText *target)
{
  enum { MOST_LINKS = 40 };
  char link[4096];
  int links = 0;
  pf_text_init(target, pf_context_allocator(ctx));
  pf_text_add(target, path);
  for (; links < MOST_LINKS; links++) {
    const ssize_t length = readlink(pf_text_get(target), link, sizeof link);
    if (length <= 0 || (size_t)length == sizeof link) break;
    target->count = link[0] == '/' ? 0 : folder_length(pf_text_get(target));
    pf_text_put(target, link, (size_t)length);
  }
  if (target->failed) return pf_no_room(ctx, "a file name");
  return links == MOST_LINKS ? fail(ctx, path, ELOOP) : PF_OK;
}

/* x.csv becomes x.part.csv, x.part2.csv, …: programs that read files by their ending can read it. */
static void name_part(const PfText *target, int number, PfText *part)
{
  const char *path = pf_text_get(target), *name = path + folder_length(path), *dot = strrchr(name, '.');
  size_t stem = dot && dot != name ? (size_t)(dot - path) : target->count;
  part->count = 0;
  pf_text_put(part, path, stem);
  pf_text_add(part, ".part");
  if (number > 1) pf_text_print(part, "%d", number);
  pf_text_add(part, path + stem);
}

/* 0 where files can be made in the folder, or an error number: one that was removed while a process is in it has no
 * more links. */
static int folder_error(const char *folder)
{
  struct stat status;
  if (access(folder, W_OK | X_OK) != 0 || stat(folder, &status) != 0) return errno;
  return status.st_nlink ? 0 : ENOENT;
}

/* Whether a file can be made in the folder of the target, and the target may be written. `path` is for messages. */
static PfStatus check_place(PfContext *ctx, const char *path, const char *target)
{
  struct stat status;
  PfText folder;
  if (stat(target, &status) == 0 && S_ISDIR(status.st_mode)) return fail(ctx, path, EISDIR);
  if (access(target, W_OK) != 0 && errno != ENOENT) return fail(ctx, path, errno);
  pf_text_init(&folder, pf_context_allocator(ctx));
  size_t length = folder_length(target);
  if (length) pf_text_put(&folder, target, length);
  else pf_text_add(&folder, "."); /* "" would not be a path */
  int error = folder_error(pf_text_get(&folder));
  PfStatus result = error ? fail(ctx, path, error) : PF_OK;
  if (error && access(target, W_OK) == 0)
    pf_hint(ctx, "it may be written itself, but no file may be made beside it, as a safe replacement needs; write "
                 "elsewhere");
  pf_text_free(&folder);
  return result;
}

/* The system may take the name, but not the longer one that the file has until it is complete. */
PfStatus pf_out_check(PfContext *ctx, const char *path)
{
  if (is_standard_output(path)) return PF_OK;
  if (!*path) return fail(ctx, path, ENOENT);
  if (!pf_out_is_regular(path)) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return fail(ctx, path, EISDIR);
    return access(path, W_OK) == 0 ? PF_OK : fail(ctx, path, errno);
  }
  PfText target, part;
  PfStatus result = find_target(ctx, path, &target);
  pf_text_init(&part, pf_context_allocator(ctx));
  if (result == PF_OK) result = check_place(ctx, path, pf_text_get(&target));
  if (result == PF_OK) {
    name_part(&target, 1, &part);
    const char *name = pf_text_get(&part);
    if (access(name, F_OK) != 0 && errno != ENOENT) {
      result = fail(ctx, path, errno);
      pf_hint(ctx, "until it is complete the file is called '%s'", name + folder_length(name));
    }
  }
  pf_text_free(&part);
  pf_text_free(&target);
  return result;
}

PfStatus pf_out_check_folder(PfContext *ctx, const char *path)
{
  struct stat status;
  PfText text;
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--; /* "a/b/" is "a/b" */
  pf_text_init(&text, pf_context_allocator(ctx));
  pf_text_put(&text, path, length);
  const char *plain = pf_text_get(&text);
  PfStatus result = PF_OK;
  if (text.failed) result = pf_no_room(ctx, "a file name");
  else if (!*plain) result = fail(ctx, path, ENOENT);
  else if (stat(plain, &status) == 0) {
    const int error = S_ISDIR(status.st_mode) ? folder_error(plain) : ENOTDIR;
    if (error) result = fail(ctx, path, error);
  } else result = errno == ENOENT ? check_place(ctx, path, plain) : fail(ctx, path, errno);
  pf_text_free(&text);
  return result;
}

PfStatus pf_out_make_folder(PfContext *ctx, const char *path)
{
  struct stat status;
  if (mkdir(path, 0777) == 0) return PF_OK;
  int error = errno;
  if (error == EEXIST && stat(path, &status) == 0) error = S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  return error ? fail(ctx, path, error) : PF_OK;
}

/* ---------------------------------------------------------------- the beginning */

/* Opens a file; a signal ends the waiting, not the work. */
static int open_again(const char *path, int flags)
{
  int fd;
  do fd = open(path, flags | O_CLOEXEC, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

/* Creates the part file in the folder of the target, under the first name that is free. */
static PfStatus open_beside(PfOutFile *file)
{
  enum { MOST_PARTS = 1000 };
  PF_TRY(find_target(file->ctx, file->path, &file->target));
  PF_TRY(check_place(file->ctx, file->path, pf_text_get(&file->target)));
  file->replaces = access(pf_text_get(&file->target), F_OK) == 0;
  for (int number = 1; number < MOST_PARTS; number++) {
    name_part(&file->target, number, &file->part);
    if (file->part.failed) return pf_no_room(file->ctx, "a file name");
    file->fd = open_again(pf_text_get(&file->part), O_WRONLY | O_CREAT | O_EXCL);
    if (file->fd >= 0) return PF_OK;
    if (errno != EEXIST) return fail(file->ctx, file->path, errno);
    if (number == 1)
      pf_warn_at(file->ctx, (PfPlace){0},
                 "'%s' is there already, from a run that was interrupted or still goes on; it stays as it is",
                 pf_text_get(&file->part));
  }
  return fail(file->ctx, file->path, EEXIST);
}

/* Milliseconds: between looks at the reader of a pipe, and how long it is waited for after a request to stop, when it
 * has not come yet and when it takes nothing more. */
enum { NAP = 20, WAIT_TO_OPEN = 300, WAIT_TO_WRITE = 2000 };

/* Whether to wait on after one more nap: always before a request to stop, for `most` after it. */
static bool may_wait(const PfOutFile *file, int *waited, int most)
{
  if (!pf_context_is_cancelled(file->ctx)) return true;
  *waited += NAP;
  return *waited <= most;
}

/* Opening a FIFO waits for its reader: without O_NONBLOCK also after a request to stop that came before. */
static int open_fifo(const PfOutFile *file)
{
  for (int waited = 0;;) {
    int fd = open(file->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) == 0) return fd;
    if (fd >= 0) close(fd);
    if (fd >= 0 || (errno != ENXIO && errno != EINTR) || !may_wait(file, &waited, WAIT_TO_OPEN)) return -1;
    (void)poll(NULL, 0, NAP);
  }
}

static void free_names(PfOutFile *file)
{
  if (file->target.allocator) pf_text_free(&file->target);
  pf_text_free(&file->part);
}

PfStatus pf_out_open(PfOutFile *file, PfContext *ctx, const char *path)
{
  struct stat known;
  PfStatus status = PF_OK;
  *file = (PfOutFile){.ctx = ctx, .path = path, .fd = -1};
  pf_text_init(&file->part, pf_context_allocator(ctx));
  if (pf_out_is_regular(path)) status = open_beside(file);
  else { /* standard output, a device, a pipe */
    if (is_standard_output(path)) file->fd = dup(STDOUT_FILENO);
    else if (stat(path, &known) == 0 && S_ISFIFO(known.st_mode)) file->fd = open_fifo(file);
    else file->fd = open_again(path, O_WRONLY);
    if (file->fd < 0) status = fail(ctx, path, errno);
  }
  if (status != PF_OK) free_names(file);
  return status;
}

/* ---------------------------------------------------------------- bytes */

static bool is_beside(const PfOutFile *file)
{
  return file->part.count > 0;
}

/* Writes as much to a pipe as it takes without waiting, once it takes some; -1 and errno when it cannot. */
static ssize_t write_some(const PfOutFile *file, const char *bytes, size_t count)
{
  struct pollfd room = {.fd = file->fd, .events = POLLOUT};
  int ready, waited = 0;
  while ((ready = poll(&room, 1, NAP)) <= 0) {
    if (ready < 0 && errno != EINTR) return -1;
    if (!may_wait(file, &waited, WAIT_TO_WRITE)) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
  return write(file->fd, bytes, count < PIPE_BUF ? count : PIPE_BUF);
}

size_t pf_out_put(PfOutFile *file, off_t offset, const char *bytes, size_t count)
{
  size_t done = 0;
  if (!is_beside(file) && file->error) return 0; /* not tried again */
  while (done < count) {
    ssize_t written = is_beside(file) ? pwrite(file->fd, bytes + done, count - done, offset + (off_t)done)
                                      : write_some(file, bytes + done, count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (!file->error) file->error = written < 0 ? errno : ENOSPC;
      break;
    }
    done += (size_t)written;
  }
  return done;
}

void pf_out_truncate(PfOutFile *file, off_t size)
{
  int cut = 0;
  if (!is_beside(file)) return;
  do cut = ftruncate(file->fd, size);
  while (cut != 0 && errno == EINTR);
  if (cut != 0 && !file->error) file->error = errno;
}

/* ---------------------------------------------------------------- the end */

static void close_file(PfOutFile *file)
{
  if (file->fd >= 0 && close(file->fd) != 0 && errno != EINTR && !file->error) file->error = errno;
  file->fd = -1;
}

/* Replaces the bytes of the target, for a file that others own: it stays theirs. The part stays until they are there.
 * */
static bool copy_over(PfOutFile *file)
{
  char chunk[1 << 16];
  ssize_t count = -1;
  const int from = open_again(pf_text_get(&file->part), O_RDONLY);
  const int to = from >= 0 ? open_again(pf_text_get(&file->target), O_WRONLY | O_TRUNC) : -1;
  bool good = to >= 0;
  while (good && ((count = read(from, chunk, sizeof chunk)) > 0 || (count < 0 && errno == EINTR)))
    for (ssize_t done = 0; done < count && good;) {
      const ssize_t written = write(to, chunk + done, (size_t)(count - done));
      if (written >= 0) done += written;
      else good = errno == EINTR;
    }
  if (good && count < 0) file->error = errno;
  good = good && count == 0;
  if (to >= 0 && close(to) != 0) good = false;
  if (!good && !file->error) file->error = errno;
  if (from >= 0) close(from);
  if (good && unlink(pf_text_get(&file->part)) != 0) file->error = errno, good = false;
  return good;
}

/* Whether there is a part: it may have been removed meanwhile. */
static bool has_part(const PfOutFile *file)
{
  return is_beside(file) && access(pf_text_get(&file->part), F_OK) == 0;
}

/* The part gets owner and permissions of the target. Where the owner cannot be kept, its bytes are copied over those of
 * the target. */
PfStatus pf_out_replace(PfOutFile *file)
{
  struct stat old, own;
  bool good = true, mine = true;
  if (is_beside(file) && file->replaces && stat(pf_text_get(&file->target), &old) == 0 &&
      fstat(file->fd, &own) == 0) {
    const bool same = old.st_uid == own.st_uid && old.st_gid == own.st_gid;
    mine = (same || fchown(file->fd, old.st_uid, old.st_gid) == 0) && fchmod(file->fd, old.st_mode & 07777) == 0;
  }
  close_file(file);
  if (is_beside(file) && !file->error) {
    good = mine ? rename(pf_text_get(&file->part), pf_text_get(&file->target)) == 0 : copy_over(file);
    if (!good && mine) file->error = errno;
  }
  if (!good || file->error) {
    fail(file->ctx, file->path, file->error);
    if (has_part(file)) pf_hint(file->ctx, "the result is in '%s'", pf_text_get(&file->part));
  }
  PfStatus status = good && !file->error ? PF_OK : PF_ERR_FILE;
  free_names(file);
  return status;
}

void pf_out_remove(PfOutFile *file)
{
  close_file(file);
  if (is_beside(file)) unlink(pf_text_get(&file->part));
  free_names(file);
}

PfStatus pf_out_rescue(PfOutFile *file, const char *what)
{
  bool beside = is_beside(file);
  fail(file->ctx, file->path, file->error);
  close_file(file);
  if (beside && !file->replaces && rename(pf_text_get(&file->part), pf_text_get(&file->target)) == 0)
    pf_hint(file->ctx, "it holds %s", what);
  else if (has_part(file))
    pf_hint(file->ctx, "'%s' holds %s; the old file is as it was", pf_text_get(&file->part), what);
  free_names(file);
  return PF_ERR_FILE;
}

PfStatus pf_out_text(PfContext *ctx, const char *path, const PfText *text)
{
  PfOutFile file;
  if (text->failed) return pf_fail(ctx, PF_ERR_MEMORY, "no memory for '%s'", path);
  PF_TRY(pf_out_open(&file, ctx, path));
  bool good = pf_out_put(&file, 0, pf_text_get(text), text->count) == text->count;
  /* the old text must not go first */
  if (good && file.replaces && fsync(file.fd) != 0) good = false, file.error = errno;
  if (good) return pf_out_replace(&file);
  fail(ctx, path, file.error);
  pf_out_remove(&file);
  return PF_ERR_FILE;
}

PfStatus pf_out_new_text(PfContext *ctx, const char *path, const PfText *text)
{
  if (text->failed) return pf_fail(ctx, PF_ERR_MEMORY, "no memory for '%s'", path);
  PfOutFile file = {.ctx = ctx, .path = path, .fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
  if (file.fd < 0) return fail(ctx, path, errno);
  bool good = pf_out_put(&file, 0, pf_text_get(text), text->count) == text->count;
  close_file(&file);
  if (good && !file.error) return PF_OK;
  fail(ctx, path, file.error);
  unlink(path);
  return PF_ERR_FILE;
}
