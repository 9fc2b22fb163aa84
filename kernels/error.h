// The two error tools of the house: CHECK for our own bugs, Error for what comes from outside
// (files, JSON, shapes in a checkpoint, no device, no memory).
#pragma once

#include <stdexcept>
#include <string>

namespace speclens {

// Process exit codes of the command line; an Error carries the one that fits its cause.
// 4 has two causes: no device or memory, and a download that is not what it should be.
enum class Exit : int { ok = 0, failed = 1, usage = 2, model = 3, device = 4, mismatch = 4, display = 5, network = 6, interrupted = 130 };

// What a caller does something of its own about; what nobody asks for is `other`. Words are for readers: no code compares them.
enum class ErrorKind : unsigned char { other, out_of_memory, prompt_too_long, unknown_token, cancelled };

// Something outside went wrong. `what()` says what happened, `remedy()` what the user can try.
class Error : public std::runtime_error {
  public:
    Error(const std::string& what, std::string remedy, Exit code = Exit::model, ErrorKind kind = ErrorKind::other)
        : std::runtime_error(what), remedy_(std::move(remedy)), code_(code), kind_(kind) {}
    [[nodiscard]] const std::string& remedy() const { return remedy_; }
    [[nodiscard]] Exit code() const { return code_; }
    [[nodiscard]] ErrorKind kind() const { return kind_; }

  private:
    std::string remedy_;
    Exit code_;
    ErrorKind kind_;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& message);

} // namespace speclens

// Aborts in every build type: a violated CHECK is a bug of ours, never of the user.
#define CHECK(condition, message)                                                                                                          \
    do {                                                                                                                                   \
        if (!(condition)) ::speclens::check_failed(#condition, __FILE__, __LINE__, message);                                               \
    } while (false)
