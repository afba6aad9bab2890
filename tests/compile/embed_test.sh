#!/bin/bash
# An emitted file inside another program. A C client that includes the header and gives values at run
# time gets the same bits as a file compiled with these values as constants, whatever the flags of
# the host compiler. So does the program of --main. The C++ and CUDA headers can be used side by side.
#
#   embed_test.sh STENCILC
stencilc=$1
here=$(cd "$(dirname "$0")" && pwd)/embed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# client OUTPUT FLAGS ARGUMENTS...: writes what the client prints to OUTPUT.
client() {
  local output=$1 flags=$2
  shift 2
  # shellcheck disable=SC2086
  "${CXX:-g++}" -std=c++17 -Wall -Wextra -Werror $flags -c plate.cpp -o plate.o &&
    "${CC:-gcc}" -Wall -Wextra -Werror -c client.c -o client.o &&
    "${CXX:-g++}" $flags client.o plate.o -o client && ./client "$@" >"$output"
}

cp "$here/client.c" "$here/plate.stn" .
"$stencilc" plate.stn -o plate.cpp --header || fail "emitting"
client given "-O2 -ffp-contract=off" 1.7 || fail "the client with kappa = 1.7"
client both "-O2 -ffp-contract=off" 1.7 0.0009765625 || fail "the client with kappa and dt"
client stale "-O0 -ffp-contract=off" || fail "the client with defaults"
cmp -s given stale && fail "kappa changes nothing"
"$stencilc" plate.stn -o plate.cpp --header -D kappa=1.7 || fail "emitting with -D"
client told "-O0 -ffp-contract=off" || fail "the client with -D kappa=1.7"
cmp given told || fail "a param given at run time is not as one given to the compiler"
"$stencilc" plate.stn -o plate.cpp --header -D kappa=1.7 -D dt=0.0009765625 || fail "emitting"
client told "-O0 -ffp-contract=off" || fail "the client with both by -D"
cmp both told || fail "a param that follows does not keep what it is given"

# Derived values do not depend on flags that relax floating-point arithmetic.
"$stencilc" plate.stn -o plate.cpp --header --fp fast || fail "emitting with --fp fast"
client fast "-O3 -ffast-math -fno-finite-math-only -march=native" 1.7 ||
  fail "the client under -ffast-math"
[ "$(head -n 1 fast | cut -d' ' -f2)" = "$(head -n 1 given | cut -d' ' -f2)" ] ||
  fail "-ffast-math changes dt: $(head -n 1 fast), $(head -n 1 given)"

"$stencilc" plate.stn -o plate.cu --header || fail "emitting CUDA"
[ -f plate.h ] && [ -f plate_cuda.h ] || fail "one header in place of two"

# Headers in one source file: the headers of a program's .cpp and .cu, which cannot be linked
# together, and the headers of programs with similar names.
mkdir -p toolkit other
echo 'typedef struct CUstream_st* cudaStream_t;' >toolkit/cuda_runtime_api.h
sed 's/^param kappa.*/param kappa : real = 1;/' plate.stn >other/Plate.stn
cp plate.stn other/plate_cuda.stn
"$stencilc" other/Plate.stn -o other/Plate.cpp --header || fail "emitting Plate"
"$stencilc" other/plate_cuda.stn -o other/plate_cuda.cpp --header || fail "emitting plate_cuda"
# together HEADERS...: compiles a file that includes all of them.
together() {
  printf '#include "%s"\n' "$@" >together.c
  echo 'int main(void) { return 0; }' >>together.c
  "${CC:-gcc}" -Wall -Wextra -Werror -I toolkit -c together.c -o together.o >log 2>&1
}
together plate.h plate.h || fail "plate.h twice: $(cat log)"
together plate_cuda.h || fail "plate_cuda.h: $(cat log)"
for pair in "plate.h plate_cuda.h" "plate_cuda.h plate.h"; do
  # shellcheck disable=SC2086
  together $pair && fail "$pair compile together"
  grep -q 'define the same functions: include one header' log || fail "$pair: $(cat log)"
done
for other in Plate plate_cuda; do
  together plate.h other/$other.h || fail "plate.h, $other.h: $(cat log)"
  echo "void* f(void); void* f(void) { return (void*)&${other}_run; }" >>together.c
  "${CC:-gcc}" -Wall -I toolkit -c together.c -o together.o >log 2>&1 || fail "$other: $(cat log)"
