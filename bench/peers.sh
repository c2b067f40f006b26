# SPDX-License-Identifier: Apache-2.0
# For bench/run and bench/performance: the Python environment with the peers. $build and $results are set.
environment=$build/bench/venv

say() { echo "bench: $*" >&2; }

has() { "$environment/bin/python" -c "import $1" 2>/dev/null; }

# One by one: a package that does not install leaves the others in the race. 'drake=pydrake': what it is imported as.
install_peers() {
  command -v python3 >/dev/null || { say "no python3, so no peers"; return 1; }
  [ -x "$environment/bin/python" ] || python3 -m venv "$environment" >"$results/install.log" 2>&1 ||
    { say "no Python environment, so no peers; the reason is in $results/install.log"; return 1; }
  for name in numpy sympy symengine casadi mujoco cffi scipy setuptools cython pydy drake=pydrake; do
    package=${name%=*} module=${name#*=}
    has "$module" && continue
    say "installing $package into $environment"
    "$environment/bin/python" -m pip install -q --disable-pip-version-check "$package" >>"$results/install.log" 2>&1 &&
      has "$module" && continue
    say "could not install $package, going on without; the reason is in $results/install.log"
  done
}
