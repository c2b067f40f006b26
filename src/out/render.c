/* SVG to PNG and PDF: librsvg and cairo live here only. */
#include "out/chart.h"

#ifndef PF_HAVE_RSVG

bool pf_render_is_present(void)
{
  return false;
}

PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  (void)kind, (void)svg, (void)bytes;
  return pf_fail(ctx, PF_ERR_MISSING, "this build has no librsvg");
}

#else

#include <cairo-pdf.h>
#include <librsvg/rsvg.h>
#include <math.h>

/* PNG: two pixels for one, for paper and for fine screens. PDF: the page of 720 pixels is 17.2 cm wide, two columns of a paper. */
static const double png_scale = 2, pdf_scale = 17.2/2.54*72/720;

bool pf_render_is_present(void)
{
  return true;
}

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned int count)
{
  PfText *text = user;
  pf_text_put(text, (const char *)bytes, count);
  return text->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static PfStatus check(PfContext *ctx, cairo_status_t status)
{
  if (status == CAIRO_STATUS_SUCCESS) return PF_OK;
  return pf_fail(ctx, status == CAIRO_STATUS_NO_MEMORY ? PF_ERR_MEMORY : PF_ERR_FILE, "the picture cannot be drawn: %s",
                 cairo_status_to_string(status));
}

static PfStatus failed(PfContext *ctx, GError *error)
{
  pf_fail(ctx, PF_ERR_FILE, "the picture cannot be drawn: %s", error ? error->message : "librsvg gave no reason");
  if (error) g_error_free(error);
  return PF_ERR_FILE;
}

static PfStatus draw(PfContext *ctx, RsvgHandle *handle, cairo_surface_t *surface, double width, double height)
{
  GError *error = NULL;
  RsvgRectangle page = {0, 0, width, height};
  PF_TRY(check(ctx, cairo_surface_status(surface)));
  cairo_t *cairo = cairo_create(surface);
  gboolean good = rsvg_handle_render_document(handle, cairo, &page, &error);
  cairo_status_t status = cairo_status(cairo);
  cairo_destroy(cairo);
  return good ? check(ctx, status) : failed(ctx, error);
}

static PfStatus to_png(PfContext *ctx, RsvgHandle *handle, double width, double height, PfText *bytes)
{
  double w = ceil(width*png_scale), h = ceil(height*png_scale);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)w, (int)h);
  PfStatus status = draw(ctx, handle, surface, w, h);
  if (status == PF_OK) status = check(ctx, cairo_surface_write_to_png_stream(surface, take_bytes, bytes));
  cairo_surface_destroy(surface);
  return status;
}

/* The same picture gives the same bytes: there is no date in it but that of the epoch. */
static PfStatus to_pdf(PfContext *ctx, RsvgHandle *handle, double width, double height, PfText *bytes)
{
  double w = width*pdf_scale, h = height*pdf_scale;
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(take_bytes, bytes, w, h);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "pfaff");
  PfStatus status = draw(ctx, handle, surface, w, h);
  cairo_surface_finish(surface);
  if (status == PF_OK) status = check(ctx, cairo_surface_status(surface));
  cairo_surface_destroy(surface);
  return status;
}

PfStatus pf_render(PfContext *ctx, PfPictureKind kind, const PfText *svg, PfText *bytes)
{
  GError *error = NULL;
  gdouble width = 0, height = 0;
  if (svg->failed) return pf_fail(ctx, PF_ERR_MEMORY, "no memory for the picture");
  RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)pf_text_get(svg), svg->count, &error);
  if (!handle) return failed(ctx, error);
  PfStatus status = PF_OK;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) status = failed(ctx, NULL);
  else if (kind == PF_PICTURE_PNG) status = to_png(ctx, handle, width, height, bytes);
  else status = to_pdf(ctx, handle, width, height, bytes);
  g_object_unref(handle);
  return status;
}

#endif
