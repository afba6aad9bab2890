#!/bin/bash
# Files with entry points for boxes compile without warnings: C++ of every example that supports
# boxes, its header also as C, and CUDA of a few examples if there is nvcc.
#
#   boxes_test.sh STENCILC SOURCE
stencilc=$1
source=$2
directory=$(mktemp -d "${TMPDIR:-/tmp}/stencil-boxes-XXXXXX")
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
passed=0
failed=0
refused=0

# holds LABEL COMMAND...: the command succeeds and prints nothing.
holds() {
  local label=$1
  shift
  if "$@" >log 2>&1 && [ ! -s log ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $label"
    head -c 4000 log
  fi
}

# emit FILE OUTPUT ARGUMENTS...: returns false if boxes are refused.
emit() {
  local file=$1 output=$2
  shift 2
  "$stencilc" "$file" -o "$output" --boxes 3 "$@" >log 2>&1 && return
  if grep -q 'error L033' log; then
    refused=$((refused + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $file"
    head -c 4000 log
  fi
  return 1
}

strict=(-Wall -Wextra -Werror)
for file in "$source"/dsl-examples/*.stn "$source"/examples/mpi/wave.stn; do
  name=$(basename "$file" .stn)
  emit "$file" "$name.cpp" --header || continue
  holds "$name.cpp" c++ -std=c++17 "${strict[@]}" -DSTENCIL_CLONES= -march=native \
    -ffp-contract=off -fsyntax-only "$name.cpp"
  holds "$name.h" cc -std=c99 -Wpedantic "${strict[@]}" -x c -fsyntax-only "$name.h"
done
# Without a header, the file itself declares its entry points.
emit "$source/examples/mpi/wave.stn" alone.cpp
echo 'const char* (*const used)(wave_box*, const wave_params*) = wave_grid;' >>alone.cpp
holds "alone.cpp" c++ -std=c++17 -march=native -ffp-contract=off -fsyntax-only alone.cpp
if [ -n "$nvcc" ]; then
  for name in jacobi3d acoustic3d labyrinth; do  # plain, several levels, periodic
    emit "$source/dsl-examples/$name.stn" "$name.cu" --header || continue
    holds "$name.cu" "$nvcc" -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -c \
      -arch=sm_90 -std=c++17 "$name.cu" -o out.o
  done
fi
echo "$refused refused; $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
