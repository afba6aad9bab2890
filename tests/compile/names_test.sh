#!/bin/bash
# Programs may use any name: every macro and every name declared in the headers that emitted files
# include, every OpenCL C builtin, and the compiler's own words. A few hundred names per program are
# used as fields, params, members, locals, functions, tables and index names. Every compiler that is
# present must accept the emitted files. Last, programs that try to break out of emitted comments:
# none of their text is compiled.
#
#   names_test.sh STENCILC SOURCE_DIRECTORY NVRTC_TEST
set -u
export LC_ALL=C
stencilc=$1
source=$2
nvrtc_test=$3
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
clang=$(command -v clang || command -v clang-14)
failed=0
directory=$(mktemp -d "${TMPDIR:-/tmp}/stencil-names-XXXXXX")
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2

complain() {
  echo "FAILED $1"
  head -c 3000 "$2"
  failed=1
}

# The compiler's own words in emitted files and kernels.
own_words() {
  local schedule emit
  for schedule in direct overlapped "streaming T=2" "planes T=4"; do
    for emit in "cuda --main" "cpp --main" "opencl --machine sm_90" kernel-ir; do
      # shellcheck disable=SC2086
      "$stencilc" "$source/dsl-examples/converge2d.stn" --schedule "$schedule" --emit $emit 2>log
    done
    "$stencilc" "$source/dsl-examples/jacobi2d.stn" --schedule "$schedule" --emit cpp --boxes 2 2>log
  done | sed 's://.*::' | grep -oE '[A-Za-z_][A-Za-z0-9_]*'
}

reserved='and|boundary|constant|every|false|field|function|grid|history|in|init|let|not|of|on|or|param|reduce|require|series|stencil|steps|stop|subgrid|table|true|type|when|integer|long|real|float|double|half|bfloat|byte|ubyte|short|ushort|vector|min|max|sum|prod|abs|sqrt|rsqrt|fma|floor|ceil|exp|log|pow|sin|cos|tan|tanh|select|time|bool'
{
  own_words
  sed -n 's/^ *"\(.*\)".*/\1/p' "$source/compiler/emit/reserved_names.cpp" | tr ' ' '\n'
  sed -n '/kKeywords/,/;/p' "$source/compiler/emit/names.cpp" | grep -o '[a-z_0-9]*'
  echo cudaMalloc cudaCpuDeviceId get_global_id convert_int vload4 as_float _Bool _x __y | tr ' ' '\n'
} | grep -xE '[A-Za-z_][A-Za-z0-9_]*' | grep -vxE "$reserved" | sort -u >names

# Prints a program that uses the names on standard input; $1 is the number of fields that change.
program() {
  awk -v written="$1" '
    { name[n++] = $1 }
    function next_name() { return used < n ? name[used++] : "spare" (++spares) "_z" }
    function plus(text, more) { return text == "" ? more : text " + " more }
    END {
      grid = next_name(); inner = next_name(); structure = next_name(); table = next_name()
      reduction = next_name(); row = next_name(); column = next_name()
      share = int((n - used) / 5) + 1
      print "param extent_z : integer = 40;"
      for (k = 0; k < share; ++k) {
        params[k] = next_name()
        print "param " params[k] " : " (k % 7 == 3 ? "integer" : "real") " = " k % 5 ";"
        sum = plus(sum, params[k])
      }
      print "grid " grid " = [0..extent_z-1, 0..extent_z-1] steps 6;"
      print "subgrid " inner " of " grid " = [1..extent_z-2, 1..extent_z-2];"
      members = ""; values = ""
      for (k = 0; k < (written > 1 ? share : 2); ++k) {
        member = next_name()
        members = members (k ? ", " : "") member " : real"
        values = values (k ? ", " : "") member " = 0.25 * structured_z[0,1]." member
      }
      print "type " structure " = { " members " };"
      print "table " table " : real[2] = {1, 2};"
      if (written > 1) print "field structured_z : " structure " on " grid ";"
      for (k = 0; k < share && k < (written > 1 ? share : 3); ++k) {
        fields[k] = next_name(); ++fields_made
        print "field " fields[k] " : real on " grid (k < written ? " history 2;" : " constant;")
        sum = plus(sum, fields[k] "[0,0]")
      }
      for (k = 0; k < share; ++k) {
        inlined[k] = next_name()
        print "function " inlined[k] "(argument_z : field) = 0.5 * argument_z[0,0];"
        sum = plus(sum, inlined[k] "(" fields[0] ")")
      }
      print "stencil " inlined[0] " : " fields[0] " {"
      while (used < n) {
        local = next_name()
        print "  let " local " = " params[used % share] " * " fields[0] "[" used % 3 - 1 ",0] + " \
              fields[used % fields_made] "[0,0];"
        sum = plus(sum, local)
      }
      print "  [" row " in 1..extent_z-2, " column " in 1..extent_z-2] = " sum " + " row " - " column \
            " + " table "[1];\n}"
      for (k = 1; k < written && k < fields_made; ++k) {
        print "stencil " inlined[k % share] " : " fields[k] " on " inner " = 0.5 * " fields[k] \
              "[0,1] + " fields[0] "@-1[0,0];"
      }
      if (written > 1) print "stencil last_z : structured_z on " inner " = { " values " };"
      print "init " fields[0] "[" row "," column "] = " row " + " column ";"
      print "reduce " reduction " = max(abs(" fields[0] "[0,0])) on " inner " every 2;"
      print "stop when " reduction " < 0;"
    }'
}

