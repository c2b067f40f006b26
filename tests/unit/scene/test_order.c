/* SPDX-License-Identifier: Apache-2.0 */
/* What hides what in a picture: faces whose order is known from where they are. */
#include "scene/paint_impl.h"
#include "support.h"

enum { FAR = 0x111111, NEAR = 0x222222, ON = 0x333333 };

/* Seen from above: x to the right, y up, z toward the camera. */
static PfPaint above(const PfAllocator *allocator)
{
  return (PfPaint){.allocator = allocator, .size = 1,
                   .camera = {.right = {1, 0, 0}, .up = {0, 1, 0}, .toward = {0, 0, 1}, .vertical = {0, 0, 1}}};
}

/* A rectangle over x and y, whose height rises along x from z0 to z1. */
static void plate(PfPaint *p, double x0, double x1, double y0, double y1, double z0, double z1, PfColor color)
{
  pf_paint_point(p, (const double[]){x0, y0, z0});
  pf_paint_point(p, (const double[]){x1, y0, z1});
  pf_paint_point(p, (const double[]){x1, y1, z1});
  pf_paint_point(p, (const double[]){x0, y1, z0});
  pf_paint_item(p, 4, color, PF_COLOR_NONE, 1, 0);
}

static int place_of(const PfPaint *p, PfColor color)
{
  for (size_t i = 0; i < p->items.count; i++)
    if (p->items.at[i].fill == color || p->items.at[i].stroke == color) return (int)i;
  fail_msg("%06x is lost", color);
  return -1;
}

/* The middle of a steep ramp is higher than a tile that lies over its low end. */
static void a_tile_over_the_low_end_of_a_ramp_is_seen(void **state)
{
  const Fixture *f = *state;
  for (int first = 0; first < 2; first++) {
    PfPaint p = above(pf_context_allocator(f->ctx));
    for (int k = 0; k < 2; k++)
      if (k == first) plate(&p, 0, 10, 0, 1, 0, 5, FAR);
      else plate(&p, 0.1, 0.6, 0.2, 0.8, 1, 1, NEAR);
    pf_paint_sort(&p);
    assert_false(p.failed);
    assert_int_equal(place_of(&p, FAR), 0);
    assert_int_equal(place_of(&p, NEAR), 1);
    pf_paint_free(&p);
  }
}

/* And one that lies under its high end is not. */
static void a_line_under_the_high_end_is_hidden(void **state)
{
  const Fixture *f = *state;
  PfPaint p = above(pf_context_allocator(f->ctx));
  plate(&p, 0, 10, 0, 1, 0, 5, NEAR);
  pf_paint_line(&p, (const double[]){8, 0.5, 3.5}, (const double[]){9.5, 0.5, 3.5}, FAR, 1, 0);
  pf_paint_sort(&p);
  assert_int_equal(place_of(&p, FAR), 0);
  pf_paint_free(&p);
}

/* What lies on a face is drawn right after it, wherever that goes. */
static void what_lies_on_a_face_goes_with_it(void **state)
{
  const Fixture *f = *state;
  PfPaint p = above(pf_context_allocator(f->ctx));
  plate(&p, 0, 1, 0, 1, 1, 1, NEAR);
  pf_paint_point(&p, (const double[]){0, 0, 1});
  pf_paint_point(&p, (const double[]){1, 0, 1});
  pf_paint_on(&p, 2, PF_COLOR_NONE, ON, 1);
  plate(&p, 0, 1, 0, 1, 0, 0, FAR);
  pf_paint_sort(&p);
  assert_int_equal(place_of(&p, FAR), 0);
  assert_int_equal(place_of(&p, NEAR), 1);
  assert_int_equal(place_of(&p, ON), 2);
  pf_paint_free(&p);
}

/* A rod that ends in the middle of a ball is nearer than that middle, but not than its front: depth r against
 * r_rod. */
static void a_ball_hides_the_rod_that_ends_in_it(void **state)
{
  const Fixture *f = *state;
  PfPaint p = above(pf_context_allocator(f->ctx));
  for (int i = 0; i < 24; i++)
    pf_paint_point(&p, (const double[]){cos(i*acos(-1)/12), sin(i*acos(-1)/12), 0});
  pf_paint_ball(&p, 24, NEAR, PF_COLOR_NONE, 1, 1);
  plate(&p, 0, 1, -0.1, 0.1, 0.1, 0.1, FAR);
  pf_paint_sort(&p);
  assert_int_equal(place_of(&p, FAR), 0);
  pf_paint_free(&p);
}

/* Four planks, each over the next: there is no right order, but each is drawn, once. */
static void a_ring_loses_nothing(void **state)
{
  const Fixture *f = *state;
  PfPaint p = above(pf_context_allocator(f->ctx));
  for (int i = 0; i < 4; i++) {
    double c = i == 0 ? 1 : i == 2 ? -1 : 0, s = i == 1 ? 1 : i == 3 ? -1 : 0;
    static const double corner[4][3] = {{-2, 1, 0}, {2, 1, 1}, {2, 1.5, 1}, {-2, 1.5, 0}};
    for (int k = 0; k < 4; k++)
      pf_paint_point(&p, (const double[]){c*corner[k][0] - s*corner[k][1], s*corner[k][0] + c*corner[k][1],
                                          corner[k][2]});
    pf_paint_item(&p, 4, 0x100u + (unsigned)i, PF_COLOR_NONE, 1, 0);
  }
  pf_paint_sort(&p);
  assert_int_equal(p.items.count, 4);
  for (unsigned i = 0; i < 4; i++) (void)place_of(&p, 0x100u + i);
  pf_paint_free(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(a_tile_over_the_low_end_of_a_ramp_is_seen),
    with_fixture(a_line_under_the_high_end_is_hidden),
    with_fixture(what_lies_on_a_face_goes_with_it),
    with_fixture(a_ball_hides_the_rod_that_ends_in_it),
    with_fixture(a_ring_loses_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
