#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a temporary place and uses it as a stranger would: the public headers alone in C and
# C++, the library by find_package and by pkg-config, static and shared; and looks at the names it exports.
#   check_package.sh <build directory> [cmake] [compiler]
set -eu
build=$1
cmake=${2:-cmake}
cc=${3:-cc}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=$place/prefix

"$cmake" --install "$build" --prefix "$prefix" >"$place/log" || { cat "$place/log"; exit 1; }
lib=$(dirname "$(find "$prefix" -name libpfaff.a)")

echo "headers stand alone in C11"
for header in "$prefix"/include/pfaff/*.h; do
  echo "#include <pfaff/$(basename "$header")>" >"$place/header.c"
  "$cc" -std=c11 -pedantic -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only "$place/header.c"
  if command -v c++ >/dev/null; then
    c++ -x c++ -std=c++11 -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only "$place/header.c"
  fi
done

echo "every external name starts with pf_"
for library in libpfaff.a libpfaff.so; do
  flags=-g
  if [ $library = libpfaff.so ]; then flags=-D; fi
  strangers=$(nm $flags --defined-only "$lib/$library" | awk 'NF == 3 && $3 !~ /^pf_/ {print $3}')
  if [ -n "$strangers" ]; then
    echo "$library exports:" $strangers
    exit 1
  fi
done

echo "a program is built by find_package and runs"
mkdir "$place/user"
cat >"$place/user/main.c" <<'END'
#include <pfaff/sim.h>
#include <stdio.h>
int main(void)
{
  PfError error;
  PfSim *sim = pf_sim_open("no such file", &error); /* needs all of the library */
  printf("%s\n", pf_version());
  return sim != NULL;
}
END
cat >"$place/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(pfaff 0.1 REQUIRED COMPONENTS static)
add_executable(with_shared main.c)
target_link_libraries(with_shared PRIVATE pfaff::pfaff)
add_executable(with_static main.c)
target_link_libraries(with_static PRIVATE pfaff::static)
END
"$cmake" -S "$place/user" -B "$place/user/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  >"$place/log" 2>&1 && "$cmake" --build "$place/user/build" >>"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
version=$("$place/user/build/with_static")
[ "$("$place/user/build/with_shared")" = "$version" ]

if command -v pkg-config >/dev/null; then
  echo "a program is built by pkg-config and runs"
  export PKG_CONFIG_PATH="$lib/pkgconfig"
  [ "$(pkg-config --modversion pfaff)" = "$version" ]
  "$cc" "$place/user/main.c" $(pkg-config --cflags --libs pfaff) -o "$place/with_pc"
  [ "$(LD_LIBRARY_PATH=$lib "$place/with_pc")" = "$version" ]
  "$cc" "$place/user/main.c" $(pkg-config --static --cflags --libs pfaff | sed 's/-lpfaff/-l:libpfaff.a/') -o "$place/with_static_pc"
  [ "$("$place/with_static_pc")" = "$version" ]
  cd "$(dirname "$0")/.."
  "$cc" examples/c/snakeboard.c $(pkg-config --cflags --libs pfaff) -lm -o "$place/snakeboard" # as README says
  LD_LIBRARY_PATH=$lib "$place/snakeboard" >"$place/log" || { cat "$place/log"; exit 1; }
fi
echo "package $version works"
