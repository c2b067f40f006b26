# SPDX-License-Identifier: Apache-2.0
# Pages with this engine, driven in a browser. Without the packages of npm (cd page && npm ci) or without chromium they are left
# out (exit code 77).
set(pages "${PROJECT_BINARY_DIR}/page")
set(packages "${CMAKE_CURRENT_SOURCE_DIR}/page/packages.sh")
register_test(page.types "${packages}" node_modules/.bin/tsc --noEmit)
register_test(page.build "${packages}" "${PFAFF_NODE}" build.mjs "${PROJECT_SOURCE_DIR}/build-wasm/pfaff.wasm" "${pages}")
set_tests_properties(page.types PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(page.build PROPERTIES SKIP_RETURN_CODE 77 FIXTURES_REQUIRED wasm FIXTURES_SETUP page)
file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/page/*.test.mjs")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  string(REPLACE ".test.mjs" "" test "${name}")
  register_test("page.${test}" "${PFAFF_NODE}" "${CMAKE_CURRENT_SOURCE_DIR}/page/run.mjs" $<TARGET_FILE:pfaff_program>
    "${PROJECT_SOURCE_DIR}" "${pages}" "${name}")
  set_tests_properties("page.${test}" PROPERTIES SKIP_RETURN_CODE 77 FIXTURES_REQUIRED page)
endforeach()
