# One program per tests/fuzz/fuzz_*.c, in <build>/fuzz.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  # libFuzzer names its entry points, so a missing prototype says nothing here
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer -Wno-missing-prototypes)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE pfaff_static)
endforeach()
