#!/usr/bin/env bash
# Instructions per step of kernel and library in each case of bench_interpreter, by callgrind.
#   bench/instructions.sh [BUILD FOLDER, default build]
set -euo pipefail
program=${1:-build}/bench_interpreter
steps=10000

# count <case> <functions>: instructions inside them, callees included.
count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$2" "$program" --once "$1" 2>&1 |
    awk -v steps=$steps '/Collected/ { printf "%.1f", $NF / steps }'
}

printf '%-5s %10s %10s\n' case kernel library
for case in 0 1 2 3; do
  case $case in
    0 | 2) kernel='kernels::mclachlan_perlmutter*' ;;
    *) kernel='kernels::spark_lobatto_ab*' ;;
  esac
  printf '%-5s %10s %10s\n' $case "$(count $case "$kernel")" "$(count $case 'rattleback::PlanStepper::advance*')"
done