done
together plate_cuda.h other/plate_cuda.h || fail "plate_cuda.h of two: $(cat log)"

"$stencilc" plate.stn -o main.cpp --main && "${CXX:-g++}" -std=c++17 -O1 -Wall -Wextra -Werror \
  -ffp-contract=off main.cpp -o main || fail "the program of --main"
./main N=9 kappa=1.7 --repeat 0 --out T=T.npy --out Q=Q.npy >log || fail "running it: $(cat log)"
"$stencilc" run plate.stn --open N -D N=9 -D kappa=1.7 --device reference --out T=T_run.npy \
  --out Q=Q_run.npy >log 2>&1 || fail "stencilc run: $(cat log)"
for field in T Q; do
  cmp <(tail -c 648 $field.npy) <(tail -c 648 ${field}_run.npy) || fail "--out $field"
done
./main N=9 kappa=0 >log 2>&1 && fail "kappa = 0 runs"
grep -q 'param dt is computed as a number that is not finite: 0.2\*dx\*dx / kappa' log || fail "$(cat log)"
./main >log 2>&1 && fail "it runs without N"
grep -q 'param N is not given' log || fail "$(cat log)"
./main N=9 --out U=U.npy >log 2>&1 && fail "it has an array U"
grep -q "cannot make sense of '--out U=U.npy'" log && grep -q 'arrays:.* T.* Q' log || fail "$(cat log)"
./main N=9 --repeat 0 --steps 0 >log 2>&1 && fail "a check of no step passes"

# A program without initial values is checked with random ones, because a
# check of zeros proves nothing.
cat >bare.stn <<'PROGRAM'
grid G = [0..99] steps 5;
field A : real on G;
stencil s : A[1..98] = 0.5 * (A[-1] + A[1]);
PROGRAM
"$stencilc" bare.stn -o bare.cpp --main && "${CXX:-g++}" -O1 -ffp-contract=off bare.cpp -o bare ||
  fail "emitting a program without init"
./bare --repeat 0 >log || fail "$(cat log)"
grep -q 'initial values: random' log || fail "$(cat log)"
./bare --repeat 0 --zeros >log && fail "a check of zeros passes"
grep -q 'FAILED: the check is meaningless' log || fail "$(cat log)"

# The messages of entry points about invalid arguments, and integer results with all digits.
cat >given.stn <<'PROGRAM'
param dx : double = 0.5;
param dt : double = 0.2*dx*dx;
grid G = [0..9] steps 2;
field A : double on G;
field I : long on G;
stencil s : A[1..8] = A[0] + dt*A[1];
stencil t : I on G = I[0] + 1234567890123456;
reduce total = sum(I[0]) on G;
init A[i] = 1;
init I[i] = i;
PROGRAM
cat >arguments.cpp <<'PROGRAM'
#include "given.cpp"
#include <cmath>
#include <cstdio>
int main() {
  double a[10] = {};
  int64_t i[10] = {};
  given_params params = given_default_params();
  params.dt = INFINITY;
  std::printf("given: %s\n", given_run(a, i, 1, &params, NULL));
  params = given_default_params();
  params.dx = 1e200;
  std::printf("follows: %s\n", given_run(a, i, 1, &params, NULL));
  void* arrays[3] = {};
  std::printf("none: %s\n", given_run_packed(NULL, NULL, 0, 0));
  std::printf("empty: %s\n", given_run_packed(arrays, NULL, 0, 0));
}
PROGRAM
cat >expected <<'TEXT'
given: param dt is not a finite number
follows: param dt is computed as a number that is not finite: 0.2*dx*dx
none: argument arrays is NULL
empty: argument results is NULL
TEXT
"$stencilc" given.stn -o given.cpp && "${CXX:-g++}" -std=c++17 -O1 -Wall -Wextra -Werror \
  -ffp-contract=off arguments.cpp -o arguments || fail "emitting given.stn"
./arguments >log && cmp -s log expected || fail "$(cat log)"
"$stencilc" given.stn -o given.cpp --main && "${CXX:-g++}" -std=c++17 -O1 -Wall -Wextra -Werror \
  -ffp-contract=off given.cpp -o given || fail "the program of given.stn"
./given --repeat 0 >log || fail "$(cat log)"
grep -q 'total = 24691357802469165 after 2 evaluation(s)' log || fail "$(cat log)"

[ $failures -eq 0 ] && echo "passed"
exit $((failures > 0))
