#!/usr/bin/env bash
# A build without Node.js, and one whose packages cannot be fetched, go on without the report and say why.
set -euo pipefail
root=$RATTLEBACK_SOURCE_DIR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bundle <name> <sentence> <VARIABLE=value>... [cmake option]: the script ends well, and its source has the sentence.
bundle() {
  local folder=$work/$1 sentence=$2
  shift 2
  env "$@" -DWEB="$root/web" -DFOLDER="$folder" -DOUTPUT="$folder/bundle.cpp" \
    -DEMBED="$root/cmake/embed_texts.cmake" -P "$root/cmake/bundle_report.cmake" >"$folder.log" 2>&1 || {
    cat "$folder.log"
    echo "the build stopped instead of going on without the report"
    exit 1
  }
  if ! grep -qF "$sentence" "$folder/bundle.cpp" || ! grep -qF "Install Node.js" "$folder/bundle.cpp"; then
    cat "$folder/bundle.cpp" "$folder.log"
    echo "expected: $sentence"
    exit 1
  fi
}

cmake=$(command -v cmake)
bundle no_node "Node.js and npm were not found" "$cmake" -DREPORT=ON -DNODE=NODE-NOTFOUND -DNPM=NPM-NOTFOUND \
  -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
bundle switched_off "RATTLEBACK_WITH_REPORT=OFF" "$cmake" -DREPORT=OFF
if command -v npm >/dev/null && command -v node >/dev/null; then
  bundle offline "npm could not fetch its packages" npm_config_registry=http://127.0.0.1:9/ \
    npm_config_cache="$work/cache" "$cmake" -DREPORT=ON
fi
echo "builds without the report go on"
