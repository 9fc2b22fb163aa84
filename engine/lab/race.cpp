#include "engine/lab/race.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/progress.h"
#include "engine/drafters/drafter_info.h"
#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kRepeats = 8;       // of all lanes, where they are over quickly
constexpr double kRepeatMs = 800; // of all repeats together: no further one begins
constexpr int kWarmUpTokens = 6;
constexpr int kShowEvery = 8;    // prompts between two publications of the averages, or
constexpr double kShowMs = 1500; // so much time
constexpr double kFrameMs = 20;  // of a step: the window is told of each, and drawing it is little beside that

} // namespace

bool RaceView::lanes_finished() const {
    return std::ranges::all_of(lanes, [](const RaceLane& lane) { return lane.finished || !lane.problem.empty(); });
}

RaceView race_lanes(const Models& models, RaceSettings settings) {
    if (settings.lanes.empty() || settings.lanes.size() > static_cast<std::size_t>(kRaceLanes))
        throw Error("a race of " + std::to_string(settings.lanes.size()) + " lanes cannot be shown",
                    "Choose 1 to " + std::to_string(kRaceLanes) + " drafters.", Exit::usage);
    settings.base.trace_top = 0; // no rows: a race is about texts and times
    if (settings.chat_if_possible) {
        RunSettings& base = settings.base;
        if (std::ranges::find(settings.prompts, base.prompt.text, &GalleryPrompt::prompt) != settings.prompts.end()) {
            std::vector<GalleryPrompt> own = {{"", base.prompt.text, base.prompt.system, base.prompt.chat}};
            ask_as_text_if_needed(own, models.chat);
            base.prompt.text = own[0].prompt, base.prompt.system = own[0].system, base.prompt.chat = own[0].chat;
        }
        ask_as_text_if_needed(settings.prompts, models.chat);
    }
    RaceView view;
    view.model = models.target_name();
    view.backend = models.backend->description();
    view.precision = models.precision();
    for (const RaceEntry& entry : settings.lanes) {
        refuse_chain(entry.drafter);
        if (!find_drafter(entry.drafter))
            throw Error("there is no drafter \"" + entry.drafter + "\"", "See: speclens list drafters.", Exit::usage);
        RaceLane lane;
        lane.settings = settings.base;
        lane.settings.draft_with(entry.drafter);
        lane.settings.rule = entry.rule;
        lane.settings.k = entry.drafter == kNoDrafter ? 0 : entry.k;
        lane.settings.options = {};
        take_options(entry.drafter, settings.base.options, lane.settings.options);
        lane.problem = models.why_not(entry.drafter);
        view.lanes.push_back(std::move(lane));
    }
    view.settings = std::move(settings);
    return view;
}

Race::Race(std::shared_ptr<const Models> models, RaceSettings settings, TimeTable* table, std::function<bool()> go_on)
    : models_(std::move(models)), table_(table ? table : &own_table_), go_on_(std::move(go_on)) {
    settings.base.timing = true;
    view_ = race_lanes(*models_, std::move(settings));
    samples_.resize(view_.lanes.size());
    view_.prompts = models_->tokenizer ? static_cast<int>(view_.settings.prompts.size()) : 0;
}

Race::~Race() = default;

RunSettings Race::settings_of(const Job& job) const {
    RunSettings settings = view_.lanes[static_cast<std::size_t>(job.lane)].settings;
    if (job.kind == Job::Kind::warm_up) settings.max_tokens = std::min(settings.max_tokens, kWarmUpTokens);
    if (job.kind == Job::Kind::average)
        settings.prompt = prompt_of(view_.settings.prompts[static_cast<std::size_t>(job.prompt)], view_.settings.chat_if_possible,
                                    settings.prompt.thinking);
    return settings;
}

