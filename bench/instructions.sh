#!/usr/bin/env bash
# Instructions per step of every side of every case, by callgrind. The arguments are those of instructions.py.
set -euo pipefail
exec python3 "$(dirname -- "${BASH_SOURCE[0]}")/instructions.py" "$@"
