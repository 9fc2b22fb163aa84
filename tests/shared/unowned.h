// A value of the test's own as an answer of the engine (engine/run/answers.h): pointed to, not kept.
#pragma once

#include <memory>

namespace speclens::test {

template <class T>
[[nodiscard]] std::shared_ptr<const T> unowned(const T& value) {
    return {std::shared_ptr<void>(), &value};
}

} // namespace speclens::test
