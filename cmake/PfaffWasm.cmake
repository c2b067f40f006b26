# SPDX-License-Identifier: Apache-2.0
# pfaff.wasm: the library and its tasks as one WebAssembly module. What needs a system underneath (files, processes, signals)
# is left to the host: the files of wasm/ stand in for those of src/ that are left out here. See wasm/README.md.
set(wasm_sources "")
set(modules ${PFAFF_MODULES})
list(REMOVE_ITEM modules import export sweep)
foreach(module IN LISTS modules)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
  list(APPEND wasm_sources ${files})
endforeach()
list(FILTER wasm_sources EXCLUDE REGEX "/src/(base/file|base/library|codegen/(native|cache|compiler|source|sha256)|out/file|out/record)\\.c$")
# A page has pictures of its own (left_out.c).
list(FILTER wasm_sources EXCLUDE REGEX
  "/src/(task/import|task/examples|task/gallery|task/new|task/export.*|task/converge|task/sweep.*|task/page.*|task/plot.*|task/table.*|out/(axis|chart|label|legend|map|page|picture|series)|scene/(picture|paint|meshes))\\.c$")
file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/wasm/*.c")
list(APPEND wasm_sources ${files})

# The functions of pfaff/sim.h that JavaScript can call as they are.
file(STRINGS "${PROJECT_SOURCE_DIR}/include/pfaff/sim.h" lines REGEX "PF_API .*pf_(sim|sampling)_")
string(REGEX MATCHALL "pf_(sim|sampling)_[a-z_]+" exports "${lines}")
list(REMOVE_ITEM exports pf_sim_open pf_sim_of_model pf_sim_of_machine pf_sim_control pf_sim_control_now) # files, and pointers to functions
list(REMOVE_DUPLICATES exports)
list(TRANSFORM exports PREPEND "LINKER:--export=")

add_executable(pfaff_wasm ${wasm_sources})
set_target_properties(pfaff_wasm PROPERTIES OUTPUT_NAME pfaff SUFFIX .wasm)
target_include_directories(pfaff_wasm PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/wasm")
target_compile_definitions(pfaff_wasm PRIVATE PF_VERSION="${PROJECT_VERSION}")
# What a step runs through is made fast, the rest small: the module is sent and compiled before anything moves.
set(hot_sources ${wasm_sources})
list(FILTER hot_sources INCLUDE REGEX "/src/(kernel/run|runtime/[a-z_]+|form/solver)\\.c$")
target_compile_options(pfaff_wasm PRIVATE -Oz)
set_source_files_properties(${hot_sources} PROPERTIES COMPILE_OPTIONS -O2)
# The stack comes first, so that what overflows it is a trap and not a wrong number; the host decides how large memory may grow.
target_link_options(pfaff_wasm PRIVATE -mexec-model=reactor LINKER:--import-memory LINKER:--initial-memory=4194304 LINKER:--max-memory=4294967296
  LINKER:-z,stack-size=1048576 LINKER:--stack-first LINKER:--strip-all LINKER:--export=malloc LINKER:--export=free ${exports})

# (pfaff.mjs knows the first size of memory)
find_program(WASM_OPT wasm-opt)
mark_as_advanced(WASM_OPT)
if(WASM_OPT)
  add_custom_command(TARGET pfaff_wasm POST_BUILD COMMAND "${WASM_OPT}" -O4 --flatten --rereloop -Oz -Oz "$<TARGET_FILE:pfaff_wasm>" -o "$<TARGET_FILE:pfaff_wasm>")
endif()
