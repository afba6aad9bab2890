#!/bin/bash
# Every example as C++ with its self-check: it compiles without warnings, runs at a small size from
# random data, and equals its plain sweeps. The same schedules as OpenCL C pass Clang's front end.
#
# GCC compiles float, and Clang, if installed, double. Optimisation finds more warnings but takes
# three times as long, so GCC optimises every third example, and all with STENCIL_LONG=1.
#
#   cpp_test.sh STENCILC EXAMPLES [SHARD SHARDS]
source "$(dirname "$0")/examples.sh"

cxx=${CXX:-g++}
clang=$(command -v clang || command -v clang-14)
second_cxx=$(command -v clang++ || echo "$cxx")
[ -n "$clang" ] || echo "SKIPPED: OpenCL C is not checked, clang is not installed on this machine"

# Prints -D options for the sizes of a program: all integer params named by one capital letter,
# except the thickness L. They are small enough to run at once, and no multiple of any tile.
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

# compiles FILE COMPILER OPTIMISATION: compiles FILE to ./program.
compiles() {
  "$2" "$3" -std=c++17 -Wall -Wextra -Werror -ffp-contract=off "$1" -o program >log 2>&1
}

# A program that contains all cases and runs the one named by its first argument.
all_of() {
  local first=$1 name
  shift
  together cpp "$first" "$@"
  echo "int main(int argc, char** argv) {"
  for name in "$@"; do
    local scope=in_$name::
    [ "$name" = "${*:$((first % $# + 1)):1}" ] && scope=::
    echo "  if (strcmp(argv[1], \"$name\") == 0) return ${scope}main_$name(argc - 1, argv + 1);"
  done
  echo "  return 2;"
  echo "}"
}

# runs NAME PROGRAM...: the self-check passes.
runs() {
  local name=$1
  shift
  "$@" --steps 5 --random --repeat 0 >log 2>&1 && grep -q 'check=passed' log && return
  complain "$name" log
}

try_example() {
  local file=$1 number=$2 real name before
  for real in float double; do
    local compiler=("$cxx" -O0)
    if [ "$real" = double ]; then
      compiler=("$second_cxx" -O0)
    elif [ "${STENCIL_LONG:-}" = 1 ] || [ $((number / shards % 3)) = 0 ]; then
      compiler=("$cxx" -O1)
    fi
    before=$failed
    # shellcheck disable=SC2046
    emit_cases "$file" "$real" cpp --main $(small_sizes "$file")
    [ ${#cases[@]} -gt 0 ] || continue
    all_of "$number" "${cases[@]}" >all.cpp
    if compiles all.cpp "${compiler[@]}"; then
      for name in "${cases[@]}"; do runs "$name" ./program "$name"; done
    else
      cp log all.log
      for name in "${cases[@]}"; do
        if compiles "$name.cpp" "${compiler[@]}"; then runs "$name" ./program; else complain "$name" log; fi
      done
      [ "$failed" -gt "$before" ] || complain "${cases[0]}" all.log  # each case alone compiles
    fi
    check_opencl "$file" "$real"
    passed=$((passed + ${#cases[@]} - failed + before))
  done
}

# Checks the same cases as OpenCL C.
check_opencl() {
  local file=$1 real=$2 name written=("${cases[@]}") counted=$refused
  [ -n "$clang" ] || return
  # shellcheck disable=SC2046
  emit_cases "$file" "$real" cl --machine sm_90 $(small_sizes "$file")
  refused=$counted
  for name in "${cases[@]}"; do
    "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Werror "$name.cl" \
      >log 2>&1 || complain "$name" log
  done
  cases=("${written[@]}")
}

run_examples
