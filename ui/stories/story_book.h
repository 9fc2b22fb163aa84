// The stories: what every scene says, read once from assets/stories and checked as a whole. Texts of one's own and those of
// another language lie over the English ones, text by text: what they lack, or have broken, is English, which is also in the program
// itself, from the same files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ui/stories/message.h"
#include "ui/stories/story_text.h"

namespace speclens {

// Of a beat: what it emphasises, which answers it keeps back, what its example must show.
enum class BeatList : unsigned char { focus, hidden, criterion };
[[nodiscard]] const char* beat_list_name(BeatList list);

using NameSet = std::set<std::string, std::less<>>;
template <class T>
using ByName = std::map<std::string, T, std::less<>>;
using ValueKinds = ByName<ValueKind>;
// Leaves the values that both offer, as what can be said of either: a measured number is nothing else.
void keep_common(ValueKinds& values, const ValueKinds& others);

// What the code of a scene asks its story for.
struct StoryShape {
    std::vector<std::string> beats;    // in order
    ByName<ByName<ValueKinds>> texts;  // "why.title", then its cases ("" for none), then the values that may stand in it
    std::map<BeatList, NameSet> parts; // that focus, hidden and criterion may name
};
[[nodiscard]] ByName<StoryShape>& story_shapes(); // of each scene; complete when main() begins

// A text whose value is called so says words of data, a claim of a source or the domain of a prompt: another language has a case for each
// of them, under its English words, and what it lacks stays as it is.
inline constexpr std::string_view kDataWords = "english";
[[nodiscard]] bool says_data(const StoryShape& shape, std::string_view text);

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
// Throws Error with file, line and the names that exist where a file asks for what its scene does not offer. With `problems` what is
// wrong is left out and told there instead: a text, or a beat, a file, the folder.
[[nodiscard]] StoryLayer read_stories(const std::filesystem::path& folder, std::vector<std::string>* problems = nullptr);
// The English texts as this program was built with them. What nobody in it asks for is left out.
[[nodiscard]] StoryLayer built_in_stories();
// Calls visit("trees.toml: worth.text, case few", the text or null) for every text that the scenes ask for.
void each_text(const StoryLayer& layer, const std::function<void(const std::string& name, const StoryText* text)>& visit);
// Texts that the scenes ask for and this layer has not.
[[nodiscard]] std::vector<std::string> missing_texts(const StoryLayer& layer);

class StoryBook {
  public:
    // The first layer that has a text says it. Throws Error where none of them does.
    explicit StoryBook(std::span<const StoryLayer> layers, std::vector<std::string> problems = {});
    StoryBook(StoryBook&&) = default; // texts stay where they are
    StoryBook& operator=(StoryBook&&) = default;
    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }    // what of the layers was left out, and why
    [[nodiscard]] const StoryText& text(std::string_view scene, std::string_view id) const; // "why.title:pays"
    [[nodiscard]] const std::vector<std::string>* list(std::string_view scene, std::string_view beat, BeatList list) const;
    [[nodiscard]] std::span<const std::string> numbers() const { return numbers_; }                            // in words
    [[nodiscard]] std::string say(const Said& said, std::string_view form = {}, Seam seam = Seam::none) const; // in words

  private:
    [[nodiscard]] const StoryText* find(std::string_view scene, std::string_view id) const;
    [[nodiscard]] const StoryText* find_data(const Said& said) const; // the case of its English words

    // A frame looks hundreds of texts up: those that the code asks for by their place, others by parts of names that are long and alike.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
    };
    template <typename T>
    using Hashed = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

    Hashed<Hashed<StoryText>> texts_;       // scene, "why.title:pays"
    std::vector<const StoryText*> offered_; // of texts_, in the order of offered_texts()
    ByName<ByName<StoryLayer::Beat>> beats_;
    std::vector<std::string> numbers_, problems_;
};

// The book that every frame reads: until another one is used, the English that was shipped or is built in, under the texts of
// SPECLENS_STORIES, a folder of one's own.
[[nodiscard]] const StoryBook& stories();
[[nodiscard]] std::shared_ptr<const StoryBook> shared_stories(); // the same
void use_stories(std::shared_ptr<const StoryBook> book);         // another one
// What is broken in them is an Error, or left out: then the book says so.
enum class Broken : unsigned char { refused, left_out };
[[nodiscard]] StoryBook load_stories(const std::filesystem::path& folder, const std::string& language, const std::filesystem::path& own,
                                     Broken broken = Broken::refused);
void set_shipped_stories(std::filesystem::path folder);  // of the first stories(), over the built-in ones; by whoever begins the program
[[nodiscard]] std::vector<std::string> story_problems(); // of the book in use; reads none
[[nodiscard]] std::filesystem::path own_stories();       // SPECLENS_STORIES; empty: none

// A text born below the scenes, in the language of the pictures; none of none.
[[nodiscard]] Message message(Said said);
// The words, and what they are without their last sentence (part, item), without the last two, and so on: the longest first, each whole.
// What has no id has sentences alone.
[[nodiscard]] std::vector<std::string> shorter_and_shorter(const Message& message, Seam seam);

namespace story {
bool offer_part(std::string_view scene, BeatList list, std::string_view name);
bool offer_beats(std::string_view scene, std::span<const std::string_view> names);
[[nodiscard]] bool lists(std::string_view scene, std::string_view beat, BeatList list, std::string_view name, bool where_none);
} // namespace story

} // namespace speclens
