/* SPDX-License-Identifier: Apache-2.0 */
/* Result files: written beside their target and renamed. */
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

/* The folder of a path as a path: "" would be none. */
static void put_folder(PfText *text, const char *path)
{
  size_t length = folder_length(path);
  if (length) pf_text_put(text, path, length);
  else pf_text_add(text, ".");
}

/* One link on; false at something that is no link, which may not exist yet. */
static bool follow_link(PfText *target)
{
  char link[4096];
  ssize_t length = readlink(pf_text_get(target), link, sizeof link);
  if (length <= 0 || (size_t)length == sizeof link) return false;
  target->count = link[0] == '/' ? 0 : folder_length(pf_text_get(target));
  pf_text_put(target, link, (size_t)length);
  return true;
}

/* The file that links lead to: the links stay. */
static PfStatus find_target(PfContext *ctx, const char *path, PfText *target)
{
  enum { MOST_LINKS = 40 };
  int links = 0;
  pf_text_init(target, pf_context_allocator(ctx));
  pf_text_add(target, path);
  while (links < MOST_LINKS && follow_link(target)) links++;
  if (target->failed) return pf_no_room(ctx, "a file name");
  return links == MOST_LINKS ? fail(ctx, path, ELOOP) : PF_OK;
}

/* x.csv becomes x.part.csv, x.part2.csv, …: what reads files by their ending can read it. */
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

/* The system may take the name, but not the longer one that the file has until it is complete. */
static PfStatus check_part(PfContext *ctx, const char *path, const PfText *target)
{
  PfText part;
  pf_text_init(&part, pf_context_allocator(ctx));
  name_part(target, 1, &part);
  bool bad = access(pf_text_get(&part), F_OK) != 0 && errno != ENOENT;
  if (bad) fail(ctx, path, errno);
  if (bad)
    pf_hint(ctx, "until it is complete the file is called '%s'",
            pf_text_get(&part) + folder_length(pf_text_get(&part)));
  pf_text_free(&part);
  return bad ? PF_ERR_FILE : PF_OK;
}

/* Of a folder, 0 where files can be made in it: one that was removed while somebody is in it has no more links. */
static int folder_error(const char *folder)
{
  struct stat status;
  if (access(folder, W_OK | X_OK) != 0 || stat(folder, &status) != 0) return errno;
  return status.st_nlink ? 0 : ENOENT;
}

/* A file can be made beside the target, and the target may be written. */
static PfStatus check_place(PfContext *ctx, const char *path, const char *target)
{
  struct stat status;
  PfText folder;
  if (stat(target, &status) == 0 && S_ISDIR(status.st_mode)) return fail(ctx, path, EISDIR);
  if (access(target, W_OK) != 0 && errno != ENOENT) return fail(ctx, path, errno);
  pf_text_init(&folder, pf_context_allocator(ctx));
  put_folder(&folder, target);
  int error = folder_error(pf_text_get(&folder));
  PfStatus result = error ? fail(ctx, path, error) : PF_OK;
  if (error && access(target, W_OK) == 0)
    pf_hint(ctx, "it may be written itself, but no file may be made beside it, as a safe replacement needs; write "
                 "elsewhere");
  pf_text_free(&folder);
  return result;
}

PfStatus pf_out_check(PfContext *ctx, const char *path)
{
  if (is_standard_output(path)) return PF_OK;
  if (!*path) return fail(ctx, path, ENOENT);
  if (!pf_out_is_regular(path)) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return fail(ctx, path, EISDIR);
    return access(path, W_OK) == 0 ? PF_OK : fail(ctx, path, errno);
  }
  PfText target;
  PfStatus result = find_target(ctx, path, &target);
  if (result == PF_OK) result = check_place(ctx, path, pf_text_get(&target));
  if (result == PF_OK) result = check_part(ctx, path, &target);
  pf_text_free(&target);
  return result;
}

/* "a/b/" is "a/b". */
static PfStatus put_plain_folder(PfContext *ctx, const char *path, PfText *plain)
{
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  pf_text_init(plain, pf_context_allocator(ctx));
  pf_text_put(plain, path, length);
  return plain->failed ? pf_no_room(ctx, "a file name") : PF_OK;
}

static PfStatus check_folder(PfContext *ctx, const char *path, const char *plain)
{
  struct stat status;
  if (!*plain) return fail(ctx, path, ENOENT);
  if (stat(plain, &status) == 0) {
    int error = S_ISDIR(status.st_mode) ? folder_error(plain) : ENOTDIR;
    return error ? fail(ctx, path, error) : PF_OK;
  }
  if (errno != ENOENT) return fail(ctx, path, errno);
  return check_place(ctx, path, plain);
}

