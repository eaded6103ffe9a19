#include "tests/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace napkin::test {
namespace {

constexpr unsigned longest_seconds = 60;

[[noreturn]] void become(const std::vector<std::string>& words, const Conditions& conditions) {
    for (const auto& [name, value] : conditions.environment) {
        setenv(name.c_str(), value.c_str(), 1);
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    alarm(longest_seconds);
    execvp(arguments[0], arguments.data());
    _exit(127);
}

int exit_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The kernel may report the hang-up of a pseudo-terminal before it hands over the last lines. So
// the parent keeps its end open, and a process between the two writes a zero byte behind the
// output.
Outcome in_terminal(const std::vector<std::string>& words, const Conditions& conditions) {
    winsize size{};
    size.ws_col = conditions.columns;
    size.ws_row = 40;
    int master = -1;
    int terminal = -1;
    if (openpty(&master, &terminal, nullptr, nullptr, &size) != 0) {
        throw std::runtime_error("openpty failed");
    }
    const pid_t between = fork();
    if (between < 0) throw std::runtime_error("fork failed");
    if (between == 0) {
        close(master);
        login_tty(terminal);
        const pid_t child = fork();
        if (child == 0) {
            unsetenv("COLUMNS");
            become(words, conditions);
        }
        const int exit = child < 0 ? 127 : exit_of(child);
        const ssize_t written = write(STDOUT_FILENO, "", 1);
        _exit(written == 1 ? exit : 127);
    }
    Outcome outcome;
    std::array<char, 4096> buffer{};
    while (outcome.out.empty() || outcome.out.back() != '\0') {
        const ssize_t count = read(master, buffer.data(), buffer.size());
        if (count <= 0) throw std::runtime_error("the pseudo-terminal hung up");
        outcome.out.append(buffer.data(), static_cast<std::size_t>(count));
    }
    outcome.out.pop_back();
    outcome.exit = exit_of(between);  // before the hang-up, which would end it
    close(terminal);
    close(master);
    return outcome;
}

struct Pipe {
    int ends[2]{-1, -1};
    Pipe() {
        if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    }
};

}  // namespace

Outcome run(const std::vector<std::string>& words, const Conditions& conditions) {
    if (conditions.terminal) return in_terminal(words, conditions);
    Pipe in;
    Pipe out;
    Pipe err;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        dup2(in.ends[0], STDIN_FILENO);
        dup2(out.ends[1], STDOUT_FILENO);
        dup2(err.ends[1], STDERR_FILENO);
        for (const Pipe* one : {&in, &out, &err}) {
            close(one->ends[0]);
            close(one->ends[1]);
        }
        become(words, conditions);
    }
    close(in.ends[0]);
    close(out.ends[1]);
    close(err.ends[1]);
    std::signal(SIGPIPE, SIG_IGN);
    if (!conditions.input.empty()) {
        // Inputs of tests are small: they fit the pipe's buffer.
        const ssize_t written = write(in.ends[1], conditions.input.data(), conditions.input.size());
        (void)written;
    }
    close(in.ends[1]);
    Outcome outcome;
    std::array<pollfd, 2> streams{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    int open = 2;
    std::array<char, 65536> buffer{};
    while (open > 0 && poll(streams.data(), streams.size(), -1) > 0) {
        for (std::size_t i = 0; i < streams.size(); ++i) {
            if (streams[i].fd < 0 || streams[i].revents == 0) continue;
            const ssize_t count = read(streams[i].fd, buffer.data(), buffer.size());
            if (count <= 0) {
                close(streams[i].fd);
                streams[i].fd = -1;
                --open;
            } else {
                (i == 0 ? outcome.out : outcome.err)
                    .append(buffer.data(), static_cast<std::size_t>(count));
            }
        }
    }
    outcome.exit = exit_of(child);
    return outcome;
}

Outcome run_napkin(std::vector<std::string> arguments, const Conditions& conditions) {
    std::vector<std::string> words{NAPKIN_BINARY};
    for (std::string& argument : arguments) words.push_back(std::move(argument));
    return run(words, conditions);
}

std::vector<std::string> shell_words(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    bool any = false;
    char quote = 0;
    for (const char c : line) {
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
            any = true;
        } else if (c == ' ') {
            if (any || !word.empty()) words.push_back(word);
            word.clear();
            any = false;
        } else {
            word += c;
        }
    }
    if (any || !word.empty()) words.push_back(word);
    return words;
}

}  // namespace napkin::test
