#!/bin/bash
# Compiles every example with nvcc, including host part and self-check: the code of stencilc compiles
# without warnings.
#
#   nvcc_test.sh STENCILC EXAMPLES [SHARD SHARDS]
source "$(dirname "$0")/examples.sh"

nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
if [ -z "$nvcc" ]; then
  echo "SKIPPED: the CUDA toolkit (nvcc) is not installed on this machine"
  exit 77
fi

# compiles FILE FLAGS...: compiles without any output.
compiles() {
  local file=$1
  shift
  "$nvcc" -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror "$@" "$file" -o out >log 2>&1 &&
    [ ! -s log ]
}

# check FIRST NAMES -- FLAGS...: all cases compile.
check() {
  local first=$1 names=() name
  shift
  while [ "$1" != -- ]; do names+=("$1") && shift; done
  shift
  [ ${#names[@]} -gt 0 ] || return
  together cu "$first" "${names[@]}" >all.cu
  compiles all.cu "$@" && return
  cp log all.log
  local before=$failed
  for name in "${names[@]}"; do compiles "$name.cu" "$@" || complain "$name" log; done
  [ "$failed" -gt "$before" ] || complain "${names[0]}" all.log  # each case alone compiles
}

try_example() {
  local file=$1 number=$2 all=() old=() name before=$failed
  emit_cases "$file" float cu --main --header
  all+=("${cases[@]}")
  # Without flags nvcc compiles for the oldest architecture that it knows, which has less shared memory.
  # The host part is the same, and optimisation does not change what fits.
  for name in "${cases[@]}"; do
    case ${labels[$name]} in *loads=bulk*) ;; *) old+=("$name") ;; esac
  done
  emit_cases "$file" double cu --main --header
  all+=("${cases[@]}")
  check "$number" "${all[@]}" -- -c -arch=sm_90 -std=c++17
  check "$number" "${old[@]}" -- -cubin -Xcicc -O0 -Xptxas -O0
  passed=$((passed + ${#all[@]} - failed + before))
}

run_examples
