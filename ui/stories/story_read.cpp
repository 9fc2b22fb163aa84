// Story files: TOML, checked against what the scenes ask for while their lines are still known.
#include <algorithm>

#include "kernels/error.h"
#include "ui/stories/built_in.h"
#include "ui/stories/story_book.h"
#include "ui/stories/toml_file.h"

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

// What is wrong: an error, or told and left out.
class Problems {
  public:
    explicit Problems(std::vector<std::string>* told) : told_(told) {}
    template <class Work>
    void in(const Work& work) const {
        try {
            work();
        } catch (const Error& error) {
            if (!told_) throw;
            told_->push_back(error.what());
        }
    }

  private:
    std::vector<std::string>* told_;
};

class StoryReader {
  public:
    StoryReader(std::string file, const StoryShape& shape, Problems problems, NameSet& forms)
        : file_(std::move(file)), shape_(shape), problems_(problems), forms_(forms) {}

    StoryLayer::Scene read(const toml::table& table) {
        for (const auto& [key, node] : table)
            problems_.in([&, name = std::string(key.str()), &node = node] {
                if (name == "beat")
                    read_beats(node);
                else if (const toml::table* texts = node.as_table())
                    read_texts(name, *texts);
                else
                    broken("'" + name + "' is no table of texts", node);
            });
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
        for (const toml::node& one : *beats) problems_.in([&] { read_beat(one, before); });
    }

    void read_beat(const toml::node& one, std::size_t& before) {
        const toml::table* beat = one.as_table();
        const auto name = beat ? (*beat)["name"].value<std::string>() : std::nullopt;
        if (!name) broken("a beat without a name", one);
        const auto at = static_cast<std::size_t>(std::ranges::find(shape_.beats, *name) - shape_.beats.begin());
        if (at == shape_.beats.size())
            broken("no beat of this scene is called '" + *name + "'; there are: " + listed_names(shape_.beats), one);
        if (scene_.beats.contains(*name)) broken("the beat '" + *name + "' stands here twice", one);
        if (at < before) broken("the beat '" + *name + "' stands too late; the order is: " + listed_names(shape_.beats), one);
        before = at;
        scene_.beats[*name]; // there, whatever is wrong with its lists
        problems_.in([&] { scene_.beats[*name] = read_lists(*beat); });
        read_texts(*name, *beat);
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
        for (const auto& [key, node] : table) problems_.in([&, part = std::string(key.str()), &node = node] { read_part(of, part, node); });
    }

    void read_part(const std::string& of, const std::string& part, const toml::node& node) {
        if (scene_.beats.contains(of) && no_text(part)) return;
        const std::string text = of + "." + part, base = text.substr(0, text.find('@')); // "choice@of": a form of choice
        const auto offered = shape_.texts.find(base);
        if (offered == shape_.texts.end()) broken("no text of this scene is called " + base + "; there are: " + beside(of), node);
        if (base != text) forms_.insert(text.substr(base.size() + 1));
        const toml::table* cases = node.as_table();
        if (!cases) return add(text, "*", node, values_of_all(offered->second));
        for (const auto& [which, words] : *cases)
            problems_.in([&, which = std::string(which.str()), &words = words] {
                if (says_data(shape_, text)) return add(text, which, words, offered->second.at(""));
                const auto found = offered->second.find(which);
                if (found == offered->second.end())
                    broken(text + " has no case '" + which + "'; there are: " + listed_names(keys_of(offered->second)), words);
                add(text, found->first, words, found->second);
            });
    }

    static bool no_text(const std::string& part) { return part == "name" || part == "focus" || part == "hidden" || part == "criterion"; }

    std::string beside(const std::string& of) const {
        std::vector<std::string> names;
        for (const auto& [name, cases] : shape_.texts)
            if (name.starts_with(of + ".")) names.push_back(name);
        return listed_names(names.empty() ? keys_of(shape_.texts) : names);
    }

