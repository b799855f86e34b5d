#!/usr/bin/env bash
# All experiments in full: every number to its digits, in less than ten minutes.
set -euo pipefail
start=$SECONDS
"$RATTLEBACK_BINARY" reproduce --check
((SECONDS - start < 600))
