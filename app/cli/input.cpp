#include "app/cli/input.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>
#include <streambuf>

#include "app/cli/output.h"

namespace speclens::cli {

namespace {

constexpr int kTickMs = 100; // between two looks at whether the program was interrupted

class StandardInput final : public std::streambuf {
  private:
    int_type underflow() override {
        if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
        while (!interrupted().load()) {
            pollfd input{STDIN_FILENO, POLLIN, 0};
            if (const int ready = poll(&input, 1, kTickMs); ready == 0 || (ready < 0 && errno == EINTR)) continue;
            const ssize_t got = read(STDIN_FILENO, block_.data(), block_.size());
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (got < 0) throw std::ios_base::failure("standard input"); // istreams turn it into badbit
            if (got == 0) break;
            setg(block_.data(), block_.data(), block_.data() + got);
            return traits_type::to_int_type(*gptr());
        }
        return traits_type::eof();
    }

    std::array<char, 1 << 16> block_{};
};

} // namespace

void prepare_input() {
    static StandardInput input;
    std::cin.rdbuf(&input);
}

bool input_comes(int ms) {
    if (std::cin.rdbuf()->in_avail() > 0) return true;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, ms) > 0;
}

} // namespace speclens::cli