# Removes from the program on standard input everything that prevents entry points for boxes.
for_boxes() {
  sed '/^stop when /d'
}

# Emits $1.stn with the schedule $3 to $1.$2 with the further arguments. A refusal is not a failure.
emit() {
  local name=$1 extension=$2 schedule=$3
  shift 3
  "$stencilc" "$name.stn" --schedule "$schedule" -o "$name.$extension" "$@" >log 2>&1 && return 0
  grep -q 'error L0' log || complain "$name.$extension ($schedule)" log
  return 1
}

split -l 400 names many.
for part in many.*; do
  program 6 <"$part" >"$part.stn"
  for_boxes <"$part.stn" >"$part.boxes.stn"
  mv "$part.stn" "$part.whole.stn"
  mv "$part.boxes.stn" "$part.stn"
  if emit "$part" cpp direct --main --header --boxes 2; then
    g++ -fsyntax-only -std=c++17 -Wall -Wextra -Werror "$part.cpp" >log 2>&1 ||
      complain "$part: g++" log
    gcc -fsyntax-only -x c -include complex.h "$part.h" >log 2>&1 || complain "$part: gcc" log
  fi
  mv "$part.whole.stn" "$part.stn"
  if [ -n "$clang" ] && emit "$part" cl overlapped --machine sm_90; then
    "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Werror \
      "$part.cl" >log 2>&1 || complain "$part: OpenCL" log
  fi
  if [ -n "$nvcc" ] && emit "$part" cu direct --main --header; then
    "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -Xcicc -O0 -ptx "$part.cu" -o out.ptx \
      >log 2>&1 || complain "$part: nvcc" log
  fi
done

# Names derived from the program's name: its functions, its types, its header guard.
printf 'b\nc\nd\ne\nf\ng\nh\nk\nl\nm\np\nq\n' | program 6 | for_boxes >own.stn
{
  for schedule in direct "overlapped T=2" "streaming T=2" "planes T=2"; do
    for extension in cpp cu cl; do
      emit own $extension "$schedule" --main --header --boxes 2 || emit own $extension "$schedule"
    done
    cat own.cpp own.cu own.cl own*.h
  done
} 2>log | sed 's://.*::' | grep -oiE '\bown_[a-z0-9_]*' | sort -u >own_names
[ "$(wc -l <own_names)" -ge 12 ] || complain "own: few names" own_names
for names in own_names "own_names (capitals)"; do
  {
    printf 'b\nc\nd\ne\nf\ng\nh\n'  # unused in the files
    if [ "$names" = own_names ]; then cat own_names; else tr a-z A-Z <own_names | sort -u; fi
  } | program 6 | for_boxes >own.stn
  if emit own cpp direct --main --header --boxes 2; then
    g++ -fsyntax-only -std=c++17 -Wall -Wextra -Werror own.cpp >log 2>&1 || complain "$names: g++" log
    gcc -fsyntax-only -x c -include complex.h own.h >log 2>&1 || complain "$names: gcc" log
  fi
  if [ -n "$nvcc" ] && emit own cu direct --main --header --boxes 2; then
    "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -Xcicc -O0 -ptx own.cu -o out.ptx \
      >log 2>&1 || complain "$names: nvcc" log
  fi
