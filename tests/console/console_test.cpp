// Golden transcripts: every file in transcripts is run and compared to the letter.
//
//   # a comment
//   % terminal 60           the next command runs in a pseudo-terminal of 60 columns (one stream)
//   % env NAME=VALUE        a variable for the next command
//   % head 3                only the first three lines of stdout count (long tables, schemas)
//   % stdout                stderr does not count (notes of a long list)
//   $ napkin fit llama-3.1-8b --on h100
//   exactly the lines of stdout
//   ! each line of stderr
//   [exit 1]                only where it is not 0
//
// A block ends at the next line that begins with "$ ", "% " or "#". One blank line before that (or
// before the end of the file) parts the blocks and is no output; every other blank line is. Output
// that begins with "$ ", "% ", "#", "! ", "[" or "\" is written with a "\" before it. Words are
// split as a shell does, with 'single' and "double" quotes; nothing else is expanded. Carriage
// returns are dropped.
//
// NAPKIN_UPDATE_TRANSCRIPTS=1 writes the answers of today into the files instead of comparing:
// read the difference before you commit it. CI never sets it.
#include <cstdlib>
#include <iostream>

#include "tests/console/transcript.hpp"
#include "tests/support/catch.hpp"

namespace napkin::test {
namespace {

std::vector<std::filesystem::path> transcripts() {
    std::vector<std::filesystem::path> paths;
    const std::filesystem::path folder = NAPKIN_SOURCE_DIR "/tests/console/transcripts";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".console") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

void compare(const Block& block, const Lines& actual, const std::filesystem::path& path) {
    if (actual == block.expected) {
        SUCCEED();
        return;
    }
    // Not through Catch2, which would break long lines.
    std::cerr << path.string() << ":" << block.line << ": $ " << block.command << "\n"
              << difference(block.expected, actual);
    FAIL_CHECK(path.filename().string() << ":" << block.line << " differs, as shown above");
}

TEST_CASE("the console shows what the transcripts say", "[console]") {
    const char* set = std::getenv("NAPKIN_UPDATE_TRANSCRIPTS");
    const bool update = set != nullptr && std::string(set) == "1";
    const auto paths = transcripts();
    REQUIRE_FALSE(paths.empty());
    for (const std::filesystem::path& path : paths) {
        DYNAMIC_SECTION(path.filename().string()) {
            Transcript transcript = read_transcript(path);
            CHECK_FALSE(transcript.blocks.empty());
            for (Block& block : transcript.blocks) {
                const Lines actual = answer(block);
                if (update) {
                    block.expected = actual;
                } else {
                    compare(block, actual, path);
                }
            }
            if (update) write_transcript(transcript);
        }
    }
}

}  // namespace
}  // namespace napkin::test
