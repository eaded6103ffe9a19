// napkin: the back of an envelope for the hardware side of language models.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/run.hpp"

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // napkin gpu | head is no failure
    try {
        return napkin::cli::run(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "napkin: internal error: %s\n", error.what());
        return 2;
    }
}