PfStatus pf_out_check_folder(PfContext *ctx, const char *path)
{
  PfText plain;
  PfStatus result = put_plain_folder(ctx, path, &plain);
  if (result == PF_OK) result = check_folder(ctx, path, pf_text_get(&plain));
  pf_text_free(&plain);
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

static void warn_of_other(PfOutFile *file)
{
  pf_warn_at(file->ctx, (PfPlace){0},
             "'%s' is there already, from a run that was interrupted or still goes on; it stays as it is",
             pf_text_get(&file->part));
}

/* A signal ends the waiting, not the work. */
static int open_again(const char *path, int flags)
{
  int fd;
  do fd = open(path, flags | O_CLOEXEC, 0666);
  while (fd < 0 && errno == EINTR);
  return fd;
}

static PfStatus make_part(PfOutFile *file)
{
  enum { MOST_PARTS = 1000 };
  for (int number = 1; number < MOST_PARTS; number++) {
    name_part(&file->target, number, &file->part);
    if (file->part.failed) return pf_no_room(file->ctx, "a file name");
    file->fd = open_again(pf_text_get(&file->part), O_WRONLY | O_CREAT | O_EXCL);
    if (file->fd >= 0) return PF_OK;
    if (errno != EEXIST) return fail(file->ctx, file->path, errno);
    if (number == 1) warn_of_other(file);
  }
  return fail(file->ctx, file->path, EEXIST);
}

static PfStatus open_beside(PfOutFile *file)
{
  PF_TRY(find_target(file->ctx, file->path, &file->target));
  PF_TRY(check_place(file->ctx, file->path, pf_text_get(&file->target)));
  file->replaces = access(pf_text_get(&file->target), F_OK) == 0;
  return make_part(file);
}

/* Milliseconds: between looks at a reader, and how long he is waited for after a request to stop, when he has not come
 * yet and when he takes nothing more. */
enum { NAP = 20, WAIT_TO_OPEN = 300, WAIT_TO_WRITE = 2000 };

/* After one more nap. */
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

static bool is_fifo(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

static PfStatus open_directly(PfOutFile *file)
{
  if (is_standard_output(file->path)) file->fd = dup(STDOUT_FILENO);
  else file->fd = is_fifo(file->path) ? open_fifo(file) : open_again(file->path, O_WRONLY);
  return file->fd >= 0 ? PF_OK : fail(file->ctx, file->path, errno);
}

static void free_names(PfOutFile *file)
{
  if (file->target.allocator) pf_text_free(&file->target);
  pf_text_free(&file->part);
}

PfStatus pf_out_open(PfOutFile *file, PfContext *ctx, const char *path)
{
  *file = (PfOutFile){.ctx = ctx, .path = path, .fd = -1};
  pf_text_init(&file->part, pf_context_allocator(ctx));
  PfStatus status = pf_out_is_regular(path) ? open_beside(file) : open_directly(file);
  if (status != PF_OK) free_names(file);
  return status;
}

/* ---------------------------------------------------------------- bytes */

static bool is_beside(const PfOutFile *file)
{
  return file->part.count > 0;
}

/* As much as goes without waiting, once some does. */
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
  if (!is_beside(file) && file->error) return 0; /* who does not take it is not asked again */
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

void pf_out_cut(PfOutFile *file, off_t size)
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

/* Whoever owns the target and may read it, still does and may. False when the owner cannot be kept. */
static bool take_over(const PfOutFile *file)
{
  struct stat old, own;
  if (!file->replaces || stat(pf_text_get(&file->target), &old) != 0 || fstat(file->fd, &own) != 0) return true;
  bool same = old.st_uid == own.st_uid && old.st_gid == own.st_gid;
  if (!same && fchown(file->fd, old.st_uid, old.st_gid) != 0) return false;
  return fchmod(file->fd, old.st_mode & 07777) == 0;
}

static bool copy_bytes(PfOutFile *file, int from, int to)
{
  char chunk[1 << 16];
  ssize_t count;
  while ((count = read(from, chunk, sizeof chunk)) > 0 || (count < 0 && errno == EINTR))
    for (ssize_t done = 0; done < count;) {
      ssize_t written = write(to, chunk + done, (size_t)(count - done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      done += written;
    }
  if (count < 0) file->error = errno;
  return count == 0;
}

/* A file that others own stays theirs when its bytes are replaced; the part stays until they are. */
static bool copy_over(PfOutFile *file)
{
  int from = open_again(pf_text_get(&file->part), O_RDONLY);
  int to = from >= 0 ? open_again(pf_text_get(&file->target), O_WRONLY | O_TRUNC) : -1;
  bool good = to >= 0 && copy_bytes(file, from, to);
  if (to >= 0 && close(to) != 0) good = false;
  if (!good && !file->error) file->error = errno;
  if (from >= 0) close(from);
  if (good && unlink(pf_text_get(&file->part)) != 0) file->error = errno, good = false;
  return good;
}

static bool move(PfOutFile *file)
{
  bool mine = take_over(file);
  close_file(file);
  if (file->error) return false;
  if (!mine) return copy_over(file);
  if (rename(pf_text_get(&file->part), pf_text_get(&file->target)) == 0) return true;
  file->error = errno;
  return false;
}

/* Somebody may have taken it away. */
static bool has_part(const PfOutFile *file)
{
  return is_beside(file) && access(pf_text_get(&file->part), F_OK) == 0;
}

PfStatus pf_out_replace(PfOutFile *file)
{
  bool good = true;
  if (is_beside(file)) good = move(file);
  else close_file(file);
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
