#include "cases.h"

int run_event(Case *c, Setup *s)
{
  (void)s;
  (void)c;
  return 1;
}

int run_trajectory(Case *c, Setup *s)
{
  (void)s;
  (void)c;
  return 1;
}
