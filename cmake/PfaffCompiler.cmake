# SPDX-License-Identifier: Apache-2.0
# Flags for everything compiled here: library, program, tests. The scope is this directory, so a project
# that takes Pfaff in with add_subdirectory keeps its own flags.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The builds with sanitizers, for packages and for fuzzers compile the same sources again and again.
find_program(PFAFF_CCACHE ccache)
mark_as_advanced(PFAFF_CCACHE)
if(PFAFF_CCACHE AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${PFAFF_CCACHE}")
endif()

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes)

# Contraction to fused multiply-add would make results depend on the processor and the compiler's mood.
add_compile_options(-ffp-contract=off)

if(PFAFF_NATIVE)
  add_compile_options(-march=native)
endif()
if(PFAFF_WERROR)
  add_compile_options(-Werror)
endif()
if(PFAFF_SANITIZE)
  add_compile_options(-fsanitize=${PFAFF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PFAFF_SANITIZE})
endif()
if(PFAFF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
