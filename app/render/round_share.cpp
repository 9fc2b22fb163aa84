#include "app/render/round_share.h"

#include <algorithm>
#include <utility>

#include "app/render/headless_frame.h"
#include "kernels/error.h"
#include "scenes/shared/motion.h"
#include "ui/file_write.h"
#include "ui/pictures/png.h"

namespace speclens {
namespace {

constexpr int kEndMs = 1200;       // how much longer the last picture stays
constexpr int kFewestMs = 50;      // of a step
constexpr int kRaceMs = 100;       // of a picture of a race
constexpr float kStripHeight = 62; // below a scene that has no story, logical px

const RoundSummary* complete_round(const RunView& whole, int round) {
    const auto found = std::ranges::find(whole.round_list, round, &RoundSummary::round);
    return found != whole.round_list.end() && found->complete() ? &*found : nullptr;
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) throw Error(folder.string() + ": " + problem.message(), "Give a folder that can be made.");
}

} // namespace

std::vector<LoopShot> loop_shots(const Trace& trace, const RoundSummary& round) {
    const std::size_t events = round.end_event - round.first_event;
    const std::size_t stride = (events * kFewestMs + kLoopMs - kEndMs - 1) / static_cast<std::size_t>(kLoopMs - kEndMs);
    std::vector<std::size_t> cursors; // as many events as there is time for, the last one in any case
    for (std::size_t left = events; left > 0; left -= std::min(left, std::max<std::size_t>(1, stride)))
        cursors.push_back(round.first_event + left);
    std::ranges::reverse(cursors);
    const int steps = static_cast<int>(cursors.size());
    const auto begin = [&](int step) { return (kLoopMs - kEndMs) * step / steps / 10 * 10; };
    std::vector<LoopShot> shots;
    for (int i = 0; i < steps; ++i) {
        const std::size_t cursor = cursors[static_cast<std::size_t>(i)];
        int left = begin(i + 1) - begin(i);
        const int moves = std::min(static_cast<int>(1000 * motion_seconds(trace[cursor - 1], false)), left / 2) / kGifTick;
        for (int tick = 0; tick < moves; ++tick, left -= kGifTick)
            shots.push_back({cursor, static_cast<float>(tick) / static_cast<float>(moves), kGifTick});
        shots.push_back({cursor, 1, left + (i + 1 == steps ? kEndMs : 0)});
    }
    return shots;
}

std::vector<LoopShot> race_shots() {
    constexpr std::size_t kCount = (kLoopMs - kEndMs) / kRaceMs;
    std::vector<LoopShot> shots;
    for (std::size_t i = 0; i < kCount; ++i) shots.push_back({i + 1, 1, kRaceMs});
    shots.back().ms += kEndMs;
    return shots;
}

double race_clock_at(const LoopShot& shot, double end) {
    return end * static_cast<double>(shot.cursor) / static_cast<double>(race_shots().size());
}

RoundShare::RoundShare(SharedRound round, std::filesystem::path folder, const ui::FontSet& fonts)
    : round_(std::move(round)), folder_(std::move(folder)), pixels_(fonts), scene_(find_scene(round_.race ? "race" : "loop")->make()) {
    if (!round_.trace) round_.trace = empty_trace();
    whole_ = fold(*round_.trace, round_.trace->size());
    if (round_.race) {
        if (!round_.race->lanes_finished() || !shared_header(round_)) throw Error("the race is not over", "Wait until every lane is done.");
        race_end_ = race_end(*round_.race, race_of_table(*round_.race));
        shots_ = race_shots();
    } else {
        told_ = complete_round(whole_, round_.round);
        if (!told_) throw Error("round " + std::to_string(round_.round + 1) + " is not over", "Choose one that is.");
        shots_ = loop_shots(*round_.trace, *told_);
    }
    make_folder(folder_);
    begin_film();
}

RoundShare::~RoundShare() = default;

template <typename Work>
void RoundShare::film(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        film_.reset();
        files_.film.clear();
        files_.no_film = error.what();
    }
}

void RoundShare::begin_film() {
    if (video_encoder().empty()) {
        files_.no_encoder = true;
        return;
    }
    files_.film = folder_ / (round_.race ? "race.mp4" : "round.mp4");
    film([&] { film_ = std::make_unique<VideoFile>(files_.film, kLoopWidth, kLoopHeight); });
}

