#!/usr/bin/env bash
# Several threads use one model at once: threads/main.cpp under the thread sanitizer, as is the library.
set -euo pipefail
build=$(dirname "$RATTLEBACK_BINARY")/package_threads
run() {
  "$@" >"$build.log" 2>&1 || {
    tail -n 80 "$build.log"
    exit 1
  }
}
run cmake -S "$RATTLEBACK_SOURCE_DIR" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O1 -g1" \
  -DRATTLEBACK_SANITIZE=thread -DRATTLEBACK_TESTS=OFF -DRATTLEBACK_WITH_CLI=OFF -DRATTLEBACK_WITH_REPORT=OFF
run ninja -C "$build" rattleback
run cmake --install "$build" --prefix "$build/prefix"
run cmake -S "$RATTLEBACK_SOURCE_DIR/tests/package/threads" -B "$build/program" -G Ninja -DCMAKE_BUILD_TYPE=None \
  "-DCMAKE_CXX_FLAGS=-O1 -g1 -fsanitize=thread" "-DCMAKE_PREFIX_PATH=$build/prefix"
run ninja -C "$build/program"
# Families of libraries that are not instrumented (HDF5, SUNDIALS) are not called here.
TSAN_OPTIONS="halt_on_error=1 exitcode=66" run "$build/program/threads"
echo "eight threads share one model"
