#!/bin/bash
# examples/fortran: builds the program with its Makefile, as the README says, and runs it. It compares its results with
# plain loops.
#
#   fortran_example_test.sh STENCILC EXAMPLE
for tool in gfortran make; do
  command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/stencil-fortran-XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$2"/* "$work" && cd "$work" || exit 2
make --no-print-directory STENCILC="$1" FFLAGS="-O2 -std=f2008 -Wall -Werror -fcheck=all -ffp-contract=off" || exit 1
for steps in 500 0 7; do
  ./heat $steps || exit 1
done
make --no-print-directory clean
[ "$(ls)" = "$(ls "$2")" ] || { echo "make clean leaves files:"; ls; exit 1; }
