// Frames without a window: PNG through the CPU rasteriser, SVG through the canvas, and the frame in words.
// Same input, same bytes: nothing here reads a clock or a random number.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "app/frame/frame.h"
#include "app/frame/frame_source.h"
#include "app/frontend/share.h"
#include "app/render/headless_frame.h"
#include "app/render/plot_files.h"
#include "app/render/video.h"
#include "engine/base/printed.h"
#include "engine/models/models.h"
#include "kernels/error.h"
#include "scenes/accept/accept_model.h"
#include "scenes/race/race_model.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/motion.h"
#include "scenes/shared/speak.h"
#include "ui/canvas_record.h"
#include "ui/canvas_svg.h"
#include "ui/file_write.h"
#include "ui/fonts.h"
#include "ui/headless.h"
#include "ui/pictures/gif.h"
#include "ui/pictures/png.h"

namespace speclens {

ui::ThemeKind theme_named(const std::string& name) {
    if (const auto kind = ui::theme_of(name)) return *kind;
    throw Error("there is no theme \"" + name + "\"", "Choose dark, light or contrast.", Exit::usage);
}

namespace {

const SceneInfo& scene_named(const std::string& name) {
    const SceneInfo* info = find_scene(name);
    if (info) return *info;
    std::string known;
    for (const SceneInfo& scene : scene_list()) known += (known.empty() ? "" : ", ") + std::string(scene.name);
    throw Error("there is no scene \"" + name + "\"", "Scenes of this version: " + known + ".", Exit::usage);
}

// Everything that a frame is drawn from: the scene, the run up to the place that is shown, what was answered.
// `run` must outlive it.
struct StagedFrame {
    FrameSource source;
    std::unique_ptr<Scene> scene;
    FrameInput input;
    FrameUi kept;
    std::optional<Published> figures;
    std::optional<Ablations> ablations;

