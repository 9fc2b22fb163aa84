#include "engine/drafters/drafter_settings.h"

#include <algorithm>
#include <ranges>
#include <type_traits>

#include "engine/base/values.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using O = DrafterOptions;

template <typename... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>; // clang 16 finds none by itself

// What the members of one setting hold, to be compared.
template <typename Visit>
auto of_members(const DrafterSetting& setting, const Visit& visit) {
    return std::visit(Overloaded{[&](const IntPair& pair) { return visit(pair.first) && visit(pair.second); },
                                 [&](auto member) { return visit(member); }},
                      setting.member);
}

constexpr SaidOf<"settings"> kSaid;

template <class T>
T shown(Setting setting, const O& options, T value) {
    if constexpr (std::is_same_v<T, int>)
        if (setting == Setting::small_ids) return draft_ids(options);
    return value;
}

[[noreturn]] void out_of_range(const DrafterSetting& setting, const std::string& value) {
    throw Error("--" + std::string(setting.option) + " must be " + shortest(setting.least) + " … " + shortest(setting.most) + ", got " +
                    value,
                "See: speclens help run.", Exit::usage);
}

} // namespace

const std::vector<DrafterSetting>& drafter_settings() {
    static const std::vector<DrafterSetting> list = {
#define QUIET(type, member, default_value, option, about, ...) {{__VA_ARGS__}, Setting::member, #member, option, about, &O::member},
#define SETTING(type, member, default_value, option, about, ...)                                                                           \
    {{__VA_ARGS__}, Setting::member, #member, option, about, &O::member, [](const O& o) {                                                  \
         return kSaid("set.words:" #member ""_t, "value"_v = shown(Setting::member, o, o.member));                                         \
     }},
#define PAIR(id, low, default_low, high, default_high, option, about, ...)                                                                 \
    {{__VA_ARGS__}, Setting::id, #id, option, about, IntPair(&O::low, &O::high), nullptr, #low, #high},
#include "engine/drafters/settings.inc"
#undef SETTING
#undef QUIET
#undef PAIR
    };
    return list;
}

const DrafterSetting& row_of(Setting setting) { return drafter_settings()[static_cast<std::size_t>(setting)]; }

const DrafterSetting* find_setting(std::string_view option) {
    const auto found = std::ranges::find(drafter_settings(), option, &DrafterSetting::option);
    return found == drafter_settings().end() ? nullptr : &*found;
}

bool is_default(const DrafterSetting& setting, const DrafterOptions& options) {
    static const DrafterOptions defaults;
    return of_members(setting, [&](auto member) { return options.*member == defaults.*member; });
}

bool counts(const DrafterSetting& setting, const DrafterOptions& options) {
    return !is_default(setting, options) && (setting.needs == nullptr || options.*setting.needs);
}

bool is_unset(const DrafterSetting& setting, const DrafterOptions& options) {
    const auto* member = std::get_if<int O::*>(&setting.member);
    return member != nullptr && setting.least > 0 && options.**member == 0;
}

void copy(const DrafterSetting& setting, const DrafterOptions& from, DrafterOptions& to) {
    (void)of_members(setting, [&](auto member) {
        to.*member = from.*member;
        return true;
    });
}

std::string text_of(const DrafterSetting& setting, const DrafterOptions& options) {
    return std::visit(
        Overloaded{[](bool O::*) { return std::string(); }, [&](int O::*member) { return std::to_string(options.*member); },
                   [&](double O::*member) { return shortest(options.*member); },
                   [&](std::vector<int> O::*member) {
                       std::string text;
                       for (const int layer : options.*member) text += (text.empty() ? "" : ",") + std::to_string(layer);
                       return text;
                   },
                   [&](const IntPair& pair) { return std::to_string(options.*pair.first) + "," + std::to_string(options.*pair.second); }},
        setting.member);
}

std::vector<Said> words_of(const DrafterOptions& options) {
    std::vector<Said> all;
    for (const DrafterSetting& setting : drafter_settings() | std::views::reverse)
        if (setting.words && counts(setting, options)) all = {kSaid("set.next"_t, "words"_v = setting.words(options), "more"_v = all)};
    return all;
}

void take_text(const DrafterSetting& setting, const std::string& name, const std::string& text, DrafterOptions& to) {
    const auto least = static_cast<long long>(setting.least), most = static_cast<long long>(setting.most);
    std::visit(Overloaded{[&](bool O::*member) { to.*member = !(O{}.*member); },
                          [&](int O::*member) { to.*member = static_cast<int>(whole(name, text, least, most)); },
                          [&](double O::*member) { to.*member = real(name, text, setting.least, setting.most); },
                          [&](std::vector<int> O::*member) { to.*member = whole_list(name, text, least, most); },
                          [&](const IntPair& pair) {
                              const std::vector<int> both = whole_list(name, text, least, most);
                              if (both.size() != 2 || both[0] > both[1])
                                  throw Error(name + ": '" + text + "' is not " + setting.value,
                                              "Give two integers, the smaller first: " + name + " " + text_of(setting, {}) + ".",
                                              Exit::usage);
                              to.*pair.first = both[0];
                              to.*pair.second = both[1];
                          }},
               setting.member);
}

void check_range(const DrafterSetting& setting, const DrafterOptions& options) {
    const auto within = [&](double value) {
        if (!(value >= setting.least && value <= setting.most)) out_of_range(setting, shortest(value));
    };
    if (is_default(setting, options)) return; // also a 0 that says: not set
    std::visit(Overloaded{[](bool O::*) {}, [&](int O::*member) { within(options.*member); },
                          [&](double O::*member) { within(options.*member); },
                          [&](std::vector<int> O::*member) { std::ranges::for_each(options.*member, within); },
                          [&](const IntPair& pair) {
                              if (options.*pair.first > options.*pair.second)
                                  throw Error("--" + std::string(setting.option) + " needs MIN <= MAX, got " + text_of(setting, options),
                                              "Give the smaller number first.", Exit::usage);
                              within(options.*pair.first);
                              within(options.*pair.second);
                          }},
               setting.member);
}

} // namespace speclens
