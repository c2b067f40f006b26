# SPDX-License-Identifier: Apache-2.0
# Toolchain: clang with wasi-libc, as Debian has them (clang, lld, wasi-libc, libclang-rt-<version>-dev-wasm32).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(PFAFF_WASM ON)