// Warm-ups, then the lanes one after another, then every prompt in every lane.
bool Race::next_job() {
    const int lanes = static_cast<int>(view_.lanes.size());
    const auto can = [&](int lane) { return view_.lanes[static_cast<std::size_t>(lane)].problem.empty(); };
    do {
        if (!started_) {
            started_ = true;
            job_ = {};
        } else {
            ++job_.lane;
        }
        if (job_.lane < lanes) continue;
        switch (job_.kind) {
        case Job::Kind::warm_up:
            job_ = {.kind = Job::Kind::lane};
            busy_ = BusyMeter();
            break;
        case Job::Kind::lane:
            if (++repeat_ < kRepeats && lanes_ms_ * (repeat_ + 1) / repeat_ < kRepeatMs) {
                job_ = {.kind = Job::Kind::lane}; // all lanes again: what disturbs one of them disturbs the others
                break;
            }
            finish_lanes();
            job_ = {.kind = Job::Kind::average};
            prompt_ms_ = std::exchange(pieces_ms_, 0) / repeat_;
            if (view_.prompts == 0) return false;
            break;
        case Job::Kind::average: {
            ++view_.prompts_done;
            const bool enough = averaged_ms() > view_.settings.average_seconds * 1000;
            if (enough) view_.prompts = view_.prompts_done;
            const bool over = view_.prompts_done >= view_.prompts;
            if (over || view_.prompts_done % kShowEvery == 0 || averages_shown_.ms() > kShowMs) show_averages();
            if (over) return false;
            job_ = {.kind = Job::Kind::average, .prompt = job_.prompt + 1};
            break;
        }
        }
    } while (!can(job_.lane));
    return true;
}

void Race::begin(const Job& job) {
    view_.running = job.kind == Job::Kind::lane ? job.lane : -1;
    view_.warming = job.kind == Job::Kind::warm_up ? job.lane : -1;
    try {
        run_ = std::make_unique<Run>(models_, settings_of(job));
        run_->between_passes([this] {
            if (go_on_ && !go_on_()) throw Cancelled{};
        });
    } catch (const Error& error) {
        if (job.kind == Job::Kind::average) {
            const auto* too_long = dynamic_cast<const PromptTooLong*>(&error);
            if (!too_long) throw; // it is not the prompt: the next one would fail as well
            view_.skipped_for = too_long->model();
            return skip_prompt();
        }
        view_.lanes[static_cast<std::size_t>(job.lane)].problem = error.what();
        ++revision_;
        return;
    }
    if (job.kind == Job::Kind::lane && repeat_ == 0) view_.lanes[static_cast<std::size_t>(job.lane)].trace = run_->shared_trace();
    if (job.kind != Job::Kind::average && repeat_ == 0) ++revision_;
}

// The same once more, from its prompt.
void Race::leave() {
    run_.reset();
    if (view_.running >= 0 && repeat_ == 0) view_.lanes[static_cast<std::size_t>(job_.lane)].trace = nullptr;
    again_ = true;
}

// ---- how far it is ----

double Race::averaged_ms() const {
    double spent = 0;
    for (const auto& lane : samples_)
        for (const Sample& sample : lane) spent += sample.total_ms();
    return spent;
}

int Race::pieces_done() const {
    if (view_.lanes_finished()) return view_.prompts_done;
    return static_cast<int>(std::ranges::count_if(view_.lanes, [](const RaceLane& lane) { return lane.finished; }));
}

int Race::pieces() const {
    if (!view_.lanes_finished())
        return static_cast<int>(std::ranges::count_if(view_.lanes, [](const RaceLane& lane) { return lane.problem.empty(); }));
    const double each = view_.prompts_done > 0 ? averaged_ms() / view_.prompts_done : prompt_ms_;
    if (each <= 0) return view_.prompts;
    const double fit = std::ceil(view_.settings.average_seconds * 1000 / each);
    return std::clamp(static_cast<int>(std::min<double>(fit, view_.prompts)), std::min(view_.prompts_done + 1, view_.prompts),
                      view_.prompts);
}

double Race::pieces_begun() const {
    const bool lanes = job_.kind != Job::Kind::average;
    double part = 0; // of the generation under way
    if (run_ && job_.kind != Job::Kind::warm_up) {
        const Header* header = run_->trace().header();
        const auto written = run_->sequence().size() - (header ? header->prompt.size() : 0);
        part = std::min(1.0, static_cast<double>(written) / std::max(1, run_->settings().max_tokens));
    }
    if (lanes) return pieces_done() + part;
    return view_.prompts_done + (job_.lane + part) / static_cast<double>(view_.lanes.size());
}

std::optional<double> Race::left_seconds() const {
    const double begun = pieces_begun(), each = pieces_done() > 0 ? pieces_ms_ / begun : prompt_ms_;
    if (each <= 0) return {};
    return each / 1000 * std::max(0.0, pieces() - begun);
}

