# SPDX-License-Identifier: Apache-2.0
# What can be chosen, and what follows from it.
option(PFAFF_SHARED "Build the shared library besides the static one" ON)
option(PFAFF_TESTS "Build the tests (needs cmocka)" ${PROJECT_IS_TOP_LEVEL})
option(PFAFF_BENCH "Build the programs of bench/" OFF)
option(PFAFF_FUZZ "Build the fuzzers of tests/fuzz (needs clang)" OFF)
option(PFAFF_PYTHON "Build the Python package (needs Python from 3.10 on and cffi)" OFF)
set(PFAFF_PYTHON_EXECUTABLE "" CACHE FILEPATH "The Python to build it with; empty: the one that is found")
option(PFAFF_NATIVE "Compile for the processor of this machine only; lets src/tree use fused multiply-add" OFF)
option(PFAFF_WERROR "Treat warnings as errors" OFF)
set(PFAFF_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined")
set(PFAFF_LAPACK AUTO CACHE STRING "Eigenvalues and singular values by LAPACK: AUTO, ON or OFF")
set_property(CACHE PFAFF_LAPACK PROPERTY STRINGS AUTO ON OFF)
set(PFAFF_FLINT AUTO CACHE STRING "Exact algebra by FLINT: AUTO, ON or OFF")
set_property(CACHE PFAFF_FLINT PROPERTY STRINGS AUTO ON OFF)
set(PFAFF_SUNDIALS AUTO CACHE STRING "CVODE and IDA of SUNDIALS as methods of a run: AUTO, ON or OFF")
set_property(CACHE PFAFF_SUNDIALS PROPERTY STRINGS AUTO ON OFF)
set(PFAFF_EXPAT AUTO CACHE STRING "Import of URDF by expat: AUTO, ON or OFF")
set_property(CACHE PFAFF_EXPAT PROPERTY STRINGS AUTO ON OFF)
set(PFAFF_RSVG AUTO CACHE STRING "Pictures as PNG and PDF by librsvg: AUTO, ON or OFF")
set_property(CACHE PFAFF_RSVG PROPERTY STRINGS AUTO ON OFF)
set(PFAFF_ZSTD AUTO CACHE STRING "Compressed results of sweeps by zstd: AUTO, ON or OFF")
set_property(CACHE PFAFF_ZSTD PROPERTY STRINGS AUTO ON OFF)
set(PFAFF_HDF5 AUTO CACHE STRING "Results of sweeps as HDF5 files: AUTO, ON or OFF")
set_property(CACHE PFAFF_HDF5 PROPERTY STRINGS AUTO ON OFF)

# The modules of src/, the command line aside. The cache holds only a choice: a list of all of them would keep those out
# that came later.
set(PFAFF_MODULES "" CACHE STRING
  "Modules to build, empty for all; fewer, from the left, give a smaller library without the program")
mark_as_advanced(PFAFF_MODULES)
set(PFAFF_ALL_MODULES base num expr model lang mech kernel codegen form tree time sim study out sweep scene export import)
if(NOT PFAFF_MODULES)
  set(PFAFF_MODULES ${PFAFF_ALL_MODULES})
endif()

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

if(PFAFF_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PFAFF_FUZZ needs clang (libFuzzer): configure with -DCMAKE_C_COMPILER=clang")
  endif()
  if(NOT PFAFF_SANITIZE)
    set(PFAFF_SANITIZE "address,undefined")
  endif()
endif()

# Why something is absent; PfaffSummary prints the lines.
set(pfaff_absent "")
