// `speclens render`, `speclens describe` and the window: a run or a saved trace, handed to the drawing side.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/lecture.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/slides.h"
#include "app/cli/subject.h"
#include "app/cli/terminal.h"
#include "app/cli/values.h"
#include "app/frontend/share.h"
#include "engine/models/model_names.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

void make_folder(const std::filesystem::path& folder) {
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (failure) throw Error(folder.string() + ": " + failure.message(), "Give a folder that can be made.");
}

// Which file the window opens: a lecture, or a saved run or race. A link beside a run may name the scene and the place in it.
void open_file(const Options& options, WindowRequest& request) {
    const std::string& word = options.words[0];
    const bool lecture = is_lecture_file(word);
    if (options.link && (lecture || !options.link->options.empty()))
        throw Error("a link and a file", "Give one of them: a link with settings starts its own run.", Exit::usage);
    if (lecture) {
        request.lecture = lecture_view(options, find_lecture(word));
        request.view = request.lecture.steps[0].view;
        return;
    }
    if (!options.link) request.view.scene = "loop"; // a saved run is one lane
    request.session = word;
    std::error_code ignored;
    if (word == "-") {
        if (isatty(STDIN_FILENO) == 1)
            throw Error("- is a run that arrives on standard input, and nothing is piped in",
                        "For example: ssh host speclens run --json - | speclens -", Exit::usage);
        request.stop = &interrupted();
        say("waiting for a run on standard input");
    } else if (refuse_folder(request.session); !std::filesystem::is_regular_file(request.session, ignored))
        throw Error(request.session.string() + ": no such file", "Save a trace with: speclens run --json FILE");
}

// The way to a frame, as the window moves, and the frame itself for the rest of its time.
void add_frames(std::vector<AnimationFrame>& frames, AnimationFrame rest, const Subject& subject, int tick) {
    const double ms = 1000 * frame_motion(rest.request, subject);
    const int ticks = std::min(static_cast<int>(ms), rest.ms / 2) / tick; // the picture itself stays longer
    for (int i = 0; i < ticks; ++i) {
        AnimationFrame on_the_way = rest;
        on_the_way.ms = tick;
        on_the_way.request.moving = static_cast<float>(i) / static_cast<float>(ticks);
        frames.push_back(on_the_way);
    }
    rest.ms -= ticks * tick;
    frames.push_back(rest);
}

// Beats of a story, steps of the most telling round, or ends of a race's rounds, one after another.
Exit animate(const Options& options, const SceneWord& word) {
    const auto [subject, first, last, all] = many_frames(options, word, "a GIF or a film");
    std::vector<AnimationFrame> frames;
    ProgressBar bar;
    for (int beat = first; beat <= last; ++beat) {
        stop_if_interrupted();
        bar.show("drawing", beat - first, last - first + 1, "frames");
        FrameRequest request = request_for(options, SceneWord{word.scene, beat}, subject);
        request.kept = true; // it is shown to others, later
        add_frames(frames, {request, options.frame_ms}, subject, options.output.extension() == ".gif" ? kGifTick : kVideoTick);
    }
    if (const std::string part = part_words(frames.front().request); !part.empty()) say(part);
    render_animation(frames, subject, options.output);
    return Exit::ok;
}

// What is sent of a round or a race: its files are named when they are there.
Exit share(const Options& options, const SceneWord& word) {
    const Subject subject = asked_subject(options, word.scene);
    const FrameRequest request = request_for(options, word, subject);
    const SharedRound round{.trace = subject.trace,
                            .round = subject.race ? 0 : shared_round(request, subject),
                            .race = subject.race,
                            .settings = subject.settings,
                            .status = subject.status,
                            .theme = options.theme,
                            .link = link_to(options, request, subject)};
    ProgressBar bar;
    const SharedFiles files = share_round(round, options.share, [&](double done) {
        stop_if_interrupted();
        bar.show("drawing", 100 * done, 100, "%");
    });
    bar.clear();
    for (const std::filesystem::path& file : {files.loop, files.film, files.card, files.link, files.frame})
        if (!file.empty()) print(file.string() + "\n");
    if (files.no_encoder || !files.no_film.empty()) say("no film: " + (files.no_encoder ? "ffmpeg is not installed" : files.no_film));
    if (files.link.empty())
        say(subject.race ? "no link leads to a saved race: share its file" : "no link leads to a saved run: share its file");
    return Exit::ok;
}

// Two files for each plot of the picture.
void write_numbers(const Options& options, const SceneWord& word, const FrameRequest& request, const Subject& subject) {
    const std::vector<PlotFiles> plots = frame_plots(request, subject);
    if (plots.empty()) throw Error(word.scene + " plots no numbers here", "Choose another beat, or another scene: speclens list scenes.");
    make_folder(options.data);
    for (std::size_t i = 0; i < plots.size(); ++i)
        for (const auto& [ending, text] : {std::pair(".csv", &plots[i].csv), {".vl.json", &plots[i].specification}}) {
            const std::filesystem::path path = options.data / (word.scene + "-" + std::to_string(i + 1) + ending);
            ResultFile file(path);
            file.write(*text);
            file.commit();
            print(path.string() + "\n");
        }
}

