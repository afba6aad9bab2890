#!/bin/bash
# Fortran modules of emitted files: the text of one, then, with gfortran, the modules of all examples
# without warnings as Fortran 2008, names that Fortran cannot take as they are, and a program that
# passes arrays of every element type.
#
#   fortran_test.sh STENCILC SOURCE
stencilc=$1
source=$2
here=$source/tests/compile/fortran
work=$(mktemp -d "${TMPDIR:-/tmp}/stencil-fortran-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0
failed=0

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
emit() {
  "$stencilc" "$1" -o "$2" --header --schedule direct "${@:3}" >log 2>&1
}

# The expected module, without the comment at its top.
emit "$here/band.stn" band.cpp --boxes 4 -D Shift=2 --open M --machine cpu || cat log
holds "band.f90 is not as expected" diff "$here/band.f90" <(sed -n '/^module/,$p' band.f90)
emit "$here/band.stn" band.cu --open M --machine sm_90 || cat log
holds "band_cuda.f90 is not as expected" diff "$here/band_cuda.f90" <(sed -n '/^module/,$p' band_cuda.f90)

if ! command -v gfortran >/dev/null; then
  echo "$passed passed, $failed failed; no gfortran, so nothing was compiled"
  [ "$failed" -eq 0 ] && exit 77
  exit 1
fi
strict=(gfortran -std=f2008 -Wall -Wextra -Werror -fsyntax-only)
for file in "$source"/dsl-examples/*.stn "$here"/names.stn; do
  name=$(basename "$file" .stn)
  boxes=(--boxes 3)
  emit "$file" "$name.cpp" "${boxes[@]}" || { boxes=(); emit "$file" "$name.cpp"; } || cat log
  holds "$name.f90" "${strict[@]}" "$name.f90"
  emit "$file" "$name.cu" "${boxes[@]}" || cat log
  holds "${name}_cuda.f90" "${strict[@]}" "${name}_cuda.f90"
done

emit "$here/types.stn" types.cpp || cat log
cp "$here/types.f90" main.f90
holds "kernels of types.stn" "${CXX:-g++}" -std=c++17 -O1 -ffp-contract=off -c types.cpp
holds "types.f90" gfortran -std=f2008 -Wall -Werror -fcheck=all -O1 types.f90 main.f90 types.o -lstdc++ -o types
./types >printed 2>&1
holds "types: $(cat printed)" grep -q '^all values agree$' printed
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
