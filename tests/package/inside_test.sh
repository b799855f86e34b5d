#!/usr/bin/env bash
# Projects that have rattleback inside can be configured, and are left as they were. Their builds: inside_long_test.sh.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for how in add_subdirectory FetchContent; do
  cmake -S "$here/parent" -B "$work/$how" -G Ninja -DHOW=$how "-DRATTLEBACK=$RATTLEBACK_SOURCE_DIR" \
    "-DSLEIGH=$RATTLEBACK_SOURCE_DIR/examples/sleigh.cpp" >"$work/log" 2>&1 || {
    cat "$work/log"
    echo "$how: the parent could not be configured"
    exit 1
  }
  if grep -rqs "rattleback" --include=cmake_install.cmake "$work/$how/rattleback" "$work/$how/_deps" &&
    grep -rhs "file(INSTALL" --include=cmake_install.cmake "$work/$how/rattleback" "$work/$how/_deps"; then
    echo "$how: the library installs something of its own"
    exit 1
  fi
done
echo "parents are left as they were"
