#include "app/cli/lecture.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/slides.h"
#include "app/cli/values.h"
#include "app/cli/view.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/net/endpoint.h"
#include "ui/language/language.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

bool same_path(const std::filesystem::path& a, const std::filesystem::path& b) {
    return std::filesystem::absolute(a).lexically_normal() == std::filesystem::absolute(b).lexically_normal();
}

// `value` of a link's "drafter" or "drafters" without the folders, where they are those of the command line.
std::string without_folders(const Options& options, const std::string& value) {
    std::string names;
    for (const std::string& part : split(value, ',')) {
        const std::size_t equals = part.find('=');
        const std::string name = part.substr(0, equals);
        if (equals != std::string::npos) {
            const auto own = std::ranges::find(options.drafters, name, &DrafterChoice::name);
            if (own == options.drafters.end() || own->folder.empty() || !same_path(part.substr(equals + 1), own->folder)) return value;
        }
        names += (names.empty() ? "" : ",") + name;
    }
    return names;
}

// The link as one of whatever models are loaded. Throws Error (usage) where it is of others, unless `other` is there to take
// the name of the model: a window may have another by now, and asks. A place or an address is refused all the same.
Link of_loaded_models(const Options& options, const Link& link, std::string* other = nullptr) {
    Link own = link;
    std::string model = kBuiltInModel; // where a link names none
    std::erase_if(own.options, [&](const auto& option) {
        if (option.first == "model") model = option.second;
        return option.first == "model" || option.first == "fingerprint" || option.first == "drafter-fingerprint";
    });
    const std::string word = loaded_model(options);
    const bool own_model = model == word || (!options.model.empty() && same_path(model, options.model));
    if (other) *other = own_model ? word : model;
    const bool place = model.find('/') != std::string::npos || looks_like_endpoint(model);
    bool same = own_model || (other && !place);
    for (auto& [name, value] : own.options) {
        if (name != "drafter" && name != "drafters") continue;
        value = without_folders(options, value);
        same = same && value.find('=') == std::string::npos;
    }
    if (!same)
        throw Error("the link names other models than those that are loaded (" + model + ")",
                    "Start the program with them: --model " + (is_known_model(model) ? model : "PATH") + ", --drafters NAME=DIR.",
                    Exit::usage);
    return own;
}

Options options_of_step(const Options& options, const Lecture& lecture, std::size_t step, std::string* other = nullptr) {
    try {
        return options_of_link(options, lecture.steps[step].link, other);
    } catch (const Error& error) {
        throw Error("step " + std::to_string(step + 1) + " (" + lecture.steps[step].title + "): " + error.what(), error.remedy(),
                    Exit::usage);
    }
}

std::string minutes_words(double minutes) {
    if (minutes <= 0) return "";
    char text[32];
    std::snprintf(text, sizeof text, "%.4g %s", minutes, minutes == 1 ? "minute" : "minutes");
    return text;
}

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="LANGUAGE"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 16px/1.5 Inter, "DejaVu Sans", sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1d21; }
img { width: 100%; border: 1px solid #c8ccd2; border-radius: 4px; }
section { break-inside: avoid; margin: 2.5rem 0; }
.notes { white-space: pre-line; }
.small { color: #59616b; font-size: 14px; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; font-size: 13px; color: #59616b; }
</style>
)";

std::string head_of_page() {
    std::string head = kHead;
    constexpr std::string_view kPlace = "LANGUAGE";
    return head.replace(head.find(kPlace), kPlace.size(), ui::language().name);
}

} // namespace

Options options_of_link(const Options& options, const Link& link, std::string* other) {
    Options own = parse({"describe", to_text(of_loaded_models(options, link, other))});
    (void)scene_word(own.words[0]);
    own.command = options.command;
    own.model = options.model;
    own.backend = options.backend;
    own.threads = options.threads;
    own.theme = options.theme;
    own.zoom = options.zoom;
    own.presenter = options.presenter;
    own.width = options.width;
    own.height = options.height;
    for (const DrafterChoice& head : options.drafters)
        for (DrafterChoice& choice : own.drafters)
            if (choice.name == head.name) choice = head;
    return own;
}

