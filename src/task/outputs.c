/* SPDX-License-Identifier: Apache-2.0 */
/* --out: the kind of file that a name stands for, and whether the place can be written. */
#include "task/task.h"
#include "out/file.h"

#include <string.h>

const char *pf_task_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static const char *ending(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return dot && dot != name ? dot + 1 : NULL;
}

static const char *kind_of(const PfRequest *options, const char *path)
{
  const char *const *kind = options->task->writes;
  const char *end = ending(path), *first = *kind;
  for (; end && *kind; kind++) {
    const char *own = *kind;
    if (!strcmp(own, end)) return own;
  }
  return !end && !pf_out_is_regular(path) ? first : NULL;
}

const char *pf_task_out_kind(const PfRequest *options)
{
  return kind_of(options, options->out);
}

bool pf_task_out_is(const PfRequest *options, const char *kind)
{
  const char *own = pf_task_out_kind(options);
  return own && !strcmp(own, kind);
}

static bool is_standard(const char *path)
{
  return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

bool pf_task_out_is_standard(const PfRequest *options)
{
  return options->out && is_standard(options->out);
}

void pf_task_list_endings(const PfTask *command, const char *last, char list[LONGEST_LIST])
{
  list[0] = 0;
  for (int i = 0; command->writes[i]; i++) {
    size_t used = strlen(list);
    snprintf(list + used, LONGEST_LIST - used, "%s.%s", !i ? "" : command->writes[i + 1] ? ", " : last,
             command->writes[i]);
  }
}

static PfStatus refuse(PfContext *ctx, const PfRequest *options, const char *option, const char *path)
{
  char list[LONGEST_LIST];
  pf_task_list_endings(options->task, " or ", list);
  return pf_fail(ctx, PF_ERR_ARGUMENT, "@%s{%s}: the name must end in %s", option, path, list);
}

/* --poses writes a second file next to that of --out, never to the same place. */
static PfStatus check_poses(PfContext *ctx, const PfRequest *options)
{
  const char *path = options->poses;
  if (is_standard(path))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@poses{%s}: standard output is taken by the summary", path);
  if (!kind_of(options, path)) return refuse(ctx, options, "poses", path);
  if (options->out && !strcmp(options->out, path))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@poses and @out: both would write '%s'", path);
  return pf_out_check(ctx, path);
}

PfStatus pf_task_check_out(PfContext *ctx, const PfRequest *options)
{
  if (options->write && !strcmp(options->file, "-"))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@w: what comes from standard input has no file that could be written");
  if (options->poses) PF_TRY(check_poses(ctx, options));
  if (!options->out) return PF_OK;
  if (!pf_task_out_kind(options)) return refuse(ctx, options, "out", options->out);
  if (options->json && pf_task_out_is_standard(options))
    return pf_fail(ctx, PF_ERR_ARGUMENT, "@json and @out{%s}: standard output takes one of them", options->out);
  PF_TRY(pf_picture_check(ctx, options->out, pf_picture_kind(pf_task_out_kind(options)), PF_RENDER_LIBRARY));
  return pf_out_check(ctx, options->out);
}

void pf_task_lead(const PfRequest *options, PfRecord *record)
{
  const Host *host = options->host;
  record->take = host->observer.file;
  record->take_user = host->observer.user;
  if (!record->take && is_standard(record->path)) record->stream = host->out;
}

PfStatus pf_task_put(PfContext *ctx, const PfRequest *options, const PfText *text)
{
  const Host *host = options->host;
  const PfObserver *observer = &host->observer;
  if (observer->file)
    return observer->file(observer->user, options->out, pf_text_get(text), text->count)
             ? PF_OK : pf_fail(ctx, PF_ERR_FILE, "'%s' could not be written", options->out);
  if (!pf_task_out_is_standard(options) || !host->out) return pf_out_text(ctx, options->out, text);
  bool good = fwrite(pf_text_get(text), 1, text->count, host->out) == text->count;
  return good ? PF_OK : pf_no_room(ctx, "the result");
}

PfStatus pf_task_write(PfContext *ctx, const PfRequest *options, const PfText *text)
{
  PfPictureKind kind = pf_picture_kind(pf_task_out_kind(options));
  if (kind == PF_PICTURE_NONE || kind == PF_PICTURE_SVG) return pf_task_put(ctx, options, text);
  PfText bytes;
  pf_text_init(&bytes, pf_context_allocator(ctx));
  PfStatus status = pf_render(ctx, kind, text, &bytes);
  if (status == PF_OK) status = pf_task_put(ctx, options, &bytes);
  pf_text_free(&bytes);
  return status;
}
