/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include "out/label.h"

static void shows_as(Fixture *f, PfLabelKind kind, const char *label, double most, const char *wanted)
{
  PfText text;
  pf_text_init(&text, pf_context_allocator(f->ctx));
  pf_label_put(&text, kind, label, 10, most);
  assert_string_equal(pf_text_get(&text), wanted);
  pf_text_free(&text);
}

#define GAP " "
#define LETTER(x) "<tspan font-style=\"italic\">" x "</tspan>"
#define SUB(x) "<tspan dy=\"2.5\" font-size=\"7.2\">" x "</tspan>"
#define SUB_LETTER(x) "<tspan dy=\"2.5\" font-size=\"7.2\" font-style=\"italic\">" x "</tspan>"
#define RAISED(x) "<tspan dy=\"-4.0\" font-size=\"7.2\">" x "</tspan>"
#define UP(x) "<tspan dy=\"-2.5\">" x "</tspan>"
#define DOWN(x) "<tspan dy=\"4.0\">" x "</tspan>"

static void names_become_letters_with_indices(void **state)
{
  static const char *const cases[][2] = {
    {"x", LETTER("x")},
    {"theta", LETTER("θ")},
    {"Omega", "Ω"},
    {"phi_b", LETTER("φ") SUB_LETTER("b")},
    {"chi[2]", LETTER("χ") SUB("2")},
    {"q12", LETTER("q") SUB("12")},
    {"x'", LETTER("x") "′"},
    {"x''", LETTER("x") "′′"},
    {"phi_b'", LETTER("φ") SUB_LETTER("b") UP("′")},
    {"lambda[rear]", LETTER("λ") SUB("rear")},
    {"lambda[bus.arm.x]", LETTER("λ") SUB("bus.arm.x")},
    {"leg[2].phi", LETTER("φ") SUB("leg[2]")},
    {"hub.wx", "wx" SUB("hub")},
    {"x_a[3]", LETTER("x") SUB_LETTER("a") "<tspan font-size=\"7.2\">,</tspan><tspan font-size=\"7.2\">3</tspan>"},
    {"omega(b)", LETTER("ω") "(" LETTER("b") ")"},
    {"kinetic", "kinetic"},
    {"rk4", "rk4"},
    {"_x", "_x"},
    {"", ""},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    shows_as(*state, PF_LABEL_NAME, cases[i][0], 1e6, cases[i][1]);
}

/* An index on an index stays on its line: dy is relative to the glyph before. */
static void units_and_formulas_are_set_upright_with_exponents(void **state)
{
  static const char *const cases[][2] = {
    {"t [s]", LETTER("t") GAP "[s]"},
    {"x'' [m/s^2]", LETTER("x") "′′" GAP "[m/s" RAISED("2") DOWN("]")},
    {"[N*m]", "[N·m]"},
    {"a [deg]", LETTER("a") GAP "[°]"},
    {"-x^2 + 3*y", "−" LETTER("x") RAISED("2") "<tspan dx=\"3.2\" dy=\"4.0\">+</tspan> 3·" LETTER("y")},
    {"chi[1] - chi[2]", LETTER("χ") SUB("1") "<tspan dx=\"3.2\" dy=\"-2.5\">−</tspan> " LETTER("χ") SUB("2")},
    {"real part [1/s]", "real part" GAP "[1/s]"},
    {"momentum along nu[3]", "momentum along " LETTER("ν") SUB("3")},
    {"momentum along nu[3] [N*m*s]",
     "momentum along " LETTER("ν") SUB("3") "<tspan dx=\"3.2\" dy=\"-2.5\">[</tspan>N·m·s]"},
    {"rate of x' over arm[2].q", "rate of " LETTER("x") "′" GAP "over " LETTER("q") SUB("arm[2]")},
    {"Δtheta [rad]", "Δ" LETTER("θ") GAP "[rad]"},
    {"Δx, Δy_b'", "Δ" LETTER("x") ", Δ" LETTER("y") SUB_LETTER("b") UP("′")},
    {"b1.c2", LETTER("c") SUB("2") "<tspan font-size=\"7.2\">,</tspan><tspan font-size=\"7.2\">b1</tspan>"},
    {"lambda[rear] [N]", LETTER("λ") SUB("rear") "<tspan dx=\"3.2\" dy=\"-2.5\">[</tspan>N]"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    shows_as(*state, PF_LABEL_NAME, cases[i][0], 1e6, cases[i][1]);
}

static void what_is_no_name_stays_as_it_is(void **state)
{
  static const char *const cases[][2] = {
    {"`touch P` [m]", "`touch P`" GAP "[m]"},
    {"a \"b\" <c> & 'd'", "a &quot;b&quot; &lt;c&gt; &amp; &#39;d&#39;"},
    {"m\" ; system(\"touch P\") #", "m&quot; ; system(&quot;touch P&quot;) #"},
    {"</text><script>", "&lt;/text&gt;&lt;script&gt;"},
    {"a\033[31mb", "a\xEF\xBF\xBD[31mb"},
    {"a\nb\tc", "a b c"},
    {"\xFF\xC3", "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"caf\xC3\xA9", "caf\xC3\xA9"},
    {"x\xE2\x80\xAE", "x\xEF\xBF\xBD"}, /* turns the direction of writing */
      {"two words", "two words"},
    {"don't [look]now", "don&#39;t [look]now"},
    {"a Δ b", "a Δ b"},
    {"x[1", LETTER("x") SUB("1")},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++)
    shows_as(*state, PF_LABEL_NAME, cases[i][0], 1e6, cases[i][1]);
  shows_as(*state, PF_LABEL_PLAIN, "theta_1.csv", 1e6, "theta_1.csv");
}

static void long_labels_are_cut(void **state)
{
  shows_as(*state, PF_LABEL_PLAIN, "iiiiiiiiii", 24, "iiii…"); /* 0.33 of the size each, one size for the ellipsis */
  assert_true(pf_label_width(PF_LABEL_PLAIN, "iiiiiiiiii", 10) > 24);
}

/* Every pair of special bytes, in every kind of label: what comes out is XML text with tspan elements only. */
static void any_bytes_stay_inside(void **state)
{
  Fixture *f = *state;
  for (int a = 1; a < 256; a++)
    for (int b = 1; b < 256; b++) {
      const char label[] = {'x', (char)a, (char)b, '[', (char)b, ']', 0};
      PfText text;
      pf_text_init(&text, pf_context_allocator(f->ctx));
      pf_label_put(&text, PF_LABEL_NAME, label, 10, 1e6);
      for (const char *c = pf_text_get(&text); *c; c++) {
        assert_true((unsigned char)*c >= ' ' && *c != 0x7F);
        if (*c == '<') assert_true(!strncmp(c, "<tspan", 6) || !strncmp(c, "</tspan>", 8));
        if (*c == '&') assert_true(strchr(c, ';') && strchr(c, ';') - c <= 5);
      }
      pf_text_free(&text);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(names_become_letters_with_indices),
    with_fixture(units_and_formulas_are_set_upright_with_exponents),
    with_fixture(what_is_no_name_stays_as_it_is),
    with_fixture(long_labels_are_cut),
    with_fixture(any_bytes_stay_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