done

# Small programs with the compiler's own words, for families that support little.
own_words | grep -vxE "$reserved" | sort -u | split -l 40 - few.
"$stencilc" own.stn --emit cpp | grep '^#include <' >headers.h
g++ -std=c++17 -DSTENCIL_CLONES= -x c++-header headers.h -o headers.h.gch
for part in few.??; do
  program 1 <"$part" >"$part.stn"
  for schedule in direct "overlapped T=4" "streaming T=4" "planes T=4"; do
    emit "$part" cpp "$schedule" && { g++ -fsyntax-only -std=c++17 -DSTENCIL_CLONES= -include headers.h "$part.cpp" \
      >log 2>&1 || complain "$part: g++ ($schedule)" log; }
  done
done

# Kernels only, as compiled for a run.
mkdir nvrtc
cp own.stn nvrtc/own.stn
cp few.aa.stn nvrtc/few.stn
"$nvrtc_test" nvrtc >log 2>&1
[ $? = 1 ] && complain NVRTC log

# --- Code in comments: text there is not compiled, however it is disguised. Names with `evil` come
# from the file name. ---
attack='int attacker_was_here(void) { return 1; }'
file=$'evil\rint attacker_was_here_too(void) { return 1; }\r.stn'
{
  printf '// carriage return\r%s\r// \\\n' "// and then"
  printf '// one \r// %s\n' "$attack"
  printf '/* \r%s\r */\n/* \xe2\x80\xa8%s\n*/ // %s \\ \t\n' "$attack" "$attack" 'path C:\'
  printf '// ?\?/\n%s\n' "param N : integer = 64; /* \\
$attack */"
  printf 'grid G = [0..N-1] steps 4;\rfield A : real on G;\r\n'
  printf 'require N > 3 /* "; } %s // \x0e */ and N < 1000;\r' "$attack"
  printf 'stencil s : A[1..N-2] = 0.5 * (A[-1] + A[1]);\n// the end \\'
} >"$file"
for extension in cpp cu cl; do
  "$stencilc" "./$file" -o "attack.$extension" --open N -D N=64 >log 2>&1 ||
    "$stencilc" "./$file" -o "attack.$extension" >log 2>&1 || complain "attack.$extension" log
done
g++ -c -Wall -Wextra -Werror -std=c++11 attack.cpp -o attack.o >log 2>&1 || complain "attack.cpp" log
nm attack.o | grep attacker | grep -v evil && { echo "FAILED attack.cpp: code from comments"; failed=1; }
nm attack.o | grep -q _run || { echo "FAILED attack.cpp: no entry points"; failed=1; }
if [ -n "$clang" ]; then
  "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -S -emit-llvm attack.cl -o attack.ll \
    >log 2>&1 || complain "attack.cl" log
  grep 'define.*attacker' attack.ll | grep -v evil && { echo "FAILED attack.cl: code from comments"; failed=1; }
fi
if [ -n "$nvcc" ]; then
  "$nvcc" -c attack.cu -o attack_cuda.o >log 2>&1 || complain "attack.cu" log
  nm attack_cuda.o | grep attacker | grep -v evil && { echo "FAILED attack.cu: code from comments"; failed=1; }
fi

# Line endings only change the quotation of the comments that contain them.
printf 'param N : integer = 64; // c\ngrid G = [0..N-1] steps 4;\nfield A : real on G;\nstencil s : A[1..N-2] = 0.5 * (A[-1] + A[1]);\n' >lf
tr '\n' '\r' <lf >cr
sed 's/$/\r/' lf >crlf
for ends in lf cr crlf; do
  cp $ends program.stn
  "$stencilc" program.stn --emit cpp >"$ends.out" 2>log || complain "line ends: $ends" log
  cmp lf.out $ends.out || { echo "FAILED $ends"; failed=1; }
done

echo "$(wc -l <names) names"
exit $failed
