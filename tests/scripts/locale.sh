#!/bin/bash
# Machine output has the same bytes under a locale whose decimal sign is a comma, and so has what is
# read: --mfu 0.41 means the same in Hamburg.
#   usage: locale.sh SOURCE_DIR BINARY [BUILD_DIR]
set -euo pipefail
napkin=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=/nonexistent XDG_DATA_DIRS=/nonexistent

german=de_DE.UTF-8
if [[ $(LC_ALL=$german locale decimal_point 2>/dev/null) != , ]]; then
    if ! command -v localedef >/dev/null || [[ ! -e /usr/share/i18n/locales/de_DE ]]; then
        echo "$german is neither installed nor can it be made: install the package 'locales'"
        exit 1
    fi
    localedef -i de_DE -f UTF-8 "$work/$german"
    export LOCPATH=$work
fi
# Without this the comparison below would compare C with C.
[[ $(LC_ALL=$german locale decimal_point) == , ]] || { echo "$german has no comma"; exit 1; }
[[ $(LC_ALL=$german /usr/bin/printf '%.1f' 1,5) == 1,5 ]] || { echo "$german is not in force"; exit 1; }

commands=(
    'llama-3.1-70b --on 2xh100'
    'decode llama-3.1-70b --on 2xh100'
    'decode deepseek-v3 --on 8xh200 --context 0.5k --batch 64'
    'decode llama-3.1-8b --on h100 --set gpu.memory_bandwidth=3.35TB/s'
    'prefill llama-3.1-8b --on h100 --prompt 8k'
    'fit llama-3.1-70b --on h100 --reserve 7.5GiB'
    'train llama-3.1-405b --on 16384xh100 --tokens 15.6T --mfu 0.41 --price 2.5'
    'claim llama-3.1-405b --on 16384xh100 --tokens 15.6T --days 54.5'
    'goodput --on 16384xh100 --checkpoint-stall 1.5min --restart 5min'
    'roofline --on h100 --intensity 100.5'
    'collective all-reduce --on 8xh100 --bytes 1.5MiB'
    'gpu h100'
    'model deepseek-v3'
    'decode llama-3.1-8b --on h100,mi300x,b200'
    'train llama-3.1-405b --on 16384xh100 --tokens 15,6T'
    'numbers'
    'version'
)
formats=(--json --csv --markdown '--json --explain')

# Answer, what is said beside it, and the exit code.
ask() {
    local code=0
    # shellcheck disable=SC2086 # the words of a command
    env -u LANG LC_ALL="$1" COLUMNS=80 NO_COLOR=1 "$napkin" $2 $3 >"$work/out" 2>&1 || code=$?
    echo "exit $code" >>"$work/out"
    cat "$work/out"
}

runs=0
answers=0
failed=0
for command in "${commands[@]}"; do
    for format in "${formats[@]}"; do
        # Both are UTF-8, so that only the language of numbers differs.
        ask C.UTF-8 "$command" "$format" >"$work/c"
        ask $german "$command" "$format" >"$work/german"
        runs=$((runs + 1))
        if ! cmp -s "$work/c" "$work/german"; then
            echo "differs: napkin $command $format"
            diff "$work/c" "$work/german" | head -n 5 || true
            failed=1
        fi
        if grep -qx 'exit [01]' "$work/c"; then answers=$((answers + 1)); fi
        # JSON does not depend on the character set either.
        if [[ $format == --json* ]]; then
            ask C "$command" "$format" >"$work/ascii"
            cmp -s <(grep '^{' "$work/ascii") <(grep '^{' "$work/german") ||
                { echo "differs under C: napkin $command $format"; failed=1; }
        fi
    done
done
echo "$runs runs under C.UTF-8 and $german, $answers of them answers"
# One command is there to be refused.
((answers >= runs - ${#formats[@]})) || { echo "too few answers: have the commands changed?"; failed=1; }
exit $failed
