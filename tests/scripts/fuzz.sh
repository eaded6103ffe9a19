#!/bin/bash
# Every fuzz target for a while, from its seeds: says how many inputs each took, fails at a finding.
#   usage: fuzz.sh SOURCE_DIR BUILD_DIR SECONDS [TARGET...]
set -euo pipefail
source_dir=$1
build_dir=$2
seconds=$3
shift 3
targets=("$@")
if ((${#targets[@]} == 0)); then
    for source in "$source_dir"/tests/fuzz/*_fuzz.cpp; do
        name=${source##*/}
        targets+=("${name%_fuzz.cpp}")
    done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for target in "${targets[@]}"; do
    seeds=$source_dir/tests/fuzz/corpus/$target
    # Real configurations are the best seeds there are.
    if [[ $target == config ]]; then seeds=$source_dir/tests/formats/configs; fi
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1)
    dictionary=$source_dir/tests/fuzz/$target.dict
    if [[ -f $dictionary ]]; then options+=(-dict="$dictionary"); fi
    mkdir "$work/$target"
    log=$work/$target.log
    if ! (cd "$work" && "$build_dir/tests/fuzz/napkin_${target}_fuzz" "${options[@]}" \
            "$work/$target" "$seeds") >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "$target: a finding"
        exit 1
    fi
    awk -v target="$target" '/number_of_executed_units/ { print target ": " $2 " inputs" }' "$log"
done
