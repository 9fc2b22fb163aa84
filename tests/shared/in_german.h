// German is spoken, and somebody listens: what is left in English, and what has no room that its English has.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/frame/window_assets.h"
#include "engine/drafters/drafter_info.h"
#include "engine/published/published.h"
#include "engine/run/gallery.h"
#include "engine/run/run_setting.h"
#include "scenes/shared/speak.h"
#include "tests/scenes/scenes_look.h"
#include "ui/language/language.h"
#include "ui/stories/story_book.h"

namespace speclens {
namespace german {

namespace fs = std::filesystem;
inline const fs::path kAssets = fs::path(SPEC_SOURCE_DIR) / "assets";

inline std::string all_in(const fs::path& folder, std::string_view ending) {
    std::string text;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().string().ends_with(ending)) text += read(entry.path()) + "\n";
    return text;
}

// Without what stands in quotes, which are tokens and prompts.
inline std::string unquoted(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view rest = text.substr(i);
        const bool german = rest.starts_with("„");
        if (!german && !rest.starts_with("“")) {
            out += text[i++];
            continue;
        }
        const std::size_t end = rest.find(german ? "“" : "”"), line = rest.find('\n');
        i += end < line ? end + 3 : 3;
        out += ' ';
    }
    return out;
}

// As they are written; x_y, --x, x2, 1.5 and names in capitals are none.
inline std::set<std::string, std::less<>> words_of(std::string_view text) {
    std::set<std::string, std::less<>> words;
    std::istringstream in(unquoted(text));
    for (std::string word; in >> word;) {
        const auto mark = [](unsigned char c) { return c < 0x80 && !std::isalnum(c) && c != '-' && c != '_' && c != '/'; };
        while (!word.empty() && mark(static_cast<unsigned char>(word.back()))) word.pop_back();
        while (!word.empty() && mark(static_cast<unsigned char>(word.front()))) word.erase(0, 1);
        const bool letters = std::ranges::all_of(word, [](unsigned char c) { return std::isalpha(c) || c == '\'' || c >= 0x80; });
        if (word.size() > 1 && letters && std::ranges::any_of(word, [](unsigned char c) { return std::islower(c); })) words.insert(word);
    }
    return words;
}

inline std::string small(std::string word) {
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
}

struct Lexicon {
    std::set<std::string, std::less<>> english; // in small letters, words that the English texts of the program have
    std::set<std::string, std::less<>> german;  // as German texts write them: "Tokens" is German, "tokens" is not
};
inline const Lexicon& lexicon() {
    static const Lexicon kWords = [] {
        std::string english = all_in(kAssets / "stories", ".toml") + read(kAssets / "glossary.json") + read(kAssets / "quiz.json");
        std::string german = read(kAssets / "languages/de/quiz.json");
        std::istringstream own(all_in(kAssets / "stories/de", ".toml"));
        for (std::string line; std::getline(own, line);) { // words of data stand in quotes, before what they are called
            const std::size_t end = line.starts_with('"') ? line.find("\" = \"") : std::string::npos;
            if (end != std::string::npos) english += line.substr(1, end - 1) + "\n";
            german += (end == std::string::npos ? line : line.substr(end + 5)) + "\n";
        }
        for (const GlossaryEntry& entry : load_glossary(kAssets / "glossary.json", kAssets / "languages/de/glossary.json")) {
            german += entry.term + "\n" + entry.text + "\n";
            for (const std::string& other : entry.also) german += other + "\n";
        }
        Lexicon words;
        for (const std::string& word : words_of(english)) words.english.insert(small(word));
        words.german = words_of(german);
        for (const char* never : {"the",      "of",    "is",   "are", "and",   "not",  "with",  "by",   "to",   "for",   "from",
                                  "this",     "that",  "what", "who", "which", "when", "where", "only", "once", "stays", "kept",
                                  "measured", "press", "here", "one", "two",   "at",   "more",  "how",  "no",   "each",  "every"}) {
            words.english.insert(never);
            words.german.erase(never);
        }
        return words;
    }();
    return kWords;
}

// A word that English texts have and German ones do not; empty: there is none.
inline std::string english_in(std::string_view label) {
    for (const std::string& word : words_of(label))
        if (lexicon().english.contains(small(word)) && !lexicon().german.contains(word) && !lexicon().german.contains(small(word)))
            return word;
    return "";
}

