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

# The oldest architecture is the first that nvcc lists: compute_75.
oldest=$("$nvcc" --list-gpu-arch | head -n 1)

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

# Each case is compiled for one architecture: double for sm_90, float for the oldest that nvcc knows
# (bulk copies need sm_90). Every second example is compiled in double. The test of NVRTC optimises
# all kernels and assembles their machine code, so kernels are only compiled to PTX here, without
# optimisation. STENCIL_LONG=1 does both, for every example in both types, and for float on both
# architectures.
try_example() {
  local file=$1 number=$2 new=() old=() floats=() name before=$failed
  if [ "${STENCIL_LONG:-}" = 1 ] || [ $((number % 2)) = 0 ]; then
    emit_cases "$file" float cu --main --header
    floats=("${cases[@]}")
    for name in "${floats[@]}"; do
      case ${labels[$name]} in *loads=bulk*) new+=("$name") ;; *) old+=("$name") ;; esac
    done
  fi
  if [ "${STENCIL_LONG:-}" = 1 ] || [ $((number % 2)) = 1 ]; then
    emit_cases "$file" double cu --main --header
    new+=("${cases[@]}")
  fi
  if [ "${STENCIL_LONG:-}" = 1 ]; then
    check "$number" "${new[@]}" -- -c -arch=sm_90 -std=c++17
    check "$number" "${old[@]}" -- -c -std=c++17
  else
    check "$number" "${new[@]}" -- -c -arch=compute_90 -Xcicc -O0 -std=c++17
    check "$number" "${old[@]}" -- -c -arch="$oldest" -Xcicc -O0 -std=c++17
  fi
  passed=$((passed + ${#new[@]} + ${#old[@]} - failed + before))
  [ "${STENCIL_LONG:-}" != 1 ] || check "$number" "${floats[@]}" -- -c -arch=sm_90 -std=c++17
}

# Launches that are replayed between the reductions of a step.
if [ "$shard" = 0 ]; then
  cat >replayed.stn <<'END'
grid G = [0..99, 0..99] steps 8;
field A, B : real on G;
repeat 9 { stencil s : A[1..98, 1..98] = 0.5 * (A[-1,0] + A[0,1]); }
stencil t : B on G = B[0,0] + A[0,0];
reduce most = max(B[0,0]) on G;
stop when most > 1e9;
END
  labels[replayed]="replayed launches"
  "$stencilc" replayed.stn --schedule "overlapped T=1" -o replayed.cu --main >log 2>&1 &&
    grep -q 'stencil_launches launches(' replayed.cu &&
    compiles replayed.cu -c -arch="$oldest" -Xcicc -O0 -std=c++17 || complain replayed log
fi

run_examples
