#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, by apt-get; silent when everything is there.
#   setup.sh build      what the library and the program need, and what they can do without: LAPACK, FLINT, SUNDIALS, expat, librsvg, zstd, HDF5
#   setup.sh test       that, and what the tests need, those of pages with a browser as well (scripts/test.sh fetches packages of Python and npm)
#   setup.sh page       what the library as WebAssembly and the page need: clang for wasm32-wasi, Node and npm
#   setup.sh python     what the Python package and its wheel are made with, and what the program needs
#   setup.sh deb        what Debian packages are made with, and what the program needs
#   setup.sh analysis   what the tests need, and the static analysers
# Where apt-get is absent or fails, it says what is needed and goes on if compiling is possible.
set -u
cd "$(dirname "$0")/.."

required="gcc libc6-dev cmake ninja-build"
optional="libopenblas-dev liblapack-dev libflint-dev libsundials-dev libexpat1-dev libzstd-dev libhdf5-dev pkgconf librsvg2-dev fonts-dejavu-core"
python="python3 python3-dev python3-venv"
tests="libcmocka-dev libjansson-dev clang valgrind libc6-dbg $python python3-mpmath python3-numpy texlive-latex-base locales"
arm="gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-user gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
page="clang lld wasi-libc binaryen nodejs npm"
browser="chromium"
mpi="openmpi-bin libopenmpi-dev"
analysis="clang-tidy cppcheck clang-format"
deb="build-essential dpkg-dev debhelper lintian"

say() { echo "set-up: $*"; }

# The sanitizers and the fuzzer of clang are a package with clang's version in its name.
clang_runtime() {
  version=$(clang --version 2>/dev/null | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
  [ -n "$version" ] || version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
  echo "libclang-rt-${version:-14}-dev"
}

has_header() { echo "#include <$1>" | cc -E -x c - >/dev/null 2>&1; }

has_lapack() {
  for library in lapack openblas; do
    echo 'void dgetrf_(void); int main(void) { dgetrf_(); return 0; }' |
      cc -x c - -x none -l$library -o /dev/null >/dev/null 2>&1 && return 0
  done
  return 1
}

has_wasm() { clang --target=wasm32-wasi -mexec-model=reactor tests/wasm/probe.c -o /dev/null; }

has_clang_runtime() { echo 'int main(void) { return 0; }' | clang -fsanitize=address,undefined -x c - -o /dev/null; }

# Is there another way to what the package would bring? (an own cmake, another LAPACK)
otherwise_present() {
  case $1 in
    gcc) command -v cc ;;
    cmake | clang | valgrind | python3 | clang-tidy | cppcheck | clang-format) command -v "$1" ;;
    ninja-build) command -v ninja ;;
    libc6-dev) has_header stdio.h ;;
    libopenblas-dev | liblapack-dev) has_lapack ;;
    libflint-dev) has_header flint/flint.h ;;
    libsundials-dev) has_header cvode/cvode.h && has_header ida/ida.h ;;
    libexpat1-dev) has_header expat.h ;;
    libzstd-dev) has_header zstd.h ;;
    libhdf5-dev) has_header hdf5.h || has_header hdf5/serial/hdf5.h ;;
    pkgconf) command -v pkg-config ;;
    librsvg2-dev) pkg-config --exists librsvg-2.0 ;;
    fonts-dejavu-core) fc-list : family | grep -q . ;;
    python3-dev) python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' ;;
    python3-venv) python3 -c 'import ensurepip, venv' ;;
    python3-mpmath) python3 -c 'import mpmath' ;;
    python3-numpy) python3 -c 'import numpy' ;;
    gcc-arm-none-eabi) command -v arm-none-eabi-gcc ;;
    gcc-arm-linux-gnueabihf) command -v arm-linux-gnueabihf-gcc ;;
    qemu-user) command -v qemu-arm ;;
    libcmocka-dev) has_header cmocka.h ;;
    libjansson-dev) has_header jansson.h ;;
    lld | wasi-libc | libclang-rt-*-wasm32) has_wasm ;;
    openmpi-bin) command -v mpirun ;;
    libopenmpi-dev) command -v mpicc ;;
    nodejs) command -v node ;;
    npm) command -v npm ;;
    binaryen) command -v wasm-opt ;;
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    libclang-rt-*) has_clang_runtime ;;
    libc6-dbg) ! command -v dpkg-query ;;
    locales) [ -e /usr/share/i18n/locales/de_DE ] ;;
    *) false ;;
  esac >/dev/null 2>&1
}

missing() {
  installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p')
  for package in "$@"; do
    echo "$installed" | grep -qxF "$package" || { [ -z "${as_packages:-}" ] && otherwise_present "$package"; } || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@" \
    </dev/null >>"$log" 2>&1
}

can_install() {
  command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }
}

# Package lists may be absent or old: refresh them only if the first try fails.
install() {
  packages=$(missing "$@")
  [ -n "$packages" ] || return 0
  if ! can_install; then
    say "these packages are missing, and there is no way to install them here:" $packages
    return 1
  fi
  say "apt-get install" $packages
  apt install -y --no-install-recommends $packages && return 0
  [ -n "${refreshed:-}" ] || { say "apt-get update"; apt update; refreshed=yes; }
  apt install -y --no-install-recommends $packages && return 0
  for package in $packages; do
    apt install -y --no-install-recommends "$package" || say "could not install $package"
  done
  [ -z "$(missing "$@")" ]
}

install_required() {
  install $required && return 0
  command -v cc >/dev/null && command -v cmake >/dev/null && command -v ninja >/dev/null && return 0
  say "cannot build without a C compiler, cmake and ninja; the packages on Debian are:"
  say "  $required"
  [ ! -s "$log" ] || { say "the last words of apt-get:"; tail -n 5 "$log"; }
  return 1
}

install_page() { install $page && install "$(clang_runtime)-wasm32"; }

install_tests() {
  install $tests && install "$(clang_runtime)" || say "going on; some tests will be left out"
  install $arm || say "going on; exported C is not compiled for ARM"
  install $mpi || say "going on; sweeps over processes are tested without MPI"
  install_page && install $browser || say "going on; the tests of pages will be left out"
}

main() {
  install_required || exit 1
  # tried once: not again at every make
  if [ ! -e build/CMakeCache.txt ]; then
    install $optional || say "going on without" $optional
  fi
  case $1 in
    build) ;;
    test) install_tests ;;
    page) install_page || say "going on; without clang for wasm32-wasi and npm there is no page" ;;
    python) install $python || say "going on; the Python package needs them" ;;
    deb)
      as_packages=yes # dpkg-buildpackage asks for packages, not for what they bring
      install $required $optional $deb || say "going on; packages need them"
      ;;
    analysis)
      install_tests
      install $analysis || say "going on; some checks will be left out"
      ;;
    *)
      echo "usage: setup.sh build|test|page|python|deb|analysis" >&2
      exit 2
      ;;
  esac
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
main "${1:-build}"