// What is nobody's label: what sources are called, what a run was asked and made with, and what a machine is called.
class Data {
  public:
    Data() {
        text_ = read(kAssets / "published/sources.json") + read(kAssets / "glossary.json");        // entries name the English words, too
        text_ += "the cat sat on the, The capital of France is, vLLM, SGLang, TRT-LLM, llama.cpp"; // of the runs that the tests make
        for (const bool built_in : {true, false})
            for (const GalleryPrompt& one : load_gallery(gallery_file(kAssets, built_in)))
                text_ += one.prompt + "\n", add_parts(one.prompt);
        for (const GlossaryEntry& entry : load_glossary(kAssets / "glossary.json")) {
            names_.insert(entry.term);
            for (const std::string& other : entry.also) names_.insert(other);
        }
        for (const DrafterInfo& drafter : drafter_list()) names_.insert(drafter.name);
        for (const std::string& method : Published::load(kAssets / "published").methods()) names_.insert(method);
        std::ranges::replace(text_, '\n', ' ');
        for (const RunSetting& setting : run_setting_list()) names_.insert(setting.option);
    }
    // Also where its middle was left out: "Speed-up … at concurrency 1". A token begins with its space.
    [[nodiscard]] bool has(std::string_view label) const {
        constexpr std::string_view kDots = "…";
        if (label.starts_with(' ') || names_.contains(std::string(label)) || text_.find(", " + std::string(label)) != std::string::npos)
            return true;
        if (label.ends_with('.') && text_.find(" " + std::string(label)) != std::string::npos) return true;
        if (const std::size_t end = label.find("; "); end != std::string_view::npos) // a list of sources
            return has(label.substr(0, end)) && has(label.substr(end + 2));
        const std::size_t least = label.find(kDots) == std::string_view::npos ? 8 : 1; // one word of a source is no quotation of it
        for (std::size_t at = label.find(kDots); at != std::string_view::npos; at = label.find(kDots)) {
            if (!has_part(label.substr(0, at), least)) return false;
            label.remove_prefix(at + kDots.size());
        }
        return has_part(label, least);
    }

  private:
    // A list of prompts looks them up as it does everything: in parts.
    void add_parts(std::string prompt) {
        std::ranges::replace(prompt, '\n', ' ');
        for (std::size_t from = 0; from < prompt.size();) {
            const std::size_t end = std::min(prompt.find_first_of(",;:", from), prompt.size());
            names_.insert(prompt.substr(from, end - from));
            from = end + 2;
        }
    }
    [[nodiscard]] bool has_part(std::string_view part, std::size_t least) const {
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ') || part.ends_with('.')) part.remove_suffix(1);
        return part.empty() || (part.size() >= least && text_.find(part) != std::string::npos);
    }
    std::string text_;
    std::set<std::string> names_; // options, drafters, English words of the glossary; parts of prompts
};

// What stands between commas and the like: a message holds names and claims of sources among words of its own.
inline std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts{text};
    for (const std::string_view between : {" · ", "; ", ", ", ": "})
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (const std::size_t at = parts[i].find(between); at != std::string_view::npos) {
                const std::string_view rest = parts[i].substr(at + between.size());
                parts[i] = parts[i].substr(0, at);
                parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
            }
    return parts;
}

// The models of recorded and made runs, in whatever is said of them, and who drafted, by the name of the command line.
inline std::string without_models(std::string text) {
    for (const std::string model :
         {"bundle S", "bundle", "toy target", "toy backend", "micro target", "← dflash", "← domino", "Drafter dflash"})
        for (std::size_t at = text.find(model); at != std::string::npos; at = text.find(model)) text.replace(at, model.size(), "M");
    return text;
}

// German until the test is over, which names every message of a frame that holds a word of English. What no message says is another
// matter: languages_test.cpp lists it.
class InGerman : public ::testing::Test {
  protected:
    void SetUp() override {
        use_stories(std::make_shared<const StoryBook>(load_stories(kAssets / "stories", "de", "")));
        spoken_ = std::make_shared<ui::Language>(*load_language(kAssets / "languages/de/language.toml"));
        ui::use_language(spoken_);
        SceneBench::heard = [this](const ui::RecordCanvas& canvas, const Message& tip) {
            for (const ui::ToldMessage& one : canvas.told())
                if (one.how == ui::Canvas::Told::drawn) hear(one.message);
            hear(tip);
        };
        spoken_->shortened = [this](std::string_view text) {
            constexpr std::string_view kSources = "Quellen: "; // a list of them may end early
            const std::size_t sources = text.find(kSources);
            if (!data().has(sources == std::string_view::npos ? text : text.substr(sources + kSources.size()))) cut_.emplace(text, where);
        };
    }
    void TearDown() override {
        SceneBench::heard = {};
        spoken_->shortened = {};
        ui::use_language(nullptr);
        use_stories(std::make_shared<const StoryBook>(load_stories(kAssets / "stories", "en", "")));
        EXPECT_EQ(listed(english_), "") << "translate them, or what stands in them";
        EXPECT_EQ(listed(cut_), "") << "shorten them";
    }
    void hear(const Message& text) {
        if (const std::string& word = english_left_in(text); !word.empty()) english_.emplace(text, where + ", “" + word + "”");
    }
    static const Data& data() {
        static const Data kData;
        return kData;
    }
    std::string where; // one looks

  private:
    // A word that should be German; empty: there is none. A frame says much the same as the one before it, so answers are kept.
    static const std::string& english_left_in(std::string_view text) {
        static std::map<std::string, std::string, std::less<>> kept;
        const auto known = kept.find(text);
        if (known != kept.end()) return known->second;
        std::string found;
        for (const std::string_view part : parts_of(text))
            if (const std::string word = english_in(without_models(std::string(part)));
                !word.empty() && !data().has(part) && !data().has(text))
                found = word;
        return kept.emplace(text, found).first->second;
    }
    static std::string listed(const std::map<std::string, std::string>& texts) {
        std::string list;
        for (const auto& [text, found] : texts) list += text + "   (" + found + ")\n";
        return list;
    }
    std::shared_ptr<ui::Language> spoken_;
    std::map<std::string, std::string> english_, cut_;
};

} // namespace german

using german::InGerman;

} // namespace speclens
