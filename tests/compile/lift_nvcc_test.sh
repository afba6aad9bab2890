#!/bin/bash
# Output of `stencilc lift --replace` compiles with nvcc without warnings, and programs link against
# it. examples/lift is run: with a GPU it prints the output of the original program, without one the
# lifted function reports what is missing and ends the program.
#
#   lift_nvcc_test.sh STENCILC EXAMPLE
set -e
stencilc=$(realpath "$1") example=$(realpath "$2") here=$(realpath "$(dirname "$0")")

nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)
if [ -z "$nvcc" ]; then
  echo "SKIPPED: the CUDA toolkit (nvcc) is not installed on this machine"
  exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
  echo "FAILED: $*"
  exit 1
}

# replaces FILE OUTPUT OPTIONS...: lifts, verifies and compiles FILE without any output.
replaces() {
  local file=$1 out=$2
  shift 2
  "$stencilc" lift "$file" --replace --fp strict "$@" -o "$out.cu" 2>notes || fail "$out: $(cat notes)"
  tr -s ' \n' ' ' <notes | grep -q "every bit is the same" || fail "$out: $(cat notes)"
  "$nvcc" -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror -std=c++17 -arch=sm_90 --fmad=false -c \
    "$out.cu" -o "$out.o" >log 2>&1 || fail "$out.cu: $(cat log)"
  [ ! -s log ] || fail "$out.cu: $(cat log)"
}

# runs PROGRAM NAME: gives the original output, or the reason on a machine without a GPU.
runs() {
  local status=0
  { "./$1" >printed 2>problem || status=$?; } 2>/dev/null
  if [ $status = 0 ]; then
    cmp -s printed expected || fail "$1 prints $(cat printed), the original $(cat expected)"
    echo "$1 prints what the original prints"
  else
    nvidia-smi -L >/dev/null 2>&1 && fail "$1 ends with $status: $(cat problem)"
    grep -q "^$2: " problem || fail "$1 does not say why it ends: $(cat problem)"
    echo "$1 is linked; no GPU: $(head -1 problem)"
  fi
}

cc -O1 -ffp-contract=off "$example/main.c" "$example/wave.c" "$example/relax.c" -lm -o original
./original >expected
cc -c "$example/main.c" -o main.o
replaces "$example/wave.c" wave_stencil
replaces "$example/relax.c" relax_stencil
"$nvcc" -arch=sm_90 main.o wave_stencil.o relax_stencil.o -o lifted
runs lifted "\(wave\|relax\)_stencil"

replaces "$example/wave.c" wave_device --device-pointers
cc -c -Dwave=wave_in_host_memory "$example/main.c" -o main_device.o
"$nvcc" -arch=sm_90 -I"$example" -c "$here/lift_device.cu" -o lift_device.o
"$nvcc" -arch=sm_90 main_device.o lift_device.o wave_device.o relax_stencil.o \
  -o lifted_device
runs lifted_device "\(wave_device\|lift_device\|relax_stencil\)"

# Other forms of functions: no params, levels in one array, three pointers, containers, a region.
cat >parity.c <<'C'
void heat(double a[2][40][50], int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < 39; i++)
      for (int j = 1; j < 49; j++) a[(t + 1) % 2][i][j] = 0.5 * (a[t % 2][i - 1][j] + a[t % 2][i + 1][j]);
}
C
cat >fixed.c <<'C'
void once(const float a[40][50], float b[40][50]) {
  for (int i = 1; i < 39; i++)
    for (int j = 1; j < 49; j++) b[i][j] = a[i][j - 1] + a[i - 1][j];
}
C
cat >three.c <<'C'
void wave(int n, int steps, double *a, double *b, double *c) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) c[i] = 2 * b[i] - a[i] + 0.1 * (b[i - 1] - 2 * b[i] + b[i + 1]);
    double *spare = a;
    a = b;
    b = c;
    c = spare;
  }
}
C
cat >containers.cpp <<'C'
#include <vector>
void heat(std::vector<double>& a, std::vector<double>& b, int n, int steps) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j) b[i * n + j] = 0.5 * (a[i * n + j - 1] + a[(i + 1) * n + j]);
    std::swap(a, b);
  }
}
C
cat >region.c <<'C'
void kernel(int steps, int n, double a[n], double b[n]) {
  double c = 0.25;
#pragma scop
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = c * (a[i - 1] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
#pragma endscop
}
C
for file in parity.c fixed.c three.c region.c; do
  replaces $file "${file%.*}_host"
  replaces $file "${file%.*}_device" --device-pointers
done
replaces containers.cpp containers_host
"$stencilc" lift containers.cpp --replace --device-pointers -o containers_device.cu 2>notes &&
  fail "a vector cannot be in the memory of a GPU"
grep -q "U040.* is a container in the memory of the host" notes || fail "containers.cpp: $(cat notes)"
[ ! -e containers_device.cu ] || fail "a refused file is there"
echo "12 files compiled"
