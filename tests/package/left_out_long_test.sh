#!/usr/bin/env bash
# Builds without HDF5, SUNDIALS, MPI, librsvg and the report do not contain them, and say so where they are asked for.
set -euo pipefail
build=$(dirname "$RATTLEBACK_BINARY")/package_left_out
fail() {
  printf '%s\n' "$@"
  exit 1
}
configure=(cmake -S "$RATTLEBACK_SOURCE_DIR" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1
  -DRATTLEBACK_TESTS=OFF -DRATTLEBACK_WITH_HDF5=OFF -DRATTLEBACK_WITH_SUNDIALS=OFF -DRATTLEBACK_WITH_MPI=OFF
  -DRATTLEBACK_WITH_RSVG=OFF -DRATTLEBACK_WITH_REPORT=OFF)
"${configure[@]}" -B "$build" >"$build.log" 2>&1 && ninja -C "$build" rattleback rattleback_cli >"$build.log" 2>&1 ||
  fail "$(tail -n 60 "$build.log")" "a build without these parts fails"
program=$build/rattleback
[[ ! -e $build/rattleback_mpi.so ]] || fail "rattleback_mpi.so was built"
if ldd "$program" | grep -E 'hdf5|sundials|libmpi'; then fail "the program still needs them"; fi
if nm -C "$program" | grep -E ' (H5|IDA|ARK|ERKStep|SUN)[A-Z][A-Za-z0-9]*$'; then fail "the program still contains them"; fi

# refuses <sentence> <command>...: status 2 with this sentence.
refuses() {
  local sentence=$1 status=0 out
  shift
  out=$("$program" "$@" 2>&1) || status=$?
  [[ $status == 2 && $out == *"$sentence"* ]] || fail "status $status from $*, which says:" "$out"
}
cd "$(mktemp -d)"
refuses "this build writes no .h5 files (RATTLEBACK_WITH_HDF5=OFF). Use .csv" run skate --output x.h5
refuses "this build writes no .h5 files (RATTLEBACK_WITH_HDF5=OFF). Use .csv" \
  ensemble skate --vary "g=0.9:1.1:3" --step 0.1 --until 1 --output x.h5
for ending in pdf png; do
  refuses "this build writes no .pdf and .png files (RATTLEBACK_WITH_RSVG=OFF). Use .svg" run skate --plot x.$ending
done
if grep -q librsvg-2 "$program"; then fail "the program still looks for librsvg"; fi
for method in ode index1 baumgarte; do
  refuses "method '$method' was left out of this build" run skate --method "$method"
  if "$program" methods | grep -E "^ *$method "; then fail "$method is in the list of methods"; fi
done
refuses "RATTLEBACK_WITH_REPORT=OFF" run skate --report x.html
[[ -z $(ls) ]] || fail "something was written: $(ls)"
"$program" run skate --method projected-dop853 --output x.csv >/dev/null
"$program" check skate >/dev/null

# Without the program: neither it nor what comes with it is a target.
"${configure[@]}" -B "$build-library" -DRATTLEBACK_WITH_CLI=OFF -DRATTLEBACK_INSTALL=OFF >"$build.log" 2>&1 ||
  fail "$(cat "$build.log")"
targets=$(ninja -C "$build-library" -t targets all)
if grep -E '^(rattleback_cli|example_[a-z]+):' <<<"$targets"; then fail "the program is still a target"; fi
grep -q '^librattleback.a: ' <<<"$targets" || fail "the library is no target"
echo "what is left out is left out"
