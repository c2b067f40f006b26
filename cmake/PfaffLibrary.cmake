# SPDX-License-Identifier: Apache-2.0
# libpfaff: every module of src/ except the command line, compiled once for both libraries. The sources
# are found by pattern: a new file in a module needs no change here.
set(pfaff_sources "")
foreach(module IN LISTS PFAFF_MODULES)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
  list(APPEND pfaff_sources ${files})
endforeach()
include(PfaffFmu)
pfaff_shipped_texts("${PROJECT_BINARY_DIR}/shipped_texts.c")
list(APPEND pfaff_sources "${PROJECT_BINARY_DIR}/shipped_texts.c")
if("task" IN_LIST PFAFF_MODULES)
  include(PfaffExamples)
  pfaff_example_texts("${PROJECT_BINARY_DIR}/example_texts.c")
  list(APPEND pfaff_sources "${PROJECT_BINARY_DIR}/example_texts.c")
  # pages and the modules for MPI, which tasks look for
  file(RELATIVE_PATH mpi_modules "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/pfaff")
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/task/page_template.c" "${PROJECT_SOURCE_DIR}/src/task/sweep_team.c"
    APPEND PROPERTY COMPILE_DEFINITIONS PF_SHARE_DIR="${CMAKE_INSTALL_FULL_DATADIR}/pfaff"
    PF_MODULE_DIR="${CMAKE_INSTALL_FULL_LIBDIR}/pfaff" PF_MODULE_FROM_PROGRAM="${mpi_modules}")
endif()

# The recursion on trees is straight arithmetic in fixed-size loops: here the compiler may spend more. Vectors are written
# where they pay (lanes.h); those that it puts together of single numbers cost more than they save. In a build for one
# processor its results are those of that processor anyway, so multiply-add may be fused there; the default build stays the same
# bit for bit on every machine.
set(tree_options -O3 -fno-tree-slp-vectorize)
if(PFAFF_NATIVE)
  list(APPEND tree_options -ffp-contract=$<IF:$<C_COMPILER_ID:GNU>,fast,on>)
endif()
set(tree_sources ${pfaff_sources})
list(FILTER tree_sources INCLUDE REGEX "/src/tree/")
if(NOT PFAFF_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set_source_files_properties(${tree_sources} PROPERTIES COMPILE_OPTIONS "${tree_options}")
endif()

# Steps of sweeps in lanes are loops over eight numbers, which become vectors where the compiler may spend more.
if(NOT PFAFF_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/sweep/lanes_steps.c" PROPERTIES COMPILE_OPTIONS -O3)
endif()

# What is linked; the others are loaded when needed (PfaffDependencies), and only their headers are used here.
set(pfaff_libraries m ${CMAKE_DL_LIBS} ${CMAKE_THREAD_LIBS_INIT})
foreach(name LAPACK FLINT SUNDIALS EXPAT)
  if(PFAFF_LINKS_${name})
    list(PREPEND pfaff_libraries ${name}::${name})
  endif()
endforeach()

add_library(pfaff_objects OBJECT ${pfaff_sources})
target_include_directories(pfaff_objects
  PUBLIC "${PROJECT_SOURCE_DIR}/include"
  PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(pfaff_objects PRIVATE PF_VERSION="${PROJECT_VERSION}")
foreach(name LAPACK FLINT SUNDIALS EXPAT RSVG ZSTD HDF5)
  if(PFAFF_HAVE_${name})
    target_compile_definitions(pfaff_objects PRIVATE PF_HAVE_${name}=1)
  endif()
  if(PFAFF_HAVE_${name} AND PFAFF_${name}_FILE)
    target_compile_definitions(pfaff_objects PRIVATE PF_${name}_FILE="${PFAFF_${name}_FILE}")
  endif()
endforeach()
target_compile_definitions(pfaff_objects PRIVATE PF_SUNDIALS_IDA_FILE="${PFAFF_SUNDIALS_IDA_FILE}")
# their headers, whether they are linked or not
foreach(target FLINT::FLINT SUNDIALS::SUNDIALS EXPAT::EXPAT ZSTD::ZSTD HDF5::HDF5)
  if(TARGET ${target})
    target_include_directories(pfaff_objects SYSTEM PRIVATE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endforeach()
if(PFAFF_HAVE_RSVG)
  target_include_directories(pfaff_objects SYSTEM PRIVATE ${RSVG_INCLUDE_DIRS})
endif()
target_link_libraries(pfaff_objects PRIVATE ${pfaff_libraries})

function(pfaff_library target type)
  add_library(${target} ${type} $<TARGET_OBJECTS:pfaff_objects>)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME pfaff
    LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PRIVATE ${pfaff_libraries})
endfunction()

pfaff_library(pfaff_static STATIC)
set_target_properties(pfaff_static PROPERTIES EXPORT_NAME static)
add_library(pfaff::static ALIAS pfaff_static)

if(PFAFF_SHARED)
  pfaff_library(pfaff_shared SHARED)
  set_target_properties(pfaff_shared PROPERTIES EXPORT_NAME pfaff)
  add_library(pfaff::pfaff ALIAS pfaff_shared)
else()
  add_library(pfaff::pfaff ALIAS pfaff_static)
endif()
