#!/bin/bash
# Compiles some examples as HIP, including host part and self-check, with the flags that stencilc
# names: for GPUs with wavefronts of 64 and of 32 lanes and for the host,
# without warnings. Nothing is run.
#
#   hip_test.sh STENCILC EXAMPLES
set -u
export LC_ALL=C
stencilc=$1
examples=$2
libraries=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode  # location in Debian
clang=$(command -v clang++-15)
if [ -z "$clang" ] || [ ! -e /usr/include/hip/hip_runtime.h ] || [ ! -e $libraries/ockl.bc ]; then
  echo "SKIPPED: HIP is not installed on this machine (clang-15, libamdhip64-dev, rocm-device-libs)"
  exit 77
fi
directory=$(mktemp -d "${TMPDIR:-/tmp}/stencil-hip-XXXXXX")
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2
passed=0
failed=0

complain() {
  failed=$((failed + 1))
  echo "FAILED $1"
  head -c 4000 log
}

# check PROGRAM ARGUMENTS...: an example, or a file here
check() {
  local what="$*" program=$1 flags side
  shift
  [ -e "$program.stn" ] || cp "$examples/$program.stn" .
  "$stencilc" "$program.stn" -o "$program.hip" --main --header "$@" >log 2>&1 ||
    { complain "$what"; return; }
  flags=$(sed -n '/compile   hipcc/,/program   /p' "$program.hip" | grep -oE -- '-f[a-z0-9=-]+')
  [ -n "$flags" ] || { complain "$what: no flags in the compile line"; return; }
  for side in "--cuda-device-only -S --offload-arch=gfx90a" \
    "--cuda-device-only -S --offload-arch=gfx1030" "--cuda-host-only -nogpulib -c -Wno-unused-command-line-argument"; do
    # shellcheck disable=SC2086
    "$clang" -x hip --rocm-path=/usr --rocm-device-lib-path=$libraries -std=c++17 -O1 -Wall -Wextra \
      -Werror $flags $side "$program.hip" -o out >log 2>&1 || { complain "$what ($side)"; return; }
    [ ! -s log ] || { complain "$what ($side)"; return; }
  done
  passed=$((passed + 1))
}

check jacobi2d --schedule "streaming T=2 loads=async prefetch=2"
check jacobi2d --schedule "overlapped T=2" --boxes 4
check jacobi3d --schedule "streaming T=1 loads=bulk prefetch=1" --fp strict
check converge2d --schedule "overlapped T=2" --fp fast --real double
cat >halves.stn <<'END'
grid G = [0..99, 0..98] steps 8;
field A : half on G history 2;
field B : bfloat on G;
stencil s : A[1..98, 1..97] = 0.5 * (A[-1,0] + A[0,1]) + A@-1[0,0] - B[0,0];
stencil t : B[1..98, 1..97] = max(A[0,-1], B[1,0]);
END
check halves --schedule "streaming T=1 loads=registers"
cat >smalls.stn <<'END'
grid G = [0..99, 0..127] steps 8;
field B : byte on G boundary clamp;
field U : ushort on G;
field L : bool on G;
stencil b : B on G = B[-1,0] * 5 + min(B[0,1], 7);
stencil u : U[1..98, 1..126] = U[0,-1] * 3 + select(L[0,0], 1, 0);
stencil l : L[1..98, 1..126] = L[-1,0] and not L[0,1] or B[0,0] > 3;
END
check smalls --schedule "streaming T=1 loads=registers elements=4x1"
check smalls --schedule direct

# Launches that are replayed between the reductions of a step.
cat >replayed.stn <<'END'
grid G = [0..99, 0..99] steps 8;
field A, B : real on G;
repeat 9 { stencil s : A[1..98, 1..98] = 0.5 * (A[-1,0] + A[0,1]); }
stencil t : B on G = B[0,0] + A[0,0];
reduce most = max(B[0,0]) on G;
stop when most > 1e9;
END
check replayed --schedule direct
grep -q 'stencil_launches launches(' replayed.hip || complain "replayed launches"

# Params named like declarations in HIP's headers.
table=$examples/../compiler/emit/reserved_names.cpp
sed -n '/kHipNames/,/;/p' "$table" | sed -n 's/^ *"\(.*\)".*/\1/p' | tr ' ' '\n' | grep . | head -n 400 >names
{
  echo 'grid G_z = [0..99] steps 4; field A_z : real on G_z;'
  sed 's/.*/param & : real = 1;/' names
  echo "stencil s_z : A_z[1..98] = A_z[-1]$(sed 's/^/ + /' names);"
} >named.stn
[ "$(wc -l <names)" -gt 100 ] || complain "names of HIP's headers"
check named --schedule direct

# A block has 64 KiB of shared memory; larger requests are refused with a message.
cp "$examples/jacobi3d.stn" .
"$stencilc" jacobi3d.stn -o large.hip --schedule "overlapped T=1 block=32x8x4 elements=1x2x8" >log 2>&1
grep -q 'error L015' log && grep -q 'at most 65536 bytes' log && [ ! -e large.hip ] ||
  complain "more shared memory than there is"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
