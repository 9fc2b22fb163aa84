// Story files: TOML, checked against what the scenes ask for while their lines are still known.
#include <algorithm>

#include "kernels/error.h"
#include "scenes/shared/story_book.h"
#include "scenes/shared/toml_file.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

template <class Names>
std::string listed_names(const Names& names) {
    std::string out;
    for (const auto& name : names) out += (out.empty() ? "" : ", ") + std::string(name);
    return out.empty() ? "none" : out;
}

template <class T>
std::vector<std::string> keys_of(const ByName<T>& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) keys.push_back(key);
    return keys;
}

class StoryReader {
  public:
    StoryReader(std::string file, const StoryShape& shape) : file_(std::move(file)), shape_(shape) {}

    StoryLayer::Scene read(const toml::table& table) {
        for (const auto& [key, node] : table) {
            const std::string name(key.str());
            if (name == "beat")
                read_beats(node);
            else if (const toml::table* texts = node.as_table())
                read_texts(name, *texts);
            else
                broken("'" + name + "' is no table of texts", node);
        }
        return std::move(scene_);
    }

  private:
    [[noreturn]] void broken(const std::string& what, const toml::node& where) const {
        throw Error(file_ + " line " + std::to_string(where.source().begin.line) + ": " + what, "docs/stories.md says what a story holds.");
    }

    void read_beats(const toml::node& node) {
        const toml::array* beats = node.as_array();
        if (!beats) broken("beats are written [[beat]]", node);
        std::size_t before = 0;
        for (const toml::node& one : *beats) {
            const toml::table* beat = one.as_table();
            const auto name = beat ? (*beat)["name"].value<std::string>() : std::nullopt;
            if (!name) broken("a beat without a name", one);
            const auto at = static_cast<std::size_t>(std::ranges::find(shape_.beats, *name) - shape_.beats.begin());
            if (at == shape_.beats.size())
                broken("no beat of this scene is called '" + *name + "'; there are: " + listed_names(shape_.beats), one);
            if (scene_.beats.contains(*name)) broken("the beat '" + *name + "' stands here twice", one);
            if (at < before) broken("the beat '" + *name + "' stands too late; the order is: " + listed_names(shape_.beats), one);
            before = at;
            scene_.beats[*name] = read_lists(*beat);
            read_texts(*name, *beat);
        }
    }

    StoryLayer::Beat read_lists(const toml::table& beat) const {
        StoryLayer::Beat out;
        for (const BeatList list : {BeatList::focus, BeatList::hidden, BeatList::criterion}) {
            const toml::node* node = beat.get(beat_list_name(list));
            if (!node) continue;
            std::vector<std::string>& names = out.lists[list];
            const auto add = [&](const toml::node& one) {
                const auto name = one.value_exact<std::string>();
                const auto known = shape_.parts.find(list);
                const NameSet none, &all = known == shape_.parts.end() ? none : known->second;
                if (!name || !all.contains(*name))
                    broken((name ? "'" + *name + "'" : "what stands here") + " is nothing that " + beat_list_name(list) +
                               " can name; there are: " + listed_names(all),
                           one);
                names.push_back(*name);
            };
            if (const toml::array* several = node->as_array())
                for (const toml::node& one : *several) add(one);
            else
                add(*node);
        }
        return out;
    }

    // The texts of a beat or of a table: "why", then for each of its parts one text, or one for each case.
    void read_texts(const std::string& of, const toml::table& table) {
        for (const auto& [key, node] : table) {
            const std::string part(key.str()), text = of + "." + part;
            if (scene_.beats.contains(of) && no_text(part)) continue;
            const auto offered = shape_.texts.find(text);
            if (offered == shape_.texts.end()) broken("no text of this scene is called " + text + "; there are: " + beside(of), node);
            const toml::table* cases = node.as_table();
            if (!cases) {
                add(text, "*", node, values_of_all(offered->second));
                continue;
            }
            for (const auto& [which, words] : *cases) {
                const auto found = offered->second.find(which.str());
                if (found == offered->second.end())
                    broken(text + " has no case '" + std::string(which.str()) + "'; there are: " + listed_names(keys_of(offered->second)),
                           words);
                add(text, found->first, words, found->second);
            }
        }
    }

    static bool no_text(const std::string& part) { return part == "name" || part == "focus" || part == "hidden" || part == "criterion"; }

    std::string beside(const std::string& of) const {
        std::vector<std::string> names;
        for (const auto& [name, cases] : shape_.texts)
            if (name.starts_with(of + ".")) names.push_back(name);
        return listed_names(names.empty() ? keys_of(shape_.texts) : names);
    }

    // What one text for all cases may use: what every one of them offers.
    static NameSet values_of_all(const ByName<NameSet>& cases) {
        NameSet all = cases.begin()->second;
        for (const auto& [which, names] : cases) std::erase_if(all, [&](const std::string& name) { return !names.contains(name); });
        return all;
    }

    void add(const std::string& text, const std::string& which, const toml::node& node, const NameSet& values) {
        const auto words = node.value_exact<std::string>();
        if (!words) broken(text + " is no text", node);
        StoryText read;
        try {
            read = StoryText(*words);
        } catch (const Error& error) {
            broken(error.what(), node);
        }
        for (const std::string& name : read.names())
            if (!values.contains(name))
                broken("{" + name + "} is no value of " + text + (which == "*" || which.empty() ? "" : ", case " + which) +
                           "; there are: " + listed_names(values),
                       node);
        scene_.texts[text][which] = std::move(read);
    }

    std::string file_;
    const StoryShape& shape_;
    StoryLayer::Scene scene_;
};

} // namespace

StoryLayer read_stories(const fs::path& folder) {
    StoryLayer layer;
    std::error_code failure;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    if (failure) throw Error(folder.string() + ": no folder of stories", "Restore assets/stories, or see docs/stories.md.");
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        const std::string scene = file.stem().string();
        const auto shape = story_shapes().find(scene);
        if (shape == story_shapes().end())
            throw Error(file.string() + ": no scene is called " + scene + "; there are: " + listed_names(keys_of(story_shapes())),
                        "A story has the name of its scene: speclens list scenes.");
        layer.scenes[scene] =
            StoryReader(file.string(), shape->second)
                .read(read_toml(file, "A story is a text file of less than 1 MB.",
                                "The file is TOML: texts stand in quotes, beats begin with [[beat]]. See docs/stories.md."));
    }
    return layer;
}

} // namespace speclens