ViewReader view_reader(const Options& options) {
    ViewReader read;
    read.link = [options](const std::string& text) {
        std::string model;
        Options own = options_of_link(options, parse_link(text), &model);
        read_prompt(own);
        SceneView view = view_of(own);
        view.model = std::move(model);
        view.precision = own.precision;
        return view;
    };
    read.lecture = [options](const std::string& file) { return lecture_view(options, find_lecture(file)); };
    read.list = [] {
        std::vector<std::pair<std::string, std::string>> lectures;
        for (const auto& file : shipped_lectures()) {
            try {
                lectures.emplace_back(load_lecture(lecture_in(ui::language().name, file)).title, file.string());
            } catch (const Error&) { // a broken one says so when it is opened by name
            }
        }
        return lectures;
    };
    read.lectures = read.list();
    return read;
}

namespace {

// Places from the first event of the round that `at` is in; from 1. Only that place where it is in none.
std::size_t begin_of_round(const Trace& trace, std::size_t at) {
    for (const RoundSummary& round : fold(trace, trace.size()).round_list)
        if (round.first_event < at && at <= round.end_event) return round.first_event + 1;
    return at;
}

// Without which a step tells nothing: that of its scene, or the one that its link names. A race goes on with those that can run.
std::string needed_drafter(const Lecture::Step& step) {
    const std::string scene = scene_word(step.link.scene).scene;
    if (scene == "race") return "";
    if (find_drafter(scene)) return scene;
    const auto named = std::ranges::find(step.link.options, "drafter", &std::pair<std::string, std::string>::first);
    return named == step.link.options.end() ? "" : named->second;
}

// A step that was written on `model`, on the one that is loaded: with the drafters that there are, or from the run that was kept.
Options options_elsewhere(Options own, const Lecture::Step& step, const Models& models, const std::string& model) {
    const auto lacks = [&](const std::string& drafter) { return !models.why_not(drafter).empty(); };
    const std::string needed = needed_drafter(step);
    own.precision.reset();
    if (!step.recorded.empty() && !needed.empty() && lacks(needed)) {
        own.session = step.recorded;
        return own;
    }
    if (step.link.at > 0 && step.find == Shows::nothing)
        throw Error("\"" + step.title + "\" shows a place in a run of " + model + ", which another model does not have",
                    "Draw the lecture with that model: --model " + model + ". Or say in the step what the place shows: find.", Exit::usage);
    if (const std::string words = opening_view(loaded_model(own), assets_folder()).prompt; own.prompt && !words.empty()) own.prompt = words;
    std::erase_if(own.drafters, [&](const DrafterChoice& choice) { return lacks(choice.name); });
    return own;
}

} // namespace

void each_step(const Options& options, const Lecture& lecture, const EachStep& each, bool rounds) {
    if (!options.session.empty()) throw Error("--session does nothing for a lecture", "Its links make their own runs.", Exit::usage);
    std::shared_ptr<const Models> models;
    for (std::size_t i = 0; i < lecture.steps.size(); ++i) {
        const Lecture::Step& step = lecture.steps[i];
        std::string model = loaded_model(options);
        Options own = options_of_step(options, lecture, i, &model);
        if (!models) models = load(options);
        const bool elsewhere = model != loaded_model(options);
        if (elsewhere) own = options_elsewhere(std::move(own), step, *models, model);
        if (!elsewhere && own.precision && *own.precision != models->precision())
            say("step " + std::to_string(i + 1) + " was made with " + precision_words(*own.precision) + ", this is drawn with " +
                precision_words(models->precision()) + ": what it shows may differ");
        const SceneWord word = scene_word(own.words[0]);
        Subject subject = subject_of(own, word.scene, models);
        complete(own, word.scene, subject);
        if (own.session.empty() && step.find != Shows::nothing && (elsewhere || step.link.at == 0)) {
            own.link->at = place_that_shows(step.find, fold(*subject.trace, subject.trace->size())).value_or(0);
            own.link->selected.reset();
        }
        const std::size_t last = own.link->at;
        const std::size_t first = rounds && lecture.steps[i].round ? begin_of_round(*subject.trace, last) : last;
        for (std::size_t at = first; at <= last; ++at) {
            own.link->at = at;
            each(i, request_for(own, word, subject), subject);
        }
    }
}

