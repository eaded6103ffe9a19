#!/bin/bash
# Holds the includes of src and include to tests/scripts/layering.rows, and outside libraries to
# where they belong; then breaks a copy in every way it knows and sees that each one is caught.
#   usage: layering.sh [--self-test] [SOURCE_DIR]      --self-test: the second half alone
set -euo pipefail

self_test_only=false
if [[ ${1:-} == --self-test ]]; then
    self_test_only=true
    shift
fi
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "${1:-$scripts/../..}" && pwd)

# Prints every violation below folder $1, one a line; nothing if there is none.
violations() {
    (
        cd "$1"
        # file:line:text
        grep -rnE '^[[:space:]]*#[[:space:]]*(include|import)|getenv' include src
    ) | awk -v rows="$scripts/layering.rows" '
        function fail(message) { print file ":" line ": " message }
        function stem(path) { sub(/.*\//, "", path); sub(/\.[^.]*$/, "", path); return path }
        # The room of a file, by its path from the folder that the compiler looks in.
        function room(path) {
            if (path ~ /^(napkin|core)\//) return room_of[stem(path)]
            if (path ~ /\//) { sub(/\/.*/, "", path); return path in row && !core[path] ? path : "" }
            return path == "main.cpp" ? "main" : ""
        }
        BEGIN {
            while ((getline text < rows) > 0) {
                if (text ~ /^#/ || text == "") continue
                if (text == "edges") { edges = 1; continue }
                ++count
                words = split(text, word, " ")
                for (i = 1; i <= words; ++i) {
                    split(word[i], half, "=")
                    row[half[1]] = count
                    core[half[1]] = !edges
                    files = split(half[2] == "" ? half[1] : half[2], name, ",")
                    for (j = 1; j <= files; ++j) room_of[name[j]] = half[1]
                }
            }
            if (!count) { print rows ": no rows"; exit }
        }
        {
            text = $0
            file = text; sub(/:.*/, "", file); text = substr(text, length(file) + 2)
            line = text; sub(/:.*/, "", line); text = substr(text, length(line) + 2)
            public = file ~ /^include\//
            pure = public || file ~ /^src\/core\//
            from = file; sub(/^(include|src)\//, "", from)
            own = room(from)
            if (text !~ /^[[:space:]]*#/) {
                if (pure) fail("the core asks no environment")
                next
            }
            if (own == "" || (file ~ /^src\/core\// && !core[own])) {
                fail("which row is this file in? name it in layering.rows")
                next
            }
            if (!match(text, /<[^>]*>|"[^"]*"/)) { fail("an include of a macro"); next }
            angle = substr(text, RSTART, 1) == "<"
            path = substr(text, RSTART + 1, RLENGTH - 2)

            if (path ~ /^CLI\// && !(file in cli)) { cli[file]; ++clis }
            if (path ~ /^nlohmann\// && !(file in json)) { json[file]; ++jsons }
            if (path ~ /^fmt\// && own != "cli" && own != "report") fail("fmt outside cli and report")

            to = room(path)
            if (!angle || to != "") {
                if (to == "") fail("no room has \"" path "\": write the path from src or include")
                else if (public && path !~ /^napkin\//) fail("a public header includes " path)
                else if (own != to && row[to] >= row[own])
                    fail(own " may not include " to " (" path ")")
            } else if (pure && path ~ /[.\/]/) {
                fail("the core and its headers need the standard library only, not " path)
            } else if (pure && path ~ /^(iostream|fstream|filesystem|chrono|ctime|cstdio)$/) {
                fail("the core knows no terminal, file or clock: <" path ">")
            }
        }
        END {
            if (clis != 1) {
                for (file in cli) print file ": one of " clis " sources with CLI11, not of one"
                if (!clis) print "no source includes CLI11: is the pattern out of date?"
            }
            if (jsons != 1) {
                for (file in json) print file ": one of " jsons " sources with nlohmann/json, not of one"
                if (!jsons) print "no source includes nlohmann/json: is the pattern out of date?"
            }
        }' | sort
}

# What is wrong with the copy and not with the original; lines have moved, so they do not count.
news() {
    comm -13 <(without_lines <<<"$found_here") <(violations "$copy" | without_lines)
}
without_lines() {
    sed -E 's/^([^:]*):[0-9]+:/\1:/' | sort -u
}

# try EXPECTED FILE TEXT: a copy of the sources with TEXT on top of FILE breaks a rule, in the words
# of EXPECTED; none if that is empty.
try() {
    local new
    rm -rf "$copy"
    mkdir "$copy"
    cp -r "$root/src" "$root/include" "$copy"
    { echo "$3" && cat "$root/$2" 2>/dev/null; } >"$copy/$2" || true
    new=$(news)
    if [[ -z $1 && -z $new ]]; then
        echo "allowed  $2: $3"
    elif [[ -n $1 && $new == *"$1"* ]]; then
        echo "caught   $2: $3"
    else
        echo "FAILED   $2: $3"
        echo "         expected '${1:-nothing}', found '${new:-nothing}'"
        broken=1
    fi
}

found_here=$(violations "$root")
failed=0
if [[ $self_test_only == false && -n $found_here ]]; then
    echo "$found_here"
    failed=1
fi

broken=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/copy
try '' include/napkin/inference.hpp '#include "napkin/units.hpp"'
try '' src/core/model.cpp '#include <numeric>'
try '' src/core/model.cpp '#include "napkin/derivation.hpp"'
try '' src/report/csv.cpp '#include <fmt/format.h>'
try '' src/cli/run.cpp '#include "catalog/read.hpp"'
try 'machine may not include residents' include/napkin/machine.hpp '#include "napkin/residents.hpp"'
try 'machine may not include residents' include/napkin/machine.hpp '#  include <napkin/residents.hpp>'
try 'operations may not include residents' src/core/operations.cpp '#include "napkin/residents.hpp"'
try 'model may not include machine' include/napkin/model.hpp '#include "napkin/machine.hpp"'
try 'inference may not include catalog' src/core/inference.cpp '#include "napkin/catalog.hpp"'
try 'model may not include json' src/core/model.cpp '#include "json/json.hpp"'
try 'standard library only, not nlohmann' src/core/model.cpp '#include <nlohmann/json.hpp>'
try 'standard library only, not fmt' include/napkin/text.hpp '#include <fmt/format.h>'
try 'standard library only, not unistd.h' src/core/units.cpp '#include <unistd.h>'
try 'no terminal, file or clock: <fstream>' src/core/roofline.cpp '#include <fstream>'
try 'no terminal, file or clock: <chrono>' include/napkin/training.hpp '#include <chrono>'
try 'asks no environment' src/core/layout.cpp 'inline auto home() { return std::getenv("HOME"); }'
try 'report may not include cli' src/report/csv.cpp '#include "cli/flags.hpp"'
try 'json may not include catalog' src/json/json.cpp '#include "napkin/catalog.hpp"'
try 'report may not include cli' src/report/csv.cpp '#include <cli/flags.hpp>'
try 'tools may not include cli' src/tools/embed.cpp '#include "cli/flags.hpp"'
try 'a public header includes json/json.hpp' include/napkin/catalog.hpp '#include "json/json.hpp"'
try 'no room has "../cli/flags.hpp"' src/report/csv.cpp '#include "../cli/flags.hpp"'
try 'no room has "flags.hpp"' src/cli/run.cpp '#include "flags.hpp"'
try 'which row is this file in' src/core/stray.cpp '#include <vector>'
try 'one of 2 sources with CLI11' src/cli/run.cpp '#include <CLI/CLI.hpp>'
try 'one of 2 sources with nlohmann/json' src/catalog/catalog.cpp '#include <nlohmann/json.hpp>'
try 'fmt outside cli and report' src/catalog/catalog.cpp '#include <fmt/format.h>'

((broken == 0)) || echo "the check itself is broken"
((failed == 0)) || echo "an include goes against tests/scripts/layering.rows"
exit $((failed | broken))
