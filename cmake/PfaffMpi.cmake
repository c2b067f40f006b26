# SPDX-License-Identifier: Apache-2.0
# Modules for MPI: pfaff-mpi-openmpi.so and pfaff-mpi-mpich.so, each compiled by the mpicc of its implementation. The program is not
# linked to MPI; 'pfaff sweep' loads the one of the launcher that has started it (src/task/sweep_launch.c).
#   -DPFAFF_MPICC="mpicc;/opt/other/bin/mpicc"   names the compilers; without it those are taken that are found
set(PFAFF_HAVE_MPI OFF)
set(pfaff_mpi_kinds "")
set(mpi_reason "PFAFF_MPI is OFF")

set(mpi_flags -std=c11 -O2 -fPIC -fvisibility=hidden -shared "-I${PROJECT_SOURCE_DIR}/src" "-I${PROJECT_SOURCE_DIR}/include")
set(mpi_source "${PROJECT_SOURCE_DIR}/mpi/module.c")

# "openmpi", or "mpich" for MPICH and what descends from it; empty when it does not compile
function(pfaff_mpi_kind result compiler)
  set(probe "${PROJECT_BINARY_DIR}/mpi_probe")
  file(WRITE "${probe}.c" "#include <mpi.h>\n#ifdef OPEN_MPI\nkind_is_openmpi\n#else\nkind_is_mpich\n#endif\n")
  execute_process(COMMAND "${compiler}" -E "${probe}.c" OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE no_header)
  execute_process(COMMAND "${compiler}" ${mpi_flags} "${mpi_source}" -o "${probe}.so" OUTPUT_QUIET ERROR_QUIET
    RESULT_VARIABLE no_library)
  set(${result} "" PARENT_SCOPE)
  if(NOT no_header AND NOT no_library AND text MATCHES "kind_is_([a-z]+)")
    set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
  endif()
endfunction()

if(TARGET pfaff_program AND NOT CMAKE_CROSSCOMPILING AND (PFAFF_MPI STREQUAL "AUTO" OR PFAFF_MPI))
  set(mpi_reason "no mpicc that works was found: libopenmpi-dev or libmpich-dev on Debian")
  set(compilers ${PFAFF_MPICC})
  if(NOT compilers)
    foreach(name mpicc.openmpi mpicc.mpich mpicc)
      find_program(PFAFF_FOUND_${name} ${name})
      mark_as_advanced(PFAFF_FOUND_${name})
      if(PFAFF_FOUND_${name})
        list(APPEND compilers "${PFAFF_FOUND_${name}}")
      endif()
    endforeach()
  endif()
  set(mpi_warnings -Wall -Wextra -Wshadow)
  if(PFAFF_WERROR)
    list(APPEND mpi_warnings -Werror)
  endif()
  foreach(compiler IN LISTS compilers)
    pfaff_mpi_kind(kind "${compiler}")
    if(NOT kind OR kind IN_LIST pfaff_mpi_kinds)
      continue()
    endif()
    list(APPEND pfaff_mpi_kinds ${kind})
    set(module "${PROJECT_BINARY_DIR}/pfaff-mpi-${kind}.so")
    add_custom_command(OUTPUT "${module}"
      COMMAND "${compiler}" ${mpi_flags} ${mpi_warnings} "${mpi_source}" -o "${module}"
      DEPENDS "${mpi_source}" "${PROJECT_SOURCE_DIR}/src/sweep/mpi_module.h" "${PROJECT_SOURCE_DIR}/include/pfaff/base.h"
      COMMENT "Building pfaff-mpi-${kind}.so" VERBATIM)
    add_custom_target(pfaff_mpi_${kind} ALL DEPENDS "${module}")
    install(FILES "${module}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pfaff")
    set(PFAFF_HAVE_MPI ON)
  endforeach()
endif()
if(NOT PFAFF_HAVE_MPI)
  if(PFAFF_MPI AND NOT PFAFF_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "PFAFF_MPI is ON: ${mpi_reason}")
  endif()
  list(APPEND pfaff_absent "sweeps by MPI, whose processes share the work by files instead (${mpi_reason})")
endif()