    // What one text for all cases may use: what every one of them offers.
    static ValueKinds values_of_all(const ByName<ValueKinds>& cases) {
        ValueKinds all = cases.begin()->second;
        for (const auto& [which, given] : cases) keep_common(all, given);
        return all;
    }

    void add(const std::string& text, const std::string& which, const toml::node& node, const ValueKinds& values) {
        const auto words = node.value_exact<std::string>();
        if (!words) broken(text + " is no text", node);
        const std::string name = text + (which == "*" || which.empty() ? "" : ", case " + which);
        StoryText read;
        try {
            read = StoryText(*words);
            for (const std::string& value : read.names())
                if (const auto offered = values.find(value); offered != values.end()) read.check(value, offered->second);
        } catch (const Error& error) {
            broken(error.what(), node);
        }
        for (const std::string& value : read.names())
            if (!values.contains(value))
                broken("{" + value + "} is no value of " + name + "; there are: " + listed_names(keys_of(values)), node);
        for (const std::string& form : read.forms())
            wanted_.push_back({form, file_ + " line " + std::to_string(node.source().begin.line) + ": " + name + " asks for the form '" +
                                         form + "', which no text has"});
        scene_.texts[text][which] = std::move(read);
    }

  public:
    struct Wanted {
        std::string form, problem;
    };
    [[nodiscard]] const std::vector<Wanted>& wanted() const { return wanted_; }

  private:
    std::string file_;
    const StoryShape& shape_;
    Problems problems_;
    NameSet& forms_;             // that texts have
    std::vector<Wanted> wanted_; // that texts ask for
    StoryLayer::Scene scene_;
};

constexpr const char* kForm = "The file is TOML: texts stand in quotes, beats begin with [[beat]]. See docs/stories.md.";

StoryLayer read_built_in(NameSet& forms) {
    StoryLayer layer;
    std::vector<std::string> unasked; // a program without scenes asks for few of these
    for (const BuiltInStory& one : kBuiltInStories)
        if (const auto shape = story_shapes().find(one.scene); shape != story_shapes().end())
            layer.scenes[shape->first] =
                StoryReader(std::string(one.scene) + ".toml", shape->second, Problems(&unasked), forms).read(toml::parse(one.text));
    return layer;
}

// Those that a folder of a few stories takes from below it.
bool built_in_form(const std::string& form) {
    static const NameSet forms = [] {
        NameSet all;
        (void)read_built_in(all);
        return all;
    }();
    return forms.contains(form);
}

} // namespace

StoryLayer read_stories(const fs::path& folder, std::vector<std::string>* told) {
    const Problems problems(told);
    StoryLayer layer;
    std::error_code failure;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    problems.in([&] {
        if (failure) throw Error(folder.string() + ": no folder of stories", "Restore assets/stories, or see docs/stories.md.");
    });
    std::ranges::sort(files);
    NameSet forms;
    std::vector<StoryReader::Wanted> wanted;
    for (const fs::path& file : files)
        problems.in([&] {
            const std::string scene = file.stem().string();
            const auto shape = story_shapes().find(scene);
            if (shape == story_shapes().end() && std::ranges::count(kBuiltInStories, scene, &BuiltInStory::scene) > 0)
                return; // of a part that this program has not
            if (shape == story_shapes().end())
                throw Error(file.string() + ": no scene is called " + scene + "; there are: " + listed_names(keys_of(story_shapes())),
                            "A story has the name of its scene: speclens list scenes.");
            StoryReader reader(file.string(), shape->second, problems, forms);
            layer.scenes[scene] = reader.read(read_toml(file, "A story is a text file of less than 1 MB.", kForm));
            wanted.insert(wanted.end(), reader.wanted().begin(), reader.wanted().end());
        });
    for (const StoryReader::Wanted& one : wanted)
        problems.in([&] {
            if (!forms.contains(one.form) && !built_in_form(one.form))
                throw Error(one.problem, "Write it beside the text: \"drafter@" + one.form + "\" = \"…\".");
        });
    return layer;
}

StoryLayer built_in_stories() {
    NameSet forms;
    return read_built_in(forms);
}

} // namespace speclens
