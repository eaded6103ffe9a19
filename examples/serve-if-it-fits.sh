#!/bin/sh
# Starts a server only where the model fits, and says what would be needed where it does not.
#   usage: serve-if-it-fits.sh MODEL MACHINE [CONTEXT]
set -u
model=$1
machine=$2
context=${3:-8k}

if napkin fit "$model" --on "$machine" --context "$context" -q; then
    echo "starting $model on $machine with up to" \
        "$(napkin fit "$model" --on "$machine" --context "$context" --get max_batch) sequences"
    exit 0
fi
# Exit code 1 was a no; 2 would have been no answer (a name mistyped, say).
devices=$(napkin fit "$model" --on "$machine" --context "$context" --get min_devices) || [ $? -eq 1 ] || exit 2
echo "$model does not fit on $machine: it takes $devices devices"
exit 1
