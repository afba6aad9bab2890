#!/bin/bash
# Every example as C++ with its self-check: compiled without warnings, run at a small size from
# random data, and equal to its plain sweeps. The same schedules as OpenCL C pass Clang's front end.
#
#   cpp_test.sh STENCILC EXAMPLES [SHARD SHARDS]
source "$(dirname "$0")/examples.sh"

cxx=${CXX:-g++}
clang=$(command -v clang || command -v clang-14)
[ -n "$clang" ] || echo "SKIPPED: OpenCL C is not checked, clang is not installed on this machine"

# -D for the sizes of a program (all integer params of one capital letter but L, a thickness), small
# enough for its rank to run at once, not a multiple of any tile.
small_sizes() {
  local file=$1 rank size
  rank=$(grep -m1 -o '^grid [^]]*' "$file" | grep -o '\.\.' | wc -l)
  case $rank in
    1) size=2000 ;;
    2) size=70 ;;
    3) size=20 ;;
    *) size=9 ;;
  esac
  grep -oE 'param +[KMN] *: *integer' "$file" | sed -E "s/param +([KMN]).*/-D \1=$size/"
}

try_case() {
  local name=$1 file=$2 schedule=$3 real=$4
  local options=(--schedule "$schedule" --real "$real")
  # Some warnings are found by optimisation; the type changes nothing in these.
  local optimisation=-O1
  [ "$real" = float ] || optimisation=-O0
  # shellcheck disable=SC2207
  options+=($(small_sizes "$file"))
  generate "$name.cpp" "$file" "${options[@]}" --main || return
  if ! "$cxx" $optimisation -std=c++17 -Wall -Wextra -Werror -ffp-contract=off "$name.cpp" -o program \
      >log 2>&1; then
    complain "$name $schedule $real: $cxx" log
    return 2
  fi
  if ! ./program --steps 5 --random --repeat 1 >log 2>&1 || ! grep -q 'check=passed' log; then
    complain "$name $schedule $real: run" log
    return 2
  fi
  [ -n "$clang" ] || return 0
  generate "$name.cl" "$file" "${options[@]}" || return
  if ! "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Werror \
      "$name.cl" >log 2>&1; then
    complain "$name $schedule $real: OpenCL" log
    return 2
  fi
}

run_cases
