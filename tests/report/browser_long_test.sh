#!/usr/bin/env bash
# Reports in a real browser (browser.mjs), and the types of the page's scripts. Needs Node.js, npm and Chromium, which
# ./test --full installs. Screenshots are in the folder report of the build.
set -euo pipefail
root=$RATTLEBACK_SOURCE_DIR
build=$(dirname -- "$RATTLEBACK_BINARY")
packages=$build/web-test
for tool in node npm chromium; do
  command -v "$tool" >/dev/null || {
    echo "$tool is missing; packages.txt names it"
    exit 1
  }
done

mkdir -p "$packages"
sum=$(cksum <"$root/web/package-lock.json")
if [[ ! -f $packages/stamp || $(<"$packages/stamp") != "$sum" ]]; then
  cp "$root/web/package.json" "$root/web/package-lock.json" "$packages"
  (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund) >"$packages/npm.log" 2>&1 || {
    tail -n 20 "$packages/npm.log"
    exit 1
  }
  printf '%s\n' "$sum" >"$packages/stamp"
fi

rm -rf "$packages/src"
cp -r "$root/web/src" "$root/web/tsconfig.json" "$packages"
(cd "$packages" && node node_modules/typescript/bin/tsc -p .)

if grep -qE '"resolved"|registry' "$root/web/package-lock.json"; then
  echo "web/package-lock.json names a registry; take the lines with \"resolved\" out"
  exit 1
fi
mkdir -p "$build/report"
RATTLEBACK_INDEX_PAGE=$build/report/index.html "$build/tests/report_tests" \
  --gtest_filter=IndexPage.ShowsEveryEntryWithItsFigure >/dev/null
node "$root/tests/report/browser.mjs" "$packages" "$RATTLEBACK_BINARY" "$build/report"
