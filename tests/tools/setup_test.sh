#!/usr/bin/env bash
# tools/setup: the generated files agree with the table, every system has what stencilc needs, and the
# commands of package managers, which this test replaces by functions that record their arguments.
#
#   setup_test.sh SOURCE_DIRECTORY
set -euo pipefail
source_directory=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
expect() {  # name, condition as a command line
  local name=$1
  shift
  if ! "$@"; then
    echo "FAILED: $name" >&2
    failed=1
  fi
}

# A copy, in which `--write` and downloads may change files.
mkdir -p "$work/copy/tools" "$work/bin"
cp "$source_directory/tools/setup" "$source_directory/tools/packages.txt" "$work/copy/tools/"
cd "$work/copy"
setup=tools/setup

# ---- generated files
$setup --write
for name in environment.yml Dockerfile; do
  expect "$name is what tools/setup --write generates" diff -u "$source_directory/$name" "$name"
done
expect "no dependency without a package is listed" bash -c "! grep -q '^ *- *[-#\\\\]' Dockerfile environment.yml"
expect "the image contains the compiler" grep -q '^    libclang-19-dev ' Dockerfile

# ---- lists
dependencies=$(awk -F ' *[|] *' '$1 == "run"' tools/packages.txt | wc -l)
for system in debian ubuntu fedora rocky arch brew conda spack; do
  listed=$($setup --run --list $system | grep -vc '# optional:')
  expect "$system has a package or a download for each of the $dependencies required dependencies, not $listed" \
    [ "$listed" -eq "$dependencies" ]
done
expect "an unknown system is refused" bash -c "! $setup --list plan9 2>/dev/null"
expect "--list without a system is refused" bash -c "! $setup --list 2>/dev/null"

# ---- package managers. `installed` and `offered` list packages; `calls` records commands.
cat >"$work/bin/manager" <<'END'
#!/usr/bin/env bash
name=$(basename "$0") last=${*: -1}
case "$name $1" in
  "dpkg-query -W") grep -qx -- "$last" "$WORK/installed" && echo -n installed ;;
  "rpm -q" | "pacman -T") grep -qx -- "$last" "$WORK/installed" ;;
  "apt-cache show" | "dnf -q" | "pacman -Si") grep -qx -- "$last" "$WORK/offered" && echo "Package: $last" ;;
  "id -u") echo 0 ;;
  "curl -fsSL") cp "${last#file://}" "$3" ;;
  *)
    echo "$name $*" >>"$WORK/calls"
    case " $* " in
      *" install "* | *" -S "*)
        for word in "$@"; do
          case "$word" in -* | *=* | install) continue ;; esac
          grep -qx -- "$word" "$WORK/offered" || { echo "no $word" >&2; exit 1; }
        done
        printf '%s\n' "$@" >>"$WORK/installed"
        ;;
    esac
    ;;
esac
END
chmod +x "$work/bin/manager"
for name in dpkg-query apt-get apt-cache rpm dnf pacman id curl; do ln -s manager "$work/bin/$name"; done
export WORK=$work PATH=$work/bin:$PATH
# Offers all packages of a system, except those whose name matches the pattern.
begin() {
  awk -F ' *[|] *' -v wanted="$1" '
    /^#/ || /^ *$/ || $1 == "source" || $1 == "image" { next }
    $1 == "need" { for (i = 3; i < NF; ++i) if ($i == wanted) column = i; next }
    { print $column }' tools/packages.txt | tr '/&' '\n\n' | grep -Ev "^-$|$2" >"$work/offered"
  echo epel-release >>"$work/offered"
  echo dnf-plugins-core >>"$work/offered"
  : >"$work/installed"
  : >"$work/calls"
}
# Downloads come from files, so that the test needs no network.
mkdir -p "$work/remote/PEGTL-3.2.8/include/tao" "$work/remote/fmt-12.1.0/include/fmt"
echo pegtl >"$work/remote/PEGTL-3.2.8/include/tao/pegtl.hpp"
echo fmt >"$work/remote/fmt-12.1.0/include/fmt/format.h"
echo stb >"$work/remote/stb_truetype.h"
(cd "$work/remote" && tar czf 3.2.8.tar.gz PEGTL-3.2.8 && cmake -E tar cf fmt-12.1.0.zip --format=zip fmt-12.1.0)
awk -F ' [|] ' -v OFS=' | ' -v at="$work/remote" '
  $1 == "source" { n = split($4, part, "/"); $4 = "file://" at "/" part[n]
    ("sha256sum " at "/" part[n]) | getline line; $3 = substr(line, 1, 64) }
  { print }' tools/packages.txt >"$work/table"
cp "$work/table" tools/packages.txt

for system in debian ubuntu fedora rocky arch; do
  begin $system '^$'
  expect "setup on $system" $setup --system $system >/dev/null
  expect "$system: the C++ compiler is installed" grep -qE '^(g\+\+|gcc-c\+\+|gcc|gcc-toolset-13-gcc-c\+\+)$' "$work/installed"
  expect "$system: PEGTL is installed or downloaded" \
    bash -c "[ -e .dependencies/include/tao/pegtl.hpp ] || grep -q pegtl '$work/installed'"
  : >"$work/calls"
  expect "a second setup on $system" $setup --system $system
  expect "a second setup on $system runs no command" [ ! -s "$work/calls" ]
  rm -rf .dependencies
done

begin debian '^$'
expect "setup --run" $setup --system debian --run >/dev/null
expect "--run installs no test dependencies" bash -c "! grep -q libgtest-dev '$work/installed'"

# The first alternative whose packages are all offered is installed.
begin ubuntu '^libclang-20-dev$|^chromium$'
expect "setup with alternatives" $setup --system ubuntu >/dev/null
expect "the next LLVM is taken" grep -qx libclang-19-dev "$work/installed"
expect "no package of an incomplete alternative is taken" bash -c "! grep -qx llvm-20-dev '$work/installed'"

# Optional packages may be missing, required ones may not.
begin debian '^llvm|^libclang'
expect "setup without LLVM" $setup --system debian >/dev/null
expect "other packages are installed without LLVM" grep -qx libtbb-dev "$work/installed"
begin debian '^ninja-build$'
expect "setup without ninja fails" bash -c "! $setup --system debian >/dev/null 2>&1"

# ---- downloads
begin rocky '^$'
sed -i 's/^\(source | pegtl | \)[0-9a-f]*/\10000/' tools/packages.txt
expect "a wrong checksum is refused" bash -c "! $setup --system rocky >/dev/null 2>$work/errors"
expect "the message names the checksum" grep -q 'the checksum of file://' "$work/errors"
expect "nothing is kept of a wrong download" [ ! -e .dependencies/include/tao ]
cp "$work/table" tools/packages.txt
expect "setup with downloads" $setup --system rocky >/dev/null
expect "a folder of an archive is downloaded" grep -q fmt .dependencies/include/fmt/format.h
[ "$failed" -eq 0 ] && echo "all checks of tools/setup passed"
exit "$failed"
