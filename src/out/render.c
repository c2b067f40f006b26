/* SPDX-License-Identifier: Apache-2.0 */
/* SVG to PNG and PDF: librsvg and cairo live here only. They come with forty more libraries, so they are loaded when a
 * picture is drawn and not when the program starts; everything else runs where they are not installed. */
#include "out/chart.h"

#ifndef PF_HAVE_RSVG

PfStatus pf_render_check(PfContext *ctx, const char *library)
{
  (void)library;
  return pf_fail(ctx, PF_ERR_MISSING, "this build writes .svg only: librsvg was not found when it was built");
}

PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  (void)kind, (void)svg, (void)bytes;
  return pf_render_check(ctx, PF_RENDER_LIBRARY);
}

#else

#include "base/library.h"

#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <math.h>

/* PNG: two pixels for one, for paper and for fine screens. PDF: the page of 720 pixels is 17.2 cm wide, two columns of
 * a paper. */
static const double png_scale = 2, pdf_scale = 17.2/2.54*72/720;

/* Functions of librsvg, and of the cairo and glib that it brings along. */
#define FUNCTIONS(USE) \
  USE(rsvg_handle_new_from_data) USE(rsvg_handle_get_intrinsic_size_in_pixels) USE(rsvg_handle_render_document) \
  USE(g_object_unref) USE(g_error_free) USE(cairo_create) USE(cairo_destroy) USE(cairo_status) \
  USE(cairo_status_to_string) USE(cairo_image_surface_create) USE(cairo_surface_write_to_png_stream) \
  USE(cairo_pdf_surface_create_for_stream) USE(cairo_pdf_surface_set_metadata) USE(cairo_surface_status) \
  USE(cairo_surface_finish) USE(cairo_surface_destroy)

typedef struct Rsvg {
  FUNCTIONS(PF_LIBRARY_MEMBER)
} Rsvg;

typedef struct Renderer {
  PfContext *ctx;
  const Rsvg *by;
} Renderer;

/* Loads the library, which belongs to the context. */
static PfStatus load(Renderer *r, PfContext *ctx, const char *file)
{
  static const char *const names[] = {FUNCTIONS(PF_LIBRARY_NAME)};
  enum { COUNT = sizeof names/sizeof *names };
  const PfLibrary library = {file, names, COUNT, COUNT, NULL};
  const void *functions;
  PF_TRY(pf_library_require(ctx, &library, ".png and .pdf need librsvg (Debian: librsvg2-2)", &functions));
  *r = (Renderer){ctx, functions};
  return PF_OK;
}

PfStatus pf_render_check(PfContext *ctx, const char *library)
{
  Renderer r;
  return load(&r, ctx, library);
}

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
  PfText *text = user;
  pf_text_put(text, (const char *)bytes, count);
  return text->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static PfStatus check(const Renderer *r, cairo_status_t status)
{
  if (status == CAIRO_STATUS_SUCCESS) return PF_OK;
  return pf_fail(r->ctx, status == CAIRO_STATUS_NO_MEMORY ? PF_ERR_MEMORY : PF_ERR_FILE,
                 "the picture cannot be drawn: %s", r->by->cairo_status_to_string(status));
}

/* The failure of librsvg, with its reason (or NULL), which is freed. */
static PfStatus failed(const Renderer *r, GError *error)
{
  pf_fail(r->ctx, PF_ERR_FILE, "the picture cannot be drawn: %s", error ? error->message : "librsvg gave no reason");
  if (error) r->by->g_error_free(error);
  return PF_ERR_FILE;
}

/* Draws the picture over the whole surface, in the units of the surface. */
static PfStatus draw(const Renderer *r, RsvgHandle *handle, cairo_surface_t *surface, double width, double height)
{
  GError *error = NULL;
  RsvgRectangle page = {0, 0, width, height};
  PF_TRY(check(r, r->by->cairo_surface_status(surface)));
  cairo_t *cairo = r->by->cairo_create(surface);
  gboolean good = r->by->rsvg_handle_render_document(handle, cairo, &page, &error);
  cairo_status_t status = r->by->cairo_status(cairo);
  r->by->cairo_destroy(cairo);
  return good ? check(r, status) : failed(r, error);
}

static PfStatus to_png(const Renderer *r, RsvgHandle *handle, double width, double height, PfText *bytes)
{
  double w = ceil(width*png_scale), h = ceil(height*png_scale);
  cairo_surface_t *surface = r->by->cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)w, (int)h);
  PfStatus status = draw(r, handle, surface, w, h);
  if (status == PF_OK) status = check(r, r->by->cairo_surface_write_to_png_stream(surface, take_bytes, bytes));
  r->by->cairo_surface_destroy(surface);
  return status;
}

/* The same picture gives the same bytes: there is no date in it but that of the epoch. */
static PfStatus to_pdf(const Renderer *r, RsvgHandle *handle, double width, double height, PfText *bytes)
{
  double w = width*pdf_scale, h = height*pdf_scale;
  cairo_surface_t *surface = r->by->cairo_pdf_surface_create_for_stream(take_bytes, bytes, w, h);
  r->by->cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  r->by->cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "pfaff");
  PfStatus status = draw(r, handle, surface, w, h);
  r->by->cairo_surface_finish(surface);
  if (status == PF_OK) status = check(r, r->by->cairo_surface_status(surface));
  r->by->cairo_surface_destroy(surface);
  return status;
}

PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  Renderer r;
  if (svg->failed) return pf_no_room(ctx, "the picture");
  PF_TRY(load(&r, ctx, PF_RENDER_LIBRARY));
  GError *error = NULL;
  gdouble width = 0, height = 0;
  RsvgHandle *handle = r.by->rsvg_handle_new_from_data((const guint8 *)pf_text_get(svg), svg->count, &error);
  if (!handle) return failed(&r, error);
  PfStatus status = PF_OK;
  if (!r.by->rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) status = failed(&r, NULL);
  else if (kind == PF_PICTURE_PNG) status = to_png(&r, handle, width, height, bytes);
  else status = to_pdf(&r, handle, width, height, bytes);
  r.by->g_object_unref(handle);
  return status;
}

#endif
