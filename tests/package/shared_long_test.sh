#!/usr/bin/env bash
# The shared library: installed, found without anything else being looked for, and used by all programs of check.cmake.
set -euo pipefail
build=$(dirname "$RATTLEBACK_BINARY")/package_shared
cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$(dirname "$RATTLEBACK_BINARY")/CMakeCache.txt")
run() {
  "$@" >"$build.log" 2>&1 || {
    tail -n 60 "$build.log"
    exit 1
  }
}
run cmake -S "$RATTLEBACK_SOURCE_DIR" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$cxx" \
  -DBUILD_SHARED_LIBS=ON -DRATTLEBACK_TESTS=OFF
run ninja -C "$build" rattleback rattleback_cli example_sleigh all
run cmake "-DBUILD_DIR=$build" "-DSOURCE_DIR=$RATTLEBACK_SOURCE_DIR" -DGENERATOR=Ninja "-DCXX=$cxx" -DSHARED=ON \
  -P "$RATTLEBACK_SOURCE_DIR/tests/package/check.cmake"
prefix=$build/package_test/prefix
[[ $(readelf -d "$prefix"/lib*/librattleback.so | grep SONAME) == *"[librattleback.so.0.1]"* ]]
"$prefix/bin/rattleback" --version >/dev/null
echo "the shared library is found and used"