void Race::end() {
    switch (job_.kind) {
    case Job::Kind::warm_up: break;
    case Job::Kind::lane: {
        const double ms = fold(run_->trace(), run_->trace().size()).total_ms;
        lanes_ms_ += ms;
        if (!models_->scorer) table_->add(run_->trace());
        if (repeat_ > 0 || ms < kRepeatMs / 2) break;
        RaceLane& lane = view_.lanes[static_cast<std::size_t>(job_.lane)]; // too slow to be run again
        if (!models_->scorer) table_->time(*lane.trace);
        lane.finished = true;
        prompt_ms_ = pieces_ms_;
        ++revision_;
        break;
    }
    case Job::Kind::average:
        if (!models_->scorer) table_->add(run_->trace());
        samples_[static_cast<std::size_t>(job_.lane)].push_back(sample_of(*run_));
        break;
    }
    run_.reset();
}

void Race::finish_lanes() {
    view_.busy_cores = busy_.cores();
    table_->set_busy(view_.busy_cores);
    for (RaceLane& lane : view_.lanes) {
        if (!lane.trace || !lane.problem.empty()) continue;
        if (!models_->scorer) table_->time(*lane.trace);
        lane.finished = true;
    }
    ++revision_;
}

// Averages compare the lanes prompt by prompt: a prompt that one lane cannot read counts for none.
void Race::skip_prompt() {
    const auto kept = static_cast<std::size_t>(view_.prompts_done - view_.skipped);
    for (std::vector<Sample>& lane : samples_)
        if (lane.size() > kept) lane.resize(kept);
    ++view_.skipped;
    job_.lane = static_cast<int>(view_.lanes.size());
}

void Race::show_averages() {
    std::vector<std::vector<const Sample*>> samples(samples_.size());
    const std::vector<const Sample*>* plain = nullptr;
    view_.busy_cores = busy_.cores();
    table_->set_busy(view_.busy_cores);
    for (std::vector<Sample>& lane : samples_)
        for (Sample& sample : lane) {
            if (!models_->scorer) table_->time(*sample.trace);
            sample.take_times();
        }
    for (const RaceLane& lane : view_.lanes)
        if (lane.trace && !models_->scorer) table_->time(*lane.trace); // what more passes told of it
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        for (const Sample& sample : samples_[i]) samples[i].push_back(&sample);
        if (view_.lanes[i].settings.drafter == kNoDrafter && !samples[i].empty()) plain = &samples[i];
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        if (samples[i].empty()) continue;
        LaneAverage average;
        average.totals = total(samples[i]);
        average.tokens_per_round = tokens_per_round(samples[i], view_.settings.base.seed);
        if (plain) average.speed_up = speed_up(*plain, samples[i], view_.settings.base.seed);
        view_.lanes[i].average = std::move(average);
    }
    averages_shown_ = Stopwatch();
    ++revision_;
}

bool Race::step() {
    if (!run_) {
        if (!std::exchange(again_, false) && !next_job()) {
            view_.running = view_.warming = -1;
            return false;
        }
        begin(job_);
        return true;
    }
    const Stopwatch own;
    try {
        if (!run_->step()) end();
    } catch (const Cancelled&) { // somebody waits, perhaps for the end of all
        leave();
    }
    if (job_.kind != Job::Kind::warm_up) pieces_ms_ += own.ms();
    if (view_.running >= 0 && own.ms() > kFrameMs) ++revision_;
    return true;
}

std::vector<RaceEntry> race_entries(const std::vector<std::string>& drafters, const RunSettings& base) {
    std::vector<RaceEntry> entries;
    for (const std::string& name : drafters) {
        const DrafterInfo* info = find_drafter(name);
        const int levels = info && info->tree ? base.options.tree_depth : 0;
        entries.push_back({name, judging_rule(base.rule, name),
                           name == kNoDrafter ? 0
                           : levels > 0       ? levels
                           : base.k > 0       ? base.k
                                              : default_k(name)});
    }
    std::ranges::stable_partition(entries, [](const RaceEntry& entry) { return entry.drafter == kNoDrafter; });
    return entries;
}

std::vector<std::string> default_racers(const std::vector<std::string>& ready) {
    std::vector<const DrafterInfo*> racers;
    for (const DrafterInfo& info : drafter_list())
        if (info.race_place > 0 && std::ranges::find(ready, info.name) != ready.end()) racers.push_back(&info);
    std::ranges::stable_sort(racers, {}, &DrafterInfo::race_place);
    std::vector<std::string> names{kNoDrafter};
    for (const DrafterInfo* racer : racers)
        if (static_cast<int>(names.size()) < kRaceLanes) names.emplace_back(racer->name);
    return names;
}

std::vector<std::string> default_racers(const Models& models) { return default_racers(models.ready_drafters()); }

} // namespace speclens
