/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

static void expressions_have_the_trees_of_mathematics(void **state)
{
  Fixture *f = *state;
  static const struct {
    const char *text, *tree;
  } cases[] = {
    {"a + b - c", "(+ a b -c)"},
    {"a*b/c*d", "(* a b /c d)"},
    {"a + b*c^d", "(+ a (* b (^ c d)))"},
    {"-x^2", "(- (^ x 2))"},
    {"2^-x^2", "(^ 2 (- (^ x 2)))"},
    {"a^b^c", "(^ a (^ b c))"},
    {"-a*b", "(* (- a) b)"},
    {"a*-b", "(* a (- b))"},
    {"a - -b", "(+ a -(- b))"},
    {"+a", "a"},
    {"(a + b)*c", "(* (+ a b) c)"},
    {"a - (b - c)", "(+ a -(+ b -c))"},
    {"x'' + y'", "(+ x'' y')"},
    {"(a + b)'", "(+ a b)'"},
    {"h(x)'", "(h x)'"},
    {"x'^2", "(^ x' 2)"},
    {"board.x.y", "(. y (. x board))"},
    {"w[2].x'", "(. x (index w 2))'"},
    {"arm.psi[2]'*leg.q[i].x", "(* (. psi arm 2)' (. x (. q leg i)))"},
    {"point(arm, (1, 2, 3)).x", "(. x (point arm (vector 1 2 3)))"},
    {"psi[i + 1]'", "(index psi (+ i 1))'"},
    {"6 [kg m^2]*x", "(* (unit kg m^2 6) x)"},
    {"-5 [m]", "(- (unit m 5))"},
    {"a < b", "(< a b)"},
    {"a + 1 >= b and not c == d or e", "(or (and (>= (+ a 1) b) (not (== c d))) e)"},
    {"if(a <= b and c > d, 1, 0)", "(if (and (<= a b) (> c d)) 1 0)"},
    {"sum(i in 1..3, psi[i])", "(sum-over i (.. 1 3) (index psi i))"},
    {"sum(a, b)", "(sum a b)"},
    {"f()", "(f)"},
    {"(a, b, c)", "(vector a b c)"},
    {"cross((1, 0, 0), r)", "(cross (vector 1 0 0) r)"},
    {"\"text\"", "\"text\""},
    {"1. + 1.e3 + .5", "(+ 1 1e3 .5)"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    char text[200], tree[300];
    snprintf(text, sizeof text, "kinetic %s", cases[i].text);
    snprintf(tree, sizeof tree, "(energy kinetic %s)", cases[i].tree);
    assert_parsed(f, text, tree);
  }
}

static void wrong_expressions_are_explained(void **state)
{
  Fixture *f = *state;
  static const BadText cases[] = {
    {"kinetic point + 1", "1:9: 'point' starts a statement, so it cannot be a name",
     "choose another name, for example point_1"},
    {"kinetic (a + b", "1:15: expected ')' to close the '(' of line 1, found the end of the file", NULL},
    {"kinetic (a + b\nforce x = F",
     "1:15: expected ')' to close the '(' of line 1, found the next statement",
     NULL},
    {"kinetic (a + b\n  c)", "2:3: expected ')' to close the '(' of line 1, found 'c'", NULL},
    {"kinetic f(a, (b\n+ c",
     "2:4: expected ')' to close the '(' of line 1, found the end of the file",
     NULL},
    {"kinetic psi[1", "1:14: expected ']' to close the '[' of line 1, found the end of the file", NULL},
    {"kinetic f(",
     "1:11: expected a number, a name or '(' after '(', found the end of the file",
     "the '(' of line 1 is not closed"},
    {"kinetic a)", "1:10: ')' without an opening bracket before it", NULL},
    {"kinetic a]", "1:10: ']' without an opening bracket before it", NULL},
    {"kinetic a }", "1:11: '}' without an opening bracket before it", NULL},
    {"kinetic", "1:8: expected a number, a name or '(' after 'kinetic', found the end of the file", NULL},
    {"kinetic a +", "1:12: expected a number, a name or '(' after '+', found the end of the file", NULL},
    {"kinetic a +\npotential b",
     "1:12: expected a number, a name or '(' after '+', found the end of the line",
     NULL},
    {"kinetic *a", "1:9: expected a number, a name or '(' after 'kinetic', found '*'", NULL},
    {"kinetic a b",
     "1:11: expected the end of the statement, found 'b'",
     "write a*b for a product; a list needs commas"},
    {"kinetic sin x", "1:13: expected the end of the statement, found 'x'", "write sin(x)"},
    {"kinetic 2 x",
     "1:11: expected the end of the statement, found 'x'",
     "write 2*x for a product, 2 [x] for a unit"},
    {"kinetic 2x", "1:9: the number 2 runs into the name 'x'", "write 2*x for the product"},
    {"kinetic 2 (x + y)",
     "1:11: expected an operator, found '('",
     "a product is written with *: 2*(a + b)"},
    {"kinetic (a)(b)", "1:12: expected an operator, found '('", "a product is written with *: 2*(a + b)"},
    {"kinetic x [m]",
     "1:11: expected the end of the statement, found a unit in square brackets",
     "a unit follows a number, as in 0.5 [m], or a name that is being declared"},
    {"kinetic psi [1]",
     "1:13: expected the end of the statement, found a unit in square brackets",
     "an element of an array is written without a blank: psi[1]"},
    {"kinetic 'x",
     "1:9: expected a number, a name or '(' after 'kinetic', found an apostrophe (')",
     "the ' of a time derivative follows its name: x'"},
    {"kinetic 3'",
     "1:10: a number has no time derivative",
     "the ' of a time derivative follows a name: x'; a text stands in double quotes: \"…\""},
    {"kinetic x'''''", "1:14: more than 4 time derivatives of one quantity", NULL},
    {"kinetic roll^2",
     "1:9: 'roll' starts a statement, so it cannot be a name",
     "choose another name, for example roll_1"},
    {"kinetic a // note",
     "1:12: expected a number, a name or '(' after '/', found '/'",
     "a comment starts with #"},
    {"kinetic ()", "1:10: expected a number, a name or '(' after '(', found ')'", NULL},
    {"gravity (0, -9.81)",
     "1:9: a vector has three components, this one has 2",
     "in the plane write (a, b, 0)"},
    {"gravity (0, 0, 0, 0, -9.81)", "1:9: a vector has three components, this one has 5", "write (a, b, c)"},
    {"gravity [0, 0, -9.81]",
     "1:9: expected a number, a name or '(' after 'gravity', found a unit in square brackets",
     "a vector is written with round brackets: (a, b, c)"},
    {"kinetic a < b < c", "1:15: comparisons cannot be chained", "write: a < b and b < c"},
    {"kinetic if(a = b, 1, 0)",
     "1:14: expected ',' or ')', found '='",
     "a comparison is written with two signs: =="},
    {"kinetic f(a b)",
     "1:13: expected ',' or ')', found 'b'",
     "write a*b for a product; a list needs commas"},
    {"kinetic board.3",
     "1:14: expected the end of the statement, found the number .3",
     "write board*.3 for a product; a list needs commas"},
    {"kinetic 3 .x", "1:11: a number has no members", "a product is written with *"},
    {"kinetic x ** 2", "1:11: '**' has no meaning here", "a power is written with ^, for example x^2"},
    {"kinetic (6) [kg]",
     "1:13: expected the end of the statement, found a unit in square brackets",
     "a unit follows a number, as in 0.5 [m], or a name that is being declared"},
    {"kinetic f (a)(b)", "1:14: expected an operator, found '('", "a product is written with *: 2*(a + b)"},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) assert_refused(f, cases + i);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    with_fixture(expressions_have_the_trees_of_mathematics),
    with_fixture(wrong_expressions_are_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