    StagedFrame(const FrameRequest& request, const FrameRun& run);
    StagedFrame(const StagedFrame&) = delete; // the input points into it
    StagedFrame& operator=(const StagedFrame&) = delete;
};

// Ends of a race's rounds, beats of a story, or steps of the round that is shown.
int places_of(const FrameRequest& request, const StagedFrame& p, int beats) {
    if (request.race) return static_cast<int>(race_stop_times(*request.race).size()) - 1;
    return beats > 0 ? beats : telling_steps(p.source.whole());
}

void check_beat(const FrameRequest& request, int places, bool beats) {
    if (request.beat < 0 || (request.beat >= 1 && request.beat <= places)) return;
    const std::string what = beats ? "beat" : request.race && !request.race->settings.stepped ? "round" : "step";
    throw Error(request.scene + " has no " + what + " " + std::to_string(request.beat),
                places > 0 ? "Its " + what + "s here are 1 to " + std::to_string(places) + "." : "Leave it out: this run has none.",
                Exit::usage);
}

// Events of the run that the frame shows.
std::size_t first_cursor(const FrameRequest& request, const Scene& scene, bool beats, const RunView& whole) {
    if (request.cursor > 0) return request.cursor;
    if (!beats && request.beat > 0) return telling_step(whole, request.beat);
    const auto first = beats ? scene.first_look(whole) : std::nullopt;
    return first ? *first : telling_cursor(whole).cursor;
}

// Shows the round that the beat is about, unless a place was asked for.
void go_to_example(StagedFrame& p, const FrameRequest& request, const std::shared_ptr<const Trace>& trace) {
    SceneInput& scene = p.input.scene;
    if (request.cursor > 0 || request.selected) return;
    const auto at = p.scene->example(scene);
    if (!at) return;
    for (const RoundSummary& round : p.source.whole().round_list)
        if (round.round == at->round) p.source.update(trace, round.end_event);
    p.source.fill(scene);
    scene.selected = at;
}

// Logical pixels of the frame are this large.
float zoom_of(const FrameRequest& request) {
    const ui::Vec2 size{static_cast<float>(request.width), static_cast<float>(request.height)};
    const float zoom = request.zoom > 0 ? request.zoom : request.presenter ? 1 : window_scale(size);
    return request.presenter ? zoom * presenter_scale(size) : zoom;
}

StagedFrame::StagedFrame(const FrameRequest& request, const FrameRun& run) {
    const SceneInfo& info = scene_named(request.scene);
    kept.layout.presenter = request.presenter;
    figures = Published::load(assets_folder() / "published");
    ablations = load_experiments(assets_folder() / "models");
    const std::shared_ptr<const Trace> trace = run.trace ? run.trace : empty_trace();
    scene = info.make();
    source.update(trace, trace->size());
    source.fill(input.scene);
    const int last = scene->beats(input.scene);
    const bool beats = last > 0;
    check_beat(request, places_of(request, *this, last), beats);
    source.update(trace, first_cursor(request, *scene, beats, source.whole()));
    SceneInput& staged = input.scene;
    source.fill(staged);
    if (!beats && request.moving < 1 && staged.cursor > 0) staged.moving = {{staged.cursor - 1, request.moving}};
    if (request.selected) staged.selected = Position{request.selected->first, request.selected->second};
    static_cast<Answers&>(staged) = request.answers;
    staged.settings = &run.settings;
    staged.status = &run.status;
    staged.server = request.server.get();
    staged.still = true;
    staged.kept = request.kept;
    staged.plain.ms_per_token = request.plain_ms_per_token;
    staged.race = request.race.get();
    if (staged.race) {
        staged.race_rounds = race_of_table(*staged.race);
        staged.race_ms = request.race_ms < 0 ? race_rest(*staged.race, staged.race_rounds) : request.race_ms;
    }
    staged.race_lane = kRaceLanes - 1;
    staged.figures = figures ? &*figures : nullptr;
    staged.ablations = ablations ? &*ablations : nullptr;
    if (beats) staged.beat = request.beat < 0 ? 4 : request.beat - 1;
    if (beats) go_to_example(*this, request, trace);
    input.scene_name = request.scene;
    input.active = scene.get();
    input.hash = source.hash();
    input.altered = source.altered();
    input.zoom = zoom_of(request);
    input.theme = theme_named(request.theme);
}

} // namespace

namespace {

using Painter = std::function<void(ui::Canvas& canvas)>;

// A painter of the frame, for any canvas of this size; `screen` is in logical px.
Painter painter(const FrameInput& input, const FrameUi& kept, ui::Rect screen) {
    return [&input, &kept, screen](ui::Canvas& canvas) {
        ui::Input nothing;
        nothing.time = 1;
        ui::WidgetState widgets;
        FrameUi state = kept;
        state.popup = Popup::none;
        state.notes = false;
        state.menu = -1;
        state.message.clear();
        ui::Ui ui(canvas, nothing, ui::theme(input.theme), widgets, screen);
        (void)compose(input, state, ui);
    };
}

void check_size(const FrameRequest& request) {
    if (request.width < 320 || request.height < 240 || request.width > 16384 || request.height > 16384)
        throw Error("a frame of " + std::to_string(request.width) + "×" + std::to_string(request.height) + " cannot be drawn",
                    "Choose a size between 320x240 and 16384x16384.", Exit::usage);
    if (request.zoom != 0 && !(request.zoom >= 0.5F && request.zoom <= 4))
        throw Error("a zoom of " + std::to_string(request.zoom) + " cannot be drawn", "Choose 0.5 to 4.", Exit::usage);
}

} // namespace

ui::Image draw_image(const FrameInput& input, const FrameUi& kept, int width, int height, ui::HeadlessFrame& frame) {
    const float z = input.zoom;
    return draw_image(input, kept, width, height, frame, {0, 0, static_cast<float>(width) / z, static_cast<float>(height) / z},
                      [](ui::Canvas&) {});
}

ui::Image draw_image(const FrameInput& input, const FrameUi& kept, int width, int height, ui::HeadlessFrame& frame, ui::Rect screen,
                     const std::function<void(ui::Canvas&)>& more) {
    ui::Canvas& canvas = frame.begin(width, height, input.zoom, ui::theme(input.theme).bg);
    painter(input, kept, screen)(canvas);
    more(canvas);
    return frame.end();
}

void draw_to_file(const FrameInput& input, const FrameUi& kept, int width, int height, const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    if (ending != ".svg" && ending != ".png")
        throw Error("cannot tell the format of " + file.string(), "Name the file .png or .svg.", Exit::usage);
    const ui::FontSet fonts;
    if (ending == ".svg") {
        const ui::Rect screen{0, 0, static_cast<float>(width) / input.zoom, static_cast<float>(height) / input.zoom};
        ui::SvgCanvas canvas(fonts, screen.w, screen.h, ui::theme(input.theme).bg);
        painter(input, kept, screen)(canvas);
        ui::write_file(file.string(), std::string_view(canvas.finish()));
    } else {
        ui::HeadlessFrame frame(fonts);
        ui::write_png(file.string(), draw_image(input, kept, width, height, frame));
    }
}

void render_frame(const FrameRequest& request, const FrameRun& run, const std::filesystem::path& file) {
    check_size(request);
    StagedFrame p(request, run);
    draw_to_file(p.input, p.kept, request.width, request.height, file);
}

std::string frame_title(const FrameRequest& request, const FrameRun& run) {
    const StagedFrame p(request, run);
    const std::string words = p.scene->describe(p.input.scene);
    return words.substr(0, words.find('\n'));
}

std::string frame_picture(const FrameRequest& request, const FrameRun& run) {
    check_size(request);
    const StagedFrame p(request, run);
    const ui::FontSet fonts;
    ui::HeadlessFrame frame(fonts);
    const std::vector<std::uint8_t> png =
        ui::encode_png_with_few_colours(draw_image(p.input, p.kept, request.width, request.height, frame));
    return {png.begin(), png.end()};
}

int shared_round(const FrameRequest& request, const FrameRun& run) {
    const StagedFrame p(request, run);
    const SceneInput& scene = p.input.scene;
    const RoundSummary* round = scene.race ? nullptr : chosen_round(scene);
    if (!round || !round->complete())
        throw Error("this frame shows no round that is over", "Choose another place, for example loop.", Exit::usage);
    return round->round;
}

FramePlace frame_place(const FrameRequest& request, const FrameRun& run) {
    const StagedFrame p(request, run);
    const SceneInput& scene = p.input.scene;
    FramePlace place;
    if (scene.race) { // whose clock counts steps, or cannot be named
        place.beat = std::max(0, request.beat);
        if (scene.race->settings.stepped) place.at = static_cast<std::size_t>(scene.race_ms);
        return place;
    }
    if (p.scene->beats(scene) > 0) place.beat = scene.beat + 1;
    place.at = scene.cursor;
    if (scene.selected) place.selected = {scene.selected->round, scene.selected->index};
    return place;
}

std::string part_words(const FrameRequest& request) {
    const SceneInfo* info = find_scene(request.scene);
    if (!info) return "";
    const std::unique_ptr<Scene> scene = info->make();
    const float zoom = zoom_of(request);
    const ui::Vec2 size{static_cast<float>(request.width) / zoom, static_cast<float>(request.height) / zoom};
    LayoutWish wish;
    wish.presenter = request.presenter;
    wish.run = scene->shows_run();
    const FrameLayout shown = frame_layout(size, wish, scene->whole_window());
    if (shown.pan_limit.x <= 0 && shown.pan_limit.y <= 0) return "";
    return printed("this shows a part of the scene: at zoom %.3g all of it needs --size %.0fx%.0f, or a smaller --zoom",
                   static_cast<double>(zoom), static_cast<double>(std::ceil(kWholeWidth * zoom)),
                   static_cast<double>(std::ceil(kWholeHeight * zoom)));
}

int frame_beats(const FrameRequest& request, const FrameRun& run) {
    if (request.race) return static_cast<int>(race_stop_times(*request.race).size()) - 1;
    StagedFrame p(request, run);
    return places_of(request, p, p.scene->beats(p.input.scene));
}

double frame_motion(const FrameRequest& request, const FrameRun& run) {
    StagedFrame p(request, run);
    const SceneInput& scene = p.input.scene;
    if (request.race || scene.cursor == 0 || p.scene->beats(scene) > 0) return 0;
    return motion_seconds((*scene.trace)[scene.cursor - 1], false);
}

void render_animation(const std::vector<AnimationFrame>& frames, const FrameRun& run, const std::filesystem::path& file) {
    const ui::FontSet fonts;
    ui::HeadlessFrame pixels(fonts);
    std::vector<ui::GifFrame> pictures;
    std::optional<VideoFile> film; // is written as it is drawn
    if (file.extension() != ".gif") film.emplace(file, frames.front().request.width, frames.front().request.height);
    for (const AnimationFrame& frame : frames) {
        check_size(frame.request);
        StagedFrame p(frame.request, run);
        ui::Image image = draw_image(p.input, p.kept, frame.request.width, frame.request.height, pixels);
        if (film)
            film->show(image, frame.ms);
        else
            pictures.push_back({std::move(image), frame.ms});
    }
    film ? film->finish() : ui::write_gif(file.string(), pictures);
}

std::vector<Command> frame_wants(const FrameRequest& request, const FrameRun& run) {
    StagedFrame p(request, run);
    const ui::FontSet fonts;
    ui::HeadlessFrame pixels(fonts);
    const ui::Theme& theme = ui::theme(p.input.theme);
    ui::Input nothing;
    nothing.time = 1;
    ui::WidgetState widgets;
    const float zoom = p.input.zoom;
    ui::Ui ui(pixels.begin(request.width, request.height, zoom, theme.bg), nothing, theme, widgets,
              {0, 0, static_cast<float>(request.width) / zoom, static_cast<float>(request.height) / zoom});
    std::vector<Command> wants;
    for (const FrameCommand& command : compose(p.input, p.kept, ui))
        if (const auto* scene = std::get_if<SceneCommand>(&command))
            if (const auto* asked = std::get_if<Command>(scene)) wants.push_back(*asked);
    for (Measurement& one : p.scene->missing(p.input.scene))
        if (p.input.scene.beat >= one.pictured) wants.push_back(std::move(one.ask));
    (void)pixels.end();
    return wants;
}

std::string frame_words(const FrameInput& input) { return input.active->describe(input.scene); }

std::string describe_frame(const FrameRequest& request, const FrameRun& run) {
    StagedFrame p(request, run);
    return frame_words(p.input);
}

std::string frame_messages(const FrameRequest& request, const FrameRun& run) {
    const StagedFrame p(request, run);
    return words_json(request.scene, p.input.scene.beat, p.scene->told(p.input.scene));
}

std::vector<PlotFiles> frame_plots(const FrameRequest& request, const FrameRun& run) {
    check_size(request);
    const StagedFrame p(request, run);
    const float zoom = p.input.zoom;
    const ui::Rect screen{0, 0, static_cast<float>(request.width) / zoom, static_cast<float>(request.height) / zoom};
    const ui::FontSet fonts;
    ui::RecordCanvas canvas(fonts, screen);
    painter(p.input, p.kept, screen)(canvas);
    LayoutWish wish;
    wish.presenter = request.presenter;
    wish.run = p.scene->shows_run();
    const FrameLayout layout = frame_layout({screen.w, screen.h}, wish, p.scene->whole_window());
    return plot_files(canvas, std::array{layout.stage, layout.story, layout.details});
}

std::optional<std::pair<int, int>> shown_position(const FrameRequest& request, const Trace& trace) {
    if (request.scene != "accept-rule" && request.scene != "loop") return std::nullopt;
    const std::unique_ptr<Scene> scene = scene_named(request.scene).make();
    const bool beats = request.scene == "accept-rule";
    const RunView view = fold(trace, first_cursor(request, *scene, beats, fold(trace, trace.size())));
    std::optional<Position> wanted;
    if (beats && request.cursor == 0) {
        SceneInput input;
        const RunView whole = fold(trace, trace.size());
        input.trace = &trace;
        input.view = &view;
        input.whole = &whole;
        input.cursor = view.events;
        input.available = whole.events;
        input.beat = request.beat < 0 ? 4 : request.beat - 1;
        if (const auto example = request.selected ? std::nullopt : scene->example(input)) return std::pair{example->round, example->index};
    }
    if (request.selected) wanted = Position{request.selected->first, request.selected->second};
    const std::optional<Position> at = accept_position(view, wanted);
    if (!at) return std::nullopt;
    return std::pair{at->round, at->index};
}

std::vector<double> race_stop_times(const RaceView& race) { return race_stops(race, -1, race_of_table(race)); }

std::vector<SceneName> scene_names() {
    std::vector<SceneName> names;
    for (const SceneInfo& info : scene_list()) names.push_back({info.number, info.name, message(info.title)});
    return names;
}

std::string scene_called(const std::string& word) {
    const SceneInfo* info = find_scene(word);
    return info ? info->name : "";
}

std::vector<std::string> texts_to_translate(const std::string& language) { return stories_to_translate(assets_folder(), language); }

std::string font_report() {
    try {
        const ui::FontSet fonts;
        std::string text;
        for (const ui::FontReport& font : fonts.report())
            text += (text.empty() ? "" : "; ") + std::string(font.wanted) + ": " + font.path + (font.exact ? "" : " (stands in)");
        return text;
    } catch (const Error& error) {
        return std::string(error.what()) + ". " + error.remedy();
    }
}

} // namespace speclens
