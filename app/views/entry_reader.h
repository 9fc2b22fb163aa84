// Entries of the JSON lists that come with the program (glossary, quiz): every failure names the file and the
// entry.
#pragma once

#include <string>

#include "app/views/link.h"
#include "engine/base/json_read.h"

namespace speclens {

class EntryReader {
  public:
    EntryReader(const std::string& json, std::string name, std::string remedy)
        : list(Json::parse_or_discard(json)), name_(std::move(name)), remedy_(std::move(remedy)) {
        if (!list.is_array()) throw Error(name_ + ": not a JSON array", remedy_);
    }
    [[noreturn]] void broken(const Json& item, const std::string& what) const {
        const auto number = &item - &list.front() + 1;
        throw Error(name_ + " entry " + std::to_string(number) + ": " + what, remedy_);
    }
    [[nodiscard]] std::string text(const Json& item, const char* key) const {
        const auto found = item.is_object() ? item.find(key) : item.end();
        if (found == item.end() || !found->is_string() || found->get<std::string>().empty()) broken(item, std::string("no ") + key);
        return found->get<std::string>();
    }
    [[nodiscard]] Link place(const Json& item) const { // "see": SCENE or SCENE/BEAT
        const std::string see = text(item, "see");
        try {
            return parse_link("speclens://" + see);
        } catch (const Error&) {
            broken(item, "see is not SCENE or SCENE/BEAT");
        }
    }
    Json list;

  private:
    std::string name_, remedy_;
};

} // namespace speclens
