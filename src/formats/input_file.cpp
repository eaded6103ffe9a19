#include "formats/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "formats/wording.hpp"

namespace napkin::formats {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string id, const std::string& message,
                         std::string expected = {}) {
    throw Error(problem_in(path, std::move(id), message, std::move(expected)));
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
    // Without O_NONBLOCK a FIFO would wait for somebody to write to it.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) {
        if (errno == ENOENT || errno == ENOTDIR) refuse(path, "no-such-file", "no such file");
        refuse(path, "unreadable-file", std::string("cannot be read: ") + std::strerror(errno));
    }
    struct stat status {};
    const bool known = ::fstat(descriptor_, &status) == 0;
    if (known && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_ = static_cast<std::uint64_t>(status.st_size);
        return;
    }
    ::close(descriptor_);
    if (known && S_ISREG(status.st_mode)) refuse(path, "empty-file", "the file is empty");
    refuse(path, "not-a-file", "not a regular file", "a file with contents");
}

InputFile::~InputFile() {
    ::close(descriptor_);
}

std::size_t InputFile::read(std::uint64_t offset, char* into, std::size_t count) const {
    std::size_t done = 0;
    while (done < count && offset + done < size_) {
        const ssize_t got =
            ::pread(descriptor_, into + done, count - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            refuse(path_, "unreadable-file",
                   std::string("cannot be read: ") + std::strerror(errno));
        }
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::string InputFile::text(std::uint64_t offset, std::uint64_t count) const {
    const std::uint64_t left = offset < size_ ? size_ - offset : 0;
    std::string result(count < left ? count : left, '\0');
    const std::size_t got = read(offset, result.data(), result.size());
    if (got < count) {
        refuse(path_, "truncated-file",
               "truncated: " + std::to_string(count) + " bytes were to follow byte " +
                   std::to_string(offset) + ", the file has " + std::to_string(size_));
    }
    return result;
}

}  // namespace napkin::formats
