#!/bin/bash
# Every example through the CUDA toolkit's compiler, host part and self-check included: what
# stencilc writes compiles without a single warning.
#
#   nvcc_test.sh STENCILC EXAMPLES [SHARD SHARDS]
source "$(dirname "$0")/examples.sh"

nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
if [ -z "$nvcc" ]; then
  echo "SKIPPED: the CUDA toolkit (nvcc) is not installed on this machine"
  exit 77
fi
warnings=(-Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror)

try_case() {
  local name=$1 file=$2 schedule=$3 real=$4
  generate "$name.cu" "$file" --schedule "$schedule" --real "$real" --main --header || return
  if ! "$nvcc" -c -arch=sm_90 -std=c++17 "${warnings[@]}" "$name.cu" -o "$name.o" >log 2>&1 ||
     [ -s log ]; then
    complain "$name $schedule $real" log
    return 2
  fi
  # Without flags nvcc compiles for the oldest architecture it knows, which has less room. The host part is the same,
  # and optimisation changes nothing in what fits.
  case $schedule in *loads=bulk*) return 0 ;; esac
  [ "$real" = float ] || return 0
  if ! "$nvcc" -cubin -Xcicc -O0 -Xptxas -O0 "${warnings[@]}" "$name.cu" -o "$name.cubin" >log 2>&1 ||
     [ -s log ]; then
    complain "$name $schedule $real, no flags" log
    return 2
  fi
}

run_cases
