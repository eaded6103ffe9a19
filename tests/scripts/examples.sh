#!/bin/bash
# The examples do what they say, with the napkin that was just built.
#   usage: examples.sh SOURCE_DIR BINARY BUILD_DIR
set -uo pipefail
source=$1
PATH=$(dirname "$2"):$PATH
failed=0

# expect EXIT_CODE TEXT COMMAND...
expect() {
    local code=$1 text=$2 output
    shift 2
    output=$("$@" 2>&1)
    local got=$?
    if [[ $got != "$code" || $output != *"$text"* ]]; then
        echo "$*: exit $got, not $code, or no '$text' in: $output"
        failed=1
    fi
}

serve=$source/examples/serve-if-it-fits.sh
expect 0 "starting llama-3.1-8b on h100" sh "$serve" llama-3.1-8b h100
expect 0 "starting" sh "$serve" "$source/examples/qwen3-8b/config.json" rtx-4090
expect 1 "it takes 2 devices" sh "$serve" llama-3.1-70b h100
expect 2 "unknown accelerator" sh "$serve" llama-3.1-8b h10O
expect 0 "Lab GPU 48GB" napkin gpu lab-gpu --presets "$source/examples"
expect 0 "lab-gpu" napkin fit llama-3.1-8b --on "$source/examples/lab-gpu.json" --json
expect 0 "token/s" napkin decode llama-3.1-8b --on 2xprototype-b --presets "$source/examples"
exit $failed
