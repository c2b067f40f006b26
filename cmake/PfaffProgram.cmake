# SPDX-License-Identifier: Apache-2.0
# The program pfaff, at the top of the build directory, linked to the static library: one file to copy.
file(GLOB cli_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.c")
if(NOT "task" IN_LIST PFAFF_MODULES)
  list(APPEND pfaff_absent "the program pfaff (PFAFF_MODULES names only some of the modules)")
elseif("${PROJECT_SOURCE_DIR}/src/cli/main.c" IN_LIST cli_sources)
  # everything but main.c, for the program and for the fuzzers of what it reads
  list(REMOVE_ITEM cli_sources "${PROJECT_SOURCE_DIR}/src/cli/main.c")
  add_library(pfaff_commands OBJECT ${cli_sources})
  target_include_directories(pfaff_commands PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(pfaff_commands PRIVATE PF_VERSION="${PROJECT_VERSION}")
  target_link_libraries(pfaff_commands PUBLIC pfaff_static)
  add_executable(pfaff_program "${PROJECT_SOURCE_DIR}/src/cli/main.c" $<TARGET_OBJECTS:pfaff_commands>)
  set_target_properties(pfaff_program PROPERTIES
    OUTPUT_NAME pfaff
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  target_include_directories(pfaff_program PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(pfaff_program PRIVATE pfaff_static)
else()
  list(APPEND pfaff_absent "the program pfaff (src/cli/main.c does not exist)")
endif()
