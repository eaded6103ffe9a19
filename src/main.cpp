// napkin: the back of an envelope for the hardware side of language models.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cli/run.hpp"

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // napkin gpu | head is no failure
    try {
        const int code = napkin::cli::run(std::vector<std::string>(argv + 1, argv + argc));
        // A reader that has gone away is its own business; a full disk is not.
        errno = 0;
        if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE &&
            errno != 0) {
            std::fputs("napkin: error: the answer could not be written\n", stderr);
            return 2;
        }
        return code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "napkin: internal error: %s\n", error.what());
        return 2;
    }
}
