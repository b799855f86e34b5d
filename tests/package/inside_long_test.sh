#!/usr/bin/env bash
# Projects that have rattleback inside, built and run (configured only: inside_test.sh). Where the second way gives the same
# commands as the first, folders aside, it is not built once more.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$RATTLEBACK_BINARY")
launcher=$(command -v ccache || true)

# commands <build folder>: what compiles what, without the names of folders.
commands() {
  ninja -C "$1" -t commands sleigh |
    sed -e "s|$1|BUILD|g" -e 's|BUILD/_deps/rattleback-build|BUILD/INSIDE|g' -e 's|BUILD/rattleback|BUILD/INSIDE|g' \
        -e 's|_deps/rattleback-build/|INSIDE/|g' -e 's|\brattleback/|INSIDE/|g' | sort
}

for how in add_subdirectory FetchContent; do
  build=$top/package_inside_$how
  rm -rf "$build"
  if ! cmake -S "$here/parent" -B "$build" -G Ninja -DHOW=$how "-DRATTLEBACK=$RATTLEBACK_SOURCE_DIR" \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" "-DSLEIGH=$RATTLEBACK_SOURCE_DIR/examples/sleigh.cpp" >"$build.log" 2>&1; then
    tail -n 60 "$build.log"
    echo "$how: the parent could not be configured"
    exit 1
  fi
  commands "$build" >"$build.commands"
  if [[ $how == FetchContent ]] && cmp -s "$top/package_inside_add_subdirectory.commands" "$build.commands"; then
    echo "$how: the same commands"
    continue
  fi
  if ! { ninja -C "$build" && cmake --install "$build" --prefix "$build/prefix"; } >"$build.log" 2>&1; then
    tail -n 60 "$build.log"
    echo "$how: the parent could not be built"
    exit 1
  fi
  "$build/prefix/bin/sleigh" | grep -q "energy kept to"
  [[ $(find "$build/prefix" -type f) == "$build/prefix/bin/sleigh" ]] || {
    find "$build/prefix" -type f
    echo "$how: the library installs something of its own"
    exit 1
  }
done
echo "parents are built"