// The same moment of each scene in every size and theme: a scene is measured once.
Exit render_every_scene(const Options& options) {
    Subject subject = subject_of(options, "");
    const std::vector<std::pair<int, int>> sizes =
        options.sizes.empty() ? std::vector{std::pair{options.width, options.height}} : options.sizes;
    const std::vector<std::string> themes = options.themes.empty() ? std::vector{options.theme} : options.themes;
    for (const SceneName& scene : scene_names()) {
        if (scene.name == "race" && !subject.models) continue; // a saved run has one lane
        complete(options, scene.name, subject);
        const bool own = has_own_run(options, scene.name, subject);
        const Subject shown = own ? subject_of(options, scene.name, subject.models) : subject;
        FrameRequest request = request_for(options, {scene.name}, shown);
        for (const auto& [width, height] : sizes)
            for (const std::string& theme : themes) {
                std::tie(request.width, request.height, request.theme) = std::tie(width, height, theme);
                std::string name = scene.name;
                if (sizes.size() > 1) name += "-" + std::to_string(width) + "x" + std::to_string(height);
                if (themes.size() > 1) name += "-" + theme;
                const std::filesystem::path file = options.all / (name + ".png");
                draw(request, shown, file);
                print(file.string() + "\n");
                flush();
            }
    }
    return Exit::ok;
}

} // namespace

Exit command_render(const Options& options) {
    speak(options.language);
    if (!options.share.empty()) return share(options, scene_word(options.words[0]));
    if (options.all.empty()) {
        const std::string ending = options.output.extension().string();
        const bool film = ending == ".mp4" || ending == ".webm";
        if (ending == ".html") return render_slides(options);
        if (!options.output.empty() && ending != ".png" && ending != ".svg" && ending != ".gif" && !film)
            throw Error("-o " + options.output.string() + ": the ending must be .png, .svg, .gif, .mp4, .webm or .html",
                        "For example -o loop.png.", Exit::usage);
        if (film) check_video(options.output); // before models load
        const SceneWord word = scene_word(options.words[0]);
        if (ending == ".gif" || film) return animate(options, word);
        const Subject subject = asked_subject(options, word.scene);
        const FrameRequest request = request_for(options, word, subject);
        if (!options.output.empty()) draw(request, subject, options.output);
        if (!options.data.empty()) write_numbers(options, word, request, subject);
        return Exit::ok;
    }
    make_folder(options.all);
    if (!options.words.empty()) return render_lecture(options);
    return render_every_scene(options);
}

namespace {

// For somebody at a terminal; a program gets the lines whole.
std::string broken_at(const std::string& text, int width) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
        result += beside("", static_cast<int>(margin), line.substr(margin), width);
    }
    return result;
}

} // namespace

Exit command_describe(const Options& options) {
    speak(options.language);
    if (is_lecture_file(options.words[0])) return describe_lecture(options);
    const SceneWord word = scene_word(options.words[0]);
    const Subject subject = asked_subject(options, word.scene);
    const FrameRequest request = request_for(options, word, subject);
    if (!subject.race && !options.json.empty()) {
        ResultFile file(options.json);
        file.write(frame_messages(request, subject));
        file.commit();
    }
    if (options.json != "-") print(broken_at(in_words(request, subject) + "\n", standard_terminal(options.color).prose_width()));
    return Exit::ok;
}

namespace {

// Who names no model and nothing that was made with one sees the most telling race that this machine has.
Options with_default_model(Options options) {
    const bool names_one =
        options.has("--model") || options.link || !options.words.empty() || !options.attach.empty() || !options.session.empty();
    if (names_one || !with_folders(options.drafters).empty()) return options;
    if (const std::string word = default_model(assets_folder()); word != kBuiltInModel) options.model = word;
    return options;
}

} // namespace

Exit command_window(const Options& asked) {
    const Options options = with_default_model(asked);
    WindowRequest request;
    request.remembers = true;
    const std::optional<std::string> language = options.has("--language") ? std::optional(options.language) : std::nullopt;
    request.language = language_of_window(language, request.remembers);
    if (language) request.chosen_language = options.language_is_auto ? "" : *language;
    speak(request.language); // a lecture is opened in it
    request.models = model_paths(options);
    request.view = view_of(options);
    request.read = view_reader(options);
    request.folders = folders_of(options);
    request.attach = options.attach;
    request.server_key = server_key(options);
    if (!options.words.empty()) open_file(options, request);
    request.introduces = options.words.empty() && !options.link && options.attach.empty() && !options.presenter;
    if (options.has("--links-to")) request.links_to = options.links_to;
    if (options.has("--theme")) request.theme = options.theme;
    request.presenter = options.presenter;
    if (options.has("--zoom")) request.zoom = options.zoom;
    request.width = options.width;
    request.height = options.height;
    open_window(request);
    return Exit::ok;
}

} // namespace speclens::cli