void RoundShare::set_up(FrameInput& input) const {
    SceneInput& scene = input.scene;
    source_.fill(scene);
    scene.settings = &round_.settings;
    scene.status = &round_.status;
    scene.plain.ms_per_token = round_.status.plain_ms_per_token;
    scene.letters_article = round_.letters_article;
    scene.still = scene.kept = true;
    scene.race = round_.race.get();
    if (scene.race) {
        scene.race_rounds = race_of_table(*scene.race);
        scene.race_ms = race_end_;
        scene.race_lane = kRaceLanes - 1;
    }
    input.scene_name = round_.race ? "race" : "loop";
    input.active = scene_.get();
    input.zoom = presenter_scale({kLoopWidth, kLoopHeight});
    input.theme = theme_named(round_.theme);
}

ui::Image RoundShare::picture(const LoopShot& shot) {
    source_.update(round_.trace, round_.race ? 0 : shot.cursor);
    FrameInput input;
    set_up(input);
    if (round_.race)
        input.scene.race_ms = race_clock_at(shot, race_end_);
    else if (shot.moving < 1)
        input.scene.moving = {{shot.cursor - 1, shot.moving}};
    FrameUi kept;
    kept.layout.presenter = true; // the loop is looked at small
    ui::Rect screen{0, 0, kLoopWidth / input.zoom, kLoopHeight / input.zoom};
    LayoutWish wish;
    wish.presenter = true;
    ui::Rect strip = frame_layout({screen.w, screen.h}, wish, scene_->whole_window()).story;
    if (strip.w <= 0) {
        screen.h -= kStripHeight;
        strip = {0, screen.h, screen.w, kStripHeight};
    }
    return draw_image(input, kept, kLoopWidth, kLoopHeight, pixels_, screen,
                      [&](ui::Canvas& canvas) { draw_share_strip(canvas, ui::theme(input.theme), round_, strip); });
}

void RoundShare::draw_card() {
    const ui::Theme& theme = ui::theme(theme_named(round_.theme));
    ui::Canvas& canvas = pixels_.begin(kCardWidth, kCardHeight, 1, theme.bg);
    if (told_) return draw_share_card(canvas, theme, round_, whole_, *told_);
    FrameInput input;
    set_up(input);
    draw_race_card(canvas, theme, round_, race_model(input.scene));
}

namespace {

// With one thread from the start: within somebody else's page there is no memory to share.
std::string iframe(const std::string& link) {
    std::string address;
    for (const char c : link) {
        if (c == '#' && address.find('#') == std::string::npos) address += address.find('?') == std::string::npos ? "?one" : "&amp;one";
        address += c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    }
    return "<iframe src=\"" + address +
           "\" title=\"SpecLens\" width=\"100%\" height=\"720\" loading=\"lazy\" allow=\"fullscreen; clipboard-write\" style=\"border: "
           "0\"></iframe>\n";
}

} // namespace

void RoundShare::write_end() {
    switch (at_ - shots_.size()) {
    case 0:
        files_.loop = folder_ / (round_.race ? "race.gif" : "round.gif");
        ui::write_file(files_.loop.string(), loop_.finish());
        loop_ = {};
        break;
    case 1:
        if (film_) film([&] { film_->finish(); });
        film_.reset();
        break;
    default: {
        draw_card();
        files_.card = folder_ / "card.png";
        ui::write_png(files_.card.string(), pixels_.end());
        if (round_.link.empty()) break;
        files_.link = folder_ / "link.txt";
        files_.link_text = round_.link;
        ui::write_file(files_.link.string(), std::string_view(round_.link + "\n"));
        if (!round_.link.starts_with("http")) break;
        files_.frame = folder_ / "iframe.html";
        ui::write_file(files_.frame.string(), std::string_view(iframe(round_.link)));
    }
    }
}

bool RoundShare::step() {
    constexpr std::size_t kFiles = 3;
    if (at_ < shots_.size()) {
        const LoopShot& shot = shots_[at_];
        const ui::Image image = picture(shot);
        loop_.add(image, shot.ms);
        if (film_) film([&] { film_->show(image, shot.ms); });
    } else if (at_ < shots_.size() + kFiles) {
        write_end();
    }
    ++at_;
    return at_ < shots_.size() + kFiles;
}

double RoundShare::done() const { return std::min(1.0, static_cast<double>(at_) / static_cast<double>(shots_.size() + 3)); }

SharedFiles share_round(const SharedRound& round, const std::filesystem::path& folder, const std::function<void(double)>& done) {
    const ui::FontSet fonts;
    RoundShare share(round, folder, fonts);
    while (share.step()) done(share.done());
    return share.files();
}

} // namespace speclens
