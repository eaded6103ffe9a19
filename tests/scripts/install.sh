#!/bin/bash
# What a user gets: the build is installed to an empty prefix, and an outside project finds, builds
# against and runs it.
#   usage: install.sh SOURCE_DIR BINARY BUILD_DIR
set -euo pipefail
source=$1
build=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
    echo "install: $*"
    exit 1
}

# The outside project must be compiled as the library was: a sanitizer has to be linked again.
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}
compiler=$(cached CMAKE_CXX_COMPILER)
flags=$(cached CMAKE_CXX_FLAGS)
generator=$(cached CMAKE_GENERATOR)

cmake --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; fail "cmake --install"; }

echo "the installed command"
[[ $("$prefix/bin/napkin" --version) == *"0.1."* ]] || fail "napkin --version"
speed=$("$prefix/bin/napkin" decode llama-3.1-70b --on 2xh100 --context 0 -q)
[[ $speed == 48.* ]] || fail "napkin decode says $speed, not about 48.2"

echo "the presets as JSON"
for file in "$source"/data/*/*.json; do
    cmp -s "$file" "$prefix/share/napkin/${file#"$source"/data/}" ||
        fail "${file#"$source"/} is not below share/napkin"
done

echo "the headers: ours alone, each compiles by itself"
strangers=$(find "$prefix/include" -mindepth 1 -maxdepth 1 ! -name napkin)
[[ -z $strangers ]] || fail "installed headers of others: $strangers"
[[ $(ls "$source/include/napkin") == $(ls "$prefix/include/napkin") ]] || fail "headers differ"
for header in "$prefix"/include/napkin/*.hpp; do
    # shellcheck disable=SC2086 # several flags
    "$compiler" $flags -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" \
        -include "$header" -x c++ /dev/null || fail "${header##*/} does not compile alone"
done

echo "the outside project, and the ten lines of the README"
awk '/^```cpp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/README.md" >"$work/readme.cpp"
grep -q 'int main' "$work/readme.cpp" || fail "the README has no library example"
{
    cmake -G "$generator" -S "$source/tests/install" -B "$work/outside" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DREADME_EXAMPLE="$work/readme.cpp" &&
        cmake --build "$work/outside"
} >"$work/log" 2>&1 || { cat "$work/log"; fail "the outside project does not build"; }
answer=$("$work/outside/outside") || fail "the outside project says '$answer', not about 48.2"
[[ $answer == $(LC_ALL=C printf '%.1f' "$speed") ]] || fail "library and command disagree: $answer and $speed"
[[ $("$work/outside/readme") == "$answer token/s" ]] || fail "the README's example says otherwise"
grep -q "^napkin_DIR:PATH=$prefix/" "$work/outside/CMakeCache.txt" || fail "another napkin was found"

echo "nothing names the place where it was built"
if grep -rlF -e "$build" -e "$source/" "$prefix" --include='*.cmake' --include='*.hpp'; then
    fail "the files above do"
fi
echo "installed, found, built and run: $answer token/s"
