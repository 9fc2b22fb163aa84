#include "ui/language/language.h"

#include <utility>

namespace speclens::ui {
namespace {

std::shared_ptr<const Language>& in_use() {
    static std::shared_ptr<const Language> language = std::make_shared<const Language>();
    return language;
}

} // namespace

const Language& language() { return *in_use(); }

std::string in_language(std::string number) {
    const char decimal = language().decimal;
    if (decimal == '.') return number;
    const std::size_t at = number.find('.');
    if (at == std::string::npos) return number;
    number[at] = decimal;
    if (at == 0 || number[at - 1] < '0' || number[at - 1] > '9') number.insert(at, "0");
    return number;
}

std::shared_ptr<const Language> shared_language() { return in_use(); }

void use_language(std::shared_ptr<const Language> other) { in_use() = other ? std::move(other) : std::make_shared<const Language>(); }

} // namespace speclens::ui
