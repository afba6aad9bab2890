# What the compile tests share. Every example x schedule x {float, double} is one case. Cases are
# dealt to the shards in turn, so that these take alike long. A schedule that refuses a program (exit
# 1 with an L code) is counted, not failed.
#
# A test takes the arguments STENCILC EXAMPLES [SHARD SHARDS], sources this file, defines
# `try_case NAME FILE SCHEDULE REAL` (run in an empty directory; 0: passed, 1: refused,
# 2: failed) and calls run_cases.

# Of the streaming family, all ways to load planes; several sizes of tiles, and T=1 by itself.
schedules=(direct overlapped
  "streaming T=3 loads=async prefetch=2 edges=split"
  "streaming T=2 loads=bulk prefetch=1 edges=split rows=padded"
  "streaming T=1 loads=registers prefetch=1 edges=tested"
  "planes T=2 edges=split")

stencilc=$1
examples=$2
shard=${3:-0}
shards=${4:-1}
passed=0
failed=0
refused=0
directory=$(mktemp -d "${TMPDIR:-/tmp}/stencil-compile-XXXXXX")
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 2

# Writes $1 from the remaining arguments of stencilc. 0: written; 1: refused (and counted); 2:
# failed.
generate() {
  local output=$1
  shift
  if "$stencilc" "$@" -o "$output" >stencilc.log 2>&1; then return 0; fi
  if grep -q 'error L0' stencilc.log; then
    refused=$((refused + 1))
    return 1
  fi
  cat stencilc.log
  return 2
}

# Fails a case: prints its label and the log that tells why.
complain() {
  echo "FAILED $1"
  head -c 4000 "$2"
}

run_cases() {
  local number=0 file schedule real status
  for file in "$examples"/*.stn; do
    for schedule in "${schedules[@]}"; do
      for real in float double; do
        number=$((number + 1))
        [ $((number % shards)) -eq "$shard" ] || continue
        rm -f ./*
        try_case "$(basename "$file" .stn)" "$file" "$schedule" "$real"
        status=$?
        case $status in
          0) passed=$((passed + 1)) ;;
          1) ;;  # refused
          *) failed=$((failed + 1)) ;;
        esac
      done
    done
  done
  echo "$refused refused by their schedule"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
