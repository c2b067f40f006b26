# SPDX-License-Identifier: Apache-2.0
# One program per bench/bench_*.c, in <build>/bench. They may look inside the library.
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/bench_*.c")
if(NOT PFAFF_HAVE_LAPACK)
  list(FILTER bench_sources EXCLUDE REGEX "/bench_forms\\.c$") # codes two methods of a paper by LAPACK
endif()
if(NOT TARGET pfaff_commands)
  list(FILTER bench_sources EXCLUDE REGEX "/bench_python\\.c$") # calls a command of the program
endif()
foreach(source IN LISTS bench_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(${name} PRIVATE PF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE pfaff_static m)
endforeach()
if(TARGET bench_forms)
  target_link_libraries(bench_forms PRIVATE LAPACK::LAPACK)
endif()

# What a person writes is compiled as its author would, for this processor.
target_sources(bench_native PRIVATE "${PROJECT_SOURCE_DIR}/bench/hand.c")

# The peers of bench_run: ARKODE, CVODE and IDA on equations written by hand.
if(TARGET bench_run)
  target_sources(bench_run PRIVATE "${PROJECT_SOURCE_DIR}/bench/run_peers.c" "${PROJECT_SOURCE_DIR}/bench/hand.c")
  if(PFAFF_HAVE_SUNDIALS AND SUNDIALS_ARKODE_LIBRARY)
    target_compile_definitions(bench_run PRIVATE PF_HAVE_SUNDIALS=1)
    target_link_libraries(bench_run PRIVATE "${SUNDIALS_ARKODE_LIBRARY}" SUNDIALS::SUNDIALS)
  endif()
endif()

# The calls that Python makes, from C.
if(TARGET bench_python)
  set(glue "${PROJECT_SOURCE_DIR}/python/glue")
  target_sources(bench_python PRIVATE "${glue}/command.c" "${glue}/ask.c" $<TARGET_OBJECTS:pfaff_commands>)
  target_include_directories(bench_python PRIVATE "${glue}" "${PROJECT_SOURCE_DIR}/include")
endif()
