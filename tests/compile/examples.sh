# Shared by the compile tests. Every example x schedule x {float, double} is one case. If a schedule
# refuses a program (exit 1 with an L code), the case is counted as refused, not failed.
#
# Compilers spend more time on headers than on emitted code, so several cases of one example are
# compiled as one file. All but the first case get a namespace each, after the headers of all. The
# first case, a different one for each example, includes its own headers. If the file does not
# compile, each case is compiled separately to find the failing one.
#
# A test takes the arguments STENCILC EXAMPLES [SHARD SHARDS], sources this file, defines
#   try_example FILE NUMBER   run in an empty directory
# and calls run_examples.

# The streaming family with all ways to load planes, several tile sizes, and T=1 separately.
schedules=(direct overlapped
  "streaming T=3 loads=async prefetch=2 interior=split"
  "streaming T=2 loads=bulk prefetch=1 interior=split rows=padded"
  "streaming T=1 loads=registers prefetch=1 interior=tested"
  "planes T=2 interior=split")

stencilc=$1
examples=$2
shard=${3:-0}
shards=${4:-1}
passed=0
failed=0
refused=0
declare -A labels  # labels of the cases of an example, by name
directory=$(mktemp -d "${TMPDIR:-/tmp}/stencil-compile-XXXXXX")
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2

# Emits the example $1 in the type $2 with every schedule and the further arguments, to files with
# extension $3. `cases` gets their names without extension, and `labels` their descriptions.
emit_cases() {
  local file=$1 real=$2 end=$3 schedule name
  shift 3
  cases=()
  for schedule in "${schedules[@]}"; do
    name=$(basename "$file" .stn)_${real}_$((${#labels[@]} + 1))
    labels[$name]="$(basename "$file" .stn) $schedule $real"
    cp "$file" "$name.stn"
    if "$stencilc" "$name.stn" --schedule "$schedule" --real "$real" -o "$name.$end" "$@" \
        >stencilc.log 2>&1; then
      cases+=("$name")
    elif grep -q 'error L0' stencilc.log; then
      refused=$((refused + 1))
    else
      complain "$name" stencilc.log
    fi
  done
}

# together END FIRST NAMES...: writes one file of all cases. Case number FIRST (modulo their number)
# comes first, and each case's `main` becomes main_NAME. Its helpers are renamed, because overload
# resolution would find them from inside the namespaces.
together() {
  local end=$1 first=$(($2 % ($# - 2))) name word
  shift 2
  local names=("${@:$((first + 1))}" "${@:1:first}")
  for name in "${names[@]}"; do
    local words=(main shared_memory) scope="namespace in_$name {" close="}"
    if [ "$name" = "${names[0]}" ]; then
      scope="" close=""
      mapfile -t -O 2 words < <(grep -o '\bstencil_[a-z_0-9]*' "$name.$end" | sort -u)
    elif [ "$name" = "${names[1]}" ]; then
      for word in "${names[@]}"; do grep '^#include <' "$word.$end"; done | sort -u
    fi
    for word in "${words[@]}"; do echo "#define $word ${word}_$name"; done
    printf '%s\n#include "%s"\n%s\n' "$scope" "$name.$end" "$close"
    printf '#undef %s\n' "${words[@]}"
    sed -n 's/^ *# *define \([A-Za-z_0-9]*\).*/#undef \1/p' "$name.$end" | sort -u
  done
}

# Fails a case: prints its label and the log.
complain() {
  failed=$((failed + 1))
  echo "FAILED ${labels[$1]}"
  head -c 4000 "$2"
}

run_examples() {
  local number=0 file
  for file in "$examples"/*.stn; do
    number=$((number + 1))
    [ $((number % shards)) -eq "$shard" ] || continue
    rm -rf ./*
    labels=()
    try_example "$file" "$number"
  done
  echo "$refused refused by their schedule"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