std::filesystem::path find_lecture(const std::string& word) {
    std::error_code ignored;
    const std::string& language = ui::language().name;
    if (std::filesystem::is_regular_file(word, ignored)) return lecture_in(language, word);
    std::string known;
    for (const auto& file : shipped_lectures()) {
        if (file.filename() == word) return lecture_in(language, file);
        known += (known.empty() ? "" : ", ") + file.filename().string();
    }
    throw Error(word + ": no such lecture", "Give the path of a file, or one of: " + known + ".");
}

LectureView lecture_view(const Options& options, const std::filesystem::path& file) {
    const Lecture lecture = load_lecture(file);
    LectureView view;
    view.title = lecture.title;
    for (std::size_t i = 0; i < lecture.steps.size(); ++i) {
        const Lecture::Step& step = lecture.steps[i];
        std::string model = loaded_model(options);
        Options own = options_of_step(options, lecture, i, &model);
        if (model == kBuiltInModel) own.model.clear(); // whatever is loaded: its heads draft in their scenes
        LectureView::Step shown{step.title, step.notes, step.minutes, view_of(own)};
        shown.view.model = std::move(model);
        shown.view.precision = own.precision;
        shown.needs = needed_drafter(step);
        if (step.find != Shows::nothing) shown.find = shows_words()[static_cast<std::size_t>(step.find) - 1];
        shown.found_notes = step.found_notes;
        shown.recorded = step.recorded;
        view.steps.push_back(std::move(shown));
    }
    return view;
}

Exit render_lecture(const Options& options) {
    const Lecture lecture = load_lecture(find_lecture(options.words[0]));
    std::string page =
        head_of_page() + "<title>" + escaped(lecture.title) + "</title></head><body>\n<h1>" + escaped(lecture.title) + "</h1>\n";
    // What it says to readers: nobody stands beside them, and nothing can be pressed.
    const auto told = [&](const std::string& of_page, const std::string& spoken) {
        const std::string& words = of_page.empty() ? spoken : of_page;
        if (!words.empty()) page += "<p class=\"notes\">" + escaped(words) + "</p>\n";
    };
    told(lecture.page_about, lecture.about);
    each_step(options, lecture, [&](std::size_t i, FrameRequest request, const Subject& subject) {
        request.kept = true; // nothing is live on paper
        const Lecture::Step& step = lecture.steps[i];
        const std::size_t number = i + 1;
        const std::string name = (number < 10 ? "0" : "") + std::to_string(number) + "-" + request.scene + ".png";
        const std::filesystem::path file = options.all / name;
        draw(request, subject, file);
        const std::string minutes = minutes_words(step.minutes);
        page += "<section>\n<h2>" + std::to_string(number) + ". " + escaped(step.title) + "</h2>\n<img src=\"" + name + "\" alt=\"" +
                escaped(step.title) + "\">\n";
        told(step.page_notes, step.notes);
        page += "<details><summary class=\"small\">" + escaped(message(SaidOf<"pages">()("page.words"_t))) + "</summary><pre>" +
                escaped(in_words(request, subject)) + "</pre></details>\n<p class=\"small\">" +
                escaped(made_words(request, subject.trace.get())) + "</p>\n<p class=\"small\">" + (minutes.empty() ? "" : minutes + " · ") +
                escaped(to_text(step.link, options.links_to)) + "</p>\n</section>\n";
        print(file.string() + "\n");
        flush();
    });
    ResultFile handout(options.all / "handout.html");
    handout.write(page + "</body></html>\n");
    handout.commit();
    print((options.all / "handout.html").string() + "\n");
    return Exit::ok;
}

Exit describe_lecture(const Options& options) {
    const Lecture lecture = load_lecture(find_lecture(options.words[0]));
    print(lecture.title + "\n" + (lecture.about.empty() ? "" : lecture.about + "\n"));
    each_step(options, lecture, [&](std::size_t i, const FrameRequest& request, const Subject& subject) {
        const Lecture::Step& step = lecture.steps[i];
        const std::size_t number = i + 1;
        const std::string minutes = minutes_words(step.minutes);
        print("\n── " + std::to_string(number) + " of " + std::to_string(lecture.steps.size()) + " · " + step.title +
              (minutes.empty() ? "" : " · " + minutes) + "\n" + (step.notes.empty() ? "" : step.notes + "\n") + "\n" +
              in_words(request, subject) + "\n");
        flush();
    });
    return Exit::ok;
}

} // namespace speclens::cli
