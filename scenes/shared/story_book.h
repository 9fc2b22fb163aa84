// The stories: what every scene says, read once from assets/stories and checked as a whole. Texts of one's own and those of
// another language lie over the English ones, text by text: what they lack is English.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/shared/story_text.h"

namespace speclens {

// Of a beat: what it emphasises, which answers it keeps back, what its example must show.
enum class BeatList : unsigned char { focus, hidden, criterion };
[[nodiscard]] const char* beat_list_name(BeatList list);

using NameSet = std::set<std::string, std::less<>>;
template <class T>
using ByName = std::map<std::string, T, std::less<>>;

// What the code of a scene asks its story for.
struct StoryShape {
    std::vector<std::string> beats;    // in order
    ByName<ByName<NameSet>> texts;     // "why.title", then its cases ("" for none), then the values that may stand in it
    std::map<BeatList, NameSet> parts; // that focus, hidden and criterion may name
};
[[nodiscard]] ByName<StoryShape>& story_shapes(); // of each scene; complete when main() begins

// What one folder has: for each text and case where it stands and what it says.
struct StoryLayer {
    struct Beat {
        std::map<BeatList, std::vector<std::string>> lists;
    };
    struct Scene {
        ByName<ByName<StoryText>> texts; // case "*": for all of them
        ByName<Beat> beats;
    };
    ByName<Scene> scenes;
};
// Throws Error with file, line and the names that exist where a file asks for what its scene does not offer.
[[nodiscard]] StoryLayer read_stories(const std::filesystem::path& folder);
// Calls visit("trees.toml: worth.text, case few", the text or null) for every text that the scenes ask for.
void each_text(const StoryLayer& layer, const std::function<void(const std::string& name, const StoryText* text)>& visit);
// Texts that the scenes ask for and this layer has not.
[[nodiscard]] std::vector<std::string> missing_texts(const StoryLayer& layer);

class StoryBook {
  public:
    // The first layer that has a text says it. Throws Error where none of them does.
    explicit StoryBook(std::span<const StoryLayer> layers);
    [[nodiscard]] const StoryText& text(std::string_view scene, std::string_view id) const; // "why.title:pays"
    [[nodiscard]] const std::vector<std::string>* list(std::string_view scene, std::string_view beat, BeatList list) const;
    [[nodiscard]] std::span<const std::string> numbers() const { return numbers_; } // in words

  private:
    ByName<ByName<StoryText>> texts_; // scene, "why.title:pays"
    ByName<ByName<StoryLayer::Beat>> beats_;
    std::vector<std::string> numbers_;
};

// The book that every frame reads. Read at the first call: assets/stories, under the texts of `language` (assets/stories/de)
// and those of SPECLENS_STORIES, a folder of one's own. The program calls it before it draws.
[[nodiscard]] const StoryBook& stories();
[[nodiscard]] std::shared_ptr<const StoryBook> shared_stories(); // the same
void use_stories(std::shared_ptr<const StoryBook> book);         // another one; null: read again
[[nodiscard]] StoryBook load_stories(const std::filesystem::path& folder, const std::string& language, const std::filesystem::path& own);

namespace story {
bool offer_text(std::string_view scene, std::string_view id, std::span<const std::string_view> names);
bool offer_beat(std::string_view scene, std::string_view id, std::span<const std::string_view> names);
bool offer_part(std::string_view scene, BeatList list, std::string_view name);
bool offer_beats(std::string_view scene, std::span<const std::string_view> names);
[[nodiscard]] std::string tell(std::string_view scene, std::string_view id, std::initializer_list<StoryValue> values);
// Of "why:pays": the text "why.heading:pays".
[[nodiscard]] std::string tell_part(std::string_view scene, std::string_view id, std::string_view part,
                                    std::initializer_list<StoryValue> values);
[[nodiscard]] bool lists(std::string_view scene, std::string_view beat, BeatList list, std::string_view name, bool where_none);
} // namespace story

} // namespace speclens
